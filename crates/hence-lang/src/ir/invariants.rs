//! The invariants of a program as a check of its own, for tests of what makes programs.

use std::collections::BTreeSet;

use super::{Arg, Atom, Literal, Program, Rule, RuleId, Stratum, Term};
use crate::builtins::expr::VarId;
use crate::builtins::term::Limit;
use hence_core::schema::{Kind, RelationId};
use hence_core::value::Type;

/// What `program` breaks of the invariants that this module's parent lists, each in a line; empty if it is sound.
pub fn broken(program: &Program) -> Vec<String> {
    let mut out = strata(program);
    for rule in &program.rules {
        let faults =
            unsafe_variables(rule).into_iter().chain(bound_twice(rule)).chain(misfits(program, rule));
        out.extend(faults.map(|fault| format!("{}: {fault}", rule.id)));
    }
    out
}

fn strata(program: &Program) -> Vec<String> {
    let (mut out, mut relations, mut rules) = (Vec::new(), Vec::new(), Vec::new());
    let numbered = || program.relations.iter().enumerate().map(|(at, one)| (RelationId(at as u32), one.kind));
    let fed = program.fed();
    let mut done: BTreeSet<_> =
        numbered().filter(|(id, kind)| *kind == Kind::Input && !fed.contains(id)).map(|(id, _)| id).collect();
    for stratum in &program.strata {
        let of_stratum = || stratum.rules.iter().filter_map(|rule| program.rule(*rule));
        out.extend(of_stratum().flat_map(|rule| too_early(rule, stratum, &done)));
        let inside = of_stratum().flat_map(Rule::reads).any(|read| stratum.relations.contains(&read));
        if inside != stratum.recursive {
            out.push(String::from("a stratum is wrong about its recursion"));
        }
        done.extend(&stratum.relations);
        relations.extend(&stratum.relations);
        rules.extend(&stratum.rules);
    }
    relations.sort_unstable();
    rules.sort_unstable();
    if !numbered()
        .filter(|(id, kind)| *kind != Kind::Input || fed.contains(id))
        .map(|(id, _)| id)
        .eq(relations)
    {
        out.push(String::from("the strata don't hold each derived relation once"));
    }
    if !(0..program.rules.len()).map(|at| RuleId(at as u32)).eq(rules) {
        out.push(String::from("the strata don't hold each rule once"));
    }
    out
}

/// The atoms whose relation isn't complete when the stratum of their rule is evaluated, and should be.
fn too_early(rule: &Rule, stratum: &Stratum, done: &BTreeSet<RelationId>) -> Vec<String> {
    let needs_all = rule.is_aggregate() || rule.limit.is_some();
    let early = rule.body.iter().filter_map(|literal| {
        let all = needs_all || literal.negated().is_some();
        literal.atom().map(|atom| (atom.relation, all))
    });
    early
        .filter(|(read, all)| !done.contains(read) && (*all || !stratum.relations.contains(read)))
        .map(|(read, _)| format!("{} reads relation {} before it is complete", rule.id, read.0))
        .collect()
}

/// The variables that are read and that no order of the body binds.
fn unsafe_variables(rule: &Rule) -> Vec<String> {
    read(rule).difference(&bound(rule)).map(|var| format!("nothing binds {}", name(rule, *var))).collect()
}

/// The variables that some order of the body binds, and the rank of the limit.
fn bound(rule: &Rule) -> BTreeSet<VarId> {
    super::parts::bound(&rule.body, rule.limit.iter().filter_map(|limit| limit.rank).collect())
}

/// The variables whose values the rule needs.
fn read(rule: &Rule) -> BTreeSet<VarId> {
    let mut read: BTreeSet<VarId> = rule.limit.iter().flat_map(|limit| &limit.per).copied().collect();
    let mut note = |var: VarId| read.extend([var]);
    rule.head_exprs().for_each(|expr| expr.for_each_var(&mut note));
    rule.limit.iter().flat_map(Limit::keys).for_each(|key| key.for_each_var(&mut note));
    rule.body.iter().for_each(|literal| literal.for_each_needed(&mut note));
    read
}

fn name(rule: &Rule, var: VarId) -> String {
    rule.variables
        .get(var.0 as usize)
        .map_or_else(|| format!("{var:?}"), |variable| variable.name.to_string())
}

/// The variables that more than one bind or generator binds.
fn bound_twice(rule: &Rule) -> Vec<String> {
    let mut bound = BTreeSet::new();
    let twice = rule.computed().filter(|var| !bound.insert(*var));
    twice.map(|var| format!("{} is bound twice", name(rule, var))).collect()
}

/// Atoms and heads that don't fit the columns of their relations.
fn misfits(program: &Program, rule: &Rule) -> Vec<String> {
    let variable = |var: VarId| rule.variables.get(var.0 as usize).map(|variable| variable.ty.ty);
    let fits = |relation: RelationId, types: Vec<Option<Type>>| {
        program.relation(relation).is_some_and(|relation| {
            relation.columns.len() == types.len()
                && relation.types().zip(types).all(|(column, ty)| ty.is_none_or(|ty| ty == column))
        })
    };
    let atom_fits = |atom: &Atom| {
        let types = atom.args.iter().map(|arg| match arg {
            Arg::Any => None,
            Arg::Var(var) => variable(*var),
            Arg::Const(value) => Some(value.ty()),
            Arg::Param(param) => program.params.get(param.0 as usize).map(|param| param.ty.ty),
        });
        fits(atom.relation, types.collect())
    };
    let head = rule.terms.iter().map(|term| match term {
        Term::Expr(expr) => Some(expr.ty),
        Term::Aggregate { .. } => None,
    });
    let mut out = Vec::new();
    if !fits(rule.head, head.collect()) {
        out.push(String::from("the head doesn't fit its relation"));
    }
    let atoms = rule.body.iter().filter_map(Literal::atom);
    let misfits = atoms.enumerate().filter(|(_, atom)| !atom_fits(atom));
    out.extend(misfits.map(|(at, _)| format!("atom {} doesn't fit its relation", at + 1)));
    out
}
