//! Effects: what `then` rules do to inputs when facts of theirs begin to hold, step by step within a transaction.
//!
//! An effect *begins* where a fact of its rule's own relation holds that did not when decisions were drawn last. All
//! that begin at once are one step. What the step changes may let others begin, which are the next one, until none
//! does. A step never undoes what an earlier one of its transaction did.

mod chain;
mod commit;
mod held;
mod history;
mod rounds;
mod supposed;

use std::collections::BTreeMap;

use hence_core::fact::Fact;
use hence_core::fault::OrBroken;
use hence_core::meter;
use hence_core::value::Value;
use hence_lang::analysis::checked::{Checked, Effect};
use hence_ledger::{Changes, Decision, EffectRound, StepChange};
use hence_proof::Finder;

use super::RuleSet;
use super::commit::REASONS;
use super::error::SessionError;
use super::why::decision;
pub(super) use commit::Effected;
use held::Turn;
pub(super) use held::{Extents, Held, HeldAt, SameRules};
pub(super) use history::decides;
pub(super) use rounds::{Again, Rounds};

/// How many steps a transaction may have.
const MOST_STEPS: usize = 100;

/// Whether a rule set has effects.
pub(super) fn has_effects(checked: &Checked) -> bool {
    !checked.effects.is_empty()
}

/// What the effects that begin do, with their rules and sentences.
fn begun(
    rules: &RuleSet,
    finder: &Finder<'_>,
    turns: Vec<Turn>,
    now: i64,
) -> Result<Vec<(Fact, bool, Decision)>, SessionError> {
    let begun = |Turn { effect, fact, .. }| {
        meter::check(REASONS)?;
        let effect = rules.checked.effects.get(effect).or_broken("what begins is an effect of the rules");
        let target = target(&rules.checked, effect, &fact, now);
        Ok((target, !effect.retracts, decision(finder, fact)?))
    };
    turns.into_iter().filter(|turn| turn.began).map(begun).collect()
}

/// The input's fact that a fact of an effect's own relation asserts or retracts at the instant `now`.
fn target(checked: &Checked, effect: &Effect, own: &Fact, now: i64) -> Fact {
    let value = |column: &Option<usize>| match column {
        Some(at) => *own.values.get(*at).or_broken("a fact has a value for each column of its relation"),
        None => Value::Time(now),
    };
    Fact { relation: checked[effect.input].name, values: effect.columns.iter().map(value).collect() }
}

/// The steps of a transaction so far.
#[derive(Default)]
pub(super) struct Steps {
    done: Vec<EffectRound>,
    /// What they did, with the number of the step.
    touched: BTreeMap<Fact, (usize, StepChange)>,
}

impl Steps {
    /// Whether a fact stands after the steps, where they say so.
    pub(super) fn stands(&self, fact: &Fact) -> Option<bool> {
        self.touched.get(fact).map(|(_, change)| change.asserted)
    }

    /// The steps themselves.
    pub(super) fn into_done(self) -> Vec<EffectRound> {
        self.done
    }

    /// The steps so far.
    pub(super) fn done(&self) -> &[EffectRound] {
        &self.done
    }

    /// Takes the step in that these effects make, each with its rule and sentence; `stands` says whether a fact stands
    /// before it, where no step says so. What a step doesn't change is no part of it; an empty one is none.
    ///
    /// # Errors
    /// A change that undoes one of these steps; more steps than there may be.
    pub(super) fn take(
        &mut self,
        begun: Vec<(Fact, bool, Decision)>,
        stands: &dyn Fn(&Fact) -> Result<bool, SessionError>,
    ) -> Result<Option<&EffectRound>, SessionError> {
        let number = self.done.len() + 1;
        let mut step: BTreeMap<Fact, StepChange> = BTreeMap::new();
        for (fact, asserted, Decision { rule, sentence, .. }) in begun {
            let rule = rule.or_broken("an effect begins by its rule");
            let change = StepChange { fact: fact.clone(), asserted, rule, sentence };
            if let Some((at, done)) = self.touched.get(&fact).filter(|(_, done)| done.asserted != asserted) {
                return Err(chain::undone(&self.done, (*at, done), (number, &change)));
            }
            if let Some(done) = step.get(&fact).filter(|done| done.asserted != asserted) {
                return Err(chain::undone(&self.done, (number, done), (number, &change)));
            }
            let is = match self.stands(&fact) {
                Some(is) => is,
                None => stands(&fact)?,
            };
            if is != asserted {
                step.entry(fact).or_insert(change);
            }
        }
        if step.is_empty() {
            return Ok(None);
        }
        if number > MOST_STEPS {
            return Err(chain::endless(&self.done, MOST_STEPS));
        }
        for (fact, change) in &step {
            self.touched.insert(fact.clone(), (number, change.clone()));
        }
        self.done.push(EffectRound { changes: step.into_values().collect() });
        Ok(self.done.last())
    }

    /// What a transaction changes in all that changes `own` itself.
    pub(super) fn net(&self, own: &Changes) -> Changes {
        let has = |list: &[Fact], fact: &Fact| list.binary_search(fact).is_ok();
        let kept = |list: &[Fact]| -> Vec<Fact> {
            list.iter().filter(|fact| !self.touched.contains_key(*fact)).cloned().collect()
        };
        let mut net = Changes {
            added: kept(&own.added),
            removed: kept(&own.removed),
            present: kept(&own.present),
            missing: kept(&own.missing),
        };
        for (fact, (_, change)) in &self.touched {
            // What the transaction asserts and an effect consumes never stood, and the other way round.
            match change.asserted {
                true if !has(&own.removed, fact) => net.added.push(fact.clone()),
                false if !has(&own.added, fact) => net.removed.push(fact.clone()),
                _ => {}
            }
        }
        net.added.sort_unstable();
        net.removed.sort_unstable();
        net
    }
}
