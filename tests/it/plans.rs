//! The carrier `plan`: changes of steps and chains are checked, kept whole or undone, and stay in their folder, whenever
//! hence is killed.

use crate::slow;
use std::fs;
use std::path::Path;
use std::process::{Output, Stdio};
use std::thread;
use std::time::Duration;

use super::command;

const NOW: &str = "2026-02-10T09:00:00Z";

/// Checks that no file of the folder holds `BAD`, and counts lines with `FAIL` as failed tests.
const TYPECHECK: &str =
    "if grep -rq BAD --include='*.txt' .; then echo 'error TS2339: Property does not exist'; exit 1; fi";
const TESTS: &str =
    "n=$(cat *.txt | grep -c FAIL); echo \"===== $n failed, 1 passed in 0.1s =====\"; [ \"$n\" = 0 ]";

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = crate::memory::folder();
    fs::create_dir(dir.path().join("work")).unwrap();
    for (name, text) in files {
        fs::write(dir.path().join("work").join(name), text).unwrap();
    }
    settings(dir.path(), TYPECHECK, "");
    dir
}

fn settings(dir: &Path, typecheck: &str, more: &str) {
    fs::write(dir.join("typecheck.sh"), typecheck).unwrap();
    fs::write(dir.join("tests.sh"), TESTS).unwrap();
    let config = format!(
        "author = \"ada\"\npacks = [\"loop\"]\n[plan]\nfolder = \"work\"\ntypecheck = [\"sh\", \"../typecheck.sh\"]\n\
        tests = [\"sh\", \"../tests.sh\"]\n{more}"
    );
    fs::write(dir.join("hence.toml"), config).unwrap();
}

fn hence(dir: &Path, words: &[&str]) -> std::process::Command {
    let mut command = command::hence(dir, words);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(dir: &Path, words: &[&str]) -> Output {
    hence(dir, words).output().unwrap()
}

/// Decides by these facts and carries out.
fn carry_out(dir: &Path, facts: &[&str]) -> String {
    fs::write(dir.join("facts.jsonl"), facts.join("\n")).unwrap();
    let output = run(dir, &["decide", "--carry-out", "--facts", "facts.jsonl", "--now", NOW]);
    [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap()).concat()
}

fn facts(dir: &Path, relation: &str) -> Vec<String> {
    let output = run(dir, &["query", relation, "--format", "csv", "--now", NOW]);
    String::from_utf8(output.stdout).unwrap().lines().skip(1).map(str::to_owned).collect()
}

fn work(dir: &Path, name: &str) -> String {
    fs::read_to_string(dir.join("work").join(name)).unwrap_or_else(|_| String::from("absent"))
}

fn edit(plan: &str, index: u32, n: u32, old: &str, new: &str) -> String {
    format!(r#"{{"step_change": ["{plan}", {index}, {n}, "/edit", "{old}", "{new}"]}}"#)
}

#[test]
fn steps_are_made_checked_and_tested() {
    let dir = folder(&[("a.txt", "one\n")]);
    let said = carry_out(
        dir.path(),
        &[
            r#"{"step": ["p", 0, "a.txt"]}"#,
            r#"{"step": ["p", 1, "new/b.txt"]}"#,
            &edit("p", 0, 1, "one", "two"),
            r#"{"step_change": ["p", 1, 1, "/create", "", "three\n"]}"#,
        ],
    );
    assert_eq!(work(dir.path(), "a.txt"), "two\n", "{said}");
    assert_eq!(work(dir.path(), "new/b.txt"), "three\n");
    assert_eq!(facts(dir.path(), "attempt(P, I, N, O, F)"), ["p,0,1,/ok,true", "p,1,1,/ok,true"]);
    assert_eq!(facts(dir.path(), "final_tests(P, F)"), ["p,0"]);
    assert_eq!(facts(dir.path(), "plan_outcome(P, O)"), ["p,/success"]);
    let changelog = fs::read_to_string(dir.path().join("work/.hence-plan/changelog.jsonl")).unwrap();
    let lines: Vec<serde_json::Value> =
        changelog.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&lines[0]["path"], &lines[0]["end"]), (&"a.txt".into(), &"kept".into()));
    let backup = lines[0]["before"].as_str().unwrap();
    assert_eq!(work(dir.path(), &format!(".hence-plan/backups/{backup}")), "one\n");
}

