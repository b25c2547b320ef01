//! `hence why-not`: what is missing.

use std::io::{self, Write};
use std::time::Duration;

use clap::{Args, ValueEnum};
use serde_json::json;

use hence_lang::ir::Program;
use hence_proof::render::{self, Layout};
use hence_session::Refused;

use super::options::duration;
use super::past::{Asking, Subject};
use super::{DONE, NO, Outcome, UNDETERMINED, output, terminal};

/// The forms of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum AnswerFormat {
    /// Readable text.
    Text,
    /// One JSON document.
    Json,
}

/// Show why a fact does not hold: how far each rule gets, what fails there, and what would make it hold
#[derive(Debug, Args)]
#[command(after_help = "Example: hence why-not 'select_tool(\"g1\", \"web_search\", _)'")]
pub(super) struct WhyNot {
    /// The fact; `_` and variables match anything
    fact: String,
    #[command(flatten)]
    subject: Subject,
    /// The output format
    #[arg(long, value_enum, default_value = "text")]
    format: AnswerFormat,
    /// Search this long for changes that would make it hold; `0s` for no search
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "10s")]
    look: Duration,
}

impl WhyNot {
    pub(super) fn run(self) -> Outcome {
        let Asking { session, now, as_of } = self.subject.session()?;
        let refused = session.why_not(&self.fact, now, self.look)?;
        let program = &session.rules().program;
        let mut out = match self.format {
            AnswerFormat::Text => terminal::text(),
            AnswerFormat::Json => terminal::json(),
        };
        match self.format {
            AnswerFormat::Text => show(&mut out, program, &refused, self.look)?,
            AnswerFormat::Json => {
                let mut answer = render::why_not_json(program, &refused.answer);
                if let Some(object) = answer.as_object_mut() {
                    if !refused.undetermined.is_empty() {
                        let proofs = refused.undetermined.iter().map(render::json).collect();
                        object.insert(String::from("possible"), proofs);
                    }
                    as_of.into_iter().for_each(|as_of| {
                        object.insert(String::from("as_of"), as_of);
                    });
                    object.insert(String::from("remedies"), render::remedies_json(&refused.remedies));
                    let asked = hence_session::read_any_fact(session.rules(), &self.fact).ok();
                    let last = asked.map(|fact| session.decision_id(&fact)).transpose()?.flatten();
                    object.insert(String::from("last_drawn_as"), json!(last.map(|id| id.to_string())));
                }
                writeln!(out, "{answer}")?;
            }
        }
        drop(out);
        if !refused.undetermined.is_empty() {
            output::warning("this is undetermined: it depends on an undefined operation");
            return Ok(UNDETERMINED);
        }
        Ok(if refused.answer.holds.is_empty() { DONE } else { NO })
    }
}

/// Writes why a fact does not hold; after a search of some length, also what would make it hold.
pub(super) fn show(
    out: &mut terminal::Out,
    program: &Program,
    refused: &Refused,
    look: Duration,
) -> io::Result<()> {
    if !refused.undetermined.is_empty() {
        out.lines("undetermined:")?;
        let layout = Layout { width: output::terminal_width(), bindings: false, ..Layout::default() };
        let mut proofs = refused.undetermined.iter();
        proofs.try_for_each(|proof| out.lines(&render::tree(proof, program, &layout)))?;
        if !refused.remedies.found.is_empty() {
            out.lines(&render::remedies_text(program, &refused.remedies))?;
        }
        return Ok(());
    }
    out.lines(&render::why_not_text(program, &refused.answer))?;
    if refused.answer.holds.is_empty() && !look.is_zero() {
        out.lines(&render::remedies_text(program, &refused.remedies))?;
    }
    Ok(())
}
