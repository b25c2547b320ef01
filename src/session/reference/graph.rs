//! The graph of who reads whom: a node a relation, an edge from what is read to what reads it.

use hence_core::fault::OrBroken;
use hence_core::index_vec::Id;
use std::collections::BTreeMap;

use hence_core::schema::{Kind, Relation, RelationId};
use hence_lang::ir::Program;

use super::layers;
use super::links::{Links, Mode};

/// A relation in the graph.
pub(super) struct Node<'a> {
    /// The relation.
    pub(super) relation: &'a Relation,
    /// Its layer: every relation stands behind all that it reads, but for those of its own stratum.
    pub(super) layer: usize,
    /// The part of the graph it is in; nothing leads from one part to another.
    pub(super) part: usize,
}

/// A read.
#[derive(Clone, Copy)]
pub(super) struct Edge {
    /// The place of the node that is read.
    pub(super) from: usize,
    /// The place of the node that reads.
    pub(super) to: usize,
    /// How it reads.
    pub(super) mode: Mode,
}

/// Nodes in the order of the program's relations, edges ascending.
pub(super) struct Graph<'a> {
    /// The nodes.
    pub(super) nodes: Vec<Node<'a>>,
    /// The edges.
    pub(super) edges: Vec<Edge>,
}

impl<'a> Graph<'a> {
    /// The graph of `program`. The clock stands once in each part that reads it, so that it ties none together.
    pub(super) fn new(program: &'a Program, links: &Links) -> Self {
        let layers = layers::layers(program, links);
        let parts = parts(program, links);
        let mut nodes = Vec::new();
        let mut at: BTreeMap<(RelationId, usize), usize> = BTreeMap::new();
        let mut edges = Vec::new();
        for (id, relation) in relations(program).filter(|(_, relation)| !is_clock(relation)) {
            let part = part_of(&parts, id);
            at.insert((id, part), nodes.len());
            nodes.push(Node { relation, layer: layer_of(&layers, id), part });
        }
        for (read, reader, mode) in links.all() {
            let part = part_of(&parts, reader);
            let Some(to) = at.get(&(reader, part)).copied() else { continue };
            let Some(relation) = program.relation(read) else { continue };
            let from = *at.entry((read, part)).or_insert_with(|| {
                nodes.push(Node { relation, layer: layer_of(&layers, reader).saturating_sub(1), part });
                nodes.len() - 1
            });
            if is_clock(relation) {
                let layer = layer_of(&layers, reader).saturating_sub(1);
                let clock = nodes.get_mut(from).or_broken("edges join nodes of the graph");
                clock.layer = clock.layer.min(layer);
            }
            edges.push(Edge { from, to, mode });
        }
        edges.sort_by_key(|edge| (edge.from, edge.to));
        Self { nodes, edges }
    }
}

fn is_clock(relation: &Relation) -> bool {
    relation.kind == Kind::Input && relation.name.as_str() == "now"
}

fn relations(program: &Program) -> impl Iterator<Item = (RelationId, &Relation)> {
    program.relations.iter().enumerate().map(|(at, relation)| (RelationId(at as u32), relation))
}

fn layer_of(layers: &[usize], relation: RelationId) -> usize {
    layers.get(relation.0 as usize).copied().or_broken(RelationId::INVARIANT)
}

fn part_of(parts: &[usize], relation: RelationId) -> usize {
    parts.get(relation.0 as usize).copied().or_broken(RelationId::INVARIANT)
}

/// For each relation the part of the graph it is in, counted from 0 in the order of their first relations.
fn parts(program: &Program, links: &Links) -> Vec<usize> {
    let mut root: Vec<usize> = (0..program.relations.len()).collect();
    for (read, reader, _) in links.all() {
        if program.relation(read).is_some_and(is_clock) {
            continue;
        }
        let (a, b) = (find(&mut root, read.0 as usize), find(&mut root, reader.0 as usize));
        if let Some(parent) = root.get_mut(a.max(b)) {
            *parent = a.min(b);
        }
    }
    let mut numbers = BTreeMap::new();
    (0..root.len())
        .map(|at| {
            let root = find(&mut root, at);
            let next = numbers.len();
            *numbers.entry(root).or_insert(next)
        })
        .collect()
}

/// The root of a tree of the union; the way to it is halved.
fn find(root: &mut [usize], start: usize) -> usize {
    let mut at = start;
    loop {
        let parent = root.get(at).copied().unwrap_or(at);
        if parent == at {
            return at;
        }
        let above = root.get(parent).copied().unwrap_or(parent);
        if let Some(slot) = root.get_mut(at) {
            *slot = above;
        }
        at = above;
    }
}
