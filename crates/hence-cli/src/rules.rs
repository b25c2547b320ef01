//! Which rules a command reads, and under which parameters: one way for all of them.
//!
//! ```text
//!  named (--rules, --pack, paths) ─► those, under the parameters of hence.toml that they have
//!  else configured (HENCE_RULES, hence.toml, its rules/, rules/ here) ─► those, under all of its parameters
//!  else ─► the shipped packs; nothing, where a command looks at rule files as such
//! ```

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;

use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_session::{RuleSet, RuleSource};
use hence_syntax as syntax;

use super::config::{self, Config, RULES};
use super::{Failure, output};

/// How many files a message names.
const MOST_NAMED: usize = 5;

/// Which rules.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct RuleOptions {
    /// A rule file or folder, repeatable [default: the `rules/` beside `hence.toml` or in this folder, else
    /// the shipped packs]
    #[arg(long = "rules", value_name = "PATH")]
    rules: Vec<PathBuf>,
    /// A shipped pack by name, repeatable
    #[arg(long = "pack", value_name = "NAME", value_delimiter = ',')]
    pub(super) packs: Vec<String>,
    /// Set a parameter, such as `lowest_score=0.2`
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parameter)]
    pub(super) sets: Vec<(Symbol, Value)>,
}

pub(super) fn parameter(text: &str) -> Result<(Symbol, Value), String> {
    let (name, value) = text.split_once('=').ok_or_else(|| format!("expected NAME=VALUE, found `{text}`"))?;
    let (name, value) = (name.trim(), value.trim());
    let value = syntax::parse_value(value).ok_or_else(|| {
        format!(
            "`{value}` is not a literal; a string needs quotes, a float a digit on both sides of the \
            decimal point"
        )
    })?;
    Ok((Symbol::new(name), value))
}

/// The paths that values of an option name: one each, or several divided by commas.
pub(super) fn paths(given: &[PathBuf]) -> Vec<PathBuf> {
    let divided = |path: &PathBuf| match path.to_str() {
        Some(text) if text.contains(',') && !path.exists() => text.split(',').map(PathBuf::from).collect(),
        _ => vec![path.clone()],
    };
    given.iter().flat_map(divided).collect()
}

/// Where rules come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum From {
    Named,
    Configured,
    Shipped,
}

impl RuleOptions {
    /// The rules in `paths` and those of the shipped `packs`, as if they were named on the command line.
    pub(super) fn named(paths: &[PathBuf], packs: &[String], sets: &[(Symbol, Value)]) -> Self {
        Self { rules: paths.to_vec(), packs: packs.to_vec(), sets: sets.to_vec() }
    }

    /// The same with `paths` before those of `--rules`.
    pub(super) fn with_paths(&self, paths: &[PathBuf]) -> Self {
        Self { rules: [paths, &self.rules].concat(), ..self.clone() }
    }

    /// Whether the command line names rules, and not only parameters.
    pub(super) fn is_named(&self) -> bool {
        !self.rules.is_empty() || !self.packs.is_empty()
    }

    /// Checks that what the settings say of relations fits `rules`, unless these were named in the place of those that
    /// the settings are for.
    ///
    /// # Errors
    /// All that doesn't.
    pub(super) fn check_settings(&self, rules: &RuleSet) -> Result<(), Failure> {
        if self.is_named() { Ok(()) } else { Ok(config::get().check_against(rules)?) }
    }

    /// The files and folders named.
    pub(super) fn paths(&self) -> Vec<PathBuf> {
        paths(&self.rules)
    }

    /// How `hence command` is called for these rules.
    pub(super) fn command(&self, command: &str) -> String {
        let mut words = vec![format!("hence {command}")];
        words.extend(self.paths().iter().map(|path| path.display().to_string()));
        words.extend(self.packs.iter().map(|pack| format!("--pack {pack}")));
        words.join(" ")
    }

    /// What a command reads that decides or asks; rules here that it doesn't read are warned of.
    pub(super) fn source(&self) -> RuleSource {
        self.source_beside(None)
    }

    /// The same for a command that is given a file `own` of rules of another kind, which it reads.
    pub(super) fn source_beside(&self, own: Option<&Path>) -> RuleSource {
        let (source, from) = self.chosen();
        if let Some(unread) = Unread::beside(&source, from, own) {
            output::warning(&unread.warning(from));
        }
        source
    }

    /// What a command reads that looks at rule files as such.
    ///
    /// # Errors
    /// No rules are named or configured, or those that are leave out the ones here: what is said of others would be
    /// taken for theirs.
    pub(super) fn files(&self, command: &str) -> Result<RuleSource, Failure> {
        let (source, from) = self.chosen();
        match Unread::beside(&source, from, None) {
            Some(unread) => Err(Failure::Usage(unread.error(from, command))),
            None if from == From::Shipped => Err(Failure::Usage(format!(
                "no rules found: no hence.toml names rules, and this folder has no `{RULES}/`; name files \
                or folders, as in `hence {command} PATH`"
            ))),
            None => Ok(source),
        }
    }

    fn chosen(&self) -> (RuleSource, From) {
        self.chosen_by(config::get())
    }

    /// What is read where the settings are `config`.
    #[cfg(feature = "server")]
    pub(super) fn source_by(&self, config: &Config) -> RuleSource {
        self.chosen_by(config).0
    }

