//! Values as workers exchange them: words, and texts, whose numbers mean nothing in another process.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use hence_core::symbol::Symbol;
use hence_core::value::{Type, Word};
use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};

/// One value, or none. Its order is that of the process and is never shown; its hash, by which values are exchanged, is
/// the same in every process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cell {
    /// No value.
    Open,
    /// Anything but a text.
    Plain(u64),
    /// A text.
    Text(Symbol),
}

/// A row of values.
pub(crate) type Row = Vec<Cell>;

/// A cell as it is sent to another process.
#[derive(serde::Serialize, serde::Deserialize)]
enum Sent<T> {
    Open,
    Plain(u64),
    Text(T),
}

impl Cell {
    /// The value of a word of this type.
    pub(crate) fn new(ty: Type, word: Word) -> Self {
        if ty.is_text() { Self::Text(Symbol::from_word(word.0)) } else { Self::Plain(word.0) }
    }

    /// Its word in this process.
    pub(crate) fn word(self) -> Word {
        match self {
            Self::Open => Word(0),
            Self::Plain(word) => Word(word),
            Self::Text(symbol) => Word::from_symbol(symbol),
        }
    }

    /// Its word, where there is a value.
    pub(crate) fn known(self) -> Option<Word> {
        (self != Self::Open).then(|| self.word())
    }

    fn key(self) -> (u8, u64) {
        let place = match self {
            Self::Open => 0,
            Self::Plain(_) => 1,
            Self::Text(_) => 2,
        };
        (place, self.word().0)
    }
}

impl Ord for Cell {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for Cell {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Hash for Cell {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Self::Open => 0_u8.hash(state),
            Self::Plain(word) => word.hash(state),
            Self::Text(symbol) => symbol.as_str().hash(state),
        }
    }
}

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let sent = match self {
            Self::Open => Sent::Open,
            Self::Plain(word) => Sent::Plain(*word),
            Self::Text(symbol) => Sent::Text(symbol.as_str()),
        };
        sent.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Cell {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let sent: Sent<String> = Deserialize::deserialize(deserializer)?;
        Ok(match sent {
            Sent::Open => Self::Open,
            Sent::Plain(word) => Self::Plain(word),
            Sent::Text(text) => Self::Text(Symbol::new(&text)),
        })
    }
}
