//! `hence param`: the values that parameters have from now on, recorded in the ledger.

use std::io::Write;

use clap::{Args, Subcommand};
use serde_json::json;

use hence_core::literal::time_text;
use hence_core::schema::Param as Declared;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_ledger::{Draft, Ledger, When};
use hence_session::{RecordedParam, RuleSet, SessionError, param_fact, recorded_params};

use super::options::{ChangeOptions, FactOptions, RuleOptions, parameter};
use super::output;
use super::pack::Form;
use super::{DONE, Failure, Outcome, config, open, terminal, time};

/// Record the values of parameters, or list them
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  hence param set lowest_score=0.2 --as ada\n  hence param list\n  \
    hence param unset lowest_score --as ada")]
pub(super) struct Param {
    #[command(subcommand)]
    command: ParamCommand,
}

#[derive(Debug, Subcommand)]
enum ParamCommand {
    /// Record a parameter's value: every command on this ledger uses it from then on
    Set(Set),
    /// Remove a recorded value: what hence.toml says counts again, else what the rules declare
    Unset(Unset),
    /// List the parameters of the rules, with their values and where each comes from
    List(List),
}

/// The rules and the ledger.
#[derive(Debug, Args)]
struct Subject {
    #[command(flatten)]
    rules: RuleOptions,
    #[command(flatten)]
    facts: FactOptions,
}

#[derive(Debug, Args)]
struct Set {
    /// The parameter and its value, such as `lowest_score=0.2`
    #[arg(value_name = "NAME=VALUE", value_parser = parameter)]
    value: (Symbol, Value),
    #[command(flatten)]
    about: ChangeOptions,
    #[command(flatten)]
    subject: Subject,
}

#[derive(Debug, Args)]
struct Unset {
    /// The parameter
    name: String,
    #[command(flatten)]
    about: ChangeOptions,
    #[command(flatten)]
    subject: Subject,
}

#[derive(Debug, Args)]
struct List {
    /// The output format
    #[arg(long, value_enum, default_value = "text")]
    format: Form,
    #[command(flatten)]
    subject: Subject,
}

impl Param {
    pub(super) fn run(self) -> Outcome {
        match self.command {
            ParamCommand::Set(set) => set.run(),
            ParamCommand::Unset(unset) => unset.run(),
            ParamCommand::List(list) => list.run(),
        }
    }
}

impl Set {
    fn run(self) -> Outcome {
        let (name, value) = self.value;
        let author = self.about.author()?;
        let (rules, ledger) = self.subject.open(false)?;
        // Whether there is such a parameter, and the value is of its type.
        rules.with_sets(&[(name, value)]).map_err(SessionError::Faults)?;
        let new = param_fact(name, value);
        let old = standing(&ledger, name)?;
        let retractions = old.iter().map(RecordedParam::fact).filter(|old| *old != new).collect();
        let draft = Draft { assertions: vec![new], retractions, ..self.about.draft(author) };
        record(&rules, ledger, draft, &format!("{name} = {value} from now on"), "already recorded")
    }
}

impl Unset {
    fn run(self) -> Outcome {
        let name = Symbol::new(&self.name);
        let author = self.about.author()?;
        let (rules, ledger) = self.subject.open(false)?;
        let Some(old) = standing(&ledger, name)? else {
            let message =
                format!("no value of `{name}` is recorded; `hence param list` shows those that are");
            return Err(Failure::Usage(message));
        };
        let draft = Draft { retractions: vec![old.fact()], ..self.about.draft(author) };
        record(&rules, ledger, draft, &format!("{name} has no recorded value any more"), "nothing to record")
    }
}

impl ChangeOptions {
    /// A change of parameters without its facts.
    fn draft(&self, author: String) -> Draft {
        let (note, expect_tx) = (self.note.clone(), self.expect_tx);
        Draft {
            time: time::wall_clock(),
            author,
            source: String::from("param"),
            note,
            expect_tx,
            ..Draft::default()
        }
    }
}

/// The recorded value of a parameter.
fn standing(ledger: &Ledger, name: Symbol) -> Result<Option<RecordedParam>, Failure> {
    Ok(recorded_params(ledger, When::Now)?.into_iter().find(|param| param.name == name))
}

