//! The matches of a rule's body in a finished model, one after the other: the engine's cursor over the facts of a store.

use std::sync::Arc;

use hence_core::fault::OrBroken;
use hence_core::schema::RelationId;
use hence_core::value::Word;
use hence_engine::matches::{AccessPath, MatchCursor, Monitor, Plan, StepOrigin, TupleSource};
use hence_lang::builtins::generator::Generator;
use hence_lang::ir::Rule;

use super::context::Context;
use super::derive::Match;
use super::interrupt::Interrupt;
use super::store::{FactRef, Key};

/// How many candidates are sorted first; each further portion is this many times larger.
const PORTION: usize = 32;

/// How many bindings that got equally far are kept.
const KEPT: usize = 256;

/// The number of the row of a literal that chooses none.
const NO_ROW: u32 = hence_engine::matches::NO_TUPLE;

/// The matches of one plan.
pub(super) struct BodyMatches<'c, 'a> {
    rule: &'a Rule,
    plan: Arc<Plan>,
    facts: Facts<'c, 'a>,
    cursor: MatchCursor<Queue>,
    watch: Watch<'c>,
}

/// The farthest step at which a search found nothing, and the words of the variables there, of the first few times.
#[derive(Clone, Debug, Default)]
pub(super) struct Stuck {
    pub(super) at: usize,
    pub(super) found: Vec<Vec<Word>>,
}

impl<'c, 'a> BodyMatches<'c, 'a> {
    /// The matches of a plan that begins with `row`. `below` bounds the rank of facts of the same stratum.
    pub(super) fn new(
        context: &'c Context<'a>,
        (rule, plan): (&'a Rule, Arc<Plan>),
        row: &[Word],
        below: Option<usize>,
    ) -> Self {
        let mut cursor = MatchCursor::default();
        cursor.begin(&plan, row);
        let facts = Facts { context, head: rule.head, below, is_sorted: false };
        let watch = Watch {
            interrupt: &context.interrupt,
            variables: rule.variables.len(),
            fuel: u64::MAX,
            stuck: None,
        };
        Self { rule, plan, facts, cursor, watch }
    }

    /// The same, with the candidates of each atom in the order of their values.
    pub(super) fn sorted(mut self) -> Self {
        self.facts.is_sorted = true;
        self
    }

    /// The same, ended after `fuel` candidates.
    pub(super) fn with_fuel(mut self, fuel: u64) -> Self {
        self.watch.fuel = fuel;
        self
    }

    /// The same, made to remember where the search got stuck.
    pub(super) fn remembering(mut self) -> Self {
        self.watch.stuck = Some(Stuck::default());
        self
    }

    /// Goes on to the next match; false when there is none, or the search has ended.
    pub(super) fn next(&mut self) -> bool {
        let params = &self.facts.context.params;
        matches!(self.cursor.next(&self.plan, &self.facts, params, &mut self.watch), Ok(true))
    }

    /// The words of the variables at a match.
    pub(super) fn vars(&self) -> &[Word] {
        self.watch.vars(self.cursor.words())
    }

    /// The match at hand.
    pub(super) fn found(&self) -> Match {
        let mut rows = vec![NO_ROW; self.rule.body.len()];
        for (step, origin) in self.plan.origins().iter().enumerate() {
            if let StepOrigin::Literal(at) = *origin {
                *rows.get_mut(at).or_broken("a plan has the literals of its own rule") =
                    self.cursor.tuple(step);
            }
        }
        Match { vars: self.vars().to_vec(), rows }
    }

    /// Whether the search ended before its end for want of fuel.
    pub(super) fn is_spent(&self) -> bool {
        self.watch.fuel == 0
    }

    /// Where the search got stuck, as far as it went, if it remembers that.
    pub(super) fn into_stuck(self) -> Option<Stuck> {
        self.watch.stuck.filter(|stuck| !stuck.found.is_empty())
    }
}

/// Bounds a search, and remembers where it got stuck.
struct Watch<'c> {
    interrupt: &'c Interrupt,
    variables: usize,
    /// How many candidates may still be looked at.
    fuel: u64,
    stuck: Option<Stuck>,
}

