//! The filters of a plan: comparisons, bindings, and whether facts are there.
#![expect(clippy::indexing_slicing, reason = "hot: steps and sets are in range by construction of the plan")]

use crate::exec::context::Sink;
use crate::exec::cursor::{LoopCursor, candidate_count, candidates};
use crate::exec::machine::{LOOPS, Machine};
use crate::plan::distinct::Passed;
use crate::plan::frame::Slot;
use crate::plan::steps::{AccessPath, PlanStep};
use crate::storage::view::View;
use hence_core::fault::broken;
use hence_core::meter::Bound;
use hence_core::schema::RelationId;

impl<'a, S: Sink> Machine<'a, '_, '_, S> {
    /// Whether a match passes the steps from `from` to before `to`, which are filters.
    #[inline]
    pub(super) fn filters(&mut self, from: usize, to: usize) -> Result<bool, Bound> {
        for step in &self.plan.steps[from..to] {
            if !self.filter(step)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a match passes: comparisons and look-ups of facts, which most filters are, without a call.
    #[inline(always)]
    pub(super) fn filter(&mut self, step: &'a PlanStep) -> Result<bool, Bound> {
        match step {
            PlanStep::Test(code, remainder) => match code.eval(self.frame.view(), self.context.params) {
                Ok(word) => Ok(word.as_bool()),
                Err(none) => self.fail(none, remainder).map(|()| false),
            },
            PlanStep::Probe { relation, view, row, sign } => {
                Ok(sign.passes(self.holds(*relation, row, *view)))
            }
            other => self.other_filter(other),
        }
    }

    fn other_filter(&mut self, step: &'a PlanStep) -> Result<bool, Bound> {
        match step {
            PlanStep::Let(slot, code, remainder) => match code.eval(self.frame.view(), self.context.params) {
                Ok(word) => {
                    self.frame[*slot] = word;
                    Ok(true)
                }
                Err(none) => self.fail(none, remainder).map(|()| false),
            },
            PlanStep::Some(path, sign) => Ok(sign.passes(self.some(path)?)),
            PlanStep::Fewer { next, other, takes_ties } => {
                let count = |path| candidate_count(path, self.context.stable, self.frame.view());
                // The same literal is looked up first in both plans; where it has none or one, the other's need not be known.
                Ok(if *takes_ties {
                    let next = count(next);
                    next == 1 || next > 1 && next <= count(other)
                } else {
                    let other = count(other);
                    other > 1 && count(next) < other
                })
            }
            PlanStep::Anew { set } => {
                let at = *set as usize;
                if self.passed.len() <= at {
                    self.passed.resize_with(at + 1, Passed::default);
                }
                self.passed[at].anew();
                Ok(true)
            }
            PlanStep::Once { set, slot } => {
                let word = self.frame[*slot];
                self.context.budget.step()?;
                Ok(self.passed[*set as usize].passes(word.0))
            }
            PlanStep::Same(..) | PlanStep::Among(..) => {
                broken("only plans that begin with a row have bound what an operation binds")
            }
            PlanStep::Test(..)
            | PlanStep::Probe { .. }
            | PlanStep::Every(_)
            | PlanStep::Between(_)
            | PlanStep::Keys { .. }
            | PlanStep::Each(..)
            | PlanStep::MultiwayJoin(_) => broken(LOOPS),
        }
    }

    /// Whether a part of a relation has the row of these slots.
    #[inline(always)]
    pub(super) fn holds(&mut self, relation: RelationId, row: &[Slot], view: View) -> bool {
        let (pending, stable) = (&self.context.pending[relation], self.context.stable.get(relation));
        match row {
            [a] => pending.holds(stable, &[self.frame[*a]], view),
            [a, b] => pending.holds(stable, &[self.frame[*a], self.frame[*b]], view),
            row => {
                self.row.clear();
                self.row.extend(row.iter().map(|slot| self.frame[*slot]));
                pending.holds(stable, &self.row, view)
            }
        }
    }

    /// Whether some row fits.
    fn some(&mut self, path: &'a AccessPath) -> Result<bool, Bound> {
        let stable = self.context.stable.get(path.relation);
        let checked = !path.row.checks.is_empty();
        let found = match candidates(path, self.context.stable, self.frame.view()) {
            LoopCursor::Rows(from, to) if checked => {
                (from..to).any(|number| self.fits(path, stable.row(number)))
            }
            LoopCursor::Rows(from, to) => from < to,
            LoopCursor::Numbers(numbers) if checked => {
                numbers.iter().any(|number| self.fits(path, stable.row(*number)))
            }
            LoopCursor::Numbers(entries) | LoopCursor::Words(entries) => !entries.is_empty(),
            LoopCursor::Ints(..)
            | LoopCursor::Elements
            | LoopCursor::Intersection(..)
            | LoopCursor::Common(..) => broken(LOOPS),
        };
        self.context.budget.step().map(|()| found)
    }
}