fn record(rules: &RuleSet, mut ledger: Ledger, mut draft: Draft, done: &str, nothing: &str) -> Outcome {
    config::get().roles().check_draft(rules, &ledger, &draft)?;
    hence_session::fit_draft(rules, &ledger, &mut draft)?;
    let committed = ledger.commit_owned(draft).map_err(open::failure)?;
    open::show_notices(&ledger.close());
    let mut out = terminal::text();
    if !committed.recorded {
        writeln!(out, "{nothing}")?;
        return Ok(DONE);
    }
    writeln!(out, "{done}")?;
    writeln!(out, "recorded as transaction {}, head {}", committed.tx, committed.head)?;
    Ok(DONE)
}

impl Subject {
    fn open(&self, read_only: bool) -> Result<(RuleSet, Ledger), Failure> {
        let rules = self.rules.source().build()?;
        Ok((rules, open::ledger(&self.facts, read_only)?))
    }
}

impl List {
    fn run(self) -> Outcome {
        let rules = self.subject.rules.source().build()?;
        let recorded = match self.subject.facts.store().exists() {
            true => recorded_params(&open::ledger(&self.subject.facts, true)?, When::Now)?,
            false => Vec::new(),
        };
        let rules = rules.under_recorded(&recorded, &self.subject.rules.sets)?;
        let shown: Vec<Shown<'_>> =
            rules.program.params.iter().map(|param| self.shown(param, &recorded)).collect();
        let is_declared = |by: &&RecordedParam| shown.iter().any(|shown| shown.param.name == by.name);
        let undeclared: Vec<&RecordedParam> = recorded.iter().filter(|by| !is_declared(by)).collect();
        match self.format {
            Form::Text => {
                let header = ["parameter", "from", "about"].map(str::to_owned);
                let undeclared = undeclared.iter().map(|by| {
                    let set = format!("{} = {}", by.name, by.text);
                    vec![set, origin(by), String::from("not declared by these rules")]
                });
                let rows: Vec<Vec<String>> = shown.iter().map(Shown::row).chain(undeclared).collect();
                terminal::text().lines(&output::table(&header, &rows))?;
            }
            Form::Json => {
                let undeclared = undeclared.iter().map(|by| {
                    json!({
                        "name": by.name.as_str(), "type": null, "value": null, "default": null,
                        "from": origin(by), "roles": [], "recorded": json_of(by),
                    })
                });
                output::documents(shown.iter().map(Shown::json).chain(undeclared))?;
            }
        }
        Ok(DONE)
    }

    /// A parameter, and what gives it its value.
    fn shown<'a>(&self, param: &'a Declared, recorded: &'a [RecordedParam]) -> Shown<'a> {
        let sets = &self.subject.rules.sets;
        let set = sets.iter().any(|(name, _)| *name == param.name);
        let recorded = recorded.iter().find(|recorded| recorded.name == param.name && !set);
        let origin = match recorded {
            Some(by) => origin(by),
            None => config::get().param_origin(param.name.as_str(), sets),
        };
        Shown { param, recorded, origin }
    }
}

/// Who set a recorded parameter, and when.
pub(super) fn origin(by: &RecordedParam) -> String {
    format!("{} at {}, transaction {}", by.author, time_text(by.time), by.tx)
}

/// A parameter as a list shows it.
struct Shown<'a> {
    param: &'a Declared,
    recorded: Option<&'a RecordedParam>,
    origin: String,
}

impl Shown<'_> {
    fn row(&self) -> Vec<String> {
        let Declared { name, ty, value, doc, .. } = self.param;
        vec![format!("{name}: {ty} = {value}"), self.origin.clone(), doc.replace('\n', " ")]
    }

    fn json(&self) -> serde_json::Value {
        let Declared { name, ty, value, default, roles, .. } = self.param;
        let roles: Vec<&str> = roles.iter().map(|role| role.as_str()).collect();
        json!({
            "name": name.as_str(), "type": ty.to_string(), "value": output::json_value(*value),
            "default": output::json_value(*default), "from": self.origin, "roles": roles,
            "recorded": self.recorded.map(json_of),
        })
    }
}

/// A recorded parameter, for machine formats.
pub(super) fn json_of(by: &RecordedParam) -> serde_json::Value {
    json!({
        "name": by.name.as_str(), "value": by.text.as_str(), "author": by.author,
        "time": time_text(by.time), "transaction": by.tx,
    })
}
