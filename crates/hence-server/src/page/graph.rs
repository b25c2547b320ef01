//! Boxes in layers and lines between them, drawn as SVG: wide for a screen, narrow for a telephone.

use std::collections::BTreeMap;
use std::fmt::Write;

use maud::{Markup, html};
use serde_json::Value as Json;

use super::proof::Proof;
use super::{shell, words};

/// How many boxes are drawn.
const MOST: usize = 36;
/// The room between boxes, and between layers.
const GAP: f64 = 18.0;
const RISE: f64 = 44.0;
/// The height of a line of text in a box, and how many there are at most.
const LINE: f64 = 16.0;
const LINES: usize = 3;

/// A box: what it says, how it looks, and where it leads.
pub(super) struct Node {
    pub(super) text: String,
    pub(super) class: &'static str,
    pub(super) href: Option<String>,
    /// The layer, from the top.
    pub(super) layer: usize,
}

/// How wide a picture is, and how many boxes stand beside each other.
#[derive(Clone, Copy)]
struct Size {
    width: f64,
    across: usize,
    /// How many letters a line of a box has.
    letters: usize,
}

const WIDE: Size = Size { width: 1000.0, across: 4, letters: 30 };
const NARROW: Size = Size { width: 344.0, across: 2, letters: 22 };

/// Where a box is.
#[derive(Clone, Copy, Default)]
struct Place {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

/// A proof from the decision down to facts.
pub(super) fn proof(proof: &Proof<'_>) -> Markup {
    let count = proof.steps().len().min(MOST);
    let mut layers: BTreeMap<usize, usize> = BTreeMap::from([(0, 0)]);
    let mut edges = Vec::new();
    for at in 0..count {
        let layer = layers.get(&at).copied().unwrap_or(0);
        for below in proof.below(at).into_iter().filter(|below| *below < count) {
            edges.push((at, below));
            let deep = layers.entry(below).or_default();
            *deep = (*deep).max(layer + 1);
        }
    }
    edges.dedup();
    let class = |at: usize| match proof.steps().get(at).map(|step| words::text(step, "by")) {
        Some("assertion") => "fact",
        Some("clause") => "given",
        _ if at == 0 => "decision",
        _ => "rule",
    };
    let nodes: Vec<Node> = (0..count)
        .map(|at| Node {
            text: proof.line(at),
            class: class(at),
            href: Some(format!("#s{at}")),
            layer: layers.get(&at).copied().unwrap_or(0),
        })
        .collect();
    let left = proof.steps().len() - count;
    html! {
        (draw(&nodes, &edges, "The proof as a picture: the decision at the top, what it rests on below"))
        p.legend {
            span.dot.decision {} "decision" span.dot.rule {} "follows by a rule" span.dot.fact {} "recorded fact" span.dot.given {} "given by the rules"
        }
        @if left > 0 { p.hint { (words::counted(left as u64, "more step", "more steps")) " are left out of the picture." } }
    }
}

/// Who is read by a relation, and who reads it.
pub(super) fn neighbours(relation: &Json, kind_of: &dyn Fn(&str) -> &'static str) -> Markup {
    let name = words::text(relation, "name");
    let names = |of| words::list(relation, of).iter().filter_map(Json::as_str);
    let (readers, reads): (Vec<&str>, Vec<&str>) = (names("readers").collect(), names("reads").collect());
    let node = |name: &str, layer| Node {
        text: words::plain(name),
        class: kind_of(name),
        href: Some(format!("/rules/{name}")),
        layer,
    };
    let (readers, reads) = (
        readers.get(..readers.len().min(12)).unwrap_or(&[]),
        reads.get(..reads.len().min(16)).unwrap_or(&[]),
    );
    let top = usize::from(!readers.is_empty());
    let mut nodes: Vec<Node> = readers.iter().map(|reader| node(reader, 0)).collect();
    let here = nodes.len();
    nodes.push(Node { href: None, ..node(name, top) });
    nodes.extend(reads.iter().map(|read| node(read, top + 1)));
    let above = (0..here).map(|at| (at, here));
    let edges: Vec<(usize, usize)> = above.chain((here + 1..nodes.len()).map(|at| (here, at))).collect();
    draw(&nodes, &edges, "Who reads it, above, and what it reads, below")
}

/// Files of rules, each with where it leads and its layer, and which of them read which.
pub(super) fn files(files: &[(String, String, usize)], edges: &[(usize, usize)]) -> Markup {
    let count = files.len().min(MOST);
    let node = |(text, to, layer): &(String, String, usize)| Node {
        text: text.clone(),
        class: "rule",
        href: Some(format!("#{to}")),
        layer: *layer,
    };
    let nodes: Vec<Node> = files.iter().take(count).map(node).collect();
    let edges: Vec<_> = edges.iter().copied().filter(|(from, to)| *from < count && *to < count).collect();
    html! {
        (draw(&nodes, &edges, "The files of the rules: each above those that it reads"))
        @if files.len() > count { p.hint { (words::counted((files.len() - count) as u64, "more file", "more files")) " are left out of the picture." } }
    }
}

/// The picture in both sizes; the style sheet shows one of them.
fn draw(nodes: &[Node], edges: &[(usize, usize)], label: &str) -> Markup {
    html! {
        div.graph.only-wide { (shell::drawn(picture(nodes, edges, WIDE, label))) }
        div.graph.only-narrow { (shell::drawn(picture(nodes, edges, NARROW, label))) }
    }
}

fn picture(nodes: &[Node], edges: &[(usize, usize)], size: Size, label: &str) -> String {
    let texts: Vec<Vec<String>> = nodes.iter().map(|node| wrapped(&node.text, size.letters)).collect();
    let (places, height) = places(nodes, &texts, size);
    let place = |at: usize| places.get(at).copied().unwrap_or_default();
    let mut out = format!(
        "<svg viewBox=\"0 0 {} {height}\" width=\"{}\" height=\"{height}\" role=\"group\" aria-label=\"{label}\">",
        size.width, size.width
    );
    for (from, to) in edges {
        line(place(*from), place(*to), &mut out);
    }
    for ((at, node), lines) in nodes.iter().enumerate().zip(&texts) {
        boxed(node, place(at), lines, &mut out);
    }
    out.push_str("</svg>");
    out
}

/// Boxes of a layer side by side, in further rows where they are many.
fn places(nodes: &[Node], texts: &[Vec<String>], size: Size) -> (Vec<Place>, f64) {
    let mut layers: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, node) in nodes.iter().enumerate() {
        layers.entry(node.layer).or_default().push(at);
    }
    let mut places = vec![Place::default(); nodes.len()];
    let mut y = 4.0;
    for layer in layers.values() {
        for row in layer.chunks(size.across) {
            let width = ((size.width - 4.0) / size.across as f64) - GAP;
            let width = if row.len() == 1 { width * 1.4 } else { width };
            let whole = row.len() as f64 * (width + GAP) - GAP;
            let lines = row.iter().filter_map(|at| texts.get(*at)).map(Vec::len).max().unwrap_or(1);
            let height = lines as f64 * LINE + 20.0;
            for (column, at) in row.iter().enumerate() {
                let x = (size.width - whole) / 2.0 + column as f64 * (width + GAP);
                if let Some(place) = places.get_mut(*at) {
                    *place = Place { x, y, width, height };
                }
            }
            y += height + GAP;
        }
        y += RISE - GAP;
    }
    (places, (y - RISE + 4.0).max(1.0))
}

