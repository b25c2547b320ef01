//! A script at work: started, answered, watched and ended.

use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};
use std::{env, fs};

use hence_core::threads;

use super::super::carry::{Fate, Order, Report};
use super::super::group::{self, Group};
use super::super::run_command::Collected;
use super::Script;
use super::confine::{Cell, HELPER, UNCONFINED};
use super::folder::Folder;
use super::request::Requests;

/// How often a script is looked at.
const PAUSE: Duration = Duration::from_millis(10);
/// How much of its standard error is reported, in bytes.
const MOST_SAID: u64 = 64 << 10;
/// How many threads it may have.
const THREADS: u64 = 64;
/// How many files and folders, and how many bytes, its scratch folder may hold.
const SCRATCH: (usize, u64) = (1000, 64 << 20);

/// What a script answered, or what went wrong.
pub(super) type Answer = Result<Report, Stopped>;

/// A script that did not end well.
pub(super) struct Stopped {
    pub(super) fate: Fate,
    pub(super) why: String,
    /// Whether it ran at all, so that the fault is its own.
    #[cfg_attr(
        not(feature = "scan"),
        expect(dead_code, reason = "only tools that hence makes are told of their faults")
    )]
    pub(super) ran: bool,
}

/// Runs a script; what it answered, and what it said to standard error.
pub(super) fn run(script: &Script, order: &Order<'_>, folder: &Folder) -> (Answer, String) {
    let started = group::guard().and_then(|guard| Ok((guard, start(script, order, folder)?)));
    let (guard, mut running) = match started {
        Ok(started) => started,
        Err(error) => {
            let why = format!("it can't be started: {error}");
            return (Err(Stopped { fate: Fate::Undone, why, ran: false }), String::new());
        }
    };
    let mut requests = Requests::new(script, order);
    let ended = running.attend(script, &mut requests, &folder.scratch(), &guard);
    let said = running.said.recv_timeout(PAUSE).unwrap_or_default();
    let said = String::from_utf8_lossy(&said).into_owned();
    (answer(ended, &running, requests.is_heard(), &said), said)
}

/// Without anything that was posted for it, a script that failed has changed nothing outside.
fn answer(ended: Result<ExitStatus, String>, running: &Running, heard: bool, said: &str) -> Answer {
    let fate = if heard { Fate::Unknown } else { Fate::Undone };
    let stopped = |why: String, ran: bool| Err(Stopped { fate, why, ran });
    match ended {
        Err(why) => stopped(why, true),
        Ok(status) if status.code() == Some(i32::from(UNCONFINED)) => {
            stopped(said.trim_end().to_owned(), false)
        }
        Ok(status) if !status.success() => stopped(format!("it ended with {status}"), true),
        Ok(_) => Ok(Report { lines: running.facts.clone(), ..Report::default() }),
    }
}

/// Starts the helper that becomes the interpreter.
fn start(script: &Script, order: &Order<'_>, folder: &Folder) -> io::Result<Running> {
    let cell = cell(script, folder);
    let mut command = Command::new(env::current_exe()?);
    command
        .args([HELPER, &cell.text()])
        .env_clear()
        .env("LANG", "C.UTF-8")
        .env("PATH", "/nowhere")
        .envs(["HOME", "TMPDIR"].map(|name| (name, folder.scratch())))
        .envs([("HENCE_DECISION", order.id.to_owned()), ("HENCE_ATTEMPT", order.attempt.to_string())])
        .current_dir(folder.scratch())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let said = Collected::ahead(MOST_SAID)?;
    let mut group = Group::start(&mut command)?;
    let child = group.child();
    let (answers, lines) =
        (answering(child.stdin.take())?, lines(child.stdout.take(), script.allowed.output)?);
    let said = said.of(child.stderr.take());
    let _ = answers.send(order.message());
    let end = Instant::now().checked_add(script.allowed.time_limit);
    Ok(Running { group, answers, lines, said, facts: String::new(), end })
}

fn cell(script: &Script, folder: &Folder) -> Cell {
    let interpreter = &script.interpreter;
    let file = folder.script();
    let mut files = vec![file.clone()];
    let mut args: Vec<String> = interpreter.args.iter().map(|arg| String::from(*arg)).collect();
    if interpreter.is_python {
        args.push(folder.prelude().to_string_lossy().into_owned());
        files.push(folder.prelude());
    }
    args.push(file.to_string_lossy().into_owned());
    Cell {
        program: interpreter.program.clone(),
        args,
        files,
        scratch: folder.scratch(),
        memory: script.allowed.memory.saturating_mul(1 << 20),
        cpu: script.allowed.cpu.as_secs().max(1),
        parent: std::process::id(),
    }
}

/// A script at work.
struct Running {
    group: Group,
    /// What is written to its standard input.
    answers: Sender<String>,
    /// The lines of its standard output; too much of it is an error.
    lines: Receiver<Result<String, String>>,
    said: Receiver<Vec<u8>>,
    /// The lines that are facts.
    facts: String,
    end: Option<Instant>,
}

