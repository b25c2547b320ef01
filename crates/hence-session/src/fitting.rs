//! The facts of a ledger against the columns that rules declare: what compares is read and written by name, anything
//! else is an error before anything is decided.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use hence_core::diagnostic;
use hence_core::fact::Fact;
use hence_core::schema::{Column, Kind, Relation};
use hence_core::span::Sources;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_lang::ir::Program;
use hence_ledger::{Changes, Draft, EffectRound, Hash, Ledger, LedgerError, Recast, Recorded, Schema, When};

use super::RuleSet;
use super::erased::declare_personal;
use super::error::{Faults, SessionError};
use super::misfit::{Misfit, Trouble};

/// The columns of inputs in rule sets that a ledger recorded before it recorded columns.
#[derive(Debug, Default)]
pub(super) struct Legacy(Mutex<LegacyColumns>);

#[derive(Debug, Default)]
struct LegacyColumns {
    /// The transactions from which on another rule set decided, and its hash; none as long as nobody asked.
    changes: Option<Vec<(u64, Hash)>>,
    inputs: BTreeMap<Hash, BTreeMap<Symbol, Vec<Column>>>,
}

impl Legacy {
    /// The columns of a relation in the last rule set before or at transaction `tx` that has it as an input, else in
    /// the first one after it.
    pub(super) fn columns(
        &self,
        ledger: &Ledger,
        relation: Symbol,
        tx: u64,
    ) -> Result<Option<Vec<Column>>, LedgerError> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let changes = match known.changes.take() {
            Some(changes) => changes,
            None => changes_of_rules(ledger)?,
        };
        known.changes = Some(changes.clone());
        let (before, after) = changes.split_at(changes.partition_point(|(from, _)| *from <= tx));
        for (_, hash) in before.iter().rev().chain(after) {
            if !known.inputs.contains_key(hash) {
                known.inputs.insert(*hash, inputs_of(ledger, *hash)?);
            }
            if let Some(columns) = known.inputs.get(hash).and_then(|inputs| inputs.get(&relation)) {
                return Ok(Some(columns.clone()));
            }
        }
        Ok(None)
    }
}

fn changes_of_rules(ledger: &Ledger) -> Result<Vec<(u64, Hash)>, LedgerError> {
    let mut changes: Vec<(u64, Hash)> = Vec::new();
    for info in ledger.log(1..=u64::MAX) {
        let info = info?;
        if let Some(hash) = info.rules.filter(|hash| changes.last().is_none_or(|(_, last)| last != hash)) {
            changes.push((info.tx, hash));
        }
    }
    Ok(changes)
}

/// The inputs of a recorded rule set; none of one that isn't understood any more, which the values then stand for.
fn inputs_of(ledger: &Ledger, hash: Hash) -> Result<BTreeMap<Symbol, Vec<Column>>, LedgerError> {
    let rules = ledger.rules(hash)?.map(|rules| RuleSet::from_recorded(&rules));
    let relations = rules.and_then(Result::ok).map_or_else(Vec::new, |rules| rules.program.relations);
    let inputs = relations.into_iter().filter(|relation| relation.kind == Kind::Input);
    Ok(inputs.map(|relation| (relation.name, relation.columns)).collect())
}

/// How one relation of the rules reads what is recorded of it.
#[derive(Clone, Debug)]
pub(super) struct Fit {
    pub(super) recast: Recast,
    /// What is to be recorded before facts are asserted.
    pub(super) schemas: Vec<Schema>,
    /// Whether later facts are read the same way, as long as no schema is recorded.
    pub(super) is_settled: bool,
}

/// How the relations of a rule set read what a ledger has recorded of them.
#[derive(Debug, Default)]
pub(super) struct Lens {
    fits: BTreeMap<Symbol, Fit>,
}

/// What is read, and how carefully.
pub(super) struct Reading<'a> {
    pub(super) ledger: &'a Ledger,
    pub(super) at: When,
    pub(super) legacy: &'a Legacy,
    /// Whether the facts themselves were looked at before where that is needed.
    pub(super) trusted: bool,
}

