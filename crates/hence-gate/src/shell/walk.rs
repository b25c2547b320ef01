//! The way through the statements of a command: each simple command in turn, under the variables and folders known there.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tree_sitter::Node;

use super::glob;
use super::loops::Function;
use super::parse::{children, named, parse, text, torn, with_breaks};
use super::quotes::is_variable;
use super::word::Word;
use super::{LARGEST, Mode, Seen, Stage, Why};
use crate::paths;

/// How long a command is looked at.
const LONGEST: Duration = Duration::from_millis(250);
/// How long files are looked for below a folder.
const LONGEST_SEARCH: Duration = Duration::from_millis(50);
/// How deeply texts stand in texts, as in `sh -c "sh -c …"`.
const MOST_TEXTS: usize = 12;
/// How deeply statements stand in statements.
const MOST_DEPTH: usize = 150;
/// How many simple commands there are.
const MOST_STAGES: usize = 400;
/// How many words they have.
pub(super) const MOST_WORDS: usize = 8_000;
/// How many files they name.
const MOST_FILES: usize = 2_000;
/// The longest path that a system takes, in bytes.
const LONGEST_PATH: usize = 4096;
/// How many folders a command may happen in.
const MOST_FOLDERS: usize = 8;

/// What a command reads from standard input.
#[derive(Clone, Debug)]
pub(super) enum Stdin {
    /// What the whole command has.
    Inherited,
    /// Something that isn't known.
    Piped,
    /// This text.
    Text(String),
}

/// The walk.
pub(super) struct Walk {
    pub(super) seen: Seen,
    /// The folders that the command at hand may happen in.
    pub(super) folders: BTreeSet<PathBuf>,
    /// Values of variables; `None` where one was given that isn't known.
    pub(super) variables: BTreeMap<String, Option<String>>,
    /// Variables that hold text from elsewhere, which is not known to be a number.
    pub(super) foreign: BTreeSet<String>,
    /// Variables whose values are taken for arithmetic.
    pub(super) integers: BTreeSet<String>,
    pub(super) functions: BTreeMap<String, Function>,
    /// Links that the command makes, and what they lead to.
    links: BTreeMap<PathBuf, BTreeSet<PathBuf>>,
    /// Names that stand for other commands.
    pub(super) aliases: BTreeSet<String>,
    /// Whether code runs between commands that may give any variable a value.
    pub(super) is_interrupted: bool,
    /// How much text came out of variables and substitutions.
    pub(super) put_in: usize,
    /// Code that runs at the end, in the folder that the command is in then.
    pub(super) at_end: Vec<String>,
    end: Instant,
    texts: usize,
    depth: usize,
    pub(super) words: usize,
}

impl Walk {
    pub(super) fn new(cwd: &Path) -> Self {
        Self {
            seen: Seen::default(),
            folders: BTreeSet::from([cwd.to_owned()]),
            variables: BTreeMap::new(),
            foreign: BTreeSet::new(),
            integers: BTreeSet::new(),
            functions: BTreeMap::new(),
            links: BTreeMap::new(),
            aliases: BTreeSet::new(),
            is_interrupted: false,
            put_in: 0,
            at_end: Vec::new(),
            end: Instant::now() + LONGEST,
            texts: 0,
            depth: 0,
            words: 0,
        }
    }

    pub(super) fn through(mut self, command: &str) -> Seen {
        self.read(command);
        for code in std::mem::take(&mut self.at_end) {
            self.read(&code);
        }
        self.seen
    }

    /// Takes down what can't be known.
    pub(super) fn opaque(&mut self, why: Why, what: &str) {
        let what: String = what.chars().take(80).collect();
        if self.seen.opaque.len() < MOST_STAGES {
            self.seen.opaque.insert((why, what));
        }
    }

    /// Goes through a text of its own, as `sh -c` and `eval` do. Where lines go on after a backslash, the joined lines
    /// count too: the grammar takes the two halves of a word for two words.
    pub(super) fn read(&mut self, source: &str) {
        self.read_as_is(source);
        if source.contains("\\\n") {
            self.read_as_is(&source.replace("\\\n", ""));
        }
    }

