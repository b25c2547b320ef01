//! What would be decided otherwise: other facts, parameters, rules or another clock, tried on a copy.

use std::collections::{BTreeMap, BTreeSet};

use hence_core::fact::Fact;
use hence_core::schema::RelationId;
use hence_core::symbol::Symbol;
use hence_core::value::{Value, Word};
use hence_engine::{Database, Rows};
use hence_lang::ir::Program;
use hence_ledger::EffectRound;
use hence_proof::difference::{
    Changed, ComparedRelations, RelationDifference, Turn, difference, each_change,
};
use hence_proof::{Finder, WhyError};

use super::error::SessionError;
use super::evaluation::{self, Evaluation};
use super::facts::{self, Brought};
use super::fitting::under;
use super::{RuleSet, Session};

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

impl Session {
    /// The difference that a hypothesis makes to what follows at `now`. Nothing is recorded. Of each relation the
    /// first `reasons` changes are explained.
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
        let mut look = |before: &Finder<'_>, after: &Finder<'_>| difference(before, after, scope, reasons);
        self.entry(|| self.suppose(hypothesis, now, &mut look)).map(|(found, _)| found)
    }

    /// Hands the changes that [`Session::what_if`] tells to `each`, one after the other and explained as they come,
    /// until it answers `false`; gives the steps that effects would make.
    ///
    /// # Errors
    /// As [`Session::what_if`].
    pub fn what_if_each(
        &self,
        hypothesis: &Hypothesis,
        now: i64,
        (scope, reasons): (&ComparedRelations, usize),
        each: &mut dyn FnMut(Turn, Changed) -> bool,
    ) -> Result<Vec<EffectRound>, SessionError> {
        let mut look =
            |before: &Finder<'_>, after: &Finder<'_>| each_change(before, after, scope, reasons, each);
        self.entry(|| self.suppose(hypothesis, now, &mut look)).map(|((), steps)| steps)
    }

    /// What somebody who looks at both sides finds.
    fn suppose<T>(
        &self,
        hypothesis: &Hypothesis,
        now: i64,
        look: &mut dyn FnMut(&Finder<'_>, &Finder<'_>) -> Result<T, WhyError>,
    ) -> Result<(T, Vec<EffectRound>), SessionError> {
        let rules = hypothesis.rules.as_ref().unwrap_or(&self.rules);
        let rules = rules.with_sets(&hypothesis.sets).map_err(SessionError::Faults)?;
        let before = self.evaluate(now)?;
        let (after, steps) = self.supposed(hypothesis, &rules, hypothesis.now.unwrap_or(now))?;
        let before = self.reasons(&before);
        let after = after.finder((&rules.program, &rules.sources), &self.store);
        Ok((look(&before, &after)?, steps))
    }

    fn supposed(
        &self,
        hypothesis: &Hypothesis,
        rules: &RuleSet,
        now: i64,
    ) -> Result<(Evaluation, Vec<EffectRound>), SessionError> {
        facts::check(&self.rules, &hypothesis.assertions, Brought::Inputs)?;
        facts::apart(&hypothesis.assertions, &hypothesis.retractions)?;
        let program = &rules.program;
        let mut input = self.standing_in(rules)?;
        let other = |facts: &[Fact]| under(program, &self.rules.program, facts);
        for fact in &other(&hypothesis.assertions)? {
            evaluation::add_standing(program, &mut input, fact)?;
        }
        let mut input = without(program, input, &other(&hypothesis.retractions)?);
        evaluation::add_now(program, &mut input, now);
        self.supposed_effects(rules, input, now)
    }
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
