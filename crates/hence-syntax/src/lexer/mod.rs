//! From text to tokens, one at a time; comments and faults are collected on the way.

mod cursor;
mod name;
mod number;
mod operator;
mod string;
mod time;

use hence_core::diagnostic::{Code, Diagnostic};
use hence_core::span::{FileId, Span};
use hence_core::symbol::Symbol;
use hence_core::value::Value;

use super::codes;
use super::faults::Faults;
use super::foreign;
use super::token::{Position, Token, TokenKind};
use super::tree::Comment;

use cursor::Cursor;
pub(super) use name::{snake_case, upper_first};

/// Reads tokens from a text.
pub(super) struct Lexer<'a> {
    cursor: Cursor<'a>,
    file: FileId,
    /// Whether the last token may end a value: then `-` subtracts and `/` divides.
    after_value: bool,
    /// Whether the last token is a word that an expression may follow where the grammar expects it, so that a
    /// `/name` after it is not a division.
    after_opener: bool,
    /// Whether nothing but white space was read on this line.
    line_is_fresh: bool,
    /// Where this line begins.
    line_start: usize,
    seen_nul: bool,
    /// Whether what was passed over last was a comment of another language.
    passed_comment: bool,
    /// Whether the text is one question or fact by itself, in no rule file.
    pub(super) asks: bool,
    /// Whether faults come with the hence form of their line; off while such a form is tried out.
    pub(super) with_help: bool,
    pub(super) comments: Vec<Comment>,
    pub(super) faults: Faults,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(file: FileId, text: &'a str) -> Self {
        let mut cursor = Cursor::new(text);
        cursor.eat("\u{feff}");
        Self {
            cursor,
            file,
            after_value: false,
            after_opener: false,
            line_is_fresh: true,
            line_start: cursor.at(),
            seen_nul: false,
            passed_comment: false,
            asks: false,
            with_help: true,
            comments: Vec::new(),
            faults: Faults::default(),
        }
    }

    /// The next token; at the end of the text [`TokenKind::Eof`], as often as asked.
    pub(super) fn next(&mut self) -> Token {
        let mut after_fault = false;
        loop {
            self.skip_white_space();
            let start = self.cursor.at();
            let position = self.position();
            self.passed_comment = false;
            let kind = match self.cursor.peek() {
                None => Some(TokenKind::Eof),
                Some(first) => self.token(first, start),
            };
            if let Some(kind) = kind {
                self.after_value = kind.ends_value();
                self.after_opener = kind.may_open_expression();
                self.line_is_fresh = false;
                return Token { kind, span: self.span(start), position, after_fault };
            }
            after_fault |= !self.passed_comment;
        }
    }

    /// Goes on at byte `at`, as if a clause had ended there.
    pub(super) fn seek(&mut self, at: usize) {
        self.cursor.seek(at);
        self.line_start = at;
        self.after_value = false;
        self.line_is_fresh = false;
        self.comments.retain(|comment| comment.span.end as usize <= at);
    }

    /// The text of a span.
    pub(super) fn slice(&self, span: Span) -> &'a str {
        let mut cursor = self.cursor;
        cursor.seek(span.end as usize);
        cursor.since(span.start as usize)
    }

    /// The line on which a span begins.
    pub(super) fn line_of(&self, span: Span) -> &'a str {
        self.cursor.line_of(span.start as usize)
    }

    /// The span from byte `start` to where the lexer is.
    fn span(&self, start: usize) -> Span {
        Span::new(self.file, start as u32, self.cursor.at() as u32)
    }

    fn position(&self) -> Position {
        match (self.line_is_fresh, self.cursor.at() == self.line_start) {
            (true, true) => Position::Margin,
            (true, false) => Position::Indented,
            (false, _) => Position::Inside,
        }
    }

    fn skip_white_space(&mut self) {
        while let Some(next) = self.cursor.peek() {
            match next {
                '\n' => {
                    self.cursor.bump();
                    self.line_is_fresh = true;
                    self.line_start = self.cursor.at();
                }
                ' ' | '\t' | '\r' => {
                    self.cursor.bump();
                }
                '#' => self.comment(),
                _ => return,
            }
        }
    }

    fn comment(&mut self) {
        let start = self.cursor.at();
        self.cursor.eat_while(|c| c != '\n');
        let mut span = self.span(start);
        let text = self.cursor.since(start);
        span.end -= (text.len() - text.trim_end().len()) as u32;
        self.comments.push(Comment { span, own_line: self.line_is_fresh });
    }

    /// Reads the token that begins with `first`; none where there was only a fault or a foreign comment.
    fn token(&mut self, first: char, start: usize) -> Option<TokenKind> {
        match first {
            'a'..='z' => Some(self.word(start)),
            'A'..='Z' | '_' => Some(self.variable(start)),
            '0'..='9' => Some(self.number(start)),
            '"' => Some(self.string(start)),
            '\'' => Some(self.single_quoted(start)),
            '@' if self.at_time() => Some(self.time(start)),
            '/' => self.slash(start),
            '.' => Some(self.dot(start)),
            '-' => Some(self.minus(start)),
            '%' if !self.after_value => self.foreign_comment(start, "%"),
            c if c.is_ascii() => self.operator(c, start),
            c => self.not_ascii(c, start),
        }
    }

    /// `.`: the end of a clause, a float without its first digit, or a stray dot.
    fn dot(&mut self, start: usize) -> TokenKind {
        self.cursor.bump();
        let rest = self.cursor.rest();
        match self.cursor.peek() {
            None => TokenKind::End,
            Some(c) if c.is_whitespace() || c == '#' || c == '%' => TokenKind::End,
            Some('.') => self.dots(start),
            Some('/') if rest.starts_with("//") || rest.starts_with("/*") => TokenKind::End,
            Some(c) if c.is_ascii_digit() && !self.after_value => self.float_without_first_digit(start),
            Some(_) => TokenKind::Dot,
        }
    }

    /// `..` as the last of named terms; elsewhere other languages write ranges so.
    fn dots(&mut self, start: usize) -> TokenKind {
        self.cursor.eat_while(|c| c == '.' || c == '=');
        let span = self.span(start);
        if !self.after_value && ends_terms(self.cursor.rest()) {
            if self.slice(span) != ".." {
                let message = format!("unknown operator `{}`", self.slice(span));
                let label = "`..` stands for the columns left out";
                self.mended(codes::FOREIGN_OPERATOR, message, span, label, "..");
            }
            return TokenKind::Rest;
        }
        let rest = self.cursor.rest();
        if self.slice(span).bytes().all(|byte| byte == b'.') && ends_line(rest) && !ends_terms(rest) {
            let message = format!("`{}` at the end of a clause", self.slice(span));
            self.mended(codes::UNEXPECTED, message, span, "one full stop ends a clause", ".");
            return TokenKind::End;
        }
        let label = "a range is `X in range(from, below)`";
        self.fault(codes::FOREIGN_OPERATOR, "unknown operator `..`", span, label, "");
        TokenKind::Broken
    }

    /// `-`: a sign where no value comes before it and a digit after it, else an operator.
    fn minus(&mut self, start: usize) -> TokenKind {
        self.cursor.bump();
        if self.cursor.eat(">") {
            return self.replaced(start, "->", TokenKind::Turnstile);
        }
        let signs = !self.after_value || self.after_opener && self.at_smallest_int();
        if signs && self.cursor.peek().is_some_and(|c| c.is_ascii_digit()) {
            return self.number(start);
        }
        TokenKind::Minus
    }

    /// Whether the current digits are those of the smallest int, which exists only with its sign.
    fn at_smallest_int(&self) -> bool {
        let mut digits = (0..).map_while(|at| self.cursor.byte(at)).filter(|byte| *byte != b'_');
        let same = b"9223372036854775808".iter().all(|digit| digits.next() == Some(*digit));
        same && !digits.next().is_some_and(|byte| byte.is_ascii_digit())
    }

    /// Reports a fault.
    fn fault(&mut self, code: Code, message: impl Into<String>, span: Span, label: &str, help: &str) {
        let fault = Diagnostic::new(code, message).at(span, label);
        self.faults.push(if help.is_empty() { fault } else { fault.help(help) });
    }

    /// Reports a fault that `text` in the place of `span` mends.
    fn mended(&mut self, code: Code, message: impl Into<String>, span: Span, label: &str, text: &str) {
        self.faults.push(Diagnostic::new(code, message).at(span, label).write(span, text));
    }

    /// Adds the hence form of the line where `span` begins, if it is known.
    pub(super) fn with_line(&self, fault: Diagnostic, span: Span) -> Diagnostic {
        let form = if self.with_help { foreign::line(self.line_of(span)) } else { None };
        match form {
            Some(form) => fault.help(format!("write: `{form}`")),
            None => fault,
        }
    }
}