impl Lens {
    /// How `program` reads what stood at a moment.
    ///
    /// # Errors
    /// Relations whose facts can't be read under the columns that they are declared with.
    pub(super) fn new(
        reading: &Reading<'_>,
        program: &Program,
        sources: &Sources,
    ) -> Result<Self, SessionError> {
        let (mut lens, mut found) = (Self::default(), Vec::new());
        let held: BTreeSet<Symbol> = reading.ledger.all_relations().collect();
        for relation in program.relations.iter().filter(|relation| held.contains(&relation.name)) {
            match reading.fit(relation)? {
                Ok(fit) => drop(lens.fits.insert(relation.name, fit)),
                Err(misfit) => found.push(misfit.diagnostic(relation)),
            }
        }
        if found.is_empty() {
            return Ok(lens);
        }
        diagnostic::sort(&mut found);
        Err(SessionError::Faults(Box::new(Faults { sources: sources.clone(), diagnostics: found })))
    }

    /// How facts of a relation are read.
    pub(super) fn recast(&self, relation: &Relation) -> Recast {
        match self.fits.get(&relation.name) {
            Some(fit) => fit.recast.clone(),
            None => Recast::plain(&relation.columns),
        }
    }

    /// How the facts of a relation are read that the program declares and the ledger has ever held.
    pub(super) fn fit(&self, relation: Symbol) -> Option<&Fit> {
        self.fits.get(&relation)
    }

    fn changed(&self, relation: Symbol) -> Option<&Recast> {
        self.fits.get(&relation).map(|fit| &fit.recast).filter(|recast| !recast.is_plain())
    }

    /// Puts the facts of a draft into the form in which the ledger records them, and with them the columns that it
    /// has not recorded yet.
    ///
    /// # Errors
    /// A ledger that can't be read.
    pub(super) fn record(
        &self,
        ledger: &Ledger,
        program: &Program,
        draft: &mut Draft,
    ) -> Result<(), LedgerError> {
        let mut last = None;
        for fact in &draft.assertions {
            if last.replace(fact.relation) != Some(fact.relation) {
                self.declare(program, fact.relation, &mut draft.schemas);
            }
        }
        declare_personal(ledger, program, draft)?;
        if self.fits.values().all(|fit| fit.recast.is_plain()) {
            return Ok(());
        }
        for fact in &mut draft.assertions {
            if let Some(recast) = self.changed(fact.relation) {
                let forms = recast.forms(&fact.values);
                let stands = standing(ledger, fact.relation, &forms)?;
                // What isn't a fact of the declared columns has no form, and the ledger refuses it as it is.
                fact.values =
                    stands.into_iter().chain(forms).next().unwrap_or(std::mem::take(&mut fact.values));
            }
        }
        for said in &mut draft.said {
            if let Some(recast) = self.changed(said.fact.relation) {
                let forms = recast.forms(&said.fact.values);
                let stands = standing(ledger, said.fact.relation, &forms)?;
                let form = stands.into_iter().chain(forms).next();
                said.fact.values = form.unwrap_or(std::mem::take(&mut said.fact.values));
            }
        }
        let mut retractions = Vec::with_capacity(draft.retractions.len());
        for fact in std::mem::take(&mut draft.retractions) {
            let forms =
                self.changed(fact.relation).map(|recast| recast.forms(&fact.values)).unwrap_or_default();
            let stands = standing(ledger, fact.relation, &forms)?;
            let every = if stands.is_empty() { forms.into_iter().take(1).collect() } else { stands };
            let relation = fact.relation;
            if every.is_empty() {
                retractions.push(fact);
            }
            retractions.extend(every.into_iter().map(|values| Fact { relation, values }));
        }
        draft.retractions = retractions;
        Ok(())
    }

    /// Steps in the form in which the ledger records facts.
    pub(super) fn recorded_steps(&self, steps: &[EffectRound]) -> Vec<EffectRound> {
        let form = |fact: &Fact| self.changed(fact.relation)?.forms(&fact.values).into_iter().next();
        mapped(steps, form)
    }

