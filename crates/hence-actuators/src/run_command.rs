//! `run_command`: a program that receives a decision as JSON on its standard input.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use super::carry::{Carrier, Order, Report};
use super::error::ActuatorError;
use super::group;
use hence_core::fault::OrBroken;
use hence_core::json;
use hence_core::value::Value;

/// The name of the carrier.
pub const NAME: &str = "run_command";

/// How much a program may say, in bytes.
const MOST_OUTPUT: u64 = 1 << 20;
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

/// Starts a program for each decision of the relations that have one, never through a shell.
///
/// Its standard input is one line of JSON: `id`, `relation`, `values` by column, `rule`, `because`, `now`. What it
/// writes to standard output, at most 1 MiB of JSON Lines, are facts to be asserted. It runs in a process group of its
/// own, which ends when it does, at the latest when its time is over or this process is asked to end; a program that
/// was stopped, and an exit status other than 0, are errors, and nothing is asserted then.
pub struct RunCommand {
    /// The programs, by relation.
    pub programs: BTreeMap<String, Program>,
}

impl Carrier for RunCommand {
    fn name(&self) -> &'static str {
        NAME
    }

    fn wants(&self, relation: &str) -> bool {
        self.programs.contains_key(relation)
    }

    fn carry_out(&self, order: &Order<'_>) -> Result<Report, ActuatorError> {
        let program = self.programs.get(order.decision.relation.as_str());
        let program = program.or_broken("a carrier is only given what it wants");
        let (answer, said) = run(program, format!("{}\n", message(order)));
        match answer {
            Ok(lines) => Ok(Report { facts: Vec::new(), lines, said }),
            Err(message) => Err(ActuatorError::Carry {
                program: program.program.display().to_string(),
                decision: order.id.to_owned(),
                message,
                said,
            }),
        }
    }
}

/// What a program receives of a decision.
fn message(order: &Order<'_>) -> Json {
    let values = order.decision.values.iter().map(|value| json::value(*value));
    let values = order.columns.iter().cloned().zip(values);
    json!({
        "id": order.id, "relation": order.decision.relation.as_str(),
        "values": values.collect::<serde_json::Map<_, _>>(),
        "rule": order.rule, "because": order.because, "now": Value::Time(order.now).text(),
    })
}

/// Runs a program; what it wrote, or what went wrong, and what it said to standard error.
fn run(program: &Program, input: String) -> (Result<String, String>, String) {
    let mut running = match start(program, input) {
        Ok(running) => running,
        Err(error) => return (Err(format!("it can't be started: {error}")), String::new()),
    };
    let end = Instant::now().checked_add(program.time_limit);
    let ended = running.wait(end);
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
) -> Result<String, String> {
    match ended.map_err(|error| error.to_string())? {
        None => return Err(format!("it was stopped after {:?}", program.time_limit)),
        Some(status) if !status.success() => return Err(format!("it ended with {status}")),
        Some(_) => {}
    }
    let bytes = wrote.map_err(|_| String::from("its output did not end"))?;
    if bytes.len() as u64 > MOST_OUTPUT {
        return Err(format!("it wrote more than {MOST_OUTPUT} bytes"));
    }
    String::from_utf8(bytes).map_err(|_| String::from("its output is not UTF-8"))
}

/// Starts a program in a process group of its own, with nothing of the environment but what it may see.
fn start(program: &Program, input: String) -> io::Result<Running> {
    let seen = |name: &str| std::env::var_os(name).map(|value| (name.to_owned(), value));
    let mut command = Command::new(&program.program);
    command
        .args(&program.args)
        .env_clear()
        .envs(ENVIRONMENT.into_iter().filter_map(seen))
        .envs(program.env.iter().filter_map(|name| seen(name)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = group::spawn(&mut command)?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that reads nothing is not a fault, and one that waits for more must not stop this process.
        thread::spawn(move || stdin.write_all(input.as_bytes()));
    }
    let wrote = collected(child.stdout.take(), MOST_OUTPUT + 1);
    let said = collected(child.stderr.take(), MOST_SAID);
    Ok(Running { child, wrote, said, ended: false })
}

/// A program that was started, and everything that it started in turn; all of it ends with this value.
struct Running {
    child: Child,
    wrote: mpsc::Receiver<Vec<u8>>,
    said: mpsc::Receiver<Vec<u8>>,
    ended: bool,
}

impl Running {
    /// Waits until the program ends, at most until `end`, and ends its group; `None` where its time was over.
    fn wait(&mut self, end: Option<Instant>) -> io::Result<Option<ExitStatus>> {
        let guard = group::guard()?;
        loop {
            let over = end.is_some_and(|end| Instant::now() >= end);
            let by_itself = group::has_ended(&mut self.child)?;
            if by_itself || over || guard.is_stopped() {
                let status = self.stop()?;
                drop(guard);
                return Ok(by_itself.then_some(status));
            }
            thread::sleep(PAUSE);
        }
    }

    fn stop(&mut self) -> io::Result<ExitStatus> {
        self.ended = true;
        group::kill(&mut self.child)?;
        self.child.wait()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.ended {
            // Whoever drops it already reports what went wrong.
            let _ = self.stop();
        }
    }
}

/// Reads a stream to its end, so that the program can go on, and hands over the first bytes of it.
fn collected(stream: Option<impl Read + Send + 'static>, most: u64) -> mpsc::Receiver<Vec<u8>> {
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
