//! Operations: which one a name means at the types of its operands, and what to say where there is none.

use crate::builtins::aggregate;
use crate::builtins::expr::{Expr, ExprKind};
use crate::builtins::op::{self, Signature};
use hence_core::diagnostic::{Diagnostic, nearest};
use hence_core::fault::OrBroken;
use hence_core::literal;
use hence_core::schema::ColumnType;
use hence_core::span::Span;
use hence_core::value::{Type, Value};
use hence_syntax::tree;

use super::codes;
use super::prose::{a, list};
use super::typing::Typer;
use super::values::{conversion, error, unit};

/// What mends an operation.
pub(super) struct Repair {
    /// What is said of it.
    help: String,
    /// What to write in which place, where that is certain.
    fix: Option<(Span, String)>,
}

impl Repair {
    fn help(help: String) -> Self {
        Self { help, fix: None }
    }

    /// `better` instead of `text`, which stands at `span`.
    fn write(span: Span, better: String, text: &str) -> Self {
        Self { help: format!("write `{better}` instead of `{text}`"), fix: Some((span, better)) }
    }
}

/// What other languages call our functions.
const HABITS: [(&str, &str); 23] = [
    ("average", "mean"),
    ("avg", "mean"),
    ("cat", "concat"),
    ("concatenate", "concat"),
    ("length", "len"),
    ("log", "ln"),
    ("lowercase", "lower"),
    ("power", "pow"),
    ("regex", "matches"),
    ("regex_match", "matches"),
    ("regex_replace", "replace_all"),
    ("regexp_replace", "replace_all"),
    ("replaceall", "replace_all"),
    ("size", "len"),
    ("squareroot", "sqrt"),
    ("std", "stddev"),
    ("strlen", "len"),
    ("sub", "replace_all"),
    ("substr", "substring"),
    ("to_float", "float"),
    ("to_int", "int"),
    ("to_string", "string"),
    ("uppercase", "upper"),
];

/// The operators that compare two values of one type.
const COMPARISONS: [&str; 6] = ["=", "!=", "<", "<=", ">", ">="];

