//! The graph for Mermaid.

use hence_core::schema::Kind;

use super::graph::Graph;

/// A flowchart from left to right.
pub(super) fn text(graph: &Graph<'_>) -> String {
    let mut out = String::from("flowchart LR\n");
    for (at, node) in graph.nodes.iter().enumerate() {
        let name = node.relation.name;
        out.push_str(&match node.relation.kind {
            Kind::Input => format!("  n{at}[\"{name}\"]:::input\n"),
            Kind::Derived => format!("  n{at}(\"{name}\")\n"),
            Kind::Decision => format!("  n{at}([\"{name}\"]):::decision\n"),
        });
    }
    for edge in graph.edges.iter() {
        let arrow = match (edge.mode.negated, edge.mode.grouped) {
            (false, false) => String::from("-->"),
            (true, _) => format!("-.->|{}|", edge.mode.words()),
            (false, true) => format!("==>|{}|", edge.mode.words()),
        };
        out.push_str(&format!("  n{} {arrow} n{}\n", edge.from.0, edge.to.0));
    }
    out.push_str("  classDef input fill:#eef3ea,stroke:#7d9a6c,color:#222\n");
    out.push_str("  classDef decision fill:#dbe8ff,stroke:#2f6fd6,color:#222,font-weight:bold\n");
    out
}