    /// Recorded steps under the declared columns.
    pub(super) fn read_steps(&self, steps: &[EffectRound]) -> Vec<EffectRound> {
        mapped(steps, |fact| self.changed(fact.relation)?.read(&fact.values))
    }

    fn declare(&self, program: &Program, relation: Symbol, schemas: &mut Vec<Schema>) {
        let known = |schema: &Schema| schema.relation == relation;
        let declared = program.find(relation).and_then(|id| program.relation(id));
        let Some(declared) = declared.filter(|_| !schemas.iter().any(known)) else { return };
        match self.fits.get(&relation) {
            Some(fit) => schemas.extend(fit.schemas.iter().cloned()),
            None => schemas.push(schema(relation, Recast::plain(&declared.columns).columns(), false)),
        }
    }

    /// Recorded changes under the declared columns.
    pub(super) fn shown(&self, changes: Changes) -> Changes {
        let show = |facts: Vec<Fact>| self.facts(facts);
        let Changes { added, removed, present, missing } = changes;
        Changes { added: show(added), removed: show(removed), present: show(present), missing: show(missing) }
    }

    fn facts(&self, mut facts: Vec<Fact>) -> Vec<Fact> {
        let mut changed = false;
        for fact in &mut facts {
            if let Some(values) = self.changed(fact.relation).and_then(|recast| recast.read(&fact.values)) {
                fact.values = values;
                changed = true;
            }
        }
        if changed {
            facts.sort_unstable();
            facts.dedup();
        }
        facts
    }
}

/// Steps whose facts have other values, where there are any.
fn mapped(steps: &[EffectRound], values: impl Fn(&Fact) -> Option<Vec<Value>>) -> Vec<EffectRound> {
    let mut steps = steps.to_vec();
    for change in steps.iter_mut().flat_map(|step| &mut step.changes) {
        if let Some(values) = values(&change.fact) {
            change.fact.values = values;
        }
    }
    steps
}

/// Those of the forms of a fact that stand.
fn standing(
    ledger: &Ledger,
    relation: Symbol,
    forms: &[Vec<hence_core::value::Value>],
) -> Result<Vec<Vec<hence_core::value::Value>>, LedgerError> {
    let mut found = Vec::new();
    for values in forms {
        if ledger.contains(&Fact { relation, values: values.clone() })? {
            found.push(values.clone());
        }
    }
    Ok(found)
}

fn schema(relation: Symbol, columns: &[Column], renews: bool) -> Schema {
    Schema { relation, columns: columns.to_vec(), renews }
}

