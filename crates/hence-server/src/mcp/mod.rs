//! MCP: the protocol by which agents find and call tools, in two revisions, without state between requests.
//!
//! ```text
//!  a line of standard input ─► Mcp::line ─┐
//!  POST /mcp ─► http ─────────────────────┴► message ─► era ─► tools, resources, review ─► questions to the desk
//! ```
//!
//! `message` reads and writes JSON-RPC, `era` tells which revision a request speaks. `tools` are the questions of the native
//! API under other names, with their schemas in `tools.json`; `resources` is what can be read. `review` has the client ask its
//! user, and `seal` protects what the client brings back. `http` is what the transport adds: headers and statuses.

mod era;
pub(crate) mod http;
mod message;
mod resources;
mod review;
mod seal;
mod tools;

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Map, Value as Json, json};

use super::desk::{self, AsOf, Asked, Desk};
use super::principal::{Auth, Identity, Scope, Shown};
use super::problem::Problem;
use super::question::Question;
use era::Era;
use message::{Fault, Message, Request};
use seal::Seal;

/// How long a client may keep what changes only with hence itself, in milliseconds.
const LASTING: u64 = 300_000;
/// What the client's model is told of the server.
const INSTRUCTIONS: &str = "hence decides by rules and records every decision with its reasons. Ask `decide` before you act; \
    a denial names the rule, the condition that failed and what would help. `hence://schema` lists the relations.";

/// What answers MCP, whatever the transport.
pub struct Mcp {
    desk: Arc<dyn Desk>,
    auth: Auth,
    budget: Duration,
    seal: Seal,
}

/// A line of standard input.
#[derive(Clone, Debug)]
pub struct InputLine {
    /// Who says so.
    pub by: Caller,
    /// Whether the client has shaken hands, as revisions up to 2025-11-25 do.
    pub legacy: bool,
    /// The message.
    pub message: String,
}

/// Who calls on standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Caller {
    /// Whom a token names.
    Token(String),
    /// Whom the command line names: an author, whose answers to reviews do not count.
    Named(String),
}

/// Who asks, and how it is known.
pub(crate) struct Peer {
    pub(crate) by: Identity,
    /// Whether a token or a certificate says so.
    pub(crate) is_vouched: bool,
    /// Whether requests without a version are those of a client that has shaken hands.
    pub(crate) legacy: bool,
}

/// What a method results in.
type Answered = Result<Map<String, Json>, Fault>;

impl Mcp {
    /// What answers with this desk, to these callers, each within `budget`.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn new(desk: Arc<dyn Desk>, auth: Auth, budget: Duration) -> io::Result<Self> {
        Ok(Self { desk, auth, budget, seal: Seal::new()? })
    }

    /// The answer to a line of standard input, where it takes one. This waits.
    pub fn line(&self, said: &InputLine) -> Option<String> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        let answer = match (message::read(said.message.as_bytes()), runtime) {
            (Err(refused), _) => Some(message::failed(refused.id, refused.fault)),
            (Ok(Message::Other), _) => None,
            (Ok(Message::Request(request)), Err(error)) => {
                Some(message::failed(Some(request.id), Fault::internal(&error.to_string())))
            }
            (Ok(Message::Request(request)), Ok(runtime)) => {
                let answered = match self.peer(&said.by, said.legacy) {
                    Ok(peer) => runtime.block_on(self.answer(&peer, &request)),
                    Err(problem) => Err(Fault::invalid(problem.detail)),
                };
                Some(message::reply(request.id, answered))
            }
        };
        answer.map(|answer| answer.to_string())
    }

    fn peer(&self, by: &Caller, legacy: bool) -> Result<Peer, Problem> {
        match by {
            Caller::Token(token) => {
                let by = self.auth.principal(&Shown::token(token))?;
                Ok(Peer { by, is_vouched: true, legacy })
            }
            Caller::Named(name) => {
                let scopes = vec![Scope::Decide, Scope::Read, Scope::Write];
                Ok(Peer { by: Identity { name: name.clone(), scopes }, is_vouched: false, legacy })
            }
        }
    }

    /// The result of a request.
    pub(crate) async fn answer(&self, peer: &Peer, request: &Request) -> Answered {
        let era = era::of(request, peer.legacy)?;
        let is_modern = matches!(era, Era::Modern(_));
        let params = &request.params;
        let (mut result, cache) = match request.method.as_str() {
            "initialize" if !is_modern => (era::initialized(params), None),
            "ping" if !is_modern => (Map::new(), None),
            "server/discover" if is_modern => (era::discovered(), Some((LASTING, "public"))),
            "tools/list" => (tools::list(params)?, Some((LASTING, "public"))),
            "tools/call" => (tools::call(self, peer, &era, params).await?, None),
            "resources/list" => (resources::list(self, peer, params).await?, Some((0, "private"))),
            "resources/templates/list" => (resources::templates(params)?, Some((LASTING, "public"))),
            "resources/read" => (resources::read(self, peer, params).await?, Some((0, "private"))),
            method => return Err(Fault::unknown(method)),
        };
        if is_modern {
            era::finish(&mut result, cache);
        }
        Ok(result)
    }

    /// What the desk answers, within the budget.
    async fn ask(&self, peer: &Peer, question: Question, moment: AsOf) -> Result<Map<String, Json>, Problem> {
        let until = Instant::now() + self.budget;
        let asked = Asked { question, by: peer.by.clone(), until, moment };
        match desk::ask(&*self.desk, asked, self.budget).await? {
            Json::Object(fields) => Ok(fields),
            _ => Err(Problem::new(500, "an answer is an object")),
        }
    }
}

/// Who answers.
fn server_info() -> Json {
    json!({ "name": "hence", "title": "hence", "version": env!("CARGO_PKG_VERSION") })
}

/// Refuses a page that there isn't: lists are given whole.
fn refuse_cursor(params: &Map<String, Json>) -> Result<(), Fault> {
    match params.get("cursor") {
        None | Some(Json::Null) => Ok(()),
        Some(_) => Err(Fault::params("`cursor`: unknown; lists have one page")),
    }
}
