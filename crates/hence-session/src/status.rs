//! The exit statuses of a program that decides.

/// Done.
pub const DONE: u8 = 0;
/// The answer is no.
pub const NO: u8 = 1;
/// The question could not be put.
pub const UNASKED: u8 = 2;
/// A limit was reached.
pub const LIMIT: u8 = 3;
/// A decision is undetermined.
pub const UNDETERMINED: u8 = 4;
/// Hence contradicts itself.
pub const FAULT: u8 = 70;
