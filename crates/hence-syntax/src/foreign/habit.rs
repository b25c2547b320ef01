//! Whole clauses that people write by habit: one fault each, with the clause as hence has it.

use super::LONGEST;
use super::alternatives::{STAND_IN, either, either_literal, heads, piped, stand_in};
use super::clause::marks;
use super::prolog::{cuts, lists, members, question_marks, sql_words};
use super::python::{
    augmented, conditions_after, connected, every, exists, fields, formatted, methods, prefixed, sentences,
    some_in, turned,
};
use super::query::{cases, clocks, grouped, having, headed, intervals, joined, ordered, starred, tested};
use super::scan::{Kind, Piece, closing, join, scan, split};
use super::select::{alias, distinct, fact, kept};
use super::spelling::{bracketed, comprehended, documents, hashed, passed, zones};
use super::sql::{ABSENT, absent, between, present, undeclared, within};
use super::value::{around, choice, chosen, declared, enclosed, generated, indexed, truths};
use super::variable::variable_form;

/// What is said of a clause.
pub(crate) struct Habit {
    /// What it is.
    pub(crate) message: &'static str,
    /// The clause in our form: one or more clauses.
    pub(crate) form: String,
    /// What to show where the form has faults of its own.
    pub(crate) example: Option<String>,
    /// What the form needs beside it.
    pub(crate) beside: Option<String>,
    /// Whether the form means what was written, so that it may take its place.
    pub(crate) is_exact: bool,
}

/// A change of the pieces of a clause; `None` where they have nothing of it.
type Rewriter = fn(&[Piece]) -> Option<Vec<Piece>>;

/// The habits, the largest first; whether the form means what was written.
const HABITS: [(&str, Rewriter, bool); 62] = [
    ("an aggregate has no `#`, which begins a comment", hashed, true),
    ("the matches that an aggregate ranges over are between braces", bracketed, true),
    ("an aggregate has its term in parentheses, and its matches between braces", generated, true),
    ("a count has no `*`: it counts the matches of its body", starred, true),
    ("what an aggregate gives is tested by a second rule", tested, false),
    ("an aggregate is a column of the head", headed, true),
    ("an aggregate is the whole right side of `=`: bind its value first", enclosed, true),
    ("a choice of values is written as `if(condition, value, otherwise)`", cases, true),
    ("a choice of values is written as `if(condition, value, otherwise)`", chosen, true),
    ("a duration is written with a unit, without a word before it", intervals, true),
    ("the time of the clock is bound by `now(Now)`", clocks, false),
    ("an aggregate groups by the other columns of its head", grouped, true),
    ("what an aggregate gives is tested by a second rule", having, false),
    ("facts are unordered; `limit N by KEY` keeps the first N", ordered, false),
    ("facts are unordered; `limit N by KEY` keeps the first N", kept, false),
    ("facts are distinct, without a word that says so", distinct, true),
    ("the columns of a head have the names of its declaration", alias, true),
    ("what holds always is a fact", fact, true),
    ("a rule has exactly one head", heads, true),
    ("alternatives are joined by `or`, within parentheses", piped, true),
    ("a join is two atoms that share a variable", joined, false),
    ("an atom holds where some fact matches: it is compared with nothing", truths, true),
    ("a variable is bound where it stands, without a declaration", declared, true),
    ("a part of a string is given by `substring`", indexed, false),
    ("a count ranges over a body between braces, and its value is a variable", counted, false),
    ("an aggregate has its term in parentheses, and the body alone between braces", comprehended, true),
    ("a time zone is a string", zones, true),
    ("comparisons use operators, and functions have no prefix", prefixed, true),
    ("the body of a rule follows `:-`", turned, true),
    ("a value between two others is two comparisons", between, true),
    ("an element of a list is bound or tested by `in`, a value of a column by an atom", within, true),
    ("a fact has a value in every column: there is nothing to test", present, false),
    (ABSENT, absent, false),
    ("what holds of all has no exception: a relation of its own", every, false),
    ("`in` binds a variable, without a word before it", some_in, true),
    ("an atom holds where some fact matches, without a word before it", exists, true),
    ("negation is `!`", negated, true),
    ("a function has its value as the first argument", methods, true),
    ("a sentence has its values in braces, without a letter before it", sentences, true),
    ("a string with values in it is `format(…)`", formatted, true),
    ("a variable has one value: another one needs a name of its own", augmented, false),
    ("the fields of a request are the columns of a relation, which an atom reads", documents, false),
    ("a value has no fields: an atom reads a column", fields, false),
    ("time that passes is a comparison with the clock", passed, false),
    ("the remainder of a division is `%`", remainder, true),
    ("a variable starts with an upper-case letter and has no `?`", question_marks, true),
    ("a rule has no cut: each rule derives all of its facts, whatever other rules derive", cuts, false),
    ("an element of a list is bound or tested by `in`", members, true),
    ("a list is a relation with a fact for each element, and an atom binds one of them", lists, false),
    ("literals are separated by `,`", sql_words, true),
    ("a rule is not written as `if … then`", if_then, true),
    ("a condition is a literal of the body", conditions_after, true),
    ("alternatives are rules of their own", conditionals, true),
    ("a rule has its head first, then `:-` and its body", head_last, true),
    ("alternatives are rules of their own", either, true),
    ("alternatives are rules of their own, each of which binds its variables", either_literal, false),
    ("alternatives are rules of their own", nested_either, true),
    ("a choice of values is written as `if(condition, value, otherwise)`", ternary, true),
    ("conditions are joined by `,`, or within parentheses", connected, true),
    ("texts are compared by functions", text_operators, true),
    ("any value is written as `_`", stars, true),
    ("a duration is written with a unit, without a space", durations, true),
];

