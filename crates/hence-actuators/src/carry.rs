//! Carrying decisions out: what a carrier receives of a decision, and what it reports.

use super::error::ActuatorError;
use hence_core::fact::Fact;

/// A decision that is to be carried out.
#[derive(Clone, Debug)]
pub struct Order<'a> {
    /// Its id, such as `12.3`.
    pub id: &'a str,
    /// The decision.
    pub decision: &'a Fact,
    /// The names of its columns.
    pub columns: &'a [String],
    /// The rule that drew it.
    pub rule: Option<&'a str>,
    /// The rule's sentence.
    pub because: Option<&'a str>,
    /// The clock of the rules, in microseconds since the epoch.
    pub now: i64,
}

/// What came of carrying a decision out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Facts that are to be asserted.
    pub facts: Vec<Fact>,
    /// Facts as JSON Lines, for whoever knows the rules to read.
    pub lines: String,
    /// What a program wrote to standard error, for people.
    pub said: String,
}

/// Something that carries decisions out. It asserts nothing itself: what it did comes back as facts, so the loop is
/// closed through the fact base.
pub trait Carrier {
    /// The name by which it is chosen.
    fn name(&self) -> &'static str;

    /// Whether it carries out decisions of this relation.
    fn wants(&self, relation: &str) -> bool;

    /// Carries a decision out.
    ///
    /// # Errors
    /// It could not be done; nothing of it is to be asserted.
    fn carry_out(&self, order: &Order<'_>) -> Result<Report, ActuatorError>;
}
