//! Proofs found in the program that tells what certainly and what possibly follows, as proofs by the rules themselves.

use std::collections::HashMap;

use hence_core::fault::OrBroken;
use hence_core::symbol::Symbol;
use hence_lang::ir::Program;
use hence_lang::lower::is_made;
use hence_lang::lower::unknown::{Stands, Unknown};

use super::proof::{AggregateMatch, Derived, FactPattern, Group, Premise, Proof, Step, StepId, StepKind};

/// A proof by the rules of `program`: the steps that only helped are gone, a fact that follows possibly is one of its
/// relation, and what keeps a certain fact from being undetermined is left out.
pub fn by_rules(proof: &Proof, program: &Program, unknown: &Unknown) -> Proof {
    let names = unknown.program.relations.iter().map(|relation| relation.name);
    let stands = (0u32..).map(hence_core::schema::RelationId).map(|id| unknown.stands(id));
    let writer = Writer { proof, program, stands: names.zip(stands).collect() };
    let kept: Vec<usize> = (0..proof.steps.len()).filter(|at| writer.replacement(*at).is_none()).collect();
    let numbers: HashMap<usize, StepId> =
        kept.iter().enumerate().map(|(new, old)| (*old, StepId(new as u32))).collect();
    let steps = kept.iter().map(|at| writer.step(*at, &numbers)).collect();
    Proof { steps, ..*proof }
}

struct Writer<'a> {
    proof: &'a Proof,
    program: &'a Program,
    stands: HashMap<Symbol, &'a Stands>,
}

impl<'a> Writer<'a> {
    fn stands(&self, relation: Symbol) -> &'a Stands {
        self.stands.get(&relation).copied().or_broken("a proof is about the relations of its program")
    }

    fn at(&self, at: usize) -> &'a Step {
        self.proof.steps.get(at).or_broken(StepId::INVARIANT)
    }

    /// The premises that take a step's place: of one that helps, of the value of an aggregate in a body, and of one by
    /// which a certain fact is possible.
    fn replacement(&self, at: usize) -> Option<&'a [Premise]> {
        let step = self.at(at);
        let StepKind::Derived(derived) = &step.kind else { return None };
        let gives_way = match self.stands(step.fact.relation) {
            Stands::Certain => false,
            Stands::Helper => true,
            Stands::Possible(of, _) => is_made(self.program, *of) || self.program[*of].name == derived.rule,
        };
        gives_way.then_some(&derived.premises)
    }

    fn step(&self, at: usize, numbers: &HashMap<usize, StepId>) -> Step {
        let mut step = self.at(at).clone();
        if let Stands::Possible(of, columns) = self.stands(step.fact.relation) {
            let relation = &self.program[*of];
            let mut known = step.fact.values.iter().copied();
            let value = |at: usize| if columns.contains(&at) { None } else { known.next() };
            let args = (0..relation.columns.len()).map(value).collect();
            step.possible = Some(FactPattern { relation: relation.name, args });
            step.fact.relation = relation.name;
        }
        if let StepKind::Derived(derived) = &mut step.kind {
            self.derived(derived, numbers);
            if let (Some(sentence), Some(_)) = (&mut derived.sentence, &step.possible) {
                sentence.insert_str(0, "possibly: ");
            }
        }
        step
    }

    fn derived(&self, derived: &mut Derived, numbers: &HashMap<usize, StepId>) {
        derived.premises = self.premises(&derived.premises, derived.rule, numbers);
        derived.bindings.retain(|(name, _)| self.has(derived.rule, *name));
    }

    /// Whether a rule has a variable.
    fn has(&self, rule: Symbol, variable: Symbol) -> bool {
        let mut rules = self.program.rules.iter().filter(|one| one.id == rule);
        rules.any(|rule| rule.variables.iter().any(|one| one.name == variable))
    }

    /// The premises that a rule itself has.
    fn premises(&self, premises: &[Premise], rule: Symbol, numbers: &HashMap<usize, StepId>) -> Vec<Premise> {
        // Whether each takes the place of another one: such facts are told once.
        let told = (0..premises.len()).filter(|at| !self.says_uncertain(premises, *at));
        let told = told.filter_map(|at| premises.get(at)).rev();
        let mut open: Vec<(Premise, bool)> = told.map(|premise| (premise.clone(), false)).collect();
        let mut all = Vec::new();
        while let Some((premise, replaces)) = open.pop() {
            match premise {
                Premise::Fact(id) => match self.replacement(id.0 as usize) {
                    Some(others) => {
                        let unknown = self.unknown_aggregate(id.0 as usize).map(|unknown| (unknown, false));
                        open.extend(unknown);
                        open.extend(others.iter().rev().map(|other| (other.clone(), true)));
                    }
                    None => {
                        let number = numbers.get(&(id.0 as usize)).copied();
                        let known = Premise::Fact(number.or_broken(StepId::INVARIANT));
                        all.extend((!replaces || !all.contains(&known)).then_some(known));
                    }
                },
                Premise::Absent { ref atom, .. } if *self.stands(atom.relation) != Stands::Certain => {}
                Premise::Bind { var, .. } if !self.has(rule, var) => {}
                Premise::Aggregate(group) => all.push(self.group(&group, rule, numbers)),
                other => all.push(other),
            }
        }
        all
    }

    /// That an aggregate in a body has no value that is known, where a step stands for one: its name shows the body.
    fn unknown_aggregate(&self, at: usize) -> Option<Premise> {
        let Stands::Possible(of, columns) = self.stands(self.at(at).fact.relation) else { return None };
        let relation = &self.program[*of];
        let value = relation.columns.len().checked_sub(1).filter(|value| columns.contains(value))?;
        let value = relation.columns.get(value).filter(|_| is_made(self.program, *of))?;
        let name = relation.name.as_str();
        let written = name.rsplit_once(" in ").map_or(name, |(text, _)| text).to_owned();
        Some(Premise::Test { text: format!("{} is unknown", value.name), written })
    }

    /// Whether a premise only says that the fact before it, which follows possibly, doesn't follow certainly.
    fn says_uncertain(&self, premises: &[Premise], at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| premises.get(before));
        let (Some(Premise::Fact(id)), Some(Premise::Absent { atom, .. })) = (before, premises.get(at)) else {
            return false;
        };
        let fact = &self.at(id.0 as usize).fact;
        let Stands::Possible(of, _) = self.stands(fact.relation) else { return false };
        self.program[*of].name == atom.relation
            && atom.args.iter().copied().eq(fact.values.iter().copied().map(Some))
    }

    fn group(&self, group: &Group, rule: Symbol, numbers: &HashMap<usize, StepId>) -> Premise {
        let input = |input: &AggregateMatch| AggregateMatch {
            bindings: input.bindings.iter().filter(|(name, _)| self.has(rule, *name)).copied().collect(),
            premises: self.premises(&input.premises, rule, numbers),
            ..input.clone()
        };
        let inputs = group.inputs.iter().map(input).collect();
        Premise::Aggregate(Box::new(Group { inputs, ..group.clone() }))
    }
}
