//! Changes: facts asserted and retracted, what follows evaluated, decisions drawn and lapsed recorded with them.

use std::collections::{BTreeMap, BTreeSet};

use hence_core::fact::Fact;
use hence_core::fault;
use hence_core::meter;
use hence_core::schema::{Kind, RelationId};
use hence_core::symbol::Symbol;
use hence_engine::{Database, Limits};
use hence_ledger::{Changes, Committed, Decision, Draft, Lapsed, LedgerError, Run, RunLimits, When};

use super::ask::reports;
use super::cross_check::rows_of;
use super::drawn::{self, DecisionId};
use super::error::SessionError;
use super::evaluation::{self, Evaluation};
use super::lapse::Decided;
use super::ledger_facts::Recording;
use super::standing::IncrementalState;
use super::trace;
use super::what_if::without;
use super::why::decision;
use super::{Session, Store, ledger_facts};

/// What is said to be done where a limit is reached while reasons are looked for.
pub(super) const REASONS: &str = "finding reasons";

/// What is proposed.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// Facts that are to stand.
    pub assertions: Vec<Fact>,
    /// Facts that are to stand no longer.
    pub retractions: Vec<Fact>,
    /// Who proposes it.
    pub author: String,
    /// Where it comes from: a file, an actuator, the command line.
    pub source: String,
    /// What the author adds.
    pub note: Option<String>,
    /// When, in microseconds since the epoch.
    pub time: i64,
    /// The clock of the rules, in microseconds since the epoch.
    pub now: i64,
    /// Refuse unless this is the number of the last transaction.
    pub expect_tx: Option<u64>,
    /// Whether the outcome is to hold all decisions that stand, which costs more the more there are.
    pub list: bool,
}

/// What became of a change.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Which facts came and went.
    pub changes: Changes,
    /// Decisions that did not stand before, ascending, with their reasons.
    pub drawn: Vec<Decision>,
    /// Decisions that stood before and don't any more, ascending, with why, where that isn't that they follow no
    /// longer.
    pub lapsed: Vec<Lapsed>,
    /// All decisions that stand now, ascending, with the reasons for which they were drawn; only where
    /// [`Change::list`] asks for them.
    pub standing: Vec<Decision>,
    /// How many facts of each decision stand now, those of undetermined decisions left out.
    pub stands: BTreeMap<Symbol, usize>,
    /// Decisions that are undetermined: nothing of them was drawn or lapsed.
    pub undetermined: Vec<Symbol>,
    /// Undefined operations, a line each.
    pub reports: Vec<String>,
    /// The transaction, where something was recorded.
    pub committed: Option<Committed>,
}

impl Outcome {
    /// How many decisions stand now.
    pub fn standing_count(&self) -> usize {
        self.stands.values().sum()
    }

    /// The id of a decision that was drawn now; `None` where nothing was recorded.
    pub fn id(&self, drawn: &Fact) -> Option<DecisionId> {
        let tx = self.committed.as_ref()?.tx;
        drawn::place(&self.drawn, drawn).map(|place| DecisionId { tx, place })
    }
}

