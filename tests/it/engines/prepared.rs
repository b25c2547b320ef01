//! Prepared evaluation: each request gives what a fresh evaluation of its facts and those that stand would give.

use crate::slow;

use hence_core::schema::RelationId;
use hence_core::value::{Type, Word};
use hence_engine::Naive;
use hence_engine::{Database, Engine, Limits, Model};
use hence_engine::{Prepared, SemiNaive, Threads};
use hence_lang::ir::Program;

use crate::random::{Dice, LIMITS, program};

use super::bench::{points_to, same_generation};
use super::build::{Build, Clause, any, int};
use super::cases::closure;
use super::check::agree;

/// Each row of `input` by itself.
fn rows(input: &Database) -> Vec<(RelationId, Vec<Word>)> {
    let relations = input.relations.iter().zip(0..);
    relations.flat_map(|(rows, at)| rows.iter().map(move |row| (RelationId(at), row.to_vec()))).collect()
}

fn database(program: &Program, rows: &[(RelationId, Vec<Word>)]) -> Database {
    let mut database = Database::new(program);
    rows.iter().for_each(|(relation, row)| database.push(*relation, row));
    database
}

/// Some random program, its input split at random into what stands and what requests bring.
fn check(seed: u64) {
    let (program, input) = program(seed);
    let mut random = Dice::new(seed ^ 0x5eed);
    let (mut standing, mut brought) = (Vec::new(), Vec::new());
    let share = random.below(101);
    // Some relations stand as a whole; rows of the others may be on both sides.
    let whole: Vec<bool> = program.relations.iter().map(|_| random.below(3) == 0).collect();
    for (relation, row) in rows(&input) {
        let stands = whole[relation.0 as usize] || random.below(100) < share;
        if stands { &mut standing } else { &mut brought }.push((relation, row));
    }
    let stands = database(&program, &standing);
    let alone = Naive.evaluate(&program, stands.clone(), &LIMITS);
    let mut prepared = match Prepared::new(program.clone(), stands, LIMITS) {
        Ok(prepared) => prepared,
        Err(stop) => {
            let told = agree(&program, alone, Err(stop));
            return told
                .map(drop)
                .unwrap_or_else(|difference| panic!("seed {seed}: {difference}\n{program}"));
        }
    };
    for number in 0..6 {
        let some = random.below(101);
        let mut all: Vec<_> = brought.iter().filter(|_| random.below(100) < some).cloned().collect();
        if random.below(4) == 0 {
            all.extend(standing.iter().filter(|_| random.below(100) < some).cloned());
        }
        let request = database(&program, &all);
        let result = prepared.evaluate(&request).map(|view| view.to_model());
        all.extend_from_slice(&standing);
        let naive = Naive.evaluate(&program, database(&program, &all), &LIMITS);
        if let Err(difference) = agree(&program, naive, result) {
            panic!(
                "seed {seed}, request {number}: {difference}\n{program}\nstanding {standing:?}\nrequest {request:?}"
            );
        }
    }
}

#[test]
fn requests_in_a_row_mean_the_same_as_fresh_evaluations() {
    (0..750).for_each(check);
}

#[test]
fn more_requests_in_a_row_mean_the_same_as_fresh_evaluations() {
    (750..1500).for_each(check);
}

#[test]
fn many_requests_in_a_row_mean_the_same_as_fresh_evaluations() {
    slow::seeds(10_000, |seeds| seeds.for_each(check));
}

fn sorted(model: &Model) -> Vec<Vec<(usize, Vec<Word>)>> {
    let ranked = |extent: &hence_engine::Extent| {
        let mut rows: Vec<_> =
            extent.rows.iter().enumerate().map(|(at, row)| (extent.rank(at), row.to_vec())).collect();
        rows.sort();
        rows
    };
    model.relations.iter().map(ranked).collect()
}

/// An index that a request has filled is asked for a key between those that it had, once a later one has emptied it.
#[test]
fn a_key_that_no_request_brought_is_found_in_none() {
    let mut build = Build::default();
    let asked = build.input("asked", &[Type::Int]);
    let taken = build.input("taken", &[Type::Int, Type::Int]);
    let free = build.derived("free", &[Type::Int]);
    let mut clause = Clause::new(free);
    let [x] = clause.ints(["X"]);
    build.rule(clause.atom(asked, &[&x]).not(taken, &[&x, &any()]).head(&[&x]));
    let program = build.finish();
    let mut prepared = Prepared::new(program.clone(), Database::new(&program), Limits::default()).unwrap();
    let word = |int: i64| Word::from_int(int);
    let many = (0..40).map(|at| (taken, vec![word(at % 2 * 30), word(at)]));
    let many: Vec<_> = many.chain([(asked, vec![word(5)])]).collect();
    for rows in [many.clone(), vec![(asked, vec![word(5)])], many] {
        let request = database(&program, &rows);
        let view = prepared.evaluate(&request).unwrap().to_model();
        assert_eq!(view.extent(free).unwrap().rows.len(), 1);
    }
}

