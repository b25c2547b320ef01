//! What Python, Rego and other languages have inside a rule: methods, fields, quantifiers, conditions at the end.

use super::call::functions;
use super::scan::{Kind, Piece, closing, split};
use super::variable::{raise_variables, variable_form};

/// The pieces without those from `start` to before `end`, and without one comma beside them.
pub(super) fn without(pieces: &[Piece], start: usize, end: usize) -> Option<Vec<Piece>> {
    let comma = |at: usize| pieces.get(at).is_some_and(|piece| piece.is(",") || piece.is_word("and"));
    let (start, end) = match start.checked_sub(1).filter(|before| comma(*before)) {
        Some(before) => (before, end),
        None => (start, end + usize::from(comma(end))),
    };
    Some([pieces.get(..start)?, pieces.get(end..)?].concat())
}

/// `S.startswith("a")`.
pub(super) fn methods(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let is_value = |piece: &Piece| matches!(piece.kind, Kind::Upper | Kind::Value);
    let at = pieces.windows(4).position(|four| {
        matches!(four, [value, dot, name, open] if is_value(value) && dot.is(".") && name.kind == Kind::Word && open.is("("))
    })?;
    let close = closing(pieces, at + 3)?;
    let [value, _, name, open] = pieces.get(at..at + 4)? else { return None };
    let name = match name.text.as_str() {
        "startswith" | "startsWith" => "starts_with",
        "endswith" | "endsWith" => "ends_with",
        "toLowerCase" => "lower",
        "toUpperCase" => "upper",
        "strip" => "trim",
        "size" | "length" | "count" => "len",
        "includes" => "contains",
        other => other,
    };
    let mut call = vec![Piece::new(Kind::Word, name), open.clone(), value.clone()];
    let args = pieces.get(at + 4..close)?;
    call.extend((!args.is_empty()).then(|| Piece::mark(",")));
    call.extend_from_slice(args);
    let out = [pieces.get(..at)?, &call, pieces.get(close..)?].concat();
    Some(methods(&out).unwrap_or(out))
}

/// `X.owner`: an atom that reads the column.
pub(super) fn fields(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let at = pieces.windows(3).position(|three| {
        matches!(three, [value, dot, name] if value.kind == Kind::Upper && dot.is(".") && name.kind == Kind::Word)
    })?;
    let value = pieces.get(at)?;
    let turnstile = pieces.iter().position(|piece| piece.is(":-")).filter(|turnstile| *turnstile < at)?;
    let (body, columns) = read_fields(pieces.get(turnstile + 1..)?, value);
    let terms = format!("id: {}, {columns}", value.text);
    // The atom that binds the value is the one to read; where there is none, the variable names it.
    let bound = body.windows(4).position(|four| {
        matches!(four, [name, open, one, close] if name.kind == Kind::Word && open.is("(") && one == value && close.is(")")
            && !TESTS.contains(&name.text.as_str()))
    });
    let head = pieces.get(..=turnstile)?;
    let out = match bound {
        Some(at) => {
            let read = [Piece::new(Kind::Value, terms)];
            [head, body.get(..at + 2)?, &read, body.get(at + 3..)?].concat()
        }
        None => {
            let atom = format!("{}({terms})", value.text.to_lowercase());
            [head, &[Piece::new(Kind::Word, atom), Piece::mark(",")], &body].concat()
        }
    };
    Some(fields(&out).unwrap_or(out))
}

/// `@because f"{X}"` and `@because(f"{X}")`.
pub(super) fn sentences(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let because = pieces.iter().position(|piece| piece.is_word("because"))?;
    let opened = usize::from(pieces.get(because + 1)?.is("("));
    let [f, text] = pieces.get(because + 1 + opened..because + 3 + opened)? else { return None };
    if !(f.is_word("f") && text.kind == Kind::Value) {
        return None;
    }
    let sentence = [Piece::mark("("), text.clone(), Piece::mark(")")];
    Some(
        [pieces.get(..=because)?, &sentence, pieces.get(because + 3 + 2 * opened..).unwrap_or_default()]
            .concat(),
    )
}

/// `f"{X}"`.
pub(super) fn formatted(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let is_text = |piece: &Piece| piece.kind == Kind::Value && piece.text.starts_with('"');
    let at =
        pieces.windows(2).position(|pair| matches!(pair, [f, text] if f.is_word("f") && is_text(text)))?;
    let call =
        [Piece::new(Kind::Word, "format"), Piece::mark("("), pieces.get(at + 1)?.clone(), Piece::mark(")")];
    Some([pieces.get(..at)?, &call, pieces.get(at + 2..)?].concat())
}

