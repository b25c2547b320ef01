//! Helpers that spread independent work over threads.

use crate::limits::Threads;
use crate::storage::index::Index;
use crate::storage::stable::IndexUpdate;
use hence_core::fault::{self};
use std::cmp::Reverse;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// From how many rows on work is worth another thread.
const MANY_ROWS: u32 = 1 << 13;

/// Extends indexes, on several threads where there is much to take in: the longest first, so that none is left to one thread in
/// the end.
pub(crate) fn extend_all(mut due: Vec<IndexUpdate<'_>>, threads: Threads) {
    due.sort_by_key(|due| Reverse(due.work()));
    some(due, threads.most, IndexUpdate::rows, IndexUpdate::extend);
}

/// Sorts indexes, on several threads where they are large.
pub(crate) fn sort_all(unsorted: Vec<&mut Index>, threads: Threads) {
    some(unsorted, threads.most, |index| index.rows(), Index::sort);
}

/// Does something with each item, on several threads where several items have many rows.
pub(crate) fn some<T: Send>(
    items: Vec<T>,
    threads: usize,
    rows: impl Fn(&T) -> u32,
    work: impl Fn(T) + Sync,
) {
    let large = items.iter().filter(|item| rows(item) >= MANY_ROWS).count();
    match large.min(threads) {
        0 | 1 => items.into_iter().for_each(work),
        helpers => each(items.into_iter(), helpers, work),
    }
}

/// Does something with each item, on so many threads.
pub(crate) fn each<T: Send>(items: impl Iterator<Item = T> + Send, threads: usize, work: impl Fn(T) + Sync) {
    let queue = Mutex::new(items);
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let all = || std::iter::from_fn(next).for_each(&work);
    thread::scope(|scope| {
        // Where the system gives no more threads, fewer do.
        let spawn = |_| thread::Builder::new().spawn_scoped(scope, all).ok();
        let helpers: Vec<_> = (1..threads).map_while(spawn).collect();
        all();
        helpers.into_iter().for_each(|helper| fault::joined(helper.join()));
    });
}
