//! Figures of the ledger, measured with `HENCE_BENCH=1` in a release build and printed.

use crate::slow;
use std::path::Path;
use std::time::{Duration, Instant};

use hence_core::fact::Fact;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_ledger::{Ledger, OpenOptions, When};

use super::support::draft;

const TOOLS: [&str; 4] = ["web_search", "context7_docs", "competitor_db", "pytest"];

fn tool_run(n: i64) -> Fact {
    let values = vec![
        Value::Int(n),
        Value::String(Symbol::new(TOOLS[(n % 4) as usize])),
        Value::Name(Symbol::new("/marketing")),
        Value::Bool(n % 3 == 0),
        Value::Duration(1_000 * (n % 977)),
        Value::Time(1_770_000_000_000_000 + n * 1_000_000),
    ];
    Fact::new("tool_run", values)
}

/// The line of JSON that a fact file would hold.
fn json_bytes(count: i64) -> u64 {
    let line = r#"{"tool_run": {"run": 123456, "tool": "web_search", "domain": "/marketing", "ok": true, "latency": "120ms", "at": "2026-02-03T14:23:45Z"}}"#;
    (line.len() as u64 + 1) * count as u64
}

/// Time that this thread has computed, where the system tells: it doesn't depend on what else the machine does.
fn computed() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(text.split(' ').next().and_then(|nanos| nanos.parse().ok()).unwrap_or(0))
}

fn timed<T>(what: &str, work: impl FnOnce() -> T) -> (T, Duration) {
    let (begun, before) = (Instant::now(), computed());
    let result = work();
    let took = begun.elapsed();
    println!("{what}: {took:.1?}, of it computing {:.1?}", computed().saturating_sub(before));
    (result, took)
}

/// What the disk gives: a record's bytes written over others and synced.
fn plain_syncs(dir: &Path) {
    use std::os::unix::fs::FileExt;
    let file = std::fs::File::create(dir.join("plain")).unwrap();
    file.write_all_at(&vec![0; 1 << 20], 0).unwrap();
    file.sync_all().unwrap();
    let mut times: Vec<Duration> = (0..1_000)
        .map(|n| {
            let begun = Instant::now();
            file.write_all_at(&[n as u8; 250], n * 250).unwrap();
            file.sync_data().unwrap();
            begun.elapsed()
        })
        .collect();
    times.sort();
    println!("a plain write and sync: median {:?}, p99 {:?}", times[500], times[990]);
}

fn durable_commits(dir: &Path) {
    let mut ledger = Ledger::open(dir, &OpenOptions::default()).unwrap();
    let before = computed();
    let mut times: Vec<Duration> = (0..2_000)
        .map(|n| {
            let draft = draft(n, vec![tool_run(n)], vec![]);
            let begun = Instant::now();
            ledger.commit(&draft).unwrap();
            begun.elapsed()
        })
        .collect();
    println!("computing for 2,000 commits of one fact: {:?}", computed().saturating_sub(before));
    let total: Duration = times.iter().sum();
    times.sort();
    println!(
        "one fact a commit: {:.0} a second, median {:?}, p99 {:?}",
        2_000.0 / total.as_secs_f64(),
        times[1_000],
        times[1_980]
    );
    drop(ledger);
    timed("opened, one fact committed, closed, ten times", || {
        for n in 0..10 {
            let mut ledger = Ledger::open(dir, &OpenOptions::default()).unwrap();
            ledger.commit(&draft(n, vec![tool_run(5_000 + n)], vec![])).unwrap();
        }
    });
    let mut ledger = Ledger::open(dir, &OpenOptions::default()).unwrap();
    let drafts: Vec<_> = (0..100)
        .map(|block| draft(block, (0..1_000).map(|n| tool_run(10_000 + block * 1_000 + n)).collect(), vec![]))
        .collect();
    let (_, took) = timed("100 commits of 1,000 facts", || {
        for draft in &drafts {
            ledger.commit(draft).unwrap();
        }
    });
    println!("  {:.0} facts a second", 100_000.0 / took.as_secs_f64());
}

