//! Rule files from disk or from the binary: folders expanded, imports followed, each file loaded once.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use hence_core::diagnostic::Diagnostic;
use hence_core::fault::OrBroken;
use hence_core::file::{LARGEST_TEXT, is_broken_link, near, said};
use hence_core::meter;
use hence_core::span::{FileId, Sources, Span};
use hence_syntax as syntax;
use hence_syntax::codes::FILE_TOO_LARGE;
use hence_syntax::tree::{self, Item};

use super::codes::{BAD_IMPORT, IMPORT_CIRCLE};
use super::error::SessionError;
use super::rule_files::{Content, is_of_tests, read_content, rule_files, without_rules};
use super::shipped;

/// What is said to be done where a limit is reached here.
const READING: &str = "reading rules";
/// How deep imports may nest.
const DEEPEST_IMPORT: usize = 256;

/// Everything that was loaded.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    /// The texts, by [`FileId`].
    pub sources: Sources,
    /// The trees in the order of loading: imported files before the files that import them.
    pub files: Vec<tree::File>,
    /// What was wrong with imports and syntax.
    pub diagnostics: Vec<Diagnostic>,
}

impl Loaded {
    /// Whether this file holds tests, or could not be read so that nobody knows.
    pub fn has_tests(&self, file: FileId) -> bool {
        let tree = self.files.iter().find(|tree| tree.id == file);
        tree.is_none_or(|tree| tree.items.iter().any(|item| matches!(item, Item::Test(_))))
    }
}

/// Where a rule file is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Location {
    /// On disk: its canonical path.
    Disk(PathBuf),
    /// In the binary: its path below `rules/`.
    Shipped(String),
}

impl Location {
    fn is_of_tests(&self) -> bool {
        match self {
            Self::Disk(path) => is_of_tests(path),
            Self::Shipped(path) => is_of_tests(Path::new(path)),
        }
    }
}

/// The folder that imports may not leave.
#[derive(Clone, Debug)]
enum Root {
    Disk(PathBuf),
    Shipped,
}

/// A loader at work.
#[derive(Clone, Default)]
pub struct Loader {
    loaded: Loaded,
    done: BTreeMap<Location, FileId>,
    /// Files that are being loaded, with the import that led to the next one.
    open: Vec<(Location, FileId)>,
}

impl Loader {
    /// What was loaded.
    pub fn finish(self) -> Loaded {
        self.loaded
    }

    /// Loads a file, or every `.dl` file in a folder and the folders in it but those of tests (`*_test.dl`): what
    /// decides never reads them.
    ///
    /// # Errors
    /// A path that can't be read, a file of tests, a folder without rules. What is wrong inside files becomes
    /// diagnostics.
    pub fn path(&mut self, path: &Path) -> Result<(), SessionError> {
        let found = rule_files(path)?;
        if found.rules.is_empty() {
            return Err(SessionError::Unknown { message: without_rules(path, &found) });
        }
        self.files(path, &found.rules)
    }

    /// Loads one file with what it imports, be it one of tests.
    ///
    /// # Errors
    /// A file that can't be read.
    pub fn alone(&mut self, file: &Path) -> Result<(), SessionError> {
        self.files(file, &[file.to_owned()])
    }

    /// Loads `files`, which were found at or below `path`.
    fn files(&mut self, path: &Path, files: &[PathBuf]) -> Result<(), SessionError> {
        let canonical = |path: &Path| {
            fs::canonicalize(path).map_err(|source| SessionError::Read { path: path.to_owned(), source })
        };
        let top = canonical(path)?;
        let folder = if top.is_dir() { top.as_path() } else { parent(&top) };
        let root = Root::Disk(root_of(folder));
        meter::enter(READING);
        for file in files {
            meter::check(READING)?;
            let location = Location::Disk(canonical(file)?);
            self.file(location, file.display().to_string(), read_content(file)?, &root);
        }
        Ok(())
    }

    /// Loads a text that is in no file, such as one typed at a prompt; it can import nothing.
    pub fn text(&mut self, name: &str, text: &str) {
        let id = self.loaded.sources.add(name, text);
        self.parse(id, text);
    }

    /// Loads the part of a text that is in no file: `part` is as long as `whole`, which messages show.
    pub(super) fn part(&mut self, name: &str, whole: &str, part: &str) -> FileId {
        let id = self.loaded.sources.add(name, whole);
        self.parse(id, part);
        id
    }

    /// Loads a pack of the binary.
    ///
    /// # Errors
    /// There is no pack of that name.
    pub fn pack(&mut self, name: &str) -> Result<(), SessionError> {
        let files = shipped::pack(name)
            .ok_or_else(|| SessionError::Unknown { message: shipped::unknown_pack(name) })?;
        for (path, text) in files {
            let location = Location::Shipped(path.to_owned());
            self.file(
                location,
                shipped::display_name(path),
                Content::Bytes(Cow::Borrowed(text.as_bytes())),
                &Root::Shipped,
            );
        }
        Ok(())
    }

