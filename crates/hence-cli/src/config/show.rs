//! `hence config`: every setting with its value and where that comes from.

use clap::Args;
use hence_lang::analysis::lints::levels;
use serde_json::json;

use super::super::options::{EngineOptions, FactOptions, RuleOptions};
use super::super::output::{self, Format};
use super::super::records::Records;
use super::super::{DONE, Failure, Outcome};
use super::settings::{FACTS, LINTS, PARAMS, ROLES, SETTINGS, Setting};
use super::{Origin, get};

/// Show every setting with its value and where it comes from
#[derive(Debug, Args)]
#[command(
    after_help = "A setting comes from the command line, else its variable (HENCE_STORE, …), else the nearest \
        hence.toml in this folder or above, else its default. Variables can only tighten the restrictions of \
        hence.toml: they name fewer `authors`, add to `redact.patterns` and `engine.cross_check` and lower \
        `limits`; neither they nor --lenient override `lenient = false`. `engine.cross_check` lists the packs \
        whose decisions two engines must agree on before they are recorded. HENCE_LOG (a filter such as `info` \
        or `hence_ledger=debug`) logs to standard error, as JSON Lines with HENCE_LOG_FORMAT=json. A \
        hence.toml of another user is an error unless HENCE_TRUST names it.\n\nA program of [run_command] is \
        stopped at its time limit together with its process group; processes that it moved to another group, \
        as with setsid, continue.\n\nExample: hence config --format json"
)]
pub(in super::super) struct Show {
    #[command(flatten)]
    rules: RuleOptions,
    #[command(flatten)]
    facts: FactOptions,
    #[command(flatten)]
    engine: EngineOptions,
    /// The author
    #[arg(long = "as", value_name = "AUTHOR")]
    author: Option<String>,
    /// The output format
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

/// A setting as it is shown.
struct Row {
    key: String,
    value: String,
    origin: Origin,
    variable: String,
}

impl Show {
    pub(in super::super) fn run(self) -> Outcome {
        get().lenient(self.engine.lenient)?;
        self.author.as_deref().map_or(Ok(String::new()), |name| get().author(Some(name)))?;
        self.check_against_rules()?;
        let mut rows: Vec<Row> = SETTINGS.iter().map(|setting| self.row(setting)).collect();
        rows.extend(self.params());
        rows.extend(lints());
        rows.extend(roles());
        rows.extend(carried());
        rows.extend(authzen());
        rows.extend(records());
        let object = |row: &Row| {
            json!({
                "key": row.key, "value": row.value, "origin": row.origin.to_string(), "variable": row.variable,
            })
        };
        match self.format {
            Format::Table => {
                let header = ["setting", "value", "from", "variable"].map(str::to_owned);
                let cells: Vec<Vec<String>> = rows
                    .iter()
                    .map(|row| {
                        vec![row.key.clone(), row.value.clone(), row.origin.to_string(), row.variable.clone()]
                    })
                    .collect();
                output::out(self.format).lines(&output::table(&header, &cells))?;
            }
            Format::Json => output::documents(rows.iter().map(object))?,
            Format::Jsonl => output::lines(rows.iter().map(object))?,
            Format::Csv => {
                let mut out = Records::out();
                out.write(["setting", "value", "from", "variable"])?;
                for row in rows {
                    let origin = row.origin.to_string();
                    out.write([&row.key, &row.value, &origin, &row.variable])?;
                }
                out.end()?;
            }
        }
        Ok(DONE)
    }

    /// Checks what the settings say of relations against the rules that hold where none are named.
    fn check_against_rules(&self) -> Result<(), Failure> {
        let is_empty = get().carried().is_empty() && get().values.authzen_lines.is_empty();
        if is_empty || self.rules.is_named() {
            return Ok(());
        }
        match self.rules.source().build() {
            Ok(rules) => Ok(get().check_against(&rules)?),
            Err(_) => {
                output::warning(
                    "the rules have errors (`hence check` shows them), so what `[carry]` and `[authzen]` name \
                    can't be checked",
                );
                Ok(())
            }
        }
    }

