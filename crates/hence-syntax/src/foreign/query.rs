//! What SQL puts around a rule's body or into it: `CASE`, `INTERVAL`, `ORDER BY`, `GROUP BY`, `HAVING`, `JOIN`.

use super::scan::{Kind, Piece, closing, split};
use super::variable::variable_form;

fn find(pieces: &[Piece], word: &str) -> Option<usize> {
    pieces.iter().position(|piece| piece.is_keyword(word))
}

/// What stands before `at`, without a comma that led there.
fn before(pieces: &[Piece], at: usize) -> Option<&[Piece]> {
    let kept = pieces.get(..at)?;
    Some(kept.strip_suffix(&[Piece::mark(",")]).unwrap_or(kept))
}

/// The clause without what begins at `at`, its full stop kept.
fn ended(pieces: &[Piece], at: usize) -> Option<Vec<Piece>> {
    Some([before(pieces, at)?, &[Piece::mark(".")]].concat())
}

/// `CASE WHEN c THEN a ELSE b END`.
pub(super) fn cases(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let at = pieces
        .windows(2)
        .position(|two| matches!(two, [case, when] if case.is_keyword("case") && when.is_keyword("when")))?;
    let end = at + find(pieces.get(at..)?, "end")?;
    let otherwise = at + find(pieces.get(at..end)?, "else")?;
    let mut out = pieces.get(..at)?.to_vec();
    let (mut rest, mut open) = (pieces.get(at + 2..otherwise)?, 0);
    loop {
        let then = find(rest, "then")?;
        let next = find(rest, "when").unwrap_or(rest.len());
        out.extend([Piece::new(Kind::Word, "if"), Piece::mark("(")]);
        out.extend_from_slice(rest.get(..then)?);
        out.push(Piece::mark(","));
        out.extend_from_slice(rest.get(then + 1..next)?);
        out.push(Piece::mark(","));
        open += 1;
        rest = rest.get(next + 1..).unwrap_or_default();
        if rest.is_empty() {
            break;
        }
    }
    out.extend_from_slice(pieces.get(otherwise + 1..end)?);
    out.extend(std::iter::repeat_n(Piece::mark(")"), open));
    out.extend_from_slice(pieces.get(end + 1..)?);
    Some(out)
}

/// `NOW() - INTERVAL '1 hour'`.
pub(super) fn intervals(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let at = pieces.windows(2).position(
        |two| matches!(two, [word, value] if word.is_keyword("interval") && value.kind == Kind::Value),
    )?;
    let text = pieces.get(at + 1)?.text.trim_matches('"');
    let (number, unit) = text.split_once(' ').map_or((text, None), |(number, unit)| (number, Some(unit)));
    let (unit, end) = match unit {
        Some(unit) => (unit, at + 2),
        None => (pieces.get(at + 2)?.text.as_str(), at + 3),
    };
    let unit = super::habit::unit(&unit.to_lowercase())?;
    let lasts = [Piece::new(Kind::Value, format!("{number}{unit}"))];
    Some([pieces.get(..at)?, &lasts, pieces.get(end..)?].concat())
}

/// `NOW()` of a condition: `now(Now)` binds the time.
pub(super) fn clocks(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let turnstile = pieces.iter().position(|piece| piece.is(":-"))?;
    let mut out = pieces.to_vec();
    let called = |out: &[Piece]| {
        out.windows(3).position(
            |three| matches!(three, [now, open, close] if now.is_keyword("now") && open.is("(") && close.is(")")),
        )
    };
    while let Some(at) = called(&out) {
        out.splice(at..at + 3, [Piece::new(Kind::Upper, "Now")]);
    }
    if out == pieces {
        return None;
    }
    let atom = [Piece::new(Kind::Word, "now(Now)"), Piece::mark(",")];
    out.splice(turnstile + 1..turnstile + 1, atom);
    Some(out)
}

/// `ORDER BY K DESC LIMIT 1`.
pub(super) fn ordered(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let at = pieces.windows(2).position(
        |two| matches!(two, [order, by] if order.text == "ORDER" && by.is_keyword("by") && order.kind == Kind::Upper),
    )?;
    let tail: Vec<Piece> = pieces.get(at + 2..)?.iter().filter(|piece| !piece.is(".")).cloned().collect();
    let Some(limit) = find(&tail, "limit") else { return ended(pieces, at) };
    let mut out = ended(pieces, at)?;
    out.pop();
    out.push(Piece::new(Kind::Word, "limit"));
    out.extend_from_slice(tail.get(limit + 1..)?);
    out.push(Piece::new(Kind::Word, "by"));
    out.extend(tail.get(..limit)?.iter().filter(|piece| !piece.is_keyword("asc")).map(|piece| {
        match piece.is_keyword("desc") {
            true => Piece::new(Kind::Word, "desc"),
            false => piece.clone(),
        }
    }));
    out.push(Piece::mark("."));
    Some(out)
}

