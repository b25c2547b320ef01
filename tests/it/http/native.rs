//! The native API: what is recorded is decided, and what is decided can be asked.

use std::fs;

use serde_json::{Value as Json, json};

use super::{Service, folder};

const LINES: &[(&str, &str)] = &[("Content-Type", "application/x-ndjson")];

#[test]
fn facts_are_recorded_in_one_transaction_and_decided() {
    let dir = folder();
    let service = Service::new(dir.path());
    let caller = service.all();
    let told = caller.record("{\"failed\": [\"j1\", 1]}\n{\"failed\": {\"job\": \"j2\", \"tries\": 5}}\n");
    assert_eq!((&told["asserted"], &told["tx"]), (&json!(2), &json!(1)));
    assert_eq!(told["drawn"][0]["because"], json!("j1 was tried 1 times"));
    let lapsed = caller.record("{\"retract\": {\"failed\": [\"j1\", 1]}}");
    assert_eq!(lapsed["lapsed"][0]["id"], json!("1.1"));
    assert_eq!(lapsed["tx"], json!(2));
}

#[test]
fn what_was_written_is_read_from_that_transaction_on() {
    let dir = folder();
    let service = Service::new(dir.path());
    let caller = service.all();
    for tries in 0..20 {
        let told = caller.record(&format!("{{\"failed\": [\"j{tries}\", 1]}}"));
        let tx = told["tx"].as_u64().unwrap();
        let found = caller.ask(&format!("/v1/query?min_tx={tx}"), &json!({ "body": "retry(J)" }));
        assert_eq!(found["rows"].as_array().unwrap().len(), tries + 1, "{found}");
        assert!(found["tx"].as_u64() >= Some(tx) && found["head"].is_string());
    }
}

#[test]
fn a_transaction_that_does_not_come_is_not_waited_for_forever() {
    let dir = folder();
    let service = Service::with(dir.path(), &["--budget", "300ms"]);
    let late = service.all().post("/v1/query?min_tx=1000", &json!({ "body": "retry(J)" }));
    assert_eq!((late.status, late.header("retry-after")), (503, Some("1")), "{late:?}");
}

#[test]
fn a_repeated_request_is_recorded_once_even_after_a_restart() {
    let dir = folder();
    let headers = [LINES, &[("Idempotency-Key", "k1")]].concat();
    let fact = "{\"failed\": [\"j1\", 1]}";
    let first = {
        let service = Service::new(dir.path());
        let first = service.all().post_as("/v1/facts", &headers, fact);
        let again = service.all().post_as("/v1/facts", &headers, fact).json();
        assert_eq!((&again["committed"], &again["repeated"]), (&json!(1), &json!(true)));
        first.json()
    };
    assert_eq!(first["committed"], json!(1));
    let service = Service::new(dir.path());
    let again = service.all().post_as("/v1/facts", &headers, fact).json();
    assert_eq!((&again["committed"], &again["tx"]), (&json!(1), &json!(1)));
    let other = service.all().post_as("/v1/facts", &headers, "{\"failed\": [\"j2\", 1]}");
    assert_eq!(other.status, 422, "{other:?}");
}

#[test]
fn a_request_that_changes_nothing_is_repeated_without_effect_too() {
    let dir = folder();
    let service = Service::new(dir.path());
    let caller = service.all();
    let fact = "{\"failed\": [\"j1\", 1]}";
    let keyed = |key: &str, line: &str| {
        caller.post_as("/v1/facts", &[LINES, &[("Idempotency-Key", key)]].concat(), line)
    };
    caller.record(fact);
    let first = keyed("k1", fact).json();
    assert_eq!((&first["committed"], &first["present"]), (&Json::Null, &json!(1)));
    caller.record(&format!("{{\"retract\": {fact}}}"));
    let again = keyed("k1", fact).json();
    assert_eq!(
        (&again["committed"], &again["repeated"], &again["tx"]),
        (&Json::Null, &json!(true), &json!(2))
    );
    assert_eq!(keyed("k1", "{\"failed\": [\"j2\", 1]}").status, 422);
    assert_eq!(caller.read("/v1/status?min_tx=2")["facts"], json!(0), "it was asserted again");
}

