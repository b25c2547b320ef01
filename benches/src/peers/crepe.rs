//! crepe, with ahash instead of the standard hasher. It has no aggregates. The packs of a year are those that `hence compile` made
//! code for crepe of, which computes aggregates between its programs.

use std::path::Path;

use ::hence::session::compiled::Compiled;
use hence_engine::{Engine, Limits};

use super::{Task, hence};
use crate::facts::{pairs, triples};
use crate::measure::{Check, Measured, measured};

type Hasher = ahash::RandomState;

mod closure {
    crepe::crepe! {
        @input pub struct Edge(pub u32, pub u32);
        @output pub struct Path(pub u32, pub u32);
        Path(x, y) <- Edge(x, y);
        Path(x, z) <- Path(x, y), Edge(y, z);
    }
}

mod generation {
    crepe::crepe! {
        @input pub struct Parent(pub u32, pub u32);
        @output pub struct Sg(pub u32, pub u32);
        Sg(x, y) <- Parent(p, x), Parent(p, y), (x != y);
        Sg(x, y) <- Sg(a, b), Parent(a, x), Parent(b, y);
    }
}

mod points_to {
    crepe::crepe! {
        @input pub struct AddressOf(pub u32, pub u32);
        @input pub struct Assign(pub u32, pub u32);
        @input pub struct Load(pub u32, pub u32);
        @input pub struct Store(pub u32, pub u32);
        @output pub struct Pt(pub u32, pub u32);
        Pt(y, x) <- AddressOf(y, x);
        Pt(y, x) <- Assign(y, z), Pt(z, x);
        Pt(y, w) <- Load(y, x), Pt(x, z), Pt(z, w);
        Pt(z, w) <- Store(y, x), Pt(y, z), Pt(x, w);
    }
}

mod triangles {
    crepe::crepe! {
        @input pub struct E(pub u32, pub u32);
        @output pub struct T(pub u32, pub u32, pub u32);
        T(x, y, z) <- E(x, y), E(y, z), E(x, z);
    }
}

mod ontology {
    crepe::crepe! {
        @input pub struct IsA(pub u32, pub u32);
        @input pub struct Has(pub u32, pub u32, pub u32);
        @input pub struct R(pub u32, pub u32, pub u32);
        @input pub struct C(pub u32, pub u32, pub u32);
        @input pub struct U(pub u32, pub u32, pub u32);
        @input pub struct S(pub u32, pub u32);
        @output pub struct P(pub u32, pub u32);
        @output pub struct Q(pub u32, pub u32, pub u32);
        P(x, z) <- IsA(x, z);
        Q(x, r, z) <- Has(x, r, z);
        P(x, z) <- P(x, y), P(y, z);
        P(x, z) <- P(y, w), U(w, r, z), Q(x, r, y);
        P(x, z) <- C(y, w, z), P(x, w), P(x, y);
        Q(x, r, z) <- P(x, y), Q(y, r, z);
        Q(x, q, z) <- Q(x, r, z), S(r, q);
        Q(x, e, o) <- Q(x, y, z), R(y, u, e), Q(z, u, o);
    }
}

pub fn run(task: Task, folder: &Path) -> Measured {
    match task {
        Task::Closure => measured(
            || {
                let mut crepe = closure::Crepe::new();
                crepe.extend(pairs(folder, "edge").into_iter().map(|(a, b)| closure::Edge(a, b)));
                crepe
            },
            |crepe| crepe.run_with_hasher::<Hasher>().0,
            |paths| Check::of(paths.iter().map(|row| (row.0, row.1))),
        ),
        Task::Generation => measured(
            || {
                let mut crepe = generation::Crepe::new();
                crepe.extend(pairs(folder, "parent").into_iter().map(|(a, b)| generation::Parent(a, b)));
                crepe
            },
            |crepe| crepe.run_with_hasher::<Hasher>().0,
            |same| Check::of(same.iter().map(|row| (row.0, row.1))),
        ),
        Task::PointsTo => measured(
            || load_points_to(folder),
            |crepe| crepe.run_with_hasher::<Hasher>().0,
            |pt| Check::of(pt.iter().map(|row| (row.0, row.1))),
        ),
        Task::Triangles => measured(
            || {
                let mut crepe = triangles::Crepe::new();
                crepe.extend(pairs(folder, "e").into_iter().map(|(a, b)| triangles::E(a, b)));
                crepe
            },
            |crepe| crepe.run_with_hasher::<Hasher>().0,
            |triangles| Check::of_triples(triangles.iter().map(|row| (row.0, row.1, row.2))),
        ),
        Task::Ontology | Task::Classification => measured(
            || load_ontology(folder),
            |crepe| crepe.run_with_hasher::<Hasher>(),
            |(p, q)| {
                Check::of_both(p.iter().map(|row| (row.0, row.1)), q.iter().map(|row| (row.0, row.1, row.2)))
            },
        ),
        Task::Aggregates => panic!("crepe has no aggregates"),
        Task::Year => measured(
            || hence::load_year(folder),
            |(program, input)| {
                let model = Compiled::default().evaluate(&program, input, &Limits::default()).unwrap();
                (program, model)
            },
            |(program, model)| hence::check_year(program, model),
        ),
    }
}

fn load_ontology(folder: &Path) -> ontology::Crepe {
    let mut crepe = ontology::Crepe::new();
    crepe.extend(pairs(folder, "isA").into_iter().map(|(a, b)| ontology::IsA(a, b)));
    crepe.extend(triples(folder, "has").into_iter().map(|(a, b, c)| ontology::Has(a, b, c)));
    crepe.extend(triples(folder, "r").into_iter().map(|(a, b, c)| ontology::R(a, b, c)));
    crepe.extend(triples(folder, "c").into_iter().map(|(a, b, c)| ontology::C(a, b, c)));
    crepe.extend(triples(folder, "u").into_iter().map(|(a, b, c)| ontology::U(a, b, c)));
    crepe.extend(pairs(folder, "s").into_iter().map(|(a, b)| ontology::S(a, b)));
    crepe
}

fn load_points_to(folder: &Path) -> points_to::Crepe {
    let mut crepe = points_to::Crepe::new();
    crepe.extend(pairs(folder, "addressOf").into_iter().map(|(a, b)| points_to::AddressOf(a, b)));
    crepe.extend(pairs(folder, "assign").into_iter().map(|(a, b)| points_to::Assign(a, b)));
    crepe.extend(pairs(folder, "load").into_iter().map(|(a, b)| points_to::Load(a, b)));
    crepe.extend(pairs(folder, "store").into_iter().map(|(a, b)| points_to::Store(a, b)));
    crepe
}
