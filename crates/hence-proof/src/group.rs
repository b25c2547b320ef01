//! The group that an aggregate ranges over: all matches, of which the first few are kept.

use std::cmp::Ordering;

use hence_core::fault::OrBroken;
use hence_core::index_vec::Id;
use hence_core::value::Word;
use hence_lang::builtins::aggregate::{Accumulator, Aggregate};
use hence_lang::builtins::expr::{Expr, VarId};
use hence_lang::builtins::term::Term;
use hence_lang::ir::{Literal, Rule};

use super::context::Context;
use super::derive::Match;
use super::matches::BodyMatches;
use super::store::FactRef;

/// A group.
#[derive(Clone, Debug)]
pub(super) struct GroupFound {
    /// How many matches it has.
    pub(super) matches: usize,
    /// The first of them: those that give the value, then by the values of their facts.
    pub(super) inputs: Vec<Match>,
}

/// The aggregates of a head as they fill up.
pub(super) struct Tally<'a> {
    aggregates: Vec<(usize, &'a [Expr], Aggregate, Accumulator)>,
}

impl<'a> Tally<'a> {
    pub(super) fn new(rule: &'a Rule) -> Self {
        let aggregates = rule.terms.iter().enumerate().filter_map(|(column, term)| match term {
            Term::Aggregate { aggregate, args, .. } => {
                let types: Vec<_> = args.iter().map(|arg| arg.ty).collect();
                Some((column, args.as_slice(), *aggregate, Accumulator::new(*aggregate, &types)))
            }
            Term::Expr(_) => None,
        });
        Self { aggregates: aggregates.collect() }
    }

    /// Takes a match in; false where an argument is undefined, which makes the match fail.
    pub(super) fn add(&mut self, vars: &[Word], params: &[Word]) -> bool {
        let words = |args: &[Expr]| -> Option<Vec<Word>> {
            args.iter().map(|arg| arg.eval(vars, params).ok()).collect()
        };
        let all: Option<Vec<_>> = self.aggregates.iter().map(|(_, args, ..)| words(args)).collect();
        let Some(all) = all else { return false };
        for ((.., accumulator), words) in self.aggregates.iter_mut().zip(all) {
            accumulator.add(&words);
        }
        true
    }

    /// Whether a match is one that gives a value of `row` by itself, as the largest does for `max`.
    fn gives(&self, vars: &[Word], params: &[Word], row: &[Word]) -> bool {
        self.aggregates.iter().any(|(column, args, aggregate, _)| {
            let words: Option<Vec<Word>> = args.iter().map(|arg| arg.eval(vars, params).ok()).collect();
            words.is_some_and(|words| row.get(*column).is_some_and(|value| aggregate.gives(&words, *value)))
        })
    }

    /// The values by column.
    pub(super) fn finish(&self) -> Option<Vec<(usize, Word)>> {
        self.aggregates.iter().map(|(column, .., state)| Some((*column, state.finish()?))).collect()
    }
}

/// The group of `row` under an aggregate rule, if the rule gives it these values.
pub(super) fn find(
    context: &Context<'_>,
    rule: &Rule,
    mut all: BodyMatches<'_, '_>,
    row: &[Word],
    keep: usize,
) -> Option<GroupFound> {
    let mut tally = Tally::new(rule);
    let mut first = First {
        keep: keep.max(1),
        order: |a: &(bool, Match), b: &(bool, Match)| {
            b.0.cmp(&a.0).then_with(|| compare(context, rule, &a.1, &b.1))
        },
        kept: Vec::new(),
        full: false,
    };
    let mut matches = 0;
    while all.next() {
        if tally.add(all.vars(), &context.params) {
            matches += 1;
            let gives = tally.gives(all.vars(), &context.params, row);
            first.offer(gives, all.found());
        }
    }
    let values = tally.finish().filter(|_| matches > 0)?;
    let agrees = values.iter().all(|(column, word)| row.get(*column) == Some(word));
    agrees.then(|| GroupFound { matches, inputs: first.take() })
}

/// Keeps the first few of many matches, each with whether it gives the value.
struct First<F> {
    keep: usize,
    order: F,
    kept: Vec<(bool, Match)>,
    /// Whether the last of `kept` is a bound for those to come.
    full: bool,
}

impl<F: Fn(&(bool, Match), &(bool, Match)) -> Ordering> First<F> {
    fn offer(&mut self, gives: bool, found: Match) {
        let found = (gives, found);
        let last = self.kept.get(self.keep - 1).filter(|_| self.full);
        if last.is_some_and(|last| (self.order)(&found, last).is_gt()) {
            return;
        }
        self.kept.push(found);
        if self.kept.len() >= self.keep.saturating_mul(2).saturating_add(64) {
            self.shrink();
        }
    }

    fn shrink(&mut self) {
        self.kept.sort_unstable_by(&self.order);
        self.full |= self.kept.len() >= self.keep;
        self.kept.truncate(self.keep);
    }

    fn take(mut self) -> Vec<Match> {
        self.shrink();
        self.kept.into_iter().map(|(_, found)| found).collect()
    }
}

/// Compares two matches of one body by the facts and elements chosen, in the order of the body.
pub(super) fn compare(context: &Context<'_>, rule: &Rule, left: &Match, right: &Match) -> Ordering {
    for (at, literal) in rule.body.iter().enumerate() {
        let order = match literal {
            Literal::Atom(atom) => {
                let row = |of: &Match| {
                    let row = *of.rows.get(at).or_broken("a match has a row for each literal of its body");
                    context.store.row(FactRef { relation: atom.relation, row })
                };
                context.compare(atom.relation, &row(left), &row(right))
            }
            Literal::Each { var, .. } => {
                let word = |of: &Match| *of.vars.get(var.0 as usize).or_broken(VarId::INVARIANT);
                rule[*var].ty.ty.compare(word(left), word(right))
            }
            _ => Ordering::Equal,
        };
        if order.is_ne() {
            return order;
        }
    }
    Ordering::Equal
}