impl Reading<'_> {
    /// How a relation reads what is recorded of it.
    pub(super) fn fit(&self, relation: &Relation) -> Result<Result<Fit, Misfit>, LedgerError> {
        let recorded = self.ledger.recorded(relation.name, self.at)?;
        let stands = self.stands(relation.name)?;
        if relation.kind != Kind::Input {
            let recast = Recast::plain(&relation.columns);
            let fit = Fit { recast, schemas: Vec::new(), is_settled: false };
            let known = recorded.map(|recorded| recorded.columns);
            return if stands { self.misfit(relation, known, Trouble::Kind).map(Err) } else { Ok(Ok(fit)) };
        }
        match recorded {
            Some(recorded) => self.fit_recorded(relation, &recorded, stands),
            None if stands => self.fit_legacy(relation),
            None => {
                let recast = Recast::plain(&relation.columns);
                let schemas = vec![schema(relation.name, recast.columns(), false)];
                Ok(Ok(Fit { recast, schemas, is_settled: false }))
            }
        }
    }

    /// How one relation reads its facts, where it can.
    ///
    /// # Errors
    /// A ledger that can't be read.
    pub(super) fn one(&self, relation: &Relation) -> Result<Option<Recast>, LedgerError> {
        Ok(self.fit(relation)?.ok().map(|fit| fit.recast))
    }

    /// Whether any fact stands of a relation.
    fn stands(&self, relation: Symbol) -> Result<bool, LedgerError> {
        match self.at {
            When::Now => Ok(self.ledger.count(relation) > 0),
            at => self.ledger.facts_at(relation, at)?.next().transpose().map(|fact| fact.is_some()),
        }
    }

    fn fit_recorded(
        &self,
        relation: &Relation,
        recorded: &Recorded,
        stands: bool,
    ) -> Result<Result<Fit, Misfit>, LedgerError> {
        let name = relation.name;
        match Recast::between(recorded, &relation.columns) {
            Err(_) if !stands => {
                let recast = Recast::plain(&relation.columns);
                let schemas = vec![schema(name, recast.columns(), true)];
                Ok(Ok(Fit { recast, schemas, is_settled: false }))
            }
            Err(found) => {
                let known = Some(recorded.columns.clone());
                self.misfit(relation, known, Trouble::Columns(found)).map(Err)
            }
            Ok(recast) => {
                let schemas = if recast.is_changed() {
                    vec![schema(name, recast.columns(), false)]
                } else {
                    Vec::new()
                };
                let careful = recast.is_narrowed() && !self.trusted;
                let fit = Fit { recast, schemas, is_settled: true };
                self.looked_through(relation, &recorded.columns, fit, careful)
            }
        }
    }

    /// A relation whose facts are older than recorded columns.
    fn fit_legacy(&self, relation: &Relation) -> Result<Result<Fit, Misfit>, LedgerError> {
        let tx = match self.at {
            When::Now => self.ledger.last_tx(),
            When::Tx(tx) => tx,
            When::Time(time) => self.ledger.tx_at(time)?,
        };
        let named = self.legacy.columns(self.ledger, relation.name, tx)?;
        let columns = named.clone().unwrap_or_else(|| relation.columns.clone());
        let recorded = Recorded::of(&columns);
        let bare = recorded.columns.clone();
        match Recast::between(&recorded, &relation.columns) {
            Err(found) => {
                // Facts may have been asserted since, under the columns of now.
                let now = Recast::plain(&relation.columns);
                let schemas = vec![schema(relation.name, now.columns(), false)];
                let fit = Fit { recast: now, schemas, is_settled: false };
                let all_now = self.unread(relation, &fit.recast)?.is_none();
                let all_then = self.unread(relation, &Recast::plain(&columns))?.is_none();
                if all_now && !all_then {
                    return Ok(Ok(fit));
                }
                self.misfit(relation, Some(bare), Trouble::Columns(found)).map(Err)
            }
            Ok(recast) => {
                let mut schemas = vec![schema(relation.name, &bare, false)];
                if recast.is_changed() {
                    schemas.push(schema(relation.name, recast.columns(), false));
                }
                let known = if named.is_some() { bare } else { Vec::new() };
                let fit = Fit { recast, schemas, is_settled: false };
                self.looked_through(relation, &known, fit, !self.trusted)
            }
        }
    }

    /// A fit, once every fact that stands was found to fit where that is asked for.
    fn looked_through(
        &self,
        relation: &Relation,
        recorded: &[Column],
        fit: Fit,
        careful: bool,
    ) -> Result<Result<Fit, Misfit>, LedgerError> {
        if !careful {
            return Ok(Ok(fit));
        }
        let Some((facts, since, example)) = self.unread(relation, &fit.recast)? else { return Ok(Ok(fit)) };
        let recorded = (!recorded.is_empty()).then(|| recorded.to_vec());
        Ok(Err(Misfit { recorded, trouble: Trouble::Values(example), facts, since: Some(since) }))
    }

    /// How many facts can't be read, since when, and one of them.
    fn unread(&self, relation: &Relation, recast: &Recast) -> Result<Option<(u64, u64, Fact)>, LedgerError> {
        let mut found: Option<(u64, u64, Fact)> = None;
        for fact in self.ledger.facts_at(relation.name, self.at)? {
            let (fact, from) = fact?;
            if recast.read(&fact.values).is_none() {
                let (count, since, first) = found.take().unwrap_or((0, from, fact));
                found = Some((count + 1, since.min(from), first));
            }
        }
        Ok(found)
    }

    /// A misfit of all facts of a relation.
    pub(super) fn misfit(
        &self,
        relation: &Relation,
        recorded: Option<Vec<Column>>,
        trouble: Trouble,
    ) -> Result<Misfit, LedgerError> {
        let (mut facts, mut since) = (0, None);
        for fact in self.ledger.facts_at(relation.name, self.at)? {
            let (_, from) = fact?;
            facts += 1;
            since = Some(since.map_or(from, |since: u64| since.min(from)));
        }
        Ok(Misfit { recorded, trouble, facts, since })
    }
}

