//! Aggregates: from all matches of a group to one value, the same in whatever order the matches come.

use std::sync::LazyLock;

use hence_core::value::Type::{self, Bool, Duration, Float, Int, String as Text, Time};

use super::op::Signature;
use super::overload::TYPES;
use super::reference::{self, Kind};

pub use super::accumulator::Accumulator;
pub use super::statistics::{median, percentile_place};

/// An aggregate function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Aggregate {
    /// `count()`: matches.
    Count,
    /// `count(X)`: distinct values.
    CountDistinct,
    /// `sum(e)`: exact, floats rounded once.
    Sum,
    /// `min(e)`.
    Min,
    /// `max(e)`.
    Max,
    /// `mean(e)`: the exact sum divided, rounded once.
    Mean,
    /// `stddev(e)`: of the population.
    StdDev,
    /// `median(e)`: the mean of the middle two where there is no middle one.
    Median,
    /// `percentile(e, p)`: nearest rank, `p` above 0 and up to 1.
    Percentile,
    /// `any(b)`.
    Any,
    /// `all(b)`.
    All,
    /// `arg_max(X, by)`: of several, the smallest `X`.
    ArgMax,
    /// `arg_min(X, by)`: of several, the smallest `X`.
    ArgMin,
    /// `join(s, separator)`: distinct values, in order.
    Join,
}

impl Aggregate {
    /// The aggregate as a rule file writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Count | Self::CountDistinct => "count",
            Self::Sum => "sum",
            Self::Min => "min",
            Self::Max => "max",
            Self::Mean => "mean",
            Self::StdDev => "stddev",
            Self::Median => "median",
            Self::Percentile => "percentile",
            Self::Any => "any",
            Self::All => "all",
            Self::ArgMax => "arg_max",
            Self::ArgMin => "arg_min",
            Self::Join => "join",
        }
    }

    /// Whether a group with a match may have no value: a sum, a square or a text that grows too large, a
    /// percentile out of its bounds.
    pub fn may_fail(self) -> bool {
        matches!(self, Self::Sum | Self::StdDev | Self::Percentile | Self::Join)
    }
}

/// The aggregate that `name` stands for at these argument types, with the type of its result.
pub fn resolve(name: &str, args: &[Type]) -> Option<(Aggregate, Type)> {
    let signature = signatures(name).into_iter().find(|signature| signature.args == args)?;
    Some((aggregate(name, args)?, signature.result))
}

fn aggregate(name: &str, args: &[Type]) -> Option<Aggregate> {
    Some(match name {
        "count" if args.is_empty() => Aggregate::Count,
        "count" => Aggregate::CountDistinct,
        "sum" => Aggregate::Sum,
        "min" => Aggregate::Min,
        "max" => Aggregate::Max,
        "mean" => Aggregate::Mean,
        "stddev" => Aggregate::StdDev,
        "median" => Aggregate::Median,
        "percentile" => Aggregate::Percentile,
        "any" => Aggregate::Any,
        "all" => Aggregate::All,
        "arg_max" => Aggregate::ArgMax,
        "arg_min" => Aggregate::ArgMin,
        "join" => Aggregate::Join,
        _ => return None,
    })
}

/// Every signature of an aggregate, for messages; empty where there is no aggregate of that name.
pub fn signatures(name: &str) -> Vec<Signature> {
    let of = |pairs: &[(Type, Type)]| -> Vec<_> {
        pairs.iter().map(|(arg, result)| Signature::new(&[*arg], *result)).collect()
    };
    match name {
        "count" => std::iter::once(Signature::new(&[], Int))
            .chain(TYPES.iter().map(|&ty| Signature::new(&[ty], Int)))
            .collect(),
        "sum" => of(&[(Int, Int), (Float, Float), (Duration, Duration)]),
        "min" | "max" => TYPES.iter().map(|&ty| Signature::new(&[ty], ty)).collect(),
        "mean" | "median" => of(&[(Int, Float), (Float, Float), (Duration, Duration), (Time, Time)]),
        "stddev" => of(&[(Int, Float), (Float, Float)]),
        "percentile" => {
            [Int, Float, Duration, Time].iter().map(|&ty| Signature::new(&[ty, Float], ty)).collect()
        }
        "any" | "all" => of(&[(Bool, Bool)]),
        "arg_max" | "arg_min" => TYPES
            .iter()
            .flat_map(|&value| TYPES.iter().map(move |&by| Signature::new(&[value, by], value)))
            .collect(),
        "join" => vec![Signature::new(&[Text, Text], Text)],
        _ => Vec::new(),
    }
}

/// The names of all aggregates, in order.
pub fn names() -> &'static [&'static str] {
    static NAMES: LazyLock<Vec<&'static str>> = LazyLock::new(|| reference::names(Kind::Aggregate));
    &NAMES
}
