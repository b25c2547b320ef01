//! How low a proof can be at best, and how high the lowest one can be at most, by relation and by rule, known before
//! any fact is looked at.

use hence_core::fault::OrBroken;
use hence_core::index_vec::Id;
use hence_core::schema::{Kind, RelationId};
use hence_lang::ir::{Program, Rule, RuleId};
use hence_lang::lower::is_made;

use super::context::Context;
use super::store::FactRef;

/// Stands for "no proof at all".
const NEVER: usize = usize::MAX;

/// Bounds of the least height of proofs.
pub(super) struct Heights {
    /// The relations of which some fact is given, as the bounds take it.
    stated: Vec<bool>,
    relations: Vec<usize>,
    rules: Vec<usize>,
    /// For a derived relation, the least height of its own rules, and that of all rules of its stratum.
    derived: Vec<(usize, usize)>,
    /// The most that the least height of a relation's facts can be; [`NEVER`] where rules go in a circle.
    highest: Vec<usize>,
    /// How many levels of a proof a step of a relation is: what is made for an aggregate in a body is shown in its place.
    levels: Levels,
}

/// By relation 1, or 0 where it is made.
struct Levels(Vec<usize>);

impl Levels {
    fn new(program: &Program) -> Self {
        let ids = (0..program.relations.len() as u32).map(RelationId);
        Self(ids.map(|id| usize::from(!is_made(program, id))).collect())
    }

    fn of(&self, relation: RelationId) -> usize {
        *self.0.get(relation.at()).or_broken(RelationId::INVARIANT)
    }

    /// The relations whose facts a step of a rule shows as its premises.
    fn premises<'r>(&'r self, rule: &'r Rule) -> impl Iterator<Item = RelationId> + 'r {
        let made = self.of(rule.head) == 0;
        let read = rule.positive().map(|atom| atom.relation);
        read.filter(move |relation| !made || (rule.is_aggregate() && self.of(*relation) == 1))
    }
}

impl Heights {
    /// From the inputs upwards until nothing gets lower.
    pub(super) fn new(context: &Context<'_>) -> Self {
        let stated: Vec<bool> = leaves(context).collect();
        let relations = stated.iter().map(|stated| if *stated { 0 } else { NEVER }).collect();
        let rules = vec![NEVER; context.program.rules.len()];
        let levels = Levels::new(context.program);
        let highest = highest(context, &levels);
        let mut heights = Self { stated, relations, rules, derived: Vec::new(), highest, levels };
        while heights.lower(&context.program.rules) {}
        heights.derived = vec![(0, 0); heights.relations.len()];
        for stratum in &context.program.strata {
            let floor = heights.least(&stratum.rules);
            for relation in &stratum.relations {
                let own = heights.least(context.rules_of(*relation));
                *heights.derived.get_mut(relation.0 as usize).or_broken(RelationId::INVARIANT) = (own, floor);
            }
        }
        heights
    }

    /// Whether the bounds are those of these facts too.
    pub(super) fn suits(&self, context: &Context<'_>) -> bool {
        leaves(context).eq(self.stated.iter().copied())
    }

    /// The height of the lowest proof of a fact, where it is known before any is looked for.
    pub(super) fn known(&self, context: &Context<'_>, fact: FactRef) -> Option<usize> {
        let least = self.of_fact(context, fact);
        let highest = self.highest.get(fact.relation.0 as usize).copied();
        // The value of an aggregate over nothing is as low as a leaf, that over something may not be.
        let is_leaf = context.store.rank(fact) == 0;
        (is_leaf || highest == Some(least)).then_some(least)
    }

    /// Whether the height of the lowest proof is known so of all facts of a relation.
    pub(super) fn is_known(&self, relation: RelationId) -> bool {
        let at = relation.0 as usize;
        let highest = self.highest.get(at).copied().unwrap_or(NEVER);
        highest == 0 || self.derived.get(at).is_some_and(|(own, floor)| *own.max(floor) == highest)
    }

    fn least(&self, rules: &[RuleId]) -> usize {
        rules.iter().map(|rule| self.of_rule(*rule)).min().unwrap_or(0)
    }

    fn lower(&mut self, rules: &[Rule]) -> bool {
        let mut lowered = false;
        for (at, rule) in rules.iter().enumerate() {
            let height = self.of_body(rule);
            let of_rule = self.rules.get_mut(at).or_broken(RuleId::INVARIANT);
            let of_head = self.relations.get_mut(rule.head.0 as usize).or_broken(RelationId::INVARIANT);
            *of_rule = height;
            if height < *of_head {
                *of_head = height;
                lowered = true;
            }
        }
        lowered
    }

    fn of_body(&self, rule: &Rule) -> usize {
        let below = self.levels.premises(rule).map(|relation| self.of_relation(relation)).max();
        below.unwrap_or(0).saturating_add(self.levels.of(rule.head))
    }

    /// How many levels of a proof a step of a relation is.
    pub(super) fn levels(&self, relation: RelationId) -> usize {
        self.levels.of(relation)
    }

    fn of_relation(&self, relation: RelationId) -> usize {
        *self.relations.get(relation.0 as usize).or_broken(RelationId::INVARIANT)
    }

    /// The least height that a derivation by this rule can have.
    pub(super) fn of_rule(&self, rule: RuleId) -> usize {
        *self.rules.get(rule.0 as usize).or_broken(RuleId::INVARIANT)
    }

    /// The least height that a proof of this fact can have: each round of its stratum is one rule more.
    pub(super) fn of_fact(&self, context: &Context<'_>, fact: FactRef) -> usize {
        let Some(rounds) = context.store.rank(fact).checked_sub(1) else { return 0 };
        let (own, floor) = *self.derived.get(fact.relation.0 as usize).or_broken(RelationId::INVARIANT);
        own.max(floor.saturating_add(rounds))
    }
}

/// By relation whether proofs may begin with its facts.
fn leaves<'c>(context: &'c Context<'_>) -> impl Iterator<Item = bool> + 'c {
    let relations = (0u32..).map(RelationId).zip(&context.program.relations);
    relations.map(|(id, relation)| relation.kind == Kind::Input || context.store.has_asserted(id))
}

/// By relation the most that the least height of its facts can be: one more than that of all that its rules read.
fn highest(context: &Context<'_>, levels: &Levels) -> Vec<usize> {
    let mut highest = vec![0; context.program.relations.len()];
    for stratum in &context.program.strata {
        for relation in &stratum.relations {
            let rules = context.rules_of(*relation).iter().map(|rule| &context.program[*rule]);
            let read = rules.flat_map(|rule| levels.premises(rule));
            let read = read.filter_map(|relation| highest.get(relation.0 as usize));
            let below = if stratum.recursive { NEVER } else { read.copied().max().unwrap_or(0) };
            *highest.get_mut(relation.0 as usize).or_broken(RelationId::INVARIANT) =
                below.saturating_add(levels.of(*relation));
        }
    }
    highest
}
