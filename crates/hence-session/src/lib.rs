//! The public face: load rules, take facts, ask questions, draw and record decisions.
//!
//! Where hence contradicts itself, what was asked is answered by [`SessionError::Fault`], and nothing is recorded; a
//! session that was recording then answers nothing else until it is opened again.
//!
//! A [`Session`] is a [`RuleSet`], the facts that stand, and an engine. Everything else (command line, tests,
//! servers) is a thin rim around it.

mod ask;
mod audit;
mod authors;
mod brought;
pub mod codes;
mod commit;
pub mod compiled;
mod cross_check;
mod decisions;
mod diff;
mod drawn;
mod effects;
mod erased;
mod error;
mod evaluation;
mod facts;
mod fitting;
mod follow;
pub mod format;
mod ground;
mod history;
mod incremental;
mod lapse;
mod ledger_facts;
mod lent;
mod listing;
mod loader;
mod maintained;
mod memory;
mod migrate;
mod misfit;
mod outbox;
mod outcome;
mod parameters;
mod prepared;
mod profile;
pub mod prompt;
mod recorded;
pub mod reference;
mod replay;
mod room;
mod rule_files;
mod ruleset;
mod schedule;
mod shards;
pub mod shipped;
mod slice;
pub mod sql;
pub mod status;
mod suppose;
mod trace;
mod trust;
mod what_if;
mod why;
mod why_not;

pub use ask::{DerivedRelations, QueryAnswer, report_line};
pub use audit::{Audit, Audited, Discrepancy, Finding};
pub use authors::{Admission, Roles, Saying};
pub use commit::CommitRequest;
pub use cross_check::Both;
pub use diff::unified;
pub use drawn::{DecisionId, Drawn};
pub use error::{Faults, SessionError};
pub use evaluation::{Evaluation, evaluate_program, facts_of};
pub use facts::{
    FactFiles, RecordFile, read_any_fact, read_fact, read_fact_lines, read_facts, read_facts_counted,
    read_given, read_pattern, read_record_lines, read_stream_lines,
};
pub use fitting::fact_by_name;
pub use ground::{AskedBy, Ground};
pub use ledger_facts::fit_draft;
pub use lent::Lent;
pub use listing::{Listing, from_shipped, history, recorded_like, stands_with, undeclared};
pub use loader::{Loaded, Loader};
pub use migrate::{Migrated, Migration};
pub use outcome::CommitOutcome;
pub use parameters::{RecordedParam, param_fact, recorded_params, undeclared_params};
pub use prepared::{Decided, PreparedSession};
pub use replay::{Flip, Replay, Replayed};
pub use rule_files::{RuleFiles, is_of_tests, rule_files};
pub use ruleset::{Findings, RuleSet, RuleSource, check, guards};
pub use schedule::Schedules;
pub use slice::EvaluationScope;
pub use suppose::Supposed;
pub use trust::Untrusted;
pub use what_if::{Hypothesis, SupposedOutcome};
pub use why::{Explainer, FactProofs, Wanted};
pub use why_not::Refused;

use std::collections::BTreeSet;

use hence_core::fact::Fact;
use hence_core::fault::{self, Fault};
use hence_core::meter;
use hence_core::schema::RelationId;
use hence_core::span::Sources;
use hence_engine::SemiNaive;
use hence_engine::{Database, Engine, Limits};
use hence_lang::ir::Program;
use hence_ledger::{Ledger, Notice, TxInfo, When};

use brought::Brought;
use cross_check::CrossCheck;
use decisions::Decisions;
use effects::HeldAt;
use incremental::IncrementalState;
use ledger_facts::{LensNow, Recording, declares_the_same};
use memory::FactSet;

/// A rule set over facts.
pub struct Session {
    rules: RuleSet,
    store: Store,
    engine: Box<dyn Engine>,
    limits: Limits,
    lenient: bool,
    as_of: When,
    incremental: IncrementalState,
    scope: EvaluationScope,
    lens: LensNow,
    cross_check: CrossCheck,
    /// What effects held when decisions were drawn last, as far as the session knows.
    effects: Option<HeldAt>,
    /// Who may bring which facts into the ledger.
    roles: Roles,
    /// Whether a commit that changes nothing is recorded too.
    records_unchanged: bool,
    /// The decisions of transactions whose ids were asked for last.
    lists: drawn::Lists,
    /// What the clock showed at the last commit of this session.
    clock: Option<i64>,
    /// What ended a record half-way: what stands is not known after that, and every question gets this for an answer.
    fault: Option<Fault>,
}

/// Where the facts of a session stand.
enum Store {
    /// In memory: facts of files, or asserted by a program.
    Memory(Memory),
    /// In a ledger.
    Ledger(Box<Recording>),
}

