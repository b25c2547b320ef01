//! GitHub Copilot: `preToolUse` with `toolName` and `toolArgs`; the answer is `permissionDecision`.

use serde_json::json;

use super::{Names, entries};
use crate::answer::{HookAnswer, Verdict, VerdictKind};
use crate::event::{EventError, HookEvent};
use crate::host::{Hook, HookSettings, Host};
use crate::json::{self, Object};

const NAMES: Names = Names {
    host: Host::Copilot,
    before: &["preToolUse", "PreToolUse", "onPreToolUse"],
    after: &["postToolUse", "PostToolUse", "onPostToolUse"],
    failed: &["postToolUseFailure", "PostToolUseFailure"],
    end: &["sessionEnd", "SessionEnd"],
    session: &["sessionId", "session_id"],
    cwd: &["workingDirectory", "cwd"],
    tool: &["toolName", "tool_name"],
    input: &["toolArgs", "tool_input"],
    response: "toolResult",
};

/// Its events carry no name in the plain form: what they hold tells them.
pub(crate) fn read(object: &Object) -> Result<HookEvent, EventError> {
    let named = json::text(object, &["hook_event_name", "hookEventName"]);
    let name = named.unwrap_or(match () {
        () if object.contains_key("toolResult") => "postToolUse",
        () if object.contains_key("toolName") && object.contains_key("error") => "postToolUseFailure",
        () if object.contains_key("toolName") => "preToolUse",
        () if object.contains_key("reason") => "sessionEnd",
        () => "",
    });
    NAMES.read(name, object)
}

pub(crate) fn told(_: &str, kind: VerdictKind) -> VerdictKind {
    if kind == VerdictKind::Ask { kind } else { kind.allowed_or_denied() }
}

pub(crate) fn answer(event: &str, verdict: &Verdict) -> HookAnswer {
    let decision = told(event, verdict.kind).word();
    let said = json!({ "permissionDecision": decision, "permissionDecisionReason": verdict.text() });
    HookAnswer::said(said.to_string())
}

pub(crate) fn settings() -> HookSettings {
    HookSettings { path: ".github/hooks/hence-gate.json", merge, note: "" }
}

fn merge(mut settings: Object, hook: &Hook<'_>) -> Object {
    settings.entry("version").or_insert(json!(1));
    for event in ["preToolUse", "postToolUse", "postToolUseFailure", "sessionEnd"] {
        let entry = json!({ "type": "command", "bash": entries::line(hook), "timeoutSec": 10 });
        entries::put(&mut settings, event, entry);
    }
    settings
}
