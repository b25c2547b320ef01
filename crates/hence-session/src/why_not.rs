//! Why a fact does not hold, and what would have to change.

use std::time::Duration;

use hence_proof::proof::Proof;
use hence_proof::why_not::{Remedies, WhyNot};

use super::Session;
use super::error::SessionError;
use super::why::Asked;

/// Why nothing fits a question.
#[derive(Clone, Debug)]
pub struct Refused {
    /// For each rule, how far it gets and what fails there.
    pub answer: WhyNot,
    /// The smallest changes after which it would hold, each tried.
    pub remedies: Remedies,
    /// How what fits follows possibly and not certainly.
    pub undetermined: Vec<Proof>,
}

impl Session {
    /// Why no fact fits `question` at `now`, and within `time` what would have to change; no time, no remedies.
    ///
    /// # Errors
    /// Faults in the question, and all that can go wrong in an evaluation.
    pub fn why_not(&self, question: &str, now: i64, time: Duration) -> Result<Refused, SessionError> {
        let evaluation =
            self.entry(|| self.evaluate_for(self.asked(question, Asked::WhyNot)?.relation, now))?;
        self.explainer(&evaluation, None).why_not(question, time)
    }
}
