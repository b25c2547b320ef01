//! Several threads derive what one does, over enough facts for all of them to have work.

use std::time::Duration;

use hence_core::value::Word;
use hence_engine::SemiNaive;
use hence_engine::{Bound, Database, Engine, Limits, Model, Threads};
use hence_lang::ir::Program;

use crate::random::Dice;

use super::check::{EAGER, program_of, same};

/// Sets that are bitmaps, tables, and wide, of one column and more; groups, ranks and reports; a recursion that looks for its own facts.
const RULES: &str = "
input edge(x: int, y: int).
relation path(x: int, y: int).
relation hop(x: int, y: int, n: int).
relation key(k: int).
relation back(x: int, y: int).
relation near(x: int).
relation far(x: float).
relation fork(x: int, y: int, z: int).

path(X, Y) :- edge(X, Y).
path(X, Z) :- path(X, Y), edge(Y, Z).

hop(X, Y, 1) :- edge(X, Y).
hop(X, Z, N + 1) :- hop(X, Y, N), edge(Y, Z), N < 4.

key(X * 4294967296 - Y) :- path(X, Y), X < 40.
ratio(X, Y, float(N) / float(Y - 7)) :- hop(X, Y, N).
reached(X, count(), sum(Y), max(N)) :- hop(X, Y, N).
total(count(), median(N)) :- hop(_, _, N).
best(X, Y) :- hop(X, Y, N) limit 3 per X by N desc, Y.

near(0).
near(Y) :- near(X), edge(X, Y).
far(float(X) * 1.5) :- edge(X, _).
far(X) :- far(X).
fork(X, Y, Z) :- edge(X, Y), edge(X, Z).
fork(Z, Y, X) :- fork(X, Y, Y), edge(Z, X).

back(X, Y) :- path(X, Y), path(Y, X), X < Y.
back(X, Z) :- back(X, Y), path(Y, Z), path(Z, Y), back(X, Y), X < Z.
";

fn graph(program: &Program, nodes: usize, edges: usize) -> Database {
    let mut random = Dice::new(11);
    let mut input = Database::new(program);
    let edge = program.find("edge".into()).unwrap();
    for _ in 0..edges {
        let row = [random.below(nodes), random.below(nodes)].map(|node| Word::from_int(node as i64));
        input.push(edge, &row);
    }
    input
}

fn evaluate(program: &Program, input: &Database, threads: Threads) -> Model {
    SemiNaive.evaluate(program, input.clone(), &Limits { threads, ..Limits::default() }).unwrap()
}

#[test]
fn several_threads_derive_what_one_does() {
    let program = program_of(RULES);
    let input = graph(&program, 120, 260);
    let alone = evaluate(&program, &input, Threads::ONE);
    assert!(!alone.undefined.is_empty());
    let named = |name: &str| program.find(name.into()).unwrap().0 as usize;
    for name in ["path", "hop", "key", "ratio", "reached", "total", "best", "back", "near", "far", "fork"] {
        assert!(!alone.relations[named(name)].rows.is_empty(), "{name} is empty");
    }
    for threads in [
        Threads::of(2),
        EAGER,
        Threads { most: 2, ..EAGER },
        Threads { most: 7, ..EAGER },
        Threads { most: usize::MAX, ..EAGER },
    ] {
        same(&program, &alone, &evaluate(&program, &input, threads)).unwrap_or_else(|difference| {
            panic!("{threads:?}: {difference}");
        });
    }
}

#[test]
fn several_threads_stop_at_each_limit() {
    let endless = "input edge(x: int, y: int).\nn(X) :- edge(X, _).\nn(X + 1) :- n(X).\n";
    let wide = "input edge(x: int, y: int).\nn(X, Y, Z) :- edge(X, _), edge(Y, _), edge(Z, _).\n";
    let time = Duration::from_millis(60);
    for (text, limits, bound) in [
        (endless, Limits { facts: 5_000, ..Limits::default() }, Bound::Facts(5_000)),
        (wide, Limits { facts: 50_000, ..Limits::default() }, Bound::Facts(50_000)),
        (endless, Limits { iterations: 30, ..Limits::default() }, Bound::Iterations(30)),
        (wide, Limits { time: Some(time), facts: u64::MAX, ..Limits::default() }, Bound::Time(time)),
        (endless, Limits { time: Some(time), facts: 1_000_000, ..Limits::default() }, Bound::Time(time)),
        (wide, Limits { memory: Some(1 << 22), ..Limits::default() }, Bound::Memory(1 << 22)),
    ] {
        let program = program_of(text);
        let input = graph(&program, 2000, 3000);
        for threads in [Threads::of(2), EAGER] {
            let reached = SemiNaive.evaluate(&program, input.clone(), &Limits { threads, ..limits });
            assert_eq!(reached.unwrap_err().bound, bound, "{threads:?}");
        }
    }
}

