//! The rules of a migration, checked over relations as they were recorded and as they are declared.

use std::fmt::Write as _;

use hence_core::schema::{Column, Kind, Personal, Relation, RelationId};
use hence_core::span::{Sources as Texts, Span};
use hence_core::symbol::Symbol;
use hence_lang::analysis::personal::Carriers;
use hence_syntax as syntax;
use hence_syntax::tree::{self, Item};

use super::super::error::SessionError;
use super::super::loader::Loaded;
use super::super::ruleset::{RuleSet, check};
use super::super::{Faults, codes::BAD_IMPORT};
use super::Sources;
use hence_core::diagnostic::Diagnostic;

/// What a relation as it was recorded is called by.
pub(super) const OLD: &str = "old.";

/// How messages call the declarations that the ledger and the rules give.
const RECORDED: &str = "<recorded columns>";

/// The rule set of a migration.
///
/// # Errors
/// Its faults.
pub(super) fn migrating(sources: &Sources<'_>, name: &str, text: &str) -> Result<RuleSet, SessionError> {
    let mut texts = Texts::default();
    let id = texts.add(name, text);
    let (file, mut diagnostics) = syntax::parse(id, text);
    for import in file.items.iter().filter_map(as_import) {
        let fault = Diagnostic::new(BAD_IMPORT, "a migration can't import").at(import, "");
        diagnostics.push(fault.help("write its rules in one file"));
    }
    let heads = || file.items.iter().filter_map(as_rule).map(|rule| rule.head.name);
    let mut declarations = String::new();
    for (relation, old) in &sources.old {
        declare(&mut declarations, "input", *relation, (&old.recorded.columns, &old.personal));
    }
    let recorded = sources.old.len();
    for relation in sources.rules.program.relations.iter().filter(|known| known.kind == Kind::Input) {
        let keyword = if heads().any(|head| head == relation.name) { "relation" } else { "input" };
        // What rules read must be there; what can't be read is told of later.
        if relation.name.as_str() != "now" {
            let personal = if keyword == "input" { relation.personal.as_slice() } else { &[] };
            declare(&mut declarations, keyword, relation.name, (&bare(relation, keyword), personal));
        }
    }
    let known = texts.add(RECORDED, declarations.as_str());
    let (mut declared, found) = syntax::parse(known, &declarations);
    diagnostics.extend(found);
    for item in declared.items.iter_mut().take(recorded) {
        if let Item::Relation(decl) = item {
            decl.name.name = Symbol::new(&format!("{OLD}{}", decl.name.name));
        }
    }
    let findings = check(Loaded { sources: texts, files: vec![declared, file], diagnostics }, &[]);
    let mut faults = findings.faults;
    faults.diagnostics.retain(Diagnostic::is_error);
    findings.rules.map(|rules| *rules).ok_or_else(|| SessionError::Faults(Box::new(Faults { ..faults })))
}

/// The columns of a relation that is declared with `keyword`.
fn bare(relation: &Relation, keyword: &str) -> Vec<Column> {
    let default = |column: &Column| column.default.filter(|_| keyword == "input");
    relation.columns.iter().map(|column| Column { default: default(column), ..column.clone() }).collect()
}

fn declare(out: &mut String, keyword: &str, relation: Symbol, (columns, personal): (&[Column], &[Personal])) {
    let column = |(at, column): (usize, &Column)| {
        let ty = match &column.ty.set {
            Some(set) => set.members.iter().map(|member| member.as_str()).collect::<Vec<_>>().join(" | "),
            None => column.ty.ty.to_string(),
        };
        let subject = personal.iter().find(|one| one.column == at).and_then(|one| columns.get(one.subject));
        let subject = subject.map(|subject| format!(" @personal({})", subject.name)).unwrap_or_default();
        let default = column.default.map(|value| format!(" = {value}")).unwrap_or_default();
        format!("{}: {ty}{default}{subject}", column.name)
    };
    let columns: Vec<String> = columns.iter().enumerate().map(column).collect();
    let _ = writeln!(out, "{keyword} {relation}({}).", columns.join(", "));
}

/// Refuses a migration that would record personal values as they are, or take a column for personal that was recorded as
/// it is.
pub(super) fn check_personal(
    migrating: &RuleSet,
    declared: &Relation,
    recorded: Option<(&[Column], &[Personal])>,
) -> Result<(), String> {
    let is_personal = |at: usize| declared.personal.iter().any(|one| one.column == at);
    let name = |at: usize| declared.columns.get(at).map(|column| column.name);
    let carriers = Carriers::of(&migrating.checked);
    let relations = (0u32..).map(RelationId).zip(&migrating.checked.relations);
    for (id, _) in relations.filter(|(_, relation)| relation.name == declared.name) {
        let mut plain = (0..declared.columns.len()).filter(|at| !is_personal(*at));
        if let Some(at) = plain.find(|at| carriers.origin(id, *at).is_some()) {
            let column = name(at).map_or("", |name| name.as_str());
            return Err(format!(
                "the migration would record personal values as they are in `{}.{column}`: declare the column \
                `@personal`, or leave them out",
                declared.name
            ));
        }
    }
    let Some((columns, personal)) = recorded.filter(|(_, personal)| !personal.is_empty()) else {
        return Ok(());
    };
    if declared.personal.is_empty() {
        return Err(format!(
            "the recorded facts of `{}` have personal values, which stay under their keys: a column of it has to be \
            `@personal` still, or name another relation",
            declared.name
        ));
    }
    let was_plain = |column: &Symbol| {
        let found = columns.iter().position(|known| known.name == *column);
        found.is_some_and(|at| personal.iter().all(|one| one.column != at))
    };
    match declared.personal.iter().filter_map(|one| name(one.column)).find(was_plain) {
        Some(column) => Err(format!(
            "`{}.{column}` was recorded as it is, and what is recorded stays: name another column",
            declared.name
        )),
        None => Ok(()),
    }
}

fn as_rule(item: &Item) -> Option<&tree::Rule> {
    match item {
        Item::Rule(rule) => Some(rule),
        _ => None,
    }
}

fn as_import(item: &Item) -> Option<Span> {
    match item {
        Item::Import(import) => Some(import.span),
        _ => None,
    }
}

/// The inputs of `rules` that a migration derives.
pub(super) fn written<'r>(migrating: &'r RuleSet, rules: &'r RuleSet) -> impl Iterator<Item = Symbol> + 'r {
    let program = &migrating.program;
    let heads =
        program.rules.iter().map(|rule| rule.head).chain(program.facts.iter().map(|fact| fact.relation));
    let names = heads.map(|head| program[head].name);
    names.filter(|name| {
        let known = rules.program.find(*name).and_then(|id| rules.program.relation(id));
        known.is_some_and(|known| known.kind == Kind::Input)
    })
}
