//! Compiled code of many rule sets in one program, so that one build pays for all: cases of the corpus and random
//! programs, each run by the meaning and by what was compiled; and the package that `hence compile --crate` writes. Both
//! are linked with the libraries that these tests were built with.
//!
//! A sample always; with `HENCE_SLOW=1` all of the corpus and more random programs, and Cargo builds the package.

use crate::slow;
use std::collections::BTreeMap;
use std::env::consts::DLL_SUFFIX;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use hence::session::compiled::{Options, compile};
use hence::session::{Loader, RuleSet, SessionError, check};
use serde_json::Value as Json;

use super::{command, files, random};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Where the packages are written, and what they share of their builds.
fn folder() -> PathBuf {
    root().join("target/bulk")
}

fn slow() -> bool {
    slow::is_slow()
}

fn rules(path: &Path) -> Option<RuleSet> {
    let mut loader = Loader::default();
    loader.path(path).ok()?;
    check(loader.finish(), &[]).rules.map(|rules| *rules)
}

/// The module of a case; `None` where crepe can't express it, which has to be reported by name.
fn module(path: &Path, name: &str) -> Option<String> {
    let rules = rules(path)?;
    match compile(&rules, &Options { name, about: "", root: "hence::packs" }) {
        Ok(text) => Some(text),
        Err(SessionError::Faults(faults)) => {
            assert!(
                faults.diagnostics.iter().all(|fault| fault.message.starts_with("crepe can't express ")),
                "{}: {faults:?}",
                path.display()
            );
            None
        }
        Err(other) => panic!("{}: {other}", path.display()),
    }
}

