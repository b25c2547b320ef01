//! Settings: the command line over the environment (`HENCE_…`) over `hence.toml` over defaults, each with its origin.

mod authzen;
pub(super) mod carried;
mod codes;
mod environment;
mod file;
mod fitting;
mod owner;
mod settings;
mod show;
mod values;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use clap::ArgMatches;
use hence_core::diagnostic::{self, nearest};
use hence_core::fault::{OrBroken, broken};
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_lang::analysis::lints::levels::Levels;
use hence_ledger::Redaction;
use hence_session::{Faults, RecordFile, Roles, RuleSet, SessionError};

use super::{Failure, output};
use carried::Carried;
use settings::{SETTINGS, Setting};
use values::{Content, Values};

#[cfg(feature = "server")]
pub(super) use authzen::Authzen;
pub(super) use show::Show;

/// The file's name.
const FILE: &str = "hence.toml";
/// The folder whose rules are read where no others are named.
pub(super) const RULES: &str = "rules";

/// What every value holds to.
const KIND: &str = "the value of a setting is of the setting's kind";

/// The settings of this process: read once, before any command runs.
static CONFIG: OnceLock<Config> = OnceLock::new();

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Origin {
    /// Nobody set it.
    Default,
    /// The file, at this line.
    File { path: String, line: usize },
    /// The `rules/` in this folder.
    Found(&'static str),
    /// A variable of the environment.
    Variable(String),
    /// The file, and a variable that restricts it further.
    Both(Box<Origin>, String),
    /// An option of this call.
    CommandLine,
    /// `--set` of this call.
    Set,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { path, line } => write!(f, "{path}:{line}"),
            Self::Found(place) => f.write_str(place),
            Self::Variable(name) => f.write_str(name),
            Self::Both(file, name) => write!(f, "{file}, {name}"),
            Self::CommandLine => f.write_str("command line"),
            Self::Set => f.write_str("--set"),
        }
    }
}

/// What the file and the environment set.
#[derive(Clone, Debug, Default)]
pub(super) struct Config {
    values: Values,
    /// The folder of the file.
    root: Option<PathBuf>,
    /// What is kept out of the ledger.
    redaction: Redaction,
}

/// Reads the environment and, unless the command is of a folder of its own, the file; every command sees what they say
/// from then on.
///
/// # Errors
/// The file belongs to somebody else, all faults in it, or the first variable that holds no fitting value.
pub(super) fn load(given: &ArgMatches) -> Result<(), Failure> {
    let demo = |serve: &ArgMatches| matches!(serve.try_get_one("demo"), Ok(Some(true)));
    let is_apart = given.subcommand_matches("serve").is_some_and(demo);
    let config = if is_apart { read_at(None)? } else { read()? };
    environment::unknown().iter().for_each(|unknown| output::warning(&unknown.to_string()));
    // The first one stays: a process reads its settings once.
    let _ = CONFIG.set(config);
    Ok(())
}

/// What file and environment say now.
///
/// # Errors
/// As [`load`].
pub(super) fn read() -> Result<Config, Failure> {
    read_at(nearest_file()?)
}

fn read_at(file: Option<PathBuf>) -> Result<Config, Failure> {
    let mut config = Config::default();
    if let Some(path) = file {
        let said = owner::trusted(&path).map_err(Failure::Usage)?;
        said.iter().for_each(|said| output::warning(said));
        let mut faults = Faults::default();
        config.values = file::read(&path, &mut faults)?;
        config.root = path.parent().map(Path::to_owned);
        if !faults.diagnostics.is_empty() {
            diagnostic::sort(&mut faults.diagnostics);
            return Err(Failure::Session(SessionError::Faults(Box::new(faults))));
        }
    }
    let unheeded = environment::read(&mut config.values).map_err(Failure::Usage)?;
    unheeded.iter().for_each(|said| output::warning(said));
    config.redaction = config.redact().map_err(Failure::Usage)?;
    Ok(config)
}

