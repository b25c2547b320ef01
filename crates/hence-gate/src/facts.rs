//! The facts of an event: the call, its arguments, what its command does, and which files it touches.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hence_core::fact::Fact;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use serde_json::Value as Json;

use crate::answer::masked;
use crate::event::{Call, HookEvent};
use crate::paths;
use crate::shell::{self, Mode, Why};
use crate::tools::{PATCHES, is_another};
use crate::uri::file_of_uri;

/// How many bytes of one argument become a fact; its hash stands for the rest.
const LONGEST_VALUE: usize = 2_048;
/// How many arguments become facts.
const MOST_VALUES: usize = 200;
/// How long files are looked for that a pattern means.
const LONGEST_SEARCH: Duration = Duration::from_millis(50);
/// How deeply arguments are looked into.
const DEEPEST: usize = 12;

/// The relations of the facts that are made here, with their columns.
pub const RELATIONS: &str = "\
input agent_call(id: string, session: string, agent: string, tool: string, cwd: string, mode: string, at: time).
input host(id: string, name: string, tool: string).
input arg(id: string, path: string, value: string).
input argv(id: string, stage: int, position: int, word: string).
input flag(id: string, stage: int, flag: string).
input verb(id: string, stage: int, verb: string).
input file_access(id: string, path: string, mode: access_mode).
input opaque(id: string, why: opaque_reason, what: string).
input tree(id: string, root: string, branch: string, home: string).
input same_as(id: string, fingerprint: string).
";

/// The facts of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Lowered {
    /// The id of the call, unique among all sessions.
    pub id: String,
    /// Its facts.
    pub facts: Vec<Fact>,
}

/// What is the same for two calls of one tool with the same arguments in one session.
pub fn fingerprint(session: &str, call: &Call) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in [session, &call.tool, &Json::Object(sorted(&call.input)).to_string()] {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex().chars().take(16).collect()
}

/// Arguments in order of their names, so that a host may send them in any.
fn sorted(object: &crate::json::Object) -> crate::json::Object {
    let mut all: Vec<_> = object.clone().into_iter().collect();
    all.sort_by(|one, other| one.0.cmp(&other.0));
    all.into_iter().collect()
}

/// The facts of a call that has the number `id`, at a time in microseconds since the epoch.
pub fn facts(event: &HookEvent, call: &Call, id: &str, at: i64) -> Lowered {
    let mut lower = Lower { id: text(id), facts: Vec::new(), accesses: BTreeSet::new() };
    let (folder, tree) = (PathBuf::from(&event.folder), paths::tree_of(Path::new(&event.cwd)));
    lower.add(
        "agent_call",
        [
            text(&event.session),
            text(&event.agent),
            text(&call.tool),
            path_text(&folder),
            text(&event.mode),
            Value::Time(at),
        ],
    );
    lower.add("host", [text(event.host.word()), text(&call.own_tool)]);
    lower.add("same_as", [text(&fingerprint(&event.session, call))]);
    // What is pushed is the branch of the folder that the command runs in.
    let branch = paths::branch_of(&paths::tree_of(&folder)).unwrap_or_default();
    let home = paths::home().unwrap_or_default();
    lower.add("tree", [path_text(&tree), text(&branch), path_text(&home)]);
    lower.arguments(call);
    match call.tool.as_str() {
        "shell" => lower.command(call, &folder),
        _ => lower.files(call, &folder),
    }
    for (path, mode) in std::mem::take(&mut lower.accesses) {
        lower.add("file_access", [path_text(&path), name(mode.word())]);
    }
    Lowered { id: id.to_owned(), facts: lower.facts }
}

struct Lower {
    id: Value,
    facts: Vec<Fact>,
    accesses: BTreeSet<(PathBuf, Mode)>,
}

impl Lower {
    fn add<const N: usize>(&mut self, relation: &str, values: [Value; N]) {
        let values: Vec<Value> = std::iter::once(self.id).chain(values).collect();
        self.facts.push(Fact::new(relation, values));
    }

    fn opaque(&mut self, why: Why, what: &str) {
        self.add("opaque", [name(why.word()), text(what)]);
    }

    /// Every argument by its path, as `edits.0.path`.
    fn arguments(&mut self, call: &Call) {
        let mut all = Vec::new();
        for (name, value) in &call.input {
            leaves(name.clone(), value, DEEPEST, &mut all);
        }
        if all.len() > MOST_VALUES {
            self.opaque(Why::TooMuch, "arguments");
        }
        for (path, value) in all.into_iter().take(MOST_VALUES) {
            self.add("arg", [text(&path), text(&shortened(&masked(&value)))]);
        }
    }