/// Whether what stands between parentheses ends here, perhaps after a comma; white space and comments come first.
fn ends_terms(mut rest: &str) -> bool {
    loop {
        rest = rest.trim_start();
        match rest.strip_prefix('#') {
            Some(comment) => rest = comment.split_once('\n').map_or("", |(_, after)| after),
            None => return rest.starts_with([')', ',']),
        }
    }
}

/// Whether nothing but a comment follows on the line.
fn ends_line(rest: &str) -> bool {
    let line = rest.lines().next().unwrap_or("").trim_start();
    line.is_empty() || line.starts_with('#')
}

/// The token of a literal.
fn literal(value: Value) -> TokenKind {
    TokenKind::Literal(value)
}

/// The token of a text literal.
fn text_literal(text: &str) -> TokenKind {
    literal(Value::String(Symbol::new(text)))
}

/// A text in a message: cut where it is long.
pub(super) fn excerpt(text: &str) -> String {
    const MOST: usize = 40;
    if text.chars().count() <= MOST {
        return text.to_owned();
    }
    text.chars().take(MOST).chain(['…']).collect()
}

/// The fault of a file that is not text.
pub(super) fn nul(span: Span) -> Diagnostic {
    Diagnostic::new(codes::NOT_TEXT, "the file contains a NUL character")
        .at(span, "here")
        .help("a rule file is plain text in UTF-8")
}
