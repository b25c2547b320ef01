//! The ledger beside redb, fjall, SQLite and plain sled: durable commits of one fact and of a thousand, a million facts
//! loaded, questions about the past. Every store does one commit in turn, so that all meet the same moments of a busy
//! machine. `cargo run --release --manifest-path benches/Cargo.toml --bin ledger [FOLDER
//! [commits | loads | ten-million]]`
#![allow(missing_docs, reason = "a program, no library")]

use std::path::Path;
use std::time::{Duration, Instant};

use hence_core::fact::Fact;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_ledger::{Draft, Ledger, OpenOptions, When};

const SINGLE: usize = 1_500;
const BLOCKS: usize = 60;
const BLOCK: usize = 1_000;
const MANY: usize = 1_000_000;
const TABLE: redb::TableDefinition<&[u8], &[u8]> = redb::TableDefinition::new("facts");

fn fact(n: usize) -> Fact {
    let n = n as i64;
    let tool = ["web_search", "context7_docs", "competitor_db", "pytest"][(n % 4) as usize];
    let values = vec![
        Value::Int(n),
        Value::String(Symbol::new(tool)),
        Value::Name(Symbol::new("/marketing")),
        Value::Bool(n % 3 == 0),
        Value::Duration(1_000 * (n % 977)),
        Value::Time(1_770_000_000_000_000 + n * 1_000_000),
    ];
    Fact::new("tool_run", values)
}

/// The line of JSON that a fact file would hold; the key of a fact in the stores beside the ledger is its text.
fn json_len(fact: &Fact) -> usize {
    r#"{"tool_run": {"run": , "tool": "", "domain": "", "ok": , "latency": "", "at": ""}}"#.len()
        + 1
        + fact.values.iter().map(|value| value.text().len()).sum::<usize>()
}

/// A store that keeps facts durably.
trait Store {
    fn name(&self) -> &'static str;
    /// Returns when the facts are as durable as the store makes them: the ledger takes the draft, all others take the
    /// facts' texts as keys.
    fn commit(&mut self, draft: &Draft, keys: &[String]);
    fn close(self: Box<Self>) {}
}

struct Ours(Ledger);

impl Store for Ours {
    fn name(&self) -> &'static str {
        "hence"
    }
    fn commit(&mut self, draft: &Draft, _: &[String]) {
        assert_eq!(self.0.commit(draft).unwrap().tally.added as usize, draft.assertions.len());
    }
    fn close(self: Box<Self>) {
        assert!(self.0.close().is_empty());
    }
}

struct Redb(redb::Database);

impl Store for Redb {
    fn name(&self) -> &'static str {
        "redb"
    }
    fn commit(&mut self, _: &Draft, keys: &[String]) {
        let write = self.0.begin_write().unwrap();
        {
            let mut table = write.open_table(TABLE).unwrap();
            for key in keys {
                table.insert(key.as_bytes(), &[][..]).unwrap();
            }
        }
        write.commit().unwrap();
    }
}

struct Fjall(fjall::Keyspace, fjall::PartitionHandle);

impl Store for Fjall {
    fn name(&self) -> &'static str {
        "fjall"
    }
    fn commit(&mut self, _: &Draft, keys: &[String]) {
        let mut batch = self.0.batch();
        for key in keys {
            batch.insert(&self.1, key.as_str(), []);
        }
        batch.commit().unwrap();
        self.0.persist(fjall::PersistMode::SyncAll).unwrap();
    }
}

struct Sqlite(rusqlite::Connection);

impl Store for Sqlite {
    fn name(&self) -> &'static str {
        "sqlite"
    }
    fn commit(&mut self, _: &Draft, keys: &[String]) {
        let transaction = self.0.transaction().unwrap();
        {
            let mut insert = transaction.prepare_cached("insert into facts values (?1)").unwrap();
            for key in keys {
                insert.execute([key]).unwrap();
            }
        }
        transaction.commit().unwrap();
    }
}

struct Sled(sled::Db);

