//! The mutants of a program, in the order of the text.

use std::collections::BTreeSet;

use hence_core::fault::OrBroken;
use hence_core::schema::{NameSet, RelationId};
use hence_core::span::{Sources, Span};
use hence_core::value::{Type, Value};
use hence_lang::analysis::checked::{self, Aggregated, Arg, Checked, Literal};
use hence_lang::builtins::aggregate::Aggregate;
use hence_lang::builtins::expr::{Expr, ExprKind, VarId};
use hence_lang::builtins::term::Term;
use hence_lang::ir::{self, Program};
use hence_lang::lower::{alone, holds_values};

use super::super::probe::order;
use super::super::stuck::one_line;
use super::equivalent::{counts_alike, is_implied};
use super::exprs::with;
use super::neighbour::neighbours;
use super::{Mutant, MutantChange};

/// From so many facts on a limit only ranks.
const RANKS_ONLY: i64 = 1_000_000;

/// A changed piece of a rule: where, and what to say.
pub(super) struct Edit {
    pub(super) span: Span,
    pub(super) says: String,
    /// Whether it is known to change nothing.
    equivalent: bool,
    /// The positive atom that was dropped.
    dropped: Option<Span>,
}

impl Edit {
    pub(super) fn new(span: Span, says: String) -> Self {
        Self { span, says, equivalent: false, dropped: None }
    }
}

/// All mutants of a program, which was made of `checked`.
pub(super) fn mutants(checked: &Checked, program: &Program, sources: &Sources) -> Vec<Mutant> {
    let making = Making { checked, program, sources };
    let mut all = Vec::new();
    for (at, param) in checked.params.iter().enumerate() {
        for value in neighbours(param.value, param.ty.set.as_deref()) {
            let says = format!("`{}` is {value} instead of {}", param.name, param.value);
            all.push(making.mutant(MutantChange::Param(at, value), param.span, param.name.as_str(), says));
        }
    }
    for (at, rule) in checked.rules.iter().enumerate() {
        if is_fact(rule) { making.fact(at, rule, &mut all) } else { making.rule(at, rule, &mut all) }
    }
    all
}

/// Whether a rule says no more than that a fact holds.
fn is_fact(rule: &checked::Rule) -> bool {
    let constant = |term: &Term| matches!(term, Term::Expr(Expr { kind: ExprKind::Const(_), .. }));
    rule.body.is_empty() && rule.limit.is_none() && rule.because.is_none() && rule.terms.iter().all(constant)
}

/// A rule that never fires: it is as good as gone, and every other one keeps its place.
fn gone(rule: &checked::Rule) -> checked::Rule {
    let (kind, span) = (ExprKind::Const(Value::Bool(false)), rule.span);
    let mut gone = rule.clone();
    gone.body.push(Literal::Test { expr: Expr { kind, ty: Type::Bool, span }, span });
    gone
}

