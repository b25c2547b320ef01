//! Scripts in confinement: what they are for works, and what a hostile one tries is contained.

mod hostile;
mod rows;

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Output, Stdio};
use std::thread;

use serde_json::{Value as Json, json};

use super::command;

const RULES: &str = "## Asked.\ninput f(name: string, code: string).\n\n## Told.\ninput seen(name: string, what: string).\n\n\
    ## A message that somebody sends.\ninput chat_message(space: string, message: string).\n\n\
    ## A figure.\ninput figure(n: int).\n\n## Twice a figure.\nrelation twice(n: int).\ntwice(2 * N) :- figure(N).\n\n\
    ## Act.\ndecision act(name: string, code: string).\n\n@id(acts)\n@because(\"{Name} asks\")\n\
    act(Name, Code) :- f(Name, Code).\n";

/// A folder in which scripts of `act` run; `more` is beside it in `[carry]`.
fn folder(more: &str) -> tempfile::TempDir {
    let dir = crate::memory::folder();
    fs::create_dir(dir.path().join("rules")).unwrap();
    fs::write(dir.path().join("rules/act.dl"), RULES).unwrap();
    let config =
        format!("author = \"ada\"\n[carry]\nact = {{ carrier = \"script\", attempts = 1, {more} }}\n");
    fs::write(dir.path().join("hence.toml"), config).unwrap();
    dir
}

