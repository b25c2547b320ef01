//! Rows of a relation by the values of some of its columns.
#![expect(clippy::indexing_slicing, reason = "hot: groups and places come from this index itself")]

use crate::value::Word;

use super::hash::{hash, hash_of};
use super::table::Table;

/// For each combination of values in the key columns the numbers of its rows, ascending, in one piece.
#[derive(Debug)]
pub(super) struct Index {
    columns: Vec<u32>,
    /// How many rows of the relation are in.
    rows: u32,
    keys: Vec<Word>,
    table: Table,
    groups: Vec<Group>,
    entries: Vec<u32>,
    /// Pieces that groups have outgrown, by the logarithm of their length.
    free: Vec<Vec<u32>>,
}

/// A piece of the entries: `len` of `room` places are taken.
#[derive(Clone, Copy, Debug, Default)]
struct Group {
    start: u32,
    len: u32,
    room: u32,
    coming: u32,
}

impl Index {
    /// An index on `columns` without rows.
    pub(super) fn new(columns: Vec<u32>) -> Self {
        Self {
            columns,
            rows: 0,
            keys: Vec::new(),
            table: Table::default(),
            groups: Vec::new(),
            entries: Vec::new(),
            free: Vec::new(),
        }
    }

    /// The key columns, ascending.
    pub(super) fn columns(&self) -> &[u32] {
        &self.columns
    }

    /// The numbers of the rows with this key, ascending.
    #[inline]
    pub(super) fn get(&self, key: &[Word]) -> &[u32] {
        let width = key.len();
        let is_it = |at: u32| self.keys[at as usize * width..(at as usize + 1) * width] == *key;
        match self.table.find(hash(key), is_it) {
            Some(group) => {
                let group = self.groups[group as usize];
                &self.entries[group.start as usize..(group.start + group.len) as usize]
            }
            None => &[],
        }
    }

    /// Takes in the rows of a relation that aren't in yet.
    pub(super) fn extend(&mut self, rows: &[Word], arity: usize, len: u32) {
        let first = self.rows;
        let row = |at: u32| &rows[at as usize * arity..(at as usize + 1) * arity];
        let groups: Vec<u32> = (first..len).map(|at| self.group(row(at))).collect();
        for &group in &groups {
            self.groups[group as usize].coming += 1;
        }
        for (at, &group) in (first..len).zip(&groups) {
            self.make_room(group as usize, first == 0);
            let group = &mut self.groups[group as usize];
            self.entries[(group.start + group.len) as usize] = at;
            group.len += 1;
            group.coming -= 1;
        }
        self.rows = len;
    }

    /// The group of a row, made where there is none yet.
    fn group(&mut self, row: &[Word]) -> u32 {
        let (columns, keys) = (&self.columns, &self.keys);
        let width = columns.len();
        let is_it = |at: u32| {
            let key = &keys[at as usize * width..(at as usize + 1) * width];
            columns.iter().zip(key).all(|(column, word)| row[*column as usize] == *word)
        };
        let next = self.groups.len() as u32;
        self.table.find_or_insert(hash_of(row, columns), next, is_it).unwrap_or_else(|| {
            self.keys.extend(self.columns.iter().map(|column| row[*column as usize]));
            self.groups.push(Group::default());
            next
        })
    }

    /// Makes room for what is coming to a group: exactly at first, with as much again later.
    fn make_room(&mut self, at: usize, exactly: bool) {
        let group = self.groups[at];
        if group.len < group.room {
            return;
        }
        let wanted = group.len + group.coming;
        let room = if exactly { wanted } else { wanted.next_power_of_two().max(4) };
        let start = self.take_piece(room, exactly);
        let old = group.start as usize..(group.start + group.len) as usize;
        self.entries.copy_within(old, start as usize);
        if group.room > 0 {
            self.give_piece(group.start, group.room);
        }
        self.groups[at] = Group { start, room, ..group };
    }

    fn take_piece(&mut self, room: u32, exactly: bool) -> u32 {
        let class = room.ilog2() as usize;
        if !exactly && let Some(start) = self.free.get_mut(class).and_then(Vec::pop) {
            return start;
        }
        let start = self.entries.len() as u32;
        self.entries.resize((start + room) as usize, 0);
        start
    }

    /// Keeps a piece for a later group; one of no whole power of two counts as the power below.
    fn give_piece(&mut self, start: u32, room: u32) {
        let class = room.ilog2() as usize;
        if self.free.len() <= class {
            self.free.resize(class + 1, Vec::new());
        }
        self.free[class].push(start);
    }

    /// Bytes taken.
    pub(super) fn bytes(&self) -> usize {
        self.keys.capacity() * 8
            + self.table.bytes()
            + self.groups.capacity() * size_of::<Group>()
            + self.entries.capacity() * 4
    }
}
