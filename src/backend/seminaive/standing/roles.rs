//! What counts of a rule's literals: each fact that matches, or only whether there is one.

use crate::backend::seminaive::shape::{Shape, VarSet, variables};
use crate::builtins::expr::VarId;
use crate::ir::{Arg, Atom, Literal, Rule};

/// What a literal contributes to the number of matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A positive atom, each fact of which counts.
    Each,
    /// A positive or negated atom of which only counts whether a fact has values in these columns; all of them are
    /// bound by other literals. All columns: whether the fact is there.
    Some(Vec<u32>),
    /// Something else.
    Other,
}

/// The roles of a rule's literals, the same for every plan; those in `own` read the rule's own stratum.
pub(super) fn roles(rule: &Rule, shape: &Shape, own: &[bool]) -> Vec<Role> {
    let role = |literal: &Literal| match literal {
        Literal::Atom(_) => Role::Each,
        Literal::Not(atom) => Role::Some(columns(atom, |arg| !matches!(arg, Arg::Any))),
        _ => Role::Other,
    };
    let mut roles: Vec<Role> = rule.body.iter().map(role).collect();
    for (at, literal) in rule.body.iter().enumerate() {
        let Literal::Atom(atom) = literal else { continue };
        if shape.counts_matches || own.get(at).copied().unwrap_or(false) {
            continue;
        }
        let is_private = |arg: &Arg| match arg {
            Arg::Any => true,
            Arg::Var(var) => uses(shape, *var) == 1,
            _ => false,
        };
        let keys = columns(atom, |arg| !is_private(arg));
        if keys.len() < atom.args.len() && !links(rule, &roles, at, atom, &keys) {
            let mut tried = roles.clone();
            tried.get_mut(at).into_iter().for_each(|role| *role = Role::Some(keys.clone()));
            if is_safe(rule, shape, &tried) {
                roles = tried;
            }
        }
    }
    roles
}

/// Whether an atom joins what no other literal has together: as a mere filter it would leave a product of both.
fn links(rule: &Rule, roles: &[Role], at: usize, atom: &Atom, keys: &[u32]) -> bool {
    let arg = |column: &u32| atom.args.get(*column as usize).and_then(variable);
    let vars: Vec<VarId> = keys.iter().filter_map(arg).collect();
    let has_all = |other: usize| {
        let mut known = bound(rule, roles, other);
        if let Some(Literal::Bind { expr, .. }) = rule.body.get(other) {
            expr.for_each_var(&mut |var| known.push(var));
        }
        vars.iter().all(|var| known.contains(var))
    };
    !vars.is_empty() && !(0..rule.body.len()).any(|other| other != at && has_all(other))
}

fn columns(atom: &Atom, is_key: impl Fn(&Arg) -> bool) -> Vec<u32> {
    (0u32..).zip(&atom.args).filter(|(_, arg)| is_key(arg)).map(|(column, _)| column).collect()
}

/// How often a variable stands in the rule.
fn uses(shape: &Shape, var: VarId) -> usize {
    let body = shape.literals.iter().flat_map(|needs| &needs.all);
    body.chain(&shape.head).filter(|other| **other == var).count()
}

/// The variables that a literal needs before it in this role.
pub(super) fn needed<'a>(rule: &'a Rule, shape: &'a Shape, roles: &[Role], at: usize) -> Vec<VarId> {
    match (rule.body.get(at), roles.get(at)) {
        (Some(Literal::Atom(atom)), Some(Role::Some(keys))) => {
            let arg = |column: &u32| atom.args.get(*column as usize);
            keys.iter().filter_map(arg).filter_map(variable).collect()
        }
        _ => shape.literals.get(at).map(|needs| needs.before.clone()).unwrap_or_default(),
    }
}

/// The variables that are bound behind a literal in this role, beside those that it needs.
pub(super) fn bound(rule: &Rule, roles: &[Role], at: usize) -> Vec<VarId> {
    match (rule.body.get(at), roles.get(at)) {
        (Some(Literal::Atom(atom)), Some(Role::Each)) => variables(atom).collect(),
        (Some(Literal::Bind { var, .. } | Literal::Each { var, .. }), _) => vec![*var],
        _ => Vec::new(),
    }
}

fn variable(arg: &Arg) -> Option<VarId> {
    match arg {
        Arg::Var(var) => Some(*var),
        _ => None,
    }
}

/// Whether there is an order in which every literal, and the head, finds bound what it needs.
fn is_safe(rule: &Rule, shape: &Shape, roles: &[Role]) -> bool {
    let (mut known, mut open) = (VarSet::default(), (0..rule.body.len()).collect::<Vec<_>>());
    loop {
        let before = open.len();
        open.retain(|at| {
            let ready = known.covers(&needed(rule, shape, roles, *at));
            if ready {
                bound(rule, roles, *at).into_iter().for_each(|var| {
                    known.insert(var);
                });
            }
            !ready
        });
        if open.is_empty() || open.len() == before {
            return open.is_empty() && known.covers(&shape.head);
        }
    }
}
