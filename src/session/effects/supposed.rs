//! Effects of what is supposed: evaluated on a copy of the facts, which nothing is recorded of.

use std::collections::BTreeSet;

use hence_core::fact::Fact;
use hence_core::fault::OrBroken;
use hence_core::meter;
use hence_engine::Database;
use hence_ledger::Step;
use hence_proof::Finder;

use super::history::Then;
use super::{Steps, has_effects, target};
use crate::session::error::SessionError;
use crate::session::evaluation::{self, Evaluation};
use crate::session::why::decision;
use crate::session::{RuleSet, Session};

impl Session {
    /// What follows by `rules` from `input`, which holds the clock `now`, once the effects that it begins have taken
    /// place, and their steps.
    pub(in crate::session) fn supposed_effects(
        &self,
        rules: &RuleSet,
        mut input: Database,
        now: i64,
    ) -> Result<(Evaluation, Vec<Step>), SessionError> {
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
            let undetermined = match self.lenient {
                true => BTreeSet::new(),
                false => evaluation::undetermined_relations(&rules.program, &evaluation.model.undefined),
            };
            let turns = held.turn(&rules.checked, &Then { rules, evaluation: &evaluation, undetermined });
            let finder = Finder::new(&rules.program, &evaluation.model, &rules.sources, &self.store);
            let mut begun = Vec::new();
            for turn in turns.into_iter().filter(|turn| turn.began) {
                let effect = rules.checked.effects.get(turn.effect);
                let effect = effect.or_broken("what begins is an effect of the rules");
                let fact = target(&rules.checked, effect, &turn.fact, now);
                begun.push((fact, !effect.retracts, decision(&finder, turn.fact)?));
            }
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
