//! What the records of a transaction hold: a summary, and the facts and decisions that come and go.

use std::sync::Arc;

use hence_core::fact::Fact;
use hence_core::fault::OrBroken;
use hence_core::schema::{Column, ColumnType, NameSet};
use hence_core::symbol::Symbol;
use hence_core::value::Type;

use super::bytes::{Malformed, Reader, after, put_bytes, put_optional, put_varint, shared_prefix};
use super::hash::{Digest, Hash};
use super::principals::Ed25519Signature;
use super::record;
use super::said::{self, Said};
use super::step::{self, EffectRound};
use super::transaction::{RecordedRules, Run, RunLimits, Schema};
use super::tuple;

/// The flag of a summary that holds a [`Run`].
const RUN: u8 = 4;
/// The flag of a summary that holds [`Schema`]s.
const SCHEMAS: u8 = 8;
/// The flag of a summary whose run used time zones.
const ZONES: u8 = 16;
/// The flag of a summary that holds [`EffectRound`]s.
const STEPS: u8 = 32;
/// The flag of a summary that says whose words the facts are, and holds a [`Ed25519Signature`].
const SIGNED: u8 = 64;
/// What replaces the drawing transaction of a lapse whose reason follows; transactions count from 1.
const REASON: u64 = 0;

/// What happens to a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act<'a> {
    /// A fact is asserted.
    Assert,
    /// A fact goes that was asserted by this transaction.
    Retract { since: u64 },
    /// A decision is drawn.
    Draw { rule: Option<&'a str>, sentence: Option<&'a str> },
    /// A decision goes that was drawn by this transaction, with why, where that isn't that it follows no longer.
    Lapse { since: u64, reason: Option<&'a str> },
}

/// One change of a transaction; the tuple is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Change<'a> {
    pub(crate) relation: Symbol,
    pub(crate) tuple: &'a [u8],
    pub(crate) act: Act<'a>,
}

impl Change<'_> {
    pub(crate) fn code(&self) -> u64 {
        match self.act {
            Act::Assert => 0,
            Act::Retract { .. } => 1,
            Act::Draw { .. } => 2,
            Act::Lapse { .. } => 3,
        }
    }

    /// The fact.
    pub(crate) fn fact(&self) -> Result<Fact, Malformed> {
        Ok(Fact { relation: self.relation, values: tuple::decode(self.tuple)? })
    }

    /// Whether a fact goes.
    pub(crate) fn retracts(&self) -> bool {
        matches!(self.act, Act::Retract { .. })
    }

    /// Makes the change to the digest of the current facts and decisions; `scratch` is room to hash in.
    pub(crate) fn enter(&self, digest: &mut Digest, scratch: &mut Vec<u8>) {
        let kind = u8::from(matches!(self.act, Act::Draw { .. } | Act::Lapse { .. }));
        let member = member(kind, self.relation.as_str(), self.tuple, scratch);
        match self.act {
            Act::Assert | Act::Draw { .. } => digest.add(member),
            Act::Retract { .. } | Act::Lapse { .. } => digest.remove(member),
        }
    }
}

/// The hash of a current fact (kind 0) or decision (kind 1); `scratch` is room to hash in.
pub(crate) fn member(kind: u8, relation: &str, tuple: &[u8], scratch: &mut Vec<u8>) -> Hash {
    scratch.clear();
    scratch.push(kind);
    scratch.extend_from_slice(relation.as_bytes());
    scratch.push(0);
    scratch.extend_from_slice(tuple);
    Hash::of(scratch)
}

/// What a commit record says of its transaction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Summary {
    pub(crate) time: i64,
    pub(crate) author: String,
    pub(crate) source: String,
    pub(crate) note: Option<String>,
    pub(crate) clock: Option<i64>,
    pub(crate) rules: Option<Hash>,
    /// The encoded rule set, where no transaction before held it.
    pub(crate) rule_text: Option<Vec<u8>>,
    /// How the evaluation ran that drew the decisions.
    pub(crate) run: Option<Run>,
    /// The schemas that facts have from this transaction on.
    pub(crate) schemas: Vec<Schema>,
    /// What effects did; none where the rules have no effects.
    pub(crate) steps: Option<Vec<EffectRound>>,
    /// How many records of the transaction come before this one.
    pub(crate) parts: u64,
    pub(crate) added: u64,
    pub(crate) removed: u64,
    pub(crate) present: u64,
    pub(crate) missing: u64,
    pub(crate) drawn: u64,
    pub(crate) lapsed: u64,
    /// Facts, decisions and digest of the state after it.
    pub(crate) facts: u64,
    pub(crate) decisions: u64,
    pub(crate) digest: Hash,
    /// Facts that others say than the author.
    pub(crate) said: Vec<Said>,
    /// The signature of the author.
    pub(crate) signature: Option<Ed25519Signature>,
}

