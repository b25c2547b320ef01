//! `hence query`, `hence derive`, `hence why`: questions that record nothing.

use std::io::Write;
use std::path::Path;

use clap::{Args, ValueEnum};
use serde_json::Value as Json;

use hence_core::fact::Fact;
use hence_core::literal;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_ledger::interchange::FactFormat;
use hence_ledger::{Decision, When};
use hence_proof::proof::{Proof, StepKind};
use hence_proof::render::{self, Layout};
use hence_session::{AskedBy, DecisionId, Drawn, FactProofs, Session, Wanted};

use super::output::{self, Format};
use super::past::{Asking, Subject};
use super::{DONE, Failure, LIMIT, NO, Outcome, UNDETERMINED, param, step, terminal};

/// Print one row of bindings for each match of a body
#[derive(Debug, Args)]
#[command(after_help = "Example: hence query 'usefulness(T, /marketing, S), S > 0.5' --format jsonl")]
pub(super) struct Query {
    /// The body: literals separated by commas
    body: String,
    #[command(flatten)]
    subject: Subject,
    /// The output format
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
    /// Exit with 1 if there is no row
    #[arg(long)]
    exit_status: bool,
}

impl Query {
    pub(super) fn run(self) -> Outcome {
        let Asking { session, now, .. } = self.subject.linted()?;
        let answer = session.query(&self.body, now)?;
        output::reports(&answer.reports);
        let columns: Vec<String> = answer.columns.iter().map(ToString::to_string).collect();
        if self.format == Format::Table && columns.is_empty() {
            let open = !answer.undetermined.is_empty();
            let said = if !answer.rows.is_empty() {
                "yes"
            } else if open {
                "undetermined"
            } else {
                "no"
            };
            writeln!(terminal::text(), "{said}")?;
        } else {
            output::rows(self.format, &columns, &answer.rows, &answer.undetermined)?;
        }
        if !columns.is_empty() {
            let open = answer.undetermined.iter().map(|row| bindings(&columns, row));
            output::undetermined(self.format, open);
        }
        if self.format == Format::Table && !columns.is_empty() {
            output::aside(&super::diagnostics::count(answer.rows.len(), "row"));
        }
        Ok(match answer.undetermined.is_empty() {
            false => UNDETERMINED,
            true if self.exit_status && answer.rows.is_empty() => NO,
            true => DONE,
        })
    }
}

/// An undetermined row as bindings, `_` for those that are unknown.
fn bindings(columns: &[String], row: &[Option<Value>]) -> String {
    let value = |value: &Option<Value>| value.map_or_else(|| String::from("_"), |value| value.to_string());
    let both = columns.iter().zip(row).map(|(column, one)| format!("{column} = {}", value(one)));
    both.collect::<Vec<_>>().join(", ")
}

/// Evaluate and print whole relations without recording anything
#[derive(Debug, Args)]
#[command(
    after_help = "Example: hence derive usefulness select_tool --facts facts/agent_week.jsonl --format jsonl"
)]
pub(super) struct Derive {
    /// The relations [default: the decisions]
    relations: Vec<String>,
    #[command(flatten)]
    subject: Subject,
    /// The output format
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

impl Derive {
    pub(super) fn run(self) -> Outcome {
        if let Some(file) = self.relations.iter().find(|name| FactFormat::of(Path::new(name)).is_some()) {
            let message = format!("`{file}` is a file, not a relation; read it with `--facts {file}`");
            return Err(Failure::Usage(message));
        }
        let Asking { session, now, .. } = self.subject.linted()?;
        let derived = session.derive(&self.relations, now)?;
        output::reports(&derived.reports);
        output::relations(self.format, &derived.relations, &derived.undetermined)?;
        output::undetermined(self.format, derived.undetermined.iter());
        Ok(if derived.undetermined.is_empty() { DONE } else { UNDETERMINED })
    }
}

/// The forms of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ProofFormat {
    /// A readable tree.
    Tree,
    /// JSON Lines, one proof per line.
    Json,
    /// A Graphviz graph.
    Dot,
    /// A Mermaid graph.
    Mermaid,
    /// One self-contained HTML page.
    Html,
}

