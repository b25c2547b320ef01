//! The graph as a picture: SVG that needs nothing else and follows the reader's light or dark scheme.

use std::fmt::Write;

use hence_core::fault::OrBroken;
use hence_core::schema::Kind;

use super::escape;
use super::graph::{Graph, Node, NodeId};
use super::layout::{self, Layout, NODE_HEIGHT, Place};
use super::links::Mode;

/// The room around the graph.
const MARGIN: f64 = 18.0;
/// The height of the line that explains the looks.
const LEGEND: f64 = 34.0;
/// The least width: the legend needs it.
const LEAST_WIDTH: f64 = 690.0;

const STYLE: &str = "\
.hence-graph{--paper:#ffffff;--ink:#22262c;--soft:#8a929c;--input:#eef3ea;--input-line:#8aa67a;--derived:#ffffff;\
--derived-line:#9aa3ad;--decision:#dbe8ff;--decision-line:#2f6fd6;--not:#c0392b;--group:#7a4fb5;\
font:12px ui-monospace,'SF Mono',Menlo,Consolas,'DejaVu Sans Mono',monospace;background:var(--paper)}
@media(prefers-color-scheme:dark){.hence-graph{--paper:#16181c;--ink:#e3e6ea;--soft:#78818c;--input:#232b20;\
--input-line:#6d8a5d;--derived:#1f2227;--derived-line:#59616b;--decision:#1c2f52;--decision-line:#6ea0f2;\
--not:#ef7d70;--group:#b394e6}}
.hence-graph rect{stroke-width:1.2}.hence-graph text{fill:var(--ink);text-anchor:middle;dominant-baseline:central}
.hence-graph .input rect{fill:var(--input);stroke:var(--input-line)}
.hence-graph .derived rect{fill:var(--derived);stroke:var(--derived-line)}
.hence-graph .decision rect{fill:var(--decision);stroke:var(--decision-line);stroke-width:1.8}
.hence-graph .decision text{font-weight:600}
.hence-graph path{fill:none;stroke:var(--soft);stroke-width:1.1}
.hence-graph path.not{stroke:var(--not);stroke-dasharray:5 3}.hence-graph path.group{stroke:var(--group);stroke-width:2}
.hence-graph path.not.group{stroke:var(--not)}.hence-graph .legend text{text-anchor:start;fill:var(--soft)}
.hence-graph a:hover rect{stroke-width:2.6}";

/// The picture; with `linked`, each node leads to its entry on the page.
pub(super) fn picture(graph: &Graph<'_>, linked: bool) -> String {
    let layout = layout::layout(graph);
    let width = (layout.width + 2.0 * MARGIN).max(LEAST_WIDTH).ceil();
    let height = (layout.height + 2.0 * MARGIN + LEGEND).ceil();
    let mut out = format!(
        "<svg class=\"hence-graph\" xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"dependency graph\">\n\
         <style>{STYLE}</style>\n<defs>{}{}{}</defs>\n\
         <rect width=\"{width}\" height=\"{height}\" style=\"fill:var(--paper)\"/>\n{}",
        marker("plain", "--soft"),
        marker("not", "--not"),
        marker("group", "--group"),
        legend(),
    );
    let _ = writeln!(out, "<g transform=\"translate({MARGIN} {})\">", MARGIN + LEGEND);
    lines(graph, &layout, &mut out);
    for (node, place) in graph.nodes.iter().zip(layout.nodes.iter()) {
        box_of(node, place, linked, &mut out);
    }
    out.push_str("</g>\n</svg>\n");
    out
}

/// An arrow head. Markers can't take the colour of their line everywhere, so each look has its own.
fn marker(name: &str, color: &str) -> String {
    format!(
        "<marker id=\"hence-{name}\" viewBox=\"0 0 8 8\" refX=\"7.5\" refY=\"4\" markerWidth=\"8\" \
         markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">\
         <path d=\"M0 0.5L8 4L0 7.5z\" style=\"fill:var({color});stroke:none\"/></marker>"
    )
}

fn legend() -> String {
    let mut out = format!("<g class=\"legend\" transform=\"translate({MARGIN} {MARGIN})\">");
    let mut left = 0.0;
    for kind in [Kind::Input, Kind::Derived, Kind::Decision] {
        let class = class_of(kind);
        let _ = write!(
            out,
            "<g class=\"{class}\"><rect x=\"{left}\" y=\"-7\" width=\"22\" height=\"14\" rx=\"{}\"/></g>\
             <text x=\"{}\" y=\"0\">{class}</text>",
            corner(kind) / 2.0,
            left + 28.0
        );
        left += 112.0;
    }
    for (class, text) in [("", "reads"), ("not", "reads its absence"), ("group", "aggregates or limits")] {
        let marker = if class.is_empty() { "plain" } else { class };
        let _ = write!(
            out,
            "<path class=\"{class}\" d=\"M{left} 0h28\" marker-end=\"url(#hence-{marker})\"/>\
             <text x=\"{}\" y=\"0\">{text}</text>",
            left + 36.0
        );
        left += 36.0 + 7.25 * text.len() as f64 + 18.0;
    }
    out.push_str("</g>\n");
    out
}

fn class_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Input => "input",
        Kind::Derived => "derived",
        Kind::Decision => "decision",
    }
}

