//! Starts the owner of a ledger where none runs, for commands that others run often and briefly.

use std::fs;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use hence_core::threads;

/// What a started owner says goes here, in the ledger's folder.
const LOG: &str = "gate.log";
/// How long an owner stays that nobody needs.
const IDLE: &str = "30m";

/// How long to wait before looking for the owner again that was started.
const LOOK: Duration = Duration::from_millis(1);
/// How long an owner is looked for once the one that was started has ended: another may be about to come.
const GRACE: Duration = Duration::from_millis(200);
/// How much is told of what an owner said that ended, in bytes.
const MOST: u64 = 4_096;

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
    /// There is none by `until`, or the one that was started has ended, as it says why; the ledger's folder can't be made, or no process started; those of `ask`.
    pub fn asked<T>(&self, until: Instant, mut ask: impl FnMut() -> io::Result<Option<T>>) -> io::Result<T> {
        if let Some(answer) = ask()? {
            return Ok(answer);
        }
        let log = self.store.join(LOG);
        let said = fs::metadata(&log).map_or(0, |log| log.len());
        let mut owner = self.begin()?;
        let (mut until, mut has_ended) = (until, false);
        while Instant::now() < until {
            if let Some(answer) = ask()? {
                return Ok(answer);
            }
            if !has_ended && owner.try_wait()?.is_some() {
                has_ended = true;
                until = until.min(Instant::now() + GRACE);
            }
            thread::sleep(LOOK);
        }
        Err(io::Error::other(match said_since(&log, said) {
            Some(why) if has_ended => format!("the owner of the ledger ended: {why}"),
            _ => format!("the owner of the ledger did not start in time; see `{}`", log.display()),
        }))
    }

    /// Starts an owner in a process group of its own, so that it outlives whoever starts it.
    fn begin(&self) -> io::Result<Child> {
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
        threads::start(&mut command).map_err(failed)
    }
}

/// What stands in a log after so many bytes, in one line, where that is anything.
fn said_since(log: &Path, start: u64) -> Option<String> {
    let mut log = fs::File::open(log).ok()?;
    log.seek(SeekFrom::Start(start)).ok()?;
    let mut bytes = Vec::new();
    log.take(MOST).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let lines = text.lines().map(|line| line.trim().trim_start_matches("= "));
    let lines: Vec<&str> = lines.filter(|line| !matches!(*line, "" | "|")).collect();
    Some(lines.join("; ")).filter(|text| !text.is_empty())
}
