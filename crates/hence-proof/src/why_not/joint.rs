//! Several values at once: facts for all inputs of a body that join, and texts that expressions are to write.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeSet;

use hence_core::fault::OrBroken;
use hence_core::index_vec::Id;
use hence_core::schema::Kind;
use hence_core::value::{Type, Word};
use hence_lang::builtins::expr::{Expr, VarId};
use hence_lang::builtins::term::Term;
use hence_lang::ir::{Arg, Atom, Literal, Rule};

use super::change::Change;
use super::fill;
use super::ideas::{Ideas, wanted_by};
use super::relax::{Known, Relaxed};
use super::want::{self, Slot, Want};

impl<'a> Ideas<'_, 'a> {
    /// Asserts a fact for each input of a body at once, the same values where they join.
    pub(super) fn together(&mut self, rule: &'a Rule, known: &Known<'_>, left: usize) {
        let finder = self.finder;
        let context = &finder.context;
        let is_input = |atom: &&Atom| context.program[atom.relation].kind == Kind::Input;
        let mut atoms: Vec<&Atom> = rule.positive().filter(is_input).collect();
        let said = atoms.iter().all(|atom| finder.may_be_said(atom.relation));
        if !(2..=self.budget).contains(&atoms.len()) || !said {
            return;
        }
        // An id that is new where most facts are is likely to be new elsewhere.
        let rows = |atom: &&Atom| context.store.extent(atom.relation).map_or(0, |extent| extent.rows.len());
        atoms.sort_by_key(|atom| Reverse(rows(atom)));
        let mut state = Relaxed::whole(known.vars.iter().copied(), []);
        let mut changes = Vec::new();
        for atom in atoms {
            let key = state.key(atom, &context.params);
            if key.iter().all(Option::is_some) && context.store.any(atom.relation, &key, usize::MAX).is_some()
            {
                continue;
            }
            let wants = wanted_by(atom, &key, known.wants);
            let made = fill::assertions((finder, self.templates), atom.relation, &wants).into_iter().next();
            let Some(made) = made else { return };
            for change in &made {
                let Change::Assert(fact, _) = change else { continue };
                for (arg, value) in atom.args.iter().zip(&fact.values) {
                    if let Arg::Var(var) = arg {
                        let slot = state.vars.get_mut(var.at()).or_broken(VarId::INVARIANT);
                        slot.get_or_insert(value.word());
                    }
                }
            }
            changes.extend(made);
        }
        let votes = changes.len();
        if votes > 1 {
            self.push_for(changes, left, votes);
        }
    }

    /// A match with the texts that variables have to be for expressions to write what is wanted.
    pub(super) fn completed<'r>(
        &self,
        rule: &'r Rule,
        found: &'r Relaxed,
        wants: &[Want],
    ) -> Cow<'r, Relaxed> {
        let head = rule.terms.iter().zip(wants).filter_map(|(term, want)| match (term, want) {
            (Term::Expr(expr), Want::Is(whole)) => Some((expr, *whole)),
            _ => None,
        });
        let bound = rule.body.iter().filter_map(|literal| match literal {
            Literal::Bind { var, expr, .. } => Some((expr, found.word(*var)?)),
            _ => None,
        });
        let mut completed = Cow::Borrowed(found);
        for (expr, whole) in head.chain(bound) {
            if let Some((var, text)) = self.written_by(rule, &completed, expr, whole) {
                let slot = completed.to_mut().vars.get_mut(var.at());
                *slot.or_broken(VarId::INVARIANT) = Some(text);
            }
        }
        completed
    }

    /// The text of the one open variable of an expression with which it writes `whole`.
    fn written_by(&self, rule: &Rule, found: &Relaxed, expr: &Expr, whole: Word) -> Option<(VarId, Word)> {
        let mut open = BTreeSet::new();
        expr.for_each_var(&mut |var| open.extend(found.word(var).is_none().then_some(var)));
        let (1, Some(var), Type::String) = (open.len(), open.first().copied(), expr.ty) else { return None };
        let (words, params) = (found.words(), &self.finder.context.params);
        let text = (rule[var].ty.ty == Type::String)
            .then(|| want::inverted(expr, Slot::Var(var), (&words, params), whole))?;
        Some((var, text?))
    }
}
