//! At which instant each condition of a rule changes for each match, the earliest first.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use hence_lang::builtins::clock::Until;

/// A condition, by its number, and the slot of a match of it.
pub(crate) type Timed = (u32, u32);

/// No instant.
const NEVER: i64 = i64::MAX;

/// More entries of the queue than this many for each that counts are too many.
const SPARE: usize = 2;
const FEW: usize = 1024;

/// The instants of all conditions.
#[derive(Debug)]
pub(crate) struct Timers {
    /// What was ever set and isn't past; only what [`Timers::instants`] has counts, and the first always does.
    queue: BinaryHeap<Reverse<(i64, Timed)>>,
    /// By condition, then by slot.
    instants: Vec<Vec<i64>>,
    /// What may change at every instant.
    restless: BTreeSet<Timed>,
    set: usize,
}

impl Timers {
    /// None for so many conditions.
    pub(crate) fn new(conditions: usize) -> Self {
        Self {
            queue: BinaryHeap::new(),
            instants: vec![Vec::new(); conditions],
            restless: BTreeSet::new(),
            set: 0,
        }
    }

    /// Sets the instant at which a match changes; it has none yet, or another one.
    pub(crate) fn set(&mut self, timed: Timed, until: Until) {
        self.cancel(timed);
        match until {
            Until::Forever | Until::Instant(NEVER) => {}
            Until::Unknown => {
                self.restless.insert(timed);
            }
            Until::Instant(at) => {
                let (condition, slot) = (timed.0 as usize, timed.1 as usize);
                let instants = &mut self.instants[condition];
                if instants.len() <= slot {
                    instants.resize(slot + 1, NEVER);
                }
                instants[slot] = at;
                self.set += 1;
                self.queue.push(Reverse((at, timed)));
            }
        }
        self.tidy();
    }

    /// Forgets a match.
    pub(crate) fn cancel(&mut self, timed: Timed) {
        self.restless.remove(&timed);
        if let Some(at) = self.instants[timed.0 as usize].get_mut(timed.1 as usize)
            && *at != NEVER
        {
            *at = NEVER;
            self.set -= 1;
        }
        self.tidy();
    }

    fn counts(&self, at: i64, timed: Timed) -> bool {
        self.instants[timed.0 as usize].get(timed.1 as usize) == Some(&at)
    }

    /// Drops what doesn't count from the head of the queue, and all of it where there is much.
    fn tidy(&mut self) {
        while let Some(Reverse((at, timed))) = self.queue.peek()
            && !self.counts(*at, *timed)
        {
            self.queue.pop();
        }
        if self.queue.len() > self.set * SPARE + FEW {
            let mut queue = std::mem::take(&mut self.queue).into_vec();
            queue.sort_unstable();
            queue.dedup();
            queue.retain(|Reverse((at, timed))| self.counts(*at, *timed));
            self.queue = queue.into();
        }
    }

    /// The earliest instant.
    #[inline]
    pub(crate) fn first(&self) -> Option<i64> {
        self.queue.peek().map(|Reverse((at, _))| *at)
    }

    /// Takes a match out that changes no later than `now`, the earliest first.
    pub(crate) fn pop(&mut self, now: i64) -> Option<Timed> {
        let Reverse((at, timed)) = *self.queue.peek()?;
        if at > now {
            return None;
        }
        self.cancel(timed);
        Some(timed)
    }

    /// The matches that may change at every instant.
    pub(crate) fn restless(&self) -> impl Iterator<Item = Timed> {
        self.restless.iter().copied()
    }

    /// Whether nothing changes up to `now`.
    #[inline]
    pub(crate) fn is_quiet(&self, now: i64) -> bool {
        self.restless.is_empty() && self.first().is_none_or(|first| first > now)
    }

    /// Bytes taken.
    pub(crate) fn bytes(&self) -> usize {
        self.queue.capacity() * size_of::<(i64, Timed)>()
            + self.instants.iter().map(|instants| instants.capacity() * 8).sum::<usize>()
    }
}
