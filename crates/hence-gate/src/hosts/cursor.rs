//! Cursor: an event for each kind of tool; the answer is `permission` with a message for each reader.

use serde_json::{Value as Json, json};

use super::{Names, call, entries};
use crate::answer::{HookAnswer, Verdict, VerdictKind};
use crate::event::{Call, EventError, HookEvent, Phase};
use crate::host::{Hook, HookSettings, Host};
use crate::json::{self, Object};

const NAMES: Names = Names {
    host: Host::Cursor,
    before: &["preToolUse", "beforeShellExecution", "beforeMCPExecution", "beforeReadFile"],
    after: &["postToolUse", "afterShellExecution", "afterMCPExecution", "afterFileEdit"],
    failed: &["postToolUseFailure"],
    end: &["sessionEnd"],
    session: &["conversation_id", "session_id"],
    cwd: &["cwd"],
    tool: &["tool_name"],
    input: &["tool_input"],
    response: "tool_output",
};

pub(crate) fn read(object: &Object) -> Result<HookEvent, EventError> {
    let name = json::text(object, &["hook_event_name"]).unwrap_or_default();
    let phase = NAMES.phase(name, object);
    let own = match name {
        "beforeShellExecution" | "afterShellExecution" => own_call("Shell", &["command", "cwd"], object),
        "beforeReadFile" => own_call("Read", &["file_path"], object),
        "afterFileEdit" => own_call("Edit", &["file_path"], object),
        "beforeMCPExecution" | "afterMCPExecution" => Some(server_call(object)?),
        _ => return NAMES.read(name, object),
    };
    let call = own.ok_or_else(|| NAMES.missing("command", "what is about to run"))?;
    NAMES.event(name, phase, Some(call), object)
}

/// A call whose arguments stand in the event itself; the first of them has to.
fn own_call(tool: &str, members: &[&str], object: &Object) -> Option<Call> {
    json::text(object, members.get(..1)?)?;
    let held = members.iter().filter_map(|name| Some((String::from(*name), object.get(*name)?.clone())));
    Some(call(tool, held.collect(), object))
}

fn server_call(object: &Object) -> Result<Call, EventError> {
    let mut found = NAMES.call(object)?;
    let server = ["server", "server_name"].iter().find_map(|name| object.get(*name).and_then(Json::as_str));
    if !found.tool.starts_with("mcp/") {
        found.tool = format!("mcp/{}/{}", server.unwrap_or_default(), found.own_tool);
    }
    Ok(found)
}

/// `ask` holds for shell and server tools alone, and `beforeReadFile` reads only `permission`.
pub(crate) fn told(event: &str, kind: VerdictKind) -> VerdictKind {
    match kind {
        VerdictKind::Ask if matches!(event, "beforeShellExecution" | "beforeMCPExecution") => kind,
        kind => kind.allowed_or_denied(),
    }
}

pub(crate) fn answer(event: &str, verdict: &Verdict) -> HookAnswer {
    let told = told(event, verdict.kind);
    let permission = told.word();
    let text = if told == VerdictKind::Deny { verdict.text_of_denial() } else { verdict.text() };
    HookAnswer::said(match told {
        VerdictKind::Allow => json!({ "permission": permission }).to_string(),
        _ => json!({ "permission": permission, "user_message": text, "agent_message": text }).to_string(),
    })
}

pub(crate) fn settings() -> HookSettings {
    HookSettings { path: ".cursor/hooks.json", merge, note: "" }
}

fn merge(mut settings: Object, hook: &Hook<'_>) -> Object {
    settings.entry("version").or_insert(json!(1));
    for event in [
        "preToolUse",
        "beforeShellExecution",
        "beforeMCPExecution",
        "beforeReadFile",
        "afterShellExecution",
        "afterMCPExecution",
        "afterFileEdit",
        "sessionEnd",
    ] {
        let mut entry = json!({ "command": entries::line(hook), "timeout": 10 });
        if let (Some(fields), Phase::Before) = (entry.as_object_mut(), NAMES.phase(event, &Object::new())) {
            fields.insert(String::from("failClosed"), json!(true));
        }
        entries::put(&mut settings, event, entry);
    }
    settings
}
