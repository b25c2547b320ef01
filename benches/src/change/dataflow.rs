//! The rules of `rules/standing.dl`, all 52, written by hand for differential dataflow, relation by relation in the
//! order of the text. Ints where hence has strings; the bits of floats, which are never negative here, as ints, so that
//! they are ordered. What several rules read by the same key is arranged once; sums go into differences, the largest of
//! many is found in two steps: what one change costs should follow from the change, here as there.

use std::cmp::Reverse;

use differential_dataflow::VecCollection;
use differential_dataflow::hashable::Hashable;
use differential_dataflow::operators::arrange::{Arranged, TraceAgent};
use differential_dataflow::operators::{CountTotal, Iterate, ThresholdTotal};
use differential_dataflow::trace::implementations::{KeySpine, ValSpine};
use differential_dataflow::{Data, ExchangeData};

/// One fact a transaction.
pub(super) type Epoch = u32;
type Rows<'s, D> = VecCollection<'s, Epoch, D, isize>;
type Set<'s, K> = Arranged<'s, TraceAgent<KeySpine<K, Epoch, isize>>>;
type Map<'s, K, V> = Arranged<'s, TraceAgent<ValSpine<K, V, Epoch, isize>>>;
/// The bits of a float that isn't negative.
type Real = u64;

/// A given fact. One input takes them all: with one for each relation an epoch would cost more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Given {
    Tool(u32),
    /// Run, tool, domain, whether it went well, latency, cost.
    Run(u32, u32, u32, bool, i64, i64),
    Failure(u32, u32),
    Depends(u32, u32),
    Owner(u32, u32),
    Trusted(u32),
    Banned(u32),
    Review(u32, bool),
    Budget(u32, i64),
    /// Task, domain, tool, priority.
    Task(u32, u32, u32, i64),
    Done(u32),
    BlockedBy(u32, u32),
    /// Incident, tool, severity.
    Incident(u32, u32, i64),
    Resolved(u32),
}

/// A decision: its number among [`DECISIONS`], and two columns, the second 0 where it has but one.
pub(super) type Drawn = (u8, u64, u64);

pub(super) const DECISIONS: [&str; 8] =
    ["refine", "run_task", "ask_person", "replace_tool", "cut_spending", "warn_budget", "retire", "watch"];

fn real(float: f64) -> Real {
    float.to_bits()
}

fn float(real: Real) -> f64 {
    f64::from_bits(real)
}

/// The facts of one input relation.
macro_rules! given {
    ($facts:ident, $kind:ident($($column:pat),*) => $row:expr) => {
        $facts.clone().flat_map(|fact| match fact {
            Given::$kind($($column),*) => Some($row),
            _ => None,
        })
    };
}

/// The rows whose keys are in a set.
fn with<'s, K: ExchangeData + Hashable, V: ExchangeData>(
    rows: Rows<'s, (K, V)>,
    keys: &Set<'s, K>,
) -> Rows<'s, (K, V)> {
    rows.arrange_by_key().join_core(keys.clone(), |key, value, ()| Some((key.clone(), value.clone())))
}

/// The rows whose keys aren't.
fn without<'s, K: ExchangeData + Hashable, V: ExchangeData>(
    rows: Rows<'s, (K, V)>,
    keys: &Set<'s, K>,
) -> Rows<'s, (K, V)> {
    let there = with(rows.clone(), keys);
    rows.concat(there.negate())
}

/// The keys of the one set that are in the other.
fn both<'s, K: ExchangeData + Hashable>(set: &Set<'s, K>, other: &Set<'s, K>) -> Rows<'s, K> {
    set.clone().join_core(other.clone(), |key, (), ()| Some(key.clone()))
}

/// The keys of the one set that are not in the other.
fn except<'s, K: ExchangeData + Hashable>(keys: Rows<'s, K>, other: &Set<'s, K>) -> Rows<'s, K> {
    let there = both(&keys.clone().arrange_by_self(), other);
    keys.concat(there.negate())
}

fn set<'s, K: ExchangeData + Hashable>(keys: Rows<'s, K>) -> Set<'s, K> {
    keys.distinct_total().arrange_by_self()
}

fn join<'s, K, V, W, R>(
    map: &Map<'s, K, V>,
    other: &Map<'s, K, W>,
    row: impl Fn(&K, &V, &W) -> Option<R> + 'static,
) -> Rows<'s, R>
where
    K: ExchangeData + Hashable,
    V: ExchangeData,
    W: ExchangeData,
    R: Data,
{
    map.clone().join_core(other.clone(), move |key, left, right| row(key, left, right))
}

