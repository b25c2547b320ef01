//! Values and tests that other languages write in another order: conditional values, truths, comprehensions, indices.

use super::python::{TESTS, split_word};
use super::scan::{Kind, Piece, closing};

/// `a if c else b` of Python.
pub(super) fn chosen(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let turnstile = pieces.iter().position(|piece| piece.is(":-"))?;
    let otherwise = turnstile + pieces.get(turnstile..)?.iter().position(|piece| piece.is_word("else"))?;
    let condition = pieces.get(..otherwise)?.iter().rposition(|piece| piece.is_word("if"))?;
    if pieces
        .get(condition.checked_sub(1)?)
        .is_some_and(|before| before.kind == Kind::Mark && !before.is(")"))
    {
        return None;
    }
    let (start, end) = around(pieces, condition, otherwise)?;
    choice(pieces, start, end, [(condition + 1, otherwise), (start, condition), (otherwise + 1, end)])
}

/// Where the literal's side begins that has `first`, and where it ends that has `last`.
pub(super) fn around(pieces: &[Piece], first: usize, last: usize) -> Option<(usize, usize)> {
    let ends = |piece: &Piece| piece.is(",") || piece.is("=") || piece.is("==") || piece.is(":-");
    let mut depth = 0i32;
    let before = pieces.get(..first)?.iter().rposition(|piece| {
        depth += i32::from(piece.is(")")) - i32::from(piece.is("("));
        depth < 0 || depth == 0 && ends(piece)
    });
    let mut depth = 0i32;
    let after = pieces.get(last..)?.iter().position(|piece| {
        depth += i32::from(piece.is("(")) - i32::from(piece.is(")"));
        depth < 0 || depth == 0 && (ends(piece) || piece.is("."))
    })?;
    Some((before.map_or(0, |at| at + 1), last + after))
}

/// `if(…, …, …)` of three parts, in the place of what is between `start` and `end`.
pub(super) fn choice(
    pieces: &[Piece],
    start: usize,
    end: usize,
    parts: [(usize, usize); 3],
) -> Option<Vec<Piece>> {
    let mut out = pieces.get(..start)?.to_vec();
    out.extend([Piece::new(Kind::Word, "if"), Piece::mark("(")]);
    for (at, (from, to)) in parts.into_iter().enumerate() {
        if at > 0 {
            out.push(Piece::mark(","));
        }
        out.extend_from_slice(pieces.get(from..to)?);
    }
    out.push(Piece::mark(")"));
    out.extend_from_slice(pieces.get(end..)?);
    Some(out)
}

/// `not p(X) == true` and `p(X) == false`.
pub(super) fn truths(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let at = pieces.windows(3).position(|three| {
        matches!(three, [close, equal, truth] if close.is(")") && (equal.is("=") || equal.is("=="))
            && (truth.is_word("true") || truth.is_word("false")))
    })?;
    let before = pieces.get(..=at)?;
    let open = (0..at).rev().find(|open| {
        pieces.get(*open).is_some_and(|piece| piece.is("(")) && closing(pieces, *open) == Some(at)
    })?;
    let name = open.checked_sub(1)?;
    let called = pieces.get(name)?;
    if called.kind != Kind::Word || TESTS.contains(&called.text.as_str()) || called.is_word("if") {
        return None;
    }
    let not = |piece: &Piece| piece.is_word("not") || piece.is("!");
    let negated = name.checked_sub(1).filter(|at| pieces.get(*at).is_some_and(not));
    let begins = pieces.get(negated.unwrap_or(name).checked_sub(1)?)?;
    if !(begins.is(",") || begins.is(":-") || begins.is("{")) {
        return None;
    }
    let holds = pieces.get(at + 2)?.is_word("true") == negated.is_none();
    let bang = (!holds).then(|| Piece::mark("!"));
    let mut out = pieces.get(..negated.unwrap_or(name))?.to_vec();
    out.extend(bang);
    out.extend_from_slice(before.get(name..)?);
    out.extend_from_slice(pieces.get(at + 3..)?);
    Some(truths(&out).unwrap_or(out))
}

