//! Syntax trees of shell, made in bounded time.

use std::ops::ControlFlow;
use std::time::Instant;

use hence_core::fault::OrBroken;
use tree_sitter::{Node, ParseOptions, Parser, Tree};

/// The tree of a text; `None` where it takes longer than until `end`.
pub(super) fn parse(text: &str, end: Instant) -> Option<Tree> {
    let mut parser = Parser::new();
    let language = tree_sitter_bash::LANGUAGE.into();
    parser.set_language(&language).ok().or_broken("the grammar is of the version of the parser");
    let mut look = |_: &_| {
        if Instant::now() < end { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut look);
    let bytes = text.as_bytes();
    let mut rest = |from: usize, _| bytes.get(from..).unwrap_or_default();
    parser.parse_with_options(&mut rest, None, Some(options))
}

/// A text without the backslash at the beginning of a line, where that only quotes a letter and the grammar takes the line for
/// a part of the command before it; `None` where it does so nowhere.
pub(super) fn with_breaks(tree: &Tree, source: &str) -> Option<String> {
    let mut found = Vec::new();
    for node in nodes(tree).into_iter().filter(|node| node.kind() == "word" && node.child_count() == 0) {
        let own = text(node, source);
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_./".contains(c);
        let quotes = |at: usize| own.get(at + 2..).is_some_and(|rest| rest.starts_with(is_plain));
        let breaks = own.match_indices("\n\\").filter(|(at, _)| quotes(*at));
        found.extend(breaks.map(|(at, _)| node.start_byte() + at + 1));
    }
    let mut mended = String::new();
    let mut at = 0;
    for next in &found {
        mended.push_str(source.get(at..*next).unwrap_or_default());
        at = *next + 1;
    }
    mended.push_str(source.get(at..).unwrap_or_default());
    (!found.is_empty()).then_some(mended)
}

/// A word that the grammar takes for two: one that touches the next.
pub(super) fn torn<'t>(tree: &Tree, source: &'t str) -> Option<&'t str> {
    let is_whole = |node: &Node<'_>| {
        matches!(node.kind(), "concatenation" | "string" | "heredoc_body" | "expansion")
            || node.child_count() < 2
    };
    for node in nodes(tree).into_iter().filter(|node| !is_whole(node)) {
        let touches = |pair: &[Node<'_>]| {
            pair.iter().all(|node| is_word(*node))
                && pair.first().map(Node::end_byte) == pair.last().map(Node::start_byte)
        };
        if let Some(word) = children(node).windows(2).find(|pair| touches(pair)).and_then(<[_]>::first) {
            return Some(text(*word, source));
        }
    }
    None
}

/// Whether a node is a word of a command.
pub(super) fn is_word(node: Node<'_>) -> bool {
    let kinds =
        ["word", "concatenation", "string", "raw_string", "ansi_c_string", "number", "simple_expansion"];
    kinds.contains(&node.kind()) || matches!(node.kind(), "expansion" | "command_substitution")
}

/// All nodes of a tree.
fn nodes(tree: &Tree) -> Vec<Node<'_>> {
    let mut cursor = tree.walk();
    let mut all = vec![cursor.node()];
    loop {
        let mut goes_on = cursor.goto_first_child() || cursor.goto_next_sibling();
        while !goes_on {
            if !cursor.goto_parent() {
                return all;
            }
            goes_on = cursor.goto_next_sibling();
        }
        all.push(cursor.node());
    }
}

/// The text of a node.
pub(super) fn text<'t>(node: Node<'_>, source: &'t str) -> &'t str {
    source.get(node.byte_range()).unwrap_or_default()
}

/// The named children of a node.
pub(super) fn named(node: Node<'_>) -> Vec<Node<'_>> {
    node.named_children(&mut node.walk()).collect()
}

/// All children of a node.
pub(super) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    node.children(&mut node.walk()).collect()
}