/// Keys in steps, dense, below zero and wide; a relation that grows by many facts a round, and is looked up by each column
/// and by two.
const KEYS: &str = "
input edge(x: int, y: int).
relation step(x: int, y: int).
relation cell(x: int, y: int, z: int).
relation wide(x: int, y: int).

step(X * 64, Y) :- edge(X, Y).
step(X, Z) :- step(X, Y), step(Y * 64, Z).
cell(X, Y, Y - X) :- step(X, Y).
cell(X, Z, W) :- cell(X, Y, W), edge(Y, Z), W > 0.
wide(X * 67108864, -Y) :- step(X, Y).
met(X, Y) :- wide(X * 1048576, Y), wide(_, Y), edge(X, _).
same_step(X, Y, count()) :- cell(X, Y, W), cell(X, Y, V), V < W.
starts(X) :- cell(X, _, _).
ends(count()) :- edge(X, Y), cell(X * 64, Y, W), cell(X * 64, _, W).
";

#[test]
fn several_threads_find_keys_of_every_kind() {
    let program = program_of(KEYS);
    let input = graph(&program, 300, 700);
    let alone = evaluate(&program, &input, Threads::ONE);
    let len = |name: &str| alone.relations[program.find(name.into()).unwrap().0 as usize].rows.len();
    assert!(len("step") > 50_000 && len("cell") > 50_000, "{} {}", len("step"), len("cell"));
    for threads in [Threads::of(2), Threads::of(5), EAGER] {
        same(&program, &alone, &evaluate(&program, &input, threads)).unwrap_or_else(|difference| {
            panic!("{threads:?}: {difference}");
        });
    }
}

/// Groups of few and of many matches, whose words are small, large, texts, and of several columns; exact sums; limits; relations
/// that other rules add to, and that others look up.
const GROUPS: &str = "
input sale(id: int, shop: int, item: int, price: int).
relation item(i: int, n: int, sum: int, most: int).
relation rare(i: int).

whole(count(), sum(P), mean(float(P) * 0.1)) :- sale(_, _, _, P).
shop(S, count(), sum(float(P) * 0.1), min(P), median(P)) :- sale(_, S, _, P).
item(I, count(), sum(P), max(P)) :- sale(_, _, I, P).
item(I, 1, P, P) :- sale(_, _, I, P), P < 9.
both(S, I, count(), mean(float(P) * 0.1)) :- sale(_, S, I, P).
far(if(Id < 9000, I, I * 4294967296), count()) :- sale(Id, _, I, _).
named(\"item {I}\", count(P)) :- sale(_, S, I, P), S < 2.
lost(I, sum(9223372036854775807 - P), count()) :- sale(_, _, I, P).
dearest(S, I, P) :- sale(_, S, I, P) limit 5 per S by P desc.
first(I, Id) :- sale(Id, _, I, P) limit 2 per I by P desc.
top(Id) :- sale(Id, _, _, P) limit 10 by P desc.
rare(I) :- item(I, 1, _, _), !both(0, I, 1, _), both(_, I, 1, M), both(1, I, 1, M).
";

#[test]
fn several_threads_form_the_groups_of_one() {
    let program = program_of(GROUPS);
    let sale = program.find("sale".into()).unwrap();
    for (sales, items, in_order) in [(20_000, 60, false), (30_000, 10_000, false), (150_000, 50_000, true)] {
        let (mut random, mut input) = (Dice::new(12), Database::new(&program));
        for id in 0..sales {
            let item = if in_order { id * items / sales } else { random.below(items) };
            let row = [id, random.below(7), item, random.below(10_000)];
            input.push(sale, &row.map(|word| Word::from_int(word as i64)));
        }
        let alone = evaluate(&program, &input, Threads::ONE);
        assert!(!alone.undefined.is_empty());
        for threads in [Threads::of(2), EAGER] {
            same(&program, &alone, &evaluate(&program, &input, threads)).unwrap_or_else(|difference| {
                panic!("{items} items, {threads:?}: {}", &difference[..difference.len().min(500)]);
            });
        }
    }
}
