//! The log of decisions in a folder: the same events however often it was interrupted, and nothing that is masked.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value as Json;

use super::settings::{Ran, folder, run};

const RULES: &str = "\
## A number.
input n(x: int, name: string).
## A large one.
decision big(x: int, name: string).
@because(\"{Name} is {X}\")
big(X, Name) :- n(X, Name), X > 2.
";
const SETTINGS: &str =
    "rules = [\"rules.dl\"]\nauthor = \"ada\"\n[record]\nunchanged = true\n[export]\nmask = [\"big.name\"]\n";

fn said(at: &Path, args: &[&str]) -> String {
    let Ran(status, out, err) = run(at, args, &[], "");
    assert_eq!(status, 0, "{args:?}: {out}{err}");
    out
}

/// A ledger in which decisions came, went, and stayed.
fn project() -> tempfile::TempDir {
    let project = folder(&[("rules.dl", RULES), ("hence.toml", SETTINGS)]);
    let at = project.path();
    for x in 0..7 {
        said(at, &["assert", &format!("n({x}, \"secret {x}\")")]);
        said(at, &["decide", "--now", &format!("2026-02-03T12:00:0{x}Z")]);
    }
    said(at, &["retract", "n(4, \"secret 4\")"]);
    said(at, &["decide", "--now", "2026-02-03T13:00:00Z"]);
    project
}

/// The files of a folder.
fn files(at: &Path) -> BTreeMap<String, String> {
    let read = |entry: fs::DirEntry| {
        (entry.file_name().into_string().unwrap(), fs::read_to_string(entry.path()).unwrap())
    };
    fs::read_dir(at).unwrap().map(|entry| read(entry.unwrap())).collect()
}

#[test]
fn a_folder_holds_every_event_once_however_often_the_export_was_interrupted() {
    let project = project();
    let at = project.path();
    let export = ["export", "--format", "decisions"];
    let whole = said(at, &export);
    assert_eq!(whole.lines().count(), 3 + 4 + 1, "{whole}");
    assert!(!whole.contains("secret"), "{whole}");
    let ship = [&export[..], &["--output", "log", "--batch", "3"]].concat();
    said(at, &ship);
    let shipped = files(&at.join("log"));
    let events = |files: &BTreeMap<String, String>| {
        let named = files.iter().filter(|(name, _)| name.starts_with("decisions-"));
        named.map(|(_, text)| text.as_str()).collect::<String>()
    };
    assert_eq!(events(&shipped), whole);
    // As if each batch had got its name and the cursor had not moved; half a batch lies there too.
    for tx in [0, 3, 6, 9] {
        let cursor = at.join("log/cursor.json");
        if tx == 0 {
            fs::remove_file(&cursor).unwrap();
        } else {
            let log =
                said(at, &["log", "--format", "jsonl", "--from", &tx.to_string(), "--to", &tx.to_string()]);
            let head = serde_json::from_str::<Json>(&log).unwrap()["head"].clone();
            let text = format!("{{\"format\":\"jsonl\",\"transaction\":{tx},\"head\":{head}}}\n");
            fs::write(&cursor, text).unwrap();
        }
        fs::write(at.join("log/.decisions-00000001.jsonl.hence-2147483647"), "{\"ev").unwrap();
        said(at, &ship);
        let mut again = files(&at.join("log"));
        if tx > 0 {
            again.remove(".decisions-00000001.jsonl.hence-2147483647");
        }
        assert_eq!(again, shipped, "after {tx}");
    }
    said(at, &["assert", "n(9, \"secret 9\")"]);
    said(at, &["decide", "--now", "2026-02-03T14:00:00Z"]);
    said(at, &ship);
    assert_eq!(events(&files(&at.join("log"))), said(at, &export));
}

#[test]
fn requests_of_open_telemetry_hold_the_same_events() {
    let project = project();
    let at = project.path();
    let lines = said(at, &["export", "--format", "decisions"]);
    let requests = said(at, &["export", "--format", "otlp"]);
    let mut records = Vec::new();
    for request in requests.lines() {
        let request: Json = serde_json::from_str(request).unwrap();
        records.extend(request["resourceLogs"][0]["scopeLogs"][0]["logRecords"].as_array().unwrap().clone());
    }
    let events: Vec<Json> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(records.len(), events.len());
    for (record, event) in records.iter().zip(&events) {
        let name = format!("hence.decision.{}", event["event"].as_str().unwrap());
        assert_eq!(record["eventName"], name.as_str());
        let held = |key: &str| {
            let all = record["attributes"].as_array().unwrap();
            all.iter().find(|one| one["key"] == key).map(|one| one["value"].clone())
        };
        assert_eq!(held("hence.head").unwrap()["stringValue"], event["head"]);
        assert_eq!(held("hence.transaction").unwrap()["intValue"], event["transaction"].to_string().as_str());
        assert_eq!(
            held("hence.decision.id").map(|id| id["stringValue"].clone()),
            event["id"].as_str().map(Json::from)
        );
    }
    assert!(!requests.contains("secret"));
}

/// The rows of a Parquet file as the lines of the log have them: texts, numbers, JSON, instants in microseconds.
#[cfg(feature = "parquet")]
fn rows(path: &Path) -> Vec<Json> {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;
    let reader = SerializedFileReader::new(fs::File::open(path).unwrap()).unwrap();
    let column = |(name, field): (&String, &Field)| {
        let value = match field {
            Field::Null => Json::Null,
            Field::Str(text) if name == "values" => serde_json::from_str(text).unwrap(),
            Field::Str(text) => Json::from(text.as_str()),
            Field::Long(number) => Json::from(*number),
            Field::TimestampMicros(micros) => Json::from(hence_core::literal::time_text(*micros)),
            other => panic!("{name}: {other:?}"),
        };
        (name.clone(), value)
    };
    let all = reader.get_row_iter(None).unwrap();
    all.map(|row| Json::Object(row.unwrap().get_column_iter().map(column).collect())).collect()
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_holds_the_events_that_the_lines_hold() {
    let project = project();
    let at = project.path();
    let lines = said(at, &["export", "--format", "decisions"]);
    let lines: Vec<Json> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    said(at, &["export", "--format", "parquet", "--output", "log.parquet"]);
    assert_eq!(rows(&at.join("log.parquet")), lines);
    let batches = ["export", "--format", "parquet", "--output", "log", "--batch", "3"];
    said(at, &batches);
    said(at, &batches);
    let files = fs::read_dir(at.join("log")).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> =
        files.filter(|path| path.extension().is_some_and(|end| end == "parquet")).collect();
    files.sort();
    assert_eq!(files.iter().flat_map(|path| rows(path)).collect::<Vec<_>>(), lines);
    let Ran(status, _, refused) = run(at, &["export", "--format", "parquet"], &[], "");
    assert!(status == 2 && refused.contains("name a file or a folder with --output"), "{refused}");
}
