//! Questions put to a session, and its answers as JSON.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use hence_core::diagnostic::nearest;
use hence_core::fact::Fact;
use hence_core::json as facts_json;
use hence_core::literal;
use hence_core::meter::{Bound, Meter};
use hence_core::schema::Kind;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_ledger::{Decision, InForce, Ledger, LedgerError};
use hence_proof::difference::ComparedRelations;
use hence_proof::render;
use hence_server::{Asked, DeskAnswer, Page, Problem, Question};
use hence_session::{DecisionId, Hypothesis, Listing, RuleSet, Session, SessionError, Wanted};
use serde_json::{Map, Value as Json, json};

use super::super::history::transaction_json;
use super::super::{carry, effects, open, output, review, said};
use super::access;
use super::problem::{of_failure, of_session};
use super::tools;

/// How many changes of each relation a hypothesis explains.
const EXPLAINED: usize = 200;
/// How many flips of a replay are told.
const FLIPS: usize = 1000;

type Told = Result<Json, Problem>;

/// The answer to a question, with the transaction and the head that it is of.
pub(super) fn answer(session: &mut Session, asked: &Asked, now: i64) -> DeskAnswer {
    let answered = match &asked.question {
        Question::Evaluations { evaluations, semantic, is_single } => {
            let decided =
                access::evaluate(session, evaluations, (*semantic, &asked.by.name), (now, asked.until))?;
            return access::lift(decided, *is_single);
        }
        Question::Search(search) => return access::search(session, search, &asked.by.name, now),
        Question::Waits(id) => tools::waits(session, id, &asked.by.name, now)?,
        question => told(session, question, (now, asked.until))?,
    };
    let Json::Object(mut fields) = answered else { return Err(Problem::new(500, "an answer is an object")) };
    stamp(session, &mut fields);
    Ok(fields)
}

/// Says of which state of the ledger an answer is.
pub(super) fn stamp(session: &Session, fields: &mut Map<String, Json>) {
    let Some(ledger) = session.ledger() else { return };
    let tx = ledger.tx_when(session.as_of()).unwrap_or_else(|_| ledger.last_tx());
    let head = match tx == ledger.last_tx() {
        true => ledger.head().to_string(),
        false => ledger.info(tx).map(|info| info.hash.to_string()).unwrap_or_default(),
    };
    fields.insert(String::from("tx"), json!(tx));
    fields.insert(String::from("head"), json!(head));
}

fn told(session: &mut Session, question: &Question, (now, until): (i64, Instant)) -> Told {
    match question {
        Question::Dry { lines } => dry(session, lines, now),
        Question::Query(body) => query(session, body, now),
        Question::Why { fact, all_inputs, most } => why(session, fact, (*all_inputs, *most), now),
        Question::WhyNot { fact, look } => why_not(session, fact, (*look, until), now),
        Question::WhatIf { assert, retract, set } => what_if(session, (assert, retract), set, now),
        Question::Replay { from, to } => replay(session, *from, *to),
        Question::Decisions { relation, page } => decisions(session, relation.as_deref(), *page),
        Question::Decision(id) => decision(session, id),
        Question::Proof(id) => proof(session, id),
        Question::Facts { relation, page } => facts(session, Symbol::new(relation), *page),
        Question::Log { from, limit, bytes } => log(session, *from, (*limit, *bytes)),
        Question::Reviews => {
            let waits = review::waiting_json(session, now).map_err(|failure| of_failure(&failure))?;
            Ok(json!({ "reviews": waits }))
        }
        Question::Verdict(fact) => tools::verdict(session, fact, until, now),
        Question::Schema => Ok(tools::schema(session)),
        Question::Check(text) => tools::check(text),
        Question::Test(text) => tools::test(text, until),
        Question::Outbox { all } => {
            let rows = carry::outbox_json(session, *all).map_err(|failure| of_failure(&failure))?;
            Ok(json!({ "outbox": rows }))
        }
        Question::Rules => {
            let recorded = session.rules().recorded();
            let files = recorded.files().iter().map(|(name, text)| json!({ "name": name, "text": text }));
            let params = recorded.params().iter().map(|(name, value)| (name.clone(), json!(value)));
            Ok(json!({
                "hash": recorded.hash().to_string(), "files": files.collect::<Json>(),
                "parameters": Json::Object(params.collect()),
            }))
        }
        Question::Page(sight) => super::sights::told(session, sight, now),
        Question::Status => status(session),
        Question::Derived { relations, only, name } => {
            derived(session, relations, (only.as_ref(), name), now)
        }
        Question::Evaluations { .. }
        | Question::Search(_)
        | Question::Record { .. }
        | Question::Waits(_)
        | Question::Review(_) => Err(Problem::new(500, "this is asked elsewhere")),
    }
}

