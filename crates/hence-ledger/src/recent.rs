//! Blocks of the base that were read, kept so that looking for a key near them asks the base nothing: a read of sled copies
//! the block, and waits for whoever applies a batch.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::backlog::Layer;
use super::base::{Base, BaseError};
use super::block;
use super::bytes::after;
use super::view::{Around, around, block_key};

/// How many blocks are kept at most, of up to 4 KiB each.
const MOST: usize = 2048;

/// A block whose checksum is right, and the keys that could be in it: from the one under which it is kept to `limit`.
struct Known {
    limit: Option<Vec<u8>>,
    block: Vec<u8>,
}

/// The blocks by their first keys.
#[derive(Default)]
pub(super) struct RecentBlocks(Mutex<BTreeMap<Vec<u8>, Known>>);

impl RecentBlocks {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<Vec<u8>, Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The value of `key` in a base.
    pub(super) fn find(&self, base: &dyn Base, key: &[u8]) -> Result<Option<Vec<u8>>, BaseError> {
        let mut blocks = self.lock();
        let at_or_before = (Bound::Unbounded, Bound::Included(key));
        let near = blocks.range::<[u8], _>(at_or_before).next_back();
        if let Some((_, known)) = near.filter(|(_, known)| is_below(key, known.limit.as_deref())) {
            return Ok(block::find_checked(&known.block, key)?);
        }
        let Around { held, limit } = around(base, &block_key(key))?;
        let Some((first, block)) = held else { return Ok(None) };
        let found = block::find(&block, key)?;
        if blocks.len() >= MOST {
            blocks.clear();
        }
        blocks.insert(after(&first, 1).to_vec(), Known { limit, block });
        Ok(found)
    }

    /// Forgets all blocks.
    pub(super) fn clear(&mut self) {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Forgets the blocks into which entries of `written` were merged.
    pub(super) fn forget(&mut self, written: &Layer) {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner).retain(|first, known| {
            let from = written.range::<[u8], _>((Bound::Included(first.as_slice()), Bound::Unbounded)).next();
            from.is_none_or(|(key, _)| !is_below(key, known.limit.as_deref()))
        });
    }
}

fn is_below(key: &[u8], limit: Option<&[u8]>) -> bool {
    limit.is_none_or(|limit| key < limit)
}
