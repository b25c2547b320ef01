//! The rows of an input, each left once, in the room that they have.
#![expect(clippy::indexing_slicing, reason = "hot: rows are numbered from 0 to before their count")]

use crate::cells::{Cell, Cells};
use crate::storage::hash::hash;
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
    let Some(first) = again.iter().position(|bits| *bits != 0) else { return };
    let mut kept = first * 64;
    for at in first * 64..cells.len() / arity {
        if again[at / 64] >> (at % 64) & 1 == 0 {
            cells.copy_within(at * arity..(at + 1) * arity, kept * arity);
            kept += 1;
        }
    }
    cells.truncate(kept * arity);
}

/// A bit for each row, set where an equal one comes before it. Rows are divided by their hashes first, and those of a part are
/// compared: only where hashes are equal a row itself is looked at again.
fn repeated<C: Cell>(cells: &[C], arity: usize) -> Vec<u64> {
    let rows = cells.len() / arity;
    let parts = (rows / TOGETHER).next_power_of_two().min(MOST_PARTS);
    let part_of = |hash: u64| hash as usize & (parts - 1);
    let mut ends = vec![0; parts];
    cells.chunks_exact(arity).for_each(|row| ends[part_of(hash(row))] += 1);
    ends.iter_mut().fold(0, |start, end| start + std::mem::replace(end, start));
    let mut hashed = vec![0; rows];
    for (at, row) in (0u64..).zip(cells.chunks_exact(arity)) {
        let hash = hash(row);
        let end = &mut ends[part_of(hash)];
        hashed[*end] = hash & UPPER | at;
        *end += 1;
    }
    let (mut again, mut table, mut start) = (vec![0; rows.div_ceil(64)], RowTable::default(), 0);
    for end in ends {
        table.clear();
        for hash in &hashed[start..end] {
            let at = *hash as u32;
            let row = |at: u32| &cells[at as usize * arity..][..arity];
            if table.find_or_insert(*hash, at, |other| row(other) == row(at)).is_some() {
                again[at as usize / 64] |= 1 << (at % 64);
            }
        }
        start = end;
    }
    again
}
