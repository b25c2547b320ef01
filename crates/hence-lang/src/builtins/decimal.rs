//! Floats in decimal digits: rounded from their exact value, halves away from zero.

use hence_core::literal;

/// The largest count of fixed digits that a placeholder may ask for.
pub(crate) const MOST_DIGITS: i64 = 20;

/// A nonnegative decimal number by its digits.
struct Decimal {
    /// Those before the point and after it, without a sign.
    digits: Vec<u8>,
    /// How many stand before the point.
    whole: usize,
}

/// `value` to so many digits after the point (before it, where `digits` is negative), then the nearest float; `None`
/// where that is infinite.
pub(super) fn round(value: f64, digits: i64) -> Option<f64> {
    if digits >= i64::from(fraction_bits(value)) {
        return Some(value);
    }
    let rounded: f64 = Decimal::of(value).rounded(digits).text().parse().ok()?;
    rounded.is_finite().then(|| rounded.copysign(value))
}

/// `value` with exactly so many digits after the point.
pub(super) fn fixed(value: f64, digits: usize) -> String {
    let mut rounded = Decimal::of(value).rounded(i64::try_from(digits).unwrap_or(i64::MAX));
    rounded.digits.resize(rounded.whole + digits, b'0');
    let negative = value < 0.0 && rounded.digits.iter().any(|digit| *digit != b'0');
    format!("{}{}", if negative { "-" } else { "" }, rounded.text())
}

/// `value` as its literal, with at most six significant digits.
pub(crate) fn significant(value: f64) -> String {
    let scientific = format!("{value:e}");
    let exponent = scientific.split_once('e').and_then(|(_, exponent)| exponent.parse::<i64>().ok());
    let rounded = exponent.and_then(|exponent| round(value, 5 - exponent));
    literal::float_text(rounded.unwrap_or(value))
}

/// How many binary digits a float has after the point, and so how many decimal ones.
fn fraction_bits(value: f64) -> u32 {
    let bits = value.to_bits();
    let (exponent, fraction) = ((bits >> 52) & 0x7ff, bits & ((1 << 52) - 1));
    let mantissa = if exponent == 0 { fraction } else { fraction | 1 << 52 };
    if mantissa == 0 {
        return 0;
    }
    let scale = 1075 - u32::try_from(exponent.max(1)).unwrap_or(1075).min(1075);
    scale.saturating_sub(mantissa.trailing_zeros())
}

impl Decimal {
    /// The exact value of a float without its sign: each binary digit after the point is a decimal one.
    fn of(value: f64) -> Self {
        let text = format!("{:.*}", fraction_bits(value) as usize, value.abs());
        let whole = text.find('.').unwrap_or(text.len());
        Self { digits: text.bytes().filter(|byte| *byte != b'.').collect(), whole }
    }

    fn rounded(mut self, digits: i64) -> Self {
        let whole = i64::try_from(self.whole).unwrap_or(i64::MAX);
        let Ok(kept) = usize::try_from(whole.saturating_add(digits)) else {
            return Self { digits: vec![b'0'], whole: 1 };
        };
        let up = self.digits.get(kept).is_some_and(|digit| *digit >= b'5');
        self.digits.truncate(kept);
        if up {
            self.step();
        }
        if self.digits.len() < self.whole {
            self.digits.resize(self.whole, b'0');
        }
        self
    }

    /// Adds one in the last place.
    fn step(&mut self) {
        for digit in self.digits.iter_mut().rev() {
            if *digit < b'9' {
                *digit += 1;
                return;
            }
            *digit = b'0';
        }
        self.digits.insert(0, b'1');
        self.whole += 1;
    }

    fn text(&self) -> String {
        let (whole, fraction) = self.digits.split_at(self.whole.min(self.digits.len()));
        let text = |digits: &[u8]| String::from_utf8_lossy(digits).into_owned();
        if fraction.is_empty() { text(whole) } else { format!("{}.{}", text(whole), text(fraction)) }
    }
}
