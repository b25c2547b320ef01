//! What an evaluation has spent of its limits.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hence_core::meter::Meter;
use hence_core::schema::RelationId;
use hence_lang::ir::{Program, RuleId};

use super::{Bound, LimitReached, Limits};

/// How much a thread spends before it says so.
const PENDING: u64 = 1024;

/// The limits of one evaluation and what is spent of them.
#[derive(Debug)]
pub(super) struct Budget {
    limits: Limits,
    spent: u64,
    meter: Meter,
    /// What several threads spend together, and how much of it this one has still to say.
    pool: Option<(Arc<AtomicU64>, u64)>,
}

impl Budget {
    /// Nothing spent; wall time counts from now.
    pub(super) fn new(limits: &Limits) -> Self {
        Self { limits: *limits, spent: 0, meter: Meter::new(limits.time), pool: None }
    }

    /// Takes in `count` derived facts or generated elements.
    #[inline]
    pub(super) fn spend(&mut self, count: u64) -> Result<(), Bound> {
        if let Some((_, pending)) = &mut self.pool {
            *pending = pending.saturating_add(count);
            return if *pending < PENDING { Ok(()) } else { self.settle() };
        }
        self.spent = self.spent.saturating_add(count);
        self.check()
    }

    fn check(&self) -> Result<(), Bound> {
        if self.spent > self.limits.facts { Err(Bound::Facts(self.limits.facts)) } else { Ok(()) }
    }

    /// What is spent so far, for several threads to spend from together.
    pub(super) fn pool(&self) -> Arc<AtomicU64> {
        Arc::new(AtomicU64::new(self.spent))
    }

    /// The budget of one of several threads, which has to [`Budget::settle`] in the end.
    pub(super) fn of_thread(&self, pool: &Arc<AtomicU64>) -> Self {
        Self { limits: self.limits, spent: 0, meter: self.meter, pool: Some((Arc::clone(pool), 0)) }
    }

    /// Says what this thread has spent.
    pub(super) fn settle(&mut self) -> Result<(), Bound> {
        if let Some((pool, pending)) = &mut self.pool {
            let count = std::mem::take(pending);
            self.spent = pool.fetch_add(count, Ordering::Relaxed).saturating_add(count);
        }
        self.check()
    }

    /// Takes in what all threads have spent.
    pub(super) fn take_pool(&mut self, pool: &AtomicU64) -> Result<(), Bound> {
        self.spent = pool.load(Ordering::Relaxed);
        self.check()
    }

    /// How many facts and elements are spent.
    pub(super) fn spent(&self) -> u64 {
        self.spent
    }

    /// How much time is left, where it is limited.
    pub(super) fn left(&self) -> Option<Duration> {
        self.meter.left()
    }

    /// Takes in a step of a join; looks at the clock now and then.
    #[inline]
    pub(super) fn step(&mut self) -> Result<(), Bound> {
        self.meter.step()
    }

    /// Takes in many steps at once.
    #[inline]
    pub(super) fn steps(&mut self, count: u64) -> Result<(), Bound> {
        self.meter.steps(count)
    }

    /// Looks at the clock, and at what the process may take.
    pub(super) fn look(&self) -> Result<(), Bound> {
        self.meter.look()
    }

    /// Begins round `round` of a recursion, counted from 1.
    pub(super) fn round(&self, round: u64) -> Result<(), Bound> {
        let limit = self.limits.iterations;
        if round > limit { Err(Bound::Iterations(limit)) } else { Ok(()) }
    }

    /// Whether memory is limited at all, and so worth measuring.
    pub(super) fn weighs(&self) -> bool {
        self.limits.memory.is_some()
    }

    /// Compares the size of the relations and their indexes with the limit.
    pub(super) fn memory(&self, bytes: usize) -> Result<(), Bound> {
        match self.limits.memory {
            Some(limit) if bytes as u64 > limit => Err(Bound::Memory(limit)),
            _ => Ok(()),
        }
    }
}

impl Bound {
    /// This limit, reached by a rule.
    pub(super) fn by(self, program: &Program, rule: RuleId) -> LimitReached {
        let relation = program.rule(rule).map_or(RelationId(0), |rule| rule.head);
        LimitReached { bound: self, rule, relation }
    }
}
