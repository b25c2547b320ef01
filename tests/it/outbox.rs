//! The outbox: what reaches carriers, how often, under which key, and what is left after a crash.

use crate::slow;
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Output, Stdio};
use std::thread::{self, JoinHandle};

use super::command;

const RULES: &str = "## Asked.\ninput f(n: int).\n\n## Done.\ninput done(what: string).\n\n## Ended.\n\
    input carried(id: string, relation: string, outcome: name, at: time).\n\n## Act.\ndecision act(n: int).\n\n\
    @id(acts)\n@because(\"{N} asks\")\nact(N) :- f(N).\n\n## Seen.\ndecision seen(id: string, outcome: name).\n\n\
    @id(sees)\n@because(\"{Id} ended as {Outcome}\")\nseen(Id, Outcome) :- carried(Id, \"act\", Outcome, _).\n";
const SECRET: &str = "an old secret";

/// A folder whose decisions `act` go to a carrier; the one fact that asks for one is recorded.
fn folder(carrier: &str) -> tempfile::TempDir {
    let dir = crate::memory::folder();
    fs::create_dir(dir.path().join("rules")).unwrap();
    fs::write(dir.path().join("rules/act.dl"), RULES).unwrap();
    let config = format!("author = \"ada\"\n\n[carry]\nact = {{ {carrier} }}\n");
    fs::write(dir.path().join("hence.toml"), config).unwrap();
    ask(dir.path(), 1);
    dir
}

/// Records a fact that asks for a decision, which a mere `decide` draws and doesn't carry out.
fn ask(dir: &Path, number: usize) {
    fs::write(dir.join("facts.jsonl"), format!("{{\"f\": [{number}]}}\n")).unwrap();
    let decided = run(dir, &["decide", "--facts", "facts.jsonl", "--now", "2026-01-01T00:00:00Z"]);
    assert!(decided.status.success(), "{decided:?}");
}

fn run(dir: &Path, words: &[&str]) -> Output {
    let mut command = command::hence(dir, words);
    command.env("HOOK_SECRET", SECRET).stdin(Stdio::null()).output().unwrap()
}

