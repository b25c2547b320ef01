//! Kiro: `preToolUse` of its command line; a denial is exit status 2 with the reason on standard error.

use serde_json::json;

use super::{Names, entries};
use crate::answer::{HookAnswer, Verdict, VerdictKind};
use crate::event::{EventError, HookEvent};
use crate::host::{Hook, HookSettings, Host};
use crate::json::{self, Object};

const NAMES: Names = Names {
    host: Host::Kiro,
    before: &["preToolUse"],
    after: &["postToolUse"],
    failed: &[],
    end: &[],
    session: &["session_id", "conversation_id"],
    cwd: &["cwd"],
    tool: &["tool_name"],
    input: &["tool_input"],
    response: "tool_response",
};

pub(crate) fn read(object: &Object) -> Result<HookEvent, EventError> {
    NAMES.read(json::text(object, &["hook_event_name"]).unwrap_or_default(), object)
}

pub(crate) fn told(_: &str, kind: VerdictKind) -> VerdictKind {
    kind.allowed_or_denied()
}

pub(crate) fn answer(event: &str, verdict: &Verdict) -> HookAnswer {
    match told(event, verdict.kind) {
        VerdictKind::Allow => HookAnswer::silent(),
        _ => HookAnswer::refused(verdict.text_of_denial()),
    }
}

pub(crate) fn settings() -> HookSettings {
    HookSettings {
        path: ".kiro/agents/gated.json",
        merge,
        note: "the agent of this file is the gated one: start it with `kiro-cli chat --agent gated`",
    }
}

fn merge(mut settings: Object, hook: &Hook<'_>) -> Object {
    settings.entry("name").or_insert(json!("gated"));
    settings.entry("tools").or_insert(json!(["*"]));
    for event in ["preToolUse", "postToolUse"] {
        let entry = json!({ "matcher": "*", "command": entries::line(hook), "timeout_ms": 10_000 });
        entries::put(&mut settings, event, entry);
    }
    settings
}
