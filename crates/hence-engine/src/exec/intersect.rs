//! Multiway joins over sorted lists of words, which are intersected as they are.
#![expect(clippy::indexing_slicing, reason = "hot: the machine has room for each step that joins")]

use std::ops::Range;

use crate::exec::context::Sink;
use crate::exec::cursor::{LoopCursor, fewest, sorted_lists};
use crate::exec::machine::Machine;
use crate::plan::steps::JoinInput;
use hence_core::meter::Bound;
use hence_core::value::Word;

/// How much longer one of two lists is before it is searched instead of gone through.
const GALLOP: usize = 8;

impl<'a, S: Sink> Machine<'a, '_, '_, S> {
    /// The beginning of a multiway join: what its sides have in common, where their lists are sorted.
    pub(super) fn join(&mut self, at: usize, inputs: &'a [JoinInput]) -> Result<LoopCursor<'a>, Bound> {
        let (stable, frame) = (self.context.stable, self.frame.view());
        let Some(mut lists) = sorted_lists(inputs, stable, frame) else {
            return Ok(fewest(inputs, stable, frame));
        };
        let shortest = lists.iter().map(|list| list.len()).min().unwrap_or(0);
        self.context.budget.steps(shortest as u64)?;
        if self.common.len() <= at {
            self.common.resize(at + 1, Vec::new());
        }
        // Of matches that give the same fact the first is enough.
        let one = at + 1 == self.plan.steps.len() && self.plan.after_match < Some(at);
        let common = &mut self.common[at];
        intersect(&mut lists, if one { 1 } else { usize::MAX }, common);
        Ok(LoopCursor::Common(0, common.len()))
    }

    /// [`Machine::each`] of what the sides of a multiway join have in common.
    pub(super) fn each_common(
        &mut self,
        at: usize,
        inputs: &[JoinInput],
        places: Range<usize>,
        mut body: impl FnMut(&mut Self) -> Result<bool, Bound>,
    ) -> Result<LoopCursor<'a>, Bound> {
        let slot = inputs.first().and_then(|input| input.path.slots().next());
        for place in places.clone() {
            if let Some(slot) = slot {
                self.frame[slot] = Word(u64::from(self.common[at][place]));
            }
            if body(self)? {
                return Ok(LoopCursor::Common(place + 1, places.end));
            }
        }
        Ok(LoopCursor::Rows(0, 0))
    }
}

/// Writes what all lists have into `common`, ascending, at most `most` words; `lists` come to be in the order of their length.
fn intersect(lists: &mut [&[u32]], most: usize, common: &mut Vec<u32>) {
    common.clear();
    lists.sort_unstable_by_key(|list| list.len());
    match lists {
        [] => {}
        [only] => common.extend(only.iter().take(most)),
        [short, long] => both(short, long, most, common),
        [short, long, others @ ..] => {
            both(short, long, usize::MAX, common);
            for other in others {
                let mut rest = *other;
                common.retain(|word| {
                    rest = from(rest, *word);
                    rest.first() == Some(word)
                });
            }
            common.truncate(most);
        }
    }
}

/// What two lists have, the first of which is not longer.
fn both(short: &[u32], long: &[u32], most: usize, common: &mut Vec<u32>) {
    if long.len() / GALLOP > short.len() {
        let mut rest = long;
        for word in short {
            rest = from(rest, *word);
            if rest.first() == Some(word) {
                common.push(*word);
                if common.len() == most {
                    return;
                }
            }
        }
        return;
    }
    let (mut left, mut right) = (short, long);
    while let ([a, left_rest @ ..], [b, right_rest @ ..]) = (left, right) {
        if a == b {
            common.push(*a);
            if common.len() == most {
                return;
            }
        }
        // Without a branch on which is smaller, which nobody could foretell.
        left = if a <= b { left_rest } else { left };
        right = if b <= a { right_rest } else { right };
    }
}

/// The part of a list from `word` on: in steps that double, then by halves.
fn from(list: &[u32], word: u32) -> &[u32] {
    let mut step = 1;
    while list.get(step).is_some_and(|other| *other < word) {
        step *= 2;
    }
    let near = &list[step / 2..list.len().min(step + 1)];
    let before = near.partition_point(|other| *other < word);
    &list[step / 2 + before..]
}