/// Carries out at a second of a minute; what the shell is told, and what was carried.
fn carry(dir: &Path, second: u32) -> (i32, String) {
    let now = format!("2026-01-01T00:00:{second:02}Z");
    let output = run(dir, &["carry", "--now", &now, "--format", "jsonl"]);
    (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
}

fn show(dir: &Path, id: &str) -> String {
    let output = run(dir, &["outbox", "show", id]);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// A request that a server got: its headers in lower case, and its body.
struct Got {
    headers: BTreeMap<String, String>,
    body: String,
}

/// A server that gives these answers, one to each connection, and then ends; its address, and what it got.
fn server(answers: Vec<String>) -> (String, JoinHandle<Vec<Got>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let serve = move || {
        let answer = |text: String| {
            let (mut stream, _) = listener.accept().unwrap();
            let got = read(&stream);
            // Whoever hangs up before the end of a long answer has heard enough.
            let _ = stream.write_all(text.as_bytes());
            got
        };
        answers.into_iter().map(answer).collect()
    };
    (url, thread::spawn(serve))
}

fn read(stream: &TcpStream) -> Got {
    let mut reader = BufReader::new(stream);
    let mut headers = BTreeMap::new();
    let mut line = String::new();
    while reader.read_line(&mut line).unwrap() > 0 && !line.trim().is_empty() {
        if let Some((name, value)) = line.trim().split_once(": ") {
            headers.insert(name.to_lowercase(), value.to_owned());
        }
        line.clear();
    }
    let length = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    Got { headers, body: String::from_utf8(body).unwrap() }
}

fn answer(status: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len())
}

fn hook(url: &str, more: &str) -> tempfile::TempDir {
    folder(&format!("carrier = \"webhook\", url = \"{url}\", pause = \"5s\", attempts = 3{more}"))
}

#[test]
fn a_web_hook_gets_a_signed_decision_under_its_key_and_its_answer_is_asserted() {
    let (url, server) = server(vec![answer("200 OK", "{\"done\": [\"yes\"]}\n")]);
    let dir = hook(&url, ", secret_env = \"HOOK_SECRET\", as = \"hook\"");
    let (status, said) = carry(dir.path(), 1);
    assert_eq!(status, 0, "{said}");
    let got = server.join().unwrap();
    assert_eq!(got[0].headers["idempotency-key"], "1.1");
    assert!(
        got[0].body.starts_with("{\"id\":\"1.1\",\"relation\":\"act\",\"values\":{\"n\":1}"),
        "{}",
        got[0].body
    );
    fs::write(dir.path().join("body"), &got[0].body).unwrap();
    let signed = got[0].headers["hence-signature"].strip_prefix("sha256=").unwrap().to_owned();
    assert_eq!(signed, hmac(&got[0].body), "the signature is another one than openssl's");
    let facts = String::from_utf8(run(dir.path(), &["facts", "done"]).stdout).unwrap();
    assert!(facts.contains("yes"), "{facts}");
    let log = String::from_utf8(run(dir.path(), &["log"]).stdout).unwrap();
    assert!(log.contains("by hook from decision 1.1: carried out by webhook"), "{log}");
    assert!(log.contains("drawn seen(\"1.1\", /carried): 1.1 ended as /carried"), "{log}");
    assert_eq!(carry(dir.path(), 2), (0, String::new()), "it is carried out once");
}

/// HMAC-SHA256 by its definition (RFC 2104) over SHA-256 of the system's own tool.
fn hmac(body: &str) -> String {
    let pad = |with: u8| {
        let mut key = SECRET.as_bytes().to_vec();
        key.resize(64, 0);
        key.iter().map(|byte| byte ^ with).collect::<Vec<u8>>()
    };
    let inner = sha256(&[pad(0x36), body.as_bytes().to_vec()].concat());
    let bytes = (0..32).map(|at| u8::from_str_radix(&inner[2 * at..2 * at + 2], 16).unwrap());
    sha256(&[pad(0x5c), bytes.collect()].concat())
}

fn sha256(bytes: &[u8]) -> String {
    let mut child =
        std::process::Command::new("sha256sum").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(bytes).unwrap();
    let output = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    output[..64].to_owned()
}

#[test]
fn a_web_hook_that_fails_is_tried_again_after_a_pause_until_it_is_given_up() {
    let (url, server) =
        server(vec![answer("503 Busy", ""), answer("429 Slow", ""), answer("500 Broken", "")]);
    let dir = hook(&url, "");
    assert_eq!(carry(dir.path(), 1).0, 1);
    assert_eq!(carry(dir.path(), 5), (0, String::new()), "a pause of 5s is not over after 4s");
    assert_eq!(carry(dir.path(), 6).0, 1);
    assert_eq!(carry(dir.path(), 15), (0, String::new()), "the second pause is twice as long");
    let (status, said) = carry(dir.path(), 16);
    assert!(status == 1 && said.contains("\"state\": \"given up\""), "{said}");
    let keys: Vec<String> =
        server.join().unwrap().iter().map(|got| got.headers["idempotency-key"].clone()).collect();
    assert_eq!(keys, ["1.1"; 3]);
    assert!(show(dir.path(), "1.1").contains("given up: `http://"), "{}", show(dir.path(), "1.1"));
    let retried = run(dir.path(), &["outbox", "retry", "1.1"]);
    assert!(retried.status.success(), "{retried:?}");
    assert!(carry(dir.path(), 17).1.contains("\"state\": \"failed\""), "nobody listens any more");
}

#[test]
fn a_web_hook_that_refuses_is_not_asked_again() {
    let (url, server) = server(vec![answer("404 Gone", "")]);
    let dir = hook(&url, "");
    let (status, said) = carry(dir.path(), 1);
    assert!(status == 1 && said.contains("\"state\": \"given up\""), "{said}");
    server.join().unwrap();
    assert_eq!(carry(dir.path(), 59), (0, String::new()));
}

#[test]
fn a_web_hook_that_does_not_answer_in_time_waits_for_a_person_where_repeating_is_unsafe() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let dir = hook(&url, ", timeout = \"300ms\", repeat = \"unsafe\"");
    let (status, said) = carry(dir.path(), 1);
    assert!(status == 1 && said.contains("\"state\": \"waiting\""), "{said}");
    let (status, said) = carry(dir.path(), 59);
    assert!(status == 1 && said.is_empty(), "it waits: {said}");
    let skipped = run(dir.path(), &["outbox", "skip", "1.1"]);
    assert!(skipped.status.success(), "{skipped:?}");
    assert_eq!(carry(dir.path(), 59).0, 0);
    assert!(show(dir.path(), "1.1").contains("skipped"));
}

