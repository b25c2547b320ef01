//! Python: modules, calls by the names of their modules, builtins.

use tree_sitter::{Node, Tree};

use super::names::Names;
use super::shown::Shown;
use crate::tree::{self, Left, Looking};

/// The functions that are there without an import.
const BUILTINS: [&str; 72] = [
    "__build_class__",
    "__builtins__",
    "__import__",
    "__loader__",
    "abs",
    "aiter",
    "all",
    "anext",
    "any",
    "ascii",
    "bin",
    "bool",
    "breakpoint",
    "bytearray",
    "bytes",
    "callable",
    "chr",
    "classmethod",
    "compile",
    "complex",
    "delattr",
    "dict",
    "dir",
    "divmod",
    "enumerate",
    "eval",
    "exec",
    "exit",
    "filter",
    "float",
    "format",
    "frozenset",
    "getattr",
    "globals",
    "hasattr",
    "hash",
    "help",
    "hex",
    "id",
    "input",
    "int",
    "isinstance",
    "issubclass",
    "iter",
    "len",
    "list",
    "locals",
    "map",
    "max",
    "memoryview",
    "min",
    "next",
    "object",
    "oct",
    "open",
    "ord",
    "pow",
    "print",
    "property",
    "quit",
    "range",
    "repr",
    "reversed",
    "round",
    "set",
    "setattr",
    "slice",
    "sorted",
    "staticmethod",
    "str",
    "sum",
    "vars",
];

/// Takes in one file.
pub(super) fn look(shown: &mut Shown, looking: &mut Looking, tree: &Tree, source: &[u8]) -> Result<(), Left> {
    let mut names = Names::new(".");
    looking.visit(tree, &mut |node, _| match node.kind() {
        "import_statement" => import(shown, &mut names, node, source),
        "import_from_statement" => from(shown, &mut names, node, source),
        _ => {}
    })?;
    looking.visit(tree, &mut |node, _| {
        if node.kind() == "assignment"
            && let (Some(left), Some(right)) =
                (node.child_by_field_name("left"), node.child_by_field_name("right"))
            && left.kind() == "identifier"
            && matches!(right.kind(), "attribute" | "identifier")
            && let Some(value) = Shown::written(right, source)
        {
            let variable = tree::text(left, source);
            if BUILTINS.contains(&value.as_str()) {
                names.add(&variable, &value)
            } else {
                names.hold(&variable, &value)
            }
        }
    })?;
    looking.visit(tree, &mut |node, above| match node.kind() {
        "call" => call(shown, &names, node, source),
        "identifier" => builtin(shown, node, above.last().copied(), source),
        _ => {}
    })
}

fn import(shown: &mut Shown, names: &mut Names, node: Node<'_>, source: &[u8]) {
    for child in tree::children(node) {
        if child.kind() == "aliased_import" {
            let (Some(module), Some(alias)) =
                (tree::field(child, "name", source), tree::field(child, "alias", source))
            else {
                continue;
            };
            names.add(&alias, &module);
            shown.imports.insert(module);
        } else if child.kind() == "dotted_name" {
            shown.imports.insert(tree::text(child, source));
        }
    }
}

fn from(shown: &mut Shown, names: &mut Names, node: Node<'_>, source: &[u8]) {
    let Some(module) = node.child_by_field_name("module_name") else { return };
    let text: String = tree::text(module, source).chars().filter(|letter| !letter.is_whitespace()).collect();
    let mut cursor = node.walk();
    for child in node.children_by_field_name("name", &mut cursor) {
        let (name, alias) = match child.kind() {
            "aliased_import" => (tree::field(child, "name", source), tree::field(child, "alias", source)),
            _ => (Some(tree::text(child, source)), Some(tree::text(child, source))),
        };
        if let (Some(name), Some(alias)) = (name, alias) {
            names.add(&alias, &format!("{text}.{name}"));
        }
    }
    shown.imports.insert(text);
}

fn call(shown: &mut Shown, names: &Names, node: Node<'_>, source: &[u8]) {
    let Some(function) = node.child_by_field_name("function") else { return };
    let Some(written) = Shown::written(function, source) else { return };
    let meant = names.meant(&written);
    for meaning in &meant {
        shown.builtins.extend(
            meaning.strip_prefix("builtins.").or(meaning.strip_prefix("__builtins__.")).map(str::to_owned),
        );
        if meaning == "__import__" || meaning == "importlib.import_module" {
            let first = node.child_by_field_name("arguments").and_then(|all| all.named_child(0));
            let text = first.filter(|first| first.kind() == "string").map(|first| tree::text(first, source));
            shown.imports.extend(text.map(|text| text.trim_matches(['"', '\'']).to_owned()));
        }
    }
    shown.calls.extend(meant);
    shown.log(&written, node.child_by_field_name("arguments"), source);
}

/// A builtin counts wherever its name is used, not where an attribute or an argument is called like it.
fn builtin(shown: &mut Shown, node: Node<'_>, above: Option<Node<'_>>, source: &[u8]) {
    let is = |field| above.and_then(|above| above.child_by_field_name(field)) == Some(node);
    let kind = above.map_or("", |above| above.kind());
    let elsewhere = (kind == "attribute" && is("attribute"))
        || (kind == "keyword_argument" && is("name"))
        || matches!(kind, "dotted_name" | "function_definition" | "class_definition");
    if !elsewhere {
        let name = tree::text(node, source);
        if BUILTINS.contains(&name.as_str()) {
            shown.builtins.insert(name);
        }
    }
}
