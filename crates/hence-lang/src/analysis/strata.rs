//! Strata: which relations are derived together, in which order, and the cycle where there is none.

mod cycle;
mod graph;

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use crate::analysis::checked::Checked;
use graph::{How, Read, reads};
use hence_core::diagnostic::{Diagnostic, sort};
use hence_core::index_vec::{Id, IndexVec, id};
use hence_core::schema::{Kind, Relation, RelationId};
use hence_core::span::Span;

/// Relations that are derived together, after all strata before them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stratum {
    /// The derived relations, ascending.
    pub relations: Vec<RelationId>,
    /// Whether some rule of one of them reads one of them.
    pub recursive: bool,
}

/// The derived relations of `checked` in an order of evaluation: each stratum is one strongly connected component
/// of the graph of who reads whom, and comes after all that it reads; where that leaves a choice, the stratum
/// with the relation that was known first comes first.
///
/// # Errors
/// For each component in which a relation depends on itself through negation, an aggregate or a limit, the
/// shortest such cycle.
pub fn strata(checked: &Checked) -> Result<Vec<Stratum>, Vec<Diagnostic>> {
    let reads: Vec<Read> = checked.rules.iter().flat_map(reads).collect();
    let components = Components::new(checked.relations.len(), &reads);
    let mut faults = cycle::cycles(checked, &reads, &components);
    if faults.is_empty() {
        let heads = checked.rules.iter().map(|rule| rule.head).collect();
        return Ok(components.ordered(&reads, &checked.relations, &heads));
    }
    sort(&mut faults);
    Err(faults)
}

/// The strata of the relations that rules derive, each rule as its head and what it reads, in the same order; there is
/// no cycle that needs all of a relation.
pub fn ordered(relations: &[Relation], rules: &[(RelationId, Vec<RelationId>)]) -> Vec<Stratum> {
    let reads = rules.iter().flat_map(|(head, reads)| reads.iter().map(|read| (*head, *read)));
    let read = |(reader, read)| Read { reader, read, how: How::Some, span: Span::default() };
    let reads: Vec<Read> = reads.map(read).collect();
    let heads = rules.iter().map(|(head, _)| *head).collect();
    Components::new(relations.len(), &reads).ordered(&reads, relations, &heads)
}

/// The strongly connected components of the graph of who reads whom.
struct Components {
    /// The relations of each component, ascending.
    members: IndexVec<Component, Vec<RelationId>>,
    /// The component of each relation.
    of: IndexVec<RelationId, Component>,
}

id! {
    /// The number of a component.
    struct Component(u32): "each relation is in one of the components";
}

impl Components {
    fn new(relations: usize, reads: &[Read]) -> Self {
        let mut graph = DiGraph::<(), ()>::with_capacity(relations, reads.len());
        (0..relations).for_each(|_| {
            graph.add_node(());
        });
        for read in reads {
            graph.update_edge(
                NodeIndex::new(read.reader.0 as usize),
                NodeIndex::new(read.read.0 as usize),
                (),
            );
        }
        // Tarjan's algorithm in petgraph recurses as deep as the longest chain of rules; Kosaraju's doesn't.
        let mut members: Vec<Vec<RelationId>> = kosaraju_scc(&graph)
            .into_iter()
            .map(|nodes| nodes.into_iter().map(|node| RelationId(node.index() as u32)).collect())
            .collect();
        members.iter_mut().for_each(|relations| relations.sort_unstable());
        members.sort_unstable();
        let members: IndexVec<Component, _> = members.into();
        let mut of = IndexVec::filled(Component(0), relations);
        for (component, relations) in members.numbered() {
            relations.iter().for_each(|relation| of[*relation] = component);
        }
        Self { members, of }
    }

    /// The component of a relation.
    fn of(&self, relation: RelationId) -> Component {
        self.of[relation]
    }

    /// Whether a read stays inside one component.
    fn inside(&self, read: &Read) -> bool {
        self.of(read.reader) == self.of(read.read)
    }

    /// The components in an order in which each comes after all that it reads, the inputs that no rule
    /// feeds left out.
    fn ordered(&self, reads: &[Read], all: &[Relation], heads: &BTreeSet<RelationId>) -> Vec<Stratum> {
        let len = self.members.len();
        let mut readers: IndexVec<Component, Vec<Component>> = IndexVec::filled(Vec::new(), len);
        let mut missing: IndexVec<Component, usize> = IndexVec::filled(0, len);
        let mut recursive: IndexVec<Component, bool> = IndexVec::filled(false, len);
        for read in reads {
            let (from, to) = (self.of(read.read), self.of(read.reader));
            if from == to {
                recursive[from] = true;
            } else {
                readers[from].push(to);
                missing[to] += 1;
            }
        }
        // Components are numbered by their first relation, so the smallest number is the one known first.
        let free = missing.numbered().filter(|(_, count)| **count == 0);
        let mut ready: BinaryHeap<_> = free.map(|(component, _)| Reverse(component)).collect();
        let mut out = Vec::with_capacity(len);
        while let Some(Reverse(component)) = ready.pop() {
            for reader in &readers[component] {
                missing[*reader] -= 1;
                if missing[*reader] == 0 {
                    ready.push(Reverse(*reader));
                }
            }
            let relations = self.members[component].clone();
            out.push(Stratum { relations, recursive: recursive[component] });
        }
        assert_eq!(out.len(), len, "each component comes after all that it reads");
        let is_derived = |id: &RelationId| {
            heads.contains(id) || all.get(id.at()).is_some_and(|relation| relation.kind != Kind::Input)
        };
        out.retain(|stratum| stratum.relations.iter().any(is_derived));
        out
    }
}
