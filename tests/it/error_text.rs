//! Error texts as they come: logs that grow, are cut and replaced while they are read, and logs of any size.

use crate::slow;
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::command;

const PATIENCE: Duration = Duration::from_secs(60);

/// `hence observe error-text …`, and the lines that it prints.
struct Observer {
    child: Child,
    lines: Receiver<String>,
}

impl Observer {
    fn start(folder: &Path, args: &[&str]) -> Self {
        let mut child = command::hence(folder, &["observe", "error-text"])
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = lines_of(child.stdout.take().unwrap());
        Self { child, lines }
    }

    fn sees(&self, expected: &str) {
        let line = self.lines.recv_timeout(PATIENCE).unwrap();
        assert_eq!(line, expected);
    }

    fn signal(&self, signal: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
    }
}

fn lines_of(output: ChildStdout) -> Receiver<String> {
    let (send, lines) = channel();
    thread::spawn(move || {
        for line in BufReader::new(output).lines() {
            if line.map(|line| send.send(line)).is_err() {
                return;
            }
        }
    });
    lines
}

fn append(path: &Path, text: &str) {
    OpenOptions::new().append(true).create(true).open(path).unwrap().write_all(text.as_bytes()).unwrap();
}

const REFUSED: &str = "10:00:01 ERROR connect ECONNREFUSED 127.0.0.1:5432\n";

#[cfg(unix)]
#[test]
fn a_log_is_followed_while_it_grows_is_cut_and_replaced() {
    let folder = crate::memory::folder();
    let log = folder.path().join("server.log");
    fs::write(&log, "10:00:00 INFO up\n").unwrap();
    let mut observer = Observer::start(folder.path(), &["server.log", "--form", "log", "--follow"]);
    append(&log, REFUSED);
    // Seen though no further line says that it is over.
    observer.sees(r#"{"error": ["server.log:2", 50]}"#);
    observer.sees(r#"{"error_signal": ["server.log:2", "/connection_refused"]}"#);
    // In two parts, which are one line.
    let (begin, rest) = REFUSED.split_at(30);
    append(&log, begin);
    thread::sleep(Duration::from_millis(900));
    append(&log, rest);
    observer.sees(r#"{"error": ["server.log:3", 50]}"#);
    observer.sees(r#"{"error_signal": ["server.log:3", "/connection_refused"]}"#);
    // Cut, as `copytruncate` does; the line at hand ends there.
    append(&log, "10:00:02 INFO half a li");
    thread::sleep(Duration::from_millis(900));
    File::create(&log).unwrap();
    thread::sleep(Duration::from_millis(900));
    append(&log, REFUSED);
    observer.sees(r#"{"error": ["server.log:5", 50]}"#);
    observer.sees(r#"{"error_signal": ["server.log:5", "/connection_refused"]}"#);
    // Replaced, as `logrotate` does.
    fs::rename(&log, folder.path().join("server.log.1")).unwrap();
    append(&folder.path().join("server.log.1"), "10:00:03 INFO the last line of the old one\n");
    append(&log, REFUSED);
    observer.sees(r#"{"error": ["server.log:7", 50]}"#);
    observer.sees(r#"{"error_signal": ["server.log:7", "/connection_refused"]}"#);
    observer.signal("-INT");
    assert!(observer.child.wait().unwrap().success());
    let told = std::io::read_to_string(observer.child.stderr.take().unwrap()).unwrap();
    assert_eq!(told, "4 records read, 8 facts seen, 3 without facts\n");
}

#[test]
fn standard_input_is_answered_before_its_end_and_ends_the_observation() {
    let folder = crate::memory::folder();
    let mut observer = Observer::start(folder.path(), &["-", "--form", "lines", "--follow"]);
    let mut input = observer.child.stdin.take().unwrap();
    input.write_all(REFUSED.as_bytes()).unwrap();
    let line = observer.lines.recv_timeout(PATIENCE).unwrap();
    assert!(line.starts_with("{\"error\": [\"error-"), "{line}");
    observer.lines.recv_timeout(PATIENCE).unwrap();
    drop(input);
    assert!(observer.child.wait().unwrap().success());
    assert!(observer.lines.recv_timeout(PATIENCE).is_err());
}

/// The most memory that a process has held, in KiB.
#[cfg(target_os = "linux")]
fn peak(child: &Child) -> u64 {
    let text = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().split(' ').next().unwrap().parse().unwrap()
}

/// A log of 24 MB, or of 1 GB where slow tests are wanted, in which every thousandth line is an error of its own.
#[cfg(target_os = "linux")]
#[test]
fn a_log_of_any_size_is_read_in_bounded_memory() {
    let size: usize = slow::size(24 << 20, 1 << 30);
    let folder = crate::memory::folder();
    let mut observer = Observer::start(folder.path(), &["-", "--form", "log"]);
    let mut input = observer.child.stdin.take().unwrap();
    let begun = Instant::now();
    let (mut written, mut errors, mut early) = (0, 0, 0);
    while written < size {
        let mut block = String::new();
        for line in 0..10_000 {
            block
                .push_str("2026-02-10T10:00:00.000Z INFO [worker-3] served a page to somebody in 12 ms, id ");
            block.push_str(&format!("{:08x}\n", (written + line).wrapping_mul(2_654_435_761) & 0xFFFF_FFFF));
            if line % 1_000 == 0 {
                errors += 1;
                block.push_str(&format!("10:00:01 ERROR connect ECONNREFUSED 127.0.0.1:{errors}\n"));
            }
        }
        input.write_all(block.as_bytes()).unwrap();
        written += block.len();
        if early == 0 && written > 8 << 20 {
            early = peak(&observer.child);
        }
    }
    let late = peak(&observer.child);
    drop(input);
    assert!(observer.child.wait().unwrap().success());
    let seen = observer.lines.iter().filter(|line| line.starts_with("{\"error\"")).count();
    println!("{} MiB in {:.1?}, at most {late} KiB held", written >> 20, begun.elapsed());
    assert_eq!(seen, errors);
    assert!(late < early + 16 * 1024, "{early} KiB after 8 MiB, {late} KiB after {} MiB", written >> 20);
    assert!(late < 128 * 1024, "{late} KiB");
}
