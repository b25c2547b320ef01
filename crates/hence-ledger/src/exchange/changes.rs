//! The changes of a line, one by one: written from the records of a transaction, read into encoded tuples.

use std::fmt;

use serde::de::{Error as _, SeqAccess, Visitor};
use serde::ser::{Error as _, SerializeMap as _, SerializeSeq as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value as Json;

use hence_core::symbol::Symbol;

use crate::content::{Act, Change, each_change};
use crate::list::{ReadAct, ReadChanges};
use crate::tuple::{self, Raw};

/// The changes of a transaction, by the contents of its records.
pub(super) struct Recorded<'w>(pub(super) &'w [Vec<u8>]);

impl Serialize for Recorded<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        let mut written = Ok(());
        let mut each = |change: Change<'_>| {
            if written.is_ok() {
                written = list.serialize_element(&Entry(&change));
            }
        };
        each_change(self.0, &mut each).map_err(S::Error::custom)?;
        written?;
        list.end()
    }
}

/// One change: the relation, the values, and what belongs to the kind of change.
struct Entry<'c>(&'c Change<'c>);

impl Serialize for Entry<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Change { relation, tuple, act } = self.0;
        let (relation, values) = (relation.as_str(), Values(tuple));
        let mut map = serializer.serialize_map(Some(1))?;
        match act {
            Act::Assert => map.serialize_entry("assert", &(relation, values)),
            Act::Retract { since } => map.serialize_entry("retract", &(relation, values, since)),
            Act::Draw { rule, sentence } => map.serialize_entry("draw", &(relation, values, rule, sentence)),
            Act::Lapse { since, reason: None } => map.serialize_entry("lapse", &(relation, values, since)),
            Act::Lapse { since, reason } => map.serialize_entry("lapse", &(relation, values, since, reason)),
        }?;
        map.end()
    }
}

/// The values of an encoded tuple.
struct Values<'t>(&'t [u8]);

impl Serialize for Values<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (mut list, mut written) = (serializer.serialize_seq(None)?, Ok(()));
        let decoded = tuple::each(self.0, |value| {
            if written.is_ok() {
                written = list.serialize_element(&value);
            }
        });
        decoded.map_err(S::Error::custom)?;
        written?;
        list.end()
    }
}

/// The same as it is read.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum ReadEntry {
    Assert(String, Vec<Json>),
    Retract(String, Vec<Json>, u64),
    Draw(String, Vec<Json>, Option<String>, Option<String>),
    Lapse(String, Vec<Json>, u64, #[serde(default)] Option<String>),
}

impl<'de> Deserialize<'de> for ReadChanges {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Changes)
    }
}

struct Changes;

impl<'de> Visitor<'de> for Changes {
    type Value = ReadChanges;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of changes")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<ReadChanges, A::Error> {
        let mut changes = ReadChanges::default();
        while let Some(entry) = list.next_element::<ReadEntry>()? {
            let (relation, values, act) = match entry {
                ReadEntry::Assert(relation, values) => (relation, values, ReadAct::Assert),
                ReadEntry::Retract(relation, values, since) => (relation, values, ReadAct::Retract(since)),
                ReadEntry::Draw(relation, values, rule, sentence) => {
                    (relation, values, ReadAct::Draw(rule, sentence))
                }
                ReadEntry::Lapse(relation, values, since, reason) => {
                    (relation, values, ReadAct::Lapse(since, reason))
                }
            };
            let read: Option<Vec<Raw<'_>>> = values.iter().map(Raw::read).collect();
            let wrong = || A::Error::custom("a value does not have the form of an export");
            let read = read.ok_or_else(wrong)?;
            changes.push(Symbol::new(&relation), act, |out| read.iter().for_each(|value| value.encode(out)));
        }
        Ok(changes)
    }
}
