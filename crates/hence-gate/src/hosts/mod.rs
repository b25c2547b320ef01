//! One file a host: how it says what is about to happen, and what it takes for an answer.

pub(crate) mod claude;
pub(crate) mod codex;
pub(crate) mod copilot;
pub(crate) mod cursor;
pub(crate) mod gemini;
pub(crate) mod kiro;

mod entries;

use std::path::Path;

use crate::event::{Call, EventError, HookEvent, Phase, ToolOutcome};
use crate::json::{self, Object};
use crate::{Host, paths, tools};

/// What the events of a host are called, and where their members are.
struct Names {
    host: Host,
    before: &'static [&'static str],
    after: &'static [&'static str],
    failed: &'static [&'static str],
    end: &'static [&'static str],
    session: &'static [&'static str],
    cwd: &'static [&'static str],
    tool: &'static [&'static str],
    input: &'static [&'static str],
    response: &'static str,
}

impl Names {
    /// An event that says all of it in members, the tool and its arguments among them.
    fn read(&self, name: &str, object: &Object) -> Result<HookEvent, EventError> {
        if name.is_empty() {
            return Err(self.missing("hook_event_name", "the name of the event"));
        }
        let phase = self.phase(name, object);
        let call = match phase {
            Phase::End | Phase::Other => None,
            Phase::Before | Phase::Permission | Phase::After(_) => Some(self.call(object)?),
        };
        self.event(name, phase, call, object)
    }

    fn event(
        &self,
        name: &str,
        phase: Phase,
        call: Option<Call>,
        object: &Object,
    ) -> Result<HookEvent, EventError> {
        let cwd = match call {
            Some(_) => self.cwd(object).ok_or_else(|| self.missing("cwd", "an absolute path"))?,
            None => self.cwd(object).unwrap_or_default(),
        };
        Ok(HookEvent {
            host: self.host,
            name: name.to_owned(),
            phase,
            session: json::text(object, self.session).unwrap_or("unnamed").to_owned(),
            agent: json::text(object, &["agent_id", "subagent_id"]).unwrap_or_default().to_owned(),
            folder: folder(&cwd, call.as_ref()),
            cwd,
            mode: json::text(object, &["permission_mode", "mode"]).unwrap_or_default().to_owned(),
            call,
        })
    }

    /// The session's folder: what the host says, where that is in one of the roots that it tells of, else the first of
    /// them. What a tool is told is the agent's choice, and makes nothing a working tree. A call without a place is refused.
    fn cwd(&self, object: &Object) -> Option<String> {
        let roots = object.get("workspace_roots").and_then(serde_json::Value::as_array);
        let roots = roots.into_iter().flatten().filter_map(serde_json::Value::as_str);
        let roots: Vec<&str> = roots.filter(|path| path.starts_with('/')).collect();
        let said = json::text(object, self.cwd).filter(|path| path.starts_with('/'));
        let is_inside = |path: &&str| {
            let path = paths::resolve(Path::new("/"), Path::new(path));
            roots.iter().any(|root| path.starts_with(paths::resolve(Path::new("/"), Path::new(root))))
        };
        let found = match roots.first() {
            Some(root) => said.filter(is_inside).or(Some(*root)),
            None => said,
        };
        found.map(str::to_owned)
    }

    fn phase(&self, name: &str, object: &Object) -> Phase {
        match name {
            "PermissionRequest" | "permissionRequest" => Phase::Permission,
            _ if self.before.contains(&name) => Phase::Before,
            _ if self.failed.contains(&name) => Phase::After(outcome(false, object)),
            _ if self.after.contains(&name) => Phase::After(outcome(self.succeeded(object), object)),
            _ if self.end.contains(&name) => Phase::End,
            _ => Phase::Other,
        }
    }

    /// Whether a response is none of an error, as far as it says.
    fn succeeded(&self, object: &Object) -> bool {
        let Some(response) = json::object(object.get(self.response)) else { return true };
        let says = |name: &str| response.get(name);
        let failed = says("is_error").or_else(|| says("isError")).and_then(serde_json::Value::as_bool);
        let code = says("exit_code").or_else(|| says("exitCode")).and_then(serde_json::Value::as_i64);
        let succeeded = says("success").and_then(serde_json::Value::as_bool);
        let kind = says("resultType").and_then(serde_json::Value::as_str);
        let error = says("error").is_some_and(|error| !error.is_null() && error != "");
        failed != Some(true)
            && code.unwrap_or(0) == 0
            && succeeded != Some(false)
            && !matches!(kind, Some("failure" | "denied"))
            && !error
    }

    fn call(&self, object: &Object) -> Result<Call, EventError> {
        let own =
            json::text(object, self.tool).ok_or_else(|| self.missing("tool_name", "the name of a tool"))?;
        let input = self.input.iter().find_map(|name| json::object(object.get(*name)));
        let absent =
            || self.input.iter().all(|name| object.get(*name).is_none_or(serde_json::Value::is_null));
        let input = match input {
            Some(input) => input,
            None if absent() => Object::new(),
            None => return Err(self.missing("tool_input", "the arguments of the tool, an object")),
        };
        Ok(call(own, input, object))
    }

    fn missing(&self, member: &'static str, expected: &'static str) -> EventError {
        EventError::Missing { host: self.host, member, expected }
    }
}

/// Where a call happens: in the folder that its tool is told, else in the session's.
fn folder(cwd: &str, call: Option<&Call>) -> String {
    let told = call.filter(|call| call.tool == "shell").and_then(|call| call.input.get("cwd")?.as_str());
    match told {
        Some(own) if own.starts_with('/') => own.to_owned(),
        Some(own) => format!("{cwd}/{own}"),
        None => cwd.to_owned(),
    }
}

fn outcome(ok: bool, object: &Object) -> ToolOutcome {
    let took = ["duration_ms", "duration"].iter().find_map(|name| object.get(*name)?.as_f64());
    #[expect(clippy::cast_possible_truncation, reason = "a float casts to the nearest whole number in range")]
    ToolOutcome { ok, took: took.map(|took| took as i64) }
}

/// A call of a tool by the host's name for it.
fn call(own: &str, input: Object, object: &Object) -> Call {
    let tool = tools::named(own);
    Call {
        id: json::text(object, &["tool_use_id", "toolUseId", "toolCallId"]).map(str::to_owned),
        input: tools::arguments(&tool, input),
        tool,
        own_tool: own.to_owned(),
    }
}
