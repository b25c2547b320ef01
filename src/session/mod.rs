//! The public face: load rules, take facts, ask questions, draw and record decisions.
//!
//! A [`Session`] is a [`RuleSet`], the facts that stand, and an engine. Everything else (command line, tests,
//! servers) is a thin rim around it.

mod ask;
mod commit;
mod error;
mod evaluation;
mod facts;
mod ledger_facts;
mod loader;
mod ruleset;
pub mod shipped;
mod why;

pub use ask::{Answer, Derived, report_line};
pub use commit::{Change, Outcome};
pub use error::{Faults, SessionError};
pub use evaluation::{Evaluation, evaluate_program, facts_of};
pub use facts::{FactFiles, read_fact, read_fact_lines, read_facts, read_given};
pub use loader::{Loaded, Loader, rule_files};
pub use ruleset::{Findings, RuleSet, RuleSource, check, guards};
pub use why::Because;

use crate::backend::seminaive::SemiNaive;
use crate::backend::{Database, Engine, Limits};
use crate::fact::Fact;
use crate::ledger::Ledger;
use crate::symbol::Symbol;
use crate::value::Value;

/// A rule set over facts.
pub struct Session {
    rules: RuleSet,
    store: Store,
    engine: Box<dyn Engine>,
    limits: Limits,
    lenient: bool,
}

/// Where the facts of a session stand.
enum Store {
    /// In memory: facts of files, or asserted by a program.
    Memory(Vec<Fact>),
    /// In a ledger.
    Ledger(Box<Ledger>),
}

impl Session {
    /// A session over facts that are kept nowhere.
    pub fn over_facts(rules: RuleSet, facts: Vec<Fact>) -> Self {
        Self::new(rules, Store::Memory(facts))
    }

    /// A session over the facts of a ledger.
    pub fn over_ledger(rules: RuleSet, ledger: Ledger) -> Self {
        Self::new(rules, Store::Ledger(Box::new(ledger)))
    }

    fn new(rules: RuleSet, store: Store) -> Self {
        Self {
            rules,
            store,
            engine: Box::new(SemiNaive::default()),
            limits: Limits::default(),
            lenient: false,
        }
    }

    /// The same with another engine.
    #[must_use]
    pub fn with_engine(mut self, engine: Box<dyn Engine>) -> Self {
        self.engine = engine;
        self
    }

    /// The same under other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Whether a match with an operation without a result counts as false, instead of leaving every decision that
    /// depends on it undetermined.
    #[must_use]
    pub fn with_lenient(mut self, lenient: bool) -> Self {
        self.lenient = lenient;
        self
    }

    /// The rules.
    pub fn rules(&self) -> &RuleSet {
        &self.rules
    }

    /// The ledger, where the session has one.
    pub fn ledger(&self) -> Option<&Ledger> {
        match &self.store {
            Store::Ledger(ledger) => Some(ledger),
            Store::Memory(_) => None,
        }
    }

    /// Everything that follows at the time `now` (microseconds since the epoch).
    ///
    /// # Errors
    /// A limit that was reached, a ledger that can't be read.
    pub fn evaluate(&self, now: i64) -> Result<Evaluation, SessionError> {
        let mut input = self.standing()?;
        self.add_now(&mut input, now);
        self.evaluate_input(&input)
    }

    fn evaluate_input(&self, input: &Database) -> Result<Evaluation, SessionError> {
        evaluation::evaluate(&self.rules, input, self.engine.as_ref(), &self.limits, self.lenient)
    }

    /// The facts that stand, of the relations that the rules know.
    fn standing(&self) -> Result<Database, SessionError> {
        let program = &self.rules.program;
        let mut input = Database::new(program);
        match &self.store {
            Store::Memory(facts) => {
                for fact in facts {
                    evaluation::add_fact(program, &mut input, fact);
                }
            }
            Store::Ledger(ledger) => ledger_facts::standing(ledger, program, &mut input)?,
        }
        Ok(input)
    }

    fn add_now(&self, input: &mut Database, now: i64) {
        let fact = Fact::new(Symbol::new("now"), [Value::Time(now)]);
        evaluation::add_fact(&self.rules.program, input, &fact);
    }
}
