//! Recorded facts as they are listed and looked up: under the columns that rules declare, else under those recorded.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use hence_core::fact::Fact;
use hence_core::fault::OrBroken as _;
use hence_core::schema::{Column, Kind, Relation};
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_ledger::{Interval, Ledger, LedgerError, Recast, When};
use hence_proof::proof::FactPattern;

use super::error::{Faults, SessionError};
use super::fitting::{self, Legacy, Reading};
use super::misfit::Trouble;
use super::{RuleSet, RuleSource};

/// How the facts of a recorded relation are listed.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// The names of the columns; none where they aren't known.
    pub columns: Vec<Symbol>,
    recast: Option<Recast>,
}

impl Listing {
    /// The listing of a relation as it stood at a moment: under the columns of `rules` where these can read it.
    ///
    /// # Errors
    /// If there is no such transaction.
    pub fn new(
        rules: Option<&RuleSet>,
        ledger: &Ledger,
        relation: Symbol,
        at: When,
    ) -> Result<Self, LedgerError> {
        let declared = rules.and_then(|rules| input(rules, relation));
        if let Some(declared) = declared {
            let legacy = Legacy::default();
            let recast = Reading { ledger, at, legacy: &legacy, trusted: false }.one(declared)?;
            if let Some(recast) = recast {
                return Ok(Self::under(recast, &declared.columns));
            }
        }
        let recorded = ledger.recorded(relation, at)?;
        let read = recorded
            .and_then(|recorded| Some((Recast::between(&recorded, &recorded.columns).ok()?, recorded)));
        Ok(read.map(|(recast, recorded)| Self::under(recast, &recorded.columns)).unwrap_or_default())
    }

    fn under(recast: Recast, columns: &[Column]) -> Self {
        Self { columns: columns.iter().map(|column| column.name).collect(), recast: Some(recast) }
    }

    /// A recorded fact as it is listed.
    pub fn fact(&self, fact: Fact) -> Fact {
        match self.recast.as_ref().and_then(|recast| recast.read(&fact.values)) {
            Some(values) => Fact { values, ..fact },
            None => fact,
        }
    }
}

fn input(rules: &RuleSet, relation: Symbol) -> Option<&Relation> {
    let known = rules.program.find(relation).and_then(|id| rules.program.relation(id));
    known.filter(|known| known.kind == Kind::Input)
}

/// The spans in which a fact stood that has the columns which `rules` declare, ascending: in every part of its
/// relation's history whose columns compare with these.
///
/// # Errors
/// The relation never had facts with columns that compare, a ledger that can't be read.
pub fn history(rules: &RuleSet, ledger: &Ledger, fact: &Fact) -> Result<Vec<Interval>, SessionError> {
    let Some(relation) = input(rules, fact.relation) else { return Ok(ledger.history(fact)?) };
    let generations = ledger.generations(relation.name);
    let mut spans = Vec::new();
    if generations.is_empty() {
        for values in recasts(ledger, relation)?.iter().flat_map(|recast| recast.forms(&fact.values)) {
            spans.extend(ledger.history(&Fact { relation: fact.relation, values })?);
        }
    }
    let mut faults = None;
    let mut readable = generations.is_empty();
    for generation in &generations {
        let recast = match Recast::between(generation, &relation.columns) {
            Ok(recast) => recast,
            Err(found) => {
                faults = Some((generation.columns.clone(), found));
                continue;
            }
        };
        readable = true;
        for values in recast.forms(&fact.values) {
            let all = ledger.history(&Fact { relation: fact.relation, values })?;
            let inside = |span: &Interval| {
                generation.from <= span.from && generation.until.is_none_or(|until| span.from < until)
            };
            spans.extend(all.into_iter().filter(inside));
        }
    }
    if let (Some((columns, found)), false) = (faults, readable) {
        let legacy = Legacy::default();
        let reading = Reading { ledger, at: When::Now, legacy: &legacy, trusted: true };
        let misfit = reading.misfit(relation, Some(columns), Trouble::Columns(found))?;
        let diagnostics = vec![misfit.diagnostic(relation)];
        return Err(SessionError::Faults(Box::new(Faults { sources: rules.sources.clone(), diagnostics })));
    }
    spans.sort_unstable();
    spans.dedup();
    Ok(spans)
}

