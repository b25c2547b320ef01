//! What the owner does for a request: it records facts, answers of reviewers, and decisions that are asked for.

use std::io::Write;
use std::rc::Rc;
use std::time::Instant;

use hence_core::fact::Fact;
use hence_ledger::TxInfo;
use hence_server::{AccessRequest, AnswerSender, Asked, DeskAnswer, Problem, Question, Review};
use hence_session::{CommitOutcome, CommitRequest, SessionError};
use serde_json::{Map, Value as Json, json};
use tracing::Span;

use super::super::follow::Follow;
use super::super::owner::Work;
use super::super::{Failure, config, open, review, time};
use super::access::{self, Decided};
use super::answers::{outcome_json, read_lines, stamp};
use super::group::Joined;
use super::keys::SOURCE;
use super::problem::{of_failure, of_session};

/// How many digits of the hash of a request are kept beside its key.
const SEAL: usize = 16;

/// A request as work for the owner of the ledger.
pub(super) fn work(asked: Asked, reply: AnswerSender) -> Work {
    let span = Span::current();
    Box::new(move |follow: &mut Follow, out: &mut dyn Write| {
        let _of_request = span.enter();
        if reply.is_closed() || asked.until <= Instant::now() {
            let late = "the request waited too long; nothing was recorded";
            let _ = reply.send(Err(Problem::busy(late)));
            return Ok(());
        }
        let (mut done, mut told) = (Done::new(), Vec::new());
        let (answer, failure) = match record(follow, &asked, (&mut done, &mut told)) {
            Ok(answer) => (answer, None),
            Err(failure) => (Err(of_failure(&failure)), Some(failure)),
        };
        follow.join(Joined { reply, answer, told, done }, out)?;
        match failure {
            None => Ok(()),
            Some(failure) => {
                follow.settle(out)?;
                Err(failure)
            }
        }
    })
}

/// What was decided for a request and is to be carried out, each with its clock.
type Done = Vec<(Rc<CommitOutcome>, i64)>;
/// That, and where the owner tells of it.
type To<'t> = (&'t mut Done, &'t mut dyn Write);

/// Records what a request says. What is wrong with the request is its answer; an error is one of the ledger.
fn record(follow: &mut Follow, asked: &Asked, (done, out): To<'_>) -> Result<DeskAnswer, Failure> {
    let by = &asked.by.name;
    if let Err(why) = config::get().check_author(by) {
        return Ok(Err(Problem::new(403, why)));
    }
    // What is asked afterwards can't be found faulty once the facts stand.
    if let Question::Record { ask: Some(question), .. } = &asked.question
        && let Err(error) = follow.session.check_question(question)
    {
        return Ok(Err(of_session(&error)));
    }
    match &asked.question {
        Question::Record { lines, key, expect_tx, note, .. } => {
            facts(follow, (lines, by), (key.as_deref(), *expect_tx, note.clone()), (done, out))
        }
        Question::Review(answer) => reviewed(follow, answer, by, (done, out)),
        Question::Evaluations { evaluations, semantic, is_single } => {
            let mut failure = None;
            let decided = access::each(
                evaluations,
                (*semantic, asked.until),
                &mut |evaluation| match evaluate(follow, evaluation, by, (&mut *done, &mut *out)) {
                    Ok(decided) => decided,
                    Err(error) => {
                        let problem = of_failure(&error);
                        failure = Some(error);
                        Err(problem)
                    }
                },
            );
            match failure {
                Some(failure) => Err(failure),
                None => Ok(decided.and_then(|decided| access::lift(decided, *is_single))),
            }
        }
        _ => Ok(Err(Problem::new(500, "this records nothing"))),
    }
}

/// What a request asserts, at this time and clock of the rules; it is durable with those of others.
fn request(assertions: Vec<Fact>, by: &str, source: &str, (time, now): (i64, i64)) -> CommitRequest {
    let (author, source) = (by.to_owned(), source.to_owned());
    CommitRequest { assertions, author, source, time, now, deferred: true, ..CommitRequest::default() }
}

