//! A loose scanner for the text of any Datalog dialect, and its way back to text.

use super::spelling::hashed_aggregate;

/// What a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A word that begins in lower case, `fn:plus` and `:lt` included.
    Word,
    /// A word that begins in upper case or with `_`.
    Upper,
    /// A number, a string, a `/name` or a `@time`.
    Value,
    /// An operator or punctuation.
    Mark,
    /// A `#` comment.
    Comment,
}

/// A piece of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) kind: Kind,
    pub(super) text: String,
}

impl Piece {
    pub(super) fn new(kind: Kind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into() }
    }

    pub(super) fn mark(text: &str) -> Self {
        Self::new(Kind::Mark, text)
    }

    /// Whether this is the punctuation `text`.
    pub(super) fn is(&self, text: &str) -> bool {
        self.kind == Kind::Mark && self.text == text
    }

    /// Whether this is the word `text`.
    pub(super) fn is_word(&self, text: &str) -> bool {
        self.kind == Kind::Word && self.text == text
    }

    /// Whether this is the word `text` of a language that doesn't tell upper case from lower.
    pub(super) fn is_keyword(&self, text: &str) -> bool {
        matches!(self.kind, Kind::Word | Kind::Upper) && self.text.eq_ignore_ascii_case(text)
    }

    fn ends_value(&self) -> bool {
        match self.kind {
            Kind::Word | Kind::Upper | Kind::Value => true,
            Kind::Mark => matches!(self.text.as_str(), ")" | "]" | "}"),
            Kind::Comment => false,
        }
    }
}

/// Marks of more than one character, longest first.
const MARKS: [&str; 25] = [
    "=:=", "=\\=", "\\==", "===", "!==", "<=>", ":-", "<-", ":=", "==", "=<", "=>", "<=", ">=", "<>", "!=",
    "\\=", "\\+", "&&", "||", "|>", "->", "**", "//", "/*",
];

/// The pieces of `text`.
pub(super) fn scan(text: &str) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let after_value = pieces.last().is_some_and(Piece::ends_value);
        let (piece, len) = next_piece(rest, first, after_value);
        pieces.extend(piece);
        rest = rest.get(len.max(1)..).unwrap_or("").trim_start();
    }
    pieces
}

/// The first piece of `rest` and how many bytes it takes.
fn next_piece(rest: &str, first: char, after_value: bool) -> (Option<Piece>, usize) {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    match first {
        '#' if let Some(len) = hashed_aggregate(rest) => {
            (rest.get(..len).map(|text| Piece::new(Kind::Word, text)), len)
        }
        '#' => comment(rest, 1),
        '%' if !after_value => comment(rest, 1),
        '/' if rest.starts_with("//") && !(after_value && divides(rest)) => comment(rest, 2),
        '/' if rest.starts_with("/*") => block_comment(rest),
        '"' | '\'' => quoted(rest, first),
        'r' if rest.starts_with("r\"") || rest.starts_with("r#") => raw(rest),
        '/' if !after_value
            && rest.get(1..).is_some_and(|r| r.starts_with(|c: char| c.is_ascii_lowercase())) =>
        {
            take(rest, Kind::Value, |c| c.is_ascii_alphanumeric() || "/_-.".contains(c))
        }
        '@' if rest.get(1..).is_some_and(|r| r.starts_with(|c: char| c.is_ascii_digit())) => {
            take(rest, Kind::Value, |c| c.is_ascii_alphanumeric() || "@:+-.".contains(c))
        }
        c if c.is_ascii_digit() => number(rest),
        'f' if rest.starts_with("fn:") => take(rest, Kind::Word, |c| word(c) || c == ':'),
        ':' if !after_value
            && rest.get(1..).is_some_and(|r| r.starts_with(|c: char| c.is_ascii_lowercase())) =>
        {
            take(rest, Kind::Word, |c| word(c) || c == ':')
        }
        c if c.is_uppercase() || c == '_' => take(rest, Kind::Upper, word),
        c if c.is_alphabetic() => take(rest, Kind::Word, word),
        c => {
            let mark = MARKS.iter().find(|mark| rest.starts_with(**mark));
            let text = mark.map_or_else(|| c.to_string(), |mark| (*mark).to_owned());
            let len = text.len();
            (Some(Piece::new(Kind::Mark, text)), len)
        }
    }
}

/// Whether a number or a short variable follows `//`, so that it divides as in Python and begins no comment.
fn divides(rest: &str) -> bool {
    let after = rest.trim_start_matches('/').trim_start();
    let mut chars = after.chars();
    let first = chars.next();
    let alone = chars.next().is_none_or(|c| !c.is_alphanumeric());
    first.is_some_and(|c| c.is_ascii_digit() || c.is_uppercase() && alone)
}

