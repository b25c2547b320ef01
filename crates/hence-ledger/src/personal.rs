//! Personal values: recorded encrypted under a key of their subject, which lies outside the chain. Who destroys the key
//! erases the values wherever they are: in journal, base, archive, exports and copies.

mod erased;
mod recorded;
mod ring;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use hence_core::fact::Fact;
use hence_core::schema::Personal;
use hence_core::symbol::Symbol;
use hence_core::value::Value;

use super::Ledger;
use super::error::LedgerError;
use super::list::Proposed;
use super::reserved::is_reserved;
use super::rows::{FactIter, Rows};
use super::transaction::Draft;
use super::{keys, tuple};
use ring::Ring;
pub use ring::is_token;

/// The relation of the columns that hold personal values: relation, column, column of the subject.
pub const PERSONAL: &str = "hence.personal";
/// The relation of the keys that were destroyed.
pub const ERASED: &str = "hence.erased";

/// A relation, and a column of it.
pub(super) type Declared = (Symbol, Personal);

/// What a personal value becomes, by its subject and its text.
type Change<'c> = dyn FnMut(&str, &str) -> Result<Option<String>, LedgerError> + 'c;

type Columns = BTreeMap<Symbol, Vec<Personal>>;

/// The personal columns and the keys of a ledger, each looked up once it is needed.
#[derive(Default)]
pub(super) struct Vault {
    /// The file of the keys; in memory there is none.
    pub(super) path: Option<PathBuf>,
    columns: OnceLock<Columns>,
    ring: Mutex<Option<Ring>>,
    /// Keys that are recorded as destroyed after the last transaction that is read.
    erased_later: BTreeSet<String>,
}

impl Vault {
    /// What was looked up may have changed.
    pub(super) fn forget(&mut self) {
        self.columns = OnceLock::new();
        if self.path.is_some() {
            *self.lock() = None;
        }
    }