impl Watch<'_> {
    fn vars<'w>(&self, words: &'w [Word]) -> &'w [Word] {
        words.get(..self.variables).or_broken("a plan has a word for each variable of its rule")
    }
}

/// A search that is not to go on.
struct Ended;

impl Monitor for Watch<'_> {
    type Stop = Ended;

    #[inline]
    fn step(&mut self) -> Result<(), Ended> {
        if self.fuel == 0 || !self.interrupt.step() {
            return Err(Ended);
        }
        self.fuel -= 1;
        Ok(())
    }

    fn dead_end(&mut self, step: usize, words: &[Word]) {
        let vars = self.vars(words);
        let Some(stuck) = &mut self.stuck else { return };
        if step > stuck.at {
            *stuck = Stuck { at: step, found: Vec::new() };
        }
        if step == stuck.at && stuck.found.len() < KEPT {
            stuck.found.push(vars.to_vec());
        }
    }
}

/// The facts that a derivation of a fact of `head` may use.
struct Facts<'c, 'a> {
    context: &'c Context<'a>,
    head: RelationId,
    below: Option<usize>,
    /// Whether candidates and elements come in the order of their values.
    is_sorted: bool,
}

impl Facts<'_, '_> {
    fn end(&self, relation: RelationId) -> usize {
        self.context.end(relation, self.head, self.below)
    }
}

impl TupleSource for Facts<'_, '_> {
    type Candidates = Queue;

    fn candidates(&self, path: &AccessPath, words: &[Word]) -> Queue {
        let relation = path.relation();
        let mut key = Key::from_elem(None, self.context.types(relation).len());
        for (column, word) in path.key(words) {
            *key.get_mut(column as usize).or_broken("a key has columns of its relation") = Some(word);
        }
        let mut rows = Vec::new();
        self.context.store.each(relation, &key, self.end(relation), &mut |row| {
            rows.push(row);
            true
        });
        let ready = if self.is_sorted { 0 } else { rows.len() };
        Queue { rows, next: 0, ready, portion: 1 }
    }

    fn next(&self, path: &AccessPath, queue: &mut Queue) -> Option<u32> {
        queue.pop(self.context, path.relation())
    }

    fn tuple(&self, relation: RelationId, number: u32) -> impl Fn(usize) -> Word {
        let row = self.context.store.row(FactRef { relation, row: number });
        move |column| *row.get(column).or_broken("a plan reads the columns of its relations")
    }

    fn find(&self, relation: RelationId, row: &[Word]) -> Option<u32> {
        let key: Key = row.iter().copied().map(Some).collect();
        self.context.store.any(relation, &key, self.end(relation)).map(|fact| fact.row)
    }

    fn elements(&self, generator: &Generator, args: &[Word]) -> Vec<Word> {
        let mut elements: Vec<Word> = generator.elements(args).collect();
        if self.is_sorted {
            elements.sort_by(|a, b| generator.element().compare(*a, *b));
        }
        elements
    }
}

/// Rows yet to be tried; sorted in portions, since mostly the first few do.
struct Queue {
    rows: Vec<u32>,
    next: usize,
    ready: usize,
    portion: usize,
}

impl Queue {
    fn pop(&mut self, context: &Context<'_>, relation: RelationId) -> Option<u32> {
        if self.next == self.ready {
            self.refill(context, relation);
        }
        let row = self.rows.get(self.next).copied().filter(|_| self.next < self.ready);
        self.next += usize::from(row.is_some());
        row
    }

    /// Brings the next portion, in order, to the front of what is left.
    fn refill(&mut self, context: &Context<'_>, relation: RelationId) {
        let row = |row: u32| context.store.row(FactRef { relation, row });
        let order = |a: &u32, b: &u32| context.compare(relation, &row(*a), &row(*b));
        let Some(left) = self.rows.get_mut(self.next..) else { return };
        let count = self.portion.min(left.len());
        if count < left.len() {
            left.select_nth_unstable_by(count, order);
        }
        if let Some(first) = left.get_mut(..count) {
            first.sort_unstable_by(order);
        }
        self.ready = self.next + count;
        self.portion = self.portion.saturating_mul(PORTION);
    }
}