/// Show why a fact holds: its proof, down to asserted facts
#[derive(Debug, Args)]
#[command(after_help = "Example: hence why 'select_tool(\"g1\", \"competitor_db\", _)'")]
pub(super) struct Why {
    /// The fact, where `_` and variables match every instance; or the id of a decision, such as 12.3
    #[cfg_attr(feature = "gate", arg(required_unless_present = "call"))]
    fact: Option<String>,
    /// The verdict on this tool call of an agent, by the host's number for it
    #[cfg(feature = "gate")]
    #[arg(long, value_name = "ID", conflicts_with = "fact")]
    call: Option<String>,
    #[command(flatten)]
    subject: Subject,
    /// The output format
    #[arg(long, value_enum, default_value = "tree")]
    format: ProofFormat,
    /// Show every input of an aggregate, not only the first few
    #[arg(long)]
    all_inputs: bool,
    /// Show the values of the variables at each step
    #[arg(long)]
    bindings: bool,
    /// Show every proof, not only one of least height
    #[arg(long)]
    all: bool,
    /// With --all, show at most this many proofs
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    most: usize,
    /// With --all, pass over this many proofs first, which an answer before has shown
    #[arg(long, value_name = "N", default_value_t = 0, requires = "all")]
    after: usize,
    /// Show one step, then those that lines of standard input name: a number, `u`, `t` or `q`
    #[arg(long, conflicts_with_all = ["all", "format", "depth"])]
    step: bool,
    /// Show at most this many steps below the fact
    #[arg(long, value_name = "N")]
    depth: Option<usize>,
}

impl Why {
    pub(super) fn run(self) -> Outcome {
        let inputs = self.all_inputs.then_some(usize::MAX);
        #[cfg(feature = "gate")]
        if let Some(call) = &self.call {
            return self.of_call(call, inputs);
        }
        let Some(asked) = self.fact.as_deref() else {
            return Err(Failure::Usage(String::from("missing fact; write one, or the id of a decision")));
        };
        if let Ok(id) = asked.trim().parse::<DecisionId>() {
            return self.drawn(id, inputs);
        }
        if let Ok(tx) = asked.trim().parse::<u64>() {
            return Err(Failure::Usage(format!(
                "`{tx}` is neither a fact nor the id of a decision; those of transaction {tx} are `{tx}.1`, `{tx}.2`, …"
            )));
        }
        let Asking { session, now, as_of } = self.subject.session()?;
        let (mut gap, mut written) = ("", Ok(()));
        let wanted = Wanted {
            inputs,
            every: self.all,
            most: self.all.then_some(self.most),
            depth: self.depth,
            after: self.after,
            ways: Some(WAYS),
        };
        let because = session.why_each(asked, now, wanted, &mut |proof| {
            let (rules, at) = (session.rules(), session.as_of());
            let by = AskedBy { rules, at, now, lenient: session.is_lenient() };
            written = self.show(&proof, &session, by, (gap, as_of.as_ref()));
            gap = "\n";
            written.is_ok()
        })?;
        written?;
        if because.more {
            output::error(&format!(
                "only {} proofs are shown; `--after {}` goes on, `--most N` shows more",
                self.most,
                self.after.saturating_add(self.most)
            ));
            return Ok(LIMIT);
        }
        Ok(verdict(asked, &because, now))
    }

    /// Why a tool call got its verdict.
    #[cfg(feature = "gate")]
    fn of_call(&self, call: &str, inputs: Option<usize>) -> Outcome {
        let found = super::gate::call_of(&self.subject.ledger()?, call)?;
        match found {
            Some(id) => self.drawn(id, inputs),
            None => Err(Failure::Usage(format!("no verdict on a call `{call}` is recorded"))),
        }
    }

    /// Why a recorded decision was drawn.
    fn drawn(&self, id: DecisionId, inputs: Option<usize>) -> Outcome {
        let (Asking { session, as_of, .. }, otherwise) = self.subject.of_transaction(id.tx)?;
        let drawn = if otherwise {
            session.why_drawn_by_these(id, inputs)?
        } else {
            session.why_drawn(id, inputs)?
        };
        let fact = &drawn.decision.fact;
        let Some(proof) = &drawn.proof else {
            let rules = if otherwise {
                "these rules"
            } else {
                "the rules that it names; `hence verify` audits the ledger"
            };
            output::error(&format!("decision {id} {fact} is recorded but does not follow from {rules}"));
            return Ok(NO);
        };
        let Drawn { rules, info, .. } = &drawn;
        let lenient = info.run.as_ref().is_some_and(|run| run.lenient);
        let now = info.clock.unwrap_or(info.time);
        let by = AskedBy { rules, at: When::Tx(id.tx), now, lenient };
        self.show(proof, &session, by, ("", as_of.as_ref()))?;
        if !otherwise && inputs.is_none() && !agrees(&drawn.decision, proof) {
            let rule = drawn.decision.rule.as_deref().unwrap_or("no rule");
            let sentence = drawn.decision.sentence.as_deref().unwrap_or("nothing");
            output::warning(&format!("the record differs: by `{rule}` because \"{sentence}\""));
        }
        #[cfg(feature = "gate")]
        if super::gate::is_verdict(fact, &rules.program) {
            // It is given once, so what it would be now says nothing of the call.
            let lapsed = session.ledger().map(|ledger| super::gate::lapsed_in(ledger, id, fact));
            if let Some(tx) = lapsed.transpose()?.flatten() {
                output::note(&format!("a verdict is given once: this one lapsed in transaction {tx}"));
            }
            return Ok(DONE);
        }
        if !otherwise {
            self.compare_with_today(fact, proof);
        }
        Ok(DONE)
    }

