//! Atoms and the arguments between parentheses.

use hence_core::diagnostic::Diagnostic;
use hence_core::span::Span;
use hence_core::symbol::Symbol;

use super::super::codes;
use super::super::foreign;
use super::super::lexer::snake_case;
use super::super::token::TokenKind;
use super::super::tree::{Args, Atom, Expr, Ident};
use super::Parser;
use crate::part;

impl Parser<'_> {
    /// `p(…)`, in a test's `expect` perhaps with `~ distance`.
    pub(super) fn atom(&mut self) -> Option<Atom> {
        let start = self.current.span;
        let relation = self.callee("relation")?;
        if !self.at(TokenKind::LeftParen) && !self.refuse_braces(relation) {
            if self.at(TokenKind::Dot) {
                self.expected(&format!("`(` after `{}`", relation.name));
            } else {
                self.missing_parentheses(relation);
            }
            return Some(Atom {
                relation,
                args: Args::Positional(Vec::new()),
                rest: None,
                within: None,
                span: self.since(start),
            });
        }
        let args = self.args();
        let equal = self.equal_argument.take();
        let args = if self.operator_follows() { args } else { self.refuse_equal(args, equal) };
        let rest = self.rest.take();
        let span = self.since(start);
        let within = self.within();
        Some(Atom {
            relation,
            args,
            rest,
            within,
            span: if self.in_expect { self.since(start) } else { span },
        })
    }

    /// `~ 0.001`.
    pub(super) fn within(&mut self) -> Option<Expr> {
        if !self.at(TokenKind::Tilde) {
            return None;
        }
        if !self.in_expect {
            let label = "a tolerance is allowed only in the `expect` of a test";
            let help = "compare with `abs(X - 0.5) < 0.001`";
            self.report(codes::BAD_CONDITION, "unexpected `~`", self.current.span, label, help);
        }
        self.bump();
        let distance = self.binary(super::expr::level::SIGN);
        self.in_expect.then_some(distance)
    }

    /// Reports `p{column: X}`, up to whose brace the text is read; whether it is at hand.
    pub(super) fn refuse_braces(&mut self, relation: Ident) -> bool {
        if !self.at_braces() {
            return false;
        }
        let open = self.current.span;
        let inside = part(self.text, open.end as usize..);
        let Some(len) = inside.find('}').and_then(|len| u32::try_from(len).ok()) else { return false };
        let form = format!("{}({})", relation.name, part(inside, ..len as usize).trim());
        let span = relation.span.to(Span::new(self.file, open.end + len, open.end + len + 1));
        let message = "an atom has its terms in parentheses";
        self.mended(codes::FOREIGN_RULE, message, span, "found braces", &form);
        true
    }

    /// Whether a brace with named columns is at hand.
    pub(super) fn at_braces(&self) -> bool {
        self.at(TokenKind::LeftBrace)
            && foreign::names_columns(part(self.text, self.current.span.end as usize..))
    }

    /// Reports a relation without its parentheses.
    pub(super) fn missing_parentheses(&mut self, relation: Ident) {
        let message = format!("the relation `{}` has no parentheses", relation.name);
        let help = format!("write: `{0}()`, or put its terms between the parentheses", relation.name);
        self.report(codes::MISSING_PARENTHESES, message, relation.span.after(), "expected `(` here", &help);
    }

    /// A relation or function in upper case, as crepe has them: reported with the clause, and taken in lower case.
    pub(super) fn upper_case_callee(&mut self, name: Symbol, what: &str) -> Ident {
        let span = self.bump().span;
        let form = snake_case(name.as_str().trim_start_matches('_'));
        let fault = Diagnostic::new(
            codes::UPPER_CASE_NAME,
            format!("the {what} `{name}` starts with an upper-case letter"),
        );
        let fault = fault.at(span, "only variables start with an upper-case letter");
        let fallback = format!("write: `{form}`");
        if foreign::has_lower_variables(self.lexer.line_of(span)) {
            self.lower_variables = true;
        }
        self.defer(fault, fallback);
        Ident { name: Symbol::new(&form), span }
    }

    /// Whether the current token may begin a term.
    pub(super) fn begins_term(&self) -> bool {
        match self.current.kind {
            TokenKind::Word(word) => !["and", "or", "in"].contains(&word.as_str()),
            TokenKind::Variable(_) | TokenKind::Wildcard | TokenKind::Literal(_) => true,
            TokenKind::LeftParen | TokenKind::Bang | TokenKind::MangleFunction(_) | TokenKind::Broken => true,
            _ => false,
        }
    }

    /// Reports a missing comma between two things; goes on as if it were there.
    pub(super) fn missing_comma(&mut self, between: &str, help: &str) {
        if self.said() || self.at(TokenKind::Broken) {
            return;
        }
        self.passed_over = true;
        let fault = Diagnostic::new(codes::MISSING_COMMA, format!("missing `,` between {between}"))
            .at(self.last.span.after(), "expected `,` here");
        let fault = fault.at(self.current.span, format!("before {}", self.found()));
        self.fault(if help.is_empty() { fault } else { fault.help(help) });
    }

    /// Reports a comma with nothing after it.
    pub(super) fn stray_comma(&mut self, comma: Span, missing: &str) {
        let label = format!("expected {missing} after it");
        self.report(codes::STRAY_COMMA, "a `,` with nothing after it", comma, &label, "remove it");
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
        let closing = match kind {
            TokenKind::RightBrace => "}",
            TokenKind::RightBracket => "]",
            _ => ")",
        };
        if self.said() {
            return;
        }
        let fault = Diagnostic::new(codes::UNBALANCED, format!("unclosed `{opening}`"))
            .at(open, "opened here")
            .at(self.last.span.after(), format!("expected `{closing}` here"));
        self.fault(fault);
    }
}
