//! `hence mcp-gate`: stands between a client and a server of tools, and lets through what the gate's rules allow.
//!
//! ```text
//!  client ─► a line ─► known? ─► a tool: asked about ─► server
//!  client ◄─ a denial, as the tool's result ◄┘            │
//!  client ◄─ a line ◄─ recorded, where it ends a tool ◄───┘
//! ```

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::io::Write;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError};
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use hence_core::fault::{self, Fault};
use hence_core::unique;
use hence_gate::{HookAnswer, Host, file_of_uri};
use serde_json::{Map, Value as Json, json};

use super::super::messages::{Line, failed};
use super::super::terminal::Out;
use super::super::{DONE, Failure, NO, Outcome, output, terminal, time};
use super::calls::refused;
use super::child::{Came, ENDING, begin, finish};
use super::hook::{self, HookOptions};
use super::numbers;

/// How long a verdict may take, the start of an owner included.
const PATIENCE: Duration = Duration::from_secs(5);
/// How many letters of a number or a method are said again.
const SHOWN: usize = 100;
/// What a client may ask beside tools.
const REQUESTS: [&str; 13] = [
    "initialize",
    "server/discover",
    "ping",
    "tools/list",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "resources/subscribe",
    "resources/unsubscribe",
    "subscriptions/listen",
    "prompts/list",
    "prompts/get",
    "completion/complete",
];
/// What it may tell.
const NOTIFICATIONS: [&str; 4] = [
    "notifications/initialized",
    "notifications/cancelled",
    "notifications/progress",
    "notifications/roots/list_changed",
];
/// What a server may tell.
const TOLD_BACK: [&str; 10] = [
    "notifications/cancelled",
    "notifications/progress",
    "notifications/message",
    "notifications/resources/updated",
    "notifications/resources/list_changed",
    "notifications/tools/list_changed",
    "notifications/prompts/list_changed",
    "notifications/subscriptions/acknowledged",
    "notifications/elicitation/complete",
    "notifications/tasks/status",
];
/// What a server may ask of its client.
const ASKED_BACK: [&str; 4] = ["ping", "sampling/createMessage", "elicitation/create", "roots/list"];

/// Stand between an MCP client and a server of tools: each call of a tool is decided by the gate's rules
///
/// The server runs as a process of this one. What is allowed goes through; a denial is the result of the tool, an error whose
/// text says why and what to do. Unknown methods are denied. Whatever goes wrong denies.
#[derive(Debug, Args)]
#[command(
    after_help = "Example: hence mcp-gate --server files -- npx -y @modelcontextprotocol/server-filesystem ."
)]
pub(crate) struct McpGate {
    /// The ledger's folder [default: .hence]
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
    /// What rules call the server: its tools are `mcp/NAME/TOOL` [default: the name of the command]
    #[arg(long, value_name = "NAME", value_parser = server_name)]
    server: Option<String>,
    /// Decide and record, and block nothing
    #[arg(long)]
    shadow: bool,
    /// The command of the server, with its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND")]
    command: Vec<String>,
}

/// Reads a name that tools can be called by.
fn server_name(text: &str) -> Result<String, String> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    match !text.is_empty()
        && text.len() <= 64
        && text.chars().all(is_plain)
        && !format!("{text}_").contains("__")
    {
        true => Ok(text.to_owned()),
        false => {
            Err(format!("expected letters, digits and `-_.`, no `__` and no `_` at the end, found `{text}`"))
        }
    }
}

/// A request that the server has not answered.
struct Open {
    id: Json,
    /// The event of the tool, where it is one.
    tool: Option<Map<String, Json>>,
}

/// What stands between.
struct Between {
    options: HookOptions,
    server: String,
    session: String,
    cwd: String,
    calls: u64,
    /// None once the client has said all.
    to_server: Option<SyncSender<Vec<u8>>>,
    out: Out,
    open: HashMap<String, Open>,
    /// What the server has asked its client.
    asked_back: HashSet<String>,
}

