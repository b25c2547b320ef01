//! The order-keeping encoding of the values of a fact: encoded tuples compare byte by byte as the tuples do.

use std::borrow::Cow;

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use serde_json::Value as Json;
use smallvec::SmallVec;

use hence_core::fault::broken;
use hence_core::json;
use hence_core::symbol::Symbol;
use hence_core::value::{Float, Type, Value, Word};

use super::bytes::{Malformed, Reader, after};

/// A tag a type, in the order of [`Value`]; 0 stands for the end of a tuple and is never a tag.
const BOOL: u8 = 1;
const INT: u8 = 2;
const FLOAT: u8 = 3;
const STRING: u8 = 4;
const NAME: u8 = 5;
const TIME: u8 = 6;
const DURATION: u8 = 7;

const NO_TEXT: Malformed = Malformed("a string is not UTF-8");

/// A value as it lies in a tuple, its text not interned.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Raw<'a> {
    Bool(bool),
    Int(i64),
    Float(Float),
    String(Cow<'a, str>),
    Name(Cow<'a, str>),
    Time(i64),
    Duration(i64),
}

impl<'a> Raw<'a> {
    fn of(value: Value) -> Self {
        match value {
            Value::Bool(value) => Self::Bool(value),
            Value::Int(value) => Self::Int(value),
            Value::Float(value) => Self::Float(value),
            Value::String(text) => Self::String(Cow::Borrowed(text.as_str())),
            Value::Name(text) => Self::Name(Cow::Borrowed(text.as_str())),
            Value::Time(value) => Self::Time(value),
            Value::Duration(value) => Self::Duration(value),
            Value::List(_) => broken("a column of a relation holds no list"),
        }
    }

    fn value(self) -> Value {
        match self {
            Self::Bool(value) => Value::Bool(value),
            Self::Int(value) => Value::Int(value),
            Self::Float(value) => Value::Float(value),
            Self::String(text) => Value::String(Symbol::new(&text)),
            Self::Name(text) => Value::Name(Symbol::new(&text)),
            Self::Time(value) => Value::Time(value),
            Self::Duration(value) => Value::Duration(value),
        }
    }

    /// Appends its encoding to `out`.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Self::Bool(value) => out.extend([BOOL, u8::from(*value)]),
            Self::Int(value) => put_int(out, INT, *value),
            Self::Float(value) => {
                out.push(FLOAT);
                out.extend((Value::Float(*value).word().0 ^ (1 << 63)).to_be_bytes());
            }
            Self::String(text) => put_text(out, STRING, text),
            Self::Name(text) => put_text(out, NAME, text),
            Self::Time(value) => put_int(out, TIME, *value),
            Self::Duration(value) => put_int(out, DURATION, *value),
        }
    }

    /// The value that an export holds, as `hence_core::json::typed` writes it; `None` for anything else.
    pub(crate) fn read(json: &'a Json) -> Option<Self> {
        let Json::String(text) = json else { return json::read_typed(json).map(Self::of) };
        Some(Self::String(Cow::Borrowed(text)))
    }
}

impl Serialize for Raw<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Int(value) => serializer.serialize_i64(*value),
            Self::String(text) => serializer.serialize_str(text),
            Self::Float(value) => named(serializer, "float", &value.get().to_string()),
            Self::Name(text) => named(serializer, "name", text),
            Self::Time(micros) => named(serializer, "time", micros),
            Self::Duration(micros) => named(serializer, "duration", micros),
        }
    }
}

/// An object of one member, as an export names types that JSON hasn't.
fn named<S: Serializer>(serializer: S, name: &str, value: &impl Serialize) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(1))?;
    map.serialize_entry(name, value)?;
    map.end()
}

/// Hands the values that [`encode`] wrote to `each`.
pub(crate) fn each<'a>(bytes: &'a [u8], mut each: impl FnMut(Raw<'a>)) -> Result<(), Malformed> {
    let mut reader = Reader::new(bytes);
    while !reader.is_empty() {
        each(raw(&mut reader)?);
    }
    Ok(())
}

/// The values that [`encode`] wrote with every string as the empty one: enough to tell whether they fit columns, without
/// interning what may be much.
pub(crate) fn shape(bytes: &[u8]) -> Result<Vec<Value>, Malformed> {
    let mut values = Vec::new();
    each(bytes, |value| match value {
        Raw::String(_) => values.push(Value::String(Symbol::new(""))),
        other => values.push(other.value()),
    })?;
    Ok(values)
}

