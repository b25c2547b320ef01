//! Runs a plan: nested loops without recursion, one frame of words, no allocation for a match.
#![expect(
    clippy::indexing_slicing,
    reason = "hot: steps and what is left of entries are in range by construction of the plan"
)]

use crate::cells::{Cell, Slice};
use crate::exec::bounds::places;
use crate::exec::context::{ExecContext, Sink};
use crate::exec::cursor::{LoopCursor, candidates, keys};
use crate::exec::undefined::UndefinedSearch;
use crate::plan::distinct::Passed;
use crate::plan::expr::{CompiledExpr, eval_all};
use crate::plan::frame::Slot;
use crate::plan::steps::{AccessPath, BoundedPath, JoinInput, Plan, PlanStep, Remainder};
use crate::storage::index::{Content, IndexId};
use hence_core::fault::{OrBroken, broken};
use hence_core::index_vec::IndexVec;
use hence_core::meter::Bound;
use hence_core::value::Word;
use hence_lang::builtins::expr::NoResult;
use hence_lang::builtins::generator::Generator;
use hence_lang::ir::Rule;

use smallvec::SmallVec;

/// An invariant of plans and of what the machine keeps of them.
pub(super) const LOOPS: &str =
    "the loops of a plan go through rows, keys, elements and multiway joins, and its other steps are filters";

/// A plan at work.
pub(crate) struct Machine<'a, 'p, 's, S> {
    pub(super) plan: &'a Plan,
    rule: &'a Rule,
    pub(super) context: &'s mut ExecContext<'a, 'p>,
    pub(super) sink: &'s mut S,
    pub(super) frame: IndexVec<Slot, Word>,
    pub(super) cursors: SmallVec<[LoopCursor<'a>; 12]>,
    elements: Vec<Option<Elements>>,
    /// By step what the sides of a multiway join have in common.
    pub(super) common: Vec<Vec<u32>>,
    /// What filters have let pass, by their number.
    pub(super) passed: Vec<Passed>,
    pub(super) row: Vec<Word>,
    pub(super) matches: u64,
    /// What the outermost loop goes through, where that isn't everything.
    morsel: Option<LoopCursor<'a>>,
    /// The searches after undefined operations, once there is one.
    undefined: Option<Box<UndefinedSearch<'a>>>,
}

/// What machines work with, kept from one to the next.
#[derive(Default)]
pub(crate) struct Scratch {
    frame: IndexVec<Slot, Word>,
    elements: Vec<Option<Elements>>,
    row: Vec<Word>,
    passed: Vec<Passed>,
    /// Facts on their way into a relation.
    pub(crate) batch: Vec<Word>,
}

type Elements = Box<dyn Iterator<Item = Word>>;

/// Where a machine goes on.
enum Move {
    Enter(usize),
    Resume(usize),
}

impl<'a, 'p, 's, S: Sink> Machine<'a, 'p, 's, S> {
    /// A machine for one run of `plan`.
    pub(crate) fn new(
        plan: &'a Plan,
        rule: &'a Rule,
        context: &'s mut ExecContext<'a, 'p>,
        sink: &'s mut S,
        scratch: &mut Scratch,
    ) -> Self {
        let cursors = SmallVec::from_elem(LoopCursor::Rows(0, 0), plan.steps.len());
        let mut frame = std::mem::take(&mut scratch.frame);
        frame.clone_from(&plan.frame.words);
        let elements = std::mem::take(&mut scratch.elements);
        let row = std::mem::take(&mut scratch.row);
        let mut passed = std::mem::take(&mut scratch.passed);
        passed.iter_mut().for_each(Passed::restart);
        Self {
            plan,
            rule,
            context,
            sink,
            frame,
            cursors,
            elements,
            common: Vec::new(),
            passed,
            row,
            matches: 0,
            morsel: None,
            undefined: None,
        }
    }

    /// Only a part of what the outermost loop has to go through.
    pub(crate) fn over(mut self, morsel: LoopCursor<'a>) -> Self {
        self.morsel = Some(morsel);
        self
    }

