//! A body on the way of its demand: what is matched so far, what that binds, which atom comes next.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::Mask;
use crate::builtins::expr::{Expr, ExprKind, VarId};
use crate::builtins::op::Op;
use crate::builtins::term::Term;
use crate::ir::{Arg, Atom, Literal, Program, Rule};
use hence_core::schema::{Kind, RelationId};

/// The literals of a rule that its demand has gone through. They hold wherever the rule's body does.
pub(super) struct Body<'r> {
    rule: &'r Rule,
    pub(super) literals: Vec<Literal>,
    pub(super) bound: BTreeSet<VarId>,
    /// The literals of the rule, by place, that are neither taken nor left out.
    left: Vec<usize>,
    /// The variables that the rule computes. Once an atom has bound one, its computation is left out.
    computed: BTreeSet<VarId>,
}

/// The columns of an atom whose values are known.
pub(super) fn bound_args(atom: &Atom, bound: &BTreeSet<VarId>) -> Mask {
    let known = |arg: &Arg| match arg {
        Arg::Any => false,
        Arg::Var(var) => bound.contains(var),
        Arg::Const(_) | Arg::Param(_) => true,
    };
    let args = atom.args.iter().take(Mask::BITS as usize).enumerate();
    args.filter(|(_, arg)| known(arg)).fold(0, |mask, (column, _)| mask | super::bit(column))
}

impl<'r> Body<'r> {
    /// A body that nothing is taken of but its guard.
    pub(super) fn new(rule: &'r Rule, guard: Option<Atom>) -> Self {
        let bound = guard.iter().flat_map(Atom::vars).collect();
        let literals = guard.map(Literal::Atom).into_iter().collect();
        let left = (0..rule.body.len()).collect();
        Self { rule, literals, bound, left, computed: rule.computed().collect() }
    }

    /// Takes every condition and every computation that can be made now and can't fail.
    pub(super) fn settle(&mut self) {
        while let Some((place, literal)) = self.ready() {
            self.left.remove(place);
            self.bound.extend(literal.computed());
            self.literals.push(literal);
        }
    }

    fn ready(&self) -> Option<(usize, Literal)> {
        self.left.iter().enumerate().find_map(|(place, at)| {
            let literal = self.rule.literal(*at);
            if literal.may_fail() {
                return None;
            }
            if let Literal::Test { expr, span } = literal
                && !self.knows(expr)
            {
                let (var, expr) = self.equality(expr)?;
                return Some((place, Literal::Bind { var, expr, span: *span }));
            }
            let is_open = literal.computed().is_none_or(|var| !self.bound.contains(&var));
            let taken =
                literal.atom().is_none() && is_open && literal.is_ready(|var| self.bound.contains(&var));
            taken.then(|| (place, literal.clone()))
        })
    }

    /// `X = e` with `X` unbound and `e` known, which a rule has as a test where atoms bind `X`.
    fn equality(&self, expr: &Expr) -> Option<(VarId, Expr)> {
        let ExprKind::Call(Op::Equal, args) = &expr.kind else { return None };
        let [left, right] = args.as_slice() else { return None };
        [(left, right), (right, left)].into_iter().find_map(|(one, other)| match one.kind {
            ExprKind::Var(var)
                if !self.bound.contains(&var) && !self.computed.contains(&var) && self.knows(other) =>
            {
                Some((var, other.clone()))
            }
            _ => None,
        })
    }

    fn knows(&self, expr: &Expr) -> bool {
        let mut known = true;
        expr.for_each_var(&mut |var| known &= self.bound.contains(&var));
        known
    }

    /// The atom from which most is known, removed from those to come; one that tells nothing of its own last.
    pub(super) fn choose(&mut self, program: &Program, opaque: &BTreeSet<RelationId>) -> Option<&'r Atom> {
        let atoms = self.left.iter().enumerate().filter_map(|(place, at)| {
            let atom = self.rule.literal(*at).positive()?;
            Some((self.cost(atom, program, opaque), place, atom))
        });
        let (_, place, atom) = atoms.min_by_key(|(cost, place, _)| (*cost, *place))?;
        self.left.remove(place);
        Some(atom)
    }

    fn cost(&self, atom: &Atom, program: &Program, opaque: &BTreeSet<RelationId>) -> (u8, Reverse<u32>) {
        let bound = bound_args(atom, &self.bound);
        let input = program[atom.relation].kind == Kind::Input;
        let useful = if input { bound & 1 != 0 } else { bound != 0 };
        let early = atom.vars().any(|var| self.computed.contains(&var) && !self.bound.contains(&var));
        let class = match (early, opaque.contains(&atom.relation), useful) {
            (false, false, true) => 0,
            (false, false, false) => 1,
            (false, true, _) => 2,
            (true, ..) => 3,
        };
        (class, Reverse(bound.count_ones()))
    }

    /// Takes an atom in: from here on it is known to match.
    pub(super) fn take(&mut self, atom: &Atom) {
        self.bound.extend(atom.vars());
        self.literals.push(Literal::Atom(atom.clone()));
    }

    /// Whether every variable of the head has a value.
    pub(super) fn binds_head(&self) -> bool {
        self.rule.terms.iter().all(|term| match term {
            Term::Expr(expr) => {
                let mut known = true;
                expr.for_each_var(&mut |var| known &= self.bound.contains(&var));
                known
            }
            Term::Aggregate { .. } => false,
        })
    }
}
