//! The meaning of a program, slow and plain: every rule over the whole state, round by round, until nothing is new.
//! The other engines are right where they agree with this one.

mod head;
mod kleene;
mod matching;
mod state;

use crate::limits::{Budget, LimitReached, Limits};
use crate::model::{Database, Engine, Model};
use crate::report::Reports;
use hence_lang::ir::{Program, RuleId, Stratum};
pub use kleene::ThreeValued;
use state::State;

/// The naive engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Naive;

impl Engine for Naive {
    fn name(&self) -> &'static str {
        "naive"
    }

    fn evaluate(&self, program: &Program, input: Database, limits: &Limits) -> Result<Model, LimitReached> {
        let mut run = Run {
            program,
            params: program.param_words(),
            state: State::new(program, &input),
            reports: Reports::new(program),
            budget: Budget::new(limits),
        };
        for stratum in &program.strata {
            run.stratum(stratum)?;
        }
        Ok(Model { relations: run.state.extents(), undefined: run.reports.finish() })
    }
}

/// One evaluation at work.
struct Run<'p> {
    program: &'p Program,
    params: Vec<hence_core::value::Word>,
    state: State,
    reports: Reports<'p>,
    budget: Budget,
}

impl Run<'_> {
    /// Rounds until one derives nothing new; one round is enough where no rule reads what the stratum derives.
    fn stratum(&mut self, stratum: &Stratum) -> Result<(), LimitReached> {
        let mut at_work = stratum.rules.first().copied().unwrap_or(RuleId(0));
        for round in 1.. {
            if stratum.recursive {
                self.budget.round(round).map_err(|bound| LimitReached::at(bound, self.program, at_work))?;
            }
            let mut grew = None;
            for &rule in &stratum.rules {
                if self.rule(rule)? {
                    grew = Some(rule);
                }
            }
            self.state.close_round(&stratum.relations);
            match grew {
                Some(rule) if stratum.recursive => at_work = rule,
                _ => break,
            }
        }
        Ok(())
    }

    /// Adds what one rule derives from the rounds before; whether some of it is new.
    fn rule(&mut self, id: RuleId) -> Result<bool, LimitReached> {
        let program = self.program;
        let rule = &program[id];
        let stopped = |bound: hence_core::meter::Bound| LimitReached::at(bound, program, id);
        let matches = self.matches(id, rule).map_err(stopped)?;
        let mut grew = false;
        for row in self.heads(id, rule, &matches) {
            if self.state.add(rule.head, row) {
                grew = true;
                self.budget.spend(1).map_err(stopped)?;
            }
        }
        self.budget.memory(self.state.bytes()).map_err(stopped)?;
        Ok(grew)
    }
}