impl Store for Sled {
    fn name(&self) -> &'static str {
        "sled"
    }
    fn commit(&mut self, _: &Draft, keys: &[String]) {
        for part in keys.chunks(BLOCK) {
            let mut batch = sled::Batch::default();
            part.iter().for_each(|key| batch.insert(key.as_bytes(), &[]));
            self.0.apply_batch(batch).unwrap();
        }
        self.0.flush().unwrap();
    }
}

fn stores(dir: &Path) -> Vec<Box<dyn Store>> {
    std::fs::create_dir_all(dir).unwrap();
    let ledger = Ledger::open(dir.join("hence"), &OpenOptions::default()).unwrap();
    let keyspace = fjall::Config::new(dir.join("fjall")).open().unwrap();
    let partition = keyspace.open_partition("facts", fjall::PartitionCreateOptions::default()).unwrap();
    let sqlite = rusqlite::Connection::open(dir.join("sqlite")).unwrap();
    sqlite.pragma_update(None, "journal_mode", "WAL").unwrap();
    sqlite.pragma_update(None, "synchronous", "FULL").unwrap();
    sqlite.execute("create table facts (fact text primary key) without rowid", []).unwrap();
    vec![
        Box::new(Ours(ledger)),
        Box::new(Redb(redb::Database::create(dir.join("redb")).unwrap())),
        Box::new(Fjall(keyspace, partition)),
        Box::new(Sqlite(sqlite)),
        Box::new(Sled(sled::open(dir.join("sled")).unwrap())),
    ]
}

/// Processor time of this thread.
fn thread_computed() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(text.split(' ').next().and_then(|nanos| nanos.parse().ok()).unwrap_or(0))
}

/// Processor time of this process, all threads.
fn computed() -> Duration {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks: u64 = [11, 12].iter().filter_map(|at| fields.get(*at)?.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 10)
}

/// The most memory that this process has held, in MiB.
fn peak() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().split(' ').next()?.parse::<u64>().ok()).unwrap_or(0) / 1024
}

fn quantile(times: &[Duration], part: f64) -> Duration {
    times[((times.len() - 1) as f64 * part) as usize]
}

fn draft(assertions: Vec<Fact>) -> Draft {
    Draft { time: 1, author: "ada".into(), source: "bench".into(), assertions, ..Draft::default() }
}

fn keys(facts: &[Fact]) -> Vec<String> {
    facts.iter().map(Fact::to_string).collect()
}

/// Every store commits each of `batches` in turn; medians, spread and the ratio to ours.
fn commits(dir: &Path, title: &str, batches: &[Vec<Fact>]) {
    let mut stores = stores(dir);
    let mut times = vec![Vec::new(); stores.len()];
    let mut busy = vec![Duration::ZERO; stores.len()];
    for batch in batches {
        let (draft, keys) = (draft(batch.clone()), keys(batch));
        for ((store, times), busy) in stores.iter_mut().zip(&mut times).zip(&mut busy) {
            let (begun, before) = (Instant::now(), thread_computed());
            store.commit(&draft, &keys);
            times.push(begun.elapsed());
            *busy += thread_computed().saturating_sub(before);
        }
    }
    println!("\n{title}, {} commits each, in turn", batches.len());
    println!(
        "{:8} {:>10} {:>10} {:>10} {:>12} {:>8} {:>12}",
        "", "p10", "median", "p90", "facts/s", "ratio", "processor"
    );
    let mut ours = Duration::ZERO;
    for ((store, times), busy) in stores.iter().zip(&mut times).zip(&busy) {
        times.sort();
        let median = quantile(times, 0.5);
        if ours.is_zero() {
            ours = median;
        }
        println!(
            "{:8} {:>10.1?} {:>10.1?} {:>10.1?} {:>12.0} {:>8.2} {:>12.1?}",
            store.name(),
            quantile(times, 0.1),
            median,
            quantile(times, 0.9),
            batches[0].len() as f64 / median.as_secs_f64(),
            median.as_secs_f64() / ours.as_secs_f64(),
            *busy / batches.len() as u32
        );
    }
    stores.into_iter().for_each(|store| store.close());
}

fn timed<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let (begun, before) = (Instant::now(), computed());
    let result = work();
    println!("{what:52} {:>9.2?}, processor {:>9.2?}", begun.elapsed(), computed().saturating_sub(before));
    result
}

