//! Tries guesses by evaluating the rules on the changed input: only what then derives the fact is a remedy.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use hence_core::fact::Fact;
use hence_core::fault::OrBroken;
use hence_core::schema::{Kind, RelationId};
use hence_core::value::{Value, Word};
use hence_engine::{Database, Engine, LimitReached, Limits};
use hence_lang::builtins::expr::ExprKind;
use hence_lang::ir::Program;

use super::abduce::Abduction;
use super::change::{Change, Remedies, Remedy};
use super::{Asked, Failure, Finder, SHOWN};

/// What holds of a model.
const HELD: &str = "a model holds every relation of its program, round by round";

/// What holds of a change.
const KNOWN: &str = "a change is to something that the program has";

/// How many remedies are wanted.
const HANDFUL: usize = 5;

/// How many guesses are evaluated.
const TRIES: usize = 40;

/// How remedies are tried.
#[derive(Clone, Copy)]
pub struct Trial<'t> {
    /// The engine that evaluates the changed input.
    pub engine: &'t dyn Engine,
    /// The limits of each evaluation.
    pub limits: Limits,
    /// The wall time for all of them.
    pub time: Duration,
}

impl Finder<'_> {
    /// The smallest sets of assertions, retractions and parameters after which some fact of `relation` fits
    /// `pattern`: each is verified by an evaluation. The clock is never changed.
    pub fn remedies(&self, relation: RelationId, pattern: &[Option<Value>], trial: &Trial<'_>) -> Remedies {
        self.lenient().remedies_by_rules(relation, pattern, trial)
    }

    fn remedies_by_rules(
        &self,
        relation: RelationId,
        pattern: &[Option<Value>],
        trial: &Trial<'_>,
    ) -> Remedies {
        let asked: Asked = pattern.iter().map(|value| value.map(Value::word)).collect();
        let start = Instant::now();
        let mut remedies = Remedies::default();
        if self.matching(relation, &asked, 1).1 > 0 {
            return remedies;
        }
        let input = self.input();
        let mut seen: BTreeSet<Vec<Change>> = BTreeSet::new();
        let mut search = Abduction::new(self, relation, &asked, start + trial.time);
        let first: Vec<_> = self.direct(relation, pattern).into_iter().collect();
        let mut guesses = first.into_iter();
        while let Some(mut changes) = guesses.next().or_else(|| search.next()) {
            changes.sort();
            changes.dedup();
            let larger = remedies.found.iter().any(|known| covers(&changes, &known.changes));
            if larger || !seen.insert(changes.clone()) {
                continue;
            }
            if remedies.found.len() >= HANDFUL || remedies.tried >= TRIES || start.elapsed() >= trial.time {
                remedies.stopped = Some(format!("stopped searching after {} evaluations", remedies.tried));
                break;
            }
            remedies.tried += 1;
            let derives = match self.try_out(&input, &changes, relation, &asked, trial) {
                Ok(derives) => derives,
                Err(reached) => {
                    remedies.stopped = Some(format!("{} was reached while trying a change", reached.bound));
                    break;
                }
            };
            if !derives.is_empty() {
                let needs_human = changes.iter().any(|change| self.is_for_a_person(change));
                remedies.found.push(Remedy { changes, needs_human, derives });
            }
        }
        if remedies.stopped.is_none() && search.stopped() {
            remedies.stopped = Some(String::from("stopped searching after too many candidates"));
        }
        remedies.found.sort_by_key(|remedy| remedy.changes.len());
        remedies
    }

    /// Guesses that need no search: the fact itself where it is an input, a higher limit where one leaves it out.
    fn direct(&self, relation: RelationId, pattern: &[Option<Value>]) -> Option<Vec<Change>> {
        let program = self.context.program;
        let found = program.relation(relation)?;
        if found.kind == Kind::Input {
            let values: Option<Vec<Value>> = pattern.iter().copied().collect();
            return Some(vec![Change::Assert(Fact::new(found.name, values?), vec![false; pattern.len()])]);
        }
        let answer = self.why_not(relation, pattern);
        answer.attempts.iter().find_map(|attempt| {
            let Failure::Limit { rank, .. } = attempt.failure else { return None };
            let rule = program.rules.iter().find(|rule| rule.id == attempt.rule)?;
            let ExprKind::Param(param) = rule.limit.as_ref()?.count.kind else { return None };
            let param = program.params.get(param.0 as usize)?;
            Some(vec![Change::Set(param.name, param.value, Value::Int(i64::try_from(rank).ok()?))])
        })
    }

    /// The facts that the model started from: inputs, and facts of derived relations that were given.
    fn input(&self) -> Database {
        let program = self.context.program;
        let mut database = Database::new(program);
        for at in 0..program.relations.len() {
            let relation = RelationId(at as u32);
            let extent = self.context.store.extent(relation).or_broken(HELD);
            let asserted = *extent.rounds.first().or_broken(HELD);
            extent.rows.iter().take(asserted).for_each(|row| database.push(relation, row));
        }
        database
    }

    fn try_out(
        &self,
        input: &Database,
        changes: &[Change],
        relation: RelationId,
        asked: &Asked,
        trial: &Trial<'_>,
    ) -> Result<Vec<Fact>, LimitReached> {
        let mut program = self.context.program.clone();
        let mut database = input.clone();
        changes.iter().for_each(|change| apply(&mut program, &mut database, change));
        let model = trial.engine.evaluate(&program, database, &trial.limits)?;
        let undetermined = model.undefined.iter().map(|undefined| &program[undefined.rule]);
        let decision = program[relation].kind == Kind::Decision;
        if decision && undetermined.into_iter().any(|rule| program.dependents(rule.head).contains(&relation))
        {
            return Ok(Vec::new());
        }
        let extent = model.extent(relation).or_broken(HELD);
        let fits = |row: &&[Word]| {
            row.iter().zip(asked).all(|(word, asked)| asked.is_none_or(|asked| asked == *word))
        };
        let name = self.context.name(relation);
        let facts =
            extent.rows.iter().filter(fits).map(|row| Fact::new(name, self.context.values(relation, row)));
        let mut facts: Vec<_> = facts.collect();
        facts.sort();
        facts.truncate(SHOWN);
        Ok(facts)
    }

    /// Whether a change asserts what some guarded decision requires.
    fn is_for_a_person(&self, change: &Change) -> bool {
        let Change::Assert(fact, _) = change else { return false };
        self.context.program.relations.iter().any(|relation| relation.requires == Some(fact.relation))
    }
}

/// Whether `changes` hold all of `known`, a parameter set to whatever value.
fn covers(changes: &[Change], known: &[Change]) -> bool {
    known.iter().all(|one| {
        changes.iter().any(|other| match (one, other) {
            (Change::Set(name, ..), Change::Set(other, ..)) => name == other,
            _ => one == other,
        })
    })
}

fn apply(program: &mut Program, database: &mut Database, change: &Change) {
    match change {
        Change::Set(name, _, value) => {
            let param = program.params.iter_mut().find(|param| param.name == *name);
            param.or_broken(KNOWN).value = *value;
        }
        Change::Assert(fact, _) => {
            let row: Vec<Word> = fact.values.iter().map(|value| value.word()).collect();
            database.push(program.find(fact.relation).or_broken(KNOWN), &row);
        }
        Change::Retract(fact) => {
            let row: Vec<Word> = fact.values.iter().map(|value| value.word()).collect();
            let relation = program.find(fact.relation).or_broken(KNOWN);
            let rows = database.relations.get_mut(relation.0 as usize).or_broken(KNOWN);
            let mut kept = hence_engine::Rows::new(rows.arity());
            rows.iter().filter(|other| *other != row).for_each(|other| kept.push(other));
            *rows = kept;
        }
    }
}
