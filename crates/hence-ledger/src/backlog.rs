//! What the base doesn't hold yet: entries that lie over it, and keys that it holds no longer.

use std::collections::{BTreeMap, btree_map};
use std::iter::Peekable;
use std::ops::Bound;
use std::sync::Arc;

/// Values by key; nothing where the key is removed.
pub(crate) type Layer = BTreeMap<Vec<u8>, Option<Vec<u8>>>;

/// How far the next key may lie from the last one to be looked for entry by entry.
const NEAR: usize = 8;

/// Two layers over a base: what changes now, and under it what is being written.
#[derive(Default)]
pub(crate) struct Backlog {
    young: Layer,
    bytes: usize,
    /// What is being written to the base on another thread, with its bytes.
    old: Option<(Arc<Layer>, usize)>,
}

impl Backlog {
    /// Roughly the bytes that wait, without those that are being written.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn change(&mut self, key: Vec<u8>, value: Option<Vec<u8>>) {
        self.bytes += 64 + key.len() + value.as_ref().map_or(0, Vec::len);
        self.young.insert(key, value);
    }

    /// What lies over the base under `key`.
    pub(crate) fn get(&self, key: &[u8]) -> Option<&Option<Vec<u8>>> {
        self.young.get(key).or_else(|| self.old.as_ref()?.0.get(key))
    }

    /// What waits, and nothing that is being written.
    pub(crate) fn young(&self) -> &Layer {
        &self.young
    }

    pub(crate) fn clear_young(&mut self) {
        self.young.clear();
        self.bytes = 0;
    }

    /// Has everything that waits be what is being written. Nothing else may be.
    pub(crate) fn freeze(&mut self) -> Arc<Layer> {
        let layer = Arc::new(std::mem::take(&mut self.young));
        self.old = Some((Arc::clone(&layer), std::mem::take(&mut self.bytes)));
        layer
    }

    /// The base holds what was being written, which is given back.
    pub(crate) fn melt(&mut self) -> Option<Arc<Layer>> {
        self.old.take().map(|(layer, _)| layer)
    }

    /// The base doesn't hold what was being written, so that it waits again, under what changed since.
    pub(crate) fn take_back(&mut self) {
        let Some((layer, bytes)) = self.old.take() else { return };
        let mut all = Arc::unwrap_or_clone(layer);
        all.append(&mut self.young);
        (self.young, self.bytes) = (all, self.bytes + bytes);
    }

    /// Whether something is being written.
    pub(crate) fn is_written(&self) -> bool {
        self.old.is_some()
    }

    /// The entries in a range, ascending; nothing where it ends before it begins.
    pub(crate) fn range(&self, start: &[u8], end: Bound<&[u8]>) -> Entries<'_> {
        let ends_before = match end {
            Bound::Included(end) | Bound::Excluded(end) => end <= start,
            Bound::Unbounded => false,
        };
        let of = |layer| Layer::range::<[u8], _>(layer, (Bound::Included(start), end)).peekable();
        let old = self.old.as_ref().filter(|_| !ends_before);
        Entries { young: (!ends_before).then(|| of(&self.young)), old: old.map(|(layer, _)| of(layer)) }
    }
}

type Range<'a> = Peekable<btree_map::Range<'a, Vec<u8>, Option<Vec<u8>>>>;

/// Entries of a [`Backlog`], ascending; of two with one key, the young one.
pub(crate) struct Entries<'a> {
    young: Option<Range<'a>>,
    old: Option<Range<'a>>,
}

impl<'a> Entries<'a> {
    pub(crate) fn peek(&mut self) -> Option<(&'a Vec<u8>, &'a Option<Vec<u8>>)> {
        let young = self.young.as_mut().and_then(|range| range.peek().copied());
        let old = self.old.as_mut().and_then(|range| range.peek().copied());
        match (young, old) {
            (Some(young), Some(old)) => Some(if young.0 <= old.0 { young } else { old }),
            (young, old) => young.or(old),
        }
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = (&'a Vec<u8>, &'a Option<Vec<u8>>);

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.peek()?;
        for range in [&mut self.young, &mut self.old].into_iter().flatten() {
            range.next_if(|(key, _)| *key == next.0);
        }
        Some(next)
    }
}

/// Looks keys up that mostly ascend, remembering the place of the last one.
#[derive(Default)]
pub(crate) struct Cursor<'a> {
    /// The entries from about the last key that was asked for.
    waiting: Option<Entries<'a>>,
    asked: Vec<u8>,
}

impl<'a> Cursor<'a> {
    /// What `backlog`, the same at each call, holds under `key`.
    pub(crate) fn find(&mut self, backlog: &'a Backlog, key: &[u8]) -> Option<&'a Option<Vec<u8>>> {
        let ascends = self.asked.as_slice() <= key;
        self.asked.clear();
        self.asked.extend_from_slice(key);
        if let Some(waiting) = self.waiting.as_mut().filter(|_| ascends) {
            for _ in 0..NEAR {
                match waiting.peek() {
                    Some((next, _)) if next.as_slice() < key => waiting.next(),
                    Some((next, value)) => return (next.as_slice() == key).then_some(value),
                    None => return None,
                };
            }
        }
        let waiting = self.waiting.insert(backlog.range(key, Bound::Unbounded));
        waiting.peek().filter(|(next, _)| next.as_slice() == key).map(|(_, value)| value)
    }
}
