//! Operations on words: one variant for each function or operator at each type, so that no engine looks at
//! types while it runs.

mod name;

use hence_core::list;
use hence_core::literal::is_time;
use hence_core::value::{Type, Word};

use super::arithmetic as num;
use super::zone::Local;
use super::{calendar, conversion, decimal, pattern, text, wording};

pub use super::overload::{Signature, names, resolve, signatures};

/// An operator or function at fixed types. "Ints" here are all types that are held as 64-bit numbers: ints, and
/// where the language has the operation, times and durations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Op {
    /// `=` of two words.
    Equal,
    /// `!=` of two words.
    NotEqual,
    /// `<` of all types but the texts.
    Less,
    /// `<=` of all types but the texts.
    LessEqual,
    /// `>` of all types but the texts.
    Greater,
    /// `>=` of all types but the texts.
    GreaterEqual,
    /// `<` of texts, by their Unicode scalar values.
    LessText,
    /// `<=` of texts.
    LessEqualText,
    /// `>` of texts.
    GreaterText,
    /// `>=` of texts.
    GreaterEqualText,
    /// `not`.
    Not,
    /// `x in [a, b]`: whether the first operand is one of the others.
    Among,
    /// `x in list`.
    In,
    /// `+` of ints.
    AddInt,
    /// `-` of ints.
    SubInt,
    /// `+` of a time and a duration.
    AddTime,
    /// `-` of a duration from a time.
    SubTime,
    /// `*` of ints.
    MulInt,
    /// `/` of ints, towards zero.
    DivInt,
    /// `%` of ints, with the sign of the left side.
    RemInt,
    /// `-` before an int.
    NegInt,
    /// `abs` of an int.
    AbsInt,
    /// `pow` of ints; the exponent is 0 or more.
    PowInt,
    /// `+` of floats.
    AddFloat,
    /// `-` of floats.
    SubFloat,
    /// `*` of floats.
    MulFloat,
    /// `/` of floats.
    DivFloat,
    /// `%` of floats, with the sign of the left side.
    RemFloat,
    /// `-` before a float.
    NegFloat,
    /// `abs` of a float.
    AbsFloat,
    /// `pow` of floats.
    PowFloat,
    /// `sqrt`.
    Sqrt,
    /// `ln`.
    Ln,
    /// `exp`.
    Exp,
    /// `duration / duration`, a float.
    DivDuration,
    /// `duration * float`, to the nearest microsecond.
    ScaleDuration,
    /// `float * duration`, likewise.
    ScaleByDuration,
    /// `duration / int`, to the nearest microsecond.
    ShareDuration,
    /// `min` of all types but the texts.
    Min,
    /// `max` of all types but the texts.
    Max,
    /// `clamp(x, lo, hi)` of all types but the texts: `min(max(x, lo), hi)`.
    Clamp,
    /// `min` of texts.
    MinText,
    /// `max` of texts.
    MaxText,
    /// `clamp` of texts.
    ClampText,
    /// `float` of an int: the nearest float, ties to even.
    FloatOfInt,
    /// `float` of a string that holds one float literal.
    FloatOfText,
    /// `int` of a float, towards zero.
    IntOfFloat,
    /// `int` of a string that holds one int literal.
    IntOfText,
    /// `round`, halves away from zero.
    Round,
    /// `round(x, digits)` of a float: its exact value, halves away from zero.
    RoundTo,
    /// `floor`.
    Floor,
    /// `ceil`.
    Ceil,
    /// `string` of a value of this type.
    StringOf(Type),
    /// `name` of a string with or without its slash.
    NameOf,
    /// `len`: Unicode scalar values.
    Len,
    /// `lower`.
    Lower,
    /// `upper`.
    Upper,
    /// `trim`: without white space at both ends.
    Trim,
    /// `contains(s, part)`.
    Contains,
    /// `starts_with(s, part)`.
    StartsWith,
    /// `ends_with(s, part)`.
    EndsWith,
    /// `replace(s, from, to)`; an empty `from` replaces nothing.
    Replace,
    /// `matches(s, pattern)` whose pattern is a value.
    Matches,
    /// `replace_all(s, pattern, replacement)`.
    ReplaceAll,
    /// `concat` of two or more strings.
    Concat,
    /// `substring(s, start, length)`.
    Substring,
    /// `jaccard(s, t)` of the sets of words.
    Jaccard,
    /// `year`.
    Year,
    /// `month`, 1 to 12.
    Month,
    /// `day` of the month, from 1.
    Day,
    /// `weekday`, 0 for Monday.
    Weekday,
    /// `hour`, 0 to 23.
    Hour,
    /// `minute`, 0 to 59.
    Minute,
    /// `date(t)`: `2026-02-03`.
    Date,
    /// `year(t, zone)`.
    YearIn,
    /// `month(t, zone)`.
    MonthIn,
    /// `day(t, zone)`.
    DayIn,
    /// `weekday(t, zone)`.
    WeekdayIn,
    /// `hour(t, zone)`.
    HourIn,
    /// `minute(t, zone)`.
    MinuteIn,
    /// `date(t, zone)`.
    DateIn,
    /// `truncate(t, d)`.
    Truncate,
    /// `truncate(t, /day)`, in UTC.
    TruncateTo,
    /// `truncate(t, /day, zone)`.
    TruncateToIn,
    /// `seconds(d)`.
    Seconds,
    /// `minutes(d)`.
    Minutes,
    /// `hours(d)`.
    Hours,
    /// `days(d)`.
    Days,
    /// `{X:.2}` of a float and its count of digits.
    Fixed,
    /// `{At:time}`.
    Clock,
    /// `{Lasts:human}`.
    Human,
    /// `{N:plural run runs}` of an int and the two words.
    Plural,
}

