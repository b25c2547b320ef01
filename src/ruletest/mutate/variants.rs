//! The mutants of a program, in the order of the text.

use std::collections::BTreeSet;

use hence_core::fault::OrBroken;
use hence_core::schema::{NameSet, RelationId};
use hence_core::span::{Sources, Span};
use hence_core::value::{Type, Value};
use hence_lang::builtins::aggregate::Aggregate;
use hence_lang::builtins::expr::{Expr, ExprKind, VarId};
use hence_lang::builtins::op::Op;
use hence_lang::builtins::term::Term;
use hence_lang::ir::{Arg, Atom, GroundFact, Literal, Program, Rule, RuleId};
use hence_lang::lower::is_made;

use super::super::probe::order;
use super::super::stuck::one_line;
use super::equivalent::{counts_alike, is_implied};
use super::neighbour::neighbours;
use super::{Mutant, MutantChange};

/// From so many facts on a limit only ranks.
const RANKS_ONLY: i64 = 1_000_000;

/// A changed piece of a rule: where, and what to say.
struct Edit {
    span: Span,
    says: String,
    /// Whether `count(X)` became `count()`.
    counts: bool,
    /// The positive atom that was dropped.
    dropped: Option<Span>,
}

impl Edit {
    fn new(span: Span, says: String) -> Self {
        Self { span, says, counts: false, dropped: None }
    }
}

/// All mutants of a program.
pub(super) fn mutants(program: &Program, sources: &Sources) -> Vec<Mutant> {
    let making = Making { program, sources };
    let mut all = Vec::new();
    for (at, param) in program.params.iter().enumerate() {
        for value in neighbours(param.value, param.ty.set.as_deref()) {
            let says = format!("`{}` is {value} instead of {}", param.name, param.value);
            all.push(making.mutant(MutantChange::Param(at, value), param.span, param.name.as_str(), says));
        }
    }
    for (at, fact) in program.facts.iter().enumerate() {
        making.fact(at, fact, &mut all);
    }
    for at in 0..program.rules.len() {
        making.rule(at, &mut all);
    }
    all
}

struct Making<'a> {
    program: &'a Program,
    sources: &'a Sources,
}

