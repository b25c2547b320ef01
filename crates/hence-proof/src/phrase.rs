//! Expressions as text: as the rule has them, and with the values put in.

use hence_core::fault::OrBroken;
use hence_core::index_vec::Id;
use hence_core::literal;
use hence_core::span::{Sources, Span};
use hence_core::value::{Type, Value, Word};
use hence_lang::builtins::aggregate::Aggregate;
use hence_lang::builtins::expr::{Expr, ExprKind, ParamId, VarId};
use hence_lang::builtins::generator::Generator;
use hence_lang::builtins::op::Op;
use hence_lang::builtins::term::Format;
use hence_lang::ir::{Program, Rule};

/// The operators of two sides with how strongly they bind.
const INFIX: [(&str, u8); 11] = [
    ("=", 4),
    ("!=", 4),
    ("<", 4),
    ("<=", 4),
    (">", 4),
    (">=", 4),
    ("+", 5),
    ("-", 5),
    ("*", 6),
    ("/", 6),
    ("%", 6),
];

/// How strongly a comparison, a prefix operator and a call bind.
const COMPARE: u8 = 4;
const PREFIX: u8 = 7;
const CALL: u8 = 8;

/// Writes expressions of one rule.
#[derive(Clone, Copy)]
pub(super) struct Phrase<'a> {
    pub(super) program: &'a Program,
    pub(super) sources: &'a Sources,
    pub(super) rule: &'a Rule,
}

/// The text of variables and parameters.
#[derive(Clone, Copy)]
enum Fill<'v> {
    Names,
    Values {
        vars: &'v [Word],
        params: &'v [Word],
    },
    /// Values for readers: floats in at most six digits, `×` for `*`.
    Readable {
        vars: &'v [Word],
        params: &'v [Word],
    },
}

/// A value for readers: a float in at most six digits.
pub(super) fn readable(value: Value) -> String {
    match value {
        Value::Float(_) => Format::Plain.show(value),
        value => value.to_string(),
    }
}

