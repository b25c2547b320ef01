//! How low a proof can be at best, by relation and by rule, known before any fact is looked at.

use crate::ir::{Literal, Rule, RuleId};
use crate::schema::{Kind, RelationId};

use super::context::Context;
use super::store::FactRef;

/// Stands for "no proof at all".
const NEVER: usize = usize::MAX;

/// Lower bounds of the height of proofs.
pub(super) struct Heights {
    relations: Vec<usize>,
    rules: Vec<usize>,
    /// For a derived relation, the least height of its own rules, and that of all rules of its stratum.
    derived: Vec<(usize, usize)>,
}

impl Heights {
    /// From the inputs upwards until nothing gets lower.
    pub(super) fn new(context: &Context<'_>) -> Self {
        let start = |(at, relation): (usize, &crate::schema::Relation)| {
            let stated = context.store.is_stated(RelationId(at as u32));
            if relation.kind == Kind::Input || stated { 0 } else { NEVER }
        };
        let relations = context.program.relations.iter().enumerate().map(start).collect();
        let rules = vec![NEVER; context.program.rules.len()];
        let mut heights = Self { relations, rules, derived: Vec::new() };
        while heights.lower(&context.program.rules) {}
        heights.derived = vec![(0, 0); heights.relations.len()];
        for stratum in &context.program.strata {
            let floor = heights.least(&stratum.rules);
            for relation in &stratum.relations {
                let own = heights.least(context.rules_of(*relation));
                if let Some(slot) = heights.derived.get_mut(relation.0 as usize) {
                    *slot = (own, floor);
                }
            }
        }
        heights
    }

    fn least(&self, rules: &[RuleId]) -> usize {
        rules.iter().map(|rule| self.of_rule(*rule)).min().unwrap_or(0)
    }

    fn lower(&mut self, rules: &[Rule]) -> bool {
        let mut lowered = false;
        for (at, rule) in rules.iter().enumerate() {
            let height = self.of_body(rule);
            let slots = self.rules.get_mut(at).zip(self.relations.get_mut(rule.head.0 as usize));
            let Some((of_rule, of_head)) = slots else { continue };
            *of_rule = height;
            if height < *of_head {
                *of_head = height;
                lowered = true;
            }
        }
        lowered
    }

    fn of_body(&self, rule: &Rule) -> usize {
        let atoms = rule.body.iter().filter_map(|literal| match literal {
            Literal::Atom(atom) => Some(self.of_relation(atom.relation)),
            _ => None,
        });
        atoms.max().unwrap_or(0).saturating_add(1)
    }

    fn of_relation(&self, relation: RelationId) -> usize {
        self.relations.get(relation.0 as usize).copied().unwrap_or(NEVER)
    }

    /// The least height that a derivation by this rule can have.
    pub(super) fn of_rule(&self, rule: RuleId) -> usize {
        self.rules.get(rule.0 as usize).copied().unwrap_or(NEVER)
    }

    /// The least height that a proof of this fact can have: each round of its stratum is one rule more.
    pub(super) fn of_fact(&self, context: &Context<'_>, fact: FactRef) -> usize {
        let Some(rounds) = context.store.rank(fact).checked_sub(1) else { return 0 };
        let (own, floor) = self.derived.get(fact.relation.0 as usize).copied().unwrap_or_default();
        own.max(floor.saturating_add(rounds))
    }
}
