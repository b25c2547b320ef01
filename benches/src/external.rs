//! Programs that are no crates: run where they are on the path, else said to be absent. What they take includes
//! starting, loading and writing results; there is no way to ask them for less.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::child;
use crate::measure::{Check, Measured, Span};
use crate::options::{Options, home};
use crate::peers::Task;

/// A program on the path.
pub struct External {
    pub name: &'static str,
    prepare: fn(Task, &Path) -> Option<Vec<String>>,
    count: fn(&str, &Path) -> u64,
}

/// What has to be there for a program to run.
enum Needs {
    Command(&'static str),
    /// A module of the Python that `python3` is.
    Module(&'static str),
}

const KNOWN: [(Needs, External); 4] = [
    (Needs::Command("souffle"), External { name: "souffle", prepare: souffle, count: sizes }),
    (Needs::Module("nmo_python"), External { name: "nemo", prepare: nemo, count: the_number }),
    (Needs::Command("clingo"), External { name: "clingo", prepare: clingo, count: ground_facts }),
    (Needs::Command("duckdb"), External { name: "duckdb", prepare: duckdb, count: the_number }),
];

/// After how many seconds Nemo is stopped: the 2,000 rounds of a chain take it minutes.
const NEMO_AT_MOST: &str = "60";

/// Those that are wanted and there; names the others.
pub fn found(options: &Options) -> Vec<External> {
    let mut there = Vec::new();
    for (needs, program) in KNOWN {
        if !options.wants(program.name) {
            continue;
        }
        match needs {
            Needs::Command(command) if !on_path(command) => {
                println!("{}: `{command}` is not on the path, so it is left out", program.name);
            }
            Needs::Module(module) if !has_module(module) => {
                println!("{}: `python3` has no module `{module}`, so it is left out", program.name);
            }
            _ => there.push(program),
        }
    }
    there
}

/// Whether a command is on the path.
pub fn on_path(command: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(command).is_file())
}

fn has_module(module: &str) -> bool {
    let asked =
        Command::new("python3").args(["-c", &format!("import {module}")]).stderr(Stdio::null()).status();
    asked.is_ok_and(|status| status.success())
}

impl External {
    /// One run; `None` where it can't do the task or fails.
    pub fn run(&self, task: Task, folder: &Path) -> Option<Measured> {
        let command = (self.prepare)(task, folder)?;
        let words: Vec<&str> = ["command"].into_iter().chain(command.iter().map(String::as_str)).collect();
        let figures = child::ask(&words)?;
        figures.get("status").filter(|status| status.as_i64() == Some(0))?;
        let number = |name: &str| figures.get(name)?.as_f64();
        let output = figures.get("output")?.as_str()?;
        // No sum is known of it: zero counts as agreeing.
        let check = Check { count: (self.count)(output, folder), sum: 0 };
        let eval = Span { cpu: number("cpu")?, wall: number("wall")? };
        Some(Measured { load: Span::default(), eval, peak_kib: number("peak_kib")? as u64, check })
    }
}

fn stem(task: Task) -> &'static str {
    match task {
        Task::Closure => "tc",
        Task::Generation => "sg",
        Task::PointsTo => "andersen",
        Task::Aggregates => "agg",
        Task::Triangles => "triangle",
        Task::Ontology | Task::Classification => "ontology",
        Task::Year => "year",
    }
}

fn text(path: PathBuf) -> String {
    path.to_string_lossy().into_owned()
}

/// Soufflé's program, compiled once into `target`; that isn't part of its time.
pub fn souffle_program(stem: &str) -> Option<String> {
    let program = home().join(format!("target/souffle_{stem}"));
    if !program.is_file() {
        let source = text(home().join(format!("external/souffle/{stem}.dl")));
        let compiled = child::ask(&["command", "souffle", "-o", &text(program.clone()), &source])?;
        compiled.get("status").filter(|status| status.as_i64() == Some(0))?;
    }
    Some(text(program))
}

fn souffle(task: Task, folder: &Path) -> Option<Vec<String>> {
    let program = souffle_program(stem(task))?;
    Some(vec![program, "-j1".into(), "-F".into(), text(folder.to_owned())])
}

/// The sum of what `.printsize` wrote: a name and a number a line.
fn sizes(output: &str, _folder: &Path) -> u64 {
    output.lines().filter_map(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok()).sum()
}

fn nemo(task: Task, folder: &Path) -> Option<Vec<String>> {
    let programs = home().join("external/nemo");
    let (run, program) = (programs.join("run.py"), programs.join(format!("{}.rls", stem(task))));
    let words = [
        "in",
        &text(folder.to_owned()),
        "timeout",
        NEMO_AT_MOST,
        "python3",
        &text(run),
        &text(program.clone()),
    ];
    program.is_file().then(|| words.map(String::from).into())
}

/// clingo's grounder evaluates such programs; its facts have to be written as rules first.
fn clingo(task: Task, folder: &Path) -> Option<Vec<String>> {
    let program = home().join(format!("external/clingo/{}.lp", stem(task)));
    let facts = folder.join("clingo.lp");
    if !program.is_file() {
        return None;
    }
    let mut rules = String::new();
    for file in fs::read_dir(folder).into_iter().flatten().flatten().map(|file| file.path()) {
        if file.extension().is_some_and(|end| end == "facts") {
            let name = file.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
            for row in fs::read_to_string(&file).unwrap_or_default().lines() {
                rules += &format!("{name}({}).\n", row.replace('\t', ","));
            }
        }
    }
    fs::write(&facts, rules).ok()?;
    let words = ["clingo", "--mode=gringo", "--text"].map(String::from);
    Some(words.into_iter().chain([text(program), text(facts)]).collect())
}

/// The facts that a shown ground program has.
fn ground_facts(output: &str, _folder: &Path) -> u64 {
    let relations = ["path(", "sg(", "pt(", "t("];
    output.lines().filter(|line| relations.iter().any(|relation| line.starts_with(relation))).count() as u64
}

fn duckdb(task: Task, folder: &Path) -> Option<Vec<String>> {
    let program = home().join(format!("external/duckdb/{}.sql", stem(task)));
    let settings = format!("set threads = 1; set file_search_path = '{}'", folder.display());
    let words =
        ["duckdb", "-noheader", "-list", "-cmd", &settings, "-f", &text(program.clone())].map(String::from);
    program.is_file().then(|| words.into())
}

/// The one number that was written.
fn the_number(output: &str, _folder: &Path) -> u64 {
    output.trim().parse().unwrap_or_default()
}
