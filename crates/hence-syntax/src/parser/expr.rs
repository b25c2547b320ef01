//! Expressions, by precedence: `or`, `and`, `not`, comparison, `+ -`, `* / %`, sign.

use hence_core::diagnostic::Diagnostic;
use hence_core::span::Span;
use hence_core::symbol::Symbol;
use hence_core::value::{Float, Value};

use super::super::codes;
use super::super::foreign::variable_form;
use super::super::token::TokenKind;
use super::super::tree::{Args, BinaryOp, Expr, ExprKind, Ident, UnaryOp};
use super::{MAX_DEPTH, Parser};

/// How tightly operators bind.
pub(super) mod level {
    pub(in super::super) const OR: u8 = 1;
    pub(in super::super) const AND: u8 = 2;
    pub(in super::super) const NOT: u8 = 3;
    pub(in super::super) const COMPARE: u8 = 4;
    pub(in super::super) const SUM: u8 = 5;
    pub(in super::super) const PRODUCT: u8 = 6;
    pub(in super::super) const SIGN: u8 = 7;
}

impl Parser<'_> {
    /// Any expression.
    pub(super) fn expr(&mut self) -> Expr {
        self.binary(level::OR)
    }

    /// An expression of operators that bind at least as tightly as `min`.
    pub(super) fn binary(&mut self, min: u8) -> Expr {
        let start = self.current.span;
        let left = if self.at_not() && min <= level::NOT { self.negation() } else { self.unary() };
        self.operators(left, start, min)
    }

    /// Whether the current token is `!` or `not`.
    pub(super) fn at_not(&self) -> bool {
        self.at(TokenKind::Bang) || self.at_word("not")
    }

    /// `not e`, where `e` may be a comparison.
    fn negation(&mut self) -> Expr {
        let start = self.bump().span;
        let operand = self.deeper(|parser| parser.binary(level::NOT));
        self.node(ExprKind::Unary(UnaryOp::Not, Box::new(operand)), start, self.height)
    }

    /// The operators after `left`, which begins at `start`.
    pub(super) fn operators(&mut self, mut left: Expr, start: Span, min: u8) -> Expr {
        while let Some((op, at)) = self.operator().filter(|(_, at)| *at >= min) {
            let height = self.height;
            let sign = self.bump().span;
            if at <= level::AND && self.inside == 0 {
                self.loose.get_or_insert(sign);
            }
            let right = self.binary(at + 1);
            let height = height.max(self.height);
            left = self.node(ExprKind::Binary(op, Box::new(left), Box::new(right)), start, height);
            if at == level::COMPARE && self.refuse_chain(sign) {
                left = broken(left);
            }
        }
        if self.inside > 0 && min <= level::COMPARE && self.at_not_in() {
            let left = self.not_in(left);
            return self.operators(left, start, min);
        }
        if self.inside > 0 && min <= level::COMPARE && self.at_word("in") {
            let height = self.height;
            let right = self.elements(&left);
            let height = height.max(self.height);
            let left = self.node(ExprKind::In(Box::new(left), Box::new(right)), start, height);
            return self.operators(left, start, min);
        }
        left
    }

    /// Reports a second comparison directly after one; whether there was one.
    fn refuse_chain(&mut self, first: Span) -> bool {
        if self.operator().is_none_or(|(_, at)| at != level::COMPARE) {
            return false;
        }
        let fault = Diagnostic::new(codes::CHAINED_COMPARISON, "comparisons don't chain")
            .at(self.current.span, "a second comparison")
            .at(first, "the first one")
            .help("write two literals: `A < B, B < C`");
        self.fault(fault);
        true
    }

    /// Whether an expression goes on after what was read.
    pub(super) fn operator_follows(&self) -> bool {
        match self.current.kind {
            TokenKind::Word(word) => ["and", "or", "in", "is"].contains(&word.as_str()),
            TokenKind::Equal | TokenKind::NotEqual | TokenKind::Less | TokenKind::LessEqual => true,
            TokenKind::Greater | TokenKind::GreaterEqual | TokenKind::Plus | TokenKind::Minus => true,
            TokenKind::Star | TokenKind::Slash | TokenKind::Percent => true,
            _ => false,
        }
    }

    /// The current operator and how tightly it binds.
    pub(super) fn operator(&mut self) -> Option<(BinaryOp, u8)> {
        Some(match self.current.kind {
            TokenKind::Word(word) if word.as_str() == "or" => (BinaryOp::Or, level::OR),
            TokenKind::Word(word) if word.as_str() == "and" => (BinaryOp::And, level::AND),
            TokenKind::DoubleBar => {
                self.foreign_connective(if self.inside > 0 {
                    "inside parentheses, this is `or`"
                } else {
                    "write a rule for each alternative"
                });
                (BinaryOp::Or, level::OR)
            }
            TokenKind::DoubleAnd if self.inside > 0 => {
                self.foreign_connective("inside parentheses, this is `and`");
                (BinaryOp::And, level::AND)
            }
            TokenKind::Equal => (BinaryOp::Equal, level::COMPARE),
            TokenKind::NotEqual => (BinaryOp::NotEqual, level::COMPARE),
            TokenKind::Less => (BinaryOp::Less, level::COMPARE),
            TokenKind::LessEqual => (BinaryOp::LessEqual, level::COMPARE),
            TokenKind::Greater => (BinaryOp::Greater, level::COMPARE),
            TokenKind::GreaterEqual => (BinaryOp::GreaterEqual, level::COMPARE),
            TokenKind::Plus => (BinaryOp::Add, level::SUM),
            TokenKind::Minus => (BinaryOp::Subtract, level::SUM),
            TokenKind::Star => (BinaryOp::Multiply, level::PRODUCT),
            TokenKind::Slash => (BinaryOp::Divide, level::PRODUCT),
            TokenKind::Percent => (BinaryOp::Remainder, level::PRODUCT),
            _ => return None,
        })
    }

    /// Reports `&&` or `||`, once.
    pub(super) fn foreign_connective(&mut self, label: &str) {
        if self.reported_at == Some(self.current.span.start) {
            return;
        }
        let message = format!("unknown operator {}", self.found());
        let fault = Diagnostic::new(codes::FOREIGN_OPERATOR, message).at(self.current.span, label);
        let fault = self.lexer.with_line(fault, self.current.span);
        self.fault(fault);
    }

    /// A sign or `not` before a term, or the term.
    pub(super) fn unary(&mut self) -> Expr {
        let start = self.current.span;
        let op = match self.current.kind {
            TokenKind::Minus => UnaryOp::Negate,
            TokenKind::Bang => UnaryOp::Not,
            TokenKind::Word(word) if word.as_str() == "not" => UnaryOp::Not,
            _ => return self.primary(),
        };
        self.bump();
        if op == UnaryOp::Negate
            && let Some(value) = self.negated_literal()
        {
            self.bump();
            return self.node(ExprKind::Literal(value), start, 0);
        }
        let operand = self.deeper(Self::unary);
        self.node(ExprKind::Unary(op, Box::new(operand)), start, self.height)
    }

    /// The current number with its sign turned, if it has none of its own.
    fn negated_literal(&self) -> Option<Value> {
        match self.current.kind {
            TokenKind::Literal(Value::Int(value)) if value >= 0 => value.checked_neg().map(Value::Int),
            TokenKind::Literal(Value::Duration(value)) if value >= 0 => {
                value.checked_neg().map(Value::Duration)
            }
            TokenKind::Literal(Value::Float(value)) if value.get() >= 0.0 => {
                Float::new(-value.get()).map(Value::Float)
            }
            _ => None,
        }
    }

    /// A variable, literal, parameter, call, or an expression between parentheses.
    fn primary(&mut self) -> Expr {
        let start = self.current.span;
        let called = self.ahead.kind == TokenKind::LeftParen;
        let kind = match self.current.kind {
            TokenKind::Wildcard => ExprKind::Wildcard,
            TokenKind::Variable(_) if called => return self.call(),
            TokenKind::Variable(name) => ExprKind::Variable(name),
            TokenKind::Literal(value) => ExprKind::Literal(value),
            TokenKind::Word(word) => match word.as_str() {
                "true" => ExprKind::Literal(Value::Bool(true)),
                "false" => ExprKind::Literal(Value::Bool(false)),
                _ if called => return self.call(),
                "if" => return self.bare_if(),
                "and" | "or" | "in" => return self.reserved_term(word),
                _ => self.lone_word(word),
            },
            TokenKind::LeftParen => return self.parenthesised(),
            TokenKind::MangleFunction(name) => return self.mangle_call(name),
            TokenKind::LeftBracket => return self.refuse_list(),
            TokenKind::Broken => {
                self.silent = true;
                ExprKind::Error
            }
            _ => return self.no_term(),
        };
        self.bump();
        self.node(kind, start, 0)
    }

    /// A parameter, or in a clause of Soufflé or crepe a variable.
    fn lone_word(&mut self, word: Symbol) -> ExprKind {
        if self.is_souffle && !self.lower_variables {
            self.lower_variables = true;
            let fault =
                Diagnostic::new(codes::FOREIGN_VARIABLE, format!("the variable `{word}` is in lower case"))
                    .at(self.current.span, "variables start with an upper-case letter");
            self.defer(fault, format!("write: `{}`", variable_form(word.as_str())));
        }
        if !self.lower_variables {
            return ExprKind::Ident(word);
        }
        ExprKind::Variable(Symbol::new(&variable_form(word.as_str())))
    }

    /// `if` without its parentheses.
    fn bare_if(&mut self) -> Expr {
        let start = self.current.span;
        let help = "write: `if(condition, value, otherwise)`, or put the condition into the body";
        self.report(codes::BAD_CONDITION, "`if` without parentheses", start, "expected `(` after it", help);
        self.silent = true;
        self.bump();
        self.node(ExprKind::Error, start, 0)
    }

    /// A reserved word where a term was expected.
    fn reserved_term(&mut self, word: Symbol) -> Expr {
        let start = self.current.span;
        let message = format!("expected a term, found `{word}`");
        self.report(codes::RESERVED_WORD, message, start, "a keyword, not a term", "");
        self.bump();
        self.node(ExprKind::Error, start, 0)
    }

    /// Reports that a term was expected here; takes nothing.
    fn no_term(&mut self) -> Expr {
        let span = self.place_of_current();
        if self.last.kind == TokenKind::Comma && self.at_clause_end() {
            self.stray_comma(self.last.span, "another term");
        } else {
            self.expected("a term");
        }
        self.height = 1;
        Expr { kind: ExprKind::Error, span: Span { end: span.start, ..span } }
    }

    /// `(e)`.
    fn parenthesised(&mut self) -> Expr {
        let open = self.bump().span;
        self.inside += 1;
        let expr = self.deeper(Self::expr);
        let height = self.height;
        if !matches!(self.current.kind, TokenKind::RightParen)
            && !self.at_recovery_end()
            && !self.at(TokenKind::Turnstile)
        {
            self.unclosed_group(open);
            self.skip_to_comma(|token| {
                token.kind == TokenKind::RightParen || token.kind == TokenKind::Turnstile
            });
        }
        self.close(TokenKind::RightParen, open);
        self.inside -= 1;
        self.height = height;
        expr
    }

    /// Reports what was found where `)` or an operator was expected.
    fn unclosed_group(&mut self, open: Span) {
        if self.said() {
            return;
        }
        let message = format!("expected `)` or an operator, found {}", self.found());
        let fault =
            Diagnostic::new(codes::UNEXPECTED, message).at(self.current.span, "").at(open, "opened here");
        let comma = self.at(TokenKind::Comma);
        let help =
            "parentheses hold one condition, joined by `and` and `or`; separate literals with `,` instead";
        self.fault(if comma { fault.help(help) } else { fault });
    }

    /// `f(e, …)`, perhaps in upper case.
    fn call(&mut self) -> Expr {
        let start = self.current.span;
        let Some(name) = self.callee("function") else { return self.no_term() };
        let args = self.args();
        let height = self.height;
        let args = match args {
            Args::Positional(args) => args,
            Args::Named(args) => {
                let help = "only the atoms of relations take named arguments";
                let message = format!("`{}` takes no named arguments here", name.name);
                self.report(codes::NAMED_ARGUMENTS, message, name.span, "called inside an expression", help);
                args.into_iter().map(|(_, value)| value).collect()
            }
        };
        self.node(ExprKind::Call(name, args), start, height)
    }

    /// `fn:plus(X, 1)` of Mangle.
    fn mangle_call(&mut self, name: Symbol) -> Expr {
        let start = self.bump().span;
        let fault = Diagnostic::new(codes::FOREIGN_CALL, format!("unknown function `{name}`"))
            .at(start, "functions have no prefix, and arithmetic uses operators");
        let fault = self.lexer.with_line(fault, start);
        self.fault(fault);
        if self.at(TokenKind::LeftParen) {
            self.args();
        }
        self.node(ExprKind::Error, start, 0)
    }

    /// Reads with one more production open; where too many are, reports that and reads nothing.
    pub(super) fn deeper(&mut self, read: impl FnOnce(&mut Self) -> Expr) -> Expr {
        if self.depth >= MAX_DEPTH {
            self.too_deep(self.current.span);
            self.height = 1;
            return Expr { kind: ExprKind::Error, span: self.current.span };
        }
        self.depth += 1;
        let expr = read(self);
        self.depth -= 1;
        expr
    }

    fn too_deep(&mut self, span: Span) {
        let message = format!("expression nested more than {MAX_DEPTH} levels deep");
        let help = "split it over several rules, or bind parts of it with `X = …`";
        self.report(codes::TOO_DEEP, message, span, "one level too many", help);
        self.silent = true;
    }

    /// An expression from `start` to the last token, over parts of `height` levels.
    pub(super) fn node(&mut self, kind: ExprKind, start: Span, height: u32) -> Expr {
        let span = self.since(start);
        self.height = height + 1;
        if self.height <= MAX_DEPTH {
            return Expr { kind, span };
        }
        self.too_deep(self.last.span);
        self.height = 1;
        Expr { kind: ExprKind::Error, span }
    }

    /// The name of a relation or function before its parentheses; one in upper case is reported.
    pub(super) fn callee(&mut self, what: &str) -> Option<Ident> {
        match self.current.kind {
            TokenKind::Variable(name) => Some(self.upper_case_callee(name, what)),
            TokenKind::Word(name) if name.as_str() == "if" && what == "function" => {
                Some(Ident { name, span: self.bump().span })
            }
            _ => self.name(what),
        }
    }
}

/// The expression as part of one that was reported, so that nothing more is said of it but its variables are known.
pub(super) fn broken(expr: Expr) -> Expr {
    let span = expr.span;
    let error = Expr { kind: ExprKind::Error, span };
    Expr { kind: ExprKind::Binary(BinaryOp::Equal, Box::new(expr), Box::new(error)), span }
}
