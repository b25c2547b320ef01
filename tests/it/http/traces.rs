//! The trace of a caller: what the log says of it, and what a collector of OpenTelemetry is sent.

use serde_json::Value as Json;

use super::{Service, folder};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN: &str = "00f067aa0ba902b7";

fn parent() -> String {
    format!("00-{TRACE}-{SPAN}-01")
}

#[test]
fn the_log_says_in_which_trace_a_request_was() {
    let dir = folder();
    let variables = [("HENCE_LOG", "info"), ("HENCE_LOG_FORMAT", "json")];
    let mut service = Service::with_variables(dir.path(), &variables);
    let whole = parent();
    let mut trace_of = |parent: &str| {
        service.send("GET", "/healthz", &[("traceparent", parent)], "");
        let said = service.hear("\"/healthz\"");
        let line: Json = serde_json::from_str(said.lines().last().unwrap()).unwrap();
        line["fields"]["trace"].as_str().map(str::to_owned)
    };
    assert_eq!(trace_of(&whole).as_deref(), Some(TRACE));
    // A later version may say more.
    assert_eq!(trace_of(&format!("01{}-more", &whole[2..])).as_deref(), Some(TRACE));
    let malformed = [
        String::new(),
        format!("ff{}", &whole[2..]),
        format!("{whole}-more"),
        whole.to_uppercase(),
        whole.replace(TRACE, &"0".repeat(32)),
        whole.replace(SPAN, &"0".repeat(16)),
        whole.replace("-01", ""),
        "-".repeat(55),
    ];
    for text in malformed {
        assert_eq!(trace_of(&text), None, "{text}");
    }
}

#[cfg(feature = "otel")]
mod collected {
    use std::io::{BufRead, BufReader, Read, Write};
    use std::net::TcpListener;
    use std::sync::mpsc;
    use std::thread;

    use super::super::LONG;
    use super::*;

    /// A collector: each body that is posted to it, after its path.
    fn collector(status: &'static str) -> (String, mpsc::Receiver<(String, Vec<u8>)>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let (posted, bodies) = mpsc::channel();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = BufReader::new(stream.unwrap());
                loop {
                    let (mut head, mut length) = (String::new(), 0);
                    while !head.ends_with("\r\n\r\n") {
                        let mut line = String::new();
                        if stream.read_line(&mut line).unwrap_or(0) == 0 {
                            break;
                        }
                        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                            length = value.trim().parse().unwrap();
                        }
                        head.push_str(&line);
                    }
                    if head.is_empty() {
                        break;
                    }
                    let mut body = vec![0; length];
                    stream.read_exact(&mut body).unwrap();
                    let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n");
                    stream.get_mut().write_all(answer.as_bytes()).unwrap();
                    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
                    if posted.send((path, body)).is_err() {
                        return;
                    }
                }
            }
        });
        (address, bodies)
    }

    fn bytes(hex: &str) -> Vec<u8> {
        (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
    }

    fn holds(body: &[u8], part: &[u8]) -> bool {
        body.windows(part.len()).any(|window| window == part)
    }

    #[test]
    fn a_collector_is_sent_the_spans_of_a_request_in_its_trace() {
        let dir = folder();
        let (address, bodies) = collector("200 OK");
        let variables =
            [("OTEL_EXPORTER_OTLP_ENDPOINT", address.as_str()), ("OTEL_BSP_SCHEDULE_DELAY", "50")];
        let service = Service::with_variables(dir.path(), &variables);
        let caller = service.all();
        let headers = [
            ("traceparent", &*parent()),
            ("authorization", caller.authorization.as_str()),
            ("content-type", "application/x-ndjson"),
        ];
        let answer = service.send("POST", "/v1/facts", &headers, "{\"failed\": [\"secret-job\", 1]}\n");
        assert_eq!(answer.status, 200, "{answer:?}");
        let mut all = Vec::new();
        // The name of each span of the trace, the caller's span, and the route.
        let wanted: [&[u8]; 5] = [&bytes(TRACE), &bytes(SPAN), b"request", b"commit", b"/v1/facts"];
        while !wanted.iter().all(|part| holds(&all, part)) {
            let (path, body) = bodies.recv_timeout(LONG).expect("the spans of the request");
            assert_eq!(path, "/v1/traces");
            if holds(&body, &bytes(TRACE)) {
                all.extend(body);
            }
        }
        assert!(holds(&all, b"hence"), "the name of the service");
        assert!(!holds(&all, b"secret-job"), "facts stay in the ledger");
    }

    #[test]
    fn spans_that_cannot_be_sent_are_told_of_once_and_hold_nothing_up() {
        let dir = folder();
        let (address, bodies) = collector("503 Service Unavailable");
        let variables =
            [("OTEL_EXPORTER_OTLP_ENDPOINT", address.as_str()), ("OTEL_BSP_SCHEDULE_DELAY", "50")];
        let mut service = Service::with_variables(dir.path(), &variables);
        let said = service.hear_from_start("traces can't be sent");
        assert!(said.contains("503") && said.contains("they are dropped"), "{said}");
        let caller = service.all();
        caller.record("{\"failed\": [\"j1\", 1]}\n");
        bodies.recv_timeout(LONG).unwrap();
        assert_eq!(caller.read("/v1/decisions")["total"], serde_json::json!(1));
    }
}
