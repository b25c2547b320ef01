//! Programs that carry decisions out: what they see, how they end, and what is recorded where they fail.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::command;

const RULES: &str = "## Asked.\ninput f(n: int).\n\n## Done.\ninput done(what: string).\n\n## Act.\ndecision act(n: int).\n\n\
    @id(acts)\n@because(\"{N} asks\")\nact(N) :- f(N).\n";

/// A folder in which a shell runs `script` for `act`; `more` is beside it in `[run_command]`.
fn folder(script: &str, more: &str) -> tempfile::TempDir {
    let dir = crate::memory::folder();
    fs::create_dir(dir.path().join("rules")).unwrap();
    fs::write(dir.path().join("rules/act.dl"), RULES).unwrap();
    fs::write(dir.path().join("script.sh"), script).unwrap();
    let config = format!("[run_command]\nact = {{ program = \"sh\", args = [\"script.sh\"]{more} }}\n");
    fs::write(dir.path().join("hence.toml"), config).unwrap();
    fs::write(dir.path().join("facts.jsonl"), "{\"f\": [1]}\n").unwrap();
    dir
}

fn hence(dir: &Path, words: &[&str]) -> Command {
    let mut command = command::hence(dir, words);
    command.env("SECRET_TOKEN", "abc").env("GIVEN_TOKEN", "def");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn decide(dir: &Path) -> Output {
    hence(dir, &["decide", "--carry-out", "--facts", "facts.jsonl"]).output().unwrap()
}

fn log(dir: &Path) -> String {
    String::from_utf8(hence(dir, &["log"]).output().unwrap().stdout).unwrap()
}

/// Waits until what a file names as a process is gone.
fn ends(file: &Path) {
    let process = fs::read_to_string(file).unwrap();
    let state = Path::new("/proc").join(process.trim()).join("stat");
    let begun = Instant::now();
    // A process that nobody waits for yet is a zombie, and does nothing any more.
    while fs::read_to_string(&state).is_ok_and(|stat| !stat.contains(") Z")) {
        assert!(begun.elapsed() < Duration::from_secs(5), "process {process} goes on");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_program_sees_of_the_environment_what_is_named() {
    let dir = folder("env > seen", ", env = [\"GIVEN_TOKEN\"]");
    let output = decide(dir.path());
    assert!(output.status.success(), "{output:?}");
    let seen = fs::read_to_string(dir.path().join("seen")).unwrap();
    assert!(seen.contains("GIVEN_TOKEN=def") && seen.contains("PATH="), "{seen}");
    assert!(!seen.contains("SECRET_TOKEN"), "{seen}");
}

#[test]
fn a_variable_that_is_not_set_is_told_before_anything_is_decided() {
    let dir = folder("true", ", env = [\"NOT_SET_ANYWHERE\"]");
    let output = decide(dir.path());
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && told.contains("`NOT_SET_ANYWHERE`"), "{output:?}");
    assert!(!dir.path().join(".hence").exists() || log(dir.path()).is_empty());
}

#[test]
fn everything_that_a_program_started_ends_at_its_time_limit() {
    let script = "sleep 100 & echo $! > below; trap '' TERM; sleep 100";
    let dir = folder(script, ", time_limit = \"300ms\"");
    let begun = Instant::now();
    let output = decide(dir.path());
    assert!(begun.elapsed() < Duration::from_secs(20), "it took {:?}", begun.elapsed());
    assert!(String::from_utf8_lossy(&output.stderr).contains("it was stopped after 300ms"), "{output:?}");
    ends(&dir.path().join("below"));
    let log = log(dir.path());
    assert!(log.contains("from decision 1.1: not carried out by run_command"), "{log}");
}

#[test]
fn everything_that_a_program_started_ends_with_it() {
    let dir = folder("sleep 100 & echo $! > below; echo '{\"done\": [\"yes\"]}'", ", time_limit = \"60s\"");
    let begun = Instant::now();
    let output = decide(dir.path());
    assert!(output.status.success() && begun.elapsed() < Duration::from_secs(20), "{output:?}");
    ends(&dir.path().join("below"));
    assert!(log(dir.path()).contains("from decision 1.1: carried out by run_command"));
}

#[test]
fn a_program_ends_where_hence_is_told_to() {
    let dir = folder("sleep 100 & echo $! > below; echo $$ > self; wait", ", time_limit = \"60s\"");
    let mut child = hence(dir.path(), &["decide", "--carry-out", "--facts", "facts.jsonl"]).spawn().unwrap();
    let begun = Instant::now();
    while fs::read_to_string(dir.path().join("self")).unwrap_or_default().is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(20), "the program was not started");
        thread::sleep(Duration::from_millis(20));
    }
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    let status = child.wait().unwrap();
    assert!(!status.success(), "{status}");
    ends(&dir.path().join("below"));
    ends(&dir.path().join("self"));
}

#[test]
fn failure_is_recorded_and_what_was_said_is_shown() {
    let script = "cat > /dev/null; printf 'no\\033]0;pwn\\007 way\\n' >&2; exit 3";
    let dir = folder(script, "");
    let output = decide(dir.path());
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("sh: no\\u{1b}]0;pwn\\u{7} way"), "{told}");
    assert!(told.contains("it ended with exit status: 3"), "{told}");
    let log = log(dir.path());
    assert!(log.contains("1 asserted, 0 retracted, 0 drawn, 0 lapsed"), "{log}");
    assert!(log.contains("not carried out by run_command: `sh` failed"), "{log}");
    let verified = hence(dir.path(), &["verify"]).output().unwrap();
    assert!(verified.status.success(), "{verified:?}");
    let exported = hence(dir.path(), &["export", "-o", "all.jsonl"]).output().unwrap();
    assert!(exported.status.success(), "{exported:?}");
    let imported = hence(dir.path(), &["import", "all.jsonl", "--store", "other"]).output().unwrap();
    assert!(imported.status.success(), "{imported:?}");
}

#[test]
fn what_a_program_writes_is_bounded() {
    let dir = folder("cat > /dev/null; yes '{\"done\": [\"yes\"]}' | head -c 4000000", "");
    let output = decide(dir.path());
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("it wrote more than 1048576 bytes"),
        "{output:?}"
    );
}
