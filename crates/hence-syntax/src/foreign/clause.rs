//! Operators of other languages, alternatives and rules between braces, rewritten piece by piece.

use super::scan::{Kind, Piece, closing, split};

/// Replaces operators and the end of a clause by ours.
pub(super) fn marks(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut out: Vec<Piece> = Vec::with_capacity(pieces.len());
    let mut depth = 0usize;
    let last = pieces.iter().rposition(|piece| piece.kind != Kind::Comment);
    for (at, piece) in pieces.iter().enumerate() {
        let next = pieces.get(at + 1);
        if piece.is("(") {
            depth += 1;
        } else if piece.is(")") {
            depth = depth.saturating_sub(1);
        }
        match mark(piece, out.last(), next, depth, last == Some(at)) {
            Rewrite::Keep => out.push(piece.clone()),
            Rewrite::Drop => {}
            Rewrite::To(text) => out.push(Piece::mark(text)),
            Rewrite::Word(text) => out.push(Piece::new(Kind::Word, text)),
        }
    }
    powers(out)
}

/// What becomes of a piece.
enum Rewrite {
    Keep,
    Drop,
    To(&'static str),
    Word(&'static str),
}

fn mark(piece: &Piece, before: Option<&Piece>, next: Option<&Piece>, depth: usize, last: bool) -> Rewrite {
    let callee = next.is_some_and(|next| matches!(next.kind, Kind::Word | Kind::Upper) || next.is("("));
    let after_head = before.is_some_and(|before| before.is(")"));
    match (piece.kind, piece.text.as_str()) {
        (Kind::Mark, "<-" | "->") => Rewrite::To(":-"),
        (Kind::Mark, ":=") if after_head => Rewrite::To(":-"),
        (Kind::Mark, ":=" | "==" | "===" | "=:=" | "<=>") => Rewrite::To("="),
        (Kind::Mark, "=<") => Rewrite::To("<="),
        (Kind::Mark, "=>") => Rewrite::To(">="),
        (Kind::Mark, "<>" | "\\=" | "\\==" | "=\\=" | "!==") => Rewrite::To("!="),
        (Kind::Mark, "&&" | "&") if depth == 0 => Rewrite::To(","),
        (Kind::Mark, "&&" | "&") => Rewrite::Word("and"),
        (Kind::Mark, "||") if depth == 0 => Rewrite::To(";"),
        (Kind::Mark, "||") => Rewrite::Word("or"),
        (Kind::Word, "if") if after_head && depth == 0 => Rewrite::To(":-"),
        (Kind::Mark, "//") => Rewrite::To("/"),
        (Kind::Mark, "\\+") => Rewrite::To("!"),
        (Kind::Mark, "~") if callee => Rewrite::To("!"),
        (Kind::Mark, ";") if last => Rewrite::To("."),
        (Kind::Word, "is") if before.is_some_and(|before| before.kind == Kind::Upper) => Rewrite::To("="),
        (Kind::Word, "mod") if before.is_some_and(|before| before.kind == Kind::Upper) => Rewrite::To("%"),
        (Kind::Word, "let" | "some" | "do") if callee && !next.is_some_and(|next| next.is("(")) => {
            Rewrite::Drop
        }
        _ => Rewrite::Keep,
    }
}

/// `A ^ 2` as `pow(A, 2)`.
fn powers(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut out: Vec<Piece> = Vec::with_capacity(pieces.len());
    let mut rest = pieces.into_iter().peekable();
    while let Some(piece) = rest.next() {
        let simple = |piece: &Piece| matches!(piece.kind, Kind::Upper | Kind::Value);
        let power = piece.is("^") || piece.is("**");
        if power && out.last().is_some_and(simple) && rest.peek().is_some_and(simple) {
            let base = out.pop();
            out.push(Piece::new(Kind::Word, "pow"));
            out.push(Piece::mark("("));
            out.extend(base);
            out.push(Piece::mark(","));
            out.extend(rest.next());
            out.push(Piece::mark(")"));
        } else {
            out.push(piece);
        }
    }
    out
}

/// `h :- a ; b.` as a rule for each alternative.
pub(super) fn alternatives(pieces: Vec<Piece>) -> Vec<Piece> {
    let Some(turnstile) = pieces.iter().position(|piece| piece.is(":-")) else { return pieces };
    let (head, body) = pieces.split_at(turnstile);
    let body = body.get(1..).unwrap_or_default();
    let end = body.iter().position(|piece| piece.is(".")).unwrap_or(body.len());
    let alternatives = split(body.get(..end).unwrap_or(body), ";");
    if alternatives.len() < 2 || alternatives.iter().any(|part| part.is_empty()) {
        return pieces;
    }
    let mut out = Vec::new();
    for alternative in alternatives {
        out.extend_from_slice(head);
        out.push(Piece::mark(":-"));
        out.extend_from_slice(alternative);
        out.push(Piece::mark("."));
    }
    out
}

/// `allow if { a; b }` and `allow { a; b }` as `allow() :- a, b.`
pub(super) fn rego(pieces: Vec<Piece>) -> Vec<Piece> {
    let Some(open) = pieces.iter().position(|piece| piece.is("{")) else { return pieces };
    let head: Vec<_> = pieces.iter().take(open).filter(|piece| !piece.is_word("if")).cloned().collect();
    let is_head = match head.as_slice() {
        [name] => name.kind == Kind::Word,
        [name, open, .., close] => name.kind == Kind::Word && open.is("(") && close.is(")"),
        _ => false,
    };
    let close = closing(&pieces, open);
    let (true, Some(close)) = (is_head && !pieces.iter().any(|piece| piece.is(":-")), close) else {
        return pieces;
    };
    let mut out = head;
    if out.len() == 1 {
        out.extend([Piece::mark("("), Piece::mark(")")]);
    }
    out.push(Piece::mark(":-"));
    let body = pieces.get(open + 1..close).unwrap_or_default();
    let parts: Vec<_> = split(body, ";").into_iter().filter(|part| !part.is_empty()).collect();
    for (at, part) in parts.iter().enumerate() {
        if at > 0 {
            out.push(Piece::mark(","));
        }
        out.extend_from_slice(part);
    }
    out.push(Piece::mark("."));
    out
}
