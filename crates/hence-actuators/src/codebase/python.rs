//! Python: imports of modules and packages, absolute and relative.

use tree_sitter::{Node, Tree};

use super::index::Index;
use super::parse::{Import, Parsed, Wanted};
use super::paths;
use crate::tree;

/// Takes in what a node says.
pub(super) fn look(node: Node<'_>, source: &[u8], parsed: &mut Parsed) {
    match node.kind() {
        "import_statement" => {
            parsed.imports.extend(names(node, source).into_iter().map(|module| Import {
                wanted: Wanted::Python { dots: 0, module: parts(&module), names: Vec::new() },
                text: module,
            }));
        }
        "import_from_statement" => parsed.imports.extend(from(node, source)),
        "class_definition" => parsed.classes.extend(tree::field(node, "name", source)),
        "function_definition" => parsed.functions.extend(tree::field(node, "name", source)),
        _ => {}
    }
}

/// The names that an import statement brings, before any `as`.
fn names(node: Node<'_>, source: &[u8]) -> Vec<String> {
    let mut cursor = node.walk();
    let children = node.children_by_field_name("name", &mut cursor);
    let name = |child: Node<'_>| match child.kind() {
        "aliased_import" => tree::field(child, "name", source),
        _ => Some(tree::text(child, source)),
    };
    children.filter_map(name).collect()
}

fn from(node: Node<'_>, source: &[u8]) -> Option<Import> {
    let text: String =
        tree::field(node, "module_name", source)?.chars().filter(|letter| !letter.is_whitespace()).collect();
    let dots = text.chars().take_while(|letter| *letter == '.').count();
    let wanted =
        Wanted::Python { dots, module: parts(text.trim_start_matches('.')), names: names(node, source) };
    Some(Import { text, wanted })
}

fn parts(module: &str) -> Vec<String> {
    module.split('.').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// The text of a module's first statement, if it is a string.
pub(super) fn doc(tree: &Tree, source: &[u8]) -> Option<String> {
    let first = tree::children(tree.root_node()).into_iter().find(|node| node.kind() != "comment")?;
    let string = first.named_child(0).filter(|_| first.kind() == "expression_statement")?;
    if string.kind() != "string" {
        return None;
    }
    let content = tree::children(string).into_iter().filter(|part| part.kind() == "string_content");
    Some(content.map(|part| tree::text(part, source)).collect::<String>().trim().to_owned())
}

/// The files that an import of `file` leads to.
pub(super) fn resolve(
    index: &Index,
    file: &str,
    dots: usize,
    module: &[String],
    names: &[String],
) -> Vec<String> {
    let own = paths::folder(file);
    if dots > 0 {
        let base = paths::upwards(own).nth(dots - 1);
        return base.map(|base| in_base(index, base, module, names)).unwrap_or_default();
    }
    // A module inside a package is looked up from the folder that holds the package on.
    let is_package = |folder: &str| has(index, folder, "__init__");
    let first = paths::upwards(own).find(|folder| folder.is_empty() || !is_package(folder)).unwrap_or("");
    let bases = paths::upwards(first).chain(["src"]);
    bases.map(|base| in_base(index, base, module, names)).find(|found| !found.is_empty()).unwrap_or_default()
}

/// The module under a folder, or the modules that the names taken from it are.
fn in_base(index: &Index, base: &str, module: &[String], names: &[String]) -> Vec<String> {
    let Some(path) = paths::join(base, &module.join("/")) else { return Vec::new() };
    let itself = if module.is_empty() { package(index, &path) } else { self::module(index, &path) };
    let mut found = Vec::new();
    let mut rest = names.is_empty();
    for name in names {
        match self::module(index, &if path.is_empty() { name.clone() } else { format!("{path}/{name}") }) {
            Some(file) => found.push(file),
            None => rest = true,
        }
    }
    if rest {
        found.extend(itself);
    }
    found
}

fn has(index: &Index, folder: &str, stem: &str) -> bool {
    ["py", "pyi"].iter().any(|end| {
        let name = format!("{stem}.{end}");
        paths::join(folder, &name).is_some_and(|path| index.files.contains(&path))
    })
}

fn module(index: &Index, path: &str) -> Option<String> {
    let package = package(index, path);
    package.or_else(|| index.first([format!("{path}.py"), format!("{path}.pyi")]))
}

fn package(index: &Index, path: &str) -> Option<String> {
    index.first(["__init__.py", "__init__.pyi"].iter().filter_map(|name| paths::join(path, name)))
}
