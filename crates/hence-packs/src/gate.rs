//! `gate`, compiled by `hence compile`: edit the rules, not this file.
//!
//! What it is for: may the agent run this tool now.

#[allow(unused_imports, reason = "which are needed follows the rules")]
use crate::support::{BadFact, BadParam, Bounds, Column, Columns, Name, Record, Row, RunError};
#[allow(unused_imports, reason = "which are needed follows the rules")]
use crate::support::{Symbol, Tables, Undetermined, Word, broken, drawn, fill};

pub use compiled::PACK;

/// The time of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Now {
    /// `at`, in microseconds since the epoch
    pub at: i64,
}

impl Record for Now {
    const TABLE: usize = 0;
    const RELATION: &'static str = "now";

    fn write(&self, row: &mut Row) {
        row.put("at", &self.at);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { at: columns.take() }
    }
}

/// A tool is about to run.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AgentCall {
    /// `id`
    pub id: String,
    /// `session`
    pub session: String,
    /// `agent`
    pub agent: String,
    /// `tool`
    pub tool: String,
    /// `cwd`
    pub cwd: String,
    /// `mode`
    pub mode: String,
    /// `at`, in microseconds since the epoch
    pub at: i64,
}

impl Record for AgentCall {
    const TABLE: usize = 1;
    const RELATION: &'static str = "agent_call";

    fn write(&self, row: &mut Row) {
        row.put("id", &self.id);
        row.put("session", &self.session);
        row.put("agent", &self.agent);
        row.put("tool", &self.tool);
        row.put("cwd", &self.cwd);
        row.put("mode", &self.mode);
        row.put("at", &self.at);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self {
            id: columns.take(),
            session: columns.take(),
            agent: columns.take(),
            tool: columns.take(),
            cwd: columns.take(),
            mode: columns.take(),
            at: columns.take(),
        }
    }
}

/// The host of a call, and its own name for the tool.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Host {
    /// `id`
    pub id: String,
    /// `name`
    pub name: String,
    /// `tool`
    pub tool: String,
}

impl Record for Host {
    const TABLE: usize = 2;
    const RELATION: &'static str = "host";

    fn write(&self, row: &mut Row) {
        row.put("id", &self.id);
        row.put("name", &self.name);
        row.put("tool", &self.tool);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { id: columns.take(), name: columns.take(), tool: columns.take() }
    }
}

/// An argument of a call.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Arg {
    /// `id`
    pub id: String,
    /// `path`
    pub path: String,
    /// `value`
    pub value: String,
}

impl Record for Arg {
    const TABLE: usize = 3;
    const RELATION: &'static str = "arg";

    fn write(&self, row: &mut Row) {
        row.put("id", &self.id);
        row.put("path", &self.path);
        row.put("value", &self.value);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { id: columns.take(), path: columns.take(), value: columns.take() }
    }
}

/// A word of a simple command; position 0 is the program.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Argv {
    /// `id`
    pub id: String,
    /// `stage`
    pub stage: i64,
    /// `position`
    pub position: i64,
    /// `word`
    pub word: String,
}

impl Record for Argv {
    const TABLE: usize = 4;
    const RELATION: &'static str = "argv";

    fn write(&self, row: &mut Row) {
        row.put("id", &self.id);
        row.put("stage", &self.stage);
        row.put("position", &self.position);
        row.put("word", &self.word);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { id: columns.take(), stage: columns.take(), position: columns.take(), word: columns.take() }
    }
}

/// An option of a simple command, one by one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Flag {
    /// `id`
    pub id: String,
    /// `stage`
    pub stage: i64,
    /// `flag`
    pub flag: String,
}

impl Record for Flag {
    const TABLE: usize = 5;
    const RELATION: &'static str = "flag";

    fn write(&self, row: &mut Row) {
        row.put("id", &self.id);
        row.put("stage", &self.stage);
        row.put("flag", &self.flag);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { id: columns.take(), stage: columns.take(), flag: columns.take() }
    }
}

/// The subcommand of a simple command.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Verb {
    /// `id`
    pub id: String,
    /// `stage`
    pub stage: i64,
    /// `verb`
    pub verb: String,
}

impl Record for Verb {
    const TABLE: usize = 6;
    const RELATION: &'static str = "verb";

    fn write(&self, row: &mut Row) {
        row.put("id", &self.id);
        row.put("stage", &self.stage);
        row.put("verb", &self.verb);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { id: columns.take(), stage: columns.take(), verb: columns.take() }
    }
}

/// The type `access_mode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AccessMode {
    /// `/read`
    Read,
    /// `/write`
    Write,
    /// `/delete`
    Delete,
    /// `/run`
    Run,
    /// `/use`
    Use,
}

impl AccessMode {
    /// The name as rules write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "/read",
            Self::Write => "/write",
            Self::Delete => "/delete",
            Self::Run => "/run",
            Self::Use => "/use",
        }
    }
}

impl Column for AccessMode {
    fn word(&self) -> Option<Word> {
        Some(Word::from_symbol(Symbol::new(self.as_str())))
    }

    fn of(word: Word) -> Self {
        match word.as_symbol().as_str() {
            "/read" => Self::Read,
            "/write" => Self::Write,
            "/delete" => Self::Delete,
            "/run" => Self::Run,
            "/use" => Self::Use,
            _ => broken("a column holds names of its closed set only"),
        }
    }
}

/// A file that a call touches, links followed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileAccess {
    /// `id`
    pub id: String,
    /// `path`
    pub path: String,
    /// `mode`
    pub mode: AccessMode,
}

impl Record for FileAccess {
    const TABLE: usize = 7;
    const RELATION: &'static str = "file_access";

    fn write(&self, row: &mut Row) {
        row.put("id", &self.id);
        row.put("path", &self.path);
        row.put("mode", &self.mode);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { id: columns.take(), path: columns.take(), mode: columns.take() }
    }
}

/// The type `opaque_reason`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OpaqueReason {
    /// `/syntax`
    Syntax,
    /// `/variable`
    Variable,
    /// `/substitution`
    Substitution,
    /// `/stdin_code`
    StdinCode,
    /// `/inline_code`
    InlineCode,
    /// `/script`
    Script,
    /// `/project_code`
    ProjectCode,
    /// `/remote`
    Remote,
    /// `/environment`
    Environment,
    /// `/folder`
    Folder,
    /// `/too_much`
    TooMuch,
}

impl OpaqueReason {
    /// The name as rules write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Syntax => "/syntax",
            Self::Variable => "/variable",
            Self::Substitution => "/substitution",
            Self::StdinCode => "/stdin_code",
            Self::InlineCode => "/inline_code",
            Self::Script => "/script",
            Self::ProjectCode => "/project_code",
            Self::Remote => "/remote",
            Self::Environment => "/environment",
            Self::Folder => "/folder",
            Self::TooMuch => "/too_much",
        }
    }
}

impl Column for OpaqueReason {
    fn word(&self) -> Option<Word> {
        Some(Word::from_symbol(Symbol::new(self.as_str())))
    }

    fn of(word: Word) -> Self {
        match word.as_symbol().as_str() {
            "/syntax" => Self::Syntax,
            "/variable" => Self::Variable,
            "/substitution" => Self::Substitution,
            "/stdin_code" => Self::StdinCode,
            "/inline_code" => Self::InlineCode,
            "/script" => Self::Script,
            "/project_code" => Self::ProjectCode,
            "/remote" => Self::Remote,
            "/environment" => Self::Environment,
            "/folder" => Self::Folder,
            "/too_much" => Self::TooMuch,
            _ => broken("a column holds names of its closed set only"),
        }
    }
}

/// Something of a call that can't be known.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Opaque {
    /// `id`
    pub id: String,
    /// `why`
    pub why: OpaqueReason,
    /// `what`
    pub what: String,
}

impl Record for Opaque {
    const TABLE: usize = 8;
    const RELATION: &'static str = "opaque";

    fn write(&self, row: &mut Row) {
        row.put("id", &self.id);
        row.put("why", &self.why);
        row.put("what", &self.what);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { id: columns.take(), why: columns.take(), what: columns.take() }
    }
}

/// The working tree in which a call happens, its branch, and the user's home.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tree {
    /// `id`
    pub id: String,
    /// `root`
    pub root: String,
    /// `branch`
    pub branch: String,
    /// `home`
    pub home: String,
}

impl Record for Tree {
    const TABLE: usize = 9;
    const RELATION: &'static str = "tree";

    fn write(&self, row: &mut Row) {
        row.put("id", &self.id);
        row.put("root", &self.root);
        row.put("branch", &self.branch);
        row.put("home", &self.home);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { id: columns.take(), root: columns.take(), branch: columns.take(), home: columns.take() }
    }
}

/// What calls of one session have in common that do the very same.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SameAs {
    /// `id`
    pub id: String,
    /// `fingerprint`
    pub fingerprint: String,
}

impl Record for SameAs {
    const TABLE: usize = 10;
    const RELATION: &'static str = "same_as";

    fn write(&self, row: &mut Row) {
        row.put("id", &self.id);
        row.put("fingerprint", &self.fingerprint);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { id: columns.take(), fingerprint: columns.take() }
    }
}

/// The type `answer_kind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AnswerKind {
    /// `/allow`
    Allow,
    /// `/transform`
    Transform,
    /// `/ask`
    Ask,
    /// `/defer`
    Defer,
    /// `/deny`
    Deny,
}

impl AnswerKind {
    /// The name as rules write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "/allow",
            Self::Transform => "/transform",
            Self::Ask => "/ask",
            Self::Defer => "/defer",
            Self::Deny => "/deny",
        }
    }
}

impl Column for AnswerKind {
    fn word(&self) -> Option<Word> {
        Some(Word::from_symbol(Symbol::new(self.as_str())))
    }

    fn of(word: Word) -> Self {
        match word.as_symbol().as_str() {
            "/allow" => Self::Allow,
            "/transform" => Self::Transform,
            "/ask" => Self::Ask,
            "/defer" => Self::Defer,
            "/deny" => Self::Deny,
            _ => broken("a column holds names of its closed set only"),
        }
    }
}

/// What the gate answered to a call.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Judged {
    /// `id`
    pub id: String,
    /// `kind`
    pub kind: AnswerKind,
    /// `rule`
    pub rule: Name,
    /// `at`, in microseconds since the epoch
    pub at: i64,
}

impl Record for Judged {
    const TABLE: usize = 11;
    const RELATION: &'static str = "judged";

    fn write(&self, row: &mut Row) {
        row.put("id", &self.id);
        row.put("kind", &self.kind);
        row.put("rule", &self.rule);
        row.put("at", &self.at);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { id: columns.take(), kind: columns.take(), rule: columns.take(), at: columns.take() }
    }
}

/// The tool ran.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ran {
    /// `id`
    pub id: String,
    /// `ok`
    pub ok: bool,
    /// `took`, in microseconds
    pub took: i64,
    /// `at`, in microseconds since the epoch
    pub at: i64,
}

impl Record for Ran {
    const TABLE: usize = 12;
    const RELATION: &'static str = "ran";

    fn write(&self, row: &mut Row) {
        row.put("id", &self.id);
        row.put("ok", &self.ok);
        row.put("took", &self.took);
        row.put("at", &self.at);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { id: columns.take(), ok: columns.take(), took: columns.take(), at: columns.take() }
    }
}

/// The gate only watched this call: it ran whatever the answer was.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Watched {
    /// `id`
    pub id: String,
}

impl Record for Watched {
    const TABLE: usize = 13;
    const RELATION: &'static str = "watched";

    fn write(&self, row: &mut Row) {
        row.put("id", &self.id);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { id: columns.take() }
    }
}

/// What a session cost.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub struct Spent {
    /// `session`
    pub session: String,
    /// `dollars`
    pub dollars: f64,
    /// `at`, in microseconds since the epoch
    pub at: i64,
}

impl Record for Spent {
    const TABLE: usize = 14;
    const RELATION: &'static str = "spent";

    fn write(&self, row: &mut Row) {
        row.put("session", &self.session);
        row.put("dollars", &self.dollars);
        row.put("at", &self.at);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { session: columns.take(), dollars: columns.take(), at: columns.take() }
    }
}

/// A reviewer lifts a rule: in one session, for one subject or any (an empty one), or in all sessions (`*`), for one subject or
/// for those that begin alike (`npm run *`). A session whose id begins with `*` or a backslash has a backslash before it here.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Approval {
    /// `rule`
    pub rule: Name,
    /// `session`
    pub session: String,
    /// `subject`
    pub subject: String,
    /// `by`
    pub by: String,
    /// `at`, in microseconds since the epoch
    pub at: i64,
    /// `lasts`, in microseconds
    pub lasts: i64,
}

impl Record for Approval {
    const TABLE: usize = 15;
    const RELATION: &'static str = "approval";

    fn write(&self, row: &mut Row) {
        row.put("rule", &self.rule);
        row.put("session", &self.session);
        row.put("subject", &self.subject);
        row.put("by", &self.by);
        row.put("at", &self.at);
        row.put("lasts", &self.lasts);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self {
            rule: columns.take(),
            session: columns.take(),
            subject: columns.take(),
            by: columns.take(),
            at: columns.take(),
            lasts: columns.take(),
        }
    }
}

/// The agent's level on the ladder of autonomy from a moment on; the latest counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AgentLevel {
    /// `level`
    pub level: i64,
    /// `since`, in microseconds since the epoch
    pub since: i64,
}

impl Record for AgentLevel {
    const TABLE: usize = 16;
    const RELATION: &'static str = "agent_level";

    fn write(&self, row: &mut Row) {
        row.put("level", &self.level);
        row.put("since", &self.since);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { level: columns.take(), since: columns.take() }
    }
}

/// What becomes of a call, by which rule, why, and what to do instead.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Verdict {
    /// `id`
    pub id: String,
    /// `kind`
    pub kind: AnswerKind,
    /// `rule`
    pub rule: Name,
    /// `reason`
    pub reason: String,
    /// `remedy`
    pub remedy: String,
}

impl Record for Verdict {
    const TABLE: usize = 55;
    const RELATION: &'static str = "verdict";

    fn write(&self, row: &mut Row) {
        row.put("id", &self.id);
        row.put("kind", &self.kind);
        row.put("rule", &self.rule);
        row.put("reason", &self.reason);
        row.put("remedy", &self.remedy);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self {
            id: columns.take(),
            kind: columns.take(),
            rule: columns.take(),
            reason: columns.take(),
            remedy: columns.take(),
        }
    }
}

/// A tool ran that nobody asked the gate for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ungated {
    /// `id`
    pub id: String,
}

impl Record for Ungated {
    const TABLE: usize = 57;
    const RELATION: &'static str = "ungated";

    fn write(&self, row: &mut Row) {
        row.put("id", &self.id);
    }

    fn read(columns: &mut Columns<'_>) -> Self {
        Self { id: columns.take() }
    }
}

/// The parameters of the rules.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// The level of an agent that was never given one: 1 reads, 2 writes, 3 runs the project's code, 4 reaches the network.
    pub first_agent_level: i64,
    /// How many calls a session may make.
    pub most_calls: i64,
    /// How many calls of one tool a session may make.
    pub most_calls_of_a_tool: i64,
    /// How long a session may last.
    pub longest_session: i64,
    /// What a session may cost, in dollars.
    pub most_dollars: f64,
    /// How often the very same call may fail.
    pub most_failures: i64,
    /// Files that hold secrets, by their paths.
    pub secret_files: Vec<String>,
    /// Files that look like those and hold none.
    pub examples_of_secrets: Vec<String>,
    /// Files that the gate itself rests on.
    pub gate_files: Vec<String>,
    /// Files that decide what the project's own tools run.
    pub build_files: Vec<String>,
    /// Folders outside of the working tree that anything may be written to.
    pub scratch_files: Vec<String>,
    /// Folders that tools make anew, so that they may be removed.
    pub generated_files: Vec<String>,
    /// Branches that nobody pushes to directly.
    pub protected_branches: Vec<String>,
    /// Programs that send data to other machines.
    pub sending_programs: Vec<String>,
    /// Programs that nobody wants an agent to run.
    pub forbidden_programs: Vec<String>,
    /// Programs that act with more rights, or later.
    pub privileged_programs: Vec<String>,
    /// A program and a word of its command that throw away what can't be had again.
    pub destructive_words: Vec<String>,
    /// A program and a word of its command that other people see.
    pub publishing_words: Vec<String>,
    /// A program and a word of its command that bring in other people's code.
    pub installing_words: Vec<String>,
    /// Programs that read and change nothing.
    pub reading_programs: Vec<String>,
    /// Programs that change files.
    pub writing_programs: Vec<String>,
    /// Programs that run the project's code.
    pub running_programs: Vec<String>,
    /// Subcommands of git that change nothing.
    pub reading_of_git: Vec<String>,
    /// Subcommands of git that reach other machines.
    pub sending_of_git: Vec<String>,
    /// Subcommands of hence that change nothing.
    pub reading_of_hence: Vec<String>,
    /// Tools that read and change nothing.
    pub reading_tools: Vec<String>,
    /// Tools that change files.
    pub writing_tools: Vec<String>,
}

#[rustfmt::skip]
impl Default for Params {
    fn default() -> Self {
        Self {
            first_agent_level: 3,
            most_calls: 1000,
            most_calls_of_a_tool: 500,
            longest_session: 43200000000,
            most_dollars: 25.0,
            most_failures: 3,
            secret_files: vec![String::from("(?i)(^|/)\\.env(\\.[^/]*)?$"), String::from("(?i)(^|/)\\.envrc$"), String::from("(?i)(^|/)\\.ssh(/|$)"), String::from("(?i)(^|/)id_(rsa|dsa|ecdsa|ed25519)[^/]*$"), String::from("(?i)(^|/)\\.aws(/|$)"), String::from("(?i)(^|/)\\.azure(/|$)"), String::from("(?i)(^|/)\\.config/(gcloud|gh|hub)(/|$)"), String::from("(?i)(^|/)\\.kube(/|$)"), String::from("(?i)(^|/)\\.docker/config\\.json$"), String::from("(?i)(^|/)\\.gnupg(/|$)"), String::from("(?i)(^|/)\\.(netrc|pgpass|npmrc|pypirc|git-credentials|vault-token|my\\.cnf|htpasswd)$"), String::from("(?i)(^|/)\\.cargo/credentials(\\.toml)?$"), String::from("(?i)(^|/)(credentials|secrets?)(\\.[a-z]+)?$"), String::from("(?i)\\.(pem|key|p12|pfx|jks|keystore|kdbx|tfstate)$"), String::from("(?i)^/etc/(shadow|gshadow|sudoers)"), String::from("(?i)^/proc/[^/]+/(environ|mem|maps|fd)"), String::from("(?i)(^|/)\\.(bash|zsh|python|psql|node_repl)_history$"), String::from("(?i)(^|/)(Login Data|Cookies|logins\\.json|key4\\.db)$")],
            examples_of_secrets: vec![String::from("\\.(example|sample|template|dist|pub)$"), String::from("(^|/)known_hosts$")],
            gate_files: vec![String::from("(?i)(^|/)\\.hence(/|$)"), String::from("(?i)(^|/)hence\\.toml$"), String::from("(?i)\\.dl$"), String::from("(?i)(^|/)\\.claude(/settings[^/]*)?$"), String::from("(?i)(^|/)\\.codex(/(hooks\\.json|config\\.toml))?$"), String::from("(?i)(^|/)\\.gemini(/settings\\.json)?$"), String::from("(?i)(^|/)\\.cursor(/hooks\\.json)?$"), String::from("(?i)(^|/)\\.github/hooks(/|$)"), String::from("(?i)(^|/)\\.kiro(/agents(/|$)|$)")],
            build_files: vec![String::from("(?i)(^|/)(Makefile|GNUmakefile|makefile|Justfile|justfile|Rakefile|Taskfile\\.ya?ml|CMakeLists\\.txt)$"), String::from("(?i)(^|/)(package\\.json|\\.npmrc|\\.yarnrc(\\.yml)?|pnpmfile\\.cjs)$"), String::from("(?i)(^|/)(build\\.rs|config\\.toml|Cargo\\.toml|rust-toolchain(\\.toml)?)$"), String::from("(?i)(^|/)(conftest|setup|noxfile)\\.py$|(^|/)(tox\\.ini|sitecustomize\\.py|pyproject\\.toml)$"), String::from("(?i)(^|/)[^/]*\\.(gradle|gradle\\.kts|sbt|mk)$"), String::from("(?i)(^|/)\\.git(/|$)")],
            scratch_files: vec![String::from("^/(private/)?tmp/[^/]"), String::from("^/(var/tmp|dev/shm)/[^/]"), String::from("^/dev/(null|stdout|stderr|tty|fd(/[0-9]+)?)$")],
            generated_files: vec![String::from("/(target|build|dist|out|node_modules|coverage|__pycache__|\\.venv|venv|\\.pytest_cache|\\.mypy_cache|\\.next|tmp)(/|$)"), String::from("^/(private/)?tmp/[^/]")],
            protected_branches: vec![String::from("main"), String::from("master"), String::from("production"), String::from("release"), String::from("trunk")],
            sending_programs: vec![String::from("curl"), String::from("wget"), String::from("nc"), String::from("ncat"), String::from("netcat"), String::from("socat"), String::from("telnet"), String::from("ssh"), String::from("scp"), String::from("sftp"), String::from("rsync"), String::from("rclone"), String::from("ftp"), String::from("tftp"), String::from("mail"), String::from("sendmail"), String::from("mutt"), String::from("openssl"), String::from("dig"), String::from("nslookup"), String::from("host"), String::from("ping"), String::from("gh"), String::from("glab"), String::from("aws"), String::from("gcloud"), String::from("az"), String::from("gsutil"), String::from("http"), String::from("https"), String::from("xh"), String::from("aria2c"), String::from("docker"), String::from("kubectl"), String::from("mosh"), String::from("psql"), String::from("mysql"), String::from("redis-cli"), String::from("mongosh")],
            forbidden_programs: vec![String::from("mkfs"), String::from("mkfs.ext4"), String::from("mkfs.xfs"), String::from("mkswap"), String::from("fdisk"), String::from("sfdisk"), String::from("parted"), String::from("wipefs"), String::from("shutdown"), String::from("reboot"), String::from("halt"), String::from("poweroff"), String::from("init"), String::from("telinit"), String::from("userdel"), String::from("useradd"), String::from("usermod"), String::from("passwd"), String::from("chpasswd"), String::from("visudo"), String::from("iptables"), String::from("nft"), String::from("insmod"), String::from("rmmod"), String::from("modprobe"), String::from("diskutil"), String::from("killall"), String::from("setenforce")],
            privileged_programs: vec![String::from("sudo"), String::from("doas"), String::from("su"), String::from("runuser"), String::from("pkexec"), String::from("crontab"), String::from("at"), String::from("batch"), String::from("systemctl"), String::from("launchctl"), String::from("service"), String::from("systemd-run"), String::from("chroot"), String::from("nsenter"), String::from("unshare"), String::from("mount"), String::from("umount")],
            destructive_words: vec![String::from("git reset --hard"), String::from("git clean -f"), String::from("git clean --force"), String::from("git checkout ."), String::from("git checkout --"), String::from("git checkout -f"), String::from("git checkout --force"), String::from("git switch -f"), String::from("git switch --force"), String::from("git switch --discard-changes"), String::from("git restore ."), String::from("git branch -D"), String::from("git stash drop"), String::from("git stash clear"), String::from("git push -f"), String::from("git push --force"), String::from("git push --force-with-lease"), String::from("git push --delete"), String::from("git push -d"), String::from("git push --mirror"), String::from("git push --prune"), String::from("git reflog expire"), String::from("git reflog delete"), String::from("git filter-branch"), String::from("git update-ref"), String::from("git gc --prune"), String::from("git read-tree --reset"), String::from("git worktree remove"), String::from("terraform destroy"), String::from("terraform apply"), String::from("tofu destroy"), String::from("tofu apply"), String::from("kubectl delete"), String::from("kubectl drain"), String::from("helm uninstall"), String::from("docker rm"), String::from("docker rmi"), String::from("docker prune"), String::from("docker kill"), String::from("aws rm"), String::from("aws rb"), String::from("aws delete"), String::from("aws terminate-instances"), String::from("gcloud delete"), String::from("az delete"), String::from("gh delete"), String::from("dropdb"), String::from("redis-cli flushall"), String::from("redis-cli FLUSHALL"), String::from("rsync --delete"), String::from("dd"), String::from("shred"), String::from("truncate"), String::from("git checkout ./"), String::from("git checkout :/"), String::from("git restore ./"), String::from("git restore :/"), String::from("git reset --merge"), String::from("git reset --keep"), String::from("git branch -f"), String::from("git branch --force"), String::from("zip -m"), String::from("zip --move")],
            publishing_words: vec![String::from("npm publish"), String::from("npm unpublish"), String::from("yarn publish"), String::from("pnpm publish"), String::from("cargo publish"), String::from("cargo yank"), String::from("gem push"), String::from("twine upload"), String::from("uv publish"), String::from("poetry publish"), String::from("docker push"), String::from("gh merge"), String::from("gh release"), String::from("gh create"), String::from("helm push"), String::from("vercel deploy"), String::from("netlify deploy"), String::from("firebase deploy"), String::from("flyctl deploy"), String::from("heroku deploy"), String::from("bun publish"), String::from("npm dist-tag"), String::from("mvn deploy")],
            installing_words: vec![String::from("npm install"), String::from("npm i"), String::from("npm add"), String::from("npm ci"), String::from("npm update"), String::from("npm install-test"), String::from("yarn add"), String::from("yarn install"), String::from("pnpm add"), String::from("pnpm install"), String::from("pnpm i"), String::from("bun add"), String::from("bun install"), String::from("bun i"), String::from("pip install"), String::from("pip3 install"), String::from("uv add"), String::from("uv pip"), String::from("poetry add"), String::from("cargo install"), String::from("cargo add"), String::from("go install"), String::from("go get"), String::from("gem install"), String::from("brew install"), String::from("apt install"), String::from("apt-get install"), String::from("dnf install"), String::from("yum install"), String::from("apk add"), String::from("pacman -S"), String::from("pnpm update"), String::from("yarn upgrade"), String::from("bun update"), String::from("pip download"), String::from("pip3 download"), String::from("uv sync"), String::from("uv tool"), String::from("poetry install"), String::from("poetry update"), String::from("pipenv install"), String::from("bundle install"), String::from("bundle update"), String::from("composer install"), String::from("composer require"), String::from("composer update"), String::from("dotnet add")],
            reading_programs: vec![String::from("echo"), String::from("printf"), String::from("true"), String::from("false"), String::from(":"), String::from("test"), String::from("["), String::from("[["), String::from("sleep"), String::from("date"), String::from("pwd"), String::from("whoami"), String::from("id"), String::from("uname"), String::from("hostname"), String::from("which"), String::from("type"), String::from("seq"), String::from("expr"), String::from("basename"), String::from("dirname"), String::from("exit"), String::from("return"), String::from("break"), String::from("continue"), String::from("shift"), String::from("wait"), String::from("jobs"), String::from("pgrep"), String::from("ps"), String::from("cat"), String::from("less"), String::from("more"), String::from("tac"), String::from("nl"), String::from("od"), String::from("xxd"), String::from("hexdump"), String::from("strings"), String::from("base64"), String::from("md5sum"), String::from("sha1sum"), String::from("sha256sum"), String::from("wc"), String::from("rev"), String::from("paste"), String::from("comm"), String::from("join"), String::from("cmp"), String::from("diff"), String::from("file"), String::from("fold"), String::from("column"), String::from("bat"), String::from("iconv"), String::from("uniq"), String::from("readlink"), String::from("realpath"), String::from("stat"), String::from("du"), String::from("df"), String::from("ls"), String::from("tree"), String::from("head"), String::from("tail"), String::from("cut"), String::from("sort"), String::from("tr"), String::from("grep"), String::from("egrep"), String::from("fgrep"), String::from("rg"), String::from("ag"), String::from("ack"), String::from("sed"), String::from("awk"), String::from("gawk"), String::from("jq"), String::from("yq"), String::from("find"), String::from("fd"), String::from("xargs"), String::from("env"), String::from("cd"), String::from("pushd"), String::from("popd"), String::from("command"), String::from("builtin"), String::from("time"), String::from("timeout"), String::from("nice"), String::from("stdbuf"), String::from("set"), String::from("shopt"), String::from("read"), String::from("let"), String::from("nproc"), String::from("uptime"), String::from("free"), String::from("clear"), String::from("history"), String::from("man"), String::from("zcat"), String::from("locale"), String::from("tput"), String::from("groups"), String::from("arch"), String::from("lsof"), String::from("eval"), String::from("exec"), String::from("trap"), String::from("alias"), String::from("unset"), String::from("source"), String::from("."), String::from("sh"), String::from("bash"), String::from("zsh"), String::from("dash"), String::from("mapfile"), String::from("watch"), String::from("umask"), String::from("ulimit"), String::from("export"), String::from("parallel"), String::from("nohup"), String::from("setsid"), String::from("busybox"), String::from("hash"), String::from("kill"), String::from("sum"), String::from("cksum"), String::from("b2sum"), String::from("sha512sum"), String::from("tsort"), String::from("expand"), String::from("fmt"), String::from("pr"), String::from("hd"), String::from("look"), String::from("zgrep"), String::from("bzcat"), String::from("xzcat"), String::from("zless"), String::from("batcat"), String::from("nm"), String::from("objdump"), String::from("readelf"), String::from("size"), String::from("tty"), String::from("getopts"), String::from("mawk"), String::from("nawk"), String::from("gsed")],
            writing_programs: vec![String::from("cp"), String::from("mv"), String::from("rm"), String::from("rmdir"), String::from("mkdir"), String::from("touch"), String::from("ln"), String::from("install"), String::from("tee"), String::from("truncate"), String::from("chmod"), String::from("patch"), String::from("tar"), String::from("zip"), String::from("unzip"), String::from("gzip"), String::from("gunzip"), String::from("mktemp"), String::from("split"), String::from("unlink"), String::from("shred"), String::from("dd"), String::from("ed"), String::from("ex"), String::from("vi"), String::from("vim"), String::from("nano"), String::from("sponge")],
            running_programs: vec![String::from("make"), String::from("gmake"), String::from("ninja"), String::from("just"), String::from("task"), String::from("npm"), String::from("yarn"), String::from("pnpm"), String::from("bun"), String::from("cargo"), String::from("rustc"), String::from("rustfmt"), String::from("go"), String::from("gofmt"), String::from("mvn"), String::from("gradle"), String::from("gradlew"), String::from("pytest"), String::from("tox"), String::from("nox"), String::from("rake"), String::from("bundle"), String::from("composer"), String::from("dotnet"), String::from("bazel"), String::from("cmake"), String::from("ctest"), String::from("jest"), String::from("vitest"), String::from("mocha"), String::from("tsc"), String::from("eslint"), String::from("prettier"), String::from("ruff"), String::from("black"), String::from("mypy"), String::from("phpunit"), String::from("rspec"), String::from("poetry"), String::from("uv"), String::from("pip"), String::from("pip3"), String::from("python"), String::from("python3"), String::from("node"), String::from("deno"), String::from("ruby"), String::from("perl"), String::from("php"), String::from("java"), String::from("javac"), String::from("gcc"), String::from("g++"), String::from("clang"), String::from("cc"), String::from("ld"), String::from("hence"), String::from("sqlite3"), String::from("vite"), String::from("webpack"), String::from("turbo"), String::from("nx"), String::from("npx"), String::from("uvx"), String::from("pipx"), String::from("pre-commit"), String::from("sbt"), String::from("mix"), String::from("stack"), String::from("cabal"), String::from("zig"), String::from("pipenv"), String::from("isort"), String::from("stylua"), String::from("dos2unix"), String::from("unix2dos"), String::from("goimports"), String::from("shfmt"), String::from("biome"), String::from("stylelint"), String::from("autopep8"), String::from("clang-format"), String::from("perltidy"), String::from("c++"), String::from("clang++"), String::from("nodejs"), String::from("pypy"), String::from("lua"), String::from("luajit"), String::from("julia"), String::from("elixir"), String::from("groovy"), String::from("scala"), String::from("swift"), String::from("hyperfine"), String::from("pylint"), String::from("flake8"), String::from("pyright"), String::from("coverage"), String::from("golangci-lint"), String::from("shellcheck"), String::from("tsx")],
            reading_of_git: vec![String::from("status"), String::from("log"), String::from("diff"), String::from("show"), String::from("blame"), String::from("branch"), String::from("describe"), String::from("grep"), String::from("ls-files"), String::from("ls-tree"), String::from("merge-base"), String::from("reflog"), String::from("rev-list"), String::from("rev-parse"), String::from("shortlog"), String::from("show-ref"), String::from("tag"), String::from("for-each-ref"), String::from("cat-file"), String::from("check-ignore"), String::from("help"), String::from("version"), String::from("name-rev"), String::from("range-diff"), String::from("count-objects"), String::from("var"), String::from("check-attr"), String::from("check-mailmap"), String::from("check-ref-format"), String::from("cherry"), String::from("diff-files"), String::from("diff-index"), String::from("diff-tree"), String::from("merge-tree"), String::from("patch-id"), String::from("show-branch"), String::from("stripspace"), String::from("verify-commit"), String::from("verify-tag"), String::from("stash"), String::from("worktree"), String::from("remote")],
            sending_of_git: vec![String::from("push"), String::from("fetch"), String::from("pull"), String::from("clone"), String::from("ls-remote"), String::from("submodule"), String::from("send-email")],
            reading_of_hence: vec![String::from("check"), String::from("explain"), String::from("fmt"), String::from("doc"), String::from("query"), String::from("derive"), String::from("why"), String::from("why-not"), String::from("what-if"), String::from("check-proof"), String::from("history"), String::from("log"), String::from("facts"), String::from("status"), String::from("verify"), String::from("test"), String::from("bench"), String::from("help"), String::from("pack"), String::from("compile"), String::from("report")],
            reading_tools: vec![String::from("read"), String::from("list"), String::from("search"), String::from("plan")],
            writing_tools: vec![String::from("write"), String::from("edit"), String::from("delete")],
        }
    }
}

