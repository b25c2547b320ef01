//! Small programs with known answers, through both engines.

use std::time::Duration;

use hence_core::schema::RelationId;
use hence_core::value::{Type, Value, Word};
use hence_engine::Naive;
use hence_engine::{Bound, Database, Engine, Limits};
use hence_engine::{SemiNaive, plans};
use hence_lang::builtins::generator::Generator;
use hence_lang::ir::Program;

use super::bench::{points_to, same_generation};
use crate::random::Dice;

use super::build::{Build, Clause, any, int, text};
use super::check::{facts, ints, model};

pub(crate) const INTS: [Type; 2] = [Type::Int, Type::Int];

/// `path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z).`
pub(crate) fn closure() -> (Program, RelationId, RelationId) {
    let mut b = Build::default();
    let (edge, path) = (b.input("edge", &INTS), b.derived("path", &INTS));
    let mut base = Clause::new(path);
    let [x, y] = base.ints(["X", "Y"]);
    b.rule(base.head(&[&x, &y]).atom(edge, &[&x, &y]));
    let mut step = Clause::new(path);
    let [x, y, z] = step.ints(["X", "Y", "Z"]);
    b.rule(step.head(&[&x, &z]).atom(path, &[&x, &y]).atom(edge, &[&y, &z]));
    (b.finish(), edge, path)
}

#[test]
fn the_closure_of_a_cycle_with_a_tail_has_the_lengths_of_paths_as_ranks() {
    let (program, edge, path) = closure();
    let input = ints(&program, &[(edge, &[&[1, 2], &[2, 3], &[3, 1], &[3, 4], &[1, 2]])]);
    let all = ["1 1", "1 2", "1 3", "1 4", "2 1", "2 2", "2 3", "2 4", "3 1", "3 2", "3 3", "3 4"];
    assert_eq!(facts(&program, &input, path), all);
    let model = model(&program, &input);
    let extent = model.extent(path).unwrap();
    assert_eq!(extent.rounds, [0, 4, 8, 12]);
    let rank = |row: [i64; 2]| {
        let row = row.map(Word::from_int);
        extent.rank(extent.rows.iter().position(|known| known == row).unwrap())
    };
    assert_eq!((rank([1, 2]), rank([2, 1]), rank([1, 1]), rank([3, 4])), (1, 2, 3, 1));
    assert_eq!(model.extent(edge).unwrap().rounds, [4]);
}

#[test]
fn a_fact_given_for_a_derived_relation_stands_in_round_0_and_derives_more() {
    let (mut program, edge, path) = closure();
    program.facts.push(hence_lang::ir::GroundFact {
        relation: path,
        values: vec![Value::Int(9), Value::Int(1)],
        id: "path#1".into(),
        span: Default::default(),
    });
    let input = ints(&program, &[(edge, &[&[1, 2]]), (path, &[&[7, 1], &[7, 1], &[1, 2]])]);
    assert_eq!(facts(&program, &input, path), ["1 2", "7 1", "7 2", "9 1", "9 2"]);
    assert_eq!(model(&program, &input).extent(path).unwrap().rounds, [3, 5]);
}

#[test]
fn the_same_generation_joins_the_recursion_in_the_middle() {
    let mut b = Build::default();
    let (parent, same) = (b.input("parent", &INTS), b.derived("same", &INTS));
    let mut base = Clause::new(same);
    let [p, x, y] = base.ints(["P", "X", "Y"]);
    let differ = b.call("!=", &[&x, &y]);
    b.rule(base.head(&[&x, &y]).atom(parent, &[&p, &x]).atom(parent, &[&p, &y]).test(differ));
    let mut step = Clause::new(same);
    let [x, y, p, q] = step.ints(["X", "Y", "P", "Q"]);
    b.rule(step.head(&[&x, &y]).atom(parent, &[&p, &x]).atom(same, &[&p, &q]).atom(parent, &[&q, &y]));
    let program = b.finish();
    let input = ints(&program, &[(parent, &[&[1, 2], &[1, 3], &[2, 4], &[3, 5], &[3, 6], &[4, 7], &[6, 8]])]);
    let all = ["2 3", "3 2", "4 5", "4 6", "5 4", "5 6", "6 4", "6 5", "7 8", "8 7"];
    assert_eq!(facts(&program, &input, same), all);
}

