//! The part of a program that a question depends on.

use std::collections::BTreeSet;

use crate::builtins::expr::Expr;
use crate::builtins::term::Term;
use crate::ir::{Literal, Program, Rule};
use hence_core::index_vec::IndexVec;
use hence_core::schema::RelationId;

/// Every relation that those of `asked` depend on through any chain of rules, positively or not, themselves included.
pub fn needed(program: &Program, asked: impl IntoIterator<Item = RelationId>) -> BTreeSet<RelationId> {
    let mut reads: IndexVec<RelationId, Vec<RelationId>> =
        IndexVec::filled(Vec::new(), program.relations.len());
    for rule in &program.rules {
        reads[rule.head].extend(rule.reads());
    }
    let mut open: Vec<RelationId> = asked.into_iter().collect();
    let mut needed = BTreeSet::new();
    while let Some(relation) = open.pop() {
        if needed.insert(relation) {
            open.extend(&reads[relation]);
        }
    }
    needed
}

/// The program with nothing to do but to derive the `needed` relations: its strata hold these alone, and all others
/// stay empty. Every relation and every rule keeps its number.
pub fn relevant(program: &Program, needed: &BTreeSet<RelationId>) -> Program {
    let is_needed = |relation: &RelationId| needed.contains(relation);
    // A stratum is one strongly connected component, so it is needed as a whole or not at all.
    let strata = program.strata.iter().filter(|stratum| stratum.relations.iter().any(is_needed));
    Program {
        relations: program.relations.clone(),
        params: program.params.clone(),
        rules: program.rules.clone(),
        facts: program.facts.iter().filter(|fact| is_needed(&fact.relation)).cloned().collect(),
        strata: strata.cloned().collect(),
    }
}

/// Whether some operation of the rule can be undefined.
pub(super) fn may_fail(rule: &Rule) -> bool {
    let in_head = rule.terms.iter().any(|term| match term {
        Term::Expr(expr) => expr.may_fail(),
        Term::Aggregate { aggregate, args, .. } => {
            aggregate.may_fail() || args.iter().any(|arg| arg.may_fail())
        }
    });
    let in_limit = rule.limit.iter().any(|limit| limit.count.may_fail() || limit.keys().any(Expr::may_fail));
    in_head || in_limit || rule.body.iter().any(Literal::may_fail)
}
