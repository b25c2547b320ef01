//! What a plan's matches go through before they are facts, on one thread or on several.

use super::context::Sink;
use super::exchange;
use crate::cells::Cells;
use crate::exec::closures::{Closures, Scratch};
use crate::exec::context::ExecContext;
use crate::exec::emit::{Apart, Emitter};
use crate::exec::exchange::Job;
use crate::exec::group::Groups;
use crate::exec::limit::LimitedHeads;
use crate::exec::morsels::{Morsels, PER_THREAD};
use crate::exec::parts;
use crate::limits::Threads;
use crate::plan::head::plain;
use crate::plan::steps::Plan;
use crate::report::Reports;
use crate::storage::threads;
use crate::storage::view::View;
use hence_core::meter::Bound;
use std::time::{Duration, Instant};

use hence_core::fault::broken;
use hence_core::schema::RelationId;
use hence_core::value::Word;
use hence_lang::ir::Rule;

/// How many rows are looked through before it is known how long one takes.
const FIRST: usize = 4;
/// From how many rows on several threads form groups.
const MANY_ROWS: usize = 1 << 12;
/// How many times as long as one works alone a rule has to be expected to take for all to begin at once.
const SURELY: f64 = 8.0;

/// A plan with what it takes to run it.
#[derive(Debug)]
pub(crate) struct ExecPlan {
    /// The plan.
    pub(crate) plan: Plan,
    closures: Closures,
    /// The words that it works with.
    frame: Vec<Word>,
    output: Output,
}

impl ExecPlan {
    /// A plan of a rule.
    pub(crate) fn new(plan: Plan, rule: &Rule) -> Self {
        let frame = plan.frame.words.as_slice().to_vec();
        Self { closures: Closures::new(&plan), frame, output: Output::new(rule, &plan), plan }
    }
}

/// What a plan's matches go through before they are facts.
#[derive(Debug)]
enum Output {
    /// Nothing.
    Facts(Pace),
    /// Aggregates.
    Groups(Groups),
    /// A limit.
    Heads(LimitedHeads),
}

/// How many seconds a row of the outermost loop took one thread when the plan ran last, once it is known.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pace(Option<f64>);

impl Pace {
    /// Takes down that `rows` took one thread so long.
    fn set(&mut self, took: f64, rows: usize) {
        self.0 = Some(took / rows.max(1) as f64);
    }

    /// Whether so many rows are surely worth the work of all threads.
    fn is_slow(self, rows: usize, threads: Threads) -> bool {
        self.0.is_some_and(|row| row * rows as f64 > SURELY * threads.after.as_secs_f64())
    }

    /// How many rows are gone through in a while.
    fn rows_in(self, a_while: Duration) -> usize {
        self.0.map_or(0, |row| (a_while.as_secs_f64() / row.max(1e-12)) as usize)
    }
}

impl Output {
    /// The way of a rule's matches.
    fn new(rule: &Rule, plan: &Plan) -> Self {
        match &rule.limit {
            _ if rule.is_aggregate() => Self::Groups(Groups::new(plan.rule, rule)),
            Some(limit) => Self::Heads(LimitedHeads::new(rule, limit)),
            None => Self::Facts(Pace::default()),
        }
    }

    fn take_all<'a>(
        &mut self,
        (plan, rule, closures): (&'a Plan, &'a Rule, &Closures),
        frame: &mut [Word],
        facts: &mut Emitter<'_>,
        context: &mut ExecContext<'a, '_>,
        scratch: &mut Scratch,
    ) -> Result<u64, Bound> {
        match (self, &rule.limit) {
            (Self::Groups(groups), _) => {
                groups.clear();
                let matches = closures.run((plan, rule), frame, None, groups, context, scratch)?;
                facts.expect_distinct(context);
                groups.finish(rule, facts, context).map(|()| matches)
            }
            (Self::Heads(heads), Some(limit)) => {
                heads.clear();
                let matches = closures.run((plan, rule), frame, None, heads, context, scratch)?;
                heads.finish((rule, limit), facts, context).map(|()| matches)
            }
            (Self::Heads(_), None) => broken("only rules with a limit rank their heads"),
            (Self::Facts(_), _) => {
                facts.allow_later(plan.distinct);
                closures.run((plan, rule), frame, None, facts, context, scratch)
            }
        }
    }
}