/// The first `count` values of each key, by way of the first of each of its parts.
fn first<'s, V: ExchangeData>(rows: Rows<'s, ((u32, u32), V)>, count: usize) -> Rows<'s, (u32, V)> {
    let take = move |input: &[(&V, isize)], output: &mut Vec<(V, isize)>| {
        output.extend(input.iter().take(count).map(|(value, _)| ((*value).clone(), 1)));
    };
    let parts = rows.reduce(move |_, input, output| take(input, output));
    parts.map(|((key, _), value)| (key, value)).reduce(move |_, input, output| take(input, output))
}

/// The largest value of each key.
fn largest<'s, V: ExchangeData>(rows: Rows<'s, ((u32, u32), V)>) -> Rows<'s, (u32, V)> {
    first(rows.map(|(key, value)| (key, Reverse(value))), 1).map(|(key, Reverse(value))| (key, value))
}

/// Calls, success rate, longest run and cost of a tool in a domain.
type Stats = (i64, Real, i64, i64);

/// What is known of tools by their runs.
struct Tools<'s> {
    stats: Rows<'s, ((u32, u32), Stats)>,
    calls: Map<'s, u32, i64>,
    /// By tool and domain.
    useful: Map<'s, (u32, u32), Real>,
    /// Domain, tool.
    best: Rows<'s, (u32, u32)>,
    /// Tool, domain.
    poor: Set<'s, (u32, u32)>,
    poor_anywhere: Set<'s, u32>,
    good: Set<'s, u32>,
    slow: Rows<'s, (u32, u32)>,
}

fn tools<'s>(facts: &Rows<'s, Given>) -> Tools<'s> {
    let runs = given!(facts, Run(run, tool, domain, ok, latency, cost) => ((tool, domain), (ok, latency, cost, run)));
    let stats = runs.reduce(|_, runs, output| {
        let count = runs.len() as i64;
        let went_well = runs.iter().filter(|((ok, ..), _)| *ok).count();
        let longest = runs.iter().map(|((_, latency, ..), _)| *latency).max().unwrap_or(0);
        let cost: i64 = runs.iter().map(|((_, _, cost, _), _)| *cost).sum();
        output.push(((count, real(went_well as f64 / count as f64), longest, cost), 1));
    });
    let calls = stats.clone().explode(|((tool, _), (count, ..))| Some((tool, count as isize))).count_total();
    let useful = stats.clone().map(|(key, (count, rate, ..))| {
        (key, real((float(rate) * 0.7 + 0.15) * (count as f64 / 10.0).min(1.0)))
    });
    let best_useful = largest(useful.clone().map(|((tool, domain), useful)| ((domain, tool % 64), useful)));
    let by_use = useful.clone().map(|((tool, domain), useful)| ((domain, useful), tool));
    let best = with(by_use, &best_useful.arrange_by_self()).map(|((domain, _), tool)| (domain, tool));
    let is_poor = |(count, rate, ..): Stats| count >= 5 && float(rate) < 0.4;
    let poor = stats.clone().flat_map(move |(key, stats)| is_poor(stats).then_some(key));
    let poor_anywhere = set(poor.clone().map(|(tool, _)| tool));
    let tool = given!(facts, Tool(tool) => tool);
    Tools {
        calls: calls.map(|(tool, count)| (tool, count as i64)).arrange_by_key(),
        useful: useful.arrange_by_key(),
        best,
        poor: poor.arrange_by_self(),
        good: except(tool, &poor_anywhere).arrange_by_self(),
        poor_anywhere,
        slow: stats.clone().flat_map(|(key, (_, _, longest, _))| (longest > 950).then_some(key)),
        stats,
    }
}

/// Domains that spend too much, and how much; and those that nearly do.
fn money<'s>(facts: &Rows<'s, Given>, tools: &Tools<'s>) -> (Rows<'s, (u32, i64)>, Rows<'s, u32>) {
    let costs = tools.stats.clone().explode(|((_, domain), (_, _, _, cost))| {
        // With the number of rows, so that a sum of 0 is one.
        Some((domain, (1isize, cost as isize)))
    });
    let spend = costs.count_total().map(|(domain, (_, cost))| (domain, cost as i64)).arrange_by_key();
    let budget = given!(facts, Budget(domain, cents) => (domain, cents)).arrange_by_key();
    let over =
        join(&spend, &budget, |domain, spent, budget| (spent > budget).then_some((*domain, spent - budget)));
    let near = join(&spend, &budget, |domain, spent, budget| {
        (spent * 10 > budget * 9 && spent <= budget).then_some(*domain)
    });
    (over, near)
}

