//! Values as sentences have them: a float in few digits, a duration in words, a count with its noun.

use hence_core::symbol::Symbol;
use hence_core::value::{Type, Value, Word};

use super::calendar;
use super::decimal::significant;
use super::op::Op;

/// The units of a duration in words with their length in microseconds, longest first.
const UNITS: [(&str, u64); 6] = [
    ("d", 86_400_000_000),
    ("h", 3_600_000_000),
    ("min", 60_000_000),
    ("s", 1_000_000),
    ("ms", 1_000),
    ("µs", 1),
];

/// How a placeholder shows its value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// As `string` writes it; in a sentence, a float in at most six significant digits.
    #[default]
    Plain,
    /// `.2`: a float with so many digits after the point.
    Digits(u8),
    /// `date`: the day of a time, in UTC.
    Date,
    /// `time`: hour and minute of a time, in UTC.
    Time,
    /// `human`: a duration in words.
    Human,
    /// `plural one many`: an int and the word that goes with it.
    Plural(Symbol, Symbol),
}

/// How sentences show their values: [`Format::show`], or [`Format::show_exactly`].
pub type Show = fn(Format, Value) -> String;

impl Format {
    /// The operation that gives the text, with the operands that follow the value; `None` for a plain value.
    pub fn operation(self) -> Option<(Op, Vec<Value>)> {
        Some(match self {
            Self::Plain => return None,
            Self::Digits(digits) => (Op::Fixed, vec![Value::Int(digits.into())]),
            Self::Date => (Op::Date, Vec::new()),
            Self::Time => (Op::Clock, Vec::new()),
            Self::Human => (Op::Human, Vec::new()),
            Self::Plural(one, many) => (Op::Plural, vec![Value::String(one), Value::String(many)]),
        })
    }

    /// The type of the values that it shows; `None` for any.
    pub fn takes(self) -> Option<Type> {
        match self {
            Self::Plain => None,
            Self::Digits(_) => Some(Type::Float),
            Self::Date | Self::Time => Some(Type::Time),
            Self::Human => Some(Type::Duration),
            Self::Plural(..) => Some(Type::Int),
        }
    }

    /// A value in a sentence.
    pub fn show(self, value: Value) -> String {
        let operation = self.operation().filter(|_| self.takes() == Some(value.ty()));
        match (operation, value) {
            (None, Value::Float(float)) => significant(float.get()),
            (None, value) => value.text(),
            (Some((op, more)), value) => {
                let words: Vec<Word> = [value].into_iter().chain(more).map(Value::word).collect();
                op.apply(&words).map_or_else(|| value.text(), |word| word.as_symbol().to_string())
            }
        }
    }

    /// A value in a sentence as it was before floats showed at most six digits there.
    pub fn show_exactly(self, value: Value) -> String {
        if self == Self::Plain { value.text() } else { self.show(value) }
    }

    /// As a placeholder writes it, with its colon.
    pub fn written(self) -> String {
        match self {
            Self::Plain => String::new(),
            Self::Digits(digits) => format!(":.{digits}"),
            Self::Date => String::from(":date"),
            Self::Time => String::from(":time"),
            Self::Human => String::from(":human"),
            Self::Plural(one, many) => format!(":plural {one} {many}"),
        }
    }
}

/// `14:23 UTC`.
pub(super) fn clock(micros: i64) -> String {
    format!("{:02}:{:02} UTC", calendar::hour(micros), calendar::minute(micros))
}

/// A duration in its two largest units, what is finer left out: `3 h 20 min`.
pub(super) fn human(micros: i64) -> String {
    let mut rest = micros.unsigned_abs();
    let mut parts = Vec::new();
    for (unit, length) in UNITS {
        let count = rest / length;
        rest %= length;
        match (count, parts.len()) {
            (0, 0) => {}
            (0, _) => break,
            _ => parts.push(format!("{count} {unit}")),
        }
        if parts.len() == 2 {
            break;
        }
    }
    let sign = if micros < 0 { "-" } else { "" };
    if parts.is_empty() { String::from("0 s") } else { format!("{sign}{}", parts.join(" ")) }
}