    fn chosen_by(&self, config: &Config) -> (RuleSource, From) {
        let mut source = RuleSource {
            paths: self.paths(),
            packs: self.packs.clone(),
            sets: self.sets.clone(),
            lints: config.lints(),
            origins: config.param_origins(&self.sets),
            ..RuleSource::default()
        };
        let params = config.params();
        if !source.paths.is_empty() || !source.packs.is_empty() {
            source.defaults = params;
            return (source, From::Named);
        }
        source.paths = config.rules();
        source.named_by = Some(config.origin("rules"));
        source.packs = config.packs().to_vec();
        // They are meant for these rules, so one that these don't have is a mistake.
        let set = |name: &Symbol| self.sets.iter().any(|(set, _)| set == name);
        source.sets.extend(params.into_iter().filter(|(name, _)| !set(name)));
        let any = !source.paths.is_empty() || !source.packs.is_empty();
        (source, if any { From::Configured } else { From::Shipped })
    }
}

/// Rules in the current folder, or above it, that a command does not read.
struct Unread {
    /// Where they lie.
    place: &'static str,
    /// The folder `rules`, or files.
    paths: Vec<PathBuf>,
}

impl Unread {
    /// What `source`, and whoever reads `own`, leave out here, unless somebody said for this folder what is to be read.
    fn beside(source: &RuleSource, from: From, own: Option<&Path>) -> Option<Self> {
        let here = fs::canonicalize(".").ok()?;
        let settings_are_here =
            config::get().root().is_some_and(|root| fs::canonicalize(root).is_ok_and(|root| root == here));
        let configured = from == From::Configured && (settings_are_here || config::get().rules_by_variable());
        if from == From::Named || configured {
            return None;
        }
        let read: Vec<PathBuf> = source.paths.iter().filter_map(|path| fs::canonicalize(path).ok()).collect();
        let own = own.and_then(|own| fs::canonicalize(own).ok());
        let is_read = |path: &Path| {
            let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
            own.as_ref() == Some(&path)
                || read.iter().any(|read| path.starts_with(read) || read.starts_with(&path))
        };
        let folder = Some(PathBuf::from(RULES)).filter(|folder| folder.is_dir());
        let mut paths = folder.map_or_else(loose, |folder| vec![folder]);
        paths.retain(|path| !is_read(path));
        if paths.is_empty() && from == From::Shipped {
            return above(&here).map(|folder| Self { place: "in a folder above", paths: vec![folder] });
        }
        (!paths.is_empty()).then_some(Self { place: "in this folder", paths })
    }

    fn list(&self, before: &str) -> String {
        let named = self.paths.iter().take(MOST_NAMED).map(|path| format!("{before}{}", path.display()));
        named.collect::<Vec<_>>().join(" ")
    }

    fn what(&self) -> String {
        let named: Vec<String> =
            self.paths.iter().take(MOST_NAMED).map(|path| format!("`{}`", path.display())).collect();
        let more = self.paths.len().saturating_sub(MOST_NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{}{more}", named.join(", "))
    }

    fn warning(&self, from: From) -> String {
        let read = match from {
            From::Shipped => String::from("the shipped packs"),
            _ => format!("those of {}", settings()),
        };
        format!(
            "the rules are {read}; not read {}: {}; use `{}` to read them",
            self.place,
            self.what(),
            self.list("--rules ")
        )
    }

    fn error(&self, from: From, command: &str) -> String {
        let why = match from {
            From::Shipped => String::from("no hence.toml names them"),
            _ => format!("the settings are those of {}, which names others", settings()),
        };
        format!(
            "the rules {} are not checked, since {why}: {}; run `hence {command} {}`",
            self.place,
            self.what(),
            self.list("")
        )
    }
}

/// The nearest `rules/` with rule files in a folder above `here`, inside the root of the settings if there is one.
fn above(here: &Path) -> Option<PathBuf> {
    let root = config::get().root().and_then(|root| fs::canonicalize(root).ok());
    let inside = |folder: &&Path| root.as_ref().is_none_or(|root| folder.starts_with(root));
    let up = (1..).scan(PathBuf::new(), |up, _| {
        up.push("..");
        Some(up.join(RULES))
    });
    let folders = here.ancestors().skip(1).take_while(inside);
    folders.zip(up).map(|(_, rules)| rules).find(|rules| has_rules(rules))
}

/// Whether there are rule files in a folder, or in one of those in it, as packs are.
fn has_rules(folder: &Path) -> bool {
    let inside = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    !rule_files(folder).is_empty() || inside.into_iter().any(|folder| !rule_files(&folder).is_empty())
}

/// The rule files directly in the current folder.
fn loose() -> Vec<PathBuf> {
    rule_files(Path::new("."))
}

/// The names of the rule files directly in a folder.
fn rule_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.map(|entry| PathBuf::from(entry.file_name()));
    let hidden = |path: &Path| path.to_string_lossy().starts_with('.');
    let mut files: Vec<PathBuf> =
        names.filter(|path| path.extension().is_some_and(|end| end == "dl") && !hidden(path)).collect();
    files.sort();
    files
}

/// The file whose settings hold, as messages call it.
fn settings() -> String {
    config::get().file().map_or_else(|| String::from("hence.toml"), |path| format!("`{}`", path.display()))
}
