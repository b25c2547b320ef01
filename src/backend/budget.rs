//! What an evaluation has spent of its limits.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::ir::{Program, RuleId};
use crate::schema::RelationId;

use super::{Bound, LimitReached, Limits};

/// How many cheap steps lie between two looks at the clock.
const STEPS_PER_LOOK: u32 = 4096;

/// How much a thread spends before it says so.
const PENDING: u64 = 1024;

/// The limits of one evaluation and what is spent of them.
#[derive(Debug)]
pub(super) struct Budget {
    limits: Limits,
    spent: u64,
    steps: u32,
    deadline: Option<Instant>,
    /// What several threads spend together, and how much of it this one has still to say.
    pool: Option<(Arc<AtomicU64>, u64)>,
}

impl Budget {
    /// Nothing spent; wall time counts from now.
    pub(super) fn new(limits: &Limits) -> Self {
        let deadline = limits.time.and_then(|time| Instant::now().checked_add(time));
        Self { limits: *limits, spent: 0, steps: 0, deadline, pool: None }
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
        Self {
            limits: self.limits,
            spent: 0,
            steps: 0,
            deadline: self.deadline,
            pool: Some((Arc::clone(pool), 0)),
        }
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
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// Takes in a step of a join; looks at the clock now and then.
    #[inline]
    pub(super) fn step(&mut self) -> Result<(), Bound> {
        self.steps = self.steps.saturating_add(1);
        if self.steps >= STEPS_PER_LOOK { self.look() } else { Ok(()) }
    }

    /// Takes in many steps at once.
    #[inline]
    pub(super) fn steps(&mut self, count: u64) -> Result<(), Bound> {
        self.steps = self.steps.saturating_add(u32::try_from(count).unwrap_or(u32::MAX));
        if self.steps >= STEPS_PER_LOOK { self.look() } else { Ok(()) }
    }

    /// Looks at the clock.
    #[cold]
    pub(super) fn look(&mut self) -> Result<(), Bound> {
        self.steps = 0;
        match (self.deadline, self.limits.time) {
            (Some(deadline), Some(time)) if Instant::now() >= deadline => Err(Bound::Time(time)),
            _ => Ok(()),
        }
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
