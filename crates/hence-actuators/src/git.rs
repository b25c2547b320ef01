//! `git`: what changed in a working tree, its branches, and who wrote which file.

mod said;

use std::collections::BTreeMap;
use std::path::Path;
#[cfg(feature = "scan")]
use std::path::PathBuf;

use super::error::ActuatorError;
use super::facts::{count, name, string};
use super::input::{Form, Input};
use super::{ObservationScope, Observer, ProgressSink, Sink, Summary};
use hence_core::fact::Fact;
use said::Git;

/// The name of the observer.
pub const NAME: &str = "git";

const DECLARATIONS: &str = "\
input git_head(commit: string, branch: string).
input git_branch(branch: string, commit: string).
input git_change(path: string, change: name).
input git_author(path: string, author: string, commits: int).
";

/// So many of the last commits say who wrote which file.
const COMMITS: &str = "--max-count=1000";
/// What a branch is called where there is none.
const DETACHED: &str = "(detached)";
/// What the first commit is called where there is none yet.
const INITIAL: &str = "(initial)";

/// Turns the state of the working tree that a folder is in into `git_head`, `git_branch`, `git_change` and `git_author`.
///
/// It asks the program `git`, which only reads: no lock is taken, nothing is written, no monitor of files, pager or hook is
/// started, and submodules are passed over. `git_head` is the commit that is checked out, `""` before the first, with its branch, `""`
/// where there is none. `git_change` says of each file that differs from that commit how: `/added`, `/modified`, `/deleted`,
/// `/renamed`, `/copied`, `/type_changed`, `/conflicted` or `/untracked`, of a file that is renamed also the old path as
/// `/deleted`. `git_author` says in how many of the last 1,000 commits, merges apart, an author changed a path.
///
/// git may run for 30 seconds. Of what it lists of authors the first MiB counts, which are the latest commits; more
/// changes than fit 1 MiB are an error.
pub(crate) struct GitState;

impl Observer for GitState {
    fn name(&self) -> &'static str {
        NAME
    }

    fn about(&self) -> &'static str {
        "the state of a git repository: changed files, branches, authors"
    }

    fn declarations(&self) -> &'static str {
        DECLARATIONS
    }

    fn scope(&self, _: bool) -> ObservationScope {
        ObservationScope::Whole
    }

    fn forms(&self) -> &'static [Form] {
        &[]
    }

    fn observe(&self, input: Input<'_>, _: &mut Sink<'_>) -> Result<Summary, ActuatorError> {
        Err(ActuatorError::NoFolder { observer: NAME, input: input.name().to_owned() })
    }

    fn observe_folder(
        &self,
        root: &Path,
        _: &ProgressSink<'_>,
        sink: &mut Sink<'_>,
    ) -> Result<Summary, ActuatorError> {
        let git = Git::at(root);
        let mut facts = status(&git)?;
        facts.extend(branches(&git)?);
        // Without a commit there is nobody who wrote one.
        if facts.iter().any(|fact| fact.relation.as_str() == "git_branch") {
            facts.extend(authors(&git)?);
        }
        let mut summary = Summary { records: 1, ..Summary::default() };
        for fact in facts {
            summary.facts += 1;
            sink(fact)?;
        }
        Ok(summary)
    }

    #[cfg(feature = "scan")]
    fn watched(&self, root: &Path) -> Result<Vec<PathBuf>, ActuatorError> {
        let git = Git::at(root);
        let place = |what| {
            Ok::<_, ActuatorError>(PathBuf::from(git.text(&["rev-parse", what])?.trim_end_matches('\n')))
        };
        let mut folders = super::codebase::folders(&place("--show-toplevel")?)?;
        let own = place("--absolute-git-dir")?;
        folders.extend([own.join("refs/heads"), own].into_iter().filter(|folder| folder.is_dir()));
        Ok(folders)
    }
}

