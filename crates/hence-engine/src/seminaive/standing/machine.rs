//! Runs a standing plan: nested loops without recursion, one frame of words, no allocation for a match.

use smallvec::SmallVec;

use crate::Bound;
use crate::budget::Budget;
use crate::seminaive::code::Code;
use crate::seminaive::known::IndexId;
use crate::seminaive::plan::Slot;
use hence_core::fault::{OrBroken, broken};
use hence_core::index_vec::IndexVec;
use hence_core::schema::RelationId;
use hence_core::value::Word;
use hence_lang::builtins::expr::NoResult;
use hence_lang::builtins::generator::Generator;

use super::plan::{Plan, Search, Start, Step, View};
use super::store::{NEW, NONE, OLD, Store};

/// An invariant of plans and of what the machine keeps of them.
const LOOPS: &str =
    "the loops of a standing plan go through rows and elements, and its other steps are filters";

/// Why work stopped.
#[derive(Clone, Copy, Debug)]
pub(super) enum Halt {
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
pub(super) struct Site<'a> {
    /// The facts.
    pub(super) store: &'a mut Store,
    /// The limits.
    pub(super) budget: &'a mut Budget,
    /// The values of the parameters.
    pub(super) params: &'a [Word],
}

/// What becomes of matches.
pub(super) trait Sink {
    /// Takes in one match: the values of the head's expressions and the largest rank among the facts of the rule's
    /// own stratum; whether to go on.
    fn take(&mut self, row: &[Word], rank: u32, site: &mut Site<'_>) -> Result<bool, Halt>;
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
pub(super) struct Machine {
    frame: IndexVec<Slot, Word>,
    cursors: Vec<Cursor>,
    /// For each step the slot of the fact that it is at.
    at: Vec<u32>,
    row: Vec<Word>,
    /// Whether some operation had no result.
    pub(super) failed: bool,
    /// How many rows and elements were looked at, ever.
    pub(super) steps: u64,
    /// At how many steps to stop.
    pub(super) fuel: u64,
}

impl Machine {
    /// A machine with all the fuel there is.
    pub(super) fn new() -> Self {
        Self { fuel: u64::MAX, ..Self::default() }
    }

    /// Finds all matches of a plan that begin with `row`, whose fact in the rule's own stratum has rank `floor`.
    pub(super) fn run<S: Sink>(
        &mut self,
        plan: &Plan,
        row: &[Word],
        floor: u32,
        site: &mut Site<'_>,
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
                if !self.hit(plan, floor, site, sink)? {
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

    fn step(&mut self, site: &mut Site<'_>) -> Result<(), Halt> {
        self.steps += 1;
        site.budget.step()?;
        if self.steps > self.fuel { Err(Halt::Fuel) } else { Ok(()) }
    }

    /// Binds what a row binds; whether it fits.
    #[inline]
    fn fits(&mut self, fit: &Start, row: &[Word]) -> bool {
        for (column, slot) in &fit.binds {
            self.frame[*slot] = row[*column as usize];
        }
        fit.checks.iter().all(|(column, slot)| self.frame[*slot] == row[*column as usize])
    }

    /// A match of the whole body: evaluates the head and hands it on.
    fn hit<S: Sink>(
        &mut self,
        plan: &Plan,
        floor: u32,
        site: &mut Site<'_>,
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
        let ranks = plan.own.iter().map(|(step, relation)| site.store.table(*relation).rank(self.at[*step]));
        let rank = ranks.fold(floor, u32::max);
        sink.take(&self.row, rank, site)
    }

    /// Comes to a step from before it; whether a match passes.
    fn enter(&mut self, plan: &Plan, at: usize, site: &mut Site<'_>) -> Result<bool, Halt> {
        match &plan.steps[at] {
            Step::Every(search) => {
                self.cursors[at] = match &search.by {
                    Some(by) => Cursor::Chain(self.first(search.relation, by, site)),
                    None => Cursor::Slots(0, site.store.table(search.relation).slots()),
                };
                self.advance(plan, at, site)
            }
            Step::Each(_, generator, args) => match self.generate(generator, args, site)? {
                Some(cursor) => {
                    self.cursors[at] = cursor;
                    self.advance(plan, at, site)
                }
                None => Ok(false),
            },
            step => self.filter(at, step, site),
        }
    }

    fn first(&self, relation: RelationId, (index, key): &(IndexId, Vec<Slot>), site: &Site<'_>) -> u32 {
        let slot = |slot: &Slot| self.frame[*slot];
        let table = site.store.table(relation);
        match key.as_slice() {
            [a] => table.first(*index, &[slot(a)]),
            [a, b] => table.first(*index, &[slot(a), slot(b)]),
            key => table.first(*index, &key.iter().map(slot).collect::<SmallVec<[Word; 8]>>()),
        }
    }

    fn generate(
        &mut self,
        generator: &Generator,
        args: &[Code],
        site: &mut Site<'_>,
    ) -> Result<Option<Cursor>, Halt> {
        let Some(words) = self.words(args, site) else { return Ok(None) };
        if let (Generator::Range, [from, to]) = (generator, words.as_slice()) {
            return Ok(Some(Cursor::Ints(from.as_int(), to.as_int())));
        }
        Ok(Some(Cursor::Elements(generator.elements(&words).collect::<Vec<_>>().into_iter())))
    }

    fn words(&mut self, args: &[Code], site: &Site<'_>) -> Option<SmallVec<[Word; 4]>> {
        let words: Result<_, NoResult> =
            args.iter().map(|arg| arg.eval(self.frame.view(), site.params)).collect();
        self.failed |= words.is_err();
        words.ok()
    }

    /// The next match of a loop, if there is one.
    fn advance(&mut self, plan: &Plan, at: usize, site: &mut Site<'_>) -> Result<bool, Halt> {
        match &plan.steps[at] {
            Step::Every(search) => loop {
                let slot = self.next_slot(at, search, site);
                if slot == NONE {
                    return Ok(false);
                }
                self.step(site)?;
                let table = site.store.table(search.relation);
                if sees(site.store, search.relation, slot, search.view)
                    && self.fits(&search.fit, table.row(slot))
                {
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
    fn next_slot(&mut self, at: usize, search: &Search, site: &Site<'_>) -> u32 {
        match (&mut self.cursors[at], &search.by) {
            (Cursor::Chain(NONE), Some(_)) => NONE,
            (Cursor::Chain(slot), Some((index, _))) => {
                let next = site.store.table(search.relation).index(*index).next(*slot);
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

    fn filter(&mut self, at: usize, step: &Step, site: &mut Site<'_>) -> Result<bool, Halt> {
        match step {
            Step::Some(search, wanted) => Ok(self.some(search, site)? == *wanted),
            Step::Member { relation, view, row, wanted } => {
                self.row.clear();
                self.row.extend(row.iter().map(|slot| self.frame[*slot]));
                let found = site.store.table(*relation).find(&self.row);
                self.at[at] = found.unwrap_or(NONE);
                self.step(site)?;
                Ok(found.is_some_and(|slot| sees(site.store, *relation, slot, *view)) == *wanted)
            }
            Step::Test(code) => Ok(self.eval(code, site).is_some_and(Word::as_bool)),
            Step::Let(slot, code) => {
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
            Step::Every(_) | Step::Each(..) => broken(LOOPS),
        }
    }

    fn eval(&mut self, code: &Code, site: &Site<'_>) -> Option<Word> {
        let word = code.eval(self.frame.view(), site.params);
        self.failed |= word.is_err();
        word.ok()
    }

    /// Whether some row under the key is seen.
    fn some(&mut self, search: &Search, site: &mut Site<'_>) -> Result<bool, Halt> {
        let by = search.by.as_ref().or_broken("whether some row has a key is looked up by an index");
        let mut slot = self.first(search.relation, by, site);
        while slot != NONE {
            self.step(site)?;
            if sees(site.store, search.relation, slot, search.view) {
                return Ok(true);
            }
            slot = site.store.table(search.relation).index(by.0).next(slot);
        }
        Ok(false)
    }
}

#[inline]
fn sees(store: &Store, relation: RelationId, slot: u32, view: View) -> bool {
    let table = store.table(relation);
    match view {
        View::Old => table.is(slot, OLD),
        View::New => table.is(slot, NEW),
        View::Ranked => table.rank(slot) != NONE,
    }
}
