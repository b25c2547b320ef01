//! Where the nodes and lines of the graph stand: layers as columns from left to right, long lines led through the
//! layers between, the parts of the graph on shelves.

use hence_core::fault::OrBroken;
use hence_core::index_vec::{Id, IndexVec};
use std::collections::BTreeMap;

use super::graph::{Edge, EdgeId, Graph, NodeId};
use super::links::Mode;
use super::order::{Item, Layer, Layered};
use super::place::{Extent, place};

/// What holds of every part of the graph.
const PARTS: &str = "a part has nodes, and its edges join them";

/// The height of a node.
pub(super) const NODE_HEIGHT: f64 = 26.0;
/// The room above and below a node, together.
const NODE_GAP: f64 = 14.0;
/// The height of the way of a long line.
const LINE_HEIGHT: f64 = 9.0;
/// The room between columns, at least.
const COLUMN_GAP: f64 = 56.0;
/// The room between parts of the graph.
const PART_GAP: f64 = 36.0;
/// How wide the picture may at least become by putting parts beside each other.
const SHELF_WIDTH: f64 = 1500.0;
/// The most stations of long lines; beyond, long lines go straight.
const MOST_STATIONS: usize = 20_000;

/// A rectangle: left, the middle of its height, width.
#[derive(Clone, Copy, Default)]
pub(super) struct Place {
    /// Its left side.
    pub(super) left: f64,
    /// The middle of its height.
    pub(super) middle: f64,
    /// Its width; 0 for a station of a line in a column without nodes.
    pub(super) width: f64,
}

/// The picture's measures.
#[derive(Default)]
pub(super) struct Layout {
    /// The width.
    pub(super) width: f64,
    /// The height.
    pub(super) height: f64,
    /// The place of each node.
    pub(super) nodes: IndexVec<NodeId, Place>,
    /// For each edge the places it leads through, its ends included.
    pub(super) lines: IndexVec<EdgeId, Vec<Place>>,
}

/// How wide a node with this name is.
pub(super) fn node_width(name: &str) -> f64 {
    7.25 * name.chars().count() as f64 + 22.0
}

/// Lays the whole graph out.
pub(super) fn layout(graph: &Graph<'_>) -> Layout {
    let mut layout = Layout {
        nodes: IndexVec::filled(Place::default(), graph.nodes.len()),
        lines: IndexVec::filled(Vec::new(), graph.edges.len()),
        ..Layout::default()
    };
    let mut parts: BTreeMap<usize, Part> = BTreeMap::new();
    for (at, node) in graph.nodes.numbered() {
        parts.entry(node.part).or_default().nodes.push(at);
    }
    for (at, edge) in graph.edges.numbered() {
        parts.entry(graph.nodes[edge.to].part).or_default().edges.push((at, *edge));
    }
    let placed: Vec<Placed> = parts.values().map(|part| part.placed(graph)).collect();
    let widest = placed.iter().map(|part| part.width).fold(SHELF_WIDTH, f64::max);
    let mut shelf = Shelf { room: widest, ..Shelf::default() };
    for (part, placed) in parts.values().zip(&placed) {
        let (left, top) = shelf.take(placed.width, placed.height);
        let moved = |place: &Place| Place { left: place.left + left, middle: place.middle + top, ..*place };
        for (node, place) in part.nodes.iter().zip(&placed.nodes) {
            layout.nodes[*node] = moved(place);
        }
        for ((edge, _), line) in part.edges.iter().zip(&placed.lines) {
            layout.lines[*edge] = line.iter().map(moved).collect();
        }
    }
    Layout { width: shelf.width, height: shelf.top + shelf.height, ..layout }
}

/// Parts beside each other, and below when the shelf is full.
#[derive(Default)]
struct Shelf {
    room: f64,
    left: f64,
    top: f64,
    height: f64,
    width: f64,
}

impl Shelf {
    fn take(&mut self, width: f64, height: f64) -> (f64, f64) {
        if self.left > 0.0 && self.left + width > self.room {
            self.top += self.height + PART_GAP;
            self.left = 0.0;
            self.height = 0.0;
        }
        let at = (self.left, self.top);
        self.left += width + PART_GAP;
        self.width = self.width.max(self.left - PART_GAP);
        self.height = self.height.max(height);
        at
    }
}

/// A part of the graph: its nodes and edges.
#[derive(Default)]
struct Part {
    nodes: Vec<NodeId>,
    edges: Vec<(EdgeId, Edge)>,
}

/// The measures of a part: the places of its nodes and lines in their order there.
struct Placed {
    width: f64,
    height: f64,
    nodes: Vec<Place>,
    lines: Vec<Vec<Place>>,
}

