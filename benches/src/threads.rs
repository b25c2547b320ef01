//! hence on two threads beside one, and beside two copies of one thread at the same time: what the machine can give.

use serde_json::{Value as Json, json};

use crate::batch::facts;
use crate::child;
use crate::measure::{Measured, Series};
use crate::options::Options;
use crate::report::{digits, spread, table};

/// The section; whether the results agree.
pub fn section(options: &Options, figures: &mut Json) -> bool {
    let (mut rows, mut agree) = (Vec::new(), true);
    for workload in &options.workloads {
        let folder = facts(workload, options);
        let ask = |program: &str| {
            let found = child::ask(&["batch", program, workload, &folder.to_string_lossy()]);
            found.as_ref().and_then(Measured::from_json)
        };
        let (mut one, mut two, mut pair) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..options.runs {
            one.extend(ask("hence"));
            two.extend(ask("hence_on_two"));
            std::thread::scope(|scope| {
                let other = scope.spawn(|| ask("hence"));
                pair.extend(ask("hence"));
                pair.extend(other.join().unwrap());
            });
        }
        agree &= one.iter().chain(&two).all(|run| run.check == one[0].check);
        let wall = |runs: &[Measured]| Series::new(runs.iter().map(|run| run.eval.wall).collect());
        let cpu = |runs: &[Measured]| Series::new(runs.iter().map(|run| run.eval.cpu).collect()).median();
        let (alone, shared, copies) = (wall(&one), wall(&two), wall(&pair));
        let (faster, most) = (alone.median() / shared.median(), 2.0 * alone.median() / copies.median());
        rows.push(vec![
            workload.clone(),
            spread(&alone, digits),
            spread(&shared, digits),
            digits(faster),
            digits(most),
            digits(cpu(&two) / cpu(&one)),
        ]);
        figures["threads"][workload] = json!({
            "one_wall": alone.json(), "two_wall": shared.json(), "copies_wall": copies.json(),
            "times_as_fast": faster, "copies_times_as_fast": most, "cpu": cpu(&two) / cpu(&one),
        });
    }
    println!("\n## two threads: evaluation, wall time, {} runs each\n", options.runs);
    table(
        &[
            "workload",
            "one thread s",
            "two threads s",
            "times as fast",
            "two copies at once",
            "CPU two / one",
        ],
        &rows,
    );
    agree
}
