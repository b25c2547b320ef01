//! All matches of a body over the facts that hold, by going through whole relations: slow, simple, and different
//! from how proofs are found.

use std::collections::BTreeSet;

use hence_core::value::Word;
use hence_lang::builtins::expr::{Expr, VarId};
use hence_lang::ir::{Arg, Atom, Literal, Rule};

use super::Checker;

/// How many rows and elements are looked at for one body before the checker gives up.
const PATIENCE: usize = 20_000_000;

/// The matches, or that there were too many to go through.
pub(super) struct Matches<'c, 'a> {
    checker: &'c Checker<'a>,
    rule: &'c Rule,
    looked_at: usize,
}

/// A match as far as it has come: a word for each bound variable.
type Partial = Vec<Option<Word>>;

impl<'c, 'a> Matches<'c, 'a> {
    pub(super) fn new(checker: &'c Checker<'a>, rule: &'c Rule) -> Self {
        Self { checker, rule, looked_at: 0 }
    }

    /// All matches in which the variables of `start` have their words; one for each choice of facts and elements.
    /// `None` where the facts aren't all known, or after too long a search.
    pub(super) fn all(mut self, start: Partial) -> Option<Vec<Partial>> {
        let mut left: BTreeSet<usize> = (0..self.rule.body.len()).collect();
        let mut bound = known(&start);
        let mut matches = vec![start];
        while let Some(literal) = self.ready(&left, &bound) {
            left.remove(&literal);
            let mut next = Vec::new();
            for partial in matches {
                self.extend(literal, partial, &mut next)?;
            }
            bound.extend(self.binds(literal));
            matches = next;
        }
        left.is_empty().then_some(matches)
    }

    /// The first condition that can be decided, else the first literal that chooses and can be entered.
    fn ready(&self, left: &BTreeSet<usize>, bound: &BTreeSet<usize>) -> Option<usize> {
        let is_ready = |at: &&usize, choice: bool| {
            self.rule.body.get(**at).is_some_and(|literal| {
                literal.chooses() == choice && literal.is_ready(|var| bound.contains(&(var.0 as usize)))
            })
        };
        let (decided, entered) = (|at: &&usize| is_ready(at, false), |at: &&usize| is_ready(at, true));
        left.iter().find(decided).or_else(|| left.iter().find(entered)).copied()
    }

    fn binds(&self, literal: usize) -> Vec<usize> {
        self.rule.body.get(literal).into_iter().flat_map(Literal::binds).map(|var| var.0 as usize).collect()
    }

    fn extend(&mut self, literal: usize, partial: Partial, next: &mut Vec<Partial>) -> Option<()> {
        let checker = self.checker;
        match self.rule.body.get(literal)? {
            Literal::Atom(atom) => self.facts(atom, &partial, next)?,
            Literal::Not(atom) => {
                let wanted: Vec<_> = atom.args.iter().map(|arg| word(checker, arg, &partial)).collect();
                let mut rows = checker.facts(atom.relation)?.iter();
                if !rows.any(|row| super::body::fits(row, &wanted)) {
                    next.push(partial);
                }
            }
            computing => {
                let values: Option<Vec<_>> =
                    computing.exprs().iter().map(|expr| self.eval(expr, &partial)).collect();
                for word in values.into_iter().flat_map(|values| computing.outcomes(&values)) {
                    self.tick(usize::from(computing.chooses()))?;
                    next.extend(match computing.computed() {
                        Some(var) => with(partial.clone(), var, word),
                        None => Some(partial.clone()),
                    });
                }
            }
        }
        Some(())
    }

    fn facts(&mut self, atom: &Atom, partial: &Partial, next: &mut Vec<Partial>) -> Option<()> {
        let rows = self.checker.facts(atom.relation)?;
        self.tick(rows.len())?;
        for row in rows.iter() {
            let columns = atom.args.iter().zip(row);
            let met = columns.clone().all(|(arg, found)| match arg {
                Arg::Any => true,
                _ => word(self.checker, arg, partial).is_none_or(|wanted| wanted == *found),
            });
            if !met {
                continue;
            }
            let bound = columns.clone().try_fold(partial.clone(), |partial, (arg, found)| match arg {
                Arg::Var(var) => with(partial, *var, *found),
                _ => Some(partial),
            });
            next.extend(bound);
        }
        Some(())
    }

    fn eval(&self, expr: &Expr, partial: &Partial) -> Option<Word> {
        expr.eval(&words(partial), &self.checker.params).ok()
    }

    fn tick(&mut self, count: usize) -> Option<()> {
        self.looked_at = self.looked_at.saturating_add(count);
        (self.looked_at <= PATIENCE).then_some(())
    }
}

fn word(checker: &Checker<'_>, arg: &Arg, partial: &Partial) -> Option<Word> {
    match arg {
        Arg::Var(var) => partial.get(var.0 as usize).copied().flatten(),
        other => checker.arg(other, &[]),
    }
}

fn known(vars: &Partial) -> BTreeSet<usize> {
    vars.iter().enumerate().filter(|(_, word)| word.is_some()).map(|(at, _)| at).collect()
}

/// The words of a partial match; variables without one read as nothing in particular.
pub(super) fn words(partial: &Partial) -> Vec<Word> {
    partial.iter().map(|word| word.unwrap_or_default()).collect()
}

fn with(mut partial: Partial, var: VarId, word: Word) -> Option<Partial> {
    let slot = partial.get_mut(var.0 as usize)?;
    if slot.is_some_and(|other| other != word) {
        return None;
    }
    *slot = Some(word);
    Some(partial)
}
