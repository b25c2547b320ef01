//! Layers: the strata, as far left as what they read allows; what reads nothing stands just before its first reader.

use hence_core::index_vec::IndexVec;
use hence_core::schema::RelationId;
use hence_lang::ir::Program;

use super::links::Links;

/// The layer of each relation.
pub(super) fn layers(program: &Program, links: &Links) -> IndexVec<RelationId, usize> {
    let mut layers = IndexVec::filled(0, program.relations.len());
    let mut reads_any = IndexVec::filled(false, program.relations.len());
    for stratum in &program.strata {
        let rules = stratum.rules.iter().map(|rule| &program[*rule]);
        let below = rules
            .flat_map(|rule| rule.reads())
            .filter(|read| !stratum.relations.contains(read))
            .map(|read| layers[read])
            .max();
        for relation in &stratum.relations {
            layers[*relation] = below.map_or(0, |below| below + 1);
            reads_any[*relation] = below.is_some() || stratum.recursive;
        }
    }
    moved_right(&mut layers, &reads_any, links);
    layers
}

/// Moves what reads nothing to the layer before its first reader.
fn moved_right(
    layers: &mut IndexVec<RelationId, usize>,
    reads_any: &IndexVec<RelationId, bool>,
    links: &Links,
) {
    let mut first: IndexVec<RelationId, Option<usize>> = IndexVec::filled(None, layers.len());
    for (read, reader, _) in links.all() {
        let layer = layers[reader];
        first[read] = Some(first[read].map_or(layer, |known| known.min(layer)));
    }
    for ((layer, first), reads_any) in layers.iter_mut().zip(first).zip(reads_any.iter()) {
        if !reads_any {
            *layer = first.map_or(*layer, |first| first.saturating_sub(1));
        }
    }
}
