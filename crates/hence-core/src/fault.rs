//! Faults of hence itself: a broken invariant ends the work at once, and is reported once, at the rim.
//!
//! Deep in the engine nobody can answer a question about what can't be. A checked look-up names the invariant that it
//! relies on ([`OrBroken::or_broken`]); where that does not hold, the work unwinds to the nearest [`caught`], which
//! makes an error of it: at the entries of a session, and around the command line. Nothing of that work is recorded.

use std::any::Any;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::cell::Cell;
use std::fmt;
use std::panic::{self, AssertUnwindSafe, Location};
use std::sync::{Mutex, PoisonError};

/// An inconsistency in hence itself, not in what it was given: a defect to report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The invariant that does not hold, or what else happened, in one line.
    pub what: String,
    /// The place in the source of hence, where it is known.
    pub place: Option<String>,
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "this is a fault of hence {}: {}", env!("CARGO_PKG_VERSION"), self.what)?;
        self.place.as_ref().map_or(Ok(()), |place| write!(out, " ({place})"))
    }
}

impl std::error::Error for Fault {}

/// What unwinds where an invariant does not hold.
struct Broken {
    invariant: &'static str,
    place: &'static Location<'static>,
}

/// Ends the work: `invariant`, a sentence that is always true, is not.
#[cold]
#[inline(never)]
#[track_caller]
#[expect(clippy::panic, reason = "the one place that unwinds, to the nearest `caught`")]
pub fn broken(invariant: &'static str) -> ! {
    panic::panic_any(Broken { invariant, place: Location::caller() })
}

/// Ends the work: two ways to one result disagree. `what` says on what, in one line.
#[cold]
#[inline(never)]
#[expect(clippy::panic, reason = "it unwinds as `broken` does, to the nearest `caught`")]
pub fn contradiction(what: String) -> ! {
    panic::panic_any(Fault { what, place: None })
}

/// Look-ups that can't fail.
pub trait OrBroken {
    /// What is looked up.
    type Found;

    /// What was found; [`broken`] where nothing was.
    fn or_broken(self, invariant: &'static str) -> Self::Found;
}

impl<T> OrBroken for Option<T> {
    type Found = T;

    #[inline]
    #[track_caller]
    fn or_broken(self, invariant: &'static str) -> T {
        match self {
            Some(found) => found,
            None => broken(invariant),
        }
    }
}

/// What `work` comes to; an error where it unwinds. What it was changing must not be used after that.
///
/// # Errors
/// Those of `work`, and the fault that ended it.
pub fn caught<T, E: From<Fault>>(work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| {
        UNWINDS.set(false);
        Err(fault(payload).into())
    })
}

/// Goes on unwinding with what ended a thread.
pub fn joined<T>(end: std::thread::Result<T>) -> T {
    end.unwrap_or_else(|payload| panic::resume_unwind(payload))
}

/// The place of the last panic, and the way there where `RUST_BACKTRACE` asks for it.
static LAST: Mutex<(Option<String>, Option<String>)> = Mutex::new((None, None));

fn last() -> (Option<String>, Option<String>) {
    LAST.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

thread_local! {
    /// Whether this thread unwinds; a second fault on the way ends the process before anything can report it.
    static UNWINDS: Cell<bool> = const { Cell::new(false) };
}

/// From now on a panic prints nothing by itself: its place is kept for the error that [`caught`] makes of it. For
/// programs that are hence; one that embeds it keeps its own hook.
pub fn keep_quiet() {
    let loud = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        if UNWINDS.replace(true) {
            loud(panic);
        }
        let trace = Backtrace::capture();
        let trace = (trace.status() == BacktraceStatus::Captured).then(|| trace.to_string());
        let place = panic.location().map(ToString::to_string);
        *LAST.lock().unwrap_or_else(PoisonError::into_inner) = (place, trace);
    }));
}

/// The way to the last fault, where `RUST_BACKTRACE` asked for it.
pub fn trace() -> Option<String> {
    last().1
}

fn fault(payload: Box<dyn Any + Send>) -> Fault {
    let other = match payload.downcast::<Broken>() {
        Ok(broken) => {
            let what = format!("`{}` does not hold", broken.invariant);
            return Fault { what, place: Some(broken.place.to_string()) };
        }
        Err(other) => other,
    };
    match other.downcast::<Fault>() {
        Ok(fault) => *fault,
        Err(other) => Fault { what: message(other.as_ref()), place: last().0 },
    }
}

/// The message of a panic that was not [`broken`].
fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.map_or_else(|| String::from("it stopped without a message"), |text| text.replace('\n', "; "))
}
