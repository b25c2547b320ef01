//! The registry: which version of each tool is in service, its file and the hash of that, as one file that is whole.

use std::io;

use serde_json::{Map, Value as Json, json};

use super::super::plan::place::Root;

const FILE: &str = "registry.json";

/// A version of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Version {
    pub(super) source: String,
    pub(super) version: i64,
    pub(super) language: String,
    pub(super) file: String,
    pub(super) hash: String,
}

/// The file of a version.
pub(super) fn file(tool: &str, version: i64, language: &str) -> String {
    let ending = if language == "go" { "go" } else { "py" };
    format!("{tool}/{version}.{ending}")
}

pub(super) fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

/// Whether a tool may be called so: its name is that of a folder.
pub(super) fn is_name(tool: &str) -> bool {
    let fits = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
    tool.len() <= 64 && tool.starts_with(|letter: char| letter.is_ascii_lowercase()) && tool.chars().all(fits)
}

/// The text of a file; `None` where there is none.
pub(super) fn text(root: &Root, file: &str) -> io::Result<Option<String>> {
    let found = root.read(file)?.map(|found| String::from_utf8(found.bytes));
    found.transpose().map_err(|_| io::Error::other(format!("`{file}` is not UTF-8")))
}

fn all(root: &Root) -> io::Result<Map<String, Json>> {
    match text(root, FILE)? {
        None => Ok(Map::new()),
        Some(text) => {
            serde_json::from_str(&text).map_err(|error| io::Error::other(format!("`{FILE}`: {error}")))
        }
    }
}

/// The version of a tool that is in service.
pub(super) fn find(root: &Root, tool: &str) -> io::Result<Option<Version>> {
    let all = all(root)?;
    let Some(entry) = all.get(tool) else { return Ok(None) };
    let word = |key: &str| entry.get(key)?.as_str().map(str::to_owned);
    let read = || {
        Some(Version {
            source: word("source")?,
            version: entry.get("version")?.as_i64()?,
            language: word("language")?,
            file: word("file")?,
            hash: word("hash")?,
        })
    };
    read().map(Some).ok_or_else(|| io::Error::other(format!("`{FILE}`: `{tool}` can't be read")))
}

/// Puts a version of a tool into service, unless a later one is.
pub(super) fn put(root: &Root, tool: &str, version: &Version) -> io::Result<()> {
    if find(root, tool)?.is_some_and(|known| known.version > version.version) {
        return Ok(());
    }
    let mut all = all(root)?;
    let Version { source, version, language, file, hash } = version;
    let entry =
        json!({ "source": source, "version": version, "language": language, "file": file, "hash": hash });
    all.insert(tool.to_owned(), entry);
    all.sort_keys();
    root.replace(FILE, format!("{:#}\n", Json::Object(all)).as_bytes(), None)
}