#[test]
fn a_step_that_does_not_hold_is_undone_alone_and_tried_again_with_another_change() {
    let dir = folder(&[("a.txt", "one\n")]);
    carry_out(
        dir.path(),
        &[
            r#"{"step": ["p", 0, "a.txt"]}"#,
            r#"{"step": ["p", 1, "deep/down/b.txt"]}"#,
            &edit("p", 0, 1, "one", "two"),
            r#"{"step_change": ["p", 1, 1, "/create", "", "BAD"]}"#,
        ],
    );
    assert_eq!(work(dir.path(), "a.txt"), "two\n");
    assert!(!dir.path().join("work/deep").exists());
    assert_eq!(facts(dir.path(), "failed_attempt(P, I, N, O, E)"), ["p,1,1,/type_error,p/1/1"]);
    assert_eq!(facts(dir.path(), "write_step(P, I, N, F)"), ["p,1,2,deep/down/b.txt"]);
    assert!(facts(dir.path(), "failure_text(E, T)")[0].contains("TS2339"));
    carry_out(dir.path(), &[r#"{"step_change": ["p", 1, 2, "/create", "", "good"]}"#]);
    assert_eq!(work(dir.path(), "deep/down/b.txt"), "good");
    assert_eq!(facts(dir.path(), "plan_outcome(P, O)"), ["p,/success"]);
}

#[test]
fn a_change_that_can_t_be_made_fails_its_attempt() {
    let dir = folder(&[("a.txt", "one one\n")]);
    for (index, (old, told)) in [("none", "was not found"), ("one", "more than once")].iter().enumerate() {
        let plan = format!("p{index}");
        carry_out(
            dir.path(),
            &[&format!(r#"{{"step": ["{plan}", 0, "a.txt"]}}"#), &edit(&plan, 0, 1, old, "x")],
        );
        let texts = facts(dir.path(), &format!("failure_text(\"{plan}/0/1\", T)"));
        assert!(texts[0].contains(told), "{texts:?}");
    }
    assert_eq!(work(dir.path(), "a.txt"), "one one\n");
}

#[test]
fn forbidden_patterns_are_not_written() {
    let dir = folder(&[("a.py", "import os\n")]);
    carry_out(
        dir.path(),
        &[r#"{"step": ["p", 0, "a.py"]}"#, &edit("p", 0, 1, "import os", "import os; os.system('ls')")],
    );
    assert_eq!(work(dir.path(), "a.py"), "import os\n");
    assert_eq!(facts(dir.path(), "refuse_source(S, P)"), ["p/0/1,/shell_command"]);
    assert_eq!(facts(dir.path(), "failed_attempt(P, I, N, O, E)"), ["p,0,1,/write_failed,p/0/1"]);
    let dir = folder(&[("a.py", "import os\n")]);
    settings(dir.path(), TYPECHECK, "allow = [\"/shell_command\"]\n");
    carry_out(
        dir.path(),
        &[r#"{"step": ["p", 0, "a.py"]}"#, &edit("p", 0, 1, "import os", "import os; os.system('ls')")],
    );
    assert!(work(dir.path(), "a.py").contains("os.system"));
}

#[test]
fn no_path_leads_out_of_the_folder() {
    let dir = folder(&[("a.txt", "one\n")]);
    let outside = dir.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("secret.txt"), "one\n").unwrap();
    std::os::unix::fs::symlink(&outside, dir.path().join("work/link")).unwrap();
    std::os::unix::fs::symlink(outside.join("secret.txt"), dir.path().join("work/secret.txt")).unwrap();
    let absolute = outside.join("secret.txt").display().to_string();
    let paths = [
        "../outside/secret.txt",
        "link/secret.txt",
        "secret.txt",
        &absolute,
        "a/../../outside/secret.txt",
        ".git/hooks/post-commit",
        ".hence-plan/step.json",
        "",
        ".",
        "a.txt/b",
    ];
    let mut given = Vec::new();
    for (number, path) in paths.iter().enumerate() {
        for (action, old) in [("/edit", "one"), ("/create", "")] {
            let plan = format!("p{number}{}", &action[1..]);
            given.push(format!(r#"{{"step": ["{plan}", 0, "{path}"]}}"#));
            given.push(format!(r#"{{"step_change": ["{plan}", 0, 1, "{action}", "{old}", "two"]}}"#));
        }
    }
    let said = carry_out(dir.path(), &given.iter().map(String::as_str).collect::<Vec<_>>());
    let failed = facts(dir.path(), "failed_attempt(P, 0, 1, /write_failed, E)");
    assert_eq!(failed.len(), 2 * paths.len(), "{failed:?} {said}");
    assert_eq!(fs::read_to_string(outside.join("secret.txt")).unwrap(), "one\n");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
    assert!(!dir.path().join("work/.git").exists());
}

#[test]
fn a_fix_pass_is_kept_where_fewer_tests_fail() {
    for (fix, kept, outcome) in [("good", "good\n", "/success"), ("FAIL FAIL", "FAIL\n", "/partial")] {
        let dir = folder(&[("a.txt", "one\n")]);
        let said =
            carry_out(dir.path(), &[r#"{"step": ["p", 0, "a.txt"]}"#, &edit("p", 0, 1, "one", "FAIL")]);
        assert_eq!(facts(dir.path(), "fix_pass(P)"), ["p"], "{said}");
        carry_out(
            dir.path(),
            &[&format!(r#"{{"fix_change": ["p", 0, "a.txt", "/edit", "FAIL", "{fix}"]}}"#)],
        );
        assert_eq!(work(dir.path(), "a.txt"), kept);
        assert_eq!(facts(dir.path(), "plan_outcome(P, O)"), [format!("p,{outcome}")]);
    }
}

#[test]
fn a_step_that_was_kept_is_rolled_back_by_a_decision() {
    let dir = folder(&[("a.txt", "one\n")]);
    carry_out(dir.path(), &[r#"{"step": ["p", 0, "a.txt"]}"#, &edit("p", 0, 1, "one", "two")]);
    assert_eq!(work(dir.path(), "a.txt"), "two\n");
    carry_out(dir.path(), &[r#"{"attempt": ["p", 0, 2, "/type_error", false]}"#]);
    assert_eq!(work(dir.path(), "a.txt"), "one\n");
    assert_eq!(facts(dir.path(), "rolled_back(P, I)"), ["p,0"]);
}

#[test]
fn a_chain_hands_outputs_on_and_keeps_its_changes() {
    let dir = folder(&[("a.txt", "one\n"), ("b.txt", "beta\n")]);
    let said = carry_out(
        dir.path(),
        &[
            r#"{"call": ["c", "find", "/search"]}"#,
            r#"{"call": ["c", "look", "/read"]}"#,
            r#"{"call": ["c", "put", "/write"]}"#,
            r#"{"call": ["c", "check", "/typecheck"]}"#,
            r#"{"call_place": ["c", "find", 0]}"#,
            r#"{"call_place": ["c", "look", 1]}"#,
            r#"{"call_place": ["c", "put", 2]}"#,
            r#"{"call_place": ["c", "check", 3]}"#,
            r#"{"call_needs": ["c", "look", "find"]}"#,
            r#"{"call_needs": ["c", "put", "look"]}"#,
            r#"{"call_arg": ["c", "find", "/pattern", "^bet"]}"#,
            r#"{"call_arg": ["c", "look", "/path", "{{find.path}}"]}"#,
            r#"{"call_arg": ["c", "put", "/path", "c.txt"]}"#,
            r#"{"call_arg": ["c", "put", "/content", "copy of {{look.content}}"]}"#,
        ],
    );
    assert_eq!(work(dir.path(), "c.txt"), "copy of beta\n", "{said}");
    assert_eq!(facts(dir.path(), "chain_ended(C, K)"), ["c,true"]);
    let found = facts(dir.path(), "call_output(\"c\", \"find\", /matches, T)");
    assert!(found[0].contains("b.txt:1:beta"), "{found:?}");
}

#[test]
fn a_chain_whose_check_fails_leaves_nothing() {
    let dir = folder(&[("a.txt", "one\n")]);
    carry_out(
        dir.path(),
        &[
            r#"{"call": ["c", "change", "/edit"]}"#,
            r#"{"call": ["c", "new", "/write"]}"#,
            r#"{"call": ["c", "check", "/typecheck"]}"#,
            r#"{"call": ["c", "tests", "/test"]}"#,
            r#"{"call_place": ["c", "change", 0]}"#,
            r#"{"call_place": ["c", "new", 1]}"#,
            r#"{"call_place": ["c", "check", 2]}"#,
            r#"{"call_needs": ["c", "tests", "check"]}"#,
            r#"{"call_arg": ["c", "change", "/path", "a.txt"]}"#,
            r#"{"call_arg": ["c", "change", "/old", "one"]}"#,
            r#"{"call_arg": ["c", "change", "/new", "BAD"]}"#,
            r#"{"call_arg": ["c", "new", "/path", "n/b.txt"]}"#,
            r#"{"call_arg": ["c", "new", "/content", "new"]}"#,
        ],
    );
    assert_eq!(work(dir.path(), "a.txt"), "one\n");
    assert!(!dir.path().join("work/n").exists());
    assert_eq!(facts(dir.path(), "chain_ended(C, K)"), ["c,false"]);
    assert_eq!(facts(dir.path(), "call_ended(\"c\", \"tests\", false, E)").len(), 1);
}

#[test]
fn a_placeholder_of_a_call_that_is_not_needed_is_an_error() {
    let dir = folder(&[("a.txt", "one\n")]);
    carry_out(
        dir.path(),
        &[
            r#"{"call": ["c", "one", "/read"]}"#,
            r#"{"call": ["c", "two", "/read"]}"#,
            r#"{"call_arg": ["c", "one", "/path", "a.txt"]}"#,
            r#"{"call_arg": ["c", "two", "/path", "{{one.path}}"]}"#,
        ],
    );
    let ended = facts(dir.path(), "call_ended(\"c\", \"two\", false, E)");
    assert!(ended[0].contains("{{one.path}}"), "{ended:?}");
}

/// What the files of the step below are: as before it, or as after it.
fn state(dir: &Path) -> &'static str {
    match (work(dir, "a.txt").as_str(), work(dir, "new/b.txt").as_str()) {
        ("one\n", "absent") => "before",
        ("two\n", "three\n") => "after",
        _ => "between",
    }
}

#[test]
fn a_killed_chain_is_whole_or_absent_after_the_next_start() {
    let calls = [
        r#"{"call": ["c", "change", "/edit"]}"#,
        r#"{"call": ["c", "new", "/write"]}"#,
        r#"{"call": ["c", "check", "/typecheck"]}"#,
        r#"{"call_place": ["c", "change", 0]}"#,
        r#"{"call_place": ["c", "new", 1]}"#,
        r#"{"call_place": ["c", "check", 2]}"#,
        r#"{"call_arg": ["c", "change", "/path", "a.txt"]}"#,
        r#"{"call_arg": ["c", "change", "/old", "one"]}"#,
        r#"{"call_arg": ["c", "change", "/new", "two"]}"#,
        r#"{"call_arg": ["c", "new", "/path", "new/b.txt"]}"#,
        r#"{"call_arg": ["c", "new", "/content", "three\n"]}"#,
    ];
    let rounds = slow::size(8, 300);
    let mut seen = std::collections::BTreeSet::new();
    for round in 0..rounds {
        let dir = folder(&[("a.txt", "one\n")]);
        // It says that both changes are made, and takes some time.
        settings(dir.path(), "touch ../checking; sleep 0.05", "");
        fs::write(dir.path().join("facts.jsonl"), calls.join("\n")).unwrap();
        let words = ["decide", "--carry-out", "--facts", "facts.jsonl", "--now", NOW];
        let mut child = hence(dir.path(), &words).spawn().unwrap();
        if round % 4 == 0 {
            while !dir.path().join("checking").exists() && child.try_wait().unwrap().is_none() {
                thread::sleep(Duration::from_millis(1));
            }
        } else {
            // From the first write on, a little later each time.
            while !dir.path().join("work/.hence-plan").exists() && child.try_wait().unwrap().is_none() {
                thread::sleep(Duration::from_micros(200));
            }
            thread::sleep(Duration::from_millis((round * 7) % 60));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let is_left = round % 2 == 0;
        if is_left {
            // Nobody carries it out any more, and what it left half-way is undone all the same.
            run(dir.path(), &["outbox", "skip", "1.1"]);
        }
        let carried = run(dir.path(), &["carry", "--now", NOW]);
        let now = state(dir.path());
        assert!(now == "after" || is_left && now == "before", "round {round}: {now}, {carried:?}");
        assert!(!dir.path().join("work/.hence-plan/step.json").exists());
        if !is_left {
            assert_eq!(facts(dir.path(), "chain_ended(C, K)"), ["c,true"], "round {round}");
        }
        seen.insert(now);
        let verified = run(dir.path(), &["verify"]);
        assert!(verified.status.success(), "{verified:?}");
    }
    assert!(seen.contains("before"), "{seen:?}");
}