impl Typer<'_> {
    /// The operation `name` on typed operands.
    pub(super) fn operation(&mut self, name: &str, args: Vec<Expr>, span: Span) -> Option<Expr> {
        let types: Vec<_> = args.iter().map(|arg| arg.ty).collect();
        match op::resolve(name, &types) {
            Some((op, ty)) => {
                let expr = Expr { kind: ExprKind::Call(op, args), ty, span };
                self.places_of_time(&expr).map(|()| expr)
            }
            None => {
                let resolves = |types: &[Type]| op::resolve(name, types).is_some();
                let diagnostic = self.no_operation(name, &args, span, op::signatures(name), resolves);
                self.fail(diagnostic)
            }
        }
    }

    /// The error for operands that `name` doesn't take, with the operand that one change would mend.
    pub(super) fn no_operation(
        &self,
        name: &str,
        args: &[Expr],
        span: Span,
        signatures: Vec<Signature>,
        resolves: impl Fn(&[Type]) -> bool,
    ) -> Diagnostic {
        if !signatures.iter().any(|signature| signature.args.len() == args.len()) {
            return wrong_count(name, args.len(), span, &signatures);
        }
        let types: Vec<_> = args.iter().map(|arg| arg.ty).collect();
        let message = match types.as_slice() {
            [left, right] if COMPARISONS.contains(&name) => {
                format!("`{name}` can't compare {} with {}", a(*left), a(*right))
            }
            [left, right] if left == right => format!("`{name}` doesn't take two {left}s"),
            _ => {
                let found: Vec<_> = types.iter().map(|ty| a(*ty)).collect();
                format!("`{name}` doesn't take {}", list(&found, "and"))
            }
        };
        let diagnostic = Diagnostic::new(codes::NO_SUCH_OPERATION, message).at(span, "");
        let diagnostic = args.iter().fold(diagnostic, |diagnostic, arg| diagnostic.at(arg.span, a(arg.ty)));
        let diagnostic = takes(name, &types, &signatures).into_iter().fold(diagnostic, Diagnostic::note);
        let change = self.bare_date(args).or_else(|| self.repair(name, args, span, &resolves));
        match change.or_else(|| self.whole(name, args, &resolves)) {
            Some(Repair { help, fix: Some((span, better)) }) => diagnostic.help(help).fix(span, better),
            Some(Repair { help, fix: None }) => diagnostic.help(help),
            None if name == "+" && types == [Type::String, Type::String] => {
                let texts: Vec<_> = args.iter().map(|arg| self.sources.slice(arg.span)).collect();
                diagnostic.help(format!("join strings with `concat({})`", texts.join(", ")))
            }
            None => diagnostic,
        }
    }

    /// The change of one operand that makes the operation resolve and means what was written: another literal first,
    /// then a conversion that always has a result.
    fn repair(
        &self,
        name: &str,
        args: &[Expr],
        span: Span,
        resolves: impl Fn(&[Type]) -> bool,
    ) -> Option<Repair> {
        const LITERALS: [Type; 7] =
            [Type::Float, Type::Int, Type::Name, Type::Time, Type::Duration, Type::Bool, Type::String];
        const CONVERSIONS: [Type; 2] = [Type::Float, Type::String];
        if let Some(fix) = self.unneeded(name, args, span) {
            return Some(fix);
        }
        let is_literal = |arg: &Expr| matches!(arg.kind, ExprKind::Const(_));
        let tries = |literal: bool, wanted: &'static [Type]| {
            let args = move || args.iter().enumerate().filter(move |(_, arg)| is_literal(arg) == literal);
            wanted.iter().flat_map(move |wanted| args().map(move |(at, arg)| (at, arg, *wanted)))
        };
        tries(true, &LITERALS).chain(tries(false, &CONVERSIONS)).find_map(|(at, arg, wanted)| {
            let mut changed: Vec<Type> = args.iter().map(|arg| arg.ty).collect();
            *changed.get_mut(at).or_broken("an argument has a type") = wanted;
            if !resolves(&changed) || alters(name, arg, wanted) {
                return None;
            }
            let text = self.sources.slice(arg.span);
            let other = args.iter().enumerate().find(|(other, _)| *other != at);
            let set = other.filter(|_| COMPARISONS.contains(&name)).and_then(|(_, other)| self.set_of(other));
            if wanted == Type::Duration
                && let ExprKind::Const(value @ Value::Int(_)) = arg.kind
            {
                let quotient = "; the quotient is a float, so compare it with a float such as `1.0`";
                return Some(Repair::help(unit(value) + if name == "/" { quotient } else { "" }));
            }
            let better = conversion(arg, text, &ColumnType { ty: wanted, set })?;
            Some(Repair::write(arg.span, better, text))
        })
    }

    /// The time that `2026-02-03`, a difference of ints, was meant to be.
    fn bare_date(&self, args: &[Expr]) -> Option<Repair> {
        args.iter().any(|arg| arg.ty == Type::Time).then_some(())?;
        let ints = args.iter().filter(|arg| arg.ty == Type::Int);
        let dates = ints.map(|arg| (arg.span, self.sources.slice(arg.span)));
        let mut dates = dates.filter(|(_, text)| literal::parse_time(&format!("{text}T00:00:00Z")).is_some());
        dates.next().map(|(span, text)| Repair::write(span, format!("@{text}T00:00:00Z"), text))
    }

    /// The float that a function takes as an int: which int is for the author to say.
    fn whole(&self, name: &str, args: &[Expr], resolves: impl Fn(&[Type]) -> bool) -> Option<Repair> {
        let is_function = name.starts_with(|c: char| c.is_ascii_lowercase());
        args.iter().enumerate().filter(|(_, arg)| is_function && arg.ty == Type::Float).find_map(
            |(at, arg)| {
                let mut changed: Vec<Type> = args.iter().map(|arg| arg.ty).collect();
                *changed.get_mut(at)? = Type::Int;
                let text = self.sources.slice(arg.span);
                resolves(&changed).then(|| {
                    Repair::help(format!(
                        "write `round({text})` instead of `{text}`, or `int({text})` to round towards zero"
                    ))
                })
            },
        )
    }

    /// What to write instead of a conversion of a value to the type that it has.
    fn unneeded(&self, name: &str, args: &[Expr], span: Span) -> Option<Repair> {
        let [arg] = args else { return None };
        let there = match name {
            "int" | "round" | "floor" | "ceil" => Type::Int,
            "float" => Type::Float,
            "name" => Type::Name,
            _ => return None,
        };
        let (text, whole) = (self.sources.slice(arg.span), self.sources.slice(span));
        let text = if is_one_term(text) { text.to_owned() } else { format!("({text})") };
        let help = format!("write `{text}` instead of `{whole}`: it is {} already", a(there));
        (arg.ty == there).then_some(Repair { help, fix: Some((span, text)) })
    }

    /// Reports a call of something that is no function.
    pub(super) fn unknown_function(&mut self, name: tree::Ident) -> Option<Expr> {
        if self.names.relation(name.name).is_some() {
            let message = format!("`{}` is a relation, not a value", name.name);
            let help = match name.name.as_str() {
                "now" => "bind it in the body, `now(Now)`, and write `Now` here",
                _ => "use the relation as a body literal and bind its column to a variable there",
            };
            return self.fail(error(codes::RELATION_AS_VALUE, message, name.span).help(help));
        }
        let word = name.name.as_str();
        let diagnostic = error(codes::UNKNOWN_FUNCTION, format!("unknown function `{word}`"), name.span);
        if let Some(instead) = super::foreign::instead_of_function(word) {
            return self.fail(diagnostic.help(instead));
        }
        self.fail(match nearest_function(word) {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic.note(format!("the functions are {}", op::names().join(", "))),
        })
    }
}