/// The facts and decisions that were ever recorded and match a pattern, ascending; those of an input in every form that its
/// facts may have under the columns that `rules` declare.
///
/// # Errors
/// A ledger that can't be read.
pub fn recorded_like(
    rules: &RuleSet,
    ledger: &Ledger,
    pattern: &FactPattern,
) -> Result<BTreeSet<Fact>, SessionError> {
    let name = pattern.relation;
    let (mut found, facts) = (ledger.decisions_ever(name)?, ledger.facts_ever(name)?);
    match input(rules, name) {
        None => found.extend(facts),
        Some(relation) => {
            let recasts = recasts(ledger, relation)?;
            let forms = facts.iter().flat_map(|fact| recasts.iter().filter_map(|one| one.read(&fact.values)));
            found.extend(forms.map(|values| Fact { relation: name, values }));
        }
    }
    let fits = |(wanted, value): (&Option<Value>, &Value)| wanted.is_none_or(|wanted| wanted == *value);
    found.retain(|fact| {
        fact.values.len() == pattern.args.len() && pattern.args.iter().zip(&fact.values).all(fits)
    });
    Ok(found)
}

/// How facts of an input are read that were recorded under other columns, as far as they can be.
fn recasts(ledger: &Ledger, relation: &Relation) -> Result<Vec<Recast>, SessionError> {
    let generations = ledger.generations(relation.name);
    if generations.is_empty() {
        let legacy = Legacy::default();
        let reading = Reading { ledger, at: When::Now, legacy: &legacy, trusted: true };
        return Ok(vec![reading.one(relation)?.unwrap_or_else(|| Recast::plain(&relation.columns))]);
    }
    let recasts = generations.iter().map(|generation| Recast::between(generation, &relation.columns));
    Ok(recasts.filter_map(Result::ok).collect())
}

/// Whether a fact of a recorded relation stands that has a value in a column, which is the first where columns aren't
/// recorded.
///
/// # Errors
/// A ledger that can't be read.
pub fn stands_with(
    ledger: &Ledger,
    relation: Symbol,
    column: &str,
    value: Value,
) -> Result<bool, LedgerError> {
    let recorded = ledger.recorded(relation, When::Now)?;
    let place =
        recorded.and_then(|recorded| recorded.columns.iter().position(|known| known.name.as_str() == column));
    let place = place.unwrap_or(0);
    let leading = if place == 0 { vec![value] } else { Vec::new() };
    for fact in ledger.facts_with(relation, &leading) {
        if fact?.0.values.get(place) == Some(&value) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The inputs of the shipped packs.
static SHIPPED: OnceLock<Vec<Relation>> = OnceLock::new();

fn shipped_inputs() -> &'static [Relation] {
    SHIPPED.get_or_init(|| {
        let rules = RuleSource::default().build();
        rules.ok().or_broken("the shipped packs have no faults").program.relations
    })
}

/// Facts as observers and carriers give them, by position in the columns of the shipped packs, under those that `rules`
/// declare for these relations: by name where they have the same ones, else as they are.
pub fn from_shipped(rules: &RuleSet, facts: Vec<Fact>) -> Vec<Fact> {
    let read = |fact: Fact| {
        let Some(declared) = input(rules, fact.relation) else { return fact };
        let Some(shipped) = shipped_inputs().iter().find(|known| known.name == fact.relation) else {
            return fact;
        };
        if shipped.columns == declared.columns {
            return fact;
        }
        fitting::recolumned(&fact, shipped, declared).unwrap_or(fact)
    };
    facts.into_iter().map(read).collect()
}

/// The recorded relations with facts that stand and that `rules` don't declare, each with their number.
pub fn undeclared(rules: &RuleSet, ledger: &Ledger) -> Vec<(Symbol, u64)> {
    fitting::undeclared(ledger, &rules.program)
}
