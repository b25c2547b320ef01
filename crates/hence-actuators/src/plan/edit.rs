//! A change of a file: a new file, or a text in the only place of another one.

use serde_json::{Map, Value as Json};

use super::Place;
use super::journal::Journal;

/// A change.
pub(super) struct Edit {
    pub(super) file: String,
    is_new: bool,
    old: String,
    new: String,
}

impl Edit {
    /// By the columns `action`, `old` and `new`.
    pub(super) fn of(file: &str, row: &Map<String, Json>) -> Option<Self> {
        let text = |column: &str| row.get(column)?.as_str().map(str::to_owned);
        let is_new = match text("action")?.as_str() {
            "/create" => true,
            "/edit" => false,
            _ => return None,
        };
        Some(Self { file: file.to_owned(), is_new, old: text("old")?, new: text("new")? })
    }

    pub(super) fn new_file(file: String, new: String) -> Self {
        Self { file, is_new: true, old: String::new(), new }
    }

    pub(super) fn in_place(file: String, old: String, new: String) -> Self {
        Self { file, is_new: false, old, new }
    }

    /// What the file becomes.
    fn of_content(&self, found: Option<&[u8]>) -> Result<Vec<u8>, String> {
        let file = &self.file;
        match (self.is_new, found) {
            (true, None) => Ok(self.new.clone().into_bytes()),
            (true, Some(_)) => Err(format!("`{file}` is there already; expected a new file")),
            (false, None) => Err(format!("there is no `{file}`")),
            (false, Some(bytes)) => {
                let text = std::str::from_utf8(bytes).map_err(|_| format!("`{file}` is not UTF-8"))?;
                match text.matches(self.old.as_str()).take(2).count() {
                    _ if self.old.is_empty() => Err(format!("the text to be replaced in `{file}` is empty")),
                    0 => Err(format!("the text to be replaced was not found in `{file}`")),
                    1 => Ok(text.replacen(&self.old, &self.new, 1).into_bytes()),
                    _ => Err(format!("the text to be replaced is more than once in `{file}`")),
                }
            }
        }
    }
}

/// A change that was not made.
pub(super) struct Unwritten {
    pub(super) why: String,
    /// The forbidden patterns that it shows.
    pub(super) patterns: Vec<String>,
}

impl Place<'_> {
    /// Makes a change, unless it can't be made or shows what is forbidden.
    pub(super) fn write(&self, journal: &mut Journal<'_>, edit: &Edit) -> Result<(), Unwritten> {
        let plainly = |why: String| Unwritten { why, patterns: Vec::new() };
        let found = self.root.read(&edit.file).map_err(|error| plainly(error.to_string()))?;
        let found = found.as_ref().map(|found| found.bytes.as_slice());
        let bytes = edit.of_content(found).map_err(plainly)?;
        let patterns = self.forbidden(found.unwrap_or_default(), &bytes);
        if let Some(first) = patterns.first() {
            return Err(Unwritten {
                why: format!("`{}` would show {first}, which is forbidden", edit.file),
                patterns,
            });
        }
        journal.write(&edit.file, &bytes, None).map_err(|error| plainly(error.to_string()))
    }

    /// The forbidden patterns that a file would show and does not show yet.
    fn forbidden(&self, before: &[u8], after: &[u8]) -> Vec<String> {
        let known = self.plan.source.patterns(before);
        let shown = self.plan.source.patterns(after).into_iter();
        shown
            .filter(|pattern| !known.contains(pattern) && !self.plan.settings.allow.contains(pattern))
            .collect()
    }
}
