//! Reporting faults, and finding the place from which to go on.

use crate::part;
use hence_core::diagnostic::{Code, Diagnostic};
use hence_core::span::Span;
use hence_core::symbol::Symbol;
use hence_core::value::Value;

use super::super::codes;
use super::super::lexer::excerpt;
use super::super::token::{Position, Token, TokenKind};
use super::Parser;

impl Parser<'_> {
    /// Reports a fault, unless the clause is given up.
    pub(super) fn fault(&mut self, fault: Diagnostic) {
        if !self.silent {
            self.lexer.faults.push(fault);
        }
        self.reported_at = Some(self.current.span.start);
    }

    /// Reports a fault that has a label and perhaps help.
    pub(super) fn report(
        &mut self,
        code: Code,
        message: impl Into<String>,
        span: Span,
        label: &str,
        help: &str,
    ) {
        let fault = Diagnostic::new(code, message).at(span, label);
        self.fault(if help.is_empty() { fault } else { fault.help(help) });
    }

    /// Reports a fault that `text` in the place of `span` mends.
    pub(super) fn mended(
        &mut self,
        code: Code,
        message: impl Into<String>,
        span: Span,
        label: &str,
        text: &str,
    ) {
        self.fault(Diagnostic::new(code, message).at(span, label).write(span, text));
    }

    /// Reports that `what` was expected at the current token, once for each token.
    pub(super) fn expected(&mut self, what: &str) {
        if self.said() {
            return;
        }
        let message = format!("expected {what}, found {}", self.found());
        let fault = Diagnostic::new(codes::UNEXPECTED, message).at(self.place_of_current(), "");
        self.fault(fault);
    }

    /// The current token as a message shows it.
    pub(super) fn found(&self) -> String {
        match self.current.kind {
            TokenKind::Eof => String::from("the end of the text"),
            TokenKind::End => String::from("`.`, the end of the clause"),
            _ => format!("`{}`", excerpt(self.lexer.slice(self.current.span))),
        }
    }

    /// Where the current token is; the end of the text is shown after the last token.
    pub(super) fn place_of_current(&self) -> Span {
        if self.at(TokenKind::Eof) { self.last.span.after() } else { self.current.span }
    }

    /// Whether the current token probably begins another clause.
    pub(super) fn at_new_clause(&self) -> bool {
        self.current.position == Position::Margin
            && self.current.span.start > self.clause
            && self.begins_item()
    }

    fn begins_item(&self) -> bool {
        matches!(
            self.current.kind,
            TokenKind::Word(_) | TokenKind::Variable(_) | TokenKind::At | TokenKind::Dot
        )
    }

    /// Whether the current token begins another clause for certain: a declaration, or a head and `:-`.
    fn at_evident_clause(&self) -> bool {
        let mark = matches!(self.current.kind, TokenKind::At | TokenKind::Dot);
        self.at_new_clause() && (mark || self.declares() || self.clause_ahead())
    }

    /// Whether the current word is the keyword of a declaration, and what it declares.
    pub(super) fn declares(&self) -> bool {
        let named = matches!(self.ahead.kind, TokenKind::Word(_) | TokenKind::Variable(_));
        let quoted = matches!(self.ahead.kind, TokenKind::Literal(Value::String(_)));
        match self.word().map(Symbol::as_str) {
            Some("input" | "relation" | "decision" | "param" | "type") => named,
            Some("feed" | "then") => self.effect_ahead(),
            Some("import" | "test") => quoted,
            _ => false,
        }
    }

    /// Whether nothing of this clause can follow.
    pub(super) fn at_clause_end(&self) -> bool {
        matches!(self.current.kind, TokenKind::End | TokenKind::Eof)
            || self.at_evident_clause()
            || self.silent && self.at_new_clause()
    }

    /// Whether the rest of a faulty clause ends here: also before anything at the margin.
    pub(super) fn at_recovery_end(&self) -> bool {
        matches!(self.current.kind, TokenKind::End | TokenKind::Eof) || self.at_new_clause()
    }

    /// Skips to after the end of this clause.
    pub(super) fn skip_clause(&mut self) {
        while !self.at_recovery_end() {
            self.bump();
            self.passed_over = true;
        }
        self.eat(TokenKind::End);
        self.silent = false;
    }

    /// Skips to a comma outside parentheses, or to the end of the clause; `stop` ends it earlier.
    pub(super) fn skip_to_comma(&mut self, stop: impl Fn(&Token) -> bool) {
        let start = self.current.span;
        self.pass_to_comma(stop);
        self.passed_over |= self.current.span != start;
    }

    fn pass_to_comma(&mut self, stop: impl Fn(&Token) -> bool) {
        let mut depth = 0u32;
        while !self.at_recovery_end() {
            match self.current.kind {
                TokenKind::Comma if depth == 0 => return,
                TokenKind::LeftParen | TokenKind::LeftBrace | TokenKind::LeftBracket => depth += 1,
                TokenKind::RightParen | TokenKind::RightBrace | TokenKind::RightBracket => {
                    if depth == 0 && stop(&self.current) {
                        return;
                    }
                    depth = depth.saturating_sub(1);
                }
                _ if depth == 0 && stop(&self.current) => return,
                _ => {}
            }
            self.bump();
        }
    }

    /// Takes the full stop that ends a clause (`what` names the clause), or reports its absence and goes on
    /// with the next clause.
    pub(super) fn end_clause(&mut self, what: &str) {
        if std::mem::take(&mut self.clause_given_up) {
            self.silent = false;
            return;
        }
        match self.current.kind {
            TokenKind::End => {
                self.bump();
                self.silent = false;
            }
            TokenKind::Dot => {
                self.tight_dot();
                self.bump();
                self.silent = false;
            }
            TokenKind::Semicolon => self.semicolon(),
            _ => {
                self.missing_dot(what);
                self.skip_clause();
            }
        }
    }

    /// A `.` with the next clause directly after it.
    fn tight_dot(&mut self) {
        let span = self.current.span;
        let fault = Diagnostic::new(codes::MISSING_DOT, "missing white space after a `.` that ends a clause")
            .at(span, "expected white space after it")
            .help("put each clause on a line of its own")
            .fix(span.after(), "\n");
        self.fault(fault);
    }

    /// A clause that ends with `;`, as in crepe.
    fn semicolon(&mut self) {
        let fault = Diagnostic::new(codes::FOREIGN_OPERATOR, "a clause ends with `.`")
            .at(self.current.span, "not the end of a clause");
        let fault = self.lexer.with_line(fault, self.current.span).fix(self.current.span, ".");
        self.fault(fault);
        self.bump();
        self.silent = false;
    }

    /// Reports what was found where a clause should end.
    fn missing_dot(&mut self, what: &str) {
        if self.said() {
            return;
        }
        match self.current.kind {
            TokenKind::RightParen | TokenKind::RightBracket => {
                let message = format!("unmatched {}", self.found());
                let help = "remove it, or add the opening one";
                self.report(codes::UNBALANCED, message, self.current.span, "nothing to close", help);
            }
            TokenKind::Eof => self.missing_dot_before(what),
            _ if self.at_new_clause() || self.clause_ahead() => self.missing_dot_before(what),
            _ => self.expected(&format!("`.` at the end of {what}")),
        }
    }

    /// Reports that a clause ends without a full stop, after its last token.
    pub(super) fn missing_dot_before(&mut self, what: &str) {
        let last = self.last.span;
        let message = format!("{what} does not end with `.`");
        let help = self.with_dot(last);
        let place = last.after();
        let fault = Diagnostic::new(codes::MISSING_DOT, message).at(place, "expected `.` here");
        self.fault(fault.help(help).fix(place, "."));
    }

    /// The line of the last token, with a full stop after it.
    fn with_dot(&self, last: Span) -> String {
        const LONGEST: usize = 160;
        let (before, after) = self.text.split_at(last.end as usize);
        let line = before.rsplit('\n').next().unwrap_or("").trim_start();
        let rest = after.lines().next().unwrap_or("").trim_end();
        if line.len() + rest.len() > LONGEST {
            String::from("write a `.` there")
        } else {
            format!("write: `{line}.{rest}`")
        }
    }

    /// Whether a fault was reported here already.
    pub(super) fn said(&self) -> bool {
        self.current.after_fault || self.reported_at == Some(self.current.span.start)
    }

    /// Whether the text goes on with the head of a rule: a word, perhaps parentheses, and `:-`.
    pub(super) fn clause_ahead(&self) -> bool {
        if !matches!(self.current.kind, TokenKind::Word(_) | TokenKind::Variable(_)) {
            return false;
        }
        heads_rule(part(self.text, self.current.span.start as usize..))
    }

    /// Whether the head of a rule and `:-` follow the word at hand, which may be `feed` or `then`.
    fn effect_ahead(&self) -> bool {
        let rest = part(self.text, self.current.span.end as usize..).trim_start();
        let head = rest.strip_prefix('!').or_else(|| rest.strip_prefix("not ")).unwrap_or(rest).trim_start();
        head.starts_with(|c: char| c.is_alphabetic() || c == '_') && heads_rule(head)
    }

    /// Reports another fact after the one that a text is to hold.
    pub(super) fn refuse_second_fact(&mut self, text: &str) {
        let separated = matches!(self.current.kind, TokenKind::Comma | TokenKind::End);
        if !separated || !matches!(self.ahead.kind, TokenKind::Word(_)) {
            return;
        }
        let (first, rest) = (part(text, ..self.last.span.end as usize), self.ahead.span);
        let second = part(text, rest.start as usize..).trim_end().trim_end_matches('.');
        let help = format!("give each an argument of its own: `'{}' '{second}'`", first.trim_start());
        let one = super::parse_fact(self.file, second).1.is_empty();
        let help = if one { help } else { String::from("give each an argument of its own, in quotes") };
        self.report(codes::UNEXPECTED, "expected one fact, found several", rest, "the second one", &help);
        self.resume_at(text.len());
    }

    /// Takes the end of a text that holds one thing only.
    pub(super) fn end_of_input(&mut self, what: &str) {
        if matches!(self.current.kind, TokenKind::End | TokenKind::Semicolon) {
            self.bump();
        }
        if !self.at(TokenKind::Eof) {
            self.expected(&format!("the end of {what}"));
        }
    }
}

/// How many characters ahead a parenthesis is looked for.
pub(super) const FAR: usize = 2_000;

/// Whether a text begins with the head of a rule and `:-`: a word, perhaps parentheses.
pub(super) fn heads_rule(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_').trim_start();
    let Some(inner) = rest.strip_prefix('(') else { return rest.starts_with(":-") };
    after_call(inner)
        .map(str::trim_start)
        .is_some_and(|after| after.starts_with(":-") || after.starts_with("<-"))
}

/// What follows the parenthesis that closes one, whose inside the text begins with.
pub(super) fn after_call(inner: &str) -> Option<&str> {
    let mut depth = 1u32;
    let mut quoted = false;
    for (at, c) in inner.char_indices().take(FAR) {
        quoted ^= c == '"';
        match c {
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(part(inner, at + 1..));
        }
    }
    None
}
