//! The gate: hook events of coding agents become one call, the call becomes facts, and a verdict becomes the host's answer.
//!
//! ```text
//!  event of a host ─► hosts/* ─► HookEvent ─► facts ─► (a session decides) ─► Verdict ─► hosts/* ─► answer of that host
//!                                  └─ shell: what a command does: words, files, and what can't be known
//! ```
//!
//! - [`Host`] names the hosts; each has one file under `hosts` that reads its events, writes its answers and its settings.
//! - [`HookEvent`] is what all of them say: a tool is about to run, has run, or the session ends.
//! - [`facts`] lowers an event; [`shell`] parses commands with tree-sitter, within bounds, and runs nothing.
//! - [`Verdict`] is what rules say; [`HookAnswer`] is what a process prints, and with which status it ends.
//!
//! Nothing here decides. What can't be understood is a fact (`opaque`), and an event that can't be read is an error that
//! the caller answers with a denial.

mod answer;
mod event;
mod facts;
mod host;
mod hosts;
mod json;
mod paths;
pub mod shell;
mod tools;
mod uri;

pub use answer::{HookAnswer, LONGEST_TEXT, Verdict, VerdictKind, masked};
pub use event::{Call, EventError, HookEvent, LARGEST, Phase, ToolOutcome};
pub use facts::{Lowered, RELATIONS, facts, fingerprint};
pub use host::{Hook, HookSettings, Host};
pub use paths::{resolve, tree_of};
pub use uri::file_of_uri;
