//! Why workers ended before they were told to.

use hence_core::meter::Bound;
use serde::{Deserialize, Serialize};

/// Why a process can't do its share.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, thiserror::Error)]
#[error("{why}")]
pub struct Unable {
    /// In words.
    pub why: String,
    /// Whether a limit was reached.
    pub is_limit: bool,
}

/// Why workers ended before they were told to.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// They could not reach one another.
    #[error("the workers can't be started: {0}")]
    Start(String),
    /// They were told to end before they had reached one another.
    #[error("nobody waits for the other processes any more")]
    GivenUp,
    /// This process can't do its share.
    #[error("{0}")]
    Own(Unable),
    /// Another process can't do its share.
    #[error("process {number} (`{host}`): {why}")]
    Other {
        /// Its number, from 1.
        number: usize,
        /// Its address.
        host: String,
        /// What it says.
        why: Unable,
    },
    /// A process reached the largest memory that it may have.
    #[error("{bound} was reached by process {number} (`{host}`)")]
    Memory {
        /// Its number, from 1.
        number: usize,
        /// Its address.
        host: String,
        /// The limit.
        bound: Bound,
    },
    /// One of them ended.
    #[error("a worker was lost: {0}")]
    Lost(String),
}
