//! What an evaluation has spent of its limits.

use hence_core::meter::Bound;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hence_core::meter::Meter;
use hence_core::schema::RelationId;
use hence_lang::ir::{Program, RuleId};

/// What bounds an evaluation.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Facts that may be derived, and elements that may be generated, together.
    pub facts: u64,
    /// Rounds of one recursion.
    pub iterations: u64,
    /// Wall time.
    pub time: Option<Duration>,
    /// Bytes of the relations and their indexes; what else a process takes is watched by [`hence_core::meter`].
    pub memory: Option<u64>,
    /// Threads.
    pub threads: Threads,
}

/// On how many threads an engine may work. What it derives doesn't depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threads {
    /// The most threads; 0 counts as 1, and more than [`Threads::MOST`] as so many.
    pub most: usize,
    /// How long a rule is at work before others help.
    pub after: Duration,
}

impl Threads {
    /// No more than the one that asks.
    pub const ONE: Self = Self { most: 1, after: Duration::from_micros(200) };

    /// More than these never work on one rule.
    pub const MOST: usize = 64;

    /// As many as the machine has processors for.
    pub fn available() -> Self {
        Self::of(std::thread::available_parallelism().map_or(1, usize::from))
    }

    /// Up to `most`.
    pub fn of(most: usize) -> Self {
        Self { most, ..Self::ONE }
    }
}

impl Default for Threads {
    fn default() -> Self {
        Self::ONE
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            facts: 50_000_000,
            iterations: 10_000_000,
            time: None,
            memory: None,
            threads: Threads::default(),
        }
    }
}

/// An evaluation that stopped at a limit; nothing of it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitReached {
    /// The limit.
    pub bound: Bound,
    /// The rule that was at work.
    pub rule: RuleId,
    /// The relation that it derives.
    pub relation: RelationId,
}

/// How much a thread spends before it says so.
const PENDING: u64 = 1024;

/// The limits of one evaluation and what is spent of them.
#[derive(Debug)]
pub(crate) struct Budget {
    limits: Limits,
    spent: u64,
    meter: Meter,
    /// What several threads spend together, and how much of it this one has still to say.
    pool: Option<(Arc<AtomicU64>, u64)>,
}

impl Budget {
    /// Nothing spent; wall time counts from now.
    pub(crate) fn new(limits: &Limits) -> Self {
        Self { limits: *limits, spent: 0, meter: Meter::new(limits.time), pool: None }
    }

    /// Takes in `count` derived facts or generated elements.
    #[inline]
    pub(crate) fn spend(&mut self, count: u64) -> Result<(), Bound> {
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
    pub(crate) fn pool(&self) -> Arc<AtomicU64> {
        Arc::new(AtomicU64::new(self.spent))
    }

    /// The budget of one of several threads, which has to [`Budget::settle`] in the end.
    pub(crate) fn of_thread(&self, pool: &Arc<AtomicU64>) -> Self {
        Self { limits: self.limits, spent: 0, meter: self.meter, pool: Some((Arc::clone(pool), 0)) }
    }

    /// Says what this thread has spent.
    pub(crate) fn settle(&mut self) -> Result<(), Bound> {
        if let Some((pool, pending)) = &mut self.pool {
            let count = std::mem::take(pending);
            self.spent = pool.fetch_add(count, Ordering::Relaxed).saturating_add(count);
        }
        self.check()
    }

    /// Takes in what all threads have spent.
    pub(crate) fn take_pool(&mut self, pool: &AtomicU64) -> Result<(), Bound> {
        self.spent = pool.load(Ordering::Relaxed);
        self.check()
    }

    /// How many facts and elements are spent.
    pub(crate) fn spent(&self) -> u64 {
        self.spent
    }

    /// How much time is left, where it is limited.
    pub(crate) fn left(&self) -> Option<Duration> {
        self.meter.left()
    }

    /// Takes in a step of a join; looks at the clock now and then.
    #[inline]
    pub(crate) fn step(&mut self) -> Result<(), Bound> {
        self.meter.step()
    }

    /// Takes in many steps at once.
    #[inline]
    pub(crate) fn steps(&mut self, count: u64) -> Result<(), Bound> {
        self.meter.steps(count)
    }

    /// Looks at the clock, and at what the process may take.
    pub(crate) fn look(&self) -> Result<(), Bound> {
        self.meter.look()
    }

    /// Begins round `round` of a recursion, counted from 1.
    pub(crate) fn round(&self, round: u64) -> Result<(), Bound> {
        let limit = self.limits.iterations;
        if round > limit { Err(Bound::Iterations(limit)) } else { Ok(()) }
    }

    /// Whether memory is limited at all, and so worth measuring.
    pub(crate) fn weighs(&self) -> bool {
        self.limits.memory.is_some()
    }

    /// Compares the size of the relations and their indexes with the limit.
    pub(crate) fn memory(&self, bytes: usize) -> Result<(), Bound> {
        match self.limits.memory {
            Some(limit) if bytes as u64 > limit => Err(Bound::Memory(limit)),
            _ => Ok(()),
        }
    }
}

impl LimitReached {
    /// A limit that a rule reached.
    pub(crate) fn at(bound: Bound, program: &Program, rule: RuleId) -> Self {
        let relation = program.rule(rule).map_or(RelationId(0), |rule| rule.head);
        Self { bound, rule, relation }
    }
}