/// A fact of a relation under other declared columns, by name; `None` where it can't be read so.
pub(super) fn recolumned(fact: &Fact, from: &Relation, to: &Relation) -> Option<Fact> {
    let recast = Recast::between(&Recorded::of(&from.columns), &to.columns);
    let values = recast.ok()?.read(&fact.values)?;
    (to.kind == Kind::Input).then_some(Fact { relation: fact.relation, values })
}

/// Facts with the columns that one program declares under those of another one. Those of relations that it doesn't
/// declare are left out: none of its rules reads them.
///
/// # Errors
/// A fact that can't be read so.
pub(super) fn under<'f>(
    to: &Program,
    from: &Program,
    facts: impl IntoIterator<Item = &'f Fact>,
) -> Result<Vec<Fact>, SessionError> {
    let mut read = Vec::new();
    for fact in facts {
        let named =
            |program: &Program| program.find(fact.relation).and_then(|id| program.relation(id)).cloned();
        let Some(declared) = named(to) else { continue };
        let found = named(from).and_then(|from| recolumned(fact, &from, &declared));
        let message = || format!("`{fact}` doesn't match the other rules, which declare `{declared}`");
        read.push(found.ok_or_else(|| SessionError::Unknown { message: message() })?);
    }
    Ok(read)
}

/// The fact of an input with these values by column; the others have their defaults.
///
/// # Errors
/// The rules have no such input, or not these columns.
pub fn fact_by_name(
    rules: &RuleSet,
    relation: &str,
    values: &[(&str, hence_core::value::Value)],
) -> Result<Fact, SessionError> {
    let known = rules.program.find(Symbol::new(relation)).and_then(|id| rules.program.relation(id));
    let Some(known) = known.filter(|known| known.kind == Kind::Input) else {
        let message = format!("unknown input `{relation}`");
        return Err(SessionError::Unknown { message });
    };
    let value_of = |column: &Column| values.iter().find(|(name, _)| *name == column.name.as_str());
    let cell = |column: &Column| {
        value_of(column).map(|(_, value)| *value).or(column.default).filter(|value| column.ty.admits(*value))
    };
    let row: Option<Vec<_>> = known.columns.iter().map(cell).collect();
    let all = values.iter().all(|(name, _)| known.column(Symbol::new(name)).is_some());
    let given =
        || values.iter().map(|(name, value)| format!("{name}: {value}")).collect::<Vec<_>>().join(", ");
    let message = || format!("`{relation}({})` doesn't match the declared columns `{known}`", given());
    let row = row.filter(|_| all).ok_or_else(|| SessionError::Unknown { message: message() })?;
    Ok(Fact { relation: known.name, values: row })
}

/// The recorded relations with facts that stand and that `program` doesn't declare, each with their number.
pub(super) fn undeclared(ledger: &Ledger, program: &Program) -> Vec<(Symbol, u64)> {
    let unknown =
        |relation: &Symbol| program.find(*relation).is_none() && !hence_ledger::is_reserved(*relation);
    let mut found: Vec<(Symbol, u64)> =
        ledger.all_relations().filter(unknown).map(|relation| (relation, ledger.count(relation))).collect();
    found.retain(|(_, count)| *count > 0);
    found.sort();
    found
}
