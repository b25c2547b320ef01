//! Shell: the commands that a script runs, and the files that it reads in.

use tree_sitter::{Node, Tree};

use super::shown::Shown;
use crate::tree::{Left, Looking};

/// Commands that run the command after them.
const BEFORE: [&str; 12] = [
    "sudo", "doas", "env", "exec", "command", "builtin", "nohup", "nice", "time", "xargs", "timeout",
    "setsid",
];

/// Takes in one file.
pub(super) fn look(shown: &mut Shown, looking: &mut Looking, tree: &Tree, source: &[u8]) -> Result<(), Left> {
    looking.visit(tree, &mut |node, _| {
        if node.kind() == "command" {
            command(shown, node, source);
        }
    })
}

fn command(shown: &mut Shown, node: Node<'_>, source: &[u8]) {
    let Some(name) = node.child_by_field_name("name").and_then(|name| Shown::written(name, source)) else {
        return;
    };
    let name = bare(&name);
    let mut cursor = node.walk();
    let arguments: Vec<Node<'_>> = node.children_by_field_name("argument", &mut cursor).collect();
    let texts =
        || arguments.iter().filter_map(|argument| Shown::written(*argument, source)).map(|text| bare(&text));
    if matches!(name.as_str(), "source" | ".") {
        shown.imports.extend(texts().next());
    }
    if BEFORE.contains(&name.as_str()) {
        // Of `timeout 5 rm x`, too: what is neither an option, nor a number, nor a variable.
        let runs = |text: &String| {
            !text.starts_with('-')
                && !text.contains('=')
                && !text.starts_with(|letter: char| letter.is_ascii_digit())
        };
        shown.calls.extend(texts().find(runs));
    }
    shown.log(&name, Some(node), source);
    shown.calls.insert(name);
}

/// A word without its quotes and without the backslash that keeps an alias away.
fn bare(word: &str) -> String {
    word.trim_matches(['"', '\'']).trim_start_matches('\\').to_owned()
}
