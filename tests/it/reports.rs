//! Reports: every section is there, figures have their course, a page has no markup of others and is the same each time.

use super::settings::{folder, run};

const SETTINGS: &str = "author = \"ada\"\npacks = [\"loop\"]\n[carry]\n\
    run_automation = { carrier = \"command\", program = \"sh\", args = [\"run.sh\"], attempts = 1 }\n";

/// A week of an agent, as it is seen on the morning of 2 March.
const FACTS: &str = r#"{"reviewer": ["ada"]}
{"event": ["m1", "/mail", "/question", "2026-03-02T04:00:00Z"]}
{"event": ["m2", "/mail", "/question", "2026-03-01T20:00:00Z"]}
{"event": ["pay", "/mail", "/order", "2026-03-01T12:00:00Z"]}
{"guarded_event": ["pay", "/financial"]}
{"tool_run": [1, "fetch", "/crypto", false, "1s", "2026-03-02T01:00:00Z"]}
{"tool_run": [2, "fetch", "/crypto", true, "1s", "2026-02-20T01:00:00Z"]}
{"draft": ["d1", "m1", "2026-03-02T05:00:00Z"]}
{"incident": ["i1", "late <b>parcel</b> & *more*", "2026-03-01T05:00:00Z"]}
{"incident": ["i2", "late <b>parcel</b> & *more*", "2026-02-28T05:00:00Z"]}
{"proposal": ["p1", "/automation", 0.9, "2026-03-01T06:00:00Z"]}
{"model_tier": ["small", "/cheap"]}
{"model_call": ["c1", "small", 100, 50, "1s", "2026-03-02T01:00:00Z"]}
{"model_cost": ["c1", 0.25]}
{"build_request": ["a tracker"]}
"#;

fn report(words: &[&str]) -> String {
    let folder = folder(&[("hence.toml", SETTINGS), ("facts.jsonl", FACTS)]);
    let all = [&["report"], words, &["--facts", "facts.jsonl", "--now", "2026-03-02T06:00:00Z"]].concat();
    let ran = run(folder.path(), &all, &[], "");
    assert_eq!(ran.0, 0, "{}", ran.2);
    ran.1
}

/// What stands below a title.
fn section<'t>(text: &'t str, title: &str) -> &'t str {
    let (_, rest) =
        text.split_once(&format!("\n## {title}\n")).unwrap_or_else(|| panic!("{title} in {text}"));
    rest.split("\n## ").next().unwrap()
}

#[test]
fn the_morning_brief_has_every_section() {
    let brief = report(&["brief"]);
    assert!(brief.starts_with("# Morning brief, 2026-03-02T06:00:00Z\n"), "{brief}");
    let overnight = section(&brief, "Overnight");
    assert!(overnight.contains("- events: 2 of /mail /question"), "{overnight}");
    assert!(overnight.contains("- errors: 1 failed runs of fetch") && overnight.contains("- drafts: 1"));
    assert!(overnight.contains("| events | 1 | 2 | −1 |"), "{overnight}");
    assert!(section(&brief, "Patterns and correlations").contains("2 times within 7d"));
    assert!(section(&brief, "Pending proposals").contains("p1, a /automation of confidence 0.90: /approve"));
    let unresolved = section(&brief, "Unresolved since yesterday");
    assert!(unresolved.contains("- i1: late") && unresolved.contains("- pay: blocked by /financial"));
    assert!(section(&brief, "Self-assessment").contains("Nothing."));
}

#[test]
fn the_weekly_digest_has_every_section() {
    let digest = report(&["digest"]);
    assert!(section(&digest, "Week over week").contains("| runs | 1 | 1 | ±0 |"), "{digest}");
    assert!(section(&digest, "Pattern trends").contains("2, before 0: /worsening"));
    assert!(section(&digest, "Performance of the agent").contains("| success rate | 0 | 1 | −1 |"));
    assert!(section(&digest, "Cost by tier").contains("- /cheap: 1 calls, $0.2500"));
    assert!(section(&digest, "Proposed improvements").contains("a tracker"));
}

#[test]
fn costs_are_accounted_for_by_tier() {
    let costs = report(&["cost"]);
    assert!(section(&costs, "By tier").contains("- /cheap: 1 calls, 150 tokens, $0.2500"), "{costs}");
    assert!(section(&costs, "By model").contains("- small: 1 calls"));
    assert!(section(&costs, "Day by day").contains("| dollars of /cheap | 0.25 | 0 | +0.25 |"));
}

