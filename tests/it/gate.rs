//! The gate, as a host meets it: the command, the owner that it starts, the ledger that remembers.

#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;

use hence::session::{CommitRequest, RuleSource, Session};
use hence_core::fact::Fact;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_gate::{HookEvent, Host, Phase, facts, fingerprint};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

#[path = "../gate/session.rs"]
mod session;

use session::{event, sessions};

mod told;

/// A working tree.
fn tree() -> TempDir {
    let folder = tempfile::Builder::new().prefix("gate").tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    fs::create_dir_all(folder.path().join(".git")).unwrap();
    fs::write(folder.path().join(".git/HEAD"), "ref: refs/heads/topic\n").unwrap();
    fs::write(folder.path().join(".env"), "KEY=value\n").unwrap();
    folder
}

fn text(fact: &Fact, at: usize) -> String {
    match fact.values[at] {
        Value::String(symbol) | Value::Name(symbol) => symbol.as_str().to_owned(),
        other => panic!("{other} is no text"),
    }
}

/// The verdicts on a session in the words of a host, in memory: kind and rule of each call.
fn verdicts(host: Host, calls: &[Json], cwd: &Path) -> Vec<String> {
    let rules = RuleSource { packs: vec![String::from("gate")], ..RuleSource::default() }.build().unwrap();
    let mut session = Session::over_facts(rules, Vec::new()).unwrap();
    let mut left: Vec<Fact> = Vec::new();
    let mut all = Vec::new();
    for (number, call) in calls.iter().enumerate() {
        let now = 1_800_000_000_000_000 + number as i64 * 1_000_000;
        let before =
            HookEvent::read(Some(host), &serde_json::to_vec(&event(host, call, false, cwd, number)).unwrap())
                .unwrap();
        let id = format!("c{number}");
        let mut assertions = std::mem::take(&mut left);
        assertions.extend(facts(&before, before.call.as_ref().unwrap(), &id, now).facts);
        let change = CommitRequest {
            assertions,
            now,
            time: now,
            author: String::from("gate"),
            ..CommitRequest::default()
        };
        let drawn = session.commit(change, false).unwrap().drawn;
        let own = drawn
            .iter()
            .find(|drawn| text(&drawn.fact, 0) == id && drawn.fact.relation.as_str() == "verdict");
        let fact = &own.unwrap_or_else(|| panic!("no verdict on {call}")).fact;
        let (kind, rule) = (text(fact, 1), text(fact, 2));
        all.push(format!("{kind} {rule}"));
        let key = Value::String(Symbol::new(&id));
        let name = |word: &str| Value::Name(Symbol::new(word));
        left.push(Fact::new("judged", [key, name(&kind), name(&rule), Value::Time(now)]));
        if kind == "/allow" {
            let done = HookEvent::read(
                Some(host),
                &serde_json::to_vec(&event(host, call, true, cwd, number)).unwrap(),
            )
            .unwrap();
            let Phase::After(outcome) = &done.phase else { panic!("{:?}", done.phase) };
            assert_eq!(outcome.ok, call["ok"].as_bool().unwrap(), "{host}: {call}");
            assert_eq!(
                fingerprint("s", done.call.as_ref().unwrap()),
                fingerprint("s", before.call.as_ref().unwrap()),
                "{host}: {call}"
            );
            left.push(Fact::new("ran", [key, Value::Bool(outcome.ok), Value::Duration(0), Value::Time(now)]));
        }
    }
    all
}

/// A verdict with its call in a line.
fn shown(verdict: &str, call: &Json) -> String {
    let what =
        ["command", "path", "url", "query", "prompt"].iter().find_map(|name| call[*name].as_str()).unwrap();
    format!("{verdict}: {} {}", call["tool"].as_str().unwrap(), what.replace('\n', "\\n"))
}

