//! A plan on several threads. Each takes morsels of the outermost loop, and owns what falls to it by its hash: a
//! shard of the facts, or some of the groups. What it finds for others it sends them, so nothing is locked.

use crate::exec::closures::{Closures, Scratch};
use crate::exec::context::{ExecContext, PendingTuples, Sink};
use crate::exec::morsels::Morsels;
use crate::limits::Budget;
use crate::plan::steps::Plan;
use crate::report::Reports;
use crate::storage::pending::Pending;
use crate::storage::stable::Stable;
use hence_core::meter::Bound;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread;

use hence_core::fault::{self, OrBroken};
use hence_core::index_vec::IndexSlice;
use hence_core::schema::RelationId;
use hence_core::value::Word;
use hence_lang::ir::{Program, Rule};

/// How many words a thread finds before it looks whose they are.
const BATCH: usize = 4096;
/// How many words a thread has ready for all others together before some are sent.
const READY: usize = 1 << 14;
/// How many batches wait at most.
const WAITING: usize = 32;

/// An invariant of [`run`].
const EXCHANGES: &str =
    "each thread has an exchange, and each row that is sent comes to the one that has its owner";

/// What threads work on together.
pub(crate) struct Job<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) rule: &'a Rule,
    pub(crate) closures: &'a Closures,
    pub(crate) morsels: Morsels<'a>,
    /// How many rows a morsel has.
    pub(crate) step: usize,
    /// Whether all rows of an innermost loop have the same owner.
    pub(crate) is_clustered: bool,
}

/// What all threads read.
#[derive(Clone, Copy)]
struct Common<'a, 'p> {
    job: &'a Job<'a>,
    program: &'p Program,
    stable: IndexSlice<'a, RelationId, Stable>,
    pending: IndexSlice<'a, RelationId, Pending>,
    params: &'a [Word],
}

/// What a thread has found: how many matches, and the reports.
type End<'p> = (Result<u64, Bound>, Reports<'p>);

/// Where one of several threads puts what it finds.
trait ThreadSink: Sink {
    /// Sends and takes in what is left.
    fn finish(self, context: &mut ExecContext<'_, '_>) -> Result<(), Bound>;
}

/// Finds all matches that are left, each taken in by the one of `owners` that `owner` says; how many there were.
pub(crate) fn run<K: Sink>(
    job: &Job<'_>,
    owners: &mut [K],
    owner: impl Fn(&[Word]) -> usize + Sync,
    context: &mut ExecContext<'_, '_>,
) -> Result<u64, Bound> {
    let most = owners.len();
    run_on(job, most, |threads| exchanges(job, owners, threads, &owner), context)
}

/// The same, each match taken in by the one of `sinks` that the thread has which finds it, until one of them is full.
pub(crate) fn run_apart<K: Sink>(
    job: &Job<'_>,
    sinks: &mut [K],
    is_full: impl Fn(&K) -> bool + Sync,
    context: &mut ExecContext<'_, '_>,
) -> Result<u64, Bound> {
    let most = sinks.len();
    let own = |sink| OwnSink { sink, is_full: &is_full };
    run_on(job, most, |_| sinks.iter_mut().map(own).collect(), context)
}

/// Finds all matches that are left on up to `most` threads, for as many of which `sinks` makes sinks at least.
fn run_on<'p, K: ThreadSink>(
    job: &Job<'_>,
    most: usize,
    sinks: impl FnOnce(usize) -> Vec<K>,
    context: &mut ExecContext<'_, 'p>,
) -> Result<u64, Bound> {
    let budget = &mut *context.budget;
    let pool = budget.pool();
    let program = context.reports.program();
    let common = Common {
        job,
        program,
        stable: context.stable,
        pending: context.pending.view(),
        params: context.params,
    };
    let ends: Vec<End<'p>> = thread::scope(|scope| {
        let (mut channels, mut helpers) = (Vec::new(), Vec::new());
        for _ in 1..most {
            let (channel, sink) = sync_channel::<K>(1);
            let own = budget.of_thread(&pool);
            let helper = move || sink.recv().ok().map(|sink| work(common, sink, own));
            // Where the system gives no more threads, fewer do.
            let Ok(helper) = thread::Builder::new().spawn_scoped(scope, helper) else { break };
            channels.push(channel);
            helpers.push(helper);
        }
        let mut sinks = sinks(channels.len() + 1).into_iter();
        let mine = sinks.next();
        channels.into_iter().zip(sinks).for_each(|(channel, sink)| drop(channel.send(sink)));
        let mine = work(common, mine.or_broken(EXCHANGES), budget.of_thread(&pool));
        let ends = helpers.into_iter().map(|helper| fault::joined(helper.join()).or_broken(EXCHANGES));
        std::iter::once(mine).chain(ends).collect()
    });
    let mut matches = Ok(0);
    for (found, own) in ends {
        context.reports.add_all(own);
        matches = matches.and_then(|sum: u64| found.map(|found| sum.saturating_add(found)));
    }
    let matches = matches?;
    budget.take_pool(&pool)?;
    // What each thread did may have been too little for it to look at the clock, round after round.
    budget.look()?;
    Ok(matches)
}

