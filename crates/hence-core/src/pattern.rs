//! Regular expressions that people write, in rules, settings and tables: all compiled here, under one size limit.

mod smaller;

use regex::{Regex, RegexBuilder};
use thiserror::Error;

use smaller::smaller;

/// How large a compiled pattern may be, in bytes: `\w{1,64}` takes 3 MiB with all of Unicode, an address such as
/// `\w{1,64}@\w{1,64}\.\w{2,8}` 6.5.
const SIZE_LIMIT: usize = 8 * 1024 * 1024;

/// What a pattern that is a value may take: little, as most do, or as much as is allowed.
const VALUE_LIMITS: [usize; 2] = [64 * 1024, 1024 * 1024];

/// Why a pattern can't be compiled.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum PatternFault {
    /// It is not a regular expression.
    #[error("{}", last_line(.0))]
    Faulty(regex::Error),
    /// It is larger than a pattern may be, once compiled.
    #[error("it takes more than {} MiB once compiled", SIZE_LIMIT / (1024 * 1024))]
    TooLarge {
        /// What makes it large, and what is small instead.
        help: String,
    },
}

impl PatternFault {
    /// What is wrong, a line a note.
    pub fn notes(&self) -> Vec<String> {
        let text = match self {
            Self::Faulty(fault) => fault.to_string(),
            Self::TooLarge { .. } => self.to_string(),
        };
        text.lines().map(str::trim_end).filter(|line| !line.is_empty()).map(str::to_owned).collect()
    }

    /// The way out, where it is known.
    pub fn help(&self) -> Option<&str> {
        match self {
            Self::Faulty(_) => None,
            Self::TooLarge { help } => Some(help),
        }
    }
}

/// What the regex crate says last: the lines before it show the pattern.
fn last_line(fault: &regex::Error) -> String {
    let text = fault.to_string();
    text.lines().last().map_or_else(String::new, |line| line.trim_start_matches("error: ").to_owned())
}

/// Compiles a pattern; each one that people write, in rules, settings or tables, goes through here.
///
/// # Errors
/// It is not a regular expression, or too large.
pub fn compile(source: &str) -> Result<Regex, PatternFault> {
    bounded(source).map_err(|fault| match fault {
        regex::Error::CompiledTooBig(_) => PatternFault::TooLarge { help: smaller(source) },
        fault => PatternFault::Faulty(fault),
    })
}

/// Compiles a pattern that is a value of a rule, with about what it takes at most, in bytes; `None` for what is none,
/// and beyond 1 MiB, since there may be many.
pub fn compile_value(source: &str) -> Option<(Regex, usize)> {
    VALUE_LIMITS.into_iter().find_map(|limit| Some((within(source, limit).ok()?, limit)))
}

fn bounded(source: &str) -> Result<Regex, regex::Error> {
    within(source, SIZE_LIMIT)
}

fn within(source: &str, limit: usize) -> Result<Regex, regex::Error> {
    RegexBuilder::new(source).size_limit(limit).build()
}
