//! Words, variables and `/names`.

use hence_core::diagnostic::Diagnostic;
use hence_core::literal::is_name;
use hence_core::symbol::Symbol;
use hence_core::value::Value;

use super::super::codes;
use super::super::token::TokenKind;
use super::{Lexer, literal};
use crate::part;

/// What is before the `.` and the name of a relation as it was recorded, in the rules of a migration.
const OLD: &str = "old";

/// Whether `c` may go on a word; letters that are not ASCII go on it too, and are then reported.
fn continues_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

impl Lexer<'_> {
    /// A lower-case word, the beginning of a raw string, or a function of Mangle.
    pub(super) fn word(&mut self, start: usize) -> TokenKind {
        if let Some(hashes) = self.raw_string_ahead() {
            return self.raw_string(start, hashes);
        }
        let word = self.cursor.eat_while(continues_word);
        if word == "fn" && self.cursor.byte(1).is_some_and(|b| b.is_ascii_lowercase()) && self.cursor.eat(":")
        {
            self.cursor.eat_while(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == ':');
            return TokenKind::MangleFunction(Symbol::new(self.cursor.since(start)));
        }
        if word == OLD && self.cursor.byte(1).is_some_and(|b| b.is_ascii_lowercase()) && self.cursor.eat(".")
        {
            self.cursor.eat_while(continues_word);
        }
        self.check_letters(start);
        TokenKind::Word(Symbol::new(self.cursor.since(start)))
    }

    /// A variable or `_`.
    pub(super) fn variable(&mut self, start: usize) -> TokenKind {
        let word = self.cursor.eat_while(continues_word);
        if word == "_" {
            return TokenKind::Wildcard;
        }
        let letters = word.trim_start_matches('_');
        if word.starts_with('_')
            && (word.starts_with("__") || !letters.starts_with(|c: char| c.is_ascii_uppercase()))
        {
            let message = format!("`{word}` is not a variable");
            let label = "a variable starts with an upper-case letter, or with `_` and an upper-case letter";
            let span = self.span(start);
            match variable_form(letters) {
                Some(form) => self.mended(codes::BAD_WORD, message, span, label, &form),
                None => {
                    let help =
                        "write: `_`, or a name of `A` to `Z`, `a` to `z`, digits and `_`, such as `_X`";
                    self.fault(codes::BAD_WORD, message, span, label, help);
                }
            }
            return TokenKind::Variable(Symbol::new(word));
        }
        self.check_letters(start);
        TokenKind::Variable(Symbol::new(word))
    }

    /// Reports a word that has other letters than ASCII.
    fn check_letters(&mut self, start: usize) {
        let word = self.cursor.since(start);
        if let Some(odd) = word.chars().find(|c| !c.is_ascii()) {
            let message = format!("`{word}` contains the letter `{odd}`");
            let label = "relations, columns and variables are written with `a` to `z`, digits and `_`";
            self.fault(codes::BAD_WORD, message, self.span(start), label, "");
        }
    }

    /// `/`: a name, a division, or a comment of another language.
    pub(super) fn slash(&mut self, start: usize) -> Option<TokenKind> {
        let next = self.cursor.byte(1);
        match next {
            Some(b'/') if self.after_value && self.divides() => {
                self.cursor.eat("//");
                let label = "ints are divided by `/`, towards zero";
                self.mended(codes::FOREIGN_OPERATOR, "unknown operator `//`", self.span(start), label, "/");
                Some(TokenKind::Slash)
            }
            Some(b'/') => self.foreign_comment(start, "//"),
            Some(b'*') => self.foreign_comment(start, "/*"),
            Some(b) if b.is_ascii_lowercase() && (!self.after_value || self.after_opener) => {
                Some(self.name(start))
            }
            None | Some(b' ' | b'\t' | b'\r' | b'\n') => {
                self.cursor.bump();
                Some(TokenKind::Slash)
            }
            Some(_) => Some(self.tight_slash(start)),
        }
    }

    /// Whether what follows `//` can be divided by.
    fn divides(&self) -> bool {
        let after = part(self.cursor.rest(), 2..).trim_start_matches(' ');
        let mut letters = after.chars();
        let first = letters.next().is_some_and(|c| c.is_ascii_digit() || c.is_ascii_uppercase());
        first && !letters.next().is_some_and(|c| c.is_ascii_lowercase())
    }

    /// A `/` without a space after it where only a division can be, or nothing can.
    fn tight_slash(&mut self, start: usize) -> TokenKind {
        if !self.after_value {
            return self.name_in_upper_case(start);
        }
        self.cursor.bump();
        let span = self.span(start);
        let after = self.cursor.peek().is_some_and(|c| c.is_ascii_lowercase());
        let message =
            if after { "a name directly after a value" } else { "a division without a space after its `/`" };
        let fault = Diagnostic::new(codes::DIVISION_SPACING, message)
            .at(span, "`/` followed by a space divides")
            .help(self.spaced_division(start))
            .fix(span, " / ");
        self.faults.push(fault);
        TokenKind::Slash
    }

    /// How to write the line with spaces around the `/` at `start`; of a long line only its neighbours, where they are
    /// words.
    fn spaced_division(&self, start: usize) -> String {
        let mut before = self.cursor;
        before.seek(start);
        let left = before.since(self.line_start).trim();
        let right = self.cursor.rest().lines().next().unwrap_or("").trim();
        if left.len() + right.len() <= 160 {
            return format!("write: `{left} / {right}`");
        }
        let left = left.rsplit(|c| !continues_word(c)).next().unwrap_or("");
        let right = right.split(|c| !continues_word(c)).next().unwrap_or("");
        match left.is_empty() || right.is_empty() {
            true => String::from("put a space on both sides of the `/`"),
            false => format!("write: `{left} / {right}`"),
        }
    }

    /// A name; a full stop at its end is left for the end of the clause.
    fn name(&mut self, start: usize) -> TokenKind {
        self.eat_segments();
        let text = self.cursor.since(start);
        let tail = text.len() - text.trim_end_matches('.').len();
        self.cursor.seek(self.cursor.at() - tail);
        let text = self.cursor.since(start);
        let next = self.cursor.peek().filter(|c| continues_word(*c) || *c == '/');
        if tail == 0 && next.is_some_and(|c| c != '/' || self.slash_ends_name()) || !is_name(text) {
            return self.bad_name(start);
        }
        literal(Value::Name(Symbol::new(text)))
    }

    /// Reads the segments of a name, slashes included.
    fn eat_segments(&mut self) {
        let in_segment = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_.-".contains(c);
        while self.cursor.peek() == Some('/') {
            let before = self.cursor.at();
            self.cursor.bump();
            if self.cursor.eat_while(in_segment).is_empty() {
                self.cursor.seek(before);
                return;
            }
        }
    }

    /// Whether the current `/` is a superfluous slash rather than a division.
    fn slash_ends_name(&self) -> bool {
        !matches!(self.cursor.byte(1), Some(b'/' | b'*'))
    }

    /// `/Error`, or another `/` where a value is expected.
    fn name_in_upper_case(&mut self, start: usize) -> TokenKind {
        if self.cursor.byte(1).is_some_and(|b| b.is_ascii_alphanumeric() || b >= 0x80 || b == b'_') {
            return self.bad_name(start);
        }
        self.cursor.bump();
        TokenKind::Slash
    }

    /// Reports a name with letters or an end that no name has, and reads all of it.
    fn bad_name(&mut self, start: usize) -> TokenKind {
        self.cursor.eat_while(|c| continues_word(c) || c == '/' || c == '-');
        let text = self.cursor.since(start);
        let fault = Diagnostic::new(codes::BAD_NAME, format!("`{text}` is not a name")).at(
            self.span(start),
            "a name is `/` and a lower-case letter, then `a` to `z`, digits, `_`, `.`, `-`, and segments after `/`",
        );
        let form = name_form(text);
        self.faults.push(if is_name(&form) { fault.write(self.span(start), &form) } else { fault });
        literal(Value::Name(Symbol::new(text)))
    }
}

/// The variable that `_` and a text were probably meant to be: `_tool` is `_Tool`, `_3` is `_X3`; none where it has
/// letters that no variable has.
fn variable_form(letters: &str) -> Option<String> {
    let digits = if letters.starts_with(|c: char| c.is_ascii_digit()) { "X" } else { "" };
    letters.is_ascii().then(|| format!("_{digits}{}", upper_first(letters)))
}

/// The name that a text was probably meant to be: `/SyntaxError/` is `/syntax_error`.
fn name_form(text: &str) -> String {
    let segments: Vec<_> = text.split('/').filter(|part| !part.is_empty()).map(snake_case).collect();
    format!("/{}", segments.join("/"))
}

/// `ToolRun` as `tool_run`.
pub(crate) fn snake_case(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 4);
    let mut before = None;
    for c in text.chars() {
        let was_lower = before.is_some_and(|b: char| b.is_lowercase() || b.is_ascii_digit());
        if c.is_uppercase() && was_lower {
            out.push('_');
        }
        out.extend(c.to_lowercase());
        before = Some(c);
    }
    out
}

/// A word with its first letter in upper case.
pub(crate) fn upper_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