pub(super) fn ledger(session: &Session) -> Result<&Ledger, Problem> {
    session.ledger().ok_or_else(|| Problem::new(404, "there is no ledger"))
}

pub(super) fn of_ledger<T>(found: Result<T, LedgerError>) -> Result<T, Problem> {
    found.map_err(|error| of_session(&SessionError::Ledger(error)))
}

pub(super) fn of<T>(found: Result<T, SessionError>) -> Result<T, Problem> {
    found.map_err(|error| of_session(&error))
}

/// The facts of a relation; that it has none is not an answer where it can't have any.
fn facts(session: &Session, relation: Symbol, page: Page) -> Told {
    let (at, ledger) = (session.as_of(), ledger(session)?);
    let listing = of_ledger(Listing::new(Some(session.rules()), ledger, relation, at))?;
    let columns: Vec<&str> = listing.columns.iter().map(|column| column.as_str()).collect();
    let mut rows = Vec::new();
    for found in of_ledger(ledger.facts_at(relation, at))?.skip(page.offset).take(page.limit) {
        rows.push(row(&columns, &listing.fact(of_ledger(found)?.0).values));
    }
    if rows.is_empty()
        && let Some(none) = open::no_facts(ledger, session.rules(), relation)
    {
        let ways = ("`POST /v1/query`", "`GET /v1/rules` has those that are declared");
        return Err(Problem::new(404, none.sentence(relation, ways)));
    }
    Ok(json!({ "relation": relation.as_str(), "columns": columns, "facts": rows }))
}

/// Values by the names of their columns.
fn row(columns: &[&str], values: &[Value]) -> Json {
    let pairs = columns.iter().zip(values);
    Json::Object(pairs.map(|(name, value)| ((*name).to_owned(), facts_json::value(*value))).collect())
}

/// A decision with its id, its rule and its sentence.
pub(super) fn decision_json(id: Option<DecisionId>, decision: &Decision) -> Json {
    let values: Vec<Json> = decision.fact.values.iter().map(|value| facts_json::value(*value)).collect();
    json!({
        "id": id.map(|id| id.to_string()), "relation": decision.fact.relation.as_str(), "values": values,
        "rule": decision.rule, "because": decision.sentence,
    })
}

/// What a commit decided.
pub(super) fn outcome_json(session: &Session, decided: &hence_session::CommitOutcome) -> Told {
    let drawn = decided.drawn.iter().map(|one| decision_json(decided.id(&one.fact), one));
    let drawn: Vec<Json> = drawn.collect();
    let mut lapsed = Vec::new();
    for one in &decided.lapsed {
        let id = of(session.decision_id(&one.fact))?;
        let decision = Decision { fact: one.fact.clone(), rule: None, sentence: one.reason.clone() };
        lapsed.push(decision_json(id, &decision));
    }
    let open: Vec<String> = decided.undetermined.iter().map(ToString::to_string).collect();
    let changes = &decided.changes;
    Ok(json!({
        "committed": decided.committed.as_ref().map(|committed| committed.tx),
        "asserted": changes.added.len(), "present": changes.present.len(),
        "retracted": changes.removed.len(), "missing": changes.missing.len(),
        "drawn": drawn, "lapsed": lapsed, "steps": effects::json(&decided.steps),
        "undetermined": open, "reports": decided.reports,
    }))
}

fn dry(session: &mut Session, lines: &str, now: i64) -> Told {
    let (assertions, retractions) = read_lines(session.rules(), lines)?;
    let change = hence_session::CommitRequest {
        assertions,
        retractions,
        now,
        time: now,
        ..hence_session::CommitRequest::default()
    };
    let decided = of(session.commit(change, true))?;
    outcome_json(session, &decided)
}

