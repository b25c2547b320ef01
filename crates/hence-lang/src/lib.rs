//! What rules mean, from the tree that the parser gives to stratified normal rules.
//!
//! [`analysis`] checks names, types, safety and strata; [`lower`] writes what was checked as [`ir`], which engines and
//! proofs read; [`builtins`] are the functions, aggregates and generators of the language.

pub mod analysis;
pub mod builtins;
pub mod ir;
pub mod lower;
