//! How high each item stands: near its neighbours, in the order of its layer, no two closer than they may be.

use super::order::{Item, Layer, Layered};
use hence_core::index_vec::IndexVec;

/// How often all layers are moved.
const SWEEPS: usize = 14;

/// An item's height and how much it weighs: long lines weigh more, so that they become straight.
#[derive(Clone, Copy)]
pub(super) struct Extent {
    /// Its height with the room around it.
    pub(super) height: f64,
    /// Its weight.
    pub(super) weight: f64,
}

/// The middle of each item, from 0 down.
pub(super) fn place(layered: &Layered, extents: &IndexVec<Item, Extent>) -> IndexVec<Item, f64> {
    let mut middles = IndexVec::filled(0.0, extents.len());
    for layer in layered.layers.iter() {
        let mut top = 0.0;
        for item in layer {
            let height = extents[*item].height;
            middles[*item] = top + height / 2.0;
            top += height;
        }
    }
    for sweep in 0..SWEEPS {
        let forward = sweep % 2 == 0;
        for layer in layered.swept(forward) {
            move_layer(layer, layered, extents, forward, &mut middles);
        }
    }
    let top = middles.iter().zip(extents.iter()).map(|(middle, extent)| middle - extent.height / 2.0);
    let top = top.fold(f64::INFINITY, f64::min);
    middles.iter().map(|middle| middle - top).collect()
}

/// Moves the items of a layer as near to the mean of their neighbours on one side as their order and heights allow:
/// the least squares under that order, by pooling adjacent violators.
fn move_layer(
    layer: Layer,
    layered: &Layered,
    extents: &IndexVec<Item, Extent>,
    before: bool,
    middles: &mut IndexVec<Item, f64>,
) {
    let layer = &layered.layers[layer];
    let mut offset = 0.0;
    let mut blocks: Vec<Block> = Vec::with_capacity(layer.len());
    let mut offsets = Vec::with_capacity(layer.len());
    for item in layer {
        let half = extents[*item].height / 2.0;
        offset += half;
        let neighbours = layered.neighbours(*item, before);
        let wanted = match neighbours.len() {
            0 => middles[*item],
            count => neighbours.iter().map(|other| middles[*other]).sum::<f64>() / count as f64,
        };
        let weight = if neighbours.is_empty() { 0.1 } else { extents[*item].weight };
        push(&mut blocks, Block { sum: (wanted - offset) * weight, weight, items: 1 });
        offsets.push(offset);
        offset += half;
    }
    let means = blocks.iter().flat_map(|block| std::iter::repeat_n(block.mean(), block.items));
    let placed: Vec<f64> = means.zip(offsets).map(|(mean, offset)| mean + offset).collect();
    layer.iter().zip(placed).for_each(|(item, value)| middles[*item] = value);
}

/// Items that touch and move together.
#[derive(Clone, Copy)]
struct Block {
    sum: f64,
    weight: f64,
    items: usize,
}

impl Block {
    fn mean(&self) -> f64 {
        self.sum / self.weight
    }
}

/// Adds a block, joined with those above that it would overlap.
fn push(blocks: &mut Vec<Block>, mut block: Block) {
    while let Some(above) = blocks.pop_if(|above| above.mean() > block.mean()) {
        block.sum += above.sum;
        block.weight += above.weight;
        block.items += above.items;
    }
    blocks.push(block);
}
