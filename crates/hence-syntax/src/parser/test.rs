//! Tests: `test "NAME" { … }`.

use hence_core::diagnostic::{Diagnostic, nearest};
use hence_core::span::Span;
use hence_core::symbol::Symbol;
use hence_core::value::Value;

use super::super::codes;
use super::super::token::{Position, TokenKind};
use super::super::tree::{Test, TestStep};
use super::Parser;

/// The parts of a test in their order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Section {
    Set,
    Now,
    Given,
    Then,
    Expect,
}

impl Section {
    fn of(word: &str) -> Option<Self> {
        Some(match word {
            "set" => Self::Set,
            "now" => Self::Now,
            "given" => Self::Given,
            "then" => Self::Then,
            "expect" => Self::Expect,
            _ => return None,
        })
    }

    /// The part that another word before a fact probably means.
    fn meant(word: &str) -> Option<Self> {
        match word {
            "when" | "setup" | "facts" | "arrange" | "assume" => Some(Self::Given),
            "assert" | "should" | "check" | "verify" | "ensure" => Some(Self::Expect),
            "no" | "exactly" | "not" | "from" | "retract" => None,
            _ => nearest(word, ["given", "expect", "then"]).and_then(Self::of),
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Set => "set",
            Self::Now => "now",
            Self::Given => "given",
            Self::Then => "then",
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
            if self.at(TokenKind::Colon) {
                let help = format!("write: `test {} {{`, and `}}` at its end", self.lexer.slice(name_span));
                self.report(codes::BAD_TEST, "a test stands in braces", open, "expected `{`", &help);
            }
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
            steps: Vec::new(),
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
                if name.as_str().trim().is_empty() {
                    let help = "say what it shows: `test \"two failures stop a tool\" {`";
                    self.report(codes::BAD_TEST, "a test without a name", span, "", help);
                }
                Some((name, span))
            }
            TokenKind::Broken => {
                self.silent = true;
                self.bump();
                Some((Symbol::new(""), span))
            }
            TokenKind::LeftBrace => {
                let help = "say what it shows: `test \"two failures stop a tool\" {`";
                self.report(codes::BAD_TEST, "a test without a name", self.last.span, "", help);
                Some((Symbol::new(""), self.last.span))
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
                    self.refuse_other_word(section);
                    self.refuse_disorder(section, latest, !test.steps.is_empty());
                    latest = if section == Section::Then { section } else { latest.max(section) };
                    self.bump();
                    self.refuse_colon(section);
                    let braced = self.refuse_brace(section);
                    self.section(section, test, before);
                    if braced {
                        self.eat(TokenKind::RightBrace);
                    }
                }
                None => {
                    self.expected("`set`, `now`, `given`, `expect`, `then` or `}`");
                    self.skip_test_clause();
                }
            }
            if self.current.span == before {
                self.bump();
            }
        }
        if self.at(TokenKind::RightBrace) {
            self.refuse_no_expectations(test);
        }
    }

    /// Reports that nothing is expected at the end.
    fn refuse_no_expectations(&mut self, test: &Test) {
        let help = "add `expect` and the expected facts";
        let nothing = test.expect.is_empty() && test.steps.iter().all(|step| step.expect.is_empty());
        match test.steps.last() {
            Some(last) if nothing => {
                let help = "write `expect` in its place before what should hold; `then` gives the facts of a further step";
                self.report(
                    codes::BAD_TEST,
                    "a test without expectations",
                    last.span,
                    "nothing is expected",
                    help,
                );
            }
            Some(last) if last.expect.is_empty() => {
                let message = "a `then` without expectations";
                self.report(codes::BAD_TEST, message, last.span, "nothing checks what it changes", help);
            }
            None if test.expect.is_empty() => {
                let message = "a test without expectations";
                self.report(codes::BAD_TEST, message, test.name_span, "it can't fail", help);
            }
            _ => {}
        }
    }

    /// Whether a parenthesis is directly after the current word, as after a relation.
    pub(super) fn is_called(&self) -> bool {
        self.ahead.kind == TokenKind::LeftParen && self.ahead.span.start == self.current.span.end
    }

    /// The word that begins a part, unless it is called like a relation.
    pub(super) fn section_word(&self) -> Option<Section> {
        let called = self.is_called() || self.at_effect_relation();
        let word = self.word().filter(|_| !called)?.as_str();
        Section::of(word).or_else(|| {
            let fact_follows = matches!(self.ahead.kind, TokenKind::Word(_));
            Section::meant(word).filter(|_| fact_follows && self.current.position != Position::Inside)
        })
    }

    /// Reports a word that only means a part.
    fn refuse_other_word(&mut self, section: Section) {
        let found = self.word().map_or("", |word| word.as_str());
        if found != section.word() {
            let message = format!("unknown part `{found}` of a test");
            let help = format!("write: `{}`", section.word());
            self.report(codes::BAD_TEST, message, self.current.span, "", &help);
        }
    }

    /// Reports a colon after the word of a part, and takes it.
    fn refuse_colon(&mut self, section: Section) {
        let span = self.current.span;
        if self.at(TokenKind::Colon) {
            let message = format!("`{}` takes no colon", section.word());
            self.report(codes::BAD_TEST, message, span, "unexpected `:`", "remove it");
            self.bump();
        }
    }

    /// Reports a brace around a part, and takes it; whether it was there.
    fn refuse_brace(&mut self, section: Section) -> bool {
        let span = self.current.span;
        let found = self.at(TokenKind::LeftBrace);
        if found {
            let message = format!("`{}` takes no braces", section.word());
            let help = "remove it and its `}`: a part ends where the next one begins";
            self.report(codes::BAD_TEST, message, span, "unexpected `{`", help);
            self.bump();
        }
        found
    }

    /// Reports a part after one that it should precede.
    fn refuse_disorder(&mut self, section: Section, latest: Section, stepped: bool) {
        if section >= latest || section == Section::Then {
            return;
        }
        let message = format!("`{}` after `{}`", section.word(), latest.word());
        let label = "the order is `set`, `now`, `given`, `expect`, then as often as needed `then`, `expect`";
        let help = match section {
            Section::Set => "move it to the beginning: a parameter has one value in the whole test",
            Section::Now if latest == Section::Expect => {
                "move it to the beginning; a clock that moves later is a step of its own, a `then` and its `expect`"
            }
            Section::Given if latest == Section::Expect => {
                "move it before `expect`; facts that come later are a step of their own, a `then` and its `expect`"
            }
            Section::Given if stepped => "remove the word: the facts follow `then`",
            _ => "move it before the others",
        };
        self.report(codes::BAD_TEST, message, self.current.span, label, help);
    }

    /// A part, its word `word` taken.
    fn section(&mut self, section: Section, test: &mut Test, word: Span) {
        match section {
            Section::Set => self.set(test),
            Section::Now => {
                let (found, first) = (self.now(), &mut test.now);
                if let (Some((_, span)), Some(_)) = (found, &first) {
                    self.refuse_second_now(span);
                }
                *first = first.or(found);
            }
            Section::Given => self.given(&mut test.given),
            Section::Then => {
                let changes = self.changes();
                test.steps.push(TestStep { changes, expect: Vec::new(), span: word });
            }
            Section::Expect => {
                let found = self.expectations();
                let of = test.steps.last_mut().map_or(&mut test.expect, |step| &mut step.expect);
                of.extend(found);
            }
        }
    }

    pub(super) fn refuse_second_now(&mut self, span: Span) {
        let label = "the first one is used";
        self.report(codes::BAD_TEST, "duplicate `now` in one step of a test", span, label, "remove it");
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
        let value = self.param_value();
        if test.sets.iter().any(|(other, _)| other.name == name.name) {
            let message = format!("duplicate `set` of `{}` in one test", name.name);
            self.report(codes::BAD_TEST, message, name.span, "the first one is used", "remove it");
        } else {
            test.sets.push((name, value));
        }
        self.end_test_clause("`set`");
    }

    /// `TIME.`
    pub(super) fn now(&mut self) -> Option<(i64, Span)> {
        if self.at(TokenKind::Equal) {
            let label = "a time follows the word";
            self.report(codes::BAD_TEST, "unexpected `=` after `now`", self.current.span, label, "remove it");
            self.bump();
        }
        let span = self.current.span;
        let mut found = None;
        match self.current.kind {
            TokenKind::Literal(Value::Time(micros)) => {
                self.bump();
                found = Some((micros, span));
            }
            TokenKind::Broken => {
                self.bump();
            }
            _ => {
                let message = format!("`now` takes a time, found {}", self.found());
                let fault = Diagnostic::new(codes::BAD_TEST, message).at(self.place_of_current(), "");
                self.fault(fault.help("write: `now @2026-02-03T14:23:45Z.`"));
                self.skip_test_clause();
                return None;
            }
        }
        self.end_test_clause("`now`");
        found
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