/// `sum([K for p(K)])`, with `if` or without.
pub(super) fn generated(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let at = pieces.windows(3).position(|three| {
        matches!(three, [name, open, list] if is_aggregate(name) && open.is("(") && (list.is("[") || list.is("{")))
    })?;
    let close = closing(pieces, at + 1)?;
    let inner = pieces.get(at + 3..closing(pieces, at + 2)?)?;
    let [term, body] = split_word(inner, "for").try_into().ok()?;
    let comma = |piece: &Piece| match piece.is_word("if") {
        true => Piece::mark(","),
        false => piece.clone(),
    };
    let term: Vec<Piece> = match pieces.get(at)?.is_word("count") {
        true => Vec::new(),
        false => [&[Piece::mark("(")], term, &[Piece::mark(")")]].concat(),
    };
    let body: Vec<Piece> = body.iter().map(comma).collect();
    let braces = [&[Piece::mark("{")], &body[..], &[Piece::mark("}")]].concat();
    Some([pieces.get(..=at)?, &term, &braces, pieces.get(close + 1..)?].concat())
}

/// `float(count { … }) / 10.0`: the aggregate has a variable first.
pub(super) fn enclosed(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let turnstile = pieces.iter().position(|piece| piece.is(":-"))?;
    let at = (turnstile..pieces.len()).find(|at| {
        pieces.get(*at).is_some_and(is_aggregate)
            && at.checked_sub(1).and_then(|at| pieces.get(at)).is_some_and(|before| before.is("("))
    })?;
    let brace = match pieces.get(at + 1)?.is("(") {
        true => closing(pieces, at + 1)? + 1,
        false => at + 1,
    };
    if !pieces.get(brace)?.is("{") {
        return None;
    }
    let end = closing(pieces, brace)? + 1;
    let start = literal_start(pieces, turnstile + 1, at);
    let free = |name: &&str| !pieces.iter().any(|piece| piece.text == **name);
    let name = Piece::new(Kind::Upper, ["N", "Total", "Value"].into_iter().find(free)?);
    let bound = [&[name.clone(), Piece::mark("=")], pieces.get(at..end)?, &[Piece::mark(",")]].concat();
    Some([pieces.get(..start)?, &bound, pieces.get(start..at)?, &[name], pieces.get(end..)?].concat())
}

/// `K[0]`.
pub(super) fn indexed(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let at = pieces.windows(4).position(|four| {
        matches!(four, [value, open, index, close] if value.kind == Kind::Upper && open.is("[")
            && index.text.bytes().all(|byte| byte.is_ascii_digit()) && close.is("]"))
    })?;
    let [value, _, index, _] = pieces.get(at..at + 4)? else { return None };
    let call = Piece::new(Kind::Value, format!("substring({}, {}, 1)", value.text, index.text));
    let out = [pieces.get(..at)?, &[call], pieces.get(at + 4..)?].concat();
    Some(indexed(&out).unwrap_or(out))
}

/// `some R, p(R)`: a variable needs no declaration.
pub(super) fn declared(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let named = |piece: &Piece| matches!(piece.kind, Kind::Upper | Kind::Word);
    let at = pieces.windows(3).position(
        |three| matches!(three, [some, name, comma] if some.is_word("some") && named(name) && comma.is(",")),
    )?;
    pieces.iter().position(|piece| piece.is(":-")).filter(|turnstile| *turnstile < at)?;
    let declared = pieces
        .get(at + 1..)?
        .chunks_exact(2)
        .take_while(|pair| matches!(pair, [name, comma] if named(name) && comma.is(",")));
    let end = at + 1 + 2 * declared.count();
    Some([pieces.get(..at)?, pieces.get(end..)?].concat())
}

fn is_aggregate(piece: &Piece) -> bool {
    ["count", "sum", "min", "max", "mean"].iter().any(|name| piece.is_word(name))
}

/// Where the literal begins that has the piece `at`, of a body that begins at `body`.
fn literal_start(pieces: &[Piece], body: usize, at: usize) -> usize {
    let mut depth = 0i32;
    let mut start = body;
    for (place, piece) in pieces.iter().enumerate().take(at).skip(body) {
        depth += i32::from(["(", "{", "["].iter().any(|mark| piece.is(mark)));
        depth -= i32::from([")", "}", "]"].iter().any(|mark| piece.is(mark)));
        if depth == 0 && piece.is(",") {
            start = place + 1;
        }
    }
    start
}
