//! Go: imports of packages of the modules inside the root.

use tree_sitter::Node;

use super::index::Index;
use super::parse::{Import, Parsed, Wanted};
use super::paths;
use crate::tree;

/// Takes in what a node says.
pub(super) fn look(node: Node<'_>, source: &[u8], parsed: &mut Parsed) {
    match node.kind() {
        "import_spec" => {
            // Of a text that breaks off, the path may not be there.
            let path = tree::field(node, "path", source);
            parsed.imports.extend(path.map(|path| {
                let path = path.trim_matches(['"', '`']).to_owned();
                Import { wanted: Wanted::Go(path.clone()), text: path }
            }));
        }
        "type_spec" => {
            let kind = node.child_by_field_name("type").map(|of| of.kind());
            if matches!(kind, Some("struct_type" | "interface_type")) {
                parsed.classes.extend(tree::field(node, "name", source));
            }
        }
        "function_declaration" | "method_declaration" => {
            parsed.functions.extend(tree::field(node, "name", source));
        }
        _ => {}
    }
}

/// The files of the package that is imported, without its tests.
pub(super) fn resolve(index: &Index, wanted: &str) -> Vec<String> {
    let folder = index.go.iter().find_map(|(module, folder)| {
        let rest = wanted.strip_prefix(module.as_str())?;
        (rest.is_empty() || rest.starts_with('/')).then(|| paths::join(folder, rest))?
    });
    let Some(files) = folder.and_then(|folder| index.folders.get(&folder)) else { return Vec::new() };
    let counts = |file: &&String| file.ends_with(".go") && !file.ends_with("_test.go");
    files.iter().filter(counts).cloned().collect()
}
