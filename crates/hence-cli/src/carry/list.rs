//! `hence outbox`: what is to be carried out, what became of it, and what a person has done about it.

use std::io::{self, Write};

use clap::{Args, Subcommand};
use serde_json::json;

use hence_core::value::Value;
use hence_ledger::Decision;
use hence_runtime::{EntryNote, Mark, OutboxEntry, State};
use hence_session::{DecisionId, Session};

use super::super::options::{EngineOptions, FactOptions, RuleOptions};
use super::super::output::{self, Format};
use super::super::records::Records;
use super::super::{DONE, Failure, Outcome, config, open, time};
use super::attempt::Attempt;
use super::outbox::{self, Item};
use super::ways::Ways;

/// Show what is to be carried out, and what became of it
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  hence outbox\n  hence outbox show 12.3\n  hence outbox retry 12.3 --as ada"
)]
pub(in super::super) struct OutboxCommand {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    list: List,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List what is open: due, begun, failed, given up, or waiting for a person
    List(List),
    /// Show what became of one decision, note by note
    Show(Show),
    /// Have a decision tried again that failed, was given up, or waits
    Retry(Answer),
    /// Leave a decision that is open
    Skip(Answer),
}

#[derive(Debug, Args)]
struct Subject {
    #[command(flatten)]
    rules: RuleOptions,
    #[command(flatten)]
    facts: FactOptions,
    #[command(flatten)]
    engine: EngineOptions,
}

