//! Aggregates of a body: `N = count { p(X, _) }`.

use hence_core::span::Span;

use super::super::codes;
use super::super::token::TokenKind;
use super::super::tree::{BinaryOp, BodyAggregate, Expr, ExprKind, Ident, Literal, LiteralKind};
use super::Parser;
use super::expr::{broken, level};

impl Parser<'_> {
    /// The aggregate whose `{` is at hand, after `left`; none where `left` doesn't end with a function.
    pub(super) fn body_aggregate(&mut self, left: &Expr) -> Option<LiteralKind> {
        let (name, args) = function(last(left))?;
        let (body, braces) = self.braced();
        let span = name.span.to(braces);
        if self.in_aggregate {
            let help = "give the inner aggregate a relation of its own, and read that here";
            let message = "an aggregate inside the body of an aggregate";
            self.report(codes::BAD_CONDITION, message, span, "the inner aggregate", help);
            return Some(LiteralKind::Condition(broken(left.clone())));
        }
        let follows = self.operator().is_some();
        match &left.kind {
            ExprKind::Binary(BinaryOp::Equal, target, _) if is_whole(left) && !follows => {
                let target = (**target).clone();
                Some(LiteralKind::Aggregate(Box::new(BodyAggregate {
                    target,
                    name,
                    args,
                    body,
                    span,
                    braces,
                })))
            }
            _ => Some(self.unbound_aggregate(left, name, span)),
        }
    }

    /// The literals between braces, and the place from brace to brace.
    fn braced(&mut self) -> (Vec<Literal>, Span) {
        let open = self.bump().span;
        if self.in_aggregate {
            self.skip_braces();
            return (Vec::new(), self.since(open));
        }
        let (inside, loose) = (std::mem::take(&mut self.inside), self.loose.take());
        self.in_aggregate = true;
        let body = self.literals();
        self.in_aggregate = false;
        (self.inside, self.loose) = (inside, loose);
        if body.is_empty() && self.at(TokenKind::RightBrace) {
            self.expected("a literal, such as `p(X)`");
        }
        self.close(TokenKind::RightBrace, open);
        (body, self.since(open))
    }

    /// Skips to after the brace that closes one that was taken.
    fn skip_braces(&mut self) {
        let mut depth = 1u32;
        while depth > 0 && !self.at_recovery_end() {
            match self.bump().kind {
                TokenKind::LeftBrace => depth += 1,
                TokenKind::RightBrace => depth -= 1,
                _ => {}
            }
        }
    }

    /// Reports an aggregate that is not the whole right side of an `=`, and takes the rest of its literal.
    fn unbound_aggregate(&mut self, left: &Expr, name: Ident, span: Span) -> LiteralKind {
        let text = self.lexer.slice(span).split_whitespace().collect::<Vec<_>>().join(" ");
        let help = match (&left.kind, self.operator()) {
            (ExprKind::Ident(_) | ExprKind::Call(..), Some((op, level::COMPARE))) => {
                let sign = op.symbol();
                self.bump();
                let right = self.binary(level::SUM);
                let bound = self.lexer.slice(right.span);
                format!("write: `N = {text}, N {sign} {bound}`")
            }
            _ => format!("bind its value first, in a literal of its own: `N = {text}`"),
        };
        let message = format!("the aggregate `{}` is not the whole right side of `=`", name.name);
        self.report(codes::BAD_CONDITION, message, span, "its value has no name", &help);
        if self.operator().is_some() {
            self.bump();
            self.binary(level::OR);
        }
        LiteralKind::Condition(broken(left.clone()))
    }
}

/// The operand that an expression ends with.
fn last(expr: &Expr) -> &Expr {
    let mut at = expr;
    while let ExprKind::Binary(_, _, right) | ExprKind::Unary(_, right) = &at.kind {
        at = right;
    }
    at
}

/// Whether the right side of an `=` is a function and nothing more.
fn is_whole(equation: &Expr) -> bool {
    matches!(&equation.kind, ExprKind::Binary(BinaryOp::Equal, _, right) if function(right).is_some())
}

/// A word, with arguments or without.
fn function(expr: &Expr) -> Option<(Ident, Vec<Expr>)> {
    match &expr.kind {
        ExprKind::Ident(name) => Some((Ident { name: *name, span: expr.span }, Vec::new())),
        ExprKind::Call(name, args) => Some((*name, args.clone())),
        _ => None,
    }
}
