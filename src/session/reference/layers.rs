//! Layers: the strata, as far left as what they read allows; what reads nothing stands just before its first reader.

use hence_core::fault::OrBroken;
use hence_core::schema::RelationId;
use hence_lang::ir::Program;

use super::links::Links;

/// What places are looked up by.
const LAID: &str = "what is laid out belongs to the graph";

/// The layer of each relation.
pub(super) fn layers(program: &Program, links: &Links) -> Vec<usize> {
    let mut layers = vec![0; program.relations.len()];
    let mut reads_any = vec![false; program.relations.len()];
    for stratum in &program.strata {
        let rules = stratum.rules.iter().map(|rule| &program[*rule]);
        let below = rules
            .flat_map(|rule| rule.reads())
            .filter(|read| !stratum.relations.contains(read))
            .filter_map(|read| layers.get(read.0 as usize).copied())
            .max();
        for relation in &stratum.relations {
            let at = relation.0 as usize;
            *layers.get_mut(at).or_broken(LAID) = below.map_or(0, |below| below + 1);
            *reads_any.get_mut(at).or_broken(LAID) = below.is_some() || stratum.recursive;
        }
    }
    moved_right(&mut layers, &reads_any, links);
    layers
}

/// Moves what reads nothing to the layer before its first reader.
fn moved_right(layers: &mut [usize], reads_any: &[bool], links: &Links) {
    let mut first: Vec<Option<usize>> = vec![None; layers.len()];
    for (read, RelationId(reader), _) in links.all() {
        let Some(layer) = layers.get(reader as usize).copied() else { continue };
        if let Some(slot) = first.get_mut(read.0 as usize) {
            *slot = Some(slot.map_or(layer, |known: usize| known.min(layer)));
        }
    }
    for ((layer, first), reads_any) in layers.iter_mut().zip(first).zip(reads_any) {
        if !reads_any {
            *layer = first.map_or(*layer, |first| first.saturating_sub(1));
        }
    }
}
