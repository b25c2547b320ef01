//! What makes a pattern too large, and what is small instead: a class over all of Unicode costs each repetition again.

use super::bounded;

/// The classes that have a small form: as people write them, the small form, and that within brackets.
const CLASSES: [(&str, &str, &str); 6] = [
    (r"\w", r"(?-u:\w)", "0-9A-Za-z_"),
    (r"\d", "[0-9]", "0-9"),
    (r"\s", r"(?-u:\s)", r" \t\n\r"),
    (r"\W", "[^0-9A-Za-z_]", ""),
    (r"\D", "[^0-9]", ""),
    (r"\S", r"[^ \t\n\r]", ""),
];

/// The help for the pattern `source`, which is too large.
pub(super) fn smaller(source: &str) -> String {
    let Reading { large, small } = read(source);
    let large = large.iter().map(|class| format!("`{class}`")).collect::<Vec<_>>().join(" and ");
    if !large.is_empty() && bounded(&small).is_ok() {
        return format!(
            "{large} covers all of Unicode, and each repetition copies it; for ASCII, the small forms are \
             `(?-u:\\w)` and `[0-9]`: `{small}`"
        );
    }
    let counted = "write a counted repetition such as `{1,1000}` with smaller numbers, or with `+`: it \
        copies its part \
                   once for each count";
    if large.is_empty() {
        return counted.to_owned();
    }
    format!("{large} covers all of Unicode; `(?-u:\\w)` or `[0-9]` is small; or {counted}")
}

/// A pattern as it was read.
struct Reading {
    /// The classes over all of Unicode in it, each once.
    large: Vec<String>,
    /// The pattern with their small forms.
    small: String,
}

fn read(source: &str) -> Reading {
    let mut reading = Reading { large: Vec::new(), small: String::new() };
    let (mut rest, mut depth) = (source, 0u32);
    while let Some(first) = rest.chars().next() {
        let length = piece(rest);
        let (piece, after) = rest.split_at(length);
        match first {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        reading.small.push_str(&reading_of(piece, depth > 0, &mut reading.large));
        rest = after;
    }
    reading
}

/// How long the first piece of `text` is: an escape, with the braces after `\p`, else a character.
fn piece(text: &str) -> usize {
    let mut chars = text.chars();
    let Some(first) = chars.next() else { return 0 };
    let escaped = if first == '\\' { chars.next() } else { None };
    let plain = first.len_utf8() + escaped.map_or(0, char::len_utf8);
    if !matches!(escaped, Some('p' | 'P')) {
        return plain;
    }
    match chars.next() {
        Some('{') => text.find('}').map_or(text.len(), |end| end + 1),
        Some(letter) => plain + letter.len_utf8(),
        None => plain,
    }
}

/// The small form of a piece; a class that has all of Unicode goes to `large`.
fn reading_of(piece: &str, within: bool, large: &mut Vec<String>) -> String {
    let known = CLASSES.iter().find(|(class, ..)| *class == piece);
    let is_large = known.is_some() || piece.starts_with(r"\p") || piece.starts_with(r"\P");
    if is_large && !large.iter().any(|class| class == piece) {
        large.push(piece.to_owned());
    }
    match known {
        Some((_, small, _)) if !within => (*small).to_owned(),
        Some((_, _, small)) if !small.is_empty() => (*small).to_owned(),
        _ => piece.to_owned(),
    }
}
