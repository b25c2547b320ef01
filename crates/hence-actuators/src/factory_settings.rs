//! What settings say of the carrier `factory`, wherever it runs.

use std::path::PathBuf;
use std::time::Duration;

/// The name of the carrier.
pub const NAME: &str = "factory";
/// The decisions that it carries out.
pub const DECISIONS: [&str; 3] = ["take_tool", "pass_stage", "run_tool"];
/// How long a run may take if nothing else is said.
pub const TIME_LIMIT: Duration = Duration::from_secs(60);

/// Where tools are, and what a run of one may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactorySettings {
    /// The folder of tools and of their registry.
    pub folder: PathBuf,
    /// What runs tools in Python.
    pub interpreter: String,
    /// How much address space a run has, in MB.
    pub memory: u64,
    /// How much processor time; the time limit where nothing is said.
    pub cpu: Option<Duration>,
    /// How many characters it may write.
    pub output: u64,
    /// The hosts, with their ports, that hence asks for it.
    pub hosts: Vec<String>,
    /// The relations that it may read.
    pub reads: Vec<String>,
    /// How long a run may take.
    pub time_limit: Duration,
}
