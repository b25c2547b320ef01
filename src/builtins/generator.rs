//! Generators: the right sides of `X in …`, each a finite set of values.

use crate::value::{Type, Word};

use super::pattern::Pattern;

/// A generator at fixed types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Generator {
    /// `range(a, b)`: the ints from `a` to below `b`.
    Range,
    /// `words(s)`.
    Words,
    /// `split(s, separator)`.
    Split,
    /// `lines(s)`.
    Lines,
    /// `chars(s)`.
    Chars,
    /// `captures(s, pattern, group)`: the text of a group at each match.
    Captures(Pattern, usize),
}

impl Generator {
    /// The type of the elements.
    pub fn element(&self) -> Type {
        match self {
            Self::Range => Type::Int,
            _ => Type::String,
        }
    }

    /// The elements for these arguments, each once, lazily, in order of their first place. Never without a result.
    pub fn elements(&self, args: &[Word]) -> Box<dyn Iterator<Item = Word>> {
        match (self, args) {
            (Self::Range, [from, to]) => Box::new((from.as_int()..to.as_int()).map(Word::from_int)),
            _ => Box::new(std::iter::empty()),
        }
    }
}

/// The names of all generators, in order.
pub fn names() -> &'static [&'static str] {
    &["captures", "chars", "lines", "range", "split", "words"]
}
