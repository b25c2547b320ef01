//! Typed values and the machine words that engines compute with.

use std::cmp::Ordering;
use std::fmt;

use crate::fault::OrBroken;
use crate::list;
use crate::literal;
use crate::symbol::Symbol;

/// The type of a column, as a user writes it (a closed set of names is a `Name` with more known of it).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// `true` or `false`; `false < true`.
    Bool,
    /// A 64-bit signed integer.
    Int,
    /// An IEEE 754 binary64 that is neither NaN nor infinite nor `-0.0`.
    Float,
    /// UTF-8 text, ordered by Unicode scalar values.
    String,
    /// A name such as `/error/syntax`, kept with its slash, ordered like a string.
    Name,
    /// Microseconds since the epoch, UTC.
    Time,
    /// Microseconds, signed.
    Duration,
    /// A list of values of a scalar type; only parameters have it.
    List(&'static Type),
}

impl Type {
    /// The word for the type in a declaration.
    pub fn keyword(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Float => "float",
            Self::String => "string",
            Self::Name => "name",
            Self::Time => "time",
            Self::Duration => "duration",
            Self::List(Self::Bool) => "[bool]",
            Self::List(Self::Int) => "[int]",
            Self::List(Self::Float) => "[float]",
            Self::List(Self::String) => "[string]",
            Self::List(Self::Name) => "[name]",
            Self::List(Self::Time) => "[time]",
            Self::List(Self::Duration) => "[duration]",
            Self::List(Self::List(_)) => "[[]]",
        }
    }

    /// The type that a word of a declaration means.
    pub fn of_keyword(word: &str) -> Option<Self> {
        let all = [Self::Bool, Self::Int, Self::Float, Self::String, Self::Name, Self::Time, Self::Duration];
        all.into_iter().find(|ty| ty.keyword() == word)
    }

    /// Whether values of the type are interned texts (their words have no order of their own).
    pub fn is_text(self) -> bool {
        matches!(self, Self::String | Self::Name | Self::List(_))
    }

    /// Compares two words of this type by value: texts by their Unicode scalar values, all others as `i64`.
    pub fn compare(self, left: Word, right: Word) -> Ordering {
        if self.is_text() {
            Symbol::from_word(left.0).cmp(&Symbol::from_word(right.0))
        } else {
            (left.0 as i64).cmp(&(right.0 as i64))
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.keyword())
    }
}

/// A value as engines hold it: equal words are equal values of a type, and for every type but the texts the
/// order of the words as `i64` is the order of the values. What type a word has is known from its column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[repr(transparent)]
pub struct Word(pub u64);

impl Word {
    /// The word of a bool.
    pub fn from_bool(value: bool) -> Self {
        Self(u64::from(value))
    }

    /// The bool of a word.
    pub fn as_bool(self) -> bool {
        self.0 != 0
    }

    /// The word of an int, a time or a duration.
    pub fn from_int(value: i64) -> Self {
        Self(value as u64)
    }

    /// The int, time or duration of a word.
    pub fn as_int(self) -> i64 {
        self.0 as i64
    }

    /// The word of a finite float; `-0.0` becomes `0.0`. `None` for NaN and the infinities.
    pub fn from_float(value: f64) -> Option<Self> {
        value.is_finite().then(|| {
            let bits = (value + 0.0).to_bits() as i64;
            Self((bits ^ (((bits >> 63) as u64) >> 1) as i64) as u64)
        })
    }

    /// The float of a word.
    pub fn as_float(self) -> f64 {
        let bits = self.0 as i64;
        f64::from_bits((bits ^ (((bits >> 63) as u64) >> 1) as i64) as u64)
    }

    /// The word of a text.
    pub fn from_symbol(symbol: Symbol) -> Self {
        Self(symbol.word())
    }

    /// The text of a word.
    pub fn as_symbol(self) -> Symbol {
        Symbol::from_word(self.0)
    }
}

/// A finite float with the equality and order of its value.
#[derive(Clone, Copy, Debug)]
pub struct Float(f64);

impl Float {
    /// `0.0`.
    pub const ZERO: Self = Self(0.0);

    /// A finite float; `-0.0` becomes `0.0`. `None` for NaN and the infinities.
    pub fn new(value: f64) -> Option<Self> {
        value.is_finite().then_some(Self(value + 0.0))
    }

    /// The float.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl PartialEq for Float {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}

impl Eq for Float {}

impl std::hash::Hash for Float {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

impl Ord for Float {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Float {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A value with its type, as the edges of the program handle it. `Display` writes the literal that a rule file
/// would hold; [`Value::text`] writes what the function `string` gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A finite float.
    Float(Float),
    /// A text.
    String(Symbol),
    /// A name, with its slash.
    Name(Symbol),
    /// Microseconds since the epoch.
    Time(i64),
    /// Microseconds.
    Duration(i64),
    /// A list, by its text; [`crate::list`] makes it and knows its elements.
    List(Symbol),
}

impl Value {
    /// The value of `word` read as a `ty`.
    pub fn from_word(ty: Type, word: Word) -> Self {
        match ty {
            Type::Bool => Self::Bool(word.as_bool()),
            Type::Int => Self::Int(word.as_int()),
            Type::Float => Self::Float(Float(word.as_float())),
            Type::String => Self::String(word.as_symbol()),
            Type::Name => Self::Name(word.as_symbol()),
            Type::Time => Self::Time(word.as_int()),
            Type::Duration => Self::Duration(word.as_int()),
            Type::List(_) => Self::List(word.as_symbol()),
        }
    }

    /// The word of this value.
    pub fn word(self) -> Word {
        match self {
            Self::Bool(value) => Word::from_bool(value),
            Self::Int(value) | Self::Time(value) | Self::Duration(value) => Word::from_int(value),
            Self::Float(value) => Word::from_float(value.0).or_broken("a float value is a number"),
            Self::String(symbol) | Self::Name(symbol) | Self::List(symbol) => Word::from_symbol(symbol),
        }
    }

    /// The type of this value; an empty list counts as one of strings.
    pub fn ty(self) -> Type {
        match self {
            Self::Bool(_) => Type::Bool,
            Self::Int(_) => Type::Int,
            Self::Float(_) => Type::Float,
            Self::String(_) => Type::String,
            Self::Name(_) => Type::Name,
            Self::Time(_) => Type::Time,
            Self::Duration(_) => Type::Duration,
            Self::List(text) => list::elements(text).first().map_or(Type::String, |first| first.ty()).list(),
        }
    }

    /// What the function `string` gives: a string as it is, everything else as its literal.
    pub fn text(self) -> String {
        match self {
            Self::String(symbol) => symbol.as_str().to_owned(),
            Self::Time(micros) => literal::time_text(micros),
            other => other.to_string(),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => write!(f, "{value}"),
            Self::Int(value) => write!(f, "{value}"),
            Self::Float(value) => f.write_str(&literal::float_text(value.0)),
            Self::String(symbol) => f.write_str(&literal::quoted(symbol.as_str())),
            Self::Name(symbol) | Self::List(symbol) => f.write_str(symbol.as_str()),
            Self::Time(micros) => write!(f, "@{}", literal::time_text(*micros)),
            Self::Duration(micros) => f.write_str(&literal::duration_text(*micros)),
        }
    }
}
