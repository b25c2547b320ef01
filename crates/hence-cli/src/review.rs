//! `hence review`: what waits for a person, what it is about, and a person's answer to it.

mod find;
mod reply;
mod show;
mod waiting;

use std::collections::BTreeMap;
use std::io::Write;

use clap::{Args, Subcommand};
use serde_json::json;

use hence_core::fact::Fact;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_session::{CommitRequest, RuleSet, Session};

use find::{answered, find, find_override, no_part, others, unknown};
use waiting::{foreign, waiting};

use super::options::{EngineOptions, FactOptions, RuleOptions};
use super::output::{self, Format};
use super::records::Records;
use super::{DONE, Failure, NO, Outcome, UNDETERMINED, config, decide, open, terminal, time};

/// The relations that say what waits.
const ASKED: [&str; 6] = [
    "pending_review",
    "escalation_request",
    "proposal_status",
    "proposal",
    "proposal_content",
    "propose_override",
];

/// The decisions that become proposals.
const PROPOSING: [&str; 5] =
    ["propose_lesson", "propose_constraint", "propose_solution", "propose_mcp", "propose_override"];

/// The relations that answer, with the number of columns that name what they answer.
const ANSWERS: [(&str, usize); 3] =
    [("escalation_review", 1), ("proposal_review", 1), ("override_review", 2)];

/// Show what waits for a human review, and answer it
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  hence review list\n  hence review show p1\n  \
    hence review approve r1 --as ada --comment 'go on'\n  \
    hence review approve p1 --edit value=0.25 --as ada\n  \
    hence review reject payment-7/financial --as ada --reason 'no contract'\n  \
    hence review override payment --as ada")]
pub(super) struct Review {
    #[command(subcommand)]
    command: ReviewCommand,
}

#[derive(Debug, Subcommand)]
enum ReviewCommand {
    /// List escalations, proposals and overrides that no reviewer has answered
    List(List),
    /// Show what waits: why, the facts that it rests on, and what is to be done
    Show(show::Show),
    /// Approve a request
    Approve(Approve),
    /// Reject a request
    Reject(Reject),
    /// Answer by the token of a card's button
    Answer(reply::ByToken),
    /// Let the event that begins so past the rule that stops it
    Override(Override),
}

/// The rules and the ledger.
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
    /// The output format
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

#[derive(Debug, Args)]
struct Approve {
    #[command(flatten)]
    answer: Answer,
    /// Approve with a part of the content written anew, such as `value=0.25`; repeatable
    #[arg(long = "edit", value_name = "PART=TEXT", value_parser = edit)]
    edits: Vec<(String, String)>,
}

#[derive(Debug, Args)]
struct Reject {
    #[command(flatten)]
    answer: Answer,
    /// Why; rules learn from it
    #[arg(long, value_name = "TEXT", default_value = "")]
    reason: String,
}

#[derive(Debug, Args)]
struct Override {
    #[command(flatten)]
    answer: Answer,
}

/// A part of the content, and its text.
fn edit(text: &str) -> Result<(String, String), String> {
    let (part, text) = text.split_once('=').ok_or_else(|| format!("expected PART=TEXT, found `{text}`"))?;
    Ok((part.trim().trim_start_matches('/').to_owned(), text.to_owned()))
}

#[derive(Debug, Args)]
struct Answer {
    /// The request, as named by `hence review list`
    id: String,
    /// The reviewer
    #[arg(long = "as", value_name = "NAME", env = "HENCE_AUTHOR")]
    reviewer: String,
    /// The reviewer's comment
    #[arg(long, default_value = "")]
    comment: String,
    #[command(flatten)]
    subject: Subject,
}

impl Review {
    pub(super) fn run(self) -> Outcome {
        match self.command {
            ReviewCommand::List(list) => list.run(),
            ReviewCommand::Show(show) => show.run(),
            ReviewCommand::Approve(Approve { answer, edits }) => answer.run(find, true, &edits, ""),
            ReviewCommand::Reject(Reject { answer, reason }) => answer.run(find, false, &[], &reason),
            ReviewCommand::Answer(by_token) => by_token.run(),
            ReviewCommand::Override(Override { answer }) => answer.run(find_override, true, &[], ""),
        }
    }
}

