//! Starts the owner of a ledger where none runs, for commands that others run often and briefly.

use std::fs;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use hence_core::threads;

/// What a started owner says goes here, in the ledger's folder.
const LOG: &str = "gate.log";
/// How long an owner stays that nobody needs.
const IDLE: &str = "30m";

/// How long to wait before looking for the owner again that was started.
const LOOK: Duration = Duration::from_millis(1);

/// How an owner is started.
pub struct Start<'a> {
    /// The `hence` that becomes it.
    pub program: PathBuf,
    /// The ledger's folder.
    pub store: &'a Path,
    /// What it is told where no `hence.toml` says what decides.
    pub otherwise: &'a [&'a str],
}

impl Start<'_> {
    /// What the owner of a ledger answers to `ask`, which finds none where none runs: one is started then, and asked
    /// until it is there.
    ///
    /// # Errors
    /// There is none by `until`; the ledger's folder can't be made, or no process started; those of `ask`.
    pub fn asked<T>(&self, until: Instant, mut ask: impl FnMut() -> io::Result<Option<T>>) -> io::Result<T> {
        if let Some(answer) = ask()? {
            return Ok(answer);
        }
        self.begin()?;
        while Instant::now() < until {
            if let Some(answer) = ask()? {
                return Ok(answer);
            }
            thread::sleep(LOOK);
        }
        let log = self.store.join(LOG);
        Err(io::Error::other(format!(
            "the owner of the ledger did not start in time; see `{}`",
            log.display()
        )))
    }

    /// Starts an owner in a process group of its own, so that it outlives whoever starts it.
    fn begin(&self) -> io::Result<()> {
        let failed = |path: &Path, error| {
            io::Error::other(format!("`{}` can't be made or written: {error}", path.display()))
        };
        fs::create_dir_all(self.store).map_err(|error| failed(self.store, error))?;
        let log = self.store.join(LOG);
        let opened = fs::OpenOptions::new().create(true).append(true).open(&log);
        let log = opened.map_err(|error| failed(&log, error))?;
        let store = fs::canonicalize(self.store)?;
        let mut command = Command::new(&self.program);
        command.arg("serve").arg("--store").arg(&store).arg("--idle").arg(IDLE);
        // The settings are those of the project, wherever the agent is.
        if let Some(project) = store.parent() {
            command.current_dir(project);
            if !project.ancestors().any(|folder| folder.join("hence.toml").exists()) {
                command.args(self.otherwise);
            }
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).process_group(0);
        let failed = |error| io::Error::other(format!("`{}` can't be run: {error}", self.program.display()));
        threads::start(&mut command).map(|_| ()).map_err(failed)
    }
}
