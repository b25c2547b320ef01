//! `run_command`: a program that is told of a decision as JSON on its standard input.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use super::carry::{Carrier, Order, Report};
use super::error::ActuatorError;
use crate::value::Value;

/// The name of the carrier.
pub const NAME: &str = "run_command";

/// How much a program may say, in bytes.
const MOST_OUTPUT: u64 = 1 << 20;
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
}

/// Starts a program for each decision of the relations that have one, never through a shell.
///
/// Its standard input is one line of JSON: `id`, `relation`, `values` by column, `rule`, `because`, `now`. What it
/// writes to standard output, at most 1 MiB of JSON Lines, are facts to be asserted. It is killed when its time is
/// over; that, and an exit status other than 0, are errors, and nothing is asserted then.
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
        let Some(program) = self.programs.get(order.decision.relation.as_str()) else {
            return Ok(Report::default());
        };
        let fault = |message: String| ActuatorError::Carry {
            program: program.program.display().to_string(),
            decision: order.id.to_owned(),
            message,
        };
        let lines = run(program, format!("{}\n", told(order))).map_err(fault)?;
        Ok(Report { facts: Vec::new(), lines })
    }
}

/// What a program is told of a decision.
fn told(order: &Order<'_>) -> Json {
    let value = |value: &Value| match value {
        Value::Bool(value) => json!(value),
        Value::Int(value) => json!(value),
        Value::Float(value) => json!(value.get()),
        other => json!(other.text()),
    };
    let values = order.columns.iter().cloned().zip(order.decision.values.iter().map(value));
    json!({
        "id": order.id, "relation": order.decision.relation.as_str(),
        "values": values.collect::<serde_json::Map<_, _>>(),
        "rule": order.rule, "because": order.because, "now": Value::Time(order.now).text(),
    })
}

/// Runs a program; what it wrote, or what went wrong.
fn run(program: &Program, input: String) -> Result<String, String> {
    let mut child = Command::new(&program.program)
        .args(&program.args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .map_err(|error| format!("it can't be started: {error}"))?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that reads nothing is no fault, and one that waits for more must not stop this process.
        thread::spawn(move || stdin.write_all(input.as_bytes()));
    }
    let output = child.stdout.take().map(collected);
    let end = Instant::now().checked_add(program.time_limit);
    let status = wait(&mut child, end).map_err(|error| error.to_string())?;
    let Some(status) = status else {
        let _ = child.kill();
        let _ = child.wait();
        return Err(format!("it was stopped after {:?}", program.time_limit));
    };
    if !status.success() {
        return Err(format!("it ended with {status}"));
    }
    // Something that the program left behind may hold its output open.
    let left = end.map_or(PAUSE, |end| end.saturating_duration_since(Instant::now())).max(PAUSE);
    let bytes = match output.map(|output| output.recv_timeout(left)) {
        Some(Ok(bytes)) => bytes,
        Some(Err(_)) => return Err(String::from("its output did not end")),
        None => Vec::new(),
    };
    if bytes.len() as u64 > MOST_OUTPUT {
        return Err(format!("it wrote more than {MOST_OUTPUT} bytes"));
    }
    String::from_utf8(bytes).map_err(|_| String::from("its output is no UTF-8"))
}

fn collected(mut output: ChildStdout) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = output.by_ref().take(MOST_OUTPUT + 1).read_to_end(&mut bytes);
        if read.is_ok() {
            let _ = sender.send(bytes);
        }
        // What is beyond is read away, so that the program can end.
        let _ = io::copy(&mut output, &mut io::sink());
    });
    receiver
}

/// Waits for the end of a program until `end`; `None` where it goes on.
fn wait(child: &mut Child, end: Option<Instant>) -> io::Result<Option<ExitStatus>> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if end.is_some_and(|end| Instant::now() >= end) {
            return Ok(None);
        }
        thread::sleep(PAUSE);
    }
}