impl Making<'_> {
    fn mutant(&self, change: MutantChange, span: Span, rule: &str, says: String) -> Mutant {
        Mutant {
            change,
            place: self.sources.place(span),
            rule: rule.to_owned(),
            says,
            equivalent: false,
            dropped: None,
        }
    }

    fn set(&self, relation: RelationId, column: usize) -> Option<&NameSet> {
        let column = self.program[relation].columns.get(column);
        column.or_broken("a fact has the columns of its relation").ty.set.as_deref()
    }

    fn text(&self, span: Span) -> String {
        one_line(self.sources.slice(span))
    }

    fn fact(&self, at: usize, fact: &GroundFact, all: &mut Vec<Mutant>) {
        let id = fact.id.as_str();
        let says = format!("`{}` is removed", self.text(fact.span));
        all.push(self.mutant(MutantChange::NoFact(at), fact.span, id, says));
        for (column, value) in fact.values.iter().enumerate() {
            let set = self.set(fact.relation, column);
            let open = matches!(value, Value::String(_)) || matches!(value, Value::Name(_)) && set.is_none();
            if open {
                continue;
            }
            for neighbour in neighbours(*value, set) {
                let mut changed = fact.clone();
                changed.values.iter_mut().skip(column).take(1).for_each(|slot| *slot = neighbour);
                let says = format!("{value} is {neighbour} in `{}`", self.text(fact.span));
                all.push(self.mutant(MutantChange::Fact(at, changed), fact.span, id, says));
            }
        }
    }

    fn rule(&self, at: usize, all: &mut Vec<Mutant>) {
        let rule = &self.program[RuleId(at as u32)];
        // Of what an aggregate in a body is made of, only the rule of its values is written as it stands.
        if is_made(self.program, rule.head) && !rule.is_aggregate() {
            return;
        }
        let id = rule.id.as_str();
        all.push(self.mutant(MutantChange::NoRule(at), rule.span, id, format!("rule `{id}` is removed")));
        let mut seen = BTreeSet::from([shape(rule)]);
        for (changed, edit, implied) in self.rules(rule) {
            let mut mutant = self.mutant(
                MutantChange::Rule(at, Box::new(changed.clone())),
                edit.span,
                id,
                edit.says.clone(),
            );
            let counts = edit.counts && counts_alike(rule);
            mutant.equivalent = implied || counts || !seen.insert(shape(&changed));
            mutant.dropped = edit.dropped;
            all.push(mutant);
        }
    }

    /// The changed rules, and whether each is known to mean the same.
    fn rules(&self, rule: &Rule) -> Vec<(Rule, Edit, bool)> {
        let mut out = Vec::new();
        for (at, literal) in rule.body.iter().enumerate() {
            let mut dropped = rule.clone();
            dropped.body.remove(at);
            let made = matches!(literal, Literal::Bind { .. } | Literal::Each { .. });
            if !made && is_safe(&dropped) {
                let says = format!("`{}` is dropped", self.literal_text(literal));
                let atom = matches!(literal, Literal::Atom(_)).then_some(literal.span());
                let edit = Edit { dropped: atom, ..Edit::new(literal.span(), says) };
                out.push((dropped, edit, is_implied(self.program, rule, at)));
            }
            for (changed, edit) in self.literals(literal) {
                let mut other = rule.clone();
                other.body.iter_mut().skip(at).take(1).for_each(|slot| *slot = changed.clone());
                if is_safe(&other) {
                    out.push((other, edit, false));
                }
            }
        }
        for (at, term) in rule.terms.iter().enumerate() {
            for (changed, edit) in self.terms(term, self.set(rule.head, at)) {
                let mut other = rule.clone();
                other.terms.iter_mut().skip(at).take(1).for_each(|slot| *slot = changed.clone());
                out.push((other, edit, false));
            }
        }
        out.extend(self.limits(rule).into_iter().map(|(rule, edit)| (rule, edit, false)));
        out
    }

    fn literal_text(&self, literal: &Literal) -> String {
        let mark = if matches!(literal, Literal::Not(_)) { "!" } else { "" };
        format!("{mark}{}", self.text(literal.span()))
    }

    fn literals(&self, literal: &Literal) -> Vec<(Literal, Edit)> {
        match literal {
            Literal::Atom(atom) => self.atoms(atom, Literal::Atom),
            Literal::Not(atom) => {
                let says = format!("`!` is dropped before `{}`", self.text(atom.span));
                let mut out = vec![(Literal::Atom(atom.clone()), Edit::new(atom.span, says))];
                out.extend(self.atoms(atom, Literal::Not));
                out
            }
            Literal::Test { expr, span } => {
                let span = *span;
                self.exprs(expr)
                    .into_iter()
                    .map(|(expr, edit)| (Literal::Test { expr, span }, edit))
                    .collect()
            }
            Literal::Bind { var, expr, span } => {
                let (var, span) = (*var, *span);
                let bind = |(expr, edit)| (Literal::Bind { var, expr, span }, edit);
                self.exprs(expr).into_iter().map(bind).collect()
            }
            Literal::Each { var, generator, args, span } => {
                let each = |(args, edit)| {
                    (Literal::Each { var: *var, generator: generator.clone(), args, span: *span }, edit)
                };
                self.lists(args).into_iter().map(each).collect()
            }
        }
    }

    fn atoms(&self, atom: &Atom, make: fn(Atom) -> Literal) -> Vec<(Literal, Edit)> {
        let mut out = Vec::new();
        for (column, arg) in atom.args.iter().enumerate() {
            let Arg::Const(value) = arg else { continue };
            for neighbour in neighbours(*value, self.set(atom.relation, column)) {
                let mut changed = atom.clone();
                changed.args.iter_mut().skip(column).take(1).for_each(|slot| *slot = Arg::Const(neighbour));
                let says = format!("{value} is {neighbour} in `{}`", self.text(atom.span));
                out.push((make(changed), Edit::new(atom.span, says)));
            }
        }
        out
    }

    fn lists(&self, args: &[Expr]) -> Vec<(Vec<Expr>, Edit)> {
        let mut out = Vec::new();
        for (at, arg) in args.iter().enumerate() {
            for (changed, edit) in self.exprs(arg) {
                let mut other = args.to_vec();
                other.iter_mut().skip(at).take(1).for_each(|slot| *slot = changed.clone());
                out.push((other, edit));
            }
        }
        out
    }

    /// The changed forms of an expression.
    fn exprs(&self, expr: &Expr) -> Vec<(Expr, Edit)> {
        let with = |kind| Expr { kind, ..expr.clone() };
        let mut out = self.own(expr);
        match &expr.kind {
            ExprKind::Const(_)
            | ExprKind::Var(_)
            | ExprKind::Param(_)
            | ExprKind::Unknown
            | ExprKind::Undefined(_) => {}
            ExprKind::Call(op, args) => {
                out.extend(
                    self.lists(args).into_iter().map(|(args, edit)| (with(ExprKind::Call(*op, args)), edit)),
                );
            }
            ExprKind::Matches(text, pattern) => out.extend(
                self.exprs(text)
                    .into_iter()
                    .map(|(text, edit)| (with(ExprKind::Matches(Box::new(text), pattern.clone())), edit)),
            ),
            ExprKind::And(left, right) => out.extend(
                self.pairs(left, right, |left, right| with(ExprKind::And(Box::new(left), Box::new(right)))),
            ),
            ExprKind::Or(left, right) => out.extend(
                self.pairs(left, right, |left, right| with(ExprKind::Or(Box::new(left), Box::new(right)))),
            ),
            ExprKind::If(condition, then, otherwise) => {
                let parts = [(**condition).clone(), (**then).clone(), (**otherwise).clone()];
                for (parts, edit) in self.lists(&parts) {
                    if let Ok([condition, then, otherwise]) = <[Expr; 3]>::try_from(parts) {
                        let kind = ExprKind::If(Box::new(condition), Box::new(then), Box::new(otherwise));
                        out.push((with(kind), edit));
                    }
                }
            }
        }
        out
    }

    fn pairs(&self, left: &Expr, right: &Expr, make: impl Fn(Expr, Expr) -> Expr) -> Vec<(Expr, Edit)> {
        let lefts = self.exprs(left).into_iter().map(|(changed, edit)| (make(changed, right.clone()), edit));
        let rights = self.exprs(right).into_iter().map(|(changed, edit)| (make(left.clone(), changed), edit));
        lefts.chain(rights).collect()
    }

    /// The changes of an expression itself, not of its parts.
    fn own(&self, expr: &Expr) -> Vec<(Expr, Edit)> {
        match &expr.kind {
            ExprKind::Const(value) => neighbours(*value, None)
                .into_iter()
                .map(|neighbour| {
                    let says = format!("{value} is {neighbour}");
                    let kind = ExprKind::Const(neighbour);
                    (Expr { kind, ..expr.clone() }, Edit::new(expr.span, says))
                })
                .collect(),
            ExprKind::Call(Op::Not, args) => {
                let dropped = args.iter().map(|arg| {
                    let says = format!("`not` is dropped before `{}`", self.text(arg.span));
                    (arg.clone(), Edit::new(expr.span, says))
                });
                dropped.collect()
            }
            ExprKind::Call(op, args) => match args.as_slice() {
                [left, right] => self.comparisons(expr, *op, left, right),
                _ => Vec::new(),
            },
            ExprKind::Matches(..) => {
                let says = format!("`not` is put before `{}`", self.text(expr.span));
                let kind = ExprKind::Call(Op::Not, vec![expr.clone()]);
                vec![(Expr { kind, ..expr.clone() }, Edit::new(expr.span, says))]
            }
            _ => Vec::new(),
        }
    }

    fn comparisons(&self, expr: &Expr, op: Op, left: &Expr, right: &Expr) -> Vec<(Expr, Edit)> {
        let change = |other: &Op| {
            let (a, b) = (self.text(left.span), self.text(right.span));
            let says = format!("`{a} {} {b}` is `{a} {} {b}`", op.name(), other.name());
            let kind = ExprKind::Call(*other, vec![left.clone(), right.clone()]);
            (Expr { kind, ..expr.clone() }, Edit::new(expr.span, says))
        };
        others(op).iter().map(change).collect()
    }

    fn terms(&self, term: &Term, set: Option<&NameSet>) -> Vec<(Term, Edit)> {
        match term {
            Term::Expr(expr) => match (&expr.kind, set) {
                (ExprKind::Const(value @ Value::Name(_)), Some(set)) => neighbours(*value, Some(set))
                    .into_iter()
                    .map(|neighbour| {
                        let kind = ExprKind::Const(neighbour);
                        let says = format!("{value} is {neighbour} in the head");
                        (Term::Expr(Expr { kind, ..expr.clone() }), Edit::new(expr.span, says))
                    })
                    .collect(),
                _ => self.exprs(expr).into_iter().map(|(expr, edit)| (Term::Expr(expr), edit)).collect(),
            },
            Term::Aggregate { aggregate, args, span } => {
                let (aggregate, span) = (*aggregate, *span);
                let inner = self.lists(args).into_iter();
                let mut out: Vec<_> =
                    inner.map(|(args, edit)| (Term::Aggregate { aggregate, args, span }, edit)).collect();
                out.extend(exchanged(aggregate, args).into_iter().map(|(other, args)| {
                    let says = format!("`{}` is `{}`", self.text(span), shown(other, &args));
                    let counts = aggregate == Aggregate::CountDistinct;
                    let edit = Edit { counts, ..Edit::new(span, says) };
                    (Term::Aggregate { aggregate: other, args, span }, edit)
                }));
                out
            }
        }
    }

    fn limits(&self, rule: &Rule) -> Vec<(Rule, Edit)> {
        let Some(limit) = &rule.limit else { return Vec::new() };
        let mut out = Vec::new();
        for (count, edit) in self.exprs(&limit.count) {
            let ranks_only = matches!(limit.count.kind, ExprKind::Const(Value::Int(n)) if n >= RANKS_ONLY);
            if ranks_only {
                continue;
            }
            let mut other = rule.clone();
            other.limit.iter_mut().for_each(|limit| limit.count = count.clone());
            let says = format!("the limit: {}", edit.says);
            out.push((other, Edit { says, ..edit }));
        }
        for (at, (key, descending)) in limit.by.iter().enumerate() {
            let mut other = rule.clone();
            let keys = other.limit.iter_mut().flat_map(|limit| limit.by.iter_mut());
            keys.skip(at).take(1).for_each(|(_, descending)| *descending = !*descending);
            let way = if *descending { "ascending" } else { "descending" };
            let says = format!("the key `{}` of the limit is {way}", self.text(key.span));
            out.push((other, Edit::new(key.span, says)));
        }
        out
    }
}