/// The habit that a rule with faults shows.
pub(crate) fn habit(text: &str) -> Option<Habit> {
    if text.len() > LONGEST {
        return None;
    }
    let pieces: Vec<Piece> = scan(text).into_iter().filter(|piece| piece.kind != Kind::Comment).collect();
    if let Some(habit) = list_in_head(&pieces) {
        return Some(habit);
    }
    let beside = undeclared(&pieces);
    let is_own = pieces.iter().any(|piece| piece.is_word(STAND_IN));
    let (mut message, mut found) = (None, pieces);
    // One clause may show several.
    let mut is_exact = true;
    for (says, change, exact) in HABITS {
        if let Some(changed) = change(&found) {
            is_exact &= exact;
            message = message.or(Some(says));
            found = changed;
        }
    }
    let beside = beside.or_else(|| stand_in(&found).filter(|_| !is_own));
    let form = join(&marks(found));
    message.map(|message| Habit { message, form, example: None, beside, is_exact })
}

/// `len([H|T], N) :- …`: nothing of such a rule stays.
fn list_in_head(pieces: &[Piece]) -> Option<Habit> {
    let head = parts(pieces).map_or(pieces, |(head, _)| head);
    let open = head.iter().position(|piece| piece.is("["))?;
    let taken_apart = head.get(open..=closing(head, open)?)?.iter().any(|piece| piece.is("|"));
    let called = head.get(1).is_some_and(|piece| piece.is("("));
    (taken_apart && called).then(|| Habit {
        message: "a list is no term: it is a relation with a fact for each element",
        form: String::from("input element(list: string, at: int, value: string)."),
        example: None,
        beside: Some(String::from(
            "aggregates read such a list as a whole, as in `N = count { element(L, _, _) }`, and an atom each element",
        )),
        is_exact: false,
    })
}

/// The head with its `:-`, and the body without its full stop.
pub(super) fn parts(pieces: &[Piece]) -> Option<(&[Piece], &[Piece])> {
    let turnstile = pieces.iter().position(|piece| piece.is(":-"))?;
    let (head, body) = pieces.split_at_checked(turnstile + 1)?;
    let end = body.iter().rposition(|piece| piece.is(".") || piece.is(";")).filter(|at| at + 1 == body.len());
    Some((head, body.get(..end.unwrap_or(body.len()))?))
}

pub(super) fn rule(head: &[Piece], body: &[Piece]) -> Vec<Piece> {
    let mut out = head.to_vec();
    if !head.last().is_some_and(|last| last.is(":-")) {
        out.push(Piece::mark(":-"));
    }
    out.extend_from_slice(body);
    out.push(Piece::mark("."));
    out
}

