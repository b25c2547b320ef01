//! datafrog: joins called by hand. It has no aggregates.

use std::path::Path;

use datafrog::{Iteration, Relation, RelationLeaper};

use super::Task;
use crate::facts::{pairs, triples};
use crate::measure::{Check, Measured, measured};

type Pair = (u32, u32);
type Triple = (u32, u32, u32);

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
        Task::Ontology | Task::Classification => measured(
            || Ontology::load(folder),
            ontology,
            |(p, q): &(Relation<Pair>, Relation<Triple>)| {
                Check::of_both(p.iter().copied(), q.iter().copied())
            },
        ),
        Task::Aggregates | Task::Year => panic!("datafrog has no aggregates"),
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

struct Ontology {
    is_a: Vec<Pair>,
    has: Vec<Triple>,
    r: Vec<Triple>,
    c: Vec<Triple>,
    u: Vec<Triple>,
    s: Vec<Pair>,
}

impl Ontology {
    fn load(folder: &Path) -> Self {
        let [r, c, u, has] = ["r", "c", "u", "has"].map(|name| triples(folder, name));
        Self { is_a: pairs(folder, "isA"), has, r, c, u, s: pairs(folder, "s") }
    }
}

/// Indexes are variables of their own; the three-way rules go through the facts that they join first with the small side.
fn ontology(input: Ontology) -> (Relation<Pair>, Relation<Triple>) {
    let keyed = |rows: &[Triple], key: fn(Triple) -> (u32, Pair)| -> Relation<(u32, Pair)> {
        rows.iter().map(|row| key(*row)).collect()
    };
    let c_by_w = keyed(&input.c, |(y, w, z)| (w, (y, z)));
    let u_by_w = keyed(&input.u, |(w, r, z)| (w, (r, z)));
    let r_by_first = keyed(&input.r, |(r, p, e)| (r, (p, e)));
    let s: Relation<Pair> = input.s.into();
    let mut iteration = Iteration::new();
    let p = iteration.variable::<Pair>("p");
    let p_by_end = iteration.variable::<Pair>("p by end");
    let p_whole = iteration.variable::<(Pair, ())>("p whole");
    let q = iteration.variable::<Triple>("q");
    let q_by_first = iteration.variable::<(u32, Pair)>("q by first");
    let q_by_role = iteration.variable::<(u32, Pair)>("q by role");
    let q_by_role_and_end = iteration.variable::<(Pair, u32)>("q by role and end");
    let q_by_first_and_role = iteration.variable::<(Pair, u32)>("q by first and role");
    let both = iteration.variable::<(Pair, u32)>("what a conjunction lacks");
    let through = iteration.variable::<(Pair, u32)>("what has a role");
    let chain = iteration.variable::<(Pair, Pair)>("the second half of a chain");
    p.insert(input.is_a.into());
    q.insert(input.has.into());
    while iteration.changed() {
        p_by_end.from_map(&p, |&(x, z)| (z, x));
        p_whole.from_map(&p, |&pair| (pair, ()));
        q_by_first.from_map(&q, |&(x, r, z)| (x, (r, z)));
        q_by_role.from_map(&q, |&(x, r, z)| (r, (x, z)));
        q_by_role_and_end.from_map(&q, |&(x, r, z)| ((r, z), x));
        q_by_first_and_role.from_map(&q, |&(x, r, z)| ((x, r), z));
        p.from_join(&p_by_end, &p, |_y, &x, &z| (x, z));
        through.from_join(&p_by_end, &u_by_w, |_w, &y, &(r, z)| ((r, y), z));
        p.from_join(&through, &q_by_role_and_end, |_, &z, &x| (x, z));
        both.from_join(&p_by_end, &c_by_w, |_w, &x, &(y, z)| ((x, y), z));
        p.from_join(&both, &p_whole, |&(x, _y), &z, &()| (x, z));
        q.from_join(&p_by_end, &q_by_first, |_y, &x, &(r, z)| (x, r, z));
        q.from_join(&q_by_role, &s, |_r, &(x, z), &q| (x, q, z));
        chain.from_join(&q_by_role, &r_by_first, |_y, &(x, z), &(u, e)| ((z, u), (x, e)));
        q.from_join(&chain, &q_by_first_and_role, |_, &(x, e), &o| (x, e, o));
    }
    (p.complete(), q.complete())
}