#[test]
fn recursion_through_two_relations_and_two_recursive_atoms() {
    let mut b = Build::default();
    let edge = b.input("edge", &INTS);
    let (odd, even) = (b.derived("odd", &INTS), b.derived("even", &INTS));
    let mut base = Clause::new(odd);
    let [x, y] = base.ints(["X", "Y"]);
    b.rule(base.head(&[&x, &y]).atom(edge, &[&x, &y]));
    for (head, left, right) in [(even, odd, odd), (odd, even, odd), (even, even, even)] {
        let mut rule = Clause::new(head);
        let [x, y, z] = rule.ints(["X", "Y", "Z"]);
        b.rule(rule.head(&[&x, &z]).atom(left, &[&x, &y]).atom(right, &[&y, &z]));
    }
    let program = b.finish();
    let input = ints(&program, &[(edge, &[&[1, 2], &[2, 3], &[3, 4], &[4, 5]])]);
    assert_eq!(facts(&program, &input, even), ["1 3", "1 5", "2 4", "3 5"]);
    assert_eq!(facts(&program, &input, odd), ["1 2", "1 4", "2 3", "2 5", "3 4", "4 5"]);
}

#[test]
fn negation_asks_for_whole_rows_for_some_columns_and_for_anything_at_all() {
    let mut b = Build::default();
    let (p, q, none) = (b.input("p", &INTS), b.input("q", &INTS), b.input("none", &INTS));
    let (whole, first, empty) =
        (b.derived("whole", &INTS), b.derived("first", &INTS), b.derived("empty", &INTS));
    for (head, refused, args) in [(whole, q, 2), (first, q, 1), (empty, none, 0)] {
        let mut rule = Clause::new(head);
        let [x, y] = rule.ints(["X", "Y"]);
        let any = any();
        let args = [if args > 0 { &x } else { &any }, if args > 1 { &y } else { &any }];
        b.rule(rule.head(&[&x, &y]).not(refused, &args).atom(p, &[&x, &y]));
    }
    let program = b.finish();
    let input = ints(&program, &[(p, &[&[1, 1], &[1, 2], &[2, 1]]), (q, &[&[1, 2]])]);
    assert_eq!(facts(&program, &input, whole), ["1 1", "2 1"]);
    assert_eq!(facts(&program, &input, first), ["2 1"]);
    assert_eq!(facts(&program, &input, empty), ["1 1", "1 2", "2 1"]);
}

#[test]
fn atoms_repeat_variables_hold_constants_and_parameters() {
    let mut b = Build::default();
    let p = b.input("p", &[Type::Int, Type::Int, Type::Int]);
    let wanted = b.param("wanted", Value::Int(7));
    let hit = b.derived("hit", &[Type::Int]);
    let mut rule = Clause::new(hit);
    let [x] = rule.ints(["X"]);
    b.rule(rule.head(&[&x]).atom(p, &[&x, &x, &wanted]));
    let mut rule = Clause::new(hit);
    let [x] = rule.ints(["X"]);
    b.rule(rule.head(&[&x]).atom(p, &[&int(5), &any(), &x]));
    let program = b.finish();
    let input = ints(&program, &[(p, &[&[1, 1, 7], &[1, 2, 7], &[2, 2, 8], &[5, 0, 3]])]);
    assert_eq!(facts(&program, &input, hit), ["1", "3"]);
}

#[test]
fn relations_without_columns_hold_or_dont() {
    let mut b = Build::default();
    let (paused, other) = (b.input("paused", &[]), b.input("other", &[]));
    let (stop, go) = (b.derived("stop", &[]), b.derived("go", &[Type::Int]));
    b.rule(Clause::new(stop).atom(paused, &[]).not(other, &[]));
    b.rule(Clause::new(go).head(&[&int(1)]).not(stop, &[]));
    b.rule(Clause::new(go).head(&[&int(2)]).not(other, &[]).atom(stop, &[]));
    let program = b.finish();
    let mut input = Database::new(&program);
    assert_eq!(facts(&program, &input, go), ["1"]);
    input.push(paused, &[]);
    input.push(paused, &[]);
    assert_eq!((facts(&program, &input, go), facts(&program, &input, stop).len()), (vec!["2".into()], 1));
    input.push(other, &[]);
    assert_eq!(facts(&program, &input, go), ["1"]);
}

