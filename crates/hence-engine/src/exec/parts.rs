//! What matches come into before they are facts, on several threads: each keeps groups of its own, merged in the end, where
//! these are few; else each owns some of all groups, and matches are sent.

use crate::exec::closures::Scratch;
use crate::exec::context::{ExecContext, Sink};
use crate::exec::exchange::{self, Job};
use crate::exec::morsels::PER_THREAD;
use crate::storage::hash::hash;
use crate::storage::partition::pick;
use hence_core::fault::OrBroken;
use hence_core::meter::Bound;
use hence_core::value::Word;
use std::ops::Range;

/// How many rows one thread looks through to see how many groups there are, and which part of all at most.
const SAMPLE: (usize, usize) = (1 << 12, 8);
/// How many rows a morsel has at most.
const MORSEL: usize = 1 << 12;
/// How many times as many matches as groups to be merged there are at least where groups are merged.
const MERGED: f64 = 16.0;
/// How many times as much as expected may be kept before matches are sent after all, beside as much as a sample has.
const TOO_MANY: f64 = 4.0;
/// An invariant of those who own groups.
const GROUP: &str = "a match has the columns of its group";

/// Groups of matches that can be merged with others.
pub(crate) trait Part: Sink {
    /// Takes in the groups of another part that `owns` says.
    fn merge(&mut self, other: &Self, owns: impl Fn(&[Word]) -> bool);

    /// How many groups there are.
    fn groups(&self) -> u32;

    /// How much is kept of all groups together, when that was known last.
    fn size(&self) -> usize;

    /// How much of a group is kept in the end.
    fn most_of_group(&self) -> f64 {
        1.0
    }
}

/// Finds all matches on `threads` threads; how many there were, and their groups, each in one of the parts.
pub(crate) fn collect<'a, K: Part>(
    (mut job, frame): (Job<'a>, &mut [Word]),
    new: impl Fn() -> K,
    group: Range<usize>,
    context: &mut ExecContext<'a, '_>,
    scratch: &mut Scratch,
    threads: usize,
) -> Result<(u64, Vec<K>), Bound> {
    let mut first = new();
    let all = job.morsels.left();
    let sample = (all / SAMPLE.1).clamp(1, SAMPLE.0);
    let morsel = job.morsels.take(sample);
    let found = job.closures.run((job.plan, job.rule), frame, morsel, &mut first, context, scratch)?;
    first.flush(context)?;
    job.step = (job.morsels.left() / threads / PER_THREAD).clamp(1, MORSEL);
    let expected = found as f64 * all as f64 / sample as f64;
    let kept = expected_groups(found, first.groups()) * first.most_of_group();
    let (mut before, mut matches) = (vec![first], found);
    if kept * (threads - 1) as f64 * MERGED <= expected {
        before.resize_with(threads, &new);
        let most = (kept * TOO_MANY) as usize + SAMPLE.0;
        matches += exchange::run_apart(&job, &mut before, |part| part.size() > most, context)?;
        if job.morsels.left() == 0 {
            let mut rest = before.into_iter();
            let mut merged = rest.next().or_broken("each thread has a part");
            rest.for_each(|part| merged.merge(&part, |_| true));
            return Ok((matches, vec![merged]));
        }
        job.morsels.pause(false);
    }
    let owner = |group: &[Word]| pick(hash(group), threads);
    let mut parts: Vec<K> = (0..threads).map(|_| new()).collect();
    for (at, part) in parts.iter_mut().enumerate() {
        before.iter().for_each(|before| part.merge(before, |group| owner(group) == at));
    }
    drop(before);
    let owner = |row: &[Word]| owner(row.get(group.clone()).or_broken(GROUP));
    matches += exchange::run(&job, &mut parts, owner, context)?;
    Ok((matches, parts))
}

/// How many groups there are, where so many matches came into so few: as many as make matches meet one another so often.
fn expected_groups(matches: u64, groups: u32) -> f64 {
    let (matches, groups) = (matches as f64, f64::from(groups));
    let met = matches - groups;
    if met * 2.0 >= matches { groups * 2.0 } else { matches * matches / (2.0 * met) }
}
