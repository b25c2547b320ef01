//! Log points of Python. What logs where functions begin and end is a decorator, so that no line moves in its block.

use tree_sitter::{Node, Tree};

use super::super::super::tree::{self, Left, Looking};
use super::{Insertions, function};

/// What every tool begins with; `log` and `clock` are there where a tool runs.
const HEAD: &str = r#"def _tool_logged(function):
    def logged(*args, **named):
        log("[TOOL_ENTRY] %s: starting, input=%.200r" % (function.__name__, args))
        begun = clock()
        try:
            result = function(*args, **named)
            log("[TOOL_EXIT] %s: done, output=%.200r" % (function.__name__, result))
            return result
        except Exception as error:
            log("[TOOL_ERROR] %s: %r" % (function.__name__, error))
            raise
        finally:
            log("[TOOL_TIMING] %s: duration=%.6f s" % (function.__name__, clock() - begun))
    return logged

"#;

/// What asks another service: these functions, and those of these modules.
const SERVICES: [&str; 4] = ["http_get", "http_post", "db_query", "urlopen"];
const MODULES: [&str; 3] = ["requests", "httpx", "urllib"];

pub(super) fn points(looking: &mut Looking, tree: &Tree, source: &[u8]) -> Result<Insertions, Left> {
    let mut points = vec![(head(tree.root_node()), String::from(HEAD))];
    looking.visit(tree, &mut |node, above| {
        let of =
            || function(above, &["function_definition"], source).unwrap_or_else(|| String::from("module"));
        let line = node.start_position().row + 1;
        match node.kind() {
            // Below other decorators, which then see what is logged.
            "function_definition" if !tree::text(node, source).starts_with("async") => {
                let decorated = |indent| (node.start_byte(), format!("@_tool_logged\n{indent}"));
                points.extend(own_line(node.start_byte(), source).map(decorated));
            }
            "for_statement" | "while_statement" => {
                let point = format!("log(\"[TOOL_ITERATION] {}: loop of line {line}\")", of());
                points.extend(node.child_by_field_name("body").and_then(|body| first(body, &point, source)));
            }
            "except_clause" => {
                let body = tree::children(node).into_iter().rfind(|child| child.kind() == "block");
                let point = format!("log(\"[TOOL_ERROR] {}: handled on line {line}\")", of());
                points.extend(body.and_then(|body| first(body, &point, source)));
            }
            "call" if asks(node, source) => {
                let point = format!("log(\"[TOOL_API_CALL] {}: line {line}\")", of());
                points.extend(statement(node, above).map(|at| before(at, &point, source)));
            }
            _ => {}
        }
    })?;
    Ok(points)
}

/// Where the head goes: after the text about the module, and after what is imported from the future.
fn head(root: Node<'_>) -> usize {
    let first = tree::children(root).into_iter().find(|child| {
        let is_text = child.kind() == "expression_statement"
            && child.named_child(0).is_some_and(|inner| inner.kind() == "string");
        !is_text && !matches!(child.kind(), "comment" | "future_import_statement")
    });
    first.map_or_else(|| root.end_byte(), |first| first.start_byte())
}

/// Whether a call asks another service.
fn asks(call: Node<'_>, source: &[u8]) -> bool {
    let called = tree::field(call, "function", source).unwrap_or_default();
    let first = called.split('.').next().unwrap_or_default();
    let last = called.rsplit('.').next().unwrap_or_default();
    SERVICES.contains(&last) || (first != last && MODULES.contains(&first))
}

/// The white space before a byte, where nothing else is before it on its line.
fn own_line(at: usize, source: &[u8]) -> Option<String> {
    let before = source.get(..at)?;
    let line = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let indent = std::str::from_utf8(before.get(line..)?).ok()?;
    indent.chars().all(|letter| matches!(letter, ' ' | '\t')).then(|| indent.to_owned())
}

/// The statement of a block that a node is part of.
fn statement<'t>(node: Node<'t>, above: &[Node<'t>]) -> Option<Node<'t>> {
    let mut inner = node;
    for outer in above.iter().rev() {
        if matches!(outer.kind(), "block" | "module") {
            return Some(inner);
        }
        inner = *outer;
    }
    None
}

/// A line before a statement; where it shares its line with others, a statement there.
fn before(statement: Node<'_>, point: &str, source: &[u8]) -> (usize, String) {
    let at = statement.start_byte();
    match own_line(at, source) {
        Some(indent) => (at, format!("{point}\n{indent}")),
        None => (at, format!("{point}; ")),
    }
}

/// The same before the first statement of a block.
fn first(body: Node<'_>, point: &str, source: &[u8]) -> Option<(usize, String)> {
    let statement = tree::children(body).into_iter().find(|child| child.kind() != "comment")?;
    Some(before(statement, point, source))
}
