//! When a command has to have ended, whatever it consists of.

use std::time::{Duration, Instant};

use crate::backend::{Bound, Limits};
use crate::provenance::Watch;

use super::error::SessionError;

/// The end of the wall time of a whole command.
#[derive(Clone, Copy, Debug)]
pub struct Deadline {
    until: Instant,
    time: Duration,
}

impl Deadline {
    /// The end of a time that begins now; `None` where that is beyond what can be told.
    pub fn after(time: Duration) -> Option<Self> {
        Some(Self { until: Instant::now().checked_add(time)?, time })
    }

    fn left(&self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }
}

/// What evaluations and proofs of one command may spend together.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Allowance {
    pub(super) limits: Limits,
    pub(super) deadline: Option<Deadline>,
}

impl Allowance {
    /// Whether there is time left.
    pub(super) fn check(&self) -> Result<(), SessionError> {
        match self.deadline.filter(|deadline| deadline.left().is_zero()) {
            Some(deadline) => Err(SessionError::Stopped { bound: Bound::Time(deadline.time) }),
            None => Ok(()),
        }
    }

    /// The limits of one evaluation that begins now.
    pub(super) fn limits(&self) -> Limits {
        let left = self.deadline.map(|deadline| deadline.left());
        let time = [self.limits.time, left].into_iter().flatten().min();
        Limits { time, ..self.limits }
    }

    /// Runs an evaluation within the limits that are left.
    pub(super) fn spend<T>(
        &self,
        evaluate: impl FnOnce(&Limits) -> Result<T, SessionError>,
    ) -> Result<T, SessionError> {
        self.check()?;
        evaluate(&self.limits()).map_err(|error| self.whole(error))
    }

    /// An error that names the time of the whole command, and not what was left of it.
    fn whole(&self, error: SessionError) -> SessionError {
        match (error, self.deadline) {
            (SessionError::Limit { bound: Bound::Time(_), rule, place, relation }, Some(deadline)) => {
                SessionError::Limit { bound: Bound::Time(deadline.time), rule, place, relation }
            }
            (error, _) => error,
        }
    }

    /// The same bounds for looking for proofs.
    pub(super) fn watch(&self) -> Watch {
        let until = self.deadline.map(|deadline| (deadline.until, deadline.time));
        Watch::new(until, self.limits.memory)
    }
}
