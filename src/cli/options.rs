//! Options that several commands share.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::backend::{Engine, Limits, naive::Naive, seminaive::SemiNaive};
use crate::ledger::When;
use crate::session::compiled::Compiled;
use crate::session::{RuleSource, Session};
use crate::symbol::Symbol;
use crate::syntax;
use crate::value::Value;

use super::time;

/// Which rules.
#[derive(Debug, Clone, Args)]
pub(super) struct RuleOptions {
    /// Rule files and folders [default: the `rules/` beside `hence.toml`, else the shipped packs]
    #[arg(long = "rules", value_name = "PATH", num_args = 1..)]
    pub(super) rules: Vec<PathBuf>,
    /// Shipped packs by name
    #[arg(long = "pack", value_name = "NAME", num_args = 1..)]
    pub(super) packs: Vec<String>,
    /// Sets a parameter, such as `lowest_score=0.2`
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parameter)]
    pub(super) sets: Vec<(Symbol, Value)>,
}

pub(super) fn parameter(text: &str) -> Result<(Symbol, Value), String> {
    let (name, value) = text.split_once('=').ok_or_else(|| format!("expected NAME=VALUE, found `{text}`"))?;
    let (name, value) = (name.trim(), value.trim());
    let value = syntax::parse_value(value).ok_or_else(|| {
        format!("`{value}` is no literal; a string needs quotes, a float a digit on both sides of the point")
    })?;
    Ok((Symbol::new(name), value))
}

impl RuleOptions {
    /// What the options name; without any, the rules beside the nearest `hence.toml`.
    pub(super) fn source(&self) -> RuleSource {
        let mut paths = self.rules.clone();
        if paths.is_empty() && self.packs.is_empty() {
            paths.extend(rules_beside_config());
        }
        RuleSource { paths, packs: self.packs.clone(), sets: self.sets.clone() }
    }
}

/// The `rules/` beside the nearest `hence.toml` from the current folder upwards.
pub(super) fn rules_beside_config() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    let root = here.ancestors().find(|folder| folder.join("hence.toml").is_file())?;
    let rules = root.join("rules");
    rules.is_dir().then(|| rules.strip_prefix(&here).map_or(rules.clone(), PathBuf::from))
}

/// Which facts, and when.
#[derive(Debug, Clone, Args)]
pub(super) struct FactOptions {
    /// Fact files and folders: .jsonl, .csv, .tsv, .facts or .dl
    #[arg(long = "facts", value_name = "PATH", num_args = 1..)]
    pub(super) facts: Vec<PathBuf>,
    /// The ledger's folder [default: .hence]
    #[arg(long, value_name = "DIR", env = "HENCE_STORE")]
    pub(super) store: Option<PathBuf>,
    /// The clock of this run [default: the wall clock; with --as-of, that moment's]
    #[arg(long, value_name = "TIME", value_parser = time::parse)]
    pub(super) now: Option<i64>,
    /// Wait so long for another process to finish with the ledger, such as `5s`
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(super) wait: Option<Duration>,
}

impl FactOptions {
    /// The ledger's folder.
    pub(super) fn store(&self) -> PathBuf {
        self.store.clone().unwrap_or_else(|| PathBuf::from(".hence"))
    }

    /// The clock of this run.
    pub(super) fn now(&self) -> i64 {
        self.now.unwrap_or_else(time::wall_clock)
    }

    /// The clock of a question about `session` as it was at `as_of`: as given, else that moment's.
    pub(super) fn now_at(&self, session: &Session, as_of: When) -> i64 {
        let then = match (as_of, session.ledger()) {
            (When::Time(time), _) => Some(time),
            (When::Tx(tx), Some(ledger)) => ledger.info(tx).ok().map(|info| info.clock.unwrap_or(info.time)),
            _ => None,
        };
        self.now.or(then).unwrap_or_else(time::wall_clock)
    }
}

/// Reads a moment of the ledger: the number of a transaction, or a time.
pub(super) fn moment(text: &str) -> Result<When, String> {
    if let Ok(tx) = text.parse() {
        return Ok(When::Tx(tx));
    }
    time::parse(text).map(When::Time).map_err(|_| {
        format!(
            "`{text}` is no moment; expected a transaction such as 12, or a time such as 2026-02-09T09:00:00Z"
        )
    })
}

/// The engines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum EngineName {
    /// The best one there is for the call.
    Auto,
    /// The semi-naive engine.
    Embedded,
    /// The slow one whose answers are the meaning of the language.
    Naive,
    /// The shipped packs as compiled code; rules that were not compiled go to the semi-naive engine.
    Compiled,
}

/// How to evaluate.
#[derive(Debug, Clone, Args)]
pub(super) struct EngineOptions {
    /// The engine
    #[arg(long, value_enum, default_value = "auto")]
    pub(super) engine: EngineName,
    /// The most facts that may be derived
    #[arg(long, value_name = "N", default_value_t = 50_000_000)]
    pub(super) max_facts: u64,
    /// The most rounds of one recursion
    #[arg(long, value_name = "N", default_value_t = 10_000_000)]
    pub(super) max_iterations: u64,
    /// The longest time, such as `10s` [default: none]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(super) timeout: Option<Duration>,
    /// The most memory of relations and indexes, in MiB [default: half of the machine]
    #[arg(long, value_name = "MIB")]
    pub(super) max_memory: Option<u64>,
    /// Takes a match with an operation without a result as false, instead of leaving decisions undetermined
    #[arg(long)]
    pub(super) lenient: bool,
}

pub(super) fn duration(text: &str) -> Result<Duration, String> {
    crate::literal::parse_duration(text)
        .and_then(|micros| u64::try_from(micros).ok())
        .map(Duration::from_micros)
        .ok_or_else(|| format!("`{text}` is no duration; expected one like 500ms, 10s or 5m"))
}

impl EngineOptions {
    /// The engine chosen.
    pub(super) fn engine(&self) -> Box<dyn Engine> {
        match self.engine {
            EngineName::Auto | EngineName::Embedded => Box::new(SemiNaive),
            EngineName::Naive => Box::new(Naive),
            EngineName::Compiled => Box::new(Compiled::default()),
        }
    }

    /// The limits chosen.
    pub(super) fn limits(&self) -> Limits {
        Limits {
            facts: self.max_facts,
            iterations: self.max_iterations,
            time: self.timeout,
            memory: self.max_memory.map(|mib| mib.saturating_mul(1024 * 1024)).or_else(half_of_the_machine),
        }
    }
}

/// Half of the machine's memory in bytes, where the system tells it.
fn half_of_the_machine() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024 / 2)
}