/// Mutants on their way.
pub(super) struct Making<'a> {
    checked: &'a Checked,
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
        let column = self.checked[relation].columns.get(column);
        column.or_broken("a fact has the columns of its relation").ty.set.as_deref()
    }

    pub(super) fn text(&self, span: Span) -> String {
        one_line(self.sources.slice(span))
    }

    fn fact(&self, at: usize, fact: &checked::Rule, all: &mut Vec<Mutant>) {
        let (id, text) = (fact.id.as_str(), self.text(fact.span));
        let mut add = |changed: checked::Rule, says: String| {
            all.push(self.mutant(MutantChange::Rule(at, Box::new(changed)), fact.span, id, says));
        };
        add(gone(fact), format!("`{text}` is removed"));
        for (column, term) in fact.terms.iter().enumerate() {
            let Term::Expr(expr) = term else { continue };
            let ExprKind::Const(value) = expr.kind else { continue };
            let set = self.set(fact.head, column);
            let open = matches!(value, Value::String(_)) || matches!(value, Value::Name(_)) && set.is_none();
            if open {
                continue;
            }
            for neighbour in neighbours(value, set) {
                let changed = Term::Expr(Expr { kind: ExprKind::Const(neighbour), ..expr.clone() });
                let terms = with(&fact.terms, column, changed);
                let says = format!("{value} is {neighbour} in `{text}`");
                add(checked::Rule { terms, ..fact.clone() }, says);
            }
        }
    }

    fn rule(&self, at: usize, rule: &checked::Rule, all: &mut Vec<Mutant>) {
        let id = rule.id.as_str();
        let mut add = |changed: checked::Rule, edit: Edit| {
            let mut mutant = self.mutant(MutantChange::Rule(at, Box::new(changed)), edit.span, id, edit.says);
            (mutant.equivalent, mutant.dropped) = (edit.equivalent, edit.dropped);
            all.push(mutant);
        };
        add(gone(rule), Edit::new(rule.span, format!("rule `{id}` is removed")));
        let mut seen = BTreeSet::from([shape(&alone(self.checked, rule))]);
        for (changed, mut edit) in self.rules(rule) {
            let lowered = alone(self.checked, &changed);
            if is_safe(&lowered) {
                edit.equivalent |= !seen.insert(shape(&lowered));
                add(changed, edit);
            }
        }
    }

    /// The changed rules; some may not be safe.
    fn rules(&self, rule: &checked::Rule) -> Vec<(checked::Rule, Edit)> {
        let own = |lowered: &&ir::Rule| lowered.head == rule.head && lowered.span == rule.span;
        let lowered = self.program.rules.iter().find(own);
        let bodies = self.bodies(&rule.body, lowered).into_iter();
        let mut out: Vec<_> =
            bodies.map(|(body, edit)| (checked::Rule { body, ..rule.clone() }, edit)).collect();
        for (at, term) in rule.terms.iter().enumerate() {
            for (changed, edit) in self.terms(term, self.set(rule.head, at), lowered) {
                let terms = with(&rule.terms, at, changed);
                out.push((checked::Rule { terms, ..rule.clone() }, edit));
            }
        }
        out.extend(self.limits(rule));
        out
    }

    /// The changed forms of a body, which `lowered` has in the program.
    fn bodies(&self, body: &[Literal], lowered: Option<&ir::Rule>) -> Vec<(Vec<Literal>, Edit)> {
        let mut out = Vec::new();
        for (at, literal) in body.iter().enumerate() {
            // One that is there for the value that it gives is not dropped.
            if literal.computed().is_none() {
                let mut left = body.to_vec();
                left.remove(at);
                out.push((left, self.dropped(literal, lowered)));
            }
            let changed = self.literals(literal).into_iter();
            out.extend(changed.map(|(changed, edit)| (with(body, at, changed), edit)));
        }
        out
    }

    fn dropped(&self, literal: &Literal, lowered: Option<&ir::Rule>) -> Edit {
        let (negated, positive) = match literal {
            Literal::Atom { negated, .. } => (*negated, !negated),
            _ => (false, false),
        };
        let span = literal.span();
        let mark = if negated { "!" } else { "" };
        let implied = |rule: &ir::Rule| {
            let at =
                rule.body.iter().position(|own| matches!(own, ir::Literal::Atom(_)) && own.span() == span);
            at.is_some_and(|at| is_implied(self.program, rule, at))
        };
        Edit {
            equivalent: positive && lowered.is_some_and(implied),
            dropped: positive.then_some(span),
            ..Edit::new(span, format!("`{mark}{}` is dropped", self.text(span)))
        }
    }

    fn literals(&self, literal: &Literal) -> Vec<(Literal, Edit)> {
        match literal {
            Literal::Atom { negated, relation, args, span } => self.atoms(*negated, *relation, args, *span),
            Literal::Test { expr, span } => {
                let test = |(expr, edit)| (Literal::Test { expr, span: *span }, edit);
                self.exprs(expr).into_iter().map(test).collect()
            }
            Literal::Bind { var, expr, span } => {
                let bind = |(expr, edit)| (Literal::Bind { var: *var, expr, span: *span }, edit);
                self.exprs(expr).into_iter().map(bind).collect()
            }
            Literal::Each { var, bound, generator, args, span } => {
                let each = |(args, edit)| {
                    let (var, bound, generator, span) = (*var, *bound, generator.clone(), *span);
                    (Literal::Each { var, bound, generator, args, span }, edit)
                };
                self.lists(args).into_iter().map(each).collect()
            }
            Literal::Aggregate(of) => {
                let made = |(of, edit)| (Literal::Aggregate(Box::new(of)), edit);
                self.aggregates(of).into_iter().map(made).collect()
            }
        }
    }

    fn atoms(&self, negated: bool, relation: RelationId, args: &[Arg], span: Span) -> Vec<(Literal, Edit)> {
        let atom = |negated, args| Literal::Atom { negated, relation, args, span };
        let mut out = Vec::new();
        if negated {
            let says = format!("`!` is dropped before `{}`", self.text(span));
            out.push((atom(false, args.to_vec()), Edit::new(span, says)));
        }
        for (column, arg) in args.iter().enumerate() {
            let Arg::Expr(expr) = arg else { continue };
            let changed = match expr.kind {
                ExprKind::Const(value) => {
                    let neighbours = neighbours(value, self.set(relation, column)).into_iter();
                    let next = |neighbour| {
                        let says = format!("{value} is {neighbour} in `{}`", self.text(span));
                        let kind = ExprKind::Const(neighbour);
                        (Expr { kind, ..expr.clone() }, Edit::new(span, says))
                    };
                    neighbours.map(next).collect()
                }
                _ => self.exprs(expr),
            };
            let changed = changed.into_iter();
            out.extend(
                changed.map(|(expr, edit)| (atom(negated, with(args, column, Arg::Expr(expr))), edit)),
            );
        }
        out
    }

    /// The changed forms of an aggregate in a body: what it compares with, what is between the braces, its function.
    fn aggregates(&self, of: &Aggregated) -> Vec<(Aggregated, Edit)> {
        let values = |rule: &&ir::Rule| {
            rule.span == of.span && rule.is_aggregate() && holds_values(self.program, rule.head)
        };
        let lowered = self.program.rules.iter().find(values);
        let mut out = Vec::new();
        if of.binds.is_none() {
            let targets = self.exprs(&of.target).into_iter();
            out.extend(targets.map(|(target, edit)| (Aggregated { target, ..of.clone() }, edit)));
        }
        let bodies = self.bodies(&of.body, lowered).into_iter().filter(|(body, _)| !body.is_empty());
        out.extend(bodies.map(|(body, edit)| (Aggregated { body, ..of.clone() }, edit)));
        let functions = self.functions(of.aggregate, &of.args, of.function, lowered).into_iter();
        out.extend(
            functions.map(|(aggregate, args, edit)| (Aggregated { aggregate, args, ..of.clone() }, edit)),
        );
        out
    }

    /// The changed arguments of an aggregate, and the functions that take its place.
    fn functions(
        &self,
        aggregate: Aggregate,
        args: &[Expr],
        span: Span,
        lowered: Option<&ir::Rule>,
    ) -> Vec<(Aggregate, Vec<Expr>, Edit)> {
        let inner = self.lists(args).into_iter();
        let mut out: Vec<_> = inner.map(|(args, edit)| (aggregate, args, edit)).collect();
        let written = self.text(span);
        let written = written.split_once('{').map_or(&*written, |(before, _)| before).trim();
        for (other, args) in exchanged(aggregate, args) {
            let says = format!("`{written}` is `{}`", shown(other, &args));
            let counts = aggregate == Aggregate::CountDistinct && lowered.is_some_and(counts_alike);
            out.push((other, args, Edit { equivalent: counts, ..Edit::new(span, says) }));
        }
        out
    }

    fn terms(&self, term: &Term, set: Option<&NameSet>, lowered: Option<&ir::Rule>) -> Vec<(Term, Edit)> {
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
                let term = |(aggregate, args, edit)| (Term::Aggregate { aggregate, args, span: *span }, edit);
                self.functions(*aggregate, args, *span, lowered).into_iter().map(term).collect()
            }
        }
    }

    fn limits(&self, rule: &checked::Rule) -> Vec<(checked::Rule, Edit)> {
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

/// The meaning of a rule, and of what its aggregates need, as text, without the places.
fn shape(lowered: &Program) -> String {
    let parts = |rule: &ir::Rule| format!("{:?} {:?} {:?}", rule.terms, rule.body, rule.limit);
    let text: String = lowered.rules.iter().map(parts).collect();
    // Spans differ between pieces that mean the same.
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once("span: Span {") {
        out.push_str(before);
        rest = after.split_once('}').map_or("", |(_, after)| after);
    }
    out + rest
}

/// Whether every variable of head, limit and body is bound, in a rule and in those that its aggregates need.
fn is_safe(lowered: &Program) -> bool {
    lowered.rules.iter().all(|rule| binds_all(lowered, rule))
}

fn binds_all(lowered: &Program, rule: &ir::Rule) -> bool {
    if order(lowered, &rule.body, None).len() != rule.body.len() {
        return false;
    }
    let bound: BTreeSet<VarId> = rule.body.iter().flat_map(ir::Literal::binds).collect();
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
