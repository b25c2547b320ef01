//! What can go wrong between the world and the facts.

use std::io;

use thiserror::Error;

use hence_core::file::said;
use hence_core::meter::Stopped;

/// What a sink refuses a fact with.
pub type SinkError = Box<dyn std::error::Error + Send + Sync>;

/// A failure of an observer. Nothing of the input it belongs to is to be asserted.
#[derive(Debug, Error)]
pub enum ActuatorError {
    /// The input can't be opened or read.
    #[error("can't read `{input}`: {}", said(source))]
    Read {
        /// Its name.
        input: String,
        /// What the system says.
        source: io::Error,
    },
    /// A line of the input isn't what the observer reads.
    #[error("{input}:{line}: expected {expected}, found {found}")]
    Line {
        /// The input's name.
        input: String,
        /// The line, from 1.
        line: u64,
        /// What was expected there.
        expected: String,
        /// What was found there.
        found: String,
    },
    /// The input has a form that the observer doesn't read.
    #[error("unknown form `{form}` of `{observer}`; expected {known}")]
    Form {
        /// The observer's name.
        observer: &'static str,
        /// The form asked for.
        form: &'static str,
        /// The forms it reads.
        known: String,
    },
    /// The input is a folder, and the observer reads texts.
    #[error("`{observer}` reads files, and `{input}` is a folder; name files in it")]
    Folder {
        /// The observer's name.
        observer: &'static str,
        /// The folder.
        input: String,
    },
    /// The observer looks at folders, and the input is none.
    #[error("`{observer}` reads a folder, and `{input}` is not a folder")]
    NoFolder {
        /// The observer's name.
        observer: &'static str,
        /// The input's name.
        input: String,
    },
    /// The input is not one that the observer can watch.
    #[error(
        "`{observer}` does not watch `{input}`; `codebase` and `git` watch folders, others follow one file with --follow"
    )]
    Unwatched {
        /// The observer's name.
        observer: &'static str,
        /// The input's name.
        input: String,
    },
    /// A table of patterns is faulty.
    #[error("{table}:{line}: expected {expected}, found {found}")]
    Table {
        /// The table's name.
        table: String,
        /// The line, from 1; 0 where the fault belongs to the table as a whole.
        line: u64,
        /// What was expected there.
        expected: String,
        /// What was found there.
        found: String,
    },
    /// There is no observer of that name.
    #[error("unknown observer `{name}`{}; the observers are {known}", .nearest.as_ref().map(|n| format!(" (did you mean `{n}`?)")).unwrap_or_default())]
    UnknownObserver {
        /// The name asked for.
        name: String,
        /// The nearest name, if one is near.
        nearest: Option<String>,
        /// All names.
        known: String,
    },
    /// The observer belongs to a feature.
    #[error(
        "the observer `{name}` needs the feature `{feature}`, without which this hence was built; \
         build one with it: `cargo build --release --features {feature}`"
    )]
    NotBuilt {
        /// The name asked for.
        name: String,
        /// The feature.
        feature: &'static str,
    },
    /// Looking reached a limit.
    #[error(transparent)]
    Limit(#[from] Stopped),
    /// The owner of the facts refused one.
    #[error(transparent)]
    Sink(#[from] SinkError),
}
