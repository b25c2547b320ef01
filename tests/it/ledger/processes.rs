//! The binary beside another process, on full and read-only media, without permissions, over a damaged base: told in
//! words, never a panic.

use crate::slow;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use hence::session::RuleSource;
use hence_core::fact::Fact;
use hence_core::value::Value;
use hence_ledger::{Decision, Draft, Ledger, OpenOptions};

use super::support::Random;
use crate::command::hence;
use crate::memory;
use crate::small_disk::SmallDisk;

const RULES: &str = "## A job that failed, and how often.\ninput failed(job: string, tries: int).\n\n\
    ## Try it again.\ndecision retry(job: string).\n\n@id(again)\n@because(\"{Job} was tried {Tries} times\")\nretry(Job) :- failed(Job, Tries), Tries < 3.\n";

/// Runs a command, which must not panic; exit status, standard output, standard error.
fn run(mut command: Command) -> (i32, String, String) {
    let Output { status, stdout, stderr } = command.output().unwrap();
    let said = String::from_utf8(stderr).unwrap();
    assert!(!said.contains("panicked") && !said.contains("sled-0.34"), "{said}");
    (status.code().unwrap(), String::from_utf8(stdout).unwrap(), said)
}

/// A folder with rules that another user may read too.
fn folder() -> tempfile::TempDir {
    let dir = memory::folder();
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(dir.path().join("retry.dl"), RULES).unwrap();
    dir
}

fn assert_fact(dir: &Path, fact: &str) {
    let (status, _, said) = run(hence(dir, &["assert", fact, "--rules", "retry.dl"]));
    assert_eq!((status, said.as_str()), (0, ""));
}

#[test]
fn a_second_process_is_told_who_writes_may_ask_and_may_wait() {
    let dir = folder();
    assert_fact(dir.path(), "failed(\"backup\", 1)");
    // A process that has the ledger and lends it to nobody.
    let holder = Ledger::open(dir.path().join(".hence"), &OpenOptions::default()).unwrap();
    let retracting = ["retract", "failed(\"backup\", 1)", "--rules", "retry.dl"];
    let (status, _, said) = run(hence(dir.path(), &retracting));
    let in_use = format!("the ledger is in use by process {} (hence)", std::process::id());
    assert_eq!((status, said), (2, format!("error: {in_use}\n")));
    let query = ["query", "retry(J)", "--rules", "retry.dl", "--format", "jsonl"];
    let (status, rows, said) = run(hence(dir.path(), &query));
    assert_eq!((status, rows.as_str()), (0, "{\"J\": \"backup\"}\n"));
    assert_eq!(said, "");
    let briefly = [&retracting[..], &["--wait", "50ms"]].concat();
    assert_eq!(run(hence(dir.path(), &briefly)).0, 2);
    let begun = std::time::Instant::now();
    assert_eq!(run(hence(dir.path(), &[&retracting[..], &["--wait", "0s"]].concat())).0, 2);
    let mut by_variable = hence(dir.path(), &retracting);
    by_variable.env("HENCE_WAIT", "0s");
    assert_eq!(run(by_variable).0, 2);
    assert!(begun.elapsed() < std::time::Duration::from_secs(5), "{:?}", begun.elapsed());
    let waiting = [&retracting[..], &["--wait", "60s"]].concat();
    let waiter = hence(dir.path(), &waiting).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(100));
    drop(holder);
    let waited = waiter.wait_with_output().unwrap();
    assert!(waited.status.success(), "{}", String::from_utf8_lossy(&waited.stderr));
    assert!(String::from_utf8_lossy(&waited.stdout).contains("recorded as transaction 2"));
}

#[test]
fn whoever_has_the_lock_for_a_moment_is_waited_for() {
    let dir = folder();
    // So does an owner that begins, before it listens, and another command.
    let holder = Ledger::open(dir.path().join(".hence"), &OpenOptions::default()).unwrap();
    let asserting = ["assert", "failed(\"backup\", 1)", "--rules", "retry.dl"];
    let waiter = hence(dir.path(), &asserting).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(700));
    drop(holder);
    let waited = waiter.wait_with_output().unwrap();
    assert!(waited.status.success(), "{}", String::from_utf8_lossy(&waited.stderr));
    assert!(String::from_utf8_lossy(&waited.stdout).contains("recorded as transaction 1"));
}

