//! HTTP over a real connection: who may call what, what is answered, and what becomes of clients that misbehave.

mod access;
mod changes;
mod demo;
mod documents;
mod editor;
mod erased;
mod group;
mod hook;
mod limits;
mod mcp;
mod mcp_writes;
mod names;
mod native;
mod page;
mod principals;
mod reload;
mod scopes;
mod traces;
mod unevaluated;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::Value as Json;

use crate::command::hence;

/// How long anything may take before a test says that it never comes.
const LONG: Duration = Duration::from_secs(60);

const RULES: &str = "## A job that failed.\ninput failed(job: string, tries: int).\n\n\
    ## Somebody says so.\ninput allowed(job: string, by: string, at: time) from reviewer as by.\n\n\
    ## How often a job is tried.\nparam most: int = 3.\n\n\
    ## Try it again.\ndecision retry(job: string).\n\n\
    @id(few_tries)\n@because(\"{Job} was tried {Tries} times\")\nretry(Job) :- failed(Job, Tries), Tries < most.\n\
    @id(is_allowed)\n@because(\"{By} allows {Job}\")\nretry(Job) :- allowed(Job, By, _).\n";

/// A folder with a few rules.
fn folder() -> tempfile::TempDir {
    let dir = crate::memory::folder();
    fs::write(dir.path().join("retry.dl"), RULES).unwrap();
    let settings = "rules = [\"retry.dl\"]\n[roles]\nreviewer = [\"ada\"]\n";
    fs::write(dir.path().join("hence.toml"), settings).unwrap();
    dir
}

/// A service, killed when the value goes.
struct Service {
    process: Child,
    said: BufReader<std::process::ChildStderr>,
    dir: PathBuf,
    /// What it said until it had an address, which may come after a first complaint.
    heard: String,
    base: String,
}

/// A response.
#[derive(Debug)]
struct Response {
    status: u16,
    headers: Vec<(String, String)>,
    body: String,
}

impl Response {
    fn json(&self) -> Json {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }
}

impl Service {
    fn new(dir: &Path) -> Self {
        Self::with(dir, &[])
    }

    fn with(dir: &Path, args: &[&str]) -> Self {
        Self::begin(dir, args, &[])
    }

    fn with_variables(dir: &Path, variables: &[(&str, &str)]) -> Self {
        Self::begin(dir, &[], variables)
    }

    fn begin(dir: &Path, args: &[&str], variables: &[(&str, &str)]) -> Self {
        // A debug build on a busy machine takes its time; tests of the budget name one.
        let patient: &[&str] = if args.contains(&"--budget") { &[] } else { &["--budget", "30s"] };
        let mut process = hence(dir, &[&["serve", "--http", "127.0.0.1:0"], patient, args].concat())
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let said = BufReader::new(process.stderr.take().unwrap());
        let mut service =
            Self { process, said, heard: String::new(), dir: dir.to_owned(), base: String::new() };
        let begun = service.hear("answers HTTP at ");
        let base = begun.rsplit_once("answers HTTP at ").unwrap().1.trim();
        service.base = base.to_owned();
        service.heard = begun;
        service.ready();
        service
    }

    /// What it said before it had an address, if `text` is in that, or says up to a line that holds it.
    #[cfg(feature = "otel")]
    fn hear_from_start(&mut self, text: &str) -> String {
        if self.heard.contains(text) { self.heard.clone() } else { self.hear(text) }
    }

    /// Reads what it says up to a line that holds `text`.
    fn hear(&mut self, text: &str) -> String {
        let mut all = String::new();
        while !all.contains(text) {
            assert!(self.said.read_line(&mut all).unwrap() > 0, "no `{text}` in: {all}");
        }
        all
    }

    fn address(&self) -> &str {
        self.base.split_once("://").unwrap().1
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address()).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        stream
    }

    fn ready(&self) {
        let end = std::time::Instant::now() + LONG;
        while self.send("GET", "/readyz", &[], "").status != 200 {
            assert!(std::time::Instant::now() < end, "never ready");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// A request as it is, and the response to it.
    fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Response {
        let mut stream = self.connect();
        let mut text =
            format!("{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n", self.address());
        headers.iter().for_each(|(name, value)| text.push_str(&format!("{name}: {value}\r\n")));
        if method == "POST" {
            text.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        text.push_str("\r\n");
        text.push_str(body);
        // Whoever refuses a request may hang up before it is sent whole.
        let _ = stream.write_all(text.as_bytes());
        read_response(&mut BufReader::new(stream))
    }

    /// A token of a principal with some scopes.
    fn token(&self, name: &str, scopes: &str) -> Caller<'_> {
        let made = hence(&self.dir, &["token", "create", "--as", name, "--scope", scopes]).output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let token = String::from_utf8(made.stdout).unwrap().trim().to_owned();
        Caller { service: self, authorization: format!("Bearer {token}") }
    }

    fn all(&self) -> Caller<'_> {
        self.token("ada", "decide,read,write,admin")
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn read_response(stream: &mut impl BufRead) -> Response {
    let mut head = String::new();
    stream.read_line(&mut head).unwrap();
    let status = head.split_whitespace().nth(1).unwrap_or_else(|| panic!("no status in `{head}`"));
    let status = status.parse().unwrap();
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).unwrap();
        let Some((name, value)) = line.trim().split_once(':') else { break };
        headers.push((name.to_owned(), value.trim().to_owned()));
    }
    let mut response = Response { status, headers, body: String::new() };
    match response.header("content-length").map(|length| length.parse().unwrap()) {
        Some(length) => {
            let mut body = vec![0; length];
            stream.read_exact(&mut body).unwrap();
            response.body = String::from_utf8(body).unwrap();
        }
        None => drop(stream.read_to_string(&mut response.body)),
    }
    response
}

/// Somebody with a token.
struct Caller<'s> {
    service: &'s Service,
    authorization: String,
}

impl Caller<'_> {
    fn get(&self, path: &str) -> Response {
        self.service.send("GET", path, &[("Authorization", &self.authorization)], "")
    }

    fn post(&self, path: &str, body: &Json) -> Response {
        self.post_as(path, &[("Content-Type", "application/json")], &body.to_string())
    }

    fn post_as(&self, path: &str, headers: &[(&str, &str)], body: &str) -> Response {
        let all = [&[("Authorization", self.authorization.as_str())], headers].concat();
        self.service.send("POST", path, &all, body)
    }

    /// The answer to a request that succeeds.
    fn ask(&self, path: &str, body: &Json) -> Json {
        let response = self.post(path, body);
        assert_eq!(response.status, 200, "{path} {body}: {response:?}");
        response.json()
    }

    fn read(&self, path: &str) -> Json {
        let response = self.get(path);
        assert_eq!(response.status, 200, "{path}: {response:?}");
        response.json()
    }

    fn record(&self, lines: &str) -> Json {
        let response = self.post_as("/v1/facts", &[("Content-Type", "application/x-ndjson")], lines);
        assert_eq!(response.status, 200, "{lines}: {response:?}");
        response.json()
    }
}
