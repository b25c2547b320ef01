//! What a command line says where it would be easy to say nothing: names that mean nothing, options that contradict,
//! results that nobody gets, lines that are refused.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::command;
use super::settings::{RULES, Ran, folder, run};

const FACTS: &str = "{\"n\": [1]}\n{\"n\": [2]}\n";

/// A folder with rules, settings, facts, and a ledger that holds them.
fn decided() -> tempfile::TempDir {
    let dir = folder(&[("rules/n.dl", RULES), ("hence.toml", ""), ("n.jsonl", FACTS)]);
    let Ran(status, _, told) = run(dir.path(), &["decide", "--facts", "n.jsonl"], &[], "");
    assert_eq!(status, 0, "{told}");
    dir
}

/// Runs a command that is refused; what it says.
#[track_caller]
fn refused(dir: &Path, args: &[&str], wanted: &str) {
    let Ran(status, out, told) = run(dir, args, &[], "");
    assert!(status == 2 && out.is_empty() && told.contains(wanted), "{args:?}: {status}\n{out}\n{told}");
}

#[test]
fn a_variable_that_means_nothing_is_named_once_with_the_nearest() {
    let dir = decided();
    let variables =
        [("HENCE_STROE", "other"), ("HENCE_PARAM_FLOOR", "0"), ("HENCE_EMPTY", ""), ("HENCE_PARAM_", "1")];
    let Ran(status, _, told) = run(dir.path(), &["derive"], &variables, "");
    assert_eq!(status, 0, "{told}");
    let warning = "warning: unknown variable HENCE_STROE; did you mean HENCE_STORE?\n";
    assert_eq!(told.matches(warning).count(), 1, "{told}");
    assert!(
        told.contains("unknown variable HENCE_PARAM_") && !told.contains("EMPTY") && !told.contains("FLOOR"),
        "{told}"
    );
    let Ran(_, shown, _) = run(dir.path(), &["config", "--format", "csv"], &variables, "");
    assert!(shown.contains("HENCE_PARAM_FLOOR") && !shown.contains("STROE"), "{shown}");
}

#[test]
fn a_relation_that_there_is_not_has_no_facts_to_show() {
    let dir = decided();
    refused(dir.path(), &["facts", "m"], "unknown relation `m`");
    refused(dir.path(), &["facts", "bigg"], "unknown relation `bigg`");
    refused(dir.path(), &["facts", "big"], "`big` is derived and not recorded; `hence derive big` shows it");
    refused(dir.path(), &["export", "--format", "jsonl", "--relation", "nn"], "unknown relation `nn`");
    let Ran(status, ..) = run(dir.path(), &["retract", "n(1)", "n(2)"], &[], "");
    assert_eq!(status, 0);
    let Ran(status, _, told) = run(dir.path(), &["facts", "n"], &[], "");
    assert_eq!(status, 0, "{told}");
}

#[test]
fn files_of_facts_and_a_ledger_are_not_asked_at_once() {
    let dir = decided();
    for words in [
        &["derive", "--facts", "n.jsonl", "--store", ".hence"][..],
        &["query", "n(X)", "--facts", "n.jsonl", "--store", "none"],
        &["why", "big(2)", "--facts", "n.jsonl", "--up-to", "1"],
    ] {
        refused(dir.path(), words, "--facts reads files, --store and --up-to read a ledger");
    }
    for words in [
        &["log"][..],
        &["facts"],
        &["status"],
        &["verify"],
        &["export"],
        &["backup", "copy"],
        &["history", "n(1)"],
    ] {
        refused(dir.path(), &[words, &["--facts", "n.jsonl"]].concat(), "--facts names files");
    }
    let both = ["decide", "--facts", "n.jsonl", "--store", "second"];
    assert_eq!(run(dir.path(), &both, &[], "").0, 0);
    assert!(dir.path().join("second/journal").is_dir());
}