    /// Loads one shipped file, such as the tests of a pack, by its path below `rules/`.
    ///
    /// # Errors
    /// There is no such file.
    pub fn shipped(&mut self, path: &str) -> Result<(), SessionError> {
        let text = shipped::file(path)
            .ok_or_else(|| SessionError::Unknown { message: format!("unknown shipped file `{path}`") })?;
        let content = Content::Bytes(Cow::Borrowed(text.as_bytes()));
        let location = Location::Shipped(path.to_owned());
        self.file(location, shipped::display_name(path), content, &Root::Shipped);
        Ok(())
    }

    fn file(&mut self, location: Location, name: String, content: Content, root: &Root) {
        if self.done.contains_key(&location) {
            return;
        }
        let bytes = match content {
            Content::Bytes(bytes) => bytes,
            Content::TooLarge => return self.too_large(location, name),
        };
        if let Some(id) = self.copy_of(&location, &bytes) {
            self.done.insert(location, id);
            return;
        }
        let id = self.loaded.sources.add(name, String::from_utf8_lossy(&bytes));
        self.done.insert(location.clone(), id);
        let text = match syntax::decode(id, &bytes) {
            Ok(text) => text,
            Err(found) => return self.loaded.diagnostics.push(*found),
        };
        let (tree, diagnostics) = syntax::parse(id, text);
        self.loaded.diagnostics.extend(diagnostics);
        self.open.push((location.clone(), id));
        for item in &tree.items {
            if let Item::Import(import) = item {
                self.import(&location, import, root);
            }
        }
        self.open.pop();
        self.loaded.files.push(tree);
    }

    /// The file on disk that is a copy of a shipped one, as where a rule set holds the packs that it also names.
    fn copy_of(&self, location: &Location, bytes: &[u8]) -> Option<FileId> {
        let Location::Shipped(shipped) = location else { return None };
        let is_copy = |(known, id): &(&Location, &FileId)| {
            let Location::Disk(path) = known else { return false };
            path.ends_with(shipped)
                && self.loaded.sources.get(**id).is_some_and(|source| source.text().as_bytes() == bytes)
        };
        self.done.iter().find(is_copy).map(|(_, id)| *id)
    }

    fn too_large(&mut self, location: Location, name: String) {
        let id = self.loaded.sources.add(name, "");
        self.done.insert(location, id);
        self.loaded.diagnostics.push(too_large(id));
    }

    fn parse(&mut self, id: FileId, text: &str) {
        let (tree, diagnostics) = syntax::parse(id, text);
        self.loaded.diagnostics.extend(diagnostics);
        self.loaded.files.push(tree);
    }

    fn import(&mut self, from: &Location, import: &tree::Import, root: &Root) {
        let found = match (from, root) {
            (Location::Disk(file), Root::Disk(root)) => on_disk(file, import, root),
            (Location::Shipped(file), _) => in_binary(file, import),
            (Location::Disk(_), Root::Shipped) => return,
        };
        match found {
            Err(diagnostic) => self.loaded.diagnostics.push(diagnostic),
            Ok((location, name, content)) => {
                if location.is_of_tests() && !from.is_of_tests() {
                    self.loaded.diagnostics.push(imports_tests(import));
                } else if let Some(at) = self.open.iter().position(|(open, _)| *open == location) {
                    self.circle(at, import.path_span);
                } else if self.open.len() >= DEEPEST_IMPORT {
                    let message = format!("imports nest more than {DEEPEST_IMPORT} files deep");
                    self.loaded
                        .diagnostics
                        .push(Diagnostic::new(BAD_IMPORT, message).at(import.path_span, ""));
                } else {
                    self.file(location, name, content, root);
                }
            }
        }
    }

    fn circle(&mut self, at: usize, span: Span) {
        let names: Vec<String> = self
            .open
            .iter()
            .skip(at)
            .map(|(_, id)| self.loaded.sources.get(*id).or_broken("a file that is being loaded has its text"))
            .map(|source| format!("`{}`", source.name()))
            .collect();
        let first = names.first().or_broken("a circle of imports has a file");
        self.loaded.diagnostics.push(
            Diagnostic::new(IMPORT_CIRCLE, "the imports form a cycle")
                .at(span, "this import closes the cycle")
                .note(format!("{} imports {first}", names.join(" imports ")))
                .help("move what both files need into a third file and import that"),
        );
    }
}

