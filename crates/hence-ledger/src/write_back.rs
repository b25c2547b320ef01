//! Writing the backlog to the base: merged into its blocks, at once or on a thread of its own.

use std::iter::Peekable;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use hence_core::threads;

use super::backlog::Layer;
use super::base::{Base, BaseError, Batch, Pair};
use super::block;
use super::journal::End;
use super::state;
use super::view::{Around, around, block_key};

/// Most bytes and batches that are handed to the base at once.
const MOST_BYTES: usize = 128 << 10;
const MOST_BATCHES: usize = 300;
/// The same beside somebody who reads the base: each of their reads may wait for as long as that takes.
const PACED_BYTES: usize = 32 << 10;
/// How many bytes of changes are merged into one block at a time.
const STEP_BYTES: usize = 48 << 10;

/// How a thread of its own writes: evenly over a time, so that whoever reads the base meanwhile waits little.
pub(super) struct Pace {
    begun: Instant,
    lasts: Duration,
    /// How many entries there are.
    entries: usize,
    /// Whether somebody waits for the end.
    hurried: Arc<AtomicBool>,
}

impl Pace {
    /// Waits until it is time for more, where so many entries are written.
    fn wait(&self, written: usize) {
        let part = written as f64 / self.entries.max(1) as f64;
        let due = self.lasts.mul_f64(part.min(1.0));
        if !self.hurried.load(Ordering::Relaxed) {
            thread::sleep(due.saturating_sub(self.begun.elapsed()));
        }
    }
}

/// A write of the backlog on a thread of its own, which ends before this is gone.
pub(super) struct Behind {
    /// The last transaction that the base holds once it ends well.
    last: End,
    /// Whether somebody waits for it.
    hurried: Arc<AtomicBool>,
    thread: Option<JoinHandle<Result<(), BaseError>>>,
}

impl Behind {
    /// Begins to write `layer`, of transactions up to `last`, over about such a time, then `end`.
    ///
    /// # Errors
    /// There is no room for a thread.
    pub(super) fn begin(
        base: Arc<dyn Base>,
        layer: Arc<Layer>,
        (last, end): (End, Batch),
        lasts: Duration,
    ) -> Result<Self, BaseError> {
        let hurried = Arc::<AtomicBool>::default();
        let hurries = Arc::clone(&hurried);
        let pace = Pace { begun: Instant::now(), lasts, entries: layer.len(), hurried: hurries };
        let work = move || {
            base.apply(state::ahead(last))?;
            write(base.as_ref(), layer_changes(&layer), Some(&pace))?;
            base.apply(end)
        };
        let thread = threads::begin("base writer", work);
        let thread = thread.map_err(|error| BaseError::Medium(error.to_string()))?;
        Ok(Self { last, hurried, thread: Some(thread) })
    }

    /// Whether waiting for it takes no time.
    pub(super) fn is_over(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Waits for its end; the last transaction that the base holds then.
    pub(super) fn wait(mut self) -> Result<End, BaseError> {
        self.hurried.store(true, Ordering::Relaxed);
        let ended = self.thread.take().map_or(Ok(Ok(())), JoinHandle::join);
        ended.unwrap_or_else(|_| Err(BaseError::damaged("writing to it failed")))?;
        Ok(self.last)
    }
}

impl Drop for Behind {
    fn drop(&mut self) {
        self.hurried.store(true, Ordering::Relaxed);
        // Whoever opens the base next is to find nobody writing.
        self.thread.take().map(JoinHandle::join);
    }
}

/// The changes of a layer.
pub(super) fn layer_changes(layer: &Layer) -> Box<Ascending<'_>> {
    Box::new(layer.iter().map(|(key, value)| (key.clone(), value.clone())))
}

/// Changes to a base, in the order of their keys.
pub(super) type Ascending<'a> = dyn Iterator<Item = (Vec<u8>, Option<Vec<u8>>)> + 'a;
type Changes<'a> = Peekable<Box<Ascending<'a>>>;

/// Merges changes into the blocks of a base, at a pace where there is one.
pub(super) fn write(
    base: &dyn Base,
    changes: Box<Ascending<'_>>,
    pace: Option<&Pace>,
) -> Result<(), BaseError> {
    let mut changes = changes.peekable();
    let mut writer = Writer { base, batches: Vec::new(), bytes: 0, pace, written: 0 };
    while let Some(first) = changes.peek().map(|(key, _)| block_key(key)) {
        writer.merge(&first, &mut changes)?;
    }
    writer.write()
}

/// A write of the backlog under way.
struct Writer<'a> {
    base: &'a dyn Base,
    batches: Vec<Batch>,
    bytes: usize,
    pace: Option<&'a Pace>,
    /// How many entries are merged.
    written: usize,
}

impl Writer<'_> {
    /// Merges the changes that fall into the block of `first` into it, in one batch.
    fn merge(&mut self, first: &[u8], changes: &mut Changes<'_>) -> Result<(), BaseError> {
        let Around { held: old, limit } = around(self.base, first)?;
        let inside = |key: &[u8]| limit.as_deref().is_none_or(|limit| key < limit);
        let mut taken: Batch = Vec::new();
        let mut bytes = 0;
        while let Some(change) = changes.next_if(|(key, _)| bytes < STEP_BYTES && inside(key)) {
            bytes += change.0.len() + change.1.as_ref().map_or(0, Vec::len) + 4;
            taken.push(change);
        }
        self.written += taken.len();
        let entries = match &old {
            Some((_, block)) => block::decode(block)?,
            None => Vec::new(),
        };
        let blocks = block::encode(&merged(entries, taken));
        let replaced = old
            .map(|(key, _)| key)
            .filter(|key| blocks.first().is_none_or(|(first, _)| block_key(first) != *key));
        let all = replaced.map(|key| (key, None)).into_iter();
        self.add(all.chain(blocks.into_iter().map(|(key, block)| (block_key(&key), Some(block)))).collect())?;
        if changes.peek().is_some_and(|(key, _)| inside(key)) { self.write() } else { Ok(()) }
    }

    fn add(&mut self, batch: Batch) -> Result<(), BaseError> {
        let bytes: usize =
            batch.iter().map(|(key, value)| key.len() + value.as_ref().map_or(0, Vec::len)).sum();
        let most = if self.pace.is_some() { PACED_BYTES } else { MOST_BYTES };
        if self.bytes + bytes > most || self.batches.len() >= MOST_BATCHES {
            self.write()?;
        }
        self.bytes += bytes;
        self.batches.push(batch);
        Ok(())
    }

    fn write(&mut self) -> Result<(), BaseError> {
        self.bytes = 0;
        if self.batches.is_empty() {
            return Ok(());
        }
        self.base.apply_each(std::mem::take(&mut self.batches))?;
        if let Some(pace) = self.pace {
            pace.wait(self.written);
        }
        Ok(())
    }
}

/// Entries with changes made to them; both ascend.
fn merged(entries: Vec<Pair>, changes: Batch) -> Vec<Pair> {
    let mut out = Vec::with_capacity(entries.len() + changes.len());
    let mut entries = entries.into_iter().peekable();
    for (key, value) in changes {
        while let Some(entry) = entries.next_if(|(old, _)| *old < key) {
            out.push(entry);
        }
        entries.next_if(|(old, _)| *old == key);
        out.extend(value.map(|value| (key, value)));
    }
    out.extend(entries);
    out
}
