//! `hence replay`: the recorded history drawn again, under its own rules or under others.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde_json::json;

use crate::session::{Flip, Replayed, RuleSet, Session};
use crate::symbol::Symbol;
use crate::value::Value;

use super::options::{EngineOptions, FactOptions, RuleOptions, parameter};
use super::{DONE, Failure, NO, Outcome, open, output, terminal};

/// Draw recorded decisions again, under other rules or parameters, and report those that flip
#[derive(Debug, Args)]
#[command(after_help = "Example: hence replay --set lowest_score=0.3")]
pub(super) struct Replay {
    /// A file or folder of other rules, once more for another [default: those that drew each decision]
    #[arg(long = "rules", value_name = "PATH")]
    rules: Vec<PathBuf>,
    /// Other values of parameters
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parameter)]
    sets: Vec<(Symbol, Value)>,
    /// The first transaction
    #[arg(long, value_name = "TX", default_value_t = 1)]
    from: u64,
    /// The last transaction [default: the last there is]
    #[arg(long, value_name = "TX")]
    to: Option<u64>,
    #[command(flatten)]
    facts: FactOptions,
    #[command(flatten)]
    engine: EngineOptions,
    /// The form of the output
    #[arg(long, value_enum, default_value = "text")]
    format: ReplayFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ReplayFormat {
    /// For people.
    Text,
    /// One JSON document.
    Json,
}

impl Replay {
    pub(super) fn run(self) -> Outcome {
        let options = RuleOptions::named(&self.rules, &[], &[]);
        let session = open::for_reading(&options, &self.facts, &self.engine)?;
        let rules = self.other_rules(&session)?;
        let last = session.ledger().map_or(0, |ledger| ledger.last_tx());
        let to = self.to.unwrap_or(last).min(last);
        let replayed = replay(&session, rules.as_ref(), self.from, to)?;
        match self.format {
            ReplayFormat::Text => terminal::text().lines(&text(&replayed))?,
            ReplayFormat::Json => output::document(&document(&replayed))?,
        }
        Ok(if replayed.flips.is_empty() { DONE } else { NO })
    }

    /// The rules to draw decisions by, where they are not each transaction's own.
    fn other_rules(&self, session: &Session) -> Result<Option<RuleSet>, Failure> {
        if self.rules.is_empty() && self.sets.is_empty() {
            return Ok(None);
        }
        let rules = if self.rules.is_empty() { session.last_rules()? } else { None };
        let rules = rules.unwrap_or_else(|| session.rules().clone());
        let rules = rules.with_sets(&self.sets).map_err(crate::session::SessionError::Faults)?;
        Ok(Some(rules))
    }
}

/// Replays a part of a session's ledger, with progress on a terminal.
pub(super) fn replay(
    session: &Session,
    rules: Option<&RuleSet>,
    from: u64,
    to: u64,
) -> Result<Replayed, Failure> {
    let Some(replay) = session.replay(rules, from, to) else {
        return Err(Failure::Usage(String::from("a replay needs a ledger; name one with --store DIR")));
    };
    let bar = indicatif::ProgressBar::new(to);
    let replayed = replay.run(&mut |tx| bar.set_position(tx));
    bar.finish_and_clear();
    Ok(replayed?)
}

/// What flipped, for people.
pub(super) fn text(replayed: &Replayed) -> String {
    let mut out = String::new();
    for flip in &replayed.flips {
        let (then, now) = if flip.then { ("stood", "does not stand") } else { ("did not stand", "stands") };
        out.push_str(&format!(
            "transaction {}: {}\n    then it {then}: {}\n    now it {now}: {}\n",
            flip.tx, flip.decision, flip.reason_then, flip.reason_now
        ));
    }
    let flips = match replayed.flips.len() {
        0 => String::from("no decision flips"),
        1 => String::from("1 decision flips"),
        many => format!("{many} decisions flip"),
    };
    out.push_str(&format!(
        "{} drawn again, {} in all: {flips}\n",
        super::diagnostics::count(replayed.evaluated as usize, "transaction"),
        super::diagnostics::count(replayed.decisions as usize, "decision"),
    ));
    out
}

fn document(replayed: &Replayed) -> serde_json::Value {
    let flip = |flip: &Flip| {
        json!({
            "transaction": flip.tx, "decision": output::json_fact(&flip.decision),
            "then": flip.then, "reason_then": flip.reason_then, "reason_now": flip.reason_now,
        })
    };
    json!({
        "transactions": replayed.evaluated, "decisions": replayed.decisions,
        "flips": replayed.flips.iter().map(flip).collect::<Vec<_>>(),
    })
}