/// What is waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Wait {
    /// A request for a level of freedom.
    Escalation { request: Symbol },
    /// Something learned.
    Proposal { proposal: Symbol },
    /// An event that a guardrail stops.
    Override { event: Symbol, rule: Symbol },
}

/// Something that waits for a review.
#[derive(Clone, Debug)]
struct Waiting {
    wait: Wait,
    /// What it is about.
    what: String,
    /// Since when, where that is known, in microseconds since the epoch.
    since: Option<i64>,
    /// The fact that says so, or the decision that proposed it.
    origin: Fact,
    /// What is to be done, part by part.
    content: Vec<(Symbol, Symbol)>,
    /// The proposal that waits for the same answer.
    twin: Option<Symbol>,
}

impl Wait {
    fn kind(&self) -> &'static str {
        match self {
            Self::Escalation { .. } => "escalation",
            Self::Proposal { .. } => "proposal",
            Self::Override { .. } => "override",
        }
    }

    fn id(&self) -> String {
        match self {
            Self::Escalation { request: id } | Self::Proposal { proposal: id } => id.to_string(),
            Self::Override { event, rule } => format!("{event}{rule}"),
        }
    }

    /// The review, as the packs read it.
    fn review(
        &self,
        rules: &RuleSet,
        approved: bool,
        by: &str,
        comment: &str,
        at: i64,
    ) -> Result<Fact, Failure> {
        let text = |text: Symbol| Value::String(text);
        let by = text(Symbol::new(by));
        let mut values = vec![("approved", Value::Bool(approved)), ("by", by), ("at", Value::Time(at))];
        let relation = match *self {
            Self::Escalation { request } => {
                values.extend([("request", text(request)), ("comment", text(Symbol::new(comment)))]);
                "escalation_review"
            }
            Self::Proposal { proposal } => {
                values.push(("proposal", text(proposal)));
                "proposal_review"
            }
            Self::Override { event, rule } => {
                values.extend([("event", text(event)), ("rule", Value::Name(rule))]);
                "override_review"
            }
        };
        Ok(hence_session::fact_by_name(rules, relation, &values)?)
    }
}

impl List {
    fn run(self) -> Outcome {
        let Subject { rules, facts, engine } = &self.subject;
        let session = open::for_reading(rules, facts, engine)?;
        session.check_columns()?;
        let (waiting, sure) = waiting(&session, time::of(&session, facts.now)?)?;
        let status = if sure { DONE } else { UNDETERMINED };
        others(&session).iter().for_each(|others| output::aside(others));
        if self.format == Format::Table && waiting.is_empty() {
            writeln!(terminal::text(), "nothing waits for a review")?;
            return Ok(status);
        }
        let since = |found: &Waiting| found.since.map(|at| Value::Time(at).text()).unwrap_or_default();
        let row = |found: &Waiting| {
            vec![found.wait.kind().to_owned(), found.wait.id(), found.what.clone(), since(found)]
        };
        let header = ["kind", "id", "what", "since"].map(str::to_owned);
        let rows: Vec<Vec<String>> = waiting.iter().map(row).collect();
        let object = |row: &Vec<String>| {
            let pairs = header.iter().cloned().zip(row.iter().map(|cell| json!(cell)));
            serde_json::Value::Object(pairs.collect())
        };
        match self.format {
            Format::Table => output::out(self.format).lines(&output::table(&header, &rows))?,
            Format::Jsonl => output::lines(rows.iter().map(object))?,
            Format::Json => output::documents(rows.iter().map(object))?,
            Format::Csv => {
                let mut out = Records::out();
                out.write(&header)?;
                rows.iter().try_for_each(|row| out.write(row))?;
                out.end()?;
            }
        }
        Ok(status)
    }
}

/// What an answer is given to, of all that waits.
type Choose = for<'a> fn(&str, &'a [Waiting]) -> Result<Option<&'a Waiting>, Failure>;

