//! What is too much, too slow or too late is refused and said so; nothing else suffers.

use std::io::{BufReader, Write};
use std::time::Duration;

use serde_json::json;

use super::{Service, folder, read_response};
use crate::command::hence;

const LINES: &[(&str, &str)] = &[("Content-Type", "application/x-ndjson")];

#[test]
fn a_body_that_is_too_long_is_413() {
    let dir = folder();
    let service = Service::with(dir.path(), &["--max-body", "100"]);
    let caller = service.all();
    let long = format!("{{\"failed\": [\"{}\", 1]}}", "x".repeat(100));
    let refused = caller.post_as("/v1/facts", LINES, &long);
    assert_eq!((refused.status, refused.header("content-type")), (413, Some("application/problem+json")));
    assert_eq!(caller.post_as("/v1/facts", LINES, "{\"failed\": [\"j\", 1]}").status, 200);
}

#[test]
fn a_body_is_refused_before_it_is_sent_and_broken_chunks_are_malformed() {
    let dir = folder();
    let service = Service::with(dir.path(), &["--max-body", "100"]);
    let caller = service.all();
    let answer = |rest: &str| {
        let mut stream = service.connect();
        let authorization = &caller.authorization;
        write!(stream, "POST /v1/facts HTTP/1.1\r\nHost: x\r\nAuthorization: {authorization}\r\n{rest}")
            .unwrap();
        let response = read_response(&mut BufReader::new(stream));
        (response.status, response.json()["detail"].as_str().unwrap().to_owned())
    };
    let too_long = (413, String::from("the body has more than 100 bytes"));
    assert_eq!(answer("Content-Length: 99999999999\r\n\r\n"), too_long);
    let chunk = "2000\r\n".to_owned() + &"x".repeat(0x2000);
    assert_eq!(answer(&format!("Transfer-Encoding: chunked\r\n\r\n{chunk}")), too_long);
    let broken = (400, String::from("the body broke off, or its chunks can't be read"));
    assert_eq!(answer("Transfer-Encoding: chunked\r\n\r\nzz\r\n"), broken);
}

#[test]
fn unknown_paths_and_methods_are_problems() {
    let dir = folder();
    let service = Service::new(dir.path());
    for (method, path, status) in
        [("GET", "/nowhere", 404), ("GET", "/v1/facts", 405), ("POST", "/v1/status", 405)]
    {
        let refused = service.send(method, path, &[], "");
        assert_eq!(
            (refused.status, refused.header("content-type")),
            (status, Some("application/problem+json"))
        );
    }
}

#[test]
fn a_question_that_takes_too_long_is_given_up_and_others_go_on() {
    let dir = folder();
    let rules = "## A number.\ninput number(n: int).\n\n## One of them.\ndecision found(a: int).\n\
        @because(\"{A} is large\")\nfound(A) :- number(A), A > 1000000.\n";
    std::fs::write(dir.path().join("retry.dl"), rules).unwrap();
    let service = Service::with(dir.path(), &["--budget", "300ms"]);
    let caller = service.all();
    let lines: String = (0..120).map(|n| format!("{{\"number\": [{n}]}}\n")).collect();
    let tx = caller.record(&lines)["tx"].clone();
    caller.read(&format!("/v1/status?min_tx={tx}"));
    let late = caller.post(
        "/v1/query",
        &json!({ "body": "number(A), number(B), number(C), number(D), A * B * C * D < 0" }),
    );
    assert_eq!((late.status, late.header("retry-after")), (503, Some("1")), "{late:?}");
    assert_eq!(service.send("GET", "/healthz", &[], "").status, 200);
}

#[test]
fn a_question_that_is_given_up_keeps_its_reader_no_longer() {
    let dir = folder();
    let budget = Duration::from_secs(4);
    let service = Service::with(dir.path(), &["--budget", "4s"]);
    let caller = service.all();
    let lines: String = (0..40).map(|n| format!("{{\"failed\": [\"j{n}\", {}]}}\n", n + 10)).collect();
    caller.record(&lines);
    caller.read("/v1/status?min_tx=1");
    let slow = "failed(X, N), failed(Y, M), failed(Z, O), failed(A, B), failed(C, D), failed(E, F), \
        N + M + O + B + D + F = 1";
    let late = caller.post("/v1/query", &json!({ "body": slow }));
    assert_eq!(late.status, 503, "{late:?}");
    let begun = std::time::Instant::now();
    let found = caller.ask("/v1/query", &json!({ "body": "failed(X, N), N > 1000" }));
    let took = begun.elapsed();
    assert_eq!(found["rows"], json!([]));
    assert!(took < budget / 2, "the reader went on for {took:?}");
}

