//! The conditions of rules that read the clock, and the program in which each reads a clock of its own.
//!
//! `stale(X) :- seen(X, At), !gone(X), now(Now), Now - At >= 1h.` becomes `stale(X) :- seen(X, At), !gone(X),
//! clock - At >= 1h.` with a parameter `clock`, and a relation beside it holds the values of `At` by which the
//! condition differs from match to match: `clock of stale#1(At) :- seen(_, At).` What else the body asks is asked there
//! too where it reads nothing new and can't be undefined; so each match of the rule has its values there, and few
//! others do.

use std::collections::{BTreeMap, BTreeSet};

use hence_core::fault::OrBroken;
use hence_core::schema::{Column, ColumnType, Kind, Relation, RelationId};
use hence_core::symbol::Symbol;
use hence_core::value::{Type, Value};
use hence_lang::builtins::clock::CLOCK;
use hence_lang::builtins::expr::{Expr, ExprKind, ParamId, VarId};
use hence_lang::builtins::op::Op;
use hence_lang::ir::{Arg, Atom, GroundFact, Literal, Param, Program, Rule, RuleId, Stratum, Term};

/// A condition of a rule that reads the clock.
#[derive(Debug)]
pub(crate) struct Condition {
    /// The rule.
    pub(crate) rule: RuleId,
    /// The parameter that it reads the clock from.
    pub(crate) clock: ParamId,
    /// The variables of the rule by which it differs from match to match.
    pub(crate) vars: Vec<VarId>,
    /// What the rule makes of the clock; [`CLOCK`] stands for the clock, the variables after it for `vars`.
    pub(crate) observed: Vec<Expr>,
    /// The relation of the values of `vars`; none where the condition may change at every instant.
    pub(crate) matches: Option<RelationId>,
}

/// Whether a relation is a clock that only whoever evaluates sets.
pub(crate) fn is_clock(program: &Program, now: RelationId) -> bool {
    let relation = &program[now];
    let given = |fact: &GroundFact| fact.relation == now;
    relation.kind == Kind::Input
        && relation.types().eq([Type::Time])
        && !program.fed().contains(&now)
        && !program.facts.iter().any(given)
}

/// The program in which every condition has a clock of its own, and those conditions, rule by rule.
pub(crate) fn split(program: &Program, now: RelationId) -> (Program, Vec<Condition>) {
    let mut split = Split { program: program.clone(), conditions: Vec::new(), now };
    for id in (0..program.rules.len() as u32).map(RuleId) {
        if program[id].reads().any(|relation| relation == now) {
            let rule = match clock_variable(&program[id], now) {
                Some(clock) => split.rule(id, &program[id], clock),
                None => split.whole(id, &program[id]),
            };
            *split.program.rules.get_mut(id.0 as usize).or_broken("each rule is split in its place") = rule;
        }
    }
    (split.program, split.conditions)
}

/// The clock of a rule that reads it into one variable which only expressions read, if into any; none where the rule does
/// otherwise.
fn clock_variable(rule: &Rule, now: RelationId) -> Option<Option<VarId>> {
    let is_clock = |atom: &Atom| atom.relation == now;
    let mut vars = BTreeSet::new();
    for literal in rule.body.iter().filter(|literal| literal.atom().is_some_and(is_clock)) {
        match literal.positive()?.args.as_slice() {
            [Arg::Any] => {}
            [Arg::Var(var)] => vars.extend([*var]),
            _ => return None,
        }
    }
    let Some(var) = vars.pop_first() else { return Some(None) };
    let others = rule.body.iter().filter_map(Literal::atom).filter(|atom| !is_clock(atom));
    let is_read = others.flat_map(Atom::vars).any(|other| other == var);
    let is_computed = rule.computed().any(|other| other == var);
    let is_group = rule.limit.iter().flat_map(|limit| &limit.per).any(|other| *other == var);
    (vars.is_empty() && !is_read && !is_computed && !is_group).then_some(Some(var))
}

struct Split {
    program: Program,
    conditions: Vec<Condition>,
    now: RelationId,
}

