//! ascent: Datalog as a macro, one thread.
#![allow(clippy::all, unused, reason = "code that the macro writes")]

use std::cmp::{Ordering, Reverse};
use std::path::Path;

use ascent::aggregators::{count, max, min, sum};
use ascent::ascent;

use super::Task;
use crate::facts::{each, pairs, triples};
use crate::measure::{Check, Measured, measured};
use crate::year::{self, DOES_NOT_EXIST, EXPECTED, GLOBAL, PROPERTY, RECEIVED};

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
        Task::Ontology | Task::Classification => measured(
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
        Task::Year => measured(
            || load_year(folder),
            |mut program| {
                program.run();
                program
            },
            check_year,
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

/// What runs tell of a tool: calls, successes, the mean latency in microseconds.
fn record<'a>(runs: impl Iterator<Item = (&'a u32, &'a u32)>) -> impl Iterator<Item = (u32, u32, u64)> {
    let (mut calls, mut successes, mut latency) = (0, 0, 0);
    for (ok, milliseconds) in runs {
        calls += 1;
        successes += ok;
        latency += u64::from(*milliseconds) * 1_000;
    }
    let mean = |calls: u64| (2 * latency + calls) / (2 * calls);
    (calls > 0).then(|| (calls, successes, mean(u64::from(calls)))).into_iter()
}

/// The ten latest, of the same time those with the smallest mode.
fn latest<'a>(failures: impl Iterator<Item = (&'a u32, &'a u32)>) -> impl Iterator<Item = (u32, u32)> {
    let mut all: Vec<_> = failures.map(|(at, mode)| (Reverse(*at), *mode)).collect();
    all.sort_unstable();
    all.dedup();
    all.into_iter().take(10).map(|(Reverse(at), mode)| (at, mode))
}

/// The tool with the highest score, of several the smallest.
fn first<'a>(scores: impl Iterator<Item = (&'a Real, &'a u32)>) -> impl Iterator<Item = (Real, u32)> {
    scores
        .map(|(score, tool)| (*score, Reverse(*tool)))
        .max()
        .map(|(score, Reverse(tool))| (score, tool))
        .into_iter()
}

