//! Aggregates: from all matches of a group to one value, the same in whatever order the matches come. Each is one file
//! and one row of the table below; analysis, engines, compiled packs and proofs read the table.

mod all;
mod any;
mod arg_max;
mod arg_min;
mod best;
mod count;
mod count_distinct;
mod distinct;
mod exact_sum;
mod join;
mod max;
mod mean;
mod median;
mod min;
mod percentile;
mod sorted;
mod state;
mod statistics;
mod stddev;
mod sum;
mod totals;
mod truths;
mod values;

use std::sync::LazyLock;

use hence_core::value::{Type, Value, Word};

use super::op::Signature;
use super::reference::{Section, WordEntry};

pub use state::{Accumulator, GroupStates};

/// An aggregate function.
pub trait AggregateFunction: Sync {
    /// The aggregate as a rule file writes it.
    fn name(&self) -> &'static str;

    /// The title under which users read of it.
    fn section(&self) -> &'static str;

    /// What users read of it. Aggregates of one name share an entry.
    fn entry(&self) -> WordEntry;

    /// The types of its arguments and its result.
    fn signatures(&self) -> Vec<Signature>;

    /// Whether a group with a match may have no value: a sum, a square or a text that grows too large, a percentile
    /// out of its bounds.
    fn may_fail(&self) -> bool {
        false
    }

    /// Its value over no match at all, where an aggregate in a body has one.
    fn of_nothing(&self, _result: Type) -> Option<Value> {
        None
    }

    /// Whether the value is one of those of the first argument, and so is in the set that these are in.
    fn picks(&self) -> bool {
        false
    }

    /// What the last argument is, where it must be the same for all matches: a literal or a parameter.
    fn constant_argument(&self) -> Option<&'static str> {
        None
    }

    /// What the aggregate means: its value over the arguments of all matches of a group, of which there is at least
    /// one. Only the naive engine evaluates it like this.
    fn value(&self, types: &[Type], matches: &[Vec<Word>]) -> Option<Word>;

    /// How a proof shows the value: whether a match with these arguments is one that gives it, such as the largest for
    /// `max`, a true one for `any`. A proof lists such matches of the group first.
    fn gives(&self, _args: &[Word], _value: Word) -> bool {
        false
    }

    /// The states of groups that matches come into.
    fn states(&self, types: &[Type]) -> Box<dyn GroupStates>;

    /// The states of groups that matches come into and leave; they may keep more.
    fn retractable_states(&self, types: &[Type]) -> Box<dyn GroupStates> {
        self.states(types)
    }
}

/// The table: for each aggregate its name in Rust and the function.
macro_rules! aggregates {
    ($($(#[$doc:meta])* $name:ident => $function:expr,)*) => {
        /// An aggregate by its number in the table.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Aggregate {
            $($(#[$doc])* $name,)*
        }

        impl Aggregate {
            /// All of them.
            const TABLE: &[Self] = &[$(Self::$name,)*];

            fn function(self) -> &'static dyn AggregateFunction {
                match self {
                    $(Self::$name => &$function,)*
                }
            }
        }
    };
}

aggregates! {
    /// `count()`: matches.
    Count => count::Count,
    /// `count(X)`: distinct values.
    CountDistinct => count_distinct::CountDistinct,
    /// `any(b)`.
    Any => any::Any,
    /// `all(b)`.
    All => all::All,
    /// `sum(e)`: exact, floats rounded once.
    Sum => sum::Sum,
    /// `mean(e)`: the exact sum divided, rounded once.
    Mean => mean::Mean,
    /// `stddev(e)`: of the population.
    StdDev => stddev::StdDev,
    /// `median(e)`: the mean of the middle two where there is no middle one.
    Median => median::Median,
    /// `percentile(e, p)`: nearest rank, `p` above 0 and up to 1.
    Percentile => percentile::Percentile,
    /// `min(e)`.
    Min => min::Min,
    /// `max(e)`.
    Max => max::Max,
    /// `arg_min(X, by)`: of several, the smallest `X`.
    ArgMin => arg_min::ArgMin,
    /// `arg_max(X, by)`: of several, the smallest `X`.
    ArgMax => arg_max::ArgMax,
    /// `join(s, separator)`: distinct values, in order.
    Join => join::Join,
}

impl std::ops::Deref for Aggregate {
    type Target = dyn AggregateFunction;

    fn deref(&self) -> &Self::Target {
        self.function()
    }
}

/// The aggregate that `name` means at these argument types, with the type of its result.
pub fn resolve(name: &str, args: &[Type]) -> Option<(Aggregate, Type)> {
    let result = |aggregate: &Aggregate| {
        aggregate.signatures().into_iter().find(|signature| signature.args == args).map(|found| found.result)
    };
    named(name).find_map(|aggregate| Some((aggregate, result(&aggregate)?)))
}

/// Every signature of an aggregate, for messages; empty where there is no aggregate of that name.
pub fn signatures(name: &str) -> Vec<Signature> {
    named(name).flat_map(|aggregate| aggregate.signatures()).collect()
}

fn named(name: &str) -> impl Iterator<Item = Aggregate> {
    Aggregate::TABLE.iter().copied().filter(move |aggregate| aggregate.name() == name)
}

/// The entries of all aggregates by their sections, in the order of the table; aggregates of one name have one.
pub(super) fn sections() -> &'static [Section] {
    static GROUPS: LazyLock<Vec<(&str, Vec<WordEntry>)>> = LazyLock::new(grouped);
    static SECTIONS: LazyLock<Vec<Section>> =
        LazyLock::new(|| GROUPS.iter().map(|(title, entries)| Section { title, entries }).collect());
    &SECTIONS
}

fn grouped() -> Vec<(&'static str, Vec<WordEntry>)> {
    let mut groups: Vec<(&str, Vec<WordEntry>)> = Vec::new();
    for aggregate in Aggregate::TABLE {
        let entry = aggregate.entry();
        match groups.iter_mut().find(|(title, _)| *title == aggregate.section()) {
            Some((_, entries)) if entries.iter().any(|other| other.name == entry.name) => {}
            Some((_, entries)) => entries.push(entry),
            None => groups.push((aggregate.section(), vec![entry])),
        }
    }
    groups
}

/// The names of all aggregates, in order.
pub fn names() -> &'static [&'static str] {
    static NAMES: LazyLock<Vec<&str>> = LazyLock::new(|| {
        let mut names: Vec<&str> = Aggregate::TABLE.iter().map(|aggregate| aggregate.name()).collect();
        names.sort_unstable();
        names.dedup();
        names
    });
    &NAMES
}
