//! Words one after the other, in 32 bits each while all of them fit.

use hence_core::fault::OrBroken;
use hence_core::machine;
use hence_core::value::Word;

/// A word as it is kept.
pub(crate) trait Cell: Copy + Default + Eq {
    /// The cell of a word, which must fit.
    fn new(word: Word) -> Self;
    /// The word.
    fn word(self) -> Word;
}

impl Cell for Word {
    #[inline]
    fn new(word: Word) -> Self {
        word
    }
    #[inline]
    fn word(self) -> Word {
        self
    }
}

impl Cell for u32 {
    #[inline]
    fn new(word: Word) -> Self {
        word.0 as u32
    }
    #[inline]
    fn word(self) -> Word {
        Word(u64::from(self))
    }
}

/// From how many bytes on a vector gets address space far ahead.
const LARGE: usize = 1 << 20;
/// How many bytes of address space that is at least.
const AHEAD: usize = 48 << 20;

/// From how many bytes on the room of a round's facts is given back: it would be idle while indexes take them in.
const IDLE: usize = 4 << 20;

/// Moves all items of `more` after those of `vec`.
fn move_behind<T>(vec: &mut Vec<T>, more: &mut Vec<T>) {
    reserve(vec, more.len());
    let is_large = more.len().saturating_mul(size_of::<T>()) >= IDLE;
    vec.append(more);
    if is_large {
        *more = Vec::new();
    }
}

/// Makes room for `more` items. A large vector gets address space far ahead at once: it takes no memory before it is
/// written, and spares the copies of doubling and the holes that these leave in the heap. Not where address space is limited.
#[inline]
pub(crate) fn reserve<T>(vec: &mut Vec<T>, more: usize) {
    if more > vec.capacity() - vec.len() {
        grow(vec, more);
    }
}

#[cold]
fn grow<T>(vec: &mut Vec<T>, more: usize) {
    let wanted = vec.len().saturating_add(more);
    let ahead = wanted.saturating_mul(2).max(AHEAD / size_of::<T>().max(1));
    let is_large = wanted.saturating_mul(size_of::<T>()) >= LARGE;
    if !is_large || machine::addresses().is_some() || vec.try_reserve_exact(ahead - vec.len()).is_err() {
        vec.reserve(more);
    }
}

/// So many zeros, written down at once. Pages that a table first reads and then writes would fault twice, and the second time
/// all threads wait until every processor knows of it.
pub(crate) fn zeros<T: Copy + Default>(len: usize) -> Vec<T> {
    // What the compiler knows to be zeros it takes from the system, unwritten.
    let mut zeros = std::hint::black_box(Vec::with_capacity(len));
    zeros.resize(len, T::default());
    zeros
}

/// Whether a word fits in 32 bits.
#[inline]
pub(crate) fn is_narrow(word: Word) -> bool {
    word.0 >> 32 == 0
}

/// A vector of words.
#[derive(Clone, Debug)]
pub(crate) enum Cells {
    /// All fit in 32 bits.
    Narrow(Vec<u32>),
    /// Some may not.
    Wide(Vec<Word>),
}

impl Default for Cells {
    fn default() -> Self {
        Self::Narrow(Vec::new())
    }
}

