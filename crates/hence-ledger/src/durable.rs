//! What makes the last records of the journal durable: one sync at a time, by whoever writes or by a thread of its own
//! while more is written.

use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};

use super::disk::DiskFile;
use super::error::LedgerError;

/// What is done once commits are durable, or once nobody can know whether they are.
pub(crate) type Then = Box<dyn FnOnce(Result<(), LedgerError>) + Send>;

/// The segment that is written.
pub(crate) struct Tail {
    pub(crate) segment: u32,
    pub(crate) file: Arc<dyn DiskFile>,
    pub(crate) path: PathBuf,
}

/// Commits whose author waits for the disk.
struct Waiting {
    /// They are the commits up to this one, counted from the first that this process put off.
    commits: u64,
    tail: Tail,
    then: Then,
}

#[derive(Default)]
struct Queue {
    waiting: Vec<Waiting>,
    /// Whether the thread waits for more: to wake nobody costs a call of the system too.
    is_idle: bool,
    is_closed: bool,
}

#[derive(Default)]
struct Shared {
    /// Held by whoever asks the disk: it tells of a failure once, and everybody is to hear of it.
    turn: Mutex<()>,
    /// How many commits are durable.
    durable: AtomicU64,
    /// Why nothing is written any more.
    stopped: OnceLock<String>,
    queue: Mutex<Queue>,
    came: Condvar,
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    fn check(&self) -> Result<(), LedgerError> {
        self.stopped.get().map_or(Ok(()), |why| Err(LedgerError::Stopped(why.clone())))
    }

    fn is_durable(&self, commits: u64) -> bool {
        self.durable.load(Ordering::Acquire) >= commits
    }

    /// Asks the disk, unless it has failed, for whoever has the turn.
    fn ask(&self, Tail { segment, file, path }: &Tail, commits: u64) -> Result<(), LedgerError> {
        self.check()?;
        let _span = tracing::debug_span!("fsync", segment).entered();
        file.sync().map_err(|error| {
            self.stop(format!("{}: {error}", path.display()));
            LedgerError::io("make durable", path)(error)
        })?;
        self.durable.fetch_max(commits, Ordering::AcqRel);
        Ok(())
    }

    fn stop(&self, why: String) {
        // The first reason is the one that counts.
        let _ = self.stopped.set(why);
    }

    /// Makes commits durable that aren't yet.
    fn reach(&self, tail: &Tail, commits: u64) -> Result<(), LedgerError> {
        let _turn = held(&self.turn);
        if self.is_durable(commits) { Ok(()) } else { self.ask(tail, commits) }
    }

    /// All that wait, once somebody does; nobody where the thread is to end.
    fn next(&self) -> Vec<Waiting> {
        let mut queue = held(&self.queue);
        while queue.waiting.is_empty() && !queue.is_closed {
            queue.is_idle = true;
            queue = self.came.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
        queue.is_idle = false;
        std::mem::take(&mut queue.waiting)
    }

    /// Serves whoever waits, in the order in which they came, with one sync for all that have come meanwhile.
    fn serve(&self) {
        loop {
            let waiting = self.next();
            let Some(last) = waiting.last() else { return };
            // What became of it is asked for each.
            let _ = self.reach(&last.tail, last.commits);
            for Waiting { commits, then, .. } in waiting {
                let durable = if self.is_durable(commits) { Ok(()) } else { self.check() };
                // Whose own code breaks down there takes nobody else with them.
                let _ = panic::catch_unwind(AssertUnwindSafe(|| then(durable)));
            }
        }
    }
}

/// The syncs of a journal, and the thread that waits for them where one is wanted.
#[derive(Default)]
pub(crate) struct Syncs {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Syncs {
    /// Fails once a write couldn't be made durable.
    pub(crate) fn check(&self) -> Result<(), LedgerError> {
        self.shared.check()
    }

    /// Whether nothing is written any more.
    pub(crate) fn is_stopped(&self) -> bool {
        self.shared.stopped.get().is_some()
    }

    /// Has nothing be written any more.
    pub(crate) fn stop(&self, why: String) {
        self.shared.stop(why);
    }

    /// Whether so many commits are durable.
    pub(crate) fn is_durable(&self, commits: u64) -> bool {
        self.shared.is_durable(commits)
    }

    /// Returns once all that was written, among it so many commits, is durable.
    pub(crate) fn sync(&self, tail: &Tail, commits: u64) -> Result<(), LedgerError> {
        let _turn = held(&self.shared.turn);
        self.shared.ask(tail, commits)
    }

    /// Returns once so many commits are durable.
    pub(crate) fn reach(&self, tail: &Tail, commits: u64) -> Result<(), LedgerError> {
        self.shared.reach(tail, commits)
    }

    /// Has the thread make so many commits durable and do `then`.
    pub(crate) fn hand_over(&mut self, tail: Tail, commits: u64, then: Then) {
        if self.thread.is_none() {
            let shared = Arc::clone(&self.shared);
            let named = thread::Builder::new().name(String::from("journal sync"));
            self.thread = named.spawn(move || shared.serve()).ok();
        }
        if self.thread.is_none() {
            // Without room for a thread, whoever writes waits.
            return then(self.reach(&tail, commits));
        }
        let mut queue = held(&self.shared.queue);
        queue.waiting.push(Waiting { commits, tail, then });
        let is_awaited = std::mem::take(&mut queue.is_idle);
        drop(queue);
        if is_awaited {
            self.shared.came.notify_one();
        }
    }

    /// Returns once everybody is served who waited.
    pub(crate) fn finish(&mut self) {
        let Some(thread) = self.thread.take() else { return };
        held(&self.shared.queue).is_closed = true;
        self.shared.came.notify_one();
        // It can't have failed.
        let _ = thread.join();
    }
}

impl Drop for Syncs {
    fn drop(&mut self) {
        self.finish();
    }
}
