//! Parameters, and the literals that declarations have.

use hence_core::diagnostic::Diagnostic;
use hence_core::value::{Type, Value};

use super::super::codes;
use super::super::token::{TYPES, TokenKind};
use super::super::tree::{Expr, ExprKind, Ident, ParamDecl, TypeExpr};
use super::Parser;

impl Parser<'_> {
    /// `param NAME: TYPE = LITERAL from role, ….`
    pub(super) fn param(&mut self) -> Option<ParamDecl> {
        let start = self.bump().span;
        let doc = self.doc(start.start);
        let Some(name) = self.name("parameter") else {
            self.skip_clause();
            return None;
        };
        let ty = match self.current.kind {
            TokenKind::Colon => {
                self.bump();
                self.type_expr()
            }
            TokenKind::Word(ty) => {
                self.missing_colon(&format!("param {}: {ty}", name.name));
                self.type_expr()
            }
            _ => None,
        };
        let ty = if self.at(TokenKind::Equal) { ty.or_else(|| self.type_as_value()) } else { ty };
        if !self.eat(TokenKind::Equal) || self.at_clause_end() {
            self.no_value(name, ty.as_ref());
            let value = Expr { kind: ExprKind::Error, span: name.span };
            let ty = ty.unwrap_or(TypeExpr::Set(Vec::new(), name.span));
            return Some(ParamDecl { doc, name, ty, value, roles: Vec::new(), span: self.since(start) });
        }
        let value = self.param_value();
        let ty = ty.unwrap_or_else(|| self.untyped(name, &value));
        let roles = if self.at_word("from") { self.param_roles() } else { Vec::new() };
        let span = self.since(start);
        self.end_clause("the parameter");
        Some(ParamDecl { doc, name, ty, value, roles, span: self.since_end(span) })
    }

    /// `= int` in the place of `: int`, up to the full stop.
    fn type_as_value(&mut self) -> Option<TypeExpr> {
        let TokenKind::Word(word) = self.ahead.kind else { return None };
        if !TYPES.contains(&word.as_str()) {
            return None;
        }
        self.bump();
        self.type_expr()
    }

    /// Reports a parameter without a value, and skips it.
    fn no_value(&mut self, name: Ident, ty: Option<&TypeExpr>) {
        let ty = match ty {
            Some(TypeExpr::Named(ty)) => ty.name.as_str(),
            Some(TypeExpr::List(_, span) | TypeExpr::Set(_, span)) => self.lexer.slice(*span),
            None => "float",
        };
        let value = example(ty);
        let help = format!("write: `param {}: {ty} = {value}.`, with its type and value", name.name);
        let label = "expected `: type = literal`";
        let message = "a parameter without a value";
        self.report(codes::BAD_DECLARATION, message, self.place_of_current(), label, &help);
        self.skip_clause();
    }

    /// Reports a parameter without a type, and takes the type of its value.
    fn untyped(&mut self, name: Ident, value: &Expr) -> TypeExpr {
        let constant = super::constant(value);
        let ty = constant.map_or("float", |value| value.ty().keyword());
        let help = format!("write: `param {}: {ty} = {}.`", name.name, self.lexer.slice(value.span));
        let message = format!("the parameter `{}` has no type", name.name);
        let fault = Diagnostic::new(codes::BAD_DECLARATION, message)
            .at(name.span, "expected `name: type = literal`")
            .help(help)
            .fix(name.span.after(), format!(": {ty}"));
        self.fault(fault);
        let named = |ty: &str| TypeExpr::Named(Ident { name: ty.into(), span: name.span });
        match constant.map(Value::ty) {
            Some(Type::List(element)) => TypeExpr::List(Box::new(named(element.keyword())), name.span),
            _ => named(ty),
        }
    }

    /// A literal, or a list of them between brackets.
    pub(super) fn param_value(&mut self) -> Expr {
        const WHAT: &str = "the value of a parameter";
        if !self.at(TokenKind::LeftBracket) {
            let first = self.literal_term(WHAT);
            return if self.at(TokenKind::Comma) { self.bare_list(first) } else { first };
        }
        let list = self.list();
        let ExprKind::List(elements) = &list.kind else { return list };
        let Some(other) = elements.iter().find(|element| !matches!(element.kind, ExprKind::Literal(_)))
        else {
            return list;
        };
        let message = "the elements of a parameter's list are literals";
        let label = "expected a literal such as `0.5`, `\"text\"` or `/name`";
        self.report(codes::BAD_DECLARATION, message, other.span, label, "");
        Expr { kind: ExprKind::Error, span: list.span }
    }

    /// The elements of a list after the first, without brackets around them.
    fn bare_list(&mut self, first: Expr) -> Expr {
        let start = first.span;
        let mut elements = vec![first];
        while self.eat(TokenKind::Comma) {
            elements.push(self.literal_term("an element of a list"));
        }
        let span = self.since(start);
        let form = format!("[{}]", self.lexer.slice(span));
        self.mended(codes::BAD_DECLARATION, "a list without brackets", span, "", &form);
        Expr { kind: ExprKind::List(elements), span }
    }

    /// A literal, perhaps with a sign; anything else is reported.
    pub(super) fn literal_term(&mut self, what: &str) -> Expr {
        let expr = self.expr();
        if matches!(expr.kind, ExprKind::Literal(_) | ExprKind::Error) {
            return expr;
        }
        let message = format!("{what} is a literal");
        let label = "expected a literal such as `0.5`, `\"text\"` or `/name`";
        let nothing = ["null", "None", "nil", "NULL"].contains(&self.lexer.slice(expr.span));
        let help = if nothing {
            "there is no null: write a value that stands for nothing, such as `0` or `\"\"`"
        } else {
            ""
        };
        self.report(codes::BAD_DECLARATION, message, expr.span, label, help);
        Expr { kind: ExprKind::Error, span: expr.span }
    }
}

/// A value of a type.
fn example(ty: &str) -> &str {
    match ty {
        "bool" => "true",
        "int" => "3",
        "string" => "\"text\"",
        "name" => "/name",
        "time" => "@2026-02-03T14:23:45Z",
        "duration" => "60s",
        set if set.starts_with('/') => set.split('|').next().unwrap_or(set).trim(),
        list if list.starts_with('[') => "[]",
        _ => "0.5",
    }
}