/// Facts to assert and to retract, a JSON line each. A transaction has no order in which one fact could come and go.
pub(super) fn read_lines(rules: &RuleSet, lines: &str) -> Result<(Vec<Fact>, Vec<Fact>), Problem> {
    let (mut asserted, mut retracted) = (String::new(), String::new());
    for line in lines.lines().filter(|line| !line.trim().is_empty()) {
        match said::retracted(rules, line).map_err(|message| Problem::new(422, message))? {
            Some(fact) => retracted.push_str(&format!("{fact}\n")),
            None => asserted.push_str(&format!("{line}\n")),
        }
    }
    let read = |text: &str| of(hence_session::read_fact_lines(rules, "<request>", text));
    let (asserted, retracted) = (read(&asserted)?, read(&retracted)?);
    if !retracted.is_empty() {
        let known: BTreeSet<&Fact> = asserted.iter().collect();
        if let Some(fact) = retracted.iter().find(|fact| known.contains(fact)) {
            let why = "is asserted and retracted in one request; send what comes second by itself";
            return Err(Problem::new(422, format!("`{fact}` {why}")));
        }
    }
    Ok((asserted, retracted))
}

fn query(session: &Session, body: &str, now: i64) -> Told {
    let found = of(session.query(body, now))?;
    let columns: Vec<&str> = found.columns.iter().map(|column| column.as_str()).collect();
    let open = |row: &Vec<Option<Value>>| {
        let pairs = columns.iter().map(|name| (*name).to_owned()).zip(output::open_values(row));
        Json::Object(pairs.collect())
    };
    Ok(json!({
        "columns": columns, "rows": found.rows.iter().map(|values| row(&columns, values)).collect::<Json>(),
        "undetermined": found.undetermined.iter().map(open).collect::<Json>(), "reports": found.reports,
    }))
}

fn why(session: &Session, fact: &str, (all_inputs, most): (bool, usize), now: i64) -> Told {
    if fact.trim().parse::<DecisionId>().is_ok() {
        return proof(session, fact.trim());
    }
    let mut proofs = Vec::new();
    let inputs = all_inputs.then_some(usize::MAX);
    let wanted = Wanted { inputs, most: Some(most), ..Wanted::default() };
    let because = of(session.why_each(fact, now, wanted, &mut |proof| {
        proofs.push(render::json(&proof));
        true
    }))?;
    Ok(json!({
        "holds": because.holds, "undetermined": because.undetermined, "more": because.more, "proofs": proofs,
        "instead": because.instead.iter().map(facts_json::fact).collect::<Json>(),
    }))
}

fn why_not(session: &Session, fact: &str, (look, until): (u64, Instant), now: i64) -> Told {
    let left = until.saturating_duration_since(Instant::now()) / 2;
    let refused = of(session.why_not(fact, now, Duration::from_millis(look).min(left)))?;
    let mut answer = render::why_not_json(&session.rules().program, &refused.answer);
    if let Some(fields) = answer.as_object_mut() {
        fields.insert(String::from("remedies"), render::remedies_json(&refused.remedies));
        let open = refused.undetermined.iter().map(render::json).collect::<Json>();
        fields.insert(String::from("possible"), open);
    }
    Ok(answer)
}

fn what_if(
    session: &Session,
    (assert, retract): (&[Json], &[Json]),
    set: &[(String, Json)],
    now: i64,
) -> Told {
    let rules = session.rules();
    let lines = |facts: &[Json]| facts.iter().map(|fact| format!("{fact}\n")).collect::<String>();
    let read = |facts: &[Json]| of(hence_session::read_fact_lines(rules, "<request>", &lines(facts)));
    let mut sets = Vec::new();
    for (name, value) in set {
        let param = rules.program.params.iter().find(|param| param.name.as_str() == name);
        let param = param.ok_or_else(|| Problem::new(404, format!("unknown parameter `{name}`")))?;
        let value = facts_json::read(param.ty.ty, value).filter(|value| param.ty.admits(*value)).ok_or_else(
            || Problem::new(422, format!("`{name}`: expected a value of type {}, found {value}", param.ty)),
        )?;
        sets.push((param.name, value));
    }
    let hypothesis =
        Hypothesis { assertions: read(assert)?, retractions: read(retract)?, sets, ..Hypothesis::default() };
    let mut changes = Vec::new();
    let outcome = of(session.what_if_each(
        &hypothesis,
        now,
        (&ComparedRelations::Decisions, EXPLAINED),
        &mut |turn, change| {
            let decision = json!({ change.fact.relation.as_str(): output::open_values(&change.fact.args) });
            changes.push(json!({
                "change": turn.name(), "decision": decision, "before": change.before, "after": change.after,
            }));
            true
        },
    ))?;
    Ok(json!({
        "changes": changes, "undetermined": outcome.undetermined, "present": outcome.present,
        "missing": outcome.missing, "steps": effects::json(&outcome.steps),
    }))
}