impl Answer {
    fn run(self, choose: Choose, approved: bool, edits: &[(String, String)], reason: &str) -> Outcome {
        config::get().author(Some(&self.reviewer))?;
        let Subject { rules, facts, engine } = &self.subject;
        let session = open::for_writing(rules, facts, engine, false)?;
        self.record(session, choose, "review", (approved, reason), edits)
    }

    fn record(
        &self,
        mut session: Session,
        choose: Choose,
        source: &str,
        (approved, reason): (bool, &str),
        edits: &[(String, String)],
    ) -> Outcome {
        let facts = &self.subject.facts;
        session.check_columns()?;
        let (clock, now) = (time::wall_clock(), time::of(&session, facts.now)?);
        let reviewers = reviewers(&session, now)?;
        if !reviewers.contains(&self.reviewer) {
            output::error(&format!("`{}` is not a reviewer{}", self.reviewer, known(&session, &reviewers)));
            return Ok(NO);
        }
        let (waiting, _) = waiting(&session, now)?;
        let Some(found) = choose(&self.id, &waiting)? else {
            let answered = answered(&session, &self.id, now)?;
            return Err(Failure::Usage(answered.unwrap_or_else(|| self.unknown(&waiting))));
        };
        let verb = if approved { "approved" } else { "rejected" };
        let comment = if reason.is_empty() { self.comment.clone() } else { reason.to_owned() };
        let change = CommitRequest {
            assertions: answer(&session, found, &self.reviewer, (approved, &comment, now), edits)?,
            author: self.reviewer.clone(),
            source: source.to_owned(),
            note: (!comment.is_empty()).then_some(comment),
            time: clock,
            now,
            ..CommitRequest::default()
        };
        let decided = session.commit(change, false)?;
        output::reports(&decided.reports);
        let said = format!("{} {verb} the {} {}", self.reviewer, found.wait.kind(), found.wait.id());
        writeln!(terminal::text(), "{said}")?;
        decide::print_changes(&decided)?;
        Ok(DONE)
    }

    fn unknown(&self, waiting: &[Waiting]) -> String {
        unknown(&self.id, waiting)
    }
}

/// The facts of an answer: the review, that of the proposal for the same thing, and what rules learn from.
fn answer(
    session: &Session,
    found: &Waiting,
    by: &str,
    (approved, comment, now): (bool, &str, i64),
    edits: &[(String, String)],
) -> Result<Vec<Fact>, Failure> {
    let rules = session.rules();
    let mut facts = vec![found.wait.review(rules, approved, by, comment, now)?];
    if let Some(proposal) = found.twin {
        facts.push(Wait::Proposal { proposal }.review(rules, approved, by, comment, now)?);
    }
    let has = |name: &str| rules.program.find(Symbol::new(name)).is_some();
    if !approved && !comment.is_empty() && has("review_reason") {
        let mut values = about(found, by, now);
        values.push(("reason", Value::String(Symbol::new(comment))));
        facts.push(hence_session::fact_by_name(rules, "review_reason", &values)?);
    }
    for (part, text) in edits {
        let name = Symbol::new(&format!("/{part}"));
        let Some((_, old)) = found.content.iter().find(|(known, _)| *known == name) else {
            return Err(Failure::Usage(no_part(found, part)));
        };
        if old.as_str() != text {
            let mut values = about(found, by, now);
            values.extend([("part", Value::Name(name)), ("text", Value::String(Symbol::new(text)))]);
            facts.push(hence_session::fact_by_name(rules, "review_edit", &values)?);
        }
    }
    Ok(facts)
}

/// What is answered, by whom and when.
fn about(found: &Waiting, by: &str, now: i64) -> Vec<(&'static str, Value)> {
    let text = |text: &str| Value::String(Symbol::new(text));
    let kind = Value::Name(Symbol::new(&format!("/{}", found.wait.kind())));
    vec![("kind", kind), ("id", text(&found.wait.id())), ("by", text(by)), ("at", Value::Time(now))]
}

