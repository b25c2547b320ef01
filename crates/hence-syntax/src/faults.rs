//! The faults found in one text, bounded in number.

use hence_core::diagnostic::{self, Diagnostic};

use super::codes;

/// How many faults of one file are shown.
const MOST: usize = 1_000;

/// Collected faults; beyond a thousand only that there are more.
#[derive(Debug, Default)]
pub(super) struct Faults {
    list: Vec<Diagnostic>,
}

impl Faults {
    /// Adds a fault.
    pub(super) fn push(&mut self, fault: Diagnostic) {
        if self.list.len() < MOST {
            self.list.push(fault);
        } else if self.list.len() == MOST {
            let more =
                Diagnostic::new(codes::TOO_MANY_FAULTS, format!("more than {MOST} errors in this file"))
                    .help("fix these first, then check again");
            self.list.push(match fault.span() {
                Some(span) => more.at(span, "the first error not shown"),
                None => more,
            });
        }
    }

    /// All of them, in the order in which they were found.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter()
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// How many of those that were found first lie before byte `start`; what was read ahead may have faults beyond it.
    pub(super) fn len_before(&self, start: u32) -> usize {
        let beyond = |fault: &&Diagnostic| fault.span().is_some_and(|span| span.start >= start);
        self.list.len() - self.list.iter().rev().take_while(beyond).count()
    }

    /// Puts one fault in the place of those from number `from` on that lie before byte `end`.
    pub(super) fn replace(&mut self, from: usize, end: u32, by: Diagnostic) {
        let later = self.list.split_off(from.min(self.list.len()));
        let beyond = |fault: &Diagnostic| fault.span().is_some_and(|span| span.start >= end);
        self.push(by);
        self.list.extend(later.into_iter().filter(beyond));
    }

    /// Whether nothing more is taken.
    pub(super) fn is_full(&self) -> bool {
        self.list.len() > MOST
    }

    /// All faults, by their place.
    pub(super) fn sorted(mut self) -> Vec<Diagnostic> {
        diagnostic::sort(&mut self.list);
        self.list
    }
}
