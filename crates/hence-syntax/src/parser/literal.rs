//! Literals of a body: atoms, conditions, `X in …`.

use crate::part;
use hence_core::diagnostic::Diagnostic;
use hence_core::span::Span;

use super::super::codes;
use super::super::foreign::names_columns;
use super::super::token::{Position, Token, TokenKind};
use super::super::tree::{Args, Atom, BinaryOp, Expr, ExprKind, Literal, LiteralKind, UnaryOp};
use super::Parser;
use super::expr::{broken, level};
use super::recover::after_call;

impl Parser<'_> {
    /// Literals between commas, up to what can't belong to them.
    pub(super) fn literals(&mut self) -> Vec<Literal> {
        let mut literals = Vec::new();
        loop {
            if self.at_clause_end()
                || matches!(self.current.kind, TokenKind::RightBrace | TokenKind::Turnstile)
                || self.at_limit_after_comma()
            {
                self.refuse_last_comma();
                return literals;
            }
            if self.at(TokenKind::Comma) {
                self.idle_comma("a literal");
                continue;
            }
            let before = self.current;
            literals.push(self.literal());
            if !self.another_literal(before) {
                if self.clause_given_up {
                    literals.push(Self::unread(before.span));
                }
                return literals;
            }
        }
    }

    /// Reports a comma after the last literal.
    fn refuse_last_comma(&mut self) {
        if self.last.kind != TokenKind::Comma {
            return;
        }
        let comma = self.last.span;
        if self.at_new_clause() {
            self.mended(codes::MISSING_DOT, "a clause ends with `,`", comma, "expected `.` here", ".");
        } else {
            self.stray_comma(comma, "another literal");
        }
    }

    /// Whether `, limit 3 …` stands where `limit 3 …` was meant: a parameter of that name is not followed by a value.
    fn at_limit_after_comma(&self) -> bool {
        self.last.kind == TokenKind::Comma
            && self.at_word("limit")
            && match self.ahead.kind {
                TokenKind::Literal(_) | TokenKind::Variable(_) => true,
                TokenKind::Word(word) => !["and", "or", "in"].contains(&word.as_str()),
                _ => false,
            }
    }

    /// Takes what is between two literals; whether another one follows. The last began at `before`.
    fn another_literal(&mut self, before: Token) -> bool {
        match self.current.kind {
            TokenKind::Comma if self.at_expectation_after_comma() => {
                let comma = self.bump().span;
                let label = "an expectation ends with `.`";
                self.mended(codes::BAD_TEST, "`,` between two expectations", comma, label, ".");
                self.clause_given_up = true;
                false
            }
            TokenKind::Comma => {
                self.bump();
                true
            }
            TokenKind::DoubleAnd => {
                self.foreign_connective("separate body literals with `,`");
                self.bump();
                true
            }
            TokenKind::End
            | TokenKind::Dot
            | TokenKind::Eof
            | TokenKind::Turnstile
            | TokenKind::RightBrace => false,
            TokenKind::Semicolon => self.alternative(),
            TokenKind::Pipe => {
                let label = "write the aggregate in the head, as a column of its own";
                self.foreign_clause(codes::FOREIGN_AGGREGATE, "the language has no `|>`", label);
                false
            }
            _ if self.at_souffle_aggregate() => {
                let label = "the braces follow the function and its arguments at once";
                self.foreign_clause(codes::FOREIGN_AGGREGATE, "unexpected `:` before `{`", label);
                false
            }
            _ if self.at_new_clause() || self.at_tail_word() || self.clause_ahead() => false,
            _ if self.at_expectation_word() => false,
            _ if self.at_word("order") && self.ahead.kind == TokenKind::Word("by".into()) => self.order_by(),
            TokenKind::RightParen | TokenKind::RightBracket => false,
            TokenKind::At if !self.said() => self.annotation_after_rule(),
            TokenKind::LeftBracket if matches!(self.last.kind, TokenKind::Word(_)) => self.bracketed_terms(),
            _ if self.begins_term() && self.current.span != before.span => {
                let help = match before.kind {
                    TokenKind::Word(word) if before.span == self.last.span => {
                        format!("if `{word}` is a relation, put its terms in parentheses: `{word}(…)`")
                    }
                    _ => String::new(),
                };
                self.missing_comma("two literals", &help);
                true
            }
            _ => {
                self.expected("`,` or `.` after a literal");
                self.skip_to_comma(|token| {
                    matches!(token.kind, TokenKind::RightBrace | TokenKind::Turnstile)
                });
                self.eat(TokenKind::Comma)
            }
        }
    }

    /// Reports `@because("…")` after the body of its rule, and skips it.
    fn annotation_after_rule(&mut self) -> bool {
        let span = self.current.span.to(self.ahead.span);
        let help = "put it directly above its rule";
        self.report(codes::BAD_ANNOTATION, "an annotation after its rule", span, "", help);
        self.silent = true;
        self.skip_to_comma(|_| false);
        false
    }

    /// Reports `p[X, Y]`, and skips its terms.
    fn bracketed_terms(&mut self) -> bool {
        let name = self.last.span;
        let open = self.bump().span;
        self.pass_list(TokenKind::RightBracket);
        let span = name.to(self.last.span);
        let terms = self.lexer.slice(self.since(open)).trim_start_matches('[').trim_end_matches(']');
        let form = format!("{}({terms})", self.lexer.slice(name));
        let message = "an atom has its terms in parentheses";
        self.mended(codes::FOREIGN_RULE, message, span, "found brackets", &form);
        self.eat(TokenKind::Comma)
    }

    /// Whether the current word ends the literals: `limit`, `because`.
    fn at_tail_word(&self) -> bool {
        (self.at_word("limit") || self.at_word("because") && self.in_expect) && !self.is_called()
    }

    /// Whether `no`, `exactly` or `undetermined` begins another expectation on a line of its own.
    fn at_expectation_word(&self) -> bool {
        let word = ["no", "exactly", "undetermined"].iter().any(|word| self.at_word(word));
        self.in_expect && word && !self.is_called() && self.current.position != Position::Inside
    }

    /// Whether `, no p(…)` follows in the `expect` of a test.
    fn at_expectation_after_comma(&self) -> bool {
        let rest = part(self.text, self.ahead.span.end as usize..);
        let words = ["no", "exactly", "undetermined"];
        self.in_expect
            && words.iter().any(|word| self.ahead.kind == TokenKind::Word((*word).into()))
            && rest.trim_start().starts_with(|c: char| c.is_ascii_lowercase())
    }

    /// `order by` of SQL.
    fn order_by(&mut self) -> bool {
        let span = self.current.span.to(self.ahead.span);
        let help = "facts are unordered; `limit N by KEY` keeps the first N";
        self.report(codes::BAD_LIMIT, "unexpected `order by`", span, "SQL syntax", help);
        self.silent = true;
        false
    }

    /// `;`: the end of a clause of crepe, or alternatives of Prolog.
    fn alternative(&mut self) -> bool {
        if self.ahead.position != Position::Inside || self.ahead.kind == TokenKind::Eof {
            return false;
        }
        let label = "write a rule for each alternative";
        self.foreign_clause(codes::FOREIGN_RULE, "`;` does not separate alternatives", label);
        false
    }

    /// Whether the text goes on as an aggregate of Soufflé: `count : { … }`, `sum x : { … }`.
    fn at_souffle_aggregate(&self) -> bool {
        const NAMES: [&str; 5] = ["count", "sum", "min", "max", "mean"];
        let TokenKind::Word(word) = self.last.kind else { return false };
        let rest = part(self.text, self.last.span.end as usize..);
        let before_brace = rest.split(['{', '\n']).next().unwrap_or("").trim_end();
        NAMES.contains(&word.as_str()) && rest.contains('{') && before_brace.ends_with(':')
    }

    /// One literal; what can't be read becomes an erroneous condition.
    pub(super) fn literal(&mut self) -> Literal {
        let start = self.current.span;
        self.loose = None;
        self.foreign_beginning();
        let kind = if self.at_not() { self.negated(start) } else { self.plain(start) };
        let kind = match (self.refuse_loose(), kind) {
            (true, LiteralKind::Condition(expr)) => LiteralKind::Condition(broken(expr)),
            (_, kind) => kind,
        };
        Literal { kind, span: self.since(start) }
    }

    /// Reports and takes words that other languages put before a literal.
    fn foreign_beginning(&mut self) {
        let variable_follows = matches!(self.ahead.kind, TokenKind::Variable(_) | TokenKind::Word(_));
        let message = match self.current.kind {
            TokenKind::Word(word) if ["let", "some"].contains(&word.as_str()) && variable_follows => {
                format!("`{word}` can't start a literal")
            }
            TokenKind::Tilde => String::from("`~` does not negate"),
            TokenKind::Colon if matches!(self.ahead.kind, TokenKind::Word(_)) => {
                String::from("`:` can't start a literal")
            }
            _ => return,
        };
        let label = match self.current.kind {
            TokenKind::Tilde => "negation is `!`",
            TokenKind::Colon => "comparisons use operators, and functions have no prefix",
            _ => "only `X = …` or `X in …` binds a variable",
        };
        let fault = Diagnostic::new(codes::FOREIGN_OPERATOR, message).at(self.current.span, label);
        let fault = self.lexer.with_line(fault, self.current.span);
        self.fault(fault);
        self.bump();
    }

    /// `p(…)`, a condition, or `X in …`.
    fn plain(&mut self, start: Span) -> LiteralKind {
        if self.at_atom() {
            return self.atom_or_condition(start);
        }
        let left = self.binary(level::OR);
        self.with_left(left)
    }

    /// Whether a call of a name with dashes is the whole literal: a difference would be compared with something.
    fn at_dashed_atom(&self) -> bool {
        self.at_dashed('(') && {
            let text = part(self.text, self.current.span.start as usize..);
            let open = text.find('(').unwrap_or(0);
            after_call(part(text, open + 1..)).is_some_and(|rest| {
                let rest = rest.trim_start();
                rest.is_empty() || rest.starts_with([',', '.', '}'])
            })
        }
    }

    /// Whether `tool.run(` is at hand.
    fn at_dotted_atom(&self) -> bool {
        let text = part(self.text, self.ahead.span.end as usize..);
        let rest = text.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
        matches!(self.current.kind, TokenKind::Word(_))
            && self.ahead.kind == TokenKind::Dot
            && self.ahead.span.start == self.current.span.end
            && text.starts_with(|c: char| c.is_ascii_lowercase())
            && rest.starts_with('(')
    }

    /// Whether `p{column: ` is at hand.
    fn at_braced_atom(&self) -> bool {
        matches!(self.current.kind, TokenKind::Word(_))
            && self.ahead.kind == TokenKind::LeftBrace
            && names_columns(part(self.text, self.ahead.span.end as usize..))
    }

    /// Whether the current tokens are a word and a parenthesis, other than `if(`.
    fn at_atom(&self) -> bool {
        if self.at_dashed_atom() || self.at_dotted_atom() || self.at_braced_atom() {
            return true;
        }
        let called = self.ahead.kind == TokenKind::LeftParen;
        match self.current.kind {
            TokenKind::Word(word) => called && !["if", "not"].contains(&word.as_str()),
            TokenKind::Variable(_) => called,
            _ => false,
        }
    }

    /// `p(…)`, or a condition that begins with a call.
    fn atom_or_condition(&mut self, start: Span) -> LiteralKind {
        let Some(atom) = self.atom() else { return error(start) };
        let stands_alone = self.operator().is_none() && !self.at(TokenKind::LeftBrace);
        if stands_alone && !self.at_word("in") && !self.at_word("is") {
            return LiteralKind::Atom { negated: false, atom };
        }
        let call = self.call_of(atom, start);
        let left = self.operators(call, start, level::OR);
        self.with_left(left)
    }

    /// A condition whose expression was read up to here; `X in …` if `in` follows.
    fn with_left(&mut self, left: Expr) -> LiteralKind {
        if self.at_not_in() {
            return LiteralKind::Condition(self.not_in(left));
        }
        if self.at_word("in") {
            let start = self.ahead.span;
            let right = self.elements(&left);
            return LiteralKind::In(left, self.operators(right, start, level::OR));
        }
        if self.at_word("is") && matches!(left.kind, ExprKind::Variable(_)) {
            return self.prolog_is(left);
        }
        if self.at(TokenKind::LeftBrace)
            && let Some(kind) = self.body_aggregate(&left)
        {
            return kind;
        }
        match left.kind {
            ExprKind::Unary(UnaryOp::Not, operand) if is_atom(&operand) => atom_of(true, *operand),
            _ if is_atom(&left) => atom_of(false, left),
            ExprKind::In(left, right) => LiteralKind::In(*left, *right),
            _ => LiteralKind::Condition(left),
        }
    }

    /// `X is e` of Prolog.
    fn prolog_is(&mut self, left: Expr) -> LiteralKind {
        let span = self.current.span;
        let fault = Diagnostic::new(codes::FOREIGN_OPERATOR, "unknown operator `is`")
            .at(span, "`=` binds a variable");
        let fault = self.lexer.with_line(fault, span);
        self.fault(fault);
        self.bump();
        let start = left.span;
        let right = self.binary(level::SUM);
        let kind = ExprKind::Binary(BinaryOp::Equal, Box::new(left), Box::new(right));
        let height = self.height;
        LiteralKind::Condition(self.node(kind, start, height))
    }

    /// `!p(…)`, `not p(…)`, or a negated condition.
    fn negated(&mut self, start: Span) -> LiteralKind {
        self.bump();
        let inner = self.current.span;
        let operand = if self.at_atom() {
            let Some(atom) = self.atom() else { return error(start) };
            let stands_alone = self.operator().is_none();
            if stands_alone {
                self.refuse_negated_in(start);
                return LiteralKind::Atom { negated: true, atom };
            }
            let call = self.call_of(atom, inner);
            self.operators(call, inner, level::NOT)
        } else {
            self.deeper(|parser| parser.binary(level::NOT))
        };
        let atom_alone = self.operator().is_none();
        if atom_alone && is_atom(&operand) {
            self.refuse_negated_in(start);
            return atom_of(true, operand);
        }
        let left = self.node(ExprKind::Unary(UnaryOp::Not, Box::new(operand)), start, self.height);
        let left = self.operators(left, start, level::OR);
        let refused = self.refuse_negated_in(start);
        LiteralKind::Condition(if refused { broken(left) } else { left })
    }

    /// Reports `!X in …`; whether it is there.
    fn refuse_negated_in(&mut self, start: Span) -> bool {
        if !self.at_word("in") {
            return false;
        }
        let negated = self.lexer.slice(self.since(start)).trim_start_matches('!').trim_start();
        let negated = negated.strip_prefix("not ").unwrap_or(negated).to_owned();
        self.refuse_in(start, &negated, "`!` takes `in` in parentheses");
        true
    }

    /// Whether `not in` or `!in` is at hand.
    pub(super) fn at_not_in(&self) -> bool {
        self.at_not() && self.ahead.kind == TokenKind::Word("in".into())
    }

    /// Reports `X not in …`.
    pub(super) fn not_in(&mut self, left: Expr) -> Expr {
        let (start, written) = (left.span, self.lexer.slice(left.span).to_owned());
        let sign = self.bump().span.to(self.current.span);
        let message = format!("`{}` is not an operator", self.lexer.slice(sign));
        self.refuse_in(start, &written, &message);
        broken(left)
    }

    /// Reports a negated `in` after `left`, and takes what is on its right; the literal began at `start`.
    fn refuse_in(&mut self, start: Span, left: &str, message: &str) {
        let from = self.current.span.start as usize;
        let right = self.elements(&Expr { kind: ExprKind::Error, span: start });
        let span = self.since(start);
        let fault = if matches!(right.kind, ExprKind::Call(..)) {
            Diagnostic::new(codes::BAD_CONDITION, "`in` of a generator can't be negated")
                .at(span, "negated here")
                .help("derive the elements into a relation of their own, and negate that")
        } else {
            let form = format!("!({left} {})", part(self.text, from..span.end as usize));
            Diagnostic::new(codes::BAD_CONDITION, message).at(span, "negated here").write(span, &form)
        };
        self.fault(fault);
    }

    /// An atom that turned out to be the beginning of an expression.
    fn call_of(&mut self, atom: Atom, start: Span) -> Expr {
        let args = match atom.args {
            Args::Positional(args) => args,
            Args::Named(args) => {
                let message = format!("`{}` takes no named arguments here", atom.relation.name);
                let label = "a function call inside an expression";
                self.report(codes::NAMED_ARGUMENTS, message, atom.span, label, "");
                args.into_iter().map(|(_, value)| value).collect()
            }
        };
        let height = self.height;
        self.node(ExprKind::Call(atom.relation, args), start, height)
    }

    /// Reports `and` and `or` between literals; whether one was there.
    fn refuse_loose(&mut self) -> bool {
        let Some(span) = self.loose.take() else { return false };
        let word = self.lexer.slice(span);
        let help = match word {
            "and" => "put `,` between two literals, or parentheses around the whole condition",
            "or" => "put parentheses around the whole condition, or write a rule for each alternative",
            _ => return false,
        };
        let message = format!("`{word}` is allowed only inside parentheses");
        self.report(codes::LOOSE_CONNECTIVE, message, span, "outside parentheses", help);
        true
    }
}

/// Whether an expression has the form of an atom: a call, but not of `if`.
fn is_atom(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Call(name, _) if name.name.as_str() != "if")
}

/// A call as an atom.
fn atom_of(negated: bool, call: Expr) -> LiteralKind {
    match call.kind {
        ExprKind::Call(relation, args) => {
            let args = Args::Positional(args);
            LiteralKind::Atom {
                negated,
                atom: Atom { relation, args, rest: None, within: None, span: call.span },
            }
        }
        _ => LiteralKind::Condition(call),
    }
}

/// A literal that could not be read.
fn error(span: Span) -> LiteralKind {
    LiteralKind::Condition(Expr { kind: ExprKind::Error, span })
}
