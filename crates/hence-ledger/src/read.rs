//! Questions to the ledger: what holds, what held, since when, by whom.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::path::Path;

use hence_core::fact::Fact;
use hence_core::symbol::Symbol;
use hence_core::value::Value;

use super::bytes::Reader;
use super::content::{Summary, each_change};
use super::error::LedgerError;
use super::hash::Hash;
use super::keys;
use super::plan::Since;
use super::rows::{FactIter, Row, Rows, past_row};
use super::scan::Whole;
use super::state;
use super::step;
use super::transaction::{Assertion, Interval, RecordedRules, RelationCount, Status, Transaction, TxInfo};
use super::tuple;
use super::view::View;
use super::{Based, Ledger, journal::Position};

/// A moment of the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// After the last transaction.
    Now,
    /// After this transaction.
    Tx(u64),
    /// After the last transaction at or before this time, in microseconds since the epoch.
    Time(i64),
}

impl Ledger {
    /// The number of the last transaction; 0 before the first.
    pub fn last_tx(&self) -> u64 {
        self.state.tx
    }

    /// The hash of the last transaction; zeros before the first.
    pub fn head(&self) -> Hash {
        self.state.head
    }

    /// Whether nothing more is recorded until it is opened again: nobody knows what became of a write, a transaction that
    /// is recorded isn't applied, or the base can't be read any more.
    pub fn is_stopped(&self) -> bool {
        self.journal.check_writable().is_err() || self.torn || self.view.base().is_unreadable()
    }

    /// The folder that it lies in; `None` in memory.
    pub fn folder(&self) -> Option<&Path> {
        self.dir.as_deref()
    }

    /// The relations that hold facts or decisions now, by name.
    pub fn relations(&self) -> Vec<RelationCount> {
        let counts = self.state.relations.iter().map(|(name, counts)| RelationCount {
            relation: name.as_str().to_owned(),
            facts: counts.facts,
            decisions: counts.decisions,
        });
        counts.filter(|count| count.facts + count.decisions > 0).collect()
    }

