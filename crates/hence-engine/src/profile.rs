//! What an evaluation did, rule by rule.

use std::time::{Duration, Instant};

use hence_core::fault::OrBroken;
use hence_core::index_vec::Id;
use hence_lang::ir::{Program, RuleId};

/// The work of one rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleProfile {
    /// The rule.
    pub rule: RuleId,
    /// How many matches of its body were found.
    pub matches: u64,
    /// How many new facts they gave.
    pub derived: u64,
    /// How many rounds it took part in.
    pub rounds: u64,
    /// The wall time of all that.
    pub time: Duration,
}

/// The work of all rules, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// By [`RuleId`].
    pub rules: Vec<RuleProfile>,
    timed: bool,
}

impl Profile {
    /// Nothing done yet; times are only taken if `timed`.
    pub(crate) fn new(program: &Program, timed: bool) -> Self {
        let idle =
            |at| RuleProfile { rule: RuleId(at), matches: 0, derived: 0, rounds: 0, time: Duration::ZERO };
        Self { rules: (0..program.rules.len() as u32).map(idle).collect(), timed }
    }

    /// The time at which a rule begins its work.
    pub(crate) fn start(&self) -> Option<Instant> {
        self.timed.then(Instant::now)
    }

    /// Takes in the work of a rule in one round.
    pub(crate) fn add(&mut self, rule: RuleId, start: Option<Instant>, matches: u64, derived: u64) {
        let profile = self.rules.get_mut(rule.at()).or_broken(RuleId::INVARIANT);
        profile.matches += matches;
        profile.derived += derived;
        profile.rounds += 1;
        if let Some(start) = start {
            profile.time += start.elapsed();
        }
    }
}
