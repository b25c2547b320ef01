//! A plan on several threads. Each takes portions of the outermost loop, and owns what falls to it by its hash: a
//! shard of the facts, or some of the groups. What it finds for others it sends them, so nothing is locked.

use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::budget::Budget;
use crate::report::Reports;
use crate::{Bound, Threads};
use hence_core::fault::{self, OrBroken};
use hence_core::index_vec::IndexSlice;
use hence_core::schema::RelationId;
use hence_core::value::Word;
use hence_lang::ir::{Program, Rule};

use super::fresh::Fresh;
use super::known::{Due, Known};
use super::machine::{Machine, Scratch};
use super::plan::Plan;
use super::portions::Portions;
use super::site::{Open, Sink, Site};

/// How many words a thread finds before it looks whose they are.
const BATCH: usize = 4096;
/// How many words a thread has ready for all others together before some are sent.
const READY: usize = 1 << 14;
/// How many parcels wait at most.
const WAITING: usize = 32;
/// From how many new rows on indexes are extended by several threads.
const MANY_ROWS: u32 = 1 << 13;

/// An invariant of [`run`].
const POSTS: &str = "each thread has a post, and each row that is sent comes to the one that has its owner";

/// What threads work on together.
pub(super) struct Job<'a> {
    pub(super) plan: &'a Plan,
    pub(super) rule: &'a Rule,
    pub(super) portions: Portions<'a>,
    /// How many rows a portion has.
    pub(super) step: usize,
    /// Whether all rows of an innermost loop have the same owner.
    pub(super) aims: bool,
}

/// What all threads read.
#[derive(Clone, Copy)]
struct Common<'a, 'p> {
    job: &'a Job<'a>,
    program: &'p Program,
    known: IndexSlice<'a, RelationId, Known>,
    fresh: IndexSlice<'a, RelationId, Fresh>,
    params: &'a [Word],
}

/// What a thread has found: how many matches, and the reports.
type End<'p> = (Result<u64, Bound>, Reports<'p>);

/// Finds all matches that are left, each taken in by the one of `owners` that `owner` says; how many there were.
pub(super) fn run<'p, K: Sink + Send>(
    job: &Job<'_>,
    owners: &mut [K],
    owner: impl Fn(&[Word]) -> usize + Sync,
    site: &mut Site<'_, 'p>,
) -> Result<u64, Bound> {
    let (budget, owner) = (&mut *site.budget, &owner);
    let pool = budget.pool();
    let program = site.reports.program();
    let common = Common { job, program, known: site.known, fresh: site.fresh.view(), params: site.params };
    let ends: Vec<End<'p>> = thread::scope(|scope| {
        let (mut gates, mut helpers) = (Vec::new(), Vec::new());
        for _ in 1..owners.len() {
            let (gate, post) = sync_channel::<Post<'_, K, _>>(1);
            let own = budget.of_thread(&pool);
            let helper = move || post.recv().ok().map(|post| work(common, post, own));
            // Where the system gives no more threads, fewer do.
            let Ok(helper) = thread::Builder::new().spawn_scoped(scope, helper) else { break };
            gates.push(gate);
            helpers.push(helper);
        }
        let mut posts = posts(job, owners, gates.len() + 1, owner).into_iter();
        let mine = posts.next();
        gates.into_iter().zip(posts).for_each(|(gate, post)| drop(gate.send(post)));
        let mine = work(common, mine.or_broken(POSTS), budget.of_thread(&pool));
        let ends = helpers.into_iter().map(|helper| fault::joined(helper.join()).or_broken(POSTS));
        std::iter::once(mine).chain(ends).collect()
    });
    let mut matches = Ok(0);
    for (found, own) in ends {
        site.reports.add_all(own);
        matches = matches.and_then(|sum: u64| found.map(|found| sum.saturating_add(found)));
    }
    let matches = matches?;
    budget.take_pool(&pool)?;
    // What each thread did may have been too little for it to look at the clock, round after round.
    budget.look()?;
    Ok(matches)
}

