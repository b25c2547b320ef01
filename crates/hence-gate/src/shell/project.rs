//! Runners of the project's own code, and what they fetch, run and write beside it.

use super::Why;
use super::options::{Spec, take};
use super::runners::{code_of, is_letter, said, script};
use super::table::OUTPUTS;
use super::walk::{Stdin, Walk};
use super::word::Word;

/// What project runners do without running the project's code.
const QUIET: [&str; 18] = [
    "fmt",
    "metadata",
    "tree",
    "search",
    "ls",
    "list",
    "view",
    "info",
    "outdated",
    "why",
    "version",
    "env",
    "help",
    "clean",
    "--version",
    "-V",
    "--help",
    "config",
];

/// Options by which project runners run code that the project doesn't hold.
const CODE: [&str; 15] = [
    "--eval",
    "SHELL=",
    "--config",
    "--script-shell",
    "--node-options",
    "-exec",
    "-toolexec",
    "-vettool",
    "-E",
    "-P",
    "--init-script",
    "--require",
    "--rulesdir",
    "--plugin",
    "--import",
];

/// Takes in such a runner; those that run any program run it here.
pub(super) fn run(walk: &mut Walk, name: &str, arguments: &[Word], stdin: &Stdin) {
    let first = arguments.first().map(|word| word.text.as_str()).unwrap_or_default();
    let verb = arguments.iter().map(|word| word.text.as_str()).find(|text| !text.starts_with('-'));
    let verb = verb.unwrap_or(first);
    if matches!(
        (name, verb),
        ("poetry" | "uv" | "pipenv", "run") | ("bundle" | "npm" | "pnpm" | "yarn", "exec")
    ) {
        let after = arguments.iter().skip_while(|word| word.text != verb).skip(1);
        let after: Vec<Word> = after.cloned().collect();
        let taken = take(&after, Spec { letters: "cp", words: &["call", "package"], stops: true });
        taken.values(&["-c", "--call"]).for_each(|code| code_of(walk, std::slice::from_ref(code)));
        if name == "npm" {
            // What the project has not it fetches.
            walk.opaque(Why::Script, &said(name, arguments));
        }
        walk.run(&taken.rest, stdin);
        return;
    }
    if (name, verb) == ("npm", "explore") {
        let command = arguments.iter().skip_while(|word| word.text != "--").skip(1);
        walk.run(&command.cloned().collect::<Vec<_>>(), stdin);
    }
    if fetches(name, verb, arguments) {
        walk.opaque(Why::Script, &said(name, arguments));
    }
    if !QUIET.contains(&first) {
        walk.opaque(Why::ProjectCode, &said(name, arguments.get(..1).unwrap_or_default()));
    }
    code_in(walk, name, arguments);
    outputs(walk, name, arguments);
    arguments.iter().for_each(|word| walk.perhaps(word));
}

/// Whether a runner runs what it fetches.
fn fetches(name: &str, verb: &str, arguments: &[Word]) -> bool {
    let mut after = arguments.iter().map(|word| word.text.as_str()).skip_while(|text| *text != verb).skip(1);
    match (name, verb) {
        ("npm", "explore") | ("pnpm" | "yarn" | "bun", "dlx" | "x") => true,
        ("npm" | "pnpm" | "yarn" | "bun", "init" | "create") => after.any(|text| !text.starts_with('-')),
        ("go", "run") => {
            let is_elsewhere = |text: &str| text.contains('@') || is_elsewhere(text);
            let is_package =
                |text: &&str| text.starts_with('.') || text.ends_with(".go") || is_elsewhere(text);
            after.find(is_package).is_some_and(is_elsewhere)
        }
        _ => false,
    }
}

/// Code in arguments, and files of it that are no file of the project.
fn code_in(walk: &mut Walk, name: &str, arguments: &[Word]) {
    let is_make = matches!(name, "make" | "gmake");
    // A variable of make is expanded, and one that is set by `!=` runs.
    let is_run = |text: &str| text.contains("!=") || text.contains('=') && text.contains(['$', '`']);
    let runs = |word: &Word| {
        CODE.iter().any(|option| word.text.starts_with(option))
            || is_make && is_run(&word.text)
            || name == "just" && (word.text.starts_with("--command") || is_letter(word, 'c'))
    };
    if arguments.iter().any(runs) {
        walk.opaque(Why::InlineCode, name);
    }
    if is_make {
        for word in arguments.iter().filter(|word| !word.text.starts_with('-')) {
            word.text
                .split_once('=')
                .iter()
                .for_each(|(name, value)| walk.environment(name, &word.part(value), true));
        }
    }
    if is_make || matches!(name, "ninja" | "just" | "task") {
        let words = &["file", "makefile", "justfile", "taskfile", "directory"];
        let taken = take(arguments, Spec { letters: "fCIotjd", words, stops: false });
        for file in taken.values(&["-f", "--file", "--makefile", "--justfile", "--taskfile"]) {
            match file.text.as_str() {
                "-" | "/dev/stdin" => walk.opaque(Why::StdinCode, name),
                _ => script(walk, Some(file)),
            }
        }
    }
}

/// What options of runners name that is written.
fn outputs(walk: &mut Walk, name: &str, arguments: &[Word]) {
    let is_output = |option: &str| {
        OUTPUTS.contains(&option)
            || option == "-o" && matches!(name, "go" | "zig" | "dotnet")
            || option == "-B" && name == "cmake"
    };
    let verb = arguments.iter().position(|word| matches!(word.text.as_str(), "new" | "init"));
    if let Some(at) = verb.filter(|_| matches!(name, "cargo" | "uv" | "poetry" | "stack" | "mix")) {
        let made = arguments.iter().skip(at + 1).rfind(|word| !word.text.starts_with('-'));
        made.iter().for_each(|folder| walk.written_by_tool(folder));
    }
    for (at, word) in arguments.iter().enumerate() {
        match word.text.split_once('=') {
            Some((option, value)) if is_output(option) => walk.written_by_tool(&word.part(value)),
            None if is_output(&word.text) => {
                arguments.get(at + 1).iter().for_each(|value| walk.written_by_tool(value));
            }
            _ => {}
        }
    }
}

/// `deno`, which runs code from anywhere.
pub(super) fn deno(walk: &mut Walk, arguments: &[Word]) {
    let (verb, rest) = match arguments.split_first() {
        Some((verb, rest)) => (verb.text.as_str(), rest),
        None => return walk.opaque(Why::StdinCode, "deno"),
    };
    match verb {
        "eval" | "repl" => walk.opaque(Why::InlineCode, "deno"),
        "fmt" | "lint" | "check" | "info" | "doc" | "types" | "--version" | "--help" => {}
        "task" | "test" | "bench" => walk.opaque(Why::ProjectCode, &said("deno", arguments)),
        _ => {
            // Without a subcommand the file comes first.
            let file = rest.iter().find(|word| !word.text.starts_with('-')).or(arguments.first());
            match file {
                Some(file) if is_elsewhere(&file.text) => walk.opaque(Why::Script, &file.text),
                file => script(walk, file),
            }
        }
    }
    arguments.iter().for_each(|word| walk.perhaps(word));
}

/// Whether a word names code of other people: an address, or a package of a registry.
fn is_elsewhere(word: &str) -> bool {
    let first = word.split('/').next().unwrap_or_default();
    let is_host = word.contains('/') && first.contains('.') && !first.starts_with('.');
    word.contains("://") || ["npm:", "jsr:"].iter().any(|start| word.starts_with(start)) || is_host
}
