//! JavaScript and TypeScript: modules, and calls by the names of their modules.

use tree_sitter::{Node, Tree};

use super::names::Names;
use super::shown::Shown;
use crate::tree::{self, Left, Looking};

/// How deep a pattern that takes a module apart is read.
const DEEPEST: usize = 8;

/// Takes in one file.
pub(super) fn look(shown: &mut Shown, looking: &mut Looking, tree: &Tree, source: &[u8]) -> Result<(), Left> {
    let mut names = Names::new(".");
    looking.visit(tree, &mut |node, _| match node.kind() {
        "import_statement" | "export_statement" => import(shown, &mut names, node, source),
        "call_expression" => shown.imports.extend(required(node, source)),
        _ => {}
    })?;
    looking.visit(tree, &mut |node, _| {
        let (left, right) = match node.kind() {
            "variable_declarator" => ("name", "value"),
            "assignment_expression" => ("left", "right"),
            _ => return,
        };
        if let (Some(left), Some(right)) = (node.child_by_field_name(left), node.child_by_field_name(right)) {
            hold(&mut names, left, right, source);
        }
    })?;
    looking.visit(tree, &mut |node, _| match node.kind() {
        "call_expression" => call(shown, &names, node, "function", source),
        "new_expression" => call(shown, &names, node, "constructor", source),
        _ => {}
    })
}

/// The text of a string that is not put together.
fn plain(node: Node<'_>, source: &[u8]) -> Option<String> {
    let text = tree::text(node, source);
    let inner = text.trim_matches(['"', '\'', '`']);
    (matches!(node.kind(), "string" | "template_string") && !inner.contains("${")).then(|| inner.to_owned())
}

fn import(shown: &mut Shown, names: &mut Names, node: Node<'_>, source: &[u8]) {
    let whole = tree::children(node).into_iter().find(|child| child.kind() == "import_require_clause");
    let from = node.child_by_field_name("source").or_else(|| whole?.child_by_field_name("source"));
    let Some(module) = from.and_then(|from| plain(from, source)) else { return };
    for child in tree::children(node)
        .into_iter()
        .flat_map(tree::children)
        .chain(whole.into_iter().flat_map(tree::children))
    {
        match child.kind() {
            "identifier" => names.add(&tree::text(child, source), &module),
            "namespace_import" => {
                let name = child.named_child(0).map(|name| tree::text(name, source));
                name.iter().for_each(|name| names.add(name, &module));
            }
            "named_imports" => {
                for one in tree::children(child) {
                    let name = tree::field(one, "name", source);
                    let alias = tree::field(one, "alias", source).or_else(|| name.clone());
                    if let (Some(name), Some(alias)) = (name, alias) {
                        names.add(&alias, &format!("{module}.{name}"));
                    }
                }
            }
            _ => {}
        }
    }
    shown.imports.insert(module);
}

/// The module that a call of `require` or `import` brings.
fn required(node: Node<'_>, source: &[u8]) -> Option<String> {
    let function = node.child_by_field_name("function")?;
    let brings = function.kind() == "import"
        || function.kind() == "identifier" && tree::text(function, source) == "require";
    let first = node.child_by_field_name("arguments")?.named_child(0)?;
    if brings { plain(first, source) } else { None }
}

/// Notes what a variable, or the parts of a pattern, hold.
fn hold(names: &mut Names, left: Node<'_>, right: Node<'_>, source: &[u8]) {
    let mut value = right;
    for _ in 0..DEEPEST {
        match value.kind() {
            "await_expression" | "parenthesized_expression" => value = value.named_child(0).unwrap_or(value),
            _ => break,
        }
    }
    let whole = match value.kind() {
        "call_expression" => required(value, source),
        "member_expression" => {
            let module = value.child_by_field_name("object").and_then(|object| required(object, source));
            let property = tree::field(value, "property", source);
            module
                .zip(property)
                .map(|(module, property)| format!("{module}.{property}"))
                .or_else(|| Shown::written(value, source))
        }
        "identifier" => Shown::written(value, source),
        _ => None,
    };
    let Some(whole) = whole else { return };
    let is_module = value.kind() == "call_expression" || value.kind() == "member_expression";
    match left.kind() {
        "identifier" if is_module => {
            names.meant(&whole).iter().for_each(|meaning| names.add(&tree::text(left, source), meaning));
        }
        "identifier" => names.hold(&tree::text(left, source), &whole),
        "object_pattern" => {
            for part in tree::children(left) {
                let name = tree::field(part, "key", source).unwrap_or_else(|| tree::text(part, source));
                let alias = tree::field(part, "value", source).unwrap_or_else(|| name.clone());
                names
                    .meant(&whole)
                    .iter()
                    .for_each(|meaning| names.add(&alias, &format!("{meaning}.{name}")));
            }
        }
        _ => {}
    }
}

fn call(shown: &mut Shown, names: &Names, node: Node<'_>, field: &str, source: &[u8]) {
    let Some(function) = node.child_by_field_name(field) else { return };
    let arguments = node.child_by_field_name("arguments");
    match function.kind() {
        "import" => return,
        "member_expression" => {
            // `require("fs").unlink(…)` is of that module.
            let module = function.child_by_field_name("object").and_then(|object| required(object, source));
            if let (Some(module), Some(property)) = (module, tree::field(function, "property", source)) {
                shown.calls.insert(format!("{module}.{property}"));
                return;
            }
        }
        _ => {}
    }
    let Some(written) = Shown::written(function, source) else { return };
    let written = written.replace("?.", ".");
    shown.calls.extend(names.meant(&written));
    shown.log(&written, arguments, source);
}
