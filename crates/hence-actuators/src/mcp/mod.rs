//! `mcp`: servers of tools are found in registries, and connected once a reviewer approves.

mod client;
mod file;
mod registry;
mod stdio;

use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use ureq::http::Uri;

use hence_core::value::Value;

use super::carry::{Carrier, Failed, Fate, Order, Report};
use super::mcp_settings::{McpSettings, NAME};

/// No search and no connection takes longer, whatever settings say.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);
/// How much of a description is kept, in characters.
const KEPT: usize = 500;

/// Carries out what the rules for servers decide.
///
/// `search_servers` looks for a capability in registries, and states the entries that fit best (`mcp_server`, `mcp_match`).
/// `connect_server` puts a server into the file of servers, as it was when a reviewer approved it, and asks it for its tools
/// (`server_tool`), if it may be reached.
pub struct McpActuator {
    /// What it may do.
    pub settings: McpSettings,
}

/// A server, as facts tell it.
struct Server {
    name: String,
    transport: String,
    at: String,
}

impl Carrier for McpActuator {
    fn name(&self) -> &'static str {
        NAME
    }

    fn carry_out(&self, order: &Order<'_>) -> Result<Report, Failed> {
        let end = Instant::now() + self.settings.time_limit.min(LONGEST);
        let lines = match order.decision.relation.as_str() {
            "search_servers" => self.search(order, end),
            "connect_server" => self.connect(order, end),
            other => {
                Err(Failed::new(Fate::Refused, format!("`{other}` is none of the decisions about servers")))
            }
        }?;
        Ok(Report { lines, ..Report::default() })
    }
}

impl McpActuator {
    fn search(&self, order: &Order<'_>, end: Instant) -> Result<String, Failed> {
        let (gap, capability) = (text(order, "gap")?, text(order, "capability")?);
        let mut lines = String::new();
        for (entry, score) in registry::search(&self.settings, &capability, end)? {
            lines.push_str(&line(
                "mcp_server",
                &json!({
                    "server": entry.name, "description": cut(&entry.description), "transport": entry.transport,
                    "at": entry.at, "auth": entry.auth.join(", "),
                }),
            ));
            lines.push_str(&line("mcp_match", &json!({ "gap": gap, "server": entry.name, "score": score })));
        }
        lines.push_str(&line("servers_searched", &json!({ "gap": gap, "capability": capability })));
        Ok(lines)
    }

    fn connect(&self, order: &Order<'_>, end: Instant) -> Result<String, Failed> {
        let server = server(order)?;
        file::put(&self.settings.servers, &server)?;
        let may = match server.transport.as_str() {
            "/http" => self.settings.hosts.iter().any(|host| Some(host) == host_of(&server.at).as_ref()),
            _ => words(&server.at)?.first().is_some_and(|program| self.settings.programs.contains(program)),
        };
        let mut lines = String::new();
        if may {
            for tool in client::tools(&self.settings, &server, end)? {
                let tool = json!({ "server": server.name, "tool": tool.name, "description": cut(&tool.description) });
                lines.push_str(&line("server_tool", &tool));
            }
        }
        lines.push_str(&line("server_added", &json!({ "server": server.name, "asked": may })));
        Ok(lines)
    }
}

/// The server of a decision, of which one entry is known.
fn server(order: &Order<'_>) -> Result<Server, Failed> {
    let refused = |why: String| Failed::new(Fate::Refused, why);
    let name = text(order, "server")?;
    let rows = order.world.rows("mcp_server").map_err(refused)?.objects();
    let rows: Vec<&Json> =
        rows.iter().filter(|row| row.get("server").and_then(Json::as_str) == Some(&name)).collect();
    let [row] = rows.as_slice() else {
        let message =
            format!("expected one entry for `{name}`, found {}; what is approved must be one", rows.len());
        return Err(refused(message));
    };
    let column = |column: &str| {
        let value = row.get(column).and_then(Json::as_str).map(str::to_owned);
        value.ok_or_else(|| refused(format!("`mcp_server` has no text `{column}`")))
    };
    Ok(Server { name, transport: column("transport")?, at: column("at")? })
}

/// A program with its arguments.
fn words(at: &str) -> Result<Vec<String>, Failed> {
    let refused = || Failed::new(Fate::Refused, format!("`{at}` is no list of a program and its arguments"));
    serde_json::from_str(at).map_err(|_| refused())
}

/// The host of a URL, with its port.
fn host_of(url: &str) -> Option<String> {
    let parsed: Uri = url.parse().ok()?;
    let host = parsed.authority().map(|authority| authority.as_str().to_owned());
    host.filter(|_| parsed.scheme_str() == Some("http"))
}

fn text(order: &Order<'_>, column: &str) -> Result<String, Failed> {
    let message = || format!("`{}` has no text `{column}`", order.decision.relation);
    match order.value(column) {
        Some(Value::String(text)) => Ok(text.as_str().to_owned()),
        _ => Err(Failed::new(Fate::Refused, message())),
    }
}

fn cut(text: &str) -> String {
    text.chars().take(KEPT).collect()
}

/// A fact as a line.
fn line(relation: &str, values: &Json) -> String {
    format!("{}\n", json!({ relation: values }))
}
