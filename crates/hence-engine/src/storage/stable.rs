//! The facts of closed rounds: what rules read.

use crate::cells::{Cells, Slice};
use crate::model::Extent;
use crate::rows::Rows;
use crate::storage::content::Content;
use crate::storage::index::{Index, IndexId};
use crate::storage::ordered::{Order, OrderedId, OrderedIndex};
use crate::storage::statistics::{distinct_keys, share};
use crate::storage::view::{UNRANKED, View};
use hence_core::fault::broken;
use hence_core::index_vec::IndexVec;
use hence_core::value::Word;

/// The facts of closed rounds in the order of their derivation, with the indexes that plans use.
#[derive(Debug, Default)]
pub(crate) struct Stable {
    arity: usize,
    len: u32,
    words: Cells,
    indexes: IndexVec<IndexId, Index>,
    ordered: IndexVec<OrderedId, OrderedIndex>,
    /// Whether facts come and go from one evaluation to the next.
    varies: bool,
    /// How many facts there were at the end of each round.
    rounds: Vec<usize>,
    /// Where the facts of the last closed round begin.
    delta: u32,
    /// Up to how many facts a scan is as good as an index.
    scan_threshold: u32,
    /// How many rows a key of some columns has, when it was measured last.
    fan_outs: Vec<FanOut>,
}

/// How many of `rows` facts agree in some columns, on average over the keys.
#[derive(Debug)]
struct FanOut {
    columns: Vec<u32>,
    rows: u32,
    mean: f64,
}

/// An index and the facts that it has to take in.
pub(crate) struct IndexUpdate<'k> {
    index: &'k mut Index,
    rows: Slice<'k>,
    arity: usize,
    /// How many of the facts are in or come as those of a round before, and how many there are.
    parts: [u32; 2],
}

impl IndexUpdate<'_> {
    /// Takes them in.
    pub(crate) fn extend(self) {
        let [old, len] = self.parts;
        if self.index.rows() < old {
            self.index.extend(self.rows, self.arity, old);
        }
        self.index.extend(self.rows, self.arity, len);
    }

    /// How many there are.
    pub(crate) fn rows(&self) -> u32 {
        self.parts[1] - self.index.rows()
    }

    /// About how long it takes: keys of several columns are looked up in a table.
    pub(crate) fn work(&self) -> u64 {
        u64::from(self.rows()) * self.index.columns().len().min(2) as u64
    }
}

/// [`Stable::scan_threshold`] of an evaluation that is not prepared.
const SCAN_THRESHOLD: u32 = 8;
/// From how many facts on it is measured how many a key has.
const MEASURED: u32 = 1024;

impl Stable {
    /// No facts of `arity` columns.
    pub(crate) fn new(arity: usize) -> Self {
        Self { arity, scan_threshold: SCAN_THRESHOLD, ..Self::default() }
    }

    /// How many facts there are.
    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    /// Whether a scan is as good as an index.
    pub(crate) fn is_below_scan_threshold(&self) -> bool {
        self.len <= self.scan_threshold
    }

    /// Up to so many facts are scanned.
    pub(crate) fn set_scan_threshold(&mut self, threshold: u32) {
        self.scan_threshold = threshold;
    }

    /// How many columns they have.
    pub(crate) fn arity(&self) -> usize {
        self.arity
    }

