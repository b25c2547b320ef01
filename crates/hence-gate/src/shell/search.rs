//! `find` and `fd`: the files that they find, and what they do with them.

use std::path::{Path, PathBuf};

use super::options::{Spec, take};
use super::runners::{is_letter, replaced};
use super::walk::{Stdin, Walk};
use super::word::Word;
use super::{Mode, glob};

/// `find`: its folders, the commands that it runs, and what it removes.
pub(super) fn find(walk: &mut Walk, arguments: &[Word]) {
    let is_test = |word: &Word| {
        word.text.starts_with('-') && word.text.len() > 2 || matches!(word.text.as_str(), "(" | "!" | ")")
    };
    let (roots, tests) = arguments.split_at(arguments.iter().position(is_test).unwrap_or(arguments.len()));
    let roots: Vec<Word> = roots.iter().filter(|word| !word.text.starts_with('-')).cloned().collect();
    let roots = if roots.is_empty() { vec![Word::known(".")] } else { roots };
    roots.iter().for_each(|root| walk.access(root, Mode::Use));
    let mut left = tests.iter().enumerate();
    while let Some((at, word)) = left.next() {
        let before = tests.get(..at).unwrap_or_default();
        match word.text.as_str() {
            "-delete" | "-exec" | "-execdir" | "-ok" | "-okdir" if walk.is_over() => return,
            "-delete" => {
                let (found, is_named) = found(walk, &roots, before);
                let options = if is_named { "-d" } else { "-dr" };
                let words = [Word::known("rm"), Word::known(options)].into_iter().chain(found);
                walk.run(&words.collect::<Vec<_>>(), &Stdin::Piped);
            }
            "-fprint" | "-fprintf" | "-fls" | "-fprint0" => {
                left.next().iter().for_each(|(_, file)| walk.access(file, Mode::Write));
            }
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let mut command: Vec<Word> = Vec::new();
                for (_, word) in left.by_ref() {
                    if word.text == ";"
                        || word.text == "+" && command.last().is_some_and(|last| last.text == "{}")
                    {
                        break;
                    }
                    command.push(word.clone());
                }
                let (found, _) = found(walk, &roots, before);
                let command = replaced(walk, command, "{}", &found);
                walk.run(&command, &Stdin::Piped);
            }
            _ => {}
        }
    }
}

/// What `find` may find by the tests before an action, and whether these hold only for files of some names, or for empty ones. What a
/// test finds may be anywhere below; that it is found by that name tells what it is.
fn found(walk: &mut Walk, roots: &[Word], tests: &[Word]) -> (Vec<Word>, bool) {
    let tests = last_alternative(tests);
    let is_named = alternatives(tests).is_some_and(|all| all.iter().all(|part| is_named(part)));
    let mut all: Vec<Word> = Vec::new();
    let names: Vec<(&str, &Word)> = named(tests).collect();
    for (test, name) in &names {
        let pattern = match *test {
            "-regex" | "-iregex" => of_regex(&name.text),
            _ => name.text.clone(),
        };
        let own = match *test {
            "-name" | "-iname" => name.text.clone(),
            _ => place(&pattern),
        };
        all.extend(roots.iter().map(|root| Word {
            text: format!("{}/{own}", root.text),
            unknown: root.unknown.clone(),
            is_pattern: false,
        }));
        all.extend(walk.found_below(roots, &pattern, true));
    }
    if names.is_empty() {
        all.extend(few(walk, roots, tests));
    }
    let is_empty = tests.iter().any(|word| word.text == "-empty")
        && alternatives(tests).is_some_and(|all| all.len() == 1);
    if is_empty && !is_named {
        all.extend(
            roots.iter().map(|root| Word { text: format!("{}/{{empty}}", root.text), ..root.clone() }),
        );
    } else if !is_named {
        all.extend(roots.iter().cloned());
    }
    (all, is_named || is_empty)
}

/// The files that tests without names may mean, where these point at single ones: all, as deep as they go.
fn few(walk: &mut Walk, roots: &[Word], tests: &[Word]) -> Vec<Word> {
    let value = |name: &str| {
        let at = tests.iter().position(|word| word.text == name)?;
        tests.get(at + 1).map(|word| word.text.as_str())
    };
    let points = ["-inum", "-samefile", "-lname", "-ilname", "-maxdepth"];
    if value("-type") == Some("d") || points.iter().all(|name| value(name).is_none()) {
        return Vec::new();
    }
    let found = walk.found_below(roots, "*", false);
    let deepest = value("-maxdepth").and_then(|deep| deep.parse().ok()).unwrap_or(usize::MAX);
    let depth = |root: &Word, file: &Word| {
        let below =
            |root: &PathBuf| Path::new(&file.text).strip_prefix(root).ok().map(|path| path.iter().count());
        walk.resolved(&root.text).iter().find_map(below)
    };
    let is_near = |file: &Word| roots.iter().filter_map(|root| depth(root, file)).any(|deep| deep <= deepest);
    found.into_iter().filter(is_near).collect()
}

/// The tests after the last `-o` that is in no parentheses: an action holds for what they hold for.
fn last_alternative(tests: &[Word]) -> &[Word] {
    let (mut depth, mut from) = (0, 0);
    for (at, word) in tests.iter().enumerate() {
        match word.text.as_str() {
            "(" => depth += 1,
            ")" => depth -= 1,
            "-o" | "-or" | "," if depth == 0 => from = at + 1,
            _ => {}
        }
    }
    tests.get(from..).unwrap_or_default()
}

