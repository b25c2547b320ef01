//! What an index keeps of each row.
#![expect(clippy::indexing_slicing, reason = "hot: rows have the columns of their indexes")]

use crate::cells::Cell;

/// What the entries of an index are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// Numbers of rows.
    Numbers,
    /// The words of the one column that isn't in the key, all of which fit in 32 bits: no row has to be looked at.
    Words(u32),
}

impl Content {
    /// What an index on `columns` of a relation with `arity` columns keeps, if the words fit.
    pub(super) fn of(columns: &[u32], arity: usize) -> Self {
        match columns {
            [key] if arity == 2 => Self::Words(1 - *key),
            _ => Self::Numbers,
        }
    }

    /// The entry of a row with its number.
    #[inline]
    pub(super) fn entry<C: Cell>(self, row: &[C], number: u32) -> u32 {
        match self {
            Self::Numbers => number,
            Self::Words(column) => row[column as usize].word().0 as u32,
        }
    }
}
