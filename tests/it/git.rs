//! `observe git` and `observe --watch` on real repositories.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use hence_actuators::{observe_path, observer};

use super::command;

const PATIENCE: Duration = Duration::from_secs(60);

fn git(folder: &Path, args: &[&str]) {
    let run = Command::new("git")
        .args(["-c", "user.name=Ada", "-c", "user.email=ada@x.de", "-c", "init.defaultBranch=main"])
        .args(args)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(run.status.success(), "{args:?}: {}", String::from_utf8_lossy(&run.stderr));
}

fn commit(folder: &Path, author: &str) {
    git(folder, &["add", "--all"]);
    git(folder, &["commit", "--quiet", "--message", "more", "--author", &format!("{author} <a@x.de>")]);
}

fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// A repository of two commits and two branches, with a change of each kind.
fn repository() -> tempfile::TempDir {
    let folder = crate::memory::folder();
    let path = folder.path();
    git(path, &["init", "--quiet"]);
    write(path, "src/a.py", "import b\n");
    write(path, "src/b.py", "def f(): pass\n");
    write(path, "old name.py", "a = 1\nb = 2\nc = 3\n");
    write(path, "gone.py", "x = 1\n");
    write(path, ".gitignore", "target/\n");
    commit(path, "Ada B");
    git(path, &["branch", "side"]);
    write(path, "src/a.py", "import b\nb.f()\n");
    commit(path, "Bob");
    write(path, "src/a.py", "import b\n");
    git(path, &["mv", "old name.py", "é.py"]);
    fs::remove_file(path.join("gone.py")).unwrap();
    write(path, "new.py", "");
    write(path, "added.py", "");
    git(path, &["add", "added.py"]);
    write(path, "target/made.py", "");
    folder
}

fn seen(folder: &Path) -> Result<Vec<String>, String> {
    let mut facts = Vec::new();
    let observer = observer("git", None).unwrap();
    let looked = observe_path(observer.as_ref(), folder.to_str().unwrap(), None, &|_, _| {}, &mut |fact| {
        facts.push(fact.to_string());
        Ok(())
    });
    looked.map(|_| facts).map_err(|error| error.to_string().replace(folder.to_str().unwrap(), "DIR"))
}

/// Commits named by what they are of.
fn without_commits(facts: &[String]) -> Vec<String> {
    let commit = regex::Regex::new("[0-9a-f]{40}").unwrap();
    facts.iter().map(|fact| commit.replace_all(fact, "COMMIT").into_owned()).collect()
}

#[test]
fn changes_branches_and_authors_of_a_repository_are_seen() {
    let folder = repository();
    assert_eq!(
        without_commits(&seen(folder.path()).unwrap()),
        [
            r#"git_head("COMMIT", "main")"#,
            r#"git_change("added.py", /added)"#,
            r#"git_change("gone.py", /deleted)"#,
            r#"git_change("new.py", /untracked)"#,
            r#"git_change("old name.py", /deleted)"#,
            r#"git_change("src/a.py", /modified)"#,
            r#"git_change("é.py", /renamed)"#,
            r#"git_branch("main", "COMMIT")"#,
            r#"git_branch("side", "COMMIT")"#,
            r#"git_author(".gitignore", "Ada B", 1)"#,
            r#"git_author("gone.py", "Ada B", 1)"#,
            r#"git_author("old name.py", "Ada B", 1)"#,
            r#"git_author("src/a.py", "Ada B", 1)"#,
            r#"git_author("src/a.py", "Bob", 1)"#,
            r#"git_author("src/b.py", "Ada B", 1)"#,
        ]
    );
}