#[rustfmt::skip]
impl Params {
    fn words(&self) -> Result<Vec<Word>, BadParam> {
        let mut row = Row::default();
        row.put("first_agent_level", &self.first_agent_level);
        row.put("most_calls", &self.most_calls);
        row.put("most_calls_of_a_tool", &self.most_calls_of_a_tool);
        row.put("longest_session", &self.longest_session);
        row.put("most_dollars", &self.most_dollars);
        row.put("most_failures", &self.most_failures);
        row.put("secret_files", &self.secret_files);
        row.put("examples_of_secrets", &self.examples_of_secrets);
        row.put("gate_files", &self.gate_files);
        row.put("build_files", &self.build_files);
        row.put("scratch_files", &self.scratch_files);
        row.put("generated_files", &self.generated_files);
        row.put("protected_branches", &self.protected_branches);
        row.put("sending_programs", &self.sending_programs);
        row.put("forbidden_programs", &self.forbidden_programs);
        row.put("privileged_programs", &self.privileged_programs);
        row.put("destructive_words", &self.destructive_words);
        row.put("publishing_words", &self.publishing_words);
        row.put("installing_words", &self.installing_words);
        row.put("reading_programs", &self.reading_programs);
        row.put("writing_programs", &self.writing_programs);
        row.put("running_programs", &self.running_programs);
        row.put("reading_of_git", &self.reading_of_git);
        row.put("sending_of_git", &self.sending_of_git);
        row.put("reading_of_hence", &self.reading_of_hence);
        row.put("reading_tools", &self.reading_tools);
        row.put("writing_tools", &self.writing_tools);
        row.params()
    }
}

/// The facts of every input.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// The time of the run.
    pub now: Vec<Now>,
    /// A tool is about to run.
    pub agent_call: Vec<AgentCall>,
    /// The host of a call, and its own name for the tool.
    pub host: Vec<Host>,
    /// An argument of a call.
    pub arg: Vec<Arg>,
    /// A word of a simple command; position 0 is the program.
    pub argv: Vec<Argv>,
    /// An option of a simple command, one by one.
    pub flag: Vec<Flag>,
    /// The subcommand of a simple command.
    pub verb: Vec<Verb>,
    /// A file that a call touches, links followed.
    pub file_access: Vec<FileAccess>,
    /// Something of a call that can't be known.
    pub opaque: Vec<Opaque>,
    /// The working tree in which a call happens, its branch, and the user's home.
    pub tree: Vec<Tree>,
    /// What calls of one session have in common that do the very same.
    pub same_as: Vec<SameAs>,
    /// What the gate answered to a call.
    pub judged: Vec<Judged>,
    /// The tool ran.
    pub ran: Vec<Ran>,
    /// The gate only watched this call: it ran whatever the answer was.
    pub watched: Vec<Watched>,
    /// What a session cost.
    pub spent: Vec<Spent>,
    /// A reviewer lifts a rule: in one session, for one subject or any (an empty one), or in all sessions (`*`), for one subject or
    /// for those that begin alike (`npm run *`). A session whose id begins with `*` or a backslash has a backslash before it here.
    pub approval: Vec<Approval>,
    /// The agent's level on the ladder of autonomy from a moment on; the latest counts.
    pub agent_level: Vec<AgentLevel>,
}

impl Facts {
    /// Draws the decisions, each relation's in ascending order.
    ///
    /// # Errors
    /// A value that its column or parameter can't hold, and limits that were reached.
    pub fn decide(&self, params: &Params) -> Result<Decisions, RunError> {
        self.decide_within(params, &Bounds::default())
    }

    /// Draws the decisions within the given limits.
    ///
    /// # Errors
    /// As [`Facts::decide`].
    pub fn decide_within(&self, params: &Params, bounds: &Bounds) -> Result<Decisions, RunError> {
        let decided = PACK.decide(|tables| self.fill(tables), &params.words()?, bounds)?;
        Ok(Decisions {
            verdict: drawn(&decided.tables),
            ungated: drawn(&decided.tables),
            undetermined: decided.undetermined,
            reports: decided.reports,
        })
    }

    fn fill(&self, tables: &mut Tables) -> Result<(), BadFact> {
        fill(tables, &self.now)?;
        fill(tables, &self.agent_call)?;
        fill(tables, &self.host)?;
        fill(tables, &self.arg)?;
        fill(tables, &self.argv)?;
        fill(tables, &self.flag)?;
        fill(tables, &self.verb)?;
        fill(tables, &self.file_access)?;
        fill(tables, &self.opaque)?;
        fill(tables, &self.tree)?;
        fill(tables, &self.same_as)?;
        fill(tables, &self.judged)?;
        fill(tables, &self.ran)?;
        fill(tables, &self.watched)?;
        fill(tables, &self.spent)?;
        fill(tables, &self.approval)?;
        fill(tables, &self.agent_level)?;
        Ok(())
    }
}

impl Extend<Now> for Facts {
    fn extend<Many: IntoIterator<Item = Now>>(&mut self, facts: Many) {
        self.now.extend(facts);
    }
}

impl Extend<AgentCall> for Facts {
    fn extend<Many: IntoIterator<Item = AgentCall>>(&mut self, facts: Many) {
        self.agent_call.extend(facts);
    }
}

impl Extend<Host> for Facts {
    fn extend<Many: IntoIterator<Item = Host>>(&mut self, facts: Many) {
        self.host.extend(facts);
    }
}

impl Extend<Arg> for Facts {
    fn extend<Many: IntoIterator<Item = Arg>>(&mut self, facts: Many) {
        self.arg.extend(facts);
    }
}

impl Extend<Argv> for Facts {
    fn extend<Many: IntoIterator<Item = Argv>>(&mut self, facts: Many) {
        self.argv.extend(facts);
    }
}

impl Extend<Flag> for Facts {
    fn extend<Many: IntoIterator<Item = Flag>>(&mut self, facts: Many) {
        self.flag.extend(facts);
    }
}

impl Extend<Verb> for Facts {
    fn extend<Many: IntoIterator<Item = Verb>>(&mut self, facts: Many) {
        self.verb.extend(facts);
    }
}

impl Extend<FileAccess> for Facts {
    fn extend<Many: IntoIterator<Item = FileAccess>>(&mut self, facts: Many) {
        self.file_access.extend(facts);
    }
}

impl Extend<Opaque> for Facts {
    fn extend<Many: IntoIterator<Item = Opaque>>(&mut self, facts: Many) {
        self.opaque.extend(facts);
    }
}

impl Extend<Tree> for Facts {
    fn extend<Many: IntoIterator<Item = Tree>>(&mut self, facts: Many) {
        self.tree.extend(facts);
    }
}

impl Extend<SameAs> for Facts {
    fn extend<Many: IntoIterator<Item = SameAs>>(&mut self, facts: Many) {
        self.same_as.extend(facts);
    }
}

impl Extend<Judged> for Facts {
    fn extend<Many: IntoIterator<Item = Judged>>(&mut self, facts: Many) {
        self.judged.extend(facts);
    }
}

impl Extend<Ran> for Facts {
    fn extend<Many: IntoIterator<Item = Ran>>(&mut self, facts: Many) {
        self.ran.extend(facts);
    }
}

impl Extend<Watched> for Facts {
    fn extend<Many: IntoIterator<Item = Watched>>(&mut self, facts: Many) {
        self.watched.extend(facts);
    }
}

impl Extend<Spent> for Facts {
    fn extend<Many: IntoIterator<Item = Spent>>(&mut self, facts: Many) {
        self.spent.extend(facts);
    }
}

impl Extend<Approval> for Facts {
    fn extend<Many: IntoIterator<Item = Approval>>(&mut self, facts: Many) {
        self.approval.extend(facts);
    }
}

impl Extend<AgentLevel> for Facts {
    fn extend<Many: IntoIterator<Item = AgentLevel>>(&mut self, facts: Many) {
        self.agent_level.extend(facts);
    }
}

/// The facts of every decision.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decisions {
    /// What becomes of a call, by which rule, why, and what to do instead.
    pub verdict: Vec<Verdict>,
    /// A tool ran that nobody asked the gate for.
    pub ungated: Vec<Ungated>,
    /// Rows that follow possibly and not certainly, because of undefined operations; they are not drawn.
    pub undetermined: Vec<Undetermined>,
    /// Undefined operations, one line each.
    pub reports: Vec<String>,
}

#[allow(
    dead_code,
    unused_imports,
    unreachable_pub,
    clippy::all,
    reason = "what crepe makes of rules, and which names they need"
)]
mod compiled {
    use crate::support::*;

    /// These rules, as an engine runs them.
    #[rustfmt::skip]
    pub static PACK: Pack = Pack {
        name: "gate",
        fingerprint: "c237312a1183ce89fe78df2a4fb0a755",
        relations: &["now", "agent_call", "host", "arg", "argv", "flag", "verb", "file_access", "opaque", "tree", "same_as", "judged", "ran", "watched", "spent", "approval", "agent_level", "pending", "passed", "secret", "example", "secret_known", "sends", "session_tree", "changes", "inside", "scratch", "written", "command_word", "subcommand", "rung", "given_level", "level_now", "calls_of", "calls_made", "session_began", "session_cost", "failed_alike", "last_change", "mended", "succeeded_once", "concern", "plainer", "kept", "removes_folders", "generated", "pushes_to", "goes_to", "names_files", "known", "subject", "compound", "lifted", "approved", "strictness", "verdict", "concerned", "ungated"],
        params: &["first_agent_level", "most_calls", "most_calls_of_a_tool", "longest_session", "most_dollars", "most_failures", "secret_files", "examples_of_secrets", "gate_files", "build_files", "scratch_files", "generated_files", "protected_branches", "sending_programs", "forbidden_programs", "privileged_programs", "destructive_words", "publishing_words", "installing_words", "reading_programs", "writing_programs", "running_programs", "reading_of_git", "sending_of_git", "reading_of_hence", "reading_tools", "writing_tools"],
        rule_ids: &["pending#1", "passed#1", "passed#2", "secret#1", "example#1", "secret_known#1", "sends#1", "sends#2", "sends#3", "sends#4", "session_tree#1", "changes#1", "inside#1", "scratch#1", "written#1", "written#2", "command_word#1", "command_word#2", "command_word#3", "command_word#4", "command_word#5", "subcommand#1", "subcommand#2", "subcommand#3", "rung#1", "rung#2", "rung#3", "rung#4", "rung#5", "rung#6", "rung#7", "rung#8", "rung#9", "rung#10", "rung#11", "rung#12", "given_level#1", "level_now#1", "level_now#2", "calls_of#1", "calls_made#1", "session_began#1", "session_cost#1", "failed_alike#1", "last_change#1", "mended#1", "succeeded_once#1", "concern#1", "concern#2", "concern#3", "concern#4", "concern#5", "concern#6", "concern#7", "concern#8", "concern#9", "concern#10", "concern#11", "concern#12", "concern#13", "concern#14", "concern#15", "concern#16", "concern#17", "concern#18", "concern#19", "concern#20", "concern#21", "concern#22", "concern#23", "concern#24", "concern#25", "concern#26", "concern#27", "concern#28", "concern#29", "kept#1", "kept#2", "removes_folders#1", "generated#1", "pushes_to#1", "pushes_to#2", "pushes_to#3", "pushes_to#4", "goes_to#1", "names_files#1", "known#1", "known#2", "known#3", "subject#1", "subject#2", "compound#1", "lifted#1", "lifted#2", "lifted#3", "approved#1", "strictest_concern", "no_concern", "concerned#1", "ran_without_a_call"],
        arities: &[1, 7, 3, 3, 4, 3, 3, 3, 3, 4, 2, 4, 4, 1, 3, 6, 2, 2, 2, 2, 2, 2, 2, 3, 2, 2, 2, 2, 2, 2, 3, 1, 1, 3, 2, 2, 2, 2, 2, 1, 1, 5, 2, 2, 2, 2, 2, 3, 2, 2, 2, 1, 2, 4, 2, 5, 1, 1, 10, 2, 10, 10, 7, 3, 4, 10, 6],
        rules: &[&RULE_3, &RULE_4, &RULE_7, &RULE_10, &RULE_12, &RULE_13, &RULE_17, &RULE_18, &RULE_19, &RULE_20, &RULE_21, &RULE_22, &RULE_23, &RULE_36, &RULE_39, &RULE_40, &RULE_41, &RULE_42, &RULE_43, &RULE_44, &RULE_47, &RULE_48, &RULE_49, &RULE_50, &RULE_51, &RULE_52, &RULE_53, &RULE_54, &RULE_55, &RULE_56, &RULE_57, &RULE_58, &RULE_59, &RULE_60, &RULE_61, &RULE_62, &RULE_63, &RULE_64, &RULE_65, &RULE_66, &RULE_67, &RULE_68, &RULE_69, &RULE_70, &RULE_71, &RULE_72, &RULE_73, &RULE_74, &RULE_75, &RULE_77, &RULE_79, &RULE_80, &RULE_93, &RULE_95, &RULE_96, &RULE_97],
        decisions: &["ungated", "verdict"],
        texts: &ITEMS,
        facts,
        run,
    };

    fn run(tables: &mut Tables, params: &[Word]) {
        program_0::run(tables, params);
        limit(tables, 58, &RULE_10, params);
        limit(tables, 59, &RULE_36, params);
        aggregate(tables, 60, &RULE_39, params);
        aggregate(tables, 61, &RULE_40, params);
        aggregate(tables, 62, &RULE_41, params);
        aggregate(tables, 63, &RULE_42, params);
        program_1::run(tables, params);
        aggregate(tables, 65, &RULE_44, params);
        program_2::run(tables, params);
        aggregate(tables, 64, &RULE_43, params);
        program_3::run(tables, params);
        limit(tables, 66, &RULE_96, params);
        program_4::run(tables, params);
    }

    fn facts(tables: &mut Tables) {
        tables.facts(42, &FACTS_42);
        tables.facts(54, &FACTS_54);
    }

    /// The facts of `plainer`.
    #[rustfmt::skip]
    static FACTS_42: [[Cell; 2]; 9] = [
        [Cell::T("/syntax"), Cell::T("write it in the usual form, in simple commands")],
        [Cell::T("/variable"), Cell::T("name the file or the value itself")],
        [Cell::T("/substitution"), Cell::T("run the inner command first, and write what it printed")],
        [Cell::T("/stdin_code"), Cell::T("write the command plainly, with no code inside code")],
        [Cell::T("/inline_code"), Cell::T("write the command plainly, with no code inside code")],
        [Cell::T("/remote"), Cell::T("do it on this machine, or have a person do it")],
        [Cell::T("/environment"), Cell::T("set no variable that changes what programs do")],
        [Cell::T("/folder"), Cell::T("name the folder by its path")],
        [Cell::T("/too_much"), Cell::T("do it in smaller steps")],
    ];

    /// The facts of `strictness`.
    #[rustfmt::skip]
    static FACTS_54: [[Cell; 2]; 4] = [
        [Cell::T("/deny"), Cell::I(1)],
        [Cell::T("/defer"), Cell::I(2)],
        [Cell::T("/ask"), Cell::I(3)],
        [Cell::T("/transform"), Cell::I(4)],
    ];

    #[rustfmt::skip]
    static TEXTS: Texts = Texts::new(&[
        "/deny",
        "/read",
        "/use",
        "/run",
        "git",
        "git ",
        "/write",
        "/delete",
        " ",
        "-",
        "web_search",
        "agent",
        "fetch",
        "-r",
        "-R",
        "--recursive",
        "push",
        "^(.*:|\\+)?(refs/)?(heads/)?",
        "",
        "--all",
        "--mirror",
        "checkout",
        "switch",
        "--",
        "command",
        "path",
        "url",
        "*",
        "\\*$",
        "\\",
        "/",
        "/.git",
        " could send what this session read from ",
        "/secret_sent",
        "send nothing in this session, or start a new one",
        " could send what the same call reads from ",
        "/secret_sent_at_once",
        "leave the secret out of what is sent",
        " holds secrets",
        "/ask",
        "/secret_read",
        "read an example of that file instead",
        "nobody knows what ",
        " does, and this session read ",
        "/unknown_after_secret",
        "ask a person to look at it",
        " is outside of the working tree ",
        "write below ",
        ", or below /tmp",
        "/outside_tree",
        " belongs to the gate",
        "/gate_touched",
        "a person changes the gate, no agent does",
        "that may change any file of ",
        ", those of the gate among them",
        "/tree_overwritten",
        "change single files, or unpack into a folder of its own",
        "hence",
        "hence ",
        " changes what the gate knows",
        "/gate_commanded",
        "a person runs that command, no agent does",
        "that removes ",
        " with all that is in it",
        "/tree_removed",
        "name the files that should go",
        "rm",
        "find",
        "fd",
        " removes ",
        "/folder_removed",
        "remove single files, or what tools make anew",
        " throws away what can't be had again",
        "/destructive",
        "keep what would be lost first, such as by a commit",
        " changes the whole machine",
        "/forbidden_program",
        "a person runs that program, no agent does",
        " acts with other rights, or later",
        "/privileged",
        "do it with the rights that you have, and now",
        " is seen by other people",
        "/publishes",
        "have a person publish it",
        " brings in other people's code",
        "/installs",
        "name the package and say why it is needed",
        " is a protected branch",
        "/protected_branch",
        "push a branch of your own, and ask for a review",
        " hides what the command does: ",
        "/not_understood",
        "/script",
        " is no script of the working tree",
        "/strange_script",
        "run a script of the working tree",
        "this session wrote ",
        " itself",
        "/own_script",
        "have a person read it first",
        "/project_code",
        " may run what this session wrote to ",
        "/own_build",
        "have a person read that change first",
        "git may run what ",
        " says",
        "/build_file",
        "have a person make that change",
        "no rule knows the program ",
        "/unknown_program",
        "use a program that the rules know",
        "shell",
        "no rule knows the tool ",
        "/unknown_tool",
        "use a tool that the rules know",
        " needs level ",
        ", and the agent is at level ",
        "/above_level",
        "ask a reviewer for that level",
        "the session has made ",
        " calls; ",
        " are allowed",
        "/too_many_calls",
        "start a new session",
        "the session has called ",
        " times; ",
        "/too_many_of_a_tool",
        "do it another way, or start a new session",
        "the session began at ",
        ", and ",
        "/too_long",
        "the session has cost ",
        " dollars; ",
        "/too_dear",
        "start a new session, or have the budget raised",
        "the very same call has failed ",
        " times",
        "/failed_before",
        "change something before you try again",
        "/allow",
        "/no_concern",
        "nothing speaks against ",
    ]);

    #[rustfmt::skip]
    static PATTERNS: Patterns = Patterns::new(&[
        "^/dev/(tcp|udp)/",
        "^(fetch|web_search|mcp/.*)$",
        "^[*\\\\]",
        "(^|/)\\.git/",
    ]);

    // passed#1
    fn passed_1_0(kind_2: Word) -> Word {
        sure(Op::NotEqual, &[kind_2, TEXTS.word(0)])
    }

