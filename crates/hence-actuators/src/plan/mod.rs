//! `plan`: makes the changes of steps and chains in one folder, checks them, and undoes what does not hold.

mod chain;
mod check;
mod edit;
pub(super) mod facts;
pub(super) mod journal;
pub(super) mod place;
mod search;
mod step;

use std::time::Instant;

use super::carry::{Carrier, Failed, Fate, Order, Report};
use super::error::ActuatorError;
use super::error_text::ErrorText;
use super::group;
use super::plan_settings::{NAME, PlanSettings};
use super::source::SourceCode;
use place::Root;

/// Carries out what the rules for plans decide.
///
/// `apply_step` makes the change of an attempt (`step_change`): how the files were is kept, what is to be written is
/// searched for forbidden patterns, the change is made and checked, and undone where the check fails. `test_plan` runs all
/// tests. `apply_fix` makes all changes of a fix pass (`fix_change`), and undoes them where no fewer tests fail. `rollback`
/// puts back what a kept step changed. `run_chain` runs the calls of a chain.
///
/// A process that is killed leaves a journal, by which the next one undoes the step that did not end.
pub struct PlanCarrier {
    settings: PlanSettings,
    source: SourceCode,
    errors: ErrorText,
}

/// Where a plan works, and until when.
struct Place<'a> {
    plan: &'a PlanCarrier,
    root: &'a Root,
    /// Signals that end this process wait until it is done.
    guard: &'a group::Guard,
    end: Option<Instant>,
}

/// A plan at work.
struct Work<'a> {
    place: Place<'a>,
    order: &'a Order<'a>,
}

impl PlanCarrier {
    /// By these settings.
    ///
    /// # Errors
    /// A shipped table that can't be read.
    pub fn new(settings: PlanSettings) -> Result<Self, ActuatorError> {
        Ok(Self { settings, source: SourceCode::from_tables(None)?, errors: ErrorText::from_tables(None)? })
    }

    fn root(&self) -> Result<Root, String> {
        let folder = &self.settings.folder;
        Root::open(folder).map_err(|error| format!("can't open the folder `{}`: {error}", folder.display()))
    }
}

impl Carrier for PlanCarrier {
    fn name(&self) -> &'static str {
        NAME
    }

    fn take_up(&self) -> Result<(), String> {
        let Ok(root) = self.root() else { return Ok(()) };
        if !root.has_state() {
            return Ok(());
        }
        let undone = journal::lock(&root).and_then(|lock| match lock {
            Some(_lock) => journal::recover(&root).map(drop),
            // Whoever is at work took it up.
            None => Ok(()),
        });
        undone.map_err(|error| {
            format!("what an earlier run left half-way in `{}` can't be undone: {error}", root.path.display())
        })
    }

    fn carry_out(&self, order: &Order<'_>) -> Result<Report, Failed> {
        let undone = |message: String| Failed::new(Fate::Undone, message);
        let root = self.root().map_err(undone)?;
        let folder = root.path.display();
        let lock = journal::lock(&root).map_err(|error| undone(format!("can't lock `{folder}`: {error}")))?;
        let Some(_lock) = lock else { return Err(undone(format!("another process works in `{folder}`"))) };
        journal::recover(&root)
            .map_err(|error| undone(format!("a step in `{folder}` can't be undone: {error}")))?;
        let guard = group::guard().map_err(|error| undone(error.to_string()))?;
        let end = Instant::now().checked_add(self.settings.time_limit);
        Work { place: Place { plan: self, root: &root, guard: &guard, end }, order }.carry_out()
    }
}

impl Work<'_> {
    fn carry_out(&self) -> Result<Report, Failed> {
        let lines = match self.order.decision.relation.as_str() {
            "apply_step" => self.apply_step(),
            "test_plan" => self.test_plan(),
            "apply_fix" => self.apply_fix(),
            "rollback" => self.roll_back(),
            "run_chain" => self.run_chain(),
            other => {
                Err(Failed::new(Fate::Refused, format!("`{other}` is none of the decisions about plans")))
            }
        }?;
        Ok(Report { lines, ..Report::default() })
    }

    fn at(&self) -> String {
        hence_core::value::Value::Time(self.order.now).text()
    }

    /// The answer of an earlier attempt at this decision whose changes were kept and still stand.
    fn answered(&self, name: &str) -> Result<Option<String>, Failed> {
        if self.order.attempt == 1 {
            return Ok(None);
        }
        let done = journal::done(self.place.root, name).map_err(failed)?;
        match done.filter(|done| done.id == self.order.id) {
            Some(done) if done.stands(self.place.root).map_err(failed)? => Ok(Some(done.lines)),
            _ => Ok(None),
        }
    }
}

/// What the disk says; the journal knows what was done.
fn failed(error: std::io::Error) -> Failed {
    Failed::new(Fate::Undone, format!("the journal of the plan: {error}"))
}
