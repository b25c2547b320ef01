//! Servers of tools: found in registries, the three best proposed, connected once approved, their tools known.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::thread;

use serde_json::{Value as Json, json};

use super::settings::{folder, run};

const NOW: &str = "2026-02-10T09:00:00Z";
const FACTS: &str = "{\"reviewer\": [\"ada\"]}\n{\"capability_gap\": [\"shop\", \"shopify orders\"]}\n";

/// Entries of all forms.
fn registry() -> Json {
    json!([
        { "name": "io.shop/shopify", "description": "Orders and products of a Shopify shop",
          "packages": [{ "registryType": "npm", "identifier": "@shop/mcp", "version": "1.2.0",
            "environmentVariables": [{ "name": "SHOPIFY_KEY", "isSecret": true }] }] },
        { "server": { "name": "orders-http", "description": "Looks orders up in Shopify", "remotes": [{ "url": "http://URL/mcp" }] } },
        { "name": "orders-sh", "description": "Shopify orders by a script", "command": "sh", "args": ["SCRIPT"], "env": ["ORDER_KEY"] },
        { "name": "order-desk", "description": "Sorts orders", "url": "http://127.0.0.1:1/" },
        { "name": "weather", "description": "Tells the weather", "url": "http://127.0.0.1:1/" },
        { "name": "bad name!", "description": "shopify orders", "url": "http://127.0.0.1:1/" },
        { "name": "no-way", "description": "shopify orders" }
    ])
}

/// A folder whose registry is a file; `url` is where the server of HTTP is.
fn shop(url: &str, more: &str) -> tempfile::TempDir {
    let dir = folder(&[("facts.jsonl", FACTS), ("server.py", SERVER)]);
    let script = dir.path().join("server.sh");
    fs::write(&script, format!("exec python3 {}", dir.path().join("server.py").display())).unwrap();
    let entries = registry().to_string();
    let entries = entries.replace("URL", url).replace("SCRIPT", &script.display().to_string());
    fs::write(dir.path().join("registry.json"), entries).unwrap();
    let settings = format!(
        "author = \"ada\"\npacks = [\"loop\"]\n[roles]\nreviewer = [\"ada\"]\n[mcp]\ntimeout = \"10s\"\n{more}"
    );
    fs::write(dir.path().join("hence.toml"), settings).unwrap();
    dir
}

const SERVER: &str = r#"import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    if message["method"] == "initialize":
        print("a line that is no message", flush=True)
        result = {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}}
    elif "cursor" in message["params"]:
        result = {"tools": [{"name": "refund", "description": "Gives money back"}]}
    else:
        result = {"tools": [{"name": "find", "description": "Finds an order"}, {"name": "bad name"}], "nextCursor": "2"}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"#;

/// Decides, carries out, and has this server approved; what was said then.
fn approved(dir: &Path, server: &str) -> String {
    carry_out(dir);
    let proposal = facts(dir, &format!("server_proposal(P, \"{server}\", _)")).remove(0);
    let ran =
        run(dir, &["review", "approve", &proposal, "--as", "ada", "--now", "2026-02-10T09:10:00Z"], &[], "");
    assert_eq!(ran.0, 0, "{}", ran.2);
    let ran = run(dir, &["carry", "--now", "2026-02-10T09:20:00Z"], &[], "");
    format!("{}{}", ran.1, ran.2)
}

fn carry_out(dir: &Path) -> String {
    let ran = run(dir, &["decide", "--carry-out", "--facts", "facts.jsonl", "--now", NOW], &[], "");
    format!("{}{}", ran.1, ran.2)
}

fn facts(dir: &Path, body: &str) -> Vec<String> {
    let ran = run(dir, &["query", body, "--format", "csv", "--now", NOW], &[], "");
    ran.1.lines().skip(1).map(str::to_owned).collect()
}

fn holds(dir: &Path, body: &str) -> bool {
    run(dir, &["query", body, "--exit-status", "--now", NOW], &[], "").0 == 0
}