impl Running {
    /// Answers its requests and watches it until it ends; why it was stopped, if it was.
    fn attend(
        &mut self,
        script: &Script,
        requests: &mut Requests<'_>,
        scratch: &Path,
        guard: &group::Guard,
    ) -> Result<ExitStatus, String> {
        let outcome = loop {
            match self.lines.recv_timeout(PAUSE) {
                Ok(Ok(line)) => self.take(&line, requests),
                Ok(Err(why)) => break Err(why),
                Err(RecvTimeoutError::Disconnected) => thread::sleep(PAUSE),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if self.group.has_ended().map_err(|error| error.to_string())? {
                break Ok(());
            }
            if self.is_over() || guard.is_stopped() {
                break Err(format!("it was stopped after {:?}", script.allowed.time_limit));
            }
            if let Some(why) = excess(self.group.child().id(), scratch) {
                break Err(why);
            }
        };
        let status = self.group.stop().map_err(|error| error.to_string());
        outcome?;
        // What is left of what it wrote: it has ended, so this does too.
        while let Ok(line) = self.lines.recv_timeout(Duration::from_secs(1)) {
            self.take(&line?, requests);
        }
        status
    }

    fn is_over(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end)
    }

    fn take(&mut self, line: &str, requests: &mut Requests<'_>) {
        let left = self.end.map(|end| end.saturating_duration_since(Instant::now()));
        match requests.answer(line, left) {
            // One that has ended reads no answer.
            Some(answer) => drop(self.answers.send(answer)),
            None => {
                self.facts.push_str(line);
                self.facts.push('\n');
            }
        }
    }
}

/// What a script has too much of.
fn excess(process: u32, scratch: &Path) -> Option<String> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let threads = status.lines().find_map(|line| line.strip_prefix("Threads:")?.trim().parse::<u64>().ok());
    if threads.is_some_and(|threads| threads > THREADS) {
        return Some(format!("it was stopped: more than {THREADS} threads"));
    }
    let (most, largest) = SCRATCH;
    let (files, bytes) = size(scratch, most);
    if files > most {
        return Some(format!("it was stopped: more than {most} files and folders"));
    }
    (bytes > largest).then(|| format!("it was stopped: files with more than {largest} bytes"))
}

/// How many files and folders there are below a folder, which has no links, and how many bytes; at most so many are
/// counted, and one that can't be looked into holds too many.
fn size(folder: &Path, most: usize) -> (usize, u64) {
    let (mut files, mut bytes, mut folders) = (0, 0_u64, vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        // A path may become too long to be looked into, which is no place to hide in.
        let Ok(entries) = fs::read_dir(folder) else { return (most.saturating_add(1), bytes) };
        for entry in entries.flatten() {
            files += 1;
            if files > most {
                return (files, bytes);
            }
            let Ok(data) = entry.metadata() else { continue };
            if data.is_dir() {
                folders.push(entry.path());
            }
            bytes = bytes.saturating_add(data.len());
        }
    }
    (files, bytes)
}

/// Writes what is sent, so that a script which doesn't read holds up nobody.
fn answering(stream: Option<impl Write + Send + 'static>) -> io::Result<Sender<String>> {
    let (sender, receiver) = mpsc::channel::<String>();
    threads::begin("answers", move || {
        let Some(mut stream) = stream else { return };
        for answer in receiver {
            if stream.write_all(answer.as_bytes()).and_then(|()| stream.flush()).is_err() {
                return;
            }
        }
    })?;
    Ok(sender)
}

/// The lines of a stream, at most so many characters of it.
fn lines(
    stream: Option<impl Read + Send + 'static>,
    most: u64,
) -> io::Result<Receiver<Result<String, String>>> {
    let (sender, receiver) = mpsc::channel();
    threads::begin("lines", move || {
        let Some(mut stream) = stream else { return };
        let (mut left, mut line, mut bytes) = (most, Vec::new(), [0; 4096]);
        loop {
            let read = stream.read(&mut bytes).unwrap_or(0);
            let Some(piece) = bytes.get(..read).filter(|piece| !piece.is_empty()) else { break };
            // Each character has one byte that continues no other.
            let letters = piece.iter().filter(|byte| *byte & 0xc0 != 0x80).count() as u64;
            let Some(rest) = left.checked_sub(letters).filter(|_| line.len() as u64 <= 4 * most) else {
                let _ = sender.send(Err(format!("it wrote more than {most} characters")));
                return;
            };
            left = rest;
            for byte in piece {
                match byte {
                    b'\n' => drop(sender.send(text(std::mem::take(&mut line)))),
                    byte => line.push(*byte),
                }
            }
        }
        if !line.is_empty() {
            let _ = sender.send(text(line));
        }
    })?;
    Ok(receiver)
}

fn text(line: Vec<u8>) -> Result<String, String> {
    String::from_utf8(line).map_err(|_| String::from("its output is not UTF-8"))
}
