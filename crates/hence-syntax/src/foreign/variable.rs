//! Upper case and lower case the other way round, as crepe and Soufflé have relations and variables.

use super::super::lexer::{snake_case, upper_first};
use super::scan::{Kind, Piece, scan};

/// Words that stay as they are when variables are raised to upper case.
const KEPT: [&str; 12] =
    ["true", "false", "not", "and", "or", "in", "if", "limit", "per", "by", "desc", "as"];

/// The variable that a lower-case word was probably meant to be: `tool_id` is `ToolId`.
pub fn variable_form(word: &str) -> String {
    let hidden = if word.starts_with('_') { "_" } else { "" };
    word.split('_')
        .filter(|part| !part.is_empty())
        .fold(hidden.to_owned(), |out, part| out + &upper_first(part))
}

/// Whether a line writes its variables in lower case, as far as it has any.
pub(crate) fn has_lower_variables(line: &str) -> bool {
    writes_lower_variables(&scan(line))
}

pub(super) fn writes_lower_variables(pieces: &[Piece]) -> bool {
    let is_call = |at: usize| pieces.get(at + 1).is_some_and(|next| next.is("("));
    !pieces
        .iter()
        .enumerate()
        .any(|(at, piece)| piece.kind == Kind::Upper && piece.text != "_" && !is_call(at))
}

/// `Edge(x, y)` as `edge(X, Y)`, where relations are written in upper case.
pub(super) fn lower_relations(pieces: Vec<Piece>) -> Vec<Piece> {
    let is_call = |at: usize| pieces.get(at + 1).is_some_and(|next| next.is("("));
    if !pieces.iter().enumerate().any(|(at, piece)| piece.kind == Kind::Upper && is_call(at)) {
        return pieces;
    }
    let raises = writes_lower_variables(&pieces);
    let lowered = pieces.iter().enumerate().map(|(at, piece)| {
        if piece.kind == Kind::Upper && is_call(at) {
            Piece::new(Kind::Word, snake_case(&piece.text))
        } else {
            piece.clone()
        }
    });
    let lowered = lowered.collect();
    if raises { raise_variables(lowered) } else { lowered }
}

/// `p(x, y)` as `p(X, Y)`.
pub(super) fn raise_variables(pieces: Vec<Piece>) -> Vec<Piece> {
    let stays = |at: usize| pieces.get(at + 1).is_some_and(|next| next.is("(") || next.is(":"));
    let raised = pieces.iter().enumerate().map(|(at, piece)| {
        let word = piece.kind == Kind::Word || piece.kind == Kind::Upper && piece.text.len() > 1;
        if !word
            || stays(at)
            || KEPT.contains(&piece.text.as_str())
            || piece.text.contains('(')
            || piece.text.starts_with(|c: char| c.is_uppercase())
        {
            piece.clone()
        } else {
            Piece::new(Kind::Upper, variable_form(&piece.text))
        }
    });
    raised.collect()
}