/// Runs one plan, on several threads where that is possible and worth while: how many matches there were, and how many
/// new facts they gave.
pub(crate) fn run<'a>(
    ExecPlan { plan, closures, frame, output }: &'a mut ExecPlan,
    rule: &'a Rule,
    context: &mut ExecContext<'a, '_>,
    scratch: &mut Scratch,
    threads: Threads,
) -> Result<(u64, u64), Bound> {
    if is_idle(plan, context) {
        return Ok((0, 0));
    }
    let morsels = (threads.most > 1).then(|| Morsels::new(plan, rule, context.stable)).flatten();
    let is_worth_while = |morsels: &Morsels<'_>| {
        matches!(output, Output::Facts(_)) || morsels.left() >= MANY_ROWS || threads.after.is_zero()
    };
    let Some(morsels) = morsels.filter(is_worth_while) else {
        return into_facts(rule, context, scratch, |facts, context, scratch| {
            output.take_all((plan, rule, closures), frame, facts, context, scratch)
        });
    };
    let job = Job { plan, rule, closures, morsels, step: 1, is_clustered: false };
    into_facts(rule, context, scratch, |facts, context, scratch| match output {
        Output::Facts(pace) => derive((job, frame), pace, facts, context, scratch, threads),
        Output::Groups(_) | Output::Heads(_) => collect((job, frame), facts, context, scratch, threads.most),
    })
}

/// Whether some relation without whose facts there is no match has none.
fn is_idle(plan: &Plan, context: &ExecContext<'_, '_>) -> bool {
    let is_empty = |(relation, view): &(RelationId, View)| context.stable[*relation].range(*view).is_empty();
    plan.reads.iter().any(is_empty)
}

/// Hands out facts to be filled; how many matches `fill` counted, and how many facts were new.
fn into_facts<'a>(
    rule: &Rule,
    context: &mut ExecContext<'a, '_>,
    scratch: &mut Scratch,
    fill: impl FnOnce(&mut Emitter<'_>, &mut ExecContext<'a, '_>, &mut Scratch) -> Result<u64, Bound>,
) -> Result<(u64, u64), Bound> {
    let mut facts = Emitter::new(rule.head, std::mem::take(&mut scratch.batch));
    let matches = fill(&mut facts, context, scratch);
    let matches = matches.and_then(|matches| {
        facts.flush(context)?;
        facts.compare(context)?;
        Ok(matches)
    });
    let derived = facts.derived();
    scratch.batch = facts.into_batch();
    Ok((matches?, derived))
}

/// Matches that are facts: on one thread first, unless it is known that there is enough for several, that each own a shard.
fn derive<'a>(
    (mut job, frame): (Job<'a>, &mut [Word]),
    pace: &mut Pace,
    facts: &mut Emitter<'_>,
    context: &mut ExecContext<'a, '_>,
    scratch: &mut Scratch,
    threads: Threads,
) -> Result<u64, Bound> {
    let mut matches = 0;
    facts.allow_later(job.plan.distinct);
    if !pace.is_slow(job.morsels.left(), threads) {
        let (begun, mut done, mut next) = (Instant::now(), 0, FIRST);
        while begun.elapsed() < threads.after || job.morsels.left() == 0 {
            let Some(morsel) = job.morsels.take(next) else { return Ok(matches) };
            matches +=
                job.closures.run((job.plan, job.rule), frame, Some(morsel), facts, context, scratch)?;
            done += next;
            pace.set(begun.elapsed().as_secs_f64(), done);
            next = pace.rows_in(threads.after.saturating_sub(begun.elapsed())).clamp(FIRST, done);
        }
    }
    let is_later = facts.is_later(context);
    facts.flush(context)?;
    let (begun, left) = (Instant::now(), job.morsels.left());
    job.step = pace.rows_in(threads.after).clamp(1, (left / threads.most / PER_THREAD).max(1));
    if is_later {
        matches += derive_later(&job, facts, context, threads)?;
    }
    if job.morsels.left() > 0 {
        matches += if job.morsels.probes_head {
            derive_apart(&mut job, facts, context, threads)?
        } else {
            derive_at_once(&mut job, facts, context, threads)?
        };
    }
    pace.set(begun.elapsed().as_secs_f64() * threads.most as f64, left);
    Ok(matches)
}

/// Threads keep what they find, in turns with taking it in, as long as it is not compared when it comes.
fn derive_later(
    job: &Job<'_>,
    facts: &mut Emitter<'_>,
    context: &mut ExecContext<'_, '_>,
    threads: Threads,
) -> Result<u64, Bound> {
    let (mut matches, width) = (0, job.plan.head.len());
    let mut apart: Vec<Apart> = (0..threads.most).map(|_| Apart::default()).collect();
    while job.morsels.left() > 0 && facts.is_later(context) {
        job.morsels.pause(false);
        matches += exchange::run_apart(job, &mut apart, Apart::is_full, context)?;
        context.weigh(apart.iter().map(Apart::bytes).sum())?;
        for own in &mut apart {
            facts.take_all(own.words(), width, context)?;
            own.clear();
        }
    }
    job.morsels.pause(false);
    Ok(matches)
}

