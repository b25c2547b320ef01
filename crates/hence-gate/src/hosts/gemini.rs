//! Gemini CLI: `BeforeTool` and `AfterTool`; the answer is `decision` and `reason`.

use serde_json::json;

use super::{Names, entries};
use crate::answer::{HookAnswer, Verdict, VerdictKind};
use crate::event::{EventError, HookEvent};
use crate::host::{Hook, HookSettings, Host};
use crate::json::{self, Object};

const NAMES: Names = Names {
    host: Host::Gemini,
    before: &["BeforeTool"],
    after: &["AfterTool"],
    failed: &[],
    end: &["SessionEnd"],
    session: &["session_id"],
    cwd: &["cwd"],
    tool: &["tool_name"],
    input: &["tool_input"],
    response: "tool_response",
};

pub(crate) fn read(object: &Object) -> Result<HookEvent, EventError> {
    NAMES.read(json::text(object, &["hook_event_name"]).unwrap_or_default(), object)
}

/// Its documentation names `allow` and `deny` alone, so a question becomes a denial.
pub(crate) fn told(_: &str, kind: VerdictKind) -> VerdictKind {
    kind.allowed_or_denied()
}

pub(crate) fn answer(event: &str, verdict: &Verdict) -> HookAnswer {
    let decision = told(event, verdict.kind).word();
    HookAnswer::said(json!({ "decision": decision, "reason": verdict.text_of_denial() }).to_string())
}

pub(crate) fn settings() -> HookSettings {
    HookSettings { path: ".gemini/settings.json", merge, note: "" }
}

fn merge(mut settings: Object, hook: &Hook<'_>) -> Object {
    for event in ["BeforeTool", "AfterTool", "SessionEnd"] {
        let entry = json!({
            "type": "command", "name": "hence-gate", "command": entries::line(hook), "timeout": 10_000,
        });
        entries::put(&mut settings, event, json!({ "hooks": [entry] }));
    }
    settings
}
