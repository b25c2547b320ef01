//! `hence status`, `verify`, `rebuild`, `export`, `import`: keeping a ledger.

use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::ledger::{Hash, Ledger, OpenOptions};
use crate::literal;
use crate::session::{RuleSource, Session};

use super::diagnostics::count;
use super::options::{EngineOptions, FactOptions};
use super::replay::{replay, text};
use super::{DONE, Failure, NO, Outcome, open, output};

/// Show a ledger at a glance: transactions, facts, decisions, size, head
#[derive(Debug, Args)]
#[command(after_help = "Example: hence status")]
pub(super) struct Status {
    #[command(flatten)]
    facts: FactOptions,
}

impl Status {
    pub(super) fn run(self) -> Outcome {
        let ledger = open::ledger(&self.facts, true)?;
        let status = ledger.status().map_err(open::failure)?;
        let mut out = anstream::stdout().lock();
        writeln!(out, "ledger        {}", self.facts.store().display())?;
        writeln!(out, "transactions  {}", status.transactions)?;
        if let Some(time) = status.time {
            writeln!(out, "last          {}", literal::time_text(time))?;
        }
        writeln!(out, "facts         {}", status.facts)?;
        writeln!(out, "decisions     {}", status.decisions)?;
        writeln!(out, "journal       {} KiB", status.journal_bytes.div_ceil(1024))?;
        writeln!(out, "base          up to transaction {}", status.base_tx)?;
        writeln!(out, "head          {}", status.head)?;
        if let Some(why) = status.stopped {
            writeln!(out, "stopped       {why}")?;
        }
        Ok(DONE)
    }
}

/// Prove a ledger: its chain, its base against its journal, and every decision drawn again
#[derive(Debug, Args)]
#[command(after_help = "Example: hence verify --head HASH")]
pub(super) struct Verify {
    #[command(flatten)]
    facts: FactOptions,
    #[command(flatten)]
    engine: EngineOptions,
    /// A head that somebody wrote down: it must stand in the chain
    #[arg(long, value_name = "HASH")]
    head: Option<String>,
    /// Leave decisions as they are recorded
    #[arg(long)]
    no_replay: bool,
}

impl Verify {
    pub(super) fn run(self) -> Outcome {
        let ledger = open::ledger(&self.facts, true)?;
        let verified = ledger.verify().map_err(open::failure)?;
        let mut out = anstream::stdout();
        writeln!(
            out,
            "the chain of {} holds: {}, {}, head {}",
            count(verified.transactions as usize, "transaction"),
            count(verified.facts as usize, "fact"),
            count(verified.decisions as usize, "decision"),
            verified.head
        )?;
        for difference in &verified.differences {
            writeln!(out, "difference: {difference}")?;
        }
        let mut sound = verified.differences.is_empty() && self.head_stands(&ledger)?;
        if !self.no_replay {
            let last = ledger.last_tx();
            let rules = RuleSource::default().build()?;
            let session = Session::over_ledger(rules, ledger)
                .with_engine(self.engine.engine())
                .with_limits(self.engine.limits())
                .with_lenient(self.engine.lenient());
            let replayed = replay(&session, None, 1, last)?;
            write!(out, "{}", text(&replayed))?;
            sound &= replayed.flips.is_empty();
        }
        Ok(if sound { DONE } else { NO })
    }

