//! The facts of all relations, each once, in the order of the rounds that derived them.

use std::collections::HashSet;

use crate::model::{Database, Extent};
use crate::rows::Rows;
use hence_core::index_vec::IndexVec;
use hence_core::schema::RelationId;
use hence_core::value::Word;
use hence_lang::ir::Program;

/// One relation: the facts of closed rounds, which rules read, and those of the open round.
#[derive(Debug, Default)]
struct Relation {
    closed: Rows,
    open: Rows,
    seen: HashSet<Vec<Word>>,
    rounds: Vec<usize>,
}

/// All relations.
#[derive(Debug)]
pub(super) struct State {
    relations: IndexVec<RelationId, Relation>,
}

impl State {
    /// Round 0: the input and the facts of rule files.
    pub(super) fn new(program: &Program, input: &Database) -> Self {
        let empty =
            |arity| Relation { closed: Rows::new(arity), open: Rows::new(arity), ..Relation::default() };
        let relations = program.relations.iter().map(|relation| empty(relation.columns.len())).collect();
        let mut state = Self { relations };
        for (relation, rows) in (0..).map(RelationId).zip(&input.relations) {
            for row in rows.iter() {
                state.add(relation, row.to_vec());
            }
        }
        for fact in &program.facts {
            state.add(fact.relation, fact.values.iter().map(|value| value.word()).collect());
        }
        let all: Vec<_> = (0..program.relations.len() as u32).map(RelationId).collect();
        state.close_round(&all);
        state
    }

    /// Adds a fact to the open round; whether it is new.
    pub(super) fn add(&mut self, relation: RelationId, row: Vec<Word>) -> bool {
        let facts = &mut self.relations[relation];
        if facts.seen.contains(&row) {
            return false;
        }
        facts.open.push(&row);
        facts.seen.insert(row)
    }

    /// Closes the open round of a stratum's relations: its facts can be read from now on.
    pub(super) fn close_round(&mut self, relations: &[RelationId]) {
        for relation in relations {
            let facts = &mut self.relations[*relation];
            for row in facts.open.iter() {
                facts.closed.push(row);
            }
            facts.open = Rows::new(facts.closed.arity());
            facts.rounds.push(facts.closed.len());
        }
    }

    /// The facts of closed rounds.
    pub(super) fn rows(&self, relation: RelationId) -> impl Iterator<Item = &[Word]> {
        self.relations[relation].closed.iter()
    }

    /// About how many bytes the facts take.
    pub(super) fn bytes(&self) -> usize {
        self.relations.iter().map(|facts| facts.seen.len() * (facts.closed.arity() * 16 + 48)).sum()
    }

    /// The final facts, each relation's rounds up to the last that derived some.
    pub(super) fn extents(self) -> Vec<Extent> {
        let extent = |mut facts: Relation| {
            let end = facts.closed.len();
            facts.rounds.truncate(facts.rounds.partition_point(|&count| count < end) + 1);
            Extent { rows: facts.closed, rounds: facts.rounds }
        };
        self.relations.into_iter().map(extent).collect()
    }
}
