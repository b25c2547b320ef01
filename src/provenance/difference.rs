//! The difference of two models, fact by fact, each with why it holds on one side and why not on the other.

use std::collections::{BTreeSet, HashSet};

use crate::fact::Fact;
use crate::ir::Program;
use crate::schema::{Kind, RelationId};
use crate::symbol::Symbol;
use crate::value::{Value, Word};

use super::Finder;
use super::render::{why_line, why_not_line};

/// Which relations are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All decisions.
    Decisions,
    /// These relations.
    Relations(Vec<Symbol>),
}

/// A fact that holds on one side only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// The fact.
    pub fact: Fact,
    /// Why it held before, or why it did not, in one line.
    pub before: Option<String>,
    /// The same for afterwards.
    pub after: Option<String>,
}

/// What changed in one relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelationDifference {
    /// The relation.
    pub relation: Symbol,
    /// Facts that hold afterwards only (decisions: drawn), sorted.
    pub drawn: Vec<Changed>,
    /// Facts that held before only (decisions: lapsed), sorted.
    pub lapsed: Vec<Changed>,
}

/// Compares two models, which may belong to different rules. Relations come in the order of their names, those that
/// are the same on both sides are left out. Only the first `reasons` changes of each list are explained.
pub fn difference(
    before: &Finder<'_>,
    after: &Finder<'_>,
    scope: &Scope,
    reasons: usize,
) -> Vec<RelationDifference> {
    let names: BTreeSet<Symbol> = match scope {
        Scope::Decisions => {
            decisions(before.context.program).chain(decisions(after.context.program)).collect()
        }
        Scope::Relations(names) => names.iter().copied().collect(),
    };
    let compared = names.into_iter().map(|relation| {
        let explain = |facts: Vec<Fact>| -> Vec<Changed> {
            let facts = facts.into_iter().enumerate();
            facts.map(|(at, fact)| changed(before, after, fact, at < reasons)).collect()
        };
        RelationDifference {
            relation,
            drawn: explain(only(after, before, relation)),
            lapsed: explain(only(before, after, relation)),
        }
    });
    compared.filter(|found| !found.drawn.is_empty() || !found.lapsed.is_empty()).collect()
}

fn decisions(program: &Program) -> impl Iterator<Item = Symbol> {
    program.relations.iter().filter(|relation| relation.kind == Kind::Decision).map(|relation| relation.name)
}

fn changed(before: &Finder<'_>, after: &Finder<'_>, fact: Fact, explain: bool) -> Changed {
    let side = |finder: &Finder<'_>| explain.then(|| finder.reason(&fact));
    let (before, after) = (side(before), side(after));
    Changed { fact, before, after }
}

/// The facts of a relation that the one side has and the other has not, sorted.
fn only(one: &Finder<'_>, other: &Finder<'_>, relation: Symbol) -> Vec<Fact> {
    let Some(id) = one.context.program.find(relation) else { return Vec::new() };
    let Some(extent) = one.context.store.extent(id) else { return Vec::new() };
    let known = other.context.program.find(relation).filter(|found| same_types(one, id, other, *found));
    let rows = known.and_then(|found| other.context.store.extent(found)).map(|extent| &extent.rows);
    let rows: HashSet<&[Word]> = rows.into_iter().flat_map(|rows| rows.iter()).collect();
    let mut facts: Vec<Fact> = extent
        .rows
        .iter()
        .filter(|row| !rows.contains(row))
        .map(|row| Fact::new(relation, one.context.values(id, row)))
        .collect();
    facts.sort();
    facts
}

fn same_types(one: &Finder<'_>, id: RelationId, other: &Finder<'_>, found: RelationId) -> bool {
    one.context.types(id) == other.context.types(found)
}

impl Finder<'_> {
    /// Why a fact holds, or why it doesn't, in one line.
    pub fn reason(&self, fact: &Fact) -> String {
        let program = self.context.program;
        if let Ok(Some(proof)) = self.why(fact) {
            return why_line(program, &proof);
        }
        let pattern: Vec<Option<Value>> = fact.values.iter().copied().map(Some).collect();
        match program.find(fact.relation) {
            Some(id) if self.context.types(id).len() == pattern.len() => {
                why_not_line(program, &self.why_not(id, &pattern))
            }
            _ => format!("there is no relation `{}`", fact.relation),
        }
    }
}
