//! `observe codebase` on large and on real repositories; planted ones are cases of `tests/cases`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use hence::session::{RuleSource, Session};
use hence_actuators::{Input, observe_path, observer};
use hence_core::fact::Fact;

fn scan(folder: &Path) -> Vec<Fact> {
    let codebase = observer("codebase", None).unwrap();
    let mut facts = Vec::new();
    observe_path(codebase.as_ref(), folder.to_str().unwrap(), None, &|_, _| {}, &mut |fact| {
        facts.push(fact);
        Ok(())
    })
    .unwrap();
    facts
}

#[test]
fn a_root_that_is_no_folder_is_refused() {
    let codebase = observer("codebase", None).unwrap();
    let none = observe_path(codebase.as_ref(), "Cargo.toml", None, &|_, _| {}, &mut |_| Ok(()));
    let message = "can't read `Cargo.toml`: it is not source code of a language that is read, by its ending";
    assert_eq!(none.unwrap_err().to_string(), message);
    let stream = codebase.observe(Input::new("-", None, &mut "x".as_bytes()), &mut |_| Ok(()));
    assert_eq!(stream.unwrap_err().to_string(), "`codebase` reads a folder, and `-` is not a folder");
    let goal = observer("goal", None).unwrap();
    let folder = observe_path(goal.as_ref(), "src", None, &|_, _| {}, &mut |_| Ok(()));
    let message = "`goal` reads files, and `src` is a folder; name files in it";
    assert_eq!(folder.unwrap_err().to_string(), message);
}

/// A repository with a folder that speaks for itself and one whose package does.
fn planted() -> tempfile::TempDir {
    let folder = crate::memory::folder();
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write(".git/HEAD", "ref: refs/heads/main\n");
    write(".gitignore", "build/\n");
    write("README.md", "# Shop\n\n[![x](y)](z)\n\nSells things.\nAnd more. Much more.\n");
    write("shop/__init__.py", "\"\"\"The shop itself.\n\nDetails follow.\"\"\"\n");
    write(
        "shop/agent.py",
        "\"\"\"Runs the agent. Picks tools.\"\"\"\nimport json\nimport shop.store as s\nfrom .tools import pick\n\
        def step():\n    s.save(pick(json.dumps({})))\n    s.save(1)\n    other()\n",
    );
    write("shop/store.py", "def save(x): pass\n");
    write("shop/tools.py", "def pick(x): pass\n");
    write("web/index.ts", "import { open } from './near';\nopen(1);\nconsole.log(2);\n");
    write("web/near.ts", "// Opens doors.\nexport function open(x: number) {}\n");
    write("build/made.py", "import shop.store\n");
    folder
}

fn of(facts: &[Fact], relation: &str) -> Vec<String> {
    facts.iter().filter(|fact| fact.relation.as_str() == relation).map(ToString::to_string).collect()
}

#[test]
fn files_and_folders_say_what_they_are_for_and_what_they_call() {
    let folder = planted();
    let facts = scan(folder.path());
    assert_eq!(
        of(&facts, "purpose"),
        [
            r#"purpose("shop/__init__.py", "The shop itself.")"#,
            r#"purpose("shop/agent.py", "Runs the agent.")"#,
            r#"purpose("web/near.ts", "Opens doors.")"#,
        ]
    );
    assert_eq!(
        of(&facts, "integration_point"),
        [
            r#"integration_point("shop/agent.py", ".tools.pick")"#,
            r#"integration_point("shop/agent.py", "shop.store.save")"#,
            r#"integration_point("web/index.ts", "./near.open")"#,
        ]
    );
    assert_eq!(
        of(&facts, "directory_doc"),
        [r#"directory_doc(".", "Sells things.")"#, r#"directory_doc("shop", "The shop itself.")"#]
    );
}

#[test]
fn one_file_is_seen_as_part_of_its_repository() {
    let folder = planted();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let whole = scan(folder.path());
    let codebase = observer("codebase", None).unwrap();
    let one = |name: &str| {
        let mut facts = Vec::new();
        let seen = observe_path(codebase.as_ref(), &path(name), None, &|_, _| {}, &mut |fact| {
            facts.push(fact);
            Ok(())
        });
        seen.map(|_| facts).map_err(|error| error.to_string().replace(&path(""), ""))
    };
    let about = |fact: &&Fact| fact.values[0].text() == "shop/agent.py";
    let expected: Vec<Fact> = whole.iter().filter(about).cloned().collect();
    assert!(expected.len() > 5, "{expected:?}");
    assert_eq!(one("shop/agent.py").unwrap(), expected);
    fs::write(folder.path().join(".env.py"), "KEY = 1\n").unwrap();
    let hidden = "it is ignored by git, or may hold a secret";
    assert_eq!(one("build/made.py").unwrap_err(), format!("can't read `build/made.py`: {hidden}"));
    assert_eq!(one(".env.py").unwrap_err(), format!("can't read `.env.py`: {hidden}"));
    assert_eq!(one("shop/none.py").unwrap_err(), "can't read `shop/none.py`: there is no such file");
}

#[test]
fn ten_thousand_files_are_scanned_and_decided_on() {
    let folder = crate::memory::folder();
    for package in 0..100 {
        let path = folder.path().join(format!("p{package}"));
        fs::create_dir(&path).unwrap();
        for module in 0..100 {
            let text = format!(
                "import p{}.m{module}\nfrom . import m{}\n\nclass C{module}:\n    def f(self): return 1\n",
                (package + 1) % 100,
                (module + 1) % 100
            );
            fs::write(path.join(format!("m{module}.py")), text).unwrap();
        }
    }
    let begun = Instant::now();
    let facts = scan(folder.path());
    println!("10,000 files in {:?}", begun.elapsed());
    assert_eq!(facts.iter().filter(|fact| fact.relation.as_str() == "file").count(), 10_000);
    assert_eq!(facts.iter().filter(|fact| fact.relation.as_str() == "imports").count(), 20_000);
}

/// The packages that a client of a registry fetched into `folder`, unpacked.
fn fetched(command: &[&str], folder: &Path) -> bool {
    let run = Command::new(command[0]).args(&command[1..]).current_dir(folder).output();
    run.is_ok_and(|output| output.status.success())
}

fn unpack(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let ends = |end: &str| path.to_str().is_some_and(|path| path.ends_with(end));
        let path_text = path.to_str().unwrap();
        if ends(".whl") {
            let script = "import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall('.')";
            assert!(fetched(&["python3", "-c", script, path_text], folder));
        } else if ends(".tgz") || ends(".tar.gz") {
            assert!(fetched(&["tar", "xzf", path_text], folder));
        }
    }
}

