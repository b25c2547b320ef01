//! Bodies whose atoms close cycles: triangles, squares, cliques, with columns that stand in one atom more, in
//! recursions and under aggregates. Their steps go through the shortest of several lists.

use hence_core::schema::RelationId;
use hence_core::value::{Type, Word};
use hence_engine::plans;
use hence_engine::{Database, Limits};
use hence_lang::builtins::expr::Expr;
use hence_lang::ir::{Program, Term};

use crate::random::{Dice, LIMITS};
use crate::slow;

use super::build::{Build, Clause, any, int};
use super::cases::INTS;
use super::check::{compare, facts, ints, program_of};

/// An atom to be.
type Edge = (RelationId, Vec<Expr>);

/// Rules that join edges between three or four variables, each with each, over graphs where few nodes have many edges.
fn program(random: &mut Dice) -> (Program, Database) {
    let mut b = Build::default();
    let inputs = [b.input("e", &INTS), b.input("f", &INTS), b.input("t", &[Type::Int; 3])];
    let [p, q, n] = ["p", "q", "n"].map(|name| b.derived(name, &INTS));
    for head in [p, p, q, q, n] {
        // A relation of its own stratum can't be counted, and one below is read by any.
        let readable = [(head != n).then_some(head), (head != p).then_some(p)];
        rule(random, &mut b, head, inputs, readable, head == n);
    }
    let program = b.finish();
    let mut input = Database::new(&program);
    let nodes = 4 + random.below(8);
    for relation in inputs {
        let wide = program.relation(relation).unwrap().columns.len();
        for _ in 0..random.below(60) {
            // Some nodes have many edges, most have few.
            let node = |random: &mut Dice| (random.below(nodes) * random.below(nodes) / nodes) as i64;
            let row: Vec<Word> = (0..wide).map(|_| Word::from_int(node(random))).collect();
            input.push(relation, &row);
        }
    }
    (program, input)
}

fn rule(
    random: &mut Dice,
    b: &mut Build,
    head: RelationId,
    inputs: [RelationId; 3],
    readable: [Option<RelationId>; 2],
    counts: bool,
) {
    let mut clause = Clause::new(head);
    let corners = clause.ints(["A", "B", "C", "D"]);
    let corners = &corners[..3 + random.below(2)];
    for (relation, args) in edges(random, corners, inputs, readable) {
        clause = clause.atom(relation, &args.iter().collect::<Vec<_>>());
    }
    if random.chance(40) {
        let (left, right) = (&corners[random.below(3)], &corners[random.below(3)]);
        let name = ["<", "!="][random.below(2)];
        clause = clause.test(b.call(name, &[left, right]));
    }
    if random.chance(20) {
        let quotient = b.call("/", &[&int(2), &corners[random.below(3)]]);
        clause = clause.test(b.call("<", &[&quotient, &int(9)]));
    }
    let last = &corners[random.below(corners.len())];
    clause = clause.head(&[&corners[0]]);
    clause = match counts {
        true => clause.term(b.aggregate("count", &[])),
        false => clause.term(Term::Expr(last.clone())),
    };
    b.rule(clause);
}

/// An atom for each pair of corners, or for all but one, in any order.
fn edges(
    random: &mut Dice,
    corners: &[Expr],
    [e, f, t]: [RelationId; 3],
    [own, below]: [Option<RelationId>; 2],
) -> Vec<Edge> {
    let mut edges = Vec::new();
    for (at, from) in corners.iter().enumerate() {
        for to in corners.iter().skip(at + 1) {
            let (from, to) = if random.chance(70) { (from, to) } else { (to, from) };
            let relation = match random.below(10) {
                0..=4 => e,
                5 | 6 => f,
                7 => own.unwrap_or(t),
                8 => below.unwrap_or(t),
                _ => t,
            };
            let third = match random.below(4) {
                0 => any(),
                1 => int(random.below(4) as i64),
                at => corners[at % corners.len()].clone(),
            };
            let third = (relation == t).then_some(third);
            edges.push((
                relation,
                [Some(from.clone()), third, Some(to.clone())].into_iter().flatten().collect(),
            ));
        }
    }
    if edges.len() > 3 && random.chance(50) {
        edges.swap_remove(random.below(edges.len()));
    }
    for _ in 0..edges.len() {
        let (from, to) = (random.below(edges.len()), random.below(edges.len()));
        edges.swap(from, to);
    }
    edges
}

