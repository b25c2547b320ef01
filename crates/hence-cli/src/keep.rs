//! `hence status`, `rebuild`, `compact`, `import`: keeping a ledger.

use std::io::{BufReader, Write};
use std::path::PathBuf;

use clap::Args;

use hence_core::file;
use hence_core::literal;
use hence_core::symbol::Symbol;
use hence_ledger::{ImportedFacts, Ledger, OpenOptions, When};
use hence_session::{Admission, RuleSet, Session, Untrusted};

use super::diagnostics::count;
use super::options::{self, FactOptions, RuleOptions};
use super::verify::hash;
use super::{DONE, Failure, Outcome, config, open, output, owner, progress, terminal, time};

/// Show a ledger at a glance: transactions, facts, decisions, size, head
#[derive(Debug, Args)]
#[command(after_help = "Example: hence status")]
pub(super) struct Status {
    #[command(flatten)]
    facts: FactOptions,
}

impl Status {
    pub(super) fn run(self) -> Outcome {
        let ledger = open::settled(&self.facts)?;
        let status = ledger.status().map_err(open::failure)?;
        let mut out = terminal::text();
        let config = config::get();
        writeln!(out, "ledger        {} ({})", self.facts.store().display(), self.facts.store_origin())?;
        writeln!(out, "rules         {} ({})", rules(), config.origin("rules"))?;
        if let Some(authors) = config.authors() {
            writeln!(out, "authors       {} ({})", authors.join(", "), config.origin("authors"))?;
        }
        writeln!(out, "strength      {}", strength(&ledger)?)?;
        writeln!(out, "transactions  {}", status.transactions)?;
        if let Some(time) = status.time {
            writeln!(out, "last          {}", literal::time_text(time))?;
        }
        writeln!(out, "facts         {}", status.facts)?;
        writeln!(out, "decisions     {}", status.decisions)?;
        let decided = ledger.last_where(|info| info.drawn + info.lapsed > 0).map_err(open::failure)?;
        if let Some(info) = decided {
            writeln!(out, "decided       transaction {} at {}", info.tx, literal::time_text(info.time))?;
        }
        let clocked = ledger.last_where(|info| info.clock.is_some()).map_err(open::failure)?;
        if let Some((tx, clock)) = clocked.and_then(|info| Some((info.tx, info.clock?))) {
            writeln!(out, "clock         {} in transaction {tx}", literal::time_text(clock))?;
        }
        writeln!(out, "journal       {} KiB", status.journal_bytes.div_ceil(1024))?;
        match status.base_tx {
            Some(tx) => {
                let size = status.base_bytes.div_ceil(1024);
                let table = if status.from_table { "its table " } else { "" };
                writeln!(out, "base          {table}up to transaction {tx}, {size} KiB")?;
            }
            None => writeln!(out, "base          not read: the answers come from the journal")?,
        }
        let undeclared = undeclared(&ledger)?;
        if !undeclared.is_empty() {
            writeln!(out, "undeclared    {}", open::named_counts(&undeclared))?;
        }
        for Untrusted { fact, why, .. } in untrusted(&ledger)? {
            writeln!(out, "not there     {fact}: {why}")?;
        }
        if let Some((last, path)) = ledger.archived() {
            let is_here = ledger.has_archive().map_err(open::failure)?;
            let missing = match ledger.salvaged().map_err(open::failure)? {
                Some(salvaged) if salvaged >= last => ", which was set aside",
                _ if is_here => "",
                _ if path.exists() => ", which lacks some of them: restore it to read what ended by then",
                _ => ", which is missing: restore it to read what ended by then",
            };
            writeln!(out, "archived      transactions 1 to {last} in {}{missing}", path.display())?;
        }
        if let Some(last) = ledger.salvaged().map_err(open::failure)? {
            writeln!(out, "salvaged      transactions 1 to {last}, from the fact base")?;
        }
        writeln!(out, "head          {}", status.head)?;
        let health = status.stopped.unwrap_or_else(|| String::from("good"));
        writeln!(out, "health        {health}")?;
        Ok(DONE)
    }
}