    /// All facts, one after the other.
    pub(crate) fn words(&self) -> Slice<'_> {
        self.words.view()
    }

    /// The fact with a number.
    #[inline]
    pub(crate) fn row(&self, at: u32) -> Slice<'_> {
        self.words.view().part(at as usize * self.arity, (at as usize + 1) * self.arity)
    }

    /// The numbers of the facts of a part.
    #[inline]
    pub(crate) fn range(&self, view: View) -> std::ops::Range<u32> {
        match view {
            View::All => 0..self.len,
            View::Delta => self.delta..self.len,
            View::Old => 0..self.delta,
            View::Ranked => broken(UNRANKED),
        }
    }

    /// The words of the facts of a part.
    #[inline]
    pub(crate) fn part(&self, view: View) -> Slice<'_> {
        let range = self.range(view);
        self.words.view().part(range.start as usize * self.arity, range.end as usize * self.arity)
    }

    /// The index with a number.
    #[inline]
    pub(crate) fn index(&self, index: IndexId) -> &Index {
        &self.indexes[index]
    }

    /// All indexes whose entries are row numbers.
    pub(crate) fn numbering(&self) -> impl Iterator<Item = &Index> {
        self.indexes.iter().filter(|index| index.content() == Content::Numbers && !index.is_retired())
    }

    /// The index on `columns`, ascending, if there is one.
    pub(crate) fn find_index(&self, columns: &[u32]) -> Option<IndexId> {
        let live = self.indexes.numbered().filter(|(_, index)| !index.is_retired());
        live.into_iter().find(|(_, index)| index.columns() == columns).map(|(id, _)| id)
    }

    /// How many facts agree in `columns`, on average over their different words, where there are enough facts to measure;
    /// measured again when they have doubled.
    pub(crate) fn fan_out(&mut self, columns: &[u32]) -> Option<f64> {
        (self.len >= MEASURED).then(|| self.measured_fan_out(columns))
    }

    /// [`Stable::fan_out`], however few facts there are.
    pub(crate) fn measured_fan_out(&mut self, columns: &[u32]) -> f64 {
        let is_known = |known: &&FanOut| known.columns == columns && self.len / 2 < known.rows;
        if let Some(known) = self.fan_outs.iter().find(is_known) {
            return known.mean;
        }
        let mean = f64::from(self.len) / distinct_keys(self.words.view(), self.arity, columns).max(1.0);
        self.fan_outs.retain(|known| known.columns != columns);
        self.fan_outs.push(FanOut { columns: columns.to_vec(), rows: self.len, mean });
        mean
    }

    /// Which part of the facts has these words, about.
    pub(crate) fn share(&self, key: &[(u32, Word)]) -> f64 {
        share(self.words.view(), self.arity, key)
    }

    /// Forgets all indexes but those of `used`.
    pub(crate) fn retain_indexes(&mut self, used: &[IndexId]) {
        for (id, index) in self.indexes.ids().zip(self.indexes.iter_mut()) {
            if !used.contains(&id) {
                index.retire();
            }
        }
    }

    /// The index on `columns`. One that there wasn't yet is among those that are [`Stable::unbuilt`].
    pub(crate) fn index_on(&mut self, columns: &[u32]) -> IndexId {
        let new = || Index::new(columns.to_vec(), self.arity);
        self.find_index(columns).unwrap_or_else(|| self.indexes.push(new()))
    }

    /// The indexes that lack facts of closed rounds, as those do that plans have just asked for.
    pub(crate) fn unbuilt(&mut self) -> impl Iterator<Item = IndexUpdate<'_>> {
        self.due().filter(|due| due.rows() > 0)
    }

    /// Those of `used` that aren't sorted yet and can be.
    pub(crate) fn unsorted(&mut self, used: &[IndexId]) -> impl Iterator<Item = &mut Index> {
        let numbered = self.indexes.ids().zip(self.indexes.iter_mut());
        let unsorted = numbered.filter(|(id, index)| used.contains(id) && index.is_sortable());
        unsorted.map(|(_, index)| index)
    }

    /// The index in an order of a relation that doesn't grow, built where there is none yet; none where it will.
    pub(crate) fn ordered_on(&mut self, order: &Order) -> Option<OrderedId> {
        if self.varies {
            return None;
        }
        let found = self.ordered.numbered().find(|(_, index)| index.order() == order).map(|(id, _)| id);
        Some(found.unwrap_or_else(|| {
            let index = OrderedIndex::new(order.clone(), self.words.view(), self.arity, self.len);
            self.ordered.push(index)
        }))
    }

    /// The ordered index with a number.
    #[inline]
    pub(crate) fn ordered(&self, index: OrderedId) -> &OrderedIndex {
        let ordered = &self.ordered[index];
        assert_eq!(ordered.len(), self.len, "a relation with an ordered index doesn't grow");
        ordered
    }

    /// Facts will come and go from one evaluation to the next.
    pub(crate) fn set_varying(&mut self) {
        self.varies = true;
    }

    /// What comes from now on is the delta.
    pub(crate) fn begin_round(&mut self) {
        self.delta = self.len;
    }

    /// Takes in facts of a round.
    pub(crate) fn append(&mut self, len: u32, words: &mut Cells) {
        self.len += len;
        self.words.append(words);
    }

    /// All facts of the round are in; the indexes are due.
    pub(crate) fn end_round(&mut self) {
        self.rounds.push(self.len as usize);
    }

    /// Closes a round without facts, before which there was none that any plan has seen.
    pub(crate) fn skip_round(&mut self) {
        self.begin_round();
        self.end_round();
    }

    /// The indexes, each with the facts that it has to take in.
    pub(crate) fn due(&mut self) -> impl Iterator<Item = IndexUpdate<'_>> {
        let (rows, arity, parts) = (self.words.view(), self.arity, [self.delta, self.len]);
        let live = self.indexes.iter_mut().filter(|index| !index.is_retired());
        live.map(move |index| IndexUpdate { index, rows, arity, parts })
    }

    /// Forgets all rounds and all facts but the first `len`.
    pub(crate) fn rewind(&mut self, len: u32) {
        if len < self.len {
            for index in self.indexes.iter_mut() {
                index.rewind(self.words.view(), self.arity, len);
            }
            self.words.truncate(len as usize * self.arity);
            self.len = len;
        }
        self.delta = len;
        self.rounds.clear();
    }

    /// The facts as they are now, with their rounds.
    pub(crate) fn to_extent(&self) -> Extent {
        let rows = Rows::of(self.arity, self.len as usize, self.words.clone());
        Extent { rows, rounds: self.fruitful().to_vec() }
    }

    /// The rounds up to the last that derived some.
    pub(crate) fn fruitful(&self) -> &[usize] {
        let end = self.len as usize;
        let last = self.rounds.partition_point(|&count| count < end);
        self.rounds.get(..=last).unwrap_or(&self.rounds)
    }

    /// Bytes taken.
    pub(crate) fn bytes(&self) -> usize {
        self.words.bytes()
            + self.indexes.iter().map(Index::bytes).sum::<usize>()
            + self.ordered.iter().map(OrderedIndex::bytes).sum::<usize>()
    }

    /// The final facts, with the rounds up to the last that derived some.
    pub(crate) fn into_extent(mut self) -> Extent {
        let end = self.len as usize;
        self.rounds.truncate(self.fruitful().len());
        Extent { rows: Rows::of(self.arity, end, self.words), rounds: self.rounds }
    }
}
