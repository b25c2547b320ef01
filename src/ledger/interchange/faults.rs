//! The faults of one file: the first ones kept, the others counted, all tied to the text at the end.

use crate::diagnostic::Diagnostic;
use crate::span::{FileId, Sources, Span};

use super::codes;

/// How many faults of one file are shown.
const SHOWN: usize = 100;

/// A span of the file being read; it gets its file when the faults are tied to the text.
pub(super) fn span(start: usize, end: usize) -> Span {
    Span::new(FileId(0), start as u32, end as u32)
}

/// The faults found in one file.
#[derive(Debug, Default)]
pub(super) struct Faults {
    kept: Vec<Diagnostic>,
    first_beyond: Option<Span>,
    beyond: usize,
}

impl Faults {
    /// Takes a fault in.
    pub(super) fn push(&mut self, fault: Diagnostic) {
        if self.kept.len() < SHOWN {
            self.kept.push(fault);
        } else {
            self.first_beyond = self.first_beyond.or(fault.span());
            self.beyond += 1;
        }
    }

    /// Whether nothing is wrong so far.
    pub(super) fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// The faults at their places in `text`, which becomes a source only now that it is needed.
    pub(super) fn tie(mut self, sources: &mut Sources, name: &str, text: &str) -> Vec<Diagnostic> {
        if self.beyond > 0 {
            let plural = if self.beyond == 1 { "fault" } else { "faults" };
            let message = format!("{} more {plural} in this file", self.beyond);
            let place = self.first_beyond.unwrap_or_default();
            self.kept.push(Diagnostic::new(codes::MORE_FAULTS, message).at(place, "the next one"));
        }
        let file = sources.add(name, text);
        for label in self.kept.iter_mut().flat_map(|fault| &mut fault.labels) {
            label.span.file = file;
        }
        self.kept
    }
}
