//! `hence carry`: what is due is carried out once, as for cron.

use clap::Args;

use hence_runtime::State;
use hence_session::CommitRequest;

use super::super::options::{EngineOptions, FactOptions, RuleOptions};
use super::super::output::Format;
use super::super::{DONE, Failure, NO, Outcome, config, open, output, time};
use super::Carry;
use super::list::{self, Row};

/// Carry out what is due in the outbox, once
#[derive(Debug, Args)]
#[command(
    after_help = "Decides first, at the clock of this run, so that nothing is carried out that has lapsed. Exit status 1: \
    an entry failed, was given up or waits for a person.\n\nExample: hence carry"
)]
pub(in super::super) struct CarryOut {
    #[command(flatten)]
    rules: RuleOptions,
    #[command(flatten)]
    facts: FactOptions,
    #[command(flatten)]
    engine: EngineOptions,
    /// The author of what is decided [default: the system user]
    #[arg(long = "as", value_name = "AUTHOR")]
    author: Option<String>,
    /// The output format
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

impl CarryOut {
    pub(in super::super) fn run(self) -> Outcome {
        if !self.facts.files().is_empty() {
            return Err(Failure::Usage(String::from(
                "`carry` takes no facts; record them with `hence decide --facts PATH`",
            )));
        }
        self.facts.existing_store("")?;
        let mut session = open::for_writing(&self.rules, &self.facts, &self.engine, false)?;
        session.check_columns()?;
        open::warn_of_undeclared(&session)?;
        let now = time::of(&session, self.facts.now)?;
        let mut carry = Carry::new(&session, false)?;
        let change = CommitRequest {
            author: config::get().author(self.author.as_deref())?,
            source: String::from("carry"),
            time: time::wall_clock(),
            now,
            ..CommitRequest::default()
        };
        let decided = session.commit(change, false)?;
        output::reports(&decided.reports);
        let mut events = Vec::new();
        carry.after(&mut session, &decided, now, &mut events)?;
        let rows = events.iter().map(|event| Row {
            id: event.id.to_string(),
            decision: event.decision.to_string(),
            carrier: event.by.to_owned(),
            state: event.state,
            attempts: event.attempts,
            next: event.next,
            detail: event.detail.clone(),
        });
        list::print(self.format, &rows.collect::<Vec<_>>())?;
        let failed = events.iter().any(|event| !event.is_carried() && event.state != State::Cancelled);
        let waits = waiting(&carry);
        open::show_notices(&session.close());
        Ok(if failed || waits > 0 { NO } else { DONE })
    }
}

/// How many entries wait for a person, which is told.
fn waiting(carry: &Carry) -> usize {
    let waits = carry.waiting();
    if waits > 0 {
        let (verb, number) =
            if waits == 1 { ("waits", "1 entry") } else { ("wait", &*format!("{waits} entries")) };
        output::warning(&format!(
            "{number} of the outbox {verb} for a person; `hence outbox` shows what is open"
        ));
    }
    waits
}
