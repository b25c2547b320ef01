//! Changes: facts asserted and retracted, what follows evaluated, decisions drawn and lapsed recorded with them.

use std::collections::{BTreeMap, BTreeSet};
use std::mem::take;

use hence_core::fact::Fact;
use hence_core::fault;
use hence_core::meter;
use hence_core::schema::{Kind, RelationId};
use hence_core::symbol::Symbol;
use hence_engine::{Database, Limits};
use hence_lang::builtins::zone;
use hence_ledger::{
    Changes, Decision, Draft, Lapsed, LedgerError, PERSONAL, ResolvedDelta, Run, RunLimits, Said, When,
};

use super::ask::reports;
use super::authors::{self, Saying};
use super::brought::{self, Brought};
use super::cross_check::rows_of;
use super::effects::{Effected, HeldAt, has_effects};
use super::error::SessionError;
use super::evaluation::{self, Evaluation};
use super::incremental::IncrementalState;
use super::lapse::DecisionRelations;
use super::ledger_facts::Recording;
use super::outcome::CommitOutcome;
use super::trace;
use super::what_if::without;
use super::why::decision;
use super::{Memory, Session, Store, ledger_facts};

/// What is said to be done where a limit is reached while reasons are looked for.
pub(super) const REASONS: &str = "finding reasons";

/// What is proposed.
#[derive(Clone, Debug, Default)]
pub struct CommitRequest {
    /// Facts that are to stand.
    pub assertions: Vec<Fact>,
    /// Those of them that others say than the author.
    pub said: Vec<Said>,
    /// Facts that are to stand no longer, but for those that are asserted too.
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
    /// Leave it to [`Session::make_durable`] to make it durable, with others; nothing of it is to be told before that.
    pub deferred: bool,
    /// Whether the outcome is to hold all decisions that stand, which costs more the more there are.
    pub list: bool,
}

