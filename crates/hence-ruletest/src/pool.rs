//! Tests side by side: each worker takes the next one, results stand in the order of the files.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use hence_core::fault::{self, OrBroken};

use super::judge;
use super::report::{FileReport, SuiteReport, TestReport, TestVerdict};
use super::suite::{Selection, Suite, TestFile};

/// Runs the tests selected.
pub(super) fn run(suite: &Suite, selection: &Selection) -> SuiteReport {
    let start = Instant::now();
    let work: Vec<(usize, &TestFile, usize)> = suite
        .files
        .iter()
        .enumerate()
        .flat_map(|(at, file)| file.tests.iter().map(move |test| (at, file, *test)))
        .filter(|(_, file, test)| selection.takes(&file.name, file.test(*test).name))
        .collect();
    let task = |at: usize| {
        if selection.until.is_some_and(|until| until <= Instant::now()) {
            return None;
        }
        let (_, file, test) = work.get(at).or_broken("there is a task for each test");
        Some(judge::test(file, *test))
    };
    let results = ordered(work.len(), selection, task);
    let mut files: Vec<FileReport> =
        suite.files.iter().map(|file| FileReport { name: file.name.clone(), tests: Vec::new() }).collect();
    for ((at, ..), result) in work.iter().zip(results) {
        let file = files.get_mut(*at).or_broken("each file has its report");
        file.tests.extend(result);
    }
    files.retain(|file| !file.tests.is_empty());
    SuiteReport { files, elapsed: start.elapsed() }
}

/// The results of `count` tasks in their order. With `fail_fast` everything after the first one that didn't pass
/// is left out, whoever was faster.
pub(super) fn ordered(
    count: usize,
    selection: &Selection,
    task: impl Fn(usize) -> Option<TestReport> + Sync,
) -> Vec<Option<TestReport>> {
    let stop = AtomicUsize::new(usize::MAX);
    let mut results = side_by_side(count, selection.jobs, |at| {
        if at > stop.load(Ordering::SeqCst) {
            return None;
        }
        let result = task(at);
        let failed = result.as_ref().is_some_and(|test| !matches!(test.verdict, TestVerdict::Passed));
        if selection.fail_fast && failed {
            stop.fetch_min(at, Ordering::SeqCst);
        }
        result
    });
    let stop = stop.load(Ordering::SeqCst);
    results.iter_mut().skip(stop.saturating_add(1)).for_each(|result| *result = None);
    results
}

/// `task` of each number below `count`, several at the same time (0: one a processor), in order.
pub(super) fn side_by_side<T: Send>(
    count: usize,
    jobs: usize,
    task: impl Fn(usize) -> Option<T> + Sync,
) -> Vec<Option<T>> {
    let jobs = if jobs > 0 { jobs } else { thread::available_parallelism().map_or(1, usize::from) };
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::SeqCst);
            if at >= count {
                return done;
            }
            done.push((at, task(at)));
        }
    };
    let mut results: Vec<(usize, Option<T>)> = thread::scope(|scope| {
        // Where there can be no more threads, fewer do it.
        let spawn = |_| thread::Builder::new().spawn_scoped(scope, worker).ok();
        let helpers: Vec<_> = (1..jobs.min(count.max(1))).map_while(spawn).collect();
        let own = worker();
        let others = helpers.into_iter().flat_map(|helper| fault::joined(helper.join()));
        own.into_iter().chain(others).collect()
    });
    results.sort_unstable_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}
