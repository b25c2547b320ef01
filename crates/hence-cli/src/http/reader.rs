//! A reader: a session over a replica of the ledger in memory, which takes in what the writer recorded before it answers.

use std::time::Instant;

use hence_core::fault;
use hence_engine::{Limits, Threads};
use hence_ledger::{Hash, Ledger, LedgerError, OpenOptions, When};
use hence_server::{Asked, DeskAnswer, Problem};
use hence_session::{RuleSet, Session, SessionError};

use super::super::options::moment;
use super::super::{config, open, time};
use super::workers::{Known, Workers};
use super::{answers, problem};

/// A session that only reads.
pub(super) struct Reader<'w> {
    workers: &'w Workers,
    /// The replica, and the hash of its rules.
    session: Option<(Session, Hash)>,
}

impl<'w> Reader<'w> {
    pub(super) fn new(workers: &'w Workers) -> Self {
        Self { workers, session: None }
    }

    /// Opens the replica before somebody asks and, where it is to answer quickly, works out what follows.
    pub(super) fn warm(&mut self, is_quick: bool) {
        let warmed = self.current().and_then(|session| match is_quick {
            true => session.supposing((&[], ""), time::wall_clock(), |_| Ok(())),
            false => Ok(()),
        });
        if let Err(error) = warmed {
            tracing::warn!(%error, "a reader could not begin");
        }
    }

    /// Answers a question, unless it came too late.
    pub(super) fn answer(&mut self, asked: &Asked) -> DeskAnswer {
        if asked.until <= Instant::now() {
            return Err(Problem::busy("the question waited too long"));
        }
        let answered = fault::caught(|| Ok::<DeskAnswer, SessionError>(self.answer_at(asked)));
        match answered {
            Ok(answer) => answer,
            Err(error) => {
                self.session = None;
                Err(problem::of_session(&error))
            }
        }
    }

    fn answer_at(&mut self, asked: &Asked) -> DeskAnswer {
        let Some(text) = &asked.moment.as_of else {
            let session = self.current().map_err(|error| problem::of_session(&error))?;
            return answers::answer(session, asked, time::wall_clock());
        };
        let at = moment(text).map_err(|why| Problem::malformed(format!("`as_of`: {why}")))?;
        let session = self.current().map_err(|error| problem::of_session(&error))?;
        let (then, clock) = of_past(session, at).map_err(|error| problem::of_session(&error))?;
        let (session, hash) = self.session.take().ok_or_else(|| Problem::busy("the ledger is not open"))?;
        let now = session.rules().clone();
        let session = then.into_iter().fold(session, Session::with_rules);
        let mut past = session.with_as_of(at);
        let answer = answers::answer(&mut past, asked, clock);
        self.session = Some((past.with_as_of(When::Now).with_rules(now), hash));
        answer
    }

    /// The replica, with everything in that the writer has recorded.
    fn current(&mut self) -> Result<&mut Session, SessionError> {
        let Known { tx, rules, hash } = self.workers.known();
        let session = match self.session.take() {
            Some((mut session, of)) if of == hash => match session.follow(tx) {
                Ok(()) => session,
                Err(_) => self.open(rules.as_ref().clone(), tx)?,
            },
            Some((session, _)) => {
                let mut session = session.with_rules(rules.as_ref().clone());
                match session.follow(tx) {
                    Ok(()) => session,
                    Err(_) => self.open(rules.as_ref().clone(), tx)?,
                }
            }
            None => self.open(rules.as_ref().clone(), tx)?,
        };
        Ok(&mut self.session.insert((session, hash)).0)
    }

    fn open(&self, rules: RuleSet, tx: u64) -> Result<Session, SessionError> {
        let Workers { store, engine, budget, .. } = self.workers;
        let options = OpenOptions { up_to: Some(tx), ..open::options() };
        let ledger = match Ledger::open_to_ask(store, &options) {
            // Nothing was written yet.
            Err(LedgerError::Missing(_)) if tx == 0 => Ledger::memory_with(&open::options())?,
            opened => opened?,
        };
        let limits = engine.limits();
        let time = limits.time.map_or(*budget, |time| time.min(*budget));
        let lenient = engine.lenient().unwrap_or_default();
        Ok(Session::over_ledger(rules, ledger)
            .with_engine(engine.engine())
            .with_limits(Limits { time: Some(time), threads: Threads::ONE, ..limits })
            .with_lenient(lenient)
            .with_roles(config::get().roles()))
    }
}

/// The rules of a moment of the past, where any were recorded by then, and what its clock showed.
fn of_past(session: &Session, at: When) -> Result<(Option<RuleSet>, i64), SessionError> {
    let Some(ledger) = session.ledger() else { return Ok((None, time::wall_clock())) };
    let tx = ledger.tx_when(at)?;
    let clock = match at {
        When::Time(time) => time,
        _ if tx == 0 => time::wall_clock(),
        _ => {
            let info = ledger.info(tx)?;
            info.clock.unwrap_or(info.time)
        }
    };
    Ok((Session::rules_at(ledger, at)?.map(|(_, rules)| rules), clock))
}
