//! JavaScript and TypeScript: imports, re-exports and `require`, relative, by alias, or of a package in the root.

use tree_sitter::Node;

use super::index::Index;
use super::parse::{Import, Parsed, Wanted};
use super::paths;
use crate::tree;

/// The endings that may be left out, the likeliest first.
const ENDINGS: [&str; 9] = ["ts", "tsx", "d.ts", "mts", "cts", "js", "jsx", "mjs", "cjs"];

/// Takes in what a node says.
pub(super) fn look(node: Node<'_>, source: &[u8], parsed: &mut Parsed) {
    match node.kind() {
        "import_statement" | "export_statement" | "import_require_clause" => {
            add(node.child_by_field_name("source"), source, parsed);
        }
        "call_expression" if calls_import(node, source) => {
            let first = node.child_by_field_name("arguments").and_then(|all| all.named_child(0));
            add(first, source, parsed);
        }
        "class_declaration" | "abstract_class_declaration" | "class" => {
            parsed.classes.extend(tree::field(node, "name", source));
        }
        "function_declaration"
        | "generator_function_declaration"
        | "method_definition"
        | "function_expression" => {
            parsed.functions.extend(tree::field(node, "name", source));
        }
        "variable_declarator" => {
            let value = node.child_by_field_name("value").map(|value| value.kind());
            let named = node.child_by_field_name("name").is_some_and(|name| name.kind() == "identifier");
            if named && matches!(value, Some("arrow_function" | "function_expression")) {
                parsed.functions.extend(tree::field(node, "name", source));
            }
        }
        _ => {}
    }
}

/// Whether a call is `require(…)` or `import(…)`.
fn calls_import(node: Node<'_>, source: &[u8]) -> bool {
    node.child_by_field_name("function").is_some_and(|function| match function.kind() {
        "import" => true,
        "identifier" => tree::text(function, source) == "require",
        _ => false,
    })
}

/// Adds the import of a string; what is put together at run time can't be known.
fn add(string: Option<Node<'_>>, source: &[u8], parsed: &mut Parsed) {
    let Some(string) = string.filter(|node| matches!(node.kind(), "string" | "template_string")) else {
        return;
    };
    let mut pieces = tree::children(string).into_iter();
    if let (Some(piece), None) = (pieces.next(), pieces.next())
        && piece.kind() == "string_fragment"
    {
        let text = tree::text(piece, source);
        parsed.imports.push(Import { wanted: Wanted::Script(text.clone()), text });
    }
}

/// The file that an import of `file` leads to.
pub(super) fn resolve(index: &Index, file: &str, wanted: &str) -> Option<String> {
    let wanted = wanted.split(['?', '#']).next().filter(|path| !path.is_empty()).unwrap_or(wanted);
    if wanted.starts_with("./") || wanted.starts_with("../") || wanted == "." || wanted == ".." {
        return at(index, &paths::join(paths::folder(file), wanted)?);
    }
    let aliases = paths::upwards(paths::folder(file)).find_map(|folder| index.aliases.get(folder));
    let by_alias = aliases
        .and_then(|aliases| aliases.candidates(wanted).iter().find_map(|candidate| at(index, candidate)));
    by_alias.or_else(|| in_package(index, wanted))
}

/// The file at a path whose ending may be left out, that may be a folder, or whose `.js` is made of a `.ts`.
fn at(index: &Index, path: &str) -> Option<String> {
    let swapped =
        [(".js", ["ts", "tsx"]), (".mjs", ["mts", "mts"]), (".cjs", ["cts", "cts"]), (".jsx", ["tsx", "ts"])];
    let itself = (!path.is_empty()).then(|| path.to_owned());
    let made_of = swapped.iter().filter_map(|(ending, sources)| {
        let stem = path.strip_suffix(ending)?;
        Some(sources.iter().map(move |source| format!("{stem}.{source}")))
    });
    let ended = ENDINGS.iter().filter(|_| !path.is_empty()).map(|ending| format!("{path}.{ending}"));
    let inside = ENDINGS.iter().filter_map(|ending| paths::join(path, &format!("index.{ending}")));
    index.first(itself.into_iter().chain(made_of.flatten()).chain(ended).chain(inside))
}

/// A file of a package inside the root.
fn in_package(index: &Index, wanted: &str) -> Option<String> {
    let slashes = if wanted.starts_with('@') { 2 } else { 1 };
    let end = wanted.match_indices('/').nth(slashes - 1).map_or(wanted.len(), |(at, _)| at);
    let (name, rest) = wanted.split_at(end);
    let package = index.packages.get(name)?;
    let rest = rest.trim_start_matches('/');
    if !rest.is_empty() {
        let direct = paths::join(&package.folder, rest).and_then(|path| at(index, &path));
        return direct.or_else(|| at(index, &paths::join(&package.folder, &format!("src/{rest}"))?));
    }
    let mains = package.mains.iter().map(String::as_str).chain(["", "src"]);
    mains.filter_map(|main| paths::join(&package.folder, main)).find_map(|path| at(index, &path))
}
