//! Runs a plan over versioned relations, for one change at a time. It counts its steps, knows the ranks of the facts that
//! it uses, and may run out of fuel.

use crate::exec::matches::{MatchCursor, Monitor, TupleSource};
use crate::limits::Budget;
use crate::plan::frame::Slot;
use crate::plan::steps::{AccessPath, Plan};
use crate::storage::packed::NONE;
use crate::storage::versioned::{NEW, OLD, VersionedRelations};
use crate::storage::view::{NO_ROUNDS, View};
use hence_core::meter::Bound;
use smallvec::SmallVec;

use hence_core::fault::{OrBroken, broken};
use hence_core::index_vec::IndexSlice;
use hence_core::schema::RelationId;
use hence_core::value::Word;
use hence_lang::builtins::expr::NoResult;

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

/// The rows that may fit an atom.
#[derive(Debug)]
pub(crate) enum VersionedCandidates {
    /// Slots from the first number to before the second.
    Slots(u32, u32),
    /// A chain of an index.
    Chain(u32),
}

/// Plans at work, one after the other, with what they spend.
#[derive(Default)]
pub(crate) struct DeltaMachine {
    cursor: MatchCursor<VersionedCandidates>,
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
        let Self { cursor, row: head, failed, steps, fuel } = self;
        cursor.begin(plan, row);
        loop {
            let mut monitor = ChangeMonitor { budget: context.budget, failed, steps, fuel: *fuel };
            if !cursor.next(plan, context.store, context.params, &mut monitor)? {
                return Ok(());
            }
            head.clear();
            let frame = IndexSlice::<Slot, Word>::from(cursor.words());
            for expr in &plan.head {
                head.extend(expr.eval(frame, context.params));
            }
            if head.len() < plan.head.len() {
                *failed = true;
                continue;
            }
            let ranked = plan.ranked.iter();
            let ranks =
                ranked.map(|(step, relation)| context.store.relation(*relation).rank(cursor.tuple(*step)));
            let rank = ranks.fold(floor, u32::max);
            if !sink.take(head, rank, context)? {
                return Ok(());
            }
        }
    }
}

/// What a run spends of the limits and of its fuel.
struct ChangeMonitor<'m> {
    budget: &'m mut Budget,
    failed: &'m mut bool,
    steps: &'m mut u64,
    fuel: u64,
}

impl Monitor for ChangeMonitor<'_> {
    type Stop = Halt;

    #[inline]
    fn step(&mut self) -> Result<(), Halt> {
        *self.steps += 1;
        self.budget.step()?;
        if *self.steps > self.fuel { Err(Halt::Fuel) } else { Ok(()) }
    }

    fn generate(&mut self) -> Result<(), Halt> {
        self.budget.spend(1)?;
        self.step()
    }

    fn undefined(&mut self, _: usize, _: NoResult, _: &[Word]) {
        *self.failed = true;
    }
}

impl TupleSource for VersionedRelations {
    type Candidates = VersionedCandidates;

    #[inline]
    fn candidates(&self, path: &AccessPath, words: &[Word]) -> VersionedCandidates {
        let table = self.relation(path.relation);
        let Some(index) = path.index else { return VersionedCandidates::Slots(0, table.slots()) };
        let frame = IndexSlice::<Slot, Word>::from(words);
        VersionedCandidates::Chain(match path.key.as_slice() {
            [(_, a)] => table.first(index, &[frame[*a]]),
            [(_, a), (_, b)] => table.first(index, &[frame[*a], frame[*b]]),
            key => {
                table.first(index, &key.iter().map(|(_, slot)| frame[*slot]).collect::<SmallVec<[Word; 8]>>())
            }
        })
    }

    #[inline]
    fn next(&self, path: &AccessPath, candidates: &mut VersionedCandidates) -> Option<u32> {
        match candidates {
            VersionedCandidates::Chain(NONE) => None,
            VersionedCandidates::Chain(slot) => {
                let index = path.index.or_broken("a chain is one of an index");
                let next = self.relation(path.relation).next(index, *slot);
                Some(std::mem::replace(slot, next))
            }
            VersionedCandidates::Slots(from, to) if *from < *to => {
                *from += 1;
                Some(*from - 1)
            }
            VersionedCandidates::Slots(..) => None,
        }
    }

    #[inline]
    fn tuple(&self, relation: RelationId, number: u32) -> impl Fn(usize) -> Word {
        let row = self.relation(relation).row(number);
        move |column| row.word(column)
    }

    #[inline]
    fn find(&self, relation: RelationId, row: &[Word]) -> Option<u32> {
        self.relation(relation).find(row)
    }

    #[inline]
    fn sees(&self, relation: RelationId, number: u32, view: View) -> bool {
        let table = self.relation(relation);
        match view {
            View::Old => table.is(number, OLD),
            View::All => table.is(number, NEW),
            View::Ranked => table.rank(number) != NONE,
            View::Delta => broken(NO_ROUNDS),
        }
    }
}