#[test]
fn a_key_is_of_whoever_sends_it() {
    let dir = folder();
    let keyed = |service: &Service, by: &str, line: &str| {
        let headers = [LINES, &[("Idempotency-Key", "k1")]].concat();
        service.token(by, "write").post_as("/v1/facts", &headers, line)
    };
    let service = Service::new(dir.path());
    let (fact, other) = ("{\"failed\": [\"j1\", 1]}", "{\"failed\": [\"j2\", 1]}");
    assert_eq!(keyed(&service, "ann", fact).json()["committed"], json!(1));
    let same = keyed(&service, "bob", fact).json();
    assert_eq!(
        (&same["committed"], &same["present"], &same["repeated"]),
        (&Json::Null, &json!(1), &Json::Null)
    );
    assert_eq!(keyed(&service, "bob", other).status, 422, "bob's key of before");
    assert_eq!(keyed(&service, "cat", other).json()["committed"], json!(2));
    drop(service);
    let service = Service::new(dir.path());
    for (by, fact, tx) in [("ann", fact, 1), ("cat", other, 2)] {
        let again = keyed(&service, by, fact).json();
        assert_eq!((&again["committed"], &again["repeated"]), (&json!(tx), &json!(true)), "{by}");
    }
    assert_eq!(keyed(&service, "ann", other).status, 422);
}

#[test]
fn a_key_that_cant_be_read_is_refused() {
    let dir = folder();
    let service = Service::new(dir.path());
    let caller = service.all();
    for key in ["", "a b", "k\u{e9}", "\u{201c}k1\u{201d}"] {
        let headers = [LINES, &[("Idempotency-Key", key)]].concat();
        let refused = caller.post_as("/v1/facts", &headers, "{\"failed\": [\"j1\", 1]}");
        assert_eq!(refused.status, 400, "{key}: {refused:?}");
        assert!(refused.json()["detail"].as_str().unwrap().starts_with("`Idempotency-Key`: "), "{refused:?}");
    }
    let headers = [("Authorization", caller.authorization.as_str()), ("Last-Event-ID", "\u{e9}")];
    assert_eq!(service.send("GET", "/v1/changes", &headers, "").status, 400);
    assert_eq!(caller.read("/v1/status")["transactions"], json!(0));
}

#[test]
fn a_ledger_that_has_gone_on_is_a_conflict() {
    let dir = folder();
    let service = Service::new(dir.path());
    let caller = service.all();
    caller.record("{\"failed\": [\"j1\", 1]}");
    let conflict = caller.post_as("/v1/facts?expect_tx=0", LINES, "{\"failed\": [\"j2\", 1]}");
    assert_eq!(conflict.status, 409, "{conflict:?}");
    assert_eq!(caller.post_as("/v1/facts?expect_tx=1", LINES, "{\"failed\": [\"j2\", 1]}").status, 200);
}

#[test]
fn faulty_facts_are_refused_with_their_codes_and_nothing_is_recorded() {
    let dir = folder();
    let service = Service::new(dir.path());
    let caller = service.all();
    let refused =
        caller.post_as("/v1/facts", LINES, "{\"failed\": [\"j1\", 1]}\n{\"failed\": [\"j2\", \"many\"]}");
    assert_eq!(refused.status, 422, "{refused:?}");
    assert_eq!(refused.header("content-type"), Some("application/problem+json"));
    let problem = refused.json();
    assert!(problem["errors"][0]["code"].as_str().unwrap().starts_with('E'), "{problem}");
    assert_eq!(caller.read("/v1/status")["transactions"], json!(0));
}

#[test]
fn a_fact_that_is_asserted_and_retracted_in_one_request_is_refused() {
    let dir = folder();
    let service = Service::new(dir.path());
    let caller = service.all();
    let (fact, retracted) =
        (json!({ "failed": ["j1", 1] }), json!({ "failed": { "tries": 1, "job": "j1" } }));
    let lines = format!("{fact}\n{{\"retract\": {retracted}}}\n");
    let both = json!({ "facts": [fact], "retract": [retracted] });
    let dry = json!({ "facts": [fact], "retract": [retracted], "dry": true });
    for answer in [
        caller.post_as("/v1/facts", LINES, &lines),
        caller.post("/v1/decide", &both),
        caller.post("/v1/decide", &dry),
    ] {
        assert_eq!(answer.status, 422, "{answer:?}");
        let detail =
            "`failed(\"j1\", 1)` is asserted and retracted in one request; send what comes second by itself";
        assert_eq!(answer.json()["detail"], json!(detail));
    }
    let more =
        caller.post_as("/v1/facts", LINES, &format!("{{\"retract\": {fact}, \"failed\": [\"j2\", 1]}}"));
    assert_eq!(more.status, 422, "what else the line says is not left out: {more:?}");
    assert_eq!(caller.read("/v1/status")["transactions"], json!(0));
}

