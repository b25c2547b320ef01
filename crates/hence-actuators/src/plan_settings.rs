//! What settings say of the carrier `plan`, wherever it runs.

use std::path::PathBuf;
use std::time::Duration;

/// The name of the carrier.
pub const NAME: &str = "plan";
/// The decisions that it carries out.
pub const DECISIONS: [&str; 5] = ["apply_step", "rollback", "test_plan", "apply_fix", "run_chain"];
/// How long a step with its checks may take if nothing else is said.
pub const TIME_LIMIT: Duration = Duration::from_secs(600);

/// What a plan may change, and what checks it; all of it is said by whoever runs hence, and nothing by facts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanSettings {
    /// The folder that nothing leaves.
    pub folder: PathBuf,
    /// The program that checks a change, with its arguments; empty for none.
    pub typecheck: Vec<String>,
    /// The program that runs all tests, with its arguments.
    pub tests: Vec<String>,
    /// The variables that both see beside those that every program sees.
    pub env: Vec<String>,
    /// The patterns of `facts/source_patterns.csv` that may be written.
    pub allow: Vec<String>,
    /// How long a step with its checks may take.
    pub time_limit: Duration,
}
