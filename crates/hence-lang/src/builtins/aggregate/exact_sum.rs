//! Exact sums of floats and ints, rounded once at the end.
//!
//! A float is a whole number of units of 2^-1074. The sum is held as a wide integer in pieces of 32 bits that carry
//! into one another only now and then: the small superaccumulator of Radford M. Neal, "Fast exact summation using
//! small and large superaccumulators" (2015), here with only the pieces that the added values reach.

use smallvec::SmallVec;

use hence_core::fault::OrBroken;

/// The exponent of the lowest bit of piece 0.
const LOWEST: i64 = -1074;
/// After so many additions the pieces carry; each adds less than 2^32 to a piece, so none overflows before.
const BEFORE_CARRY: u32 = 1 << 29;

/// An exact sum of finite floats.
#[derive(Clone, Debug, Default)]
pub(super) struct ExactSum {
    /// The pieces; piece `k` counts units of 2^(32 (first + k) - 1074) and may be negative.
    pieces: SmallVec<[i64; 6]>,
    first: usize,
    pending: u32,
}

impl ExactSum {
    /// Adds a finite float.
    pub(super) fn add(&mut self, value: f64) {
        let bits = value.to_bits();
        let biased = (bits >> 52 & 0x7ff) as usize;
        let fraction = bits & ((1 << 52) - 1);
        let (mantissa, offset) = if biased == 0 { (fraction, 0) } else { (fraction | 1 << 52, biased - 1) };
        if mantissa == 0 {
            return;
        }
        let wide = u128::from(mantissa) << (offset % 32);
        let (low, middle, high) =
            ((wide & 0xffff_ffff) as i64, (wide >> 32 & 0xffff_ffff) as i64, (wide >> 64) as i64);
        let sign = if value < 0.0 { -1 } else { 1 };
        if let [a, b, c] = self.reach(offset / 32) {
            *a += sign * low;
            *b += sign * middle;
            *c += sign * high;
        }
        self.pending += 1;
        if self.pending >= BEFORE_CARRY {
            self.carry();
        }
    }

    /// Takes a float out again that was added before.
    pub(super) fn remove(&mut self, value: f64) {
        self.add(-value);
    }

    /// Adds all floats of another sum.
    pub(super) fn merge(&mut self, other: &Self) {
        let mut other = other.clone();
        other.carry();
        self.carry();
        for (at, more) in (other.first..).zip(&other.pieces) {
            if let [piece, ..] = self.reach(at) {
                *piece += more;
            }
        }
        self.pending += 1;
    }

    /// The three pieces from piece `at` on, made where they aren't there yet.
    fn reach(&mut self, at: usize) -> &mut [i64] {
        if self.pieces.is_empty() {
            self.first = at;
        }
        if at < self.first {
            self.pieces.insert_many(0, std::iter::repeat_n(0, self.first - at));
            self.first = at;
        }
        let from = at - self.first;
        if self.pieces.len() < from + 3 {
            self.pieces.resize(from + 3, 0);
        }
        self.pieces.get_mut(from..from + 3).or_broken("a sum has the pieces that were made for it")
    }

    /// Moves what is beyond 32 bits into the next piece; what is beyond the last one becomes a piece of its own.
    fn carry(&mut self) {
        let mut carry = 0;
        for piece in &mut self.pieces {
            let total = *piece + carry;
            *piece = total & 0xffff_ffff;
            carry = total >> 32;
        }
        if carry != 0 {
            self.pieces.push(carry);
        }
        self.pending = 0;
    }

    /// The sum; `None` where it is beyond the floats.
    pub(super) fn sum(&self) -> Option<f64> {
        self.magnitude().round()
    }

    /// The sum divided by `count`, rounded once; `None` for a count of 0 and where it is beyond the floats.
    pub(super) fn mean(&self, count: u64) -> Option<f64> {
        self.magnitude().divide(count)?.round()
    }