#[test]
fn every_choice_of_facts_counts_in_an_aggregate() {
    let mut b = Build::default();
    let (run, weight) = (b.input("run", &[Type::Int; 3]), b.input("weight", &INTS));
    let stats = b.derived("stats", &[Type::Int; 5]);
    let mut rule = Clause::new(stats);
    let [tool, latency] = rule.ints(["T", "L"]);
    let (count, sum) = (b.aggregate("count", &[]), b.aggregate("sum", &[&latency]));
    let (distinct, max) = (b.aggregate("count", &[&latency]), b.aggregate("max", &[&latency]));
    let rule = rule.head(&[&tool]).term(count).term(sum).term(distinct).term(max);
    b.rule(rule.atom(run, &[&any(), &tool, &latency]).atom(weight, &[&tool, &any()]));
    let program = b.finish();
    let runs: &[&[i64]] = &[&[1, 1, 10], &[2, 1, 10], &[3, 1, 20], &[4, 2, 5], &[5, 3, 5]];
    let input = ints(&program, &[(run, runs), (weight, &[&[1, 0], &[1, 1], &[2, 0]])]);
    assert_eq!(facts(&program, &input, stats), ["1 6 80 2 20", "2 1 5 1 5"]);
}

#[test]
fn an_aggregate_without_group_and_without_atoms() {
    let mut b = Build::default();
    let p = b.input("p", &[Type::Int]);
    let (many, once, summed) =
        (b.derived("many", &[Type::Int]), b.derived("once", &[Type::Int]), b.derived("summed", &[Type::Int]));
    let count = b.aggregate("count", &[]);
    b.rule(Clause::new(many).term(count.clone()).atom(p, &[&any()]));
    b.rule(Clause::new(once).term(count));
    let mut rule = Clause::new(summed);
    let [x] = rule.ints(["X"]);
    let sum = b.aggregate("sum", &[&x]);
    b.rule(rule.term(sum).each(&x, Generator::Range, &[&int(1), &int(101)]));
    let program = b.finish();
    let input = Database::new(&program);
    assert_eq!(facts(&program, &input, many), [""; 0]);
    assert_eq!(facts(&program, &input, once), ["1"]);
    assert_eq!(facts(&program, &input, summed), ["5050"]);
}

#[test]
fn a_limit_ranks_each_head_once_by_its_best_key_and_ties_by_value() {
    let mut b = Build::default();
    let score = b.input("score", &[Type::Int, Type::String, Type::Int]);
    let best = b.derived("best", &[Type::Int, Type::String, Type::Int]);
    let mut rule = Clause::new(best);
    let task = rule.var("Task", Type::Int);
    let (item, points) = (rule.var("Item", Type::String), rule.var("S", Type::Int));
    let rank = rule.var("R", Type::Int);
    let rule = rule.head(&[&task, &item, &rank]).atom(score, &[&task, &item, &points]);
    b.rule(rule.limit(int(2), &[&task], &[(&points, true)], Some(&rank)));
    let program = b.finish();
    let mut input = Database::new(&program);
    // Interned in an order that isn't that of the texts.
    for (task, item, points) in [(1, "z", 5), (1, "y", 1), (1, "y", 9), (1, "b", 5), (2, "c", 1), (2, "a", 1)]
    {
        input.push(score, &[Word::from_int(task), text(item).word(), Word::from_int(points)]);
    }
    let all = ["1 \"b\" 2", "1 \"y\" 1", "2 \"a\" 1", "2 \"c\" 2"];
    assert_eq!(facts(&program, &input, best), all);
}

#[test]
fn a_limit_leaves_out_early_only_what_is_beyond_it() {
    for descending in [false, true] {
        let mut b = Build::default();
        let score = b.input("score", &[Type::Int; 3]);
        let best = b.derived("best", &[Type::Int; 3]);
        let mut rule = Clause::new(best);
        let [task, item, points, rank] = rule.ints(["Task", "Item", "S", "R"]);
        let rule = rule.head(&[&task, &item, &rank]).atom(score, &[&task, &item, &points]);
        b.rule(rule.limit(int(3), &[&task], &[(&points, descending)], Some(&rank)));
        let program = b.finish();
        let mut input = Database::new(&program);
        let mut random = Dice::new(u64::from(descending));
        // Two large groups, and thousands of small ones; the same items come again with other points, many of them equal.
        for at in 0..24_000 {
            let task = if at % 2 == 0 { random.below(2) } else { 2 + random.below(5_000) };
            let row = [task, random.below(9_000), random.below(200)];
            input.push(score, &row.map(|word| Word::from_int(word as i64)));
        }
        let _ = model(&program, &input);
    }
}

