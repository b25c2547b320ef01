//! Arguments as people write them by habit: several values after one option, of which it takes the first; options under
//! other names, or before the command; files without their option.

use std::borrow::Cow;
use std::path::Path;

use clap::error::{ContextKind, ContextValue};

use hence_ledger::interchange::FactFormat;
use hence_session::shipped;

/// What other tools call the file of their results.
const OUTPUT: &str = "--output";
/// The option that names rule files.
const RULES: &str = "--rules";
/// The option that names fact files.
const FACTS: &str = "--facts";

/// The options that are given once more for another value.
const ONE_EACH: [&str; 4] = [RULES, "--pack", "--facts", "--base"];

/// Options as other tools call them, with what they are here.
const HABITS: [(&str, &str); 14] = [
    ("--ledger", "--store"),
    ("--db", "--store"),
    ("--dir", "--store"),
    ("--json", "--format json"),
    ("--csv", "--format csv"),
    (OUTPUT, "--format"),
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

/// What mends an argument that could not be placed, where it is an option or a file of the command.
pub(super) fn otherwise(words: &[String], refused: Option<&str>, whole: &clap::Command) -> Option<String> {
    let tried = |words: &[String]| {
        let words = std::iter::once(String::from("hence")).chain(words.iter().cloned());
        whole.clone().try_get_matches_from(words).err()
    };
    let refused = refused?;
    let mut places = words.iter().skip_while(|word| ["-q", "--quiet"].contains(&word.as_str()));
    if let Some(command) = places.next().and_then(|word| whole.find_subcommand(word)) {
        // That of `hence param list` is `list`.
        let deepest = places.try_fold(command, |command, word| command.find_subcommand(word).ok_or(command));
        let command = deepest.unwrap_or_else(|command| command);
        return by_its_name((words, refused), command, tried)
            .or_else(|| files((words, refused), command, tried));
    }
    after_command(words, whole, tried)
}

/// The help for an option that `command` calls otherwise. `tried` says what is wrong with other words.
fn by_its_name(
    (words, refused): (&[String], &str),
    command: &clap::Command,
    tried: impl Fn(&[String]) -> Option<clap::Error>,
) -> Option<String> {
    let (_, here) = HABITS.iter().find(|(habit, _)| *habit == refused)?;
    let name = here.split(' ').next()?;
    let is_taken = takes(command, name);
    let instead: Vec<String> = words
        .iter()
        .flat_map(|word| match word.strip_prefix(refused) {
            Some("") => here.split(' ').map(str::to_owned).collect(),
            Some(value) if value.starts_with('=') => vec![format!("{name}{value}")],
            _ => vec![word.clone()],
        })
        .collect();
    // Something else may be wrong still.
    let is_about_it =
        |error: clap::Error| self::refused(&error).is_some_and(|word| word.split(' ').next() == Some(name));
    if is_taken && !tried(&instead).is_some_and(is_about_it) {
        return Some(format!("write `{here}` in the place of `{refused}`"));
    }
    (refused == OUTPUT).then(|| to_file(words))
}

/// Where results go.
fn to_file(words: &[String]) -> String {
    let value = |(at, word): (usize, &String)| match word.strip_prefix(OUTPUT)? {
        "" => words.get(at + 1).filter(|next| !next.starts_with('-')).cloned(),
        value => value.strip_prefix('=').map(str::to_owned),
    };
    let file = words.iter().enumerate().find_map(value);
    let (file, option) = file.map_or_else(
        || (String::from("FILE"), OUTPUT.to_owned()),
        |file| (file.clone(), format!("{OUTPUT} {file}")),
    );
    format!("results go to standard output: write `> {file}` in the place of `{option}`")
}

/// The help for options before the command that takes them. `tried` says what is wrong with other words.
fn after_command(
    words: &[String],
    root: &clap::Command,
    tried: impl Fn(&[String]) -> Option<clap::Error>,
) -> Option<String> {
    let is_command = |(at, word): &(usize, &String)| *at > 0 && root.find_subcommand(word).is_some();
    let places: Vec<usize> = words.iter().enumerate().filter(is_command).map(|(at, _)| at).collect();
    places.into_iter().find_map(|at| {
        let (before, after) = words.split_at(at);
        let end = after.iter().position(|word| word == "--").unwrap_or(after.len());
        let (own, rest) = after.split_at(end);
        let moved = [own, before, rest].concat();
        let line = moved.iter().map(|word| in_shell(word)).collect::<Vec<_>>().join(" ");
        tried(&moved).is_none().then(|| format!("options go after the command: `hence {line}`"))
    })
}

/// The help for files that are named as arguments of a `command` that takes them by an option. `tried` says what is wrong
/// with other words.
fn files(
    (words, refused): (&[String], &str),
    command: &clap::Command,
    tried: impl Fn(&[String]) -> Option<clap::Error>,
) -> Option<String> {
    if help(words, Some(refused)).is_some() {
        return None;
    }
    let (mut words, mut refused, mut named) = (words.to_vec(), refused.to_owned(), Vec::new());
    while let Some(option) = file_option(&refused).filter(|option| takes(command, option)) {
        let at = words.iter().rposition(|word| *word == refused)?;
        words.splice(at..=at, [option.to_owned(), refused.clone()]);
        named.push(format!("{option} {}", in_shell(&refused)));
        let Some(next) = tried(&words) else { break };
        refused = self::refused(&next).unwrap_or_default().to_owned();
    }
    (!named.is_empty()).then(|| format!("write `{}`", named.join(" ")))
}

/// The option that names a file such as `path`.
fn file_option(path: &str) -> Option<&'static str> {
    let path = Path::new(path);
    if path.extension().is_some_and(|ending| ending == "dl") {
        return Some(RULES);
    }
    FactFormat::of(path).map(|_| FACTS)
}

/// Whether a command lists this option.
fn takes(command: &clap::Command, option: &str) -> bool {
    let name = option.trim_start_matches('-');
    command.get_arguments().any(|taken| taken.get_long() == Some(name) && !taken.is_hide_set())
}

/// A word as a shell reads it.
fn in_shell(word: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./=,:+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return Cow::Borrowed(word);
    }
    Cow::Owned(format!("'{}'", word.replace('\'', "'\\''")))
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
