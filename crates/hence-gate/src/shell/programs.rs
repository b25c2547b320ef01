//! What programs do with their arguments: which are files, read or written, and which are only text.

use std::path::Path;

use super::arithmetic::named_by;
use super::options::{self, Spec, Taken, take};
use super::table::{FOLDERS, IN_PLACE, ONLY_LOOKS, RUNS, Rest, SHORTENED, TABLE};
use super::walk::{Stdin, Walk};
use super::word::Word;
use super::{Mode, Stage, Why, archive, awk, git, runners, sed};

impl Walk {
    /// Takes in a simple command; what it writes to standard output, where that is known.
    pub(super) fn run(&mut self, words: &[Word], stdin: &Stdin) -> Option<String> {
        let (program, arguments) = words.split_first().filter(|_| !self.is_over())?;
        if let Some(unknown) = &program.unknown {
            let why = if unknown.starts_with(['`']) || unknown.starts_with("$(") {
                Why::Substitution
            } else {
                Why::Variable
            };
            self.opaque(why, &program.text);
            self.stage(stage(program.text.clone(), arguments));
            return None;
        }
        if program.is_pattern && program.text != "[" && program.text != "[[" {
            self.opaque(Why::Variable, &program.text);
        }
        let name = self.name(&program.text);
        if self.aliases.contains(&name) {
            self.opaque(Why::Variable, &name);
        }
        if self.is_function(&name) {
            arguments.iter().for_each(|word| self.evaluated(&word.text));
        }
        let is_standard = || FOLDERS.iter().any(|folder| Path::new(folder).join(&name).exists());
        if self.call(&name) && !is_standard() {
            return None;
        }
        let spelled_out = match name.as_str() {
            "npm" => options::whole_verb(arguments),
            _ => options::spelled_out(arguments, &long_options(&name)),
        };
        let arguments = spelled_out.as_slice();
        if !self.stage(stage(name.clone(), arguments)) {
            return None;
        }
        self.names(&name, arguments);
        self.changed_in_place(&name, arguments);
        if runners::run(self, &name, arguments, stdin) || git::run(self, &name, arguments) {
            return None;
        }
        let folders = self.folders.clone();
        self.files(&name, arguments, stdin);
        self.folders = folders;
        said(&name, arguments, stdin)
    }

    /// The program that a word runs: its name without its folder, links followed.
    fn name(&mut self, word: &str) -> String {
        let own = word.rsplit('/').next().unwrap_or(word).to_owned();
        if !word.contains('/') {
            return own;
        }
        let is_standard = |path: &Path| {
            path.parent().is_some_and(|folder| FOLDERS.iter().any(|known| folder == Path::new(known)))
        };
        let written = Path::new(word);
        if is_standard(written) && !word.contains("..") {
            return own;
        }
        self.access(&Word::known(word), Mode::Run);
        let mut known = None;
        for path in self.resolved(word) {
            let name = path.file_name().filter(|_| is_standard(&path));
            let name = name.map(|name| name.to_string_lossy().into_owned());
            // A command is looked at as one program; others that it may be are not.
            if name.is_none() || known.as_ref().is_some_and(|known| Some(known) != name.as_ref()) {
                self.opaque(Why::Script, &path.to_string_lossy());
            }
            known = known.or(name);
        }
        known.unwrap_or(own)
    }

    /// What builtins of a shell take for names of variables or for arithmetic, and what functions may.
    fn names(&mut self, name: &str, arguments: &[Word]) {
        // What these give values to.
        let options = match name {
            "printf" => "v",
            "wait" => "p",
            _ => "",
        };
        let taken = take(arguments, Spec { letters: options, ..Spec::default() });
        let named = taken.values(&["-v", "-p"]).filter(|_| !options.is_empty());
        let spec = taken.rest.get(1).filter(|_| name == "getopts");
        for word in named.chain(spec) {
            self.unknown_variable(named_by(&word.text).unwrap_or(&word.text));
        }
        let takes = match name {
            "printf" => arguments.first().is_some_and(|word| word.text.starts_with("-v")),
            "test" | "[" | "declare" | "typeset" | "local" | "readonly" | "export" | "let" | "getopts"
            | "wait" | "set" => true,
            _ => false,
        };
        if takes {
            arguments.iter().for_each(|word| self.evaluated(&word.text));
        }
        if name == "let" {
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            for name in arguments.iter().flat_map(|word| word.text.split(|c| !is_name(c))) {
                self.number_in(name);
                self.unknown_variable(name);
            }
        }
    }