#[test]
fn cycles_of_atoms_mean_the_same_to_both_engines() {
    let limits = Limits { facts: 5_000, ..LIMITS };
    let mut met = 0;
    let seeds = slow::size(160, 4_000);
    for seed in 0..seeds {
        let (program, input) = program(&mut Dice::new(seed));
        if let Err(difference) = compare(&program, &input, &limits) {
            panic!("seed {seed}: {difference}\n{program}\n{input:?}");
        }
        met += u64::from(plans(&program, input).unwrap().contains("each of the fewest"));
    }
    assert!(met * 4 > seeds, "{met} programs go through the shortest of several lists");
}

/// Squares of which one corner isn't needed, in strata of their own and in those of what they join; as negation and counts
/// need each match, the last ones look for every fourth corner.
const SQUARES: &str = "
input e(x: int, y: int).
relation out(a: int, c: int).
relation grown(a: int, c: int).
relation fixed(c: int).
relation four(a: int, c: int, n: int).

out(A, C) :- e(A, B), e(B, C), e(C, D), e(D, A).
grown(A, B) :- e(A, B), A < 9.
grown(A, C) :- grown(A, B), e(B, C), grown(C, D), e(D, A).
fixed(C) :- e(7, B), e(B, C), e(C, D), e(D, 7).
four(A, C, count()) :- e(A, B), e(B, C), e(C, D), e(D, A), A < C.
";

#[test]
fn a_corner_that_nothing_needs_is_found_for_all_others_at_once() {
    let program = program_of(SQUARES);
    let e = program.find("e".into()).unwrap();
    for seed in 0..slow::size(20, 400) {
        let mut random = Dice::new(seed);
        let nodes = 6 + random.below(40);
        // So large that nothing is marked, every fourth time.
        let far = if seed % 4 == 3 { 1 << 22 } else { 0 };
        let mut input = Database::new(&program);
        for _ in 0..nodes * (1 + random.below(8)) {
            let node = |random: &mut Dice| (random.below(nodes) * random.below(nodes) / nodes) as i64;
            let row =
                [node(&mut random), node(&mut random)].map(|node| if node > 9 { node + far } else { node });
            input.push(e, &row.map(Word::from_int));
        }
        if let Err(difference) = compare(&program, &input, &Limits::default()) {
            panic!("seed {seed}: {difference}");
        }
    }
}

#[test]
fn a_triangle_goes_through_the_fewest_edges_of_two_corners() {
    let mut b = Build::default();
    let (e, triangle) = (b.input("e", &INTS), b.derived("triangle", &[Type::Int; 3]));
    let mut clause = Clause::new(triangle);
    let [x, y, z] = clause.ints(["X", "Y", "Z"]);
    b.rule(clause.head(&[&x, &y, &z]).atom(e, &[&x, &y]).atom(e, &[&y, &z]).atom(e, &[&x, &z]));
    let program = b.finish();
    let star: Vec<[i64; 2]> = (3..30).flat_map(|leaf| [[1, leaf], [leaf, 2]]).chain([[1, 2]]).collect();
    let rows: Vec<&[i64]> = star.iter().map(|row| row.as_slice()).collect();
    let input = ints(&program, &[(e, &rows)]);
    let plan = plans(&program, input.clone()).unwrap();
    assert!(plan.contains("each of the fewest: e(Y, Z) by 1 column, or e(X, Z) by 1 column"), "{plan}");
    assert_eq!(facts(&program, &input, triangle).len(), 27);
}
