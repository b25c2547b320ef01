//! `git`: the files that its subcommands touch, and the many ways in which it runs other programs.

use super::options::{Spec, Taken, take};
use super::walk::Walk;
use super::word::Word;
use super::{Mode, Why};

/// Subcommands that git has by itself; others are programs or aliases.
const KNOWN: &[&str] = &[
    "add",
    "am",
    "apply",
    "archive",
    "bisect",
    "blame",
    "branch",
    "bundle",
    "cat-file",
    "check-ignore",
    "checkout",
    "cherry",
    "cherry-pick",
    "clean",
    "clone",
    "commit",
    "config",
    "describe",
    "diff",
    "diff-tree",
    "difftool",
    "fetch",
    "filter-branch",
    "for-each-ref",
    "format-patch",
    "fsck",
    "gc",
    "grep",
    "help",
    "init",
    "log",
    "ls-files",
    "ls-remote",
    "ls-tree",
    "merge",
    "merge-base",
    "mergetool",
    "mv",
    "notes",
    "pull",
    "push",
    "range-diff",
    "rebase",
    "reflog",
    "remote",
    "reset",
    "restore",
    "rev-list",
    "rev-parse",
    "revert",
    "rm",
    "shortlog",
    "show",
    "show-ref",
    "sparse-checkout",
    "stash",
    "status",
    "submodule",
    "switch",
    "symbolic-ref",
    "tag",
    "update-index",
    "update-ref",
    "version",
    "worktree",
    "name-rev",
    "count-objects",
    "hash-object",
    "var",
    "prune",
    "repack",
    "send-email",
    "stripspace",
    "whatchanged",
    "check-attr",
    "check-mailmap",
    "check-ref-format",
    "commit-tree",
    "diff-files",
    "diff-index",
    "merge-tree",
    "mktree",
    "patch-id",
    "read-tree",
    "show-branch",
    "verify-commit",
    "verify-tag",
    "write-tree",
];

/// Keys of its configuration that name a program, at their beginning or end.
const RUNS: &[&str] = &[
    "alias.",
    "core.pager",
    "core.editor",
    "core.sshcommand",
    "core.fsmonitor",
    "core.hookspath",
    "core.gitproxy",
    "core.askpass",
    "diff.external",
    ".textconv",
    ".command",
    ".cmd",
    ".driver",
    ".clean",
    ".smudge",
    ".process",
    "gpg.program",
    "gpg.ssh.program",
    ".program",
    "sequence.editor",
    "credential",
    "pager.",
    "include",
    "init.templatedir",
    "protocol.ext",
    "uploadpack.",
    "receivepack",
    "sendemail.",
    "url.",
    "browser.",
    "web.browser",
    "interactive.difffilter",
    "difftool.",
    "mergetool.",
    "filter.",
    "trailer.",
    "remote.",
    "core.worktree",
    "submodule.",
];

/// Takes in `git`; whether it is it.
pub(super) fn run(walk: &mut Walk, name: &str, arguments: &[Word]) -> bool {
    if name != "git" {
        return false;
    }
    let folders = walk.folders.clone();
    command(walk, arguments);
    walk.folders = folders;
    true
}

fn command(walk: &mut Walk, arguments: &[Word]) {
    let global = Spec {
        letters: "Cc",
        words: &["git-dir", "work-tree", "namespace", "config-env", "super-prefix"],
        stops: true,
    };
    let taken = take(arguments, global);
    for folder in taken.values(&["-C"]) {
        match folder.as_known() {
            Some(path) => walk.folders = walk.resolved(path),
            None => walk.opaque(Why::Folder, &folder.text),
        }
    }
    taken.values(&["--git-dir", "--work-tree"]).for_each(|folder| walk.access(folder, Mode::Write));
    taken.values(&["-c", "--config-env"]).for_each(|setting| configured(walk, &setting.text));
    if taken.has(&["--exec-path"]) && arguments.iter().any(|word| word.text.starts_with("--exec-path=")) {
        walk.opaque(Why::Script, "git --exec-path");
    }
    let Some((verb, rest)) = taken.rest.split_first() else { return };
    let Some(verb) = verb.as_known() else {
        return walk.opaque(Why::Variable, &verb.text);
    };
    if !KNOWN.contains(&verb) {
        walk.opaque(Why::Script, &format!("git {verb}"));
    }
    if verb == "push" && taken.values(&["-c", "--config-env"]).any(|setting| pushes_all(&setting.text)) {
        flag(walk, "--all");
    }
    subcommand(walk, verb, rest);
}

