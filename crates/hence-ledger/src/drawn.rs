//! Decisions: which stand, or stood, and what transactions drew, as their ids count it: from the journal, and where that is
//! archived elsewhere, from the snapshot and what came after it.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use hence_core::fact::Fact;
use hence_core::meter;
use hence_core::symbol::Symbol;

use super::Ledger;
use super::bytes::Reader;
use super::error::LedgerError;
use super::keys;
use super::read::When;
use super::rows::{Row, Rows};
use super::transaction::{Decision, InForce};
use super::tuple;

/// What the transactions of a ledger drew. What a snapshot knows of those that it replaces is read once.
pub struct DrawnLists<'a> {
    ledger: &'a Ledger,
    held: OnceCell<BTreeMap<u64, Vec<Decision>>>,
}

impl Ledger {
    /// All decisions in force, by relation and values.
    ///
    /// # Errors
    /// If the base can't be read.
    pub fn decisions(&self) -> Result<Vec<InForce>, LedgerError> {
        self.decisions_at(When::Now)
    }

    /// All decisions that were in force at a moment, by relation and values.
    ///
    /// # Errors
    /// If there is no such transaction, or base or journal can't be read.
    pub fn decisions_at(&self, when: When) -> Result<Vec<InForce>, LedgerError> {
        self.at_moment(when, |relation, row| self.in_force(relation, row))
    }

    /// The decisions that were in force at a moment, without their explanations, which for one that lapsed since may be in
    /// an archive that is not here.
    ///
    /// # Errors
    /// As [`Ledger::decisions_at`].
    pub fn stood_at(&self, when: When) -> Result<Vec<Fact>, LedgerError> {
        self.at_moment(when, |relation, row| self.decided(relation, &row))
    }

    /// What `of` makes of the decisions that were in force at a moment, ascending.
    fn at_moment<T: Ord>(
        &self,
        when: When,
        of: impl Fn(Symbol, Row) -> Result<T, LedgerError>,
    ) -> Result<Vec<T>, LedgerError> {
        let at = self.at(when)?;
        let mut all = Vec::new();
        for (name, counts) in &self.state.relations {
            for row in Rows::new(&self.view, &keys::relation(keys::DECISION, counts.number), at) {
                meter::check("reading the ledger")?;
                all.push(of(*name, row?)?);
            }
        }
        all.sort();
        Ok(all)
    }

    /// The fact of a decision.
    fn decided(&self, relation: Symbol, row: &Row) -> Result<Fact, LedgerError> {
        self.opened(Fact { relation, values: tuple::decode(&row.tuple)? })
    }

    fn in_force(&self, relation: Symbol, row: Row) -> Result<InForce, LedgerError> {
        let fact = self.decided(relation, &row)?;
        let tx = row.from;
        if row.until.is_some() {
            // The base keeps explanations of decisions in force; the journal keeps all.
            let drawn = self.transaction(tx)?.drawn.into_iter().find(|decision| decision.fact == fact);
            let missing = || {
                LedgerError::Base(format!("transaction {tx} didn't draw a decision recorded as drawn in it"))
            };
            return Ok(InForce { decision: drawn.ok_or_else(missing)?, tx });
        }
        let explanation = self.view.load_long(&row.explanation)?;
        let mut reader = Reader::new(&explanation);
        let (rule, sentence) = (reader.optional()?.map(str::to_owned), reader.optional()?.map(str::to_owned));
        Ok(InForce { decision: Decision { fact, rule, sentence }, tx })
    }

    /// What its transactions drew.
    pub fn drawn(&self) -> DrawnLists<'_> {
        DrawnLists { ledger: self, held: OnceCell::new() }
    }

    /// The decisions that stood after the last transaction that a snapshot replaces, by the one that drew them; those that
    /// lapsed since without their explanations.
    fn held_of_archived(&self) -> Result<BTreeMap<u64, Vec<Decision>>, LedgerError> {
        let last = self.journal.snapshot.map_or(0, |held| held.transaction);
        let mut held: BTreeMap<u64, Vec<Decision>> = BTreeMap::new();
        for (name, counts) in &self.state.relations {
            for row in Rows::ever(&self.view, &keys::relation(keys::DECISION, counts.number)) {
                meter::check("reading the ledger")?;
                let row = row?;
                if row.from > last {
                    continue;
                }
                let drawn = held.entry(row.from).or_default();
                drawn.push(match row.until {
                    None => self.in_force(*name, row)?.decision,
                    Some(_) => Decision::new(self.decided(*name, &row)?),
                });
            }
        }
        Ok(held)
    }
}

impl DrawnLists<'_> {
    /// The decisions that a transaction drew, ascending. Of one that is archived elsewhere they are known if none had lapsed
    /// when the snapshot was made; those that lapsed since have neither rule nor sentence.
    ///
    /// # Errors
    /// If there is no such transaction, only the archive tells what it drew, or something can't be read.
    pub fn of(&self, tx: u64) -> Result<Vec<Decision>, LedgerError> {
        let mut drawn = match self.ledger.transaction(tx) {
            Err(archived @ LedgerError::Archived { .. }) => {
                let drawn = self.ledger.info(tx)?.drawn;
                match self.held()?.get(&tx) {
                    Some(found) if found.len() as u64 == drawn => found.clone(),
                    None if drawn == 0 => Vec::new(),
                    _ => return Err(archived),
                }
            }
            found => found?.drawn,
        };
        drawn.sort();
        Ok(drawn)
    }

    fn held(&self) -> Result<&BTreeMap<u64, Vec<Decision>>, LedgerError> {
        match self.held.get() {
            Some(held) => Ok(held),
            None => {
                let held = self.ledger.held_of_archived()?;
                Ok(self.held.get_or_init(|| held))
            }
        }
    }
}
