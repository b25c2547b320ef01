//! The owner's side: events that wait are decided together, in one transaction, and each is answered with its verdict.

use std::collections::{HashMap, HashSet, VecDeque};
use std::io::Write;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hence_core::fact::Fact;
use hence_core::fault::{self, Fault};
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_gate::{Call, HookAnswer, HookEvent, Host, Lowered, Phase, Verdict, VerdictKind};
use hence_ledger::{Decision, LedgerError};
use hence_session::{CommitOutcome, CommitRequest, SessionError};

use super::super::follow::Follow;
use super::super::owner::Mailbox;
use super::super::{Failure, config, terminal, time};
use super::ids::{Ids, column};

/// How long an event waits for its verdict.
const PATIENCE: Duration = Duration::from_millis(1_900);
/// How many events are decided together.
const MOST: usize = 64;
/// Who asserts what hosts say.
const AUTHOR: &str = "gate";
/// The rule of a call that no rule gives a verdict on.
const UNDECIDED: &str = "undecided";
/// The event for what an owner before left: which it was is not recorded, and at this one every host that can ask does.
const ASKS: &str = "beforeShellExecution";
/// The relations whose facts are of one call, the first column its id.
const OF_A_CALL: [&str; 13] = [
    "agent_call",
    "host",
    "arg",
    "argv",
    "flag",
    "verb",
    "file_access",
    "opaque",
    "tree",
    "same_as",
    "judged",
    "ran",
    "watched",
];

/// Events that wait, and what is known of calls.
#[derive(Default)]
pub(crate) struct Calls {
    waiting: Mutex<VecDeque<Asked>>,
    book: Mutex<Book>,
}

/// What the owner remembers of calls between transactions.
#[derive(Default)]
struct Book {
    /// The calls that are known; read from the ledger first.
    ids: Option<Ids>,
    /// Verdicts that the next transaction takes down.
    judged: Vec<Fact>,
}

/// An event that waits for its answer.
struct Asked {
    event: HookEvent,
    facts: Vec<Fact>,
    print: String,
    shadow: bool,
    until: Instant,
    reply: Sender<Reply>,
}