    /// Commands that show what is set, also for other processes.
    fn shown_environment(&mut self, name: &str, arguments: &[Word]) {
        let has_words = arguments.iter().any(|word| !word.text.starts_with('-'));
        // Letters without a dash are of the BSD form, in which `e` shows environments.
        let shows =
            |word: &Word| word.text.contains('e') && word.text.chars().all(|c| c.is_ascii_alphabetic());
        let spec = Spec { letters: "CGNOUgkopqstu", words: &["format", "sort", "user", "pid"], stops: false };
        let of_processes = name == "ps" && take(arguments, spec).rest.iter().any(shows);
        let passes_on = |word: &Word| runners::is_letter(word, 'a') || word.text == "allexport";
        if name == "set" && arguments.iter().any(passes_on) {
            self.opaque(Why::Environment, "set -a");
        }
        if name == "printenv" || name == "set" && !has_words || of_processes {
            self.shows_environment();
        }
    }

    /// Code that `awk` loads; whether that has it change files in place.
    fn included(&mut self, taken: &Taken) -> bool {
        let all: Vec<&Word> = taken.values(&["-i", "--include", "-l", "--load"]).collect();
        let (in_place, others): (Vec<&Word>, Vec<&Word>) =
            all.into_iter().partition(|word| matches!(word.text.as_str(), "inplace" | "inplace.awk"));
        others.into_iter().for_each(|code| runners::script(self, Some(code)));
        !in_place.is_empty()
    }

    /// The files that arguments name.
    fn files(&mut self, name: &str, arguments: &[Word], stdin: &Stdin) {
        if name == "dd" {
            return self.copy_blocks(arguments);
        }
        self.shown_environment(name, arguments);
        let Some(row) = TABLE.iter().find(|row| row.names.contains(&name)) else {
            return arguments.iter().for_each(|word| self.perhaps(word));
        };
        // What names a file takes a value.
        let files = row.reads.iter().chain(row.writes).filter_map(|name| name.strip_prefix("--"));
        let words: Vec<&str> = row.words.iter().copied().chain(files).collect();
        let named = match name {
            "jq" => self.named_values(arguments),
            "tar" | "bsdtar" => archive::with_dashes(arguments, row.letters),
            _ => arguments.to_vec(),
        };
        let taken = take(&named, Spec { letters: row.letters, words: &words, stops: false });
        taken.values(row.reads).for_each(|word| self.access(word, Mode::Read));
        taken.values(row.writes).for_each(|word| self.access(word, Mode::Write));
        if let Some((_, option)) = RUNS.iter().find(|(program, option)| {
            let begins = |word: &Word| word.text.starts_with(option);
            *program == name && (arguments.iter().any(begins) || taken.has(&[*option]))
        }) {
            self.opaque(Why::InlineCode, &format!("{name} {option}"));
            arguments.iter().for_each(|word| self.strings(&word.text));
        }
        match name {
            "7z" | "cpio" | "patch" | "ar" => self.access(&Word::known("."), Mode::Write),
            "unzip" => archive::unzip(self, &taken),
            "curl" | "wget" => self.sent(&taken.options, &taken.rest),
            "tar" | "bsdtar" => archive::tar(self, &taken),
            "vi" | "vim" | "nvim" | "ex" | "ed" | "emacs" => self.opaque(Why::InlineCode, name),
            _ => {}
        }
        if matches!(name, "awk" | "gawk" | "mawk" | "nawk" | "sed" | "gsed") {
            self.small_language(name, &taken, row.instead, stdin);
        }
        let rest = match row.rest {
            Rest::TextThenRead | Rest::TextThenWrite if !taken.has(row.instead) => {
                taken.rest.get(1..).unwrap_or_default()
            }
            _ => taken.rest.as_slice(),
        };
        let is_awk = name.ends_with("awk");
        if matches!(name, "sed" | "gsed" | "yq") && taken.has(&["-i", "--in-place", "--inplace"])
            || matches!(name, "install") && taken.has(&["-d", "--directory"])
            || is_awk && self.included(&taken)
        {
            rest.iter().for_each(|word| self.access(word, Mode::Write));
        }
        let is_symbolic = taken.has(&["-s", "--symbolic", "--symbolic-link"]);
        if name == "ln" || name == "cp" && (is_symbolic || taken.has(&["-l", "--link"])) {
            let target = taken.values(&["-t", "--target-directory"]).next();
            self.linked(rest, target, is_symbolic);
        }
        // A pattern may name what a search of whole folders would leave out.
        for pattern in taken.values(&["-g", "--glob", "--iglob", "--include"]) {
            let roots = if rest.is_empty() { vec![Word::known(".")] } else { rest.to_vec() };
            self.found_below(&roots, &pattern.text, false)
                .iter()
                .for_each(|file| self.access(file, Mode::Read));
        }
        self.rest(row.rest, rest, taken.has(&["-t", "--target-directory"]));
    }

