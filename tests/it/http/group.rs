//! Many clients at once: what they record shares a sync, and each of them is answered only for what a kill leaves.

use std::collections::BTreeSet;
use std::io::{BufReader, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::{Value as Json, json};

use super::{Service, folder, read_response};
use crate::command::hence;

const CLIENTS: u64 = 8;

/// One fact after the other over one connection, until the service is gone; the names of those that were acknowledged.
fn write_on(
    stream: TcpStream,
    authorization: &str,
    client: u64,
    acknowledged: &AtomicU64,
) -> Vec<(u64, String)> {
    stream.set_read_timeout(Some(super::LONG)).unwrap();
    let mut stream = BufReader::new(stream);
    let mut done = Vec::new();
    for at in 0.. {
        let name = format!("c{client}-{at}");
        let body = format!("{{\"failed\": [\"{name}\", 1]}}");
        let request = format!(
            "POST /v1/facts HTTP/1.1\r\nHost: x\r\nAuthorization: {authorization}\r\nIdempotency-Key: {name}\r\n\
            Content-Type: application/x-ndjson\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let sent = stream.get_mut().write_all(request.as_bytes());
        let is_there = std::io::BufRead::fill_buf(&mut stream).is_ok_and(|bytes| !bytes.is_empty());
        if sent.is_err() || !is_there {
            break;
        }
        let head = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| read_response(&mut stream)));
        let Ok(response) = head else { break };
        assert_eq!(response.status, 200, "{response:?}");
        let Ok(answer) = serde_json::from_str::<Json>(&response.body) else { break };
        done.push((answer["committed"].as_u64().unwrap(), name));
        acknowledged.fetch_add(1, Ordering::Relaxed);
    }
    done
}

/// The names that stand, with the transactions that brought them.
fn standing(dir: &Path) -> BTreeSet<String> {
    let read = hence(dir, &["query", "failed(Job, _)", "--format", "jsonl"]).output().unwrap();
    assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
    let rows = String::from_utf8(read.stdout).unwrap();
    let job = |line: &str| serde_json::from_str::<Json>(line).unwrap()["Job"].as_str().unwrap().to_owned();
    rows.lines().map(job).collect()
}

#[test]
fn what_many_clients_were_told_outlives_a_kill_in_its_order() {
    let dir = folder();
    for round in 0..2_u64 {
        let mut service = Service::new(dir.path());
        let authorization = service.all().authorization;
        let acknowledged = AtomicU64::new(0);
        let streams: Vec<TcpStream> = (0..CLIENTS).map(|_| service.connect()).collect();
        let mut told: Vec<(u64, String)> = thread::scope(|scope| {
            let clients: Vec<_> = (round * CLIENTS..)
                .zip(streams)
                .map(|(client, stream)| {
                    let (authorization, acknowledged) = (&authorization, &acknowledged);
                    scope.spawn(move || write_on(stream, authorization, client, acknowledged))
                })
                .collect();
            while acknowledged.load(Ordering::Relaxed) < 200 {
                thread::sleep(Duration::from_millis(1));
            }
            service.process.kill().unwrap();
            clients.into_iter().flat_map(|client| client.join().unwrap()).collect()
        });
        service.process.wait().unwrap();
        let stand = standing(dir.path());
        let lost: Vec<_> = told.iter().filter(|(_, name)| !stand.contains(name)).collect();
        assert!(lost.is_empty(), "round {round}: {} were told of what is gone: {lost:?}", lost.len());
        // Each transaction is one client's, and each client's follow one another.
        told.sort_unstable();
        assert!(told.windows(2).all(|pair| pair[0].0 < pair[1].0), "two answers name one transaction");
        assert!(hence(dir.path(), &["verify"]).output().unwrap().status.success());
    }
}

#[test]
fn a_repeated_key_is_one_transaction_also_among_many() {
    let dir = folder();
    let service = Service::new(dir.path());
    let caller = service.all();
    let headers = [("Content-Type", "application/x-ndjson"), ("Idempotency-Key", "k")];
    let answers: Vec<Json> = thread::scope(|scope| {
        let ask = || caller.post_as("/v1/facts", &headers, "{\"failed\": [\"j\", 1]}").json();
        let asked: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(ask)).collect();
        asked.into_iter().map(|asked| asked.join().unwrap()).collect()
    });
    assert!(answers.iter().all(|answer| answer["committed"] == json!(1)), "{answers:?}");
    assert_eq!(answers.iter().filter(|answer| answer["repeated"] == json!(true)).count(), 7);
    assert_eq!(caller.read("/v1/status")["tx"], json!(1));
}

#[test]
fn of_many_who_expect_the_same_transaction_one_writes() {
    let dir = folder();
    let service = Service::new(dir.path());
    let caller = service.all();
    let headers = [("Content-Type", "application/x-ndjson")];
    let mut statuses: Vec<u16> = thread::scope(|scope| {
        let ask = |at: u64| {
            let caller = &caller;
            move || {
                let fact = format!("{{\"failed\": [\"j{at}\", 1]}}");
                caller.post_as("/v1/facts?expect_tx=0", &headers, &fact).status
            }
        };
        let asked: Vec<_> = (0..CLIENTS).map(|at| scope.spawn(ask(at))).collect();
        asked.into_iter().map(|asked| asked.join().unwrap()).collect()
    });
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409, 409, 409, 409, 409, 409, 409]);
}
