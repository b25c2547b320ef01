//! Limits: how they are called, and who looks at them while work grows: a piece of work at its own time limit, everybody
//! at what the whole process may take.

mod watch;

use std::cell::Cell;
use std::fmt;
use std::time::{Duration, Instant};

pub use watch::{Recording, Stop, Watch, answering, at_most, enter, recorded, recording, room, watch};

/// How many cheap steps lie between two looks.
const STEPS_PER_LOOK: u32 = 4096;
/// One mebibyte.
const MIB: u64 = 1 << 20;

/// Which limit was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Facts that may be derived, and elements that may be generated, together.
    Facts(u64),
    /// Rounds of one recursion.
    Iterations(u64),
    /// Wall time.
    Time(Duration),
    /// Bytes.
    Memory(u64),
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Facts(limit) => write!(f, "the limit of {limit} derived facts"),
            Self::Iterations(limit) => write!(f, "the limit of {limit} iterations of one recursion"),
            Self::Time(limit) => write!(f, "the time limit of {limit:?}"),
            Self::Memory(limit) if limit % MIB == 0 => write!(f, "the memory limit of {} MiB", limit / MIB),
            Self::Memory(limit) => write!(f, "the memory limit of {limit} bytes"),
        }
    }
}

/// Work that ended at a limit; nothing of it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{bound} was reached while {doing}; nothing was recorded")]
pub struct Stopped {
    /// The limit.
    pub bound: Bound,
    /// What was being done, such as `reading facts`.
    pub doing: &'static str,
}

/// Looks at what the whole process may take, which costs no more than reading a word of memory.
///
/// # Errors
/// The limit that is reached.
#[inline]
pub fn look() -> Result<(), Bound> {
    watch::reached().map_or(Ok(()), Err)
}

/// As [`look`], for work that has a name.
///
/// # Errors
/// The limit that is reached, and `doing`.
#[inline]
pub fn check(doing: &'static str) -> Result<(), Stopped> {
    look().map_err(|bound| Stopped { bound, doing })
}

thread_local! {
    /// When whoever waits for the work of this thread goes.
    static UNTIL: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Has each time limit end at `until` that begins on this thread during `work`: several pieces of work in a row, each within
/// its limit, are of no use once nobody waits any more. What has no time limit gets none.
pub fn until<T>(until: Instant, work: impl FnOnce() -> T) -> T {
    /// Puts back what was there before, also where the work panics.
    struct Before(Option<Instant>);
    impl Drop for Before {
        fn drop(&mut self) {
            UNTIL.set(self.0);
        }
    }
    let _before = Before(UNTIL.replace(Some(until)));
    work()
}

/// A piece of work that may go on for long, with a time limit of its own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Meter {
    /// When it has to end, and the limit that says so.
    deadline: Option<(Instant, Duration)>,
    steps: u32,
}

impl Meter {
    /// The time counts from now, and ends with that of [`until`].
    pub fn new(time: Option<Duration>) -> Self {
        let end = |time| {
            let own = Instant::now().checked_add(time)?;
            Some(UNTIL.get().map_or(own, |until| until.min(own)))
        };
        Self { deadline: time.and_then(|time| Some((end(time)?, time))), steps: 0 }
    }

    /// Takes in a cheap step; looks at the limits now and then.
    ///
    /// # Errors
    /// The limit that is reached.
    #[inline]
    pub fn step(&mut self) -> Result<(), Bound> {
        self.steps(1)
    }

    /// Takes in many cheap steps at once.
    ///
    /// # Errors
    /// As [`Meter::step`].
    #[inline]
    pub fn steps(&mut self, count: u64) -> Result<(), Bound> {
        self.steps = self.steps.saturating_add(u32::try_from(count).unwrap_or(u32::MAX));
        if self.steps < STEPS_PER_LOOK {
            return Ok(());
        }
        self.steps = 0;
        self.look()
    }

    /// Looks at the clock, and at what the process may take: for a step that isn't cheap.
    ///
    /// # Errors
    /// The limit that is reached.
    #[cold]
    pub fn look(&self) -> Result<(), Bound> {
        match self.deadline {
            Some((deadline, time)) if Instant::now() >= deadline => Err(Bound::Time(time)),
            _ => look(),
        }
    }

    /// As [`Meter::look`], for work that has a name.
    ///
    /// # Errors
    /// The limit that is reached, and `doing`.
    pub fn check(&self, doing: &'static str) -> Result<(), Stopped> {
        self.look().map_err(|bound| Stopped { bound, doing })
    }

    /// How much time is left, where it is limited.
    pub fn left(&self) -> Option<Duration> {
        self.deadline.map(|(deadline, _)| deadline.saturating_duration_since(Instant::now()))
    }
}