impl McpGate {
    pub(crate) fn run(self) -> Outcome {
        let server = match self.server {
            Some(server) => server,
            None => named_by(&self.command)?,
        };
        let (mut child, came, to_server) = begin(&self.command)?;
        let session = format!("mcp-{server}-{}-{}", std::process::id(), time::wall_clock());
        let options =
            HookOptions { host: hook::Told(Some(Host::Claude)), store: self.store, shadow: self.shadow };
        let mut between = Between {
            options,
            server,
            session,
            cwd: std::env::current_dir()?.display().to_string(),
            calls: 0,
            to_server: Some(to_server),
            out: terminal::json(),
            open: HashMap::new(),
            asked_back: HashSet::new(),
        };
        let ended = between.pass(&came);
        between.end();
        drop(between);
        let is_over = finish(&mut child)?;
        match ended? {
            Came::ServerEnd if !is_over => Ok(NO),
            Came::ServerEnd => {
                output::error("the server ended before its client");
                Ok(NO)
            }
            _ => Ok(DONE),
        }
    }
}

/// What the server is called where nobody says.
fn named_by(command: &[String]) -> Result<String, Failure> {
    let program = command.first().map(PathBuf::from).unwrap_or_default();
    let name = program.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    server_name(&name).map_err(|why| Failure::Usage(format!("name the server with --server: {why}")))
}

impl Between {
    /// Passes messages until one side ends; which one. A client that has said all is still answered.
    fn pass(&mut self, came: &Receiver<Came>) -> Result<Came, Failure> {
        let mut until: Option<Instant> = None;
        loop {
            let next = match until {
                None => came.recv().ok(),
                Some(_) if self.open.is_empty() => None,
                Some(end) => came.recv_timeout(end.saturating_duration_since(Instant::now())).ok(),
            };
            match next {
                Some(Came::Client(line)) => {
                    if !self.take_from_client(line)? {
                        return Ok(Came::ServerEnd);
                    }
                }
                Some(Came::Server(line)) => self.take_from_server(line)?,
                Some(Came::ClientEnd) => {
                    self.to_server = None;
                    until = Some(Instant::now() + ENDING);
                }
                Some(Came::ServerEnd) | None if until.is_some() => return Ok(Came::ClientEnd),
                Some(Came::ServerEnd) | None => return Ok(Came::ServerEnd),
            }
        }
    }

    /// Answers or forwards a message of the client; whether the server still reads.
    fn take_from_client(&mut self, line: Line) -> Result<bool, Failure> {
        let changed = match &line {
            Line::Whole(bytes) => numbers::changed(bytes),
            Line::TooLong => None,
        };
        let fields = match parsed(&line) {
            Ok(None) => return Ok(true),
            Ok(Some(Json::Object(fields))) => fields,
            Ok(Some(_)) => return self.fail(None, -32600, "expected one message, an object").map(|()| true),
            Err(why) => return self.fail(None, -32700, &why).map(|()| true),
        };
        let id = fields.get("id").filter(|id| id.is_string() || id.is_i64() || id.is_u64()).cloned();
        let as_it_came = || whole(&line).unwrap_or_else(|| Json::Object(fields.clone()).to_string());
        let Some(method) = fields.get("method") else {
            let key = id.map(|id| id.to_string());
            // A response that nobody waits for goes nowhere.
            let is_awaited = key.is_some_and(|key| self.asked_back.remove(&key));
            return Ok(!is_awaited || self.forward(&as_it_came()));
        };
        let method = method.as_str().unwrap_or_default().to_owned();
        let Some(id) = id else {
            if fields.contains_key("id") {
                return self.fail(None, -32600, "`id`: expected a whole number or a string").map(|()| true);
            }
            // What needs an answer and wants none is not for anybody.
            return Ok(!NOTIFICATIONS.contains(&method.as_str()) || self.forward(&as_it_came()));
        };
        let key = id.to_string();
        if self.open.contains_key(&key) {
            return self
                .fail(Some(&id), -32600, "`id`: a request of this id is not answered yet")
                .map(|()| true);
        }
        if let Some(number) = changed {
            let number: String = number.chars().take(SHOWN).collect();
            let why = format!(
                "the number `{number}` can't be passed on as it is; expected one that a float of 64 bits or an integer \
                 of 64 bits holds, or a string"
            );
            return self.fail(Some(&id), -32602, &why).map(|()| true);
        }
        let tool = match self.event(&method, &fields) {
            Err(why) => return self.fail(Some(&id), -32602, &why).map(|()| true),
            Ok(tool) => tool,
        };
        if tool.is_none() && !REQUESTS.contains(&method.as_str()) {
            let method: String = method.chars().take(SHOWN).collect();
            let why = format!("the gate lets no unknown method through: `{method}`");
            return self.fail(Some(&id), -32601, &why).map(|()| true);
        }
        if let Some(event) = &tool
            && let Err(why) = self.allows(event)
        {
            return self.deny(&id, &method, &fields, &why).map(|()| true);
        }
        self.open.insert(key, Open { id, tool });
        // As it was read here, so that nobody reads it otherwise.
        Ok(self.forward(&Json::Object(fields)))
    }

