//! Interned text: one machine word for a string or a name, equal exactly where the texts are.

use std::cmp::Ordering;
use std::fmt;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use hashbrown::HashTable;

use crate::fault::OrBroken;

/// An interned text. Its number is an accident of the process: it is never shown, stored or ordered by;
/// [`Ord`] compares the texts by their Unicode scalar values.
///
/// Texts live as long as the process. That bounds nothing by itself: the limit on memory does.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Symbol(u32);

/// Segment `n` holds `FIRST << n` texts, so a number leads to its text without a lock.
const FIRST: u32 = 1024;
const SEGMENTS: usize = 22;

type Segment = OnceLock<Box<[OnceLock<&'static str>]>>;

struct Texts {
    segments: [Segment; SEGMENTS],
    table: Mutex<SymbolTable>,
}

#[derive(Default)]
struct SymbolTable {
    numbers: HashTable<u32>,
    len: u32,
}

static TEXTS: Texts =
    Texts { segments: [const { OnceLock::new() }; SEGMENTS], table: Mutex::new(SymbolTable::new()) };

impl SymbolTable {
    const fn new() -> Self {
        Self { numbers: HashTable::new(), len: 0 }
    }
}

fn hash(text: &str) -> u64 {
    ahash::RandomState::with_seeds(0x68, 0x65, 0x6e, 0x63).hash_one(text)
}

fn slot(number: u32) -> Option<&'static OnceLock<&'static str>> {
    let segment = (number / FIRST + 1).ilog2();
    let start = FIRST * ((1 << segment) - 1);
    let texts = TEXTS.segments.get(segment as usize)?.get_or_init(|| {
        (0..(FIRST as usize) << segment).map(|_| OnceLock::new()).collect::<Vec<_>>().into_boxed_slice()
    });
    texts.get((number - start) as usize)
}

fn text_of(number: u32) -> &'static str {
    slot(number).and_then(OnceLock::get).copied().or_broken("the number of a symbol was given out")
}

fn lock() -> MutexGuard<'static, SymbolTable> {
    TEXTS.table.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Symbol {
    /// The symbol of `text`, the same for the same text during the whole process.
    pub fn new(text: &str) -> Self {
        let hash_of_text = hash(text);
        let mut table = lock();
        if let Some(&number) = table.numbers.find(hash_of_text, |&number| text_of(number) == text) {
            return Self(number);
        }
        let number = table.len;
        let slot = slot(number).or_broken("a process has fewer than four billion texts");
        let leaked = Box::leak(Box::<str>::from(text));
        slot.set(leaked).ok().or_broken("the slot of a new symbol is empty");
        table.len += 1;
        table.numbers.insert_unique(hash_of_text, number, |&number| hash(text_of(number)));
        Self(number)
    }

    /// The text.
    pub fn as_str(self) -> &'static str {
        text_of(self.0)
    }

    /// The number as an engine stores it in a column.
    pub fn word(self) -> u64 {
        u64::from(self.0)
    }

    /// The symbol that [`Symbol::word`] came from.
    pub fn from_word(word: u64) -> Self {
        Self(u32::try_from(word).ok().or_broken("the word of a text is the number of a symbol"))
    }
}

impl Ord for Symbol {
    fn cmp(&self, other: &Self) -> Ordering {
        if self.0 == other.0 { Ordering::Equal } else { self.as_str().cmp(other.as_str()) }
    }
}

impl PartialOrd for Symbol {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl From<&str> for Symbol {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<&String> for Symbol {
    fn from(text: &String) -> Self {
        Self::new(text)
    }
}
