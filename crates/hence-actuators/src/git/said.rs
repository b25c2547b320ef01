//! What the program `git` says of a working tree: bounded in time and size.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::Receiver;
use std::thread;
use std::time::{Duration, Instant};

use crate::error::ActuatorError;
use crate::group::Group;
use crate::run_command::{Collected, ENVIRONMENT};
use hence_core::meter;

/// How long git may take.
const TIME_LIMIT: Duration = Duration::from_secs(30);
/// How much of what it says is read, in bytes.
const MOST: u64 = 1 << 20;
/// How often it is looked at.
const PAUSE: Duration = Duration::from_millis(5);

/// Where bytes come that were collected.
type Bytes = Receiver<Vec<u8>>;

/// A working tree.
pub(super) struct Git<'a> {
    root: &'a Path,
}

impl<'a> Git<'a> {
    /// The one that a folder is in.
    pub(super) fn at(root: &'a Path) -> Self {
        Self { root }
    }

    /// What it answers, whole.
    pub(super) fn text(&self, args: &[&str]) -> Result<String, ActuatorError> {
        let bytes = self.ask(args)?;
        if bytes.len() as u64 > MOST {
            let what = args.first().copied().unwrap_or_default();
            return Err(self.failed(format!("`git {what}` says more than {MOST} bytes")));
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// What it answers, up to the last commit that fits.
    pub(super) fn beginning(&self, args: &[&str]) -> Result<String, ActuatorError> {
        let mut text = String::from_utf8_lossy(&self.ask(args)?).into_owned();
        if text.len() as u64 > MOST {
            text.truncate(text.rfind('\u{1}').unwrap_or_default());
        }
        Ok(text)
    }

    /// An answer that is not as git writes them.
    pub(super) fn unread(&self, record: &str) -> ActuatorError {
        let shown: String = record.chars().take(80).collect();
        self.failed(format!("git says `{shown}`, which is not understood"))
    }

    fn failed(&self, why: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> ActuatorError {
        ActuatorError::Read { input: self.root.display().to_string(), source: io::Error::other(why) }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new("git");
        let seen = ENVIRONMENT.into_iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
        command
            .env_clear()
            .envs(seen)
            .envs([("GIT_OPTIONAL_LOCKS", "0"), ("GIT_TERMINAL_PROMPT", "0"), ("LC_ALL", "C")])
            .arg("-C")
            .arg(self.root)
            .args(["--no-pager", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false"])
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Git at work, and what it writes and says.
    fn start(&self, args: &[&str]) -> io::Result<(Group, Bytes, Bytes)> {
        let (wrote, said) = (Collected::ahead(MOST + 1)?, Collected::ahead(MOST)?);
        let mut group = Group::start(&mut self.command(args))?;
        let child = group.child();
        let (wrote, said) = (wrote.of(child.stdout.take()), said.of(child.stderr.take()));
        Ok((group, wrote, said))
    }

    fn ask(&self, args: &[&str]) -> Result<Vec<u8>, ActuatorError> {
        let end = Instant::now() + TIME_LIMIT;
        let (mut group, wrote, said) =
            self.start(args).map_err(|error| self.failed(format!("`git` can't be started: {error}")))?;
        while !group.has_ended().map_err(|error| self.failed(error))? {
            if Instant::now() >= end {
                return Err(self.failed(format!("`git` was stopped after {TIME_LIMIT:?}")));
            }
            meter::check("asking git")?;
            thread::sleep(PAUSE);
        }
        let status = group.stop().map_err(|error| self.failed(error))?;
        let wrote = wrote.recv_timeout(TIME_LIMIT).map_err(|error| self.failed(error))?;
        if status.success() {
            return Ok(wrote);
        }
        let said = said.recv_timeout(TIME_LIMIT).unwrap_or_default();
        let said = String::from_utf8_lossy(&said).trim().to_owned();
        Err(self.failed(if said.is_empty() { format!("`git` ended with {status}") } else { said }))
    }
}
