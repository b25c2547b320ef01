//! Evaluating no more for a question than it can reach: the rules that it depends on, and of a ledger the facts.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use hence_core::fault::OrBroken;
use hence_core::schema::RelationId;
use hence_core::span::Sources;
use hence_core::value::{Value, Word};
use hence_engine::SemiNaive;
use hence_engine::{Database, Engine, Limits, Model};
use hence_lang::ir::Program;
use hence_lang::lower;
use hence_lang::lower::demand::{Demand, Keyed, demand};
use hence_ledger::{Ledger, When};
use hence_proof::Finder;
use hence_proof::proof::Origins;

use super::error::SessionError;
use super::evaluation::{Evaluation, evaluate_as};
use super::fitting::Lens;
use super::{RuleSet, Session, Store, evaluation, ledger_facts};

/// How much of rules and facts a question evaluates. Its answer and its proofs are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EvaluationScope {
    /// Everything.
    Everything,
    /// The rules that the question depends on, over all facts that they read.
    Rules,
    /// Of a ledger as it is now only the facts that the question can reach, where that is likely to be cheaper.
    #[default]
    Facts,
    /// The same wherever it can be done.
    FactsAlways,
}

/// A question on its way to an answer.
pub(super) struct ProgramQuery<'a> {
    /// The rules, with one for the question.
    pub(super) program: &'a Program,
    /// The relation of its answers.
    pub(super) answer: RelationId,
    /// The texts that the rules came from.
    pub(super) sources: &'a Sources,
    pub(super) now: i64,
    /// The moment of the ledger that is asked.
    pub(super) at: When,
    /// Whether proofs are wanted, which tell how many facts a negated relation has.
    pub(super) proofs: bool,
}

/// Reading a fact by its key costs about as much as reading so many of a whole relation.
const KEY_COST: usize = 24;
/// After so many rounds of looking for what is demanded, everything is read.
const ROUNDS: usize = 64;
/// What looking for what is demanded may always cost, in facts.
const FREE: usize = 4096;

impl Session {
    /// Everything that follows for a question.
    pub(super) fn evaluate_query(&self, asked: &ProgramQuery<'_>) -> Result<Evaluation, SessionError> {
        if let Some(evaluation) = self.evaluate_slice(asked)? {
            return Ok(evaluation);
        }
        self.evaluate_relevant(asked.program, asked.sources, [asked.answer], (asked.at, asked.now))
    }

    /// What `relations` depend on, of the facts of a moment and with the clock at `now`.
    pub(super) fn evaluate_relevant(
        &self,
        program: &Program,
        sources: &Sources,
        relations: impl IntoIterator<Item = RelationId>,
        (at, now): (When, i64),
    ) -> Result<Evaluation, SessionError> {
        let needed = match self.scope {
            EvaluationScope::Everything => (0..program.relations.len() as u32).map(RelationId).collect(),
            _ => lower::needed(program, relations),
        };
        let relevant = lower::relevant(program, &needed);
        let mut input = self.standing_for((&relevant, sources), &needed, at)?;
        evaluation::add_now(&relevant, &mut input, now);
        self.finish(&relevant, sources, input)
    }

    /// The same over the facts that the question can reach; `None` where that can't be told, or wouldn't pay.
    pub(super) fn evaluate_slice(
        &self,
        asked: &ProgramQuery<'_>,
    ) -> Result<Option<Evaluation>, SessionError> {
        let Store::Ledger(ledger) = &self.store else { return Ok(None) };
        let always = self.scope == EvaluationScope::FactsAlways;
        if !is_now(ledger, asked.at) || !(always || self.scope == EvaluationScope::Facts) {
            return Ok(None);
        }
        let Some(demand) = demand(asked.program, asked.answer, asked.proofs) else { return Ok(None) };
        let lens = self.lens_for(ledger, (asked.program, asked.sources), asked.at)?;
        let Some(slicer) = Slicer::new(ledger, &lens, &demand, always, self.limits) else { return Ok(None) };
        let Some(input) = slicer.input(asked.now)? else { return Ok(None) };
        match self.finish(&demand.answering, asked.sources, input) {
            // A rule stands there once for each demand, so what it generates may count several times.
            Err(SessionError::Limit { .. }) => Ok(None),
            finished => finished.map(Some),
        }
    }

    pub(super) fn finish(
        &self,
        program: &Program,
        sources: &Sources,
        input: Database,
    ) -> Result<Evaluation, SessionError> {
        evaluate_as(program, sources, input, self.engine.as_ref(), (&self.limits, self.lenient))
    }

    /// A finder that goes through bodies in the same order whatever part of the ledger's facts its model has.
    pub(super) fn finder_at<'a>(
        &self,
        at: When,
        rules: &'a RuleSet,
        evaluation: &'a Evaluation,
        origins: &'a dyn Origins,
    ) -> Finder<'a> {
        let finder = evaluation.finder((&rules.program, &rules.sources), origins);
        match &self.store {
            Store::Ledger(ledger) if is_now(ledger, at) => {
                let unknown = evaluation.unknown.as_ref();
                let relations =
                    unknown.map_or(&rules.program, |unknown| &unknown.of.program).relations.iter();
                finder.counts(&relations.map(|relation| count(ledger, relation.name)).collect::<Vec<_>>())
            }
            _ => finder,
        }
    }
}

