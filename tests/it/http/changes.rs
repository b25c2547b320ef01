//! The stream of changes: a listener that is cut off, or whose service is killed, goes on where it was.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

use serde_json::json;

use super::{Caller, Service, folder};
use crate::command::hence;

/// Somebody who listens.
struct Listener {
    stream: BufReader<TcpStream>,
}

impl Listener {
    fn new(caller: &Caller<'_>, after: Option<u64>) -> Self {
        let mut stream = caller.service.connect();
        let last = after.map_or(String::new(), |after| format!("Last-Event-ID: {after}\r\n"));
        let head = format!(
            "GET /v1/changes?after=0 HTTP/1.1\r\nHost: x\r\nAuthorization: {}\r\n{last}\r\n",
            caller.authorization
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut listener = Self { stream: BufReader::new(stream) };
        let mut line = listener.line().unwrap();
        assert!(line.contains("200"), "{line}");
        while !line.trim().is_empty() {
            line = listener.line().unwrap();
        }
        listener
    }

    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        match self.stream.read_line(&mut line) {
            Ok(0) | Err(_) => None,
            Ok(_) => Some(line),
        }
    }

    /// The number of the next transaction; none where the stream ended.
    fn next(&mut self) -> Option<u64> {
        loop {
            if let Some(id) = self.line()?.strip_prefix("id: ") {
                return Some(id.trim().parse().unwrap());
            }
        }
    }
}

/// Reads what comes up to the end of the stream; a heartbeat would say that it goes on.
fn ends(mut listener: Listener) {
    let mut line = String::new();
    while listener.stream.read_line(&mut line).unwrap() > 0 {
        assert!(!line.trim_start().starts_with(':'), "the stream is still open");
        line.clear();
    }
}

fn record(caller: &Caller<'_>, from: u64, to: u64) {
    (from..=to).for_each(|at| drop(caller.record(&format!("{{\"failed\": [\"j{at}\", 1]}}"))));
}

#[test]
fn a_listener_hears_what_was_and_what_comes() {
    let dir = folder();
    let service = Service::new(dir.path());
    let caller = service.all();
    record(&caller, 1, 3);
    let mut listener = Listener::new(&caller, None);
    assert_eq!([1, 2, 3].map(|_| listener.next()), [Some(1), Some(2), Some(3)]);
    record(&caller, 4, 4);
    assert_eq!(listener.next(), Some(4));
    let mut late = Listener::new(&caller, Some(3));
    assert_eq!(late.next(), Some(4));
    let mut wrong = caller.service.connect();
    let head = format!(
        "GET /v1/changes HTTP/1.1\r\nHost: x\r\nConnection: close\r\nLast-Event-ID: soon\r\nAuthorization: {}\r\n\r\n",
        caller.authorization
    );
    wrong.write_all(head.as_bytes()).unwrap();
    assert_eq!(super::read_response(&mut BufReader::new(wrong)).status, 400);
}

#[test]
fn through_reconnects_and_kills_nothing_is_missed_and_nothing_comes_twice() {
    let dir = folder();
    let mut heard = Vec::new();
    for round in 0..4_u64 {
        let service = Service::new(dir.path());
        let caller = service.all();
        let mut listener = Listener::new(&caller, heard.last().copied());
        record(&caller, round * 10 + 1, round * 10 + 5);
        while heard.len() < usize::try_from(round * 10 + 3).unwrap() {
            heard.push(listener.next().unwrap());
        }
        // Cut off by the listener, which comes again.
        drop(listener);
        let mut listener = Listener::new(&caller, heard.last().copied());
        record(&caller, round * 10 + 6, round * 10 + 10);
        while heard.len() < usize::try_from(round * 10 + 8).unwrap() {
            heard.push(listener.next().unwrap());
        }
        // Killed in the middle; what is left comes from the next one.
        drop(service);
    }
    let service = Service::new(dir.path());
    let caller = service.all();
    let mut listener = Listener::new(&caller, heard.last().copied());
    while heard.len() < 40 {
        heard.push(listener.next().unwrap());
    }
    assert_eq!(heard, (1..=40).collect::<Vec<u64>>());
}

