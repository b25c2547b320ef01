//! The whole corpus through compiled code: every good case is compiled into one program, which runs each by the
//! meaning and by what was compiled. With `HENCE_SLOW=1`, because that program takes minutes to build.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use hence::session::compiled::{Options, compile};
use hence::session::{Loader, RuleSet, check};

use super::corpus;

fn rules(path: &Path) -> RuleSet {
    let mut loader = Loader::default();
    loader.path(path).unwrap();
    *check(loader.finish(), &[]).rules.unwrap()
}

/// The package under `target/`, which builds beside the tests.
fn package(cases: &[PathBuf]) -> PathBuf {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let folder = root.join("target/bulk");
    fs::create_dir_all(folder.join("src")).unwrap();
    let (mut modules, mut runs) = (String::new(), String::new());
    for (at, case) in cases.iter().enumerate() {
        let name = format!("case_{at}");
        let text = compile(&rules(case), &Options { name: &name, about: "", root: "hence" }).unwrap();
        fs::write(folder.join(format!("src/{name}.rs")), text).unwrap();
        let _ = writeln!(modules, "mod {name};");
        let _ = writeln!(runs, "        ({:?}, &{name}::PACK),", case.display().to_string());
    }
    let main = format!(
        "//! The corpus, compiled.\n#![allow(dead_code)]\n{modules}\n#[path = {:?}]\nmod corpus;\n\n\
         fn main() {{\n    let cases: &[(&str, &'static hence::packs::support::Pack)] = &[\n{runs}    ];\n    \
         let run = |(path, pack): &(&str, &'static hence::packs::support::Pack)| corpus::compiled(path.as_ref(), pack).err();\n    \
         let wrong: Vec<String> = cases.iter().filter_map(run).collect();\n    \
         wrong.iter().for_each(|line| println!(\"{{line}}\"));\n    \
         println!(\"{{}} of {{}} cases differ\", wrong.len(), cases.len());\n    \
         std::process::exit(i32::from(!wrong.is_empty()));\n}}\n",
        root.join("tests/it/corpus/mod.rs").display().to_string()
    );
    fs::write(folder.join("src/main.rs"), main).unwrap();
    let manifest = format!(
        "[package]\nname = \"bulk\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\n\
         crepe = \"0.2\"\nhence = {{ path = {:?} }}\n\n[workspace]\n\n[profile.dev]\ndebug = false\n",
        root.display().to_string()
    );
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    folder
}

#[test]
fn the_corpus_is_the_same_compiled() {
    if std::env::var_os("HENCE_SLOW").is_none() {
        return;
    }
    let cases: Vec<PathBuf> = corpus::cases("good")
        .into_iter()
        .filter(|case| {
            let mut loader = Loader::default();
            loader.path(case).is_ok() && check(loader.finish(), &[]).rules.is_some()
        })
        .collect();
    assert!(cases.len() > 40, "only {} cases can be compiled", cases.len());
    let folder = package(&cases);
    let ran = Command::new(env!("CARGO"))
        .args(["run", "--offline", "--quiet", "--manifest-path"])
        .arg(folder.join("Cargo.toml"))
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .output()
        .unwrap();
    let (said, complained) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{said}\n{complained}");
}
