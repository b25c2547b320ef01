//! `hence decide --follow --batch`: a transaction's lines are bounded, and the stream goes on after one that is refused.

use std::io::Write;
use std::process::Stdio;

use serde_json::Value;

use super::command;

/// The answers to a stream, under a limit on memory.
fn answers(input: &[u8]) -> Vec<Value> {
    let folder = crate::memory::folder();
    std::fs::write(folder.path().join("n.dl"), "input n(x: int).\ndecision big(x: int).\nbig(X) :- n(X).\n")
        .unwrap();
    let args = ["decide", "--follow", "--batch", "--quiet", "--rules", "n.dl", "--max-memory", "512"];
    let mut child =
        command::hence(folder.path(), &args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    // Something was refused.
    assert_eq!(output.status.code(), Some(2));
    let lines = String::from_utf8(output.stdout).unwrap();
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn changes(answers: &[Value]) -> Vec<&str> {
    answers.iter().map(|answer| answer["change"].as_str().unwrap()).collect()
}

#[test]
fn a_batch_of_too_many_bytes_is_refused_and_the_next_one_taken() {
    let line = [b"{\"n\": [1]}".to_vec(), vec![b' '; 40 << 20], b"\n".to_vec()].concat();
    let stream = [line.clone(), line.clone(), b"{\"n\": [3]}\n\n{\"n\": [2]}\n\n".to_vec()].concat();
    let found = answers(&stream);
    assert_eq!(changes(&found), ["error", "drawn", "committed"]);
    let message = found[0]["errors"][0]["message"].as_str().unwrap();
    assert_eq!(
        message,
        "the lines up to the next blank one exceed 67108864 bytes, an eighth of --max-memory"
    );
    assert_eq!((&found[1]["values"][0], &found[2]["asserted"]), (&2.into(), &1.into()));
}

#[test]
fn of_a_batch_of_many_faults_the_first_are_told() {
    let stream = ["{\"m\": [1]}\n".repeat(5_000).as_str(), "\n{\"n\": [2]}\n"].concat();
    let found = answers(stream.as_bytes());
    assert_eq!(changes(&found), ["error", "drawn", "committed"]);
    let errors = found[0]["errors"].as_array().unwrap();
    assert_eq!(errors.len(), 101);
    assert_eq!(errors[100]["message"], "more errors are not shown");
}
