//! The order of the items in each layer: barycentres, swept to and fro, the order with the fewest crossings kept
//! (Sugiyama, Tagawa and Toda 1981).

use hence_core::fault::OrBroken;

/// What places are looked up by.
const ITEMS: &str = "layers hold items of the graph";
/// How often all layers are swept.
const SWEEPS: usize = 12;

/// Items by layer, and for each item its neighbours in the layer before and in the layer behind.
pub(super) struct Layered {
    /// The items of each layer in their order.
    pub(super) layers: Vec<Vec<usize>>,
    /// Neighbours one layer before.
    pub(super) before: Vec<Vec<usize>>,
    /// Neighbours one layer behind.
    pub(super) behind: Vec<Vec<usize>>,
}

impl Layered {
    /// Orders the layers.
    pub(super) fn order(&mut self) {
        let mut best = (self.crossings(), self.layers.clone());
        for sweep in 0..SWEEPS {
            let forward = sweep % 2 == 0;
            let count = self.layers.len();
            for at in 0..count {
                self.sort(if forward { at } else { count - 1 - at }, forward);
            }
            let crossings = self.crossings();
            if crossings < best.0 {
                best = (crossings, self.layers.clone());
            }
        }
        self.layers = best.1;
    }

    /// For each item its place in its layer.
    pub(super) fn places(&self) -> Vec<usize> {
        let mut places = vec![0; self.before.len()];
        for layer in &self.layers {
            for (place, item) in layer.iter().enumerate() {
                *places.get_mut(*item).or_broken(ITEMS) = place;
            }
        }
        places
    }

    /// The neighbours of an item on one side.
    pub(super) fn neighbours(&self, item: usize, before: bool) -> &[usize] {
        let side = if before { &self.before } else { &self.behind };
        side.get(item).map_or(&[], Vec::as_slice)
    }

    /// Sorts a layer by the mean places of the neighbours on one side; who has none stays where it is.
    fn sort(&mut self, layer: usize, before: bool) {
        let places = self.places();
        let place = |item: usize| places.get(item).copied().or_broken(ITEMS) as f64;
        let key = |item: usize| {
            let neighbours = self.neighbours(item, before);
            match neighbours.len() {
                0 => place(item),
                count => neighbours.iter().map(|other| place(*other)).sum::<f64>() / count as f64,
            }
        };
        let Some(items) = self.layers.get(layer) else { return };
        let mut keyed: Vec<(f64, usize)> = items.iter().map(|item| (key(*item), *item)).collect();
        keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
        if let Some(items) = self.layers.get_mut(layer) {
            *items = keyed.into_iter().map(|(_, item)| item).collect();
        }
    }

    /// How many pairs of lines between neighbouring layers cross.
    fn crossings(&self) -> u64 {
        let places = self.places();
        let place = |item: usize| places.get(item).copied().or_broken(ITEMS);
        let between = self.layers.iter().map(|layer| {
            let lines = layer.iter().flat_map(|item| {
                let mut ends: Vec<usize> =
                    self.neighbours(*item, false).iter().map(|end| place(*end)).collect();
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

#[cfg(test)]
mod tests {
    use super::{Layered, inversions};

    #[test]
    fn inversions_are_pairs_in_falling_order() {
        assert_eq!(inversions(&[]), 0);
        assert_eq!(inversions(&[0, 1, 1, 2]), 0);
        assert_eq!(inversions(&[2, 1, 0]), 3);
        assert_eq!(inversions(&[1, 0, 1, 0]), 3);
    }

    #[test]
    fn lines_that_cross_are_disentangled() {
        let before = vec![vec![], vec![], vec![], vec![2], vec![1], vec![0]];
        let behind = vec![vec![5], vec![4], vec![3], vec![], vec![], vec![]];
        let mut layered = Layered { layers: vec![vec![0, 1, 2], vec![3, 4, 5]], before, behind };
        assert_eq!(layered.crossings(), 3);
        layered.order();
        assert_eq!(layered.crossings(), 0);
    }
}
