//! The moment of a ledger that a proof stands on: named by who prints a proof, and read again by who checks one.

/// What a proof over a ledger depends on beside its steps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// The last transaction whose facts it may use.
    pub transaction: u64,
    /// The hash of that transaction, 64 hexadecimal digits.
    pub head: String,
    /// The clock, in microseconds since the epoch.
    pub clock: i64,
    /// The hash of the rules, with their parameters.
    pub rules: String,
    /// Whether undefined operations counted as false.
    pub lenient: bool,
    /// The parameters that are not as the rules declare them: name and literal, in the order of the rules.
    pub parameters: Vec<(String, String)>,
    /// The transactions since which the leaves' relations have the columns that they have, by name.
    pub schemas: Vec<(String, u64)>,
}
