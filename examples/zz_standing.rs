//! Temporary: one change on a standing evaluation.
use hence::backend::seminaive::standing::{Edit, Standing};
use hence::backend::{Database, Limits};
use hence::fact::Fact;
use hence::schema::RelationId;
use hence::session::RuleSource;
use hence::value::{Value, Word};
use std::collections::HashSet;
use std::time::Instant;

struct R(u64);
impl R {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e3779b97f4a7c15);
        let m = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58476d1ce4e5b9);
        let m = (m ^ (m >> 27)).wrapping_mul(0x94d049bb133111eb);
        m ^ (m >> 31)
    }
    fn below(&mut self, n: u32) -> u32 {
        (self.next() % u64::from(n.max(1))) as u32
    }
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}
struct Base {
    random: R,
    tools: u32,
    runs: u32,
    incidents: u32,
    tasks: u32,
}
fn name(t: &str) -> Value {
    Value::Name(t.into())
}
fn numbered(t: &str, n: u32) -> Value {
    Value::String(format!("{t}_{n}").as_str().into())
}
fn int(n: u32) -> Value {
    Value::Int(i64::from(n))
}
impl Base {
    fn some_tool(&mut self) -> Value {
        let t = (f64::from(self.tools) * self.random.unit().powf(1.5)) as u32;
        numbered("tool", t)
    }
    fn some_domain(&mut self) -> Value {
        name(&format!("/domain_{}", self.random.below(20)))
    }
    fn any(&mut self) -> Fact {
        match self.random.below(100) {
            0..76 => {
                self.runs += 1;
                let (tool, domain) = (self.some_tool(), self.some_domain());
                let ok = Value::Bool(self.random.unit() < 0.7);
                let (l, c) = (int(self.random.below(1000)), int(self.random.below(50)));
                Fact::new("tool_run", [int(self.runs), tool, domain, ok, l, c])
            }
            76..84 => {
                let run = int(1 + self.random.below(self.runs.max(1)));
                let m = self.random.below(8);
                Fact::new("failure", [run, name(&format!("/mode_{m}"))])
            }
            84..88 => {
                self.tasks += 1;
                let (d, t) = (self.some_domain(), self.some_tool());
                Fact::new("task", [int(self.tasks), d, t, int(self.random.below(10))])
            }
            88..92 => Fact::new("done", [int(1 + self.random.below(self.tasks.max(1)))]),
            92..94 => {
                self.incidents += 1;
                let (t, s) = (self.some_tool(), int(1 + self.random.below(5)));
                Fact::new("incident", [int(self.incidents), t, s])
            }
            94..96 => Fact::new("resolved", [int(1 + self.random.below(self.incidents.max(1)))]),
            96..98 => {
                let (t, a) = (self.some_tool(), self.random.unit() < 0.8);
                Fact::new("review", [t, Value::Bool(a)])
            }
            _ => Fact::new(
                "blocked_by",
                [
                    int(1 + self.random.below(self.tasks.max(1))),
                    int(1 + self.random.below(self.tasks.max(1))),
                ],
            ),
        }
    }
    fn facts(&mut self, count: u32) -> Vec<Fact> {
        let mut facts = HashSet::new();
        for tool in 0..self.tools {
            facts.insert(Fact::new("tool", [numbered("tool", tool)]));
            if tool % 3 > 0 {
                facts.insert(Fact::new("owner", [numbered("tool", tool), numbered("person", tool % 97)]));
            }
            if tool % 8 > 0 {
                facts.insert(Fact::new("depends", [numbered("tool", tool), numbered("tool", tool - 1)]));
            }
            if tool % 101 == 0 {
                facts.insert(Fact::new("banned", [numbered("tool", tool)]));
            }
        }
        facts.extend((0..50).map(|p| Fact::new("trusted", [numbered("person", p)])));
        for d in 0..20 {
            facts.insert(Fact::new("budget", [name(&format!("/domain_{d}")), int(count / 20 * 19 + d * 10)]));
        }
        while facts.len() < count as usize {
            facts.insert(self.any());
        }
        let mut facts: Vec<Fact> = facts.into_iter().collect();
        facts.sort_unstable();
        facts
    }
}
fn rss() -> u64 {
    std::fs::read_to_string("/proc/self/status")
        .unwrap()
        .lines()
        .find(|l| l.starts_with("VmRSS"))
        .unwrap()
        .split_whitespace()
        .nth(1)
        .unwrap()
        .parse()
        .unwrap()
}

