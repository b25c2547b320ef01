//! The fact base in memory: for tests, for `--store :memory:`, and for reading where there is no other.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use super::{Base, BaseError, Batch, Pair};

/// A base that is gone with the process.
#[derive(Debug, Default)]
pub struct MemoryBase(RwLock<BTreeMap<Vec<u8>, Vec<u8>>>);

impl MemoryBase {
    fn map(&self) -> RwLockReadGuard<'_, BTreeMap<Vec<u8>, Vec<u8>>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }
}

fn owned((key, value): (&Vec<u8>, &Vec<u8>)) -> Pair {
    (key.clone(), value.clone())
}

impl Base for MemoryBase {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, BaseError> {
        Ok(self.map().get(key).cloned())
    }

    fn floor(&self, key: &[u8]) -> Result<Option<Pair>, BaseError> {
        let below = (Bound::Unbounded, Bound::Included(key));
        Ok(self.map().range::<[u8], _>(below).next_back().map(owned))
    }

    fn above(&self, key: &[u8]) -> Result<Option<Pair>, BaseError> {
        let above = (Bound::Excluded(key), Bound::Unbounded);
        Ok(self.map().range::<[u8], _>(above).next().map(owned))
    }

    fn apply(&self, batch: Batch) -> Result<(), BaseError> {
        let mut map = self.0.write().unwrap_or_else(PoisonError::into_inner);
        for (key, value) in batch {
            match value {
                Some(value) => map.insert(key, value),
                None => map.remove(&key),
            };
        }
        Ok(())
    }

    fn size(&self) -> Result<u64, BaseError> {
        Ok(0)
    }

    fn close(&mut self) -> Result<(), BaseError> {
        Ok(())
    }
}