    /// Whether the head that was written down stands in the chain.
    fn head_stands(&self, ledger: &Ledger) -> Result<bool, Failure> {
        let Some(text) = &self.head else { return Ok(true) };
        let hash = Hash::parse(text)
            .ok_or_else(|| Failure::Usage(format!("`{text}` is no hash; expected 64 hexadecimal digits")))?;
        match ledger.tx_of(hash).map_err(open::failure)? {
            Some(tx) => writeln!(anstream::stdout(), "head {hash} is that of transaction {tx}")?,
            None => {
                output::error(&format!(
                    "head {hash} is not in this ledger: its end was cut off, or it is another one"
                ));
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Write the base of a ledger anew from its journal
#[derive(Debug, Args)]
#[command(after_help = "Example: hence rebuild --store .hence")]
pub(super) struct Rebuild {
    #[command(flatten)]
    facts: FactOptions,
}

impl Rebuild {
    pub(super) fn run(self) -> Outcome {
        if !self.facts.store().exists() {
            return Err(Failure::Usage(format!("there is no ledger at `{}`", self.facts.store().display())));
        }
        let options = OpenOptions { rebuild: true, ..open::options() };
        let mut ledger = Ledger::open(self.facts.store(), &options).map_err(open::failure)?;
        open::warn(&mut ledger);
        let status = ledger.status().map_err(open::failure)?;
        let transactions = count(status.transactions as usize, "transaction");
        writeln!(anstream::stdout(), "the base is rebuilt from {transactions}, head {}", status.head)?;
        Ok(DONE)
    }
}

/// What is exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ExportFormat {
    /// The transactions, one a line, for `hence import`.
    Transactions,
    /// The facts that stand, as JSON Lines.
    Jsonl,
    /// The facts that stand, as a rule file.
    Dl,
}

/// Write a ledger's transactions or facts to standard output or a file
#[derive(Debug, Args)]
#[command(after_help = "Example: hence export --output backup.jsonl")]
pub(super) struct Export {
    #[command(flatten)]
    facts: FactOptions,
    /// What is exported, and how
    #[arg(long, value_enum, default_value = "transactions")]
    format: ExportFormat,
    /// The file [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Export {
    pub(super) fn run(self) -> Outcome {
        let ledger = open::ledger(&self.facts, true)?;
        let mut out: Box<dyn Write> = match &self.output {
            Some(path) => Box::new(BufWriter::new(create(path)?)),
            None => Box::new(anstream::stdout().lock()),
        };
        let written = match self.format {
            ExportFormat::Transactions => {
                let number = ledger.export(1..=u64::MAX, &mut out).map_err(open::failure)?;
                count(number as usize, "transaction")
            }
            ExportFormat::Jsonl | ExportFormat::Dl => count(self.facts_to(&ledger, &mut out)?, "fact"),
        };
        out.flush()?;
        if let Some(path) = &self.output {
            output::note(&format!("{written} written to {}", path.display()));
        }
        Ok(DONE)
    }

    fn facts_to(&self, ledger: &Ledger, out: &mut dyn Write) -> Result<usize, Failure> {
        let mut written = 0;
        for relation in ledger.all_relations().collect::<std::collections::BTreeSet<_>>() {
            for fact in ledger.facts(relation) {
                let (fact, _) = fact.map_err(open::failure)?;
                match self.format {
                    ExportFormat::Dl => writeln!(out, "{fact}.")?,
                    _ => writeln!(out, "{}", output::spaced(&output::json_fact(&fact)))?,
                }
                written += 1;
            }
        }
        Ok(written)
    }
}

fn create(path: &PathBuf) -> Result<File, Failure> {
    File::create(path)
        .map_err(|error| Failure::Usage(format!("`{}` can't be written: {error}", path.display())))
}

/// Append the transactions that `hence export` wrote, hashes checked
#[derive(Debug, Args)]
#[command(after_help = "Example: hence import backup.jsonl --store restored")]
pub(super) struct Import {
    /// The file
    file: PathBuf,
    #[command(flatten)]
    facts: FactOptions,
}

impl Import {
    pub(super) fn run(self) -> Outcome {
        let file = File::open(&self.file)
            .map_err(|error| Failure::Usage(format!("`{}` can't be read: {error}", self.file.display())))?;
        let mut ledger = open::ledger(&self.facts, false)?;
        let number = ledger.import(&mut BufReader::new(file)).map_err(open::failure)?;
        let transactions = count(number as usize, "transaction");
        writeln!(anstream::stdout(), "{transactions} imported, head {}", ledger.head())?;
        Ok(DONE)
    }
}
