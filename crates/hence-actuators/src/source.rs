//! `source`: what the source of a tool or a script imports, calls, logs, and shows that it must not.

mod dialect;
mod go;
mod names;
mod python;
mod rust;
mod script;
mod shell;
mod shown;

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read as _};
use std::path::Path;

use super::error::ActuatorError;
use super::error_text::id;
use super::facts::assert;
use super::input::{Form, Input, STANDARD_INPUT, pauses};
use super::json::{self, Object};
use super::objects::JsonObjects;
use super::table::{PatternTable, Shipped};
use super::tree::{self, Left, Looking};
use super::{ObservationScope, Observer, ProgressSink, Sink, Summary};
use dialect::Dialect;
use hence_core::fact::Fact;
use shown::Shown;
use tree_sitter::Tree;

/// The name of the observer.
pub const NAME: &str = "source";

const PATTERNS: Shipped = Shipped {
    file: "source_patterns.csv",
    columns: ["pattern", "regex"],
    text: include_str!("../../../facts/source_patterns.csv"),
    names: true,
    case: true,
    unicode: false,
    pattern: str::to_owned,
};

const DECLARATIONS: &str = "\
input source_import(tool: string, import: string).
input source_call(tool: string, call: string).
input source_log(tool: string, tag: name).
input source_loop(tool: string).
input source_pattern(source: string, pattern: name).
input script_import(script: string, module: string).
input script_builtin(script: string, name: string).
";

/// Turns the source of a tool into `source_import`, `source_call`, `source_log` and, where it has a loop, `source_loop`, a Python
/// script into `script_import` and `script_builtin`, and both into `source_pattern` by `facts/source_patterns.csv` (`pattern,regex`), comments and
/// strings included.
///
/// Go, Python, JavaScript, TypeScript, Rust and shell are read. The language is told by the file's ending, by the first
/// line (`#!…`), or else by the only grammar that fits. Source of another language than it is called like is refused.
///
/// A call is reported as it is written (`client.Do`), but by the own name of the module where that is imported under
/// another one, and by what a name means where an imported function is put into a variable that is called: after
/// `import o "os"`, `o.Remove` is `os.Remove`; so are `from os import remove as r` with `r()`, `const { unlink } =
/// require("fs")` with `unlink()`, and `use std::fs` with `fs::remove_file()`. Macros of Rust end with `!`. In shell,
/// calls are commands, also those that `sudo`, `env` and the like run, and imports the files that `source` reads in.
/// A tag counts in a string handed to a function that logs by its name. What is in a comment or in another string is
/// neither a call nor a tag. Text that doesn't parse yields what can be recognised in it.
///
/// A file is one tool, called like the file; a Python file is a script. A folder is a tool, too, all source files in it
/// but the tests. As JSON Lines: `text`, where they are known `tool` or `script` (the id) and `language`.
pub struct SourceCode {
    patterns: PatternTable,
}

/// What a source belongs to.
enum Subject {
    Tool(String),
    Script(String),
}

impl SourceCode {
    /// With the shipped table of patterns, or that of the folder `tables`.
    ///
    /// # Errors
    /// A table that can't be read.
    pub fn from_tables(tables: Option<&Path>) -> Result<Self, ActuatorError> {
        Ok(Self { patterns: PatternTable::load(&PATTERNS, tables)? })
    }

    /// The facts of a tool's source, which is a file called `name`: imports, then calls, log tags and patterns, each in
    /// order.
    ///
    /// # Errors
    /// A source whose language can't be told or is another one, that takes too long, a limit.
    pub fn facts(&self, name: &str, source: &[u8]) -> Result<Vec<Fact>, ActuatorError> {
        let mut shown = Shown::default();
        self.look(&mut shown, Dialect::of_name(name), source).map_err(|left| left.of(name))?;
        Ok(shown.of_tool(name))
    }

    /// The facts of the source of a tool in a language by its word.
    #[cfg(all(feature = "sandbox", target_os = "linux"))]
    pub(super) fn of_language(
        &self,
        tool: &str,
        language: &str,
        source: &[u8],
    ) -> Result<Vec<Fact>, ActuatorError> {
        let mut shown = Shown::default();
        self.look(&mut shown, Dialect::of_word(language), source).map_err(|left| left.of(tool))?;
        Ok(shown.of_tool(tool))
    }

    /// The patterns that a text shows, whatever it is.
    #[cfg(unix)]
    pub(super) fn patterns(&self, text: &[u8]) -> Vec<String> {
        let labels = self.patterns.labels_of(&String::from_utf8_lossy(text));
        labels.iter().map(|label| label.as_str().to_owned()).collect()
    }

    /// Takes in one file of the language that its name says, or of the one that its text is in.
    fn look(&self, shown: &mut Shown, named: Option<Dialect>, source: &[u8]) -> Result<Dialect, Left> {
        let mut looking = Looking::begin();
        let source = &*dialect::readable(named, source);
        let (dialect, tree) = dialect::tell(&mut looking, named, source)?;
        dialect.look(shown, &mut looking, &tree, source)?;
        let patterns = self.patterns.labels_of(&String::from_utf8_lossy(source)).into_iter();
        shown.patterns.extend(patterns.map(|pattern| pattern.as_str().to_owned()));
        Ok(dialect)
    }

