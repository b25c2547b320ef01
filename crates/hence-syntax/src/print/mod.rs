//! From tree to text: the formatter, and single parts of a tree for messages.

mod expr;
mod item;
mod lines;
mod test;
mod text;

use super::lexer::Lexer;
use super::token::TokenKind;
use super::tree::{Atom, BodyAggregate, Doc, Expr, File, Item, Literal, Rule};
use crate::part;

use lines::{Line, Output};
use text::Texts;

/// The text of a file in the one layout: comments and documentation where they are, literals as they were
/// written. `file` is the tree of `text`, parsed without a fault.
pub fn format(text: &str, file: &File) -> String {
    let printer = Printer { text, file, texts: Texts { source: Some(text) } };
    let mut output = Output::new(text, &file.comments);
    for item in &file.items {
        printer.item(item, &mut output);
    }
    output.finish()
}

/// An expression on one line, as a message shows it.
pub fn expr_text(expr: &Expr) -> String {
    Texts { source: None }.expr(expr)
}

/// A literal of a body on one line, as a message shows it.
pub fn literal_text(literal: &Literal) -> String {
    Texts { source: None }.literal(literal)
}

/// An aggregate with its body on one line, without what equals its value, as a message shows it.
pub fn aggregate_text(aggregate: &BodyAggregate) -> String {
    Texts { source: None }.aggregate_with_body(aggregate)
}

/// An atom on one line, as a message shows it.
pub fn atom_text(atom: &Atom) -> String {
    Texts { source: None }.atom(atom)
}

/// A rule without its annotations on one line, as a message shows it.
pub fn rule_text(rule: &Rule) -> String {
    Texts { source: None }.rule(rule)
}

/// What the parts of the formatter share.
struct Printer<'a> {
    text: &'a str,
    file: &'a File,
    texts: Texts<'a>,
}

impl Printer<'_> {
    /// Prints an item with its documentation and the comments before and inside it.
    fn item(&self, item: &Item, output: &mut Output<'_>) {
        let (lines, doc) = match item {
            Item::Relation(decl) => (self.relation(decl), Some(&decl.doc)),
            Item::Type(decl) => (self.type_decl(decl), Some(&decl.doc)),
            Item::Param(param) => (self.param(param), Some(&param.doc)),
            Item::Import(import) => (self.import(import), None),
            Item::Rule(rule) => (self.rule(rule), Some(&rule.doc)),
            Item::Test(test) => (self.test(test), Some(&test.doc)),
        };
        let start = item.span().start;
        let documented = doc.is_some_and(|doc| !doc.lines.is_empty());
        if let Some(doc) = doc.filter(|_| documented) {
            output.doc(&doc.lines, self.doc_start(doc, start));
        }
        let head = match item {
            Item::Rule(rule) => rule.lead.start,
            _ => start,
        };
        for (at, line) in lines.into_iter().enumerate() {
            let takes_doc = doc.is_some() && (at == 0 || line.at == head);
            let keeps_blank = line.keeps_blank || at == 0 && !documented;
            output.line(&Line { takes_doc, keeps_blank, ..line });
        }
        output.comments_before(item.span().end, 0, false);
    }

    /// Where the documentation of the item at `start` begins: the first `##` of the comments directly above it.
    fn doc_start(&self, doc: &Doc, start: u32) -> u32 {
        let before = part(self.text, ..start as usize);
        let mut found = start;
        let mut end = before.trim_end_matches([' ', '\t']).len();
        let mut missing = doc.lines.len();
        while let Some(above) =
            before.get(..end).and_then(|text| text.strip_suffix('\n')).filter(|_| missing > 0)
        {
            let line_start = above.rfind('\n').map_or(0, |at| at + 1);
            let line = part(above, line_start..).trim_start_matches('\u{feff}');
            let comment = line.trim_start();
            if !comment.starts_with('#') {
                break;
            }
            if super::parser::doc_line(comment).is_some() {
                missing -= 1;
                found = (above.len() - comment.len()) as u32;
            }
            end = line_start;
        }
        found
    }

    /// Whether a comment begins between two places of the source.
    fn has_comment(&self, from: u32, to: u32) -> bool {
        let comments = &self.file.comments;
        let first = comments.partition_point(|comment| comment.span.start < from);
        comments.get(first).is_some_and(|comment| comment.span.start < to)
    }

    /// Where the parenthesis or brace is that closes the first one after `from`, or what `from` is in.
    fn closing_after(&self, from: u32) -> u32 {
        let mut lexer = Lexer::new(self.file.id, self.text);
        lexer.seek(from as usize);
        let mut depth = 0u32;
        loop {
            let token = lexer.next();
            match token.kind {
                TokenKind::LeftParen | TokenKind::LeftBrace => depth += 1,
                TokenKind::RightParen | TokenKind::RightBrace => depth = depth.saturating_sub(1),
                TokenKind::Eof => return from,
                _ => {}
            }
            if depth == 0 {
                return token.span.start.max(from);
            }
        }
    }

    /// The source from `from` to `to`, without white space and comments at its beginning.
    fn behind_trivia(&self, from: u32, to: u32) -> &str {
        let mut text = part(self.text, from as usize..to as usize).trim_start();
        while text.starts_with('#') {
            text = text.split_once('\n').map_or("", |(_, rest)| rest.trim_start());
        }
        text
    }

    /// Where the word before `at` begins, or `at` where none does.
    fn word_before(&self, at: u32) -> u32 {
        let before = part(self.text, ..at as usize);
        let mut end = before.trim_end().len();
        let comments = &self.file.comments;
        let mut next = comments.partition_point(|comment| comment.span.end as usize <= end);
        // A comment may be between the word and what follows it.
        while let Some(comment) = next.checked_sub(1).and_then(|last| comments.get(last)) {
            if comment.span.end as usize != end {
                break;
            }
            end = part(before, ..comment.span.start as usize).trim_end().len();
            next -= 1;
        }
        let word = part(before, ..end);
        let start = word.trim_end_matches(|c: char| c.is_ascii_lowercase()).len();
        if start < word.len() { start as u32 } else { at }
    }
}