fn replay(session: &Session, from: Option<u64>, to: Option<u64>) -> Told {
    let ledger = ledger(session)?;
    let last = ledger.last_tx();
    let (from, to) = (from.unwrap_or(1).max(1), to.unwrap_or(last).min(last));
    let (engine, limits) = (hence_engine::SemiNaive, session.limits());
    let replay = hence_session::Replay {
        ledger,
        rules: Some(session.rules()),
        sets: &[],
        from,
        to,
        engine: &engine,
        limits,
        lenient: session.is_lenient(),
        explained: FLIPS,
        threads: 1,
    };
    let mut flips = Vec::new();
    let replayed = of(replay.run(&mut |_| {}, &mut |flip| {
        let (before, after) = flip.reasons.unzip();
        flips.push(json!({
            "transaction": flip.tx, "change": if flip.stood { "lapsed" } else { "drawn" },
            "decision": facts_json::fact(&flip.decision), "rule": flip.rule, "before": before, "after": after,
        }));
        flips.len() < FLIPS
    }))?;
    Ok(
        json!({ "from": from, "to": to, "transactions": replayed.evaluated, "decisions": replayed.decisions, "flips": flips }),
    )
}

fn id_of(text: &str) -> Result<DecisionId, Problem> {
    let wrong =
        || Problem::new(404, format!("`{text}` is not the id of a decision; expected one such as 12.3"));
    text.parse().map_err(|_| wrong())
}

/// Checks that a relation of which no decision stands is one of decisions.
fn check_decision(rules: &RuleSet, name: &str) -> Result<(), Problem> {
    let decisions = || rules.program.relations.iter().filter(|relation| relation.kind == Kind::Decision);
    if decisions().any(|relation| relation.name.as_str() == name) {
        return Ok(());
    }
    let near = nearest(name, decisions().map(|relation| relation.name.as_str()));
    let way = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => String::from("`GET /v1/rules` has those that are"),
    };
    Err(Problem::new(404, format!("`{name}` is not a decision of these rules; {way}")))
}

fn decisions(session: &Session, relation: Option<&str>, page: Page) -> Told {
    let found = of_ledger(ledger(session)?.decisions_at(session.as_of()))?;
    let is_wanted = |one: &InForce| relation.is_none_or(|name| one.decision.fact.relation.as_str() == name);
    let wanted: Vec<_> = found.into_iter().filter(is_wanted).collect();
    let total = wanted.len();
    if total == 0
        && let Some(name) = relation
    {
        check_decision(session.rules(), name)?;
    }
    let mut rows = Vec::new();
    for one in wanted.into_iter().skip(page.offset).take(page.limit) {
        rows.push(decision_json(of(session.decision_id(&one.decision.fact))?, &one.decision));
    }
    Ok(json!({ "decisions": rows, "total": total }))
}

/// The moment of the session as a transaction, unless a decision was drawn after it: nobody knew of that one then.
fn known_at(session: &Session, id: DecisionId) -> Result<u64, Problem> {
    let at = of_ledger(ledger(session)?.tx_when(session.as_of()))?;
    if id.tx > at {
        return Err(Problem::new(404, format!("unknown decision {id} as of transaction {at}")));
    }
    Ok(at)
}

