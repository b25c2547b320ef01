//! Effects of what is supposed: evaluated on a copy of the facts, which nothing is recorded of.

use hence_core::fact::Fact;
use hence_core::meter;
use hence_engine::Database;
use hence_ledger::EffectRound;

use super::history::Then;
use super::{Steps, begun, has_effects};
use crate::error::SessionError;
use crate::evaluation::{self, Evaluation};
use crate::{RuleSet, Session};

impl Session {
    /// What follows by `rules` from `input`, which holds the clock `now`, once the effects that it begins have taken
    /// place, and their steps.
    pub(crate) fn supposed_effects(
        &self,
        rules: &RuleSet,
        mut input: Database,
        now: i64,
    ) -> Result<(Evaluation, Vec<EffectRound>), SessionError> {
        let evaluate = |input: &Database| {
            evaluation::evaluate(rules, input.clone(), self.engine.as_ref(), &self.limits, self.lenient)
        };
        let mut evaluation = evaluate(&input)?;
        if !has_effects(&rules.checked) {
            return Ok((evaluation, Vec::new()));
        }
        let mut held = self.held_now(now)?;
        if rules.recorded().hash() != self.rules.recorded().hash() {
            held = held.under_others(&self.rules.checked);
        }
        let mut steps = Steps::default();
        loop {
            meter::check("taking effects")?;
            let turns = held.turn(&rules.checked, &Then::new(rules, &evaluation));
            let finder = evaluation.finder((&rules.program, &rules.sources), &self.store);
            let begun = begun(rules, &finder, turns, now)?;
            let stands = |fact: &Fact| Ok(evaluation::holds(&rules.program, &input, fact));
            let Some(step) = steps.take(begun, &stands)?.cloned() else { break };
            for change in &step.changes {
                evaluation::set(&rules.program, &mut input, &change.fact, change.asserted);
            }
            evaluation = evaluate(&input)?;
        }
        Ok((evaluation, steps.into_done()))
    }
}
