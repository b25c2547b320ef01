//! The facts of the workloads, written as tab-separated `.facts` files: the same on every machine.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::random::Random;
use crate::{galen, ontology, year};

/// Rows of small ints.
pub type Pairs = Vec<(u32, u32)>;

/// How large the workloads are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// As in the published figures.
    Full,
    /// A tenth or less, for a smoke run.
    Quick,
}

/// Writes the facts of `workload` into `folder`; that of a growth curve is called `tc@N` or `agg@N`, where `N` is
/// about how many facts there are with those derived.
pub fn workload(workload: &str, size: Size, folder: &Path) {
    fs::create_dir_all(folder).unwrap();
    let quick = size == Size::Quick;
    let pick = |full: u32, small: u32| if quick { small } else { full };
    match workload {
        "tc_rand" => {
            let nodes = pick(2_500, 400);
            write_pairs(folder, "edge", &edges(&mut Random::new(1001), nodes, 2 * nodes));
        }
        "tc_chain" => write_pairs(folder, "edge", &chain(pick(1_999, 399))),
        "sg_tree" => write_pairs(folder, "parent", &tree(pick(2_047, 255))),
        "sg_rand" => {
            let (nodes, edges_) = (pick(1_500, 400), pick(2_250, 600));
            write_pairs(folder, "parent", &edges(&mut Random::new(1004), nodes, edges_));
        }
        "andersen" => {
            let facts = andersen(pick(5_000, 1_000));
            facts.iter().for_each(|(relation, pairs)| write_pairs(folder, relation, pairs));
        }
        "triangle" => {
            let edges = skewed(pick(50_000, 5_000), pick(200_000, 20_000));
            write_pairs(folder, "e", &edges);
        }
        "ontology" | "classification" => ontology::write(pick(5_500, 2_000), folder),
        "galen" => galen::write(folder),
        "year" => year::write(size, folder),
        "agg" => tool_runs(pick(1_000_000, 50_000), folder),
        "decision" => decision(pick(100_000, 2_000), folder),
        grown => match grown.split_once('@') {
            Some(("tc", facts)) => {
                // A random digraph of mean degree 2 has a closure of about 0.63 n² pairs.
                let nodes = (facts.parse::<f64>().unwrap() / 0.635).sqrt() as u32;
                write_pairs(folder, "edge", &edges(&mut Random::new(1001), nodes, 2 * nodes));
            }
            Some(("agg", facts)) => tool_runs(facts.parse().unwrap(), folder),
            _ => panic!("there is no workload `{workload}`"),
        },
    }
}

pub fn write_rows(folder: &Path, relation: &str, rows: impl Iterator<Item = impl AsRef<[u32]>>) {
    let mut text = String::new();
    for row in rows {
        for (at, value) in row.as_ref().iter().enumerate() {
            let _ = write!(text, "{}{value}", if at > 0 { "\t" } else { "" });
        }
        text.push('\n');
    }
    fs::write(folder.join(format!("{relation}.facts")), text).unwrap();
}

pub fn write_pairs(folder: &Path, relation: &str, pairs: &Pairs) {
    write_rows(folder, relation, pairs.iter().map(|&(a, b)| [a, b]));
}

/// A random digraph without loops.
pub fn edges(random: &mut Random, nodes: u32, count: u32) -> Pairs {
    let mut set = BTreeSet::new();
    while set.len() < count as usize {
        let (from, to) = (random.below(nodes), random.below(nodes));
        if from != to {
            set.insert((from, to));
        }
    }
    shuffled(random, set)
}

fn shuffled(random: &mut Random, set: BTreeSet<(u32, u32)>) -> Pairs {
    let mut list: Pairs = set.into_iter().collect();
    random.shuffle(&mut list);
    list
}

pub fn chain(edges: u32) -> Pairs {
    let mut list: Pairs = (0..edges).map(|at| (at, at + 1)).collect();
    Random::new(1002).shuffle(&mut list);
    list
}

/// A full binary tree under shuffled numbers.
pub fn tree(nodes: u32) -> Pairs {
    let mut random = Random::new(1003);
    let mut ids: Vec<u32> = (0..nodes).collect();
    random.shuffle(&mut ids);
    let mut list: Pairs = (1..nodes as usize).map(|at| (ids[(at - 1) / 2], ids[at])).collect();
    random.shuffle(&mut list);
    list
}

/// Typed in three levels as C programs are (objects, pointers to them, pointers to pointers): without levels a random
/// points-to graph is either trivial or saturates.
pub fn andersen(n: u32) -> BTreeMap<&'static str, Pairs> {
    let mut random = Random::new(1005);
    let levels = [(0, n), (n, n), (2 * n, n / 4)];
    let mut relation = |name: &'static str, parts: &[(usize, usize, u32)]| {
        let mut set = BTreeSet::new();
        for &(left, right, count) in parts {
            let before = set.len();
            while set.len() < before + count as usize {
                let mut choose = |level: usize| levels[level].0 + random.below(levels[level].1);
                let (y, x) = (choose(left), choose(right));
                if y != x {
                    set.insert((y, x));
                }
            }
        }
        (name, shuffled(&mut random, set))
    };
    BTreeMap::from([
        relation("addressOf", &[(1, 0, n), (2, 1, n / 2)]),
        relation("assign", &[(1, 1, n), (2, 2, n / 8)]),
        relation("load", &[(1, 2, n / 4)]),
        relation("store", &[(2, 1, n / 8)]),
    ])
}

