//! Every limit of the language, reached: what is said, and that it is said in bounded time and memory.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hence::session::{self, FactFiles, Loader, RuleSource, Session, SessionError};
use hence_engine::Limits;
use tempfile::TempDir;

use crate::cases::rendered;

/// A folder with files of a test.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Self(crate::memory::folder());
        folder.write("hence.toml", "");
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(name)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        fs::write(self.path(name), content).unwrap();
        self.path(name)
    }

    /// What is said of the rules in `path`, with the folder's name left out; empty if they are right.
    fn faults(&self, path: &Path) -> String {
        let mut loader = Loader::default();
        match loader.path(path) {
            Ok(()) => {
                let faults = session::check(loader.finish(), &[]).faults;
                let errors: Vec<_> =
                    faults.diagnostics.into_iter().filter(|found| found.is_error()).collect();
                self.short(&rendered(&errors, &faults.sources))
            }
            Err(error) => self.short(&error.to_string()),
        }
    }

    /// What is said of the fact files under the rule `q(X) :- p(X).`
    fn fact_faults(&self, path: &Path) -> String {
        match session::read_facts(&rules(self), &FactFiles::of(vec![path.to_owned()])) {
            Ok(facts) => format!("{} facts", facts.len()),
            Err(SessionError::Faults(faults)) => self.short(&rendered(&faults.diagnostics, &faults.sources)),
            Err(other) => self.short(&other.to_string()),
        }
    }

    fn short(&self, text: &str) -> String {
        text.replace(&format!("{}/", self.path("").display().to_string().trim_end_matches('/')), "")
    }
}

/// The rule set `q(X) :- p(X).`
fn rules(folder: &Folder) -> session::RuleSet {
    let file = folder.write("rules.dl", "input p(x: int).\nq(X) :- p(X).\n");
    RuleSource { paths: vec![file], ..RuleSource::default() }.build().unwrap()
}

/// The outputs in `tests/corpus/limits`, by which every code of a limit has an example.
fn expect(name: &str, found: &str) {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/limits").join(name).with_extension("out");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, found).unwrap();
    }
    assert_eq!(found, fs::read_to_string(&path).unwrap_or_default(), "{}", path.display());
}

/// What stops the evaluation of a text.
fn stopped(text: &str, limits: Limits) -> String {
    let mut loader = Loader::default();
    loader.text("rules.dl", text);
    let rules = *session::check(loader.finish(), &[]).rules.unwrap();
    let session = Session::over_facts(rules, Vec::new()).unwrap().with_limits(limits);
    session.derive(&[], 0).unwrap_err().to_string()
}

/// A recursion without an end, and a decision that reads it.
const ENDLESS: &str = "n(0).\nn(X + 1) :- n(X).\ndecision d(x: int).\nd(X) :- n(X), X > 5.\n";

#[test]
fn the_limit_of_facts_names_the_rule_that_grew() {
    expect("facts", &stopped(ENDLESS, Limits { facts: 10_000, ..Limits::default() }));
}

#[test]
fn the_limit_of_iterations_names_the_rule_that_grew() {
    expect("iterations", &stopped(ENDLESS, Limits { iterations: 100, ..Limits::default() }));
}

#[test]
fn the_limit_of_time_names_the_rule_at_work() {
    let limits = Limits { time: Some(Duration::from_millis(50)), ..Limits::default() };
    expect("time", &stopped(ENDLESS, limits));
}

#[test]
fn the_limit_of_time_holds_inside_one_round() {
    let text =
        "decision d(n: int).\nd(count()) :- X in range(0, 1000000), Y in range(0, 1000000), X * Y = -1.\n";
    let limits = Limits { time: Some(Duration::from_millis(50)), facts: u64::MAX, ..Limits::default() };
    expect("time_in_a_round", &stopped(text, limits));
}

#[test]
fn the_limit_of_memory_names_the_rule_that_grew() {
    expect("memory", &stopped(ENDLESS, Limits { memory: Some(1 << 20), ..Limits::default() }));
}

#[test]
fn expressions_nest_256_deep_and_no_deeper() {
    let folder = Folder::new();
    let nested = |depth| {
        let (open, close) = ("(".repeat(depth), ")".repeat(depth));
        folder.faults(&folder.write("deep.dl", format!("q({open}1{close}).\n")))
    };
    assert_eq!(nested(250), "");
    expect("nested_expression", &nested(300));
    assert_eq!(nested(100_000).lines().next(), nested(300).lines().next());
    for text in [
        format!("q(X) :- X = {}1.", "- ".repeat(100_000)),
        format!("q(X) :- X = {}1{}.", "abs(".repeat(100_000), ")".repeat(100_000)),
        format!("q(1{}).", " + 1".repeat(100_000)),
        format!("q(X) :- X = 1, {}X > 0{}.", "(".repeat(100_000), ")".repeat(100_000)),
        format!("q(X) :- X = 1, {}p(X).", "!".repeat(100_000)),
        format!("q({}", "if(true, ".repeat(100_000)),
    ] {
        let found = folder.faults(&folder.write("deep.dl", &text));
        assert!(found.contains("E125"), "{}\n{}", &text[..30], found.chars().take(500).collect::<String>());
    }
}

