//! Faulty fact files of every format: how each fault is told, and where.

use std::path::Path;

use hence_core::span::Sources;
use hence_ledger::interchange::{FactFile, Schemas, expand, read};

use crate::fact_files::{facts, faults, relations, shown};

#[track_caller]
fn fault(name: &str, text: &str, expected: &str) {
    assert_eq!(faults(name, text), [expected]);
}

#[test]
fn a_value_of_another_type_is_told_with_its_place_and_the_way_out() {
    let place = "a.jsonl:1:12";
    let label = "column `n: int` of `count`";
    for (value, told) in [
        ("3.0", "expected an int, found the float `3.0` | LABEL | help: write `3`"),
        ("1e3", "expected an int, found the float `1e3` | LABEL | help: write `1000`"),
        (
            "2.5",
            "expected an int, found the float `2.5` | LABEL | help: declare the column `float`, or round the number first",
        ),
        ("\"3\"", "expected an int, found the string `\"3\"` | LABEL | help: write `3` without quotes"),
        ("\"three\"", "expected an int, found the string `\"three\"` | LABEL"),
        ("true", "expected an int, found `true` | LABEL"),
        (
            "null",
            "expected an int, found `null` | LABEL | help: a fact has a value in every column; remove the line",
        ),
        ("[1]", "expected an int, found a list | LABEL"),
        ("{\"a\": [{}, 1]}", "expected an int, found an object | LABEL"),
    ] {
        let told = told.replace("LABEL", label);
        fault("a.jsonl", &format!("{{\"count\": [{value}]}}"), &format!("{place} E613: {told}"));
    }
}

#[test]
fn every_column_of_a_line_is_checked() {
    let line = r#"{"tool_run": ["1", 2, "A b", 1, "x", 7, "yesterday"]}"#;
    assert_eq!(
        faults("a.jsonl", &format!("\n{line}\n")),
        [
            "a.jsonl:2:15 E613: expected an int, found the string `\"1\"` | column `run: int` of `tool_run` | help: write `1` without quotes",
            "a.jsonl:2:20 E613: expected a string, found the int `2` | column `tool: string` of `tool_run` | help: write `\"2\"`",
            "a.jsonl:2:23 E613: expected a name, found the string `\"A b\"` | column `domain: name` of `tool_run` | help: `/a_b` is a name",
            "a.jsonl:2:30 E613: expected a bool, found the int `1` | column `ok: bool` of `tool_run` | help: a bool is `true` or `false`",
            "a.jsonl:2:33 E613: expected a float, found the string `\"x\"` | column `quality: float` of `tool_run`",
            "a.jsonl:2:38 E613: expected a duration, found the int `7` | column `latency: duration` of `tool_run` | help: a duration has units `w d h m s ms us`: `7d`, `1h30m`, `1200ms`",
            "a.jsonl:2:41 E613: expected a time, found the string `\"yesterday\"` | column `at: time` of `tool_run` | help: write a time as RFC 3339, to the microsecond: `2026-02-03T14:23:45Z`",
        ]
    );
}

#[test]
fn numbers_beyond_their_type_are_told() {
    fault(
        "a.jsonl",
        r#"{"count": [9223372036854775808]}"#,
        "a.jsonl:1:12 E614: `9223372036854775808` is beyond the range of `int` | column `n: int` of `count` | note: an int is from -9223372036854775808 to 9223372036854775807",
    );
    fault(
        "a.jsonl",
        r#"{"score": [1e400]}"#,
        "a.jsonl:1:12 E614: `1e400` is beyond the range of `float` | column `value: float` of `score` | note: a float is at most 1.7976931348623157e308",
    );
}

