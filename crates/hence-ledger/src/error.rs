//! What can go wrong with a ledger, and what to report after opening one.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use hence_core::meter::Stopped;

use super::bytes::Malformed;
use super::hash::Hash;

/// Why the ledger couldn't do what was asked. Nothing that was acknowledged is lost by any of these.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// Another process holds the ledger.
    #[error("the ledger is in use by process {process} ({command})")]
    InUse {
        /// The number of the process, `?` where it couldn't be read.
        process: String,
        /// The command that it runs.
        command: String,
    },
    /// There is no ledger to read.
    #[error("there is no ledger at `{}`: `hence decide` and `hence assert` create one", .0.display())]
    Missing(PathBuf),
    /// The folder for a copy is not empty.
    #[error("`{}` is not a new or empty folder", .0.display())]
    Occupied(PathBuf),
    /// The ledger was written by something else.
    #[error("{}: unsupported ledger format `{found}`, expected `{known}`: use the version of hence that \
        wrote it", .path.display())]
    Format {
        /// The file that says so.
        path: PathBuf,
        /// What it says.
        found: String,
        /// What was expected.
        known: &'static str,
    },
    /// A ledger that holds something doesn't say in which format.
    #[error("{} is missing or empty, but the journal is not: restore the file, or, if no newer version of \
        hence wrote this ledger, write the line `{known}` into it", .path.display())]
    NoFormat {
        /// The file that should say so.
        path: PathBuf,
        /// What this program knows.
        known: &'static str,
    },
    /// The journal isn't the one that the lock names.
    #[error("{}: {what}: restore the journal that belongs to it, or, if the journal is intended, remove \
        this file, which checks the journal against the fact base", .path.display())]
    NotAsLeft {
        /// The file of the lock.
        path: PathBuf,
        /// What differs.
        what: String,
    },
    /// Who proposes a transaction may not, or can't sign it.
    #[error("{what}")]
    Principal {
        /// Why.
        what: String,
    },
    /// There is nothing to salvage, or no need to.
    #[error("nothing was salvaged: {0}")]
    Unsalvaged(String),
    /// A file operation failed.
    #[error("can't {action} `{}`: {source}", .path.display())]
    Io {
        /// What was tried, as a verb.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The journal doesn't hold what was written to it.
    #[error(
        "{}: damaged at byte {offset}, in transaction {transaction}: {what}; {}restore the file from a copy, \
        or, without a copy, `hence rebuild --from-base` salvages what the fact base holds",
        .path.display(), readable(*.transaction)
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The byte where the damaged record begins.
        offset: u64,
        /// The transaction that it belongs to, as far as the records before it show.
        transaction: u64,
        /// What is wrong.
        what: String,
    },
    /// The fact base can't be read.
    #[error("the fact base is damaged ({0}): the journal holds everything, `hence rebuild` recreates it")]
    Base(String),
    /// The medium of the fact base fails.
    #[error(
        "the fact base couldn't be read or written ({0}): what is recorded is in the journal; fix that, then \
        try again"
    )]
    Medium(String),
    /// The ledger was opened for reading.
    #[error("the ledger is open for reading only")]
    ReadOnly,
    /// An earlier write failed, so nobody knows what the medium holds.
    #[error(
        "the ledger accepts no more writes in this process, since one failed ({0}): check the disk, then \
        start again"
    )]
    Stopped(String),
    /// Somebody else wrote in between.
    #[error("expected the last transaction {expected}, found {actual}: read again, then write")]
    Expected {
        /// What the caller had read.
        expected: u64,
        /// What is there.
        actual: u64,
    },
    /// A transaction that isn't there.
    #[error("unknown transaction {asked}: {}", last_one(*.last))]
    NoTransaction {
        /// The number asked for.
        asked: u64,
        /// The last one.
        last: u64,
    },
    /// A transaction that a snapshot replaces.
    #[error(
        "transaction {asked} is archived: transactions 1 to {last} belong in {}; {}",
        .path.display(),
        way_to(*.asked, *.there)
    )]
    Archived {
        /// The number asked for.
        asked: u64,
        /// The last one that is archived.
        last: u64,
        /// The folder.
        path: PathBuf,
        /// Whether the folder is in its place, with all that belongs in it.
        there: bool,
    },
    /// Reading it reached a limit.
    #[error(transparent)]
    Limit(#[from] Stopped),
    /// More than one record can hold.
    #[error("{what} is larger than {limit} bytes")]
    TooLarge {
        /// What it is.
        what: &'static str,
        /// The most that is taken.
        limit: u64,
    },
    /// What must not be recorded, and can't be replaced.
    #[error(
        "{what} matches a pattern of `[redact]` and can't be replaced: leave it out, or narrow the pattern"
    )]
    Unredacted {
        /// What it is.
        what: String,
    },
    /// Facts that don't fit the columns that the ledger records for their relation, or columns that can't be recorded.
    #[error("{what}")]
    Misfit {
        /// What doesn't fit, and where.
        what: String,
    },
    /// Text given to be imported that is not a transaction, or doesn't follow from the one before.
    #[error("line {line}: {what}")]
    Import {
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        what: String,
    },
}

impl LedgerError {
    /// Whether there is no room for what was to be written.
    pub fn is_full(&self) -> bool {
        let full = |kind| matches!(kind, io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded);
        matches!(self, Self::Io { source, .. } if full(source.kind()))
    }

    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { action, path: path.to_owned(), source }
    }
}

impl From<Malformed> for LedgerError {
    fn from(malformed: Malformed) -> Self {
        Self::Base(malformed.to_string())
    }
}

