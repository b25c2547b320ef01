//! Aggregates over a body that shares the clock, or a value computed from nothing else: the body reads the clock itself,
//! so that no group changes with each instant.
//!
//! `now(Now), N = count { run(At), Now - At < 1h }` means `N = count { run(At), now(Now1), Now1 - At < 1h }`.

use std::collections::BTreeMap;

use hence_core::schema::RelationId;
use hence_core::value::Type;

use crate::analysis::checked::{self, Aggregated, Arg, Literal};
use crate::builtins::expr::{Expr, ExprKind, VarId};

/// The rule whose aggregates read the clock themselves; `None` where none shares it.
pub(super) fn with_own_clock(rule: &checked::Rule, now: RelationId) -> Option<checked::Rule> {
    let values = values(&rule.body, now);
    let shares = |literal: &Literal| match literal {
        Literal::Aggregate(of) => of.shared.iter().any(|(var, _)| values.contains_key(var)),
        _ => false,
    };
    if !rule.body.iter().any(shares) {
        return None;
    }
    let mut rule = rule.clone();
    for literal in &mut rule.body {
        if let Literal::Aggregate(of) = literal {
            read_clock(of, &values, now);
        }
    }
    Some(rule)
}

/// What variables of a body equal that depend on the clock alone; of the clock itself nothing.
fn values(body: &[Literal], now: RelationId) -> BTreeMap<VarId, Option<&Expr>> {
    let mut values = BTreeMap::new();
    for literal in body {
        if let Literal::Atom { negated: false, relation, args, .. } = literal
            && *relation == now
            && let [Arg::Expr(Expr { kind: ExprKind::Var(var), .. })] = args.as_slice()
        {
            values.insert(*var, None);
        }
    }
    for literal in body {
        if let Literal::Bind { var, expr, .. } = literal {
            let (mut reads, mut others) = (false, false);
            expr.for_each_var(&mut |read| match values.get(&read) {
                Some(None) => reads = true,
                _ => others = true,
            });
            if reads && !others {
                values.insert(*var, Some(expr));
            }
        }
    }
    values
}

/// Takes what depends on the clock alone out of the group, and into the body.
fn read_clock(of: &mut Aggregated, values: &BTreeMap<VarId, Option<&Expr>>, now: RelationId) {
    let (own, shared): (Vec<_>, Vec<_>) = of.shared.drain(..).partition(|(var, _)| values.contains_key(var));
    of.shared = shared;
    let (mut clock, span) = (None, of.span);
    for (_, var) in own.iter().filter(|(rule, _)| values.get(rule) == Some(&None)) {
        let read = Expr { kind: ExprKind::Var(*var), ty: Type::Time, span };
        clock.get_or_insert(*var);
        of.body.push(Literal::Atom { negated: false, relation: now, args: vec![Arg::Expr(read)], span });
    }
    for (rule, var) in own {
        let Some(Some(value)) = values.get(&rule) else { continue };
        let read = *clock.get_or_insert_with(|| {
            let var = VarId(of.variables.len() as u32);
            let name = format!("{}", of.variables.len() + 1).as_str().into();
            let ty = hence_core::schema::ColumnType::plain(Type::Time);
            of.variables.push(crate::builtins::term::Variable { name, ty });
            let read = Expr { kind: ExprKind::Var(var), ty: Type::Time, span };
            of.body.push(Literal::Atom { negated: false, relation: now, args: vec![Arg::Expr(read)], span });
            var
        });
        let clock = |_| Some(Expr { kind: ExprKind::Var(read), ty: Type::Time, span });
        of.body.push(Literal::Bind { var, expr: value.replaced(&clock), span });
    }
}
