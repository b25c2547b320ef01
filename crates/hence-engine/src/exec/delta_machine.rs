//! Runs a plan over versioned relations, for one change at a time: nested loops without recursion, one frame of words, no
//! allocation for a match. It counts its steps, knows the ranks of the facts that it uses, and may run out of fuel.
#![expect(
    clippy::indexing_slicing,
    reason = "hot: steps, slots and columns are in range by construction of the plan"
)]

use crate::limits::Budget;
use crate::plan::expr::{CompiledExpr, Words, eval_all};
use crate::plan::frame::Slot;
use crate::plan::steps::{AccessPath, Plan, Step};
use crate::storage::chain_index::NONE;
use crate::storage::index::IndexId;
use crate::storage::versioned::{NEW, OLD, VersionedRelations};
use crate::storage::view::{NO_ROUNDS, View};
use hence_core::meter::Bound;
use smallvec::SmallVec;

use hence_core::fault::{OrBroken, broken};
use hence_core::index_vec::IndexVec;
use hence_core::schema::RelationId;
use hence_core::value::Word;
use hence_lang::builtins::expr::NoResult;
use hence_lang::builtins::generator::Generator;

/// An invariant of plans and of what the machine keeps of them.
const LOOPS: &str = "the loops of a plan that counts derivations go through rows and elements, and its other steps are filters";

/// Why work stopped.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Halt {
    /// A limit of the user.
    Bound(Bound),
    /// More work than it is worth; see `incremental::recursion`.
    Fuel,
}

impl From<Bound> for Halt {
    fn from(bound: Bound) -> Self {
        Self::Bound(bound)
    }
}

/// What a plan reads and may spend.
pub(crate) struct ChangeContext<'a> {
    /// The facts.
    pub(crate) store: &'a mut VersionedRelations,
    /// The limits.
    pub(crate) budget: &'a mut Budget,
    /// The values of the parameters.
    pub(crate) params: &'a [Word],
}

/// What becomes of matches.
pub(crate) trait DerivationSink {
    /// Takes in one match: the values of the head's expressions and the largest rank among the facts of the rule's
    /// own stratum; whether to go on.
    fn take(&mut self, row: &[Word], rank: u32, context: &mut ChangeContext<'_>) -> Result<bool, Halt>;
}

/// What is left of a loop.
enum DeltaCursor {
    /// Slots from the first number to before the second.
    Slots(u32, u32),
    /// A chain of an index.
    Chain(u32),
    /// Ints from the first to before the second.
    Ints(i64, i64),
    /// Elements in their order.
    Elements(std::vec::IntoIter<Word>),
}

/// The state of a plan at work; kept, so that its room is there for the next.
#[derive(Default)]
pub(crate) struct DeltaMachine {
    frame: IndexVec<Slot, Word>,
    cursors: Vec<DeltaCursor>,
    /// For each step the slot of the fact that it is at.
    at: Vec<u32>,
    row: Vec<Word>,
    /// Whether some operation had no result.
    pub(crate) failed: bool,
    /// How many rows and elements were looked at, ever.
    pub(crate) steps: u64,
    /// At how many steps to stop.
    pub(crate) fuel: u64,
}

impl DeltaMachine {
    /// A machine with all the fuel there is.
    pub(crate) fn new() -> Self {
        Self { fuel: u64::MAX, ..Self::default() }
    }

    /// Finds all matches of a plan that begin with `row`, whose fact in the rule's own stratum has rank `floor`.
    pub(crate) fn run<S: DerivationSink>(
        &mut self,
        plan: &Plan,
        row: &[Word],
        floor: u32,
        context: &mut ChangeContext<'_>,
        sink: &mut S,
    ) -> Result<(), Halt> {
        self.frame.clone_from(&plan.frame.words);
        if !plan.start.fits(&mut self.frame, |column| row[column]) {
            return Ok(());
        }
        let end = plan.steps.len();
        if self.cursors.len() < end {
            self.cursors.resize_with(end, || DeltaCursor::Chain(NONE));
            self.at.resize(end, NONE);
        }
        let (mut at, mut entering) = (0, true);
        loop {
            let passed = if at == end {
                if !self.emit(plan, floor, context, sink)? {
                    return Ok(());
                }
                false
            } else if entering {
                self.enter(plan, at, context)?
            } else {
                self.advance(plan, at, context)?
            };
            entering = passed;
            match (passed, plan.back[at]) {
                (true, _) => at += 1,
                (false, Some(back)) => at = back,
                (false, None) => return Ok(()),
            }
        }
    }