    /// Another process has written: columns are looked up again, and keys where some were `destroyed` or their file is
    /// another one.
    pub(super) fn look_again(&mut self, destroyed: bool) {
        self.columns = OnceLock::new();
        let Some(path) = self.path.clone() else { return };
        let mut held = self.lock();
        if destroyed || held.as_ref().is_some_and(|ring| !ring.is_of(&path)) {
            *held = None;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Ring>> {
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The fact that records a personal column.
pub fn personal_fact(relation: Symbol, Personal { column, subject }: Personal) -> Fact {
    let number = |at: usize| Value::Int(i64::try_from(at).unwrap_or(i64::MAX));
    Fact::new(PERSONAL, [Value::String(relation), number(column), number(subject)])
}

/// The personal columns that facts declare.
pub(super) fn declared(facts: &[Fact]) -> Vec<Declared> {
    facts.iter().filter(|fact| fact.relation.as_str() == PERSONAL).filter_map(read_personal).collect()
}

fn read_personal(fact: &Fact) -> Option<(Symbol, Personal)> {
    let [Value::String(relation), Value::Int(column), Value::Int(subject)] = *fact.values else {
        return None;
    };
    let (column, subject) = (usize::try_from(column).ok()?, usize::try_from(subject).ok()?);
    Some((relation, Personal { column, subject }))
}

/// A fact whose personal values `change` has replaced, by the text of their subject; the same where none is.
fn replaced(fact: &mut Fact, columns: &Columns, change: &mut Change<'_>) -> Result<(), LedgerError> {
    let Some(personal) = columns.get(&fact.relation) else { return Ok(()) };
    // The subject may be a personal value itself.
    let subjects: Vec<Option<String>> =
        personal.iter().map(|personal| Some(fact.values.get(personal.subject)?.text())).collect();
    for (personal, subject) in personal.iter().zip(subjects) {
        if let (Some(Value::String(text)), Some(subject)) = (fact.values.get_mut(personal.column), subject)
            && let Some(changed) = change(&subject, text.as_str())?
        {
            *text = Symbol::new(&changed);
        }
    }
    Ok(())
}

/// Appends a fact to `out`, its personal values as `change` gives them.
fn encoded(
    fact: &Fact,
    columns: &Columns,
    change: &mut Change<'_>,
    out: &mut Vec<u8>,
) -> Result<(), LedgerError> {
    let Some(personal) = columns.get(&fact.relation) else {
        tuple::encode(&fact.values, out);
        return Ok(());
    };
    for (at, value) in fact.values.iter().enumerate() {
        let subject = personal.iter().find(|personal| personal.column == at);
        let subject = subject.and_then(|personal| fact.values.get(personal.subject));
        let changed = match (value, subject) {
            (Value::String(text), Some(subject)) => change(&subject.text(), text.as_str())?,
            _ => None,
        };
        match changed {
            Some(text) => tuple::Raw::String(Cow::Owned(text)).encode(out),
            None => tuple::encode(std::slice::from_ref(value), out),
        }
    }
    Ok(())
}

impl Ledger {
    /// The columns of each relation that hold personal values.
    ///
    /// # Errors
    /// If the base can't be read.
    pub fn personal(&self) -> Result<&BTreeMap<Symbol, Vec<Personal>>, LedgerError> {
        if let Some(known) = self.vault.columns.get() {
            return Ok(known);
        }
        let mut columns = Columns::new();
        if self.state.number(Symbol::new(PERSONAL)).is_some() {
            for fact in self.facts(Symbol::new(PERSONAL)) {
                if let Some((relation, personal)) = read_personal(&fact?.0) {
                    columns.entry(relation).or_default().push(personal);
                }
            }
        }
        Ok(self.vault.columns.get_or_init(|| columns))
    }

    /// Whether facts of a relation hold personal values.
    pub(super) fn is_personal(&self, relation: Symbol) -> Result<bool, LedgerError> {
        Ok(!is_reserved(relation) && self.personal()?.contains_key(&relation))
    }

    /// Asks the keys, which are read where they weren't.
    fn with_ring<T>(&self, ask: impl FnOnce(&mut Ring) -> Result<T, LedgerError>) -> Result<T, LedgerError> {
        let mut held = self.vault.lock();
        if held.is_none() {
            // The lock is let go of while the base is read, which doesn't ask for keys.
            drop(held);
            let ring = Ring::read(self.vault.path.as_deref(), self.erased_keys()?)?;
            held = self.vault.lock();
            held.get_or_insert(ring);
        }
        match held.as_mut() {
            Some(ring) => ask(ring),
            None => Err(LedgerError::Misfit { what: String::from("the keys of personal values are gone") }),
        }
    }

    /// A recorded fact as it is read: personal values that a key opens, and what stands in the place of others.
    pub(super) fn opened(&self, mut fact: Fact) -> Result<Fact, LedgerError> {
        if self.is_personal(fact.relation)? {
            for value in &mut fact.values {
                *value = self.opened_value(*value)?;
            }
        }
        Ok(fact)
    }

    pub(super) fn opened_value(&self, value: Value) -> Result<Value, LedgerError> {
        let (Value::String(text) | Value::Name(text)) = value else { return Ok(value) };
        if !is_token(text.as_str()) {
            return Ok(value);
        }
        let opened = self.with_ring(|ring| Ok(ring.open(text.as_str())))?;
        Ok(opened.map_or(value, |opened| Value::String(Symbol::new(&opened))))
    }

    /// A fact as it is recorded, to look it up. Personal values without a key were never recorded, or are erased.
    pub(super) fn sealed<'f>(&self, fact: &'f Fact) -> Result<Cow<'f, Fact>, LedgerError> {
        if !self.is_personal(fact.relation)? {
            return Ok(Cow::Borrowed(fact));
        }
        let mut fact = fact.clone();
        replaced(&mut fact, self.personal()?, &mut |subject, text| {
            self.with_ring(|ring| ring.seal(subject, text))
        })?;
        Ok(Cow::Owned(fact))
    }

    /// The facts of a personal relation as they are read, ascending.
    pub(super) fn personal_facts(
        &self,
        relation: Symbol,
        first: &[Value],
        at: Option<u64>,
    ) -> Result<Vec<(Fact, u64)>, LedgerError> {
        let rows = self
            .state
            .number(relation)
            .map(|number| Rows::new(&self.view, &keys::relation(keys::FACT, number), at));
        let mut facts = Vec::new();
        for fact in FactIter::new(relation, rows, Vec::new()) {
            let (fact, since) = fact?;
            let fact = self.opened(fact)?;
            if fact.values.starts_with(first) {
                facts.push((fact, since));
            }
        }
        facts.sort();
        Ok(facts)
    }

    /// The personal columns that a draft is recorded by.
    fn columns_of(&self, draft: &Draft, declared: &[Declared]) -> Result<Cow<'_, Columns>, LedgerError> {
        let before = self.personal()?;
        let mut columns = Cow::Borrowed(before);
        for (relation, personal) in declared {
            let known = columns.to_mut().entry(*relation).or_default();
            let renewed = draft.schemas.iter().any(|one| one.renews && one.relation == *relation);
            if !known.contains(personal) {
                known.push(*personal);
                if !renewed || !before.contains_key(relation) {
                    self.check_new(*relation)?;
                }
            }
        }
        for (relation, personal) in self::declared(&draft.retractions) {
            columns.to_mut().entry(relation).or_default().retain(|known| *known != personal);
        }
        if let Some(said) = draft.said.iter().find(|said| columns.contains_key(&said.fact.relation)) {
            let what =
                format!("personal values can't be said by others yet: a fact of `{}`", said.fact.relation);
            return Err(LedgerError::Misfit { what });
        }
        Ok(columns)
    }

    /// The assertions and retractions of a draft as they are recorded; keys of new subjects are made. What is under a key
    /// is no text of its own: of a load of many facts it would take as much room as they.
    pub(super) fn proposed(
        &self,
        draft: &Draft,
        declared: &[Declared],
    ) -> Result<(Proposed, Proposed), LedgerError> {
        let (before, columns) = (self.personal()?, self.columns_of(draft, declared)?);
        let mut make = |subject: &str, text: &str| self.with_ring(|ring| ring.make(subject, text));
        let mut asserted = |fact: &Fact, out: &mut Vec<u8>| encoded(fact, &columns, &mut make, out);
        let asserted = Proposed::encoded(draft.assertions.iter(), &mut asserted)?;
        let mut seal = |subject: &str, text: &str| self.with_ring(|ring| ring.seal(subject, text));
        let mut retracted = |fact: &Fact, out: &mut Vec<u8>| encoded(fact, before, &mut seal, out);
        Ok((asserted, Proposed::encoded(draft.retractions.iter(), &mut retracted)?))
    }

    /// Puts the personal values of a draft into the form in which they are recorded; keys of new subjects are made.
    pub(super) fn seal_draft(&self, draft: &mut Draft, declared: &[Declared]) -> Result<(), LedgerError> {
        let before = self.personal()?;
        let columns = self.columns_of(draft, declared)?;
        if columns.is_empty() {
            return Ok(());
        }
        let mut make = |subject: &str, text: &str| self.with_ring(|ring| ring.make(subject, text));
        let steps = draft.steps.iter_mut().flatten().flat_map(|step| &mut step.changes);
        let drawn = draft.drawn.iter_mut().map(|decision| &mut decision.fact);
        let facts = draft.assertions.iter_mut().chain(drawn).chain(steps.map(|change| &mut change.fact));
        for fact in facts {
            replaced(fact, &columns, &mut make)?;
        }
        let mut seal = |subject: &str, text: &str| self.with_ring(|ring| ring.seal(subject, text));
        let lapsed = draft.lapsed.iter_mut().map(|lapsed| &mut lapsed.fact);
        for fact in draft.retractions.iter_mut().chain(lapsed) {
            replaced(fact, before, &mut seal)?;
        }
        Ok(())
    }

    /// Facts as they would be recorded, with these columns personal beside those that the ledger knows: a subject without a
    /// key gets one, which is saved with the next transaction.
    ///
    /// # Errors
    /// If base or keys can't be read.
    pub fn under_keys(&self, facts: &mut [Fact], declared: &[(Symbol, Personal)]) -> Result<(), LedgerError> {
        let mut columns = self.personal()?.clone();
        for (relation, personal) in declared {
            let known = columns.entry(*relation).or_default();
            if !known.contains(personal) {
                known.push(*personal);
            }
        }
        let mut make = |subject: &str, text: &str| self.with_ring(|ring| ring.make(subject, text));
        facts.iter_mut().try_for_each(|fact| replaced(fact, &columns, &mut make))
    }

    /// A relation whose facts are recorded as they are can't begin to hold personal values.
    fn check_new(&self, relation: Symbol) -> Result<(), LedgerError> {
        if self.state.number(relation).is_none() {
            return Ok(());
        }
        let what = format!(
            "`{relation}` was recorded before a column of it was personal, and what is recorded stays: name \
            another relation, or begin another ledger"
        );
        Err(LedgerError::Misfit { what })
    }

    /// Makes the keys of new subjects durable, before anything that they seal is.
    pub(super) fn save_keys(&self) -> Result<(), LedgerError> {
        if self.vault.lock().is_none() {
            return Ok(());
        }
        self.with_ring(|ring| ring.save(self.vault.path.as_deref()))
    }

    /// The id of a subject's key, and the current facts that it opens, as they are read; `None` for an unknown subject.
    ///
    /// # Errors
    /// If base or keys can't be read.
    pub fn subject(&self, subject: &str) -> Result<Option<(String, Vec<Fact>)>, LedgerError> {
        let Some(id) = self.with_ring(|ring| Ok(ring.id(subject)))? else { return Ok(None) };
        let mut found = Vec::new();
        for relation in self.personal()?.keys() {
            let rows = self
                .state
                .number(*relation)
                .map(|number| Rows::new(&self.view, &keys::relation(keys::FACT, number), None));
            for fact in FactIter::new(*relation, rows, Vec::new()) {
                let fact = fact?.0;
                let is_of = |value: &Value| ring::key_of(&value.text()) == Some(id.as_str());
                if fact.values.iter().any(is_of) {
                    found.push(self.opened(fact)?);
                }
            }
        }
        Ok(Some((id, found)))
    }

    /// Whether facts of a relation stand whose keys are not here.
    ///
    /// # Errors
    /// If base or keys can't be read.
    pub fn has_unreadable(&self, relation: Symbol) -> Result<bool, LedgerError> {
        self.had_unreadable(relation, None)
    }

    /// The same after the transaction `at`, or now.
    ///
    /// # Errors
    /// As [`Ledger::has_unreadable`].
    pub fn had_unreadable(&self, relation: Symbol, at: Option<u64>) -> Result<bool, LedgerError> {
        if !self.is_personal(relation)? {
            return Ok(false);
        }
        let Some(number) = self.state.number(relation) else { return Ok(false) };
        let rows = Rows::new(&self.view, &keys::relation(keys::FACT, number), at);
        for fact in FactIter::new(relation, Some(rows), Vec::new()) {
            let texts: Vec<String> = fact?.0.values.iter().map(|value| value.text()).collect();
            let mut tokens = texts.iter().filter(|text| is_token(text));
            if self.with_ring(|ring| Ok(tokens.any(|token| !ring.opens(token))))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The facts of a relation that stood after a transaction and have personal values whose keys are not here, as they
    /// are read; with the columns of these values.
    ///
    /// # Errors
    /// If base or keys can't be read.
    pub fn unreadable_facts(
        &self,
        relation: Symbol,
        at: u64,
    ) -> Result<Vec<(Fact, Vec<usize>)>, LedgerError> {
        let mut found = Vec::new();
        if !self.is_personal(relation)? {
            return Ok(found);
        }
        let Some(number) = self.state.number(relation) else { return Ok(found) };
        let rows = Rows::new(&self.view, &keys::relation(keys::FACT, number), Some(at));
        for fact in FactIter::new(relation, Some(rows), Vec::new()) {
            let fact = fact?.0;
            let is_hidden = |value: &Value| {
                let text = value.text();
                Ok(is_token(&text) && self.with_ring(|ring| Ok(!ring.opens(&text)))?)
            };
            let hidden = fact.values.iter().map(is_hidden).collect::<Result<Vec<bool>, LedgerError>>()?;
            if hidden.contains(&true) {
                let columns = hidden.iter().enumerate().filter(|(_, hidden)| **hidden).map(|(at, _)| at);
                let columns = columns.collect();
                found.push((self.opened(fact)?, columns));
            }
        }
        Ok(found)
    }

    fn is_unreadable(&self, relation: Symbol, tuple: &[u8]) -> Result<bool, LedgerError> {
        if !self.is_personal(relation)? {
            return Ok(false);
        }
        let texts: Vec<String> = tuple::decode(tuple)?.iter().map(|value| value.text()).collect();
        let mut tokens = texts.iter().filter(|text| is_token(text));
        self.with_ring(|ring| Ok(tokens.any(|token| !ring.opens(token))))
    }
}
