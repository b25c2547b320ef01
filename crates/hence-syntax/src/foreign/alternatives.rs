//! Alternatives and several heads in one clause: each is a rule of its own.

use super::clause::alternatives;
use super::habit::{parts, rule};
use super::python::{TESTS, split_word};
use super::scan::{Kind, Piece, closing, split};

/// `h :- a or b.` of nothing but atoms: beside other literals, nobody knows how far an `or` reaches.
pub(super) fn either(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let (head, body) = parts(pieces)?;
    let mut depth = 0i32;
    let semicolons: Vec<Piece> = body
        .iter()
        .map(|piece| {
            depth += i32::from(piece.is("(")) - i32::from(piece.is(")"));
            let or = piece.is_word("or") || piece.is("||") || piece.is_keyword("union");
            if depth == 0 && or { Piece::mark(";") } else { piece.clone() }
        })
        .collect();
    let atoms = split(&semicolons, ";");
    let alone = atoms.len() > 1 && atoms.iter().all(|part| is_atom(part)) && semicolons != body;
    alone.then(|| alternatives(rule(head, &semicolons)))
}

/// `h :- a, b(X) or X > 3.`: atoms and conditions that `or` joins within one literal.
pub(super) fn either_literal(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let (head, body) = parts(pieces)?;
    let literals = split(body, ",");
    let (at, alternatives) = literals.iter().enumerate().find_map(|(at, literal)| {
        let parts = split_word(literal, "or");
        (parts.len() > 1 && parts.iter().all(|part| !part.is_empty())).then_some((at, parts))
    })?;
    if !alternatives.iter().any(|part| is_atom(part)) {
        return None;
    }
    let rules = alternatives.iter().map(|part| {
        let others = |(other, literal): (usize, &&[Piece])| (other != at).then(|| literal.to_vec());
        let mut kept: Vec<Vec<Piece>> = literals.iter().enumerate().filter_map(others).collect();
        kept.insert(at, part.to_vec());
        if !kept.iter().any(|literal| is_atom(literal) || literal.iter().any(|piece| piece.is("="))) {
            let values = part.iter().find(|piece| piece.kind == Kind::Upper)?.clone();
            kept.insert(
                0,
                [Piece::new(Kind::Word, STAND_IN), Piece::mark("("), values, Piece::mark(")")].to_vec(),
            );
        }
        Some(rule(head, &kept.join(&Piece::mark(","))))
    });
    Some(rules.collect::<Option<Vec<_>>>()?.concat())
}

/// The relation of what a rule says nothing about where it is from.
pub(super) const STAND_IN: &str = "values";

/// What to declare for [`STAND_IN`], or to write in its place.
pub(super) fn stand_in(pieces: &[Piece]) -> Option<String> {
    let at = pieces.iter().position(|piece| piece.is_word(STAND_IN))?;
    let variable = pieces.get(at + 2).filter(|variable| variable.kind == Kind::Upper)?;
    let compared = |three: &[Piece]| match three {
        [left, sign, right] if sign.kind == Kind::Mark && left == variable => type_of(right),
        _ => None,
    };
    let ty = pieces.windows(3).find_map(compared).unwrap_or("string");
    let column = variable.text.to_lowercase();
    Some(format!(
        "name the relation that binds `{0}` in the place of `{STAND_IN}`, or declare it: \
         `input {STAND_IN}({column}: {ty}).`",
        variable.text
    ))
}

/// The type of a literal.
fn type_of(piece: &Piece) -> Option<&'static str> {
    let value = crate::parse_value(&piece.text).filter(|_| piece.kind == Kind::Value)?;
    Some(value.ty().keyword())
}

/// Whether a literal is `name(…)` and no test by a function.
fn is_atom(literal: &[Piece]) -> bool {
    literal.first().is_some_and(|first| first.kind == Kind::Word && !TESTS.contains(&first.text.as_str()))
        && closing(literal, 1) == literal.len().checked_sub(1)
}

/// `h1, h2 :- b.`, `h1 and h2 :- b.` and `h1; h2 :- b.`
pub(super) fn heads(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let (head, body) = parts(pieces)?;
    let (_, head) = head.split_last()?;
    let separated = |piece: &Piece| match piece.is_word("and") || piece.is(";") {
        true => Piece::mark(","),
        false => piece.clone(),
    };
    let head: Vec<Piece> = head.iter().map(separated).collect();
    let heads = split(&head, ",");
    let several = heads.len() > 1 && heads.iter().all(|head| is_atom(head));
    several.then(|| heads.into_iter().flat_map(|head| rule(head, body)).collect())
}

/// `A = 1 | A = 2`.
pub(super) fn piped(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let (head, body) = parts(pieces)?;
    let literals = split(body, "|");
    let or = Piece::new(Kind::Word, "or");
    (literals.len() > 1).then(|| rule(head, &literals.join(&or)))
}