    fn rest(&mut self, kind: Rest, rest: &[Word], has_target: bool) {
        let (first, last) = match rest.split_last() {
            Some((last, first)) if !has_target => (first, Some(last)),
            _ => (rest, None),
        };
        match kind {
            Rest::Text => {}
            Rest::Read | Rest::TextThenRead => rest.iter().for_each(|word| self.access(word, Mode::Read)),
            Rest::Write | Rest::TextThenWrite => rest.iter().for_each(|word| self.access(word, Mode::Write)),
            Rest::Delete => rest.iter().for_each(|word| self.access(word, Mode::Delete)),
            Rest::ReadThenMaybeWrite => {
                rest.first().iter().for_each(|word| self.access(word, Mode::Read));
                rest.get(1).iter().for_each(|word| self.access(word, Mode::Write));
            }
            Rest::ReadThenWrite | Rest::MoveThenWrite => {
                let mode = if kind == Rest::ReadThenWrite { Mode::Read } else { Mode::Delete };
                for word in first {
                    self.access(word, Mode::Read);
                    self.access(word, mode);
                }
                last.iter().for_each(|word| self.access(word, Mode::Write));
            }
        }
    }

    /// A word that may name a file: after `=`, `@` or `:`, too.
    pub(super) fn perhaps(&mut self, word: &Word) {
        if let Some(unknown) = &word.unknown {
            self.opaque(Why::Variable, &unknown.clone());
        }
        let parts = word.text.split(['=', '@', ':']).chain([word.text.as_str()]);
        for part in parts.map(str::to_owned).collect::<Vec<_>>() {
            let part = part.strip_prefix("file://").unwrap_or(&part);
            let plain = part.trim_start_matches('-');
            let is_path = plain.contains('/') || plain.starts_with(['.', '~']);
            if !plain.is_empty()
                && !plain.starts_with("//")
                && (is_path || self.resolved(plain).iter().any(|path| path.exists()))
            {
                self.access(&Word { unknown: None, ..word.part(plain) }, Mode::Use);
            }
        }
    }

    /// What `curl` and `wget` read to send it: `@file` in data, `file=@…` in forms, `file://` as an address.
    fn sent(&mut self, options: &[(String, Option<Word>)], rest: &[Word]) {
        let values = options.iter().filter_map(|(name, value)| Some((name.as_str(), value.as_ref()?)));
        for (name, value) in values.collect::<Vec<_>>() {
            let takes = name.starts_with("--data") || name == "--json" || name.starts_with("--form");
            if !takes
                && !matches!(name, "-d" | "-F" | "-H" | "-b" | "--header" | "--cookie" | "-w" | "--variable")
            {
                continue;
            }
            if let Some(unknown) = &value.unknown {
                self.opaque(Why::Variable, &unknown.clone());
            }
            let file =
                value.text.split_once(['@', '<']).map(|(_, file)| file.split(';').next().unwrap_or(file));
            file.map(|file| value.part(file)).iter().for_each(|file| self.access(file, Mode::Read));
        }
        for word in rest {
            if let Some(unknown) = &word.unknown {
                self.opaque(Why::Variable, &unknown.clone());
            }
            if let Some(path) = word.text.strip_prefix("file://") {
                self.access(&word.part(path), Mode::Read);
            }
        }
    }