    fn magnitude(&self) -> Magnitude {
        let mut limbs = Vec::with_capacity(self.pieces.len() + 2);
        let mut carry = 0i64;
        for piece in &self.pieces {
            let total = piece + carry;
            limbs.push(total as u32);
            carry = total >> 32;
        }
        limbs.extend([carry as u32, (carry >> 32) as u32]);
        let negative = carry < 0;
        if negative {
            negate(&mut limbs);
        }
        Magnitude { negative, limbs, exponent: 32 * self.first as i64 + LOWEST, inexact: false }
    }
}

/// The two's complement.
fn negate(limbs: &mut [u32]) {
    let mut carry = true;
    for limb in limbs {
        let (sum, over) = (!*limb).overflowing_add(u32::from(carry));
        (*limb, carry) = (sum, over);
    }
}

/// The quotient of two whole numbers as a float, rounded once; `None` for a division by zero.
pub(super) fn ratio(numerator: i128, count: u64) -> Option<f64> {
    const EXACT: u64 = 1 << 53;
    if numerator.unsigned_abs() <= u128::from(EXACT) && (1..=EXACT).contains(&count) {
        // Both are floats as they stand, and the division rounds once.
        return Some(numerator as f64 / count as f64);
    }
    let size = numerator.unsigned_abs();
    let limbs = (0..4).map(|at| (size >> (32 * at)) as u32).collect();
    Magnitude { negative: numerator < 0, limbs, exponent: 0, inexact: false }.divide(count)?.round()
}

/// A whole number of units of 2^`exponent`, lowest limb first, and whether a rest below one unit was dropped.
struct Magnitude {
    negative: bool,
    limbs: Vec<u32>,
    exponent: i64,
    inexact: bool,
}

impl Magnitude {
    /// The quotient, with at least 64 bits more than a float has where it isn't exact.
    fn divide(self, count: u64) -> Option<Self> {
        if count == 0 {
            return None;
        }
        let mut limbs = vec![0; 4];
        limbs.extend(self.limbs);
        let mut rest = 0u128;
        for limb in limbs.iter_mut().rev() {
            let part = rest << 32 | u128::from(*limb);
            *limb = (part / u128::from(count)) as u32;
            rest = part % u128::from(count);
        }
        Some(Self { limbs, exponent: self.exponent - 128, inexact: self.inexact || rest != 0, ..self })
    }

    /// The nearest float, ties to even; `None` where that is infinite.
    fn round(&self) -> Option<f64> {
        let mut limbs = self.limbs.iter().enumerate().rev();
        let Some((top, limb)) = limbs.find(|(_, limb)| **limb != 0) else { return Some(0.0) };
        let highest = 32 * top as i64 + i64::from(limb.ilog2());
        // The place of the lowest bit that the float can hold, counted from bit 0 of limb 0.
        let unit = (highest - 52).max(LOWEST - self.exponent);
        let mantissa = (0..=highest - unit).fold(0, |all, at| all | u64::from(self.bit(unit + at)) << at);
        let half = self.bit(unit - 1);
        let below = self.inexact || self.any_below(unit - 1);
        let up = half && (below || mantissa % 2 == 1);
        let size = (mantissa + u64::from(up)) as f64 * power_of_two(unit + self.exponent);
        size.is_finite().then_some(if self.negative { -size } else { size })
    }

    fn bit(&self, at: i64) -> bool {
        let limb = usize::try_from(at.div_euclid(32)).ok().and_then(|limb| self.limbs.get(limb));
        limb.is_some_and(|limb| limb >> at.rem_euclid(32) & 1 == 1)
    }

    /// Whether a bit below `at` is set.
    fn any_below(&self, at: i64) -> bool {
        let whole = usize::try_from(at.div_euclid(32)).unwrap_or(0);
        self.limbs.iter().take(whole).any(|limb| *limb != 0) || (whole as i64 * 32..at).any(|at| self.bit(at))
    }
}

/// 2 to the power of `exponent`, from -1074 on; infinite where a float can't hold it.
fn power_of_two(exponent: i64) -> f64 {
    match exponent {
        ..-1022 => f64::from_bits(1 << (exponent - LOWEST).clamp(0, 51)),
        -1022..=1023 => f64::from_bits(((exponent + 1023) as u64) << 52),
        _ => f64::INFINITY,
    }
}
