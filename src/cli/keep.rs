//! `hence status`, `verify`, `rebuild`, `compact`, `import`: keeping a ledger.

use std::io::{BufReader, Write};
use std::path::PathBuf;

use clap::Args;

use hence::session::{self, Admission, Audit, RuleSet, Session, SessionError, Untrusted};
use hence_core::file;
use hence_core::literal;
use hence_core::symbol::Symbol;
use hence_ledger::{Hash, ImportedFacts, Ledger, LedgerError, OpenOptions, When};

use super::diagnostics::count;
use super::options::{self, EngineOptions, FactOptions, RuleOptions};
use super::{DONE, Failure, NO, Outcome, config, head, open, output, owner, progress, terminal, time};

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
                writeln!(out, "base          up to transaction {tx}, {size} KiB")?;
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
            writeln!(out, "archived      transactions 1 to {last} in {}", path.display())?;
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
fn untrusted(ledger: &Ledger) -> Result<Vec<Untrusted>, Failure> {
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
fn undeclared(ledger: &Ledger) -> Result<Vec<(Symbol, u64)>, Failure> {
    let last = ledger.last_where(|info| info.rules.is_some()).map_err(open::failure)?;
    let Some(hash) = last.and_then(|info| info.rules) else { return Ok(Vec::new()) };
    let Some(recorded) = ledger.rules(hash).map_err(open::failure)? else { return Ok(Vec::new()) };
    Ok(session::undeclared(&RuleSet::from_recorded(&recorded)?, ledger))
}

/// Verify a ledger: its chain, its base against its journal, and every decision drawn again
#[derive(Debug, Args)]
#[command(after_help = "Example: hence verify --head HASH")]
pub(super) struct Verify {
    #[command(flatten)]
    facts: FactOptions,
    #[command(flatten)]
    engine: EngineOptions,
    /// A head noted earlier, which must be in the chain
    #[arg(long, value_name = "HASH")]
    head: Option<String>,
    /// The file of a note of `hence head`: what it names must be what the ledger began with
    #[arg(long, value_name = "NOTE")]
    since: Option<PathBuf>,
    /// Don't draw decisions again
    #[arg(long)]
    no_replay: bool,
}

impl Verify {
    /// Damage is a difference, and its place is told.
    pub(super) fn run(self) -> Outcome {
        match self.prove() {
            Err(Failure::Session(SessionError::Ledger(
                damage @ (LedgerError::Damaged { .. } | LedgerError::NotAsLeft { .. }),
            ))) => {
                output::error(&damage.to_string());
                Ok(NO)
            }
            proven => proven,
        }
    }

    fn prove(self) -> Outcome {
        let ledger = open::settled(&self.facts)?;
        let mut at = 0;
        let verified = ledger.verify_each(&mut |tx| at = tx).map_err(SessionError::Ledger);
        let verified = verified.inspect_err(|error| progress::note_reached(error, at, ledger.last_tx()))?;
        let mut out = terminal::text();
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
        if let Some((last, proven)) = verified.archived {
            let transactions = match last {
                1 => String::from("transaction 1"),
                _ => format!("transactions 1 to {last}"),
            };
            let how = if proven {
                "verified against their archived segments"
            } else {
                "their segments are not in the archive"
            };
            writeln!(out, "a snapshot replaces {transactions}; {how}")?;
        }
        open::warn_of_undeclared_in(&undeclared(&ledger)?, "the rules of the last decisions");
        let mut sound = verified.differences.is_empty();
        sound &= self.head_stands(&ledger)? & self.goes_on(&ledger)?;
        let since = ledger.principals().map_err(open::failure)?.since();
        let forged = |found: &Untrusted| since.is_some_and(|since| since <= found.tx);
        for Untrusted { fact, why, .. } in untrusted(&ledger)?.into_iter().filter(forged) {
            writeln!(out, "difference: {fact} is not there for the rules: {why}")?;
            sound = false;
        }
        if !self.no_replay {
            let last = ledger.last_tx();
            sound &= match (verified.archived, ledger.whole_history().map_err(open::failure)?) {
                (Some(_), Some(whole)) => self.audit(&whole, 1, last)?,
                (Some((end, _)), None) => {
                    writeln!(out, "the decisions of transactions 1 to {end} were not drawn again")?;
                    self.audit(&ledger, end + 1, last)?
                }
                (None, _) => self.audit(&ledger, 1, last)?,
            };
        }
        Ok(if sound { DONE } else { NO })
    }

    /// Draws every decision again and tells what differs from the record; whether nothing is wrong.
    fn audit(&self, ledger: &Ledger, from: u64, to: u64) -> Result<bool, Failure> {
        let (engine, limits) = (self.engine.engine(), self.engine.limits());
        let lenient = self.engine.lenient()?;
        let audit = Audit { ledger, from, to, engine: engine.as_ref(), limits, lenient };
        let (bar, mut written, mut at) = (indicatif::ProgressBar::new(to), Ok(()), from);
        let mut reached = |tx| {
            at = tx;
            bar.set_position(tx);
        };
        let audited = audit.run(&mut reached, &mut |finding| {
            let word = if finding.what.is_lie() { "error" } else { "note" };
            written = bar.suspend(|| writeln!(terminal::text(), "{word}: {finding}"));
            written.is_ok()
        });
        bar.finish_and_clear();
        written?;
        let audited = audited.inspect_err(|error| progress::note_reached(error, at, to))?;
        let found = match (audited.faults, audited.open) {
            (0, 0) => String::from("each as recorded"),
            (0, open) => {
                format!("as recorded, but for {} that can't be told", count(open as usize, "difference"))
            }
            (faults, _) => count(faults as usize, "error"),
        };
        let transactions = count(audited.evaluated as usize, "transaction");
        let decisions = count(audited.decisions as usize, "decision");
        writeln!(terminal::text(), "{transactions} drawn again, {decisions} in all: {found}")?;
        Ok(audited.faults == 0)
    }

    /// Whether the ledger goes on from the note that was kept, and who signed that.
    fn goes_on(&self, ledger: &Ledger) -> Result<bool, Failure> {
        let Some(path) = &self.since else { return Ok(true) };
        let note = head::read_note(path)?;
        let (size, last) = (note.checkpoint.size, ledger.last_tx());
        let path = path.display();
        if size > last {
            output::error(&format!(
                "the note `{path}` is of {size} transactions, and the ledger has {last}: it was truncated"
            ));
            return Ok(false);
        }
        let tree = ledger.tree().map_err(open::failure)?;
        if size == 0 || ledger.checkpoint(&tree, size).map_err(open::failure)? != note.checkpoint {
            output::error(&format!(
                "the note `{path}` is of another history: the ledger was rewritten, or is another one"
            ));
            return Ok(false);
        }
        let known = ledger.principals().map_err(open::failure)?.list(size);
        let by: Vec<&str> =
            known.iter().filter(|one| note.is_by(one.key)).map(|one| one.name.as_str()).collect();
        if note.is_signed() && by.is_empty() {
            output::error(&format!("the note `{path}` is signed by no principal of then"));
            return Ok(false);
        }
        let signed = if by.is_empty() {
            String::from("nobody signed it")
        } else {
            format!("signed by {}", by.join(", "))
        };
        writeln!(
            terminal::text(),
            "the ledger goes on from the note of {}; {signed}",
            count(size as usize, "transaction")
        )?;
        Ok(true)
    }

    /// Whether the head that was written down stands in the chain.
    fn head_stands(&self, ledger: &Ledger) -> Result<bool, Failure> {
        let Some(text) = &self.head else { return Ok(true) };
        let hash = parsed(text)?;
        match ledger.tx_of(hash).map_err(open::failure)? {
            Some(tx) => writeln!(terminal::text(), "head {hash} is that of transaction {tx}")?,
            None => {
                output::error(&format!(
                    "head {hash} is not in this ledger: the ledger was truncated, or is another one"
                ));
                return Ok(false);
            }
        }
        Ok(true)
    }
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
        let head = self.head.as_deref().map(parsed).transpose()?;
        let file = file::open(&self.file).map_err(|error| {
            Failure::Usage(format!("`{}` can't be read: {}", self.file.display(), file::said(&error)))
        })?;
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

fn parsed(text: &str) -> Result<Hash, Failure> {
    Hash::parse(text)
        .ok_or_else(|| Failure::Usage(format!("`{text}` is not a hash; expected 64 hexadecimal digits")))
}
