//! A new chain of transactions out of the fact base, where the journal itself is lost.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hence_core::fact::Fact;
use hence_core::meter;
use hence_core::symbol::Symbol;

use super::Ledger;
use super::base::{self, MemoryBase};
use super::bytes::Reader;
use super::disk::{Disk, MemoryDisk, OsDisk};
use super::error::LedgerError;
use super::hash::Hash;
use super::journal::{ARCHIVE, Journal};
use super::keys;
use super::lock::{Holder, Lock};
use super::open::{BASE, JOURNAL, LOCK, OpenOptions, TABLE, check_format};
use super::read;
use super::redact::Redaction;
use super::rows::{Row, Rows, past_row};
use super::state::State;
use super::transaction::{Decision, Draft, Lapsed, RecordedRules, TxInfo};
use super::tuple;
use super::view::View;

/// The source of the transaction that says that those before it were salvaged.
const SOURCE: &str = "rebuild --from-base";
/// What its note begins with.
const NOTE: &str = "salvaged from the fact base: ";
/// The folder in which the new journal is written.
const NEW: &str = "journal.new";

/// What was salvaged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Salvaged {
    /// How many transactions.
    pub transactions: u64,
    /// The first transaction after which the base doesn't hold all that was recorded.
    pub lacking: Option<u64>,
    /// The transaction that says so, and its hash.
    pub tx: u64,
    /// That transaction's hash, the head of the new chain.
    pub head: Hash,
    /// Where journal, archive and base of before are kept.
    pub aside: PathBuf,
}

/// What a base holds, and how it is read.
struct Held {
    state: State,
    view: View,
}

impl Ledger {
    /// Makes a new journal of what the base in `dir` knows of its transactions, with one more after them that says so,
    /// and opens it. What was there before is set aside.
    ///
    /// # Errors
    /// If the journal can be read, or reaches beyond the base; if the base can't be read; if a file can't be written.
    pub fn salvage(
        dir: impl AsRef<Path>,
        time: i64,
        author: &str,
        options: &OpenOptions,
    ) -> Result<(Self, Salvaged), LedgerError> {
        let dir = dir.as_ref();
        check_format(dir, false)?;
        if !dir.join(BASE).is_dir() {
            return Err(refused(format!("there is no fact base at {}", dir.join(BASE).display())));
        }
        let mut lock = Lock::take(&dir.join(LOCK), &options.redaction.text(&options.command), options.wait)?;
        let done = written(dir, lock.before(), (time, author), options).and_then(|mut salvaged| {
            salvaged.aside = exchange(dir, &mut lock)?;
            let mut ledger = Self::open_locked(dir, options, Holder::default())?;
            // That the new chain had no base yet need not be reported.
            ledger.take_notices();
            Ok((ledger, salvaged))
        });
        match done {
            Ok((mut ledger, salvaged)) => {
                ledger.lock = Some(lock);
                Ok((ledger, salvaged))
            }
            Err(error) => {
                lock.give_back();
                Err(error)
            }
        }
    }

    /// The last transaction that was salvaged from a base; `None` where none was.
    ///
    /// # Errors
    /// If the base can't be read.
    pub fn salvaged(&self) -> Result<Option<u64>, LedgerError> {
        let says = |info: &TxInfo| {
            info.source == SOURCE && info.note.as_ref().is_some_and(|note| note.starts_with(NOTE))
        };
        let silent = |info: &TxInfo| info.added + info.removed + info.drawn + info.lapsed == 0;
        Ok(self.last_where(|info| says(info) && silent(info))?.map(|info| info.tx - 1))
    }
}

fn refused(why: String) -> LedgerError {
    LedgerError::Unsalvaged(why)
}

/// Writes the journal of what the base knows beside the one that is there.
fn written(
    dir: &Path,
    left: &Holder,
    (time, author): (i64, &str),
    options: &OpenOptions,
) -> Result<Salvaged, LedgerError> {
    let options = OpenOptions { rebuild: false, redaction: Redaction::default(), ..options.clone() };
    let mut held = Held::of(&dir.join(BASE))?;
    check_lost(dir, left, held.state.tx, &options)?;
    let disk = MemoryDisk::default();
    let mut ledger = Ledger::on(Arc::new(disk.clone()), Box::new(MemoryBase::default()), &options)?;
    let lacking = held.record_into(&mut ledger)?;
    held.view.close_base()?;
    let (last, head) = (held.state.tx, held.state.head);
    let lacks = lacking.map_or_else(String::new, |tx| format!("; it is incomplete from transaction {tx} on"));
    let note = Some(format!("{NOTE}transactions 1 to {last}, the last with the hash {head}{lacks}"));
    let source = String::from(SOURCE);
    let draft = Draft { time, author: author.to_owned(), source, note, ..Draft::default() };
    let said = ledger.remark(&draft)?;
    drop(ledger.close());
    put_down(&disk, &dir.join(NEW))?;
    Ok(Salvaged { transactions: last, lacking, tx: said.tx, head: said.head, aside: PathBuf::new() })
}

