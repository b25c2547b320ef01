//! hence beside its peers: `cargo run --release --manifest-path benches/Cargo.toml -- [SECTION…] [WORKLOAD…]`.
#![allow(missing_docs, reason = "a program, no library")]

use std::fs;
use std::process::ExitCode;

use hence_benches::options::Options;
use hence_benches::{
    batch, change, child, cold, decision, growth, load, log, ranks, recursion, report, start, threads,
};
use serde_json::{Value as Json, json};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).peekable();
    if arguments.next_if(|word| word == "child").is_some() {
        child::answer(&arguments.collect::<Vec<_>>());
    }
    match Options::parse(arguments) {
        Ok(options) => run(&options),
        Err(usage) => {
            eprintln!("{usage}");
            ExitCode::from(2)
        }
    }
}

/// Runs the sections; fails where results differ.
fn run(options: &Options) -> ExitCode {
    let mut figures =
        json!({"machine": report::circumstances(), "runs": options.runs, "quick": options.quick()});
    let mut right = true;
    for section in &options.sections {
        let run: fn(&Options, &mut Json) -> bool = match section.as_str() {
            "batch" => batch::section,
            "facts" => load::facts_section,
            "decision" => decision::section,
            "change" => change::section,
            "threads" => threads::section,
            "ranks" => ranks::section,
            "recursion" => recursion::section,
            "start" => start::section,
            "cold" => cold::section,
            "load" => load::section,
            "log" => log::section,
            _ => growth::section,
        };
        right &= run(options, &mut figures);
    }
    if let Some(folder) = options.json.parent() {
        let _ = fs::create_dir_all(folder);
    }
    match fs::write(&options.json, format!("{figures:#}\n")) {
        Ok(()) => println!("\nfigures in {}", options.json.display()),
        Err(error) => eprintln!("{}: {error}", options.json.display()),
    }
    if right {
        return ExitCode::SUCCESS;
    }
    eprintln!("results differ or are missing");
    ExitCode::FAILURE
}