/// `X += 1`.
pub(super) fn augmented(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let at = pieces.windows(3).position(|three| {
        matches!(three, [var, operator, equal] if var.kind == Kind::Upper
            && ["+", "-", "*", "/"].iter().any(|mark| operator.is(mark)) && equal.is("="))
    })?;
    let [var, operator, equal] = pieces.get(at..at + 3)? else { return None };
    let new = Piece::new(Kind::Upper, format!("New{}", var.text));
    let bind = [new, equal.clone(), var.clone(), operator.clone()];
    Some([pieces.get(..at)?, &bind, pieces.get(at + 3..)?].concat())
}

/// `h :- a if b.`
pub(super) fn conditions_after(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let turnstile = pieces.iter().position(|piece| piece.is(":-"))?;
    let at = (turnstile + 2..pieces.len()).find(|at| {
        let opens = pieces.get(at + 1).is_some_and(|next| next.is("("));
        let after = pieces.get(at - 1).is_some_and(|before| before.is(")") || before.kind != Kind::Mark);
        pieces.get(*at).is_some_and(|piece| piece.is_word("if")) && after && !opens
    })?;
    let mut out = pieces.to_vec();
    *out.get_mut(at)? = Piece::mark(",");
    Some(out)
}

/// `exists p(X)`.
pub(super) fn exists(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let bracketed = pieces.windows(4).position(|four| {
        matches!(four, [word, open, name, call] if word.is_keyword("exists") && open.is("(")
            && name.kind == Kind::Word && call.is("("))
    });
    if let Some((at, close)) = bracketed.and_then(|at| Some((at, closing(pieces, at + 1)?))) {
        let out = [pieces.get(..=at)?, pieces.get(at + 2..close)?, pieces.get(close + 1..)?].concat();
        return exists(&out);
    }
    let at = pieces.windows(3).position(|three| {
        matches!(three, [word, name, open] if (word.is_word("exists") || word.text == "EXISTS")
            && name.kind == Kind::Word && open.is("("))
    })?;
    let kept = pieces.get(..at)?;
    let is_not = |last: &Piece| last.is_word("not") || last.text == "NOT" || last.is("!");
    Some(match kept.split_last().filter(|(last, _)| is_not(last)) {
        Some((_, kept)) => [kept, &[Piece::mark("!")], pieces.get(at + 1..)?].concat(),
        None => [kept, pieces.get(at + 1..)?].concat(),
    })
}

/// `some i in [1, 2]`.
pub(super) fn some_in(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let at = pieces.windows(3).position(|three| {
        matches!(three, [some, name, within] if some.is_word("some") && name.kind != Kind::Mark && within.is_word("in"))
    })?;
    let clause = pieces.iter().any(|piece| piece.is(":-"));
    let name = pieces.get(at + 1).filter(|_| clause)?.text.clone();
    let upper = |piece: &Piece| match piece.is_word(&name) {
        true => Piece::new(Kind::Upper, variable_form(&name)),
        false => piece.clone(),
    };
    Some([pieces.get(..at)?, pieces.get(at + 1..)?].concat().iter().map(upper).collect())
}

/// `every y in ys { y > 1 }`: no exception is there.
pub(super) fn every(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let at = pieces.windows(3).position(|three| {
        matches!(three, [every, name, within] if every.is_word("every") && name.kind != Kind::Mark && within.is_word("in"))
    })?;
    let open = at + pieces.get(at..)?.iter().position(|piece| piece.is("{"))?;
    let close = closing(pieces, open)?;
    let relation = pieces.get(open - 1).filter(|name| name.kind == Kind::Word)?;
    let element = pieces.get(at + 1)?;
    let (inside, columns) = read_fields(pieces.get(open + 1..close)?, element);
    let raised = raise_variables(inside);
    let var = match columns.as_str() {
        "" => Piece::new(Kind::Upper, variable_form(&element.text)),
        columns => Piece::new(Kind::Value, columns),
    };
    let head = [Piece::new(Kind::Word, "exception"), Piece::mark("("), Piece::mark(")")];
    let not = [Piece::mark("!"), Piece::mark("(")];
    let rule = [
        &head[..],
        &[Piece::mark(":-"), relation.clone(), Piece::mark("("), var, Piece::mark(")"), Piece::mark(",")],
        &not,
        &raised,
        &[Piece::mark(")"), Piece::mark(".")],
    ];
    Some([pieces.get(..at)?, &[Piece::mark("!")], &head, pieces.get(close + 1..)?, &rule.concat()].concat())
}

