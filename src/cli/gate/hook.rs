//! The hook: reads one event, has the owner judge it, and answers the host. It fails closed.
//!
//! A host waits for it at each call, so a hook called as the installer writes it asks an owner that runs before anything else is
//! set up: neither arguments nor settings are read that only the owner needs.

use std::ffi::OsString;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;

use hence_core::fault::{self, Fault};
use hence_gate::{Answer, Event, Host, LARGEST, Phase};

use super::super::owner;
use super::super::{Failure, Outcome, config, logs, terminal, time};
use super::calls::refused;

/// How long the host waits at most, start of the process excluded.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long to wait before looking for the owner again that was started.
const LOOK: Duration = Duration::from_millis(1);

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
    let answer = fault::caught(|| Ok::<_, Fault>(answer_to(options, event(end), end)))
        .unwrap_or_else(|fault| refused(options.host.0, "", &fault.to_string()));
    print(&answer)
}

/// Answers the event on standard input as `run` does, where the arguments are those that the installer writes; `None` where
/// they are others, and nothing was done.
pub(in crate::cli) fn at_once(words: &[OsString]) -> Option<Outcome> {
    let (options, store) = written(words)?;
    let end = Instant::now() + PATIENCE;
    let answer = || -> Result<Answer, Failure> {
        let read = event(end);
        if let Ok(bytes) = &read
            && bytes.len() <= LARGEST
        {
            let host = options.host.0.map(|host| host.word().to_owned());
            let wish = (host, options.shadow, String::from_utf8_lossy(bytes).into_owned());
            match owner::judge(&store, wish, end) {
                Ok(Some(answer)) => return Ok(answer),
                // From here on as slowly as it takes.
                Ok(None) => set_up()?,
                Err(error) => {
                    set_up()?;
                    return Ok(unanswered(&options, bytes, &error));
                }
            }
        } else {
            set_up()?;
        }
        Ok(answer_to(&options, read, end))
    };
    let refuse = |failure: Failure| match failure {
        Failure::Session(error) => refused(options.host.0, "", &error.to_string()),
        Failure::Usage(why) => refused(options.host.0, "", &why),
        Failure::Stopped(stopped) => refused(options.host.0, "", &stopped.to_string()),
        Failure::Output(error) => refused(options.host.0, "", &error.to_string()),
    };
    let answer = fault::caught(answer).unwrap_or_else(refuse);
    Some(print(&answer).and_then(|status| Ok(terminal::finish().map(|()| status)?)))
}

/// The options in arguments as the installer writes them, and the ledger's folder.
fn written(words: &[OsString]) -> Option<(HookOptions, PathBuf)> {
    let (first, rest) = words.split_first()?;
    let (host_word, host, store_word, store, shadow) = match rest {
        [host_word, host, store_word, store] => (host_word, host, store_word, store, false),
        [host_word, host, store_word, store, last] if last == "--shadow" => {
            (host_word, host, store_word, store, true)
        }
        _ => return None,
    };
    if first != "gate" || host_word != "--host" || store_word != "--store" {
        return None;
    }
    let (host, store) = (of_word(host.to_str()?).ok()?, PathBuf::from(store));
    Some((HookOptions { host, store: Some(store.clone()), shadow }, store))
}

/// What every command sets up before it begins.
fn set_up() -> Result<(), Failure> {
    config::load()?;
    time::check()?;
    logs::begin()
}

/// The answer where the owner was asked and gave none.
fn unanswered(options: &HookOptions, bytes: &[u8], error: &io::Error) -> Answer {
    match Event::read(options.host.0, bytes) {
        Ok(event) if !event.is_question() || options.shadow => unheard(error),
        Ok(event) => refused(Some(event.host), &event.name, &error.to_string()),
        Err(error) => refused(options.host.0, "", &error.to_string()),
    }
}

/// What is said where no answer is needed and something went wrong.
fn unheard(error: &io::Error) -> Answer {
    Answer { output: None, error: Some(format!("hence gate: {error}")), status: 1 }
}

/// Standard input to its end, read by a thread, since a host may leave it open.
fn event(end: Instant) -> io::Result<Vec<u8>> {
    let (sender, bytes) = channel();
    thread::Builder::new().spawn(move || {
        let mut bytes = Vec::new();
        let most = LARGEST as u64 + 1;
        let read = io::stdin().lock().take(most).read_to_end(&mut bytes);
        // Nobody hears of an event that comes too late.
        let _ = sender.send(read.map(|_| bytes));
    })?;
    let late = |_| io::Error::new(io::ErrorKind::TimedOut, "it did not end within 2 s");
    bytes.recv_timeout(end.saturating_duration_since(Instant::now())).map_err(late)?
}

/// The answer to what was read.
fn answer_to(options: &HookOptions, read: io::Result<Vec<u8>>, end: Instant) -> Answer {
    match read {
        Ok(bytes) => of_bytes(options, &bytes, end),
        Err(error) => refused(options.host.0, "", &format!("the event can't be read: {error}")),
    }
}

/// The answer to an event.
pub(super) fn of_bytes(options: &HookOptions, bytes: &[u8], end: Instant) -> Answer {
    let event = match Event::read(options.host.0, bytes) {
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
        Err(error) if !event.is_question() || options.shadow => unheard(&error),
        Err(error) => refused(Some(event.host), &event.name, &error.to_string()),
    }
}

/// What the owner answers; one is started where none runs.
fn asked(store: &Path, wish: (Option<String>, bool, String), end: Instant) -> io::Result<Answer> {
    let ask = || owner::judge(store, wish.clone(), end);
    owner::asked((store, &["--pack", "gate"]), (end, LOOK), ask)?.ok_or_else(|| {
        let log = store.join(owner::LOG);
        io::Error::other(format!("the owner of the ledger did not start within 2 s; see `{}`", log.display()))
    })
}

/// Prints an answer, and ends with its status.
fn print(answer: &Answer) -> Outcome {
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
