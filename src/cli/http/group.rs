//! What is recorded for several clients at once: one sync makes it durable, and nobody is answered before that. While that
//! sync is under way the next requests are decided.

use std::io::Write;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hence::session::{CommitOutcome, SessionError};
use hence_server::{AnswerSender, DeskAnswer, Problem};

use super::super::Failure;
use super::super::follow::Follow;
use super::super::owner::{Mailbox, Work};

/// How much is recorded before the owner itself waits for the disk and tells what it did.
const MOST: usize = 256;

/// What was recorded for a request.
pub(super) struct Joined {
    pub(super) asker: Asker,
    /// What the owner tells of it.
    pub(super) told: Vec<u8>,
    /// What was decided and is to be carried out, each with its clock.
    pub(super) done: Vec<(Rc<CommitOutcome>, i64)>,
}

/// Who asks, and what they are to be told.
pub(super) struct Asker {
    pub(super) reply: AnswerSender,
    pub(super) answer: DeskAnswer,
}

impl Asker {
    fn answer(self, durable: Result<(), &SessionError>) {
        // Whoever asked may be gone by now.
        let _ = self.reply.send(match durable {
            Ok(()) => self.answer,
            Err(error) => Err(unknown(&error.to_string())),
        });
    }
}

/// Requests for which something was recorded.
#[derive(Default)]
pub(in crate::cli) struct Group {
    /// Those who wait for the owner.
    askers: Vec<Asker>,
    /// How many wait for the thread that syncs.
    flying: Arc<AtomicUsize>,
    told: Vec<u8>,
    done: Vec<(Rc<CommitOutcome>, i64)>,
    /// How many requests that is.
    count: usize,
}

impl Follow {
    /// Adds a request to those that are made durable and answered together. What is to be carried out waits for nobody
    /// else: what comes next may say that it no longer is.
    pub(super) fn join(&mut self, joined: Joined, out: &mut dyn Write) -> Result<(), Failure> {
        let Joined { asker, told, done } = joined;
        let carries = |(decided, _): &(Rc<CommitOutcome>, i64)| {
            self.carry.as_ref().is_some_and(|carry| carry.takes(decided))
        };
        let ends = done.iter().any(carries) || self.group.count + 1 >= MOST;
        let group = &mut self.group;
        group.askers.push(asker);
        group.told.extend(told);
        group.done.extend(done);
        group.count += 1;
        if ends { self.settle(out) } else { Ok(()) }
    }

    /// Has those who wait answered: by the thread that syncs where there is something else to do or it is at it, else here.
    pub(in crate::cli) fn settle_at_rest(&mut self, out: &mut dyn Write) -> Result<(), Failure> {
        let is_flying = self.group.flying.load(Ordering::Acquire) > 0;
        let mailbox = Arc::clone(self.incoming.mailbox());
        let has_work = mailbox.waiting_work() > 0;
        if !is_flying && !has_work {
            return self.settle(out);
        }
        // Nobody else wakes an owner that has nothing to do, and still has to tell what it did.
        self.hand_over((!has_work).then_some(mailbox));
        Ok(())
    }

    /// Hands those who wait over to the thread that syncs; after that the owner is woken who reads the mailbox.
    fn hand_over(&mut self, wakes: Option<Arc<Mailbox>>) {
        let askers = std::mem::take(&mut self.group.askers);
        if askers.is_empty() && (wakes.is_none() || self.group.count == 0) {
            return;
        }
        let flying = Arc::clone(&self.group.flying);
        flying.fetch_add(1, Ordering::AcqRel);
        let tell = self.readers.as_ref().map(|readers| readers(&self.session));
        self.session.when_durable(move |durable| {
            if let (Ok(()), Some(tell)) = (&durable, tell) {
                // Before the answers: whoever has one finds in what is read what it says.
                tell();
            }
            askers.into_iter().for_each(|asker| asker.answer(durable.as_ref().copied()));
            flying.fetch_sub(1, Ordering::AcqRel);
            // What is to be done is what is done after each work. An owner whose mailbox is full is awake.
            let nothing: Work = Box::new(|_, _| Ok(()));
            wakes.map(|mailbox| mailbox.put_work(nothing));
        });
    }

    /// Makes durable what was recorded for requests, answers these, and carries out what was decided for them.
    ///
    /// # Errors
    /// The ledger's own: nobody knows then what was recorded.
    pub(in crate::cli) fn settle(&mut self, out: &mut dyn Write) -> Result<(), Failure> {
        if self.group.flying.load(Ordering::Acquire) > 0 {
            // They are answered after those before them.
            self.hand_over(None);
        }
        let flying = Arc::clone(&self.group.flying);
        let group = std::mem::replace(&mut self.group, Group { flying, ..Group::default() });
        if group.count == 0 {
            return Ok(());
        }
        let durable = self.session.make_durable();
        self.publish();
        group.askers.into_iter().for_each(|asker| asker.answer(durable.as_ref().copied()));
        durable?;
        // At once, since each write is one of the system; only the last request of a group has anything carried out.
        out.write_all(&group.told)?;
        // A carrier may take long: whoever asked doesn't wait for it.
        group.done.iter().try_for_each(|(decided, now)| self.carry_out(decided, *now, out))?;
        Ok(out.flush()?)
    }
}

fn unknown(why: &str) -> Problem {
    Problem::new(500, format!("{why}; whether it was recorded is not known: ask again with the same key"))
}
