//! Rule texts in the one layout: files found, read and laid out, the faulty ones left as they are.

use std::path::{Path, PathBuf};

use hence_core::diagnostic::Diagnostic;
use hence_core::span::Sources;
use hence_core::whole_file;
use hence_syntax as syntax;

use super::error::{Faults, SessionError};
use super::loader::too_large;
use super::rule_files::{Content, RuleFiles, read_content, rule_files, without_rules};

/// A text that parses, as it is and as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formatted {
    /// The file, as the user named it; none for a text that is in no file.
    pub path: Option<PathBuf>,
    /// What it is called in messages.
    pub name: String,
    /// As it is.
    pub before: String,
    /// As it should be.
    pub after: String,
}

impl Formatted {
    /// Whether it has another layout than it should have.
    pub fn changes(&self) -> bool {
        self.before != self.after
    }
}

/// Texts laid out, and the faults of those that don't parse.
#[derive(Clone, Debug, Default)]
pub struct Formatting {
    /// The texts that parse, in order.
    pub texts: Vec<Formatted>,
    /// The faults of the others.
    pub faults: Faults,
}

impl Formatting {
    /// Lays out a file, or every `.dl` file in a folder and below; nothing is written.
    ///
    /// # Errors
    /// A path that can't be read, a folder without a `.dl` file.
    pub fn path(&mut self, path: &Path) -> Result<(), SessionError> {
        let found = rule_files(path)?;
        if found == RuleFiles::default() {
            return Err(SessionError::Unknown { message: without_rules(path, &found) });
        }
        for file in found.all() {
            let name = file.display().to_string();
            match read_content(&file)? {
                Content::Bytes(bytes) => self.bytes(Some(file), name, &bytes),
                Content::TooLarge => {
                    let id = self.faults.sources.add(name, "");
                    self.faults.diagnostics.push(too_large(id));
                }
            }
        }
        Ok(())
    }

    /// Lays out a text; `name` is what messages call it.
    pub fn text(&mut self, name: &str, bytes: &[u8]) {
        self.bytes(None, name.to_owned(), bytes);
    }

    fn bytes(&mut self, path: Option<PathBuf>, name: String, bytes: &[u8]) {
        match format(&mut self.faults.sources, &name, bytes) {
            Ok((before, after)) => self.texts.push(Formatted { path, name, before, after }),
            Err(found) => self.faults.diagnostics.extend(found),
        }
    }
}

/// A text as it is and as it should be.
fn format(sources: &mut Sources, name: &str, bytes: &[u8]) -> Result<(String, String), Vec<Diagnostic>> {
    let id = sources.add(name, String::from_utf8_lossy(bytes));
    let text = syntax::decode(id, bytes).map_err(|found| vec![*found])?;
    let (tree, found) = syntax::parse(id, text);
    if found.iter().any(Diagnostic::is_error) {
        return Err(found);
    }
    Ok((text.to_owned(), syntax::format(text, &tree)))
}

/// Puts `text` in the place of what is in `path`, whole or not at all.
///
/// # Errors
/// The file can't be written.
pub fn replace(path: &Path, text: &str) -> Result<(), SessionError> {
    let failed = |source| SessionError::Write { path: path.to_owned(), source };
    whole_file::write(path, text.as_bytes()).map_err(failed)
}
