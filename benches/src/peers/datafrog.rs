//! datafrog: joins called by hand. It has no aggregates.

use std::path::Path;

use datafrog::{Iteration, Relation, RelationLeaper};

use super::Task;
use crate::facts::pairs;
use crate::measure::{Check, Measured, measured};

type Pair = (u32, u32);

fn reversed(pairs: &[Pair]) -> Relation<Pair> {
    pairs.iter().map(|&(a, b)| (b, a)).collect()
}

pub fn run(task: Task, folder: &Path) -> Measured {
    let check = |rows: &Relation<Pair>| Check::of(rows.iter().copied());
    match task {
        // Kept as (end, start).
        Task::Closure => measured(
            || pairs(folder, "edge"),
            closure,
            |rows| Check::of(rows.iter().map(|&(end, start)| (start, end))),
        ),
        Task::Generation => measured(|| pairs(folder, "parent"), generation, check),
        Task::PointsTo => measured(
            || ["addressOf", "assign", "load", "store"].map(|name| pairs(folder, name)),
            points_to,
            check,
        ),
        Task::Triangles => measured(
            || pairs(folder, "e"),
            triangles,
            |rows: &Relation<(u32, u32, u32)>| Check::of_triples(rows.iter().copied()),
        ),
        Task::Aggregates => panic!("datafrog has no aggregates"),
    }
}

fn closure(edges: Vec<Pair>) -> Relation<Pair> {
    let mut iteration = Iteration::new();
    let path = iteration.variable::<Pair>("path");
    path.insert(reversed(&edges));
    let edge: Relation<Pair> = edges.into();
    while iteration.changed() {
        path.from_join(&path, &edge, |_y, &x, &z| (z, x));
    }
    path.complete()
}

fn generation(parents: Vec<Pair>) -> Relation<Pair> {
    let parent: Relation<Pair> = parents.into();
    let siblings = Relation::from_join(&parent, &parent, |_p, &x, &y| (x, y));
    let mut iteration = Iteration::new();
    let (same, step) = (iteration.variable::<Pair>("sg"), iteration.variable::<Pair>("step"));
    same.insert(siblings.iter().copied().filter(|(x, y)| x != y).collect());
    while iteration.changed() {
        step.from_join(&same, &parent, |_a, &b, &x| (b, x));
        same.from_join(&step, &parent, |_b, &x, &y| (x, y));
    }
    same.complete()
}

fn points_to([address_of, assign, load, store]: [Vec<Pair>; 4]) -> Relation<Pair> {
    let (assign, load, store) = (reversed(&assign), reversed(&load), Relation::from(store));
    let mut iteration = Iteration::new();
    let pt = iteration.variable::<Pair>("pt");
    let (loads, stores) = (iteration.variable::<Pair>("loads"), iteration.variable::<Pair>("stores"));
    pt.insert(address_of.into());
    while iteration.changed() {
        pt.from_join(&pt, &assign, |_z, &x, &y| (y, x));
        loads.from_join(&pt, &load, |_x, &z, &y| (z, y));
        pt.from_join(&loads, &pt, |_z, &y, &w| (y, w));
        stores.from_join(&pt, &store, |_y, &z, &x| (x, z));
        pt.from_join(&stores, &pt, |_x, &z, &w| (z, w));
    }
    pt.complete()
}

/// Its leapfrog join, which is worst-case optimal.
fn triangles(edges: Vec<Pair>) -> Relation<(u32, u32, u32)> {
    let edge: Relation<Pair> = edges.into();
    let leapers = (edge.extend_with(|&(_x, y): &Pair| y), edge.extend_with(|&(x, _y): &Pair| x));
    Relation::from_leapjoin(&edge, leapers, |&(x, y), &z| (x, y, z))
}
