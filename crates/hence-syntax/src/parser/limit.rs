//! `limit N per X, Y by key [desc], … as R`.

use hence_core::symbol::Symbol;

use super::super::codes;
use super::super::foreign::variable_form;
use super::super::token::TokenKind;
use super::super::tree::{Expr, ExprKind, Ident, Limit};
use super::Parser;

impl Parser<'_> {
    /// The current limit.
    pub(super) fn limit(&mut self) -> Limit {
        let start = self.bump().span;
        let count = self.count();
        let mut per = Vec::new();
        let mut by = Vec::new();
        if self.eat_word("per") {
            per = self.variables();
        }
        if self.eat_word("by") {
            by = self.keys();
        }
        if !per.is_empty() || !by.is_empty() {
            self.late_group(&mut per);
        }
        if by.is_empty() {
            let span = self.since(start);
            let help = "add `by KEY`, such as `limit 3 per Task by Score desc`";
            self.report(
                codes::BAD_LIMIT,
                "a limit without an order",
                span,
                "the order says which facts it keeps",
                help,
            );
        }
        let rank = self.rank();
        Limit { count, per, by, rank, span: self.since(start) }
    }

    /// The number that is kept.
    fn count(&mut self) -> Expr {
        let span = self.current.span;
        if !(self.at_word("by") || self.at_word("per")) {
            return self.expr();
        }
        self.report(codes::BAD_LIMIT, "a limit without a number", span, "expected a number of facts", "");
        Expr { kind: ExprKind::Error, span }
    }

    /// Reports a word that should be a variable, and takes it as one.
    fn raised(&mut self, word: Symbol) -> Ident {
        let form = variable_form(word.as_str());
        let span = self.bump().span;
        let help = format!("write: `{form}`");
        let label = "variables start with an upper-case letter";
        self.report(codes::BAD_LIMIT, format!("`{word}` is not a variable"), span, label, &help);
        Ident { name: Symbol::new(&form), span }
    }

    /// Reports `per` after `by`.
    fn late_group(&mut self, per: &mut Vec<Ident>) {
        if self.at_word("per") {
            let help = "write: `limit N per GROUP by KEY`";
            self.report(codes::BAD_LIMIT, "`per` comes before `by`", self.current.span, "after `by`", help);
            self.bump();
            *per = self.variables();
        }
    }

    /// `X, Y` of `per`.
    fn variables(&mut self) -> Vec<Ident> {
        let mut variables = Vec::new();
        loop {
            let span = self.current.span;
            match self.current.kind {
                TokenKind::Variable(name) => {
                    self.bump();
                    variables.push(Ident { name, span });
                }
                TokenKind::Word(word) if word.as_str() != "by" => variables.push(self.raised(word)),
                _ => {
                    self.expected("a variable of the group");
                    return variables;
                }
            }
            if !self.eat(TokenKind::Comma) {
                return variables;
            }
        }
    }

    /// `key [desc], …`.
    fn keys(&mut self) -> Vec<(Expr, bool)> {
        let mut keys = Vec::new();
        loop {
            let key = self.expr();
            let descending = self.direction();
            keys.push((key, descending));
            if !self.eat(TokenKind::Comma) {
                return keys;
            }
        }
    }

    /// `desc`, if it comes next.
    fn direction(&mut self) -> bool {
        if self.at_word("asc") || self.at_word("ascending") || self.at_word("descending") {
            let help = if self.at_word("descending") {
                "write: `desc`"
            } else {
                "remove it; ascending is the default"
            };
            let message = format!("unknown direction {}", self.found());
            self.report(codes::BAD_LIMIT, message, self.current.span, "only `desc` may follow a key", help);
            return self.bump().kind == TokenKind::Word("descending".into());
        }
        self.eat_word("desc")
    }

    /// `as R`.
    fn rank(&mut self) -> Option<Ident> {
        if !self.eat_word("as") {
            return None;
        }
        let span = self.current.span;
        match self.current.kind {
            TokenKind::Variable(name) => {
                self.bump();
                Some(Ident { name, span })
            }
            TokenKind::Word(word) => Some(self.raised(word)),
            _ => {
                self.expected("a variable for the rank");
                None
            }
        }
    }
}
