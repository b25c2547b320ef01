//! Growth: CPU time and memory of the closure of random graphs and of the aggregates, from 10^4 to 10^7 facts.

use std::fs;

use serde_json::{Value as Json, json};

use crate::batch::{self, Runs};
use crate::options::{Options, home};
use crate::plot::{Curve, Panel, draw};
use crate::report::{digits, table};

const TASKS: [(&str, &str, &str); 2] =
    [("tc", "transitive closure", "facts, derived ones included"), ("agg", "aggregates", "tool runs")];

/// The section: a table, and the plot in `plots/growth.svg` (that of a quick run stays in `target`).
pub fn section(options: &Options, figures: &mut Json) -> bool {
    let powers = if options.quick() { 4..=5 } else { 4..=7 };
    let (mut panels, mut rows, mut agree) = (Vec::new(), Vec::new(), true);
    for (task, title, axis) in TASKS {
        let mut all: Vec<(f64, Vec<Runs>)> = Vec::new();
        for power in powers.clone() {
            let workload = format!("{task}@{}", 10u64.pow(power));
            let folder = batch::facts(&workload, options);
            let runs = batch::run(&workload, &folder, options, &[]);
            agree &= runs.iter().all(|other| other.runs[0].check == runs[0].runs[0].check);
            let facts = match task {
                "tc" => runs.first().map_or(0.0, |runs| runs.runs[0].check.count as f64),
                _ => 10f64.powi(power as i32),
            };
            for runs in &runs {
                let (cpu, peak) = (runs.eval().median(), runs.peak_mb().median());
                rows.push(vec![
                    workload.clone(),
                    runs.peer.clone(),
                    facts.to_string(),
                    digits(cpu),
                    digits(peak),
                ]);
            }
            figures["growth"][&workload] = json!({
                "facts": facts, "programs": runs.iter().map(Runs::json).collect::<Vec<_>>(),
            });
            all.push((facts, runs));
        }
        panels.push(panel(format!("{title}, CPU seconds"), axis, &all, |runs| runs.eval().median()));
        panels.push(panel(format!("{title}, peak MB"), axis, &all, |runs| runs.peak_mb().median()));
    }
    println!("\n## growth\n");
    table(&["workload", "program", "facts", "eval CPU s", "peak MB"], &rows);
    let folder = home().join(if options.quick() { "target/plots" } else { "plots" });
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("growth.svg");
    fs::write(&path, draw(&panels)).unwrap();
    println!("\nplotted in {}", path.display());
    agree
}

fn panel(title: String, axis: &str, all: &[(f64, Vec<Runs>)], of: impl Fn(&Runs) -> f64) -> Panel {
    let mut curves: Vec<Curve> = Vec::new();
    for (facts, runs) in all {
        for runs in runs {
            let at = curves.iter().position(|curve| curve.name == runs.peer).unwrap_or_else(|| {
                curves.push(Curve { name: runs.peer.clone(), points: Vec::new() });
                curves.len() - 1
            });
            // Below a millisecond nothing can be read off a logarithm.
            curves[at].points.push((*facts, of(runs).max(1e-3)));
        }
    }
    Panel { title, axis: String::from(axis), curves }
}