/// The work of one thread.
fn work<'p>(common: Common<'_, 'p>, mut sink: impl ThreadSink, mut budget: Budget) -> End<'p> {
    let Common { job, program, stable, pending, params } = common;
    let mut reports = Reports::new(program);
    let pending = PendingTuples::Shared(pending);
    let _others = StopOthers(&job.morsels);
    let mut context = ExecContext { stable, pending, budget: &mut budget, reports: &mut reports, params };
    let mut matches = find(job, &mut sink, &mut context);
    if matches.is_err() {
        job.morsels.stop();
    }
    // Also after an error: the others wait for the end of what this one sends.
    let rest = sink.finish(&mut context);
    matches = matches.and_then(|matches| rest.map(|()| matches));
    let settled = budget.settle();
    (matches.and_then(|matches| settled.map(|()| matches)), reports)
}

/// Has the other threads take no more morsels once this one unwinds: the evaluation is over.
struct StopOthers<'a>(&'a Morsels<'a>);

impl Drop for StopOthers<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.stop();
        }
    }
}

fn find<'a>(job: &Job<'a>, sink: &mut impl Sink, context: &mut ExecContext<'a, '_>) -> Result<u64, Bound> {
    let (mut scratch, mut matches) = (Scratch::default(), 0);
    let mut frame = job.plan.frame.words.as_slice().to_vec();
    while let Some(morsel) = job.morsels.take(job.step) {
        let (run, morsel) = ((job.plan, job.rule), Some(morsel));
        matches += job.closures.run(run, &mut frame, morsel, sink, context, &mut scratch)?;
        if sink.is_full() {
            job.morsels.pause(true);
        }
    }
    Ok(matches)
}

/// What a thread finds on the way to its owners.
struct Exchange<'s, K, F> {
    /// What falls to this thread: of the owners every n-th, as there are n threads.
    own: Vec<&'s mut K>,
    me: usize,
    /// The owner of a row.
    owner: &'s F,
    width: usize,
    /// Whether all rows of an innermost loop have the same owner.
    is_clustered: bool,
    /// Rows of which it isn't known yet whose they are.
    unrouted: Vec<Word>,
    /// By thread.
    batches: Vec<Vec<Word>>,
    /// How many words make a batch.
    full: usize,
    /// By thread; none to itself.
    senders: Vec<Option<SyncSender<Vec<Word>>>>,
    receiver: Receiver<Vec<Word>>,
    /// Batches that came and can be filled again.
    empty: Vec<Vec<Word>>,
}

/// One exchange for each of `threads`.
fn exchanges<'s, K, F>(
    job: &Job<'_>,
    owners: &'s mut [K],
    threads: usize,
    owner: &'s F,
) -> Vec<Exchange<'s, K, F>> {
    let boxes: Vec<_> = (0..threads).map(|_| sync_channel(WAITING)).collect();
    let senders: Vec<_> = boxes.iter().map(|(sender, _)| sender.clone()).collect();
    let mut exchanges: Vec<Exchange<'s, K, F>> = Vec::new();
    for (me, (_, receiver)) in boxes.into_iter().enumerate() {
        let others = senders.iter().enumerate();
        exchanges.push(Exchange {
            own: Vec::new(),
            me,
            owner,
            width: job.plan.head.len(),
            is_clustered: job.is_clustered,
            unrouted: Vec::with_capacity(BATCH),
            batches: vec![Vec::new(); threads],
            full: READY / threads,
            senders: others.map(|(to, sender)| (to != me).then(|| sender.clone())).collect(),
            receiver,
            empty: Vec::new(),
        });
    }
    for (at, owner) in owners.iter_mut().enumerate() {
        exchanges.get_mut(at % threads).or_broken(EXCHANGES).own.push(owner);
    }
    exchanges
}

/// The thread that has an owner; mostly each has one.
#[inline]
fn thread_of(owner: usize, threads: usize) -> usize {
    if owner < threads { owner } else { owner % threads }
}