/// Checks that the journal is lost, and that what can be read of it goes no farther than the base, which holds
/// transaction `held`.
fn check_lost(dir: &Path, left: &Holder, held: u64, options: &OpenOptions) -> Result<(), LedgerError> {
    let read = || {
        let mut ledger =
            Ledger::new(Journal::open(Arc::new(OsDisk), &dir.join(JOURNAL), options)?, left.clone(), options);
        ledger.dir = Some(dir.to_owned());
        ledger.begin()?;
        let scanned = ledger.replay(ledger.journal.beginning(), u64::MAX, None)?;
        ledger.check_end(&scanned, held)
    };
    match read() {
        Ok(()) => {
            Err(refused(String::from("the journal can be read; `hence rebuild` recreates the base from it")))
        }
        Err(LedgerError::Damaged { transaction, .. }) if transaction > held => {
            let last = transaction - 1;
            Err(refused(format!(
                "the journal can be read up to transaction {last}, and the fact base holds no more than \
                {held}: `hence export --up-to {last}` and `hence import` make a ledger of what can be read"
            )))
        }
        Err(LedgerError::Damaged { .. }) => Ok(()),
        Err(LedgerError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

impl Held {
    fn of(path: &Path) -> Result<Self, LedgerError> {
        let unread = |error| refused(format!("the fact base can't be read: {error}"));
        let base = base::open(path).map_err(unread)?;
        let state = State::decode(base.as_ref()).map_err(unread)?.filter(|state| state.tx > 0);
        let state = state.ok_or_else(|| refused(String::from("the fact base contains no transactions")))?;
        Ok(Self { state, view: View::new(base) })
    }

    /// Records all transactions again; returns the first after which the state differs from what was recorded.
    fn record_into(&self, ledger: &mut Ledger) -> Result<Option<u64>, LedgerError> {
        let infos: Vec<TxInfo> = (1..=self.state.tx).map(|tx| self.info(tx)).collect::<Result<_, _>>()?;
        let compacted = infos.iter().rev().find(|info| self.state.snapshot > 0 && info.names_snapshot());
        let compacted = compacted.map(|info| info.tx);
        let (mut drafts, mut lacking) = (self.drafts()?, None);
        for info in infos {
            meter::check("recording what the base holds")?;
            let tx = info.tx;
            let changes = drafts.remove(&tx).unwrap_or_default();
            if compacted == Some(tx) {
                ledger.compact(info.time, &info.author)?;
            } else {
                let draft = self.draft(&info, changes)?;
                let again = ledger.record_again(&draft, info.present, info.missing);
                again.map_err(|error| refused(format!("can't record transaction {tx} again: {error}")))?;
            }
            let all = ledger.state.digest.to_hash() == info.digest;
            if compacted.is_none_or(|compacted| compacted <= tx) && !all {
                lacking = lacking.or(Some(tx));
            }
        }
        Ok(lacking)
    }

    fn info(&self, tx: u64) -> Result<TxInfo, LedgerError> {
        let found = read::info_in(&self.view, tx)?;
        let missing = || refused(format!("the fact base lacks transaction {tx}"));
        found.map(|(_, info)| info).ok_or_else(missing)
    }

    /// What was said of a transaction, with its changes.
    fn draft(&self, info: &TxInfo, changes: Draft) -> Result<Draft, LedgerError> {
        let rules = info.rules.map(|hash| -> Result<RecordedRules, LedgerError> {
            let stored = self.view.get(&keys::rules(hash))?;
            let stored = stored.ok_or_else(|| refused(format!("the fact base lacks the rules {hash}")))?;
            Ok(RecordedRules::decode(&self.view.load_long(&stored)?)?)
        });
        let TxInfo { time, author, source, note, clock, run, schemas, steps, said, .. } = info.clone();
        let rules = rules.transpose()?;
        Ok(Draft { time, author, source, note, clock, rules, run, schemas, steps, said, ..changes })
    }

    /// What came and went with each transaction up to the state. What the base holds of later ones was written ahead.
    fn drafts(&self) -> Result<BTreeMap<u64, Draft>, LedgerError> {
        let mut drafts = BTreeMap::new();
        for (name, counts) in &self.state.relations {
            for (section, past) in [(keys::FACT, keys::PAST_FACT), (keys::DECISION, keys::PAST_DECISION)] {
                let mut seen = BTreeSet::new();
                for row in Rows::new(&self.view, &keys::relation(section, counts.number), None) {
                    self.span(section, *name, &row?, &mut seen, &mut drafts)?;
                }
                for entry in self.view.prefix(&keys::relation(past, counts.number)) {
                    self.span(section, *name, &past_row(&self.view, &entry?)?, &mut seen, &mut drafts)?;
                }
            }
        }
        Ok(drafts)
    }

    /// Enters where a fact or decision came, unless that was `seen`, and where it went.
    fn span(
        &self,
        section: u8,
        relation: Symbol,
        row: &Row,
        seen: &mut BTreeSet<(u64, Vec<u8>)>,
        drafts: &mut BTreeMap<u64, Draft>,
    ) -> Result<(), LedgerError> {
        meter::check("reading the fact base")?;
        if row.from > self.state.tx {
            return Ok(());
        }
        let fact = Fact { relation, values: tuple::decode(&row.tuple)? };
        if seen.insert((row.from, row.tuple.clone())) {
            let came = drafts.entry(row.from).or_default();
            match section {
                keys::FACT => came.assertions.push(fact.clone()),
                _ => came.drawn.push(self.decision(fact.clone(), row)?),
            }
        }
        if let Some(until) = row.until.filter(|until| *until <= self.state.tx) {
            let went = drafts.entry(until).or_default();
            match section {
                keys::FACT => went.retractions.push(fact),
                _ => went.lapsed.push(Lapsed::from(fact)),
            }
        }
        Ok(())
    }

    /// A decision, with its explanation where it is in force.
    fn decision(&self, fact: Fact, row: &Row) -> Result<Decision, LedgerError> {
        if row.explanation.is_empty() {
            return Ok(Decision::new(fact));
        }
        let explanation = self.view.load_long(&row.explanation)?;
        let mut reader = Reader::new(&explanation);
        let (rule, sentence) = (reader.optional()?.map(str::to_owned), reader.optional()?.map(str::to_owned));
        Ok(Decision { fact, rule, sentence })
    }
}

/// Writes a journal in memory into a folder, durable.
fn put_down(disk: &MemoryDisk, folder: &Path) -> Result<(), LedgerError> {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(LedgerError::io("remove", folder))?;
    }
    fs::create_dir(folder).map_err(LedgerError::io("create", folder))?;
    for path in disk.paths().iter().filter(|path| path.starts_with(JOURNAL)) {
        let (Some(name), Some(content)) = (path.file_name(), disk.content(path)) else { continue };
        let to = folder.join(name);
        let file = OsDisk.open(&to, true, true).map_err(LedgerError::io("create", &to))?;
        let put = file.write_at(&content, 0).and_then(|()| file.sync());
        put.map_err(LedgerError::io("write", &to))?;
    }
    OsDisk.sync_dir(folder).map_err(LedgerError::io("make durable", folder))
}

/// Puts the new journal in the place of the old one and says where that went. Whatever interrupts it, the base is the
/// last to go: what was begun can be begun again.
fn exchange(dir: &Path, lock: &mut Lock) -> Result<PathBuf, LedgerError> {
    let durable = || OsDisk.sync_dir(dir).map_err(LedgerError::io("make durable", dir));
    let names = (1..).map(|number: u32| dir.join(format!("set-aside-{number}")));
    let aside = names.into_iter().find(|path| !path.exists()).unwrap_or_else(|| dir.join("set-aside"));
    fs::create_dir(&aside).map_err(LedgerError::io("create", &aside))?;
    let away = |name: &str| match fs::rename(dir.join(name), aside.join(name)) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        moved => moved.map_err(LedgerError::io("rename", &dir.join(name))),
    };
    away(JOURNAL)?;
    away(ARCHIVE)?;
    away(TABLE)?;
    durable()?;
    lock.forget()?;
    fs::rename(dir.join(NEW), dir.join(JOURNAL)).map_err(LedgerError::io("rename", &dir.join(NEW)))?;
    durable()?;
    away(BASE)?;
    durable()?;
    Ok(aside)
}
