//! Who doesn't know the secret of a cluster is refused, and harms nothing.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use super::processes::{folder, joining, running, text};
use crate::command::hence;

/// The address of the first process.
fn address(dir: &Path) -> String {
    let hosts = fs::read_to_string(dir.join("hosts.toml")).unwrap();
    hosts.split('"').nth(1).unwrap().to_owned()
}

/// A connection to the first process, once that waits.
fn connected(dir: &Path) -> TcpStream {
    let (address, start) = (address(dir), Instant::now());
    loop {
        match TcpStream::connect(&address) {
            Ok(stream) => return stream,
            Err(error) => assert!(start.elapsed() < Duration::from_secs(60), "{error}"),
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn waiting(dir: &Path) -> Child {
    let mut command = running(dir, &["--facts", "facts.jsonl"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

#[test]
fn a_stranger_is_refused_and_the_others_decide() {
    let dir = folder();
    let dir = dir.path();
    let run = waiting(dir);
    // One says nothing, one something else, one the right words without the secret.
    let silent = connected(dir);
    let mut foreign = connected(dir);
    foreign.write_all(&[b'x'; 200]).unwrap();
    let mut hello = connected(dir);
    let mut said = [0; 80];
    said[..8].copy_from_slice(b"hence\0\0\x02");
    said[15] = 1;
    hello.write_all(&said).unwrap();
    let mut answer = Vec::new();
    _ = hello.read_to_end(&mut answer);
    assert!(answer.len() < 112, "who has another file of hosts gets no proof");
    let other = joining(dir);
    let ended = run.wait_with_output().unwrap();
    let (told, warned) = (String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr));
    assert!(ended.status.success() && told.contains("look_at"), "{told}{warned}");
    assert!(warned.contains("a connection from 127.0.0.1 was refused: it is no hence"), "{warned}");
    assert!(warned.contains("it has another file of hosts"), "{warned}");
    assert!(other.wait_with_output().unwrap().status.success());
    drop(silent);
}

#[test]
fn another_secret_is_told_to_whoever_joins() {
    let dir = folder();
    let dir = dir.path();
    let run = waiting(dir);
    drop(connected(dir));
    let hosts = fs::read_to_string(dir.join("hosts.toml")).unwrap();
    let other = dir.join("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("hosts.toml"), hosts).unwrap();
    text(hence(&other, &["cluster", "key", "cluster.key"]));
    let refused = joining(&other).wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("has another secret"), "{said}");
    let other = joining(dir);
    let ended = run.wait_with_output().unwrap();
    let warned = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{warned}");
    assert!(warned.contains("it doesn't prove that it knows the secret"), "{warned}");
    assert!(other.wait_with_output().unwrap().status.success());
}