    fn row(&self, setting: &Setting) -> Row {
        let (key, variable) = (setting.key.to_owned(), setting.variable.to_owned());
        let (value, origin) = match (self.given(setting.key), get().values.settings.get(setting.key)) {
            (Some(value), _) => (value, Origin::CommandLine),
            (None, None) if setting.key == "rules" => {
                let (rules, origin) = get().found_rules();
                let rules: Vec<String> = rules.iter().map(|path| path.display().to_string()).collect();
                let otherwise = if get().packs().is_empty() { setting.default } else { "none" };
                (if rules.is_empty() { otherwise.to_owned() } else { rules.join(", ") }, origin)
            }
            (None, Some((content, origin))) => (content.to_string(), origin.clone()),
            (None, None) => (setting.default.to_owned(), Origin::Default),
        };
        Row { key, value, origin, variable }
    }

    /// What this call's own options say.
    fn given(&self, key: &str) -> Option<String> {
        let list = |items: Vec<String>| (!items.is_empty()).then(|| items.join(", "));
        match key {
            "store" => self.facts.store.as_ref().map(|path| path.display().to_string()),
            "rules" => list(self.rules.paths().iter().map(|path| path.display().to_string()).collect()),
            "packs" => list(self.rules.packs.clone()),
            "author" => self.author.clone(),
            "wait" => self.facts.wait.map(|wait| super::values::Content::Duration(wait).to_string()),
            "engine" => self.engine.engine.map(|engine| engine.word()),
            "lenient" => self.engine.lenient.then(|| String::from("true")),
            "limits.facts" => self.engine.max_facts.map(|count| count.to_string()),
            "limits.iterations" => self.engine.max_iterations.map(|count| count.to_string()),
            "limits.time" => {
                self.engine.timeout.map(|time| super::values::Content::Duration(time).to_string())
            }
            "limits.threads" => self.engine.threads.map(|count| count.to_string()),
            "limits.memory" => self.engine.max_memory.map(|count| count.to_string()),
            _ => None,
        }
    }

    /// Parameters that are set, by name.
    fn params(&self) -> Vec<Row> {
        let row = |name: &str, value: String, origin: Origin| Row {
            key: format!("{PARAMS}.{name}"),
            value,
            origin,
            variable: super::environment::param_variable(name),
        };
        let given = |name: &str| self.rules.sets.iter().any(|(set, _)| set.as_str() == name);
        let mut rows: Vec<Row> = get()
            .values
            .params
            .iter()
            .filter(|(name, _)| !given(name))
            .map(|(name, (value, origin))| row(name, value.to_string(), origin.clone()))
            .collect();
        let sets = self.rules.sets.iter();
        rows.extend(sets.map(|(name, value)| row(name.as_str(), value.to_string(), Origin::Set)));
        rows.sort_by(|a, b| a.key.cmp(&b.key));
        rows
    }
}

/// The lints whose level is set, by name.
fn lints() -> impl Iterator<Item = Row> {
    get().values.lints.iter().map(|(lint, (level, origin))| Row {
        key: format!("{LINTS}.{}", levels::name(*lint).unwrap_or(lint.0)),
        value: level.word().to_owned(),
        origin: origin.clone(),
        variable: String::new(),
    })
}

/// Who has which role.
fn roles() -> impl Iterator<Item = Row> {
    get().values.roles.iter().map(|(role, (names, origin))| Row {
        key: format!("{ROLES}.{role}"),
        value: super::values::Content::Texts(names.clone()).to_string(),
        origin: origin.clone(),
        variable: String::new(),
    })
}

/// How decisions are carried out.
fn carried() -> impl Iterator<Item = Row> {
    get().carried().iter().map(|carried| Row {
        key: format!("{}.{}", carried.table, carried.decision),
        value: carried.to_string(),
        origin: carried.origin.clone(),
        variable: String::new(),
    })
}

/// What requests of AuthZEN mean.
fn authzen() -> impl Iterator<Item = Row> {
    get().values.authzen_lines.iter().map(|line| Row {
        key: line.path.clone(),
        value: line.text.clone(),
        origin: line.origin.clone(),
        variable: String::new(),
    })
}

/// The files of records.
fn records() -> impl Iterator<Item = Row> {
    get().values.facts.iter().map(|records| Row {
        key: format!("{FACTS}.{}", records.file.mapping.relation),
        value: records.to_string(),
        origin: records.origin.clone(),
        variable: String::new(),
    })
}