    /// Says if a decision of the past would not be drawn now, or for another reason. What stands in the way of that
    /// changes nothing of the answer.
    fn compare_with_today(&self, fact: &Fact, then: &Proof) {
        let today = self.subject.today().ok();
        let today = today.and_then(|Asking { session, now, .. }| session.reason_for(fact, now).ok());
        let before = match then.root().map(|root| &root.kind) {
            Some(StepKind::Derived(derived)) => derived.sentence.as_deref(),
            _ => None,
        };
        match today {
            Some((true, now)) if before.is_some_and(|before| before != now) => {
                output::note(&format!("today it holds for another reason: {now}"));
            }
            Some((true, _)) => {}
            Some((false, now)) => output::note(&format!("today it does not hold: {now}")),
            None => output::note("today can't be compared: its rules or facts can't be evaluated"),
        }
    }

    fn show(
        &self,
        proof: &Proof,
        session: &Session,
        by: AskedBy<'_>,
        (gap, as_of): (&str, Option<&Json>),
    ) -> Result<(), Failure> {
        let mut out = terminal::text();
        let (program, at) = (&by.rules.program, by.at);
        if self.step {
            drop(out);
            return Ok(step::descend(proof, program, &self.layout())?);
        }
        match self.format {
            ProofFormat::Tree => {
                out.lines(&format!("{gap}{}", render::tree(proof, program, &self.layout())))?;
                if let Some(text) = render::ways_text(proof) {
                    writeln!(out, "{text}")?;
                }
                for by in session.params_of(proof, program, at)? {
                    writeln!(out, "parameter {} = {}, set by {}", by.name, by.text, param::origin(&by))?;
                }
            }
            ProofFormat::Json => {
                let mut document = render::json(proof);
                let recorded = session.params_of(proof, program, at)?;
                let moment = session.moment(proof, by)?;
                if let Some(members) = document.as_object_mut() {
                    let moment = moment.as_ref().map(render::moment_json);
                    members.extend(moment.map(|moment| (String::from("ledger"), moment)));
                    members.extend(as_of.map(|as_of| (String::from("as_of"), as_of.clone())));
                    let recorded: Vec<Json> = recorded.iter().map(param::json_of).collect();
                    if !recorded.is_empty() {
                        members.insert(String::from("parameters"), recorded.into());
                    }
                }
                writeln!(terminal::json(), "{document}")?;
            }
            ProofFormat::Dot => out.lines(&render::dot(proof, program))?,
            ProofFormat::Mermaid => out.lines(&render::mermaid(proof, program))?,
            ProofFormat::Html => out.lines(&render::html(proof, program))?,
        }
        Ok(())
    }

    /// As wide as the terminal, 100 columns where there is none.
    fn layout(&self) -> Layout {
        Layout { width: output::terminal_width(), bindings: self.bindings, ..Layout::default() }
    }
}

/// Up to how many the ways to derive a fact are counted.
const WAYS: usize = 10_000;

/// Whether a record names the rule and the sentence with which a proof ends.
fn agrees(recorded: &Decision, proof: &Proof) -> bool {
    let (rule, sentence) = match proof.root().map(|root| &root.kind) {
        Some(StepKind::Derived(derived)) => (Some(derived.rule), derived.sentence.as_ref()),
        Some(StepKind::ProgramFact { id, .. }) => (Some(*id), None),
        _ => (None, None),
    };
    recorded.rule.as_deref() == rule.map(Symbol::as_str) && recorded.sentence.as_ref() == sentence
}

/// What a question for a proof comes to; says what holds instead where there is none.
pub(super) fn verdict(fact: &str, because: &FactProofs, now: i64) -> u8 {
    if because.undetermined {
        let fact = fact.trim().trim_end_matches('.');
        output::warning(&format!("`{fact}` is undetermined: it depends on an undefined operation"));
        return UNDETERMINED;
    }
    if because.holds > 0 {
        return DONE;
    }
    let at = if because.timed { format!(" at {}", literal::time_text(now)) } else { String::new() };
    output::note(&format!("`{}` does not hold{at}", fact.trim().trim_end_matches('.')));
    if !because.instead.is_empty() {
        output::note("facts of that relation, nearest first:");
        because.instead.iter().for_each(|fact| output::note(&format!("    {fact}")));
    }
    NO
}
