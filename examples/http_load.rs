//! What the service does under load: AuthZEN evaluations over loopback, how many a second and how long each takes.
//!
//! ```text
//! cargo run --release --example http_load -- 127.0.0.1:7433 TOKEN [CONNECTIONS [SECONDS [USERS [RECORDS]]]]
//! ```
//!
//! Asks whether `user-N` may read `record-M`, for numbers that go round; `--facts USERS RECORDS` prints the facts for
//! `examples/access` instead.

use std::env;
use std::error::Error;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

type Fallible<T> = Result<T, Box<dyn Error + Send + Sync>>;

struct Load {
    address: String,
    token: String,
    until: Instant,
    users: u64,
    records: u64,
}

/// The times of the requests of one connection, and how many had another answer than 200.
type Times = (Vec<Duration>, u64);

fn main() -> Fallible<()> {
    let words: Vec<String> = env::args().skip(1).collect();
    let number = |at: usize, otherwise: u64| words.get(at).map_or(Ok(otherwise), |word| word.parse::<u64>());
    if words.first().is_some_and(|word| word == "--facts") {
        return facts(number(1, 1000)?, number(2, 3000)?);
    }
    let (Some(address), Some(token)) = (words.first(), words.get(1)) else {
        return Err("expected HOST:PORT TOKEN [CONNECTIONS [SECONDS [USERS [RECORDS]]]]".into());
    };
    let (connections, seconds) = (number(2, 64)?, number(3, 5)?.min(60));
    let load = Arc::new(Load {
        address: address.clone(),
        token: token.clone(),
        until: Instant::now() + Duration::from_secs(seconds),
        users: number(4, 1000)?.max(1),
        records: number(5, 3000)?.max(1),
    });
    let threads: Vec<_> = (0..connections.min(256))
        .map(|number| {
            let load = Arc::clone(&load);
            thread::spawn(move || load.run(number))
        })
        .collect();
    let (mut all, mut refused) = (Vec::new(), 0);
    for thread in threads {
        let (times, others) = thread.join().map_err(|_| "a connection panicked")??;
        all.extend(times);
        refused += others;
    }
    all.sort_unstable();
    report(&all, refused, seconds)
}

fn report(all: &[Duration], refused: u64, seconds: u64) -> Fallible<()> {
    let at = |part: f64| {
        let place = ((all.len() as f64) * part) as usize;
        all.get(place.min(all.len().saturating_sub(1))).map_or(0.0, |time| time.as_secs_f64() * 1000.0)
    };
    let mut out = std::io::stdout().lock();
    let rate = all.len() as u64 / seconds.max(1);
    writeln!(
        out,
        "{rate} evaluations a second; p50 {:.2} ms, p99 {:.2} ms, p99.9 {:.2} ms",
        at(0.5),
        at(0.99),
        at(0.999)
    )?;
    writeln!(out, "{} answered 200, {refused} otherwise", all.len())?;
    Ok(())
}

/// Folders that somebody owns, documents in them, and who may look at those.
fn facts(users: u64, records: u64) -> Fallible<()> {
    let mut out = std::io::stdout().lock();
    let users = users.max(1);
    for user in 0..users {
        writeln!(out, "{{\"resource\": [\"folder-{user}\", \"folder\"]}}")?;
        writeln!(out, "{{\"related\": [\"user-{user}\", \"/owner\", \"folder-{user}\"]}}")?;
    }
    for record in 0..records {
        writeln!(out, "{{\"resource\": [\"record-{record}\", \"document\"]}}")?;
        writeln!(out, "{{\"resource_in\": [\"record-{record}\", \"folder-{}\"]}}", record % users)?;
        writeln!(
            out,
            "{{\"related\": [\"user-{}\", \"/viewer\", \"record-{record}\"]}}",
            record * 7 % users
        )?;
    }
    Ok(())
}

impl Load {
    fn run(&self, number: u64) -> Fallible<Times> {
        let stream = TcpStream::connect(&self.address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(10)))?;
        let mut stream = BufReader::new(stream);
        let (mut times, mut refused, mut at) = (Vec::new(), 0, number.wrapping_mul(7919));
        while Instant::now() < self.until {
            at = at.wrapping_add(104_729);
            let body = format!(
                "{{\"subject\":{{\"type\":\"user\",\"id\":\"user-{}\",\"properties\":{{\"role\":\"guest\"}}}},\
                \"action\":{{\"name\":\"read\"}},\"resource\":{{\"type\":\"document\",\"id\":\"record-{}\"}}}}",
                at % self.users,
                at % self.records
            );
            let head = format!(
                "POST /access/v1/evaluation HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\n\
                Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
                self.token,
                body.len()
            );
            let begun = Instant::now();
            stream.get_mut().write_all(head.as_bytes())?;
            match answered(&mut stream)? {
                200 => times.push(begun.elapsed()),
                _ => refused += 1,
            }
        }
        Ok((times, refused))
    }
}

/// Reads a response; its status.
fn answered(stream: &mut BufReader<TcpStream>) -> Fallible<u16> {
    let mut line = String::new();
    stream.read_line(&mut line)?;
    let status = line.split_whitespace().nth(1).ok_or("no status")?.parse()?;
    let mut length = 0_usize;
    loop {
        line.clear();
        stream.read_line(&mut line)?;
        let Some((name, value)) = line.trim().split_once(':') else { break };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse()?;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body)?;
    Ok(status)
}