ascent! {
    struct Year;
    relation tool(u32,);
    relation tool_run(u32, u32, u32, u32, u32, u32);
    relation failure_mode(u32, u32);
    relation goal(u32, u32);
    relation goal_domain_given(u32, u32);
    relation domain_signal(u32, u32);
    relation pattern_match(u32, u32, u32, u32);
    relation tool_memory(u32, u32, u32, u32);
    relation error(u32, u32);
    relation error_signal(u32, u32);
    relation signal_category(u32, u32);
    relation domain_order(u32, u32);

    relation given_domain(u32, u32);
    relation given(u32);
    relation signalled(u32, u32, u32);
    relation signalled_domain(u32, u32);
    relation has_signal(u32);
    relation goal_domain(u32, u32);
    given_domain(g, d) <-- goal(g, _), agg d = min(x) in goal_domain_given(g, x);
    given(g) <-- given_domain(g, _);
    signalled(g, p, d) <-- goal(g, _), domain_signal(g, d), domain_order(d, p);
    has_signal(g) <-- signalled(g, _, _);
    signalled_domain(g, d) <-- has_signal(g), agg p = min(x) in signalled(g, x, _), domain_order(d, p);
    goal_domain(g, d) <-- given_domain(g, d);
    goal_domain(g, d) <-- signalled_domain(g, d), !given(g);
    goal_domain(g, GLOBAL) <-- goal(g, _), !given(g), !has_signal(g);

    relation ran(u32, u32);
    relation tool_stats(u32, u32, u32, u32, u64);
    relation known_domain(u32);
    relation has_stats(u32, u32);
    relation evidence(u32, u32, u32, u32);
    relation usefulness(u32, u32, Real);
    ran(t, d) <-- tool_run(_, t, d, _, _, _), if *d != GLOBAL;
    ran(t, GLOBAL) <-- tool_run(_, t, _, _, _, _);
    tool_stats(t, d, c, s, m) <-- ran(t, d), if *d != GLOBAL,
        agg (c, s, m) = record(ok, l) in tool_run(_, t, d, ok, l, _);
    tool_stats(t, d, c, s, m) <-- ran(t, d), if *d == GLOBAL,
        agg (c, s, m) = record(ok, l) in tool_run(_, t, _, ok, l, _);
    known_domain(GLOBAL);
    known_domain(d) <-- tool_run(_, _, d, _, _, _);
    known_domain(d) <-- goal_domain(_, d);
    has_stats(t, d) <-- tool_stats(t, d, _, _, _), if *d != GLOBAL;
    evidence(t, d, c, s) <-- tool(t), known_domain(d), tool_stats(t, d, c, s, _), if *d != GLOBAL;
    evidence(t, d, c, s) <-- tool(t), known_domain(d), tool_stats(t, (GLOBAL), c, s, _), !has_stats(t, d);
    usefulness(t, d, Real(0.5)) <-- tool(t), known_domain(d), !ran(t, (GLOBAL));
    usefulness(t, d, Real((*s as f64 / *c as f64 * 0.7 + 0.5 * 0.3) * (*c as f64 / 10.0).min(1.0))) <--
        evidence(t, d, c, s);

    relation failed(u32, u32, u32, u32);
    relation failed_in(u32, u32);
    relation recent_failure_mode(u32, u32, u32, u32);
    failed(t, d, at, m) <-- failure_mode(r, m), tool_run(r, t, d, 0, _, at);
    failed_in(t, d) <-- failed(t, d, _, _);
    recent_failure_mode(t, d, m, at) <-- failed_in(t, d), agg (at, m) = latest(a, x) in failed(t, d, a, x);

    relation avoid(u32, u32);
    relation matched(u32, u32);
    relation share(u32, u32, Real);
    relation pattern_share(u32, u32, Real);
    relation plain_score(u32, u32, Real);
    relation remembered_score(u32, u32, Real);
    avoid(g, t) <-- goal_domain(g, d), tool_memory(_, d, t, u), tool(t), if *u < 300;
    avoid(g, t) <-- goal(g, _), tool_memory(_, (GLOBAL), t, u), tool(t), if *u < 300;
    share(g, t, Real(if *n > 0 { *m as f64 / *n as f64 } else { 0.0 })) <-- goal(g, _), tool(t), pattern_match(g, t, m, n);
    matched(g, t) <-- share(g, t, _);
    pattern_share(g, t, s) <-- matched(g, t), agg s = max(x) in share(g, t, x);
    pattern_share(g, t, Real(0.0)) <-- goal(g, _), tool(t), !matched(g, t);
    plain_score(g, t, Real(s.0 * 0.8 + u.0 * 0.2)) <-- goal_domain(g, d), pattern_share(g, t, s), usefulness(t, d, u);
    remembered_score(g, t, s) <-- plain_score(g, t, s), !avoid(g, t);
    remembered_score(g, t, Real(s.0 * 0.3)) <-- plain_score(g, t, s), avoid(g, t);

    // Filled by the pack `feedback`, which isn't part of this.
    relation score_factor(u32, u32, Real);
    relation set_aside(u32, u32);
    relation handed_over(u32, u32, u32);
    relation weighed(u32, u32);
    relation handed(u32, u32);
    relation tool_score(u32, u32, Real);
    relation in_the_running(u32, u32, Real);
    relation running(u32);
    relation first_choice(u32, u32, Real);
    relation select_tool(u32, u32, Real);
    relation selected(u32);
    relation allowed(u32, Real);
    relation allowed_any(u32);
    relation best_allowed(u32, Real);
    relation no_tool(u32, Real);
    weighed(g, t) <-- score_factor(g, t, _);
    handed(g, t) <-- handed_over(g, t, _);
    tool_score(g, t, s) <-- remembered_score(g, t, s), !weighed(g, t);
    tool_score(g, t, Real((s.0 * f.0).clamp(0.0, 1.0))) <-- remembered_score(g, t, s), score_factor(g, t, f);
    in_the_running(g, t, s) <-- tool_score(g, t, s), !set_aside(g, t);
    in_the_running(g, t, s) <-- tool_score(g, t, s), handed(g, t);
    running(g) <-- in_the_running(g, _, _);
    first_choice(g, t, s) <-- running(g), agg (s, t) = first(x, y) in in_the_running(g, y, x);
    select_tool(g, t, s) <-- first_choice(g, t, s), if s.0 >= 0.15, !handed(g, t);
    select_tool(g, r, s) <-- first_choice(g, t, best), if best.0 >= 0.15, handed_over(g, t, r), tool_score(g, r, s);
    selected(g) <-- select_tool(g, _, _);
    allowed(g, s) <-- tool_score(g, t, s), !set_aside(g, t);
    allowed_any(g) <-- allowed(g, _);
    best_allowed(g, s) <-- allowed_any(g), agg s = max(x) in allowed(g, x);
    no_tool(g, s) <-- best_allowed(g, s), !selected(g);
    no_tool(g, Real(0.0)) <-- goal(g, _), !allowed_any(g), !selected(g);

    relation error_shows(u32, u32);
    relation handle_error(u32, u32);
    error_shows(e, c) <-- error(e, _), error_signal(e, s), signal_category(s, c);
    error_shows(e, 3) <-- error(e, _), error_signal(e, (PROPERTY)), error_signal(e, (DOES_NOT_EXIST));
    error_shows(e, 4) <-- error(e, _), error_signal(e, (EXPECTED)), error_signal(e, (RECEIVED));
    error_shows(e, 5) <-- error(e, n), if *n > 2_000;
    error_shows(e, 6) <-- error(e, _);
    handle_error(e, c) <-- error(e, _), agg c = min(x) in error_shows(e, x);
}