/// A rule's meaning as text, without the places.
fn shape(rule: &Rule) -> String {
    let text = format!("{:?} {:?} {:?}", rule.terms, rule.body, rule.limit);
    // Spans differ between pieces that mean the same.
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once("span: Span {") {
        out.push_str(before);
        rest = after.split_once('}').map_or("", |(_, after)| after);
    }
    out + rest
}

/// Whether every variable of the head, the limit and the body is bound.
fn is_safe(rule: &Rule) -> bool {
    if order(&rule.body, None).len() != rule.body.len() {
        return false;
    }
    let bound: BTreeSet<VarId> = rule.body.iter().flat_map(Literal::binds).collect();
    let rank = rule.limit.as_ref().and_then(|limit| limit.rank);
    let mut safe = true;
    let mut check = |var: VarId| safe &= bound.contains(&var) || Some(var) == rank;
    for term in &rule.terms {
        match term {
            Term::Expr(expr) => expr.for_each_var(&mut check),
            Term::Aggregate { args, .. } => args.iter().for_each(|arg| arg.for_each_var(&mut check)),
        }
    }
    if let Some(limit) = &rule.limit {
        limit.per.iter().copied().for_each(&mut check);
        limit.by.iter().for_each(|(key, _)| key.for_each_var(&mut check));
    }
    safe
}