#[test]
fn rules_in_a_folder_above_are_told_of_where_the_shipped_packs_are_used() {
    let dir = folder(&[("rules/n.dl", RULES), ("below/deep/n.txt", "")]);
    let deep = dir.path().join("below/deep");
    let calls = ["decide", "--dry-run"];
    let Ran(status, _, told) = run(&deep, &calls, &[], "");
    let warning = "warning: the rules are the shipped packs; not read in a folder above: `../../rules`; use `--rules \
                   ../../rules` to read them\n";
    assert!(status == 0 && told.matches(warning).count() == 1, "{told}");
    refused(
        &deep,
        &["check"],
        "the rules in a folder above are not checked, since no hence.toml names them: `../../rules`",
    );
    for meant in [&["--pack", "goals"][..], &["--rules", "../../rules"]] {
        let Ran(_, _, told) = run(&deep, &[&calls, meant].concat(), &[], "");
        assert!(!told.contains("above"), "{told}");
    }
    fs::write(dir.path().join("below/hence.toml"), "").unwrap();
    assert!(!run(&deep, &calls, &[], "").2.contains("above"), "the settings end where rules are looked for");
    fs::write(dir.path().join("hence.toml"), "").unwrap();
    fs::remove_file(dir.path().join("below/hence.toml")).unwrap();
    assert!(!run(&deep, &calls, &[], "").2.contains("shipped"), "the rules beside the settings are read");
}

#[cfg(unix)]
#[test]
fn no_result_is_written_into_a_pipe_that_nobody_reads() {
    let dir = decided();
    assert!(Command::new("mkfifo").arg("pipe").current_dir(dir.path()).status().unwrap().success());
    let begun = Instant::now();
    for words in [
        &["doc", "-o", "pipe"][..],
        &["compile", "rules", "-o", "pipe"],
        &["test", "--coverage", "--lcov", "pipe"],
    ] {
        let Ran(status, _, told) = run(dir.path(), words, &[], "");
        let wanted = "`pipe` can't be written: it is a pipe; only regular files are written";
        assert!(status == 2 && told.contains(wanted), "{words:?}: {status} {told}");
    }
    // What takes a result as it comes may be a pipe, if somebody reads it.
    let Ran(status, _, told) = run(dir.path(), &["export", "-o", "pipe"], &[], "");
    assert!(status == 2 && told.contains("`pipe` can't be written: nobody reads what it leads to"), "{told}");
    assert!(begun.elapsed() < Duration::from_secs(30));
    fs::write(dir.path().join("page"), "x".repeat(1 << 20)).unwrap();
    assert_eq!(run(dir.path(), &["doc", "-o", "page"], &[], "").0, 0);
    assert!(
        fs::metadata(dir.path().join("page")).unwrap().len() < 1 << 20,
        "what stood there before is gone"
    );
}

#[cfg(unix)]
#[test]
fn results_that_nobody_gets_are_an_error() {
    let dir = decided();
    for to in ["1</dev/null", ">/dev/full"] {
        for command in ["derive", "derive --format jsonl", "facts n --format csv", "log", "config", "--help"]
        {
            let line = format!("hence {command} {to}");
            let output = command::shell(dir.path(), &line).output().unwrap();
            let told = String::from_utf8_lossy(&output.stderr);
            assert!(
                output.status.code() == Some(2) && told.contains("could not be written"),
                "{line}: {output:?}"
            );
        }
    }
    let written = command::shell(dir.path(), "hence fmt --check rules 1</dev/null").status().unwrap();
    assert_ne!(written.code(), Some(2), "what says nothing has nothing to write");
}

#[cfg(unix)]
#[test]
fn words_of_any_bytes_are_refused_as_others_are() {
    use std::os::unix::ffi::OsStrExt;
    let dir = decided();
    let odd = std::ffi::OsStr::from_bytes(b"\xff.dl");
    for words in
        [&["check"][..], &["decide"], &["derive", "--rules"], &["export", "-o", "/nowhere/x", "--store"]]
    {
        let output = command::hence(dir.path(), words).arg(odd).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && told.contains("error: "), "{words:?}: {output:?}");
    }
}

