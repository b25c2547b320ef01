//! A writer killed at any moment: nothing acknowledged is lost, nothing is half there, the ledger opens again.

use crate::slow;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use hence_ledger::{Ledger, OpenOptions};

use super::script;
use super::support::{Random, small, written};

const DIR: &str = "HENCE_TEST_WRITER";

/// Not a test of its own: the writer that the test below starts and kills.
#[test]
#[ignore = "the child process of a_killed_writer_loses_nothing_acknowledged"]
fn writer() {
    let Some(dir) = std::env::var_os(DIR) else { return };
    // Now with a thread that writes the base, now without.
    let behind = std::process::id().is_multiple_of(2);
    let options = OpenOptions { wait: Duration::from_secs(10), ..written(behind) };
    let mut ledger = Ledger::open(Path::new(&dir), &options).unwrap();
    let mut out = std::io::stdout();
    loop {
        let committed = ledger.commit(&script::step(ledger.last_tx() + 1)).unwrap();
        out.write_all(format!("\nacknowledged {}\n", committed.tx).as_bytes()).unwrap();
        out.flush().unwrap();
    }
}

/// Runs the writer for `patience`, counted from its first acknowledgement if `writing`, and returns the last
/// transaction that it acknowledged.
fn run_and_kill(dir: &Path, patience: Duration, writing: bool) -> u64 {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "ledger::kill::writer", "--ignored", "--nocapture", "--test-threads=1"])
        .env(DIR, dir)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let (first, begun) = std::sync::mpsc::channel();
    let reader = std::thread::spawn(move || {
        let acknowledged = lines.map_while(Result::ok);
        let numbers = acknowledged.filter_map(|line| line.strip_prefix("acknowledged ")?.parse().ok());
        let mut last = 0;
        for number in numbers {
            last = number;
            // Nobody waits any more after the first.
            let _ = first.send(());
        }
        last
    });
    if writing {
        begun.recv_timeout(Duration::from_secs(60)).unwrap();
    }
    std::thread::sleep(patience);
    child.kill().unwrap();
    child.wait().unwrap();
    reader.join().unwrap()
}

#[test]
fn a_killed_writer_loses_nothing_acknowledged() {
    let rounds = slow::size(6, 1_000);
    let mut random = Random::new(7);
    let mut acknowledged = 0;
    let mut dir = crate::memory::folder();
    for round in 0..rounds {
        if round % 20 == 0 {
            dir = crate::memory::folder();
            acknowledged = 0;
        }
        let writing = round % 2 == 0;
        let patience = Duration::from_millis(random.below(60));
        acknowledged = run_and_kill(dir.path(), patience, writing).max(acknowledged);
        if dir.path().join("journal/00000001.journal").exists() {
            script::check(&Ledger::open_to_ask(dir.path(), &small()).unwrap(), acknowledged);
        }
        if random.below(3) > 0 {
            let ledger = Ledger::open(dir.path(), &small()).unwrap();
            script::check(&ledger, acknowledged);
        }
    }
    assert!(acknowledged > 0);
    let ledger = Ledger::open(dir.path(), &small()).unwrap();
    script::check(&ledger, acknowledged);
}