/// Whether a setting has a push name every branch that the other side has, too.
fn pushes_all(setting: &str) -> bool {
    let (key, value) = setting.split_once('=').unwrap_or((setting, ""));
    // What the environment holds isn't known.
    key.eq_ignore_ascii_case("push.default")
        && !matches!(value, "nothing" | "current" | "simple" | "upstream")
}

/// Gives the command at hand an option that says what its words mean.
fn flag(walk: &mut Walk, flag: &str) {
    if let Some(stage) = walk.seen.stages.last_mut() {
        stage.flags.insert(flag.to_owned());
    }
}

/// What is pushed as what, in the words of options: `+x` forces, `:x` removes, `:` and a pattern are all branches.
fn refspec(walk: &mut Walk, text: &str) {
    let bare = text.strip_prefix('+').unwrap_or(text);
    if bare != text {
        flag(walk, "--force");
    }
    match bare {
        ":" => flag(walk, "--all"),
        _ if bare.contains('*') => flag(walk, "--all"),
        _ if bare.starts_with(':') => flag(walk, "--delete"),
        _ => {}
    }
}

/// A setting `KEY=VALUE`.
fn configured(walk: &mut Walk, setting: &str) {
    let (key, value) = setting.split_once('=').unwrap_or((setting, ""));
    let lower = key.to_ascii_lowercase();
    let harmless = matches!(value, "" | "cat" | "true" | "false" | "less" | ":" | "never");
    let runs =
        RUNS.iter().any(|known| lower.starts_with(known) || known.starts_with('.') && lower.ends_with(known));
    if runs && !harmless {
        walk.opaque(Why::InlineCode, &format!("git -c {key}"));
        walk.read(value.trim_start_matches('!'));
    }
}

fn subcommand(walk: &mut Walk, verb: &str, rest: &[Word]) {
    let spec = Spec {
        letters: "mbxoFCScu",
        words: &[
            "exec",
            "message",
            "output",
            "output-directory",
            "upload-pack",
            "receive-pack",
            "extcmd",
            "file",
            "author",
            "template",
            "separate-git-dir",
            "index-output",
        ],
        stops: false,
    };
    let taken = take(rest, spec);
    let runs: &[&str] = match verb {
        "rebase" => &["-x", "--exec"],
        "difftool" => &["-x", "--extcmd"],
        "clone" | "fetch" | "pull" | "ls-remote" => &["-u", "--upload-pack"],
        "push" => &["--receive-pack", "--exec"],
        "archive" => &["--exec"],
        _ => &[],
    };
    for command in taken.values(runs) {
        walk.opaque(Why::InlineCode, &format!("git {verb}"));
        walk.read(&command.text);
    }
    let outputs = ["-o", "--output", "--output-directory", "--index-output"];
    taken.values(&outputs).for_each(|file| walk.access(file, Mode::Write));
    taken.values(&["-F", "--file"]).for_each(|file| walk.access(file, Mode::Read));
    if rest.iter().any(|word| word.text.starts_with("ext::") || word.text.contains("-oProxyCommand")) {
        walk.opaque(Why::InlineCode, &format!("git {verb}"));
    }
    match (verb, taken.rest.first().map(|word| word.text.as_str())) {
        ("bisect", Some("run")) | ("submodule", Some("foreach")) => {
            let command: Vec<&str> = taken.rest.iter().skip(1).map(|word| word.text.as_str()).collect();
            walk.read(&command.join(" "));
        }
        ("filter-branch" | "mergetool" | "send-email", _) => {
            walk.opaque(Why::InlineCode, &format!("git {verb}"))
        }
        ("grep", _) if taken.has(&["-O", "--open-files-in-pager"]) => {
            walk.opaque(Why::InlineCode, "git grep -O")
        }
        ("push", _) => taken.rest.iter().for_each(|word| refspec(walk, &word.text)),
        ("config", _) => config(walk, &taken.rest, taken.has(&["--global", "--system"])),
        _ => {}
    }
    made(walk, verb, &taken);
    files(walk, verb, &taken.rest);
}

