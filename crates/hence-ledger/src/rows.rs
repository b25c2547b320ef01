//! The facts or decisions of a relation after some transaction, ascending.

use std::iter::Peekable;

use hence_core::fact::Fact;
use hence_core::fault::OrBroken;
use hence_core::meter;
use hence_core::symbol::Symbol;

use super::base::{BaseError, Pair};
use super::bytes::{Malformed, Reader};
use super::error::LedgerError;
use super::keys;
use super::tuple;
use super::view::{Entries, View};

/// A fact or decision with the span of transactions in which it holds.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) tuple: Vec<u8>,
    pub(crate) from: u64,
    pub(crate) until: Option<u64>,
    /// The stored explanation of a decision in force.
    pub(crate) explanation: Vec<u8>,
}

/// What held in a section after a transaction.
pub(crate) struct Rows<'a> {
    view: &'a View,
    section: u8,
    /// The transaction; `None` where everything is asked for that was ever there.
    at: Option<u64>,
    current: Peekable<Entries<'a>>,
    /// What held once; `None` where only what holds now is asked for.
    past: Option<Peekable<Entries<'a>>>,
}

impl<'a> Rows<'a> {
    /// The rows of `section` whose keys begin with `prefix`, as they were after transaction `at`; `None` for now.
    pub(crate) fn new(view: &'a View, prefix: &[u8], at: Option<u64>) -> Self {
        let section = *prefix.first().or_broken("a prefix begins with its section");
        let past = at.map(|_| {
            let mut past = prefix.to_vec();
            if let Some(first) = past.first_mut() {
                *first = if section == keys::FACT { keys::PAST_FACT } else { keys::PAST_DECISION };
            }
            view.prefix(&past).peekable()
        });
        let at = Some(at.unwrap_or(u64::MAX));
        Self { view, section, at, current: view.prefix(prefix).peekable(), past }
    }

    /// The rows that were ever there: one that came again, each time.
    pub(crate) fn ever(view: &'a View, prefix: &[u8]) -> Self {
        Self { at: None, ..Self::new(view, prefix, Some(u64::MAX)) }
    }

    fn step(&mut self) -> Result<Option<Row>, BaseError> {
        loop {
            let row = if self.past_is_next() {
                let Some(entry) = self.past.as_mut().and_then(Iterator::next) else { return Ok(None) };
                past_row(self.view, &entry?)?
            } else {
                let Some(entry) = self.current.next() else { return Ok(None) };
                current_row(self.view, self.section, &entry?)?
            };
            let held = |at| row.from <= at && row.until.is_none_or(|until| at < until);
            if self.at.is_none_or(held) {
                return Ok(Some(row));
            }
        }
    }

    /// Whether the next row of the past comes before the next current one.
    fn past_is_next(&mut self) -> bool {
        let Some(past) = self.past.as_mut().and_then(Peekable::peek) else { return false };
        match (past, self.current.peek()) {
            (Err(_), _) | (_, None) => true,
            (_, Some(Err(_))) => false,
            (Ok((past, _)), Some(Ok((current, _)))) => {
                keys::split_past(past).is_none_or(|(fact, _)| Some(fact) < current.get(1..))
            }
        }
    }
}

impl Iterator for Rows<'_> {
    type Item = Result<Row, BaseError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.step().transpose()
    }
}

/// The tuple of a key, or of what was stored of it where the key is too short for it.
pub(super) fn tuple_of(view: &View, key: &[u8], stored: &[u8]) -> Result<Vec<u8>, BaseError> {
    match keys::tuple(key) {
        Some(tuple) => Ok(tuple.to_vec()),
        None => view.load_long(stored),
    }
}

fn current_row(view: &View, section: u8, (key, value): &Pair) -> Result<Row, BaseError> {
    let mut reader = Reader::new(value);
    let from = reader.varint()?;
    let explanation = if section == keys::DECISION { reader.bytes()?.to_vec() } else { Vec::new() };
    let tuple = tuple_of(view, key, reader.rest())?;
    Ok(Row { tuple, from, until: None, explanation })
}

/// The row of an entry that [`keys::past`] names.
pub(crate) fn past_row(view: &View, (key, value): &Pair) -> Result<Row, BaseError> {
    let (_, from) = keys::split_past(key).ok_or(Malformed("a history key is truncated"))?;
    let mut reader = Reader::new(value);
    let until = Some(reader.varint()?);
    let cut = || Malformed("a history key is truncated");
    let (fact, _) = key.split_last_chunk::<9>().ok_or_else(cut)?;
    let tuple = tuple_of(view, fact, reader.rest())?;
    Ok(Row { tuple, from, until, explanation: Vec::new() })
}

/// Facts of one relation, ascending, each with the transaction that asserted it.
pub struct FactIter<'a> {
    relation: Symbol,
    rows: Option<Rows<'a>>,
    /// What the encoded tuples begin with.
    first: Vec<u8>,
    /// Facts that were read already, whose order is another one than that of their tuples.
    ready: std::vec::IntoIter<Result<(Fact, u64), LedgerError>>,
}

impl<'a> FactIter<'a> {
    pub(crate) fn new(relation: Symbol, rows: Option<Rows<'a>>, first: Vec<u8>) -> Self {
        Self { relation, rows, first, ready: Vec::new().into_iter() }
    }

    /// Facts that were read already, or why they couldn't be.
    pub(crate) fn of(relation: Symbol, facts: Result<Vec<(Fact, u64)>, LedgerError>) -> Self {
        let facts = match facts {
            Ok(facts) => facts.into_iter().map(Ok).collect(),
            Err(error) => vec![Err(error)],
        };
        Self { relation, rows: None, first: Vec::new(), ready: facts.into_iter() }
    }
}

impl Iterator for FactIter<'_> {
    type Item = Result<(Fact, u64), LedgerError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(fact) = self.ready.next() {
            return Some(fact);
        }
        let first = &self.first;
        let row =
            self.rows.as_mut()?.find(|row| row.as_ref().map_or(true, |row| row.tuple.starts_with(first)))?;
        Some(row.map_err(LedgerError::from).and_then(|row| {
            meter::check("reading the ledger")?;
            let values = tuple::decode(&row.tuple)?;
            Ok((Fact { relation: self.relation, values }, row.from))
        }))
    }
}
