//! Starts the owner of a ledger where none runs, for commands that others run often and briefly.

use std::fs;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// What a started owner says goes here, in the ledger's folder.
pub(in crate::cli) const LOG: &str = "gate.log";
/// How long an owner stays that nobody needs.
const IDLE: &str = "30m";

/// Starts an owner in a process group of its own, so that it outlives whoever starts it; `otherwise` is what it is told where
/// no `hence.toml` says what decides.
///
/// # Errors
/// The ledger's folder can't be made, or no process started.
pub(in crate::cli) fn start(store: &Path, otherwise: &[&str]) -> io::Result<()> {
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