/// How surely authors are who they say.
fn strength(ledger: &Ledger) -> Result<String, Failure> {
    let principals = ledger.principals().map_err(open::failure)?;
    let Some(since) = principals.since() else {
        return Ok(String::from("claimed: authors are believed, and have the roles in `[roles]`"));
    };
    let list = principals.list(ledger.last_tx());
    let standing = list.iter().filter(|known| known.revoked.is_none()).count();
    Ok(format!("signed since transaction {since}: {}", count(standing, "principal")))
}

/// The facts that the rules which decided last, or the current ones, don't see.
pub(super) fn untrusted(ledger: &Ledger) -> Result<Vec<Untrusted>, Failure> {
    if !ledger.principals().map_err(open::failure)?.demand_signatures() {
        return Ok(Vec::new());
    }
    let rules = match Session::rules_at(ledger, When::Now)? {
        Some((_, rules)) => rules,
        None => RuleOptions::named(&[], &[], &[]).source().build()?,
    };
    Ok(Session::untrusted(&rules, ledger)?)
}

/// The rules that hold where none are named.
fn rules() -> String {
    let paths = config::get().rules();
    let named =
        paths.iter().map(|path| path.display().to_string()).chain(config::get().packs().iter().cloned());
    let named: Vec<String> = named.collect();
    if named.is_empty() { String::from("the shipped packs") } else { named.join(", ") }
}

/// The recorded relations that the rules which decided last don't declare.
pub(super) fn undeclared(ledger: &Ledger) -> Result<Vec<(Symbol, u64)>, Failure> {
    let last = ledger.last_where(|info| info.rules.is_some()).map_err(open::failure)?;
    let Some(hash) = last.and_then(|info| info.rules) else { return Ok(Vec::new()) };
    let Some(recorded) = ledger.rules(hash).map_err(open::failure)? else { return Ok(Vec::new()) };
    Ok(hence_session::undeclared(&RuleSet::from_recorded(&recorded)?, ledger))
}

/// Rebuild the base of a ledger from its journal
#[derive(Debug, Args)]
#[command(after_help = "Example: hence rebuild --store .hence")]
pub(super) struct Rebuild {
    #[command(flatten)]
    facts: FactOptions,
    /// If the journal is lost: salvage a new one from the base
    #[arg(long)]
    from_base: bool,
    /// The author [default: the system user]
    #[arg(long = "as", value_name = "AUTHOR", requires = "from_base")]
    author: Option<String>,
}

impl Rebuild {
    pub(super) fn run(self) -> Outcome {
        self.facts.existing_store("")?;
        if self.from_base {
            return self.salvage();
        }
        let options = OpenOptions { rebuild: true, ..open::options() };
        let opened = open::write_to(&self.facts.store(), self.facts.wait(), &options);
        progress::clear();
        let mut ledger = opened?;
        open::warn(&mut ledger);
        let status = ledger.status().map_err(open::failure)?;
        let transactions = count(status.transactions as usize, "transaction");
        writeln!(terminal::text(), "the base is rebuilt from {transactions}, head {}", status.head)?;
        Ok(DONE)
    }

    fn salvage(&self) -> Outcome {
        let author = config::get().author(self.author.as_deref())?;
        let store = self.facts.store();
        let salvage = |wait| {
            let options = OpenOptions { wait, ..open::options() };
            Ledger::salvage(&store, time::wall_clock(), &author, &options)
        };
        let opened = owner::among(&store, self.facts.wait(), salvage);
        progress::clear();
        let ((ledger, salvaged), _turn) = opened?;
        open::show_notices(&ledger.close());
        if let Some(tx) = salvaged.lacking {
            output::warning(&format!("the fact base is incomplete from transaction {tx} on"));
        }
        let transactions = count(salvaged.transactions as usize, "transaction");
        let mut out = terminal::text();
        writeln!(out, "{transactions} salvaged; the previous files are in {}", salvaged.aside.display())?;
        writeln!(out, "recorded as transaction {}, head {}", salvaged.tx, salvaged.head)?;
        Ok(DONE)
    }
}

