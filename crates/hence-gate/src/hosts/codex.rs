//! Codex: the events of Claude Code; a question is let through there, so it becomes a denial.

use serde_json::json;

use super::{Names, claude, entries};
use crate::answer::{HookAnswer, Verdict, VerdictKind};
use crate::event::{EventError, HookEvent};
use crate::host::{Hook, HookSettings, Host};
use crate::json::{self, Object};

const NAMES: Names = Names { host: Host::Codex, ..claude::NAMES };

pub(crate) fn read(object: &Object) -> Result<HookEvent, EventError> {
    NAMES.read(json::text(object, &["hook_event_name"]).unwrap_or_default(), object)
}

pub(crate) fn told(_: &str, kind: VerdictKind) -> VerdictKind {
    kind.allowed_or_denied()
}

/// An allowance is silence there, which leaves the host's own approval in force.
pub(crate) fn answer(event: &str, verdict: &Verdict) -> HookAnswer {
    match verdict.kind {
        VerdictKind::Allow => HookAnswer::said(String::from("{}")),
        _ if event == "PermissionRequest" => {
            let decision = json!({ "behavior": "deny", "message": verdict.text_of_denial() });
            let specific = json!({ "hookEventName": "PermissionRequest", "decision": decision });
            HookAnswer::said(json!({ "hookSpecificOutput": specific }).to_string())
        }
        _ => {
            let specific = json!({
                "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": verdict.text_of_denial(),
            });
            HookAnswer::said(json!({ "hookSpecificOutput": specific }).to_string())
        }
    }
}

pub(crate) fn settings() -> HookSettings {
    HookSettings {
        path: ".codex/hooks.json",
        merge,
        note: "Codex runs hooks of a project only once you trust it: start it there and review them with `/hooks`",
    }
}

fn merge(mut settings: Object, hook: &Hook<'_>) -> Object {
    for event in ["PreToolUse", "PostToolUse"] {
        let entry = json!({ "type": "command", "command": entries::line(hook), "timeout": 10 });
        entries::put(&mut settings, event, json!({ "hooks": [entry] }));
    }
    settings
}