impl<K: Sink, F: Fn(&[Word]) -> usize + Sync> Exchange<'_, K, F> {
    /// Takes in what others have sent; whether there was something.
    fn receive(&mut self, context: &mut ExecContext<'_, '_>) -> Result<bool, Bound> {
        let mut came = false;
        while let Ok(batch) = self.receiver.try_recv() {
            self.open(batch, context)?;
            came = true;
        }
        Ok(came)
    }

    /// Takes in rows that fall to this thread.
    fn open(&mut self, mut batch: Vec<Word>, context: &mut ExecContext<'_, '_>) -> Result<(), Bound> {
        if let [own] = self.own.as_mut_slice() {
            own.take_all(&batch, self.width, context)?;
        } else {
            let threads = self.batches.len();
            for row in batch.chunks_exact(self.width) {
                self.own.get_mut((self.owner)(row) / threads).or_broken(EXCHANGES).take(row, context)?;
            }
        }
        batch.clear();
        self.empty.push(batch);
        Ok(())
    }

    /// Sends what is ready for a thread. While that has no room for it, there is something to do here.
    fn send(&mut self, to: usize, context: &mut ExecContext<'_, '_>) -> Result<(), Bound> {
        let next = self.empty.pop().unwrap_or_default();
        let mut batch = std::mem::replace(self.batches.get_mut(to).or_broken(EXCHANGES), next);
        if to == self.me {
            return self.open(batch, context);
        }
        loop {
            let sender = self.senders.get(to).and_then(Option::as_ref);
            match sender.or_broken("a thread can send to all others until it has sent all").try_send(batch) {
                // One that is gone has failed, and so has the evaluation.
                Ok(()) | Err(TrySendError::Disconnected(_)) => return Ok(()),
                Err(TrySendError::Full(back)) => batch = back,
            }
            if !self.receive(context)? {
                thread::yield_now();
            }
        }
    }
}

impl<K: Sink, F: Fn(&[Word]) -> usize + Sync> ThreadSink for Exchange<'_, K, F> {
    /// Sends what is left, and takes in what comes until all others are through.
    fn finish(mut self, context: &mut ExecContext<'_, '_>) -> Result<(), Bound> {
        self.flush(context)?;
        for to in 0..self.batches.len() {
            self.send(to, context)?;
        }
        self.senders.clear();
        while let Ok(batch) = self.receiver.recv() {
            self.open(batch, context)?;
        }
        self.own.iter_mut().try_for_each(|own| own.flush(context))
    }
}

impl<K: Sink, F: Fn(&[Word]) -> usize + Sync> Sink for Exchange<'_, K, F> {
    #[inline]
    fn take(&mut self, row: &[Word], context: &mut ExecContext<'_, '_>) -> Result<(), Bound> {
        self.unrouted.extend_from_slice(row);
        if self.unrouted.len() >= BATCH { self.flush(context) } else { Ok(()) }
    }

    fn is_partitioned(&self) -> bool {
        self.is_clustered
    }

    fn partition(&self, row: &[Word]) -> usize {
        thread_of((self.owner)(row), self.batches.len())
    }

    fn swap_batch(&mut self, partition: usize, words: &mut Vec<Word>) -> usize {
        let (batch, full) = match self.batches.get_mut(partition) {
            Some(batch) => (batch, self.full),
            None => (&mut self.unrouted, BATCH),
        };
        std::mem::swap(batch, words);
        full
    }

    fn is_full(&self) -> bool {
        self.own.iter().any(|own| own.is_full())
    }

    fn flush(&mut self, context: &mut ExecContext<'_, '_>) -> Result<(), Bound> {
        let threads = self.batches.len();
        for row in self.unrouted.chunks_exact(self.width) {
            let to = thread_of((self.owner)(row), threads);
            // One's own rows as well: a branch on a hash would be mispredicted every other time.
            self.batches.get_mut(to).or_broken(EXCHANGES).extend_from_slice(row);
        }
        self.unrouted.clear();
        for to in 0..threads {
            if self.batches.get(to).is_some_and(|batch| batch.len() >= self.full) {
                self.send(to, context)?;
            }
        }
        self.receive(context).map(|_| ())
    }
}

/// What a thread finds and keeps.
struct OwnSink<'s, K, F> {
    sink: &'s mut K,
    is_full: &'s F,
}

impl<K: Sink, F: Fn(&K) -> bool + Sync> Sink for OwnSink<'_, K, F> {
    fn take(&mut self, row: &[Word], context: &mut ExecContext<'_, '_>) -> Result<(), Bound> {
        self.sink.take(row, context)
    }

    fn swap_batch(&mut self, partition: usize, words: &mut Vec<Word>) -> usize {
        self.sink.swap_batch(partition, words)
    }

    fn is_full(&self) -> bool {
        (self.is_full)(self.sink)
    }

    fn flush(&mut self, context: &mut ExecContext<'_, '_>) -> Result<(), Bound> {
        self.sink.flush(context)
    }
}

impl<K: Sink, F: Fn(&K) -> bool + Sync> ThreadSink for OwnSink<'_, K, F> {
    fn finish(mut self, context: &mut ExecContext<'_, '_>) -> Result<(), Bound> {
        self.flush(context)
    }
}
