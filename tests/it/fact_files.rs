//! Fact files of every format, good and bad: what is read, and how each fault is told.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use hence::session::{FactFiles, Loader, SessionError, check, read_facts_counted};
use hence_core::diagnostic::Diagnostic;
use hence_core::fact::Fact;
use hence_core::json;
use hence_core::schema::{Column, ColumnType, Kind, NameSet, Relation};
use hence_core::span::{Sources, Span};
use hence_core::symbol::Symbol;
use hence_core::value::{Float, Type, Value};
use hence_ledger::interchange::{FactFile, FactFormat, Schemas, expand, read, read_text};
use proptest::prelude::*;

fn relation(kind: Kind, name: &str, columns: &[(&str, ColumnType)]) -> Relation {
    let columns = columns.iter().map(|(name, ty)| Column::new(*name, ty.clone())).collect();
    Relation {
        name: name.into(),
        kind,
        columns,
        doc: String::new(),
        requires: None,
        authors: None,
        personal: Vec::new(),
        span: Span::default(),
    }
}

fn set(name: Option<&str>, members: &[&str]) -> ColumnType {
    let members = members.iter().map(|member| Symbol::new(member)).collect();
    let set = NameSet { name: name.map(Symbol::new), members };
    ColumnType { ty: Type::Name, set: Some(Arc::new(set)) }
}

pub(crate) fn relations() -> Vec<Relation> {
    let plain = ColumnType::plain;
    vec![
        relation(
            Kind::Input,
            "tool_run",
            &[
                ("run", plain(Type::Int)),
                ("tool", plain(Type::String)),
                ("domain", plain(Type::Name)),
                ("ok", plain(Type::Bool)),
                ("quality", plain(Type::Float)),
                ("latency", plain(Type::Duration)),
                ("at", plain(Type::Time)),
            ],
        ),
        relation(Kind::Input, "count", &[("n", plain(Type::Int))]),
        relation(Kind::Input, "note", &[("text", plain(Type::String))]),
        relation(Kind::Input, "score", &[("value", plain(Type::Float))]),
        relation(Kind::Input, "paused", &[]),
        relation(
            Kind::Input,
            "risk",
            &[
                ("subject", plain(Type::Name)),
                ("level", set(None, &["/low", "/medium", "/high"])),
                ("mode", set(Some("mode"), &["/auto", "/manual"])),
            ],
        ),
        relation(Kind::Derived, "poor", &[("tool", plain(Type::String))]),
        relation(Kind::Decision, "refine", &[("tool", plain(Type::String))]),
    ]
}

/// The facts of a text, as a rule file would hold them.
pub(crate) fn facts(name: &str, text: &str) -> Vec<String> {
    let relations = relations();
    let format = FactFormat::of(Path::new(name)).expect("a format");
    let mut sources = Sources::default();
    match read_text(&mut sources, name, text, format, &Schemas::new(&relations)) {
        Ok(facts) => facts.iter().map(Fact::to_string).collect(),
        Err(unread) => panic!("{}", shown(&sources, unread.faults()).join("\n")),
    }
}

pub(crate) fn shown(sources: &Sources, faults: &[Diagnostic]) -> Vec<String> {
    faults.iter().map(|fault| show(sources, fault)).collect()
}

/// A fault on one line: place, code, message, label, help.
fn show(sources: &Sources, fault: &Diagnostic) -> String {
    let mut out = fault.span().map(|span| format!("{} ", sources.place(span))).unwrap_or_default();
    out += &format!("{}: {}", fault.code, fault.message);
    for label in fault.labels.iter().filter(|label| !label.text.is_empty()) {
        out += &format!(" | {}", label.text);
    }
    fault.notes.iter().for_each(|note| out += &format!(" | note: {note}"));
    fault.help.iter().for_each(|help| out += &format!(" | help: {help}"));
    out
}

/// The faults of a text.
pub(crate) fn faults(name: &str, text: &str) -> Vec<String> {
    let relations = relations();
    let format = FactFormat::of(Path::new(name)).expect("a format");
    let mut sources = Sources::default();
    let read = read_text(&mut sources, name, text, format, &Schemas::new(&relations));
    shown(&sources, read.expect_err("a fault").faults())
}

const RUN: &str = r#"tool_run(1, "web_search", /marketing, true, 0.5, 1s200ms, @2026-02-03T14:23:45Z)"#;