impl Summary {
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        self.encode_with(self.rule_text.as_deref(), out);
    }

    /// The same with another rule text.
    pub(crate) fn encode_with(&self, rule_text: Option<&[u8]>, out: &mut Vec<u8>) {
        out.extend(self.time.to_le_bytes());
        put_bytes(out, self.author.as_bytes());
        put_bytes(out, self.source.as_bytes());
        put_optional(out, self.note.as_deref());
        out.push(u8::from(self.clock.is_some()));
        out.extend(self.clock.iter().flat_map(|clock| clock.to_le_bytes()));
        let rules = u8::from(self.rules.is_some()) + u8::from(rule_text.is_some());
        out.push(rules | self.sections());
        out.extend(self.rules.iter().flat_map(|hash| hash.0));
        if let Some(text) = rule_text {
            put_bytes(out, text);
        }
        self.run.iter().for_each(|run| run.encode(out));
        if !self.schemas.is_empty() {
            put_varint(out, self.schemas.len() as u64);
            self.schemas.iter().for_each(|schema| schema.encode(out));
        }
        self.steps.iter().for_each(|steps| step::encode(steps, out));
        for count in [self.parts, self.added, self.removed, self.present, self.missing, self.drawn] {
            put_varint(out, count);
        }
        for count in [self.lapsed, self.facts, self.decisions] {
            put_varint(out, count);
        }
        out.extend(self.digest.0);
        if self.sections() & SIGNED > 0 {
            said::encode(&self.said, out);
            out.push(u8::from(self.signature.is_some()));
            out.extend(self.signature.iter().flat_map(|signature| signature.0));
        }
    }

    /// Which of the later sections it has.
    fn sections(&self) -> u8 {
        let mut sections = 0;
        if self.run.is_some() {
            sections |= RUN;
        }
        if !self.schemas.is_empty() {
            sections |= SCHEMAS;
        }
        if self.steps.is_some() {
            sections |= STEPS;
        }
        if self.run.as_ref().is_some_and(|run| run.zones.is_some()) {
            sections |= ZONES;
        }
        if self.signature.is_some() || !self.said.is_empty() {
            sections |= SIGNED;
        }
        sections
    }

    /// The version of a commit record of this summary and these changes.
    pub(crate) fn version<'a>(&self, changes: impl Iterator<Item = Change<'a>>) -> u8 {
        match self.sections() {
            0 => version(changes),
            sections if sections & SIGNED > 0 => record::SIGNED,
            sections if sections & STEPS > 0 => record::STEPPED,
            _ => record::EXTENDED,
        }
    }

    pub(crate) fn decode(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        let time = reader.i64()?;
        let (author, source) = (reader.text()?.to_owned(), reader.text()?.to_owned());
        let note = reader.optional()?.map(str::to_owned);
        let clock = match reader.byte()? {
            0 => None,
            _ => Some(reader.i64()?),
        };
        let sections = reader.byte()?;
        let orphan = sections & (RUN | ZONES) == ZONES;
        if sections > (2 | RUN | SCHEMAS | ZONES | STEPS | SIGNED) || sections & 3 == 3 || orphan {
            return Err(Malformed("the summary has unknown sections"));
        }
        let rule_flag = sections & 3;
        let rules = if rule_flag > 0 { Some(Hash(reader.array()?)) } else { None };
        let rule_text = if rule_flag > 1 { Some(reader.bytes()?.to_vec()) } else { None };
        let zoned = sections & ZONES > 0;
        let run = if sections & RUN > 0 { Some(Run::decode(reader, zoned)?) } else { None };
        let mut schemas = Vec::new();
        if sections & SCHEMAS > 0 {
            for _ in 0..reader.length()? {
                schemas.push(Schema::decode(reader)?);
            }
        }
        let steps = if sections & STEPS > 0 { Some(step::decode(reader)?) } else { None };
        let mut summary = Self {
            time,
            author,
            source,
            note,
            clock,
            rules,
            rule_text,
            run,
            schemas,
            steps,
            parts: reader.varint()?,
            added: reader.varint()?,
            removed: reader.varint()?,
            present: reader.varint()?,
            missing: reader.varint()?,
            drawn: reader.varint()?,
            lapsed: reader.varint()?,
            facts: reader.varint()?,
            decisions: reader.varint()?,
            digest: Hash(reader.array()?),
            said: Vec::new(),
            signature: None,
        };
        if sections & SIGNED > 0 {
            summary.said = said::decode(reader)?;
            summary.signature = if reader.flag()? { Some(Ed25519Signature(reader.array()?)) } else { None };
        }
        Ok(summary)
    }
}

