//! `hence gate report`: a day of the gate on one page: what was asked, denied and approved, and by which rule.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use hence_core::fact::Fact;
use hence_core::literal;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_lang::ir::Program;
use hence_ledger::{Decision, Ledger};
use hence_session::DecisionId;

use super::super::diagnostics::count;
use super::super::options::FactOptions;
use super::super::{DONE, Failure, Outcome, open, terminal, time};
use super::ids::column;

/// How many calls are shown that ran without a verdict.
const MOST: usize = 20;
/// Microseconds of a day.
const DAY: i64 = 86_400_000_000;

/// Tell of a day of the gate on one page: what was asked, denied and approved, and by which rule
#[derive(Debug, Args)]
#[command(name = "report", after_help = "Example: hence gate report --day 2026-11-24")]
pub(super) struct GateReport {
    /// The day, in UTC [default: today]
    #[arg(long, value_name = "DATE")]
    day: Option<String>,
    /// The ledger's folder [default: .hence]
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
}

/// What happened.
#[derive(Default)]
struct Day {
    /// The session, tool and verdict of each call.
    calls: BTreeMap<String, Told>,
    sessions: BTreeSet<String>,
    ran: BTreeSet<String>,
    watched: BTreeSet<String>,
    ungated: Vec<String>,
    approvals: Vec<String>,
}

struct Told {
    kind: String,
    rule: String,
    reason: String,
    decision: DecisionId,
}

impl GateReport {
    pub(super) fn run(self) -> Outcome {
        let facts = FactOptions::of_store(self.store.clone(), None);
        facts.existing_store("")?;
        let from = match &self.day {
            None => time::wall_clock() / DAY * DAY,
            Some(day) => time::parse(&format!("{day}T00:00:00Z"))
                .map_err(|_| Failure::Usage(format!("`{day}` is no day; expected one such as 2026-11-24")))?,
        };
        let ledger = open::ledger(&facts, true)?;
        let day = Day::of(&ledger, from)?;
        day.show(from)?;
        Ok(DONE)
    }
}

impl Day {
    fn of(ledger: &Ledger, from: i64) -> Result<Self, Failure> {
        let mut day = Self::default();
        for info in ledger.log(1..=u64::MAX).rev() {
            let info = info.map_err(open::failure)?;
            if info.time < from {
                break;
            }
            if info.time >= from + DAY {
                continue;
            }
            let transaction = ledger.transaction(info.tx).map_err(open::failure)?;
            transaction.added.iter().for_each(|fact| day.add(fact));
            for (place, drawn) in (1..).zip(&transaction.drawn) {
                day.draw(drawn, DecisionId { tx: info.tx, place });
            }
        }
        Ok(day)
    }

    fn add(&mut self, fact: &Fact) {
        let text = |at| column(fact, at).unwrap_or_default();
        match fact.relation.as_str() {
            "agent_call" => {
                self.sessions.insert(text(1));
            }
            "ran" => {
                self.ran.insert(text(0));
            }
            "watched" => {
                self.watched.insert(text(0));
            }
            "approval" => {
                let lasts = fact.values.get(5).map(Value::to_string).unwrap_or_default();
                let subject = Some(text(2))
                    .filter(|subject| !subject.is_empty())
                    .unwrap_or_else(|| String::from("all calls"));
                self.approvals.push(format!(
                    "{} by {} for {lasts}: {subject}, session {}",
                    text(0).trim_start_matches('/'),
                    text(3),
                    text(1)
                ));
            }
            _ => {}
        }
    }

    fn draw(&mut self, drawn: &Decision, decision: DecisionId) {
        let text = |at| column(&drawn.fact, at).unwrap_or_default();
        match drawn.fact.relation.as_str() {
            "verdict" => {
                let bare = |text: String| text.trim_start_matches('/').to_owned();
                let told = Told { kind: bare(text(1)), rule: bare(text(2)), reason: text(3), decision };
                self.calls.insert(text(0), told);
            }
            "ungated" => self.ungated.push(text(0)),
            _ => {}
        }
    }

