//! Workers in two processes: what `hence decide` decides, from a ledger on, and nothing where one is lost.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::command::hence;
use crate::random::{self, LIMITS};
use hence::dataflow::{Dataflow, PartFacts, Secret, Workers, join};
use hence_engine::{Engine, Naive};

const RULES: &str = "## A part that needs another.
input needs(part: string, other: string).

## A part that fails.
input fails(part: string, times: int).

reaches(Part, Other) :- needs(Part, Other).
reaches(Part, Last) :- reaches(Part, Other), needs(Other, Last).

## What a part depends on that fails.
risk(Part, sum(Times)) :- reaches(Part, Other), fails(Other, Times).

## Look at this part.
decision look_at(part: string, times: int).

@because(\"what {Part} needs failed {Times} times\")
look_at(Part, Times) :- risk(Part, Times), Times > 2, !fails(Part, _).
";

/// Addresses that nobody listens at.
pub(super) fn hosts(count: usize) -> Vec<String> {
    let listeners: Vec<_> = (0..count).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    listeners.iter().map(|listener| listener.local_addr().unwrap().to_string()).collect()
}

/// A folder with rules, facts, and two hosts.
pub(super) fn folder() -> tempfile::TempDir {
    let dir = crate::memory::folder();
    fs::write(dir.path().join("parts.dl"), RULES).unwrap();
    let mut facts = String::new();
    for part in 0..30 {
        facts += &format!("{{\"needs\": {{\"part\": \"part {part}\", \"other\": \"part {}\"}}}}\n", part + 1);
        facts += &format!("{{\"fails\": {{\"part\": \"part {}\", \"times\": {part}}}}}\n", part * 3);
    }
    fs::write(dir.path().join("facts.jsonl"), facts).unwrap();
    hosts_file(dir.path());
    dir
}

pub(super) fn hosts_file(dir: &Path) {
    hosts_file_of(dir, 2, 2);
}

/// A file of so many hosts with so many threads each, and their secret.
pub(super) fn hosts_file_of(dir: &Path, count: usize, threads: usize) {
    if !dir.join("cluster.key").exists() {
        text(hence(dir, &["cluster", "key", "cluster.key"]));
    }
    let file = format!("threads = {threads}\nhosts = {:?}\nsecret = \"cluster.key\"\n", hosts(count));
    fs::write(dir.join("hosts.toml"), file).unwrap();
}

pub(super) fn joining(dir: &Path) -> Child {
    joining_as(dir, "2")
}

fn joining_as(dir: &Path, number: &str) -> Child {
    let mut command = hence(dir, &["cluster", "join", "--hosts", "hosts.toml", "--number", number]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

pub(super) fn running(dir: &Path, more: &[&str]) -> Command {
    let args = ["cluster", "run", "--hosts", "hosts.toml", "--rules", "parts.dl", "--store", "cluster"];
    hence(dir, &[&args[..], &["--now", "2026-02-03T12:00:00Z"], more].concat())
}

pub(super) fn text(mut command: Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The rows of decisions, without what a ledger says of itself.
pub(super) fn lines(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.contains("recorded as transaction")).collect()
}

#[test]
fn two_processes_decide_as_one_does_and_go_on_from_the_ledger() {
    let dir = folder();
    let dir = dir.path();
    let alone = |more: &[&str]| {
        let args = ["decide", "--rules", "parts.dl", "--store", "alone", "--now", "2026-02-03T12:00:00Z"];
        text(hence(dir, &[&args[..], more].concat()))
    };
    fs::write(dir.join("more.jsonl"), "{\"fails\": {\"part\": \"part 1\", \"times\": 50}}\n").unwrap();
    for facts in ["facts.jsonl", "more.jsonl"] {
        hosts_file(dir);
        let other = joining(dir);
        let together = text(running(dir, &["--facts", facts]));
        let ended = other.wait_with_output().unwrap();
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
        let alone = alone(&["--facts", facts]);
        assert!(alone.contains("look_at"), "{alone}");
        assert_eq!(lines(&together), lines(&alone));
    }
    let decisions = |store: &str| {
        let args = ["decisions", "--store", store, "--format", "jsonl"];
        text(hence(dir, &args))
    };
    let without_time = |text: String| -> Vec<String> {
        let said = |line: &str| line.split("\"since\"").next().unwrap_or_default().to_owned();
        text.lines().map(said).collect()
    };
    assert_eq!(without_time(decisions("cluster")), without_time(decisions("alone")));
    text(hence(dir, &["verify", "--store", "cluster"]));
    let replayed = text(hence(dir, &["replay", "--store", "cluster", "--rules", "parts.dl"]));
    assert!(replayed.contains("no decision flips"), "{replayed}");
}

#[test]
fn of_a_transaction_in_which_a_worker_is_lost_nothing_is_recorded() {
    let dir = folder();
    let dir = dir.path();
    let mut other = joining(dir);
    let mut command = running(dir, &["--facts", "facts.jsonl", "--follow"]);
    let mut run =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut told = BufReader::new(run.stdout.take().unwrap()).lines();
    let first = told.next().unwrap().unwrap();
    assert!(first.contains("look_at"), "{first}");
    other.kill().unwrap();
    other.wait().unwrap();
    let mut input = run.stdin.take().unwrap();
    _ = writeln!(input, "{{\"fails\": {{\"part\": \"part 2\", \"times\": 70}}}}");
    drop(input);
    let ended = run.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(
        said.contains("a worker was lost") && said.contains("nothing of this transaction is recorded"),
        "{said}"
    );
    assert_ne!(ended.status.code(), Some(0));
    let log = text(hence(dir, &["log", "--store", "cluster", "--format", "jsonl"]));
    assert_eq!(log.lines().count(), 1, "{log}");
}

#[test]
fn who_joined_ends_in_order_where_another_process_is_lost() {
    let dir = folder();
    let dir = dir.path();
    hosts_file_of(dir, 3, 1);
    let (second, mut third) = (joining_as(dir, "2"), joining_as(dir, "3"));
    let mut command = running(dir, &["--facts", "facts.jsonl", "--follow"]);
    let mut run =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut told = BufReader::new(run.stdout.take().unwrap()).lines();
    assert!(told.next().unwrap().unwrap().contains("look_at"));
    third.kill().unwrap();
    third.wait().unwrap();
    let mut input = run.stdin.take().unwrap();
    _ = writeln!(input, "{{\"fails\": {{\"part\": \"part 2\", \"times\": 70}}}}");
    drop(input);
    let first = run.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&first.stderr).into_owned();
    assert!(said.contains("waiting for 2 other processes to join"), "{said}");
    let ended = second.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(2), "{said}");
    assert!(said.contains("the connection to another process was lost") && !said.contains("fault"), "{said}");
}

#[test]
fn random_programs_mean_the_same_to_two_processes() {
    let mut programs = 0;
    for seed in 5000..5012 {
        let (program, input) = random::program(seed);
        let hosts = hosts(2);
        let secret = Some(Secret::new("known to both"));
        let of_both = Workers { hosts, secret, ..Workers::of_one_process(2) };
        let workers = |process| Workers { process, ..of_both.clone() };
        let (own, read) = (workers(1), program.clone());
        let other = std::thread::spawn(move || join(&own, move |_| Ok((read.clone(), PartFacts::default()))));
        let (engine, cluster) = Dataflow::start(program.clone(), "", workers(0), &LIMITS).unwrap();
        for input in super::history(seed, &program, input) {
            let naive = Naive.evaluate(&program, input.clone(), &LIMITS);
            let found = engine.evaluate(&program, input, &LIMITS);
            let (Ok(naive), Ok(found)) = (naive, found) else { break };
            crate::engines::check::same(&program, &naive, &found)
                .unwrap_or_else(|difference| panic!("seed {seed}: {difference}\n{program}"));
            programs += 1;
        }
        cluster.end().unwrap();
        other.join().unwrap().unwrap();
    }
    assert!(programs > 20, "too plain: {programs}");
}

#[test]
fn hosts_are_checked() {
    let dir = folder();
    let dir = dir.path();
    let said = |hosts: &str, number: &str| {
        fs::write(dir.join("hosts.toml"), hosts).unwrap();
        let output =
            hence(dir, &["cluster", "join", "--hosts", "hosts.toml", "--number", number]).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).unwrap()
    };
    let one = said("hosts = [\"127.0.0.1:7101\"]", "2");
    assert_eq!(one, "error: `hosts.toml`: it names 1 host; `hosts` has an address for each process\n");
    let none = said("threads = 0\nhosts = [\"127.0.0.1:7101\", \"127.0.0.1:7102\"]", "2");
    assert_eq!(none, "error: `hosts.toml`: `threads` is from 1 to 256\n");
    let open = said("hosts = [\"127.0.0.1:7101\", \"127.0.0.1:7102\"]", "2");
    assert!(open.contains("several hosts need `secret`") && open.contains("hence cluster key"), "{open}");
    let two = "hosts = [\"127.0.0.1:7101\", \"127.0.0.1:7102\"]\nsecret = \"cluster.key\"";
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(dir.join("cluster.key"), fs::Permissions::from_mode(0o644)).unwrap();
        let seen = said(two, "2");
        assert!(seen.contains("the secret `cluster.key` can't be read: others may read it"), "{seen}");
    }
    fs::remove_file(dir.join("cluster.key")).unwrap();
    let gone = said(two, "2");
    assert!(gone.contains("the secret `cluster.key` can't be read"), "{gone}");
}
