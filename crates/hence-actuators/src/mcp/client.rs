//! A client of MCP that asks a server which tools it has: JSON-RPC over HTTP, or over the streams of a program.

use std::time::Instant;

use serde_json::{Value as Json, json};

use super::super::carry::{Failed, Fate};
use super::super::http::Request;
use super::super::mcp_settings::McpSettings;
use super::stdio::Program;
use super::{Server, words};

/// The revision of the protocol that is spoken.
const REVISION: &str = "2025-06-18";
/// How many pages of tools are asked for, and how many tools a server may have.
const PAGES: usize = 20;
const MOST: usize = 1_000;
/// The longest name of a tool.
const LONGEST: usize = 128;

/// A tool of a server.
pub(super) struct Tool {
    pub(super) name: String,
    pub(super) description: String,
}

/// Carries messages to a server.
enum Wire {
    Http { url: String, session: Option<String>, end: Instant },
    Program(Program),
}

/// The tools of a server.
pub(super) fn tools(settings: &McpSettings, server: &Server, end: Instant) -> Result<Vec<Tool>, Failed> {
    let told = |failed: Failed| Failed {
        message: format!("the server `{}` did not tell its tools: {}", server.name, failed.message),
        ..failed
    };
    let wire = match server.transport.as_str() {
        "/http" => Wire::Http { url: server.at.clone(), session: None, end },
        _ => Wire::Program(Program::start(&words(&server.at)?, &settings.env, end).map_err(told)?),
    };
    ask(wire).map_err(told)
}

fn ask(mut wire: Wire) -> Result<Vec<Tool>, Failed> {
    let client = json!({ "name": "hence", "version": env!("CARGO_PKG_VERSION") });
    let hello = json!({ "protocolVersion": REVISION, "capabilities": {}, "clientInfo": client });
    wire.call(1, "initialize", &hello)?;
    wire.tell("notifications/initialized")?;
    let (mut tools, mut cursor) = (Vec::new(), None);
    for page in 0..PAGES {
        let params = match &cursor {
            Some(cursor) => json!({ "cursor": cursor }),
            None => json!({}),
        };
        let result = wire.call(2 + page as u64, "tools/list", &params)?;
        let listed = result.get("tools").and_then(Json::as_array);
        let listed = listed.ok_or_else(|| undone("its answer has no `tools`"))?;
        tools.extend(listed.iter().filter_map(tool));
        if tools.len() > MOST {
            return Err(undone(&format!("it has more than {MOST} tools")));
        }
        cursor = result.get("nextCursor").and_then(Json::as_str).map(str::to_owned);
        if cursor.is_none() {
            break;
        }
    }
    Ok(tools)
}

fn tool(json: &Json) -> Option<Tool> {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || "._-/".contains(letter);
    let name = json.get("name")?.as_str()?;
    let is_name = !name.is_empty() && name.len() <= LONGEST && name.chars().all(fits);
    let description = json.get("description").and_then(Json::as_str).unwrap_or_default().to_owned();
    is_name.then(|| Tool { name: name.to_owned(), description })
}

impl Wire {
    /// Asks, and waits for the answer.
    fn call(&mut self, id: u64, method: &str, params: &Json) -> Result<Json, Failed> {
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        let answer = match self {
            Self::Http { .. } => {
                let text = self.post(&message)?;
                events(&text).into_iter().find(|answer| answer.get("id") == Some(&json!(id)))
            }
            Self::Program(program) => {
                program.say(&message)?;
                program.hear(id)?
            }
        };
        let answer = answer.ok_or_else(|| undone(&format!("no answer to `{method}`")))?;
        match (answer.get("result"), answer.get("error")) {
            (Some(result), None) => Ok(result.clone()),
            (_, Some(error)) => {
                let why = error.get("message").and_then(Json::as_str).unwrap_or("an error without a message");
                Err(undone(&format!("`{method}`: {why}")))
            }
            (None, None) => Err(undone(&format!("`{method}`: neither a result nor an error"))),
        }
    }

    fn tell(&mut self, method: &str) -> Result<(), Failed> {
        let message = json!({ "jsonrpc": "2.0", "method": method });
        match self {
            Self::Http { .. } => self.post(&message).map(drop),
            Self::Program(program) => program.say(&message),
        }
    }

    fn post(&mut self, message: &Json) -> Result<String, Failed> {
        let Self::Http { url, session, end } = self else { return Err(undone("it is no server of HTTP")) };
        let mut headers = vec![
            ("Accept", String::from("application/json, text/event-stream")),
            ("MCP-Protocol-Version", String::from(REVISION)),
        ];
        headers.extend(session.iter().map(|session| ("Mcp-Session-Id", session.clone())));
        let time_limit = end.saturating_duration_since(Instant::now());
        if time_limit.is_zero() {
            return Err(undone("it took too long"));
        }
        let request = Request { url: url.clone(), headers, body: Some(message.to_string()), time_limit };
        let answer = request.send()?;
        answer.check()?;
        if let Some(given) = &answer.session {
            *session = Some(given.clone());
        }
        answer.text.map_err(|why| undone(&why))
    }
}

/// The messages of an answer: one of JSON, or the data of a stream of events.
fn events(text: &str) -> Vec<Json> {
    if let Ok(json) = serde_json::from_str(text) {
        return vec![json];
    }
    let data = text.lines().filter_map(|line| line.strip_prefix("data:"));
    data.filter_map(|data| serde_json::from_str(data.trim()).ok()).collect()
}

pub(super) fn undone(why: &str) -> Failed {
    Failed::new(Fate::Undone, why)
}