#[test]
fn an_entry_of_the_prompt_has_a_bound_and_is_taken_whole_or_not_at_all() {
    let dir = decided();
    let mut command = command::hence(dir.path(), &["repl", "--empty"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"input e(x: int).\ninput no(x: int).\n").unwrap();
    // A rule whose guard can't be read is not a rule without it.
    input.write_all(b"ok(X) :- e(X),\n    !no(X), \xff\n    X > 0.\ne(1). e(2).\n").unwrap();
    for _ in 0..65 {
        input.write_all(&vec![b'x'; 1 << 20]).unwrap();
    }
    input.write_all(b"\n?- e(X).\n?- ok(X).\n").unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    let (out, told) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("an entry has more than 67108864 bytes and is ignored"), "{told}");
    assert!(told.contains("a line is not UTF-8: its entry is ignored") && told.contains("`ok`"), "{told}");
    assert!(out.contains("│ 2 │"), "{out}");
}

#[test]
fn a_stream_with_lines_that_were_refused_ends_with_a_status_of_its_own() {
    let dir = decided();
    let follow =
        |more: &[&str], input: &str| run(dir.path(), &[&["decide", "--follow"], more].concat(), &[], input);
    let Ran(status, out, told) = follow(&[], "{\"n\": [3]}\nnonsense\n{\"n\": [\"x\"]}\n{\"n\": [4]}\n");
    assert_eq!(out.matches("\"committed\"").count(), 2, "{out}");
    assert!(
        status == 2 && told.contains("error: 2 lines refused, the first at line 2; none was recorded"),
        "{told}"
    );
    let Ran(status, _, told) = follow(&["--batch"], "{\"n\": [5]}\nnonsense\n\n{\"n\": [6]}\n");
    assert!(
        status == 2 && told.contains("error: 1 batch refused, the first at line 1; none was recorded"),
        "{told}"
    );
    // What stands is too much already, so neither the beginning nor a line can be decided.
    let Ran(status, out, told) = follow(&["--max-facts", "3"], "{\"n\": [7]}\n{\"n\": [8]}\n");
    assert!(status == 3 && told.contains("2 lines refused, the first at line 1"), "{status} {out} {told}");
    assert!(told.contains("what fell due could not be decided, 1 time"), "{status} {out} {told}");
    let Ran(status, _, told) = follow(&[], "{\"n\": [9]}\n");
    assert!(status == 0 && !told.contains("refused"), "{told}");
}

#[test]
fn what_settings_name_to_be_carried_out_is_a_decision() {
    let table = "\n[run_command]\nbgi = { program = \"true\" }\nn = { program = \"true\" }\n";
    let dir = folder(&[("rules/n.dl", RULES), ("hence.toml", table), ("n.jsonl", FACTS)]);
    let said = [
        "`run_command.bgi`: unknown decision `bgi`",
        "hence.toml:3:1",
        "did you mean `big`?",
        "`n` is not a decision",
    ];
    for (words, status) in [(&["check"][..], 1), (&["config"], 2), (&["decide", "--facts", "n.jsonl"], 2)] {
        let Ran(found, _, told) = run(dir.path(), words, &[], "");
        assert!(found == status && said.iter().all(|said| told.contains(said)), "{words:?}: {found} {told}");
    }
    assert!(!dir.path().join(".hence").exists(), "nothing was recorded");
    // Rules that were named are not those that the settings are for.
    assert_eq!(run(dir.path(), &["check", "rules"], &[], "").0, 0);
    let table =
        "[run_command]\nbig = { progam = \"true\", args = \"x\", time_limit = \"soon\" }\nother = 3\n";
    fs::write(dir.path().join("hence.toml"), table).unwrap();
    let Ran(status, _, told) = run(dir.path(), &["status"], &[], "");
    for said in [
        "unknown setting `run_command.big.progam`",
        "did you mean `program`?",
        "`run_command.big.args`: expected a list of strings, found a string",
        "`soon` is not a duration",
        "`run_command.big`: missing program",
        "`run_command.other`: expected a table such as",
    ] {
        assert!(status == 2 && told.contains(said), "{said}: {told}");
    }
    fs::write(
        dir.path().join("hence.toml"),
        "[run_command]\nbig = { program = \"sh\", args = [\"-c\", \"true\"] }\n",
    )
    .unwrap();
    let Ran(status, shown, told) = run(dir.path(), &["config", "--format", "csv"], &[], "");
    assert!(
        status == 0 && shown.contains("run_command.big,\"sh -c true, at most 30s\",hence.toml:2,"),
        "{shown}{told}"
    );
}
