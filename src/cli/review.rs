//! `hence review`: what waits for a person, and a person's yes or no to it.

use std::collections::BTreeMap;
use std::io::Write;

use clap::{Args, Subcommand};
use serde_json::json;

use hence::session::{self, Change, RuleSet, Session};
use hence_core::diagnostic::nearest;
use hence_core::fact::Fact;
use hence_core::symbol::Symbol;
use hence_core::value::Value;

use super::options::{EngineOptions, FactOptions, RuleOptions};
use super::output::{self, Format};
use super::records::Records;
use super::{DONE, Failure, NO, Outcome, UNDETERMINED, config, decide, open, terminal, time};

/// The relations that say what waits.
const ASKED: [&str; 5] =
    ["pending_review", "escalation_request", "proposal_status", "proposal", "propose_override"];

/// Show what waits for a human review, and answer it
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  hence review list\n  \
    hence review approve r1 --as ada --comment 'go on'\n  \
    hence review reject payment-7/financial --as ada")]
pub(super) struct Review {
    #[command(subcommand)]
    command: ReviewCommand,
}

#[derive(Debug, Subcommand)]
enum ReviewCommand {
    /// List escalations, proposals and overrides that no reviewer has answered
    List(List),
    /// Approve a request
    Approve(Answer),
    /// Reject a request
    Reject(Answer),
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
            ReviewCommand::Approve(answer) => answer.run(true),
            ReviewCommand::Reject(answer) => answer.run(false),
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
        Ok(session::fact_by_name(rules, relation, &values)?)
    }
}

impl List {
    fn run(self) -> Outcome {
        let Subject { rules, facts, engine } = &self.subject;
        let session = open::for_reading(rules, facts, engine)?;
        session.check_columns()?;
        let (waiting, sure) = waiting(&session, facts.now())?;
        let status = if sure { DONE } else { UNDETERMINED };
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
        let mut out = output::out(self.format);
        match self.format {
            Format::Table => out.lines(&output::table(&header, &rows))?,
            Format::Jsonl => {
                rows.iter().try_for_each(|row| writeln!(out, "{}", output::spaced(&object(row))))?;
            }
            Format::Json => output::document(&rows.iter().map(object).collect::<Vec<_>>())?,
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

impl Answer {
    fn run(self, approved: bool) -> Outcome {
        config::get().author(Some(&self.reviewer))?;
        let Subject { rules, facts, engine } = &self.subject;
        let mut session = open::for_writing(rules, facts, engine, false)?;
        session.check_columns()?;
        let (clock, now) = (time::wall_clock(), facts.now());
        let reviewers = reviewers(&session, now)?;
        if !reviewers.contains(&self.reviewer) {
            output::error(&format!("`{}` is not a reviewer{}", self.reviewer, known(&reviewers)));
            return Ok(NO);
        }
        let (waiting, _) = waiting(&session, now)?;
        let found = self.find(&waiting)?;
        let verb = if approved { "approved" } else { "rejected" };
        let review = found.wait.review(session.rules(), approved, &self.reviewer, &self.comment, now)?;
        let change = Change {
            assertions: vec![review],
            author: self.reviewer.clone(),
            source: String::from("review"),
            note: (!self.comment.is_empty()).then(|| self.comment.clone()),
            time: clock,
            now,
            ..Change::default()
        };
        let decided = session.commit(change, false)?;
        output::reports(&decided.reports);
        let said = format!("{} {verb} the {} {}", self.reviewer, found.wait.kind(), found.wait.id());
        writeln!(terminal::text(), "{said}")?;
        decide::print_changes(&decided)?;
        Ok(DONE)
    }

    /// What the id names, with its kind (`escalation:r1`) or without.
    fn find<'a>(&self, waiting: &'a [Waiting]) -> Result<&'a Waiting, Failure> {
        let full = |found: &Waiting| format!("{}:{}", found.wait.kind(), found.wait.id());
        let fitting: Vec<&Waiting> =
            waiting.iter().filter(|found| found.wait.id() == self.id || full(found) == self.id).collect();
        match fitting.as_slice() {
            [found] => Ok(found),
            [first, second, ..] => Err(Failure::Usage(format!(
                "ambiguous `{}`; write `{}` or `{}`",
                self.id,
                full(first),
                full(second)
            ))),
            [] => {
                let ids: Vec<String> = waiting.iter().map(|found| found.wait.id()).collect();
                let help = match nearest(&self.id, ids.iter().map(String::as_str)) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => String::from("`hence review list` shows what is waiting"),
                };
                Err(Failure::Usage(format!("`{}` is not waiting for a review; {help}", self.id)))
            }
        }
    }
}

fn known(reviewers: &[String]) -> String {
    if reviewers.is_empty() {
        String::from("; there are none yet: assert `reviewer(\"NAME\")`")
    } else {
        format!("; reviewers are: {}", reviewers.join(", "))
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

/// Everything that waits: escalations, then proposals, then overrides, each by id; and whether that is sure to be all.
fn waiting(session: &Session, now: i64) -> Result<(Vec<Waiting>, bool), Failure> {
    let (facts, sure) = relations(session, &ASKED, now)?;
    let of = |name: &str| facts.get(name).into_iter().flatten();
    let mut all = Vec::new();
    for pending in of("pending_review") {
        let [Value::String(request), Value::Int(level)] = *pending.values else {
            return Err(foreign(pending, "request: string, level: int"));
        };
        let asked = of("escalation_request").find(|asked| asked.values.starts_with(&pending.values));
        all.push(escalation(request, level, asked));
    }
    for status in of("proposal_status") {
        let [Value::String(proposal), Value::Name(word)] = *status.values else {
            return Err(foreign(status, "proposal: string, status: name"));
        };
        if word.as_str() == "/pending" {
            let made = of("proposal").find(|made| made.values.first() == Some(&Value::String(proposal)));
            all.push(proposed(proposal, made));
        }
    }
    for blocked in of("propose_override") {
        let [Value::String(event), Value::Name(rule)] = *blocked.values else {
            return Err(foreign(blocked, "event: string, rule: name"));
        };
        let what = format!("{rule} stops {event}");
        all.push(Waiting { wait: Wait::Override { event, rule }, what, since: None });
    }
    Ok((all, sure))
}

/// What waits here, the rules write otherwise than the packs do whose reviews this answers.
fn foreign(fact: &Fact, expected: &str) -> Failure {
    Failure::Usage(format!(
        "a review takes `{}({expected})`, as in the shipped packs; found `{fact}`",
        fact.relation
    ))
}

fn escalation(request: Symbol, level: i64, asked: Option<&Fact>) -> Waiting {
    let mut found =
        Waiting { wait: Wait::Escalation { request }, what: format!("level {level}"), since: None };
    if let Some([_, _, reason, Value::Time(at)]) = asked.map(|asked| asked.values.as_slice()) {
        found.what = format!("level {level}: {}", reason.text());
        found.since = Some(*at);
    }
    found
}

fn proposed(proposal: Symbol, made: Option<&Fact>) -> Waiting {
    let mut found = Waiting { wait: Wait::Proposal { proposal }, what: String::new(), since: None };
    if let Some([_, kind, confidence, Value::Time(at)]) = made.map(|made| made.values.as_slice()) {
        found.what = format!("{} with confidence {}", kind.text(), confidence.text());
        found.since = Some(*at);
    }
    found
}
