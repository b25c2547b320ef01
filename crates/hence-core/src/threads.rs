//! Threads and processes: where the system gives no more of them, that is an error that says what helps, not the end of
//! this process.

use std::io::{self, ErrorKind};
use std::process::{Child, Command};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, Builder, JoinHandle};

/// Begins to do `work` on a thread of that name.
///
/// # Errors
/// The system gives none.
pub fn begin<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    Builder::new().name(name.to_owned()).spawn(work).map_err(|_| missing("no thread is left"))
}

/// A thread that waits for what it works with: it is there before anything begins that nobody could attend to without it.
/// It ends where the sender is dropped.
///
/// # Errors
/// As [`begin`].
pub fn ahead<W: Send + 'static>(
    name: &str,
    work: impl FnOnce(W) + Send + 'static,
) -> io::Result<SyncSender<W>> {
    let (sender, with) = sync_channel(1);
    begin(name, move || {
        if let Ok(with) = with.recv() {
            work(with);
        }
    })?;
    Ok(sender)
}

/// Checks that the system gives so many threads at once, for work that waits for good, or panics, where it doesn't.
///
/// # Errors
/// It gives fewer.
pub fn check(count: usize) -> io::Result<()> {
    let gate = Mutex::new(());
    thread::scope(|scope| {
        // All of them are there at once.
        let closed = gate.lock().unwrap_or_else(PoisonError::into_inner);
        let one = |_| Builder::new().spawn_scoped(scope, || drop(gate.lock())).map(drop);
        let all = (0..count).try_for_each(one);
        drop(closed);
        all.map_err(|_| missing(&format!("no {count} threads are left")))
    })
}

/// Starts a program.
///
/// # Errors
/// The system gives no process, or there is no such program.
pub fn start(command: &mut Command) -> io::Result<Child> {
    command.spawn().map_err(|error| match error.kind() {
        ErrorKind::WouldBlock => missing("no process is left"),
        _ => error,
    })
}

/// The system gives fewer threads or processes than are needed, and says no more than that it is short of something.
#[cold]
fn missing(what: &str) -> io::Error {
    io::Error::other(format!(
        "{what}: raise the limit on processes (`ulimit -u`, or the pids limit of a container) or on memory \
        (`ulimit -v`), or end other processes"
    ))
}
