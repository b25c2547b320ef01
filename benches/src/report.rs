//! Tables for people, in the form that a README takes, and what goes into the file of figures.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value as Json, json};

use crate::measure::Series;

/// Prints a table; columns but the first stand to the right.
pub fn table(header: &[&str], rows: &[Vec<String>]) {
    let widths: Vec<usize> = (0..header.len())
        .map(|at| {
            let cells = rows.iter().map(|row| row.get(at).map_or(0, |cell| cell.chars().count()));
            cells.chain([header[at].chars().count()]).max().unwrap_or(0)
        })
        .collect();
    let line = |cells: &[String]| {
        let cell = |(at, width): (usize, &usize)| {
            let text = cells.get(at).map_or("", String::as_str);
            if at == 0 { format!("{text:<width$}") } else { format!("{text:>width$}") }
        };
        let cells: Vec<String> = widths.iter().enumerate().map(cell).collect();
        println!("| {} |", cells.join(" | "));
    };
    line(&header.iter().map(|cell| String::from(*cell)).collect::<Vec<_>>());
    let rule = |(at, width): (usize, &usize)| {
        if at == 0 { "-".repeat(width + 2) } else { format!("{}:", "-".repeat(width + 1)) }
    };
    println!("|{}|", widths.iter().enumerate().map(rule).collect::<Vec<_>>().join("|"));
    rows.iter().for_each(|row| line(row));
}

/// `1.24 (1.20–1.31)`
pub fn spread(series: &Series, unit: impl Fn(f64) -> String) -> String {
    if series.len() < 2 {
        return unit(series.median());
    }
    format!("{} ({}–{})", unit(series.median()), unit(series.least()), unit(series.most()))
}

/// Three digits that count.
pub fn digits(figure: f64) -> String {
    match figure.abs() {
        _ if figure.is_nan() => String::from("–"),
        size if size >= 100.0 => format!("{figure:.0}"),
        size if size >= 10.0 => format!("{figure:.1}"),
        size if size >= 0.1 => format!("{figure:.2}"),
        _ => format!("{figure:.3}"),
    }
}

/// Which machine, which versions, when.
pub fn circumstances() -> Json {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let cpuinfo = read("/proc/cpuinfo");
    let model = cpuinfo.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let run = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).output().ok()?;
        Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let home = crate::options::home();
    let folder = home.to_string_lossy();
    json!({
        "processor": model.map(|(_, model)| model),
        "cores": std::thread::available_parallelism().map(usize::from).unwrap_or(0),
        "load_average": read("/proc/loadavg").split(' ').next(),
        "kernel": read("/proc/sys/kernel/osrelease").trim(),
        "rustc": run("rustc", &["--version"]),
        "commit": run("git", &["-C", &folder, "rev-parse", "--short", "HEAD"]),
        "peers": versions(&home),
    })
}

/// The versions of the peers, from the lock file.
fn versions(home: &Path) -> Json {
    let lock = fs::read_to_string(home.join("Cargo.lock")).unwrap_or_default();
    let wanted = ["ascent", "crepe", "datafrog", "differential-dataflow", "timely"];
    let found = wanted.map(|name| {
        let version = lock.split(&format!("name = \"{name}\"\nversion = \"")).nth(1);
        (name, version.and_then(|rest| rest.split('"').next()))
    });
    found.iter().map(|(name, version)| (String::from(*name), json!(version))).collect()
}
