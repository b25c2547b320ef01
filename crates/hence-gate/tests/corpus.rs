//! Commands that try to hide what they do, and what must be seen of each: the files of `tests/gate`.
//!
//! A case is a command after `$ ` (further lines after `> `) and what must be seen after `= `: `run PROGRAM`, `word WORD`,
//! `read`, `write`, `delete`, `use` or `start` with a path, `script` with the path of one that is run, `opaque REASON`, or
//! `clear` where nothing may be unknown.
//! Several are joined by `&`, `or` gives a choice, and `not` before one says that it may not be seen. `./` is the working tree, `~` the user's home.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use hence_gate::shell::{self, Seen};

struct Case {
    place: String,
    command: String,
    expected: String,
}

fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/gate");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "txt"));
    files.sort();
    files.iter().flat_map(|path| cases_of(path)).collect()
}

fn cases_of(path: &Path) -> Vec<Case> {
    let (mut all, mut command) = (Vec::new(), Vec::new());
    for (number, line) in (1..).zip(fs::read_to_string(path).unwrap().lines()) {
        if let Some(line) = line.strip_prefix("$ ").or_else(|| line.strip_prefix("> ")) {
            command.push(line.to_owned());
        } else if let Some(expected) = line.strip_prefix("= ") {
            let place = format!("{}:{number}", path.file_name().unwrap().to_string_lossy());
            all.push(Case { place, command: command.join("\n"), expected: expected.to_owned() });
            command.clear();
        } else {
            assert!(line.is_empty() || line.starts_with('#'), "{}:{number}: {line}", path.display());
        }
    }
    all
}

/// A working tree with files, and links out of it.
fn tree() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for name in ["src", ".git/hooks", "build", "sub"] {
        fs::create_dir_all(at(name)).unwrap();
    }
    for name in [".env", "src/a.txt", "src/b.txt", "notes.md", ".git/HEAD", "script.sh"] {
        fs::write(at(name), "text").unwrap();
    }
    for (target, name) in [
        ("/bin/rm", "tool"),
        ("/etc/passwd", "notes-link"),
        ("/etc", "conf"),
        (".env", "plain"),
        ("tool", "tool2"),
        ("/", "sub/root"),
        ("loop", "loop"),
        ("/bin/ls", "sub/tool"),
    ] {
        symlink(target, at(name)).unwrap();
    }
    folder
}

fn holds(seen: &Seen, wanted: &str, tree: &Path) -> bool {
    if let Some(unwanted) = wanted.strip_prefix("not ") {
        return !holds(seen, unwanted, tree);
    }
    let (what, of) = wanted.split_once(' ').unwrap_or((wanted, ""));
    let home = std::env::var("HOME").unwrap();
    let path = || match (of.strip_prefix("./"), of.strip_prefix('~')) {
        (Some(rest), _) => tree.join(rest),
        (_, Some(rest)) => PathBuf::from(format!("{home}{rest}")),
        _ => PathBuf::from(of),
    };
    let touched =
        |mode: &str| seen.accesses.iter().any(|(known, how)| how.word() == mode && *known == path());
    match what {
        "run" => seen.stages.iter().any(|stage| stage.words.first().is_some_and(|word| word == of)),
        "word" => seen.stages.iter().any(|stage| stage.words.iter().skip(1).any(|word| word == of)),
        "flag" => seen.stages.iter().any(|stage| stage.flags.contains(of)),
        "opaque" => seen.opaque.iter().any(|(why, _)| why.word() == of),
        "script" => {
            seen.opaque.iter().any(|(why, what)| why.word() == "script" && *what == path().to_string_lossy())
        }
        "clear" => seen.opaque.is_empty(),
        "start" => touched("run"),
        mode => touched(mode),
    }
}

#[test]
fn nothing_of_the_corpus_gets_past() {
    let folder = tree();
    let tree = folder.path().canonicalize().unwrap();
    let all = cases();
    let mut faults = Vec::new();
    for case in &all {
        let seen = shell::look(&case.command, &tree);
        let missing: Vec<&str> = case
            .expected
            .split(" & ")
            .filter(|part| !part.split(" or ").any(|wanted| holds(&seen, wanted.trim(), &tree)))
            .collect();
        if !missing.is_empty() {
            faults.push(format!(
                "{}: {}\n  not seen: {missing:?}\n  seen: {seen:?}\n",
                case.place, case.command
            ));
        }
    }
    assert!(faults.is_empty(), "{} of {} cases:\n{}", faults.len(), all.len(), faults.join("\n"));
    assert!(all.len() >= 300, "{} cases", all.len());
}
