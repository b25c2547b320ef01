//! What a session keeps between commits, so that one more costs what it changes and not what stands.

use std::collections::{BTreeMap, BTreeSet};

use hence_core::fact::Fact;
use hence_core::meter;
use hence_core::schema::{Kind, RelationId};
use hence_core::symbol::Symbol;
use hence_engine::Undefined;
use hence_ledger::{Changes, Decision, Lapsed};

use super::Session;
use super::commit::REASONS;
use super::error::SessionError;
use super::evaluation::{self, Evaluation};
use super::lapse::DecisionRelations;
use super::lent::Others;
use super::maintained::{Edits, Maintained, Turned};
use super::outcome::CommitOutcome;
use super::why::decision;

/// Everything that follows from the facts of a session after a transaction.
pub(super) struct MaintainedAt {
    pub(super) incremental: Maintained,
    /// The last transaction of the ledger.
    pub(super) tx: u64,
    /// What others recorded since the last commit of this session.
    pub(super) others: Option<Others>,
}

/// How far a session is on the way to keep what follows: one commit alone doesn't pay for it.
#[derive(Default)]
pub(super) enum IncrementalState {
    /// Nothing was committed yet.
    #[default]
    New,
    /// Something was; the next commit keeps what follows from it.
    Once,
    /// What follows is kept.
    Maintained(Box<MaintainedAt>),
}

impl Session {
    /// What follows once `changes` are in, beside the decisions that stand. What is kept for the next commit is put
    /// back by the caller once everything is recorded.
    pub(super) fn advance(
        &mut self,
        changes: &Changes,
        now: i64,
    ) -> Result<(CommitOutcome, IncrementalState), SessionError> {
        match std::mem::take(&mut self.incremental) {
            IncrementalState::Maintained(mut kept) if kept.tx == self.last_tx() => {
                let incremental = &mut kept.incremental;
                let mut edits = Edits::default();
                for (facts, stands) in [(&changes.removed, false), (&changes.added, true)] {
                    facts.iter().for_each(|fact| incremental.edit(&self.rules, &mut edits, fact, stands));
                }
                let turned = incremental.advance(&self.rules, edits, now, self.lenient)?;
                let turned = self.beside_others(&mut kept, turned)?;
                let outcome = self.differences(&kept.incremental, turned)?;
                Ok((outcome, IncrementalState::Maintained(kept)))
            }
            IncrementalState::New => {
                let evaluation = self.evaluate_with(changes, now)?;
                Ok((self.compare(&evaluation)?, IncrementalState::Once))
            }
            IncrementalState::Once | IncrementalState::Maintained(_) => {
                let input = self.input_with(changes, now)?;
                let mut incremental = Maintained::new(&self.rules, &input, now, &self.limits, self.lenient)?;
                let evaluation = incremental.evaluation();
                incremental.expect_reasons(&self.rules);
                let kept = MaintainedAt { incremental, tx: 0, others: None };
                Ok((self.compare(&evaluation)?, IncrementalState::Maintained(Box::new(kept))))
            }
        }
    }

    /// The earliest instant, in microseconds since the epoch, at which time alone may change what follows; `None` where it
    /// never does. It may be too early and change nothing, never too late: a commit at any instant before it draws
    /// nothing and lets nothing lapse. Rules that may change at every instant, such as one whose head holds the clock,
    /// count for nothing here, and an engine that keeps nothing knows of none.
    ///
    /// The clock that this goes on from is that of the last commit, of the session or of its ledger. Where what follows
    /// is not kept, as before the second commit, everything is evaluated for the answer.
    ///
    /// # Errors
    /// A limit that was reached and a ledger that can't be read.
    pub fn next_change(&self) -> Result<Option<i64>, SessionError> {
        if let IncrementalState::Maintained(kept) = &self.incremental
            && kept.tx == self.last_tx()
        {
            return Ok(kept.incremental.next_change());
        }
        let Some(now) = self.clock()?.filter(|_| self.engine.is_incremental()) else { return Ok(None) };
        let input = self.input_with(&Changes::default(), now)?;
        Ok(Maintained::new(&self.rules, &input, now, &self.limits, self.lenient)?.next_change())
    }

    /// What the clock showed at the last commit: of this session, else of its ledger.
    ///
    /// # Errors
    /// A ledger that can't be read.
    pub fn clock(&self) -> Result<Option<i64>, SessionError> {
        let recorded = match (self.clock, self.ledger()) {
            (None, Some(ledger)) => {
                ledger.last_where(|info| info.clock.is_some())?.and_then(|info| info.clock)
            }
            (clock, _) => clock,
        };
        Ok(recorded)
    }