    // secret#1
    fn secret_3_0(mode_2: Word) -> Word {
        sure(Op::Among, &[mode_2, TEXTS.word(1), TEXTS.word(2), TEXTS.word(3)])
    }

    fn secret_3_1(path_1: Word, pattern_3: Word) -> Eval {
        two(Op::Matches, 0, path_1, pattern_3)
    }

    // example#1
    fn example_4_0(path_1: Word, pattern_2: Word) -> Eval {
        two(Op::Matches, 0, path_1, pattern_2)
    }

    // sends#1
    fn sends_6_0(program_1: Word, p13: Word) -> Word {
        sure(Op::In, &[program_1, p13])
    }

    // sends#2
    fn sends_7_0(verb_1: Word, p23: Word) -> Word {
        sure(Op::In, &[verb_1, p23])
    }

    fn sends_7_1(verb_1: Word) -> Eval {
        two(Op::Concat, 0, TEXTS.word(5), verb_1)
    }

    // sends#3
    fn sends_8_0(path_1: Word) -> Word {
        matches(&PATTERNS, 0, path_1)
    }

    // sends#4
    fn sends_9_0(tool_1: Word) -> Word {
        matches(&PATTERNS, 1, tool_1)
    }

    // changes#1
    fn changes_11_0(mode_2: Word) -> Word {
        sure(Op::Among, &[mode_2, TEXTS.word(6), TEXTS.word(7)])
    }

    // inside#1
    fn inside_12_0(root_3: Word, home_4: Word) -> Word {
        sure(Op::NotEqual, &[root_3, home_4])
    }

    #[rustfmt::skip]
    fn inside_12_1(path_1: Word, root_3: Word) -> Eval {
        Ok(if sure(Op::Equal, &[path_1, root_3]).as_bool() { Word::from_bool(true) } else { sure(Op::StartsWith, &[path_1, two(Op::Concat, 0, root_3, TEXTS.word(30))?]) })
    }

    // scratch#1
    fn scratch_13_0(path_1: Word, pattern_2: Word) -> Eval {
        two(Op::Matches, 0, path_1, pattern_2)
    }

    // command_word#2
    fn command_word_17_0(position_4: Word) -> Word {
        sure(Op::Greater, &[position_4, int(0)])
    }

    fn command_word_17_1(program_1: Word, word_2: Word) -> Eval {
        more(Op::Concat, 0, &[program_1, TEXTS.word(8), word_2])
    }

    // command_word#3
    fn command_word_18_0(program_1: Word, flag_2: Word) -> Eval {
        more(Op::Concat, 0, &[program_1, TEXTS.word(8), flag_2])
    }

    // command_word#4
    fn command_word_19_0(position_5: Word) -> Word {
        sure(Op::Greater, &[position_5, int(1)])
    }

    fn command_word_19_1(program_1: Word, verb_2: Word, word_3: Word) -> Eval {
        more(Op::Concat, 0, &[program_1, TEXTS.word(8), verb_2, TEXTS.word(8), word_3])
    }

    // command_word#5
    fn command_word_20_0(program_1: Word, verb_2: Word, flag_3: Word) -> Eval {
        more(Op::Concat, 0, &[program_1, TEXTS.word(8), verb_2, TEXTS.word(8), flag_3])
    }

    // subcommand#1
    fn subcommand_21_0(program_1: Word, verb_2: Word) -> Eval {
        more(Op::Concat, 0, &[program_1, TEXTS.word(8), verb_2])
    }

    // subcommand#2
    fn subcommand_22_0(first_4: Word) -> Word {
        sure(Op::StartsWith, &[first_4, TEXTS.word(9)])
    }

    fn subcommand_22_1(position_5: Word) -> Word {
        sure(Op::Greater, &[position_5, int(0)])
    }

    fn subcommand_22_2(program_1: Word, word_2: Word) -> Eval {
        more(Op::Concat, 0, &[program_1, TEXTS.word(8), word_2])
    }

    // subcommand#3
    fn subcommand_23_0(program_1: Word, flag_2: Word) -> Eval {
        more(Op::Concat, 0, &[program_1, TEXTS.word(8), flag_2])
    }

    // rung#1
    fn rung_24_0(tool_1: Word, p25: Word) -> Word {
        sure(Op::In, &[tool_1, p25])
    }

    // rung#2
    fn rung_25_0(tool_1: Word, p26: Word) -> Word {
        sure(Op::In, &[tool_1, p26])
    }

    // rung#3
    fn rung_26_0(tool_1: Word) -> Word {
        sure(Op::Among, &[tool_1, TEXTS.word(10), TEXTS.word(11)])
    }

    // rung#4
    fn rung_27_0(tool_1: Word) -> Word {
        sure(Op::Equal, &[tool_1, TEXTS.word(12)])
    }

    // rung#5
    fn rung_28_0(program_1: Word, p19: Word) -> Word {
        sure(Op::In, &[program_1, p19])
    }

    // rung#6
    fn rung_29_0(program_1: Word, p20: Word) -> Word {
        sure(Op::In, &[program_1, p20])
    }

    // rung#7
    fn rung_30_0(program_1: Word, p21: Word) -> Word {
        sure(Op::In, &[program_1, p21])
    }

    // rung#8
    fn rung_31_0(program_1: Word, p13: Word) -> Word {
        sure(Op::In, &[program_1, p13])
    }

    // rung#9
    fn rung_32_0(verb_2: Word, p22: Word) -> Word {
        sure(Op::In, &[verb_2, p22])
    }

    // rung#10
    fn rung_33_0(verb_2: Word, p22: Word) -> Word {
        sure(Op::Not, &[sure(Op::In, &[verb_2, p22])])
    }

    fn rung_33_1(verb_2: Word, p23: Word) -> Word {
        sure(Op::Not, &[sure(Op::In, &[verb_2, p23])])
    }

    // rung#11
    fn rung_34_0(verb_2: Word, p23: Word) -> Word {
        sure(Op::In, &[verb_2, p23])
    }

    // mended#1
    fn mended_45_0(at_1: Word, changed_3: Word) -> Word {
        sure(Op::Less, &[at_1, changed_3])
    }

    // concern#1
    fn concern_47_0(how_3: Word, path_4: Word) -> Eval {
        more(Op::Concat, 0, &[how_3, TEXTS.word(32), path_4])
    }

    // concern#2
    fn concern_48_0(how_2: Word, path_3: Word) -> Eval {
        more(Op::Concat, 0, &[how_2, TEXTS.word(35), path_3])
    }

    // concern#3
    fn concern_49_0(path_2: Word) -> Eval {
        two(Op::Concat, 0, path_2, TEXTS.word(38))
    }

    // concern#4
    fn concern_50_0(what_3: Word, path_4: Word) -> Eval {
        more(Op::Concat, 0, &[TEXTS.word(42), what_3, TEXTS.word(43), path_4])
    }

    // concern#5
    fn concern_51_0(path_4: Word, root_5: Word) -> Eval {
        more(Op::Concat, 0, &[path_4, TEXTS.word(46), root_5])
    }

    fn concern_51_1(root_5: Word) -> Eval {
        more(Op::Concat, 1, &[TEXTS.word(47), root_5, TEXTS.word(48)])
    }

    // concern#6
    fn concern_52_0(mode_3: Word) -> Word {
        sure(Op::Among, &[mode_3, TEXTS.word(6), TEXTS.word(7), TEXTS.word(2)])
    }

    fn concern_52_1(path_2: Word, pattern_4: Word) -> Eval {
        two(Op::Matches, 0, path_2, pattern_4)
    }

    fn concern_52_2(path_2: Word) -> Eval {
        two(Op::Concat, 1, path_2, TEXTS.word(50))
    }

    // concern#7
    fn concern_53_0(root_3: Word) -> Eval {
        more(Op::Concat, 0, &[TEXTS.word(53), root_3, TEXTS.word(54)])
    }

    // concern#8
    fn concern_54_0(verb_3: Word, p24: Word) -> Word {
        sure(Op::Not, &[sure(Op::In, &[verb_3, p24])])
    }

    fn concern_54_1(verb_3: Word) -> Eval {
        more(Op::Concat, 0, &[TEXTS.word(58), verb_3, TEXTS.word(59)])
    }

    // concern#9
    fn concern_55_0(path_3: Word) -> Eval {
        more(Op::Concat, 1, &[TEXTS.word(62), path_3, TEXTS.word(63)])
    }

    #[rustfmt::skip]
    fn concern_55_1(path_3: Word, kept_4: Word) -> Eval {
        Ok(if sure(Op::Equal, &[path_3, kept_4]).as_bool() { Word::from_bool(true) } else { sure(Op::StartsWith, &[kept_4, if sure(Op::Equal, &[path_3, TEXTS.word(30)]).as_bool() { path_3 } else { two(Op::Concat, 0, path_3, TEXTS.word(30))? }]) })
    }

    // concern#10
    fn concern_56_0(program_3: Word) -> Word {
        sure(Op::Among, &[program_3, TEXTS.word(66), TEXTS.word(67), TEXTS.word(68)])
    }

    fn concern_56_1(program_3: Word, path_4: Word) -> Eval {
        more(Op::Concat, 0, &[program_3, TEXTS.word(69), path_4, TEXTS.word(63)])
    }

    // concern#11
    fn concern_57_0(words_2: Word, p16: Word) -> Word {
        sure(Op::In, &[words_2, p16])
    }

    fn concern_57_1(words_2: Word) -> Eval {
        two(Op::Concat, 0, words_2, TEXTS.word(72))
    }

    // concern#12
    fn concern_58_0(program_2: Word, p14: Word) -> Word {
        sure(Op::In, &[program_2, p14])
    }

    fn concern_58_1(program_2: Word) -> Eval {
        two(Op::Concat, 0, program_2, TEXTS.word(75))
    }

    // concern#13
    fn concern_59_0(program_2: Word, p15: Word) -> Word {
        sure(Op::In, &[program_2, p15])
    }

    fn concern_59_1(program_2: Word) -> Eval {
        two(Op::Concat, 0, program_2, TEXTS.word(78))
    }

    // concern#14
    fn concern_60_0(words_2: Word, p17: Word) -> Word {
        sure(Op::In, &[words_2, p17])
    }

    fn concern_60_1(words_2: Word) -> Eval {
        two(Op::Concat, 0, words_2, TEXTS.word(81))
    }

    // concern#15
    fn concern_61_0(words_2: Word, p18: Word) -> Word {
        sure(Op::In, &[words_2, p18])
    }

    fn concern_61_1(words_2: Word) -> Eval {
        two(Op::Concat, 0, words_2, TEXTS.word(84))
    }

    // concern#16
    fn concern_62_0(branch_2: Word) -> Eval {
        two(Op::Concat, 0, branch_2, TEXTS.word(87))
    }

    // concern#17
    fn concern_63_0(why_3: Word, what_4: Word) -> Eval {
        more(Op::Concat, 0, &[sure(Op::StringOf(Type::Name), &[why_3]), TEXTS.word(90), what_4])
    }

    // concern#18
    fn concern_64_0(what_2: Word) -> Eval {
        two(Op::Concat, 0, what_2, TEXTS.word(93))
    }

    // concern#19
    fn concern_65_0(what_3: Word) -> Eval {
        more(Op::Concat, 0, &[TEXTS.word(96), what_3, TEXTS.word(97)])
    }

    // concern#20
    fn concern_66_0(why_3: Word) -> Word {
        sure(Op::Among, &[why_3, TEXTS.word(100), TEXTS.word(92)])
    }

    fn concern_66_1(path_5: Word, pattern_6: Word) -> Eval {
        two(Op::Matches, 0, path_5, pattern_6)
    }

    fn concern_66_2(what_4: Word, path_5: Word) -> Eval {
        more(Op::Concat, 1, &[what_4, TEXTS.word(101), path_5])
    }

    // concern#21
    fn concern_67_0(path_2: Word) -> Word {
        matches(&PATTERNS, 3, path_2)
    }

    fn concern_67_1(path_2: Word) -> Eval {
        more(Op::Concat, 0, &[TEXTS.word(104), path_2, TEXTS.word(105)])
    }

    // concern#22
    fn concern_68_0(program_2: Word) -> Eval {
        two(Op::Concat, 0, TEXTS.word(108), program_2)
    }

    // concern#23
    fn concern_69_0(tool_2: Word) -> Word {
        sure(Op::NotEqual, &[tool_2, TEXTS.word(111)])
    }

    fn concern_69_1(tool_2: Word) -> Eval {
        two(Op::Concat, 0, TEXTS.word(112), tool_2)
    }

    // concern#24
    fn concern_70_0(needed_3: Word, level_4: Word) -> Word {
        sure(Op::Greater, &[needed_3, level_4])
    }

    #[rustfmt::skip]
    fn concern_70_1(what_2: Word, needed_3: Word, level_4: Word) -> Eval {
        more(Op::Concat, 0, &[what_2, TEXTS.word(115), sure(Op::StringOf(Type::Int), &[needed_3]), TEXTS.word(116), sure(Op::StringOf(Type::Int), &[level_4])])
    }

    // concern#25
    fn concern_71_0(calls_3: Word, p1: Word) -> Word {
        sure(Op::GreaterEqual, &[calls_3, p1])
    }

    #[rustfmt::skip]
    fn concern_71_1(calls_3: Word, p1: Word) -> Eval {
        more(Op::Concat, 0, &[TEXTS.word(119), sure(Op::StringOf(Type::Int), &[calls_3]), TEXTS.word(120), sure(Op::StringOf(Type::Int), &[p1]), TEXTS.word(121)])
    }

    // concern#26
    fn concern_72_0(calls_4: Word, p2: Word) -> Word {
        sure(Op::GreaterEqual, &[calls_4, p2])
    }

    #[rustfmt::skip]
    fn concern_72_1(tool_3: Word, calls_4: Word, p2: Word) -> Eval {
        more(Op::Concat, 0, &[TEXTS.word(124), tool_3, TEXTS.word(8), sure(Op::StringOf(Type::Int), &[calls_4]), TEXTS.word(125), sure(Op::StringOf(Type::Int), &[p2]), TEXTS.word(121)])
    }

    // concern#27
    fn concern_73_0(at_3: Word, began_4: Word, p3: Word) -> Eval {
        Ok(sure(Op::Greater, &[two(Op::SubInt, 0, at_3, began_4)?, p3]))
    }

    #[rustfmt::skip]
    fn concern_73_1(began_4: Word, p3: Word) -> Eval {
        more(Op::Concat, 1, &[TEXTS.word(128), sure(Op::StringOf(Type::Time), &[began_4]), TEXTS.word(129), sure(Op::StringOf(Type::Duration), &[p3]), TEXTS.word(121)])
    }

    // concern#28
    fn concern_74_0(dollars_3: Word, p4: Word) -> Word {
        sure(Op::GreaterEqual, &[dollars_3, p4])
    }

    #[rustfmt::skip]
    fn concern_74_1(dollars_3: Word, p4: Word) -> Eval {
        more(Op::Concat, 0, &[TEXTS.word(131), sure(Op::Fixed, &[dollars_3, int(2)]), TEXTS.word(132), sure(Op::Fixed, &[p4, int(2)]), TEXTS.word(121)])
    }

    // concern#29
    fn concern_75_0(times_3: Word, p5: Word) -> Word {
        sure(Op::GreaterEqual, &[times_3, p5])
    }

    fn concern_75_1(times_3: Word) -> Eval {
        more(Op::Concat, 0, &[TEXTS.word(135), sure(Op::StringOf(Type::Int), &[times_3]), TEXTS.word(136)])
    }

    // kept#2
    fn kept_77_0(root_1: Word) -> Eval {
        two(Op::Concat, 0, root_1, TEXTS.word(31))
    }

    // removes_folders#1
    fn removes_folders_78_0(flag_2: Word) -> Word {
        sure(Op::Among, &[flag_2, TEXTS.word(13), TEXTS.word(14), TEXTS.word(15)])
    }

    // generated#1
    #[rustfmt::skip]
    fn generated_79_0(path_1: Word, root_3: Word) -> Eval {
        Ok(if sure(Op::StartsWith, &[path_1, two(Op::Concat, 0, root_3, TEXTS.word(30))?]).as_bool() { more(Op::Substring, 1, &[path_1, sure(Op::Len, &[root_3]), sure(Op::Len, &[path_1])])? } else { path_1 })
    }

    fn generated_79_1(below_4: Word, pattern_5: Word) -> Eval {
        two(Op::Matches, 2, below_4, pattern_5)
    }

    // pushes_to#1
    fn pushes_to_80_0(branch_1: Word, word_3: Word) -> Eval {
        Ok(sure(Op::Equal, &[branch_1, more(Op::ReplaceAll, 0, &[word_3, TEXTS.word(17), TEXTS.word(18)])?]))
    }

    // pushes_to#2
    fn pushes_to_81_0(branch_1: Word, p12: Word) -> Word {
        sure(Op::In, &[branch_1, p12])
    }

    // pushes_to#3
    fn pushes_to_82_0(earlier_3: Word, stage_2: Word) -> Word {
        sure(Op::Less, &[earlier_3, stage_2])
    }

    // pushes_to#4
    fn pushes_to_83_0(flag_1: Word) -> Word {
        sure(Op::Among, &[flag_1, TEXTS.word(19), TEXTS.word(20)])
    }

    // goes_to#1
    fn goes_to_84_0(verb_3: Word) -> Word {
        sure(Op::Among, &[verb_3, TEXTS.word(21), TEXTS.word(22)])
    }

    fn goes_to_84_1(branch_2: Word, p12: Word) -> Word {
        sure(Op::In, &[branch_2, p12])
    }

    // names_files#1
    fn names_files_85_0(after_3: Word, position_2: Word) -> Word {
        sure(Op::Greater, &[after_3, position_2])
    }

    // known#2
    fn known_87_0(program_1: Word, p14: Word) -> Word {
        sure(Op::In, &[program_1, p14])
    }

    // known#3
    fn known_88_0(program_1: Word, p15: Word) -> Word {
        sure(Op::In, &[program_1, p15])
    }

    // subject#1
    fn subject_89_0(path_2: Word) -> Word {
        sure(Op::Among, &[path_2, TEXTS.word(24), TEXTS.word(25), TEXTS.word(26)])
    }

    // compound#1
    fn compound_91_0(stage_1: Word) -> Word {
        sure(Op::Greater, &[stage_1, int(0)])
    }

    // lifted#2
    fn lifted_93_0(wanted_2: Word) -> Word {
        sure(Op::EndsWith, &[wanted_2, TEXTS.word(27)])
    }

    #[rustfmt::skip]
    fn lifted_93_1(subject_3: Word, wanted_2: Word) -> Eval {
        Ok(sure(Op::StartsWith, &[subject_3, more(Op::ReplaceAll, 0, &[wanted_2, TEXTS.word(28), TEXTS.word(18)])?]))
    }

    // lifted#3
    fn lifted_94_0(scope_2: Word) -> Word {
        sure(Op::NotEqual, &[scope_2, TEXTS.word(27)])
    }

    // approved#1
    fn approved_95_0(at_7: Word, from_5: Word) -> Word {
        sure(Op::GreaterEqual, &[at_7, from_5])
    }

    #[rustfmt::skip]
    fn approved_95_1(scope_2: Word, session_4: Word) -> Eval {
        Ok(if sure(Op::Equal, &[scope_2, TEXTS.word(27)]).as_bool() { Word::from_bool(true) } else { sure(Op::Equal, &[scope_2, if matches(&PATTERNS, 2, session_4).as_bool() { two(Op::Concat, 0, TEXTS.word(29), session_4)? } else { session_4 }]) })
    }

    fn approved_95_2(at_7: Word, from_5: Word, lasts_6: Word) -> Eval {
        Ok(sure(Op::Less, &[at_7, two(Op::AddTime, 1, from_5, lasts_6)?]))
    }

    // no_concern
    fn verdict_97_0(tool_1: Word) -> Eval {
        two(Op::Concat, 0, TEXTS.word(141), tool_1)
    }

    /// The rule `secret#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_3: Rule = Rule {
        number: 3,
        id: "secret#1",
        head: 19,
        variables: &[("Call", Type::String), ("Path", Type::String), ("Mode", Type::Name), ("Pattern", Type::String)],
        body: &[
            Step::Atom(7, &[Arg::Var(0), Arg::Var(1), Arg::Var(2)]),
            Step::Test(&[2], |m| Ok(secret_3_0(m.var(2)))),
            Step::Each(3, &[], |m| Ok(Box::new(each(Generator::Elements(Type::String), &[m.param(6)])))),
            Step::Test(&[1, 3], |m| secret_3_1(m.var(1), m.var(3))),
            Step::Not(20, &[Arg::Var(0), Arg::Var(1)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:192:5", "matches(Path, Pattern)")],
    };

    /// The rule `example#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_4: Rule = Rule {
        number: 4,
        id: "example#1",
        head: 20,
        variables: &[("Call", Type::String), ("Path", Type::String), ("Pattern", Type::String)],
        body: &[
            Step::Atom(7, &[Arg::Var(0), Arg::Var(1), Arg::Any]),
            Step::Each(2, &[], |m| Ok(Box::new(each(Generator::Elements(Type::String), &[m.param(7)])))),
            Step::Test(&[1, 2], |m| example_4_0(m.var(1), m.var(2))),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:201:5", "matches(Path, Pattern)")],
    };

    /// The rule `sends#2`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_7: Rule = Rule {
        number: 7,
        id: "sends#2",
        head: 22,
        variables: &[("Call", Type::String), ("Verb", Type::String), ("Stage", Type::Int)],
        body: &[
            Step::Atom(4, &[Arg::Var(0), Arg::Var(2), Arg::Is(|_| Ok(int(0))), Arg::Is(|_| Ok(TEXTS.word(4)))]),
            Step::Atom(6, &[Arg::Var(0), Arg::Var(2), Arg::Var(1)]),
            Step::Test(&[1], |m| Ok(sends_7_0(m.var(1), m.param(23)))),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|m| sends_7_1(m.var(1))),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:212:13", "format(\"git {Verb}\")")],
    };

    /// The rule `session_tree#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_10: Rule = Rule {
        number: 10,
        id: "session_tree#1",
        head: 23,
        variables: &[("Session", Type::String), ("Root", Type::String), ("Home", Type::String), ("Call", Type::String), ("At", Type::Time)],
        body: &[
            Step::Atom(1, &[Arg::Var(3), Arg::Var(0), Arg::Any, Arg::Any, Arg::Any, Arg::Any, Arg::Var(4)]),
            Step::Atom(9, &[Arg::Var(3), Arg::Var(1), Arg::Any, Arg::Var(2)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Var(2),
        ],
        limit: Some(Limited {
            count: |_| Ok(int(1)),
            per: &[0],
            by: &[(|m| Ok(m.var(4)), Type::Time, false)],
            rank: None,
            types: &[Type::String, Type::String, Type::String],
        }),
        places: &[],
    };

    /// The rule `inside#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_12: Rule = Rule {
        number: 12,
        id: "inside#1",
        head: 25,
        variables: &[("Call", Type::String), ("Path", Type::String), ("Session", Type::String), ("Root", Type::String), ("Home", Type::String)],
        body: &[
            Step::Atom(1, &[Arg::Var(0), Arg::Var(2), Arg::Any, Arg::Any, Arg::Any, Arg::Any, Arg::Any]),
            Step::Atom(23, &[Arg::Var(2), Arg::Var(3), Arg::Var(4)]),
            Step::Test(&[3, 4], |m| Ok(inside_12_0(m.var(3), m.var(4)))),
            Step::Atom(7, &[Arg::Var(0), Arg::Var(1), Arg::Any]),
            Step::Test(&[1, 3], |m| inside_12_1(m.var(1), m.var(3))),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:243:45", "concat(Root, \"/\")")],
    };

    /// The rule `scratch#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_13: Rule = Rule {
        number: 13,
        id: "scratch#1",
        head: 26,
        variables: &[("Call", Type::String), ("Path", Type::String), ("Pattern", Type::String)],
        body: &[
            Step::Atom(7, &[Arg::Var(0), Arg::Var(1), Arg::Any]),
            Step::Each(2, &[], |m| Ok(Box::new(each(Generator::Elements(Type::String), &[m.param(10)])))),
            Step::Test(&[1, 2], |m| scratch_13_0(m.var(1), m.var(2))),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:251:5", "matches(Path, Pattern)")],
    };

