//! What a plan begins with: a row of the head or of a literal, or the words of some variables.

use hence_core::fault::broken;
use hence_lang::builtins::expr::{ExprKind, VarId};
use hence_lang::builtins::term::Term;
use hence_lang::ir::Arg;

use super::compile::Compiler;
use super::frame::Slot;
use super::roles::Role;
use super::source::Start;
use super::steps::RowPattern;

impl Compiler<'_> {
    /// What the row that the plan begins with binds and must equal.
    pub(super) fn start(&mut self) -> RowPattern {
        match self.source.start {
            Start::Nothing => RowPattern::default(),
            Start::Head => self.start_with_head(|_| true),
            Start::Columns(known) => self.start_with_head(|column| known.get(column) == Some(&true)),
            Start::Row(at) => self.start_with_row(at),
            Start::Variables(vars) => self.start_with_vars(vars.iter().copied()),
            Start::Left(remainder) => self.start_with_vars(remainder.bound.iter().copied()),
        }
    }

    fn start_with_row(&mut self, at: usize) -> RowPattern {
        let Some(atom) = self.source.rule.literal(at).atom() else {
            broken("plans begin with rows of atoms")
        };
        let is_key = |column: u32| match Role::of(self.source.roles, at) {
            Role::Some(keys) => keys.contains(&column),
            _ => true,
        };
        self.start_with_args((0u32..).zip(atom.args.iter().copied()).filter(|(column, _)| is_key(*column)))
    }

    fn start_with_vars(&mut self, vars: impl Iterator<Item = VarId>) -> RowPattern {
        self.start_with_args((0u32..).zip(vars.map(Arg::Var)))
    }

    fn start_with_args(&mut self, args: impl Iterator<Item = (u32, Arg)>) -> RowPattern {
        let mut row = RowPattern::default();
        for (column, arg) in args {
            match (self.slot(&arg), arg) {
                (Some(slot), _) => row.checks.push((column, slot)),
                (None, Arg::Var(var)) => {
                    self.bound.insert(var);
                    row.binds.push((column, var.into()));
                }
                _ => {}
            }
        }
        row
    }

    /// Lone variables take the words of the head; with those of the others its terms are compared later.
    fn start_with_head(&mut self, is_known: impl Fn(usize) -> bool) -> RowPattern {
        let rule = self.source.rule;
        let rank = rule.limit.as_ref().and_then(|limit| limit.rank);
        let (mut lone, mut wanted) = (Vec::new(), RowPattern::default());
        for (at, term) in rule.terms.iter().enumerate().filter(|(at, _)| is_known(*at)) {
            let Term::Expr(expr) = term else { continue };
            match expr.kind {
                ExprKind::Var(var) if Some(var) == rank => {}
                ExprKind::Var(var) => lone.push((at as u32, Arg::Var(var))),
                _ => {
                    let slot = Slot((rule.variables.len() + at) as u32);
                    wanted.binds.push((at as u32, slot));
                    self.unchecked.push((at, slot));
                }
            }
        }
        let mut row = self.start_with_args(lone.into_iter());
        row.binds.append(&mut wanted.binds);
        row
    }
}
