//! Decisions that require a person's yes: what a proof must hold before one of them is carried out.

use std::collections::BTreeMap;

use hence::session::{CommitRequest, DecisionId, Drawn, Roles, RuleSource, Session, read_fact};
use hence_core::literal::parse_time;
use hence_core::value::Value;
use hence_ledger::Ledger;

/// A session in which one guarded event was let past, and the id of the decision that follows.
fn let_past() -> (Session, DecisionId) {
    let rules = RuleSource { packs: vec!["guardrails".into()], ..RuleSource::default() }.build().unwrap();
    let ada = || String::from("ada");
    let roles = Roles::new(BTreeMap::from([(String::from("reviewer"), vec![ada()])]));
    let mut session = Session::over_ledger(rules, Ledger::memory().unwrap()).with_roles(roles);
    let facts = [
        "reviewer(\"ada\")",
        "guarded_event(\"p1\", /legal)",
        "guarded_event(\"p2\", /legal)",
        "override_review(\"p1\", /legal, true, \"ada\", @2026-02-10T10:00:00Z)",
    ];
    let assertions = facts.iter().map(|fact| read_fact(session.rules(), fact).unwrap()).collect();
    let now = parse_time("2026-02-10T10:00:00Z").unwrap();
    let change = CommitRequest { assertions, author: ada(), now, ..CommitRequest::default() };
    let outcome = session.commit(change, false).unwrap();
    let drawn = outcome.drawn.iter().find(|drawn| drawn.fact.relation.as_str() == "republish").unwrap();
    let id = outcome.id(&drawn.fact).unwrap();
    (session, id)
}

fn after(change: impl Fn(&mut Drawn)) -> bool {
    let (session, id) = let_past();
    let mut drawn = session.why_drawn(id, None).unwrap();
    assert!(drawn.is_covered());
    change(&mut drawn);
    drawn.is_covered()
}

#[test]
fn a_guarded_decision_is_not_carried_out_without_its_required_fact_in_the_proof() {
    let review = |drawn: &mut Drawn, with: &dyn Fn(&mut Vec<Value>)| {
        let proof = drawn.proof.as_mut().unwrap();
        let mut steps = proof.steps.iter_mut();
        let step = steps.find(|step| step.fact.relation.as_str() == "override_review").unwrap();
        with(&mut step.fact.values);
    };
    assert!(after(|_| {}));
    assert!(!after(|drawn| drawn.proof = None));
    assert!(!after(|drawn| {
        let proof = drawn.proof.as_mut().unwrap();
        proof.steps.retain(|step| step.fact.relation.as_str() != "override_review");
    }));
    // A refusal, and a yes to something else, are no yes to this.
    assert!(!after(|drawn| review(drawn, &|values| values[2] = Value::Bool(false))));
    assert!(!after(|drawn| review(drawn, &|values| values[0] = Value::String("p2".into()))));
    // Columns that nothing is required of may hold anything.
    assert!(after(|drawn| review(drawn, &|values| values[3] = Value::String("bob".into()))));
}
