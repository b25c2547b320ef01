//! What a test is given, what changes in its steps, and what it expects.

use hence_core::span::Span;
use hence_core::value::Value;

use super::super::codes;
use super::super::token::TokenKind;
use super::super::tree::{Args, Because, Expectation, ExpectationKind, Expr, Given, Ident, Literal};
use super::Parser;
use super::test::Section;

impl Parser<'_> {
    /// Facts and `from "PATH"`, up to the next part.
    pub(super) fn given(&mut self, given: &mut Vec<Given>) {
        while self.goes_on() {
            let before = self.current.span;
            self.clause = before.start;
            if self.at(TokenKind::Bang) || self.at_word("not") && !self.is_called() {
                let help = "remove it: a fact that isn't given doesn't stand";
                let label = "only a `then` after `expect` retracts facts";
                self.report(codes::BAD_TEST, "a retraction inside `given`", before, label, help);
                self.bump();
                self.atom();
                self.end_test_clause("the fact");
            } else {
                given.extend(self.fact_or_file("a fact"));
            }
            if self.current.span == before {
                self.bump();
            }
        }
    }

    /// A fact with its full stop, or `from "PATH"`.
    fn fact_or_file(&mut self, what: &str) -> Option<Given> {
        if self.at_word("from") && self.ahead.kind != TokenKind::LeftParen {
            return self.facts_from();
        }
        let is_word = matches!(self.current.kind, TokenKind::Word(_) | TokenKind::Variable(_));
        let value_follows = matches!(self.ahead.kind, TokenKind::Literal(_) | TokenKind::Equal);
        if !is_word || value_follows {
            self.expected(what);
            self.skip_test_clause();
            return None;
        }
        self.in_given = true;
        let atom = self.atom();
        self.in_given = false;
        if self.at(TokenKind::Turnstile) {
            self.rule_in_given();
        } else if self.at(TokenKind::Comma) {
            let comma = self.bump().span;
            self.mended(codes::BAD_TEST, "`,` between two facts", comma, "a fact ends with `.`", ".");
        } else {
            self.end_test_clause("the fact");
        }
        atom.map(Given::Fact)
    }

    /// Whether a retraction is at hand, be it in a word.
    fn retracts(&self) -> bool {
        let word_follows = matches!(self.ahead.kind, TokenKind::Word(_));
        self.at(TokenKind::Bang)
            || self.at_word("not") && !self.is_called()
            || self.at_word("retract") && word_follows
    }

    /// What follows `then`: facts, `from "PATH"`, `!fact.` and `now TIME.`, up to the next part.
    pub(super) fn changes(&mut self) -> Vec<Given> {
        let mut changes = Vec::new();
        while self.goes_on() || self.section_word() == Some(Section::Now) {
            let before = self.current.span;
            self.clause = before.start;
            self.silent = false;
            if self.section_word() == Some(Section::Now) {
                self.bump();
                let moved = changes.iter().any(|change| matches!(change, Given::Now(..)));
                match self.now() {
                    Some((_, span)) if moved => self.refuse_second_now(span),
                    found => changes.extend(found.map(|(micros, span)| Given::Now(micros, span))),
                }
            } else if self.retracts() {
                if self.at_word("retract") {
                    let label = "a fact is retracted by `!`";
                    self.report(codes::BAD_TEST, "unknown word `retract`", before, label, "write: `!`");
                }
                self.bump();
                self.in_given = true;
                let atom = self.atom();
                changes.extend(atom.map(|atom| Given::Retracted(atom, self.since(before))));
                self.in_given = false;
                self.end_test_clause("the retraction");
            } else {
                changes.extend(self.fact_or_file("a fact, `!` and a fact, or `now` and a time"));
            }
            if self.current.span == before {
                self.bump();
            }
        }
        changes
    }

    /// Whether this part of the test goes on.
    fn goes_on(&self) -> bool {
        !self.at(TokenKind::RightBrace) && self.section_word().is_none() && !self.at_test_end()
    }

    /// `from "PATH"`, its full stop as one likes.
    fn facts_from(&mut self) -> Option<Given> {
        let start = self.bump().span;
        let TokenKind::Literal(Value::String(path)) = self.current.kind else {
            self.expected("a path in quotes");
            self.skip_test_clause();
            return None;
        };
        self.bump();
        let span = self.since(start);
        self.eat(TokenKind::End);
        Some(Given::From(path.as_str().to_owned(), span))
    }

    fn rule_in_given(&mut self) {
        let help = "give the facts that the test needs, and keep rules outside tests";
        let span = self.current.span;
        self.report(codes::BAD_TEST, "a rule inside `given`", span, "expected a fact", help);
        self.skip_test_clause();
    }

    /// Expectations, up to the next part.
    pub(super) fn expectations(&mut self) -> Vec<Expectation> {
        let mut found = Vec::new();
        self.in_expect = true;
        while self.goes_on() {
            let before = self.current.span;
            self.clause = before.start;
            let expectation = self.expectation();
            found.push(expectation);
            if self.current.span == before {
                self.bump();
            }
        }
        self.in_expect = false;
        found
    }

    /// Whether `then.p(…)` is expected, the relation that the heads of `then` rules form.
    pub(super) fn at_effect_relation(&self) -> bool {
        self.in_expect && self.at_word("then") && self.ahead.kind == TokenKind::Dot
    }

    /// Reports `then.p(…)`, and skips it.
    fn refuse_effect_relation(&mut self) -> Vec<Literal> {
        let start = self.bump().span;
        self.bump();
        let span = self.since(start).to(self.current.span);
        let message = format!("`{}` can't be expected", self.lexer.slice(span));
        let input = self.word().map_or("p", |word| word.as_str());
        let help = format!("expect the input itself: `{input}(…)`");
        self.report(codes::BAD_TEST, message, span, "the relation of the heads of `then` rules", &help);
        self.literals();
        Vec::new()
    }

    /// One expectation with its full stop, if it takes one.
    fn expectation(&mut self) -> Expectation {
        let start = self.current.span;
        let called = self.is_called();
        if self.at_word("exactly") && !called {
            return self.exactly(start);
        }
        let none = self.at_word("no") && !called;
        if none {
            self.bump();
        }
        let open = !none && self.at_word("undetermined") && !called;
        if open {
            self.bump();
        }
        let literals =
            if self.at_effect_relation() { self.refuse_effect_relation() } else { self.literals() };
        let because = self.reason();
        let kind = if none {
            self.refuse_because("no", because);
            ExpectationKind::No(literals)
        } else if open {
            self.refuse_because("undetermined", because);
            ExpectationKind::Undetermined(literals)
        } else {
            ExpectationKind::Holds(literals, because)
        };
        let span = self.since(start);
        self.end_test_clause("the expectation");
        Expectation { kind, span }
    }

    /// `because ID` or `because "SENTENCE"`.
    fn reason(&mut self) -> Option<Because> {
        if !self.at_word("because") {
            return None;
        }
        self.bump();
        let span = self.current.span;
        if let TokenKind::Literal(Value::String(text)) = self.current.kind {
            self.bump();
            return Some(Because::Sentence(text, span));
        }
        self.name("rule").map(Because::Rule)
    }

    fn refuse_because(&mut self, word: &str, because: Option<Because>) {
        if let Some(because) = because {
            let message = format!("`because` after `{word}`");
            let label = "where nothing follows, there is no proof";
            self.report(codes::BAD_TEST, message, because.span(), label, "remove it");
        }
    }

    /// `exactly p { (a, b) (c, d) } ~ 0.001`, without a full stop.
    fn exactly(&mut self, start: Span) -> Expectation {
        self.bump();
        let relation = self.callee("relation").unwrap_or(Ident { name: "".into(), span: start });
        let open = self.current.span;
        let mut rows = Vec::new();
        if self.eat(TokenKind::LeftBrace) {
            self.rows(&mut rows);
            self.close(TokenKind::RightBrace, open);
        } else if self.at(TokenKind::LeftParen) {
            self.bare_row(relation, &mut rows);
        } else {
            self.expected("`{` and the rows, such as `{ (1, 2) (3, 4) }`");
            self.skip_test_clause();
        }
        let within = self.within();
        let span = self.since(start);
        if self.at(TokenKind::End) {
            let label = "the rows end with `}`";
            self.report(
                codes::BAD_TEST,
                "unexpected `.` after `exactly`",
                self.current.span,
                label,
                "remove it",
            );
            self.bump();
        }
        Expectation { kind: ExpectationKind::Exactly { relation, rows, within }, span }
    }

    /// `exactly p(a, b).`, one row without its braces.
    fn bare_row(&mut self, relation: Ident, rows: &mut Vec<(Vec<Expr>, Span)>) {
        let start = self.current.span;
        if let Args::Positional(terms) = self.args() {
            rows.push((terms, self.since(start)));
        }
        let row = self.lexer.slice(self.since(start));
        let help = format!("write: `exactly {} {{ {row} }}`, without a full stop", relation.name);
        self.report(codes::BAD_TEST, "rows stand in braces", start, "expected `{`", &help);
        self.eat(TokenKind::End);
    }

    /// `(a, b) (c, d)`.
    fn rows(&mut self, rows: &mut Vec<(Vec<Expr>, Span)>) {
        while !self.at(TokenKind::RightBrace) && !self.at_test_end() {
            let start = self.current.span;
            if !self.at(TokenKind::LeftParen) {
                if self.at(TokenKind::Comma) {
                    let message = "rows are not separated by `,`";
                    self.report(codes::BAD_TEST, message, start, "between two rows", "remove it");
                } else {
                    self.expected("a row such as `(1, 2)`");
                }
                self.bump();
                continue;
            }
            match self.args() {
                Args::Positional(terms) => rows.push((terms, self.since(start))),
                Args::Named(_) => {
                    let span = self.since(start);
                    let label = "the terms of a row are positional";
                    self.report(codes::NAMED_ARGUMENTS, "a row with named terms", span, label, "");
                }
            }
        }
    }
}
