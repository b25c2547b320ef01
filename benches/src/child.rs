//! Each measurement in a process of its own: this program, started anew with the name of what it is to measure, prints
//! its figures as a line of JSON.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::{Value as Json, json};

use crate::generate::{self, Size};
use crate::measure::{Measured, of_children};
use crate::peers::{PEERS, Task, hence};
use crate::{change, cold, decision, load, ranks, recursion};

/// Runs this program with `arguments` and reads its figures; `None`, with a line on standard error, where it fails.
pub fn ask(arguments: &[&str]) -> Option<Json> {
    let program = std::env::current_exe().unwrap();
    let output =
        Command::new(program).arg("child").args(arguments).stderr(Stdio::inherit()).output().unwrap();
    let figures = output.stdout.split(|byte| *byte == b'\n').rfind(|line| !line.is_empty());
    let figures = figures.and_then(|line| serde_json::from_slice(line).ok());
    if !output.status.success() || figures.is_none() {
        eprintln!("`{}` failed ({})", arguments.join(" "), output.status);
        return None;
    }
    figures
}

/// The figures of `times` runs, without those that failed.
pub fn ask_often(arguments: &[&str], times: usize) -> Vec<Json> {
    (0..times).filter_map(|_| ask(arguments)).collect()
}

/// Does what [`ask`] wants and ends the process.
pub fn answer(arguments: &[String]) -> ! {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let figures = match words.as_slice() {
        ["generate", workload, size, folder] => {
            let size = if *size == "quick" { Size::Quick } else { Size::Full };
            generate::workload(workload, size, Path::new(folder));
            Json::Null
        }
        ["batch", peer, workload, folder] => batch(peer, workload, Path::new(folder)).json(),
        ["decision", peer, folder] => decision::measure(peer, Path::new(folder)),
        ["change", kind, facts, seconds] => {
            change::measure(kind, facts.parse().unwrap(), seconds.parse().unwrap())
        }
        ["clients", facts, clients, seconds] => change::durable::measure(
            facts.parse().unwrap(),
            clients.parse().unwrap(),
            seconds.parse().unwrap(),
        ),
        ["recursion", case, size] => recursion::measure(case, size),
        ["ranks", workload, folder] => ranks::measure(workload, Path::new(folder)),
        ["facts", file] => load::read(Path::new(file)),
        ["ledger", folder, store] => cold::write(Path::new(folder), Path::new(store)),
        ["command", "in", folder, program, arguments @ ..] => {
            command(Command::new(program).args(arguments.iter()).current_dir(folder))
        }
        ["command", program, arguments @ ..] => command(Command::new(program).args(arguments.iter())),
        other => panic!("what is `{}`?", other.join(" ")),
    };
    println!("{figures}");
    std::io::stdout().flush().unwrap();
    std::process::exit(0)
}

fn batch(peer: &str, workload: &str, folder: &Path) -> Measured {
    if peer == "hence_on_two" {
        return hence::run_on_two(Task::of(workload), folder);
    }
    let (_, program, _) = PEERS.iter().find(|(name, ..)| *name == peer).unwrap();
    program(Task::of(workload), folder)
}

/// Runs another program; its times and memory are those of the one child that this process has had.
fn command(command: &mut Command) -> Json {
    let begun = Instant::now();
    let output = command.stderr(Stdio::inherit()).output().unwrap();
    let wall = begun.elapsed().as_secs_f64();
    let (cpu, peak_kib) = of_children();
    let text = String::from_utf8_lossy(&output.stdout);
    let status = output.status.code();
    json!({"cpu": cpu, "wall": wall, "peak_kib": peak_kib, "status": status, "output": text})
}
