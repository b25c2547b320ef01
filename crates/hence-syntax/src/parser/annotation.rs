//! `@id(NAME)` and `@because("…")` before a rule, `@partition(COLUMN)` before an input, `@personal(COLUMN)` after the
//! type of a column.

use hence_core::diagnostic::{Diagnostic, nearest};
use hence_core::span::Span;
use hence_core::symbol::Symbol;
use hence_core::value::Value;

use super::super::codes;
use super::super::lexer::snake_case;
use super::super::token::TokenKind;
use super::super::tree::{Ident, Item};
use super::Parser;

/// The annotations of a rule.
#[derive(Default)]
pub(super) struct Annotations {
    pub(super) id: Option<Ident>,
    pub(super) because: Option<(Symbol, Span)>,
}

impl Parser<'_> {
    /// All annotations before a rule.
    pub(super) fn annotations(&mut self) -> Annotations {
        let mut annotations = Annotations::default();
        while self.at(TokenKind::At) {
            let start = self.bump().span;
            let word = self.current;
            match self.word().map(Symbol::as_str) {
                Some("id") => self.id(start, &mut annotations),
                Some("because") => self.because(start, &mut annotations),
                _ => self.unknown_annotation(start),
            }
            if self.current == word {
                self.bump();
            }
            if self.at(TokenKind::End) {
                let fault = Diagnostic::new(codes::BAD_ANNOTATION, "unexpected `.` after an annotation")
                    .at(self.current.span, "an annotation belongs to the rule below it")
                    .help("remove it")
                    .fix(self.current.span, "");
                self.fault(fault);
                self.bump();
            }
        }
        annotations
    }

    /// `@id(NAME)`.
    fn id(&mut self, start: Span, annotations: &mut Annotations) {
        self.bump();
        let Some(open) = self.open_annotation("id", "name") else { return };
        let span = self.current.span;
        let id = match self.current.kind {
            TokenKind::Literal(Value::String(text)) => {
                let help = format!("write: `@id({})`", snake_case(text.as_str()).replace([' ', '-'], "_"));
                self.report(codes::BAD_ANNOTATION, "`@id` takes a word", span, "unexpected quotes", &help);
                self.bump();
                Some(Ident { name: text, span })
            }
            _ => self.name("rule"),
        };
        self.close_annotation(open);
        let first = annotations.id;
        self.once(start, "id", first.is_some());
        annotations.id = first.or(id);
    }

    /// `@because("…")`.
    fn because(&mut self, start: Span, annotations: &mut Annotations) {
        self.bump();
        let Some(open) = self.open_annotation("because", "\"…\"") else { return };
        let span = self.current.span;
        let text = match self.current.kind {
            TokenKind::Literal(Value::String(text)) => {
                self.bump();
                Some((text, span))
            }
            TokenKind::Broken => {
                self.bump();
                return;
            }
            _ => {
                let help = "write: `@because(\"…\")`";
                self.report(
                    codes::BAD_ANNOTATION,
                    "`@because` takes a string",
                    span,
                    "expected a string",
                    help,
                );
                self.bump();
                None
            }
        };
        self.close_annotation(open);
        let first = annotations.because;
        self.once(start, "because", first.is_some());
        annotations.because = first.or(text);
    }

    /// Takes `(` after an annotation.
    fn open_annotation(&mut self, name: &str, argument: &str) -> Option<Span> {
        if self.at(TokenKind::LeftParen) {
            return Some(self.bump().span);
        }
        let message = format!("`@{name}` without parentheses");
        let help = format!("write: `@{name}({argument})`");
        self.report(codes::BAD_ANNOTATION, message, self.last.span.after(), "expected `(` here", &help);
        None
    }

    fn close_annotation(&mut self, open: Span) {
        if !self.at(TokenKind::RightParen) && !self.at_recovery_end() {
            self.expected("`)`");
            self.skip_to_comma(|token| token.kind == TokenKind::RightParen);
        }
        self.close(TokenKind::RightParen, open);
    }

    /// Reports an annotation that appears twice.
    fn once(&mut self, start: Span, name: &str, twice: bool) {
        if twice {
            let span = self.since(start);
            let message = format!("duplicate annotation `@{name}`");
            self.report(codes::BAD_ANNOTATION, message, span, "the first one is used", "remove one of them");
        }
    }

    /// Whether a declaration begins with `@partition`.
    pub(super) fn at_partition(&self) -> bool {
        self.at(TokenKind::At)
            && matches!(self.ahead.kind, TokenKind::Word(word) if word.as_str() == "partition")
    }

    /// `@partition(COLUMN)` and the input that follows; what else follows is reported and read without it.
    pub(super) fn partitioned(&mut self) -> Option<Item> {
        let start = self.current.span;
        let mut doc = self.doc(start.start);
        let mut column = None;
        while self.at_partition() {
            let again = self.bump().span;
            self.bump();
            let Some(open) = self.open_annotation("partition", "column") else { continue };
            let named = self.name("column");
            self.close_annotation(open);
            self.once(again, "partition", column.is_some());
            column = column.or(named);
        }
        if doc.lines.is_empty() {
            doc = self.doc(self.current.span.start);
        }
        let declares = ["input", "relation", "decision"].iter().any(|word| self.at_word(word));
        if declares && matches!(self.ahead.kind, TokenKind::Word(_) | TokenKind::Variable(_)) {
            return self.relation_with(start, doc, column).map(Item::Relation);
        }
        let help = "put it directly before `input`";
        let span = self.since(start);
        self.report(codes::BAD_ANNOTATION, "`@partition` applies to inputs", span, "no input follows", help);
        match self.current.kind {
            TokenKind::At => self.rule().map(Item::Rule),
            _ => None,
        }
    }

    /// `@personal(column)` after the type of a column.
    pub(super) fn personal(&mut self) -> Option<Ident> {
        let mut subject = None;
        while self.at(TokenKind::At) {
            let start = self.bump().span;
            if self.word().is_none_or(|word| word.as_str() != "personal") {
                self.unknown(start, "a column has `@personal(COLUMN)`", &["personal"]);
                continue;
            }
            self.bump();
            let Some(open) = self.open_annotation("personal", "COLUMN") else { continue };
            let column = self.name("column");
            self.close_annotation(open);
            self.once(start, "personal", subject.is_some());
            subject = subject.or(column);
        }
        subject
    }

    /// Reports an unknown annotation, and skips it.
    fn unknown_annotation(&mut self, start: Span) {
        self.unknown(start, "a rule has `@id(NAME)` and `@because(\"…\")`", &["id", "because"]);
    }

    /// Reports an annotation that is none of the `known` ones, and takes it.
    fn unknown(&mut self, start: Span, label: &str, known: &[&str]) {
        let span = start.to(self.current.span);
        let name = self.lexer.slice(self.current.span);
        let fault =
            Diagnostic::new(codes::BAD_ANNOTATION, format!("unknown annotation `@{name}`")).at(span, label);
        let fault = match nearest(name, known.iter().copied()) {
            Some(near) => fault.help(format!("write: `@{near}`")),
            None => fault,
        };
        self.fault(fault);
        if matches!(self.current.kind, TokenKind::Word(_) | TokenKind::Variable(_)) {
            self.bump();
        }
        if self.eat(TokenKind::LeftParen) {
            self.skip_to_comma(|token| token.kind == TokenKind::RightParen);
            while self.eat(TokenKind::Comma) {
                self.skip_to_comma(|token| token.kind == TokenKind::RightParen);
            }
            self.eat(TokenKind::RightParen);
        }
    }
}
