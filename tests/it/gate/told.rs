//! What hosts are told, and what is held against a session for it.

use std::fs;

use hence_gate::Host;
use serde_json::{Value as Json, json};

use super::{Project, event};

/// Settings that nobody can run under are told as such, to hosts and by the self-test.
#[test]
fn faulty_settings_are_told() {
    let project = Project::new();
    let call = json!({ "tool": "shell", "command": "ls", "ok": true });
    let event = event(Host::Claude, &call, false, &project.path(""), 1).to_string();
    for (settings, why) in [
        ("packs = [\"gate\"]\n[params]\nmst_calls = 3\n", "; help: did you mean `most_calls`?"),
        ("packs = [\"gaat\"]\n", "unknown pack `gaat`"),
        ("packs = [\"gate\"]\nrules = [\"nope.dl\"]\n", "`nope.dl` can't be read"),
    ] {
        fs::write(project.path("hence.toml"), settings).unwrap();
        let output = project.hence(&["gate", "--host", "claude"], &event);
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.code() == Some(2) && said.contains(why), "{said}");
        let store = project.path(".hence").display().to_string();
        let words = ["gate", "--host", "claude", "--store", &store];
        let output = project.run(env!("CARGO_BIN_EXE_hence-hook"), &words, &event);
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.code() == Some(2) && said.contains(why), "{said}");
        let tested = project.hence(&["gate", "selftest"], "");
        let said = String::from_utf8(tested.stderr).unwrap();
        assert!(tested.status.code() == Some(2) && said.contains(why), "{said}");
    }
}

/// A call that the rules can't decide on is denied as whatever else goes wrong is.
#[test]
fn rules_without_a_verdict_deny_with_status_2() {
    let project = Project::new();
    let settings = "packs = [\"gate\"]\n[params]\nsecret_files = [\"(\"]\n";
    fs::write(project.path("hence.toml"), settings).unwrap();
    for number in 1..3 {
        let (decision, said, status) = project.ask(number, "Bash", &json!({ "command": "cat .env" }));
        assert_eq!((decision.as_str(), status), ("deny", Some(2)), "{said}");
        assert!(said.contains("no rule gives a verdict on this call: "), "{said}");
    }
}

/// What a host was told is what holds of the session: a question that it denies was not answered with yes.
#[test]
fn a_question_that_became_a_denial_did_not_run() {
    let project = Project::new();
    let ask = |host: Host, number: usize, call: Json| {
        let mut event = event(host, &call, false, &project.path(""), number);
        let session = if host == Host::Cursor { "conversation_id" } else { "session_id" };
        event[session] = json!(host.word());
        let output = project.hence(&["gate", "--host", host.word()], &event.to_string());
        String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
    };
    let shell = |command: &str| json!({ "tool": "shell", "command": command, "ok": true });
    fs::write(project.path("build.sh"), "").unwrap();
    for (number, host) in [Host::Gemini, Host::Codex, Host::Kiro, Host::Cursor].into_iter().enumerate() {
        let number = 10 * number;
        let secret = ask(host, number, shell("cat .env"));
        let id = secret.split("hence gate approve ").nth(1).unwrap().split('`').next().unwrap();
        // Cursor has a message for each reader.
        let messages = if host == Host::Cursor { 2 } else { 1 };
        assert_eq!(secret.matches("hence gate approve").count(), messages, "{secret}");
        let sent = ask(host, number + 1, shell("git fetch"));
        assert!(!sent.contains("secret_sent"), "{host}: {sent}");
        ask(host, number + 2, shell("python3 -c 'print(1)' > build.sh"));
        let run = ask(host, number + 3, shell("./build.sh"));
        assert!(!run.contains("own_script"), "{host}: {run}");
        let lifted = project.hence(&["gate", "approve", id, "--as", "ann"], "");
        assert!(lifted.status.success(), "{}", String::from_utf8_lossy(&lifted.stderr));
        let again = ask(host, number + 4, shell("cat .env"));
        assert!(!again.contains("secret_read"), "{host}: {again}");
        let sent = ask(host, number + 5, shell("git fetch"));
        assert!(sent.contains("secret_sent"), "{host}: {sent}");
    }
}
