//! The order in which the body of a rule is gone through once some of its variables are known.

use std::collections::BTreeSet;

use hence_core::schema::RelationId;
use hence_lang::builtins::expr::{Expr, VarId};
use hence_lang::builtins::term::Term;
use hence_lang::ir::{Arg, Literal, Rule};

/// What to do next in a body; a literal is named by its place there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Move {
    /// Choose a fact of the atom.
    Match(usize),
    /// Make sure that no fact matches.
    Absent(usize),
    /// Compute the value and bind, or compare with, the variable.
    Bind {
        /// The literal.
        literal: usize,
        /// Whether the variable has a value already.
        bound: bool,
    },
    /// Make sure that the condition holds.
    Test(usize),
    /// Choose an element, or make sure that the variable is one.
    Each {
        /// The literal.
        literal: usize,
        /// Whether the variable has a value already.
        bound: bool,
    },
    /// Compare the term of the head with the fact asked for.
    Head(usize),
}

/// An order for the body of a rule.
pub(super) struct Plan {
    pub(super) moves: Vec<Move>,
    /// For each atom of the body by its place, the variables (by place of the argument) that it binds.
    pub(super) binds: Vec<Vec<bool>>,
    /// The choices that sizes decided.
    choices: Vec<Choice>,
}

/// Literals that could have come next, with what their costs were made of; the one that did.
struct Choice {
    among: Vec<(Cost, usize)>,
    chosen: usize,
}

/// What it costs to go through the facts or elements that a literal chooses from.
#[derive(Clone, Copy)]
enum Cost {
    /// An atom: whether it chooses at all, its relation, and how many of its columns are known.
    Atom(bool, RelationId, u32),
    /// A generator.
    Elements,
}

impl Cost {
    /// Whether it chooses at all, and how many facts are likely to fit.
    fn of(self, size: impl Fn(RelationId) -> usize) -> (bool, usize) {
        match self {
            Self::Atom(chooses, relation, known) => {
                (chooses, size(relation).checked_shr(4 * known).unwrap_or(0))
            }
            Self::Elements => (true, 16),
        }
    }
}

/// The cheapest of some literals, of equals the first of the text.
fn cheapest(among: &[(Cost, usize)], size: impl Fn(RelationId) -> usize) -> Option<usize> {
    among.iter().map(|(cost, literal)| (cost.of(&size), *literal)).min().map(|(_, literal)| literal)
}

/// What a plan starts from.
pub(super) struct Start<'s> {
    /// The variables that have a value before the body is entered.
    pub(super) bound: BTreeSet<VarId>,
    /// Whether the terms of the head must give the columns of a fact.
    pub(super) head: bool,
    /// How many facts a relation has.
    pub(super) size: &'s dyn Fn(RelationId) -> usize,
}

impl Plan {
    /// Conditions as soon as they can be decided; atoms by how many columns are known, then by how few facts they
    /// choose from, then by the order of the text.
    pub(super) fn new(rule: &Rule, start: Start<'_>) -> Self {
        let mut maker = Maker::new(rule, start.bound, start.size);
        let mut heads: Vec<usize> = if start.head { checked_terms(rule) } else { Vec::new() };
        let mut binds = vec![Vec::new(); rule.body.len()];
        loop {
            heads.retain(|&column| !maker.head(column));
            if maker.condition() {
                continue;
            }
            let Some(literal) = maker.choice() else { break };
            maker.enter(literal, &mut binds);
        }
        Self { moves: maker.moves, binds, choices: maker.choices }
    }

    /// Whether the plan would be made in the same way where relations have these sizes.
    pub(super) fn suits(&self, size: &dyn Fn(RelationId) -> usize) -> bool {
        self.choices.iter().all(|choice| cheapest(&choice.among, size) == Some(choice.chosen))
    }

    /// The columns by which the plan looks facts up, of each atom that isn't gone through whole.
    pub(super) fn look_ups<'r>(
        &'r self,
        rule: &'r Rule,
    ) -> impl Iterator<Item = (RelationId, Vec<u32>)> + 'r {
        self.moves.iter().filter_map(move |step| {
            let (Move::Match(literal) | Move::Absent(literal)) = step else { return None };
            let atom = rule.body.get(*literal)?.atom()?;
            let binds = self.binds.get(*literal)?;
            let opened = |arg: &Arg| atom.args.iter().zip(binds).any(|(other, binds)| *binds && other == arg);
            let known = (0u32..).zip(&atom.args);
            let known = known.filter(|(_, arg)| !matches!(arg, Arg::Any) && !opened(arg));
            Some((atom.relation, known.map(|(column, _)| column).collect()))
        })
    }

    /// In the order of the text as far as variables allow, constant columns of the head first, computed ones last:
    /// the order in which a reader follows a rule.
    pub(super) fn reading(rule: &Rule, bound: BTreeSet<VarId>) -> Self {
        let mut maker = Maker::new(rule, bound, &|_| 0);
        let mut heads = checked_terms(rule);
        let mut binds = vec![Vec::new(); rule.body.len()];
        heads.retain(|&column| !maker.head(column));
        while let Some(literal) = maker.left.iter().copied().find(|&literal| maker.may_enter(literal)) {
            match maker.decides(literal) {
                Some(_) => maker.decide(literal),
                None => maker.enter(literal, &mut binds),
            }
        }
        heads.retain(|&column| !maker.head(column));
        Self { moves: maker.moves, binds, choices: Vec::new() }
    }
}

