//! Rules and facts.

use hence_core::diagnostic::{Code, Diagnostic};
use hence_core::span::Span;

use super::super::codes;
use super::super::foreign;
use super::super::token::{Position, TokenKind};
use super::super::tree::{Args, Doc, Expr, ExprKind, Ident, Literal, LiteralKind, Rule, RuleKind};
use super::Parser;
use super::annotation::Annotations;
use super::args::as_named;
use super::expr::broken;
use super::recover::heads_rule;
use crate::part;

/// What is before the body of a rule.
pub(super) struct Head {
    kind: RuleKind,
    doc: Doc,
    annotations: Annotations,
    start: Span,
    lead: Span,
    relation: Ident,
    terms: Vec<Expr>,
}

impl Parser<'_> {
    /// A rule or a fact, its annotations included.
    pub(super) fn rule(&mut self) -> Option<Rule> {
        let start = self.current.span;
        let mut doc = self.doc(start.start);
        let annotations = self.annotations();
        if doc.lines.is_empty() {
            doc = self.doc(self.current.span.start);
        }
        if self.current.span != start && self.annotated_declaration() {
            return None;
        }
        if self.current.span != start && self.at(TokenKind::Eof) && !self.said() {
            let span = self.since(start);
            let help = "put it directly above its rule";
            self.report(codes::BAD_ANNOTATION, "an annotation without a rule below it", span, "", help);
            return None;
        }
        let lead = self.current.span;
        let kind = self.rule_kind();
        let Some((relation, terms)) = self.head() else {
            self.skip_clause();
            return None;
        };
        let lead = lead.to(relation.span);
        Some(self.rule_with(Head { kind, doc, annotations, start, lead, relation, terms }))
    }

    /// Reports annotations before something other than a rule.
    fn annotated_declaration(&mut self) -> bool {
        let words = ["input", "relation", "decision", "param", "type", "import", "test"];
        let declares = words.iter().any(|word| self.at_word(word));
        let found = declares && !matches!(self.ahead.kind, TokenKind::LeftParen | TokenKind::Turnstile);
        if found {
            let help = "put them before the rules";
            let span = self.current.span;
            self.report(codes::BAD_ANNOTATION, "annotations apply to rules", span, "not a rule", help);
        }
        found
    }

    /// The rest of a rule whose head was read.
    fn rule_with(&mut self, head: Head) -> Rule {
        self.passed_over = false;
        let (body, limit, span) = if self.begin_body(head.relation) {
            let body = self.body(&head);
            self.passed_over |= self.clause_given_up;
            let limited = self.at_word("limit") && !self.clause_given_up;
            let limit = limited.then(|| self.limit());
            (body, limit, self.since(head.start))
        } else {
            self.needs_body(head.kind, head.relation);
            (Vec::new(), None, self.since(head.start))
        };
        let span = self.end_rule(span, &body, head.start);
        let Annotations { id, because } = head.annotations;
        let rule = Rule {
            kind: head.kind,
            doc: head.doc,
            id,
            because,
            head: head.relation,
            lead: head.lead,
            terms: head.terms,
            body,
            limit,
            span,
        };
        if self.passed_over { half_read(rule) } else { rule }
    }

    /// Takes the full stop, unless the next rule has begun already.
    fn end_rule(&mut self, span: Span, body: &[Literal], start: Span) -> Span {
        if self.pending.is_some() {
            let end = body.last().map_or(start, |literal| literal.span);
            self.flush_deferred(Some(start.to(end)));
            return start.to(end);
        }
        self.end_clause(if body.is_empty() { "the fact" } else { "the rule" });
        let span = self.since_end(span);
        self.flush_deferred(Some(span));
        span
    }

    /// `p(e, …)` before `:-` or `.`.
    fn head(&mut self) -> Option<(Ident, Vec<Expr>)> {
        let relation = self.callee("relation")?;
        if !self.at(TokenKind::LeftParen) && !self.refuse_braces(relation) {
            let goes_on = self.bare_head(relation);
            if !goes_on {
                self.unreadable.push(relation.name);
            }
            return goes_on.then_some((relation, Vec::new()));
        }
        let terms = match self.head_args() {
            Args::Positional(terms) => terms,
            Args::Named(terms) => {
                if self.nameless_declaration(relation) {
                    return None;
                }
                let help = "write only the terms, in column order";
                let message = "head terms are positional";
                let label = "named term";
                let span = terms.first().map_or(relation.span, |(name, _)| name.span);
                self.report(codes::NAMED_ARGUMENTS, message, span, label, help);
                terms.into_iter().map(|(_, term)| term).collect()
            }
        };
        Some((relation, terms))
    }

    /// The terms of a head, those with a name before `=` as those with a name before `:`.
    fn head_args(&mut self) -> Args {
        let args = self.args();
        let Args::Positional(terms) = &args else { return args };
        let named: Option<Vec<_>> = terms.iter().map(as_named).collect();
        match named.filter(|_| self.equal_argument.take().is_some()) {
            Some(named) => Args::Named(named),
            None => args,
        }
    }

    /// Reports `input (x: int)`.
    fn nameless_declaration(&mut self, keyword: Ident) -> bool {
        let found =
            ["input", "relation", "decision"].contains(&keyword.name.as_str()) && self.at(TokenKind::End);
        if found {
            let help = format!("write: `{} NAME(column: type, …).`", keyword.name);
            let message = "a declaration without a name";
            self.report(codes::BAD_DECLARATION, message, keyword.span.after(), "expected a name here", &help);
        }
        found
    }

    /// A head without parentheses; whether a rule may go on after it.
    fn bare_head(&mut self, relation: Ident) -> bool {
        let goes_on =
            matches!(self.current.kind, TokenKind::Turnstile | TokenKind::End | TokenKind::LeftBrace)
                || self.at_word("if")
                || self.at(TokenKind::Equal) && self.lexer.slice(self.current.span) == ":=";
        if goes_on {
            if !self.at(TokenKind::LeftBrace) && !self.at_word("if") {
                self.missing_parentheses(relation);
            }
        } else if self.at(TokenKind::LeftBracket) {
            let help = format!("write: `{}(X) :- …`", relation.name);
            let label = "put terms in parentheses";
            self.report(codes::FOREIGN_RULE, "unexpected `[`", self.current.span, label, &help);
        } else {
            let message = format!("expected `(` after `{}`, found {}", relation.name, self.found());
            let fault = Diagnostic::new(codes::UNEXPECTED, message).at(self.place_of_current(), "");
            let help = match self.current.kind {
                TokenKind::Variable(term) if self.ahead.kind == TokenKind::Turnstile => {
                    format!("write: `{}({term}) :- …`", relation.name)
                }
                _ => String::from(
                    "a clause starts with `relation(…)`, `input`, `decision`, `param`, \
                    `type`, `import` or `test`",
                ),
            };
            self.fault(fault.help(help));
        }
        goes_on
    }

    /// Takes what is between head and body; whether a body follows.
    fn begin_body(&mut self, relation: Ident) -> bool {
        match self.current.kind {
            TokenKind::Turnstile => {
                self.bump();
                true
            }
            TokenKind::Equal if self.lexer.slice(self.current.span) == ":=" => {
                self.bump();
                true
            }
            TokenKind::Word(word) if word.as_str() == "if" => self.rego_rule(),
            TokenKind::LeftBrace => self.rego_rule(),
            _ if self.at_another_head() => {
                let help = "write a rule for each head";
                let span = self.current.span;
                self.report(
                    codes::BAD_RULE,
                    "a rule has exactly one head",
                    span,
                    "expected `:-` or `.`",
                    help,
                );
                self.bump();
                self.skip_to_comma(|token| token.kind == TokenKind::Turnstile);
                while self.eat(TokenKind::Comma) {
                    self.skip_to_comma(|token| token.kind == TokenKind::Turnstile);
                }
                self.eat(TokenKind::Turnstile)
            }
            TokenKind::Equal | TokenKind::Colon | TokenKind::Pipe => {
                let message =
                    format!("expected `:-` or `.` after `{}(…)`, found {}", relation.name, self.found());
                let fault = Diagnostic::new(codes::UNEXPECTED, message).at(self.current.span, "");
                self.fault(fault.help("a rule is written `head(…) :- body.`"));
                self.silent = true;
                self.bump();
                true
            }
            _ => false,
        }
    }

    /// `head if { … }` and `head { … }` of Rego: reported, and skipped.
    fn rego_rule(&mut self) -> bool {
        let open = self.current;
        let braced = self.at(TokenKind::LeftBrace) || self.ahead.kind == TokenKind::LeftBrace;
        if !braced {
            let label = "the body of a rule follows `:-`";
            let fault = Diagnostic::new(codes::FOREIGN_RULE, "unexpected `if`").at(open.span, label);
            let fault = self.lexer.with_line(fault, open.span);
            self.fault(fault);
            self.bump();
            return true;
        }
        self.eat_word("if");
        self.bump();
        let mut depth = 1u32;
        while depth > 0 && !self.at(TokenKind::Eof) && !self.at_new_clause() {
            match self.bump().kind {
                TokenKind::LeftBrace => depth += 1,
                TokenKind::RightBrace => depth -= 1,
                _ => {}
            }
        }
        let label = "the body of a rule follows `:-`, its literals separated by `,`";
        let fault = Diagnostic::new(codes::FOREIGN_RULE, "a body in braces").at(open.span, label);
        let span = self.clause_so_far();
        let fault = self.with_form_of(fault, &self.lexer.slice(span).replace('\n', ";"), span);
        self.fault(fault);
        self.clause_given_up = true;
        self.eat(TokenKind::End);
        false
    }

    /// Whether `,`, `and` or `;` and another head follow.
    fn at_another_head(&self) -> bool {
        let rest = || part(self.text, self.current.span.end as usize..).trim_start();
        // On a line of its own it is a clause after one that ends with `;`.
        let word = matches!(self.ahead.kind, TokenKind::Word(_)) && self.ahead.position == Position::Inside;
        self.at(TokenKind::Comma)
            || (self.at_word("and") || self.at(TokenKind::Semicolon)) && word && heads_rule(rest())
    }

    /// The literals after `:-`. A second `:-` shows that the next rule has begun.
    fn body(&mut self, head: &Head) -> Vec<Literal> {
        if self.at_clause_end() {
            let help = format!("a fact is written `{}(…).`", head.relation.name);
            let span = self.last.span;
            self.report(codes::BAD_RULE, "a rule without a body", span, "expected literals after it", &help);
            return Vec::new();
        }
        let mut body = self.literals();
        if self.at(TokenKind::Turnstile) && !self.clause_given_up {
            self.second_turnstile(&mut body);
        }
        body
    }

    /// `:-` inside a body: the last literal is the head of the next rule.
    fn second_turnstile(&mut self, body: &mut Vec<Literal>) {
        if self.lexer.slice(self.current.span) == "->" {
            return self.foreign_clause(
                codes::FOREIGN_RULE,
                "`->` does not choose",
                "write a rule for each case",
            );
        }
        let next = body.pop_if(|literal| {
            matches!(&literal.kind, LiteralKind::Atom { negated: false, atom } if matches!(atom.args, Args::Positional(_)))
        });
        let Some(Literal { kind: LiteralKind::Atom { atom, .. }, span }) = next else {
            let label = "the body starts here";
            self.report(
                codes::BAD_RULE,
                "duplicate `:-` in a rule",
                self.current.span,
                label,
                "end the rule before it with `.`",
            );
            self.silent = true;
            return;
        };
        let before = body.last().map_or(span, |literal| literal.span);
        let comma = Span::new(self.file, before.end, before.end + 1);
        let fault = if self.lexer.slice(comma) == "," {
            Diagnostic::new(codes::MISSING_DOT, "a rule ends with `,`")
                .at(comma, "expected `.` here")
                .at(span, "the next rule starts here")
                .write(comma, ".")
        } else {
            let fault = Diagnostic::new(codes::MISSING_DOT, "the previous rule does not end with `.`")
                .at(before.after(), "expected `.` here")
                .at(span, "the next rule starts here");
            if body.is_empty() { fault } else { fault.fix(before.after(), ".") }
        };
        self.fault(fault);
        let Args::Positional(terms) = atom.args else { return };
        self.pending = Some(Head {
            kind: RuleKind::Derives,
            doc: Doc::default(),
            annotations: Annotations::default(),
            start: span,
            lead: atom.relation.span,
            relation: atom.relation,
            terms,
        });
    }

    /// The rule whose head was taken for a literal of the rule before.
    pub(super) fn pending_rule(&mut self) -> Option<Rule> {
        let mut head = self.pending.take()?;
        self.clause = head.start.start;
        head.doc = self.doc(head.start.start);
        Some(self.rule_with(head))
    }

    /// Skips a clause in the form of another language and reports it with ours.
    pub(super) fn foreign_clause(&mut self, code: Code, message: &str, label: &str) {
        let span = self.current.span;
        while !self.at_recovery_end() {
            self.bump();
        }
        self.eat(TokenKind::End);
        self.deferred = self.deferred.take().filter(|(fault, _)| fault.code != codes::FOREIGN_VARIABLE);
        let fault = Diagnostic::new(code, message).at(span, label);
        let fault = self.with_form(fault, self.clause_so_far());
        self.fault(fault);
        self.clause_given_up = true;
    }

    fn clause_so_far(&self) -> Span {
        Span::new(self.file, self.clause, self.last.span.end)
    }

    /// Adds our form of a clause, if it is known and free of faults.
    pub(super) fn with_form(&self, fault: Diagnostic, clause: Span) -> Diagnostic {
        self.with_form_of(fault, self.lexer.slice(clause), clause)
    }

    /// Adds our form of a clause, which is `text` without its line ends.
    fn with_form_of(&self, fault: Diagnostic, text: &str, clause: Span) -> Diagnostic {
        if !self.with_help {
            return fault;
        }
        let form = foreign::clause(text, self.lower_variables);
        match form.filter(|form| self.is_clean(form)) {
            Some(form) => fault.write(clause, &form),
            None => fault,
        }
    }

    /// Whether a text parses without a fault.
    pub(super) fn is_clean(&self, text: &str) -> bool {
        let mut parser = Parser::new(self.file, text);
        parser.with_help = false;
        parser.lexer.with_help = false;
        parser.file().1.is_empty()
    }

    /// Keeps a fault until its clause is read, so that the whole clause can be shown in our form, or else
    /// `fallback` as help; one a clause.
    pub(super) fn defer(&mut self, fault: Diagnostic, fallback: String) {
        if self.deferred.is_none() && !self.silent {
            self.deferred = Some((fault, fallback));
        }
    }

    /// Reports the fault that waited for the end of its clause.
    pub(super) fn flush_deferred(&mut self, clause: Option<Span>) {
        let Some((fault, fallback)) = self.deferred.take() else { return };
        let fault = match clause {
            Some(clause) => self.with_form(fault, clause),
            None => fault,
        };
        let fault = if fault.help.is_empty() && !fallback.is_empty() { fault.help(fallback) } else { fault };
        self.lexer.faults.push(fault);
    }

    /// A condition that stands for what could not be read.
    pub(super) fn unread(span: Span) -> Literal {
        Literal { kind: LiteralKind::Condition(Expr { kind: ExprKind::Error, span }), span }
    }
}

/// A rule of which a part was passed over: that may bind any variable, and conditions may have read it. Only the atoms are
/// kept, and every variable is taken as known.
fn half_read(rule: Rule) -> Rule {
    let Rule { mut body, terms, .. } = rule;
    body.retain(|literal| matches!(literal.kind, LiteralKind::Atom { .. }));
    let known = |term: &Expr| Literal { kind: LiteralKind::Condition(broken(term.clone())), span: term.span };
    let all: Vec<_> = terms.iter().chain(body.iter().flat_map(Literal::exprs)).map(known).collect();
    body.extend(all);
    Rule { body, terms, because: None, limit: None, ..rule }
}
