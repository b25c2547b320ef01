//! The functions, generators and aggregates of the language, shared by the checker, the engines and generated
//! code; LANGUAGE.md says what each means.

pub mod aggregate;
pub mod expr;
pub mod generator;
pub mod op;
pub mod pattern;
pub mod term;