/// `group by R`: the columns of the head that are no aggregates.
pub(super) fn grouped(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let at = pieces
        .windows(2)
        .position(|two| matches!(two, [group, by] if group.is_keyword("group") && by.is_keyword("by")))?;
    let plain = |piece: &Piece| piece.kind == Kind::Upper && !piece.is_keyword("having") || piece.is(",");
    let len = pieces.get(at + 2..)?.iter().take_while(|piece| plain(piece)).count();
    Some([before(pieces, at)?, pieces.get(at + 2 + len..)?].concat())
}

/// `h(R, count()) :- b, having count() > 2.`: a second rule tests what the first one counts.
pub(super) fn having(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let at = pieces.windows(3).position(
        |three| matches!(three, [having, function, open] if having.is_keyword("having") && function.kind != Kind::Mark && open.is("(")),
    )?;
    let head_close = closing(pieces, 1)?;
    let terms = split(pieces.get(2..head_close)?, ",");
    let tested = pieces.get(at + 1..=closing(pieces, at + 2)?)?;
    let is_tested = |term: &[Piece]| term.first() == tested.first();
    if terms.iter().filter(|term| is_tested(term)).count() != 1 {
        return None;
    }
    let shown: Vec<Vec<Piece>> = terms
        .iter()
        .map(|term| match (is_tested(term), term) {
            (true, _) => vec![Piece::new(Kind::Upper, "N")],
            (false, [one]) => vec![one.clone()],
            _ => vec![Piece::new(Kind::Upper, "_")],
        })
        .collect();
    let named: Vec<Vec<Piece>> =
        shown.iter().filter(|term| !term.iter().any(|piece| piece.text == "_")).cloned().collect();
    let name = pieces.first()?;
    let condition = pieces.get(at + 1 + tested.len()..)?;
    let second = [
        &[Piece::new(Kind::Word, format!("{}_kept", name.text)), Piece::mark("(")],
        &named.join(&Piece::mark(","))[..],
        &[Piece::mark(")"), Piece::mark(":-"), name.clone(), Piece::mark("(")],
        &shown.join(&Piece::mark(","))[..],
        &[Piece::mark(")"), Piece::mark(","), Piece::new(Kind::Upper, "N")],
        condition,
    ];
    Some([ended(pieces, at)?, second.concat()].concat())
}

/// `h(R) :- b, count() > 2.`: the first rule counts for each head, the second one tests.
pub(super) fn tested(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let turnstile = pieces.iter().position(|piece| piece.is(":-"))?;
    let body = pieces.get(turnstile + 1..)?;
    let body = body.strip_suffix(&[Piece::mark(".")]).unwrap_or(body);
    let literals = split(body, ",");
    let tests = |literal: &&[Piece]| {
        // One term at most: of what has more, the matches are meant.
        let plain = closing(literal, 1).is_some_and(|close| close < 4)
            && literal.get(1).is_some_and(|open| open.is("("));
        let function = plain && literal.first().is_some_and(is_aggregate);
        let sign = closing(literal, 1).and_then(|close| literal.get(close + 1));
        function && sign.is_some_and(|sign| ["<", "<=", ">", ">=", "=", "!="].iter().any(|op| sign.is(op)))
    };
    let [test] = literals.iter().copied().filter(tests).collect::<Vec<_>>().try_into().ok()?;
    let others: Vec<_> = literals.iter().filter(|literal| !tests(literal)).map(|one| one.to_vec()).collect();
    let (name, open, close) = (pieces.first()?, pieces.get(1)?, closing(pieces, 1)?);
    let terms = pieces.get(2..close)?;
    let plain = split(terms, ",").iter().all(|term| term.len() == 1);
    if others.is_empty() || !open.is("(") || close + 1 != turnstile || !plain || terms.is_empty() {
        return None;
    }
    let free = |name: &&str| !pieces.iter().any(|piece| piece.text == **name);
    let value = Piece::new(Kind::Upper, ["N", "Total", "Value"].into_iter().find(free)?);
    let (aggregate, condition) = test.split_at_checked(closing(test, 1)? + 1)?;
    let own = Piece::new(Kind::Word, format!("{}_{}", name.text, aggregate.first()?.text));
    let (comma, end) = (Piece::mark(","), Piece::mark("."));
    let (own_head, head) = ([own, open.clone()], [name.clone(), open.clone()]);
    let (close, turnstile) = (Piece::mark(")"), Piece::mark(":-"));
    let first =
        [&own_head, terms, std::slice::from_ref(&comma), aggregate, &[close.clone(), turnstile.clone()]]
            .concat();
    let first = [first, others.join(&comma), vec![end.clone()]].concat();
    let reads = [&own_head, terms, &[comma.clone(), value.clone(), close.clone(), comma, value]].concat();
    let second = [&head, terms, &[close, turnstile], &reads, condition, &[end]].concat();
    Some([first, second].concat())
}