    pub(super) fn read_as_is(&mut self, source: &str) {
        if source.len() > LARGEST || self.texts >= MOST_TEXTS {
            return self.opaque(Why::TooMuch, "a command that is too large or nested too deeply");
        }
        if source.contains('\0') {
            return self.opaque(Why::Syntax, "a zero byte");
        }
        let too_long = "a command that takes too long to parse";
        let Some(mut tree) = parse(source, self.end) else {
            return self.opaque(Why::TooMuch, too_long);
        };
        let broken = with_breaks(&tree, source);
        let source = broken.as_deref().unwrap_or(source);
        if broken.is_some() {
            let Some(again) = parse(source, self.end) else {
                return self.opaque(Why::TooMuch, too_long);
            };
            tree = again;
        }
        if let Some(word) = torn(&tree, source) {
            self.opaque(Why::Syntax, word);
        }
        self.texts += 1;
        if tree.root_node().has_error() {
            self.opaque(Why::Syntax, source);
        }
        self.statement(tree.root_node(), source, &Stdin::Inherited);
        self.texts -= 1;
    }

    /// Whether the command has been looked at for too long; then that is taken down.
    pub(super) fn is_over(&mut self) -> bool {
        let is_over = Instant::now() >= self.end;
        if is_over {
            self.opaque(Why::TooMuch, "a command that takes too long");
        }
        is_over
    }

    /// Goes through a statement; what it writes to standard output, where that is known.
    pub(super) fn statement(&mut self, node: Node<'_>, source: &str, stdin: &Stdin) -> Option<String> {
        if self.depth >= MOST_DEPTH || Instant::now() >= self.end {
            self.opaque(Why::TooMuch, "a command that is nested too deeply or takes too long");
            return None;
        }
        self.depth += 1;
        let said = self.statement_of(node, source, stdin);
        self.depth -= 1;
        said
    }

    pub(super) fn statement_of(&mut self, node: Node<'_>, source: &str, stdin: &Stdin) -> Option<String> {
        match node.kind() {
            "comment" => None,
            "subshell" => {
                self.each(node, source, stdin);
                self.forget(node, source)
            }
            "compound_statement" if text(node, source).starts_with("((") => {
                self.arithmetic(node, source);
                None
            }
            "test_command" => {
                self.condition(node, source, false);
                None
            }
            "program" | "compound_statement" | "do_group" | "list" | "negated_command" => {
                let all: Vec<_> =
                    named(node).into_iter().map(|node| self.statement(node, source, stdin)).collect();
                if let [only] = all.as_slice() { only.clone() } else { None }
            }
            "pipeline" => self.pipeline(&named(node), &[], source, stdin),
            "command" => self.command(node, source, stdin),
            "redirected_statement" => self.redirected(node, source, stdin),
            "variable_assignment" => self.assignment(node, source, true),
            "variable_assignments" => self.each(node, source, stdin),
            "declaration_command" => self.declaration(node, source),
            "unset_command" => self.forget(node, source),
            "if_statement" | "elif_clause" | "else_clause" | "case_statement" | "case_item" => {
                self.branch(node, source, stdin)
            }
            "while_statement" | "c_style_for_statement" => {
                self.forget(node, source);
                if node.kind() == "c_style_for_statement" {
                    self.arithmetic(node, source);
                }
                self.branch(node, source, stdin)
            }
            "for_statement" => self.over_words(node, source, stdin),
            "function_definition" => self.function(node, source),
            "ERROR" => {
                self.opaque(Why::Syntax, text(node, source));
                self.each(node, source, stdin)
            }
            _ => self.expression(node, source),
        }
    }

    /// Goes through the named children of a node.
    pub(super) fn each(&mut self, node: Node<'_>, source: &str, stdin: &Stdin) -> Option<String> {
        named(node).into_iter().for_each(|node| {
            self.statement(node, source, stdin);
        });
        None
    }

    /// Statements that may not happen: what they give variables isn't known after them.
    pub(super) fn branch(&mut self, node: Node<'_>, source: &str, stdin: &Stdin) -> Option<String> {
        self.each(node, source, stdin);
        self.forget(node, source)
    }

