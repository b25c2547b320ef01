//! What a test is given and what it expects.

use hence_core::span::Span;
use hence_core::value::Value;

use super::super::codes;
use super::super::token::TokenKind;
use super::super::tree::{Args, Expectation, ExpectationKind, Expr, Given, Ident, Test};
use super::Parser;

impl Parser<'_> {
    /// Facts and `from "PATH"`, up to the next part.
    pub(super) fn given(&mut self, test: &mut Test) {
        while self.goes_on() {
            let before = self.current.span;
            self.clause = before.start;
            if self.at_word("from") && self.ahead.kind != TokenKind::LeftParen {
                test.given.extend(self.facts_from());
            } else if matches!(self.current.kind, TokenKind::Word(_) | TokenKind::Variable(_)) {
                test.given.extend(self.atom().map(Given::Fact));
                if self.at(TokenKind::Turnstile) {
                    self.rule_in_given();
                } else {
                    self.end_test_clause("the fact");
                }
            } else {
                self.expected("a fact");
                self.skip_test_clause();
            }
            if self.current.span == before {
                self.bump();
            }
        }
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
    pub(super) fn expectations(&mut self, test: &mut Test) {
        while self.goes_on() {
            let before = self.current.span;
            self.clause = before.start;
            let expectation = self.expectation();
            test.expect.push(expectation);
            if self.current.span == before {
                self.bump();
            }
        }
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
        let literals = self.literals();
        let because = self.because_rule();
        let kind = if none {
            self.refuse_because(because);
            ExpectationKind::No(literals)
        } else {
            ExpectationKind::Holds(literals, because)
        };
        let span = self.since(start);
        self.end_test_clause("the expectation");
        Expectation { kind, span }
    }

    /// `because ID`.
    fn because_rule(&mut self) -> Option<Ident> {
        if self.at_word("because") {
            self.bump();
            return self.name("rule");
        }
        None
    }

    fn refuse_because(&mut self, because: Option<Ident>) {
        if let Some(id) = because {
            let label = "where nothing matches, there is no proof";
            self.report(codes::BAD_TEST, "`because` after `no`", id.span, label, "remove it");
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