    fn show(&self, from: i64) -> Result<(), Failure> {
        let mut out = terminal::text();
        let of_kind = |kind: &str| self.calls.values().filter(|told| told.kind == kind).count();
        let date: String = literal::time_text(from).chars().take(10).collect();
        let (calls, sessions) = (count(self.calls.len(), "call"), count(self.sessions.len(), "session"));
        writeln!(out, "{date}: {calls} in {sessions}")?;
        writeln!(out, "{} allowed, {} asked, {} denied", of_kind("allow"), of_kind("ask"), of_kind("deny"))?;
        let asked =
            self.calls.iter().filter(|(id, told)| told.kind == "ask" && self.ran.contains(*id)).count();
        writeln!(out, "{} of those asked about ran: a person said yes", asked)?;
        let stopped: Vec<&String> = self
            .watched
            .iter()
            .filter(|id| self.calls.get(*id).is_some_and(|told| told.kind != "allow"))
            .collect();
        if !self.watched.is_empty() {
            writeln!(
                out,
                "{} only watched; {} of them would have been stopped",
                count(self.watched.len(), "call"),
                stopped.len()
            )?;
        }
        self.show_rules(&mut out)?;
        for approval in &self.approvals {
            writeln!(out, "lifted: {approval}")?;
        }
        for id in self.ungated.iter().take(MOST) {
            writeln!(out, "ran without a verdict: {id}")?;
        }
        if self.ungated.len() > MOST {
            writeln!(out, "… and {} more", self.ungated.len() - MOST)?;
        }
        Ok(())
    }

    /// Each rule that stopped calls, with how many, and the last of them.
    fn show_rules(&self, out: &mut impl Write) -> Result<(), Failure> {
        let mut rules: BTreeMap<(&str, &str), Vec<(&String, &Told)>> = BTreeMap::new();
        for (id, told) in self.calls.iter().filter(|(_, told)| told.kind != "allow") {
            rules.entry((&told.kind, &told.rule)).or_default().push((id, told));
        }
        let mut rules: Vec<_> = rules.into_iter().collect();
        rules.sort_by_key(|((kind, rule), calls)| (*kind != "deny", std::cmp::Reverse(calls.len()), *rule));
        for ((kind, rule), calls) in rules {
            let Some((id, told)) = calls.iter().max_by_key(|(_, told)| told.decision) else { continue };
            writeln!(
                out,
                "{kind} {rule}: {}, the last {id}, decision {}: {}",
                count(calls.len(), "call"),
                told.decision,
                told.reason
            )?;
        }
        Ok(())
    }
}

/// The verdict on a call by its id or its decision's, the last where there are several.
pub(super) fn verdict_on(ledger: &Ledger, call: &str) -> Result<Option<(DecisionId, Decision)>, Failure> {
    if let Ok(id) = call.parse::<DecisionId>() {
        let drawn = ledger.transaction(id.tx).map_err(open::failure)?.drawn;
        let at = usize::try_from(id.place.saturating_sub(1)).unwrap_or(usize::MAX);
        return Ok(drawn
            .into_iter()
            .nth(at)
            .filter(|drawn| drawn.fact.relation.as_str() == "verdict")
            .map(|drawn| (id, drawn)));
    }
    for info in ledger.log(1..=u64::MAX).rev() {
        let info = info.map_err(open::failure)?;
        let drawn = ledger.transaction(info.tx).map_err(open::failure)?.drawn;
        for (place, drawn) in (1..).zip(drawn) {
            if drawn.fact.relation.as_str() == "verdict" && column(&drawn.fact, 0).as_deref() == Some(call) {
                return Ok(Some((DecisionId { tx: info.tx, place }, drawn)));
            }
        }
    }
    Ok(None)
}

/// The decision on a call of an agent.
pub(crate) fn call_of(ledger: &Ledger, call: &str) -> Result<Option<DecisionId>, Failure> {
    Ok(verdict_on(ledger, call)?.map(|(id, _)| id))
}

/// Whether a decision is a verdict on a call of an agent, by rules that take it down.
pub(crate) fn is_verdict(decision: &Fact, program: &Program) -> bool {
    let has = |relation: &str| program.find(Symbol::new(relation)).is_some();
    decision.relation.as_str() == "verdict" && has("agent_call") && has("judged")
}

/// The transaction in which a decision lapsed that was drawn under this id.
pub(crate) fn lapsed_in(ledger: &Ledger, id: DecisionId, decision: &Fact) -> Result<Option<u64>, Failure> {
    let spans = ledger.decision_history(decision).map_err(open::failure)?;
    Ok(spans.iter().find(|span| span.from == id.tx).and_then(|span| span.until))
}
