//! What a session keeps between commits, so that one more costs what it changes and not what stands.

use std::collections::{BTreeMap, BTreeSet};

use crate::backend::Database;
use crate::backend::seminaive::standing::{Edit, Standing};
use crate::fact::Fact;
use crate::ledger::{Changes, Decision};
use crate::provenance::Finder;
use crate::schema::{Kind, RelationId};
use crate::symbol::Symbol;
use crate::value::{Value, Word};

use super::Session;
use super::commit::Outcome;
use super::error::SessionError;
use super::evaluation::{self, Evaluation};

/// Everything that follows from the facts of a session, brought up to date commit by commit.
pub(super) struct Kept {
    standing: Standing,
    /// The clock of the last commit.
    now: i64,
    /// The decisions that the last commit left as they were.
    undetermined: BTreeSet<RelationId>,
    /// The last transaction of the ledger.
    tx: u64,
}

/// How far a session is on the way to keep what follows: one commit alone doesn't pay for it.
#[derive(Default)]
pub(super) enum Habit {
    /// Nothing was committed yet.
    #[default]
    New,
    /// Something was; the next commit keeps what follows from it.
    Once,
    /// What follows is kept.
    Kept(Box<Kept>),
}

/// A fact as a row of the program, if it has such a relation.
fn row_of(session: &Session, fact: &Fact) -> Option<(RelationId, Vec<Word>)> {
    let program = &session.rules.program;
    let relation = program.find(fact.relation)?;
    let schema = program.relation(relation)?;
    let fits = schema.columns.len() == fact.values.len()
        && schema.types().zip(&fact.values).all(|(ty, value)| ty == value.ty());
    fits.then(|| (relation, fact.values.iter().map(|value| value.word()).collect()))
}

impl Session {
    /// What follows once `changes` are in, beside the decisions that stand. What is kept for the next commit is put
    /// back by the caller once everything is recorded.
    pub(super) fn advance(&mut self, changes: &Changes, now: i64) -> Result<(Outcome, Habit), SessionError> {
        match std::mem::take(&mut self.habit) {
            Habit::Kept(mut kept) if kept.tx == self.last_tx() => {
                self.change(&mut kept, changes, now)?;
                let outcome = self.differences(&mut kept)?;
                Ok((outcome, Habit::Kept(kept)))
            }
            Habit::New => {
                let evaluation = self.evaluate_with(changes, now)?;
                Ok((self.compare(&evaluation)?, Habit::Once))
            }
            Habit::Once | Habit::Kept(_) => {
                let input = self.input_with(changes, now)?;
                let (kept, evaluation) = self.keep(&input, now)?;
                Ok((self.compare(&evaluation)?, Habit::Kept(Box::new(kept))))
            }
        }
    }

    /// The number of the ledger's last transaction.
    pub(super) fn last_tx(&self) -> u64 {
        self.ledger().map_or(0, crate::ledger::Ledger::last_tx)
    }

    fn keep(&self, input: &Database, now: i64) -> Result<(Kept, Evaluation), SessionError> {
        let program = &self.rules.program;
        let standing = Standing::new(program, input, &self.limits)
            .map_err(|reached| evaluation::limit(program, &self.rules.sources, &reached))?;
        let model = standing.model();
        let undetermined = self.undetermined(&standing);
        let evaluation = Evaluation { model, undetermined: undetermined.clone() };
        Ok((Kept { standing, now, undetermined, tx: 0 }, evaluation))
    }

    fn undetermined(&self, standing: &Standing) -> BTreeSet<RelationId> {
        if self.lenient {
            return BTreeSet::new();
        }
        evaluation::undetermined(&self.rules.program, standing.undefined())
    }

    fn change(&self, kept: &mut Kept, changes: &Changes, now: i64) -> Result<(), SessionError> {
        let clock = |at| Fact::new(Symbol::new("now"), [Value::Time(at)]);
        let clocks = [(clock(kept.now), false), (clock(now), true)];
        let removed = changes.removed.iter().map(|fact| (fact, false));
        let added = changes.added.iter().map(|fact| (fact, true));
        let clocks = clocks.iter().map(|(fact, stands)| (fact, *stands));
        let rows: Vec<(RelationId, Vec<Word>, bool)> = removed
            .chain(added)
            .chain(clocks)
            .filter_map(|(fact, stands)| row_of(self, fact).map(|(relation, row)| (relation, row, stands)))
            .collect();
        let edits: Vec<Edit<'_>> = rows
            .iter()
            .map(|(relation, row, stands)| Edit { relation: *relation, row, stands: *stands })
            .collect();
        kept.now = now;
        let program = &self.rules.program;
        let applied = kept.standing.apply(&edits);
        applied.map_err(|reached| evaluation::limit(program, &self.rules.sources, &reached))
    }