fn million(dir: &Path) {
    const COUNT: i64 = 1_000_000;
    let facts: Vec<Fact> = (0..COUNT).map(|n| tool_run(n * 7_919 % COUNT)).collect();
    let load = draft(1, facts, vec![]);
    let mut ledger = Ledger::open(dir, &OpenOptions::default()).unwrap();
    let begun = Instant::now();
    timed("a million facts committed", || ledger.commit(&load).unwrap());
    timed("closed", || ledger.close());
    println!("a million facts loaded, base included: {:?}", begun.elapsed());
    let (mut ledger, _) = timed("opened again", || Ledger::open(dir, &OpenOptions::default()).unwrap());
    let status = ledger.status().unwrap();
    let json = json_bytes(COUNT);
    println!("journal {} base {} of {json} bytes of JSON Lines", status.journal_bytes, status.base_bytes);
    let relation = Symbol::new("tool_run");
    timed("a million facts read", || assert_eq!(ledger.facts(relation).count(), COUNT as usize));
    let first = [Value::Int(123_456)];
    timed("one fact by its first column", || assert_eq!(ledger.facts_with(relation, &first).count(), 1));
    let gone: Vec<Fact> = (0..1_000).map(|n| tool_run(n * 1_000)).collect();
    timed("1,000 facts retracted", || ledger.commit(&draft(2, vec![], gone)).unwrap());
    timed("a million facts as of transaction 1", || {
        assert_eq!(ledger.facts_at(relation, When::Tx(1)).unwrap().count(), COUNT as usize);
    });
    timed("a million facts asserted again", || ledger.commit(&load).unwrap());
    timed("verified", || assert!(ledger.verify().unwrap().differences.is_empty()));
    drop(ledger);
    timed("rebuilt", || Ledger::open(dir, &OpenOptions { rebuild: true, ..OpenOptions::default() }).unwrap());
}

#[test]
#[ignore = "measures; run with HENCE_BENCH=1 and --release --ignored --nocapture"]
fn figures() {
    if std::env::var_os("HENCE_BENCH").is_none() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    plain_syncs(dir.path());
    durable_commits(&dir.path().join("small"));
    plain_syncs(dir.path());
    million(&dir.path().join("large"));
}

/// Ten million facts: opened in under a second, a question by its first column answered in milliseconds.
#[test]
fn a_ledger_of_ten_million_facts_opens_and_answers_at_once() {
    let (parts, size) = if slow::is_slow() { (20, 500_000) } else { (2, 5_000) };
    let dir = tempfile::tempdir().unwrap();
    let mut ledger = Ledger::open(dir.path(), &OpenOptions::default()).unwrap();
    for part in 0..parts {
        let facts = (part * size..(part + 1) * size).map(tool_run).collect();
        ledger.commit(&draft(part, facts, vec![])).unwrap();
    }
    assert!(ledger.close().is_empty());
    let (ledger, opening) =
        timed("ten million facts opened", || Ledger::open(dir.path(), &OpenOptions::default()).unwrap());
    assert_eq!(ledger.status().unwrap().facts, (parts * size) as u64);
    let relation = Symbol::new("tool_run");
    let mut times: Vec<Duration> = (0..20)
        .map(|n| {
            let first = [Value::Int(n * (parts * size / 20) + 7)];
            let begun = Instant::now();
            assert_eq!(ledger.facts_with(relation, &first).count(), 1);
            begun.elapsed()
        })
        .collect();
    times.sort();
    println!("a fact by its first column: median {:?}, at most {:?}", times[10], times[19]);
    // A debug build on a busy machine is some ten times slower than what is promised.
    let slack = if cfg!(debug_assertions) { 10 } else { 1 };
    assert!(opening < Duration::from_secs(slack), "{opening:?}");
    assert!(times[10] < Duration::from_millis(10 * slack), "{times:?}");
}