    fn step(&mut self, context: &mut ChangeContext<'_>) -> Result<(), Halt> {
        self.steps += 1;
        context.budget.step()?;
        if self.steps > self.fuel { Err(Halt::Fuel) } else { Ok(()) }
    }

    /// A match of the whole body: evaluates the head and hands it on.
    fn emit<S: DerivationSink>(
        &mut self,
        plan: &Plan,
        floor: u32,
        context: &mut ChangeContext<'_>,
        sink: &mut S,
    ) -> Result<bool, Halt> {
        self.row.clear();
        for code in &plan.head {
            match code.eval(self.frame.view(), context.params) {
                Ok(word) => self.row.push(word),
                Err(NoResult(_)) => {
                    self.failed = true;
                    return Ok(true);
                }
            }
        }
        let ranks =
            plan.ranked.iter().map(|(step, relation)| context.store.relation(*relation).rank(self.at[*step]));
        let rank = ranks.fold(floor, u32::max);
        sink.take(&self.row, rank, context)
    }

    /// Comes to a step from before it; whether a match passes.
    fn enter(&mut self, plan: &Plan, at: usize, context: &mut ChangeContext<'_>) -> Result<bool, Halt> {
        match &plan.steps[at] {
            Step::Every(path) => {
                self.cursors[at] = match &path.by {
                    Some(by) => DeltaCursor::Chain(self.first(path.relation, by, context)),
                    None => DeltaCursor::Slots(0, context.store.relation(path.relation).slots()),
                };
                self.advance(plan, at, context)
            }
            Step::Each(_, generator, args, _) => match self.generate(generator, args, context)? {
                Some(cursor) => {
                    self.cursors[at] = cursor;
                    self.advance(plan, at, context)
                }
                None => Ok(false),
            },
            step => self.filter(at, step, context),
        }
    }

    fn first(
        &self,
        relation: RelationId,
        (index, key): &(IndexId, Vec<Slot>),
        context: &ChangeContext<'_>,
    ) -> u32 {
        let slot = |slot: &Slot| self.frame[*slot];
        let table = context.store.relation(relation);
        match key.as_slice() {
            [a] => table.first(*index, &[slot(a)]),
            [a, b] => table.first(*index, &[slot(a), slot(b)]),
            key => table.first(*index, &key.iter().map(slot).collect::<SmallVec<[Word; 8]>>()),
        }
    }

    fn generate(
        &mut self,
        generator: &Generator,
        args: &[CompiledExpr],
        context: &mut ChangeContext<'_>,
    ) -> Result<Option<DeltaCursor>, Halt> {
        let Some(words) = self.words(args, context) else { return Ok(None) };
        if let (Generator::Range, [from, to]) = (generator, words.as_slice()) {
            return Ok(Some(DeltaCursor::Ints(from.as_int(), to.as_int())));
        }
        Ok(Some(DeltaCursor::Elements(generator.elements(&words).collect::<Vec<_>>().into_iter())))
    }

    fn words(&mut self, args: &[CompiledExpr], context: &ChangeContext<'_>) -> Option<Words> {
        let words = eval_all(args, self.frame.view(), context.params);
        self.failed |= words.is_err();
        words.ok()
    }