/// What of a rule reads the clock, and how.
struct Reading<'r> {
    rule: &'r Rule,
    clock: VarId,
    /// The variables that are computed from the clock.
    derived: BTreeSet<VarId>,
    /// What each variable is computed from: the clock and variables of atoms and generators.
    values: BTreeMap<VarId, Expr>,
}

impl Split {
    fn clock(&mut self) -> ParamId {
        let (value, span) = (Value::Time(0), hence_core::span::Span::default());
        let ty = ColumnType::plain(Type::Time);
        let (name, doc) = (Symbol::new("now"), String::new());
        self.program.params.push(Param { name, ty, value, default: value, roles: Vec::new(), doc, span });
        ParamId(self.program.params.len() as u32 - 1)
    }

    /// A rule that may do anything with the clock.
    fn whole(&mut self, id: RuleId, rule: &Rule) -> Rule {
        let clock = self.clock();
        let mut bound: BTreeSet<VarId> = rule.computed().collect();
        let body =
            rule.body.iter().filter_map(|literal| self.read_clock(literal, clock, &mut bound)).collect();
        self.conditions.push(Condition {
            rule: id,
            clock,
            vars: Vec::new(),
            observed: Vec::new(),
            matches: None,
        });
        rule.with_body(some(body, rule), rule.variables.clone())
    }

    /// A literal that reads the clock from a parameter; none where it always holds.
    fn read_clock(&self, literal: &Literal, clock: ParamId, bound: &mut BTreeSet<VarId>) -> Option<Literal> {
        let Some(atom) = literal.atom().filter(|atom| atom.relation == self.now) else {
            return Some(literal.clone());
        };
        let expr = |kind, ty| Expr { kind, ty, span: atom.span };
        let (now, negated) = (expr(ExprKind::Param(clock), Type::Time), literal.negated().is_some());
        let test = |expr| Some(Literal::Test { expr, span: atom.span });
        let other = match *atom.args.first().or_broken("the clock has one column") {
            Arg::Any if negated => return test(expr(ExprKind::Const(Value::Bool(false)), Type::Bool)),
            Arg::Any => return None,
            Arg::Var(var) if !negated && bound.insert(var) => {
                return Some(Literal::Bind { var, expr: now, span: atom.span });
            }
            Arg::Var(var) => ExprKind::Var(var),
            Arg::Const(value) => ExprKind::Const(value),
            Arg::Param(param) => ExprKind::Param(param),
        };
        let op = if negated { Op::NotEqual } else { Op::Equal };
        test(expr(ExprKind::Call(op, vec![expr(other, Type::Time), now]), Type::Bool))
    }

    /// A rule that reads the clock into a variable, if it reads it at all.
    fn rule(&mut self, id: RuleId, rule: &Rule, clock: Option<VarId>) -> Rule {
        let is_clock = |literal: &&Literal| literal.atom().is_some_and(|atom| atom.relation == self.now);
        let body: Vec<Literal> = rule.body.iter().filter(|literal| !is_clock(literal)).cloned().collect();
        let mut rule = rule.with_body(body, rule.variables.clone());
        if let Some(clock) = clock {
            let mut body = std::mem::take(&mut rule.body);
            let kept = rule.with_body(body.clone(), rule.variables.clone());
            let reading = Reading::new(&kept, clock);
            let shown = self.shown(id, &reading, &mut body);
            self.tested(id, &reading, &mut body);
            let used = |literal: &Literal| literal.computed().is_none_or(|var| !reading.is_only_tested(var));
            body.retain(|literal| used(literal) || literal.may_fail());
            rule.body = body;
            show_head(&mut rule, clock, shown);
        }
        rule.body = some(std::mem::take(&mut rule.body), &rule);
        rule
    }