/// What stands in a session without a ledger.
struct Memory {
    facts: FactSet,
    decisions: Decisions,
}

impl Session {
    /// A session over facts that are kept nowhere.
    ///
    /// # Errors
    /// A fact of no relation of the rules, with other columns, with a value of another type.
    pub fn over_facts(rules: RuleSet, facts: Vec<Fact>) -> Result<Self, SessionError> {
        brought::check(&rules, &facts, Brought::Any)?;
        let memory = Memory { facts: FactSet::new(facts), decisions: Decisions::default() };
        Ok(Self::new(rules, Store::Memory(memory)))
    }

    /// A session over the facts of a ledger.
    pub fn over_ledger(rules: RuleSet, ledger: Ledger) -> Self {
        Self::new(rules, Store::Ledger(Box::new(Recording::new(ledger))))
    }

    fn new(rules: RuleSet, store: Store) -> Self {
        Self {
            rules,
            store,
            engine: Box::new(SemiNaive),
            limits: Limits::default(),
            lenient: false,
            as_of: When::Now,
            incremental: IncrementalState::default(),
            scope: EvaluationScope::default(),
            lens: LensNow::default(),
            cross_check: CrossCheck::default(),
            effects: None,
            roles: Roles::default(),
            records_unchanged: false,
            lists: drawn::Lists::default(),
            clock: None,
            fault: None,
        }
    }

    /// What an entry of the session does; a fault of hence on the way is its error.
    fn entry<T>(&self, work: impl FnOnce() -> Result<T, SessionError>) -> Result<T, SessionError> {
        match &self.fault {
            Some(fault) => Err(fault.clone().into()),
            None => fault::caught(work),
        }
    }

    /// The same with another engine.
    #[must_use]
    pub fn with_engine(mut self, engine: Box<dyn Engine>) -> Self {
        self.engine = engine;
        self.incremental = IncrementalState::default();
        self
    }

