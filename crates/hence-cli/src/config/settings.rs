//! The table of settings: key in `hence.toml`, variable of the environment, what it takes.

/// What a setting takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A text.
    Text,
    /// A list of texts.
    Texts,
    /// A file or folder; in the file, relative to the file's folder.
    Path,
    /// A list of paths.
    Paths,
    /// A number from 1, which something is limited to.
    Count,
    /// A duration such as `5s`.
    Duration,
    /// One that something is limited to.
    TimeLimit,
    /// `true` or `false`.
    Flag,
    /// The name of an engine.
    Engine,
    /// A list of regular expressions.
    Patterns,
    /// A list of what an export masks.
    Masks,
    /// A list of compiled packs, or `none`.
    Compiled,
    /// What is logged, as `tracing-subscriber` reads it.
    Filter,
    /// The form of logs.
    LogFormat,
}

/// What the environment may do to a setting that the file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hold {
    /// Put another value in its place.
    Open,
    /// Name fewer than the file does.
    Narrower,
    /// Add to the file's.
    More,
    /// Say less than the file does, where `true` is more than `false`.
    Less,
    /// Say more than the file does, in the same order.
    AtLeast,
}

/// A setting.
pub(super) struct Setting {
    /// Its key; a point divides table and key.
    pub(super) key: &'static str,
    /// Its variable.
    pub(super) variable: &'static str,
    /// What it takes.
    pub(super) kind: Kind,
    /// Whether the file's value restricts what the environment may say.
    pub(super) hold: Hold,
    /// Its value where nobody sets it, in words where it is not a constant.
    pub(super) default: &'static str,
}

const fn setting(key: &'static str, variable: &'static str, kind: Kind, default: &'static str) -> Setting {
    Setting { key, variable, kind, hold: Hold::Open, default }
}

const fn held(
    key: &'static str,
    variable: &'static str,
    kind: Kind,
    hold: Hold,
    default: &'static str,
) -> Setting {
    Setting { key, variable, kind, hold, default }
}

/// The pack whose decisions are cross-checked where nobody says which.
pub(super) const CROSS_CHECKED: &str = if hence_packs::all().is_empty() { NONE } else { "autonomy" };
/// The word for no pack.
pub(super) const NONE: &str = "none";

/// The longer name of a setting whose key is also that of a table.
pub(super) const ALIAS: (&str, &str) = ("engine.name", "engine");

/// Every setting, in the order in which `hence config` shows them.
pub(super) const SETTINGS: [Setting; 20] = [
    setting("store", "HENCE_STORE", Kind::Path, ".hence"),
    setting("rules", "HENCE_RULES", Kind::Paths, "the shipped packs"),
    setting("packs", "HENCE_PACKS", Kind::Texts, "none"),
    setting("author", "HENCE_AUTHOR", Kind::Text, "the system user"),
    held("authors", "HENCE_AUTHORS", Kind::Texts, Hold::Narrower, "anyone"),
    setting("wait", "HENCE_WAIT", Kind::Duration, "5s"),
    setting("engine", "HENCE_ENGINE", Kind::Engine, "auto"),
    held("engine.cross_check", "HENCE_CROSS_CHECK", Kind::Compiled, Hold::More, CROSS_CHECKED),
    held("lenient", "HENCE_LENIENT", Kind::Flag, Hold::Less, "false"),
    held("limits.facts", "HENCE_MAX_FACTS", Kind::Count, Hold::Less, "50000000"),
    held("limits.iterations", "HENCE_MAX_ITERATIONS", Kind::Count, Hold::Less, "10000000"),
    held("limits.time", "HENCE_TIMEOUT", Kind::TimeLimit, Hold::Less, "none"),
    held("limits.memory", "HENCE_MAX_MEMORY", Kind::Count, Hold::Less, "half of the machine, in MiB"),
    held("limits.threads", "HENCE_THREADS", Kind::Count, Hold::Less, "one per processor"),
    held("redact.patterns", "HENCE_REDACT", Kind::Patterns, Hold::More, "none"),
    setting("redact.with", "HENCE_REDACT_WITH", Kind::Text, "[redacted]"),
    held("record.unchanged", "HENCE_RECORD_UNCHANGED", Kind::Flag, Hold::AtLeast, "false"),
    held("export.mask", "HENCE_EXPORT_MASK", Kind::Masks, Hold::More, "none"),
    setting("log.filter", "HENCE_LOG", Kind::Filter, "none"),
    setting("log.format", "HENCE_LOG_FORMAT", Kind::LogFormat, "text"),
];

/// The table whose keys are the parameters of the rules.
pub(super) const PARAMS: &str = "params";
/// The table of what is done about lints.
pub(super) const LINTS: &str = "lints";
/// The table of roles, each with the names of those who have it.
pub(super) const ROLES: &str = "roles";
/// Variables with this beginning set a parameter.
pub(super) const PARAM_VARIABLE: &str = "HENCE_PARAM_";
/// Variables that mean something and are not settings.
pub(super) const OTHERS: [&str; 8] = [
    "HENCE_ATTEMPT",
    "HENCE_CLOCK",
    "HENCE_DECISION",
    "HENCE_HISTORY",
    "HENCE_HTTP",
    "HENCE_KEY",
    "HENCE_TOKEN",
    "HENCE_TRUST",
];
/// What every variable of hence begins with.
pub(super) const PREFIX: &str = "HENCE_";
/// The table of the programs that carry decisions out.
pub(super) const RUN_COMMAND: &str = "run_command";
/// The table of what AuthZEN requests mean.
pub(super) const AUTHZEN: &str = "authzen";
/// The table of files of records, by relation.
pub(super) const FACTS: &str = "facts";
/// The table of where generated tools are, and what they may do.
pub(super) const TOOLS: &str = "tools";
/// The table of where servers of tools are searched for.
pub(super) const MCP: &str = "mcp";
/// The table of where plans are carried out.
pub(super) const PLAN: &str = "plan";
/// The table of how decisions are carried out, by relation.
pub(super) const CARRY: &str = "carry";
