//! Answering from the base's table, which no question has to copy, and keeping that table.

use std::path::Path;

use super::ask::journal;
use super::base::Base;
use super::base::table::{self, Table};
use super::error::LedgerError;
use super::join::foreign;
use super::lock::Holder;
use super::open::{LOCK, OpenOptions, TABLE, remove};
use super::state::State;
use super::{Based, Ledger};

/// A table is written again when the journal goes beyond it by this part of its size, so that writing it stays cheap beside
/// what was recorded meanwhile.
const WORTH: u64 = 8;

impl Ledger {
    /// The ledger in `dir` over its table and what the journal holds beyond that, up to the transaction that is asked for;
    /// `None` where there is no table of this journal, or only a later one.
    pub(super) fn over_table(
        dir: &Path,
        left: &Holder,
        options: &OpenOptions,
    ) -> Result<Option<Self>, LedgerError> {
        let Some(table) = Table::open(&dir.join(TABLE)) else { return Ok(None) };
        let mut ledger = Self::new(journal(dir, options)?, left.clone(), options);
        ledger.set_dir(dir)?;
        ledger.based = Based::Table;
        // Nothing is ever written to a table.
        ledger.backlog_limit = usize::MAX;
        // Whether the journal is as it should be is then for the base to say.
        Ok(ledger.read_table(table, options.up_to).is_ok().then_some(ledger))
    }

    fn read_table(&mut self, table: Table, up_to: Option<u64>) -> Result<(), LedgerError> {
        let held = self.take(Box::new(table))?;
        self.base_tx = held.state.tx;
        let from = match up_to {
            Some(asked) if asked < self.base_tx => {
                return Err(LedgerError::NoTransaction { asked, last: self.base_tx });
            }
            Some(_) => self.joint(&held.state)?,
            None => self.first_checked(&held)?,
        };
        if self.read_on(from, held.reach, up_to)? < self.base_tx {
            return Err(foreign());
        }
        self.check_agrees(self.holds_few())
    }

    /// The same ledger over the base itself, where it answers from a table and nobody has begun to write since.
    pub(super) fn beside_table(&self) -> Result<Option<Self>, LedgerError> {
        let Some(dir) = self.dir.as_ref().filter(|_| self.based == Based::Table) else { return Ok(None) };
        let beside = Self::over_base(dir, &self.left, &OpenOptions::default());
        let is_as_left = Holder::of(&dir.join(LOCK)).is_ok_and(|now| now == self.left);
        if is_as_left { beside.map(Some) } else { Ok(None) }
    }

    /// Writes the table where questions would have much to copy without it, or to read beyond it, once the base holds all;
    /// removes one that is of another journal.
    pub(super) fn keep_table(&self) {
        let Some(dir) = &self.dir else { return };
        let path = dir.join(TABLE);
        let held = Table::open(&path).and_then(|table| {
            let state = State::decode(&table).ok()??;
            self.leads_to_here(&state).then_some((state.end, table.size().ok()? / WORTH))
        });
        let (beyond, limit) = match held {
            Some((end, least)) => (self.journal.bytes_from(end).unwrap_or(0), self.table_limit.max(least)),
            None => (self.view.base().size().unwrap_or(0), self.table_limit),
        };
        // Without a table each question copies the base, and answers the same.
        let _ = if beyond > limit {
            table::write(self.view.base(), &path).map_err(LedgerError::from)
        } else if held.is_none() {
            self.remove_table()
        } else {
            Ok(())
        };
    }

    /// Whether this is a state of the same journal.
    fn leads_to_here(&self, held: &State) -> bool {
        held.snapshot == self.state.snapshot && self.info(held.tx).is_ok_and(|info| info.hash == held.head)
    }

    /// Removes the table, since what it holds is to be gone, or of another journal.
    pub(super) fn remove_table(&self) -> Result<(), LedgerError> {
        let Some(dir) = &self.dir else { return Ok(()) };
        let path = dir.join(TABLE);
        remove(&path).map_err(LedgerError::io("remove", &path))
    }
}