#[test]
fn aggregates_of_many_groups_mean_the_same_to_both_engines() {
    let mut b = Build::default();
    let (p, sums) = (b.input("p", &[Type::Int; 3]), b.derived("sums", &[Type::Int; 4]));
    let [total, most] = ["sum", "max"].map(|name| {
        let [_, _, value] = Clause::new(sums).ints(["X", "Y", "V"]);
        b.aggregate(name, &[&value])
    });
    let mut rule = Clause::new(sums);
    let [x, y, value] = rule.ints(["X", "Y", "V"]);
    let rule = rule.head(&[&x, &y]).term(total).term(most);
    b.rule(rule.atom(p, &[&x, &y, &value]));
    let program = b.finish();
    let mut input = Database::new(&program);
    let mut random = Dice::new(1);
    for _ in 0..9_000 {
        let row = [random.below(60), random.below(60), random.below(1_000)];
        input.push(p, &row.map(|word| Word::from_int(word as i64)));
    }
    assert!(model(&program, &input).extent(sums).unwrap().rows.iter().count() > 3_000);
}

#[test]
fn a_large_relation_of_which_a_test_leaves_few_comes_first() {
    let mut b = Build::default();
    let (sale, item, out) =
        (b.input("sale", &[Type::Int; 3]), b.input("item", &INTS), b.derived("out", &INTS));
    let mut rule = Clause::new(out);
    let [id, i, price, group] = rule.ints(["Id", "I", "Price", "G"]);
    let dear = b.call(">", &[&price, &int(4_990)]);
    b.rule(rule.head(&[&id, &group]).atom(item, &[&i, &group]).atom(sale, &[&id, &i, &price]).test(dear));
    let program = b.finish();
    let mut input = Database::new(&program);
    (0..100).for_each(|at| input.push(item, &[at, at % 7].map(Word::from_int)));
    (0..5_000).for_each(|at| input.push(sale, &[at, at * 7 % 100, at].map(Word::from_int)));
    let shown = plans(&program, input.clone()).unwrap();
    assert!(shown.contains("out#1\n    each sale(Id, I, Price)\n"), "{shown}");
    assert_eq!(facts(&program, &input, out).len(), 9);
}

#[test]
fn a_relation_that_is_yet_to_grow_is_looked_up() {
    let mut b = Build::default();
    let (alloc, store) = (b.input("alloc", &INTS), b.input("store", &INTS));
    let (points, field) = (b.derived("points", &INTS), b.derived("field", &INTS));
    let mut base = Clause::new(points);
    let [v, h] = base.ints(["V", "H"]);
    b.rule(base.head(&[&v, &h]).atom(alloc, &[&v, &h]).atom(field, &[&v, &h]));
    let mut step = Clause::new(field);
    let [to, from, x, y] = step.ints(["To", "From", "X", "Y"]);
    b.rule(
        step.head(&[&x, &y]).atom(points, &[&to, &x]).atom(points, &[&from, &y]).atom(store, &[&to, &from]),
    );
    let program = b.finish();
    let rows: Vec<[i64; 2]> = (0..40).map(|at| [at, at + 1]).collect();
    let rows: Vec<&[i64]> = rows.iter().map(|row| row.as_slice()).collect();
    let shown = plans(&program, ints(&program, &[(store, &rows)])).unwrap();
    assert!(shown.contains("each points(To, X) among the new\n    each store(To, From)"), "{shown}");
}

#[test]
fn a_limit_of_nothing_keeps_nothing() {
    for count in [0, -1] {
        let mut b = Build::default();
        let (p, best) = (b.input("p", &[Type::Int]), b.derived("best", &[Type::Int]));
        let mut rule = Clause::new(best);
        let [x] = rule.ints(["X"]);
        b.rule(rule.head(&[&x]).atom(p, &[&x]).limit(int(count), &[], &[(&x, false)], None));
        let program = b.finish();
        assert!(facts(&program, &ints(&program, &[(p, &[&[1], &[2]])]), best).is_empty());
    }
}

