//! Clauses written by habit: the faults of one become one, with the clause as hence has it.

use hence_core::diagnostic::{Code, Diagnostic};
use hence_core::span::Span;
use hence_core::symbol::Symbol;

use super::super::codes;
use super::super::foreign::{self, Habit};
use super::super::token::Position;
use super::super::tree::{Expr, ExprKind, Item, Literal, LiteralKind, Rule};
use super::Parser;
use crate::part;

impl Parser<'_> {
    /// Reports and skips a statement of a language without clauses, if one is at hand.
    pub(super) fn foreign_statement(&mut self) -> bool {
        if !self.with_help || self.current.position == Position::Inside {
            return false;
        }
        let start = self.current.span;
        let faults = self.lexer.faults.len_before(start.start);
        let Some((habit, len)) = foreign::statement(part(self.text, start.start as usize..)) else {
            return false;
        };
        let end = start.start as usize + len;
        let habit = match habit.example.clone() {
            Some(example) if !self.is_clean(&habit.form) => Habit { form: example, ..habit },
            _ => habit,
        };
        let fault = fault(&habit, self.first_line(start.start, end));
        self.lexer.faults.replace(faults, end as u32, fault);
        self.unreadable.extend(head_of(&habit.form));
        self.resume_at(end);
        true
    }

    /// The item that began at `start` and after the fault number `faults`. A rule whose faults come from a habit has one
    /// fault instead of them, and nothing more is to be said of its body.
    pub(super) fn habitual(&mut self, item: Option<Item>, start: Span, faults: usize) -> Option<Item> {
        let mut end = self.last.span.end;
        if self.lexer.faults.len() == faults || !self.with_help || end <= start.start {
            return item;
        }
        let is_rule = matches!(item, None | Some(Item::Rule(_)));
        // Annotations are no part of what is shown.
        let start = match &item {
            Some(Item::Rule(rule)) if rule.head.span.start > start.start => rule.head.span,
            _ => start,
        };
        let text = part(self.text, start.start as usize..end as usize);
        if ["?", "input.", "data."].iter().any(|cut| text.ends_with(cut)) || self.goes_on_after(text, end) {
            // A query ends with `?`, a clause with `.`; what goes on is a choice of values, a field, or a method.
            let line = part(self.text, end as usize..).lines().next().unwrap_or("");
            end += line.len() as u32;
        }
        let hashed = foreign::hashed_line(part(self.text, start.start as usize..));
        if let Some(len) = hashed.and_then(|len| u32::try_from(len).ok()) {
            // What stands behind the `#` was taken for a comment.
            end = start.start + len;
        }
        if is_rule && hashed.is_none() && self.unclosed(start.start, end, faults) {
            return match item {
                Some(Item::Rule(rule)) => Some(Item::Rule(unsaid(rule))),
                _ => None,
            };
        }
        let text = part(self.text, start.start as usize..end as usize);
        let Some(mut habit) = foreign::habit(text).filter(|_| is_rule) else { return item };
        if !text.starts_with('@') && !self.is_clean(&habit.form) {
            // What would be an error itself is not shown.
            habit.form.clear();
        }
        self.flush_deferred(None);
        if end != self.last.span.end {
            self.resume_at(end as usize);
        }
        let fault = fault(&habit, self.first_line(start.start, end as usize));
        let whole = Span::new(self.file, start.start, end);
        let fault = if habit.is_exact && !habit.form.is_empty() && self.is_clean(&habit.form) {
            fault.fix(whole, habit.form.as_str())
        } else {
            fault
        };
        self.lexer.faults.replace(faults, end, fault);
        match item {
            Some(Item::Rule(rule)) if hashed.is_none() && habit.form.starts_with(rule.head.name.as_str()) => {
                Some(Item::Rule(unsaid(rule)))
            }
            _ => {
                self.unreadable.extend(head_of(&habit.form));
                None
            }
        }
    }

    /// Reports a parenthesis that its clause doesn't close, and nothing else of that clause; whether there is one.
    fn unclosed(&mut self, start: u32, end: u32, faults: usize) -> bool {
        let text = part(self.text, start as usize..end as usize);
        let Some(open) = unclosed(text).and_then(|open| u32::try_from(open).ok()) else { return false };
        let open = Span::new(self.file, start + open, start + open + 1);
        let fault = Diagnostic::new(codes::UNBALANCED, "unclosed `(`")
            .at(open, "opened here")
            .help("close it; within parentheses conditions are joined by `and` and `or`");
        let own = |code: Code| self.lexer.faults.iter().skip(faults).find(|fault| fault.code == code);
        // Its parenthesis may be in the string, or beyond what nests too deep.
        if [codes::UNCLOSED_STRING, codes::TOO_DEEP].into_iter().any(|code| own(code).is_some()) {
            return false;
        }
        let fault = own(codes::UNBALANCED).cloned().unwrap_or(fault);
        self.deferred = None;
        self.lexer.faults.replace(faults, end, fault);
        true
    }

    /// Whether a `?` follows, or a `.` after a value takes a field or a method of it.
    fn goes_on_after(&self, text: &str, end: u32) -> bool {
        let after = part(self.text, end as usize..);
        let (value, rest) = match text.strip_suffix('.') {
            Some(value) => (value, after),
            None => (text, after.strip_prefix('.').unwrap_or("")),
        };
        if after.trim_start_matches(' ').starts_with('?') {
            return true;
        }
        let named = rest.starts_with(|c: char| c.is_ascii_lowercase());
        let word = value.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or("");
        named && (value.ends_with('"') || word.starts_with(|c: char| c.is_ascii_uppercase()))
    }

    /// The first line of a clause.
    fn first_line(&self, start: u32, end: usize) -> Span {
        let line = part(self.text, start as usize..end).lines().next().unwrap_or("").trim_end();
        Span::new(self.file, start, start + line.len() as u32)
    }
}

fn fault(habit: &Habit, span: Span) -> Diagnostic {
    let fault = Diagnostic::new(codes::FOREIGN_RULE, habit.message).at(span, "");
    let fault = if habit.form.is_empty() { fault } else { fault.help(format!("write: `{}`", habit.form)) };
    match &habit.beside {
        Some(beside) => fault.help(beside.as_str()),
        None => fault,
    }
}

/// The relation that a rule begins with.
fn head_of(rule: &str) -> Option<Symbol> {
    let (name, _) = rule.split_once('(')?;
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_').then(|| Symbol::new(name))
}

/// The last parenthesis of a clause that nothing closes.
fn unclosed(text: &str) -> Option<usize> {
    let mut open = Vec::new();
    let (mut quoted, mut escaped, mut comment) = (false, false, false);
    for (at, c) in text.char_indices() {
        match c {
            '\n' => (quoted, comment) = (false, false),
            _ if comment => {}
            '"' if !escaped => quoted = !quoted,
            '#' if !quoted => comment = true,
            '(' if !quoted => open.push(at),
            ')' if !quoted => drop(open.pop()),
            _ => {}
        }
        escaped = quoted && c == '\\' && !escaped;
    }
    open.pop()
}

/// A rule of which nothing is known but its head's relation.
fn unsaid(rule: Rule) -> Rule {
    let error = |span: Span| Expr { kind: ExprKind::Error, span };
    let terms = rule.terms.iter().map(|term| error(term.span)).collect();
    let span = rule.span;
    let body = vec![Literal { kind: LiteralKind::Condition(error(span)), span }];
    Rule { terms, body, limit: None, because: None, ..rule }
}
