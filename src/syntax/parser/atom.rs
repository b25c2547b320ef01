//! Atoms and the arguments between parentheses.

use crate::diagnostic::Diagnostic;
use crate::span::Span;
use crate::symbol::Symbol;

use super::super::codes;
use super::super::foreign;
use super::super::lexer::snake_case;
use super::super::token::TokenKind;
use super::super::tree::{Args, Atom, Expr, Ident};
use super::Parser;

impl Parser<'_> {
    /// `p(…)`, in a test's `expect` perhaps with `~ distance`.
    pub(super) fn atom(&mut self) -> Option<Atom> {
        let start = self.current.span;
        let relation = self.callee("relation")?;
        if !self.at(TokenKind::LeftParen) {
            self.missing_parentheses(relation);
            return Some(Atom {
                relation,
                args: Args::Positional(Vec::new()),
                within: None,
                span: self.since(start),
            });
        }
        let args = self.args(true);
        let span = self.since(start);
        let within = self.within();
        Some(Atom { relation, args, within, span: if self.in_expect { self.since(start) } else { span } })
    }

    /// `~ 0.001`.
    pub(super) fn within(&mut self) -> Option<Expr> {
        if !self.at(TokenKind::Tilde) {
            return None;
        }
        if !self.in_expect {
            let label = "a distance stands only in the `expect` of a test";
            let help = "compare with `abs(X - 0.5) < 0.001`";
            self.report(codes::BAD_CONDITION, "`~` compares nothing here", self.current.span, label, help);
        }
        self.bump();
        let distance = self.binary(super::expr::level::SUM);
        self.in_expect.then_some(distance)
    }

    /// Reports a relation without its parentheses.
    pub(super) fn missing_parentheses(&mut self, relation: Ident) {
        let message = format!("the relation `{}` lacks its parentheses", relation.name);
        let help = format!("write: `{0}()`, or its terms between the parentheses", relation.name);
        self.report(codes::MISSING_PARENTHESES, message, relation.span.after(), "expected `(` here", &help);
    }

    /// A relation or function in upper case, as crepe has them: reported with the clause, and taken in lower case.
    pub(super) fn upper_case_callee(&mut self, name: Symbol, what: &str) -> Ident {
        let span = self.bump().span;
        let form = snake_case(name.as_str().trim_start_matches('_'));
        let fault = Diagnostic::new(
            codes::UPPER_CASE_NAME,
            format!("the {what} `{name}` begins with an upper-case letter"),
        );
        let fault = fault.at(span, "upper case begins variables only");
        let fallback = format!("write: `{form}`");
        if foreign::has_lower_variables(self.lexer.line_of(span)) {
            self.lower_variables = true;
        }
        self.defer(fault, fallback);
        Ident { name: Symbol::new(&form), span }
    }

    /// `(…)`: terms by position or by name. `of_atom` tells that `name = term` is meant as `name: term`.
    pub(super) fn args(&mut self, of_atom: bool) -> Args {
        let open = self.bump().span;
        self.inside += 1;
        let mut positional = Vec::new();
        let mut named = Vec::new();
        let mut height = 0;
        while !self.at(TokenKind::RightParen) && !self.at_args_end() {
            if self.at(TokenKind::Comma) {
                self.idle_comma("a term");
                continue;
            }
            let before = self.current.span;
            match self.argument_name(of_atom) {
                Some(name) => named.push((name, self.deeper(Self::expr))),
                None => positional.push(self.deeper(Self::expr)),
            }
            height = height.max(self.height);
            if !self.another_arg(before) {
                break;
            }
        }
        self.close(TokenKind::RightParen, open);
        self.inside -= 1;
        self.height = height;
        self.one_way(positional, named)
    }

    /// Whether no argument can follow.
    fn at_args_end(&self) -> bool {
        self.at_clause_end() || matches!(self.current.kind, TokenKind::Turnstile | TokenKind::RightBrace)
    }

    /// Takes `name:` before an argument.
    fn argument_name(&mut self, of_atom: bool) -> Option<Ident> {
        let is_name = matches!(self.current.kind, TokenKind::Word(_) | TokenKind::Variable(_));
        let equal =
            of_atom && self.ahead.kind == TokenKind::Equal && matches!(self.current.kind, TokenKind::Word(_));
        if !is_name || !(equal || self.ahead.kind == TokenKind::Colon) {
            return None;
        }
        let name = self.name("column")?;
        if equal {
            let message = format!("`{} =` inside an atom", name.name);
            let help = format!("write: `{}: term`", name.name);
            self.report(
                codes::NAMED_ARGUMENTS,
                message,
                self.current.span,
                "a named argument takes `:`",
                &help,
            );
        }
        self.bump();
        Some(name)
    }

    /// Takes the comma behind an argument that began at `before`, or finds the place to go on; whether another
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
            self.missing_comma("two terms");
            return true;
        }
        self.expected("`,` or `)`");
        self.skip_to_comma(|token| matches!(token.kind, TokenKind::RightParen | TokenKind::Turnstile));
        self.eat(TokenKind::Comma)
    }

    /// Whether the token at hand may begin a term.
    pub(super) fn begins_term(&self) -> bool {
        match self.current.kind {
            TokenKind::Word(word) => !["and", "or", "in"].contains(&word.as_str()),
            TokenKind::Variable(_) | TokenKind::Wildcard | TokenKind::Literal(_) => true,
            TokenKind::LeftParen | TokenKind::Bang | TokenKind::MangleFunction(_) | TokenKind::Broken => true,
            _ => false,
        }
    }

    /// Reports that no comma stands between two things; goes on as if it did.
    pub(super) fn missing_comma(&mut self, between: &str) {
        if self.said() || self.at(TokenKind::Broken) {
            return;
        }
        let fault = Diagnostic::new(codes::MISSING_COMMA, format!("no `,` between {between}"))
            .at(self.last.span.after(), "expected `,` here");
        let fault = fault.at(self.current.span, format!("before {}", self.found()));
        self.fault(fault);
    }

    /// Reports a comma with nothing behind it.
    pub(super) fn stray_comma(&mut self, comma: Span, missing: &str) {
        let label = format!("expected {missing} behind it");
        self.report(codes::STRAY_COMMA, "a `,` with nothing behind it", comma, &label, "remove it");
    }

    /// Reports a comma with nothing before it, and takes it.
    pub(super) fn idle_comma(&mut self, missing: &str) {
        let label = format!("expected {missing} before it");
        self.report(
            codes::STRAY_COMMA,
            "a `,` with nothing before it",
            self.current.span,
            &label,
            "remove it",
        );
        self.bump();
    }

    /// Takes what closes `open`, or reports that nothing does.
    pub(super) fn close(&mut self, kind: TokenKind, open: Span) {
        if self.eat(kind) {
            return;
        }
        let opening = self.lexer.slice(open);
        let closing = if kind == TokenKind::RightBrace { "}" } else { ")" };
        if self.said() {
            return;
        }
        let fault = Diagnostic::new(codes::UNBALANCED, format!("`{opening}` is never closed"))
            .at(open, "opened here")
            .at(self.last.span.after(), format!("expected `{closing}` here"));
        self.fault(fault);
    }

    /// Arguments all by position or all by name; a mixture is reported.
    fn one_way(&mut self, positional: Vec<Expr>, named: Vec<(Ident, Expr)>) -> Args {
        let (Some(first), Some((name, _))) = (positional.first(), named.first()) else {
            return if named.is_empty() { Args::Positional(positional) } else { Args::Named(named) };
        };
        let fault = Diagnostic::new(codes::NAMED_ARGUMENTS, "arguments by position and by name in one atom")
            .at(first.span, "by position")
            .at(name.span, "by name")
            .help("name all of them, or none; named, columns may be left out");
        self.fault(fault);
        Args::Named(named)
    }
}
