//! How many different keys some columns of a relation have, from a sample of its rows.

use crate::cells::{Cell, Slice};
use crate::storage::hash::hash_of;
use hence_core::value::Word;

/// How many rows a sample has.
const SAMPLE: usize = 1 << 14;
/// How many rows are looked at for the share of a value.
const FEW: usize = 1 << 11;

/// Which part of the rows has these words in these columns, about; more than none.
pub(crate) fn share(rows: Slice<'_>, arity: usize, key: &[(u32, Word)]) -> f64 {
    match rows {
        Slice::Narrow(rows) => share_of(rows, arity, key),
        Slice::Wide(rows) => share_of(rows, arity, key),
    }
}

fn share_of<C: Cell>(rows: &[C], arity: usize, key: &[(u32, Word)]) -> f64 {
    let arity = arity.max(1);
    let all = rows.len() / arity;
    let fits = |at: usize| {
        let cell = |column: u32| rows.get(at * arity + column as usize).map(|cell| cell.word());
        key.iter().all(|(column, word)| cell(*column) == Some(*word))
    };
    let (found, size) = if all <= FEW {
        ((0..all).filter(|at| fits(*at)).count(), all)
    } else {
        // At irregular places: rows often come in turns.
        let place = |at: u32| ((u64::from(at.wrapping_mul(0x9e37_79b9)) * all as u64) >> 32) as usize;
        ((0..FEW as u32).filter(|at| fits(place(*at))).count(), FEW)
    };
    found.max(1) as f64 / size.max(1) as f64
}

/// About how many different words the columns have together. Exact where the sample is all there is; else the estimator
/// `uj1` of Haas, Naughton, Seshadri and Stokes, "Sampling-based estimation of the number of distinct values of an
/// attribute" (VLDB 1995).
pub(crate) fn distinct_keys(rows: Slice<'_>, arity: usize, columns: &[u32]) -> f64 {
    match rows {
        Slice::Narrow(rows) => estimate(rows, arity, columns),
        Slice::Wide(rows) => estimate(rows, arity, columns),
    }
}

fn estimate<C: Cell>(rows: &[C], arity: usize, columns: &[u32]) -> f64 {
    let all = rows.len() / arity.max(1);
    let step = all.div_ceil(SAMPLE).max(1);
    let sampled = rows.chunks_exact(arity.max(1)).step_by(step);
    let mut hashes: Vec<u64> = sampled.map(|row| hash_of(row, columns)).collect();
    hashes.sort_unstable();
    let keys = hashes.chunk_by(|a, b| a == b);
    let (distinct, once) = keys
        .fold((0usize, 0usize), |(distinct, once), same| (distinct + 1, once + usize::from(same.len() == 1)));
    if hashes.len() == all {
        return distinct as f64;
    }
    let (size, share) = (hashes.len() as f64, hashes.len() as f64 / all as f64);
    distinct as f64 / (1.0 - (1.0 - share) * once as f64 / size)
}
