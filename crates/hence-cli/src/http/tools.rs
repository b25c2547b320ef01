//! What the tools of MCP ask beside the API: a verdict in a few words, the schema, and rules that are in force nowhere.

use std::time::{Duration, Instant};

use hence_core::diagnostic::Diagnostic;
use hence_core::json as facts_json;
use hence_core::schema::Relation;
use hence_engine::{Limits, Threads};
use hence_proof::proof::StepKind;
use hence_proof::render;
use hence_ruletest::{Selection, Suite, SuiteError};
use hence_server::{Problem, RuleText};
use hence_session::{Loader, Session, SessionError, Wanted};
use serde_json::{Value as Json, json};

use super::super::test::formats;
use super::super::{diagnostics, review};
use super::access::in_force;
use super::answers::of;
use super::problem::{of_failure, of_session};

type Told = Result<Json, Problem>;

/// How long remedies are looked for.
const LOOK: Duration = Duration::from_millis(200);
/// How many facts a test may derive.
const MOST_FACTS: u64 = 200_000;

/// Whether a fact is derived: the rule and the sentence, or what failed and what would help.
pub(super) fn verdict(session: &Session, fact: &str, until: Instant, now: i64) -> Told {
    let mut first = None;
    let wanted = Wanted { most: Some(1), ..Wanted::default() };
    let because = of(session.why_each(fact, now, wanted, &mut |proof| {
        first.get_or_insert(proof);
        true
    }))?;
    let drawn = first.filter(|_| because.holds > 0);
    let Some(step) = drawn.as_ref().and_then(|proof| proof.root()) else {
        return denied(session, fact, because.undetermined, (until, now));
    };
    let (rule, sentence) = match &step.kind {
        StepKind::Derived(derived) => (Some(derived.rule.as_str()), derived.sentence.clone()),
        StepKind::ProgramFact { id, .. } => (Some(id.as_str()), None),
        _ => (None, None),
    };
    let id = in_force(session, &step.fact)?.map(|id| id.to_string());
    let of_id = id.as_ref().map(|id| format!(", decision {id}")).unwrap_or_default();
    let because = sentence.clone().unwrap_or_else(|| format!("{} holds", step.fact));
    Ok(json!({
        "decision": true, "fact": facts_json::fact(&step.fact), "rule": rule, "because": sentence, "id": id,
        "failed": null, "remedy": null,
        "sentence": format!("Yes: {because}. [rule {}{of_id}]", rule.unwrap_or("none")),
    }))
}

fn denied(session: &Session, fact: &str, is_open: bool, (until, now): (Instant, i64)) -> Told {
    let left = until.saturating_duration_since(Instant::now()) / 2;
    let refused = of(session.why_not(fact, now, LOOK.min(left)))?;
    let program = &session.rules().program;
    let answer = render::why_not_json(program, &refused.answer);
    let nearest = answer
        .get("rules")
        .and_then(|rules| rules.as_array())
        .and_then(|rules| rules.iter().max_by_key(|rule| rule.get("held").and_then(Json::as_u64)));
    let rule = nearest.and_then(|rule| rule.get("rule")).cloned().unwrap_or(Json::Null);
    let failed = match is_open {
        true => String::from("it is undetermined: it depends on an undefined operation"),
        false => render::why_not_line(program, &refused.answer),
    };
    let remedies = render::remedies_json(&refused.remedies);
    let remedy = remedies.get("remedies").and_then(|found| found.get(0)).cloned().unwrap_or(Json::Null);
    let next = match remedy.is_null() {
        true => String::new(),
        false => format!(" {}", render::remedies_text(program, &refused.remedies).trim()),
    };
    Ok(json!({
        "decision": false, "rule": rule, "because": null, "id": null, "failed": failed, "remedy": remedy,
        "sentence": format!("No: {failed}.{next}"),
    }))
}

/// What waits under an id, and whether who asks may answer it.
pub(super) fn waits(session: &Session, id: &str, by: &str, now: i64) -> Told {
    let (review, may) = review::waits_json(session, (id, by), now).map_err(|failure| of_failure(&failure))?;
    Ok(json!({ "review": review, "may_answer": may }))
}

/// Relations with their columns, and parameters with their values.
pub(super) fn schema(session: &Session) -> Json {
    let program = &session.rules().program;
    let relation = |relation: &Relation| {
        let columns = relation
            .columns
            .iter()
            .map(|column| json!({ "name": column.name.as_str(), "type": column.ty.to_string() }));
        let from = relation
            .authors
            .as_ref()
            .map(|authors| authors.roles.iter().map(|role| role.as_str()).collect::<Json>());
        json!({
            "name": relation.name.as_str(), "kind": relation.kind.keyword(), "doc": relation.doc,
            "columns": columns.collect::<Json>(), "from": from,
        })
    };
    let params = program.params.iter().map(|param| {
        json!({
            "name": param.name.as_str(), "type": param.ty.to_string(), "value": facts_json::value(param.value),
            "doc": param.doc,
        })
    });
    json!({
        "relations": program.relations.iter().map(relation).collect::<Json>(), "parameters": params.collect::<Json>(),
    })
}

/// What a check of a text finds.
pub(super) fn check(text: &RuleText) -> Told {
    let mut loader = Loader::default();
    loader.text(&text.name, &text.text);
    of(text.packs.iter().try_for_each(|pack| loader.pack(pack)))?;
    let found = hence_session::check(loader.finish(), &[]);
    let all = &found.faults.diagnostics;
    let errors = all.iter().filter(|one| one.is_error()).count();
    let shown = |one: &Diagnostic| diagnostics::json(one, &found.faults.sources);
    Ok(json!({
        "ok": errors == 0, "errors": errors, "warnings": all.len() - errors, "rules": found.rule_count,
        "diagnostics": all.iter().map(shown).collect::<Json>(),
    }))
}

/// How the tests in a text end, as far as there is time for them.
pub(super) fn test(text: &RuleText, until: Instant) -> Told {
    let left = until.saturating_duration_since(Instant::now()) / 2;
    let limits = Limits { facts: MOST_FACTS, time: Some(left), threads: Threads::ONE, ..Limits::default() };
    let suite = match Suite::of_text(&text.name, &text.text, &text.packs, limits) {
        Ok(suite) => suite,
        Err(SuiteError::Session(error)) => return Err(of_session(&error)),
        Err(SuiteError::Faults(all)) => {
            let first = all.into_iter().next().ok_or_else(|| Problem::new(500, "faults without any"))?;
            return Err(of_session(&SessionError::Faults(Box::new(first))));
        }
    };
    let all: usize = suite.files.iter().map(|file| file.tests.len()).sum();
    let selection = Selection { jobs: 1, until: Some(Instant::now() + left), ..Selection::default() };
    let report = suite.run(&selection);
    if report.count() < all {
        return Err(Problem::busy(format!("{} of {all} tests ran in time: give fewer", report.count())));
    }
    Ok(formats::document(&report))
}
