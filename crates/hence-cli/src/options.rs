//! Options that several commands share.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};

use hence_core::fault::OrBroken;
use hence_core::machine;
use hence_engine::{Engine, Limits, Naive, SemiNaive, Threads};
use hence_ledger::interchange::Mapping;
use hence_ledger::{Ledger, LedgerError, When};
use hence_packs::{self as packs, support::Pack};
use hence_session::compiled::{self, Compiled};
use hence_session::{Both, FactFiles, RecordFile, RuleSet};

pub(super) use super::rules::{RuleOptions, parameter};

use super::rules::paths;
use super::{Failure, config, open, output, time};

/// Which facts, and when.
#[derive(Debug, Clone, Args)]
pub(super) struct FactOptions {
    /// A fact file or folder, repeatable: .jsonl, .csv, .tsv, .facts or .dl; `-` is standard input, as JSON lines;
    /// `RELATION=PATH` is a file of plain records, a JSON object a line or a table [default: those of `[facts]` in
    /// hence.toml, where there is no ledger]
    #[arg(long = "facts", value_name = "PATH")]
    facts: Vec<PathBuf>,
    /// The ledger's folder; a question takes this or --facts, not both [default: .hence]
    #[arg(long, value_name = "DIR")]
    pub(super) store: Option<PathBuf>,
    /// The clock of this run [default: the wall clock; with --as-of, that moment's]
    #[arg(long, value_name = "TIME", value_parser = time::parse)]
    pub(super) now: Option<i64>,
    /// Wait this long for another process to finish with the ledger; `0s` fails at once [default: 5s, and
    /// 1m for a turn where one serves the ledger]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(super) wait: Option<Duration>,
    /// Read the ledger only up to this transaction, such as when the journal is damaged after it
    #[arg(long, value_name = "TX", value_parser = whole, allow_negative_numbers = true)]
    pub(super) up_to: Option<u64>,
}

/// An argument of a command that has a ledger and no more: `--facts` and `--now` are not listed in its help.
pub(super) fn of_ledger(arg: clap::Arg) -> clap::Arg {
    let is_idle = arg.get_id() == "facts" || arg.get_id() == "now";
    if is_idle { arg.hide(true) } else { arg }
}

/// What is said about a change beside its facts.
#[derive(Debug, Clone, Args)]
pub(super) struct ChangeOptions {
    /// The author [default: the system user]
    #[arg(long = "as", value_name = "AUTHOR")]
    pub(super) author: Option<String>,
    /// A note on the transaction
    #[arg(long)]
    pub(super) note: Option<String>,
    /// Record nothing unless this is the number of the last transaction
    #[arg(long, value_name = "TX", value_parser = whole, allow_negative_numbers = true)]
    pub(super) expect_tx: Option<u64>,
}

impl ChangeOptions {
    /// Who does it.
    pub(super) fn author(&self) -> Result<String, Failure> {
        config::get().author(self.author.as_deref())
    }
}

impl FactOptions {
    /// Those of a command that has a ledger and no more.
    pub(super) fn of_store(store: Option<PathBuf>, wait: Option<Duration>) -> Self {
        Self { facts: Vec::new(), store, now: None, wait, up_to: None }
    }

    /// The same of the ledger in `store`.
    pub(super) fn at(self, store: PathBuf) -> Self {
        Self { store: Some(store), ..self }
    }

    /// The fact files and folders named, and the files of records.
    pub(super) fn files(&self) -> FactFiles {
        let mut files = FactFiles::default();
        for path in paths(&self.facts) {
            match record_file(&path) {
                Some(file) => files.records.push(file),
                None => files.paths.push(path),
            }
        }
        files
    }

    /// The same; without any, those of `[facts]`.
    ///
    /// # Errors
    /// `[facts]` names what there is none of, or a file that can't be read.
    pub(super) fn files_or_own(&self, rules: &RuleSet) -> Result<FactFiles, Failure> {
        let named = self.files();
        if named.is_empty() {
            Ok(FactFiles { records: config::get().records(rules)?, ..named })
        } else {
            Ok(named)
        }
    }

    /// The fact files named, as the source of a transaction; without any, `otherwise`.
    pub(super) fn source(&self, otherwise: &str) -> String {
        let names: Vec<String> = paths(&self.facts).iter().map(|path| path.display().to_string()).collect();
        if names.is_empty() { otherwise.to_owned() } else { names.join(", ") }
    }

    /// The ledger's folder.
    pub(super) fn store(&self) -> PathBuf {
        self.store.clone().unwrap_or_else(|| config::get().store())
    }

    /// What says which ledger it is.
    pub(super) fn store_origin(&self) -> String {
        if self.store.is_some() { String::from("command line") } else { config::get().origin("store") }
    }

    /// Checks that there is a ledger; where there is none, `help` says what to do, by default how to make one.
    pub(super) fn existing_store(&self, help: &str) -> Result<(), Failure> {
        let store = self.store();
        if store.exists() {
            return Ok(());
        }
        let help = if help.is_empty() { ": `hence decide` and `hence assert` create one" } else { help };
        Err(Failure::Usage(format!("there is no ledger at `{}`{help}", store.display())))
    }

