//! Why a question could not be put, or its answer not be recorded.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::PathBuf;

use thiserror::Error;

use hence_core::diagnostic::Diagnostic;
use hence_core::fault::Fault;
use hence_core::file::{unread, unwritten};
use hence_core::meter::Stopped;
use hence_core::span::{FileId, Source, Sources};
use hence_engine::Bound;
use hence_ledger::LedgerError;
use hence_proof::WhyError;

use super::status;

/// Faults in rule text or facts, with the texts that they point into.
#[derive(Clone, Default)]
pub struct Faults {
    /// The texts.
    pub sources: Sources,
    /// The faults, sorted by place.
    pub diagnostics: Vec<Diagnostic>,
}

impl Faults {
    /// Takes in other faults; a text that both have is kept once.
    pub fn add(&mut self, other: Self) {
        let mut ids = BTreeMap::new();
        for (id, source) in other.sources.iter() {
            let same = |(_, known): &(FileId, &Source)| {
                (known.name(), known.text(), known.first_line())
                    == (source.name(), source.text(), source.first_line())
            };
            let known = self.sources.iter().find(same).map(|(id, _)| id);
            let add = || self.sources.add_excerpt(source.name(), source.text(), source.first_line());
            ids.insert(id, known.unwrap_or_else(add));
        }
        for mut fault in other.diagnostics {
            // A place in no known file stays one.
            let known = |file: FileId| ids.get(&file).copied().unwrap_or(FileId(u32::MAX));
            fault.labels.iter_mut().for_each(|label| label.span.file = known(label.span.file));
            let edits = fault.fixes.iter_mut().flat_map(|fix| &mut fix.edits);
            edits.for_each(|edit| edit.span.file = known(edit.span.file));
            self.diagnostics.push(fault);
        }
    }

    /// The faults in plain lines: code, place and message, then notes and help.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        self.diagnostics.iter().map(|fault| self.line(fault))
    }

    fn line(&self, fault: &Diagnostic) -> String {
        let word = if fault.is_error() { "error" } else { "warning" };
        let place = fault.span().map_or(String::new(), |span| format!("{}: ", self.sources.place(span)));
        let more = fault.notes.iter().map(|note| format!("\n  note: {note}"));
        let more: String = more.chain(fault.help.iter().map(|help| format!("\n  help: {help}"))).collect();
        format!("{word}[{}]: {place}{}{more}", fault.code, fault.message)
    }
}

impl fmt::Debug for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.lines()).finish()
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let errors = self.diagnostics.iter().filter(|fault| fault.is_error());
        let (first, rest) = (errors.clone().next(), errors.count().saturating_sub(1));
        match (first, rest) {
            (None, _) => f.write_str("no error"),
            (Some(first), 0) => f.write_str(&self.line(first)),
            (Some(first), _) => write!(f, "{}\nand {}", self.line(first), count_more(rest)),
        }
    }
}

fn count_more(errors: usize) -> String {
    format!("{errors} more error{}", if errors == 1 { "" } else { "s" })
}

/// What can go wrong in a session.
#[derive(Debug, Error)]
pub enum SessionError {
    /// Rules or facts have errors; nothing was evaluated or recorded.
    #[error("{0}")]
    Faults(Box<Faults>),
    /// A file or folder could not be read.
    #[error("{}", unread(path, source))]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// A file could not be written.
    #[error("{}", unwritten(path, source))]
    Write {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The ledger could not be opened, read or written.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The model belongs to other rules.
    #[error(transparent)]
    Proof(#[from] WhyError),
    /// The evaluation reached a limit; nothing of it was recorded.
    #[error("{bound} was reached while {rule} ({place}) derived {relation}; nothing was recorded")]
    Limit {
        /// The limit.
        bound: Bound,
        /// The rule at work, in words.
        rule: String,
        /// Where it stands.
        place: String,
        /// The relation that grew, in words.
        relation: String,
    },
    /// Facts that can't fit into the memory that is left; they weren't read.
    #[error("{facts} facts need {needed} MiB or more, and {bound} leaves {left}; nothing was recorded")]
    Room {
        /// How many facts.
        facts: u64,
        /// What they take at least, in MiB.
        needed: u64,
        /// The limit.
        bound: Bound,
        /// What it leaves, in MiB.
        left: u64,
    },
    /// Work around an evaluation reached a limit; nothing of it was recorded.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// Hence contradicts itself; nothing was recorded.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// Effects that contradict each other; nothing was recorded.
    #[error("{message}")]
    Undone {
        /// What is done and undone, and the steps up to there.
        message: String,
    },
    /// More steps than a transaction may have; nothing was recorded.
    #[error("{message}")]
    Endless {
        /// The limit, and the steps.
        message: String,
    },
    /// Somebody brings facts who has no role that may; nothing was recorded.
    #[error("{message}")]
    NotAllowed {
        /// Who, what, which role is needed, and who has it.
        message: String,
    },
    /// Something was asked for that the rule set doesn't have.
    #[error("{message}")]
    Unknown {
        /// What was asked for, and the nearest thing that there is.
        message: String,
    },
}

impl SessionError {
    /// Whether a limit was reached, by an evaluation or by the work around it.
    pub fn is_limit(&self) -> bool {
        matches!(
            self,
            Self::Limit { .. }
                | Self::Room { .. }
                | Self::Stopped(_)
                | Self::Endless { .. }
                | Self::Ledger(LedgerError::Limit(_))
                | Self::Proof(WhyError::Limit(_))
        )
    }

    /// Whether it concerns what was brought alone, so that something else may be brought to the same session.
    pub fn is_of_the_change(&self) -> bool {
        let is_refused = matches!(
            self,
            Self::Undone { .. } | Self::NotAllowed { .. } | Self::Ledger(LedgerError::Principal { .. })
        );
        is_refused || self.is_limit()
    }

    /// Whether the ledger has no room for it, so that it may be brought again once there is some.
    pub fn lacks_room(&self) -> bool {
        matches!(self, Self::Ledger(error) if error.is_full() || matches!(error, LedgerError::Stopped(_)))
    }

    /// The exit status of a program that ends with this error.
    pub fn status(&self) -> u8 {
        match self {
            Self::Fault(_) => status::FAULT,
            error if error.is_limit() => status::LIMIT,
            _ => status::UNASKED,
        }
    }
}
