//! Personal values and the service: after an erasure nothing that it keeps or answers holds them.

use std::fs;
use std::io::{BufRead, BufReader, Write};

use serde_json::{Value as Json, json};

use super::mcp::{ask, call, modern};
use super::page::Browser;
use super::{Caller, Service};
use crate::command::hence;

const RULES: &str = "\
## People, and how old they are.
input aged(id: string, age: string @personal(id)).
## Write to them.
decision write(id: string, age: string @personal(id)).
@because(\"{Id} is {Age}\")
write(Id, Age) :- aged(Id, Age).
";
const SECRET: &str = "481516";

/// A folder whose rules know personal values, with more settings.
fn folder(settings: &str) -> tempfile::TempDir {
    let dir = crate::memory::folder();
    fs::write(dir.path().join("rules.dl"), RULES).unwrap();
    fs::write(dir.path().join("hence.toml"), format!("rules = [\"rules.dl\"]\n{settings}")).unwrap();
    dir
}

/// Erases a subject; the transaction that records it.
fn erase(service: &Service, subject: &str) -> u64 {
    let erased = hence(&service.dir, &["erase", subject, "--as", "ada"]).output().unwrap();
    assert!(erased.status.success(), "{}", String::from_utf8_lossy(&erased.stderr));
    let told = String::from_utf8(erased.stdout).unwrap();
    let number = told.split_once("recorded as transaction ").unwrap().1.split_once(',').unwrap().0;
    number.parse().unwrap()
}

/// The files below a folder that hold a text.
fn holding(at: &std::path::Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(at).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            found.extend(holding(&path, text));
        } else if fs::read(&path)
            .is_ok_and(|bytes| bytes.windows(text.len()).any(|window| window == text.as_bytes()))
        {
            found.push(path.display().to_string());
        }
    }
    found
}

/// What the stream of changes tells from the beginning, up to a transaction.
fn changes(caller: &Caller<'_>, last: u64) -> String {
    let mut stream = caller.service.connect();
    let head = format!(
        "GET /v1/changes?after=0 HTTP/1.1\r\nHost: x\r\nAuthorization: {}\r\n\r\n",
        caller.authorization
    );
    stream.write_all(head.as_bytes()).unwrap();
    let (mut stream, mut told) = (BufReader::new(stream), String::new());
    let mut seen = false;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).unwrap_or(0) == 0 || seen && line.trim().is_empty() {
            return told;
        }
        seen |= line.trim() == format!("id: {last}");
        told.push_str(&line);
    }
}

#[test]
fn what_is_erased_is_in_nothing_that_the_service_keeps_or_answers() {
    let dir = folder("");
    let service = Service::new(dir.path());
    let caller = service.all();
    let headers = [("Content-Type", "application/x-ndjson"), ("Idempotency-Key", "k1")];
    let line = format!("{{\"aged\": [\"u1\", \"{SECRET}\"]}}\n{{\"aged\": [\"u2\", \"77\"]}}");
    let told = caller.post_as("/v1/facts", &headers, &line).json();
    let tx = told["tx"].as_u64().unwrap();
    let again = caller.post_as("/v1/facts", &headers, &line).json();
    assert_eq!(again["repeated"], json!(true));
    assert!(caller.post_as("/v1/facts", &headers, "{\"aged\": [\"u1\", \"9\"]}").status == 422);
    // Who guesses the value finds no hash of it.
    let guess: String = hence_server::hash(line.as_bytes()).chars().take(16).collect();
    assert_eq!(holding(&dir.path().join(".hence"), &guess), Vec::<String>::new());
    assert!(changes(&caller, tx).contains(SECRET));
    let past = format!("/v1/query?as_of={tx}");
    let query = json!({ "body": "aged(Id, Age)" });
    assert!(caller.ask(&past, &query).to_string().contains(SECRET));

    erase(&service, "u1");
    let last = caller.read(&format!("/v1/status?min_tx={}", tx + 1))["tx"].as_u64().unwrap();
    assert!(last > tx);
    let mut answers: Vec<String> = Vec::new();
    for path in ["/v1/query", &past] {
        answers.push(caller.ask(path, &query).to_string());
        answers.push(caller.ask(path, &json!({ "body": "write(Id, Age)" })).to_string());
    }
    answers.push(changes(&caller, last));
    for path in [
        "/v1/decisions",
        &format!("/v1/decisions?as_of={tx}"),
        "/v1/decisions/1.1",
        "/v1/decisions/1.1/proof",
        "/v1/facts/aged",
        &format!("/v1/facts/aged?as_of={tx}"),
        "/v1/log",
        "/v1/outbox?all=true",
        "/v1/status",
        "/metrics",
    ] {
        answers.push(caller.get(path).body);
    }
    for fact in ["write(\"u1\", _)", "1.1", "2.1"] {
        answers.push(caller.post("/v1/why", &json!({ "fact": fact })).body);
        answers.push(caller.post("/v1/why-not", &json!({ "fact": fact })).body);
    }
    let asked: Vec<Json> = answers.iter().map(|answer| json!(answer)).collect();
    for answer in &answers {
        assert!(!answer.contains(SECRET), "{answer} in {asked:?}");
    }
    assert!(answers.iter().any(|answer| answer.contains("(erased ")), "{asked:?}");
    assert_eq!(holding(&dir.path().join(".hence"), SECRET), Vec::<String>::new());
    // Whom the service learns of later it knows too.
    caller.record("{\"aged\": [\"u3\", \"1789\"]}");
    let found = caller.ask(&format!("/v1/query?min_tx={}", last + 1), &query).to_string();
    assert!(found.contains("1789") && !found.contains("(sealed"), "{found}");
    // Nobody can tell that it is the same request: it is refused, and records nothing.
    assert_eq!(caller.post_as("/v1/facts", &headers, &line).status, 422);
}

