//! What `crepe!` programs hold: a row of words for each width, and where they find their facts.

use std::hash::{Hash, Hasher};

use hence_core::fault::OrBroken;
use hence_core::value::Word;

use super::rule::PARAMS;
use super::table::Tables;

/// A row that a `crepe!` program derives.
pub trait Fact {
    /// How many words it has.
    const WIDTH: usize;

    /// Adds its words to those of a table.
    fn write(&self, words: &mut Vec<Word>);
}

/// A struct for each width. Relations of one width share it, whatever pack they are of: the sets and indexes that
/// crepe makes of a relation are by far the most of a pack's code, and this way they are compiled once.
macro_rules! rows {
    ($($name:ident $width:literal: $($column:tt $word:ident),+;)+) => {
        $(
            #[doc = concat!("A row of ", stringify!($width), ".")]
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
            pub struct $name($(pub $word),+);

            impl Fact for $name {
                const WIDTH: usize = $width;

                #[inline]
                fn write(&self, words: &mut Vec<Word>) {
                    words.extend_from_slice(&[$(self.$column),+]);
                }
            }
        )+
    };
}

#[rustfmt::skip]
rows! {
    Row1 1: 0 Word;
    Row2 2: 0 Word, 1 Word;
    Row3 3: 0 Word, 1 Word, 2 Word;
    Row4 4: 0 Word, 1 Word, 2 Word, 3 Word;
    Row5 5: 0 Word, 1 Word, 2 Word, 3 Word, 4 Word;
    Row6 6: 0 Word, 1 Word, 2 Word, 3 Word, 4 Word, 5 Word;
    Row7 7: 0 Word, 1 Word, 2 Word, 3 Word, 4 Word, 5 Word, 6 Word;
    Row8 8: 0 Word, 1 Word, 2 Word, 3 Word, 4 Word, 5 Word, 6 Word, 7 Word;
    Row9 9: 0 Word, 1 Word, 2 Word, 3 Word, 4 Word, 5 Word, 6 Word, 7 Word, 8 Word;
    Row10 10: 0 Word, 1 Word, 2 Word, 3 Word, 4 Word, 5 Word, 6 Word, 7 Word, 8 Word, 9 Word;
    Row11 11: 0 Word, 1 Word, 2 Word, 3 Word, 4 Word, 5 Word, 6 Word, 7 Word, 8 Word, 9 Word, 10 Word;
    Row12 12: 0 Word, 1 Word, 2 Word, 3 Word, 4 Word, 5 Word, 6 Word, 7 Word, 8 Word, 9 Word, 10 Word, 11 Word;
    Row13 13: 0 Word, 1 Word, 2 Word, 3 Word, 4 Word, 5 Word, 6 Word, 7 Word, 8 Word, 9 Word, 10 Word, 11 Word, 12 Word;
    Row14 14: 0 Word, 1 Word, 2 Word, 3 Word, 4 Word, 5 Word, 6 Word, 7 Word, 8 Word, 9 Word, 10 Word, 11 Word, 12 Word, 13 Word;
    Row15 15: 0 Word, 1 Word, 2 Word, 3 Word, 4 Word, 5 Word, 6 Word, 7 Word, 8 Word, 9 Word, 10 Word, 11 Word, 12 Word, 13 Word, 14 Word;
    Row16 16: 0 Word, 1 Word, 2 Word, 3 Word, 4 Word, 5 Word, 6 Word, 7 Word, 8 Word, 9 Word, 10 Word, 11 Word, 12 Word, 13 Word, 14 Word, 15 Word;
    Row17 17: 0 Word, 1 Word, 2 Word, 3 Word, 4 Word, 5 Word, 6 Word, 7 Word, 8 Word, 9 Word, 10 Word, 11 Word, 12 Word, 13 Word, 14 Word, 15 Word, 16 Word;
    Row18 18: 0 Word, 1 Word, 2 Word, 3 Word, 4 Word, 5 Word, 6 Word, 7 Word, 8 Word, 9 Word, 10 Word, 11 Word, 12 Word, 13 Word, 14 Word, 15 Word, 16 Word, 17 Word;
    Row19 19: 0 Word, 1 Word, 2 Word, 3 Word, 4 Word, 5 Word, 6 Word, 7 Word, 8 Word, 9 Word, 10 Word, 11 Word, 12 Word, 13 Word, 14 Word, 15 Word, 16 Word, 17 Word, 18 Word;
    Row20 20: 0 Word, 1 Word, 2 Word, 3 Word, 4 Word, 5 Word, 6 Word, 7 Word, 8 Word, 9 Word, 10 Word, 11 Word, 12 Word, 13 Word, 14 Word, 15 Word, 16 Word, 17 Word, 18 Word, 19 Word;
    Row21 21: 0 Word, 1 Word, 2 Word, 3 Word, 4 Word, 5 Word, 6 Word, 7 Word, 8 Word, 9 Word, 10 Word, 11 Word, 12 Word, 13 Word, 14 Word, 15 Word, 16 Word, 17 Word, 18 Word, 19 Word, 20 Word;
    Row22 22: 0 Word, 1 Word, 2 Word, 3 Word, 4 Word, 5 Word, 6 Word, 7 Word, 8 Word, 9 Word, 10 Word, 11 Word, 12 Word, 13 Word, 14 Word, 15 Word, 16 Word, 17 Word, 18 Word, 19 Word, 20 Word, 21 Word;
    Row23 23: 0 Word, 1 Word, 2 Word, 3 Word, 4 Word, 5 Word, 6 Word, 7 Word, 8 Word, 9 Word, 10 Word, 11 Word, 12 Word, 13 Word, 14 Word, 15 Word, 16 Word, 17 Word, 18 Word, 19 Word, 20 Word, 21 Word, 22 Word;
    Row24 24: 0 Word, 1 Word, 2 Word, 3 Word, 4 Word, 5 Word, 6 Word, 7 Word, 8 Word, 9 Word, 10 Word, 11 Word, 12 Word, 13 Word, 14 Word, 15 Word, 16 Word, 17 Word, 18 Word, 19 Word, 20 Word, 21 Word, 22 Word, 23 Word;
}

/// The one fact that a `crepe!` program is given: from it its rules take what they need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Source<'a>(pub Input<'a>);

/// All tables, and the values of the parameters.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    tables: &'a Tables,
    params: &'a [Word],
}

impl<'a> Input<'a> {
    /// These tables and values.
    pub fn new(tables: &'a Tables, params: &'a [Word]) -> Self {
        Self { tables, params }
    }

    /// The rows of a table of `N` columns.
    #[inline]
    pub fn rows<const N: usize>(self, table: usize) -> impl Iterator<Item = [Word; N]> + use<'a, N> {
        self.tables.get(table).words.as_chunks::<N>().0.iter().copied()
    }

    /// The value of a parameter.
    #[inline]
    pub fn param(self, param: usize) -> Word {
        *self.params.get(param).or_broken(PARAMS)
    }
}

/// There is one a run.
impl PartialEq for Input<'_> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Input<'_> {}

impl Hash for Input<'_> {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}
