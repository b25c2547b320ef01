//! `hence why-not`, `hence check-proof`: what is missing, and whether a proof holds.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use serde_json::json;

use crate::file::{self, LARGEST_TEXT};
use crate::provenance::check::{Known, check};
use crate::provenance::render;
use crate::session;

use super::ask::Subject;
use super::options::{RuleOptions, duration};
use super::{DONE, Failure, NO, Outcome, UNDETERMINED, output, terminal};

/// The forms of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum AnswerFormat {
    /// For people.
    Text,
    /// One JSON document.
    Json,
}

/// Show why a fact does not hold: how far each rule gets, what fails there, and what would have to change
#[derive(Debug, Args)]
#[command(after_help = "Example: hence why-not 'select_tool(\"g1\", \"web_search\", _)'")]
pub(super) struct WhyNot {
    /// The fact; `_` and variables stand for anything
    fact: String,
    #[command(flatten)]
    subject: Subject,
    /// The form of the output
    #[arg(long, value_enum, default_value = "text")]
    format: AnswerFormat,
    /// Look so long for changes that would make it hold; `0s` for none
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "2s")]
    look: Duration,
}

impl WhyNot {
    pub(super) fn run(self) -> Outcome {
        let (session, now) = self.subject.session()?;
        let refused = session.why_not(&self.fact, now, self.look)?;
        let program = &session.rules().program;
        let mut out = match self.format {
            AnswerFormat::Text => terminal::text(),
            AnswerFormat::Json => terminal::json(),
        };
        match self.format {
            AnswerFormat::Text => {
                out.lines(&render::why_not_text(program, &refused.answer))?;
                if refused.answer.holds.is_empty() && !self.look.is_zero() {
                    out.lines(&render::remedies_text(program, &refused.remedies))?;
                }
            }
            AnswerFormat::Json => {
                let mut answer = render::why_not_json(program, &refused.answer);
                if let Some(object) = answer.as_object_mut() {
                    object.insert(String::from("remedies"), render::remedies_json(&refused.remedies));
                    let asked = session::read_any_fact(session.rules(), &self.fact).ok();
                    let last = asked.map(|fact| session.decision_id(&fact)).transpose()?.flatten();
                    object.insert(String::from("last_drawn_as"), json!(last.map(|id| id.to_string())));
                }
                writeln!(out, "{answer}")?;
            }
        }
        drop(out);
        if refused.undetermined {
            output::warning("the decision is undetermined: it depends on an operation without a result");
            return Ok(UNDETERMINED);
        }
        Ok(if refused.answer.holds.is_empty() { DONE } else { NO })
    }
}

/// Check a proof that `why --format json` printed, independently of what found it
#[derive(Debug, Args)]
#[command(after_help = "Example: hence why 'tool(\"web_search\")' --format json | hence check-proof")]
pub(super) struct CheckProof {
    /// Files with a proof a line [default: standard input]
    proofs: Vec<PathBuf>,
    #[command(flatten)]
    rules: RuleOptions,
}

impl CheckProof {
    pub(super) fn run(self) -> Outcome {
        let rules = self.rules.source().build()?;
        let known = Known { sources: Some(&rules.sources), ..Known::default() };
        let mut status = DONE;
        let mut out = terminal::text();
        for (name, text) in self.texts()? {
            for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
                let place = format!("{name}:{}", at + 1);
                let proof = serde_json::from_str(line)
                    .map_err(|error| Failure::Usage(format!("{place}: this is no JSON: {error}")))?;
                match check(&rules.program, &proof, &known) {
                    Ok(accepted) => {
                        writeln!(out, "{place}: accepted, {} steps", accepted.steps)?;
                        for trust in &accepted.on_trust {
                            writeln!(out, "    on trust: {trust}")?;
                        }
                    }
                    Err(refusal) => {
                        status = NO;
                        writeln!(out, "{place}: refused: {refusal}")?;
                    }
                }
            }
        }
        Ok(status)
    }

    /// The names and texts of the proofs.
    fn texts(&self) -> Result<Vec<(String, String)>, Failure> {
        if self.proofs.is_empty() {
            let text = file::rest_text(std::io::stdin().lock(), LARGEST_TEXT)
                .map_err(|error| Failure::Usage(format!("standard input can't be read: {error}")))?;
            return Ok(vec![(String::from("<stdin>"), text)]);
        }
        let read = |path: &PathBuf| {
            let name = path.display().to_string();
            let unreadable =
                |error| Failure::Usage(format!("`{name}` can't be read: {}", file::said(&error)));
            let text = file::read_text(path, LARGEST_TEXT).map_err(unreadable)?;
            Ok((name, text))
        };
        self.proofs.iter().map(read).collect()
    }
}