/// Literals that `and` joins, outside parentheses.
fn with_commas(pieces: &[Piece]) -> Vec<Piece> {
    let mut depth = 0i32;
    let comma = |piece: &Piece| {
        depth += i32::from(piece.is("(")) - i32::from(piece.is(")"));
        if depth == 0 && piece.is_word("and") { Piece::mark(",") } else { piece.clone() }
    };
    pieces.iter().map(comma).collect()
}

/// `if a and b then h.`, `if a: h` and `h :- if a and b then true else false.`
fn if_then(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let (head, body) = parts(pieces).unwrap_or((&[], pieces));
    let (first, rest) = body.split_first()?;
    let then = rest
        .iter()
        .position(|piece| piece.is_word("then"))
        .or_else(|| Some(split(rest, ":").first().filter(|part| part.len() < rest.len())?.len()))?;
    if !first.is_word("if") {
        return None;
    }
    let condition = with_commas(rest.get(..then)?);
    let consequence = rest.get(then + 1..)?;
    if !head.is_empty() {
        let truth = |piece: &Piece| ["true", "false", "else"].contains(&piece.text.as_str());
        return consequence.iter().all(truth).then(|| rule(head, &condition));
    }
    let ends = |piece: &Piece| piece.is(".") || piece.is(";") || piece.is_word("else");
    let end = consequence.iter().position(ends).unwrap_or(consequence.len());
    Some(rule(consequence.get(..end)?, &condition))
}

/// `body => head.` and `body -> head.`
fn head_last(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let arrow = pieces.iter().position(|piece| piece.is("=>") || piece.is("->"))?;
    let (body, head) = (pieces.get(..arrow)?, pieces.get(arrow + 1..)?);
    let head = head.strip_suffix(&[Piece::mark(".")]).unwrap_or(head);
    let is_head = head.first()?.kind == Kind::Word && closing(head, 1).is_some_and(|at| at + 1 == head.len());
    let atoms = split(body, ",").len() > 1 || body.get(1).is_some_and(|piece| piece.is("("));
    let plain = !pieces.iter().any(|piece| piece.is(":-"));
    (is_head && atoms && plain).then(|| rule(head, &with_commas(body)))
}

/// `failures := count([p(Y)])` of Rego, in a body.
fn counted(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let turnstile = pieces.iter().position(|piece| piece.is(":-"))?;
    let at = (turnstile..pieces.len()).find(|at| {
        matches!(pieces.get(at + 1..at + 4), Some([equal, count, open])
            if (equal.is(":=") || equal.is("=")) && count.is_word("count") && open.is("("))
            && pieces.get(at + 4).is_some_and(|list| list.is("[") || list.is("{"))
    })?;
    let (name, close) = (pieces.get(at)?, closing(pieces, at + 4)?);
    let inner = pieces.get(at + 5..close)?;
    // What is counted stands before the bar, what it is taken from after it.
    let body = inner
        .iter()
        .position(|piece| piece.is("|"))
        .map_or(inner, |bar| inner.get(bar + 1..).unwrap_or(inner));
    let upper = |piece: &Piece| match piece.kind == Kind::Word && piece.text == name.text {
        true => Piece::new(Kind::Upper, variable_form(&name.text)),
        false => piece.clone(),
    };
    let before: Vec<Piece> = pieces.get(..=at)?.iter().map(upper).collect();
    let after: Vec<Piece> = pieces.get(close + 2..)?.iter().map(upper).collect();
    let braces = [Piece::mark("="), Piece::new(Kind::Word, "count"), Piece::mark("{")];
    Some([&before, &braces[..], body, &[Piece::mark("}")], &after].concat())
}

/// `h :- a, (b ; c).`
fn nested_either(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let (head, body) = parts(pieces)?;
    let inside = |open: usize| Some((open, closing(body, open)?));
    let opens = body.iter().enumerate().filter(|(_, piece)| piece.is("(")).map(|(at, _)| at);
    let mut found = opens.filter_map(inside).filter_map(|(open, close)| {
        let parts = split(body.get(open + 1..close)?, ";");
        (parts.len() > 1 && parts.iter().all(|part| !part.is_empty())).then_some((open, close, parts))
    });
    let (open, close, parts) = found.next()?;
    let parts = conditional(&parts).unwrap_or_else(|| parts.into_iter().map(<[Piece]>::to_vec).collect());
    let mut out = Vec::new();
    for part in parts {
        let whole = [body.get(..open)?, &part, body.get(close + 1..)?].concat();
        out.extend(rule(head, &whole));
    }
    Some(out)
}

