//! Owners on a full disk: what there is no room for is refused or waits, readers go on, and nothing is lost.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{ChildStdout, Stdio};

use super::{Owner, Stream, run, until};
use crate::command::hence;
use crate::small_disk::SmallDisk;

const FULL: &str = "No space left on device";

/// A folder whose ledger is to be on a small disk.
fn on_small_disk(rules: &str, carry: &str) -> Option<(tempfile::TempDir, SmallDisk)> {
    let dir = super::folder();
    let disk = SmallDisk::mounted(&dir.path().join("small"), "4m")?;
    let settings = format!("rules = [\"retry.dl\"]\nstore = \"small/led\"\n{carry}");
    fs::write(dir.path().join("hence.toml"), settings).unwrap();
    if !rules.is_empty() {
        fs::write(dir.path().join("retry.dl"), rules).unwrap();
    }
    Some((dir, disk))
}

/// A text that takes more room than is left on a disk that has none.
fn long(name: &str) -> String {
    format!("{name} {}", "x".repeat(40_000))
}

fn standing(dir: &Path, relation: &str) -> usize {
    let (status, rows, said) = run(dir, &["facts", relation, "--format", "jsonl"]);
    assert_eq!(status, 0, "{said}");
    rows.lines().count()
}

fn verifies(dir: &Path) {
    let (status, out, said) = run(dir, &["verify"]);
    assert_eq!(status, 0, "{out}{said}");
}

#[test]
fn a_stream_refuses_a_line_that_there_is_no_room_for_and_goes_on() {
    let Some((dir, disk)) = on_small_disk("", "") else { return };
    let mut stream = Stream::new(dir.path());
    assert!(stream.say("{\"failed\": [\"a\", 1]}").contains("\"drawn\": 1"));
    let line = format!("{{\"failed\": [\"{}\", 1]}}", long("b"));
    for round in 1..4 {
        disk.fill();
        let answer = stream.say(&line);
        assert!(answer.contains("\"error\"") && answer.contains(FULL), "{answer}");
        assert!(answer.contains("nothing was recorded"), "{answer}");
        assert_eq!(standing(dir.path(), "failed"), round);
        let (status, _, said) = run(dir.path(), &["assert", &format!("failed(\"{}\", 1)", long("c"))]);
        assert!(status == 2 && said.contains(FULL), "{status} {said}");
        // After that turn there is no room to open the ledger again, and the stream still answers.
        let answer = stream.say(&line);
        assert!(answer.contains("\"error\"") && answer.contains(FULL), "{answer}");
        assert_eq!(standing(dir.path(), "failed"), round);
        disk.free();
        let answer = stream.say(&format!("{{\"failed\": [\"{}\", 1]}}", long(&format!("b{round}"))));
        assert!(answer.contains("\"drawn\": 1, \"lapsed\": 0"), "{answer}");
        assert!(answer.contains(&format!("\"standing\": {}", round + 1)), "{answer}");
    }
    // Some lines were refused.
    assert_eq!(stream.end(), 2);
    assert_eq!(standing(dir.path(), "failed"), 4);
    verifies(dir.path());
}

const LEASES: &str = "input lease(resource: string, ends: time).\ninput done(what: string).\ndecision take_back(resource: string).\n\
    @because(\"{R} was due\")\ntake_back(R) :- lease(R, Ends), now(At), Ends <= At.\n";

/// An owner whose clock a file sets, and what it tells.
struct Timed {
    owner: Owner,
    told: BufReader<ChildStdout>,
}

impl Timed {
    fn new(dir: &Path) -> Self {
        let mut serve = hence(dir, &["serve"]);
        serve.env("HENCE_CLOCK", dir.join("clock")).stdin(Stdio::null());
        let mut process = serve.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let told = BufReader::new(process.stdout.take().unwrap());
        let said = BufReader::new(process.stderr.take().unwrap());
        let mut owner = Owner { process, said };
        owner.hear("serves the ledger");
        Self { owner, told }
    }

    /// What it tells next, up to a line that holds `text`.
    fn hear(&mut self, text: &str) -> String {
        let mut all = String::new();
        while !all.contains(text) {
            assert!(self.told.read_line(&mut all).unwrap() > 0, "no `{text}` in: {all}");
        }
        all
    }
}

fn set_clock(dir: &Path, at: &str) {
    fs::write(dir.join("next"), at).unwrap();
    fs::rename(dir.join("next"), dir.join("clock")).unwrap();
}

fn lease(dir: &Path, resource: &str) {
    let fact = format!("lease(\"{resource}\", @2026-02-03T12:00:00Z)");
    let mut assert = hence(dir, &["assert", &fact]);
    let output = assert.env("HENCE_CLOCK", dir.join("clock")).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn what_falls_due_without_room_is_told_once_and_drawn_at_its_instant_once_there_is_some() {
    let Some((dir, disk)) = on_small_disk(LEASES, "") else { return };
    set_clock(dir.path(), "2026-02-03T11:00:00Z");
    let mut timed = Timed::new(dir.path());
    lease(dir.path(), &long("printer"));
    until("the owner has the ledger back", || run(dir.path(), &["status"]).0 == 0);
    disk.fill();
    set_clock(dir.path(), "2026-02-03T12:00:07Z");
    let told = timed.hear("\"error\"");
    assert!(told.contains(FULL) && told.contains("tried again until there is room"), "{told}");
    assert_eq!(standing(dir.path(), "lease"), 1);
    disk.free();
    let told = timed.hear("\"committed\"");
    assert!(!told.contains("\"error\"") && told.contains("take_back"), "{:.2000}", told);
    assert!(told.contains("\"now\": \"2026-02-03T12:00:00Z\""), "{:.2000}", told);
    assert_eq!(timed.owner.stop().1, 0);
    verifies(dir.path());
}

#[test]
fn a_carrier_whose_answer_there_is_no_room_for_is_tried_again_under_its_key() {
    let carry = "[carry]\ntake_back = { carrier = \"command\", program = \"sh\", args = [\"deed.sh\"], attempts = 100 }\n";
    let Some((dir, disk)) = on_small_disk(LEASES, carry) else { return };
    // The first attempt takes all the room before it answers.
    let fill = format!("cat /dev/zero > {}", disk.ballast().display());
    let answer = format!("{{\"done\": [\"{}\"]}}", long("done"));
    fs::write(dir.path().join("answer"), answer).unwrap();
    let deed = format!(
        "cat > /dev/null\n[ -e deeds ] || {fill} 2> /dev/null\necho $HENCE_DECISION >> deeds\ncat answer\n"
    );
    fs::write(dir.path().join("deed.sh"), deed).unwrap();
    set_clock(dir.path(), "2026-02-03T12:30:00Z");
    let mut timed = Timed::new(dir.path());
    lease(dir.path(), "printer");
    let told = timed.hear("\"error\"");
    assert!(told.contains(FULL), "{told}");
    assert_eq!(standing(dir.path(), "lease"), 1);
    assert_eq!(standing(dir.path(), "done"), 0);
    disk.free();
    let told = timed.hear("\"change\": \"carried\"");
    assert!(told.contains("\"asserted\": 1"), "{told}");
    assert_eq!(timed.owner.stop().1, 0);
    assert_eq!(standing(dir.path(), "done"), 1);
    let deeds = fs::read_to_string(dir.path().join("deeds")).unwrap();
    let keys: std::collections::BTreeSet<&str> = deeds.lines().collect();
    assert_eq!(keys.len(), 1, "{deeds}");
    verifies(dir.path());
}
