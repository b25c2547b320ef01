//! `observe quality`: what a tool's output was like.

use crate::actuators::{observe, refused};

/// The issues of an output, with what is known beside it.
fn issues(output: &str, rest: &str) -> Vec<String> {
    let output = serde_json::to_string(output).unwrap();
    let facts = observe("quality", "in.jsonl", None, &format!(r#"{{"run": 1, "output": {output}{rest}}}"#));
    facts.iter().filter_map(|fact| fact.strip_prefix("quality_issue(1, ")).map(str::to_owned).collect()
}

#[test]
fn output_shorter_than_expected_is_incomplete() {
    assert_eq!(issues("0123456789", r#", "min_size": 10"#), Vec::<String>::new());
    assert_eq!(issues("01234", r#", "min_size": 10"#), ["/incomplete, 0.85)"]);
    assert_eq!(issues("", r#", "min_size": 10"#), ["/incomplete, 1.0)"]);
    assert_eq!(issues("ünïcödé", r#", "min_size": 7"#), Vec::<String>::new());
}

#[test]
fn marks_of_further_pages_limits_and_failures_are_issues() {
    assert_eq!(issues(r#"{"items": [], "next_page_token": "abc"}"#, ""), ["/pagination, 0.7)"]);
    assert_eq!(issues(r#"{"items": [], "has_more": true}"#, ""), ["/pagination, 0.7)"]);
    assert_eq!(
        issues(r#"{"items": [], "has_more": false, "next": null, "next_cursor": null}"#, ""),
        Vec::<String>::new()
    );
    assert_eq!(issues("Page 1 of 12", ""), ["/pagination, 0.7)"]);
    assert_eq!(issues("Page 1 of 1", ""), Vec::<String>::new());
    assert_eq!(issues(r#"{"ok": 3, "errors": ["x"]}"#, ""), ["/partial_failure, 0.5)"]);
    assert_eq!(issues(r#"{"ok": 3, "errors": []}"#, ""), Vec::<String>::new());
    assert_eq!(
        issues("", r#", "error": "HTTP 429 Too Many Requests""#),
        ["/partial_failure, 1.0)", "/rate_limit, 0.8)"]
    );
    assert_eq!(issues("some", r#", "error": "boom""#), ["/partial_failure, 0.5)"]);
    assert_eq!(issues("The moderate limits of 429 pages", ""), Vec::<String>::new());
}

#[test]
fn what_took_longer_than_expected_is_slow() {
    assert_eq!(issues("x", r#", "latency_ms": 1000, "max_latency_ms": 1000"#), Vec::<String>::new());
    assert_eq!(issues("x", r#", "latency_ms": 4000, "max_latency_ms": 1000"#), ["/slow, 0.925)"]);
    assert_eq!(issues("x", r#", "latency_ms": 4000"#), Vec::<String>::new());
}

#[test]
fn quality_is_judged_where_all_of_it_can_be() {
    let line =
        |rest: &str| format!(r#"{{"run": 7, "output": "prices of the parcel", "min_size": 40{rest}}}"#);
    let all = r#", "latency_ms": 2000, "max_latency_ms": 1000, "intent": "Parcel prices, weekly report""#;
    assert_eq!(
        observe("quality", "in.jsonl", None, &line(all)),
        [
            "quality(7, 0.5, 1.0, 0.5, 0.5)",
            "quality_issue(7, /incomplete, 0.85)",
            "quality_issue(7, /slow, 0.85)",
        ]
    );
    assert_eq!(observe("quality", "in.jsonl", None, &line("")), ["quality_issue(7, /incomplete, 0.85)"]);
    assert_eq!(
        refused("quality", r#"{"run": 7, "output": "x", "min_size": -1}"#),
        "in.jsonl:1: expected `min_size` to be a number, 0 or more, found -1"
    );
}
