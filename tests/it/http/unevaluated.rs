//! What an AuthZEN request leaves out, or says as a value that doesn't fit, is never a permission.

use std::fs;

use serde_json::{Value as Json, json};

use super::{Caller, Service};

const RULES: &str = "## Who may do what, from a level on.\n\
    input grant(user: string, action: string, record: string, level: int).\n\n\
    ## What is closed at a level.\ninput frozen(record: string, level: int).\n\n\
    ## It is granted.\ndecision may(user: string, action: string, record: string, level: int).\n\
    @id(granted)\n@because(\"{U} may {A} {R}\")\nmay(U, A, R, L) :- grant(U, A, R, L).\n\n\
    ## It is closed.\ndecision barred(record: string, level: int).\n\
    @id(closed)\n@because(\"{R} is closed\")\nbarred(R, L) :- frozen(R, L).\n";
const FACTS: &str = "{\"grant\": [\"ann\", \"read\", \"r1\", 3]}\n{\"grant\": [\"ann\", \"read\", \"r2\", 3]}\n\
    {\"frozen\": [\"r2\", 3]}\n";
const BY_LEVEL: &str =
    "may(user = $subject.id, action = $action.name, record = $resource.id, level = $context.level)";
const BY_RECORD: &str = "may(user = $subject.id, action = $action.name, record = $resource.id)";
/// Values that no level is, with what is said of them.
const UNFIT: [(&str, &str); 8] = [
    ("null", "found null"),
    ("\"3\"", "found \"3\""),
    ("[3]", "found [3]"),
    ("{\"a\": 3}", "found {\"a\":3}"),
    ("3.5", "found 3.5"),
    ("3.0", "found 3.0"),
    ("true", "found true"),
    ("99999999999999999999", "found 1e"),
];

fn folder(decision: &str, more: &str) -> tempfile::TempDir {
    let dir = crate::memory::folder();
    fs::write(dir.path().join("r.dl"), RULES).unwrap();
    let settings = format!("rules = [\"r.dl\"]\n[authzen]\ndecision = \"{decision}\"\n{more}\n");
    fs::write(dir.path().join("hence.toml"), settings).unwrap();
    dir
}

fn asked(record: &str, context: Option<&str>) -> Json {
    let mut request = json!({ "subject": { "type": "user", "id": "ann" }, "action": { "name": "read" },
        "resource": { "type": "record", "id": record } });
    if let Some(context) = context {
        request["context"] = serde_json::from_str(context).unwrap();
    }
    request
}

fn level(text: &str) -> String {
    format!("{{\"level\": {text}}}")
}

/// The answer to an evaluation.
fn of(pep: &Caller<'_>, record: &str, context: Option<&str>) -> Json {
    pep.ask("/access/v1/evaluation", &asked(record, context))
}

/// Checks that something is denied since it can't be evaluated.
fn is_unevaluated(answer: &Json, why: &str) {
    assert_eq!(answer["decision"], json!(false), "{answer}");
    let error = &answer["context"]["error"];
    assert_eq!(error["status"], json!(400), "{answer}");
    assert!(error["message"].as_str().unwrap().contains(why), "{why}: {answer}");
}

fn all(more: &str, decision: &str, each: impl Fn(&Caller<'_>)) {
    for record in ["", "record = true\n"] {
        let dir = folder(decision, &format!("{record}{more}"));
        let service = Service::new(dir.path());
        let tx = service.token("ops", "write").record(FACTS)["tx"].clone();
        service.token("ops", "read").read(&format!("/v1/status?min_tx={tx}"));
        each(&service.token("pep", "decide"));
    }
}

#[test]
fn a_denial_is_not_skipped_for_a_value_that_does_not_fit() {
    all("denied = \"barred(record = $resource.id, level = $context.level)\"", BY_RECORD, |pep| {
        assert_eq!(of(pep, "r2", Some(&level("3")))["decision"], json!(false));
        assert_eq!(of(pep, "r2", Some(&level("4")))["decision"], json!(true));
        for (value, why) in UNFIT {
            is_unevaluated(&of(pep, "r2", Some(&level(value))), why);
        }
        for context in [None, Some("{}"), Some("{\"levels\": 3}")] {
            is_unevaluated(&of(pep, "r1", context), "`$context.level`");
        }
    });
}

#[test]
fn a_value_that_is_left_out_is_not_any_value() {
    all("", BY_LEVEL, |pep| {
        assert_eq!(of(pep, "r1", Some(&level("3")))["decision"], json!(true));
        assert_eq!(of(pep, "r1", Some(&level("9")))["decision"], json!(false));
        for (value, why) in UNFIT {
            is_unevaluated(&of(pep, "r1", Some(&level(value))), why);
        }
        for context in [None, Some("{}")] {
            is_unevaluated(&of(pep, "r1", context), "`$context.level`");
        }
    });
}

#[test]
fn an_obligation_is_not_dropped_for_a_value_that_is_not_there() {
    for key in ["ask", "review"] {
        all(
            &format!("{key} = \"barred(record = $resource.id, level = $context.level)\""),
            BY_RECORD,
            |pep| {
                is_unevaluated(&of(pep, "r2", None), "`$context.level`");
                is_unevaluated(&of(pep, "r2", Some(&level("\"3\""))), "`level`");
            },
        );
    }
}

#[test]
fn a_batch_denies_what_it_cannot_evaluate_and_goes_on() {
    all("", BY_LEVEL, |pep| {
        let items = [asked("r1", Some(&level("3"))), asked("r1", None), asked("r1", Some(&level("\"3\"")))];
        let answer = pep.ask("/access/v1/evaluations", &json!({ "evaluations": items }));
        let all = answer["evaluations"].as_array().unwrap();
        assert_eq!(all[0]["decision"], json!(true), "{answer}");
        is_unevaluated(&all[1], "`$context.level`");
        is_unevaluated(&all[2], "expected int");
    });
}

#[test]
fn a_search_finds_only_what_an_evaluation_permits() {
    let search = |pep: &Caller<'_>, context: Option<&str>| {
        let mut request = asked("", context);
        request["resource"].as_object_mut().unwrap().remove("id");
        let answer = pep.ask("/access/v1/search/resource", &request);
        let all = answer["results"].as_array().unwrap().clone();
        all.into_iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    all("denied = \"barred(record = $resource.id, level = $context.level)\"", BY_RECORD, |pep| {
        assert_eq!(search(pep, Some(&level("3"))), ["r1"]);
        assert_eq!(search(pep, Some(&level("4"))), ["r1", "r2"]);
        assert_eq!(search(pep, Some(&level("\"3\""))), [""; 0]);
        assert_eq!(search(pep, None), [""; 0]);
    });
    all("", BY_LEVEL, |pep| {
        assert_eq!(search(pep, Some(&level("3"))), ["r1", "r2"]);
        assert_eq!(search(pep, Some(&level("\"3\""))), [""; 0]);
        assert_eq!(search(pep, None), [""; 0]);
    });
}
