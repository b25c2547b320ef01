//! `hence mcp-gate` between a client and a server of tools: what is allowed goes through, and nothing else.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value as Json, json};

use crate::command::hence;

/// A server that writes down what reaches it, and answers each request.
const SERVER: &str = r#"import json, sys
log = open("reached.jsonl", "a")
for line in sys.stdin:
    message = json.loads(line)
    log.write(json.dumps(message) + "\n")
    log.flush()
    method, params = message.get("method"), message.get("params", {})
    if method == "tools/call" and params.get("name") == "die":
        sys.exit(3)
    if "id" not in message or not method:
        continue
    if method == "tools/call" and params.get("name") == "ask_back":
        print(json.dumps({"jsonrpc": "2.0", "id": "back", "method": "roots/list"}), flush=True)
        print(json.dumps({"jsonrpc": "2.0", "id": "bad", "method": "shell/run"}), flush=True)
        for unknown in [{"method": "shell/run"}, {"method": "roots/list"}, {"method": ["ping"]}, {"id": None, "method": "ping"}, {"x": 1}]:
            print(json.dumps({"jsonrpc": "2.0", **unknown}), flush=True)
        print(json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {}}), flush=True)
    print("noise that is no message", flush=True)
    failed = params.get("name") == "fail"
    result = {"content": [{"type": "text", "text": "done"}], "isError": failed, "big": 10**30 + 1} if method == "tools/call" else {"of": method}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"#;

struct Project {
    dir: tempfile::TempDir,
}

impl Project {
    fn new() -> Self {
        let dir = tempfile::Builder::new().prefix("between").tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        fs::create_dir_all(dir.path().join(".git")).unwrap();
        fs::write(dir.path().join(".env"), "KEY=value\n").unwrap();
        fs::write(dir.path().join("server.py"), SERVER).unwrap();
        let settings = "packs = [\"gate\"]\n[roles]\nreviewer = [\"ann\"]\n[params]\nreading_tools = [\"read\", \"list\", \"search\", \"plan\", \"mcp/files/find\", \"mcp/files/fail\", \"mcp/files/die\", \"mcp/files/ask_back\"]\n";
        fs::write(dir.path().join("hence.toml"), settings).unwrap();
        Self { dir }
    }

    fn path(&self) -> &Path {
        self.dir.path()
    }

    /// What reached the server.
    fn reached(&self) -> Vec<String> {
        let text = fs::read_to_string(self.path().join("reached.jsonl")).unwrap_or_default();
        let line = |line: &str| serde_json::from_str::<Json>(line).unwrap();
        let what = |message: Json| {
            let name = message["params"]["name"].as_str().map(str::to_owned);
            name.unwrap_or_else(|| message["method"].as_str().unwrap_or("response").to_owned())
        };
        text.lines().map(line).map(what).collect()
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        let log: PathBuf = self.path().join(".hence/gate.log");
        for part in fs::read_to_string(log).unwrap_or_default().split("process ").skip(1) {
            let number: String = part.chars().take_while(char::is_ascii_digit).collect();
            let _ = Command::new("kill").arg(number).status();
        }
    }
}

/// A client with the gate before its server.
struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Client {
    fn new(project: &Project, more: &[&str]) -> Self {
        let words = [&["mcp-gate", "--server", "files"], more, &["--", "python3", "server.py"]].concat();
        let mut command = hence(project.path(), &words);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, input, output }
    }

    fn say(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        writeln!(input, "{line}").unwrap();
        input.flush().unwrap();
    }

    fn hear(&mut self) -> Json {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: `{line}`"))
    }

    fn ask(&mut self, message: &Json) -> Json {
        self.say(&message.to_string());
        self.hear()
    }

    fn call(&mut self, id: u64, tool: &str, arguments: &Json) -> Json {
        self.ask(&json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": { "name": tool, "arguments": arguments } }))
    }

    /// Closes the client's end; the exit status.
    fn end(mut self) -> Option<i32> {
        drop(self.input.take());
        self.child.wait().unwrap().code()
    }
}

/// Why a call was denied.
fn denial(answer: &Json) -> &str {
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    answer["result"]["content"][0]["text"].as_str().unwrap()
}