impl Session {
    /// Takes a change in, evaluates what follows, and records facts and decisions in one transaction; with `dry`
    /// nothing is recorded and the session stays as it was. A session of the past takes only `dry` ones. Nothing to record is no transaction.
    ///
    /// # Errors
    /// A limit that was reached and a ledger that can't be read or written; nothing is recorded then.
    pub fn commit(&mut self, change: Change, dry: bool) -> Result<Outcome, SessionError> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone().into());
        }
        let span = trace::commit(self.engine.name(), dry);
        let _entered = span.enter();
        let outcome = fault::caught(|| self.decide_and_record(change, dry));
        trace::committed(&span, &self.rules, &outcome);
        outcome
    }

    fn decide_and_record(&mut self, mut change: Change, dry: bool) -> Result<Outcome, SessionError> {
        if self.as_of != When::Now && !dry {
            return Err(LedgerError::ReadOnly.into());
        }
        if let (Some(ledger), Some(expected)) = (self.ledger(), change.expect_tx) {
            ledger.expect(expected)?;
        }
        if let Some(ledger) = self.ledger() {
            // Before anything follows from them, since sentences hold values of facts.
            ledger.redaction().facts(&mut change.assertions)?;
            ledger.redaction().facts(&mut change.retractions)?;
        }
        let changes = self.effective(&change)?;
        let keeps = !dry && self.engine.is_incremental();
        let (mut outcome, incremental) = if keeps {
            self.advance(&changes, change.now)?
        } else {
            (self.compare(&self.evaluate_with(&changes, change.now)?)?, IncrementalState::default())
        };
        outcome.changes = changes;
        if change.list {
            outcome.standing = self.list(&outcome)?;
        }
        if !dry {
            let recorded = fault::caught(|| self.record(change, &mut outcome));
            if let Err(SessionError::Fault(fault)) = &recorded {
                self.fault = Some(fault.clone());
            }
            recorded?;
            self.remember(incremental);
        }
        Ok(outcome)
    }

    /// Records a transaction that changes nothing and says something.
    ///
    /// # Errors
    /// The ledger can't be written.
    pub fn remark(
        &mut self,
        author: String,
        source: String,
        note: String,
        time: i64,
    ) -> Result<(), SessionError> {
        if let Store::Ledger(ledger) = &mut self.store {
            let before = ledger.last_tx();
            ledger.remark(&Draft { author, source, note: Some(note), time, ..Draft::default() })?;
            self.keeps_since(before);
        }
        Ok(())
    }

    /// All decisions that stand once an outcome is recorded, those of undetermined decisions left out.
    fn list(&self, outcome: &Outcome) -> Result<Vec<Decision>, SessionError> {
        let mut standing = self.decisions_before()?;
        standing.retain(|decision| {
            outcome.stands.contains_key(&decision.fact.relation)
                && outcome.lapsed.binary_search_by(|lapsed| lapsed.fact.cmp(&decision.fact)).is_err()
        });
        standing.extend(outcome.drawn.iter().cloned());
        standing.sort_unstable_by(|one, other| one.fact.cmp(&other.fact));
        Ok(standing)
    }

    fn draft(change: &Change) -> Draft {
        Draft {
            time: change.time,
            author: change.author.clone(),
            source: change.source.clone(),
            note: change.note.clone(),
            assertions: change.assertions.clone(),
            retractions: change.retractions.clone(),
            expect_tx: change.expect_tx,
            ..Draft::default()
        }
    }

    /// The draft of a change, its facts in the form in which the ledger records them.
    fn fitted(&self, change: &Change) -> Result<Draft, SessionError> {
        let mut draft = Self::draft(change);
        if let Store::Ledger(ledger) = &self.store {
            self.lens(ledger)?.record(ledger, &self.rules.program, &mut draft)?;
        }
        Ok(draft)
    }

    fn effective(&self, change: &Change) -> Result<Changes, SessionError> {
        match &self.store {
            Store::Ledger(ledger) if self.as_of == When::Now => {
                Ok(self.lens(ledger)?.shown(ledger.effective(&self.fitted(change)?)?))
            }
            Store::Ledger(ledger) => {
                let mut held = BTreeSet::new();
                for fact in change.assertions.iter().chain(&change.retractions) {
                    if self.stood(ledger, fact)? {
                        held.insert(fact);
                    }
                }
                Ok(against(change, |fact| held.contains(fact)))
            }
            Store::Memory(memory) => Ok(against(change, |fact| memory.facts.contains(fact))),
        }
    }

    /// Whether a fact stood at the moment that this session asks.
    fn stood(&self, ledger: &Recording, fact: &Fact) -> Result<bool, SessionError> {
        let program = &self.rules.program;
        let Some(relation) = program.find(fact.relation).and_then(|id| program.relation(id)) else {
            return Ok(ledger.assertion_at(fact, self.as_of)?.is_some());
        };
        let lens = self.lens_for(ledger, (program, &self.rules.sources), self.as_of)?;
        for values in lens.recast(relation).forms(&fact.values) {
            if ledger.assertion_at(&Fact { relation: fact.relation, values }, self.as_of)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What follows from the facts that stand after `changes`.
    pub(super) fn evaluate_with(&self, changes: &Changes, now: i64) -> Result<Evaluation, SessionError> {
        self.evaluate_input(self.input_with(changes, now)?)
    }

    /// The facts that stand after `changes`, the clock among them.
    pub(super) fn input_with(&self, changes: &Changes, now: i64) -> Result<Database, SessionError> {
        let program = &self.rules.program;
        let mut input = self.standing()?;
        for fact in &changes.added {
            evaluation::add_standing(program, &mut input, fact)?;
        }
        input = without(program, input, &changes.removed);
        self.add_now(&mut input, now);
        Ok(input)
    }

    /// The decisions of an evaluation beside those that stand.
    pub(super) fn compare(&self, evaluation: &Evaluation) -> Result<Outcome, SessionError> {
        let program = &self.rules.program;
        let ids = (0..program.relations.len() as u32).map(RelationId);
        let (undetermined, decided): (Vec<_>, Vec<_>) = ids
            .filter(|id| program[*id].kind == Kind::Decision)
            .partition(|id| evaluation.undetermined.contains(id));
        let name = |id: &RelationId| program[*id].name;
        let open: BTreeSet<Symbol> = undetermined.iter().map(name).collect();
        let before = self.decisions_before()?.into_iter().map(|decision| decision.fact);
        let mut before: BTreeSet<Fact> = before.filter(|fact| !open.contains(&fact.relation)).collect();
        let mut facts: Vec<Fact> =
            decided.iter().flat_map(|id| evaluation::facts_of(program, &evaluation.model, *id)).collect();
        facts.sort_unstable();
        self.cross_check(&evaluation.undetermined, &|id, visit| rows_of(&evaluation.model, id, visit))?;
        let finder = self.reasons(evaluation);
        let mut drawn = Vec::new();
        meter::enter(REASONS);
        for fact in facts {
            meter::check(REASONS)?;
            // Only of what is drawn now is the reason not known yet.
            if !before.remove(&fact) {
                drawn.push(decision(&finder, fact)?);
            }
        }
        let decisions = Decided::new(program);
        let lapsed = before.into_iter().map(|fact| decisions.lapsed(fact)).collect();
        Ok(Outcome {
            drawn,
            lapsed,
            stands: self.standing_counts(&evaluation.undetermined, |id| {
                evaluation::extent(&evaluation.model, id).rows.len()
            }),
            undetermined: undetermined.iter().map(name).collect(),
            reports: reports(&self.rules, evaluation),
            ..Outcome::default()
        })
    }

    pub(super) fn decisions_before(&self) -> Result<Vec<Decision>, SessionError> {
        match &self.store {
            Store::Ledger(ledger) => Ok(ledger_facts::decisions(ledger, self.as_of)?),
            Store::Memory(memory) => Ok(memory.decisions.all()),
        }
    }

    /// How this session evaluates, as records say it.
    fn run(&self) -> Run {
        let Limits { facts, iterations, time, memory, .. } = self.limits;
        let time = time.map(|time| u64::try_from(time.as_micros()).unwrap_or(u64::MAX));
        let limits = RunLimits { facts, iterations, time, memory };
        Run { engine: self.engine.name().to_owned(), lenient: self.lenient, limits }
    }

    fn record(&mut self, change: Change, outcome: &mut Outcome) -> Result<(), SessionError> {
        let run = self.run();
        let drew = !outcome.drawn.is_empty() || !outcome.lapsed.is_empty();
        if self.ledger().is_some() && outcome.changes.is_empty() && !drew {
            return Ok(());
        }
        let fitted = self.fitted(&change)?;
        match &mut self.store {
            Store::Ledger(ledger) => {
                let draft = Draft {
                    clock: Some(change.now),
                    rules: Some(self.rules.recorded()),
                    run: Some(run),
                    drawn: outcome.drawn.clone(),
                    lapsed: outcome.lapsed.clone(),
                    ..fitted
                };
                outcome.committed = Some(ledger.commit(&draft)?);
            }
            Store::Memory(memory) => {
                for fact in &outcome.changes.removed {
                    memory.facts.remove(fact);
                }
                memory.facts.extend(outcome.changes.added.iter().cloned());
                for lapsed in &outcome.lapsed {
                    memory.decisions.remove(&lapsed.fact);
                }
                outcome.drawn.iter().cloned().for_each(|decision| memory.decisions.insert(decision));
            }
        }
        Ok(())
    }
}

/// What a change comes to where the facts that are `held` stand.
fn against(change: &Change, held: impl Fn(&Fact) -> bool) -> Changes {
    let wanted = distinct(&change.assertions);
    let mut unwanted = distinct(&change.retractions);
    unwanted.retain(|fact| wanted.binary_search(fact).is_err());
    let (standing, added) = wanted.into_iter().cloned().partition(|fact| held(fact));
    let (removed, missing) = unwanted.into_iter().cloned().partition(|fact| held(fact));
    Changes { added, removed, standing, missing }
}

/// Facts in ascending order, each once.
fn distinct(facts: &[Fact]) -> Vec<&Fact> {
    let mut facts: Vec<&Fact> = facts.iter().collect();
    facts.sort_unstable();
    facts.dedup();
    facts
}
