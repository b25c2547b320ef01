//! Values in an order: by their type, ascending or descending, so that they can be kept sorted.

use std::cmp::Reverse;

use hence_core::symbol::Symbol;
use hence_core::value::{Type, Word};

/// A value as a sort key. SortKeys of one place are all made in the same way, so no two kinds meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SortKey {
    /// Anything but a text; turned over where it is descending.
    Whole(i64),
    /// A text.
    Text(Symbol),
    /// A text, descending.
    Late(Reverse<Symbol>),
}

impl SortKey {
    /// The cell of a value.
    pub(crate) fn new(ty: Type, word: Word, descending: bool) -> Self {
        match (ty.is_text(), descending) {
            (false, false) => Self::Whole(word.as_int()),
            (false, true) => Self::Whole(!word.as_int()),
            (true, false) => Self::Text(word.as_symbol()),
            (true, true) => Self::Late(Reverse(word.as_symbol())),
        }
    }

    /// The value of an ascending cell.
    pub(crate) fn word(self) -> Word {
        match self {
            Self::Whole(int) => Word::from_int(int),
            Self::Text(symbol) | Self::Late(Reverse(symbol)) => Word::from_symbol(symbol),
        }
    }
}