/// The fault of a rule file that imports a file of tests.
fn imports_tests(import: &tree::Import) -> Diagnostic {
    let message = format!("`{}` is a test file, which only test files can import", import.path);
    Diagnostic::new(BAD_IMPORT, message)
        .at(import.path_span, "")
        .note("rules in a `*_test.dl` file support its tests and do not affect decisions")
        .help("move what both files need into a separate file and import that")
}

/// The fault of a file that is too large.
pub(super) fn too_large(id: FileId) -> Diagnostic {
    let message = format!("the file is larger than {} MiB", LARGEST_TEXT >> 20);
    Diagnostic::new(FILE_TOO_LARGE, message)
        .at(Span::new(id, 0, 0), "")
        .help("split the rules into several files; move facts to a fact file")
}

fn parent(path: &Path) -> &Path {
    path.parent().unwrap_or(path)
}

/// The nearest folder from `folder` upwards that holds a `hence.toml`, else `folder` itself.
fn root_of(folder: &Path) -> PathBuf {
    folder.ancestors().find(|above| above.join("hence.toml").is_file()).unwrap_or(folder).to_owned()
}

/// The file that an import of a file on disk leads to.
fn on_disk(
    file: &Path,
    import: &tree::Import,
    root: &Path,
) -> Result<(Location, String, Content), Diagnostic> {
    let bad = |message: String| Diagnostic::new(BAD_IMPORT, message).at(import.path_span, "");
    if Path::new(&import.path).is_absolute() {
        return Err(bad(format!("`{}` is an absolute path", import.path))
            .help("write the path relative to the folder of this file"));
    }
    let wanted = parent(file).join(&import.path);
    let outside = || {
        bad(format!("`{}` is outside the root folder, `{}`", import.path, folder(root)))
            .note("the root folder is that of the nearest `hence.toml`, or of the first file given")
            .help("put a `hence.toml` in the folder that contains both files")
    };
    if !lexically(&wanted).starts_with(root) {
        return Err(outside());
    }
    let found = fs::canonicalize(&wanted).map_err(|error| unfound(&wanted, import, &error))?;
    if found.is_dir() {
        return Err(bad(format!("`{}` can't be imported: it is a folder", import.path))
            .help("import its files one by one"));
    }
    if !found.starts_with(root) {
        return Err(outside());
    }
    let content = read_content(&found).map_err(|error| bad(error.to_string()))?;
    Ok((Location::Disk(found.clone()), shown(&found), content))
}

/// A path without its `..`, as far as they are its own: no link is followed.
fn lexically(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut out, component| {
        match component {
            Component::ParentDir => drop(out.pop()),
            Component::CurDir => {}
            other => out.push(other),
        }
        out
    })
}

/// An import that leads to no file, with the nearest file of that folder.
fn unfound(wanted: &Path, import: &tree::Import, error: &io::Error) -> Diagnostic {
    let is_broken = is_broken_link(wanted);
    let why = if is_broken { String::from("it is a broken link") } else { said(error) };
    let message = format!("`{}` can't be imported: {why}", import.path);
    let fault = Diagnostic::new(BAD_IMPORT, message).at(import.path_span, "");
    match near(wanted).as_deref().and_then(Path::file_name) {
        _ if is_broken => fault,
        Some(near) => fault.help(format!("did you mean `{}`?", near.display())),
        None => fault.help("the path is relative to the folder of this file"),
    }
}

/// A path as a person would write it: relative to the current folder where it is below it.
fn shown(path: &Path) -> String {
    let here = std::env::current_dir().and_then(fs::canonicalize).unwrap_or_default();
    path.strip_prefix(&here).unwrap_or(path).display().to_string()
}

/// A folder as a person would write it.
fn folder(path: &Path) -> String {
    Some(shown(path)).filter(|name| !name.is_empty()).unwrap_or_else(|| String::from("."))
}

/// The file that an import of a shipped file leads to.
fn in_binary(file: &str, import: &tree::Import) -> Result<(Location, String, Content), Diagnostic> {
    let mut parts: Vec<&str> = file.split('/').collect();
    parts.pop();
    for component in Path::new(&import.path).components() {
        match component {
            Component::ParentDir => drop(parts.pop()),
            Component::Normal(part) => parts.push(part.to_str().or_broken("a part of a text is a text")),
            _ => {}
        }
    }
    let path = parts.join("/");
    match shipped::file(&path) {
        Some(text) => Ok((
            Location::Shipped(path.clone()),
            shipped::display_name(&path),
            Content::Bytes(Cow::Borrowed(text.as_bytes())),
        )),
        None => Err(Diagnostic::new(BAD_IMPORT, format!("`{path}` is not a file of the shipped packs"))
            .at(import.path_span, "")),
    }
}
