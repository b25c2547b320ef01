//! `find` and `fd`: the files that they find, and what they do with them.

use super::Mode;
use super::options::{Spec, take};
use super::runners::{is_letter, replaced};
use super::walk::{Stdin, Walk};
use super::word::Word;

/// `find`: its folders, the commands that it runs, and what it removes.
pub(super) fn find(walk: &mut Walk, arguments: &[Word]) {
    let is_test = |word: &Word| {
        word.text.starts_with('-') && word.text.len() > 2 || matches!(word.text.as_str(), "(" | "!" | ")")
    };
    let roots: Vec<Word> = arguments
        .iter()
        .take_while(|word| !is_test(word))
        .filter(|word| !word.text.starts_with('-'))
        .cloned()
        .collect();
    let roots = if roots.is_empty() { vec![Word::known(".")] } else { roots };
    let found = found(walk, &roots, arguments);
    roots.iter().for_each(|root| walk.access(root, Mode::Use));
    let mut left = arguments.iter();
    while let Some(word) = left.next() {
        match word.text.as_str() {
            "-delete" => found.iter().for_each(|root| walk.access(root, Mode::Delete)),
            "-fprint" | "-fprintf" | "-fls" | "-fprint0" => {
                left.next().iter().for_each(|file| walk.access(file, Mode::Write));
            }
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let mut command: Vec<Word> = Vec::new();
                for word in left.by_ref() {
                    if word.text == ";"
                        || word.text == "+" && command.last().is_some_and(|last| last.text == "{}")
                    {
                        break;
                    }
                    command.push(word.clone());
                }
                let command: Vec<Word> =
                    command.into_iter().flat_map(|word| replaced(word, "{}", &found)).collect();
                walk.run(&command, &Stdin::Piped);
            }
            _ => {}
        }
    }
}

/// What `find` may find. What a test finds may be anywhere below; that it is found by that name tells what it is.
fn found(walk: &mut Walk, roots: &[Word], arguments: &[Word]) -> Vec<Word> {
    let names: Vec<&Word> = arguments
        .windows(2)
        .filter_map(|pair| match pair {
            [test, name] if matches!(test.text.as_str(), "-name" | "-iname" | "-path" | "-wholename") => {
                Some(name)
            }
            _ => None,
        })
        .collect();
    let files: Vec<Word> =
        match arguments.iter().any(|word| word.text.starts_with("-exec") || word.text.starts_with("-ok")) {
            true => wanted(arguments).flat_map(|name| walk.found_below(roots, &name.text)).collect(),
            false => Vec::new(),
        };
    roots
        .iter()
        .flat_map(|root| {
            let below = names.iter().map(move |name| Word {
                text: format!("{}/{}", root.text, name.text),
                unknown: root.unknown.clone(),
                is_pattern: false,
            });
            below.chain([root.clone()])
        })
        .chain(files)
        .collect()
}

/// The names and paths that `find` looks for, but for those that it leaves out.
fn wanted(arguments: &[Word]) -> impl Iterator<Item = &Word> {
    let text = |at: Option<usize>| at.and_then(|at| arguments.get(at)).map_or("", |word| word.text.as_str());
    arguments.iter().enumerate().filter_map(move |(at, name)| {
        let is_test = |at| matches!(text(at), "-name" | "-iname" | "-path" | "-ipath" | "-wholename");
        let is_left_out = matches!(text(at.checked_sub(2)), "!" | "-not") || text(Some(at + 1)) == "-prune";
        (is_test(at.checked_sub(1)) && !is_left_out).then_some(name)
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
        let below = walk.found_below(&roots, &format!("*{pattern}*"));
        let below = below.into_iter().filter(|word| shows_hidden || !word.text.contains("/."));
        let found: Vec<Word> = roots.into_iter().chain(below).collect();
        let mut words: Vec<Word> =
            command.iter().cloned().flat_map(|word| replaced(word, "{}", &found)).collect();
        words.extend(found);
        walk.run(&words, &Stdin::Piped);
    }
}
