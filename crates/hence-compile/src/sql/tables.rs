//! What relations and their columns are called in the database.
//!
//! Without transactions, as in Spark, a relation gets its name at the end of the script: until then it is a draft, whose
//! name begins with `_`, as none of a relation does.

use std::collections::BTreeMap;

use hence_core::fault::OrBroken;
use hence_core::literal::is_identifier;
use hence_core::schema::{Column, Relation, RelationId};
use hence_core::span::Span;
use hence_lang::ir::Program;

use super::body::Context;
use super::dialect::Dialect;
use super::refusal::UnsupportedConstruct;

/// The longest name that every database keeps whole.
const LONGEST: usize = 63;

impl Context<'_> {
    /// The schema that the script makes.
    pub(super) fn schema(self) -> &'static str {
        if self.is_apart() { "hence_test" } else { "hence" }
    }

    /// Whether the script has a schema of its own for all that it makes, since nothing takes a table back.
    fn is_apart(self) -> bool {
        self.is_test && self.dialect == Dialect::Spark
    }

    /// A table of the script.
    pub(super) fn own(self, name: &str) -> String {
        format!("{}.{}", self.schema(), self.dialect.identifier(name))
    }

    /// The table that an input is read from.
    pub(super) fn given(self, id: RelationId) -> String {
        let name = self.program[id].name.as_str();
        if self.is_apart() { self.own(&format!("__given_{name}")) } else { self.dialect.identifier(name) }
    }

    /// The table of a relation; those that were made for aggregates have numbers for names.
    pub(super) fn table(self, id: RelationId) -> String {
        let name = self.program[id].name.as_str();
        match self.dialect {
            _ if !is_identifier(name) => self.own(&format!("_{}", id.0)),
            Dialect::DuckDb | Dialect::Postgres => self.own(name),
            Dialect::Spark => self.own(&format!("_{name}")),
        }
    }

    /// The table of a negated atom, which is called `n`, and its columns.
    ///
    /// Spark takes `b.v0` for a part of a column `b` of that table, so its columns have other names there.
    pub(super) fn negated(self, id: RelationId) -> (String, Vec<String>) {
        let (table, columns) = (self.table(id), columns(self.dialect, &self.program[id]));
        if self.dialect != Dialect::Spark {
            return (format!("{table} AS n"), columns);
        }
        let renamed: Vec<String> = (0..columns.len()).map(|at| format!("n{at}")).collect();
        (format!("{table} AS n({})", renamed.join(", ")), renamed)
    }

    /// The table of the facts that each round of a recursion found.
    pub(super) fn found(self, id: RelationId) -> String {
        self.own(&format!("__{}", id.0))
    }

    /// The column at a place of a relation.
    pub(super) fn column(self, id: RelationId, at: usize) -> String {
        columns(self.dialect, &self.program[id])
            .into_iter()
            .nth(at)
            .or_broken("an atom has as many arguments as its relation has columns")
    }

    /// The statements that name the tables of relations after them.
    pub(super) fn publish(self, ids: impl Iterator<Item = RelationId>) -> String {
        let named = ids.filter(|id| is_identifier(self.program[*id].name.as_str()));
        let rename = |id: RelationId| {
            let name = self.own(self.program[id].name.as_str());
            format!("ALTER TABLE {} RENAME TO {name};\n", self.table(id))
        };
        named.map(rename).collect()
    }
}

/// The columns of a relation as identifiers; of one without columns a single one, which is true.
pub(super) fn columns(dialect: Dialect, relation: &Relation) -> Vec<String> {
    if relation.columns.is_empty() {
        return vec![dialect.identifier("_")];
    }
    let made = !is_identifier(relation.name.as_str());
    let all = relation.columns.iter().enumerate();
    let name = |(at, column): (usize, &Column)| match made {
        true => dialect.identifier(&format!("c{at}")),
        false => dialect.identifier(column.name.as_str()),
    };
    all.map(name).collect()
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