fn take(rest: &str, kind: Kind, wanted: impl Fn(char) -> bool) -> (Option<Piece>, usize) {
    let end = rest.char_indices().skip(1).find(|(_, c)| !wanted(*c)).map_or(rest.len(), |(at, _)| at);
    let text = rest.get(..end).unwrap_or(rest);
    let text = if kind == Kind::Value { text.trim_end_matches('.') } else { text };
    (Some(Piece::new(kind, text)), text.len())
}

fn comment(rest: &str, opening: usize) -> (Option<Piece>, usize) {
    let line = rest.lines().next().unwrap_or("");
    let text = line.get(opening..).unwrap_or("").trim_start_matches(['/', '%', '#', '!']).trim();
    let piece = (!text.is_empty()).then(|| Piece::new(Kind::Comment, format!("# {text}")));
    (piece, line.len())
}

fn block_comment(rest: &str) -> (Option<Piece>, usize) {
    let end = rest.find("*/").map_or(rest.len(), |at| at + 2);
    (None, end)
}

/// A string; what is between single quotes is put between double ones.
fn quoted(rest: &str, quote: char) -> (Option<Piece>, usize) {
    let mut escaped = false;
    let mut end = rest.len();
    for (at, c) in rest.char_indices().skip(1) {
        if c == quote && !escaped {
            end = at + 1;
            break;
        }
        escaped = c == '\\' && !escaped;
    }
    let text = rest.get(..end).unwrap_or(rest);
    let inner = text.trim_matches('\'');
    let text = if quote == '\'' { hence_core::literal::quoted(inner) } else { text.to_owned() };
    (Some(Piece::new(Kind::Value, text)), end)
}

fn raw(rest: &str) -> (Option<Piece>, usize) {
    let hashes = rest.bytes().skip(1).take_while(|b| *b == b'#').count();
    let close = format!("\"{}", "#".repeat(hashes));
    let begin = 2 + hashes;
    let end = rest
        .get(begin..)
        .and_then(|inner| inner.find(&close))
        .map_or(rest.len(), |at| begin + at + close.len());
    (Some(Piece::new(Kind::Value, rest.get(..end).unwrap_or(rest))), end)
}

/// A number, with a point only where a digit follows it.
fn number(rest: &str) -> (Option<Piece>, usize) {
    let bytes = rest.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut end = 0;
    while let Some(byte) = bytes.get(end) {
        let goes_on = byte.is_ascii_alphanumeric() || *byte == b'_' || *byte == b'.' && digit(end + 1);
        let exponent =
            matches!(byte, b'-' | b'+') && end > 0 && bytes.get(end - 1) == Some(&b'e') && digit(end + 1);
        if !(goes_on || exponent) {
            break;
        }
        end += 1;
    }
    (Some(Piece::new(Kind::Value, rest.get(..end).unwrap_or(rest))), end)
}

/// The pieces as text, spaced as the formatter does it.
pub(super) fn join(pieces: &[Piece]) -> String {
    let mut out = String::new();
    let mut before: Option<&Piece> = None;
    let mut sign = false;
    for piece in pieces {
        if before.is_some_and(|before| !sign && needs_space(before, piece)) {
            out.push(' ');
        }
        sign = piece.is("-") && !before.is_some_and(Piece::ends_value);
        out.push_str(&piece.text);
        before = Some(piece);
    }
    out
}

fn needs_space(before: &Piece, piece: &Piece) -> bool {
    if piece.kind == Kind::Mark && matches!(piece.text.as_str(), ")" | "," | "." | ":" | "]") {
        return false;
    }
    if before.kind == Kind::Mark && matches!(before.text.as_str(), "(" | "!" | "@" | "[") {
        return false;
    }
    let callee = matches!(before.kind, Kind::Word | Kind::Upper)
        && !["and", "or", "not", "in", "by", "per", "limit"].contains(&before.text.as_str());
    !(piece.is("(") && callee)
}

/// The place of the parenthesis that closes the one at `open`.
pub(super) fn closing(pieces: &[Piece], open: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (at, piece) in pieces.iter().enumerate().skip(open) {
        if piece.is("(") || piece.is("{") || piece.is("[") {
            depth += 1;
        } else if piece.is(")") || piece.is("}") || piece.is("]") {
            depth = depth.checked_sub(1)?;
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}

/// The runs of pieces between the `separator`s outside all parentheses.
pub(super) fn split<'a>(pieces: &'a [Piece], separator: &str) -> Vec<&'a [Piece]> {
    let mut depth = 0usize;
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, piece) in pieces.iter().enumerate() {
        if piece.is("(") || piece.is("{") || piece.is("[") {
            depth += 1;
        } else if piece.is(")") || piece.is("}") || piece.is("]") {
            depth = depth.saturating_sub(1);
        } else if depth == 0 && piece.is(separator) {
            parts.extend(pieces.get(start..at));
            start = at + 1;
        }
    }
    parts.extend(pieces.get(start..));
    parts
}