/// The items of a part while it is laid out: its nodes first, then the stations of its long lines.
struct Items {
    layers: IndexVec<Item, Layer>,
    extents: IndexVec<Item, Extent>,
    widths: IndexVec<Item, f64>,
    /// For each edge the items it leads through.
    routes: Vec<Vec<Item>>,
}

impl Part {
    fn placed(&self, graph: &Graph<'_>) -> Placed {
        let items = self.items(graph);
        let mut layered = items.layered();
        layered.order();
        let middles = place(&layered, &items.extents);
        let columns = items.columns(&layered);
        let at = |item: Item| {
            let (left, wide) = columns[items.layers[item]];
            let own = items.widths[item];
            let width = if own > 0.0 { own } else { wide };
            Place { left: left + (wide - width) / 2.0, middle: middles[item], width }
        };
        let right = columns.iter().map(|(left, width)| left + width);
        let bottom = middles.iter().zip(items.extents.iter());
        let bottom = bottom.map(|(middle, extent)| middle + extent.height / 2.0);
        Placed {
            width: right.fold(0.0, f64::max),
            height: bottom.fold(0.0, f64::max),
            nodes: (0..self.nodes.len()).map(|node| at(Item::new(node))).collect(),
            lines: items.routes.iter().map(|route| route.iter().map(|item| at(*item)).collect()).collect(),
        }
    }

    fn items(&self, graph: &Graph<'_>) -> Items {
        let nodes = || self.nodes.iter().map(|at| &graph.nodes[*at]);
        let first = nodes().map(|node| node.layer).min().or_broken(PARTS);
        let extent = Extent { height: NODE_HEIGHT + NODE_GAP, weight: 1.0 };
        let mut items = Items {
            layers: nodes().map(|node| Layer::new(node.layer - first)).collect(),
            extents: IndexVec::filled(extent, self.nodes.len()),
            widths: nodes().map(|node| node_width(node.relation.name.as_str())).collect(),
            routes: Vec::with_capacity(self.edges.len()),
        };
        let mut stations = BTreeMap::new();
        for (_, edge) in &self.edges {
            let item = |node: NodeId| Item::new(self.nodes.binary_search(&node).ok().or_broken(PARTS));
            let route = items.route(item(edge.from), item(edge.to), edge.mode, &mut stations);
            items.routes.push(route);
        }
        items
    }
}

impl Items {
    /// The way of an edge. Lines of one look that leave one node share their stations, and so part late.
    fn route(
        &mut self,
        from: Item,
        to: Item,
        mode: Mode,
        stations: &mut BTreeMap<(Item, bool, bool, Layer), Item>,
    ) -> Vec<Item> {
        let mut route = vec![from];
        for between in (self.layers[from].at() + 1..self.layers[to].at()).map(Layer::new) {
            if stations.len() >= MOST_STATIONS {
                break;
            }
            let key = (from, mode.negated, mode.grouped, between);
            route.push(*stations.entry(key).or_insert_with(|| {
                self.extents.push(Extent { height: LINE_HEIGHT, weight: 4.0 });
                self.widths.push(0.0);
                self.layers.push(between)
            }));
        }
        route.push(to);
        route
    }

    fn layered(&self) -> Layered {
        let count = self.layers.iter().max().map_or(0, |last| last.at() + 1);
        let mut layers: IndexVec<Layer, Vec<Item>> = IndexVec::filled(Vec::new(), count);
        for (item, layer) in self.layers.numbered() {
            layers[*layer].push(item);
        }
        let empty = IndexVec::filled(Vec::new(), self.layers.len());
        let mut layered = Layered { layers, before: empty.clone(), after: empty };
        let layer = |item: Item| self.layers[item].at();
        let mut steps: Vec<(Item, Item)> = Vec::new();
        for route in &self.routes {
            let pairs = route.iter().zip(route.iter().skip(1)).map(|(from, to)| (*from, *to));
            steps.extend(pairs.filter(|(from, to)| layer(*from) + 1 == layer(*to)));
        }
        steps.sort_unstable();
        steps.dedup();
        for (from, to) in steps {
            layered.after[from].push(to);
            layered.before[to].push(from);
        }
        layered
    }

    /// The left side and the width of each column; more lines between two columns get more room.
    fn columns(&self, layered: &Layered) -> IndexVec<Layer, (f64, f64)> {
        let mut left = 0.0;
        let mut columns = IndexVec::default();
        for layer in layered.layers.iter() {
            let width = layer.iter().map(|item| self.widths[*item]).fold(0.0, f64::max);
            columns.push((left, width));
            let lines: usize = layer.iter().map(|item| layered.neighbours(*item, false).len()).sum();
            left += width + COLUMN_GAP + (lines as f64 * 1.5).min(90.0);
        }
        columns
    }
}