/// The columns of the head that are computed: all but lone variables and aggregates.
fn checked_terms(rule: &Rule) -> Vec<usize> {
    let terms = rule.terms.iter().enumerate();
    terms
        .filter(|(_, term)| matches!(term, Term::Expr(expr) if head_variable(expr).is_none()))
        .map(|(column, _)| column)
        .collect()
}

/// The variable that a head term consists of.
pub(super) fn head_variable(expr: &Expr) -> Option<VarId> {
    match expr.kind {
        hence_lang::builtins::expr::ExprKind::Var(var) => Some(var),
        _ => None,
    }
}

struct Maker<'p, 's> {
    rule: &'p Rule,
    bound: BTreeSet<VarId>,
    size: &'s dyn Fn(RelationId) -> usize,
    left: Vec<usize>,
    moves: Vec<Move>,
    choices: Vec<Choice>,
}

impl<'p, 's> Maker<'p, 's> {
    fn new(rule: &'p Rule, bound: BTreeSet<VarId>, size: &'s dyn Fn(RelationId) -> usize) -> Self {
        let left = (0..rule.body.len()).collect();
        Self { rule, bound, size, left, moves: Vec::new(), choices: Vec::new() }
    }

    fn knows(&self, expr: &Expr) -> bool {
        let mut known = true;
        expr.for_each_var(&mut |var| known &= self.bound.contains(&var));
        known
    }

    fn is_bound(&self, arg: &Arg) -> bool {
        match arg {
            Arg::Any => false,
            Arg::Var(var) => self.bound.contains(var),
            Arg::Const(_) | Arg::Param(_) => true,
        }
    }

    /// Adds the comparison of a head column if it can be made now.
    fn head(&mut self, column: usize) -> bool {
        let Some(Term::Expr(expr)) = self.rule.terms.get(column) else { return true };
        let known = self.knows(expr);
        if known {
            self.moves.push(Move::Head(column));
        }
        known
    }

    /// Adds the first literal that chooses nothing and can be decided now.
    fn condition(&mut self) -> bool {
        let found = self.left.iter().copied().find(|&literal| self.decides(literal).is_some());
        found.inspect(|&literal| self.decide(literal)).is_some()
    }

    /// Whether a literal can come next.
    fn may_enter(&self, literal: usize) -> bool {
        self.decides(literal).is_some() || self.cost(literal).is_some()
    }

    /// Adds a literal that chooses nothing.
    fn decide(&mut self, literal: usize) {
        let Some(step) = self.decides(literal) else { return };
        self.left.retain(|&other| other != literal);
        if let Some(Literal::Bind { var, .. }) = self.rule.body.get(literal) {
            self.bound.insert(*var);
        }
        self.moves.push(step);
    }

    fn decides(&self, literal: usize) -> Option<Move> {
        match self.rule.body.get(literal)? {
            Literal::Atom(_) => None,
            Literal::Not(atom) => atom
                .args
                .iter()
                .all(|arg| matches!(arg, Arg::Any) || self.is_bound(arg))
                .then_some(Move::Absent(literal)),
            Literal::Test { expr, .. } => self.knows(expr).then_some(Move::Test(literal)),
            Literal::Bind { var, expr, .. } => {
                self.knows(expr).then(|| Move::Bind { literal, bound: self.bound.contains(var) })
            }
            Literal::Each { var, args, .. } => {
                let known = self.bound.contains(var) && args.iter().all(|arg| self.knows(arg));
                known.then_some(Move::Each { literal, bound: true })
            }
        }
    }

    /// The best literal that chooses: an atom, or a generator whose arguments are known.
    fn choice(&mut self) -> Option<usize> {
        let costs = self.left.iter().filter_map(|&literal| Some((self.cost(literal)?, literal)));
        let among: Vec<_> = costs.collect();
        let chosen = cheapest(&among, self.size)?;
        if among.len() > 1 {
            self.choices.push(Choice { among, chosen });
        }
        Some(chosen)
    }

    fn cost(&self, literal: usize) -> Option<Cost> {
        match self.rule.body.get(literal)? {
            Literal::Atom(atom) => {
                let known = atom.args.iter().filter(|arg| self.is_bound(arg)).count();
                Some(Cost::Atom(known < atom.args.len(), atom.relation, known as u32))
            }
            Literal::Each { args, .. } => args.iter().all(|arg| self.knows(arg)).then_some(Cost::Elements),
            _ => None,
        }
    }

    fn enter(&mut self, literal: usize, binds: &mut [Vec<bool>]) {
        self.left.retain(|&other| other != literal);
        match self.rule.body.get(literal) {
            Some(Literal::Atom(atom)) => {
                let new = atom.args.iter().map(|arg| match arg {
                    Arg::Var(var) => self.bound.insert(*var),
                    _ => false,
                });
                let new: Vec<bool> = new.collect();
                if let Some(slot) = binds.get_mut(literal) {
                    *slot = new;
                }
                self.moves.push(Move::Match(literal));
            }
            Some(Literal::Each { var, .. }) => {
                self.bound.insert(*var);
                self.moves.push(Move::Each { literal, bound: false });
            }
            _ => {}
        }
    }
}