/// The comparisons that take the place of one: shifted, and turned round.
fn others(op: Op) -> &'static [Op] {
    match op {
        Op::Less => &[Op::LessEqual, Op::GreaterEqual],
        Op::LessEqual => &[Op::Less, Op::Greater],
        Op::Greater => &[Op::GreaterEqual, Op::LessEqual],
        Op::GreaterEqual => &[Op::Greater, Op::Less],
        Op::LessText => &[Op::LessEqualText, Op::GreaterEqualText],
        Op::LessEqualText => &[Op::LessText, Op::GreaterText],
        Op::GreaterText => &[Op::GreaterEqualText, Op::LessEqualText],
        Op::GreaterEqualText => &[Op::GreaterText, Op::LessText],
        Op::Equal => &[Op::NotEqual],
        Op::NotEqual => &[Op::Equal],
        _ => &[],
    }
}

/// Other aggregates of the same type.
fn exchanged(aggregate: Aggregate, args: &[Expr]) -> Vec<(Aggregate, Vec<Expr>)> {
    let ty = args.first().map(|arg| arg.ty);
    let same = |other: Aggregate| vec![(other, args.to_vec())];
    match aggregate {
        Aggregate::Min => same(Aggregate::Max),
        Aggregate::Max => same(Aggregate::Min),
        Aggregate::Sum => same(Aggregate::Max),
        Aggregate::Mean if ty == Some(Type::Int) => same(Aggregate::Median),
        Aggregate::Mean => same(Aggregate::Max),
        Aggregate::Median if ty == Some(Type::Int) => same(Aggregate::Mean),
        Aggregate::Median => same(Aggregate::Max),
        Aggregate::StdDev => same(Aggregate::Mean),
        Aggregate::Any => same(Aggregate::All),
        Aggregate::All => same(Aggregate::Any),
        Aggregate::ArgMax => same(Aggregate::ArgMin),
        Aggregate::ArgMin => same(Aggregate::ArgMax),
        Aggregate::CountDistinct => vec![(Aggregate::Count, Vec::new())],
        Aggregate::Percentile if ty == Some(Type::Float) || ty == Some(Type::Duration) => {
            vec![(Aggregate::Max, args.iter().take(1).cloned().collect())]
        }
        Aggregate::Count => {
            let one = Expr { kind: ExprKind::Const(Value::Int(1)), ty: Type::Int, span: Span::default() };
            vec![(Aggregate::Max, vec![one])]
        }
        Aggregate::Percentile | Aggregate::Join => Vec::new(),
    }
}

fn shown(aggregate: Aggregate, args: &[Expr]) -> String {
    match (aggregate, args) {
        (Aggregate::Count, []) => String::from("count()"),
        (Aggregate::Max, [Expr { kind: ExprKind::Const(value), .. }]) => format!("max({value})"),
        (aggregate, _) => format!("{}(…)", aggregate.name()),
    }
}
