//! The derivations of one fact, lazily: rule by rule, match by match, in an order that depends on values alone.

use std::collections::VecDeque;
use std::rc::Rc;

use hence_core::value::Word;
use hence_lang::builtins::expr::{Expr, ExprKind, VarId};
use hence_lang::builtins::term::Term;
use hence_lang::ir::{Rule, RuleId};

use super::context::Context;
use super::group::{self, GroupFound};
use super::heights::Heights;
use super::matches::BodyMatches;
use super::plans::{Begin, Plans};
use super::ranking::{self, GroupRank};
use super::store::FactRef;

/// One match of a body: the words of the variables, and for each atom by its place the row chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Match {
    pub(super) vars: Vec<Word>,
    pub(super) rows: Vec<u32>,
}

/// One way to derive a fact.
#[derive(Clone, Debug)]
pub(super) struct Derivation {
    pub(super) rule: RuleId,
    /// The match; of an aggregate, only the variables of the group mean anything.
    pub(super) found: Match,
    pub(super) extra: Extra,
}

/// What a rule adds to its match.
#[derive(Clone, Debug)]
pub(super) enum Extra {
    /// Nothing.
    Plain,
    /// The matches of the group.
    Group(Rc<GroupFound>),
    /// The standing in the group.
    Ranked(Rc<GroupRank>),
}

/// The variable that a head term consists of.
pub(super) fn head_variable(expr: &Expr) -> Option<VarId> {
    match expr.kind {
        ExprKind::Var(var) => Some(var),
        _ => None,
    }
}

/// The words that the known columns of a fact give the variables of the head; `None` where one would need two.
pub(super) fn given_words(rule: &Rule, row: &[Option<Word>]) -> Option<Vec<Option<Word>>> {
    let rank = rule.limit.as_ref().and_then(|limit| limit.rank);
    let mut given: Vec<Option<Word>> = vec![None; rule.variables.len()];
    for (term, word) in rule.terms.iter().zip(row) {
        let (Term::Expr(expr), Some(word)) = (term, word) else { continue };
        let Some(var) = head_variable(expr).filter(|var| Some(*var) != rank) else { continue };
        let slot = given.get_mut(var.0 as usize)?;
        if slot.is_some_and(|other| other != *word) {
            return None;
        }
        *slot = Some(*word);
    }
    Some(given)
}

/// What derivations are looked for with.
#[derive(Clone, Copy)]
pub(super) struct Search<'c, 'a> {
    pub(super) context: &'c Context<'a>,
    pub(super) plans: &'c Plans,
    pub(super) heights: &'c Heights,
    /// How many inputs of an aggregate are kept.
    pub(super) inputs: usize,
}

/// The derivations of one fact.
pub(super) struct Derivations<'c, 'a> {
    search: Search<'c, 'a>,
    fact: FactRef,
    below: Option<usize>,
    /// The rules yet to be tried with the least height that each can give, lowest first.
    rules: VecDeque<(usize, RuleId)>,
    current: Option<(usize, RuleId, Remaining<'c, 'a>)>,
}

/// The derivations by one rule that are left.
enum Remaining<'c, 'a> {
    Matches(Box<BodyMatches<'c, 'a>>),
    Ready(VecDeque<Derivation>),
}

impl<'c, 'a> Derivations<'c, 'a> {
    /// The derivations of `fact`; with `below`, from facts of its stratum of a lower rank only.
    pub(super) fn new(search: Search<'c, 'a>, fact: FactRef, below: Option<usize>) -> Self {
        let rules = search.context.rules_of(fact.relation);
        let mut rules: Vec<_> = rules.iter().map(|&rule| (search.heights.of_rule(rule), rule)).collect();
        rules.sort_unstable();
        Self { search, fact, below, rules: rules.into(), current: None }
    }

    /// The next derivation by a rule that is still `worth` its least height.
    pub(super) fn next(&mut self, worth: impl Fn(usize, RuleId) -> bool) -> Option<Derivation> {
        loop {
            if let Some((height, rule, source)) = &mut self.current {
                if worth(*height, *rule)
                    && let Some(found) = source.next(*rule)
                {
                    return Some(found);
                }
                self.current = None;
            }
            let (height, rule) = self.rules.pop_front()?;
            if worth(height, rule) {
                self.current = self.open(rule).map(|source| (height, rule, source));
            }
        }
    }

    fn open(&self, id: RuleId) -> Option<Remaining<'c, 'a>> {
        let Search { context, plans, inputs, .. } = self.search;
        let rule = &context.program[id];
        let row = &*context.store.row(self.fact);
        let plan = plans.get(context, id, rule, Begin::Head);
        let matches = BodyMatches::new(context, (rule, plan), row, self.below);
        if rule.is_aggregate() {
            let found = group::find(context, rule, matches, row, inputs)?;
            let first = found.inputs.first().cloned()?;
            let extra = Extra::Group(Rc::new(found));
            return Some(Remaining::Ready([Derivation { rule: id, found: first, extra }].into()));
        }
        match &rule.limit {
            Some(limit) => {
                let group = plans.get(context, id, rule, Begin::Per);
                let ranking = ranking::Ranking { context, id, rule, limit, group };
                Some(Remaining::Ready(ranking.derivations(matches.sorted(), row)))
            }
            None => Some(Remaining::Matches(Box::new(matches.sorted()))),
        }
    }
}

impl Remaining<'_, '_> {
    fn next(&mut self, rule: RuleId) -> Option<Derivation> {
        match self {
            Self::Ready(left) => left.pop_front(),
            Self::Matches(matches) => {
                matches.next().then(|| Derivation { rule, found: matches.found(), extra: Extra::Plain })
            }
        }
    }
}

impl Derivation {
    /// The facts that it needs, in the order in which the proof shows them.
    pub(super) fn facts(&self, rule: &Rule) -> Vec<FactRef> {
        match &self.extra {
            Extra::Group(group) => group.inputs.iter().flat_map(|input| input.facts(rule)).collect(),
            Extra::Plain | Extra::Ranked(_) => self.found.facts(rule).collect(),
        }
    }
}

impl Match {
    /// The facts that were chosen, in the order of the body.
    pub(super) fn facts(&self, rule: &Rule) -> impl Iterator<Item = FactRef> {
        self.taken(rule).map(|(_, fact)| fact)
    }

    /// The same, each with the place of its literal.
    pub(super) fn taken(&self, rule: &Rule) -> impl Iterator<Item = (usize, FactRef)> {
        rule.body.iter().zip(&self.rows).enumerate().filter_map(|(at, (literal, row))| {
            literal.positive().map(|atom| (at, FactRef { relation: atom.relation, row: *row }))
        })
    }
}
