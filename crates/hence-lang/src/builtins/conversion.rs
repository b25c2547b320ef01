//! From texts to values and back: `string`, `name`, `int` and `float` of a string.

use hence_core::literal;
use hence_core::symbol::Symbol;
use hence_core::value::{Type, Value, Word};

use super::text;

/// The text that `string` gives for a word of type `ty`.
pub(super) fn string_of(ty: Type, word: Word) -> Word {
    match ty {
        Type::String | Type::Name => word,
        _ => Word::from_symbol(Symbol::new(&Value::from_word(ty, word).text())),
    }
}

/// The name that a text is, or becomes by a slash before it.
pub(super) fn name_of(word: Word) -> Option<Word> {
    let text = text::of(word);
    if literal::is_name(text) {
        return Some(word);
    }
    let slashed = format!("/{text}");
    literal::is_name(&slashed).then(|| Word::from_symbol(Symbol::new(&slashed)))
}

/// The int of a text that is exactly one int literal.
pub(super) fn int_of_text(word: Word) -> Option<Word> {
    parse_int(text::of(word)).map(Word::from_int)
}

/// The float of a text that is exactly one float literal.
pub(super) fn float_of_text(word: Word) -> Option<Word> {
    parse_float(text::of(word)).and_then(Word::from_float)
}

/// Reads an int literal: an optional `-`, digits with `_` between them.
pub(super) fn parse_int(text: &str) -> Option<i64> {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    (digits(unsigned)? == unsigned.len()).then(|| text.replace('_', "").parse().ok())?
}

/// Reads a float literal: an int literal, then `.` and digits, an exponent, or both. May be infinite.
pub(super) fn parse_float(text: &str) -> Option<f64> {
    let mut rest = text.strip_prefix('-').unwrap_or(text);
    let whole = rest;
    rest = rest.get(digits(rest)?..)?;
    if let Some(fraction) = rest.strip_prefix('.') {
        rest = fraction.get(digits(fraction)?..)?;
    }
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        rest = exponent.get(digits(exponent)?..)?;
    }
    let is_int = digits(whole)? == whole.len();
    (rest.is_empty() && !is_int).then(|| text.replace('_', "").parse().ok())?
}

/// The length of the digits (with single `_` between them) that `text` begins with; `None` without any.
fn digits(text: &str) -> Option<usize> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '_').unwrap_or(text.len());
    let run = text.get(..end)?;
    let fits = !run.is_empty() && !run.starts_with('_') && !run.ends_with('_') && !run.contains("__");
    fits.then_some(end)
}