#[test]
fn a_stream_ends_when_its_token_is_revoked_and_others_go_on() {
    let dir = folder();
    let service = Service::new(dir.path());
    let caller = service.all();
    record(&caller, 1, 1);
    let revoked = service.token("pep", "read");
    let mut listener = Listener::new(&revoked, None);
    let mut other = Listener::new(&caller, None);
    assert_eq!((listener.next(), other.next()), (Some(1), Some(1)));
    let id = revoked.authorization.split('_').nth(1).unwrap();
    assert!(crate::command::hence(dir.path(), &["token", "revoke", id]).status().unwrap().success());
    ends(listener);
    record(&caller, 2, 2);
    assert_eq!(other.next(), Some(2));
}

#[test]
fn many_listeners_hear_the_same() {
    let dir = folder();
    let service = Service::new(dir.path());
    let caller = service.all();
    let mut listeners: Vec<Listener> = (0..100).map(|_| Listener::new(&caller, None)).collect();
    record(&caller, 1, 5);
    for listener in &mut listeners {
        assert_eq!([(); 5].map(|()| listener.next()), [1, 2, 3, 4, 5].map(Some));
    }
}

/// A ledger with so many transactions, a fact each.
fn recorded(dir: &std::path::Path, count: u64) {
    let lines: String = (1..=count).map(|at| format!("{{\"failed\": [\"j{at}\", 1]}}\n")).collect();
    let mut process = hence(dir, &["decide", "--follow", "--now", "2026-02-09T09:00:00Z"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    process.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    assert!(process.wait().unwrap().success());
}

#[test]
fn who_begins_before_what_is_kept_hears_everything_too() {
    let dir = folder();
    recorded(dir.path(), 1300);
    let service = Service::new(dir.path());
    let caller = service.all();
    for begins in [0, 0, 1290, 100, 0] {
        let mut listener = Listener::new(&caller, Some(begins));
        for tx in begins + 1..=1300 {
            assert_eq!(listener.next(), Some(tx), "after {begins}");
        }
    }
}

#[test]
fn large_transactions_come_in_small_answers_and_all_of_them() {
    let dir = folder();
    let service = Service::with(dir.path(), &["--budget", "30s"]);
    let caller = service.all();
    let large = "x".repeat(900_000);
    (1..=30).for_each(|at| drop(caller.record(&format!("{{\"failed\": [\"{at}{large}\", 1]}}"))));
    let (mut next, mut answers) = (1, 0);
    loop {
        let answer = caller.get(&format!("/v1/log?limit=1000&min_tx=30&from={next}"));
        assert!(answer.body.len() < 8 << 20, "{} bytes", answer.body.len());
        let log = answer.json();
        for one in log["transactions"].as_array().unwrap() {
            assert_eq!(one["transaction"], json!(next));
            next += 1;
        }
        answers += 1;
        if log["more"] == json!(false) {
            break;
        }
    }
    assert!(next == 31 && answers > 3, "{next} {answers}");
    for _ in 0..2 {
        let mut listener = Listener::new(&caller, None);
        assert!((1..=30).all(|tx| listener.next() == Some(tx)));
    }
}

#[test]
fn a_listener_is_told_of_what_cant_be_read() {
    let dir = folder();
    recorded(dir.path(), 5);
    assert!(hence(dir.path(), &["compact"]).status().unwrap().success());
    let (archive, elsewhere) = (dir.path().join(".hence/archive"), dir.path().join("elsewhere"));
    std::fs::rename(&archive, &elsewhere).unwrap();
    let service = Service::new(dir.path());
    let caller = service.all();
    let refused = caller.get("/v1/changes?after=0");
    assert_eq!(refused.status, 500, "{refused:?}");
    assert!(refused.body.contains("archive"), "{refused:?}");
    // What came after it is there.
    let mut listener = Listener::new(&caller, Some(6));
    record(&caller, 7, 7);
    assert_eq!(listener.next(), Some(7));
}
