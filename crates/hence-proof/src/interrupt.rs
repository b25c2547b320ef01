//! What ends a search early: a limit of the process, or something that can't be read.

use std::cell::{Cell, RefCell};

use hence_core::meter;

use super::finder::WhyError;

/// Whether the searches of a finder go on. Once they have ended, what they give means nothing:
/// [`Finder::checked`](super::Finder::checked) tells.
#[derive(Debug, Default)]
pub(super) struct Interrupt {
    ended: Cell<bool>,
    why: RefCell<Option<WhyError>>,
}

impl Interrupt {
    /// Whether a search may make one more move.
    #[inline]
    pub(super) fn step(&self) -> bool {
        if self.ended.get() {
            return false;
        }
        meter::look().map_err(|bound| self.end(WhyError::Limit(bound))).is_ok()
    }

    /// Whether searches have ended.
    pub(super) fn ended(&self) -> bool {
        self.ended.get()
    }

    /// Why they have.
    pub(super) fn why(&self) -> Option<WhyError> {
        self.why.borrow().clone()
    }

    /// Ends all searches; the first reason is kept.
    #[cold]
    pub(super) fn end(&self, why: WhyError) {
        self.ended.set(true);
        self.why.borrow_mut().get_or_insert(why);
    }
}
