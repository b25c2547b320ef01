//! Random programs with many failing operations: what is certain and what is possible agrees with the naive evaluator.

use hence_engine::{Limits, Threads};

use super::agree::compare;
use crate::random::{Text, load, random, shrink};
use crate::slow;

const LIMITS: Limits =
    Limits { facts: 4_000, iterations: 40, time: None, memory: Some(32 << 20), threads: Threads::ONE };

fn failure(text: &Text) -> Result<Option<usize>, String> {
    let (rules, input) = load(text)?;
    compare(&rules.program, &input, &LIMITS)
}

fn kind(text: &Text) -> Option<String> {
    let failure = failure(text).err()?;
    Some(failure.chars().take(8).collect())
}

#[test]
fn random_programs_are_as_certain_and_as_possible_as_the_naive_evaluator_has_them() {
    let (mut compared, mut undetermined) = (0, 0);
    let seeds = slow::size(600, 15_000);
    for seed in 0..seeds as u64 {
        let text = random(seed);
        let start = std::time::Instant::now();
        match failure(&text) {
            Ok(_) if start.elapsed().as_secs() > 3 => eprintln!("SLOW {seed} {:?}", start.elapsed()),
            Ok(None) => {}
            Ok(Some(rows)) => {
                compared += 1;
                undetermined += usize::from(rows > 0);
            }
            Err(_) => {
                let wanted = kind(&text);
                let small = shrink(text, |smaller| kind(smaller) == wanted);
                panic!("seed {seed}: {}\n{}", failure(&small).unwrap_err(), small.case());
            }
        }
    }
    println!("{compared} compared, {undetermined} with undetermined rows");
    assert!(
        undetermined * 10 > seeds,
        "too plain: {compared} compared, {undetermined} with undetermined rows"
    );
}
