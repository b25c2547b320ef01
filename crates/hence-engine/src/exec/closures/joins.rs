//! Multiway joins: sorted lists of words are intersected as they are, else the candidates of the side that has the fewest
//! are looked up in the others.
#![expect(clippy::indexing_slicing, reason = "hot: inputs and their lists are numbered")]

use super::semi_join::SemiJoin;
use super::{Next, ON, Run, Step};
use crate::exec::cursor::{fewest, sorted_lists};
use crate::plan::steps::JoinInput;
use crate::storage::content::Content;
use crate::storage::index::IndexId;
use hence_core::meter::Bound;
use hence_core::value::Word;

/// How much longer one of two lists is before it is searched instead of gone through.
const GALLOP: usize = 8;

/// A loop over what all inputs have.
pub(super) fn join(
    number: Next,
    inputs: Vec<JoinInput>,
    (is_one_enough, semi_join): (bool, Option<SemiJoin>),
    then: Step,
) -> Step {
    let each = each_common(number, inputs, is_one_enough);
    let Some(semi_join) = semi_join else { return Box::new(move |run| each(run, &then)) };
    Box::new(move |run| match semi_join.known(run, number) {
        Ok(Some(true)) => then(run),
        Ok(Some(false)) => ON,
        Ok(None) => each(run, &then),
        Err(bound) => run.halt(bound),
    })
}

/// The same, with what comes after it.
fn each_common(
    number: Next,
    inputs: Vec<JoinInput>,
    is_one_enough: bool,
) -> impl Fn(&mut Run<'_, '_, '_>, &Step) -> Next + Send + Sync {
    let slot = inputs.first().and_then(|input| input.path.slots().next());
    let most = if is_one_enough { 1 } else { usize::MAX };
    move |run, then| match common_of(run, number, &inputs, most) {
        Ok(Some(common)) => {
            let mut end = ON;
            for word in &common {
                if let Some(slot) = slot {
                    run.frame[slot] = Word(u64::from(*word));
                }
                let next = then(run);
                if next < number {
                    end = next;
                    break;
                }
            }
            run.room(number).common = common;
            end
        }
        Ok(None) => fewest_first(run, number, &inputs, then),
        Err(bound) => run.halt(bound),
    }
}

/// What the inputs have in common, where their lists are sorted, at most `most` words of it: in the room of the step,
/// to be given back to it.
pub(super) fn common_of(
    run: &mut Run<'_, '_, '_>,
    number: Next,
    inputs: &[JoinInput],
    most: usize,
) -> Result<Option<Vec<u32>>, Bound> {
    let Some(mut lists) = sorted_lists(inputs, run.context.stable, run.frame.view()) else { return Ok(None) };
    let shortest = lists.iter().map(|list| list.len()).min().unwrap_or(0);
    run.context.budget.steps(shortest as u64)?;
    let mut common = std::mem::take(&mut run.room(number).common);
    intersect(&mut lists, most, &mut common);
    Ok(Some(common))
}

/// The candidates of the input that has the fewest, each with what comes after it if the other inputs have it too.
pub(super) fn fewest_first(
    run: &mut Run<'_, '_, '_>,
    number: Next,
    inputs: &[JoinInput],
    then: &Step,
) -> Next {
    let (chosen, entries) = fewest(inputs, run.context.stable, run.frame.view());
    let path = &inputs[chosen].path;
    let stable = run.stable(path.relation);
    let are_words = |index: IndexId| stable.index(index).content() != Content::Numbers;
    let word = path.row.binds.first().filter(|_| path.index.is_some_and(are_words)).map(|(_, slot)| *slot);
    for entry in entries {
        if let Err(bound) = run.context.budget.step() {
            return run.halt(bound);
        }
        match word {
            Some(slot) => run.frame[slot] = Word(u64::from(*entry)),
            None => {
                let row = stable.row(*entry);
                path.row.fits(&mut run.frame, |column| row.at(column));
            }
        }
        let mut others = inputs.iter().enumerate().filter(|(at, _)| *at != chosen);
        if others.all(|(_, input)| run.holds_slots(input.path.relation, &input.row, input.path.view)) {
            let next = then(run);
            if next < number {
                return next;
            }
        }
    }
    ON
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
