//! Loading: rules from text until they can be evaluated, and facts from files until the engine holds them.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use hence::session::{FactFiles, Session, read_facts};
use hence_engine::SemiNaive;
use hence_engine::{Engine, Limits};
use serde_json::{Value as Json, json};

use crate::change::RULES;
use crate::child;
use crate::external::{on_path, souffle_program};
use crate::facts::each;
use crate::measure::{Moment, Series, peak_kib};
use crate::options::{Options, home};
use crate::peers::hence::rules;
use crate::report::{digits, spread, table};

const FACTS: &str = "## One execution of a tool.
input tool_run(run: int, tool: int, domain: int, ok: int, latency: int).
";

/// The standing rules `copies` times, each under other names.
fn many_rules(copies: usize) -> String {
    let names: BTreeSet<&str> = RULES.lines().filter_map(defined).collect();
    let mut text = String::new();
    for copy in 0..copies {
        for line in RULES.lines() {
            let mut rest = line;
            while let Some(at) = rest.find('(') {
                let (head, tail) = rest.split_at(at);
                let start =
                    head.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_').map_or(0, |at| at + 1);
                let suffix = if names.contains(&head[start..]) { format!("_{copy}") } else { String::new() };
                let _ = write!(text, "{head}{suffix}(");
                rest = &tail[1..];
            }
            text += rest;
            text.push('\n');
        }
    }
    text
}

/// The relation that a line declares or derives.
fn defined(line: &str) -> Option<&str> {
    let line =
        ["input ", "relation ", "decision "].iter().find_map(|word| line.strip_prefix(word)).unwrap_or(line);
    let name = line.split('(').next()?;
    let first = name.chars().next()?;
    (first.is_ascii_lowercase() && line.len() > name.len() && !name.contains(' ')).then_some(name)
}

/// The section on rules.
pub fn section(options: &Options, figures: &mut Json) -> bool {
    let text = many_rules(20);
    let mut times = Vec::new();
    let mut count = 0;
    for _ in 0..10 * options.runs {
        let begun = Moment::now();
        let loaded = rules("many.dl", &text);
        times.push(begun.elapsed().cpu * 1e3);
        count = loaded.program.rules.len();
    }
    let times = Series::new(times);
    println!("\n## loading of rules: parsed, checked, with lints, ready to be evaluated\n");
    let row = vec![count.to_string(), (text.len() / 1024).to_string(), spread(&times, digits)];
    table(&["rules", "KiB", "CPU ms"], &[row]);
    figures["load"] = json!({"rules": count, "bytes": text.len(), "cpu_ms": times.json()});
    true
}

/// Reads the facts of a file, or of a folder's files, into the engine, and measures each step.
pub fn read(path: &Path) -> Json {
    let rules = rules("tool_run.dl", FACTS);
    let begun = Moment::now();
    let facts = read_facts(&rules, &FactFiles::of(vec![path.to_owned()])).unwrap();
    let read = begun.elapsed();
    let begun = Moment::now();
    let session = Session::over_facts(rules, facts).unwrap();
    let input = session.input(0).unwrap();
    let model = SemiNaive.evaluate(&session.rules().program, input, &Limits::default()).unwrap();
    let taken = begun.elapsed();
    let id = session.rules().program.find("tool_run".into()).unwrap();
    let count = model.extent(id).unwrap().rows.len();
    json!({
        "read_cpu": read.cpu, "read_wall": read.wall, "engine_cpu": taken.cpu, "engine_wall": taken.wall,
        "total_cpu": read.cpu + taken.cpu, "peak_kib": peak_kib(), "facts": count,
    })
}

