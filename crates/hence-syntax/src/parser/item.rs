//! Items: what a clause is, by its first two tokens.

use super::super::codes;
use super::super::token::{Position, TokenKind};
use super::super::tree::Item;
use super::Parser;

impl Parser<'_> {
    /// One item; none where nothing could be read. Always takes a token, but at the end of the text.
    pub(super) fn item(&mut self) -> Option<Item> {
        let next = self.ahead.kind;
        let name_follows = matches!(next, TokenKind::Word(_) | TokenKind::Variable(_));
        let text_follows = name_follows || matches!(next, TokenKind::Literal(_) | TokenKind::Broken);
        match self.current.kind {
            TokenKind::Word(word) => match word.as_str() {
                "input" | "relation" | "decision" if name_follows => self.relation().map(Item::Relation),
                "type" if name_follows => self.type_declaration().map(Item::Type),
                "param" if name_follows => self.param().map(Item::Param),
                "import" if text_follows => self.import().map(Item::Import),
                "test" if text_follows => self.test().map(Item::Test),
                "struct" | "pub" if name_follows => self.crepe_declaration(),
                "default" | "package" if name_follows => self.rego_directive(),
                _ => self.rule().map(Item::Rule),
            },
            TokenKind::At if self.at_crepe_attribute() => self.crepe_declaration(),
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
            TokenKind::Broken => self.silent = true,
            TokenKind::Bang => {
                let help = "only body literals can be negated";
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
}