/// Something that happened while opening or writing, to be reported to the user.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notice {
    /// A write that was never acknowledged was cut off the end of the journal.
    Cut {
        /// The file.
        path: PathBuf,
        /// Where it was cut.
        offset: u64,
        /// How many bytes went.
        bytes: u64,
        /// The last transaction that is kept.
        last: u64,
        /// Where a copy of the bytes is kept; none where this process failed to write them.
        kept: Option<PathBuf>,
    },
    /// What lies at the end of the journal is not a whole transaction, and was not read.
    LeftOut {
        /// The file.
        path: PathBuf,
        /// Where it begins.
        offset: u64,
        /// How many bytes it takes.
        bytes: u64,
        /// The last transaction that is kept.
        last: u64,
    },
    /// The journal isn't the one that was closed.
    OtherJournal {
        /// The transaction that it was closed with.
        tx: u64,
        /// That transaction's hash then.
        closed: Hash,
        /// And now.
        found: Hash,
    },
    /// The file of the lock didn't say how the ledger was left.
    LockRewritten {
        /// The file.
        path: PathBuf,
        /// What was wrong with it.
        fault: &'static str,
    },
    /// A segment that held only an unacknowledged write was set aside.
    SetAside {
        /// Its old name.
        path: PathBuf,
        /// Its new name.
        renamed: PathBuf,
    },
    /// The base was behind the journal and was brought up.
    CaughtUp {
        /// The transaction that it had reached.
        from: u64,
        /// The last transaction.
        to: u64,
    },
    /// The base was written again from the journal.
    Rebuilt {
        /// Why.
        why: String,
        /// Where the old one went, if there was one.
        renamed: Option<PathBuf>,
        /// The last transaction.
        to: u64,
    },
    /// Answers come from the journal, since the base can't be read.
    BaseUnused {
        /// Why, and what helps.
        why: String,
    },
    /// What was imported holds what must not be recorded; with other facts it would have another hash.
    Unredacted {
        /// The relations, each with how many of its facts; by `""` authors, sources and notes.
        relations: Vec<(String, u64)>,
    },
    /// The base couldn't take what the journal holds; it will be caught up at the next opening.
    BaseBehind {
        /// Why.
        why: String,
    },
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cut { path, offset, bytes, last, kept } => {
                write!(
                    f,
                    "{}: an incomplete write of {bytes} bytes at byte {offset} was cut off; it was never \
                    acknowledged, the last transaction is {last}",
                    path.display()
                )?;
                kept.as_ref().map_or(Ok(()), |kept| write!(f, "; the bytes are kept as {}", kept.display()))
            }
            Self::LeftOut { path, offset, bytes, last } => write!(
                f,
                "{}: {bytes} bytes from byte {offset} on are an incomplete write and are ignored; the last \
                transaction is {last}",
                path.display()
            ),
            Self::OtherJournal { tx, closed, found } => write!(
                f,
                "this is not the journal that was closed: transaction {tx} had the hash {closed}, found {found}"
            ),
            Self::LockRewritten { path, fault } => write!(
                f,
                "{} {}: ledger state unknown, so journal and fact base were checked; the file is rewritten",
                path.display(),
                fault.replacen("is", "was", 1)
            ),
            Self::SetAside { path, renamed } => {
                write!(f, "{}: contained only an incomplete write, now {}", path.display(), renamed.display())
            }
            Self::CaughtUp { from, to } => {
                write!(f, "the fact base was updated from transaction {from} to {to}")
            }
            Self::Rebuilt { why, renamed, to } => {
                write!(f, "the fact base was rebuilt up to transaction {to}: {why}")?;
                match renamed {
                    Some(path) => write!(f, "; the old one is kept as {}", path.display()),
                    None => Ok(()),
                }
            }
            Self::BaseUnused { why } => {
                write!(f, "the fact base is not used, the answer comes from the journal: {why}")
            }
            Self::Unredacted { relations } => {
                let each = relations.iter().map(|(relation, count)| match relation.as_str() {
                    "" => format!("{count} in authors, sources and notes"),
                    relation => format!("{count} of `{relation}`"),
                });
                let each: Vec<String> = each.collect();
                write!(
                    f,
                    "patterns of `[redact]` match imported data, now recorded: {}; an import keeps hashes, \
                    so it replaces nothing",
                    each.join(", ")
                )
            }
            Self::BaseBehind { why } => {
                write!(f, "the fact base couldn't be written ({why}); the journal holds everything")
            }
        }
    }
}

/// How to read what comes before a damaged transaction, if anything does.
fn readable(damaged: u64) -> String {
    match damaged.saturating_sub(1) {
        0 => String::new(),
        last => format!("everything before it is readable with `--up-to {last}`; "),
    }
}

/// How an archived transaction is asked of.
fn way_to(asked: u64, there: bool) -> String {
    if there {
        format!("add `--up-to {asked}`")
    } else {
        // Some of what is asked can be answered then as it was asked.
        String::from(
            "that folder is missing, or a part of it: restore it, or, where the ledger was salvaged since, ask a copy of \
            it from before",
        )
    }
}

/// Which transaction is the last one, in words.
fn last_one(last: u64) -> String {
    match last {
        0 => String::from("the ledger has none"),
        last => format!("the last one is {last}"),
    }
}

/// What is wrong with a line that is not a transaction of an export.
pub(crate) fn malformed(error: &serde_json::Error) -> String {
    if !error.is_data() {
        return error.to_string();
    }
    let what = error.to_string();
    let what = what.split(", expected one of").next().unwrap_or(&what);
    format!(
        "expected a transaction as `hence export` writes it: {what}; `hence decide --facts` takes fact files"
    )
}
