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

/// `micros` times `factor` exactly, to the nearest microsecond, halves away from zero.
pub(super) fn scaled(micros: i64, factor: f64) -> Option<i64> {
    let bits = factor.to_bits();
    let (exponent, fraction) = ((bits >> 52) & 0x7ff, bits & ((1 << 52) - 1));
    let mantissa = i128::from(if exponent == 0 { fraction } else { fraction | 1 << 52 });
    let product = i128::from(micros) * if factor < 0.0 { -mantissa } else { mantissa };
    let shift = i64::try_from(exponent.max(1)).ok()? - 1075;
    let scaled = match u32::try_from(shift) {
        _ if product == 0 => 0,
        // The mantissa has 53 digits, so that no product that is shifted further fits.
        Ok(left) if left < 64 => product.checked_mul(1 << left)?,
        Ok(_) => return None,
        Err(_) if shift < -125 => 0, // the product has at most 116 digits
        Err(_) => nearest(product, 1 << -shift),
    };
    i64::try_from(scaled).ok()
}

/// `micros` divided by `parts`, to the nearest microsecond, halves away from zero; `None` for a division by zero.
pub(super) fn share(micros: i64, parts: i64) -> Option<i64> {
    (parts != 0).then(|| i64::try_from(nearest(micros.into(), parts.into())).ok())?
}

/// The int nearest to a quotient, halves away from zero; the divisor isn't 0.
fn nearest(dividend: i128, divisor: i128) -> i128 {
    let (quotient, rest) = (dividend / divisor, dividend % divisor);
    let away = if (dividend < 0) == (divisor < 0) { 1 } else { -1 };
    if rest.unsigned_abs() >= divisor.unsigned_abs() - rest.unsigned_abs() {
        quotient + away
    } else {
        quotient
    }
}