fn bool(value: bool) -> Option<Word> {
    Some(Word::from_bool(value))
}

fn int(value: i64) -> Option<Word> {
    Some(Word::from_int(value))
}

/// A time, if it can be written down.
fn time(micros: i64) -> Option<Word> {
    is_time(micros).then(|| Word::from_int(micros))
}

impl Op {
    /// The result, or `None` where the operation has none (or the number of operands is wrong).
    #[inline]
    pub fn apply(self, args: &[Word]) -> Option<Word> {
        match *args {
            [a, b] => self.apply_two(a, b),
            [a] => self.apply_one(a),
            _ => self.apply_more(args),
        }
    }

    /// The result with one operand.
    #[inline]
    pub fn apply_one(self, a: Word) -> Option<Word> {
        match self {
            Self::Not => bool(!a.as_bool()),
            Self::Among => bool(false),
            Self::NegInt => a.as_int().checked_neg().map(Word::from_int),
            Self::AbsInt => a.as_int().checked_abs().map(Word::from_int),
            Self::NegFloat => Word::from_float(-a.as_float()),
            Self::AbsFloat => Word::from_float(a.as_float().abs()),
            Self::FloatOfInt => Word::from_float(a.as_int() as f64),
            Self::IntOfFloat => num::to_int(a.as_float().trunc()),
            Self::Round => num::to_int(a.as_float().round()),
            Self::Floor => num::to_int(a.as_float().floor()),
            Self::Ceil => num::to_int(a.as_float().ceil()),
            Self::Sqrt => Word::from_float(a.as_float().sqrt()),
            Self::Ln => Word::from_float(a.as_float().ln()),
            Self::Exp => Word::from_float(a.as_float().exp()),
            Self::Seconds => Word::from_float(a.as_int() as f64 / 1e6),
            Self::Minutes => Word::from_float(a.as_int() as f64 / 6e7),
            Self::Hours => Word::from_float(a.as_int() as f64 / 3.6e9),
            Self::Days => Word::from_float(a.as_int() as f64 / 8.64e10),
            _ => self.apply_to_text_or_time(a),
        }
    }

    fn apply_to_text_or_time(self, a: Word) -> Option<Word> {
        match self {
            Self::StringOf(ty) => Some(conversion::string_of(ty, a)),
            Self::NameOf => conversion::name_of(a),
            Self::IntOfText => conversion::int_of_text(a),
            Self::FloatOfText => conversion::float_of_text(a),
            Self::Len => int(text::len(a)),
            Self::Lower => Some(text::lower(a)),
            Self::Upper => Some(text::upper(a)),
            Self::Trim => Some(text::trim(a)),
            Self::Year => int(calendar::date(a.as_int()).year),
            Self::Month => int(calendar::date(a.as_int()).month),
            Self::Day => int(calendar::date(a.as_int()).day),
            Self::Weekday => int(calendar::weekday(a.as_int())),
            Self::Hour => int(calendar::hour(a.as_int())),
            Self::Minute => int(calendar::minute(a.as_int())),
            Self::Date => Some(text::word(&calendar::date(a.as_int()).to_string())),
            Self::Clock => Some(text::word(&wording::clock(a.as_int()))),
            Self::Human => Some(text::word(&wording::human(a.as_int()))),
            _ => None,
        }
    }

