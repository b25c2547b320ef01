//! The state after the last transaction, and how a transaction changes it and the base.

use std::collections::BTreeMap;

use hence_core::symbol::Symbol;

use super::base::{Base, BaseError, Batch, Pair, VALUE_LIMIT};
use super::bytes::{Malformed, Reader, put_bytes, put_varint};
use super::content::{Act, Change, Summary, decode_changes};
use super::hash::{Digest, Hash};
use super::journal::{End, Mark, Position};
use super::keys;
use super::scan::{From, Whole};
use super::schemas::Schemas;
use super::view::View;

/// Where the base keeps the state that it holds, and the pieces of its table of relations.
const META: &[u8] = b"m";
/// Where the base keeps which transaction's changes it may hold already, beyond the state.
const AHEAD: &[u8] = b"n";
/// The version of the base's format; another one is rebuilt.
const VERSION: u8 = 1;

/// A relation's number in the base and how many current facts and decisions it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) number: u32,
    pub(crate) facts: u64,
    pub(crate) decisions: u64,
}

/// What the ledger knows without looking into the base.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) tx: u64,
    pub(crate) time: i64,
    pub(crate) head: Hash,
    pub(crate) facts: u64,
    pub(crate) decisions: u64,
    pub(crate) digest: Digest,
    /// Where the last transaction begins and ends.
    pub(crate) start: Position,
    pub(crate) end: Position,
    /// By name, so that nothing depends on the numbers.
    pub(crate) relations: BTreeMap<Symbol, Counts>,
    pub(crate) schemas: Schemas,
    /// The first segment after the snapshot that this began with; 0 where it began with nothing.
    pub(crate) snapshot: u32,
}

impl State {
    /// The number of a relation that has ever held something.
    pub(crate) fn number(&self, relation: Symbol) -> Option<u32> {
        self.relations.get(&relation).map(|counts| counts.number)
    }

    /// The transaction after which this is the state.
    pub(crate) fn last(&self) -> End {
        End { tx: self.tx, head: self.head }
    }

    /// Where a scan for later transactions begins.
    pub(crate) fn after(&self) -> From {
        if self.tx == 0 {
            return From::beginning();
        }
        From { mark: Mark { end: self.end, head: self.head }, transaction: self.tx }
    }

    /// Applies a whole transaction as the journal holds it, writing to the base where more than `limit` bytes wait.
    ///
    /// # Errors
    /// The base's own; and inside, where the content isn't what a transaction holds, or doesn't lead to the state that
    /// it records.
    pub(crate) fn apply(
        &mut self,
        whole: &Whole,
        view: &mut View,
        limit: usize,
    ) -> Result<Result<(), Malformed>, BaseError> {
        let Some((commit, parts)) = whole.contents.split_last() else {
            return Ok(Err(Malformed("the transaction has no records")));
        };
        for part in parts {
            if let Err(malformed) = self.apply_changes(Reader::new(part), whole.number, view) {
                return Ok(Err(malformed));
            }
            if view.backlog_bytes() > limit {
                view.flush(whole.last(), Batch::new())?;
            }
        }
        let mut reader = Reader::new(commit);
        let ended = Summary::decode(&mut reader).and_then(|summary| {
            self.apply_changes(reader, whole.number, view)?;
            self.finish(&summary, whole, view)
        });
        if ended.is_ok() && view.backlog_bytes() > limit {
            view.flush(self.last(), self.encode())?;
        }
        Ok(ended)
    }

    fn apply_changes(&mut self, mut reader: Reader<'_>, tx: u64, view: &mut View) -> Result<(), Malformed> {
        let mut fits = Ok(());
        let mut scratch = Vec::new();
        decode_changes(&mut reader, &mut |change| {
            change.enter(&mut self.digest, &mut scratch);
            let changed = self.change(&change, tx, view);
            fits = fits.and(changed);
        })?;
        fits?;
        reader.end()
    }

    /// Applies one change of transaction `tx` to everything but the digest.
    pub(crate) fn change(&mut self, change: &Change<'_>, tx: u64, view: &mut View) -> Result<(), Malformed> {
        let number = self.count(change)?;
        enter(change, number, tx, view);
        Ok(())
    }

    fn open(&mut self, relation: Symbol) -> &mut Counts {
        let number = self.relations.len() as u32;
        self.relations.entry(relation).or_insert(Counts { number, facts: 0, decisions: 0 })
    }

    /// The number of a relation, a new one where it has none yet.
    pub(crate) fn open_relation(&mut self, relation: Symbol) -> u32 {
        self.open(relation).number
    }

