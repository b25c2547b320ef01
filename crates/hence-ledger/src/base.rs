//! The fact base: an ordered map of small keys and values behind a trait, in memory or in sled.

mod memory;
mod scratch;
mod sled;
mod watched;

use std::io;

pub use memory::MemoryBase;
pub use sled::SledBase;

/// The longest key that a base takes.
pub const KEY_LIMIT: usize = 256;
/// The longest value that a base takes.
pub const VALUE_LIMIT: usize = 4096;

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

    /// What the system said tells a medium that fails from files that are other than they should be.
    pub(super) fn of(error: &io::Error, text: String) -> Self {
        if error.kind() != io::ErrorKind::NotFound && error.raw_os_error().is_some() {
            Self::Medium(text)
        } else {
            Self::of_text(text)
        }
    }

    /// The same where only the text of an error is left.
    pub(super) fn of_text(text: String) -> Self {
        let of_system = text.contains("(os error ") || text.contains("Os { code: ");
        let missing = text.contains("(os error 2)") || text.contains("Os { code: 2,");
        if of_system && !missing { Self::Medium(text) } else { Self::Damaged(text) }
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
