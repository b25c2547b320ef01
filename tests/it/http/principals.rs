//! Tokens are made, listed and revoked; their holders are the authors of what they record, and may no more than these.

use std::fs;

use serde_json::json;

use super::{Service, folder};
use crate::command::hence;

#[test]
fn a_revoked_token_opens_nothing() {
    let dir = folder();
    let service = Service::new(dir.path());
    let caller = service.token("pep", "read");
    assert_eq!(caller.get("/v1/status").status, 200);
    let listed = hence(dir.path(), &["token", "list", "--format", "jsonl"]).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let known: serde_json::Value = serde_json::from_str(listed.lines().next().unwrap()).unwrap();
    assert_eq!((&known["principal"], &known["scopes"]), (&json!("pep"), &json!("read")));
    let id = known["id"].as_str().unwrap();
    assert!(hence(dir.path(), &["token", "revoke", id]).status().unwrap().success());
    assert_eq!(caller.get("/v1/status").status, 401);
    assert_eq!(hence(dir.path(), &["token", "revoke", id]).output().unwrap().status.code(), Some(1));
}

#[test]
fn processes_that_make_and_revoke_tokens_at_once_lose_nothing() {
    let dir = folder();
    fs::create_dir(dir.path().join(".hence")).unwrap();
    let create = |at: usize| {
        hence(dir.path(), &["token", "create", "--as", &format!("pep{at}"), "--scope", "read"])
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap()
    };
    for round in 0..3 {
        let made: Vec<_> = (0..8).map(|at| create(round * 8 + at)).collect();
        made.into_iter().for_each(|mut made| assert!(made.wait().unwrap().success()));
    }
    let kept = fs::read_to_string(dir.path().join(".hence/tokens.jsonl")).unwrap();
    assert_eq!(kept.lines().count(), 24, "{kept}");
    (0..24).for_each(|at| assert!(kept.contains(&format!("\"pep{at}\"")), "pep{at} is lost: {kept}"));
}

#[test]
fn the_page_of_commands_has_what_a_hence_with_the_server_has() {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/commands.md")).unwrap();
    let dir = folder();
    for command in ["serve", "token create", "token trust", "token list", "token revoke"] {
        let words: Vec<&str> = command.split(' ').chain(["-h"]).collect();
        let help = String::from_utf8(hence(dir.path(), &words).output().unwrap().stdout).unwrap();
        let named =
            |line: &str| line.split_whitespace().find(|word| word.starts_with("--")).map(str::to_owned);
        let flags: Vec<String> =
            help.lines().filter(|line| line.starts_with("  ")).filter_map(named).collect();
        assert!(!flags.is_empty(), "{help}");
        for flag in flags.iter().filter(|flag| !["--help", "--quiet"].contains(&flag.as_str())) {
            assert!(page.contains(&format!("`{flag}`")), "hence {command} {flag}");
        }
        assert!(page.contains(&format!("\n## hence {command}\n")), "hence {command}");
    }
}

#[test]
fn a_token_names_somebody() {
    let dir = folder();
    fs::create_dir(dir.path().join(".hence")).unwrap();
    for name in ["", " "] {
        let args = ["token", "create", "--as", name, "--scope", "read"];
        let refused = hence(dir.path(), &args).output().unwrap();
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(2), "{said}");
        assert!(said.contains("--as: expected the name of who calls"), "{said}");
    }
    assert!(!dir.path().join(".hence/tokens.jsonl").exists());
}

#[test]
fn a_token_ends() {
    let dir = folder();
    let service = Service::new(dir.path());
    let made = hence(dir.path(), &["token", "create", "--as", "pep", "--scope", "read", "--lasts", "0s"])
        .output()
        .unwrap();
    let authorization = format!("Bearer {}", String::from_utf8(made.stdout).unwrap().trim());
    assert_eq!(service.send("GET", "/v1/status", &[("Authorization", &authorization)], "").status, 401);
}

#[test]
fn the_file_of_tokens_holds_no_token() {
    let dir = folder();
    let service = Service::new(dir.path());
    let caller = service.token("pep", "read");
    let kept = fs::read_to_string(dir.path().join(".hence/tokens.jsonl")).unwrap();
    let secret = caller.authorization.rsplit_once('_').unwrap().1;
    assert!(!kept.contains(secret) && kept.contains("\"pep\""), "{kept}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(dir.path().join(".hence/tokens.jsonl")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[test]
fn who_records_is_who_the_token_names() {
    let dir = folder();
    let service = Service::new(dir.path());
    service.token("ci", "write").record("{\"failed\": [\"j1\", 1]}");
    let log = service.token("pep", "read").read("/v1/log");
    assert_eq!(log["transactions"][0]["author"], json!("ci"));
}

#[test]
fn a_caller_without_the_role_can_say_nothing_that_takes_it() {
    let dir = folder();
    let service = Service::new(dir.path());
    let fact = "{\"allowed\": {\"job\": \"j1\", \"at\": \"2026-02-09T09:00:00Z\"}}";
    let kind = [("Content-Type", "application/x-ndjson")];
    let refused = service.token("eve", "write").post_as("/v1/facts", &kind, fact);
    assert_eq!(refused.status, 403, "{refused:?}");
    assert!(refused.body.contains("reviewer"), "{refused:?}");
    let taken = service.token("ada", "write").record(fact);
    assert_eq!(taken["drawn"][0]["because"], json!("ada allows j1"));
}
