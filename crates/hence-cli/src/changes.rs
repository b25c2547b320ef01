//! Waiting for changes in folders: several that come together count as one.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use hence_core::threads;
use notify::event::{AccessKind, AccessMode};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// Changes that follow one another this closely are one.
const QUIET: Duration = Duration::from_millis(200);
/// The longest time that changes are gathered for.
const LONGEST: Duration = Duration::from_secs(2);
/// How often to look whether somebody interrupts.
const PAUSE: Duration = Duration::from_millis(100);
/// So many folders are watched at most.
const MOST: usize = 20_000;

/// Folders that are watched.
pub(super) struct Watch {
    watcher: RecommendedWatcher,
    changes: Receiver<()>,
    watched: BTreeSet<PathBuf>,
    /// Whether somebody interrupts.
    stop: Arc<AtomicBool>,
}

impl Watch {
    /// Nothing is watched yet.
    pub(super) fn new() -> io::Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            flag::register_conditional_default(signal, Arc::clone(&stop))?;
            flag::register(signal, Arc::clone(&stop))?;
        }
        // It has a thread, without which it says nothing.
        threads::check(1)?;
        let (send, changes) = sync_channel(1);
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            if event.is_ok_and(|event| !is_reading(event.kind)) {
                // One that waits already says the same.
                let _ = send.try_send(());
            }
        });
        Ok(Self { watcher: watcher.map_err(io::Error::other)?, changes, watched: BTreeSet::new(), stop })
    }

    /// Watches these folders but for those below `except`; of those watched before only these go on being watched.
    pub(super) fn follow(&mut self, folders: Vec<PathBuf>, except: Option<&Path>) -> io::Result<()> {
        let apart = |folder: &PathBuf| except.is_none_or(|except| !folder.starts_with(except));
        let wanted: BTreeSet<PathBuf> = folders.into_iter().filter(apart).collect();
        if wanted.len() > MOST {
            return Err(io::Error::other(format!("{} folders; at most {MOST} are watched", wanted.len())));
        }
        for gone in self.watched.difference(&wanted) {
            // The system no longer watches what was deleted.
            let _ = self.watcher.unwatch(gone);
        }
        for new in wanted.difference(&self.watched) {
            match self.watcher.watch(new, RecursiveMode::NonRecursive) {
                // It was deleted meanwhile, which its folder tells.
                Err(error) if matches!(error.kind, notify::ErrorKind::PathNotFound) => {}
                watched => watched.map_err(io::Error::other)?,
            }
        }
        self.watched = wanted;
        Ok(())
    }

    /// Waits until something changes and is quiet again, or changes for a while; `false` where somebody interrupts.
    pub(super) fn wait(&self) -> bool {
        loop {
            match self.changes.recv_timeout(PAUSE) {
                _ if self.stop.load(Ordering::Relaxed) => return false,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return false,
                Ok(()) => break,
            }
        }
        let end = Instant::now() + LONGEST;
        while Instant::now() < end && self.changes.recv_timeout(QUIET).is_ok() {}
        !self.stop.load(Ordering::Relaxed)
    }
}

/// Whether somebody only read: what looks at files itself does, too.
fn is_reading(kind: EventKind) -> bool {
    matches!(kind, EventKind::Access(access) if access != AccessKind::Close(AccessMode::Write))
}
