//! Why a fact doesn't hold in one model that another one proves: what of that proof fails here, down to where it
//! begins.

use std::collections::HashMap;

use hence_core::fact::Fact;
use hence_core::symbol::Symbol;
use hence_core::value::{Value, Word};
use hence_lang::ir::{Literal, Program, Rule, RuleId};

use super::proof::{Derived, FactPattern, Premise, Proof, StepId, StepKind};
use super::render::failure_line;
use super::why_not::Failure;
use super::{Finder, WhyError};

/// Where a walk down a proof goes on.
enum Found {
    /// At a step that doesn't hold here either.
    Below(StepId),
    /// Nowhere: this is what fails, in one line.
    End(String),
}

impl<'a> Finder<'a> {
    /// Why `fact`, which `other` proves, doesn't hold here: what fails of that proof, at the bottom of it; nothing where
    /// it holds here, `other` doesn't prove it, or one side leaves something open.
    ///
    /// # Errors
    /// As [`Finder::why`].
    pub fn reason_beside(&self, fact: &Fact, other: &Finder<'_>) -> Result<Option<String>, WhyError> {
        if self.is_three_valued() || other.is_three_valued() || self.holds(fact) {
            return Ok(None);
        }
        let proof = other.why(fact)?.filter(|proof| self.reads_alike(proof, other));
        let Some(proof) = proof else { return Ok(None) };
        let mut at = StepId(0);
        // Each step refers only to later ones, so the walk ends.
        loop {
            match self.breaks(&proof, at) {
                Some(Found::Below(next)) if next > at => at = next,
                Some(Found::End(line)) => return self.checked(Some(line)),
                _ => return self.checked(None),
            }
        }
    }

    /// Whether all relations of a proof have the same columns here and there, so that its facts can be looked up.
    fn reads_alike(&self, proof: &Proof, other: &Finder<'_>) -> bool {
        let (here, there) = (self.context.program, other.context.program);
        proof.steps.iter().all(|step| {
            let name = step.fact.relation;
            let columns = |program: &Program| {
                let relation = &program[program.find(name)?];
                Some(relation.columns.iter().map(|column| (column.name, column.ty.ty)).collect::<Vec<_>>())
            };
            let (one, two) = (columns(here), columns(there));
            one.is_none() || one == two
        })
    }

    /// What of a step fails here.
    fn breaks(&self, proof: &Proof, at: StepId) -> Option<Found> {
        let step = proof.step(at)?;
        match &step.kind {
            StepKind::Derived(derived) => self.breaks_rule(proof, &step.fact, derived),
            StepKind::ProgramFact { id, .. } => {
                Some(Found::End(format!("no program fact `{id}` gives {}", step.fact)))
            }
            StepKind::Asserted { .. } => {
                Some(Found::End(format!("{} is not asserted", self.shown(&step.fact))))
            }
            StepKind::Cut => None,
        }
    }

    fn breaks_rule(&self, proof: &Proof, fact: &Fact, derived: &Derived) -> Option<Found> {
        let head = self.context.program.find(fact.relation)?;
        let rules = self.context.rules_of(head).iter();
        let same =
            rules.map(|id| (*id, &self.context.program[*id])).find(|(_, rule)| rule.id == derived.rule);
        let Some((id, rule)) = same else {
            return Some(Found::End(format!("there is no rule {}", derived.rule)));
        };
        let line = |failure| {
            Found::End(format!("rule {}: {}", derived.rule, failure_line(self.context.program, &failure)))
        };
        let premises = self.breaks_premise(proof, &derived.premises).map(|found| found.unwrap_or_else(line));
        premises.or_else(|| self.fails(rule, derived).map(line)).or_else(|| {
            let asked: Vec<Option<Word>> = fact.values.iter().map(|value| Some(value.word())).collect();
            self.failure_of(id, rule, &asked).map(line)
        })
    }

    /// The first premise that doesn't hold here: a step to go on with, or what fails.
    fn breaks_premise(&self, proof: &Proof, premises: &[Premise]) -> Option<Result<Found, Failure>> {
        premises.iter().find_map(|premise| match premise {
            Premise::Fact(id) => {
                let step = proof.step(*id).filter(|step| !self.holds(&step.fact))?;
                Some(match step.kind {
                    StepKind::Derived(_) => Ok(Found::Below(*id)),
                    _ => Err(self.missing(&step.fact)),
                })
            }
            Premise::Absent { atom, .. } => {
                let relation = self.context.program.find(atom.relation)?;
                let facts = self.instances(relation, &atom.args);
                let (first, count) = (facts.first()?.clone(), facts.len());
                Some(Err(Failure::InTheWay { atom: atom.clone(), facts: vec![first], count, why: None }))
            }
            Premise::Aggregate(group) => {
                group.inputs.iter().find_map(|input| self.breaks_premise(proof, &input.premises))
            }
            _ => None,
        })
    }

    fn missing(&self, fact: &Fact) -> Failure {
        let args = fact.values.iter().copied().map(Some).collect();
        let among = self.context.program.find(fact.relation).map_or(0, |id| self.context.store.len(id));
        let atom = FactPattern { relation: fact.relation, args };
        Failure::Missing { atom, among, nearest: Vec::new(), below: None }
    }

    /// The first condition of a rule that fails with the values of a step of the other side.
    fn fails(&self, rule: &'a Rule, derived: &Derived) -> Option<Failure> {
        let known: HashMap<Symbol, Value> = derived.bindings.iter().copied().collect();
        let bound =
            |at: usize| rule.variables.get(at).is_some_and(|variable| known.contains_key(&variable.name));
        let words: Vec<Word> = rule
            .variables
            .iter()
            .map(|variable| known.get(&variable.name).map_or(Word(0), |value| value.word()))
            .collect();
        let (phrase, params) = (self.phrase(rule), &self.context.params);
        rule.body.iter().find_map(|literal| {
            let Literal::Test { expr, .. } = literal else { return None };
            let mut knows = true;
            expr.for_each_var(&mut |var| knows &= bound(var.0 as usize));
            if !knows {
                return None;
            }
            let written = phrase.written(expr);
            match expr.eval(&words, params) {
                Ok(word) if word.as_bool() => None,
                Ok(_) => Some(Failure::Test { text: phrase.condition(expr, &words, params), written }),
                Err(_) => Some(Failure::NoResult { text: phrase.valued(expr, &words, params), written }),
            }
        })
    }

    /// How far one rule gets towards a fact.
    fn failure_of(&self, id: RuleId, rule: &'a Rule, asked: &[Option<Word>]) -> Option<Failure> {
        let failure = self.failure_by(id, rule, asked);
        (failure != Failure::Stopped).then_some(failure)
    }

    fn shown(&self, fact: &Fact) -> String {
        super::render::fact_text(self.context.program, fact)
    }
}
