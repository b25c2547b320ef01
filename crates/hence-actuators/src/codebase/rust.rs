//! Rust: modules in files of their own, and paths of `use`.

use tree_sitter::Node;

use super::index::Index;
use super::parse::{Import, Parsed, Wanted};
use super::paths;
use crate::tree;

/// How many attributes and comments before a module are looked at.
const MOST_BEFORE: usize = 256;
/// How deep trees of `use` are read.
const DEEPEST: usize = 64;

/// Takes in what a node says.
pub(super) fn look(node: Node<'_>, above: &[Node<'_>], source: &[u8], parsed: &mut Parsed) {
    match node.kind() {
        "use_declaration" => {
            let inline = inline_modules(above, source).len();
            let found = used(node, source);
            parsed.imports.extend(found.into_iter().map(|(text, _)| {
                let path = text.split("::").map(|part| part.trim_start_matches("r#").to_owned());
                let path = path.filter(|part| !part.is_empty()).collect();
                Import { wanted: Wanted::Rust { path, inline }, text }
            }));
        }
        "extern_crate_declaration" => {
            if let Some(name) = tree::field(node, "name", source) {
                let wanted = Wanted::Rust { path: vec![name.clone()], inline: 0 };
                parsed.imports.push(Import { text: name, wanted });
            }
        }
        "mod_item" if node.child_by_field_name("body").is_none() => {
            if let Some(name) = tree::field(node, "name", source) {
                let (inline, file) = (inline_modules(above, source), path_attribute(node, source));
                let text = name.clone();
                let name = name.trim_start_matches("r#").to_owned();
                parsed.imports.push(Import { text, wanted: Wanted::RustModule { name, inline, file } });
            }
        }
        "struct_item" | "enum_item" | "union_item" | "trait_item" => {
            parsed.classes.extend(tree::field(node, "name", source));
        }
        "function_item" => parsed.functions.extend(tree::field(node, "name", source)),
        _ => {}
    }
}

/// The modules with a body among the ancestors of a node, the outermost first.
fn inline_modules(above: &[Node<'_>], source: &[u8]) -> Vec<String> {
    let modules = above.iter().filter(|node| node.kind() == "mod_item");
    modules.filter_map(|node| tree::field(*node, "name", source)).collect()
}

/// The file that `#[path = "…"]` before a module names.
fn path_attribute(node: Node<'_>, source: &[u8]) -> Option<String> {
    let before = std::iter::successors(node.prev_named_sibling(), Node::prev_named_sibling);
    let attributes = before
        .take(MOST_BEFORE)
        .take_while(|node| matches!(node.kind(), "attribute_item" | "line_comment" | "block_comment"));
    attributes.filter(|node| node.kind() == "attribute_item").find_map(|node| {
        let attribute = node.named_child(0)?;
        let name = tree::text(attribute.named_child(0)?, source);
        let value = tree::field(attribute, "value", source).filter(|_| name == "path")?;
        Some(value.trim_matches('"').to_owned())
    })
}

/// The paths that a `use` brings, each whole, and what they are called from there on.
pub(crate) fn used(node: Node<'_>, source: &[u8]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    if let Some(tree) = node.child_by_field_name("argument") {
        uses(tree, source, "", DEEPEST, &mut found);
    }
    found
}

/// The paths of a tree of `use`.
fn uses(node: Node<'_>, source: &[u8], before: &str, depth: usize, found: &mut Vec<(String, String)>) {
    let Some(deeper) = depth.checked_sub(1) else { return };
    let joined = |path: &str| match (before, path) {
        ("", path) => path.to_owned(),
        (before, "self") => before.to_owned(),
        (before, path) => format!("{before}::{path}"),
    };
    let squeezed =
        |node| tree::text(node, source).chars().filter(|letter| !letter.is_whitespace()).collect::<String>();
    match node.kind() {
        "use_list" => {
            for child in tree::children(node) {
                uses(child, source, before, deeper, found);
            }
        }
        "scoped_use_list" => {
            let path = node.child_by_field_name("path").map(squeezed).unwrap_or_default();
            let before = if path.is_empty() { before.to_owned() } else { joined(&path) };
            if let Some(list) = node.child_by_field_name("list") {
                uses(list, source, &before, deeper, found);
            }
        }
        "use_as_clause" => {
            if let Some(path) = node.child_by_field_name("path") {
                let known = found.len();
                uses(path, source, before, deeper, found);
                let alias = tree::field(node, "alias", source);
                for (_, name) in found.iter_mut().skip(known) {
                    if let Some(alias) = &alias {
                        name.clone_from(alias);
                    }
                }
            }
        }
        "line_comment" | "block_comment" => {}
        _ => {
            let path = joined(&squeezed(node));
            let name = path.rsplit("::").next().unwrap_or(&path).to_owned();
            found.push((path, name));
        }
    }
}

