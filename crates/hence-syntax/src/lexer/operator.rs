//! Operators and punctuation, those of other languages included.

use crate::part;
use hence_core::diagnostic::Diagnostic;
use hence_core::span::Span;
use hence_core::symbol::Symbol;

use super::super::codes;
use super::super::foreign::{type_name, variable_form};
use super::super::token::{TYPES, TokenKind};
use super::{Lexer, nul};

/// Operators of other languages that have one of our own: theirs, ours, longest first.
const REPLACED: [(&str, TokenKind); 16] = [
    ("=:=", TokenKind::Equal),
    ("=\\=", TokenKind::NotEqual),
    ("\\==", TokenKind::NotEqual),
    ("===", TokenKind::Equal),
    ("!==", TokenKind::NotEqual),
    ("==", TokenKind::Equal),
    ("=<", TokenKind::LessEqual),
    ("=>", TokenKind::GreaterEqual),
    ("<>", TokenKind::NotEqual),
    ("\\=", TokenKind::NotEqual),
    ("\\+", TokenKind::Bang),
    (":=", TokenKind::Equal),
    ("<-", TokenKind::Turnstile),
    ("<=>", TokenKind::Equal),
    ("**", TokenKind::Star),
    ("^", TokenKind::Star),
];

/// Our operators and those that only the parser can judge, longest first.
const OPERATORS: [(&str, TokenKind); 29] = [
    (":-", TokenKind::Turnstile),
    ("<=", TokenKind::LessEqual),
    (">=", TokenKind::GreaterEqual),
    ("!=", TokenKind::NotEqual),
    ("&&", TokenKind::DoubleAnd),
    ("||", TokenKind::DoubleBar),
    ("|>", TokenKind::Pipe),
    ("(", TokenKind::LeftParen),
    (")", TokenKind::RightParen),
    ("{", TokenKind::LeftBrace),
    ("}", TokenKind::RightBrace),
    ("[", TokenKind::LeftBracket),
    ("]", TokenKind::RightBracket),
    (",", TokenKind::Comma),
    (":", TokenKind::Colon),
    ("|", TokenKind::Bar),
    ("~", TokenKind::Tilde),
    ("@", TokenKind::At),
    ("+", TokenKind::Plus),
    ("*", TokenKind::Star),
    ("%", TokenKind::Percent),
    ("=", TokenKind::Equal),
    ("<", TokenKind::Less),
    (">", TokenKind::Greater),
    ("!", TokenKind::Bang),
    (";", TokenKind::Semicolon),
    ("&", TokenKind::DoubleAnd),
    ("?-", TokenKind::Broken),
    ("?", TokenKind::Broken),
];

/// How people type what the keyboard lacks: theirs, and what to write.
const LOOKALIKES: [(char, &str, TokenKind); 15] = [
    ('≤', "<=", TokenKind::LessEqual),
    ('≥', ">=", TokenKind::GreaterEqual),
    ('≠', "!=", TokenKind::NotEqual),
    ('−', "-", TokenKind::Minus),
    ('–', "-", TokenKind::Minus),
    ('×', "*", TokenKind::Star),
    ('·', "*", TokenKind::Star),
    ('÷', "/", TokenKind::Slash),
    ('←', ":-", TokenKind::Turnstile),
    ('⇐', ":-", TokenKind::Turnstile),
    ('¬', "!", TokenKind::Bang),
    ('∧', ",", TokenKind::Comma),
    ('，', ",", TokenKind::Comma),
    ('。', ".", TokenKind::End),
    ('：', ":", TokenKind::Colon),
];

