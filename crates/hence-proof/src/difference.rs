//! The difference of two models, fact by fact, each with why it holds on one side and why not on the other.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use hence_core::fact::Fact;
use hence_core::fault::OrBroken;
use hence_core::schema::{Kind, RelationId};
use hence_core::symbol::Symbol;
use hence_core::value::Word;
use hence_lang::ir::Program;

use super::proof::FactPattern;
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

/// A row that is told otherwise on the two sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// The row; what is unknown of it is left open.
    pub fact: FactPattern,
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
    /// Rows that are undetermined afterwards only, sorted.
    pub undetermined: Vec<Changed>,
    /// Rows that were undetermined before only, sorted.
    pub determined: Vec<Changed>,
}

/// Which way a row changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// It holds afterwards only (a decision: drawn).
    Drawn,
    /// It held before only (a decision: lapsed).
    Lapsed,
    /// It is undetermined afterwards only.
    Undetermined,
    /// It was undetermined before only.
    Determined,
}

impl Turn {
    /// Its name in machine formats.
    pub fn name(self) -> &'static str {
        match self {
            Self::Drawn => "drawn",
            Self::Lapsed => "lapsed",
            Self::Undetermined => "undetermined",
            Self::Determined => "determined",
        }
    }
}

/// One side of a comparison.
#[derive(Clone, Copy)]
pub struct Side<'s, 'a> {
    /// What follows certainly.
    finder: &'s Finder<'a>,
    /// What follows possibly and not certainly, ascending.
    undetermined: Option<&'s BTreeMap<RelationId, Vec<FactPattern>>>,
    /// The decisions in force, where it is they that are compared, and not those that follow.
    in_force: Option<&'s BTreeSet<Fact>>,
}

impl<'s, 'a> Side<'s, 'a> {
    /// What follows by a finder.
    pub fn new(finder: &'s Finder<'a>) -> Self {
        Self { finder, undetermined: None, in_force: None }
    }

    /// The same with what follows possibly and not certainly.
    #[must_use]
    pub fn undetermined(self, rows: &'s BTreeMap<RelationId, Vec<FactPattern>>) -> Self {
        Self { undetermined: Some(rows), ..self }
    }

    /// The same where the decisions are those in force.
    #[must_use]
    pub fn in_force(self, decisions: Option<&'s BTreeSet<Fact>>) -> Self {
        Self { in_force: decisions, ..self }
    }

    fn program(&self) -> &'a Program {
        self.finder.context.program
    }

    fn open(&self, relation: Symbol) -> &'s [FactPattern] {
        let id = self.program().find(relation);
        let rows = id.and_then(|id| self.undetermined?.get(&id));
        rows.map_or(&[], Vec::as_slice)
    }

    fn is_open(&self, fact: &Fact) -> bool {
        self.open(fact.relation).iter().any(|row| row.agrees(fact))
    }

    /// Whether a fact follows.
    fn follows(&self, fact: &Fact) -> bool {
        let id = self.program().find(fact.relation);
        let types = id.map(|id| self.finder.context.types(id).iter().copied());
        types.is_some_and(|types| types.eq(fact.values.iter().map(|value| value.ty())))
            && self.finder.holds(fact)
    }

    /// The decisions of a relation that are in force; none where what follows is compared.
    fn in_force_of(&self, relation: Symbol) -> Option<Vec<&'s Fact>> {
        let facts = self.in_force?;
        let first = Fact { relation, values: Vec::new() };
        let of = facts.range(first..).take_while(|fact| fact.relation == relation).collect::<Vec<_>>();
        let declared = decisions(self.program()).any(|decision| decision == relation);
        (declared || !of.is_empty()).then_some(of)
    }
}

/// Compares two sides, which may belong to different rules. Relations come in the order of their names, those that
/// are the same on both sides are left out. Only the first `reasons` changes of each list are explained.
///
/// # Errors
/// Where a model isn't one of its program.
pub fn difference(
    before: Side<'_, '_>,
    after: Side<'_, '_>,
    scope: &ComparedRelations,
    reasons: usize,
) -> Result<Vec<RelationDifference>, WhyError> {
    let mut all: Vec<RelationDifference> = Vec::new();
    each_change(before, after, scope, reasons, &mut |turn, changed| {
        let relation = changed.fact.relation;
        if all.last().is_none_or(|last| last.relation != relation) {
            let (drawn, lapsed) = (Vec::new(), Vec::new());
            let (undetermined, determined) = (Vec::new(), Vec::new());
            all.push(RelationDifference { relation, drawn, lapsed, undetermined, determined });
        }
        if let Some(last) = all.last_mut() {
            let list = match turn {
                Turn::Drawn => &mut last.drawn,
                Turn::Lapsed => &mut last.lapsed,
                Turn::Undetermined => &mut last.undetermined,
                Turn::Determined => &mut last.determined,
            };
            list.push(changed);
        }
        true
    })?;
    Ok(all)
}

/// Hands the changes that [`difference`] tells to `each`, one after the other, until it answers `false`; a change is
/// explained only when it is its turn. Gives how many rows are undetermined afterwards.
///
/// # Errors
/// As [`difference`], and a bound that a search for reasons reached.
pub fn each_change(
    before: Side<'_, '_>,
    after: Side<'_, '_>,
    scope: &ComparedRelations,
    reasons: usize,
    each: &mut dyn FnMut(Turn, Changed) -> bool,
) -> Result<usize, WhyError> {
    let names: BTreeSet<Symbol> = match scope {
        ComparedRelations::Decisions => {
            let in_force = before.in_force.into_iter().flatten().map(|fact| fact.relation);
            decisions(before.program()).chain(decisions(after.program())).chain(in_force).collect()
        }
        ComparedRelations::Relations(names) => names.iter().copied().collect(),
    };
    let open = names.iter().map(|relation| after.open(*relation).len()).sum();
    for relation in names {
        for (turn, rows) in turns(before, after, relation) {
            for (at, row) in rows.into_iter().enumerate() {
                if !each(turn, changed(before, after, row, at < reasons)?) {
                    return Ok(open);
                }
            }
        }
    }
    Ok(open)
}

