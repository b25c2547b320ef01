//! One store, many users: whoever owns a store lends it to other commands, whatever comes over its socket and whoever is
//! killed meanwhile.

mod attacks;
mod full;
mod orphans;
mod turns;
mod work;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::command::hence;

const RULES: &str = "## A job that failed.\ninput failed(job: string, tries: int).\n\n\
    ## Somebody says so.\ninput allowed(job: string).\n\n\
    ## Try it again.\ndecision retry(job: string).\n\n\
    @because(\"{Job} was tried {Tries} times\")\nretry(Job) :- failed(Job, Tries), Tries < 3.\n\
    @because(\"{Job} is allowed\")\nretry(Job) :- allowed(Job).\n";

/// How long anything may take before a test says that it never comes.
const LONG: Duration = Duration::from_secs(60);

pub(super) fn folder() -> tempfile::TempDir {
    let dir = crate::memory::folder();
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(dir.path().join("retry.dl"), RULES).unwrap();
    fs::write(dir.path().join("hence.toml"), "rules = [\"retry.dl\"]\n").unwrap();
    dir
}

/// A process that owns the store of a folder, killed when the value goes.
pub(super) struct Owner {
    pub(super) process: Child,
    pub(super) said: BufReader<std::process::ChildStderr>,
}

impl Owner {
    pub(super) fn new(dir: &Path, args: &[&str]) -> Self {
        let mut process = hence(dir, &[&["serve"], args].concat())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let said = BufReader::new(process.stderr.take().unwrap());
        let mut owner = Self { process, said };
        owner.hear("serves the ledger");
        owner
    }

    /// Reads what it says up to a line that holds `text`.
    pub(super) fn hear(&mut self, text: &str) -> String {
        let mut all = String::new();
        while !all.contains(text) {
            assert!(self.said.read_line(&mut all).unwrap() > 0, "no `{text}` in: {all}");
        }
        all
    }

    /// Tells it to stop; what it said, and how it ended.
    pub(super) fn stop(mut self) -> (String, i32) {
        signal(self.process.id(), "TERM");
        let mut rest = String::new();
        self.said.read_to_string(&mut rest).unwrap();
        (rest, self.process.wait().unwrap().code().unwrap_or(-1))
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

pub(super) fn signal(process: u32, name: &str) {
    assert!(
        Command::new("kill").args([&format!("-{name}"), &process.to_string()]).status().unwrap().success()
    );
}

pub(super) fn run(dir: &Path, args: &[&str]) -> (i32, String, String) {
    said(hence(dir, args).output().unwrap())
}

pub(super) fn said(output: Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

pub(super) fn assert_fact(dir: &Path, fact: &str) {
    let (status, _, said) = run(dir, &["assert", fact]);
    assert_eq!((status, said.as_str()), (0, ""), "{fact}");
}

pub(super) fn facts(dir: &Path) -> usize {
    let (status, rows, said) = run(dir, &["facts", "failed", "--format", "jsonl"]);
    assert_eq!(status, 0, "{said}");
    rows.lines().count()
}

pub(super) fn socket(dir: &Path) -> PathBuf {
    dir.join(".hence/owner.sock")
}

/// Waits until something is so.
pub(super) fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + LONG;
    while !is_so() {
        assert!(Instant::now() < end, "never: {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// A client of the protocol.
pub(super) struct Client(pub(super) BufReader<UnixStream>);

impl Client {
    pub(super) fn new(dir: &Path) -> Self {
        let stream = UnixStream::connect(socket(dir)).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        Self(BufReader::new(stream))
    }

    pub(super) fn say(&mut self, line: &str) {
        // An owner may have hung up already.
        let _ = self.0.get_mut().write_all(line.as_bytes());
    }

    /// The next line; none where the owner hung up.
    pub(super) fn hear(&mut self) -> String {
        let mut line = String::new();
        let _ = self.0.read_line(&mut line);
        line
    }

    /// Takes a turn.
    pub(super) fn turn(dir: &Path) -> Self {
        let mut client = Self::new(dir);
        client.say("{\"hence\": 1, \"turn\": {\"command\": \"a test\"}}\n");
        assert!(client.hear().contains("queued"));
        let lent = client.hear();
        assert!(lent.contains("lent"), "{lent}");
        client
    }
}

/// A stream that owns a store.
pub(super) struct Stream {
    pub(super) process: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
}

impl Stream {
    pub(super) fn new(dir: &Path) -> Self {
        let follow = ["decide", "--follow", "--now", "2026-02-09T09:00:00Z"];
        let mut process = hence(dir, &follow).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let to = process.stdin.take();
        let from = BufReader::new(process.stdout.take().unwrap());
        Self { process, to, from }
    }

    /// Says a line; the answer up to its end.
    pub(super) fn say(&mut self, line: &str) -> String {
        self.to.as_mut().unwrap().write_all(format!("{line}\n").as_bytes()).unwrap();
        self.hear()
    }

    /// What it says next, up to the end of that.
    pub(super) fn hear(&mut self) -> String {
        let mut answer = String::new();
        while !answer.contains("\"committed\"") && !answer.contains("\"error\"") {
            assert!(self.from.read_line(&mut answer).unwrap() > 0, "{answer}");
        }
        answer
    }

    pub(super) fn end(mut self) -> i32 {
        drop(self.to.take());
        self.process.wait().unwrap().code().unwrap()
    }
}