fn main() {
    let count: u32 = std::env::args().nth(1).unwrap().parse().unwrap();
    let changes: usize = std::env::args().nth(2).unwrap().parse().unwrap();
    let mix = std::env::args().nth(3).unwrap_or("mix".into());
    let rules =
        RuleSource { paths: vec!["benches/rules/standing.dl".into()], ..Default::default() }.load().unwrap();
    let program = &rules.program;
    let mut base = Base { random: R(7), tools: (count / 50).max(10), runs: 0, incidents: 0, tasks: 0 };
    let facts = base.facts(count);
    let word = |f: &Fact| {
        (program.find(f.relation).unwrap(), f.values.iter().map(|v| v.word()).collect::<Vec<Word>>())
    };
    let mut input = Database::new(program);
    let mut held: HashSet<(RelationId, Vec<Word>)> = HashSet::new();
    for f in &facts {
        let (r, w) = word(f);
        input.push(r, &w);
        held.insert((r, w));
    }
    let mut order: Vec<_> = held.iter().cloned().collect();
    order.sort();
    let before = rss();
    let t = Instant::now();
    let mut standing = Standing::new(program, &input, &Limits::default()).unwrap();
    println!(
        "load {:?}, {} MB by own count, rss +{} MB",
        t.elapsed(),
        standing.bytes() >> 20,
        (rss() - before) >> 10
    );
    let mut times: Vec<(u64, String)> = Vec::new();
    for i in 0..changes {
        let (edit, stands) = if (mix == "mix" && i % 3 == 2) || (mix != "mix" && i % 2 == 1) {
            let at = base.random.below(order.len() as u32) as usize;
            let gone = order.swap_remove(at);
            held.remove(&gone);
            (gone, false)
        } else {
            let w = word(&base.any());
            if held.insert(w.clone()) {
                order.push(w.clone());
            }
            (w, true)
        };
        let t = Instant::now();
        standing.apply(&[Edit { relation: edit.0, row: &edit.1, stands }]).unwrap();
        let d = t.elapsed().as_nanos() as u64;
        times.push((
            d,
            format!("{}{}", if stands { "+" } else { "-" }, program.relations[edit.0.0 as usize].name),
        ));
    }
    let mut by: std::collections::BTreeMap<String, Vec<u64>> = Default::default();
    for (t, n) in &times {
        by.entry(n.clone()).or_default().push(*t);
        by.entry("all".into()).or_default().push(*t);
    }
    for (n, ts) in &mut by {
        ts.sort();
        let q = |p: f64| ts[((ts.len() - 1) as f64 * p) as usize] as f64 / 1e3;
        println!(
            "{n:16} {:6} median {:8.1} p90 {:8.1} p99 {:8.1} max {:8.1}",
            ts.len(),
            q(0.5),
            q(0.9),
            q(0.99),
            q(1.0)
        );
    }
    println!("after: {} MB by own count, rss {} MB", standing.bytes() >> 20, rss() >> 10);
    if changes < 5000 || std::env::var_os("CHECK").is_some() {
        let mut input = Database::new(program);
        for (r, w) in &order {
            input.push(*r, w);
        }
        use hence::backend::Engine;
        let fresh =
            hence::backend::seminaive::SemiNaive.evaluate(program, &input, &Limits::default()).unwrap();
        for r in 0..program.relations.len() {
            let a: HashSet<Vec<Word>> = fresh.relations[r].rows.iter().map(|x| x.to_vec()).collect();
            let b: HashSet<Vec<Word>> = standing.rows(RelationId(r as u32)).map(|x| x.to_vec()).collect();
            assert!(a == b, "{}", program.relations[r].name);
        }
        println!("exact");
    }
}
