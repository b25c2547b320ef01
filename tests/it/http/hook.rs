//! The gate over HTTP: each host's events are judged in its own words, and what can't be judged is denied.

#![cfg(feature = "gate")]

use std::fs;

use hence_gate::Host;
use serde_json::{Value as Json, json};

use super::{Caller, Response, Service};

/// A service whose rules are the gate's.
fn gate() -> (tempfile::TempDir, Service) {
    let dir = crate::memory::folder();
    fs::write(dir.path().join("hence.toml"), "packs = [\"gate\"]\n[roles]\nreviewer = [\"ada\"]\n").unwrap();
    let service = Service::new(dir.path());
    (dir, service)
}

/// The event of a host that is about to run a command.
fn event(host: Host, command: &str) -> Json {
    let input = json!({ "command": command });
    let named = |name: &str, tool: &str| {
        json!({
            "hook_event_name": name, "session_id": "s", "cwd": "/work/shop", "transcript_path": "", "timestamp": "",
            "tool_name": tool, "tool_input": input,
        })
    };
    match host {
        Host::Claude | Host::Codex => named("PreToolUse", "Bash"),
        Host::Gemini => named("BeforeTool", "run_shell_command"),
        Host::Kiro => named("preToolUse", "execute_bash"),
        Host::Cursor => json!({
            "hook_event_name": "beforeShellExecution", "conversation_id": "s", "cwd": "/work/shop", "command": command,
        }),
        Host::Copilot => json!({
            "sessionId": "s", "workingDirectory": "/work/shop", "timestamp": 0, "toolName": "bash",
            "toolArgs": input.to_string(),
        }),
    }
}

fn post(caller: &Caller<'_>, path: &str, body: &str) -> Response {
    caller.post_as(path, &[("Content-Type", "application/json")], body)
}

/// Whether a host goes on after this answer.
fn goes_on(host: Host, answer: &Json) -> bool {
    let specific = &answer["hookSpecificOutput"]["permissionDecision"];
    match host {
        Host::Claude => specific == "allow",
        Host::Codex => specific.is_null(),
        Host::Gemini => answer["decision"] == "allow",
        Host::Cursor => answer["permission"] == "allow",
        Host::Copilot => answer["permissionDecision"] == "allow",
        Host::Kiro => answer["status"] == 0,
    }
}

#[test]
fn each_host_is_answered_in_its_own_words() {
    let (_dir, service) = gate();
    let caller = service.token("host", "decide");
    for host in Host::ALL {
        for path in [format!("/hook/{host}"), String::from("/hook/auto")] {
            // Codex and Claude Code show nothing by which to tell them apart here.
            if host == Host::Codex && path.ends_with("auto") {
                continue;
            }
            let ls = post(&caller, &path, &event(host, "ls").to_string());
            assert_eq!(ls.status, 200, "{host}: {ls:?}");
            assert!(goes_on(host, &ls.json()), "{host}: {ls:?}");
            let rm = post(&caller, &path, &event(host, "rm -rf /").to_string());
            assert_eq!(rm.status, 200, "{host}: {rm:?}");
            assert!(!goes_on(host, &rm.json()) && rm.body.contains("outside_tree"), "{host}: {rm:?}");
        }
    }
}

#[test]
fn what_can_not_be_judged_is_denied_in_the_words_of_the_host() {
    let (_dir, service) = gate();
    let caller = service.token("host", "decide");
    let large = format!("{{\"hook_event_name\": \"PreToolUse\", \"x\": \"{}\"}}", "x".repeat(5 << 20));
    for host in Host::ALL {
        for body in ["", "{", "[]", "{}", large.as_str()] {
            let answer = post(&caller, &format!("/hook/{host}"), body);
            assert_eq!(answer.status, 200, "{host}: {answer:?}");
            assert!(!goes_on(host, &answer.json()), "{host}: {answer:?}");
        }
    }
    assert_eq!(post(&caller, "/hook/vim", "{}").status, 404);
    assert_eq!(post(&caller, "/hook/claude?shadow=perhaps", "{}").status, 400);
}

#[test]
fn a_hook_takes_a_token_and_shadow_blocks_nothing() {
    let (_dir, service) = gate();
    let event = event(Host::Claude, "rm -rf /").to_string();
    assert_eq!(service.send("POST", "/hook/claude", &[], &event).status, 401);
    assert_eq!(post(&service.token("eve", "read,write,admin"), "/hook/claude", &event).status, 403);
    let caller = service.token("host", "decide");
    let watched = post(&caller, "/hook/claude?shadow=true", &event);
    assert_eq!((watched.status, watched.body.as_str()), (200, "{}"));
}
