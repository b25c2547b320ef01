//! The rows of an input, each left once, in the room that they have.
#![expect(clippy::indexing_slicing, reason = "hot: rows are numbered from 0 to before their count")]

use crate::cells::{Cell, Cells};
use crate::storage::hash::{TOGETHER, hash};
use crate::storage::row_table::RowTable;
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
    let rows = cells.len() / arity;
    let mut table = RowTable::with_room(rows);
    let mut kept = 0;
    let mut hashes = [0; TOGETHER];
    for first in (0..rows).step_by(TOGETHER) {
        let batch = first..rows.min(first + TOGETHER);
        for (hash_of, at) in hashes.iter_mut().zip(batch.clone()) {
            *hash_of = hash(&cells[at * arity..(at + 1) * arity]);
        }
        table.warm(&hashes[..batch.len()], |at| cells[at as usize * arity].word().0);
        for (hash, at) in hashes.iter().zip(batch) {
            let row = at * arity..(at + 1) * arity;
            let is_it = |other: u32| cells[other as usize * arity..][..arity] == cells[row.clone()];
            if table.find_or_insert(*hash, kept as u32, is_it).is_none() {
                cells.copy_within(row, kept * arity);
                kept += 1;
            }
        }
    }
    cells.truncate(kept * arity);
}
