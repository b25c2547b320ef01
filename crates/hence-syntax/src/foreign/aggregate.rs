//! Aggregates in a body, as Mangle and Soufflé have them.

use super::scan::{Piece, split};

/// `h(X, N) :- b |> do fn:group_by(X), let N = fn:count().` as `h(X, count()) :- b.`
pub(super) fn mangle(pieces: Vec<Piece>) -> Vec<Piece> {
    let Some(pipe) = pieces.iter().position(|piece| piece.is("|>")) else { return pieces };
    let (rule, transform) = pieces.split_at(pipe);
    let end = transform.iter().rposition(|piece| piece.is(".")).unwrap_or(transform.len());
    let grouped = transform.iter().any(|piece| piece.text == "fn:group_by");
    let mut rule = rule.to_vec();
    let statements = transform.get(1..end).unwrap_or_default();
    for statement in split(statements, "|>").into_iter().flat_map(|part| split(part, ",")) {
        let [word, variable, equal, value @ ..] = statement else { continue };
        if !(word.is_word("let") && equal.is("=")) {
            continue;
        }
        if grouped {
            let stands = substitute_in_head(&mut rule, variable, value);
            if let Some(close) = rule.iter().position(|piece| piece.is(":-")).filter(|_| !stands) {
                let column = std::iter::once(Piece::mark(",")).chain(value.iter().cloned());
                rule.splice(close - 1..close - 1, column);
            }
        } else {
            rule.push(Piece::mark(","));
            rule.extend_from_slice(statement.get(1..).unwrap_or_default());
        }
    }
    rule.push(Piece::mark("."));
    rule
}

/// Puts `value` in the place of `variable` in the head of `rule`; returns whether it was there.
fn substitute_in_head(rule: &mut Vec<Piece>, variable: &Piece, value: &[Piece]) -> bool {
    let end = rule.iter().position(|piece| piece.is(":-")).unwrap_or(rule.len());
    let Some(at) = rule.iter().take(end).position(|piece| piece == variable) else { return false };
    rule.splice(at..=at, value.iter().cloned());
    true
}

/// `n = sum e : { c(x, e) }` as `n = sum(e) { c(x, e) }`.
pub(super) fn souffle(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut out = Vec::with_capacity(pieces.len());
    let mut rest = pieces.as_slice();
    while let Some((piece, after)) = rest.split_first() {
        out.push(piece.clone());
        rest = after;
        let known = ["count", "sum", "min", "max", "mean"].iter().any(|name| piece.is_word(name));
        let Some(open) = after.iter().position(|piece| piece.is("{")).filter(|_| known) else { continue };
        let Some(args) = after.get(..open).and_then(|args| args.strip_suffix(&[Piece::mark(":")])) else {
            continue;
        };
        out.push(Piece::mark("("));
        out.extend_from_slice(args);
        out.push(Piece::mark(")"));
        rest = after.get(open..).unwrap_or_default();
    }
    out
}
