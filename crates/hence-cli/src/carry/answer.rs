//! What a carrier answers: lines that are facts, and lines that are not.

use hence_actuators::carry::Report;
use hence_core::fact::Fact;
use hence_session::{Session, SessionError};

use super::super::open;

/// How much of faulty lines a note keeps, in bytes.
const MOST_KEPT: usize = 64 << 10;

/// What was answered.
#[derive(Default)]
pub(super) struct Answer {
    /// The facts in it.
    pub(super) facts: Vec<Fact>,
    /// What is wrong with the rest, which is told word by word; empty where nothing is.
    pub(super) faults: String,
}

impl Answer {
    /// Reads a report of carrier `by` under the rules of a session, as what `author` says.
    pub(super) fn read(session: &Session, (by, author): (&str, &str), report: Report) -> Self {
        let rules = open::reading_for(session.rules(), author);
        let facts = hence_session::from_shipped(session.rules(), report.facts);
        let mut answer = Self { facts, faults: report.unread.unwrap_or_default() };
        for (number, line) in (1..).zip(report.lines.lines()) {
            match hence_session::read_fact_lines(&rules, by, line) {
                Ok(facts) => answer.facts.extend(facts),
                Err(error) => answer.fault(&format!("line {number}: {}: {line}", what(&error))),
            }
        }
        answer
    }

    /// Adds what is wrong, as far as there is room for it.
    pub(super) fn fault(&mut self, fault: &str) {
        if !self.faults.is_empty() {
            self.faults.push('\n');
        }
        self.faults.push_str(fault);
        if self.faults.len() > MOST_KEPT {
            let end = self.faults.floor_char_boundary(MOST_KEPT);
            self.faults.truncate(end);
            self.faults.push('…');
        }
    }
}

/// An error in one line.
fn what(error: &SessionError) -> String {
    match error {
        SessionError::Faults(faults) => {
            let messages = faults.diagnostics.iter().map(|found| found.message.clone());
            messages.collect::<Vec<_>>().join("; ")
        }
        error => error.to_string(),
    }
}
