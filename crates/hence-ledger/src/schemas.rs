//! Which columns recorded facts have: the schemas of all relations, each from the transaction on that recorded it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hence_core::fact::Fact;
use hence_core::schema::{Column, ColumnType, NameSet};
use hence_core::symbol::Symbol;
use hence_core::value::{Type, Value};

use super::bytes::{Malformed, Reader, put_varint};
use super::content::{Act, Change, Summary, decode_changes};
use super::error::LedgerError;
use super::list::ChangeList;
use super::rows::{FactIter, Rows};
use super::scan::Whole;
use super::state::State;
use super::transaction::{Draft, Schema};
use super::view::View;
use super::{Ledger, When, keys, tuple};

/// The columns that the facts of a relation have in a span of its history in which they compare with each other: a
/// fact has a value in each, or in the first of them alone where it is older than the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// The columns, in the order in which facts hold their values.
    pub columns: Vec<Column>,
    /// How many values the oldest facts hold at least.
    pub least: usize,
    /// The transaction that began this span; 0 for the first one.
    pub from: u64,
    /// The transaction that ended it, as a migration does.
    pub until: Option<u64>,
}

impl Recorded {
    /// Columns in which every fact has a value.
    pub fn of(columns: &[Column]) -> Self {
        let columns = columns.iter().map(|column| Column { default: None, ..nameless(column) });
        let columns: Vec<Column> = columns.collect();
        Self { least: columns.len(), columns, from: 0, until: None }
    }

    /// Whether a fact fits these columns.
    fn admits(&self, fact: &Fact) -> bool {
        self.admit(&fact.values)
    }

    fn admit(&self, values: &[Value]) -> bool {
        (self.least..=self.columns.len()).contains(&values.len())
            && values.iter().zip(&self.columns).all(|(value, column)| column.ty.admits(*value))
    }
}

/// The schemas of all relations: of each those that were recorded, with the transactions that did, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Schemas(BTreeMap<Symbol, Vec<(u64, Schema)>>);

impl Schemas {
    /// Takes in what a transaction records.
    pub(crate) fn enter(&mut self, tx: u64, schemas: &[Schema]) {
        for schema in schemas {
            self.0.entry(schema.relation).or_default().push((tx, schema.clone()));
        }
    }

    /// How many were recorded in all.
    fn count(&self) -> usize {
        self.0.values().map(Vec::len).sum()
    }

    /// The columns of a relation after transaction `tx`; what nothing was recorded of before is as it was recorded
    /// first, unless that began again.
    pub(crate) fn at(&self, relation: Symbol, tx: u64) -> Option<Recorded> {
        let all = self.0.get(&relation)?;
        let held = all.partition_point(|(from, _)| *from <= tx);
        let last = match held.checked_sub(1) {
            Some(last) => last,
            None => all.first().filter(|(_, first)| !first.renews).map(|_| 0)?,
        };
        recorded(all, last)
    }

    /// The spans of a relation's history whose facts compare with each other, each with its last columns.
    fn generations(&self, relation: Symbol) -> Vec<Recorded> {
        let Some(all) = self.0.get(&relation) else { return Vec::new() };
        let ends = (0..all.len()).filter(|at| all.get(at + 1).is_none_or(|(_, next)| next.renews));
        ends.filter_map(|last| recorded(all, last)).collect()
    }

    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        if self.0.is_empty() {
            return;
        }
        put_varint(out, self.count() as u64);
        for (tx, schema) in self.0.values().flatten() {
            put_varint(out, *tx);
            schema.encode(out);
        }
    }

    /// What [`Schemas::encode`] wrote at the end of something.
    pub(crate) fn decode(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        let mut schemas = Self::default();
        if !reader.is_empty() {
            for _ in 0..reader.length()? {
                let tx = reader.varint()?;
                schemas.enter(tx, &[Schema::decode(reader)?]);
            }
        }
        reader.end()?;
        Ok(schemas)
    }
}

/// The span of a history that ends with its place `last` or goes on there.
fn recorded(all: &[(u64, Schema)], last: usize) -> Option<Recorded> {
    let until = all.iter().skip(last + 1).find(|(_, schema)| schema.renews).map(|(tx, _)| *tx);
    let upto = all.get(..=last)?;
    let start = upto.iter().rposition(|(_, schema)| schema.renews).unwrap_or(0);
    let ((tx, first), (_, schema)) = (upto.get(start)?, upto.last()?);
    let from = if first.renews { *tx } else { 0 };
    Some(Recorded { columns: schema.columns.clone(), least: first.columns.len(), from, until })
}