#[test]
fn generators_nest_and_feed_atoms() {
    let mut b = Build::default();
    let (title, known) = (b.input("title", &[Type::String]), b.input("known", &[Type::String]));
    let (found, pairs) = (b.derived("found", &[Type::String]), b.derived("pairs", &INTS));
    let mut rule = Clause::new(found);
    let (line, word) = (rule.var("L", Type::String), rule.var("W", Type::String));
    let rule = rule.head(&[&word]).atom(known, &[&word]).each(&word, Generator::Words, &[&line]);
    b.rule(rule.atom(title, &[&line]));
    let mut rule = Clause::new(pairs);
    let [x, y] = rule.ints(["X", "Y"]);
    let rule = rule.head(&[&x, &y]).each(&y, Generator::Range, &[&x, &int(4)]);
    b.rule(rule.each(&x, Generator::Range, &[&int(1), &int(4)]));
    let program = b.finish();
    let mut input = Database::new(&program);
    input.push(title, &[text("to be or not to be").word()]);
    ["be", "or", "that"].iter().for_each(|word| input.push(known, &[text(word).word()]));
    assert_eq!(facts(&program, &input, found), ["\"be\"", "\"or\""]);
    assert_eq!(facts(&program, &input, pairs), ["1 1", "1 2", "1 3", "2 2", "2 3", "3 3"]);
}

/// `n(0). n(X + 1) :- n(X).`
fn naturals() -> Program {
    let mut b = Build::default();
    let n = b.derived("n", &[Type::Int]);
    b.fact(n, &[Value::Int(0)]);
    let mut rule = Clause::new(n);
    let [x] = rule.ints(["X"]);
    let next = b.call("+", &[&x, &int(1)]);
    b.rule(rule.head(&[&next]).atom(n, &[&x]));
    b.finish()
}

fn stopped(engine: &impl Engine, program: &Program, limits: Limits) -> Bound {
    engine.evaluate(program, Database::new(program), &limits).unwrap_err().bound
}

#[test]
fn a_recursion_without_end_stops_at_each_limit() {
    let program = naturals();
    let limits = Limits { facts: 100, ..Limits::default() };
    assert_eq!(stopped(&Naive, &program, limits), Bound::Facts(100));
    assert_eq!(stopped(&SemiNaive, &program, limits), Bound::Facts(100));
    let limits = Limits { iterations: 50, ..Limits::default() };
    assert_eq!(stopped(&Naive, &program, limits), Bound::Iterations(50));
    assert_eq!(stopped(&SemiNaive, &program, limits), Bound::Iterations(50));
    let time = Duration::from_millis(30);
    let limits = Limits { time: Some(time), ..Limits::default() };
    assert_eq!(stopped(&Naive, &program, limits), Bound::Time(time));
    assert_eq!(stopped(&SemiNaive, &program, limits), Bound::Time(time));
    let limits = Limits { memory: Some(100_000), ..Limits::default() };
    assert_eq!(stopped(&Naive, &program, limits), Bound::Memory(100_000));
    assert_eq!(stopped(&SemiNaive, &program, limits), Bound::Memory(100_000));
}

#[test]
fn a_limit_names_the_rule_and_its_relation() {
    let program = naturals();
    let limits = Limits { facts: 10, ..Limits::default() };
    let reached = SemiNaive.evaluate(&program, Database::new(&program), &limits).unwrap_err();
    assert_eq!((reached.rule.0, reached.relation), (0, program.find("n".into()).unwrap()));
}