/// `h :- c -> a ; b.`
fn conditionals(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let (head, body) = parts(pieces)?;
    let bodies = conditional(&split(body, ";"))?;
    Some(bodies.into_iter().flat_map(|body| rule(head, &body)).collect())
}

/// The bodies of `c -> a ; b` of Prolog: one where the condition holds, one where it doesn't.
fn conditional(parts: &[&[Piece]]) -> Option<Vec<Vec<Piece>>> {
    let [first, otherwise] = parts else { return None };
    let [condition, then] = split(first, "->").try_into().ok()?;
    let negated = [&[Piece::mark("!"), Piece::mark("(")], condition, &[Piece::mark(")")]].concat();
    let alternatives = [(condition.to_vec(), then), (negated, *otherwise)].into_iter();
    let possible = alternatives
        .filter(|(_, body)| !matches!(body, [one] if one.is_word("fail") || one.is_word("false")));
    let bodies = possible.map(|(condition, body)| match body {
        [one] if one.is_word("true") => condition,
        _ => [&condition, &[Piece::mark(",")][..], body].concat(),
    });
    Some(bodies.collect())
}

/// `X mod 2`.
fn remainder(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let mut out = pieces.to_vec();
    let value = |piece: &Piece| matches!(piece.kind, Kind::Upper | Kind::Value);
    let at = pieces.windows(3).position(
        |three| matches!(three, [left, word, right] if word.is_word("mod") && value(left) && value(right)),
    )?;
    *out.get_mut(at + 1)? = Piece::mark("%");
    Some(out)
}

/// `c ? a : b`.
fn ternary(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let question = pieces.iter().position(|piece| piece.is("?"))?;
    let otherwise = question + pieces.get(question..)?.iter().position(|piece| piece.is(":"))?;
    let (start, end) = around(pieces, question, otherwise)?;
    choice(pieces, start, end, [(start, question), (question + 1, otherwise), (otherwise + 1, end)])
}

pub(super) fn is_text_operator(piece: &Piece) -> bool {
    ["contains", "like", "startswith", "endswith", "starts_with", "ends_with"]
        .iter()
        .any(|word| piece.text.eq_ignore_ascii_case(word))
}

/// `T contains "a"` and `T like "a%"`.
pub(super) fn text_operators(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let value = |piece: Option<&Piece>| {
        piece.filter(|piece| matches!(piece.kind, Kind::Upper | Kind::Value)).map(|piece| piece.text.clone())
    };
    let at = (1..pieces.len()).find(|at| {
        pieces.get(*at).is_some_and(is_text_operator)
            && value(pieces.get(at - 1)).is_some()
            && value(pieces.get(at + 1)).is_some()
    })?;
    let (left, right) = (value(pieces.get(at - 1))?, value(pieces.get(at + 1))?);
    let operator = pieces.get(at)?.text.to_ascii_lowercase();
    // Cedar has `*` where SQL has `%`.
    let right = if operator == "like" { likened(&right) } else { right };
    let (function, right) =
        match (operator.as_str(), right.strip_prefix('"').and_then(|text| text.strip_suffix('"'))) {
            ("like", Some(pattern)) if has_inner_wildcard(pattern) => {
                ("matches", format!("r\"^{}$\"", pattern.replace('.', "\\.").replace('%', ".*")))
            }
            ("like", Some(pattern)) => match (pattern.strip_prefix('%'), pattern.strip_suffix('%')) {
                (Some(inner), Some(_)) => ("contains", format!("\"{}\"", inner.trim_end_matches('%'))),
                (None, Some(start)) => ("starts_with", format!("\"{start}\"")),
                (Some(end), None) => ("ends_with", format!("\"{end}\"")),
                (None, None) => {
                    return replaced(
                        pieces,
                        at,
                        [Piece::new(Kind::Upper, left), Piece::mark("="), Piece::new(Kind::Value, right)]
                            .to_vec(),
                    );
                }
            },
            ("starts_with" | "startswith", _) => ("starts_with", right),
            ("ends_with" | "endswith", _) => ("ends_with", right),
            _ => ("contains", right),
        };
    let call = [
        Piece::new(Kind::Word, function),
        Piece::mark("("),
        Piece::new(Kind::Value, left),
        Piece::mark(","),
        Piece::new(Kind::Value, right),
        Piece::mark(")"),
    ];
    let out = replaced(pieces, at, call.to_vec())?;
    Some(text_operators(&out).unwrap_or(out))
}

