//! An ontology like GALEN in its normal form, in shape and not in content: a taxonomy where few classes have most of the
//! others below them, what they have by some role, and classes that are defined by both.

use std::path::Path;

use crate::generate::{write_pairs, write_rows};
use crate::random::Random;

const ROLES: u32 = 400;

/// Writes an ontology of so many primitive classes, half as many defined ones, and the classes that its normal form adds.
pub fn write(classes: u32, folder: &Path) {
    let mut random = Random::new(1009);
    let below =
        |random: &mut Random, count: u32, skew: i32| (f64::from(count) * random.unit().powi(skew)) as u32;
    let (mut is_a, mut has, mut conjunctions, mut existentials) = (vec![], vec![], vec![], vec![]);
    for class in 1..classes {
        is_a.push((class, below(&mut random, class, 2)));
        if random.unit() < 0.6 {
            has.push([class, below(&mut random, ROLES, 3), below(&mut random, classes, 2)]);
        }
    }
    for defined in 0..classes / 2 {
        let (class, having) = (classes + 2 * defined, classes + 2 * defined + 1);
        let genus = below(&mut random, classes, 2);
        let (role, filler) = (below(&mut random, ROLES, 3), below(&mut random, classes, 1));
        is_a.extend([(class, genus), (class, having)]);
        has.push([having, role, filler]);
        existentials.push([filler, role, having]);
        conjunctions.push([genus, having, class]);
    }
    let roles: Vec<(u32, u32)> = (1..ROLES).map(|role| (role, below(&mut random, role, 1))).collect();
    let chains = (0..ROLES / 8).map(|_| {
        let role = below(&mut random, ROLES, 2);
        [role, below(&mut random, ROLES, 2), role]
    });
    write_rows(folder, "r", chains);
    write_pairs(folder, "isA", &is_a);
    write_pairs(folder, "s", &roles);
    write_rows(folder, "has", has.iter());
    write_rows(folder, "c", conjunctions.iter());
    write_rows(folder, "u", existentials.iter());
}