    /// Counts what a change adds or removes and returns the number of its relation.
    pub(crate) fn count(&mut self, change: &Change<'_>) -> Result<u32, Malformed> {
        let counts = self.open(change.relation);
        let wrong = Malformed("more facts are removed than exist");
        match change.act {
            Act::Assert => counts.facts += 1,
            Act::Draw { .. } => counts.decisions += 1,
            Act::Retract { .. } => counts.facts = counts.facts.checked_sub(1).ok_or(wrong)?,
            Act::Lapse { .. } => counts.decisions = counts.decisions.checked_sub(1).ok_or(wrong)?,
        }
        let number = counts.number;
        match change.act {
            Act::Assert => self.facts += 1,
            Act::Draw { .. } => self.decisions += 1,
            Act::Retract { .. } => self.facts = self.facts.checked_sub(1).ok_or(wrong)?,
            Act::Lapse { .. } => self.decisions = self.decisions.checked_sub(1).ok_or(wrong)?,
        }
        Ok(number)
    }

    /// Takes note of the transaction whose changes were applied.
    pub(crate) fn finish(
        &mut self,
        summary: &Summary,
        whole: &Whole,
        view: &mut View,
    ) -> Result<(), Malformed> {
        let recorded = (summary.facts, summary.decisions, summary.digest);
        if recorded != (self.facts, self.decisions, self.digest.to_hash()) {
            return Err(Malformed("the facts after it differ from those that it records"));
        }
        self.schemas.enter(whole.number, &summary.schemas);
        self.tx = whole.number;
        self.time = summary.time;
        self.head = whole.hash;
        self.start = whole.start;
        self.end = whole.end;
        if let (Some(hash), Some(text)) = (summary.rules, &summary.rule_text) {
            let stored = view.store_long(text);
            view.put(keys::rules(hash), stored);
        }
        let info = view.store_long(&encode_info(summary, whole));
        view.put(keys::transaction(whole.number), info);
        Ok(())
    }

    /// What the base keeps of this state, to be written with the last of a backlog.
    pub(crate) fn encode(&self) -> Batch {
        let mut meta = vec![VERSION];
        for number in [self.tx, self.facts, self.decisions] {
            put_varint(&mut meta, number);
        }
        meta.extend(self.time.to_le_bytes());
        meta.extend(self.head.0);
        meta.extend(self.digest.to_hash().0);
        put_position(&mut meta, self.start);
        put_position(&mut meta, self.end);
        let mut table = Vec::new();
        put_varint(&mut table, self.relations.len() as u64);
        for (name, counts) in &self.relations {
            put_bytes(&mut table, name.as_str().as_bytes());
            for number in [u64::from(counts.number), counts.facts, counts.decisions] {
                put_varint(&mut table, number);
            }
        }
        self.schemas.encode(&mut table);
        put_varint(&mut meta, table.len() as u64);
        meta.extend(Hash::of(&table).0);
        if self.snapshot > 0 {
            put_varint(&mut meta, u64::from(self.snapshot));
        }
        let check = Hash::of(&meta).0;
        meta.extend(check);
        let mut batch = vec![(META.to_vec(), Some(meta))];
        batch.extend(
            (0..).zip(table.chunks(VALUE_LIMIT)).map(|(at, piece)| (piece_key(at), Some(piece.to_vec()))),
        );
        batch
    }

    /// The state that the base holds; `None` where it holds none.
    pub(crate) fn decode(base: &dyn Base) -> Result<Option<Self>, BaseError> {
        let Some(meta) = base.get(META)? else { return Ok(None) };
        let mut reader = Reader::new(checked(&meta)?);
        if reader.byte()? != VERSION {
            return Err(BaseError::damaged("unsupported version"));
        }
        let (tx, facts, decisions) = (reader.varint()?, reader.varint()?, reader.varint()?);
        let (time, head) = (reader.i64()?, Hash(reader.array()?));
        let digest = Digest::from_hash(Hash(reader.array()?));
        let (start, end) = (position(&mut reader)?, position(&mut reader)?);
        let (len, hash) = (reader.length()?, Hash(reader.array()?));
        let too_large = |_| BaseError::damaged("a number in its state is too large");
        let snapshot =
            if reader.is_empty() { 0 } else { u32::try_from(reader.varint()?).map_err(too_large)? };
        let mut table = Vec::new();
        for at in 0..u32::try_from(len.div_ceil(VALUE_LIMIT)).map_err(too_large)? {
            let missing = || BaseError::damaged("a piece of its relation table is missing");
            table.extend(base.get(&piece_key(at))?.ok_or_else(missing)?);
        }
        table.truncate(len);
        if Hash::of(&table) != hash {
            return Err(BaseError::damaged("the checksum of its relation table does not match"));
        }
        let mut reader = Reader::new(&table);
        let relations = relations(&mut reader)?;
        let schemas = Schemas::decode(&mut reader)?;
        Ok(Some(Self { tx, time, head, facts, decisions, digest, start, end, relations, schemas, snapshot }))
    }
}

