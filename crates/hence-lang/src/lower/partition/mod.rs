//! `@partition(column)`: in which shard the facts of each relation lie, and that no rule needs facts of two.
//!
//! A fact of a partitioned input lies in one shard, that of its value in the column. What rules derive from such facts is
//! partitioned too, by its *keys*: the columns that hold that value in each of its facts. Every other relation is
//! *reference data*, of which each shard has all. The keys are the greatest fixpoint over the rules: a rule keeps to one
//! shard if all partitioned atoms of its body, negated ones too, have one value in common at their keys, and carries that
//! value into its head. Then the facts that each shard derives by itself are those of the whole that lie in it.

mod places;
mod report;

use std::collections::{BTreeMap, BTreeSet};

use hence_core::diagnostic::Diagnostic;
use hence_core::fault::OrBroken;
use hence_core::schema::{Kind, RelationId};

use crate::analysis::checked::{Checked, Effect};
use crate::builtins::term::Term;
use crate::ir::{Atom, Literal, Program, Rule};
use places::{Place, Places};
use report::Crossing;

/// The columns that hold the value by which a relation is partitioned.
type Keys = BTreeSet<usize>;

/// The rules, effects and decisions that don't keep to one shard; none without a partitioned input.
pub fn crossings(checked: &Checked, program: &Program) -> Vec<Diagnostic> {
    if checked.partitions.is_empty() {
        return Vec::new();
    }
    let mut proof = Proof { checked, program, keys: initial(checked, program), lost: BTreeSet::new() };
    let mut found = proof.facts();
    while let Some(crossing) = proof.advance() {
        // What an aggregate in a body was lowered to is told once.
        let told = |one: &Diagnostic| found.iter().any(|other| other.span() == one.span());
        let crossing = crossing.filter(|one| !told(one));
        found.extend(crossing);
    }
    found.extend(checked.effects.iter().filter_map(|effect| proof.effect(effect)));
    found.extend(proof.shared_decisions());
    found
}

/// The partitioned relations, each with the columns that may turn out to be its keys.
fn initial(checked: &Checked, program: &Program) -> BTreeMap<RelationId, Keys> {
    let inputs = checked.partitions.iter().map(|input| (input.relation, Keys::from([input.column])));
    let mut keys: BTreeMap<RelationId, Keys> = inputs.collect();
    loop {
        let before = keys.len();
        for rule in &program.rules {
            let reads = rule.reads().any(|read| keys.contains_key(&read));
            if reads && program[rule.head].kind != Kind::Input {
                keys.entry(rule.head).or_insert_with(|| (0..rule.terms.len()).collect());
            }
        }
        if keys.len() == before {
            return keys;
        }
    }
}

/// The fixpoint on its way.
struct Proof<'a> {
    checked: &'a Checked,
    program: &'a Program,
    /// The partitioned relations with their keys as far as they are known.
    keys: BTreeMap<RelationId, Keys>,
    /// The partitioned relations without keys, each of which was reported; nothing is said of what reads them.
    lost: BTreeSet<RelationId>,
}

