//! The binary over a medium whose calls fail one by one (a library that is loaded before the C library's own lets them):
//! it ends in words and in time, and leaves the lock.

use crate::slow;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use hence_ledger::{Ledger, OpenOptions};

use crate::command::hence;
use crate::memory;

const RULES: &str = "## A fact.\ninput f(k: int, v: string).\n";

/// The library, where it can be built.
pub(crate) fn failing(dir: &Path) -> Option<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/ledger/failing.c");
    let built = dir.join("failing.so");
    let gcc = Command::new("gcc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .arg(&built)
        .arg(source)
        .arg("-ldl")
        .status();
    if gcc.is_ok_and(|status| status.success()) {
        return Some(built);
    }
    println!("left out: no gcc");
    None
}

/// What fails: the n-th call, and those after it unless only that one.
struct Failing<'a> {
    call: &'static str,
    under: &'a str,
    from: u32,
    once: bool,
}

impl Failing<'_> {
    fn set(&self, command: &mut Command, library: &Path, store: &Path) {
        command.env("LD_PRELOAD", library).env("FAIL_CALL", self.call);
        command.env("FAIL_UNDER", store.join(self.under)).env("FAIL_NTH", self.from.to_string());
        if self.once {
            command.env("FAIL_ONCE", "1");
        }
    }
}

/// The rules of a stream, and the facts that it begins with.
fn write_inputs(dir: &Path) {
    fs::write(dir.join("f.dl"), RULES).unwrap();
    let bulk: String = (0..25_000).map(|n| format!("{{\"f\": [{n}, \"b\"]}}\n")).collect();
    fs::write(dir.join("bulk.jsonl"), bulk).unwrap();
}

/// One run of `--follow`: how much it acknowledged, and what it said on standard error.
fn follow(dir: &Path, library: &Path, failing: &Failing<'_>) -> (u64, String) {
    let store = dir.join("led");
    let _ = fs::remove_dir_all(&store);
    let mut command =
        hence(dir, &["decide", "--follow", "--rules", "f.dl", "--store", "led", "--facts", "bulk.jsonl"]);
    failing.set(&mut command, library, &store);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut to = child.stdin.take().unwrap();
    for n in 0..30 {
        // It may have ended already.
        let _ = writeln!(to, "{{\"f\": [{n}, \"{}\"]}}", "x".repeat(2_000));
    }
    drop(to);
    let begun = Instant::now();
    let patience = Duration::from_secs(60);
    let output = std::thread::spawn(move || child.wait_with_output().unwrap());
    while !output.is_finished() {
        assert!(begun.elapsed() < patience, "{} from {} hangs", failing.call, failing.from);
        std::thread::sleep(Duration::from_millis(10));
    }
    let output = output.join().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!said.contains("panicked") && !said.contains("sled-0.34"), "{said}");
    let status = output.status.code().expect("no end by a signal");
    assert!(status == 0 || status == 2 && said.contains("error: "), "{status}: {said}");
    let told = String::from_utf8(output.stdout).unwrap();
    (told.lines().filter(|line| line.contains("\"committed\"")).count() as u64, said)
}

/// Every call in turn, while commands over `under` make so many of them.
fn each(calls: &'static str, under: &str, most: u32) {
    let dir = memory::folder();
    let Some(library) = failing(dir.path()) else { return };
    write_inputs(dir.path());
    let step = slow::size(most as usize / 4, 1);
    for once in [false, true] {
        for from in (1..=most).step_by(step) {
            let (acknowledged, said) =
                follow(dir.path(), &library, &Failing { call: calls, under, from, once });
            let store = dir.path().join("led");
            // It says 30 lines after the facts that it begins with.
            assert!(
                !once || acknowledged == 0 || acknowledged >= 30,
                "{calls} {from}: {acknowledged}\n{said}"
            );
            if acknowledged == 0 && !store.join("journal").exists() {
                continue;
            }
            // Nobody holds the lock any more, and all is there.
            let ledger = Ledger::open(&store, &OpenOptions::default()).unwrap();
            assert!(ledger.last_tx() >= acknowledged, "{} of {acknowledged}", ledger.last_tx());
            assert_eq!(ledger.verify().unwrap().differences, Vec::<String>::new());
        }
    }
}

#[test]
fn a_base_that_cannot_be_written_holds_nothing_up() {
    each("write", "base", 24);
}

