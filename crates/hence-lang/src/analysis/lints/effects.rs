//! Effects that may begin each other without end, and effects that contradict each other.

use std::collections::{BTreeMap, BTreeSet};

use super::Rules;
use super::codes::{ENDLESS_EFFECTS, OPPOSED_EFFECTS};
use super::{growing, values};
use crate::analysis::checked::{Arg, Checked, Effect, Literal, Rule};
use crate::builtins::expr::{Expr, ExprKind};
use crate::builtins::term::Term;
use hence_core::diagnostic::Diagnostic;
use hence_core::fault::OrBroken;
use hence_core::schema::RelationId;

/// An invariant of effects.
const RULE: &str = "an effect belongs to one of the rules";

/// Effects that assert facts from which they follow again, with values that are new each time: a cycle through the
/// rules in which the input that an effect asserts is read, and some rule computes or counts a value that comes to the
/// effect again.
pub(super) fn endless(rules: Rules<'_>) -> Vec<Diagnostic> {
    let checked = rules.checked;
    let edges = edges(checked);
    let asserting = checked.effects.iter().filter(|effect| !effect.retracts);
    let warn = |effect: &Effect| {
        let rule = rule(checked, effect);
        let circle = circle(&edges, effect);
        let grows = circle.contains(&effect.relation)
            && values::renew(checked, effect, &circle, |rule| makes_values(rule, &circle));
        grows.then(|| endless_warning(rules.name(effect.input), rule))
    };
    asserting.filter_map(warn).collect()
}

fn rule<'c>(checked: &'c Checked, effect: &Effect) -> &'c Rule {
    checked.rules.get(effect.rule).or_broken(RULE)
}

/// From each relation to those that follow from it: through rules, and from an effect to its input.
fn edges(checked: &Checked) -> BTreeMap<RelationId, BTreeSet<RelationId>> {
    let mut edges: BTreeMap<RelationId, BTreeSet<RelationId>> = BTreeMap::new();
    for rule in &checked.rules {
        for literal in &rule.body {
            for atom in std::iter::once(literal).chain(literal.inner()).filter_map(Literal::atom) {
                edges.entry(atom.relation).or_default().insert(rule.head);
            }
        }
    }
    for effect in checked.effects.iter().filter(|effect| !effect.retracts) {
        edges.entry(effect.relation).or_default().insert(effect.input);
    }
    edges
}

/// The relations on circles through an effect: those that it reaches and that reach it.
fn circle(edges: &BTreeMap<RelationId, BTreeSet<RelationId>>, effect: &Effect) -> Vec<RelationId> {
    let after = reached(edges, effect.input);
    let mut back: BTreeMap<RelationId, BTreeSet<RelationId>> = BTreeMap::new();
    for (from, all) in edges {
        all.iter().for_each(|to| {
            back.entry(*to).or_default().insert(*from);
        });
    }
    let before = reached(&back, effect.relation);
    after.intersection(&before).copied().collect()
}

fn reached(edges: &BTreeMap<RelationId, BTreeSet<RelationId>>, from: RelationId) -> BTreeSet<RelationId> {
    let (mut reached, mut open) = (BTreeSet::from([from]), vec![from]);
    while let Some(relation) = open.pop() {
        for next in edges.get(&relation).into_iter().flatten() {
            if reached.insert(*next) {
                open.push(*next);
            }
        }
    }
    reached
}

/// Whether a rule makes values that its circle did not have.
fn makes_values(rule: &Rule, circle: &[RelationId]) -> bool {
    let read = |literal: &Literal| literal.positive().is_some_and(|atom| circle.contains(&atom.relation));
    let inside = rule.body.iter().any(|literal| literal.inner().iter().any(read));
    let reads = inside || rule.body.iter().any(read);
    let aggregates = inside || rule.is_aggregate();
    reads && (aggregates || growing::grows(rule, circle))
}

fn endless_warning(input: &str, rule: &Rule) -> Diagnostic {
    let message = format!("the effect on `{input}` may begin again by what it asserts, without end");
    Diagnostic::new(ENDLESS_EFFECTS, message)
        .at(rule.head_span, "follows from facts that it asserts, with a value that is new each time")
        .help("bound the value, as in `N < 100`, or assert only what does not follow from the effect")
}

/// Pairs of effects of which one asserts and the other retracts a fact when one fact begins to hold.
pub(super) fn opposed(rules: Rules<'_>) -> Vec<Diagnostic> {
    let effects = &rules.checked.effects;
    let mut out = Vec::new();
    for asserts in effects.iter().filter(|effect| !effect.retracts) {
        let others = effects.iter().filter(|effect| effect.retracts && effect.input == asserts.input);
        for retracts in others {
            let (one, other) = (rule(rules.checked, asserts), rule(rules.checked, retracts));
            if may_be_one(asserts, one, retracts, other) && overlap(one, other) {
                let message = format!(
                    "`{}` is asserted and retracted by effects that may begin together",
                    rules.name(asserts.input)
                );
                out.push(
                    Diagnostic::new(OPPOSED_EFFECTS, message)
                        .at(other.head_span, "retracted here")
                        .at(one.head_span, "asserted here")
                        .help("make their bodies exclude each other; contradicting steps are refused"),
                );
            }
        }
    }
    out
}

/// Whether two effects may be about one fact: no column has two literals in them.
fn may_be_one(asserts: &Effect, one: &Rule, retracts: &Effect, other: &Rule) -> bool {
    let literal = |rule: &Rule, column: &Option<usize>| match rule.terms.get((*column)?)? {
        Term::Expr(Expr { kind: ExprKind::Const(value), .. }) => Some(*value),
        _ => None,
    };
    asserts.columns.iter().zip(&retracts.columns).all(|(left, right)| {
        match (literal(one, left), literal(other, right)) {
            (Some(left), Some(right)) => left == right,
            _ => true,
        }
    })
}

/// Whether one fact may let both bodies hold: both read it, and neither needs what the other one excludes.
fn overlap(one: &Rule, other: &Rule) -> bool {
    let atoms = |rule: &Rule, wanted: bool| -> Vec<(RelationId, Vec<Option<hence_core::value::Value>>)> {
        let atom = |literal: &Literal| match literal {
            Literal::Atom { negated, relation, args, .. } if *negated == wanted => {
                Some((*relation, args.iter().map(constant).collect()))
            }
            _ => None,
        };
        rule.body.iter().filter_map(atom).collect()
    };
    let (needs, needed) = (atoms(one, false), atoms(other, false));
    let fits = |(left, one): &(RelationId, Vec<_>), (right, other): &(RelationId, Vec<_>)| {
        left == right
            && one.iter().zip(other).all(|(one, other): (&Option<_>, &Option<_>)| {
                one.is_none() || other.is_none() || one == other
            })
    };
    let excluded = |needs: &[(RelationId, Vec<_>)], not: &[(RelationId, Vec<_>)]| {
        needs.iter().any(|(relation, _)| not.iter().any(|(other, _)| other == relation))
    };
    needs.iter().any(|one| needed.iter().any(|other| fits(one, other)))
        && !excluded(&needs, &atoms(other, true))
        && !excluded(&needed, &atoms(one, true))
        && needs.iter().all(|one| {
            let same = || needed.iter().filter(|other| other.0 == one.0);
            same().next().is_none() || same().any(|other| fits(one, other))
        })
}

fn constant(arg: &Arg) -> Option<hence_core::value::Value> {
    match arg {
        Arg::Expr(Expr { kind: ExprKind::Const(value), .. }) => Some(*value),
        _ => None,
    }
}