impl Lexer<'_> {
    /// Punctuation in ASCII.
    pub(super) fn operator(&mut self, first: char, start: usize) -> Option<TokenKind> {
        let less_than_negative = self.cursor.rest().starts_with("<-")
            && self.after_value
            && self.cursor.byte(2).is_some_and(|b| b.is_ascii_digit());
        if !less_than_negative {
            let found = REPLACED.iter().find(|(text, _)| self.cursor.rest().starts_with(text));
            if let Some((text, kind)) = found {
                self.cursor.eat(text);
                return Some(self.replaced(start, text, *kind));
            }
        }
        match OPERATORS.iter().find(|(text, _)| self.cursor.rest().starts_with(text)) {
            Some((text, kind)) => {
                self.cursor.eat(text);
                if *kind == TokenKind::Broken { self.question(start) } else { Some(*kind) }
            }
            None => {
                self.unexpected(first, start);
                None
            }
        }
    }

    /// Reports an operator of another language and returns ours.
    pub(super) fn replaced(&mut self, start: usize, theirs: &str, ours: TokenKind) -> TokenKind {
        let span = self.span(start);
        let advice = match theirs {
            "<-" | "->" => "the body of a rule follows `:-`",
            "\\+" => "negation is `!`",
            "=" | "==" | "===" | "=:=" | ":=" | "<=>" => "equality and binding are `=`",
            "=<" => "less than or equal is `<=`",
            "=>" => "greater than or equal is `>=`",
            "**" | "^" => "powers are written `pow(base, exponent)`",
            _ => "inequality is `!=`",
        };
        let fault =
            Diagnostic::new(codes::FOREIGN_OPERATOR, format!("unknown operator `{theirs}`")).at(span, advice);
        let fault = self.with_line(fault, span);
        let before = self.line_of(span).get(..start - self.line_start).unwrap_or("").trim_end();
        let ours_there = match theirs {
            ":=" if !before.contains(":-") => Some(":-").filter(|_| before.ends_with(')')),
            _ => ours.written(),
        };
        self.faults.push(match ours_there {
            Some(text) => fault.fix(span, text),
            None => fault,
        });
        ours
    }

    /// `?x` of Nemo, or a query.
    fn question(&mut self, start: usize) -> Option<TokenKind> {
        if self.after_type(start) {
            let span = self.span(start);
            let fault = Diagnostic::new(codes::BAD_DECLARATION, "a column has a value in every fact")
                .at(span, "unexpected `?`")
                .help("remove it; a column that facts may leave out has a default, such as `tag: string = \"\"`")
                .fix(span, "");
            self.faults.push(fault);
            return None;
        }
        let named = self.cursor.peek().is_some_and(|c| c.is_ascii_alphabetic());
        if self.after_value || !named {
            return self.query(start);
        }
        let name = variable_form(self.cursor.eat_while(|c| c.is_ascii_alphanumeric() || c == '_'));
        let message = format!("`{}` is not a variable", self.cursor.since(start));
        let label = "a variable starts with an upper-case letter";
        self.mended(codes::FOREIGN_VARIABLE, message, self.span(start), label, &name);
        Some(TokenKind::Variable(Symbol::new(&name)))
    }

    /// Whether the name of a column ends before byte `start` and `:` follows, or its type and another column or `)`.
    fn after_type(&self, start: usize) -> bool {
        let before = self.line_of(self.span(start)).get(..start - self.line_start).unwrap_or("");
        let word = before.rsplit(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or("");
        let column = before.strip_suffix(word).unwrap_or("").trim_end();
        let after_name = column.ends_with(['(', ',']) && self.cursor.rest().starts_with(':');
        let follows = self.cursor.rest().trim_start().starts_with([',', ')', '=']);
        after_name || follows && column.ends_with(':') && TYPES.contains(&type_name(word))
    }

    /// `?-`, as Prolog asks.
    fn query(&mut self, start: usize) -> Option<TokenKind> {
        let span = self.span(start);
        let line = self.line_of(span);
        if self.asks {
            return self.question_mark(span, line);
        }
        self.cursor.eat_while(|c| c != '\n');
        let query =
            line.trim_start().trim_start_matches("?-").trim_start_matches('?').trim().trim_end_matches('.');
        let fault =
            Diagnostic::new(codes::FOREIGN_RULE, "a rule file can't contain queries").at(span, "a query");
        let asks = line.trim_start().starts_with('?') && !query.is_empty() && !query.contains('\'');
        self.faults.push(if asks { fault.help(format!("run `hence query '{query}'`")) } else { fault });
        None
    }

    /// Reports a `?` where the command asks already.
    fn question_mark(&mut self, span: Span, line: &str) -> Option<TokenKind> {
        let asked = line.trim().trim_start_matches("?-").trim_end_matches(['?', '.', ' ']).trim_start();
        let fault = Diagnostic::new(codes::FOREIGN_RULE, "unexpected `?`");
        self.faults.push(if asked.contains('?') {
            fault.at(span, "unknown operator").help("a choice of values is `if(condition, value, otherwise)`")
        } else {
            fault.at(span, "not needed here").help(format!("leave it out: `{asked}`"))
        });
        None
    }

    /// A comment of another language: read, reported, and otherwise passed over.
    pub(super) fn foreign_comment(&mut self, start: usize, opening: &str) -> Option<TokenKind> {
        self.cursor.eat(opening);
        let body = if opening == "/*" {
            let rest = self.cursor.rest();
            let len = rest.find("*/").unwrap_or(rest.len());
            self.cursor.seek(self.cursor.at() + len);
            self.cursor.eat("*/");
            self.track_lines(start);
            part(rest, ..len)
        } else {
            self.cursor.eat_while(|c| c != '\n')
        };
        let first_line = body.trim_matches(['*', '/', '!', '%', ' ']).lines().next().unwrap_or("").trim();
        let message = format!("`{opening}` does not start a comment");
        let mut span = self.span(start);
        span.end = span.end.min(span.start + opening.len() as u32);
        let fault = Diagnostic::new(codes::FOREIGN_COMMENT, message)
            .at(span, "a comment starts with `#` and runs to the end of its line")
            .help(format!("write: `# {first_line}`"));
        self.faults.push(if opening == "/*" { fault } else { fault.fix(span, "#") });
        self.passed_comment = true;
        None
    }

    /// Takes note of line ends since `start`.
    fn track_lines(&mut self, start: usize) {
        if let Some(last) = self.cursor.since(start).rfind('\n') {
            self.line_start = start + last + 1;
            self.line_is_fresh = true;
        }
    }

    /// A character that is not ASCII, outside strings and comments.
    pub(super) fn not_ascii(&mut self, c: char, start: usize) -> Option<TokenKind> {
        if c.is_alphabetic() {
            return Some(if c.is_uppercase() { self.variable(start) } else { self.word(start) });
        }
        if "“”„".contains(c) {
            self.cursor.bump();
            return Some(self.curly_quoted(start));
        }
        let known = LOOKALIKES.iter().find(|(theirs, _, _)| *theirs == c);
        let Some((_, ours, kind)) = known else {
            self.unexpected(c, start);
            return None;
        };
        self.cursor.bump();
        let fault = Diagnostic::new(codes::UNEXPECTED_CHARACTER, format!("unexpected character `{c}`"))
            .at(self.span(start), "looks like an operator but isn't one")
            .write(self.span(start), ours);
        self.faults.push(fault);
        Some(*kind)
    }

    /// Reports a character that begins nothing; a run of it counts once.
    fn unexpected(&mut self, c: char, start: usize) {
        self.cursor.eat_while(|next| next == c);
        let span = self.span(start);
        if c == '\0' {
            if !self.seen_nul {
                self.faults.push(nul(span));
            }
            self.seen_nul = true;
            return;
        }
        let shown = if c.is_control() || c.is_whitespace() || c == '\u{feff}' {
            format!("U+{:04X}", c as u32)
        } else {
            c.to_string()
        };
        let message = format!("unexpected character `{shown}`");
        let (label, help) = match c {
            '\u{feff}' => ("a byte order mark may appear only at the start of a file", "remove it"),
            '\\' => ("unknown operator", "negation is `!`, inequality is `!=`"),
            '$' => {
                ("unknown operator", "variables start with an upper-case letter, parameters are plain words")
            }
            c if c.is_whitespace() => ("white space is spaces, tabs and newlines", "write a space"),
            _ => ("no token starts with this character", ""),
        };
        self.fault(codes::UNEXPECTED_CHARACTER, message, span, label, help);
    }
}
