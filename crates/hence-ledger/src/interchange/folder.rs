//! What a path to facts means: one file, or the fact and rule files directly in a folder.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use hence_core::diagnostic::Diagnostic;

use super::format::FactFormat;
use super::load;

/// A file of facts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FactFile {
    /// A file that [`read`](super::read) reads.
    Data(PathBuf),
    /// A rule file that holds only facts, for the caller to parse.
    Rules(PathBuf),
}

/// The files that `path` means: itself, or for a folder every `.jsonl`, `.csv`, `.tsv`, `.facts` and `.dl` file
/// directly in it, by name.
///
/// # Errors
/// What keeps the path or the folder from being read.
pub fn expand(path: &Path) -> Result<Vec<FactFile>, Diagnostic> {
    let unreadable = |error| load::unreadable(path, &error);
    if !std::fs::metadata(path).map_err(unreadable)?.is_dir() {
        return Ok(vec![fact_file(path).unwrap_or_else(|| FactFile::Data(path.to_owned()))]);
    }
    let mut paths = std::fs::read_dir(path)
        .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, _>>())
        .map_err(unreadable)?;
    paths.retain(|path| !path.is_dir());
    paths.sort();
    let found: Vec<FactFile> = paths.iter().filter_map(|path| fact_file(path)).collect();
    if found.is_empty() {
        let endings = "it contains no `.jsonl`, `.csv`, `.tsv`, `.facts` or `.dl` file";
        return Err(unreadable(std::io::Error::other(endings)));
    }
    Ok(found)
}

/// The fact file at `path`, if it is called like one; one that is nearly called so is reported when it is read.
fn fact_file(path: &Path) -> Option<FactFile> {
    if path.extension() == Some(OsStr::new("dl")) {
        return Some(FactFile::Rules(path.to_owned()));
    }
    let lower = PathBuf::from(path.to_string_lossy().to_lowercase());
    let nearly = lower.extension().is_some_and(|ending| ending == "ndjson" || ending == "dl");
    (nearly || FactFormat::of(&lower).is_some()).then(|| FactFile::Data(path.to_owned()))
}