    /// The condition of what heads, atoms and generators show of the clock; its parameter.
    fn shown(&mut self, id: RuleId, reading: &Reading<'_>, body: &mut [Literal]) -> ParamId {
        let clock = self.clock();
        let mut observed = Vec::new();
        for literal in body.iter_mut() {
            match literal {
                Literal::Bind { var, expr, .. } if reading.derived.contains(var) => {
                    let value = reading.closed(expr);
                    let undefined =
                        || Expr { kind: ExprKind::Undefined(Box::new(value.clone())), ..value.clone() };
                    let is_shown = !reading.is_only_tested(*var);
                    observed.extend(if is_shown {
                        Some(value.clone())
                    } else {
                        value.may_fail().then(undefined)
                    });
                    *expr = reading.with_clock(expr, clock);
                }
                Literal::Each { args, .. } => {
                    observed
                        .extend(args.iter().filter(|arg| reading.reads(arg)).map(|arg| reading.closed(arg)));
                    args.iter_mut().for_each(|arg| *arg = at(arg, reading.clock, clock));
                }
                _ => {}
            }
        }
        let head = head_exprs(reading.rule).filter(|expr| reading.reads(expr));
        observed.extend(head.map(|expr| reading.closed(expr)));
        if !observed.is_empty() {
            self.condition(id, reading, clock, observed);
        }
        clock
    }

    /// The conditions of tests; those over the same variables are one.
    fn tested(&mut self, id: RuleId, reading: &Reading<'_>, body: &mut [Literal]) {
        let mut alike: BTreeMap<Vec<VarId>, (ParamId, Vec<Expr>)> = BTreeMap::new();
        for literal in body {
            if let Literal::Test { expr, .. } = literal
                && reading.reads(expr)
            {
                let value = reading.closed(expr);
                let entry = alike.entry(reading.vars([&value])).or_insert_with(|| (self.clock(), Vec::new()));
                entry.1.push(value);
                *expr = reading.with_clock(expr, entry.0);
            }
        }
        for (clock, observed) in alike.into_values() {
            self.condition(id, reading, clock, observed);
        }
    }

    fn condition(&mut self, rule: RuleId, reading: &Reading<'_>, clock: ParamId, observed: Vec<Expr>) {
        let vars = reading.vars(&observed);
        let matches = reading.sources(&vars).map(|body| self.matches(reading.rule, &vars, body));
        let vars = if matches.is_some() { vars } else { Vec::new() };
        let place = |var: VarId| {
            let among = || vars.iter().position(|other| *other == var);
            if var == reading.clock { Some(0) } else { among().map(|at| at as u32 + 1) }
        };
        let renamed = |expr: &Expr| {
            expr.replaced(&|var| {
                let kind = ExprKind::Var(VarId(place(var)?));
                Some(Expr { kind, ty: reading.rule[var].ty.ty, span: expr.span })
            })
        };
        let observed = observed.iter().filter(|_| matches.is_some()).map(renamed).collect();
        self.conditions.push(Condition { rule, clock, vars, observed, matches });
    }

    /// The relation of the values of variables for which `body` holds.
    fn matches(&mut self, rule: &Rule, vars: &[VarId], body: Vec<Literal>) -> RelationId {
        let program = &mut self.program;
        let (head, id) = (RelationId(program.relations.len() as u32), RuleId(program.rules.len() as u32));
        let name = Symbol::new(&format!("clock {} of {}", self.conditions.len(), rule.id));
        let columns = vars.iter().map(|var| Column::new(rule[*var].name, rule[*var].ty.clone())).collect();
        let (doc, span) = (String::new(), rule.span);
        let kind = Kind::Derived;
        program.relations.push(Relation {
            name,
            kind,
            columns,
            doc,
            requires: None,
            authors: None,
            personal: Vec::new(),
            span,
        });
        let value = |var: &VarId| Expr { kind: ExprKind::Var(*var), ty: rule[*var].ty.ty, span };
        program.rules.push(Rule {
            id: name,
            head,
            terms: vars.iter().map(|var| Term::Expr(value(var))).collect(),
            limit: None,
            because: None,
            ..rule.with_body(some(body, rule), rule.variables.clone())
        });
        program.strata.push(Stratum { relations: vec![head], rules: vec![id], recursive: false });
        head
    }
}