#[test]
fn a_damaged_base_is_told_of_without_the_text_of_a_panic() {
    let dir = folder();
    (0..30).for_each(|n| assert_fact(dir.path(), &format!("failed(\"job {n}\", {n})")));
    let files: Vec<_> =
        fs::read_dir(dir.path().join(".hence/base")).unwrap().map(|file| file.unwrap().path()).collect();
    let mut random = Random::new(3);
    let rounds = slow::size(6, 100);
    for _ in 0..rounds {
        for path in files.iter().filter(|path| path.is_file()) {
            let mut content = fs::read(path).unwrap();
            for _ in 0..20 {
                let at = random.below(content.len().clamp(1, 20_000) as u64) as usize;
                if let Some(byte) = content.get_mut(at) {
                    *byte ^= 0x5a;
                }
            }
            fs::write(path, content).unwrap();
        }
        let (status, text, said) = run(hence(dir.path(), &["status"]));
        assert_eq!(status, 0, "{said}");
        assert!(text.contains("facts         30"), "{text}");
    }
}

#[test]
fn a_decision_that_its_rules_do_not_draw_is_found_with_its_place() {
    let dir = folder();
    let rules =
        RuleSource { paths: vec![dir.path().join("retry.dl")], ..RuleSource::default() }.build().unwrap();
    let mut ledger = Ledger::open(dir.path().join(".hence"), &OpenOptions::default()).unwrap();
    let failed = |job: &str| Fact::new("failed", [Value::String(job.into()), Value::Int(1)]);
    let drawn = |job: &str| Decision::new(Fact::new("retry", [Value::String(job.into())]));
    for (job, decided) in [("a", "a"), ("b", "c")] {
        let draft = Draft {
            author: "eve".into(),
            assertions: vec![failed(job)],
            drawn: vec![drawn(decided)],
            clock: Some(0),
            rules: Some(rules.recorded()),
            ..Draft::default()
        };
        ledger.commit(&draft).unwrap();
    }
    drop(ledger);
    let (status, text, said) = run(hence(dir.path(), &["verify"]));
    assert_eq!(status, 1, "{text}{said}");
    let missed = "transaction 2, decision retry(\"b\"): not recorded; drawn again, it is drawn";
    assert!(text.contains(missed), "{text}");
    assert!(
        text.contains("retry(\"c\"): recorded as drawn by no rule; drawn again, it does not follow"),
        "{text}"
    );
    assert!(!text.contains("transaction 1, decision retry") && text.contains("3 errors"), "{text}");
    let path = dir.path().join(".hence/journal/00000001.journal");
    let mut content = fs::read(&path).unwrap();
    content[300] ^= 1;
    fs::write(&path, content).unwrap();
    let (status, _, said) = run(hence(dir.path(), &["verify"]));
    assert_eq!(status, 1, "{said}");
    assert!(said.contains("00000001.journal: damaged at byte 60, in transaction 1"), "{said}");
}

/// Whether this user may do everything; permissions are tried as another one then.
fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|metadata| metadata.uid() == 0)
}

fn as_nobody(mut command: Command) -> Command {
    if is_root() {
        command.uid(65_534).gid(65_534);
    }
    command
}

fn permit(path: &Path, files: u32, folders: u32) {
    if path.is_dir() {
        fs::set_permissions(path, fs::Permissions::from_mode(folders)).unwrap();
        fs::read_dir(path).unwrap().for_each(|entry| permit(&entry.unwrap().path(), files, folders));
    } else {
        fs::set_permissions(path, fs::Permissions::from_mode(files)).unwrap();
    }
}

#[test]
fn a_ledger_that_may_only_be_read_answers_and_takes_nothing() {
    let dir = folder();
    assert_fact(dir.path(), "failed(\"backup\", 1)");
    let store = dir.path().join(".hence");
    permit(&store, 0o444, 0o555);
    let (status, rows, said) = run(as_nobody(hence(dir.path(), &["facts", "failed", "--format", "jsonl"])));
    assert_eq!((status, rows.as_str()), (0, "{\"failed\": [\"backup\", 1]}\n"), "{said}");
    assert_eq!(said, "");
    let (status, _, said) =
        run(as_nobody(hence(dir.path(), &["assert", "failed(\"b\", 1)", "--rules", "retry.dl"])));
    assert_eq!(status, 2, "{said}");
    assert!(said.contains(".hence") && said.contains("ermission denied"), "{said}");
    let journal = store.join("journal/00000001.journal");
    fs::set_permissions(&journal, fs::Permissions::from_mode(0o000)).unwrap();
    let (status, _, said) = run(as_nobody(hence(dir.path(), &["status"])));
    assert_eq!(status, 2, "{said}");
    assert!(said.contains("00000001.journal") && said.contains("ermission denied"), "{said}");
    permit(&store, 0o644, 0o755);
    assert_fact(dir.path(), "failed(\"backup\", 2)");
}

