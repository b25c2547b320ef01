//! From nodes of the tree to words: substitutions are gone through, variables put in where their values are known.

use tree_sitter::Node;

use super::Why;
use super::parse::{children, named, text};
use super::quotes::{ansi, chars, in_back_quotes, in_quotes, is_variable, plain};
use super::walk::{MOST_WORDS, Stdin, Walk};
use super::word::{self, From, Piece, Word};
use crate::paths;

/// How much text comes out of variables and substitutions, in bytes.
const MOST_PUT_IN: usize = 256 << 10;

impl Walk {
    /// The words that a node becomes.
    pub(super) fn words(&mut self, node: Node<'_>, source: &str) -> Vec<Word> {
        let pieces = self.pieces(node, source, false);
        let found = word::words(pieces, self.home().as_deref(), self.folder().as_deref());
        self.words += found.len();
        if self.words > MOST_WORDS {
            self.opaque(Why::TooMuch, "a command with too many words");
            return Vec::new();
        }
        found
    }

    /// The home that a tilde means.
    pub(super) fn home(&self) -> Option<String> {
        match self.variables.get("HOME") {
            Some(value) => value.clone(),
            None => paths::home().map(|home| home.to_string_lossy().into_owned()),
        }
    }

    /// The folder that the command happens in, where it can be but one.
    pub(super) fn folder(&self) -> Option<String> {
        let only = self.folders.first().filter(|_| self.folders.len() == 1)?;
        Some(only.to_string_lossy().into_owned())
    }