    /// New links: what is done with one is done with what it leads to, by whatever name.
    fn linked(&mut self, rest: &[Word], folder: Option<&Word>, is_symbolic: bool) {
        let (targets, last) = match (rest, folder) {
            (targets, Some(folder)) => (targets, folder.text.as_str()),
            ([target], None) => (std::slice::from_ref(target), "."),
            (rest, None) => match rest.split_last() {
                Some((last, targets)) => (targets, last.text.as_str()),
                None => return,
            },
        };
        for target in targets {
            // A hard link is the file itself.
            self.access(target, if is_symbolic { Mode::Use } else { Mode::Write });
            let name = target.text.rsplit('/').next().unwrap_or_default();
            for link in [last.to_owned(), format!("{last}/{name}")] {
                self.link(&link, &target.text, is_symbolic);
            }
        }
    }

    /// The files that a program changes in place.
    fn changed_in_place(&mut self, name: &str, arguments: &[Word]) {
        let Some((_, by)) = IN_PLACE.iter().find(|(program, _)| *program == name) else { return };
        let has = |options: &[&str]| arguments.iter().any(|word| options.contains(&word.text.as_str()));
        if !by.is_empty() && !has(by) || has(&ONLY_LOOKS) {
            return;
        }
        for word in
            arguments.iter().filter(|word| !word.text.starts_with('-') && !by.contains(&word.text.as_str()))
        {
            self.written_by_tool(word);
        }
    }

    /// A file or folder that a tool of the project writes; the whole folder that a command is in is left to the rules for such
    /// tools.
    pub(super) fn written_by_tool(&mut self, word: &Word) {
        if !self.resolved(&word.text).is_subset(&self.folders) {
            self.access(word, Mode::Write);
        }
    }

    /// What `jq` is told by name: files are read. The rest of its arguments.
    fn named_values(&mut self, arguments: &[Word]) -> Vec<Word> {
        let mut rest = Vec::new();
        let mut left = arguments.iter();
        while let Some(word) = left.next() {
            let reads = matches!(word.text.as_str(), "--rawfile" | "--slurpfile");
            if reads || matches!(word.text.as_str(), "--arg" | "--argjson") {
                let value = left.nth(1);
                value.iter().filter(|_| reads).for_each(|file| self.access(file, Mode::Read));
            } else {
                rest.push(word.clone());
            }
        }
        rest
    }

    fn copy_blocks(&mut self, arguments: &[Word]) {
        for word in arguments {
            match word.text.split_once('=') {
                Some(("if", file)) => self.access(&word.part(file), Mode::Read),
                Some(("of", file)) => self.access(&word.part(file), Mode::Write),
                _ => {}
            }
        }
    }

    /// `awk` and `sed` run programs and write files by words of their own languages.
    fn small_language(&mut self, name: &str, taken: &Taken, instead: &[&str], stdin: &Stdin) {
        let options = ["-e", "--expression", "--source"];
        let mut codes: Vec<Word> = taken.values(&options).cloned().collect();
        codes.extend(taken.rest.first().filter(|_| !taken.has(instead)).cloned());
        if name.ends_with("awk") {
            self.written_by_awk(&taken.options);
        }
        for file in taken.values(&["-f", "--file", "-E", "--exec"]) {
            match (file.text.as_str(), stdin) {
                ("-" | "/dev/stdin", Stdin::Text(text)) => codes.push(Word::known(text)),
                ("-" | "/dev/stdin", _) => self.opaque(Why::StdinCode, name),
                _ => runners::script(self, Some(file)),
            }
        }
        // Several are lines of one.
        let text = codes.iter().map(|code| code.text.as_str()).collect::<Vec<_>>().join("\n");
        let (runs, reads, writes) = if name.ends_with("awk") {
            let program = awk::read(&text);
            if program.shows_environment {
                self.shows_environment();
            }
            (program.runs || codes.iter().any(|code| code.unknown.is_some()), Vec::new(), program.writes)
        } else {
            let script = sed::read(&text);
            (script.runs, script.reads, script.writes)
        };
        let unknown = codes.iter().find_map(|code| code.unknown.clone());
        let named = |file: &String| {
            let unknown = unknown.clone().filter(|unknown| file.contains(unknown.as_str()));
            Word { text: file.clone(), unknown, is_pattern: false }
        };
        reads.iter().map(named).for_each(|file| self.access(&file, Mode::Read));
        writes.iter().map(named).for_each(|file| self.access(&file, Mode::Write));
        if runs {
            self.opaque(Why::InlineCode, name);
            self.strings(&text);
        }
    }

