//! What a host's event says, in the words of all hosts.

use serde_json::Value as Json;
use thiserror::Error;

use crate::Host;
use crate::json::Object;

/// The largest event that is read, in bytes.
pub const LARGEST: usize = 4 << 20;

/// Why an event can't be decided.
#[derive(Debug, Error)]
pub enum EventError {
    /// It is not JSON, or no object.
    #[error("the event is not a JSON object: {0}")]
    NotJson(String),
    /// It is too large.
    #[error("the event has more than {LARGEST} bytes")]
    TooLarge,
    /// No host sends events like this.
    #[error("the event is of no known host; name it with --host")]
    UnknownHost,
    /// A member is missing or of another type.
    #[error("the event of {host} has no `{member}`: expected {expected}")]
    Missing {
        /// The host.
        host: Host,
        /// The member.
        member: &'static str,
        /// What it should be.
        expected: &'static str,
    },
}

/// Where in the life of a call the event stands.
#[derive(Clone, Debug, PartialEq)]
pub enum Phase {
    /// The tool is about to run: the host waits for a verdict.
    Before,
    /// The host is about to ask its user, and takes a verdict in place of an answer.
    Permission,
    /// The tool has run.
    After(ToolOutcome),
    /// The session is over.
    End,
    /// Anything else, which needs no verdict.
    Other,
}

/// How a tool ran.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolOutcome {
    /// Whether it succeeded, as far as the host says.
    pub ok: bool,
    /// How long it took, in milliseconds, where the host says so.
    pub took: Option<i64>,
}

/// A tool call.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The host's number for it, where it has one.
    pub id: Option<String>,
    /// The tool in the gate's words: `shell`, `read`, `write`, `edit`, …; else the host's own name.
    pub tool: String,
    /// The host's own name for the tool.
    pub own_tool: String,
    /// The arguments in the gate's words, by name.
    pub input: Object,
}

/// An event of any host.
#[derive(Clone, Debug, PartialEq)]
pub struct HookEvent {
    /// The host.
    pub host: Host,
    /// What the host calls the event.
    pub name: String,
    /// Where it stands.
    pub phase: Phase,
    /// The session.
    pub session: String,
    /// The agent within it; empty for the main one.
    pub agent: String,
    /// The session's working directory as the host says it, absolute: no agent chooses it.
    pub cwd: String,
    /// The folder that the call happens in, which an agent may choose: the session's, or what the tool is told.
    pub folder: String,
    /// The mode that the user set, as the host calls it; empty where it has none.
    pub mode: String,
    /// The call, where the event is about one.
    pub call: Option<Call>,
}

impl HookEvent {
    /// Whether the host waits for a verdict.
    pub fn is_question(&self) -> bool {
        matches!(self.phase, Phase::Before | Phase::Permission)
    }

    /// Reads an event of a host, or of the host that it shows.
    ///
    /// # Errors
    /// It is too large, no JSON object, or lacks what it must have.
    pub fn read(host: Option<Host>, bytes: &[u8]) -> Result<Self, EventError> {
        if bytes.len() > LARGEST {
            return Err(EventError::TooLarge);
        }
        let read = serde_json::from_slice::<Json>(bytes);
        let object = match read.map_err(|error| EventError::NotJson(error.to_string()))? {
            Json::Object(object) => object,
            _ => return Err(EventError::NotJson(String::from("it is another value"))),
        };
        let host = host.or_else(|| Host::of_event(&object)).ok_or(EventError::UnknownHost)?;
        host.read(&object)
    }
}
