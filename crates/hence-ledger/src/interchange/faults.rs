//! The faults of one file: the first ones kept, the others counted, all tied to the text at the end.

use hence_core::diagnostic::Diagnostic;
use hence_core::fault::OrBroken;
use hence_core::meter::Stopped;
use hence_core::span::{FileId, Sources, Span};

use super::codes;

/// What the place of a fault is looked up by.
const WITHIN: &str = "a fault lies in the text that it was found in";

/// How many faults of one file are shown.
const SHOWN: usize = 100;

/// A span of the file being read; it gets its file when the faults are tied to the text.
pub(super) fn span(start: usize, end: usize) -> Span {
    Span::new(FileId(0), start as u32, end as u32)
}

/// Why a file's facts are not taken.
#[derive(Clone, Debug, PartialEq)]
pub enum Unread {
    /// What is wrong with it: the first hundred faults, and how many more there are.
    Faults(Vec<Diagnostic>),
    /// Reading it reached a limit.
    Stopped(Stopped),
}

impl Unread {
    /// What is wrong with the file, where that is why.
    pub fn faults(&self) -> &[Diagnostic] {
        match self {
            Self::Faults(faults) => faults,
            Self::Stopped(_) => &[],
        }
    }
}

impl From<Vec<Diagnostic>> for Unread {
    fn from(faults: Vec<Diagnostic>) -> Self {
        Self::Faults(faults)
    }
}

impl From<Diagnostic> for Unread {
    fn from(fault: Diagnostic) -> Self {
        Self::Faults(vec![fault])
    }
}

/// The faults found in one file, which may be read in parts.
#[derive(Debug, Default)]
pub(super) struct Faults {
    /// Of the texts before this one, at their places there.
    tied: Vec<Diagnostic>,
    /// Of the text being read.
    open: Vec<Diagnostic>,
    beyond: usize,
}

impl Faults {
    /// Takes a fault in.
    pub(super) fn push(&mut self, fault: Diagnostic) {
        if self.tied.len() + self.open.len() < SHOWN {
            return self.open.push(fault);
        }
        if self.beyond == 0 {
            let place = fault.span().unwrap_or_default();
            self.open.push(Diagnostic::new(codes::MORE_FAULTS, "").at(place, "the next one"));
        }
        self.beyond += 1;
    }

    /// Whether nothing is wrong so far.
    pub(super) fn is_empty(&self) -> bool {
        self.tied.is_empty() && self.open.is_empty()
    }

    /// The faults at their places in `text`, which becomes a source only if there are some.
    pub(super) fn tie(&mut self, sources: &mut Sources, name: &str, text: &str) {
        if !self.open.is_empty() {
            let file = sources.add(name, text);
            let labels = self.open.iter_mut().flat_map(|fault| &mut fault.labels);
            labels.for_each(|label| label.span.file = file);
        }
        self.tied.append(&mut self.open);
    }

    /// As [`Faults::tie`], for a part of a file that begins at line `first_line`: only the lines with faults become
    /// sources.
    pub(super) fn tie_lines(&mut self, sources: &mut Sources, name: &str, text: &str, first_line: usize) {
        for mut fault in self.open.drain(..) {
            let from = fault.labels.iter().map(|label| label.span.start as usize).min().unwrap_or(0);
            let to = fault.labels.iter().map(|label| label.span.end as usize).max().unwrap_or(0);
            let start = text.get(..from).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
            let end = text.get(to..).and_then(|after| after.find('\n')).map_or(text.len(), |at| to + at);
            let lines_before = text.get(..start).or_broken(WITHIN).matches('\n').count();
            let lines = text.get(start..end).or_broken(WITHIN);
            let file = sources.add_excerpt(name, lines, first_line + lines_before);
            for label in &mut fault.labels {
                let within = |at: u32| at - start as u32;
                label.span = Span::new(file, within(label.span.start), within(label.span.end));
            }
            self.tied.push(fault);
        }
    }

    /// All of them: the first ones, and how many more there are.
    ///
    /// # Errors
    /// There are some.
    pub(super) fn finish(mut self) -> Result<(), Vec<Diagnostic>> {
        if let (Some(last), true) = (self.tied.last_mut(), self.beyond > 0) {
            let plural = if self.beyond == 1 { "error" } else { "errors" };
            last.message = format!("{} more {plural} in this file", self.beyond);
        }
        if self.tied.is_empty() { Ok(()) } else { Err(self.tied) }
    }
}
