//! Types of columns and parameters, and closed sets of names.

use hence_core::diagnostic::Diagnostic;
use hence_core::span::Span;
use hence_core::symbol::Symbol;
use hence_core::value::Value;

use super::super::codes;
use super::super::foreign::type_name;
use super::super::token::TokenKind;
use super::super::tree::{Ident, TypeExpr};
use super::Parser;

/// What is said of a type with nothing in it.
const ABSENT: &str = "a column that facts may leave out has a default, such as `tag: string = \"\"`; or it is a relation of its own";

impl Parser<'_> {
    /// `int`, the name of a closed set, or `/low | /high`. None where neither is there.
    pub(super) fn type_expr(&mut self) -> Option<TypeExpr> {
        let start = self.current.span;
        match self.current.kind {
            TokenKind::Word(name)
                if matches!(self.ahead.kind, TokenKind::Less | TokenKind::LeftBracket)
                    && self.ahead.span.start == start.end =>
            {
                self.foreign_list_type(name)
            }
            TokenKind::Word(name) => {
                self.bump();
                let ty = Ident { name, span: start };
                self.refuse_union(ty);
                Some(TypeExpr::Named(ty))
            }
            TokenKind::LeftBracket => self.list_type(),
            TokenKind::Literal(Value::Name(_)) => {
                let members = self.members();
                Some(TypeExpr::Set(members, self.since(start)))
            }
            TokenKind::Variable(name)
                if matches!(self.ahead.kind, TokenKind::Less | TokenKind::LeftBracket)
                    && self.ahead.span.start == start.end =>
            {
                if name.as_str() == "Optional" {
                    self.optional()
                } else {
                    self.foreign_list_type(name)
                }
            }
            TokenKind::Variable(name) => {
                let form = match type_name(name.as_str()) {
                    same if same == name.as_str() => name.as_str().to_lowercase(),
                    other => other.to_owned(),
                };
                let message = format!("unknown type `{name}`");
                let help = format!("write: `{form}`");
                self.report(codes::BAD_DECLARATION, message, start, "types are in lower case", &help);
                self.bump();
                Some(TypeExpr::Named(Ident { name: form.as_str().into(), span: start }))
            }
            _ => {
                self.expected(
                    "a type (`bool`, `int`, `float`, `string`, `name`, `time`, `duration` or a set of names)",
                );
                None
            }
        }
    }

    /// `[string]`.
    fn list_type(&mut self) -> Option<TypeExpr> {
        let start = self.current.span;
        self.bump();
        if self.at(TokenKind::LeftBracket) {
            let help = "write: `[string]`, or another type of the elements";
            self.report(codes::BAD_DECLARATION, "a list has no lists in it", start, "", help);
            self.silent = true;
            return None;
        }
        let element = self.type_expr()?;
        if let (TypeExpr::Set(members, _), TokenKind::Comma) = (&element, self.current.kind) {
            return Some(self.bracketed_set(start, members.clone()));
        }
        self.close(TokenKind::RightBracket, start);
        Some(TypeExpr::List(Box::new(element), self.since(start)))
    }

    /// Reports `varchar(20)` and `int not null`, and takes the type alone.
    pub(super) fn type_alone(&mut self, ty: TypeExpr) -> TypeExpr {
        let TypeExpr::Named(name) = ty else { return ty };
        let another = self.ahead.kind == TokenKind::Colon || self.at_new_clause();
        let more = matches!(self.current.kind, TokenKind::Word(_) | TokenKind::LeftParen);
        if !more || another || self.said() {
            return TypeExpr::Named(name);
        }
        self.skip_to_comma(|token| token.kind == TokenKind::RightParen);
        let form = type_name(name.name.as_str());
        let message = "a type has nothing after it";
        self.mended(codes::BAD_DECLARATION, message, self.since(name.span), "expected a type alone", form);
        TypeExpr::Named(Ident { name: form.into(), span: name.span })
    }

    /// Reports `Optional[string]`, and takes the type in it.
    fn optional(&mut self) -> Option<TypeExpr> {
        let start = self.bump().span;
        self.bump();
        let TokenKind::Word(inner) = self.current.kind else { return None };
        let inner = Ident { name: type_name(inner.as_str()).into(), span: self.bump().span };
        if !self.eat(TokenKind::RightBracket) {
            self.eat(TokenKind::Greater);
        }
        let span = self.since(start);
        let fault = Diagnostic::new(codes::BAD_DECLARATION, "a column has a value in every fact")
            .at(span, "")
            .write(span, inner.name.as_str())
            .help(ABSENT);
        self.fault(fault);
        Some(TypeExpr::Named(inner))
    }

    /// Reports `string | null`, and reads on after it.
    fn refuse_union(&mut self, ty: Ident) {
        if !self.at(TokenKind::Bar) {
            return;
        }
        let mut nothing = false;
        while self.at(TokenKind::Bar)
            && matches!(self.ahead.kind, TokenKind::Word(_) | TokenKind::Variable(_))
        {
            self.bump();
            nothing |= ["null", "None", "nil", "NULL"].contains(&self.lexer.slice(self.current.span));
            self.bump();
        }
        let span = self.since(ty.span);
        let fault = Diagnostic::new(codes::BAD_DECLARATION, "a column has one type")
            .at(span, "found several")
            .write(span, ty.name.as_str());
        self.fault(if nothing { fault.help(ABSENT) } else { fault });
    }

    /// Reports `[/low, /high]` from its first comma on, and takes it as the set that it means.
    fn bracketed_set(&mut self, open: Span, mut members: Vec<Ident>) -> TypeExpr {
        while self.eat(TokenKind::Comma) {
            members.extend(self.members());
        }
        self.close(TokenKind::RightBracket, open);
        let span = self.since(open);
        let names: Vec<_> = members.iter().map(|member| member.name.as_str()).collect();
        let message = "a set of names in brackets";
        let label = "the names of a set stand between `|`";
        self.mended(codes::BAD_DECLARATION, message, span, label, &names.join(" | "));
        TypeExpr::Set(members, span)
    }

    /// `list<string>`, `list[string]` and `string[]`.
    fn foreign_list_type(&mut self, name: Symbol) -> Option<TypeExpr> {
        let start = self.bump().span;
        self.bump();
        let inner = match self.current.kind {
            TokenKind::Word(inner) => {
                self.bump();
                inner
            }
            _ => name,
        };
        if !self.eat(TokenKind::Greater) {
            self.eat(TokenKind::RightBracket);
        }
        let span = self.since(start);
        let element = type_name(inner.as_str());
        let message = format!("unknown type `{}`", self.lexer.slice(span));
        let form = format!("[{element}]");
        self.mended(codes::BAD_DECLARATION, message, span, "a list has its type between `[` and `]`", &form);
        let element = TypeExpr::Named(Ident { name: element.into(), span });
        Some(TypeExpr::List(Box::new(element), span))
    }

    /// A member without its slash.
    fn bare_member(&mut self, word: Symbol) -> Ident {
        let span = self.bump().span;
        let name = Symbol::new(&format!("/{word}"));
        let message = format!("`{word}` is not a name");
        self.mended(codes::BAD_NAME, message, span, "a name starts with `/`", name.as_str());
        Ident { name, span }
    }

    /// `/low | /medium | /high`.
    pub(super) fn members(&mut self) -> Vec<Ident> {
        let mut members = Vec::new();
        loop {
            match self.current.kind {
                TokenKind::Literal(Value::Name(name)) => {
                    members.push(Ident { name, span: self.current.span });
                    self.bump();
                }
                TokenKind::Broken => {
                    self.bump();
                }
                TokenKind::Word(word) => members.push(self.bare_member(word)),
                _ => {
                    self.expected("a name such as `/low`");
                    return members;
                }
            }
            if self.at(TokenKind::DoubleBar) {
                let help = "write: `|`";
                let label = "separate the names of a set with `|`";
                self.report(
                    codes::FOREIGN_OPERATOR,
                    "`||` does not separate names",
                    self.current.span,
                    label,
                    help,
                );
            } else if !self.at(TokenKind::Bar) {
                return members;
            }
            self.bump();
        }
    }
}