/// Tools that often fail in the same way, and those whose failures nobody explained.
fn failures<'s>(facts: &Rows<'s, Given>, tools: &Tools<'s>) -> (Set<'s, u32>, Set<'s, u32>) {
    let failed = given!(facts, Run(run, tool, _, ok, _, _) => (ok, run, tool));
    let failed = failed.flat_map(|(ok, run, tool)| (!ok).then_some((run, tool)));
    let failure = given!(facts, Failure(run, mode) => (run, mode));
    let explained = set(failure.clone().map(|(run, _)| run));
    let failures = join(&failed.clone().arrange_by_key(), &failure.arrange_by_key(), |_, tool, mode| {
        Some((*tool, *mode))
    });
    let frequent = failures.count_total();
    let frequent = frequent.flat_map(|((tool, _), count)| (count >= 6).then_some(tool));
    let unexplained = without(failed, &explained).map(|(_, tool)| tool).count_total().arrange_by_key();
    let murky =
        join(&unexplained, &tools.calls, |tool, count, calls| (*count as i64 * 4 > *calls).then_some(*tool));
    (set(frequent), murky.arrange_by_self())
}

/// Tools that call one that is banned, or are.
fn broken<'s>(facts: &Rows<'s, Given>) -> Rows<'s, u32> {
    let depends = given!(facts, Depends(tool, on) => (tool, on));
    let edges = depends.clone();
    let needs = depends.iterate(move |scope, needs| {
        let edges = edges.enter(scope);
        // Kept as (end, start) while they grow.
        let longer =
            needs.clone().map(|(tool, on)| (on, tool)).join_map(edges.clone(), |_, tool, on| (*tool, *on));
        edges.concat(longer).distinct()
    });
    let banned = given!(facts, Banned(tool) => tool);
    let by_banned = with(needs.map(|(tool, on)| (on, tool)), &banned.clone().arrange_by_self());
    banned.concat(by_banned.map(|(_, tool)| tool)).distinct_total()
}

/// What is known of tools by incidents, their owners and reviews.
struct Trust<'s> {
    incidents: Map<'s, u32, isize>,
    under_watch: Set<'s, u32>,
    stopped: Set<'s, u32>,
    disputed: Set<'s, u32>,
    unowned: Rows<'s, u32>,
    usable: Set<'s, u32>,
    free_to_use: Set<'s, u32>,
}

fn trust<'s>(facts: &Rows<'s, Given>, murky: &Set<'s, u32>) -> Trust<'s> {
    let incident = given!(facts, Incident(incident, tool, severity) => (incident, (tool, severity)));
    let resolved = given!(facts, Resolved(incident) => incident).arrange_by_self();
    let open = without(incident.clone(), &resolved);
    let worst = largest(open.map(|(incident, (tool, severity))| ((tool, incident % 8), severity)));
    let incidents = incident.map(|(_, (tool, _))| tool).count_total().arrange_by_key();
    let under_watch = worst.clone().flat_map(|(tool, worst)| (worst >= 2).then_some(tool)).arrange_by_self();
    let stopped = worst.flat_map(|(tool, worst)| (worst >= 5).then_some(tool)).concat(broken(facts));
    let stopped = set(stopped);

    let tool = given!(facts, Tool(tool) => tool);
    let owner = given!(facts, Owner(tool, person) => (person, tool));
    let trusted = given!(facts, Trusted(person) => person).arrange_by_self();
    let vouched = set(with(owner.clone(), &trusted).map(|(_, tool)| tool));
    let said = |yes: bool| {
        given!(facts, Review(tool, approved) => (tool, approved))
            .flat_map(move |(tool, approved)| (approved == yes).then_some(tool))
    };
    let (praised, refused) = (said(true), said(false).arrange_by_self());
    let approved = except(praised.clone(), &refused).arrange_by_self();
    let disputed = both(&praised.arrange_by_self(), &refused).arrange_by_self();
    let unowned = except(tool.clone(), &set(owner.map(|(_, tool)| tool)));
    let usable = except(tool, &stopped).arrange_by_self();
    let by_owner = except(both(&usable, &vouched), &under_watch);
    let by_review = except(both(&usable, &approved), murky);
    let free_to_use = set(by_owner.concat(by_review));
    Trust { incidents, under_watch, stopped, disputed, unowned, usable, free_to_use }
}

/// What is to be done.
struct Work<'s> {
    /// By task: domain, tool and priority.
    ready: Rows<'s, (u32, (u32, u32, i64))>,
    busy: Set<'s, u32>,
    overloaded: Set<'s, u32>,
    next_task: Set<'s, u32>,
}

