//! The facts that come nearest to what was looked for.

use std::cmp::Ordering;

use hence_core::fact::Fact;
use hence_core::schema::RelationId;
use hence_core::value::{Type, Value, Word};

use super::super::context::Context;
use super::super::store::FactRef;

/// How far a row is from what was looked for: columns that differ, then by how much.
type Distance = (usize, f64);

/// The nearest `count` facts of a relation: as many equal columns as possible, then numbers that are close and
/// texts that are spelled alike; facts that have nothing in common with the question are none.
pub(super) fn nearest(
    context: &Context<'_>,
    relation: RelationId,
    asked: &[Option<Word>],
    count: usize,
) -> Vec<Fact> {
    let types = context.types(relation);
    let bound = asked.iter().flatten().count();
    let Some(extent) = context.store.extent(relation).filter(|_| bound > 0) else { return Vec::new() };
    let mut best: Vec<(Distance, u32)> = Vec::new();
    for (at, row) in extent.rows.iter().enumerate() {
        let differing =
            asked.iter().zip(row).filter(|(asked, word)| asked.is_some_and(|asked| asked != **word)).count();
        if best.len() >= count && best.last().is_some_and(|((worst, _), _)| differing > *worst) {
            continue;
        }
        let found = (distance(types, asked, row, differing), at as u32);
        if differing == bound && found.0.1 > f64::from(bound as u32) * 0.5 {
            continue;
        }
        let order = |other: &(Distance, u32)| {
            let row = |row: u32| context.store.row(FactRef { relation, row });
            compare(&other.0, &found.0).then_with(|| context.compare(relation, &row(other.1), &row(found.1)))
        };
        let place = best.partition_point(|other| order(other).is_lt());
        best.insert(place, found);
        best.truncate(count);
    }
    best.iter().map(|(_, row)| context.fact(FactRef { relation, row: *row })).collect()
}

fn compare(left: &Distance, right: &Distance) -> Ordering {
    left.0.cmp(&right.0).then(left.1.total_cmp(&right.1))
}

fn distance(types: &[Type], asked: &[Option<Word>], row: &[Word], differing: usize) -> Distance {
    let columns = types.iter().zip(asked.iter().zip(row));
    let apart = columns.filter_map(|(ty, (asked, word))| Some(apart(*ty, (*asked)?, *word)));
    (differing, apart.sum())
}

/// How far apart two values of a type are, from 0 (equal) to 1.
fn apart(ty: Type, one: Word, other: Word) -> f64 {
    if one == other {
        return 0.0;
    }
    match (ty, numbers(ty, one, other)) {
        (_, Some((one, other))) => {
            let size = one.abs().max(other.abs());
            ((one - other).abs() / size).min(1.0)
        }
        (Type::String | Type::Name, None) => {
            1.0 - strsim::normalized_damerau_levenshtein(one.as_symbol().as_str(), other.as_symbol().as_str())
        }
        _ => 1.0,
    }
}

/// The numbers after two words, for types that have any.
pub(super) fn numbers(ty: Type, one: Word, other: Word) -> Option<(f64, f64)> {
    let number = |word| match Value::from_word(ty, word) {
        Value::Int(value) | Value::Time(value) | Value::Duration(value) => Some(value as f64),
        Value::Float(value) => Some(value.get()),
        _ => None,
    };
    number(one).zip(number(other))
}
