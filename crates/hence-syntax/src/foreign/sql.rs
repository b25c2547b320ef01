//! What SQL has inside a rule: ranges, lists and queries after `IN`, nulls.

use super::python::without;
use super::scan::{Kind, Piece, closing, split};

fn is(piece: Option<&Piece>, word: &str) -> bool {
    piece.is_some_and(|piece| piece.is_keyword(word))
}

/// `X BETWEEN 1 AND 5`.
pub(super) fn between(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let at = (1..pieces.len()).find(|at| is(pieces.get(*at), "between"))?;
    let [value] = pieces.get(at - 1..at)? else { return None };
    let [low, and, high] = pieces.get(at + 1..at + 4)? else { return None };
    if value.kind != Kind::Upper || !is(Some(and), "and") {
        return None;
    }
    let both = [
        value.clone(),
        Piece::mark(">="),
        low.clone(),
        Piece::mark(","),
        value.clone(),
        Piece::mark("<="),
        high.clone(),
    ];
    Some([pieces.get(..at - 1)?, &both, pieces.get(at + 4..)?].concat())
}

/// `X IN (1, 2)`, `X NOT IN (…)` and `X IN (SELECT a FROM t)`.
pub(super) fn within(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let at = (1..pieces.len())
        .find(|at| is(pieces.get(*at), "in") && pieces.get(at + 1).is_some_and(|open| open.is("(")))?;
    let negated = is(pieces.get(at - 1), "not");
    let start = at.checked_sub(1 + usize::from(negated))?;
    let value = pieces.get(start).filter(|value| value.kind == Kind::Upper)?.clone();
    let close = closing(pieces, at + 1)?;
    let inner = pieces.get(at + 2..close)?;
    let literal = match inner {
        [select, column, from, table] if is(Some(select), "select") && is(Some(from), "from") => {
            let bang = negated.then(|| Piece::mark("!"));
            let atom =
                [table.clone(), Piece::mark("("), column.clone(), Piece::mark(":"), value, Piece::mark(")")];
            bang.into_iter().chain(atom).collect()
        }
        _ if split(inner, ",").iter().all(|one| matches!(one, [one] if one.kind == Kind::Value)) => {
            let list = [&[value, Piece::new(Kind::Word, "in"), Piece::mark("[")], inner, &[Piece::mark("]")]]
                .concat();
            match negated {
                true => [&[Piece::mark("!"), Piece::mark("(")], &list[..], &[Piece::mark(")")]].concat(),
                false => list,
            }
        }
        _ => return None,
    };
    Some([pieces.get(..start)?, &literal, pieces.get(close + 1..)?].concat())
}

/// What is said of `S IS NULL`.
pub(super) const ABSENT: &str = "a fact has a value in every column: what may be missing is a fact of its own, or has a \
                                 default that stands for nothing";

/// `S IS NOT NULL` and `S != null`.
pub(super) fn present(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let (start, end, there) = null(pieces)?;
    there.then(|| without(pieces, start, end))?
}

/// `S IS NULL`, `S = null` and `S == None`: nothing is there of a relation of its own.
pub(super) fn absent(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let (start, end, there) = null(pieces)?;
    let value = pieces.get(start).filter(|_| !there)?;
    let mut negated = vec![Piece::mark("!"), Piece::new(Kind::Word, relation_of(value)), Piece::mark("(")];
    negated.extend(owner(pieces, value).cloned().into_iter().flat_map(|first| [first, Piece::mark(",")]));
    negated.extend([Piece::new(Kind::Upper, "_"), Piece::mark(")")]);
    let (before, after) = (pieces.get(..start)?, pieces.get(end..)?);
    let is_once = before.iter().chain(after).filter(|piece| *piece == value).count() == 1;
    let unbound = |piece: &Piece| match is_once && piece == value {
        true => Piece::new(Kind::Upper, "_"),
        false => piece.clone(),
    };
    Some(before.iter().map(unbound).chain(negated).chain(after.iter().map(unbound)).collect())
}

/// What to declare for [`absent`], or to write without another relation.
pub(super) fn undeclared(pieces: &[Piece]) -> Option<String> {
    let (start, _, there) = null(pieces)?;
    let value = pieces.get(start).filter(|_| !there)?;
    let (relation, variable) = (relation_of(value), &value.text);
    let column = variable.to_lowercase();
    let whose =
        owner(pieces, value).map_or(String::new(), |first| format!("{}: …, ", first.text.to_lowercase()));
    Some(format!(
        "declare `input {relation}({whose}{column}: …).`, or keep the column with a default, such as \
         `{column}: string = \"\"`, and test `{variable} = \"\"`"
    ))
}

/// A relation for what may be missing.
fn relation_of(value: &Piece) -> String {
    format!("{}_of", value.text.to_lowercase())
}

/// What a value may be missing of.
fn owner<'a>(pieces: &'a [Piece], value: &Piece) -> Option<&'a Piece> {
    pieces.iter().find(|piece| piece.kind == Kind::Upper && piece.text != value.text && !is_null(piece))
}

fn is_null(piece: &Piece) -> bool {
    ["NULL", "null", "None", "nil"].contains(&piece.text.as_str()) && piece.kind != Kind::Value
}

/// Where a comparison with `null` begins and ends, and whether it asks for a value that is there.
fn null(pieces: &[Piece]) -> Option<(usize, usize, bool)> {
    let at = (2..pieces.len()).find(|at| pieces.get(*at).is_some_and(is_null))?;
    let negated = is(pieces.get(at - 1), "not") && is(pieces.get(at - 2), "is");
    let start = at.checked_sub(2 + usize::from(negated))?;
    let operator = pieces.get(start + 1)?;
    let there = negated || operator.is("!=") || operator.is("<>");
    let known = ["=", "==", "!=", "<>", "==="].iter().any(|mark| operator.is(mark));
    let value = pieces.get(start).filter(|value| value.kind == Kind::Upper);
    (value.is_some() && (known || is(Some(operator), "is"))).then_some((start, at + 1, there))
}
