//! The hook: reads one event, has the owner judge it, and answers the host. It fails closed.

use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use clap::Args;

use hence_core::fault::{self, Fault};
use hence_core::threads;
use hence_gate::{HookAnswer, HookEvent, Host, LARGEST, Phase};
use hence_runtime::owner::{Start, connect};

use super::super::owner;
use super::super::{Outcome, terminal};
use super::calls::refused;

/// How long the host waits at most, start of the process excluded.
const PATIENCE: Duration = Duration::from_secs(2);

#[derive(Debug, Args)]
pub(super) struct HookOptions {
    /// The host: claude, codex, gemini, cursor, copilot or kiro; `auto` tells it by its events
    #[arg(long, value_name = "HOST", value_parser = of_word, default_value = "auto", hide_default_value = true)]
    pub(super) host: Told,
    /// The ledger's folder [default: .hence]
    #[arg(long, value_name = "DIR")]
    pub(super) store: Option<PathBuf>,
    /// Decide and record, and block nothing
    #[arg(long)]
    pub(super) shadow: bool,
}

/// The host that somebody named; none where its events tell it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Told(pub(super) Option<Host>);

/// Reads the name of a host, or `auto`.
fn of_word(text: &str) -> Result<Told, String> {
    if text == "auto" { Ok(Told(None)) } else { super::host(text).map(|host| Told(Some(host))) }
}

/// Answers the event on standard input.
pub(super) fn run(options: &HookOptions) -> Outcome {
    let end = Instant::now() + PATIENCE;
    let answer = || -> Result<HookAnswer, Fault> {
        Ok(match event(end) {
            Ok(bytes) => of_bytes(options, &bytes, end),
            Err(error) => refused(options.host.0, "", &format!("the event can't be read: {error}")),
        })
    };
    let answer =
        fault::caught(answer).unwrap_or_else(|fault| refused(options.host.0, "", &fault.to_string()));
    print(&answer)
}

/// Standard input to its end, read by a thread, since a host may leave it open.
fn event(end: Instant) -> io::Result<Vec<u8>> {
    let (sender, bytes) = channel();
    threads::begin("event", move || {
        let mut bytes = Vec::new();
        let most = LARGEST as u64 + 1;
        let read = io::stdin().lock().take(most).read_to_end(&mut bytes);
        // Nobody hears of an event that comes too late.
        let _ = sender.send(read.map(|_| bytes));
    })?;
    let late = |_| io::Error::new(io::ErrorKind::TimedOut, "it did not end within 2 s");
    bytes.recv_timeout(end.saturating_duration_since(Instant::now())).map_err(late)?
}

/// The answer to an event.
pub(super) fn of_bytes(options: &HookOptions, bytes: &[u8], end: Instant) -> HookAnswer {
    let event = match HookEvent::read(options.host.0, bytes) {
        Ok(event) => event,
        Err(error) => return refused(options.host.0, "", &error.to_string()),
    };
    if event.phase == Phase::Other {
        return event.host.silence();
    }
    let text = String::from_utf8_lossy(bytes).into_owned();
    let wish = (Some(event.host.word().to_owned()), options.shadow, text);
    let store = super::store(options.store.as_ref());
    match asked(&store, wish, end) {
        Ok(answer) => answer,
        Err(error) if !event.is_question() || options.shadow => {
            HookAnswer { output: None, error: Some(format!("hence gate: {error}")), status: 1 }
        }
        Err(error) => refused(Some(event.host), &event.name, &error.to_string()),
    }
}

/// Has an owner run, which is started where none does.
pub(super) fn begin(store: &Path, end: Instant) -> io::Result<()> {
    start(store)?.asked(end, || Ok(connect(store).ok())).map(|_| ())
}

fn start(store: &Path) -> io::Result<Start<'_>> {
    Ok(Start { program: std::env::current_exe()?, store, otherwise: &["--pack", "gate"] })
}

/// What the owner answers; one is started where none runs.
fn asked(store: &Path, wish: (Option<String>, bool, String), end: Instant) -> io::Result<HookAnswer> {
    start(store)?.asked(end, || owner::judge(store, wish.clone(), end))
}

/// Prints an answer, and ends with its status.
fn print(answer: &HookAnswer) -> Outcome {
    if let Some(output) = &answer.output {
        let mut out = terminal::json();
        writeln!(out, "{output}")?;
        out.flush()?;
    }
    if let Some(error) = &answer.error {
        terminal::messages().lines(&format!("{error}\n"))?;
    }
    Ok(answer.status)
}
