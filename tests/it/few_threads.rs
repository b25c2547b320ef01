//! What happens where the system gives hence few threads: each command does its work or says what helps, nothing hangs,
//! and the ledger holds.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::command;

/// How long a command may take.
const LONGEST: Duration = Duration::from_secs(60);
/// How many threads and processes commands may have: too few for anything, for a fact base, for what goes on beside it, and
/// enough.
const FEW: [u32; 15] = [1, 2, 3, 13, 14, 15, 16, 17, 18, 19, 20, 22, 24, 26, ENOUGH];
const ENOUGH: u32 = 64;

const RULES: &str = "## Asked.\ninput f(n: int).\n\n## Act.\ndecision act(n: int).\n\n\
    @id(acts)\n@because(\"{N} asks\")\nact(N) :- f(N).\n";
const EVENT: &str = r#"{"session_id":"s","cwd":"/tmp","hook_event_name":"PreToolUse","tool_name":"Bash","tool_use_id":"u","tool_input":{"command":"ls"}}"#;

/// How many users there were.
static USERS: AtomicU32 = AtomicU32::new(0);

/// A user whose processes are those of one test alone: the limit counts all of a user's, and doesn't hold for root.
struct User(String);

impl User {
    /// `None` where there can be none.
    fn new() -> Option<Self> {
        let number = USERS.fetch_add(1, Ordering::Relaxed);
        let user = Self((1_000_000 + std::process::id() * 16 + number).to_string());
        let probe = user.hence(Path::new("/"), ENOUGH, &["--version"]).output();
        let is_there =
            rustix::process::geteuid().is_root() && probe.is_ok_and(|ended| ended.status.success());
        if !is_there {
            println!(
                "left out: only root may be another user, who has to reach hence, `setpriv` and `prlimit`"
            );
        }
        is_there.then_some(user)
    }

    /// A program as this user.
    fn run(&self, program: &[&str], folder: &Path) -> Command {
        let mut command = Command::new("setpriv");
        command
            .args(["--reuid", &self.0, "--regid", &self.0, "--clear-groups", "--inh-caps=-all"])
            .args(program);
        command::plain(command, folder)
    }

    /// `hence` as this user, with so many threads and processes.
    fn hence(&self, folder: &Path, most: u32, args: &[&str]) -> Command {
        let limit = format!("--nproc={most}:{most}");
        let mut command = self.run(&["prlimit", &limit, env!("CARGO_BIN_EXE_hence")], folder);
        command.args(args);
        command
    }

    /// Ends what is left of this user.
    fn end(&self) {
        let _ = self.run(&["kill", "-KILL", "--", "-1"], Path::new("/")).output();
    }

    /// A ledger of this user, with a decision that a program is to carry out.
    fn folder(&self) -> tempfile::TempDir {
        let dir = crate::memory::folder();
        let at = dir.path();
        fs::create_dir(at.join("rules")).unwrap();
        fs::write(at.join("rules/act.dl"), RULES).unwrap();
        fs::write(at.join("hence.toml"), "[run_command]\nact = { program = \"true\" }\n").unwrap();
        fs::write(at.join("facts.jsonl"), "{\"f\": [1]}\n").unwrap();
        let begun = command::hence(at, &["decide", "--facts", "facts.jsonl"]).output().unwrap();
        assert!(begun.status.success(), "{begun:?}");
        assert!(Command::new("chown").args(["-R", &self.0]).arg(at).status().unwrap().success());
        dir
    }
}

impl Drop for User {
    fn drop(&mut self) {
        self.end();
    }
}

/// How a command with this input ends, which it does in time.
fn ended(mut command: Command, input: &str) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // One that has ended reads nothing.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > LONGEST {
            child.kill().unwrap();
            panic!("{command:?} goes on: {:?}", child.wait_with_output());
        }
        thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().unwrap()
}

/// Runs a command with few threads: it succeeds, or says what helps; and the ledger holds.
fn check(args: &[&str], input: &str) {
    let Some(user) = User::new() else { return };
    let dir = user.folder();
    for most in FEW {
        let Output { status, stdout, stderr } = ended(user.hence(dir.path(), most, args), input);
        let said = format!("{}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
        let helps = matches!(status.code(), Some(1 | 2)) && said.contains("raise the limit on processes");
        assert!(status.success() || helps, "{args:?} with {most}: {status}: {said}");
        assert!(most < ENOUGH || status.success(), "{args:?} with {most}: {status}: {said}");
        user.end();
    }
    let verified = user.run(&[env!("CARGO_BIN_EXE_hence"), "verify"], dir.path()).output().unwrap();
    assert!(verified.status.success(), "after {args:?}: {verified:?}");
}

#[test]
fn a_query() {
    check(&["query", "f(N)"], "");
}

#[test]
fn a_decision_that_is_carried_out() {
    check(&["decide", "--carry-out", "--facts", "facts.jsonl"], "");
}

#[test]
fn decisions_on_a_stream() {
    check(&["decide", "--follow", "--carry-out"], "{\"f\": [2]}\n");
}

#[test]
fn an_owner() {
    let http: &[&str] = if cfg!(feature = "server") { &["--http", "127.0.0.1:0"] } else { &[] };
    check(&[&["serve", "--idle", "300ms"], http].concat(), "");
}

#[test]
fn verification() {
    check(&["verify"], "");
}

#[test]
fn a_replay_in_parts() {
    check(&["replay", "--threads", "4"], "");
}

#[cfg(feature = "gate")]
#[test]
fn a_server_of_tools_behind_the_gate() {
    check(&["mcp-gate", "--server", "files", "--", "cat"], "");
}

#[cfg(feature = "gate")]
#[test]
fn an_event_of_the_gate() {
    let Some(user) = User::new() else { return };
    let dir = user.folder();
    for most in FEW {
        let output =
            ended(user.hence(dir.path(), most, &["gate", "--host", "claude", "--store", ".hence"]), EVENT);
        user.end();
        let said = String::from_utf8_lossy(&output.stderr);
        // A call is denied where nobody decides on it.
        assert_eq!(output.status.code(), Some(2), "with {most}: {output:?}");
        let log = fs::read_to_string(dir.path().join(".hence/gate.log")).unwrap_or_default();
        assert!(!log.contains("fault of hence"), "with {most}: {log}");
        let helps = [&said, log.as_str()].iter().any(|said| said.contains("raise the limit on processes"));
        assert!(helps || most == ENOUGH, "with {most}: {output:?} {log}");
    }
    let verified = user.run(&[env!("CARGO_BIN_EXE_hence"), "verify"], dir.path()).output().unwrap();
    assert!(verified.status.success(), "{verified:?}");
}