#[test]
fn closed_sets_admit_their_members_alone() {
    assert_eq!(
        facts("a.jsonl", r#"{"risk": ["/deploy", "high", "/auto"]}"#),
        ["risk(/deploy, /high, /auto)"]
    );
    assert_eq!(
        faults("a.jsonl", r#"{"risk": ["deploy", "hihg", "/never"]}"#),
        [
            "a.jsonl:1:21 E615: `/hihg` is not in `/low | /medium | /high` | column `level: /low | /medium | /high` of `risk` | help: did you mean `/high`?",
            "a.jsonl:1:29 E615: `/never` is not in `mode` | column `mode: mode` of `risk` | note: `mode` is `/auto | /manual`",
        ]
    );
    fault(
        "a.jsonl",
        r#"{"risk": ["deploy", "low", "AUTO!"]}"#,
        "a.jsonl:1:28 E613: expected a name of `mode`, found the string `\"AUTO!\"` | column `mode: mode` of `risk` | help: a name is `/` and lower-case words: `/error/syntax`",
    );
}

#[test]
fn relations_that_cannot_be_asserted_are_told_once() {
    assert_eq!(
        faults("a.jsonl", "{\"tool_rum\": [1]}\n{\"tool_rum\": [2]}\n{\"poor\": [\"x\"]}\n{\"zzz\": {}}"),
        [
            "a.jsonl:1:2 E607: unknown relation `tool_rum` | help: did you mean `tool_run`?",
            "a.jsonl:3:2 E608: `poor` is derived, not an input | note: its facts follow from rules; it is declared `relation` | help: assert facts of the inputs that derive `poor`",
            "a.jsonl:4:2 E607: unknown relation `zzz` | help: declare it in a rule file: `input NAME(column: type, …).`",
        ]
    );
}

#[test]
fn columns_by_name_are_all_there_and_once() {
    assert_eq!(
        faults("a.jsonl", r#"{"risk": {"subject": "a", "levle": "low", "subject": "b", "mode": "auto"}}"#),
        [
            "a.jsonl:1:27 E610: `risk` has no column `levle` | help: did you mean `level`?",
            "a.jsonl:1:43 E612: duplicate column `subject` of `risk` | help: keep one of them",
            "a.jsonl:1:10 E611: missing column `level: /low | /medium | /high` of `risk` | note: the relation is `risk(subject: name, level: /low | /medium | /high, mode: mode)`",
        ]
    );
    fault(
        "a.jsonl",
        r#"{"count": {}}"#,
        "a.jsonl:1:11 E611: missing column `n: int` of `count` | note: the relation is `count(n: int)`",
    );
}

#[test]
fn columns_by_position_are_counted() {
    let note = "note: the relation is `count(n: int)`";
    fault(
        "a.jsonl",
        r#"{"count": [1, 2]}"#,
        &format!("a.jsonl:1:11 E609: expected 1 column for `count`, found 2 | {note}"),
    );
    fault(
        "a.jsonl",
        r#"{"count": []}"#,
        &format!("a.jsonl:1:11 E609: expected 1 column for `count`, found 0 | {note}"),
    );
}

#[test]
fn lines_that_are_no_json_are_told_where_they_break() {
    let fact = r#"{"tool_run": [1, "tool", "/domain", true, 0.5, "5s", "2026-02-09T09:00:00Z"]}"#;
    assert_eq!(facts("a.jsonl", fact).len(), 1, "what a help says is right");
    let example = format!("help: write a fact on one line: `{fact}`");
    for (line, told) in [
        ("[1, 2]", format!("1:1 E605: expected `{{`, found `[` | {example}")),
        ("{", "1:2 E605: expected a string, found the end of the line".into()),
        ("{\"count\" [1]}", "1:10 E605: expected `:`, found `[`".into()),
        (
            "{\"count\": 1}",
            format!("1:11 E605: expected a list or an object of columns, found the int `1` | {example}"),
        ),
        ("{\"count\": [1 2]}", "1:14 E605: expected `,` or `]`, found `2`".into()),
        ("{\"count\": [1,]}", "1:14 E605: expected a value, found `]`".into()),
        ("{\"count\": [1]", "1:14 E605: expected `}`, found the end of the line".into()),
        ("{\"count\": [1]} x", "1:16 E605: expected the end of the line, found `x`".into()),
        (
            "{\"count\": [1], \"score\": [1.0]}",
            "1:14 E605: expected `}`, found `,` | help: write one fact per line: start a new line, `{`"
                .into(),
        ),
        (
            "{\"count\": [01]}",
            "1:12 E605: `01` is not a JSON value | help: a number is written like `42`, `-0.5` or `1e-3`"
                .into(),
        ),
        ("{\"count\": [True]}", "1:12 E605: `True` is not a JSON value | help: write `true`".into()),
        (
            "{\"score\": [NaN]}",
            "1:12 E605: `NaN` is not a JSON value | help: a float is finite; remove the line".into(),
        ),
        (
            "{\"note\": [abc]}",
            "1:11 E605: `abc` is not a JSON value | help: write a string in quotes: `\"abc\"`".into(),
        ),
        ("{\"note\": [\"abc]}", "1:11 E605: unterminated string".into()),
        ("{\"note\": [\"a\\x\"]}", "1:13 E605: `\\x` is not a JSON escape".into()),
        ("{\"note\": [\"\\ud800\"]}", "1:12 E605: `\\ud800` is not a JSON escape".into()),
        (
            "{\"note\": [\"a\u{0}\"]}",
            "1:13 E605: a control character in a string | help: write it as an escape: `\\t`, `\\u0000`"
                .into(),
        ),
    ] {
        fault("a.jsonl", line, &format!("a.jsonl:{told}"));
    }
}

#[test]
fn json_nests_to_a_bound() {
    let nested = |depth: usize| format!("{{\"count\": [{}1{}]}}", "[".repeat(depth), "]".repeat(depth));
    assert!(faults("a.jsonl", &nested(254))[0].contains("E613"));
    assert_eq!(
        faults("a.jsonl", &nested(255)),
        ["a.jsonl:1:266 E606: JSON is nested more than 256 levels deep"]
    );
    assert!(faults("a.jsonl", &nested(1_000_000))[0].contains("E606"));
    let unknown = format!("{{\"xyz\": {}", "{\"a\": [".repeat(100_000));
    assert!(faults("a.jsonl", &unknown)[1].contains("E606"));
}

#[test]
fn headers_are_checked_before_the_rows() {
    let note = "note: the relation is `risk(subject: name, level: /low | /medium | /high, mode: mode)`";
    let help = "help: name the columns in the first line, in any order: `subject,level,mode`";
    let mapped = "help: if `levle` has the value of `level`, map it in hence.toml: `[facts]`, `risk = { file = \"risk.csv\", columns = { level = \"levle\" } }`";
    assert_eq!(
        faults("risk.csv", "subject,levle,subject\nx,y,z\n"),
        [
            "risk.csv:1:9 E610: `risk` has no column `levle` | help: did you mean `level`?".to_owned(),
            "risk.csv:1:15 E612: duplicate column `subject` of `risk` | help: keep one of them".to_owned(),
            format!(
                "risk.csv:1:1 E611: missing columns `level: /low | /medium | /high`, `mode: mode` of `risk` | {note} | {help} | {mapped}"
            ),
        ]
    );
    assert!(
        faults("count.csv", "")[0]
            .starts_with("count.csv:1:1 E611: missing column `n: int` of `count` | the file is empty")
    );
    assert!(faults("paused.csv", "x\n")[0].contains("E609: `paused` has no columns"));
    assert_eq!(
        faults("counts.csv", "n\n1\n"),
        [
            "counts.csv:1:1 E607: unknown relation `counts` | the file's name is its relation | help: rename the file, or name its relation: `--facts count=counts.csv`"
        ]
    );
}

#[test]
fn fields_of_tables_are_told_with_their_place() {
    assert_eq!(
        faults("risk.csv", "mode,subject,level\nauto,a\nauto,\"b\",hgih\nauto,,low\n"),
        [
            "risk.csv:2:1 E609: expected 3 columns for `risk`, found 2 | note: the relation is `risk(subject: name, level: /low | /medium | /high, mode: mode)`",
            "risk.csv:3:10 E615: `/hgih` is not in `/low | /medium | /high` | column `level: /low | /medium | /high` of `risk` | help: did you mean `/high`?",
            "risk.csv:4:6 E613: expected a name, found an empty field | column `subject: name` of `risk` | help: a name is `/` and lower-case words: `/error/syntax`",
        ]
    );
    assert_eq!(
        faults("count.facts", "1\nx\n 2\n2.0\n1_000\n"),
        [
            "count.facts:2:1 E613: expected an int, found `x` | column `n: int` of `count`",
            "count.facts:3:1 E613: expected an int, found ` 2` | column `n: int` of `count` | help: remove the white space around it",
            "count.facts:4:1 E613: expected an int, found the float `2.0` | column `n: int` of `count` | help: write `2`",
            "count.facts:5:1 E613: expected an int, found `1_000` | column `n: int` of `count`",
        ]
    );
}

#[test]
fn quotes_that_do_not_fit_are_told() {
    fault("note.csv", "text\n\"abc\nd\n", "note.csv:2:1 E605: unterminated quoted field | it starts here");
    assert_eq!(
        faults("note.csv", "text\n\"abc\"d\n1,2\n"),
        [
            "note.csv:2:6 E605: text after the closing quote of a field | help: quote the whole field and write `\"\"` for a quote in it",
            "note.csv:3:1 E609: expected 1 column for `note`, found 2 | note: the relation is `note(text: string)`",
        ]
    );
}

#[test]
fn the_first_hundred_faults_are_shown() {
    let text = "{\"count\": [true]}\n".repeat(1000);
    let told = faults("a.jsonl", &text);
    assert_eq!(told.len(), 101);
    assert_eq!(told[100], "a.jsonl:101:12 E616: 900 more errors in this file | the next one");
}

#[test]
fn columns_count_characters_not_bytes() {
    fault(
        "a.jsonl",
        "{\"note\": [\"é😀\", 1]}",
        "a.jsonl:1:10 E609: expected 1 column for `note`, found 2 | note: the relation is `note(text: string)`",
    );
    assert!(faults("risk.csv", "subject,level,mode\né,x\n")[0].starts_with("risk.csv:2:1 E609"));
    assert!(faults("risk.facts", "é\tlow\tx")[1].starts_with("risk.facts:1:7 E615"));
}

/// The faults of a file on disk.
fn file_faults(path: &Path) -> Vec<String> {
    let relations = relations();
    let mut sources = Sources::default();
    let unread = read(&mut sources, path, &Schemas::new(&relations)).expect_err("a fault");
    let folder = format!("{}/", path.parent().expect("a folder").display());
    shown(&sources, unread.faults()).into_iter().map(|fault| fault.replace(&folder, "")).collect()
}

#[test]
fn files_that_cannot_be_read_say_why() {
    let folder = crate::memory::folder();
    let at = |name: &str| folder.path().join(name);
    assert_eq!(file_faults(&at("none.jsonl")), ["E601: `none.jsonl` can't be read: there is no such file"]);
    std::fs::create_dir(at("sub.csv")).expect("a folder");
    assert_eq!(file_faults(&at("sub.csv")), ["E601: `sub.csv` can't be read: it is a folder"]);
    std::fs::write(at("x.json"), "").expect("a file");
    assert!(
        file_faults(&at("x.json"))[0].ends_with("help: if each line is a JSON object, rename it to `.jsonl`")
    );
    std::fs::write(at("bad.jsonl"), b"{\"paused\": []}\n{\"note\": [\"caf\xe9\"]}\n").expect("a file");
    assert_eq!(
        file_faults(&at("bad.jsonl")),
        [
            "bad.jsonl:2:15 E603: `bad.jsonl` is not UTF-8 | the byte `0xe9` | help: convert it: `iconv -f ISO-8859-1 -t UTF-8 bad.jsonl`"
        ]
    );
    let large = std::fs::File::create(at("large.jsonl")).expect("a file");
    large.set_len((64 << 20) + 1).expect("a sparse file");
    assert_eq!(
        file_faults(&at("large.jsonl")),
        [
            "E602: `large.jsonl` is larger than 64 MiB | help: split it into several files and name their folder"
        ]
    );
}

#[test]
fn a_link_to_nothing_is_told() {
    let folder = crate::memory::folder();
    let path = folder.path().join("gone.jsonl");
    std::os::unix::fs::symlink("nowhere", &path).expect("a link");
    assert_eq!(file_faults(&path), ["E601: `gone.jsonl` can't be read: it is a broken link"]);
    assert_eq!(expand(folder.path()), Ok(vec![FactFile::Data(path)]));
}