    /// The same under other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self.incremental = IncrementalState::default();
        self
    }

    /// Whether a match with an undefined operation counts as false, instead of leaving every decision that
    /// depends on it undetermined.
    #[must_use]
    pub fn with_lenient(mut self, lenient: bool) -> Self {
        self.lenient = lenient;
        self.incremental = IncrementalState::default();
        self
    }

    /// The same asked of a moment in the past of its ledger.
    #[must_use]
    pub fn with_as_of(mut self, as_of: When) -> Self {
        self.as_of = as_of;
        self.incremental = IncrementalState::default();
        self
    }

    /// How much of rules and facts questions evaluate.
    #[must_use]
    pub fn with_evaluation_scope(mut self, scope: EvaluationScope) -> Self {
        self.scope = scope;
        self
    }

    /// The same where these authors have these roles. Without a ledger, facts are supposed and nobody is asked.
    #[must_use]
    pub fn with_roles(mut self, roles: Roles) -> Self {
        self.roles = roles;
        self
    }

    /// The same where a commit that changes nothing leaves a transaction too, if `records`.
    #[must_use]
    pub fn with_unchanged_recorded(mut self, records: bool) -> Self {
        self.records_unchanged = records;
        self
    }

    /// The same facts under other rules.
    #[must_use]
    pub fn with_rules(mut self, rules: RuleSet) -> Self {
        self.change_rules(rules);
        self
    }

    /// Goes on under other rules.
    fn change_rules(&mut self, rules: RuleSet) {
        let before = std::mem::replace(&mut self.rules, rules);
        self.effects = self.effects.take().map(|kept| kept.under_others(&before.checked));
        self.lens = LensNow::default();
        self.cross_check = std::mem::take(&mut self.cross_check).renewed();
        self.incremental = IncrementalState::default();
    }

    /// The limits of what it evaluates.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Goes on under other rules, and keeps what follows from them from the next commit on.
    ///
    /// # Errors
    /// They can't read facts that are recorded; then the rules stay as they were.
    pub fn renew(&mut self, rules: RuleSet) -> Result<(), SessionError> {
        let before = self.rules.clone();
        self.change_rules(rules);
        if let Err(error) = self.check_columns() {
            self.change_rules(before);
            self.incremental = IncrementalState::Once;
            return Err(error);
        }
        self.incremental = IncrementalState::Once;
        Ok(())
    }

    /// The rules.
    pub fn rules(&self) -> &RuleSet {
        &self.rules
    }

    /// The ledger, where the session has one.
    pub fn ledger(&self) -> Option<&Ledger> {
        match &self.store {
            Store::Ledger(ledger) => Some(ledger.as_ref()),
            Store::Memory(_) => None,
        }
    }

    /// What the user should be told of the ledger since the last call.
    pub fn take_notices(&mut self) -> Vec<Notice> {
        match &mut self.store {
            Store::Ledger(ledger) => ledger.take_notices(),
            Store::Memory(_) => Vec::new(),
        }
    }

    /// Ends all work on the ledger and says what came of it; dropping the session does the same silently.
    pub fn close(self) -> Vec<Notice> {
        match self.store {
            Store::Ledger(ledger) => ledger.close(),
            Store::Memory(_) => Vec::new(),
        }
    }

    /// The ledger, where the session has one, for whoever goes on with it.
    pub fn into_ledger(self) -> Option<Ledger> {
        match self.store {
            Store::Ledger(recording) => Some(recording.into_ledger()),
            Store::Memory(_) => None,
        }
    }

    /// The rules of a moment of the ledger: those of its last transaction that names any, which is told too. `None`
    /// where there is none, and without a ledger.
    ///
    /// # Errors
    /// A ledger that can't be read, rules that aren't understood any more.
    pub fn rules_at(ledger: &Ledger, moment: When) -> Result<Option<(TxInfo, RuleSet)>, SessionError> {
        let last = match moment {
            When::Now => ledger.last_tx(),
            When::Tx(tx) => tx,
            When::Time(time) => ledger.tx_at(time)?,
        };
        let info = ledger.last_where(|info| info.tx <= last && info.rules.is_some())?;
        let Some((info, hash)) = info.and_then(|info| info.rules.map(|hash| (info, hash))) else {
            return Ok(None);
        };
        let rules = history::recorded(ledger, hash)?;
        Ok(Some((info, rules)))
    }

    /// The facts that stand, of the inputs that the rules know, relation by relation, ascending.
    ///
    /// # Errors
    /// A ledger that can't be read.
    pub fn given(&self) -> Result<Vec<Fact>, SessionError> {
        self.entry(|| self.all_given())
    }

    fn all_given(&self) -> Result<Vec<Fact>, SessionError> {
        let (program, input) = (&self.rules.program, self.standing()?);
        let facts = input.relations.iter().enumerate().flat_map(|(at, rows)| {
            let relation = RelationId(at as u32);
            let mut facts: Vec<Fact> =
                rows.iter().map(|row| evaluation::fact_of(program, relation, row)).collect();
            facts.sort_unstable();
            facts.dedup();
            facts
        });
        Ok(facts.collect())
    }

    /// Everything that follows at the time `now` (microseconds since the epoch).
    ///
    /// # Errors
    /// A limit that was reached, a ledger that can't be read.
    pub fn evaluate(&self, now: i64) -> Result<Evaluation, SessionError> {
        self.entry(|| {
            let mut input = self.standing()?;
            self.add_now(&mut input, now);
            self.evaluate_input(input)
        })
    }

    fn evaluate_input(&self, input: Database) -> Result<Evaluation, SessionError> {
        evaluation::evaluate(&self.rules, input, self.engine.as_ref(), &self.limits, self.lenient)
    }

    /// The facts that stand, of the relations that the rules know.
    fn standing(&self) -> Result<Database, SessionError> {
        self.standing_in(&self.rules)
    }

    /// The facts that stand, of the relations that rules know.
    fn standing_in(&self, rules: &RuleSet) -> Result<Database, SessionError> {
        let all = (0..rules.program.relations.len() as u32).map(RelationId).collect();
        self.standing_for((&rules.program, &rules.sources), &all, self.as_of)
    }

    /// The facts that stand, of some relations of a program.
    fn standing_for(
        &self,
        (program, sources): (&Program, &Sources),
        relations: &BTreeSet<RelationId>,
        at: When,
    ) -> Result<Database, SessionError> {
        let mut input = Database::new(program);
        match &self.store {
            Store::Memory(memory) => {
                let wanted = evaluation::Named::new(program, relations);
                let listed = memory.facts.listed();
                if declares_the_same(program, &self.rules.program) {
                    wanted.add_all(&mut input, listed)?;
                } else {
                    wanted.add_all(&mut input, &fitting::under(program, &self.rules.program, listed)?)?;
                }
            }
            Store::Ledger(ledger) => {
                let lens = self.lens_for(ledger, (program, sources), at)?;
                if at == When::Now {
                    room::expect_read(ledger, program, relations)?;
                }
                for relation in relations {
                    meter::check("reading facts")?;
                    ledger_facts::beginning(ledger, &lens, at, (program, *relation), &[], &mut input)?;
                }
            }
        }
        Ok(input)
    }

    fn add_now(&self, input: &mut Database, now: i64) {
        evaluation::add_now(&self.rules.program, input, now);
    }
}
