//! Functions of texts. Texts are counted in Unicode scalar values.

use std::collections::HashSet;

use hence_core::symbol::Symbol;
use hence_core::value::Word;

/// The longest text that an operation may make, in bytes: as much as a file may hold. A recursion that doubles a
/// text ends here instead of at the memory's end.
pub(super) const LONGEST: usize = 64 << 20;

/// The text of a word.
pub(super) fn of(word: Word) -> &'static str {
    word.as_symbol().as_str()
}

/// The word of a text.
pub(super) fn word(text: &str) -> Word {
    Word::from_symbol(Symbol::new(text))
}

/// How many Unicode scalar values the text has.
pub(super) fn len(text: Word) -> i64 {
    i64::try_from(of(text).chars().count()).unwrap_or(i64::MAX)
}

/// The text in lower case.
pub(super) fn lower(text: Word) -> Word {
    word(&of(text).to_lowercase())
}

/// The text in upper case.
pub(super) fn upper(text: Word) -> Word {
    word(&of(text).to_uppercase())
}

/// The text without white space at both ends.
pub(super) fn trim(text: Word) -> Word {
    word(of(text).trim())
}

/// Every `from` in the text replaced by `to`, from the left; an empty `from` is found nowhere. `None` where the
/// result would be longer than a text may be.
pub(super) fn replace(text: Word, from: Word, to: Word) -> Option<Word> {
    let (source, from, to) = (of(text), of(from), of(to));
    if from.is_empty() {
        return Some(text);
    }
    if to.len() > from.len() {
        let grown = source.matches(from).count().checked_mul(to.len() - from.len())?;
        (source.len().checked_add(grown)? <= LONGEST).then_some(())?;
    }
    Some(word(&source.replace(from, to)))
}

/// The texts one after the other. `None` where the result would be longer than a text may be.
pub(super) fn concat(parts: &[Word]) -> Option<Word> {
    join(parts.iter().map(|part| of(*part)), "")
}

/// The texts one after the other with `separator` between them. `None` where that is longer than a text may be.
pub(super) fn join<'a>(parts: impl Iterator<Item = &'a str>, separator: &str) -> Option<Word> {
    let mut out = String::new();
    for (at, part) in parts.enumerate() {
        if at > 0 {
            out.push_str(separator);
        }
        out.push_str(part);
        (out.len() <= LONGEST).then_some(())?;
    }
    Some(word(&out))
}

/// The `length` characters from `start`, fewer where the text ends before. `None` for a negative start or length
/// and for a start beyond the end.
pub(super) fn substring(text: Word, start: i64, length: i64) -> Option<Word> {
    let rest = skip(of(text), usize::try_from(start).ok()?)?;
    let length = usize::try_from(length).ok()?;
    let end = rest.char_indices().nth(length).map_or(rest.len(), |(at, _)| at);
    rest.get(..end).map(word)
}

/// What follows the first `count` characters; `None` where there are fewer.
fn skip(text: &str, count: usize) -> Option<&str> {
    let mut chars = text.chars();
    for _ in 0..count {
        chars.next()?;
    }
    Some(chars.as_str())
}

/// The words of a text: what stands between white space. Neither case nor punctuation is changed.
pub(super) fn words(text: &str) -> std::str::SplitWhitespace<'_> {
    text.split_whitespace()
}

/// The share of the words of both texts that stand in both; 0 where neither has a word.
pub(super) fn jaccard(left: &str, right: &str) -> f64 {
    let (left, right): (HashSet<_>, HashSet<_>) = (words(left).collect(), words(right).collect());
    let both = left.intersection(&right).count();
    let all = left.len() + right.len() - both;
    if all == 0 { 0.0 } else { both as f64 / all as f64 }
}
