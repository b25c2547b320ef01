//! `hence review answer`: an answer by a signed token, which is taken once and until its instant.

use clap::Args;

use hence_actuators::reply::Reply;
use hence_core::value::Value;
use hence_session::Session;

use super::super::carry::ways;
use super::super::{Failure, NO, Outcome, config, open, output, time};
use super::{Answer, Subject, find};

#[derive(Debug, Args)]
pub(super) struct ByToken {
    /// The token, as the button of a card carries it
    token: String,
    /// Why; rules learn from the reason of a rejection
    #[arg(long, value_name = "TEXT", default_value = "")]
    reason: String,
    #[command(flatten)]
    subject: Subject,
}

impl ByToken {
    pub(super) fn run(self) -> Outcome {
        let keys = ways::reply_keys()?;
        if keys.is_empty() {
            return Err(Failure::Usage(String::from(
                "no card of `[carry]` in hence.toml has buttons, so no token is valid; expected `reply_env` or `reply_file`",
            )));
        }
        let Some(reply) = Reply::read(&self.token, keys.iter().map(Vec::as_slice)) else {
            return refused("the token is forged, or its key has changed");
        };
        // A clock that is set back for this run makes no token younger.
        let now = time::wall_clock().max(self.subject.facts.now());
        if now >= reply.until {
            return refused(&format!("the token was valid until {}", Value::Time(reply.until).text()));
        }
        config::get().author(Some(&reply.by))?;
        let Subject { rules, facts, engine } = &self.subject;
        let session = open::for_writing(rules, facts, engine, false)?;
        let source = format!("review by token {}", reply.name());
        if let Some(tx) = used(&session, &source)? {
            return refused(&format!("the token was used already: transaction {tx}"));
        }
        let Self { reason, subject, .. } = self;
        let answer = Answer { id: reply.review, reviewer: reply.by, comment: reason.clone(), subject };
        answer.record(session, find, &source, (reply.is_approved, &reason), &[])
    }
}

fn refused(why: &str) -> Outcome {
    output::error(why);
    Ok(NO)
}

/// The transaction that took an answer.
fn used(session: &Session, source: &str) -> Result<Option<u64>, Failure> {
    let Some(ledger) = session.ledger() else { return Ok(None) };
    let found = ledger.last_where(|info| info.source == source).map_err(open::failure)?;
    Ok(found.map(|info| info.tx))
}
