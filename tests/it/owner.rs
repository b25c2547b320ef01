//! One store, many users: whoever owns a store lends it to other commands, whatever comes over its socket and whoever is
//! killed meanwhile.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::command::hence;

const RULES: &str = "## A job that failed.\ninput failed(job: string, tries: int).\n\n\
    ## Somebody says so.\ninput allowed(job: string).\n\n\
    ## Try it again.\ndecision retry(job: string).\n\n\
    @because(\"{Job} was tried {Tries} times\")\nretry(Job) :- failed(Job, Tries), Tries < 3.\n\
    @because(\"{Job} is allowed\")\nretry(Job) :- allowed(Job).\n";

/// How long anything may take before a test says that it never comes.
const LONG: Duration = Duration::from_secs(60);

fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(dir.path().join("retry.dl"), RULES).unwrap();
    fs::write(dir.path().join("hence.toml"), "rules = [\"retry.dl\"]\n").unwrap();
    dir
}

/// A process that owns the store of a folder, killed when the value goes.
struct Owner {
    process: Child,
    said: BufReader<std::process::ChildStderr>,
}

impl Owner {
    fn new(dir: &Path, args: &[&str]) -> Self {
        let mut process = hence(dir, &[&["serve"], args].concat())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let said = BufReader::new(process.stderr.take().unwrap());
        let mut owner = Self { process, said };
        owner.hear("serves the ledger");
        owner
    }

    /// Reads what it says up to a line that holds `text`.
    fn hear(&mut self, text: &str) -> String {
        let mut all = String::new();
        while !all.contains(text) {
            assert!(self.said.read_line(&mut all).unwrap() > 0, "no `{text}` in: {all}");
        }
        all
    }