    /// What options of `awk` write beside its program: what they name stands within the same word.
    fn written_by_awk(&mut self, options: &[(String, Option<Word>)]) {
        for (name, value) in options {
            match (name.as_str(), value) {
                ("--dump-variables" | "--profile" | "--pretty-print" | "--debug", Some(file)) => {
                    self.access(file, Mode::Write);
                }
                ("-o" | "-d" | "-p" | "-D" | "-W", _) => self.opaque(Why::InlineCode, name),
                _ => {}
            }
        }
    }

    /// The files that strings in code name, as far as they look like paths.
    pub(super) fn strings(&mut self, code: &str) {
        for part in code.split(['"', '\'', '`', ' ', '(', ')', ',', ';', '>', '<', '|', '=']) {
            let is_path = part.starts_with(['/', '.', '~']) || part.contains('/');
            if is_path && part.len() > 1 && !part.contains("//") {
                self.access(&Word::known(part), Mode::Use);
            }
        }
    }
}

/// The long options of a program that say something here, without their dashes; they may be shortened.
fn long_options(name: &str) -> Vec<&'static str> {
    let rows = TABLE.iter().filter(|row| row.names.contains(&name));
    let of_rows = rows.flat_map(|row| [row.words, row.reads, row.writes, row.instead]);
    let of_others =
        SHORTENED.iter().filter(|(programs, _)| programs.contains(&name)).map(|(_, words)| *words);
    let runs = RUNS.iter().filter(|(program, _)| *program == name).map(|(_, option)| *option);
    let all = of_rows.chain(of_others).flatten().copied().chain(runs).filter(|word| !is_short(word));
    all.map(|word| word.trim_start_matches('-')).collect()
}

/// Whether an option is a short one.
fn is_short(word: &str) -> bool {
    word.starts_with(['-', '+']) && !word.starts_with("--")
}

/// The stage of a program and its arguments.
fn stage(name: String, rest: &[Word]) -> Stage {
    let mut stage = Stage { words: vec![name], ..Stage::default() };
    for word in rest {
        stage.words.push(word.text.clone());
        if let Some(long) = word.text.strip_prefix("--").filter(|long| !long.is_empty()) {
            stage.flags.insert(format!("--{}", long.split('=').next().unwrap_or(long)));
        } else if let Some(short) = word.text.strip_prefix('-').filter(|short| !short.is_empty()) {
            stage.flags.insert(format!("-{short}"));
            stage.flags.extend(short.chars().take(16).map(|letter| format!("-{letter}")));
        }
    }
    let valued = [
        "-C",
        "-c",
        "--git-dir",
        "--work-tree",
        "--namespace",
        "-n",
        "--context",
        "-H",
        "--manifest-path",
        "--config",
        "--prefix",
        "-R",
        "--repo",
        "--store",
        "--color",
        "-Z",
        "--profile",
        "--region",
    ];
    let mut skips = false;
    stage.verb = rest.iter().map(|word| word.text.as_str()).find_map(|word| {
        if std::mem::replace(&mut skips, valued.contains(&word)) || word.starts_with(['-', '+']) {
            return None;
        }
        Some(word.to_owned())
    });
    stage
}

/// What `echo`, `printf` and `cat` write, where it is known.
fn said(name: &str, arguments: &[Word], stdin: &Stdin) -> Option<String> {
    let known: Option<Vec<&str>> =
        arguments.iter().map(|word| word.as_known().filter(|_| !word.is_pattern)).collect();
    let known = known?;
    let text = match (name, known.as_slice()) {
        ("echo", words) => {
            let is_option = |word: &&&str| {
                word.strip_prefix('-')
                    .is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| "neE".contains(c)))
            };
            let options = words.iter().take_while(is_option).count();
            format!("{}\n", words.get(options..).unwrap_or_default().join(" "))
        }
        ("printf", ["%s", rest @ ..]) => rest.concat(),
        ("printf", ["%s\\n", rest @ ..]) => rest.join("\n"),
        ("printf", [only]) if !only.contains('%') => (*only).to_owned(),
        ("cat", [] | ["-"]) => match stdin {
            Stdin::Text(text) => text.clone(),
            Stdin::Inherited | Stdin::Piped => return None,
        },
        _ => return None,
    };
    (!text.contains('\\')).then_some(text)
}
