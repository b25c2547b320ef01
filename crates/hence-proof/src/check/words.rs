//! The texts that a proof must hold, made again from the rule and the bindings as `docs/proof-format.md` says.

use hence_core::fault::OrBroken;
use hence_core::literal;
use hence_core::span::{Sources, Span};
use hence_core::value::{Type, Value, Word};
use hence_lang::builtins::expr::{Expr, ExprKind};
use hence_lang::builtins::generator::Generator;
use hence_lang::builtins::op::Op;
use hence_lang::builtins::term::{Part, Show};
use hence_lang::ir::{Program, Rule};

/// What a rule names is of its own program, and its variables are checked before it is phrased.
const OWN: &str = "a rule names parameters, columns and variables that there are";

/// The sentence of a rule; a variable that has no value in the step as a whole reads `…`.
pub(super) fn sentence(
    program: &Program,
    rule: &Rule,
    row: &[Word],
    vars: &[Option<Word>],
    show: Show,
) -> Option<String> {
    let part = |part: &Part| -> String {
        match part {
            Part::Text(text) => text.to_string(),
            Part::Param(param, format) => {
                show(*format, program.params.get(param.0 as usize).or_broken(OWN).value)
            }
            Part::Column(column, format) => {
                let ty = program.relation(rule.head).and_then(|found| found.columns.get(*column as usize));
                let (column, word) = ty.zip(row.get(*column as usize)).or_broken(OWN);
                show(*format, Value::from_word(column.ty.ty, *word))
            }
            Part::Var(var, format) => {
                let ty = rule.variables.get(var.0 as usize).map(|variable| variable.ty.ty);
                let found = ty.zip(vars.get(var.0 as usize).copied().flatten());
                found.map_or(String::from("…"), |(ty, word)| show(*format, Value::from_word(ty, word)))
            }
        }
    };
    Some(rule.because.as_ref()?.parts.iter().map(part).collect())
}

/// How tightly an operator holds its sides together; calls hold tightest.
fn tightness(expr: &Expr) -> u8 {
    match &expr.kind {
        ExprKind::Or(..) => 1,
        ExprKind::And(..) => 2,
        ExprKind::Call(Op::Among | Op::In, _) => 4,
        ExprKind::Call(op, args) if args.len() == 2 => match op.name() {
            "=" | "!=" | "<" | "<=" | ">" | ">=" => 4,
            "+" | "-" => 5,
            "*" | "/" | "%" => 6,
            _ => 9,
        },
        _ => 9,
    }
}

/// An expression with the values put in.
pub(super) fn filled(program: &Program, expr: &Expr, vars: &[Word]) -> String {
    let show = |ty: Type, word: Option<&Word>| Value::from_word(ty, word.copied().or_broken(OWN)).to_string();
    let inner = |part: &Expr| filled(program, part, vars);
    let list = |parts: &[Expr]| parts.iter().map(inner).collect::<Vec<_>>().join(", ");
    let two = |name: &str, left: &Expr, right: &Expr| {
        let hold = tightness(expr);
        let left = wrapped(left, hold, inner(left));
        let right = wrapped(right, hold + 1, inner(right));
        format!("{left} {name} {right}")
    };
    match &expr.kind {
        ExprKind::Const(value) => value.to_string(),
        ExprKind::Var(var) => show(expr.ty, vars.get(var.0 as usize)),
        ExprKind::Param(param) => program.params.get(param.0 as usize).or_broken(OWN).value.to_string(),
        ExprKind::Matches(text, pattern) => {
            format!("matches({}, {})", inner(text), literal::quoted(pattern.source().as_str()))
        }
        ExprKind::And(left, right) => two("and", left, right),
        ExprKind::Or(left, right) => two("or", left, right),
        ExprKind::If(condition, then, other) => {
            format!("if({}, {}, {})", inner(condition), inner(then), inner(other))
        }
        ExprKind::Unknown => String::from("unknown"),
        ExprKind::Undefined(operand) => format!("{} is unknown", inner(operand)),
        ExprKind::Call(op, args) => match (args.as_slice(), op.name()) {
            ([value, elements @ ..], "in") => {
                let elements = list(elements);
                let elements = if *op == Op::In { elements } else { format!("[{elements}]") };
                format!("{} in {elements}", wrapped(value, 8, inner(value)))
            }
            ([left, right], name) if tightness(expr) < 9 => two(name, left, right),
            ([only], "-") => format!("-{}", wrapped(only, 7, inner(only))),
            ([only], "not") => format!("!{}", wrapped(only, 8, inner(only))),
            (args, name) => format!("{name}({})", list(args)),
        },
    }
}

fn wrapped(expr: &Expr, outside: u8, text: String) -> String {
    if tightness(expr) < outside { format!("({text})") } else { text }
}

/// A condition with the values put in; a comparison of computed sides with what they come to after it.
pub(super) fn condition(program: &Program, expr: &Expr, vars: &[Word]) -> String {
    let text = filled(program, expr, vars);
    let plain = |side: &Expr| matches!(side.kind, ExprKind::Const(_) | ExprKind::Var(_) | ExprKind::Param(_));
    let ExprKind::Call(op, args) = &expr.kind else { return text };
    let [left, right] = args.as_slice() else { return text };
    if !compares(*op) || (plain(left) && plain(right)) {
        return text;
    }
    let params = program.param_words();
    let side = |side: &Expr| Some(Value::from_word(side.ty, side.eval(vars, &params).ok()?));
    match side(left).zip(side(right)) {
        Some((left, right)) => format!("{text}, that is {left} {} {right}", op.name()),
        None => text,
    }
}

fn compares(op: Op) -> bool {
    matches!(op.name(), "=" | "!=" | "<" | "<=" | ">" | ">=")
}

/// A generator with the values put in.
pub(super) fn generator(program: &Program, generator: &Generator, args: &[Expr], vars: &[Word]) -> String {
    generated(generator, args.iter().map(|arg| filled(program, arg, vars)).collect())
}

/// The rule text at a place, in one line.
pub(super) fn quoted(sources: &Sources, span: Span) -> String {
    sources.slice(span).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A generator of these arguments.
pub(super) fn generated(generator: &Generator, mut parts: Vec<String>) -> String {
    if let Generator::Captures(pattern, group) = generator {
        parts.extend([literal::quoted(pattern.source().as_str()), group.to_string()]);
    }
    match generator {
        Generator::List(_) => return format!("[{}]", parts.join(", ")),
        Generator::Elements(_) => return parts.concat(),
        _ => {}
    }
    let name = format!("{generator:?}").to_lowercase();
    format!("{}({})", name.split('(').next().unwrap_or(""), parts.join(", "))
}
