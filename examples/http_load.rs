//! What the service does under load: requests over loopback, how many a second, how long each takes, and what of the
//! processor.
//!
//! ```text
//! cargo run --release --example http_load -- 127.0.0.1:7433 TOKEN [OPTION...]
//! ```
//!
//! Asks by AuthZEN whether `user-N` may read `record-M`, for numbers that go round, half of them permitted; with `--write`, records one fact a request
//! instead, with `--keyed` under a key of its own. Each connection asks as soon as it is answered; with `--rate N` all of them together
//! ask N times a second, and a request's time counts from the instant at which it was due. `--connections N` (64) do so for `--seconds N` (5), over `--users N` (1000) and `--records N` (3000). Beside them
//! `--writer N` records N facts a second, and `--slow` asks one question after the other that takes its whole budget. `--pid N` is
//! the service, whose processor time is told. `--json` tells all of it in a line of JSON. `--facts USERS RECORDS` prints the facts for `examples/access` instead.

use std::env;
use std::error::Error;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

type Fallible<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// The clock ticks of `/proc`, a second.
const TICKS: f64 = 100.0;
/// A body with more matches than any budget lets it look at.
const SLOW: &str =
    "related(A, _, B), related(C, _, D), related(E, _, F), A = D, C = F, E = B, A < B, B < C, C < A";

struct Load {
    address: String,
    token: String,
    until: Instant,
    /// What no other run says: what is recorded already would not be recorded again.
    run: u32,
    users: u64,
    records: u64,
    writes: bool,
    keyed: bool,
    /// How long each connection waits from one request to the next; without it, until it is answered.
    pause: Option<Duration>,
}

/// What the connections do, and who does something beside them.
struct Options {
    connections: u64,
    seconds: u64,
    writer: u64,
    slow: bool,
    pid: Option<u64>,
    json: bool,
}

/// The times of the requests of one connection, and how many had another answer than 200.
type Times = (Vec<Duration>, u64);

fn main() -> Fallible<()> {
    let words: Vec<String> = env::args().skip(1).collect();
    if words.first().is_some_and(|word| word == "--facts") {
        let number = |at: usize, otherwise: u64| words.get(at).map_or(Ok(otherwise), |word| word.parse());
        return facts(number(1, 1000)?, number(2, 3000)?);
    }
    let (Some(address), Some(token)) = (words.first(), words.get(1)) else {
        return Err("expected HOST:PORT TOKEN [OPTION...]".into());
    };
    let has = |name: &str| words.iter().any(|word| word == name);
    let number = |name: &str, otherwise: u64| {
        let value = words.iter().position(|word| word == name).and_then(|at| words.get(at + 1));
        value.map_or(Ok(otherwise), |word| word.parse::<u64>())
    };
    let (pid, rate) = (number("--pid", 0)?, number("--rate", 0)?);
    let options = Options {
        connections: number("--connections", 64)?.min(256),
        seconds: number("--seconds", 5)?.min(3600),
        writer: number("--writer", 0)?,
        slow: has("--slow"),
        pid: (pid > 0).then_some(pid),
        json: has("--json"),
    };
    let load = Load {
        address: address.clone(),
        token: token.clone(),
        until: Instant::now() + Duration::from_secs(options.seconds),
        run: std::process::id(),
        users: number("--users", 1000)?.max(1),
        records: number("--records", 3000)?.max(1),
        writes: has("--write"),
        keyed: has("--keyed"),
        pause: (rate > 0).then(|| Duration::from_secs_f64(options.connections as f64 / rate as f64)),
    };
    run(&Arc::new(load), &options)
}

fn run(load: &Arc<Load>, options: &Options) -> Fallible<()> {
    let before = options.pid.map(processor).transpose()?;
    let beside: Vec<_> = [(options.writer > 0).then_some(false), options.slow.then_some(true)]
        .into_iter()
        .flatten()
        .map(|is_slow| {
            let (load, rate) = (Arc::clone(load), options.writer);
            thread::spawn(move || if is_slow { load.ask_slowly() } else { load.write_slowly(rate) })
        })
        .collect();
    let threads: Vec<_> = (0..options.connections)
        .map(|number| {
            let load = Arc::clone(load);
            thread::spawn(move || load.run(number))
        })
        .collect();
    let (mut all, mut refused) = (Vec::new(), 0);
    for thread in threads {
        let (times, others) = thread.join().map_err(|_| "a connection panicked")??;
        all.extend(times);
        refused += others;
    }
    for thread in beside {
        let told = thread.join().map_err(|_| "what goes on beside panicked")??;
        if !options.json {
            writeln!(std::io::stdout(), "{told}")?;
        }
    }
    all.sort_unstable();
    let used = match (options.pid, before) {
        (Some(pid), Some(before)) => Some((processor(pid)? - before) / (all.len().max(1) as f64) * 1e6),
        _ => None,
    };
    Report { all, refused, seconds: options.seconds, used }.print(options.json)
}

/// How many seconds of processor a process has had.
fn processor(pid: u64) -> Fallible<f64> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or_default();
    Ok((ticks(11) + ticks(12)) / TICKS)
}

/// What came of a load.
struct Report {
    /// The times of what was answered, ascending.
    all: Vec<Duration>,
    refused: u64,
    seconds: u64,
    /// Microseconds of the service's processor time, a request.
    used: Option<f64>,
}

