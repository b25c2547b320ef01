//! `run_command`: a program that receives a decision as JSON on its standard input.

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

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
pub struct Program {
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
    pub program: Program,
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
            Failed { fate, message: format!("`{program}` did not carry out {}: {message}", order.id), said }
        })
    }
}

/// What a program answered, or what went wrong.
type Answer = Result<Report, (Fate, String)>;

/// Runs a program; what it wrote, or what went wrong, and what it said to standard error.
fn run(carrier: &RunCommand, order: &Order<'_>) -> (Answer, String) {
    let program = &carrier.program;
    // From here on: a signal that came between the start and the guard would end this process alone.
    let started = group::guard().and_then(|guard| Ok((guard, start(carrier, order)?)));
    let (guard, mut running) = match started {
        Ok(started) => started,
        Err(error) => return (Err((Fate::Undone, format!("it can't be started: {error}"))), String::new()),
    };
    let end = Instant::now().checked_add(program.time_limit);
    let ended = running.wait(end, guard);
    // Something that left the group may hold the output open.
    let left = || end.map_or(PAUSE, |end| end.saturating_duration_since(Instant::now())).max(PAUSE);
    let wrote = running.wrote.recv_timeout(left());
    let said = running.said.recv_timeout(PAUSE).unwrap_or_default();
    (answer(program, ended, wrote), String::from_utf8_lossy(&said).into_owned())
}

fn answer(
    program: &Program,
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

/// Starts a program in a process group of its own, with nothing of the environment but what it may see.
fn start(RunCommand { program, lock, .. }: &RunCommand, order: &Order<'_>) -> io::Result<Running> {
    let input = order.message();
    let seen = |name: &str| std::env::var_os(name).map(|value| (name.to_owned(), value));
    let mut command = Command::new(&program.program);
    command
        .args(&program.args)
        .env_clear()
        .envs(ENVIRONMENT.into_iter().filter_map(seen))
        .envs(program.env.iter().filter_map(|name| seen(name)))
        .env("HENCE_DECISION", order.id)
        .env("HENCE_ATTEMPT", order.attempt.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut group = Group::start_kept(&mut command, lock.as_deref())?;
    if let Some(mut stdin) = group.child().stdin.take() {
        // A program that reads nothing is not a fault, and one that waits for more must not stop this process.
        thread::spawn(move || stdin.write_all(input.as_bytes()));
    }
    let wrote = collected(group.child().stdout.take(), MOST_ANSWERED + 1);
    let said = collected(group.child().stderr.take(), MOST_SAID);
    Ok(Running { group, wrote, said })
}

/// A program at work.
struct Running {
    group: Group,
    wrote: mpsc::Receiver<Vec<u8>>,
    said: mpsc::Receiver<Vec<u8>>,
}

impl Running {
    /// Waits until the program ends, at most until `end`, and ends its group; `None` where its time was over.
    fn wait(&mut self, end: Option<Instant>, guard: group::Guard) -> io::Result<Option<ExitStatus>> {
        loop {
            let over = end.is_some_and(|end| Instant::now() >= end);
            let by_itself = self.group.has_ended()?;
            if by_itself || over || guard.is_stopped() {
                let status = self.group.stop()?;
                drop(guard);
                return Ok(by_itself.then_some(status));
            }
            thread::sleep(PAUSE);
        }
    }
}

/// Reads a stream to its end, so that the program can go on, and hands over the first bytes of it.
pub(super) fn collected(stream: Option<impl Read + Send + 'static>, most: u64) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let Some(mut stream) = stream else { return };
        let mut bytes = Vec::new();
        if stream.by_ref().take(most).read_to_end(&mut bytes).is_ok() {
            // Nobody waits for it any more where the program's time is over.
            let _ = io::copy(&mut stream, &mut io::sink());
            let _ = sender.send(bytes);
        }
    });
    receiver
}
