//! One change to a recursive program that stands, beside evaluating everything anew by the batch engine: edges at the
//! ends, in the middle and at the root, and bridges, taken away and put back.

use std::collections::BTreeMap;
use std::ops::Deref;

use hence_core::schema::RelationId;
use hence_core::value::Word;
use hence_engine::SemiNaive;
use hence_engine::{Database, Engine, Limits};
use hence_engine::{FactChange, Incremental};
use hence_lang::ir::Program;
use serde_json::{Value as Json, json};

use crate::child;
use crate::generate::{Pairs, andersen, chain, edges, tree};
use crate::measure::{Check, Pieces, Series};
use crate::options::Options;
use crate::peers::hence::program;
use crate::random::Random;
use crate::report::{digits, spread, table};

/// How often each edge is taken away and put back.
const TURNS: usize = 3;

/// Never more than this of what evaluating anew takes.
const GOAL: f64 = 1.2;

pub const CASES: [&str; 7] =
    ["tc_chain", "tc_rand", "tc_tree", "tc_bridge", "sg_tree", "sg_rand", "andersen"];

/// The facts of a case and the edges that come and go, each with the name of its place.
struct Case {
    text: &'static str,
    result: &'static str,
    facts: BTreeMap<&'static str, Pairs>,
    edges: Vec<(String, &'static str, (u32, u32))>,
}

impl Case {
    fn new(name: &str, quick: bool) -> Self {
        let size = |full: u32| if quick { full / 8 } else { full };
        match name {
            "tc_chain" => {
                let n = size(1_000);
                let at = |from: u32| (from, from + 1);
                let places = [("last", at(n - 1)), ("middle", at(n / 2)), ("first", at(0))];
                Self::closure(chain(n), &places, &[("shortcut", (n / 4, n / 2)), ("cycle", (n, 0))])
            }
            "tc_rand" => {
                let n = size(1_000);
                let graph = edges(&mut Random::new(3001), n, 2 * n);
                let (few, many) = (by_reach(&graph, n, true), by_reach(&graph, n, false));
                Self::closure(
                    graph.clone(),
                    &[("into an end", few), ("any", graph[0]), ("busiest", many)],
                    &[],
                )
            }
            "tc_tree" => {
                // A heap: the children of node i are 2 i + 1 and 2 i + 2.
                let n = size(32_768) - 1;
                let graph = (1..n).map(|child| ((child - 1) / 2, child)).collect();
                let below = |child: u32| ((child - 1) / 2, child);
                Self::closure(
                    graph,
                    &[("leaf", below(n - 1)), ("middle", below(180)), ("root", below(1))],
                    &[],
                )
            }
            "tc_bridge" => Self::bridge(size(400)),
            "sg_tree" => {
                let parents = tree(size(1_024) - 1);
                let root = parents.iter().find(|(p, _)| parents.iter().all(|(_, c)| c != p)).copied();
                let leaf = parents.iter().find(|(_, c)| parents.iter().all(|(p, _)| p != c)).copied();
                let middle = parents[parents.len() / 2];
                Self::generation(
                    parents,
                    &[("leaf", leaf.unwrap()), ("any", middle), ("root", root.unwrap())],
                )
            }
            "sg_rand" => {
                let parents = edges(&mut Random::new(3004), size(1_000), size(1_500));
                let places = [("any", parents[0]), ("another", parents[1]), ("a third", parents[2])];
                Self::generation(parents, &places)
            }
            _ => Self::points_to(size(2_000)),
        }
    }

    fn closure(edges: Pairs, there: &[(&str, (u32, u32))], new: &[(&str, (u32, u32))]) -> Self {
        let all = there.iter().chain(new);
        Self {
            text: include_str!("../rules/tc.dl"),
            result: "path",
            facts: BTreeMap::from([("edge", edges)]),
            edges: all.map(|(name, edge)| (String::from(*name), "edge", *edge)).collect(),
        }
    }

    /// Two random graphs, and one edge from the first to the second, where each reaches most of itself.
    fn bridge(n: u32) -> Self {
        let mut graph = edges(&mut Random::new(3002), n, 3 * n);
        let other = edges(&mut Random::new(3003), n, 3 * n);
        graph.extend(other.iter().map(|(from, to)| (from + n, to + n)));
        let bridge = (graph[0].1, other[0].0 + n);
        graph.push(bridge);
        let back = (other[1].1 + n, graph[1].0);
        Self::closure(graph, &[("bridge", bridge)], &[("bridge back", back)])
    }