/// What an event is answered with.
enum Reply {
    Verdict(Verdict),
    /// It is recorded, and there is nothing to say.
    Done,
    Failed(String),
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a host is told about an event: this waits for the owner, and denies where no verdict comes in time.
pub(crate) fn judged(mailbox: &Arc<Mailbox>, host: Option<&str>, shadow: bool, event: &[u8]) -> HookAnswer {
    let host: Option<Host> = host.and_then(|host| host.parse().ok());
    let answer = match HookEvent::read(host, event) {
        Ok(event) => answered(mailbox, event, shadow),
        Err(error) => refused(host, "", &error.to_string()),
    };
    // As it is printed: whoever asks may print it as it is.
    HookAnswer {
        output: answer.output.map(|text| terminal::json_escaped(&text).into_owned()),
        error: answer.error.map(|text| terminal::each_line(&shown(&text)).into_owned()),
        status: answer.status,
    }
}

/// What the host of an event is told.
fn answered(mailbox: &Arc<Mailbox>, event: HookEvent, shadow: bool) -> HookAnswer {
    let waits = event.is_question();
    let (host, name) = (event.host, event.name.clone());
    match ask(mailbox, event, shadow) {
        Reply::Verdict(_) if shadow => host.silence(),
        Reply::Verdict(verdict) => host.answer(&name, &verdict),
        Reply::Done => host.silence(),
        Reply::Failed(why) if waits && !shadow => host.refusal(&name, &why),
        Reply::Failed(why) => HookAnswer { output: None, error: Some(why), status: 1 },
    }
}

/// A denial where nothing is known of the event but, perhaps, its host.
pub(crate) fn refused(host: Option<Host>, name: &str, why: &str) -> HookAnswer {
    host.map_or_else(|| Host::unread(None, &shown(why)), |host| host.refusal(name, &shown(why)))
}

/// A text without what is kept out of the ledger.
fn shown(text: &str) -> String {
    config::get().redaction().text(text)
}

fn ask(mailbox: &Arc<Mailbox>, event: HookEvent, shadow: bool) -> Reply {
    let (facts, print) = match (&event.phase, &event.call) {
        (Phase::Other, _) => return Reply::Done,
        (Phase::Before | Phase::Permission, Some(call)) => {
            let lower = || Ok::<_, Fault>(hence_gate::facts(&event, call, "", time::wall_clock()));
            match fault::caught(lower) {
                Ok(Lowered { facts, .. }) => (facts, hence_gate::fingerprint(&event.session, call)),
                Err(fault) => return Reply::Failed(fault.to_string()),
            }
        }
        (_, Some(call)) => (Vec::new(), hence_gate::fingerprint(&event.session, call)),
        (_, None) => (Vec::new(), String::new()),
    };
    let until = Instant::now() + PATIENCE;
    let (reply, answer): (_, Receiver<Reply>) = channel();
    if !put(mailbox, Asked { event, facts, print, shadow, until, reply }) {
        return Reply::Failed(String::from("too many calls wait for a verdict"));
    }
    let left = until.saturating_duration_since(Instant::now());
    answer.recv_timeout(left).unwrap_or_else(|_| Reply::Failed(String::from("no verdict came within 2 s")))
}

/// Has an event wait for the owner; whether there was room. Those that wait are decided together, so that most of them bring
/// no work of their own: work that finds nobody would fill the queue faster than it is done.
fn put(mailbox: &Arc<Mailbox>, asked: Asked) -> bool {
    let mut waiting = locked(&mailbox.calls.waiting);
    waiting.push_back(asked);
    if waiting.len() % MOST != 1 {
        return true;
    }
    let owner = Arc::clone(mailbox);
    let has_room = mailbox.put_work(Box::new(move |follow, out| decide(&owner.calls, follow, out)));
    if !has_room {
        waiting.pop_back();
    }
    has_room
}

/// Decides on events that wait, as many as are decided together.
fn decide(calls: &Calls, follow: &mut Follow, out: &mut dyn Write) -> Result<(), Failure> {
    let mut batch: Vec<Asked> = Vec::new();
    {
        let mut waiting = locked(&calls.waiting);
        let count = waiting.len().min(MOST);
        batch.extend(waiting.drain(..count));
    }
    // Whoever waited for too long has denied the call by itself.
    batch.retain(|asked| asked.until > Instant::now());
    if batch.is_empty() {
        return Ok(());
    }
    if let Some(idle) = &mut follow.idle {
        idle.since = Instant::now();
    }
    let mut book = locked(&calls.book);
    let failed = match together(&mut book, follow, &batch, out) {
        Ok(()) => return Ok(()),
        Err(Failure::Session(error)) if error.is_of_the_change() && batch.len() > 1 => {
            // One of them may be at fault: each by itself.
            for asked in &batch {
                if let Err(failure) = together(&mut book, follow, std::slice::from_ref(asked), out) {
                    tell_failed(std::slice::from_ref(asked), &failure);
                    fatal(failure)?;
                }
            }
            return Ok(());
        }
        Err(failure) => failure,
    };
    tell_failed(&batch, &failed);
    fatal(failed)
}

/// A failure that ends the owner; one that is of the change, or a full disk, does not.
fn fatal(failure: Failure) -> Result<(), Failure> {
    match failure {
        Failure::Session(error) if error.is_of_the_change() || error.lacks_room() => Ok(()),
        Failure::Usage(_) => Ok(()),
        failure => Err(failure),
    }
}

fn tell_failed(batch: &[Asked], failure: &Failure) {
    let why = match failure {
        Failure::Session(error) => error.to_string(),
        Failure::Usage(why) => why.clone(),
        Failure::Stopped(stopped) => stopped.to_string(),
        #[cfg(feature = "dataflow")]
        Failure::Limit(why) => why.clone(),
        Failure::Output(error) => error.to_string(),
    };
    for asked in batch {
        // Whoever is gone has denied the call by itself.
        let _ = asked.reply.send(Reply::Failed(why.clone()));
    }
}

/// Commits what some events say, and answers them.
fn together(
    book: &mut Book,
    follow: &mut Follow,
    batch: &[Asked],
    out: &mut dyn Write,
) -> Result<(), Failure> {
    check_rules(follow)?;
    let wall = time::wall_clock();
    let mut ids = match book.ids.take() {
        Some(ids) => ids,
        None => begin(book, follow)?,
    };
    let now = follow.clock(wall)?;
    let mut change = CommitRequest {
        assertions: book.judged.clone(),
        author: String::from(AUTHOR),
        source: String::from("gate"),
        time: wall,
        now,
        ..CommitRequest::default()
    };
    let asked: Vec<Option<String>> = batch
        .iter()
        .map(|asked| add(&mut ids, asked, wall, &mut change, follow))
        .collect::<Result<_, _>>()?;
    let decided = match follow.session.commit(change, false) {
        Ok(decided) => decided,
        Err(error) => {
            // What was given an id has none any more; the ledger knows which are.
            book.ids = None;
            book.judged.clear();
            return Err(error.into());
        }
    };
    book.judged.clear();
    let wanted: HashSet<&str> = asked.iter().flatten().map(String::as_str).collect();
    let verdicts: Vec<(&Decision, String)> = decided
        .drawn
        .iter()
        .filter(|drawn| drawn.fact.relation.as_str() == "verdict")
        .filter_map(|drawn| Some((drawn, column(&drawn.fact, 0)?)))
        .filter(|(_, id)| wanted.contains(id.as_str()))
        .collect();
    for (asked, id) in batch.iter().zip(&asked) {
        let reply = match id {
            None => Reply::Done,
            Some(id) => {
                let own = verdicts
                    .iter()
                    .filter(|(_, of)| of == id)
                    .filter_map(|(drawn, _)| verdict(drawn, &decided));
                let verdict = own.max_by_key(|verdict| verdict.kind);
                // What holds of the session is what its host was told.
                let kind = verdict.as_ref().map_or(VerdictKind::Deny, |verdict| verdict.kind);
                let told = asked.event.host.told(&asked.event.name, kind);
                if told != VerdictKind::Deny || asked.shadow {
                    ids.may_run(&asked.print, id);
                }
                let rule = verdict.as_ref().map_or(UNDECIDED, |verdict| &verdict.rule);
                book.judged.push(judgement(id, told, rule, wall));
                verdict.map_or_else(|| Reply::Failed(undecided(&decided)), Reply::Verdict)
            }
        };
        let _ = asked.reply.send(reply);
    }
    book.ids = Some(ids);
    follow.write(None, &decided, now, out)
}

/// Rules that give no verdicts are not the gate's.
fn check_rules(follow: &Follow) -> Result<(), Failure> {
    let program = &follow.session.rules().program;
    let has = program.relations.iter().any(|relation| relation.name.as_str() == "verdict");
    if has {
        return Ok(());
    }
    Err(Failure::Usage(String::from(
        "the rules of the ledger's owner give no verdicts; start it with `hence serve --pack gate`",
    )))
}

/// The calls that the ledger knows. What an owner before had no time to take down is taken down: the verdict that stands.
fn begin(book: &mut Book, follow: &Follow) -> Result<Ids, Failure> {
    let Some(ledger) = follow.session.ledger() else { return Ok(Ids::default()) };
    let of_ledger = |error: LedgerError| Failure::Session(SessionError::Ledger(error));
    let (ids, left) = Ids::of(ledger).map_err(of_ledger)?;
    let wall = time::wall_clock();
    let mut hosts: HashMap<String, Host> = HashMap::new();
    for row in ledger.facts(Symbol::new("host")) {
        let (fact, _) = row.map_err(of_ledger)?;
        if let (Some(id), Some(Ok(host))) = (column(&fact, 0), column(&fact, 1).map(|word| word.parse())) {
            hosts.insert(id, host);
        }
    }
    let standing = if left.is_empty() { Vec::new() } else { ledger.decisions().map_err(of_ledger)? };
    for id in left {
        let of_call = |decision: &&hence_ledger::InForce| {
            let fact = &decision.decision.fact;
            fact.relation.as_str() == "verdict" && column(fact, 0).as_deref() == Some(&id)
        };
        let found = standing.iter().find(of_call).map(|found| &found.decision.fact);
        let kind =
            found.and_then(|fact| VerdictKind::of_word(&column(fact, 1)?)).unwrap_or(VerdictKind::Deny);
        let rule = found.and_then(|fact| column(fact, 2)).unwrap_or_else(|| String::from(UNDECIDED));
        let told = hosts.get(&id).map_or(kind, |host: &Host| host.told(ASKS, kind));
        book.judged.push(judgement(&id, told, &rule, wall));
    }
    Ok(ids)
}

/// Adds what an event says to a change; the id of the call that waits for a verdict.
fn add(
    ids: &mut Ids,
    asked: &Asked,
    wall: i64,
    change: &mut CommitRequest,
    follow: &Follow,
) -> Result<Option<String>, Failure> {
    let (event, own) = (&asked.event, asked.event.call.as_ref().and_then(own_id));
    match &event.phase {
        Phase::Before | Phase::Permission => {
            let id = ids.asked(&event.session, own, &asked.print);
            let key = Value::String(Symbol::new(&id));
            change.assertions.extend(asked.facts.iter().cloned().map(|mut fact| {
                fact.values.iter_mut().take(1).for_each(|value| *value = key);
                fact
            }));
            if asked.shadow {
                change.assertions.push(Fact::new("watched", [key]));
            }
            Ok(Some(id))
        }
        Phase::After(outcome) => {
            if let Some(id) = ids.ran(own, &asked.print) {
                let took = outcome.took.unwrap_or(0).saturating_mul(1_000);
                let values = [
                    Value::String(Symbol::new(&id)),
                    Value::Bool(outcome.ok),
                    Value::Duration(took),
                    Value::Time(wall),
                ];
                change.assertions.push(Fact::new("ran", values));
            }
            Ok(None)
        }
        Phase::End => {
            let over = ids.ended(&event.session);
            change.assertions.retain(|fact| column(fact, 0).is_none_or(|id| !over.contains(&id)));
            change.retractions.extend(facts_of(follow, &over)?);
            Ok(None)
        }
        Phase::Other => Ok(None),
    }
}

fn own_id(call: &Call) -> Option<&str> {
    call.id.as_deref()
}

/// The facts that stand of some calls.
fn facts_of(follow: &Follow, ids: &HashSet<String>) -> Result<Vec<Fact>, Failure> {
    let Some(ledger) = follow.session.ledger() else { return Ok(Vec::new()) };
    let mut all = Vec::new();
    for relation in OF_A_CALL {
        for row in ledger.facts(Symbol::new(relation)) {
            let (fact, _) = row.map_err(|error| Failure::Session(SessionError::Ledger(error)))?;
            if column(&fact, 0).is_some_and(|id| ids.contains(&id)) {
                all.push(fact);
            }
        }
    }
    Ok(all)
}

fn judgement(id: &str, kind: VerdictKind, rule: &str, at: i64) -> Fact {
    let name = |word: &str| Value::Name(Symbol::new(&format!("/{}", word.trim_start_matches('/'))));
    Fact::new("judged", [Value::String(Symbol::new(id)), name(kind.word()), name(rule), Value::Time(at)])
}

/// Why no verdict was drawn.
fn undecided(decided: &CommitOutcome) -> String {
    let why = "no rule gives a verdict on this call";
    decided.reports.first().map_or_else(|| String::from(why), |report| format!("{why}: {report}"))
}

/// The verdict that a decision is.
fn verdict(drawn: &Decision, decided: &CommitOutcome) -> Option<Verdict> {
    let text = |at| column(&drawn.fact, at);
    Some(Verdict {
        kind: VerdictKind::of_word(&text(1)?)?,
        rule: text(2)?.trim_start_matches('/').to_owned(),
        reason: shown(&text(3)?),
        remedy: shown(&text(4)?),
        decision: decided.id(&drawn.fact).map(|id| id.to_string()).unwrap_or_default(),
    })
}