    /// How long to wait for another process, where anybody says so.
    pub(super) fn wait(&self) -> Option<Duration> {
        self.wait.or_else(|| config::get().wait())
    }

    /// The clock of this run.
    pub(super) fn now(&self) -> i64 {
        self.now.unwrap_or_else(time::wall_clock)
    }
}

/// The file of records that `RELATION=PATH` names, or `RELATION` where `[facts]` has a file for it.
fn record_file(path: &Path) -> Option<RecordFile> {
    let text = path.to_str().filter(|_| !path.exists())?;
    let Some((relation, path)) = text.split_once('=') else {
        return config::get().records_of(text).cloned();
    };
    let is_word = relation.starts_with(|c: char| c.is_ascii_lowercase())
        && relation.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let mapping = || {
        let own = config::get().records_of(relation).map(|file| file.mapping.clone());
        own.unwrap_or_else(|| Mapping::plain(relation))
    };
    is_word.then(|| RecordFile { path: PathBuf::from(path), mapping: mapping() })
}

/// Which transactions.
#[derive(Debug, Clone, Args)]
pub(super) struct RangeOptions {
    /// The first transaction [default: 1]
    #[arg(long, value_name = "TX", value_parser = transaction, allow_negative_numbers = true)]
    from: Option<u64>,
    /// The last transaction [default: the last one]
    #[arg(long, value_name = "TX", value_parser = transaction, allow_negative_numbers = true)]
    to: Option<u64>,
}

impl RangeOptions {
    /// Whether the first one is told.
    pub(super) fn begins(&self) -> bool {
        self.from.is_some()
    }

    /// Their numbers.
    ///
    /// # Errors
    /// One of them isn't there.
    pub(super) fn of(&self, ledger: &Ledger) -> Result<RangeInclusive<u64>, Failure> {
        let last = ledger.last_tx();
        if let Some(asked) = [self.from, self.to].into_iter().flatten().find(|asked| *asked > last) {
            return Err(open::failure(LedgerError::NoTransaction { asked, last }));
        }
        let (from, to) = (self.from.unwrap_or(1), self.to.unwrap_or(last));
        if self.to.is_some_and(|to| to < from) {
            return Err(Failure::Usage(format!("--from {from} is after --to {to}")));
        }
        Ok(from..=to)
    }
}

/// Reads the number of a transaction.
fn transaction(text: &str) -> Result<u64, String> {
    match whole(text)? {
        0 => Err(String::from("transaction numbers start at 1")),
        tx => Ok(tx),
    }
}

/// Reads the number of a transaction, or 0 for the time before the first.
fn whole(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("`{text}` is not a transaction; expected a number such as 12"))
}

/// Reads a moment of the ledger: the number of a transaction, or a time.
pub(super) fn moment(text: &str) -> Result<When, String> {
    if let Ok(tx) = text.parse() {
        return Ok(When::Tx(tx));
    }
    time::parse(text).map(When::Time).map_err(|_| {
        format!(
            "`{text}` is not a moment; expected a transaction such as 12, or a time such as \
            2026-02-09T09:00:00Z"
        )
    })
}

/// The engines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum EngineName {
    /// The best engine for the command.
    Auto,
    /// The semi-naive engine.
    Embedded,
    /// The slow reference engine, whose answers define the language.
    Naive,
    /// The shipped packs as compiled code; the semi-naive engine evaluates other rules.
    Compiled,
    /// The semi-naive engine, and compiled code beside it: where they differ, nothing is recorded (exit status 70).
    Both,
}

/// How to evaluate.
#[derive(Debug, Clone, Args)]
pub(super) struct EngineOptions {
    /// The engine [default: auto]
    #[arg(long, value_enum)]
    pub(super) engine: Option<EngineName>,
    /// The maximum number of derived facts [default: 50000000]
    #[arg(long, value_name = "N", value_parser = limit)]
    pub(super) max_facts: Option<u64>,
    /// The maximum number of rounds of one recursion [default: 10000000]
    #[arg(long, value_name = "N", value_parser = limit)]
    pub(super) max_iterations: Option<u64>,
    /// The time limit, such as `10s` [default: none]
    #[arg(long, value_name = "DURATION", value_parser = time_limit)]
    pub(super) timeout: Option<Duration>,
    /// The maximum memory, in MiB [default: half of the machine]
    #[arg(long, value_name = "MIB", value_parser = limit)]
    pub(super) max_memory: Option<u64>,
    /// The maximum number of evaluation threads [default: one per processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) threads: Option<u16>,
    /// Treat a match with an undefined operation as false instead of leaving decisions undetermined; refused
    /// if hence.toml says `lenient = false`
    #[arg(long)]
    pub(super) lenient: bool,
}

fn warn_without_packs() {
    if !compiled::is_there() {
        output::warning(
            "this hence was built without compiled packs (the feature `crepe` has four, `packs` all): the embedded engine evaluates",
        );
    }
}

