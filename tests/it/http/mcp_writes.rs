//! What MCP records is told: nothing is recorded for a question that can't be read, and no answer to what is recorded is too long.

use serde_json::{Value as Json, json};

use super::mcp::{ask, call};
use super::{Service, folder};

fn text(answer: &Json) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"))
}

#[test]
fn a_question_that_cant_be_read_records_nothing() {
    let dir = folder();
    let service = Service::new(dir.path());
    let facts = json!([{ "failed": ["j1", 1] }]);
    for (asked, why) in [
        ("retry(", "unclosed"),
        ("nope(\"j1\")", "nope"),
        ("retry(\"j1\", 2)", "retry"),
        ("retry(7)", "string"),
        ("!retry(\"j1\")", "negated"),
    ] {
        let answer = &ask(dir.path(), &[call(1, "decide", &json!({ "facts": facts, "ask": asked }))])[0];
        assert_eq!(answer["result"]["isError"], json!(true), "{asked}: {answer}");
        assert!(text(answer).contains(why), "{asked}: {answer}");
    }
    assert_eq!(service.all().read("/v1/status")["transactions"], json!(0));
    let drawn = &ask(dir.path(), &[call(1, "decide", &json!({ "facts": facts, "ask": "retry(\"j1\")" }))])[0];
    assert_eq!(drawn["result"]["structuredContent"]["decision"], json!(true), "{drawn}");
}

#[test]
fn an_answer_to_what_is_recorded_is_shortened() {
    let dir = folder();
    let service = Service::with(dir.path(), &["--budget", "30s"]);
    let jobs = |from: usize| {
        let job = |at: usize| json!({ "failed": [format!("{at:05} {}", "y".repeat(600)), 1] });
        (from..from + 1000).map(job).collect::<Vec<Json>>()
    };
    let recorded = &ask(dir.path(), &[call(1, "assert_facts", &json!({ "facts": jobs(0) }))])[0];
    let decided = &ask(dir.path(), &[call(1, "decide", &json!({ "facts": jobs(1000) }))])[0];
    for (answer, tx) in [(recorded, 1), (decided, 2)] {
        let shown = &answer["result"]["structuredContent"];
        assert_eq!(answer["result"]["isError"], json!(false), "{:.300}", answer.to_string());
        assert_eq!((&shown["committed"], &shown["asserted"]), (&json!(tx), &json!(1000)));
        let drawn = shown["drawn"].as_array().unwrap().len();
        let left_out = shown["left_out"]["drawn"].as_u64().unwrap() as usize;
        assert!(drawn > 100 && drawn + left_out == 1000, "{drawn} {left_out}");
        assert!(answer.to_string().len() < 3 << 20, "{}", answer.to_string().len());
    }
    // What records nothing may be asked again for less.
    let dry = json!({ "facts": jobs(2000), "dry": true });
    let dry = &ask(dir.path(), &[call(1, "decide", &dry)])[0];
    assert!(dry["result"]["isError"] == json!(true) && text(dry).contains("ask for less"), "{dry:.300}");
    assert_eq!(service.all().read("/v1/status")["transactions"], json!(2));
}

#[test]
fn what_was_recorded_is_named_though_its_answer_cant_be_given() {
    let dir = folder();
    let service = Service::with(dir.path(), &["--budget", "30s"]);
    let asked = format!("retry(\"{}\")", "x".repeat(700_000));
    let arguments = json!({ "facts": [{ "failed": ["j1", 1] }], "ask": asked });
    let long = &ask(dir.path(), &[call(1, "decide", &arguments)])[0];
    assert_eq!(long["result"]["isError"], json!(true), "{:.300}", long.to_string());
    let told = "the facts are recorded as transaction 1: ask again without them";
    assert!(text(long).contains(told), "{:.300}", text(long));
    assert_eq!(service.all().read("/v1/status?min_tx=1")["transactions"], json!(1));
}

#[test]
fn a_member_that_is_there_twice_is_refused() {
    let dir = folder();
    let service = Service::new(dir.path());
    let caller = service.all();
    let kind = [("Content-Type", "application/json")];
    for body in [
        r#"{"facts": [{"failed": ["j1", 1]}], "facts": [{"failed": ["j2", 1]}]}"#,
        r#"{"facts": [{"failed": ["j1", 1]}], "dry": true, "dry": false}"#,
        r#"{"facts": [{"failed": ["j1", 1], "failed": ["j2", 1]}]}"#,
        r#"{"facts": [{"failed": {"job": "j1", "tries": 1, "tries": 2}}]}"#,
    ] {
        let refused = caller.post_as("/v1/decide", &kind, body);
        assert_eq!(refused.status, 400, "{body}: {refused:?}");
        assert!(refused.json()["detail"].as_str().unwrap().contains("is there twice"), "{refused:?}");
        let message = format!(
            "{{\"jsonrpc\": \"2.0\", \"id\": 7, \"method\": \"tools/call\", \"params\": {{\"name\": \"decide\", \
             \"arguments\": {body}}}}}"
        );
        let refused = caller.post_as("/mcp", &kind, &message).json();
        assert!(refused["error"]["message"].as_str().unwrap().contains("is there twice"), "{refused}");
    }
    let twice = r#"{"subject": {"type": "user", "id": "ann", "id": "bob"}, "action": {"name": "a"}, "resource": {"type": "r", "id": "r"}}"#;
    assert_eq!(caller.post_as("/access/v1/evaluation", &kind, twice).status, 400);
    assert_eq!(caller.read("/v1/status")["transactions"], json!(0));
}
