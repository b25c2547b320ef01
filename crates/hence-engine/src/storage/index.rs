//! Rows of a relation by the values of some of its columns.
#![expect(clippy::indexing_slicing, reason = "hot: groups and places come from this index itself")]

use crate::cells::{Cell, Slice, is_narrow, reserve};
use crate::storage::bit_set::BitSet;
use crate::storage::content::Content;
use crate::storage::grouped::GroupedRows;
use crate::storage::hash::hash_of;
use crate::storage::key_table::KeyTable;
use crate::storage::pieces::{
    Bucket, MOST_ROUNDS, Room, WASTE, by_group, class_for, class_within, most_for, move_together, room_of,
};
use crate::storage::view::{UNRANKED, View};
use hence_core::fault::broken;
use hence_core::index_vec::id;
use hence_core::value::Word;

id! {
    /// An index of a relation.
    pub(crate) struct IndexId(u32): "plans name the indexes that their relations have";
}

/// How much room for the groups of new rows is kept, and for a quarter of the first ones.
const GROUP_BUFFER: usize = 4096;
/// From how many hashed keys on it pays to group them.
const MANY_KEYS: usize = 1 << 15;
/// From how many rows on an index is far from the processor.
const FAR: u32 = 1 << 17;
/// An invariant of [`Index::key`].
const ONE_COLUMN: &str = "the values of one column are not grouped";

/// For each combination of values in the key columns its rows in the order of derivation, in one piece.
#[derive(Debug)]
pub(crate) struct Index {
    columns: Vec<u32>,
    /// How many rows of the relation are in.
    rows: u32,
    /// How often rows were taken in.
    round: u32,
    finder: KeyTable,
    groups: Vec<Bucket>,
    entries: Vec<u32>,
    content: Content,
    /// Of each group that grew in the last round its first new row.
    first_rows: Vec<u32>,
    /// Pieces that groups have outgrown, by [`room_of`].
    free: Vec<Vec<u32>>,
    /// Room for the groups of new rows.
    group_buffer: Vec<u32>,
    /// From how many hashed keys on it is tried whether they can be grouped.
    regroup: usize,
    /// Whether no plan reads it any more.
    retired: bool,
    /// Whether the words of each group ascend.
    sorted: bool,
}

impl Index {
    /// An index on `columns` of a relation with `arity` columns, without rows.
    pub(crate) fn new(columns: Vec<u32>, arity: usize) -> Self {
        let finder = if columns.len() == 1 { KeyTable::Direct } else { KeyTable::hashed() };
        Self {
            content: Content::of(&columns, arity),
            columns,
            rows: 0,
            round: 0,
            finder,
            groups: Vec::new(),
            entries: Vec::new(),
            first_rows: Vec::new(),
            free: Vec::new(),
            group_buffer: Vec::new(),
            regroup: MANY_KEYS,
            retired: false,
            sorted: false,
        }
    }

    /// Whether the entries are words that aren't sorted yet.
    pub(crate) fn is_sortable(&self) -> bool {
        !self.sorted && self.content != Content::Numbers
    }

    /// Visits the entries of each group, and where they begin.
    pub(super) fn for_each_group(&mut self, mut visit: impl FnMut(usize, &mut [u32])) {
        for group in self.groups.iter().filter(|group| group.len > 0) {
            let start = group.start as usize;
            visit(start, &mut self.entries[start..start + group.len as usize]);
        }
    }