    fn command(&mut self, call: &Call, cwd: &Path) {
        let command = match call.input.get("command") {
            Some(Json::String(command)) => command.clone(),
            // Some hosts send the words of a program.
            Some(Json::Array(words)) => {
                let words = words.iter().map(|word| word.as_str().unwrap_or_default());
                words.map(|word| format!("'{}'", word.replace('\'', r"'\''"))).collect::<Vec<_>>().join(" ")
            }
            _ => return self.opaque(Why::Syntax, "a shell without a command"),
        };
        // Which of them the host reads isn't known.
        let has_another = |word| call.input.keys().any(|name| is_another(&call.tool, name, word));
        if has_another("command") {
            self.opaque(Why::Syntax, "a shell with several commands");
        }
        if has_another("cwd") {
            self.opaque(Why::Syntax, "a shell with several folders");
        }
        let seen = shell::look(&command, cwd);
        for (stage, simple) in (0i64..).zip(&seen.stages) {
            for (position, word) in (0i64..).zip(&simple.words) {
                self.add("argv", [Value::Int(stage), Value::Int(position), text(&shortened(&masked(word)))]);
            }
            for flag in &simple.flags {
                self.add("flag", [Value::Int(stage), text(&shortened(flag))]);
            }
            if let Some(verb) = &simple.verb {
                self.add("verb", [Value::Int(stage), text(&shortened(verb))]);
            }
        }
        for (why, what) in &seen.opaque {
            self.opaque(*why, &masked(what));
        }
        self.accesses.extend(seen.accesses);
    }

    /// The files that a tool of the host's own touches.
    fn files(&mut self, call: &Call, cwd: &Path) {
        let mode = match call.tool.as_str() {
            "read" | "list" | "search" => Mode::Read,
            "write" | "edit" => Mode::Write,
            "delete" => Mode::Delete,
            _ => Mode::Use,
        };
        self.patches(call, cwd);
        let mut all = Vec::new();
        for (name, value) in &call.input {
            leaves(name.clone(), value, DEEPEST, &mut all);
        }
        let mut found = false;
        for (name, value) in all {
            let own =
                name.rsplit('.').find(|part| !part.chars().all(|c| c.is_ascii_digit())).unwrap_or(&name);
            let is_path = matches!(
                own,
                "path"
                    | "paths"
                    | "file_path"
                    | "filePath"
                    | "file_paths"
                    | "filename"
                    | "file"
                    | "files"
                    | "include"
                    | "directory"
                    | "dir"
                    | "target"
                    | "source"
                    | "destination"
                    | "uri"
                    | "url"
                    | "target_file"
                    | "notebook_path"
                    | "absolute_path"
                    | "dir_path"
                    | "target_directory"
            ) || mode == Mode::Read && is_filter(own)
                || call.own_tool == "Glob" && own == "pattern";
            // The text of a plan or a task names files, and touches none.
            let looks = mode == Mode::Use
                && !matches!(call.tool.as_str(), "plan" | "agent")
                && !value.contains(char::is_whitespace)
                && (value.starts_with(['/', '~'])
                    || is_file_uri(&value)
                    || value.starts_with("./")
                    || value.starts_with("../"));
            if is_path || looks {
                found |= self.named(&value, mode, cwd) && !is_filter(own);
            }
            if call.tool == "search" && is_filter(own) {
                self.searched(call, &value, cwd);
            }
        }
        if !found && matches!(mode, Mode::Write | Mode::Delete) && !call.input.contains_key("patch") {
            self.opaque(Why::Variable, "no path in the arguments");
        }
        if !found && matches!(call.tool.as_str(), "list" | "search") {
            self.touch(".", Mode::Read, cwd);
        }
    }

    /// The file that an argument names, as a path or as a URI; whether it names one.
    fn named(&mut self, value: &str, mode: Mode, cwd: &Path) -> bool {
        let is_plain = value.len() < 4_096 && !value.contains('\n') && !value.contains("://");
        let path = if !is_file_uri(value) {
            is_plain.then(|| value.to_owned())
        } else if let Ok(path) = file_of_uri(value) {
            path
        } else {
            self.opaque(Why::Syntax, &shortened(&masked(value)));
            None
        };
        path.iter().for_each(|path| self.touch(path, mode, cwd));
        path.is_some()
    }