fn decision(session: &Session, text: &str) -> Told {
    let id = id_of(text)?;
    let at = known_at(session, id)?;
    let decision = of(session.drawn_as(id))?;
    let info = of_ledger(ledger(session)?.info(id.tx))?;
    let spans = of_ledger(ledger(session)?.decision_history(&decision.fact))?;
    let until = spans.iter().find(|span| span.from == id.tx).and_then(|span| span.until);
    let until = until.filter(|lapsed| *lapsed <= at);
    let mut answer = decision_json(Some(id), &decision);
    if let Some(fields) = answer.as_object_mut() {
        fields.insert(String::from("drawn_at"), json!(literal::time_text(info.time)));
        fields.insert(String::from("by"), json!(info.author));
        fields.insert(String::from("in_force"), json!(until.is_none()));
        fields.insert(String::from("lapsed_in"), json!(until));
    }
    Ok(answer)
}

fn proof(session: &Session, text: &str) -> Told {
    let id = id_of(text)?;
    known_at(session, id)?;
    let drawn = of(session.why_drawn(id, None))?;
    let mut answer = decision_json(Some(id), &drawn.decision);
    if let Some(fields) = answer.as_object_mut() {
        fields.insert(String::from("proof"), json!(drawn.proof.as_ref().map(render::json)));
    }
    Ok(answer)
}

/// Transactions from `from` on: the first, and as many more as `limit`, `bytes` and the time allow.
fn log(session: &Session, from: u64, (limit, bytes): (usize, usize)) -> Told {
    let (ledger, meter) = (ledger(session)?, Meter::new(session.limits().time));
    let last = ledger.last_tx();
    let (mut rows, mut size) = (Vec::new(), 0_usize);
    for tx in (from..=last).take(limit) {
        match meter.look() {
            Err(bound @ Bound::Memory(_)) => return Err(Problem::busy(format!("{bound} was reached"))),
            Err(_) if !rows.is_empty() => break,
            _ => {}
        }
        let transaction = of_ledger(ledger.transaction(tx))?;
        let strength = of_ledger(ledger.is_signed(tx))?;
        let row = transaction_json(&transaction, &strength, true);
        size = size.saturating_add(row.to_string().len());
        if size > bytes && !rows.is_empty() {
            break;
        }
        rows.push(row);
    }
    let more = from.saturating_add(rows.len() as u64) <= last;
    Ok(json!({ "transactions": rows, "more": more }))
}

fn status(session: &Session) -> Told {
    let ledger = ledger(session)?;
    let relations = ledger.relations();
    let (facts, decisions) = relations
        .iter()
        .fold((0, 0), |(facts, decisions), one| (facts + one.facts, decisions + one.decisions));
    let relations = relations
        .iter()
        .map(|one| (one.relation.clone(), json!({ "facts": one.facts, "decisions": one.decisions })));
    let last = ledger.last_tx();
    let time = if last == 0 { None } else { Some(literal::time_text(of_ledger(ledger.info(last))?.time)) };
    Ok(json!({
        "transactions": last, "time": time, "facts": facts, "decisions": decisions,
        "relations": Json::Object(relations.collect()),
        "rules": session.rules().recorded().hash().to_string(),
    }))
}

/// The facts of those of the relations that the rules have.
fn derived(
    session: &Session,
    relations: &[&'static str],
    (only, name): (Option<&(String, String)>, &str),
    now: i64,
) -> Told {
    let program = &session.rules().program;
    let known = relations.iter().filter(|name| program.find(Symbol::new(name)).is_some());
    let known: Vec<String> = known.map(|name| (*name).to_owned()).collect();
    if known.is_empty() {
        return Err(Problem::new(404, format!("these rules have none of {}", relations.join(", "))));
    }
    let found = of(session.derive(&known, now))?;
    let mut all = Map::new();
    for (relation, columns, facts) in &found.relations {
        let columns: Vec<&str> = columns.iter().map(|column| column.as_str()).collect();
        let is_wanted = |fact: &&Fact| match only {
            Some((column, value)) => match columns.iter().position(|name| name == column) {
                Some(at) => fact.values.get(at).is_some_and(|found| found.text() == *value),
                None => true,
            },
            None => true,
        };
        let rows = facts.iter().filter(is_wanted).map(|fact| row(&columns, &fact.values)).collect::<Json>();
        all.insert(relation.to_string(), rows);
    }
    let open: Vec<String> = found.undetermined.iter().map(ToString::to_string).collect();
    Ok(json!({ name: all, "undetermined": open }))
}