    /// Finds all matches; how many there were.
    ///
    /// Borrowed, since a machine is large to be moved for a few rows.
    pub(crate) fn run(&mut self, scratch: &mut Scratch) -> Result<u64, Bound> {
        let matches = self.find();
        self.elements.clear();
        scratch.frame = std::mem::take(&mut self.frame);
        scratch.elements = std::mem::take(&mut self.elements);
        scratch.row = std::mem::take(&mut self.row);
        scratch.passed = std::mem::take(&mut self.passed);
        matches
    }

    fn find(&mut self) -> Result<u64, Bound> {
        let end = self.plan.steps.len();
        let innermost = self.plan.back[end];
        let last_but_one = innermost.and_then(|at| self.plan.back[at]);
        let mut next = Some(Move::Enter(0));
        while let Some(place) = next {
            let (passed, at) = match place {
                Move::Enter(at) if at == end => {
                    self.emit()?;
                    next = self.plan.after_match.map(Move::Resume);
                    continue;
                }
                Move::Enter(at) if last_but_one == Some(at) => {
                    next = self.last_two_loops(at, innermost.unwrap_or(end))?.map(Move::Resume);
                    continue;
                }
                Move::Enter(at) if innermost == Some(at) => {
                    next = self.innermost_loop(at)?.map(Move::Resume);
                    continue;
                }
                Move::Enter(at) => (self.enter(at)?, at),
                Move::Resume(at) => (self.advance(at)?, at),
            };
            next = if passed { Some(Move::Enter(at + 1)) } else { self.plan.back[at].map(Move::Resume) };
        }
        Ok(self.matches)
    }

    /// Comes to a step from before it; whether a match passes.
    fn enter(&mut self, at: usize) -> Result<bool, Bound> {
        let step = &self.plan.steps[at];
        if !step.is_loop() {
            return self.filter(step);
        }
        match self.start(at)? {
            Some(cursor) => {
                self.cursors[at] = cursor;
                self.advance(at)
            }
            None => Ok(false),
        }
    }

