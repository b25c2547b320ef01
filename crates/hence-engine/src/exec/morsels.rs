//! The outermost loop of a plan in morsels, for threads to take one after the other.

use crate::exec::cursor::{LoopCursor, outermost};
use crate::plan::steps::{Plan, PlanStep};
use crate::storage::stable::Stable;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use hence_core::fault::OrBroken;
use hence_core::index_vec::IndexSlice;
use hence_core::schema::RelationId;
use hence_lang::ir::{Literal, Rule};

/// How many morsels each thread may expect.
pub(super) const PER_THREAD: usize = 16;

/// An invariant of [`Morsels::take`].
const IN_ENTRIES: &str = "a morsel is a part of the entries of its loop";

/// What is left of a plan's outermost loop.
pub(crate) struct Morsels<'a> {
    all: LoopCursor<'a>,
    len: usize,
    next: AtomicUsize,
    is_paused: AtomicBool,
    /// Whether the plan looks for members of the relation that it adds to.
    pub(crate) probes_head: bool,
}

impl<'a> Morsels<'a> {
    /// The morsels of a plan; none if threads can't share it.
    pub(crate) fn new(
        plan: &'a Plan,
        rule: &Rule,
        stable: IndexSlice<'a, RelationId, Stable>,
    ) -> Option<Self> {
        // After a match that isn't followed by another nobody has to look on, and rows without words can't be sent.
        if plan.after_match.is_none() || plan.head.is_empty() {
            return None;
        }
        let all = outermost(plan, stable)?;
        let len = match all {
            LoopCursor::Rows(from, to) => (to - from) as usize,
            LoopCursor::Numbers(entries) | LoopCursor::Words(entries) => entries.len(),
        };
        let (next, is_paused) = (AtomicUsize::new(0), AtomicBool::new(false));
        Some(Self { all, len, next, is_paused, probes_head: probes_head(plan, rule) })
    }

    /// How many rows, or keys, nobody has taken yet.
    pub(crate) fn left(&self) -> usize {
        self.len.saturating_sub(self.next.load(Ordering::Relaxed))
    }

    /// The next `count` of them; none while threads pause.
    pub(crate) fn take(&self, count: usize) -> Option<LoopCursor<'a>> {
        if self.is_paused.load(Ordering::Relaxed) {
            return None;
        }
        let from = self.next.fetch_add(count, Ordering::Relaxed);
        let to = from.saturating_add(count).min(self.len);
        if from >= to {
            return None;
        }
        Some(match self.all {
            LoopCursor::Rows(first, _) => LoopCursor::Rows(first + from as u32, first + to as u32),
            LoopCursor::Numbers(entries) => LoopCursor::Numbers(entries.get(from..to).or_broken(IN_ENTRIES)),
            LoopCursor::Words(entries) => LoopCursor::Words(entries.get(from..to).or_broken(IN_ENTRIES)),
        })
    }

    /// Whether threads take no more for now.
    pub(crate) fn pause(&self, is_paused: bool) {
        self.is_paused.store(is_paused, Ordering::Relaxed);
    }

    /// Nobody has to take any more.
    pub(crate) fn stop(&self) {
        self.next.store(self.len, Ordering::Relaxed);
    }
}

/// Whether the plan looks for members of the relation that it adds to: no thread may add while others look.
fn probes_head(plan: &Plan, rule: &Rule) -> bool {
    let looks = |step: &PlanStep| step.probes().any(|relation| relation == rule.head);
    let of_head = |literal: &Literal| match literal {
        Literal::Atom(atom) | Literal::Not(atom) => atom.relation == rule.head,
        _ => false,
    };
    plan.steps.iter().any(looks) || plan.remaining().map(|at| rule.literal(at)).any(of_head)
}
