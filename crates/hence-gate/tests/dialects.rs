//! A session says the same in every dialect: the same facts, so that rules give the same verdicts.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test")]

#[path = "../../../tests/gate/session.rs"]
mod session;

use std::path::Path;

use hence_core::fact::Fact;
use hence_gate::{HookEvent, Host, Phase, facts, fingerprint};
use serde_json::Value as Json;

use session::{event, sessions};

/// The tool and the facts of each call, but for which host it was, and what became of it.
fn lowered(host: Host, calls: &[Json], cwd: &Path) -> Vec<(String, Vec<Fact>, Phase)> {
    let read = |call: &Json, after, number| {
        let bytes = serde_json::to_vec(&event(host, call, after, cwd, number)).unwrap();
        HookEvent::read(Some(host), &bytes).unwrap_or_else(|error| panic!("{host}: {call}: {error}"))
    };
    let each = |(number, call): (usize, &Json)| {
        let (before, after) = (read(call, false, number), read(call, true, number));
        let (asked, ran) = (before.call.as_ref().unwrap(), after.call.as_ref().unwrap());
        assert_eq!(fingerprint("s", asked), fingerprint("s", ran), "{host}: {call}");
        let mut all = facts(&before, asked, "c", 0).facts;
        // The host, its mode and the names of further arguments are its own.
        all.retain(|fact| !matches!(fact.relation.as_str(), "host" | "agent_call" | "arg" | "same_as"));
        all.sort();
        (asked.tool.clone(), all, after.phase)
    };
    calls.iter().enumerate().map(each).collect()
}

#[test]
fn every_dialect_says_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let cwd = folder.path().canonicalize().unwrap();
    for session in sessions() {
        let expected = lowered(Host::Claude, &session.calls, &cwd);
        assert!(expected.len() >= 100, "{} has {} calls", session.name, expected.len());
        for host in Host::ALL {
            let own = lowered(host, &session.calls, &cwd);
            for ((call, one), other) in session.calls.iter().zip(&expected).zip(own) {
                assert_eq!(*one, other, "{host}: {call}");
            }
        }
    }
}
