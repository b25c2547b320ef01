//! The `hence` binary.
fn main() {}