fn corner(kind: Kind) -> f64 {
    match kind {
        Kind::Input => 2.0,
        Kind::Derived => 8.0,
        Kind::Decision => 13.0,
    }
}

fn box_of(node: &Node<'_>, place: &Place, linked: bool, out: &mut String) {
    let (name, kind) = (node.relation.name.as_str(), node.relation.kind);
    let link = if linked { format!("<a href=\"#relation-{name}\">") } else { String::new() };
    let title = format!("{} {}\n{}", kind.keyword(), node.relation, node.relation.doc);
    let _ = writeln!(
        out,
        "{link}<g class=\"{}\"><title>{}</title><rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" \
         height=\"{NODE_HEIGHT}\" rx=\"{}\"/><text x=\"{:.1}\" y=\"{:.1}\">{name}</text></g>{}",
        class_of(kind),
        escape(title.trim_end()),
        place.left,
        place.middle - NODE_HEIGHT / 2.0,
        place.width,
        corner(kind),
        place.left + place.width / 2.0,
        place.middle,
        if linked { "</a>" } else { "" },
    );
}

/// The lines, those that say more above the others.
fn lines(graph: &Graph<'_>, layout: &Layout, out: &mut String) {
    let mut drawn: Vec<_> = graph.edges.iter().zip(layout.lines.iter()).collect();
    drawn.sort_by_key(|(edge, _)| (edge.mode.negated, edge.mode.grouped));
    for (edge, line) in drawn {
        let (class, marker) = look(edge.mode);
        let name = |node: NodeId| graph.nodes[node].relation.name;
        let _ = writeln!(
            out,
            "<path class=\"{class}\" d=\"{}\" marker-end=\"url(#hence-{marker})\"><title>{} → {}</title></path>",
            way(line, edge.from == edge.to),
            name(edge.from),
            name(edge.to)
        );
    }
}

fn look(mode: Mode) -> (&'static str, &'static str) {
    match (mode.negated, mode.grouped) {
        (true, true) => ("not group", "not"),
        (true, false) => ("not", "not"),
        (false, true) => ("group", "group"),
        (false, false) => ("plain", "plain"),
    }
}

/// The path of a line: level through columns, curved between them.
fn way(line: &[Place], to_itself: bool) -> String {
    let (first, last) = line.first().zip(line.last()).or_broken("a line leads from a node to a node");
    let start = first.left + first.width;
    if to_itself {
        let (x, y) = (start - 14.0, first.middle - NODE_HEIGHT / 2.0);
        return format!("M{x:.1} {y:.1}c0 -16 24 -16 14 {:.1}", NODE_HEIGHT / 2.0 - 3.0);
    }
    if last.left < start {
        let (end, bulge) = (last.left + last.width, 26.0);
        let far = start.max(end) + bulge;
        return format!(
            "M{start:.1} {:.1}C{far:.1} {:.1} {far:.1} {:.1} {end:.1} {:.1}",
            first.middle, first.middle, last.middle, last.middle
        );
    }
    let mut out = format!("M{start:.1} {:.1}", first.middle);
    let (mut x, mut y) = (start, first.middle);
    for place in line.iter().skip(1) {
        let half = f64::midpoint(x, place.left);
        let _ = write!(
            out,
            "C{half:.1} {y:.1} {half:.1} {:.1} {:.1} {:.1}",
            place.middle, place.left, place.middle
        );
        (x, y) = (place.left + place.width, place.middle);
        if !std::ptr::eq(place, last) {
            let _ = write!(out, "H{x:.1}");
        }
    }
    out
}
