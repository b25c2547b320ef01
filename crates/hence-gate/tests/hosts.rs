//! Each host's events are understood, and each verdict is answered in its words: the files of `tests/gate/hosts`.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test")]

use std::fs;
use std::path::{Path, PathBuf};

use hence_core::fact::Fact;
use hence_core::value::Value;
use hence_gate::{Hook, HookEvent, Host, LONGEST_TEXT, Phase, Verdict, VerdictKind, facts};
use serde_json::{Map, Value as Json, json};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/gate/hosts")
}

fn fixtures(host: Host) -> Map<String, Json> {
    let text = fs::read_to_string(folder().join(format!("{host}.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn verdict(kind: VerdictKind) -> Verdict {
    Verdict {
        kind,
        rule: String::from("outside_tree"),
        reason: String::from("/etc/hosts is outside of the working tree /work"),
        remedy: String::from("write below /work"),
        decision: String::from("12.1"),
    }
}

#[test]
fn events_tell_their_host_and_say_the_same() {
    for host in Host::ALL {
        for (name, event) in fixtures(host) {
            let bytes = event.to_string().into_bytes();
            let read =
                HookEvent::read(Some(host), &bytes).unwrap_or_else(|error| panic!("{host} {name}: {error}"));
            assert_eq!(read.session, "s1", "{host} {name}");
            assert_eq!(HookEvent::read(None, &bytes).unwrap().host, host, "{name} tells its host");
            let Some(call) = &read.call else {
                assert_eq!(read.phase, Phase::End, "{host} {name}");
                continue;
            };
            assert_eq!((read.cwd.as_str(), read.folder.as_str()), ("/work", "/work"), "{host} {name}");
            if call.tool == "shell" {
                assert_eq!(call.input["command"], "cargo test", "{host} {name}");
            }
        }
    }
}

#[test]
fn every_verdict_has_an_answer_in_every_dialect() {
    let mut all = Map::new();
    for host in Host::ALL {
        for name in fixtures(host).keys().filter(|name| !name.contains(' ')) {
            let event = serde_json::to_vec(&fixtures(host)[name]).unwrap();
            if !HookEvent::read(Some(host), &event).unwrap().is_question() {
                continue;
            }
            for kind in [
                VerdictKind::Allow,
                VerdictKind::Transform,
                VerdictKind::Ask,
                VerdictKind::Defer,
                VerdictKind::Deny,
            ] {
                let answer = host.answer(name, &verdict(kind));
                let output = answer.output.map(|output| serde_json::from_str::<Json>(&output).unwrap());
                let said = json!({ "output": output, "error": answer.error, "status": answer.status });
                all.insert(format!("{host} {name} {}", kind.word()), said);
            }
        }
    }
    let path = folder().join("../answers.json");
    let text = serde_json::to_string_pretty(&Json::Object(all)).unwrap() + "\n";
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, &text).unwrap();
    }
    assert_eq!(text, fs::read_to_string(&path).unwrap());
}

#[test]
fn whatever_goes_wrong_denies() {
    for host in Host::ALL {
        let refusal = host.refusal("", "the ledger is gone");
        assert_eq!(refusal.status, 2);
        assert!(refusal.error.unwrap().contains("the ledger is gone"));
        if let Some(output) = refusal.output {
            assert!(output.contains("deny"), "{output}");
        }
    }
    for faulty in ["", "[]", "{", "null", "{}", r#"{"hook_event_name": "PreToolUse"}"#] {
        assert!(HookEvent::read(None, faulty.as_bytes()).is_err(), "{faulty}");
    }
    let event = br#"{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": 7, "cwd": "/"}"#;
    assert!(HookEvent::read(None, event).is_err());
    let nowhere = br#"{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {}, "cwd": "x"}"#;
    assert!(HookEvent::read(None, nowhere).is_err());
}

/// The facts of an event, each as its relation and its texts after the call's id.
fn lowered(host: Host, event: &Json) -> Vec<String> {
    let read = HookEvent::read(Some(host), event.to_string().as_bytes()).unwrap();
    let text = |fact: &Fact| {
        let texts = fact.values.iter().skip(1).filter_map(|value| match value {
            Value::String(text) | Value::Name(text) => Some(text.as_str()),
            _ => None,
        });
        format!("{} {}", fact.relation.as_str(), texts.collect::<Vec<_>>().join(" "))
    };
    facts(&read, read.call.as_ref().unwrap(), "c", 0).facts.iter().map(text).collect()
}

/// The working tree is the host's word; where a command runs is the agent's.
#[test]
fn a_tool_is_told_where_it_runs_and_not_which_tree_is_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().canonicalize().unwrap().join(name).display().to_string();
    for (tree, branch) in [("own", "topic"), ("other", "main")] {
        fs::create_dir_all(at(tree) + "/.git").unwrap();
        fs::write(at(tree) + "/.git/HEAD", format!("ref: refs/heads/{branch}\n")).unwrap();
    }
    let event = |host: Host, input: Json| match host {
        Host::Gemini => json!({ "session_id": "s", "cwd": at("own"), "hook_event_name": "BeforeTool",
            "timestamp": "", "tool_name": "run_shell_command", "tool_input": input }),
        Host::Cursor => json!({ "conversation_id": "s", "workspace_roots": [at("own")], "cwd": at("other"),
            "hook_event_name": "beforeShellExecution", "command": "touch x" }),
        _ => json!({ "session_id": "s", "cwd": at("own"), "hook_event_name": "PreToolUse", "turn_id": "t",
            "tool_name": "shell", "tool_input": input }),
    };
    let told = |name: &str| json!({ "command": "touch x", name: at("other") });
    for (host, input) in [
        (Host::Gemini, told("dir_path")),
        (Host::Gemini, json!({ "command": "touch x", "dir_path": "../other" })),
        (Host::Codex, told("workdir")),
        (Host::Cursor, json!({})),
    ] {
        let facts = lowered(host, &event(host, input));
        let home = std::env::var("HOME").unwrap();
        assert!(facts.contains(&format!("tree {} main {home}", at("own"))), "{host}: {facts:?}");
        assert!(facts.contains(&format!("file_access {} /write", at("other/x"))), "{host}: {facts:?}");
        assert!(!facts.iter().any(|fact| fact.starts_with("opaque")), "{host}: {facts:?}");
    }
    for (host, name) in [(Host::Gemini, "dir_path"), (Host::Codex, "workdir")] {
        let mut input = told(name);
        input["cwd"] = json!(at("own"));
        let facts = lowered(host, &event(host, input));
        assert!(facts.contains(&String::from("opaque /syntax a shell with several folders")), "{facts:?}");
    }
}

