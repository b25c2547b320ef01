//! The derivations of one fact, lazily: rule by rule, match by match, in an order that depends on values alone.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

use hence_core::value::Word;
use hence_lang::builtins::expr::VarId;
use hence_lang::builtins::term::Term;
use hence_lang::ir::{Rule, RuleId};

use super::context::Context;
use super::group::{self, GroupFound};
use super::heights::Heights;
use super::plan::{Plan, Start, head_variable};
use super::ranking::{self, GroupRank};
use super::store::FactRef;
use super::walk::Walk;

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

/// Which variables a body is entered with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Entry {
    /// Those that the columns of a fact give.
    Head,
    /// Those of `per`.
    Per,
}

/// Plans by rule and entry.
pub(super) type PlanCache = HashMap<(RuleId, Entry), Arc<Plan>, ahash::RandomState>;

/// Plans, made once, and again where relations have grown or shrunk so much that another order is better.
#[derive(Default)]
pub(super) struct Plans(RefCell<PlanCache>);

impl Plans {
    /// Those that were made before.
    pub(super) fn known(made: PlanCache) -> Self {
        Self(RefCell::new(made))
    }

    /// Those that are made.
    pub(super) fn into_cache(self) -> PlanCache {
        self.0.into_inner()
    }

    pub(super) fn get(&self, context: &Context<'_>, id: RuleId, rule: &Rule, entry: Entry) -> Arc<Plan> {
        let size = |relation| context.size(relation);
        let mut made = self.0.borrow_mut();
        if let Some(plan) = made.get(&(id, entry)).filter(|plan| plan.suits(&size)) {
            return Arc::clone(plan);
        }
        let bound = match entry {
            Entry::Head => head_variables(rule),
            Entry::Per => rule.limit.iter().flat_map(|limit| limit.per.iter().copied()).collect(),
        };
        let plan = Arc::new(Plan::new(rule, Start { bound, head: entry == Entry::Head, size: &size }));
        made.insert((id, entry), Arc::clone(&plan));
        plan
    }
}

/// The variables that stand alone in a column of the head, the rank of a limit left out.
fn head_variables(rule: &Rule) -> BTreeSet<VarId> {
    let rank = rule.limit.as_ref().and_then(|limit| limit.rank);
    let terms = rule.terms.iter().filter_map(|term| match term {
        Term::Expr(expr) => head_variable(expr),
        Term::Aggregate { .. } => None,
    });
    terms.filter(|var| Some(*var) != rank).collect()
}

/// The words that a fact's columns give the variables of the head; `None` where one would need two.
pub(super) fn head_words(rule: &Rule, row: &[Word]) -> Option<Vec<Word>> {
    let row: Vec<_> = row.iter().copied().map(Some).collect();
    let given = given_words(rule, &row)?;
    Some(given.into_iter().map(Option::unwrap_or_default).collect())
}

/// The same where only some columns are known: a word for each variable that one of them gives.
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
    current: Option<(usize, RuleId, Source<'c, 'a>)>,
}

enum Source<'c, 'a> {
    Walk(Box<Walk<'c, 'a>>),
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

    fn open(&self, id: RuleId) -> Option<Source<'c, 'a>> {
        let Search { context, plans, inputs, .. } = self.search;
        let rule = &context.program[id];
        let row = context.store.row(self.fact);
        let vars = head_words(rule, row)?;
        let plan = plans.get(context, id, rule, Entry::Head);
        let target = row.iter().copied().map(Some).collect();
        let walk = Walk::new(context, (rule, plan), vars, target, self.below);
        if rule.is_aggregate() {
            let found = group::find(context, rule, walk, row, inputs)?;
            let first = found.inputs.first().cloned()?;
            let extra = Extra::Group(Rc::new(found));
            return Some(Source::Ready([Derivation { rule: id, found: first, extra }].into()));
        }
        match &rule.limit {
            Some(limit) => {
                let group = plans.get(context, id, rule, Entry::Per);
                let ranking = ranking::Ranking { context, id, rule, limit, group };
                Some(Source::Ready(ranking.derivations(walk.sorted(), row)))
            }
            None => Some(Source::Walk(Box::new(walk.sorted()))),
        }
    }
}

impl Source<'_, '_> {
    fn next(&mut self, rule: RuleId) -> Option<Derivation> {
        match self {
            Self::Ready(left) => left.pop_front(),
            Self::Walk(walk) => walk.next().then(|| Derivation {
                rule,
                found: Match { vars: walk.vars.clone(), rows: walk.rows.clone() },
                extra: Extra::Plain,
            }),
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
        rule.body.iter().zip(&self.rows).filter_map(|(literal, row)| {
            literal.positive().map(|atom| FactRef { relation: atom.relation, row: *row })
        })
    }
}
