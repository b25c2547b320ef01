//! The six log points of a tool, put into its source: where functions begin and end, errors, how long they took, calls of
//! other services, and turns of loops.

mod go;
mod python;

use tree_sitter::{Language, Node, Tree};

use super::super::tree::{self, Left, Looking};

/// What the log points are called.
pub(super) const TAGS: [(&str, &str); 6] = [
    ("[TOOL_ENTRY]", "/entry"),
    ("[TOOL_EXIT]", "/exit"),
    ("[TOOL_ERROR]", "/error"),
    ("[TOOL_TIMING]", "/timing"),
    ("[TOOL_API_CALL]", "/api_call"),
    ("[TOOL_ITERATION]", "/iteration"),
];

/// Texts that are put in, each before a byte.
type Insertions = Vec<(usize, String)>;
/// Finds the log points of a source.
type Points = fn(&mut Looking, &Tree, &[u8]) -> Result<Insertions, Left>;

/// The source with its log points; why not, where it is not source of the language.
pub(super) fn logged(language: &str, source: &str) -> Result<String, String> {
    let (grammar, points): (Language, Points) = match language {
        "go" => (tree_sitter_go::LANGUAGE.into(), go::points),
        "python" => (tree_sitter_python::LANGUAGE.into(), python::points),
        other => return Err(format!("unknown language `{other}`; expected `python` or `go`")),
    };
    let left = |left: Left| left.of("the draft").to_string();
    let mut looking = Looking::begin();
    let parsed = looking.parse(&grammar, source.as_bytes()).map_err(left)?;
    if let Some(line) = faulty(&mut looking, &parsed).map_err(left)? {
        return Err(format!("SyntaxError: line {line} is no {language}"));
    }
    let mut points = points(&mut looking, &parsed, source.as_bytes()).map_err(left)?;
    points.sort_by_key(|(at, _)| *at);
    let (mut text, mut from) = (String::new(), 0);
    for (at, point) in points {
        text.push_str(source.get(from..at).unwrap_or_default());
        text.push_str(&point);
        from = at;
    }
    text.push_str(source.get(from..).unwrap_or_default());
    let again = looking.parse(&grammar, text.as_bytes()).map_err(left)?;
    match faulty(&mut looking, &again).map_err(left)? {
        None => Ok(text),
        Some(line) => Err(format!("log points can't be put into it: line {line} would be no {language}")),
    }
}

/// The first line, from 1, of what is not the language's.
fn faulty(looking: &mut Looking, tree: &Tree) -> Result<Option<usize>, Left> {
    if !tree.root_node().has_error() {
        return Ok(None);
    }
    let mut first = None;
    looking.visit(tree, &mut |node, _| {
        if (node.is_error() || node.is_missing()) && first.is_none() {
            first = Some(node.start_position().row + 1);
        }
    })?;
    // What is missing may have no name, and is near the end of what lacks it.
    Ok(first.or(Some(tree.root_node().end_position().row + 1)))
}

/// The name of the innermost function around a node.
fn function<'t>(above: &[Node<'t>], kinds: &[&str], source: &[u8]) -> Option<String> {
    let around = above.iter().rev().find(|node| kinds.contains(&node.kind()))?;
    tree::field(*around, "name", source)
}
