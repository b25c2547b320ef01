//! The graph for Graphviz.

use std::collections::BTreeMap;

use hence_core::schema::Kind;

use super::graph::Graph;
use super::links::Mode;

/// A directed graph from left to right, the layers as ranks.
pub(super) fn text(graph: &Graph<'_>) -> String {
    let mut out = String::from(
        "digraph rules {\n  rankdir=LR;\n  node [fontname=\"monospace\", fontsize=11, shape=box];\n  \
         edge [color=\"#888888\", arrowsize=0.7, fontname=\"sans-serif\", fontsize=9];\n",
    );
    for (at, node) in graph.nodes.iter().enumerate() {
        let style = match node.relation.kind {
            Kind::Input => "style=filled, fillcolor=\"#eef3ea\"",
            Kind::Derived => "style=rounded",
            Kind::Decision => "style=\"rounded,filled,bold\", fillcolor=\"#dbe8ff\"",
        };
        out.push_str(&format!("  n{at} [label=\"{}\", {style}];\n", node.relation.name));
    }
    let mut layers: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for (at, node) in graph.nodes.iter().enumerate() {
        layers.entry(node.layer).or_default().push(format!("n{at};"));
    }
    for nodes in layers.values() {
        out.push_str(&format!("  {{ rank=same; {} }}\n", nodes.join(" ")));
    }
    for edge in graph.edges.iter() {
        out.push_str(&format!("  n{} -> n{}{};\n", edge.from.0, edge.to.0, style(edge.mode)));
    }
    out.push_str("}\n");
    out
}

fn style(mode: Mode) -> String {
    let look = match (mode.negated, mode.grouped) {
        (true, _) => "style=dashed, color=\"#c0392b\", arrowhead=tee",
        (false, true) => "color=\"#7a4fb5\", penwidth=2",
        (false, false) => return String::new(),
    };
    format!(" [label=\"{}\", {look}]", mode.words())
}
