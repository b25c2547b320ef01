//! Recursion that makes new values from those that it derived, and so may not end.

use std::collections::{BTreeMap, BTreeSet};

use super::Rules;
use super::codes::GROWING_RECURSION;
use crate::analysis::checked::{Literal, Rule};
use crate::builtins::expr::{Expr, ExprKind, VarId};
use crate::builtins::generator::Generator;
use crate::builtins::op::Op;
use crate::builtins::term::Term;
use hence_core::diagnostic::Diagnostic;
use hence_core::schema::RelationId;
use hence_core::value::Type;

/// A recursive rule with a computed column that nothing in the rule bounds.
pub(super) fn growing(rules: Rules<'_>) -> Vec<Diagnostic> {
    let strata = rules.strata();
    let recursive = strata.iter().filter(|stratum| stratum.recursive);
    let together: BTreeMap<RelationId, &Vec<RelationId>> = recursive
        .flat_map(|stratum| stratum.relations.iter().map(|one| (*one, &stratum.relations)))
        .collect();
    let of = |rule: &Rule| of_rule(rules, rule, together.get(&rule.head)?);
    rules.checked.rules.iter().filter_map(of).collect()
}

fn of_rule(rules: Rules<'_>, rule: &Rule, together: &[RelationId]) -> Option<Diagnostic> {
    let flow = Flow::new(rule, together);
    let grows = |term: &&Term| matches!(term, Term::Expr(expr) if flow.grows(expr) && !flow.is_bounded(expr));
    let Term::Expr(expr) = rule.terms.iter().find(grows)? else { return None };
    let name = rules.name(rule.head);
    Some(
        Diagnostic::new(
            GROWING_RECURSION,
            format!("the recursion of `{name}` creates new values and may not terminate"),
        )
        .at(expr.span, format!("computes a new value from `{name}` in each round"))
        .help("bound it in this rule, as in `N < 100`, or let the facts bound it"),
    )
}

/// Whether a rule makes values, in a column of its head that nothing in it bounds, from facts of relations `together`.
pub(crate) fn grows(rule: &Rule, together: &[RelationId]) -> bool {
    let flow = Flow::new(rule, together);
    rule.terms
        .iter()
        .any(|term| matches!(term, Term::Expr(expr) if flow.grows(expr) && !flow.is_bounded(expr)))
}

/// Which variables of a rule have their values from the recursion.
struct Flow<'a> {
    rule: &'a Rule,
    /// Those that hold values of the recursion, or something computed from them, and that no other atom bounds.
    from: BTreeSet<VarId>,
    /// Those that hold new values.
    new: BTreeSet<VarId>,
}

impl<'a> Flow<'a> {
    fn new(rule: &'a Rule, together: &[RelationId]) -> Self {
        let mut flow = Self { rule, from: BTreeSet::new(), new: BTreeSet::new() };
        let (mut from, mut bounded) = (BTreeSet::new(), BTreeSet::new());
        for literal in &rule.body {
            if let Some(atom) = literal.positive() {
                let inside = together.binary_search(&atom.relation).is_ok();
                if inside { &mut from } else { &mut bounded }.extend(atom.vars());
            }
            if let Literal::Each { var, bound: true, .. } = literal {
                bounded.insert(*var);
            }
        }
        flow.from = from.difference(&bounded).copied().collect();
        while flow.follow() {}
        flow
    }

    /// Follows binds and ranges one step; whether anything was new.
    fn follow(&mut self) -> bool {
        let before = self.from.len() + self.new.len();
        for literal in &self.rule.body {
            let (var, exprs) = match literal {
                Literal::Bind { var, expr, .. } => (var, std::slice::from_ref(expr)),
                Literal::Each { var, generator: Generator::Range, args, .. } => (var, &args[..]),
                _ => continue,
            };
            if exprs.iter().any(|expr| self.is_from(expr)) {
                self.from.insert(*var);
            }
            if exprs.iter().any(|expr| self.grows(expr)) {
                self.new.insert(*var);
            }
        }
        self.from.len() + self.new.len() > before
    }

    /// Whether the expression reads a value of the recursion.
    fn is_from(&self, expr: &Expr) -> bool {
        let mut found = false;
        expr.for_each_var(&mut |var| found |= self.from.contains(&var));
        found
    }

    /// Whether the expression can make a value that the recursion didn't have.
    fn grows(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Var(var) => self.new.contains(var),
            ExprKind::Call(op, args) if makes_new(*op) => args.iter().any(|arg| self.is_from(arg)),
            ExprKind::Call(op, args) => !bounds(*op) && args.iter().any(|arg| self.grows(arg)),
            ExprKind::If(_, then, otherwise) => self.grows(then) || self.grows(otherwise),
            _ => false,
        }
    }

    /// Whether a comparison of the rule holds a variable that the expression is computed from, or it itself.
    fn is_bounded(&self, expr: &Expr) -> bool {
        let mut sources = BTreeSet::new();
        expr.for_each_var(&mut |var| {
            sources.insert(var);
        });
        for literal in self.rule.body.iter().rev() {
            if let Literal::Bind { var, expr, .. } = literal
                && sources.contains(var)
            {
                expr.for_each_var(&mut |var| {
                    sources.insert(var);
                });
            }
        }
        let compares = |expr: &Expr| {
            let mut found = false;
            expr.for_each_var(&mut |var| found |= sources.contains(&var));
            found && is_comparison(expr)
        };
        self.rule.body.iter().any(|literal| matches!(literal, Literal::Test { expr, .. } if compares(expr)))
    }
}

fn is_comparison(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Call(op, _) => {
            expr.ty == Type::Bool && matches!(op.name(), "<" | "<=" | ">" | ">=") || *op == Op::Not
        }
        ExprKind::And(left, right) | ExprKind::Or(left, right) => is_comparison(left) || is_comparison(right),
        _ => false,
    }
}

/// Whether an operation can make ever new values from its own results.
fn makes_new(op: Op) -> bool {
    matches!(op.name(), "+" | "-" | "*" | "pow" | "exp" | "concat" | "replace")
        || matches!(op, Op::DivFloat | Op::RemFloat)
}

/// Whether an operation has finitely many results, whatever it is given.
fn bounds(op: Op) -> bool {
    matches!(
        op.name(),
        "%" | "clamp" | "min" | "len" | "year" | "month" | "day" | "weekday" | "hour" | "minute"
    )
}
