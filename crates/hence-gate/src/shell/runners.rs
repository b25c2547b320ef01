//! Programs that run other programs or code: what they run is looked at where it is told, and unknown where it is not.

use super::known::{BEFORE, INTERPRETERS, LANGUAGES, MODULES, PROJECT, REMOTE, SHELLS};
use super::options::{Spec, Taken, take};
use super::walk::{Stdin, Walk};
use super::word::Word;
use super::{Mode, Why, project, search};

/// Takes in a program that runs others; whether it is one.
pub(super) fn run(walk: &mut Walk, name: &str, arguments: &[Word], stdin: &Stdin) -> bool {
    if let Some((_, letters, words, skip)) = BEFORE.iter().find(|row| row.0 == name) {
        return before(walk, arguments, Spec { letters, words, stops: true }, *skip, stdin);
    }
    if SHELLS.contains(&name) {
        return shell(walk, name, arguments, stdin);
    }
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    if let Some((_, code)) = INTERPRETERS.iter().find(|row| row.0 == name || row.0 == bare) {
        return interpreter(walk, name, code, arguments, stdin);
    }
    if LANGUAGES.contains(&bare) || LANGUAGES.contains(&name) {
        walk.opaque(Why::InlineCode, name);
        arguments.iter().for_each(|word| walk.strings(&word.text));
        arguments.iter().for_each(|word| walk.perhaps(word));
        return true;
    }
    match name {
        "cd" | "pushd" | "chdir" => change_folder(walk, arguments),
        "popd" => walk.opaque(Why::Folder, "popd"),
        "command" => {
            if !arguments.iter().take(1).any(|word| matches!(word.text.as_str(), "-v" | "-V")) {
                let rest = arguments.iter().skip_while(|word| word.text.starts_with('-'));
                walk.run(&rest.cloned().collect::<Vec<_>>(), stdin);
            }
        }
        "env" => environment(walk, arguments, stdin),
        "eval" => code_of(walk, arguments),
        "watch" | "parallel" => repeated(walk, name, arguments),
        "hash" if arguments.iter().any(|word| is_letter(word, 'p')) => {
            walk.opaque(Why::Environment, "hash -p");
            arguments.iter().for_each(|word| walk.perhaps(word));
        }
        "trap" => at_end(walk, arguments),
        "alias" => aliases(walk, arguments),
        "source" | "." => script(walk, arguments.first()),
        "su" | "script" | "flock" => with_code(walk, name, arguments, stdin),
        "xargs" => xargs(walk, arguments, stdin),
        "find" | "gfind" => search::find(walk, arguments),
        "fd" | "fdfind" => search::fd(walk, arguments),
        "npx" | "bunx" | "uvx" | "pipx" | "dlx" => walk.opaque(Why::Script, &said(name, arguments)),
        "deno" => project::deno(walk, arguments),
        "at" | "batch" | "crontab" => walk.opaque(Why::StdinCode, name),
        "enable" | "complete" | "bind" | "mapfile" | "readarray" | "read" | "unset" => {
            variables(walk, name, arguments)
        }
        "nix-shell" | "nix" | "guix" => walk.opaque(Why::Script, name),
        _ if REMOTE.contains(&name) => {
            walk.opaque(Why::Remote, &said(name, arguments));
            arguments.iter().for_each(|word| walk.perhaps(word));
        }
        _ if PROJECT.contains(&name) => project::run(walk, name, arguments, stdin),
        _ => return false,
    }
    true
}

/// `watch` and `parallel`, which put their words together.
fn repeated(walk: &mut Walk, name: &str, arguments: &[Word]) {
    let taken = take(arguments, Spec { letters: "nqtjI", words: &["interval", "jobs"], stops: true });
    code_of(walk, &taken.rest);
    if name == "parallel" {
        walk.opaque(Why::StdinCode, name);
    }
}

/// `trap`, whose code runs later, perhaps in another folder.
fn at_end(walk: &mut Walk, arguments: &[Word]) {
    code_of(walk, arguments.get(..1).unwrap_or_default());
    walk.at_end.extend(arguments.first().and_then(Word::as_known).map(str::to_owned));
}

/// Whether a word is an option with a letter in it.
pub(super) fn is_letter(word: &Word, letter: char) -> bool {
    word.text.starts_with('-') && !word.text.starts_with("--") && word.text.contains(letter)
}

/// `cd` to where its first argument leads.
fn change_folder(walk: &mut Walk, arguments: &[Word]) {
    match arguments.iter().find(|word| !word.text.starts_with('-') || word.text == "-") {
        Some(word) if word.text == "-" => walk.opaque(Why::Folder, "cd -"),
        Some(word) => walk.go(word),
        None => walk.go(&Word::known(crate::paths::home().unwrap_or_default().to_string_lossy())),
    }
}

