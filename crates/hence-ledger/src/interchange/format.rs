//! The formats of fact files, by how a file's name ends.

use std::path::Path;

/// A format of fact files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FactFormat {
    /// One JSON object a line, one fact each.
    JsonLines,
    /// Commas, a header line, quotes.
    Csv,
    /// Tabs, a header line, quotes.
    Tsv,
    /// Soufflé's `.facts`: tabs, no header, no quotes, no escapes.
    Souffle,
}

impl FactFormat {
    /// The format of the file at `path`.
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "jsonl" => Some(Self::JsonLines),
            "csv" => Some(Self::Csv),
            "tsv" => Some(Self::Tsv),
            "facts" => Some(Self::Souffle),
            _ => None,
        }
    }
}
