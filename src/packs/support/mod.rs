//! What generated code stands on at run time: tables of words, operations, aggregates and limits between `crepe!`
//! programs, and the exact report of operations without a result.

mod convert;
mod eval;
mod group;
mod inquiry;
mod limit;
mod pack;
mod rule;
mod table;
mod watch;

pub use convert::{BadFact, Column, Columns, Name, Record, Row, drawn, fill};
pub use eval::{At, Eval, Patterns, Texts};
pub use eval::{both, captures, each, either, float, int, matches, more, one, pick, sure, two};
pub use group::aggregate;
pub use limit::limit;
pub use pack::{Pack, Report, RunError};
pub use rule::{Arg, Compute, Elements, Limited, Match, Rule, Step, Term};
pub use table::{Cell, Table, Tables};
pub use watch::{Bounds, go, held, tried};

pub use ahash;

pub use crate::builtins::aggregate::Aggregate;
pub use crate::builtins::generator::Generator;
pub use crate::builtins::op::Op;
pub use crate::symbol::Symbol;
pub use crate::value::{Type, Word};
