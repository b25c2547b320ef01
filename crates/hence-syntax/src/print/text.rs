//! Expressions, atoms and literals as text on one line.

use hence_core::literal::{is_hidden, quoted};
use hence_core::value::Value;

use super::super::tree::{
    Args, Atom, BinaryOp, BodyAggregate, Expr, ExprKind, Ident, Limit, Literal, LiteralKind, Rule, UnaryOp,
};

/// How tightly the surroundings of an expression bind; a looser expression gets parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Or,
    And,
    Not,
    Compare,
    Sum,
    Product,
    Sign,
}

impl Level {
    /// The level that the right operand of an operator at this level needs.
    pub(super) fn next(self) -> Self {
        match self {
            Self::Or => Self::And,
            Self::And => Self::Not,
            Self::Not => Self::Compare,
            Self::Compare => Self::Sum,
            Self::Sum => Self::Product,
            Self::Product | Self::Sign => Self::Sign,
        }
    }

    /// The level that the left operand of an operator at this level needs.
    pub(super) fn left(self) -> Self {
        if self == Self::Compare { self.next() } else { self }
    }

    /// The level of an operator.
    pub(super) fn of(op: BinaryOp) -> Self {
        match op {
            BinaryOp::Or => Self::Or,
            BinaryOp::And => Self::And,
            BinaryOp::Add | BinaryOp::Subtract => Self::Sum,
            BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Remainder => Self::Product,
            _ => Self::Compare,
        }
    }
}

/// Writes parts of a tree; literals as the source has them, if there is one.
#[derive(Clone, Copy)]
pub(super) struct Texts<'a> {
    /// The text that the tree was read from.
    pub(super) source: Option<&'a str>,
}

