//! `run_command`: a program that receives a decision as JSON on its standard input.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use hence_core::threads;

use super::carry::{Carrier, Failed, Fate, MOST_ANSWERED, Order, Report};
use super::group::{self, Group};

/// How much of its standard error is reported, in bytes.
const MOST_SAID: u64 = 64 << 10;
/// The variables that every program sees: where programs and files are, who it is, which language and time zone.
pub(crate) const ENVIRONMENT: [&str; 11] =
    ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "SYSTEMROOT"];
/// How often a program is looked at.
const PAUSE: Duration = Duration::from_millis(5);

/// A program for the decisions of one relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalProgram {
    /// The program: a path, or a name to be found on the `PATH`.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// How long it may run.
    pub time_limit: Duration,
    /// The variables of the environment that it sees beside those that every program sees.
    pub env: Vec<String>,
}

/// Starts a program for each decision of a relation, never through a shell.
///
/// Its standard input is one line of JSON: `id`, `relation`, `values` by column, `rule`, `because`, `now`. What it
/// writes to standard output, at most 1 MiB of JSON Lines, are facts to be asserted. It runs in a process group of its
/// own, which ends when it does, at the latest when its time is over or this process is asked to end; a program that
/// was stopped, and an exit status other than 0, are errors, and nothing is asserted then.
///
/// Its group ends too where this process is killed, and no other program starts before it has: this process starts
/// itself as a [keeper](super::keeper) of the group, so it has to be hence.
pub struct RunCommand {
    /// What it is called.
    pub name: &'static str,
    /// The program.
    pub program: ExternalProgram,
    /// The file whose lock is held while a program runs.
    pub lock: Option<PathBuf>,
}

impl Carrier for RunCommand {
    fn name(&self) -> &'static str {
        self.name
    }

    fn speaker(&self) -> String {
        self.program.program.display().to_string()
    }

    fn carry_out(&self, order: &Order<'_>) -> Result<Report, Failed> {
        let (answer, said) = run(self, order);
        answer.map(|report| Report { said: said.clone(), ..report }).map_err(|(fate, message)| {
            let program = self.program.program.display();
            Failed { fate, message: format!("`{program}` failed: {message}"), said }
        })
    }
}

/// What a program answered, or what went wrong.
type Answer = Result<Report, (Fate, String)>;

/// Runs a program; what it wrote, or what went wrong, and what it said to standard error.
fn run(RunCommand { program, lock, .. }: &RunCommand, order: &Order<'_>) -> (Answer, String) {
    // From here on: a signal that came between the start and the guard would end this process alone.
    let mut command = command(program, order);
    let started = group::guard()
        .and_then(|guard| Ok((Running::start(&mut command, order.message(), lock.as_deref())?, guard)));
    let (running, guard) = match started {
        Ok(started) => started,
        Err(error) => return (Err((Fate::Undone, format!("it can't be started: {error}"))), String::new()),
    };
    let ran = running.finish(Instant::now().checked_add(program.time_limit), &guard);
    drop(guard);
    (answer(program, ran.ended, ran.wrote), String::from_utf8_lossy(&ran.said).into_owned())
}

/// What came of a program.
pub(super) struct Ran {
    /// How it ended; `None` where it was stopped.
    pub(super) ended: io::Result<Option<ExitStatus>>,
    /// What it wrote to standard output, at most one byte more than [`MOST_ANSWERED`].
    pub(super) wrote: Result<Vec<u8>, mpsc::RecvTimeoutError>,
    /// What it said to standard error.
    pub(super) said: Vec<u8>,
}

fn answer(
    program: &ExternalProgram,
    ended: io::Result<Option<ExitStatus>>,
    wrote: Result<Vec<u8>, mpsc::RecvTimeoutError>,
) -> Answer {
    match ended.map_err(|error| (Fate::Unknown, error.to_string()))? {
        None => return Err((Fate::Unknown, format!("it was stopped after {:?}", program.time_limit))),
        Some(status) if !status.success() => {
            // The program itself says that it failed; a signal came from elsewhere.
            let fate = if status.code().is_some() { Fate::Undone } else { Fate::Unknown };
            return Err((fate, format!("it ended with {status}")));
        }
        Some(_) => {}
    }
    let unread = |why: &str| Report { unread: Some(why.to_owned()), ..Report::default() };
    Ok(match wrote {
        Err(_) => unread("its output did not end"),
        Ok(bytes) if bytes.len() as u64 > MOST_ANSWERED => {
            unread(&format!("it wrote more than {MOST_ANSWERED} bytes"))
        }
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(lines) => Report { lines, ..Report::default() },
            Err(_) => unread("its output is not UTF-8"),
        },
    })
}

