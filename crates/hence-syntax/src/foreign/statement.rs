//! Statements of languages that have no clauses: SQL, Cedar, Rego, Python, directives of Prolog.

use super::clause::marks;
use super::construct::{cedar as cedar_rule, counted, rego};
use super::declaration::type_name;
use super::habit::{Habit, is_text_operator, text_operators};
use super::scan::{Kind, Piece, closing, join, scan, split};
use super::variable::{raise_variables, variable_form};

/// A statement of a language that has no clauses, at the beginning of `text`: what it is, and how long it is.
pub(crate) fn statement(text: &str) -> Option<(Habit, usize)> {
    let begins = |word: &str| {
        let start = text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
        start && text.get(word.len()..).is_some_and(|rest| rest.starts_with(char::is_whitespace))
    };
    let cedar = ["permit", "forbid"].into_iter().find(|word| text.starts_with(&format!("{word}(")));
    let is_cedar =
        cedar.is_some() && ["principal", "action", "resource"].iter().all(|word| text.contains(word));
    if !is_cedar && !["select", "insert into", "create table", "delete from"].into_iter().any(begins) {
        let known =
            constants(text).or_else(|| keyword(text)).or_else(|| function(text)).or_else(|| directive(text));
        return known.or_else(|| rego(text)).or_else(|| counted(text));
    }
    let blank = text.find("\n\n").unwrap_or(text.len());
    let end = text.find(';').map_or(blank, |at| (at + 1).min(blank));
    let whole = text.get(..end)?;
    if let Some(word) = cedar.filter(|_| is_cedar) {
        return Some((cedar_rule(word, whole)?, end));
    }
    let pieces: Vec<Piece> = scan(whole).into_iter().filter(|piece| !piece.is(";")).collect();
    let form =
        select(&pieces).or_else(|| insert(&pieces)).or_else(|| create(&pieces)).or_else(|| delete(&pieces));
    let form = form.unwrap_or_else(|| String::from("result(X) :- table(column: X), X < 0.5."));
    Some((Habit { message: "a statement of SQL", form, example: None, beside: None, is_exact: false }, end))
}

/// `kinds := {"a", "b"}` and `most := 3`: a parameter.
fn constants(text: &str) -> Option<(Habit, usize)> {
    let line = text.lines().next().filter(|line| line.contains(":="))?.trim_end();
    let pieces = scan(line);
    let [name, assigned, value @ ..] = pieces.as_slice() else { return None };
    let value = value.strip_suffix(&[Piece::mark(".")]).unwrap_or(value);
    if name.kind != Kind::Word || !assigned.is(":=") {
        return None;
    }
    let (elements, is_list) = match value {
        [open, elements @ .., close] if open.is("{") && close.is("}") || open.is("[") && close.is("]") => {
            (elements, true)
        }
        one => (one, false),
    };
    let elements: Vec<&[Piece]> = split(elements, ",");
    let literals = elements.iter().all(|one| matches!(one, [one] if one.kind == Kind::Value));
    let ty = match elements.first()?.first()?.text.as_str() {
        text if text.starts_with('"') => "string",
        text if text.starts_with('/') => "name",
        text if text.contains('.') => "float",
        text if text.bytes().all(|byte| byte.is_ascii_digit()) => "int",
        _ => return None,
    };
    let shown = elements.join(&Piece::mark(","));
    let form = match is_list {
        true => format!("param {}: [{ty}] = [{}].", name.text, join(&shown)),
        false => format!("param {}: {ty} = {}.", name.text, join(&shown)),
    };
    let message = "a value with a name is a parameter";
    let habit = Habit { message, form, example: None, beside: None, is_exact: false };
    (literals && (is_list || elements.len() == 1)).then_some((habit, line.len()))
}

/// `rule p { … }` and `fact p(1).`: a word that no clause begins with.
fn keyword(text: &str) -> Option<(Habit, usize)> {
    let word = ["rule", "fact", "clause"].into_iter().find(|word| text.starts_with(&format!("{word} ")))?;
    let rest = text.get(word.len() + 1..)?;
    let pieces = scan(rest.lines().next()?);
    if !matches!(pieces.as_slice(), [name, open, ..] if name.kind == Kind::Word && (open.is("(") || open.is("{")))
    {
        return None;
    }
    if let Some((habit, len)) = rego(rest) {
        return Some((habit, word.len() + 1 + len));
    }
    let message = "a clause begins with its relation, without a word before it";
    let form = rest.lines().next()?.trim_end().to_owned();
    Some((Habit { message, form, example: None, beside: None, is_exact: false }, word.len() + 1))
}