    /// What is given anywhere in a node isn't known from here on.
    pub(super) fn forget(&mut self, node: Node<'_>, source: &str) -> Option<String> {
        let (mut left, mut seen) = (vec![node], 0);
        while let Some(node) = left.pop() {
            seen += 1;
            if seen > MOST_WORDS {
                self.opaque(Why::TooMuch, "a command with too many parts");
                break;
            }
            let takes_names =
                matches!(node.kind(), "variable_assignment" | "declaration_command" | "unset_command");
            let reads = node.kind() == "command" && {
                let word = text(node, source);
                ["read", "mapfile", "readarray", "printf", "getopts", "let", "eval"]
                    .iter()
                    .any(|name| word.starts_with(name))
            };
            for child in named(node) {
                let name = text(child, source);
                if takes_names && child.kind() == "variable_name" || reads && is_variable(name) {
                    self.variables.insert(name.to_owned(), None);
                }
                left.push(child);
            }
        }
        None
    }

    /// Text in which only what it holds is looked at: conditions, arithmetic.
    pub(super) fn expression(&mut self, node: Node<'_>, source: &str) -> Option<String> {
        match node.kind() {
            "command_substitution" => {
                self.substitution(node, source, true);
            }
            "process_substitution" => return self.each(node, source, &Stdin::Inherited),
            "expansion" | "simple_expansion" => {
                self.pieces(node, source, false);
            }
            "file_redirect" => return self.redirect(node, source).map(|_| String::new()),
            _ => {
                for child in named(node) {
                    self.statement(child, source, &Stdin::Inherited);
                }
            }
        }
        None
    }

