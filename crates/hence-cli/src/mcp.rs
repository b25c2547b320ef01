//! `hence mcp`: the tools of hence over standard input and output, answered by the owner of the ledger.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use hence_runtime::owner::Start;
use hence_server::{Caller, InputLine};
use serde_json::{Map, Value as Json};

use super::messages::{self, Line, failed};
use super::{DONE, Outcome, config, owner, terminal};

/// How many bytes a message may have.
pub(super) const LARGEST: usize = 1 << 20;
/// How long the owner may take to start.
const STARTING: Duration = Duration::from_secs(10);
/// How long it may take to answer; it has a budget of its own.
const PATIENCE: Duration = Duration::from_secs(60);
/// Who asks where nobody says.
const AGENT: &str = "agent";
/// The variable that holds the token of whoever asks.
const TOKEN: &str = "HENCE_TOKEN";

/// Serve the tools of hence to an agent, by MCP over standard input and output
///
/// The owner of the ledger answers; where none runs, one is started, which ends after half an hour without work. Facts are
/// recorded with the author that `--as` names, or whom the token in HENCE_TOKEN names. Answers to reviews count only with a
/// token. `hence serve` answers the same at `/mcp` over HTTP.
#[derive(Debug, Args)]
#[command(after_help = "Example: hence mcp --as agent-7")]
pub(super) struct McpServer {
    /// The ledger's folder [default: .hence]
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
    /// The author of what is recorded [default: agent]
    #[arg(long = "as", value_name = "NAME", env = "HENCE_AUTHOR")]
    author: Option<String>,
}

impl McpServer {
    pub(super) fn run(self) -> Outcome {
        let store = self.store.unwrap_or_else(|| config::get().store());
        let token = std::env::var(TOKEN).ok().filter(|token| !token.is_empty());
        let by = match (token, self.author) {
            (Some(token), _) => Caller::Token(token),
            (None, author) => Caller::Named(author.unwrap_or_else(|| String::from(AGENT))),
        };
        if let Caller::Named(name) = &by {
            config::named(name)?;
        }
        let mut legacy = false;
        let (mut input, mut out) = (io::stdin().lock(), terminal::json());
        while let Some(line) = messages::next(&mut input, LARGEST)? {
            if let Some(answer) = answer(&store, &by, &mut legacy, line) {
                writeln!(out, "{answer}")?;
                out.flush()?;
            }
        }
        Ok(DONE)
    }
}

/// The answer to a line, where it takes one.
fn answer(store: &Path, by: &Caller, legacy: &mut bool, line: Line) -> Option<String> {
    let bytes = match line {
        Line::TooLong => {
            return Some(
                failed(None, -32600, &format!("the message has more than {LARGEST} bytes")).to_string(),
            );
        }
        Line::Whole(bytes) => bytes,
    };
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return None;
    }
    let Ok(message) = String::from_utf8(bytes) else {
        return Some(failed(None, -32700, "the message is not UTF-8").to_string());
    };
    let fields: Option<Map<String, Json>> = serde_json::from_str(&message).ok();
    let member = |name: &str| fields.as_ref().and_then(|fields| fields.get(name));
    *legacy |= member("method").and_then(Json::as_str) == Some("initialize");
    let said = InputLine { by: by.clone(), legacy: *legacy, message };
    match asked(store, &said) {
        Ok(answer) => answer,
        Err(error) => {
            let id =
                member("id").filter(|id| member("method").is_some() && (id.is_string() || id.is_number()));
            id.map(|id| failed(Some(id), -32603, &error.to_string()).to_string())
        }
    }
}

/// What the owner answers; one is started where none runs.
fn asked(store: &Path, said: &InputLine) -> io::Result<Option<String>> {
    let now = Instant::now();
    let start = Start { program: std::env::current_exe()?, store, otherwise: &[] };
    start.asked(now + STARTING, || owner::speak(store, said, now + PATIENCE))
}
