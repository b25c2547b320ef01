//! The two innermost loops of a plan, which most of the time goes into: no moves between steps, and facts emitted row by
//! row.
#![expect(clippy::indexing_slicing, reason = "hot: steps are in range by construction of the plan")]

use crate::exec::context::Sink;
use crate::exec::cursor::LoopCursor;
use crate::exec::machine::{LOOPS, Machine};
use crate::plan::steps::{BoundedPath, HeadWord, PlanStep};
use hence_core::fault::{OrBroken, broken};
use hence_core::meter::Bound;
use hence_core::value::Word;

impl<'a, S: Sink> Machine<'a, '_, '_, S> {
    /// Runs the last loop but one, with the innermost one inside; where to go on.
    pub(super) fn last_two_loops(&mut self, at: usize, innermost: usize) -> Result<Option<usize>, Bound> {
        let mut place = self.plan.back[at];
        if let Some(cursor) = self.start(at)? {
            let rest = self.each(at, cursor, |this| {
                if !this.filters(at + 1, innermost)? {
                    return Ok(false);
                }
                let next = this.innermost_loop(innermost)?;
                let leave = next != Some(at);
                if leave {
                    place = next;
                }
                Ok(leave)
            })?;
            self.cursors[at] = rest;
        }
        Ok(place)
    }

    /// Runs the innermost loop to its end, or to a match that makes the rest of it needless; where to go on.
    #[inline]
    pub(super) fn innermost_loop(&mut self, at: usize) -> Result<Option<usize>, Bound> {
        let plan = self.plan;
        let Some(cursor) = self.start(at)? else { return Ok(plan.back[at]) };
        let step = &plan.steps[at];
        if let (Some(tail), PlanStep::Every(path) | PlanStep::Between(BoundedPath { path, .. })) =
            (&plan.tail, step)
        {
            let stable = self.context.stable.get(path.relation);
            let rows = |numbers: &'a [u32]| numbers.iter().map(|number| stable.row(*number));
            match cursor {
                LoopCursor::Words(words) => {
                    self.emit_rows(tail, words.iter(), |word, _| Word(u64::from(*word)))?
                }
                LoopCursor::Numbers(numbers) => self.emit_rows(tail, rows(numbers), |row, at| row.at(at))?,
                LoopCursor::Rows(from, to) => {
                    let (rows, arity) = (step.rows(stable), stable.arity());
                    let row = |number: u32| rows.part(number as usize * arity, (number as usize + 1) * arity);
                    self.emit_rows(tail, (from..to).map(row), |row, at| row.at(at))?;
                }
                LoopCursor::Ints(..)
                | LoopCursor::Elements
                | LoopCursor::Intersection(..)
                | LoopCursor::Common(..) => broken(LOOPS),
            }
            return Ok(plan.back[at]);
        }
        if let (Some(tail), LoopCursor::Common(from, to)) = (&plan.tail, cursor) {
            let common = std::mem::take(&mut self.common[at]);
            let emitted = self.emit_rows(tail, common[from..to].iter(), |word, _| Word(u64::from(*word)));
            self.common[at] = common;
            return emitted.map(|()| plan.back[at]);
        }
        let mut place = plan.back[at];
        let end = plan.steps.len();
        self.each(at, cursor, |this| {
            if !this.filters(at + 1, end)? {
                return Ok(false);
            }
            this.emit()?;
            let leave = plan.after_match != Some(at);
            if leave {
                place = plan.after_match;
            }
            Ok(leave)
        })?;
        Ok(place)
    }

    /// Writes down a fact for each row of the innermost loop.
    fn emit_rows<R: Copy>(
        &mut self,
        tail: &[HeadWord],
        rows: impl Iterator<Item = R>,
        column: impl Fn(R, usize) -> Word,
    ) -> Result<(), Bound> {
        let frame = &self.frame;
        let word = |origin: &HeadWord, row: R| match origin {
            HeadWord::Slot(slot) => frame[*slot],
            HeadWord::Column(at) => column(row, *at as usize),
        };
        let mut partition = 0;
        if S::IS_PARTITIONED {
            self.row.clear();
            self.row.extend(tail.iter().map(|origin| match origin {
                HeadWord::Slot(slot) => frame[*slot],
                HeadWord::Column(_) => Word::default(),
            }));
            partition = self.sink.partition(&self.row);
        }
        let before = self.matches;
        for row in rows {
            let (batch, full) = self.sink.batch(partition).or_broken("only facts are emitted row by row");
            match tail {
                [a, b] => batch.extend_from_slice(&[word(a, row), word(b, row)]),
                tail => batch.extend(tail.iter().map(|origin| word(origin, row))),
            }
            self.matches += 1;
            if batch.len() >= full {
                self.sink.flush(self.context)?;
            }
        }
        self.context.budget.steps(self.matches - before)
    }
}
