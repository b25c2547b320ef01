//! What a run of `crepe!` programs notes on the side: matches against the limits, rules with operations without a
//! result. It belongs to the thread, because `crepe!` rules can carry nothing with them; a run begins and ends it.

use std::cell::{Cell, RefCell};
use std::time::Instant;

use hence_core::value::Word;

use super::eval::Eval;
use super::pack::Report;

/// How many matches lie between two looks at the clock.
const MATCHES_PER_LOOK: u64 = 4096;

/// What bounds a run.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Matches and generated elements, together: at least as many as facts are derived.
    pub matches: u64,
    /// When to stop.
    pub deadline: Option<Instant>,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { matches: 50_000_000, deadline: None }
    }
}

/// What a run noted.
#[derive(Debug, Default)]
pub(super) struct Noted {
    /// Rules in which an operation had no result in some part of a match, ascending.
    pub(super) failed: Vec<u32>,
    /// Groups for which an aggregate has no value.
    pub(super) reports: Vec<Report>,
    /// Whether the run was stopped at its bounds, so that its facts are not all.
    pub(super) stopped: bool,
}

struct Watch {
    left: Cell<u64>,
    deadline: Cell<Option<Instant>>,
    noted: RefCell<Noted>,
}

thread_local! {
    static WATCH: Watch = const {
        Watch {
            left: Cell::new(0),
            deadline: Cell::new(None),
            noted: RefCell::new(Noted { failed: Vec::new(), reports: Vec::new(), stopped: false }),
        }
    };
}

/// Begins a run on this thread.
pub(super) fn begin(bounds: &Bounds) {
    WATCH.with(|watch| {
        watch.left.set(bounds.matches);
        watch.deadline.set(bounds.deadline);
        watch.noted.replace(Noted::default());
    });
}

/// Ends the run of this thread.
pub(super) fn end() -> Noted {
    WATCH.with(|watch| {
        let mut noted = watch.noted.take();
        noted.failed.sort_unstable();
        noted
    })
}

/// Counts a match; `false` once the bounds are reached, so that nothing more is derived and the run comes to its
/// end.
#[inline]
pub fn go() -> bool {
    WATCH.with(|watch| {
        let left = watch.left.get();
        watch.left.set(left.saturating_sub(1));
        if left.is_multiple_of(MATCHES_PER_LOOK) { watch.look(left) } else { true }
    })
}

impl Watch {
    #[cold]
    fn look(&self, left: u64) -> bool {
        let late = self.deadline.get().is_some_and(|deadline| Instant::now() >= deadline);
        if late || left == 0 {
            self.left.set(0);
            self.noted.borrow_mut().stopped = true;
            return false;
        }
        true
    }
}

/// The value of an expression of a rule; where there is none, the rule is noted.
#[inline]
pub fn tried(rule: u32, value: Eval) -> Option<Word> {
    if value.is_err() {
        note(rule);
    }
    value.ok()
}

/// The truth of an expression of a rule; where there is none, the rule is noted.
#[inline]
pub fn held(rule: u32, value: Eval) -> Option<bool> {
    tried(rule, value).map(Word::as_bool)
}

#[cold]
fn note(rule: u32) {
    WATCH.with(|watch| {
        let failed = &mut watch.noted.borrow_mut().failed;
        if !failed.contains(&rule) {
            failed.push(rule);
        }
    });
}

/// Notes a group without a value.
pub(super) fn report(report: Report) {
    WATCH.with(|watch| watch.noted.borrow_mut().reports.push(report));
}