    /// The current facts of `relation`, ascending. Among facts of more than 180 encoded bytes that begin alike the
    /// order is fixed, and not that of their values.
    pub fn facts(&self, relation: Symbol) -> FactIter<'_> {
        self.facts_with(relation, &[])
    }

    /// The current facts of `relation` whose first columns hold `first`, as [`Ledger::facts`] gives them.
    pub fn facts_with(&self, relation: Symbol, first: &[Value]) -> FactIter<'_> {
        self.facts_between(relation, first, None)
    }

    /// The facts of `relation` that held at a moment, as [`Ledger::facts`] gives them. The cost follows the history
    /// of the relation, not that of the ledger.
    ///
    /// # Errors
    /// If there is no such transaction.
    pub fn facts_at(&self, relation: Symbol, when: When) -> Result<FactIter<'_>, LedgerError> {
        Ok(self.facts_between(relation, &[], self.at(when)?))
    }

    /// The facts of `relation` that were ever recorded, each once.
    ///
    /// # Errors
    /// If the base can't be read.
    pub fn facts_ever(&self, relation: Symbol) -> Result<BTreeSet<Fact>, LedgerError> {
        self.ever(keys::FACT, relation)
    }

    /// The decisions of `relation` that were ever drawn, each once.
    ///
    /// # Errors
    /// If the base can't be read.
    pub fn decisions_ever(&self, relation: Symbol) -> Result<BTreeSet<Fact>, LedgerError> {
        self.ever(keys::DECISION, relation)
    }

    fn ever(&self, section: u8, relation: Symbol) -> Result<BTreeSet<Fact>, LedgerError> {
        let rows = self.state.number(relation).map(|number| {
            let prefix = keys::relation(section, number);
            Rows::ever(&self.view, &prefix)
        });
        FactIter::new(relation, rows, Vec::new()).map(|found| self.opened(found?.0)).collect()
    }

    fn facts_between(&self, relation: Symbol, first: &[Value], at: Option<u64>) -> FactIter<'_> {
        match self.is_personal(relation) {
            Ok(false) => {}
            Ok(true) => return FactIter::of(relation, self.personal_facts(relation, first, at)),
            Err(error) => return FactIter::of(relation, Err(error)),
        }
        let mut tuple = Vec::new();
        tuple::encode(first, &mut tuple);
        let rows = self.state.number(relation).map(|number| {
            let mut prefix = keys::relation(keys::FACT, number);
            prefix.extend(keys::beginning(&tuple));
            Rows::new(&self.view, &prefix, at)
        });
        FactIter::new(relation, rows, tuple)
    }

    /// The last transaction that a snapshot covers and the folder of the segments before; `None` where there is no
    /// snapshot. What ended by then is only there, and is read with [`OpenOptions::up_to`](super::OpenOptions::up_to).
    pub fn archived(&self) -> Option<(u64, &std::path::Path)> {
        self.journal.snapshot.map(|held| (held.transaction, self.journal.archive.as_path()))
    }

    /// Whether the archive holds all that a snapshot replaces.
    ///
    /// # Errors
    /// If the folder can't be read.
    pub fn has_archive(&self) -> Result<bool, LedgerError> {
        Ok(self.journal.with_archive()?.is_some())
    }

    /// The names of all relations that ever held something, in order.
    pub fn all_relations(&self) -> impl Iterator<Item = Symbol> + '_ {
        self.state.relations.keys().copied()
    }

    /// The transaction of a moment; `None` for the last one.
    pub(super) fn at(&self, when: When) -> Result<Option<u64>, LedgerError> {
        let tx = match when {
            When::Now => return Ok(None),
            When::Tx(tx) => tx,
            When::Time(time) => self.tx_at(time)?,
        };
        if tx > self.state.tx {
            return Err(LedgerError::NoTransaction { asked: tx, last: self.state.tx });
        }
        // Before the first transaction nothing stood.
        if let Some(held) = self.journal.snapshot.filter(|held| (1..held.transaction).contains(&tx)) {
            return Err(self.journal.archived(tx, held));
        }
        Ok(Some(tx).filter(|tx| *tx < self.state.tx))
    }

    /// The number of the last transaction of a moment; 0 before the first.
    ///
    /// # Errors
    /// If there is no such transaction, or the base can't be read.
    pub fn tx_when(&self, when: When) -> Result<u64, LedgerError> {
        Ok(self.at(when)?.unwrap_or(self.state.tx))
    }

    /// The last transaction at or before `time` (microseconds since the epoch); 0 if there is none.
    ///
    /// # Errors
    /// If the base can't be read.
    pub fn tx_at(&self, time: i64) -> Result<u64, LedgerError> {
        let (mut low, mut high) = (0, self.state.tx);
        while low < high {
            let middle = high - (high - low) / 2;
            if self.info(middle)?.time <= time { low = middle } else { high = middle - 1 }
        }
        Ok(low)
    }

    /// Whether `fact` holds.
    ///
    /// # Errors
    /// If the base can't be read.
    pub fn contains(&self, fact: &Fact) -> Result<bool, LedgerError> {
        Ok(self.since(keys::FACT, fact)?.is_some())
    }

    /// Who asserted `fact`, and when, if it holds.
    ///
    /// # Errors
    /// If the base can't be read.
    pub fn assertion(&self, fact: &Fact) -> Result<Option<Assertion>, LedgerError> {
        self.assertion_at(fact, When::Now)
    }

    /// Who had asserted `fact`, and when, if it held at a moment.
    ///
    /// # Errors
    /// If there is no such transaction, or the base can't be read.
    pub fn assertion_at(&self, fact: &Fact, when: When) -> Result<Option<Assertion>, LedgerError> {
        let at = self.at(when)?.unwrap_or(self.state.tx);
        let held = |span: &Interval| span.from <= at && span.until.is_none_or(|until| at < until);
        let Some(span) = self.history(fact)?.into_iter().find(held) else { return Ok(None) };
        let TxInfo { tx, time, author, source, note, steps, said, previous, .. } = self.info(span.from)?;
        let step = steps.as_deref().and_then(|steps| step::asserting(steps, fact));
        let said = said.into_iter().find(|said| said.fact == *fact && step.is_none());
        let signed = match &said {
            Some(said) => self.said_fault(said, tx, previous)?.is_none(),
            None => self.is_signed(tx)? == Ok(true),
        };
        let author = said.map_or(author, |said| said.author);
        let author = step.map_or(author, |(_, change)| change.rule.clone());
        let step = step.map(|(number, change)| (number, change.sentence.clone()));
        Ok(Some(Assertion { tx, time, author, signed, source, note, step }))
    }

    /// The spans in which `fact` held, ascending.
    ///
    /// # Errors
    /// If the base can't be read.
    pub fn history(&self, fact: &Fact) -> Result<Vec<Interval>, LedgerError> {
        self.intervals(keys::FACT, keys::PAST_FACT, fact)
    }

    /// The spans in which a decision was in force, ascending.
    ///
    /// # Errors
    /// If the base can't be read.
    pub fn decision_history(&self, decision: &Fact) -> Result<Vec<Interval>, LedgerError> {
        self.intervals(keys::DECISION, keys::PAST_DECISION, decision)
    }

    /// Whether a decision is in force.
    ///
    /// # Errors
    /// If the base can't be read.
    pub fn is_in_force(&self, decision: &Fact) -> Result<bool, LedgerError> {
        Ok(self.since(keys::DECISION, decision)?.is_some())
    }

    fn since(&self, section: u8, fact: &Fact) -> Result<Option<u64>, LedgerError> {
        let mut finder = Since::new(&self.state, &self.view, section, 1);
        for tuple in self.recorded_as(section, fact)? {
            if let Some(since) = finder.find(fact.relation, &tuple)? {
                return Ok(Some(since));
            }
        }
        Ok(None)
    }

    fn intervals(&self, section: u8, past: u8, fact: &Fact) -> Result<Vec<Interval>, LedgerError> {
        let Some(number) = self.state.number(fact.relation) else { return Ok(Vec::new()) };
        let mut spans = Vec::new();
        let mut finder = Since::new(&self.state, &self.view, section, 1);
        for tuple in self.recorded_as(section, fact)? {
            let mut prefix = keys::fact(past, number, &tuple);
            prefix.push(0);
            for entry in self.view.prefix(&prefix) {
                let Row { from, until, .. } = past_row(&self.view, &entry?)?;
                spans.push(Interval { from, until });
            }
            let since = finder.find(fact.relation, &tuple)?;
            spans.extend(since.map(|from| Interval { from, until: None }));
        }
        spans.sort_unstable_by_key(|span| span.from);
        Ok(spans)
    }

    /// What is known of transaction `tx`.
    ///
    /// # Errors
    /// If there is none, or the base can't be read.
    pub fn info(&self, tx: u64) -> Result<TxInfo, LedgerError> {
        self.entry(tx).map(|(_, info)| info)
    }

    /// What is known of each of these transactions, as far as there are any.
    pub fn log(
        &self,
        range: RangeInclusive<u64>,
    ) -> impl DoubleEndedIterator<Item = Result<TxInfo, LedgerError>> + '_ {
        let first = *range.start().max(&1);
        let last = *range.end().min(&self.state.tx);
        (first..=last).map(|tx| self.info(tx))
    }

    /// The last transaction that is as `wanted`.
    ///
    /// # Errors
    /// If the base can't be read.
    pub fn last_where(&self, wanted: impl Fn(&TxInfo) -> bool) -> Result<Option<TxInfo>, LedgerError> {
        let is_wanted = |info: &Result<TxInfo, LedgerError>| info.as_ref().map_or(true, &wanted);
        self.log(1..=u64::MAX).rev().find(is_wanted).transpose()
    }

    fn entry(&self, tx: u64) -> Result<(Position, TxInfo), LedgerError> {
        let found = info_in(&self.view, tx)?;
        let (at, mut info) = found.ok_or(LedgerError::NoTransaction { asked: tx, last: self.state.tx })?;
        for change in info.steps.iter_mut().flatten().flat_map(|step| &mut step.changes) {
            change.fact = self.opened(std::mem::replace(&mut change.fact, Fact::new("", [])))?;
        }
        Ok((at, info))
    }

    /// The records of transaction `tx`, as they lie in the journal.
    pub(super) fn raw(&self, tx: u64) -> Result<Vec<Vec<u8>>, LedgerError> {
        let (position, info) = self.entry(tx)?;
        let whole = self.journal.read_raw(position, tx)?;
        match whole.hash == info.hash {
            true => Ok(whole.contents),
            false => Err(LedgerError::Base(String::from("it follows another journal"))),
        }
    }

    /// The records of transaction `tx`.
    pub(super) fn whole(&self, tx: u64) -> Result<Whole, LedgerError> {
        let (position, info) = self.entry(tx)?;
        let whole = self.journal.read(position, tx)?;
        if whole.hash == info.hash {
            Ok(whole)
        } else {
            Err(LedgerError::Base(String::from("it follows another journal")))
        }
    }

    /// Transaction `tx` with all its facts, from the journal.
    ///
    /// # Errors
    /// If there is none, or its record is damaged.
    pub fn transaction(&self, tx: u64) -> Result<Transaction, LedgerError> {
        let (position, info) = self.entry(tx)?;
        let whole = self.journal.read(position, tx)?;
        let (added, removed, drawn, lapsed) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut transaction = Transaction { info, added, removed, drawn, lapsed };
        let mut faulty = Ok(());
        each_change(&whole.contents, &mut |change| {
            faulty = faulty.and(transaction.take(&change));
        })?;
        faulty?;
        if !self.personal()?.is_empty() {
            self.open_all(&mut transaction)?;
        }
        Ok(transaction)
    }

    /// Personal values of a transaction as they are read.
    fn open_all(&self, transaction: &mut Transaction) -> Result<(), LedgerError> {
        let Transaction { added, removed, drawn, lapsed, .. } = transaction;
        let removed = removed.iter_mut().map(|(fact, _)| fact);
        let drawn = drawn.iter_mut().map(|decision| &mut decision.fact);
        let lapsed = lapsed.iter_mut().map(|(lapsed, _)| &mut lapsed.fact);
        for fact in added.iter_mut().chain(removed).chain(drawn).chain(lapsed) {
            *fact = self.opened(std::mem::replace(fact, Fact::new("", [])))?;
        }
        Ok(())
    }

    /// The rule set with this hash, if a transaction names it.
    ///
    /// # Errors
    /// If the base can't be read.
    pub fn rules(&self, hash: Hash) -> Result<Option<RecordedRules>, LedgerError> {
        match self.view.get(&keys::rules(hash))? {
            Some(stored) => Ok(Some(RecordedRules::decode(&self.view.load_long(&stored)?)?)),
            None => Ok(None),
        }
    }

    /// The hashes of all rule sets that transactions name.
    ///
    /// # Errors
    /// If the base can't be read.
    pub fn rule_sets(&self) -> Result<Vec<Hash>, LedgerError> {
        let mut hashes = Vec::new();
        for entry in self.view.prefix(&[keys::RULES]) {
            let (key, _) = entry?;
            let mut reader = Reader::new(&key);
            reader.take(1)?;
            hashes.push(Hash(reader.array()?));
        }
        Ok(hashes)
    }

    /// The ledger at a glance.
    ///
    /// # Errors
    /// If the journal's files can't be read.
    pub fn status(&self) -> Result<Status, LedgerError> {
        Ok(Status {
            transactions: self.state.tx,
            time: (self.state.tx > 0).then_some(self.state.time),
            facts: self.state.facts,
            decisions: self.state.decisions,
            head: self.state.head,
            journal_bytes: self.journal.size()?.saturating_sub(self.journal.zeros()),
            base_bytes: self.view.base().size()?,
            from_table: self.based == Based::Table,
            base_tx: matches!(self.based, Based::Base | Based::Table).then_some(self.base_tx),
            stopped: self.journal.check_writable().err().map(|error| error.to_string()),
        })
    }
}