/// Commits a change of a request; what is wrong with it is an answer, and a full disk is waited for.
fn commit(
    follow: &mut Follow,
    change: CommitRequest,
    (done, out): To<'_>,
) -> Result<Result<Rc<CommitOutcome>, Problem>, Failure> {
    let now = change.now;
    match follow.decide(change, out) {
        Ok(decided) => {
            let decided = Rc::new(decided);
            done.push((Rc::clone(&decided), now));
            Ok(Ok(decided))
        }
        Err(Failure::Session(error)) if is_of_request(&error) => Ok(Err(of_session(&error))),
        Err(Failure::Session(error)) if error.lacks_room() => {
            let problem = of_session(&error);
            follow.hold_up(None, error, now, out)?;
            Ok(Err(problem))
        }
        Err(failure) => Err(failure),
    }
}

fn is_of_request(error: &SessionError) -> bool {
    error.is_of_the_change()
        || matches!(error, SessionError::Faults(_) | SessionError::Unknown { .. })
        || matches!(error, SessionError::Ledger(hence_ledger::LedgerError::Expected { .. }))
}

fn facts(
    follow: &mut Follow,
    (lines, by): (&str, &str),
    (key, expect_tx, note): (Option<&str>, Option<u64>, Option<String>),
    to: To<'_>,
) -> Result<DeskAnswer, Failure> {
    let rules = open::reading_for(follow.session.rules(), by);
    let read = read_lines(&rules, lines);
    drop(rules);
    let source = match key {
        Some(key) => sealed(follow, key, (lines, read.as_ref().ok()))?,
        None => String::from(SOURCE),
    };
    if let Some(key) = key {
        if let Some(known) = recorded(follow, (by, key))? {
            return Ok(repeated(follow, &known, &source));
        }
        if let Some(known) = follow.keys.remembered((by, key)) {
            return Ok(unchanged(follow, known == source));
        }
    }
    let (assertions, retractions) = match read {
        Ok(read) => read,
        Err(problem) => return Ok(Err(problem)),
    };
    let wall = time::wall_clock();
    let now = follow.clock(wall)?;
    let change =
        CommitRequest { retractions, note, expect_tx, ..request(assertions, by, &source, (wall, now)) };
    let decided = match commit(follow, change, to)? {
        Ok(decided) => decided,
        Err(problem) => return Ok(Err(problem)),
    };
    if let Some(key) = key.filter(|_| decided.committed.is_none()) {
        follow.keys.remember((by, key), &source);
    }
    Ok(told(follow, outcome_json(&follow.session, &decided)))
}

fn told(follow: &Follow, told: Result<Json, Problem>) -> DeskAnswer {
    match told? {
        Json::Object(mut fields) => {
            stamp(&follow.session, &mut fields);
            Ok(fields)
        }
        _ => Err(Problem::new(500, "an answer is an object")),
    }
}

/// What a request asserts and what it retracts.
type Read = (Vec<Fact>, Vec<Fact>);

/// The source of a transaction with a key: the key, and a hash of what was sent under it. Personal values are hashed as
/// they are recorded: by a hash of a value itself who guesses it would know it, after it was erased too.
fn sealed(follow: &Follow, key: &str, (lines, read): (&str, Option<&Read>)) -> Result<String, Failure> {
    let relations = &follow.session.rules().program.relations;
    let declared: Vec<_> = relations
        .iter()
        .flat_map(|relation| relation.personal.iter().map(|personal| (relation.name, *personal)))
        .collect();
    let is_personal = |fact: &Fact| declared.iter().any(|(relation, _)| *relation == fact.relation);
    let mut sent = String::from(lines);
    if let (Some((assertions, retractions)), Some(ledger)) = (read, follow.session.ledger())
        && assertions.iter().chain(retractions).any(is_personal)
    {
        let mut facts = [assertions.as_slice(), retractions].concat();
        ledger.under_keys(&mut facts, &declared).map_err(open::failure)?;
        sent = facts.iter().map(|fact| format!("{fact}\n")).collect();
        sent.push_str(&format!("{} asserted", assertions.len()));
    }
    let hash: String = hence_server::hash(sent.as_bytes()).chars().take(SEAL).collect();
    Ok(format!("{SOURCE} {key} {hash}"))
}