/// Move old segments of the journal to an archive and replace them by a snapshot of the current state
///
/// The archive may be moved elsewhere; `--up-to` reads it only in its original place.
#[derive(Debug, Args)]
#[command(after_help = "Example: hence compact --store .hence")]
pub(super) struct Compact {
    #[command(flatten)]
    facts: FactOptions,
    /// The author [default: the system user]
    #[arg(long = "as", value_name = "AUTHOR")]
    author: Option<String>,
}

impl Compact {
    pub(super) fn run(self) -> Outcome {
        self.facts.existing_store("")?;
        let author = config::get().author(self.author.as_deref())?;
        let mut ledger = open::ledger(&self.facts, false)?;
        let compacted = ledger.compact(time::wall_clock(), &author).map_err(open::failure)?;
        open::show_notices(&ledger.close());
        let mut out = terminal::text();
        let Some(compacted) = compacted else {
            writeln!(out, "nothing was recorded since the last compaction")?;
            return Ok(DONE);
        };
        writeln!(
            out,
            "a snapshot replaces transactions 1 to {}, now in {}: the journal has {} KiB, before {} KiB",
            compacted.last,
            compacted.archive.display(),
            compacted.after.div_ceil(1024),
            compacted.before.div_ceil(1024),
        )?;
        writeln!(out, "recorded as transaction {}, head {}", compacted.tx, compacted.head)?;
        Ok(DONE)
    }
}

/// Append the transactions of an export after checking their hashes
///
/// Transactions already present are skipped, so an interrupted import can be resumed with the same file.
#[derive(Debug, Args)]
#[command(after_help = "Example: hence import backup.jsonl --store restored")]
#[command(mut_args(options::of_ledger))]
pub(super) struct Import {
    /// The file
    file: PathBuf,
    #[command(flatten)]
    facts: FactOptions,
    /// The head that the file must end with; required if the file has no end line
    #[arg(long, value_name = "HASH")]
    head: Option<String>,
}

impl Import {
    pub(super) fn run(self) -> Outcome {
        let head = self.head.as_deref().map(hash).transpose()?;
        let file =
            file::open(&self.file).map_err(|error| Failure::Usage(file::unread(&self.file, &error)))?;
        let mut ledger = open::ledger(&self.facts, false)?;
        let before = ledger.last_tx();
        let roles = config::get().roles();
        let rules = RuleOptions::named(&[], &[], &[]).source().build()?;
        let mut admission = Admission::new(&roles, rules);
        let mut admit = |ledger: &Ledger, facts: &ImportedFacts<'_>| admission.check(ledger, facts);
        let imported = match ledger.import_checked(&mut BufReader::new(file), head, &mut admit) {
            Ok(imported) => imported,
            Err(error) => {
                open::warn(&mut ledger);
                match ledger.last_tx() - before {
                    0 => output::note("nothing was imported"),
                    kept => {
                        let kept = count(kept as usize, "transaction");
                        output::note(&format!("{kept} imported before the error, head {}", ledger.head()));
                    }
                }
                return Err(open::failure(error));
            }
        };
        warn_of_time(&ledger)?;
        let (head, closed) = (ledger.head(), ledger.close());
        open::show_notices(&closed);
        let appended = count(imported.appended as usize, "transaction");
        let there = match imported.there {
            0 => String::new(),
            there => format!(", {there} already present"),
        };
        writeln!(terminal::text(), "{appended} imported{there}, head {head}")?;
        Ok(DONE)
    }
}

/// What is recorded in a ledger is never older than what it holds already.
fn warn_of_time(ledger: &Ledger) -> Result<(), Failure> {
    let last = ledger.status().map_err(open::failure)?.time;
    if let Some(time) = last.filter(|time| *time > time::wall_clock()) {
        let time = literal::time_text(time);
        output::warning(&format!(
            "the last transaction has the time {time}, which is in the future on this machine: until then, \
            new transactions get that time too"
        ));
    }
    Ok(())
}
