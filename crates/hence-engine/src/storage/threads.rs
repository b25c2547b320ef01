//! Helpers that spread independent work over threads.

use crate::limits::Threads;
use crate::storage::stable::IndexUpdate;
use hence_core::fault::{self};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// From how many new rows on indexes are extended by several threads.
const MANY_ROWS: u32 = 1 << 13;

/// Extends indexes, on several threads where there is much to take in.
pub(crate) fn extend_all(due: Vec<IndexUpdate<'_>>, threads: Threads) {
    let helpers = due.iter().filter(|due| due.rows() >= MANY_ROWS).count().min(threads.most);
    if helpers < 2 {
        return due.into_iter().for_each(IndexUpdate::extend);
    }
    each(due.into_iter(), helpers, IndexUpdate::extend);
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
