//! Facts that lie with the workers: decisions are those over all files together, in one process and in two, and the ledger
//! says where the facts came from.

use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};

use super::processes::{hosts_file_of, lines, text};
use crate::command::hence;

const BELOW: &str = "## A part that needs another.
input needs(part: string, other: string).

## A part that fails.
input fails(part: string, times: int).

reaches(Part, Other) :- needs(Part, Other).
reaches(Part, Last) :- reaches(Part, Other), needs(Other, Last).

## What a part depends on that fails.
relation risk(part: string, times: int).
risk(Part, sum(Times)) :- reaches(Part, Other), fails(Other, Times).

## How many parts there are.
relation size(parts: int).
size(count()) :- reaches(Part, _).
";

const ABOVE: &str = "## What a part depends on that fails.
input risk(part: string, times: int).

## How many parts there are.
input size(parts: int).
";

const DECIDE: &str = "## Parts that are left alone.
input left_alone(part: string).

## Look at this part.
decision look_at(part: string, times: int).

@because(\"what {Part} needs failed {Times} times, of {Size}\")
look_at(Part, Times) :- risk(Part, Times), Times > 2, !left_alone(Part), size(Size).
";

const CLOCK: &str = "2026-02-03T12:00:00Z";

/// A folder with rules in two files and in one, and facts in three.
fn folder() -> tempfile::TempDir {
    let dir = crate::memory::folder();
    let write = |name: &str, text: &str| fs::write(dir.path().join(name), text).unwrap();
    write("below.dl", BELOW);
    write("decide.dl", &format!("{ABOVE}\n{DECIDE}"));
    write("all.dl", &format!("{BELOW}\n{DECIDE}"));
    let needs = |part: usize| {
        format!("{{\"needs\": {{\"part\": \"part {part}\", \"other\": \"part {}\"}}}}\n", part + 1)
    };
    let fails =
        |part: usize| format!("{{\"fails\": {{\"part\": \"part {}\", \"times\": {part}}}}}\n", part * 3);
    let of = |parts: std::ops::Range<usize>| parts.map(|part| needs(part) + &fails(part)).collect::<String>();
    // Some facts are in both.
    write("one.jsonl", &of(0..20));
    write("two.jsonl", &of(15..40));
    write("own.jsonl", "{\"left_alone\": {\"part\": \"part 3\"}}\n");
    dir
}

fn joining(dir: &Path, part: &[&str]) -> Child {
    let args = ["cluster", "join", "--hosts", "hosts.toml", "--number", "2"];
    let mut command = hence(dir, &[&args[..], part].concat());
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

const RUN: [&str; 8] =
    ["cluster", "run", "--hosts", "hosts.toml", "--part-rules", "below.dl", "--rules", "decide.dl"];

fn running<'a>(store: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&RUN[..], &["--store", store, "--now", CLOCK], more].concat()
}

/// What a refused command says.
fn refused(dir: &Path, args: &[&str]) -> String {
    let output = hence(dir, args).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    said
}

/// The decisions of the same rules over all facts together.
fn alone(dir: &Path) -> String {
    let facts = ["--facts", "one.jsonl", "--facts", "two.jsonl", "--facts", "own.jsonl"];
    let args = ["decide", "--rules", "all.dl", "--store", ":memory:", "--now", CLOCK];
    text(hence(dir, &[&args[..], &facts].concat()))
}

/// The table of decisions.
fn table(text: &str) -> Vec<&str> {
    lines(text).into_iter().take_while(|line| !line.is_empty()).collect()
}

#[test]
fn decisions_over_parts_are_those_over_all_files() {
    let dir = folder();
    let dir = dir.path();
    let alone = alone(dir);
    assert!(table(&alone).len() > 20 && alone.contains("of 820"), "{alone}");
    for threads in [1, 2, 4] {
        hosts_file_of(dir, 1, threads);
        let store = format!("one-{threads}");
        let parts = ["--part", "one.jsonl", "--part", "two.jsonl", "--facts", "own.jsonl"];
        let found = text(hence(dir, &running(&store, &parts)));
        assert_eq!(table(&found), table(&alone), "{threads} workers in one process");
        hosts_file_of(dir, 2, threads);
        let store = format!("two-{threads}");
        let other = joining(dir, &["--part", "two.jsonl"]);
        let found = text(hence(dir, &running(&store, &["--part", "one.jsonl", "--facts", "own.jsonl"])));
        let ended = other.wait_with_output().unwrap();
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
        assert_eq!(table(&found), table(&alone), "{threads} workers in each of two processes");
    }
}

#[test]
fn the_ledger_is_whole_by_itself_and_names_the_parts() {
    let dir = folder();
    let dir = dir.path();
    let store = "ledger";
    hosts_file_of(dir, 2, 2);
    let run = |part: &str, more: &[&str]| {
        let other = joining(dir, &["--part", part]);
        let told = text(hence(dir, &running(store, &[&["--part", "one.jsonl"], more].concat())));
        assert!(other.wait_with_output().unwrap().status.success());
        told
    };
    let first = run("two.jsonl", &["--facts", "own.jsonl"]);
    assert!(first.contains("recorded as transaction 1"), "{first}");
    text(hence(dir, &["verify", "--store", store]));
    let replayed = text(hence(dir, &["replay", "--store", store, "--rules", "decide.dl"]));
    assert!(replayed.contains("no decision flips"), "{replayed}");
    let why = text(hence(dir, &["why", "look_at(\"part 1\", _)", "--store", store, "--rules", "decide.dl"]));
    assert!(why.contains("risk(") && why.contains("cluster run"), "{why}");
    let facts = text(hence(dir, &["facts", "--store", store]));
    assert!(!facts.contains("needs"), "what lies with the workers is not recorded: {facts}");

    // Another file after a restart: what follows no longer is retracted, with the decisions on it.
    fs::write(dir.join("less.jsonl"), "{\"fails\": {\"part\": \"part 1\", \"times\": 9}}\n").unwrap();
    let second = run("less.jsonl", &[]);
    assert!(second.contains("lapsed: look_at("), "{second}");
    let all = text(hence(dir, &["log", "--store", store, "--format", "jsonl"]));
    let hash = |file: &str| blake3::hash(&fs::read(dir.join(file)).unwrap()).to_string();
    let lines: Vec<&str> = all.lines().collect();
    let of = |tx: usize| {
        lines.iter().find(|line| line.contains(&format!("\"transaction\": {tx},"))).unwrap().to_owned()
    };
    for (tx, files) in [(1, ["one.jsonl", "two.jsonl"]), (2, ["one.jsonl", "less.jsonl"])] {
        for file in files {
            assert!(of(tx).contains(&format!("BLAKE3 {}", hash(file))), "{}", of(tx));
        }
    }
    text(hence(dir, &["verify", "--store", store]));

    // The same again: nothing changes, and it is noted once at most.
    run("less.jsonl", &[]);
    let again = text(hence(dir, &["log", "--store", store, "--format", "jsonl"]));
    assert_eq!(again.lines().count(), 2, "{again}");
    // A file that changes nothing is noted.
    let less = fs::read_to_string(dir.join("less.jsonl")).unwrap();
    fs::write(dir.join("less.jsonl"), format!("{less}{less}")).unwrap();
    run("less.jsonl", &[]);
    let noted = text(hence(dir, &["log", "--store", store, "--format", "jsonl"]));
    assert!(noted.lines().count() == 3 && noted.contains(&hash("less.jsonl")), "{noted}");
}

#[test]
fn a_part_may_be_a_ledger() {
    let dir = folder();
    let dir = dir.path();
    text(hence(dir, &["assert", "--facts", "two.jsonl", "--rules", "below.dl", "--store", "part-2"]));
    hosts_file_of(dir, 2, 1);
    let other = joining(dir, &["--part-store", "part-2"]);
    let found = text(hence(dir, &running("ledger", &["--part", "one.jsonl", "--facts", "own.jsonl"])));
    assert!(other.wait_with_output().unwrap().status.success());
    assert_eq!(table(&found), table(&alone(dir)));
    let head = text(hence(dir, &["status", "--store", "part-2"]));
    let head = head.split_whitespace().find(|word| word.len() == 64).unwrap();
    let log = text(hence(dir, &["log", "--store", "ledger", "--format", "jsonl"]));
    assert!(log.contains(&format!("head {head} of transaction 1")), "{log}");
}

#[test]
fn a_bad_fact_is_told_with_its_place_in_both_processes() {
    let dir = folder();
    let dir = dir.path();
    hosts_file_of(dir, 2, 1);
    fs::write(
        dir.join("bad.jsonl"),
        "{\"fails\": {\"part\": \"a\", \"times\": 1}}\n{\"fails\": [\"a\", \"b\"]}\n",
    )
    .unwrap();
    let other = joining(dir, &["--part", "bad.jsonl"]);
    let said = refused(dir, &running("ledger", &["--part", "one.jsonl"]));
    assert!(said.contains("process 2 (`127.0.0.1:") && said.contains("bad.jsonl:2:"), "{said}");
    assert!(said.contains("nothing of this transaction is recorded"), "{said}");
    let ended = other.wait_with_output().unwrap();
    let own = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.code() == Some(2) && own.contains("bad.jsonl:2:"), "{own}");
    let log = hence(dir, &["log", "--store", "ledger", "--format", "jsonl"]).output().unwrap();
    assert!(log.stdout.is_empty(), "{}", String::from_utf8_lossy(&log.stdout));
}