    /// Commands of which each reads what the one before it writes; redirections after them are the last one's.
    pub(super) fn pipeline(
        &mut self,
        stages: &[Node<'_>],
        redirects: &[Node<'_>],
        source: &str,
        stdin: &Stdin,
    ) -> Option<String> {
        let (last, before) = stages.split_last()?;
        let mut input = stdin.clone();
        for stage in before {
            input = self.statement(*stage, source, &input).map_or(Stdin::Piped, Stdin::Text);
        }
        let said = self.with_redirects(*last, redirects, source, &input);
        for stage in stages {
            self.forget(*stage, source);
        }
        said
    }

    pub(super) fn command(&mut self, node: Node<'_>, source: &str, stdin: &Stdin) -> Option<String> {
        let mut words = Vec::new();
        let mut input = stdin.clone();
        let has_name = node.child_by_field_name("name").is_some();
        let (mut writes, mut at) = (false, node.start_byte());
        for child in children(node) {
            words.extend(self.left_out(at, child.start_byte(), source));
            at = child.end_byte();
            match child.kind() {
                _ if self.is_descriptor(child, source) => {}
                "variable_assignment" => {
                    self.assignment(child, source, !has_name);
                }
                "file_redirect" => writes |= self.redirect(child, source).is_some(),
                "herestring_redirect" | "heredoc_redirect" => {
                    input = self.here(child, source).map_or(Stdin::Piped, Stdin::Text);
                }
                "command_name" => match named(child).first() {
                    Some(name) => words.extend(self.words(*name, source)),
                    None => words.push(Word::known(text(child, source))),
                },
                "subshell" => {
                    self.statement(child, source, stdin);
                }
                _ => words.extend(self.words(child, source)),
            }
        }
        words.extend(self.words_after(node, source));
        let said = self.run(&words, &input);
        if writes { None } else { said }
    }

    /// Gives a variable a value that isn't known.
    pub(super) fn unknown_variable(&mut self, name: &str) {
        self.variables.insert(name.to_owned(), None);
    }

    /// No variable that was given is known any more.
    pub(super) fn forget_variables(&mut self) {
        self.variables.values_mut().for_each(|value| *value = None);
    }

    /// Takes down a simple command; whether there is room for it.
    pub(super) fn stage(&mut self, stage: Stage) -> bool {
        if self.seen.stages.len() >= MOST_STAGES {
            self.opaque(Why::TooMuch, "too many commands");
            return false;
        }
        self.seen.stages.push(stage);
        true
    }

    /// Takes down that a file is touched.
    pub(super) fn access(&mut self, word: &Word, mode: Mode) {
        if word.text.is_empty() || word.text == "-" || self.is_over() {
            return;
        }
        if let Some(unknown) = &word.unknown {
            self.opaque(Why::Variable, &unknown.clone());
            // What is known at its beginning tells where it is at least.
            return self.access_path(&word.text.clone(), mode);
        }
        if !word.is_pattern {
            return self.access_path(&word.text.clone(), mode);
        }
        for folder in self.folders.clone() {
            match glob::files(&folder, &word.text) {
                None => self.opaque(Why::TooMuch, &word.text.clone()),
                Some(files) => {
                    files.iter().for_each(|file| self.access_path(&file.to_string_lossy(), mode));
                    self.access_path(&word.text.clone(), mode);
                }
            }
        }
    }

    pub(super) fn access_path(&mut self, path: &str, mode: Mode) {
        if path.len() > LONGEST_PATH {
            return self.opaque(Why::TooMuch, path);
        }
        let path = Path::new(path);
        for folder in self.folders.clone() {
            if self.seen.accesses.len() >= MOST_FILES {
                return self.opaque(Why::TooMuch, "too many files");
            }
            let plain = paths::without_dots(&folder, path);
            let plain = paths::own_stream(&plain).unwrap_or(plain);
            let resolved = paths::resolve(&folder, path);
            for path in self.through_links([plain, resolved]) {
                self.seen.accesses.insert((path, mode));
            }
        }
    }

    /// Some paths, and where they lead through links that the command makes.
    fn through_links(&self, paths: [PathBuf; 2]) -> BTreeSet<PathBuf> {
        let mut left = Vec::from(paths);
        let mut all = BTreeSet::new();
        while let Some(path) = left.pop() {
            if all.len() > MOST_FOLDERS || !all.insert(path.clone()) {
                continue;
            }
            for (link, targets) in &self.links {
                let Ok(rest) = path.strip_prefix(link) else { continue };
                left.extend(targets.iter().map(|target| paths::without_dots(target, rest)));
            }
        }
        all
    }

    /// Takes down a link that the command makes. A symbolic one leads on from its own folder.
    pub(super) fn link(&mut self, link: &str, target: &str, is_symbolic: bool) {
        for folder in self.folders.clone() {
            let link = paths::without_dots(&folder, Path::new(link));
            let from = if is_symbolic { link.parent().unwrap_or(&folder) } else { &folder };
            let target = paths::resolve(from, Path::new(target));
            if target != link {
                self.links.entry(link).or_default().insert(target);
            }
        }
    }

    /// The files, and folders if wanted, below some folders whose names or paths fit a pattern, as words.
    pub(super) fn found_below(&mut self, roots: &[Word], pattern: &str, folders: bool) -> Vec<Word> {
        let mut all = Vec::new();
        if self.is_over() {
            return all;
        }
        for root in roots.iter().filter_map(Word::as_known).map(str::to_owned).collect::<Vec<_>>() {
            for folder in self.resolved(&root) {
                let (found, is_whole) =
                    glob::found(&folder, &[pattern], Instant::now() + LONGEST_SEARCH, folders);
                // What a pattern hides names is likelier to be looked for than what many have in common.
                if !is_whole && pattern.starts_with(['.', '?', '[']) {
                    self.opaque(Why::TooMuch, pattern);
                }
                all.extend(found.iter().map(|path| Word::known(path.to_string_lossy())));
            }
        }
        all
    }

    /// A path as the system finds it, from each folder that the command at hand may happen in.
    pub(super) fn resolved(&self, path: &str) -> BTreeSet<PathBuf> {
        let path = Path::new(if path.len() > LONGEST_PATH { "/" } else { path });
        self.folders.iter().map(|folder| paths::resolve(folder, path)).collect()
    }

    /// Goes to a folder, or stays: what comes next may happen in either.
    pub(super) fn go(&mut self, word: &Word) {
        let Some(path) = word.as_known() else {
            return self.opaque(Why::Folder, &word.text.clone());
        };
        let next = self.resolved(path);
        self.folders.extend(next);
        if self.folders.len() > MOST_FOLDERS {
            self.opaque(Why::Folder, path);
            while self.folders.len() > MOST_FOLDERS {
                self.folders.pop_last();
            }
        }
    }
}