    /// The number of the ledger's last transaction; 0 for none.
    pub fn last_tx(&self) -> u64 {
        self.ledger().map_or(0, hence_ledger::Ledger::last_tx)
    }

    /// The decisions that the last change drew and let lapse.
    pub(super) fn differences(
        &self,
        kept: &Maintained,
        turned: Turned,
    ) -> Result<CommitOutcome, SessionError> {
        let undefined: Vec<Undefined> = kept.undefined().cloned().collect();
        self.cross_check(&undefined, &|id, visit| kept.lenient_rows(id).for_each(|row| visit(&row)))?;
        let Turned { mut drawn, lapsed, settled } = turned;
        let mut lapsed = self.lapses(lapsed);
        if !settled.is_empty() {
            self.compare_settled(kept, &settled, &mut drawn, &mut lapsed)?;
        }
        drawn.sort_unstable();
        lapsed.sort_unstable();
        Ok(CommitOutcome {
            lapsed,
            stands: kept.decision_counts(),
            undetermined: evaluation::undetermined_decisions(&self.rules.program, kept.undetermined()),
            reports: super::ask::undefined_operations(
                &self.rules.program,
                &self.rules.sources,
                kept.undefined(),
            ),
            drawn: self.explained(kept, drawn)?,
            ..CommitOutcome::default()
        })
    }

    fn lapses(&self, facts: Vec<Fact>) -> Vec<Lapsed> {
        if facts.is_empty() {
            return Vec::new();
        }
        let decisions = DecisionRelations::new(&self.rules.program);
        facts.into_iter().map(|fact| decisions.lapsed(fact)).collect()
    }

    /// The difference of some decisions to what is recorded.
    fn compare_settled(
        &self,
        kept: &Maintained,
        settled: &BTreeSet<RelationId>,
        drawn: &mut Vec<Fact>,
        lapsed: &mut Vec<Lapsed>,
    ) -> Result<(), SessionError> {
        let program = &self.rules.program;
        let names: BTreeSet<Symbol> = settled.iter().map(|id| program[*id].name).collect();
        let before = self.decisions_before()?.into_iter().map(|decision| decision.fact);
        let mut before: BTreeSet<Fact> = before.filter(|fact| names.contains(&fact.relation)).collect();
        for id in settled {
            drawn.extend(kept.facts(program, *id).filter(|fact| !before.remove(fact)));
        }
        before.retain(|fact| !evaluation::is_undetermined(program, kept.undetermined(), fact));
        let decisions = DecisionRelations::new(program);
        lapsed.extend(before.into_iter().map(|fact| decisions.lapsed(fact)));
        Ok(())
    }

    /// Facts as decisions, with their reasons.
    fn explained(&self, kept: &Maintained, facts: Vec<Fact>) -> Result<Vec<Decision>, SessionError> {
        if facts.is_empty() {
            return Ok(Vec::new());
        }
        let finder = kept.finder(&self.rules);
        let explained = |fact: Fact| {
            meter::check(REASONS)?;
            decision(&finder, fact)
        };
        let decisions = facts.into_iter().map(explained).collect();
        kept.put_back(finder);
        decisions
    }

    /// How many facts each decision has.
    pub(super) fn decision_counts(&self, len: impl Fn(RelationId) -> usize) -> BTreeMap<Symbol, usize> {
        let relations = (0u32..).map(RelationId).zip(&self.rules.program.relations);
        let decided = relations.filter(|(_, relation)| relation.kind == Kind::Decision);
        decided.map(|(id, relation)| (relation.name, len(id))).filter(|(_, count)| *count > 0).collect()
    }

    /// The same, keeping what follows from its first commit on.
    #[must_use]
    pub fn keeping(mut self) -> Self {
        self.incremental = IncrementalState::Once;
        self
    }

    /// Everything that follows since the last commit, as it is kept; `None` where nothing is.
    pub fn kept(&self) -> Option<Evaluation> {
        match &self.incremental {
            IncrementalState::Maintained(kept) => Some(kept.incremental.evaluation()),
            IncrementalState::New | IncrementalState::Once => None,
        }
    }

    /// What was kept at transaction `before` is what follows now: only something without facts was recorded since.
    pub(super) fn keeps_since(&mut self, before: u64) {
        let last = self.last_tx();
        if let IncrementalState::Maintained(kept) = &mut self.incremental
            && kept.tx == before
        {
            kept.tx = last;
        }
    }

    /// Keeps what follows for the next commit, now that everything is recorded.
    pub(super) fn remember(&mut self, mut state: IncrementalState) {
        if let IncrementalState::Maintained(kept) = &mut state {
            kept.tx = self.last_tx();
        }
        self.incremental = state;
    }
}