#[test]
fn a_dry_decision_records_nothing() {
    let dir = folder();
    let service = Service::new(dir.path());
    let caller = service.all();
    let told = caller.ask("/v1/decide", &json!({ "facts": [{ "failed": ["j1", 1] }], "dry": true }));
    assert_eq!((&told["drawn"][0]["values"], &told["tx"]), (&json!(["j1"]), &json!(0)));
    let told = caller.ask("/v1/decide", &json!({ "facts": [{ "failed": ["j1", 1] }] }));
    assert_eq!((&told["drawn"][0]["id"], &told["tx"]), (&json!("1.1"), &json!(1)));
}

#[test]
fn why_why_not_and_what_if_are_asked_of_what_stands() {
    let dir = folder();
    let service = Service::new(dir.path());
    let caller = service.all();
    caller.record("{\"failed\": [\"j1\", 1]}\n{\"failed\": [\"j2\", 5]}");
    let why = caller.ask("/v1/why?min_tx=1", &json!({ "fact": "retry(\"j1\")" }));
    assert_eq!(why["holds"], json!(1));
    assert!(why["proofs"][0].to_string().contains("\"ada\""), "who asserted it: {why}");
    let not = caller.ask("/v1/why-not", &json!({ "fact": "retry(\"j2\")" }));
    assert!(not.to_string().contains("few_tries"), "{not}");
    let other = caller.ask("/v1/what-if", &json!({ "set": { "most": 10 } }));
    assert_eq!(other["changes"][0]["decision"], json!({ "retry": ["j2"] }));
    let proof = caller.read("/v1/decisions/1.1/proof");
    assert_eq!((&proof["rule"], proof["proof"].is_object()), (&json!("few_tries"), true));
}

#[test]
fn lists_come_in_pages() {
    let dir = folder();
    let service = Service::new(dir.path());
    let caller = service.all();
    let lines: String = (0..5).map(|at| format!("{{\"failed\": [\"j{at}\", 1]}}\n")).collect();
    caller.record(&lines);
    let page = caller.read("/v1/decisions?relation=retry&limit=2&offset=3&min_tx=1");
    assert_eq!((&page["total"], page["decisions"].as_array().unwrap().len()), (&json!(5), 2));
    assert_eq!(page["decisions"][0]["id"], json!("1.4"));
    let facts = caller.read("/v1/facts/failed?limit=1&offset=4");
    assert_eq!(facts["facts"], json!([{ "job": "j4", "tries": 1 }]));
    assert_eq!(caller.get("/v1/decisions?limit=0").status, 400);
}

#[test]
fn a_relation_that_has_no_facts_is_told_from_one_that_cant_have_any() {
    let dir = folder();
    let service = Service::new(dir.path());
    let caller = service.all();
    assert_eq!(caller.read("/v1/facts/failed")["facts"], json!([]));
    let detail = |path: &str| {
        let answer = caller.get(path);
        assert_eq!(answer.status, 404, "{path}");
        answer.json()["detail"].as_str().unwrap().to_owned()
    };
    assert_eq!(detail("/v1/facts/faild"), "unknown relation `faild`; did you mean `failed`?");
    assert_eq!(
        detail("/v1/facts/zzzzzzzz?limit=1&offset=9"),
        "unknown relation `zzzzzzzz`; `GET /v1/rules` has those that are declared"
    );
    assert_eq!(detail("/v1/facts/retry"), "`retry` is derived and not recorded; `POST /v1/query` shows it");
}

#[test]
fn a_decision_that_is_not_in_force_is_told_from_one_that_no_rule_draws() {
    let dir = folder();
    let service = Service::new(dir.path());
    let caller = service.all();
    assert_eq!(caller.read("/v1/decisions?relation=retry")["total"], json!(0));
    let detail = |relation: &str| {
        let answer = caller.get(&format!("/v1/decisions?relation={relation}"));
        assert_eq!(answer.status, 404, "{relation}");
        answer.json()["detail"].as_str().unwrap().to_owned()
    };
    assert_eq!(detail("retri"), "`retri` is not a decision of these rules; did you mean `retry`?");
    assert_eq!(
        detail("failed"),
        "`failed` is not a decision of these rules; `GET /v1/rules` has those that are"
    );
}

#[test]
fn the_past_is_asked_under_its_own_rules_and_clock() {
    let dir = folder();
    let service = Service::new(dir.path());
    let caller = service.all();
    caller.record("{\"failed\": [\"j1\", 1]}");
    caller.record("{\"retract\": {\"failed\": [\"j1\", 1]}}");
    let query = json!({ "body": "retry(J)" });
    let then = caller.ask("/v1/query?as_of=1&min_tx=2", &query);
    assert_eq!((&then["rows"], &then["tx"]), (&json!([{ "J": "j1" }]), &json!(1)));
    let now = caller.ask("/v1/query", &query);
    assert_eq!((&now["rows"], &now["tx"]), (&json!([]), &json!(2)));
    assert_eq!(caller.post("/v1/query?as_of=99", &query).status, 404);
}

