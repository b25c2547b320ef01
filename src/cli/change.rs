//! `hence assert`, `hence retract`: facts into the ledger and out of it, without drawing decisions.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use crate::fact::Fact;
use crate::ledger::{Changes, Draft};
use crate::session::{self, FactFiles, RuleSet};

use super::diagnostics::count;
use super::options::{FactOptions, RuleOptions};
use super::{DONE, Failure, Outcome, config, open, time};

/// What both commands take.
#[derive(Debug, Args)]
struct Facts {
    /// One fact, such as 'tool("web_search")'
    fact: Vec<String>,
    #[command(flatten)]
    rules: RuleOptions,
    #[command(flatten)]
    facts: FactOptions,
    /// Who does it [default: the system user]
    #[arg(long = "as", value_name = "AUTHOR")]
    author: Option<String>,
    /// What to note beside it
    #[arg(long)]
    note: Option<String>,
}

/// Assert facts: they stand until they are retracted
#[derive(Debug, Args)]
#[command(after_help = "Example: hence assert 'tool(\"web_search\")' --note 'added today'")]
pub(super) struct Assert {
    #[command(flatten)]
    facts: Facts,
}

/// Retract facts: they stand no longer, and stay in the history
#[derive(Debug, Args)]
#[command(after_help = "Example: hence retract 'tool(\"web_search\")'")]
pub(super) struct Retract {
    #[command(flatten)]
    facts: Facts,
}

impl Assert {
    pub(super) fn run(self) -> Outcome {
        self.facts.change(|draft, facts| draft.assertions = facts)
    }
}

impl Retract {
    pub(super) fn run(self) -> Outcome {
        self.facts.change(|draft, facts| draft.retractions = facts)
    }
}

impl Facts {
    fn change(self, put: impl FnOnce(&mut Draft, Vec<Fact>)) -> Outcome {
        let rules = self.rules.source().build()?;
        let facts = self.read(&rules)?;
        if facts.is_empty() {
            return Err(Failure::Usage(String::from(
                "no fact was given; write one, or name files with --facts",
            )));
        }
        let mut draft = Draft {
            time: time::wall_clock(),
            author: config::get().author(self.author.as_deref())?,
            source: source(&self.facts.facts),
            note: self.note.clone(),
            ..Draft::default()
        };
        put(&mut draft, facts);
        let committed = open::ledger(&self.facts, false)?.commit(&draft).map_err(open::failure)?;
        let mut out = anstream::stdout();
        writeln!(out, "{}", told(&committed.changes))?;
        if committed.recorded {
            writeln!(out, "recorded as transaction {}, head {}", committed.tx, committed.head)?;
        } else {
            writeln!(out, "nothing to record")?;
        }
        Ok(DONE)
    }

    fn read(&self, rules: &RuleSet) -> Result<Vec<Fact>, Failure> {
        let mut facts = session::read_facts(rules, &FactFiles { paths: self.facts.facts.clone() })?;
        for text in &self.fact {
            facts.push(session::read_fact(rules, text)?);
        }
        Ok(facts)
    }
}

fn source(paths: &[PathBuf]) -> String {
    let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    if names.is_empty() { String::from("command line") } else { names.join(", ") }
}

/// What came and went, and what was said for nothing.
fn told(changes: &Changes) -> String {
    let parts = [
        (changes.added.len(), "asserted"),
        (changes.removed.len(), "retracted"),
        (changes.standing.len(), "stood already"),
        (changes.missing.len(), "did not stand"),
    ];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, what)| format!("{} {what}", count(number, "fact")))
        .collect();
    parts.join(", ")
}
