//! What became of a change.

use std::collections::BTreeMap;

use hence_core::fact::Fact;
use hence_core::symbol::Symbol;
use hence_ledger::{Changes, Committed, Decision, EffectRound, Lapsed};
use hence_proof::proof::FactPattern;

use super::drawn::{self, DecisionId};

/// What became of a change.
#[derive(Clone, Debug, Default)]
pub struct CommitOutcome {
    /// Which facts came and went.
    pub changes: Changes,
    /// What effects did, step by step.
    pub steps: Vec<EffectRound>,
    /// Decisions that did not stand before, ascending, with their reasons.
    pub drawn: Vec<Decision>,
    /// Decisions that stood before and don't any more, ascending, with why, where that isn't that they follow no
    /// longer.
    pub lapsed: Vec<Lapsed>,
    /// All decisions that stand now, ascending, with the reasons for which they were drawn; only where
    /// [`CommitRequest::list`](super::CommitRequest::list) asks for them.
    pub standing: Vec<Decision>,
    /// How many facts of each decision stand now, with those that were drawn before and are undetermined now.
    pub stands: BTreeMap<Symbol, usize>,
    /// How many of them are undetermined now.
    pub kept_open: usize,
    /// Decisions that follow possibly and not certainly, ascending: none of them was drawn or lapsed.
    pub undetermined: Vec<FactPattern>,
    /// Undefined operations, a line each.
    pub reports: Vec<String>,
    /// The transaction, where something was recorded.
    pub committed: Option<Committed>,
}

impl CommitOutcome {
    /// How many decisions stand now.
    pub fn standing_count(&self) -> usize {
        self.stands.values().sum()
    }

    /// Whether rules changed nothing: no effect, no decision.
    pub(super) fn is_quiet(&self) -> bool {
        self.steps.is_empty() && self.drawn.is_empty() && self.lapsed.is_empty()
    }

    /// The id of a decision that was drawn now; `None` where nothing was recorded.
    pub fn id(&self, drawn: &Fact) -> Option<DecisionId> {
        let tx = self.committed.as_ref()?.tx;
        drawn::place(&self.drawn, drawn).map(|place| DecisionId { tx, place })
    }
}