impl<'r> Reading<'r> {
    fn new(rule: &'r Rule, clock: VarId) -> Self {
        let mut reading = Self { rule, clock, derived: BTreeSet::new(), values: BTreeMap::new() };
        let computed: BTreeSet<VarId> = reading.binds().map(|(var, _)| var).collect();
        loop {
            let known = reading.values.len();
            for (var, expr) in rule.body.iter().filter_map(bind) {
                let mut ready = !reading.values.contains_key(&var);
                expr.for_each_var(&mut |read| {
                    ready &= !computed.contains(&read) || reading.values.contains_key(&read);
                });
                if ready {
                    let value = reading.closed(expr);
                    if reading.reads(expr) {
                        reading.derived.insert(var);
                    }
                    reading.values.insert(var, value);
                }
            }
            if reading.values.len() == known {
                return reading;
            }
        }
    }

    fn binds(&self) -> impl Iterator<Item = (VarId, &'r Expr)> + use<'r> {
        self.rule.body.iter().filter_map(bind)
    }

    /// Whether an expression reads the clock.
    fn reads(&self, expr: &Expr) -> bool {
        let mut reads = false;
        expr.for_each_var(&mut |var| reads |= self.is_of_clock(var));
        reads
    }

    fn is_of_clock(&self, var: VarId) -> bool {
        var == self.clock || self.derived.contains(&var)
    }

    /// Whether a variable is computed from the clock, and only tests and what is computed read it.
    fn is_only_tested(&self, var: VarId) -> bool {
        let is_var = |other: VarId| other == var;
        let mut shown = self.rule.body.iter().filter_map(Literal::atom).flat_map(Atom::vars).any(is_var);
        shown |= self.rule.limit.iter().flat_map(|limit| limit.per.iter().copied()).any(is_var);
        let choosing = self.rule.body.iter().filter(|literal| literal.chooses());
        choosing
            .flat_map(Literal::exprs)
            .chain(head_exprs(self.rule))
            .for_each(|expr| expr.for_each_var(&mut |other| shown |= other == var));
        self.derived.contains(&var) && !shown
    }

    /// An expression over the clock and variables of atoms and generators.
    fn closed(&self, expr: &Expr) -> Expr {
        expr.replaced(&|var| self.values.get(&var).cloned())
    }

    /// An expression in which the clock is a parameter and nothing else is computed from it.
    fn with_clock(&self, expr: &Expr, clock: ParamId) -> Expr {
        let value = |var: VarId| self.values.get(&var).filter(|_| self.derived.contains(&var)).cloned();
        at(&expr.replaced(&value), self.clock, clock)
    }

    /// The variables of expressions beside the clock, ascending.
    fn vars<'e>(&self, exprs: impl IntoIterator<Item = &'e Expr>) -> Vec<VarId> {
        let mut vars = BTreeSet::new();
        exprs.into_iter().for_each(|expr| expr.for_each_var(&mut |var| vars.extend([var])));
        vars.remove(&self.clock);
        vars.into_iter().collect()
    }

    /// A body that holds for every match of the rule, whatever the clock shows, and binds `vars`; none where some of them
    /// depend on the clock or can be undefined.
    fn sources(&self, vars: &[VarId]) -> Option<Vec<Literal>> {
        let (mut chosen, mut wanted): (BTreeSet<usize>, BTreeSet<VarId>) =
            (BTreeSet::new(), vars.iter().copied().collect());
        while let Some(at) = self.computing(&wanted, &chosen) {
            let literal = self.rule.literal(at);
            if literal.may_fail() || self.is_of_literal(literal) {
                return None;
            }
            literal.for_each_needed(&mut |var| wanted.extend([var]));
            chosen.insert(at);
        }
        let computed: BTreeSet<VarId> = self.rule.computed().collect();
        let open: BTreeSet<VarId> = wanted.difference(&computed).copied().collect();
        let mut bound: BTreeSet<VarId> = wanted.intersection(&computed).copied().collect();
        self.choose_atoms(open, &computed, &mut chosen, &mut bound);
        let filters = self.rule.body.iter().enumerate().filter(|(at, literal)| {
            let mut known = !chosen.contains(at) && literal.computed().is_none();
            literal.for_each_var(&mut |var| known &= bound.contains(&var));
            known && !literal.may_fail() && !self.is_of_literal(literal)
        });
        let filters: Vec<usize> = filters.map(|(at, _)| at).collect();
        chosen.extend(filters);
        Some(chosen.into_iter().map(|at| only(self.rule.literal(at), &bound)).collect())
    }

