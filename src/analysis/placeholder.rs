//! Texts with placeholders, of `format` and `@because`: cut into pieces, each with its place in the source.

use crate::diagnostic::Diagnostic;
use crate::span::{Sources, Span};
use crate::symbol::Symbol;

use super::codes;
use super::values::error;

/// A piece of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Text as it is, `{{` and `}}` resolved.
    Text(Symbol),
    /// `{Name}` and where the name stands.
    Hole(Symbol, Span),
}

/// Cuts `text`, whose literal stands at `span`, into pieces.
///
/// # Errors
/// A brace without its partner, or something between braces that is no word.
pub(super) fn pieces(text: &str, span: Span, sources: &Sources) -> Result<Vec<Piece>, Diagnostic> {
    let mut pieces = Vec::new();
    let mut plain = String::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..)
        && let Some(first) = rest.chars().next()
    {
        let width = if rest.starts_with("{{") || rest.starts_with("}}") {
            plain.push(first);
            2
        } else if first == '{' {
            let name = hole(text, at, span, sources)?;
            if !plain.is_empty() {
                pieces.push(Piece::Text(Symbol::new(&std::mem::take(&mut plain))));
            }
            pieces.push(Piece::Hole(Symbol::new(name), part(text, at + 1, name.len(), span, sources)));
            name.len() + 2
        } else if first == '}' {
            let place = part(text, at, 1, span, sources);
            return Err(error(codes::FAULTY_PLACEHOLDER, "`}` without a `{` before it", place)
                .help("write `}}` for a brace"));
        } else {
            plain.push(first);
            first.len_utf8()
        };
        at += width;
    }
    if !plain.is_empty() {
        pieces.push(Piece::Text(Symbol::new(&plain)));
    }
    Ok(pieces)
}

/// The word between the brace at `at` and its partner.
fn hole<'t>(text: &'t str, at: usize, span: Span, sources: &Sources) -> Result<&'t str, Diagnostic> {
    let rest = text.get(at + 1..).unwrap_or("");
    let Some(end) = rest.find('}') else {
        let place = part(text, at, 1, span, sources);
        return Err(error(codes::FAULTY_PLACEHOLDER, "`{` without a `}` behind it", place)
            .help("write `{{` for a brace"));
    };
    let name = rest.get(..end).unwrap_or("");
    let word = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if word && name != "_" {
        return Ok(name);
    }
    let place = part(text, at, end + 2, span, sources);
    let message =
        format!("`{{{name}}}` is no placeholder: between the braces stands a variable or a parameter");
    Err(error(codes::FAULTY_PLACEHOLDER, message, place)
        .help("bind an expression to a variable first (`X = …`); for braces in the text write `{{` and `}}`"))
}

/// Where the bytes from `at` of a literal's text stand, as well as it can be told where escapes were resolved.
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
