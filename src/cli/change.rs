//! `hence assert`, `hence retract`: facts into the ledger and out of it, without drawing decisions.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use indicatif::ProgressBar;

use crate::fact::Fact;
use crate::ledger::{Changes, Draft};
use crate::session::{self, FactFiles, RuleSet};

use super::diagnostics::count;
use super::options::{ChangeOptions, FactOptions, RuleOptions};
use super::{DONE, Failure, Outcome, open, time};

/// The fact that stands for standard input.
const STANDARD_INPUT: &str = "-";

/// What both commands take.
#[derive(Debug, Args)]
struct Facts {
    /// Facts, such as 'tool("web_search")'; `-` reads them from standard input, JSON lines
    fact: Vec<String>,
    #[command(flatten)]
    rules: RuleOptions,
    #[command(flatten)]
    facts: FactOptions,
    #[command(flatten)]
    about: ChangeOptions,
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
        let bar = spinner();
        bar.set_message("reading facts");
        let facts = self.read(&rules)?;
        if facts.is_empty() && !self.reads() {
            return Err(Failure::Usage(String::from(
                "no fact was given; write one, or name files with --facts",
            )));
        }
        bar.set_message(format!("recording {}", count(facts.len(), "fact")));
        let mut draft = Draft {
            time: time::wall_clock(),
            author: self.about.author()?,
            source: self.facts.source("command line"),
            note: self.about.note.clone(),
            expect_tx: self.about.expect_tx,
            ..Draft::default()
        };
        put(&mut draft, facts);
        let mut ledger = open::ledger(&self.facts, false)?;
        let committed = ledger.commit(&draft).map_err(open::failure)?;
        bar.set_message("bringing the fact base up to date");
        open::tell(&ledger.close());
        bar.finish_and_clear();
        let mut out = anstream::stdout();
        let told = told(&committed.changes);
        if !told.is_empty() {
            writeln!(out, "{told}")?;
        }
        if committed.recorded {
            writeln!(out, "recorded as transaction {}, head {}", committed.tx, committed.head)?;
        } else {
            writeln!(out, "nothing to record")?;
        }
        Ok(DONE)
    }

    /// Whether facts come from files or standard input, which may hold none.
    fn reads(&self) -> bool {
        !self.facts.facts.is_empty() || self.fact.iter().any(|text| text == STANDARD_INPUT)
    }

    fn read(&self, rules: &RuleSet) -> Result<Vec<Fact>, Failure> {
        let mut paths = self.facts.facts.clone();
        paths.extend(self.fact.iter().filter(|text| *text == STANDARD_INPUT).map(PathBuf::from));
        let mut facts = session::read_facts(rules, &FactFiles { paths })?;
        for text in self.fact.iter().filter(|text| *text != STANDARD_INPUT) {
            facts.push(session::read_fact(rules, text)?);
        }
        Ok(facts)
    }
}

/// Shows on a terminal what takes long.
fn spinner() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
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