#[test]
fn a_decision_is_as_it_was_at_the_moment_that_is_asked_of() {
    let dir = folder();
    let service = Service::new(dir.path());
    let caller = service.all();
    caller.record("{\"failed\": [\"j0\", 9]}");
    caller.record("{\"failed\": [\"j1\", 1]}");
    caller.record("{\"retract\": {\"failed\": [\"j1\", 1]}}");
    let read = |path: &str| caller.read(&format!("/v1/decisions/2.1{path}"));
    let now = read("?min_tx=3");
    assert_eq!((&now["in_force"], &now["lapsed_in"]), (&json!(false), &json!(3)));
    let then = read("?as_of=2");
    assert_eq!((&then["in_force"], &then["lapsed_in"], &then["tx"]), (&json!(true), &Json::Null, &json!(2)));
    assert_eq!(read("/proof?as_of=2")["rule"], json!("few_tries"));
    for path in ["/v1/decisions/2.1?as_of=1", "/v1/decisions/2.1/proof?as_of=1"] {
        let unknown = caller.get(path);
        assert_eq!(unknown.status, 404, "{path}: {unknown:?}");
        assert_eq!(unknown.json()["detail"], json!("unknown decision 2.1 as of transaction 1"));
    }
    assert_eq!(caller.post("/v1/why?as_of=1", &json!({ "fact": "2.1" })).status, 404);
}

#[test]
fn replay_tells_what_changed_rules_would_have_decided() {
    let dir = folder();
    {
        let service = Service::new(dir.path());
        service.all().record("{\"failed\": [\"j1\", 2]}");
    }
    let rules = fs::read_to_string(dir.path().join("retry.dl")).unwrap();
    fs::write(dir.path().join("retry.dl"), rules.replace("int = 3", "int = 2")).unwrap();
    let service = Service::new(dir.path());
    let told = service.all().ask("/v1/replay", &json!({}));
    assert_eq!(
        (&told["flips"][0]["change"], &told["flips"][0]["transaction"]),
        (&json!("lapsed"), &json!(1)),
        "{told}"
    );
}

#[test]
fn other_commands_record_too_while_the_service_runs() {
    let dir = folder();
    let service = Service::new(dir.path());
    let caller = service.all();
    let said = crate::command::hence(dir.path(), &["assert", "failed(\"j1\", 1)"]).output().unwrap();
    assert!(said.status.success(), "{said:?}");
    let found = caller.ask("/v1/query?min_tx=1", &json!({ "body": "retry(J)" }));
    assert_eq!(found["rows"], json!([{ "J": "j1" }]));
}

#[test]
fn rules_and_log_are_told() {
    let dir = folder();
    let service = Service::new(dir.path());
    let caller = service.all();
    caller.record("{\"failed\": [\"j1\", 1]}");
    let rules = caller.read("/v1/rules");
    assert!(rules["files"][0]["text"].as_str().unwrap().contains("decision retry"), "{rules}");
    let log = caller.read("/v1/log?min_tx=1");
    assert_eq!(log["transactions"][0]["asserted"], json!([{ "failed": ["j1", 1] }]));
    assert_eq!(caller.read("/v1/outbox")["outbox"], json!([]));
}

#[test]
fn the_description_is_the_one_that_is_committed() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/openapi.json");
    let document = format!("{}\n", serde_json::to_string_pretty(&hence_server::openapi()).unwrap());
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, &document).unwrap();
    }
    assert_eq!(fs::read_to_string(&path).unwrap_or_default(), document, "`UPDATE=1` writes it");
    let dir = folder();
    let service = Service::new(dir.path());
    let served: Json = service.all().read("/openapi.json");
    assert_eq!(served, hence_server::openapi());
}

#[test]
fn figures_are_told_in_the_form_of_prometheus() {
    let dir = folder();
    let service = Service::new(dir.path());
    let caller = service.all();
    caller.record("{\"failed\": [\"j1\", 1]}");
    let figures = caller.get("/metrics").body;
    assert!(figures.contains("hence_requests_total{route=\"/v1/facts\",status=\"200\"} 1"), "{figures}");
    assert!(figures.contains("hence_transaction 1"), "{figures}");
}
