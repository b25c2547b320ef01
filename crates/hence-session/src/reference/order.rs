//! The order of the items in each layer: barycentres, swept to and fro, the order with the fewest crossings kept
//! (Sugiyama, Tagawa and Toda 1981).

use hence_core::fault::OrBroken;
use hence_core::index_vec::{IndexVec, id};

id! {
    /// A column of the picture, from left to right.
    pub(super) struct Layer(u32): "what is laid out stands in one of the layers";
}

id! {
    /// What has a place in a layer: a node, or a station of a long line.
    pub(super) struct Item(u32): "layers hold items of their graph";
}

/// How often all layers are swept.
const SWEEPS: usize = 12;

/// Items by layer, and for each item its neighbours in the layer before and in the layer after.
pub(super) struct Layered {
    /// The items of each layer in their order.
    pub(super) layers: IndexVec<Layer, Vec<Item>>,
    /// Neighbours one layer before.
    pub(super) before: IndexVec<Item, Vec<Item>>,
    /// Neighbours one layer after.
    pub(super) after: IndexVec<Item, Vec<Item>>,
}

impl Layered {
    /// Orders the layers.
    pub(super) fn order(&mut self) {
        let mut best = (self.crossings(), self.layers.clone());
        for sweep in 0..SWEEPS {
            let forward = sweep % 2 == 0;
            for layer in self.swept(forward) {
                self.sort(layer, forward);
            }
            let crossings = self.crossings();
            if crossings < best.0 {
                best = (crossings, self.layers.clone());
            }
        }
        self.layers = best.1;
    }

    /// The layers in the order of a sweep.
    pub(super) fn swept(&self, forward: bool) -> Vec<Layer> {
        let mut layers: Vec<Layer> = self.layers.ids().collect();
        if !forward {
            layers.reverse();
        }
        layers
    }

    /// For each item its place in its layer.
    fn places(&self) -> IndexVec<Item, usize> {
        let mut places = IndexVec::filled(0, self.before.len());
        for layer in self.layers.iter() {
            for (place, item) in layer.iter().enumerate() {
                places[*item] = place;
            }
        }
        places
    }

    /// The neighbours of an item on one side.
    pub(super) fn neighbours(&self, item: Item, before: bool) -> &[Item] {
        if before { &self.before[item] } else { &self.after[item] }
    }

    /// Sorts a layer by the mean places of the neighbours on one side; who has none stays where it is.
    fn sort(&mut self, layer: Layer, before: bool) {
        let places = self.places();
        let place = |item: Item| places[item] as f64;
        let key = |item: Item| {
            let neighbours = self.neighbours(item, before);
            match neighbours.len() {
                0 => place(item),
                count => neighbours.iter().map(|other| place(*other)).sum::<f64>() / count as f64,
            }
        };
        let mut keyed: Vec<(f64, Item)> = self.layers[layer].iter().map(|item| (key(*item), *item)).collect();
        keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
        self.layers[layer] = keyed.into_iter().map(|(_, item)| item).collect();
    }

    /// How many pairs of lines between neighbouring layers cross.
    fn crossings(&self) -> u64 {
        let places = self.places();
        let between = self.layers.iter().map(|layer| {
            let lines = layer.iter().flat_map(|item| {
                let mut ends: Vec<usize> =
                    self.neighbours(*item, false).iter().map(|end| places[*end]).collect();
                ends.sort_unstable();
                ends
            });
            inversions(&lines.collect::<Vec<_>>())
        });
        between.sum()
    }
}

/// How many pairs stand in falling order, counted in a Fenwick tree.
fn inversions(values: &[usize]) -> u64 {
    let size = values.iter().max().map_or(0, |most| most + 1);
    let mut tree = vec![0u64; size + 1];
    let mut found = 0;
    for (seen, value) in values.iter().enumerate() {
        let mut at = value + 1;
        let mut not_above = 0;
        while at > 0 {
            not_above += tree.get(at).copied().or_broken("a Fenwick tree has a place for each value");
            at &= at - 1;
        }
        found += seen as u64 - not_above;
        at = value + 1;
        while let Some(slot) = tree.get_mut(at) {
            *slot += 1;
            at += at & at.wrapping_neg();
        }
    }
    found
}
