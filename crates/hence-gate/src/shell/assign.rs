//! Variables that a command sets.

use tree_sitter::Node;

use super::Why;
use super::arithmetic::named_by;
use super::parse::{children, named, text};
use super::quotes::is_variable;
use super::walk::Walk;
use super::word::{self, Word};

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
        self.environment(&name_text, &value, !lasts);
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

    /// `export`, `local` and the like.
    pub(super) fn declaration(&mut self, node: Node<'_>, source: &str) -> Option<String> {
        if !named(node).iter().any(|child| matches!(child.kind(), "variable_assignment" | "variable_name")) {
            // Without names it prints what is set.
            self.shows_environment();
        }
        let letters: String = named(node)
            .into_iter()
            .filter(|child| child.kind() == "word" && text(*child, source).starts_with('-'))
            .map(|child| text(child, source))
            .collect();
        let exports = text(node, source).starts_with("export") || letters.contains('x');
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
                    let name = child.child_by_field_name("name").filter(|_| exports);
                    name.iter().for_each(|name| self.exported(text(*name, source)));
                }
                "variable_name" if exports => self.exported(text(child, source)),
                "variable_name" => {}
                _ => {
                    for word in self.words(child, source) {
                        self.evaluated(&word.text);
                        let (name, value) = word.text.split_once('=').unwrap_or((&word.text, ""));
                        self.environment(name, &word.part(value), exports);
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
