//! What the source of one tool or script shows, whatever its language.

use std::collections::BTreeSet;

use tree_sitter::Node;

use crate::facts::{name, string};
use crate::tree;
use hence_core::fact::Fact;

/// The tags that a tool's log lines carry, and their names.
const TAGS: [(&str, &str); 7] = [
    ("[TOOL_ENTRY]", "/entry"),
    ("[TOOL_EXIT]", "/exit"),
    ("[TOOL_ERROR]", "/error"),
    ("[TOOL_TIMING]", "/timing"),
    ("[TOOL_API_CALL]", "/api_call"),
    ("[TOOL_ITERATION]", "/iteration"),
    ("[TOOL_DECISION]", "/decision"),
];

/// How functions that log are called: the beginnings of their names, letter case ignored.
const LOGGING: [&str; 14] = [
    "print",
    "fprint",
    "eprint",
    "log",
    "debug",
    "info",
    "warn",
    "error",
    "exception",
    "fatal",
    "panic",
    "trace",
    "echo",
    "critical",
];

/// The longest text by which a call is known, in bytes.
const LONGEST: usize = 1_000;

/// How many parts of an argument are looked at for strings.
const MOST_PARTS: usize = 10_000;

/// What one tool's or script's source shows.
#[derive(Default)]
pub(super) struct Shown {
    pub(super) imports: BTreeSet<String>,
    pub(super) calls: BTreeSet<String>,
    pub(super) builtins: BTreeSet<String>,
    pub(super) patterns: BTreeSet<String>,
    /// Whether something in it runs over and over.
    pub(super) has_loop: bool,
    tags: BTreeSet<&'static str>,
}

impl Shown {
    /// As a tool: imports, then calls, log tags, whether there is a loop, patterns, each in order.
    pub(super) fn of_tool(&self, tool: &str) -> Vec<Fact> {
        let id = string(tool);
        let imports = self.imports.iter().map(|import| Fact::new("source_import", [id, string(import)]));
        let calls = self.calls.iter().map(|call| Fact::new("source_call", [id, string(call)]));
        let tags = self.tags.iter().map(|tag| Fact::new("source_log", [id, name(tag)]));
        let repeats = self.has_loop.then(|| Fact::new("source_loop", [id]));
        imports.chain(calls).chain(tags).chain(repeats).chain(self.patterns(tool)).collect()
    }

    /// As a script: imports, then builtins, then patterns, each in order.
    pub(super) fn of_script(&self, script: &str) -> Vec<Fact> {
        let id = string(script);
        let imports = self.imports.iter().map(|module| Fact::new("script_import", [id, string(module)]));
        let builtins = self.builtins.iter().map(|builtin| Fact::new("script_builtin", [id, string(builtin)]));
        imports.chain(builtins).chain(self.patterns(script)).collect()
    }

    fn patterns(&self, source: &str) -> impl Iterator<Item = Fact> {
        let id = string(source);
        self.patterns.iter().map(move |pattern| Fact::new("source_pattern", [id, name(pattern)]))
    }

    /// What is called, as it is written, without white space; of a long expression nothing.
    pub(super) fn written(function: Node<'_>, source: &[u8]) -> Option<String> {
        let short = function.byte_range().len() <= LONGEST;
        short.then(|| tree::text(function, source).chars().filter(|letter| !letter.is_whitespace()).collect())
    }

    /// Takes in the tags of what is handed to a function that logs by its name.
    pub(super) fn log(&mut self, called: &str, arguments: Option<Node<'_>>, source: &[u8]) {
        let last = called.rsplit(['.', ':']).next().unwrap_or_default().to_ascii_lowercase();
        if !LOGGING.iter().any(|begin| last.starts_with(begin)) {
            return;
        }
        for text in arguments.into_iter().flat_map(strings).map(|node| tree::text(node, source)) {
            self.tags.extend(TAGS.iter().filter(|(tag, _)| text.contains(tag)).map(|(_, name)| *name));
        }
    }
}

/// The strings that arguments are or are put together of; what is inside a further call is not among them.
fn strings(arguments: Node<'_>) -> Vec<Node<'_>> {
    let mut open = tree::children(arguments);
    let mut found = Vec::new();
    let mut parts = 0;
    while let Some(node) = open.pop() {
        parts += 1;
        match node.kind() {
            _ if parts > MOST_PARTS => break,
            "interpreted_string_literal"
            | "raw_string_literal"
            | "string_literal"
            | "string"
            | "template_string"
            | "raw_string"
            | "concatenated_string" => found.push(node),
            "binary_expression"
            | "binary_operator"
            | "parenthesized_expression"
            | "keyword_argument"
            | "token_tree" => {
                open.extend(tree::children(node));
            }
            _ => {}
        }
    }
    found
}
