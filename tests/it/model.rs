//! The carrier `model`, against a scripted server: what is asked, what becomes of answers, and what is refused.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Output, Stdio};
use std::thread::{self, JoinHandle};

use serde_json::{Value as Json, json};

use super::command;

const RULES: &str = "## A ticket.\ninput ticket(ticket: string, category: name).\n\n## A known label.\n\
    input known(label: string).\n\n## Its label.\ninput label(ticket: string, label: string).\n\n\
    ## What an answer cost.\ninput call(id: string, model: string, outcome: name, input: int, output: int, cost: float).\n\n\
    ## Ask for a label.\ndecision judge(ticket: string, category: name).\n\n@id(judges)\n@because(\"{Ticket} is new\")\n\
    judge(Ticket, Category) :- ticket(Ticket, Category).\n";
const SCHEMA: &str = "{\"type\": \"object\", \"required\": [\"labels\"], \"additionalProperties\": false, \"properties\": \
    {\"labels\": {\"type\": \"array\", \"maxItems\": 2, \"items\": {\"enum\": [\"bug\", \"wish\"]}}}}";

/// What is said of the carrier beside its form, its URL and what the test is about.
const COMMON: &str = "model = \"small\", prompt = \"Label {{ticket}} ({{$id}}): {{rows known}}\", \
    usage = [\"call(id = $id, model = $model, outcome = $outcome, input = $input_tokens, output = $output_tokens, cost = $cost)\"], \
    prices = [\"small = 1, 2\", \"large = 10.0, 20.0\"], key_env = \"MODEL_KEY\", attempts = 2, pause = \"5s\"";
const LABELS: &str =
    ", schema = \"schema.json\", each = \"labels\", facts = [\"label(ticket = ticket, label = $item)\"]";

fn folder(carrier: &str) -> tempfile::TempDir {
    let dir = crate::memory::folder();
    fs::create_dir(dir.path().join("rules")).unwrap();
    fs::write(dir.path().join("rules/judge.dl"), RULES).unwrap();
    fs::write(dir.path().join("schema.json"), SCHEMA).unwrap();
    let config = format!("author = \"ada\"\n[carry]\njudge = {{ carrier = \"model\", {carrier} }}\n");
    fs::write(dir.path().join("hence.toml"), config).unwrap();
    let facts = "{\"ticket\": [\"t1\", \"/architecture\"]}\n{\"known\": [\"bug\"]}\n";
    fs::write(dir.path().join("facts.jsonl"), facts).unwrap();
    dir
}

fn run(dir: &Path, words: &[&str]) -> Output {
    command::hence(dir, words).env("MODEL_KEY", "a key").stdin(Stdio::null()).output().unwrap()
}

/// Decides and carries out; what was said.
fn judge(dir: &Path) -> String {
    let words = ["decide", "--carry-out", "--facts", "facts.jsonl", "--now", "2026-01-01T00:00:00Z"];
    String::from_utf8_lossy(&run(dir, &words).stderr).into_owned()
}

fn facts(dir: &Path, relation: &str) -> String {
    String::from_utf8(run(dir, &["facts", relation, "--format", "jsonl"]).stdout).unwrap()
}

/// A request that the server got.
struct Got {
    headers: String,
    body: Json,
}

