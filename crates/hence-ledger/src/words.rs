//! Facts as engines hold them: rows of words, read without a value in between.

use std::borrow::Cow;

use hence_core::fact::Fact;
use hence_core::fault::OrBroken as _;
use hence_core::meter;
use hence_core::symbol::Symbol;
use hence_core::value::{Type, Value, Word};

use super::bytes::Reader;
use super::error::LedgerError;
use super::recast::Recast;
use super::rows::{Rows, tuple_of};
use super::tuple::LastText;
use super::{Ledger, When, keys, tuple};

impl Ledger {
    /// How many current facts `relation` has.
    pub fn count(&self, relation: Symbol) -> u64 {
        self.state.relations.get(&relation).map_or(0, |counts| counts.facts)
    }

    /// Hands to `take` the words of each fact of `relation` that held at a moment, under the columns that `recast`
    /// gives them, whose first columns hold `first`. In the order of [`Ledger::facts`].
    ///
    /// # Errors
    /// If there is no such transaction, the base can't be read, or a fact has other columns than `recast` says.
    pub fn each_row(
        &self,
        relation: Symbol,
        when: When,
        recast: &Recast,
        first: &[Value],
        take: &mut dyn FnMut(&[Word]),
    ) -> Result<(), LedgerError> {
        let at = self.at(when)?;
        let Some(number) = self.state.number(relation) else { return Ok(()) };
        let (types, mut wanted) = (recast.types(), Vec::new());
        let personal = self.is_personal(relation)?;
        let leading = if personal { 0 } else { recast.leading(first.len()) };
        tuple::encode(
            first.get(..leading).or_broken("columns that lead are among those asked for"),
            &mut wanted,
        );
        let rest: Vec<Word> = first.iter().skip(leading).map(|value| value.word()).collect();
        let mut prefix = keys::relation(keys::FACT, number);
        prefix.extend(keys::beginning(&wanted));
        let mut last: Vec<LastText> = types.iter().map(|_| LastText::default()).collect();
        let (mut row, mut cast) = (Vec::with_capacity(types.len()), Vec::new());
        let mut take = |tuple: &[u8]| -> Result<(), LedgerError> {
            meter::check("reading the ledger")?;
            row.clear();
            if !tuple.starts_with(&wanted) {
                return Ok(());
            }
            let fits = tuple::words(tuple, types, &mut last, &mut row)?;
            if personal {
                self.open_words(types, &mut row)?;
            }
            if fits && recast.is_plain() && row.len() == types.len() && rest.is_empty() {
                take(&row);
                return Ok(());
            }
            if !fits || !recast.words(&row, &mut cast) {
                return Err(unfit(relation, tuple));
            }
            if cast.get(leading..).is_some_and(|cast| cast.starts_with(&rest)) {
                take(&cast);
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

impl Ledger {
    /// Personal values of a row as they are read.
    fn open_words(&self, types: &[Type], row: &mut [Word]) -> Result<(), LedgerError> {
        for (ty, word) in types.iter().zip(row).filter(|(ty, _)| ty.is_text()) {
            let opened = self.opened_value(Value::from_word(*ty, *word))?;
            if opened.ty() == *ty {
                *word = opened.word();
            }
        }
        Ok(())
    }
}

/// The error for a fact that doesn't have the columns of its relation.
fn unfit(relation: Symbol, tuple: &[u8]) -> LedgerError {
    match tuple::decode(tuple) {
        Ok(values) => {
            let fact = Fact { relation, values };
            LedgerError::Misfit {
                what: format!("`{fact}` is recorded with columns that its relation doesn't have"),
            }
        }
        Err(malformed) => malformed.into(),
    }
}