impl Report {
    /// The time in milliseconds that such a part of the requests took at most.
    fn at(&self, part: f64) -> f64 {
        let place = ((self.all.len() as f64) * part) as usize;
        let time = self.all.get(place.min(self.all.len().saturating_sub(1)));
        time.map_or(0.0, |time| time.as_secs_f64() * 1000.0)
    }

    fn print(&self, as_json: bool) -> Fallible<()> {
        let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
        let load = load.split_whitespace().next().unwrap_or("0");
        let (done, refused) = (self.all.len(), self.refused);
        let rate = done as u64 / self.seconds.max(1);
        let [p50, p99, p999] = [0.5, 0.99, 0.999].map(|part| self.at(part));
        let used = self.used.unwrap_or_default();
        let mut out = std::io::stdout().lock();
        if as_json {
            return Ok(writeln!(
                out,
                "{{\"rate\":{rate},\"p50\":{p50:.3},\"p99\":{p99:.3},\"p999\":{p999:.3},\"answered\":{done},\
                \"refused\":{refused},\"cpu_us\":{used:.1},\"load\":{load}}}"
            )?);
        }
        writeln!(out, "{rate} a second; p50 {p50:.2} ms, p99 {p99:.2} ms, p99.9 {p999:.2} ms")?;
        writeln!(out, "{done} answered 200, {refused} otherwise")?;
        if self.used.is_some() {
            writeln!(out, "{used:.0} us of processor a request; load average {load}")?;
        }
        Ok(())
    }
}

/// Folders that somebody owns, documents in them, and who may look at those.
fn facts(users: u64, records: u64) -> Fallible<()> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
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
    fn connect(&self) -> Fallible<BufReader<TcpStream>> {
        let stream = TcpStream::connect(&self.address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(10)))?;
        Ok(BufReader::new(stream))
    }

    fn post(
        &self,
        stream: &mut BufReader<TcpStream>,
        (path, kind): (&str, &str),
        (key, body): (Option<&str>, &str),
    ) -> Fallible<u16> {
        let key = key.map(|key| format!("Idempotency-Key: {key}\r\n")).unwrap_or_default();
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nContent-Type: application/{kind}\r\n\
            {key}Content-Length: {}\r\n\r\n{body}",
            self.token,
            body.len()
        );
        stream.get_mut().write_all(request.as_bytes())?;
        answered(stream)
    }

    fn run(&self, number: u64) -> Fallible<Times> {
        let mut stream = self.connect()?;
        let (mut times, mut refused, mut at) = (Vec::new(), 0, number.wrapping_mul(7919));
        // Not all at the same instant.
        let mut due = Instant::now() + self.pause.unwrap_or_default().mul_f64(number as f64 / 64.0);
        while Instant::now().max(due) < self.until {
            at = at.wrapping_add(104_729);
            let begun = match self.pause {
                None => Instant::now(),
                Some(pause) => {
                    thread::sleep(due.saturating_duration_since(Instant::now()));
                    let begun = due;
                    due += pause;
                    begun
                }
            };
            let status = if self.writes {
                let name = format!("written-{}-{number}-{at}", self.run);
                let key = self.keyed.then_some(name.as_str());
                self.post(&mut stream, ("/v1/facts", "x-ndjson"), (key, &fact(&name)))?
            } else {
                let record = at % self.records;
                // Every other one asks for what lies in their own folder.
                let user = if at % 2 == 0 { record } else { at / 7 } % self.users;
                let body = question(user, record, &format!("{}-{number}-{at}", self.run));
                self.post(&mut stream, ("/access/v1/evaluation", "json"), (None, &body))?
            };
            match status {
                200 => times.push(begun.elapsed()),
                _ => refused += 1,
            }
        }
        Ok((times, refused))
    }

    /// Records so many facts a second.
    fn write_slowly(&self, rate: u64) -> Fallible<String> {
        let mut stream = self.connect()?;
        let pause = Duration::from_secs_f64(1.0 / rate as f64);
        let (begun, mut done, mut slowest) = (Instant::now(), 0_u32, Duration::ZERO);
        while Instant::now() < self.until {
            let asked = Instant::now();
            let body = fact(&format!("beside-{}-{done}", self.run));
            let status = self.post(&mut stream, ("/v1/facts", "x-ndjson"), (None, &body))?;
            slowest = slowest.max(asked.elapsed());
            done += u32::from(status == 200);
            thread::sleep((begun + pause * done).saturating_duration_since(Instant::now()));
        }
        Ok(format!("beside it, {done} facts were recorded one by one, the slowest in {slowest:.1?}"))
    }

    /// Asks what takes its whole budget, again and again.
    fn ask_slowly(&self) -> Fallible<String> {
        let mut stream = self.connect()?;
        let (mut done, mut late) = (0, 0);
        while Instant::now() < self.until {
            let body = format!("{{\"body\": \"{SLOW}\"}}");
            late += u32::from(self.post(&mut stream, ("/v1/query", "json"), (None, &body))? == 503);
            done += 1;
        }
        Ok(format!("beside it, {done} slow questions were asked, {late} given up"))
    }
}

fn fact(name: &str) -> String {
    format!("{{\"resource\": [\"{name}\", \"document\"]}}")
}

fn question(user: u64, record: u64, request: &str) -> String {
    format!(
        "{{\"subject\":{{\"type\":\"user\",\"id\":\"user-{user}\",\"properties\":{{\"role\":\"guest\"}}}},\
        \"action\":{{\"name\":\"read\"}},\"resource\":{{\"type\":\"document\",\"id\":\"record-{record}\"}},\
        \"context\":{{\"request\":\"{request}\"}}}}"
    )
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
