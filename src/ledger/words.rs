//! Facts as engines hold them: rows of words, read without a value in between.

use std::borrow::Cow;

use crate::meter;
use crate::symbol::Symbol;
use crate::value::{Type, Value, Word};

use super::bytes::Reader;
use super::error::LedgerError;
use super::rows::{Rows, tuple_of};
use super::tuple::LastText;
use super::{Ledger, When, keys, tuple};

impl Ledger {
    /// How many facts of `relation` stand now.
    pub fn count(&self, relation: Symbol) -> u64 {
        self.state.relations.get(&relation).map_or(0, |counts| counts.facts)
    }

    /// Hands to `take` the words of each fact of `relation` that stood at a moment, whose first columns hold `first`
    /// and whose values are of `types`; of others nothing. In the order of [`Ledger::facts`].
    ///
    /// # Errors
    /// If there is no such transaction, or the base can't be read.
    pub fn each_row(
        &self,
        relation: Symbol,
        when: When,
        types: &[Type],
        first: &[Value],
        take: &mut dyn FnMut(&[Word]),
    ) -> Result<(), LedgerError> {
        let at = self.at(when)?;
        let Some(number) = self.state.number(relation) else { return Ok(()) };
        let mut wanted = Vec::new();
        tuple::encode(first, &mut wanted);
        let mut prefix = keys::relation(keys::FACT, number);
        prefix.extend(keys::beginning(&wanted));
        let mut last: Vec<LastText> = types.iter().map(|_| LastText::default()).collect();
        let mut row = Vec::with_capacity(types.len());
        let mut take = |tuple: &[u8]| -> Result<(), LedgerError> {
            meter::check("reading the ledger")?;
            row.clear();
            if tuple.starts_with(&wanted) && tuple::words(tuple, types, &mut last, &mut row)? {
                take(&row);
            }
            Ok(())
        };
        if at.is_some() {
            return Rows::new(&self.view, &prefix, at).try_for_each(|row| take(&row?.tuple));
        }
        self.view.each(&prefix, &mut |key, value| {
            let tuple = match keys::tuple(key) {
                Some(tuple) => Cow::Borrowed(tuple),
                None => {
                    let mut stored = Reader::new(value);
                    stored.varint()?;
                    Cow::Owned(tuple_of(&self.view, key, stored.rest())?)
                }
            };
            take(&tuple)
        })
    }
}
