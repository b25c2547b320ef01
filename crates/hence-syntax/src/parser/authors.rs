//! `from role, … as column, at column`: who may assert the facts of an input.

use hence_core::schema::Kind;

use super::super::codes;
use super::super::token::TokenKind;
use super::super::tree::{Authors, Ident};
use super::Parser;

impl Parser<'_> {
    /// `from role, … as column, at column` after the columns of an input.
    pub(super) fn authors(&mut self, kind: Kind) -> Authors {
        let start = self.bump().span;
        if kind != Kind::Input {
            let message = "`from` applies only to inputs";
            let label = format!("declared as `{}`", kind.keyword());
            self.report(
                codes::BAD_DECLARATION,
                message,
                start,
                &label,
                "remove it: rules derive this relation",
            );
        }
        let roles = self.roles();
        self.refuse_bare_time();
        let (column, time) = if self.at_word("as") { self.author_columns() } else { (None, None) };
        Authors { roles, column, time, span: self.since(start) }
    }

    /// Reports and takes `at column` without the column of the author.
    fn refuse_bare_time(&mut self) {
        if !self.at_word("at") {
            return;
        }
        let span = self.bump().span;
        let column = if self.word().is_some() { self.name("column") } else { None };
        let help = column.map_or(String::from("write: `as by, at at`"), |Ident { name, .. }| {
            format!("write: `as {name}` where `{name}` holds who asserts the fact, `as by, at {name}` where it holds when")
        });
        let message = "the column of the author comes before that of the instant";
        self.report(codes::BAD_DECLARATION, message, span, "expected `as` here", &help);
    }

    /// `from role, …` after the value of a parameter.
    pub(super) fn param_roles(&mut self) -> Vec<Ident> {
        self.bump();
        self.roles()
    }

    /// One role or several between commas.
    fn roles(&mut self) -> Vec<Ident> {
        let mut roles = Vec::new();
        loop {
            match self.role() {
                Some(role) => roles.push(role),
                None => return roles,
            }
            if !self.eat(TokenKind::Comma) {
                return roles;
            }
        }
    }

    /// The name of a role; a string in its place is reported and taken.
    fn role(&mut self) -> Option<Ident> {
        let span = self.current.span;
        let TokenKind::Literal(value) = self.current.kind else {
            return self.name("role");
        };
        let text = value.to_string();
        let word = text.trim_matches(|c: char| c == '"' || c == '/');
        let help = format!("write: `{word}`, and list who has the role in `[roles]` of hence.toml");
        self.report(codes::BAD_DECLARATION, "a role is a word", span, "not a word", &help);
        self.bump();
        Some(Ident { name: word.into(), span })
    }

    /// The column after `as`, and after a comma the one after `at`.
    fn author_columns(&mut self) -> (Option<Ident>, Option<Ident>) {
        self.bump();
        let column = self.name("column");
        if !self.eat(TokenKind::Comma) {
            return (column, None);
        }
        if self.at_word("at") {
            self.bump();
            return (column, self.name("column"));
        }
        let span = self.current.span;
        let help = "write: `as by, at at`, where the column `at` holds the instant of the transaction";
        self.report(
            codes::BAD_DECLARATION,
            "only `at` follows the column of the author",
            span,
            "not `at`",
            help,
        );
        self.name("column");
        (column, None)
    }
}
