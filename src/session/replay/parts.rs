//! A history that several threads go through, each a part of it: the same flips in the same order as in one go.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use hence_core::fault;
use hence_engine::{Limits, Threads};

use super::{Flip, Replay, Replayed};
use crate::session::effects::has_effects;
use crate::session::error::SessionError;

/// How many flips of a part wait for those before it.
const WAITING: usize = 1 << 14;

/// After how many transactions a part says how far it is.
const TRANSACTIONS_PER_REPORT: u64 = 64;

/// A part of a history.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    /// The first transaction that is drawn again.
    pub(super) first: u64,
    /// The first whose flips count: what comes before it is the state in which the part before this one ends.
    pub(super) counted: u64,
    /// The last transaction.
    pub(super) last: u64,
}

/// What a part says.
enum Message {
    /// Its state is that in which the part before it ends; or that can't be told.
    Begins(bool),
    /// It is at this transaction.
    Reached(u64),
    Flips(Box<Flip>),
    Ends(Result<Replayed, SessionError>),
}

impl Part {
    pub(super) fn whole(replay: &Replay<'_>) -> Self {
        let first = replay.from.max(1);
        Self { first, counted: first, last: replay.to.min(replay.ledger.last_tx()) }
    }

    /// The parts for so many threads; one where what a transaction draws depends on more than the facts of its moment.
    pub(super) fn of(replay: &Replay<'_>) -> Result<Vec<Self>, SessionError> {
        let whole = Self::whole(replay);
        if replay.threads < 2 || replay.rules.is_some_and(|rules| has_effects(&rules.checked)) {
            return Ok(vec![whole]);
        }
        let (mut drawn, mut hashes) = (Vec::new(), BTreeSet::new());
        for info in replay.ledger.log(whole.first..=whole.last) {
            let info = info?;
            if let (Some(hash), Some(_)) = (info.rules, info.clock) {
                if info.run.is_none() {
                    return Ok(vec![whole]);
                }
                drawn.push(info.tx);
                hashes.insert(hash);
            }
        }
        let mut history = replay.history();
        for hash in hashes {
            // Faulty rules are told of where a replay comes to them.
            let Ok(rules) = history.rules(hash) else { return Ok(vec![whole]) };
            if has_effects(&rules.checked) {
                return Ok(vec![whole]);
            }
        }
        let count = replay.threads.min(drawn.len()).max(1);
        let cuts = (1..count).filter_map(|part| drawn.get(drawn.len() * part / count));
        let mut parts: Vec<Self> = vec![whole];
        for cut in cuts.copied() {
            if let Some(before) = parts.last_mut() {
                before.last = cut;
            }
            parts.push(Self { first: cut, counted: cut + 1, last: whole.last });
        }
        Ok(parts)
    }
}

/// Goes through all parts at once; `None` where one of them can't tell how it begins.
pub(super) fn drawn_again(
    replay: &Replay<'_>,
    parts: &[Part],
    progress: &mut dyn FnMut(u64),
    each: &mut dyn FnMut(Flip) -> bool,
) -> Result<Option<Replayed>, SessionError> {
    let over = AtomicBool::new(false);
    let one_thread = Limits { threads: Threads::ONE, ..replay.limits };
    let replay = &Replay { limits: one_thread, ..*replay };
    thread::scope(|scope| {
        let start = |part: &Part| {
            let (says, hears) = sync_channel(WAITING);
            let (part, over) = (*part, &over);
            scope.spawn(move || go_through(replay, part, &says, over));
            hears
        };
        let parts: Vec<Receiver<Message>> = parts.iter().map(start).collect();
        let end = joined(replay, &parts, progress, each);
        over.store(true, Ordering::Relaxed);
        // A part that waits to be heard ends.
        drop(parts);
        end
    })
}

/// The work of a part's thread.
fn go_through(replay: &Replay<'_>, part: Part, says: &SyncSender<Message>, over: &AtomicBool) {
    let goes_on = || !over.load(Ordering::Relaxed);
    let mut at = part.first;
    let end = fault::caught(|| {
        let mut reached = |tx: u64| {
            at = tx;
            let report = tx >= part.counted && tx.is_multiple_of(TRANSACTIONS_PER_REPORT);
            goes_on() && (!report || says.send(Message::Reached(tx)).is_ok())
        };
        let mut begins = |is_sure| says.send(Message::Begins(is_sure)).is_ok();
        let mut each = |flip| says.send(Message::Flips(Box::new(flip))).is_ok();
        replay.go_through(part, (&mut reached, &mut begins), &mut each)
    });
    // Nobody hears of it where the replay has ended before.
    let _ = says.send(Message::Reached(at));
    let _ = says.send(Message::Ends(end));
}

/// What the parts say, one after the other.
fn joined(
    replay: &Replay<'_>,
    parts: &[Receiver<Message>],
    progress: &mut dyn FnMut(u64),
    each: &mut dyn FnMut(Flip) -> bool,
) -> Result<Option<Replayed>, SessionError> {
    let (mut all, mut explained) = (Replayed::default(), BTreeMap::new());
    for part in parts.iter().skip(1) {
        // A part that ends before it begins only said where, and says why when it is its turn.
        if let Ok(Message::Begins(false)) = part.recv() {
            return Ok(None);
        }
    }
    for part in parts {
        for message in part {
            match message {
                Message::Begins(_) => {}
                Message::Reached(tx) => progress(tx),
                Message::Flips(mut flip) => {
                    let told = explained.entry(flip.rule.clone()).or_insert(0);
                    *told += 1;
                    if *told > replay.explained {
                        flip.reasons = None;
                    }
                    all.flips += 1;
                    if !each(*flip) {
                        return Ok(Some(all));
                    }
                }
                Message::Ends(end) => all.take(end?),
            }
        }
    }
    Ok(Some(all))
}

impl Replayed {
    /// Adds what a part came to; its flips are counted as they come.
    fn take(&mut self, part: Self) {
        self.evaluated += part.evaluated;
        self.decisions += part.decisions;
        self.steps += part.steps;
        self.stepped_otherwise += part.stepped_otherwise;
        self.first_otherwise = self.first_otherwise.or(part.first_otherwise);
        self.erased += part.erased;
    }
}