/// The work of one thread.
fn work<'p, K: Sink, F: Fn(&[Word]) -> usize>(
    common: Common<'_, 'p>,
    mut post: Post<'_, K, F>,
    mut budget: Budget,
) -> End<'p> {
    let Common { job, program, known, fresh, params } = common;
    let mut reports = Reports::new(program);
    let fresh = Open::Shared(fresh);
    let _others = StopOthers(&job.portions);
    let mut site = Site { known, fresh, budget: &mut budget, reports: &mut reports, params };
    let mut matches = find(job, &mut post, &mut site);
    if matches.is_err() {
        job.portions.stop();
    }
    // Also after an error: the others wait for the end of what this one sends.
    let rest = post.finish(&mut site);
    matches = matches.and_then(|matches| rest.map(|()| matches));
    let settled = budget.settle();
    (matches.and_then(|matches| settled.map(|()| matches)), reports)
}

/// Has the other threads take no more portions once this one unwinds: the evaluation is over.
struct StopOthers<'a>(&'a Portions<'a>);

impl Drop for StopOthers<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.stop();
        }
    }
}

fn find<'a>(job: &Job<'a>, post: &mut impl Sink, site: &mut Site<'a, '_>) -> Result<u64, Bound> {
    let (mut scratch, mut matches) = (Scratch::default(), 0);
    while let Some(portion) = job.portions.take(job.step) {
        let machine = Machine::new(job.plan, job.rule, site, post, &mut scratch).over(portion);
        matches += machine.run(&mut scratch)?;
    }
    Ok(matches)
}

/// What a thread finds on the way to its owners.
struct Post<'s, K, F> {
    /// What falls to this thread: of the owners every n-th, as there are n threads.
    own: Vec<&'s mut K>,
    me: usize,
    /// The owner of a row.
    owner: &'s F,
    width: usize,
    /// Whether all rows of an innermost loop have the same owner.
    aims: bool,
    /// Rows of which it isn't known yet whose they are.
    batch: Vec<Word>,
    /// By thread.
    parcels: Vec<Vec<Word>>,
    /// How many words make a parcel.
    full: usize,
    /// By thread; none to itself.
    outbox: Vec<Option<SyncSender<Vec<Word>>>>,
    inbox: Receiver<Vec<Word>>,
    /// Parcels that came and can be filled anew.
    empty: Vec<Vec<Word>>,
}

/// One post for each of `threads`.
fn posts<'s, K, F>(job: &Job<'_>, owners: &'s mut [K], threads: usize, owner: &'s F) -> Vec<Post<'s, K, F>> {
    let boxes: Vec<_> = (0..threads).map(|_| sync_channel(WAITING)).collect();
    let senders: Vec<_> = boxes.iter().map(|(sender, _)| sender.clone()).collect();
    let mut posts: Vec<Post<'s, K, F>> = Vec::new();
    for (me, (_, inbox)) in boxes.into_iter().enumerate() {
        let others = senders.iter().enumerate();
        posts.push(Post {
            own: Vec::new(),
            me,
            owner,
            width: job.plan.head.len(),
            aims: job.aims,
            batch: Vec::with_capacity(BATCH),
            parcels: vec![Vec::new(); threads],
            full: READY / threads,
            outbox: others.map(|(to, sender)| (to != me).then(|| sender.clone())).collect(),
            inbox,
            empty: Vec::new(),
        });
    }
    for (at, owner) in owners.iter_mut().enumerate() {
        posts.get_mut(at % threads).or_broken(POSTS).own.push(owner);
    }
    posts
}

/// The thread that has an owner; mostly each has one.
#[inline]
fn thread_of(owner: usize, threads: usize) -> usize {
    if owner < threads { owner } else { owner % threads }
}

