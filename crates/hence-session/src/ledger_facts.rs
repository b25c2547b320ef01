//! The facts of a ledger as rows of a program, and those of a draft as a ledger records them.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, PoisonError};

use hence_core::fact::Fact;
use hence_core::schema::{Kind, Relation, RelationId};
use hence_core::span::Sources;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_engine::Database;
use hence_lang::ir::Program;
use hence_ledger::{Assertion, Decision, Draft, Ledger, LedgerError, Notice, When};

use super::brought::{self, Brought};
use super::error::SessionError;
use super::fitting::{Legacy, Lens, Reading};
use super::{RuleSet, Session, Store, trust};

/// A ledger, and what is known of facts that are older than their schemas.
pub(super) struct Recording {
    ledger: Ledger,
    pub(super) legacy: Legacy,
}

impl Recording {
    pub(super) fn new(ledger: Ledger) -> Self {
        Self { ledger, legacy: Legacy::default() }
    }

    pub(super) fn close(self) -> Vec<Notice> {
        self.ledger.close()
    }

    /// The ledger, for whoever goes on with it.
    pub(super) fn into_ledger(self) -> Ledger {
        self.ledger
    }
}

impl Deref for Recording {
    type Target = Ledger;

    fn deref(&self) -> &Ledger {
        &self.ledger
    }
}

impl DerefMut for Recording {
    fn deref_mut(&mut self) -> &mut Ledger {
        &mut self.ledger
    }
}

/// How a session's rules read its ledger as it is now, and how many schemas that had then.
#[derive(Default)]
pub(super) struct LensNow(Mutex<Option<(usize, Arc<Lens>)>>);

impl Session {
    /// How the rules of this session read its ledger as it is now.
    ///
    /// # Errors
    /// Relations whose recorded facts can't be read under these rules.
    pub(super) fn lens(&self, ledger: &Recording) -> Result<Arc<Lens>, SessionError> {
        let mut known = self.lens.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = ledger.schema_count();
        if let Some((_, lens)) = known.as_ref().filter(|(then, _)| *then == count) {
            return Ok(Arc::clone(lens));
        }
        // The facts were looked at when the session first asked; what was asserted since fits.
        let reading = Reading { ledger, at: When::Now, legacy: &ledger.legacy, trusted: known.is_some() };
        let lens = Arc::new(Lens::new(&reading, &self.rules.program, &self.rules.sources)?);
        *known = Some((count, Arc::clone(&lens)));
        Ok(lens)
    }

    /// Checks that the rules of this session can read all facts that stood in its ledger at its moment.
    ///
    /// # Errors
    /// Relations whose recorded facts can't be read under these rules.
    pub fn check_columns(&self) -> Result<(), SessionError> {
        match &self.store {
            Store::Ledger(ledger) => {
                self.lens_for(ledger, (&self.rules.program, &self.rules.sources), self.as_of).map(drop)
            }
            Store::Memory(_) => Ok(()),
        }
    }

    /// How a program reads the ledger as it was at a moment.
    ///
    /// # Errors
    /// Relations whose recorded facts can't be read under these rules.
    pub(super) fn lens_for(
        &self,
        ledger: &Recording,
        (program, sources): (&Program, &Sources),
        at: When,
    ) -> Result<Arc<Lens>, SessionError> {
        if at == When::Now && declares_the_same(program, &self.rules.program) {
            return self.lens(ledger);
        }
        let reading = Reading { ledger, at, legacy: &ledger.legacy, trusted: false };
        Ok(Arc::new(Lens::new(&reading, program, sources)?))
    }
}

/// Whether each relation of a program that isn't made up for a question is that of another one.
pub(super) fn declares_the_same(program: &Program, other: &Program) -> bool {
    let same = |relation: &Relation, other: &Relation| {
        relation.name == other.name && relation.kind == other.kind && relation.columns == other.columns
    };
    let mut others = other.relations.iter();
    program.relations.len() >= other.relations.len()
        && program.relations.iter().zip(others.by_ref()).all(|(relation, other)| same(relation, other))
}

/// The facts that stood in a ledger at a moment, of the input relations that `program` knows, and how they are read.
pub(super) fn standing(
    reading: &Reading<'_>,
    program: &Program,
    sources: &Sources,
) -> Result<(Database, Lens), SessionError> {
    let (lens, mut input) = (Lens::new(reading, program, sources)?, Database::new(program));
    for relation in (0..program.relations.len() as u32).map(RelationId) {
        beginning(reading.ledger, &lens, reading.at, (program, relation), &[], &mut input)?;
    }
    Ok((input, lens))
}

/// Adds the facts of one input relation whose first columns hold `first`.
pub(super) fn beginning(
    ledger: &Ledger,
    lens: &Lens,
    as_of: When,
    (program, relation): (&Program, RelationId),
    first: &[Value],
    input: &mut Database,
) -> Result<(), LedgerError> {
    let Some(schema) = program.relation(relation).filter(|schema| schema.kind == Kind::Input) else {
        return Ok(());
    };
    let recast = lens.recast(schema);
    if trust::is_guarded(ledger, schema, as_of)? {
        return trust::add(ledger, (program, relation), (as_of, &recast), first, input);
    }
    ledger.each_row(schema.name, as_of, &recast, first, &mut |row| input.push(relation, row))
}

/// Who had asserted a fact that stood at a moment, and in which columns it has the default because it is older.
pub(super) fn assertion(
    ledger: &Ledger,
    legacy: &Legacy,
    at: When,
    relation: &Relation,
    fact: &Fact,
) -> Result<Option<(Assertion, Vec<Symbol>)>, LedgerError> {
    let reading = Reading { ledger, at, legacy, trusted: true };
    let Some(recast) = reading.one(relation)? else { return Ok(None) };
    for values in recast.forms(&fact.values) {
        let held = values.len();
        if let Some(found) = ledger.assertion_at(&Fact { relation: fact.relation, values }, at)? {
            return Ok(Some((found, recast.defaults(held))));
        }
    }
    Ok(None)
}

/// The decisions that stood at a moment.
pub(super) fn decisions(ledger: &Ledger, as_of: When) -> Result<Vec<Decision>, LedgerError> {
    Ok(ledger.decisions_at(as_of)?.into_iter().map(|standing| standing.decision).collect())
}

/// Puts the facts of a draft, which have the columns that `rules` declare, into the form in which the ledger records
/// them.
///
/// # Errors
/// A fact that no file of facts could hold, relations whose recorded facts can't be read under these rules, a ledger that can't be
/// read.
pub fn fit_draft(rules: &RuleSet, ledger: &Ledger, draft: &mut Draft) -> Result<(), SessionError> {
    let said = draft.said.iter().map(|said| &said.fact);
    brought::check(rules, draft.assertions.iter().chain(said), Brought::Recorded)?;
    let reading = Reading { ledger, at: When::Now, legacy: &Legacy::default(), trusted: false };
    let lens = Lens::new(&reading, &rules.program, &rules.sources)?;
    Ok(lens.record(ledger, &rules.program, draft)?)
}
