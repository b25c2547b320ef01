//! A rule as a query for the facts that it derives, and the queries that stop the script where an operation has no result.

use hence_core::literal::visible;
use hence_core::value::Value;
use hence_lang::builtins::aggregate::Aggregate;
use hence_lang::builtins::expr::{Expr, ExprKind, VarId};
use hence_lang::builtins::term::{Limit, Term};
use hence_lang::ir::{Literal, Rule};

use super::aggregate;
use super::body::{Body, Builder, Context, Part, known, outside, uncertain};
use super::refusal::{UnsupportedConstruct, Written};

/// The facts that a rule derives, with columns `h0`, `h1`, …
pub(super) fn query(context: Context<'_>, rule: &Rule) -> Written {
    let body = Builder::new(context, rule, Part::Whole).build()?;
    if let Some(limit) = &rule.limit {
        return limited(context, rule, limit, &body);
    }
    if rule.is_aggregate() { aggregated(context, rule, &body) } else { plain(context, rule, &body) }
}

fn plain(context: Context<'_>, rule: &Rule, body: &Body) -> Written {
    let mut columns = Vec::new();
    for (at, expr) in rule.head_exprs().enumerate() {
        columns.push(format!("{} AS h{at}", outside(context, expr)?));
    }
    if columns.is_empty() {
        columns.push(String::from("TRUE AS h0"));
    }
    Ok(format!("SELECT DISTINCT {} FROM {}", columns.join(", "), body.matches()))
}

fn aggregated(context: Context<'_>, rule: &Rule, body: &Body) -> Written {
    let (mut inner, mut outer, mut group) = (Vec::new(), Vec::new(), Vec::new());
    for (at, term) in rule.terms.iter().enumerate() {
        match term {
            Term::Expr(expr) => {
                inner.push(format!("{} AS h{at}", outside(context, expr)?));
                outer.push(format!("m.h{at} AS h{at}"));
                group.push(format!("m.h{at}"));
            }
            Term::Aggregate { aggregate, args, span } => {
                let mut names = Vec::new();
                for arg in args {
                    let name = format!("a{}", inner.len());
                    inner.push(format!("{} AS {name}", outside(context, arg)?));
                    names.push(format!("m.{name}"));
                }
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                let types: Vec<_> = args.iter().map(|arg| arg.ty).collect();
                let value = aggregate::write(context.dialect, *span, *aggregate, &types, &names)?;
                outer.push(format!("{} AS h{at}", exact(context, rule, *aggregate, value)));
            }
        }
    }
    if inner.is_empty() {
        inner.push(String::from("1 AS one"));
    }
    let matches = format!("(SELECT {} FROM {}) AS m", inner.join(", "), body.matches());
    let by = if group.is_empty() {
        String::from("HAVING COUNT(*) > 0")
    } else {
        format!("GROUP BY {}", group.join(", "))
    };
    Ok(format!("SELECT {} FROM {matches} {by}", outer.join(", ")))
}

/// An aggregate that stops the script where it has no exact value.
fn exact(context: Context<'_>, rule: &Rule, aggregate: Aggregate, value: String) -> String {
    if !matches!(aggregate, Aggregate::Sum | Aggregate::Mean) {
        return value;
    }
    let because = format!("an aggregate has no exact value in the rule `{}`", rule.id);
    context.dialect.required(value, &visible(&because))
}

