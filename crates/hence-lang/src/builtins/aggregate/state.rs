//! The states of groups: one aggregate of many groups side by side, or of one group by itself.

use std::any::Any;
use std::fmt::Debug;
use std::ops::Range;

use hence_core::fault::OrBroken;
use hence_core::value::{Type, Word};

use super::Aggregate;

/// An invariant of [`States`].
const GROUPS: &str = "the numbers of groups are those that were given out";
/// An invariant of those who take in or finish many groups at once.
const ARGUMENTS: &str = "a match has the arguments of its aggregates";
/// An invariant of those who take matches out.
pub(super) const TAKEN_IN: &str = "a match that is taken out of a group was taken in before";

/// The first argument of an aggregate that has one.
#[inline]
pub(super) fn first(args: &[Word]) -> Word {
    *args.first().or_broken("every aggregate but the count of matches has an argument")
}

/// The type of the first argument.
pub(super) fn first_type(types: &[Type]) -> Type {
    *types.first().or_broken("every aggregate but the count of matches has an argument")
}

/// The state of one group of one aggregate, at first without a match.
pub(super) trait GroupState: Clone + Debug + Default + Send + Sync + 'static {
    /// What all groups have in common.
    type Shared: Debug + Send + Sync + 'static;

    /// Takes a match in: the values of the aggregate's arguments for it.
    fn add(&mut self, shared: &Self::Shared, args: &[Word]);

    /// Takes all matches of another group in.
    fn merge(&mut self, shared: &Self::Shared, other: &Self);

    /// Takes a match out that was taken in before. `false` where the state can't tell what is left; the group has to
    /// be recomputed from its other matches.
    fn retract(&mut self, shared: &Self::Shared, args: &[Word]) -> bool;

    /// The value of the group; `None` where it has none.
    fn finish(&self, shared: &Self::Shared) -> Option<Word>;
}

/// One aggregate of a rule over all groups, which have numbers from 0.
pub trait GroupStates: Any + Debug + Send + Sync {
    /// Adds so many groups without matches, with the next numbers.
    fn push_groups(&mut self, count: usize);

    /// Takes one match of a group in: the values of the aggregate's arguments for it.
    fn add(&mut self, group: usize, args: &[Word]);

    /// Takes one match of each of these groups in: the values of the arguments are at some places of a row of `stride` words.
    fn add_all(&mut self, groups: &[u32], rows: &[Word], stride: usize, args: Range<usize>) {
        for (group, row) in groups.iter().zip(rows.chunks_exact(stride)) {
            self.add(*group as usize, row.get(args.clone()).or_broken(ARGUMENTS));
        }
    }

    /// Takes into each of `groups` all matches of the group in `other`, of the same aggregate, that `others` has at its place.
    fn merge_all(&mut self, groups: &[u32], other: &dyn GroupStates, others: &[u32]);

    /// Takes a match out of a group that was taken in before. `false` where the state can't tell what is left; the
    /// group has to be recomputed from its other matches.
    #[must_use]
    fn retract(&mut self, group: usize, args: &[Word]) -> bool;

    /// The value of a group; `None` where it has none (an overflowing sum, a group without a match).
    fn finish(&self, group: usize) -> Option<Word>;

    /// Writes down the values of many groups, each at a place of a row of `stride` words; whether all have one.
    fn finish_all(&self, groups: Range<usize>, rows: &mut [Word], stride: usize, column: usize) -> bool;

    /// Takes all matches out of a group.
    fn reset(&mut self, group: usize);

    /// Forgets all groups, and keeps the room that they took.
    fn clear(&mut self);

    /// Bytes taken, without what values of unbounded states take.
    fn bytes(&self) -> usize;
}

/// The states of all groups in one vector.
#[derive(Debug)]
struct States<S: GroupState> {
    shared: S::Shared,
    groups: Vec<S>,
}

/// The states of no groups.
pub(super) fn states<S: GroupState>(shared: S::Shared) -> Box<dyn GroupStates> {
    Box::new(States::<S> { shared, groups: Vec::new() })
}

impl<S: GroupState> GroupStates for States<S> {
    fn push_groups(&mut self, count: usize) {
        self.groups.resize_with(self.groups.len() + count, S::default);
    }

    fn add(&mut self, group: usize, args: &[Word]) {
        self.groups.get_mut(group).or_broken(GROUPS).add(&self.shared, args);
    }

    fn merge_all(&mut self, groups: &[u32], other: &dyn GroupStates, others: &[u32]) {
        let other: &dyn Any = other;
        let other: &Self = other.downcast_ref().or_broken("only states of the same aggregate are merged");
        for (group, from) in groups.iter().zip(others) {
            let from = other.groups.get(*from as usize).or_broken(GROUPS);
            self.groups.get_mut(*group as usize).or_broken(GROUPS).merge(&self.shared, from);
        }
    }

    fn retract(&mut self, group: usize, args: &[Word]) -> bool {
        self.groups.get_mut(group).or_broken(GROUPS).retract(&self.shared, args)
    }

    fn finish(&self, group: usize) -> Option<Word> {
        self.groups.get(group).or_broken(GROUPS).finish(&self.shared)
    }

    fn finish_all(&self, groups: Range<usize>, rows: &mut [Word], stride: usize, column: usize) -> bool {
        let groups = self.groups.get(groups).or_broken(GROUPS);
        groups.iter().zip(rows.chunks_exact_mut(stride)).all(|(group, row)| {
            let place = row.get_mut(column).or_broken(ARGUMENTS);
            group.finish(&self.shared).map(|word| *place = word).is_some()
        })
    }

    fn reset(&mut self, group: usize) {
        *self.groups.get_mut(group).or_broken(GROUPS) = S::default();
    }

    fn clear(&mut self) {
        self.groups.clear();
    }

    fn bytes(&self) -> usize {
        self.groups.capacity() * size_of::<S>()
    }
}

/// The state of one group of one aggregate by itself.
#[derive(Debug)]
pub struct Accumulator(Box<dyn GroupStates>);

impl Accumulator {
    /// An empty group; `types` are those of the aggregate's arguments.
    pub fn new(aggregate: Aggregate, types: &[Type]) -> Self {
        let mut states = aggregate.states(types);
        states.push_groups(1);
        Self(states)
    }

    /// Takes one match in: the values of the aggregate's arguments for it.
    pub fn add(&mut self, args: &[Word]) {
        self.0.add(0, args);
    }

    /// The value of the group; `None` where it has none (an overflowing sum, a group without a match).
    pub fn finish(&self) -> Option<Word> {
        self.0.finish(0)
    }
}