/// A file of facts in each form. A file holds at most 64 MiB, so the longest form takes two, in a folder.
fn write_forms(options: &Options) -> Vec<(&'static str, PathBuf)> {
    let source = crate::batch::facts("agg", options);
    let folder = home().join("target/facts/forms");
    let _ = fs::remove_dir_all(&folder);
    let forms = ["JSON Lines by name", "JSON Lines by position", "CSV", "TSV", ".facts"];
    let paths = ["named", "placed", "csv", "tsv", "plain"].map(|form| folder.join(form));
    paths.iter().for_each(|path| fs::create_dir_all(path).unwrap());
    let mut texts = [const { String::new() }; 4];
    let mut second = String::new();
    for form in [2, 3] {
        texts[form] =
            ["run", "tool", "domain", "ok", "latency"].join(if form == 2 { "," } else { "\t" }) + "\n";
    }
    let mut count = 0;
    each(&source, "tool_run", |[run, tool, domain, ok, latency]| {
        count += 1;
        let named = if count % 2 == 0 { &mut second } else { &mut texts[0] };
        let _ = writeln!(
            named,
            r#"{{"tool_run": {{"run": {run}, "tool": {tool}, "domain": {domain}, "ok": {ok}, "latency": {latency}}}}}"#
        );
        let _ = writeln!(texts[1], r#"{{"tool_run": [{run}, {tool}, {domain}, {ok}, {latency}]}}"#);
        let _ = writeln!(texts[2], "{run},{tool},{domain},{ok},{latency}");
        let _ = writeln!(texts[3], "{run}\t{tool}\t{domain}\t{ok}\t{latency}");
    });
    fs::write(paths[0].join("first.jsonl"), &texts[0]).unwrap();
    fs::write(paths[0].join("second.jsonl"), second).unwrap();
    fs::write(paths[1].join("facts.jsonl"), &texts[1]).unwrap();
    fs::write(paths[2].join("tool_run.csv"), &texts[2]).unwrap();
    fs::write(paths[3].join("tool_run.tsv"), &texts[3]).unwrap();
    fs::copy(source.join("tool_run.facts"), paths[4].join("tool_run.facts")).unwrap();
    forms.into_iter().zip(paths).collect()
}

/// The section on facts; whether all files gave as many.
pub fn facts_section(options: &Options, figures: &mut Json) -> bool {
    let forms = write_forms(options);
    let mut runs: Vec<Vec<Json>> = vec![Vec::new(); forms.len()];
    let souffle = Some("agg_load").filter(|_| on_path("souffle")).and_then(souffle_program);
    let mut theirs = Vec::new();
    for _ in 0..options.runs {
        for ((_, path), runs) in forms.iter().zip(&mut runs) {
            runs.extend(child::ask(&["facts", &path.to_string_lossy()]));
        }
        if let (Some(program), Some((_, folder))) = (&souffle, forms.last()) {
            let words = ["command", program, "-j1", "-F", &folder.to_string_lossy()];
            theirs.extend(child::ask(&words));
        }
    }
    let series =
        |runs: &[Json], name: &str| Series::new(runs.iter().filter_map(|run| run[name].as_f64()).collect());
    let (mut rows, mut counts) = (Vec::new(), BTreeSet::new());
    for ((form, _), runs) in forms.iter().zip(&runs) {
        counts.extend(runs.iter().filter_map(|run| run["facts"].as_u64()));
        rows.push(vec![
            format!("hence, {form}"),
            digits(series(runs, "read_cpu").median()),
            digits(series(runs, "engine_cpu").median()),
            spread(&series(runs, "total_cpu"), digits),
            digits(series(runs, "peak_kib").median() / 1024.0),
        ]);
        figures["facts"][*form] = Json::from(runs.clone());
    }
    if souffle.is_some() {
        let peak = digits(series(&theirs, "peak_kib").median() / 1024.0);
        let total = spread(&series(&theirs, "cpu"), digits);
        rows.push(vec!["Soufflé, .facts, whole process".into(), "–".into(), "–".into(), total, peak]);
        figures["facts"]["souffle"] = Json::from(theirs);
    } else {
        println!("souffle: `souffle` is not on the path, so there is nothing to load facts beside");
    }
    println!("\n## loading of facts: {} tool runs\n", counts.first().copied().unwrap_or(0));
    table(&["from", "read CPU s", "into the engine", "total CPU s", "peak MB"], &rows);
    counts.len() == 1
}