/// What the file and the environment set.
pub(super) fn get() -> &'static Config {
    CONFIG.get_or_init(Config::default)
}

/// The file that would be read now, if any.
#[cfg(feature = "server")]
pub(super) fn file_now() -> Option<PathBuf> {
    nearest_file().ok().flatten()
}

/// The nearest `hence.toml` from the current folder upwards.
fn nearest_file() -> Result<Option<PathBuf>, Failure> {
    let here = std::env::current_dir()
        .map_err(|error| Failure::Usage(format!("can't read the current folder: {error}")))?;
    for path in here.ancestors().map(|folder| folder.join(FILE)) {
        let is_there =
            path.try_exists().map_err(|source| SessionError::Read { path: path.clone(), source })?;
        if is_there {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

/// A path as a person in the current folder would write it.
fn shown(path: &Path) -> PathBuf {
    let below =
        std::env::current_dir().ok().and_then(|here| path.strip_prefix(&here).ok().map(Path::to_owned));
    below.unwrap_or_else(|| path.to_owned())
}

impl Config {
    /// The folder of the file.
    pub(super) fn root(&self) -> Option<&Path> {
        self.root.as_deref()
    }

    /// The file.
    pub(super) fn file(&self) -> Option<PathBuf> {
        self.root.as_ref().map(|root| root.join(FILE))
    }

    fn content(&self, key: &str) -> Option<&Content> {
        setting(key).or_broken("every setting that is asked for is in the table of settings");
        self.values.settings.get(key).map(|(content, _)| content)
    }

    fn text(&self, key: &str) -> Option<&str> {
        match self.content(key)? {
            Content::Text(text) => Some(text),
            _ => broken(KIND),
        }
    }

    fn texts(&self, key: &str) -> &[String] {
        match self.content(key) {
            Some(Content::Texts(texts)) => texts,
            Some(_) => broken(KIND),
            None => &[],
        }
    }

    fn duration(&self, key: &str) -> Option<Duration> {
        match self.content(key)? {
            Content::Duration(duration) => Some(*duration),
            _ => broken(KIND),
        }
    }

    /// A number, such as `limits.facts`.
    pub(super) fn count(&self, key: &str) -> Option<u64> {
        match self.content(key)? {
            Content::Count(count) => Some(*count),
            _ => broken(KIND),
        }
    }

    /// The ledger's folder.
    pub(super) fn store(&self) -> PathBuf {
        self.text("store").map_or_else(|| PathBuf::from(".hence"), PathBuf::from)
    }

    /// Rule files and folders: those set, else the `rules/` beside the file, else that in the current folder.
    pub(super) fn rules(&self) -> Vec<PathBuf> {
        self.found_rules().0
    }

    /// The same, and what says so.
    fn found_rules(&self) -> (Vec<PathBuf>, Origin) {
        if let Some((_, origin)) = self.values.settings.get("rules") {
            return (self.texts("rules").iter().map(PathBuf::from).collect(), origin.clone());
        }
        let beside = self.root.as_ref().map(|root| root.join(RULES)).filter(|rules| rules.is_dir());
        if let Some(rules) = beside {
            return (vec![shown(&rules)], Origin::Found("beside hence.toml"));
        }
        let here = PathBuf::from(RULES);
        if here.is_dir() { (vec![here], Origin::Found("this folder")) } else { (Vec::new(), Origin::Default) }
    }

    /// Whether a variable says which rules are read.
    pub(super) fn rules_by_variable(&self) -> bool {
        let origin = |key| self.values.settings.get(key).map(|(_, origin)| origin);
        [origin("rules"), origin("packs")].into_iter().flatten().any(|by| matches!(by, Origin::Variable(_)))
    }

    /// Where a setting comes from.
    pub(super) fn origin(&self, key: &str) -> String {
        match key {
            "rules" => self.found_rules().1,
            _ => self.values.settings.get(key).map_or(Origin::Default, |(_, origin)| origin.clone()),
        }
        .to_string()
    }

    /// Who may act, where that is restricted.
    pub(super) fn authors(&self) -> Option<&[String]> {
        self.content("authors").map(|_| self.texts("authors"))
    }

    /// Who has which role.
    pub(super) fn roles(&self) -> Roles {
        let roles = self.values.roles.iter().map(|(role, (names, _))| (role.clone(), names.clone()));
        Roles::new(roles.collect())
    }

    /// Shipped packs.
    pub(super) fn packs(&self) -> &[String] {
        self.texts("packs")
    }

    /// Parameters, each set once.
    pub(super) fn params(&self) -> Vec<(Symbol, Value)> {
        self.values.params.iter().map(|(name, (value, _))| (Symbol::new(name), *value)).collect()
    }

    /// Where the value of a parameter comes from, in a call that `sets` some itself.
    pub(super) fn param_origin(&self, name: &str, sets: &[(Symbol, Value)]) -> String {
        let origin = match self.values.params.get(name) {
            _ if sets.iter().any(|(set, _)| set.as_str() == name) => &Origin::Set,
            Some((_, origin)) => origin,
            None => &Origin::Default,
        };
        origin.to_string()
    }

    /// Where the values of all parameters come from that are set.
    pub(super) fn param_origins(&self, sets: &[(Symbol, Value)]) -> BTreeMap<Symbol, String> {
        let configured = self.values.params.keys().map(|name| Symbol::new(name));
        let names = configured.chain(sets.iter().map(|(name, _)| *name));
        names.map(|name| (name, self.param_origin(name.as_str(), sets))).collect()
    }

    /// What is done about lints.
    pub(super) fn lints(&self) -> Levels {
        let mut levels = Levels::default();
        self.values.lints.iter().for_each(|(lint, (level, _))| levels.set(*lint, *level));
        levels
    }

    /// How long to wait for another process, where that is set.
    pub(super) fn wait(&self) -> Option<Duration> {
        self.duration("wait")
    }

    /// The engine's name.
    pub(super) fn engine(&self) -> &str {
        self.text("engine").unwrap_or("auto")
    }

    /// The compiled packs to be cross-checked.
    pub(super) fn cross_check(&self) -> Vec<&str> {
        match self.content("engine.cross_check") {
            Some(_) => self.texts("engine.cross_check").iter().map(String::as_str).collect(),
            None => [settings::CROSS_CHECKED].into_iter().filter(|name| *name != settings::NONE).collect(),
        }
    }

    /// What is logged, where that is set.
    pub(super) fn log_filter(&self) -> Option<&str> {
        self.text("log.filter")
    }

    /// Whether logs are JSON.
    pub(super) fn logs_json(&self) -> bool {
        self.text("log.format") == Some("json")
    }

    /// Whether undefined operations count as false, in a call that has `--lenient` if it is `given`.
    ///
    /// # Errors
    /// It is given, and the file says `lenient = false`.
    pub(super) fn lenient(&self, given: bool) -> Result<bool, Failure> {
        match self.values.settings.get("lenient") {
            Some((Content::Flag(false), origin @ Origin::File { .. })) if given => Err(Failure::Usage(
                format!("{origin} says `lenient = false`, which --lenient can't override"),
            )),
            Some((Content::Flag(set), _)) => Ok(given || *set),
            Some(_) => broken(KIND),
            None => Ok(given),
        }
    }

    /// Whether a `decide` that changes nothing is recorded too.
    pub(super) fn records_unchanged(&self) -> bool {
        match self.content("record.unchanged") {
            Some(Content::Flag(set)) => *set,
            Some(_) => broken(KIND),
            None => false,
        }
    }

    /// What an exported log of decisions leaves out: `author`, `source`, and columns such as `notify.email`.
    pub(super) fn masked(&self) -> &[String] {
        self.texts("export.mask")
    }

    /// How decisions are carried out, one entry a relation.
    pub(super) fn carried(&self) -> &[Carried] {
        &self.values.carried
    }

    /// What AuthZEN requests mean, where `[authzen]` says it.
    #[cfg(feature = "server")]
    pub(super) fn authzen(&self) -> Option<&Authzen> {
        self.values.authzen.as_ref()
    }

    /// The file of records that `[facts]` names for a relation.
    pub(super) fn records_of(&self, relation: &str) -> Option<&RecordFile> {
        let files = self.values.facts.iter().map(|records| &records.file);
        files.into_iter().find(|file| file.mapping.relation == relation)
    }

    /// All files of records that `[facts]` names.
    ///
    /// # Errors
    /// All that `rules` don't have, that can't be read, or that a link leads out of the folder of the file.
    pub(super) fn records(&self, rules: &RuleSet) -> Result<Vec<RecordFile>, SessionError> {
        self.check_records(rules)?;
        Ok(self.values.facts.iter().map(|records| records.file.clone()).collect())
    }

    /// The longest time of an evaluation.
    pub(super) fn time_limit(&self) -> Option<Duration> {
        self.duration("limits.time")
    }

    /// What is kept out of the ledger.
    pub(super) fn redaction(&self) -> &Redaction {
        &self.redaction
    }

    fn redact(&self) -> Result<Redaction, String> {
        let (patterns, with) = (self.texts("redact.patterns"), self.text("redact.with"));
        let origin = |why: String| {
            let origin = self.values.settings.get("redact.patterns").map(|(_, origin)| origin.to_string());
            format!("`redact.patterns` of {}: {why}", origin.unwrap_or_default())
        };
        Redaction::new(patterns, with.unwrap_or("[redacted]")).map_err(origin)
    }

    /// Who acts: the name given on the command line, else the one set, else the system user.
    ///
    /// # Errors
    /// The name given is empty; or `authors` is set, and the name is not among them.
    pub(super) fn author(&self, given: Option<&str>) -> Result<String, Failure> {
        given.map_or(Ok(()), named)?;
        let set = self.text("author").filter(|name| !name.is_empty());
        let name = given.or(set).map_or_else(system_user, str::to_owned);
        self.check_author(&name).map_err(Failure::Usage)?;
        Ok(name)
    }

    /// Checks that a name is among `authors`, if there are any.
    ///
    /// # Errors
    /// It isn't; the nearest one.
    pub(super) fn check_author(&self, name: &str) -> Result<(), String> {
        let Some(known) = self.authors().filter(|known| !known.iter().any(|known| known == name)) else {
            return Ok(());
        };
        let hint = match nearest(name, known.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None if known.is_empty() => String::from("there are none, so nobody may write"),
            None => format!("known: {}", known.join(", ")),
        };
        Err(format!("`{name}` is not among the authors of {}; {hint}", self.origin("authors")))
    }
}

/// Checks that `--as` names somebody.
///
/// # Errors
/// It doesn't.
pub(super) fn named(author: &str) -> Result<(), Failure> {
    if author.trim().is_empty() {
        return Err(Failure::Usage(String::from("`--as` names nobody; expected a name, such as `--as ada`")));
    }
    Ok(())
}

/// The name of the system user: as the environment says, else as the user database does.
fn system_user() -> String {
    let variable = |name| std::env::var(name).ok().filter(|user| !user.is_empty());
    variable("USER").or_else(|| variable("LOGNAME")).unwrap_or_else(of_database)
}

/// The name of the effective user in the user database, which may not know it.
#[cfg(unix)]
fn of_database() -> String {
    let user = nix::unistd::Uid::effective();
    let known = nix::unistd::User::from_uid(user).ok().flatten();
    known.map_or_else(|| format!("uid:{user}"), |known| known.name)
}

#[cfg(not(unix))]
fn of_database() -> String {
    String::from("unknown")
}

/// The setting with this key.
fn setting(key: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.key == key)
}