/// What is checked out, and what differs from it.
fn status(git: &Git<'_>) -> Result<Vec<Fact>, ActuatorError> {
    let text = git.text(&[
        "status",
        "--porcelain=v2",
        "--branch",
        "-z",
        "--untracked-files=all",
        "--ignore-submodules=all",
    ])?;
    let (mut commit, mut branch, mut changes) = ("", "", BTreeMap::new());
    let mut records = text.split_terminator('\0');
    while let Some(record) = records.next() {
        let (kind, rest) = record.split_once(' ').ok_or_else(|| git.unread(record))?;
        match kind {
            "#" => match rest.split_once(' ') {
                Some(("branch.oid", own)) => commit = if own == INITIAL { "" } else { own },
                Some(("branch.head", own)) => branch = if own == DETACHED { "" } else { own },
                _ => {}
            },
            "?" => drop(changes.insert(rest, "/untracked")),
            "1" | "2" | "u" => {
                let fields = match kind {
                    "1" => 7,
                    "2" => 8,
                    _ => 9,
                };
                let path = rest.splitn(fields + 1, ' ').nth(fields).ok_or_else(|| git.unread(record))?;
                changes.insert(path, change(kind, rest));
                if kind == "2" {
                    let old = records.next().ok_or_else(|| git.unread(record))?;
                    if change(kind, rest) == "/renamed" {
                        changes.entry(old).or_insert("/deleted");
                    }
                }
            }
            _ => {}
        }
    }
    let mut facts = vec![Fact::new("git_head", [string(commit), string(branch)])];
    let changed = |(path, change): (&str, &str)| Fact::new("git_change", [string(path), name(change)]);
    facts.extend(changes.into_iter().map(changed));
    Ok(facts)
}

/// What the two letters of a record say, the index before the working tree; what is gone is gone whatever came before.
fn change(kind: &str, rest: &str) -> &'static str {
    let mut letters = rest.chars().take(2);
    let (index, tree) = (letters.next().unwrap_or('.'), letters.next().unwrap_or('.'));
    match (kind, index, tree) {
        ("u", ..) => "/conflicted",
        (_, _, 'D') | (_, 'D', '.') => "/deleted",
        (_, 'R', _) | (_, _, 'R') => "/renamed",
        (_, 'C', _) | (_, _, 'C') => "/copied",
        (_, 'A', _) | (_, _, 'A') => "/added",
        (_, 'T', _) | (_, _, 'T') => "/type_changed",
        _ => "/modified",
    }
}

/// The branches, each with its last commit.
fn branches(git: &Git<'_>) -> Result<Vec<Fact>, ActuatorError> {
    let text = git.text(&["for-each-ref", "--format=%(objectname) %(refname:short)", "refs/heads"])?;
    let branch = |line: &str| {
        let (commit, branch) = line.split_once(' ').ok_or_else(|| git.unread(line))?;
        Ok(Fact::new("git_branch", [string(branch), string(commit)]))
    };
    text.lines().map(branch).collect()
}

/// How many of the last commits of an author changed a path.
fn authors(git: &Git<'_>) -> Result<Vec<Fact>, ActuatorError> {
    let text = git.beginning(&[
        "log",
        COMMITS,
        "--no-merges",
        "--no-show-signature",
        "--no-ext-diff",
        "--name-only",
        "-z",
        "--format=%x01%aN",
        "--all",
    ])?;
    let mut commits: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for commit in text.split('\u{1}').filter(|commit| !commit.is_empty()) {
        let mut parts = commit.split('\0');
        let author = parts.next().unwrap_or_default();
        for path in parts.map(|part| part.trim_start_matches('\n')).filter(|path| !path.is_empty()) {
            *commits.entry((path, author)).or_default() += 1;
        }
    }
    let fact = |((path, author), commits): ((&str, &str), usize)| {
        Fact::new("git_author", [string(path), string(author), count(commits)])
    };
    Ok(commits.into_iter().map(fact).collect())
}
