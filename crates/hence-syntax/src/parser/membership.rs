//! `in` and the lists on its right: `X in ["a", "b"]`, `X in trusted`.

use hence_core::span::Span;

use super::super::codes;
use super::super::token::TokenKind;
use super::super::tree::{Expr, ExprKind};
use super::Parser;
use super::expr::level;
use crate::part;

impl Parser<'_> {
    /// `in` and what is on its right: a list, a parameter or a generator. `left` is what is on its left.
    pub(super) fn elements(&mut self, left: &Expr) -> Expr {
        self.bump();
        let start = self.current.span;
        match self.current.kind {
            TokenKind::LeftBracket => self.list(),
            TokenKind::LeftBrace => self.foreign_list(left, TokenKind::RightBrace),
            TokenKind::LeftParen if matches!(self.ahead.kind, TokenKind::Literal(_)) => {
                self.foreign_list(left, TokenKind::RightParen)
            }
            _ => {
                let right = self.unary();
                self.operators(right, start, level::SUM)
            }
        }
    }

    /// `[e, …]`.
    pub(super) fn list(&mut self) -> Expr {
        let open = self.bump().span;
        let mut elements = Vec::new();
        let mut height = 0;
        self.inside += 1;
        while !self.at(TokenKind::RightBracket) && !self.at_clause_end() {
            if self.at(TokenKind::Comma) {
                self.idle_comma("an element");
                continue;
            }
            let before = self.current.span;
            elements.push(self.deeper(Self::expr));
            height = height.max(self.height);
            if !self.another_element(before) {
                break;
            }
        }
        self.close(TokenKind::RightBracket, open);
        self.inside -= 1;
        self.node(ExprKind::List(elements), open, height)
    }

    /// Takes the comma after an element that began at `before`; whether another element may follow.
    fn another_element(&mut self, before: Span) -> bool {
        if self.at(TokenKind::Comma) {
            let comma = self.bump().span;
            if self.at(TokenKind::RightBracket) {
                self.stray_comma(comma, "another element");
            }
            return true;
        }
        if self.at(TokenKind::RightBracket) || self.at_clause_end() || self.at_new_clause() {
            return false;
        }
        if self.begins_term() && self.current.span != before {
            self.missing_comma("two elements", "");
            return true;
        }
        self.expected("`,` or `]`");
        self.skip_to_comma(|token| token.kind == TokenKind::RightBracket);
        self.eat(TokenKind::Comma)
    }

    /// Reports `X in {…}` and `X in (…)`, and shows the list.
    fn foreign_list(&mut self, left: &Expr, close: TokenKind) -> Expr {
        let open = self.bump().span;
        self.pass_list(close);
        let span = self.since(open);
        let text = part(self.text, span.range());
        let inner = text.strip_prefix(['{', '(']).unwrap_or(text);
        let inner = inner.strip_suffix(['}', ')']).unwrap_or(inner).trim();
        let help = format!("write: `{} in [{inner}]`", self.lexer.slice(left.span));
        let message = "a list is between `[` and `]`";
        self.report(codes::FOREIGN_OPERATOR, message, open, "opens something else", &help);
        self.node(ExprKind::Error, open, 0)
    }

    /// Skips what is up to `close`, or to the end of the clause.
    pub(super) fn pass_list(&mut self, close: TokenKind) {
        self.skip_to_comma(|token| token.kind == close);
        while self.eat(TokenKind::Comma) {
            self.skip_to_comma(|token| token.kind == close);
        }
        self.eat(close);
    }

    /// Reports a list where none can be.
    pub(super) fn refuse_list(&mut self) -> Expr {
        let start = self.current.span;
        let help = "bind its elements with `X in […]`, or give them a relation of their own, one fact each";
        self.report(codes::UNEXPECTED, "a list is no term", start, "starts a list", help);
        self.bump();
        self.pass_list(TokenKind::RightBracket);
        self.node(ExprKind::Error, start, 0)
    }
}