impl Cells {
    /// The words.
    #[inline]
    pub(crate) fn view(&self) -> Slice<'_> {
        match self {
            Self::Narrow(cells) => Slice::Narrow(cells),
            Self::Wide(words) => Slice::Wide(words),
        }
    }

    /// How many words there are.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Narrow(cells) => cells.len(),
            Self::Wide(words) => words.len(),
        }
    }

    /// Goes over to whole words.
    #[cold]
    pub(crate) fn widen(&mut self) {
        if let Self::Narrow(cells) = self {
            *self = Self::Wide(cells.iter().map(|cell| cell.word()).collect());
        }
    }

    /// Makes sure that `words` fit, and that there is room for them.
    #[inline]
    pub(crate) fn admit(&mut self, words: &[Word]) {
        if matches!(self, Self::Narrow(_)) && !words.iter().copied().all(is_narrow) {
            self.widen();
        }
        match self {
            Self::Narrow(cells) => reserve(cells, words.len()),
            Self::Wide(all) => reserve(all, words.len()),
        }
    }

    /// Adds words that were admitted.
    #[inline]
    pub(crate) fn extend_from_slice(&mut self, words: &[Word]) {
        match self {
            Self::Narrow(cells) => cells.extend(words.iter().map(|word| u32::new(*word))),
            Self::Wide(all) => all.extend_from_slice(words),
        }
    }

    /// Adds a word.
    #[inline]
    pub(crate) fn push(&mut self, word: Word) {
        match self {
            Self::Narrow(cells) if is_narrow(word) => cells.push(u32::new(word)),
            _ => self.push_wide(word),
        }
    }

    fn push_wide(&mut self, word: Word) {
        self.widen();
        if let Self::Wide(words) = self {
            words.push(word);
        }
    }

    /// Moves all words of `other` after these.
    pub(crate) fn append(&mut self, other: &mut Self) {
        if self.len() == 0 {
            return std::mem::swap(self, other);
        }
        match (&mut *self, &mut *other) {
            (Self::Narrow(cells), Self::Narrow(more)) => move_behind(cells, more),
            (Self::Wide(words), Self::Wide(more)) => move_behind(words, more),
            (Self::Wide(words), Self::Narrow(more)) => {
                words.extend(more.drain(..).map(Cell::word));
            }
            (Self::Narrow(_), Self::Wide(_)) => {
                self.widen();
                self.append(other);
            }
        }
    }

    /// Leaves out everything but the first `len` words.
    pub(crate) fn truncate(&mut self, len: usize) {
        match self {
            Self::Narrow(cells) => cells.truncate(len),
            Self::Wide(words) => words.truncate(len),
        }
    }

    /// Takes everything out, and keeps the room.
    pub(crate) fn clear(&mut self) {
        self.truncate(0);
    }

    /// Bytes taken.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Narrow(cells) => cells.len() * 4,
            Self::Wide(words) => words.len() * 8,
        }
    }
}

/// An invariant of those who ask for words.
const ROWS: &str = "the numbers of rows and columns are those that a relation has";

/// Words one after the other.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Slice<'a> {
    /// In 32 bits each.
    Narrow(&'a [u32]),
    /// In 64 bits each.
    Wide(&'a [Word]),
}

impl Default for Slice<'_> {
    fn default() -> Self {
        Self::Narrow(&[])
    }
}

impl<'a> Slice<'a> {
    /// How many words there are.
    #[inline]
    pub(crate) fn len(self) -> usize {
        match self {
            Self::Narrow(cells) => cells.len(),
            Self::Wide(words) => words.len(),
        }
    }

    /// The words from `from` to before `to`.
    #[inline]
    pub(crate) fn part(self, from: usize, to: usize) -> Self {
        match self {
            Self::Narrow(cells) => Self::Narrow(cells.get(from..to).or_broken(ROWS)),
            Self::Wide(words) => Self::Wide(words.get(from..to).or_broken(ROWS)),
        }
    }

    /// The word at a place.
    #[inline]
    pub(crate) fn at(self, at: usize) -> Word {
        match self {
            Self::Narrow(cells) => cells.get(at).or_broken(ROWS).word(),
            Self::Wide(words) => *words.get(at).or_broken(ROWS),
        }
    }

    /// Whether these are `words`.
    #[inline]
    pub(crate) fn is(self, words: &[Word]) -> bool {
        match self {
            Self::Narrow(cells) => {
                cells.len() == words.len() && cells.iter().zip(words).all(|(cell, word)| cell.word() == *word)
            }
            Self::Wide(own) => own == words,
        }
    }

    /// Whether one of the rows, each as long as `row`, is `row`.
    #[inline]
    pub(crate) fn has(self, row: &[Word]) -> bool {
        match (self, row) {
            (Self::Narrow(cells), [a]) => is_narrow(*a) && cells.contains(&u32::new(*a)),
            (Self::Narrow(cells), [a, b]) => {
                is_narrow(Word(a.0 | b.0)) && cells.as_chunks().0.contains(&[u32::new(*a), u32::new(*b)])
            }
            (Self::Narrow(cells), row) => {
                cells.chunks_exact(row.len()).any(|cells| Slice::Narrow(cells).is(row))
            }
            (Self::Wide(words), row) => words.chunks_exact(row.len()).any(|words| words == row),
        }
    }

    /// The words.
    pub(crate) fn iter(self) -> impl Iterator<Item = Word> + 'a {
        (0..self.len()).map(move |at| self.at(at))
    }
}