/// The facts of an answer to what an id names; why they are not to be had of this reviewer.
///
/// # Errors
/// Nothing of this id waits.
#[cfg(feature = "server")]
pub(super) fn answer_facts(
    session: &Session,
    (id, by): (&str, &str),
    (approved, comment, edits): (bool, &str, &[(String, String)]),
    now: i64,
) -> Result<Result<Vec<Fact>, String>, Failure> {
    let reviewers = reviewers(session, now)?;
    if !reviewers.iter().any(|known| known == by) {
        return Ok(Err(format!("`{by}` is not a reviewer{}", known(session, &reviewers))));
    }
    let (waiting, _) = waiting(session, now)?;
    let Some(found) = find(id, &waiting)? else {
        let said = answered(session, id, now)?.unwrap_or_else(|| unknown(id, &waiting));
        return Err(Failure::Usage(said));
    };
    answer(session, found, by, (approved, comment, now), edits).map(Ok)
}

/// What waits, with what is to be done.
#[cfg(feature = "server")]
pub(super) fn waiting_json(session: &Session, now: i64) -> Result<Vec<serde_json::Value>, Failure> {
    let (waiting, _) = waiting(session, now)?;
    Ok(waiting.iter().map(|found| show::document(found, None)).collect())
}

/// What waits under an id, and whether somebody may answer it.
///
/// # Errors
/// Nothing waits under it.
#[cfg(feature = "server")]
pub(super) fn waits_json(
    session: &Session,
    (id, by): (&str, &str),
    now: i64,
) -> Result<(serde_json::Value, bool), Failure> {
    let may = reviewers(session, now)?.iter().any(|known| known == by);
    let (waiting, _) = waiting(session, now)?;
    let Some(found) = find(id, &waiting)? else {
        let said = answered(session, id, now)?.unwrap_or_else(|| unknown(id, &waiting));
        return Err(Failure::Usage(said));
    };
    Ok((show::document(found, None), may))
}

/// The same with the proof that each waits.
#[cfg(feature = "server")]
pub(super) fn waiting_with_proofs(session: &Session, now: i64) -> Result<Vec<serde_json::Value>, Failure> {
    let (waiting, _) = waiting(session, now)?;
    let proved = |found: &Waiting| {
        let proof = show::proof(session, found, now)?;
        Ok(show::document(found, proof.as_ref()))
    };
    waiting.iter().map(proved).collect()
}

fn known(session: &Session, reviewers: &[String]) -> String {
    if !reviewers.is_empty() {
        format!("; reviewers are: {}", reviewers.join(", "))
    } else if session.rules().program.find("reviewer".into()).is_none() {
        String::from(
            "; these rules have no relation `reviewer(by: string)`, so nobody reviews what they decide",
        )
    } else {
        String::from("; there are none yet: assert `reviewer(\"NAME\")`")
    }
}

fn reviewers(session: &Session, now: i64) -> Result<Vec<String>, Failure> {
    let (facts, _) = relations(session, &["reviewer"], now)?;
    let name = |fact: Fact| match *fact.values {
        [by] => Ok(by.text()),
        _ => Err(foreign(&fact, "by: string")),
    };
    facts.into_values().flatten().map(name).collect()
}

/// The facts of those of the relations that the rules have, and whether none of these is undetermined.
fn relations(
    session: &Session,
    names: &[&'static str],
    now: i64,
) -> Result<(BTreeMap<&'static str, Vec<Fact>>, bool), Failure> {
    let program = &session.rules().program;
    let names: Vec<&'static str> =
        names.iter().copied().filter(|name| program.find(Symbol::new(name)).is_some()).collect();
    if names.is_empty() {
        return Ok((BTreeMap::new(), true));
    }
    let wanted: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let derived = session.derive(&wanted, now)?;
    output::reports(&derived.reports);
    for relation in &derived.undetermined {
        output::warning(&format!("`{relation}` is undetermined: the list may be incomplete"));
    }
    let sure = derived.undetermined.is_empty();
    Ok((names.into_iter().zip(derived.relations.into_iter().map(|(_, _, facts)| facts)).collect(), sure))
}
