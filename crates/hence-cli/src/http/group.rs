//! What is recorded for several clients at once: one sync makes it durable, and nobody is answered before that.

use std::io::Write;
use std::rc::Rc;

use hence_server::{AnswerSender, DeskAnswer, Problem};
use hence_session::CommitOutcome;

use super::super::Failure;
use super::super::follow::Follow;

/// How much is recorded before somebody is answered.
const MOST: usize = 256;

/// What was recorded for a request and is not durable yet.
pub(crate) struct Joined {
    /// Who asks, and what they are to be told.
    pub(super) reply: AnswerSender,
    pub(super) answer: DeskAnswer,
    /// What the owner tells of it.
    pub(super) told: Vec<u8>,
    /// What was decided and is to be carried out, each with its clock.
    pub(super) done: Vec<(Rc<CommitOutcome>, i64)>,
}

impl Follow {
    /// Adds a request to those that are made durable and answered together. What is to be carried out waits for nobody
    /// else: what comes next may say that it no longer is.
    pub(super) fn join(&mut self, joined: Joined, out: &mut dyn Write) -> Result<(), Failure> {
        let carries = |(decided, _): &(Rc<CommitOutcome>, i64)| {
            self.carry.as_ref().is_some_and(|carry| carry.takes(decided))
        };
        let ends = joined.done.iter().any(carries) || self.group.len() + 1 >= MOST;
        self.group.push(joined);
        if ends { self.settle(out) } else { Ok(()) }
    }

    /// Makes durable what was recorded for requests, answers these, and carries out what was decided for them.
    ///
    /// # Errors
    /// The ledger's own: nobody knows then what was recorded.
    pub(crate) fn settle(&mut self, out: &mut dyn Write) -> Result<(), Failure> {
        let group = std::mem::take(&mut self.group);
        if group.is_empty() {
            return Ok(());
        }
        let durable = self.session.make_durable();
        self.publish();
        let (mut all_told, mut all_done) = (Vec::new(), Vec::new());
        for Joined { reply, answer, told, done } in group {
            let answer = match &durable {
                Ok(()) => answer,
                Err(error) => Err(unknown(&error.to_string())),
            };
            // Whoever asked may be gone by now.
            let _ = reply.send(answer);
            all_told.extend(told);
            all_done.extend(done);
        }
        durable?;
        // At once, since each write is one of the system; only the last request of a group has anything carried out.
        out.write_all(&all_told)?;
        // A carrier may take long: whoever asked doesn't wait for it.
        all_done.iter().try_for_each(|(decided, now)| self.carry_out(decided, *now, out))?;
        Ok(out.flush()?)
    }
}

fn unknown(why: &str) -> Problem {
    Problem::new(500, format!("{why}; whether it was recorded is not known: ask again with the same key"))
}