/// Why a schema can't follow the one before it; `held` says whether its relation ever held something.
fn out_of_step(before: Option<&Recorded>, held: bool, schema: &Schema) -> Option<&'static str> {
    if let Some(why) = ill_formed(schema) {
        return Some(why);
    }
    if schema.renews {
        let is_first = before.is_none() && !held;
        return is_first.then_some("it restarts a relation that was never recorded");
    }
    let before = before?;
    let same = |(old, new): (&Column, &Column)| old.name == new.name && old.ty.ty == new.ty.ty;
    let added = schema.columns.get(before.columns.len()..);
    match added.filter(|_| before.columns.iter().zip(&schema.columns).all(same)) {
        Some(added) if added.iter().all(|column| column.default.is_some()) => None,
        Some(_) => Some("it adds a column without a value for older facts"),
        None => Some("it neither starts with the columns of the previous one nor restarts the relation"),
    }
}

/// What no schema may be.
fn ill_formed(schema: &Schema) -> Option<&'static str> {
    let names: BTreeSet<Symbol> = schema.columns.iter().map(|column| column.name).collect();
    let has_names = |column: &Column| column.ty.set.is_none() || column.ty.ty == Type::Name;
    let fits = |column: &Column| column.default.is_none_or(|default| column.ty.admits(default));
    if names.len() < schema.columns.len() {
        Some("duplicate column")
    } else if !schema.columns.iter().all(has_names) {
        Some("a column with a set of names is not of type name")
    } else if !schema.columns.iter().all(fits) {
        Some("the value for a column of older facts has the wrong type")
    } else {
        None
    }
}

impl Ledger {
    /// The columns that the facts of `relation` have at a moment; `None` where none were recorded.
    ///
    /// # Errors
    /// If there is no such transaction.
    pub fn recorded(&self, relation: Symbol, when: When) -> Result<Option<Recorded>, LedgerError> {
        let tx = self.at(when)?.unwrap_or(self.state.tx);
        Ok(self.state.schemas.at(relation, tx))
    }

    /// The spans of a relation's history whose facts compare with each other, each with its last columns; none where
    /// no columns were recorded.
    pub fn generations(&self, relation: Symbol) -> Vec<Recorded> {
        self.state.schemas.generations(relation)
    }

    /// How many schemas were recorded; what relations look like is the same as long as this is.
    pub fn schema_count(&self) -> usize {
        self.state.schemas.count()
    }

    /// Checks that the schemas of a draft may follow those before, and that what it asserts fits them.
    pub(super) fn check_schemas(&self, draft: &Draft) -> Result<(), LedgerError> {
        let misfit = |misfit: Misfit| LedgerError::Misfit { what: misfit.to_string() };
        check(&self.state, &draft.schemas, draft.assertions.iter()).map_err(misfit)?;
        of_nothing(&self.state, &draft.schemas, &draft.assertions).map_or(Ok(()), |found| Err(misfit(found)))
    }

    /// The same of an imported transaction. One whose schema is of nothing else there is left to `verify`: earlier
    /// migrations recorded such.
    pub(super) fn check_imported(
        &self,
        schemas: &[Schema],
        changes: &ChangeList<'_>,
    ) -> Result<Option<String>, Malformed> {
        let known = match following(&self.state, schemas) {
            Ok(known) => known,
            Err(misfit) => return Ok(Some(misfit.to_string())),
        };
        let mut columns = Columns { known: &known, tx: self.state.tx + 1, last: None };
        for change in changes.iter().filter(|change| change.act == Act::Assert) {
            let Some(recorded) = columns.of(change.relation) else { continue };
            if !recorded.admit(&tuple::shape(change.tuple)?) {
                let misfit = Misfit::Fact(change.fact()?, recorded.columns.clone());
                return Ok(Some(misfit.to_string()));
            }
        }
        Ok(None)
    }
}

/// What is wrong with the schemas of a transaction of the journal, and with facts under them: nobody could have recorded
/// it.
pub(super) fn faults(whole: &Whole, state: &State) -> Result<Option<String>, LedgerError> {
    let Some((commit, parts)) = whole.contents.split_last() else { return Ok(None) };
    let mut reader = Reader::new(commit);
    let summary = Summary::decode(&mut reader)?;
    let renewed = renewed(&summary.schemas);
    let (mut asserted, mut failed) = (Vec::new(), Ok(()));
    let mut goes: BTreeMap<Symbol, u64> = BTreeMap::new();
    let mut look = |change: Change<'_>| match change.act {
        Act::Assert => match tuple::decode(change.tuple) {
            Ok(values) => asserted.push(Fact { relation: change.relation, values }),
            Err(error) => failed = Err(error),
        },
        Act::Retract { .. } if renewed.contains(&change.relation) => {
            *goes.entry(change.relation).or_default() += 1;
        }
        _ => {}
    };
    for part in parts {
        decode_changes(&mut Reader::new(part), &mut look)?;
    }
    decode_changes(&mut reader, &mut look)?;
    failed?;
    let misfit = check(state, &summary.schemas, asserted.iter()).err();
    let misfit = misfit.or_else(|| of_nothing(state, &summary.schemas, &asserted));
    let misfit = misfit.map(|misfit| misfit.to_string());
    let left = || renewed.iter().find_map(|name| facts_left(state, *name, goes.get(name).copied()));
    let found = misfit.or_else(left);
    Ok(found.map(|what| format!("transaction {}: {what}", whole.number)))
}

