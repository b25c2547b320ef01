//! One attempt to carry a decision out, from its beginning on the disk to what came of it there.

use hence_actuators::carry::{FactRows, Failed, Fate, Order, Report, World};
use hence_actuators::file_requests;
use hence_core::fact::Fact;
use hence_core::fault::OrBroken;
use hence_core::schema::{Column, ColumnType};
use hence_core::symbol::Symbol;
use hence_core::value::{Type, Value};
use hence_ledger::{Draft, Schema, When, is_reserved};
use hence_runtime::{EntryNote, Mark, RELATION, State, columns};
use hence_session::{CommitOutcome, CommitRequest, DecisionId, Session};

use super::super::{Failure, open, output, time};
use super::Event;
use super::answer::Answer;
use super::outbox::Item;
use super::ways::Way;

/// The author of what hence itself notes.
pub(super) const AUTHOR: &str = "hence";

/// An entry at work.
pub(super) struct Attempt<'a> {
    pub(super) session: &'a mut Session,
    pub(super) way: &'a Way,
    pub(super) id: DecisionId,
    pub(super) item: &'a mut Item,
    pub(super) now: i64,
    /// Whether the outcomes are to hold all decisions that stand.
    pub(super) list: bool,
}

impl Attempt<'_> {
    /// Begins an attempt, unless what the decision requires doesn't stand; what came of it.
    pub(super) fn begin(&mut self, number: u32) -> Result<Option<Event>, Failure> {
        let decision = self.item.decision.fact.clone();
        if let Some(lack) = self.session.lacking(&decision, self.now)? {
            output::warning(&format!("{} `{decision}` is not carried out: {lack}", self.id));
            return Ok(None);
        }
        if self.way.carrier.name() == file_requests::NAME && filed(self.session, &decision)? {
            return self.end(Mark::Carried, String::from("it is requested already")).map(Some);
        }
        if self.way.carrier.is_outside() {
            self.note(number, Mark::Begun, String::new())?;
        }
        match self.carry_out(number) {
            Ok(report) => self.answered(number, report).map(Some),
            Err(failed) => self.failed(number, failed).map(Some),
        }
    }

    /// Leaves an entry as it is, and says why.
    pub(super) fn leave(&self, why: String) -> Event {
        output::warning(&format!("{} `{}` is not carried out: {why}", self.id, self.item.decision.fact));
        self.event(why, Vec::new())
    }

    fn carry_out(&self, attempt: u32) -> Result<Report, Failed> {
        let decision = &self.item.decision;
        let columns = declared(self.session, decision.fact.relation);
        let name = self.id.to_string();
        let order = Order {
            id: &name,
            attempt,
            decision: &decision.fact,
            columns: &columns,
            rule: decision.rule.as_deref(),
            because: decision.sentence.as_deref(),
            now: self.now,
            world: &Held { session: &*self.session, now: self.now },
        };
        let span = tracing::info_span!("carry_out", carrier = self.way.carrier.name(), decision = name);
        span.in_scope(|| self.way.carrier.carry_out(&order))
    }

    /// Records what was answered, then that it is done.
    fn answered(&mut self, number: u32, report: Report) -> Result<Event, Failure> {
        let by = self.way.carrier.name();
        show_output(&self.way.carrier.speaker(), &report.said);
        let mut answer = Answer::read(self.session, (by, &self.way.author), report);
        if self.way.carrier.is_outside() {
            self.leave_out_forbidden(&mut answer)?;
        }
        let asserted = answer.facts.len();
        let mut decided = Vec::new();
        if asserted > 0 {
            let note = EntryNote { attempt: number, mark: Mark::Answered, ..self.blank() };
            let facts = std::mem::take(&mut answer.facts);
            let said = format!("carried out by {by}");
            match self.commit(self.way.author.clone(), facts.clone(), &note, said)? {
                Ok(found) => decided.push(found),
                Err(why) => {
                    let lines: Vec<String> = facts.iter().map(hence_core::json::line).collect();
                    answer.fault(&format!("{why}: {}", lines.join("\n")));
                }
            }
        }
        if decided.is_empty() && !self.way.carrier.is_outside() {
            return self.failed(number, Failed::new(Fate::Undone, answer.faults));
        }
        if !answer.faults.is_empty() {
            output::warning(&format!("the answer of {by} to {}: {}", self.id, answer.faults));
        }
        let asserted = if decided.is_empty() { 0 } else { asserted };
        self.item.entry.attempt = number;
        let event = self.end(Mark::Carried, answer.faults)?;
        decided.extend(event.decided);
        Ok(Event { asserted, decided, ..event })
    }

    /// Leaves out of an answer what the carrier may not assert, and tells of it.
    fn leave_out_forbidden(&self, answer: &mut Answer) -> Result<(), Failure> {
        for fact in std::mem::take(&mut answer.facts) {
            match self.session.may_assert(&self.way.author, self.now, &fact) {
                Ok(()) => answer.facts.push(fact),
                Err(error) if error.is_of_the_change() => {
                    answer.fault(&format!("{error}: {}", hence_core::json::line(&fact)));
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Records that it failed, and whether it is tried again.
    fn failed(&mut self, number: u32, failed: Failed) -> Result<Event, Failure> {
        show_output(&self.way.carrier.speaker(), &failed.said);
        let mut mark = match failed.fate {
            Fate::Undone => Mark::Failed,
            Fate::Unknown => Mark::Unknown,
            Fate::Refused => Mark::GivenUp,
        };
        let note = EntryNote { attempt: number, mark, ..self.blank() };
        let mut after = self.item.entry.clone();
        after.take(note);
        if after.state(&self.way.policy) == State::Failed && after.tried >= self.way.policy.attempts {
            mark = Mark::GivenUp;
        }
        output::warning(&format!("{} `{}`: {}", self.id, self.item.decision.fact, failed.message));
        if mark.is_end() {
            self.item.entry.attempt = number;
            return self.end(mark, failed.message);
        }
        self.note(number, mark, failed.message.clone())?;
        Ok(self.event(failed.message, Vec::new()))
    }

    /// Notes how an entry ends, and tells rules that ask for it.
    pub(super) fn end(&mut self, mark: Mark, detail: String) -> Result<Event, Failure> {
        let note = EntryNote { mark, detail: detail.clone(), ..self.blank() };
        let decided = self.settle(AUTHOR, note)?;
        Ok(self.event(detail, decided))
    }

    /// Notes what a person says of an entry.
    pub(super) fn decide(&mut self, author: &str, note: EntryNote) -> Result<(), Failure> {
        match note.mark.is_end() {
            true => self.settle(author, note).map(drop),
            false => self.keep(author, note),
        }
    }

    fn settle(&mut self, author: &str, note: EntryNote) -> Result<Vec<CommitOutcome>, Failure> {
        let mut said = told(self.session, self.id, &self.item.decision.fact, &note);
        if let Some(why) = self.session.unreadable(self.id, &self.item.decision.fact)? {
            // What holds the values of the decision would record what stands in their place.
            let own = format!("carried_{}", self.item.decision.fact.relation);
            let before = said.len();
            said.retain(|fact| fact.relation.as_str() != own);
            if said.len() < before {
                output::warning(&format!("`{own}` is not asserted: {why}"));
            }
        }
        let mut decided = Vec::new();
        let words = self.words(&note);
        let committed = (!said.is_empty()).then(|| self.commit(author.to_owned(), said, &note, words));
        match committed.transpose()? {
            Some(Ok(found)) => {
                decided.push(found);
                self.item.entry.take(note);
            }
            Some(Err(why)) => {
                output::warning(&format!("`carried` of {} is not asserted: {why}", self.id));
                self.keep(author, note)?;
            }
            None => self.keep(author, note)?,
        }
        self.item.is_over = true;
        Ok(decided)
    }

    fn event(&self, detail: String, decided: Vec<CommitOutcome>) -> Event {
        let (decision, by) = (self.item.decision.fact.clone(), self.way.carrier.name());
        let (entry, policy) = (&self.item.entry, &self.way.policy);
        let (state, attempts, next) = (entry.state(policy), entry.attempt, entry.next(policy));
        Event { id: self.id, decision, by, state, attempts, next, detail, asserted: 0, decided }
    }

    /// A note of this attempt that says nothing yet.
    fn blank(&self) -> EntryNote {
        let carrier = self.way.carrier.name().to_owned();
        let attempt = self.item.entry.attempt;
        EntryNote { attempt, mark: Mark::Begun, carrier, detail: String::new(), at: self.now }
    }

    fn note(&mut self, attempt: u32, mark: Mark, detail: String) -> Result<(), Failure> {
        let note = EntryNote { attempt, mark, detail, ..self.blank() };
        self.keep(AUTHOR, note)
    }

    /// What a carrier says of a decision with personal values may hold them, and is not recorded.
    fn hide(&self, note: &mut EntryNote) {
        let program = &self.session.rules().program;
        let relation = program.find(self.item.decision.fact.relation).and_then(|id| program.relation(id));
        if !note.detail.is_empty() && relation.is_some_and(|relation| !relation.personal.is_empty()) {
            note.detail = String::from("(personal)");
        }
    }

    /// Records a note that no rule reads.
    fn keep(&mut self, author: &str, mut note: EntryNote) -> Result<(), Failure> {
        self.hide(&mut note);
        let draft = Draft {
            author: author.to_owned(),
            source: format!("decision {}", self.id),
            note: Some(self.words(&note)),
            time: time::wall_clock(),
            assertions: vec![note.fact(&self.id.to_string())],
            schemas: schemas(self.session)?,
            ..Draft::default()
        };
        self.session.keep(&draft)?;
        self.item.entry.take(note);
        Ok(())
    }

    /// Records facts with a note; why not, where these facts can't be taken.
    fn commit(
        &mut self,
        author: String,
        facts: Vec<Fact>,
        note: &EntryNote,
        said: String,
    ) -> Result<Result<CommitOutcome, String>, Failure> {
        let (mut assertions, mut note) = (facts, note.clone());
        self.hide(&mut note);
        assertions.push(note.fact(&self.id.to_string()));
        let change = CommitRequest {
            assertions,
            author,
            source: format!("decision {}", self.id),
            note: Some(said),
            time: time::wall_clock(),
            now: self.now,
            list: self.list,
            ..CommitRequest::default()
        };
        match self.session.commit(change, false) {
            Ok(mut decided) => {
                decided.changes.added.retain(|fact| !is_reserved(fact.relation));
                Ok(Ok(decided))
            }
            Err(error) if error.is_of_the_change() => Ok(Err(error.to_string())),
            Err(error) => Err(error.into()),
        }
    }

    /// What a transaction says of a note.
    fn words(&self, note: &EntryNote) -> String {
        let by = self.way.carrier.name();
        match note.mark {
            Mark::Begun => format!("begun by {by}"),
            Mark::Answered | Mark::Carried => format!("carried out by {by}"),
            Mark::Failed | Mark::Unknown | Mark::Cancelled => {
                format!("not carried out by {by}: {}", note.detail)
            }
            Mark::GivenUp => format!("not carried out by {by}, given up: {}", note.detail),
            Mark::Retry => String::from("to be tried again"),
            Mark::Skipped => String::from("not to be carried out"),
        }
    }
}

/// What holds in a session at an instant.
struct Held<'a> {
    session: &'a Session,
    now: i64,
}

impl World for Held<'_> {
    fn rows(&self, relation: &str) -> Result<FactRows, String> {
        let derived =
            self.session.derive(&[relation.to_owned()], self.now).map_err(|error| error.to_string())?;
        let found = derived.relations.into_iter().next();
        let (_, columns, facts) = found.or_broken("a relation that is asked for is answered");
        Ok(FactRows { columns: columns.iter().map(ToString::to_string).collect(), facts })
    }
}

/// The columns of notes, where the ledger doesn't have them yet.
fn schemas(session: &Session) -> Result<Vec<Schema>, Failure> {
    let ledger = session.ledger().or_broken("an outbox is one of a ledger");
    let relation = Symbol::new(RELATION);
    if ledger.recorded(relation, When::Now).map_err(open::failure)?.is_some() {
        return Ok(Vec::new());
    }
    let columns = columns().map(|(name, ty)| Column::new(name, ColumnType::plain(ty)));
    Ok(vec![Schema { relation, columns: columns.into(), renews: false }])
}

/// What rules that ask for it are told of an end: `carried(id, relation, outcome, at)`, and of a decision `R` the fact
/// `carried_R` with its columns, `outcome`, `ended` and `id`, as far as it is declared with them.
fn told(session: &Session, id: DecisionId, decision: &Fact, note: &EntryNote) -> Vec<Fact> {
    let relation = decision.relation.as_str();
    let id = Value::String(Symbol::new(&id.to_string()));
    let (outcome, ended) = (note.mark.word(), Value::Time(note.at));
    let plainly = [
        ("id", Told::Value(id)),
        ("relation", Told::Word(relation)),
        ("outcome", Told::Word(outcome)),
        ("at", Told::Value(ended)),
    ];
    let columns = declared(session, decision.relation);
    let own = columns.iter().map(String::as_str).zip(decision.values.iter().map(|value| Told::Value(*value)));
    let ends = [("outcome", Told::Word(outcome)), ("ended", Told::Value(ended)), ("id", Told::Value(id))];
    let own: Vec<(&str, Told<'_>)> = own.chain(ends).collect();
    [fact(session, "carried", &plainly), fact(session, &format!("carried_{relation}"), &own)]
        .into_iter()
        .flatten()
        .collect()
}

/// What a column is told.
#[derive(Clone, Copy)]
enum Told<'a> {
    Value(Value),
    /// As a name or as a string, whatever the column is.
    Word(&'a str),
}

/// A fact of an input, if it is declared with no other columns than these.
fn fact(session: &Session, relation: &str, known: &[(&str, Told<'_>)]) -> Option<Fact> {
    let rules = session.rules();
    let declared = &rules.program[rules.program.find(Symbol::new(relation))?];
    let value = |column: &Column| {
        let (name, told) = known.iter().find(|(name, _)| *name == column.name.as_str())?;
        let value = match told {
            Told::Value(value) => *value,
            Told::Word(word) if column.ty.ty == Type::Name => {
                Value::Name(Symbol::new(&format!("/{}", word.trim_start_matches('/'))))
            }
            Told::Word(word) => Value::String(Symbol::new(word.trim_start_matches('/'))),
        };
        Some((*name, value))
    };
    let values = declared.columns.iter().map(value).collect::<Option<Vec<_>>>()?;
    hence_session::fact_by_name(rules, relation, &values).ok()
}

/// Shows people what a program wrote to standard error.
fn show_output(program: &str, said: &str) {
    said.lines().for_each(|line| output::note(&format!("{program}: {line}")));
}

/// Whether the request that a decision leads to is there already.
fn filed(session: &Session, decision: &Fact) -> Result<bool, Failure> {
    let ledger = session.ledger().or_broken("an outbox is one of a ledger");
    let id = Value::String(Symbol::new(&file_requests::id_of(decision)));
    let relation = file_requests::filed_as(decision.relation.as_str());
    let column = file_requests::key_of(relation);
    hence_session::stands_with(ledger, Symbol::new(relation), column, id).map_err(open::failure)
}

fn declared(session: &Session, relation: Symbol) -> Vec<String> {
    let program = &session.rules().program;
    let id = program.find(relation).or_broken("a relation with a carrier is one of the rules");
    program[id].columns.iter().map(|column| column.name.to_string()).collect()
}
