//! `observe edit`: what people changed in drafts, by kind.

use crate::actuators::{observe, refused};

const DRAFT: &str =
    "Hi Bob,\\n\\nUnfortunately your parcel is late. It arrives on Monday.\\n\\nBest regards,\\nAda";

/// The facts of one edit, without the columns that all share.
fn edited(before: &str, after: &str) -> Vec<String> {
    let line = format!(r#"{{"edit": "e", "event": "t", "before": "{before}", "after": "{after}"}}"#);
    let facts = observe("edit", "in.jsonl", None, &line);
    facts.iter().filter_map(|fact| fact.strip_prefix("edit_text(\"e/")).map(str::to_owned).collect()
}

#[test]
fn an_edit_is_told_by_its_kinds() {
    let after = DRAFT.replace("Hi Bob", "Dear Mr Stone").replace("Monday", "Tuesday");
    let line = format!(r#"{{"edit": 7, "event": "t1", "before": "{DRAFT}", "after": "{after}"}}"#);
    assert_eq!(
        observe("edit", "in.jsonl", None, &line),
        [
            r#"draft_edit("7/greeting", "t1", /greeting)"#,
            r#"edit_text("7/greeting", "hi bob, best regards,", "dear mr stone, best regards,")"#,
            r#"draft_edit("7/content", "t1", /content)"#,
            r#"edit_text("7/content", "monday", "tuesday")"#,
        ]
    );
}

#[test]
fn each_kind_of_change_is_told_apart() {
    let with = |from: &str, to: &str| edited(DRAFT, &DRAFT.replace(from, to));
    assert_eq!(with("x", "y"), Vec::<String>::new());
    assert_eq!(with("Best regards", "Cheers"), [r#"greeting", "hi bob, best regards,", "hi bob, cheers,")"#]);
    assert_eq!(with("Monday.", "Monday. Sorry!"), [r#"tone", "", "apology emphatic")"#]);
    assert_eq!(
        with(" It arrives on Monday.", "\\n\\nIt arrives on Monday."),
        [r#"structure", "", "paragraphs")"#]
    );
    assert_eq!(
        edited("One thing\\nAnother thing", "Another thing\\nOne thing"),
        [r#"structure", "", "order")"#]
    );
    assert_eq!(edited("- bread\\n- milk", "bread\\nmilk"), [r#"structure", "items", "")"#]);
    assert_eq!(edited("We are on it and so is he as of now", "We are on it"), [r#"length", "", "shorter")"#]);
    // Small words alone are no content, numbers are.
    assert_eq!(edited("it is in the box", "it is on the box"), Vec::<String>::new());
    assert_eq!(edited("in 3 days", "in 5 days"), [r#"content", "3", "5")"#]);
}

#[test]
fn a_rejected_draft_keeps_its_reason() {
    let lines = r#"
{"edit": "r1", "event": "t1", "before": "No.", "rejected": "too blunt"}
{"event": "t2", "before": "No.", "rejected": true}
"#;
    assert_eq!(
        observe("edit", "in.jsonl", None, lines),
        [
            r#"draft_rejection("r1", "t1")"#,
            r#"rejection_text("r1", "too blunt")"#,
            r#"draft_rejection("in.jsonl:3", "t2")"#,
        ]
    );
}

#[test]
fn what_is_no_edit_is_refused_with_its_place() {
    let fault = |rest: &str| refused("edit", &format!(r#"{{"event": "t", "before": "x"{rest}}}"#));
    assert_eq!(fault(""), "in.jsonl:1: expected `after` or `rejected`, found no such field");
    assert_eq!(
        fault(r#", "after": "y", "rejected": true"#),
        "in.jsonl:1: expected `after` or `rejected`, found both"
    );
    assert_eq!(
        fault(r#", "rejected": false"#),
        "in.jsonl:1: expected `rejected` to be a reason: a string, or `true`, found false"
    );
    let long = fault(&format!(r#", "after": "{}""#, "y ".repeat(17_000)));
    assert!(
        long.starts_with("in.jsonl:1: expected `after` to be a draft: a string of at most 32 KiB, found "),
        "{long}"
    );
}

#[test]
fn drafts_without_anything_in_common_are_compared() {
    let text = |word: &str| (0..2_000).map(|n| format!("{word}{n}\\n")).collect::<String>();
    let found = edited(&text("before"), &text("after"));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("content\", \"before0 before1 "));
}