    /// The result with two operands.
    #[inline]
    pub fn apply_two(self, a: Word, b: Word) -> Option<Word> {
        match self {
            Self::Equal => bool(a == b),
            Self::NotEqual => bool(a != b),
            Self::Less => bool(a.as_int() < b.as_int()),
            Self::LessEqual => bool(a.as_int() <= b.as_int()),
            Self::Greater => bool(a.as_int() > b.as_int()),
            Self::GreaterEqual => bool(a.as_int() >= b.as_int()),
            Self::AddInt => a.as_int().checked_add(b.as_int()).map(Word::from_int),
            Self::SubInt => a.as_int().checked_sub(b.as_int()).map(Word::from_int),
            Self::MulInt => a.as_int().checked_mul(b.as_int()).map(Word::from_int),
            Self::AddFloat => Word::from_float(a.as_float() + b.as_float()),
            Self::SubFloat => Word::from_float(a.as_float() - b.as_float()),
            Self::MulFloat => Word::from_float(a.as_float() * b.as_float()),
            Self::DivFloat => Word::from_float(a.as_float() / b.as_float()),
            Self::Min => int(a.as_int().min(b.as_int())),
            Self::Max => int(a.as_int().max(b.as_int())),
            Self::AddTime => a.as_int().checked_add(b.as_int()).and_then(time),
            Self::SubTime => a.as_int().checked_sub(b.as_int()).and_then(time),
            _ => self.apply_rare_two(a, b),
        }
    }

    fn apply_rare_two(self, a: Word, b: Word) -> Option<Word> {
        match self {
            Self::LessText => bool(a.as_symbol() < b.as_symbol()),
            Self::LessEqualText => bool(a.as_symbol() <= b.as_symbol()),
            Self::GreaterText => bool(a.as_symbol() > b.as_symbol()),
            Self::GreaterEqualText => bool(a.as_symbol() >= b.as_symbol()),
            Self::DivInt => a.as_int().checked_div(b.as_int()).map(Word::from_int),
            Self::RemInt => num::remainder(a.as_int(), b.as_int()).map(Word::from_int),
            Self::PowInt => num::power(a.as_int(), b.as_int()).map(Word::from_int),
            Self::RemFloat => Word::from_float(a.as_float() % b.as_float()),
            Self::PowFloat => Word::from_float(a.as_float().powf(b.as_float())),
            Self::DivDuration => Word::from_float(a.as_int() as f64 / b.as_int() as f64),
            Self::MinText => Some(Word::from_symbol(a.as_symbol().min(b.as_symbol()))),
            Self::MaxText => Some(Word::from_symbol(a.as_symbol().max(b.as_symbol()))),
            Self::Among => bool(a == b),
            Self::In => bool(list::elements(b.as_symbol()).iter().any(|element| element.word() == a)),
            Self::Contains => bool(text::of(a).contains(text::of(b))),
            Self::StartsWith => bool(text::of(a).starts_with(text::of(b))),
            Self::EndsWith => bool(text::of(a).ends_with(text::of(b))),
            Self::Concat => text::concat(&[a, b]),
            Self::Jaccard => Word::from_float(text::jaccard(text::of(a), text::of(b))),
            Self::Truncate => calendar::truncate(a.as_int(), b.as_int()).and_then(time),
            Self::ScaleDuration => num::scaled(a.as_int(), b.as_float()).map(Word::from_int),
            Self::ScaleByDuration => num::scaled(b.as_int(), a.as_float()).map(Word::from_int),
            Self::ShareDuration => num::share(a.as_int(), b.as_int()).map(Word::from_int),
            Self::RoundTo => decimal::round(a.as_float(), b.as_int()).and_then(Word::from_float),
            Self::Matches => bool(pattern::of_value(b.as_symbol())?.is_match(text::of(a))),
            Self::Fixed => {
                let digits = usize::try_from(b.as_int().clamp(0, decimal::MOST_DIGITS)).ok()?;
                Some(text::word(&decimal::fixed(a.as_float(), digits)))
            }
            _ => self.apply_in_zone(a, b),
        }
    }

