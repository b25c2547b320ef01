//! Texts with placeholders, of `format` and `@because`: cut into pieces, each with its place in the source.

use hence_core::diagnostic::{Diagnostic, nearest};
use hence_core::span::{Sources, Span};
use hence_core::symbol::Symbol;

use crate::builtins::decimal::MOST_DIGITS;
use crate::builtins::term::Format;

use super::codes;
use super::values::error;

/// A piece of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Text as it is, `{{` and `}}` resolved.
    Text(Symbol),
    /// `{Name}` or `{Name:format}`, and the place of what is between the braces.
    Hole(Symbol, Format, Span),
}

/// Cuts `text`, whose literal is at `span`, into pieces; the faults are braces without their partner, and
/// what is between braces and no word.
pub(super) fn pieces(text: &str, span: Span, sources: &Sources) -> (Vec<Piece>, Vec<Diagnostic>) {
    let mut cutter =
        Cutter { text, span, sources, plain: String::new(), pieces: Vec::new(), faults: Vec::new() };
    let mut at = 0;
    while let Some(rest) = text.get(at..)
        && let Some(first) = rest.chars().next()
    {
        at += match first {
            '{' | '}' if rest.chars().nth(1) == Some(first) => {
                cutter.plain.push(first);
                2
            }
            '{' => cutter.hole(at),
            '}' => {
                cutter.fault("`}` without a `{` before it", at, 1, "write `}}` for a brace");
                1
            }
            _ => {
                cutter.plain.push(first);
                first.len_utf8()
            }
        };
    }
    cutter.end_text();
    (cutter.pieces, cutter.faults)
}

struct Cutter<'a> {
    text: &'a str,
    span: Span,
    sources: &'a Sources,
    plain: String,
    pieces: Vec<Piece>,
    faults: Vec<Diagnostic>,
}

impl Cutter<'_> {
    fn end_text(&mut self) {
        if !self.plain.is_empty() {
            self.pieces.push(Piece::Text(Symbol::new(&std::mem::take(&mut self.plain))));
        }
    }

    /// Takes the placeholder whose brace is at `at` and says how many bytes it has.
    fn hole(&mut self, at: usize) -> usize {
        let rest = self.text.get(at + 1..).unwrap_or("");
        let Some(end) = rest.find(['{', '}']).filter(|end| rest.get(*end..=*end) == Some("}")) else {
            self.fault("`{` without a `}` after it", at, 1, "write `{{` for a brace");
            return 1;
        };
        let inside = rest.get(..end).unwrap_or("");
        let (name, format) = inside.split_once(':').map_or((inside, None), |(name, said)| (name, Some(said)));
        let word = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if !word || name == "_" {
            let message = format!(
                "`{{{inside}}}` is not a placeholder: put a variable or a parameter between the braces"
            );
            let help = "bind an expression to a variable first (`X = …`); for braces in the text write `{{` and `}}`";
            self.fault(&message, at, end + 2, help);
            return end + 2;
        }
        match format.map_or(Ok(Format::Plain), read) {
            Ok(format) => {
                self.end_text();
                let place = part(self.text, at + 1, end, self.span, self.sources);
                self.pieces.push(Piece::Hole(Symbol::new(name), format, place));
            }
            Err(help) => {
                let message = match format.unwrap_or("") {
                    "" => String::from("a placeholder without a format after its `:`"),
                    said => format!("unknown format `{said}` in a placeholder"),
                };
                self.fault(&message, at, end + 2, &help.replace("NAME", name));
            }
        }
        end + 2
    }

    fn fault(&mut self, message: &str, at: usize, len: usize, help: &str) {
        let place = part(self.text, at, len, self.span, self.sources);
        self.faults.push(error(codes::FAULTY_PLACEHOLDER, message, place).help(help));
    }
}

/// The format after a colon; else what to write, with `NAME` for what is shown.
fn read(said: &str) -> Result<Format, String> {
    if let Some(digits) = said.strip_prefix('.') {
        let count = digits.parse::<u8>().ok().filter(|count| i64::from(*count) <= MOST_DIGITS);
        let help = || format!("write how many digits, 0 to {MOST_DIGITS}: `{{NAME:.2}}`");
        return count
            .filter(|_| digits.bytes().all(|b| b.is_ascii_digit()))
            .map(Format::Digits)
            .ok_or_else(help);
    }
    let words: Vec<&str> = said.split(' ').filter(|word| !word.is_empty()).collect();
    match words.as_slice() {
        ["date"] => Ok(Format::Date),
        ["time"] => Ok(Format::Time),
        ["human"] => Ok(Format::Human),
        ["plural", one, many] => Ok(Format::Plural(Symbol::new(one), Symbol::new(many))),
        ["plural", ..] => {
            Err(String::from("write the word for one and that for many: `{NAME:plural run runs}`"))
        }
        [digits] if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => {
            Err(format!("digits follow a point: `{{NAME:.{digits}}}`"))
        }
        _ => Err(unknown(words.first().copied().unwrap_or(""))),
    }
}

fn unknown(word: &str) -> String {
    match nearest(word, ["date", "time", "human"]) {
        Some(near) => format!("did you mean `{{NAME:{near}}}`?"),
        None => String::from(
            "the formats are `:.2` of a float, `:date` and `:time` of a time, `:human` of a duration and \
             `:plural run runs` of an int",
        ),
    }
}

/// The place of the bytes from `at` of a literal's text, as near as it is known where escapes were resolved.
fn part(text: &str, at: usize, len: usize, span: Span, sources: &Sources) -> Span {
    match sources.slice(span).find(text) {
        Some(offset) if !text.is_empty() => {
            let start = span.start + (offset + at) as u32;
            Span::new(span.file, start, start + len as u32)
        }
        _ => span,
    }
}

/// Whether a placeholder names a variable.
pub(super) fn is_variable(name: Symbol) -> bool {
    name.as_str().starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
}
