//! One decision from scratch over a loaded rule set: 24 rules, the 85 facts of a policy and about 50 of a request; what
//! a service does for each call. Every program takes the request as plain data and gives the same [`Out`].

mod ascent;
mod crepe;
mod datafrog;
#[cfg(feature = "policy-engines")]
mod engines;
mod hand;
mod hence;

use std::hint::black_box;
use std::path::Path;

use serde_json::{Value as Json, json};

use crate::batch;
use crate::child;
use crate::measure::{Pieces, Series, peak_kib};
use crate::options::Options;
use crate::report::{digits, spread, table};

/// The facts of the policy.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    pub level: Vec<u32>,
    pub level_req: Vec<(u32, u32, i32)>,
    pub tool_risk: Vec<(u32, u32)>,
    pub tool_kind: Vec<(u32, u32)>,
    pub safe_tool: Vec<u32>,
    pub banned: Vec<u32>,
    pub depends: Vec<(u32, u32)>,
    pub needs_role: Vec<(u32, u32)>,
}

/// The facts of a request.
#[derive(Clone, Debug, Default)]
pub struct Request {
    pub metric: Vec<(u32, i32)>,
    pub run: Vec<(u32, u32)>,
    pub role: Vec<u32>,
    pub requested: Vec<u32>,
    pub incident: Vec<(u32, u32)>,
}

/// What was decided; sets of tools as bits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Out {
    pub granted: u32,
    pub allow: u64,
    pub denied: u64,
    pub approval: u64,
    pub autonomous: bool,
}

/// A set of tools as bits.
fn mask(tools: impl IntoIterator<Item = u32>) -> u64 {
    tools.into_iter().fold(0, |bits, tool| bits | 1 << tool)
}

fn policy(folder: &Path) -> Policy {
    let mut policy = Policy::default();
    for line in std::fs::read_to_string(folder.join("policy.txt")).unwrap().lines() {
        let mut words = line.split(' ');
        let name = words.next().unwrap();
        let row: Vec<u32> = words.map(|word| word.parse().unwrap()).collect();
        match (name, row.as_slice()) {
            ("level", &[level]) => policy.level.push(level),
            ("level_req", &[level, metric, least]) => policy.level_req.push((level, metric, least as i32)),
            ("tool_risk", &[tool, risk]) => policy.tool_risk.push((tool, risk)),
            ("tool_kind", &[tool, kind]) => policy.tool_kind.push((tool, kind)),
            ("safe_tool", &[tool]) => policy.safe_tool.push(tool),
            ("banned", &[tool]) => policy.banned.push(tool),
            ("depends", &[tool, on]) => policy.depends.push((tool, on)),
            ("needs_role", &[tool, role]) => policy.needs_role.push((tool, role)),
            _ => panic!("what is `{line}`?"),
        }
    }
    policy
}

fn requests(folder: &Path) -> Vec<Request> {
    let request = |line: &str| {
        let row: Vec<i32> = line.split(' ').map(|word| word.parse().unwrap()).collect();
        let pairs =
            |from: usize, to: usize| row[from..to].chunks_exact(2).map(|pair| (pair[0] as u32, pair[1]));
        let ints = |from: usize, to: usize| row[from..to].iter().map(|&int| int as u32).collect();
        let set = |from: usize, to: usize| {
            let mut set: Vec<(u32, u32)> = pairs(from, to).map(|(a, b)| (a, b as u32)).collect();
            set.sort_unstable();
            set.dedup();
            set
        };
        Request {
            metric: pairs(0, 20).filter(|(_, value)| *value >= 0).collect(),
            run: set(20, 76),
            role: ints(76, 78),
            requested: ints(78, 84),
            incident: set(84, 92),
        }
    };
    std::fs::read_to_string(folder.join("requests.txt")).unwrap().lines().map(request).collect()
}

/// A program that decides; it may keep what it made of the policy.
type Decide = Box<dyn FnMut(&Request) -> Out>;
type Start = fn(&Policy) -> Decide;

const PROGRAMS: &[(&str, Start)] = &[
    ("hence", hence::prepared),
    ("hence_anew", hence::anew),
    ("hand", hand::start),
    ("datafrog", datafrog::start),
    ("ascent", ascent::start),
    ("crepe", crepe::start),
    #[cfg(feature = "policy-engines")]
    ("regorus", engines::regorus),
    #[cfg(feature = "policy-engines")]
    ("cedar", engines::cedar),
    #[cfg(feature = "policy-engines")]
    ("biscuit", engines::biscuit),
];

/// How many answers are compared with those of the rules written by hand, outside the measured time.
const CHECKED: usize = 1_000;

/// Decides all requests of a folder with one program.
pub fn measure(program: &str, folder: &Path) -> Json {
    let (policy, requests) = (policy(folder), requests(folder));
    let (_, start) = PROGRAMS.iter().find(|(name, _)| *name == program).unwrap();
    let (mut decide, mut by_hand) = (start(&policy), hand::start(&policy));
    let wrong = requests.iter().take(CHECKED).filter(|request| decide(request) != by_hand(request)).count();
    let mut pieces = Pieces::default();
    for request in &requests {
        pieces.time(|| decide(black_box(request)));
    }
    let mut figures = pieces.json();
    figures["requests"] = json!(requests.len());
    figures["wrong"] = json!(wrong);
    figures["peak_kib"] = json!(peak_kib());
    figures
}

/// The section; whether all answers were right.
pub fn section(options: &Options, figures: &mut Json) -> bool {
    let folder = batch::facts("decision", options);
    let wanted: Vec<&str> =
        PROGRAMS.iter().map(|(name, _)| *name).filter(|name| options.wants(name)).collect();
    let mut runs: Vec<Vec<Json>> = vec![Vec::new(); wanted.len()];
    for _ in 0..options.runs {
        for (program, runs) in wanted.iter().zip(&mut runs) {
            runs.extend(child::ask(&["decision", program, &folder.to_string_lossy()]));
        }
    }
    let series =
        |runs: &[Json], name: &str| Series::new(runs.iter().filter_map(|run| run[name].as_f64()).collect());
    let ours = runs.first().map_or(f64::NAN, |runs| series(runs, "cpu_median").median());
    let (mut rows, mut right) = (Vec::new(), true);
    for (program, runs) in wanted.iter().zip(&runs) {
        let wrong: u64 = runs.iter().filter_map(|run| run["wrong"].as_u64()).sum();
        right &= wrong == 0 && !runs.is_empty();
        let cpu = series(runs, "cpu_median");
        rows.push(vec![
            String::from(*program),
            spread(&cpu, digits),
            digits(ours / cpu.median()),
            digits(series(runs, "cpu_p99").median()),
            digits(series(runs, "cpu").median()),
            digits(series(runs, "median").median()),
            digits(series(runs, "p99").median()),
            digits(series(runs, "p999").median()),
            wrong.to_string(),
        ]);
        figures["decision"][*program] = Json::from(runs.clone());
    }
    println!("\n## one decision from scratch: 24 rules, 85 facts of the policy, about 50 of the request\n");
    let header = [
        "program",
        "CPU µs, median",
        "hence /",
        "CPU µs, p99",
        "CPU µs, mean",
        "wall µs, median",
        "wall µs, p99",
        "wall µs, p99.9",
        "wrong",
    ];
    table(&header, &rows);
    right
}
