//! What needs all values of a group: medians, percentiles, deviations.

use hence_core::value::{Type, Word};

use super::exact_sum::{self, ExactSum};

/// The middle value, or the mean of the middle two: of ints and floats a float, of times and durations rounded to
/// the nearest microsecond, halves away from zero.
pub(super) fn median(ty: Type, values: &[Word]) -> Option<Word> {
    let upper = ranked(values, values.len() / 2)?;
    let lower = if values.len() % 2 == 1 { upper } else { ranked(values, values.len() / 2 - 1)? };
    let sum = i128::from(lower.as_int()) + i128::from(upper.as_int());
    match ty {
        Type::Float => mean_of_two(lower.as_float(), upper.as_float()).and_then(Word::from_float),
        Type::Int => exact_sum::ratio(sum, 2).and_then(Word::from_float),
        _ => nearest(sum, 2).map(Word::from_int),
    }
}

fn mean_of_two(left: f64, right: f64) -> Option<f64> {
    let mut sum = ExactSum::default();
    sum.add(left);
    sum.add(right);
    sum.mean(2)
}

/// The smallest value such that at least `share` of all values are not above it (the nearest rank). `None` for a
/// share that is not above 0 and up to 1.
pub(super) fn percentile(values: &[Word], share: f64) -> Option<Word> {
    ranked(values, percentile_place(values.len(), share)?)
}

/// The place of that value among `count` in ascending order, from 0.
pub(super) fn percentile_place(count: usize, share: f64) -> Option<usize> {
    if !(share > 0.0 && share <= 1.0) {
        return None;
    }
    // `0.07 * 100.0` is above 7, `7.0 / 100.0` is `0.07`: the quotient gives what the share means in decimals.
    let reaches = |rank: usize| rank as f64 / count as f64 >= share;
    let guess = (share * count as f64) as usize;
    let rank = (guess.saturating_sub(1)..=guess + 2).find(|rank| reaches(*rank))?;
    Some(rank.max(1) - 1)
}

/// The value at `rank`, from 0, in ascending order. Texts have no such order here.
fn ranked(values: &[Word], rank: usize) -> Option<Word> {
    let mut values = values.to_vec();
    (rank < values.len()).then(|| *values.select_nth_unstable_by_key(rank, |value| value.as_int()).1)
}

/// The standard deviation of the population: the differences from the exact mean, their squares summed exactly.
pub(super) fn deviation(ty: Type, values: &[Word]) -> Option<Word> {
    let float = |word: &Word| if ty == Type::Int { word.as_int() as f64 } else { word.as_float() };
    let count = values.len() as u64;
    let mean = if ty == Type::Int {
        exact_sum::ratio(values.iter().map(|word| i128::from(word.as_int())).sum(), count)?
    } else {
        let mut sum = ExactSum::default();
        values.iter().for_each(|word| sum.add(float(word)));
        sum.mean(count)?
    };
    let mut squares = ExactSum::default();
    for value in values {
        let difference = float(value) - mean;
        let square = difference * difference;
        square.is_finite().then(|| squares.add(square))?;
    }
    squares.mean(count).and_then(|variance| Word::from_float(variance.sqrt()))
}

/// The quotient rounded to the nearest whole number, halves away from zero; `None` for a division by zero.
pub(super) fn nearest(sum: i128, count: u64) -> Option<i64> {
    let count = i128::from(count);
    let size = (2 * sum.abs() + count).checked_div(2 * count)?;
    i64::try_from(size * sum.signum()).ok()
}