/// `def p(x): return x > 3`.
fn function(text: &str) -> Option<(Habit, usize)> {
    let word =
        ["def", "function", "func", "fn"].into_iter().find(|word| text.starts_with(&format!("{word} ")))?;
    let line = text.lines().next()?;
    let pieces = scan(line.get(word.len()..)?);
    let close = closing(&pieces, 1).filter(|_| pieces.first().is_some_and(|name| name.kind == Kind::Word))?;
    let returned = pieces.iter().position(|piece| piece.is_word("return")).map_or(close + 1, |at| at + 1);
    let condition = marks(raise_variables(pieces.get(returned..)?.to_vec()));
    let condition: Vec<Piece> = condition
        .into_iter()
        .filter(|piece| ![":", "{", "}", "."].iter().any(|mark| piece.is(mark)))
        .collect();
    let head = join(&raise_variables(pieces.get(..=close)?.to_vec()));
    let terms = join(&raise_variables(pieces.get(2..close)?.to_vec()));
    let condition = if condition.is_empty() { String::new() } else { format!(", {}", join(&condition)) };
    let form = format!("{head} :- relation({terms}){condition}.");
    let message = "rule files define relations, not functions";
    Some((Habit { message, form, example: None, beside: None, is_exact: false }, line.len()))
}

/// `:- dynamic p/1.`
fn directive(text: &str) -> Option<(Habit, usize)> {
    let line = text.lines().next()?;
    let rest = line.strip_prefix(":-")?.trim_start();
    let named = ["dynamic", "table", "discontiguous"].into_iter().find_map(|word| rest.strip_prefix(word))?;
    let (name, arity) = named.trim().trim_end_matches('.').split_once('/')?;
    let columns = (1..=arity.trim().parse::<usize>().ok().filter(|arity| *arity < 20)?)
        .map(|at| format!("c{at}: type"));
    let keyword = if rest.starts_with("dynamic") { "input" } else { "relation" };
    let form = format!("{keyword} {}({}).", name.trim(), columns.collect::<Vec<_>>().join(", "));
    Some((
        Habit { message: "a directive of Prolog", form, example: None, beside: None, is_exact: false },
        line.len(),
    ))
}

/// `INSERT INTO t (a, b) VALUES (1, 'a')`: the command that asserts the fact.
fn insert(pieces: &[Piece]) -> Option<String> {
    let values = pieces.iter().position(|piece| piece.is_keyword("values"))?;
    let [first, _, table, ..] = pieces else { return None };
    if !first.is_keyword("insert") {
        return None;
    }
    let given = pieces.get(values + 2..closing(pieces, values + 1)?)?;
    let columns: Vec<&Piece> =
        pieces.get(3..values)?.iter().filter(|piece| piece.kind != Kind::Mark).collect();
    let given = split(given, ",");
    let terms: Vec<String> = given
        .iter()
        .enumerate()
        .map(|(at, value)| {
            // A fact has the time itself.
            let clock = value
                .first()
                .is_some_and(|first| first.is_keyword("now") || first.is_keyword("current_timestamp"));
            let value = if clock { String::from("@2026-01-31T09:00:00Z") } else { join(value) };
            columns.get(at).map_or_else(|| value.clone(), |column| format!("{}: {value}", column.text))
        })
        .collect();
    Some(format!("hence assert '{}({})'", table.text, terms.join(", ")))
}

/// `CREATE TABLE t (a INT, b VARCHAR(20))`.
fn create(pieces: &[Piece]) -> Option<String> {
    let [first, _, table, open, ..] = pieces else { return None };
    let close = closing(pieces, 3).filter(|_| first.is_keyword("create") && open.is("("))?;
    let column = |part: &[Piece]| match part {
        [name, ty, ..] => {
            let ty = ty.text.to_lowercase();
            let ty = match ty.as_str() {
                "bigint" | "smallint" => "int",
                "char" => "string",
                other => type_name(other),
            };
            Some(format!("{}: {ty}", name.text.to_lowercase()))
        }
        _ => None,
    };
    let columns: Option<Vec<String>> = split(pieces.get(4..close)?, ",").into_iter().map(column).collect();
    Some(format!("input {}({}).", table.text, columns?.join(", ")))
}