    fn object(&self, object: &mut Object<'_>) -> Result<Vec<Fact>, ActuatorError> {
        let tool = object.optional("tool", "the name of a tool: a string", json::id)?;
        let script = object.optional("script", "the name of a script: a string", json::id)?;
        let text = object.required("text", "source code: a string", json::text)?;
        let named = object.optional("language", Dialect::NAMES, |value| Dialect::of_word(value.as_str()?))?;
        let place = object.place;
        let subject = match (tool, script) {
            (Some(_), Some(_)) => return Err(place.fault("`tool` or `script`", "both")),
            (Some(tool), None) => Subject::Tool(tool),
            (None, Some(script)) => Subject::Script(script),
            (None, None) => {
                Subject::Tool(id(place.input, Some(place.line), "source", &hash(text.as_bytes())))
            }
        };
        let name = match &subject {
            Subject::Tool(name) | Subject::Script(name) => name,
        };
        let source = text.as_bytes();
        let mut shown = Shown::default();
        fit(source).and_then(|()| self.look(&mut shown, named, source)).map_err(|left| left.of(name))?;
        Ok(match subject {
            Subject::Tool(tool) => shown.of_tool(&tool),
            Subject::Script(script) => shown.of_script(&script),
        })
    }

    /// A file, or standard input.
    fn file(&self, input: Input<'_>) -> Result<Vec<Fact>, ActuatorError> {
        let name = input.name();
        let mut source = Vec::new();
        let mut reader = input.into_reader().take(tree::LARGEST + 1);
        while let Err(source) = reader.read_to_end(&mut source) {
            if !pauses(&source) {
                return Err(ActuatorError::Read { input: name.to_owned(), source });
            }
        }
        let named = Dialect::of_name(name);
        let mut shown = Shown::default();
        let dialect = fit(&source)
            .and_then(|()| self.look(&mut shown, named, &source))
            .map_err(|left| left.of(name))?;
        let stem = Path::new(name).file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let stem = stem.filter(|_| name != STANDARD_INPUT).unwrap_or_else(|| name.to_owned());
        let subject = id(&stem, None, "source", &hash(&source));
        Ok(if dialect == Dialect::Python { shown.of_script(&subject) } else { shown.of_tool(&subject) })
    }
}

impl Observer for SourceCode {
    fn name(&self) -> &'static str {
        NAME
    }

    fn about(&self) -> &'static str {
        "the source of a tool or a script: what it imports, calls and logs, and patterns that it must not show"
    }

    fn declarations(&self) -> &'static str {
        DECLARATIONS
    }

    fn scope(&self, _: bool) -> ObservationScope {
        ObservationScope::Subject
    }

    fn forms(&self) -> &'static [Form] {
        &[Form::Text, Form::Json]
    }

    fn observe(&self, input: Input<'_>, sink: &mut Sink<'_>) -> Result<Summary, ActuatorError> {
        let mut summary = Summary::default();
        if input.form(NAME, self.forms())? == Form::Json {
            let mut lines = JsonObjects::new(input);
            while let Some(mut object) = lines.next()? {
                assert(self.object(&mut object)?, &mut summary, sink)?;
                object.leave(&mut summary);
            }
            return Ok(summary);
        }
        assert(self.file(input)?, &mut summary, sink)?;
        Ok(summary)
    }

    fn observe_folder(
        &self,
        root: &Path,
        _: &ProgressSink<'_>,
        sink: &mut Sink<'_>,
    ) -> Result<Summary, ActuatorError> {
        let fault = |source| ActuatorError::Read { input: root.display().to_string(), source };
        let mut shown = Shown::default();
        let mut entries: Vec<_> =
            fs::read_dir(root).map_err(fault)?.collect::<Result<_, _>>().map_err(fault)?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let name = entry.file_name().to_string_lossy().into_owned();
            let kind = entry.file_type().map_err(fault)?;
            let Some(named) = Dialect::of_name(&name).filter(|_| !kind.is_dir() && !dialect::is_test(&name))
            else {
                continue;
            };
            let name = entry.path().display().to_string();
            if !kind.is_file() {
                // What it leads to is a part of the tool for its compiler.
                let why =
                    if kind.is_symlink() { "a link, which is not followed" } else { "not a regular file" };
                return Err(Left::File(why.into()).of(&name));
            }
            let source = tree::read(&entry.path());
            let source = source.map_err(|source| ActuatorError::Read { input: name.clone(), source })?;
            let source = source.map_err(|why| Left::File(why.into()).of(&name))?;
            self.look(&mut shown, Some(named), &source).map_err(|left| left.of(&name))?;
        }
        let tool = root.canonicalize().map_err(fault)?;
        let unnamed =
            || fault(io::Error::other("a tool is named for its folder, and this folder has no name"));
        let tool = tool.file_name().ok_or_else(unnamed)?.to_string_lossy().into_owned();
        let mut summary = Summary::default();
        assert(shown.of_tool(&tool), &mut summary, sink)?;
        Ok(summary)
    }
}

/// What a source of a repository calls, by the own names of what it imports.
pub(super) fn calls(
    name: &str,
    looking: &mut Looking,
    tree: &Tree,
    source: &[u8],
) -> Result<BTreeSet<String>, Left> {
    let mut shown = Shown::default();
    if let Some(dialect) = Dialect::of_name(name) {
        dialect.look(&mut shown, looking, tree, source)?;
    }
    Ok(shown.calls)
}

/// Whether bytes may be source code; otherwise why not.
fn fit(source: &[u8]) -> Result<(), Left> {
    if source.len() as u64 > tree::LARGEST {
        return Err(Left::File(tree::TOO_LARGE.into()));
    }
    if tree::is_text(source) { Ok(()) } else { Err(Left::File(tree::NO_TEXT.into())) }
}

fn hash(source: &[u8]) -> String {
    blake3::hash(source).to_hex().chars().take(16).collect()
}
