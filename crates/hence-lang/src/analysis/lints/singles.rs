//! Variables that occur once in their rule: a slip of the pen more often than not.

use std::collections::BTreeMap;

use super::Rules;
use super::codes::SINGLE_VARIABLE;
use crate::analysis::values::truth;
use hence_core::diagnostic::{Diagnostic, nearest};
use hence_core::span::Span;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_syntax::tree::{Expr, ExprKind, Item, Literal, LiteralKind, Rule};

/// A named variable with one place in a rule, those in the text of `@because` and `format` counted.
pub(super) fn singles(rules: Rules<'_>) -> Vec<Diagnostic> {
    let rules = rules.items().filter_map(|item| match item {
        Item::Rule(rule) => Some(rule),
        _ => None,
    });
    rules.flat_map(of_rule).collect()
}

fn of_rule(rule: &Rule) -> Vec<Diagnostic> {
    let mut uses = Uses::default();
    uses.rule(rule);
    let mut found = Vec::new();
    for literal in &rule.body {
        let LiteralKind::Aggregate(of) = &literal.kind else { continue };
        let mut inner = Uses::default();
        of.args.iter().for_each(|arg| inner.expr(arg));
        of.body.iter().for_each(|literal| inner.literal(literal));
        found.extend(inner.share(&mut uses));
    }
    found.extend(uses.warnings());
    found
}

impl Uses {
    /// Moves what the rule uses too to its uses; the warnings for the rest.
    fn share(mut self, rule: &mut Self) -> Vec<Diagnostic> {
        for (name, of) in &mut rule.of {
            of.count += self.of.remove(name).map_or(0, |inner| inner.count);
        }
        self.warnings()
    }

    fn warnings(&self) -> Vec<Diagnostic> {
        let single = |name: &Symbol, of: &Use| of.count == 1 && !name.as_str().starts_with('_');
        let lonely = self.of.iter().filter(|(name, of)| single(name, of));
        lonely.map(|(name, of)| warning(name.as_str(), of, self)).collect()
    }
}

fn warning(name: &str, of: &Use, uses: &Uses) -> Diagnostic {
    if let Some(meant) = truth(name) {
        let message = format!("`{name}` is a variable, not the value `{meant}`");
        return Diagnostic::new(SINGLE_VARIABLE, message)
            .at(of.first, "it occurs only once in this rule, and so stands for any value")
            .write(of.first, meant);
    }
    let warning = Diagnostic::new(SINGLE_VARIABLE, format!("`{name}` occurs only once in this rule"))
        .at(of.first, "nothing else in the rule uses this value");
    let others = uses.of.keys().map(|other| other.as_str()).filter(|other| *other != name);
    let silence = if of.whole_argument { String::from("_") } else { format!("_{name}") };
    match nearest(name, others) {
        Some(other) => warning.help(format!("did you mean `{other}`? if not, write `{silence}`")),
        None => warning.help(format!("write `{silence}` if the value doesn't matter")).fix(of.first, silence),
    }
}

/// The places of one variable.
struct Use {
    count: usize,
    first: Span,
    /// Whether the first place is a whole argument of an atom, where `_` does as well.
    whole_argument: bool,
}

/// The places of all variables of a rule.
#[derive(Default)]
struct Uses {
    of: BTreeMap<Symbol, Use>,
}

impl Uses {
    fn rule(&mut self, rule: &Rule) {
        rule.terms.iter().for_each(|term| self.expr(term));
        rule.body.iter().for_each(|literal| self.literal(literal));
        if let Some(limit) = &rule.limit {
            self.expr(&limit.count);
            limit.by.iter().for_each(|(key, _)| self.expr(key));
            limit.per.iter().chain(&limit.rank).for_each(|var| self.add(var.name, var.span, false));
        }
        if let Some((text, span)) = rule.because {
            self.sentence(text, span);
        }
    }

    fn literal(&mut self, literal: &Literal) {
        match literal.atom() {
            Some(atom) => atom.exprs().for_each(|arg| self.argument(arg)),
            None => literal.exprs().for_each(|expr| self.expr(expr)),
        }
    }

    fn argument(&mut self, arg: &Expr) {
        match arg.kind {
            ExprKind::Variable(name) => self.add(name, arg.span, true),
            _ => self.expr(arg),
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::List(elements) => elements.iter().for_each(|element| self.expr(element)),
            ExprKind::In(left, right) => {
                self.expr(left);
                self.expr(right);
            }
            ExprKind::Variable(name) => self.add(*name, expr.span, false),
            ExprKind::Unary(_, operand) => self.expr(operand),
            ExprKind::Binary(_, left, right) => {
                self.expr(left);
                self.expr(right);
            }
            ExprKind::Call(function, args) => {
                args.iter().for_each(|arg| self.expr(arg));
                let text = args.first().map(|arg| (&arg.kind, arg.span));
                if let ("format", Some((ExprKind::Literal(Value::String(text)), span))) =
                    (function.name.as_str(), text)
                {
                    self.sentence(*text, span);
                }
            }
            ExprKind::Wildcard | ExprKind::Literal(_) | ExprKind::Ident(_) | ExprKind::Error => {}
        }
    }

    /// Counts the placeholders of a text; `{{` and `}}` are braces.
    fn sentence(&mut self, text: Symbol, span: Span) {
        let text = text.as_str().replace("{{", "");
        for piece in text.split('{').skip(1) {
            let name = piece.split(['}', ':']).next().unwrap_or("").trim();
            if name.starts_with(|c: char| c.is_ascii_uppercase() || c == '_') {
                self.add(Symbol::new(name), span, false);
            }
        }
    }

    fn add(&mut self, name: Symbol, span: Span, whole_argument: bool) {
        let of = self.of.entry(name).or_insert(Use { count: 0, first: span, whole_argument });
        of.count += 1;
    }
}
