//! The plans of a stratum for batch evaluation: semi-naive, so for each atom over a relation that still grows there is
//! a plan in which this atom reads the delta, those before it in the text the old facts, and those after it all.

use hence_core::index_vec::IndexVec;
use hence_core::schema::RelationId;
use hence_core::value::Word;
use hence_lang::ir::{Literal, Program, Stratum};
use smallvec::{SmallVec, smallvec};

use super::choice::compile_ways;
use super::order::{UNBOUND, guess};
use super::roles::plain_roles;
use super::shape::Shape;
use super::source::{Catalog, JoinOrder, RuleSource, Start, Wanted};
use super::steps::{Plan, PlanStep};
use crate::storage::index::IndexId;
use crate::storage::ordered::{Order, OrderedId};
use crate::storage::relations::Relations;
use crate::storage::stable::Stable;
use crate::storage::view::View;

/// From how many rows on duplicates are looked for on the way to a fact.
const MANY: u32 = 32;

/// The plans of a stratum. Their indexes are to be built before [`make_sets`].
pub(crate) fn plans_over(
    program: &Program,
    stratum: &Stratum,
    relations: &mut Relations,
    params: &[Word],
    first: bool,
) -> Vec<Plan> {
    let plans = stratum_plans(program, stratum, &mut relations.stable, params, first);
    for relation in &stratum.relations {
        if let Some(column) = clustering_column(&plans, program, *relation) {
            relations.cluster_by(*relation, column);
        }
    }
    plans
}

/// Relations that plans probe for membership get a set, growing ones row numbers. Those that are joined by sorted lists alone,
/// which are intersected, need none.
pub(crate) fn make_sets(program: &Program, stratum: &Stratum, relations: &mut Relations, plans: &[Plan]) {
    let steps = plans.iter().flat_map(|plan| &plan.steps);
    let probed: Vec<_> = steps
        .filter(|step| !step.is_sorted_join(relations.stable.view()))
        .flat_map(PlanStep::probes)
        .collect();
    for relation in probed {
        relations.make_set(relation);
        if stratum.relations.contains(&relation) {
            relations.number_rows(relation);
        }
    }
    // What is left after an undefined operation may be probed where the plan looks rows up.
    for plan in plans {
        let rule = &program[plan.rule];
        for literal in plan.remaining().map(|at| rule.literal(at)) {
            if let Literal::Atom(atom) | Literal::Not(atom) = literal {
                relations.make_set(atom.relation);
            }
        }
    }
}

/// The column of a relation that varies in the innermost loops of most plans that derive its facts.
fn clustering_column(plans: &[Plan], program: &Program, relation: RelationId) -> Option<usize> {
    let derives = |plan: &&Plan| {
        let rule = &program[plan.rule];
        rule.head == relation && !rule.is_aggregate() && rule.limit.is_none()
    };
    let mut votes: Vec<usize> = plans.iter().filter(derives).filter_map(Plan::clustering_column).collect();
    votes.sort_unstable();
    let most = votes.chunk_by(|a, b| a == b).max_by_key(|same| same.len())?;
    most.first().copied()
}

/// The plans of a stratum's rules: of the first round, or of the later ones.
pub(crate) fn stratum_plans(
    program: &Program,
    stratum: &Stratum,
    stable: &mut IndexVec<RelationId, Stable>,
    params: &[Word],
    first: bool,
) -> Vec<Plan> {
    let plans = compile_all(program, stratum, stable, params, first);
    // Once more where there are recursions: plans use the indexes of one another.
    if first { plans } else { compile_all(program, stratum, stable, params, first) }
}

fn compile_all(
    program: &Program,
    stratum: &Stratum,
    stable: &mut IndexVec<RelationId, Stable>,
    params: &[Word],
    first: bool,
) -> Vec<Plan> {
    let mut plans = Vec::new();
    for &id in &stratum.rules {
        let rule = &program[id];
        let own: SmallVec<[bool; 16]> = rule.body.iter().map(|literal| grows(literal, stratum)).collect();
        let deltas = own.iter().enumerate().filter(|(_, own)| **own).map(|(at, _)| Some(at));
        let deltas: SmallVec<[Option<usize>; 8]> = if first { smallvec![None] } else { deltas.collect() };
        let (shape, roles) = (Shape::new(rule), plain_roles(rule));
        for delta in deltas {
            let source = RuleSource {
                rule,
                id,
                shape: &shape,
                roles: &roles,
                own: &own,
                views: &views(&own, delta),
                start: Start::Nothing,
                order: JoinOrder::Cost,
                wanted: Wanted::Facts,
                lead: None,
                choice: None,
            };
            plans.extend(compile_ways(source, stable, params));
        }
    }
    plans
}

fn grows(literal: &Literal, stratum: &Stratum) -> bool {
    matches!(literal, Literal::Atom(atom) if stratum.relations.contains(&atom.relation))
}

/// The view that each literal reads where one of them reads the delta.
fn views(own: &[bool], delta: Option<usize>) -> SmallVec<[View; 8]> {
    let view = |(at, own): (usize, &bool)| match delta {
        Some(delta) if at == delta => View::Delta,
        Some(delta) if at < delta && *own => View::Old,
        _ => View::All,
    };
    own.iter().enumerate().map(view).collect()
}

impl Catalog for IndexVec<RelationId, Stable> {
    fn estimate(&mut self, relation: RelationId, view: View, bound: &[u32]) -> f64 {
        if view == View::Delta {
            return 0.0;
        }
        let stable = &mut self[relation];
        let rows = f64::from(stable.len());
        if bound.is_empty() {
            return rows * UNBOUND;
        }
        stable.fan_out(bound).unwrap_or_else(|| guess(rows, bound.len(), stable.arity()))
    }

    fn find_index(&self, relation: RelationId, columns: &[u32]) -> Option<IndexId> {
        self[relation].find_index(columns)
    }

    fn index_on(&mut self, relation: RelationId, columns: &[u32]) -> Option<IndexId> {
        Some(self[relation].index_on(columns))
    }

    fn ordered_on(&mut self, relation: RelationId, order: &Order) -> Option<OrderedId> {
        self[relation].ordered_on(order)
    }

    fn is_below_scan_threshold(&self, relation: RelationId) -> bool {
        self[relation].is_below_scan_threshold()
    }

    fn has_many(&self, relation: RelationId) -> bool {
        self[relation].len() >= MANY
    }

    fn count(&self, relation: RelationId) -> Option<f64> {
        Some(f64::from(self[relation].len()))
    }

    fn fan_out(&mut self, relation: RelationId, columns: &[u32]) -> f64 {
        self[relation].measured_fan_out(columns)
    }

    fn share(&self, relation: RelationId, key: &[(u32, Word)]) -> Option<f64> {
        Some(self[relation].share(key))
    }

    fn arity(&self, relation: RelationId) -> Option<usize> {
        Some(self[relation].arity())
    }
}