/// A pattern of Cedar as SQL has it.
fn likened(pattern: &str) -> String {
    if pattern.contains('%') { pattern.to_owned() } else { pattern.replace('*', "%") }
}

/// Whether a pattern has a `%` between two texts.
fn has_inner_wildcard(pattern: &str) -> bool {
    pattern.trim_matches('%').contains('%')
}

/// `NOT p(X)` of SQL.
fn negated(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let opens = |piece: &Piece| piece.is(":-") || piece.is(",") || piece.is("{");
    let at = pieces.windows(3).position(|three| {
        matches!(three, [before, not, name] if opens(before) && not.text == "NOT" && not.kind == Kind::Upper
            && name.kind == Kind::Word)
    })?;
    let mut out = pieces.to_vec();
    *out.get_mut(at + 1)? = Piece::mark("!");
    Some(negated(&out).unwrap_or(out))
}

/// The pieces with others for the one at `at` and its neighbours.
fn replaced(pieces: &[Piece], at: usize, others: Vec<Piece>) -> Option<Vec<Piece>> {
    Some([pieces.get(..at.checked_sub(1)?)?, &others, pieces.get(at + 2..)?].concat())
}

/// `p(X, *)`.
fn stars(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let bounds =
        |piece: Option<&Piece>| piece.is_some_and(|piece| piece.is("(") || piece.is(",") || piece.is(")"));
    let alone = |at: usize| {
        pieces.get(at).is_some_and(|piece| piece.is("*"))
            && bounds(at.checked_sub(1).and_then(|at| pieces.get(at)))
            && bounds(pieces.get(at + 1))
    };
    let counted = |pair: &[Piece]| matches!(pair, [name, open] if name.text.eq_ignore_ascii_case("count") && open.is("("));
    if pieces.windows(2).any(counted) {
        return None;
    }
    let changed: Vec<Piece> = pieces
        .iter()
        .enumerate()
        .map(|(at, piece)| if alone(at) { Piece::new(Kind::Upper, "_") } else { piece.clone() })
        .collect();
    (changed != pieces).then_some(changed)
}

/// The unit that a word for a time names.
pub(super) fn unit(word: &str) -> Option<&'static str> {
    const UNITS: [(&str, &str); 8] = [
        ("millisecond", "ms"),
        ("second", "s"),
        ("sec", "s"),
        ("minute", "m"),
        ("min", "m"),
        ("hour", "h"),
        ("day", "d"),
        ("week", "w"),
    ];
    let word = word.strip_suffix('s').unwrap_or(word);
    UNITS.iter().find(|(name, _)| *name == word).map(|(_, unit)| *unit)
}

/// `5 minutes`.
fn durations(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let named = |piece: &Piece| if piece.kind == Kind::Word { unit(&piece.text) } else { None };
    let mut out: Vec<Piece> = Vec::with_capacity(pieces.len());
    let mut found = false;
    for piece in pieces {
        let number = |last: &&mut Piece| last.text.bytes().all(|byte| byte.is_ascii_digit());
        match (out.last_mut().filter(number), named(piece)) {
            (Some(last), Some(unit)) => {
                last.text.push_str(unit);
                found = true;
            }
            _ => out.push(piece.clone()),
        }
    }
    for piece in out.iter_mut().filter(|piece| found && piece.kind == Kind::Value) {
        let word = piece.text.trim_start_matches(|c: char| c.is_ascii_digit());
        if let Some(unit) = unit(word).filter(|_| word.len() < piece.text.len()) {
            piece.text = format!("{}{unit}", piece.text.trim_end_matches(word));
        }
    }
    found.then_some(out)
}