    fn generation(parents: Pairs, places: &[(&str, (u32, u32))]) -> Self {
        Self {
            text: include_str!("../rules/sg.dl"),
            result: "sg",
            facts: BTreeMap::from([("parent", parents)]),
            edges: places.iter().map(|(name, edge)| (String::from(*name), "parent", *edge)).collect(),
        }
    }

    fn points_to(n: u32) -> Self {
        let facts = andersen(n);
        let mut edges = Vec::new();
        for (relation, pairs) in &facts {
            edges.extend([(format!("{relation}, one"), *relation, pairs[0])]);
            edges.extend([(format!("{relation}, another"), *relation, pairs[pairs.len() / 2])]);
        }
        Self { text: include_str!("../rules/andersen.dl"), result: "pt", facts, edges }
    }

    fn database(&self, program: &Program) -> Database {
        let mut input = Database::new(program);
        for (relation, pairs) in &self.facts {
            let id = program.find((*relation).into()).unwrap();
            pairs.iter().for_each(|pair| input.push(id, &words(*pair)));
        }
        input
    }

    /// Puts an edge in or takes it out.
    fn set(&mut self, relation: &str, edge: (u32, u32), stands: bool) {
        let pairs = self.facts.get_mut(relation).unwrap();
        pairs.retain(|pair| *pair != edge);
        pairs.extend(stands.then_some(edge));
    }
}

/// The edge whose end reaches the least, or the most, of those who reach its start.
fn by_reach(graph: &Pairs, nodes: u32, least: bool) -> (u32, u32) {
    let mut next = vec![Vec::new(); nodes as usize];
    let mut back = vec![Vec::new(); nodes as usize];
    for (from, to) in graph {
        next[*from as usize].push(*to);
        back[*to as usize].push(*from);
    }
    let reach = |from: u32, next: &[Vec<u32>]| {
        let mut seen = vec![false; nodes as usize];
        let mut open = vec![from];
        while let Some(node) = open.pop() {
            if !std::mem::replace(&mut seen[node as usize], true) {
                open.extend(&next[node as usize]);
            }
        }
        seen.iter().filter(|seen| **seen).count()
    };
    let weight = |edge: &(u32, u32)| reach(edge.0, &back) * reach(edge.1, &next);
    let found = if least {
        graph.iter().min_by_key(|edge| weight(edge))
    } else {
        graph.iter().max_by_key(|edge| weight(edge))
    };
    *found.unwrap()
}

fn words((a, b): (u32, u32)) -> [Word; 2] {
    [a, b].map(|int| Word::from_int(i64::from(int)))
}

fn check(rows: impl Iterator<Item = impl Deref<Target = [Word]>>) -> Check {
    Check::of(rows.map(|row| (row[0].0 as u32, row[1].0 as u32)))
}

/// Takes each edge of a case away and puts it back; or the other way round where it isn't there.
pub fn measure(name: &str, size: &str) -> Json {
    let mut case = Case::new(name, size == "quick");
    let program = program("recursion.dl", case.text);
    let result = program.find(case.result.into()).unwrap();
    let mut standing = Incremental::new(&program, &case.database(&program), &Limits::default()).unwrap();
    let mut changes = Vec::new();
    for (place, relation, edge) in case.edges.clone() {
        let id = program.find(relation.into()).unwrap();
        let stood = case.facts[relation].contains(&edge);
        for turn in [!stood, stood] {
            changes.push((place.clone(), relation, id, edge, turn));
        }
    }
    let mut found: Vec<Found> = changes.iter().map(|_| Found::default()).collect();
    for _ in 0..TURNS {
        for ((_, relation, id, edge, stands), found) in changes.iter().zip(&mut found) {
            case.set(relation, *edge, *stands);
            if found.afresh.is_empty() {
                let input = case.database(&program);
                let afresh = || Incremental::new(&program, &input, &Limits::default()).unwrap();
                drop(found.afresh.time(afresh));
            }
            found.take(
                &mut standing,
                FactChange { relation: *id, row: &words(*edge), asserted: *stands },
                result,
            );
            found.anew(&program, &case.database(&program), result);
        }
    }
    let row = |((place, _, _, _, stands), found): (&(String, _, _, _, bool), Found)| {
        let mut row = found.json();
        row["change"] = json!(format!("{place}, {}", if *stands { "put in" } else { "taken out" }));
        row
    };
    changes.iter().zip(found).map(row).collect()
}

/// What one change took, each time.
#[derive(Default)]
struct Found {
    change: Pieces,
    /// By the batch engine.
    anew: Pieces,
    /// By the standing one: everything that a change goes on from.
    afresh: Pieces,
    facts: usize,
    differs: bool,
    check: Check,
}

impl Found {
    fn take(&mut self, standing: &mut Incremental, edit: FactChange<'_>, result: RelationId) {
        self.change.time(|| standing.apply(&[edit]).unwrap());
        self.facts = standing.changes(result).count();
        self.check = check(standing.rows(result));
    }

