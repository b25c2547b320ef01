//! The lines on an owner's socket: JSON, one a line, each with the version of the protocol.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use hence_core::unique;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// The version of the protocol.
pub(super) const VERSION: u64 = 1;
/// What is said only by a hence with a feature, and whether this is one.
const FEATURES: [(&str, &str, bool); 4] = [
    ("gate", "gate", cfg!(feature = "gate")),
    ("judged", "gate", cfg!(feature = "gate")),
    ("mcp", "server", cfg!(feature = "server")),
    ("said", "server", cfg!(feature = "server")),
];
/// How many letters of a name are said again.
const SHOWN: usize = 100;
/// The longest line, in bytes.
const LONGEST: usize = 4096;
/// How a line begins that asks for a verdict, and how long it may be: a host's event is escaped once more in it.
#[cfg(feature = "gate")]
const EVENT: (&[u8], usize) = (br#"{"hence":1,"gate":"#, 2 * hence_gate::LARGEST + 4096);
/// The same of a line with a message of MCP, which is escaped once more in it, and of one with an answer.
#[cfg(feature = "server")]
const MCP: [(&[u8], usize); 2] = [
    (br#"{"hence":1,"mcp":"#, 2 * super::super::mcp::LARGEST + LONGEST),
    (br#"{"hence":1,"said":"#, 32 << 20),
];
/// How many bytes are read at once.
const CHUNK: usize = 16 * 1024;

/// What a client asks.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Wish {
    /// A turn with the ledger.
    Turn {
        /// What it is for.
        command: String,
    },
    /// Who the owner is.
    Status {},
    /// A verdict on an event of a host.
    #[cfg(feature = "gate")]
    Gate {
        /// The host; told by the event where there is none.
        host: Option<String>,
        /// Whether nothing is to be blocked.
        shadow: bool,
        /// The event, as the host sent it.
        event: String,
    },
    /// The answer to a message of MCP.
    #[cfg(feature = "server")]
    Mcp {
        /// The token of whoever asks, where they have one.
        token: Option<String>,
        /// Who asks without.
        name: String,
        /// Whether they have shaken hands.
        legacy: bool,
        /// The message.
        message: String,
    },
}

/// What an owner answers.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Answer {
    /// The turn will come.
    Queued {
        /// How many come before.
        before: usize,
    },
    /// The turn is there; it ends when the client closes the connection.
    Lent {
        /// How long it may take.
        milliseconds: u64,
    },
    /// The turn took too long and is over.
    Over {
        /// What to tell the user.
        why: String,
    },
    /// There will be no turn.
    Refused {
        /// What to tell the user.
        why: String,
        /// Whether it is worth asking again.
        again: bool,
    },
    /// Who the owner is.
    Owner {
        /// The number of its process.
        process: u32,
        /// What it runs.
        command: String,
        /// How many processes wait for a turn or have it.
        waiting: usize,
    },
    /// What the host is to be told.
    #[cfg(feature = "gate")]
    Judged {
        /// On standard output.
        output: Option<String>,
        /// On standard error.
        error: Option<String>,
        /// The exit status.
        status: u8,
    },
    /// The answer to a message of MCP.
    #[cfg(feature = "server")]
    Said {
        /// A message, where one follows.
        message: Option<String>,
    },
}

#[derive(Serialize)]
struct Line<T> {
    hence: u64,
    #[serde(flatten)]
    said: T,
}

/// A connection, read line by line.
pub(super) struct Wire {
    /// The connection.
    pub(super) stream: UnixStream,
    bytes: Vec<u8>,
    /// How much of it was looked through for the end of a line.
    seen: usize,
}

impl Wire {
    /// Over `stream`.
    pub(super) fn new(stream: UnixStream) -> Self {
        Self { stream, bytes: Vec::new(), seen: 0 }
    }

    /// Writes a line.
    ///
    /// # Errors
    /// The other side is gone, or doesn't read.
    pub(super) fn say(&self, said: &impl Serialize) -> io::Result<()> {
        say(&self.stream, said)
    }

    /// The next line, waiting for it until `until`; `None` where the other side hung up.
    ///
    /// # Errors
    /// It doesn't come in time, is too long, or is not one of this protocol.
    pub(super) fn hear<T: DeserializeOwned>(&mut self, until: Option<Instant>) -> io::Result<Option<T>> {
        loop {
            let new = self.bytes.get(self.seen..).unwrap_or_default();
            if let Some(end) = new.iter().position(|byte| *byte == b'\n').map(|end| end + self.seen) {
                let rest = self.bytes.split_off(end + 1);
                self.seen = 0;
                return parse(&std::mem::replace(&mut self.bytes, rest)).map(Some);
            }
            self.seen = self.bytes.len();
            let longest = longest(&self.bytes);
            if self.bytes.len() > longest {
                return Err(invalid(format!("a line has more than {longest} bytes")));
            }
            if self.fill(until)? == 0 {
                return Ok(None);
            }
        }
    }

    fn fill(&mut self, until: Option<Instant>) -> io::Result<usize> {
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        if left.is_some_and(|left| left.is_zero()) {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.stream.set_read_timeout(left)?;
        let mut buffer = [0; CHUNK];
        match self.stream.read(&mut buffer) {
            Ok(count) => {
                self.bytes.extend(buffer.iter().take(count));
                Ok(count)
            }
            // A signal, or a time that is looked at again.
            Err(error) if matches!(error.kind(), io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock) => {
                self.fill(until)
            }
            Err(error) => Err(error),
        }
    }
}

/// Writes a line to `stream`, which has a second to take it.
pub(super) fn say(mut stream: &UnixStream, said: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(&Line { hence: VERSION, said })?;
    line.push(b'\n');
    stream.set_write_timeout(Some(Duration::from_secs(1)))?;
    stream.write_all(&line)
}

/// How long a line may be that begins so.
fn longest(_line: &[u8]) -> usize {
    #[cfg(feature = "gate")]
    if _line.starts_with(EVENT.0) {
        return EVENT.1;
    }
    #[cfg(feature = "server")]
    if let Some((_, most)) = MCP.iter().find(|(start, _)| _line.starts_with(start)) {
        return *most;
    }
    LONGEST
}

fn parse<T: DeserializeOwned>(line: &[u8]) -> io::Result<T> {
    let foreign = || invalid(String::from("a line is not of this protocol"));
    let mut fields = match unique::parse(line) {
        Ok(Json::Object(fields)) => fields,
        Err(error) if error.is_data() => return Err(invalid(error.to_string())),
        _ => return Err(foreign()),
    };
    match fields.shift_remove("hence").as_ref().and_then(Json::as_u64) {
        Some(VERSION) => {}
        Some(version) => {
            return Err(invalid(format!("version {version} of the protocol, and not {VERSION}")));
        }
        None => return Err(foreign()),
    }
    let names: Vec<String> = fields.keys().map(|name| format!("`{}`", cut(name))).collect();
    let [name] = names.as_slice() else {
        let found = if names.is_empty() { String::from("none") } else { names.join(", ") };
        return Err(invalid(format!("expected one member beside `hence`, found {found}")));
    };
    let missing = FEATURES.iter().find(|(of, _, is_built)| !is_built && fields.contains_key(*of));
    if let Some((_, feature, _)) = missing {
        return Err(invalid(format!("{name}: this hence was built without the feature `{feature}`")));
    }
    serde_json::from_value(Json::Object(fields)).map_err(|error| {
        let error = error.to_string();
        invalid(match error.strip_prefix("unknown variant ") {
            Some(rest) => format!("unknown {rest}"),
            None => format!("{name}: {error}"),
        })
    })
}

/// The beginning of a name that somebody else wrote.
fn cut(name: &str) -> String {
    name.chars().take(SHOWN).collect()
}

fn invalid(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}
