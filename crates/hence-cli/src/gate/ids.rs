//! Which call an event is about: the host's own number, else what the call does and how often it was asked about.

use std::collections::{HashMap, HashSet, VecDeque};

use hence_core::fact::Fact;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_ledger::{Ledger, LedgerError};

/// The calls that are known.
#[derive(Default)]
pub(super) struct Ids {
    known: HashSet<String>,
    /// The calls of each session.
    sessions: HashMap<String, Vec<String>>,
    /// Calls without a number of the host's, by what they do.
    alike: HashMap<String, Alike>,
    /// Calls that have run.
    ran: HashSet<String>,
}

#[derive(Default)]
struct Alike {
    asked: usize,
    /// Those that may run and haven't yet.
    open: VecDeque<String>,
}

impl Ids {
    /// The calls that a ledger knows, and those of them that have no verdict on record.
    pub(super) fn of(ledger: &Ledger) -> Result<(Self, Vec<String>), LedgerError> {
        let mut ids = Self::default();
        let rows = |relation: &str| ledger.facts(Symbol::new(relation)).map(|row| row.map(|(fact, _)| fact));
        for fact in rows("ran") {
            ids.ran.extend(column(&fact?, 0));
        }
        for fact in rows("agent_call") {
            let fact = fact?;
            if let (Some(id), Some(session)) = (column(&fact, 0), column(&fact, 1)) {
                ids.add(&session, &id);
            }
        }
        let mut denied = HashSet::new();
        let mut judged = HashSet::new();
        for fact in rows("judged") {
            let fact = fact?;
            judged.extend(column(&fact, 0));
            if column(&fact, 1).as_deref() == Some("/deny") {
                denied.extend(column(&fact, 0));
            }
        }
        for fact in rows("same_as") {
            let fact = fact?;
            let (Some(id), Some(print)) = (column(&fact, 0), column(&fact, 1)) else { continue };
            if !id.starts_with(&print) {
                continue;
            }
            let alike = ids.alike.entry(print).or_default();
            alike.asked += 1;
            if !denied.contains(&id) && !ids.ran.contains(&id) {
                alike.open.push_back(id);
            }
        }
        let left = ids.known.iter().filter(|id| !judged.contains(*id)).cloned().collect();
        Ok((ids, left))
    }

    fn add(&mut self, session: &str, id: &str) {
        if self.known.insert(id.to_owned()) {
            self.sessions.entry(session.to_owned()).or_default().push(id.to_owned());
        }
    }

    /// The id of a call that is asked about; a number that was asked about before gets another one.
    pub(super) fn asked(&mut self, session: &str, own: Option<&str>, print: &str) -> String {
        let id = match own {
            Some(own) if !self.known.contains(own) => own.to_owned(),
            Some(own) => {
                let again = (2..).map(|times| format!("{own}#{times}")).find(|id| !self.known.contains(id));
                again.unwrap_or_else(|| own.to_owned())
            }
            None => {
                let alike = self.alike.entry(print.to_owned()).or_default();
                alike.asked += 1;
                format!("{print}.{}", alike.asked)
            }
        };
        self.add(session, &id);
        id
    }

    /// Takes down that a call may run.
    pub(super) fn may_run(&mut self, print: &str, id: &str) {
        if id.starts_with(print) {
            self.alike.entry(print.to_owned()).or_default().open.push_back(id.to_owned());
        }
    }

    /// The id of a call that has run; `None` where that was told before.
    pub(super) fn ran(&mut self, own: Option<&str>, print: &str) -> Option<String> {
        let id = match own {
            Some(own) => own.to_owned(),
            None => {
                let alike = self.alike.entry(print.to_owned()).or_default();
                match alike.open.pop_front() {
                    Some(id) => id,
                    None => {
                        alike.asked += 1;
                        format!("{print}.{}", alike.asked)
                    }
                }
            }
        };
        self.ran.insert(id.clone()).then_some(id)
    }

    /// The calls of a session, which is over.
    pub(super) fn ended(&mut self, session: &str) -> HashSet<String> {
        self.sessions.remove(session).unwrap_or_default().into_iter().collect()
    }
}

/// A column of a fact that holds text.
pub(super) fn column(fact: &Fact, at: usize) -> Option<String> {
    match fact.values.get(at)? {
        Value::String(symbol) | Value::Name(symbol) => Some(symbol.as_str().to_owned()),
        _ => None,
    }
}
