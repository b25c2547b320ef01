//! Whole numbers: what the machine's own checked operations don't give as the language means it.

use hence_core::value::Word;

/// An integral float as an int; `None` beyond 64 bits.
pub(super) fn to_int(value: f64) -> Option<Word> {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    (-LIMIT..LIMIT).contains(&value).then(|| Word::from_int(value as i64))
}

/// The remainder with the sign of `left`; `None` for a division by zero. The smallest int modulo -1 is 0, though
/// its quotient overflows.
pub(super) fn remainder(left: i64, right: i64) -> Option<i64> {
    (right != 0).then(|| left.wrapping_rem(right))
}

/// `base` to the power of `exponent`; `None` for a negative exponent and on overflow.
pub(super) fn power(base: i64, exponent: i64) -> Option<i64> {
    let odd = exponent % 2 == 1;
    match (base, exponent) {
        (_, ..=-1) => None,
        (_, 0) | (1, _) => Some(1),
        (0, _) => Some(0),
        (-1, _) => Some(if odd { -1 } else { 1 }),
        _ => u32::try_from(exponent).ok().and_then(|exponent| base.checked_pow(exponent)),
    }
}
