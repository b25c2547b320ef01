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