/// The first facts of each group by their best keys, ties by the columns of the head.
fn limited(context: Context<'_>, rule: &Rule, limit: &Limit, body: &Body) -> Written {
    let most = most(context, limit)?;
    let (mut inner, mut head, mut result) = (Vec::new(), Vec::new(), Vec::new());
    for (at, expr) in rule.head_exprs().enumerate() {
        if limit.rank.is_some_and(|rank| expr.kind == ExprKind::Var(rank)) {
            result.push(format!("CAST(m.place AS BIGINT) AS h{at}"));
            continue;
        }
        inner.push(format!("{} AS h{at}", outside(context, expr)?));
        head.push(format!("m.h{at}"));
        result.push(format!("m.h{at} AS h{at}"));
    }
    let group: Vec<String> = limit.per.iter().map(|var| format!("m.p{}", var.0)).collect();
    inner.extend(limit.per.iter().map(|var: &VarId| format!("{} AS p{}", super::body::outer(*var), var.0)));
    let mut keys = Vec::new();
    for (at, (key, descending)) in limit.by.iter().enumerate() {
        inner.push(format!("{} AS k{at}", outside(context, key)?));
        keys.push(format!("m.k{at}{}", if *descending { " DESC" } else { "" }));
    }
    if result.is_empty() {
        result.push(String::from("TRUE AS h0"));
    }
    let once = [group.as_slice(), &head].concat();
    let order = [keys.as_slice(), &head].concat();
    let matches = format!("(SELECT {} FROM {}) AS m", inner.join(", "), body.matches());
    let best = format!("(SELECT m.*, {} FROM {matches}) AS m", numbered(&once, &keys, "best"));
    let placed =
        format!("(SELECT m.*, {} FROM {best} WHERE m.best = 1) AS m", numbered(&group, &order, "place"));
    Ok(format!("SELECT DISTINCT {} FROM {placed} WHERE m.place <= {most}", result.join(", ")))
}

fn numbered(per: &[String], by: &[String], name: &str) -> String {
    let per = if per.is_empty() { String::new() } else { format!("PARTITION BY {} ", per.join(", ")) };
    format!("ROW_NUMBER() OVER ({per}ORDER BY {}) AS {name}", by.join(", "))
}

/// How many facts a limit keeps.
fn most(context: Context<'_>, limit: &Limit) -> Written<i64> {
    let count = limit.count.eval(&[], &context.program.param_words());
    count.map(|word| word.as_int()).map_err(|_| {
        UnsupportedConstruct::new(
            limit.count.span,
            "a limit whose count has no result",
            "give it a count that has one",
        )
    })
}

/// Queries with a row where an operation of the rule has no result.
///
/// `hence` reports an operation where all literals hold that don't depend on it. The first query is over all literals; the
/// second leaves out atoms that are matched by the value of an operation, since without the value nothing tells which
/// facts match.
pub(super) fn lost(context: Context<'_>, rule: &Rule) -> Written<Vec<String>> {
    let uncertain = uncertain(rule);
    let mut whole = Builder::new(context, rule, Part::Whole).build()?;
    for expr in asked(rule).filter(|expr| expr.may_fail()) {
        whole.may.push(known(&outside(context, expr)?));
    }
    let mut found = vec![whole];
    let by_value = |literal: &Literal| {
        literal.positive().is_some_and(|atom| atom.vars().any(|var| uncertain.contains(&var)))
    };
    if rule.body.iter().any(by_value) {
        found.push(Builder::new(context, rule, Part::Certain).build()?);
    }
    Ok(found.iter().filter(|body| !body.may.is_empty()).map(unknown).collect())
}

fn unknown(body: &Body) -> String {
    let may = format!("({}) IS NULL", body.may.join(" AND "));
    let all: Vec<&str> = body.holds.iter().map(String::as_str).chain([may.as_str()]).collect();
    format!("{} WHERE {}", body.table(), all.join(" AND "))
}

/// The expressions that are evaluated for each match.
fn asked(rule: &Rule) -> impl Iterator<Item = &Expr> {
    rule.head_exprs().chain(rule.limit.iter().flat_map(Limit::keys))
}

/// The operations of a rule that may have no result, as a message names them.
pub(super) fn failing(rule: &Rule) -> Vec<&Expr> {
    let mut found = Vec::new();
    let own = rule.body.iter().flat_map(Literal::exprs).chain(asked(rule));
    own.filter(|expr| expr.may_fail()).for_each(|expr| innermost(expr, &mut found));
    found
}

fn innermost<'e>(expr: &'e Expr, found: &mut Vec<&'e Expr>) {
    if matches!(&expr.kind, ExprKind::Call(op, _) if op.may_fail()) {
        found.push(expr);
    } else {
        expr.parts().into_iter().for_each(|part| innermost(part, found));
    }
}

/// The facts of the rule files as rows.
pub(super) fn row(context: Context<'_>, values: &[Value]) -> String {
    if values.is_empty() {
        return String::from("(TRUE)");
    }
    let values: Vec<String> = values.iter().map(|value| context.dialect.literal(*value)).collect();
    format!("({})", values.join(", "))
}
