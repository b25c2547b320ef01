//! The rows of an ordered index that comparisons leave, by binary search.

use std::ops::Range;

use crate::plan::frame::Slot;
use crate::plan::steps::{BoundedPath, ColumnBound};
use crate::storage::ordered::OrderedIndex;
use crate::storage::stable::Stable;
use hence_core::index_vec::IndexSlice;
use hence_core::value::Word;

use smallvec::SmallVec;

/// The places of the rows that may fit an atom.
pub(crate) fn places(
    bounded: &BoundedPath,
    stable: &Stable,
    frame: IndexSlice<'_, Slot, Word>,
    params: &[Word],
) -> Range<u32> {
    let index = stable.ordered(bounded.index);
    let key: SmallVec<[Word; 4]> = bounded.path.key.iter().map(|(_, slot)| frame[*slot]).collect();
    let mut places = index.places(&key);
    for bound in &bounded.bounds {
        if places.is_empty() {
            break;
        }
        narrow(bound, index, &mut places, frame, params);
    }
    places
}

/// Leaves out places where a comparison is false. Where it is undefined with the first or the last word it leaves all to the
/// filters, which report that; where it is defined with both it is with those between.
fn narrow(
    bound: &ColumnBound,
    index: &OrderedIndex,
    places: &mut Range<u32>,
    frame: IndexSlice<'_, Slot, Word>,
    params: &[Word],
) {
    let Ok(other) = bound.other.eval(frame, params) else { return };
    let shift = match &bound.shift {
        Some((op, by, is_right)) => match by.eval(frame, params) {
            Ok(by) => Some((*op, by, *is_right)),
            Err(_) => return,
        },
        None => None,
    };
    let holds = |place: u32| {
        let word = if bound.of_reach { index.reach(place) } else { index.word(place) };
        let word = match shift {
            Some((op, by, true)) => op.apply_two(by, word)?,
            Some((op, by, false)) => op.apply_two(word, by)?,
            None => word,
        };
        bound.op.apply_two(word, other).map(Word::as_bool)
    };
    let (Some(first), Some(last)) = (holds(places.start), holds(places.end - 1)) else { return };
    match (first, last) {
        (true, true) => {}
        (false, false) => places.end = places.start,
        _ => {
            let (mut from, mut to) = (places.start, places.end - 1);
            // `from` is as the first, `to` as the last.
            while to - from > 1 {
                let middle = from + (to - from) / 2;
                let is_as_first = holds(middle) == Some(first);
                (from, to) = if is_as_first { (middle, to) } else { (from, middle) };
            }
            *places = if first { places.start..to } else { to..places.end };
        }
    }
}
