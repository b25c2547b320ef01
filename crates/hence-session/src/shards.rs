//! Ledgers that hold one shard each: whose rules keep to one, and whose facts lie in it.

use hence_core::fact::Fact;
use hence_core::value::Value;
use hence_ledger::{Ledger, Shard};

use super::RuleSet;
use super::error::SessionError;

impl RuleSet {
    /// Whether some input is partitioned.
    pub fn is_partitioned(&self) -> bool {
        !self.checked.partitions.is_empty()
    }

    /// The value that says in which shard a fact lies; none for reference data, of which every shard has all.
    pub fn partition_of(&self, fact: &Fact) -> Option<Value> {
        let input = self.program.find(fact.relation)?;
        let partition = self.checked.partition_of(input)?;
        fact.values.get(partition.column).copied()
    }

    /// Checks that these rules may decide in a ledger: in one of a shard they say how facts are partitioned.
    ///
    /// # Errors
    /// They don't, so that every shard would decide by itself.
    pub fn check_shard(&self, ledger: &Ledger) -> Result<(), SessionError> {
        ledger.shard().map_or(Ok(()), |shard| self.check_partitioned(shard))
    }

    /// The same of the ledger of a shard.
    ///
    /// # Errors
    /// As [`RuleSet::check_shard`].
    pub fn check_partitioned(&self, shard: Shard) -> Result<(), SessionError> {
        if self.is_partitioned() {
            return Ok(());
        }
        let message = format!(
            "this ledger holds shard {} of {}, and the rules partition nothing: write `@partition(column)` before the \
            inputs whose facts lie in one shard",
            shard.number(),
            shard.count()
        );
        Err(SessionError::NotAllowed { message })
    }
}

/// Checks that a fact lies in the shard of a ledger.
///
/// # Errors
/// It lies in another.
pub(super) fn check_fact(rules: &RuleSet, shard: Shard, fact: &Fact) -> Result<(), SessionError> {
    let Some(home) = rules.partition_of(fact).map(|value| shard.of(value)) else { return Ok(()) };
    if home == shard {
        return Ok(());
    }
    let (home, count, here) = (home.number(), shard.count(), shard.number());
    let message = format!(
        "`{fact}` lies in shard {home} of {count}, and this ledger holds shard {here}; `hence shard assert` takes \
        each fact to its own"
    );
    Err(SessionError::NotAllowed { message })
}
