//! `hence migrate`: recorded facts carried over to the columns that the rules declare now.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use hence_core::file;
use hence_session::{Migrated, Migration, SessionError};

use super::diagnostics::count;
use super::options::{ChangeOptions, EngineOptions, FactOptions, RuleOptions};
use super::{DONE, Failure, Outcome, config, open, terminal, time};

/// Carry recorded facts over to the columns that the rules declare now: shows the changes; --apply records them
///
/// The rules of FILE read the facts as they were recorded (`old.forbid(tool: Tool)`) and write inputs of the rules
/// (`forbid(Tool, "none given") :- old.forbid(tool: Tool).`). All recorded facts of what they write are retracted, and
/// what they derive is asserted, in one transaction; so are the facts that they read of relations that are no longer
/// inputs. Earlier history stays readable under its own columns.
#[derive(Debug, Args)]
#[command(after_help = "Example: hence migrate forbid_v2.dl --apply --note 'every ban has a reason'")]
pub(super) struct Migrate {
    /// The rules of the migration
    file: PathBuf,
    /// Record the changes instead of showing them
    #[arg(long)]
    apply: bool,
    /// Drop the facts that no rule carries over
    #[arg(long)]
    drop: bool,
    /// Show every fact, not only the first few
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    rules: RuleOptions,
    #[command(flatten)]
    facts: FactOptions,
    #[command(flatten)]
    engine: EngineOptions,
    #[command(flatten)]
    about: ChangeOptions,
}

/// How many facts of each relation are shown.
const SHOWN: usize = 10;

impl Migrate {
    pub(super) fn run(self) -> Outcome {
        if !self.facts.files().is_empty() {
            return Err(Failure::Usage(String::from("`migrate` reads a ledger, but --facts names files")));
        }
        let rules = self.rules.source_beside(Some(&self.file)).build()?;
        let name = self.file.display().to_string();
        let text = file::read_text(&self.file, file::LARGEST_TEXT)
            .map_err(|source| SessionError::Read { path: self.file.clone(), source })?;
        self.facts.existing_store("")?;
        let mut ledger = open::ledger(&self.facts, !self.apply)?;
        let (engine, limits) = (self.engine.engine(), self.engine.limits());
        let migration =
            Migration::new(&rules, &ledger, (&name, &text), self.facts.now(), (engine.as_ref(), &limits))?;
        self.show(&migration)?;
        let left = migration.left();
        if left > 0 && !self.drop {
            let facts = count(left, "recorded fact");
            let message =
                format!("no rule of `{name}` carries {facts} over; add a rule, or drop them with --drop");
            return Err(Failure::Usage(message));
        }
        let mut out = terminal::text();
        if !self.apply {
            writeln!(out, "nothing was recorded; --apply records it")?;
            return Ok(DONE);
        }
        let mut draft = migration.draft();
        draft.time = time::wall_clock();
        draft.author = self.about.author()?;
        draft.note.clone_from(&self.about.note);
        config::get().roles().check_carried((&rules, &ledger), &draft.author, &draft.assertions)?;
        draft.expect_tx = self.about.expect_tx;
        let committed = ledger.commit(&draft).map_err(open::failure)?;
        open::show_notices(&ledger.close());
        if committed.recorded {
            writeln!(out, "recorded as transaction {}, head {}", committed.tx, committed.head)?;
        } else {
            writeln!(out, "nothing to record")?;
        }
        Ok(DONE)
    }

    fn show(&self, migration: &Migration) -> Result<(), Failure> {
        let mut out = terminal::text();
        for (relation, migrated) in &migration.relations {
            let Migrated { recorded, declared, retracted, asserted, redacted, left } = migrated;
            match (recorded, declared) {
                (Some(recorded), Some(declared)) => writeln!(out, "{recorded} becomes {declared}")?,
                (Some(recorded), None) => writeln!(out, "{recorded} is no longer an input")?,
                (None, Some(declared)) => writeln!(out, "{declared} has no recorded facts")?,
                (None, None) => writeln!(out, "{relation}")?,
            }
            self.facts(&mut out, "- old.", retracted)?;
            self.facts(&mut out, "+ ", asserted)?;
            let (gone, come) = (count(retracted.len(), "fact"), count(asserted.len(), "fact"));
            let lost = match left.len() {
                0 => String::new(),
                left => format!(", {left} not carried over by any rule"),
            };
            let without = match redacted {
                0 => String::new(),
                _ => format!(", {redacted} redacted by `[redact]`"),
            };
            writeln!(out, "    {gone} retracted{lost}; {come} asserted{without}")?;
            if !left.is_empty() {
                writeln!(out, "    not carried over by any rule:")?;
                self.facts(&mut out, "old.", left)?;
            }
        }
        out.flush().map_err(Failure::from)
    }

    fn facts(
        &self,
        out: &mut impl Write,
        before: &str,
        facts: &[hence_core::fact::Fact],
    ) -> std::io::Result<()> {
        let shown = if self.all { facts.len() } else { SHOWN };
        for fact in facts.iter().take(shown) {
            writeln!(out, "    {before}{fact}")?;
        }
        match facts.len().saturating_sub(shown) {
            0 => Ok(()),
            more => writeln!(out, "    … and {more} more (--all shows them)"),
        }
    }
}
