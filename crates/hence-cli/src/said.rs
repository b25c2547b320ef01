//! What the lines of a stream say together, and those of which nothing was recorded.

use std::collections::HashMap;

use serde_json::{Value as Json, json};

use hence_core::fact::Fact;
use hence_core::value::Value;
use hence_ledger::Said as Brought;
use hence_session::{RuleSet, SessionError};

use super::diagnostics::count;
use super::follow::STREAM;
use super::{DONE, LIMIT, UNASKED, diagnostics, output};

/// What says on a line that its fact is retracted.
const RETRACT: &str = "retract";
/// How many faults of the lines of one transaction are told.
pub(super) const MOST_FAULTS: usize = 100;

/// Lines, or batches of them, of which nothing was recorded.
#[derive(Default)]
pub(super) struct Refused {
    number: usize,
    /// The line that the first begins at.
    first: u64,
    /// How many instants at which something fell due.
    instants: usize,
    /// How many of both only a limit stopped.
    stopped: usize,
}

/// What lines say together.
#[derive(Clone, Default)]
pub(super) struct Said {
    /// The line they begin at, from 1; 0 for none.
    pub(super) line: u64,
    pub(super) assertions: Vec<Fact>,
    /// Those of them that others say than who brings them, each with the number of assertions before it.
    said: Vec<(usize, Brought)>,
    /// What is retracted, each with the number of assertions before it.
    retractions: Vec<(usize, Fact)>,
    /// What the ledger is to say of them.
    pub(super) note: Option<String>,
    pub(super) now: Option<i64>,
    pub(super) faults: Vec<Json>,
    /// Whether a limit was reached while they were read.
    pub(super) is_stopped: bool,
    /// How many bytes the lines have.
    pub(super) bytes: u64,
    /// Whether there are too many of them, or of faults, to read on.
    pub(super) is_over: bool,
}

/// What lines change together.
pub(super) struct Changes {
    pub(super) assertions: Vec<Fact>,
    /// Those of them that others say than who brings them.
    pub(super) said: Vec<Brought>,
    pub(super) retractions: Vec<Fact>,
}

impl Said {
    /// What is said before the first line.
    pub(super) fn before_lines(assertions: Vec<Fact>, retractions: Vec<Fact>, note: Option<String>) -> Self {
        let retractions = retractions.into_iter().map(|fact| (0, fact)).collect();
        Self { assertions, retractions, note, ..Self::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.line == 0
    }

    /// Whether it neither asserts nor retracts a fact.
    pub(super) fn changes_nothing(&self) -> bool {
        self.assertions.is_empty() && self.retractions.is_empty()
    }

    /// Takes in that a line can't be taken: then nothing of these lines is kept, and of very many faults only the first.
    pub(super) fn refuse(&mut self, faults: impl IntoIterator<Item = Json>) {
        self.forget();
        let room = MOST_FAULTS.saturating_sub(self.faults.len());
        self.faults.extend(faults.into_iter().take(room));
    }

    /// Keeps nothing of what the lines assert and retract.
    pub(super) fn forget(&mut self) {
        (self.assertions, self.said, self.retractions) = (Vec::new(), Vec::new(), Vec::new());
    }

    /// What the lines change together: of a fact that they assert and retract, what the last line says.
    pub(super) fn changes(self) -> Changes {
        let Self { mut assertions, mut said, retractions, .. } = self;
        let last: HashMap<&Fact, usize> = retractions.iter().map(|(before, fact)| (fact, *before)).collect();
        let stays = |place, fact: &Fact| last.get(fact).is_none_or(|before| place >= *before);
        said.retain(|(place, brought)| stays(*place, &brought.fact));
        let mut places = 0..;
        assertions.retain(|fact| places.next().is_some_and(|place| stays(place, fact)));
        let said = said.into_iter().map(|(_, brought)| brought).collect();
        Changes { assertions, said, retractions: retractions.into_iter().map(|(_, fact)| fact).collect() }
    }

    /// Takes in what a line says, and which of it others say, unless nothing of these lines is kept.
    pub(super) fn take(
        &mut self,
        line: u64,
        facts: Vec<Fact>,
        brought: impl IntoIterator<Item = Brought>,
        retracted: bool,
    ) {
        if !self.faults.is_empty() {
            return;
        }
        let before = self.assertions.len();
        if retracted {
            return self.retractions.extend(facts.into_iter().map(|fact| (before, fact)));
        }
        self.said.extend(brought.into_iter().map(|brought| (before, brought)));
        for fact in facts {
            match (fact.relation.as_str(), fact.values.as_slice()) {
                // All facts of a transaction are said at one instant.
                ("now", _) if !self.changes_nothing() => {
                    let message =
                        "`now` comes after facts of the same batch; end that with an empty line first";
                    return self.refuse([json!({ "message": message, "line": line })]);
                }
                ("now", [Value::Time(now)]) => self.now = Some(*now),
                _ => self.assertions.push(fact),
            }
        }
    }
}

impl Refused {
    /// Takes down that a line was refused, or what falls due at an instant; whether only a limit stopped it.
    pub(super) fn count(&mut self, line: Option<u64>, stopped: bool) {
        match line {
            Some(line) => {
                self.first = if self.number == 0 { line } else { line.min(self.first) };
                self.number += 1;
            }
            None => self.instants += 1,
        }
        self.stopped += usize::from(stopped);
    }

