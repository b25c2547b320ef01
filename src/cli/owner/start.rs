//! Starts the owner of a ledger where none runs, for commands that others run often and briefly.

use std::fs;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// What a started owner says goes here, in the ledger's folder.
pub(in crate::cli) const LOG: &str = "gate.log";
/// How long an owner stays that nobody needs.
const IDLE: &str = "30m";

/// What the owner of a ledger answers to `ask`, which finds none where none runs: one is started then, and asked every
/// `look` until it is there; none where it isn't by `until`.
///
/// # Errors
/// As [`start`] and `ask`.
pub(in crate::cli) fn asked<T>(
    (store, otherwise): (&Path, &[&str]),
    (until, look): (Instant, Duration),
    mut ask: impl FnMut() -> io::Result<Option<T>>,
) -> io::Result<Option<T>> {
    if let Some(answer) = ask()? {
        return Ok(Some(answer));
    }
    start(store, otherwise)?;
    while Instant::now() < until {
        if let Some(answer) = ask()? {
            return Ok(Some(answer));
        }
        thread::sleep(look);
    }
    Ok(None)
}

/// Starts an owner in a process group of its own, so that it outlives whoever starts it; `otherwise` is what it is told where
/// no `hence.toml` says what decides.
///
/// # Errors
/// The ledger's folder can't be made, or no process started.
fn start(store: &Path, otherwise: &[&str]) -> io::Result<()> {
    fs::create_dir_all(store)?;
    let log = fs::OpenOptions::new().create(true).append(true).open(store.join(LOG))?;
    let store = fs::canonicalize(store)?;
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("serve").arg("--store").arg(&store).arg("--idle").arg(IDLE);
    // The settings are those of the project, wherever the agent is.
    if let Some(project) = store.parent() {
        command.current_dir(project);
        if !project.ancestors().any(|folder| folder.join("hence.toml").exists()) {
            command.args(otherwise);
        }
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).process_group(0);
    command.spawn().map(|_| ())
}
