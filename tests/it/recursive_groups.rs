//! Aggregates within a recursion whose groups come from it: an atom that holds of every value changes nothing, and with
//! it the groups come from below.

use std::collections::BTreeSet;

use hence::session::{self, Loader};
use hence_core::value::{Value, Word};
use hence_engine::{Database, Engine, Limits, Naive};
use hence_lang::ir::Program;

use crate::engines::check::compare;
use crate::random::Dice;

/// `DOM(X)` binds `X` below the recursion, or is left out; `#` is a constant.
const RULES: [&str; 9] = [
    "p(X) :- e(X, _).\np(Y) :- p(X), Y = X + 1, Y < 9, DOM(Y) N = count { e(Z, _), Z > Y }, N > #.",
    "q(X, M) :- e(X, M).\nq(Y, M) :- q(X, M), e(X, Y), DOM(M) N = count { e(Y, Z), Z > M }, N < #.\np(X) :- q(X, _).",
    "p(X) :- e(X, _).\np(Y) :- p(X), Y = X + 2, Y < 12, DOM(Y) S = sum(A) { e(Y, A) }, S < #.",
    "p(X) :- e(X, _).\np(Y) :- p(X), Y = (X + #) % 7, DOM(Y) M = max(Z) { e(Z, W), W != Y }, M > Y.",
    "p(X) :- e(X, _).\np(Y) :- p(X), Y = X + 1, Y < 8, DOM(Y) N = count { e(Z, _), !e(Z, Y) }, N > #.",
    "p(X) :- e(X, _).\np(Y) :- q(X), Y = X + 1, Y < 8, DOM(Y) N = count { e(Y, _) }, A = count { e(_, Y) }, N + A < 4.\n\
     q(Y) :- p(X), Y = X * 2, Y < 20, DOM(Y) L = min(Z) { e(Z, W), Z > Y, W < 6 }, L < 9.\nq(3).",
    "q(X, 0) :- e(X, _).\nq(Y, N) :- q(X, _), Y = (X + 3) % 8, DOM(Y) N = count { e(Z, _), Z < Y }, N < #.\np(X) :- q(X, _).",
    "p(X) :- e(X, _).\np(Y) :- p(X), p(Z), Y = X - Z, Y > -6, Y < 9, DOM(Y) N = count { e(A, B), A > Y, B < X, A != Z }, N > #.",
    "p(X) :- e(X, _).\np(Y) :- p(X), Y in range(X, X + 3), Y < 9, DOM(Y) N = count { e(Z, _), Z in range(0, 4), Z != Y }, N > #.",
];

const LIMITS: Limits =
    Limits { facts: 20_000, iterations: 60, time: None, memory: None, threads: hence_engine::Threads::ONE };

fn program(rules: &str) -> Result<Program, String> {
    let mut loader = Loader::default();
    let inputs = "input e(a: int, b: int).\ninput dom(a: int).\n";
    loader.text("groups.dl", &format!("{inputs}{rules}\n"));
    let findings = session::check(loader.finish(), &[]);
    let faults = || crate::cases::rendered(&findings.faults.diagnostics, &findings.faults.sources);
    findings.rules.map(|rules| rules.program).ok_or_else(|| faults())
}

fn input(program: &Program, seed: u64) -> Database {
    let (mut dice, mut input) = (Dice::new(seed), Database::new(program));
    let (edge, dom) = (program.find("e".into()).unwrap(), program.find("dom".into()).unwrap());
    for _ in 0..dice.below(9) {
        let row = [dice.below(8) as i64, dice.below(8) as i64].map(|value| Value::Int(value).word());
        input.push(edge, &row);
    }
    (-8..=16).for_each(|value| input.push(dom, &[Value::Int(value).word()]));
    input
}

/// The facts of `p`.
fn facts(program: &Program, model: &hence_engine::Model) -> BTreeSet<Vec<Word>> {
    let relation = program.find("p".into()).unwrap();
    model.relations[relation.0 as usize].rows.iter().map(<[Word]>::to_vec).collect()
}

#[test]
fn groups_of_a_recursion_are_those_that_a_domain_gives() {
    let mut grew = 0;
    for (at, template) in (0..).zip(RULES) {
        for seed in 0..5 {
            let rules = template.replace('#', &Dice::new(at * 100 + seed).below(4).to_string());
            let alone = rules.replace("DOM(Y) ", "").replace("DOM(M) ", "");
            let below = rules.replace("DOM(Y)", "dom(Y),").replace("DOM(M)", "dom(M),");
            let Ok(program_alone) = program(&alone).inspect_err(|faults| panic!("{alone}\n{faults}")) else {
                return;
            };
            let program_below = program(&below).unwrap();
            let given = input(&program_alone, at * 100 + seed);
            let found =
                compare(&program_alone, &given, &LIMITS).unwrap_or_else(|why| panic!("{alone}: {why}"));
            let wanted = Naive.evaluate(&program_below, input(&program_below, at * 100 + seed), &LIMITS);
            let wanted = wanted.unwrap_or_else(|limit| panic!("{below}: {limit:?}\n{program_below}"));
            let found = facts(&program_alone, &found.expect("it ends"));
            let wanted = facts(&program_below, &wanted);
            assert_eq!(found, wanted, "{alone}\nseed {seed}");
            grew += found.len();
        }
    }
    assert!(grew > 100, "too plain: {grew} facts");
}
