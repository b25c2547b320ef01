//! How far a body gets: the first literal at which no match goes on, and the values at hand there.

use hence_core::fact::Fact;
use hence_core::fault::OrBroken;
use hence_core::index_vec::Id;
use hence_core::schema::RelationId;
use hence_core::span::{Sources, Span};
use hence_core::value::{Type, Value};
use hence_engine::Model;
use hence_lang::builtins::expr::{Expr, ExprKind, VarId};
use hence_lang::builtins::op::Op;
use hence_lang::builtins::term::{Term, Variable};
use hence_lang::ir::{Arg, Atom, Literal, Program, Rule};
use hence_session::facts_of;

use super::probe::{Probes, order};

/// Where a body stops.
pub(super) struct Stuck {
    /// The place of the literal in the body.
    pub(super) at: usize,
    /// How many literals hold before it, in an order in which each can be judged.
    pub(super) reached: usize,
    /// The values of the variables there, in the first match of what holds before.
    pub(super) bindings: Vec<Option<Value>>,
}

/// An invariant of orders.
const BODY: &str = "an order has the literals of its body, each with a question";

/// The first literal of a body at which no match goes on; `None` where the whole body has a match.
pub(super) fn stuck(
    program: &Program,
    model: &Model,
    body: &[Literal],
    variables: &[Variable],
) -> Option<Stuck> {
    let order = order(program, body, None);
    let mut probes = Probes::new(program);
    let mut asked = Vec::new();
    let (mut prefix, mut bound): (Vec<Literal>, Vec<VarId>) = (Vec::new(), Vec::new());
    for at in &order {
        let before = (bound.clone(), probes.ask(prefix.clone(), variables, &bound));
        asked.push(before);
        let literal = body.get(*at).or_broken(BODY);
        prefix.push(literal.clone());
        bound.extend(literal.binds());
        bound.sort_unstable();
        bound.dedup();
    }
    let whole = probes.ask(prefix, variables, &[]);
    let answers = probes.put(model)?;
    if answers.count(whole) > 0 {
        return None;
    }
    let reached = asked.iter().rposition(|(_, question)| answers.count(*question) > 0)?;
    let (bound, question) = asked.get(reached).or_broken(BODY);
    let first = answers.first(*question).or_broken("a question that has answers has a first one");
    let mut bindings = vec![None; variables.len()];
    for (var, value) in bound.iter().zip(first) {
        *bindings.get_mut(var.at()).or_broken(VarId::INVARIANT) = Some(value);
    }
    Some(Stuck { at: *order.get(reached).or_broken(BODY), reached, bindings })
}

/// `Tool = "a", N = 3`: the values of the variables that a literal names, where they are known.
pub(super) fn with_values(literal: &Literal, variables: &[Variable], bindings: &[Option<Value>]) -> String {
    let mut named = Vec::new();
    let mut visit = |var: VarId| {
        let name = variables.get(var.at()).or_broken(VarId::INVARIANT).name.as_str();
        if let Some(value) = bindings.get(var.at()).or_broken(VarId::INVARIANT)
            && name.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
        {
            let shown = format!("{name} = {value}");
            if !named.contains(&shown) {
                named.push(shown);
            }
        }
    };
    literal.atom().into_iter().flat_map(Atom::vars).for_each(&mut visit);
    literal.exprs().iter().for_each(|expr| expr.for_each_var(&mut visit));
    named.join(", ")
}

/// What an atom looks for under these values: a value, or anything, in each column.
pub(super) fn pattern(args: &[Arg], program: &Program, bindings: &[Option<Value>]) -> Vec<Option<Value>> {
    args.iter()
        .map(|arg| match arg {
            Arg::Any => None,
            Arg::Const(value) => Some(*value),
            Arg::Param(param) => Some(program[*param].value),
            Arg::Var(var) => bindings.get(var.0 as usize).copied().flatten(),
        })
        .collect()
}

/// Why no fact like `wanted` is derived: a line for each rule that could derive one, those that get furthest first,
/// and below it why what that rule misses isn't derived.
pub(super) fn why_not(
    program: &Program,
    sources: &Sources,
    model: &Model,
    relation: RelationId,
    wanted: &[Option<Value>],
) -> Vec<String> {
    let asked = RuleContext { program, sources, model };
    let mut lines = Vec::new();
    asked.why_not(relation, wanted, 0, &mut lines);
    lines
}