#[test]
fn while_another_command_has_the_ledger_reads_go_on_and_writes_are_told_to_come_again() {
    let dir = folder();
    let service = Service::with(dir.path(), &["--budget", "500ms"]);
    let caller = service.all();
    caller.record("{\"failed\": [\"j1\", 1]}");
    let turn = crate::owner::Client::turn(dir.path());
    let found = caller.ask("/v1/query?min_tx=1", &json!({ "body": "retry(J)" }));
    assert_eq!(found["rows"], json!([{ "J": "j1" }]));
    let refused = caller.post_as("/v1/facts", LINES, "{\"failed\": [\"j2\", 1]}");
    assert_eq!((refused.status, refused.header("retry-after")), (503, Some("1")), "{refused:?}");
    drop(turn);
    caller.record("{\"failed\": [\"j3\", 1]}");
    let found = caller.ask("/v1/query?min_tx=2", &json!({ "body": "failed(J, _)" }));
    assert!(!found.to_string().contains("j2"), "what was refused is recorded after all: {found}");
}

#[test]
fn half_open_connections_stop_nobody() {
    let dir = folder();
    let service = Service::new(dir.path());
    let caller = service.all();
    let mut idle = Vec::new();
    for part in [
        "",
        "POST /v1/facts HTTP/1.1\r\nHos",
        "POST /v1/facts HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\n{",
    ] {
        for _ in 0..20 {
            let mut stream = service.connect();
            stream.write_all(part.as_bytes()).unwrap();
            idle.push(stream);
        }
    }
    caller.record("{\"failed\": [\"j1\", 1]}");
    drop(idle);
}

#[test]
fn malformed_requests_end_with_their_connection() {
    let dir = folder();
    let service = Service::new(dir.path());
    for text in ["\r\n\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\u{0}\u{1}\u{2}\r\n\r\n"] {
        let mut stream = service.connect();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let _ = stream.write_all(text.as_bytes());
        let mut rest = String::new();
        let _ = std::io::Read::read_to_string(&mut stream, &mut rest);
    }
    assert_eq!(service.send("GET", "/healthz", &[], "").status, 200);
}

#[test]
fn a_connection_takes_one_request_after_the_other() {
    let dir = folder();
    let service = Service::new(dir.path());
    let mut stream = service.connect();
    for _ in 0..3 {
        stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
        assert_eq!(read_response(&mut BufReader::new(stream.try_clone().unwrap())).status, 200);
    }
}

#[test]
fn other_machines_are_let_in_only_where_somebody_says_so() {
    let dir = folder();
    let refused = hence(dir.path(), &["serve", "--http", "0.0.0.0:0"]).output().unwrap();
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("--insecure") && said.contains("--tls-cert"), "{said}");
}

#[test]
fn a_service_that_is_told_to_stop_ends_in_order() {
    let dir = folder();
    let mut service = Service::new(dir.path());
    service.all().record("{\"failed\": [\"j1\", 1]}");
    crate::owner::signal(service.process.id(), "TERM");
    assert_eq!(service.process.wait().unwrap().code(), Some(0));
    let verified = hence(dir.path(), &["verify"]).output().unwrap();
    assert!(verified.status.success(), "{verified:?}");
}

#[test]
fn an_empty_folder_is_served_in_one_command() {
    let dir = crate::memory::folder();
    let service = Service::new(dir.path());
    let caller = service.all();
    let told = caller.record("{\"tool_call\": [\"c1\", \"web_search\"]}");
    assert_eq!(told["drawn"][0]["relation"], json!("tool_allowed"), "{told}");
}

#[test]
fn a_malformed_address_is_refused_before_the_ledger_is_served() {
    let dir = crate::memory::folder();
    let refused = hence(dir.path(), &["serve", "--http", "nonsense"]).output().unwrap();
    let said = String::from_utf8(refused.stderr).unwrap();
    let wanted = "error: invalid value 'nonsense' for '--http <HOST:PORT>': expected an address such as 127.0.0.1:7433, or `none`\n";
    assert!(refused.status.code() == Some(2) && said.starts_with(wanted), "{said}");
}