    /// The beginning of a loop; none where an operation has no result.
    #[inline]
    pub(super) fn start(&mut self, at: usize) -> Result<Option<LoopCursor<'a>>, Bound> {
        if at == 0 && self.morsel.is_some() {
            return Ok(self.morsel);
        }
        match &self.plan.steps[at] {
            PlanStep::Every(path) => Ok(Some(candidates(path, self.context.stable, self.frame.view()))),
            PlanStep::Between(bounded) => {
                let stable = self.context.stable.get(bounded.path.relation);
                Ok(Some(places(bounded, stable, self.frame.view(), self.context.params)))
            }
            PlanStep::Keys { relation, index, view, .. } => {
                Ok(Some(keys(self.context.stable.get(*relation).index(*index), *view)))
            }
            PlanStep::Each(_, generator, args, remainder) => self.generate(at, generator, args, remainder),
            PlanStep::MultiwayJoin(inputs) => self.join(at, inputs).map(Some),
            PlanStep::Some(..)
            | PlanStep::Probe { .. }
            | PlanStep::Test(..)
            | PlanStep::Let(..)
            | PlanStep::Same(..)
            | PlanStep::Among(..)
            | PlanStep::Anew { .. }
            | PlanStep::Once { .. }
            | PlanStep::Fewer { .. } => broken(LOOPS),
        }
    }

    fn generate(
        &mut self,
        at: usize,
        generator: &Generator,
        args: &[CompiledExpr],
        remainder: &Remainder,
    ) -> Result<Option<LoopCursor<'a>>, Bound> {
        let words = eval_all(args, self.frame.view(), self.context.params);
        match (words, generator) {
            (Ok(words), Generator::Range) => match *words {
                [from, to] => Ok(Some(LoopCursor::Ints(from.as_int(), to.as_int()))),
                _ => broken("a range has a beginning and an end"),
            },
            (Ok(words), _) => {
                if self.elements.len() <= at {
                    self.elements.resize_with(at + 1, || None);
                }
                self.elements[at] = Some(generator.elements(&words));
                Ok(Some(LoopCursor::Elements))
            }
            (Err(none), _) => self.fail(none, remainder).map(|()| None),
        }
    }

    /// The next match of a loop, if there is one.
    fn advance(&mut self, at: usize) -> Result<bool, Bound> {
        let mut found = false;
        let rest = self.each(at, self.cursors[at], |_| {
            found = true;
            Ok(true)
        })?;
        self.cursors[at] = rest;
        Ok(found)
    }

    /// Runs a loop from `cursor` until `body` has enough; what is left of it.
    #[inline]
    pub(super) fn each(
        &mut self,
        at: usize,
        cursor: LoopCursor<'a>,
        mut body: impl FnMut(&mut Self) -> Result<bool, Bound>,
    ) -> Result<LoopCursor<'a>, Bound> {
        let step = &self.plan.steps[at];
        match (step, cursor) {
            (
                PlanStep::Every(path) | PlanStep::Between(BoundedPath { path, .. }),
                LoopCursor::Rows(from, to),
            ) => {
                let stable = self.context.stable.get(path.relation);
                return match step.rows(stable) {
                    Slice::Narrow(cells) => self.each_row(path, (from, to), cells, stable.arity(), body),
                    Slice::Wide(words) => self.each_row(path, (from, to), words, stable.arity(), body),
                };
            }
            (PlanStep::Every(path), LoopCursor::Numbers(numbers)) => {
                let stable = self.context.stable.get(path.relation);
                for (done, number) in (1..).zip(numbers) {
                    self.context.budget.step()?;
                    if self.fits(path, stable.row(*number)) && body(self)? {
                        return Ok(LoopCursor::Numbers(&numbers[done..]));
                    }
                }
            }
            (PlanStep::Every(path), LoopCursor::Words(words)) => {
                let slot = path.row.binds.first().map(|(_, slot)| *slot);
                for (done, word) in (1..).zip(words) {
                    if let Some(slot) = slot {
                        self.frame[slot] = Word(u64::from(*word));
                    }
                    if body(self)? {
                        return Ok(LoopCursor::Words(&words[done..]));
                    }
                }
                self.context.budget.steps(words.len() as u64)?;
            }
            (PlanStep::Keys { .. }, cursor) => return self.each_key(at, cursor, body),
            (PlanStep::MultiwayJoin(inputs), LoopCursor::Common(from, to)) => {
                return self.each_common(at, inputs, from..to, body);
            }
            (PlanStep::Each(..) | PlanStep::MultiwayJoin(_), mut left) => {
                while self.next_match(at, &mut left)? {
                    if body(self)? {
                        return Ok(left);
                    }
                }
            }
            // It has come to its end before.
            (_, LoopCursor::Rows(0, 0)) => {}
            _ => broken(LOOPS),
        }
        Ok(LoopCursor::Rows(0, 0))
    }

    /// [`Machine::each`] of a scan.
    #[inline]
    fn each_row<C: Cell>(
        &mut self,
        path: &AccessPath,
        (from, to): (u32, u32),
        cells: &[C],
        arity: usize,
        mut body: impl FnMut(&mut Self) -> Result<bool, Bound>,
    ) -> Result<LoopCursor<'a>, Bound> {
        let mut rows = &cells[from as usize * arity..to as usize * arity];
        for number in from..to {
            let (row, rest) = rows.split_at(arity);
            rows = rest;
            self.context.budget.step()?;
            if path.row.fits(&mut self.frame, |column| row[column].word()) && body(self)? {
                return Ok(LoopCursor::Rows(number + 1, to));
            }
        }
        Ok(LoopCursor::Rows(0, 0))
    }

    /// [`Machine::each`] of the keys of an index.
    fn each_key(
        &mut self,
        at: usize,
        cursor: LoopCursor<'a>,
        mut body: impl FnMut(&mut Self) -> Result<bool, Bound>,
    ) -> Result<LoopCursor<'a>, Bound> {
        let PlanStep::Keys { relation, index, slots, .. } = &self.plan.steps[at] else { broken(LOOPS) };
        let stable = self.context.stable.get(*relation);
        let index = stable.index(*index);
        match cursor {
            LoopCursor::Rows(from, to) => {
                let [(_, slot)] = *slots.as_slice() else { broken(LOOPS) };
                for group in (from..to).filter(|group| index.has_rows(*group)) {
                    self.frame[slot] = index.key(group);
                    if body(self)? {
                        return Ok(LoopCursor::Rows(group + 1, to));
                    }
                }
            }
            LoopCursor::Numbers(rows) => {
                for (done, number) in (1..).zip(rows) {
                    let row = stable.row(*number);
                    for (column, slot) in slots {
                        self.frame[*slot] = row.at(*column as usize);
                    }
                    if body(self)? {
                        return Ok(LoopCursor::Numbers(&rows[done..]));
                    }
                }
            }
            _ => broken(LOOPS),
        }
        Ok(LoopCursor::Rows(0, 0))
    }

    /// The next match of a loop over a generator or a multiway join; whether there is one.
    fn next_match(&mut self, at: usize, cursor: &mut LoopCursor<'a>) -> Result<bool, Bound> {
        let word = match (&self.plan.steps[at], cursor) {
            (PlanStep::MultiwayJoin(inputs), LoopCursor::Intersection(chosen, entries)) => {
                return self.next_of_intersection(inputs, *chosen, entries);
            }
            (_, LoopCursor::Ints(from, to)) if *from < *to => {
                *from += 1;
                Some(Word::from_int(*from - 1))
            }
            (_, LoopCursor::Elements) => {
                self.elements[at].as_mut().or_broken("a loop over elements has started its generator").next()
            }
            (_, LoopCursor::Ints(..) | LoopCursor::Rows(0, 0)) => None,
            _ => broken(LOOPS),
        };
        let Some(word) = word else { return Ok(false) };
        let PlanStep::Each(slot, ..) = &self.plan.steps[at] else { broken(LOOPS) };
        self.context.budget.spend(1)?;
        self.context.budget.step()?;
        self.frame[*slot] = word;
        Ok(true)
    }

    /// Goes on in the entries of the chosen side to the next row that the others have too.
    fn next_of_intersection(
        &mut self,
        inputs: &'a [JoinInput],
        chosen: u32,
        entries: &mut &'a [u32],
    ) -> Result<bool, Bound> {
        let path = &inputs[chosen as usize].path;
        let stable = self.context.stable.get(path.relation);
        let is_word = |index: IndexId| stable.index(index).content() != Content::Numbers;
        let word = path.index.is_some_and(is_word);
        while let [entry, rest @ ..] = *entries {
            *entries = rest;
            self.context.budget.step()?;
            match path.row.binds.first() {
                Some((_, slot)) if word => self.frame[*slot] = Word(u64::from(*entry)),
                _ => drop(self.fits(path, stable.row(*entry))),
            }
            let mut others = (0..).zip(inputs).filter(|(at, _)| *at != chosen);
            if others.all(|(_, input)| self.holds(input.path.relation, &input.row, input.path.view)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Binds what a row binds; whether it fits.
    #[inline]
    pub(super) fn fits(&mut self, path: &AccessPath, row: Slice<'_>) -> bool {
        path.row.fits(&mut self.frame, |column| row.at(column))
    }

    /// A match of the whole body: evaluates the head and hands it on.
    #[inline]
    pub(super) fn emit(&mut self) -> Result<(), Bound> {
        self.matches += 1;
        self.row.clear();
        for code in &self.plan.head {
            match code.eval(self.frame.view(), self.context.params) {
                Ok(word) => self.row.push(word),
                Err(none) => return self.fail(none, &self.plan.remainder),
            }
        }
        self.sink.take(&self.row, self.context)
    }

    /// Reports an undefined operation, if everything that doesn't depend on it holds.
    #[cold]
    pub(super) fn fail(&mut self, none: NoResult, remainder: &Remainder) -> Result<(), Bound> {
        let (id, rule) = (self.plan.rule, self.rule);
        let search = self.undefined.get_or_insert_with(|| Box::new(UndefinedSearch::new(id, rule)));
        search.run(self.frame.as_slice(), remainder, none, self.context)
    }
}