fn decisions(program: &Program) -> impl Iterator<Item = Symbol> {
    program.relations.iter().filter(|relation| relation.kind == Kind::Decision).map(|relation| relation.name)
}

/// The rows of a relation that change, by the way in which they do. What may follow afterwards doesn't lapse.
fn turns(before: Side<'_, '_>, after: Side<'_, '_>, relation: Symbol) -> [(Turn, Vec<FactPattern>); 4] {
    let (drawn, mut lapsed) = match before.in_force_of(relation) {
        Some(in_force) => {
            let facts = facts_without(after.finder, relation, &HashSet::new());
            let drawn = facts.into_iter().filter(|fact| in_force.binary_search(&fact).is_err()).collect();
            let lapsed = in_force.into_iter().filter(|fact| !after.follows(fact)).cloned().collect();
            (drawn, lapsed)
        }
        None => (only(after.finder, before.finder, relation), only(before.finder, after.finder, relation)),
    };
    lapsed.retain(|fact| !after.is_open(fact));
    let (was_open, is_open) = (before.open(relation), after.open(relation));
    let open_only = |one: &[FactPattern], other: &[FactPattern]| -> Vec<FactPattern> {
        one.iter().filter(|row| !other.contains(row)).cloned().collect()
    };
    let patterns = |facts: Vec<Fact>| facts.into_iter().map(FactPattern::from).collect();
    [
        (Turn::Drawn, patterns(drawn)),
        (Turn::Lapsed, patterns(lapsed)),
        (Turn::Undetermined, open_only(is_open, was_open)),
        (Turn::Determined, open_only(was_open, is_open)),
    ]
}

fn changed(
    before: Side<'_, '_>,
    after: Side<'_, '_>,
    row: FactPattern,
    explain: bool,
) -> Result<Changed, WhyError> {
    let side =
        |one: Side<'_, '_>, other: Side<'_, '_>| explain.then(|| one.reason_to(&row, other)).transpose();
    let (before, after) = (side(before, after)?, side(after, before)?);
    Ok(Changed { fact: row, before, after })
}

/// The facts of a relation that the one side has and the other has not, sorted.
fn only(one: &Finder<'_>, other: &Finder<'_>, relation: Symbol) -> Vec<Fact> {
    let known = one.context.program.find(relation).and_then(|id| {
        other.context.program.find(relation).filter(|found| same_types(one, id, other, *found))
    });
    let rows = known.and_then(|found| other.context.store.extent(found)).map(|extent| &extent.rows);
    facts_without(one, relation, &rows.into_iter().flat_map(|rows| rows.iter()).collect())
}

/// The facts of a relation but for some rows, sorted.
fn facts_without(one: &Finder<'_>, relation: Symbol, rows: &HashSet<&[Word]>) -> Vec<Fact> {
    let Some(id) = one.context.program.find(relation) else { return Vec::new() };
    let extent = one.context.store.extent(id).or_broken("differences are those of two models");
    let left = extent.rows.iter().filter(|row| !rows.contains(row));
    let mut facts: Vec<Fact> = left.map(|row| Fact::new(relation, one.context.values(id, row))).collect();
    facts.sort();
    facts
}

fn same_types(one: &Finder<'_>, id: RelationId, other: &Finder<'_>, found: RelationId) -> bool {
    one.context.types(id) == other.context.types(found)
}

impl Side<'_, '_> {
    /// Why a row holds here, or why it doesn't, in one line; of a decision, why it is in force or not.
    fn reason_to(&self, row: &FactPattern, other: Side<'_, '_>) -> Result<String, WhyError> {
        let Some(fact) = row.fact() else { return self.finder.reason_of_row(row) };
        let reason = self.finder.reason_to(&fact, other.finder)?;
        let Some(in_force) = self.in_force_of(fact.relation) else { return Ok(reason) };
        Ok(match (in_force.binary_search(&&fact).is_ok(), self.follows(&fact)) {
            (true, false) if self.is_open(&fact) => format!("in force, and undetermined: {}", bare(&reason)),
            (true, false) => format!("in force, though it no longer follows: {reason}"),
            (false, true) => format!("not in force yet, though it follows: {reason}"),
            (true, true) | (false, false) => reason,
        })
    }
}

/// A reason without saying that something is undetermined.
fn bare(reason: &str) -> &str {
    reason.strip_prefix("undetermined: ").unwrap_or(reason)
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
        self.reason_of_row(&FactPattern::from(fact.clone()))
    }

    /// Why no fact fits a row, in one line.
    fn reason_of_row(&self, row: &FactPattern) -> Result<String, WhyError> {
        let program = self.lenient().context.program;
        match program.find(row.relation) {
            Some(id) if self.context.types(id).len() == row.args.len() => {
                let line = why_not_line(program, &self.why_not(id, &row.args));
                self.checked(line)
            }
            Some(_) => Ok(format!("`{}` has other columns", row.relation)),
            None => Ok(format!("unknown relation `{}`", row.relation)),
        }
    }
}