/// What the pack says of a scan.
fn derived(facts: Vec<Fact>, relation: &str) -> Vec<String> {
    let rules = RuleSource { packs: vec!["codebase".into()], ..RuleSource::default() }.build().unwrap();
    let session = Session::over_facts(rules, facts).unwrap();
    let derived = session.derive(&[relation.to_owned()], 0).unwrap();
    derived.relations[0].2.iter().map(|fact| fact.to_string()).collect()
}

fn importers(facts: &[Fact], of: &str) -> BTreeSet<String> {
    let fits = |fact: &&Fact| fact.relation.as_str() == "imports" && fact.values[1].text() == of;
    facts.iter().filter(fits).map(|fact| fact.values[0].text()).collect()
}

#[test]
fn a_real_package_of_python_is_seen() {
    let folder = crate::memory::folder();
    let pip =
        ["python3", "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":none:", "click==8.1.7"];
    if !fetched(&pip, folder.path()) {
        println!("skipped: the package could not be fetched");
        return;
    }
    unpack(folder.path());
    let facts = scan(folder.path());
    let importers = importers(&facts, "click/core.py");
    for file in ["click/__init__.py", "click/decorators.py", "click/testing.py"] {
        assert!(importers.contains(file), "{file} imports core.py: {importers:?}");
    }
    assert!(facts.iter().any(|fact| fact.to_string() == r#"class("click/core.py", "Command")"#));
    let core = derived(facts, "core_module");
    assert!(core.iter().any(|fact| fact.starts_with("core_module(\"click/_compat.py\"")), "{core:?}");
}

#[test]
fn a_real_package_of_javascript_is_seen() {
    let folder = crate::memory::folder();
    if !fetched(&["npm", "pack", "--silent", "express@4.19.2"], folder.path()) {
        println!("skipped: the package could not be fetched");
        return;
    }
    unpack(folder.path());
    let facts = scan(folder.path());
    let express = importers(&facts, "package/lib/express.js");
    assert_eq!(express, BTreeSet::from([String::from("package/index.js")]));
    let router = importers(&facts, "package/lib/router/index.js");
    let wanted = ["package/lib/application.js", "package/lib/express.js"].map(str::to_owned);
    assert_eq!(router, BTreeSet::from(wanted));
}

#[test]
fn a_real_package_of_rust_is_seen() {
    // The sources of a dependency of this very build, as cargo fetched them.
    let listed = Command::new("cargo").args(["metadata", "--offline", "--format-version", "1"]).output();
    let metadata =
        listed.ok().and_then(|found| serde_json::from_slice::<serde_json::Value>(&found.stdout).ok());
    let folder = metadata.and_then(|all| {
        let wanted = |package: &&serde_json::Value| package["name"] == "strsim";
        let found = all["packages"].as_array()?.iter().find(wanted)?["manifest_path"].as_str()?.to_owned();
        Path::new(&found).parent().map(Path::to_owned)
    });
    let Some(folder) = folder.filter(|folder| folder.join("src/lib.rs").exists()) else {
        println!("skipped: the package is not here");
        return;
    };
    let facts = scan(&folder);
    assert_eq!(
        importers(&facts, "src/lib.rs"),
        BTreeSet::from([String::from("benches/benches.rs"), String::from("tests/lib.rs"),])
            .into_iter()
            .filter(|file| folder.join(file).exists())
            .collect()
    );
    assert!(facts.iter().any(|fact| fact.to_string() == r#"function("src/lib.rs", "jaro_winkler")"#));
    assert!(derived(facts, "entry_point").contains(&String::from("entry_point(\"src/lib.rs\")")));
}