/// The file of `mod name;` in `file`.
pub(super) fn resolve_module(
    index: &Index,
    file: &str,
    name: &str,
    inline: &[String],
    given: Option<&str>,
) -> Option<String> {
    let own = if is_root(index, file) { paths::folder(file).to_owned() } else { module_folder(file) };
    let folder = inline.iter().try_fold(own, |folder, part| paths::join(&folder, part))?;
    match given {
        // Without inline modules around it, the path is seen from the folder of the file.
        Some(given) if inline.is_empty() => index.first(paths::join(paths::folder(file), given)),
        Some(given) => index.first(paths::join(&folder, given)),
        None => child(index, &folder, name),
    }
}

/// The file that a path of `use` in `file` leads to: that of the longest part of it that is a module.
pub(super) fn resolve(index: &Index, file: &str, path: &[String], inline: usize) -> Option<String> {
    let own = if is_root(index, file) { paths::folder(file).to_owned() } else { module_folder(file) };
    let first = path.first()?.as_str();
    match first {
        "crate" => {
            let root = crate_root(index, file)?;
            Some(descend(index, paths::folder(&root), path.get(1..)?).unwrap_or(root))
        }
        "self" => descend(index, &own, path.get(1..)?).filter(|_| inline == 0),
        "super" => {
            let supers = path.iter().take_while(|part| *part == "super").count();
            let up = supers.checked_sub(inline).filter(|up| *up > 0)?;
            let folder = paths::upwards(&own).nth(up)?;
            descend(index, folder, path.get(supers..)?).or_else(|| module_file(index, folder))
        }
        _ => {
            let nearby = child(index, &own, first).filter(|_| inline == 0);
            if nearby.is_some() {
                return descend(index, &own, path);
            }
            let root = index.crates.get(first).filter(|root| index.files.contains(*root))?;
            Some(descend(index, paths::folder(root), path.get(1..)?).unwrap_or_else(|| root.clone()))
        }
    }
}

/// The deepest module file along `path` below `folder`.
fn descend(index: &Index, folder: &str, path: &[String]) -> Option<String> {
    let (mut folder, mut found) = (folder.to_owned(), None);
    for part in path {
        let Some(file) = child(index, &folder, part) else { break };
        found = Some(file);
        folder = paths::join(&folder, part)?;
    }
    found
}

fn child(index: &Index, folder: &str, name: &str) -> Option<String> {
    let path = paths::join(folder, name)?;
    index.first([format!("{path}.rs"), format!("{path}/mod.rs")])
}

/// The file of the module whose children are in `folder`.
fn module_file(index: &Index, folder: &str) -> Option<String> {
    let inside = ["mod.rs", "lib.rs", "main.rs"].iter().filter_map(|name| paths::join(folder, name));
    let beside = (!folder.is_empty()).then(|| format!("{folder}.rs"));
    index.first(inside.chain(beside))
}

/// The folder of a file's child modules.
fn module_folder(file: &str) -> String {
    match paths::name(file) {
        "mod.rs" => paths::folder(file).to_owned(),
        _ => file.strip_suffix(".rs").unwrap_or(file).to_owned(),
    }
}

/// Whether a file begins a crate: a library, a program, a test, an example, a bench, a build script.
fn is_root(index: &Index, file: &str) -> bool {
    let folder = paths::folder(file);
    let within =
        |name: &str| folder == name || folder.strip_suffix(name).is_some_and(|before| before.ends_with('/'));
    index.crates.values().any(|root| root == file)
        || matches!(paths::name(file), "lib.rs" | "main.rs" | "build.rs")
        || ["src/bin", "tests", "examples", "benches"].iter().any(|name| within(name))
}

/// The file that the crate of a file begins with.
fn crate_root(index: &Index, file: &str) -> Option<String> {
    if is_root(index, file) {
        return Some(file.to_owned());
    }
    let own = paths::upwards(paths::folder(file));
    let begins = own.flat_map(|folder| {
        let here = ["lib.rs", "main.rs"].iter().filter_map(move |name| paths::join(folder, name));
        here.collect::<Vec<_>>()
    });
    index.first(begins)
}
