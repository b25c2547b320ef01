//! The functions, generators and aggregates of the language, shared by the checker, the engines and generated
//! code; LANGUAGE.md says what each means.

mod accumulator;
pub mod aggregate;
mod arithmetic;
mod calendar;
pub mod column;
mod conversion;
mod exact_sum;
pub mod expr;
pub mod generator;
pub mod op;
mod overload;
pub mod pattern;
pub mod reference;
mod statistics;
pub mod term;
mod text;
