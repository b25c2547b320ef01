//! How rules are evaluated, and what that costs, rule by rule.

use hence_engine::{Database, Model};
use hence_engine::{Profile, SemiNaive};

use super::error::SessionError;
use super::{Session, evaluation};

impl Session {
    /// The input of an evaluation at the time `now`: the facts that stand, and the clock.
    ///
    /// # Errors
    /// A ledger that can't be read.
    pub fn input(&self, now: i64) -> Result<Database, SessionError> {
        let mut input = self.standing()?;
        self.add_now(&mut input, now);
        Ok(input)
    }

    /// The plans of all rules for `input`, as text; see [`hence_engine::plans`].
    ///
    /// # Errors
    /// The limit that was reached.
    pub fn plans(&self, input: Database) -> Result<String, SessionError> {
        let program = &self.rules.program;
        self.entry(|| {
            let plans = hence_engine::plans(program, input);
            plans.map_err(|reached| evaluation::limit(program, &self.rules.sources, &reached))
        })
    }

    /// One evaluation of `input` by the semi-naive engine, with what each rule did.
    ///
    /// # Errors
    /// The limit that was reached.
    pub fn profile(&self, input: Database) -> Result<(Model, Profile), SessionError> {
        let program = &self.rules.program;
        self.entry(|| {
            let profiled = SemiNaive.evaluate_profiled(program, input, &self.limits);
            profiled.map_err(|reached| evaluation::limit(program, &self.rules.sources, &reached))
        })
    }
}