/// What each screen of the page shows, and each tool and resource of MCP answers, of now and of a transaction.
fn shown(service: &Service, browser: &Browser<'_>, tx: u64) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for path in [
        "/",
        &format!("/?as_of={tx}"),
        "/decisions/1.1",
        "/decisions/1.2",
        "/why-not?relation=write&id=u1",
        "/why-not?relation=aged&id=u1",
        "/what-if",
        "/reviews",
        "/outbox",
        "/outbox?all=1",
        "/facts",
        "/facts?relation=aged",
        &format!("/facts?relation=aged&as_of={tx}"),
        "/rules/write",
        "/map",
        "/performance",
        "/ledger",
    ] {
        all.push((path.to_owned(), browser.get(path).body));
    }
    let as_of = tx.to_string();
    let asked = [
        ("decide", json!({ "ask": "write(\"u1\", _)", "dry": true })),
        ("query", json!({ "body": "aged(Id, Age)" })),
        ("query", json!({ "body": "aged(Id, Age)", "as_of": as_of })),
        ("query", json!({ "body": "write(Id, Age)", "as_of": as_of })),
        ("why", json!({ "fact": "1.1" })),
        ("why", json!({ "fact": "write(\"u1\", _)", "all_inputs": true })),
        ("why", json!({ "fact": "write(\"u1\", _)", "as_of": as_of })),
        ("why_not", json!({ "fact": "write(\"u1\", _)" })),
        ("why_not", json!({ "fact": "write(\"u1\", \"1\")", "as_of": as_of })),
        ("what_if", json!({ "assert": [{ "aged": ["u1", "1"] }] })),
        ("what_if", json!({ "retract": [{ "aged": ["u2", "77"] }] })),
        ("list_reviews", json!({})),
    ];
    let calls = (1..).zip(&asked).map(|(id, (tool, arguments))| call(id, tool, arguments));
    let list = modern(90, "resources/list", &json!({}), &json!({}));
    let answers = ask(&service.dir, &calls.chain([list]).collect::<Vec<_>>());
    let listed = answers.last().unwrap()["result"]["resources"].as_array().unwrap().clone();
    let named = asked.iter().map(|(tool, arguments)| format!("{tool} {arguments}"));
    all.extend(named.chain([String::from("list")]).zip(answers.iter().map(Json::to_string)));
    let reads = (100..)
        .zip(&listed)
        .map(|(id, resource)| modern(id, "resources/read", &json!({ "uri": resource["uri"] }), &json!({})));
    let read = ask(&service.dir, &reads.collect::<Vec<_>>());
    all.extend(
        listed.iter().map(|resource| resource["uri"].to_string()).zip(read.iter().map(Json::to_string)),
    );
    all
}

#[test]
fn what_is_erased_is_on_no_screen_in_no_answer_of_mcp_and_in_no_payload() {
    let dir = folder("[carry]\nwrite = { carrier = \"file\", folder = \"written\" }\n");
    let service = Service::new(dir.path());
    let line = format!("{{\"aged\": [\"u1\", \"{SECRET}\"]}}\n{{\"aged\": [\"u2\", \"77\"]}}");
    let tx = service.all().record(&line)["tx"].as_u64().unwrap();
    let browser = Browser::new(&service, "ada", "decide,read,write,admin");
    let before = shown(&service, &browser, tx);
    let is_told = |path: &str| before.iter().any(|(from, text)| from == path && text.contains(SECRET));
    for path in ["/facts?relation=aged", "/decisions/1.1", "query {\"body\":\"aged(Id, Age)\"}"] {
        let all: Vec<&String> = before.iter().map(|(from, _)| from).filter(|from| is_told(from)).collect();
        assert!(is_told(path), "{path} is none of {all:?}");
    }
    // What the service carried out before is elsewhere by now.
    let written = dir.path().join("written");
    let end = std::time::Instant::now() + super::LONG;
    while !(written.join("1.1.json").exists() && written.join("1.2.json").exists()) {
        assert!(std::time::Instant::now() < end, "nothing is carried out");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    fs::remove_dir_all(&written).unwrap();
    let erased = erase(&service, "u1");
    service.all().read(&format!("/v1/status?min_tx={erased}"));
    let after = shown(&service, &browser, tx);
    for (from, text) in &after {
        assert!(!text.contains(SECRET), "{from}: {text}");
    }
    assert!(after.iter().any(|(_, text)| text.contains("(erased ")), "{after:?}");
    let carried = hence(dir.path(), &["carry", "--as", "ada"]).output().unwrap();
    let told = [carried.stdout, carried.stderr].concat();
    assert!(!String::from_utf8_lossy(&told).contains(SECRET));
    assert!(!written.exists() || holding(&written, SECRET).is_empty());
}
