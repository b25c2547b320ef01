//! What a source file says: its imports, its classes and functions, and what it says of itself.

use tree_sitter::{Node, Tree};

use super::language::Language;
use super::{go, python, rust, script};
use crate::source;
use crate::tree::{self, Left, Looking};

/// The longest text that a file's own words are taken of, in characters.
const LONGEST_DOC: usize = 2_000;

/// The longest purpose, in characters.
const LONGEST_PURPOSE: usize = 200;

/// What a file says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Parsed {
    pub(super) lines: i64,
    pub(super) imports: Vec<Import>,
    pub(super) classes: Vec<String>,
    pub(super) functions: Vec<String>,
    pub(super) doc: Option<String>,
    /// Calls of what is imported.
    pub(super) calls: Vec<String>,
}

/// An import: as it is written, and what has to be found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Import {
    pub(super) text: String,
    pub(super) wanted: Wanted,
}

impl Parsed {
    /// The first sentence by which the file speaks of itself.
    pub(super) fn purpose(&self) -> Option<String> {
        first_sentence(self.doc.as_deref()?)
    }
}

/// The first sentence of a text with single spaces, at most 200 characters of it.
pub(super) fn first_sentence(text: &str) -> Option<String> {
    let paragraph = text.trim().split("\n\n").next()?;
    let line = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    let end =
        [". ", "! ", "? "].iter().filter_map(|end| line.find(end)).min().map_or(line.len(), |at| at + 1);
    let sentence: String = line.split_at(end).0.chars().take(LONGEST_PURPOSE).collect();
    (!sentence.is_empty()).then_some(sentence)
}

impl Import {
    /// Whether a call is one of what is imported.
    pub(super) fn is_called(&self, call: &str) -> bool {
        let (name, separator) = match &self.wanted {
            Wanted::Go(package) => (package.rsplit('/').next().unwrap_or(package), "."),
            Wanted::Rust { .. } | Wanted::RustModule { .. } => (self.text.as_str(), "::"),
            Wanted::Python { .. } | Wanted::Script(_) => (self.text.as_str(), "."),
        };
        call.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(separator))
    }
}

/// What an import leads to, by language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// A Python module: dots before it, its parts, and the names taken from it.
    Python { dots: usize, module: Vec<String>, names: Vec<String> },
    /// A specifier of JavaScript or TypeScript.
    Script(String),
    /// A path of Rust, and how many inline modules enclose it.
    Rust { path: Vec<String>, inline: usize },
    /// A module of Rust in a file of its own, below these inline modules, or where an attribute says.
    RustModule { name: String, inline: Vec<String>, file: Option<String> },
    /// A package of Go.
    Go(String),
}

/// Reads a file's text.
pub(super) fn parse(path: &str, language: Language, source: &[u8]) -> Result<Parsed, Left> {
    let mut parsed = Parsed { lines: lines(source), ..Parsed::default() };
    let mut looking = Looking::begin();
    let tree = looking.parse(&language.grammar(), source)?;
    let mut look = |node: Node<'_>, above: &[Node<'_>]| match language {
        Language::Python => python::look(node, source, &mut parsed),
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            script::look(node, source, &mut parsed);
        }
        Language::Rust => rust::look(node, above, source, &mut parsed),
        Language::Go => go::look(node, source, &mut parsed),
    };
    looking.visit(&tree, &mut look)?;
    let calls = source::calls(path, &mut looking, &tree, source)?.into_iter();
    parsed.calls = calls.filter(|call| parsed.imports.iter().any(|import| import.is_called(call))).collect();
    parsed.doc = match language {
        Language::Python => python::doc(&tree, source),
        _ => comment_doc(language, &tree, source),
    }
    .filter(|doc| !doc.is_empty())
    .map(|doc| doc.chars().take(LONGEST_DOC).collect());
    Ok(parsed)
}

/// The number of lines; a last one without a line break counts.
fn lines(source: &[u8]) -> i64 {
    let breaks = source.iter().filter(|byte| **byte == b'\n').count();
    let open = source.last().is_some_and(|byte| *byte != b'\n');
    i64::try_from(breaks.saturating_add(usize::from(open))).unwrap_or(i64::MAX)
}

/// The comments at the head of a file that speak of the file: `//!` of Rust, those right before `package` of Go, the
/// first one or run of them of a script.
fn comment_doc(language: Language, tree: &Tree, source: &[u8]) -> Option<String> {
    let mut words = Vec::new();
    let mut end = None;
    for node in tree::children(tree.root_node()) {
        let text = tree::text(node, source);
        match node.kind() {
            "hash_bang_line" => continue,
            "comment" | "line_comment" | "block_comment" => {}
            "package_clause" if end.is_some_and(|end: usize| end + 1 < node.start_position().row) => {
                words.clear();
                break;
            }
            _ => break,
        }
        let inner = text.starts_with("//!") || text.starts_with("/*!");
        if language == Language::Rust && !inner {
            if words.is_empty() { continue } else { break }
        }
        // A blank line ends one comment and begins another.
        if end.is_some_and(|end: usize| end + 1 < node.start_position().row) {
            if language == Language::Go { words.clear() } else { break }
        }
        let ends_line = text.ends_with('\n');
        end = Some(node.end_position().row.saturating_sub(usize::from(ends_line)));
        words.push(plain(&text));
    }
    if language == Language::Go && end.is_none() {
        return None;
    }
    Some(words.join("\n").trim().to_owned())
}

/// A comment without its marks.
fn plain(comment: &str) -> String {
    let inner = comment.trim_end();
    let inner = inner.strip_suffix("*/").unwrap_or(inner);
    let line = |line: &str| {
        let line = line.trim();
        let line = ["//!", "///", "//", "/**", "/*!", "/*", "*"]
            .iter()
            .find_map(|mark| line.strip_prefix(mark))
            .unwrap_or(line);
        line.trim().to_owned()
    };
    inner.lines().map(line).collect::<Vec<_>>().join("\n")
}
