//! `observe similarity`: which texts are alike, and what may help with an event.

use crate::actuators::{observe, observe_bytes, refused};

const TEXTS: &str = r#"
{"event": "t1", "subject": "Parcel late", "text": "The parcel from Germany is late again", "sender": "bob", "source": "freshdesk", "type": "ticket", "at": "2026-02-03T10:00:00Z", "tokens": 9}
{"event": "t2", "text": "A parcel from Germany is late", "sender": "ann", "source": "freshdesk", "type": "ticket", "at": "2026-02-03T11:00:00Z", "tokens": 8}
{"event": "t3", "text": "My password does not work", "sender": "bob", "source": "mail", "type": "message", "at": "2026-02-03T12:00:00Z", "tokens": 7}
{"incident": "i1", "text": "Parcels: parcel from Germany late, asked logistics", "tokens": 20}
{"incident": "i2", "text": "The printer is on fire", "tokens": 20}
{"knowledge": "k1", "text": "A password is reset by its owner", "tokens": 30}
{"edit": "e1", "text": "sorry for the delay"}
{"edit": "e2", "text": "Sorry for the delay!"}
{"rejection": "r1", "text": "sorry for the delay"}
"#;

/// The facts of a relation, with similarities to one digit.
fn of(relation: &str, text: &str) -> Vec<String> {
    let facts = observe("similarity", "in.jsonl", None, text);
    let digits = regex::Regex::new(r"(\d\.\d)\d+").unwrap();
    let wanted = facts.iter().filter_map(|fact| fact.strip_prefix(&format!("{relation}(")));
    wanted.map(|fact| digits.replace_all(fact, "$1").into_owned()).collect()
}

#[test]
fn events_find_what_is_like_them_and_who_wrote_before() {
    assert_eq!(
        of("candidate", TEXTS),
        [
            r#""t1", "i1", /incident, 0.6, 20)"#,
            r#""t2", "i1", /incident, 0.7, 20)"#,
            r#""t2", "t1", /recent, 0.9, 9)"#,
            r#""t3", "k1", /knowledge, 0.3, 30)"#,
            r#""t3", "t1", /sender, 0.0, 9)"#,
        ]
    );
    assert_eq!(
        of("candidate_at", TEXTS),
        [r#""t2", "t1", @2026-02-03T10:00:00Z)"#, r#""t3", "t1", @2026-02-03T10:00:00Z)"#]
    );
    assert_eq!(of("event_similarity", TEXTS), [r#""t1", "t2", 0.8)"#]);
}

#[test]
fn edits_are_like_edits_and_the_same_text_is_wholly_alike() {
    assert_eq!(of("similar", TEXTS), [r#""e1", "e2", 1.0)"#]);
    let nothing = "{\"edit\": \"a\", \"text\": \"\"}\n{\"edit\": \"b\", \"text\": \"the a of\"}\n";
    assert_eq!(observe("similarity", "in.jsonl", None, nothing), Vec::<String>::new());
}

#[test]
fn similarities_are_shares_and_do_not_follow_the_order() {
    let lines: Vec<&str> = TEXTS.trim().lines().collect();
    let turned: Vec<&str> = lines.iter().rev().copied().collect();
    let mut one = of("candidate", TEXTS);
    let mut other = of("candidate", &turned.join("\n"));
    one.sort();
    other.sort();
    assert_eq!(one, other);
}

#[test]
fn what_is_no_text_and_too_many_are_refused() {
    assert_eq!(
        refused("similarity", r#"{"text": "x"}"#),
        "in.jsonl:1: expected one of `event`, `incident`, `knowledge`, `action`, `edit`, `rejection`, found no such field"
    );
    let many: String = (0..2_001)
        .map(|at| format!("{{\"knowledge\": {at}, \"text\": \"one word of many {at}\"}}\n"))
        .collect();
    let fault = observe_bytes("similarity", "in.jsonl", None, many.as_bytes()).unwrap_err();
    assert_eq!(fault.to_string(), "in.jsonl:2001: expected at most 2000 texts, found more");
    // Each event has as many candidates as it may have.
    let events: String =
        (0..100).map(|at| format!("{{\"event\": \"e{at}\", \"text\": \"word\"}}\n")).collect();
    let known: String =
        (0..100).map(|at| format!("{{\"action\": \"a{at}\", \"text\": \"word\"}}\n")).collect();
    assert_eq!(of("candidate", &format!("{events}{known}")).len(), 100 * 20);
}

#[test]
fn vectors_of_a_model_say_more_than_words() {
    let texts = r#"
{"event": "t1", "text": "My order never came", "vector": [3, 4, 0]}
{"event": "t2", "text": "Where is the parcel", "vector": [6, 8, 0]}
{"event": "t3", "text": "My order never came", "vector": [0, 0, 1]}
{"event": "t4", "text": "My order never came", "vector": [-3, -4, 0]}
{"incident": "i1", "text": "Parcel late", "vector": [4, 3, 0], "tokens": 5}
{"incident": "i2", "text": "Where is the parcel now", "tokens": 5}
"#;
    assert_eq!(of("event_similarity", texts), [r#""t1", "t2", 1.0)"#]);
    assert_eq!(
        of("candidate", texts),
        [
            r#""t1", "i1", /incident, 0.9, 5)"#,
            r#""t2", "i1", /incident, 0.9, 5)"#,
            r#""t2", "i2", /incident, 0.8, 5)"#,
        ],
        "a text without a vector is compared by its words"
    );
    for wrong in ["[]", "[0, 0]", "[\"a\"]", "3"] {
        let told = refused("similarity", &format!(r#"{{"event": "t", "text": "x", "vector": {wrong}}}"#));
        let expected = "in.jsonl:1: expected `vector` to be an array of numbers that are not all 0, at most 4096, found ";
        assert!(told.starts_with(expected), "{told}");
    }
    let short = texts.replace("[6, 8, 0]", "[6, 8]");
    assert_eq!(
        refused("similarity", short.trim()),
        "in.jsonl:2: expected `vector` to have 3 numbers, as the one before, found 2"
    );
}
