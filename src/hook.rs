//! `hence-hook`: how hosts start `hence gate` at each tool call.
//!
//! Most of what a call costs is the start of a process, and this one is small: it puts the event to the owner of the ledger and
//! prints the answer, or a denial where none comes in time. Where no owner runs, the `hence` beside it becomes one; where anything
//! is not as it should be, that does what is asked.

use std::process::ExitCode;

#[cfg(unix)]
fn main() -> ExitCode {
    unix::run()
}

/// Owners are reached over Unix sockets.
#[cfg(not(unix))]
fn main() -> ExitCode {
    ExitCode::from(2)
}

#[cfg(unix)]
mod unix {
    use std::ffi::OsString;
    use std::io::{self, BufRead as _, BufReader, Write as _};
    use std::os::unix::net::UnixStream;
    use std::os::unix::process::CommandExt as _;
    use std::path::{Path, PathBuf};
    use std::process::{Command, ExitCode, Stdio};
    use std::time::{Duration, Instant};

    use hence_gate::{HookAnswer, HookEvent, Host, LARGEST, Phase};
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::Errno;
    use serde_json::{Value as Json, json};

    use hence_runtime::owner::{Start, connect};

    /// The program beside this one that can do everything.
    const WHOLE: &str = "hence";
    /// How long the host waits at most.
    const PATIENCE: Duration = Duration::from_secs(2);
    /// The exit status of a denial.
    const DENIED: u8 = 2;
    /// Why nothing is allowed where the owner says nothing.
    const LATE: &str = "the owner of the ledger gave no answer within 2 s";

    /// What the arguments say, where they are those that `hence gate install` writes.
    struct Asked {
        host: Option<Host>,
        store: PathBuf,
        shadow: bool,
    }

    pub(super) fn run() -> ExitCode {
        let words: Vec<OsString> = std::env::args_os().skip(1).collect();
        let Some(asked) = read(&words) else { return handed_over(&words, None) };
        let end = Instant::now() + PATIENCE;
        let owner = connect(&asked.store).ok();
        let Some(event) = event(end) else { return handed_over(&words, Some(&[])) };
        if event.len() > LARGEST || owner.is_none() && !needs_owner(&asked, &event) {
            return handed_over(&words, Some(&event));
        }
        let owner = match owner.map_or_else(|| started(&asked.store, end), Ok) {
            Ok(owner) => owner,
            Err(why) => return print(refused(&asked, &event, &why.to_string())),
        };
        match answer(&asked, owner, &event, end) {
            Some(answer) => print(answer),
            // `hence` would wait for it as long once more.
            None if Instant::now() >= end => print(refused(&asked, &event, LATE)),
            None => handed_over(&words, Some(&event)),
        }
    }

    fn read(words: &[OsString]) -> Option<Asked> {
        let words: Option<Vec<&str>> = words.iter().map(|word| word.to_str()).collect();
        let (host, store, shadow) = match words?.as_slice() {
            ["gate", "--host", host, "--store", store] => (*host, *store, false),
            ["gate", "--host", host, "--store", store, "--shadow"] => (*host, *store, true),
            _ => return None,
        };
        let host = if host == "auto" { None } else { Some(host.parse().ok()?) };
        Some(Asked { host, store: PathBuf::from(store), shadow })
    }

    /// Whether an owner has anything to say of an event.
    fn needs_owner(asked: &Asked, event: &[u8]) -> bool {
        HookEvent::read(asked.host, event).is_ok_and(|event| event.phase != Phase::Other)
    }

    /// The owner that the `hence` beside this program becomes.
    fn started(store: &Path, end: Instant) -> io::Result<UnixStream> {
        let start = Start { program: whole(), store, otherwise: &["--pack", "gate"] };
        start.asked(end, || Ok(connect(store).ok()))
    }