/// The relations with facts that don't fit the columns recorded for them.
pub(super) fn misfits(state: &State, view: &View) -> Result<Vec<Symbol>, LedgerError> {
    let mut found = Vec::new();
    for (relation, counts) in &state.relations {
        let Some(recorded) = state.schemas.at(*relation, state.tx) else { continue };
        let rows = Rows::new(view, &keys::relation(keys::FACT, counts.number), None);
        for fact in FactIter::new(*relation, Some(rows), Vec::new()) {
            if !recorded.admits(&fact?.0) {
                found.push(*relation);
                break;
            }
        }
    }
    Ok(found)
}

/// What keeps schemas or facts out of a ledger.
enum Misfit {
    Schema(Symbol, &'static str),
    Fact(Fact, Vec<Column>),
}

impl std::fmt::Display for Misfit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Schema(relation, why) => write!(f, "the schema of `{relation}` can't be recorded: {why}"),
            Self::Fact(fact, columns) => {
                let columns: Vec<String> = columns.iter().map(ToString::to_string).collect();
                let form = format!("{}({})", fact.relation, columns.join(", "));
                write!(f, "`{fact}` doesn't match the recorded columns `{form}`")
            }
        }
    }
}

fn check<'f>(state: &State, schemas: &[Schema], facts: impl Iterator<Item = &'f Fact>) -> Result<(), Misfit> {
    let known = following(state, schemas)?;
    let mut columns = Columns { known: &known, tx: state.tx + 1, last: None };
    for fact in facts {
        if let Some(recorded) = columns.of(fact.relation).filter(|recorded| !recorded.admits(fact)) {
            return Err(Misfit::Fact(fact.clone(), recorded.columns.clone()));
        }
    }
    Ok(())
}

/// The schemas of the next transaction, which records these.
fn following<'s>(state: &'s State, schemas: &[Schema]) -> Result<Cow<'s, Schemas>, Misfit> {
    let (mut known, tx) = (Cow::Borrowed(&state.schemas), state.tx + 1);
    for schema in schemas {
        let held = state.relations.contains_key(&schema.relation);
        if let Some(why) = out_of_step(known.at(schema.relation, tx).as_ref(), held, schema) {
            return Err(Misfit::Schema(schema.relation, why));
        }
        known.to_mut().enter(tx, std::slice::from_ref(schema));
    }
    Ok(known)
}

/// The columns of relations that are asked for one after another.
struct Columns<'s> {
    known: &'s Schemas,
    tx: u64,
    last: Option<(Symbol, Option<Recorded>)>,
}

impl Columns<'_> {
    fn of(&mut self, relation: Symbol) -> Option<&Recorded> {
        if self.last.as_ref().is_none_or(|(last, _)| *last != relation) {
            self.last = Some((relation, self.known.at(relation, self.tx)));
        }
        self.last.as_ref().and_then(|(_, recorded)| recorded.as_ref())
    }
}

/// A schema of a relation of which nothing was ever recorded, and nothing is with it.
fn of_nothing(state: &State, schemas: &[Schema], facts: &[Fact]) -> Option<Misfit> {
    let is_known = |relation: &Symbol| {
        state.relations.contains_key(relation) || facts.iter().any(|fact| fact.relation == *relation)
    };
    let relation = schemas.iter().map(|schema| schema.relation).find(|relation| !is_known(relation))?;
    Some(Misfit::Schema(relation, "that relation was never recorded"))
}

/// The relations whose facts begin again with these schemas.
pub(super) fn renewed(schemas: &[Schema]) -> BTreeSet<Symbol> {
    schemas.iter().filter(|schema| schema.renews).map(|schema| schema.relation).collect()
}

/// Checks that relations that start over keep no earlier fact.
pub(super) fn check_renewed(
    state: &State,
    schemas: &[Schema],
    changes: &ChangeList<'_>,
) -> Result<(), LedgerError> {
    for relation in renewed(schemas) {
        let retracts = changes.iter().filter(|change| change.relation == relation && change.retracts());
        if let Some(what) = facts_left(state, relation, Some(retracts.count() as u64)) {
            return Err(LedgerError::Misfit { what });
        }
    }
    Ok(())
}

/// What is wrong where of a relation that begins again only so many facts go.
fn facts_left(state: &State, relation: Symbol, goes: Option<u64>) -> Option<String> {
    let facts = state.relations.get(&relation).map_or(0, |counts| counts.facts);
    let left = facts.saturating_sub(goes.unwrap_or(0));
    (left > 0)
        .then(|| format!("{left} facts of `{relation}` would remain under columns that they don't have"))
}

/// A column whose closed set has no name, as schemas record it.
pub(crate) fn nameless(column: &Column) -> Column {
    let set =
        column.ty.set.as_ref().map(|set| Arc::new(NameSet { name: None, members: set.members.clone() }));
    Column { name: column.name, ty: ColumnType { ty: column.ty.ty, set }, default: column.default }
}