    /// The event of a call that rules decide on: of a tool, or of a file that is read as a resource.
    fn event(
        &mut self,
        method: &str,
        fields: &Map<String, Json>,
    ) -> Result<Option<Map<String, Json>>, String> {
        let params = fields.get("params").and_then(Json::as_object);
        let text = |name: &str| params.and_then(|params| params.get(name)?.as_str());
        let (tool, input) = match method {
            "tools/call" => {
                let name = text("name").ok_or("`name`: expected the name of a tool")?;
                let input = match params.and_then(|params| params.get("arguments")) {
                    None | Some(Json::Null) => json!({}),
                    Some(Json::Object(arguments)) => Json::Object(arguments.clone()),
                    Some(_) => return Err(String::from("`arguments`: expected an object")),
                };
                (format!("mcp__{}__{name}", self.server), input)
            }
            "resources/read" => {
                let uri = text("uri").ok_or("`uri`: expected a string")?;
                match file_of_uri(uri)? {
                    Some(path) => (String::from("Read"), json!({ "file_path": path })),
                    None => return Ok(None),
                }
            }
            _ => return Ok(None),
        };
        self.calls += 1;
        let event = json!({
            "hook_event_name": "PreToolUse", "session_id": self.session, "cwd": self.cwd, "transcript_path": "",
            "permission_mode": "default", "tool_name": tool, "tool_input": input,
            "tool_use_id": format!("{}-{}", self.session, self.calls),
        });
        match event {
            Json::Object(event) => Ok(Some(event)),
            _ => Err(String::from("an event is an object")),
        }
    }

    /// What the gate answers to an event; whatever goes wrong is a denial.
    fn ask(&self, event: &Map<String, Json>) -> HookAnswer {
        let bytes = Json::Object(event.clone()).to_string();
        let end = Instant::now() + PATIENCE;
        let answer = || Ok::<_, Fault>(hook::of_bytes(&self.options, bytes.as_bytes(), end));
        fault::caught(answer).unwrap_or_else(|fault| refused(Some(Host::Claude), "", &fault.to_string()))
    }

    /// Whether a call may go through; why it may not.
    fn allows(&self, event: &Map<String, Json>) -> Result<(), String> {
        let HookAnswer { output, error, status } = self.ask(event);
        if self.options.shadow {
            error.iter().for_each(|error| output::warning(error));
            return Ok(());
        }
        let said: Option<Json> = output.and_then(|output| serde_json::from_str(&output).ok());
        let specific = said.as_ref().and_then(|said| said.get("hookSpecificOutput"));
        let member = |name: &str| specific.and_then(|specific| specific.get(name)?.as_str());
        let reason = member("permissionDecisionReason").map(str::to_owned).or(error);
        let reason = reason.unwrap_or_else(|| String::from("the gate gave no verdict"));
        match member("permissionDecision") {
            Some("allow") if status == 0 => Ok(()),
            Some("ask") => {
                let id = event.get("tool_use_id").and_then(Json::as_str).unwrap_or_default();
                Err(format!("{reason} A reviewer lifts it with `hence gate approve {id}`; then call again."))
            }
            _ => Err(reason),
        }
    }

