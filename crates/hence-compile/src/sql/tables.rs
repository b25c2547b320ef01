//! What relations and their columns are called in the database.

use std::collections::BTreeMap;

use hence_core::fault::OrBroken;
use hence_core::literal::is_identifier;
use hence_core::schema::{Relation, RelationId};
use hence_core::span::Span;
use hence_lang::ir::Program;

use super::refusal::UnsupportedConstruct;

/// The longest name that every database keeps whole.
const LONGEST: usize = 63;

/// The table of a relation; those that were made for aggregates have numbers for names.
pub(super) fn table(program: &Program, id: RelationId) -> String {
    format!("hence.\"{}\"", name(program, id))
}

/// The name of that table.
pub(super) fn name(program: &Program, id: RelationId) -> String {
    let name = program[id].name.as_str();
    if is_identifier(name) { name.to_owned() } else { format!("_{}", id.0) }
}

/// The columns of a relation, between quotes; of one without columns a single one, which is true.
pub(super) fn columns(relation: &Relation) -> Vec<String> {
    if relation.columns.is_empty() {
        return vec![String::from("\"_\"")];
    }
    let made = !is_identifier(relation.name.as_str());
    let all = relation.columns.iter().enumerate();
    all.map(|(at, column)| if made { format!("\"c{at}\"") } else { format!("\"{}\"", column.name) }).collect()
}

/// The column at a place.
pub(super) fn column(relation: &Relation, at: usize) -> String {
    columns(relation)
        .into_iter()
        .nth(at)
        .or_broken("an atom has as many arguments as its relation has columns")
}

/// Names that a database could not tell apart, or would cut.
pub(super) fn faults(program: &Program) -> Vec<UnsupportedConstruct> {
    let named = || program.relations.iter().filter(|relation| is_identifier(relation.name.as_str()));
    let mut found = alike("relation", named().map(|one| (one.name.as_str(), one.span)));
    for relation in named() {
        found.extend(alike("column", relation.columns.iter().map(|one| (one.name.as_str(), relation.span))));
    }
    found
}

fn alike<'a>(kind: &str, names: impl Iterator<Item = (&'a str, Span)>) -> Vec<UnsupportedConstruct> {
    let (mut seen, mut found) = (BTreeMap::new(), Vec::new());
    for (name, span) in names {
        if name.len() > LONGEST {
            let construct = format!("a {kind} whose name has more than {LONGEST} bytes");
            found.push(UnsupportedConstruct::new(span, construct, "give it a shorter name"));
        }
        if let Some(other) = seen.insert(name.to_ascii_lowercase(), name) {
            let construct = format!("the {kind}s `{other}` and `{name}`, which differ only in case");
            found.push(UnsupportedConstruct::new(span, construct, "give one of them another name"));
        }
    }
    found
}