/// Whether `arg` as a `wanted` would pass, and mean something else: a text is compared letter by letter, so that `"9"`
/// comes after `"100"`, and two texts of one number or time differ.
fn alters(name: &str, arg: &Expr, wanted: Type) -> bool {
    let ordered = COMPARISONS.contains(&name) && !["=", "!="].contains(&name);
    let written = matches!(arg.kind, ExprKind::Const(_));
    // What takes a text there takes the name of a zone, which is no name of ours.
    let zone = ["year", "month", "day", "weekday", "hour", "minute", "date", "truncate"].contains(&name);
    if wanted == Type::String && zone {
        return true;
    }
    // How long a number is as a text is nobody's question.
    let counted = name == "len" && arg.ty != Type::Name;
    wanted == Type::String && (ordered || counted || (COMPARISONS.contains(&name) && !written))
}

/// Whether an expression stays whole beside any operator: a word, a number, a call.
fn is_one_term(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.');
    let mut depth = 0usize;
    rest.is_empty()
        || rest.starts_with('(')
            && rest.ends_with(')')
            && rest.char_indices().all(|(at, c)| {
                depth = match c {
                    '(' => depth + 1,
                    ')' => depth.saturating_sub(1),
                    _ => depth,
                };
                depth > 0 || at + 1 == rest.len()
            })
}

/// The function or aggregate that `word` was probably meant to be.
pub(super) fn nearest_function(word: &str) -> Option<&'static str> {
    let habit = HABITS.iter().find(|(foreign, _)| *foreign == word.to_lowercase()).map(|(_, ours)| *ours);
    habit.or_else(|| nearest(word, op::names().iter().chain(aggregate::names()).copied()))
}

/// What `name` takes, as far as it is near to what was found.
fn takes(name: &str, found: &[Type], signatures: &[Signature]) -> Vec<String> {
    let fitting: Vec<_> = signatures.iter().filter(|signature| signature.args.len() == found.len()).collect();
    let uniform = |signature: &&Signature| signature.args.iter().all(|ty| Some(ty) == signature.args.first());
    if COMPARISONS.contains(&name) {
        return Vec::new();
    }
    if fitting.len() > 5 && fitting.iter().all(uniform) && found.len() > 1 {
        return vec![format!("`{name}` takes values of one type")];
    }
    let near =
        |signature: &&&Signature| signature.args.iter().zip(found).any(|(ours, theirs)| ours == theirs);
    let nearer: Vec<_> = fitting.iter().filter(near).collect();
    let shown = if nearer.is_empty() { fitting.iter().collect() } else { nearer };
    shown.into_iter().take(5).map(|signature| signature.show(name)).collect()
}

/// The error for another number of arguments than `name` takes.
pub(super) fn wrong_count(name: &str, found: usize, span: Span, signatures: &[Signature]) -> Diagnostic {
    let mut counts: Vec<_> = signatures.iter().map(|signature| signature.args.len()).collect();
    counts.sort_unstable();
    counts.dedup();
    let takes = if name == "concat" { String::from("2 or more") } else { list(&counts, "or") };
    let noun = if takes == "1" { "argument" } else { "arguments" };
    let message = format!("expected {takes} {noun} for `{name}`, found {found}");
    let diagnostic = error(codes::WRONG_ARGUMENTS, message, span);
    let diagnostic = match (name, found) {
        ("range", 1) => diagnostic.help("write both ends: `range(0, 10)`"),
        _ => diagnostic,
    };
    match signatures {
        [] => diagnostic,
        few if few.len() <= 3 => {
            few.iter().fold(diagnostic, |diagnostic, signature| diagnostic.note(signature.show(name)))
        }
        _ => diagnostic,
    }
}
