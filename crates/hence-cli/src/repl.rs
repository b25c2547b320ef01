//! `hence repl`: rules, facts and questions at a prompt, or from standard input.

mod console;
mod editor;

use std::borrow::Cow;
use std::io::IsTerminal;
use std::ops::ControlFlow;

use clap::Args;

use hence_session::Session;
use hence_session::prompt::{self, Prompt};

use super::lines::{LONGEST_LINE, read_line};
use super::options::{EngineOptions, FactOptions, RuleOptions};
use super::{DONE, Failure, Outcome, open, terminal};
use console::Console;

/// Try out rules: enter rules, facts and queries interactively
#[derive(Debug, Args)]
#[command(after_help = "Example: hence repl --empty")]
pub(super) struct Repl {
    #[command(flatten)]
    rules: RuleOptions,
    #[command(flatten)]
    facts: FactOptions,
    #[command(flatten)]
    engine: EngineOptions,
    /// Start without rules and without the facts of the ledger
    #[arg(long, conflicts_with_all = ["rules", "packs", "sets"])]
    empty: bool,
}

impl Repl {
    pub(super) fn run(self) -> Outcome {
        let source = (!self.empty).then(|| self.rules.source());
        let mut prompt = Prompt::new(source)?;
        prompt.begin_with(self.given(&prompt)?);
        let mut console = Console { prompt, engine: &self.engine, facts: &self.facts };
        if std::io::stdin().is_terminal() {
            editor::run(&mut console)?;
            return Ok(DONE);
        }
        read_all(&mut console)
    }

    /// The facts to begin with: of the files named, else of the ledger, if there is one.
    fn given(&self, prompt: &Prompt) -> Result<Vec<hence_core::fact::Fact>, Failure> {
        let files = self.facts.files();
        if !files.is_empty() {
            return Ok(hence_session::read_facts(prompt.rules(), &files)?);
        }
        if self.empty || !self.facts.store().exists() {
            return Ok(Vec::new());
        }
        let ledger = open::ledger(&self.facts, true)?;
        Ok(Session::over_ledger(prompt.rules().clone(), ledger).given()?)
    }
}

/// Runs the entries of standard input; the status says whether one of them could not be put.
fn read_all(console: &mut Console<'_>) -> Outcome {
    let mut status = DONE;
    let mut entry = String::new();
    let (mut input, mut line, mut refused) = (std::io::stdin().lock(), Vec::new(), None);
    loop {
        let read = read_line(&mut input, &mut line);
        let last = !read.map_err(|error| Failure::Usage(format!("standard input can't be read: {error}")))?;
        let line = line.strip_suffix(b"\n").unwrap_or(&line);
        let text = String::from_utf8_lossy(line);
        if matches!(text, Cow::Owned(_)) {
            refused = Some(String::from("a line is not UTF-8: its entry is ignored"));
        }
        let is_long = (entry.len() + text.len()) as u64 > LONGEST_LINE;
        if is_long {
            refused = Some(format!("an entry has more than {LONGEST_LINE} bytes and is ignored"));
        } else {
            entry.push_str(text.trim_end_matches('\r'));
        }
        if last || is_long || prompt::is_complete(&entry) {
            if let Some(why) = refused.take() {
                status = super::explain(&Failure::Usage(why));
                entry.clear();
            }
            for entry in prompt::entries(&entry) {
                match console.entry(entry) {
                    Ok(ControlFlow::Break(())) => return Ok(status),
                    Ok(ControlFlow::Continue(())) => {}
                    Err(Failure::Output(error)) => return Err(Failure::Output(error)),
                    Err(failure) => status = super::explain(&failure),
                }
            }
            terminal::finish()?;
            entry.clear();
        } else {
            entry.push('\n');
        }
        if last {
            return Ok(status);
        }
    }
}

/// Says what an entry was that could not be taken, and goes on.
fn show_failure(failure: Failure) -> Result<(), Failure> {
    match failure {
        Failure::Output(error) => Err(Failure::Output(error)),
        other => {
            super::explain(&other);
            Ok(())
        }
    }
}
