//! Claude Code: `PreToolUse` and its kin; the answer stands in `hookSpecificOutput`.

use serde_json::json;

use super::{Names, entries};
use crate::answer::{HookAnswer, Verdict, VerdictKind};
use crate::event::{EventError, HookEvent};
use crate::host::{Hook, HookSettings, Host};
use crate::json::{self, Object};

/// The members of its events.
pub(super) const NAMES: Names = Names {
    host: Host::Claude,
    before: &["PreToolUse"],
    after: &["PostToolUse"],
    failed: &["PostToolUseFailure"],
    end: &["SessionEnd"],
    session: &["session_id"],
    cwd: &["cwd"],
    tool: &["tool_name"],
    input: &["tool_input"],
    response: "tool_response",
};

/// How long the host waits, in seconds; the gate answers within 2.
const PATIENCE: u64 = 10;

pub(crate) fn read(object: &Object) -> Result<HookEvent, EventError> {
    NAMES.read(json::text(object, &["hook_event_name"]).unwrap_or_default(), object)
}

/// In place of its user's answer nothing can be put off, which then is left to the user.
pub(crate) fn told(event: &str, kind: VerdictKind) -> VerdictKind {
    match kind {
        VerdictKind::Defer | VerdictKind::Transform if event == "PermissionRequest" => VerdictKind::Ask,
        VerdictKind::Transform => VerdictKind::Deny,
        kind => kind,
    }
}

pub(crate) fn answer(event: &str, verdict: &Verdict) -> HookAnswer {
    if event == "PermissionRequest" {
        return HookAnswer::said(permission(verdict));
    }
    let decision = told(event, verdict.kind).word();
    let specific = json!({
        "hookEventName": "PreToolUse", "permissionDecision": decision, "permissionDecisionReason": verdict.text(),
    });
    HookAnswer::said(json!({ "hookSpecificOutput": specific }).to_string())
}

/// In place of its user's answer: what is not clear is left to the user.
fn permission(verdict: &Verdict) -> String {
    let decision = match verdict.kind {
        VerdictKind::Allow => json!({ "behavior": "allow" }),
        VerdictKind::Deny => json!({ "behavior": "deny", "message": verdict.text() }),
        VerdictKind::Ask | VerdictKind::Defer | VerdictKind::Transform => return String::from("{}"),
    };
    json!({ "hookSpecificOutput": { "hookEventName": "PermissionRequest", "decision": decision } })
        .to_string()
}

pub(crate) fn settings() -> HookSettings {
    HookSettings { path: ".claude/settings.json", merge, note: "" }
}

fn merge(mut settings: Object, hook: &Hook<'_>) -> Object {
    for event in ["PreToolUse", "PostToolUse", "PostToolUseFailure", "SessionEnd"] {
        let mut entry = json!({
            "type": "command", "command": hook.program, "args": hook.arguments, "timeout": PATIENCE,
        });
        if let (Some(fields), "PreToolUse") = (entry.as_object_mut(), event) {
            fields.insert(String::from("onFailure"), json!("block"));
        }
        entries::put(&mut settings, event, json!({ "hooks": [entry] }));
    }
    settings
}