/// A random digraph without loops where few nodes have most of the edges: the degree of the node numbered `i` falls
/// with `i` to the power of 2/3.
fn skewed(nodes: u32, count: u32) -> Pairs {
    let mut random = Random::new(1008);
    let mut set = BTreeSet::new();
    while set.len() < count as usize {
        let mut node = || (f64::from(nodes) * random.unit().powi(3)) as u32;
        let (from, to) = (node(), node());
        if from != to {
            set.insert((from, to));
        }
    }
    shuffled(&mut random, set)
}

/// `tool_run(run, tool, domain, ok, latency)` of 1,000 tools in 20 domains, some used far more than others.
fn tool_runs(count: u32, folder: &Path) {
    let mut random = Random::new(1006);
    let quality: Vec<f64> = (0..1000).map(|_| 0.15 + 0.8 * random.unit()).collect();
    let row = |run: u32| {
        let tool = (1000.0 * random.unit().powf(1.5)) as u32;
        let domain = (20.0 * random.unit().powf(1.8)) as u32;
        let ok = u32::from(random.unit() < quality[tool as usize]);
        [run, tool, domain, ok, 5 + random.exponential(1.0 / 120.0) as u32]
    };
    write_rows(folder, "tool_run", (0..count).map(row));
    write_rows(folder, "tool", (0..1000).map(|tool| [tool]));
}

const TOOLS: u32 = 20;
const KINDS: u32 = 5;
const ROLES: u32 = 6;
const METRICS: u32 = 10;
const LEVELS: u32 = 5;

/// Requests of about 50 facts each, and the 85 facts of the policy itself.
fn decision(requests: u32, folder: &Path) {
    let mut random = Random::new(1007);
    let policy: String = policy(&mut random).into_iter().fold(String::new(), |mut text, (name, row)| {
        let row: Vec<String> = row.iter().map(u32::to_string).collect();
        let _ = writeln!(text, "{name} {}", row.join(" "));
        text
    });
    fs::write(folder.join("policy.txt"), policy).unwrap();
    let mut text = String::new();
    for _ in 0..requests {
        let row: Vec<String> = request(&mut random).iter().map(i32::to_string).collect();
        let _ = writeln!(text, "{}", row.join(" "));
    }
    fs::write(folder.join("requests.txt"), text).unwrap();
}

fn policy(random: &mut Random) -> BTreeSet<(&'static str, Vec<u32>)> {
    let mut policy = BTreeSet::new();
    for level in 1..=LEVELS {
        for metric in random.sample(METRICS, 3) {
            policy.insert(("level_req", vec![level, metric, 8 + 11 * level + random.below(9)]));
        }
    }
    for tool in 0..TOOLS {
        policy.insert(("tool_risk", vec![tool, 1 + random.below(5)]));
        policy.insert(("tool_kind", vec![tool, random.below(KINDS)]));
    }
    policy.extend(random.sample(TOOLS, 5).into_iter().map(|tool| ("safe_tool", vec![tool])));
    policy.extend(random.sample(TOOLS, 2).into_iter().map(|tool| ("banned", vec![tool])));
    for _ in 0..10 {
        let mut pair = random.sample(TOOLS, 2);
        pair.sort_unstable();
        policy.insert(("depends", pair));
    }
    for tool in random.sample(TOOLS, 8) {
        policy.insert(("needs_role", vec![tool, random.below(ROLES)]));
    }
    policy.extend((1..=LEVELS).map(|level| ("level", vec![level])));
    policy
}

/// 10 metrics, 28 runs with their success, 2 roles, 6 requested tools, 4 incidents with their severity, in a row.
fn request(random: &mut Random) -> Vec<i32> {
    let skill = random.unit();
    let mut row = Vec::with_capacity(92);
    for metric in 0..METRICS as i32 {
        let known = random.unit() < 0.97;
        let spread = if known { random.below(31) as i32 - 15 } else { 0 };
        let value = (30.0 + 75.0 * skill.powf(0.5) + f64::from(spread)) as i32;
        row.extend([metric, if known { value.min(100) } else { -1 }]);
    }
    for _ in 0..28 {
        let tool = random.below(TOOLS) as i32;
        row.extend([tool, i32::from(random.unit() < 0.75 + 0.2 * skill)]);
    }
    row.extend(random.sample(ROLES, 2).into_iter().map(|role| role as i32));
    row.extend(random.sample(TOOLS, 6).into_iter().map(|tool| tool as i32));
    for _ in 0..4 {
        let kind = random.below(KINDS) as i32;
        row.extend([kind, [0, 0, 1, 1, 1, 2, 2, 3][random.below(8) as usize]]);
    }
    row
}