#[test]
fn an_answer_that_is_too_long_or_faulty_is_told_and_nothing_else_is_lost() {
    let lines = "{\"done\": [\"yes\"]}\n{\"done\": [3]}\n";
    let (url, server) = server(vec![answer("200 OK", lines), answer("200 OK", &"x".repeat(2 << 20))]);
    let dir = hook(&url, "");
    assert_eq!(carry(dir.path(), 1).0, 0);
    assert!(show(dir.path(), "1.1").contains("{\"done\": [3]}"), "{}", show(dir.path(), "1.1"));
    let facts = String::from_utf8(run(dir.path(), &["facts", "done"]).stdout).unwrap();
    assert!(facts.contains("yes"), "{facts}");
    ask(dir.path(), 2);
    let (status, said) = carry(dir.path(), 2);
    assert!(status == 0 && said.contains("more than 1048576 bytes"), "{said}");
    server.join().unwrap();
}

/// The program does its deed (a line with its key), and hence is killed before or after it, or not at all.
const DEED: &str = "cat > /dev/null\n[ \"$HENCE_ATTEMPT.$(cat when)\" = 1.before ] && kill -9 $PPID && exit 0\n\
    echo \"$HENCE_DECISION\" >> deeds\n[ \"$HENCE_ATTEMPT.$(cat when)\" = 1.after ] && kill -9 $PPID && exit 0\nexit 0\n";

#[test]
fn after_a_crash_nothing_is_lost_and_only_the_same_key_is_repeated() {
    let rounds = slow::size(6, 500);
    let dir = folder("carrier = \"command\", program = \"sh\", args = [\"deed.sh\"]");
    fs::write(dir.path().join("deed.sh"), DEED).unwrap();
    for round in 1..=rounds {
        let when = ["before", "after", "never"][round % 3];
        fs::write(dir.path().join("when"), when).unwrap();
        if round > 1 {
            ask(dir.path(), round);
        }
        let killed = run(dir.path(), &["carry", "--now", "2026-01-01T00:00:01Z"]);
        assert_eq!(killed.status.code(), (when == "never").then_some(0), "{killed:?}");
        let again = run(dir.path(), &["carry", "--now", "2026-01-01T00:00:01Z"]);
        assert!(again.status.success(), "{again:?}");
        let deeds = fs::read_to_string(dir.path().join("deeds")).unwrap();
        let key = deeds.lines().last().unwrap();
        let done = deeds.lines().filter(|line| *line == key).count();
        assert_eq!(done, if when == "after" { 2 } else { 1 }, "round {round}: {key}");
        let keys: std::collections::BTreeSet<&str> = deeds.lines().collect();
        assert_eq!(keys.len(), round, "each decision is carried out under a key of its own");
    }
    let open = run(dir.path(), &["outbox", "--format", "jsonl"]);
    assert!(open.status.success() && open.stdout.is_empty(), "{open:?}");
    let verified = run(dir.path(), &["verify"]);
    assert!(verified.status.success(), "{verified:?}");
}