    /// Tells it to stop; what it said, and how it ended.
    fn stop(mut self) -> (String, i32) {
        signal(self.process.id(), "TERM");
        let mut rest = String::new();
        self.said.read_to_string(&mut rest).unwrap();
        (rest, self.process.wait().unwrap().code().unwrap_or(-1))
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn signal(process: u32, name: &str) {
    assert!(
        Command::new("kill").args([&format!("-{name}"), &process.to_string()]).status().unwrap().success()
    );
}

fn run(dir: &Path, args: &[&str]) -> (i32, String, String) {
    said(hence(dir, args).output().unwrap())
}

fn said(output: Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

fn assert_fact(dir: &Path, fact: &str) {
    let (status, _, said) = run(dir, &["assert", fact]);
    assert_eq!((status, said.as_str()), (0, ""), "{fact}");
}

fn facts(dir: &Path) -> usize {
    let (status, rows, said) = run(dir, &["facts", "failed", "--format", "jsonl"]);
    assert_eq!(status, 0, "{said}");
    rows.lines().count()
}

fn socket(dir: &Path) -> PathBuf {
    dir.join(".hence/owner.sock")
}

/// Waits until something is so.
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + LONG;
    while !is_so() {
        assert!(Instant::now() < end, "never: {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// A client of the protocol.
struct Client(BufReader<UnixStream>);

impl Client {
    fn new(dir: &Path) -> Self {
        let stream = UnixStream::connect(socket(dir)).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        Self(BufReader::new(stream))
    }

    fn say(&mut self, line: &str) {
        // An owner may have hung up already.
        let _ = self.0.get_mut().write_all(line.as_bytes());
    }

    /// The next line; none where the owner hung up.
    fn hear(&mut self) -> String {
        let mut line = String::new();
        let _ = self.0.read_line(&mut line);
        line
    }

    /// Takes a turn.
    fn turn(dir: &Path) -> Self {
        let mut client = Self::new(dir);
        client.say("{\"hence\": 1, \"turn\": {\"command\": \"a test\"}}\n");
        assert!(client.hear().contains("queued"));
        let lent = client.hear();
        assert!(lent.contains("lent"), "{lent}");
        client
    }
}

/// A stream that owns a store.
struct Stream {
    process: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
}

impl Stream {
    fn new(dir: &Path) -> Self {
        let follow = ["decide", "--follow", "--now", "2026-02-09T09:00:00Z"];
        let mut process = hence(dir, &follow).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let to = process.stdin.take();
        let from = BufReader::new(process.stdout.take().unwrap());
        Self { process, to, from }
    }

    /// Says a line; the answer up to its end.
    fn say(&mut self, line: &str) -> String {
        self.to.as_mut().unwrap().write_all(format!("{line}\n").as_bytes()).unwrap();
        let mut answer = String::new();
        while !answer.contains("\"committed\"") && !answer.contains("\"error\"") {
            assert!(self.from.read_line(&mut answer).unwrap() > 0, "{answer}");
        }
        answer
    }

    fn end(mut self) -> i32 {
        drop(self.to.take());
        self.process.wait().unwrap().code().unwrap()
    }
}

#[test]
fn commands_on_an_owned_store_do_what_they_do_on_a_free_one() {
    let dir = folder();
    let owner = Owner::new(dir.path(), &[]);
    let (status, out, said) = run(dir.path(), &["assert", "failed(\"backup\", 1)"]);
    assert_eq!((status, said.as_str()), (0, ""));
    assert!(out.contains("recorded as transaction 1"), "{out}");
    let (status, out, said) = run(dir.path(), &["decide", "--format", "jsonl"]);
    assert_eq!((status, said.as_str()), (0, ""));
    assert!(out.contains("retry"), "{out}");
    let (_, status, _) = run(dir.path(), &["status"]);
    assert!(status.contains("base          up to transaction 2"), "{status}");
    assert_eq!(run(dir.path(), &["verify"]).0, 0);
    assert_eq!(owner.stop(), (String::new(), 0));
    assert!(!socket(dir.path()).exists());
}

#[test]
fn an_open_stream_sees_what_others_recorded() {
    let dir = folder();
    let mut stream = Stream::new(dir.path());
    for job in ["a", "b", "c"] {
        let answer = stream.say(&format!("{{\"failed\": [\"{job}\", 1]}}"));
        assert!(answer.contains("\"drawn\": 1"), "{answer}");
    }
    // Drawn by the other process, so not by the stream once more; recorded only, so drawn by the stream.
    let now = ["--now", "2026-02-09T09:00:00Z"];
    let (status, out, said) = run(dir.path(), &[&["decide", "--facts", "more.jsonl"], &now[..]].concat());
    assert_eq!(status, 2, "{out}{said}");
    fs::write(dir.path().join("more.jsonl"), "{\"allowed\": [\"d\"]}\n").unwrap();
    assert_eq!(run(dir.path(), &[&["decide", "--facts", "more.jsonl"], &now[..]].concat()).0, 0);
    assert_fact(dir.path(), "allowed(\"e\")");
    assert_eq!(run(dir.path(), &["retract", "failed(\"b\", 1)"]).0, 0);
    let answer = stream.say("{\"allowed\": [\"a\"]}");
    assert!(answer.contains("\"values\": [\"e\"]") && !answer.contains("[\"d\"]"), "{answer}");
    assert!(answer.contains("\"change\": \"lapsed\"") && answer.contains("[\"b\"]"), "{answer}");
    assert!(answer.contains("\"drawn\": 1, \"lapsed\": 1, \"standing\": 4"), "{answer}");
    assert_eq!(stream.end(), 0);
    assert!(!socket(dir.path()).exists());
    let (status, out, said) = run(dir.path(), &["verify"]);
    assert_eq!(status, 0, "{out}{said}");
}

#[test]
fn the_second_owner_is_told_of_the_first() {
    let dir = folder();
    let owner = Owner::new(dir.path(), &[]);
    let known = format!("the ledger is owned by process {} (hence serve)", owner.process.id());
    for second in [&["serve"][..], &["decide", "--follow"]] {
        let (status, _, said) = run(dir.path(), second);
        assert_eq!(status, 2);
        assert!(said.contains(&known), "{said}");
    }
    let _turn = Client::turn(dir.path());
    assert!(run(dir.path(), &["serve"]).2.contains(&known));
}

#[test]
fn what_a_killed_owner_left_is_no_obstacle() {
    let dir = folder();
    let mut owner = Owner::new(dir.path(), &[]);
    assert_fact(dir.path(), "failed(\"a\", 1)");
    owner.process.kill().unwrap();
    owner.process.wait().unwrap();
    assert!(socket(dir.path()).exists());
    assert_fact(dir.path(), "failed(\"b\", 1)");
    let owner = Owner::new(dir.path(), &[]);
    assert_fact(dir.path(), "failed(\"c\", 1)");
    assert_eq!(facts(dir.path()), 3);
    assert_eq!(owner.stop(), (String::new(), 0));
    // A file that is no socket is somebody's.
    fs::write(socket(dir.path()), "mine").unwrap();
    let (status, _, said) = run(dir.path(), &["serve"]);
    assert!(status == 2 && said.contains("is not a socket; remove it"), "{said}");
    assert_fact(dir.path(), "failed(\"d\", 1)");
}

#[test]
fn nothing_on_the_socket_disturbs_an_owner() {
    let dir = folder();
    let owner = Owner::new(dir.path(), &[]);
    let long = format!("{{\"hence\": 1, \"turn\": {{\"command\": \"{}\"}}}}\n", "x".repeat(100_000));
    let deep = "[".repeat(3_000) + "\n";
    for line in [
        "\n",
        "garbage\n",
        "{}\n",
        "{\"hence\": 2, \"turn\": {\"command\": \"\"}}\n",
        "{\"hence\": 1}\n",
        "{\"hence\": 1, \"turn\": 3}\n",
        "{\"hence\": 1, \"nonsense\": {}}\n",
        "\u{0}\u{0}\u{0}\n",
        long.as_str(),
        deep.as_str(),
    ] {
        let mut client = Client::new(dir.path());
        client.say(line);
        let answer = client.hear();
        assert!(answer.contains("the owner did not understand"), "{line:.40}: {answer}");
        assert_eq!(client.hear(), "");
    }
    let mut bytes = Client::new(dir.path());
    bytes.0.get_mut().write_all(&[0xff, 0xfe, 0x80, b'\n']).unwrap();
    assert!(bytes.hear().contains("did not understand"));
    let mut client = Client::new(dir.path());
    client.say("{\"hence\": 1, \"status\": {}}\n");
    let status = client.hear();
    assert!(status.contains(&format!("\"process\":{}", owner.process.id())), "{status}");
    assert_fact(dir.path(), "failed(\"a\", 1)");
    assert_eq!(owner.stop(), (String::new(), 0));
}

#[test]
fn thousands_of_connections_are_turned_away_and_the_owner_goes_on() {
    let dir = folder();
    let owner = Owner::new(dir.path(), &[]);
    let mut silent = Vec::new();
    for at in 0..3_000 {
        match UnixStream::connect(socket(dir.path())) {
            Ok(mut stream) if at % 3 == 0 => {
                let _ = stream.write_all(b"{\"hence\": 1, \"turn\": {\"command\": \"gone\"}}\n");
            }
            Ok(stream) if at % 3 == 1 => silent.push(stream),
            _ => {}
        }
        silent.truncate(200);
    }
    // Those that say nothing hold their places for a while; whoever asks waits that long.
    assert_fact(dir.path(), "failed(\"a\", 1)");
    drop(silent);
    assert_fact(dir.path(), "failed(\"b\", 1)");
    assert_eq!(facts(dir.path()), 2);
    assert_eq!(owner.stop().1, 0);
}

#[test]
fn a_turn_that_never_ends_is_taken_back() {
    let dir = folder();
    let mut owner = Owner::new(dir.path(), &["--turn", "300ms"]);
    let mut client = Client::turn(dir.path());
    let over = client.hear();
    assert!(over.contains("over") && over.contains("the turn took longer than 0.3 s"), "{over}");
    assert_eq!(client.hear(), "");
    owner.hear("`a test` has the ledger no longer");
    assert_fact(dir.path(), "failed(\"a\", 1)");
    // A command that has the lock ends with its turn, and what it had recorded stays.
    fs::write(dir.path().join("slow.dl"), "input n(x: int).\ninput m(x: int).\n\n## Pairs.\ndecision big(x: int).\nbig(X) :- n(X), m(Y), n(Z), m(W), n(V), X + Y + Z + W + V < 0.\n").unwrap();
    let many: String = (0..400).map(|x| format!("{{\"n\": [{x}]}}\n{{\"m\": [{x}]}}\n")).collect();
    fs::write(dir.path().join("many.jsonl"), many).unwrap();
    let (status, _, said) = run(dir.path(), &["decide", "--rules", "slow.dl", "--facts", "many.jsonl"]);
    assert_eq!(status, 3, "{said}");
    assert!(said.contains("the turn took longer than 0.3 s; nothing was recorded"), "{said}");
    assert_fact(dir.path(), "failed(\"b\", 1)");
    assert_eq!(facts(dir.path()), 2);
    assert_eq!(owner.stop().1, 0);
}

#[test]
fn two_clients_take_turns() {
    let dir = folder();
    let owner = Owner::new(dir.path(), &[]);
    let first = Client::turn(dir.path());
    let waiting: Vec<_> = (0..4)
        .map(|at| {
            let fact = format!("failed(\"job {at}\", 1)");
            let assert = ["assert", fact.as_str(), "--wait", "60s"];
            hence(dir.path(), &assert).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let mut asker = Client::new(dir.path());
    asker.say("{\"hence\": 1, \"status\": {}}\n");
    assert!(asker.hear().contains("\"waiting\":"));
    let late = run(dir.path(), &["assert", "failed(\"late\", 1)", "--wait", "50ms"]);
    drop(first);
    for client in waiting {
        let (status, _, said) = said(client.wait_with_output().unwrap());
        assert_eq!((status, said.as_str()), (0, ""));
    }
    assert_eq!(facts(dir.path()), 4 + usize::from(late.0 == 0));
    assert_eq!(owner.stop(), (String::new(), 0));
}

#[test]
fn an_owner_that_stops_while_it_lends_leaves_the_ledger_to_whoever_has_it() {
    let dir = folder();
    let owner = Owner::new(dir.path(), &[]);
    let turn = Client::turn(dir.path());
    assert_eq!(owner.stop(), (String::new(), 0));
    assert!(!socket(dir.path()).exists());
    drop(turn);
    assert_fact(dir.path(), "failed(\"a\", 1)");
    assert_eq!(run(dir.path(), &["verify"]).0, 0);
}

/// A number that the clock gives, to kill at different moments.
fn moment(most: u64) -> Duration {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    Duration::from_micros(u64::from(now.subsec_nanos()) % most)
}

#[test]
fn nothing_acknowledged_is_lost_whoever_is_killed() {
    let dir = folder();
    let rounds = if std::env::var_os("HENCE_SLOW").is_some() { 60 } else { 5 };
    let (mut acknowledged, mut asserted) = (0, 0);
    let mut owner = Owner::new(dir.path(), &[]);
    for round in 0..rounds {
        let mut clients: Vec<_> = (0..3)
            .map(|at| {
                let fact = format!("failed(\"{round} {at}\", 1)");
                asserted += 1;
                hence(dir.path(), &["assert", &fact])
                    .stdout(Stdio::piped())
                    .stderr(Stdio::null())
                    .spawn()
                    .unwrap()
            })
            .collect();
        thread::sleep(moment(300_000));
        if round % 2 == 0 {
            owner.process.kill().unwrap();
            owner.process.wait().unwrap();
        } else {
            clients[0].kill().unwrap();
        }
        for client in clients {
            let output = client.wait_with_output().unwrap();
            acknowledged += usize::from(String::from_utf8_lossy(&output.stdout).contains("recorded as"));
        }
        let found = facts(dir.path());
        assert!((acknowledged..=asserted).contains(&found), "{found} of {acknowledged} to {asserted}");
        if round % 2 == 0 {
            owner = Owner::new(dir.path(), &[]);
        }
        assert_fact(dir.path(), &format!("failed(\"after {round}\", 1)"));
        (acknowledged, asserted) = (acknowledged + 1, asserted + 1);
    }
    drop(owner);
    let (status, out, said) = run(dir.path(), &["verify"]);
    assert_eq!(status, 0, "{out}{said}");
}

#[test]
fn a_store_with_a_long_or_odd_path_has_an_owner_too() {
    let dir = folder();
    let long = format!("{}/a b\u{e9}\u{202e}'\"", "long".repeat(40));
    fs::create_dir_all(dir.path().join(&long)).unwrap();
    let store = format!("{long}/store");
    let owner = Owner::new(dir.path(), &["--store", &store]);
    let (status, out, said) = run(dir.path(), &["assert", "failed(\"a\", 1)", "--store", &store]);
    assert_eq!((status, said.as_str()), (0, ""), "{out}");
    assert!(run(dir.path(), &["serve", "--store", &store]).2.contains("is owned by process"));
    assert_eq!(owner.stop(), (String::new(), 0));
    assert!(!dir.path().join(&store).join("owner.sock").exists());
    let (status, _, said) = run(dir.path(), &["serve", "--store", ":memory:"]);
    assert!(status == 2 && said.contains("no other users"), "{said}");
}

/// Whether this user may become others.
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

fn as_nobody(mut command: Command) -> Command {
    command.uid(65_534).gid(65_534);
    command
}

fn permit(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    if path.is_dir() {
        fs::read_dir(path).unwrap().for_each(|entry| permit(&entry.unwrap().path(), mode));
    }
}

#[test]
fn another_user_gets_no_turn() {
    if !is_root() {
        println!("left out: only root may become another user");
        return;
    }
    let dir = folder();
    let mut owner = Owner::new(dir.path(), &[]);
    assert_fact(dir.path(), "failed(\"a\", 1)");
    // Even where the permissions of all files would let it.
    permit(&dir.path().join(".hence"), 0o777);
    let mut assert = as_nobody(hence(dir.path(), &["assert", "failed(\"b\", 1)"]));
    let (status, _, said) = said(assert.env("HENCE_TRUST", dir.path()).output().unwrap());
    assert_eq!(status, 2, "{said}");
    assert!(said.contains("is in use by"), "{said}");
    let python = "import socket,sys\ns=socket.socket(socket.AF_UNIX)\ns.connect(sys.argv[1])\n\
        s.sendall(b'{\"hence\": 1, \"turn\": {\"command\": \"mine\"}}\\n')\nprint(s.recv(4096).decode())";
    let mut stranger = as_nobody(Command::new("python3"));
    if let Ok(output) = stranger.args(["-c", python]).arg(socket(dir.path())).output() {
        let answer = String::from_utf8_lossy(&output.stdout);
        assert!(answer.contains("refused") && answer.contains("another user"), "{answer}");
    }
    // Nor does root ask for the turn of somebody else's owner.
    owner.process.kill().unwrap();
    owner.process.wait().unwrap();
    permit(dir.path(), 0o777);
    let mut serve = as_nobody(hence(dir.path(), &["serve"]));
    serve.env("HENCE_TRUST", dir.path()).stderr(Stdio::piped()).stdin(Stdio::null());
    let mut process = serve.spawn().unwrap();
    let said = BufReader::new(process.stderr.take().unwrap());
    let mut theirs = Owner { process, said };
    theirs.hear("serves the ledger");
    let (status, _, said) = run(dir.path(), &["assert", "failed(\"c\", 1)"]);
    assert!(status == 2 && said.contains("is in use by"), "{said}");
    assert_eq!(theirs.stop().1, 0);
}

#[test]
fn a_store_that_may_only_be_read_has_no_owner() {
    let dir = folder();
    assert_fact(dir.path(), "failed(\"a\", 1)");
    permit_reading(&dir.path().join(".hence"));
    let mut serve = hence(dir.path(), &["serve"]);
    if is_root() {
        serve = as_nobody(serve);
    }
    let (status, _, said) = said(serve.env("HENCE_TRUST", dir.path()).output().unwrap());
    assert!(status == 2 && said.contains("ermission denied"), "{said}");
}

fn permit_reading(path: &Path) {
    let mode = if path.is_dir() { 0o555 } else { 0o444 };
    if path.is_dir() {
        fs::read_dir(path).unwrap().for_each(|entry| permit_reading(&entry.unwrap().path()));
    }
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_ledger_that_goes_while_it_is_lent_ends_its_owner() {
    let dir = folder();
    let mut owner = Owner::new(dir.path(), &[]);
    let turn = Client::turn(dir.path());
    fs::remove_dir_all(dir.path().join(".hence")).unwrap();
    drop(turn);
    owner.hear("is gone");
    until("the owner ends", || owner.process.try_wait().unwrap().is_some());
    assert!(!dir.path().join(".hence").exists());
}
