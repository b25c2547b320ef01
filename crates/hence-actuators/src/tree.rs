//! Syntax trees of tree-sitter: parsed and walked in bounded time, without recursion.

use std::borrow::Cow;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use tree_sitter::{Language, Node, ParseOptions, Parser, Tree};

use super::error::ActuatorError;
use hence_core::fault::OrBroken;
use hence_core::file;
use hence_core::meter::{self, Meter, Stopped};

/// The largest source file that is read, in bytes.
pub(super) const LARGEST: u64 = 2 << 20;
/// How long one file may take. Source code of that size takes a tenth of it; anything else may take minutes.
const LONGEST: Duration = Duration::from_secs(2);
/// How many bytes at the beginning of a file show whether it is text, as git looks at it.
const HEAD: usize = 8_000;
/// A text has at most one byte in so many that is not UTF-8.
const STRANGE: usize = 20;
/// How many steps a node counts for: what is done with it costs more than a step of a join.
const STEPS_PER_NODE: u64 = 16;

/// Why nothing is read from a source file.
#[derive(Debug)]
pub(super) enum Left {
    /// Something about the file.
    File(Cow<'static, str>),
    /// The process reached a limit.
    Stopped(Stopped),
}

impl Left {
    /// The file took too long, if it is not that the process may not go on.
    fn late() -> Self {
        match meter::check("reading source code") {
            Ok(()) => Self::File(TOO_LONG.into()),
            Err(stopped) => Self::Stopped(stopped),
        }
    }

    /// As the error of an input that is required.
    pub(super) fn of(self, input: &str) -> ActuatorError {
        match self {
            Self::Stopped(stopped) => ActuatorError::Limit(stopped),
            Self::File(why) => ActuatorError::Read {
                input: input.to_owned(),
                source: io::Error::other(format!("it is {why}")),
            },
        }
    }
}

/// What is left out, as a summary calls it.
pub(super) const TOO_LARGE: &str = "larger than 2 MiB";
pub(super) const NO_TEXT: &str = "not text";
const TOO_LONG: &str = "not parsed within 2 s";

/// The text of a source file, or why it is not read.
///
/// # Errors
/// What the system says where that is not about the file's kind or size.
pub(super) fn read(path: &Path) -> io::Result<Result<Vec<u8>, &'static str>> {
    match file::read(path, LARGEST) {
        Ok(bytes) if is_text(&bytes) => Ok(Ok(bytes)),
        Ok(_) => Ok(Err(NO_TEXT)),
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => Ok(Err(TOO_LARGE)),
        Err(error) => Err(error),
    }
}

/// Whether bytes are text: no zero byte near their beginning, and nearly all UTF-8.
pub(super) fn is_text(bytes: &[u8]) -> bool {
    let head = bytes.get(..HEAD).unwrap_or(bytes);
    let strange: usize = head.utf8_chunks().map(|chunk| chunk.invalid().len()).sum();
    !head.contains(&0) && strange <= head.len() / STRANGE
}

/// A source file at work.
pub(super) struct Looking {
    meter: Meter,
}

impl Looking {
    /// The time of a file counts from now.
    pub(super) fn begin() -> Self {
        Self { meter: Meter::new(Some(LONGEST)) }
    }

    /// The syntax tree of a text; a faulty text has one too.
    pub(super) fn parse(&self, language: &Language, text: &[u8]) -> Result<Tree, Left> {
        let mut parser = Parser::new();
        parser.set_language(language).ok().or_broken("the grammars are of the version of the parser");
        let meter = self.meter;
        let mut look = |_: &_| match meter.look() {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        };
        let options = ParseOptions::new().progress_callback(&mut look);
        let mut rest = |from: usize, _| text.get(from..).unwrap_or_default();
        parser.parse_with_options(&mut rest, None, Some(options)).ok_or_else(Left::late)
    }

    /// Visits every named node of a tree with its ancestors, parents before children, in the order of the
    /// text.
    pub(super) fn visit<'t>(
        &mut self,
        tree: &'t Tree,
        visit: &mut dyn FnMut(Node<'t>, &[Node<'t>]),
    ) -> Result<(), Left> {
        let mut cursor = tree.walk();
        let mut above = Vec::new();
        loop {
            self.meter.steps(STEPS_PER_NODE).map_err(|_| Left::late())?;
            let node = cursor.node();
            if node.is_named() {
                visit(node, &above);
            }
            if cursor.goto_first_child() {
                above.push(node);
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return Ok(());
                }
                above.pop();
            }
        }
    }
}

/// The text of a node; bytes that are not UTF-8 read as U+FFFD.
pub(super) fn text(node: Node<'_>, source: &[u8]) -> String {
    let bytes = source.get(node.byte_range()).or_broken("a node lies inside its text");
    String::from_utf8_lossy(bytes).into_owned()
}

/// The text of a child by its field.
pub(super) fn field(node: Node<'_>, field: &str, source: &[u8]) -> Option<String> {
    node.child_by_field_name(field).map(|child| text(child, source))
}

/// The named children of a node.
pub(super) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    node.named_children(&mut node.walk()).collect()
}
