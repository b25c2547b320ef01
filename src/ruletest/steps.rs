//! What follows in each step of a test: one step is evaluated by itself; several are commits of one session, which
//! brings what follows up to date as it does for everybody.

use std::collections::{BTreeMap, BTreeSet};

use crate::session::{self, CommitRequest, Evaluation, RuleSet, Session, SessionError};
use hence_core::fact::Fact;
use hence_core::fault::OrBroken;
use hence_core::symbol::Symbol;
use hence_core::value::{Value, Word};
use hence_engine::{Database, Limits, SemiNaive};
use hence_lang::ir::Program;

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
    session::evaluate_program(program, &rules.sources, input, &SemiNaive, limits)
}

fn session(
    rules: &RuleSet,
    program: &Program,
    moments: &[Moment],
    limits: &Limits,
) -> Result<Vec<Reached>, SessionError> {
    let mut rules = rules.clone();
    rules.program = program.clone();
    let mut session = Session::over_facts(rules, Vec::new()).with_limits(*limits).keeping();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ruletest::Suite;
    use crate::ruletest::case::{Case, limits};

    const RULES: &str = "
## A step from one place to another.
input edge(from: int, to: int).
## A place that is closed.
input closed(place: int).
reaches(X, Y) :- edge(X, Y), !closed(Y).
reaches(X, Z) :- reaches(X, Y), edge(Y, Z), !closed(Z).
ways(X, count(), max(Y)) :- reaches(X, Y).
few(X) :- edge(X, _), N = 3, ways(X, M, _), M < N.
late(X) :- few(X), now(At), At >= @2026-02-03T12:05:00Z.
## The best.
decision best(place: int, count: int).
@because(\"{X} reaches {N}\")
best(X, N) :- ways(X, N, _) limit 2 by N desc.
";

    /// Steps that give and retract facts, of a derived relation too, and move the clock.
    fn steps(mut seed: u64) -> String {
        let mut next = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        let mut text = format!("{RULES}test \"random\" {{\n now @2026-02-03T12:00:00Z.\n expect few(_).\n");
        for step in 0..12 {
            text.push_str(" then\n");
            for fact in 0..1 + next(4) {
                let sign = if next(3) == 0 { "!" } else { "" };
                let (a, b) = (next(4), next(4) + 4 * (fact % 2) * u64::from(sign.is_empty()));
                match next(6) {
                    0 => text.push_str(&format!("  {sign}closed({a}).\n")),
                    1 => text.push_str(&format!("  {sign}ways({a}, {b}, {}).\n", next(2))),
                    _ => text.push_str(&format!("  {sign}edge({a}, {b}).\n")),
                }
            }
            if next(2) == 0 {
                text.push_str(&format!("  now @2026-02-03T12:{step:02}:00Z.\n"));
            }
        }
        text + " expect few(_).\n}\n"
    }

    /// The facts that stand after each step.
    fn standing(moments: &[Moment]) -> Vec<Vec<Fact>> {
        let mut facts: Vec<Fact> = Vec::new();
        let mut all = Vec::new();
        for moment in moments {
            facts.retain(|fact| !moment.removed.contains(fact));
            facts.extend(moment.added.iter().cloned());
            all.push(facts.clone());
        }
        all
    }

    #[test]
    fn each_step_is_what_an_evaluation_from_nothing_gives() {
        let folder = tempfile::tempdir().unwrap();
        let (mut runs, mut differing) = (0, 0);
        for seed in 0..40 {
            let path = folder.path().join(format!("{seed}.dl"));
            std::fs::write(&path, steps(seed)).unwrap();
            let Ok(suite) = Suite::load(&[path]) else { continue };
            runs += 1;
            let file = &suite.files[0];
            let case = Case::new(file, file.test(0)).unwrap();
            let reached = case.evaluate().unwrap();
            let moments = case.moments();
            assert_eq!(reached.len(), 13);
            for ((reached, facts), moment) in reached.iter().zip(standing(moments)).zip(moments) {
                let alone = alone(&file.rules, &case.program, &facts, moment.now, &limits()).unwrap();
                for (at, relation) in case.program.relations.iter().enumerate() {
                    let id = hence_core::schema::RelationId(at as u32);
                    let facts = |model| crate::session::facts_of(&case.program, model, id);
                    let (stepped, fresh) = (facts(&reached.evaluation.model), facts(&alone.model));
                    assert_eq!(stepped, fresh, "{} in\n{}", relation.name, steps(seed));
                    differing += fresh.len();
                }
            }
        }
        // A seed whose steps give and retract one fact at once is refused.
        assert!(runs > 20 && differing > 1_000, "{runs} runs with {differing} facts");
    }
}