/// What the base keeps before changes of transactions up to `last` are written to it: until the state says so too, it
/// goes only with a journal that holds that transaction.
pub(crate) fn ahead(last: End) -> Batch {
    let mut value = last.tx.to_le_bytes().to_vec();
    value.extend(last.head.0);
    let check = Hash::of(&value).0;
    value.extend(check);
    vec![(AHEAD.to_vec(), Some(value))]
}

/// The last transaction of which the base may hold changes; `None` where it never held any.
pub(crate) fn reach(base: &dyn Base) -> Result<Option<End>, BaseError> {
    let Some(value) = base.get(AHEAD)? else { return Ok(None) };
    let mut reader = Reader::new(checked(&value)?);
    let tx = u64::from_le_bytes(reader.array()?);
    Ok(Some(End { tx, head: Hash(reader.array()?) }))
}

/// A value without the checksum at its end.
fn checked(value: &[u8]) -> Result<&[u8], BaseError> {
    let wrong = || BaseError::damaged("the checksum of its state does not match");
    let (body, check) = value.split_last_chunk::<32>().ok_or_else(wrong)?;
    if *check == Hash::of(body).0 { Ok(body) } else { Err(wrong()) }
}

fn piece_key(at: u32) -> Vec<u8> {
    let mut key = META.to_vec();
    key.extend(at.to_be_bytes());
    key
}

fn relations(reader: &mut Reader<'_>) -> Result<BTreeMap<Symbol, Counts>, Malformed> {
    let mut relations = BTreeMap::new();
    for _ in 0..reader.length()? {
        let name = Symbol::new(reader.text()?);
        let number =
            u32::try_from(reader.varint()?).map_err(|_| Malformed("a relation's number is too large"))?;
        relations.insert(name, Counts { number, facts: reader.varint()?, decisions: reader.varint()? });
    }
    Ok(relations)
}

pub(crate) fn put_position(out: &mut Vec<u8>, position: Position) {
    put_varint(out, u64::from(position.segment));
    put_varint(out, position.offset);
}

pub(crate) fn position(reader: &mut Reader<'_>) -> Result<Position, Malformed> {
    let segment =
        u32::try_from(reader.varint()?).map_err(|_| Malformed("a segment's number is too large"))?;
    Ok(Position { segment, offset: reader.varint()? })
}

/// What the base keeps of a transaction: where it begins, its hashes, its summary without the rule text.
fn encode_info(summary: &Summary, whole: &Whole) -> Vec<u8> {
    let mut out = Vec::new();
    put_position(&mut out, whole.start);
    out.extend(whole.hash.0);
    out.extend(whole.previous.0);
    summary.encode_with(None, &mut out);
    out
}

/// What the base keeps of a transaction since which something holds, or until which it held.
fn mark(tx: u64, long: &[u8]) -> Vec<u8> {
    let mut value = Vec::with_capacity(4 + long.len());
    put_varint(&mut value, tx);
    value.extend_from_slice(long);
    value
}

/// The entry of a fact that is asserted and short enough to be its own key.
pub(crate) fn entry(tuple: &[u8], number: u32, tx: u64) -> Pair {
    (keys::fact(keys::FACT, number, tuple), mark(tx, &[]))
}

/// Enters a change into the base.
fn enter(change: &Change<'_>, number: u32, tx: u64, view: &mut View) {
    let tuple = change.tuple;
    let long = if keys::is_long(tuple) { view.store_long(tuple) } else { Vec::new() };
    match change.act {
        Act::Assert => view.put(keys::fact(keys::FACT, number, tuple), mark(tx, &long)),
        Act::Draw { rule, sentence } => {
            let mut explanation = Vec::new();
            super::bytes::put_optional(&mut explanation, rule);
            super::bytes::put_optional(&mut explanation, sentence);
            let mut value = mark(tx, &[]);
            let stored = view.store_long(&explanation);
            put_bytes(&mut value, &stored);
            value.extend(long);
            view.put(keys::fact(keys::DECISION, number, tuple), value);
        }
        Act::Retract { since: from } | Act::Lapse { since: from, .. } => {
            let (section, past) = match change.act {
                Act::Retract { .. } => (keys::FACT, keys::PAST_FACT),
                _ => (keys::DECISION, keys::PAST_DECISION),
            };
            view.remove(keys::fact(section, number, tuple));
            view.put(keys::past(past, number, tuple, from), mark(tx, &long));
        }
    }
}
