//! `hence gate selftest`: a host in small, which runs a command only if the gate lets it, and looks for what it left behind.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::{Value as Json, json};

use hence_gate::{HookAnswer, Host};

use hence_core::scratch::Scratch;

use super::super::{DONE, Failure, NO, Outcome, terminal};
use super::hook::{self, HookOptions};

/// How long the first answer may take: an owner may have to be started.
const PATIENCE: Duration = Duration::from_secs(5);

/// Show that a denied call does not run, and that an allowed one does, in the words of every host
///
/// Each host is played: it asks the gate about a command that leaves a file behind, and runs it if the answer says so.
#[derive(Debug, Args)]
#[command(after_help = "Example: hence gate selftest")]
pub(super) struct SelfTest {
    /// The ledger's folder [default: .hence]
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
}

impl SelfTest {
    pub(super) fn run(self) -> Outcome {
        let store = super::store(self.store.as_ref());
        fs::create_dir_all(&store)?;
        let store = fs::canonicalize(&store)?;
        let folder = Scratch::new("selftest").map_err(|error| Failure::Usage(error.to_string()))?;
        // Where no owner starts no host gets an answer, and what is wrong is wrong for all of them.
        let begun = hook::begin(&store, Instant::now() + PATIENCE);
        begun.map_err(|error| Failure::Usage(error.to_string()))?;
        let mut out = terminal::text();
        let mut is_right = true;
        for host in Host::ALL {
            let denied = store.join(format!("selftest-{host}"));
            let allowed = folder.path().join(format!("allowed-{host}"));
            let first = play(host, &store, folder.path(), &denied)?;
            let second = play(host, &store, folder.path(), &allowed)?;
            let fine = !first && second;
            is_right &= fine;
            let say = |ran: bool| if ran { "ran" } else { "did not run" };
            let mark = if fine { "ok" } else { "WRONG" };
            writeln!(
                out,
                "{mark}: {host}: the forbidden command {}, the harmless one {}",
                say(first),
                say(second)
            )?;
        }
        Ok(if is_right { DONE } else { NO })
    }
}

/// Plays a host that is to run `touch MARKER`; whether it ran.
fn play(host: Host, store: &Path, folder: &Path, marker: &Path) -> Result<bool, Failure> {
    let command = format!("touch {}", marker.display());
    let event = event(host, folder, &command).to_string();
    let options = HookOptions { host: hook::Told(Some(host)), store: Some(store.to_owned()), shadow: false };
    let answer = hook::of_bytes(&options, event.as_bytes(), Instant::now() + PATIENCE);
    if permits(&answer) {
        Command::new("sh").arg("-c").arg(&command).status()?;
    }
    let ran = marker.exists();
    if ran {
        fs::remove_file(marker)?;
    }
    Ok(ran)
}

/// The event of a host that is about to run a command.
fn event(host: Host, cwd: &Path, command: &str) -> Json {
    let session = format!("selftest-{}", std::process::id());
    let input = json!({ "command": command });
    match host {
        Host::Claude | Host::Codex => json!({
            "hook_event_name": "PreToolUse", "session_id": session, "cwd": cwd, "transcript_path": "", "tool_name": "Bash",
            "permission_mode": "default", "tool_input": input, "tool_use_id": format!("{session}-{host}-{}", command.len()),
        }),
        Host::Gemini => json!({
            "hook_event_name": "BeforeTool", "session_id": session, "cwd": cwd, "transcript_path": "", "timestamp": "",
            "tool_name": "run_shell_command", "tool_input": input,
        }),
        Host::Cursor => json!({
            "hook_event_name": "beforeShellExecution", "conversation_id": session, "cwd": cwd, "command": command,
        }),
        Host::Copilot => json!({
            "sessionId": session, "workingDirectory": cwd, "timestamp": 0, "toolName": "bash",
            "toolArgs": input.to_string(),
        }),
        Host::Kiro => json!({
            "hook_event_name": "preToolUse", "session_id": session, "cwd": cwd, "tool_name": "execute_bash",
            "tool_input": input,
        }),
    }
}

/// Whether a host would run the tool after this answer, read as its documentation says.
fn permits(answer: &HookAnswer) -> bool {
    if answer.status == 2 {
        return false;
    }
    let Some(Ok(said)) = answer.output.as_deref().map(serde_json::from_str::<Json>) else {
        return answer.status == 0;
    };
    let specific = said.get("hookSpecificOutput");
    let word = ["permissionDecision", "decision", "permission"]
        .iter()
        .find_map(|name| specific.and_then(|inner| inner.get(*name)).or_else(|| said.get(*name))?.as_str());
    word.is_none_or(|word| word == "allow")
}
