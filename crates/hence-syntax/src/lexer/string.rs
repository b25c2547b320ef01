//! Strings, raw strings, and the quotes of other languages.

use crate::part;
use hence_core::diagnostic::Diagnostic;
use hence_core::literal::quoted;

use super::super::codes;
use super::super::token::TokenKind;
use super::{Lexer, excerpt, text_literal};

impl Lexer<'_> {
    /// `"…"`.
    pub(super) fn string(&mut self, start: usize) -> TokenKind {
        self.cursor.bump();
        let mut text = String::new();
        loop {
            text.push_str(self.cursor.eat_while(|c| c != '"' && c != '\\' && c != '\n'));
            match self.cursor.peek() {
                None | Some('\n') => return self.unclosed(start, "\""),
                Some('"') => {
                    self.cursor.bump();
                    return text_literal(&text);
                }
                Some(_) => {
                    if let Some(c) = self.escape(start) {
                        text.push(c);
                    }
                }
            }
        }
    }

    /// Reads an escape; the string began at `start`.
    fn escape(&mut self, start: usize) -> Option<char> {
        let at = self.cursor.at();
        self.cursor.bump();
        let letter = self.cursor.peek().filter(|c| *c != '\n')?;
        self.cursor.bump();
        match letter {
            'n' => Some('\n'),
            't' => Some('\t'),
            'r' => Some('\r'),
            '"' => Some('"'),
            '\\' => Some('\\'),
            'u' if self.cursor.eat("{") => self.code_point(at),
            other => {
                self.bad_escape(at, other, start);
                Some(other)
            }
        }
    }

    /// `\u{1F600}`; the brace was read already.
    fn code_point(&mut self, at: usize) -> Option<char> {
        let digits = self.cursor.eat_while(|c| c.is_ascii_alphanumeric());
        let closed = self.cursor.eat("}");
        let c = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
        if closed && c.is_some() && digits.len() <= 6 {
            return c;
        }
        let message = format!("`{}` is not a character", self.cursor.since(at));
        let label = "`\\u{…}` takes one to six hexadecimal digits of a Unicode scalar value";
        self.fault(codes::BAD_ESCAPE, message, self.span(at), label, "");
        None
    }

    fn bad_escape(&mut self, at: usize, letter: char, start: usize) {
        let message = format!("unknown escape `\\{letter}`");
        let label = "the escapes are `\\n \\t \\r \\\" \\\\ \\u{…}`";
        let fault = Diagnostic::new(codes::BAD_ESCAPE, message).at(self.span(at), label);
        let whole = self.cursor.since(start).trim_start_matches('"');
        let rest = self.cursor.rest();
        let end = rest.find(['"', '\n']).unwrap_or(rest.len());
        let whole = format!("{whole}{}", part(rest, ..end));
        let fault = if whole.ends_with('\\') || whole.contains("\\\\") || whole.contains("\\\"") {
            let help = format!("write `\\\\{letter}` for a backslash and `{letter}`");
            fault.help(help).fix(self.span(at), format!("\\\\{letter}"))
        } else {
            let help = format!("write `\\\\{letter}`, or make it a raw string: `r\"{}\"`", excerpt(&whole));
            fault.help(help).fix(self.span(at), format!("\\\\{letter}"))
        };
        self.faults.push(fault);
    }

    /// How many `#` are between `r` and `"`, where a raw string begins here.
    pub(super) fn raw_string_ahead(&self) -> Option<usize> {
        let rest = self.cursor.rest().strip_prefix('r')?;
        let hashes = rest.len() - rest.trim_start_matches('#').len();
        rest.trim_start_matches('#').starts_with('"').then_some(hashes)
    }

    /// `r"…"`, `r#"…"#`.
    pub(super) fn raw_string(&mut self, start: usize, hashes: usize) -> TokenKind {
        self.cursor.seek(start + 1 + hashes + 1);
        let close = format!("\"{}", "#".repeat(hashes));
        let rest = self.cursor.rest();
        let line = rest.split('\n').next().unwrap_or("");
        let Some(len) = line.find(&close) else {
            self.cursor.eat_while(|c| c != '\n');
            return self.unclosed(start, &close);
        };
        let text = part(line, ..len);
        self.cursor.seek(self.cursor.at() + len + close.len());
        text_literal(text)
    }

    /// Reports a string that its line does not close; the lexer is at the end of that line.
    fn unclosed(&mut self, start: usize, close: &str) -> TokenKind {
        let mut span = self.span(start);
        span.end -= u32::from(self.cursor.since(start).ends_with('\r'));
        let help = format!("close it with `{close}` on the same line; a line break inside is written `\\n`");
        self.fault(codes::UNCLOSED_STRING, "unterminated string", span, "starts here", &help);
        TokenKind::Broken
    }

    /// `'…'`, as other languages quote.
    pub(super) fn single_quoted(&mut self, start: usize) -> TokenKind {
        self.cursor.bump();
        let text = self.cursor.eat_while(|c| c != '\'' && c != '\n');
        let closed = self.cursor.eat("'");
        self.foreign_quotes(start, text);
        if closed { text_literal(text) } else { TokenKind::Broken }
    }

    /// `“…”`, as word processors quote; the opening quote was read already.
    pub(super) fn curly_quoted(&mut self, start: usize) -> TokenKind {
        let text = self.cursor.eat_while(|c| !"”“„\n".contains(c));
        let closed = self.cursor.peek().is_some_and(|c| c != '\n');
        if closed {
            self.cursor.bump();
        }
        self.foreign_quotes(start, text);
        if closed { text_literal(text) } else { TokenKind::Broken }
    }

    fn foreign_quotes(&mut self, start: usize, text: &str) {
        let span = self.span(start);
        let form = quoted(text.trim_end_matches('\r'));
        self.mended(
            codes::FOREIGN_QUOTES,
            "strings use double quotes",
            span,
            "unknown quotation mark",
            &form,
        );
    }
}