fn line(from: Place, to: Place, out: &mut String) {
    let (x1, y1) = (from.x + from.width / 2.0, from.y + from.height);
    let (x2, y2) = (to.x + to.width / 2.0, to.y);
    let bend = ((y2 - y1) / 2.0).abs().max(12.0);
    let (above, below) = (y1 + bend, y2 - bend);
    let _ = write!(
        out,
        "<path class=\"line\" d=\"M{x1:.0} {y1:.0}C{x1:.0} {above:.0} {x2:.0} {below:.0} {x2:.0} {y2:.0}\"/>"
    );
}

fn boxed(node: &Node, place: Place, lines: &[String], out: &mut String) {
    let Place { x, y, width, height } = place;
    if let Some(href) = &node.href {
        let _ = write!(out, "<a href=\"{}\">", escaped(href));
    }
    let _ = write!(
        out,
        "<g class=\"node {}\"><title>{}</title><rect x=\"{x:.0}\" y=\"{y:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" rx=\"8\"/>",
        node.class,
        escaped(&node.text)
    );
    let top = y + height / 2.0 - (lines.len() as f64 - 1.0) * LINE / 2.0 + 4.5;
    for (at, text) in lines.iter().enumerate() {
        let (x, y) = (x + width / 2.0, top + at as f64 * LINE);
        let _ = write!(out, "<text x=\"{x:.0}\" y=\"{y:.0}\">{}</text>", escaped(text));
    }
    out.push_str("</g>");
    if node.href.is_some() {
        out.push_str("</a>");
    }
}

/// A text in lines of some letters; what is too long ends in dots.
fn wrapped(text: &str, letters: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let word = words::cut(word, letters);
        match lines.last_mut() {
            Some(last) if last.chars().count() + 1 + word.chars().count() <= letters => {
                last.push(' ');
                last.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    if lines.len() > LINES {
        lines.truncate(LINES);
        if let Some(last) = lines.last_mut() {
            *last = words::cut(&format!("{last} …"), letters);
        }
    }
    lines
}

/// A text inside SVG.
fn escaped(text: &str) -> String {
    html! { (text) }.into_string().replace('"', "&quot;")
}