/// A server that gives these answers, one to each connection.
fn server(answers: Vec<(u16, String)>) -> (String, JoinHandle<Vec<Got>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("url = \"http://{}/\"", listener.local_addr().unwrap());
    let serve = move || {
        let mut got = Vec::new();
        for (status, body) in answers {
            let (mut stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let (mut headers, mut length) = (String::new(), 0);
            loop {
                let mut line = String::new();
                reader.read_line(&mut line).unwrap();
                if line.trim().is_empty() {
                    break;
                }
                if let Some(number) = line.to_lowercase().strip_prefix("content-length:") {
                    length = number.trim().parse().unwrap();
                }
                headers.push_str(&line.to_lowercase());
            }
            let mut bytes = vec![0; length];
            reader.read_exact(&mut bytes).unwrap();
            got.push(Got { headers, body: serde_json::from_slice(&bytes).unwrap() });
            let head =
                format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
            // One who has heard enough may have gone.
            let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
        }
        got
    };
    (url, thread::spawn(serve))
}

fn completion(content: &str, end: &str) -> String {
    let choice = json!({ "message": { "content": content }, "finish_reason": end });
    json!({ "choices": [choice], "usage": { "prompt_tokens": 1000, "completion_tokens": 500 } }).to_string()
}

#[test]
fn a_model_is_asked_in_the_form_of_openai_and_its_answer_and_cost_are_facts() {
    let (url, server) = server(vec![(200, completion("{\"labels\": [\"bug\", \"wish\"]}", "stop"))]);
    let more =
        ", category = \"category\", models = [\"architecture = large, 3000\"], system = \"You label.\"";
    let dir = folder(&format!("api = \"openai\", {url}, {COMMON}{LABELS}{more}"));
    let said = judge(dir.path());
    let got = server.join().unwrap().remove(0);
    assert!(
        got.headers.contains("authorization: bearer a key") && got.headers.contains("idempotency-key: 1.1")
    );
    assert_eq!(got.body["model"], "large");
    assert_eq!(got.body["max_tokens"], 3000);
    assert_eq!(got.body["messages"][0], json!({ "role": "system", "content": "You label." }));
    assert_eq!(got.body["messages"][1]["content"], "Label t1 (1.1): {\"label\":\"bug\"}\n");
    assert_eq!(got.body["response_format"]["json_schema"]["schema"]["required"], json!(["labels"]));
    assert!(facts(dir.path(), "label").contains("[\"t1\", \"bug\"]"), "{said}");
    assert!(facts(dir.path(), "label").contains("[\"t1\", \"wish\"]"));
    let call = facts(dir.path(), "call");
    assert!(call.contains("[\"1.1\", \"large\", \"/answered\", 1000, 500, 0.02]"), "{call}");
}

#[test]
fn a_model_is_asked_in_the_form_of_anthropic() {
    let block = json!({ "type": "tool_use", "name": "answer", "input": { "labels": ["wish"] } });
    let usage = json!({ "input_tokens": 100, "output_tokens": 50 });
    let answer = json!({ "content": [block], "stop_reason": "tool_use", "usage": usage }).to_string();
    let (url, server) = server(vec![(200, answer)]);
    let dir = folder(&format!("api = \"anthropic\", {url}, {COMMON}{LABELS}"));
    let said = judge(dir.path());
    let got = server.join().unwrap().remove(0);
    assert!(got.headers.contains("x-api-key: a key") && got.headers.contains("anthropic-version: "));
    assert_eq!(got.body["tool_choice"], json!({ "type": "tool", "name": "answer" }));
    assert_eq!(got.body["max_tokens"], 1024);
    assert!(facts(dir.path(), "label").contains("[\"t1\", \"wish\"]"), "{said}");
    assert!(facts(dir.path(), "call").contains("\"/answered\", 100, 50, 0.0002"));
}

#[test]
fn an_answer_that_does_not_fit_or_is_cut_off_states_what_it_cost_and_nothing_else() {
    for (content, end, outcome, why) in [
        ("{\"labels\": [\"other\"]}", "stop", "/unfit", "at `/labels/0/`: expected one of"),
        ("{\"labels\": [\"bug\", \"bug\", \"bug\"]}", "stop", "/unfit", "expected maxItems 2"),
        ("{\"labels\": [], \"more\": 1}", "stop", "/unfit", "unknown `more`"),
        ("{}", "stop", "/unfit", "missing `labels`"),
        ("[1]", "stop", "/unfit", "expected object, found [1]"),
        ("I am sorry", "stop", "/unfit", "it is not JSON"),
        ("{\"labels\": [\"bug\"]}", "length", "/cut", "cut off at its limit"),
    ] {
        let (url, server) = server(vec![(200, completion(content, end))]);
        let dir = folder(&format!("api = \"openai\", {url}, {COMMON}{LABELS}"));
        let said = judge(dir.path());
        server.join().unwrap();
        assert!(said.contains(why), "{content}: {said}");
        assert_eq!(facts(dir.path(), "label"), "", "{content}");
        assert!(facts(dir.path(), "call").contains(outcome), "{content}: {}", facts(dir.path(), "call"));
    }
}

#[test]
fn a_server_that_fails_is_asked_again_and_one_that_refuses_is_not() {
    let (url, server) =
        server(vec![(429, String::new()), (200, completion("{\"labels\": [\"bug\"]}", "stop"))]);
    let dir = folder(&format!("api = \"openai\", {url}, {COMMON}{LABELS}"));
    assert!(judge(dir.path()).contains("it answered with status 429"));
    assert!(run(dir.path(), &["carry", "--now", "2026-01-01T00:00:06Z"]).status.success());
    server.join().unwrap();
    assert!(facts(dir.path(), "label").contains("bug"));

    let (url, server) = self::server(vec![(401, String::new())]);
    let dir = folder(&format!("api = \"openai\", {url}, {COMMON}{LABELS}"));
    judge(dir.path());
    server.join().unwrap();
    let again = run(dir.path(), &["carry", "--now", "2026-01-01T00:01:00Z", "--format", "jsonl"]);
    assert!(again.status.success() && again.stdout.is_empty(), "{again:?}");
}

#[test]
fn an_answer_is_bounded_in_size_and_time_and_must_be_one() {
    for (body, why) in [
        ("x".repeat(2 << 20), "more than 1048576 bytes"),
        (String::from("hello"), "its answer is not JSON"),
        (String::from("{}"), "its answer has no text at `/choices/0/message/content`"),
        (format!("{}{}", "[".repeat(5000), "]".repeat(5000)), "its answer is not JSON"),
    ] {
        let (url, server) = server(vec![(200, body)]);
        let dir = folder(&format!("api = \"openai\", {url}, {COMMON}{LABELS}"));
        let said = judge(dir.path());
        server.join().unwrap();
        assert!(said.contains(why), "{why}: {said}");
        assert_eq!(facts(dir.path(), "call"), "");
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("url = \"http://{}/\"", listener.local_addr().unwrap());
    let dir = folder(&format!("api = \"openai\", {url}, {COMMON}{LABELS}, timeout = \"300ms\""));
    assert!(judge(dir.path()).contains("did not answer"));
}

#[test]
fn settings_of_a_model_say_what_is_wrong_with_them() {
    let url = "url = \"http://127.0.0.1:1/\"";
    let plain = "facts = [\"label(ticket = ticket, label = $text)\"]";
    for (carrier, told) in [
        (format!("{url}, model = \"m\", prompt = \"x\", {plain}"), "missing form of requests"),
        (format!("api = \"other\", {url}"), "expected `openai` or `anthropic`, found `other`"),
        (String::from("api = \"openai\", url = \"https://x/\""), "needs the feature `tls`"),
        (format!("api = \"openai\", {url}, prompt = \"x\", {plain}"), "missing model"),
        (
            format!("api = \"openai\", {url}, model = \"m\", {plain}"),
            "`prompt` or `prompt_file`, found neither",
        ),
        (
            format!("api = \"openai\", {url}, model = \"m\", prompt = \"{{{{a b}}}}\", {plain}"),
            "expected a column",
        ),
        (format!("api = \"openai\", {url}, model = \"m\", promt = \"x\", {plain}"), "did you mean `prompt`?"),
        (
            format!("api = \"openai\", {url}, model = 3, prompt = \"x\", {plain}"),
            "expected a string, found `3`",
        ),
        (format!("api = \"openai\", {url}, model = \"m\", prompt = \"x\""), "missing facts"),
        (
            format!(
                "api = \"openai\", {url}, model = \"m\", prompt = \"x\", facts = [\"label(ticket = $cost)\"]"
            ),
            "`prices` has none of `m`",
        ),
        (
            format!(
                "api = \"openai\", {url}, model = \"m\", prompt = \"x\", facts = [\"label(ticket = $answer)\"]"
            ),
            "unknown `$answer`",
        ),
        (
            format!("api = \"openai\", {url}, model = \"m\", models = [\"a = b\"], prompt = \"x\", {plain}"),
            "`models` without the column",
        ),
        (
            format!(
                "api = \"openai\", {url}, model = \"m\", prompt = \"x\", schema = \"open.json\", {plain}"
            ),
            "`oneOf` is not checked",
        ),
    ] {
        let dir = folder(&carrier);
        fs::write(dir.path().join("open.json"), "{\"oneOf\": []}").unwrap();
        let said = judge(dir.path());
        assert!(said.contains(told), "{carrier}: {said}");
    }
}
