//! `feed` and `then` before the head of a rule.

use super::super::codes;
use super::super::token::TokenKind;
use super::super::tree::{Ident, RuleKind};
use super::Parser;

impl Parser<'_> {
    /// Takes what stands before a head.
    pub(super) fn rule_kind(&mut self) -> RuleKind {
        let follows =
            matches!(self.ahead.kind, TokenKind::Word(_) | TokenKind::Variable(_) | TokenKind::Bang);
        if !follows || !(self.at_word("feed") || self.at_word("then")) {
            return RuleKind::Derives;
        }
        let keyword = self.bump();
        let is_feed = keyword.kind == TokenKind::Word("feed".into());
        let negation = self.current.span;
        let negated = self.eat(TokenKind::Bang) || self.eat_word("not") || self.retracting();
        if is_feed && negated {
            let help = "a feed only adds facts; `then !…` retracts one";
            self.report(codes::BAD_RULE, "a feed can't be negated", negation, "expected a relation", help);
        }
        match (is_feed, negated) {
            (true, _) => RuleKind::Feeds,
            (false, false) => RuleKind::Asserts,
            (false, true) => RuleKind::Retracts,
        }
    }

    /// Reports `then retract p(…)`, and takes the word; whether it is there.
    fn retracting(&mut self) -> bool {
        let words = ["retract", "delete", "remove"];
        let found =
            words.iter().any(|word| self.at_word(word)) && matches!(self.ahead.kind, TokenKind::Word(_));
        if found {
            let (span, label) = (self.current.span.to(self.ahead.span), "a fact is retracted by `!`");
            let form = format!("!{}", self.lexer.slice(self.ahead.span));
            let message = format!("unknown word `{}`", self.found().trim_matches('`'));
            self.mended(codes::BAD_RULE, message, span, label, &form);
            self.bump();
        }
        found
    }

    /// Reports a feed or an effect that follows from nothing.
    pub(super) fn needs_body(&mut self, kind: RuleKind, relation: Ident) {
        if kind == RuleKind::Derives || self.clause_given_up {
            return;
        }
        let what = if kind.is_effect() { "an effect" } else { "a feed" };
        let help = format!("write: `{}{}(…) :- body.`", kind.keyword(), relation.name);
        let message = format!("{what} without a body");
        self.report(codes::BAD_RULE, message, relation.span, "expected `:-` after it", &help);
    }
}
