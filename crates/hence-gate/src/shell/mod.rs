//! What a shell command does, as far as its text tells: the words of each simple command in it, the files that are read
//! and written, and what can't be known. Nothing is run.
//!
//! `parse` makes the tree, `walk` and `loops` go through statements, `expand` makes words of nodes, by `quotes` and `word`; `arithmetic`
//! looks for code in numbers. `programs` says what arguments mean, by `table`; `runners` which programs run others, by `known`,
//! with `search` for those that look for files, `project` for tools of the project and `git`; `sed` and `awk` read scripts, `archive` unpacks. `environment` knows
//! variables that programs heed. `options` takes arguments apart, `glob` matches names in folders.

mod archive;
mod arithmetic;
mod assign;
mod awk;
mod environment;
mod expand;
mod git;
mod glob;
mod known;
mod loops;
mod options;
mod parse;
mod programs;
mod project;
mod quotes;
mod redirect;
mod runners;
mod search;
mod sed;
mod table;
mod walk;
mod word;

pub(crate) use glob::below;
pub(crate) use word::alternatives_of as alternatives;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The largest command that is read, in bytes.
pub const LARGEST: usize = 64 << 10;

/// What is done with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// Its content is read.
    Read,
    /// It is made or changed.
    Write,
    /// It is removed.
    Delete,
    /// It is run.
    Run,
    /// A program is told its name, and does with it what it likes.
    Use,
}

impl Mode {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Delete => "delete",
            Self::Run => "run",
            Self::Use => "use",
        }
    }
}

/// Why something can't be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Why {
    /// The text doesn't parse.
    Syntax,
    /// A word depends on a variable whose value isn't known.
    Variable,
    /// A word is the output of a command.
    Substitution,
    /// An interpreter takes its code from standard input.
    StdinCode,
    /// An interpreter is given code as an argument.
    InlineCode,
    /// A file is run.
    Script,
    /// A program runs what the project says.
    ProjectCode,
    /// It runs elsewhere.
    Remote,
    /// A variable changes what programs do.
    Environment,
    /// The folder that it happens in isn't known.
    Folder,
    /// There is too much of it.
    TooMuch,
}

impl Why {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Syntax => "syntax",
            Self::Variable => "variable",
            Self::Substitution => "substitution",
            Self::StdinCode => "stdin_code",
            Self::InlineCode => "inline_code",
            Self::Script => "script",
            Self::ProjectCode => "project_code",
            Self::Remote => "remote",
            Self::Environment => "environment",
            Self::Folder => "folder",
            Self::TooMuch => "too_much",
        }
    }
}

/// A simple command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stage {
    /// Its words; the first is the program's name without its folder.
    pub words: Vec<String>,
    /// Its options, one by one: `-rf` is `-r` and `-f`, `--force=yes` is `--force`.
    pub flags: BTreeSet<String>,
    /// The subcommand, of programs that have any.
    pub verb: Option<String>,
}

/// What a command does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// The simple commands, in the order in which they stand.
    pub stages: Vec<Stage>,
    /// The files, by path and mode.
    pub accesses: BTreeSet<(PathBuf, Mode)>,
    /// What can't be known, and of what.
    pub opaque: BTreeSet<(Why, String)>,
}

/// Looks at a command that is to run in the folder `cwd`.
pub fn look(command: &str, cwd: &Path) -> Seen {
    walk::Walk::new(cwd).through(command)
}