/// Has these scripts decided on, and carries them out; a line of JSON for each.
fn carry(dir: &Path, scripts: &[(String, String)]) -> Vec<Json> {
    let line = |(name, code): &(String, String)| format!("{}\n", json!({ "f": [name, code] }));
    let facts: String = scripts.iter().map(line).collect();
    fs::write(dir.join("facts.jsonl"), facts).unwrap();
    let decided = run(dir, &["decide", "--facts", "facts.jsonl", "--now", "2026-01-01T00:00:00Z"]);
    assert!(decided.status.success(), "{decided:?}");
    let carried = run(dir, &["carry", "--now", "2026-01-01T00:00:01Z", "--format", "jsonl"]);
    assert!(matches!(carried.status.code(), Some(0 | 1)), "{carried:?}");
    let lines = String::from_utf8(carried.stdout).unwrap();
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn run(dir: &Path, words: &[&str]) -> Output {
    let mut command = command::hence(dir, words);
    command.env("SECRET_TOKEN", "abc").env("HOME", dir).stdin(Stdio::null()).output().unwrap()
}

/// One script, and what came of it.
fn one(dir: &Path, code: &str) -> Json {
    carry(dir, &[(String::from("one"), code.to_owned())]).remove(0)
}

/// The facts of a relation, as lines of JSON.
fn facts(dir: &Path, relation: &str) -> String {
    let listed = run(dir, &["facts", relation, "--format", "jsonl"]);
    assert!(listed.status.success(), "{listed:?}");
    String::from_utf8(listed.stdout).unwrap()
}

fn python(more: &str) -> tempfile::TempDir {
    folder(&format!("interpreter = \"python3\", column = \"code\"{more}"))
}

#[test]
fn a_script_in_python_gets_the_decision_and_states_facts() {
    let dir = python("");
    let code = "import json, csv, re, datetime, urllib.parse, math, statistics, collections, itertools, textwrap\n\
        import string, html\nfrom urllib.parse import quote\n\
        fact('seen', name=decision['values']['name'], what=f'{math.floor(2.5)} {quote(\"a b\")}')\n\
        send_chat('ops', 'it is done')\n";
    let event = one(dir.path(), code);
    assert_eq!(event["state"], "carried", "{event}");
    assert!(facts(dir.path(), "seen").contains("\"2 a%20b\""), "{}", facts(dir.path(), "seen"));
    assert!(facts(dir.path(), "chat_message").contains("it is done"));
}

/// The folders of scripts.
fn folders(temporary: &Path) -> std::collections::BTreeSet<String> {
    let names = fs::read_dir(temporary).unwrap().map(|entry| entry.unwrap().file_name());
    names.map(|name| name.into_string().unwrap()).filter(|name| name.starts_with("hence-script-")).collect()
}

/// A process that carries out a script which does not end, once that runs.
fn endless(dir: &Path, temporary: &Path) -> std::process::Child {
    let before = folders(temporary);
    let line = format!("{}\n", json!({ "f": ["one", "while true; do :; done"] }));
    fs::write(dir.join("facts.jsonl"), line).unwrap();
    let mut decide = command::hence(dir, &["decide", "--carry-out", "--facts", "facts.jsonl"]);
    let child = decide.env("TMPDIR", temporary).stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
    let begun = std::time::Instant::now();
    while folders(temporary).is_subset(&before) {
        assert!(begun.elapsed() < std::time::Duration::from_secs(20), "no script runs");
        thread::sleep(std::time::Duration::from_millis(10));
    }
    child
}

#[test]
fn folders_of_scripts_of_killed_processes_are_removed_and_no_others() {
    let temporary = crate::memory::folder();
    let (left, lives, next) = (folder(SHELL), folder(SHELL), folder(SHELL));
    fs::create_dir(temporary.path().join("hence-script-of-nobody")).unwrap();
    std::os::unix::fs::symlink(next.path(), temporary.path().join("hence-script-link")).unwrap();
    let mut living = endless(lives.path(), temporary.path());
    let mut killed = endless(left.path(), temporary.path());
    killed.kill().unwrap();
    killed.wait().unwrap();
    // One that lives, one that was killed, and the link; the one of nobody went when the first script began.
    assert_eq!(folders(temporary.path()).len(), 3);
    fs::write(next.path().join("facts.jsonl"), format!("{}\n", json!({ "f": ["one", "true"] }))).unwrap();
    let mut decide = command::hence(next.path(), &["decide", "--carry-out", "--facts", "facts.jsonl"]);
    assert!(decide.env("TMPDIR", temporary.path()).output().unwrap().status.success());
    assert_eq!(folders(temporary.path()).len(), 2);
    assert!(next.path().join("rules").is_dir());
    living.kill().unwrap();
    living.wait().unwrap();
}

/// A carrier that is a script of a shell.
const SHELL: &str = "interpreter = \"sh\", column = \"code\", timeout = \"100s\"";

#[test]
fn what_a_script_in_python_may_not_use_is_told() {
    let dir = python("");
    for (code, told) in [
        ("import os", "`os` may not be imported"),
        ("import urllib", "`urllib` may not be imported"),
        ("from socket import socket", "`socket` may not be imported"),
        ("open('x')", "name 'open' is not defined"),
        ("eval('1')", "name 'eval' is not defined"),
        ("exec('1')", "name 'exec' is not defined"),
        ("compile('1', 'x', 'exec')", "name 'compile' is not defined"),
        ("__import__('os')", "`os` may not be imported"),
    ] {
        fs::write(dir.path().join("facts.jsonl"), format!("{}\n", json!({ "f": [code, code] }))).unwrap();
        let decided = run(dir.path(), &["decide", "--carry-out", "--facts", "facts.jsonl"]);
        let said = String::from_utf8_lossy(&decided.stderr).into_owned();
        assert!(said.contains(told), "{code}: {said}");
    }
}

#[test]
fn a_script_asks_for_the_rows_of_relations_that_it_may_read() {
    let dir = python(", reads = [\"twice\"]");
    fs::write(dir.path().join("figures.jsonl"), "{\"figure\": [4]}\n").unwrap();
    assert!(run(dir.path(), &["decide", "--facts", "figures.jsonl"]).status.success());
    let code = "for row in db_query('twice'): fact('seen', name='row', what=str(row['n']))\n\
        try:\n    db_query('figure')\nexcept RuntimeError as error: fact('seen', name='no', what=str(error))\n";
    assert_eq!(one(dir.path(), code)["state"], "carried");
    let seen = facts(dir.path(), "seen");
    assert!(
        seen.contains("[\"row\", \"8\"]") && seen.contains("`figure` is not among the relations"),
        "{seen}"
    );
}

/// A server that answers each of so many requests with what it was asked.
fn server(requests: usize) -> (String, thread::JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let host = listener.local_addr().unwrap().to_string();
    let serve = move || {
        let mut got = Vec::new();
        for _ in 0..requests {
            let (mut stream, _) = listener.accept().unwrap();
            let mut bytes = [0; 4096];
            let read = stream.read(&mut bytes).unwrap();
            got.push(String::from_utf8_lossy(&bytes[..read]).into_owned());
            let answer = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nfine";
            stream.write_all(answer.as_bytes()).unwrap();
        }
        got
    };
    (host, thread::spawn(serve))
}

#[test]
fn pages_are_fetched_for_a_script_from_hosts_that_it_may_use() {
    let (host, serving) = server(1);
    let dir = python(&format!(", hosts = [\"{host}\"]"));
    let code = format!(
        "fact('seen', name='page', what=http_get('http://{host}/a'))\n\
        for url in ['http://127.0.0.1:1/', 'https://{host}/', 'file:///etc/passwd', 'http://{host}@127.0.0.1:1/', 'x']:\n\
        \x20   try:\n        http_get(url)\n    except RuntimeError as error:\n        fact('seen', name=url, what=str(error))\n"
    );
    let event = one(dir.path(), &code);
    assert_eq!(event["state"], "carried", "{event}");
    let seen = facts(dir.path(), "seen");
    assert!(seen.contains("[\"page\", \"fine\"]") && seen.lines().count() == 6, "{seen}");
    let got = serving.join().unwrap();
    assert!(got[0].starts_with("GET /a HTTP/1.1"), "{got:?}");
}

#[test]
fn a_shell_and_perl_run_scripts_too() {
    for (interpreter, code) in [
        ("sh", "read -r line; echo '{\"seen\": [\"one\", \"sh\"]}'"),
        ("perl", "print qq({\"seen\": [\"one\", \"perl\"]}\\n);"),
    ] {
        let dir = folder(&format!("interpreter = \"{interpreter}\", column = \"code\""));
        let event = one(dir.path(), code);
        assert_eq!(event["state"], "carried", "{event}");
        assert!(facts(dir.path(), "seen").contains(interpreter));
    }
}

#[test]
fn the_text_of_a_script_may_be_a_file() {
    let dir = folder("interpreter = \"python3\", path = \"told.py\"");
    fs::write(dir.path().join("told.py"), "fact('seen', name='x', what='file')").unwrap();
    assert_eq!(one(dir.path(), "")["state"], "carried");
    assert!(facts(dir.path(), "seen").contains("file"));
}

#[test]
fn settings_that_name_no_interpreter_are_refused() {
    for (more, told) in [
        (
            "interpreter = \"node\", column = \"code\"",
            "unknown interpreter `node`; expected `python3`, `perl`, `sh`",
        ),
        ("interpreter = \"/nowhere/sh\", column = \"code\"", "`/nowhere/sh` is not there"),
        ("column = \"code\"", "missing interpreter"),
        ("interpreter = \"sh\"", "expected `column` or `path`, found neither"),
        ("interpreter = \"sh\", column = \"code\", memry = 3", "did you mean `memory`?"),
        ("interpreter = \"sh\", column = \"code\", memory = \"much\"", "expected an int of at least 1"),
    ] {
        let dir = folder(more);
        fs::write(dir.path().join("facts.jsonl"), "{\"figure\": [1]}\n").unwrap();
        let told_there = run(dir.path(), &["decide", "--carry-out", "--facts", "facts.jsonl"]);
        let said = String::from_utf8_lossy(&told_there.stderr);
        assert!(told_there.status.code() == Some(2) && said.contains(told), "{more}: {said}");
    }
}

/// A program that takes a system call away, then becomes hence: a filter of three steps, made by Python.
const WITHOUT: &str = "import ctypes, os, struct, sys\ncall = int(sys.argv[1])\n\
    code = b''.join(struct.pack('HBBI', *step) for step in [(0x20, 0, 0, 0), (0x15, 0, 1, call),\n\
    \x20   (0x06, 0, 0, 0x00050000 | 38), (0x06, 0, 0, 0x7fff0000)])\n\
    buffer = ctypes.create_string_buffer(code)\n\
    program = struct.pack('HxxxxxxP', 4, ctypes.addressof(buffer))\nlibc = ctypes.CDLL(None)\n\
    assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, program) == 0\n\
    os.execv(sys.argv[2], sys.argv[2:])\n";

#[test]
fn without_what_confines_it_a_script_does_not_run_and_the_kernels_lack_is_named() {
    let dir = folder("interpreter = \"sh\", column = \"code\"");
    fs::write(dir.path().join("without.py"), WITHOUT).unwrap();
    for (call, name) in [(444, "Landlock"), (317, "seccomp")] {
        if call == 317 && cfg!(not(target_arch = "x86_64")) {
            continue;
        }
        let code = "echo '{\"seen\": [\"x\", \"it ran\"]}'";
        let fact = format!("{}\n", json!({ "f": [name, code] }));
        fs::write(dir.path().join("facts.jsonl"), fact).unwrap();
        assert!(run(dir.path(), &["decide", "--facts", "facts.jsonl"]).status.success());
        let hence = command::hence(dir.path(), &["carry"]);
        let mut command = std::process::Command::new("python3");
        command.args(["without.py", &call.to_string()]).arg(hence.get_program()).arg("carry");
        let output = command.current_dir(dir.path()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(&format!("the kernel lacks {name}")), "{name}: {output:?}");
        assert_eq!(facts(dir.path(), "seen"), "", "{name}: it ran");
    }
}
