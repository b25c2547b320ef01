//! The points of one rule: what is counted, and the question to a model that tells whether it was reached.

use hence_core::fault::OrBroken;
use hence_core::span::{Sources, Span};
use hence_core::value::{Type, Value};
use hence_lang::builtins::expr::{Expr, ExprKind, VarId};
use hence_lang::builtins::op::Op;
use hence_lang::builtins::term::{Limit, Term};
use hence_lang::ir::{Arg, Atom, Literal, Program, Rule};
use hence_lang::lower::{holds_values, is_made};

use super::super::probe::order;
use super::super::stuck::one_line;
use super::{Point, PointKind};

/// How a point is asked for.
pub(super) enum Question {
    /// The point is reached where this body has a match.
    Body(Vec<Literal>),
    /// The point is reached where the rule's limit leaves something out.
    LeftOut,
    /// The point is reached where a proof shows the rule's sentence.
    Sentence,
}

/// The points of a rule, in the order of the text. Of the rules that an aggregate in a body is made of, only that of its
/// values stands in the text: what is between the braces.
pub(super) fn points(program: &Program, sources: &Sources, rule: &Rule) -> Vec<(Point, Question)> {
    let mut asked = PointCollector { program, sources, rule, found: Vec::new() };
    let of_aggregate = is_made(program, rule.head);
    if of_aggregate && !(rule.is_aggregate() && holds_values(program, rule.head)) {
        return Vec::new();
    }
    if !of_aggregate {
        asked.whole();
    }
    // What the rule of an aggregate's values reads beside its braces has the place of the whole aggregate.
    let written = |at: &usize| !of_aggregate || rule.literal(*at).span() != rule.span;
    for at in (0..rule.body.len()).filter(written) {
        asked.literal(at);
    }
    for term in &rule.terms {
        match term {
            Term::Expr(expr) => asked.inner(expr, None, &mut Vec::new()),
            Term::Aggregate { args, .. } => {
                args.iter().for_each(|arg| asked.inner(arg, None, &mut Vec::new()));
            }
        }
    }
    if let Some(limit) = rule.limit.as_ref().filter(|limit| !only_ranks(limit)) {
        asked.add(PointKind::LeftOut, limit.span, None, Question::LeftOut);
    }
    if rule.because.is_some() {
        asked.add(PointKind::Sentence, rule.span, None, Question::Sentence);
    }
    asked.found
}

/// Whether a limit is there for its rank alone.
fn only_ranks(limit: &Limit) -> bool {
    limit.rank.is_some()
        && matches!(limit.count.kind, ExprKind::Const(Value::Int(count)) if count >= 1_000_000)
}

struct PointCollector<'a> {
    program: &'a Program,
    sources: &'a Sources,
    rule: &'a Rule,
    found: Vec<(Point, Question)>,
}

