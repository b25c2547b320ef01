//! `hence-hook`: how hosts start `hence gate` at each tool call.
//!
//! Most of what a call costs is the start of a process, and this one is small: it puts the event to the owner of the ledger and
//! prints the answer. Where no owner runs, or anything is not as it should be, the `hence` beside it does what is asked; so it is
//! that which starts owners, refuses, and knows the words of hosts.

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
    use std::ffi::{OsStr, OsString};
    use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
    use std::os::unix::net::UnixStream;
    use std::os::unix::process::CommandExt as _;
    use std::path::{Path, PathBuf};
    use std::process::{Command, ExitCode, Stdio};
    use std::sync::mpsc::channel;
    use std::thread;
    use std::time::{Duration, Instant};

    use hence_gate::{Host, LARGEST};
    use serde_json::{Value as Json, json};

    /// The program beside this one that can do everything.
    const WHOLE: &str = "hence";
    /// The file of the socket in the ledger's folder.
    const SOCKET: &str = "owner.sock";
    /// How long the host waits at most.
    const PATIENCE: Duration = Duration::from_secs(2);
    /// The exit status of a denial.
    const DENIED: u8 = 2;

    /// What the arguments say, where they are those that `hence gate install` writes.
    struct Asked {
        host: Option<String>,
        store: PathBuf,
        shadow: bool,
    }

    pub(super) fn run() -> ExitCode {
        let words: Vec<OsString> = std::env::args_os().skip(1).collect();
        let Some((asked, owner)) =
            read(&words).and_then(|asked| connected(&asked.store).map(|owner| (asked, owner)))
        else {
            return handed_over(&words, None);
        };
        let end = Instant::now() + PATIENCE;
        let Some(event) = event(end) else { return handed_over(&words, Some(&[])) };
        let told = if event.len() > LARGEST { None } else { answer(&asked, owner, &event, end) };
        told.unwrap_or_else(|| handed_over(&words, Some(&event)))
    }

    fn read(words: &[OsString]) -> Option<Asked> {
        let words: Option<Vec<&str>> = words.iter().map(|word| word.to_str()).collect();
        let (host, store, shadow) = match words?.as_slice() {
            ["gate", "--host", host, "--store", store] => (*host, *store, false),
            ["gate", "--host", host, "--store", store, "--shadow"] => (*host, *store, true),
            _ => return None,
        };
        let host = if host == "auto" { None } else { Some(host.parse::<Host>().ok()?.word().to_owned()) };
        Some(Asked { host, store: PathBuf::from(store), shadow })
    }

    /// The owner of a ledger, if it runs and is this user's.
    fn connected(store: &Path) -> Option<UnixStream> {
        let stream = UnixStream::connect(store.join(SOCKET)).ok()?;
        is_own(&stream).then_some(stream)
    }

    #[cfg(target_os = "linux")]
    fn is_own(stream: &UnixStream) -> bool {
        let other = rustix::net::sockopt::socket_peercred(stream);
        other.is_ok_and(|other| other.uid == rustix::process::geteuid())
    }

    /// The permissions of the file keep others away.
    #[cfg(not(target_os = "linux"))]
    fn is_own(_: &UnixStream) -> bool {
        true
    }

    /// Standard input to its end, read by a thread, since a host may leave it open.
    fn event(end: Instant) -> Option<Vec<u8>> {
        let (sender, read) = channel();
        let reading = thread::Builder::new().spawn(move || {
            let mut bytes = Vec::new();
            let done = io::stdin().lock().take(LARGEST as u64 + 1).read_to_end(&mut bytes);
            // Nobody hears of an event that comes too late.
            let _ = sender.send(done.map(|_| bytes));
        });
        reading.ok()?;
        read.recv_timeout(end.saturating_duration_since(Instant::now())).ok()?.ok()
    }

    /// The owner's answer, once it is printed; `None` where there is none that can be.
    fn answer(asked: &Asked, mut owner: UnixStream, event: &[u8], end: Instant) -> Option<ExitCode> {
        let event = String::from_utf8_lossy(event);
        let gate = json!({ "host": asked.host, "shadow": asked.shadow, "event": event });
        // The owner tells by how a line begins how long it may be.
        let line = format!("{{\"hence\":1,\"gate\":{gate}}}\n");
        owner.set_write_timeout(Some(Duration::from_secs(1))).ok()?;
        owner.set_read_timeout(Some(end.checked_duration_since(Instant::now())?)).ok()?;
        owner.write_all(line.as_bytes()).ok()?;
        let mut line = String::new();
        BufReader::new(owner).read_line(&mut line).ok()?;
        let told: Json = serde_json::from_str(&line).ok().filter(|told: &Json| told["hence"] == 1)?;
        let judged = told.get("judged")?.as_object()?;
        let text = |name: &str| judged.get(name).and_then(Json::as_str);
        let status = u8::try_from(judged.get("status")?.as_u64()?).ok()?;
        if let Some(output) = text("output") {
            let mut out = io::stdout().lock();
            out.write_all(format!("{output}\n").as_bytes()).and_then(|()| out.flush()).ok()?;
        }
        if let Some(error) = text("error") {
            io::stderr().write_all(format!("{error}\n").as_bytes()).ok()?;
        }
        Some(ExitCode::from(status))
    }

    /// What `hence` makes of the same arguments, with standard input or with what was read of it.
    fn handed_over(words: &[OsString], event: Option<&[u8]>) -> ExitCode {
        let whole = std::env::current_exe().map(|own| own.with_file_name(WHOLE));
        let mut command = Command::new(whole.as_deref().unwrap_or(Path::new(OsStr::new(WHOLE))));
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