    /// Answers a call that may not go through: a tool's result is read by the model, an error by the client.
    fn deny(
        &mut self,
        id: &Json,
        method: &str,
        fields: &Map<String, Json>,
        why: &str,
    ) -> Result<(), Failure> {
        if method != "tools/call" {
            return self.fail(Some(id), -32603, why);
        }
        let meta = fields.get("params").and_then(|params| params.get("_meta"));
        let is_modern =
            meta.is_some_and(|meta| meta.get("io.modelcontextprotocol/protocolVersion").is_some());
        let mut result = Map::new();
        if is_modern {
            result.insert(String::from("resultType"), json!("complete"));
        }
        result.insert(String::from("content"), json!([{ "type": "text", "text": why }]));
        result.insert(String::from("isError"), json!(true));
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "result": result }))
    }

    /// Hands a message of the server on to the client; what ends a tool is recorded first.
    fn take_from_server(&mut self, line: Line) -> Result<(), Failure> {
        let messages = match parsed(&line) {
            Ok(Some(Json::Array(messages))) => messages,
            Ok(Some(message)) => vec![message],
            Ok(None) => return Ok(()),
            Err(why) => {
                output::warning(&format!("a line of the server is left out: {why}"));
                return Ok(());
            }
        };
        let whole = whole(&line);
        for message in messages {
            let Json::Object(fields) = message else { continue };
            self.one_from_server(fields, whole.as_deref())?;
        }
        Ok(())
    }

    /// The same of one message, and of the line that it is where it goes on as it came.
    fn one_from_server(&mut self, fields: Map<String, Json>, whole: Option<&str>) -> Result<(), Failure> {
        let key = fields.get("id").filter(|id| !id.is_null()).map(Json::to_string);
        let method = fields.get("method").map(|method| method.as_str().unwrap_or_default());
        match (method, key) {
            (Some(method), None) if TOLD_BACK.contains(&method) && !fields.contains_key("id") => {}
            (Some(method), Some(key)) if ASKED_BACK.contains(&method) => drop(self.asked_back.insert(key)),
            (Some(_), Some(_)) => {
                self.forward(&failed(fields.get("id"), -32601, "the gate lets no unknown method through"));
                return Ok(());
            }
            (None, Some(key)) => match self.open.remove(&key) {
                Some(Open { tool: Some(event), .. }) => self.record(event, &fields),
                Some(_) => {}
                // An answer to nothing that went through.
                None => return Ok(()),
            },
            // An error about what can't be read.
            (None, None) if fields.contains_key("error") => {}
            (_, None) => return Ok(()),
        }
        match whole {
            Some(line) => self.say(&line),
            None => self.say(&Json::Object(fields)),
        }
    }

    /// Takes down that a tool has run, and how.
    fn record(&self, mut event: Map<String, Json>, answer: &Map<String, Json>) {
        let result = answer.get("result");
        let failed = result.is_none_or(|result| result.get("isError") == Some(&json!(true)));
        event.insert(String::from("hook_event_name"), json!("PostToolUse"));
        event.insert(String::from("tool_response"), json!({ "is_error": failed }));
        let HookAnswer { error, .. } = self.ask(&event);
        error.iter().for_each(|error| output::warning(error));
    }

    /// Ends the session, and answers what nobody answers any more.
    fn end(&mut self) {
        for (_, Open { id, .. }) in std::mem::take(&mut self.open) {
            // A client that is gone needs no answer.
            let _ = self.fail(Some(&id), -32603, "the server ended before it answered");
        }
        let event = json!({ "hook_event_name": "SessionEnd", "session_id": self.session, "cwd": self.cwd });
        if let (Json::Object(event), true) = (event, self.calls > 0) {
            self.ask(&event);
        }
    }

    /// Tells the server; whether it still reads.
    fn forward(&self, message: &impl fmt::Display) -> bool {
        let mut line = message.to_string().into_bytes();
        line.push(b'\n');
        let Some(to_server) = &self.to_server else { return false };
        let end = Instant::now() + ENDING;
        loop {
            line = match to_server.try_send(line) {
                Ok(()) => return true,
                Err(TrySendError::Disconnected(_)) => return false,
                Err(TrySendError::Full(_)) if Instant::now() >= end => return false,
                Err(TrySendError::Full(line)) => line,
            };
            thread::sleep(Duration::from_millis(1));
        }
    }

    fn fail(&mut self, id: Option<&Json>, code: i64, message: &str) -> Result<(), Failure> {
        self.say(&failed(id, code, message))
    }

    fn say(&mut self, message: &impl fmt::Display) -> Result<(), Failure> {
        writeln!(self.out, "{message}")?;
        Ok(self.out.flush()?)
    }
}

/// A message that can be read in one way only, which goes on as it came where nothing of it is judged: numbers in it may be
/// larger than are read here.
fn whole(line: &Line) -> Option<String> {
    let Line::Whole(bytes) = line else { return None };
    unique::parse(bytes).ok().filter(Json::is_object)?;
    Some(String::from_utf8(bytes.clone()).ok()?.trim().to_owned())
}

/// A line as JSON; nothing where it is empty.
fn parsed(line: &Line) -> Result<Option<Json>, String> {
    let bytes = match line {
        Line::TooLong => return Err(String::from("the message is too long")),
        Line::Whole(bytes) => bytes,
    };
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Ok(None);
    }
    serde_json::from_slice(bytes).map(Some).map_err(|error| format!("the message is not JSON: {error}"))
}