#[test]
fn a_page_has_charts_of_its_own_and_no_markup_of_others() {
    let page = report(&["brief", "--format", "html"]);
    assert!(page.contains("<svg role=\"img\" aria-label=\"events: "), "{page}");
    assert!(page.contains("late &lt;b&gt;parcel&lt;/b&gt; &amp; *more*") && !page.contains("<b>"));
    for outside in ["http", "<script", "<link", "<img", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert_eq!(page, report(&["brief", "--format", "html"]));
    let brief = report(&["brief"]);
    assert!(brief.contains(r"late \<b\>parcel\</b\> \& \*more\*"), "{brief}");
}

#[test]
fn a_report_goes_to_a_file_and_needs_rules_that_have_it() {
    let folder = folder(&[("hence.toml", SETTINGS), ("facts.jsonl", FACTS)]);
    let words = ["report", "cost", "--facts", "facts.jsonl", "-o", "cost.md"];
    assert_eq!(run(folder.path(), &words, &[], "").0, 0);
    let written = std::fs::read_to_string(folder.path().join("cost.md")).unwrap();
    assert!(written.starts_with("# Costs, "), "{written}");
    let other = super::settings::folder(&[("hence.toml", "packs = [\"errors\"]\n")]);
    let ran = run(other.path(), &["report", "brief", "--facts", "-"], &[], "");
    assert!(ran.0 == 2 && ran.2.contains("add `--pack loop`"), "{}", ran.2);
}

#[test]
fn runs_and_errors_of_an_automation_are_facts() {
    let script = "cat > /dev/null; exit $(cat status)";
    let folder = folder(&[("hence.toml", SETTINGS), ("run.sh", script), ("status", "0")]);
    let tick = |at: &str, status: &str| {
        std::fs::write(folder.path().join("status"), status).unwrap();
        let facts = format!(
            "{{\"automation\": [\"report\", \"/cron\", \"report\"]}}\n{{\"schedule\": [\"report\", \"0 6 * * *\", \"UTC\"]}}\n\
            {{\"tick\": [\"report\", \"{at}\"]}}\n"
        );
        std::fs::write(folder.path().join("tick.jsonl"), facts).unwrap();
        let words = ["decide", "--carry-out", "--facts", "tick.jsonl", "--now", at];
        assert_eq!(run(folder.path(), &words, &[], "").0, 0);
    };
    tick("2026-03-01T06:00:00Z", "0");
    tick("2026-03-02T06:00:00Z", "3");
    let words = ["query", "automation_runs(A, Runs, Errors, Last)", "--format", "csv"];
    let ran = run(folder.path(), &words, &[], "");
    assert_eq!(ran.1, "A,Runs,Errors,Last\nreport,2,1,2026-03-02T06:00:00Z\n", "{}", ran.2);
}

#[test]
fn a_monitor_alerts_and_an_event_starts_an_automation() {
    let facts = r#"{"automation": ["watch", "/monitor", "delays"]}
{"monitor": ["watch", "late", 2, "24h"]}
{"incident": ["a", "late", "2026-03-01T23:00:00Z"]}
{"incident": ["b", "late", "2026-03-01T05:00:00Z"]}
{"automation": ["check", "/event", "refunds"]}
{"event_trigger": ["check", "refund"]}
{"event_text": ["m1", "bob", "Refund please", ""]}
"#;
    let folder = folder(&[("hence.toml", "packs = [\"loop\"]\n"), ("facts.jsonl", facts)]);
    let at = |now: &str, relation: &str| {
        run(
            folder.path(),
            &["derive", relation, "--facts", "facts.jsonl", "--now", now, "--format", "jsonl"],
            &[],
            "",
        )
        .1
    };
    assert!(at("2026-03-02T04:59:59Z", "raise_alert").contains("[\"watch\", \"late\", 2]"));
    assert_eq!(at("2026-03-02T05:00:00Z", "raise_alert"), "");
    assert!(at("2026-03-02T05:00:00Z", "start_automation").contains("[\"check\", \"m1\"]"));
}

#[test]
fn a_cause_that_was_found_is_a_critical_event_and_in_the_brief() {
    let facts = r#"{"event": ["a", "/mail", "/down", "2026-03-02T05:00:00Z"]}
{"event": ["b", "/web", "/down", "2026-03-02T05:10:00Z"]}
{"event_similarity": ["a", "b", 0.9]}
{"event_similarity": ["b", "old", 0.9]}
{"root_cause": ["old", "disk full", "clean up", "2026-01-02T05:10:00Z"]}
{"root_cause": ["a", "power", "call the office", "2026-03-02T05:20:00Z"]}
"#;
    let folder = folder(&[("hence.toml", "packs = [\"loop\"]\n"), ("facts.jsonl", facts)]);
    let ask = |words: &[&str]| {
        let all = [words, &["--facts", "facts.jsonl", "--now", "2026-03-02T06:00:00Z"]].concat();
        run(folder.path(), &all, &[], "").1
    };
    assert_eq!(
        ask(&["query", "past_cause(\"a\", Other, Cause, _)", "--format", "csv"]),
        "Other,Cause\nold,disk full\n"
    );
    assert!(ask(&["query", "event(\"cause-a\", S, /critical, _)"]).contains("/analysis"));
    assert!(
        section(&ask(&["report", "brief"]), "Patterns and correlations").contains("- power: call the office")
    );
}
