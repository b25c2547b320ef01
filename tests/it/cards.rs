//! Cards with buttons: what a chat receives, and which tokens answer a review.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Output, Stdio};
use std::thread;

use serde_json::Value as Json;

use super::command;

const MORNING: &str = "2026-02-10T09:00:00Z";

/// A folder in which blocked events become cards; `more` is beside the URL in `[carry]`.
fn folder(url: &str, more: &str) -> tempfile::TempDir {
    let dir = crate::memory::folder();
    let config = format!(
        "author = \"ada\"\npacks = [\"guardrails\"]\n[roles]\nreviewer = [\"ada\"]\n[carry]\n\
        notify = {{ carrier = \"card\", url = \"{url}\", attempts = 1{more} }}\n"
    );
    fs::write(dir.path().join("hence.toml"), config).unwrap();
    let facts = "{\"reviewer\": [\"ada\"]}\n{\"guarded_event\": [\"payment-7\", \"/financial\"]}\n";
    fs::write(dir.path().join("facts.jsonl"), facts).unwrap();
    dir
}

const BUTTONS: &str =
    ", review = [\"event\", \"rule\"], reviewer = \"ada\", reply_env = \"REPLY_KEY\", lasts = \"1h\"";

fn run(dir: &Path, clock: &str, words: &[&str]) -> Output {
    fs::write(dir.join("clock"), clock).unwrap();
    let mut command = command::hence(dir, words);
    command
        .env("HENCE_CLOCK", dir.join("clock"))
        .env("REPLY_KEY", "a key")
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn said(output: &Output) -> String {
    let texts = [&output.stdout, &output.stderr];
    texts.map(|text| String::from_utf8_lossy(text).into_owned()).concat()
}

/// Has the events of a folder carried out; the message that the chat got.
fn message(more: &str) -> (tempfile::TempDir, Json) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let dir = folder(&format!("http://{}/", listener.local_addr().unwrap()), more);
    let serving = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let (mut line, mut length) = (String::new(), 0);
        while reader.read_line(&mut line).unwrap() > 2 {
            if let Some(number) = line.to_lowercase().strip_prefix("content-length:") {
                length = number.trim().parse().unwrap();
            }
            line.clear();
        }
        let mut bytes = vec![0; length];
        reader.read_exact(&mut bytes).unwrap();
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok").unwrap();
        serde_json::from_slice(&bytes).unwrap()
    });
    let decided = run(dir.path(), MORNING, &["decide", "--carry-out", "--facts", "facts.jsonl"]);
    assert!(decided.status.success(), "{decided:?}");
    (dir, serving.join().unwrap())
}

/// The tokens of the buttons.
fn tokens(message: &Json) -> [String; 2] {
    let buttons = message["blocks"].as_array().unwrap().last().unwrap()["elements"].clone();
    assert_eq!([&buttons[0]["action_id"], &buttons[1]["action_id"]], ["approve", "reject"]);
    [0, 1].map(|at: usize| buttons[at]["value"].as_str().unwrap().to_owned())
}

#[test]
fn a_card_says_what_is_asked_in_plain_text() {
    let (_dir, message) = message(BUTTONS);
    assert_eq!(message["blocks"][0]["text"]["text"], "notify");
    assert_eq!(message["blocks"][1]["text"]["type"], "plain_text");
    assert_eq!(message["blocks"][2]["fields"][0]["text"], "event: payment-7");
    assert!(tokens(&message).iter().all(|token| token.len() <= 2000));
}

#[test]
fn a_card_without_a_review_has_no_buttons() {
    let (_dir, message) = message("");
    assert_eq!(message["blocks"].as_array().unwrap().len(), 3);
}

#[test]
fn a_token_answers_its_review_once() {
    let (dir, message) = message(BUTTONS);
    let [approve, reject] = tokens(&message);
    let answered = run(dir.path(), MORNING, &["review", "answer", &approve]);
    assert!(answered.status.success(), "{answered:?}");
    assert!(said(&answered).contains("ada approved the override payment-7/financial"), "{}", said(&answered));
    for token in [approve.clone(), approve.to_uppercase()] {
        let again = run(dir.path(), MORNING, &["review", "answer", &token]);
        assert!(
            again.status.code() == Some(1) && said(&again).contains("was used already"),
            "{}",
            said(&again)
        );
    }
    let other = run(dir.path(), MORNING, &["review", "answer", &reject]);
    assert!(other.status.code() == Some(2) && said(&other).contains("an answer stays"), "{}", said(&other));
}

