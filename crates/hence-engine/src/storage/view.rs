//! Which facts of a relation a literal reads.

/// A view of a relation. Batch evaluation divides the facts by rounds, incremental maintenance by the change at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// The facts of all closed rounds; in incremental maintenance those that hold after the change.
    All,
    /// Those of the last closed round.
    Delta,
    /// Those of the rounds before the last; in incremental maintenance those that held before the change.
    Old,
    /// In incremental maintenance those of the rule's own stratum whose rank is settled.
    Ranked,
}

/// An invariant of batch evaluation.
pub(crate) const UNRANKED: &str = "only incremental maintenance reads the ranked view";
/// An invariant of incremental maintenance.
pub(crate) const NO_ROUNDS: &str = "only batch evaluation reads the facts of the last round";
