//! Arithmetic: a shell takes the values of names in it for arithmetic, too, and runs what stands in their subscripts.

use tree_sitter::Node;

use super::parse::{named, text};
use super::quotes::is_variable;
use super::walk::{Stdin, Walk};
use super::{Why, word};

/// Programs whose output is a number.
const NUMBERS: [&str; 12] =
    ["wc", "seq", "date", "nproc", "expr", "stat", "pgrep", "id", "sleep", "tput", "bc", "getconf"];
/// Comparisons of numbers.
const COMPARISONS: [&str; 6] = ["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];

impl Walk {
    /// Goes through arithmetic.
    pub(super) fn arithmetic(&mut self, node: Node<'_>, source: &str) {
        let own = text(node, source);
        let gives_values = ["=", "++", "--"].iter().any(|operator| own.contains(operator));
        for child in named(node) {
            match child.kind() {
                "number" | "comment" => {}
                "variable_name" | "word" => {
                    self.number_in(text(child, source));
                    if gives_values {
                        self.unknown_variable(text(child, source));
                    }
                }
                kind if kind.ends_with("_expression")
                    || matches!(kind, "subscript" | "variable_assignment") =>
                {
                    self.arithmetic(child, source);
                }
                _ => self.operand(child, source, true),
            }
        }
    }

    /// Goes through a condition in brackets, where subscripts count as well, and names among what is compared as numbers.
    pub(super) fn condition(&mut self, node: Node<'_>, source: &str, of_numbers: bool) {
        for child in named(node) {
            match child.kind() {
                "binary_expression" => {
                    let operator = child.child_by_field_name("operator").map(|node| text(node, source));
                    self.condition(child, source, operator.is_some_and(|word| COMPARISONS.contains(&word)));
                }
                kind if kind.ends_with("_expression") && kind != "brace_expression" => {
                    self.condition(child, source, of_numbers);
                }
                "redirected_statement" | "regex" | "extglob_pattern" | "test_operator" | "ERROR" => {
                    self.statement(child, source, &Stdin::Inherited);
                }
                _ => self.operand(child, source, of_numbers),
            }
        }
    }

    /// A part of arithmetic or of a condition that a shell expands first.
    fn operand(&mut self, node: Node<'_>, source: &str, is_number: bool) {
        let pieces = self.pieces(node, source, true);
        let value = word::value(pieces, None, None);
        self.evaluated(&value.text);
        if !is_number {
            return;
        }
        match value.as_known() {
            Some(text) => self.number_in(text),
            None => self.foreign_in(node, source),
        }
    }

    /// Asks about text from elsewhere that is taken for a number.
    pub(super) fn foreign_in(&mut self, node: Node<'_>, source: &str) {
        let own = text(node, source);
        match node.kind() {
            "command_substitution" => {
                if !self.gives_a_number(node, source) {
                    self.opaque(Why::Substitution, own);
                }
            }
            "simple_expansion" | "expansion" => {
                let name = own.trim_start_matches(['$', '{', '!']).trim_end_matches('}');
                let name = name.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next();
                name.iter().for_each(|name| self.number_in(name));
            }
            _ => named(node).into_iter().for_each(|child| self.foreign_in(child, source)),
        }
    }

    /// Whether all that a substitution puts in is a number.
    pub(super) fn gives_a_number(&self, node: Node<'_>, source: &str) -> bool {
        let inner = named(node);
        let [only] = inner.as_slice() else { return false };
        let mut last = *only;
        while matches!(last.kind(), "pipeline" | "redirected_statement") {
            let within = match last.kind() {
                "pipeline" => named(last).pop(),
                _ => last.child_by_field_name("body"),
            };
            match within {
                Some(within) => last = within,
                None => return false,
            }
        }
        let words: Vec<&str> = text(last, source).split_ascii_whitespace().collect();
        last.kind() == "command"
            && match words.as_slice() {
                [name, ..] if NUMBERS.contains(name) => true,
                ["grep", option, ..] => option.starts_with('-') && option.contains('c'),
                _ => false,
            }
    }

    /// A name in arithmetic: what it holds is arithmetic, too.
    pub(super) fn number_in(&mut self, name: &str) {
        if self.foreign.contains(name) {
            self.opaque(Why::Variable, name);
        }
    }

    /// Text that may be taken for the name of a variable or for arithmetic: the substitutions in its subscripts run.
    pub(super) fn evaluated(&mut self, text: &str) {
        if hides_code(text) {
            self.opaque(Why::InlineCode, text);
            self.read(&format!(": {text}"));
        }
    }
}

/// Whether a text has a subscript with a substitution in it.
fn hides_code(text: &str) -> bool {
    let runs = |rest: &str| rest.contains("$(") || rest.contains('`') || rest.contains("@P");
    text.match_indices('[').any(|(at, _)| {
        let (before, rest) = text.split_at(at);
        before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_') && runs(rest)
    })
}

/// Whether a word is the name of a variable, or of one with a subscript.
pub(super) fn named_by(word: &str) -> Option<&str> {
    word.split(['[', '=', '+']).next().filter(|name| is_variable(name))
}