#[test]
fn a_rejection_by_token_keeps_its_reason() {
    let (dir, message) = message(BUTTONS);
    let [_, reject] = tokens(&message);
    let answered = run(dir.path(), MORNING, &["review", "answer", &reject, "--reason", "no contract"]);
    assert!(said(&answered).contains("ada rejected the override"), "{}", said(&answered));
    assert!(said(&run(dir.path(), MORNING, &["log"])).contains("no contract"));
}

#[test]
fn a_forged_token_is_refused() {
    let (dir, message) = message(BUTTONS);
    let [approve, reject] = tokens(&message);
    let (what, sign) = approve.split_once('.').unwrap();
    let (other, other_sign) = reject.split_once('.').unwrap();
    // `true` as `false`, and `payment-7` as `payment-8`.
    let event = what.replace("7061796d656e742d37", "7061796d656e742d38");
    assert_ne!(event, what);
    let forged = [
        format!("{what}.{other_sign}"),
        format!("{other}.{sign}"),
        format!("{event}.{sign}"),
        format!("{what}.{}", "0".repeat(64)),
        format!("{what}."),
        format!("{what}.{}", &sign[..62]),
        what.to_owned(),
        String::from("."),
        String::from("é.é"),
        "f".repeat(100_000),
    ];
    for token in forged {
        let refused = run(dir.path(), MORNING, &["review", "answer", &token]);
        assert!(refused.status.code() == Some(1) && said(&refused).contains("forged"), "{}", said(&refused));
    }
    let listed = said(&run(dir.path(), MORNING, &["review", "list"]));
    assert!(listed.contains("payment-7/financial"), "{listed}");
}

#[test]
fn a_token_is_too_late_from_its_instant_on_whatever_clock_the_run_is_given() {
    let (dir, message) = message(BUTTONS);
    let [approve, _] = tokens(&message);
    let late = "2026-02-10T10:00:00Z";
    for words in [vec!["review", "answer", &approve], vec!["review", "answer", &approve, "--now", MORNING]] {
        let refused = run(dir.path(), late, &words);
        assert!(refused.status.code() == Some(1), "{}", said(&refused));
        assert!(said(&refused).contains("was valid until 2026-02-10T10:00:00Z"), "{}", said(&refused));
    }
    assert!(run(dir.path(), "2026-02-10T09:59:59Z", &["review", "answer", &approve]).status.success());
}

#[test]
fn the_beginning_of_an_event_lets_it_past_its_rule() {
    let dir = folder("http://127.0.0.1:1/", "");
    let more = "{\"guarded_event\": [\"payment-8\", \"/financial\"]}\n{\"guarded_event\": [\"mail-1\", \"/legal\"]}\n";
    let facts = fs::read_to_string(dir.path().join("facts.jsonl")).unwrap();
    fs::write(dir.path().join("facts.jsonl"), facts + more).unwrap();
    assert!(run(dir.path(), MORNING, &["decide", "--facts", "facts.jsonl"]).status.success());
    let several = run(dir.path(), MORNING, &["review", "override", "pay", "--as", "ada"]);
    assert!(
        several.status.code() == Some(2)
            && said(&several).contains("`payment-7/financial`, `payment-8/financial`")
    );
    let by_another = run(dir.path(), MORNING, &["review", "override", "mail", "--as", "bob"]);
    assert!(
        by_another.status.code() == Some(1) && said(&by_another).contains("not a reviewer"),
        "{by_another:?}"
    );
    let none = run(dir.path(), MORNING, &["review", "override", "phone", "--as", "ada"]);
    assert!(none.status.code() == Some(2) && said(&none).contains("is not waiting"), "{}", said(&none));
    let past = run(dir.path(), MORNING, &["review", "override", "mai", "--as", "ada"]);
    assert!(said(&past).contains("ada approved the override mail-1/legal"), "{}", said(&past));
}

#[test]
fn settings_of_a_card_say_what_is_missing() {
    for (more, told) in [
        (", review = [\"event\"]", "a card with buttons needs `review`"),
        (", reviewr = \"ada\"", "did you mean `review`?"),
        (", review = \"event\"", "expected a list of strings, found a string"),
        (", review = [\"event\"], reviewer = \"ada\", reply_env = \"NOT_SET\"", "`reply_env` of `notify`"),
    ] {
        let dir = folder("http://127.0.0.1:1/", more);
        let refused = run(dir.path(), MORNING, &["decide", "--carry-out", "--facts", "facts.jsonl"]);
        assert!(
            refused.status.code() == Some(2) && said(&refused).contains(told),
            "{more}: {}",
            said(&refused)
        );
    }
}
