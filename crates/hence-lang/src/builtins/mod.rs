//! The functions, generators and aggregates of the language, shared by the checker, the engines and generated
//! code; LANGUAGE.md says what each means.

pub mod aggregate;
mod arithmetic;
mod calendar;
pub mod clock;
mod conversion;
pub(crate) mod decimal;
pub mod expr;
pub mod generator;
pub mod op;
mod overload;
pub mod pattern;
pub mod reference;
pub mod rule;
pub mod sort_key;
pub mod term;
mod text;
mod wording;
pub mod zone;