#[test]
fn a_session_gets_the_same_verdicts_in_every_dialect() {
    let tree = tree();
    let cwd = tree.path().canonicalize().unwrap();
    for session in sessions() {
        let expected = verdicts(Host::Claude, &session.calls, &cwd);
        let lines: Vec<String> =
            expected.iter().zip(&session.calls).map(|(verdict, call)| shown(verdict, call)).collect();
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/gate").join(session.name).with_extension("out");
        let text = lines.join("\n") + "\n";
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&path, &text).unwrap();
        }
        let recorded = fs::read_to_string(&path).unwrap();
        for (at, (line, recorded)) in text.lines().zip(recorded.lines()).enumerate() {
            assert_eq!(line, recorded, "{}: call {at}", session.name);
        }
        assert_eq!(text.lines().count(), recorded.lines().count());
        for host in Host::ALL.into_iter().filter(|host| *host != Host::Claude) {
            let own = verdicts(host, &session.calls, &cwd);
            for (at, (one, other)) in expected.iter().zip(&own).enumerate() {
                assert_eq!(one, other, "{host}: call {at}: {}", lines[at]);
            }
        }
    }
}

/// A project with a gate; its owner ends with it.
struct Project {
    folder: TempDir,
}

impl Project {
    fn new() -> Self {
        let project = Self { folder: tree() };
        fs::write(project.path("hence.toml"), "packs = [\"gate\"]\n[roles]\nreviewer = [\"ann\"]\n").unwrap();
        project
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    fn hence(&self, words: &[&str], input: &str) -> Output {
        self.run(env!("CARGO_BIN_EXE_hence"), words, input)
    }

    fn run(&self, program: &str, words: &[&str], input: &str) -> Output {
        let mut command = Command::new(program);
        command.args(words).current_dir(self.folder.path()).env("USER", "ann").env_remove("HENCE_CLOCK");
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // One that has heard enough reads no more.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        child.wait_with_output().unwrap()
    }

    /// What Claude Code is told about a call: its decision, the whole answer, and the status.
    fn ask(&self, number: usize, tool: &str, input: &Json) -> (String, String, Option<i32>) {
        let event = json!({
            "session_id": "s", "transcript_path": "", "cwd": self.path(""), "permission_mode": "default",
            "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input, "tool_use_id": format!("use-{number}"),
        });
        let output = self.hence(&["gate", "--host", "claude"], &event.to_string());
        let said = String::from_utf8(output.stdout).unwrap();
        let answer: Json = serde_json::from_str(&said)
            .unwrap_or_else(|_| panic!("{said}{}", String::from_utf8_lossy(&output.stderr)));
        let decision =
            answer["hookSpecificOutput"]["permissionDecision"].as_str().unwrap_or("none").to_owned();
        (decision, said, output.status.code())
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        let status = self.hence(&["status"], "");
        let said =
            String::from_utf8_lossy(&status.stdout).into_owned() + &String::from_utf8_lossy(&status.stderr);
        let owner =
            fs::read_to_string(self.folder.path().join(".hence/gate.log")).unwrap_or_default() + &said;
        for part in owner.split("process ").skip(1) {
            let number: String = part.chars().take_while(char::is_ascii_digit).collect();
            if let Ok(number) = number.parse::<i32>() {
                let _ = Command::new("kill").arg(number.to_string()).status();
            }
        }
    }
}

#[test]
fn what_hosts_start_says_what_the_gate_says() {
    let project = Project::new();
    let store = project.path(".hence").display().to_string();
    let words = ["gate", "--host", "claude", "--store", &store];
    let hook = |words: &[&str], input: &str| project.run(env!("CARGO_BIN_EXE_hence-hook"), words, input);
    let event = |number: usize, command: &str| {
        let call = json!({ "tool": "shell", "command": command, "ok": true });
        event(Host::Claude, &call, false, &project.path(""), number).to_string()
    };
    // Nobody owns the ledger yet; then somebody does.
    for (number, command) in ["ls", "rm -rf /", "echo '\u{202e}' > /etc/x"].iter().enumerate() {
        let by_hook = hook(&words, &event(2 * number, command));
        let by_gate = project.hence(&words, &event(2 * number + 1, command));
        let said = |output: &Output| {
            let text = String::from_utf8(output.stdout.clone()).unwrap();
            assert!(!text.contains('\u{202e}'), "{text}");
            text.split(", decision").next().unwrap().to_owned()
        };
        assert_eq!(said(&by_hook), said(&by_gate), "{command}");
        assert_eq!(by_hook.status.code(), by_gate.status.code(), "{command}");
    }
    // What is no event, too long, or asked in other words.
    for (words, input) in [
        (&words[..], "no event"),
        (&words[..], &event(9, &"x".repeat(5 << 20))),
        (&["gate", "--host", "claude"], "{}"),
        (&["gate", "--host", "nobody", "--store", &store], "{}"),
    ] {
        let (by_hook, by_gate) = (hook(words, input), project.hence(words, input));
        assert_eq!(by_hook, by_gate, "{words:?}");
        assert_eq!(by_hook.status.code(), Some(2), "{words:?}");
    }
}

/// An owner that takes what it is asked and says nothing.
#[test]
fn what_an_owner_says_nothing_of_is_denied_and_nobody_is_asked_again() {
    let project = Project::new();
    fs::create_dir(project.path(".hence")).unwrap();
    let _silent = UnixListener::bind(project.path(".hence/owner.sock")).unwrap();
    // The `hence` beside the hook would say that it was started.
    let (hook, beside) = (project.path("bin/hence-hook"), project.path("bin/hence"));
    fs::create_dir(project.path("bin")).unwrap();
    fs::copy(env!("CARGO_BIN_EXE_hence-hook"), &hook).unwrap();
    fs::write(&beside, "#!/bin/sh\ntouch started\n").unwrap();
    fs::set_permissions(&beside, Permissions::from_mode(0o755)).unwrap();
    let call = json!({ "tool": "shell", "command": "ls", "ok": true });
    let asked = event(Host::Claude, &call, false, &project.path(""), 1).to_string();
    let store = project.path(".hence").display().to_string();
    let words = ["gate", "--host", "claude", "--store", &store];
    // Both wait at once until no answer comes.
    let (output, shadow) = thread::scope(|scope| {
        let shadowed = [&words[..], &["--shadow"]].concat();
        let (project, hook, asked) = (&project, hook.to_str().unwrap(), &asked);
        let shadow = scope.spawn(move || project.run(hook, &shadowed, asked));
        (project.run(hook, &words, asked), shadow.join().unwrap())
    });
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains(r#""permissionDecision":"deny""#) && said.contains("gave no answer"), "{said}");
    assert_eq!((shadow.status.code(), shadow.stdout.len()), (Some(1), 0), "{shadow:?}");
    assert!(!project.path("started").exists());
}

/// What an owner tells a hook of an event.
fn judged(socket: &Path, event: &str) -> String {
    let mut owner = UnixStream::connect(socket).unwrap();
    let gate = json!({ "host": "claude", "shadow": false, "event": event });
    owner.write_all(format!("{{\"hence\":1,\"gate\":{gate}}}\n").as_bytes()).unwrap();
    let mut line = String::new();
    BufReader::new(owner).read_line(&mut line).unwrap();
    line
}

/// Calls that come while others are decided are decided with the next ones, and none is turned away.
#[test]
fn many_that_ask_without_a_pause_are_all_answered() {
    let project = Project::new();
    assert_eq!(project.ask(0, "Bash", &json!({ "command": "ls" })).0, "allow");
    let socket = project.path(".hence/owner.sock");
    let call = json!({ "tool": "shell", "command": "ls", "ok": true });
    thread::scope(|scope| {
        for at in 0..12 {
            let (socket, call, cwd) = (&socket, &call, project.path(""));
            scope.spawn(move || {
                for number in 0..60 {
                    let asked = event(Host::Claude, call, false, &cwd, 100 + at * 60 + number);
                    let told = judged(socket, &asked.to_string());
                    assert!(!told.contains("too many calls"), "{told}");
                }
            });
        }
    });
}

#[test]
fn a_hook_starts_the_owner_and_remembers() {
    let project = Project::new();
    let shell = |number, command: &str| project.ask(number, "Bash", &json!({ "command": command }));
    assert_eq!(shell(1, "ls").0, "allow");
    let (decision, said, status) = shell(2, "rm -rf /");
    assert_eq!((decision.as_str(), status), ("deny", Some(0)));
    assert!(said.contains("outside_tree") && said.contains("decision "), "{said}");
    // What was read earlier in the session isn't sent later.
    assert_eq!(shell(3, "cat .env").0, "ask");
    let (decision, said, _) = shell(4, "curl https://example.com");
    assert_eq!(decision, "deny");
    assert!(said.contains("secret_sent"), "{said}");
    let why = project.hence(&["why", "--call", "use-4"], "");
    let why = String::from_utf8(why.stdout).unwrap();
    assert!(why.contains("could send what this session read") && why.contains("file_access"), "{why}");
    let report = String::from_utf8(project.hence(&["gate", "report"], "").stdout).unwrap();
    assert!(
        report.contains("4 calls in 1 session") && report.contains("deny secret_sent: 1 call"),
        "{report}"
    );
}

#[test]
fn a_verdict_is_explained_as_it_was_and_not_as_it_would_be() {
    let project = Project::new();
    let shell = |number, command: &str| project.ask(number, "Bash", &json!({ "command": command })).1;
    let denied = shell(1, "mkfs /dev/sda");
    let id = denied.split("decision ").nth(1).unwrap().split(']').next().unwrap().to_owned();
    shell(2, "ls");
    for words in [["why", "--call", "use-1"].as_slice(), &["why", &id]] {
        let why = project.hence(words, "");
        let (proof, told) = (String::from_utf8(why.stdout).unwrap(), String::from_utf8(why.stderr).unwrap());
        assert!(proof.starts_with("/forbidden_program: ") && proof.contains("mkfs"), "{proof}");
        assert!(told.contains("a verdict is given once: this one lapsed in transaction "), "{told}");
        assert!(!told.contains("today"), "{told}");
    }
}

#[test]
fn a_reviewer_lifts_a_rule_and_the_agent_can_not() {
    let project = Project::new();
    let shell = |number, command: &str| project.ask(number, "Bash", &json!({ "command": command })).0;
    assert_eq!(shell(1, "frobnicate now"), "ask");
    assert_eq!(shell(2, "hence gate approve use-1"), "deny");
    let lifted = project.hence(&["gate", "approve", "use-1", "--like", "frobnicate *", "--as", "ann"], "");
    assert!(lifted.status.success(), "{}", String::from_utf8_lossy(&lifted.stderr));
    assert_eq!(shell(3, "frobnicate later"), "allow");
    assert_eq!(shell(4, "frobnicate later; frobnicate again"), "ask");
    let stranger = project.hence(&["gate", "approve", "use-1", "--as", "eve"], "");
    assert!(!stranger.status.success());
    // What would lift more than it says, or nothing.
    for (words, why) in [
        (["use-1", "--like", ""], "expected the beginning of a command"),
        (["use-1", "--like", " \t"], "expected the beginning of a command"),
        (["use-1", "--for", "0s"], "expected a duration of more than nothing"),
        (["use-3", "--for", "1h"], "was allowed"),
    ] {
        let refused = project.hence(&[&["gate", "approve", "--as", "ann"], &words[..]].concat(), "");
        let said = String::from_utf8(refused.stderr).unwrap();
        assert!(refused.status.code() == Some(2) && said.contains(why), "{words:?}: {said}");
    }
    // A session that is called as all of them are is one of them.
    let in_session = |session: &str, number: usize| {
        let call = json!({ "tool": "shell", "command": "frobnicate elsewhere; ls", "ok": true });
        let mut event = event(Host::Claude, &call, false, &project.path(""), number);
        event["session_id"] = json!(session);
        let output = project.hence(&["gate", "--host", "claude"], &event.to_string());
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(in_session("*", 20).contains("unknown_program"));
    let lifted = project.hence(&["gate", "approve", "use-20", "--session", "--as", "ann"], "");
    assert!(lifted.status.success(), "{}", String::from_utf8_lossy(&lifted.stderr));
    assert!(in_session("*", 21).contains("no_concern"));
    assert!(in_session("s", 22).contains("unknown_program"));
}

#[test]
fn whatever_goes_wrong_denies_with_status_2() {
    let project = Project::new();
    for input in
        ["", "{", "[]", "{}", r#"{"hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": "nowhere"}"#]
    {
        let output = project.hence(&["gate", "--host", "claude"], input);
        assert_eq!(output.status.code(), Some(2), "{input}");
    }
    // A ledger that can't be made.
    fs::write(project.path("file"), "").unwrap();
    let event = event(Host::Claude, &sessions()[0].calls[6], false, &project.path(""), 1).to_string();
    let output = project.hence(&["gate", "--store", "file/x"], &event);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stdout).unwrap().contains(r#""permissionDecision":"deny""#));
    // Rules without a verdict.
    fs::write(project.path("hence.toml"), "packs = [\"errors\"]\n").unwrap();
    let output = project.hence(&["gate"], &event);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("--pack gate"));
}

#[test]
fn shadow_blocks_nothing_and_tells_what_it_would_have() {
    let project = Project::new();
    let call = json!({ "tool": "shell", "command": "rm -rf /", "ok": true });
    let event = event(Host::Claude, &call, false, &project.path(""), 1).to_string();
    let output = project.hence(&["gate", "--shadow"], &event);
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), b"{}\n".as_slice()));
    let report = String::from_utf8(project.hence(&["gate", "report"], "").stdout).unwrap();
    assert!(report.contains("1 call only watched; 1 of them would have been stopped"), "{report}");
}

