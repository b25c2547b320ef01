//! Whole rules of Rego and Cedar as hence has them.

use super::clause::marks;
use super::habit::Habit;
use super::python::every;
use super::scan::{Kind, Piece, closing, join, scan, split};
use super::spelling::documents;
use super::variable::{raise_variables, variable_form, writes_lower_variables};

/// A rule of Rego, with its body in braces, at the beginning of `text`: what it is, and how long it is.
pub(super) fn rego(text: &str) -> Option<(Habit, usize)> {
    let open = text.lines().next()?.find('{')?;
    if names_columns(text.get(open + 1..)?) {
        return None;
    }
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
    let pieces = every(&pieces).unwrap_or(pieces);
    let pieces = documents(&pieces).unwrap_or(pieces);
    let raises = writes_lower_variables(&scan(text.get(..len)?));
    let pieces = if raises { raise_variables(pieces) } else { pieces };
    let columns = if terms.is_empty() { "" } else { "X" };
    let example = format!("{}({columns}) :- relation(X, Y), Y > 3.", name.text);
    let message = "a rule has its body after `:-`, not in braces";
    Some((Habit { message, form: join(&pieces), example: Some(example), beside: None, is_exact: false }, len))
}

/// `failures := count([r | some r in input.runs; r.ok == false])` of Rego, at the beginning of `text`: what it is, and how
/// long it is.
pub(super) fn counted(text: &str) -> Option<(Habit, usize)> {
    let line = text.lines().next().filter(|line| line.contains(":="))?;
    let pieces = scan(line);
    let [name, assigned, count, open, list, ..] = pieces.as_slice() else { return None };
    let is_count =
        assigned.is(":=") && count.is_word("count") && open.is("(") && (list.is("[") || list.is("{"));
    if name.kind != Kind::Word || !is_count {
        return None;
    }
    let inner = line.get(line.find(['[', '{'])? + 1..line.rfind([']', '}'])?)?;
    let body = statements(inner.split_once('|').map_or(inner, |(_, body)| body));
    let head =
        [name.clone(), Piece::mark("("), count.clone(), open.clone(), Piece::mark(")"), Piece::mark(")")];
    let mut pieces = [&head[..], &[Piece::mark(":-")], &body.join(&Piece::mark(","))].concat();
    pieces.push(Piece::mark("."));
    let pieces = marks(pieces);
    let pieces = if writes_lower_variables(&scan(line)) { raise_variables(pieces) } else { pieces };
    let example = format!("{}(count()) :- relation(X), X > 3.", name.text);
    let message = "a count is a column of a head, over the matches of the body";
    Some((
        Habit { message, form: join(&pieces), example: Some(example), beside: None, is_exact: false },
        line.len(),
    ))
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

/// Whether the text in a brace begins with `column: `.
pub(crate) fn names_columns(inside: &str) -> bool {
    let inside = inside.trim_start();
    let rest = inside.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let named = inside.starts_with(|c: char| c.is_ascii_lowercase());
    named && rest.trim_start().strip_prefix(':').is_some_and(|value| !value.starts_with(['=', '-']))
}

/// The statements of a body of Rego, one a line or between `;`, a path of fields as a variable.
fn statements(body: &str) -> Vec<Vec<Piece>> {
    let mut pieces: Vec<Piece> = Vec::new();
    for line in body.lines() {
        pieces.extend(scan(line).into_iter().filter(|piece| piece.kind != Kind::Comment));
        pieces.push(Piece::mark(";"));
    }
    let statements = split(&pieces, ";").into_iter().filter(|statement| !statement.is_empty());
    let mut statements: Vec<Vec<Piece>> = statements.map(<[Piece]>::to_vec).collect();
    let loops: Vec<Vec<Piece>> = statements.iter().filter_map(|one| each(one)).collect();
    for bound in loops {
        columns(&mut statements, &bound);
    }
    statements.iter().filter_map(|one| statement(one)).collect()
}

/// The variable and the relation of `some run in input.runs`.
fn each(statement: &[Piece]) -> Option<Vec<Piece>> {
    let [some, variable, within, .., relation] = statement else { return None };
    let plain = relation.kind == Kind::Word && variable.kind == Kind::Word;
    (some.is_word("some") && within.is_word("in") && plain).then(|| vec![variable.clone(), relation.clone()])
}

/// The fields that statements read of such a variable, `run.ms`, as columns of its relation.
fn columns(statements: &mut [Vec<Piece>], bound: &[Piece]) {
    let [variable, relation] = bound else { return };
    let mut terms: Vec<String> = Vec::new();
    for statement in statements.iter_mut() {
        while let Some(at) = statement.windows(3).position(|three| {
            matches!(three, [of, dot, field] if of == variable && dot.is(".") && field.kind == Kind::Word)
        }) {
            let Some(field) = statement.get(at + 2).map(|field| field.text.clone()) else { return };
            let term = format!("{field}: {}", variable_form(&field));
            terms.extend((!terms.contains(&term)).then_some(term));
            statement.splice(at..at + 3, [Piece::new(Kind::Upper, variable_form(&field))]);
        }
    }
    let is_loop = |one: &&mut Vec<Piece>| each(one).is_some_and(|found| found == bound);
    if let Some(statement) = statements.iter_mut().find(is_loop).filter(|_| !terms.is_empty()) {
        *statement = vec![Piece::new(Kind::Word, format!("{}({})", relation.text, terms.join(", ")))];
    }
}

/// A statement as a literal; one that only declares variables is none.
fn statement(pieces: &[Piece]) -> Option<Vec<Piece>> {
    match pieces {
        [some, variable, within, path @ ..] if some.is_word("some") && within.is_word("in") => {
            let relation = path.last().filter(|last| last.kind == Kind::Word)?;
            Some(vec![relation.clone(), Piece::mark("("), variable.clone(), Piece::mark(")")])
        }
        [some, ..] if some.is_word("some") => None,
        [atom] if atom.text.ends_with(')') => Some(vec![atom.clone()]),
        [rule] if rule.kind == Kind::Word => Some([pieces, &[Piece::mark("("), Piece::mark(")")]].concat()),
        [not, rule] if not.is_word("not") && rule.kind == Kind::Word => {
            Some([pieces, &[Piece::mark("("), Piece::mark(")")]].concat())
        }
        [every, ..] if every.is_word("every") => Some(pieces.to_vec()),
        _ => Some(printed(&elements(pieces))),
    }
}

/// `runs[x]` as `runs(x)`, `y := runs[_]` as `runs(y)`, `runs[_] == "a"` as `runs("a")`.
fn elements(pieces: &[Piece]) -> Vec<Piece> {
    let Some(at) = pieces
        .windows(2)
        .position(|pair| matches!(pair, [name, open] if name.kind == Kind::Word && open.is("[")))
    else {
        return pieces.to_vec();
    };
    let path = (0..at).rev().take_while(|before| {
        pieces
            .get(*before)
            .is_some_and(|piece| piece.is(".") || piece.kind == Kind::Word && !piece.is_word("not"))
    });
    let start = path.last().unwrap_or(at);
    let (Some(close), Some(name)) = (closing(pieces, at + 1), pieces.get(at)) else { return pieces.to_vec() };
    let index = pieces.get(at + 2..close).unwrap_or_default();
    let (before, after) =
        (pieces.get(..start).unwrap_or_default(), pieces.get(close + 1..).unwrap_or_default());
    let equal = |piece: &Piece| piece.is("==") || piece.is("=") || piece.is(":=");
    let atom = |terms: &[Piece]| [&[name.clone(), Piece::mark("(")], terms, &[Piece::mark(")")]].concat();
    match (before, after) {
        ([], []) => atom(index),
        ([not], []) if not.is_word("not") => [before, &atom(index)].concat(),
        ([value, sign], []) if equal(sign) => atom(std::slice::from_ref(value)),
        ([], [sign, value]) if equal(sign) => atom(std::slice::from_ref(value)),
        _ => pieces.to_vec(),
    }
}

/// `sprintf("at %d", [x])` as `format("at {X}")`.
fn printed(pieces: &[Piece]) -> Vec<Piece> {
    let Some(at) = pieces.iter().position(|piece| piece.is_word("sprintf")) else { return pieces.to_vec() };
    let (Some(close), Some(text)) = (closing(pieces, at + 1), pieces.get(at + 2)) else {
        return pieces.to_vec();
    };
    let mut text = text.text.clone();
    for value in pieces.get(at + 3..close).unwrap_or_default().iter().filter(|piece| piece.kind != Kind::Mark)
    {
        let hole = ["%d", "%v", "%s", "%f", "%q"].iter().filter_map(|mark| text.find(mark)).min();
        if let Some(hole) = hole {
            text.replace_range(hole..hole + 2, &format!("{{{}}}", variable_form(&value.text)));
        }
    }
    let call = [Piece::new(Kind::Word, "format"), Piece::mark("("), Piece::new(Kind::Value, text)];
    [pieces.get(..at).unwrap_or_default(), &call, pieces.get(close..).unwrap_or_default()].concat()
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
        beside: None,
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