/// Each thread adds to a shard of its own while all find matches.
fn derive_at_once(
    job: &mut Job<'_>,
    facts: &mut Emitter<'_>,
    context: &mut ExecContext<'_, '_>,
    threads: Threads,
) -> Result<u64, Bound> {
    let head = job.rule.head;
    let stable = context.stable.get(head);
    let mut pending = std::mem::take(context.pending.own(head));
    let (partitioning, shards) = pending.shards(stable, threads.most, || context.budget.look())?;
    job.is_clustered = partitioning.keeps_together(stable.arity(), job.plan.clustering_column());
    let mut owners: Vec<Emitter<'_>> =
        shards.iter_mut().map(|shard| Emitter::of_shard(head, shard)).collect();
    let found = exchange::run(job, &mut owners, |row| partitioning.partition_of(row), context);
    owners.into_iter().for_each(|owner| facts.add_derived(owner.derived()));
    pending.check(stable)?;
    *context.pending.own(head) = pending;
    found
}

/// Threads find matches, then each adds what falls to its shard, in turns.
fn derive_apart(
    job: &mut Job<'_>,
    facts: &mut Emitter<'_>,
    context: &mut ExecContext<'_, '_>,
    threads: Threads,
) -> Result<u64, Bound> {
    let (head, mut matches) = (job.rule.head, 0);
    let stable = context.stable.get(head);
    let (partitioning, _) =
        context.pending.own(head).shards(stable, threads.most, || context.budget.look())?;
    job.is_clustered = partitioning.keeps_together(stable.arity(), job.plan.clustering_column());
    let mut apart: Vec<Apart> = (0..threads.most).map(|_| Apart::default()).collect();
    while job.morsels.left() > 0 {
        job.morsels.pause(false);
        matches += exchange::run(job, &mut apart, |row| partitioning.partition_of(row), context)?;
        let words: Vec<&[Word]> = apart.iter().map(Apart::words).collect();
        let new = context.pending.own(head).take_shards(stable, &words)?;
        apart.iter_mut().for_each(Apart::clear);
        facts.add_derived(new);
        context.budget.spend(new)?;
        context.weigh(apart.iter().map(Apart::bytes).sum())?;
    }
    Ok(matches)
}

/// Matches that form groups.
fn collect<'a>(
    (job, frame): (Job<'a>, &mut [Word]),
    facts: &mut Emitter<'_>,
    context: &mut ExecContext<'a, '_>,
    scratch: &mut Scratch,
    threads: usize,
) -> Result<u64, Bound> {
    let (rule, id) = (job.rule, job.plan.rule);
    let Some(limit) = rule.limit.as_ref().filter(|_| !rule.is_aggregate()) else {
        let new = || Groups::new(id, rule);
        let group = 0..plain(rule).count();
        let (matches, mut parts) = parts::collect((job, frame), new, group, context, scratch, threads)?;
        facts.expect_distinct(context);
        match parts.as_slice() {
            [_, _, ..] if facts.is_distinct() => finish_apart(rule, &parts, facts, context)?,
            _ => parts.iter_mut().try_for_each(|groups| groups.finish(rule, facts, context))?,
        }
        return Ok(matches);
    };
    let new = || LimitedHeads::new(rule, limit);
    let keys = 1 + limit.by.len();
    let group = keys..keys + limit.per.len();
    let (matches, mut parts) = parts::collect((job, frame), new, group, context, scratch, threads)?;
    parts.iter_mut().try_for_each(|heads| heads.finish((rule, limit), facts, context))?;
    Ok(matches)
}

/// Adds the facts of groups, which threads make of their own.
fn finish_apart(
    rule: &Rule,
    parts: &[Groups],
    facts: &mut Emitter<'_>,
    context: &mut ExecContext<'_, '_>,
) -> Result<(), Bound> {
    let program = context.reports.program();
    let mut made: Vec<_> = parts.iter().map(|_| (Cells::default(), Reports::new(program))).collect();
    threads::each(parts.iter().zip(&mut made), parts.len(), |(groups, (cells, reports))| {
        *cells = groups.to_cells(rule, reports);
    });
    made.into_iter().try_for_each(|(cells, reports)| {
        context.reports.add_all(reports);
        facts.take_cells(cells, context)
    })
}