#[test]
fn an_undefined_operation_of_a_request_is_reported_and_the_facts_beside_it_are_derived() {
    let mut build = Build::default();
    let shared = build.input("shared", &[Type::Int, Type::Int]);
    let each = build.derived("each", &[Type::Int]);
    let mut clause = Clause::new(each);
    let [sum, count] = clause.ints(["Sum", "Count"]);
    let share = build.call("/", &[&sum, &count]);
    let large = build.call(">", &[&share, &int(1)]);
    build.rule(clause.atom(shared, &[&sum, &count]).test(large).head(&[&share]));
    let program = build.finish();
    let mut prepared = Prepared::new(program.clone(), Database::new(&program), Limits::default()).unwrap();
    for zero in [0, 7, 99, 7] {
        let row = |at: i64| (shared, [at * 2, if at == zero { 0 } else { 1 }].map(Word::from_int).to_vec());
        let request = database(&program, &(0..50).map(row).collect::<Vec<_>>());
        let model = prepared.evaluate(&request).unwrap().to_model();
        let fresh = SemiNaive.evaluate(&program, request, &Limits::default()).unwrap();
        assert_eq!(sorted(&model), sorted(&fresh), "0 at {zero}");
        assert_eq!(model.undefined, fresh.undefined, "0 at {zero}");
        assert_eq!(model.undefined.is_empty(), zero == 99);
    }
}

#[test]
fn a_long_body_needs_no_deep_stack() {
    let mut build = Build::default();
    let edge = build.input("edge", &[Type::Int, Type::Int]);
    let far = build.derived("far", &[Type::Int, Type::Int]);
    let mut clause = Clause::new(far);
    let nodes: Vec<_> = (0..4_000).map(|at| clause.var(&format!("N{at}"), Type::Int)).collect();
    let mut clause = clause.head(&[&nodes[0], &nodes[3_999]]);
    for pair in nodes.windows(2) {
        clause = clause.atom(edge, &[&pair[0], &pair[1]]);
    }
    build.rule(clause);
    let program = build.finish();
    let decide = move || {
        let mut prepared =
            Prepared::new(program.clone(), Database::new(&program), Limits::default()).unwrap();
        let request = database(&program, &[(edge, vec![Word::from_int(7); 2])]);
        let decided = prepared.evaluate(&request).unwrap().len(far);
        let on = |threads| {
            let limits = Limits { threads: Threads::of(threads), ..Limits::default() };
            SemiNaive.evaluate(&program, request.clone(), &limits).unwrap().extent(far).unwrap().rows.len()
        };
        [decided, on(1), on(2)]
    };
    let small = std::thread::Builder::new().stack_size(1 << 18).spawn(decide).unwrap();
    assert_eq!(small.join().unwrap(), [1; 3]);
}

/// What planning takes must not grow with a high power of the literals.
#[test]
fn a_long_body_over_many_facts_is_soon_planned() {
    let mut build = Build::default();
    let edges = ["even", "odd"].map(|name| build.input(name, &[Type::Int, Type::Int]));
    let far = build.derived("far", &[Type::Int, Type::Int]);
    let mut clause = Clause::new(far);
    let nodes: Vec<_> = (0..1_000).map(|at| clause.var(&format!("N{at}"), Type::Int)).collect();
    let mut clause = clause.head(&[&nodes[0], &nodes[999]]);
    for (at, pair) in nodes.windows(2).enumerate() {
        clause = clause.atom(edges[at % 2], &[&pair[0], &pair[1]]);
    }
    build.rule(clause);
    let program = build.finish();
    let loops = (0..2_000).flat_map(|at| edges.map(|edge| (edge, vec![Word::from_int(at); 2])));
    let facts = database(&program, &loops.collect::<Vec<_>>());
    let model = SemiNaive.evaluate(&program, facts, &Limits::default()).unwrap();
    assert_eq!(model.extent(far).unwrap().rows.len(), 2_000);
}

#[test]
fn requests_of_all_sizes_over_large_and_small_values_leave_nothing_behind() {
    let programs = [closure().0, same_generation(), points_to()];
    for (at, (program, stand)) in
        programs.iter().flat_map(|program| [(program, 60), (program, 0)]).enumerate()
    {
        let mut random = Dice::new(at as u64);
        let inputs: Vec<u32> = (0..program.relations.len() as u32 - 1).collect();
        let mut standing = Vec::new();
        let edge = |random: &mut Dice, nodes: usize, large: bool| {
            let relation = RelationId(inputs[random.below(inputs.len())]);
            let shift = if large && random.below(9) == 0 { 1 << 40 } else { 0 };
            let row = [random.below(nodes) as i64 + shift, random.below(nodes) as i64];
            (relation, row.map(Word::from_int).to_vec())
        };
        standing.extend((0..stand).map(|_| edge(&mut random, 40, false)));
        let stands = database(program, &standing);
        let mut prepared = Prepared::new(program.clone(), stands, Limits::default()).unwrap();
        for number in 0..40 {
            let count = [0, 3, 15, 40, 400][random.below(5)];
            let large = random.below(3) == 0;
            let mut all: Vec<_> = (0..count).map(|_| edge(&mut random, 10 + count, large)).collect();
            let view = prepared.evaluate(&database(program, &all)).unwrap();
            all.extend_from_slice(&standing);
            let fresh = SemiNaive.evaluate(program, database(program, &all), &Limits::default()).unwrap();
            let model = view.to_model();
            assert_eq!(sorted(&model), sorted(&fresh), "program {at}, request {number}");
            let rounds = |model: &Model| {
                model.relations.iter().map(|extent| extent.rounds.clone()).collect::<Vec<_>>()
            };
            assert_eq!(rounds(&model), rounds(&fresh), "program {at}, request {number}");
        }
    }
}
