//! What rules say of a call, in one text of bounded length, and what a process prints for a host.

/// How many bytes a text for a host has at most.
pub const LONGEST_TEXT: usize = 500;
/// How many bytes a remedy takes of that at most.
const LONGEST_REMEDY: usize = 200;

/// What may become of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VerdictKind {
    /// It runs.
    Allow,
    /// It runs with other arguments.
    Transform,
    /// A person is asked.
    Ask,
    /// It waits until somebody takes it up again.
    Defer,
    /// It does not run.
    Deny,
}

impl VerdictKind {
    /// The kind that a name in `verdict` means.
    pub fn of_word(word: &str) -> Option<Self> {
        match word.trim_start_matches('/') {
            "allow" => Some(Self::Allow),
            "transform" => Some(Self::Transform),
            "ask" => Some(Self::Ask),
            "defer" => Some(Self::Defer),
            "deny" => Some(Self::Deny),
            _ => None,
        }
    }

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Transform => "transform",
            Self::Ask => "ask",
            Self::Defer => "defer",
            Self::Deny => "deny",
        }
    }

    /// What it is for a host that knows no more than these two.
    pub(crate) fn allowed_or_denied(self) -> Self {
        if self == Self::Allow { Self::Allow } else { Self::Deny }
    }
}

/// What rules say of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// What becomes of it.
    pub kind: VerdictKind,
    /// The rule.
    pub rule: String,
    /// The condition that failed, with its values.
    pub reason: String,
    /// What to do next.
    pub remedy: String,
    /// The decision, by its id; empty where none was recorded.
    pub decision: String,
}

impl Verdict {
    /// The denial of what could not be decided.
    pub fn denied(why: &str) -> Self {
        Self {
            kind: VerdictKind::Deny,
            rule: String::from("undecided"),
            reason: why.to_owned(),
            remedy: String::from("`hence gate selftest` shows what is wrong"),
            decision: String::new(),
        }
    }

    /// The text for the host: reason, next step, rule and decision, in [`LONGEST_TEXT`] bytes.
    pub fn text(&self) -> String {
        self.text_with("")
    }

    /// The text for a host that denies what isn't allowed: a question says how to have it approved.
    pub(crate) fn text_of_denial(&self) -> String {
        match (self.kind, self.decision.as_str()) {
            (VerdictKind::Ask, id) if !id.is_empty() => self
                .text_with(&format!(" A reviewer lifts it with `hence gate approve {id}`; then call again.")),
            _ => self.text(),
        }
    }

    fn text_with(&self, ending: &str) -> String {
        let end = match self.decision.as_str() {
            "" => format!(" [rule {}]", cut(&self.rule, 60)),
            decision => format!(" [rule {}, decision {decision}]", cut(&self.rule, 60)),
        };
        let remedy = match self.remedy.as_str() {
            "" => String::new(),
            remedy => format!(" Next: {}.", cut(remedy, LONGEST_REMEDY)),
        };
        let room = LONGEST_TEXT.saturating_sub(end.len() + ending.len() + remedy.len() + 1);
        format!("{}.{remedy}{ending}{end}", cut(&masked(&self.reason), room))
    }
}

/// What begins a key of a service, as far as it is known.
const KEYS: [&str; 17] = [
    "sk-",
    "sk_live_",
    "rk_live_",
    "ghp_",
    "gho_",
    "ghs_",
    "ghu_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "AKIA",
    "ASIA",
    "AIza",
    "npm_",
    "eyJ",
    "hf_",
];

/// A text without what looks like a key, a token or a password in it.
pub fn masked(text: &str) -> String {
    let mut all = String::with_capacity(text.len());
    let mut hides = false;
    for part in text.split_inclusive(|c: char| c.is_whitespace() || "\"'=:,;&@()".contains(c)) {
        let word = part.trim_end_matches(|c: char| c.is_whitespace() || "\"'=:,;&@()".contains(c));
        let end = part.get(word.len()..).unwrap_or_default();
        let is_key = word.len() >= 16 && KEYS.iter().any(|start| word.starts_with(start));
        let shown = if is_key || hides && !word.is_empty() { "[redacted]" } else { word };
        all.push_str(shown);
        all.push_str(end);
        let names = word.to_ascii_lowercase();
        let named = ["password", "passwd", "secret", "token", "api_key", "apikey", "api-key", "access_key"];
        let follows = end.contains(['=', ':']) && named.iter().any(|name| names.ends_with(name));
        hides = follows || matches!(names.as_str(), "bearer" | "basic") || hides && word.is_empty();
    }
    all
}

/// A text that is cut to so many bytes, at a character, with an ellipsis where something is missing.
fn cut(text: &str, most: usize) -> String {
    let text = text.trim_end_matches('.');
    if text.len() <= most {
        return text.to_owned();
    }
    let mut end = most.saturating_sub('…'.len_utf8());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}…", text.get(..end).unwrap_or_default())
}

/// What a process prints and with which status it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookAnswer {
    /// What goes to standard output, without a line's end.
    pub output: Option<String>,
    /// What goes to standard error.
    pub error: Option<String>,
    /// The exit status: 0, or 2 for a refusal.
    pub status: u8,
}

impl HookAnswer {
    /// An answer on standard output.
    pub(crate) fn said(output: String) -> Self {
        Self { output: Some(output), error: None, status: 0 }
    }

    /// An answer without a word.
    pub(crate) fn silent() -> Self {
        Self { output: None, error: None, status: 0 }
    }

    /// A refusal that is told by the exit status.
    pub(crate) fn refused(why: String) -> Self {
        Self { output: None, error: Some(why), status: 2 }
    }
}
