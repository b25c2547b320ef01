//! The fact base: an ordered map of small keys and values behind a trait, in memory or in sled.

mod memory;
#[cfg(feature = "sled")]
mod scratch;
#[cfg(feature = "sled")]
mod sled;
pub(super) mod table;
#[cfg(feature = "sled")]
mod watched;

use std::path::Path;

pub use memory::MemoryBase;
#[cfg(feature = "sled")]
use sled::SledBase;

/// Whether a base outlives the process. Without the feature `sled`, each opening builds it in memory from the journal.
pub(super) const KEPT: bool = cfg!(feature = "sled");

/// The base in `dir`, which is made where there is none.
///
/// # Errors
/// If the files are damaged or can't be read.
#[cfg(feature = "sled")]
pub(super) fn open(dir: &Path) -> Result<Box<dyn Base>, BaseError> {
    Ok(Box::new(SledBase::open(dir)?))
}

#[cfg(not(feature = "sled"))]
pub(super) fn open(_: &Path) -> Result<Box<dyn Base>, BaseError> {
    Ok(Box::new(MemoryBase::default()))
}

/// A copy of the base in `dir`; `None` where there is none that can be used. `is_still` says, once the copy is made,
/// whether the files stayed as they were meanwhile.
///
/// # Errors
/// If the files are damaged or can't be read.
#[cfg(feature = "sled")]
pub(super) fn copy_of(
    dir: &Path,
    is_still: impl FnOnce() -> bool,
) -> Result<Option<Box<dyn Base>>, BaseError> {
    Ok(SledBase::copy_of(dir, is_still)?.map(|base| Box::new(base) as Box<dyn Base>))
}

#[cfg(not(feature = "sled"))]
pub(super) fn copy_of(_: &Path, _: impl FnOnce() -> bool) -> Result<Option<Box<dyn Base>>, BaseError> {
    Ok(None)
}

/// The longest value that a base takes.
pub(crate) const VALUE_LIMIT: usize = 4096;

/// Why a base couldn't be read or written; the journal can always replace it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BaseError {
    /// It isn't what was written: a new one helps.
    #[error("{0}")]
    Damaged(String),
    /// Its medium fails, as a full disk does: a new one would fare no better.
    #[error("{0}")]
    Medium(String),
}

impl BaseError {
    pub(super) fn damaged(what: &str) -> Self {
        Self::Damaged(what.to_owned())
    }
}

/// A key and its value.
pub type Pair = (Vec<u8>, Vec<u8>);

/// Values to put, and keys to remove where there is none.
pub type Batch = Vec<(Vec<u8>, Option<Vec<u8>>)>;

/// An ordered map from byte strings to byte strings that survives the process, though perhaps not a power cut.
pub trait Base: Send + Sync {
    /// The value of a key.
    ///
    /// # Errors
    /// If the base is damaged or its medium fails.
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, BaseError>;

    /// The greatest pair with a key of at most `key`.
    ///
    /// # Errors
    /// If the base is damaged or its medium fails.
    fn floor(&self, key: &[u8]) -> Result<Option<Pair>, BaseError>;

    /// The smallest pair with a key greater than `key`.
    ///
    /// # Errors
    /// If the base is damaged or its medium fails.
    fn above(&self, key: &[u8]) -> Result<Option<Pair>, BaseError>;

    /// Makes all changes of the batch or none; batches become durable in the order in which they were made.
    ///
    /// # Errors
    /// If the base is damaged or its medium fails.
    fn apply(&self, batch: Batch) -> Result<(), BaseError>;

    /// Applies batches in their order. Reads wait for each of them and not for all, and for none of a single change.
    ///
    /// # Errors
    /// If the base is damaged or its medium fails.
    fn apply_each(&self, batches: Vec<Batch>) -> Result<(), BaseError> {
        batches.into_iter().try_for_each(|batch| self.apply(batch))
    }

    /// Whether it has refused to be read since its medium failed; one that is opened again may not.
    fn is_unreadable(&self) -> bool {
        false
    }

    /// Bytes on the medium; 0 in memory.
    ///
    /// # Errors
    /// If the medium fails.
    fn size(&self) -> Result<u64, BaseError>;

    /// Ends all work and makes the content as durable as the medium allows.
    ///
    /// # Errors
    /// If the base is damaged or its medium fails.
    fn close(&mut self) -> Result<(), BaseError>;
}