/// The version of a record that holds these changes alone.
pub(crate) fn version<'a>(mut changes: impl Iterator<Item = Change<'a>>) -> u8 {
    let reasons = changes.any(|change| matches!(change.act, Act::Lapse { reason: Some(_), .. }));
    if reasons { record::EXTENDED } else { record::PLAIN }
}

/// Appends `count` changes: the names of their relations, then each change, its tuple without what it shares with the
/// one before.
pub(crate) fn encode_changes<'a>(
    count: usize,
    changes: impl Iterator<Item = Change<'a>> + Clone,
    out: &mut Vec<u8>,
) {
    let mut names: Vec<Symbol> = Vec::new();
    for change in changes.clone() {
        if names.last() != Some(&change.relation) {
            names.push(change.relation);
        }
    }
    names.sort_unstable();
    names.dedup();
    put_varint(out, names.len() as u64);
    names.iter().for_each(|name| put_bytes(out, name.as_str().as_bytes()));
    put_varint(out, count as u64);
    let mut before: &[u8] = &[];
    let (mut last, mut name) = (None, 0);
    for change in changes {
        if last != Some(change.relation) {
            let place = names.binary_search(&change.relation).ok();
            name = place.or_broken("the relation of each change is among the names") as u64;
            last = Some(change.relation);
        }
        put_varint(out, name << 2 | change.code());
        let shared = shared_prefix(before, change.tuple);
        put_varint(out, shared as u64);
        put_bytes(out, after(change.tuple, shared));
        match change.act {
            Act::Assert => {}
            Act::Retract { since } | Act::Lapse { since, reason: None } => put_varint(out, since),
            Act::Lapse { since, reason: Some(reason) } => {
                put_varint(out, REASON);
                put_varint(out, since);
                put_bytes(out, reason.as_bytes());
            }
            Act::Draw { rule, sentence } => {
                put_optional(out, rule);
                put_optional(out, sentence);
            }
        }
        before = change.tuple;
    }
}

/// How many changes [`encode_changes`] wrote.
pub(crate) fn count_changes(content: &[u8]) -> Result<usize, Malformed> {
    let mut reader = Reader::new(content);
    for _ in 0..reader.length()? {
        reader.bytes()?;
    }
    reader.length()
}

/// Hands the changes in the records of a transaction, of which the last begins with its summary, to `each`.
pub(crate) fn each_change(contents: &[Vec<u8>], each: &mut dyn FnMut(Change<'_>)) -> Result<(), Malformed> {
    for (at, content) in contents.iter().enumerate() {
        let mut reader = Reader::new(content);
        if at + 1 == contents.len() {
            Summary::decode(&mut reader)?;
        }
        decode_changes(&mut reader, each)?;
    }
    Ok(())
}

/// Hands the changes that [`encode_changes`] wrote to `each`.
pub(crate) fn decode_changes(
    reader: &mut Reader<'_>,
    each: &mut dyn FnMut(Change<'_>),
) -> Result<(), Malformed> {
    let mut names = Vec::new();
    for _ in 0..reader.length()? {
        names.push(Symbol::new(reader.text()?));
    }
    let mut tuple = Vec::new();
    for _ in 0..reader.length()? {
        let head = reader.varint()?;
        let name = usize::try_from(head >> 2).ok().and_then(|at| names.get(at));
        let relation = *name.ok_or(Malformed("a change of an unknown relation"))?;
        let shared = reader.length()?;
        if shared > tuple.len() {
            return Err(Malformed("a tuple shares more bytes than the one before it has"));
        }
        tuple.truncate(shared);
        tuple.extend_from_slice(reader.bytes()?);
        let act = act(head & 3, reader)?;
        each(Change { relation, tuple: &tuple, act });
    }
    Ok(())
}

fn act<'a>(code: u64, reader: &mut Reader<'a>) -> Result<Act<'a>, Malformed> {
    Ok(match code {
        0 => Act::Assert,
        1 => Act::Retract { since: reader.varint()? },
        2 => Act::Draw { rule: reader.optional()?, sentence: reader.optional()? },
        _ => match reader.varint()? {
            REASON => Act::Lapse { since: reader.varint()?, reason: Some(reader.text()?) },
            since => Act::Lapse { since, reason: None },
        },
    })
}

