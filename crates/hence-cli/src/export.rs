//! `hence export`: the transactions of a ledger, the facts that stand or stood, or the log of decisions.

#[cfg(feature = "parquet")]
mod columns;
mod decisions;
mod otlp;
mod target;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use hence_core::file;
use hence_core::literal;
use hence_core::symbol::Symbol;
use hence_core::whole_file::WholeFile;
use hence_ledger::{Ledger, When, is_reserved};
use hence_session::{Listing, RuleSet};

use super::diagnostics::count;
use super::options::{FactOptions, RuleOptions, limit, moment};
use super::past::refuse_future;
use super::records::Records;
use super::{DONE, Failure, Outcome, open, output};
use decisions::{Events, Folder, Sink};
use target::{Target, is_stream};

/// What to export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ExportFormat {
    /// The transactions, one per line, for `hence import`.
    Transactions,
    /// The current facts, as JSON Lines.
    Jsonl,
    /// The current facts, as CSV, one file per relation.
    Csv,
    /// The current facts, as a rule file.
    Dl,
    /// The log of decisions, as JSON Lines.
    Decisions,
    /// The log of decisions, as OpenTelemetry logs: requests of the OTLP exporter in JSON, one per line.
    Otlp,
    /// The log of decisions, as Apache Parquet: a row per event.
    #[cfg(feature = "parquet")]
    Parquet,
}

/// Begins to write a file of decisions.
type Begin = fn(File) -> Result<Box<dyn Sink>, Failure>;

impl ExportFormat {
    /// How the files of a folder of decisions end, and what writes one.
    fn batches(self) -> (&'static str, Begin) {
        match self {
            #[cfg(feature = "parquet")]
            Self::Parquet => ("parquet", columns::rows),
            Self::Otlp => ("otlp.jsonl", otlp::requests),
            _ => ("jsonl", decisions::lines),
        }
    }
}

