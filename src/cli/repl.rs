//! `hence repl`: rules, facts and questions at a prompt, or from standard input.

mod console;
mod editor;

use std::io::{BufRead, IsTerminal};
use std::ops::ControlFlow;

use clap::Args;

use hence::session::prompt::{self, Prompt};
use hence::session::{self, FactFiles, Session};

use super::options::{EngineOptions, FactOptions, RuleOptions};
use super::{DONE, Failure, Outcome, open, terminal};
use console::Console;

/// Try rules out: enter rules, facts and questions, one after the other
#[derive(Debug, Args)]
#[command(after_help = "Example: hence repl --empty")]
pub(super) struct Repl {
    #[command(flatten)]
    rules: RuleOptions,
    #[command(flatten)]
    facts: FactOptions,
    #[command(flatten)]
    engine: EngineOptions,
    /// Begin without rules and without the facts of the ledger
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
        let paths = self.facts.files();
        if !paths.is_empty() {
            let files = FactFiles { paths };
            return Ok(session::read_facts(prompt.rules(), &files)?);
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
    let mut lines = std::io::stdin().lock().split(b'\n');
    loop {
        let line = lines.next().transpose();
        let line = line.map_err(|error| Failure::Usage(format!("standard input can't be read: {error}")))?;
        let last = line.is_none();
        if let Some(line) = line {
            match std::str::from_utf8(&line) {
                Ok(line) => entry.push_str(line.trim_end_matches('\r')),
                Err(_) => {
                    status =
                        super::explain(&Failure::Usage(String::from("a line is no UTF-8, and is left out")));
                }
            }
        }
        if last || prompt::is_complete(&entry) {
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
fn tell(failure: Failure) -> Result<(), Failure> {
    match failure {
        Failure::Output(error) => Err(Failure::Output(error)),
        other => {
            super::explain(&other);
            Ok(())
        }
    }
}
