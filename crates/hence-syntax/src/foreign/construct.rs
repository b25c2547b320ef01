//! Whole rules of Rego and Cedar as hence has them.

use super::clause::marks;
use super::habit::Habit;
use super::scan::{Kind, Piece, closing, join, scan, split};
use super::variable::{raise_variables, variable_form, writes_lower_variables};

/// A rule of Rego, with its body in braces, at the beginning of `text`: what it is, and how long it is.
pub(super) fn rego(text: &str) -> Option<(Habit, usize)> {
    let open = text.lines().next()?.find('{')?;
    let head = scan(text.get(..open)?);
    let (name, rest) =
        head.split_first().filter(|(name, _)| name.kind == Kind::Word && !name.is_word("test"))?;
    let terms = rego_terms(rest)?;
    let len = open + closing_brace(text.get(open..)?)?;
    let mut pieces = vec![name.clone(), Piece::mark("(")];
    pieces.extend(terms.join(&Piece::mark(",")));
    pieces.extend([Piece::mark(")"), Piece::mark(":-")]);
    pieces.extend(statements(text.get(open + 1..len - 1)?).join(&Piece::mark(",")));
    pieces.push(Piece::mark("."));
    let pieces = marks(pieces);
    let raises = writes_lower_variables(&scan(text.get(..len)?));
    let pieces = if raises { raise_variables(pieces) } else { pieces };
    let columns = if terms.is_empty() { "" } else { "X" };
    let example = format!("{}({columns}) :- relation(X, Y), Y > 3.", name.text);
    let message = "a rule has its body after `:-`, not in braces";
    Some((Habit { message, form: join(&pieces), example: Some(example), is_exact: false }, len))
}

/// The terms of a head of Rego: `contains x`, `[x]`, `(x)`, `:= x`, with or without `if`.
fn rego_terms(rest: &[Piece]) -> Option<Vec<Vec<Piece>>> {
    let rest = match rest {
        [init @ .., last] if last.is_word("if") => init,
        all => all,
    };
    let given = |value: &[Piece]| split(value, ",").into_iter().map(<[Piece]>::to_vec).collect();
    match rest {
        [] => Some(Vec::new()),
        [word, value @ ..] if word.is_word("contains") => Some(given(value)),
        [equal, value @ ..] if equal.is("=") || equal.is(":=") => Some(given(value)),
        [open, value @ .., close] if open.is("[") && close.is("]") || open.is("(") && close.is(")") => {
            let alone = closing(rest, 0) == rest.len().checked_sub(1);
            alone.then(|| if value.is_empty() { Vec::new() } else { given(value) })
        }
        [open, ..] if open.is("(") => {
            let close = closing(rest, 0)?;
            let mut terms: Vec<_> = given(rest.get(1..close)?);
            let [equal, value @ ..] = rest.get(close + 1..)? else { return None };
            terms.push(value.to_vec());
            (equal.is("=") || equal.is(":=")).then_some(terms)
        }
        _ => None,
    }
}

/// The statements of a body of Rego, one a line or between `;`, a path of fields as a variable.
fn statements(body: &str) -> Vec<Vec<Piece>> {
    let mut pieces: Vec<Piece> = Vec::new();
    for line in body.lines() {
        pieces.extend(scan(line).into_iter().filter(|piece| piece.kind != Kind::Comment));
        pieces.push(Piece::mark(";"));
    }
    let statements = split(&pieces, ";").into_iter().filter(|statement| !statement.is_empty());
    statements.filter_map(statement).collect()
}

/// A statement as a literal; one that only declares variables is none.
fn statement(pieces: &[Piece]) -> Option<Vec<Piece>> {
    match pieces {
        [some, variable, within, path @ ..] if some.is_word("some") && within.is_word("in") => {
            let relation = path.last().filter(|last| last.kind == Kind::Word)?;
            Some(vec![relation.clone(), Piece::mark("("), variable.clone(), Piece::mark(")")])
        }
        [some, ..] if some.is_word("some") => None,
        [rule] if rule.kind == Kind::Word => Some([pieces, &[Piece::mark("("), Piece::mark(")")]].concat()),
        [not, rule] if not.is_word("not") && rule.kind == Kind::Word => {
            Some([pieces, &[Piece::mark("("), Piece::mark(")")]].concat())
        }
        _ => Some(fields(pieces)),
    }
}