/// Writes a file unless it is there as it is: what didn't change isn't built again.
fn put(path: &Path, text: &str) {
    if fs::read_to_string(path).is_ok_and(|known| known == text) {
        return;
    }
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// The libraries that these tests were built with, by name, and the folder of what those link.
struct Libraries {
    found: BTreeMap<String, PathBuf>,
    folder: PathBuf,
}

impl Libraries {
    /// What Cargo says of the build of these tests, which is fresh.
    fn of_this_build() -> Self {
        let folder = std::env::current_exe().unwrap().parent().unwrap().to_owned();
        let mut cargo = Command::new(env!("CARGO"));
        cargo.current_dir(root()).args(["test", "--no-run", "--test", "it", "--message-format", "json"]);
        cargo.args(["--no-default-features", "--features", &features()]);
        cargo.arg("--target-dir").arg(folder.ancestors().nth(2).unwrap());
        if !cfg!(debug_assertions) {
            cargo.arg("--release");
        }
        let built = cargo.output().unwrap();
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        let mut found = BTreeMap::new();
        for line in String::from_utf8(built.stdout).unwrap().lines() {
            let line: Json = serde_json::from_str(line).unwrap();
            let files = line["filenames"].as_array().into_iter().flatten().filter_map(Json::as_str);
            let mut linked = files.filter(|file| file.ends_with(".rlib") || file.ends_with(DLL_SUFFIX));
            if let (Some(name), Some(file)) = (line["target"]["name"].as_str(), linked.next()) {
                found.insert(name.replace('-', "_"), PathBuf::from(file));
            }
        }
        Self { found, folder }
    }

    /// The program of a source that uses some of them.
    fn link(&self, source: &Path, used: &[String]) -> PathBuf {
        let program = source.with_extension(std::env::consts::EXE_EXTENSION);
        let mut rustc = Command::new(Path::new(env!("CARGO")).with_file_name("rustc"));
        rustc.arg(source).arg("-o").arg(&program).args(["--edition", "2024", "--cap-lints", "allow"]);
        rustc.args(["-C", &format!("incremental={}", folder().join("incremental").display())]);
        rustc.arg("-L").arg(format!("dependency={}", self.folder.display()));
        for name in used {
            rustc.arg("--extern").arg(format!("{name}={}", self.found[name].display()));
        }
        let built = rustc.output().unwrap();
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        program
    }
}

/// The features that these tests were built with.
fn features() -> String {
    let known = [
        ("default", cfg!(feature = "default")),
        ("cli", cfg!(feature = "cli")),
        ("sandbox", cfg!(feature = "sandbox")),
        ("gate", cfg!(feature = "gate")),
        ("crepe", cfg!(feature = "crepe")),
        ("packs", cfg!(feature = "packs")),
        ("mail", cfg!(feature = "mail")),
        ("tls", cfg!(feature = "tls")),
        ("server", cfg!(feature = "server")),
        ("parquet", cfg!(feature = "parquet")),
        ("dataflow", cfg!(feature = "dataflow")),
    ];
    known.into_iter().filter(|(_, on)| *on).map(|(name, _)| name).collect::<Vec<_>>().join(",")
}

/// Runs a program with `input` on its standard input.
fn run(program: &Path, args: &[&str], input: &str) -> Output {
    let mut child = Command::new(program)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that doesn't read its input may be gone already.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

/// The program of the cases at these paths, and how many they are.
fn program(cases: &[PathBuf]) -> (PathBuf, usize) {
    let source = folder().join("corpus");
    let (mut modules, mut runs, mut count) = (String::new(), String::new(), 0);
    for (at, case) in cases.iter().enumerate() {
        let name = format!("case_{at}");
        let Some(text) = module(case, &name) else { continue };
        put(&source.join(format!("{name}.rs")), &text);
        let _ = writeln!(modules, "mod {name};");
        let _ = writeln!(runs, "        ({:?}, &{name}::PACK),", case.display().to_string());
        count += 1;
    }
    let main = format!(
        "//! Cases, compiled.\n#![allow(dead_code)]\n{modules}\n#[path = {:?}]\nmod corpus;\n\n\
         fn main() {{\n    let cases: &[(&str, &'static hence_packs::support::Pack)] = &[\n{runs}    ];\n    \
         let run = |(path, pack): &(&str, &'static hence_packs::support::Pack)| corpus::compiled(path.as_ref(), pack).err();\n    \
         let wrong: Vec<String> = cases.iter().filter_map(run).collect();\n    \
         wrong.iter().for_each(|line| println!(\"{{line}}\"));\n    \
         println!(\"{{}} of {{}} cases differ\", wrong.len(), cases.len());\n    \
         std::process::exit(i32::from(!wrong.is_empty()));\n}}\n",
        root().join("tests/cases/corpus/mod.rs").display().to_string()
    );
    let source = source.join("main.rs");
    put(&source, &main);
    let rooms = ["core", "syntax", "lang", "engine", "compile", "proof", "packs"];
    let used: Vec<_> = rooms
        .iter()
        .map(|room| format!("hence_{room}"))
        .chain(["hence", "crepe"].map(String::from))
        .collect();
    (Libraries::of_this_build().link(&source, &used), count)
}

/// Rules with a table of many facts.
fn large_table(facts: u64) -> PathBuf {
    let mut text = String::from("relation edge(from: int, to: int).\ndecision back(from: int, to: int).\n");
    for from in 0..facts {
        let _ = writeln!(text, "edge({from}, {}).", from * 7919 % facts);
    }
    text.push_str("back(A, B) :- edge(A, B), B < A.\n");
    let path = folder().join("large_table.dl");
    put(&path, &text);
    path
}

/// Every how many cases one is taken where not all are.
const EVERY: usize = 5;

#[test]
fn compiled_rules_mean_the_same() {
    let all = files::cases("good").into_iter().enumerate();
    let mut cases: Vec<PathBuf> = all
        .filter(|(at, path)| slow() || at % EVERY == 0 || path.display().to_string().contains("compiled"))
        .map(|(_, path)| path)
        .collect();
    for (at, text) in random::cases(0..if slow() { 200 } else { 40 }).iter().enumerate() {
        let path = folder().join(format!("random/{at}.dl"));
        put(&path, text);
        cases.push(path);
    }
    cases.push(large_table(if slow() { 100_000 } else { 10_000 }));
    let (program, count) = program(&cases);
    assert!(count * 10 > cases.len() * 9, "only {count} of {} cases can be compiled", cases.len());
    let ran = run(&program, &[], "");
    let (said, complained) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{said}\n{complained}");
    println!("{said}");
}

const RETRY: &str = r#"
## A job that failed, and how often it was tried.
input failed(job: string, tries: int).

## How often a try may be made before one more has no result.
param share: int = 12.

## Try the job again.
decision retry(job: string, left: int).

retry(Job, share / Tries) :- failed(Job, Tries), Tries < 3.
"#;

/// The package that `hence compile --crate` writes for rules.
fn written(rules: &str) -> PathBuf {
    let package = folder().join("retry");
    let source = folder().join("retry.dl");
    put(&source, rules);
    let wrote = command::hence(&root(), &["compile", "--crate"])
        .arg(&package)
        .args(["--hence"])
        .arg(root())
        .arg(&source)
        .output()
        .unwrap();
    assert!(wrote.status.success(), "{}", String::from_utf8_lossy(&wrote.stderr));
    package
}

/// The program of a package: what its manifest names is found where these tests found it, and is all that it uses.
fn built(package: &Path) -> PathBuf {
    fs::copy(root().join("Cargo.lock"), package.join("Cargo.lock")).unwrap();
    let cargo = |args: &[&str]| {
        let mut cargo = Command::new(env!("CARGO"));
        let ran = cargo.current_dir(package).args(args).args(["--offline"]).output().unwrap();
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        String::from_utf8(ran.stdout).unwrap()
    };
    if slow() {
        cargo(&["build", "--target-dir", folder().join("target").to_str().unwrap()]);
    }
    let tree = cargo(&["tree", "--depth", "1", "--prefix", "none", "--edges", "normal", "--format", "{lib}"]);
    let used: Vec<String> = tree.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect();
    assert_eq!(used, ["crepe", "hence"]);
    Libraries::of_this_build().link(&package.join("src/main.rs"), &used)
}

fn said(ran: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (ran.status.code(), text(&ran.stdout), text(&ran.stderr))
}

#[test]
fn a_package_of_compiled_rules_decides() {
    let program = built(&written(RETRY));
    let facts = "{\"failed\": {\"job\": \"backup\", \"tries\": 2}}\n{\"failed\": [\"upload\", 3]}\n";
    let decided = String::from("{\"retry\": [\"backup\", 6]}\n");
    assert_eq!(said(&run(&program, &[], facts)), (Some(0), decided.clone(), String::new()));
    let file = folder().join("facts.jsonl");
    put(&file, facts);
    assert_eq!(said(&run(&program, &[file.to_str().unwrap()], "")), (Some(0), decided, String::new()));

    let (status, out, told) = said(&run(&program, &[], "{\"failed\": [\"upload\", 0]}\n"));
    assert_eq!((status, out.as_str()), (Some(4), ""));
    assert!(told.contains("is undefined in `retry#1` with Job = \"upload\", Tries = 0"), "{told}");

    let (status, out, told) = said(&run(&program, &[], "{\"failed\": [\"upload\"]}\n"));
    assert_eq!((status, out.as_str()), (Some(2), ""));
    assert!(told.contains("<standard input>:1:") && told.contains("E6"), "{told}");

    let (status, _, told) = said(&run(&program, &["missing.jsonl"], ""));
    assert_eq!(status, Some(2));
    assert!(told.contains("`missing.jsonl`"), "{told}");
}
