//! How the decisions of a relation are carried out, as `hence.toml` says it.

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use hence_actuators::template::Template;
use hence_core::value::Value;
use hence_runtime::{Policy, Repeat};

use super::Origin;

/// How the decisions of a relation are carried out.
#[derive(Clone, Debug)]
pub(in super::super) struct Carried {
    /// The relation.
    pub(in super::super) decision: String,
    /// The table that says it.
    pub(in super::super) table: &'static str,
    /// By what.
    pub(in super::super) means: Means,
    /// How often it is tried.
    pub(in super::super) policy: Policy,
    /// How long one attempt may take.
    pub(in super::super) time_limit: Duration,
    /// The author of what is answered; the carrier's name where there is none.
    pub(in super::super) author: Option<String>,
    /// Where it stands.
    pub(super) origin: Origin,
    /// The place of the relation's name in the file, in bytes.
    pub(super) key: Range<usize>,
}

/// What carries decisions out.
#[derive(Clone, Debug)]
pub(in super::super) enum Means {
    /// A program.
    Command {
        /// As it is written: a path, or a name to be found on the `PATH`.
        program: String,
        /// Its arguments.
        args: Vec<String>,
        /// The variables that it sees beside those that every program sees.
        env: Vec<String>,
    },
    /// A web hook.
    WebHook {
        /// Where to.
        url: String,
        /// Where the secret of its signature is.
        secret: Option<Secret>,
    },
    /// Lines of a file.
    Lines(PathBuf),
    /// Files in a folder.
    Folder(PathBuf),
    /// Facts.
    Facts(Vec<Template>),
}

/// Where a secret is.
#[derive(Clone, Debug)]
pub(in super::super) enum Secret {
    /// In this variable of the environment.
    Variable(String),
    /// In this file; a line end after it is none of it.
    File(PathBuf),
}

impl fmt::Display for Carried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.means {
            Means::Command { program, args, .. } => {
                f.write_str(program)?;
                args.iter().try_for_each(|arg| write!(f, " {arg}"))?;
            }
            Means::WebHook { url, secret } => {
                write!(f, "{url}{}", if secret.is_some() { ", signed" } else { "" })?;
            }
            Means::Lines(path) | Means::Folder(path) => return write!(f, "{}", path.display()),
            Means::Facts(_) => return f.write_str("facts"),
        }
        let micros = i64::try_from(self.time_limit.as_micros()).unwrap_or(i64::MAX);
        write!(f, ", at most {}", Value::Duration(micros))?;
        match self.policy.repeat {
            Repeat::Safe => Ok(()),
            Repeat::Unsafe => f.write_str(", unsafe to repeat"),
        }
    }
}
