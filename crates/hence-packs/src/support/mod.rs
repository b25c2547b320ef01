//! What generated code needs at run time: tables of words, operations, aggregates and limits between `crepe!`
//! programs, and the exact report of undefined operations.

mod convert;
mod eval;
mod group;
mod limit;
mod pack;
mod possible;
mod row;
mod rule;
mod table;
mod undefined;
mod watch;

pub use convert::{BadFact, BadParam, Column, Columns, Name, Record, Row, drawn, fill};
pub use eval::{At, Eval, Patterns, Texts};
pub use eval::{both, captures, each, either, float, int, matches, more, one, pick, sure, two};
pub use group::aggregate;
pub use limit::limit;
pub use pack::{Decided, Pack, Report, RunError};
pub use possible::Undetermined;
pub use rule::{Arg, Compute, Elements, Limited, Match, Rule, Step, Term};
#[rustfmt::skip]
pub use row::{
    Fact, Input, Source, Row1, Row2, Row3, Row4, Row5, Row6, Row7, Row8, Row9, Row10, Row11, Row12,
    Row13, Row14, Row15, Row16, Row17, Row18, Row19, Row20, Row21, Row22, Row23, Row24,
};
pub use table::{Cell, Table, Tables};
pub use watch::{Bounds, go, held, tried};

pub use ahash;

pub use hence_core::fault::broken;
pub use hence_core::symbol::Symbol;
pub use hence_core::value::{Type, Word};
pub use hence_lang::builtins::aggregate::Aggregate;
pub use hence_lang::builtins::generator::Generator;
pub use hence_lang::builtins::op::Op;
