//! The graph of who reads whom: a node a relation, an edge from what is read to what reads it.

use hence_core::fault::OrBroken;
use hence_core::index_vec::{Id, IndexVec, id};
use std::collections::BTreeMap;

use hence_core::schema::{Kind, Relation, RelationId};
use hence_lang::ir::Program;
use hence_lang::lower::is_made;

use super::layers;
use super::links::{Links, Mode};

id! {
    /// A node, by its place in [`Graph::nodes`].
    pub(super) struct NodeId(pub(super) u32): "the nodes that are named belong to the graph";
}

id! {
    /// An edge, by its place in [`Graph::edges`].
    pub(super) struct EdgeId(u32): "the edges that are named belong to the graph";
}

/// A relation in the graph.
pub(super) struct Node<'a> {
    /// The relation.
    pub(super) relation: &'a Relation,
    /// Its layer: every relation stands after all that it reads, but for those of its own stratum.
    pub(super) layer: usize,
    /// The part of the graph it is in; nothing leads from one part to another.
    pub(super) part: usize,
}

/// A read.
#[derive(Clone, Copy)]
pub(super) struct Edge {
    /// The node that is read.
    pub(super) from: NodeId,
    /// The node that reads.
    pub(super) to: NodeId,
    /// How it reads.
    pub(super) mode: Mode,
}

/// Nodes in the order of the program's relations, edges ascending.
pub(super) struct Graph<'a> {
    /// The nodes.
    pub(super) nodes: IndexVec<NodeId, Node<'a>>,
    /// The edges.
    pub(super) edges: IndexVec<EdgeId, Edge>,
}

impl<'a> Graph<'a> {
    /// The graph of `program`. The clock stands once in each part that reads it, so that it ties none together.
    pub(super) fn new(program: &'a Program, links: &Links) -> Self {
        let layers = layers::layers(program, links);
        let parts = parts(program, links);
        let mut nodes = IndexVec::default();
        let mut at: BTreeMap<(RelationId, usize), NodeId> = BTreeMap::new();
        let mut edges = Vec::new();
        for (id, relation) in
            relations(program).filter(|(id, relation)| !is_clock(relation) && !is_made(program, *id))
        {
            let part = parts[id];
            at.insert((id, part), nodes.push(Node { relation, layer: layers[id], part }));
        }
        for (read, reader, mode) in links.all() {
            let (part, relation) = (parts[reader], &program[read]);
            let to =
                *at.get(&(reader, part)).or_broken("what reads is not a clock, and has a node in its part");
            let layer = layers[reader].saturating_sub(1);
            let from = *at.entry((read, part)).or_insert_with(|| nodes.push(Node { relation, layer, part }));
            if is_clock(relation) {
                let clock = &mut nodes[from];
                clock.layer = clock.layer.min(layer);
            }
            edges.push(Edge { from, to, mode });
        }
        edges.sort_by_key(|edge| (edge.from, edge.to));
        Self { nodes, edges: edges.into() }
    }
}

fn is_clock(relation: &Relation) -> bool {
    relation.kind == Kind::Input && relation.name.as_str() == "now"
}

fn relations(program: &Program) -> impl Iterator<Item = (RelationId, &Relation)> {
    program.relations.iter().enumerate().map(|(at, relation)| (RelationId::new(at), relation))
}

/// For each relation the part of the graph it is in, counted from 0 in the order of their first relations.
fn parts(program: &Program, links: &Links) -> IndexVec<RelationId, usize> {
    let mut root: IndexVec<RelationId, _> = (0..program.relations.len()).map(RelationId::new).collect();
    for (read, reader, _) in links.all().filter(|(read, ..)| !is_clock(&program[*read])) {
        let (a, b) = (find(&mut root, read), find(&mut root, reader));
        root[a.max(b)] = a.min(b);
    }
    let mut numbers = BTreeMap::new();
    let relations = root.ids();
    relations
        .map(|at| {
            let root = find(&mut root, at);
            let next = numbers.len();
            *numbers.entry(root).or_insert(next)
        })
        .collect()
}

/// The root of a tree of the union; the way to it is halved.
fn find(root: &mut IndexVec<RelationId, RelationId>, start: RelationId) -> RelationId {
    let mut at = start;
    while root[at] != at {
        root[at] = root[root[at]];
        at = root[at];
    }
    at
}
