//! The arguments between parentheses, by position or by name.

use hence_core::diagnostic::Diagnostic;
use hence_core::span::Span;

use super::super::codes;
use super::super::token::TokenKind;
use super::super::tree::{Args, BinaryOp, Expr, ExprKind, Ident};
use super::Parser;

impl Parser<'_> {
    /// `(…)`: terms by position or by name.
    pub(super) fn args(&mut self) -> Args {
        let braced = self.at(TokenKind::LeftBrace);
        let close = if braced { TokenKind::RightBrace } else { TokenKind::RightParen };
        let open = self.bump().span;
        self.inside += 1;
        let mut positional = Vec::new();
        let mut named = Vec::new();
        let mut height = 0;
        let mut equal = None;
        let mut rest = None;
        while !self.at(TokenKind::RightParen) && !self.at_args_end() {
            if self.at(TokenKind::Rest) {
                rest = self.rest_of_columns();
                continue;
            }
            if self.at(TokenKind::Comma) {
                self.idle_comma("a term");
                continue;
            }
            let before = self.current.span;
            if self.ahead.kind == TokenKind::Equal && matches!(self.current.kind, TokenKind::Word(_)) {
                equal.get_or_insert(self.ahead.span);
            }
            match self.argument_name() {
                Some(name) => named.push((name, self.deeper(Self::expr))),
                None => positional.push(self.deeper(Self::expr)),
            }
            height = height.max(self.height);
            if !self.another_arg(before) {
                break;
            }
        }
        self.close(close, open);
        self.inside -= 1;
        self.height = height;
        self.equal_argument = equal;
        if let Some(rest) = rest {
            self.rest = Some(rest);
            return self.all_named(positional, named, rest);
        }
        self.one_way(positional, named)
    }

    /// `..` in the place of the columns that a given fact leaves out.
    fn rest_of_columns(&mut self) -> Option<Span> {
        let span = self.bump().span;
        if self.at(TokenKind::Comma) {
            self.report(
                codes::NAMED_ARGUMENTS,
                "`..` before a term",
                span,
                "it stands last",
                "move it to the end",
            );
            self.bump();
        }
        if self.in_given && self.inside == 1 {
            return Some(span);
        }
        let label = "only a fact that a test gives has its other columns filled in";
        self.report(codes::NAMED_ARGUMENTS, "unexpected `..`", span, label, "remove it");
        None
    }

    /// The named arguments before a `..`; it can't follow positional ones.
    fn all_named(&mut self, positional: Vec<Expr>, named: Vec<(Ident, Expr)>, rest: Span) -> Args {
        if let Some(first) = positional.first() {
            self.passed_over = true;
            let fault = Diagnostic::new(codes::NAMED_ARGUMENTS, "`..` after positional arguments")
                .at(rest, "")
                .at(first.span, "by position")
                .help("name the columns: `column: value, ..`");
            self.fault(fault);
        }
        Args::Named(named)
    }

    /// Whether no argument can follow.
    fn at_args_end(&self) -> bool {
        self.at_clause_end() || matches!(self.current.kind, TokenKind::Turnstile | TokenKind::RightBrace)
    }

    /// Takes `name:` before an argument.
    fn argument_name(&mut self) -> Option<Ident> {
        let is_name = matches!(self.current.kind, TokenKind::Word(_) | TokenKind::Variable(_));
        if !is_name || self.ahead.kind != TokenKind::Colon && !self.at_dashed(':') {
            return None;
        }
        let name = self.name("column")?;
        self.bump();
        Some(name)
    }

    /// Reports `name = term` in an atom, where `name: term` is meant, and takes it so.
    pub(super) fn refuse_equal(&mut self, args: Args, equal: Option<Span>) -> Args {
        let (Some(span), Args::Positional(terms)) = (equal, &args) else { return args };
        let named: Vec<_> = terms.iter().filter_map(as_named).collect();
        let Some((name, _)) = named.first() else { return args };
        let message = format!("`{} =` inside an atom", name.name);
        if named.len() < terms.len() {
            self.passed_over = true;
            let help = "name all of them or none; named arguments may leave columns out";
            self.report(codes::NAMED_ARGUMENTS, message, span, "a named argument takes `:`", help);
            return Args::Named(named);
        }
        let form = |(name, value): &(Ident, Expr)| format!("{}: {}", name.name, self.lexer.slice(value.span));
        let forms: Vec<_> = named.iter().map(form).collect();
        let help = format!("write: `{}`", forms.join(", "));
        self.report(codes::NAMED_ARGUMENTS, message, span, "a named argument takes `:`", &help);
        Args::Named(named)
    }

    /// Takes the comma after an argument that began at `before`, or finds the place to go on; whether another
    /// argument may follow.
    fn another_arg(&mut self, before: Span) -> bool {
        if self.at(TokenKind::Comma) {
            let comma = self.bump().span;
            if self.at(TokenKind::RightParen) {
                self.stray_comma(comma, "another term");
            }
            return true;
        }
        if self.at(TokenKind::RightParen) || self.at_args_end() || self.at_new_clause() {
            return false;
        }
        if self.begins_term() && self.current.span != before {
            self.missing_comma("two terms", "");
            return true;
        }
        self.expected("`,` or `)`");
        self.skip_to_comma(|token| matches!(token.kind, TokenKind::RightParen | TokenKind::Turnstile));
        self.eat(TokenKind::Comma)
    }

    /// Arguments all by position or all by name; a mixture is reported.
    fn one_way(&mut self, positional: Vec<Expr>, named: Vec<(Ident, Expr)>) -> Args {
        let (Some(first), Some((name, _))) = (positional.first(), named.first()) else {
            return if named.is_empty() { Args::Positional(positional) } else { Args::Named(named) };
        };
        self.passed_over = true;
        let fault = Diagnostic::new(codes::NAMED_ARGUMENTS, "an atom mixes positional and named arguments")
            .at(first.span, "by position")
            .at(name.span, "by name")
            .help("name all of them or none; named arguments may leave columns out");
        self.fault(fault);
        Args::Named(named)
    }
}

/// `name = term` as name and term.
pub(super) fn as_named(term: &Expr) -> Option<(Ident, Expr)> {
    match &term.kind {
        ExprKind::Binary(BinaryOp::Equal, left, right) => match left.kind {
            ExprKind::Ident(name) => Some((Ident { name, span: left.span }, (**right).clone())),
            _ => None,
        },
        _ => None,
    }
}
