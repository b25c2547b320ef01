//! What counts of a rule's literals: each fact that matches, or only whether there is one.

use super::shape::{Shape, VarSet};
use hence_core::fault::OrBroken;
use hence_lang::builtins::expr::VarId;
use hence_lang::ir::{Arg, Atom, Literal, Rule};
use smallvec::SmallVec;

/// An invariant of [`roles`].
const ROLES: &str = "each literal of a rule has a role";

/// Columns of an atom.
type Columns = SmallVec<[u32; 4]>;

/// What a literal contributes to the number of matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A positive atom, each fact of which counts.
    Each,
    /// A positive or negated atom of which only counts whether a fact has values in these columns; all of them are
    /// bound by other literals. All columns: whether the fact is there.
    Some(Columns),
    /// Something else.
    Other,
}

impl Role {
    /// The role of the literal at a place.
    pub(crate) fn of(roles: &[Self], at: usize) -> &Self {
        roles.get(at).or_broken(ROLES)
    }
}

/// The roles of a rule's literals where every match is wanted.
pub(crate) fn plain_roles(rule: &Rule) -> SmallVec<[Role; 8]> {
    let role = |literal: &Literal| match literal {
        Literal::Atom(_) => Role::Each,
        Literal::Not(atom) => Role::Some(columns(atom, |arg| !matches!(arg, Arg::Any))),
        _ => Role::Other,
    };
    rule.body.iter().map(role).collect()
}

/// The roles of a rule's literals where derivations are counted, the same for every plan; those in `own`
/// read the rule's own stratum.
pub(crate) fn roles(rule: &Rule, shape: &Shape, own: &[bool]) -> Vec<Role> {
    let mut roles = plain_roles(rule).into_vec();
    assert_eq!(own.len(), rule.body.len(), "it is known of each literal whether it reads its own stratum");
    for ((at, literal), own) in rule.body.iter().enumerate().zip(own) {
        let Literal::Atom(atom) = literal else { continue };
        if shape.counts_matches || *own {
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
            *tried.get_mut(at).or_broken(ROLES) = Role::Some(keys.clone());
            if is_safe(rule, shape, &tried) {
                roles = tried;
            }
        }
    }
    roles
}

/// Whether an atom joins what no other literal has together: as a mere filter it would leave a product of both.
fn links(rule: &Rule, roles: &[Role], at: usize, atom: &Atom, keys: &[u32]) -> bool {
    let vars: Vec<VarId> = keys.iter().filter_map(|column| variable(arg(atom, *column))).collect();
    let has_all = |other: usize| {
        let mut known = Vec::new();
        for_each_bound(rule, roles, other, |var| known.push(var));
        if let Literal::Bind { expr, .. } = rule.literal(other) {
            expr.for_each_var(&mut |var| known.push(var));
        }
        vars.iter().all(|var| known.contains(var))
    };
    !vars.is_empty() && !(0..rule.body.len()).any(|other| other != at && has_all(other))
}

fn columns(atom: &Atom, is_key: impl Fn(&Arg) -> bool) -> Columns {
    (0u32..).zip(&atom.args).filter(|(_, arg)| is_key(arg)).map(|(column, _)| column).collect()
}

/// How often a variable occurs in the rule.
fn uses(shape: &Shape, var: VarId) -> usize {
    let body = shape.literals.iter().flat_map(|needs| &needs.all);
    body.chain(&shape.head).filter(|other| **other == var).count()
}

/// Whether the variables are bound that a literal requires in its role.
pub(crate) fn is_ready(rule: &Rule, shape: &Shape, roles: &[Role], at: usize, known: &VarSet) -> bool {
    match (rule.literal(at), Role::of(roles, at)) {
        (Literal::Atom(atom), Role::Some(keys)) => {
            let mut vars = keys.iter().filter_map(|column| variable(arg(atom, *column)));
            vars.all(|var| known.contains(var))
        }
        _ => known.covers(&shape.literal(at).before),
    }
}

/// The variables that are bound after a literal in its role, beside those that it requires.
pub(crate) fn for_each_bound(rule: &Rule, roles: &[Role], at: usize, visit: impl FnMut(VarId)) {
    let literal = rule.literal(at);
    match literal.positive() {
        Some(_) if !matches!(Role::of(roles, at), Role::Each) => {}
        _ => literal.binds().for_each(visit),
    }
}

fn arg(atom: &Atom, column: u32) -> &Arg {
    atom.args.get(column as usize).or_broken("the columns of a key are those of its atom")
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
            let ready = is_ready(rule, shape, roles, *at, &known);
            if ready {
                for_each_bound(rule, roles, *at, |var| {
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