/// Whether a moment is that after the last transaction: of the past it isn't known how many facts there were.
fn is_now(ledger: &Ledger, at: When) -> bool {
    at == When::Now || at == When::Tx(ledger.last_tx())
}

fn count(ledger: &Ledger, relation: hence_core::symbol::Symbol) -> usize {
    usize::try_from(ledger.count(relation)).unwrap_or(usize::MAX)
}

/// Reads what is demanded from a ledger.
struct Slicer<'a> {
    ledger: &'a Ledger,
    lens: &'a Lens,
    demand: &'a Demand,
    /// How many facts each input has.
    counts: BTreeMap<RelationId, usize>,
    /// How many facts may be read and found.
    budget: usize,
    limits: Limits,
    loaded: Database,
    /// The inputs that were read whole.
    whole: BTreeSet<RelationId>,
    /// The keys that were read.
    keys: Vec<HashSet<Vec<Word>>>,
}

impl<'a> Slicer<'a> {
    fn new(
        ledger: &'a Ledger,
        lens: &'a Lens,
        demand: &'a Demand,
        always: bool,
        limits: Limits,
    ) -> Option<Self> {
        let count = |id: &RelationId| (*id, count(ledger, demand.finding[*id].name));
        let counts: BTreeMap<_, _> = demand.inputs.iter().map(count).collect();
        let all: usize = counts.values().sum();
        let whole: usize = demand.whole.iter().filter_map(|id| counts.get(id)).sum();
        // What is read whole is gone through twice.
        let budget = if always { usize::MAX } else { all / 4 + FREE };
        (whole <= budget).then(|| Self {
            ledger,
            lens,
            demand,
            counts,
            budget,
            limits: Limits { facts: limits.facts.min(budget as u64), ..limits },
            loaded: Database::new(&demand.finding),
            whole: BTreeSet::new(),
            keys: vec![HashSet::new(); demand.keyed.len()],
        })
    }

    /// The input of the answering program.
    fn input(mut self, now: i64) -> Result<Option<Database>, SessionError> {
        evaluation::add_now(&self.demand.finding, &mut self.loaded, now);
        self.demand.whole.iter().try_for_each(|relation| self.read_whole(*relation))?;
        for _ in 0..ROUNDS {
            let found = SemiNaive.evaluate(&self.demand.finding, self.loaded.clone(), &self.limits);
            let Ok(found) = found else { return Ok(None) };
            if !self.read_demanded(&found)? {
                return Ok(Some(self.finished(found)));
            }
            if self.loaded.relations.iter().map(hence_engine::Rows::len).sum::<usize>() > self.budget {
                return Ok(None);
            }
        }
        Ok(None)
    }

    /// Reads the facts that are demanded and not read yet; whether there was a demand for any.
    fn read_demanded(&mut self, found: &Model) -> Result<bool, SessionError> {
        let mut more = false;
        for (at, keyed) in self.demand.keyed.iter().enumerate() {
            let Some(extent) = found.extent(keyed.demand).filter(|_| !self.whole.contains(&keyed.input))
            else {
                continue;
            };
            let count =
                *self.counts.get(&keyed.input).or_broken("an input with keys is among those demanded");
            if self.budget < usize::MAX && extent.rows.len().saturating_mul(KEY_COST) > count + FREE {
                self.read_whole(keyed.input)?;
                more = true;
                continue;
            }
            for row in extent.rows.iter() {
                if self.keys.get_mut(at).is_some_and(|keys| keys.insert(row.to_vec())) {
                    self.read_key(*keyed, row)?;
                    more = true;
                }
            }
        }
        Ok(more)
    }

    fn read_key(&mut self, keyed: Keyed, row: &[Word]) -> Result<(), SessionError> {
        let program = &self.demand.finding;
        let types = program.relation(keyed.demand).into_iter().flat_map(|relation| relation.types());
        let first: Vec<Value> = types.zip(row).map(|(ty, word)| Value::from_word(ty, *word)).collect();
        let input = (program, keyed.input);
        Ok(ledger_facts::beginning(self.ledger, self.lens, When::Now, input, &first, &mut self.loaded)?)
    }

    fn read_whole(&mut self, relation: RelationId) -> Result<(), SessionError> {
        self.whole.insert(relation);
        let input = (&self.demand.finding, relation);
        Ok(ledger_facts::beginning(self.ledger, self.lens, When::Now, input, &[], &mut self.loaded)?)
    }

    fn finished(mut self, mut found: Model) -> Database {
        for guard in &self.demand.guards {
            let at = guard.0 as usize;
            if let (Some(rows), Some(extent)) =
                (self.loaded.relations.get_mut(at), found.relations.get_mut(at))
            {
                *rows = std::mem::take(&mut extent.rows);
            }
        }
        self.loaded
    }
}
