//! The changes of a transaction being written: tuples encoded once, one after another in one piece of memory.

use std::cmp::Ordering;
use std::ops::Range;

use hence_core::fact::Fact;
use hence_core::fault::OrBroken;
use hence_core::symbol::Symbol;

use super::bytes::after;
use super::content::{Act, Change};
use super::tuple;

/// Encoded tuples one after another.
#[derive(Default)]
struct Tuples(Vec<u8>);

impl Tuples {
    fn push(&mut self, fact: &Fact) -> Place {
        self.encode(fact.relation, |out| tuple::encode(&fact.values, out))
    }

    /// A tuple that `encode` appends.
    fn encode(&mut self, relation: Symbol, encode: impl FnOnce(&mut Vec<u8>)) -> Place {
        let start = self.0.len();
        encode(&mut self.0);
        let mut first = [0; 8];
        for (to, from) in first.iter_mut().zip(after(&self.0, start)) {
            *to = *from;
        }
        let len = self.0.len() - start;
        Place { start, len, first: u64::from_be_bytes(first), relation }
    }

    fn get(&self, place: &Place) -> &[u8] {
        self.0.get(place.start..place.start + place.len).or_broken("each place lies in the tuples")
    }

    fn compare(&self, a: &Place, b: &Place) -> Ordering {
        let by_beginning = a.relation.cmp(&b.relation).then(a.first.cmp(&b.first));
        by_beginning.then_with(|| self.get(a).cmp(self.get(b)))
    }
}

/// Where a tuple lies.
#[derive(Clone, Copy)]
struct Place {
    start: usize,
    len: usize,
    /// The first bytes of the tuple, which mostly distinguish it from others.
    first: u64,
    relation: Symbol,
}

/// Appends a fact in the form in which it is recorded.
type Encode<'e, E> = dyn FnMut(&Fact, &mut Vec<u8>) -> Result<(), E> + 'e;

/// Facts or decisions that are proposed, in the order of relation and tuple, each once.
#[derive(Default)]
pub(super) struct Proposed {
    tuples: Tuples,
    /// Each with its place among what was proposed.
    items: Vec<(Place, u32)>,
}

/// One of [`Proposed`].
#[derive(Clone, Copy)]
pub(super) struct Item<'a> {
    pub(super) relation: Symbol,
    pub(super) tuple: &'a [u8],
    /// Its place among what was proposed.
    pub(super) at: u32,
}

impl Proposed {
    pub(super) fn new<'f>(facts: impl ExactSizeIterator<Item = &'f Fact>) -> Self {
        let mut tuples = Tuples::default();
        let mut items = Vec::with_capacity(facts.len());
        items.extend(facts.zip(0..).map(|(fact, at)| (tuples.push(fact), at)));
        Self::sorted(tuples, items)
    }

    /// The same of facts that `encode` puts into the form in which they are recorded.
    pub(super) fn encoded<'f, E>(
        facts: impl ExactSizeIterator<Item = &'f Fact>,
        encode: &mut Encode<'_, E>,
    ) -> Result<Self, E> {
        let mut tuples = Tuples::default();
        let mut items = Vec::with_capacity(facts.len());
        for (fact, at) in facts.zip(0..) {
            let mut encoded = Ok(());
            let place = tuples.encode(fact.relation, |out| encoded = encode(fact, out));
            encoded?;
            items.push((place, at));
        }
        Ok(Self::sorted(tuples, items))
    }

    fn sorted(tuples: Tuples, mut items: Vec<(Place, u32)>) -> Self {
        let compare = |a: &Place, b: &Place| tuples.compare(a, b);
        if !items.is_sorted_by(|(a, _), (b, _)| compare(a, b) == Ordering::Less) {
            // By place too, so that of a decision proposed twice the first explanation counts.
            items.sort_unstable_by(|(a, x), (b, y)| compare(a, b).then(x.cmp(y)));
            items.dedup_by(|(b, _), (a, _)| compare(a, b) == Ordering::Equal);
        }
        Self { tuples, items }
    }

    fn item(&self, (place, at): &(Place, u32)) -> Item<'_> {
        Item { relation: place.relation, tuple: self.tuples.get(place), at: *at }
    }

    pub(super) fn holds(&self, wanted: &Item<'_>) -> bool {
        let key = (wanted.relation, wanted.tuple);
        self.items.binary_search_by(|(place, _)| (place.relation, self.tuples.get(place)).cmp(&key)).is_ok()
    }

    /// Keeps what `keep` wants to, which stops at its first error.
    pub(super) fn retain<E>(&mut self, mut keep: impl FnMut(Item<'_>) -> Result<bool, E>) -> Result<(), E> {
        let Self { tuples, items } = self;
        let mut failed = Ok(());
        items.retain(|(place, at)| {
            let item = Item { relation: place.relation, tuple: tuples.get(place), at: *at };
            match (&failed, failed.is_ok().then(|| keep(item))) {
                (_, Some(Ok(kept))) => kept,
                (_, Some(Err(error))) => {
                    failed = Err(error);
                    false
                }
                (_, None) => false,
            }
        });
        failed
    }

    /// The places that its members had among what was proposed.
    pub(super) fn places(&self) -> impl Iterator<Item = usize> + '_ {
        self.items.iter().map(|(_, at)| *at as usize)
    }
}