/// The first words of a command, for people.
pub(super) fn said(name: &str, arguments: &[Word]) -> String {
    let words = arguments.iter().take(2).map(|word| word.text.as_str());
    std::iter::once(name).chain(words).collect::<Vec<_>>().join(" ")
}

fn before(walk: &mut Walk, arguments: &[Word], spec: Spec<'_>, skip: usize, stdin: &Stdin) -> bool {
    let taken = take(arguments, spec);
    let mut rest = taken.rest.get(skip..).unwrap_or_default();
    while let Some((first, after)) = rest.split_first() {
        let Some((name, value)) = first.text.split_once('=') else { break };
        walk.environment(name, &first.part(value));
        rest = after;
    }
    if !rest.is_empty() {
        walk.run(rest, stdin);
    }
    true
}

fn environment(walk: &mut Walk, arguments: &[Word], stdin: &Stdin) {
    let spec = Spec { letters: "uCS", words: &["unset", "chdir", "split-string"], stops: true };
    let taken = take(arguments, spec);
    taken.values(&["-C", "--chdir"]).for_each(|folder| walk.go(folder));
    let split: Vec<&Word> = taken.values(&["-S", "--split-string"]).collect();
    if split.is_empty() && taken.rest.iter().all(|word| word.text.contains('=')) {
        walk.access(&Word::known("/proc/self/environ"), Mode::Read);
    }
    if split.is_empty() {
        before(walk, arguments, spec, 0, stdin);
        return;
    }
    let all: Vec<Word> = split.into_iter().chain(&taken.rest).cloned().collect();
    code_of(walk, &all);
}

/// Code that is given word by word.
pub(super) fn code_of(walk: &mut Walk, words: &[Word]) {
    let known: Option<Vec<&str>> = words.iter().map(Word::as_known).collect();
    match known {
        Some(texts) => walk.read(&texts.join(" ")),
        None => words
            .iter()
            .filter_map(|word| word.unknown.as_deref())
            .for_each(|unknown| unknown_code(walk, unknown)),
    }
    walk.forget_variables();
}

fn unknown_code(walk: &mut Walk, unknown: &str) {
    let why =
        if unknown.starts_with("$(") || unknown.starts_with('`') { Why::Substitution } else { Why::Variable };
    walk.opaque(why, unknown);
}

fn shell(walk: &mut Walk, name: &str, arguments: &[Word], stdin: &Stdin) -> bool {
    let (mut takes_code, mut left) = (false, arguments.iter());
    while let Some(word) = left.next() {
        let text = word.text.as_str();
        match text {
            "--rcfile" | "--init-file" => script(walk, left.next()),
            "--version" | "--help" => return true,
            "-Command" | "-EncodedCommand" | "-File" => walk.opaque(Why::InlineCode, name),
            _ if text.starts_with("--") => {}
            _ if text.len() > 1 && text.starts_with(['-', '+']) => {
                takes_code |= text.contains('c');
                // Each of those among the letters takes a word.
                for _ in text.matches(['o', 'O']) {
                    left.next();
                }
                if text.contains('s') && !takes_code {
                    walk.opaque(Why::StdinCode, name);
                }
            }
            _ if takes_code => {
                code_of(walk, std::slice::from_ref(word));
                return true;
            }
            _ => {
                script(walk, Some(word));
                return true;
            }
        }
    }
    match stdin {
        Stdin::Text(text) => walk.read(&text.clone()),
        Stdin::Inherited | Stdin::Piped => walk.opaque(Why::StdinCode, name),
    }
    true
}

/// A file of code that is run.
pub(super) fn script(walk: &mut Walk, file: Option<&Word>) {
    let Some(file) = file else { return };
    walk.access(file, Mode::Run);
    if let Some(path) = file.as_known() {
        for path in walk.resolved(path) {
            walk.opaque(Why::Script, &path.to_string_lossy());
        }
    }
    walk.forget_variables();
}

