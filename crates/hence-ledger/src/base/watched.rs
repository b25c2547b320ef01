//! Calls into sled that always come back: its panics become errors, and a call that waits for a thread of sled's that
//! has failed is given up.

use std::cell::Cell;
use std::io;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Once, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use hence_core::threads;

use super::BaseError;

/// How often it is looked whether sled's threads are well.
const LOOK: Duration = Duration::from_millis(20);
/// How long a call may go on once one of them isn't.
const GRACE: Duration = Duration::from_millis(400);
/// How the names of sled's own threads begin.
const SLED_THREADS: [&str; 2] = ["sled", "log flusher"];

thread_local! {
    /// Whether this thread is inside sled.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// How many of sled's own threads have panicked.
static PANICS: AtomicU64 = AtomicU64::new(0);

/// Keeps the texts of sled's panics, which become errors, off standard error; all others go where they went before.
fn hush() {
    static HUSHED: Once = Once::new();
    HUSHED.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            let thread = thread::current();
            let of_sled =
                thread.name().is_some_and(|name| SLED_THREADS.iter().any(|sled| name.starts_with(sled)));
            if of_sled {
                PANICS.fetch_add(1, Ordering::SeqCst);
            } else if !INSIDE.get() {
                before(panic);
            }
        }));
    });
}

impl BaseError {
    /// What the system said distinguishes a medium that fails from files that are not as they should be.
    pub(super) fn of(error: &io::Error, text: String) -> Self {
        if error.kind() != io::ErrorKind::NotFound && error.raw_os_error().is_some() {
            Self::Medium(text)
        } else {
            Self::of_text(text)
        }
    }

    /// The same where only the text of an error is left.
    pub(super) fn of_text(text: String) -> Self {
        let of_system = text.contains("(os error ") || text.contains("Os { code: ");
        let missing = text.contains("(os error 2)") || text.contains("Os { code: 2,");
        if of_system && !missing { Self::Medium(text) } else { Self::Damaged(text) }
    }
}

/// Calls sled and turns its errors and panics, which damaged files bring about, into a [`BaseError`].
fn guarded<T>(call: impl FnOnce() -> sled::Result<T>) -> Result<T, BaseError> {
    INSIDE.set(true);
    let result = catch_unwind(AssertUnwindSafe(call));
    INSIDE.set(false);
    match result {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(sled::Error::Io(error))) => Err(BaseError::of(&error, error.to_string())),
        Ok(Err(error)) => Err(BaseError::of_text(error.to_string())),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            Err(BaseError::of_text(text.unwrap_or("the store failed").to_owned()))
        }
    }
}

/// How the store in one folder fares.
pub(super) struct Health {
    config: sled::Config,
    panics: u64,
    /// What the first change that failed failed with: none is made after it, since changes are durable in their order.
    failed: OnceLock<BaseError>,
    /// Whether a call was given up. It may hold locks that any other call would wait for.
    lost: AtomicBool,
    /// Whether its medium failed while it was read.
    unreadable: AtomicBool,
}

impl Health {
    pub(super) fn new(config: sled::Config) -> Self {
        hush();
        let panics = PANICS.load(Ordering::SeqCst);
        Self {
            config,
            panics,
            failed: OnceLock::new(),
            lost: AtomicBool::default(),
            unreadable: AtomicBool::default(),
        }
    }

    /// Reads from sled, which waits for nobody.
    pub(super) fn read<T>(&self, call: impl FnOnce() -> sled::Result<T>) -> Result<T, BaseError> {
        let read = if self.is_lost() { self.whole().and(Err(no_answer())) } else { guarded(call) };
        if matches!(read, Err(BaseError::Medium(_))) {
            self.unreadable.store(true, Ordering::SeqCst);
        }
        read
    }

    /// Whether its medium failed while it was read.
    pub(super) fn is_unreadable(&self) -> bool {
        self.unreadable.load(Ordering::SeqCst)
    }

    /// Changes something, unless a change has failed before.
    pub(super) fn change<T: Send + 'static>(
        &self,
        call: impl FnOnce() -> sled::Result<T> + Send + 'static,
    ) -> Result<T, BaseError> {
        self.whole()?;
        self.wait(call).inspect_err(|error| {
            self.failed.get_or_init(|| error.clone());
        })
    }

    /// Does `call` on a thread of its own, which is left alone where it will never end.
    pub(super) fn wait<T: Send + 'static>(
        &self,
        call: impl FnOnce() -> sled::Result<T> + Send + 'static,
    ) -> Result<T, BaseError> {
        let (done, result) = mpsc::channel();
        let work = move || {
            // Nobody waits any longer where this fails.
            let _ = done.send(guarded(call));
        };
        threads::begin("base", work).map_err(|error| BaseError::Medium(error.to_string()))?;
        let mut end = None;
        loop {
            match result.recv_timeout(LOOK) {
                Ok(outcome) => return outcome,
                Err(RecvTimeoutError::Timeout) if self.is_well() => {}
                Err(RecvTimeoutError::Timeout) if Instant::now() < *end.get_or_insert_with(grace) => {}
                Err(_) => {
                    self.lost.store(true, Ordering::SeqCst);
                    return Err(self.error().unwrap_or_else(no_answer));
                }
            }
        }
    }

    /// Whether all changes so far were made.
    pub(super) fn whole(&self) -> Result<(), BaseError> {
        self.failed.get().cloned().map_or(Ok(()), Err)
    }

    /// Whether a call was given up.
    pub(super) fn is_lost(&self) -> bool {
        self.lost.load(Ordering::SeqCst)
    }

    /// Lets sled end in its own time, or never; says whether all changes were made.
    pub(super) fn let_go(&self, db: sled::Db) -> Result<(), BaseError> {
        let ending = move || {
            guarded(|| {
                drop(db);
                Ok(())
            })
        };
        let begun = threads::begin("base", ending);
        begun.map_err(|error| BaseError::Medium(error.to_string()))?;
        self.whole()
    }

    fn is_well(&self) -> bool {
        PANICS.load(Ordering::SeqCst) == self.panics && self.error().is_none()
    }

    /// What sled's own threads failed with.
    fn error(&self) -> Option<BaseError> {
        guarded(|| self.config.global_error()).err()
    }
}

fn grace() -> Instant {
    Instant::now() + GRACE
}

fn no_answer() -> BaseError {
    BaseError::Medium(String::from("the store doesn't respond"))
}
