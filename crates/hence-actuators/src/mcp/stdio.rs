//! A server that is a program: started in a process group of its own, spoken with line by line, ended with this value.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use hence_core::threads;
use serde_json::{Value as Json, json};

use super::super::carry::{Failed, MOST_ANSWERED};
use super::super::group::{self, Group};
use super::super::run_command::seen;
use super::client::undone;

/// How often it is looked whether it took too long.
const PAUSE: Duration = Duration::from_millis(50);
/// How many lines that are no answer are passed over.
const MOST_LINES: usize = 1_000;

/// A program at work.
pub(super) struct Program {
    /// The program, which ends with this value.
    _group: Group,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    end: Instant,
    guard: group::Guard,
}

impl Program {
    pub(super) fn start(words: &[String], env: &[String], end: Instant) -> Result<Self, Failed> {
        let (name, args) = words.split_first().ok_or_else(|| undone("it names no program"))?;
        let mut command = Command::new(name);
        command.args(args).env_clear().envs(seen(env));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let guard = group::guard().map_err(|error| undone(&error.to_string()))?;
        let (stdout, lines) =
            lines().map_err(|error| undone(&format!("`{name}` can't be started: {error}")))?;
        let group = Group::start_kept(&mut command, None);
        let mut group = group.map_err(|error| undone(&format!("`{name}` can't be started: {error}")))?;
        let child = group.child();
        let stdin = child.stdin.take();
        // The thread waits for nothing else.
        let _ = stdout.send(child.stdout.take());
        Ok(Self { _group: group, stdin, lines, end, guard })
    }

    pub(super) fn say(&mut self, message: &Json) -> Result<(), Failed> {
        let stdin = self.stdin.as_mut().ok_or_else(|| undone("it has no standard input"))?;
        let said = stdin.write_all(format!("{message}\n").as_bytes()).and_then(|()| stdin.flush());
        said.map_err(|error| undone(&format!("it listens no more: {error}")))
    }

    /// The answer of this id; what is none is passed over.
    pub(super) fn hear(&mut self, id: u64) -> Result<Option<Json>, Failed> {
        let mut passed = 0;
        while passed < MOST_LINES {
            let line = match self.lines.recv_timeout(PAUSE) {
                Ok(line) => line,
                Err(RecvTimeoutError::Disconnected) => return Err(undone("it ended")),
                Err(RecvTimeoutError::Timeout) if Instant::now() >= self.end || self.guard.is_stopped() => {
                    return Err(undone("it was stopped"));
                }
                Err(RecvTimeoutError::Timeout) => continue,
            };
            passed += 1;
            let answer: Option<Json> = serde_json::from_str(&line).ok();
            if let Some(answer) = answer.filter(|answer| answer.get("id") == Some(&json!(id))) {
                return Ok(Some(answer));
            }
        }
        Ok(None)
    }
}

/// The lines of a stream, once that is there: at most so many bytes of it, and never more than a few ahead.
fn lines() -> io::Result<(SyncSender<Option<ChildStdout>>, Receiver<String>)> {
    let (sender, receiver) = sync_channel(16);
    let stream = threads::ahead("lines", move |stream: Option<ChildStdout>| {
        let Some(stream) = stream else { return };
        for line in BufReader::new(stream.take(MOST_ANSWERED)).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    })?;
    Ok((stream, receiver))
}
