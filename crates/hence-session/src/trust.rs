//! What the rules see of an input with `from` where the ledger demands signatures: only facts whose author had the role
//! and signed them.

use std::borrow::Cow;

use hence_core::fact::Fact;
use hence_core::schema::{Kind, RULES, Relation, RelationId};
use hence_core::value::Value;
use hence_engine::Database;
use hence_lang::ir::Program;
use hence_ledger::{
    ADMIN, Attested, Changes, EffectRound, Ledger, LedgerError, PRINCIPAL, Principals, Recast, When,
};

use super::error::SessionError;
use super::{RuleSet, Session, Store};

/// A fact that is recorded and not there for the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Untrusted {
    /// The fact, as the rules would see it.
    pub fact: Fact,
    /// The transaction that asserted it.
    pub tx: u64,
    /// Why it isn't there.
    pub why: String,
}

/// Whether facts of a relation count only where they are signed.
pub(super) fn is_guarded(ledger: &Ledger, relation: &Relation, at: When) -> Result<bool, LedgerError> {
    if relation.authors.is_none() {
        return Ok(false);
    }
    match ledger.principals()?.since() {
        Some(since) => Ok(since <= ledger.tx_when(at)?),
        None => Ok(false),
    }
}

/// Adds the facts of a guarded relation that count, whose first columns hold `first`.
pub(super) fn add(
    ledger: &Ledger,
    (program, relation): (&Program, RelationId),
    (at, recast): (When, &Recast),
    first: &[Value],
    input: &mut Database,
) -> Result<(), LedgerError> {
    let Some(schema) = program.relation(relation) else { return Ok(()) };
    let principals = ledger.principals()?;
    for attested in ledger.attested(schema.name, at)?.iter() {
        let values = recast.read(&attested.fact.values).filter(|values| values.starts_with(first));
        let Some(values) = values else { continue };
        if fault(&principals, schema, attested, &values).is_none() {
            let words: Vec<_> = values.iter().map(|value| value.word()).collect();
            input.push(relation, &words);
        }
    }
    Ok(())
}

/// Why a fact does not count.
fn fault(
    principals: &Principals,
    relation: &Relation,
    attested: &Attested,
    values: &[Value],
) -> Option<String> {
    let authors = relation.authors.as_ref()?;
    let Attested { tx, author, by_rule, instants, fault, .. } = attested;
    if fault.is_some() || *by_rule {
        let rules = authors.roles.iter().any(|role| role.as_str() == RULES);
        let rule = || format!("rule {author} asserted it, and `{}` takes no effects", relation.name);
        return fault.clone().or_else(|| (!rules).then(rule));
    }
    let before = tx.saturating_sub(1);
    if !authors.roles.iter().any(|role| principals.has(author, role.as_str(), before)) {
        return Some(format!("`{author}` had no role for it in transaction {tx}"));
    }
    // Who carries facts over in a migration leaves the words of others as they are.
    if principals.has(author, ADMIN, before) {
        return None;
    }
    let names = |at: usize| values.get(at) != Some(&Value::String(author.as_str().into()));
    if authors.column.is_some_and(names) {
        return Some(format!("it names somebody else than `{author}`, who asserted it in transaction {tx}"));
    }
    let (from, to) = *instants;
    let untimely =
        |at: usize| !matches!(values.get(at), Some(Value::Time(time)) if (from..=to).contains(time));
    let message = || format!("it holds another instant than that of transaction {tx}");
    authors.time.is_some_and(untimely).then(message)
}

impl Session {
    /// The facts of inputs with `from` that are recorded and not there for the rules, with why.
    ///
    /// # Errors
    /// A ledger that can't be read.
    pub fn untrusted(rules: &RuleSet, ledger: &Ledger) -> Result<Vec<Untrusted>, SessionError> {
        let mut all = Vec::new();
        let principals = ledger.principals()?;
        for relation in rules.program.relations.iter().filter(|relation| relation.kind == Kind::Input) {
            if !is_guarded(ledger, relation, When::Now)? {
                continue;
            }
            for attested in ledger.attested(relation.name, When::Now)?.iter() {
                // Facts under older columns are told as they are recorded.
                let values = &attested.fact.values;
                let whole = values.len() == relation.columns.len();
                let why = attested.fault.clone().filter(|_| !whole);
                if let Some(why) = why.or_else(|| fault(&principals, relation, attested, values)) {
                    all.push(Untrusted { fact: attested.fact.clone(), tx: attested.tx, why });
                }
            }
        }
        Ok(all)
    }

    /// Changes without the removal of what is not there for the rules anyway.
    pub(super) fn there<'c>(&self, changes: &'c Changes) -> Result<Cow<'c, Changes>, SessionError> {
        let Store::Ledger(ledger) = &self.store else { return Ok(Cow::Borrowed(changes)) };
        if changes.removed.is_empty() || !ledger.principals()?.demand_signatures() {
            return Ok(Cow::Borrowed(changes));
        }
        let untrusted = Self::untrusted(&self.rules, ledger)?;
        let mut changes = changes.clone();
        changes.removed.retain(|fact| !untrusted.iter().any(|found| found.fact == *fact));
        Ok(Cow::Owned(changes))
    }

    /// Checks that who is to sign a transaction can, where its effects assert facts of inputs with `from`.
    ///
    /// # Errors
    /// The author is not a principal.
    pub(super) fn check_steps(&self, author: &str, steps: &[EffectRound]) -> Result<(), SessionError> {
        let Store::Ledger(ledger) = &self.store else { return Ok(()) };
        if steps.is_empty() {
            return Ok(());
        }
        let principals = ledger.principals()?;
        let facts = steps.iter().flat_map(|step| &step.changes).map(|change| &change.fact);
        if !principals.demand_signatures() || !concerns(&self.rules.program, facts) {
            return Ok(());
        }
        if principals.keys(author, ledger.last_tx()).is_empty() {
            let message = format!(
                "an effect changes facts that are to be signed, and `{author}` is not a principal; \
                `hence principal add` makes one"
            );
            return Err(SessionError::NotAllowed { message });
        }
        Ok(())
    }
}

/// Whether a transaction concerns what is guarded: principals, or inputs with `from`.
pub(super) fn concerns<'f>(program: &Program, facts: impl IntoIterator<Item = &'f Fact>) -> bool {
    facts.into_iter().any(|fact| {
        let relation = program.find(fact.relation).and_then(|id| program.relation(id));
        fact.relation.as_str() == PRINCIPAL || relation.is_some_and(|found| found.authors.is_some())
    })
}