#[derive(Debug, Args)]
struct List {
    #[command(flatten)]
    subject: Subject,
    /// List what is done, cancelled and skipped too
    #[arg(long)]
    all: bool,
    /// The output format
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

#[derive(Debug, Args)]
struct Show {
    /// The decision's id, such as 12.3
    id: DecisionId,
    #[command(flatten)]
    subject: Subject,
    /// The output format
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

#[derive(Debug, Args)]
struct Answer {
    /// The decision's id, such as 12.3
    id: DecisionId,
    /// Who says so [default: the system user]
    #[arg(long = "as", value_name = "AUTHOR")]
    author: Option<String>,
    #[command(flatten)]
    subject: Subject,
}

impl OutboxCommand {
    pub(in super::super) fn run(self) -> Outcome {
        match self.command {
            None => self.list.run(),
            Some(Command::List(list)) => list.run(),
            Some(Command::Show(show)) => show.run(),
            Some(Command::Retry(answer)) => answer.run(Mark::Retry),
            Some(Command::Skip(answer)) => answer.run(Mark::Skipped),
        }
    }
}

impl Subject {
    fn session(&self, writes: bool) -> Result<(Session, Ways), Failure> {
        if !self.facts.files().is_empty() {
            return Err(Failure::Usage(String::from(
                "an outbox is one of a ledger, but --facts names files",
            )));
        }
        self.facts.existing_store("")?;
        let session = if writes {
            open::for_writing(&self.rules, &self.facts, &self.engine, false)?
        } else {
            open::for_reading(&self.rules, &self.facts, &self.engine)?
        };
        let ways = Ways::of(&session)?;
        Ok((session, ways))
    }
}

/// A line of a listing.
pub(super) struct Row {
    pub(super) id: String,
    pub(super) decision: String,
    pub(super) carrier: String,
    pub(super) state: State,
    pub(super) attempts: u32,
    /// When it is tried again, in microseconds since the epoch.
    pub(super) next: Option<i64>,
    pub(super) detail: String,
}

impl List {
    fn run(self) -> Outcome {
        let (session, ways) = self.subject.session(false)?;
        print(self.format, &rows(&session, &ways, self.all)?)?;
        Ok(DONE)
    }
}

/// What is open, by id; with `all`, what is over too.
fn rows(session: &Session, ways: &Ways, all: bool) -> Result<Vec<Row>, Failure> {
    let mut noted = outbox::entries(session)?;
    let mut rows = Vec::new();
    for (id, decision) in session.in_force(&|relation| ways.get(relation).is_some())? {
        let entry = noted.remove(&id).unwrap_or_default();
        rows.push((id, row(session, ways, id, &decision, &entry)?));
    }
    for (id, entry) in noted {
        let row = match outbox::drawn_as(session, id)? {
            Some(decision) => row(session, ways, id, &decision, &entry)?,
            None => archived(id, &entry),
        };
        rows.push((id, row));
    }
    rows.sort_by_key(|(id, _)| *id);
    let is_shown = |row: &Row| all || !row.state.is_end() || row.state == State::GivenUp;
    Ok(rows.into_iter().map(|(_, row)| row).filter(is_shown).collect())
}

/// The same as programs see it.
#[cfg(feature = "server")]
pub(in super::super) fn outbox_json(session: &Session, all: bool) -> Result<Vec<serde_json::Value>, Failure> {
    let ways = Ways::of(session)?;
    Ok(rows(session, &ways, all)?.iter().map(row_json).collect())
}

fn row_json(row: &Row) -> serde_json::Value {
    json!({
        "id": row.id, "decision": row.decision, "carrier": row.carrier, "state": row.state.word(),
        "attempts": row.attempts, "next": row.next.map(|next| Value::Time(next).text()), "detail": row.detail,
    })
}

fn row(
    session: &Session,
    ways: &Ways,
    id: DecisionId,
    decision: &Decision,
    entry: &OutboxEntry,
) -> Result<Row, Failure> {
    let last = entry.last.as_ref();
    let detail = last.map(|last| last.detail.clone()).unwrap_or_default();
    let noted = last.map(|last| last.carrier.clone()).unwrap_or_default();
    let (policy, carrier, detail) = match ways.get(decision.fact.relation) {
        Some(way) => (&way.policy, way.carrier.name().to_owned(), detail),
        None => (&super::ways::REQUESTS, noted, format!("no carrier any more; {detail}")),
    };
    let state = outbox::shown(entry.state(policy), session.is_in_force(id, &decision.fact)?);
    let unreadable = if state.is_end() { None } else { session.unreadable(id, &decision.fact)? };
    let detail = unreadable.unwrap_or(detail);
    let next = entry.next(policy).filter(|_| state == State::Failed);
    let (id, decision) = (id.to_string(), decision.fact.to_string());
    Ok(Row { id, decision, carrier, state, attempts: entry.attempt, next, detail })
}

/// The row of a decision that only an archive has that is not here: it lapsed.
fn archived(id: DecisionId, entry: &OutboxEntry) -> Row {
    let last = entry.last.as_ref();
    Row {
        id: id.to_string(),
        decision: String::from("(archived)"),
        carrier: last.map(|last| last.carrier.clone()).unwrap_or_default(),
        state: outbox::shown(entry.state(&super::ways::REQUESTS), false),
        attempts: entry.attempt,
        next: None,
        detail: last.map(|last| last.detail.clone()).unwrap_or_default(),
    }
}

/// Writes lines of a listing.
pub(super) fn print<'r>(format: Format, rows: impl IntoIterator<Item = &'r Row>) -> io::Result<()> {
    let header = ["id", "decision", "carrier", "state", "attempts", "next", "detail"];
    let next = |row: &Row| row.next.map(|next| Value::Time(next).text()).unwrap_or_default();
    let cells = |row: &Row| {
        let (state, attempts) = (row.state.word().to_owned(), row.attempts.to_string());
        let [id, decision, carrier] = [&row.id, &row.decision, &row.carrier].map(String::clone);
        [id, decision, carrier, state, attempts, next(row), row.detail.clone()]
    };
    let mut rows = rows.into_iter().peekable();
    match format {
        Format::Table if rows.peek().is_none() => Ok(()),
        Format::Table => {
            let first = |row: &Row| {
                let mut cells = cells(row);
                if let Some(detail) = cells.last_mut() {
                    *detail = detail.lines().next().unwrap_or_default().to_owned();
                }
                cells.to_vec()
            };
            let rows: Vec<Vec<String>> = rows.map(first).collect();
            let is_number = |at: usize| header.get(at) == Some(&"attempts");
            output::out(format).lines(&output::aligned(&header.map(str::to_owned), &rows, is_number))
        }
        Format::Json => output::documents(rows.map(row_json)),
        Format::Jsonl => output::lines(rows.map(row_json)),
        Format::Csv => {
            let mut out = Records::out();
            out.write(header)?;
            rows.try_for_each(|row| out.write(cells(row)))?;
            out.end()
        }
    }
}

impl Show {
    fn run(self) -> Outcome {
        let (session, ways) = self.subject.session(false)?;
        let decision = session.drawn_as(self.id)?;
        let notes = outbox::notes(&session)?.remove(&self.id).unwrap_or_default();
        let mut entry = OutboxEntry::default();
        notes.iter().for_each(|(_, note)| entry.take(note.clone()));
        if notes.is_empty() && ways.get(decision.fact.relation).is_none() {
            return Err(no_carrier(self.id, &decision));
        }
        let row = row(&session, &ways, self.id, &decision, &entry)?;
        let unreadable = session.unreadable(self.id, &decision.fact)?.filter(|_| !row.state.is_end());
        match self.format {
            Format::Table => {
                let mut out = output::out(self.format);
                writeln!(out, "{} {}: {} by {}", row.id, row.decision, row.state.word(), row.carrier)?;
                if let Some(next) = row.next {
                    writeln!(out, "next attempt at {}", Value::Time(next).text())?;
                }
                if let Some(why) = &unreadable {
                    writeln!(out, "{why}")?;
                }
                for (tx, note) in &notes {
                    writeln!(out, "  {}", line(*tx, note))?;
                }
                out.flush()?;
            }
            Format::Json => output::documents(notes.iter().map(object))?,
            Format::Jsonl => output::lines(notes.iter().map(object))?,
            Format::Csv => {
                let mut out = Records::out();
                out.write(["tx", "at", "attempt", "state", "carrier", "detail"])?;
                for (tx, EntryNote { attempt, mark, carrier, detail, at }) in &notes {
                    let (tx, at, attempt) = (tx.to_string(), Value::Time(*at).text(), attempt.to_string());
                    out.write([&tx, &at, &attempt, mark.word(), carrier, detail])?;
                }
                out.end()?;
            }
        }
        Ok(DONE)
    }
}

fn line(tx: u64, note: &EntryNote) -> String {
    let (at, state) = (Value::Time(note.at).text(), note.mark.word().trim_start_matches('/'));
    let detail = if note.detail.is_empty() { String::new() } else { format!(": {}", note.detail) };
    format!("{at} attempt {} {}{detail} (transaction {tx})", note.attempt, state.replace('_', " "))
}

fn object((tx, note): &(u64, EntryNote)) -> serde_json::Value {
    json!({
        "tx": tx, "at": Value::Time(note.at).text(), "attempt": note.attempt, "state": note.mark.word(),
        "carrier": note.carrier, "detail": note.detail,
    })
}

fn no_carrier(id: DecisionId, decision: &Decision) -> Failure {
    Failure::Usage(format!(
        "{id} `{}` is not in the outbox: `{}` has no carrier; name one in `[carry]` of hence.toml",
        decision.fact, decision.fact.relation
    ))
}

impl Answer {
    fn run(self, mark: Mark) -> Outcome {
        let author = config::get().author(self.author.as_deref())?;
        let (mut session, ways) = self.subject.session(true)?;
        let now = time::of(&session, self.subject.facts.now)?;
        let decision = session.drawn_as(self.id)?;
        let Some(way) = ways.get(decision.fact.relation) else { return Err(no_carrier(self.id, &decision)) };
        let entry = outbox::entries(&session)?.remove(&self.id).unwrap_or_default();
        let state = entry.state(&way.policy);
        if !session.is_in_force(self.id, &decision.fact)? {
            return Err(Failure::Usage(format!("{} `{}` has lapsed", self.id, decision.fact)));
        }
        let fits = match mark {
            Mark::Skipped => !state.is_end() && state != State::Answered,
            _ => !matches!(state, State::Due | State::Carried | State::Answered),
        };
        if !fits {
            let verb = if mark == Mark::Skipped { "skip" } else { "retry" };
            let state = state.word();
            return Err(Failure::Usage(format!("{} is {state}, so there is nothing to {verb}", self.id)));
        }
        let (attempt, carrier) = (entry.attempt, way.carrier.name().to_owned());
        let note = EntryNote { attempt, mark, carrier, detail: String::new(), at: now };
        let mut item = Item { decision, entry, chain: 0, is_over: false };
        let mut at_work =
            Attempt { session: &mut session, way, id: self.id, item: &mut item, now, list: false };
        at_work.decide(&author, note)?;
        let done = if mark == Mark::Skipped { "is not carried out" } else { "is due again" };
        output::out(Format::Table).lines(&format!("{} {done}", self.id))?;
        open::show_notices(&session.close());
        Ok(DONE)
    }
}