#[test]
fn json_lines_are_read_by_position_and_by_name() {
    let by_position =
        r#"{"tool_run": [1, "web_search", "/marketing", true, 0.5, "1200ms", "2026-02-03T14:23:45Z"]}"#;
    let by_name = r#" {"tool_run":{"at":"2026-02-03T15:23:45+01:00","tool":"web_search","domain":"marketing",
"ok":true,"quality":5e-1,"latency":"1s200ms","run":1}} "#
        .replace('\n', "");
    assert_eq!(facts("a.jsonl", &format!("\u{feff}{by_position}\r\n\n{by_name}")), [RUN, RUN]);
    assert_eq!(facts("a.jsonl", "{\"paused\": []}\n{\"paused\": {}}\n"), ["paused()", "paused()"]);
    assert!(facts("a.jsonl", "").is_empty());
}

#[test]
fn json_strings_have_all_escapes() {
    let text = r#"{"note": ["\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00 plain é"]}"#;
    assert_eq!(facts("a.jsonl", text), ["note(\"\\\"\\\\/\\u{8}\\u{c}\\n\\r\\té😀 plain é\")"]);
}

#[test]
fn json_numbers_are_read_exactly() {
    assert_eq!(facts("a.jsonl", r#"{"count": [-9223372036854775808]}"#), ["count(-9223372036854775808)"]);
    assert_eq!(facts("a.jsonl", r#"{"count": [-0]}"#), ["count(0)"]);
    for (written, read) in [
        ("0.1", "0.1"),
        ("3", "3.0"),
        ("-0.0", "0.0"),
        ("1E+2", "100.0"),
        ("0.30000000000000004e0", "0.30000000000000004"),
        ("2.2250738585072011e-308", "2.225073858507201e-308"),
    ] {
        assert_eq!(facts("a.jsonl", &format!("{{\"score\": [{written}]}}")), [format!("score({read})")]);
    }
}

#[test]
fn csv_names_its_columns_in_any_order() {
    let text = "\u{feff}at,tool,run,ok,domain,latency,quality\r\n2026-02-03T14:23:45Z,web_search,1,true,marketing,1200ms,0.5\r\n\r\n";
    assert_eq!(facts("dir/tool_run.csv", text), [RUN]);
    let tabs = text.replace(',', "\t");
    assert_eq!(facts("tool_run.tsv", &tabs), [RUN]);
    assert!(facts("count.csv", "n\n").is_empty());
}

#[test]
fn csv_fields_stand_in_quotes() {
    let text = "text\n\"a, \"\"b\"\"\nc\"\n\"\"\n\n5\" pipe\n\"\"\"\"\n spaced \n";
    assert_eq!(
        facts("note.csv", text),
        [
            "note(\"a, \\\"b\\\"\\nc\")",
            "note(\"\")",
            "note(\"5\\\" pipe\")",
            "note(\"\\\"\")",
            "note(\" spaced \")"
        ]
    );
    assert_eq!(facts("count.csv", "\"n\"\n\"3\""), ["count(3)"]);
}

#[test]
fn souffle_facts_have_no_header_no_quotes_no_escapes() {
    let text = "1\tweb_search\t/marketing\ttrue\t0.5\t1200ms\t2026-02-03T14:23:45Z\n";
    assert_eq!(facts("tool_run.facts", text), [RUN]);
    assert_eq!(facts("note.facts", "\"a\\n\n\nb"), ["note(\"\\\"a\\\\n\")", "note(\"\")", "note(\"b\")"]);
    assert_eq!(facts("count.facts", "1\r\n2\r\n"), ["count(1)", "count(2)"]);
    assert_eq!(facts("paused.facts", "()\n"), ["paused()"]);
    assert!(facts("paused.facts", "").is_empty());
}

#[cfg(unix)]
#[test]
fn a_folder_stands_for_the_fact_files_directly_in_it() {
    let folder = crate::memory::folder();
    let at = |name: &str| folder.path().join(name);
    for name in ["b.csv", "a.jsonl", "notes.txt", "c.facts", "d.tsv", "a.dl", "e.JSONL"] {
        std::fs::write(at(name), "").expect("a file");
    }
    std::fs::create_dir(at("sub.jsonl")).expect("a folder");
    let expected = vec![
        FactFile::Rules(at("a.dl")),
        FactFile::Data(at("a.jsonl")),
        FactFile::Data(at("b.csv")),
        FactFile::Data(at("c.facts")),
        FactFile::Data(at("d.tsv")),
        // Nearly called like one of facts: whoever reads it is told so.
        FactFile::Data(at("e.JSONL")),
    ];
    assert_eq!(expand(folder.path()), Ok(expected));
    assert_eq!(expand(&at("notes.txt")), Ok(vec![FactFile::Data(at("notes.txt"))]));
    let missing = expand(&at("none")).expect_err("a fault");
    assert!(missing.message.ends_with("there is no such file"));
}

#[test]
fn the_texts_of_good_files_are_not_kept() {
    let folder = crate::memory::folder();
    let path = folder.path().join("count.csv");
    std::fs::write(&path, "n\n1\n").expect("a file");
    let (relations, mut sources) = (relations(), Sources::default());
    let facts = read(&mut sources, &path, &Schemas::new(&relations)).expect("facts");
    assert_eq!(facts, [Fact::new("count", [Value::Int(1)])]);
    assert_eq!(sources.iter().count(), 0);
}

#[test]
fn facts_are_written_with_a_space_behind_colon_and_comma() {
    let fact = Fact::new(
        "usefulness",
        [
            Value::String("web \"search\"\n".into()),
            Value::Name("/marketing".into()),
            Value::Float(Float::new(0.765).expect("finite")),
            Value::Duration(604_800_000_000),
            Value::Time(0),
            Value::Bool(true),
        ],
    );
    assert_eq!(
        json::line(&fact),
        r#"{"usefulness": ["web \"search\"\n", "/marketing", 0.765, "7d", "1970-01-01T00:00:00Z", true]}"#
    );
    assert_eq!(json::line(&Fact::new("paused", [])), r#"{"paused": []}"#);
}

fn values() -> impl Strategy<Value = Vec<Value>> {
    let finite = any::<f64>().prop_filter_map("finite", Float::new);
    let times = -62_135_596_800_000_000i64..253_402_300_799_999_999;
    (any::<i64>(), any::<String>(), "/[a-z][a-z0-9_-]{0,5}", any::<bool>(), finite, any::<i64>(), times)
        .prop_map(|(int, text, name, ok, float, duration, time)| {
            vec![
                Value::Int(int),
                Value::String(Symbol::new(&text)),
                Value::Name(Symbol::new(&name)),
                Value::Bool(ok),
                Value::Float(float),
                Value::Duration(duration),
                Value::Time(time),
            ]
        })
}

proptest! {
    #[test]
    fn what_is_written_reads_back(rows in prop::collection::vec(values(), 0..8)) {
        let relations = relations();
        let (schemas, mut sources) = (Schemas::new(&relations), Sources::default());
        let facts: Vec<_> = rows.iter().map(|row| Fact::new("tool_run", row.clone())).collect();
        let lines: String = facts.iter().map(|fact| json::line(fact) + "\n").collect();
        let mut table = csv::Writer::from_writer(Vec::new());
        table.write_record(relations[0].columns.iter().map(|column| column.name.as_str())).expect("no fault");
        for row in &rows {
            table.write_record(row.iter().map(|value| value.text())).expect("no fault");
        }
        let table = String::from_utf8(table.into_inner().expect("no fault")).expect("UTF-8");
        let read_lines = read_text(&mut sources, "a", &lines, FactFormat::JsonLines, &schemas);
        prop_assert_eq!(read_lines.expect("facts"), facts.clone());
        let read_table = read_text(&mut sources, "tool_run.csv", &table, FactFormat::Csv, &schemas);
        prop_assert_eq!(read_table.expect("facts"), facts);
    }

    #[test]
    fn json_is_what_another_reader_takes_for_json(
        parts in prop::collection::vec(prop_oneof![
            Just("["), Just("]"), Just("{"), Just("}"), Just(","), Just(":"), Just("\"a\""), Just("\"\\u00"),
            Just("41\""), Just("1"), Just("-"), Just("0"), Just("."), Just("e"), Just("+"), Just("true"),
            Just("null"), Just(" "), Just("\\"), Just("\"\\ud83d\\ude00\""), Just("é"), Just("\t"),
        ], 0..9)
    ) {
        let value = parts.concat();
        let line = format!("{{\"note\": [{value}]}}");
        let relations = relations();
        let read = read_text(&mut Sources::default(), "a", &line, FactFormat::JsonLines, &Schemas::new(&relations));
        let malformed = read.is_err_and(|unread| unread.faults().iter().any(|fault| fault.code.0 == "E605"));
        let other = serde_json::from_str::<serde_json::Value>(&line);
        // The other reader refuses numbers beyond a float; here that depends on the column.
        let too_large = other.as_ref().is_err_and(|error| error.to_string().contains("out of range"));
        prop_assert_eq!(malformed, other.is_err() && !too_large, "{}", line);
    }

    #[test]
    fn no_text_makes_a_reader_fail_otherwise_than_by_faults(text in "[\\[\\]{}:,\"\\\\a-c0-9\\n\\r\\t é()._-]{0,60}") {
        let relations = relations();
        for name in ["a.jsonl", "note.csv", "risk.tsv", "count.facts", "paused.facts"] {
            let mut sources = Sources::default();
            let format = FactFormat::of(Path::new(name)).expect("a format");
            if let Err(unread) = read_text(&mut sources, name, &text, format, &Schemas::new(&relations)) {
                let faults = unread.faults();
                prop_assert!(!faults.is_empty());
                for label in faults.iter().flat_map(|fault| &fault.labels) {
                    prop_assert!(text.is_char_boundary(label.span.start as usize), "{:?}", label);
                    prop_assert!(text.is_char_boundary(label.span.end as usize), "{:?}", label);
                }
            }
        }
    }
}

#[test]
fn json_lines_of_any_length_are_read_in_parts() {
    let mut loader = Loader::default();
    loader.text("notes.dl", "## A note.\ninput note(number: int, text: string).\n");
    let rules = check(loader.finish(), &[]).rules.expect("rules without faults");
    let folder = crate::memory::folder();
    let path = folder.path().join("notes.jsonl");
    let long = "x".repeat(200_000);
    let mut file = std::io::BufWriter::new(std::fs::File::create(&path).expect("a file"));
    for number in 0..340 {
        writeln!(file, "{{\"note\": [{number}, \"{long}\"]}}").expect("written");
    }
    file.flush().expect("written");
    assert!(file.get_ref().metadata().expect("its length").len() > 64 << 20);
    let files = FactFiles::of(vec![path.clone()]);
    let mut counts = Vec::new();
    let facts = read_facts_counted(&rules, &files, &mut |count| counts.push(count)).expect("facts");
    assert_eq!(facts.len(), 340);
    assert_eq!(facts[339].values[0], Value::Int(339));
    assert!(counts.len() > 10 && counts.is_sorted() && counts.last() == Some(&340), "{counts:?}");

    writeln!(file, "{{\"note\": [\"no number\", \"\"]}}").and_then(|()| file.flush()).expect("written");
    let Err(SessionError::Faults(faults)) = read_facts_counted(&rules, &files, &mut |_| {}) else {
        panic!("a fault in the last part wasn't told")
    };
    let [fault] = faults.diagnostics.as_slice() else { panic!("{:?}", faults.diagnostics) };
    assert_eq!(fault.message, "expected an int, found the string `\"no number\"`");
    let place = fault.labels.first().expect("a place").span;
    assert_eq!(faults.sources.place(place).to_string(), format!("{}:341:11", path.display()));
}

/// A line with a note, by its number and its text.
type Line = fn(usize, &str) -> String;

#[test]
fn large_files_are_read_on_several_threads_as_on_one() {
    let mut loader = Loader::default();
    loader.text("notes.dl", "## A note.\ninput note(number: int, text: string).\n");
    let rules = check(loader.finish(), &[]).rules.expect("rules without faults");
    let folder = crate::memory::folder();
    let json = |number: usize, text: &str| format!("{{\"note\": [{number}, \"{text}\"]}}");
    let forms: [(&str, &str, Line); 5] = [
        ("note.jsonl", "", json),
        ("note.csv", "text,number\n", |number, text| format!("{text},{number}")),
        ("note.tsv", "number\ttext\n", |number, text| format!("{number}\t\"{text}\n\"")),
        ("note.facts", "", |number, text| format!("{number}\t{text}")),
        ("plain.jsonl", "", |number, text| {
            format!("{{\"note\": {{\"text\": \"{text}\", \"number\": {number}}}}}")
        }),
    ];
    let faulty = [
        (30_000, "\u{feff}"),
        (20_000, "{\"nota\": [1, \"\"]}"),
        (50_000, "{\"nota\": [1, \"\"]}"),
        (50_001, "x"),
    ];
    for (name, header, line) in forms {
        for faults in [&faulty[..0], &faulty[..1], &faulty[..]] {
            let path = folder.path().join(name);
            let mut text = String::from(header);
            for number in 0..60_000 {
                text += &line(number, &format!("{} é", number.to_string().repeat(16)));
                text += "\n";
                for (_, bad) in faults.iter().filter(|(at, _)| *at == number) {
                    text += bad;
                    text += "\n";
                }
            }
            std::fs::write(&path, &text).expect("written");
            let on = |threads| {
                let files = FactFiles::of(vec![path.clone()]).on(threads);
                let read = read_facts_counted(&rules, &files, &mut |_| {});
                read.map_err(|error| match error {
                    SessionError::Faults(faults) => faults
                        .diagnostics
                        .iter()
                        .map(|fault| {
                            let places: Vec<_> = fault
                                .labels
                                .iter()
                                .map(|label| faults.sources.place(label.span).to_string())
                                .collect();
                            format!("{}: {places:?}", fault.message)
                        })
                        .collect::<Vec<_>>(),
                    other => vec![other.to_string()],
                })
            };
            let alone = on(1);
            assert_eq!(alone.is_err(), !faults.is_empty(), "{name}");
            for threads in [2, 3, 8] {
                assert_eq!(alone, on(threads), "{name} on {threads} threads");
            }
        }
    }
}