impl PointCollector<'_> {
    fn add(&mut self, kind: PointKind, span: Span, at: Option<String>, question: Question) {
        let point = Point {
            kind,
            rule: self.rule.id.to_string(),
            line: self.sources.place(span).line,
            text: one_line(self.sources.slice(span)),
            at,
            binds: false,
            hits: 0,
        };
        self.found.push((point, question));
    }

    fn whole(&mut self) {
        self.add(PointKind::Rule, self.head_span(), None, Question::Body(self.rule.body.clone()));
    }

    /// The head's place: the rule's span may begin with annotations.
    fn head_span(&self) -> Span {
        let text = self.sources.slice(self.rule.span);
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let trimmed = line.trim_start();
            if !trimmed.is_empty() && !trimmed.starts_with('@') && !trimmed.starts_with('#') {
                start += line.len() - trimmed.len();
                break;
            }
            start += line.len();
        }
        let at = self.rule.span.start.saturating_add(start as u32).min(self.rule.span.end);
        Span { start: at, ..self.rule.span }
    }

    /// Everything up to and with the literal, in an order in which each can be judged.
    fn up_to(&self, at: usize) -> Vec<Literal> {
        let order = order(self.program, &self.rule.body, None);
        let place = order.iter().position(|place| *place == at);
        let end = place.or_broken("each literal of a rule can be judged") + 1;
        self.take(order.into_iter().take(end))
    }

    /// Everything that can be judged without the literal.
    fn without(&self, at: Option<usize>) -> Vec<Literal> {
        self.take(order(self.program, &self.rule.body, at).into_iter())
    }

    fn take(&self, places: impl Iterator<Item = usize>) -> Vec<Literal> {
        places.map(|place| self.rule.literal(place).clone()).collect()
    }

    fn literal(&mut self, at: usize) {
        let literal = self.rule.literal(at).clone();
        let span = literal.span();
        match &literal {
            Literal::Atom(atom) => {
                self.add(PointKind::Satisfied, span, None, Question::Body(self.up_to(at)));
                let others = self.without(Some(at));
                let part = bound_part(atom, &others);
                let binds = part != *atom;
                self.add(PointKind::Refused, span, None, Question::Body(with(others, Literal::Not(part))));
                let (point, _) = self.found.last_mut().or_broken("a point that was added is there");
                point.binds = binds;
            }
            Literal::Not(atom) => {
                let span = self.with_mark(span);
                self.add(PointKind::Satisfied, span, None, Question::Body(self.up_to(at)));
                let refused = with(self.without(Some(at)), Literal::Atom(atom.clone()));
                self.add(PointKind::Refused, span, None, Question::Body(refused));
            }
            Literal::Test { expr, .. } => self.conditions(expr, Some(at), &mut Vec::new()),
            computing => {
                if computing.chooses() || computing.computed().is_some_and(|var| self.is_written(var)) {
                    self.add(PointKind::Satisfied, span, None, Question::Body(self.up_to(at)));
                }
                computing.exprs().iter().for_each(|expr| self.inner(expr, Some(at), &mut Vec::new()));
            }
        }
    }

    /// The span of a negated atom with the `!` before it.
    fn with_mark(&self, span: Span) -> Span {
        let start = span.start.saturating_sub(1);
        let marked = Span { start, ..span };
        if self.sources.slice(marked).starts_with('!') { marked } else { span }
    }

    fn is_written(&self, var: VarId) -> bool {
        !self.rule[var].name.as_str().starts_with(|c: char| c.is_ascii_digit())
    }

    /// The conditions that a bool expression is made of. `path` is what holds where the expression is looked at.
    fn conditions(&mut self, expr: &Expr, at: Option<usize>, path: &mut Vec<Expr>) {
        match &expr.kind {
            ExprKind::And(..) | ExprKind::Or(..) | ExprKind::If(..) => self.inner(expr, at, path),
            ExprKind::Call(Op::Not, args) => {
                args.iter().for_each(|arg| self.conditions(arg, at, path));
            }
            ExprKind::Const(_) => {}
            _ => self.condition(expr, at, path),
        }
    }

    /// One condition: it held, it failed, and, of an order, both sides were equal.
    fn condition(&mut self, expr: &Expr, at: Option<usize>, path: &mut Vec<Expr>) {
        self.inner(expr, at, path);
        let base = self.under(at, path);
        let ask =
            |test: Expr| Question::Body(with(base.clone(), Literal::Test { span: test.span, expr: test }));
        self.add(PointKind::Holds, expr.span, None, ask(expr.clone()));
        self.add(PointKind::Fails, expr.span, None, ask(call(Op::Not, vec![expr.clone()], expr.span)));
        if let Some((left, right)) = ordered(expr) {
            let equal = call(Op::Equal, vec![left.clone(), right.clone()], expr.span);
            let at = format!("`{} = {}`", self.shown(left), self.shown(right));
            self.add(PointKind::Boundary, expr.span, Some(at), ask(equal));
        }
    }

    fn under(&self, at: Option<usize>, path: &[Expr]) -> Vec<Literal> {
        let tests = path.iter().map(|expr| Literal::Test { span: expr.span, expr: expr.clone() });
        self.without(at).into_iter().chain(tests).collect()
    }

    fn shown(&self, expr: &Expr) -> String {
        match expr.kind {
            ExprKind::Param(param) => {
                let param = &self.program[param];
                format!("{} ({})", param.name, param.value)
            }
            _ => one_line(self.sources.slice(expr.span)),
        }
    }

    /// The conditions inside an expression, each under what must hold for it to be looked at.
    fn inner(&mut self, expr: &Expr, at: Option<usize>, path: &mut Vec<Expr>) {
        match &expr.kind {
            ExprKind::Const(_) | ExprKind::Var(_) | ExprKind::Param(_) | ExprKind::Unknown => {}
            ExprKind::Call(_, args) => args.iter().for_each(|arg| self.inner(arg, at, path)),
            ExprKind::Matches(part, _) | ExprKind::Undefined(part) => self.inner(part, at, path),
            ExprKind::And(left, right) | ExprKind::Or(left, right) => {
                self.conditions(left, at, path);
                let decided = matches!(expr.kind, ExprKind::Or(..));
                let way =
                    if decided { call(Op::Not, vec![(**left).clone()], left.span) } else { (**left).clone() };
                path.push(way);
                self.conditions(right, at, path);
                path.pop();
            }
            ExprKind::If(condition, then, otherwise) => {
                self.conditions(condition, at, path);
                path.push((**condition).clone());
                self.inner(then, at, path);
                path.pop();
                path.push(call(Op::Not, vec![(**condition).clone()], condition.span));
                self.inner(otherwise, at, path);
                path.pop();
            }
        }
    }
}

fn with(mut body: Vec<Literal>, literal: Literal) -> Vec<Literal> {
    body.push(literal);
    body
}

fn call(op: Op, args: Vec<Expr>, span: Span) -> Expr {
    Expr { kind: ExprKind::Call(op, args), ty: Type::Bool, span }
}

/// The two sides of `<`, `<=`, `>`, `>=`.
fn ordered(expr: &Expr) -> Option<(&Expr, &Expr)> {
    match &expr.kind {
        ExprKind::Call(
            Op::Less
            | Op::LessEqual
            | Op::Greater
            | Op::GreaterEqual
            | Op::LessText
            | Op::LessEqualText
            | Op::GreaterText
            | Op::GreaterEqualText,
            args,
        ) => match args.as_slice() {
            [left, right] => Some((left, right)),
            _ => None,
        },
        _ => None,
    }
}

/// An atom that matches anything where nothing else binds a variable of it.
fn bound_part(atom: &Atom, others: &[Literal]) -> Atom {
    let bound: std::collections::BTreeSet<VarId> = others.iter().flat_map(Literal::binds).collect();
    let part = |arg: &Arg| match arg {
        Arg::Var(var) if !bound.contains(var) => Arg::Any,
        other => *other,
    };
    Atom { args: atom.args.iter().map(part).collect(), ..atom.clone() }
}
