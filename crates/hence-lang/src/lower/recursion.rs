//! What depends on a recursion, and whether it ends without its aggregates.

use std::collections::BTreeSet;

use super::aggregate::is_made;
use crate::analysis::checked::{Checked, Literal, Rule};
use crate::analysis::lints::growing;
use crate::builtins::expr::VarId;
use crate::ir::Program;
use hence_core::schema::RelationId;

/// The relations of a recursion, and those of the values of aggregates that depend on them.
pub(super) fn inside(program: &Program, together: &[RelationId]) -> BTreeSet<RelationId> {
    let mut inside: BTreeSet<RelationId> = together.iter().copied().collect();
    loop {
        let before = inside.len();
        for rule in program.rules.iter().filter(|rule| is_made(program, rule.head)) {
            if rule.reads().any(|relation| inside.contains(&relation)) {
                inside.insert(rule.head);
            }
        }
        if inside.len() == before {
            return inside;
        }
    }
}

/// Whether rules of a relation make ever new values where their aggregates bound nothing.
pub(super) fn grows(checked: &Checked, relation: RelationId, together: &[RelationId]) -> bool {
    let own = checked.rules.iter().filter(|rule| rule.head == relation);
    own.map(without_aggregates).any(|rule| growing::grows(&rule, together))
}

/// The rule without its aggregates, and without the conditions that need them or may have no result.
fn without_aggregates(rule: &Rule) -> Rule {
    let mut values: BTreeSet<VarId> = BTreeSet::new();
    loop {
        let before = values.len();
        for literal in &rule.body {
            match literal {
                Literal::Aggregate(of) => values.extend(of.binds),
                Literal::Bind { var, expr, .. } if reads(expr, &values) => {
                    values.insert(*var);
                }
                _ => {}
            }
        }
        if values.len() == before {
            break;
        }
    }
    let stays = |literal: &&Literal| match literal {
        Literal::Aggregate(_) => false,
        Literal::Test { expr, .. } => !reads(expr, &values) && !expr.may_fail(),
        _ => true,
    };
    rule.with_body(rule.body.iter().filter(stays).cloned().collect(), rule.variables.clone())
}

fn reads(expr: &crate::builtins::expr::Expr, values: &BTreeSet<VarId>) -> bool {
    let mut found = false;
    expr.for_each_var(&mut |var| found |= values.contains(&var));
    found
}