#[test]
fn a_body_may_be_long() {
    let folder = Folder::new();
    let text = format!("q(X) :- X = 1{}.\n", ", X > 0".repeat(20_000));
    assert_eq!(folder.faults(&folder.write("long.dl", text)), "");
}

#[test]
fn unbound_variables_of_a_long_rule_are_told_in_few() {
    let folder = Folder::new();
    let told = |name: &str, body: &str| {
        let faults =
            folder.faults(&folder.write(name, format!("input n(k: int).\np(X0) :- n(_), {body}.\n")));
        let first = |line: &&str| line.starts_with('E');
        assert!(faults.len() < 5_000, "{} bytes", faults.len());
        faults.lines().filter(first).map(str::to_owned).collect::<Vec<_>>()
    };
    let all = |each: &dyn Fn(usize) -> String| (0..20_000).map(each).collect::<Vec<_>>().join(", ");
    let listed = told("listed.dl", &format!("X0 in [{}]", all(&|n| format!("Y{n}"))));
    assert_eq!(listed.len(), 21);
    assert_eq!(listed.last().unwrap(), "E401 19980 more unbound variables in one rule");
    // Each equation waits for the next, and nothing binds the last.
    let chain = all(&|n| format!("X{n} = X{} + 1", n + 1));
    assert_eq!(told("chain.dl", &chain), ["E401 unbound variable `X20000`"]);
    let ring = format!("{chain}, X20000 = X0 + 1");
    assert_eq!(told("ring.dl", &ring), ["E401 unbound variable `X0`: its equations form a ring"]);
}

#[test]
fn imports_nest_256_deep_and_no_deeper() {
    let folder = Folder::new();
    for at in 0..400 {
        folder.write(&format!("f{at}.dl"), format!("import \"f{}.dl\".\nr{at}(1).\n", at + 1));
    }
    folder.write("f400.dl", "r400(1).\n");
    assert_eq!(folder.faults(&folder.path("f200.dl")), "");
    expect("nested_imports", &folder.faults(&folder.path("f0.dl")));
}

#[test]
fn json_nests_256_deep_and_no_deeper() {
    let folder = Folder::new();
    let nested = |depth: usize| format!("{{\"p\": [{}1{}]}}\n", "[".repeat(depth), "]".repeat(depth));
    expect("nested_json", &folder.fact_faults(&folder.write("p.jsonl", nested(300))));
    let found = folder.fact_faults(&folder.write("p.jsonl", nested(1_000_000)));
    assert!(
        found.contains("E606") && found.len() < 2_000_000,
        "{}",
        found.chars().take(500).collect::<String>()
    );
}

#[test]
fn a_file_is_at_most_64_mib() {
    let folder = Folder::new();
    let sparse = |name: &str| {
        let file = fs::File::create(folder.path(name)).unwrap();
        file.set_len((64 << 20) + 1).unwrap();
        folder.path(name)
    };
    expect("large_rule_file", &folder.faults(&sparse("large.dl")));
    expect("large_fact_line", &folder.fact_faults(&sparse("p.jsonl")));
    expect("large_table", &folder.fact_faults(&sparse("p.csv")));
    folder.write("imports.dl", "import \"large.dl\".\nq(1).\n");
    expect("large_import", &folder.faults(&folder.path("imports.dl")));
}

#[test]
fn a_million_facts_are_read() {
    let folder = Folder::new();
    let lines: String = (0..1_000_000).map(|at| format!("{{\"p\": [{at}]}}\n")).collect();
    assert_eq!(folder.fact_faults(&folder.write("p.jsonl", lines)), "1000000 facts");
}

#[test]
fn a_million_faulty_lines_are_told_in_few() {
    let folder = Folder::new();
    let found = folder.fact_faults(&folder.write("p.jsonl", "{\"p\": [\"x\"]}\n".repeat(1_000_000)));
    assert_eq!(found.matches("E613").count(), 100);
    expect("many_faulty_facts", found.lines().rev().take(3).collect::<Vec<_>>().join("\n").as_str());
}

#[test]
fn a_file_of_nothing_but_faults_is_told_in_few() {
    let folder = Folder::new();
    let found = folder.faults(&folder.write("bad.dl", "q(X :- p.\n".repeat(20_000)));
    assert!(found.lines().count() < 10_000, "{}", found.lines().count());
    expect("many_faulty_rules", found.lines().rev().take(3).collect::<Vec<_>>().join("\n").as_str());
}

