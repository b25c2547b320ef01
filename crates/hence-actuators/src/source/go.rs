//! Go: packages by their own names, and functions of packages that variables hold.

use std::collections::{BTreeMap, BTreeSet};

use tree_sitter::{Node, Tree};

use super::shown::Shown;
use crate::tree::{self, Left, Looking};

/// What names mean in one file.
#[derive(Default)]
struct Names {
    /// Packages by the name that they have in this file.
    packages: BTreeMap<String, String>,
    /// Packages whose names need no package before them.
    dotted: Vec<String>,
    /// Functions of packages by the variables that hold them.
    held: BTreeMap<String, BTreeSet<String>>,
    /// Functions that the file declares itself.
    own: BTreeSet<String>,
}

/// Takes in one file.
pub(super) fn look(shown: &mut Shown, looking: &mut Looking, tree: &Tree, source: &[u8]) -> Result<(), Left> {
    let names = Names::of(looking, tree, source)?;
    looking.visit(tree, &mut |node, _| match node.kind() {
        "import_spec" => shown.imports.extend(import(node, source)),
        "call_expression" => call(shown, node, source, &names),
        // `[]T(x)` and the like; of a package's type it reads like a call.
        "type_conversion_expression" => {
            let of = node.child_by_field_name("type").filter(|of| of.kind() == "qualified_type");
            shown.calls.extend(of.map(|of| names.selected(&tree::text(of, source))));
        }
        _ => {}
    })
}

fn call(shown: &mut Shown, node: Node<'_>, source: &[u8], names: &Names) {
    let Some(function) = node.child_by_field_name("function").map(bare) else { return };
    let Some(written) = Shown::written(function, source) else { return };
    match function.kind() {
        "selector_expression" => {
            shown.calls.insert(names.selected(&written));
        }
        "identifier" => {
            // Only names that begin with an upper-case letter leave their package.
            let exported = written.starts_with(char::is_uppercase) && !names.own.contains(&written);
            let dotted = names.dotted.iter().filter(|_| exported);
            shown.calls.extend(dotted.map(|package| format!("{package}.{written}")));
            shown.calls.extend(names.held.get(&written).into_iter().flatten().cloned());
            shown.calls.insert(written.clone());
        }
        _ => {}
    }
    shown.log(&written, node.child_by_field_name("arguments"), source);
}

impl Names {
    fn of(looking: &mut Looking, tree: &Tree, source: &[u8]) -> Result<Self, Left> {
        let mut names = Self::default();
        looking.visit(tree, &mut |node, _| match node.kind() {
            "import_spec" => {
                let Some(path) = import(node, source) else { return };
                let package = path.rsplit('/').next().unwrap_or(&path).to_owned();
                match tree::field(node, "name", source).as_deref() {
                    Some(".") => names.dotted.push(package),
                    Some(alias) => drop(names.packages.insert(alias.to_owned(), package)),
                    None => drop(names.packages.insert(package.clone(), package)),
                }
            }
            "function_declaration" => names.own.extend(tree::field(node, "name", source)),
            _ => {}
        })?;
        looking.visit(tree, &mut |node, _| match node.kind() {
            "short_var_declaration" | "assignment_statement" => {
                names.hold(node.child_by_field_name("left"), node.child_by_field_name("right"), source);
            }
            "var_spec" => {
                let name = node.child_by_field_name("name");
                names.hold(name, node.child_by_field_name("value"), source);
            }
            _ => {}
        })?;
        Ok(names)
    }

    /// Notes which variables on the left hold functions of packages on the right.
    fn hold(&mut self, left: Option<Node<'_>>, right: Option<Node<'_>>, source: &[u8]) {
        let (Some(left), Some(right)) = (left, right) else { return };
        let single = left.kind() == "identifier";
        let left: Vec<Node<'_>> = if single { vec![left] } else { tree::children(left) };
        for (variable, value) in left.into_iter().zip(tree::children(right)) {
            let value = bare(value);
            if value.kind() == "selector_expression" && variable.kind() == "identifier" {
                let selected = self.selected(&tree::text(value, source));
                self.held.entry(tree::text(variable, source)).or_default().insert(selected);
            }
        }
    }

    /// `x.f` by the own name of the package that `x` is here, if it is one.
    fn selected(&self, written: &str) -> String {
        let package =
            written.split_once('.').and_then(|(first, rest)| Some((self.packages.get(first)?, rest)));
        package.map_or_else(|| written.to_owned(), |(package, rest)| format!("{package}.{rest}"))
    }
}

/// The path of an import.
fn import(node: Node<'_>, source: &[u8]) -> Option<String> {
    Some(tree::field(node, "path", source)?.trim_matches(['"', '`']).to_owned())
}

/// An expression out of its parentheses.
fn bare(mut node: Node<'_>) -> Node<'_> {
    while node.kind() == "parenthesized_expression" {
        let Some(inner) = node.named_child(0) else { break };
        node = inner;
    }
    node
}
