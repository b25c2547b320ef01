//! Compiled code of many rule sets in one package, so that one build pays for all: cases of the corpus and random
//! programs, each run by the meaning and by what was compiled; and the package that `hence compile --crate` writes.
//!
//! A sample always; all of the corpus and more random programs with `HENCE_SLOW=1`.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use hence::session::compiled::{Options, compile};
use hence::session::{Loader, RuleSet, SessionError, check};

use super::{command, files, random};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Where the packages are written, and what they share of their builds.
fn folder() -> PathBuf {
    root().join("target/bulk")
}

fn slow() -> bool {
    std::env::var_os("HENCE_SLOW").is_some()
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

/// A manifest of a package that depends on this hence, without what no rule needs.
fn manifest(name: &str) -> String {
    let rooms = ["core", "syntax", "lang", "engine", "compile", "proof", "packs"].map(|room| {
        let path = root().join(format!("crates/hence-{room}"));
        format!("hence-{room} = {{ path = {:?} }}\n", path.display().to_string())
    });
    format!(
        "[package]\nname = {name:?}\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\n\
         crepe = \"0.2\"\nhence = {{ path = {:?}, default-features = false }}\n{}\n[workspace]\n\n\
         [profile.dev]\ndebug = false\n",
        root().display().to_string(),
        rooms.concat()
    )
}

/// Writes a file unless it is there as it is: what didn't change isn't built again.
fn put(path: &Path, text: &str) {
    if fs::read_to_string(path).is_ok_and(|known| known == text) {
        return;
    }
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Builds and runs a package with `input` on its standard input.
fn run(package: &Path, args: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--manifest-path"])
        .arg(package.join("Cargo.toml"))
        .arg("--")
        .args(args)
        .env("CARGO_TARGET_DIR", folder().join("target"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that doesn't read its input may be gone already.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

/// The package of the cases at these paths.
fn package(cases: &[PathBuf]) -> (PathBuf, usize) {
    let package = folder().join("corpus");
    let (mut modules, mut runs, mut count) = (String::new(), String::new(), 0);
    for (at, case) in cases.iter().enumerate() {
        let name = format!("case_{at}");
        let Some(text) = module(case, &name) else { continue };
        put(&package.join(format!("src/{name}.rs")), &text);
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
    put(&package.join("src/main.rs"), &main);
    put(&package.join("Cargo.toml"), &manifest("compiled_corpus"));
    (package, count)
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
    let (package, count) = package(&cases);
    assert!(count * 10 > cases.len() * 9, "only {count} of {} cases can be compiled", cases.len());
    let ran = run(&package, &[], "");
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
    // The same features as the other package has, so that hence is built once.
    let features = fs::read_to_string(package.join("Cargo.toml")).unwrap();
    let lean =
        features.replace(" }\n", ", default-features = false }\n") + "\n[profile.dev]\ndebug = false\n";
    fs::write(package.join("Cargo.toml"), lean).unwrap();
    package
}

fn said(ran: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (ran.status.code(), text(&ran.stdout), text(&ran.stderr))
}

#[test]
fn a_package_of_compiled_rules_decides() {
    let package = written(RETRY);
    let facts = "{\"failed\": {\"job\": \"backup\", \"tries\": 2}}\n{\"failed\": [\"upload\", 3]}\n";
    let decided = String::from("{\"retry\": [\"backup\", 6]}\n");
    assert_eq!(said(&run(&package, &[], facts)), (Some(0), decided.clone(), String::new()));
    let file = folder().join("facts.jsonl");
    put(&file, facts);
    assert_eq!(said(&run(&package, &[file.to_str().unwrap()], "")), (Some(0), decided, String::new()));

    let (status, out, told) = said(&run(&package, &[], "{\"failed\": [\"upload\", 0]}\n"));
    assert_eq!((status, out.as_str()), (Some(4), ""));
    assert!(told.contains("is undefined in `retry#1` with Job = \"upload\", Tries = 0"), "{told}");

    let (status, out, told) = said(&run(&package, &[], "{\"failed\": [\"upload\"]}\n"));
    assert_eq!((status, out.as_str()), (Some(2), ""));
    assert!(told.contains("<standard input>:1:") && told.contains("E6"), "{told}");

    let (status, _, told) = said(&run(&package, &["missing.jsonl"], ""));
    assert_eq!(status, Some(2));
    assert!(told.contains("`missing.jsonl`"), "{told}");
}