/// What happens to each member of a group, with what belongs to it.
pub(super) enum Acts<'d> {
    Assert,
    Retract(Vec<u64>),
    /// The rule and the sentence.
    Draw(Vec<(Option<&'d str>, Option<&'d str>)>),
    /// The transaction that drew it, and why it goes where that is recorded.
    Lapse(Vec<(u64, Option<&'d str>)>),
}

impl<'d> Acts<'d> {
    fn act(&self, at: usize) -> Act<'d> {
        const INVARIANT: &str = "each member of a group has what belongs to its act";
        match self {
            Self::Assert => Act::Assert,
            Self::Retract(all) => Act::Retract { since: *all.get(at).or_broken(INVARIANT) },
            Self::Lapse(all) => {
                let (since, reason) = *all.get(at).or_broken(INVARIANT);
                Act::Lapse { since, reason }
            }
            Self::Draw(all) => {
                let (rule, sentence) = *all.get(at).or_broken(INVARIANT);
                Act::Draw { rule, sentence }
            }
        }
    }
}

/// Changes of one kind, one after another.
struct Group<'d> {
    /// How many changes come before.
    first: usize,
    members: Proposed,
    acts: Acts<'d>,
}

/// The changes of a transaction in the order in which they are recorded.
#[derive(Default)]
pub(crate) struct ChangeList<'d> {
    groups: Vec<Group<'d>>,
    len: usize,
}

impl<'d> ChangeList<'d> {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Adds changes of one kind after the others.
    pub(super) fn add(&mut self, members: Proposed, acts: Acts<'d>) {
        if !members.items.is_empty() {
            let first = self.len;
            self.len += members.items.len();
            self.groups.push(Group { first, members, acts });
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Change<'_>> + Clone {
        self.range(0..self.len)
    }

    /// The changes at these places.
    pub(crate) fn range(&self, range: Range<usize>) -> impl Iterator<Item = Change<'_>> + Clone {
        let is_before = |group: &Group<'_>| group.first + group.members.items.len() <= range.start;
        let first = self.groups.partition_point(is_before);
        self.groups.iter().skip(first).take_while(move |group| group.first < range.end).flat_map(
            move |group| {
                let from = range.start.saturating_sub(group.first);
                let to = group.members.items.len().min(range.end - group.first);
                (from..to).map(move |at| group.change(at))
            },
        )
    }

    /// The changes cut where their relation or what happens to them changes.
    pub(crate) fn runs(&self) -> Vec<Range<usize>> {
        let mut runs: Vec<Range<usize>> = Vec::new();
        for group in &self.groups {
            let relation = |(place, _): &(Place, u32)| place.relation;
            for run in group.members.items.chunk_by(|a, b| relation(a) == relation(b)) {
                let start = runs.last().map_or(0, |last| last.end);
                runs.push(start..start + run.len());
            }
        }
        runs
    }

