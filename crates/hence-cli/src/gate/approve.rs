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
    #[arg(long, value_name = "TEXT", conflicts_with = "session", value_parser = pattern)]
    like: Option<String>,
    /// For so long
    #[arg(long = "for", value_name = "DURATION", default_value = "1h", value_parser = some_time)]
    lasts: Duration,
    /// The reviewer [default: the system user]
    #[arg(long = "as", value_name = "AUTHOR")]
    author: Option<String>,
    /// The ledger's folder [default: .hence]
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
}

/// Reads what calls begin with; nothing would be any call.
fn pattern(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err(String::from("expected the beginning of a command, a path or an address")),
        _ => Ok(text.to_owned()),
    }
}

/// Reads a duration in which something can happen.
fn some_time(text: &str) -> Result<Duration, String> {
    duration(text).and_then(|lasts| match lasts.as_micros() {
        0 => Err(String::from("expected a duration of more than nothing")),
        _ => Ok(lasts),
    })
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
        if column(&found.fact, 1).as_deref() == Some("/allow") {
            return Err(Failure::Usage(format!("call `{}` was allowed: no rule stopped it", self.call)));
        }
        let transaction = ledger.transaction(id.tx).map_err(open::failure)?;
        let call = column(&found.fact, 0).unwrap_or_default();
        let (scope, subject) = self.scope(&transaction, &call);
        let rule = column(&found.fact, 2).unwrap_or_default();
        let lasts = Value::Duration(i64::try_from(self.lasts.as_micros()).unwrap_or(i64::MAX));
        let now = time::wall_clock();
        let rules = RuleSource { packs: vec![String::from("gate")], ..RuleSource::default() }.build()?;
        let at = hence_core::literal::time_text(now);
        let text = format!(
            "approval({rule}, {}, {}, {}, @{at}, {lasts})",
            quoted(&scope.written()),
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
        let of = lifted_for(&subject, &scope);
        writeln!(
            terminal::text(),
            "{} lifted for {of}, recorded as transaction {}",
            rule.trim_start_matches('/'),
            committed.tx
        )?;
        Ok(DONE)
    }

    /// The session and the command that the approval is for, of a call that a transaction records.
    fn scope(&self, transaction: &Transaction, call: &str) -> (Scope, String) {
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
            .find_map(|path| wanted(path).filter(|subject| !subject.is_empty()))
            .or_else(|| of_call("agent_call", 3));
        match (&self.like, self.session) {
            (Some(like), _) => (Scope::All, like.clone()),
            (None, true) => (Scope::Only(session), String::new()),
            (None, false) => (Scope::Only(session), own.unwrap_or_default()),
        }
    }
}

/// The sessions that an approval is for.
enum Scope {
    All,
    Only(String),
}

impl Scope {
    /// As the column of an approval says it. `*` is all sessions, so that the session of that name has a backslash before it.
    fn written(&self) -> String {
        match self {
            Self::All => String::from("*"),
            Self::Only(session) if session.starts_with(['*', '\\']) => format!("\\{session}"),
            Self::Only(session) => session.clone(),
        }
    }
}

fn lifted_for(subject: &str, scope: &Scope) -> String {
    match (subject, scope) {
        (subject, Scope::All) => format!("calls like `{subject}`"),
        ("", Scope::Only(session)) => format!("all calls of session {session}"),
        (subject, Scope::Only(session)) => format!("`{subject}` in session {session}"),
    }
}
