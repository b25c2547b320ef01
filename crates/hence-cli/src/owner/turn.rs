//! The asker's side: a command that finds the ledger in use asks its owner for a turn.

use std::io;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use hence_core::{meter, threads};
use hence_ledger::LedgerError;
use hence_runtime::owner::connect;

use super::super::{Failure, LIMIT, open, output};

use super::protocol::{Answer, Wire, Wish};

/// How long a command waits for its turn, where `--wait` doesn't say.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long a command waits for somebody who has the lock and doesn't lend: an owner that begins, or another command.
const BEGINNING: Duration = Duration::from_secs(5);
/// How long whoever has the turn waits for somebody who takes the lock without asking.
const GRACE: Duration = Duration::from_secs(10);
/// How long an owner may take to answer at all.
const HELLO: Duration = Duration::from_secs(5);
/// How long to wait before asking again.
const PAUSE: Duration = Duration::from_millis(20);
/// How long a question that would also be answered without a turn waits for one.
const BRIEFLY: Duration = Duration::from_secs(2);

/// A turn: the ledger is this process's until it is dropped.
pub(crate) struct Turn(UnixStream);

impl Drop for Turn {
    fn drop(&mut self) {
        // An owner that is gone needs nothing back.
        let _ = self.0.shutdown(Shutdown::Both);
    }
}

/// What became of asking for a turn.
enum Asked {
    Lent(Turn),
    /// Nobody lends.
    Nobody,
    /// It may come to something later.
    Again,
    Refused(String),
}

/// Opens a ledger with `open`, which is told how long to wait for the lock; where another process owns the ledger, in a
/// turn that is to be kept until the ledger is closed. Where nobody says how long to `wait`, that depends on who has it.
pub(crate) fn among<T>(
    store: &Path,
    wait: Option<Duration>,
    mut open: impl FnMut(Duration) -> Result<T, LedgerError>,
) -> Result<(T, Option<Turn>), Failure> {
    let begun = Instant::now();
    let end = begun + wait.unwrap_or(PATIENCE);
    loop {
        let in_use = match open(Duration::ZERO) {
            Err(error @ LedgerError::InUse { .. }) => error,
            opened => return Ok((opened.map_err(open::failure)?, None)),
        };
        match ask(store, end) {
            Asked::Lent(turn) => return Ok((open(GRACE).map_err(open::failure)?, Some(turn))),
            Asked::Nobody if begun.elapsed() < BEGINNING && Instant::now() < end => thread::sleep(PAUSE),
            Asked::Nobody => {
                let left = wait.map_or(Duration::ZERO, |_| end.saturating_duration_since(Instant::now()));
                return Ok((open(left).map_err(open::failure)?, None));
            }
            Asked::Refused(why) => return Err(Failure::Usage(why)),
            Asked::Again if Instant::now() >= end => return Err(open::failure(in_use)),
            Asked::Again => thread::sleep(PAUSE),
        }
    }
}

/// A turn for reading what an owner has in memory or half-written, where there is an owner that lends one at once.
pub(crate) fn briefly(store: &Path) -> Option<Turn> {
    match ask(store, Instant::now() + BRIEFLY) {
        Asked::Lent(turn) => Some(turn),
        Asked::Nobody | Asked::Again | Asked::Refused(_) => None,
    }
}

/// The process that owns a store and what it runs, if there is one.
pub(super) fn owner_of(store: &Path) -> Option<(u32, String)> {
    let mut wire = Wire::new(connect(store).ok()?);
    wire.say(&Wish::Status {}).ok()?;
    match wire.hear(Some(Instant::now() + HELLO)).ok()?? {
        Answer::Owner { process, command, .. } => Some((process, command)),
        _ => None,
    }
}

/// What the owner of a store has a host told about an event; `None` where there is no owner.
///
/// # Errors
/// The owner does not answer until `end`, or refuses.
#[cfg(feature = "gate")]
pub(crate) fn judge(
    store: &Path,
    wish: (Option<String>, bool, String),
    end: Instant,
) -> io::Result<Option<hence_gate::HookAnswer>> {
    let Ok(stream) = connect(store) else { return Ok(None) };
    let (host, shadow, event) = wish;
    let mut wire = Wire::new(stream);
    wire.say(&Wish::Gate { host, shadow, event })?;
    match wire.hear(Some(end))? {
        Some(Answer::Judged { output, error, status }) => {
            Ok(Some(hence_gate::HookAnswer { output, error, status }))
        }
        Some(Answer::Refused { why, .. } | Answer::Over { why }) => Err(io::Error::other(why)),
        _ => Err(io::Error::other("the owner of the ledger hung up")),
    }
}

/// What the owner of a store answers to a message of MCP; `None` where there is no owner.
///
/// # Errors
/// The owner does not answer until `end`, or refuses.
#[cfg(feature = "server")]
pub(crate) fn speak(
    store: &Path,
    said: &hence_server::InputLine,
    end: Instant,
) -> io::Result<Option<Option<String>>> {
    let Ok(stream) = connect(store) else { return Ok(None) };
    let (token, name) = match said.by.clone() {
        hence_server::Caller::Token(token) => (Some(token), String::new()),
        hence_server::Caller::Named(name) => (None, name),
    };
    let mut wire = Wire::new(stream);
    wire.say(&Wish::Mcp { token, name, legacy: said.legacy, message: said.message.clone() })?;
    match wire.hear(Some(end))? {
        Some(Answer::Said { message }) => Ok(Some(message)),
        Some(Answer::Refused { why, .. } | Answer::Over { why }) => Err(io::Error::other(why)),
        _ => Err(io::Error::other("the owner of the ledger hung up")),
    }
}

fn ask(store: &Path, end: Instant) -> Asked {
    match connect(store) {
        Ok(stream) => wait(Wire::new(stream), end).unwrap_or(Asked::Again),
        // A queue of connections that is full.
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Asked::Again,
        Err(_) => Asked::Nobody,
    }
}

fn wait(mut wire: Wire, end: Instant) -> io::Result<Asked> {
    wire.say(&Wish::Turn { command: open::told_command() })?;
    let mut until = end.min(Instant::now() + HELLO);
    loop {
        match wire.hear(Some(until))? {
            Some(Answer::Queued { .. }) => until = end,
            Some(Answer::Lent { .. }) => return watched(wire),
            Some(Answer::Refused { again: true, .. }) | None => return Ok(Asked::Again),
            Some(Answer::Refused { why, .. } | Answer::Over { why }) => return Ok(Asked::Refused(why)),
            Some(Answer::Owner { .. }) => return Ok(Asked::Again),
            #[cfg(feature = "gate")]
            Some(Answer::Judged { .. }) => return Ok(Asked::Again),
            #[cfg(feature = "server")]
            Some(Answer::Said { .. }) => return Ok(Asked::Again),
        }
    }
}

/// The turn; if the owner takes it back, this process ends.
fn watched(wire: Wire) -> io::Result<Asked> {
    let turn = Turn(wire.stream.try_clone()?);
    threads::begin("turn", move || {
        let mut wire = wire;
        // An owner that is gone leaves the ledger to whoever has its lock.
        if let Ok(Some(Answer::Over { why })) = wire.hear(None) {
            stop(&why);
        }
    })?;
    Ok(Asked::Lent(turn))
}

fn stop(why: &str) {
    let recorded = match meter::recorded() {
        0 => String::from("nothing was recorded"),
        1 => String::from("the previously recorded transaction remains"),
        several => format!("the {several} previously recorded transactions remain"),
    };
    output::error(&format!("{why}; {recorded}"));
    std::process::exit(i32::from(LIMIT));
}