#[test]
fn a_huge_range_and_a_huge_join_stop_too() {
    let mut b = Build::default();
    let never = b.derived("never", &[Type::Int]);
    let mut rule = Clause::new(never);
    let [x] = rule.ints(["X"]);
    let refused = b.call("=", &[&x, &int(-1)]);
    let huge = int(1_000_000_000_000_000_000);
    b.rule(rule.head(&[&x]).each(&x, Generator::Range, &[&int(0), &huge]).test(refused));
    let program = b.finish();
    let limits = Limits { facts: 10_000, ..Limits::default() };
    assert_eq!(stopped(&Naive, &program, limits), Bound::Facts(10_000));
    assert_eq!(stopped(&SemiNaive, &program, limits), Bound::Facts(10_000));

    let mut b = Build::default();
    let (p, never) = (b.input("p", &[Type::Int]), b.derived("never", &[Type::Int]));
    let mut rule = Clause::new(never);
    let vars = rule.ints(["A", "B", "C", "D", "E"]);
    // No order of the body has less to go through: what refuses needs all of it.
    let sum = vars.iter().skip(1).fold(vars[0].clone(), |sum, var| b.call("+", &[&sum, var]));
    let refused = b.call("<", &[&sum, &int(0)]);
    let all = vars.iter().fold(rule.head(&[&vars[0]]).test(refused), |rule, var| rule.atom(p, &[var]));
    b.rule(all);
    let program = b.finish();
    let rows: Vec<[i64; 1]> = (0..2000).map(|at| [at]).collect();
    let rows: Vec<&[i64]> = rows.iter().map(|row| row.as_slice()).collect();
    let input = ints(&program, &[(p, &rows)]);
    let time = Duration::from_millis(50);
    let limits = Limits { time: Some(time), ..Limits::default() };
    let engines: [&dyn Engine; 2] = [&Naive, &SemiNaive];
    for reached in engines.map(|engine| engine.evaluate(&program, input.clone(), &limits)) {
        assert_eq!(reached.unwrap_err().bound, Bound::Time(time));
    }
}

#[test]
fn a_body_may_be_very_long() {
    let mut b = Build::default();
    let (p, q) = (b.input("p", &[Type::Int]), b.derived("q", &[Type::Int]));
    let mut rule = Clause::new(q);
    let [x] = rule.ints(["X"]);
    let rule = (0..3000).fold(rule.head(&[&x]), |rule, _| rule.atom(p, &[&x]));
    b.rule(rule);
    let program = b.finish();
    let input = ints(&program, &[(p, &[&[1], &[2]])]);
    assert_eq!(facts(&program, &input, q), ["1", "2"]);
}

#[test]
fn the_same_run_gives_the_same_order_of_rows() {
    let (program, edge, path) = closure();
    let rows: Vec<[i64; 2]> = (0..60).map(|at| [at * 7 % 31, at * 11 % 29]).collect();
    let rows: Vec<&[i64]> = rows.iter().map(|row| row.as_slice()).collect();
    let input = ints(&program, &[(edge, &rows)]);
    let run = || SemiNaive.evaluate(&program, input.clone(), &Limits::default()).unwrap();
    assert_eq!(run().extent(path).unwrap().rows, run().extent(path).unwrap().rows);
}

#[test]
fn plans_and_profiles_tell_what_is_done() {
    let (program, edge, _) = closure();
    let input = ints(&program, &[(edge, &[&[1, 2], &[2, 3]])]);
    let shown = plans(&program, input.clone()).unwrap();
    assert_eq!(
        shown,
        "stratum 0, to a fixpoint\n  path#1\n    each edge(X, Y)\n  path#2\n    each path(X, Y)\n    \
         each edge(Y, Z)\n  path#2, new facts of literal 1\n    each path(X, Y) among the new\n    each edge(Y, Z)\n"
    );
    let (_, profile) = SemiNaive.evaluate_profiled(&program, input, &Limits::default()).unwrap();
    let counts: Vec<_> = profile.rules.iter().map(|rule| (rule.matches, rule.derived, rule.rounds)).collect();
    assert_eq!(counts, [(2, 2, 1), (1, 1, 3)]);
}

#[test]
fn graphs_of_small_of_wide_and_of_mixed_values_mean_the_same_to_both_engines() {
    let kinds: [fn(i64) -> i64; 4] =
        [|at| at, |at| (at - 6) << 40, |at| if at == 9 { -1 } else { at }, |at| at * 999];
    for (number, kind) in kinds.into_iter().enumerate() {
        let mut random = Dice::new(number as u64);
        for program in [closure().0, same_generation(), points_to()] {
            let mut input = Database::new(&program);
            for relation in (0..program.relations.len() - 1).map(|at| RelationId(at as u32)) {
                for _ in 0..14 {
                    let row = [random.below(14), random.below(14)].map(|at| Word::from_int(kind(at as i64)));
                    input.push(relation, &row);
                }
            }
            let _ = model(&program, &input);
        }
    }
}