impl Proof<'_> {
    /// One rule more that leaves its head fewer keys, with what is to be said of it; `None` once there is none.
    fn advance(&mut self) -> Option<Option<Diagnostic>> {
        let program = self.program;
        // An aggregate in a body is at fault itself, not the rule that asks for its result.
        let (made, others): (Vec<_>, Vec<_>) = program.rules.iter().partition(|rule| self.is_made(rule.head));
        for rule in made.into_iter().chain(others) {
            if self.is_silent(rule) {
                continue;
            }
            let carried = match self.carried(rule) {
                Ok(carried) => carried,
                Err(crossing) => {
                    self.lost.insert(rule.head);
                    return Some(Some(self.report(rule, crossing)));
                }
            };
            let Some(known) = self.keys.get_mut(&rule.head) else { continue };
            let left: Keys = known.intersection(&carried).copied().collect();
            if left.len() == known.len() {
                continue;
            }
            if left.is_empty() {
                let crossing = Crossing::OtherColumn { known: known.clone(), carried };
                self.lost.insert(rule.head);
                return Some(Some(self.report(rule, crossing)));
            }
            *known = left;
            return Some(None);
        }
        None
    }

    /// Whether nothing is to be said of a rule: it has no part in partitions, or a relation of it was reported.
    fn is_silent(&self, rule: &Rule) -> bool {
        let mut relations = rule.reads().chain([rule.head]);
        let concerned = relations.any(|relation| self.keys.contains_key(&relation));
        let mut relations = rule.reads().chain([rule.head]);
        !concerned || relations.any(|relation| self.lost.contains(&relation))
    }

    /// The columns of the head into which the rule carries the value that its partitioned atoms have in common.
    fn carried(&self, rule: &Rule) -> Result<Keys, Crossing> {
        let common = self.common(rule)?;
        if !self.keys.contains_key(&rule.head) {
            return Err(Crossing::IntoReference);
        }
        let places = Places::of(rule);
        if let Some(limit) = &rule.limit
            && !limit.per.iter().any(|var| common.contains(&places.of_var(*var)))
        {
            return Err(Crossing::Limit { common });
        }
        let carries = |term: &Term| match term {
            Term::Expr(expr) => places.of_expr(expr).is_some_and(|place| common.contains(&place)),
            Term::Aggregate { .. } => false,
        };
        let columns = rule.terms.iter().enumerate().filter(|(_, term)| carries(term));
        let carried: Keys = columns.map(|(column, _)| column).collect();
        if carried.is_empty() { Err(Crossing::Head { common }) } else { Ok(carried) }
    }

    /// The values that all partitioned atoms of the body have at their keys.
    fn common(&self, rule: &Rule) -> Result<BTreeSet<Place>, Crossing> {
        let places = Places::of(rule);
        let partitioned = |literal: &&Literal| literal.atom().is_some_and(|atom| self.is_partitioned(atom));
        let literals: Vec<&Literal> = rule.body.iter().filter(partitioned).collect();
        let Some(first) = literals.iter().find_map(|literal| literal.positive()) else {
            return Err(match literals.first().and_then(|literal| literal.negated()) {
                Some(negated) => Crossing::OnlyAbsent { at: negated.span },
                None => Crossing::FromReference,
            });
        };
        let mut common = self.places(&places, first);
        for atom in literals.iter().filter_map(|literal| literal.atom()) {
            let own = self.places(&places, atom);
            if own.is_empty() {
                return Err(Crossing::Open { atom: atom.clone() });
            }
            let both: BTreeSet<Place> = common.intersection(&own).copied().collect();
            if both.is_empty() {
                return Err(Crossing::Apart { first: first.clone(), other: atom.clone() });
            }
            common = both;
        }
        Ok(common)
    }

    fn is_partitioned(&self, atom: &Atom) -> bool {
        self.keys.contains_key(&atom.relation)
    }

    /// What stands at the keys of an atom.
    fn places(&self, places: &Places, atom: &Atom) -> BTreeSet<Place> {
        let keys = self.keys.get(&atom.relation).or_broken("a partitioned relation has keys");
        keys.iter().filter_map(|column| places.of_arg(*atom.args.get(*column)?)).collect()
    }

    /// Facts of rule files that partitioned relations hold: every shard has them.
    fn facts(&mut self) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        for fact in &self.program.facts {
            if self.keys.contains_key(&fact.relation) && self.lost.insert(fact.relation) {
                found.push(self.report_fact(fact));
            }
        }
        found
    }

    /// What an effect does to its input in the wrong shards.
    fn effect(&self, effect: &Effect) -> Option<Diagnostic> {
        let input = self.checked.partition_of(effect.input);
        let keys = self.keys.get(&effect.relation);
        if self.lost.contains(&effect.relation) {
            return None;
        }
        let rule = self.checked.rules.get(effect.rule)?;
        match (input, keys) {
            (None, None) => None,
            (None, Some(_)) => Some(self.effect_on_reference(rule, effect)),
            (Some(input), keys) => {
                let own = effect.columns.get(input.column).copied().flatten();
                let keeps = own.zip(keys).is_some_and(|(own, keys)| keys.contains(&own));
                (!keeps).then(|| self.effect_elsewhere(rule, input))
            }
        }
    }

    /// The decisions that every shard would draw.
    fn shared_decisions(&self) -> Vec<Diagnostic> {
        let derived = |id: RelationId| {
            self.program.rules.iter().any(|rule| rule.head == id)
                || self.program.facts.iter().any(|fact| fact.relation == id)
        };
        let numbered = (0..).map(RelationId).zip(&self.program.relations);
        let shared = numbered.filter(|(id, relation)| {
            relation.kind == Kind::Decision && !self.keys.contains_key(id) && derived(*id)
        });
        shared.map(|(_, relation)| self.report_shared(relation)).collect()
    }
}
