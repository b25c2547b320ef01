//! The watch over the process: a thread that measures its memory and looks at the clock, so that everything counts, also
//! what no engine accounts for.
//!
//! Work that looks ends by itself at the limit, with an error that says what it was doing. Work that doesn't is stopped
//! with the whole process, well above the limit on memory or after a grace period; never while a transaction is being
//! recorded.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use super::Bound;
use crate::{machine, threads};

/// Ends the process: which limit was reached, and during what.
pub type Stop = fn(Bound, &'static str);

/// Which limit is reached, or one of these.
static REACHED: AtomicU8 = AtomicU8::new(NOTHING);
const NOTHING: u8 = 0;
const MEMORY: u8 = 1;
const TIME: u8 = 2;

/// The limits, for the error: bytes and microseconds.
static MOST_BYTES: AtomicU64 = AtomicU64::new(0);
static MOST_MICROS: AtomicU64 = AtomicU64::new(0);
/// Whether an answer is being written: whoever reads it takes the time that it takes.
static ANSWERING: AtomicBool = AtomicBool::new(false);
/// How many transactions were recorded.
static RECORDED: AtomicU64 = AtomicU64::new(0);
/// What is being done.
static DOING: Mutex<&'static str> = Mutex::new("starting");
/// Held while a transaction is being recorded.
static RECORDING: Mutex<()> = Mutex::new(());

/// After the time limit, how long work has to end by itself.
const GRACE: Duration = Duration::from_secs(1);
/// The shortest and the longest time between two measurements.
const PAUSES: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(50));
/// Memory is not taken faster than that, in bytes a millisecond.
const FASTEST: u64 = 2 << 20;

/// A transaction that is being recorded: until this is dropped, the process is not stopped.
#[derive(Debug)]
pub struct Recording(#[expect(dead_code, reason = "held, never read")] MutexGuard<'static, ()>);

/// Says that a transaction is being recorded from now on. The time limit of a command ends with that: what is recorded
/// can't be taken back.
pub fn recording() -> Recording {
    let held = RECORDING.lock().unwrap_or_else(PoisonError::into_inner);
    RECORDED.fetch_add(1, Ordering::Relaxed);
    Recording(held)
}

/// How many transactions this process has recorded.
pub fn recorded() -> u64 {
    RECORDED.load(Ordering::Relaxed)
}

/// Says that an answer is being written from now on. Then nobody is stopped because of the time: work that goes on looks
/// at it by itself.
pub fn answering() {
    ANSWERING.store(true, Ordering::Relaxed);
    enter("writing the answer");
}

/// Says what is being done from now on, for the message of a limit.
pub fn enter(doing: &'static str) {
    *DOING.lock().unwrap_or_else(PoisonError::into_inner) = doing;
}

/// The limit that is reached.
#[inline]
pub(super) fn reached() -> Option<Bound> {
    match REACHED.load(Ordering::Relaxed) {
        NOTHING => None,
        what => bound(what),
    }
}

#[cold]
fn bound(what: u8) -> Option<Bound> {
    match what {
        MEMORY => Some(Bound::Memory(MOST_BYTES.load(Ordering::Relaxed))),
        TIME if recorded() == 0 => {
            Some(Bound::Time(Duration::from_micros(MOST_MICROS.load(Ordering::Relaxed))))
        }
        _ => None,
    }
}

/// What a process may take, and what becomes of it.
#[derive(Clone, Copy, Debug)]
pub struct Watch {
    /// Bytes. Where the system doesn't report how much memory a process has, it is not watched.
    pub memory: Option<u64>,
    /// Wall time, until something is recorded.
    pub time: Option<Duration>,
    /// Whether it goes on to record one transaction after the other. Any other one is not stopped once it has recorded
    /// something: all that is left is to say so.
    pub goes_on: bool,
    /// Ends the process.
    pub stop: Stop,
}

/// Watches this process from now on.
///
/// # Errors
/// There can be no thread for it.
pub fn watch(Watch { memory, time, goes_on, stop }: Watch) -> io::Result<()> {
    let memory = memory.filter(|_| resident().is_some());
    let deadline = time.and_then(|time| Instant::now().checked_add(time));
    if memory.is_none() && deadline.is_none() {
        return Ok(());
    }
    MOST_BYTES.store(memory.unwrap_or(u64::MAX), Ordering::Relaxed);
    let micros = time.map_or(u64::MAX, |time| u64::try_from(time.as_micros()).unwrap_or(u64::MAX));
    MOST_MICROS.store(micros, Ordering::Relaxed);
    let watcher = Watcher { memory, deadline, goes_on, stop };
    threads::begin("limits", move || watcher.run()).map(drop)
}

/// Lowers the most memory of a process that is watched, in bytes.
pub fn at_most(memory: u64) {
    MOST_BYTES.fetch_min(memory, Ordering::Relaxed);
}

/// The most memory of this process, and how much of it is left, in bytes; none where it is not watched.
pub fn room() -> Option<(u64, u64)> {
    let most = MOST_BYTES.load(Ordering::Relaxed);
    // Before the watch begins it is zero, without a limit on memory the greatest number.
    let used = resident().filter(|_| most > 0 && most < u64::MAX)?;
    Some((most, most.saturating_sub(used)))
}

struct Watcher {
    memory: Option<u64>,
    deadline: Option<Instant>,
    goes_on: bool,
    stop: Stop,
}

impl Watcher {
    fn run(&self) {
        let mut used = 0;
        loop {
            // What can't be measured now is as it was.
            used = self.memory.and_then(|_| resident()).unwrap_or(used);
            let most = self.memory.map_or(u64::MAX, |_| MOST_BYTES.load(Ordering::Relaxed));
            let late = self.deadline.map(|deadline| Instant::now().saturating_duration_since(deadline));
            let late = late.filter(|late| !late.is_zero() && recorded() == 0);
            let what = if used > most {
                MEMORY
            } else if late.is_some() {
                TIME
            } else {
                NOTHING
            };
            REACHED.store(what, Ordering::Relaxed);
            if used > most.saturating_add(most / 2)
                || late.is_some_and(|late| late > GRACE && !ANSWERING.load(Ordering::Relaxed))
            {
                self.stop(what);
            }
            thread::sleep(self.pause(most.saturating_sub(used)));
        }
    }

    /// Stops the process, unless it is recording something.
    fn stop(&self, what: u8) {
        let _held = match RECORDING.try_lock() {
            Ok(held) => held,
            Err(TryLockError::Poisoned(held)) => held.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        if let Some(bound) = bound(what).filter(|_| self.goes_on || recorded() == 0) {
            (self.stop)(bound, *DOING.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// How long there is nothing to see yet, with so many bytes left.
    fn pause(&self, left: u64) -> Duration {
        let (shortest, longest) = PAUSES;
        let by_memory = Duration::from_millis(left / FASTEST);
        let deadline = self.deadline.filter(|_| recorded() == 0);
        let by_time = deadline.map_or(longest, |deadline| deadline.saturating_duration_since(Instant::now()));
        by_memory.min(by_time).clamp(shortest, longest)
    }
}

/// How many bytes of memory belong to this process, where the system says so: what it shares with files, such as its
/// program text, is left out.
fn resident() -> Option<u64> {
    machine::kibibytes("/proc/self/status", "RssAnon:").map(|kib| kib.saturating_mul(1024))
}
