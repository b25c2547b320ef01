//! Differential dataflow, one worker: differences that are only present, no time but the round, shared arrangements.
//! The check is made while results arrive, inside its time; it is far below a hundredth of it.

use std::cell::Cell;
use std::path::Path;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use differential_dataflow::VecCollection;
use differential_dataflow::difference::Present;
use differential_dataflow::input::Input;
use differential_dataflow::lattice::Lattice;
use differential_dataflow::operators::ThresholdTotal;
use differential_dataflow::operators::iterate::Variable;
use timely::order::{Product, TotalOrder};
use timely::progress::Timestamp;

use super::Task;
use crate::facts::pairs;
use crate::measure::{Check, Measured, measured};

type Pair = (u32, u32);
type Pairs<'s, T> = VecCollection<'s, T, Pair, Present>;
type Round = Product<(), u32>;

fn distinct<'s, T: Timestamp + Lattice + TotalOrder>(pairs: Pairs<'s, T>) -> Pairs<'s, T> {
    pairs.threshold_semigroup(|_key, _now, before| before.is_none().then_some(Present))
}

pub fn run(task: Task, folder: &Path) -> Measured {
    let relations: &[&str] = match task {
        Task::Closure => &["edge"],
        Task::Generation => &["parent"],
        Task::PointsTo => &["addressOf", "assign", "load", "store"],
        Task::Triangles => &["e"],
        Task::Aggregates | Task::Ontology | Task::Classification | Task::Year => {
            panic!("not written for differential dataflow")
        }
    };
    measured(
        || relations.iter().map(|relation| pairs(folder, relation)).collect(),
        |input| eval(task, input),
        |check| *check,
    )
}

fn eval(task: Task, input: Vec<Vec<Pair>>) -> Check {
    let (input, result) = (Arc::new(input), Arc::new(Mutex::new(Check::default())));
    let given = Arc::clone(&result);
    timely::execute(timely::Config::process(1), move |worker| {
        let found = Rc::new(Cell::new(Check::default()));
        let seen = Rc::clone(&found);
        let mut handles = worker.dataflow::<(), _, _>(|scope| {
            let (mut handles, mut collections) = (Vec::new(), Vec::new());
            for _ in 0..input.len() {
                let (handle, collection) = scope.new_collection::<Pair, Present>();
                handles.push(handle);
                collections.push(collection);
            }
            if task == Task::Triangles {
                let triangles = triangles(collections.remove(0));
                triangles.inspect_batch(move |_time, batch| {
                    let mut check = seen.get();
                    batch.iter().for_each(|((x, y, z), ..)| check.add(u64::from(*z) + 1, *x, *y));
                    seen.set(check);
                });
                return handles;
            }
            let results = scope.iterative::<u32, _, _>(|inner| {
                let step = Product::new((), 1);
                let collections: Vec<Pairs<'_, Round>> =
                    collections.into_iter().map(|collection| collection.enter(inner)).collect();
                let (variable, known) = Variable::new(inner, step);
                let next = match task {
                    Task::Closure => closure(known, collections),
                    Task::Generation => generation(known, collections),
                    _ => points_to(known, collections),
                };
                variable.set(next.clone());
                next.leave(scope)
            });
            results.inspect_batch(move |_time, batch| {
                let mut check = seen.get();
                for ((a, b), _, _) in batch {
                    let (a, b) = if task == Task::Closure { (b, a) } else { (a, b) };
                    check.add(0, *a, *b);
                }
                seen.set(check);
            });
            handles
        });
        for (handle, rows) in handles.iter_mut().zip(input.iter()) {
            rows.iter().for_each(|row| handle.update(*row, Present));
        }
        drop(handles);
        while worker.step_or_park(None) {}
        *given.lock().unwrap() = found.get();
    })
    .unwrap();
    *result.lock().unwrap()
}

/// Kept as (end, start).
fn closure<'s>(known: Pairs<'s, Round>, input: Vec<Pairs<'s, Round>>) -> Pairs<'s, Round> {
    let edge = input[0].clone().arrange_by_key();
    let longer = known.arrange_by_key().join_core(edge, |_y, &x, &z| Some((z, x)));
    distinct(input[0].clone().map(|(x, y)| (y, x)).concat(longer))
}

fn generation<'s>(known: Pairs<'s, Round>, input: Vec<Pairs<'s, Round>>) -> Pairs<'s, Round> {
    let parent = input[0].clone().arrange_by_key();
    let siblings = parent.clone().join_core(parent.clone(), |_p, &x, &y| (x != y).then_some((x, y)));
    let step = known.arrange_by_key().join_core(parent.clone(), |_a, &b, &x| Some((b, x)));
    let below = step.arrange_by_key().join_core(parent, |_b, &x, &y| Some((x, y)));
    distinct(siblings.concat(below))
}

fn points_to<'s>(known: Pairs<'s, Round>, input: Vec<Pairs<'s, Round>>) -> Pairs<'s, Round> {
    let pt = known.arrange_by_key();
    let assign = input[1].clone().map(|(y, z)| (z, y)).arrange_by_key();
    let load = input[2].clone().map(|(y, x)| (x, y)).arrange_by_key();
    let store = input[3].clone().arrange_by_key();
    let assigned = pt.clone().join_core(assign, |_z, &x, &y| Some((y, x)));
    let loads = pt.clone().join_core(load, |_x, &z, &y| Some((z, y)));
    let loaded = loads.arrange_by_key().join_core(pt.clone(), |_z, &y, &w| Some((y, w)));
    let stores = pt.clone().join_core(store, |_y, &z, &x| Some((x, z)));
    let stored = stores.arrange_by_key().join_core(pt, |_x, &z, &w| Some((z, w)));
    distinct(input[0].clone().concat(assigned).concat(loaded).concat(stored))
}

fn triangles<'s>(edges: Pairs<'s, ()>) -> VecCollection<'s, (), (u32, u32, u32), Present> {
    let (from, ends) = (edges.clone().arrange_by_key(), edges.clone().arrange_by_self());
    let wedges = edges.map(|(x, y)| (y, x)).arrange_by_key().join_core(from, |&y, &x, &z| Some(((x, z), y)));
    wedges.arrange_by_key().join_core(ends, |&(x, z), &y, ()| Some((x, y, z)))
}