    /// The files that a search reads, as its pattern tells them.
    fn searched(&mut self, call: &Call, pattern: &str, cwd: &Path) {
        let end = Instant::now() + LONGEST_SEARCH;
        let root = call.input.get("path").and_then(Json::as_str).unwrap_or(".");
        let root = paths::resolve(cwd, Path::new(root));
        let patterns = shell::alternatives(pattern);
        let patterns: Vec<&str> = patterns.iter().map(String::as_str).collect();
        for path in shell::below(&root, &patterns, end).0 {
            self.touch(&path.to_string_lossy(), Mode::Read, cwd);
        }
    }

    /// The patches of a call. A host reads one of the members that may hold one; which of them isn't known.
    fn patches(&mut self, call: &Call, cwd: &Path) {
        let is_patch = |name: &str| call.tool == "edit" && PATCHES.contains(&name);
        for (name, value) in call.input.iter().filter(|(name, _)| is_patch(name)) {
            let mut parts = Vec::new();
            leaves(name.clone(), value, DEEPEST, &mut parts);
            let parts: Vec<String> = parts.into_iter().map(|(_, part)| part).collect();
            self.patch(&parts.join("\n"), cwd);
        }
    }

    fn touch(&mut self, path: &str, mode: Mode, cwd: &Path) {
        let home = paths::home().unwrap_or_default();
        let path = match path.strip_prefix("~/") {
            Some(rest) => home.join(rest),
            None => PathBuf::from(path),
        };
        self.accesses.insert((paths::without_dots(cwd, &path), mode));
        self.accesses.insert((paths::resolve(cwd, &path), mode));
    }

    /// The files that a patch names.
    fn patch(&mut self, patch: &str, cwd: &Path) {
        let mut any = false;
        let own = [
            ("*** Add File:", Mode::Write),
            ("*** Update File:", Mode::Write),
            ("*** Move to:", Mode::Write),
            ("*** Delete File:", Mode::Delete),
        ];
        let of_diffs = [("+++ b/", Mode::Write), ("+++ ", Mode::Write), ("--- a/", Mode::Write)];
        // Blanks around a marker are no part of it for those who read patches.
        let lines = || patch.lines().map(str::trim);
        // What begins in this way is no diff: a line that looks like the head of one is content.
        let begins = |line: &str| of_diffs.iter().any(|(start, _)| line.starts_with(start));
        let is_own = lines().take_while(|line| !begins(line)).any(|line| line == "*** Begin Patch");
        for line in lines() {
            let mut told = own.iter().chain(of_diffs.iter().filter(|_| !is_own));
            let found = told.find_map(|(start, mode)| Some((line.strip_prefix(start)?, *mode)));
            if let Some((path, mode)) = found {
                self.touch(path.trim(), mode, cwd);
                any = true;
            }
        }
        if !any {
            self.opaque(Why::Syntax, "a patch without files");
        }
    }
}

/// Whether a text is the URI of a file.
fn is_file_uri(text: &str) -> bool {
    text.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:"))
}

/// Whether an argument says which files below a folder are searched.
fn is_filter(name: &str) -> bool {
    matches!(name, "glob" | "include_pattern" | "include")
}

/// The texts, numbers and truths of a value, each by its path.
fn leaves(path: String, value: &Json, deep: usize, all: &mut Vec<(String, String)>) {
    if deep == 0 || all.len() > MOST_VALUES {
        return;
    }
    match value {
        Json::Null => {}
        Json::Bool(value) => all.push((path, value.to_string())),
        Json::Number(value) => all.push((path, value.to_string())),
        Json::String(value) => all.push((path, value.clone())),
        Json::Array(values) => {
            for (at, value) in values.iter().enumerate() {
                leaves(format!("{path}.{at}"), value, deep - 1, all);
            }
        }
        Json::Object(fields) => {
            for (name, value) in fields {
                leaves(format!("{path}.{name}"), value, deep - 1, all);
            }
        }
    }
}

/// A text as it is, or its beginning and the hash of the whole.
fn shortened(value: &str) -> String {
    if value.len() <= LONGEST_VALUE {
        return value.to_owned();
    }
    let mut end = LONGEST_VALUE;
    while !value.is_char_boundary(end) {
        end -= 1;
    }
    let mut short = value.get(..end).unwrap_or_default().to_owned();
    let hash = blake3::hash(value.as_bytes()).to_hex();
    let _ = write!(short, "… {} bytes, blake3 {}", value.len(), hash.get(..16).unwrap_or_default());
    short
}

fn text(text: &str) -> Value {
    Value::String(Symbol::new(text))
}

fn name(word: &str) -> Value {
    Value::Name(Symbol::new(&format!("/{word}")))
}

fn path_text(path: &Path) -> Value {
    text(&path.to_string_lossy())
}