#[test]
fn a_tool_that_ran_unasked_and_the_end_of_a_session_are_recorded() {
    let project = Project::new();
    let call = |command: &str| json!({ "tool": "shell", "command": command, "ok": true });
    let send = |host: Host, call: &Json, after: bool, number| {
        let event = event(host, call, after, &project.path(""), number).to_string();
        assert_eq!(project.hence(&["gate", "--host", host.word()], &event).status.code(), Some(0));
    };
    // A host without numbers for calls: what ran is found by what it does.
    send(Host::Gemini, &call("ls"), false, 0);
    send(Host::Gemini, &call("ls"), true, 0);
    send(Host::Gemini, &call("pwd"), true, 0);
    let facts = |relation: &str| {
        let output = project.hence(&["facts", relation, "--format", "jsonl"], "");
        String::from_utf8(output.stdout).unwrap().lines().count()
    };
    assert_eq!((facts("ran"), facts("agent_call")), (2, 1));
    let report = String::from_utf8(project.hence(&["gate", "report"], "").stdout).unwrap();
    assert_eq!(report.matches("ran without a verdict").count(), 1, "{report}");
    let end = json!({ "session_id": "s", "cwd": project.path(""), "hook_event_name": "SessionEnd", "timestamp": "" });
    project.hence(&["gate", "--host", "gemini"], &end.to_string());
    assert_eq!(facts("agent_call"), 0);
}

