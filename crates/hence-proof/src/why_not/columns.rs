//! Which columns of a relation the rules after a question look at, and which ones tell its facts apart.

use std::collections::BTreeSet;

use hence_core::schema::RelationId;
use hence_lang::builtins::expr::VarId;
use hence_lang::ir::{Arg, Literal, Program, Rule};

use super::super::store::Key;
use super::Finder;
use super::change::Change;

/// For each column of `relation`, whether some rule that `target` depends on looks at it: compares it, joins on it,
/// orders by it or hands it on.
pub(super) fn read_columns(finder: &Finder<'_>, relation: RelationId, target: RelationId) -> Vec<bool> {
    let program = finder.context.program;
    let mut read = vec![false; finder.context.types(relation).len()];
    let after = dependencies(program, target);
    for rule in program.rules.iter().filter(|rule| after.contains(&rule.head)) {
        let atoms = rule.body.iter().filter_map(Literal::atom);
        for atom in atoms.filter(|atom| atom.relation == relation) {
            for (read, arg) in read.iter_mut().zip(&atom.args) {
                *read |= match arg {
                    Arg::Any => false,
                    Arg::Var(var) => uses(rule, *var) > 1,
                    Arg::Const(_) | Arg::Param(_) => true,
                };
            }
        }
    }
    read
}

/// Leaves no column of a made-up fact open where some value makes it a fact that holds already, or another that is made
/// up with it: matches that are counted or summed then lack one. What hence fills in nobody can choose.
pub(super) fn tell_apart(finder: &Finder<'_>, changes: &mut [Change]) {
    let before = changes.to_vec();
    for (at, change) in changes.iter_mut().enumerate() {
        let Change::Assert(fact, open) = change else { continue };
        let Some(relation) = finder.context.program.find(fact.relation) else { continue };
        let key: Key =
            fact.values.iter().zip(&*open).map(|(value, open)| (!open).then(|| value.word())).collect();
        let is_like = |(place, other): (usize, &Change)| {
            let Change::Assert(other, _) = other else { return false };
            let mut columns = key.iter().zip(&other.values);
            place != at
                && other.relation == fact.relation
                && columns.all(|(word, value)| word.is_none_or(|word| word == value.word()))
        };
        let holds = finder.context.store.any(relation, &key, usize::MAX).is_some();
        if holds || before.iter().enumerate().any(is_like) {
            let filled = [finder.author_column(relation), finder.instant(relation).map(|(column, _)| column)];
            open.iter_mut().enumerate().for_each(|(at, open)| *open &= filled.contains(&Some(at)));
        }
    }
}

/// A relation and all that it depends on.
pub(super) fn dependencies(program: &Program, target: RelationId) -> BTreeSet<RelationId> {
    let (mut found, mut left) = (BTreeSet::from([target]), vec![target]);
    while let Some(relation) = left.pop() {
        let rules = program.rules.iter().filter(|rule| rule.head == relation);
        left.extend(rules.flat_map(Rule::reads).filter(|read| found.insert(*read)));
    }
    found
}

/// How often a variable occurs in a rule.
pub(super) fn uses(rule: &Rule, var: VarId) -> usize {
    let mut uses = 0;
    let mut count = |other: VarId| uses += usize::from(other == var);
    rule.body.iter().for_each(|literal| literal.for_each_var(&mut count));
    rule.head_exprs().for_each(|expr| expr.for_each_var(&mut count));
    if let Some(limit) = &rule.limit {
        limit.per.iter().for_each(|var| count(*var));
        limit.by.iter().for_each(|(key, _)| key.for_each_var(&mut count));
        limit.count.for_each_var(&mut count);
    }
    uses
}
