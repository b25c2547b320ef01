//! `X in [a, b]`, `X in parameter` and `X in type`: what it binds, and what it tests.

use std::sync::Arc;

use crate::builtins::expr::{Expr, ExprKind};
use crate::builtins::generator::Generator;
use crate::builtins::op::Op;
use hence_core::diagnostic::Diagnostic;
use hence_core::fault::OrBroken;
use hence_core::schema::{ColumnType, NameSet};
use hence_core::span::Span;
use hence_core::symbol::Symbol;
use hence_core::value::{Type, Value};
use hence_syntax::tree;

use super::codes;
use super::draft::no_generator;
use super::prose::a;
use super::typing::{Typer, constant};
use super::values::{conversion, error};

impl Typer<'_> {
    /// The elements that a variable is bound to: the generator, the type and the arguments.
    pub(super) fn listed(&mut self, right: &tree::Expr) -> Option<(Generator, ColumnType, Vec<Expr>)> {
        match &right.kind {
            tree::ExprKind::List(elements) => {
                let elements = self.elements(elements)?;
                let first = elements.first().or_broken("an empty list binds no variable");
                let sets: Vec<_> = elements.iter().map(|element| self.set_of(element)).collect();
                let one = sets.first().cloned().flatten();
                let set = one.filter(|set| sets.iter().all(|other| other.as_ref() == Some(set)));
                let ty = ColumnType { ty: first.ty, set };
                Some((Generator::List(first.ty), ty, elements))
            }
            tree::ExprKind::Ident(name) => {
                if let Some((set, members)) = self.members(*name, right.span) {
                    let ty = ColumnType { ty: Type::Name, set: Some(set) };
                    return Some((Generator::List(Type::Name), ty, members));
                }
                let (list, element) = self.list_param(*name, right.span)?;
                let ty = ColumnType { ty: element, set: self.set_of(&list) };
                Some((Generator::Elements(element), ty, vec![list]))
            }
            _ => self.fail(no_generator(right)),
        }
    }

    /// Whether `value` is among the elements of what is on the right of its `in`.
    pub(super) fn membership(&mut self, value: Expr, right: &tree::Expr, span: Span) -> Option<Expr> {
        let (op, args) = match &right.kind {
            tree::ExprKind::List(elements) => {
                let elements = self.elements(elements)?;
                for element in &elements {
                    self.same_type(&value, element.ty, element)?;
                    self.comparable(&value, element)?;
                }
                (Op::Among, [value].into_iter().chain(elements).collect())
            }
            tree::ExprKind::Ident(name) => {
                if let Some((set, members)) = self.members(*name, right.span) {
                    self.named(&value, *name, right.span)?;
                    self.within(&value, &set, format!("`{name}`"))?;
                    let args = [value].into_iter().chain(members).collect();
                    return Some(Expr { kind: ExprKind::Call(Op::Among, args), ty: Type::Bool, span });
                }
                let (list, element) = self.list_param(*name, right.span)?;
                self.same_type(&value, element, &list)?;
                self.comparable(&value, &list)?;
                (Op::In, vec![value, list])
            }
            tree::ExprKind::Call(..) => {
                let message = "a generator stands in a literal of its own";
                let fault = error(codes::MISPLACED_GENERATOR, message, right.span);
                let help = "derive the elements into a relation of their own, and test that";
                return self.fail(fault.help(help));
            }
            _ => return self.fail(no_generator(right)),
        };
        Some(Expr { kind: ExprKind::Call(op, args), ty: Type::Bool, span })
    }

    /// The elements of a list: literals and parameters of one type.
    fn elements(&mut self, written: &[tree::Expr]) -> Option<Vec<Expr>> {
        let elements: Vec<_> = written.iter().map(|element| self.element(element)).collect();
        let elements = elements.into_iter().collect::<Option<Vec<_>>>()?;
        let Some(first) = elements.first() else { return Some(elements) };
        let Some(other) = elements.iter().find(|element| element.ty != first.ty) else {
            return Some(elements);
        };
        let message = format!("the list mixes {} and {}", a(first.ty), a(other.ty));
        let fault = Diagnostic::new(codes::WRONG_TYPE, message)
            .at(other.span, a(other.ty))
            .at(first.span, a(first.ty));
        let better = conversion(other, self.sources.slice(other.span), &ColumnType::plain(first.ty))
            .filter(|_| matches!(other.kind, ExprKind::Const(_)));
        self.fail(match better {
            Some(better) => fault.help(format!("write `{better}`")),
            None => fault.note("the elements of a list are of one type"),
        })
    }

    fn element(&mut self, written: &tree::Expr) -> Option<Expr> {
        let element = self.expr(written)?;
        if matches!(element.kind, ExprKind::Const(_) | ExprKind::Param(_)) {
            return Some(element);
        }
        let message = "an element of a list is a literal or a parameter";
        let fault = error(codes::NOT_LITERAL, message, written.span);
        self.fail(fault.help("compare with `=` what the rule computes"))
    }

    /// Whether `value` has the type of the elements, shown where the list is.
    fn same_type(&mut self, value: &Expr, element: Type, list: &Expr) -> Option<()> {
        if value.ty == element {
            return Some(());
        }
        let text = self.sources.slice(list.span);
        let what = match list.ty {
            Type::List(_) => format!("the elements of `{text}` are of type `{element}`"),
            _ => format!("the list holds `{text}`, {}", a(element)),
        };
        let message = format!("the value on the left of `in` is {}, but {what}", a(value.ty));
        let fault = error(codes::WRONG_TYPE, message, list.span);
        let wanted = ColumnType { ty: value.ty, set: self.set_of(value) };
        let better = conversion(list, text, &wanted).filter(|_| matches!(list.kind, ExprKind::Const(_)));
        self.fail(match better {
            Some(better) => fault.help(format!("write `{better}`")),
            None => fault,
        })
    }

    /// The names of the closed set called `name`, where no parameter is called so.
    fn members(&self, name: Symbol, span: Span) -> Option<(Arc<NameSet>, Vec<Expr>)> {
        if self.names.param(name).is_some() {
            return None;
        }
        let set = self.names.sets.get(&name)?;
        let members = set.members.iter().map(|member| constant(Value::Name(*member), span)).collect();
        Some((Arc::clone(set), members))
    }

    /// Whether `value` is a name, as the members of the closed set called `set` are.
    fn named(&mut self, value: &Expr, set: Symbol, span: Span) -> Option<()> {
        if value.ty == Type::Name {
            return Some(());
        }
        let message =
            format!("the value on the left of `in` is {}, but `{set}` is a set of names", a(value.ty));
        self.fail(error(codes::WRONG_TYPE, message, span))
    }

    /// A list parameter and the type of its elements.
    fn list_param(&mut self, name: Symbol, span: Span) -> Option<(Expr, Type)> {
        let param = self.param(name, span)?;
        if let Type::List(element) = param.ty {
            return Some((param, *element));
        }
        let message = format!("`{name}` is {}, and `in` takes a list", a(param.ty));
        self.fail(error(codes::MISPLACED_LIST, message, span).help(format!("write `[{name}]`")))
    }

    /// A parameter where one value is due.
    pub(super) fn scalar_param(&mut self, name: Symbol, span: Span) -> Option<Expr> {
        let param = self.param(name, span)?;
        if !matches!(param.ty, Type::List(_)) {
            return Some(param);
        }
        let message = format!("`{name}` is a list, not one value");
        let fault = error(codes::MISPLACED_LIST, message, span);
        self.fail(fault.help(format!("bind or test its elements in the body: `X in {name}`")))
    }
}