/// The pieces with variables for the fields of `of`, and these as columns of an atom.
fn read_fields(pieces: &[Piece], of: &Piece) -> (Vec<Piece>, String) {
    let (mut out, mut columns): (Vec<Piece>, Vec<String>) = (Vec::new(), Vec::new());
    for piece in pieces {
        let is_field = piece.kind == Kind::Word
            && matches!(out.as_slice(), [.., value, dot] if value.text == of.text && value.kind != Kind::Value && dot.is("."));
        if !is_field {
            out.push(piece.clone());
            continue;
        }
        out.truncate(out.len() - 2);
        let column = format!("{}: {}", piece.text, variable_form(&piece.text));
        columns.extend((!columns.contains(&column)).then_some(column));
        out.push(Piece::new(Kind::Upper, variable_form(&piece.text)));
    }
    (out, columns.join(", "))
}

/// `h <= b.`, `h = b` and `h: b`
pub(super) fn turned(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let arrow =
        closing(pieces, 1).filter(|_| pieces.first().is_some_and(|name| name.kind == Kind::Word))? + 1;
    let atom = matches!(pieces.get(arrow + 1..arrow + 3), Some([name, open]) if name.kind == Kind::Word && open.is("("));
    let plain = !pieces.iter().any(|piece| piece.is(":-"));
    let mut out = pieces.to_vec();
    let turns = |mark: &&mut Piece| ["<=", "=", ":"].iter().any(|one| mark.is(one)) && atom && plain;
    *out.get_mut(arrow).filter(turns)? = Piece::mark(":-");
    if !out.last().is_some_and(|last| last.is(".")) {
        out.push(Piece::mark("."));
    }
    Some(out)
}

/// `:lt(X, 3)` of Mangle.
pub(super) fn prefixed(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let prefixed = pieces.iter().any(|piece| piece.kind == Kind::Word && piece.text.starts_with(':'));
    prefixed.then(|| functions(pieces.to_vec()))
}

/// Functions that a condition calls.
pub(super) const TESTS: [&str; 5] = ["contains", "starts_with", "ends_with", "matches", "len"];

/// `A = 1 or B = 2` and `A = 1 and B = 2` outside parentheses, of conditions alone.
pub(super) fn connected(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let turnstile = pieces.iter().position(|piece| piece.is(":-"))?;
    let (head, body) = pieces.split_at_checked(turnstile + 1)?;
    let end = body.iter().rposition(|piece| piece.is(".")).unwrap_or(body.len());
    let mut found = false;
    let literals = split(body.get(..end)?, ",").into_iter().map(|literal| {
        let or = split_word(literal, "or").len() > 1;
        let calls = literal.windows(2).any(|pair| {
            matches!(pair, [name, open] if name.kind == Kind::Word && open.is("(")
                && !TESTS.contains(&name.text.as_str()) && !["and", "or", "not"].contains(&name.text.as_str()))
        });
        let and = split_word(literal, "and");
        found |= !calls && or || and.len() > 1;
        match (or, calls) {
            (true, false) => [&[Piece::mark("(")], literal, &[Piece::mark(")")]].concat(),
            (false, _) => and.join(&Piece::mark(",")),
            (true, true) => literal.to_vec(),
        }
    });
    let literals: Vec<Vec<Piece>> = literals.collect();
    found.then(|| [head, &literals.join(&Piece::mark(",")), body.get(end..).unwrap_or_default()].concat())
}

/// The runs of pieces between a word outside all parentheses.
pub(super) fn split_word<'a>(pieces: &'a [Piece], word: &str) -> Vec<&'a [Piece]> {
    let (mut depth, mut start, mut parts) = (0i32, 0, Vec::new());
    for (at, piece) in pieces.iter().enumerate() {
        let opens = ["(", "[", "{"].iter().any(|mark| piece.is(mark));
        let closes = [")", "]", "}"].iter().any(|mark| piece.is(mark));
        depth += i32::from(opens) - i32::from(closes);
        if depth == 0 && piece.is_word(word) {
            parts.extend(pieces.get(start..at));
            start = at + 1;
        }
    }
    parts.extend(pieces.get(start..));
    parts
}
