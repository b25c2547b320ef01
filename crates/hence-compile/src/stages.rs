//! Which `crepe!` program evaluates what: aggregates and limits come between two programs, because crepe knows
//! neither.
//!
//! A relation is complete from some program on: input from the first. A stratum is evaluated in the first program in
//! which all that its rules read is complete or evaluated too. The matches of a rule with an aggregate or a limit are
//! found in the first program that can; its facts come after that program.

use hence_core::index_vec::IndexVec;
use hence_core::schema::RelationId;
use hence_lang::ir::{Program, Rule, RuleId};

/// Who evaluates what.
pub(super) struct Stages {
    /// How many programs there are.
    pub(super) programs: usize,
    /// The program that evaluates a relation's rules; `None` where rules don't derive it, or aggregates and limits
    /// alone.
    pub(super) derived_in: IndexVec<RelationId, Option<usize>>,
    /// The program of a rule; of an aggregate or a limit, that of its matches.
    pub(super) rules: IndexVec<RuleId, usize>,
    /// Whether facts of a derived relation come from outside its program: from rule files or aggregates.
    pub(super) given: IndexVec<RelationId, bool>,
}

/// Whether a rule's facts are made of all of its matches together.
pub(super) fn gathers(rule: &Rule) -> bool {
    rule.is_aggregate() || rule.limit.is_some()
}

impl Stages {
    /// The stages of a program.
    pub(super) fn new(program: &Program) -> Self {
        let relations = program.relations.len();
        let mut stages = Self {
            programs: 1,
            derived_in: IndexVec::filled(None, relations),
            rules: IndexVec::filled(0, program.rules.len()),
            given: IndexVec::filled(false, relations),
        };
        let mut ready = IndexVec::filled(0, relations);
        for stratum in &program.strata {
            stages.stratum(program, &stratum.relations, &stratum.rules, &mut ready);
        }
        for fact in &program.facts {
            stages.give(fact.relation);
        }
        // What is asserted of an input that rules feed.
        for relation in program.fed() {
            stages.give(relation);
        }
        stages.programs = stages.rules.iter().max().map_or(1, |last| last + 1);
        stages
    }

    fn stratum(
        &mut self,
        program: &Program,
        relations: &[RelationId],
        rules: &[RuleId],
        ready: &mut IndexVec<RelationId, usize>,
    ) {
        let rules: Vec<(RuleId, &Rule)> = rules.iter().map(|id| (*id, &program[*id])).collect();
        let needs = |rule: &Rule, ready: &IndexVec<RelationId, usize>| {
            rule.reads().map(|read| ready[read]).max().unwrap_or(0)
        };
        let (mut level, mut plain) = (0, false);
        for (id, rule) in &rules {
            let need = needs(rule, ready);
            if gathers(rule) {
                self.rules[*id] = need;
                self.give(rule.head);
                level = level.max(need + 1);
            } else {
                level = level.max(need);
                plain = true;
            }
        }
        for (id, _) in rules.iter().filter(|(_, rule)| !gathers(rule)) {
            self.rules[*id] = level;
        }
        for relation in relations {
            ready[*relation] = level;
            if plain {
                self.derived_in[*relation] = Some(level);
            }
        }
    }

    fn give(&mut self, relation: RelationId) {
        self.given[relation] = true;
    }

    /// Whether `program` evaluates `relation`.
    pub(super) fn derives(&self, program: usize, relation: RelationId) -> bool {
        self.derived_in[relation] == Some(program)
    }

    /// The rules of a program, in order.
    pub(super) fn rules_of<'p>(
        &self,
        program: &'p Program,
        at: usize,
    ) -> impl Iterator<Item = (u32, &'p Rule)> {
        let numbered = (0..).zip(&program.rules).zip(self.rules.iter());
        numbered.filter(move |(_, place)| **place == at).map(|(rule, _)| rule)
    }

    /// The relations that a program only reads, ascending.
    pub(super) fn read_by(&self, program: &Program, at: usize) -> Vec<RelationId> {
        let reads = self.rules_of(program, at).flat_map(|(_, rule)| rule.reads());
        let mut read: Vec<_> = reads.filter(|read| !self.derives(at, *read)).collect();
        read.sort_unstable();
        read.dedup();
        read
    }

    /// The relations that a program derives, ascending.
    pub(super) fn derived_by(&self, at: usize) -> Vec<RelationId> {
        self.derived_in.ids().filter(|relation| self.derives(at, *relation)).collect()
    }

    /// Whether facts of a relation are given to the program that derives it.
    pub(super) fn is_given(&self, relation: RelationId) -> bool {
        self.given[relation]
    }
}

/// The place of the table that holds a rule's matches, after all relations.
pub(super) fn matches_table(program: &Program, number: u32) -> usize {
    let before = program.rules.iter().take(number as usize).filter(|rule| gathers(rule)).count();
    program.relations.len() + before
}

/// How many columns a relation has for crepe: at least one.
pub(super) fn arity(program: &Program, relation: RelationId) -> usize {
    program[relation].columns.len().max(1)
}

/// The columns of positive atoms that hold no term, in order; they make matches distinct.
pub(super) fn open_columns(rule: &Rule) -> usize {
    rule.positive().flat_map(|atom| &atom.args).filter(|arg| matches!(arg, hence_lang::ir::Arg::Any)).count()
}