    /// The rule `command_word#2`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_17: Rule = Rule {
        number: 17,
        id: "command_word#2",
        head: 28,
        variables: &[("Call", Type::String), ("Program", Type::String), ("Word", Type::String), ("Stage", Type::Int), ("Position", Type::Int)],
        body: &[
            Step::Atom(4, &[Arg::Var(0), Arg::Var(3), Arg::Is(|_| Ok(int(0))), Arg::Var(1)]),
            Step::Atom(4, &[Arg::Var(0), Arg::Var(3), Arg::Var(4), Arg::Var(2)]),
            Step::Test(&[4], |m| Ok(command_word_17_0(m.var(4)))),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|m| command_word_17_1(m.var(1), m.var(2))),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:263:20", "format(\"{Program} {Word}\")")],
    };

    /// The rule `command_word#3`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_18: Rule = Rule {
        number: 18,
        id: "command_word#3",
        head: 28,
        variables: &[("Call", Type::String), ("Program", Type::String), ("Flag", Type::String), ("Stage", Type::Int)],
        body: &[
            Step::Atom(4, &[Arg::Var(0), Arg::Var(3), Arg::Is(|_| Ok(int(0))), Arg::Var(1)]),
            Step::Atom(5, &[Arg::Var(0), Arg::Var(3), Arg::Var(2)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|m| command_word_18_0(m.var(1), m.var(2))),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:267:20", "format(\"{Program} {Flag}\")")],
    };

    /// The rule `command_word#4`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_19: Rule = Rule {
        number: 19,
        id: "command_word#4",
        head: 28,
        variables: &[("Call", Type::String), ("Program", Type::String), ("Verb", Type::String), ("Word", Type::String), ("Stage", Type::Int), ("Position", Type::Int)],
        body: &[
            Step::Atom(4, &[Arg::Var(0), Arg::Var(4), Arg::Is(|_| Ok(int(0))), Arg::Var(1)]),
            Step::Atom(6, &[Arg::Var(0), Arg::Var(4), Arg::Var(2)]),
            Step::Atom(4, &[Arg::Var(0), Arg::Var(4), Arg::Var(5), Arg::Var(3)]),
            Step::Test(&[5], |m| Ok(command_word_19_0(m.var(5)))),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|m| command_word_19_1(m.var(1), m.var(2), m.var(3))),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:270:20", "format(\"{Program} {Verb} {Word}\")")],
    };

    /// The rule `command_word#5`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_20: Rule = Rule {
        number: 20,
        id: "command_word#5",
        head: 28,
        variables: &[("Call", Type::String), ("Program", Type::String), ("Verb", Type::String), ("Flag", Type::String), ("Stage", Type::Int)],
        body: &[
            Step::Atom(4, &[Arg::Var(0), Arg::Var(4), Arg::Is(|_| Ok(int(0))), Arg::Var(1)]),
            Step::Atom(6, &[Arg::Var(0), Arg::Var(4), Arg::Var(2)]),
            Step::Atom(5, &[Arg::Var(0), Arg::Var(4), Arg::Var(3)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|m| command_word_20_0(m.var(1), m.var(2), m.var(3))),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:275:20", "format(\"{Program} {Verb} {Flag}\")")],
    };

    /// The rule `subcommand#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_21: Rule = Rule {
        number: 21,
        id: "subcommand#1",
        head: 29,
        variables: &[("Call", Type::String), ("Program", Type::String), ("Verb", Type::String), ("Stage", Type::Int)],
        body: &[
            Step::Atom(4, &[Arg::Var(0), Arg::Var(3), Arg::Is(|_| Ok(int(0))), Arg::Var(1)]),
            Step::Atom(6, &[Arg::Var(0), Arg::Var(3), Arg::Var(2)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|m| subcommand_21_0(m.var(1), m.var(2))),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:283:18", "format(\"{Program} {Verb}\")")],
    };

    /// The rule `subcommand#2`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_22: Rule = Rule {
        number: 22,
        id: "subcommand#2",
        head: 29,
        variables: &[("Call", Type::String), ("Program", Type::String), ("Word", Type::String), ("Stage", Type::Int), ("First", Type::String), ("Position", Type::Int)],
        body: &[
            Step::Atom(4, &[Arg::Var(0), Arg::Var(3), Arg::Is(|_| Ok(int(0))), Arg::Var(1)]),
            Step::Atom(4, &[Arg::Var(0), Arg::Var(3), Arg::Is(|_| Ok(int(1))), Arg::Var(4)]),
            Step::Test(&[4], |m| Ok(subcommand_22_0(m.var(4)))),
            Step::Atom(4, &[Arg::Var(0), Arg::Var(3), Arg::Var(5), Arg::Var(2)]),
            Step::Test(&[5], |m| Ok(subcommand_22_1(m.var(5)))),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|m| subcommand_22_2(m.var(1), m.var(2))),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:286:18", "format(\"{Program} {Word}\")")],
    };

    /// The rule `subcommand#3`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_23: Rule = Rule {
        number: 23,
        id: "subcommand#3",
        head: 29,
        variables: &[("Call", Type::String), ("Program", Type::String), ("Flag", Type::String), ("Stage", Type::Int)],
        body: &[
            Step::Atom(4, &[Arg::Var(0), Arg::Var(3), Arg::Is(|_| Ok(int(0))), Arg::Var(1)]),
            Step::Atom(5, &[Arg::Var(0), Arg::Var(3), Arg::Var(2)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|m| subcommand_23_0(m.var(1), m.var(2))),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:292:18", "format(\"{Program} {Flag}\")")],
    };

    /// The rule `given_level#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_36: Rule = Rule {
        number: 36,
        id: "given_level#1",
        head: 31,
        variables: &[("Level", Type::Int), ("Since", Type::Time)],
        body: &[
            Step::Atom(16, &[Arg::Var(0), Arg::Var(1)]),
        ],
        terms: &[
            Term::Var(0),
        ],
        limit: Some(Limited {
            count: |_| Ok(int(1)),
            per: &[],
            by: &[(|m| Ok(m.var(1)), Type::Time, true), (|m| Ok(m.var(0)), Type::Int, false)],
            rank: None,
            types: &[Type::Int],
        }),
        places: &[],
    };

    /// The rule `calls_of#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_39: Rule = Rule {
        number: 39,
        id: "calls_of#1",
        head: 33,
        variables: &[("Session", Type::String), ("Tool", Type::String), ("Call", Type::String)],
        body: &[
            Step::Atom(1, &[Arg::Var(2), Arg::Var(0), Arg::Any, Arg::Var(1), Arg::Any, Arg::Any, Arg::Any]),
            Step::Atom(11, &[Arg::Var(2), Arg::Any, Arg::Any, Arg::Any]),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Of(Aggregate::Count, &[], 0),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:338:25", "count()")],
    };

    /// The rule `calls_made#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_40: Rule = Rule {
        number: 40,
        id: "calls_made#1",
        head: 34,
        variables: &[("Session", Type::String), ("Call", Type::String)],
        body: &[
            Step::Atom(1, &[Arg::Var(1), Arg::Var(0), Arg::Any, Arg::Any, Arg::Any, Arg::Any, Arg::Any]),
            Step::Atom(11, &[Arg::Var(1), Arg::Any, Arg::Any, Arg::Any]),
        ],
        terms: &[
            Term::Var(0),
            Term::Of(Aggregate::Count, &[], 0),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:345:21", "count()")],
    };

    /// The rule `session_began#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_41: Rule = Rule {
        number: 41,
        id: "session_began#1",
        head: 35,
        variables: &[("Session", Type::String), ("At", Type::Time)],
        body: &[
            Step::Atom(1, &[Arg::Any, Arg::Var(0), Arg::Any, Arg::Any, Arg::Any, Arg::Any, Arg::Var(1)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Of(Aggregate::Min, &[(Type::Time, |m| Ok(m.var(1)))], 0),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:350:24", "min(At)")],
    };

    /// The rule `session_cost#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_42: Rule = Rule {
        number: 42,
        id: "session_cost#1",
        head: 36,
        variables: &[("Session", Type::String), ("Dollars", Type::Float)],
        body: &[
            Step::Atom(14, &[Arg::Var(0), Arg::Var(1), Arg::Any]),
        ],
        terms: &[
            Term::Var(0),
            Term::Of(Aggregate::Sum, &[(Type::Float, |m| Ok(m.var(1)))], 0),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:355:23", "sum(Dollars)")],
    };

    /// The rule `failed_alike#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_43: Rule = Rule {
        number: 43,
        id: "failed_alike#1",
        head: 37,
        variables: &[("Print", Type::String), ("Call", Type::String)],
        body: &[
            Step::Atom(12, &[Arg::Var(1), Arg::Is(|_| Ok(Word::from_bool(false))), Arg::Any, Arg::Any]),
            Step::Atom(10, &[Arg::Var(1), Arg::Var(0)]),
            Step::Not(39, &[Arg::Var(1)]),
            Step::Not(40, &[Arg::Var(0)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Of(Aggregate::Count, &[], 0),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:360:21", "count()")],
    };

    /// The rule `last_change#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_44: Rule = Rule {
        number: 44,
        id: "last_change#1",
        head: 38,
        variables: &[("Session", Type::String), ("At", Type::Time), ("Call", Type::String), ("Path", Type::String)],
        body: &[
            Step::Atom(1, &[Arg::Var(2), Arg::Var(0), Arg::Any, Arg::Any, Arg::Any, Arg::Any, Arg::Any]),
            Step::Atom(12, &[Arg::Var(2), Arg::Is(|_| Ok(Word::from_bool(true))), Arg::Any, Arg::Var(1)]),
            Step::Atom(24, &[Arg::Var(2), Arg::Var(3)]),
            Step::Atom(25, &[Arg::Var(2), Arg::Var(3)]),
            Step::Not(26, &[Arg::Var(2), Arg::Var(3)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Of(Aggregate::Max, &[(Type::Time, |m| Ok(m.var(1)))], 0),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:369:22", "max(At)")],
    };

    /// The rule `concern#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_47: Rule = Rule {
        number: 47,
        id: "concern#1",
        head: 41,
        variables: &[("Call", Type::String), ("Reason", Type::String), ("Session", Type::String), ("How", Type::String), ("Path", Type::String)],
        body: &[
            Step::Atom(17, &[Arg::Var(0), Arg::Var(2)]),
            Step::Atom(22, &[Arg::Var(0), Arg::Var(3)]),
            Step::Atom(21, &[Arg::Var(2), Arg::Var(4)]),
            Step::Bind(1, &[3, 4], |m| concern_47_0(m.var(3), m.var(4))),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|_| Ok(TEXTS.word(0))),
            Term::Plain(|_| Ok(TEXTS.word(33))),
            Term::Var(1),
            Term::Plain(|_| Ok(TEXTS.word(34))),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:405:14", "format(\"{How} could send what this session read from {Path}\")")],
    };

    /// The rule `concern#2`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_48: Rule = Rule {
        number: 48,
        id: "concern#2",
        head: 41,
        variables: &[("Call", Type::String), ("Reason", Type::String), ("How", Type::String), ("Path", Type::String)],
        body: &[
            Step::Atom(17, &[Arg::Var(0), Arg::Any]),
            Step::Atom(22, &[Arg::Var(0), Arg::Var(2)]),
            Step::Atom(19, &[Arg::Var(0), Arg::Var(3)]),
            Step::Bind(1, &[2, 3], |m| concern_48_0(m.var(2), m.var(3))),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|_| Ok(TEXTS.word(0))),
            Term::Plain(|_| Ok(TEXTS.word(36))),
            Term::Var(1),
            Term::Plain(|_| Ok(TEXTS.word(37))),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:411:14", "format(\"{How} could send what the same call reads from {Path}\")")],
    };

    /// The rule `concern#3`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_49: Rule = Rule {
        number: 49,
        id: "concern#3",
        head: 41,
        variables: &[("Call", Type::String), ("Reason", Type::String), ("Path", Type::String)],
        body: &[
            Step::Atom(17, &[Arg::Var(0), Arg::Any]),
            Step::Atom(19, &[Arg::Var(0), Arg::Var(2)]),
            Step::Bind(1, &[2], |m| concern_49_0(m.var(2))),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|_| Ok(TEXTS.word(39))),
            Term::Plain(|_| Ok(TEXTS.word(40))),
            Term::Var(1),
            Term::Plain(|_| Ok(TEXTS.word(41))),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:416:14", "format(\"{Path} holds secrets\")")],
    };

    /// The rule `concern#4`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_50: Rule = Rule {
        number: 50,
        id: "concern#4",
        head: 41,
        variables: &[("Call", Type::String), ("Reason", Type::String), ("Session", Type::String), ("What", Type::String), ("Path", Type::String)],
        body: &[
            Step::Atom(17, &[Arg::Var(0), Arg::Var(2)]),
            Step::Atom(8, &[Arg::Var(0), Arg::Any, Arg::Var(3)]),
            Step::Atom(21, &[Arg::Var(2), Arg::Var(4)]),
            Step::Bind(1, &[3, 4], |m| concern_50_0(m.var(3), m.var(4))),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|_| Ok(TEXTS.word(39))),
            Term::Plain(|_| Ok(TEXTS.word(44))),
            Term::Var(1),
            Term::Plain(|_| Ok(TEXTS.word(45))),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:422:14", "format(\"nobody knows what {What} does, and this session read {Path}\")")],
    };

    /// The rule `concern#5`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_51: Rule = Rule {
        number: 51,
        id: "concern#5",
        head: 41,
        variables: &[("Call", Type::String), ("Reason", Type::String), ("Remedy", Type::String), ("Session", Type::String), ("Path", Type::String), ("Root", Type::String)],
        body: &[
            Step::Atom(17, &[Arg::Var(0), Arg::Var(3)]),
            Step::Atom(24, &[Arg::Var(0), Arg::Var(4)]),
            Step::Not(25, &[Arg::Var(0), Arg::Var(4)]),
            Step::Not(26, &[Arg::Var(0), Arg::Var(4)]),
            Step::Atom(23, &[Arg::Var(3), Arg::Var(5), Arg::Any]),
            Step::Bind(1, &[4, 5], |m| concern_51_0(m.var(4), m.var(5))),
            Step::Bind(2, &[5], |m| concern_51_1(m.var(5))),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|_| Ok(TEXTS.word(0))),
            Term::Plain(|_| Ok(TEXTS.word(49))),
            Term::Var(1),
            Term::Var(2),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:430:14", "format(\"{Path} is outside of the working tree {Root}\")"), ("rules/gate/gate.dl:431:14", "format(\"write below {Root}, or below /tmp\")")],
    };

    /// The rule `concern#6`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_52: Rule = Rule {
        number: 52,
        id: "concern#6",
        head: 41,
        variables: &[("Call", Type::String), ("Reason", Type::String), ("Path", Type::String), ("Mode", Type::Name), ("Pattern", Type::String)],
        body: &[
            Step::Atom(17, &[Arg::Var(0), Arg::Any]),
            Step::Atom(7, &[Arg::Var(0), Arg::Var(2), Arg::Var(3)]),
            Step::Test(&[3], |m| Ok(concern_52_0(m.var(3)))),
            Step::Each(4, &[], |m| Ok(Box::new(each(Generator::Elements(Type::String), &[m.param(8)])))),
            Step::Test(&[2, 4], |m| concern_52_1(m.var(2), m.var(4))),
            Step::Bind(1, &[2], |m| concern_52_2(m.var(2))),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|_| Ok(TEXTS.word(0))),
            Term::Plain(|_| Ok(TEXTS.word(51))),
            Term::Var(1),
            Term::Plain(|_| Ok(TEXTS.word(52))),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:438:5", "matches(Path, Pattern)"), ("rules/gate/gate.dl:439:14", "format(\"{Path} belongs to the gate\")")],
    };

    /// The rule `concern#7`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_53: Rule = Rule {
        number: 53,
        id: "concern#7",
        head: 41,
        variables: &[("Call", Type::String), ("Reason", Type::String), ("Session", Type::String), ("Root", Type::String)],
        body: &[
            Step::Atom(17, &[Arg::Var(0), Arg::Var(2)]),
            Step::Atom(24, &[Arg::Var(0), Arg::Var(3)]),
            Step::Atom(23, &[Arg::Var(2), Arg::Var(3), Arg::Any]),
            Step::Bind(1, &[3], |m| concern_53_0(m.var(3))),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|_| Ok(TEXTS.word(39))),
            Term::Plain(|_| Ok(TEXTS.word(55))),
            Term::Var(1),
            Term::Plain(|_| Ok(TEXTS.word(56))),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:451:14", "format(\"that may change any file of {Root}, those of the gate among them\")")],
    };

    /// The rule `concern#8`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_54: Rule = Rule {
        number: 54,
        id: "concern#8",
        head: 41,
        variables: &[("Call", Type::String), ("Reason", Type::String), ("Stage", Type::Int), ("Verb", Type::String)],
        body: &[
            Step::Atom(17, &[Arg::Var(0), Arg::Any]),
            Step::Atom(4, &[Arg::Var(0), Arg::Var(2), Arg::Is(|_| Ok(int(0))), Arg::Is(|_| Ok(TEXTS.word(57)))]),
            Step::Atom(6, &[Arg::Var(0), Arg::Var(2), Arg::Var(3)]),
            Step::Test(&[3], |m| Ok(concern_54_0(m.var(3), m.param(24)))),
            Step::Bind(1, &[3], |m| concern_54_1(m.var(3))),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|_| Ok(TEXTS.word(0))),
            Term::Plain(|_| Ok(TEXTS.word(60))),
            Term::Var(1),
            Term::Plain(|_| Ok(TEXTS.word(61))),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:458:14", "format(\"hence {Verb} changes what the gate knows\")")],
    };

    /// The rule `concern#9`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_55: Rule = Rule {
        number: 55,
        id: "concern#9",
        head: 41,
        variables: &[("Call", Type::String), ("Reason", Type::String), ("Session", Type::String), ("Path", Type::String), ("Kept", Type::String)],
        body: &[
            Step::Atom(17, &[Arg::Var(0), Arg::Var(2)]),
            Step::Atom(7, &[Arg::Var(0), Arg::Var(3), Arg::Is(|_| Ok(TEXTS.word(7)))]),
            Step::Atom(43, &[Arg::Var(2), Arg::Var(4)]),
            Step::Test(&[3, 4], |m| concern_55_1(m.var(3), m.var(4))),
            Step::Bind(1, &[3], |m| concern_55_0(m.var(3))),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|_| Ok(TEXTS.word(0))),
            Term::Plain(|_| Ok(TEXTS.word(64))),
            Term::Var(1),
            Term::Plain(|_| Ok(TEXTS.word(65))),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:464:66", "concat(Path, \"/\")"), ("rules/gate/gate.dl:465:14", "format(\"that removes {Path} with all that is in it\")")],
    };

    /// The rule `concern#10`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_56: Rule = Rule {
        number: 56,
        id: "concern#10",
        head: 41,
        variables: &[("Call", Type::String), ("Reason", Type::String), ("Stage", Type::Int), ("Program", Type::String), ("Path", Type::String)],
        body: &[
            Step::Atom(17, &[Arg::Var(0), Arg::Any]),
            Step::Atom(4, &[Arg::Var(0), Arg::Var(2), Arg::Is(|_| Ok(int(0))), Arg::Var(3)]),
            Step::Test(&[3], |m| Ok(concern_56_0(m.var(3)))),
            Step::Atom(44, &[Arg::Var(0), Arg::Var(2)]),
            Step::Atom(7, &[Arg::Var(0), Arg::Var(4), Arg::Is(|_| Ok(TEXTS.word(7)))]),
            Step::Not(45, &[Arg::Var(0), Arg::Var(4)]),
            Step::Bind(1, &[3, 4], |m| concern_56_1(m.var(3), m.var(4))),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|_| Ok(TEXTS.word(39))),
            Term::Plain(|_| Ok(TEXTS.word(70))),
            Term::Var(1),
            Term::Plain(|_| Ok(TEXTS.word(71))),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:474:14", "format(\"{Program} removes {Path} with all that is in it\")")],
    };

    /// The rule `concern#11`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_57: Rule = Rule {
        number: 57,
        id: "concern#11",
        head: 41,
        variables: &[("Call", Type::String), ("Reason", Type::String), ("Words", Type::String)],
        body: &[
            Step::Atom(17, &[Arg::Var(0), Arg::Any]),
            Step::Atom(28, &[Arg::Var(0), Arg::Var(2)]),
            Step::Test(&[2], |m| Ok(concern_57_0(m.var(2), m.param(16)))),
            Step::Bind(1, &[2], |m| concern_57_1(m.var(2))),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|_| Ok(TEXTS.word(39))),
            Term::Plain(|_| Ok(TEXTS.word(73))),
            Term::Var(1),
            Term::Plain(|_| Ok(TEXTS.word(74))),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:480:14", "format(\"{Words} throws away what can't be had again\")")],
    };

    /// The rule `concern#12`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_58: Rule = Rule {
        number: 58,
        id: "concern#12",
        head: 41,
        variables: &[("Call", Type::String), ("Reason", Type::String), ("Program", Type::String)],
        body: &[
            Step::Atom(17, &[Arg::Var(0), Arg::Any]),
            Step::Atom(4, &[Arg::Var(0), Arg::Any, Arg::Is(|_| Ok(int(0))), Arg::Var(2)]),
            Step::Test(&[2], |m| Ok(concern_58_0(m.var(2), m.param(14)))),
            Step::Bind(1, &[2], |m| concern_58_1(m.var(2))),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|_| Ok(TEXTS.word(0))),
            Term::Plain(|_| Ok(TEXTS.word(76))),
            Term::Var(1),
            Term::Plain(|_| Ok(TEXTS.word(77))),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:486:14", "format(\"{Program} changes the whole machine\")")],
    };

    /// The rule `concern#13`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_59: Rule = Rule {
        number: 59,
        id: "concern#13",
        head: 41,
        variables: &[("Call", Type::String), ("Reason", Type::String), ("Program", Type::String)],
        body: &[
            Step::Atom(17, &[Arg::Var(0), Arg::Any]),
            Step::Atom(4, &[Arg::Var(0), Arg::Any, Arg::Is(|_| Ok(int(0))), Arg::Var(2)]),
            Step::Test(&[2], |m| Ok(concern_59_0(m.var(2), m.param(15)))),
            Step::Bind(1, &[2], |m| concern_59_1(m.var(2))),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|_| Ok(TEXTS.word(39))),
            Term::Plain(|_| Ok(TEXTS.word(79))),
            Term::Var(1),
            Term::Plain(|_| Ok(TEXTS.word(80))),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:492:14", "format(\"{Program} acts with other rights, or later\")")],
    };

    /// The rule `concern#14`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_60: Rule = Rule {
        number: 60,
        id: "concern#14",
        head: 41,
        variables: &[("Call", Type::String), ("Reason", Type::String), ("Words", Type::String)],
        body: &[
            Step::Atom(17, &[Arg::Var(0), Arg::Any]),
            Step::Atom(28, &[Arg::Var(0), Arg::Var(2)]),
            Step::Test(&[2], |m| Ok(concern_60_0(m.var(2), m.param(17)))),
            Step::Bind(1, &[2], |m| concern_60_1(m.var(2))),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|_| Ok(TEXTS.word(39))),
            Term::Plain(|_| Ok(TEXTS.word(82))),
            Term::Var(1),
            Term::Plain(|_| Ok(TEXTS.word(83))),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:498:14", "format(\"{Words} is seen by other people\")")],
    };

    /// The rule `concern#15`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_61: Rule = Rule {
        number: 61,
        id: "concern#15",
        head: 41,
        variables: &[("Call", Type::String), ("Reason", Type::String), ("Words", Type::String)],
        body: &[
            Step::Atom(17, &[Arg::Var(0), Arg::Any]),
            Step::Atom(29, &[Arg::Var(0), Arg::Var(2)]),
            Step::Test(&[2], |m| Ok(concern_61_0(m.var(2), m.param(18)))),
            Step::Bind(1, &[2], |m| concern_61_1(m.var(2))),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|_| Ok(TEXTS.word(39))),
            Term::Plain(|_| Ok(TEXTS.word(85))),
            Term::Var(1),
            Term::Plain(|_| Ok(TEXTS.word(86))),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:504:14", "format(\"{Words} brings in other people's code\")")],
    };

    /// The rule `concern#16`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_62: Rule = Rule {
        number: 62,
        id: "concern#16",
        head: 41,
        variables: &[("Call", Type::String), ("Reason", Type::String), ("Branch", Type::String)],
        body: &[
            Step::Atom(17, &[Arg::Var(0), Arg::Any]),
            Step::Atom(46, &[Arg::Var(0), Arg::Var(2)]),
            Step::Bind(1, &[2], |m| concern_62_0(m.var(2))),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|_| Ok(TEXTS.word(0))),
            Term::Plain(|_| Ok(TEXTS.word(88))),
            Term::Var(1),
            Term::Plain(|_| Ok(TEXTS.word(89))),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:515:14", "format(\"{Branch} is a protected branch\")")],
    };

    /// The rule `concern#17`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_63: Rule = Rule {
        number: 63,
        id: "concern#17",
        head: 41,
        variables: &[("Call", Type::String), ("Reason", Type::String), ("Remedy", Type::String), ("Why", Type::Name), ("What", Type::String)],
        body: &[
            Step::Atom(17, &[Arg::Var(0), Arg::Any]),
            Step::Atom(8, &[Arg::Var(0), Arg::Var(3), Arg::Var(4)]),
            Step::Atom(42, &[Arg::Var(3), Arg::Var(2)]),
            Step::Bind(1, &[3, 4], |m| concern_63_0(m.var(3), m.var(4))),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|_| Ok(TEXTS.word(39))),
            Term::Plain(|_| Ok(TEXTS.word(91))),
            Term::Var(1),
            Term::Var(2),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:521:14", "format(\"{Why} hides what the command does: {What}\")")],
    };

    /// The rule `concern#18`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_64: Rule = Rule {
        number: 64,
        id: "concern#18",
        head: 41,
        variables: &[("Call", Type::String), ("Reason", Type::String), ("What", Type::String)],
        body: &[
            Step::Atom(17, &[Arg::Var(0), Arg::Any]),
            Step::Atom(8, &[Arg::Var(0), Arg::Is(|_| Ok(TEXTS.word(92))), Arg::Var(2)]),
            Step::Not(25, &[Arg::Var(0), Arg::Var(2)]),
            Step::Bind(1, &[2], |m| concern_64_0(m.var(2))),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|_| Ok(TEXTS.word(39))),
            Term::Plain(|_| Ok(TEXTS.word(94))),
            Term::Var(1),
            Term::Plain(|_| Ok(TEXTS.word(95))),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:527:14", "format(\"{What} is no script of the working tree\")")],
    };

    /// The rule `concern#19`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_65: Rule = Rule {
        number: 65,
        id: "concern#19",
        head: 41,
        variables: &[("Call", Type::String), ("Reason", Type::String), ("Session", Type::String), ("What", Type::String)],
        body: &[
            Step::Atom(17, &[Arg::Var(0), Arg::Var(2)]),
            Step::Atom(8, &[Arg::Var(0), Arg::Is(|_| Ok(TEXTS.word(92))), Arg::Var(3)]),
            Step::Atom(27, &[Arg::Var(2), Arg::Var(3)]),
            Step::Bind(1, &[3], |m| concern_65_0(m.var(3))),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|_| Ok(TEXTS.word(39))),
            Term::Plain(|_| Ok(TEXTS.word(98))),
            Term::Var(1),
            Term::Plain(|_| Ok(TEXTS.word(99))),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:533:14", "format(\"this session wrote {What} itself\")")],
    };

    /// The rule `concern#20`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_66: Rule = Rule {
        number: 66,
        id: "concern#20",
        head: 41,
        variables: &[("Call", Type::String), ("Reason", Type::String), ("Session", Type::String), ("Why", Type::Name), ("What", Type::String), ("Path", Type::String), ("Pattern", Type::String)],
        body: &[
            Step::Atom(17, &[Arg::Var(0), Arg::Var(2)]),
            Step::Atom(8, &[Arg::Var(0), Arg::Var(3), Arg::Var(4)]),
            Step::Test(&[3], |m| Ok(concern_66_0(m.var(3)))),
            Step::Atom(27, &[Arg::Var(2), Arg::Var(5)]),
            Step::Each(6, &[], |m| Ok(Box::new(each(Generator::Elements(Type::String), &[m.param(9)])))),
            Step::Test(&[5, 6], |m| concern_66_1(m.var(5), m.var(6))),
            Step::Bind(1, &[4, 5], |m| concern_66_2(m.var(4), m.var(5))),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|_| Ok(TEXTS.word(39))),
            Term::Plain(|_| Ok(TEXTS.word(102))),
            Term::Var(1),
            Term::Plain(|_| Ok(TEXTS.word(103))),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:541:5", "matches(Path, Pattern)"), ("rules/gate/gate.dl:542:14", "format(\"{What} may run what this session wrote to {Path}\")")],
    };

    /// The rule `concern#21`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_67: Rule = Rule {
        number: 67,
        id: "concern#21",
        head: 41,
        variables: &[("Call", Type::String), ("Reason", Type::String), ("Path", Type::String)],
        body: &[
            Step::Atom(17, &[Arg::Var(0), Arg::Any]),
            Step::Atom(24, &[Arg::Var(0), Arg::Var(2)]),
            Step::Test(&[2], |m| Ok(concern_67_0(m.var(2)))),
            Step::Bind(1, &[2], |m| concern_67_1(m.var(2))),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|_| Ok(TEXTS.word(39))),
            Term::Plain(|_| Ok(TEXTS.word(106))),
            Term::Var(1),
            Term::Plain(|_| Ok(TEXTS.word(107))),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:548:14", "format(\"git may run what {Path} says\")")],
    };

    /// The rule `concern#22`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_68: Rule = Rule {
        number: 68,
        id: "concern#22",
        head: 41,
        variables: &[("Call", Type::String), ("Reason", Type::String), ("Program", Type::String)],
        body: &[
            Step::Atom(17, &[Arg::Var(0), Arg::Any]),
            Step::Atom(4, &[Arg::Var(0), Arg::Any, Arg::Is(|_| Ok(int(0))), Arg::Var(2)]),
            Step::Not(49, &[Arg::Var(0), Arg::Var(2)]),
            Step::Bind(1, &[2], |m| concern_68_0(m.var(2))),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|_| Ok(TEXTS.word(39))),
            Term::Plain(|_| Ok(TEXTS.word(109))),
            Term::Var(1),
            Term::Plain(|_| Ok(TEXTS.word(110))),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:554:14", "format(\"no rule knows the program {Program}\")")],
    };

    /// The rule `concern#23`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_69: Rule = Rule {
        number: 69,
        id: "concern#23",
        head: 41,
        variables: &[("Call", Type::String), ("Reason", Type::String), ("Tool", Type::String)],
        body: &[
            Step::Atom(17, &[Arg::Var(0), Arg::Any]),
            Step::Atom(1, &[Arg::Var(0), Arg::Any, Arg::Any, Arg::Var(2), Arg::Any, Arg::Any, Arg::Any]),
            Step::Test(&[2], |m| Ok(concern_69_0(m.var(2)))),
            Step::Not(30, &[Arg::Var(0), Arg::Var(2), Arg::Any]),
            Step::Bind(1, &[2], |m| concern_69_1(m.var(2))),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|_| Ok(TEXTS.word(39))),
            Term::Plain(|_| Ok(TEXTS.word(113))),
            Term::Var(1),
            Term::Plain(|_| Ok(TEXTS.word(114))),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:561:14", "format(\"no rule knows the tool {Tool}\")")],
    };

    /// The rule `concern#24`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_70: Rule = Rule {
        number: 70,
        id: "concern#24",
        head: 41,
        variables: &[("Call", Type::String), ("Reason", Type::String), ("What", Type::String), ("Needed", Type::Int), ("Level", Type::Int)],
        body: &[
            Step::Atom(17, &[Arg::Var(0), Arg::Any]),
            Step::Atom(30, &[Arg::Var(0), Arg::Var(2), Arg::Var(3)]),
            Step::Atom(32, &[Arg::Var(4)]),
            Step::Test(&[3, 4], |m| Ok(concern_70_0(m.var(3), m.var(4)))),
            Step::Bind(1, &[2, 3, 4], |m| concern_70_1(m.var(2), m.var(3), m.var(4))),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|_| Ok(TEXTS.word(39))),
            Term::Plain(|_| Ok(TEXTS.word(117))),
            Term::Var(1),
            Term::Plain(|_| Ok(TEXTS.word(118))),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:568:14", "format(\"{What} needs level {Needed}, and the agent is at level {Level}\")")],
    };

    /// The rule `concern#25`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_71: Rule = Rule {
        number: 71,
        id: "concern#25",
        head: 41,
        variables: &[("Call", Type::String), ("Reason", Type::String), ("Session", Type::String), ("Calls", Type::Int)],
        body: &[
            Step::Atom(17, &[Arg::Var(0), Arg::Var(2)]),
            Step::Atom(34, &[Arg::Var(2), Arg::Var(3)]),
            Step::Test(&[3], |m| Ok(concern_71_0(m.var(3), m.param(1)))),
            Step::Bind(1, &[3], |m| concern_71_1(m.var(3), m.param(1))),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|_| Ok(TEXTS.word(39))),
            Term::Plain(|_| Ok(TEXTS.word(122))),
            Term::Var(1),
            Term::Plain(|_| Ok(TEXTS.word(123))),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:574:14", "format(\"the session has made {Calls} calls; {most_calls} are allowed\")")],
    };

    /// The rule `concern#26`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_72: Rule = Rule {
        number: 72,
        id: "concern#26",
        head: 41,
        variables: &[("Call", Type::String), ("Reason", Type::String), ("Session", Type::String), ("Tool", Type::String), ("Calls", Type::Int)],
        body: &[
            Step::Atom(17, &[Arg::Var(0), Arg::Var(2)]),
            Step::Atom(1, &[Arg::Var(0), Arg::Any, Arg::Any, Arg::Var(3), Arg::Any, Arg::Any, Arg::Any]),
            Step::Atom(33, &[Arg::Var(2), Arg::Var(3), Arg::Var(4)]),
            Step::Test(&[4], |m| Ok(concern_72_0(m.var(4), m.param(2)))),
            Step::Bind(1, &[3, 4], |m| concern_72_1(m.var(3), m.var(4), m.param(2))),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|_| Ok(TEXTS.word(39))),
            Term::Plain(|_| Ok(TEXTS.word(126))),
            Term::Var(1),
            Term::Plain(|_| Ok(TEXTS.word(127))),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:582:11", "format(\"the session has called {Tool} {Calls} times; {most_calls_of_a_tool} are allowed\")")],
    };

    /// The rule `concern#27`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_73: Rule = Rule {
        number: 73,
        id: "concern#27",
        head: 41,
        variables: &[("Call", Type::String), ("Reason", Type::String), ("Session", Type::String), ("At", Type::Time), ("Began", Type::Time)],
        body: &[
            Step::Atom(17, &[Arg::Var(0), Arg::Var(2)]),
            Step::Atom(1, &[Arg::Var(0), Arg::Any, Arg::Any, Arg::Any, Arg::Any, Arg::Any, Arg::Var(3)]),
            Step::Atom(35, &[Arg::Var(2), Arg::Var(4)]),
            Step::Test(&[3, 4], |m| concern_73_0(m.var(3), m.var(4), m.param(3))),
            Step::Bind(1, &[4], |m| concern_73_1(m.var(4), m.param(3))),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|_| Ok(TEXTS.word(39))),
            Term::Plain(|_| Ok(TEXTS.word(130))),
            Term::Var(1),
            Term::Plain(|_| Ok(TEXTS.word(123))),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:588:5", "At - Began"), ("rules/gate/gate.dl:589:14", "format(\"the session began at {Began}, and {longest_session} are allowed\")")],
    };

    /// The rule `concern#28`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_74: Rule = Rule {
        number: 74,
        id: "concern#28",
        head: 41,
        variables: &[("Call", Type::String), ("Reason", Type::String), ("Session", Type::String), ("Dollars", Type::Float)],
        body: &[
            Step::Atom(17, &[Arg::Var(0), Arg::Var(2)]),
            Step::Atom(36, &[Arg::Var(2), Arg::Var(3)]),
            Step::Test(&[3], |m| Ok(concern_74_0(m.var(3), m.param(4)))),
            Step::Bind(1, &[3], |m| concern_74_1(m.var(3), m.param(4))),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|_| Ok(TEXTS.word(39))),
            Term::Plain(|_| Ok(TEXTS.word(133))),
            Term::Var(1),
            Term::Plain(|_| Ok(TEXTS.word(134))),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:595:14", "format(\"the session has cost {Dollars:.2} dollars; {most_dollars:.2} are allowed\")")],
    };

    /// The rule `concern#29`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_75: Rule = Rule {
        number: 75,
        id: "concern#29",
        head: 41,
        variables: &[("Call", Type::String), ("Reason", Type::String), ("Print", Type::String), ("Times", Type::Int)],
        body: &[
            Step::Atom(17, &[Arg::Var(0), Arg::Any]),
            Step::Atom(10, &[Arg::Var(0), Arg::Var(2)]),
            Step::Atom(37, &[Arg::Var(2), Arg::Var(3)]),
            Step::Test(&[3], |m| Ok(concern_75_0(m.var(3), m.param(5)))),
            Step::Bind(1, &[3], |m| concern_75_1(m.var(3))),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|_| Ok(TEXTS.word(0))),
            Term::Plain(|_| Ok(TEXTS.word(137))),
            Term::Var(1),
            Term::Plain(|_| Ok(TEXTS.word(138))),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:602:14", "format(\"the very same call has failed {Times} times\")")],
    };

    /// The rule `kept#2`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_77: Rule = Rule {
        number: 77,
        id: "kept#2",
        head: 43,
        variables: &[("Session", Type::String), ("Root", Type::String)],
        body: &[
            Step::Atom(23, &[Arg::Var(0), Arg::Var(1), Arg::Any]),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|m| kept_77_0(m.var(1))),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:621:15", "concat(Root, \"/.git\")")],
    };

    /// The rule `generated#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_79: Rule = Rule {
        number: 79,
        id: "generated#1",
        head: 45,
        variables: &[("Call", Type::String), ("Path", Type::String), ("Session", Type::String), ("Root", Type::String), ("Below", Type::String), ("Pattern", Type::String)],
        body: &[
            Step::Atom(1, &[Arg::Var(0), Arg::Var(2), Arg::Any, Arg::Any, Arg::Any, Arg::Any, Arg::Any]),
            Step::Atom(23, &[Arg::Var(2), Arg::Var(3), Arg::Any]),
            Step::Atom(7, &[Arg::Var(0), Arg::Var(1), Arg::Is(|_| Ok(TEXTS.word(7)))]),
            Step::Bind(4, &[1, 3], |m| generated_79_0(m.var(1), m.var(3))),
            Step::Each(5, &[], |m| Ok(Box::new(each(Generator::Elements(Type::String), &[m.param(11)])))),
            Step::Test(&[4, 5], |m| generated_79_1(m.var(4), m.var(5))),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:635:34", "concat(Root, \"/\")"), ("rules/gate/gate.dl:635:54", "substring(Path, len(Root), len(Path))"), ("rules/gate/gate.dl:637:5", "matches(Below, Pattern)")],
    };

    /// The rule `pushes_to#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_80: Rule = Rule {
        number: 80,
        id: "pushes_to#1",
        head: 46,
        variables: &[("Call", Type::String), ("Branch", Type::String), ("Stage", Type::Int), ("Word", Type::String)],
        body: &[
            Step::Atom(4, &[Arg::Var(0), Arg::Var(2), Arg::Is(|_| Ok(int(0))), Arg::Is(|_| Ok(TEXTS.word(4)))]),
            Step::Atom(6, &[Arg::Var(0), Arg::Var(2), Arg::Is(|_| Ok(TEXTS.word(16)))]),
            Step::Atom(4, &[Arg::Var(0), Arg::Var(2), Arg::Any, Arg::Var(3)]),
            Step::Each(1, &[], |m| Ok(Box::new(each(Generator::Elements(Type::String), &[m.param(12)])))),
            Step::Test(&[1, 3], |m| pushes_to_80_0(m.var(1), m.var(3))),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:647:14", "replace_all(Word, r\"^(.*:|\\+)?(refs/)?(heads/)?\", \"\")")],
    };

    /// The rule `lifted#2`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_93: Rule = Rule {
        number: 93,
        id: "lifted#2",
        head: 52,
        variables: &[("Call", Type::String), ("Rule", Type::Name), ("Wanted", Type::String), ("Subject", Type::String)],
        body: &[
            Step::Atom(53, &[Arg::Var(0), Arg::Var(1), Arg::Is(|_| Ok(TEXTS.word(27))), Arg::Var(2)]),
            Step::Not(51, &[Arg::Var(0)]),
            Step::Test(&[2], |m| Ok(lifted_93_0(m.var(2)))),
            Step::Atom(50, &[Arg::Var(0), Arg::Var(3)]),
            Step::Test(&[2, 3], |m| lifted_93_1(m.var(3), m.var(2))),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:712:26", "replace_all(Wanted, r\"\\*$\", \"\")")],
    };

    /// The rule `approved#1`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_95: Rule = Rule {
        number: 95,
        id: "approved#1",
        head: 53,
        variables: &[("Call", Type::String), ("Rule", Type::Name), ("Scope", Type::String), ("Subject", Type::String), ("Session", Type::String), ("From", Type::Time), ("Lasts", Type::Duration), ("At", Type::Time)],
        body: &[
            Step::Atom(17, &[Arg::Var(0), Arg::Var(4)]),
            Step::Atom(15, &[Arg::Var(1), Arg::Var(2), Arg::Var(3), Arg::Any, Arg::Var(5), Arg::Var(6)]),
            Step::Test(&[2, 4], |m| approved_95_1(m.var(2), m.var(4))),
            Step::Atom(1, &[Arg::Var(0), Arg::Any, Arg::Any, Arg::Any, Arg::Any, Arg::Any, Arg::Var(7)]),
            Step::Test(&[5, 7], |m| Ok(approved_95_0(m.var(7), m.var(5)))),
            Step::Test(&[5, 6, 7], |m| approved_95_2(m.var(7), m.var(5), m.var(6))),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Var(2),
            Term::Var(3),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:721:67", "concat(\"\\\\\", Session)"), ("rules/gate/gate.dl:724:10", "From + Lasts")],
    };

    /// The rule `strictest_concern`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_96: Rule = Rule {
        number: 96,
        id: "strictest_concern",
        head: 55,
        variables: &[("Call", Type::String), ("Kind", Type::Name), ("Rule", Type::Name), ("Reason", Type::String), ("Remedy", Type::String), ("Rank", Type::Int)],
        body: &[
            Step::Atom(41, &[Arg::Var(0), Arg::Var(1), Arg::Var(2), Arg::Var(3), Arg::Var(4)]),
            Step::Not(52, &[Arg::Var(0), Arg::Var(2)]),
            Step::Atom(54, &[Arg::Var(1), Arg::Var(5)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Var(1),
            Term::Var(2),
            Term::Var(3),
            Term::Var(4),
        ],
        limit: Some(Limited {
            count: |_| Ok(int(1)),
            per: &[0],
            by: &[(|m| Ok(m.var(5)), Type::Int, false), (|m| Ok(m.var(2)), Type::Name, false), (|m| Ok(m.var(3)), Type::String, false)],
            rank: None,
            types: &[Type::String, Type::Name, Type::Name, Type::String, Type::String],
        }),
        places: &[],
    };

    /// The rule `no_concern`, beside its `crepe!` program.
    #[rustfmt::skip]
    static RULE_97: Rule = Rule {
        number: 97,
        id: "no_concern",
        head: 55,
        variables: &[("Call", Type::String), ("Tool", Type::String)],
        body: &[
            Step::Atom(17, &[Arg::Var(0), Arg::Any]),
            Step::Atom(1, &[Arg::Var(0), Arg::Any, Arg::Any, Arg::Var(1), Arg::Any, Arg::Any, Arg::Any]),
            Step::Not(56, &[Arg::Var(0)]),
        ],
        terms: &[
            Term::Var(0),
            Term::Plain(|_| Ok(TEXTS.word(139))),
            Term::Plain(|_| Ok(TEXTS.word(140))),
            Term::Plain(|m| verdict_97_0(m.var(1))),
            Term::Plain(|_| Ok(TEXTS.word(18))),
        ],
        limit: None,
        places: &[("rules/gate/gate.dl:749:36", "format(\"nothing speaks against {Tool}\")")],
    };

    mod program_0 {
        use super::*;
        // Only crepe sees what `cfg(any())` removes below: relations of one width share a struct.
        #[rustfmt::skip]
        use super::{
            Row7 as R1AgentCall,
            Row4 as R4Argv,
            Row3 as R5Flag,
            Row3 as R6Verb,
            Row3 as R7FileAccess,
            Row4 as R9Tree,
            Row2 as R10SameAs,
            Row4 as R11Judged,
            Row4 as R12Ran,
            Row2 as R17Pending,
            Row2 as R18Passed,
            Row2 as R19Secret,
            Row2 as R20Example,
            Row2 as R21SecretKnown,
            Row2 as R22Sends,
            Row2 as R24Changes,
            Row2 as R26Scratch,
            Row2 as R27Written,
            Row2 as R28CommandWord,
            Row2 as R29Subcommand,
            Row3 as R30Rung,
            Row1 as R40SucceededOnce,
            Row2 as R44RemovesFolders,
            Row2 as R46PushesTo,
            Row3 as R47GoesTo,
            Row2 as R48NamesFiles,
            Row2 as R49Known,
            Row2 as R50Subject,
            Row1 as R51Compound,
            Row2 as R52Lifted,
            Row4 as R53Approved,
            Row1 as R57Ungated,
            Row10 as M10,
            Row2 as M36,
            Row10 as M39,
            Row10 as M40,
            Row7 as M41,
            Row3 as M42,
        };

        crepe::crepe! {
            @input
            #[cfg(any())]
            struct Source<'a>(Input<'a>);
            @output
            #[cfg(any())]
            struct R17Pending(Word, Word);
            @output
            #[cfg(any())]
            struct R18Passed(Word, Word);
            @output
            #[cfg(any())]
            struct R19Secret(Word, Word);
            @output
            #[cfg(any())]
            struct R20Example(Word, Word);
            @output
            #[cfg(any())]
            struct R21SecretKnown(Word, Word);
            @output
            #[cfg(any())]
            struct R22Sends(Word, Word);
            @output
            #[cfg(any())]
            struct R24Changes(Word, Word);
            @output
            #[cfg(any())]
            struct R26Scratch(Word, Word);
            @output
            #[cfg(any())]
            struct R27Written(Word, Word);
            @output
            #[cfg(any())]
            struct R28CommandWord(Word, Word);
            @output
            #[cfg(any())]
            struct R29Subcommand(Word, Word);
            @output
            #[cfg(any())]
            struct R30Rung(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R40SucceededOnce(Word);
            @output
            #[cfg(any())]
            struct R44RemovesFolders(Word, Word);
            @output
            #[cfg(any())]
            struct R46PushesTo(Word, Word);
            @output
            #[cfg(any())]
            struct R47GoesTo(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R48NamesFiles(Word, Word);
            @output
            #[cfg(any())]
            struct R49Known(Word, Word);
            @output
            #[cfg(any())]
            struct R50Subject(Word, Word);
            @output
            #[cfg(any())]
            struct R51Compound(Word);
            @output
            #[cfg(any())]
            struct R52Lifted(Word, Word);
            @output
            #[cfg(any())]
            struct R53Approved(Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R57Ungated(Word);
            @output
            #[cfg(any())]
            struct M10(Word, Word, Word, Word, Word, Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct M36(Word, Word);
            @output
            #[cfg(any())]
            struct M39(Word, Word, Word, Word, Word, Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct M40(Word, Word, Word, Word, Word, Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct M41(Word, Word, Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct M42(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R1AgentCall(Word, Word, Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R4Argv(Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R5Flag(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R6Verb(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R7FileAccess(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R9Tree(Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R10SameAs(Word, Word);
            @output
            #[cfg(any())]
            struct R11Judged(Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R12Ran(Word, Word, Word, Word);

            R1AgentCall(c0, c1, c2, c3, c4, c5, c6) <-
                Source(input),
                for [c0, c1, c2, c3, c4, c5, c6] in input.rows(1);

            R4Argv(c0, c1, c2, c3) <-
                Source(input),
                for [c0, c1, c2, c3] in input.rows(4);

            R5Flag(c0, c1, c2) <-
                Source(input),
                for [c0, c1, c2] in input.rows(5);

            R6Verb(c0, c1, c2) <-
                Source(input),
                for [c0, c1, c2] in input.rows(6);

            R7FileAccess(c0, c1, c2) <-
                Source(input),
                for [c0, c1, c2] in input.rows(7);

            R9Tree(c0, c1, c2, c3) <-
                Source(input),
                for [c0, c1, c2, c3] in input.rows(9);

            R10SameAs(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(10);

            R11Judged(c0, c1, c2, c3) <-
                Source(input),
                for [c0, c1, c2, c3] in input.rows(11);

            R12Ran(c0, c1, c2, c3) <-
                Source(input),
                for [c0, c1, c2, c3] in input.rows(12);

            // pending#1
            R17Pending(call_0, session_1) <-
                R1AgentCall(call_0, session_1, _, _, _, _, _),
                !R11Judged(call_0, _, _, _),
                (go());

            // passed#1
            R18Passed(call_0, session_1) <-
                R1AgentCall(call_0, session_1, _, _, _, _, _),
                R11Judged(call_0, kind_2, _, _),
                (passed_1_0(kind_2).as_bool()),
                (go());

            // passed#2
            R18Passed(call_0, session_1) <-
                Source(input),
                for row_1 in input.rows(13),
                let [call_0] = row_1,
                R1AgentCall(call_0, session_1, _, _, _, _, _),
                R11Judged(call_0, _, _, _),
                (go());

            // secret#1
            R19Secret(call_0, path_1) <-
                Source(input),
                let p6 = input.param(6),
                for element_3 in each(Generator::Elements(Type::String), &[p6]),
                let pattern_3 = element_3,
                R7FileAccess(call_0, path_1, mode_2),
                (secret_3_0(mode_2).as_bool()),
                !R20Example(call_0, path_1),
                let Some(true) = held(3, secret_3_1(path_1, pattern_3)),
                (go());

            // example#1
            R20Example(call_0, path_1) <-
                Source(input),
                let p7 = input.param(7),
                for element_2 in each(Generator::Elements(Type::String), &[p7]),
                let pattern_2 = element_2,
                R7FileAccess(call_0, path_1, _),
                let Some(true) = held(4, example_4_0(path_1, pattern_2)),
                (go());

            // secret_known#1
            R21SecretKnown(session_0, path_1) <-
                R18Passed(call_2, session_0),
                R19Secret(call_2, path_1),
                (go());

            // sends#1
            R22Sends(call_0, program_1) <-
                Source(input),
                let p13 = input.param(13),
                R4Argv(call_0, _, int(0), program_1),
                (sends_6_0(program_1, p13).as_bool()),
                (go());

            // sends#2
            R22Sends(call_0, head_1) <-
                Source(input),
                let p23 = input.param(23),
                R4Argv(call_0, stage_2, int(0), TEXTS.word(4)),
                R6Verb(call_0, stage_2, verb_1),
                (sends_7_0(verb_1, p23).as_bool()),
                let Some(head_1) = tried(7, sends_7_1(verb_1)),
                (go());

            // sends#3
            R22Sends(call_0, path_1) <-
                R7FileAccess(call_0, path_1, _),
                (sends_8_0(path_1).as_bool()),
                (go());

            // sends#4
            R22Sends(call_0, tool_1) <-
                R1AgentCall(call_0, _, _, tool_1, _, _, _),
                (sends_9_0(tool_1).as_bool()),
                (go());

            // session_tree#1
            M10(session_0, root_1, home_2, call_3, at_4, open_1, open_2, open_3, open_4, open_5) <-
                R1AgentCall(call_3, session_0, open_1, open_2, open_3, open_4, at_4),
                R9Tree(call_3, root_1, open_5, home_2),
                (go());

            // changes#1
            R24Changes(call_0, path_1) <-
                R7FileAccess(call_0, path_1, mode_2),
                (changes_11_0(mode_2).as_bool()),
                (go());

            // scratch#1
            R26Scratch(call_0, path_1) <-
                Source(input),
                let p10 = input.param(10),
                for element_2 in each(Generator::Elements(Type::String), &[p10]),
                let pattern_2 = element_2,
                R7FileAccess(call_0, path_1, _),
                let Some(true) = held(13, scratch_13_0(path_1, pattern_2)),
                (go());

            // written#1
            R27Written(session_0, path_1) <-
                R18Passed(call_2, session_0),
                R7FileAccess(call_2, path_1, TEXTS.word(6)),
                (go());

            // written#2
            R27Written(session_0, path_1) <-
                R17Pending(call_2, session_0),
                R7FileAccess(call_2, path_1, TEXTS.word(6)),
                (go());

            // command_word#1
            R28CommandWord(call_0, program_1) <-
                R4Argv(call_0, _, int(0), program_1),
                (go());

            // command_word#2
            R28CommandWord(call_0, head_1) <-
                R4Argv(call_0, stage_3, int(0), program_1),
                R4Argv(call_0, stage_3, position_4, word_2),
                (command_word_17_0(position_4).as_bool()),
                let Some(head_1) = tried(17, command_word_17_1(program_1, word_2)),
                (go());

            // command_word#3
            R28CommandWord(call_0, head_1) <-
                R4Argv(call_0, stage_3, int(0), program_1),
                R5Flag(call_0, stage_3, flag_2),
                let Some(head_1) = tried(18, command_word_18_0(program_1, flag_2)),
                (go());

            // command_word#4
            R28CommandWord(call_0, head_1) <-
                R4Argv(call_0, stage_4, int(0), program_1),
                R6Verb(call_0, stage_4, verb_2),
                R4Argv(call_0, stage_4, position_5, word_3),
                (command_word_19_0(position_5).as_bool()),
                let Some(head_1) = tried(19, command_word_19_1(program_1, verb_2, word_3)),
                (go());

            // command_word#5
            R28CommandWord(call_0, head_1) <-
                R4Argv(call_0, stage_4, int(0), program_1),
                R6Verb(call_0, stage_4, verb_2),
                R5Flag(call_0, stage_4, flag_3),
                let Some(head_1) = tried(20, command_word_20_0(program_1, verb_2, flag_3)),
                (go());

            // subcommand#1
            R29Subcommand(call_0, head_1) <-
                R4Argv(call_0, stage_3, int(0), program_1),
                R6Verb(call_0, stage_3, verb_2),
                let Some(head_1) = tried(21, subcommand_21_0(program_1, verb_2)),
                (go());

            // subcommand#2
            R29Subcommand(call_0, head_1) <-
                R4Argv(call_0, stage_3, int(0), program_1),
                R4Argv(call_0, stage_3, int(1), first_4),
                (subcommand_22_0(first_4).as_bool()),
                R4Argv(call_0, stage_3, position_5, word_2),
                (subcommand_22_1(position_5).as_bool()),
                let Some(head_1) = tried(22, subcommand_22_2(program_1, word_2)),
                (go());

            // subcommand#3
            R29Subcommand(call_0, head_1) <-
                R4Argv(call_0, stage_3, int(0), program_1),
                R5Flag(call_0, stage_3, flag_2),
                let Some(head_1) = tried(23, subcommand_23_0(program_1, flag_2)),
                (go());

            // rung#1
            R30Rung(call_0, tool_1, int(1)) <-
                Source(input),
                let p25 = input.param(25),
                R1AgentCall(call_0, _, _, tool_1, _, _, _),
                (rung_24_0(tool_1, p25).as_bool()),
                (go());

            // rung#2
            R30Rung(call_0, tool_1, int(2)) <-
                Source(input),
                let p26 = input.param(26),
                R1AgentCall(call_0, _, _, tool_1, _, _, _),
                (rung_25_0(tool_1, p26).as_bool()),
                (go());

            // rung#3
            R30Rung(call_0, tool_1, int(3)) <-
                R1AgentCall(call_0, _, _, tool_1, _, _, _),
                (rung_26_0(tool_1).as_bool()),
                (go());

            // rung#4
            R30Rung(call_0, tool_1, int(4)) <-
                R1AgentCall(call_0, _, _, tool_1, _, _, _),
                (rung_27_0(tool_1).as_bool()),
                (go());

            // rung#5
            R30Rung(call_0, program_1, int(1)) <-
                Source(input),
                let p19 = input.param(19),
                R4Argv(call_0, _, int(0), program_1),
                (rung_28_0(program_1, p19).as_bool()),
                (go());

            // rung#6
            R30Rung(call_0, program_1, int(2)) <-
                Source(input),
                let p20 = input.param(20),
                R4Argv(call_0, _, int(0), program_1),
                (rung_29_0(program_1, p20).as_bool()),
                (go());

            // rung#7
            R30Rung(call_0, program_1, int(3)) <-
                Source(input),
                let p21 = input.param(21),
                R4Argv(call_0, _, int(0), program_1),
                (rung_30_0(program_1, p21).as_bool()),
                (go());

            // rung#8
            R30Rung(call_0, program_1, int(4)) <-
                Source(input),
                let p13 = input.param(13),
                R4Argv(call_0, _, int(0), program_1),
                (rung_31_0(program_1, p13).as_bool()),
                (go());

            // rung#9
            R30Rung(call_0, TEXTS.word(4), int(1)) <-
                Source(input),
                let p22 = input.param(22),
                R4Argv(call_0, stage_1, int(0), TEXTS.word(4)),
                R6Verb(call_0, stage_1, verb_2),
                (rung_32_0(verb_2, p22).as_bool()),
                (go());

            // rung#10
            R30Rung(call_0, TEXTS.word(4), int(2)) <-
                Source(input),
                let p22 = input.param(22),
                let p23 = input.param(23),
                R4Argv(call_0, stage_1, int(0), TEXTS.word(4)),
                R6Verb(call_0, stage_1, verb_2),
                (rung_33_0(verb_2, p22).as_bool()),
                (rung_33_1(verb_2, p23).as_bool()),
                (go());

            // rung#11
            R30Rung(call_0, TEXTS.word(4), int(4)) <-
                Source(input),
                let p23 = input.param(23),
                R4Argv(call_0, stage_1, int(0), TEXTS.word(4)),
                R6Verb(call_0, stage_1, verb_2),
                (rung_34_0(verb_2, p23).as_bool()),
                (go());

            // rung#12
            R30Rung(call_0, path_1, int(2)) <-
                R17Pending(call_0, _),
                R24Changes(call_0, path_1),
                !R26Scratch(call_0, path_1),
                (go());

            // given_level#1
            M36(level_0, since_1) <-
                Source(input),
                for row_1 in input.rows(16),
                let [level_0, since_1] = row_1,
                (go());

            // calls_of#1
            M39(session_0, tool_1, call_2, open_1, open_2, open_3, open_4, open_5, open_6, open_7) <-
                R1AgentCall(call_2, session_0, open_1, tool_1, open_2, open_3, open_4),
                R11Judged(call_2, open_5, open_6, open_7),
                (go());

            // calls_made#1
            M40(session_0, call_1, open_1, open_2, open_3, open_4, open_5, open_6, open_7, open_8) <-
                R1AgentCall(call_1, session_0, open_1, open_2, open_3, open_4, open_5),
                R11Judged(call_1, open_6, open_7, open_8),
                (go());

            // session_began#1
            M41(session_0, at_1, open_1, open_2, open_3, open_4, open_5) <-
                R1AgentCall(open_1, session_0, open_2, open_3, open_4, open_5, at_1),
                (go());

            // session_cost#1
            M42(session_0, dollars_1, open_1) <-
                Source(input),
                for row_1 in input.rows(14),
                let [session_0, dollars_1, open_1] = row_1,
                (go());

            // succeeded_once#1
            R40SucceededOnce(print_0) <-
                R12Ran(call_1, Word::from_bool(true), _, _),
                R10SameAs(call_1, print_0),
                (go());

            // removes_folders#1
            R44RemovesFolders(call_0, stage_1) <-
                R5Flag(call_0, stage_1, flag_2),
                (removes_folders_78_0(flag_2).as_bool()),
                (go());

            // pushes_to#1
            R46PushesTo(call_0, branch_1) <-
                Source(input),
                let p12 = input.param(12),
                for element_1 in each(Generator::Elements(Type::String), &[p12]),
                let branch_1 = element_1,
                R4Argv(call_0, stage_2, int(0), TEXTS.word(4)),
                R6Verb(call_0, stage_2, TEXTS.word(16)),
                R4Argv(call_0, stage_2, _, word_3),
                let Some(true) = held(80, pushes_to_80_0(branch_1, word_3)),
                (go());

            // pushes_to#2
            R46PushesTo(call_0, branch_1) <-
                Source(input),
                let p12 = input.param(12),
                R4Argv(call_0, stage_2, int(0), TEXTS.word(4)),
                R6Verb(call_0, stage_2, TEXTS.word(16)),
                R9Tree(call_0, _, branch_1, _),
                (pushes_to_81_0(branch_1, p12).as_bool()),
                (go());

            // pushes_to#3
            R46PushesTo(call_0, branch_1) <-
                R4Argv(call_0, stage_2, int(0), TEXTS.word(4)),
                R6Verb(call_0, stage_2, TEXTS.word(16)),
                R47GoesTo(call_0, earlier_3, branch_1),
                (pushes_to_82_0(earlier_3, stage_2).as_bool()),
                (go());

            // pushes_to#4
            R46PushesTo(call_0, flag_1) <-
                R4Argv(call_0, stage_2, int(0), TEXTS.word(4)),
                R6Verb(call_0, stage_2, TEXTS.word(16)),
                R5Flag(call_0, stage_2, flag_1),
                (pushes_to_83_0(flag_1).as_bool()),
                (go());

            // goes_to#1
            R47GoesTo(call_0, stage_1, branch_2) <-
                Source(input),
                let p12 = input.param(12),
                R4Argv(call_0, stage_1, int(0), TEXTS.word(4)),
                !R48NamesFiles(call_0, stage_1),
                R6Verb(call_0, stage_1, verb_3),
                (goes_to_84_0(verb_3).as_bool()),
                R4Argv(call_0, stage_1, _, branch_2),
                (goes_to_84_1(branch_2, p12).as_bool()),
                (go());

            // names_files#1
            R48NamesFiles(call_0, stage_1) <-
                R4Argv(call_0, stage_1, position_2, TEXTS.word(23)),
                R4Argv(call_0, stage_1, after_3, _),
                (names_files_85_0(after_3, position_2).as_bool()),
                (go());

            // known#1
            R49Known(call_0, program_1) <-
                R30Rung(call_0, program_1, _),
                (go());

            // known#2
            R49Known(call_0, program_1) <-
                Source(input),
                let p14 = input.param(14),
                R4Argv(call_0, _, int(0), program_1),
                (known_87_0(program_1, p14).as_bool()),
                (go());

            // known#3
            R49Known(call_0, program_1) <-
                Source(input),
                let p15 = input.param(15),
                R4Argv(call_0, _, int(0), program_1),
                (known_88_0(program_1, p15).as_bool()),
                (go());

            // subject#1
            R50Subject(call_0, value_1) <-
                Source(input),
                for row_1 in input.rows(3),
                let [call_0, path_2, value_1] = row_1,
                (subject_89_0(path_2).as_bool()),
                (go());

            // subject#2
            R50Subject(call_0, tool_1) <-
                R1AgentCall(call_0, _, _, tool_1, _, _, _),
                (go());

            // compound#1
            R51Compound(call_0) <-
                R4Argv(call_0, stage_1, _, _),
                (compound_91_0(stage_1).as_bool()),
                (go());

            // lifted#1
            R52Lifted(call_0, rule_1) <-
                R53Approved(call_0, rule_1, _, subject_2),
                R50Subject(call_0, subject_2),
                (go());

            // lifted#2
            R52Lifted(call_0, rule_1) <-
                R53Approved(call_0, rule_1, TEXTS.word(27), wanted_2),
                !R51Compound(call_0),
                (lifted_93_0(wanted_2).as_bool()),
                R50Subject(call_0, subject_3),
                let Some(true) = held(93, lifted_93_1(subject_3, wanted_2)),
                (go());

            // lifted#3
            R52Lifted(call_0, rule_1) <-
                R53Approved(call_0, rule_1, scope_2, TEXTS.word(18)),
                (lifted_94_0(scope_2).as_bool()),
                (go());

            // approved#1
            R53Approved(call_0, rule_1, scope_2, subject_3) <-
                Source(input),
                R17Pending(call_0, session_4),
                R1AgentCall(call_0, _, _, _, _, _, at_7),
                for row_3 in input.rows(15),
                let [rule_1, scope_2, subject_3, _, from_5, lasts_6] = row_3,
                (approved_95_0(at_7, from_5).as_bool()),
                let Some(true) = held(95, approved_95_1(scope_2, session_4)),
                let Some(true) = held(95, approved_95_2(at_7, from_5, lasts_6)),
                (go());

            // ran_without_a_call
            R57Ungated(call_0) <-
                R12Ran(call_0, _, _, _),
                !R1AgentCall(call_0, _, _, _, _, _, _),
                (go());
        }

        #[rustfmt::skip]
        pub(super) fn run(tables: &mut Tables, params: &[Word]) {
            let mut crepe = Crepe::new();
            crepe.extend([Source(Input::new(tables, params))]);
            let (r17_pending, r18_passed, r19_secret, r20_example, r21_secret_known, r22_sends, r24_changes, r26_scratch, r27_written, r28_command_word, r29_subcommand, r30_rung, r40_succeeded_once, r44_removes_folders, r46_pushes_to, r47_goes_to, r48_names_files, r49_known, r50_subject, r51_compound, r52_lifted, r53_approved, r57_ungated, m10, m36, m39, m40, m41, m42, ..) = crepe.run_with_hasher::<ahash::RandomState>();
            tables.set(17, &r17_pending);
            tables.set(18, &r18_passed);
            tables.set(19, &r19_secret);
            tables.set(20, &r20_example);
            tables.set(21, &r21_secret_known);
            tables.set(22, &r22_sends);
            tables.set(24, &r24_changes);
            tables.set(26, &r26_scratch);
            tables.set(27, &r27_written);
            tables.set(28, &r28_command_word);
            tables.set(29, &r29_subcommand);
            tables.set(30, &r30_rung);
            tables.set(40, &r40_succeeded_once);
            tables.set(44, &r44_removes_folders);
            tables.set(46, &r46_pushes_to);
            tables.set(47, &r47_goes_to);
            tables.set(48, &r48_names_files);
            tables.set(49, &r49_known);
            tables.set(50, &r50_subject);
            tables.set(51, &r51_compound);
            tables.set(52, &r52_lifted);
            tables.set(53, &r53_approved);
            tables.set(57, &r57_ungated);
            tables.set(58, &m10);
            tables.set(59, &m36);
            tables.set(60, &m39);
            tables.set(61, &m40);
            tables.set(62, &m41);
            tables.set(63, &m42);
        }
    }

    mod program_1 {
        use super::*;
        // Only crepe sees what `cfg(any())` removes below: relations of one width share a struct.
        #[rustfmt::skip]
        use super::{
            Row7 as R1AgentCall,
            Row3 as R7FileAccess,
            Row4 as R12Ran,
            Row2 as R16AgentLevel,
            Row3 as R23SessionTree,
            Row2 as R24Changes,
            Row2 as R26Scratch,
            Row2 as R25Inside,
            Row1 as R32LevelNow,
            Row2 as R43Kept,
            Row2 as R45Generated,
            Row10 as M44,
        };

        crepe::crepe! {
            @input
            #[cfg(any())]
            struct Source<'a>(Input<'a>);
            @output
            #[cfg(any())]
            struct R25Inside(Word, Word);
            @output
            #[cfg(any())]
            struct R32LevelNow(Word);
            @output
            #[cfg(any())]
            struct R43Kept(Word, Word);
            @output
            #[cfg(any())]
            struct R45Generated(Word, Word);
            @output
            #[cfg(any())]
            struct M44(Word, Word, Word, Word, Word, Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R1AgentCall(Word, Word, Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R7FileAccess(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R12Ran(Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R16AgentLevel(Word, Word);
            @output
            #[cfg(any())]
            struct R23SessionTree(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R24Changes(Word, Word);
            @output
            #[cfg(any())]
            struct R26Scratch(Word, Word);

            R1AgentCall(c0, c1, c2, c3, c4, c5, c6) <-
                Source(input),
                for [c0, c1, c2, c3, c4, c5, c6] in input.rows(1);

            R7FileAccess(c0, c1, c2) <-
                Source(input),
                for [c0, c1, c2] in input.rows(7);

            R12Ran(c0, c1, c2, c3) <-
                Source(input),
                for [c0, c1, c2, c3] in input.rows(12);

            R16AgentLevel(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(16);

            R23SessionTree(c0, c1, c2) <-
                Source(input),
                for [c0, c1, c2] in input.rows(23);

            R24Changes(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(24);

            R26Scratch(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(26);

            // inside#1
            R25Inside(call_0, path_1) <-
                R1AgentCall(call_0, session_2, _, _, _, _, _),
                R23SessionTree(session_2, root_3, home_4),
                (inside_12_0(root_3, home_4).as_bool()),
                R7FileAccess(call_0, path_1, _),
                let Some(true) = held(12, inside_12_1(path_1, root_3)),
                (go());

            // level_now#1
            R32LevelNow(level_0) <-
                Source(input),
                for row_1 in input.rows(31),
                let [level_0] = row_1,
                (go());

            // level_now#2
            R32LevelNow(p0) <-
                Source(input),
                let p0 = input.param(0),
                !R16AgentLevel(_, _),
                (go());

            // last_change#1
            M44(session_0, at_1, call_2, path_3, open_1, open_2, open_3, open_4, open_5, open_6) <-
                R1AgentCall(call_2, session_0, open_1, open_2, open_3, open_4, open_5),
                R12Ran(call_2, Word::from_bool(true), open_6, at_1),
                R24Changes(call_2, path_3),
                !R26Scratch(call_2, path_3),
                R25Inside(call_2, path_3),
                (go());

            // kept#1
            R43Kept(session_0, home_1) <-
                R23SessionTree(session_0, _, home_1),
                (go());

            // kept#2
            R43Kept(session_0, head_1) <-
                R23SessionTree(session_0, root_1, _),
                let Some(head_1) = tried(77, kept_77_0(root_1)),
                (go());

            // generated#1
            R45Generated(call_0, path_1) <-
                Source(input),
                let p11 = input.param(11),
                for element_5 in each(Generator::Elements(Type::String), &[p11]),
                let pattern_5 = element_5,
                R7FileAccess(call_0, path_1, TEXTS.word(7)),
                R1AgentCall(call_0, session_2, _, _, _, _, _),
                R23SessionTree(session_2, root_3, _),
                let Some(below_4) = tried(79, generated_79_0(path_1, root_3)),
                let Some(true) = held(79, generated_79_1(below_4, pattern_5)),
                (go());
        }

        #[rustfmt::skip]
        pub(super) fn run(tables: &mut Tables, params: &[Word]) {
            let mut crepe = Crepe::new();
            crepe.extend([Source(Input::new(tables, params))]);
            let (r25_inside, r32_level_now, r43_kept, r45_generated, m44, ..) = crepe.run_with_hasher::<ahash::RandomState>();
            tables.set(25, &r25_inside);
            tables.set(32, &r32_level_now);
            tables.set(43, &r43_kept);
            tables.set(45, &r45_generated);
            tables.set(65, &m44);
        }
    }

    mod program_2 {
        use super::*;
        // Only crepe sees what `cfg(any())` removes below: relations of one width share a struct.
        #[rustfmt::skip]
        use super::{
            Row7 as R1AgentCall,
            Row2 as R10SameAs,
            Row4 as R12Ran,
            Row2 as R38LastChange,
            Row1 as R40SucceededOnce,
            Row1 as R39Mended,
            Row4 as M43,
        };

        crepe::crepe! {
            @input
            #[cfg(any())]
            struct Source<'a>(Input<'a>);
            @output
            #[cfg(any())]
            struct R39Mended(Word);
            @output
            #[cfg(any())]
            struct M43(Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R1AgentCall(Word, Word, Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R10SameAs(Word, Word);
            @output
            #[cfg(any())]
            struct R12Ran(Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R38LastChange(Word, Word);
            @output
            #[cfg(any())]
            struct R40SucceededOnce(Word);

            R1AgentCall(c0, c1, c2, c3, c4, c5, c6) <-
                Source(input),
                for [c0, c1, c2, c3, c4, c5, c6] in input.rows(1);

            R10SameAs(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(10);

            R12Ran(c0, c1, c2, c3) <-
                Source(input),
                for [c0, c1, c2, c3] in input.rows(12);

            R38LastChange(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(38);

            R40SucceededOnce(c0) <-
                Source(input),
                for [c0] in input.rows(40);

            // failed_alike#1
            M43(print_0, call_1, open_1, open_2) <-
                R12Ran(call_1, Word::from_bool(false), open_1, open_2),
                !R39Mended(call_1),
                R10SameAs(call_1, print_0),
                !R40SucceededOnce(print_0),
                (go());

            // mended#1
            R39Mended(call_0) <-
                R12Ran(call_0, Word::from_bool(false), _, at_1),
                R1AgentCall(call_0, session_2, _, _, _, _, _),
                R38LastChange(session_2, changed_3),
                (mended_45_0(at_1, changed_3).as_bool()),
                (go());
        }

        pub(super) fn run(tables: &mut Tables, params: &[Word]) {
            let mut crepe = Crepe::new();
            crepe.extend([Source(Input::new(tables, params))]);
            let (r39_mended, m43, ..) = crepe.run_with_hasher::<ahash::RandomState>();
            tables.set(39, &r39_mended);
            tables.set(64, &m43);
        }
    }

    mod program_3 {
        use super::*;
        // Only crepe sees what `cfg(any())` removes below: relations of one width share a struct.
        #[rustfmt::skip]
        use super::{
            Row7 as R1AgentCall,
            Row4 as R4Argv,
            Row3 as R6Verb,
            Row3 as R7FileAccess,
            Row3 as R8Opaque,
            Row2 as R10SameAs,
            Row2 as R19Secret,
            Row2 as R21SecretKnown,
            Row2 as R22Sends,
            Row3 as R23SessionTree,
            Row2 as R24Changes,
            Row2 as R25Inside,
            Row2 as R26Scratch,
            Row2 as R27Written,
            Row2 as R28CommandWord,
            Row2 as R29Subcommand,
            Row3 as R30Rung,
            Row3 as R33CallsOf,
            Row2 as R34CallsMade,
            Row2 as R35SessionBegan,
            Row2 as R36SessionCost,
            Row2 as R37FailedAlike,
            Row2 as R42Plainer,
            Row2 as R43Kept,
            Row2 as R44RemovesFolders,
            Row2 as R45Generated,
            Row2 as R46PushesTo,
            Row2 as R49Known,
            Row2 as R52Lifted,
            Row2 as R54Strictness,
            Row5 as R41Concern,
            Row1 as R56Concerned,
            Row6 as M96,
        };

        crepe::crepe! {
            @input
            #[cfg(any())]
            struct Source<'a>(Input<'a>);
            @output
            #[cfg(any())]
            struct R41Concern(Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R56Concerned(Word);
            @output
            #[cfg(any())]
            struct M96(Word, Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R1AgentCall(Word, Word, Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R4Argv(Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R6Verb(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R7FileAccess(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R8Opaque(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R10SameAs(Word, Word);
            @output
            #[cfg(any())]
            struct R19Secret(Word, Word);
            @output
            #[cfg(any())]
            struct R21SecretKnown(Word, Word);
            @output
            #[cfg(any())]
            struct R22Sends(Word, Word);
            @output
            #[cfg(any())]
            struct R23SessionTree(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R24Changes(Word, Word);
            @output
            #[cfg(any())]
            struct R25Inside(Word, Word);
            @output
            #[cfg(any())]
            struct R26Scratch(Word, Word);
            @output
            #[cfg(any())]
            struct R27Written(Word, Word);
            @output
            #[cfg(any())]
            struct R28CommandWord(Word, Word);
            @output
            #[cfg(any())]
            struct R29Subcommand(Word, Word);
            @output
            #[cfg(any())]
            struct R30Rung(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R33CallsOf(Word, Word, Word);
            @output
            #[cfg(any())]
            struct R34CallsMade(Word, Word);
            @output
            #[cfg(any())]
            struct R35SessionBegan(Word, Word);
            @output
            #[cfg(any())]
            struct R36SessionCost(Word, Word);
            @output
            #[cfg(any())]
            struct R37FailedAlike(Word, Word);
            @output
            #[cfg(any())]
            struct R42Plainer(Word, Word);
            @output
            #[cfg(any())]
            struct R43Kept(Word, Word);
            @output
            #[cfg(any())]
            struct R44RemovesFolders(Word, Word);
            @output
            #[cfg(any())]
            struct R45Generated(Word, Word);
            @output
            #[cfg(any())]
            struct R46PushesTo(Word, Word);
            @output
            #[cfg(any())]
            struct R49Known(Word, Word);
            @output
            #[cfg(any())]
            struct R52Lifted(Word, Word);
            @output
            #[cfg(any())]
            struct R54Strictness(Word, Word);

            R1AgentCall(c0, c1, c2, c3, c4, c5, c6) <-
                Source(input),
                for [c0, c1, c2, c3, c4, c5, c6] in input.rows(1);

            R4Argv(c0, c1, c2, c3) <-
                Source(input),
                for [c0, c1, c2, c3] in input.rows(4);

            R6Verb(c0, c1, c2) <-
                Source(input),
                for [c0, c1, c2] in input.rows(6);

            R7FileAccess(c0, c1, c2) <-
                Source(input),
                for [c0, c1, c2] in input.rows(7);

            R8Opaque(c0, c1, c2) <-
                Source(input),
                for [c0, c1, c2] in input.rows(8);

            R10SameAs(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(10);

            R19Secret(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(19);

            R21SecretKnown(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(21);

            R22Sends(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(22);

            R23SessionTree(c0, c1, c2) <-
                Source(input),
                for [c0, c1, c2] in input.rows(23);

            R24Changes(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(24);

            R25Inside(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(25);

            R26Scratch(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(26);

            R27Written(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(27);

            R28CommandWord(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(28);

            R29Subcommand(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(29);

            R30Rung(c0, c1, c2) <-
                Source(input),
                for [c0, c1, c2] in input.rows(30);

            R33CallsOf(c0, c1, c2) <-
                Source(input),
                for [c0, c1, c2] in input.rows(33);

            R34CallsMade(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(34);

            R35SessionBegan(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(35);

            R36SessionCost(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(36);

            R37FailedAlike(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(37);

            R42Plainer(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(42);

            R43Kept(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(43);

            R44RemovesFolders(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(44);

            R45Generated(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(45);

            R46PushesTo(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(46);

            R49Known(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(49);

            R52Lifted(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(52);

            R54Strictness(c0, c1) <-
                Source(input),
                for [c0, c1] in input.rows(54);

            // concern#1
            R41Concern(call_0, TEXTS.word(0), TEXTS.word(33), reason_1, TEXTS.word(34)) <-
                Source(input),
                for row_1 in input.rows(17),
                let [call_0, session_2] = row_1,
                R22Sends(call_0, how_3),
                R21SecretKnown(session_2, path_4),
                let Some(reason_1) = tried(47, concern_47_0(how_3, path_4)),
                (go());

            // concern#2
            R41Concern(call_0, TEXTS.word(0), TEXTS.word(36), reason_1, TEXTS.word(37)) <-
                Source(input),
                for row_1 in input.rows(17),
                let [call_0, _] = row_1,
                R22Sends(call_0, how_2),
                R19Secret(call_0, path_3),
                let Some(reason_1) = tried(48, concern_48_0(how_2, path_3)),
                (go());

            // concern#3
            R41Concern(call_0, TEXTS.word(39), TEXTS.word(40), reason_1, TEXTS.word(41)) <-
                Source(input),
                for row_1 in input.rows(17),
                let [call_0, _] = row_1,
                R19Secret(call_0, path_2),
                let Some(reason_1) = tried(49, concern_49_0(path_2)),
                (go());

            // concern#4
            R41Concern(call_0, TEXTS.word(39), TEXTS.word(44), reason_1, TEXTS.word(45)) <-
                Source(input),
                for row_1 in input.rows(17),
                let [call_0, session_2] = row_1,
                R8Opaque(call_0, _, what_3),
                R21SecretKnown(session_2, path_4),
                let Some(reason_1) = tried(50, concern_50_0(what_3, path_4)),
                (go());

            // concern#5
            R41Concern(call_0, TEXTS.word(0), TEXTS.word(49), reason_1, remedy_2) <-
                Source(input),
                for row_1 in input.rows(17),
                let [call_0, session_3] = row_1,
                R24Changes(call_0, path_4),
                !R25Inside(call_0, path_4),
                !R26Scratch(call_0, path_4),
                R23SessionTree(session_3, root_5, _),
                let Some(reason_1) = tried(51, concern_51_0(path_4, root_5)),
                let Some(remedy_2) = tried(51, concern_51_1(root_5)),
                (go());

            // concern#6
            R41Concern(call_0, TEXTS.word(0), TEXTS.word(51), reason_1, TEXTS.word(52)) <-
                Source(input),
                let p8 = input.param(8),
                for element_4 in each(Generator::Elements(Type::String), &[p8]),
                let pattern_4 = element_4,
                for row_4 in input.rows(17),
                let [call_0, _] = row_4,
                R7FileAccess(call_0, path_2, mode_3),
                (concern_52_0(mode_3).as_bool()),
                let Some(true) = held(52, concern_52_1(path_2, pattern_4)),
                let Some(reason_1) = tried(52, concern_52_2(path_2)),
                (go());

            // concern#7
            R41Concern(call_0, TEXTS.word(39), TEXTS.word(55), reason_1, TEXTS.word(56)) <-
                Source(input),
                for row_1 in input.rows(17),
                let [call_0, session_2] = row_1,
                R24Changes(call_0, root_3),
                let Some(reason_1) = tried(53, concern_53_0(root_3)),
                R23SessionTree(session_2, root_3, _),
                (go());

            // concern#8
            R41Concern(call_0, TEXTS.word(0), TEXTS.word(60), reason_1, TEXTS.word(61)) <-
                Source(input),
                let p24 = input.param(24),
                for row_2 in input.rows(17),
                let [call_0, _] = row_2,
                R4Argv(call_0, stage_2, int(0), TEXTS.word(57)),
                R6Verb(call_0, stage_2, verb_3),
                (concern_54_0(verb_3, p24).as_bool()),
                let Some(reason_1) = tried(54, concern_54_1(verb_3)),
                (go());

            // concern#9
            R41Concern(call_0, TEXTS.word(0), TEXTS.word(64), reason_1, TEXTS.word(65)) <-
                Source(input),
                for row_1 in input.rows(17),
                let [call_0, session_2] = row_1,
                R7FileAccess(call_0, path_3, TEXTS.word(7)),
                let Some(reason_1) = tried(55, concern_55_0(path_3)),
                R43Kept(session_2, kept_4),
                let Some(true) = held(55, concern_55_1(path_3, kept_4)),
                (go());

            // concern#10
            R41Concern(call_0, TEXTS.word(39), TEXTS.word(70), reason_1, TEXTS.word(71)) <-
                Source(input),
                for row_1 in input.rows(17),
                let [call_0, _] = row_1,
                R4Argv(call_0, stage_2, int(0), program_3),
                (concern_56_0(program_3).as_bool()),
                R44RemovesFolders(call_0, stage_2),
                R7FileAccess(call_0, path_4, TEXTS.word(7)),
                !R45Generated(call_0, path_4),
                let Some(reason_1) = tried(56, concern_56_1(program_3, path_4)),
                (go());

            // concern#11
            R41Concern(call_0, TEXTS.word(39), TEXTS.word(73), reason_1, TEXTS.word(74)) <-
                Source(input),
                let p16 = input.param(16),
                for row_2 in input.rows(17),
                let [call_0, _] = row_2,
                R28CommandWord(call_0, words_2),
                (concern_57_0(words_2, p16).as_bool()),
                let Some(reason_1) = tried(57, concern_57_1(words_2)),
                (go());

            // concern#12
            R41Concern(call_0, TEXTS.word(0), TEXTS.word(76), reason_1, TEXTS.word(77)) <-
                Source(input),
                let p14 = input.param(14),
                for row_2 in input.rows(17),
                let [call_0, _] = row_2,
                R4Argv(call_0, _, int(0), program_2),
                (concern_58_0(program_2, p14).as_bool()),
                let Some(reason_1) = tried(58, concern_58_1(program_2)),
                (go());

            // concern#13
            R41Concern(call_0, TEXTS.word(39), TEXTS.word(79), reason_1, TEXTS.word(80)) <-
                Source(input),
                let p15 = input.param(15),
                for row_2 in input.rows(17),
                let [call_0, _] = row_2,
                R4Argv(call_0, _, int(0), program_2),
                (concern_59_0(program_2, p15).as_bool()),
                let Some(reason_1) = tried(59, concern_59_1(program_2)),
                (go());

            // concern#14
            R41Concern(call_0, TEXTS.word(39), TEXTS.word(82), reason_1, TEXTS.word(83)) <-
                Source(input),
                let p17 = input.param(17),
                for row_2 in input.rows(17),
                let [call_0, _] = row_2,
                R28CommandWord(call_0, words_2),
                (concern_60_0(words_2, p17).as_bool()),
                let Some(reason_1) = tried(60, concern_60_1(words_2)),
                (go());

            // concern#15
            R41Concern(call_0, TEXTS.word(39), TEXTS.word(85), reason_1, TEXTS.word(86)) <-
                Source(input),
                let p18 = input.param(18),
                for row_2 in input.rows(17),
                let [call_0, _] = row_2,
                R29Subcommand(call_0, words_2),
                (concern_61_0(words_2, p18).as_bool()),
                let Some(reason_1) = tried(61, concern_61_1(words_2)),
                (go());

            // concern#16
            R41Concern(call_0, TEXTS.word(0), TEXTS.word(88), reason_1, TEXTS.word(89)) <-
                Source(input),
                for row_1 in input.rows(17),
                let [call_0, _] = row_1,
                R46PushesTo(call_0, branch_2),
                let Some(reason_1) = tried(62, concern_62_0(branch_2)),
                (go());

            // concern#17
            R41Concern(call_0, TEXTS.word(39), TEXTS.word(91), reason_1, remedy_2) <-
                Source(input),
                for row_1 in input.rows(17),
                let [call_0, _] = row_1,
                R8Opaque(call_0, why_3, what_4),
                let Some(reason_1) = tried(63, concern_63_0(why_3, what_4)),
                R42Plainer(why_3, remedy_2),
                (go());

            // concern#18
            R41Concern(call_0, TEXTS.word(39), TEXTS.word(94), reason_1, TEXTS.word(95)) <-
                Source(input),
                for row_1 in input.rows(17),
                let [call_0, _] = row_1,
                R8Opaque(call_0, TEXTS.word(92), what_2),
                !R25Inside(call_0, what_2),
                let Some(reason_1) = tried(64, concern_64_0(what_2)),
                (go());

            // concern#19
            R41Concern(call_0, TEXTS.word(39), TEXTS.word(98), reason_1, TEXTS.word(99)) <-
                Source(input),
                for row_1 in input.rows(17),
                let [call_0, session_2] = row_1,
                R8Opaque(call_0, TEXTS.word(92), what_3),
                let Some(reason_1) = tried(65, concern_65_0(what_3)),
                R27Written(session_2, what_3),
                (go());

            // concern#20
            R41Concern(call_0, TEXTS.word(39), TEXTS.word(102), reason_1, TEXTS.word(103)) <-
                Source(input),
                let p9 = input.param(9),
                for element_6 in each(Generator::Elements(Type::String), &[p9]),
                let pattern_6 = element_6,
                for row_4 in input.rows(17),
                let [call_0, session_2] = row_4,
                R8Opaque(call_0, why_3, what_4),
                (concern_66_0(why_3).as_bool()),
                R27Written(session_2, path_5),
                let Some(true) = held(66, concern_66_1(path_5, pattern_6)),
                let Some(reason_1) = tried(66, concern_66_2(what_4, path_5)),
                (go());

            // concern#21
            R41Concern(call_0, TEXTS.word(39), TEXTS.word(106), reason_1, TEXTS.word(107)) <-
                Source(input),
                for row_1 in input.rows(17),
                let [call_0, _] = row_1,
                R24Changes(call_0, path_2),
                (concern_67_0(path_2).as_bool()),
                let Some(reason_1) = tried(67, concern_67_1(path_2)),
                (go());

            // concern#22
            R41Concern(call_0, TEXTS.word(39), TEXTS.word(109), reason_1, TEXTS.word(110)) <-
                Source(input),
                for row_1 in input.rows(17),
                let [call_0, _] = row_1,
                R4Argv(call_0, _, int(0), program_2),
                !R49Known(call_0, program_2),
                let Some(reason_1) = tried(68, concern_68_0(program_2)),
                (go());

            // concern#23
            R41Concern(call_0, TEXTS.word(39), TEXTS.word(113), reason_1, TEXTS.word(114)) <-
                Source(input),
                for row_1 in input.rows(17),
                let [call_0, _] = row_1,
                R1AgentCall(call_0, _, _, tool_2, _, _, _),
                (concern_69_0(tool_2).as_bool()),
                !R30Rung(call_0, tool_2, _),
                let Some(reason_1) = tried(69, concern_69_1(tool_2)),
                (go());

            // concern#24
            R41Concern(call_0, TEXTS.word(39), TEXTS.word(117), reason_1, TEXTS.word(118)) <-
                Source(input),
                for row_1 in input.rows(17),
                let [call_0, _] = row_1,
                R30Rung(call_0, what_2, needed_3),
                for row_4 in input.rows(32),
                let [level_4] = row_4,
                (concern_70_0(needed_3, level_4).as_bool()),
                let Some(reason_1) = tried(70, concern_70_1(what_2, needed_3, level_4)),
                (go());

            // concern#25
            R41Concern(call_0, TEXTS.word(39), TEXTS.word(122), reason_1, TEXTS.word(123)) <-
                Source(input),
                let p1 = input.param(1),
                for row_2 in input.rows(17),
                let [call_0, session_2] = row_2,
                R34CallsMade(session_2, calls_3),
                (concern_71_0(calls_3, p1).as_bool()),
                let Some(reason_1) = tried(71, concern_71_1(calls_3, p1)),
                (go());

            // concern#26
            R41Concern(call_0, TEXTS.word(39), TEXTS.word(126), reason_1, TEXTS.word(127)) <-
                Source(input),
                let p2 = input.param(2),
                for row_2 in input.rows(17),
                let [call_0, session_2] = row_2,
                R1AgentCall(call_0, _, _, tool_3, _, _, _),
                R33CallsOf(session_2, tool_3, calls_4),
                (concern_72_0(calls_4, p2).as_bool()),
                let Some(reason_1) = tried(72, concern_72_1(tool_3, calls_4, p2)),
                (go());

            // concern#27
            R41Concern(call_0, TEXTS.word(39), TEXTS.word(130), reason_1, TEXTS.word(123)) <-
                Source(input),
                let p3 = input.param(3),
                for row_2 in input.rows(17),
                let [call_0, session_2] = row_2,
                R1AgentCall(call_0, _, _, _, _, _, at_3),
                R35SessionBegan(session_2, began_4),
                let Some(true) = held(73, concern_73_0(at_3, began_4, p3)),
                let Some(reason_1) = tried(73, concern_73_1(began_4, p3)),
                (go());

            // concern#28
            R41Concern(call_0, TEXTS.word(39), TEXTS.word(133), reason_1, TEXTS.word(134)) <-
                Source(input),
                let p4 = input.param(4),
                for row_2 in input.rows(17),
                let [call_0, session_2] = row_2,
                R36SessionCost(session_2, dollars_3),
                (concern_74_0(dollars_3, p4).as_bool()),
                let Some(reason_1) = tried(74, concern_74_1(dollars_3, p4)),
                (go());

            // concern#29
            R41Concern(call_0, TEXTS.word(0), TEXTS.word(137), reason_1, TEXTS.word(138)) <-
                Source(input),
                let p5 = input.param(5),
                for row_2 in input.rows(17),
                let [call_0, _] = row_2,
                R10SameAs(call_0, print_2),
                R37FailedAlike(print_2, times_3),
                (concern_75_0(times_3, p5).as_bool()),
                let Some(reason_1) = tried(75, concern_75_1(times_3)),
                (go());

            // strictest_concern
            M96(call_0, kind_1, rule_2, reason_3, remedy_4, rank_5) <-
                R41Concern(call_0, kind_1, rule_2, reason_3, remedy_4),
                !R52Lifted(call_0, rule_2),
                R54Strictness(kind_1, rank_5),
                (go());

            // concerned#1
            R56Concerned(call_0) <-
                R41Concern(call_0, _, rule_1, _, _),
                !R52Lifted(call_0, rule_1),
                (go());
        }

        pub(super) fn run(tables: &mut Tables, params: &[Word]) {
            let mut crepe = Crepe::new();
            crepe.extend([Source(Input::new(tables, params))]);
            let (r41_concern, r56_concerned, m96, ..) = crepe.run_with_hasher::<ahash::RandomState>();
            tables.set(41, &r41_concern);
            tables.set(56, &r56_concerned);
            tables.set(66, &m96);
        }
    }

    mod program_4 {
        use super::*;
        // Only crepe sees what `cfg(any())` removes below: relations of one width share a struct.
        #[rustfmt::skip]
        use super::{
            Row7 as R1AgentCall,
            Row1 as R56Concerned,
            Row5 as R55Verdict,
        };

        crepe::crepe! {
            @input
            #[cfg(any())]
            struct Source<'a>(Input<'a>);
            @output
            #[cfg(any())]
            struct R55Verdict(Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R1AgentCall(Word, Word, Word, Word, Word, Word, Word);
            @output
            #[cfg(any())]
            struct R56Concerned(Word);

            R1AgentCall(c0, c1, c2, c3, c4, c5, c6) <-
                Source(input),
                for [c0, c1, c2, c3, c4, c5, c6] in input.rows(1);

            R56Concerned(c0) <-
                Source(input),
                for [c0] in input.rows(56);

            R55Verdict(c0, c1, c2, c3, c4) <-
                Source(input),
                for [c0, c1, c2, c3, c4] in input.rows(55);

            // no_concern
            R55Verdict(call_0, TEXTS.word(139), TEXTS.word(140), head_3, TEXTS.word(18)) <-
                Source(input),
                for row_1 in input.rows(17),
                let [call_0, _] = row_1,
                !R56Concerned(call_0),
                R1AgentCall(call_0, _, _, tool_1, _, _, _),
                let Some(head_3) = tried(97, verdict_97_0(tool_1)),
                (go());
        }

        pub(super) fn run(tables: &mut Tables, params: &[Word]) {
            let mut crepe = Crepe::new();
            crepe.extend([Source(Input::new(tables, params))]);
            let (r55_verdict, ..) = crepe.run_with_hasher::<ahash::RandomState>();
            tables.set(55, &r55_verdict);
        }
    }

    /// The rules as text.
    #[rustfmt::skip]
    static ITEMS: [&str; 1] = [
        concat!(
            "type access_mode = /read | /write | /delete | /run | /use.\n",
            "type opaque_reason =\n    /syntax |\n    /variable |\n    /substitution |\n    /stdin_code |\n    /inline_code |\n    /script |\n    /project_code |\n    /remote |\n    /environment |\n    /folder |\n    /too_much.\n",
            "type answer_kind = /allow | /transform | /ask | /defer | /deny.\n",
            "input agent_call(\n    id: string,\n    session: string,\n    agent: string,\n    tool: string,\n    cwd: string,\n    mode: string,\n    at: time\n).\n",
            "input host(id: string, name: string, tool: string).\n",
            "input arg(id: string, path: string, value: string).\n",
            "input argv(id: string, stage: int, position: int, word: string).\n",
            "input flag(id: string, stage: int, flag: string).\n",
            "input verb(id: string, stage: int, verb: string).\n",
            "input file_access(id: string, path: string, mode: access_mode).\n",
            "input opaque(id: string, why: opaque_reason, what: string).\n",
            "input tree(id: string, root: string, branch: string, home: string).\n",
            "input same_as(id: string, fingerprint: string).\n",
            "input judged(id: string, kind: answer_kind, rule: name, at: time).\n",
            "input ran(id: string, ok: bool, took: duration, at: time).\n",
            "input watched(id: string).\n",
            "input spent(session: string, dollars: float, at: time).\n",
            "input approval(rule: name, session: string, subject: string, by: string, at: time, lasts: duration)\n    from reviewer as by, at at.\n",
            "input agent_level(level: int, since: time) from reviewer, rules.\n",
            "param first_agent_level: int = 3 from reviewer, rules.\n",
            "param most_calls: int = 1000.\n",
            "param most_calls_of_a_tool: int = 500.\n",
            "param longest_session: duration = 12h.\n",
            "param most_dollars: float = 25.0.\n",
            "param most_failures: int = 3.\n",
            "param secret_files: [string] = [r\"(?i)(^|/)\\.env(\\.[^/]*)?$\", r\"(?i)(^|/)\\.envrc$\", r\"(?i)(^|/)\\.ssh(/|$)\", r\"(?i)(^|/)id_(rsa|dsa|ecdsa|ed25519)[^/]*$\", r\"(?i)(^|/)\\.aws(/|$)\", r\"(?i)(^|/)\\.azure(/|$)\", r\"(?i)(^|/)\\.config/(gcloud|gh|hub)(/|$)\", r\"(?i)(^|/)\\.kube(/|$)\", r\"(?i)(^|/)\\.docker/config\\.json$\", r\"(?i)(^|/)\\.gnupg(/|$)\", r\"(?i)(^|/)\\.(netrc|pgpass|npmrc|pypirc|git-credentials|vault-token|my\\.cnf|htpasswd)$\", r\"(?i)(^|/)\\.cargo/credentials(\\.toml)?$\", r\"(?i)(^|/)(credentials|secrets?)(\\.[a-z]+)?$\", r\"(?i)\\.(pem|key|p12|pfx|jks|keystore|kdbx|tfstate)$\", r\"(?i)^/etc/(shadow|gshadow|sudoers)\", r\"(?i)^/proc/[^/]+/(environ|mem|maps|fd)\", r\"(?i)(^|/)\\.(bash|zsh|python|psql|node_repl)_history$\", r\"(?i)(^|/)(Login Data|Cookies|logins\\.json|key4\\.db)$\"].\n",
            "param examples_of_secrets: [string] = [r\"\\.(example|sample|template|dist|pub)$\", r\"(^|/)known_hosts$\"].\n",
            "param gate_files: [string] = [r\"(?i)(^|/)\\.hence(/|$)\", r\"(?i)(^|/)hence\\.toml$\", r\"(?i)\\.dl$\", r\"(?i)(^|/)\\.claude(/settings[^/]*)?$\", r\"(?i)(^|/)\\.codex(/(hooks\\.json|config\\.toml))?$\", r\"(?i)(^|/)\\.gemini(/settings\\.json)?$\", r\"(?i)(^|/)\\.cursor(/hooks\\.json)?$\", r\"(?i)(^|/)\\.github/hooks(/|$)\", r\"(?i)(^|/)\\.kiro(/agents(/|$)|$)\"].\n",
            "param build_files: [string] = [r\"(?i)(^|/)(Makefile|GNUmakefile|makefile|Justfile|justfile|Rakefile|Taskfile\\.ya?ml|CMakeLists\\.txt)$\", r\"(?i)(^|/)(package\\.json|\\.npmrc|\\.yarnrc(\\.yml)?|pnpmfile\\.cjs)$\", r\"(?i)(^|/)(build\\.rs|config\\.toml|Cargo\\.toml|rust-toolchain(\\.toml)?)$\", r\"(?i)(^|/)(conftest|setup|noxfile)\\.py$|(^|/)(tox\\.ini|sitecustomize\\.py|pyproject\\.toml)$\", r\"(?i)(^|/)[^/]*\\.(gradle|gradle\\.kts|sbt|mk)$\", r\"(?i)(^|/)\\.git(/|$)\"].\n",
            "param scratch_files: [string] = [r\"^/(private/)?tmp/[^/]\", r\"^/(var/tmp|dev/shm)/[^/]\", r\"^/dev/(null|stdout|stderr|tty|fd(/[0-9]+)?)$\"].\n",
            "param generated_files: [string] = [r\"/(target|build|dist|out|node_modules|coverage|__pycache__|\\.venv|venv|\\.pytest_cache|\\.mypy_cache|\\.next|tmp)(/|$)\", r\"^/(private/)?tmp/[^/]\"].\n",
            "param protected_branches: [string] = [\"main\", \"master\", \"production\", \"release\", \"trunk\"].\n",
            "param sending_programs: [string] = [\"curl\", \"wget\", \"nc\", \"ncat\", \"netcat\", \"socat\", \"telnet\", \"ssh\", \"scp\", \"sftp\", \"rsync\", \"rclone\", \"ftp\", \"tftp\", \"mail\", \"sendmail\", \"mutt\", \"openssl\", \"dig\", \"nslookup\", \"host\", \"ping\", \"gh\", \"glab\", \"aws\", \"gcloud\", \"az\", \"gsutil\", \"http\", \"https\", \"xh\", \"aria2c\", \"docker\", \"kubectl\", \"mosh\", \"psql\", \"mysql\", \"redis-cli\", \"mongosh\"].\n",
            "param forbidden_programs: [string] = [\"mkfs\", \"mkfs.ext4\", \"mkfs.xfs\", \"mkswap\", \"fdisk\", \"sfdisk\", \"parted\", \"wipefs\", \"shutdown\", \"reboot\", \"halt\", \"poweroff\", \"init\", \"telinit\", \"userdel\", \"useradd\", \"usermod\", \"passwd\", \"chpasswd\", \"visudo\", \"iptables\", \"nft\", \"insmod\", \"rmmod\", \"modprobe\", \"diskutil\", \"killall\", \"setenforce\"].\n",
            "param privileged_programs: [string] = [\"sudo\", \"doas\", \"su\", \"runuser\", \"pkexec\", \"crontab\", \"at\", \"batch\", \"systemctl\", \"launchctl\", \"service\", \"systemd-run\", \"chroot\", \"nsenter\", \"unshare\", \"mount\", \"umount\"].\n",
            "param destructive_words: [string] = [\"git reset --hard\", \"git clean -f\", \"git clean --force\", \"git checkout .\", \"git checkout --\", \"git checkout -f\", \"git checkout --force\", \"git switch -f\", \"git switch --force\", \"git switch --discard-changes\", \"git restore .\", \"git branch -D\", \"git stash drop\", \"git stash clear\", \"git push -f\", \"git push --force\", \"git push --force-with-lease\", \"git push --delete\", \"git push -d\", \"git push --mirror\", \"git push --prune\", \"git reflog expire\", \"git reflog delete\", \"git filter-branch\", \"git update-ref\", \"git gc --prune\", \"git read-tree --reset\", \"git worktree remove\", \"terraform destroy\", \"terraform apply\", \"tofu destroy\", \"tofu apply\", \"kubectl delete\", \"kubectl drain\", \"helm uninstall\", \"docker rm\", \"docker rmi\", \"docker prune\", \"docker kill\", \"aws rm\", \"aws rb\", \"aws delete\", \"aws terminate-instances\", \"gcloud delete\", \"az delete\", \"gh delete\", \"dropdb\", \"redis-cli flushall\", \"redis-cli FLUSHALL\", \"rsync --delete\", \"dd\", \"shred\", \"truncate\", \"git checkout ./\", \"git checkout :/\", \"git restore ./\", \"git restore :/\", \"git reset --merge\", \"git reset --keep\", \"git branch -f\", \"git branch --force\", \"zip -m\", \"zip --move\"].\n",
            "param publishing_words: [string] = [\"npm publish\", \"npm unpublish\", \"yarn publish\", \"pnpm publish\", \"cargo publish\", \"cargo yank\", \"gem push\", \"twine upload\", \"uv publish\", \"poetry publish\", \"docker push\", \"gh merge\", \"gh release\", \"gh create\", \"helm push\", \"vercel deploy\", \"netlify deploy\", \"firebase deploy\", \"flyctl deploy\", \"heroku deploy\", \"bun publish\", \"npm dist-tag\", \"mvn deploy\"].\n",
            "param installing_words: [string] = [\"npm install\", \"npm i\", \"npm add\", \"npm ci\", \"npm update\", \"npm install-test\", \"yarn add\", \"yarn install\", \"pnpm add\", \"pnpm install\", \"pnpm i\", \"bun add\", \"bun install\", \"bun i\", \"pip install\", \"pip3 install\", \"uv add\", \"uv pip\", \"poetry add\", \"cargo install\", \"cargo add\", \"go install\", \"go get\", \"gem install\", \"brew install\", \"apt install\", \"apt-get install\", \"dnf install\", \"yum install\", \"apk add\", \"pacman -S\", \"pnpm update\", \"yarn upgrade\", \"bun update\", \"pip download\", \"pip3 download\", \"uv sync\", \"uv tool\", \"poetry install\", \"poetry update\", \"pipenv install\", \"bundle install\", \"bundle update\", \"composer install\", \"composer require\", \"composer update\", \"dotnet add\"].\n",
            "param reading_programs: [string] = [\"echo\", \"printf\", \"true\", \"false\", \":\", \"test\", \"[\", \"[[\", \"sleep\", \"date\", \"pwd\", \"whoami\", \"id\", \"uname\", \"hostname\", \"which\", \"type\", \"seq\", \"expr\", \"basename\", \"dirname\", \"exit\", \"return\", \"break\", \"continue\", \"shift\", \"wait\", \"jobs\", \"pgrep\", \"ps\", \"cat\", \"less\", \"more\", \"tac\", \"nl\", \"od\", \"xxd\", \"hexdump\", \"strings\", \"base64\", \"md5sum\", \"sha1sum\", \"sha256sum\", \"wc\", \"rev\", \"paste\", \"comm\", \"join\", \"cmp\", \"diff\", \"file\", \"fold\", \"column\", \"bat\", \"iconv\", \"uniq\", \"readlink\", \"realpath\", \"stat\", \"du\", \"df\", \"ls\", \"tree\", \"head\", \"tail\", \"cut\", \"sort\", \"tr\", \"grep\", \"egrep\", \"fgrep\", \"rg\", \"ag\", \"ack\", \"sed\", \"awk\", \"gawk\", \"jq\", \"yq\", \"find\", \"fd\", \"xargs\", \"env\", \"cd\", \"pushd\", \"popd\", \"command\", \"builtin\", \"time\", \"timeout\", \"nice\", \"stdbuf\", \"set\", \"shopt\", \"read\", \"let\", \"nproc\", \"uptime\", \"free\", \"clear\", \"history\", \"man\", \"zcat\", \"locale\", \"tput\", \"groups\", \"arch\", \"lsof\", \"eval\", \"exec\", \"trap\", \"alias\", \"unset\", \"source\", \".\", \"sh\", \"bash\", \"zsh\", \"dash\", \"mapfile\", \"watch\", \"umask\", \"ulimit\", \"export\", \"parallel\", \"nohup\", \"setsid\", \"busybox\", \"hash\", \"kill\", \"sum\", \"cksum\", \"b2sum\", \"sha512sum\", \"tsort\", \"expand\", \"fmt\", \"pr\", \"hd\", \"look\", \"zgrep\", \"bzcat\", \"xzcat\", \"zless\", \"batcat\", \"nm\", \"objdump\", \"readelf\", \"size\", \"tty\", \"getopts\", \"mawk\", \"nawk\", \"gsed\"].\n",
            "param writing_programs: [string] = [\"cp\", \"mv\", \"rm\", \"rmdir\", \"mkdir\", \"touch\", \"ln\", \"install\", \"tee\", \"truncate\", \"chmod\", \"patch\", \"tar\", \"zip\", \"unzip\", \"gzip\", \"gunzip\", \"mktemp\", \"split\", \"unlink\", \"shred\", \"dd\", \"ed\", \"ex\", \"vi\", \"vim\", \"nano\", \"sponge\"].\n",
            "param running_programs: [string] = [\"make\", \"gmake\", \"ninja\", \"just\", \"task\", \"npm\", \"yarn\", \"pnpm\", \"bun\", \"cargo\", \"rustc\", \"rustfmt\", \"go\", \"gofmt\", \"mvn\", \"gradle\", \"gradlew\", \"pytest\", \"tox\", \"nox\", \"rake\", \"bundle\", \"composer\", \"dotnet\", \"bazel\", \"cmake\", \"ctest\", \"jest\", \"vitest\", \"mocha\", \"tsc\", \"eslint\", \"prettier\", \"ruff\", \"black\", \"mypy\", \"phpunit\", \"rspec\", \"poetry\", \"uv\", \"pip\", \"pip3\", \"python\", \"python3\", \"node\", \"deno\", \"ruby\", \"perl\", \"php\", \"java\", \"javac\", \"gcc\", \"g++\", \"clang\", \"cc\", \"ld\", \"hence\", \"sqlite3\", \"vite\", \"webpack\", \"turbo\", \"nx\", \"npx\", \"uvx\", \"pipx\", \"pre-commit\", \"sbt\", \"mix\", \"stack\", \"cabal\", \"zig\", \"pipenv\", \"isort\", \"stylua\", \"dos2unix\", \"unix2dos\", \"goimports\", \"shfmt\", \"biome\", \"stylelint\", \"autopep8\", \"clang-format\", \"perltidy\", \"c++\", \"clang++\", \"nodejs\", \"pypy\", \"lua\", \"luajit\", \"julia\", \"elixir\", \"groovy\", \"scala\", \"swift\", \"hyperfine\", \"pylint\", \"flake8\", \"pyright\", \"coverage\", \"golangci-lint\", \"shellcheck\", \"tsx\"].\n",
            "param reading_of_git: [string] = [\"status\", \"log\", \"diff\", \"show\", \"blame\", \"branch\", \"describe\", \"grep\", \"ls-files\", \"ls-tree\", \"merge-base\", \"reflog\", \"rev-list\", \"rev-parse\", \"shortlog\", \"show-ref\", \"tag\", \"for-each-ref\", \"cat-file\", \"check-ignore\", \"help\", \"version\", \"name-rev\", \"range-diff\", \"count-objects\", \"var\", \"check-attr\", \"check-mailmap\", \"check-ref-format\", \"cherry\", \"diff-files\", \"diff-index\", \"diff-tree\", \"merge-tree\", \"patch-id\", \"show-branch\", \"stripspace\", \"verify-commit\", \"verify-tag\", \"stash\", \"worktree\", \"remote\"].\n",
            "param sending_of_git: [string] = [\"push\", \"fetch\", \"pull\", \"clone\", \"ls-remote\", \"submodule\", \"send-email\"].\n",
            "param reading_of_hence: [string] = [\"check\", \"explain\", \"fmt\", \"doc\", \"query\", \"derive\", \"why\", \"why-not\", \"what-if\", \"check-proof\", \"history\", \"log\", \"facts\", \"status\", \"verify\", \"test\", \"bench\", \"help\", \"pack\", \"compile\", \"report\"].\n",
            "param reading_tools: [string] = [\"read\", \"list\", \"search\", \"plan\"].\n",
            "param writing_tools: [string] = [\"write\", \"edit\", \"delete\"].\n",
            "relation pending(id: string, session: string).\n",
            "pending(Call, Session) :- agent_call(id: Call, session: Session), !judged(id: Call).\n",
            "relation passed(id: string, session: string).\n",
            "passed(Call, Session) :-\n    agent_call(id: Call, session: Session),\n    judged(id: Call, kind: Kind),\n    Kind != /deny.\n",
            "passed(Call, Session) :- watched(Call), agent_call(id: Call, session: Session), judged(id: Call).\n",
            "relation secret(id: string, path: string).\n",
            "secret(Call, Path) :-\n    file_access(Call, Path, Mode),\n    Mode in [/read, /use, /run],\n    Pattern in secret_files,\n    matches(Path, Pattern),\n    !example(Call, Path).\n",
            "relation example(id: string, path: string).\n",
            "example(Call, Path) :-\n    file_access(id: Call, path: Path),\n    Pattern in examples_of_secrets,\n    matches(Path, Pattern).\n",
            "relation secret_known(session: string, path: string).\n",
            "secret_known(Session, Path) :- passed(Call, Session), secret(Call, Path).\n",
            "relation sends(id: string, how: string).\n",
            "sends(Call, Program) :- argv(id: Call, position: 0, word: Program), Program in sending_programs.\n",
            "sends(Call, format(\"git {Verb}\")) :-\n    argv(Call, Stage, 0, \"git\"),\n    verb(Call, Stage, Verb),\n    Verb in sending_of_git.\n",
            "sends(Call, Path) :- file_access(id: Call, path: Path), matches(Path, r\"^/dev/(tcp|udp)/\").\n",
            "sends(Call, Tool) :-\n    agent_call(id: Call, tool: Tool),\n    matches(Tool, r\"^(fetch|web_search|mcp/.*)$\").\n",
            "relation session_tree(session: string, root: string, home: string).\n",
            "session_tree(Session, Root, Home) :-\n    agent_call(id: Call, session: Session, at: At),\n    tree(id: Call, root: Root, home: Home)\n    limit 1 per Session by At.\n",
            "relation changes(id: string, path: string).\n",
            "changes(Call, Path) :- file_access(Call, Path, Mode), Mode in [/write, /delete].\n",
            "relation inside(id: string, path: string).\n",
            "inside(Call, Path) :-\n    agent_call(id: Call, session: Session),\n    session_tree(Session, Root, Home),\n    Root != Home,\n    file_access(id: Call, path: Path),\n    if(Path = Root, true, starts_with(Path, concat(Root, \"/\"))).\n",
            "relation scratch(id: string, path: string).\n",
            "scratch(Call, Path) :-\n    file_access(id: Call, path: Path),\n    Pattern in scratch_files,\n    matches(Path, Pattern).\n",
            "relation written(session: string, path: string).\n",
            "written(Session, Path) :- passed(Call, Session), file_access(Call, Path, /write).\n",
            "written(Session, Path) :- pending(Call, Session), file_access(Call, Path, /write).\n",
            "relation command_word(id: string, words: string).\n",
            "command_word(Call, Program) :- argv(id: Call, position: 0, word: Program).\n",
            "command_word(Call, format(\"{Program} {Word}\")) :-\n    argv(Call, Stage, 0, Program),\n    argv(Call, Stage, Position, Word),\n    Position > 0.\n",
            "command_word(Call, format(\"{Program} {Flag}\")) :-\n    argv(Call, Stage, 0, Program),\n    flag(Call, Stage, Flag).\n",
            "command_word(Call, format(\"{Program} {Verb} {Word}\")) :-\n    argv(Call, Stage, 0, Program),\n    verb(Call, Stage, Verb),\n    argv(Call, Stage, Position, Word),\n    Position > 1.\n",
            "command_word(Call, format(\"{Program} {Verb} {Flag}\")) :-\n    argv(Call, Stage, 0, Program),\n    verb(Call, Stage, Verb),\n    flag(Call, Stage, Flag).\n",
            "relation subcommand(id: string, words: string).\n",
            "subcommand(Call, format(\"{Program} {Verb}\")) :-\n    argv(Call, Stage, 0, Program),\n    verb(Call, Stage, Verb).\n",
            "subcommand(Call, format(\"{Program} {Word}\")) :-\n    argv(Call, Stage, 0, Program),\n    argv(Call, Stage, 1, First),\n    starts_with(First, \"-\"),\n    argv(Call, Stage, Position, Word),\n    Position > 0.\n",
            "subcommand(Call, format(\"{Program} {Flag}\")) :-\n    argv(Call, Stage, 0, Program),\n    flag(Call, Stage, Flag).\n",
            "relation rung(id: string, what: string, level: int).\n",
            "rung(Call, Tool, 1) :- agent_call(id: Call, tool: Tool), Tool in reading_tools.\n",
            "rung(Call, Tool, 2) :- agent_call(id: Call, tool: Tool), Tool in writing_tools.\n",
            "rung(Call, Tool, 3) :- agent_call(id: Call, tool: Tool), Tool in [\"web_search\", \"agent\"].\n",
            "rung(Call, Tool, 4) :- agent_call(id: Call, tool: Tool), Tool = \"fetch\".\n",
            "rung(Call, Program, 1) :- argv(id: Call, position: 0, word: Program), Program in reading_programs.\n",
            "rung(Call, Program, 2) :- argv(id: Call, position: 0, word: Program), Program in writing_programs.\n",
            "rung(Call, Program, 3) :- argv(id: Call, position: 0, word: Program), Program in running_programs.\n",
            "rung(Call, Program, 4) :- argv(id: Call, position: 0, word: Program), Program in sending_programs.\n",
            "rung(Call, \"git\", 1) :-\n    argv(Call, Stage, 0, \"git\"),\n    verb(Call, Stage, Verb),\n    Verb in reading_of_git.\n",
            "rung(Call, \"git\", 2) :-\n    argv(Call, Stage, 0, \"git\"),\n    verb(Call, Stage, Verb),\n    !(Verb in reading_of_git),\n    !(Verb in sending_of_git).\n",
            "rung(Call, \"git\", 4) :-\n    argv(Call, Stage, 0, \"git\"),\n    verb(Call, Stage, Verb),\n    Verb in sending_of_git.\n",
            "rung(Call, Path, 2) :- pending(Call, _), changes(Call, Path), !scratch(Call, Path).\n",
            "relation given_level(level: int).\n",
            "given_level(Level) :- agent_level(Level, Since) limit 1 by Since desc, Level.\n",
            "relation level_now(level: int).\n",
            "level_now(Level) :- given_level(Level).\n",
            "level_now(first_agent_level) :- !agent_level(_, _).\n",
            "relation calls_of(session: string, tool: string, calls: int).\n",
            "calls_of(Session, Tool, count()) :-\n    agent_call(id: Call, session: Session, tool: Tool),\n    judged(id: Call).\n",
            "relation calls_made(session: string, calls: int).\n",
            "calls_made(Session, count()) :- agent_call(id: Call, session: Session), judged(id: Call).\n",
            "relation session_began(session: string, at: time).\n",
            "session_began(Session, min(At)) :- agent_call(session: Session, at: At).\n",
            "relation session_cost(session: string, dollars: float).\n",
            "session_cost(Session, sum(Dollars)) :- spent(Session, Dollars, _).\n",
            "relation failed_alike(fingerprint: string, times: int).\n",
            "failed_alike(Print, count()) :-\n    ran(id: Call, ok: false),\n    same_as(Call, Print),\n    !mended(Call),\n    !succeeded_once(Print).\n",
            "relation last_change(session: string, at: time).\n",
            "last_change(Session, max(At)) :-\n    agent_call(id: Call, session: Session),\n    ran(id: Call, ok: true, at: At),\n    changes(Call, Path),\n    inside(Call, Path),\n    !scratch(Call, Path).\n",
            "relation mended(id: string).\n",
            "mended(Call) :-\n    ran(id: Call, ok: false, at: At),\n    agent_call(id: Call, session: Session),\n    last_change(Session, Changed),\n    At < Changed.\n",
            "relation succeeded_once(fingerprint: string).\n",
            "succeeded_once(Print) :- ran(id: Call, ok: true), same_as(Call, Print).\n",
            "relation concern(\n    id: string,\n    kind: /ask | /defer | /transform | /deny,\n    rule: name,\n    reason: string,\n    remedy: string\n).\n",
            "concern(Call, /deny, /secret_sent, Reason, \"send nothing in this session, or start a new one\") :-\n    pending(Call, Session),\n    sends(Call, How),\n    secret_known(Session, Path),\n    Reason = format(\"{How} could send what this session read from {Path}\").\n",
            "concern(Call, /deny, /secret_sent_at_once, Reason, \"leave the secret out of what is sent\") :-\n    pending(Call, _),\n    sends(Call, How),\n    secret(Call, Path),\n    Reason = format(\"{How} could send what the same call reads from {Path}\").\n",
            "concern(Call, /ask, /secret_read, Reason, \"read an example of that file instead\") :-\n    pending(Call, _),\n    secret(Call, Path),\n    Reason = format(\"{Path} holds secrets\").\n",
            "concern(Call, /ask, /unknown_after_secret, Reason, \"ask a person to look at it\") :-\n    pending(Call, Session),\n    opaque(Call, _, What),\n    secret_known(Session, Path),\n    Reason = format(\"nobody knows what {What} does, and this session read {Path}\").\n",
            "concern(Call, /deny, /outside_tree, Reason, Remedy) :-\n    pending(Call, Session),\n    changes(Call, Path),\n    !inside(Call, Path),\n    !scratch(Call, Path),\n    session_tree(Session, Root, _),\n    Reason = format(\"{Path} is outside of the working tree {Root}\"),\n    Remedy = format(\"write below {Root}, or below /tmp\").\n",
            "concern(Call, /deny, /gate_touched, Reason, \"a person changes the gate, no agent does\") :-\n    pending(Call, _),\n    file_access(Call, Path, Mode),\n    Mode in [/write, /delete, /use],\n    Pattern in gate_files,\n    matches(Path, Pattern),\n    Reason = format(\"{Path} belongs to the gate\").\n",
            "concern(\n    Call,\n    /ask,\n    /tree_overwritten,\n    Reason,\n    \"change single files, or unpack into a folder of its own\"\n) :-\n    pending(Call, Session),\n    changes(Call, Root),\n    session_tree(session: Session, root: Root),\n    Reason = format(\"that may change any file of {Root}, those of the gate among them\").\n",
            "concern(Call, /deny, /gate_commanded, Reason, \"a person runs that command, no agent does\") :-\n    pending(Call, _),\n    argv(Call, Stage, 0, \"hence\"),\n    verb(Call, Stage, Verb),\n    !(Verb in reading_of_hence),\n    Reason = format(\"hence {Verb} changes what the gate knows\").\n",
            "concern(Call, /deny, /tree_removed, Reason, \"name the files that should go\") :-\n    pending(Call, Session),\n    file_access(Call, Path, /delete),\n    kept(Session, Kept),\n    if(Path = Kept, true, starts_with(Kept, if(Path = \"/\", Path, concat(Path, \"/\")))),\n    Reason = format(\"that removes {Path} with all that is in it\").\n",
            "concern(Call, /ask, /folder_removed, Reason, \"remove single files, or what tools make anew\") :-\n    pending(Call, _),\n    argv(Call, Stage, 0, Program),\n    Program in [\"rm\", \"find\", \"fd\"],\n    removes_folders(Call, Stage),\n    file_access(Call, Path, /delete),\n    !generated(Call, Path),\n    Reason = format(\"{Program} removes {Path} with all that is in it\").\n",
            "concern(Call, /ask, /destructive, Reason, \"keep what would be lost first, such as by a commit\") :-\n    pending(Call, _),\n    command_word(Call, Words),\n    Words in destructive_words,\n    Reason = format(\"{Words} throws away what can't be had again\").\n",
            "concern(Call, /deny, /forbidden_program, Reason, \"a person runs that program, no agent does\") :-\n    pending(Call, _),\n    argv(id: Call, position: 0, word: Program),\n    Program in forbidden_programs,\n    Reason = format(\"{Program} changes the whole machine\").\n",
            "concern(Call, /ask, /privileged, Reason, \"do it with the rights that you have, and now\") :-\n    pending(Call, _),\n    argv(id: Call, position: 0, word: Program),\n    Program in privileged_programs,\n    Reason = format(\"{Program} acts with other rights, or later\").\n",
            "concern(Call, /ask, /publishes, Reason, \"have a person publish it\") :-\n    pending(Call, _),\n    command_word(Call, Words),\n    Words in publishing_words,\n    Reason = format(\"{Words} is seen by other people\").\n",
            "concern(Call, /ask, /installs, Reason, \"name the package and say why it is needed\") :-\n    pending(Call, _),\n    subcommand(Call, Words),\n    Words in installing_words,\n    Reason = format(\"{Words} brings in other people's code\").\n",
            "concern(\n    Call,\n    /deny,\n    /protected_branch,\n    Reason,\n    \"push a branch of your own, and ask for a review\"\n) :-\n    pending(Call, _),\n    pushes_to(Call, Branch),\n    Reason = format(\"{Branch} is a protected branch\").\n",
            "concern(Call, /ask, /not_understood, Reason, Remedy) :-\n    pending(Call, _),\n    opaque(Call, Why, What),\n    plainer(Why, Remedy),\n    Reason = format(\"{Why} hides what the command does: {What}\").\n",
            "concern(Call, /ask, /strange_script, Reason, \"run a script of the working tree\") :-\n    pending(Call, _),\n    opaque(Call, /script, What),\n    !inside(Call, What),\n    Reason = format(\"{What} is no script of the working tree\").\n",
            "concern(Call, /ask, /own_script, Reason, \"have a person read it first\") :-\n    pending(Call, Session),\n    opaque(Call, /script, What),\n    written(Session, What),\n    Reason = format(\"this session wrote {What} itself\").\n",
            "concern(Call, /ask, /own_build, Reason, \"have a person read that change first\") :-\n    pending(Call, Session),\n    opaque(Call, Why, What),\n    Why in [/project_code, /script],\n    written(Session, Path),\n    Pattern in build_files,\n    matches(Path, Pattern),\n    Reason = format(\"{What} may run what this session wrote to {Path}\").\n",
            "concern(Call, /ask, /build_file, Reason, \"have a person make that change\") :-\n    pending(Call, _),\n    changes(Call, Path),\n    matches(Path, r\"(^|/)\\.git/\"),\n    Reason = format(\"git may run what {Path} says\").\n",
            "concern(Call, /ask, /unknown_program, Reason, \"use a program that the rules know\") :-\n    pending(Call, _),\n    argv(id: Call, position: 0, word: Program),\n    !known(Call, Program),\n    Reason = format(\"no rule knows the program {Program}\").\n",
            "concern(Call, /ask, /unknown_tool, Reason, \"use a tool that the rules know\") :-\n    pending(Call, _),\n    agent_call(id: Call, tool: Tool),\n    Tool != \"shell\",\n    !rung(id: Call, what: Tool),\n    Reason = format(\"no rule knows the tool {Tool}\").\n",
            "concern(Call, /ask, /above_level, Reason, \"ask a reviewer for that level\") :-\n    pending(Call, _),\n    rung(Call, What, Needed),\n    level_now(Level),\n    Needed > Level,\n    Reason = format(\"{What} needs level {Needed}, and the agent is at level {Level}\").\n",
            "concern(Call, /ask, /too_many_calls, Reason, \"start a new session\") :-\n    pending(Call, Session),\n    calls_made(Session, Calls),\n    Calls >= most_calls,\n    Reason = format(\"the session has made {Calls} calls; {most_calls} are allowed\").\n",
            "concern(Call, /ask, /too_many_of_a_tool, Reason, \"do it another way, or start a new session\") :-\n    pending(Call, Session),\n    agent_call(id: Call, tool: Tool),\n    calls_of(Session, Tool, Calls),\n    Calls >= most_calls_of_a_tool,\n    Reason\n        = format(\"the session has called {Tool} {Calls} times; {most_calls_of_a_tool} are allowed\").\n",
            "concern(Call, /ask, /too_long, Reason, \"start a new session\") :-\n    pending(Call, Session),\n    agent_call(id: Call, at: At),\n    session_began(Session, Began),\n    At - Began > longest_session,\n    Reason = format(\"the session began at {Began}, and {longest_session} are allowed\").\n",
            "concern(Call, /ask, /too_dear, Reason, \"start a new session, or have the budget raised\") :-\n    pending(Call, Session),\n    session_cost(Session, Dollars),\n    Dollars >= most_dollars,\n    Reason = format(\"the session has cost {Dollars:.2} dollars; {most_dollars:.2} are allowed\").\n",
            "concern(Call, /deny, /failed_before, Reason, \"change something before you try again\") :-\n    pending(Call, _),\n    same_as(Call, Print),\n    failed_alike(Print, Times),\n    Times >= most_failures,\n    Reason = format(\"the very same call has failed {Times} times\").\n",
            "relation plainer(why: opaque_reason, remedy: string).\n",
            "plainer(/syntax, \"write it in the usual form, in simple commands\").\n",
            "plainer(/variable, \"name the file or the value itself\").\n",
            "plainer(/substitution, \"run the inner command first, and write what it printed\").\n",
            "plainer(/stdin_code, \"write the command plainly, with no code inside code\").\n",
            "plainer(/inline_code, \"write the command plainly, with no code inside code\").\n",
            "plainer(/remote, \"do it on this machine, or have a person do it\").\n",
            "plainer(/environment, \"set no variable that changes what programs do\").\n",
            "plainer(/folder, \"name the folder by its path\").\n",
            "plainer(/too_much, \"do it in smaller steps\").\n",
            "relation kept(session: string, path: string).\n",
            "kept(Session, Home) :- session_tree(session: Session, home: Home).\n",
            "kept(Session, concat(Root, \"/.git\")) :- session_tree(session: Session, root: Root).\n",
            "relation removes_folders(id: string, stage: int).\n",
            "removes_folders(Call, Stage) :- flag(Call, Stage, Flag), Flag in [\"-r\", \"-R\", \"--recursive\"].\n",
            "relation generated(id: string, path: string).\n",
            "generated(Call, Path) :-\n    agent_call(id: Call, session: Session),\n    session_tree(session: Session, root: Root),\n    file_access(Call, Path, /delete),\n    Below = if(starts_with(Path, concat(Root, \"/\")), substring(Path, len(Root), len(Path)), Path),\n    Pattern in generated_files,\n    matches(Below, Pattern).\n",
            "relation pushes_to(id: string, branch: string).\n",
            "pushes_to(Call, Branch) :-\n    argv(Call, Stage, 0, \"git\"),\n    verb(Call, Stage, \"push\"),\n    argv(id: Call, stage: Stage, word: Word),\n    Branch in protected_branches,\n    Branch = replace_all(Word, r\"^(.*:|\\+)?(refs/)?(heads/)?\", \"\").\n",
            "pushes_to(Call, Branch) :-\n    argv(Call, Stage, 0, \"git\"),\n    verb(Call, Stage, \"push\"),\n    tree(id: Call, branch: Branch),\n    Branch in protected_branches.\n",
            "pushes_to(Call, Branch) :-\n    argv(Call, Stage, 0, \"git\"),\n    verb(Call, Stage, \"push\"),\n    goes_to(Call, Earlier, Branch),\n    Earlier < Stage.\n",
            "pushes_to(Call, Flag) :-\n    argv(Call, Stage, 0, \"git\"),\n    verb(Call, Stage, \"push\"),\n    flag(Call, Stage, Flag),\n    Flag in [\"--all\", \"--mirror\"].\n",
            "relation goes_to(id: string, stage: int, branch: string).\n",
            "goes_to(Call, Stage, Branch) :-\n    argv(Call, Stage, 0, \"git\"),\n    verb(Call, Stage, Verb),\n    Verb in [\"checkout\", \"switch\"],\n    argv(id: Call, stage: Stage, word: Branch),\n    Branch in protected_branches,\n    !names_files(Call, Stage).\n",
            "relation names_files(id: string, stage: int).\n",
            "names_files(Call, Stage) :-\n    argv(Call, Stage, Position, \"--\"),\n    argv(id: Call, stage: Stage, position: After),\n    After > Position.\n",
            "relation known(id: string, program: string).\n",
            "known(Call, Program) :- rung(id: Call, what: Program).\n",
            "known(Call, Program) :- argv(id: Call, position: 0, word: Program), Program in forbidden_programs.\n",
            "known(Call, Program) :- argv(id: Call, position: 0, word: Program), Program in privileged_programs.\n",
            "relation subject(id: string, subject: string).\n",
            "subject(Call, Value) :- arg(Call, Path, Value), Path in [\"command\", \"path\", \"url\"].\n",
            "subject(Call, Tool) :- agent_call(id: Call, tool: Tool).\n",
            "relation compound(id: string).\n",
            "compound(Call) :- argv(id: Call, stage: Stage), Stage > 0.\n",
            "relation lifted(id: string, rule: name).\n",
            "lifted(Call, Rule) :- approved(Call, Rule, _, Subject), subject(Call, Subject).\n",
            "lifted(Call, Rule) :-\n    approved(Call, Rule, \"*\", Wanted),\n    !compound(Call),\n    ends_with(Wanted, \"*\"),\n    subject(Call, Subject),\n    starts_with(Subject, replace_all(Wanted, r\"\\*$\", \"\")).\n",
            "lifted(Call, Rule) :- approved(Call, Rule, Scope, \"\"), Scope != \"*\".\n",
            "relation approved(id: string, rule: name, scope: string, subject: string).\n",
            "approved(Call, Rule, Scope, Subject) :-\n    pending(Call, Session),\n    approval(Rule, Scope, Subject, _, From, Lasts),\n    if(Scope = \"*\", true, Scope = if(matches(Session, r\"^[*\\\\]\"), concat(\"\\\\\", Session), Session)),\n    agent_call(id: Call, at: At),\n    At >= From,\n    At < From + Lasts.\n",
            "relation strictness(kind: /ask | /defer | /transform | /deny, rank: int).\n",
            "strictness(/deny, 1).\n",
            "strictness(/defer, 2).\n",
            "strictness(/ask, 3).\n",
            "strictness(/transform, 4).\n",
            "decision verdict(id: string, kind: answer_kind, rule: name, reason: string, remedy: string).\n",
            "@id(strictest_concern)\n@because(\"{Rule}: {Reason}\")\nverdict(Call, Kind, Rule, Reason, Remedy) :-\n    concern(Call, Kind, Rule, Reason, Remedy),\n    !lifted(Call, Rule),\n    strictness(Kind, Rank)\n    limit 1 per Call by Rank, Rule, Reason.\n",
            "@id(no_concern)\n@because(\"nothing speaks against {Tool}\")\nverdict(Call, /allow, /no_concern, format(\"nothing speaks against {Tool}\"), \"\") :-\n    pending(Call, _),\n    agent_call(id: Call, tool: Tool),\n    !concerned(Call).\n",
            "relation concerned(id: string).\n",
            "concerned(Call) :- concern(id: Call, rule: Rule), !lifted(Call, Rule).\n",
            "decision ungated(id: string).\n",
            "@id(ran_without_a_call)\n@because(\"{Call} ran at {At}, and the gate was never asked\")\nungated(Call) :- ran(id: Call, at: At), !agent_call(id: Call).\n",
        ),
    ];
}