/// Where a transaction begins and what a base keeps of it.
pub(super) fn info_in(view: &View, tx: u64) -> Result<Option<(Position, TxInfo)>, LedgerError> {
    let Some(stored) = view.get(&keys::transaction(tx))? else { return Ok(None) };
    let bytes = view.load_long(&stored)?;
    let mut reader = Reader::new(&bytes);
    let position = state::position(&mut reader)?;
    let (hash, previous) = (Hash(reader.array()?), Hash(reader.array()?));
    Ok(Some((position, info(tx, Summary::decode(&mut reader)?, hash, previous))))
}

fn info(tx: u64, summary: Summary, hash: Hash, previous: Hash) -> TxInfo {
    TxInfo {
        tx,
        time: summary.time,
        author: summary.author,
        source: summary.source,
        note: summary.note,
        clock: summary.clock,
        rules: summary.rules,
        run: summary.run,
        schemas: summary.schemas,
        steps: summary.steps,
        said: summary.said,
        signature: summary.signature,
        added: summary.added,
        removed: summary.removed,
        present: summary.present,
        missing: summary.missing,
        drawn: summary.drawn,
        lapsed: summary.lapsed,
        facts: summary.facts,
        decisions: summary.decisions,
        digest: summary.digest,
        hash,
        previous,
    }
}
