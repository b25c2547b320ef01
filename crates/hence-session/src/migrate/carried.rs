//! Which recorded facts the rules of a migration carry over: those that a match uses on the way to a fact which is
//! written.
//!
//! ```text
//! forbid(T, "") :- listed(T).                 carried listed(T) :- listed(T), forbid(T, "").
//! listed(T) :- old.forbid(tool: T, by: _).    carried old.forbid(T, B) :- old.forbid(T, B), listed(T), carried listed(T).
//! ```

use std::collections::{BTreeMap, BTreeSet};

use hence_core::fact::Fact;
use hence_core::schema::{Kind, Relation, RelationId};
use hence_core::symbol::Symbol;
use hence_lang::builtins::expr::{Expr, ExprKind, VarId};
use hence_lang::builtins::term::{Term, Variable};
use hence_lang::ir::{Arg, Atom, Literal, Program, Rule, RuleId, Stratum};

use super::super::evaluation::{Evaluation, facts_of};
use super::OLD;

/// The name of the relation of what is carried over of another one; no relation of a rule file can have it.
fn carried_name(relation: Symbol) -> Symbol {
    Symbol::new(&format!("?carried {relation}"))
}

/// The facts of recorded `relation` that are carried over.
pub(super) fn facts(program: &Program, evaluated: &Evaluation, relation: Symbol) -> BTreeSet<Fact> {
    let old = carried_name(Symbol::new(&format!("{OLD}{relation}")));
    let found = program.find(old).map(|id| facts_of(program, &evaluated.model, id)).unwrap_or_default();
    found.into_iter().map(|fact| Fact { relation, values: fact.values }).collect()
}

/// `program` with what is carried over of the recorded relations that go, on the way to those that are written.
pub(super) fn program(program: &Program, gone: &BTreeSet<Symbol>, written: &BTreeSet<Symbol>) -> Program {
    let goes = |relation: &Relation| {
        relation.name.as_str().strip_prefix(OLD).is_some_and(|name| gone.contains(&Symbol::new(name)))
    };
    let between = |relation: &Relation| relation.kind == Kind::Derived && !written.contains(&relation.name);
    let mut extended = program.clone();
    let mut carried = BTreeMap::new();
    for (id, relation) in (0..).map(RelationId).zip(&program.relations) {
        if goes(relation) || between(relation) {
            carried.insert(id, RelationId(extended.relations.len() as u32));
            let name = carried_name(relation.name);
            extended.relations.push(Relation { name, kind: Kind::Derived, ..relation.clone() });
        }
    }
    let first = extended.rules.len();
    for rule in &program.rules {
        for at in 0..rule.body.len() {
            extended.rules.extend(carrying(rule, at, &carried, program));
        }
    }
    let rules = (first..extended.rules.len()).map(|at| RuleId(at as u32)).collect();
    let relations = carried.into_values().collect();
    extended.strata.push(Stratum { relations, rules, recursive: true });
    extended
}

/// The rule for what a match of `rule` uses of its literal `at`, where that is an atom of a relation in question.
fn carrying(
    rule: &Rule,
    at: usize,
    carried: &BTreeMap<RelationId, RelationId>,
    program: &Program,
) -> Option<Rule> {
    let Literal::Atom(used) = rule.body.get(at)? else { return None };
    let head = *carried.get(&used.relation)?;
    let mut made = Rule {
        id: Symbol::new("?carried"),
        head,
        terms: Vec::new(),
        limit: None,
        because: None,
        doc: String::new(),
        ..rule.clone()
    };
    let columns = &program.relation(used.relation)?.columns;
    let mut args = Vec::with_capacity(used.args.len());
    for (arg, column) in used.args.iter().zip(columns) {
        let arg = match arg {
            Arg::Any => {
                Arg::Var(fresh(&mut made, Variable { name: Symbol::new("1"), ty: column.ty.clone() }))
            }
            other => *other,
        };
        let kind = match arg {
            Arg::Var(var) => ExprKind::Var(var),
            Arg::Const(value) => ExprKind::Const(value),
            Arg::Param(param) => ExprKind::Param(param),
            Arg::Any => return None,
        };
        made.terms.push(Term::Expr(Expr { kind, ty: column.ty.ty, span: used.span }));
        args.push(arg);
    }
    *made.body.get_mut(at)? = Literal::Atom(Atom { args, ..used.clone() });
    let derived = derived(&mut made, rule, program)?;
    made.body.push(Literal::Atom(derived.clone()));
    if let Some(relation) = carried.get(&rule.head) {
        made.body.push(Literal::Atom(Atom { relation: *relation, ..derived }));
    }
    Some(made)
}

/// A variable that the rule doesn't have yet.
fn fresh(rule: &mut Rule, variable: Variable) -> VarId {
    rule.variables.push(variable);
    VarId(rule.variables.len() as u32 - 1)
}

/// The atom that `rule`, whose body this one has, derives in a match.
fn derived(made: &mut Rule, rule: &Rule, program: &Program) -> Option<Atom> {
    let rank = rule.limit.as_ref().and_then(|limit| limit.rank);
    let columns = &program.relation(rule.head)?.columns;
    let mut args = Vec::with_capacity(columns.len());
    for (term, column) in rule.terms.iter().zip(columns) {
        args.push(match term {
            Term::Aggregate { .. } => Arg::Any,
            Term::Expr(expr) => match &expr.kind {
                ExprKind::Var(var) if Some(*var) == rank => Arg::Any,
                ExprKind::Var(var) => Arg::Var(*var),
                ExprKind::Const(value) => Arg::Const(*value),
                ExprKind::Param(param) => Arg::Param(*param),
                _ => {
                    let var = fresh(made, Variable { name: Symbol::new("1"), ty: column.ty.clone() });
                    made.body.push(Literal::Bind { var, expr: expr.clone(), span: expr.span });
                    Arg::Var(var)
                }
            },
        });
    }
    Some(Atom { relation: rule.head, args, span: rule.span })
}