/// Appends the encoding of `values` to `out`.
pub(crate) fn encode(values: &[Value], out: &mut Vec<u8>) {
    values.iter().for_each(|value| Raw::of(*value).encode(out));
}

/// A byte that holds the sign and how many bytes follow, then the magnitude without leading zeros, its bits
/// inverted below zero.
fn put_int(out: &mut Vec<u8>, tag: u8, value: i64) {
    let magnitude = value.unsigned_abs();
    let leading = (magnitude.leading_zeros() / 8) as usize;
    let len = (8 - leading) as u8;
    out.extend([tag, if value < 0 { 0x80 - len } else { 0x80 + len }]);
    let bytes = if value < 0 { !magnitude } else { magnitude }.to_be_bytes();
    out.extend_from_slice(after(&bytes, leading));
}

/// The text ended by a zero byte; a zero byte of its own is followed by 0xff.
fn put_text(out: &mut Vec<u8>, tag: u8, text: &str) {
    out.push(tag);
    for (at, part) in text.as_bytes().split(|byte| *byte == 0).enumerate() {
        if at > 0 {
            out.extend([0, 0xff]);
        }
        out.extend_from_slice(part);
    }
    out.push(0);
}

/// The values that [`encode`] wrote.
pub(crate) fn decode(bytes: &[u8]) -> Result<Vec<Value>, Malformed> {
    let mut reader = Reader::new(bytes);
    let mut values = SmallVec::<[Value; 16]>::new();
    while !reader.is_empty() {
        values.push(value(&mut reader)?);
    }
    Ok(values.into_vec())
}

/// The text that a column held last, by its encoding: rows ascend, so columns to the left often repeat.
#[derive(Debug, Default)]
pub(crate) struct LastText {
    encoded: Vec<u8>,
    word: Word,
}

/// Appends to `out` the words of what [`encode`] wrote, which may hold fewer values than there are `types`; `false`
/// where they are of others, or more. `last` has a place for each column.
pub(crate) fn words(
    bytes: &[u8],
    types: &[Type],
    last: &mut [LastText],
    out: &mut Vec<Word>,
) -> Result<bool, Malformed> {
    let mut reader = Reader::new(bytes);
    for (ty, last) in types.iter().zip(last) {
        if reader.is_empty() {
            return Ok(true);
        }
        let found = if ty.is_text() { text_word(&mut reader, *ty, last)? } else { word(&mut reader, *ty)? };
        match found {
            Some(word) => out.push(word),
            None => return Ok(false),
        }
    }
    Ok(reader.is_empty())
}

fn word(reader: &mut Reader<'_>, ty: Type) -> Result<Option<Word>, Malformed> {
    let found = if reader.is_empty() { None } else { Some(value(reader)?) };
    Ok(found.filter(|found| found.ty() == ty).map(Value::word))
}

fn text_word(reader: &mut Reader<'_>, ty: Type, last: &mut LastText) -> Result<Option<Word>, Malformed> {
    let rest = reader.rest();
    if !last.encoded.is_empty() && rest.starts_with(&last.encoded) {
        let after = after(rest, last.encoded.len());
        // A zero byte that 0xff follows doesn't end a text.
        if after.first() != Some(&0xff) {
            *reader = Reader::new(after);
            return Ok(Some(last.word));
        }
    }
    let Some(found) = word(reader, ty)? else { return Ok(None) };
    last.encoded.clear();
    let (taken, _) = rest.split_at(rest.len() - reader.rest().len());
    last.encoded.extend_from_slice(taken);
    last.word = found;
    Ok(Some(found))
}

fn value(reader: &mut Reader<'_>) -> Result<Value, Malformed> {
    raw(reader).map(Raw::value)
}

fn raw<'a>(reader: &mut Reader<'a>) -> Result<Raw<'a>, Malformed> {
    match reader.byte()? {
        BOOL => match reader.byte()? {
            0 => Ok(Raw::Bool(false)),
            1 => Ok(Raw::Bool(true)),
            _ => Err(Malformed("a bool is neither 0 nor 1")),
        },
        INT => int(reader).map(Raw::Int),
        FLOAT => float(reader),
        STRING => text(reader).map(Raw::String),
        NAME => text(reader).map(Raw::Name),
        TIME => int(reader).map(Raw::Time),
        DURATION => int(reader).map(Raw::Duration),
        _ => Err(Malformed("a value has an unknown type")),
    }
}

