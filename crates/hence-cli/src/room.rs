//! A disk that is full or fails, for a process that stays: what can't be recorded is refused or waits, and the process goes on.

use std::io::Write;
use std::time::{Duration, Instant};

use serde_json::json;

use hence_core::literal;
use hence_ledger::{Ledger, LedgerError};
use hence_session::SessionError;

use super::Failure;
use super::follow::{Follow, tell};
use super::owner::{Ask, Came, Incoming};
use super::said::{Refused, Said};

/// How long what there was no room for waits before it is tried again.
const PAUSE: Duration = Duration::from_secs(2);
/// How often in a row the ledger is opened again where nothing comes of it.
const MOST_REOPENINGS: u32 = 3;

/// What a ledger that had to be opened again kept from an answer.
pub(super) struct Unanswered {
    pub(super) said: Said,
    pub(super) stage: Stage,
}

/// How far the answer to what is said has come.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Stage {
    /// Nothing of it is recorded.
    Begun,
    /// It may be recorded, after this transaction.
    Committed(u64),
    /// Whoever said it knows what came of it.
    Answered,
}

impl Follow {
    /// Refuses what the ledger has no room for: what a line says has to be said again, and what fell due is tried again
    /// after a pause.
    ///
    /// # Errors
    /// An error of another kind, and any where nothing opens the ledger again.
    pub(super) fn hold_up(
        &mut self,
        line: Option<u64>,
        error: SessionError,
        now: i64,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        if self.owner.is_none() || !error.lacks_room() {
            return Err(error.into());
        }
        let is_told = self.due.again.replace(Instant::now() + PAUSE).is_some();
        self.due.rest = Some(now);
        let told = |message: String| [json!({ "message": message })];
        if line.is_some() {
            let message = match self.is_stopped() {
                true => format!("{error}; whether it was recorded is not known yet"),
                false => format!("nothing was recorded: {error}: make room, then send it again"),
            };
            self.refuse(line, &told(message), false, out)?;
        } else if !is_told {
            let at = literal::time_text(now);
            tell(None, &told(format!("at {at}: {error}; it is tried again until there is room")), out)?;
        }
        Ok(())
    }

    /// Tries again what there was no room for, once its pause is over.
    pub(super) fn go_on(&mut self, out: &mut dyn Write) -> Result<(), Failure> {
        let Some(again) = self.due.again.filter(|again| *again <= Instant::now()) else { return Ok(()) };
        self.catch_up(out)?;
        if self.due.again == Some(again) {
            self.due.again = None;
        }
        Ok(())
    }

    /// Whether the ledger accepts no more writes before it is opened again.
    pub(super) fn is_stopped(&self) -> bool {
        self.owner.is_some() && self.session.ledger().is_some_and(Ledger::is_stopped)
    }

    /// The same with the ledger opened again, after a turn where somebody asks for one; the exit status where this process
    /// is to stop meanwhile.
    pub(super) fn opened_again(
        mut self,
        ask: Option<Ask>,
        said: &mut Said,
        number: &mut u64,
        out: &mut dyn Write,
    ) -> Result<Result<Self, u8>, Failure> {
        let Self { session, owner: Some(owner), .. } = self else { return Ok(Ok(self)) };
        let known = session.last_tx();
        let (incoming, refused, batch) = (&mut self.incoming, &mut self.refused, self.batch);
        let mut idle = NoRoom { incoming, refused, batch, said, number, tried: false, out };
        let mut wait = |error: &LedgerError, until| idle.wait(error, until);
        let reopenings = self.reopenings + u32::from(ask.is_none());
        let opened = match ask {
            Some(ask) => owner.lend(session, ask, &mut wait)?,
            None => owner.open_again(session, &mut wait)?,
        };
        let Some(session) = opened else {
            if let Some(Unanswered { said, .. }) = self.unanswered {
                self.refused.count(Some(said.line), false);
                let message = "the fact base failed; whether this was recorded is not known";
                tell(Some(said.line), &[json!({ "message": message })], out)?;
            }
            return Ok(Err(self.refused.status(batch)));
        };
        let mut opened = Self { session, owner: Some(owner), reopenings, ..self };
        let taken_up = opened.take_up(known, out).and_then(|()| opened.answer_again(out));
        taken_up.or_else(|failure| opened.outlive(failure))?;
        Ok(Ok(opened))
    }

    /// Answers what it could not answer before the ledger was opened again, unless it is recorded.
    fn answer_again(&mut self, out: &mut dyn Write) -> Result<(), Failure> {
        let Some(Unanswered { said, stage }) = self.unanswered.take() else { return Ok(()) };
        let Some(first) = self.recorded_since(stage) else { return self.answer(said, out) };
        let message = format!(
            "the fact base failed while this was recorded: `hence log --from {first}` shows whether it was, and \
            what followed"
        );
        Ok(self.refuse(Some(said.line), &[json!({ "message": message })], false, out)?)
    }

    /// The first transaction that was recorded since what is said came to this stage.
    fn recorded_since(&self, stage: Stage) -> Option<u64> {
        match stage {
            Stage::Committed(last) if last < self.session.last_tx() => Some(last + 1),
            _ => None,
        }
    }

    /// Goes on after a failure that is over once the ledger is opened again.
    ///
    /// # Errors
    /// Any other failure.
    pub(super) fn outlive(&mut self, failure: Failure) -> Result<(), Failure> {
        let is_of_the_ledger = matches!(failure, Failure::Session(SessionError::Ledger(_)));
        if !(is_of_the_ledger && self.is_stopped()) || self.reopenings >= MOST_REOPENINGS {
            return Err(failure);
        }
        // What was on the way is looked at again.
        self.due.again = Some(Instant::now());
        Ok(())
    }
}

/// A process that follows while there is no room to open its ledger.
struct NoRoom<'a> {
    incoming: &'a mut Incoming,
    refused: &'a mut Refused,
    batch: bool,
    /// The lines that are not answered yet.
    said: &'a mut Said,
    /// How many lines came.
    number: &'a mut u64,
    /// Whether the ledger could not be opened after the line at hand had come.
    tried: bool,
    out: &'a mut dyn Write,
}

impl NoRoom<'_> {
    /// Waits for a line up to an instant, and refuses one that had come before the ledger could not be opened; whether
    /// more may come.
    fn wait(&mut self, error: &LedgerError, until: Instant) -> Result<bool, Failure> {
        let bytes = match self.incoming.next_line(until)? {
            Came::Line(bytes) if !std::mem::replace(&mut self.tried, true) => {
                self.incoming.put_back(bytes);
                return Ok(true);
            }
            Came::Line(bytes) => bytes,
            Came::End => return Ok(false),
            Came::Due | Came::Asked(_) | Came::Work(_) => return Ok(true),
        };
        self.tried = false;
        *self.number = self.number.saturating_add(1);
        let (said, number, blank) = (&mut *self.said, *self.number, bytes.trim_ascii().is_empty());
        if !blank {
            said.line = if said.is_empty() { number } else { said.line };
            said.refuse([json!({ "message": format!("nothing was recorded: {error}"), "line": number })]);
        }
        if !said.is_empty() && (blank || !self.batch) {
            self.refused.count(Some(said.line), false);
            tell(Some(said.line), &said.faults, self.out)?;
            *said = Said::default();
        }
        Ok(true)
    }
}