/// What a program sees of the environment: what every program sees, and what is named.
pub(super) fn seen(env: &[String]) -> impl Iterator<Item = (String, std::ffi::OsString)> {
    let names = ENVIRONMENT.into_iter().chain(env.iter().map(String::as_str));
    names.filter_map(|name| std::env::var_os(name).map(|value| (name.to_owned(), value)))
}

fn command(program: &ExternalProgram, order: &Order<'_>) -> Command {
    let mut command = Command::new(&program.program);
    command
        .args(&program.args)
        .env_clear()
        .envs(seen(&program.env))
        .env("HENCE_DECISION", order.id)
        .env("HENCE_ATTEMPT", order.attempt.to_string());
    command
}

/// A program at work; it and everything that it started in turn end with this value.
pub(super) struct Running {
    group: Group,
    wrote: mpsc::Receiver<Vec<u8>>,
    said: mpsc::Receiver<Vec<u8>>,
}

impl Running {
    /// Starts a program in a process group that ends with this process too; `input` is its standard input, and the lock
    /// is held while the group lives.
    pub(super) fn start(command: &mut Command, input: String, lock: Option<&Path>) -> io::Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // A program that reads nothing is not a fault, and one that waits for more must not stop this process.
        let told = threads::ahead("input", move |stdin: Option<ChildStdin>| {
            stdin.map(|mut stdin| stdin.write_all(input.as_bytes()));
        })?;
        let (wrote, said) = (Collected::ahead(MOST_ANSWERED + 1)?, Collected::ahead(MOST_SAID)?);
        let mut group = Group::start_kept(command, lock)?;
        let child = group.child();
        // The thread waits for nothing else.
        let _ = told.send(child.stdin.take());
        let (wrote, said) = (wrote.of(child.stdout.take()), said.of(child.stderr.take()));
        Ok(Self { group, wrote, said })
    }

    /// Waits until it ends, at most until `end` or until this process is to end; then its group is ended.
    pub(super) fn finish(mut self, end: Option<Instant>, guard: &group::Guard) -> Ran {
        let ended = self.wait(end, guard);
        // Something that left the group may hold the output open.
        let left = || end.map_or(PAUSE, |end| end.saturating_duration_since(Instant::now())).max(PAUSE);
        let wrote = self.wrote.recv_timeout(left());
        let said = self.said.recv_timeout(PAUSE).unwrap_or_default();
        Ran { ended, wrote, said }
    }

    fn wait(&mut self, end: Option<Instant>, guard: &group::Guard) -> io::Result<Option<ExitStatus>> {
        loop {
            let over = end.is_some_and(|end| Instant::now() >= end);
            let by_itself = self.group.has_ended()?;
            if by_itself || over || guard.is_stopped() {
                let status = self.group.stop()?;
                return Ok(by_itself.then_some(status));
            }
            thread::sleep(PAUSE);
        }
    }
}

/// Reads a stream to its end, so that the program can go on, and hands over the first bytes of it.
pub(super) struct Collected<S> {
    stream: SyncSender<Option<S>>,
    bytes: mpsc::Receiver<Vec<u8>>,
}

impl<S: Read + Send + 'static> Collected<S> {
    /// Gets ready, before there is a program.
    ///
    /// # Errors
    /// The system gives no thread.
    pub(super) fn ahead(most: u64) -> io::Result<Self> {
        let (sender, bytes) = mpsc::channel();
        let stream = threads::ahead("output", move |stream: Option<S>| {
            let Some(mut stream) = stream else { return };
            let mut bytes = Vec::new();
            if stream.by_ref().take(most).read_to_end(&mut bytes).is_ok() {
                // Nobody waits for it any more where the program's time is over.
                let _ = io::copy(&mut stream, &mut io::sink());
                let _ = sender.send(bytes);
            }
        })?;
        Ok(Self { stream, bytes })
    }

    /// Reads this stream; where its first bytes come, at its end.
    pub(super) fn of(self, stream: Option<S>) -> mpsc::Receiver<Vec<u8>> {
        // The thread waits for nothing else.
        let _ = self.stream.send(stream);
        self.bytes
    }
}
