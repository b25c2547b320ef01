//! What is not rendered: refused before anything is evaluated.

use hence_core::span::Span;
use hence_lang::ir::{Program, Rule};

use crate::order::order;
use crate::rest::looked_at_twice;

/// A construct that workers can't evaluate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotRendered {
    /// Its place in the text.
    pub span: Span,
    /// What it is, and what to write instead.
    pub why: String,
}

/// What of a program workers can't evaluate exactly.
pub fn refuse(program: &Program) -> Vec<NotRendered> {
    program.rules.iter().filter_map(of_rule).collect()
}

fn of_rule(rule: &Rule) -> Option<NotRendered> {
    let may_fail = rule.body.iter().any(|literal| literal.may_fail() || !literal.exprs().is_empty());
    let literal = may_fail.then(|| looked_at_twice(rule, &order(rule))).flatten()?;
    let why = format!(
        "in `{}`, two atoms bind what this reads, and the first of them needs a value that can be undefined; \
         derive that value in a rule of its own",
        rule.id
    );
    Some(NotRendered { span: literal.span(), why })
}
