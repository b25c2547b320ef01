//! MCP, as clients of both revisions meet it: over standard input and output, and over HTTP.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use serde_json::{Map, Value as Json, json};

use super::{Caller, Response, Service, folder};
use crate::command::hence;

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// What a client of the revision without a handshake sends with each request.
fn meta(capabilities: &Json) -> Json {
    json!({ VERSION: "2026-07-28", CAPABILITIES: capabilities })
}

/// A request of such a client.
pub(super) fn modern(id: u64, method: &str, params: &Json, capabilities: &Json) -> Json {
    let mut params = params.as_object().unwrap().clone();
    params.insert(String::from("_meta"), meta(capabilities));
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

pub(super) fn call(id: u64, tool: &str, arguments: &Json) -> Json {
    modern(id, "tools/call", &json!({ "name": tool, "arguments": arguments }), &json!({}))
}

/// What `hence mcp` says to some lines, a message each.
fn said(dir: &Path, token: Option<&str>, lines: &[Vec<u8>]) -> Vec<Json> {
    let mut command = hence(dir, &["mcp", "--as", "agent-7"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.env_remove("HENCE_TOKEN");
    if let Some(token) = token {
        command.env("HENCE_TOKEN", token);
    }
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    for line in lines {
        input.write_all(line).unwrap();
        input.write_all(b"\n").unwrap();
    }
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

pub(super) fn ask(dir: &Path, messages: &[Json]) -> Vec<Json> {
    said(dir, None, &messages.iter().map(|message| message.to_string().into_bytes()).collect::<Vec<_>>())
}

/// A message over HTTP, with the headers of its revision.
fn post(caller: &Caller<'_>, message: &Json, more: &[(&str, &str)]) -> Response {
    let name = message["params"]["name"].as_str().or(message["params"]["uri"].as_str()).unwrap_or_default();
    let mut headers =
        vec![("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];
    if message["params"]["_meta"][VERSION].is_string() {
        headers.push(("MCP-Protocol-Version", "2026-07-28"));
        headers.push(("Mcp-Method", message["method"].as_str().unwrap()));
        headers.push(("Mcp-Name", name));
    }
    headers.retain(|(name, _)| more.iter().all(|(other, _)| other != name));
    headers.extend(more.iter().filter(|(_, value)| !value.is_empty()));
    caller.post_as("/mcp", &headers, &message.to_string())
}

#[test]
fn both_revisions_are_served_by_standard_input() {
    let dir = folder();
    let _service = Service::new(dir.path());
    let initialize = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } } });
    let list = json!({ "jsonrpc": "2.0", "id": "two", "method": "tools/list" });
    let told = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let answers = ask(
        dir.path(),
        &[initialize, told, list.clone(), json!({ "jsonrpc": "2.0", "id": 3, "method": "ping" })],
    );
    assert_eq!(answers.len(), 3, "{answers:?}");
    assert_eq!(answers[0]["result"]["protocolVersion"], "2025-11-25");
    assert_eq!((&answers[1]["id"], &answers[2]["result"]), (&json!("two"), &json!({})));
    assert!(answers[1]["result"]["resultType"].is_null());
    let tools: Vec<&str> = answers[1]["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        tools,
        [
            "decide",
            "query",
            "why",
            "why_not",
            "what_if",
            "check_rules",
            "test_rules",
            "assert_facts",
            "list_reviews",
            "review",
        ]
    );

    let none = json!({});
    let answers = ask(
        dir.path(),
        &[
            modern(1, "server/discover", &none, &none),
            modern(2, "tools/list", &none, &none),
            modern(3, "ping", &none, &none),
            list,
            json!({ "jsonrpc": "2.0", "id": 5, "method": "tools/list", "params": { "_meta": { VERSION: "1900-01-01" } } }),
            json!({ "jsonrpc": "2.0", "id": 6, "method": "tools/list", "params": { "_meta": { VERSION: "2026-07-28" } } }),
        ],
    );
    assert_eq!(answers[0]["result"]["supportedVersions"][0], "2026-07-28");
    assert_eq!(answers[0]["result"]["resultType"], "complete");
    assert_eq!(answers[1]["result"]["cacheScope"], "public");
    assert_eq!(answers[2]["error"]["code"], -32601);
    // Nobody has shaken hands.
    assert_eq!(answers[3]["error"]["code"], -32602);
    assert_eq!(
        (&answers[4]["error"]["code"], &answers[4]["error"]["data"]["supported"][0]),
        (&json!(-32022), &json!("2026-07-28"))
    );
    assert_eq!(answers[5]["error"]["code"], -32602);
}

#[test]
fn a_denial_is_a_result_that_says_why_and_what_would_help() {
    let dir = folder();
    let service = Service::new(dir.path());
    let facts = json!([{ "failed": ["j1", 1] }, { "failed": { "job": "j2", "tries": 5 } }]);
    let answers = ask(
        dir.path(),
        &[
            call(1, "decide", &json!({ "facts": facts, "ask": "retry(\"j1\")", "note": "by an agent" })),
            call(2, "decide", &json!({ "ask": "retry(\"j2\")" })),
            call(3, "decide", &json!({ "facts": [{ "failed": ["j3", 0] }], "dry": true })),
            call(4, "decide", &json!({})),
            call(5, "assert_facts", &json!({ "facts": [{ "failed": ["j4", "many"] }] })),
            call(6, "why", &json!({ "fact": "1.1" })),
            call(7, "what_if", &json!({ "set": { "most": 10 } })),
            call(8, "query", &json!({ "body": "retry(J)" })),
        ],
    );
    let allowed = &answers[0]["result"];
    assert_eq!(
        (&allowed["isError"], &allowed["structuredContent"]["decision"]),
        (&json!(false), &json!(true))
    );
    assert_eq!(allowed["structuredContent"]["rule"], "few_tries");
    assert_eq!(allowed["structuredContent"]["id"], "1.1");
    let denied = &answers[1]["result"];
    assert_eq!(
        (&denied["isError"], &denied["structuredContent"]["decision"]),
        (&json!(false), &json!(false))
    );
    let failed = denied["structuredContent"]["failed"].as_str().unwrap();
    assert!(failed.contains("few_tries") && failed.contains("5 < 3"), "{denied}");
    assert!(denied["structuredContent"]["remedy"].is_object(), "{denied}");
    assert!(denied["content"][0]["text"].as_str().unwrap().starts_with("No: "), "{denied}");
    assert_eq!(answers[2]["result"]["structuredContent"]["committed"], Json::Null);
    for wrong in [&answers[3], &answers[4]] {
        assert_eq!(wrong["result"]["isError"], true, "{wrong}");
        assert!(wrong["result"]["structuredContent"].is_null(), "{wrong}");
    }
    assert_eq!(answers[5]["result"]["structuredContent"]["because"], "j1 was tried 1 times");
    assert_eq!(answers[6]["result"]["structuredContent"]["changes"][0]["change"], "drawn");
    assert_eq!(answers[7]["result"]["structuredContent"]["rows"], json!([{ "J": "j1" }]));
    // Recorded in the name of the client.
    let log = service.all().read("/v1/log");
    assert_eq!(log["transactions"].as_array().unwrap().len(), 1, "{log}");
    assert!(log.to_string().contains("agent-7"), "{log}");
}

#[test]
fn rules_are_checked_and_tested_that_are_in_force_nowhere() {
    let dir = folder();
    let _service = Service::new(dir.path());
    let rules = "input p(x: int).\nrelation q(x: int).\nq(X) :- p(X).\n";
    let tested = format!(
        "{rules}test \"follows\" {{ given p(1). expect q(1). }}\ntest \"does not\" {{ given p(1). expect q(2). }}\n"
    );
    let endless = "relation n(x: int).\nn(0).\nn(Y) :- n(X), Y = X + 1.\ntest \"ends\" { expect n(1). }\n";
    let import = "import \"/etc/passwd\".\n";
    let answers = ask(
        dir.path(),
        &[
            call(1, "check_rules", &json!({ "rules": rules })),
            call(2, "check_rules", &json!({ "rules": "q(X) :- p(Y).\n", "name": "mine.dl" })),
            call(3, "test_rules", &json!({ "rules": tested })),
            call(4, "test_rules", &json!({ "rules": endless })),
            call(5, "check_rules", &json!({ "rules": import })),
            call(6, "check_rules", &json!({ "rules": "p(X) :- q(X).", "packs": ["no_such_pack"] })),
        ],
    );
    let content = |at: usize| &answers[at]["result"]["structuredContent"];
    assert_eq!((&content(0)["ok"], &content(0)["rules"]), (&json!(true), &json!(1)));
    assert_eq!(content(1)["ok"], false);
    assert!(content(1)["diagnostics"].to_string().contains("mine.dl"), "{}", answers[1]);
    assert_eq!((&content(2)["passed"], &content(2)["failed"]), (&json!(1), &json!(1)));
    // A test that goes on for ever ends at a limit.
    assert_ne!(content(3)["passed"], 1, "{}", answers[3]);
    assert!(!answers[4].to_string().contains("root:"), "{}", answers[4]);
    assert_eq!(answers[5]["result"]["isError"], true);
}

#[test]
fn decisions_rules_and_the_schema_are_resources() {
    let dir = folder();
    let service = Service::new(dir.path());
    service.all().record("{\"failed\": [\"j1\", 1]}");
    let read = |id, uri: &str| modern(id, "resources/read", &json!({ "uri": uri }), &json!({}));
    let answers = ask(
        dir.path(),
        &[
            modern(1, "resources/list", &json!({}), &json!({})),
            read(2, "hence://schema"),
            read(3, "hence://decision/1.1"),
            read(4, "hence://decision/9.9"),
            read(5, "hence://rules/../../../etc/passwd"),
            read(6, "file:///etc/passwd"),
            modern(7, "resources/templates/list", &json!({}), &json!({})),
        ],
    );
    let uris: Vec<&str> = answers[0]["result"]["resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["uri"].as_str().unwrap())
        .collect();
    assert_eq!((uris.len(), uris[0]), (2, "hence://schema"), "{uris:?}");
    let rules = ask(dir.path(), &[read(1, uris[1])]);
    assert!(
        rules[0]["result"]["contents"][0]["text"].as_str().unwrap().contains("@id(few_tries)"),
        "{rules:?}"
    );
    let text = |at: usize| -> Json {
        serde_json::from_str(answers[at]["result"]["contents"][0]["text"].as_str().unwrap()).unwrap()
    };
    assert!(
        text(1)["relations"]
            .as_array()
            .unwrap()
            .iter()
            .any(|one| one["name"] == "retry" && one["kind"] == "decision")
    );
    assert_eq!(text(1)["parameters"][0]["value"], 3);
    assert_eq!(text(2)["rule"], "few_tries");
    assert!(text(2)["proof"]["steps"].is_array());
    for unknown in &answers[3..6] {
        assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    }
    assert_eq!(answers[6]["result"]["resourceTemplates"].as_array().unwrap().len(), 2);
}

/// A folder in which a request waits for a reviewer.
fn waiting() -> (tempfile::TempDir, Service) {
    let dir = crate::memory::folder();
    fs::write(dir.path().join("hence.toml"), "packs = [\"autonomy\"]\n[roles]\nreviewer = [\"ada\"]\n")
        .unwrap();
    let service = Service::new(dir.path());
    service.all().record(
        "{\"reviewer\": [\"ada\"]}\n{\"escalation_request\": [\"more\", 2, \"clean runs\", \"2026-02-09T09:10:00Z\"]}\n",
    );
    (dir, service)
}

/// What comes back of a call of `review` by this client.
fn reviewed(dir: &Path, token: Option<&str>, more: &Map<String, Json>, capabilities: &Json) -> Json {
    let mut params = json!({ "name": "review", "arguments": { "id": "more" } });
    params.as_object_mut().unwrap().extend(more.clone());
    let message = modern(1, "tools/call", &params, capabilities).to_string().into_bytes();
    said(dir, token, &[message]).remove(0)
}

#[test]
fn a_review_counts_only_from_a_person_whom_a_token_names() {
    let (dir, service) = waiting();
    let token =
        |name: &str| service.token(name, "read,write").authorization.split_once(' ').unwrap().1.to_owned();
    let (ada, eve) = (token("ada"), token("eve"));
    let forms = json!({ "elicitation": {} });
    let none = Map::new();
    let refused = |answer: &Json, word: &str| {
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        assert!(answer["result"]["content"][0]["text"].as_str().unwrap().contains(word), "{answer}");
    };
    refused(&reviewed(dir.path(), None, &none, &forms), "token");
    refused(&reviewed(dir.path(), Some(&eve), &none, &forms), "`eve` is not a reviewer");
    let unable = reviewed(dir.path(), Some(&ada), &none, &json!({}));
    assert_eq!(
        (&unable["error"]["code"], &unable["error"]["data"]["requiredCapabilities"]["elicitation"]["form"]),
        (&json!(-32021), &json!({}))
    );

    let asked = reviewed(dir.path(), Some(&ada), &none, &forms);
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    let form = &asked["result"]["inputRequests"]["answer"]["params"];
    assert!(form["message"].as_str().unwrap().contains("clean runs"), "{form}");
    let state = asked["result"]["requestState"].as_str().unwrap();
    let answer = |state: &str, response: Json| {
        Map::from_iter([
            (String::from("requestState"), json!(state)),
            (String::from("inputResponses"), json!({ "answer": response })),
        ])
    };
    let yes = json!({ "action": "accept", "content": { "approved": true } });
    // Nobody else brings it back, and nobody changes it.
    for forged in [format!("9{state}"), format!("{state}x"), String::from("1.x"), String::new()] {
        let refused = reviewed(dir.path(), Some(&ada), &answer(&forged, yes.clone()), &forms);
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
    }
    refused(&reviewed(dir.path(), Some(&eve), &answer(state, yes.clone()), &forms), "not a reviewer");
    let again = reviewed(
        dir.path(),
        Some(&ada),
        &answer(state, json!({ "action": "accept", "content": {} })),
        &forms,
    );
    assert_eq!(again["result"]["resultType"], "input_required", "{again}");
    let declined = reviewed(dir.path(), Some(&ada), &answer(state, json!({ "action": "decline" })), &forms);
    assert_eq!(declined["result"]["structuredContent"]["answered"], false, "{declined}");
    let done = reviewed(dir.path(), Some(&ada), &answer(state, yes.clone()), &forms);
    assert_eq!(done["result"]["structuredContent"]["approved"], true, "{done}");
    // Once it is answered nothing waits, whatever is brought back.
    refused(&reviewed(dir.path(), Some(&ada), &answer(state, yes), &forms), "more");
}

#[test]
fn over_http_headers_say_what_the_body_says() {
    let dir = folder();
    let service = Service::new(dir.path());
    let caller = service.all();
    let none = json!({});
    let list = modern(1, "tools/list", &none, &none);
    let listed = post(&caller, &list, &[]);
    assert_eq!((listed.status, listed.header("content-type")), (200, Some("application/json")), "{listed:?}");
    let decide = call(2, "decide", &json!({ "ask": "retry(\"j1\")" }));
    assert_eq!(post(&caller, &decide, &[]).json()["result"]["structuredContent"]["decision"], false);
    let encoded = [("Mcp-Name", "=?base64?ZGVjaWRl?=")];
    assert_eq!(post(&caller, &decide, &encoded).status, 200);
    for (message, headers, status, code) in [
        (&list, &[("MCP-Protocol-Version", "")][..], 400, -32020),
        (&list, &[("MCP-Protocol-Version", "2025-11-25")], 400, -32020),
        (&list, &[("Mcp-Method", "")], 400, -32020),
        (&list, &[("Mcp-Method", "tools/call")], 400, -32020),
        (&decide, &[("Mcp-Name", "query")], 400, -32020),
        (&decide, &[("Mcp-Name", "")], 400, -32020),
        (&decide, &[("Mcp-Name", "=?base64?%%?=")], 400, -32020),
        (&list, &[("Origin", "http://evil.example")], 403, -32600),
        (&list, &[("Origin", "null")], 403, -32600),
        (&modern(3, "prompts/list", &none, &none), &[], 404, -32601),
        (&modern(4, "initialize", &none, &none), &[], 404, -32601),
    ] {
        let refused = post(&caller, message, headers);
        assert_eq!(
            (refused.status, &refused.json()["error"]["code"]),
            (status, &json!(code)),
            "{headers:?} {refused:?}"
        );
    }
    assert_eq!(post(&caller, &list, &[("Origin", "http://localhost:1")]).status, 200);
    // The revision before: nothing in the headers, and no status but 200 for what has an answer.
    let plain = json!({ "jsonrpc": "2.0", "id": 1, "method": "nothing" });
    let unknown = post(&caller, &plain, &[]);
    assert_eq!((unknown.status, &unknown.json()["error"]["code"]), (200, &json!(-32601)));
    let told = post(&caller, &json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }), &[]);
    assert_eq!((told.status, told.body.as_str()), (202, ""));
    assert_eq!(caller.get("/mcp").status, 405);
    // What records takes a token that may.
    let reader = service.token("eve", "read");
    let refused =
        post(&reader, &call(1, "assert_facts", &json!({ "facts": [{ "failed": ["j", 1] }] })), &[]).json();
    assert!(
        refused["result"]["content"][0]["text"].as_str().unwrap().contains("this takes `write`"),
        "{refused}"
    );
    assert_eq!(service.token("pep", "write").post_as("/mcp", &[], "{}").status, 403);
}

#[test]
fn hostile_messages_are_answered_and_harm_nobody() {
    let dir = folder();
    let service = Service::new(dir.path());
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let deep_call = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"decide","arguments":{deep}}}}}"#
    );
    let long = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{}"}}"#, "x".repeat(2 << 20));
    let invalid = -32600;
    let cases: Vec<(Vec<u8>, i64)> = vec![
        (b"{".to_vec(), -32700),
        (b"\xff\xfe".to_vec(), -32700),
        (b"null".to_vec(), invalid),
        (b"\"text\"".to_vec(), invalid),
        (br#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#.to_vec(), invalid),
        (br#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#.to_vec(), invalid),
        (br#"{"id":1,"method":"ping"}"#.to_vec(), invalid),
        (br#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#.to_vec(), invalid),
        (br#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#.to_vec(), invalid),
        (br#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#.to_vec(), invalid),
        (br#"{"jsonrpc":"2.0","id":1e400,"method":"ping"}"#.to_vec(), -32700),
        (format!(r#"{{"jsonrpc":"2.0","id":{},"method":"ping"}}"#, "9".repeat(400)).into_bytes(), -32700),
        (
            format!(r#"{{"jsonrpc":"2.0","id":"{}","method":"ping"}}"#, "i".repeat(5_000)).into_bytes(),
            invalid,
        ),
        (br#"{"jsonrpc":"2.0","id":1,"method":7}"#.to_vec(), invalid),
        (br#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}"#.to_vec(), -32602),
        (br#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":7}}"#.to_vec(), -32602),
        (deep.into_bytes(), -32700),
        (deep_call.into_bytes(), -32700),
        (long.into_bytes(), invalid),
    ];
    let lines: Vec<Vec<u8>> = cases.iter().map(|(line, _)| line.clone()).collect();
    let answers = said(dir.path(), None, &lines);
    assert_eq!(answers.len(), cases.len());
    for (answer, (line, code)) in answers.iter().zip(&cases) {
        let shown = String::from_utf8_lossy(&line[..line.len().min(80)]).into_owned();
        assert_eq!(answer["error"]["code"], json!(code), "{shown}: {answer}");
    }
    assert_eq!(service.all().read("/v1/status")["transactions"], 0);
}

#[test]
fn wrong_arguments_of_a_tool_are_told_to_whoever_gave_them() {
    let dir = folder();
    let service = Service::new(dir.path());
    let wrong = [
        ("decide", json!({ "facts": "all" })),
        ("decide", json!({ "facts": [7] })),
        ("decide", json!({ "asks": "retry(\"j1\")", "ask": "retry(\"j1\")" })),
        ("decide", json!({ "facts": [{ "no_such": [1] }] })),
        ("decide", json!({ "ask": { "retry": 1 } })),
        ("decide", json!({ "facts": [{ "failed": ["j", 1] }], "key": "no spaces" })),
        ("query", json!({ "body": "))((" })),
        ("query", json!({ "body": "retry(J)", "as_of": "yesterday" })),
        ("why", json!({ "fact": "retry" })),
        ("why", json!({ "fact": "0.0" })),
        ("why_not", json!({ "fact": "retry(_)", "look": -1 })),
        ("what_if", json!({ "set": { "most": "many" } })),
        ("test_rules", json!({ "rules": 7 })),
        ("list_reviews", json!({ "min_tx": "x" })),
    ];
    let calls: Vec<Json> = wrong.iter().map(|(tool, arguments)| call(1, tool, arguments)).collect();
    for (answer, (tool, arguments)) in ask(dir.path(), &calls).iter().zip(&wrong) {
        assert_eq!(answer["result"]["isError"], true, "{tool} {arguments}: {answer}");
    }
    let unknown =
        ask(dir.path(), &[call(1, "rm", &json!({})), json!({ "jsonrpc": "2.0", "id": 1, "result": {} })]);
    assert_eq!((unknown.len(), &unknown[0]["error"]["code"]), (1, &json!(-32602)));
    assert_eq!(service.all().read("/v1/status")["transactions"], 0);
}
