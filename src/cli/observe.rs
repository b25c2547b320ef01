//! `hence observe`: look at the world through an actuator, and print or record the facts seen.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use crate::actuators::{self, Form, Summary};
use crate::fact::Fact;
use crate::ledger::{Draft, Ledger};

use super::diagnostics::count;
use super::{DONE, Failure, Outcome, config, open, output, time};

/// Observe files through an actuator: print the facts seen, or record them with --into
#[derive(Debug, Args)]
#[command(after_help = "Observers: error-text, goal, tool-run\n\
    Example: hence observe error-text build.log --into .hence")]
pub(super) struct Observe {
    /// The observer: error-text, goal or tool-run
    observer: String,
    /// The files; `-` is standard input
    #[arg(required = true)]
    files: Vec<String>,
    /// Records the facts in this ledger instead of printing them
    #[arg(long, value_name = "STORE")]
    into: Option<PathBuf>,
    /// How the input is cut into records: text, blocks, lines, log or jsonl
    #[arg(long, value_name = "FORM", value_parser = form)]
    form: Option<Form>,
    /// A folder with tables of patterns to use instead of the shipped ones
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,
    /// Who asserts the facts [default: the system user]
    #[arg(long = "as", value_name = "AUTHOR")]
    author: Option<String>,
}

fn form(word: &str) -> Result<Form, String> {
    Form::from_keyword(word).ok_or_else(|| {
        let known: Vec<_> = Form::ALL.iter().map(|form| form.keyword()).collect();
        format!("expected one of {}, found `{word}`", known.join(", "))
    })
}

impl Observe {
    pub(super) fn run(self) -> Outcome {
        let observer = actuators::observer(&self.observer, self.tables.as_deref())
            .map_err(|error| Failure::Usage(error.to_string()))?;
        let mut facts: Vec<Fact> = Vec::new();
        let mut total = Summary::default();
        for file in &self.files {
            let seen = actuators::observe_path(observer.as_ref(), file, self.form, &mut |fact| {
                facts.push(fact);
                Ok(())
            })
            .map_err(|error| Failure::Usage(error.to_string()))?;
            total.add(&seen);
        }
        output::note(&format!(
            "{} read, {} seen{}",
            count(total.records as usize, "record"),
            count(facts.len(), "fact"),
            if total.skipped > 0 {
                format!(", {} with nothing to see", total.skipped)
            } else {
                String::new()
            }
        ));
        for (field, times) in &total.ignored {
            output::note(&format!(
                "the field `{field}` means nothing to {} and was ignored ({times})",
                self.observer
            ));
        }
        match &self.into {
            Some(store) => self.record(store, facts),
            None => print(&facts),
        }
    }

    fn record(&self, store: &std::path::Path, facts: Vec<Fact>) -> Outcome {
        let mut ledger = Ledger::open(store, &open::options()).map_err(open::failure)?;
        let draft = Draft {
            time: time::wall_clock(),
            author: config::get().author(self.author.as_deref())?,
            source: format!("{} {}", self.observer, self.files.join(", ")),
            assertions: facts,
            ..Draft::default()
        };
        let committed = ledger.commit(&draft).map_err(open::failure)?;
        writeln!(
            anstream::stdout(),
            "{} asserted, {} stood already\nrecorded as transaction {}, head {}",
            count(committed.changes.added.len(), "fact"),
            committed.changes.standing.len(),
            committed.tx,
            committed.head
        )?;
        Ok(DONE)
    }
}

fn print(facts: &[Fact]) -> Outcome {
    let mut out = anstream::stdout().lock();
    for fact in facts {
        writeln!(out, "{}", output::spaced(&output::json_fact(fact)))?;
    }
    Ok(DONE)
}
