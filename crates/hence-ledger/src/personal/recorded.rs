//! Facts that are named as they are read, found as they are recorded: what stands in the place of a personal value whose
//! key is destroyed, or not here, has no key that would make it the value again.

use hence_core::fact::Fact;
use hence_core::value::Value;

use super::{is_token, ring};
use crate::Ledger;
use crate::error::LedgerError;
use crate::rows::Rows;
use crate::{keys, tuple};

impl Ledger {
    /// The tuples of a section, of facts or of decisions, that are read as this fact, whenever they stood; first the one
    /// that its keys make.
    pub(crate) fn recorded_as(&self, section: u8, fact: &Fact) -> Result<Vec<Vec<u8>>, LedgerError> {
        let mut sealed = Vec::new();
        tuple::encode(&self.sealed(fact)?.values, &mut sealed);
        let mut found = vec![sealed];
        let (Some(plain), Some(number)) = (self.before_stand_in(fact)?, self.state.number(fact.relation))
        else {
            return Ok(found);
        };
        let mut prefix = keys::relation(section, number);
        prefix.extend(keys::beginning(&plain));
        for row in Rows::ever(&self.view, &prefix) {
            let row = row?;
            if !found.contains(&row.tuple) && self.reads_as(&row.tuple, fact)? {
                found.push(row.tuple);
            }
        }
        Ok(found)
    }

    fn reads_as(&self, recorded: &[u8], fact: &Fact) -> Result<bool, LedgerError> {
        let values = tuple::decode(recorded)?;
        Ok(self.opened(Fact { relation: fact.relation, values })? == *fact)
    }

    /// The values before the first personal column, encoded, where what stands in the place of a value is in one.
    fn before_stand_in(&self, fact: &Fact) -> Result<Option<Vec<u8>>, LedgerError> {
        let Some(personal) = self.personal()?.get(&fact.relation) else { return Ok(None) };
        let columns = || personal.iter().map(|personal| personal.column);
        let is_stand_in =
            |at: usize| fact.values.get(at).is_some_and(|value| ring::is_stand_in(&value.text()));
        let (true, Some(first)) = (columns().any(is_stand_in), columns().min()) else { return Ok(None) };
        let plain: Vec<Value> = fact.values.iter().take(first).copied().collect();
        let mut encoded = Vec::new();
        tuple::encode(&plain, &mut encoded);
        Ok(Some(encoded))
    }

    /// Whether a fact or decision, as it is read, is recorded with personal values whose keys are destroyed, or not here.
    ///
    /// # Errors
    /// If base or keys can't be read.
    pub fn is_hidden(&self, fact: &Fact) -> Result<bool, LedgerError> {
        for section in [keys::FACT, keys::DECISION] {
            for recorded in self.recorded_as(section, fact)?.iter().skip(1) {
                let mut texts = tuple::decode(recorded)?.into_iter().map(|value| value.text());
                if self.with_ring(|ring| Ok(texts.any(|text| is_token(&text) && !ring.opens(&text))))? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}