    /// The entries; from then on only the places of keys can be asked for.
    pub(super) fn take_entries(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.entries)
    }

    /// Where the entries of a key are.
    pub(super) fn place(&self, key: &[Word]) -> std::ops::Range<u32> {
        self.find(key).map_or(0..0, |group| group.start..group.start + group.len)
    }

    /// Sorts the words of each group, for a relation that won't grow: it isn't known any more which of them came last.
    pub(crate) fn sort(&mut self) {
        self.for_each_group(|_, entries| entries.sort_unstable());
        self.sorted = true;
    }

    /// Whether the words of each group ascend.
    #[inline]
    pub(crate) fn is_sorted(&self) -> bool {
        self.sorted
    }

    /// No plan reads it any more: it takes in no rows and gives its room back.
    pub(crate) fn retire(&mut self) {
        *self = Self { retired: true, ..Self::new(std::mem::take(&mut self.columns), 0) };
    }

    /// Whether no plan reads it any more.
    pub(crate) fn is_retired(&self) -> bool {
        self.retired
    }

    /// The key columns, ascending.
    pub(crate) fn columns(&self) -> &[u32] {
        &self.columns
    }

    /// How many rows are in.
    pub(crate) fn rows(&self) -> u32 {
        self.rows
    }

    /// What the entries are.
    #[inline]
    pub(crate) fn content(&self) -> Content {
        self.content
    }

    /// The first new row of each group that grew in the last round, ascending.
    pub(crate) fn first_rows(&self) -> &[u32] {
        &self.first_rows
    }

    /// How many groups there are, those without rows included.
    pub(crate) fn groups(&self) -> u32 {
        self.groups.len() as u32
    }

    /// Whether a group has rows.
    #[inline]
    pub(crate) fn has_rows(&self, group: u32) -> bool {
        self.groups[group as usize].len > 0
    }

    /// The key of a group, of one column.
    #[inline]
    pub(crate) fn key(&self, group: u32) -> Word {
        match &self.finder {
            KeyTable::Direct => Word(u64::from(group)),
            KeyTable::Hashed(keys, _) => keys.view().at(group as usize * self.columns.len()),
            KeyTable::Grouped(_) => broken(ONE_COLUMN),
        }
    }

    /// The entries of a key in a part of the relation.
    #[inline]
    pub(crate) fn get(&self, key: &[Word], view: View) -> &[u32] {
        let Some(group) = self.find(key) else { return &[] };
        let entries = &self.entries[group.start as usize..(group.start + group.len) as usize];
        let old = if group.round() == self.round { group.old } else { group.len } as usize;
        match view {
            View::All => entries,
            View::Delta => &entries[old..],
            View::Old => &entries[..old],
            View::Ranked => broken(UNRANKED),
        }
    }

    /// Whether it is so large that a processor's caches hold little of it.
    #[inline]
    pub(crate) fn is_far(&self) -> bool {
        self.rows >= FAR
    }

    /// The first entry of a key, or anything: looks at what [`Index::get`] will.
    #[inline]
    pub(crate) fn peek(&self, key: &[Word]) -> u32 {
        self.find(key).and_then(|group| self.entries.get(group.start as usize)).map_or(0, |entry| *entry)
    }

    #[inline]
    fn find(&self, key: &[Word]) -> Option<&Bucket> {
        self.finder.find(key).and_then(|group| self.groups.get(group))
    }

    /// Takes in the rows of a relation that aren't in yet, as those of a new round.
    pub(crate) fn extend(&mut self, rows: Slice<'_>, arity: usize, len: u32) {
        match rows {
            Slice::Narrow(rows) => self.take(rows, arity, len),
            Slice::Wide(rows) => self.take(rows, arity, len),
        }
    }

    fn take<C: Cell>(&mut self, rows: &[C], arity: usize, len: u32) {
        self.begin_round();
        if self.rows == len {
            return;
        }
        self.sorted = false;
        let new_rows = &rows[self.rows as usize * arity..len as usize * arity];
        if let Content::Words(column) = self.content
            && new_rows.iter().skip(column as usize).step_by(2).any(|cell| !is_narrow(cell.word()))
        {
            return self.number_rows(rows, arity, len);
        }
        if self.finder.is_direct() {
            let most = new_rows.chunks_exact(arity).map(|row| row[self.columns[0] as usize].word().0).max();
            self.reach(most.unwrap_or(0), len);
        }
        self.group_keys();
        let mut groups = std::mem::take(&mut self.group_buffer);
        groups.extend(new_rows.chunks_exact(arity).map(|row| self.group(row)));
        let are_first = self.rows == 0 && self.groups.len() / 8 <= len as usize;
        if are_first && len >= FAR {
            return self.take_many(groups, new_rows, arity);
        }
        if are_first {
            groups.iter().for_each(|group| self.groups[*group as usize].len += 1);
            self.lay_out();
        } else {
            self.make_room(&groups);
        }
        for ((row, at), group) in new_rows.chunks_exact(arity).zip(self.rows..).zip(groups.drain(..)) {
            let group = &mut self.groups[group as usize];
            if are_first && group.len == 0 {
                self.first_rows.push(at);
            }
            self.entries[(group.start + group.len) as usize] = self.content.entry(row, at);
            group.len += 1;
        }
        self.rows = len;
        if groups.capacity() <= GROUP_BUFFER {
            self.group_buffer = groups;
        }
        if self.first_rows.capacity() / 4 > self.first_rows.len().max(GROUP_BUFFER) {
            self.first_rows.shrink_to_fit();
        }
        if self.entries.len() > most_for(len) {
            move_together(&mut self.groups, &mut self.entries, len);
            self.free.clear();
        }
    }

    /// Takes in the first rows, which are many, in the order of their groups, about: so a processor's caches hold the groups that it
    /// counts and fills at a time.
    fn take_many<C: Cell>(&mut self, groups: Vec<u32>, rows: &[C], arity: usize) {
        self.rows = groups.len() as u32;
        let mut with_rows = BitSet::of(self.groups.len());
        let is_first = |(_, group): &(u32, &u32)| with_rows.add(**group);
        self.first_rows.extend((0..).zip(&groups).filter(is_first).map(|(at, _)| at));
        let entries = rows.chunks_exact(arity).zip(0..).map(|(row, at)| self.content.entry(row, at));
        let ordered = by_group(groups.iter().copied().zip(entries), self.groups.len());
        drop(groups);
        ordered.iter().for_each(|(group, _)| self.groups[*group as usize].len += 1);
        self.lay_out();
        for (group, entry) in ordered {
            let group = &mut self.groups[group as usize];
            self.entries[(group.start + group.len) as usize] = entry;
            group.len += 1;
        }
    }

    /// Takes out all rows but the first `len`; none of those left counts as new.
    pub(crate) fn rewind(&mut self, rows: Slice<'_>, arity: usize, len: u32) {
        match rows {
            Slice::Narrow(rows) => self.give_back(rows, arity, len),
            Slice::Wide(rows) => self.give_back(rows, arity, len),
        }
    }

    fn give_back<C: Cell>(&mut self, rows: &[C], arity: usize, len: u32) {
        if self.sorted && len < self.rows {
            // It isn't known which words came last.
            *self = Self::new(std::mem::take(&mut self.columns), arity);
            self.take(rows, arity, len);
        }
        self.begin_round();
        let gone = &rows[len.min(self.rows) as usize * arity..self.rows as usize * arity];
        self.rows = len.min(self.rows);
        if self.finder.is_direct() {
            for row in gone.chunks_exact(arity) {
                self.groups[row[self.columns[0] as usize].word().0 as usize].len -= 1;
            }
        } else if len == 0 || self.groups.len() > 2 * len as usize + WASTE {
            return self.restart(rows, arity, len);
        } else {
            for row in gone.chunks_exact(arity) {
                let group = self.group(row) as usize;
                self.groups[group].len -= 1;
            }
        }
        if len == 0 {
            gone.chunks_exact(arity).for_each(|row| {
                self.groups[row[self.columns[0] as usize].word().0 as usize] = Bucket::default()
            });
            self.entries.clear();
            self.free.iter_mut().for_each(Vec::clear);
        }
    }

    /// Makes the index of hashed keys again, in the room that it has.
    fn restart<C: Cell>(&mut self, rows: &[C], arity: usize, len: u32) {
        match &mut self.finder {
            KeyTable::Hashed(keys, table) => {
                keys.clear();
                table.clear();
            }
            finder => *finder = KeyTable::hashed(),
        }
        self.groups.clear();
        self.entries.clear();
        self.free.iter_mut().for_each(Vec::clear);
        self.rows = 0;
        self.take(&rows[..len as usize * arity], arity, len);
        self.begin_round();
    }

    /// No group has grown in the round that begins. When numbers have run out, groups forget in which they grew.
    fn begin_round(&mut self) {
        self.first_rows.clear();
        self.round += 1;
        if self.round > MOST_ROUNDS {
            self.groups.iter_mut().for_each(|group| group.set(0, group.room()));
            self.round = 1;
        }
    }

    /// Makes the index again with row numbers, because a word doesn't fit. The round before stays apart.
    fn number_rows<C: Cell>(&mut self, rows: &[C], arity: usize, len: u32) {
        let before = self.rows;
        *self = Self { content: Content::Numbers, ..Self::new(std::mem::take(&mut self.columns), arity) };
        self.take(rows, arity, before);
        self.take(rows, arity, len);
    }

    /// Makes sure that the keys up to `most` are found: directly while they are about as many as rows.
    fn reach(&mut self, most: u64, rows: u32) {
        let groups = self.groups.len();
        if most < u64::from(rows) * 4 + 1024 {
            let wanted = (most as usize + 1).max(groups);
            self.groups.resize(wanted, Bucket::default());
            return;
        }
        self.finder = KeyTable::hashed_words(self.groups.iter().map(|group| group.len > 0));
    }

    /// The group of a row, made where there is none yet.
    fn group<C: Cell>(&mut self, row: &[C]) -> u32 {
        let (columns, next) = (&self.columns, self.groups.len() as u32);
        let word = |column: &u32| row[*column as usize].word();
        let group = match &mut self.finder {
            KeyTable::Direct => return row[columns[0] as usize].word().0 as u32,
            KeyTable::Hashed(keys, table) => {
                let (width, view) = (columns.len(), keys.view());
                let is_it = |at: u32| {
                    columns.iter().zip(at as usize * width..).all(|(column, at)| view.at(at) == word(column))
                };
                let found = table.find_or_insert(hash_of(row, columns), next, is_it);
                if found.is_none() {
                    columns.iter().for_each(|column| keys.push(word(column)));
                }
                found
            }
            KeyTable::Grouped(keys) => {
                let mut key = [Word::default(); GroupedRows::MOST_COLUMNS];
                key.iter_mut().zip(columns).for_each(|(place, column)| *place = word(column));
                match keys.number_of(&key[..columns.len()], next) {
                    Some(group) => Some(group).filter(|group| *group < next),
                    None => {
                        self.finder = KeyTable::hashed_again(keys, columns.len(), next as usize);
                        return self.group(row);
                    }
                }
            }
        };
        group.unwrap_or_else(|| {
            self.groups.push(Bucket::default());
            next
        })
    }

    /// Groups the keys where they have become many, and are narrow; looked at each time they have doubled.
    fn group_keys(&mut self) {
        let KeyTable::Hashed(keys, table) = &self.finder else { return };
        if table.len() < self.regroup {
            return;
        }
        self.regroup = table.len() * 2;
        let (width, keys) = (self.columns.len(), keys.view());
        let Some(mut grouped) = GroupedRows::for_rows([keys, Slice::default()], width, 1, width, true) else {
            return;
        };
        let all = (0..self.groups.len() as u32)
            .all(|at| grouped.add(keys.part(at as usize * width, (at as usize + 1) * width), at));
        if all {
            self.finder = KeyTable::Grouped(grouped);
        }
    }

    /// Gives each group, whose first rows are counted, hardly more than the room that it needs, in the order of the groups.
    fn lay_out(&mut self) {
        let mut start = 0;
        for group in &mut self.groups {
            let room = Room::at_least(group.len);
            *group = if group.len > 0 { Bucket::empty(start, room, self.round) } else { Bucket::default() };
            start += room.len();
        }
        self.entries.clear();
        reserve(&mut self.entries, start as usize);
        self.entries.resize(start as usize, 0);
    }

    /// Makes sure that each group has room for the entries about to come, one for each time it occurs in `groups`. While they
    /// are counted, they count as there.
    fn make_room(&mut self, groups: &[u32]) {
        for (row, at) in (self.rows..).zip(groups) {
            let group = &mut self.groups[*at as usize];
            if group.round() != self.round {
                group.old = group.len;
                group.set(self.round, group.room());
                self.first_rows.push(row);
            }
            group.len += 1;
        }
        for place in 0..self.first_rows.len() {
            let at = groups[(self.first_rows[place] - self.rows) as usize] as usize;
            let group = &mut self.groups[at];
            let wanted = std::mem::replace(&mut group.len, group.old);
            if wanted > group.room().len() {
                self.move_to(at, class_for(wanted));
            }
        }
    }

    /// Moves a group to a piece of a class.
    fn move_to(&mut self, at: usize, class: usize) {
        let group = self.groups[at];
        let room = room_of(class);
        let free = self.free.get_mut(class).and_then(Vec::pop);
        let start = free.unwrap_or_else(|| {
            let start = self.entries.len() as u32;
            reserve(&mut self.entries, room as usize);
            self.entries.resize((start + room) as usize, 0);
            start
        });
        self.entries.copy_within(group.start as usize..(group.start + group.len) as usize, start as usize);
        self.give(group.start, group.room().len());
        self.groups[at].start = start;
        self.groups[at].set(group.round(), Room::within(room));
    }

    /// Keeps a piece for a later group; one of a length between two classes counts as the one below.
    fn give(&mut self, start: u32, room: u32) {
        let Some(class) = class_within(room) else { return };
        if self.free.len() <= class {
            self.free.resize(class + 1, Vec::new());
        }
        self.free[class].push(start);
    }

    /// Bytes taken.
    pub(crate) fn bytes(&self) -> usize {
        self.finder.bytes()
            + self.groups.capacity() * size_of::<Bucket>()
            + (self.entries.len() + self.first_rows.capacity()) * 4
    }
}