    /// A literal that is not chosen and computes one of the variables that are wanted.
    fn computing(&self, wanted: &BTreeSet<VarId>, chosen: &BTreeSet<usize>) -> Option<usize> {
        let computes = |literal: &Literal| literal.computed().is_some_and(|var| wanted.contains(&var));
        self.rule
            .body
            .iter()
            .enumerate()
            .find(|(at, one)| !chosen.contains(at) && computes(one))
            .map(|(at, _)| at)
    }

    fn is_of_literal(&self, literal: &Literal) -> bool {
        let mut of_clock = false;
        literal.for_each_var(&mut |var| of_clock |= self.is_of_clock(var));
        of_clock
    }

    /// Chooses atoms that bind what is open, first those that bind most of it; at least one, where there is one.
    fn choose_atoms(
        &self,
        mut open: BTreeSet<VarId>,
        computed: &BTreeSet<VarId>,
        chosen: &mut BTreeSet<usize>,
        bound: &mut BTreeSet<VarId>,
    ) {
        let atoms = || self.rule.body.iter().enumerate().filter_map(|(at, one)| Some((at, one.positive()?)));
        let mut any = false;
        while !open.is_empty() || !any {
            let gain =
                |atom: &Atom| atom.vars().filter(|var| open.contains(var)).collect::<BTreeSet<_>>().len();
            let best = atoms().min_by_key(|(at, atom)| (usize::MAX - gain(atom), *at));
            let Some((at, atom)) = best.filter(|(_, atom)| gain(atom) > 0 || open.is_empty()) else { return };
            any = true;
            chosen.insert(at);
            bound.extend(atom.vars().filter(|var| !computed.contains(var)));
            open.retain(|var| !bound.contains(var));
        }
    }
}

fn bind(literal: &Literal) -> Option<(VarId, &Expr)> {
    match literal {
        Literal::Bind { var, expr, .. } => Some((*var, expr)),
        _ => None,
    }
}

/// An atom that asks only for variables that are bound.
fn only(literal: &Literal, bound: &BTreeSet<VarId>) -> Literal {
    let Literal::Atom(atom) = literal else { return literal.clone() };
    let arg = |arg: &Arg| match arg {
        Arg::Var(var) if !bound.contains(var) => Arg::Any,
        other => *other,
    };
    Literal::Atom(Atom { args: atom.args.iter().map(arg).collect(), ..atom.clone() })
}

/// An expression in which a parameter stands for the clock.
fn at(expr: &Expr, clock: VarId, param: ParamId) -> Expr {
    let now =
        |var| (var == clock).then(|| Expr { kind: ExprKind::Param(param), ty: Type::Time, span: expr.span });
    expr.replaced(&now)
}

fn head_exprs(rule: &Rule) -> impl Iterator<Item = &Expr> {
    let limit =
        rule.limit.iter().flat_map(|limit| [&limit.count].into_iter().chain(limit.by.iter().map(|by| &by.0)));
    limit.chain(rule.head_exprs())
}

/// Lets the head read the clock from a parameter.
fn show_head(rule: &mut Rule, clock: VarId, param: ParamId) {
    let limit = rule.limit.iter_mut().flat_map(|limit| limit.by.iter_mut().map(|by| &mut by.0));
    let terms = rule.terms.iter_mut().flat_map(|term| match term {
        Term::Expr(expr) => std::slice::from_mut(expr),
        Term::Aggregate { args, .. } => args.as_mut_slice(),
    });
    limit.chain(terms).for_each(|expr| *expr = at(expr, clock, param));
}

/// A body, or one that always holds where nothing is left of it.
fn some(body: Vec<Literal>, rule: &Rule) -> Vec<Literal> {
    if !body.is_empty() {
        return body;
    }
    let span = rule.span;
    vec![Literal::Test {
        expr: Expr { kind: ExprKind::Const(Value::Bool(true)), ty: Type::Bool, span },
        span,
    }]
}

const _: () = assert!(CLOCK.0 == 0, "the clock is the first variable of what is observed");