/// What a search reads is told by its pattern.
#[test]
fn a_search_reads_the_files_that_its_pattern_means() {
    let folder = tempfile::tempdir().unwrap();
    let cwd = folder.path().canonicalize().unwrap();
    fs::create_dir(cwd.join("sub")).unwrap();
    for name in [".env", "sub/.env", "a.rs"] {
        fs::write(cwd.join(name), "").unwrap();
    }
    let reads = |glob: &str, name: &str| {
        let event = json!({ "session_id": "s", "cwd": cwd, "hook_event_name": "PreToolUse",
            "tool_name": "Grep", "tool_input": { "pattern": "KEY", "glob": glob } });
        lowered(Host::Claude, &event).contains(&format!("file_access {} /read", cwd.join(name).display()))
    };
    for glob in [".e*", "**/.e*", ".{env,x}", "*nv"] {
        assert!(reads(glob, ".env") && reads(glob, "sub/.env"), "{glob}");
    }
    assert!(reads("*.rs", "a.rs") && !reads("*.rs", ".env") && !reads("sub/*", ".env"));
    assert!(reads("sub/*", "sub/.env"));
}

/// What an argument names is a file where it is the argument of a path, or looks like one where nobody knows; a text is none.
#[test]
fn a_text_that_names_a_file_touches_none() {
    let touched = |tool: &str, input: Json| {
        let event = json!({ "session_id": "s", "cwd": "/work", "hook_event_name": "PreToolUse",
            "tool_name": tool, "tool_input": input });
        let facts = lowered(Host::Claude, &event).into_iter();
        facts.filter(|fact| fact.starts_with("file_access") || fact.starts_with("opaque")).collect::<Vec<_>>()
    };
    let edit =
        json!({ "file_path": "/work/a", "old_string": "file:///old/a", "new_string": "file:///new/a" });
    assert_eq!(touched("Edit", edit), ["file_access /work/a /write"]);
    let write = json!({ "file_path": "/work/a", "content": "file:///etc/x" });
    assert_eq!(touched("Write", write), ["file_access /work/a /write"]);
    for (tool, input) in [
        ("TodoWrite", json!({ "todos": [{ "content": "~/.claude" }] })),
        ("ExitPlanMode", json!({ "plan": "./hence.toml" })),
        ("Task", json!({ "prompt": "/work/hence.toml" })),
        ("mcp__x__note", json!({ "text": "./.env.local should be documented" })),
    ] {
        assert_eq!(touched(tool, input), [""; 0], "{tool}");
    }
    for uri in ["file:///work/.env", "FILE:///work/.env", "file:/work/.env", "file://localhost/work/%2eenv"] {
        assert_eq!(touched("Read", json!({ "file_path": uri })), ["file_access /work/.env /read"], "{uri}");
        assert_eq!(touched("mcp__x__get", json!({ "at": uri })), ["file_access /work/.env /use"], "{uri}");
        assert_eq!(touched("WebFetch", json!({ "url": uri })), ["file_access /work/.env /use"], "{uri}");
    }
    assert_eq!(touched("mcp__x__get", json!({ "at": "/work/.env" })), ["file_access /work/.env /use"]);
    let unread = r"file:\\work\.env";
    assert_eq!(touched("Read", json!({ "file_path": unread })), [format!("opaque /syntax {unread}")]);
}

