//! Redirections and here-documents: the files that a shell opens itself.

use tree_sitter::Node;

use super::parse::{children, is_word, named, text};
use super::quotes::{is_variable, substituted};
use super::walk::{Stdin, Walk};
use super::word::{self, Piece, Word};
use super::{Mode, Why};

impl Walk {
    pub(super) fn redirected(&mut self, node: Node<'_>, source: &str, stdin: &Stdin) -> Option<String> {
        let redirects = redirects_of(node);
        let said = match node.child_by_field_name("body") {
            Some(body) => self.with_redirects(body, &redirects, source, stdin),
            None => {
                self.opened(&redirects, source, stdin);
                None
            }
        };
        // What stands on the line of a here-document after its word comes after it in the text.
        let after = redirects.into_iter().filter(|child| child.kind() == "heredoc_redirect");
        after.fold(said, |last, redirect| self.after_here(redirect, source, last))
    }

    /// Goes through a statement with redirections after it. The grammar hangs those of the last command of a list or a
    /// pipeline on the whole of it; a shell opens them for that command, in the folder that those before it went to.
    pub(super) fn with_redirects(
        &mut self,
        node: Node<'_>,
        redirects: &[Node<'_>],
        source: &str,
        stdin: &Stdin,
    ) -> Option<String> {
        match node.kind() {
            _ if redirects.is_empty() => self.statement(node, source, stdin),
            "list" | "negated_command" => {
                let parts = named(node);
                let (last, before) = parts.split_last()?;
                before.iter().for_each(|part| {
                    self.statement(*part, source, stdin);
                });
                self.with_redirects(*last, redirects, source, stdin).filter(|_| before.is_empty())
            }
            "pipeline" => self.pipeline(&named(node), redirects, source, stdin),
            _ => {
                let (writes, input) = self.opened(redirects, source, stdin);
                self.statement(node, source, &input).filter(|_| !writes)
            }
        }
    }

    /// The word that the grammar leaves out between two nodes: a `-` before a here-document.
    pub(super) fn left_out(&mut self, from: usize, to: usize, source: &str) -> Option<Word> {
        let gap = source.get(from..to).unwrap_or_default().replace("\\\n", "");
        let word = gap.trim();
        if !matches!(word, "" | "-") {
            self.opaque(Why::Syntax, word);
        }
        (!word.is_empty()).then(|| Word::known(word))
    }

    /// Whether a word is the `{NAME}` of a redirection, which the grammar takes for an argument.
    pub(super) fn is_descriptor(&mut self, node: Node<'_>, source: &str) -> bool {
        let name = text(node, source).strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        let after = source.get(node.end_byte()..).unwrap_or_default();
        let name = name.filter(|name| is_variable(name) && after.starts_with(['<', '>']));
        name.iter().for_each(|name| self.unknown_variable(name));
        name.is_some()
    }

    /// The words of a command that stand beyond its node: before its redirections, and after the word of a here-document.
    pub(super) fn words_after(&mut self, node: Node<'_>, source: &str) -> Vec<Word> {
        let mut last = node;
        while last.next_sibling().is_none()
            && let Some(parent) = last.parent().filter(|parent| matches!(parent.kind(), "pipeline" | "list"))
        {
            last = parent;
        }
        let mut all = Vec::new();
        let mut next = last.next_sibling();
        while let Some(redirect) = next.filter(|next| next.kind().ends_with("_redirect")) {
            all.extend(self.left_out(last.end_byte(), redirect.start_byte(), source));
            // The grammar takes words after that of a redirection for parts of it.
            let own = match redirect.kind() {
                "file_redirect" => 1,
                "heredoc_redirect" => 0,
                _ => usize::MAX,
            };
            let words =
                named(redirect).into_iter().filter(|child| child.kind() != "file_descriptor").skip(own);
            for word in words.filter(|child| is_word(*child)) {
                all.extend(self.words(word, source));
            }
            last = redirect;
            next = redirect.next_sibling();
        }
        all
    }

    /// Opens what redirections name: whether standard output may go to a file, and what standard input is then.
    fn opened(&mut self, redirects: &[Node<'_>], source: &str, stdin: &Stdin) -> (bool, Stdin) {
        let (mut writes, mut input) = (false, stdin.clone());
        for redirect in redirects {
            match redirect.kind() {
                "file_redirect" => writes |= self.redirect(*redirect, source).is_some(),
                _ => input = self.here(*redirect, source).map_or(Stdin::Piped, Stdin::Text),
            }
        }
        (writes, input)
    }

    /// A redirection to or from a file; something where it is written to.
    pub(super) fn redirect(&mut self, node: Node<'_>, source: &str) -> Option<String> {
        let operator = children(node)
            .into_iter()
            .find(|child| !child.is_named())
            .map_or("", |child| text(child, source));
        let targets: Vec<Node<'_>> = node.children_by_field_name("destination", &mut node.walk()).collect();
        let mode = if operator == "<" || operator.starts_with("<&") { Mode::Read } else { Mode::Write };
        let mut first = None;
        for target in targets.into_iter().take(1) {
            for word in self.words(target, source) {
                let is_descriptor = word.text.chars().all(|c| c.is_ascii_digit() || c == '-');
                if !(operator.ends_with('&') && is_descriptor) {
                    self.access(&word, mode);
                    first.get_or_insert(word.text);
                }
            }
        }
        first.filter(|_| mode == Mode::Write)
    }

    /// The text of a here-document or here-string, where it is known.
    pub(super) fn here(&mut self, node: Node<'_>, source: &str) -> Option<String> {
        if node.kind() == "herestring_redirect" {
            let child = named(node).into_iter().rfind(|child| child.kind() != "file_descriptor")?;
            let pieces = self.pieces(child, source, false);
            let value = word::value(pieces, self.home().as_deref(), self.folder().as_deref());
            return value.as_known().map(str::to_owned);
        }
        let body = named(node).into_iter().find(|child| child.kind() == "heredoc_body")?;
        let start =
            named(node).into_iter().find(|child| child.kind() == "heredoc_start").map(|s| text(s, source));
        if start.is_some_and(|start| start.contains(['\'', '"', '\\'])) {
            return Some(text(body, source).to_owned());
        }
        let mut known = true;
        let mut all = String::new();
        let mut at = body.start_byte();
        if named(body).is_empty() {
            known &= !self.backquotes(text(body, source));
        }
        for child in named(body) {
            let gap = source.get(at..child.start_byte()).unwrap_or_default();
            all.push_str(gap);
            known &= !self.backquotes(gap);
            at = child.end_byte();
            if child.kind() == "heredoc_content" {
                all.push_str(text(child, source));
                known &= !self.backquotes(text(child, source));
                continue;
            }
            for piece in self.pieces(child, source, true) {
                match piece {
                    Piece::Char(c, _) => all.push(c),
                    Piece::Unknown(_) => known = false,
                }
            }
        }
        let gap = source.get(at..body.end_byte()).unwrap_or_default();
        all.push_str(gap);
        known &= named(body).is_empty() || !self.backquotes(gap);
        known.then_some(all)
    }

    /// Goes through what stands between back quotes in a text that the grammar leaves whole; whether there is any, or
    /// another substitution.
    pub(super) fn backquotes(&mut self, text: &str) -> bool {
        let (commands, hidden) = substituted(text);
        commands.iter().for_each(|command| self.read(command));
        if hidden {
            self.opaque(Why::Syntax, text);
        }
        hidden || !commands.is_empty()
    }

    pub(super) fn after_here(
        &mut self,
        node: Node<'_>,
        source: &str,
        said: Option<String>,
    ) -> Option<String> {
        let input = said.clone().map_or(Stdin::Piped, Stdin::Text);
        let mut last = said;
        for child in named(node) {
            match child.kind() {
                "heredoc_start" | "heredoc_body" | "heredoc_end" | "file_descriptor" => {}
                "pipeline" => last = self.pipeline(&named(child), &[], source, &input),
                "file_redirect" => last = self.redirect(child, source).and(None).or(last),
                "herestring_redirect" => {
                    self.here(child, source);
                }
                _ if is_word(child) => {
                    for word in self.words(child, source) {
                        self.access(&word, Mode::Use);
                    }
                }
                _ => last = self.statement(child, source, &Stdin::Inherited),
            }
        }
        last
    }
}

/// The redirections that stand after a statement.
fn redirects_of(node: Node<'_>) -> Vec<Node<'_>> {
    children(node).into_iter().filter(|child| child.kind().ends_with("_redirect")).collect()
}