/// `DELETE FROM t WHERE a > 3`.
fn delete(pieces: &[Piece]) -> Option<String> {
    let [first, _, table, ..] = pieces else { return None };
    first.is_keyword("delete").then(|| format!("then !{0}(X) :- {0}(X), X > 3.", table.text))
}

/// `SELECT a, count(*) FROM t WHERE … GROUP BY a HAVING …` as a rule, or two.
fn select(pieces: &[Piece]) -> Option<String> {
    let word = |wanted: &str| pieces.iter().position(|piece| piece.is_keyword(wanted));
    let from = word("from").filter(|_| pieces.first().is_some_and(|first| first.is_keyword("select")))?;
    let table = pieces.get(from + 1).filter(|piece| piece.kind == Kind::Word)?;
    let ends = [word("group"), word("having"), word("order"), word("limit")];
    let end = ends.into_iter().flatten().min().unwrap_or(pieces.len());
    let body: &[Piece] = match word("where") {
        Some(at) => pieces.get(at + 1..end)?,
        None if end == from + 2 => &[],
        None => return None,
    };
    let body: Vec<&Piece> = body.iter().filter(|piece| !piece.is(".")).collect();
    let columns = split(pieces.get(1..from)?, ",");
    let head: Vec<String> = columns.iter().map(|column| selected(column)).collect::<Option<_>>()?;
    let named = names(columns.iter().copied().flatten().chain(body.iter().copied()));
    let named: Vec<String> = named.iter().map(|name| format!("{name}: {}", variable_form(name))).collect();
    let conditions = conditions(&body);
    let rest = if conditions.is_empty() { String::new() } else { format!(", {}", join(&conditions)) };
    let first = format!("selected({}) :- {}({}){rest}.", head.join(", "), table.text, named.join(", "));
    Some(match word("having").and_then(|at| having(&head, pieces.get(at + 1..)?)) {
        Some(second) => format!("{first} {second}"),
        None => first,
    })
}

/// A selected column as a term of the head.
fn selected(column: &[Piece]) -> Option<String> {
    match column {
        [one] if one.kind == Kind::Word => Some(variable_form(&one.text)),
        [function, open, inner, close] if open.is("(") && close.is(")") => {
            let function = match function.text.to_lowercase().as_str() {
                "avg" => String::from("mean"),
                other => other.to_owned(),
            };
            Some(if inner.is("*") {
                format!("{function}()")
            } else {
                format!("{function}({})", variable_form(&inner.text))
            })
        }
        _ => None,
    }
}

/// The names of columns, each once.
fn names<'p>(pieces: impl Iterator<Item = &'p Piece>) -> Vec<&'p str> {
    let functions = ["and", "count", "sum", "avg", "min", "max"];
    let known = |piece: &&Piece| {
        piece.kind == Kind::Word
            && !is_text_operator(piece)
            && !functions.iter().any(|word| piece.is_keyword(word))
    };
    pieces.filter(known).fold(Vec::new(), |mut names, piece| {
        if !names.contains(&piece.text.as_str()) {
            names.push(&piece.text);
        }
        names
    })
}

fn conditions(body: &[&Piece]) -> Vec<Piece> {
    let condition = |piece: &&Piece| match piece.kind {
        _ if piece.is_keyword("and") => Piece::mark(","),
        Kind::Word if is_text_operator(piece) => (*piece).clone(),
        Kind::Word => Piece::new(Kind::Upper, variable_form(&piece.text)),
        _ => (*piece).clone(),
    };
    let conditions = marks(body.iter().map(condition).collect());
    text_operators(&conditions).unwrap_or(conditions)
}

/// `HAVING COUNT(*) > 2` as a rule over what was selected.
fn having(head: &[String], pieces: &[Piece]) -> Option<String> {
    let close = closing(pieces, 1)?;
    let term = selected(pieces.get(..=close)?)?;
    let at = head.iter().position(|one| *one == term)?;
    let shown: Vec<&str> = head
        .iter()
        .enumerate()
        .map(|(place, one)| match one.contains('(') {
            true if place == at => "N",
            true => "_",
            false => one,
        })
        .collect();
    let left: Vec<&str> = shown.iter().copied().filter(|term| *term != "_").collect();
    Some(format!(
        "having({}) :- selected({}), N {}.",
        left.join(", "),
        shown.join(", "),
        join(pieces.get(close + 1..)?)
    ))
}