/// For how many rules of one relation is told where they stop.
const RULES_SHOWN: usize = 2;
/// How many steps down the rules are followed.
const STEPS_DOWN: usize = 4;

struct RuleContext<'a> {
    program: &'a Program,
    sources: &'a Sources,
    model: &'a Model,
}

/// Where a rule stops: how many literals hold, what to say, and the facts that it misses.
struct Stop {
    reached: usize,
    line: String,
    misses: Option<(RelationId, Vec<Option<Value>>)>,
}

impl RuleContext<'_> {
    fn why_not(&self, relation: RelationId, wanted: &[Option<Value>], depth: usize, lines: &mut Vec<String>) {
        let rules = self.program.rules.iter().filter(|rule| rule.head == relation);
        let mut stops: Vec<Stop> = rules.filter_map(|rule| self.stop(rule, wanted)).collect();
        stops.sort_by_key(|stop| std::cmp::Reverse(stop.reached));
        for stop in stops.into_iter().take(if depth == 0 { RULES_SHOWN } else { 1 }) {
            lines.push(format!("{}{}", "  ".repeat(depth), stop.line));
            if let Some((relation, pattern)) = stop.misses
                && depth + 1 < STEPS_DOWN
            {
                self.why_not(relation, &pattern, depth + 1, lines);
            }
        }
    }

    fn stop(&self, rule: &Rule, wanted: &[Option<Value>]) -> Option<Stop> {
        let asked = head_values(rule, wanted);
        let count = asked.len();
        let body: Vec<Literal> = asked.into_iter().chain(rule.body.iter().cloned()).collect();
        let stuck = stuck(self.program, self.model, &body, &rule.variables)?;
        let place = self.sources.place(rule.span);
        let name = format!("`{}` ({}:{})", rule.id, place.file, place.line);
        let literal = body.get(stuck.at).or_broken(BODY);
        let stop = |line, misses| Some(Stop { reached: stuck.reached, line, misses });
        if stuck.at < count {
            return stop(format!("{name} derives it with other values"), None);
        }
        let text = one_line(self.sources.slice(literal.span()));
        let values = with_values(literal, &rule.variables, &stuck.bindings);
        let with = if values.is_empty() { String::new() } else { format!(" with {values}") };
        match literal {
            Literal::Not(atom) => {
                let pattern = pattern(&atom.args, self.program, &stuck.bindings);
                let there = fitting(self.program, self.model, atom.relation, &pattern);
                stop(format!("{name} is stopped by `{there}`, whose absence it requires"), None)
            }
            Literal::Atom(atom) => {
                let pattern = pattern(&atom.args, self.program, &stuck.bindings);
                stop(format!("{name} finds no `{text}`{with}"), Some((atom.relation, pattern)))
            }
            _ => stop(format!("{name} stops at `{text}`{with}"), None),
        }
    }
}

/// The values wanted of a head: bound in front of the body where a variable alone stands there that no bind or
/// generator makes, else as tests. Those of aggregates and ranks are left out.
fn head_values(rule: &Rule, wanted: &[Option<Value>]) -> Vec<Literal> {
    let rank = rule.limit.as_ref().and_then(|limit| limit.rank);
    let mut made = super::probe::made(&rule.body);
    let mut literal = |(term, value): (&Term, &Option<Value>)| {
        let (Term::Expr(expr), Some(value)) = (term, *value) else { return None };
        let constant = Expr { kind: ExprKind::Const(value), ty: expr.ty, span: expr.span };
        match expr.kind {
            ExprKind::Var(var) if Some(var) == rank => None,
            ExprKind::Var(var) if made.insert(var) => {
                Some(Literal::Bind { var, expr: constant, span: Span::default() })
            }
            _ => {
                let kind = ExprKind::Call(Op::Equal, vec![expr.clone(), constant]);
                let test = Expr { kind, ty: Type::Bool, span: expr.span };
                Some(Literal::Test { expr: test, span: Span::default() })
            }
        }
    };
    rule.terms.iter().zip(wanted).filter_map(&mut literal).collect()
}

/// The first fact that fits a pattern, as text.
fn fitting(program: &Program, model: &Model, relation: RelationId, pattern: &[Option<Value>]) -> String {
    let fits = |fact: &Fact| {
        fact.values.iter().zip(pattern).all(|(value, wanted)| wanted.is_none_or(|wanted| wanted == *value))
    };
    let found = facts_of(program, model, relation).into_iter().find(fits);
    found.or_broken("what stops a negated atom is there").to_string()
}

/// Text of several lines as one.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
