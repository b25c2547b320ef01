//! What settings say of the carrier `script`, wherever it runs.

use std::path::PathBuf;

/// The name of the carrier.
pub const NAME: &str = "script";
/// How much memory a script may have if nothing else is said, in MB.
pub const MEMORY: u64 = 128;
/// How many characters it may write if nothing else is said.
pub const OUTPUT: u64 = 50_000;

/// Where the text of a script is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Text {
    /// In this column of the decision.
    Column(String),
    /// In this file.
    File(PathBuf),
}