/// `input.user.name` as `Name`.
fn fields(pieces: &[Piece]) -> Vec<Piece> {
    let mut out: Vec<Piece> = Vec::with_capacity(pieces.len());
    let mut after_point = false;
    for piece in pieces {
        let named = matches!(out.last(), Some(last) if matches!(last.kind, Kind::Word | Kind::Upper));
        if piece.is(".") && named {
            after_point = true;
        } else if after_point && piece.kind == Kind::Word {
            out.pop();
            out.push(Piece::new(Kind::Upper, variable_form(&piece.text)));
            after_point = false;
        } else {
            out.push(piece.clone());
            after_point = false;
        }
    }
    out
}

/// How many bytes there are up to after the brace that closes the one at the beginning.
fn closing_brace(text: &str) -> Option<usize> {
    let (mut depth, mut quoted) = (0usize, false);
    for (at, c) in text.char_indices() {
        quoted ^= c == '"';
        match c {
            '{' if !quoted => depth += 1,
            '}' if !quoted => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

/// A policy of Cedar as a rule; `word` is `permit` or `forbid`.
pub(super) fn cedar(word: &str, text: &str) -> Option<Habit> {
    let pieces = entities(scan(text));
    let close = closing(&pieces, 1)?;
    let mut body = vec![String::from("request(Principal, Action, Resource)")];
    for part in split(pieces.get(2..close)?, ",") {
        if let [who, operator, value @ ..] = part {
            let (who, value) = (variable_form(&who.text), join(value));
            body.push(match operator.text.as_str() {
                "==" => format!("{who} = {value}"),
                _ => format!("member_of({who}, {value})"),
            });
        }
    }
    let mut rest = pieces.get(close + 1..)?;
    while let [when, open, ..] = rest
        && open.is("{")
    {
        let end = closing(rest, 1)?;
        body.extend(condition(rest.get(2..end)?, when.is_word("unless")));
        rest = rest.get(end + 1..)?;
    }
    let form = format!("{word}(Principal, Action, Resource) :- {}.", body.join(", "));
    let example = format!("{word}(Principal, Action, Resource) :- request(Principal, Action, Resource).");
    Some(Habit {
        message: "a policy of Cedar is a rule of hence",
        form,
        example: Some(example),
        is_exact: false,
    })
}

/// `User::"bob"` as `"bob"`.
fn entities(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut out: Vec<Piece> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        if piece.kind == Kind::Value && out.ends_with(&[Piece::mark(":"), Piece::mark(":")]) {
            out.truncate(out.len() - 2);
            out.pop();
        }
        out.push(piece);
    }
    out
}

/// The literals of `resource.score < 0.5`: an atom for each attribute, and the condition.
fn condition(pieces: &[Piece], negated: bool) -> Vec<String> {
    let mut literals: Vec<String> = Vec::new();
    let mut out: Vec<Piece> = Vec::new();
    for piece in pieces {
        if let [.., entity, point] = out.as_slice()
            && point.is(".")
            && piece.kind == Kind::Word
        {
            let atom =
                format!("{}({}, {})", piece.text, variable_form(&entity.text), variable_form(&piece.text));
            if !literals.contains(&atom) {
                literals.push(atom);
            }
            out.truncate(out.len() - 2);
            out.push(Piece::new(Kind::Upper, variable_form(&piece.text)));
        } else {
            out.push(piece.clone());
        }
    }
    let condition = join(&raise_variables(marks(out)));
    literals.push(if negated { format!("!({condition})") } else { condition });
    literals
}