impl Phrase<'_> {
    /// The expression as the rule has it.
    pub(super) fn written(&self, expr: &Expr) -> String {
        self.slice(expr.span).unwrap_or_else(|| self.text(expr, Fill::Names, 0))
    }

    /// The rule text at a place, in one line.
    pub(super) fn slice(&self, span: Span) -> Option<String> {
        let words: Vec<_> = self.sources.slice(span).split_whitespace().collect();
        (!words.is_empty()).then(|| words.join(" "))
    }

    /// The expression with the values put in.
    pub(super) fn valued(&self, expr: &Expr, vars: &[Word], params: &[Word]) -> String {
        self.text(expr, Fill::Values { vars, params }, 0)
    }

    /// The same for readers.
    pub(super) fn readable(&self, expr: &Expr, vars: &[Word], params: &[Word]) -> String {
        self.text(expr, Fill::Readable { vars, params }, 0)
    }

    /// A condition with the values put in and, where its sides are computed, what they come to.
    pub(super) fn condition(&self, expr: &Expr, vars: &[Word], params: &[Word]) -> String {
        let text = self.valued(expr, vars, params);
        let ExprKind::Call(op, args) = &expr.kind else { return text };
        let [left, right] = args.as_slice() else { return text };
        let name = op.name();
        let compares = INFIX.iter().any(|(infix, strength)| *infix == name && *strength == 4);
        if !compares || (is_leaf(left) && is_leaf(right)) {
            return text;
        }
        let side = |side: &Expr| side.eval(vars, params).ok().map(|word| Value::from_word(side.ty, word));
        match (side(left), side(right)) {
            (Some(left), Some(right)) => format!("{text}, that is {left} {name} {right}"),
            _ => text,
        }
    }

    /// A generator with its arguments as the rule has them, or with the values put in.
    pub(super) fn generator(
        &self,
        generator: &Generator,
        args: &[Expr],
        values: Option<(&[Word], &[Word])>,
    ) -> String {
        if let Some(name) = self.named_set(args).filter(|_| values.is_none()) {
            return name;
        }
        let text = |arg: &Expr| match values {
            Some((vars, params)) => self.valued(arg, vars, params),
            // The values of a closed set are written where it is declared.
            None if matches!(arg.kind, ExprKind::Const(_)) => self.text(arg, Fill::Names, 0),
            None => self.written(arg),
        };
        let mut texts: Vec<_> = args.iter().map(text).collect();
        let name = match generator {
            Generator::Range => "range",
            Generator::Words => "words",
            Generator::Split => "split",
            Generator::Lines => "lines",
            Generator::Chars => "chars",
            Generator::Captures(pattern, group) => {
                texts.push(literal::quoted(pattern.source().as_str()));
                texts.push(group.to_string());
                "captures"
            }
            Generator::List(_) => return format!("[{}]", texts.join(", ")),
            Generator::Elements(_) => return texts.concat(),
        };
        format!("{name}({})", texts.join(", "))
    }

    /// The name of a closed set, where a generator has it in the place of the values.
    fn named_set(&self, args: &[Expr]) -> Option<String> {
        let [Expr { kind: ExprKind::Const(Value::Name(_)), span, .. }, ..] = args else { return None };
        self.slice(*span).filter(|text| literal::is_identifier(text))
    }

    /// An aggregate as the rule has it.
    pub(super) fn aggregate(&self, aggregate: Aggregate, args: &[Expr], span: Span) -> String {
        self.slice(span).unwrap_or_else(|| {
            let texts: Vec<_> = args.iter().map(|arg| self.written(arg)).collect();
            format!("{}({})", aggregate.name(), texts.join(", "))
        })
    }

    fn text(&self, expr: &Expr, fill: Fill<'_>, around: u8) -> String {
        match &expr.kind {
            ExprKind::Const(value) if matches!(fill, Fill::Readable { .. }) => readable(*value),
            ExprKind::Const(value) => value.to_string(),
            ExprKind::Var(var) => self.variable(*var, expr.ty, fill),
            ExprKind::Param(param) => self.param(*param, expr.ty, fill),
            ExprKind::Call(op, args) => self.call(*op, args, fill, around),
            ExprKind::Matches(text, pattern) => {
                let source = pattern.source();
                format!("matches({}, {})", self.text(text, fill, 0), literal::quoted(source.as_str()))
            }
            ExprKind::And(left, right) => self.infix("and", 2, (left, right), fill, around),
            ExprKind::Or(left, right) if is_unknown_too(left, right) => self.open(left, fill),
            ExprKind::Or(left, right) => self.infix("or", 1, (left, right), fill, around),
            ExprKind::If(condition, then, otherwise) => {
                let [c, t, o] = [condition, then, otherwise].map(|part| self.text(part, fill, 0));
                format!("if({c}, {t}, {o})")
            }
            ExprKind::Unknown => self.slice(expr.span).unwrap_or_else(|| String::from("unknown")),
            ExprKind::Undefined(operand) => {
                let mut unknown = false;
                operand.for_each(&mut |part| unknown |= part.kind == ExprKind::Unknown);
                let what = if unknown { "unknown" } else { "undefined" };
                format!("{} is {what}", self.text(operand, fill, 0))
            }
        }
    }

    /// A condition that holds, or has no result.
    fn open(&self, condition: &Expr, fill: Fill<'_>) -> String {
        let shown = self.text(condition, fill, 0);
        match fill {
            Fill::Values { vars, params } | Fill::Readable { vars, params }
                if condition.eval(vars, params).is_err() =>
            {
                format!("{shown} is undefined")
            }
            _ => shown,
        }
    }

    fn call(&self, op: Op, args: &[Expr], fill: Fill<'_>, around: u8) -> String {
        let name = op.name();
        let strength = INFIX.iter().find(|(infix, _)| *infix == name).map(|(_, strength)| *strength);
        match (args, strength) {
            ([value, rest @ ..], _) if matches!(op, Op::Among | Op::In) => {
                let elements: Vec<_> = rest.iter().map(|element| self.text(element, fill, 0)).collect();
                let elements = elements.join(", ");
                let elements = if op == Op::In { elements } else { format!("[{elements}]") };
                let text = format!("{} in {elements}", self.text(value, fill, CALL));
                if around > COMPARE { format!("({text})") } else { text }
            }
            ([left, right], Some(strength)) => self.infix(name, strength, (left, right), fill, around),
            ([operand], _) if name == "-" => format!("-{}", self.text(operand, fill, PREFIX)),
            ([operand], _) if name == "not" => format!("!{}", self.text(operand, fill, CALL)),
            _ => {
                let texts: Vec<_> = args.iter().map(|arg| self.text(arg, fill, 0)).collect();
                format!("{name}({})", texts.join(", "))
            }
        }
    }

    fn infix(&self, name: &str, strength: u8, sides: (&Expr, &Expr), fill: Fill<'_>, around: u8) -> String {
        let left = self.text(sides.0, fill, strength);
        let right = self.text(sides.1, fill, strength + 1);
        let name = if name == "*" && matches!(fill, Fill::Readable { .. }) { "×" } else { name };
        let text = format!("{left} {name} {right}");
        if strength < around { format!("({text})") } else { text }
    }

    fn variable(&self, var: VarId, ty: Type, fill: Fill<'_>) -> String {
        let at = var.0 as usize;
        match fill {
            Fill::Names => self.rule[var].name.to_string(),
            Fill::Values { vars, .. } => {
                Value::from_word(ty, *vars.get(at).or_broken(VarId::INVARIANT)).to_string()
            }
            Fill::Readable { vars, .. } => {
                readable(Value::from_word(ty, *vars.get(at).or_broken(VarId::INVARIANT)))
            }
        }
    }

    fn param(&self, param: ParamId, ty: Type, fill: Fill<'_>) -> String {
        let at = param.0 as usize;
        match fill {
            Fill::Names => self.program[param].name.to_string(),
            Fill::Values { params, .. } => {
                Value::from_word(ty, *params.get(at).or_broken(ParamId::INVARIANT)).to_string()
            }
            Fill::Readable { params, .. } => {
                readable(Value::from_word(ty, *params.get(at).or_broken(ParamId::INVARIANT)))
            }
        }
    }
}

/// Whether the second condition is that the first one has no result.
fn is_unknown_too(first: &Expr, second: &Expr) -> bool {
    matches!(&second.kind, ExprKind::Undefined(operand) if **operand == *first)
}

fn is_leaf(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Const(_) | ExprKind::Var(_) | ExprKind::Param(_))
}