#[test]
fn a_removed_or_forbidden_base_is_no_loss() {
    let dir = folder();
    assert_fact(dir.path(), "failed(\"backup\", 1)");
    fs::remove_dir_all(dir.path().join(".hence/base")).unwrap();
    let (status, rows, said) = run(hence(dir.path(), &["facts", "failed", "--format", "jsonl"]));
    assert_eq!((status, rows.as_str()), (0, "{\"failed\": [\"backup\", 1]}\n"), "{said}");
    assert!(said.contains("the fact base is not used"), "{said}");
    assert!(!dir.path().join(".hence/base").exists());
    let (status, _, said) = run(hence(dir.path(), &["rebuild"]));
    assert_eq!(status, 0, "{said}");
    assert!(said.contains("rebuilt up to transaction 1"), "{said}");
    assert_fact(dir.path(), "failed(\"backup\", 2)");
}

#[test]
fn a_full_device_is_an_error_in_words() {
    let dir = folder();
    assert_fact(dir.path(), "failed(\"backup\", 1)");
    for command in ["export", "status"] {
        let mut command = hence(dir.path(), &[command]);
        command.stdout(fs::OpenOptions::new().write(true).open("/dev/full").unwrap());
        let said = command.output().unwrap();
        assert_eq!(said.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&said.stderr).contains("No space left on device"));
    }
    let journal = dir.path().join(".hence/journal/00000001.journal");
    fs::rename(&journal, dir.path().join("kept")).unwrap();
    std::os::unix::fs::symlink("/dev/full", &journal).unwrap();
    let (status, _, said) = run(hence(dir.path(), &["assert", "failed(\"b\", 1)", "--rules", "retry.dl"]));
    assert_eq!(status, 2, "{said}");
    fs::remove_file(&journal).unwrap();
    fs::rename(dir.path().join("kept"), &journal).unwrap();
    assert_fact(dir.path(), "failed(\"backup\", 2)");
}

#[test]
fn a_file_system_that_fills_up_loses_nothing_acknowledged() {
    let dir = folder();
    let Some(disk) = SmallDisk::mounted(&dir.path().join("small"), "2m") else { return };
    let (mut recorded, mut refused) = (0, 0);
    let text = "x".repeat(40_000);
    for n in 0..60 {
        let fact = format!("failed(\"{n} {text}\", {n})");
        let (status, out, said) =
            run(hence(dir.path(), &["assert", &fact, "--rules", "retry.dl", "--store", "small/led"]));
        match status {
            0 => recorded += 1,
            2 => refused += 1,
            _ => panic!("{status} {out} {said}"),
        }
        if status == 2 {
            assert!(said.contains("No space left on device") || said.contains("ENOSPC"), "{said}");
        }
        if refused == 3 {
            break;
        }
    }
    assert!(recorded > 3 && refused == 3, "{recorded} recorded, {refused} refused");
    let reading =
        ["facts", "failed", "--store", "small/led", "--format", "csv", "--up-to", &recorded.to_string()];
    let (status, rows, said) = run(hence(dir.path(), &reading));
    assert_eq!((status, rows.lines().count()), (0, recorded + 1), "{said}");
    fs::create_dir(dir.path().join("large")).unwrap();
    let copied =
        Command::new("cp").args(["-r", "small/led", "large/"]).current_dir(dir.path()).status().unwrap();
    assert!(copied.success());
    drop(disk);
    let (status, text, said) = run(hence(dir.path(), &["verify", "--store", "large/led", "--no-replay"]));
    assert_eq!(status, 0, "{said}");
    assert!(text.contains(&format!("{recorded} transactions")), "{text}");
    let (status, _, said) = run(hence(
        dir.path(),
        &["assert", "failed(\"b\", 1)", "--rules", "retry.dl", "--store", "large/led"],
    ));
    assert_eq!(status, 0, "{said}");
}