#[test]
fn what_rules_allow_goes_through_and_what_they_do_not_is_an_error_that_says_why() {
    let project = Project::new();
    let mut client = Client::new(&project, &[]);
    let initialize = json!({ "jsonrpc": "2.0", "id": "a", "method": "initialize", "params": {} });
    assert_eq!(client.ask(&initialize)["result"]["of"], "initialize");
    client.say(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    assert_eq!(client.call(1, "find", &json!({ "what": "x" }))["result"]["content"][0]["text"], "done");
    assert_eq!(client.call(5, "fail", &json!({}))["result"]["isError"], true);
    let asked = client.call(2, "launch", &json!({}));
    assert!(
        denial(&asked).contains("unknown_tool") && denial(&asked).contains("hence gate approve"),
        "{asked}"
    );
    // A file with secrets that is read as a resource, and what follows from it.
    let secret = json!({ "jsonrpc": "2.0", "id": 3, "method": "resources/read",
        "params": { "uri": format!("file://{}", project.path().join(".env").display()) } });
    assert!(client.ask(&secret)["error"]["message"].as_str().unwrap().contains("secret"));
    for (id, uri) in [
        (31, format!("FILE://localhost{}", project.path().join("%2eenv").display())),
        (32, format!("file:{}", project.path().join("x/../.env").display())),
        (33, String::from(".env")),
        (34, String::from("file:///%zz")),
        (35, String::from("file://host")),
        (36, String::from(" file:///etc/shadow")),
        (37, String::from("fi\tle:///etc/shadow")),
        (38, String::from("file:///etc/sha\tdow")),
        (39, String::from("\u{0}file:///etc/shadow")),
        (40, String::from("file:///x\\..\\..\\etc/shadow")),
        (41, String::from("shop://orders\n")),
        (42, String::from("\u{85}file:///etc/shadow")),
    ] {
        let read =
            json!({ "jsonrpc": "2.0", "id": id, "method": "resources/read", "params": { "uri": uri } });
        let answer = client.ask(&read);
        assert!(answer["error"]["message"].as_str().is_some(), "{uri}: {answer}");
    }
    let other = json!({ "jsonrpc": "2.0", "id": 4, "method": "resources/read", "params": { "uri": "shop://orders" } });
    assert_eq!(client.ask(&other)["result"]["of"], "resources/read");
    assert_eq!(
        project.reached(),
        ["initialize", "notifications/initialized", "find", "fail", "resources/read"]
    );
    // Results are on record while the session lasts, and the session ends with the client.
    let facts = |relation: &str| {
        let output = hence(project.path(), &["facts", relation, "--format", "jsonl"]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let ran = facts("ran");
    assert_eq!((ran.matches("true").count(), ran.matches("false").count()), (1, 1), "{ran}");
    let modern = json!({ "jsonrpc": "2.0", "id": 6, "method": "tools/call",
        "params": { "name": "launch", "_meta": { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } } });
    assert_eq!(client.ask(&modern)["result"]["resultType"], "complete");
    assert_eq!(client.end(), Some(0));
    assert_eq!(facts("agent_call"), "");
}

#[test]
fn nothing_unknown_goes_through_in_either_direction() {
    let project = Project::new();
    let mut client = Client::new(&project, &[]);
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let deep = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{}1{}}}",
        "[".repeat(9_999),
        "]".repeat(9_999)
    );
    let cases = [
        ("{", -32700),
        ("\"x\"", -32600),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"find"}}]"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call/now"}"#, -32601),
        (r#"{"jsonrpc":"2.0","id":1,"method":"Tools/Call","params":{"name":"find"}}"#, -32601),
        (r#"{"jsonrpc":"2.0","id":1,"method":["tools/call"]}"#, -32601),
        (r#"{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{"name":"find"}}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":["find"]}}"#, -32602),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"find","arguments":[1]}}"#,
            -32602,
        ),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#, -32602),
        (deep.as_str(), -32700),
    ];
    for (line, code) in cases {
        client.say(line);
        let answer = client.hear();
        assert_eq!(answer["error"]["code"], code, "{}: {answer}", &line[..line.len().min(90)]);
    }
    // A call that wants no answer, a response to nothing, a notification that nobody knows: none of them goes anywhere.
    client.say(r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"find"}}"#);
    client.say(r#"{"jsonrpc":"2.0","id":"back","result":{}}"#);
    client.say(r#"{"jsonrpc":"2.0","method":"notifications/shell"}"#);
    // Of a member that stands twice, both sides read the same one.
    client.say(r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"launch","name":"find"}}"#);
    assert_eq!(client.hear()["result"]["content"][0]["text"], "done");
    client.say(r#"{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"find","name":"launch"}}"#);
    denial(&client.hear());
    client.say(ping);
    assert_eq!(client.hear()["result"]["of"], "ping");
    assert_eq!(project.reached(), ["find", "ping"]);
    // What a server may ask of its client is asked, and answered once.
    let back = client.call(9, "ask_back", &json!({}));
    assert_eq!((&back["id"], &back["method"]), (&json!("back"), &json!("roots/list")));
    // Nor does the client hear of what the protocol doesn't have.
    assert_eq!(client.hear()["method"], "notifications/message");
    assert_eq!(client.hear()["id"], 9);
    client.say(r#"{"jsonrpc":"2.0","id":"back","result":{"roots":[]}}"#);
    client.say(r#"{"jsonrpc":"2.0","id":"back","result":{"roots":[]}}"#);
    client.say(ping);
    client.hear();
    // The error that the gate gave the server itself, and one answer of the client.
    assert_eq!(project.reached(), ["find", "ping", "ask_back", "response", "response", "ping"]);
    assert_eq!(client.end(), Some(0));
}

#[test]
fn whatever_goes_wrong_denies() {
    let project = Project::new();
    let mut client = Client::new(&project, &[]);
    client.say(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"die"}}"#);
    let ended = client.hear();
    assert!(ended["error"]["message"].as_str().unwrap().contains("the server ended"), "{ended}");
    assert_eq!(client.end(), Some(1));
    // A ledger that can't be made.
    fs::write(project.path().join("file"), "").unwrap();
    let mut client = Client::new(&project, &["--store", "file/x"]);
    denial(&client.call(1, "find", &json!({})));
    assert_eq!(client.end(), Some(0));
    // Rules without a verdict.
    fs::write(project.path().join("other.dl"), "input p(x: int).\n").unwrap();
    fs::create_dir_all(project.path().join("other")).unwrap();
    fs::write(project.path().join("other/hence.toml"), "packs = [\"errors\"]\n").unwrap();
    let mut client = Client::new(&project, &["--store", "other/.hence"]);
    assert!(denial(&client.call(1, "find", &json!({}))).contains("--pack gate"));
    assert_eq!(client.end(), Some(0));
    let log = fs::read_to_string(project.path().join("other/.hence/gate.log")).unwrap();
    let number: String =
        log.split("process ").nth(1).unwrap().chars().take_while(char::is_ascii_digit).collect();
    assert!(Command::new("kill").arg(number).status().unwrap().success());
    assert_eq!(project.reached(), ["die"]);
    // A server that there isn't.
    let none =
        hence(project.path(), &["mcp-gate", "--", "no-such-server"]).stdin(Stdio::null()).output().unwrap();
    assert_eq!(none.status.code(), Some(2));
}

#[test]
fn a_client_that_has_said_all_is_still_answered() {
    let project = Project::new();
    let mut client = Client::new(&project, &[]);
    client.say(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
    client.say(r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"find"}}"#);
    drop(client.input.take());
    assert_eq!(client.hear()["result"]["of"], "ping");
    assert_eq!(client.hear()["result"]["content"][0]["text"], "done");
    assert_eq!(client.end(), Some(0));
}

#[test]
fn shadow_lets_everything_through_and_records_it() {
    let project = Project::new();
    let mut client = Client::new(&project, &["--shadow"]);
    assert_eq!(client.call(1, "launch", &json!({}))["result"]["content"][0]["text"], "done");
    assert_eq!(client.end(), Some(0));
    let report = hence(project.path(), &["gate", "report"]).output().unwrap();
    let report = String::from_utf8(report.stdout).unwrap();
    assert!(report.contains("1 call only watched; 1 of them would have been stopped"), "{report}");
}

#[test]
fn numbers_reach_the_other_side_as_they_were_judged() {
    let project = Project::new();
    let mut client = Client::new(&project, &[]);
    let call = |id: usize, argument: &str| {
        format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":\"find\",\
             \"arguments\":{{\"what\":\"123456789012345678901234567890\",\"n\":[{argument}]}}}}}}"
        )
    };
    for (id, changed) in
        ["123456789012345678901234567890", "18446744073709551617", "0.12345678901234567890123", "-1e-400"]
            .into_iter()
            .enumerate()
    {
        client.say(&call(id, changed));
        let refused = client.hear();
        assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(id), &json!(-32602)), "{refused}");
        assert!(refused["error"]["message"].as_str().unwrap().contains(changed), "{refused}");
    }
    for (id, kept) in
        ["0", "-0", "1.50", "1E2", "1e-7", "0.1", "-9223372036854775808", "18446744073709551615", "1e300"]
            .into_iter()
            .enumerate()
    {
        client.say(&call(id, kept));
        let mut answer = String::new();
        client.output.read_line(&mut answer).unwrap();
        assert!(answer.contains("\"done\""), "{kept}: {answer}");
        // What the server says isn't judged, and comes as it was said.
        assert!(answer.contains("1000000000000000000000000000001"), "{answer}");
    }
    assert_eq!(client.end(), Some(0));
    let text = fs::read_to_string(project.path().join("reached.jsonl")).unwrap();
    let number = |line: &str| line.split_once("\"n\": [").unwrap().1.split_once(']').unwrap().0.to_owned();
    let reached: Vec<String> = text.lines().map(number).collect();
    let numbers: Vec<f64> = reached.iter().map(|number| number.parse().unwrap()).collect();
    assert_eq!(numbers.len(), 9, "{text}");
    assert_eq!(numbers[2..6], [1.5, 100.0, 1e-7, 0.1]);
    assert_eq!(reached[6..8], ["-9223372036854775808", "18446744073709551615"]);
}