    /// The decisions that the last change drew and let lapse.
    fn differences(&self, kept: &mut Kept) -> Result<Outcome, SessionError> {
        let program = &self.rules.program;
        let undetermined = self.undetermined(&kept.standing);
        let is_decision =
            |id: &RelationId| program.relation(*id).is_some_and(|found| found.kind == Kind::Decision);
        let (mut drawn, mut lapsed) = (Vec::new(), Vec::new());
        let settled = |id: &RelationId| !undetermined.contains(id) && !kept.undetermined.contains(id);
        for id in kept.standing.changed().into_iter().filter(is_decision).filter(settled) {
            for (row, came) in kept.standing.changes(id) {
                let list = if came { &mut drawn } else { &mut lapsed };
                list.push(evaluation::fact_of(program, id, row));
            }
        }
        // What was undetermined and isn't any more may have changed meanwhile.
        for id in kept.undetermined.difference(&undetermined) {
            self.resume(kept, *id, &mut drawn, &mut lapsed)?;
        }
        drawn.sort_unstable();
        lapsed.sort_unstable();
        let outcome = Outcome {
            drawn: self.told(kept, drawn),
            lapsed,
            stands: self.standing_counts(&undetermined, |id| kept.standing.len(id)),
            undetermined: self.names(&undetermined),
            reports: super::ask::told(&self.rules.program, &self.rules.sources, kept.standing.undefined()),
            ..Outcome::default()
        };
        kept.undetermined = undetermined;
        Ok(outcome)
    }

    /// The difference of a decision to what is recorded.
    fn resume(
        &self,
        kept: &Kept,
        id: RelationId,
        drawn: &mut Vec<Fact>,
        lapsed: &mut Vec<Fact>,
    ) -> Result<(), SessionError> {
        let program = &self.rules.program;
        let name = program.relation(id).map(|found| found.name);
        let before = self.decisions_before()?.into_iter().map(|decision| decision.fact);
        let mut before: BTreeSet<Fact> = before.filter(|fact| Some(fact.relation) == name).collect();
        for row in kept.standing.rows(id) {
            let fact = evaluation::fact_of(program, id, row);
            if !before.remove(&fact) {
                drawn.push(fact);
            }
        }
        lapsed.extend(before);
        Ok(())
    }

    /// Facts as decisions, with their reasons.
    fn told(&self, kept: &Kept, facts: Vec<Fact>) -> Vec<Decision> {
        if facts.is_empty() {
            return Vec::new();
        }
        let finder = Finder::over(&self.rules.program, &kept.standing, &self.rules.sources, &self.store);
        let decision = |fact: Fact| {
            let (rule, sentence) = self.reason(&finder, &fact);
            Decision { fact, rule, sentence }
        };
        facts.into_iter().map(decision).collect()
    }

    /// How many facts each decision has that is determined.
    pub(super) fn standing_counts(
        &self,
        undetermined: &BTreeSet<RelationId>,
        len: impl Fn(RelationId) -> usize,
    ) -> BTreeMap<Symbol, usize> {
        let relations = (0u32..).map(RelationId).zip(&self.rules.program.relations);
        let decided =
            relations.filter(|(id, relation)| relation.kind == Kind::Decision && !undetermined.contains(id));
        decided.map(|(id, relation)| (relation.name, len(id))).filter(|(_, count)| *count > 0).collect()
    }

    fn names(&self, relations: &BTreeSet<RelationId>) -> Vec<Symbol> {
        relations.iter().filter_map(|id| self.rules.program.relation(*id)).map(|found| found.name).collect()
    }

    /// Keeps what follows for the next commit, now that everything is recorded.
    pub(super) fn remember(&mut self, mut habit: Habit) {
        if let Habit::Kept(kept) = &mut habit {
            kept.tx = self.last_tx();
        }
        self.habit = habit;
    }
}