/// The files and folders that a subcommand makes or changes by itself.
fn made(walk: &mut Walk, verb: &str, taken: &Taken) {
    let only_looks = ["--check", "--stat", "--numstat", "--summary"];
    let written = match (verb, taken.rest.as_slice()) {
        // As `patch` does.
        ("apply" | "am", _) if !taken.has(&only_looks) => Some(Word::known(".")),
        ("worktree", [action, folder, ..]) if matches!(action.text.as_str(), "add" | "remove") => {
            Some(folder.clone())
        }
        ("worktree", [action, _, folder, ..]) if action.text == "move" => Some(folder.clone()),
        ("bundle", [action, file, ..]) if action.text == "create" => Some(file.clone()),
        ("init", [folder, ..]) => Some(folder.clone()),
        ("init", []) => Some(Word::known(".git")),
        // What git doesn't know is taken away, too.
        ("stash", rest)
            if taken.has(&["-u", "-a", "--include-untracked", "--all"])
                && !rest
                    .first()
                    .is_some_and(|word| matches!(word.text.as_str(), "show" | "list" | "pop" | "apply")) =>
        {
            Some(Word::known("."))
        }
        ("switch", _) if taken.has(&["--orphan"]) => Some(Word::known(".")),
        ("submodule", [action, _, folder, ..]) if action.text == "add" => Some(folder.clone()),
        _ => None,
    };
    written.iter().for_each(|path| walk.access(path, Mode::Write));
    taken.values(&["--separate-git-dir"]).for_each(|folder| walk.access(folder, Mode::Write));
    if taken.values(&["--template"]).any(|folder| !folder.text.is_empty()) && matches!(verb, "init" | "clone")
    {
        walk.opaque(Why::InlineCode, &format!("git {verb} --template"));
    }
}

fn config(walk: &mut Walk, rest: &[Word], is_global: bool) {
    let rest = match rest {
        [first, after @ ..] if matches!(first.text.as_str(), "set" | "get" | "list" | "unset") => after,
        rest => rest,
    };
    if let [key, value, ..] = rest {
        configured(walk, &format!("{}={}", key.text, value.text));
        let file = if is_global { "~/.gitconfig" } else { ".git/config" };
        let file = file.replacen('~', &crate::paths::home().unwrap_or_default().to_string_lossy(), 1);
        walk.access(&Word::known(file), Mode::Write);
    }
}

fn files(walk: &mut Walk, verb: &str, rest: &[Word]) {
    for word in rest {
        match verb {
            "rm" => walk.access(word, Mode::Delete),
            "mv" => walk.access(word, Mode::Write),
            "apply" | "am" | "bundle" => walk.access(word, Mode::Read),
            "restore" => walk.access(word, Mode::Write),
            "commit" | "push" | "pull" | "fetch" | "clone" | "remote" | "config"
                if word.unknown.is_none() => {}
            _ => walk.perhaps(word),
        }
    }
    if verb == "clone"
        && let Some(folder) = rest.get(1)
    {
        walk.access(folder, Mode::Write);
    }
}