impl<K: Sink, F: Fn(&[Word]) -> usize> Post<'_, K, F> {
    /// Takes in what others have sent; whether there was something.
    fn receive(&mut self, site: &mut Site<'_, '_>) -> Result<bool, Bound> {
        let mut came = false;
        while let Ok(parcel) = self.inbox.try_recv() {
            self.open(parcel, site)?;
            came = true;
        }
        Ok(came)
    }

    /// Takes in rows that fall to this thread.
    fn open(&mut self, mut parcel: Vec<Word>, site: &mut Site<'_, '_>) -> Result<(), Bound> {
        if let [own] = self.own.as_mut_slice() {
            own.take_all(&parcel, self.width, site)?;
        } else {
            let threads = self.parcels.len();
            for row in parcel.chunks_exact(self.width) {
                self.own.get_mut((self.owner)(row) / threads).or_broken(POSTS).take(row, site)?;
            }
        }
        parcel.clear();
        self.empty.push(parcel);
        Ok(())
    }

    /// Sends what is ready for a thread. While that has no room for it, there is something to do here.
    fn send(&mut self, to: usize, site: &mut Site<'_, '_>) -> Result<(), Bound> {
        let next = self.empty.pop().unwrap_or_default();
        let mut parcel = std::mem::replace(self.parcels.get_mut(to).or_broken(POSTS), next);
        if to == self.me {
            return self.open(parcel, site);
        }
        loop {
            let sender = self.outbox.get(to).and_then(Option::as_ref);
            match sender.or_broken("a thread can send to all others until it has sent all").try_send(parcel) {
                // One that is gone has failed, and so has the evaluation.
                Ok(()) | Err(TrySendError::Disconnected(_)) => return Ok(()),
                Err(TrySendError::Full(back)) => parcel = back,
            }
            if !self.receive(site)? {
                thread::yield_now();
            }
        }
    }

    /// Sends what is left, and takes in what comes until all others are through.
    fn finish(mut self, site: &mut Site<'_, '_>) -> Result<(), Bound> {
        self.flush(site)?;
        for to in 0..self.parcels.len() {
            self.send(to, site)?;
        }
        self.outbox.clear();
        while let Ok(parcel) = self.inbox.recv() {
            self.open(parcel, site)?;
        }
        self.own.iter_mut().try_for_each(|own| own.flush(site))
    }
}

impl<K: Sink, F: Fn(&[Word]) -> usize> Sink for Post<'_, K, F> {
    #[inline]
    fn take(&mut self, row: &[Word], site: &mut Site<'_, '_>) -> Result<(), Bound> {
        self.batch.extend_from_slice(row);
        if self.batch.len() >= BATCH { self.flush(site) } else { Ok(()) }
    }

    const HAS_LANES: bool = true;

    #[inline]
    fn lane(&self, row: &[Word]) -> usize {
        if self.aims { thread_of((self.owner)(row), self.parcels.len()) } else { self.parcels.len() }
    }

    #[inline]
    fn batch(&mut self, lane: usize) -> Option<(&mut Vec<Word>, usize)> {
        match self.parcels.get_mut(lane) {
            Some(parcel) => Some((parcel, self.full)),
            None => Some((&mut self.batch, BATCH)),
        }
    }

    fn flush(&mut self, site: &mut Site<'_, '_>) -> Result<(), Bound> {
        let threads = self.parcels.len();
        for row in self.batch.chunks_exact(self.width) {
            let to = thread_of((self.owner)(row), threads);
            // One's own rows as well: a branch on a hash would be mispredicted every other time.
            self.parcels.get_mut(to).or_broken(POSTS).extend_from_slice(row);
        }
        self.batch.clear();
        for to in 0..threads {
            if self.parcels.get(to).is_some_and(|parcel| parcel.len() >= self.full) {
                self.send(to, site)?;
            }
        }
        self.receive(site).map(|_| ())
    }
}

/// Extends indexes, on several threads where there is much to take in.
pub(super) fn extend_all(due: Vec<Due<'_>>, threads: Threads) {
    let helpers = due.iter().filter(|due| due.rows() >= MANY_ROWS).count().min(threads.most);
    if helpers < 2 {
        return due.into_iter().for_each(Due::extend);
    }
    each(due.into_iter(), helpers, Due::extend);
}

/// Does something with each item, on so many threads.
pub(super) fn each<T: Send>(items: impl Iterator<Item = T> + Send, threads: usize, work: impl Fn(T) + Sync) {
    let queue = Mutex::new(items);
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let all = || std::iter::from_fn(next).for_each(&work);
    thread::scope(|scope| {
        // Where the system gives no more threads, fewer do.
        let spawn = |_| thread::Builder::new().spawn_scoped(scope, all).ok();
        let helpers: Vec<_> = (1..threads).map_while(spawn).collect();
        all();
        helpers.into_iter().for_each(|helper| fault::joined(helper.join()));
    });
}
