//! What follows in each step of a test: one step is evaluated by itself; several are commits of one session, which
//! brings what follows up to date as it does for everybody.

use std::collections::{BTreeMap, BTreeSet};

use hence_core::fact::Fact;
use hence_core::fault::OrBroken;
use hence_core::symbol::Symbol;
use hence_core::value::{Value, Word};
use hence_engine::{Database, Limits, SemiNaive};
use hence_lang::ir::Program;
use hence_session::{CommitRequest, Evaluation, RuleSet, Session, SessionError};

/// What a step changes.
#[derive(Clone)]
pub(super) struct Moment {
    pub(super) added: Vec<Fact>,
    pub(super) removed: Vec<Fact>,
    /// The clock from then on.
    pub(super) now: i64,
}

/// What a step came to.
pub(super) struct Reached {
    pub(super) evaluation: Evaluation,
    /// What the step retracts and didn't stand.
    pub(super) missing: Vec<Fact>,
    /// The facts before each step of its effects.
    before_effects: Vec<Vec<Fact>>,
    /// The facts that effects have asserted so far, each with its rule and the number of the step.
    pub(super) asserted: BTreeMap<Fact, (String, u64)>,
}

/// What followed before each step of effects, where rules hold that the effects consume.
pub(super) fn before_effects(
    rules: &RuleSet,
    program: &Program,
    (reached, now): (&Reached, i64),
    limits: &Limits,
) -> Result<Vec<Evaluation>, SessionError> {
    let before = reached.before_effects.iter();
    before.map(|facts| alone(rules, program, facts, now, limits)).collect()
}

/// What follows by a program in each step; `rules` are those that it was made of.
pub(super) fn run(
    rules: &RuleSet,
    program: &Program,
    moments: &[Moment],
    limits: &Limits,
) -> Result<Vec<Reached>, SessionError> {
    match moments {
        [only] if rules.checked.effects.is_empty() => Ok(vec![Reached {
            evaluation: alone(rules, program, &only.added, only.now, limits)?,
            missing: Vec::new(),
            before_effects: Vec::new(),
            asserted: BTreeMap::new(),
        }]),
        several => session(rules, program, several, limits),
    }
}

/// What follows from some facts, evaluated from nothing.
fn alone(
    rules: &RuleSet,
    program: &Program,
    facts: &[Fact],
    now: i64,
    limits: &Limits,
) -> Result<Evaluation, SessionError> {
    let mut input = Database::new(program);
    let clock = Fact::new(Symbol::new("now"), [Value::Time(now)]);
    for fact in facts.iter().chain([&clock]) {
        if let Some(relation) = program.find(fact.relation) {
            let row: Vec<Word> = fact.values.iter().map(|value| value.word()).collect();
            input.push(relation, &row);
        }
    }
    hence_session::evaluate_program(program, &rules.sources, input, &SemiNaive, limits)
}

fn session(
    rules: &RuleSet,
    program: &Program,
    moments: &[Moment],
    limits: &Limits,
) -> Result<Vec<Reached>, SessionError> {
    let mut rules = rules.clone();
    rules.program = program.clone();
    let mut session = Session::over_facts(rules, Vec::new())?.with_limits(*limits).keeping();
    let mut facts: BTreeSet<Fact> = BTreeSet::new();
    let mut asserted = BTreeMap::new();
    let commit = |moment: &Moment| {
        let change = CommitRequest {
            assertions: moment.added.clone(),
            retractions: moment.removed.clone(),
            time: moment.now,
            now: moment.now,
            ..CommitRequest::default()
        };
        let outcome = session.commit(change, false)?;
        let evaluation = session.kept().or_broken("a session that keeps what follows has it after a commit");
        moment.removed.iter().for_each(|fact| {
            facts.remove(fact);
        });
        facts.extend(moment.added.iter().cloned());
        moment.added.iter().for_each(|given| drop(asserted.remove(given)));
        let mut before_effects = Vec::with_capacity(outcome.steps.len());
        for (number, step) in (1..).zip(&outcome.steps) {
            before_effects.push(facts.iter().cloned().collect());
            for change in &step.changes {
                if change.asserted {
                    facts.insert(change.fact.clone());
                    asserted.insert(change.fact.clone(), (change.rule.to_string(), number));
                } else {
                    facts.remove(&change.fact);
                }
            }
        }
        let asserted = asserted.clone();
        Ok(Reached { evaluation, missing: outcome.changes.missing, before_effects, asserted })
    };
    moments.iter().map(commit).collect()
}
