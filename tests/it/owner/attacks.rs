//! Owners under attack: garbage, floods, turns without end, kills, other users, odd places.

use crate::slow;
use std::fs;
use std::io::{BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use super::{Client, Owner, assert_fact, facts, folder, run, said, socket, until};
use crate::command::hence;

#[test]
fn what_a_killed_owner_left_is_no_obstacle() {
    let dir = folder();
    let mut owner = Owner::new(dir.path(), &[]);
    assert_fact(dir.path(), "failed(\"a\", 1)");
    owner.process.kill().unwrap();
    owner.process.wait().unwrap();
    assert!(socket(dir.path()).exists());
    let (status, _, said) = run(dir.path(), &["assert", "failed(\"b\", 1)"]);
    // What was recorded is in the journal; the base of a killed process may be a transaction behind.
    let is_behind = said.starts_with("warning: the fact base was updated from transaction 1 to 2\n");
    assert!(status == 0 && (said.is_empty() || is_behind), "{said}");
    let owner = Owner::new(dir.path(), &[]);
    assert_fact(dir.path(), "failed(\"c\", 1)");
    assert_eq!(facts(dir.path()), 3);
    assert_eq!(owner.stop(), (String::new(), 0));
    // A file that is no socket is somebody's.
    fs::write(socket(dir.path()), "mine").unwrap();
    let (status, _, said) = run(dir.path(), &["serve"]);
    assert!(status == 2 && said.contains("is not a socket; remove it"), "{said}");
    assert_fact(dir.path(), "failed(\"d\", 1)");
}

#[test]
fn nothing_on_the_socket_disturbs_an_owner() {
    let dir = folder();
    let owner = Owner::new(dir.path(), &[]);
    let long = format!("{{\"hence\": 1, \"turn\": {{\"command\": \"{}\"}}}}\n", "x".repeat(100_000));
    let deep = "[".repeat(3_000) + "\n";
    for line in [
        "\n",
        "garbage\n",
        "{}\n",
        "{\"hence\": 2, \"turn\": {\"command\": \"\"}}\n",
        "{\"hence\": 1}\n",
        "{\"hence\": 1, \"turn\": 3}\n",
        "{\"hence\": 1, \"nonsense\": {}}\n",
        "{\"hence\": 1, \"status\": {}, \"turn\": {\"command\": \"x\"}}\n",
        "{\"hence\": 1, \"status\": {}, \"status\": {}}\n",
        "\u{0}\u{0}\u{0}\n",
        long.as_str(),
        deep.as_str(),
    ] {
        let mut client = Client::new(dir.path());
        client.say(line);
        let answer = client.hear();
        assert!(answer.contains("the owner did not understand"), "{line:.40}: {answer}");
        assert_eq!(client.hear(), "");
    }
    let mut bytes = Client::new(dir.path());
    bytes.0.get_mut().write_all(&[0xff, 0xfe, 0x80, b'\n']).unwrap();
    assert!(bytes.hear().contains("did not understand"));
    let mut client = Client::new(dir.path());
    client.say("{\"hence\": 1, \"status\": {}}\n");
    let status = client.hear();
    assert!(status.contains(&format!("\"process\":{}", owner.process.id())), "{status}");
    assert_fact(dir.path(), "failed(\"a\", 1)");
    assert_eq!(owner.stop(), (String::new(), 0));
}

#[test]
fn an_owner_says_what_it_does_not_answer() {
    let dir = folder();
    let owner = Owner::new(dir.path(), &[]);
    let said = |line: &str| {
        let mut client = Client::new(dir.path());
        client.say(line);
        client.hear()
    };
    let unknown = said("{\"hence\": 1, \"statsu\": {}}\n");
    assert!(unknown.contains("unknown `statsu`") && !unknown.contains("variant"), "{unknown}");
    let two = said("{\"hence\": 1, \"status\": {}, \"turn\": {\"command\": \"x\"}}\n");
    assert!(two.contains("expected one member beside `hence`, found `status`, `turn`"), "{two}");
    for (name, feature, is_built) in
        [("mcp", "server", cfg!(feature = "server")), ("gate", "gate", cfg!(feature = "gate"))]
    {
        let answer = said(&format!("{{\"hence\": 1, \"{name}\": {{}}}}\n"));
        let missing = format!("built without the feature `{feature}`");
        assert_eq!(answer.contains(&missing), !is_built, "{answer}");
    }
    assert_eq!(owner.stop().1, 0);
}

#[test]
fn thousands_of_connections_are_turned_away_and_the_owner_goes_on() {
    let dir = folder();
    let owner = Owner::new(dir.path(), &[]);
    let mut silent = Vec::new();
    for at in 0..3_000 {
        match UnixStream::connect(socket(dir.path())) {
            Ok(mut stream) if at % 3 == 0 => {
                let _ = stream.write_all(b"{\"hence\": 1, \"turn\": {\"command\": \"gone\"}}\n");
            }
            Ok(stream) if at % 3 == 1 => silent.push(stream),
            _ => {}
        }
        silent.truncate(200);
    }
    // Those that say nothing hold their places for a while; whoever asks waits that long.
    assert_fact(dir.path(), "failed(\"a\", 1)");
    drop(silent);
    assert_fact(dir.path(), "failed(\"b\", 1)");
    assert_eq!(facts(dir.path()), 2);
    assert_eq!(owner.stop().1, 0);
}

#[test]
fn a_turn_that_never_ends_is_taken_back() {
    let dir = folder();
    let mut owner = Owner::new(dir.path(), &["--turn", "300ms"]);
    let mut client = Client::turn(dir.path());
    let over = client.hear();
    assert!(over.contains("over") && over.contains("the turn took longer than 0.3 s"), "{over}");
    assert_eq!(client.hear(), "");
    owner.hear("`a test` has the ledger no longer");
    assert_fact(dir.path(), "failed(\"a\", 1)");
    // A command that has the lock ends with its turn, and what it had recorded stays.
    fs::write(dir.path().join("slow.dl"), "input n(x: int).\ninput m(x: int).\n\n## Pairs.\ndecision big(x: int).\nbig(X) :- n(X), m(Y), n(Z), m(W), n(V), X + Y + Z + W + V < 0.\n").unwrap();
    let many: String = (0..400).map(|x| format!("{{\"n\": [{x}]}}\n{{\"m\": [{x}]}}\n")).collect();
    fs::write(dir.path().join("many.jsonl"), many).unwrap();
    let (status, _, said) = run(dir.path(), &["decide", "--rules", "slow.dl", "--facts", "many.jsonl"]);
    assert_eq!(status, 3, "{said}");
    assert!(said.contains("the turn took longer than 0.3 s; nothing was recorded"), "{said}");
    assert_fact(dir.path(), "failed(\"b\", 1)");
    assert_eq!(facts(dir.path()), 2);
    assert_eq!(owner.stop().1, 0);
}

#[test]
fn an_owner_that_stops_while_it_lends_leaves_the_ledger_to_whoever_has_it() {
    let dir = folder();
    let owner = Owner::new(dir.path(), &[]);
    let turn = Client::turn(dir.path());
    assert_eq!(owner.stop(), (String::new(), 0));
    assert!(!socket(dir.path()).exists());
    drop(turn);
    assert_fact(dir.path(), "failed(\"a\", 1)");
    assert_eq!(run(dir.path(), &["verify"]).0, 0);
}

/// A number that the clock gives, to kill at different moments.
fn moment(most: u64) -> Duration {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    Duration::from_micros(u64::from(now.subsec_nanos()) % most)
}

#[test]
fn nothing_acknowledged_is_lost_whoever_is_killed() {
    let dir = folder();
    let rounds = slow::size(5, 60);
    let (mut acknowledged, mut asserted) = (0, 0);
    let mut owner = Owner::new(dir.path(), &[]);
    for round in 0..rounds {
        let mut clients: Vec<_> = (0..3)
            .map(|at| {
                let fact = format!("failed(\"{round} {at}\", 1)");
                asserted += 1;
                hence(dir.path(), &["assert", &fact])
                    .stdout(Stdio::piped())
                    .stderr(Stdio::null())
                    .spawn()
                    .unwrap()
            })
            .collect();
        thread::sleep(moment(300_000));
        if round % 2 == 0 {
            owner.process.kill().unwrap();
            owner.process.wait().unwrap();
        } else {
            clients[0].kill().unwrap();
        }
        for client in clients {
            let output = client.wait_with_output().unwrap();
            acknowledged += usize::from(String::from_utf8_lossy(&output.stdout).contains("recorded as"));
        }
        let found = facts(dir.path());
        assert!((acknowledged..=asserted).contains(&found), "{found} of {acknowledged} to {asserted}");
        if round % 2 == 0 {
            owner = Owner::new(dir.path(), &[]);
        }
        assert_fact(dir.path(), &format!("failed(\"after {round}\", 1)"));
        (acknowledged, asserted) = (acknowledged + 1, asserted + 1);
    }
    drop(owner);
    let (status, out, said) = run(dir.path(), &["verify"]);
    assert_eq!(status, 0, "{out}{said}");
}

#[test]
fn a_store_with_a_long_or_odd_path_has_an_owner_too() {
    let dir = folder();
    let long = format!("{}/a b\u{e9}\u{202e}'\"", "long".repeat(40));
    fs::create_dir_all(dir.path().join(&long)).unwrap();
    let store = format!("{long}/store");
    let owner = Owner::new(dir.path(), &["--store", &store]);
    let (status, out, said) = run(dir.path(), &["assert", "failed(\"a\", 1)", "--store", &store]);
    assert_eq!((status, said.as_str()), (0, ""), "{out}");
    assert!(run(dir.path(), &["serve", "--store", &store]).2.contains("is owned by process"));
    assert_eq!(owner.stop(), (String::new(), 0));
    assert!(!dir.path().join(&store).join("owner.sock").exists());
    let (status, _, said) = run(dir.path(), &["serve", "--store", ":memory:"]);
    assert!(status == 2 && said.contains("no other users"), "{said}");
}

/// Whether this user may become others.
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

fn as_nobody(mut command: Command) -> Command {
    command.uid(65_534).gid(65_534);
    command
}

fn permit(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    if path.is_dir() {
        fs::read_dir(path).unwrap().for_each(|entry| permit(&entry.unwrap().path(), mode));
    }
}

#[test]
fn another_user_gets_no_turn() {
    if !is_root() {
        println!("left out: only root may become another user");
        return;
    }
    let dir = folder();
    let mut owner = Owner::new(dir.path(), &[]);
    assert_fact(dir.path(), "failed(\"a\", 1)");
    // Even where the permissions of all files would let it.
    permit(&dir.path().join(".hence"), 0o777);
    let mut assert = as_nobody(hence(dir.path(), &["assert", "failed(\"b\", 1)", "--wait", "100ms"]));
    let (status, _, said) = said(assert.env("HENCE_TRUST", dir.path()).output().unwrap());
    assert_eq!(status, 2, "{said}");
    assert!(said.contains("is in use by"), "{said}");
    let python = "import socket,sys\ns=socket.socket(socket.AF_UNIX)\ns.connect(sys.argv[1])\n\
        print(s.recv(4096).decode())";
    let mut stranger = as_nobody(Command::new("python3"));
    if let Ok(output) = stranger.args(["-c", python]).arg(socket(dir.path())).output() {
        let answer = String::from_utf8_lossy(&output.stdout);
        assert!(answer.contains("refused") && answer.contains("another user"), "{answer}");
    }
    // Nor does root ask for the turn of somebody else's owner.
    owner.process.kill().unwrap();
    owner.process.wait().unwrap();
    permit(dir.path(), 0o777);
    let mut serve = as_nobody(hence(dir.path(), &["serve"]));
    serve.env("HENCE_TRUST", dir.path()).stderr(Stdio::piped()).stdin(Stdio::null());
    let mut process = serve.spawn().unwrap();
    let said = BufReader::new(process.stderr.take().unwrap());
    let mut theirs = Owner { process, said };
    theirs.hear("serves the ledger");
    let (status, _, said) = run(dir.path(), &["assert", "failed(\"c\", 1)", "--wait", "100ms"]);
    assert!(status == 2 && said.contains("is in use by"), "{said}");
    assert_eq!(theirs.stop().1, 0);
}

#[test]
fn a_store_that_may_only_be_read_has_no_owner() {
    let dir = folder();
    assert_fact(dir.path(), "failed(\"a\", 1)");
    permit_reading(&dir.path().join(".hence"));
    let mut serve = hence(dir.path(), &["serve"]);
    if is_root() {
        serve = as_nobody(serve);
    }
    let (status, _, said) = said(serve.env("HENCE_TRUST", dir.path()).output().unwrap());
    assert!(status == 2 && said.contains("ermission denied"), "{said}");
}

fn permit_reading(path: &Path) {
    let mode = if path.is_dir() { 0o555 } else { 0o444 };
    if path.is_dir() {
        fs::read_dir(path).unwrap().for_each(|entry| permit_reading(&entry.unwrap().path()));
    }
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_ledger_that_goes_while_it_is_lent_ends_its_owner() {
    let dir = folder();
    let mut owner = Owner::new(dir.path(), &[]);
    let turn = Client::turn(dir.path());
    fs::remove_dir_all(dir.path().join(".hence")).unwrap();
    drop(turn);
    owner.hear("is gone");
    until("the owner ends", || owner.process.try_wait().unwrap().is_some());
    assert!(!dir.path().join(".hence").exists());
}
