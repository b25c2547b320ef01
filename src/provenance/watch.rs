//! What looking for proofs may cost: wall time and memory, watched over all questions to one finder.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use crate::backend::Bound;

use super::finder::WhyError;

/// How many moves lie between two looks at the clock.
const MOVES_PER_LOOK: u32 = 512;

/// Bounds of time and memory. Once one is reached, or something can't be read, every search ends early and what it
/// gives means nothing: [`Finder::checked`](super::Finder::checked) tells.
#[derive(Debug, Default)]
pub struct Watch {
    /// When the time is over, and how much there was.
    until: Option<(Instant, Duration)>,
    memory: Option<u64>,
    moves: Cell<u32>,
    bytes: Cell<u64>,
    ended: Cell<bool>,
    why: RefCell<Option<WhyError>>,
}

impl Watch {
    /// A watch that ends searches at an instant (with the time that there was until then) and beyond `memory` bytes.
    pub fn new(until: Option<(Instant, Duration)>, memory: Option<u64>) -> Self {
        Self { until, memory, ..Self::default() }
    }

    /// Whether searches end early.
    pub(super) fn ended(&self) -> bool {
        self.ended.get()
    }

    /// Why searches end early.
    pub(super) fn why(&self) -> Option<WhyError> {
        self.why.borrow().clone()
    }

    /// Ends all searches; the first reason is kept.
    pub(super) fn end(&self, why: WhyError) {
        self.ended.set(true);
        self.why.borrow_mut().get_or_insert(why);
    }

    /// Begins a question: what the one before took is free again.
    pub(super) fn fresh(&self) {
        self.bytes.set(0);
    }

    /// Whether a search may make one more move; looks at the clock now and then.
    pub(super) fn step(&self) -> bool {
        if self.ended() {
            return false;
        }
        let moves = self.moves.get().saturating_add(1);
        if moves < MOVES_PER_LOOK {
            self.moves.set(moves);
            return true;
        }
        self.look()
    }

    /// Whether a search may go on; looks at the clock.
    pub(super) fn look(&self) -> bool {
        self.moves.set(0);
        if let Some((_, time)) = self.until.filter(|(until, _)| Instant::now() >= *until) {
            self.end(WhyError::Limit(Bound::Time(time)));
        }
        !self.ended()
    }

    /// Takes memory for what a search keeps; whether there was enough.
    pub(super) fn take(&self, bytes: usize) -> bool {
        self.bytes.set(self.bytes.get().saturating_add(bytes as u64));
        if let Some(limit) = self.memory.filter(|limit| self.bytes.get() > *limit) {
            self.end(WhyError::Limit(Bound::Memory(limit)));
        }
        !self.ended()
    }
}