    /// How many of the changes each record before the last takes, so that each holds about `limit` bytes.
    pub(crate) fn part_lens(&self, limit: usize) -> Vec<usize> {
        let (mut lens, mut len, mut bytes) = (Vec::new(), 0, 0);
        for change in self.iter() {
            if bytes > limit {
                lens.push(len);
                (len, bytes) = (0, 0);
            }
            len += 1;
            bytes += change.tuple.len() + 8;
        }
        lens
    }
}

/// A change as an import reads it, without its tuple.
#[derive(Debug)]
pub(crate) enum ReadAct {
    Assert,
    Retract(u64),
    /// The rule and the sentence.
    Draw(Option<String>, Option<String>),
    /// The transaction that drew it, and why it goes.
    Lapse(u64, Option<String>),
}

/// What belongs to changes of one kind that an import read.
enum ReadActs {
    Assert,
    Retract(Vec<u64>),
    Draw(Vec<(Option<String>, Option<String>)>),
    Lapse(Vec<(u64, Option<String>)>),
}

impl ReadActs {
    /// Takes what belongs to another act; gives back one of another kind.
    fn push(&mut self, act: ReadAct) -> Option<ReadAct> {
        match (self, act) {
            (Self::Assert, ReadAct::Assert) => {}
            (Self::Retract(all), ReadAct::Retract(since)) => all.push(since),
            (Self::Draw(all), ReadAct::Draw(rule, sentence)) => all.push((rule, sentence)),
            (Self::Lapse(all), ReadAct::Lapse(since, reason)) => all.push((since, reason)),
            (_, other) => return Some(other),
        }
        None
    }

    fn of(act: ReadAct) -> Self {
        match act {
            ReadAct::Assert => Self::Assert,
            ReadAct::Retract(since) => Self::Retract(vec![since]),
            ReadAct::Draw(rule, sentence) => Self::Draw(vec![(rule, sentence)]),
            ReadAct::Lapse(since, reason) => Self::Lapse(vec![(since, reason)]),
        }
    }

    fn lent(&self) -> Acts<'_> {
        match self {
            Self::Assert => Acts::Assert,
            Self::Retract(all) => Acts::Retract(all.clone()),
            Self::Draw(all) => Acts::Draw(
                all.iter().map(|(rule, sentence)| (rule.as_deref(), sentence.as_deref())).collect(),
            ),
            Self::Lapse(all) => {
                Acts::Lapse(all.iter().map(|(since, reason)| (*since, reason.as_deref())).collect())
            }
        }
    }
}

/// The changes of a transaction as an import reads them: their tuples lie in one piece of memory.
#[derive(Default)]
pub(crate) struct ReadChanges {
    groups: Vec<(Proposed, ReadActs)>,
}

impl ReadChanges {
    /// Adds a change, whose tuple `encode` appends, after the others.
    pub(crate) fn push(&mut self, relation: Symbol, act: ReadAct, encode: impl FnOnce(&mut Vec<u8>)) {
        let other = match self.groups.last_mut() {
            Some((_, acts)) => acts.push(act),
            None => Some(act),
        };
        self.groups.extend(other.map(|act| (Proposed::default(), ReadActs::of(act))));
        if let Some((members, _)) = self.groups.last_mut() {
            let place = members.tuples.encode(relation, encode);
            members.items.push((place, 0));
        }
    }

    /// The same to be recorded, which takes the tuples.
    pub(crate) fn list(&mut self) -> ChangeList<'_> {
        let mut list = ChangeList::default();
        for (members, acts) in &mut self.groups {
            list.add(std::mem::take(members), acts.lent());
        }
        list
    }
}

impl Group<'_> {
    fn change(&self, at: usize) -> Change<'_> {
        let item = self.members.items.get(at).or_broken("a group has a member at each place before its end");
        let Item { relation, tuple, .. } = self.members.item(item);
        Change { relation, tuple, act: self.acts.act(at) }
    }
}