/// A server that answers each request by what it asks, until nobody asks any more; where it is.
fn serving(answer: impl Fn(&str, &Json) -> String + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = listener.local_addr().unwrap().to_string();
    thread::spawn(move || {
        while let Ok((mut stream, _)) = listener.accept() {
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let (mut head, mut length) = (String::new(), 0);
            loop {
                let mut line = String::new();
                reader.read_line(&mut line).unwrap();
                if line.trim().is_empty() {
                    break;
                }
                if let Some(number) = line.to_lowercase().strip_prefix("content-length:") {
                    length = number.trim().parse().unwrap();
                }
                head.push_str(&line);
            }
            let mut bytes = vec![0; length];
            reader.read_exact(&mut bytes).unwrap();
            let body = answer(&head, &serde_json::from_slice(&bytes).unwrap_or(Json::Null));
            let head = format!(
                "HTTP/1.1 200 OK\r\nMcp-Session-Id: s1\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                body.len()
            );
            let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
        }
    });
    place
}

#[test]
fn a_registry_is_searched_and_the_three_best_are_proposed() {
    let dir = shop("127.0.0.1:1", "registries = [\"registry.json\"]\n");
    let said = carry_out(dir.path());
    let proposed =
        facts(dir.path(), "propose_mcp(\"shop\", Server, Rank), mcp_match(\"shop\", Server, Score)");
    assert_eq!(proposed.len(), 3, "{said}");
    let names: Vec<&str> = proposed.iter().map(|row| row.split(',').next().unwrap()).collect();
    assert_eq!(names, ["io.shop/shopify", "orders-http", "orders-sh"]);
    assert!(
        !holds(dir.path(), "mcp_server(server: \"weather\")")
            && !holds(dir.path(), "mcp_server(server: \"no-way\")")
    );
    assert!(!holds(dir.path(), "search_servers(_, _)"));
    // A reviewer sees what is to be connected, and what it needs.
    let proposal = facts(dir.path(), "server_proposal(P, \"io.shop/shopify\", _)").remove(0);
    let shown = run(dir.path(), &["review", "show", &proposal, "--now", NOW], &[], "").1;
    assert!(shown.contains("Orders and products") && shown.contains("@shop/mcp@1.2.0"), "{shown}");
    assert!(shown.contains("SHOPIFY_KEY"), "{shown}");
    assert!(!dir.path().join("mcp_servers.json").exists());
}

#[test]
fn an_approved_server_is_written_down_and_its_tools_are_tools() {
    let dir = shop("127.0.0.1:1", "registries = [\"registry.json\"]\nprograms = [\"sh\"]\n");
    // As people keep settings that several projects share: a link, and what it leads to is theirs alone.
    let (kept, link) = (dir.path().join("kept.json"), dir.path().join("mcp_servers.json"));
    fs::write(&kept, "{\"mcpServers\": {\"own\": {\"command\": \"x\"}}}").unwrap();
    fs::set_permissions(&kept, fs::Permissions::from_mode(0o600)).unwrap();
    std::os::unix::fs::symlink("kept.json", &link).unwrap();
    let said = approved(dir.path(), "orders-sh");
    assert!(link.is_symlink(), "{said}");
    assert_eq!(fs::metadata(&kept).unwrap().permissions().mode() & 0o777, 0o600);
    let written: Json =
        serde_json::from_slice(&fs::read(dir.path().join("mcp_servers.json")).unwrap()).unwrap();
    assert_eq!(written["mcpServers"]["own"]["command"], "x");
    assert_eq!(written["mcpServers"]["orders-sh"]["command"], "sh", "{said}");
    assert_eq!(facts(dir.path(), "server_tool(\"orders-sh\", Tool, _)"), ["find", "refund"]);
    assert_eq!(facts(dir.path(), "tool(Tool)"), ["orders-sh/find", "orders-sh/refund"]);
    assert!(holds(dir.path(), "has_capability(\"shopify orders\")"));
    assert!(!holds(dir.path(), "connect_server(_, _)"));
}

