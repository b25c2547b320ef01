//! The batch workloads: every program from files to all results, hence and its peers in turn.

use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};

use crate::child;
use crate::external::{self, External};
use crate::measure::{Measured, Series};
use crate::options::{Options, home};
use crate::peers::{PEERS, Task};
use crate::report::{digits, spread, table};

pub const WORKLOADS: [&str; 10] = [
    "tc_rand",
    "tc_chain",
    "sg_tree",
    "sg_rand",
    "andersen",
    "agg",
    "triangle",
    "ontology",
    "classification",
    "year",
];

/// Workloads over data that lie elsewhere: run where they are named.
pub const NAMED: [&str; 1] = ["galen"];

/// Peak MB of compiled Soufflé on a machine like ours, where it isn't installed; hence may take 1.5 times as much. Of the other
/// workloads none is known.
const SOUFFLE_MB: [u64; 6] = [58, 25, 34, 17, 110, 36];

/// The runs of one program on one workload.
pub struct Runs {
    pub peer: String,
    pub runs: Vec<Measured>,
}

impl Runs {
    pub fn series(&self, of: impl Fn(&Measured) -> f64) -> Series {
        Series::new(self.runs.iter().map(of).collect())
    }

    pub fn eval(&self) -> Series {
        self.series(|run| run.eval.cpu)
    }

    pub fn total(&self) -> Series {
        self.series(|run| run.load.cpu + run.eval.cpu)
    }

    pub fn peak_mb(&self) -> Series {
        self.series(|run| run.peak_kib as f64 / 1024.0)
    }

    pub fn json(&self) -> Json {
        json!({
            "peer": self.peer, "runs": self.runs.len(),
            "eval_cpu": self.eval().json(), "eval_wall": self.series(|run| run.eval.wall).json(),
            "load_cpu": self.series(|run| run.load.cpu).json(),
            "load_wall": self.series(|run| run.load.wall).json(),
            "total_cpu": self.total().json(), "peak_mb": self.peak_mb().json(),
            "results": self.runs.first().map(|run| run.check.count),
            "sum": self.runs.first().map(|run| run.check.sum.to_string()),
        })
    }
}

/// The folder with the facts of a workload, written anew.
pub fn facts(workload: &str, options: &Options) -> PathBuf {
    let size = if options.quick() { "quick" } else { "full" };
    let folder = home().join("target/facts").join(size).join(workload);
    child::ask(&["generate", workload, size, &folder.to_string_lossy()]).unwrap();
    folder
}

/// Runs every program that does the task of `workload`, in turn.
pub fn run(workload: &str, folder: &Path, options: &Options, externals: &[External]) -> Vec<Runs> {
    let task = Task::of(workload);
    let fits = |(name, _, cannot): &&(&str, _, &[Task])| options.wants(name) && !cannot.contains(&task);
    let compiled: Vec<&str> = PEERS.iter().filter(fits).map(|(name, ..)| *name).collect();
    let mut all: Vec<Runs> =
        compiled.iter().map(|name| Runs { peer: String::from(*name), runs: Vec::new() }).collect();
    all.extend(externals.iter().map(|program| Runs { peer: program.name.to_owned(), runs: Vec::new() }));
    for _ in 0..options.runs {
        for (at, runs) in all.iter_mut().enumerate() {
            let measured = match externals.get(at.wrapping_sub(compiled.len())) {
                Some(program) => program.run(task, folder),
                None => {
                    let figures = child::ask(&["batch", &runs.peer, workload, &folder.to_string_lossy()]);
                    figures.as_ref().and_then(Measured::from_json)
                }
            };
            runs.runs.extend(measured);
        }
    }
    all.retain(|runs| !runs.runs.is_empty());
    all
}

/// The section: a table a workload, then one of ratios. Whether all results agree.
pub fn section(options: &Options, figures: &mut Json) -> bool {
    let externals = external::found(options);
    let mut agree = true;
    let mut all = Vec::new();
    for workload in &options.workloads {
        let folder = facts(workload, options);
        let runs = run(workload, &folder, options, &externals);
        agree &= one(workload, &runs);
        figures["batch"][workload] = runs.iter().map(Runs::json).collect();
        all.push((workload.as_str(), runs));
    }
    ratios(&all, options);
    agree
}

/// The table of one workload; whether its results agree.
fn one(workload: &str, all: &[Runs]) -> bool {
    let Some(hence) = all.first().filter(|runs| runs.peer == "hence") else { return false };
    let check = hence.runs[0].check;
    println!("\n## {workload}: {} results, {} runs each\n", check.count, hence.runs.len());
    let ours = (hence.eval().median(), hence.peak_mb().median());
    let (mut rows, mut agree) = (Vec::new(), true);
    for runs in all {
        let same = runs
            .runs
            .iter()
            .all(|run| run.check.count == check.count && [check.sum, 0].contains(&run.check.sum));
        agree &= same;
        rows.push(vec![
            runs.peer.clone(),
            spread(&runs.eval(), digits),
            digits(ours.0 / runs.eval().median()),
            digits(runs.series(|run| run.eval.wall).median()),
            digits(runs.series(|run| run.load.cpu).median()),
            digits(runs.total().median()),
            digits(runs.peak_mb().median()),
            digits(ours.1 / runs.peak_mb().median()),
            String::from(if same { "yes" } else { "NO" }),
        ]);
    }
    let header = [
        "program",
        "eval CPU s",
        "hence /",
        "eval wall s",
        "load CPU s",
        "load + eval CPU s",
        "peak MB",
        "hence /",
        "agrees",
    ];
    table(&header, &rows);
    agree
}

/// hence against the best peer and each of them: CPU time of evaluation, and memory against Soufflé's.
fn ratios(all: &[(&str, Vec<Runs>)], options: &Options) {
    let mut names: Vec<&str> = Vec::new();
    for runs in all.iter().flat_map(|(_, all)| all.iter().skip(1)) {
        if !names.contains(&runs.peer.as_str()) {
            names.push(&runs.peer);
        }
    }
    let mut header = vec!["evaluation, CPU", "hence s", "best peer s", "hence / best"];
    let titles: Vec<String> = names.iter().map(|name| format!("/ {name}")).collect();
    header.extend(titles.iter().map(String::as_str));
    header.extend(["MB", "MB / (1.5 × Soufflé's)"]);
    let mut rows = Vec::new();
    for (workload, all) in all {
        let Some((hence, peers)) = all.split_first() else { continue };
        let ours = hence.eval().median();
        let best = peers.iter().min_by(|a, b| a.eval().median().total_cmp(&b.eval().median()));
        let of = |name: &str| peers.iter().find(|runs| runs.peer == name);
        let theirs = best.map_or(f64::NAN, |best| best.eval().median());
        let named = best.map_or(String::from("–"), |best| format!("{} {}", best.peer, digits(theirs)));
        let mut row = vec![String::from(*workload), digits(ours), named, digits(ours / theirs)];
        row.extend(
            names.iter().map(|name| digits(of(name).map_or(f64::NAN, |runs| ours / runs.eval().median()))),
        );
        let at = WORKLOADS.iter().position(|name| name == workload).unwrap_or(0);
        let published = SOUFFLE_MB.get(at).filter(|_| !options.quick()).map_or(f64::NAN, |mb| *mb as f64);
        let souffle = of("souffle").map_or(published, |runs| runs.peak_mb().median());
        let memory = hence.peak_mb().median();
        row.extend([digits(memory), digits(memory / (1.5 * souffle))]);
        rows.push(row);
    }
    println!("\n## hence / peer (below 1: hence is ahead)\n");
    table(&header, &rows);
}
