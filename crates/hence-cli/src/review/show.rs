//! `hence review show`: why something waits, the facts that it rests on, and what is to be done.

use std::io::Write;

use clap::Args;
use serde_json::{Value as Json, json};

use hence_actuators::file_requests;
use hence_core::fact::Fact;
use hence_core::value::Value;
use hence_ledger::When;
use hence_proof::proof::{Proof, StepKind};
use hence_proof::render::{self, Layout};
use hence_session::Session;

use super::super::pack::Form;
use super::super::{DONE, Failure, Outcome, open, output, terminal, time};
use super::find::{answered, find, unknown};
use super::waiting::waiting;
use super::{PROPOSING, Subject, Waiting, relations};

/// How many steps of the proof are shown below the fact.
const STEPS: usize = 2;
/// How many facts are shown as evidence.
const EVIDENCE: usize = 20;

#[derive(Debug, Args)]
pub(super) struct Show {
    /// The request, as named by `hence review list`
    id: String,
    /// The output format
    #[arg(long, value_enum, default_value = "text")]
    format: Form,
    #[command(flatten)]
    subject: Subject,
}

impl Show {
    pub(super) fn run(self) -> Outcome {
        let Subject { rules, facts, engine } = &self.subject;
        let session = open::for_reading(rules, facts, engine)?;
        session.check_columns()?;
        let now = time::of(&session, facts.now)?;
        let (all, _) = waiting(&session, now)?;
        let Some(found) = find(&self.id, &all)? else {
            let said = answered(&session, &self.id, now)?.unwrap_or_else(|| unknown(&self.id, &all));
            return Err(Failure::Usage(said));
        };
        let proof = proof(&session, found, now)?;
        match self.format {
            Form::Text => text(&session, found, proof.as_ref())?,
            Form::Json => output::document(&document(found, proof.as_ref()))?,
        }
        Ok(DONE)
    }
}

/// Why something waits.
pub(super) fn proof(session: &Session, found: &Waiting, now: i64) -> Result<Option<Proof>, Failure> {
    let origin = proposing(session, found, now)?.unwrap_or_else(|| found.origin.clone());
    Ok(session.why(&origin.to_string(), now, None)?.proofs.into_iter().next())
}

/// The decision that a proposal was made of.
fn proposing(session: &Session, found: &Waiting, now: i64) -> Result<Option<Fact>, Failure> {
    let (facts, _) = relations(session, &PROPOSING, now)?;
    let id = found.wait.id();
    Ok(facts.into_values().flatten().find(|fact| file_requests::id_of(fact) == id))
}

fn text(session: &Session, found: &Waiting, proof: Option<&Proof>) -> Result<(), Failure> {
    let program = &session.rules().program;
    let mut out = terminal::text();
    let since = found.since.map_or(String::new(), |at| format!(", since {}", Value::Time(at).text()));
    writeln!(out, "{} {}: {}{since}", found.wait.kind(), found.wait.id(), found.what)?;
    if let Some(proof) = proof {
        let layout = Layout { width: output::terminal_width(), ..Layout::default() };
        out.lines(&format!("\n{}", render::tree(&proof.cut(STEPS), program, &layout)))?;
        writeln!(out)?;
        writeln!(out, "evidence:")?;
        evidence(proof).iter().take(EVIDENCE).try_for_each(|fact| writeln!(out, "    {fact}"))?;
        let more = evidence(proof).len().saturating_sub(EVIDENCE);
        if more > 0 {
            writeln!(out, "    and {more} more; `hence why` shows all")?;
        }
        for by in session.params_of(proof, program, When::Now)? {
            writeln!(out, "    parameter {} = {}", by.name, by.text)?;
        }
    }
    if !found.content.is_empty() {
        writeln!(out)?;
        writeln!(out, "content:")?;
        for (part, text) in &found.content {
            writeln!(out, "    {}: {}", part.as_str().trim_start_matches('/'), Value::String(*text).text())?;
        }
    }
    Ok(())
}

/// The asserted facts that a proof rests on, each once, in its order.
fn evidence(proof: &Proof) -> Vec<&Fact> {
    let mut facts: Vec<&Fact> = Vec::new();
    for step in &proof.steps {
        if matches!(step.kind, StepKind::Asserted { .. }) && !facts.contains(&&step.fact) {
            facts.push(&step.fact);
        }
    }
    facts
}

pub(super) fn document(found: &Waiting, proof: Option<&Proof>) -> Json {
    let content = found.content.iter().map(|(part, text)| {
        let part = part.as_str().trim_start_matches('/').to_owned();
        (part, Json::from(text.as_str()))
    });
    let evidence = proof.map(evidence).unwrap_or_default();
    json!({
        "kind": found.wait.kind(), "id": found.wait.id(), "what": found.what,
        "since": found.since.map(|at| Value::Time(at).text()),
        "proof": proof.map(render::json),
        "evidence": evidence.iter().map(|fact| hence_core::json::fact(fact)).collect::<Vec<_>>(),
        "content": Json::Object(content.collect()),
        "proposal": found.twin.map(|twin| twin.to_string()),
    })
}
