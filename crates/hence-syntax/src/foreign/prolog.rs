//! What Prolog, Nemo and SQL have inside a rule: cuts, lists, variables with `?`, words in upper case.

use super::scan::{Kind, Piece, closing, split};
use super::select::is_condition_word;
use super::variable::variable_form;

/// `?x` of Nemo.
pub(super) fn question_marks(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let mut out: Vec<Piece> = Vec::with_capacity(pieces.len());
    let mut found = false;
    for piece in pieces {
        let named = matches!(piece.kind, Kind::Word | Kind::Upper);
        // A choice of values has a value before it.
        let alone = matches!(out.as_slice(), [.., before, mark] if mark.is("?") && before.kind == Kind::Mark);
        if named && alone && !matches!(out.as_slice(), [.., before, _] if before.is(")")) {
            out.pop();
            out.push(Piece::new(Kind::Upper, variable_form(&piece.text)));
            found = true;
        } else {
            out.push(piece.clone());
        }
    }
    found.then_some(out)
}

/// `!` alone, the cut.
pub(super) fn cuts(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let ends = |piece: &Piece| piece.is(",") || piece.is(".") || piece.is(";");
    let mut out: Vec<Piece> = Vec::with_capacity(pieces.len());
    let (mut found, mut skips_comma) = (false, false);
    for (at, piece) in pieces.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| pieces.get(at));
        let begins = before.is_some_and(|before| before.is(",") || before.is(":-"));
        if piece.is("!") && begins && pieces.get(at + 1).is_none_or(ends) {
            found = true;
            // The comma before it goes, or the one after it where it stands first.
            skips_comma = out.pop_if(|last| last.is(",")).is_none();
        } else if !(std::mem::take(&mut skips_comma) && piece.is(",")) {
            out.push(piece.clone());
        }
    }
    found.then_some(out)
}

/// `member(X, [1, 2])` and `X in {1, 2}`.
pub(super) fn members(pieces: &[Piece]) -> Option<Vec<Piece>> {
    member(pieces).or_else(|| braces(pieces))
}

fn member(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let at = pieces.windows(2).position(|pair| {
        matches!(pair, [name, open] if (name.is_word("member") || name.is_word("memberchk")) && open.is("("))
    })?;
    let close = closing(pieces, at + 1)?;
    let [element, list] = split(pieces.get(at + 2..close)?, ",").try_into().ok()?;
    if !list.first()?.is("[") || list.iter().any(|piece| piece.is("|")) {
        return None;
    }
    let quoted = |piece: &Piece| match piece.kind {
        Kind::Word if !["true", "false"].contains(&piece.text.as_str()) => {
            Piece::new(Kind::Value, format!("\"{}\"", piece.text))
        }
        _ => piece.clone(),
    };
    let list: Vec<Piece> = list.iter().map(quoted).collect();
    let literal = [element, &[Piece::new(Kind::Word, "in")], &list].concat();
    Some([pieces.get(..at)?, &literal, pieces.get(close + 1..)?].concat())
}

fn braces(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let at = pieces
        .windows(2)
        .position(|pair| matches!(pair, [word, open] if word.is_word("in") && open.is("{")))?;
    let close = closing(pieces, at + 1)?;
    let mut out = pieces.to_vec();
    *out.get_mut(at + 1)? = Piece::mark("[");
    *out.get_mut(close)? = Piece::mark("]");
    Some(out)
}

/// `[H|T]`: a list is taken apart by joining the relation that has its elements.
pub(super) fn lists(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let open = pieces.iter().enumerate().position(|(at, piece)| {
        piece.is("[")
            && closing(pieces, at).is_some_and(|close| {
                // A comprehension of Rego has more after the bar.
                matches!(pieces.get(at..close), Some([.., bar, _]) if bar.is("|"))
            })
    })?;
    let close = closing(pieces, open)?;
    let inside = pieces.get(open + 1..close)?;
    let elements = split(inside, "|").first().copied()?;
    let out = [pieces.get(..open)?, elements, pieces.get(close + 1..)?].concat();
    Some(lists(&out).unwrap_or(out))
}

/// `AND`, `WHERE`, `when`, `NOT` and `OR` of SQL between literals.
pub(super) fn sql_words(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let mut depth = 0i32;
    let mut found = false;
    let mut out: Vec<Piece> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        depth += i32::from(piece.is("(")) - i32::from(piece.is(")"));
        // A word is none of SQL's where a term or literal is expected: then it is a variable.
        let after = out.last().is_some_and(|last| last.kind != Kind::Mark || last.is(")"));
        let word = match (piece.kind, piece.text.as_str()) {
            (Kind::Upper, "AND") if after && depth == 0 => Piece::mark(","),
            (Kind::Upper | Kind::Word, _) if after && depth == 0 && is_condition_word(piece) => {
                Piece::mark(",")
            }
            (Kind::Upper, "AND") if after => Piece::new(Kind::Word, "and"),
            (Kind::Upper, "OR") if after && depth > 0 => Piece::new(Kind::Word, "or"),
            _ => {
                out.push(piece.clone());
                continue;
            }
        };
        found = true;
        out.push(word);
    }
    found.then_some(out)
}