fn int(reader: &mut Reader<'_>) -> Result<i64, Malformed> {
    let wrong = Malformed("an integer does not fit in 64 bits");
    let head = reader.byte()?;
    let negative = head < 0x80;
    let len = head.abs_diff(0x80);
    if len > 8 {
        return Err(wrong);
    }
    let mask = if negative { 0xff } else { 0 };
    let magnitude =
        reader.take(usize::from(len))?.iter().fold(0u64, |word, byte| word << 8 | u64::from(byte ^ mask));
    if negative {
        0i64.checked_sub_unsigned(magnitude).ok_or(wrong)
    } else {
        i64::try_from(magnitude).map_err(|_| wrong)
    }
}

fn float<'a>(reader: &mut Reader<'a>) -> Result<Raw<'a>, Malformed> {
    let word = Word(u64::from_be_bytes(reader.array()?) ^ (1 << 63));
    Float::new(word.as_float()).map(Raw::Float).ok_or(Malformed("a float is not finite"))
}

fn text<'a>(reader: &mut Reader<'a>) -> Result<Cow<'a, str>, Malformed> {
    let first = part(reader)?;
    if !next_is_escape(reader) {
        return std::str::from_utf8(first).map(Cow::Borrowed).map_err(|_| NO_TEXT);
    }
    let mut bytes = first.to_vec();
    while next_is_escape(reader) {
        reader.byte()?;
        bytes.push(0);
        bytes.extend_from_slice(part(reader)?);
    }
    String::from_utf8(bytes).map(Cow::Owned).map_err(|_| NO_TEXT)
}

/// The bytes up to the next zero byte, which is skipped.
fn part<'a>(reader: &mut Reader<'a>) -> Result<&'a [u8], Malformed> {
    let len = reader.rest().iter().position(|byte| *byte == 0);
    let part = reader.take(len.ok_or(Malformed("unexpected end of data"))?)?;
    reader.byte()?;
    Ok(part)
}

/// Whether the zero byte just read belongs to the text: no tag is 0xff.
fn next_is_escape(reader: &Reader<'_>) -> bool {
    reader.rest().first() == Some(&0xff)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_value() -> impl Strategy<Value = Value> {
        let text = prop_oneof!["[\\x00a\u{e9}\u{10ffff}]{0,4}", ".{0,8}"];
        prop_oneof![
            any::<bool>().prop_map(Value::Bool),
            prop_oneof![any::<i64>(), -300i64..300, Just(i64::MIN), Just(i64::MAX)].prop_map(Value::Int),
            any::<f64>().prop_filter_map("finite", Float::new).prop_map(Value::Float),
            text.prop_map(|text| Value::String(Symbol::new(&text))),
            "/[a-z]{1,3}".prop_map(|text| Value::Name(Symbol::new(&text))),
            any::<i64>().prop_map(Value::Time),
            any::<i64>().prop_map(Value::Duration),
        ]
    }

    proptest! {
        #[test]
        fn tuples_come_back_and_keep_their_order(
            a in prop::collection::vec(any_value(), 0..4),
            b in prop::collection::vec(any_value(), 0..4),
        ) {
            let (mut x, mut y) = (Vec::new(), Vec::new());
            encode(&a, &mut x);
            encode(&b, &mut y);
            prop_assert_eq!(decode(&x).unwrap(), a.clone());
            prop_assert_eq!(x.cmp(&y), a.cmp(&b));
            let types: Vec<Type> = a.iter().map(|value| value.ty()).collect();
            let (mut last, mut found) = ([(); 4].map(|()| LastText::default()), Vec::new());
            for tuple in [&x, &x, &y] {
                let before = found.len();
                let fits = words(tuple, &types, &mut last, &mut found).unwrap();
                if !fits || found.len() - before < types.len() {
                    found.truncate(before);
                }
            }
            let of = |values: &[Value]| values.iter().map(|value| value.word()).collect::<Vec<_>>();
            let also = types.iter().copied().eq(b.iter().map(|value| value.ty()));
            prop_assert_eq!(found, [of(&a), of(&a), if also { of(&b) } else { Vec::new() }].concat());
        }

        #[test]
        fn any_bytes_decode_or_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let _ = decode(&bytes);
        }
    }
}
