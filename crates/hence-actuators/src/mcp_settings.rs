//! What settings say of the carrier `mcp`.

use std::path::PathBuf;
use std::time::Duration;

/// The name of the carrier.
pub const NAME: &str = "mcp";
/// The decisions that it carries out.
pub const DECISIONS: [&str; 2] = ["search_servers", "connect_server"];
/// How long a search or a connection may take if nothing else is said.
pub const TIME_LIMIT: Duration = Duration::from_secs(30);

/// Where servers are searched for, and which may be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpSettings {
    /// Registries: files, and URLs that begin with `http://`.
    pub registries: Vec<Registry>,
    /// The file of the servers that are connected.
    pub servers: PathBuf,
    /// The programs that may be started as servers.
    pub programs: Vec<String>,
    /// The hosts, with their ports, that are asked.
    pub hosts: Vec<String>,
    /// The variables that a server sees beside those that every program sees.
    pub env: Vec<String>,
    /// How long a search or a connection may take.
    pub time_limit: Duration,
}

/// A registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Registry {
    /// A file of entries.
    File(PathBuf),
    /// A server that has the form of the official registry.
    Url(String),
}
