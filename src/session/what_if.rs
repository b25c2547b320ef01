//! What would be decided otherwise: other facts, parameters, rules or another clock, tried on a copy.

use crate::backend::Database;
use crate::fact::Fact;
use crate::provenance::Finder;
use crate::provenance::difference::{RelationDifference, Scope, difference};
use crate::schema::RelationId;
use crate::symbol::Symbol;
use crate::value::{Value, Word};

use super::error::SessionError;
use super::evaluation::{self, Evaluation};
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
        scope: &Scope,
        reasons: usize,
    ) -> Result<Vec<RelationDifference>, SessionError> {
        self.entry(|| self.difference(hypothesis, now, scope, reasons))
    }

    fn difference(
        &self,
        hypothesis: &Hypothesis,
        now: i64,
        scope: &Scope,
        reasons: usize,
    ) -> Result<Vec<RelationDifference>, SessionError> {
        let rules = hypothesis.rules.as_ref().unwrap_or(&self.rules);
        let rules = rules.with_sets(&hypothesis.sets).map_err(SessionError::Faults)?;
        let before = self.evaluate(now)?;
        let after = self.supposed(hypothesis, &rules, hypothesis.now.unwrap_or(now))?;
        let before = self.reasons(&before);
        let after = Finder::new(&rules.program, &after.model, &rules.sources, &self.store);
        Ok(difference(&before, &after, scope, reasons))
    }

    fn supposed(
        &self,
        hypothesis: &Hypothesis,
        rules: &RuleSet,
        now: i64,
    ) -> Result<Evaluation, SessionError> {
        let program = &rules.program;
        let mut input = self.standing_in(rules)?;
        let other = |facts: &[Fact]| under(program, &self.rules.program, facts);
        for fact in &other(&hypothesis.assertions)? {
            evaluation::add_standing(program, &mut input, fact)?;
        }
        let mut input = without(program, &input, &other(&hypothesis.retractions)?);
        evaluation::add_now(program, &mut input, now);
        evaluation::evaluate(rules, input, self.engine.as_ref(), &self.limits, self.lenient)
    }
}

/// The rows of `input` that are none of the facts `removed`.
pub(super) fn without(program: &crate::ir::Program, input: &Database, removed: &[Fact]) -> Database {
    let gone: std::collections::BTreeSet<(RelationId, Vec<Word>)> = removed
        .iter()
        .filter_map(|fact| {
            Some((program.find(fact.relation)?, fact.values.iter().map(|value| value.word()).collect()))
        })
        .collect();
    let mut left = Database::new(program);
    for (at, rows) in input.relations.iter().enumerate() {
        let relation = RelationId(at as u32);
        for row in rows.iter().filter(|row| !gone.contains(&(relation, row.to_vec()))) {
            left.push(relation, row);
        }
    }
    left
}