fn work<'s>(facts: &Rows<'s, Given>, tools: &Tools<'s>) -> Work<'s> {
    let task = given!(facts, Task(task, domain, tool, priority) => (task, (domain, tool, priority)));
    let done = given!(facts, Done(task) => task).arrange_by_self();
    let open = without(task, &done);
    let open_tasks = open.clone().map(|(task, _)| task).arrange_by_self();
    let blocked = given!(facts, BlockedBy(task, on) => (task, on));
    let blocked = with(blocked, &open_tasks).map(|(task, on)| (on, task));
    let waiting = set(with(blocked, &open_tasks).map(|(_, task)| task));
    let ready = without(open.clone(), &waiting);
    let backlog = open.map(|(_, (domain, ..))| domain).count_total();
    let workload = ready.clone().explode(|(_, (_, tool, priority))| Some((tool, priority as isize)));
    let overloaded = workload.count_total().flat_map(|(tool, sum)| (sum > 40).then_some(tool));
    let by_tool = ready.clone().map(|(task, (domain, tool, priority))| ((tool, domain), (task, priority)));
    let score = join(&by_tool.arrange_by_key(), &tools.useful, |(_, domain), (task, priority), useful| {
        let score = real(float(*useful) + *priority as f64 / 10.0);
        Some(((*domain, task % 64), (Reverse(score), *task)))
    });
    Work {
        busy: backlog.flat_map(|(domain, count)| (count >= 20).then_some(domain)).arrange_by_self(),
        overloaded: overloaded.arrange_by_self(),
        next_task: first(score, 3).map(|(_, (_, task))| task).arrange_by_self(),
        ready,
    }
}

/// All decisions.
pub(super) fn decisions<'s>(facts: &Rows<'s, Given>) -> Rows<'s, Drawn> {
    let tools = tools(facts);
    let (over_budget, near_budget) = money(facts, &tools);
    let (frequent_failure, murky) = failures(facts, &tools);
    let trust = trust(facts, &murky);
    let work = work(facts, &tools);

    let one = |number: u8| move |row: u32| (number, u64::from(row), 0);
    let two = |number: u8| move |(row, other): (u32, u32)| (number, u64::from(row), u64::from(other));
    let poor = both(&tools.poor_anywhere, &trust.usable).arrange_by_self();
    let poor = poor.join_core(tools.calls.clone(), |tool, (), calls| (*calls >= 10).then_some(*tool));
    let failing = except(both(&frequent_failure, &trust.usable), &tools.good);
    let by_tool = |task: u32, tool: u32| (tool, task);
    let next = with(work.ready.clone(), &work.next_task);
    let next = with(next.map(move |(task, (_, tool, _))| by_tool(task, tool)), &trust.free_to_use);
    let run_task = without(next, &work.overloaded).map(|(tool, task)| (task, tool));
    let urgent = work.ready.filter(|(_, (_, _, priority))| *priority >= 8);
    let urgent = with(urgent.map(move |(task, (_, tool, _))| by_tool(task, tool)), &trust.usable);
    let ask = without(urgent, &trust.free_to_use).map(|(_, task)| task);
    let bad = both(&tools.slow.arrange_by_self(), &tools.poor).map(|(tool, domain)| (domain, tool));
    let better = join(&bad.arrange_by_key(), &tools.best.arrange_by_key(), |_, tool, by| {
        (tool != by).then_some((*by, *tool))
    });
    let replace = with(better, &trust.usable).map(|(by, tool)| (tool, by));
    let cut = without(over_budget, &work.busy);
    let warn = both(&near_budget.arrange_by_self(), &work.busy);
    let retire = both(&trust.unowned.arrange_by_self(), &trust.stopped);
    let retire = except(retire, &trust.disputed);
    let watch = trust
        .under_watch
        .join_core(trust.incidents, |tool, (), count| (*count >= 2).then_some((*tool, *count)));
    let watch = watch.arrange_by_key();
    let watch = join(&watch, &tools.calls, |tool, count, calls| {
        Some((7, u64::from(*tool), real(*count as f64 / *calls as f64)))
    });
    let all = [
        poor.concat(failing).map(one(0)),
        run_task.map(two(1)),
        ask.map(one(2)),
        replace.map(two(3)),
        cut.map(|(domain, over)| (4, u64::from(domain), over as u64)),
        warn.map(one(5)),
        retire.map(one(6)),
        watch,
    ];
    let mut all = all.into_iter();
    let first = all.next().unwrap();
    first.concatenate(all).distinct_total()
}
