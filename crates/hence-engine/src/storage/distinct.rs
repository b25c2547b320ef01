//! The rows of an input, each left once, in the room that they have.
#![expect(clippy::indexing_slicing, reason = "hot: rows are numbered from 0 to before their count")]

use crate::cells::{Cell, Cells};
use crate::storage::bit_set::BitSet;
use crate::storage::hash::hash;
use crate::storage::parts::by_part;
use crate::storage::row_table::RowTable;

/// How many rows at most are compared by one table, about: a processor's caches hold it.
const TOGETHER: usize = 1 << 14;
/// Into how many parts rows are divided at most.
const MOST_PARTS: usize = 1 << 12;
/// The half of a hash that a table looks at; below it is place for the number of a row.
const UPPER: u64 = !0 << 32;

/// Leaves the first of equal rows of `arity` columns. Rows that ascend, as those of numbered events and of sorted files
/// do, are only gone through.
pub(crate) fn keep_distinct(rows: &mut Cells, arity: usize) {
    match rows {
        Cells::Narrow(cells) => keep(cells, arity),
        Cells::Wide(words) => keep(words, arity),
    }
}

fn keep<C: Cell + Ord>(cells: &mut Vec<C>, arity: usize) {
    if cells.chunks_exact(arity).is_sorted_by(|row, next| row < next) {
        return;
    }
    let again = repeated(cells, arity);
    let mut gone = again.all();
    let Some(first) = gone.next() else { return };
    let (mut kept, mut next) = (first as usize, gone.next());
    for at in kept + 1..cells.len() / arity {
        if next == Some(at as u32) {
            next = gone.next();
        } else {
            cells.copy_within(at * arity..(at + 1) * arity, kept * arity);
            kept += 1;
        }
    }
    cells.truncate(kept * arity);
}

/// The rows before which there is an equal one. Rows are divided by their hashes first, and those of a part are
/// compared: only where hashes are equal a row itself is looked at again.
fn repeated<C: Cell>(cells: &[C], arity: usize) -> BitSet {
    let rows = cells.len() / arity;
    let parts = (rows / TOGETHER).next_power_of_two().min(MOST_PARTS);
    let hashed = (0u64..).zip(cells.chunks_exact(arity)).map(|(at, row)| {
        let hash = hash(row);
        (hash as usize & (parts - 1), hash & UPPER | at)
    });
    let (hashed, ends) = by_part(hashed, parts);
    let (mut again, mut table, mut start) = (BitSet::of(rows), RowTable::default(), 0);
    for end in ends {
        table.clear();
        for hash in &hashed[start..end] {
            let at = *hash as u32;
            let row = |at: u32| &cells[at as usize * arity..][..arity];
            if table.find_or_insert(*hash, at, |other| row(other) == row(at)).is_some() {
                again.add(at);
            }
        }
        start = end;
    }
    again
}