#[test]
fn what_parts_cannot_have_is_refused() {
    let dir = folder();
    let dir = dir.path();
    hosts_file_of(dir, 1, 1);
    let with = |below: &str, decide: &str, more: &[&str]| {
        fs::write(dir.join("below.dl"), format!("{BELOW}{below}")).unwrap();
        fs::write(dir.join("decide.dl"), format!("{ABOVE}\n{DECIDE}{decide}")).unwrap();
        refused(dir, &running("ledger", more))
    };
    let both = with("", "## Fails.\ninput fails(part: string, times: int).\nbad(P) :- fails(P, _).\n", &[]);
    assert!(both.contains("E242") && both.contains("the facts of `fails` lie with the workers"), "{both}");
    let twice = with("", "reaches(P, P) :- risk(P, _).\n", &[]);
    assert!(twice.contains("E242") && twice.contains("`reaches` is derived here"), "{twice}");
    let columns = with(
        "## X.\nrelation y(a: int).\ny(X) :- fails(_, X).\n",
        "## Y.\ninput y(a: string).\nz(X) :- y(X).\n",
        &[],
    );
    assert!(columns.contains("E242") && columns.contains("`y` has other columns here"), "{columns}");
    let decides = with("## X.\ndecision x(p: string).\n@because(\"{P}\")\nx(P) :- fails(P, _).\n", "", &[]);
    assert!(decides.contains("E242") && decides.contains("`x` is a decision of --part-rules"), "{decides}");
    let clock = "late(P) :- fails(P, _), now(_).\n";
    fs::write(dir.join("below.dl"), format!("{BELOW}{clock}")).unwrap();
    let moves = refused(dir, &[&RUN[..], &["--follow", "--store", "ledger"]].concat());
    assert!(moves.contains("E242") && moves.contains("a clock that moves"), "{moves}");
    let undefined = "## X.\nrelation half(x: int).\nhalf(X / 0) :- fails(_, X).\n";
    let undefined = with(undefined, "## X.\ninput half(x: int).\n", &["--part", "one.jsonl"]);
    assert!(undefined.contains("`X / 0`") && undefined.contains("--lenient"), "{undefined}");
    let none = [&["cluster", "run", "--hosts", "hosts.toml", "--part", "one.jsonl", "--rules", "all.dl"][..]]
        .concat();
    let none = refused(dir, &none);
    assert!(none.contains("no --part-rules are over them"), "{none}");
}

#[test]
fn memory_of_another_process_is_limited() {
    let dir = folder();
    let dir = dir.path();
    hosts_file_of(dir, 2, 1);
    let many: String = (0..1_000_000).map(|at| format!("{{\"fails\": [\"part {at}\", 1]}}\n")).collect();
    fs::write(dir.join("many.jsonl"), many).unwrap();
    let other = joining(dir, &["--part", "many.jsonl"]);
    let args = running("ledger", &["--part", "one.jsonl", "--max-memory", "100"]);
    let output = hence(dir, &args).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(
        said.contains("the memory limit of 100 MiB was reached") && said.contains("process 2 ("),
        "{said}"
    );
    let ended = other.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(3), "{}", String::from_utf8_lossy(&ended.stderr));
}
