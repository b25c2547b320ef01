//! What is given may stand twice and in any order, and facts of any size are the same to both engines.

use hence_core::schema::RelationId;
use hence_core::value::{Type, Word};
use hence_engine::Database;

use crate::random::Dice;

use super::build::{Build, Clause, any};
use super::check::model;

/// Rows of `columns`, some of them twice; ascending, or in no order.
fn rows(random: &mut Dice, columns: usize, ascending: bool, large: bool) -> Vec<Vec<Word>> {
    let count = if random.below(4) == 0 { 200 } else { random.below(40) };
    let mut rows: Vec<Vec<i64>> = (0..count)
        .map(|_| (0..columns).map(|_| random.below(if count > 40 { 12 } else { 4 }) as i64).collect())
        .collect();
    if ascending {
        rows.sort_unstable();
        rows.dedup();
    }
    if large && !rows.is_empty() {
        let at = random.below(rows.len());
        rows[at][0] = -1;
    }
    rows.into_iter().map(|row| row.into_iter().map(Word::from_int).collect()).collect()
}

/// ```text
/// absent(X) :- whole(X, Y, Z), !part(X, Y), !whole(Y, X, Z).
/// both(X) :- whole(X, _, Y), part(X, Y).
/// part(X, X) :- one(X).
/// found(X, Y) :- seen(X, _), whole(X, Y, _), seen(X, Y).
/// ```
#[test]
fn rows_of_an_input_are_distinct_facts_in_any_order() {
    let mut b = Build::default();
    let ints = |count: usize| vec![Type::Int; count];
    let inputs = [b.input("one", &ints(1)), b.input("seen", &ints(2)), b.input("whole", &ints(3))];
    let [one, seen, whole] = inputs;
    let part = b.derived("part", &ints(2));
    let (absent, both, found) =
        (b.derived("absent", &ints(1)), b.derived("both", &ints(1)), b.derived("found", &ints(2)));
    let mut rule = Clause::new(part);
    let [x] = rule.ints(["X"]);
    b.rule(rule.head(&[&x, &x]).atom(one, &[&x]));
    let mut rule = Clause::new(absent);
    let [x, y, z] = rule.ints(["X", "Y", "Z"]);
    let rule = rule.head(&[&x]).atom(whole, &[&x, &y, &z]);
    b.rule(rule.not(part, &[&x, &y]).not(whole, &[&y, &x, &z]));
    let mut rule = Clause::new(both);
    let [x, y] = rule.ints(["X", "Y"]);
    b.rule(rule.head(&[&x]).atom(whole, &[&x, &any(), &y]).atom(part, &[&x, &y]));
    let mut rule = Clause::new(found);
    let [x, y] = rule.ints(["X", "Y"]);
    let rule = rule.head(&[&x, &y]).atom(seen, &[&x, &any()]);
    b.rule(rule.atom(whole, &[&x, &y, &any()]).atom(seen, &[&x, &y]));
    let program = b.finish();
    let mut random = Dice::new(11);
    for turn in 0..40 {
        let mut input = Database::new(&program);
        let mut give = |relation: RelationId, columns| {
            let rows = rows(&mut random, columns, turn % 3 == 0, turn % 4 == 1);
            rows.iter().for_each(|row| input.push(relation, row));
        };
        (1..).zip(inputs).for_each(|(columns, relation)| give(relation, columns));
        // Facts given of a relation that rules derive too.
        give(part, 2);
        model(&program, &input);
    }
}

#[test]
fn rows_can_be_looked_at_while_they_grow() {
    let mut b = Build::default();
    let p = b.input("p", &[Type::Int, Type::Int]);
    let mut input = Database::new(&b.finish());
    let mut expected: Vec<[Word; 2]> = Vec::new();
    for at in 0..300 {
        let row = [at, if at == 200 { -1 } else { at * 7 }].map(Word::from_int);
        input.push(p, &row);
        expected.push(row);
        if at % 50 > 40 {
            assert!(input.rows(p).unwrap().iter().eq(expected.iter().map(|row| row.as_slice())));
        }
    }
    assert!(input.rows(p).unwrap().column(1).eq(expected.iter().map(|row| row[1])));
    assert_eq!(input.rows(p).unwrap().get(300), None);
}
