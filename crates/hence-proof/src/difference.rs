//! The difference of two models, fact by fact, each with why it holds on one side and why not on the other.

use std::collections::{BTreeSet, HashSet};

use hence_core::fact::Fact;
use hence_core::fault::OrBroken;
use hence_core::schema::{Kind, RelationId};
use hence_core::symbol::Symbol;
use hence_core::value::{Value, Word};
use hence_lang::ir::Program;

use super::render::{why_line, why_not_line};
use super::{Explanation, Finder, WhyError};

/// Which relations are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ComparedRelations {
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

/// Which way a fact changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// It holds afterwards only (a decision: drawn).
    Drawn,
    /// It held before only (a decision: lapsed).
    Lapsed,
}

/// Compares two models, which may belong to different rules. Relations come in the order of their names, those that
/// are the same on both sides are left out. Only the first `reasons` changes of each list are explained.
///
/// # Errors
/// Where a model isn't one of its program.
pub fn difference(
    before: &Finder<'_>,
    after: &Finder<'_>,
    scope: &ComparedRelations,
    reasons: usize,
) -> Result<Vec<RelationDifference>, WhyError> {
    let mut all: Vec<RelationDifference> = Vec::new();
    each_change(before, after, scope, reasons, &mut |turn, changed| {
        let relation = changed.fact.relation;
        if all.last().is_none_or(|last| last.relation != relation) {
            all.push(RelationDifference { relation, drawn: Vec::new(), lapsed: Vec::new() });
        }
        if let Some(last) = all.last_mut() {
            match turn {
                Turn::Drawn => last.drawn.push(changed),
                Turn::Lapsed => last.lapsed.push(changed),
            }
        }
        true
    })?;
    Ok(all)
}

/// Hands the changes that [`difference`] tells to `each`, one after the other, until it answers `false`; a change is
/// explained only when it is its turn.
///
/// # Errors
/// As [`difference`], and a bound that a search for reasons reached.
pub fn each_change(
    before: &Finder<'_>,
    after: &Finder<'_>,
    scope: &ComparedRelations,
    reasons: usize,
    each: &mut dyn FnMut(Turn, Changed) -> bool,
) -> Result<(), WhyError> {
    let names: BTreeSet<Symbol> = match scope {
        ComparedRelations::Decisions => {
            decisions(before.context.program).chain(decisions(after.context.program)).collect()
        }
        ComparedRelations::Relations(names) => names.iter().copied().collect(),
    };
    for relation in names {
        let drawn = only(after, before, relation);
        let lapsed = only(before, after, relation);
        for (turn, facts) in [(Turn::Drawn, drawn), (Turn::Lapsed, lapsed)] {
            for (at, fact) in facts.into_iter().enumerate() {
                if !each(turn, changed(before, after, fact, at < reasons)?) {
                    return Ok(());
                }
            }
        }
    }
    Ok(())
}

fn decisions(program: &Program) -> impl Iterator<Item = Symbol> {
    program.relations.iter().filter(|relation| relation.kind == Kind::Decision).map(|relation| relation.name)
}

fn changed(before: &Finder<'_>, after: &Finder<'_>, fact: Fact, explain: bool) -> Result<Changed, WhyError> {
    let side =
        |finder: &Finder<'_>, other: &Finder<'_>| explain.then(|| finder.reason_to(&fact, other)).transpose();
    let (before, after) = (side(before, after)?, side(after, before)?);
    Ok(Changed { fact, before, after })
}

/// The facts of a relation that the one side has and the other has not, sorted.
fn only(one: &Finder<'_>, other: &Finder<'_>, relation: Symbol) -> Vec<Fact> {
    let Some(id) = one.context.program.find(relation) else { return Vec::new() };
    let extent = one.context.store.extent(id).or_broken("differences are those of two models");
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
    /// Why a fact holds, or why it doesn't though it holds by another model, in one line.
    fn reason_to(&self, fact: &Fact, other: &Finder<'_>) -> Result<String, WhyError> {
        match self.reason_beside(fact, other)? {
            Some(line) => Ok(line),
            None => self.reason(fact),
        }
    }

    /// Why a fact holds, or why it doesn't, in one line.
    ///
    /// # Errors
    /// As [`Finder::why`].
    pub fn reason(&self, fact: &Fact) -> Result<String, WhyError> {
        let program = self.lenient().context.program;
        if let Some(Explanation { sentence: Some(sentence), .. }) = self.explanation(fact)? {
            return Ok(sentence);
        }
        if let Some(proof) = self.why(fact)? {
            return Ok(why_line(program, &self.by_rules(proof)));
        }
        let pattern: Vec<Option<Value>> = fact.values.iter().copied().map(Some).collect();
        match program.find(fact.relation) {
            Some(id) if self.context.types(id).len() == pattern.len() => {
                let line = why_not_line(program, &self.why_not(id, &pattern));
                self.checked(line)
            }
            Some(_) => Ok(format!("`{}` has other columns", fact.relation)),
            None => Ok(format!("unknown relation `{}`", fact.relation)),
        }
    }
}
