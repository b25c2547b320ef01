//! Rust: paths of `use`, and calls by their whole paths.

use tree_sitter::{Node, Tree};

use super::names::Names;
use super::shown::Shown;
use crate::codebase::rust_uses;
use crate::tree::{self, Left, Looking};

/// Takes in one file.
pub(super) fn look(shown: &mut Shown, looking: &mut Looking, tree: &Tree, source: &[u8]) -> Result<(), Left> {
    let mut names = Names::new("::");
    looking.visit(tree, &mut |node, _| match node.kind() {
        "use_declaration" => {
            for (path, alias) in rust_uses(node, source) {
                names.add(&alias, &path);
                shown.imports.insert(path);
            }
        }
        "extern_crate_declaration" => shown.imports.extend(tree::field(node, "name", source)),
        _ => {}
    })?;
    looking.visit(tree, &mut |node, _| {
        if node.kind() == "let_declaration"
            && let (Some(left), Some(right)) =
                (node.child_by_field_name("pattern"), node.child_by_field_name("value"))
            && left.kind() == "identifier"
            && matches!(right.kind(), "scoped_identifier" | "identifier")
            && let Some(value) = Shown::written(right, source)
        {
            names.hold(&tree::text(left, source), &value);
        }
    })?;
    looking.visit(tree, &mut |node, _| match node.kind() {
        "call_expression" => call(shown, &names, node, source),
        "macro_invocation" => {
            if let Some(called) = tree::field(node, "macro", source) {
                let tokens = tree::children(node).into_iter().find(|child| child.kind() == "token_tree");
                shown.log(&called, tokens, source);
                shown.calls.insert(format!("{called}!"));
            }
        }
        _ => {}
    })
}

fn call(shown: &mut Shown, names: &Names, node: Node<'_>, source: &[u8]) {
    let Some(mut function) = node.child_by_field_name("function") else { return };
    if function.kind() == "generic_function" {
        function = function.child_by_field_name("function").unwrap_or(function);
    }
    let Some(written) = Shown::written(function, source) else { return };
    shown.calls.extend(names.meant(&written));
    shown.log(&written, node.child_by_field_name("arguments"), source);
}
