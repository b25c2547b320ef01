//! `hence why-not`, `hence check-proof`: what is missing, and whether a proof holds.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use serde_json::{Value as Json, json};

use hence::session::{self, Refused, RuleSet};
use hence_core::file::{self, LARGEST_TEXT};
use hence_core::meter;
use hence_lang::ir::Program;
use hence_proof::check::{Known, check};
use hence_proof::render::{self, Layout};

use super::options::{RuleOptions, duration};
use super::past::{Asking, Subject};
use super::{DONE, Failure, NO, Outcome, UNDETERMINED, output, terminal};

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
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "2s")]
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
                    let asked = session::read_any_fact(session.rules(), &self.fact).ok();
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
        return refused
            .undetermined
            .iter()
            .try_for_each(|proof| out.lines(&render::tree(proof, program, &layout)));
    }
    out.lines(&render::why_not_text(program, &refused.answer))?;
    if refused.answer.holds.is_empty() && !look.is_zero() {
        out.lines(&render::remedies_text(program, &refused.remedies))?;
    }
    Ok(())
}

/// Check a proof printed by `why --format json`, independently of the proof finder
#[derive(Debug, Args)]
#[command(after_help = "Example: hence why 'tool(\"web_search\")' --format json | hence check-proof")]
pub(super) struct CheckProof {
    /// Files with one proof per line [default: standard input]
    proofs: Vec<PathBuf>,
    #[command(flatten)]
    rules: RuleOptions,
}

impl CheckProof {
    pub(super) fn run(self) -> Outcome {
        let rules = self.rules.source().build()?;
        if self.proofs.is_empty() {
            return check_all(&rules, "<stdin>", &mut io::stdin().lock());
        }
        let mut status = DONE;
        for path in &self.proofs {
            let unreadable = |error: io::Error| {
                Failure::Usage(format!("`{}` can't be read: {}", path.display(), file::said(&error)))
            };
            let file = file::open(path).map_err(unreadable)?;
            let name = path.display().to_string();
            status = status.max(check_all(&rules, &name, &mut BufReader::new(file))?);
        }
        Ok(status)
    }
}

/// Checks the proofs of one input, line by line.
fn check_all(rules: &RuleSet, name: &str, input: &mut dyn BufRead) -> Outcome {
    let known = Known { sources: Some(&rules.sources), ..Known::default() };
    let (mut status, mut line) = (DONE, Vec::new());
    for number in 1.. {
        let place = format!("{name}:{number}");
        meter::check("checking proofs")?;
        line.clear();
        let unreadable = |error| Failure::Usage(format!("{place}: it can't be read: {error}"));
        let read = (&mut *input).take(LARGEST_TEXT + 1).read_until(b'\n', &mut line).map_err(unreadable)?;
        if read as u64 > LARGEST_TEXT {
            let most = LARGEST_TEXT >> 20;
            return Err(Failure::Usage(format!("{place}: the proof is larger than {most} MiB")));
        }
        if read == 0 {
            break;
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let proof = serde_json::from_slice(&line)
            .map_err(|error| Failure::Usage(format!("{place}: invalid JSON: {error}")))?;
        if !is_accepted(rules, &proof, &known, &place)? {
            status = NO;
        }
    }
    Ok(status)
}

/// Checks one proof, and says what came of it.
fn is_accepted(rules: &RuleSet, proof: &Json, known: &Known<'_>, place: &str) -> io::Result<bool> {
    let mut out = terminal::text();
    match check(&rules.program, proof, known) {
        Ok(accepted) => {
            writeln!(out, "{place}: accepted, {} steps", accepted.steps)?;
            for trust in &accepted.on_trust {
                writeln!(out, "    on trust: {trust}")?;
            }
            Ok(true)
        }
        Err(refusal) => {
            writeln!(out, "{place}: refused: {refusal}")?;
            let by = proof.get("as_of").and_then(|as_of| as_of.get("rules")?.as_str());
            if by.is_some_and(|by| by != rules.recorded().hash().to_string()) {
                output::note(&format!("{place}: it was made with other rules or other parameters"));
            }
            Ok(false)
        }
    }
}