fn load_year(folder: &Path) -> Year {
    let mut program = Year::default();
    each(folder, "tool", |[tool]| program.tool.push((tool,)));
    each(folder, "tool_run", |row: [u32; 6]| program.tool_run.push(row.into()));
    each(folder, "pattern_match", |row: [u32; 4]| program.pattern_match.push(row.into()));
    each(folder, "tool_memory", |row: [u32; 4]| program.tool_memory.push(row.into()));
    program.failure_mode = pairs(folder, "failure_mode");
    program.goal = pairs(folder, "goal");
    program.goal_domain_given = pairs(folder, "goal_domain_given");
    program.domain_signal = pairs(folder, "domain_signal");
    program.error = pairs(folder, "error");
    program.error_signal = pairs(folder, "error_signal");
    let categories = (0..).zip(year::SIGNALS).filter_map(|(signal, (_, category))| Some((signal, category?)));
    program.signal_category = categories.collect();
    program.domain_order = vec![(3, 1), (0, 2), (1, 3), (4, 4)];
    program
}

fn check_year(program: &Year) -> Check {
    let mut check = Check::default();
    for &(t, d, calls, successes, mean) in &program.tool_stats {
        let failures = calls - successes;
        check.add_row(0, [t, d, calls, successes, failures].map(u64::from).into_iter().chain([mean]));
    }
    for &(t, d, mode, at) in &program.recent_failure_mode {
        check.add_row(1, [u64::from(t), u64::from(d), u64::from(mode), year::microseconds(at) as u64]);
    }
    for &(goal, tool, score) in &program.select_tool {
        check.add_row(2, [u64::from(goal), u64::from(tool), score.0.to_bits()]);
    }
    program.no_tool.iter().for_each(|&(goal, best)| check.add_row(3, [u64::from(goal), best.0.to_bits()]));
    program.handle_error.iter().for_each(|&(e, category)| check.add_row(4, [e, category].map(u64::from)));
    check
}
