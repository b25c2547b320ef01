//! The hosts: their names, how an event shows which it is, and the way to the file of each.

use std::fmt;
use std::str::FromStr;

use crate::answer::{HookAnswer, Verdict, VerdictKind};
use crate::event::{EventError, HookEvent};
use crate::hosts::{claude, codex, copilot, cursor, gemini, kiro};
use crate::json::Object;

/// A program that runs an agent and asks hooks before it runs a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Host {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// Cursor.
    Cursor,
    /// GitHub Copilot.
    Copilot,
    /// Kiro.
    Kiro,
}

/// Where a host's settings are, and what the gate puts into them.
pub struct HookSettings {
    /// The file, below the project's folder.
    pub path: &'static str,
    /// Merges the hooks into what the file holds; `program` is the path of hence, `shadow` whether nothing is blocked.
    pub merge: fn(Object, &Hook<'_>) -> Object,
    /// What else a person has to do, where the file alone is not enough.
    pub note: &'static str,
}

/// The command that a host is to run.
#[derive(Clone, Copy, Debug)]
pub struct Hook<'h> {
    /// The absolute path of hence.
    pub program: &'h str,
    /// Its arguments.
    pub arguments: &'h [String],
}

impl Host {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Claude, Self::Codex, Self::Gemini, Self::Cursor, Self::Copilot, Self::Kiro];

    /// The word for it on the command line and in facts.
    pub fn word(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Cursor => "cursor",
            Self::Copilot => "copilot",
            Self::Kiro => "kiro",
        }
    }

    /// The host whose events look like this one.
    pub(crate) fn of_event(object: &Object) -> Option<Self> {
        let name = object.get("hook_event_name").and_then(|name| name.as_str()).unwrap_or_default();
        let has = |member: &str| object.contains_key(member);
        match name {
            _ if has("toolName") || has("sessionId") => Some(Self::Copilot),
            "BeforeTool" | "AfterTool" => Some(Self::Gemini),
            _ if has("conversation_id") || has("cursor_version") => Some(Self::Cursor),
            _ if name.starts_with(|c: char| c.is_ascii_lowercase()) => Some(Self::Kiro),
            _ if has("turn_id") => Some(Self::Codex),
            "PreToolUse" | "PostToolUse" | "PostToolUseFailure" | "PermissionRequest" => Some(Self::Claude),
            _ if has("timestamp") => Some(Self::Gemini),
            _ if !name.is_empty() => Some(Self::Claude),
            _ => None,
        }
    }

    pub(crate) fn read(self, object: &Object) -> Result<HookEvent, EventError> {
        match self {
            Self::Claude => claude::read(object),
            Self::Codex => codex::read(object),
            Self::Gemini => gemini::read(object),
            Self::Cursor => cursor::read(object),
            Self::Copilot => copilot::read(object),
            Self::Kiro => kiro::read(object),
        }
    }

    /// What a verdict of some kind becomes for the host, which may know neither questions nor more.
    pub fn told(self, event: &str, kind: VerdictKind) -> VerdictKind {
        match self {
            Self::Claude => claude::told(event, kind),
            Self::Codex => codex::told(event, kind),
            Self::Gemini => gemini::told(event, kind),
            Self::Cursor => cursor::told(event, kind),
            Self::Copilot => copilot::told(event, kind),
            Self::Kiro => kiro::told(event, kind),
        }
    }

    /// What the host is told; `event` is what its event is called.
    pub fn answer(self, event: &str, verdict: &Verdict) -> HookAnswer {
        match self {
            Self::Claude => claude::answer(event, verdict),
            Self::Codex => codex::answer(event, verdict),
            Self::Gemini => gemini::answer(event, verdict),
            Self::Cursor => cursor::answer(event, verdict),
            Self::Copilot => copilot::answer(event, verdict),
            Self::Kiro => kiro::answer(event, verdict),
        }
    }

    /// What the host is told where the gate has nothing to say.
    pub fn silence(self) -> HookAnswer {
        match self {
            Self::Kiro => HookAnswer::silent(),
            _ => HookAnswer::said("{}".to_owned()),
        }
    }

    /// What the host is told where no verdict came about: a denial, and exit status 2.
    pub fn refusal(self, event: &str, why: &str) -> HookAnswer {
        let verdict = Verdict::denied(why);
        HookAnswer { status: 2, error: Some(verdict.text()), ..self.answer(event, &verdict) }
    }

    /// The refusal of an event that can't be read, for its host if that is known, with status 2.
    pub fn unread(host: Option<Self>, why: &str) -> HookAnswer {
        match host {
            Some(host) => host.refusal("", why),
            None => HookAnswer { output: None, error: Some(Verdict::denied(why).text()), status: 2 },
        }
    }

    /// Its settings.
    pub fn settings(self) -> HookSettings {
        match self {
            Self::Claude => claude::settings(),
            Self::Codex => codex::settings(),
            Self::Gemini => gemini::settings(),
            Self::Cursor => cursor::settings(),
            Self::Copilot => copilot::settings(),
            Self::Kiro => kiro::settings(),
        }
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for Host {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|host| host.word() == text);
        found.ok_or_else(|| {
            let words: Vec<&str> = Self::ALL.iter().map(|host| host.word()).collect();
            format!("unknown host `{text}`; the hosts are {}", words.join(", "))
        })
    }
}
