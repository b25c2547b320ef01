//! Carrying out: decisions that are due in the outbox go to their carriers, and what comes of them is recorded.

mod answer;
mod attempt;
mod command;
mod list;
mod outbox;
pub(super) mod ways;

use std::collections::VecDeque;
use std::sync::Arc;

use hence_core::fact::Fact;
use hence_runtime::{Mark, NextStep, State};
use hence_session::{CommitOutcome, DecisionId, Session};

use super::owner::Mailbox;
use super::{Failure, output};
use outbox::Outbox;
use ways::Ways;

pub(super) use command::CarryOut;
pub(super) use list::OutboxCommand;
#[cfg(feature = "server")]
pub(super) use list::outbox_json;

/// How often in a row what comes of a decision may lead to another one that is carried out.
const LONGEST_CHAIN: usize = 100;

/// Carries decisions out.
pub(super) struct Carry {
    ways: Ways,
    /// What is open, once that was looked up.
    outbox: Option<Outbox>,
    /// Whether the outcomes are to hold all decisions that stand.
    list: bool,
    /// The instant at which what was due was looked for last, in microseconds since the epoch.
    last: i64,
    /// Which says when to stop, where anything does.
    mailbox: Option<Arc<Mailbox>>,
}

/// What became of one entry.
pub(super) struct Event {
    /// The decision's id.
    pub(super) id: DecisionId,
    /// The decision.
    pub(super) decision: Fact,
    /// Its carrier.
    pub(super) by: &'static str,
    /// The state that it came to.
    pub(super) state: State,
    /// Which attempt it was, 0 for none.
    pub(super) attempts: u32,
    /// When it is tried again, in microseconds since the epoch.
    pub(super) next: Option<i64>,
    /// What is said of it.
    pub(super) detail: String,
    /// How many facts it answered.
    pub(super) asserted: usize,
    /// What followed from them.
    pub(super) decided: Vec<CommitOutcome>,
}

impl Event {
    /// Whether it was carried out.
    pub(super) fn is_carried(&self) -> bool {
        self.state == State::Carried
    }
}

impl Carry {
    /// File requests, and what `hence.toml` names.
    pub(super) fn new(session: &Session, list: bool) -> Result<Self, Failure> {
        let ways = Ways::of(session)?;
        ways.take_up();
        Ok(Self { ways, outbox: None, list, last: i64::MIN, mailbox: None })
    }

    /// Carries out what is due, `decided` among it, then what follows from that, and so on; what became of it is added to
    /// `events`, also where an error ends it.
    pub(super) fn after(
        &mut self,
        session: &mut Session,
        decided: &CommitOutcome,
        now: i64,
        events: &mut Vec<Event>,
    ) -> Result<(), Failure> {
        let mut outbox = match self.outbox.take() {
            Some(mut outbox) => {
                outbox.draw(&self.ways, decided, 0);
                outbox
            }
            None => Outbox::read(session, &self.ways)?,
        };
        let mut queue: VecDeque<DecisionId> = outbox.open.keys().copied().collect();
        while let Some(id) = queue.pop_front().filter(|_| !self.is_stopping()) {
            let Some(event) = self.step(session, &mut outbox, id, now)? else { continue };
            let chain = outbox.chain(id) + 1;
            for decided in &event.decided {
                queue.extend(outbox.draw(&self.ways, decided, chain));
            }
            events.push(event);
        }
        outbox.close();
        self.outbox = Some(outbox);
        self.last = now;
        Ok(())
    }

    /// The same, which begins nothing more once the mailbox says to stop.
    pub(super) fn until_stopped(self, mailbox: &Arc<Mailbox>) -> Self {
        Self { mailbox: Some(Arc::clone(mailbox)), ..self }
    }

    fn is_stopping(&self) -> bool {
        self.mailbox.as_ref().is_some_and(|mailbox| mailbox.is_stopping())
    }

    /// The next instant at which a carrier is tried again, in microseconds since the epoch; what is due already and was
    /// not carried out waits for something else than time.
    pub(super) fn next(&self) -> Option<i64> {
        let open = self.outbox.iter().flat_map(|outbox| outbox.open.values());
        let next = open.filter_map(|item| {
            let way = self.ways.get(item.decision.fact.relation)?;
            item.entry.next(&way.policy).filter(|next| *next > self.last)
        });
        next.min()
    }

    /// Has the outbox looked up again, since others may have noted something.
    pub(super) fn forget(&mut self) {
        self.outbox = None;
    }

    /// Whether something that was decided has a carrier.
    #[cfg(feature = "server")]
    pub(super) fn takes(&self, decided: &CommitOutcome) -> bool {
        decided.drawn.iter().any(|decision| self.ways.get(decision.fact.relation).is_some())
    }

    /// How many entries wait for a person.
    pub(super) fn waiting(&self) -> usize {
        let open = self.outbox.iter().flat_map(|outbox| outbox.open.values());
        let waits = |item: &&outbox::Item| {
            let way = self.ways.get(item.decision.fact.relation);
            way.is_some_and(|way| item.entry.state(&way.policy) == State::Waiting)
        };
        open.filter(waits).count()
    }

    /// Does what is to be done about one entry; `None` where that is nothing.
    fn step(
        &self,
        session: &mut Session,
        outbox: &mut Outbox,
        id: DecisionId,
        now: i64,
    ) -> Result<Option<Event>, Failure> {
        let Some(item) = outbox.open.get_mut(&id) else { return Ok(None) };
        let Some(way) = self.ways.get(item.decision.fact.relation) else { return Ok(None) };
        let stands = session.is_in_force(id, &item.decision.fact)?;
        let unreadable = session.unreadable(id, &item.decision.fact)?;
        let mut attempt = attempt::Attempt { session, way, id, item, now, list: self.list };
        let step = attempt.item.entry.step(&way.policy, stands, now);
        if let (Some(why), true) = (unreadable, records(step, attempt.item)) {
            return Ok(Some(attempt.leave(why)));
        }
        match step {
            NextStep::Carry(_) if attempt.item.chain > LONGEST_CHAIN => {
                let message =
                    format!("{id} follows a chain of {LONGEST_CHAIN} decisions carried out, and waits");
                output::warning(&message);
                Ok(None)
            }
            NextStep::Carry(number) => attempt.begin(number),
            NextStep::Finish => attempt.end(Mark::Carried, String::new()).map(Some),
            NextStep::Cancel if attempt.item.entry.last.is_none() => {
                attempt.item.is_over = true;
                Ok(None)
            }
            NextStep::Cancel => attempt.end(Mark::Cancelled, String::from("the decision lapsed")).map(Some),
            NextStep::GiveUp => {
                let tried = attempt.item.entry.tried;
                attempt.end(Mark::GivenUp, format!("tried {tried} times")).map(Some)
            }
            NextStep::Wait(_) | NextStep::Ask | NextStep::Done => Ok(None),
        }
    }
}

/// Whether a step is recorded with the values of its decision: rules may be told them.
fn records(step: NextStep, item: &outbox::Item) -> bool {
    match step {
        NextStep::Carry(_) | NextStep::Finish | NextStep::GiveUp => true,
        NextStep::Cancel => item.entry.last.is_some(),
        NextStep::Wait(_) | NextStep::Ask | NextStep::Done => false,
    }
}