/// A patch is read as tolerantly as by those who apply it.
#[test]
fn what_a_patch_changes_is_seen_however_it_is_written() {
    let event = |input: Json| {
        json!({ "session_id": "s", "cwd": "/work", "hook_event_name": "PreToolUse", "turn_id": "t",
            "tool_name": "apply_patch", "tool_input": input })
    };
    let whole = |marker: &str| format!("*** Begin Patch\n{marker}\n+x\n*** End Patch");
    for (marker, mode) in [
        ("*** Update File: hence.toml", "write"),
        (" *** Update File: hence.toml", "write"),
        ("*** Update File: hence.toml \t", "write"),
        ("\t*** Add File:hence.toml", "write"),
        (" *** Delete File: hence.toml  ", "delete"),
        ("*** Update File: x\n *** Move to: hence.toml", "write"),
    ] {
        let seen = format!("file_access /work/hence.toml /{mode}");
        for input in [
            json!({ "input": whole(marker) }),
            json!({ "input": whole("*** Update File: x"), "patch": whole(marker) }),
            json!({ "patch": whole("*** Update File: x"), "input": whole(marker) }),
            json!({ "command": ["apply_patch", whole(marker)] }),
        ] {
            let facts = lowered(Host::Codex, &event(input.clone()));
            assert!(facts.contains(&seen), "{input}: {facts:?}");
        }
    }
    let diff = json!({ "input": "--- a/hence.toml\n+++ /dev/null\n@@ -1 +0,0 @@\n-x" });
    let facts = lowered(Host::Codex, &event(diff));
    assert!(facts.contains(&String::from("file_access /work/hence.toml /write")), "{facts:?}");
    // Where the form is that with a beginning, lines of content are none of its markers.
    let quoted = whole("*** Update File: docs/gate.md\n@@\n     +++ /etc/passwd\n--- a/hence.toml\n+++ b/x");
    let facts = lowered(Host::Codex, &event(json!({ "input": quoted })));
    let accesses: Vec<_> = facts.iter().filter(|fact| fact.starts_with("file_access")).collect();
    assert_eq!(accesses, ["file_access /work/docs/gate.md /write"]);
    for input in [json!({ "input": "x" }), json!({ "command": ["apply_patch"] })] {
        let facts = lowered(Host::Codex, &event(input));
        assert!(facts.contains(&String::from("opaque /syntax a patch without files")), "{facts:?}");
    }
}

#[test]
fn texts_are_short_and_hold_no_secrets() {
    let long =
        Verdict { reason: "ä".repeat(2_000), remedy: "ö".repeat(2_000), ..verdict(VerdictKind::Deny) };
    assert!(long.text().len() <= LONGEST_TEXT, "{}", long.text().len());
    assert!(long.text().ends_with("[rule outside_tree, decision 12.1]"));
    // A question that becomes a denial says how to have it approved, however long the rest is.
    let denial = Host::Kiro.answer("preToolUse", &Verdict { kind: VerdictKind::Ask, ..long }).error.unwrap();
    assert!(denial.len() <= LONGEST_TEXT && denial.contains("`hence gate approve 12.1`"), "{denial}");
    for secret in [
        "token=abcdef0123456789",
        "password: hunter2hunter2",
        "Authorization: Bearer abc.def.ghi",
        "sk-ant-0123456789abcdef",
        "ghp_0123456789abcdefABCDEF",
        "AKIA0123456789ABCDEF",
    ] {
        let said = Verdict { reason: format!("it says {secret}"), ..verdict(VerdictKind::Deny) }.text();
        let hidden = secret.rsplit(['=', ' ']).next().unwrap();
        assert!(!said.contains(hidden) && said.contains("[redacted]"), "{said}");
    }
}

#[test]
fn settings_keep_what_is_there_and_hold_the_hook_once() {
    let arguments: Vec<String> = ["gate", "--host", "x", "--store", "/a b"].map(String::from).into();
    let hook = Hook { program: "/usr/bin/hence", arguments: &arguments };
    for host in Host::ALL {
        let settings = host.settings();
        let own = json!({"command": "mine", "hooks": [{"type": "command", "command": "mine"}]});
        let mut before = Map::new();
        before.insert(String::from("model"), json!("big"));
        before.insert(
            String::from("hooks"),
            json!({ "PreToolUse": [own], "preToolUse": [own], "BeforeTool": [own] }),
        );
        let once = (settings.merge)(before, &hook);
        let twice = (settings.merge)(once.clone(), &hook);
        assert_eq!(once, twice, "{host}");
        let text = Json::Object(once.clone()).to_string();
        assert_eq!(once["model"], "big", "{host}");
        assert!(text.contains(r#""mine""#) && text.contains("hence"), "{host}: {text}");
    }
    let claude = (Host::Claude.settings().merge)(Map::new(), &hook);
    assert_eq!(claude["hooks"]["PreToolUse"][0]["hooks"][0]["onFailure"], "block");
}
