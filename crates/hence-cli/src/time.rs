//! The clock of a run: `--now`, else the wall clock, which a test may set.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};

use jiff::Timestamp;

use hence_core::literal;
use hence_session::Session;

use super::{Failure, output};

/// Names a file that holds the instant which the wall clock shows; for tests, which then need no waiting.
pub(super) const CLOCK: &str = "HENCE_CLOCK";

/// What the file held when it was read last.
static LAST: AtomicI64 = AtomicI64::new(i64::MIN);

/// Microseconds since the epoch of the wall clock.
pub(super) fn wall_clock() -> i64 {
    let Some(file) = file() else { return Timestamp::now().as_microsecond() };
    // Whoever writes the file may be half-way.
    match read(Path::new(&file)) {
        Ok(at) => {
            LAST.store(at, Ordering::Relaxed);
            at
        }
        Err(_) => LAST.load(Ordering::Relaxed),
    }
}

/// Whether a file says what the wall clock shows.
pub(super) fn is_set() -> bool {
    file().is_some()
}

fn file() -> Option<OsString> {
    std::env::var_os(CLOCK).filter(|file| !file.is_empty())
}

/// Checks that the file of `HENCE_CLOCK`, if there is one, holds an instant.
///
/// # Errors
/// What it holds instead.
pub(super) fn check() -> Result<(), Failure> {
    let Some(file) = file() else { return Ok(()) };
    let path = Path::new(&file);
    let at = read(path).map_err(|why| Failure::Usage(format!("{CLOCK}: `{}` {why}", path.display())))?;
    LAST.store(at, Ordering::Relaxed);
    Ok(())
}

fn read(path: &Path) -> Result<i64, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("can't be read: {error}"))?;
    parse(text.trim()).map_err(|why| format!("holds no instant: {why}"))
}

/// What the clock of a session shows: `given`, else the wall clock, which waits where it is behind what is recorded.
///
/// # Errors
/// A ledger that can't be read.
pub(super) fn of(session: &Session, given: Option<i64>) -> Result<i64, Failure> {
    let recorded = if given.is_some() { None } else { session.clock()? };
    Ok(shown(recorded, given))
}

/// The same beside the last recorded instant.
pub(super) fn shown(recorded: Option<i64>, given: Option<i64>) -> i64 {
    if let Some(given) = given {
        return given;
    }
    let wall = wall_clock();
    let Some(recorded) = recorded.filter(|recorded| *recorded > wall) else { return wall };
    let (shown, waits) = (literal::time_text(wall), literal::time_text(recorded));
    output::note(&format!(
        "the wall clock shows {shown}, earlier than the last recorded instant {waits}: until then, `now` is that instant"
    ));
    recorded
}

/// Reads the value of `--now`.
pub(super) fn parse(text: &str) -> Result<i64, String> {
    literal::parse_time(text.strip_prefix('@').unwrap_or(text))
        .ok_or_else(|| format!("`{text}` is not a time; expected one such as 2026-02-09T09:00:00Z"))
}
