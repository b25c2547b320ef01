//! What would be decided otherwise: other facts, parameters, rules or another clock, tried on a copy.

use std::collections::{BTreeMap, BTreeSet};

use hence_core::fact::Fact;
use hence_core::schema::RelationId;
use hence_core::symbol::Symbol;
use hence_core::value::{Value, Word};
use hence_engine::{Database, Rows};
use hence_lang::ir::Program;
use hence_ledger::EffectRound;
use hence_proof::WhyError;
use hence_proof::difference::{
    Changed, ComparedRelations, RelationDifference, Side, Turn, difference, each_change,
};

use super::brought::{self, Brought};
use super::error::SessionError;
use super::evaluation::{self, Evaluation};
use super::fitting::under;
use super::lapse::DrawnBy;
use super::{RuleSet, Session, Store};

/// What is supposed.
#[derive(Clone, Debug, Default)]
pub struct Hypothesis {
    /// Facts that stand as well.
    pub assertions: Vec<Fact>,
    /// Facts that don't stand.
    pub retractions: Vec<Fact>,
    /// Parameters with other values.
    pub sets: Vec<(Symbol, Value)>,
    /// Other rules.
    pub rules: Option<RuleSet>,
    /// Another clock.
    pub now: Option<i64>,
}

/// What came of a hypothesis beside the changes.
#[derive(Clone, Debug, Default)]
pub struct SupposedOutcome {
    /// The steps that effects would make.
    pub steps: Vec<EffectRound>,
    /// How many rows of what is compared would be undetermined.
    pub undetermined: usize,
    /// Assertions that stand already.
    pub present: usize,
    /// Retractions that don't stand.
    pub missing: usize,
}

impl Session {
    /// The difference that a hypothesis makes at `now`: to the decisions in force, once there are any, and to what follows
    /// of other relations. Nothing is recorded. Of each relation the first `reasons` changes are explained.
    ///
    /// # Errors
    /// A parameter that there isn't, and all that can go wrong in an evaluation.
    pub fn what_if(
        &self,
        hypothesis: &Hypothesis,
        now: i64,
        scope: &ComparedRelations,
        reasons: usize,
    ) -> Result<Vec<RelationDifference>, SessionError> {
        let mut look = |before: Side<'_, '_>, after: Side<'_, '_>| difference(before, after, scope, reasons);
        self.entry(|| self.suppose(hypothesis, now, &mut look)).map(|(found, _)| found)
    }

    /// Hands the changes that [`Session::what_if`] tells to `each`, one after the other and explained as they come,
    /// until it answers `false`; gives what else would come of it.
    ///
    /// # Errors
    /// As [`Session::what_if`].
    pub fn what_if_each(
        &self,
        hypothesis: &Hypothesis,
        now: i64,
        (scope, reasons): (&ComparedRelations, usize),
        each: &mut dyn FnMut(Turn, Changed) -> bool,
    ) -> Result<SupposedOutcome, SessionError> {
        let mut look =
            |before: Side<'_, '_>, after: Side<'_, '_>| each_change(before, after, scope, reasons, each);
        let (undetermined, outcome) = self.entry(|| self.suppose(hypothesis, now, &mut look))?;
        Ok(SupposedOutcome { undetermined, ..outcome })
    }

    /// What somebody who looks at both sides finds.
    fn suppose<T>(
        &self,
        hypothesis: &Hypothesis,
        now: i64,
        look: &mut dyn FnMut(Side<'_, '_>, Side<'_, '_>) -> Result<T, WhyError>,
    ) -> Result<(T, SupposedOutcome), SessionError> {
        let rules = hypothesis.rules.as_ref().unwrap_or(&self.rules);
        let rules = rules.with_sets(&hypothesis.sets).map_err(SessionError::Faults)?;
        let before = self.evaluate(now)?;
        let (after, outcome) = self.supposed(hypothesis, &rules, hypothesis.now.unwrap_or(now))?;
        let in_force = self.decided()?;
        let old = self.reasons(&before);
        let new = after.finder((&rules.program, &rules.sources), &self.store);
        let old = Side::new(&old).undetermined(&before.undetermined).in_force(in_force.as_ref());
        let new = Side::new(&new).undetermined(&after.undetermined);
        Ok((look(old, new)?, outcome))
    }

    /// The decisions in force; nothing where none was ever decided on.
    fn decided(&self) -> Result<Option<BTreeSet<Fact>>, SessionError> {
        let decided = match &self.store {
            Store::Ledger(ledger) => ledger.last_where(|info| DrawnBy::of(info).is_some())?.is_some(),
            Store::Memory(_) => self.clock.is_some(),
        };
        let facts = || Ok(self.decisions_before()?.into_iter().map(|decision| decision.fact).collect());
        decided.then(facts).transpose()
    }

    fn supposed(
        &self,
        hypothesis: &Hypothesis,
        rules: &RuleSet,
        now: i64,
    ) -> Result<(Evaluation, SupposedOutcome), SessionError> {
        brought::check(&self.rules, &hypothesis.assertions, Brought::Inputs)?;
        brought::apart(&hypothesis.assertions, &hypothesis.retractions)?;
        let program = &rules.program;
        let mut input = self.standing_in(rules)?;
        let other = |facts: &[Fact]| under(program, &self.rules.program, facts);
        let (assertions, retractions) = (other(&hypothesis.assertions)?, other(&hypothesis.retractions)?);
        let present = held(program, &input, &assertions);
        let missing = retractions.len().saturating_sub(held(program, &input, &retractions));
        for fact in &assertions {
            evaluation::add_standing(program, &mut input, fact)?;
        }
        let mut input = without(program, input, &retractions);
        evaluation::add_now(program, &mut input, now);
        let (evaluation, steps) = self.supposed_effects(rules, input, now)?;
        Ok((evaluation, SupposedOutcome { steps, present, missing, ..SupposedOutcome::default() }))
    }
}

/// How many of the facts `input` holds; its rows are gone through once, however many facts are asked for.
fn held(program: &Program, input: &Database, facts: &[Fact]) -> usize {
    let mut asked: BTreeMap<RelationId, BTreeMap<Vec<Word>, usize>> = BTreeMap::new();
    for fact in facts {
        if let Some(relation) = program.find(fact.relation) {
            let row = fact.values.iter().map(|value| value.word()).collect();
            *asked.entry(relation).or_default().entry(row).or_default() += 1;
        }
    }
    let rows = |(relation, mut asked): (RelationId, BTreeMap<Vec<Word>, usize>)| {
        let rows = input.rows(relation).into_iter().flat_map(Rows::iter);
        rows.filter_map(|row| asked.remove(row)).sum::<usize>()
    };
    asked.into_iter().map(rows).sum()
}

/// The rows of `input` that are none of the facts `removed`.
pub(super) fn without(program: &Program, input: Database, removed: &[Fact]) -> Database {
    if removed.is_empty() {
        return input;
    }
    let mut gone: BTreeMap<RelationId, BTreeSet<Vec<Word>>> = BTreeMap::new();
    for fact in removed {
        if let Some(relation) = program.find(fact.relation) {
            gone.entry(relation).or_default().insert(fact.values.iter().map(|value| value.word()).collect());
        }
    }
    let mut left = input;
    for (relation, gone) in gone {
        if let Some(rows) = left.relations.get_mut(relation.0 as usize) {
            let mut kept = Rows::new(rows.arity());
            rows.iter().filter(|row| !gone.contains(*row)).for_each(|row| kept.push(row));
            *rows = kept;
        }
    }
    left
}
