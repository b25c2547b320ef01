//! What planning needs to know of a rule: which variables each literal requires, binds and may fail to bind.

use hence_core::fault::OrBroken;
use hence_lang::builtins::expr::{Expr, ExprKind, VarId};
use hence_lang::builtins::op::Op;
use hence_lang::ir::{Arg, Atom, Literal, Rule, Term};

/// A set of variables of one rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct VarSet(Vec<bool>);

impl VarSet {
    /// Adds a variable; whether it is new.
    pub(crate) fn insert(&mut self, var: VarId) -> bool {
        let at = var.0 as usize;
        if self.0.len() <= at {
            self.0.resize(at + 1, false);
        }
        let known = self.0.get_mut(at).or_broken("a set of variables has room for the one that comes in");
        !std::mem::replace(known, true)
    }

    /// Whether a variable is in.
    pub(crate) fn contains(&self, var: VarId) -> bool {
        self.0.get(var.0 as usize).copied().unwrap_or(false)
    }

    /// Whether the value of an argument is known where these variables are bound.
    pub(crate) fn binds(&self, arg: &Arg) -> bool {
        match arg {
            Arg::Any => false,
            Arg::Var(var) => self.contains(*var),
            Arg::Const(_) | Arg::Param(_) => true,
        }
    }

    /// Whether all of `vars` are in.
    pub(crate) fn covers(&self, vars: &[VarId]) -> bool {
        vars.iter().all(|var| self.contains(*var))
    }

    /// The variables, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = VarId> + '_ {
        self.0.iter().zip(0..).filter(|(known, _)| **known).map(|(_, at)| VarId(at))
    }
}

/// A rule as the planner sees it.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    /// For each literal of the body what it requires.
    pub(crate) literals: Vec<RequiredVariables>,
    /// The literals that compare by order; see `bounds`.
    pub(crate) comparing: Vec<usize>,
    /// The variables that the head, its limit included, is made of.
    pub(crate) head: Vec<VarId>,
    /// Whether some operation of the rule may have no result.
    pub(crate) may_fail: bool,
    /// Whether each match counts, not only each fact.
    pub(crate) counts_matches: bool,
    /// From which parameter on they have another value from run to run of one plan.
    pub(crate) moving: usize,
}

/// What one literal requires and binds.
#[derive(Clone, Debug, Default)]
pub(crate) struct RequiredVariables {
    /// The variables that must be bound before it: of a positive atom those that an operation or a generator binds,
    /// so that what depends on a failing operation always comes after it.
    pub(crate) before: Vec<VarId>,
    /// All its variables.
    pub(crate) all: Vec<VarId>,
    /// Whether its operation may have no result.
    pub(crate) may_fail: bool,
}

impl Shape {
    /// The shape of a rule where an undefined operation is no match and nothing more.
    pub(crate) fn without_reports(rule: &Rule) -> Self {
        let mut shape = Self::with_computed(rule, &VarSet::default());
        shape.may_fail = false;
        shape.literals.iter_mut().for_each(|literal| literal.may_fail = false);
        shape
    }

    /// The shape of a rule.
    pub(crate) fn new(rule: &Rule) -> Self {
        Self::with_computed(rule, &computed(rule))
    }

    fn with_computed(rule: &Rule, computed: &VarSet) -> Self {
        let literals: Vec<RequiredVariables> =
            rule.body.iter().map(|literal| RequiredVariables::new(literal, computed)).collect();
        let mut head = Vec::new();
        let mut head_fails = false;
        for expr in head_exprs(rule) {
            expr.for_each_var(&mut |var| head.push(var));
            head_fails |= expr.may_fail();
        }
        head.extend(rule.limit.iter().flat_map(|limit| limit.per.iter().copied()));
        head.retain(|var| rule.limit.as_ref().and_then(|limit| limit.rank) != Some(*var));
        let may_fail = head_fails || literals.iter().any(|literal| literal.may_fail);
        let comparing = rule.body.iter().enumerate().filter(|(_, literal)| compares(literal));
        let comparing = comparing.map(|(at, _)| at).collect();
        Self { literals, comparing, head, may_fail, counts_matches: rule.is_aggregate(), moving: usize::MAX }
    }
}

impl Shape {
    /// What the literal at a place requires.
    #[track_caller]
    pub(crate) fn literal(&self, at: usize) -> &RequiredVariables {
        self.literals.get(at).or_broken("the number of a literal is that of one of its rule's literals")
    }
}

impl RequiredVariables {
    fn new(literal: &Literal, computed: &VarSet) -> Self {
        let mut required = Self::default();
        let found = literal.positive().into_iter().flat_map(Atom::vars);
        required.before.extend(found.filter(|var| computed.contains(*var)));
        literal.for_each_needed(&mut |var| required.before.push(var));
        literal.for_each_var(&mut |var| required.all.push(var));
        required.may_fail = literal.may_fail();
        required
    }
}

/// The variables that an operation or a generator binds.
fn computed(rule: &Rule) -> VarSet {
    let mut computed = VarSet::default();
    rule.computed().for_each(|var| {
        computed.insert(var);
    });
    computed
}

/// Whether a literal compares by the order of what isn't text.
fn compares(literal: &Literal) -> bool {
    match literal {
        Literal::Test { expr, .. } => matches!(expr.kind, ExprKind::Call(op, _) if mirrored(op).is_some()),
        _ => false,
    }
}

/// The same comparison with its sides exchanged; none of what is no comparison by the words as ints.
pub(super) fn mirrored(op: Op) -> Option<Op> {
    match op {
        Op::Less => Some(Op::Greater),
        Op::LessEqual => Some(Op::GreaterEqual),
        Op::Greater => Some(Op::Less),
        Op::GreaterEqual => Some(Op::LessEqual),
        _ => None,
    }
}

/// The expressions that are evaluated once the body holds: keys and count of a limit, then the head's terms, an
/// aggregate's arguments among them.
pub(crate) fn head_exprs(rule: &Rule) -> impl Iterator<Item = &Expr> {
    let limit = rule
        .limit
        .iter()
        .flat_map(|limit| std::iter::once(&limit.count).chain(limit.by.iter().map(|(key, _)| key)));
    limit.chain(rule.terms.iter().flat_map(|term| match term {
        Term::Expr(expr) => std::slice::from_ref(expr),
        Term::Aggregate { args, .. } => args.as_slice(),
    }))
}

/// For each place in the order the variables that something after it needs.
pub(super) fn needed_after(shape: &Shape, order: &[usize]) -> Vec<VarSet> {
    let mut needed = VarSet::default();
    shape.head.iter().for_each(|var| {
        needed.insert(*var);
    });
    let mut sets = vec![needed.clone()];
    for literal in order.iter().rev().map(|at| shape.literal(*at)) {
        literal.all.iter().for_each(|var| {
            needed.insert(*var);
        });
        sets.push(needed.clone());
    }
    sets.reverse();
    sets.remove(0);
    sets
}