/// A stream over a base whose next write fails once the facts that it begins with are recorded: what it said on standard
/// output and on standard error.
fn follow_past_a_failure(dir: &Path, library: &Path) -> (String, String) {
    let (store, go) = (dir.join("led"), dir.join("go"));
    let _ = (fs::remove_dir_all(&store), fs::remove_file(&go));
    let args = ["decide", "--follow", "--rules", "f.dl", "--store", "led", "--facts", "bulk.jsonl"];
    let mut command = hence(dir, &args);
    Failing { call: "write", under: "base", from: 1, once: true }.set(&mut command, library, &store);
    let command = command.env("FAIL_AFTER", &go).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut from = BufReader::new(child.stdout.take().unwrap());
    let mut told = String::new();
    from.read_line(&mut told).unwrap();
    fs::write(go, "").unwrap();
    // sled keeps to itself what it is to write for half a second. The first read of a page that it split makes it write.
    std::thread::sleep(Duration::from_millis(600));
    let lines: String = (0..60).map(|n| format!("{{\"f\": [{}, \"c\"]}}\n", n * 1117 % 25_000)).collect();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    from.read_to_string(&mut told).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{said}");
    (told, said)
}

#[test]
fn a_stream_goes_on_from_the_journal_once_its_base_cannot_be_read() {
    let dir = memory::folder();
    let Some(library) = failing(dir.path()) else { return };
    write_inputs(dir.path());
    // sled may have written everything already, or have no such page.
    let (told, _) = (0..20)
        .map(|_| follow_past_a_failure(dir.path(), &library))
        .find(|(_, said)| said.contains("warning: the fact base was updated"))
        .expect("one is opened again");
    let committed: Vec<&str> = told.lines().filter(|line| line.contains("\"committed\"")).collect();
    let lines: Vec<bool> =
        (1..=60).map(|line| committed.iter().any(|it| it.contains(&format!("\"line\": {line},")))).collect();
    assert!(committed.len() == 61 && lines.iter().all(|is_there| *is_there), "{told}");
    let ledger = Ledger::open(dir.path().join("led"), &OpenOptions::default()).unwrap();
    assert_eq!(ledger.last_tx(), 61);
    assert_eq!(ledger.verify().unwrap().differences, Vec::<String>::new());
}

#[test]
fn a_base_that_cannot_be_made_durable_holds_nothing_up() {
    each("sync", "base", 12);
}

#[test]
fn a_journal_that_cannot_be_written_costs_a_stream_that_line_alone() {
    each("write", "journal", 24);
}

#[test]
fn a_journal_that_cannot_be_made_durable_costs_a_stream_that_line_alone() {
    each("sync", "journal", 24);
}

#[test]
fn a_ledger_that_cannot_be_begun_is_told_of_in_words() {
    let dir = memory::folder();
    let Some(library) = failing(dir.path()) else { return };
    fs::write(dir.path().join("f.dl"), RULES).unwrap();
    for call in ["sync", "write"] {
        for from in 1..12 {
            let _ = fs::remove_dir_all(dir.path().join("led"));
            let mut command =
                hence(dir.path(), &["assert", "f(1, \"a\")", "--rules", "f.dl", "--store", "led"]);
            let failing = Failing { call, under: "", from, once: from % 2 == 0 };
            failing.set(&mut command, &library, &dir.path().join("led"));
            let output = command.output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(matches!(output.status.code(), Some(0 | 2)), "{call} {from}: {:?} {said}", output.status);
            assert!(!said.contains("panicked"), "{said}");
        }
    }
}

/// What stands in a folder beside the files of the ledger itself.
fn aside(store: &Path) -> Vec<String> {
    let names = fs::read_dir(store).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with("base.")).collect()
}

#[test]
fn a_base_on_a_failing_medium_is_no_damaged_base() {
    let dir = memory::folder();
    let Some(library) = failing(dir.path()) else { return };
    fs::write(dir.path().join("f.dl"), RULES).unwrap();
    let asserting = ["assert", "f(1, \"a\")", "--rules", "f.dl", "--store", "led"];
    assert!(hence(dir.path(), &asserting).output().unwrap().status.success());
    let store = dir.path().join("led");
    for from in 1..8 {
        for args in [&asserting[..], &["rebuild", "--store", "led"]] {
            let mut command = hence(dir.path(), args);
            Failing { call: "write", under: "base", from, once: false }.set(&mut command, &library, &store);
            assert!(matches!(command.output().unwrap().status.code(), Some(0 | 2)));
        }
        assert!(aside(&store).len() <= 1, "{:?}", aside(&store));
        let rows =
            hence(dir.path(), &["facts", "f", "--store", "led", "--format", "jsonl"]).output().unwrap();
        assert_eq!(String::from_utf8(rows.stdout).unwrap(), "{\"f\": [1, \"a\"]}\n");
    }
    let ledger = Ledger::open(&store, &OpenOptions::default()).unwrap();
    assert_eq!(ledger.verify().unwrap().differences, Vec::<String>::new());
}
