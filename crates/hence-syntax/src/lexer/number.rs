//! Ints, floats and durations.

use hence_core::diagnostic::Diagnostic;
use hence_core::fault::OrBroken;
use hence_core::literal::{duration_text, float_text, is_duration_form, parse_duration};
use hence_core::value::{Float, Value};

use super::super::codes;
use super::super::token::TokenKind;
use super::{Lexer, literal};

/// The units that people write for durations, with the length of each in microseconds.
const UNITS: [(&str, f64); 17] = [
    ("w", 604_800e6),
    ("week", 604_800e6),
    ("weeks", 604_800e6),
    ("d", 86_400e6),
    ("day", 86_400e6),
    ("days", 86_400e6),
    ("h", 3_600e6),
    ("hr", 3_600e6),
    ("hour", 3_600e6),
    ("hours", 3_600e6),
    ("m", 60e6),
    ("min", 60e6),
    ("mins", 60e6),
    ("s", 1e6),
    ("sec", 1e6),
    ("ms", 1e3),
    ("us", 1.0),
];

fn is_digit(c: char) -> bool {
    c.is_ascii_digit() || c == '_'
}

impl Lexer<'_> {
    /// A number or a duration; a sign was read already.
    pub(super) fn number(&mut self, start: usize) -> TokenKind {
        self.cursor.eat_while(is_digit);
        let fraction = self.fraction();
        let exponent = self.exponent();
        let tail = self.cursor.eat_while(|c| c.is_alphanumeric() || c == '_');
        let text = self.cursor.since(start);
        match (tail.is_empty(), fraction || exponent) {
            (true, _) if has_odd_underscore(text) => self.odd_underscore(start),
            (true, true) => self.float(start),
            (true, false) if self.at_bare_point() => self.float_without_last_digit(start),
            (true, false) => self.int(start),
            (false, false) if text.starts_with("0x") || text.starts_with("0b") || text.starts_with("0o") => {
                self.other_base(start)
            }
            (false, _) => self.duration(start),
        }
    }

    /// Reads `.5`, if a digit follows the point.
    fn fraction(&mut self) -> bool {
        let found =
            self.cursor.byte(0) == Some(b'.') && self.cursor.byte(1).is_some_and(|b| b.is_ascii_digit());
        if found {
            self.cursor.bump();
            self.cursor.eat_while(is_digit);
        }
        found
    }

    /// Reads `e-3`.
    fn exponent(&mut self) -> bool {
        if !matches!(self.cursor.byte(0), Some(b'e' | b'E')) {
            return false;
        }
        let signed = matches!(self.cursor.byte(1), Some(b'+' | b'-'));
        let found = self.cursor.byte(1 + usize::from(signed)).is_some_and(|b| b.is_ascii_digit());
        if found {
            self.cursor.bump();
            self.cursor.bump();
            self.cursor.eat_while(is_digit);
        }
        found
    }

    fn int(&mut self, start: usize) -> TokenKind {
        let text = self.cursor.since(start);
        if let Ok(value) = text.replace('_', "").parse() {
            return literal(Value::Int(value));
        }
        let label = if text.starts_with('-') {
            format!("the smallest int is {}", i64::MIN)
        } else {
            format!("the largest int is {}", i64::MAX)
        };
        let message = format!("`{text}` is not a 64-bit int");
        let help = format!("for a float, write `{text}.0`");
        self.fault(codes::OUT_OF_RANGE, message, self.span(start), &label, &help);
        literal(Value::Int(0))
    }

    fn float(&mut self, start: usize) -> TokenKind {
        let text = self.cursor.since(start);
        if let Some(value) = text.replace('_', "").parse().ok().and_then(Float::new) {
            return literal(Value::Float(value));
        }
        let label = format!("the largest float is {}", float_text(f64::MAX));
        self.fault(
            codes::OUT_OF_RANGE,
            format!("`{text}` is not a 64-bit float"),
            self.span(start),
            &label,
            "",
        );
        broken_float()
    }

    /// Whether a point follows that ends no clause, since an operator, a comma or a parenthesis comes after it.
    fn at_bare_point(&self) -> bool {
        let Some(rest) = self.cursor.rest().strip_prefix('.') else { return false };
        let rest = rest.trim_start_matches(' ');
        let is_comment = rest.starts_with("//") || rest.starts_with("/*");
        rest.starts_with([',', ')', '+', '-', '*', '/', '<', '>', '=']) && !is_comment
    }

    /// `3.` inside a clause.
    fn float_without_last_digit(&mut self, start: usize) -> TokenKind {
        let digits = self.cursor.since(start);
        self.cursor.bump();
        let span = self.span(start);
        let label = "a float has a digit on both sides of the decimal point";
        self.mended(
            codes::BAD_NUMBER,
            format!("`{digits}.` is not a float"),
            span,
            label,
            &format!("{digits}.0"),
        );
        literal(digits.replace('_', "").parse().ok().and_then(Float::new).map_or(Value::Int(0), Value::Float))
    }

    /// `.5`; the point was read already.
    pub(super) fn float_without_first_digit(&mut self, start: usize) -> TokenKind {
        self.cursor.eat_while(is_digit);
        self.exponent();
        let text = self.cursor.since(start);
        let form = format!("0{text}");
        let message = format!("`{text}` is not a float");
        let label = "a float has a digit on both sides of the decimal point";
        self.mended(codes::BAD_NUMBER, message, self.span(start), label, &form);
        broken_float()
    }

    fn odd_underscore(&mut self, start: usize) -> TokenKind {
        let text = self.cursor.since(start);
        let form = text.split('_').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("_");
        let message = format!("`{text}` is not a number");
        let label = "`_` separates two digits";
        self.mended(codes::BAD_NUMBER, message, self.span(start), label, &form);
        TokenKind::Broken
    }

    /// `0x1F`.
    fn other_base(&mut self, start: usize) -> TokenKind {
        let text = self.cursor.since(start);
        let (prefix, digits) = text.split_at(2);
        let base = match prefix {
            "0x" => 16,
            "0b" => 2,
            _ => 8,
        };
        let span = self.span(start);
        let fault = Diagnostic::new(codes::BAD_NUMBER, format!("`{text}` is not an int"))
            .at(span, "ints are written in base 10");
        self.faults.push(match i64::from_str_radix(&digits.replace('_', ""), base) {
            Ok(value) => fault.write(span, &value.to_string()),
            Err(_) => fault,
        });
        TokenKind::Broken
    }

    fn duration(&mut self, start: usize) -> TokenKind {
        let text = self.cursor.since(start);
        if let Some(micros) = parse_duration(text) {
            return literal(Value::Duration(micros));
        }
        let (number, unit) = split_unit(text);
        let fault = if is_duration_form(text) {
            Diagnostic::new(codes::OUT_OF_RANGE, format!("the duration `{text}` is too long"))
                .at(self.span(start), "64 bits of microseconds cover about 292,000 years")
        } else if is_suffix(unit) {
            Diagnostic::new(codes::BAD_NUMBER, format!("`{text}` is not a number"))
                .at(self.span(start), "numbers have no suffix")
                .write(self.span(start), number)
        } else {
            self.bad_duration(start, number, unit)
        };
        self.faults.push(fault);
        TokenKind::Broken
    }

    /// A number with a unit that no duration has, or with a fraction.
    fn bad_duration(&self, start: usize, number: &str, unit: &str) -> Diagnostic {
        let text = self.cursor.since(start);
        let label = "a duration is written in whole numbers of `w d h m s ms us`, such as `1h30m`";
        let fault = Diagnostic::new(codes::BAD_DURATION, format!("`{text}` is not a duration"))
            .at(self.span(start), label);
        let micros = UNITS
            .iter()
            .find(|(name, _)| *name == unit)
            .and_then(|(_, length)| number.replace('_', "").parse::<f64>().ok().map(|count| count * length))
            .filter(|micros| micros.abs() < 9e15 && micros.fract() == 0.0);
        match micros {
            Some(micros) => fault.write(self.span(start), &duration_text(micros as i64)),
            None => fault,
        }
    }
}

/// A float that stands for a faulty one.
fn broken_float() -> TokenKind {
    literal(Value::Float(Float::new(0.0).or_broken("0 is a number")))
}

/// Whether an underscore does not be between two digits.
fn has_odd_underscore(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
    bytes
        .iter()
        .enumerate()
        .any(|(at, byte)| *byte == b'_' && !(digit(at.checked_sub(1)) && digit(Some(at + 1))))
}

/// Whether a number has the suffix of another language.
fn is_suffix(unit: &str) -> bool {
    let width = unit.trim_start_matches(['i', 'u', 'f']);
    ["u", "U", "L", "f", "F", "l"].contains(&unit)
        || width.len() + 1 == unit.len() && ["8", "16", "32", "64", "128", "size"].contains(&width)
}

/// A number and what is after it.
fn split_unit(text: &str) -> (&str, &str) {
    let at = text.find(|c: char| c.is_alphabetic()).unwrap_or(text.len());
    text.split_at(at)
}
