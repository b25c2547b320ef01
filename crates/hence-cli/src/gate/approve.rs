//! `hence gate approve`: a reviewer lifts the rule that stopped a call, for a session or for calls like it.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use hence_core::literal::quoted;
use hence_core::value::Value;
use hence_ledger::{Draft, Transaction, When};
use hence_session::RuleSource;

use super::super::options::{FactOptions, duration};
use super::super::{DONE, Failure, Outcome, config, open, terminal, time};
use super::ids::column;
use super::report::verdict_on;

/// Lift the rule that stopped a call, as a reviewer: for this very call again, its session, or calls like it
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  hence gate approve toolu_01\n  \
    hence gate approve toolu_01 --session\n  hence gate approve toolu_01 --like 'npm run *' --for 8h")]
pub(super) struct Approve {
    /// The call, as `hence gate report` and answers name it, or the id of its decision
    call: String,
    /// For all calls of its session
    #[arg(long)]
    session: bool,
    /// For calls of any session whose command, path or address is this, or begins so where it ends with `*`
    #[arg(long, value_name = "TEXT", conflicts_with = "session")]
    like: Option<String>,
    /// For so long
    #[arg(long = "for", value_name = "DURATION", default_value = "1h", value_parser = duration)]
    lasts: Duration,
    /// The reviewer [default: the system user]
    #[arg(long = "as", value_name = "AUTHOR")]
    author: Option<String>,
    /// The ledger's folder [default: .hence]
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
}

impl Approve {
    pub(super) fn run(self) -> Outcome {
        let facts = FactOptions::of_store(self.store.clone(), None);
        facts.existing_store("")?;
        let author = config::get().author(self.author.as_deref())?;
        let mut ledger = open::ledger_beside(&facts, false)?;
        let found = verdict_on(&ledger, &self.call)?;
        let Some((id, found)) = found else {
            return Err(Failure::Usage(format!("no verdict on a call `{}` is recorded", self.call)));
        };
        let transaction = ledger.transaction(id.tx).map_err(open::failure)?;
        let call = column(&found.fact, 0).unwrap_or_default();
        let (session, subject) = self.scope(&transaction, &call);
        let rule = column(&found.fact, 2).unwrap_or_default();
        let lasts = Value::Duration(i64::try_from(self.lasts.as_micros()).unwrap_or(i64::MAX));
        let now = time::wall_clock();
        let rules = RuleSource { packs: vec![String::from("gate")], ..RuleSource::default() }.build()?;
        let at = hence_core::literal::time_text(now);
        let text = format!(
            "approval({rule}, {}, {}, {}, @{at}, {lasts})",
            quoted(&session),
            quoted(&subject),
            quoted(&author)
        );
        let fact = hence_session::read_fact(&rules, &text)?;
        let draft = Draft {
            time: now,
            author,
            source: String::from("hence gate approve"),
            assertions: vec![fact],
            clock: Some(now),
            ..Draft::default()
        };
        config::get().roles().check_draft(&rules, &ledger, &draft)?;
        ledger.tx_when(When::Now).map_err(open::failure)?;
        let committed = ledger.commit_owned(draft).map_err(open::failure)?;
        open::show_notices(&ledger.close());
        let of = lifted_for(&subject, &session);
        writeln!(
            terminal::text(),
            "{} lifted for {of}, recorded as transaction {}",
            rule.trim_start_matches('/'),
            committed.tx
        )?;
        Ok(DONE)
    }

    /// The session and the command that the approval is for, of a call that a transaction records.
    fn scope(&self, transaction: &Transaction, call: &str) -> (String, String) {
        let of_call = |relation: &str, at: usize| {
            let mut facts = transaction.added.iter().filter(|fact| fact.relation.as_str() == relation);
            facts.find(|fact| column(fact, 0).as_deref() == Some(call)).and_then(|fact| column(fact, at))
        };
        let wanted = |path: &str| {
            let mut args = transaction.added.iter().filter(|fact| fact.relation.as_str() == "arg");
            args.find(|fact| {
                column(fact, 0).as_deref() == Some(call) && column(fact, 1).as_deref() == Some(path)
            })
            .and_then(|fact| column(fact, 2))
        };
        let session = of_call("agent_call", 1).unwrap_or_default();
        let own = ["command", "path", "url"]
            .iter()
            .find_map(|path| wanted(path))
            .or_else(|| of_call("agent_call", 3));
        match (&self.like, self.session) {
            (Some(like), _) => (String::from("*"), like.clone()),
            (None, true) => (session, String::new()),
            (None, false) => (session, own.unwrap_or_default()),
        }
    }
}

fn lifted_for(subject: &str, session: &str) -> String {
    match (subject, session) {
        ("", session) => format!("all calls of session {session}"),
        (subject, "*") => format!("calls like `{subject}`"),
        (subject, session) => format!("`{subject}` in session {session}"),
    }
}