/// `h(R, N) :- b, N = count().`: the aggregate is a column of the head.
pub(super) fn headed(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let turnstile = pieces.iter().position(|piece| piece.is(":-"))?;
    let at = pieces.windows(4).position(|four| {
        matches!(four, [value, equal, function, open] if value.kind == Kind::Upper && equal.is("=")
            && is_aggregate(function) && open.is("("))
    })?;
    let end = closing(pieces, at + 3)? + 1;
    let (value, head) = (pieces.get(at)?, pieces.get(..turnstile)?);
    let place = head.iter().position(|piece| piece == value)?;
    let alone = pieces.iter().filter(|piece| *piece == value).count() == 2;
    let rest = pieces.get(end..)?;
    if !alone || at < turnstile || !rest.first().is_some_and(|after| after.is(".") || after.is(",")) {
        return None;
    }
    let kept = pieces.get(place + 1..at)?;
    let (kept, rest) = match kept.split_last().filter(|(last, _)| last.is(",")) {
        Some((_, kept)) => (kept, rest),
        None => (kept, rest.strip_prefix(&[Piece::mark(",")])?),
    };
    Some([head.get(..place)?, pieces.get(at + 2..end)?, kept, rest].concat())
}

/// A function that is an aggregate of one term wherever it stands.
fn is_aggregate(piece: &Piece) -> bool {
    ["count", "sum", "mean", "median", "stddev"].iter().any(|name| piece.is_word(name))
}

/// `robot R JOIN job K ON R.id = K.robot`, and `JOIN` between two atoms.
pub(super) fn joined(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let at = find(pieces, "join").filter(|at| *at > 1)?;
    let before = pieces.get(..at)?;
    let kinds = ["inner", "left", "right", "outer", "full"];
    let kept = before.iter().rposition(|piece| !kinds.iter().any(|kind| piece.is_keyword(kind)))? + 1;
    let before = before.get(..kept)?;
    let after = pieces.get(at + 1..)?;
    if before.last()?.is(")") {
        let mut out = [before, &[Piece::mark(",")], after].concat();
        if let Some(on) = find(&out, "on") {
            *out.get_mut(on)? = Piece::mark(",");
        }
        return Some(joined(&out).unwrap_or(out));
    }
    let [left, alias] = before.get(before.len().checked_sub(2)?..)? else { return None };
    let [right, other, on, first, dot, column, equal, second, also, with] = after.get(..10)? else {
        return None;
    };
    let reads = left.kind == Kind::Word && right.kind == Kind::Word && dot.is(".") && also.is(".");
    if !(reads && on.is_keyword("on") && (equal.is("=") || equal.is("=="))) {
        return None;
    }
    let (own, joins) = match (first == alias && second == other, first == other && second == alias) {
        (true, _) => (column, with),
        (_, true) => (with, column),
        _ => return None,
    };
    // A row is known by its `id`, whose variable is the alias.
    let shared = match (own.text.as_str(), joins.text.as_str()) {
        ("id", _) => alias.text.clone(),
        (_, "id") => other.text.clone(),
        _ => variable_form(&joins.text),
    };
    let used = |alias: &&Piece| pieces.iter().filter(|piece| piece == alias).count() > 2;
    let atom = |relation: &Piece, alias: &Piece, column: &Piece| {
        let id = Some(alias).filter(used).filter(|_| column.text != "id");
        let id = id.map_or_else(String::new, |alias| format!("id: {}, ", alias.text));
        Piece::new(Kind::Word, format!("{}({id}{}: {shared})", relation.text, column.text))
    };
    let atoms = [atom(left, alias, own), Piece::mark(","), atom(right, other, joins)];
    Some([before.get(..before.len() - 2)?, &atoms, after.get(10..)?].concat())
}

/// `count(*)`.
pub(super) fn starred(pieces: &[Piece]) -> Option<Vec<Piece>> {
    let at = pieces.windows(4).position(|four| {
        matches!(four, [count, open, star, close] if count.is_keyword("count") && open.is("(") && star.is("*") && close.is(")"))
    })?;
    let count = [Piece::new(Kind::Word, "count"), Piece::mark("("), Piece::mark(")")];
    let out = [pieces.get(..at)?, &count, pieces.get(at + 4..)?].concat();
    Some(starred(&out).unwrap_or(out))
}