    /// Says how much was refused, and gives the exit status for it.
    pub(super) fn status(&self, batch: bool) -> u8 {
        let Self { number, first, instants, stopped } = *self;
        if number + instants == 0 {
            return DONE;
        }
        if number > 0 {
            let what = match (batch, number) {
                (true, 1) => String::from("1 batch"),
                (true, _) => format!("{number} batches"),
                (false, _) => count(number, "line"),
            };
            output::error(&format!("{what} refused, the first at line {first}; none was recorded"));
        }
        if instants > 0 {
            let what = count(instants, "time");
            output::error(&format!("what fell due could not be decided, {what}; nothing of it was recorded"));
        }
        if stopped == number + instants { LIMIT } else { UNASKED }
    }
}

/// The fact of a line `{"retract": {…}}`, as it is written and where it is; `None` where the rules have a relation of
/// that name.
///
/// # Errors
/// Something else beside it.
pub(super) fn retracted(rules: &RuleSet, line: &str) -> Result<Option<String>, String> {
    if !line.contains(RETRACT) || rules.program.relations.iter().any(|known| known.name.as_str() == RETRACT) {
        return Ok(None);
    }
    let Ok(Json::Object(fields)) = serde_json::from_str::<Json>(line) else { return Ok(None) };
    match (fields.contains_key(RETRACT), fields.keys().find(|name| *name != RETRACT)) {
        (false, _) => Ok(None),
        (true, Some(other)) => Err(format!(
            "expected nothing beside `{RETRACT}`, found `{other}`; a line retracts a fact or asserts one"
        )),
        (true, None) => Ok(line.split_once(':').and_then(|(before, fact)| {
            let fact = fact.trim_end().strip_suffix('}')?;
            Some(format!("{:1$}{fact}", "", before.chars().count() + 1))
        })),
    }
}

/// The faults of a line, with the line's number in the stream.
pub(super) fn faults(error: &SessionError, line: u64) -> Vec<Json> {
    let SessionError::Faults(faults) = error else {
        return vec![json!({ "message": error.to_string(), "line": line })];
    };
    let mut all: Vec<Json> =
        faults.diagnostics.iter().map(|found| diagnostics::json(found, &faults.sources)).collect();
    for label in all.iter_mut().filter_map(|found| found.get_mut("labels")?.as_array_mut()).flatten() {
        if label.get("file").and_then(Json::as_str) == Some(STREAM) {
            for end in ["line", "end_line"] {
                if let Some(place) = label.get_mut(end) {
                    *place = json!(line);
                }
            }
        }
    }
    all
}