    /// The next match of a loop, if there is one.
    fn advance(&mut self, plan: &Plan, at: usize, context: &mut ChangeContext<'_>) -> Result<bool, Halt> {
        match &plan.steps[at] {
            Step::Every(path) => loop {
                let slot = self.next_slot(at, path, context);
                if slot == NONE {
                    return Ok(false);
                }
                self.step(context)?;
                let table = context.store.relation(path.relation);
                if sees(context.store, path.relation, slot, path.view)
                    && path.row.fits(&mut self.frame, |column| table.row(slot)[column])
                {
                    self.at[at] = slot;
                    return Ok(true);
                }
            },
            Step::Each(slot, ..) => {
                let word = match &mut self.cursors[at] {
                    DeltaCursor::Ints(from, to) if *from < *to => {
                        *from += 1;
                        Some(Word::from_int(*from - 1))
                    }
                    DeltaCursor::Ints(..) => None,
                    DeltaCursor::Elements(elements) => elements.next(),
                    DeltaCursor::Slots(..) | DeltaCursor::Chain(_) => broken(LOOPS),
                };
                let Some(word) = word else { return Ok(false) };
                context.budget.spend(1)?;
                self.step(context)?;
                self.frame[*slot] = word;
                Ok(true)
            }
            _ => broken(LOOPS),
        }
    }

    #[inline]
    fn next_slot(&mut self, at: usize, path: &AccessPath, context: &ChangeContext<'_>) -> u32 {
        match (&mut self.cursors[at], &path.by) {
            (DeltaCursor::Chain(NONE), Some(_)) => NONE,
            (DeltaCursor::Chain(slot), Some((index, _))) => {
                let next = context.store.relation(path.relation).index(*index).next(*slot);
                std::mem::replace(slot, next)
            }
            (DeltaCursor::Slots(from, to), None) if *from < *to => {
                *from += 1;
                *from - 1
            }
            (DeltaCursor::Slots(..), None) => NONE,
            _ => broken(LOOPS),
        }
    }

    fn filter(&mut self, at: usize, step: &Step, context: &mut ChangeContext<'_>) -> Result<bool, Halt> {
        match step {
            Step::Some(path, sign) => Ok(sign.passes(self.some(path, context)?)),
            Step::Probe { relation, view, row, sign } => {
                self.row.clear();
                self.row.extend(row.iter().map(|slot| self.frame[*slot]));
                let found = context.store.relation(*relation).find(&self.row);
                self.at[at] = found.unwrap_or(NONE);
                self.step(context)?;
                Ok(sign.passes(found.is_some_and(|slot| sees(context.store, *relation, slot, *view))))
            }
            Step::Test(code, _) => Ok(self.eval(code, context).is_some_and(Word::as_bool)),
            Step::Let(slot, code, _) => {
                let word = self.eval(code, context);
                if let Some(word) = word {
                    self.frame[*slot] = word;
                }
                Ok(word.is_some())
            }
            Step::Same(slot, code) => Ok(self.eval(code, context) == Some(self.frame[*slot])),
            Step::Among(slot, generator, args) => {
                let Some(words) = self.words(args, context) else { return Ok(false) };
                Ok(generator.contains(&words, self.frame[*slot]))
            }
            Step::Every(_) | Step::Each(..) | Step::Keys { .. } | Step::MultiwayJoin(_) => broken(LOOPS),
        }
    }

    fn eval(&mut self, code: &CompiledExpr, context: &ChangeContext<'_>) -> Option<Word> {
        let word = code.eval(self.frame.view(), context.params);
        self.failed |= word.is_err();
        word.ok()
    }

    /// Whether some row under the key is seen.
    fn some(&mut self, path: &AccessPath, context: &mut ChangeContext<'_>) -> Result<bool, Halt> {
        let by = path.by.as_ref().or_broken("whether some row has a key is looked up by an index");
        let mut slot = self.first(path.relation, by, context);
        while slot != NONE {
            self.step(context)?;
            if sees(context.store, path.relation, slot, path.view) {
                return Ok(true);
            }
            slot = context.store.relation(path.relation).index(by.0).next(slot);
        }
        Ok(false)
    }
}

#[inline]
fn sees(store: &VersionedRelations, relation: RelationId, slot: u32, view: View) -> bool {
    let table = store.relation(relation);
    match view {
        View::Old => table.is(slot, OLD),
        View::All => table.is(slot, NEW),
        View::Ranked => table.rank(slot) != NONE,
        View::Delta => broken(NO_ROUNDS),
    }
}