    /// Standard input to its end, in time: a host may leave it open.
    fn event(end: Instant) -> Option<Vec<u8>> {
        let (input, mut bytes, mut chunk) = (io::stdin(), Vec::new(), [0; 8192]);
        while bytes.len() <= LARGEST {
            let left = end.checked_duration_since(Instant::now())?;
            let mut awaited = [PollFd::new(&input, PollFlags::IN)];
            let read = poll(&mut awaited, Some(&Timespec::try_from(left).ok()?)).and_then(|ready| {
                if ready == 0 { Err(Errno::TIMEDOUT) } else { rustix::io::read(&input, &mut chunk) }
            });
            match read {
                Ok(0) => break,
                Ok(count) => bytes.extend(chunk.iter().take(count)),
                Err(Errno::INTR) => {}
                Err(_) => return None,
            }
        }
        Some(bytes)
    }

    /// The owner's answer; `None` where there is none.
    fn answer(asked: &Asked, mut owner: UnixStream, event: &[u8], end: Instant) -> Option<HookAnswer> {
        let event = String::from_utf8_lossy(event);
        let host = asked.host.map(Host::word);
        let gate = json!({ "host": host, "shadow": asked.shadow, "event": event });
        // The owner tells by how a line begins how long it may be.
        let line = format!("{{\"hence\":1,\"gate\":{gate}}}\n");
        owner.set_write_timeout(Some(Duration::from_secs(1))).ok()?;
        owner.set_read_timeout(Some(end.checked_duration_since(Instant::now())?)).ok()?;
        owner.write_all(line.as_bytes()).ok()?;
        let mut line = String::new();
        BufReader::new(owner).read_line(&mut line).ok()?;
        let told: Json = serde_json::from_str(&line).ok().filter(|told: &Json| told["hence"] == 1)?;
        let judged = told.get("judged")?.as_object()?;
        let text = |name: &str| judged.get(name).and_then(Json::as_str).map(str::to_owned);
        let status = u8::try_from(judged.get("status")?.as_u64()?).ok()?;
        Some(HookAnswer { output: text("output"), error: text("error"), status })
    }

    /// What a host is told of an event that no owner said anything of.
    fn refused(asked: &Asked, event: &[u8], why: &str) -> HookAnswer {
        match HookEvent::read(asked.host, event) {
            Ok(event) if event.is_question() && !asked.shadow => event.host.refusal(&event.name, why),
            Ok(_) => HookAnswer { output: None, error: Some(format!("hence gate: {why}")), status: 1 },
            Err(_) => Host::unread(asked.host, why),
        }
    }

    fn print(answer: HookAnswer) -> ExitCode {
        let mut out = io::stdout().lock();
        let printed = match answer.output {
            Some(output) => out.write_all(format!("{output}\n").as_bytes()).and_then(|()| out.flush()),
            None => Ok(()),
        };
        if let Some(error) = answer.error {
            // Who doesn't hear it sees the status.
            let _ = io::stderr().write_all(format!("{error}\n").as_bytes());
        }
        ExitCode::from(if printed.is_ok() { answer.status } else { DENIED })
    }

    /// The program beside this one.
    fn whole() -> PathBuf {
        std::env::current_exe().map_or_else(|_| PathBuf::from(WHOLE), |own| own.with_file_name(WHOLE))
    }

    /// What `hence` makes of the same arguments, with standard input or with what was read of it.
    fn handed_over(words: &[OsString], event: Option<&[u8]>) -> ExitCode {
        let mut command = Command::new(whole());
        command.args(words);
        let done = match event {
            None => Err(command.exec()),
            Some(event) => told(command.stdin(Stdio::piped()), event),
        };
        match done {
            Ok(status) => ExitCode::from(status),
            Err(error) => {
                let why = format!("hence-hook: `{WHOLE}` beside it can't be run: {error}\n");
                // Who doesn't hear it sees the status.
                let _ = io::stderr().write_all(why.as_bytes());
                ExitCode::from(DENIED)
            }
        }
    }

    fn told(command: &mut Command, event: &[u8]) -> io::Result<u8> {
        let mut child = command.spawn()?;
        if let Some(mut input) = child.stdin.take() {
            // One that has heard enough answers without the rest.
            let _ = input.write_all(event);
        }
        let status = child.wait()?.code().and_then(|code| u8::try_from(code).ok());
        Ok(status.unwrap_or(DENIED))
    }
}