/// Loads a million facts, where asked for into the other stores too, and asks about them.
fn loads(dir: &Path, others: bool) {
    println!("\na million facts in one transaction, closed");
    let draft = draft((0..MANY).map(|n| fact(n * 7_919 % MANY)).collect());
    let mut texts = Vec::new();
    println!("{:52} {} MiB", "memory of the facts themselves, at most", peak());
    let all = if others { usize::MAX } else { 1 };
    for mut store in stores(dir).into_iter().take(all) {
        let name = store.name();
        timed(name, || {
            store.commit(&draft, &texts);
            store.close();
        });
        if name == "hence" {
            println!("{:52} {} MiB", "memory at most", peak());
            texts = keys(&draft.assertions);
        }
    }
    let json: usize = draft.assertions.iter().map(json_len).sum();
    println!("\na ledger of a million facts");
    let dir = dir.join("hence");
    let mut ledger = timed("opened", || Ledger::open(&dir, &OpenOptions::default()).unwrap());
    let status = ledger.status().unwrap();
    println!(
        "journal {:.0} %, base {:.0} % of {} MB of JSON Lines",
        status.journal_bytes as f64 * 100.0 / json as f64,
        status.base_bytes as f64 * 100.0 / json as f64,
        json / 1_000_000
    );
    let relation = Symbol::new("tool_run");
    let gone: Vec<Fact> = (0..1_000).map(|n| fact(n * 1_000)).collect();
    let draft = Draft { time: 2, retractions: gone, ..Draft::default() };
    timed("1,000 facts retracted", || ledger.commit(&draft).unwrap());
    timed("a million facts read", || assert_eq!(ledger.facts(relation).count(), MANY - 1_000));
    timed("a million facts read as of transaction 1", || {
        assert_eq!(ledger.facts_at(relation, When::Tx(1)).unwrap().count(), MANY);
    });
    timed("one fact by its first column", || {
        assert_eq!(ledger.facts_with(relation, &[Value::Int(123_456)]).count(), 1);
    });
}

/// A ledger of ten million facts: opening it, and a fact by its first column.
fn ten_million(dir: &Path) {
    println!("\nten million facts, in twenty transactions");
    let mut ledger = Ledger::open(dir, &OpenOptions::default()).unwrap();
    timed("written, closed", || {
        for part in 0..20 {
            let assertions = (part * MANY / 2..(part + 1) * MANY / 2).map(fact).collect();
            ledger.commit(&Draft { time: part as i64, assertions, ..Draft::default() }).unwrap();
        }
        ledger.close()
    });
    let ledger = timed("opened", || Ledger::open(dir, &OpenOptions::default()).unwrap());
    assert_eq!(ledger.status().unwrap().facts, 10 * MANY as u64);
    let relation = Symbol::new("tool_run");
    let mut times: Vec<Duration> = (0..100)
        .map(|n| {
            let begun = Instant::now();
            assert_eq!(ledger.facts_with(relation, &[Value::Int(n * 100_000 + 7)]).count(), 1);
            begun.elapsed()
        })
        .collect();
    times.sort();
    println!("a fact by its first column: median {:.1?}, at most {:.1?}", quantile(&times, 0.5), times[99]);
}

fn main() {
    let folder = std::env::args().nth(1).map_or_else(std::env::temp_dir, Into::into);
    let dir = tempfile::tempdir_in(folder).unwrap();
    let part = std::env::args().nth(2).unwrap_or_default();
    if part == "ten-million" {
        return ten_million(dir.path());
    }
    if part.is_empty() || part == "commits" {
        let singles: Vec<Vec<Fact>> = (0..SINGLE).map(|n| vec![fact(n)]).collect();
        commits(&dir.path().join("single"), "one fact a commit", &singles);
        let block = |block| (0..BLOCK).map(|n| fact(block * BLOCK + n)).collect();
        let blocks: Vec<Vec<Fact>> = (0..BLOCKS).map(block).collect();
        commits(&dir.path().join("blocks"), "a thousand facts a commit", &blocks);
    }
    if part.is_empty() || part == "loads" {
        loads(&dir.path().join("load"), part.is_empty());
    }
}
