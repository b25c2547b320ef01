//! Spellings inside a literal: aggregates with a mark or in brackets, time zones without quotes, time that passes in words,
//! documents of Rego.

use super::scan::{Kind, Piece, closing, split};
use super::variable::variable_form;

/// The aggregates that other languages write with `#`.
const HASHED: [&str; 4] = ["count", "sum", "min", "max"];

/// The areas of the time zone database.
const AREAS: [&str; 10] = [
    "Africa",
    "America",
    "Antarctica",
    "Arctic",
    "Asia",
    "Atlantic",
    "Australia",
    "Europe",
    "Indian",
    "Pacific",
];

/// How long `#count` is where `rest` begins with such an aggregate and its parenthesis or brace.
pub(super) fn hashed_aggregate(rest: &str) -> Option<usize> {
    let after = rest.strip_prefix('#')?;
    let name = HASHED.iter().find(|name| after.starts_with(**name))?;
    let open = after.get(name.len()..)?.trim_start();
    open.starts_with(['(', '{']).then_some(1 + name.len())
}

/// `#count(X)`, and `#count { X : p(X) }`.
pub(super) fn hashed(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let plain = |piece: &Piece| match piece.text.strip_prefix('#').filter(|_| piece.kind == Kind::Word) {
        Some(name) => Piece::new(Kind::Word, name),
        None => piece.clone(),
    };
    let out: Vec<Piece> = pieces.iter().map(plain).collect();
    (out != pieces).then_some(out)
}

fn is_aggregate(piece: &Piece) -> bool {
    ["count", "sum", "min", "max", "mean", "any", "all", "median", "stddev"]
        .iter()
        .any(|name| piece.is_word(name))
}

/// `N = count [ p(X) ]`.
pub(super) fn bracketed(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let at = pieces
        .windows(2)
        .position(|pair| matches!(pair, [name, open] if is_aggregate(name) && open.is("[")))?;
    let close = closing(pieces, at + 1)?;
    let mut out = pieces.to_vec();
    *out.get_mut(at + 1)? = Piece::mark("{");
    *out.get_mut(close)? = Piece::mark("}");
    Some(out)
}

/// `sum { X ; p(X) }`, and the same with `:` or `|`.
pub(super) fn comprehended(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let at = pieces
        .windows(2)
        .position(|pair| matches!(pair, [name, open] if is_aggregate(name) && open.is("{")))?;
    let close = closing(pieces, at + 1)?;
    let inside = pieces.get(at + 2..close)?;
    let parts = [";", ":", "|"].map(|mark| split(inside, mark)).into_iter().find(|parts| parts.len() == 2)?;
    let [term, body] = parts.try_into().ok()?;
    let is_term = |piece: &Piece| matches!(piece.kind, Kind::Upper | Kind::Value);
    if body.is_empty() {
        return None;
    }
    if !matches!(term, [one] if is_term(one)) {
        let atom = matches!(term, [name, open, ..] if name.kind == Kind::Word && open.is("("));
        let joined = [term, &[Piece::mark(",")], body].concat();
        let parts = [pieces.get(..at + 2)?, &joined, pieces.get(close..)?];
        return atom.then(|| parts.concat());
    }
    let call = [&[Piece::mark("(")], term, &[Piece::mark(")"), Piece::mark("{")], body].concat();
    Some([pieces.get(..=at)?, &call, pieces.get(close..)?].concat())
}

/// `hour(At, Europe/Berlin)`.
pub(super) fn zones(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let is_zone = |three: &[Piece]| {
        matches!(three, [area, slash, city] if area.kind == Kind::Upper && AREAS.contains(&area.text.as_str())
            && slash.is("/") && city.kind == Kind::Upper)
    };
    let at = pieces.windows(3).position(is_zone)?;
    let zone: String = pieces.get(at..at + 3)?.iter().map(|piece| piece.text.as_str()).collect();
    let quoted = [Piece::new(Kind::Value, format!("\"{zone}\""))];
    Some([pieces.get(..at)?, &quoted, pieces.get(at + 3..)?].concat())
}

/// `At after 5m` and `older than`: what a time and a duration have to do with the clock.
pub(super) fn passed(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let is_duration = |piece: &Piece| {
        let digits = piece.text.trim_start_matches(|c: char| c.is_ascii_digit());
        piece.kind == Kind::Value
            && digits.len() < piece.text.len()
            && ["ms", "s", "m", "h", "d", "w"].contains(&digits)
    };
    let at = pieces.windows(2).position(|pair| {
        matches!(pair, [word, lasts] if (word.is_word("after") || word.is_word("within")) && is_duration(lasts))
    })?;
    let before =
        at.checked_sub(1).and_then(|before| pieces.get(before)).filter(|piece| piece.kind == Kind::Upper);
    let since = before.map_or_else(|| Piece::new(Kind::Upper, "At"), Piece::clone);
    let start = if before.is_some() { at - 1 } else { at };
    let sign = if pieces.get(at)?.is_word("after") { ">=" } else { "<=" };
    let clock = |name: &str| Piece::new(Kind::Upper, name);
    let now =
        [Piece::new(Kind::Word, "now"), Piece::mark("("), clock("Now"), Piece::mark(")"), Piece::mark(",")];
    let elapsed = [clock("Now"), Piece::mark("-"), since, Piece::mark(sign)];
    Some([pieces.get(..start)?, &now, &elapsed, pieces.get(at + 1..)?].concat())
}

/// `input.user` and `data.roles`: a document that is there once; an atom reads one.
pub(super) fn documents(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let (mut out, mut columns): (Vec<Piece>, Vec<String>) = (Vec::new(), Vec::new());
    let mut rest = pieces;
    while let Some((first, after)) = rest.split_first() {
        let path = path(after).filter(|_| first.is_word("input") || first.is_word("data"));
        rest = after;
        let Some((name, len)) = path else {
            out.push(first.clone());
            continue;
        };
        out.push(Piece::new(Kind::Upper, variable_form(&name)));
        columns.extend((!columns.contains(&name)).then_some(name));
        rest = after.get(len..)?;
    }
    let terms =
        columns.iter().map(|name| format!("{name}: {}", variable_form(name))).collect::<Vec<_>>().join(", ");
    let at = out.iter().position(|piece| piece.is(":-")).filter(|_| !columns.is_empty())? + 1;
    let atom = [Piece::new(Kind::Word, format!("request({terms})")), Piece::mark(",")];
    out.splice(at..at, atom);
    Some(out)
}

/// The names of `.a.b`, joined, and how many pieces they take.
fn path(pieces: &[Piece]) -> Option<(String, usize)> {
    let steps = pieces
        .chunks_exact(2)
        .take_while(|pair| matches!(pair, [dot, name] if dot.is(".") && name.kind == Kind::Word));
    let names: Vec<&str> = steps.filter_map(|pair| pair.get(1)).map(|name| name.text.as_str()).collect();
    (!names.is_empty()).then(|| (names.join("_"), 2 * names.len()))
}