    /// What the calendar of a zone says of a time.
    fn apply_in_zone(self, a: Word, b: Word) -> Option<Word> {
        if self == Self::TruncateTo {
            return Local::utc(a.as_int())?.truncate(text::of(b)).and_then(time);
        }
        let local = |part: fn(&Local) -> i64| int(part(&Local::new(a.as_int(), b.as_symbol())?));
        match self {
            Self::YearIn => local(Local::year),
            Self::MonthIn => local(Local::month),
            Self::DayIn => local(Local::day),
            Self::WeekdayIn => local(Local::weekday),
            Self::HourIn => local(Local::hour),
            Self::MinuteIn => local(Local::minute),
            Self::DateIn => Some(text::word(&Local::new(a.as_int(), b.as_symbol())?.date().to_string())),
            _ => None,
        }
    }

    fn apply_more(self, args: &[Word]) -> Option<Word> {
        match (self, args) {
            (Self::Among, [x, elements @ ..]) => bool(elements.contains(x)),
            (Self::Clamp, [x, low, high]) => int(x.as_int().max(low.as_int()).min(high.as_int())),
            (Self::ClampText, [x, low, high]) => {
                let symbol = x.as_symbol().max(low.as_symbol()).min(high.as_symbol());
                Some(Word::from_symbol(symbol))
            }
            (Self::Replace, [text, from, to]) => text::replace(*text, *from, *to),
            (Self::Substring, [text, start, len]) => text::substring(*text, start.as_int(), len.as_int()),
            (Self::Concat, args) if args.len() > 2 => text::concat(args),
            (Self::ReplaceAll, [text, pattern, replacement]) => pattern::of_value(pattern.as_symbol())?
                .replace_all(text::of(*text), text::of(*replacement), text::LONGEST)
                .map(|text| text::word(&text)),
            (Self::TruncateToIn, [at, unit, zone]) => {
                Local::new(at.as_int(), zone.as_symbol())?.truncate(text::of(*unit)).and_then(time)
            }
            (Self::Plural, [count, one, many]) => {
                let word = if count.as_int().unsigned_abs() == 1 { one } else { many };
                Some(text::word(&format!("{} {}", count.as_int(), text::of(*word))))
            }
            _ => None,
        }
    }

    /// Whether there are arguments for which the operation is undefined.
    pub fn may_fail(self) -> bool {
        matches!(
            self,
            Self::AddInt
                | Self::SubInt
                | Self::AddTime
                | Self::SubTime
                | Self::MulInt
                | Self::DivInt
                | Self::RemInt
                | Self::NegInt
                | Self::AbsInt
                | Self::PowInt
                | Self::AddFloat
                | Self::SubFloat
                | Self::MulFloat
                | Self::DivFloat
                | Self::RemFloat
                | Self::PowFloat
                | Self::Sqrt
                | Self::Ln
                | Self::Exp
                | Self::DivDuration
                | Self::ScaleDuration
                | Self::ScaleByDuration
                | Self::ShareDuration
                | Self::RoundTo
                | Self::FloatOfText
                | Self::IntOfText
                | Self::IntOfFloat
                | Self::Round
                | Self::Floor
                | Self::Ceil
                | Self::NameOf
                | Self::Replace
                | Self::Concat
                | Self::Substring
                | Self::Matches
                | Self::ReplaceAll
                | Self::YearIn
                | Self::MonthIn
                | Self::DayIn
                | Self::WeekdayIn
                | Self::HourIn
                | Self::MinuteIn
                | Self::DateIn
                | Self::Truncate
                | Self::TruncateTo
                | Self::TruncateToIn
        )
    }

    /// The place of the operand that names a time zone.
    pub fn zone(self) -> Option<usize> {
        match self {
            Self::YearIn | Self::MonthIn | Self::DayIn | Self::DateIn => Some(1),
            Self::WeekdayIn | Self::HourIn | Self::MinuteIn => Some(1),
            Self::TruncateToIn => Some(2),
            _ => None,
        }
    }

    /// Whether it is written as an operator between (or before) its operands.
    pub fn is_operator(self) -> bool {
        !self.name().starts_with(|c: char| c.is_ascii_alphabetic()) || self == Self::Not
    }
}
