//! What a command may take: memory of everything it does, time of everything it does, and files that end.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value as Json;

use super::command;

/// Nothing here takes so long, on however slow a machine.
const PATIENCE: Duration = Duration::from_secs(120);

const RULES: &str = "\
## Something counted.
input n(k: int, text: string).
## Pairs of them.
relation pair(a: int, b: int).
pair(A, B) :- n(A, _), n(B, _).
## All of them in one text.
relation joined(text: string).
joined(join(S, \",\")) :- pair(A, B), S = format(\"{A} and {B}\").
## Each one.
decision each(k: int).
@because(\"{K} is there\")
each(K) :- n(K, _).
";

/// Rules that don't end.
const LONG: &str = "\
## A text twice as long as the one before.
relation long(text: string).
long(T) :- n(_, T).
long(U) :- long(T), U = concat(T, T).
";

/// A folder with `rules.dl` and so many facts in `facts.jsonl`.
fn folder(facts: usize) -> tempfile::TempDir {
    let folder = crate::memory::folder();
    fs::write(folder.path().join("rules.dl"), RULES).unwrap();
    fs::write(folder.path().join("facts.jsonl"), lines(facts)).unwrap();
    folder
}

fn lines(facts: usize) -> String {
    (0..facts).map(|k| format!("{{\"n\": [{k}, \"the text of number {k}\"]}}\n")).collect()
}

/// What came of a command.
struct Ran {
    status: Option<i32>,
    told: String,
    printed: String,
    took: Duration,
    /// The most memory that it was seen to have, in MiB.
    peak: u64,
}

fn hence(folder: &Path, args: &[&str]) -> Command {
    let mut command = command::hence(folder, args);
    command.stdin(Stdio::null());
    command
}

fn run(folder: &Path, args: &[&str]) -> Ran {
    watched(&mut hence(folder, args))
}

/// Runs a command to its end; one that doesn't come to it is killed, and has no status.
fn watched(command: &mut Command) -> Ran {
    let begun = Instant::now();
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (out, err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let out = thread::spawn(|| std::io::read_to_string(out).unwrap());
    let err = thread::spawn(|| std::io::read_to_string(err).unwrap());
    let mut peak = 0;
    let status = loop {
        peak = peak.max(held(&child));
        if let Some(status) = child.try_wait().unwrap() {
            break status.code();
        }
        if begun.elapsed() > PATIENCE {
            child.kill().unwrap();
            child.wait().unwrap();
            break None;
        }
        thread::sleep(Duration::from_millis(2));
    };
    let took = begun.elapsed();
    Ran { status, told: err.join().unwrap(), printed: out.join().unwrap(), took, peak }
}

fn held(child: &Child) -> u64 {
    let text = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    line.map_or(0, |line| line.trim().split(' ').next().unwrap().parse::<u64>().unwrap() / 1024)
}

impl Ran {
    /// It stopped at the memory limit, in time.
    fn stopped_at(&self, mebibytes: u64) {
        assert_eq!(self.status, Some(3), "{}", self.told);
        let expected = format!("the memory limit of {mebibytes} MiB was reached while ");
        assert!(self.told.contains(&expected), "{}", self.told);
        assert!(self.peak < mebibytes * 5 / 2, "a peak of {} MiB", self.peak);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn memory_is_that_of_everything() {
    let folder = folder(60_000);
    let at = folder.path();
    let loading = run(at, &["decide", "--facts", "facts.jsonl", "--rules", "rules.dl", "--max-memory", "20"]);
    loading.stopped_at(20);
    assert!(
        !at.join(".hence").exists() || run(at, &["log"]).printed.trim().is_empty(),
        "something is recorded"
    );
    fs::write(at.join("few.jsonl"), lines(3_000)).unwrap();
    fs::write(at.join("rules.dl"), format!("{RULES}{LONG}")).unwrap();
    for relation in ["pair", "joined", "long"] {
        for engine in ["embedded", "naive"] {
            run(
                at,
                &[
                    "derive",
                    relation,
                    "--facts",
                    "few.jsonl",
                    "--rules",
                    "rules.dl",
                    "--max-memory",
                    "60",
                    "--engine",
                    engine,
                ],
            )
            .stopped_at(60);
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_ledger_is_read_under_the_limit_on_memory() {
    let folder = folder(60_000);
    let at = folder.path();
    let asserted = run(at, &["assert", "--facts", "facts.jsonl", "--rules", "rules.dl"]);
    assert_eq!(asserted.status, Some(0), "{}", asserted.told);
    for command in [
        &["derive", "each", "--rules", "rules.dl", "--max-memory", "12"][..],
        &["decide", "--rules", "rules.dl", "--max-memory", "12"],
        &["what-if", "--assert", "n(1, \"a\")", "--base", "rules.dl", "--max-memory", "12"],
    ] {
        run(at, command).stopped_at(12);
    }
    let facts = watched(hence(at, &["facts", "n"]).env("HENCE_MAX_MEMORY", "12"));
    facts.stopped_at(12);
    assert_eq!(run(at, &["export"]).printed.lines().count(), 1);
}

/// What personal values are recorded as takes room in what is written, and nowhere else.
#[cfg(target_os = "linux")]
#[test]
fn personal_facts_take_little_more_memory_than_others() {
    let rules = RULES.replace("n(k: int, text: string)", "n(k: int, text: string @personal(k))");
    let rules = rules.split("## Pairs").next().unwrap().to_owned();
    let peak = |rules: &str| {
        let folder = folder(0);
        fs::write(folder.path().join("rules.dl"), rules).unwrap();
        let line = |k: usize| format!("{{\"n\": [{}, \"the text of number {k}\"]}}\n", k % 1_000);
        fs::write(folder.path().join("facts.jsonl"), (0..100_000).map(line).collect::<String>()).unwrap();
        let ran = run(folder.path(), &["assert", "--facts", "facts.jsonl", "--rules", "rules.dl"]);
        assert_eq!(ran.status, Some(0), "{}", ran.told);
        ran.peak
    };
    let (personal, plain) = (peak(&rules), peak(&rules.replace(" @personal(k)", "")));
    println!("personal {personal} MiB, plain {plain} MiB");
    // How much of its log the base still holds varies with the machine's load: between 20 and 40 MiB.
    assert!(personal < plain + 56, "{personal} MiB, and {plain} MiB without personal values");
}

#[cfg(target_os = "linux")]
#[test]
fn a_list_of_many_rows_is_written_row_by_row() {
    let folder = folder(0);
    let rules = "input e(k: int).\n## Both.\nrelation both(a: int, b: int).\nboth(A, B) :- e(A), e(B).\n";
    fs::write(folder.path().join("rules.dl"), rules).unwrap();
    let facts: String = (0..300).map(|k| format!("{{\"e\": [{k}]}}\n")).collect();
    fs::write(folder.path().join("facts.jsonl"), facts).unwrap();
    let derive = |more: &[&str]| {
        let words = ["derive", "both", "--facts", "facts.jsonl", "--rules", "rules.dl", "--format"];
        run(folder.path(), &[&words[..], more].concat())
    };
    let (lines, list) = (derive(&["jsonl"]), derive(&["json"]));
    assert_eq!((lines.status, list.status), (Some(0), Some(0)), "{}{}", lines.told, list.told);
    let rows: Vec<Json> = serde_json::from_str(&list.printed).unwrap();
    assert!(rows.len() == 90_000);
    assert!(rows.iter().zip(lines.printed.lines()).all(|(row, line)| *row == line.parse::<Json>().unwrap()));
    assert_eq!(list.printed, format!("{:#}\n", Json::Array(rows)));
    assert!(list.peak < lines.peak + 16, "{} MiB, and {} MiB as lines", list.peak, lines.peak);
    let table = derive(&["table", "--max-memory", "40"]);
    table.stopped_at(40);
    assert!(table.told.contains("while writing a table"), "{}", table.told);
    assert!(table.told.contains("`--format jsonl` or `csv` takes less"), "{}", table.told);
}

/// Feeds a command its standard input.
fn fed(command: &mut Command, input: &str) -> Ran {
    let path = tempfile::NamedTempFile::new().unwrap();
    path.as_file().write_all(input.as_bytes()).unwrap();
    watched(command.stdin(fs::File::open(path.path()).unwrap()))
}

#[cfg(target_os = "linux")]
#[test]
fn a_batch_without_end_is_an_error_and_the_session_goes_on() {
    let folder = folder(0);
    let args = ["decide", "--follow", "--batch", "--rules", "rules.dl", "--max-memory", "40"];
    let input = format!("{}\n{{\"n\": [1, \"a\"]}}\n", lines(300_000));
    let ran = fed(&mut hence(folder.path(), &args), &input);
    assert!(ran.peak < 100, "a peak of {} MiB", ran.peak);
    let answers: Vec<&str> = ran.printed.lines().collect();
    assert!(answers[0].starts_with("{\"change\": \"error\", \"line\": 1,"), "{}", answers[0]);
    // What the facts take depends on the build: the limit on memory is reached first, or the one on the bytes of a batch.
    let status = if answers[0].contains("the memory limit of 40 MiB was reached while reading facts") {
        3
    } else {
        assert!(answers[0].contains("exceed 5242880 bytes, an eighth of --max-memory"), "{}", answers[0]);
        2
    };
    assert_eq!(ran.status, Some(status), "{}", ran.told);
    assert!(answers.last().unwrap().contains("\"line\": 300002, \"tx\": 1"), "{answers:?}");
}

#[test]
fn time_is_that_of_everything() {
    let folder = folder(10);
    // Standard input that nobody ends.
    let mut command =
        hence(folder.path(), &["derive", "--facts", "-", "--rules", "rules.dl", "--timeout", "300ms"]);
    let ran = watched(command.stdin(Stdio::piped()));
    assert_eq!(ran.status, Some(3), "{}", ran.told);
    assert!(ran.told.contains("the time limit of 300ms was reached while reading facts"), "{}", ran.told);
    assert!(ran.took < Duration::from_secs(30), "{:?}", ran.took);
}

#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_refused_at_once() {
    let folder = folder(1);
    let at = folder.path();
    let pipe = |path: &str| {
        fs::create_dir_all(at.join(path).parent().unwrap()).unwrap();
        assert!(Command::new("mkfifo").arg(at.join(path)).status().unwrap().success());
    };
    for path in
        ["rules/x.dl", "facts/f.jsonl", "facts2/n.csv", "facts3/f.dl", "p.json", "golden/c.json", "x.log"]
    {
        pipe(path);
    }
    fs::create_dir(at.join("zero")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", at.join("zero/x.dl")).unwrap();
    fs::create_dir(at.join("loop")).unwrap();
    std::os::unix::fs::symlink("x.dl", at.join("loop/x.dl")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(at.join("s.dl")).unwrap();
    fs::write(at.join("imports.dl"), "import \"zero/x.dl\".\n").unwrap();
    for command in [
        &["check", "rules"][..],
        &["check", "rules/x.dl"],
        &["check", "zero"],
        &["check", "loop"],
        &["check", "s.dl"],
        &["check", "/dev/zero"],
        &["check", "imports.dl"],
        &["fmt", "--check", "rules"],
        &["test", "rules"],
        &["derive", "--rules", "zero", "--facts", "facts.jsonl"],
        &["derive", "--rules", "rules.dl", "--facts", "facts"],
        &["derive", "--rules", "rules.dl", "--facts", "facts2"],
        &["derive", "--rules", "rules.dl", "--facts", "facts3"],
        &["derive", "--rules", "rules.dl", "--facts", "facts/f.jsonl"],
        &["derive", "--rules", "rules.dl", "--facts", "/dev/zero"],
        &["decide", "--rules", "rules.dl", "--facts", "facts"],
        &["assert", "--rules", "rules.dl", "--facts", "facts"],
        &["check-proof", "p.json"],
        &["check-proof", "/dev/zero"],
        &["test", "--golden", "golden"],
        &["import", "p.json"],
        &["observe", "error-text", "x.log"],
        &["observe", "error-text", "x.log", "--follow"],
        &["observe", "error-text", "/dev/zero"],
        &["observe", "source", "x.log"],
    ] {
        let ran = run(at, command);
        assert!(
            matches!(ran.status, Some(1 | 2)),
            "{command:?}: {:?} {}{}",
            ran.status,
            ran.printed,
            ran.told
        );
        assert!(ran.peak < 100, "{command:?}: a peak of {} MiB", ran.peak);
    }
    let told = run(at, &["derive", "--rules", "rules.dl", "--facts", "facts"]).told;
    assert!(
        told.contains("`facts/f.jsonl` can't be read: it is a pipe; only regular files are read"),
        "{told}"
    );
    assert!(told.contains("`-` reads standard input"), "{told}");
}

#[cfg(feature = "scan")]
#[test]
fn what_is_no_source_code_is_left_out_and_told() {
    let folder = crate::memory::folder();
    let at = folder.path();
    let mut state = 1u64;
    let mut noise = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    let bytes: Vec<u8> = (0..1_000_000).map(&mut noise).collect();
    fs::write(at.join("bytes.py"), bytes).unwrap();
    // Signs without sense, a megabyte of brackets, one line of very many statements, a file too large.
    let signs: String = (0..700_000).map(|at| char::from(b' ' + noise(at) % 95)).collect();
    fs::write(at.join("signs.py"), signs).unwrap();
    fs::write(at.join("brackets.js"), "[{(".repeat(400_000)).unwrap();
    fs::write(at.join("mods.rs"), "mod a{use b;".repeat(80_000)).unwrap();
    fs::write(at.join("large.js"), "f();\n".repeat(600_000)).unwrap();
    fs::write(at.join("good.py"), "import os\n").unwrap();
    fs::write(at.join("package.json"), "{ no json").unwrap();
    let ran = run(at, &["observe", "codebase", "."]);
    assert_eq!(ran.status, Some(0), "{}", ran.told);
    assert!(ran.took < Duration::from_secs(60), "{:?}", ran.took);
    assert!(ran.printed.contains(r#"{"file": ["good.py", "/python", 1]}"#), "{}", ran.printed);
    for told in [
        "files skipped: ",
        "1 not text, the first `bytes.py`",
        "1 larger than 2 MiB, the first `large.js`",
        "1 not a manifest despite its name, the first `package.json`",
    ] {
        assert!(ran.told.contains(told), "{}", ran.told);
    }
}

#[cfg(feature = "scan")]
#[test]
fn a_source_that_is_none_is_an_error() {
    let folder = crate::memory::folder();
    let at = folder.path();
    fs::write(at.join("zero.go"), b"package a\n\0\0\0").unwrap();
    fs::write(at.join("large.go"), "// a line\n".repeat(300_000)).unwrap();
    for (file, why) in [("zero.go", "not text"), ("large.go", "larger than 2 MiB")] {
        let ran = run(at, &["observe", "source", file]);
        assert_eq!(ran.status, Some(2), "{}", ran.told);
        assert!(ran.told.contains(&format!("can't read `{file}`: it is {why}")), "{}", ran.told);
    }
    assert_eq!(run(at, &["observe", "source", "."]).status, Some(2));
    // The compiler of a tool follows links, so nothing is told of a tool that has one.
    #[cfg(unix)]
    {
        fs::create_dir(at.join("tool")).unwrap();
        std::os::unix::fs::symlink("/dev/null", at.join("tool/x.go")).unwrap();
        let ran = run(at, &["observe", "source", "tool"]);
        assert_eq!(ran.status, Some(2), "{}", ran.told);
        assert!(ran.told.contains("can't read `tool/x.go`: it is a link"), "{}", ran.told);
    }
}

#[test]
fn a_folder_of_tables_that_is_not_there_is_an_error() {
    let folder = crate::memory::folder();
    fs::write(folder.path().join("x.log"), "ENOSPC\n").unwrap();
    let ran = run(folder.path(), &["observe", "error-text", "x.log", "--tables", "nowhere"]);
    assert_eq!(ran.status, Some(2), "{}", ran.told);
    assert!(ran.told.contains("can't read `nowhere`: there is no such file"), "{}", ran.told);
}

#[test]
fn a_file_that_is_nearly_called_like_one_of_facts_is_told() {
    let folder = folder(1);
    let at = folder.path();
    fs::create_dir(at.join("facts")).unwrap();
    for name in ["n.JSONL", "n.ndjson", "n.Csv", "n.DL"] {
        fs::write(at.join("facts").join(name), lines(1)).unwrap();
        let ran = run(at, &["derive", "--rules", "rules.dl", "--facts", "facts"]);
        assert_eq!(ran.status, Some(2), "{}", ran.told);
        assert!(ran.told.contains(&format!("unsupported extension of `facts/{name}`")), "{}", ran.told);
        fs::remove_file(at.join("facts").join(name)).unwrap();
    }
}

#[test]
fn json_of_any_depth_is_an_error_of_its_line() {
    let folder = folder(0);
    let at = folder.path();
    let deep = format!("{{\"n\": [1, {}", "[".repeat(1_000_000));
    fs::write(at.join("deep.jsonl"), &deep).unwrap();
    fs::write(at.join("proof.json"), "[".repeat(1_000_000)).unwrap();
    fs::write(at.join("export.jsonl"), "{\"a\":".repeat(1_000_000)).unwrap();
    for command in [
        &["derive", "--rules", "rules.dl", "--facts", "deep.jsonl"][..],
        &["check-proof", "proof.json"],
        &["import", "export.jsonl"],
        &["observe", "tool-run", "deep.jsonl"],
    ] {
        let ran = run(at, command);
        assert!(matches!(ran.status, Some(1 | 2)), "{command:?}: {:?} {}", ran.status, ran.told);
    }
}

#[test]
fn a_control_group_takes_what_those_around_it_leave() {
    let mounted = crate::memory::folder();
    let write = |file: &str, limit: &str| {
        let file = mounted.path().join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, limit).unwrap();
    };
    write("a/memory.max", "3000\n");
    write("a/b/memory.max", "max\n");
    write("memory/c/memory.limit_in_bytes", "2000\n");
    write("cpu/memory.limit_in_bytes", "1\n");
    let limit = |groups| hence_core::machine::of_groups(groups, mounted.path());
    assert_eq!(limit("0::/a/b\n"), Some(3000));
    assert_eq!(limit("4:cpu,memory:/c/d\n3:cpu:/\n0::/a\n"), Some(2000));
    // What a container sees of the host's name for it is not mounted there, its own limit at the top is.
    write("memory.max", "1000\n");
    assert_eq!(limit("0::/host/names/it\n"), Some(1000));
    assert_eq!(limit("nonsense"), None);
}

/// What their rows alone take is known before they are read.
#[cfg(target_os = "linux")]
#[test]
fn facts_that_cannot_fit_are_refused_before_they_are_read() {
    let folder = crate::memory::folder();
    let list = |of: &dyn Fn(usize) -> String| (1..=60).map(of).collect::<Vec<_>>().join(", ");
    let (columns, variables) = (list(&|at| format!("c{at}: int")), list(&|at| format!("C{at}")));
    let rules = format!(
        "## Wide.\ninput wide({columns}).\n## First.\ndecision first(n: int).\n@because(\"{{C1}}\")\nfirst(C1) :- wide({variables}), C1 < 3.\n"
    );
    fs::write(folder.path().join("rules.dl"), rules).unwrap();
    let row = |n: usize| format!("{{\"wide\": [{}]}}\n", list(&|_| n.to_string()));
    fs::write(folder.path().join("wide.jsonl"), (0..17_500).map(row).collect::<String>()).unwrap();
    let taken = run(folder.path(), &["decide", "--rules", "rules.dl", "--facts", "wide.jsonl"]);
    assert_eq!(taken.status, Some(0), "{}", taken.told);
    // What the command takes by itself differs by build; between that and 8 MiB more the rows alone are too many.
    let runs: Vec<Ran> = (8..64)
        .step_by(4)
        .map(|most| run(folder.path(), &["derive", "--rules", "rules.dl", "--max-memory", &most.to_string()]))
        .collect();
    let refused: Vec<&Ran> = runs
        .iter()
        .filter(|ran| ran.told.contains("error: 17500 facts need 9 MiB or more, and the memory limit of "))
        .collect();
    assert!(!refused.is_empty(), "{:?}", runs.iter().map(|ran| &ran.told).collect::<Vec<_>>());
    for ran in refused {
        assert_eq!(ran.status, Some(3), "{}", ran.told);
        assert!(ran.told.contains("help: allow more with `--max-memory`"), "{}", ran.told);
        assert!(ran.printed.is_empty(), "{}", ran.printed);
    }
    assert_eq!(runs.last().unwrap().status, Some(0), "{}", runs.last().unwrap().told);
}
