//! Items: what a clause is, by its first two tokens.

use hence_core::diagnostic::{Diagnostic, nearest};
use hence_core::symbol::Symbol;
use hence_core::value::Value;

use super::super::codes;
use super::super::token::{Position, TokenKind};
use super::super::tree::Item;
use super::Parser;
use crate::part;

impl Parser<'_> {
    /// One item; none where nothing could be read. Always takes a token, but at the end of the text.
    pub(super) fn item(&mut self) -> Option<Item> {
        self.misspelt_keyword();
        let next = self.ahead.kind;
        let name_follows = matches!(next, TokenKind::Word(_) | TokenKind::Variable(_));
        let text_follows = name_follows || matches!(next, TokenKind::Literal(_) | TokenKind::Broken);
        match self.current.kind {
            TokenKind::Word(word) => match word.as_str() {
                "input" | "relation" | "decision" if name_follows => self.relation().map(Item::Relation),
                "type" if name_follows => self.type_declaration().map(Item::Type),
                "param" if name_follows => self.param().map(Item::Param),
                "import" if text_follows => self.import().map(Item::Import),
                "test" if text_follows || next == TokenKind::LeftBrace => self.test().map(Item::Test),
                "feed" | "then" if name_follows || next == TokenKind::Bang => self.rule().map(Item::Rule),
                "struct" | "pub" if name_follows => self.crepe_declaration(),
                "default" | "package" if name_follows => self.rego_directive(),
                _ if self.at_bare_declaration() => self.bare_declaration().map(Item::Relation),
                _ => self.rule().map(Item::Rule),
            },
            TokenKind::At if self.at_crepe_attribute() => self.crepe_declaration(),
            TokenKind::At if self.at_nemo_directive() => self.nemo_directive(),
            TokenKind::At if self.at_partition() => self.partitioned(),
            TokenKind::At => self.rule().map(Item::Rule),
            TokenKind::Variable(word) if word.as_str() == "Decl" && name_follows => self.mangle_declaration(),
            TokenKind::Variable(_) if next == TokenKind::LeftParen => self.rule().map(Item::Rule),
            TokenKind::Dot if name_follows && self.current.position != Position::Inside => {
                self.souffle_directive()
            }
            _ => {
                self.no_item();
                None
            }
        }
    }

    /// Reports a word that is nearly a keyword and stands where one does, and takes it for that.
    fn misspelt_keyword(&mut self) {
        const KEYWORDS: [&str; 7] = ["input", "relation", "decision", "type", "param", "import", "test"];
        /// What other languages begin a declaration with, and what it is here.
        const MEANT: [(&str, &str); 14] = [
            ("derived", "relation"),
            ("derive", "relation"),
            ("idb", "relation"),
            ("predicate", "relation"),
            ("table", "relation"),
            ("view", "relation"),
            ("edb", "input"),
            ("event", "input"),
            ("const", "param"),
            ("let", "param"),
            ("var", "param"),
            ("action", "decision"),
            ("output", "decision"),
            ("enum", "type"),
        ];
        const FOREIGN: [&str; 4] = ["struct", "pub", "default", "package"];
        let TokenKind::Word(word) = self.current.kind else { return };
        let named = matches!(self.ahead.kind, TokenKind::Word(_));
        let quoted = matches!(self.ahead.kind, TokenKind::Literal(Value::String(_)));
        let known = KEYWORDS.into_iter().chain(FOREIGN).any(|keyword| keyword == word.as_str());
        if known || self.ahead.position != Position::Inside || !(named || quoted) {
            return;
        }
        let fitting = KEYWORDS.into_iter().filter(|keyword| ["import", "test"].contains(keyword) == quoted);
        let meant = MEANT.into_iter().find(|(other, _)| *other == word.as_str()).map(|(_, keyword)| keyword);
        let Some(near) = meant.filter(|_| !quoted).or_else(|| nearest(word.as_str(), fitting)) else {
            return;
        };
        let span = self.current.span;
        self.mended(codes::UNEXPECTED, format!("unknown keyword `{word}`"), span, "", near);
        self.reported_at = None;
        self.current.kind = TokenKind::Word(Symbol::new(near));
    }

    /// Reports what begins no item, and skips it.
    fn no_item(&mut self) {
        match self.current.kind {
            TokenKind::End | TokenKind::Semicolon => {
                let message = "`.` without a clause";
                self.report(
                    codes::UNEXPECTED,
                    message,
                    self.current.span,
                    "no clause before it",
                    "remove it",
                );
                self.bump();
                return;
            }
            TokenKind::Turnstile => {
                let help = "write the relation that follows from the body, such as `bad(X) :- p(X), !q(X).`";
                let label = "a rule has a head before `:-`";
                self.report(codes::BAD_RULE, "a rule without a head", self.current.span, label, help);
            }
            TokenKind::RightBrace | TokenKind::RightParen | TokenKind::RightBracket => {
                let message = format!("unmatched {}", self.found());
                self.report(codes::UNBALANCED, message, self.current.span, "nothing to close", "remove it");
                self.bump();
                return;
            }
            TokenKind::Minus if self.at_double_minus() => return self.comment_of_sql(),
            TokenKind::Broken => self.silent = true,
            TokenKind::Bang => {
                let help = "only body literals can be negated; `then !p(…) :- …` retracts a fact of an input";
                self.report(
                    codes::BAD_RULE,
                    "a negated head",
                    self.current.span,
                    "expected a relation",
                    help,
                );
            }
            _ => self.expected("a rule, a fact or a declaration"),
        }
        self.bump();
        self.skip_clause();
    }

    fn at_double_minus(&self) -> bool {
        self.ahead.kind == TokenKind::Minus && self.ahead.span.start == self.current.span.end
    }

    /// Reports `-- a comment`, and skips its line.
    fn comment_of_sql(&mut self) {
        let span = self.current.span.to(self.ahead.span);
        let line = part(self.text, span.start as usize..).lines().next().unwrap_or("").trim_end();
        let fault = Diagnostic::new(codes::FOREIGN_COMMENT, "`--` does not start a comment")
            .at(span, "a comment starts with `#` and runs to the end of its line")
            .help(format!("write: `# {}`", line.trim_start_matches('-').trim()))
            .fix(span, "#");
        self.fault(fault);
        self.resume_at(span.start as usize + line.len());
    }
}
