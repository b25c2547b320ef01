//! Tests: `test "NAME" { … }`.

use hence_core::diagnostic::Diagnostic;
use hence_core::span::Span;
use hence_core::symbol::Symbol;
use hence_core::value::Value;

use super::super::codes;
use super::super::token::{Position, TokenKind};
use super::super::tree::Test;
use super::Parser;

/// The parts of a test in their order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Section {
    Set,
    Now,
    Given,
    Expect,
}

impl Section {
    fn of(word: &str) -> Option<Self> {
        Some(match word {
            "set" => Self::Set,
            "now" => Self::Now,
            "given" => Self::Given,
            "expect" => Self::Expect,
            _ => return None,
        })
    }

    fn word(self) -> &'static str {
        match self {
            Self::Set => "set",
            Self::Now => "now",
            Self::Given => "given",
            Self::Expect => "expect",
        }
    }
}

impl Parser<'_> {
    /// The current test.
    pub(super) fn test(&mut self) -> Option<Test> {
        let start = self.bump().span;
        let doc = self.doc(start.start);
        let (name, name_span) = self.test_name()?;
        let open = self.current.span;
        if !self.eat(TokenKind::LeftBrace) {
            self.expected("`{` after the name of the test");
            self.skip_clause();
            return None;
        }
        let mut test = Test {
            doc,
            name,
            name_span,
            sets: Vec::new(),
            now: None,
            given: Vec::new(),
            expect: Vec::new(),
            span: start,
        };
        self.sections(&mut test);
        self.close(TokenKind::RightBrace, open);
        if self.at(TokenKind::End) {
            let label = "a test ends with `}`";
            self.report(
                codes::BAD_TEST,
                "unexpected `.` after a test",
                self.current.span,
                label,
                "remove it",
            );
            self.bump();
        }
        test.span = self.since(start);
        Some(test)
    }

    fn test_name(&mut self) -> Option<(Symbol, Span)> {
        let span = self.current.span;
        match self.current.kind {
            TokenKind::Literal(Value::String(name)) => {
                self.bump();
                Some((name, span))
            }
            TokenKind::Broken => {
                self.silent = true;
                self.bump();
                Some((Symbol::new(""), span))
            }
            _ => {
                let word = self.lexer.slice(span);
                let help = format!("write: `test \"{word}\" {{`");
                self.report(codes::BAD_TEST, "the name of a test is in quotes", span, "not a string", &help);
                self.bump();
                Some((Symbol::new(word), span))
            }
        }
    }

    /// All parts, up to the closing brace.
    fn sections(&mut self, test: &mut Test) {
        let mut latest = Section::Set;
        while !self.at(TokenKind::RightBrace) && !self.at_test_end() {
            let before = self.current.span;
            self.clause = before.start;
            self.silent = false;
            match self.section_word() {
                Some(section) => {
                    self.refuse_disorder(section, latest);
                    latest = latest.max(section);
                    self.bump();
                    self.section(section, test);
                }
                None => {
                    self.expected("`set`, `now`, `given`, `expect` or `}`");
                    self.skip_test_clause();
                }
            }
            if self.current.span == before {
                self.bump();
            }
        }
        if test.expect.is_empty() && self.at(TokenKind::RightBrace) {
            let help = "add `expect` and the expected facts";
            self.report(
                codes::BAD_TEST,
                "a test without expectations",
                test.name_span,
                "it can't fail",
                help,
            );
        }
    }

    /// Whether a parenthesis is directly after the current word, as after a relation.
    pub(super) fn is_called(&self) -> bool {
        self.ahead.kind == TokenKind::LeftParen && self.ahead.span.start == self.current.span.end
    }

    /// The word that begins a part, unless it is called like a relation.
    pub(super) fn section_word(&self) -> Option<Section> {
        let called = self.is_called();
        self.word().filter(|_| !called).and_then(|word| Section::of(word.as_str()))
    }

    /// Reports a part after one that it should precede.
    fn refuse_disorder(&mut self, section: Section, latest: Section) {
        if section < latest {
            let message = format!("`{}` after `{}`", section.word(), latest.word());
            let label = "the order is `set`, `now`, `given`, `expect`";
            let help = "write a separate test for each step";
            self.report(codes::BAD_TEST, message, self.current.span, label, help);
        }
    }

    fn section(&mut self, section: Section, test: &mut Test) {
        match section {
            Section::Set => self.set(test),
            Section::Now => self.now(test),
            Section::Given => self.given(test),
            Section::Expect => {
                self.in_expect = true;
                self.expectations(test);
                self.in_expect = false;
            }
        }
    }

    /// `NAME = LITERAL.`
    fn set(&mut self, test: &mut Test) {
        let Some(name) = self.name("parameter") else {
            self.skip_test_clause();
            return;
        };
        if !self.eat(TokenKind::Equal) {
            self.expected("`=` and a literal");
        }
        let value = self.literal_term("the value of a parameter");
        test.sets.push((name, value));
        self.end_test_clause("`set`");
    }

    /// `TIME.`
    fn now(&mut self, test: &mut Test) {
        let span = self.current.span;
        match self.current.kind {
            TokenKind::Literal(Value::Time(micros)) => {
                self.bump();
                if test.now.is_some() {
                    self.report(
                        codes::BAD_TEST,
                        "duplicate `now` in a test",
                        span,
                        "the first one is used",
                        "",
                    );
                }
                test.now.get_or_insert((micros, span));
            }
            TokenKind::Broken => {
                self.bump();
            }
            _ => {
                let message = format!("`now` takes a time, found {}", self.found());
                let fault = Diagnostic::new(codes::BAD_TEST, message).at(self.place_of_current(), "");
                self.fault(fault.help("write: `now @2026-02-03T14:23:45Z.`"));
                self.skip_test_clause();
                return;
            }
        }
        self.end_test_clause("`now`");
    }

    /// Whether the test was left open and something else begins.
    pub(super) fn at_test_end(&self) -> bool {
        let rule = self.current.position == Position::Margin && self.clause_ahead();
        self.at(TokenKind::Eof) || self.at(TokenKind::At) || self.declares() || rule
    }

    /// Takes the full stop of a clause inside a test.
    pub(super) fn end_test_clause(&mut self, what: &str) {
        let next = self.section_word().is_some() && self.current.position != Position::Inside;
        if self.at(TokenKind::RightBrace) || next || self.at_test_end() {
            if self.reported_at != Some(self.current.span.start) {
                self.missing_dot_before(what);
            }
            self.silent = false;
            return;
        }
        match self.current.kind {
            TokenKind::End | TokenKind::Dot | TokenKind::Semicolon => self.end_clause(what),
            _ if self.clause_given_up => self.end_clause(what),
            _ => {
                if self.at(TokenKind::RightParen) || !self.begins_term() {
                    self.expected(&format!("`.` at the end of {what}"));
                    self.skip_test_clause();
                } else if self.reported_at == Some(self.current.span.start) || self.silent {
                    self.skip_test_clause();
                } else {
                    self.missing_dot_before(what);
                }
            }
        }
    }

    /// Skips to after a full stop, or to what ends the test.
    pub(super) fn skip_test_clause(&mut self) {
        while !matches!(self.current.kind, TokenKind::End | TokenKind::RightBrace) && !self.at_test_end() {
            self.bump();
        }
        self.eat(TokenKind::End);
        self.silent = false;
    }
}