/// The alternatives of tests with at most one pair of parentheses, each with the tests beside it; `None` where there are more or
/// one is negated.
fn alternatives(tests: &[Word]) -> Option<Vec<Vec<&Word>>> {
    let is = |word: &Word, texts: &[&str]| texts.contains(&word.text.as_str());
    let mut parts = tests.split(|word| is(word, &["("]));
    let (before, inside) = (parts.next()?, parts.next());
    if parts.next().is_some() {
        return None;
    }
    let Some(inside) = inside else {
        return Some(vec![before.iter().collect()]);
    };
    let (inside, after) = inside.split_at(inside.iter().position(|word| is(word, &[")"]))?);
    if before.last().is_some_and(|word| is(word, &["!", "-not"])) {
        return None;
    }
    let each = inside.split(|word| is(word, &["-o", "-or"]));
    Some(each.map(|part| before.iter().chain(part).chain(after).collect()).collect())
}

/// Whether tests that all hold say the name of what they hold for.
fn is_named(tests: &[&Word]) -> bool {
    let says = |name: &str| simple_part(name).chars().any(char::is_alphanumeric);
    tests.iter().enumerate().any(|(at, word)| {
        let is_negated = at
            .checked_sub(1)
            .and_then(|at| tests.get(at))
            .is_some_and(|word| matches!(word.text.as_str(), "!" | "-not"));
        let name = tests.get(at + 1).map_or("", |name| name.text.as_str());
        match word.text.as_str() {
            "-name" | "-iname" => !is_negated && says(name),
            "-path" | "-ipath" | "-wholename" => !is_negated && place(name) != "*" && says(&place(name)),
            _ => false,
        }
    })
}

/// A pattern without its sets in brackets.
fn simple_part(pattern: &str) -> String {
    let mut depth = 0;
    let outside = |c: &char| {
        match c {
            '[' => depth += 1,
            ']' => depth = 0,
            _ => return depth == 0,
        }
        false
    };
    pattern.chars().filter(outside).collect()
}

/// The first part of a pattern of paths that is a name.
fn place(pattern: &str) -> String {
    let is_name = |part: &&str| !matches!(*part, "" | "." | "..") && !part.contains(['*', '?', '[']);
    pattern.split('/').find(is_name).unwrap_or("*").to_owned()
}

/// A pattern of names that fits at least what a regular expression of paths does.
fn of_regex(regex: &str) -> String {
    let name = regex.rsplit('/').next().unwrap_or(regex);
    let is_cut = name.find(']').is_some_and(|end| name.find('[').is_none_or(|start| end < start));
    if is_cut || regex.contains(['|', '(']) {
        return String::from("*");
    }
    let mut all = String::new();
    let mut left = name.chars();
    while let Some(c) = left.next() {
        let is_loose = left.as_str().starts_with(['?', '*', '{', '\\']);
        let is_letter = c.is_alphanumeric() || matches!(c, '_' | '-');
        match c {
            '\\' => drop(left.next()),
            '[' => left = glob::after_set(left.as_str()).unwrap_or_default().chars(),
            _ => {}
        }
        all.push(if is_letter && !is_loose { c } else { '*' });
    }
    all
}

/// The names and paths that `find` looks for, each with its test, but for those that it leaves out.
fn named(tests: &[Word]) -> impl Iterator<Item = (&str, &Word)> {
    let text = |at: Option<usize>| at.and_then(|at| tests.get(at)).map_or("", |word| word.text.as_str());
    tests.iter().enumerate().filter_map(move |(at, name)| {
        let test = text(at.checked_sub(1));
        let is_test =
            matches!(test, "-name" | "-iname" | "-path" | "-ipath" | "-wholename" | "-regex" | "-iregex");
        let is_left_out = matches!(text(at.checked_sub(2)), "!" | "-not") || text(Some(at + 1)) == "-prune";
        (is_test && !is_left_out).then_some((test, name))
    })
}

/// `fd`: the command that it runs for what it finds.
pub(super) fn fd(walk: &mut Walk, arguments: &[Word]) {
    let at = arguments
        .iter()
        .position(|word| matches!(word.text.as_str(), "-x" | "-X" | "--exec" | "--exec-batch"));
    let (own, command) = arguments.split_at(at.unwrap_or(arguments.len()));
    own.iter().for_each(|word| walk.perhaps(word));
    if let Some((_, command)) = command.split_first() {
        let spec =
            Spec { letters: "etdEjSoc", words: &["extension", "type", "exclude", "max-depth"], stops: false };
        let taken = take(own, spec);
        let (pattern, roots) = match taken.rest.split_first() {
            Some((pattern, roots)) => (pattern.text.as_str(), roots),
            None => ("", taken.rest.as_slice()),
        };
        let is_part = |c: char| c.is_alphanumeric() || "_-".contains(c);
        // Its patterns are found anywhere in a name; what is no letter of it may be anything.
        let pattern: String = pattern.chars().map(|c| if is_part(c) { c } else { '*' }).collect();
        let roots = if roots.is_empty() { vec![Word::known(".")] } else { roots.to_vec() };
        let shows_hidden = own.iter().any(|word| {
            matches!(word.text.as_str(), "--hidden" | "--unrestricted")
                || is_letter(word, 'H')
                || is_letter(word, 'u')
        });
        let below = walk.found_below(&roots, &format!("*{pattern}*"), false);
        let below = below.into_iter().filter(|word| shows_hidden || !word.text.contains("/."));
        let found: Vec<Word> = roots.into_iter().chain(below).collect();
        let mut words = replaced(walk, command.to_vec(), "{}", &found);
        words.extend(found);
        walk.run(&words, &Stdin::Piped);
    }
}
