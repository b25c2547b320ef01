//! `hence erase`: the personal values of one subject are gone, wherever they were recorded, and the chain still holds.

use std::io::Write;

use clap::Args;

use hence_core::fact::Fact;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_ledger::{ERASED, Ledger, LedgerError};
use hence_session::CommitRequest;

use super::diagnostics::count;
use super::options::{self, ChangeOptions, EngineOptions, FactOptions, RuleOptions};
use super::{DONE, NO, Outcome, open, output, terminal, time};

/// Erase the personal values of a subject: retract their facts, draw what follows, and destroy their key
///
/// Values of columns that the rules declare `@personal(COLUMN)` are recorded under a key of what is in COLUMN. Without the
/// key, nobody can read them: not in the journal, the fact base, the archive, exports or copies.
#[derive(Debug, Args)]
#[command(after_help = "Example: hence erase user-17")]
#[command(mut_args(options::of_ledger))]
pub(super) struct Erase {
    /// Whose values: what the column holds that `@personal` names
    subject: String,
    #[command(flatten)]
    rules: RuleOptions,
    #[command(flatten)]
    facts: FactOptions,
    #[command(flatten)]
    engine: EngineOptions,
    #[command(flatten)]
    about: ChangeOptions,
}

impl Erase {
    pub(super) fn run(self) -> Outcome {
        self.facts.existing_store("")?;
        let author = self.about.author()?;
        let mut session = open::for_writing(&self.rules, &self.facts, &self.engine, false)?;
        let now = time::of(&session, self.facts.now)?;
        let known = match session.ledger() {
            Some(ledger) => ledger.subject(&self.subject).map_err(open::failure)?,
            None => None,
        };
        let Some((key, facts)) = known else {
            output::note(&match session.ledger().map_or(Ok(false), lacks_keys).map_err(open::failure)? {
                false => format!("the ledger holds no personal value of `{}`", self.subject),
                true => format!(
                    "no key here is of `{}`, and other values are under keys that are not here: put `personal.keys` \
                    back and erase again, or destroy each copy of it",
                    self.subject
                ),
            });
            return Ok(NO);
        };
        let retracted = facts.len();
        let change = CommitRequest {
            assertions: vec![Fact::new(ERASED, [Value::String(Symbol::new(&key))])],
            retractions: facts,
            author,
            source: String::from("erase"),
            note: self.about.note,
            time: time::wall_clock(),
            now,
            expect_tx: self.about.expect_tx,
            ..CommitRequest::default()
        };
        let decided = session.commit(change, false)?;
        if let Some(ledger) = session.ledger() {
            ledger.destroy_erased().map_err(open::failure)?;
        }
        let mut out = terminal::text();
        writeln!(
            out,
            "the key {key} is destroyed; {} retracted, {} drawn, {} lapsed",
            count(retracted, "fact"),
            count(decided.drawn.len(), "decision"),
            decided.lapsed.len()
        )?;
        if let Some(committed) = decided.committed {
            writeln!(out, "recorded as transaction {}, head {}", committed.tx, committed.head)?;
        }
        Ok(DONE)
    }
}

/// Whether facts stand that are under keys which aren't here.
fn lacks_keys(ledger: &Ledger) -> Result<bool, LedgerError> {
    let mut relations = ledger.personal()?.keys();
    relations.try_fold(false, |lacks, relation| Ok(lacks || ledger.has_unreadable(*relation)?))
}
