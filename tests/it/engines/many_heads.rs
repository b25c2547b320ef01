//! Limits of so many heads that those beyond them are left out on the way.

use hence::session::{Loader, check};
use hence_core::value::Word;
use hence_engine::{Database, Limits};

use super::check::compare;

/// The same heads come again and again, and many have the same price.
const RULES: &str = "
input sale(id: int, shop: int, item: int, price: int).
relation dearest(shop: int, item: int, price: int, rank: int).
relation cheapest(item: int, price: int).
relation small(item: int, shop: int).

dearest(S, I, P, Rank) :- sale(_, S, I, P) limit 3 per S by P desc as Rank.
cheapest(I, P) :- sale(_, _, I, P) limit 7 by P.
small(I, S) :- sale(_, S, I, P), P % 3 = 1 limit 2 per I by S desc.
";

/// A value below `end` for each number, spread without order.
fn spread(number: i64, factor: i64, end: i64) -> i64 {
    number.wrapping_mul(factor).wrapping_add(number / 7).rem_euclid(1_000_003) % end
}

#[test]
fn the_best_of_many_heads_are_those_of_the_naive_engine() {
    let mut loader = Loader::default();
    loader.text("many_heads.dl", RULES);
    let program = check(loader.finish(), &[]).rules.unwrap().program;
    let sale = program.find("sale".into()).unwrap();
    for (shops, items, prices) in [(5, 4_000, 40), (700, 9, 10_000), (12_000, 6_000, 5)] {
        let mut input = Database::new(&program);
        for id in 0..30_000 {
            let row =
                [id, spread(id, 7_919, shops), spread(id, 104_729, items), spread(id, 15_485_863, prices)];
            input.push(sale, &row.map(Word::from_int));
        }
        let model = compare(&program, &input, &Limits::default()).unwrap().unwrap();
        let dearest = model.extent(program.find("dearest".into()).unwrap()).unwrap().rows.len();
        assert!(dearest > 10, "{dearest}");
    }
}
