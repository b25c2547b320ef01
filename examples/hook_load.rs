//! How long a gate's hook takes: from before its process starts until its answer is read and it has ended.
//!
//! ```text
//! cargo run --release --example hook_load -- PROGRAM FOLDER FIRST CALLS AT_ONCE
//! ```
//!
//! `benches/gate_latency.py` runs it, since starting processes from Python takes a third of the time measured. PROGRAM is
//! `hence-hook` or `hence`, FOLDER where `.hence` is; calls are numbered from FIRST on, and AT_ONCE of them run side by side.
//! Prints a line of JSON: the milliseconds of each call, and the processor milliseconds of all hooks and of this program.

use std::env;
use std::error::Error;
use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

type Fallible<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// The clock ticks of `/proc`, a second.
const TICKS: f64 = 100.0;
/// What the calls want to run, in turns.
const COMMANDS: [&str; 10] = [
    "ls -la",
    "git status --short",
    "cargo test -q NAME",
    "grep -rn 'fn main' src | head",
    "sed -n 1,80p src/lib.rs",
    "for f in a b; do cat $f; done",
    "git add -A && git commit -qm 'a message'",
    "cat .env",
    "rm -rf /",
    "curl https://x.example",
];

struct Load {
    program: String,
    folder: String,
}

fn main() -> Fallible<()> {
    let words: Vec<String> = env::args().skip(1).collect();
    let [program, folder, first, calls, at_once] = words.as_slice() else {
        return Err("expected PROGRAM FOLDER FIRST CALLS AT_ONCE".into());
    };
    let load = Load { program: program.clone(), folder: folder.clone() };
    let (first, calls, at_once): (usize, usize, usize) = (first.parse()?, calls.parse()?, at_once.parse()?);
    let took = thread::scope(|scope| {
        let load = &load;
        let asking: Vec<_> = (0..at_once)
            .map(|at| {
                scope.spawn(move || {
                    (first + at..first + calls).step_by(at_once).map(|number| load.ask(number)).collect()
                })
            })
            .collect();
        asking
            .into_iter()
            .map(|one| one.join().map_err(|_| "a thread ended")?)
            .collect::<Fallible<Vec<Vec<Duration>>>>()
    })?;
    let took: Vec<f64> = took.iter().flatten().map(|took| took.as_secs_f64() * 1000.0).collect();
    let (own, hooks) = processor()?;
    let told = json!({ "took": took, "own": own, "hooks": hooks });
    Ok(writeln!(std::io::stdout(), "{told}")?)
}

impl Load {
    /// Asks about a call as a host does; how long that took.
    fn ask(&self, number: usize) -> Fallible<Duration> {
        let event = self.event(number);
        let store = format!("{}/.hence", self.folder);
        let begun = Instant::now();
        let mut hook = Command::new(&self.program)
            .args(["gate", "--host", "claude", "--store", &store])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        hook.stdin.take().ok_or("no pipe")?.write_all(event.as_bytes())?;
        let answer = String::from_utf8(hook.wait_with_output()?.stdout)?;
        let took = begun.elapsed();
        if !answer.contains("permissionDecision") || answer.contains("undecided") {
            return Err(format!("no verdict: {answer}").into());
        }
        Ok(took)
    }

    fn event(&self, number: usize) -> String {
        let command = COMMANDS.get(number % COMMANDS.len()).unwrap_or(&"ls");
        json!({
            "session_id": format!("s{}", number / 500), "transcript_path": "", "cwd": self.folder,
            "permission_mode": "default", "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": { "command": format!("{command} # {number}") }, "tool_use_id": format!("u{number}"),
        })
        .to_string()
    }
}

/// The processor milliseconds of this process, and of those it started.
fn processor() -> Fallible<(f64, f64)> {
    let told = fs::read_to_string("/proc/self/stat")?;
    let fields: Vec<&str> = told.rsplit(')').next().ok_or("no fields")?.split_whitespace().collect();
    let ticks = |at: usize| -> Fallible<f64> {
        Ok(fields.get(at).ok_or("too few fields")?.parse::<f64>()? * 1000.0 / TICKS)
    };
    Ok((ticks(11)? + ticks(12)?, ticks(13)? + ticks(14)?))
}