/// The transaction that somebody recorded under a key.
fn recorded(follow: &mut Follow, key: (&str, &str)) -> Result<Option<TxInfo>, Failure> {
    let Some(ledger) = follow.session.ledger() else { return Ok(None) };
    follow.keys.find(ledger, key).map_err(open::failure)
}

fn repeated(follow: &Follow, known: &TxInfo, source: &str) -> DeskAnswer {
    if known.source != source {
        return Err(Problem::new(422, format!("transaction {} has this key for other facts", known.tx)));
    }
    let mut fields = Map::new();
    fields.insert(String::from("committed"), json!(known.tx));
    fields.insert(String::from("repeated"), json!(true));
    fields.insert(String::from("asserted"), json!(known.added));
    fields.insert(String::from("retracted"), json!(known.removed));
    stamp(&follow.session, &mut fields);
    Ok(fields)
}

/// The answer to a repeated request that recorded nothing when it came first.
fn unchanged(follow: &Follow, is_same: bool) -> DeskAnswer {
    if !is_same {
        return Err(Problem::new(422, "a request with this key and other facts recorded nothing"));
    }
    let answer = json!({ "committed": null, "repeated": true, "asserted": 0, "retracted": 0 });
    told(follow, Ok(answer))
}

fn reviewed(follow: &mut Follow, answer: &Review, by: &str, to: To<'_>) -> Result<DeskAnswer, Failure> {
    let wall = time::wall_clock();
    let now = follow.clock(wall)?;
    let said = (answer.approved, answer.comment.as_str(), answer.edits.as_slice());
    let assertions = match review::answer_facts(&follow.session, (&answer.id, by), said, now) {
        Ok(Ok(facts)) => facts,
        Ok(Err(why)) => return Ok(Err(Problem::new(403, why))),
        Err(Failure::Usage(why)) => return Ok(Err(Problem::new(404, why))),
        Err(failure) => return Err(failure),
    };
    let note = (!answer.comment.is_empty()).then(|| answer.comment.clone());
    let change = CommitRequest { note, ..request(assertions, by, "http review", (wall, now)) };
    let decided = match commit(follow, change, to)? {
        Ok(decided) => decided,
        Err(problem) => return Ok(Err(problem)),
    };
    Ok(told(follow, outcome_json(&follow.session, &decided)))
}

/// Records the facts of an AuthZEN request, and answers what is decided with them.
fn evaluate(
    follow: &mut Follow,
    evaluation: &AccessRequest,
    by: &str,
    to: To<'_>,
) -> Result<Result<Decided, Problem>, Failure> {
    let authzen = match access::authzen() {
        Ok(authzen) => authzen,
        Err(problem) => return Ok(Err(problem)),
    };
    let (assertions, wanted) = match access::read(follow.session.rules(), authzen, evaluation, by) {
        Ok(read) => read,
        Err(why) => return Ok(Ok(Decided::failed(400, &why))),
    };
    let wall = time::wall_clock();
    let now = follow.clock(wall)?;
    let decided = match commit(follow, request(assertions, by, "http evaluation", (wall, now)), to)? {
        Ok(decided) => decided,
        Err(problem) if problem.status == 403 => return Ok(Ok(Decided::failed(403, &problem.detail))),
        Err(problem) => return Ok(Err(problem)),
    };
    let seen = follow.session.supposing((&[], by), now, |supposed| access::look(supposed, &wanted));
    Ok(match seen {
        Ok(seen) => Decided::of(&follow.session, seen, Some(&decided)),
        Err(error) => Err(of_session(&error)),
    })
}
