//! Times: `@2026-02-03T14:23:45Z`.

use hence_core::diagnostic::Diagnostic;
use hence_core::literal::{NO_TIME, is_time_form, parse_time, rfc3339_len, time_text};
use hence_core::value::Value;

use super::super::codes;
use super::super::token::TokenKind;
use super::{Lexer, literal};

impl Lexer<'_> {
    /// Whether the current `@` begins a time and no annotation: a digit follows, or a sign and a digit.
    pub(super) fn at_time(&self) -> bool {
        let year = if self.cursor.byte(1) == Some(b'-') { 2 } else { 1 };
        self.cursor.byte(year).is_some_and(|byte| byte.is_ascii_digit())
    }

    /// A time; see [`Lexer::at_time`].
    pub(super) fn time(&mut self, start: usize) -> TokenKind {
        self.cursor.bump();
        let rest = self.cursor.rest();
        match rfc3339_len(rest)
            .and_then(|len| rest.get(..len))
            .filter(|text| goes_no_further(rest, text.len()))
        {
            Some(text) => {
                self.cursor.seek(self.cursor.at() + text.len());
                match parse_time(text) {
                    Some(micros) => literal(Value::Time(micros)),
                    None => self.no_time(start),
                }
            }
            None => {
                self.eat_loosely();
                self.no_time(start)
            }
        }
    }

    /// Reads what looks like a time.
    fn eat_loosely(&mut self) {
        loop {
            self.cursor.eat_while(|c| c.is_ascii_alphanumeric() || "-:+".contains(c));
            let point = self.cursor.byte(0) == Some(b'.');
            if !(point && self.cursor.byte(1).is_some_and(|b| b.is_ascii_digit())) {
                return;
            }
            self.cursor.bump();
        }
    }

    fn no_time(&mut self, start: usize) -> TokenKind {
        let text = self.cursor.since(start);
        let label = "a time is written as RFC 3339, such as `@2026-02-03T14:23:45Z`";
        let fault =
            Diagnostic::new(codes::BAD_TIME, format!("`{text}` is not a time")).at(self.span(start), label);
        let bare = text.trim_start_matches('@');
        let short = bare.trim_end_matches('Z');
        let found = [format!("{bare}Z"), format!("{bare}T00:00:00Z"), format!("{short}:00Z")]
            .into_iter()
            .find_map(|form| is_time_form(&form).then(|| parse_time(&form)).flatten());
        self.faults.push(match found {
            Some(micros) => fault.write(self.span(start), &format!("@{}", time_text(micros))),
            None if is_time_form(bare) => fault.note(NO_TIME),
            None => fault,
        });
        TokenKind::Broken
    }
}

/// Whether the time does not go on where its form is complete.
fn goes_no_further(rest: &str, len: usize) -> bool {
    !rest.get(len..).is_some_and(|after| after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == ':'))
}