    /// The pieces of a word.
    pub(super) fn pieces(&mut self, node: Node<'_>, source: &str, quoted: bool) -> Vec<Piece> {
        let from = if quoted { From::Quotes } else { From::Text };
        let unknown = |node| vec![Piece::Unknown(text(node, source).to_owned())];
        match node.kind() {
            "string" => self.string(node, source),
            "translated_string" => {
                named(node).into_iter().flat_map(|child| self.pieces(child, source, true)).collect()
            }
            "raw_string" => {
                let whole = text(node, source);
                chars(whole.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')).unwrap_or(whole))
            }
            "ansi_c_string" => ansi(text(node, source)),
            "concatenation" => self.concatenation(node, source),
            "simple_expansion" | "expansion" => self.expansion(node, source, quoted),
            "command_substitution" => {
                let said = self.substitution(node, source, quoted);
                let how = if quoted { From::Quotes } else { From::Variable };
                match said.filter(|said| self.fits(said)) {
                    Some(said) => said.trim_end_matches('\n').chars().map(|c| Piece::Char(c, how)).collect(),
                    None => unknown(node),
                }
            }
            "process_substitution" => {
                self.each(node, source, &Stdin::Piped);
                chars("/dev/fd/63")
            }
            "arithmetic_expansion" => {
                self.arithmetic(node, source);
                unknown(node)
            }
            "word"
            | "variable_name"
            | "number"
            | "brace_expression"
            | "extglob_pattern"
            | "regex"
            | "test_operator"
            | "special_variable_name"
            | "string_content" => {
                if !quoted && has_break(text(node, source)) {
                    self.opaque(Why::Syntax, text(node, source));
                }
                if named(node).is_empty() || node.kind() == "brace_expression" {
                    plain(text(node, source), from)
                } else {
                    named(node).into_iter().flat_map(|child| self.pieces(child, source, quoted)).collect()
                }
            }
            _ if !node.is_named() => plain(text(node, source), from),
            _ => {
                self.expression(node, source);
                unknown(node)
            }
        }
    }

    /// What a substitution puts in, where that is known.
    pub(super) fn substitution(&mut self, node: Node<'_>, source: &str, quoted: bool) -> Option<String> {
        let (folders, variables) = (self.folders.clone(), self.variables.clone());
        let inside = text(node, source).strip_prefix('`').and_then(|rest| rest.strip_suffix('`'));
        let all: Vec<_> = match inside.filter(|inside| inside.contains('\\')) {
            Some(inside) => {
                self.read(&in_back_quotes(inside, quoted));
                Vec::new()
            }
            None => named(node)
                .into_iter()
                .map(|child| self.statement(child, source, &Stdin::Inherited))
                .collect(),
        };
        (self.folders, self.variables) = (folders, variables);
        if let [only] = all.as_slice() { only.clone() } else { None }
    }

    /// Whether text fits in beside what came out of variables and substitutions before.
    fn fits(&mut self, text: &str) -> bool {
        self.put_in += text.len();
        if self.put_in > MOST_PUT_IN {
            self.opaque(Why::TooMuch, "variables that hold too much");
        }
        self.put_in <= MOST_PUT_IN
    }

    fn string(&mut self, node: Node<'_>, source: &str) -> Vec<Piece> {
        let mut all = Vec::new();
        let (mut at, end) = (node.start_byte() + 1, node.end_byte().saturating_sub(1));
        for child in named(node) {
            all.extend(in_quotes(source.get(at..child.start_byte()).unwrap_or_default()));
            at = child.end_byte();
            match child.kind() {
                "string_content" => all.extend(in_quotes(text(child, source))),
                _ => all.extend(self.pieces(child, source, true)),
            }
        }
        all.extend(in_quotes(source.get(at..end).unwrap_or_default()));
        all
    }

    fn concatenation(&mut self, node: Node<'_>, source: &str) -> Vec<Piece> {
        let mut all = Vec::new();
        let mut at = node.start_byte();
        for child in children(node) {
            all.extend(plain(source.get(at..child.start_byte()).unwrap_or_default(), From::Text));
            at = child.end_byte();
            all.extend(self.pieces(child, source, false));
        }
        all
    }

    /// The value of a variable, where it is known.
    fn expansion(&mut self, node: Node<'_>, source: &str, quoted: bool) -> Vec<Piece> {
        let whole = text(node, source);
        let how = if quoted { From::Quotes } else { From::Variable };
        let name = whole.trim_start_matches('$').trim_start_matches('{').trim_end_matches('}');
        let separates = !quoted && self.variables.contains_key("IFS");
        if is_variable(name) {
            let value = self.value(name).filter(|_| !separates && !self.is_interrupted);
            if let Some(value) = value.filter(|value| self.fits(value)) {
                return value.chars().map(|c| Piece::Char(c, how)).collect();
            }
        } else if named(node).len() > 1 || node.kind() == "expansion" {
            self.expanded_as(node, source);
            for (at, child) in named(node).into_iter().enumerate() {
                match child.kind() {
                    "variable_name" | "word" if at > 0 && is_variable(text(child, source)) => {
                        self.number_in(text(child, source));
                    }
                    "subscript" => self.arithmetic(child, source),
                    "variable_name" | "special_variable_name" => {}
                    "word" | "regex" | "extglob_pattern" if named(child).is_empty() => {
                        self.backquotes(text(child, source));
                    }
                    _ => {
                        self.statement(child, source, &Stdin::Inherited);
                    }
                }
            }
            // What else they may mean isn't known.
        }
        vec![Piece::Unknown(whole.to_owned())]
    }

    /// `${x@P}` expands what `x` holds, `${!x}` takes it for a name.
    fn expanded_as(&mut self, node: Node<'_>, source: &str) {
        let whole = text(node, source);
        let name = whole.trim_start_matches(['$', '{', '!']);
        let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(name.len());
        let (name, operator) = name.split_at(end);
        if operator.starts_with('=') || operator.starts_with(":=") {
            self.unknown_variable(name);
        }
        if operator.contains("@P") {
            match self.variables.get(name).cloned().flatten() {
                Some(value) => self.read(&format!(": {value}")),
                None => self.opaque(Why::Variable, whole),
            }
        }
        if whole.starts_with("${!") && operator == "}" {
            self.number_in(name);
        }
    }

    fn value(&self, name: &str) -> Option<String> {
        match self.variables.get(name) {
            Some(value) => value.clone(),
            None => match name {
                "IFS" => Some(String::from(" \t\n")),
                "HOME" => self.home(),
                "PWD" => self.folder(),
                _ => None,
            },
        }
    }
}

/// Whether a word goes on in the next line, as no word does outside of quotes.
fn has_break(word: &str) -> bool {
    let mut left = word.chars();
    while let Some(c) = left.next() {
        match c {
            '\\' => drop(left.next()),
            '\n' => return true,
            _ => {}
        }
    }
    false
}