#[test]
fn a_conflict_and_a_commit_without_a_branch_are_seen() {
    let folder = crate::memory::folder();
    let path = folder.path();
    git(path, &["init", "--quiet"]);
    assert_eq!(seen(path).unwrap(), [r#"git_head("", "main")"#]);
    for (branch, text) in [("main", "1\n"), ("side", "2\n")] {
        if branch == "main" {
            write(path, "a.txt", "0\n");
            commit(path, "Ada");
            git(path, &["branch", "side"]);
        }
        git(path, &["checkout", "--quiet", branch]);
        write(path, "a.txt", text);
        commit(path, "Ada");
    }
    let merged = Command::new("git")
        .args(["-c", "user.name=Ada", "-c", "user.email=a@x.de", "merge", "main"])
        .current_dir(path)
        .output()
        .unwrap();
    assert!(!merged.status.success());
    let facts = without_commits(&seen(path).unwrap());
    assert!(facts.contains(&String::from(r#"git_change("a.txt", /conflicted)"#)), "{facts:?}");
    git(path, &["merge", "--abort"]);
    git(path, &["checkout", "--quiet", "--detach"]);
    assert_eq!(without_commits(&seen(path).unwrap())[0], r#"git_head("COMMIT", "")"#);
}

#[test]
fn what_is_no_repository_and_no_folder_is_refused() {
    let folder = crate::memory::folder();
    let refused = seen(folder.path()).unwrap_err();
    assert!(refused.starts_with("can't read `DIR`: fatal: not a git repository"), "{refused}");
    let refused = seen(Path::new("Cargo.toml")).unwrap_err();
    assert_eq!(refused, "`git` reads a folder, and `DIR` is not a folder");
}

#[test]
fn a_monitor_of_files_that_a_repository_names_is_not_run() {
    let folder = repository();
    let mark = folder.path().join(".git/ran");
    git(folder.path(), &["config", "core.fsmonitor", &format!("touch '{}'; false", mark.display())]);
    seen(folder.path()).unwrap();
    assert!(!mark.exists());
}

/// What a ledger has of a relation.
fn recorded(folder: &Path, relation: &str) -> String {
    let run = command::hence(folder, &["facts", relation, "--store", "store", "--format", "jsonl"]).output();
    String::from_utf8(run.unwrap().stdout).unwrap()
}

fn until(folder: &Path, relation: &str, holds: impl Fn(&str) -> bool) {
    let begun = Instant::now();
    loop {
        let facts = recorded(folder, relation);
        if holds(&facts) {
            return;
        }
        assert!(begun.elapsed() < PATIENCE, "{relation}: {facts}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn a_repository_is_watched_while_files_and_folders_come_and_go() {
    let folder = repository();
    let path = folder.path();
    let watch = |observer: &str| {
        command::hence(path, &["observe", observer, ".", "--watch", "--into", "store"])
            .env("HENCE_LOG", "hence_actuators=debug")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let mut observing = watch("codebase");
    until(path, "imports", |facts| facts.contains("src/b.py"));
    // A new folder with a file in it, then another file in it, then a change, then both go.
    write(path, "lib/c.py", "import src.b\n");
    until(path, "imports", |facts| facts.contains(r#"["lib/c.py", "src/b.py"]"#));
    write(path, "lib/d.py", "def g(): pass\n");
    until(path, "function", |facts| facts.contains("lib/d.py"));
    write(path, "lib/d.py", "def h(): pass\n");
    until(path, "function", |facts| facts.contains(r#"["lib/d.py", "h"]"#) && !facts.contains("\"g\""));
    fs::remove_dir_all(path.join("lib")).unwrap();
    until(path, "file", |facts| !facts.contains("lib/"));
    let before = recorded(path, "file");
    write(path, "target/more.py", "def ignored(): pass\n");
    let id = observing.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    assert!(observing.wait().unwrap().success());
    assert_eq!(recorded(path, "file"), before);
    let told = std::io::read_to_string(observing.stderr.take().unwrap()).unwrap();
    let parsed =
        |file: &str| told.lines().filter(|line| line.contains("parsing") && line.contains(file)).count();
    assert_eq!(
        (parsed("src/b.py"), parsed("lib/d.py")),
        (1, 2),
        "what is as it was is not parsed again: {told}"
    );
    let mut observing = watch("git");
    until(path, "git_head", |facts| facts.contains("main"));
    git(path, &["checkout", "--quiet", "-b", "third"]);
    until(path, "git_head", |facts| facts.contains("third") && !facts.contains("main"));
    let id = observing.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    assert!(observing.wait().unwrap().success());
}

#[test]
fn what_cannot_be_watched_is_refused() {
    let folder = repository();
    let refused = |args: &[&str]| {
        let run = command::hence(folder.path(), args).output().unwrap();
        assert!(!run.status.success(), "{args:?}");
        String::from_utf8(run.stderr).unwrap()
    };
    let told = refused(&["observe", "goal", ".", "--watch", "--into", "store"]);
    assert_eq!(
        told,
        "error: `goal` does not watch `.`; `codebase` and `git` watch folders, others follow one file with --follow\n"
    );
    let told = refused(&["observe", "git", ".", "src", "--watch", "--into", "store"]);
    assert_eq!(told, "error: --watch looks at one folder; name one\n");
    assert!(refused(&["observe", "git", ".", "--watch"]).contains("--into"));
}
