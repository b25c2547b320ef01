//! `hence check`: all faults of rule files at once.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use hence_core::diagnostic::Severity;
use hence_core::schema::{Kind, Relation, RelationId};
use hence_lang::analysis::personal::Carriers;
use hence_session::RuleSet;

use super::diagnostics::{self, count};
use super::options::RuleOptions;
use super::{DONE, NO, Outcome, config, output, sarif, secrets, terminal};

/// Check rule files: names, types, safety, strata, guards and lints; reports all errors at once
#[derive(Debug, Args)]
#[command(after_help = "Example: hence check rules/")]
pub(super) struct Check {
    /// Rule files and folders, as with --rules
    paths: Vec<PathBuf>,
    #[command(flatten)]
    rules: RuleOptions,
    /// Treat warnings as errors
    #[arg(long)]
    strict: bool,
    /// The output format
    #[arg(long, value_enum, default_value = "text")]
    format: CheckFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum CheckFormat {
    /// Readable text.
    Text,
    /// One JSON document.
    Json,
    /// SARIF 2.1.0, for code scanning and editors.
    Sarif,
}

impl Check {
    pub(super) fn run(self) -> Outcome {
        let options = self.rules.with_paths(&self.paths);
        let named = options.is_named();
        let mut findings = options.files("check")?.check()?;
        if let (Some(rules), false) = (&findings.rules, named) {
            findings.faults.add(config::get().unfitting(rules));
        }
        if self.strict {
            findings.faults.diagnostics.iter_mut().for_each(|found| found.severity = Severity::Error);
        }
        let faults = &findings.faults;
        let failed = faults.diagnostics.iter().any(|found| found.is_error());
        match self.format {
            CheckFormat::Json => {
                let all = faults.diagnostics.iter();
                output::documents(all.map(|found| diagnostics::json(found, &faults.sources)))?;
            }
            CheckFormat::Sarif => output::document(&sarif::log(faults))?,
            CheckFormat::Text if faults.diagnostics.is_empty() => {
                let mut out = terminal::text();
                writeln!(
                    out,
                    "{}, {}: no errors",
                    count(findings.files, "file"),
                    count(findings.rule_count, "rule")
                )?;
            }
            CheckFormat::Text => diagnostics::print(faults),
        }
        secrets::warn(findings.rules.as_deref());
        findings.rules.as_deref().map_or(Ok(()), personal)?;
        Ok(if failed { NO } else { DONE })
    }
}

/// Says where personal values go: to derived columns, and to carriers, which take them out of the ledger.
fn personal(rules: &RuleSet) -> std::io::Result<()> {
    let carriers = Carriers::of(&rules.checked);
    let named = |relation: RelationId, column: usize| {
        let relation = &rules.checked[relation];
        let column = relation.columns.get(column).map_or("", |column| column.name.as_str());
        format!("`{}.{column}`", relation.name)
    };
    for (id, relation) in (0u32..).map(RelationId).zip(&rules.checked.relations) {
        for column in 0..relation.columns.len() {
            let Some(origin) = carriers.origin(id, column) else { continue };
            let from = named(origin.0, origin.1);
            if relation.kind != Kind::Input && origin.0 != id {
                output::aside(&format!("{} carries personal values of {from}", named(id, column)));
            }
        }
        let carried = config::get().carried().iter().any(|one| one.decision == relation.name.as_str());
        if carried && !relation.personal.is_empty() {
            output::warning(&format!(
                "the carrier of `{}` is handed personal values: `hence erase` does not reach them there",
                relation.name
            ));
        }
    }
    left_as_they_are(rules);
    Ok(())
}

/// Says what `hence erase` doesn't reach: subjects and authors that stand in columns of their own, and what is said of
/// transactions.
fn left_as_they_are(rules: &RuleSet) {
    let relations = || rules.checked.relations.iter().filter(|relation| !relation.personal.is_empty());
    if relations().next().is_none() {
        return;
    }
    let is_plain = |relation: &Relation, at: usize| relation.personal.iter().all(|one| one.column != at);
    let mut columns: Vec<String> = Vec::new();
    for relation in relations() {
        let subjects = relation.personal.iter().map(|one| one.subject);
        let authors = relation.authors.as_ref().and_then(|authors| authors.column);
        for at in subjects.chain(authors).filter(|at| is_plain(relation, *at)) {
            let column = relation.columns.get(at).map_or("", |column| column.name.as_str());
            let name = format!("`{}.{column}`", relation.name);
            if !columns.contains(&name) {
                columns.push(name);
            }
        }
    }
    columns.push(String::from("authors and notes of transactions"));
    output::aside(&format!(
        "recorded as they are, so `hence erase` does not reach them: {}",
        columns.join(", ")
    ));
}