impl Run {
    fn encode(&self, out: &mut Vec<u8>) {
        put_bytes(out, self.engine.as_bytes());
        out.push(u8::from(self.lenient));
        let RunLimits { facts, iterations, time, memory } = self.limits;
        put_varint(out, facts);
        put_varint(out, iterations);
        for limit in [time, memory] {
            out.push(u8::from(limit.is_some()));
            limit.iter().for_each(|limit| put_varint(out, *limit));
        }
        self.zones.iter().for_each(|zones| put_bytes(out, zones.as_bytes()));
    }

    fn decode(reader: &mut Reader<'_>, zoned: bool) -> Result<Self, Malformed> {
        let engine = reader.text()?.to_owned();
        let lenient = reader.flag()?;
        let (facts, iterations) = (reader.varint()?, reader.varint()?);
        let mut limit = || Ok(if reader.flag()? { Some(reader.varint()?) } else { None });
        let (time, memory) = (limit()?, limit()?);
        let zones = if zoned { Some(reader.text()?.to_owned()) } else { None };
        Ok(Self { engine, lenient, limits: RunLimits { facts, iterations, time, memory }, zones })
    }
}

impl Schema {
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        put_bytes(out, self.relation.as_str().as_bytes());
        out.push(u8::from(self.renews));
        put_varint(out, self.columns.len() as u64);
        for Column { name, ty, default } in &self.columns {
            put_bytes(out, name.as_str().as_bytes());
            put_bytes(out, ty.ty.keyword().as_bytes());
            let members = ty.set.as_ref().map_or(&[][..], |set| &set.members);
            put_varint(out, members.len() as u64);
            members.iter().for_each(|member| put_bytes(out, member.as_str().as_bytes()));
            let mut encoded = Vec::new();
            tuple::encode(default.as_slice(), &mut encoded);
            put_bytes(out, &encoded);
        }
    }

    pub(crate) fn decode(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        let relation = Symbol::new(reader.text()?);
        let renews = reader.flag()?;
        let mut columns = Vec::new();
        for _ in 0..reader.length()? {
            let name = Symbol::new(reader.text()?);
            let ty = Type::of_keyword(reader.text()?).ok_or(Malformed("a column has an unknown type"))?;
            let mut members = Vec::new();
            for _ in 0..reader.length()? {
                members.push(Symbol::new(reader.text()?));
            }
            let set = (!members.is_empty()).then(|| Arc::new(NameSet { name: None, members }));
            let default = match tuple::decode(reader.bytes()?)?.as_slice() {
                [] => None,
                [value] => Some(*value),
                _ => return Err(Malformed("a column has several defaults")),
            };
            columns.push(Column { name, ty: ColumnType { ty, set }, default });
        }
        Ok(Self { relation, columns, renews })
    }
}

impl RecordedRules {
    /// The bytes whose hash identifies this rule set.
    pub(crate) fn encode(&self) -> Vec<u8> {
        encode_rules(self.files(), self.params())
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(bytes);
        if reader.byte()? != 1 {
            return Err(Malformed("unsupported rule set version"));
        }
        let set = Self::new(pairs(&mut reader)?, pairs(&mut reader)?);
        reader.end()?;
        Ok(set)
    }
}

/// The bytes whose hash identifies rules of these files and parameters.
pub(crate) fn encode_rules(files: &[(String, String)], params: &[(String, String)]) -> Vec<u8> {
    let mut out = vec![1];
    for list in [files, params] {
        put_varint(&mut out, list.len() as u64);
        for (name, text) in list {
            put_bytes(&mut out, name.as_bytes());
            put_bytes(&mut out, text.as_bytes());
        }
    }
    out
}

fn pairs(reader: &mut Reader<'_>) -> Result<Vec<(String, String)>, Malformed> {
    let mut list = Vec::new();
    for _ in 0..reader.length()? {
        list.push((reader.text()?.to_owned(), reader.text()?.to_owned()));
    }
    Ok(list)
}