#[test]
fn errors_that_are_left_out_are_counted_once() {
    let folder = Folder::new();
    let rules: String = (0..1_500).map(|at| format!("q(X) :- p{at}(X).\n")).collect();
    folder.write("many.dl", rules);
    folder.write("many_test.dl", "import \"many.dl\".\n");
    let source = RuleSource { paths: vec![folder.path("")], ..RuleSource::default() };
    let found = source.check().unwrap().faults.diagnostics;
    assert_eq!(found.len(), 1_001);
    expect("many_errors", &found.last().unwrap().message);
}

#[test]
fn very_many_warnings_are_no_error() {
    let lines: String = (0..1_002).map(|at| format!("d(X) :- p(X), p(Only{at}).\n")).collect();
    let mut loader = Loader::default();
    loader.text("rules.dl", &format!("input p(x: int).\n{lines}"));
    let found = session::check(loader.finish(), &[]);
    assert!(found.rules.is_some());
    let last = found.faults.diagnostics.iter().find(|fault| fault.code.0 == "W112").unwrap();
    assert!(!last.is_error());
    assert_eq!(found.faults.diagnostics.len(), 1_001);
    expect("many_warnings", &format!("{} {}\n", last.code, last.message));
}

#[test]
fn text_that_is_no_text_is_told_with_its_line() {
    let folder = Folder::new();
    expect("invalid_utf8", &folder.faults(&folder.write("latin1.dl", b"q(1).\n# caf\xe9\n")));
    expect(
        "invalid_utf8_facts",
        &folder.fact_faults(&folder.write("p.jsonl", b"{\"p\": [1]}\n{\"p\": [\xe9]}\n")),
    );
    expect("nul", &folder.faults(&folder.write("nul.dl", b"q(1).\nr(\0).\n")));
    expect("nul_facts", &folder.fact_faults(&folder.write("p.jsonl", b"{\"p\": [1]}\n\0\n")));
    expect("utf16", &folder.faults(&folder.write("utf16.dl", b"\xff\xfeq\x00(\x001\x00)\x00.\x00")));
}

#[test]
fn what_is_no_file_is_told() {
    let folder = Folder::new();
    fs::create_dir(folder.path("folder.jsonl")).unwrap();
    fs::create_dir(folder.path("folder.dl")).unwrap();
    folder.write("folder.dl/a.dl", "a(1).\n");
    std::os::unix::fs::symlink("nowhere.dl", folder.path("dangling.dl")).unwrap();
    std::os::unix::fs::symlink("nowhere.jsonl", folder.path("dangling.jsonl")).unwrap();
    assert_eq!(folder.faults(&folder.path("folder.dl")), "", "a folder stands for the rule files in it");
    expect("missing_rules", &folder.faults(&folder.path("missing.dl")));
    expect("dangling_rules", &folder.faults(&folder.path("dangling.dl")));
    expect("dangling_facts", &folder.fact_faults(&folder.path("dangling.jsonl")));
    expect("missing_facts", &folder.fact_faults(&folder.path("missing.jsonl")));
    let import = |path: &str| folder.faults(&folder.write("main.dl", format!("import \"{path}\".\nq(1).\n")));
    expect("imported_folder", &import("folder.dl"));
    expect("dangling_import", &import("dangling.dl"));
}

#[test]
fn imports_stay_inside_the_root_even_through_links() {
    let (outside, folder) = (Folder::new(), Folder::new());
    outside.write("secret.dl", "secret(1).\n");
    std::os::unix::fs::symlink(outside.path("secret.dl"), folder.path("link.dl")).unwrap();
    std::os::unix::fs::symlink(outside.path(""), folder.path("way")).unwrap();
    std::os::unix::fs::symlink(folder.path("inside.dl"), folder.path("inner.dl")).unwrap();
    folder.write("inside.dl", "inside(1).\n");
    let import = |path: &str| {
        let found = folder.faults(&folder.write("main.dl", format!("import \"{path}\".\nq(1).\n")));
        found
            .replace(&folder.path("").display().to_string(), "ROOT")
            .replace("ROOT/", "")
            .replace("`ROOT`", "the root")
    };
    assert_eq!(import("inner.dl"), "", "a link inside the root may be followed");
    let root = folder.path("").display().to_string().trim_end_matches('/').to_owned();
    let short = |text: String| text.replace(&root, "ROOT");
    expect("linked_import", &short(import("link.dl")));
    expect("linked_folder", &short(import("way/secret.dl")));
    let up = format!("../{}/secret.dl", outside.path("").file_name().unwrap().to_string_lossy());
    assert!(import(&up).contains("E230"));
}