#[test]
fn after_a_crash_what_is_unsafe_to_repeat_waits_for_a_person() {
    let dir = folder("carrier = \"command\", program = \"sh\", args = [\"deed.sh\"], repeat = \"unsafe\"");
    fs::write(dir.path().join("deed.sh"), DEED).unwrap();
    fs::write(dir.path().join("when"), "after").unwrap();
    assert_eq!(run(dir.path(), &["carry", "--now", "2026-01-01T00:00:01Z"]).status.code(), None);
    assert_eq!(carry(dir.path(), 2), (1, String::new()));
    assert_eq!(carry(dir.path(), 3), (1, String::new()));
    let retried = run(dir.path(), &["outbox", "retry", "1.1", "--as", "ada"]);
    assert!(retried.status.success(), "{retried:?}");
    assert_eq!(carry(dir.path(), 4).0, 0);
    assert_eq!(fs::read_to_string(dir.path().join("deeds")).unwrap(), "1.1\n1.1\n");
}

#[test]
fn a_file_holds_each_decision_once_whatever_an_attempt_left_in_it() {
    let dir = folder("carrier = \"file\", path = \"told.jsonl\"");
    fs::write(dir.path().join("told.jsonl"), "{\"id\":\"1.").unwrap();
    assert_eq!(carry(dir.path(), 1).0, 0);
    assert_eq!(carry(dir.path(), 2), (0, String::new()));
    let told = fs::read_to_string(dir.path().join("told.jsonl")).unwrap();
    let lines: Vec<&str> = told.lines().collect();
    assert!(lines.len() == 2 && lines[1].starts_with("{\"id\":\"1.1\""), "{told}");
}

#[test]
fn what_lapses_before_it_is_carried_out_is_cancelled() {
    let dir = folder(
        "carrier = \"command\", program = \"sh\", args = [\"-c\", \"cat > /dev/null; echo x >> deeds; exit 3\"]",
    );
    ask(dir.path(), 2);
    assert_eq!(carry(dir.path(), 1).0, 1);
    assert_eq!(fs::read_to_string(dir.path().join("deeds")).unwrap(), "x\nx\n");
    ask(dir.path(), 3);
    // One was begun and failed, one was never begun: both lapse.
    for number in [1, 3] {
        let retracted = run(dir.path(), &["retract", &format!("f({number})")]);
        assert!(retracted.status.success(), "{retracted:?}");
    }
    let (_, said) = carry(dir.path(), 7);
    assert!(said.contains("\"id\": \"1.1\"") && said.contains("\"state\": \"cancelled\""), "{said}");
    assert!(!said.contains("act(3)"), "{said}");
    assert_eq!(
        fs::read_to_string(dir.path().join("deeds")).unwrap(),
        "x\nx\nx\n",
        "only what stands is tried again"
    );
    assert!(
        show(dir.path(), "1.1").contains("cancelled: the decision lapsed"),
        "{}",
        show(dir.path(), "1.1")
    );
}

#[test]
fn deciding_alone_carries_out_nothing() {
    let dir = folder(
        "carrier = \"command\", program = \"sh\", args = [\"-c\", \"cat > /dev/null; echo x >> deeds\"]",
    );
    ask(dir.path(), 2);
    for words in [&["why", "act(1)"][..], &["derive", "act"], &["verify"], &["replay"], &["outbox"]] {
        assert!(run(dir.path(), words).status.success(), "{words:?}");
    }
    assert!(!dir.path().join("deeds").exists());
    let now = ["--now", "2026-01-01T00:00:00Z"];
    assert!(run(dir.path(), &[&["decide", "--carry-out"], &now[..]].concat()).status.success());
    assert_eq!(fs::read_to_string(dir.path().join("deeds")).unwrap(), "x\nx\n");
}