#[test]
fn a_server_of_http_is_asked_in_its_session() {
    let place = serving(|head, message| {
        let session = head.contains("mcp-session-id: s1") || head.contains("Mcp-Session-Id: s1");
        match message["method"].as_str().unwrap_or_default() {
            "initialize" => json!({ "jsonrpc": "2.0", "id": message["id"], "result": {} }).to_string(),
            "tools/list" if session => {
                let result = json!({ "tools": [{ "name": "look_up", "description": "Looks up" }] });
                format!(
                    "event: message\ndata: {}\n\n",
                    json!({ "jsonrpc": "2.0", "id": message["id"], "result": result })
                )
            }
            _ => String::new(),
        }
    });
    let more = format!("registries = [\"registry.json\"]\nhosts = [\"{place}\"]\n");
    let dir = shop(&place, &more);
    let said = approved(dir.path(), "orders-http");
    assert_eq!(facts(dir.path(), "server_tool(\"orders-http\", Tool, _)"), ["look_up"], "{said}");
}

#[test]
fn what_settings_do_not_allow_is_written_down_and_not_asked() {
    let dir = shop("127.0.0.1:1", "registries = [\"registry.json\"]\nprograms = [\"python3\"]\n");
    let said = approved(dir.path(), "orders-sh");
    assert_eq!(facts(dir.path(), "server_added(Server, Asked)"), ["orders-sh,false"], "{said}");
    assert!(!holds(dir.path(), "server_tool(_, _, _)"));
    assert!(dir.path().join("mcp_servers.json").exists());
}

#[test]
fn nothing_is_connected_that_nobody_approved_or_that_is_ambiguous() {
    let dir = shop("127.0.0.1:1", "registries = [\"registry.json\"]\nprograms = [\"sh\"]\n");
    carry_out(dir.path());
    run(dir.path(), &["carry", "--now", "2026-02-10T09:20:00Z"], &[], "");
    assert!(!dir.path().join("mcp_servers.json").exists());
    // Another entry of that name came after the proposal.
    let other =
        "{\"mcp_server\": [\"orders-sh\", \"other\", \"/stdio\", \"[\\\"sh\\\", \\\"evil.sh\\\"]\", \"\"]}\n";
    fs::write(dir.path().join("facts.jsonl"), FACTS.to_owned() + other).unwrap();
    let said = approved(dir.path(), "orders-sh");
    assert!(said.contains("expected one entry for `orders-sh`, found 2"), "{said}");
    assert!(!dir.path().join("mcp_servers.json").exists());
}

#[test]
fn a_registry_of_http_is_searched_page_by_page() {
    let place = serving(|head, _| {
        let entry = |name: &str| json!({ "server": { "name": name, "description": "shopify orders", "remotes": [{ "url": "http://127.0.0.1:1/" }] } });
        if head.contains("cursor=p%202") {
            json!({ "servers": [entry("second")], "metadata": {} }).to_string()
        } else {
            assert!(head.contains("search=shopify%20orders"), "{head}");
            json!({ "servers": [entry("first")], "metadata": { "nextCursor": "p 2" } }).to_string()
        }
    });
    let dir = shop("127.0.0.1:1", &format!("registries = [\"http://{place}/v0/servers\"]\n"));
    let said = carry_out(dir.path());
    assert_eq!(facts(dir.path(), "mcp_match(\"shop\", Server, _)"), ["first", "second"], "{said}");
}

#[test]
fn a_registry_that_can_t_be_read_is_told_and_asked_again() {
    let dir = shop("127.0.0.1:1", "registries = [\"registry.json\"]\n");
    fs::write(dir.path().join("registry.json"), "{\"entries\": []}").unwrap();
    let said = carry_out(dir.path());
    assert!(said.contains("expected a list of servers, or an object with `servers`"), "{said}");
    assert!(holds(dir.path(), "search_servers(\"shop\", _)"));
    let none = shop("127.0.0.1:1", "servers = \"x.json\"\n");
    assert!(carry_out(none.path()).contains("missing registries"));
    let tls = shop("127.0.0.1:1", "registries = [\"https://registry\"]\n");
    assert!(carry_out(tls.path()).contains("needs the feature `tls`"));
}
