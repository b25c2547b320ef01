//! Hashing of rows: one wide multiplication a word, the same from run to run.

use crate::cells::Cell;
use hence_core::fault::OrBroken;
use hence_core::value::Word;

/// How many rows are looked for at once.
pub(crate) const TOGETHER: usize = 256;

const SEED: u64 = 0x9e37_79b9_7f4a_7c15;
const FACTOR: u64 = 0xd6e8_feb8_6659_fd93;

/// The hash so far with one more word.
#[inline]
pub(crate) fn mix(hash: u64, word: Word) -> u64 {
    let wide = u128::from(hash ^ word.0) * u128::from(FACTOR);
    (wide as u64).rotate_left(23) ^ (wide >> 64) as u64
}

/// The hash of words.
#[inline]
pub(crate) fn hash<C: Cell>(words: &[C]) -> u64 {
    hash_all(words.iter().map(|word| word.word()))
}

/// The same where they don't lie side by side.
#[inline]
pub(crate) fn hash_all(words: impl Iterator<Item = Word>) -> u64 {
    words.fold(SEED, mix)
}

/// The hash of the words that `columns` picks from a row.
#[inline]
pub(crate) fn hash_of<C: Cell>(row: &[C], columns: &[u32]) -> u64 {
    let word = |column: &u32| row.get(*column as usize).or_broken("a row has the columns of its keys").word();
    hash_all(columns.iter().map(word))
}
