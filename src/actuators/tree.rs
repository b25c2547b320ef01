//! Walking syntax trees of tree-sitter without recursion.

use tree_sitter::{Node, Tree};

/// Visits every named node of a tree, parents before children, in the order of the text.
pub(super) fn visit<'t>(tree: &'t Tree, visit: &mut dyn FnMut(Node<'t>)) {
    let mut cursor = tree.walk();
    loop {
        if cursor.node().is_named() {
            visit(cursor.node());
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

/// The text of a node; bytes that are no UTF-8 read as U+FFFD.
pub(super) fn text(node: Node<'_>, source: &[u8]) -> String {
    source.get(node.byte_range()).map(String::from_utf8_lossy).unwrap_or_default().into_owned()
}

/// The text of a child by its field.
pub(super) fn field(node: Node<'_>, field: &str, source: &[u8]) -> Option<String> {
    node.child_by_field_name(field).map(|child| text(child, source))
}

/// The named children of a node.
pub(super) fn children(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let count = u32::try_from(node.named_child_count()).unwrap_or(u32::MAX);
    (0..count).filter_map(move |at| node.named_child(at))
}
