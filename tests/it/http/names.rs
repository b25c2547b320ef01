//! Members and parameters that a route doesn't know are refused: what is misspelt would be left out without a word.

use serde_json::json;

use super::{Caller, Service, folder};

/// Why a request is refused as malformed.
fn refused(caller: &Caller<'_>, path: &str, body: Option<&serde_json::Value>) -> String {
    let answer = body.map_or_else(|| caller.get(path), |body| caller.post(path, body));
    assert_eq!(answer.status, 400, "{path} {body:?}: {answer:?}");
    answer.json()["detail"].as_str().unwrap().to_owned()
}

#[test]
fn an_unknown_member_is_refused_with_the_nearest_name() {
    let dir = folder();
    let service = Service::new(dir.path());
    let caller = service.all();
    let fact = json!([{ "failed": ["j1", 1] }]);
    assert_eq!(
        refused(&caller, "/v1/decide", Some(&json!({ "fact": fact }))),
        "unknown member `fact`; did you mean `facts`? `/v1/decide` takes facts, retract, dry, expect_tx, note"
    );
    for (path, body, near) in [
        ("/v1/decide", json!({ "facts": fact, "dry_run": true }), "did you mean `dry`?"),
        ("/v1/what-if", json!({ "facts": fact }), "`/v1/what-if` takes assert, retract, set"),
        ("/v1/replay", json!({ "set": { "nope": 1 } }), "`/v1/replay` takes from, to"),
        ("/v1/query", json!({ "body": "retry(J)", "limit": 1 }), "`/v1/query` takes body"),
        ("/v1/reviews/r1", json!({ "approved": true, "coment": "" }), "did you mean `comment`?"),
    ] {
        let detail = refused(&caller, path, Some(&body));
        assert!(detail.starts_with("unknown member `") && detail.contains(near), "{path}: {detail}");
    }
    assert_eq!(caller.read("/v1/status")["transactions"], json!(0), "nothing of it was recorded");
}

#[test]
fn an_unknown_parameter_is_refused_with_the_nearest_name() {
    let dir = folder();
    let service = Service::new(dir.path());
    let caller = service.all();
    assert_eq!(
        refused(&caller, "/v1/decisions?as-of=1", None),
        "unknown parameter `as-of`; did you mean `as_of`? `/v1/decisions` takes min_tx, as_of, limit, offset, relation"
    );
    let fact = json!({ "failed": ["j1", 1] });
    for (path, body, near) in [
        ("/v1/facts?dry=true", Some(&fact), "`/v1/facts` takes expect_tx, note"),
        ("/v1/query?asof=1", Some(&json!({ "body": "retry(J)" })), "did you mean `as_of`?"),
        ("/v1/reviews/r1?x=1", Some(&json!({ "approved": true })), "takes none"),
        ("/v1/changes?from=1", None, "`/v1/changes` takes after"),
    ] {
        let detail = refused(&caller, path, body);
        assert!(detail.starts_with("unknown parameter `") && detail.contains(near), "{path}: {detail}");
    }
    assert!(refused(&caller, "/v1/outbox?all=1", None).contains("expected true or false"));
    assert_eq!(caller.read("/v1/status")["transactions"], json!(0), "nothing of it was recorded");
    // A balancer may add what it likes to what everybody may ask.
    assert_eq!(service.send("GET", "/healthz?at=1", &[], "").status, 200);
}

#[test]
fn what_would_be_decided_is_asked_of_the_past_and_recorded_only_now() {
    let dir = folder();
    let service = Service::new(dir.path());
    let caller = service.all();
    caller.record("{\"failed\": [\"j1\", 1]}");
    let mut body = json!({ "facts": [{ "failed": ["j2", 1] }], "dry": true });
    let told = caller.ask("/v1/decide?as_of=0&min_tx=1", &body);
    assert_eq!((&told["drawn"][0]["values"], &told["tx"]), (&json!(["j2"]), &json!(0)));
    body["dry"] = json!(false);
    assert!(refused(&caller, "/v1/decide?as_of=1", Some(&body)).contains("`dry`"));
    assert_eq!(caller.read("/v1/status")["transactions"], json!(1));
}
