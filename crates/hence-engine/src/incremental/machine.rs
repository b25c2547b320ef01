//! Runs a plan over versioned relations: nested loops without recursion, one frame of words, no allocation for a match.

use crate::limits::Budget;
use crate::plan::expr::CompiledExpr;
use crate::plan::frame::Slot;
use crate::plan::steps::{AccessPath, Plan, RowPattern, Step};
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
    /// More work than it is worth; see `recursion`.
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
    fn take(&mut self, row: &[Word], rank: u32, site: &mut ChangeContext<'_>) -> Result<bool, Halt>;
}

/// What is left of a loop.
enum Cursor {
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
    cursors: Vec<Cursor>,
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
        site: &mut ChangeContext<'_>,
        sink: &mut S,
    ) -> Result<(), Halt> {
        self.frame.clone_from(&plan.frame.words);
        if !self.fits(&plan.start, row) {
            return Ok(());
        }
        let end = plan.steps.len();
        if self.cursors.len() < end {
            self.cursors.resize_with(end, || Cursor::Chain(NONE));
            self.at.resize(end, NONE);
        }
        let (mut at, mut entering) = (0, true);
        loop {
            let passed = if at == end {
                if !self.emit(plan, floor, site, sink)? {
                    return Ok(());
                }
                false
            } else if entering {
                self.enter(plan, at, site)?
            } else {
                self.advance(plan, at, site)?
            };
            entering = passed;
            match (passed, plan.back[at]) {
                (true, _) => at += 1,
                (false, Some(back)) => at = back,
                (false, None) => return Ok(()),
            }
        }
    }

    fn step(&mut self, site: &mut ChangeContext<'_>) -> Result<(), Halt> {
        self.steps += 1;
        site.budget.step()?;
        if self.steps > self.fuel { Err(Halt::Fuel) } else { Ok(()) }
    }

    /// Binds what a row binds; whether it fits.
    #[inline]
    fn fits(&mut self, pattern: &RowPattern, row: &[Word]) -> bool {
        for (column, slot) in &pattern.binds {
            self.frame[*slot] = row[*column as usize];
        }
        pattern.checks.iter().all(|(column, slot)| self.frame[*slot] == row[*column as usize])
    }

    /// A match of the whole body: evaluates the head and hands it on.
    fn emit<S: DerivationSink>(
        &mut self,
        plan: &Plan,
        floor: u32,
        site: &mut ChangeContext<'_>,
        sink: &mut S,
    ) -> Result<bool, Halt> {
        self.row.clear();
        for code in &plan.head {
            match code.eval(self.frame.view(), site.params) {
                Ok(word) => self.row.push(word),
                Err(NoResult(_)) => {
                    self.failed = true;
                    return Ok(true);
                }
            }
        }
        let ranks =
            plan.ranked.iter().map(|(step, relation)| site.store.relation(*relation).rank(self.at[*step]));
        let rank = ranks.fold(floor, u32::max);
        sink.take(&self.row, rank, site)
    }

    /// Comes to a step from before it; whether a match passes.
    fn enter(&mut self, plan: &Plan, at: usize, site: &mut ChangeContext<'_>) -> Result<bool, Halt> {
        match &plan.steps[at] {
            Step::Every(path) => {
                self.cursors[at] = match &path.by {
                    Some(by) => Cursor::Chain(self.first(path.relation, by, site)),
                    None => Cursor::Slots(0, site.store.relation(path.relation).slots()),
                };
                self.advance(plan, at, site)
            }
            Step::Each(_, generator, args, _) => match self.generate(generator, args, site)? {
                Some(cursor) => {
                    self.cursors[at] = cursor;
                    self.advance(plan, at, site)
                }
                None => Ok(false),
            },
            step => self.filter(at, step, site),
        }
    }

    fn first(
        &self,
        relation: RelationId,
        (index, key): &(IndexId, Vec<Slot>),
        site: &ChangeContext<'_>,
    ) -> u32 {
        let slot = |slot: &Slot| self.frame[*slot];
        let table = site.store.relation(relation);
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
        site: &mut ChangeContext<'_>,
    ) -> Result<Option<Cursor>, Halt> {
        let Some(words) = self.words(args, site) else { return Ok(None) };
        if let (Generator::Range, [from, to]) = (generator, words.as_slice()) {
            return Ok(Some(Cursor::Ints(from.as_int(), to.as_int())));
        }
        Ok(Some(Cursor::Elements(generator.elements(&words).collect::<Vec<_>>().into_iter())))
    }

    fn words(&mut self, args: &[CompiledExpr], site: &ChangeContext<'_>) -> Option<SmallVec<[Word; 4]>> {
        let words: Result<_, NoResult> =
            args.iter().map(|arg| arg.eval(self.frame.view(), site.params)).collect();
        self.failed |= words.is_err();
        words.ok()
    }

    /// The next match of a loop, if there is one.
    fn advance(&mut self, plan: &Plan, at: usize, site: &mut ChangeContext<'_>) -> Result<bool, Halt> {
        match &plan.steps[at] {
            Step::Every(path) => loop {
                let slot = self.next_slot(at, path, site);
                if slot == NONE {
                    return Ok(false);
                }
                self.step(site)?;
                let table = site.store.relation(path.relation);
                if sees(site.store, path.relation, slot, path.view) && self.fits(&path.row, table.row(slot)) {
                    self.at[at] = slot;
                    return Ok(true);
                }
            },
            Step::Each(slot, ..) => {
                let word = match &mut self.cursors[at] {
                    Cursor::Ints(from, to) if *from < *to => {
                        *from += 1;
                        Some(Word::from_int(*from - 1))
                    }
                    Cursor::Ints(..) => None,
                    Cursor::Elements(elements) => elements.next(),
                    Cursor::Slots(..) | Cursor::Chain(_) => broken(LOOPS),
                };
                let Some(word) = word else { return Ok(false) };
                site.budget.spend(1)?;
                self.step(site)?;
                self.frame[*slot] = word;
                Ok(true)
            }
            _ => broken(LOOPS),
        }
    }

    #[inline]
    fn next_slot(&mut self, at: usize, path: &AccessPath, site: &ChangeContext<'_>) -> u32 {
        match (&mut self.cursors[at], &path.by) {
            (Cursor::Chain(NONE), Some(_)) => NONE,
            (Cursor::Chain(slot), Some((index, _))) => {
                let next = site.store.relation(path.relation).index(*index).next(*slot);
                std::mem::replace(slot, next)
            }
            (Cursor::Slots(from, to), None) if *from < *to => {
                *from += 1;
                *from - 1
            }
            (Cursor::Slots(..), None) => NONE,
            _ => broken(LOOPS),
        }
    }

    fn filter(&mut self, at: usize, step: &Step, site: &mut ChangeContext<'_>) -> Result<bool, Halt> {
        match step {
            Step::Some(path, sign) => Ok(sign.passes(self.some(path, site)?)),
            Step::Probe { relation, view, row, sign } => {
                self.row.clear();
                self.row.extend(row.iter().map(|slot| self.frame[*slot]));
                let found = site.store.relation(*relation).find(&self.row);
                self.at[at] = found.unwrap_or(NONE);
                self.step(site)?;
                Ok(sign.passes(found.is_some_and(|slot| sees(site.store, *relation, slot, *view))))
            }
            Step::Test(code, _) => Ok(self.eval(code, site).is_some_and(Word::as_bool)),
            Step::Let(slot, code, _) => {
                let word = self.eval(code, site);
                if let Some(word) = word {
                    self.frame[*slot] = word;
                }
                Ok(word.is_some())
            }
            Step::Same(slot, code) => Ok(self.eval(code, site) == Some(self.frame[*slot])),
            Step::Among(slot, generator, args) => {
                let Some(words) = self.words(args, site) else { return Ok(false) };
                Ok(generator.contains(&words, self.frame[*slot]))
            }
            Step::Every(_) | Step::Each(..) | Step::Keys { .. } | Step::MultiwayJoin(_) => broken(LOOPS),
        }
    }

    fn eval(&mut self, code: &CompiledExpr, site: &ChangeContext<'_>) -> Option<Word> {
        let word = code.eval(self.frame.view(), site.params);
        self.failed |= word.is_err();
        word.ok()
    }

    /// Whether some row under the key is seen.
    fn some(&mut self, path: &AccessPath, site: &mut ChangeContext<'_>) -> Result<bool, Halt> {
        let by = path.by.as_ref().or_broken("whether some row has a key is looked up by an index");
        let mut slot = self.first(path.relation, by, site);
        while slot != NONE {
            self.step(site)?;
            if sees(site.store, path.relation, slot, path.view) {
                return Ok(true);
            }
            slot = site.store.relation(path.relation).index(by.0).next(slot);
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