/// Write a ledger's transactions, facts or decisions to standard output or a file
///
/// The log of decisions can go to a folder: a file per batch of transactions, and the next run goes on after the last
/// one. `export.mask` of hence.toml says which columns it leaves out.
#[derive(Debug, Args)]
#[command(after_help = "Example: hence export --output backup.jsonl")]
pub(super) struct Export {
    #[command(flatten)]
    rules: RuleOptions,
    #[command(flatten)]
    facts: FactOptions,
    /// What to export, and its format
    #[arg(long, value_enum, default_value = "transactions")]
    format: ExportFormat,
    /// How many transactions a file of a folder of decisions is of
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = limit)]
    batch: u64,
    /// Only facts or decisions of this relation
    #[arg(long, value_name = "NAME")]
    relation: Vec<String>,
    /// Facts as of a past moment: the number of a transaction, or a time
    #[arg(long, value_name = "TX|TIME", value_parser = moment, allow_negative_numbers = true)]
    as_of: Option<When>,
    /// The file; for CSV a file that ends in .csv, or a folder for one file per relation; for decisions a
    /// file, or without an ending a folder [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Export {
    pub(super) fn run(self) -> Outcome {
        let ledger = open::ledger(&self.facts, true)?;
        refuse_future(&ledger, self.when(), "omit --as-of for the current state")?;
        match self.format {
            ExportFormat::Transactions => self.transactions(&ledger)?,
            ExportFormat::Csv => self.csv(&ledger)?,
            ExportFormat::Jsonl | ExportFormat::Dl => self.lines(&ledger)?,
            ExportFormat::Decisions | ExportFormat::Otlp => self.decisions(&ledger)?,
            #[cfg(feature = "parquet")]
            ExportFormat::Parquet => self.decisions(&ledger)?,
        }
        Ok(DONE)
    }

    fn target(&self) -> Result<Target, Failure> {
        Target::of(self.output.as_deref())
    }

    fn transactions(&self, ledger: &Ledger) -> Result<(), Failure> {
        if self.as_of.is_some() || !self.relation.is_empty() {
            let message =
                "--as-of and --relation choose facts; add --format jsonl, csv or dl, or use --up-to";
            return Err(Failure::Usage(String::from(message)));
        }
        let target = self.target()?;
        let mut out = BufWriter::new(target.json()?);
        let number = ledger.export(1..=u64::MAX, &mut out).map_err(open::failure)?;
        out.flush()?;
        target.end(&count(number as usize, "transaction"))
    }

    fn decisions(&self, ledger: &Ledger) -> Result<(), Failure> {
        if self.as_of.is_some() {
            let message = "--as-of chooses facts; use --up-to for the log of decisions up to a transaction";
            return Err(Failure::Usage(String::from(message)));
        }
        let rules = self.rules.source().build().ok();
        let mut events = Events::new(ledger, &self.relation, rules.as_ref())?;
        if let Some(path) = self
            .output
            .as_deref()
            .filter(|path| path.extension().is_none() && (path.is_dir() || !path.exists()))
        {
            let (ending, sink) = self.format.batches();
            let number = Folder { path, ending, batch: self.batch, sink }.fill(&mut events)?;
            output::aside(&format!("{} written to {}", count(number, "event"), path.display()));
            return Ok(());
        }
        let target = self.target()?;
        let mut sink = self.sink(&target)?;
        let number = events.each(1..=u64::MAX, sink.as_mut())?;
        sink.end()?;
        target.end(&count(number, "event"))
    }

    /// What writes the log of decisions to one file.
    fn sink(&self, target: &Target) -> Result<Box<dyn Sink>, Failure> {
        let sink: Box<dyn Sink> = match self.format {
            #[cfg(feature = "parquet")]
            ExportFormat::Parquet => {
                let message = "parquet is no text: name a file or a folder with --output";
                columns::rows(target.file()?.ok_or_else(|| Failure::Usage(String::from(message)))?)?
            }
            ExportFormat::Otlp => Box::new(otlp::Requests::new(BufWriter::new(target.json()?))),
            _ => Box::new(decisions::Lines(BufWriter::new(target.json()?))),
        };
        Ok(sink)
    }

    fn lines(&self, ledger: &Ledger) -> Result<(), Failure> {
        let target = self.target()?;
        let mut out: Box<dyn Write> = match self.format {
            ExportFormat::Dl => target.bytes()?,
            _ => Box::new(BufWriter::new(target.json()?)),
        };
        let mut written = 0;
        let rules = self.columns()?;
        let relations = self.relations(ledger)?;
        self.warn_of_personal(ledger, &relations)?;
        for relation in relations {
            let listing =
                Listing::new(rules.as_ref(), ledger, relation, self.when()).map_err(open::failure)?;
            for fact in ledger.facts_at(relation, self.when()).map_err(open::failure)? {
                let fact = listing.fact(fact.map_err(open::failure)?.0);
                match self.format {
                    ExportFormat::Dl => writeln!(out, "{fact}.")?,
                    _ => writeln!(out, "{}", output::spaced(&output::json_fact(&fact)))?,
                }
                written += 1;
            }
        }
        out.flush()?;
        target.end(&count(written, "fact"))
    }

    fn csv(&self, ledger: &Ledger) -> Result<(), Failure> {
        let rules = self.columns()?;
        let relations = self.relations(ledger)?;
        for relation in &relations {
            let first = ledger.facts_at(*relation, self.when()).map_err(open::failure)?.next();
            if first.transpose().map_err(open::failure)?.is_some_and(|(fact, _)| fact.values.is_empty()) {
                let message = format!(
                    "`{relation}` has no columns, so a table can't contain its fact; use `--format jsonl`"
                );
                return Err(Failure::Usage(message));
            }
        }
        self.warn_of_personal(ledger, &relations)?;
        match (&self.output, relations.as_slice()) {
            (None, [one]) => {
                self.table(ledger, rules.as_ref(), *one, Records::out())?;
            }
            (None, _) => {
                let message =
                    "CSV contains one relation: name it with --relation, or name a folder with --output";
                return Err(Failure::Usage(String::from(message)));
            }
            (Some(path), [one]) if path.extension().is_some_and(|end| end == "csv") || is_stream(path) => {
                let target = self.target()?;
                let written = self.table(ledger, rules.as_ref(), *one, target.records()?)?;
                target.end(&count(written, "fact"))?;
            }
            (Some(folder), _) => {
                let mut written = 0;
                std::fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
                elsewhere(folder, folder)?;
                for relation in relations {
                    written += self.file(ledger, rules.as_ref(), relation, folder)?;
                }
                output::aside(&format!("{} written to {}", count(written, "fact"), folder.display()));
            }
        }
        Ok(())
    }

    /// The file of one relation. It gets its name when it is whole, so that nothing is written to where a link leads.
    fn file(
        &self,
        ledger: &Ledger,
        rules: Option<&RuleSet>,
        relation: Symbol,
        folder: &Path,
    ) -> Result<usize, Failure> {
        if !literal::is_identifier(relation.as_str()) {
            let name = relation.as_str().escape_debug();
            let message = format!(
                "`{name}` is not a relation name and can't name a file; `hence verify` shows where it comes from"
            );
            return Err(Failure::Usage(message));
        }
        let path = folder.join(format!("{relation}.csv"));
        let failed = |error| unwritable(&path, &error);
        let file = WholeFile::create(&path).map_err(failed)?;
        let records = Records::into(Box::new(file.file().map_err(failed)?));
        let written = self.table(ledger, rules, relation, records)?;
        file.finish().map_err(failed)?;
        Ok(written)
    }

    /// One relation under a header of its columns, by number where the rules don't know it.
    fn table(
        &self,
        ledger: &Ledger,
        rules: Option<&RuleSet>,
        relation: Symbol,
        mut out: Records,
    ) -> Result<usize, Failure> {
        let listing = Listing::new(rules, ledger, relation, self.when()).map_err(open::failure)?;
        let mut header: Vec<String> = listing.columns.iter().map(ToString::to_string).collect();
        let mut written = 0;
        for fact in ledger.facts_at(relation, self.when()).map_err(open::failure)? {
            let fact = listing.fact(fact.map_err(open::failure)?.0);
            if written == 0 {
                if header.is_empty() {
                    header = (1..=fact.values.len()).map(|at| format!("c{at}")).collect();
                }
                out.write(&header)?;
            }
            out.write(fact.values.iter().map(|value| value.text()))?;
            written += 1;
        }
        out.end()?;
        Ok(written)
    }

    /// The rules that say in which columns facts are written. What is recorded can be had whatever the rules are, but
    /// not unsaid.
    fn columns(&self) -> Result<Option<RuleSet>, Failure> {
        match self.rules.source().build() {
            Ok(rules) => Ok(Some(rules)),
            Err(error) if self.rules.is_named() => Err(error.into()),
            Err(_) => {
                let look = self.rules.command("check");
                output::warning(&format!(
                    "the rules have errors (`{look}` shows them): columns are as recorded"
                ));
                Ok(None)
            }
        }
    }

    fn when(&self) -> When {
        self.as_of.unwrap_or(When::Now)
    }

    /// Says which personal values leave the ledger.
    fn warn_of_personal(&self, ledger: &Ledger, relations: &[Symbol]) -> Result<(), Failure> {
        let personal = ledger.personal().map_err(open::failure)?;
        let named: Vec<String> = relations
            .iter()
            .filter(|name| personal.contains_key(name))
            .map(|name| format!("`{name}`"))
            .collect();
        if !named.is_empty() {
            output::warning(&format!(
                "personal values of {} leave the ledger: `hence erase` does not reach them there",
                named.join(", ")
            ));
        }
        Ok(())
    }

    /// The relations asked for, else those of rules that hold a fact at that moment, by name.
    fn relations(&self, ledger: &Ledger) -> Result<Vec<Symbol>, Failure> {
        if !self.relation.is_empty() {
            let named: Vec<Symbol> = self.relation.iter().map(|name| Symbol::new(name)).collect();
            let mut known = named.iter();
            known.try_for_each(|relation| open::may_have_facts(ledger, &self.rules, *relation))?;
            return Ok(named);
        }
        let mut relations = Vec::new();
        // What hence itself keeps is read by no rules; the transactions hold it.
        for relation in ledger.all_relations().filter(|relation| !is_reserved(*relation)) {
            if ledger.facts_at(relation, self.when()).map_err(open::failure)?.next().is_some() {
                relations.push(relation);
            }
        }
        relations.sort();
        Ok(relations)
    }
}

/// Checks that what `path` leads to, `place`, is not part of a ledger.
fn elsewhere(path: &Path, place: &Path) -> Result<(), Failure> {
    let place = place.canonicalize().map_err(|error| unwritable(path, &error))?;
    let is_ledger = |folder: &Path| folder.join("FORMAT").is_file() && folder.join("journal").is_dir();
    if place.ancestors().any(is_ledger) {
        return Err(Failure::Usage(format!("`{}` is inside a ledger; choose another place", path.display())));
    }
    Ok(())
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Usage(file::unwritten(path, error))
}
