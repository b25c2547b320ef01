//! A history that several threads go through, each a part of it: the same flips in the same order as in one go.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, Builder};

use hence_core::fault;
use hence_engine::{Limits, Threads};
use hence_ledger::TxInfo;

use super::{Flip, Replay, Replayed};
use crate::RuleSet;
use crate::effects::has_effects;
use crate::error::SessionError;

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
    is_one_of_several: bool,
}

/// What parts came to.
pub(super) enum Joined {
    /// All of it.
    Whole(Replayed),
    /// So many flips, the first ones; what comes after them depends on more than the facts of its moment.
    Begun(u64),
}

/// What a part says.
enum Message {
    /// It can't tell how it goes on.
    Unsure,
    /// It is at this transaction.
    Reached(u64),
    Flips(Box<Flip>),
    Ends(Result<Replayed, SessionError>),
}

impl Part {
    pub(super) fn whole(replay: &Replay<'_>) -> Self {
        let first = replay.from.max(1);
        let last = replay.to.min(replay.ledger.last_tx());
        Self { first, counted: first, last, is_one_of_several: false }
    }

    /// The parts for so many threads.
    pub(super) fn of(replay: &Replay<'_>) -> Result<Vec<Self>, SessionError> {
        let whole = Self::whole(replay);
        let count = (whole.last + 1).saturating_sub(whole.first).min(replay.threads as u64).max(1);
        let mut parts: Vec<Self> = vec![Self { is_one_of_several: count > 1, ..whole }];
        for part in 1..count {
            let at = whole.first + (whole.last + 1 - whole.first) / count * part;
            let Some(before) = parts.last_mut() else { break };
            let Some(cut) = drawing(replay, before.counted..=at)? else { continue };
            before.last = cut;
            parts.push(Self { first: cut, counted: cut + 1, last: whole.last, is_one_of_several: true });
        }
        Ok(parts)
    }

    /// Whether its state depends on that in which the part before it ends, and so is not known, once a transaction is
    /// drawn by rules with effects, or recorded no run.
    pub(super) fn is_unsure(&self, own: &RuleSet, rules: &RuleSet, info: &TxInfo) -> bool {
        let has_effects = has_effects(&own.checked) || has_effects(&rules.checked);
        self.is_one_of_several && (has_effects || info.run.is_none())
    }
}

/// The last of these transactions that draws decisions.
fn drawing(replay: &Replay<'_>, range: RangeInclusive<u64>) -> Result<Option<u64>, SessionError> {
    for tx in range.rev() {
        let info = replay.ledger.info(tx)?;
        if info.rules.is_some() && info.clock.is_some() {
            return Ok(Some(tx));
        }
    }
    Ok(None)
}

/// Goes through all parts at once.
pub(super) fn drawn_again(
    replay: &Replay<'_>,
    parts: &[Part],
    progress: &mut dyn FnMut(u64),
    each: &mut dyn FnMut(Flip) -> bool,
) -> Result<Joined, SessionError> {
    let over = AtomicBool::new(false);
    let one_thread = Limits { threads: Threads::ONE, ..replay.limits };
    let replay = &Replay { limits: one_thread, ..*replay };
    thread::scope(|scope| {
        let start = |part: &Part| {
            let (says, hears) = sync_channel(WAITING);
            let (part, over) = (*part, &over);
            let work = move || go_through(replay, part, &says, over);
            Builder::new().spawn_scoped(scope, work).ok().map(|_| hears)
        };
        let parts: Option<Vec<Receiver<Message>>> = parts.iter().map(start).collect();
        // Without a thread for each, all of it is gone through in one go.
        let end = match &parts {
            Some(parts) => joined(replay, parts, progress, each),
            None => Ok(Joined::Begun(0)),
        };
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
        let mut unsure = || drop(says.send(Message::Unsure));
        let mut each = |flip| says.send(Message::Flips(Box::new(flip))).is_ok();
        replay.go_through(part, (&mut reached, &mut unsure), &mut each)
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
) -> Result<Joined, SessionError> {
    let (mut all, mut explained) = (Replayed::default(), BTreeMap::new());
    for part in parts {
        for message in part {
            match message {
                Message::Unsure => return Ok(Joined::Begun(all.flips)),
                Message::Reached(tx) => progress(tx),
                Message::Flips(mut flip) => {
                    let told = explained.entry(flip.rule.clone()).or_insert(0);
                    *told += 1;
                    if *told > replay.explained {
                        flip.reasons = None;
                    }
                    all.flips += 1;
                    if !each(*flip) {
                        return Ok(Joined::Whole(all));
                    }
                }
                Message::Ends(end) => all.take(end?),
            }
        }
    }
    Ok(Joined::Whole(all))
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
