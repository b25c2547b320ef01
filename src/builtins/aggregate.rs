//! Aggregates: from all matches of a group to one value, the same in whatever order the matches come.

use crate::value::{Type, Word};

/// An aggregate function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Aggregate {
    /// `count()`: matches.
    Count,
    /// `count(X)`: distinct values.
    CountDistinct,
    /// `sum(e)`.
    Sum,
    /// `min(e)`.
    Min,
    /// `max(e)`.
    Max,
    /// `mean(e)`.
    Mean,
    /// `stddev(e)`.
    StdDev,
    /// `median(e)`.
    Median,
    /// `percentile(e, p)`.
    Percentile,
    /// `any(b)`.
    Any,
    /// `all(b)`.
    All,
    /// `arg_max(X, by)`.
    ArgMax,
    /// `arg_min(X, by)`.
    ArgMin,
    /// `join(s, separator)`.
    Join,
}

/// The aggregate that `name` stands for at these argument types, with the type of its result.
pub fn resolve(name: &str, args: &[Type]) -> Option<(Aggregate, Type)> {
    match (name, args) {
        ("count", []) => Some((Aggregate::Count, Type::Int)),
        ("count", [_]) => Some((Aggregate::CountDistinct, Type::Int)),
        _ => None,
    }
}

/// The names of all aggregates, in order.
pub fn names() -> &'static [&'static str] {
    &[
        "all",
        "any",
        "arg_max",
        "arg_min",
        "count",
        "join",
        "max",
        "mean",
        "median",
        "min",
        "percentile",
        "stddev",
        "sum",
    ]
}

/// The state of one group of one aggregate.
#[derive(Clone, Debug)]
pub struct Accumulator {
    aggregate: Aggregate,
    count: u64,
}

impl Accumulator {
    /// An empty group; `args` are the types of the aggregate's arguments.
    pub fn new(aggregate: Aggregate, args: &[Type]) -> Self {
        let _ = args;
        Self { aggregate, count: 0 }
    }

    /// Takes one match in: the values of the aggregate's arguments for it.
    pub fn add(&mut self, args: &[Word]) {
        let _ = args;
        self.count += 1;
    }

    /// The value of the group; `None` where it has none (an overflowing sum).
    pub fn finish(&self) -> Option<Word> {
        let _ = self.aggregate;
        Some(Word::from_int(self.count as i64))
    }
}
