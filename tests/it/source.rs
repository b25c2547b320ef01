//! `observe source`: what Go source imports, calls and logs.

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

fn texts(facts: &[Fact]) -> Vec<String> {
    facts.iter().map(ToString::to_string).collect()
}

#[test]
fn imports_calls_and_tags_are_told_and_words_are_not() {
    let expected = [
        r#"source_import("fetch", "fmt")"#,
        r#"source_import("fetch", "log")"#,
        r#"source_import("fetch", "net/http")"#,
        r#"source_import("fetch", "os")"#,
        r#"source_import("fetch", "os/exec")"#,
        r#"source_import("fetch", "unsafe")"#,
        r#"source_call("fetch", "Command")"#,
        r#"source_call("fetch", "Command(\"ls\").Run")"#,
        r#"source_call("fetch", "exec.Command")"#,
        r#"source_call("fetch", "fmt.Errorf")"#,
        r#"source_call("fetch", "http.Get")"#,
        r#"source_call("fetch", "log.Printf")"#,
        r#"source_call("fetch", "mine")"#,
        r#"source_call("fetch", "os.Chmod")"#,
        r#"source_call("fetch", "os.RemoveAll")"#,
        r#"source_call("fetch", "remove")"#,
        r#"source_call("fetch", "slog.Info")"#,
        r#"source_call("fetch", "string")"#,
        r#"source_call("fetch", "strings.Contains")"#,
        r#"source_call("fetch", "unsafe.Pointer")"#,
        r#"source_log("fetch", /entry)"#,
        r#"source_log("fetch", /error)"#,
        r#"source_log("fetch", /exit)"#,
        r#"source_log("fetch", /timing)"#,
    ];
    assert_eq!(texts(&SourceCode::facts("fetch", TOOL.as_bytes()).unwrap()), expected);
}

#[test]
fn broken_source_tells_what_can_be_recognised() {
    let source =
        "package main\nimport \"os\"\nfunc f( {\n os.Remove(\"x\")\n}\nfunc g() { os.Remove(\"y\") }\n";
    let facts = texts(&SourceCode::facts("t", source.as_bytes()).unwrap());
    assert!(facts.contains(&String::from(r#"source_import("t", "os")"#)), "{facts:?}");
    assert!(facts.contains(&String::from(r#"source_call("t", "os.Remove")"#)), "{facts:?}");
    assert_eq!(texts(&SourceCode::facts("t", b"").unwrap()), Vec::<String>::new());
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
    let folder = tempfile::tempdir().unwrap();
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
