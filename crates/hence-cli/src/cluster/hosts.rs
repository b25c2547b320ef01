//! The file of hosts.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use hence_core::file::{self, said, unread};
use hence_core::literal::visible;
use hence_dataflow::{Secret, Workers};

use super::super::diagnostics::count;
use super::super::{Failure, keys, output};

/// How large a file of hosts may be, in bytes.
const LARGEST: u64 = 1 << 20;
/// The most threads of a process.
const MOST_THREADS: usize = 256;

/// What stands in the file of hosts.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Hosts {
    hosts: Vec<String>,
    #[serde(default = "one")]
    threads: usize,
    /// The file of the secret, beside that of hosts.
    secret: Option<PathBuf>,
}

fn one() -> usize {
    1
}

/// The workers of a process of those that a file names.
pub(super) fn workers(path: &Path, process: usize) -> Result<Workers, Failure> {
    let shown = visible(&path.display().to_string()).to_string();
    let wrong = |why: String| Failure::Usage(format!("`{shown}`: {why}"));
    let text = file::read_text(path, LARGEST).map_err(|error| Failure::Usage(unread(path, &error)))?;
    let Hosts { hosts, threads, secret } =
        toml::from_str(&text).map_err(|error| wrong(error.message().to_owned()))?;
    if hosts.is_empty() || process >= hosts.len() {
        return Err(wrong(format!(
            "it names {}; `hosts` has an address for each process",
            count(hosts.len(), "host")
        )));
    }
    if !(1..=MOST_THREADS).contains(&threads) {
        return Err(wrong(format!("`threads` is from 1 to {MOST_THREADS}")));
    }
    if secret.is_none() && hosts.len() > 1 {
        return Err(wrong(String::from(
            "several hosts need `secret`, the file of what their processes know and nobody else; `hence cluster key FILE` makes one",
        )));
    }
    let secret = secret.map(|file| path.with_file_name(file)).map(|file| read(&file)).transpose()?;
    Ok(Workers { threads, process, hosts, secret, memory: None, tell: output::warning })
}

fn read(path: &Path) -> Result<Secret, Failure> {
    let key = keys::read(path).map_err(|error| {
        Failure::Usage(format!("the secret `{}` can't be read: {}", path.display(), said(&error)))
    })?;
    Ok(Secret::new(&key.text()))
}
