//! Log points of Go.

use tree_sitter::{Node, Tree};

use super::super::super::tree::{self, Left, Looking};
use super::{Insertions, function};

/// The packages that log points need, under names of their own.
const IMPORTS: &str = "\n\nimport toollog \"log\"\nimport tooltime \"time\"\n";
/// The nodes whose children are statements.
const BLOCKS: [&str; 6] =
    ["block", "statement_list", "expression_case", "default_case", "type_case", "communication_case"];
const FUNCTIONS: [&str; 2] = ["function_declaration", "method_declaration"];

pub(super) fn points(looking: &mut Looking, tree: &Tree, source: &[u8]) -> Result<Insertions, Left> {
    let mut points = Insertions::new();
    looking.visit(tree, &mut |node, above| {
        let of = || function(above, &FUNCTIONS, source).unwrap_or_else(|| String::from("package"));
        let line = node.start_position().row + 1;
        match node.kind() {
            "package_clause" => points.push((node.end_byte(), String::from(IMPORTS))),
            "function_declaration" | "method_declaration" => {
                points.extend(inside(node, "body").map(|at| (at, around(node, source))));
            }
            "for_statement" => {
                let point = format!(" toollog.Printf(\"[TOOL_ITERATION] {}: loop of line {line}\");", of());
                points.extend(inside(node, "body").map(|at| (at, point)));
            }
            "if_statement" => points.extend(error(node, source).and_then(|error| {
                let point = format!(" toollog.Printf(\"[TOOL_ERROR] {}: %v\", {error});", of());
                inside(node, "consequence").map(|at| (at, point))
            })),
            "call_expression" if asks(node, source) => {
                let point = format!("toollog.Printf(\"[TOOL_API_CALL] {}: line {line}\"); ", of());
                points.extend(statement(node, above).map(|at| (at.start_byte(), point)));
            }
            _ => {}
        }
    })?;
    Ok(points)
}

/// The byte after the brace of a body.
fn inside(node: Node<'_>, field: &str) -> Option<usize> {
    Some(node.child_by_field_name(field)?.start_byte() + 1)
}

/// What a function logs when it begins and when it ends.
fn around(node: Node<'_>, source: &[u8]) -> String {
    let name = tree::field(node, "name", source).unwrap_or_default();
    let given = parameters(node, source).join(", ");
    format!(
        "\n\ttoollog.Printf(\"[TOOL_ENTRY] {name}: starting, input=%v\", []any{{{given}}})\n\
        \tdefer toollog.Printf(\"[TOOL_EXIT] {name}: done\")\n\
        \tdefer func(begun tooltime.Time) {{ toollog.Printf(\"[TOOL_TIMING] {name}: duration=%v\", tooltime.Since(begun)) }}(tooltime.Now())\n\
        \tdefer func() {{\n\t\tif fault := recover(); fault != nil {{\n\
        \t\t\ttoollog.Printf(\"[TOOL_ERROR] {name}: %v\", fault)\n\t\t\tpanic(fault)\n\t\t}}\n\t}}()\n"
    )
}

/// The names of what a function is given.
fn parameters(node: Node<'_>, source: &[u8]) -> Vec<String> {
    let list = node.child_by_field_name("parameters").into_iter().flat_map(tree::children);
    let names = list.flat_map(|declaration| {
        let mut cursor = declaration.walk();
        declaration.children_by_field_name("name", &mut cursor).collect::<Vec<_>>()
    });
    names.map(|name| tree::text(name, source)).filter(|name| name != "_").collect()
}

/// The error that an `if err != nil` is about.
fn error(node: Node<'_>, source: &[u8]) -> Option<String> {
    let condition = node.child_by_field_name("condition")?;
    let side = |field: &str| tree::field(condition, field, source);
    let (left, right, operator) = (side("left")?, side("right")?, side("operator")?);
    let named = left.to_lowercase();
    let is_error = named.ends_with("err") || named.ends_with("error");
    let plain = left.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    (operator == "!=" && right == "nil" && is_error && plain).then_some(left)
}

/// Whether a call asks another service.
fn asks(call: Node<'_>, source: &[u8]) -> bool {
    let called = tree::field(call, "function", source).unwrap_or_default();
    let known = ["http.Get", "http.Head", "http.Post", "http.PostForm", "net.Dial", "net.DialTimeout"];
    called.ends_with(".Do") || known.contains(&called.as_str())
}

/// The statement of a block that a node is part of.
fn statement<'t>(node: Node<'t>, above: &[Node<'t>]) -> Option<Node<'t>> {
    let mut inner = node;
    for outer in above.iter().rev() {
        if BLOCKS.contains(&outer.kind()) && inner.kind() != "statement_list" {
            return Some(inner);
        }
        inner = *outer;
    }
    None
}
