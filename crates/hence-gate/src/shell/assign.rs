//! Variables that a command sets, and what those of its environment make programs do.

use tree_sitter::Node;

use super::arithmetic::named_by;
use super::parse::{children, named, text};
use super::quotes::is_variable;
use super::walk::Walk;
use super::word::{self, Word};
use super::{Mode, Why};

impl Walk {
    /// Gives a variable its value, to the commands after it or, with `lasts` off, to none of them.
    pub(super) fn assignment(&mut self, node: Node<'_>, source: &str, lasts: bool) -> Option<String> {
        let name = node.child_by_field_name("name");
        let value = node.child_by_field_name("value");
        let name_text = name.map(|name| text(name, source).to_owned()).unwrap_or_default();
        if let Some(name) = name {
            self.arithmetic(name, source);
        }
        let is_foreign = value.is_some_and(|value| self.is_foreign(value, source));
        let appends = children(node).iter().any(|child| child.kind() == "+=");
        let value = match value {
            None => Word::known(""),
            Some(array) if array.kind() == "array" => {
                self.each_word(array, source);
                Word { unknown: Some(name_text.clone()), ..Word::default() }
            }
            Some(value) => {
                let pieces = self.pieces(value, source, false);
                word::value(pieces, self.home().as_deref(), self.folder().as_deref())
            }
        };
        self.environment(&name_text, &value);
        let base = named_by(&name_text).unwrap_or(&name_text);
        if self.integers.contains(base) {
            match value.as_known() {
                Some(other) => self.number_in(other),
                None if is_foreign => self.opaque(Why::Substitution, &value.text),
                None => {}
            }
        }
        if is_foreign {
            self.foreign.insert(base.to_owned());
        } else if !appends && name_text == base {
            self.foreign.remove(base);
        }
        let known = value.as_known().map(str::to_owned);
        let known = match (appends, known) {
            (true, Some(more)) => self.variables.get(&name_text).cloned().flatten().map(|held| held + &more),
            (_, known) => known,
        };
        if lasts && is_variable(&name_text) {
            self.variables.insert(name_text, known);
        }
        None
    }

    pub(super) fn each_word(&mut self, node: Node<'_>, source: &str) {
        for child in named(node) {
            self.pieces(child, source, false);
        }
    }

    /// Whether a value may be text from elsewhere that is no number.
    pub(super) fn is_foreign(&self, node: Node<'_>, source: &str) -> bool {
        match node.kind() {
            "command_substitution" => !self.gives_a_number(node, source),
            "arithmetic_expansion" => false,
            "simple_expansion" | "expansion" => {
                let name = text(node, source).trim_start_matches(['$', '{', '!']);
                named_by(name.trim_end_matches('}')).is_some_and(|name| self.foreign.contains(name))
            }
            _ => named(node).into_iter().any(|child| self.is_foreign(child, source)),
        }
    }

    /// A variable that changes which programs run, or what they load.
    pub(super) fn environment(&mut self, name: &str, value: &Word) {
        const LOADS: [&str; 21] = [
            "BASH_CMDS",
            "BASH_ALIASES",
            "PATH",
            "BASH_ENV",
            "ENV",
            "PROMPT_COMMAND",
            "LD_PRELOAD",
            "LD_LIBRARY_PATH",
            "LD_AUDIT",
            "DYLD_INSERT_LIBRARIES",
            "PYTHONSTARTUP",
            "PYTHONPATH",
            "PERL5OPT",
            "PERL5LIB",
            "RUBYOPT",
            "NODE_OPTIONS",
            "EDITOR",
            "VISUAL",
            "PAGER",
            "MANPAGER",
            "BROWSER",
        ];
        const RUNS: [&str; 9] = [
            "GIT_SSH_COMMAND",
            "GIT_SSH",
            "GIT_EDITOR",
            "GIT_SEQUENCE_EDITOR",
            "GIT_PAGER",
            "GIT_EXTERNAL_DIFF",
            "GIT_ASKPASS",
            "LESSOPEN",
            "RUSTC_WRAPPER",
        ];
        const HARMLESS: [&str; 8] = ["cat", "true", ":", "false", "less", "vi", "vim", "nano"];
        self.evaluated(&value.text);
        let name = named_by(name).unwrap_or(name);
        if name.starts_with("PS") && value.text.contains(['`', '$']) && value.text.contains(['`', '(', '@']) {
            // A prompt is expanded as a word is.
            self.opaque(Why::Environment, name);
            self.read(&format!(": {}", value.text));
        }
        if matches!(name, "MAKEFLAGS" | "GNUMAKEFLAGS") && value.text.contains("--e") {
            self.opaque(Why::Environment, name);
        }
        if !LOADS.contains(&name) && !RUNS.contains(&name) && !name.starts_with("GIT_CONFIG") {
            return;
        }
        if !HARMLESS.contains(&value.text.as_str()) {
            self.opaque(Why::Environment, name);
        }
        if RUNS.contains(&name)
            && let Some(command) = value.as_known()
        {
            self.read(command);
        }
    }

    /// `export`, `local` and the like.
    pub(super) fn declaration(&mut self, node: Node<'_>, source: &str) -> Option<String> {
        if !named(node).iter().any(|child| matches!(child.kind(), "variable_assignment" | "variable_name")) {
            // Without names it prints what is set.
            self.access(&Word::known("/proc/self/environ"), Mode::Read);
        }
        let letters: String = named(node)
            .into_iter()
            .filter(|child| child.kind() == "word" && text(*child, source).starts_with('-'))
            .map(|child| text(child, source))
            .collect();
        if letters.contains('n') && !text(node, source).starts_with("export") {
            // From here on the name means what another one does.
            self.opaque(Why::Variable, text(node, source));
            self.forget_variables();
        }
        for child in named(node) {
            if letters.contains('i') {
                self.integers.extend(named_by(text(child, source)).map(str::to_owned));
            }
            match child.kind() {
                "variable_assignment" => {
                    self.assignment(child, source, true);
                }
                "variable_name" => {}
                _ => {
                    for word in self.words(child, source) {
                        self.evaluated(&word.text);
                        let (name, value) = word.text.split_once('=').unwrap_or((&word.text, ""));
                        self.environment(name, &word.part(value));
                        if is_variable(name) && word.text.contains('=') {
                            self.variables.insert(name.to_owned(), word.as_known().map(|_| value.to_owned()));
                        }
                    }
                }
            }
        }
        None
    }
}
