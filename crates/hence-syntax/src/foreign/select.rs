//! What SQL and Rego put into heads and around bodies: `DISTINCT`, `AS`, `LIMIT` alone, a head with a value.

use super::scan::{Kind, Piece};

/// `h(DISTINCT X)` and `count(distinct X)`.
pub(super) fn distinct(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let at = pieces.windows(3).position(|three| {
        matches!(three, [before, word, term] if (before.is("(") || before.is(","))
            && word.is_keyword("distinct") && matches!(term.kind, Kind::Upper | Kind::Word))
    })?;
    let out = [pieces.get(..=at)?, pieces.get(at + 2..)?].concat();
    Some(distinct(&out).unwrap_or(out))
}

/// `h(X AS name) :- …`.
pub(super) fn alias(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let turnstile = pieces.iter().position(|piece| piece.is(":-"))?;
    let at = pieces.get(..turnstile)?.windows(4).position(|four| {
        matches!(four, [term, word, name, after] if term.kind == Kind::Upper && word.is_keyword("as")
            && name.kind != Kind::Mark && (after.is(",") || after.is(")")))
    })?;
    let out = [pieces.get(..=at)?, pieces.get(at + 3..)?].concat();
    Some(alias(&out).unwrap_or(out))
}

/// `LIMIT 3` without what it is by: the first variable of the head.
pub(super) fn kept(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let turnstile = pieces.iter().position(|piece| piece.is(":-"))?;
    let at = pieces.iter().position(|piece| piece.text == "LIMIT").filter(|at| *at > turnstile)?;
    let rest = pieces.get(at + 1..)?;
    let [count, end] = rest else { return None };
    let key = pieces.get(..turnstile)?.iter().find(|piece| piece.kind == Kind::Upper)?;
    let body = pieces.get(..at)?;
    let body = body.strip_suffix(&[Piece::mark(",")]).unwrap_or(body);
    let word = |text: &str| Piece::new(Kind::Word, text);
    let limit = [word("limit"), count.clone(), word("by"), key.clone(), end.clone()];
    (count.kind == Kind::Value && end.is(".")).then(|| [body, &limit].concat())
}

/// `allow := true` and `allow = true.`
pub(super) fn fact(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let pieces = pieces.strip_suffix(&[Piece::mark(".")]).unwrap_or(pieces);
    let [name, equal, truth] = pieces else { return None };
    let holds = [":=", "=", "=="].iter().any(|mark| equal.is(mark)) && truth.is_word("true");
    let parentheses = [Piece::mark("("), Piece::mark(")"), Piece::mark(".")];
    (holds && name.kind == Kind::Word).then(|| [std::slice::from_ref(name), &parentheses[..]].concat())
}

/// The literals of a body that `WHERE` or `when` follows are literals too.
pub(super) fn is_condition_word(piece: &Piece) -> bool {
    ["WHERE", "where", "when", "WHEN"].contains(&piece.text.as_str())
}