fn interpreter(walk: &mut Walk, name: &str, code: &[&str], arguments: &[Word], stdin: &Stdin) -> bool {
    let only = ["--version", "-V", "-v", "--help", "-h"];
    if !arguments.is_empty() && arguments.iter().all(|word| only.contains(&word.text.as_str())) {
        return true;
    }
    let is_code = |text: &str| {
        code.iter().any(|option| {
            let letter = option.strip_prefix('-').filter(|rest| rest.len() == 1);
            text == *option
                || option.starts_with("--") && text.starts_with(&format!("{option}="))
                || letter.is_some_and(|letter| {
                    !text.starts_with("--") && text.starts_with('-') && text.contains(letter)
                })
        })
    };
    if arguments.iter().take(8).any(|word| is_code(&word.text)) {
        walk.opaque(Why::InlineCode, name);
        for word in arguments {
            walk.strings(&word.text);
        }
        return true;
    }
    let taken = take(arguments, Spec { letters: "mWX", words: &[], stops: true });
    if let Some(module) = taken.values(&["-m"]).next().filter(|_| name.contains("py")) {
        let said = format!("{name} -m {}", module.text);
        walk.opaque(Why::ProjectCode, &said);
        if module.text == "timeit" {
            walk.opaque(Why::InlineCode, &said);
            arguments.iter().for_each(|word| walk.strings(&word.text));
        }
        arguments.iter().for_each(|word| walk.perhaps(word));
        if MODULES.contains(&module.text.as_str()) {
            let own = arguments.iter().skip_while(|word| !word.text.ends_with(&module.text)).skip(1);
            let command: Vec<Word> = std::iter::once(module).chain(own).cloned().collect();
            walk.run(&command, stdin);
        }
        return true;
    }
    let mut rest = arguments.iter().skip_while(|word| word.text.len() > 1 && word.text.starts_with('-'));
    match rest.next() {
        Some(file) if file.text != "-" => {
            script(walk, Some(file));
            rest.for_each(|word| walk.perhaps(word));
        }
        _ => {
            walk.opaque(Why::StdinCode, name);
            if let Stdin::Text(text) = stdin {
                walk.strings(&text.clone());
            }
        }
    }
    true
}

fn aliases(walk: &mut Walk, arguments: &[Word]) {
    for word in arguments {
        if let Some((_, value)) = word.text.split_once('=') {
            code_of(walk, &[word.part(value)]);
        }
    }
}

/// Programs with `-c CODE`, which run a program otherwise.
fn with_code(walk: &mut Walk, name: &str, arguments: &[Word], stdin: &Stdin) {
    let spec = Spec {
        letters: "cswEgGTOIBm",
        words: &["command", "session-command", "timeout", "shell"],
        stops: false,
    };
    let taken: Taken = take(arguments, spec);
    let codes: Vec<Word> = taken.values(&["-c", "--command", "--session-command"]).cloned().collect();
    codes.iter().for_each(|code| code_of(walk, std::slice::from_ref(code)));
    match name {
        "flock" if codes.is_empty() => {
            walk.run(taken.rest.get(1..).unwrap_or_default(), stdin);
        }
        _ if codes.is_empty() => walk.opaque(Why::StdinCode, name),
        _ => {}
    }
}

fn xargs(walk: &mut Walk, arguments: &[Word], stdin: &Stdin) {
    let words = &["arg-file", "delimiter", "max-args", "max-procs", "replace", "max-lines", "eof"];
    let taken = take(arguments, Spec { letters: "adEILnPRsS", words, stops: true });
    taken.values(&["-a", "--arg-file"]).for_each(|file| walk.access(file, Mode::Read));
    let put: Option<Word> = taken.values(&["-I", "--replace"]).next().cloned();
    let added: Vec<Word> = match stdin {
        Stdin::Text(text) => text.split_whitespace().map(Word::known).collect(),
        Stdin::Inherited | Stdin::Piped => {
            vec![Word {
                text: String::from("{input}"),
                unknown: Some(String::from("input of xargs")),
                is_pattern: false,
            }]
        }
    };
    let command = match taken.rest.as_slice() {
        [] => vec![Word::known("echo")],
        rest => rest.to_vec(),
    };
    let command = match put {
        None => command.into_iter().chain(added).collect(),
        Some(mark) => {
            command.into_iter().flat_map(|word| replaced(word, &mark.text, &added)).collect::<Vec<_>>()
        }
    };
    walk.run(&command, &Stdin::Piped);
}

/// A word in which a mark is replaced by what is put in.
pub(super) fn replaced(word: Word, mark: &str, with: &[Word]) -> Vec<Word> {
    if mark.is_empty() || !word.text.contains(mark) {
        return vec![word];
    }
    with.iter().map(|put| Word { text: word.text.replace(mark, &put.text), ..put.clone() }).collect()
}

/// Commands that give variables values which aren't known, or load code.
fn variables(walk: &mut Walk, name: &str, arguments: &[Word]) {
    for word in arguments.iter().filter(|word| !word.text.starts_with('-')) {
        walk.evaluated(&word.text);
        walk.unknown_variable(&word.text);
        if name != "unset" {
            walk.foreign.insert(word.text.clone());
        }
    }
    let (letters, loads) = match name {
        "enable" => ("f", "-f"),
        "complete" => ("oAGWFCXPS", "-C"),
        "mapfile" | "readarray" => ("dnOsuCc", "-C"),
        "bind" => ("mfqurx", "-x"),
        _ => return,
    };
    let taken = take(arguments, Spec { letters, ..Spec::default() });
    for code in taken.values(&[loads]) {
        walk.opaque(Why::InlineCode, name);
        code_of(walk, std::slice::from_ref(code));
    }
}
