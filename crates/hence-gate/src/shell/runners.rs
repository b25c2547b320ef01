//! Programs that run other programs or code: what they run is looked at where it is told, and unknown where it is not.

use super::known::{BEFORE, INTERPRETERS, LANGUAGES, MODULES, PROJECT, REMOTE, SHELLS};
use super::options::{Spec, Taken, take};
use super::walk::{MOST_WORDS, Stdin, Walk};
use super::word::Word;
use super::{LARGEST, Mode, Why, project, search};

/// Takes in a program that runs others; whether it is one.
pub(super) fn run(walk: &mut Walk, name: &str, arguments: &[Word], stdin: &Stdin) -> bool {
    if let Some((_, letters, words, skip)) = BEFORE.iter().find(|row| row.0 == name) {
        return before(walk, name, arguments, Spec { letters, words, stops: true }, *skip, stdin);
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
        "shopt" => arguments.iter().for_each(|word| shell_option(walk, &word.text)),
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
    let Some((code, signals)) = arguments.split_first() else { return };
    let variables = walk.variables.clone();
    code_of(walk, std::slice::from_ref(code));
    walk.variables = variables;
    walk.at_end.extend(code.as_known().map(str::to_owned));
    // It may run between any two commands from here on, and give variables other values.
    let is_at_end = |word: &Word| matches!(word.text.as_str(), "EXIT" | "0");
    let gives = |text: &str| ["=", "read", "printf", "eval"].iter().any(|word| text.contains(word));
    let is_often =
        |word: &Word| matches!(word.text.as_str(), "DEBUG" | "ERR" | "RETURN" | "CHLD" | "SIGCHLD");
    walk.is_interrupted |= signals.iter().any(is_often)
        || signals.iter().any(|word| !is_at_end(word)) && code.as_known().is_none_or(gives);
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

fn before(
    walk: &mut Walk,
    name: &str,
    arguments: &[Word],
    spec: Spec<'_>,
    skip: usize,
    stdin: &Stdin,
) -> bool {
    let taken = take(arguments, spec);
    if name != "stdbuf" {
        taken.values(&["-o", "--output"]).for_each(|file| walk.access(file, Mode::Write));
    }
    let mut rest = taken.rest.get(skip..).unwrap_or_default();
    while let Some((first, after)) = rest.split_first() {
        let Some((name, value)) = first.text.split_once('=') else { break };
        walk.environment(name, &first.part(value), true);
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
    let split: Vec<Word> = taken.values(&["-S", "--split-string"]).cloned().collect();
    if split.is_empty() && taken.rest.iter().all(|word| word.text.contains('=')) {
        walk.shows_environment();
    }
    if split.is_empty() {
        before(walk, "env", arguments, spec, 0, stdin);
        return;
    }
    // What it splits has quotes and escapes of its own.
    let is_plain =
        |word: &Word| word.as_known().is_some_and(|text| !text.contains(['"', '\'', '\\', '$', '#']));
    if !split.iter().all(is_plain) {
        walk.opaque(Why::InlineCode, "env -S");
        return code_of(walk, &split.into_iter().chain(taken.rest).collect::<Vec<_>>());
    }
    let words = split.iter().flat_map(|word| word.text.split_ascii_whitespace()).map(Word::known);
    let all: Vec<Word> = words.chain(taken.rest).collect();
    environment(walk, &all, stdin);
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
            "-O" | "+O" => left.next().into_iter().for_each(|option| shell_option(walk, &option.text)),
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
    let (own, file, rest) = own_options(name, arguments);
    let module = own.iter().position(|word| is_module(name, &word.text));
    let own_code = own.get(..module.unwrap_or(own.len())).unwrap_or_default();
    if own_code.iter().any(|word| is_code(&word.text)) {
        walk.opaque(Why::InlineCode, name);
        for word in arguments {
            walk.strings(&word.text);
        }
        return true;
    }
    let taken = take(arguments, Spec { letters: "mWX", words: &[], stops: true });
    if let Some(module) = taken.values(&["-m"]).next().filter(|_| name.contains("py")) {
        module_of(walk, name, module, arguments, stdin);
        return true;
    }
    own.iter().filter(|word| !word.text.starts_with('-')).for_each(|word| walk.perhaps(word));
    // The word after a long option may be its value: then the next one is the file, or what comes in is the code.
    let is_unsure = own
        .last()
        .is_some_and(|word| word.text.len() > 2 && word.text.starts_with("--") && !word.text.contains('='));
    match file {
        Some(file) if file.text != "-" => {
            script(walk, Some(file));
            script(walk, rest.first().filter(|_| is_unsure));
            if is_unsure && !matches!(stdin, Stdin::Inherited) {
                walk.opaque(Why::StdinCode, name);
            }
            rest.iter().for_each(|word| walk.perhaps(word));
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

/// The options of an interpreter with their values, the file that it runs, and the arguments of that.
fn own_options<'w>(name: &str, arguments: &'w [Word]) -> (&'w [Word], Option<&'w Word>, &'w [Word]) {
    let valued = match name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.') {
        "python" | "pypy" | "ipython" => "WXm",
        "perl" => "I",
        "ruby" => "ICrEe",
        "node" | "nodejs" => "rCepE",
        "php" => "cdz",
        "lua" | "luajit" => "le",
        _ => "",
    };
    let takes = |text: &str| {
        let letters = text.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
        letters.and_then(|letters| letters.find(|c| valued.contains(c)).map(|at| at + 1 == letters.len()))
            == Some(true)
    };
    let mut at = 0;
    while let Some(word) = arguments.get(at).filter(|word| word.text.len() > 1 && word.text.starts_with('-'))
    {
        let is_over = is_module(name, &word.text);
        at += if takes(&word.text) { 2 } else { 1 };
        if is_over || word.text == "--" {
            break;
        }
    }
    let (own, rest) = arguments.split_at(at.min(arguments.len()));
    match rest.split_first() {
        Some((file, rest)) => (own, Some(file), rest),
        None => (own, None, &[]),
    }
}

/// Whether a word is the option of Python that names a module, after which there are no more options of its own.
fn is_module(name: &str, text: &str) -> bool {
    let letters = text.strip_prefix('-').filter(|rest| name.contains("py") && !rest.starts_with('-'));
    letters.and_then(|letters| letters.chars().find(|c| matches!(c, 'm' | 'c' | 'W' | 'X'))) == Some('m')
}

/// `python -m MODULE`.
fn module_of(walk: &mut Walk, name: &str, module: &Word, arguments: &[Word], stdin: &Stdin) {
    let said = format!("{name} -m {}", module.text);
    walk.opaque(Why::ProjectCode, &said);
    if module.text == "timeit" || module.text == "pdb" {
        walk.opaque(Why::InlineCode, &said);
        arguments.iter().for_each(|word| walk.strings(&word.text));
    }
    arguments.iter().for_each(|word| walk.perhaps(word));
    let own: Vec<Word> =
        arguments.iter().skip_while(|word| !word.text.ends_with(&module.text)).skip(1).cloned().collect();
    let taken = take(&own, Spec { letters: "ce", words: &["indent"], stops: false });
    match module.text.as_str() {
        "json.tool" => taken.rest.get(1).iter().for_each(|file| walk.access(file, Mode::Write)),
        "zipfile" | "tarfile" => {
            taken.values(&["-c", "--create"]).for_each(|file| walk.access(file, Mode::Write));
            if taken.has(&["-e", "--extract"]) {
                let folder = taken.rest.first().cloned().unwrap_or_else(|| Word::known("."));
                walk.access(&folder, Mode::Write);
            }
        }
        _ => {}
    }
    if MODULES.contains(&module.text.as_str()) {
        let command: Vec<Word> = std::iter::once(module.clone()).chain(own).collect();
        walk.run(&command, stdin);
    }
}

/// An option of a shell that changes what patterns stand for.
fn shell_option(walk: &mut Walk, option: &str) {
    if matches!(option, "dotglob" | "nocaseglob" | "nocasematch" | "extglob") {
        walk.opaque(Why::Environment, option);
    }
}

fn aliases(walk: &mut Walk, arguments: &[Word]) {
    for word in arguments {
        if let Some((name, value)) = word.text.split_once('=') {
            code_of(walk, &[word.part(value)]);
            walk.aliases.insert(name.to_owned());
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
    let separates = taken.has(&["-d", "--delimiter", "-0", "--null"]);
    let added: Vec<Word> = match stdin {
        Stdin::Text(text) if !separates && !text.contains(['"', '\'', '\\']) => {
            text.split_whitespace().map(Word::known).collect()
        }
        Stdin::Text(_) | Stdin::Inherited | Stdin::Piped => {
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
        Some(mark) => replaced(walk, command, &mark.text, &added),
    };
    walk.run(&command, &Stdin::Piped);
}

/// The words of a command in which a mark is replaced by what is put in.
pub(super) fn replaced(walk: &mut Walk, command: Vec<Word>, mark: &str, with: &[Word]) -> Vec<Word> {
    let marks: usize = command.iter().map(|word| word.text.matches(mark).count()).sum();
    let longest = with.iter().map(|put| put.text.len()).max().unwrap_or_default();
    let unknown = String::from("{too much}");
    let unknown = [Word { unknown: Some(unknown.clone()), text: unknown, is_pattern: false }];
    let is_little = marks * with.len() <= MOST_WORDS && marks * longest <= LARGEST;
    if !is_little {
        walk.opaque(Why::TooMuch, "a command that is repeated too often");
    }
    let with = if is_little { with } else { &unknown };
    let each = |word: Word| match mark {
        mark if mark.is_empty() || !word.text.contains(mark) => vec![word],
        mark => {
            with.iter().map(|put| Word { text: word.text.replace(mark, &put.text), ..put.clone() }).collect()
        }
    };
    command.into_iter().flat_map(each).collect()
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