pub(super) fn duration(text: &str) -> Result<Duration, String> {
    hence_core::literal::parse_duration(text)
        .and_then(|micros| u64::try_from(micros).ok())
        .map(Duration::from_micros)
        .ok_or_else(|| format!("`{text}` is not a duration; expected one such as 500ms, 10s or 5m"))
}

/// A number that something is limited to. Nothing runs under a limit of 0, and it means no limit to nobody.
pub(super) fn limit(text: &str) -> Result<u64, String> {
    let number: u64 =
        text.parse().map_err(|_| format!("`{text}` is not a number; expected one such as 1000"))?;
    if number > 0 { Ok(number) } else { Err(nothing(text)) }
}

/// The same for a time.
pub(super) fn time_limit(text: &str) -> Result<Duration, String> {
    duration(text).and_then(|time| if time.is_zero() { Err(nothing(text)) } else { Ok(time) })
}

fn nothing(text: &str) -> String {
    format!("a limit of `{text}` allows nothing; use a larger one, or omit it for the default")
}

impl EngineName {
    /// Whether it is the semi-naive engine.
    pub(super) fn is_embedded(self) -> bool {
        matches!(self, Self::Auto | Self::Embedded)
    }

    /// The word for it.
    pub(super) fn word(self) -> String {
        self.to_possible_value()
            .or_broken("every engine has a name on the command line")
            .get_name()
            .to_owned()
    }
}

impl EngineOptions {
    /// The engine chosen.
    pub(super) fn engine(&self) -> Box<dyn Engine> {
        match self.name() {
            // crepe keeps each fact in two sets and each index twice: over 20,000 facts the embedded engine was faster
            // for 15 of 17 packs and as fast for two. `examples/compiled_figures.rs` measures it again.
            EngineName::Auto | EngineName::Embedded => Box::new(SemiNaive),
            EngineName::Naive => Box::new(Naive),
            EngineName::Compiled => {
                warn_without_packs();
                Box::new(Compiled::default())
            }
            EngineName::Both => {
                warn_without_packs();
                Box::new(Both::default())
            }
        }
    }

    /// The name of the engine chosen.
    pub(super) fn name(&self) -> EngineName {
        let configured = || {
            let name = EngineName::from_str(config::get().engine(), false);
            name.ok().or_broken("a configured engine was checked when the settings were read")
        };
        self.engine.unwrap_or_else(configured)
    }

    /// The compiled packs whose decisions are cross-checked; `--engine both` checks all there are by itself.
    pub(super) fn cross_check(&self) -> Vec<&'static Pack> {
        let named =
            |name: &&str| packs::named(name).or_broken("packs to be cross-checked were checked when read");
        match self.name() {
            EngineName::Both => Vec::new(),
            _ => config::get().cross_check().iter().map(named).collect(),
        }
    }

    /// Whether undefined operations count as false.
    ///
    /// # Errors
    /// The settings don't let it be asked for.
    pub(super) fn lenient(&self) -> Result<bool, Failure> {
        config::get().lenient(self.lenient)
    }

    /// On how many threads fact files are read.
    pub(super) fn readers(&self) -> usize {
        readers_of(self.given_threads())
    }

    /// How many threads are asked for.
    pub(super) fn given_threads(&self) -> Option<usize> {
        let threads = self.threads.map(u64::from).or_else(|| config::get().count("limits.threads"));
        threads.map(|most| usize::try_from(most).unwrap_or(usize::MAX).min(Threads::MOST))
    }

    /// The largest memory that is named, in bytes.
    #[cfg(feature = "dataflow")]
    pub(super) fn named_memory(&self) -> Option<u64> {
        let mib = self.max_memory.or_else(|| config::get().count("limits.memory"))?;
        Some(mib.saturating_mul(MIB))
    }

    /// The limits chosen.
    pub(super) fn limits(&self) -> Limits {
        let config = config::get();
        Limits {
            facts: self.max_facts.or_else(|| config.count("limits.facts")).unwrap_or(50_000_000),
            iterations: self
                .max_iterations
                .or_else(|| config.count("limits.iterations"))
                .unwrap_or(10_000_000),
            time: self.timeout.or_else(|| config.time_limit()),
            memory: memory(self.max_memory),
            threads: self.given_threads().map_or_else(Threads::available, Threads::of),
        }
    }
}

/// On how many threads a command without an option for it reads fact files.
pub(super) fn readers() -> usize {
    readers_of(config::get().count("limits.threads").and_then(|most| usize::try_from(most).ok()))
}

/// More than there are processors would only hold more text at once.
fn readers_of(asked: Option<usize>) -> usize {
    let here = Threads::available().most;
    asked.map_or(here, |most| most.clamp(1, here))
}

const MIB: u64 = 1024 * 1024;

/// The most memory in bytes, where `given` is what the command line says in MiB.
pub(super) fn memory(given: Option<u64>) -> Option<u64> {
    let mib = given.or_else(|| config::get().count("limits.memory"));
    mib.map(|mib| mib.saturating_mul(MIB)).or_else(machine::default_memory)
}
