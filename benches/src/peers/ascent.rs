//! ascent: Datalog as a macro, one thread.
#![allow(clippy::all, unused, reason = "code that the macro writes")]

use std::cmp::Ordering;
use std::path::Path;

use ascent::aggregators::{count, max, min, sum};
use ascent::ascent;

use super::Task;
use crate::facts::{each, pairs, triples};
use crate::measure::{Check, Measured, measured};

ascent! {
    struct Closure;
    relation edge(u32, u32);
    relation path(u32, u32);
    path(x, y) <-- edge(x, y);
    path(x, z) <-- path(x, y), edge(y, z);
}

ascent! {
    struct Generation;
    relation parent(u32, u32);
    relation sg(u32, u32);
    sg(x, y) <-- parent(p, x), parent(p, y), if x != y;
    sg(x, y) <-- sg(a, b), parent(a, x), parent(b, y);
}

ascent! {
    struct PointsTo;
    relation address_of(u32, u32);
    relation assign(u32, u32);
    relation load(u32, u32);
    relation store(u32, u32);
    relation pt(u32, u32);
    pt(y, x) <-- address_of(y, x);
    pt(y, x) <-- assign(y, z), pt(z, x);
    pt(y, w) <-- load(y, x), pt(x, z), pt(z, w);
    pt(z, w) <-- store(y, x), pt(y, z), pt(x, w);
}

ascent! {
    struct Triangles;
    relation e(u32, u32);
    relation t(u32, u32, u32);
    t(x, y, z) <-- e(x, y), e(y, z), e(x, z);
}

ascent! {
    struct Ontology;
    relation p(u32, u32);
    relation q(u32, u32, u32);
    relation r(u32, u32, u32);
    relation c(u32, u32, u32);
    relation u(u32, u32, u32);
    relation s(u32, u32);
    p(x, z) <-- p(x, y), p(y, z);
    p(x, z) <-- p(y, w), u(w, r, z), q(x, r, y);
    p(x, z) <-- c(y, w, z), p(x, w), p(x, y);
    q(x, r, z) <-- p(x, y), q(y, r, z);
    q(x, q, z) <-- q(x, r, z), s(r, q);
    q(x, e, o) <-- q(x, y, z), r(y, u, e), q(z, u, o);
}

/// A float that can be a column.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
struct Real(f64);

impl Eq for Real {}

impl Ord for Real {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl std::hash::Hash for Real {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

fn mean<'a>(values: impl Iterator<Item = (&'a u32,)>) -> impl Iterator<Item = Real> {
    let (mut sum, mut count) = (0u64, 0u64);
    for (value,) in values {
        sum += u64::from(*value);
        count += 1;
    }
    (count > 0).then(|| Real(sum as f64 / count as f64)).into_iter()
}

ascent! {
    struct Aggregates;
    relation tool_run(u32, u32, u32, u32, u32);
    relation tool(u32,);
    relation td(u32, u32);
    relation calls(u32, u32, u32);
    relation succ(u32, u32, u32);
    relation lat(u32, u32, u32, u32, Real);
    relation rate(u32, u32, Real);
    relation useful(u32, u32, Real);
    relation best_useful(u32, Real);
    relation best(u32, u32);
    relation poor(u32, u32);
    relation poor_anywhere(u32);
    relation good(u32);
    relation slow(u32, u32);
    td(t, d) <-- tool_run(_, t, d, _, _);
    calls(t, d, c as u32) <-- td(t, d), agg c = count() in tool_run(_, t, d, _, _);
    succ(t, d, s) <-- td(t, d), agg s = sum(o) in tool_run(_, t, d, o, _);
    lat(t, d, mn, mx, av) <-- td(t, d),
        agg mn = min(l) in tool_run(_, t, d, _, l),
        agg mx = max(l) in tool_run(_, t, d, _, l),
        agg av = mean(l) in tool_run(_, t, d, _, l);
    rate(t, d, Real(*s as f64 / *c as f64)) <-- calls(t, d, c), succ(t, d, s);
    useful(t, d, Real((r.0 * 0.7 + 0.5 * 0.3) * (*c as f64 / 10.0).min(1.0))) <-- rate(t, d, r), calls(t, d, c);
    best_useful(d, u) <-- td(_, d), agg u = max(x) in useful(_, d, x);
    best(d, t) <-- best_useful(d, u), useful(t, d, u);
    poor(t, d) <-- rate(t, d, r), calls(t, d, c), if r.0 < 0.5 && *c >= 10;
    poor_anywhere(t) <-- poor(t, _);
    good(t) <-- tool(t), !poor_anywhere(t);
    slow(t, d) <-- lat(t, d, mn, mx, av), if av.0 > 120.0 && *mx > 20 * *mn;
}

pub fn run(task: Task, folder: &Path) -> Measured {
    match task {
        Task::Closure => measured(
            || Closure { edge: pairs(folder, "edge"), ..Closure::default() },
            |mut program| {
                program.run();
                program
            },
            |program| Check::of(program.path.iter().copied()),
        ),
        Task::Generation => measured(
            || Generation { parent: pairs(folder, "parent"), ..Generation::default() },
            |mut program| {
                program.run();
                program
            },
            |program| Check::of(program.sg.iter().copied()),
        ),
        Task::PointsTo => measured(
            || PointsTo {
                address_of: pairs(folder, "addressOf"),
                assign: pairs(folder, "assign"),
                load: pairs(folder, "load"),
                store: pairs(folder, "store"),
                ..PointsTo::default()
            },
            |mut program| {
                program.run();
                program
            },
            |program| Check::of(program.pt.iter().copied()),
        ),
        Task::Triangles => measured(
            || Triangles { e: pairs(folder, "e"), ..Triangles::default() },
            |mut program| {
                program.run();
                program
            },
            |program| Check::of_triples(program.t.iter().copied()),
        ),
        Task::Ontology => measured(
            || Ontology {
                p: pairs(folder, "isA"),
                q: triples(folder, "has"),
                r: triples(folder, "r"),
                c: triples(folder, "c"),
                u: triples(folder, "u"),
                s: pairs(folder, "s"),
                ..Ontology::default()
            },
            |mut program| {
                program.run();
                program
            },
            |program| Check::of_both(program.p.iter().copied(), program.q.iter().copied()),
        ),
        Task::Aggregates => measured(
            || load_aggregates(folder),
            |mut program| {
                program.run();
                program
            },
            check_aggregates,
        ),
    }
}

fn load_aggregates(folder: &Path) -> Aggregates {
    let mut program = Aggregates::default();
    each(folder, "tool_run", |[run, tool, domain, ok, latency]| {
        program.tool_run.push((run, tool, domain, ok, latency));
    });
    each(folder, "tool", |[tool]| program.tool.push((tool,)));
    program
}

fn check_aggregates(program: &Aggregates) -> Check {
    let mut check = Check::default();
    program.td.iter().for_each(|&(t, d)| check.add(0, t, d));
    program.best.iter().for_each(|&(d, t)| check.add(1, d, t));
    program.poor.iter().for_each(|&(t, d)| check.add(2, t, d));
    program.good.iter().for_each(|&(t,)| check.add(3, t, 0));
    program.slow.iter().for_each(|&(t, d)| check.add(4, t, d));
    check
}