impl Session {
    /// Takes a change in, evaluates what follows, and records facts and decisions in one transaction; with `dry`
    /// nothing is recorded and the session stays as it was. A session of the past takes only `dry` ones. Where there is
    /// nothing to record, there is no transaction, unless [`Session::with_unchanged_recorded`] asks for one.
    ///
    /// # Errors
    /// A fact that can't be recorded (see `docs/embedding.md`), a limit that was reached, a ledger that can't be read or
    /// written; nothing is recorded then.
    pub fn commit(&mut self, change: CommitRequest, dry: bool) -> Result<CommitOutcome, SessionError> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone().into());
        }
        let span = trace::commit(self.engine.name(), dry);
        let _entered = span.enter();
        let outcome = fault::caught(|| self.commit_inner(change, dry));
        trace::committed(&span, &self.rules, &outcome);
        outcome
    }

    fn commit_inner(&mut self, mut change: CommitRequest, dry: bool) -> Result<CommitOutcome, SessionError> {
        if self.as_of != When::Now && !dry {
            return Err(LedgerError::ReadOnly.into());
        }
        if let Some(ledger) = self.ledger() {
            self.rules.check_shard(ledger)?;
            change.expect_tx.map_or(Ok(()), |expected| ledger.expect(expected))?;
        }
        let has_facts =
            !(change.assertions.is_empty() && change.retractions.is_empty() && change.said.is_empty());
        let (changes, proposed) = match has_facts {
            true => self.admit(&mut change)?,
            false => (Changes::default(), None),
        };
        let keeps = !dry && self.engine.is_incremental();
        let there = self.there(&changes)?;
        let effected = match has_effects(&self.rules.checked) {
            true => self.decide_with_effects(&there, change.now, (keeps, dry))?,
            false => self.decide_without_effects(&there, change.now, keeps)?,
        };
        let Effected { mut outcome, mut net, incremental, held, turned } = effected;
        let is_quiet = changes.is_empty() && !turned && outcome.is_quiet();
        let records = !is_quiet || self.records_unchanged;
        let proposed = match proposed {
            // Of a clock that moves a ledger records something only where it changes something.
            None if !has_facts && records => self.resolve(&mut change)?.1,
            proposed => proposed,
        };
        if let Some(proposed) = &proposed {
            self.check_steps(&proposed.draft.author, &outcome.steps)?;
        }
        let parameters = self.take_parameters(&outcome.steps, &mut net)?;
        let proposed = match outcome.steps.is_empty() {
            true => proposed,
            false => proposed.map(|proposed| self.propose_again(proposed, net)).transpose()?,
        };
        outcome.changes = changes;
        self.count_kept_open(&mut outcome)?;
        self.give_reasons(&mut outcome, change.now)?;
        if change.list {
            outcome.standing = self.list(&outcome)?;
        }
        if !dry {
            if records {
                let recorded = fault::caught(|| self.record(change.now, proposed, &mut outcome, is_quiet));
                if let Err(SessionError::Fault(fault)) = &recorded {
                    self.fault = Some(fault.clone());
                }
                recorded?;
            }
            self.clock = Some(change.now);
            self.remember(incremental);
            self.remember_effects(held, &outcome);
            if !parameters.is_empty() {
                let rules = self.rules.with_sets(&parameters).map_err(SessionError::Faults)?;
                self.change_rules(rules);
            }
        }
        Ok(outcome)
    }

    /// Takes the facts of a change in: by whom they may be brought, and without what must not be recorded; what they come
    /// to, and what a ledger is to record of them.
    fn admit(&self, change: &mut CommitRequest) -> Result<(Changes, Option<Proposed>), SessionError> {
        self.rules.stamp(&mut change.assertions, change.now);
        self.rules.stamp(change.said.iter_mut().map(|said| &mut said.fact), change.now);
        // A ledger keeps facts for other rules, and could not be read again with facts that these derive.
        let brought = if self.ledger().is_some() { Brought::Recorded } else { Brought::Any };
        let said = change.said.iter().map(|said| &said.fact);
        brought::check(&self.rules, change.assertions.iter().chain(said), brought)?;
        if let Some(ledger) = self.ledger() {
            let others: BTreeSet<&Fact> = change.said.iter().map(|said| &said.fact).collect();
            let own = change.assertions.iter().filter(|fact| !others.contains(fact));
            let retracted = authors::retracted(ledger, &change.assertions, &change.retractions)?;
            let by = Saying::at(&change.author, change.now);
            self.roles.check(&self.rules, ledger, by, own.map(|fact| (fact, true)).chain(retracted))?;
            self.roles.check_said(&self.rules, ledger, by, &change.said)?;
            // Before anything follows from them, since sentences hold values of facts.
            ledger.redaction().facts(&mut change.assertions)?;
            ledger.redaction().facts(&mut change.retractions)?;
            for said in &mut change.said {
                ledger.redaction().facts(std::slice::from_mut(&mut said.fact))?;
            }
        }
        self.resolve(change)
    }

    fn decide_without_effects(
        &mut self,
        changes: &Changes,
        now: i64,
        keeps: bool,
    ) -> Result<Effected, SessionError> {
        let (outcome, incremental) = if keeps {
            self.advance(changes, now)?
        } else {
            (self.compare(&self.evaluate_with(changes, now)?)?, IncrementalState::default())
        };
        Ok(Effected { outcome, net: Changes::default(), incremental, held: HeldAt::default(), turned: false })
    }

    /// Returns once all that was committed is durable, deferred changes too.
    ///
    /// # Errors
    /// The disk's own: whether the deferred changes were recorded is not known then, and nothing is recorded any more.
    pub fn make_durable(&mut self) -> Result<(), SessionError> {
        match &mut self.store {
            Store::Ledger(ledger) => Ok(ledger.make_durable()?),
            Store::Memory(_) => Ok(()),
        }
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

    /// Counts the decisions that stay as they were drawn although they are undetermined now: those of the record that
    /// an evaluation neither derives nor lets lapse.
    fn count_kept_open(&self, outcome: &mut CommitOutcome) -> Result<(), SessionError> {
        if outcome.undetermined.is_empty() {
            return Ok(());
        }
        let certain = outcome.standing_count();
        let mut stands = self.counts_before()?;
        for Decision { fact, .. } in &outcome.drawn {
            *stands.entry(fact.relation).or_default() += 1;
        }
        for Lapsed { fact, .. } in &outcome.lapsed {
            stands.entry(fact.relation).and_modify(|count| *count = count.saturating_sub(1));
        }
        stands.retain(|_, count| *count > 0);
        outcome.stands = stands;
        outcome.kept_open = outcome.standing_count().saturating_sub(certain);
        Ok(())
    }

    /// How many decisions of each relation stood before.
    fn counts_before(&self) -> Result<BTreeMap<Symbol, usize>, SessionError> {
        if let (Store::Ledger(ledger), When::Now) = (&self.store, self.as_of) {
            let counts = ledger.relations().into_iter();
            return Ok(counts
                .map(|count| (Symbol::new(&count.relation), count.decisions as usize))
                .collect());
        }
        let mut counts = BTreeMap::new();
        for decision in self.decisions_before()? {
            *counts.entry(decision.fact.relation).or_default() += 1;
        }
        Ok(counts)
    }

    /// All decisions that stand once an outcome is recorded.
    fn list(&self, outcome: &CommitOutcome) -> Result<Vec<Decision>, SessionError> {
        let mut standing = self.decisions_before()?;
        standing.retain(|decision| {
            outcome.lapsed.binary_search_by(|lapsed| lapsed.fact.cmp(&decision.fact)).is_err()
        });
        standing.extend(outcome.drawn.iter().cloned());
        standing.sort_unstable_by(|one, other| one.fact.cmp(&other.fact));
        Ok(standing)
    }

    /// The draft of a change, its facts in the form in which `ledger` records them.
    fn draft(&self, ledger: &Recording, change: &mut CommitRequest) -> Result<Draft, SessionError> {
        let mut draft = Draft {
            time: change.time,
            author: take(&mut change.author),
            source: take(&mut change.source),
            note: change.note.take(),
            assertions: take(&mut change.assertions),
            said: take(&mut change.said),
            retractions: take(&mut change.retractions),
            expect_tx: change.expect_tx,
            deferred: change.deferred,
            ..Draft::default()
        };
        self.lens(ledger)?.record(ledger, &self.rules.program, &mut draft)?;
        Ok(draft)
    }

    /// What a change, whose facts are taken out of it, comes to, and what a ledger is to record of them.
    fn resolve(&self, change: &mut CommitRequest) -> Result<(Changes, Option<Proposed>), SessionError> {
        if let (Store::Ledger(ledger), When::Now) = (&self.store, self.as_of) {
            let mut draft = self.draft(ledger, change)?;
            let (mut changes, resolved) = ledger.resolve(&mut draft)?;
            // Nobody asserted which columns are personal.
            changes.added.retain(|fact| fact.relation.as_str() != PERSONAL);
            return Ok((self.lens(ledger)?.shown(changes), Some(Proposed { draft, resolved })));
        }
        let facts = (take(&mut change.assertions), take(&mut change.retractions));
        let changes = match &self.store {
            Store::Ledger(ledger) => against(facts, |fact| self.stood(ledger, fact))?,
            Store::Memory(memory) => against(facts, |fact| Ok(memory.facts.contains(fact)))?,
        };
        Ok((changes, None))
    }

    /// Whether a fact stood at the moment that this session asks.
    pub(super) fn stood(&self, ledger: &Recording, fact: &Fact) -> Result<bool, SessionError> {
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
    pub(super) fn compare(&self, evaluation: &Evaluation) -> Result<CommitOutcome, SessionError> {
        let program = &self.rules.program;
        let ids = (0..program.relations.len() as u32).map(RelationId);
        let decided = ids.filter(|id| program[*id].kind == Kind::Decision);
        let before = self.decisions_before()?.into_iter().map(|decision| decision.fact);
        let mut before: BTreeSet<Fact> = before.collect();
        let mut facts: Vec<Fact> =
            decided.flat_map(|id| evaluation::facts_of(program, &evaluation.model, id)).collect();
        facts.sort_unstable();
        let lenient = evaluation.lenient();
        self.cross_check(&lenient.undefined, &|id, visit| rows_of(lenient, id, visit))?;
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
        let decisions = DecisionRelations::new(program);
        before.retain(|fact| !evaluation::is_undetermined(program, &evaluation.undetermined, fact));
        let lapsed = before.into_iter().map(|fact| decisions.lapsed(fact)).collect();
        Ok(CommitOutcome {
            drawn,
            lapsed,
            stands: self.decision_counts(|id| evaluation::extent(&evaluation.model, id).rows.len()),
            undetermined: evaluation::undetermined_decisions(program, &evaluation.undetermined),
            reports: reports(&self.rules, evaluation),
            ..CommitOutcome::default()
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
        let zones = self.rules.uses_zones().then(|| zone::version().to_owned());
        Run { engine: self.engine.name().to_owned(), lenient: self.lenient, limits, zones }
    }

    fn record(
        &mut self,
        now: i64,
        proposed: Option<Proposed>,
        outcome: &mut CommitOutcome,
        is_quiet: bool,
    ) -> Result<(), SessionError> {
        if let Store::Memory(memory) = &mut self.store {
            memory.take_in(outcome);
            return Ok(());
        }
        let run = Some(self.run());
        let steps = match (&self.store, has_effects(&self.rules.checked)) {
            (Store::Ledger(ledger), true) => Some(self.lens(ledger)?.recorded_steps(&outcome.steps)),
            _ => None,
        };
        match (&mut self.store, proposed) {
            (Store::Ledger(ledger), Some(Proposed { draft, resolved })) => {
                let draft = Draft {
                    clock: Some(now),
                    rules: Some(self.rules.recorded()),
                    run,
                    steps,
                    drawn: take(&mut outcome.drawn),
                    lapsed: take(&mut outcome.lapsed),
                    always: is_quiet,
                    ..draft
                };
                outcome.committed = Some(ledger.commit_resolved(&draft, resolved)?);
                (outcome.drawn, outcome.lapsed) = (draft.drawn, draft.lapsed);
            }
            _ => fault::broken("what a ledger records was resolved against it"),
        }
        Ok(())
    }
}

/// What a ledger is to record of a change: its draft, and the facts of it resolved.
pub(super) struct Proposed {
    pub(super) draft: Draft,
    pub(super) resolved: ResolvedDelta,
}

impl Memory {
    fn take_in(&mut self, outcome: &CommitOutcome) {
        outcome.changes.removed.iter().for_each(|fact| self.facts.remove(fact));
        self.facts.extend(outcome.changes.added.iter().cloned());
        for change in outcome.steps.iter().flat_map(|step| &step.changes) {
            match change.asserted {
                true => self.facts.extend([change.fact.clone()]),
                false => self.facts.remove(&change.fact),
            }
        }
        outcome.lapsed.iter().for_each(|lapsed| self.decisions.remove(&lapsed.fact));
        outcome.drawn.iter().cloned().for_each(|decision| self.decisions.insert(decision));
    }
}

/// What assertions and retractions come to where the facts that are `held` stand.
fn against(
    (assertions, retractions): (Vec<Fact>, Vec<Fact>),
    held: impl Fn(&Fact) -> Result<bool, SessionError>,
) -> Result<Changes, SessionError> {
    let (wanted, mut unwanted) = (distinct(assertions), distinct(retractions));
    unwanted.retain(|fact| wanted.binary_search(fact).is_err());
    let mut changes = Changes::default();
    for fact in wanted {
        let list = if held(&fact)? { &mut changes.present } else { &mut changes.added };
        list.push(fact);
    }
    for fact in unwanted {
        let list = if held(&fact)? { &mut changes.removed } else { &mut changes.missing };
        list.push(fact);
    }
    Ok(changes)
}

/// Facts in ascending order, each once.
fn distinct(mut facts: Vec<Fact>) -> Vec<Fact> {
    facts.sort_unstable();
    facts.dedup();
    facts
}
