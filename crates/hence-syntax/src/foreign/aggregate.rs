//! Aggregates in a body, as Mangle and Soufflé have them, moved to the head.

use super::scan::{Kind, Piece, closing, split};

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
            substitute_in_head(&mut rule, variable, value);
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

/// `h(x, n) :- b(x), n = count : { c(x, _) }.` as `h(x, count()) :- b(x), c(x, _).`
pub(super) fn souffle(pieces: Vec<Piece>) -> Vec<Piece> {
    let Some(turnstile) = pieces.iter().position(|piece| piece.is(":-")) else { return pieces };
    if !pieces.iter().any(|piece| piece.is("{")) {
        return pieces;
    }
    let body = pieces.get(turnstile + 1..).unwrap_or_default();
    let end = body.iter().rposition(|piece| piece.is(".")).unwrap_or(body.len());
    let mut rule: Vec<Piece> = pieces.iter().take(turnstile + 1).cloned().collect();
    let mut literals: Vec<Vec<Piece>> = Vec::new();
    for literal in split(body.get(..end).unwrap_or(body), ",") {
        match aggregate(literal) {
            Some((variable, value, inner)) if substitute_in_head(&mut rule, variable, &value) => {
                literals.extend(split(inner, ",").into_iter().map(<[Piece]>::to_vec));
            }
            _ => literals.push(literal.to_vec()),
        }
    }
    let mut seen: Vec<Vec<Piece>> = Vec::new();
    for literal in literals {
        if !seen.contains(&literal) {
            seen.push(literal);
        }
    }
    rule.extend(seen.join(&Piece::mark(",")));
    rule.push(Piece::mark("."));
    rule
}

/// The variable, the call and the inner body of `n = sum e : { … }`.
fn aggregate(literal: &[Piece]) -> Option<(&Piece, Vec<Piece>, &[Piece])> {
    let [variable, equal, function, rest @ ..] = literal else { return None };
    let known = ["count", "sum", "min", "max", "mean"].iter().any(|name| function.is_word(name));
    let open = rest.iter().position(|piece| piece.is("{"))?;
    let close = closing(rest, open)?;
    let before = rest.get(..open)?;
    let value = before.strip_suffix(&[Piece::mark(":")]).unwrap_or(before);
    if !(known && equal.is("=") && close + 1 == rest.len()) {
        return None;
    }
    let mut call = vec![Piece::new(Kind::Word, function.text.clone()), Piece::mark("(")];
    call.extend_from_slice(value);
    call.push(Piece::mark(")"));
    Some((variable, call, rest.get(open + 1..close)?))
}
