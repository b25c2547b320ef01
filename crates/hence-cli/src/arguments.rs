//! Arguments as people write them by habit: several values after one option, of which it takes the first.

use std::path::Path;

use clap::error::{ContextKind, ContextValue};

use hence_session::shipped;

/// The options that are given once more for another value.
const ONE_EACH: [&str; 4] = ["--rules", "--pack", "--facts", "--base"];

/// Options as other tools call them, with what they are here.
const HABITS: [(&str, &str); 14] = [
    ("--ledger", "--store"),
    ("--db", "--store"),
    ("--dir", "--store"),
    ("--json", "--format json"),
    ("--csv", "--format csv"),
    ("--output", "--format"),
    ("--file", "--facts"),
    ("--input", "--facts"),
    ("--data", "--facts"),
    ("--param", "--set"),
    ("--at", "--now"),
    ("--time", "--now"),
    ("--author", "--as"),
    ("--user", "--as"),
];

/// The words of this call after the program's name, whatever bytes they hold.
pub(super) fn words() -> Vec<String> {
    std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect()
}

/// The help for a command line with several values after one of these options; `refused` is the argument that could not
/// be placed, where there is one.
pub(super) fn help(words: &[String], refused: Option<&str>) -> Option<String> {
    let words: Vec<&str> = words.iter().map(String::as_str).take_while(|word| *word != "--").collect();
    words.iter().enumerate().find_map(|(at, option)| {
        if !ONE_EACH.contains(option) {
            return None;
        }
        let value = words.get(at + 1).filter(|word| !word.starts_with('-'))?;
        let more = words.iter().skip(at + 2).copied();
        let mut more: Vec<&str> = more.take_while(|word| is_value(option, word)).collect();
        if more.is_empty() {
            more.extend(refused.filter(|word| words.get(at + 2) == Some(word) && is_path(word)));
        }
        let all: Vec<String> = [*value]
            .into_iter()
            .chain(more.iter().copied())
            .map(|value| format!("{option} {value}"))
            .collect();
        (!more.is_empty()).then(|| format!("`{option}` takes one value each; write `{}`", all.join(" ")))
    })
}

/// The help for an option that `command` calls otherwise.
pub(super) fn by_its_name(refused: &str, command: &clap::Command) -> Option<String> {
    let (_, here) = HABITS.iter().find(|(habit, _)| *habit == refused)?;
    let name = here.split(' ').next()?.trim_start_matches('-');
    let is_taken = command.get_arguments().any(|taken| taken.get_long() == Some(name));
    is_taken.then(|| format!("write `{here}` in the place of `{refused}`"))
}

/// An error without the tips that mend nothing: no command takes a value that begins with two dashes, and an option whose
/// name here is known isn't one that it resembles.
pub(super) fn without_wrong_tips(mut error: clap::Error, is_known: bool) -> clap::Error {
    if refused(&error).is_some_and(|word| word.starts_with("--")) {
        error.remove(ContextKind::Suggested);
    }
    if is_known {
        error.remove(ContextKind::SuggestedArg);
    }
    error
}

/// Whether a word is there as a value of `option`.
fn is_value(option: &str, word: &str) -> bool {
    match option {
        "--pack" => shipped::packs().contains(&word),
        // Beside rules, other files are what some commands take by itself, such as a proof.
        "--rules" => {
            let path = Path::new(word);
            path.is_dir() || (path.is_file() && path.extension().is_some_and(|ending| ending == "dl"))
        }
        _ => !word.starts_with('-') && Path::new(word).exists(),
    }
}

/// Whether a word was probably meant as a path, or as the name of a pack, and not as a fact or a question.
fn is_path(word: &str) -> bool {
    !word.starts_with('-') && word.chars().all(|c| c.is_alphanumeric() || "._-/\\".contains(c))
}

/// The argument that could not be placed.
pub(super) fn refused(error: &clap::Error) -> Option<&str> {
    match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(word)) => Some(word),
        _ => None,
    }
}