impl Texts<'_> {
    /// The source text of a span.
    fn slice(&self, span: hence_core::span::Span) -> Option<&str> {
        self.source.and_then(|source| source.get(span.range())).filter(|text| !text.is_empty())
    }

    /// An expression where any is allowed.
    pub(super) fn expr(&self, expr: &Expr) -> String {
        self.at_level(expr, Level::Or)
    }

    /// An expression, in parentheses if it binds more loosely than `around`.
    pub(super) fn at_level(&self, expr: &Expr, around: Level) -> String {
        let mut out = String::new();
        self.write(expr, around, &mut out);
        out
    }

    /// An expression that is not a literal of a body by itself: `and` and `or` get parentheses.
    fn condition(&self, expr: &Expr) -> String {
        let mut out = String::new();
        match &expr.kind {
            ExprKind::Unary(UnaryOp::Not, operand) => {
                out.push('!');
                self.write(operand, Level::Sign, &mut out);
            }
            _ => self.write(expr, Level::Not, &mut out),
        }
        out
    }

    fn write(&self, expr: &Expr, around: Level, out: &mut String) {
        match &expr.kind {
            ExprKind::Wildcard => out.push('_'),
            ExprKind::Variable(name) | ExprKind::Ident(name) => out.push_str(name.as_str()),
            ExprKind::Literal(value) => out.push_str(&self.value(*value, expr)),
            ExprKind::Unary(op, operand) => self.unary(*op, operand, around, out),
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, around, out),
            ExprKind::Call(name, args) => {
                out.push_str(name.name.as_str());
                out.push_str(&self.terms(args));
            }
            ExprKind::List(elements) => {
                let elements: Vec<_> = elements.iter().map(|element| self.expr(element)).collect();
                out.push_str(&format!("[{}]", elements.join(", ")));
            }
            ExprKind::In(left, right) => {
                let side = |expr: &Expr| self.at_level(expr, Level::Sum);
                let text = format!("{} in {}", side(left), side(right));
                out.push_str(&if around > Level::Compare { format!("({text})") } else { text });
            }
            ExprKind::Error => out.push_str(self.slice(expr.span).unwrap_or("…")),
        }
    }

    /// A string as it was written, unless something in it is hidden.
    pub(super) fn string(&self, span: hence_core::span::Span, text: &str) -> String {
        let written = self.slice(span).filter(|written| !written.contains(is_hidden));
        written.map_or_else(|| quoted(text), str::to_owned)
    }

    /// A literal as it was written; between its sign and its digits no space.
    fn value(&self, value: Value, expr: &Expr) -> String {
        match (value, self.slice(expr.span)) {
            (Value::Bool(_), _) | (_, None) => value.to_string(),
            (Value::String(text), Some(_)) => self.string(expr.span, text.as_str()),
            (_, Some(text)) => {
                let digits = text.rsplit(char::is_whitespace).next().unwrap_or(text);
                let sign = if digits.len() < text.len() { "-" } else { "" };
                format!("{sign}{digits}")
            }
        }
    }

    fn unary(&self, op: UnaryOp, operand: &Expr, around: Level, out: &mut String) {
        let (sign, level) = match op {
            UnaryOp::Negate => ("-", Level::Sign),
            UnaryOp::Not => ("not ", Level::Not),
        };
        let enclosed = around > level;
        out.push_str(if enclosed { "(" } else { "" });
        out.push_str(sign);
        let text = |value: Value| self.value(value, operand);
        match operand.kind {
            ExprKind::Literal(value) if op == UnaryOp::Negate && !text(value).starts_with('-') => {
                out.push_str(&format!("({})", text(value)));
            }
            _ => self.write(operand, Level::Sign, out),
        }
        out.push_str(if enclosed { ")" } else { "" });
    }

    fn binary(&self, op: BinaryOp, left: &Expr, right: &Expr, around: Level, out: &mut String) {
        let level = Level::of(op);
        let enclosed = around > level;
        out.push_str(if enclosed { "(" } else { "" });
        self.write(left, level.left(), out);
        out.push_str(&format!(" {} ", op.symbol()));
        self.write(right, level.next(), out);
        out.push_str(if enclosed { ")" } else { "" });
    }

    /// A term of an atom: `(name = e)` keeps its parentheses, without which it would look like `name: e`.
    pub(super) fn atom_term(&self, term: &Expr) -> String {
        let text = self.expr(term);
        let word = text.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
        let begins_as_name = text.starts_with(|c: char| c.is_ascii_lowercase()) && word.starts_with(" = ");
        if begins_as_name { format!("({text})") } else { text }
    }

    /// `(a, b)` of a function.
    pub(super) fn terms(&self, terms: &[Expr]) -> String {
        format!("({})", terms.iter().map(|term| self.expr(term)).collect::<Vec<_>>().join(", "))
    }

    /// Arguments one by one, those by name with their names.
    pub(super) fn args(&self, args: &Args) -> Vec<(u32, String)> {
        match args {
            Args::Positional(terms) => {
                terms.iter().map(|term| (term.span.start, self.atom_term(term))).collect()
            }
            Args::Named(columns) => columns.iter().map(|(name, term)| self.named(*name, term)).collect(),
        }
    }

    /// `name: term` and where it begins.
    pub(super) fn named(&self, name: Ident, term: &Expr) -> (u32, String) {
        (name.span.start, format!("{}: {}", name.name, self.expr(term)))
    }

    /// `p(a, b) ~ 0.1`.
    pub(super) fn atom(&self, atom: &Atom) -> String {
        let mut args: Vec<_> = self.args(&atom.args).into_iter().map(|(_, arg)| arg).collect();
        args.extend(atom.rest.map(|_| String::from("..")));
        format!("{}({}){}", atom.relation.name, args.join(", "), self.within(atom.within.as_ref()))
    }

    /// ` ~ 0.1`, or nothing.
    pub(super) fn within(&self, within: Option<&Expr>) -> String {
        let mut out = String::new();
        if let Some(distance) = within {
            out.push_str(" ~ ");
            self.write(distance, Level::Sign, &mut out);
        }
        out
    }

    /// A literal of a body.
    pub(super) fn literal(&self, literal: &Literal) -> String {
        match &literal.kind {
            LiteralKind::Atom { negated, atom } => {
                format!("{}{}", if *negated { "!" } else { "" }, self.atom(atom))
            }
            LiteralKind::Condition(expr) => self.condition(expr),
            LiteralKind::In(left, right) => {
                let side = |expr: &Expr| self.at_level(expr, Level::Sum);
                format!("{} in {}", side(left), side(right))
            }
            LiteralKind::Aggregate(aggregate) => {
                format!("{}{}", self.target(aggregate), self.aggregate_with_body(aggregate))
            }
        }
    }

    /// What equals the value of an aggregate: `N = `.
    pub(super) fn target(&self, aggregate: &BodyAggregate) -> String {
        format!("{} = ", self.at_level(&aggregate.target, Level::Sum))
    }

    /// An aggregate up to its brace: `count(X) {`.
    pub(super) fn aggregate(&self, aggregate: &BodyAggregate) -> String {
        let args = if aggregate.args.is_empty() { String::new() } else { self.terms(&aggregate.args) };
        format!("{}{args} {{", aggregate.name.name)
    }

    /// `count(X) { p(X, _) }`.
    pub(super) fn aggregate_with_body(&self, aggregate: &BodyAggregate) -> String {
        format!("{} {} }}", self.aggregate(aggregate), self.literals(&aggregate.body))
    }

    /// Literals between commas.
    pub(super) fn literals(&self, literals: &[Literal]) -> String {
        literals.iter().map(|literal| self.literal(literal)).collect::<Vec<_>>().join(", ")
    }

    /// `limit N per X by K desc as R`.
    pub(super) fn limit(&self, limit: &Limit) -> String {
        let mut out = format!("limit {}", self.expr(&limit.count));
        if !limit.per.is_empty() {
            let group: Vec<_> = limit.per.iter().map(|variable| variable.name.as_str()).collect();
            out.push_str(&format!(" per {}", group.join(", ")));
        }
        // Outside parentheses `in` begins a literal.
        let shown = |key: &Expr| match self.expr(key) {
            text if has_in(key) => format!("({text})"),
            text => text,
        };
        let key = |(key, descending): &(Expr, bool)| shown(key) + if *descending { " desc" } else { "" };
        out.push_str(&format!(" by {}", limit.by.iter().map(key).collect::<Vec<_>>().join(", ")));
        if let Some(rank) = limit.rank {
            out.push_str(&format!(" as {}", rank.name));
        }
        out
    }

    /// A rule without its annotations, on one line.
    pub(super) fn rule(&self, rule: &Rule) -> String {
        let terms: Vec<_> = rule.terms.iter().map(|term| self.atom_term(term)).collect();
        let mut out = format!("{}{}({})", rule.kind.keyword(), rule.head.name, terms.join(", "));
        if !rule.body.is_empty() {
            out.push_str(&format!(" :- {}", self.literals(&rule.body)));
        }
        if let Some(limit) = &rule.limit {
            out.push_str(&format!(" {}", self.limit(limit)));
        }
        out.push('.');
        out
    }
}

/// Whether there is an `in` outside the parentheses of calls.
fn has_in(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::In(..) => true,
        ExprKind::Unary(_, operand) => has_in(operand),
        ExprKind::Binary(_, left, right) => has_in(left) || has_in(right),
        _ => false,
    }
}
