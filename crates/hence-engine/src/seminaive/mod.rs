//! The engine: semi-naive evaluation over plans, rows in the order of derivation, indexes on what plans look up.
//!
//! Of each round's matches only those are looked for that use a fact of the round before: for each atom over a
//! relation that still grows, a plan in which this atom reads the delta, those before it in the text what was old,
//! and those behind it everything.

mod blocks;
mod code;
mod compile;
mod cursor;
mod distinct;
mod fresh;
mod hash;
mod index;
mod known;
mod machine;
mod members;
mod output;
mod plan;
mod planner;
mod portions;
mod prepared;
mod profile;
mod rowset;
mod run;
mod shape;
mod shard;
mod show;
mod sink;
mod site;
pub mod standing;
mod store;
mod table;
mod undefined;
mod workers;

use super::{Database, Engine, LimitReached, Limits, Model};
use hence_lang::ir::Program;
pub use prepared::{Prepared, Row, View};
pub use profile::{Profile, RuleProfile};
use run::Run;
pub use show::plans;

/// The semi-naive engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SemiNaive;

impl Engine for SemiNaive {
    fn name(&self) -> &'static str {
        "embedded"
    }

    fn stands(&self) -> bool {
        true
    }

    fn evaluate(&self, program: &Program, input: Database, limits: &Limits) -> Result<Model, LimitReached> {
        let mut run = Run::new(program, input, limits, false)?;
        run.strata()?;
        Ok(run.finish().0)
    }
}

impl SemiNaive {
    /// The model, and for each rule how many matches were found, how many facts they gave, and how long that took.
    ///
    /// # Errors
    /// The limit that was reached first.
    pub fn evaluate_profiled(
        &self,
        program: &Program,
        input: Database,
        limits: &Limits,
    ) -> Result<(Model, Profile), LimitReached> {
        let mut run = Run::new(program, input, limits, true)?;
        run.strata()?;
        Ok(run.finish())
    }
}