    fn anew(&mut self, program: &Program, input: &Database, result: RelationId) {
        let input = input.clone();
        let model = self.anew.time(|| SemiNaive.evaluate(program, input, &Limits::default()).unwrap());
        let rows = &model.extent(result).unwrap().rows;
        let fresh = Check::of(rows.iter().map(|row| {
            let column = |at: usize| row.get(at).map_or(0, |word| word.0 as u32);
            (column(0), column(1))
        }));
        self.differs |= fresh != self.check;
    }

    fn json(self) -> Json {
        let (change, anew, afresh) = (self.change.json(), self.anew.json(), self.afresh.json());
        json!({
            "cpu_us": change["cpu_median"], "most_us": change["cpu_most"], "anew_us": anew["cpu_median"],
            "afresh_us": afresh["cpu_median"],
            "came_and_went": self.facts, "of": self.check.count, "exact": !self.differs,
        })
    }
}

/// The section; whether everything was as it is when evaluated anew.
pub fn section(options: &Options, figures: &mut Json) -> bool {
    let size = if options.quick() { "quick" } else { "full" };
    let (mut rows, mut exact, mut worst) = (Vec::new(), true, [(0.0, String::new()), (0.0, String::new())]);
    for case in CASES {
        let runs = child::ask_often(&["recursion", case, size], options.runs);
        let count = runs.first().and_then(Json::as_array).map_or(0, Vec::len);
        exact &= count > 0;
        for at in 0..count {
            let series =
                |of: &dyn Fn(&Json) -> f64| Series::new(runs.iter().map(|run| of(&run[at])).collect());
            let number = |run: &Json, name: &str| run[name].as_f64().unwrap_or(f64::NAN);
            let ratio = series(&|run| number(run, "cpu_us") / number(run, "anew_us"));
            let own = series(&|run| number(run, "cpu_us") / number(run, "afresh_us"));
            let right = runs.iter().all(|run| run[at]["exact"] == true);
            exact &= right;
            let change = format!("{case}: {}", runs[0][at]["change"].as_str().unwrap_or_default());
            for (worst, ratio) in worst.iter_mut().zip([&ratio, &own]) {
                if ratio.median() > worst.0 {
                    *worst = (ratio.median(), change.clone());
                }
            }
            rows.push(vec![
                change,
                digits(series(&|run| number(run, "came_and_went")).median()),
                digits(series(&|run| number(run, "of")).median()),
                digits(series(&|run| number(run, "cpu_us") / 1e3).median()),
                digits(series(&|run| number(run, "most_us") / 1e3).median()),
                digits(series(&|run| number(run, "anew_us") / 1e3).median()),
                spread(&ratio, digits),
                digits(series(&|run| number(run, "afresh_us") / 1e3).median()),
                digits(own.median()),
                String::from(if right { "yes" } else { "NO" }),
            ]);
        }
        figures["recursion"][case] = Json::from(runs);
    }
    println!("\n## one change to a recursive program beside evaluating it anew\n");
    let header = [
        "change",
        "came and went",
        "results",
        "CPU ms",
        "most",
        "batch anew, CPU ms",
        "change / batch",
        "standing anew, CPU ms",
        "change / standing",
        "exact",
    ];
    table(&header, &rows);
    println!();
    for (name, (ratio, change)) in ["batch", "standing"].iter().zip(worst) {
        println!("worst beside the {name} engine: {} ({change}); the goal is at most {GOAL}", digits(ratio));
        figures["recursion"][format!("worst_{name}")] =
            json!({"ratio": ratio, "change": change, "goal": GOAL});
    }
    exact
}
