//! Mutants for people: those that no test noticed, beside their lines, and the score of each file.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use serde_json::{Value as Json, json};

use hence_ruletest::mutate::{FileMutation, Mutation};

use super::super::terminal;

const GAP: Style = AnsiColor::Yellow.on_default();
const DIM: Style = Style::new().dimmed();

/// Writes the survivors and the table.
pub(super) fn print(mutation: &Mutation) -> io::Result<()> {
    let mut out = terminal::text();
    writeln!(out)?;
    for file in mutation.files.iter().filter(|file| !file.survivors.is_empty()) {
        writeln!(out, "{}", file.name)?;
        for survivor in &file.survivors {
            let why = match survivor.tests {
                0 => String::from("no test covers it"),
                1 => String::from("1 test ran and passed"),
                tests => format!("{tests} tests ran and passed"),
            };
            let place = format!("{}:{}", survivor.place.line, survivor.place.column);
            let (rule, change) = (&survivor.rule, &survivor.change);
            out.paint(DIM, format_args!("{place:>8} |"))?;
            write!(out, " ")?;
            out.paint(GAP, change)?;
            write!(out, " ")?;
            out.paint(DIM, format_args!("({rule}; {why})"))?;
            writeln!(out)?;
        }
        writeln!(out)?;
    }
    let header = ["file", "mutants", "detected", "survived", "score", "equivalent", "not run"];
    let mut rows: Vec<Vec<String>> = mutation.files.iter().map(row).collect();
    let sum = |of: fn(&FileMutation) -> usize| mutation.files.iter().map(of).sum::<usize>();
    let everything = cells(
        "everything",
        [sum(|f| f.killed), sum(|f| f.survivors.len()), sum(|f| f.equivalent), sum(|f| f.not_run)],
        mutation.score(),
    );
    rows.push(everything);
    out.lines(&super::pretty::columns(&header, &rows))?;
    out.paint(DIM, super::pretty::seconds(mutation.elapsed))?;
    writeln!(out)
}

fn row(file: &FileMutation) -> Vec<String> {
    cells(&file.name, [file.killed, file.survivors.len(), file.equivalent, file.not_run], file.score())
}

fn cells(name: &str, [killed, survived, equivalent, not_run]: [usize; 4], score: f64) -> Vec<String> {
    let tenths = (score * 10.0).floor() / 10.0;
    vec![
        name.to_owned(),
        (killed + survived).to_string(),
        killed.to_string(),
        survived.to_string(),
        format!("{tenths} %"),
        equivalent.to_string(),
        not_run.to_string(),
    ]
}

/// The mutants as one JSON document.
pub(super) fn json(mutation: &Mutation) -> Json {
    let files: Vec<Json> = mutation
        .files
        .iter()
        .map(|file| {
            let survivors: Vec<Json> = file
                .survivors
                .iter()
                .map(|survivor| {
                    json!({
                        "line": survivor.place.line, "column": survivor.place.column,
                        "rule": survivor.rule, "change": survivor.change, "tests": survivor.tests,
                    })
                })
                .collect();
            json!({
                "file": file.name, "detected": file.killed, "survived": file.survivors.len(),
                "equivalent": file.equivalent, "not_run": file.not_run, "score": file.score(),
                "survivors": survivors,
            })
        })
        .collect();
    json!({ "score": mutation.score(), "seconds": mutation.elapsed.as_secs_f64(), "files": files })
}
