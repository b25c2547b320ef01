//! Shapes of programs and data beside datafrog and ascent, each measurement a process of its own:
//! `cargo run --release --manifest-path benches/Cargo.toml --bin shapes [SHAPE…] [--runs N] [--quick]`
#![allow(missing_docs, reason = "a program, no library")]

use std::process::{Command, Stdio};

use hence_benches::measure::{Moment, Series, peak_kib};
use hence_benches::report::{digits, spread, table};
use hence_benches::shapes::{PEERS, SHAPES, ready};

/// What a run prints: processor seconds, peak KiB, rows, their sum.
type Run = (f64, u64, u64, u64);

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let quick = words.iter().any(|word| word == "--quick");
    if let [child, peer, shape, ..] = words.as_slice()
        && child == "child"
    {
        return answer(peer, shape, quick);
    }
    let runs = words.iter().position(|word| word == "--runs").and_then(|at| words.get(at + 1)?.parse().ok());
    let named: Vec<&str> =
        SHAPES.into_iter().filter(|shape| words.iter().any(|word| word == shape)).collect();
    let shapes = if named.is_empty() { SHAPES.to_vec() } else { named };
    let (rows, right) = measure(&shapes, runs.unwrap_or(if quick { 1 } else { 3 }), quick);
    table(&["shape", "program", "CPU s", "hence /", "MB", "rows"], &rows);
    std::process::exit(i32::from(!right));
}

/// The rows of the table, and whether all programs had the same results.
fn measure(shapes: &[&str], runs: usize, quick: bool) -> (Vec<Vec<String>>, bool) {
    let (mut rows, mut right) = (Vec::new(), true);
    for shape in shapes {
        let mut found: Vec<Vec<Run>> = vec![Vec::new(); PEERS.len()];
        for _ in 0..runs {
            for (peer, found) in PEERS.iter().zip(&mut found) {
                found.extend(ask(peer, shape, quick));
            }
        }
        let results: Vec<(u64, u64)> = found.iter().flatten().map(|run| (run.2, run.3)).collect();
        right &= !results.is_empty() && results.windows(2).all(|pair| pair[0] == pair[1]);
        let cpu = |runs: &[Run]| Series::new(runs.iter().map(|run| run.0).collect());
        let ours = cpu(&found[0]).median();
        for (peer, runs) in PEERS.iter().zip(&found).filter(|(_, runs)| !runs.is_empty()) {
            let mb = Series::new(runs.iter().map(|run| run.1 as f64 / 1024.0).collect());
            let (name, count) = (String::from(*shape), runs[0].2.to_string());
            let (seconds, ratio) = (spread(&cpu(runs), digits), digits(ours / cpu(runs).median()));
            rows.push(vec![name, String::from(*peer), seconds, ratio, digits(mb.median()), count]);
        }
    }
    (rows, right)
}

/// Measures in a process of its own; none where the peer can't do the shape.
fn ask(peer: &str, shape: &str, quick: bool) -> Option<Run> {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["child", peer, shape]).args(quick.then_some("--quick")).stderr(Stdio::inherit());
    let text = String::from_utf8(command.output().unwrap().stdout).unwrap();
    let words: Vec<&str> = text.split_whitespace().collect();
    let [cpu, peak, rows, sum] = *words.as_slice() else { return None };
    Some((cpu.parse().ok()?, peak.parse().ok()?, rows.parse().ok()?, sum.parse().ok()?))
}

fn answer(peer: &str, shape: &str, quick: bool) {
    let Some(ready) = ready(peer, shape, quick) else { return };
    let begun = Moment::now();
    let results = ready();
    let (cpu, peak) = (begun.elapsed().cpu, peak_kib());
    let sum = results();
    println!("{cpu} {peak} {} {}", sum.rows, sum.sum);
}