#[test]
fn the_installer_writes_settings_once_and_the_self_test_passes() {
    let project = Project::new();
    fs::create_dir_all(project.path(".claude")).unwrap();
    fs::write(project.path(".claude/settings.json"), r#"{"model": "big", "hooks": {"Stop": []}}"#).unwrap();
    let install =
        || project.hence(&["gate", "install", "--host", "claude,codex,gemini,cursor,copilot,kiro"], "");
    let first = String::from_utf8(install().stdout).unwrap();
    assert_eq!(first.matches(" written").count(), 6, "{first}");
    let second = String::from_utf8(install().stdout).unwrap();
    assert_eq!(second.matches(" unchanged").count(), 6, "{second}");
    let settings: BTreeMap<String, Json> =
        serde_json::from_str(&fs::read_to_string(project.path(".claude/settings.json")).unwrap()).unwrap();
    assert_eq!(settings["model"], "big");
    assert!(settings["hooks"]["Stop"].is_array());
    let hook = &settings["hooks"]["PreToolUse"][0]["hooks"][0];
    assert_eq!((&hook["onFailure"], &hook["args"][0]), (&json!("block"), &json!("gate")));
    fs::write(project.path(".gemini/settings.json"), "{ // mine").unwrap();
    let faulty = project.hence(&["gate", "install", "--host", "gemini"], "");
    assert_eq!(faulty.status.code(), Some(2));
    assert_eq!(fs::read_to_string(project.path(".gemini/settings.json")).unwrap(), "{ // mine");
    let tested = project.hence(&["gate", "selftest"], "");
    let said = String::from_utf8(tested.stdout).unwrap();
    assert!(tested.status.success() && said.matches("ok: ").count() == 6, "{said}");
}

/// Where the self-test has no room for its folder it says which one, not that its result could not be written.
#[test]
fn a_self_test_without_a_place_for_its_folder_says_so() {
    let dir = crate::memory::folder();
    let mut command = crate::command::hence(dir.path(), &["gate", "selftest"]);
    let refused = command.env("TMPDIR", dir.path().join("nowhere")).output().unwrap();
    let said = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("can't make `") && said.contains("nowhere/hence-selftest-"), "{said}");
}
