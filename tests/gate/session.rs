//! Coding sessions in the words of every host: one that was recorded, and one that was composed so that more rules speak.

use std::path::Path;

use hence_gate::Host;
use serde_json::{Value as Json, json};

/// A session: its name, and its calls in no host's words.
pub(crate) struct Session {
    pub(crate) name: &'static str,
    pub(crate) calls: Vec<Json>,
}

/// The sessions; `README.md` says how they came about.
pub(crate) fn sessions() -> [Session; 3] {
    let read = |name, text: &str| {
        let calls = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        Session { name, calls }
    };
    [
        read("session", include_str!("session.jsonl")),
        read("recorded", include_str!("recorded.jsonl")),
        read("recorded_again", include_str!("recorded_again.jsonl")),
    ]
}

/// The names of a tool and of its arguments in the words of a host.
fn words(host: Host, call: &Json) -> (&'static str, Json) {
    let text = |name: &str| call[name].as_str().unwrap_or_default().to_owned();
    let (command, path) = (text("command"), text("path"));
    let (content, old, new) = (text("content"), text("old"), text("new"));
    let at =
        |claude: &'static str, gemini: &'static str, copilot: &'static str, kiro: &'static str| match host {
            Host::Claude | Host::Codex | Host::Cursor => claude,
            Host::Gemini => gemini,
            Host::Copilot => copilot,
            Host::Kiro => kiro,
        };
    let own_path = if matches!(host, Host::Copilot | Host::Kiro) { "path" } else { "file_path" };
    let tool = call["tool"].as_str().unwrap();
    match tool {
        "shell" => (at("Bash", "run_shell_command", "bash", "execute_bash"), json!({ "command": command })),
        "read" => (at("Read", "read_file", "view", "fs_read"), json!({ own_path: path })),
        "write" => {
            let content_name =
                if matches!(host, Host::Copilot | Host::Kiro) { "file_text" } else { "content" };
            (
                at("Write", "write_file", "create", "fs_write"),
                json!({ own_path: path, content_name: content }),
            )
        }
        "edit" => {
            let names =
                if host == Host::Copilot { ("old_str", "new_str") } else { ("old_string", "new_string") };
            (
                at("Edit", "replace", "edit", "str_replace"),
                json!({ own_path: path, names.0: old, names.1: new }),
            )
        }
        "search" => {
            (at("Grep", "grep_search", "grep", "grep"), json!({ "path": path, "pattern": text("pattern") }))
        }
        "list" => (at("LS", "list_directory", "list_dir", "list_directory"), json!({ "path": path })),
        "web_search" => (
            at("WebSearch", "google_web_search", "web_search", "web_search"),
            json!({ "query": text("query") }),
        ),
        "fetch" => (at("WebFetch", "web_fetch", "web_fetch", "web_fetch"), json!({ "url": text("url") })),
        "agent" => (at("Task", "invoke_agent", "task", "use_subagent"), json!({ "prompt": text("prompt") })),
        other => panic!("no host has `{other}`"),
    }
}

/// The event of a host before or after a call.
pub(crate) fn event(host: Host, call: &Json, after: bool, cwd: &Path, number: usize) -> Json {
    let (tool, input) = words(host, call);
    let ok = call["ok"].as_bool().unwrap();
    let mut event = match host {
        Host::Claude | Host::Codex => json!({
            "session_id": "s", "transcript_path": "", "cwd": cwd, "permission_mode": "default", "tool_name": tool,
            "hook_event_name": if after { "PostToolUse" } else { "PreToolUse" }, "tool_input": input,
            "tool_use_id": format!("use-{number}"),
        }),
        Host::Gemini => json!({
            "session_id": "s", "transcript_path": "", "cwd": cwd, "timestamp": "", "tool_name": tool, "tool_input": input,
            "hook_event_name": if after { "AfterTool" } else { "BeforeTool" },
        }),
        Host::Cursor => json!({
            "conversation_id": "s", "workspace_roots": [cwd], "tool_name": tool, "tool_input": input, "cwd": cwd,
            "hook_event_name": if after { "postToolUse" } else { "preToolUse" }, "tool_use_id": format!("use-{number}"),
        }),
        Host::Copilot => json!({
            "sessionId": "s", "timestamp": 0, "workingDirectory": cwd, "toolName": tool, "toolArgs": input,
        }),
        Host::Kiro => json!({
            "session_id": "s", "cwd": cwd, "tool_name": tool, "tool_input": input,
            "hook_event_name": if after { "postToolUse" } else { "preToolUse" },
        }),
    };
    if after {
        let (member, response) = match host {
            Host::Copilot => ("toolResult", json!({ "resultType": if ok { "success" } else { "failure" } })),
            Host::Cursor => ("tool_output", json!({ "exit_code": i32::from(!ok) })),
            Host::Gemini => ("tool_response", if ok { json!({}) } else { json!({ "error": "it failed" }) }),
            _ => ("tool_response", json!({ "success": ok })),
        };
        event[member] = response;
    }
    event
}
