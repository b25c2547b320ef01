//! `hence query`, `hence derive`, `hence why`: questions that record nothing.

use std::io::Write;

use clap::{Args, ValueEnum};

use crate::ir::Program;
use crate::ledger::When;
use crate::provenance::proof::Proof;
use crate::provenance::render::{self, Layout};
use crate::session::{Because, DecisionId, Session, Wanted};

use super::options::{EngineOptions, FactOptions, RuleOptions, moment};
use super::output::{self, Format};
use super::{DONE, Failure, NO, Outcome, UNDETERMINED, open, terminal};

/// What every question needs: rules, facts, an engine.
#[derive(Debug, Args)]
pub(super) struct Subject {
    #[command(flatten)]
    rules: RuleOptions,
    #[command(flatten)]
    facts: FactOptions,
    /// Ask of a moment in the past: the number of a transaction, or a time
    #[arg(long, value_name = "TX|TIME", value_parser = moment)]
    as_of: Option<When>,
    #[command(flatten)]
    engine: EngineOptions,
}

impl Subject {
    /// A session that reads, over the fact files named, else over the ledger; and the clock of its questions.
    pub(super) fn session(&self) -> Result<(Session, i64), Failure> {
        let as_of = self.as_of.unwrap_or(When::Now);
        let session = open::for_reading(&self.rules, &self.facts, &self.engine)?;
        if self.as_of.is_some() && session.ledger().is_none() {
            return Err(Failure::Usage(String::from("--as-of asks a ledger, and --facts names files")));
        }
        let now = self.facts.now_at(&session, as_of);
        Ok((session.with_as_of(as_of), now))
    }
}

/// Print one row of bindings for each match of a body
#[derive(Debug, Args)]
#[command(after_help = "Example: hence query 'usefulness(T, /marketing, S), S > 0.5' --format jsonl")]
pub(super) struct Query {
    /// The body: literals separated by commas
    body: String,
    #[command(flatten)]
    subject: Subject,
    /// The form of the output
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
    /// Exit with 1 where there is no row
    #[arg(long)]
    exit_status: bool,
}

impl Query {
    pub(super) fn run(self) -> Outcome {
        let (session, now) = self.subject.session()?;
        let answer = session.query(&self.body, now)?;
        output::reports(&answer.reports);
        let columns: Vec<String> = answer.columns.iter().map(ToString::to_string).collect();
        if self.format == Format::Table && columns.is_empty() {
            writeln!(terminal::text(), "{}", if answer.rows.is_empty() { "no" } else { "yes" })?;
        } else {
            output::rows(self.format, &columns, &answer.rows)?;
        }
        if self.format == Format::Table && !columns.is_empty() {
            output::aside(&super::diagnostics::count(answer.rows.len(), "row"));
        }
        Ok(if self.exit_status && answer.rows.is_empty() { NO } else { DONE })
    }
}

/// Evaluate and print whole relations, without recording anything
#[derive(Debug, Args)]
#[command(
    after_help = "Example: hence derive usefulness select_tool --facts facts/agent_week.jsonl --format jsonl"
)]
pub(super) struct Derive {
    /// The relations [default: the decisions]
    relations: Vec<String>,
    #[command(flatten)]
    subject: Subject,
    /// The form of the output
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

impl Derive {
    pub(super) fn run(self) -> Outcome {
        let (session, now) = self.subject.session()?;
        let derived = session.derive(&self.relations, now)?;
        output::reports(&derived.reports);
        output::relations(self.format, &derived.relations)?;
        for relation in &derived.undetermined {
            output::warning(&format!(
                "`{relation}` is undetermined: it depends on an operation without a result"
            ));
        }
        Ok(if derived.undetermined.is_empty() { DONE } else { UNDETERMINED })
    }
}

/// The forms of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ProofFormat {
    /// A tree for people.
    Tree,
    /// JSON Lines, a proof a line.
    Json,
    /// A graph for Graphviz.
    Dot,
    /// A graph for Mermaid.
    Mermaid,
    /// One self-contained page.
    Html,
}

/// Show why a fact holds: its proof, down to asserted facts
#[derive(Debug, Args)]
#[command(after_help = "Example: hence why 'select_tool(\"g1\", \"competitor_db\", _)'")]
pub(super) struct Why {
    /// The fact, in which `_` and variables ask for every instance; or the id of a decision, such as 12.3
    fact: String,
    #[command(flatten)]
    subject: Subject,
    /// The form of the output
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
    /// Show so many steps below the fact
    #[arg(long, value_name = "N")]
    depth: Option<usize>,
}

impl Why {
    pub(super) fn run(self) -> Outcome {
        let (session, now) = self.subject.session()?;
        let inputs = self.all_inputs.then_some(usize::MAX);
        if let Ok(id) = self.fact.trim().parse::<DecisionId>() {
            let drawn = session.why_drawn(id, inputs)?;
            drawn.proof.iter().try_for_each(|proof| self.show(proof, &drawn.rules.program, ""))?;
            return Ok(if drawn.proof.is_some() { DONE } else { NO });
        }
        let (mut gap, mut written) = ("", Ok(()));
        let wanted = Wanted { inputs, every: self.all, depth: self.depth };
        let because = session.why_each(&self.fact, now, wanted, &mut |proof| {
            written = self.show(&proof, &session.rules().program, gap);
            gap = "\n";
            written.is_ok()
        })?;
        written?;
        Ok(verdict(&self.fact, &because))
    }

    fn show(&self, proof: &Proof, program: &Program, gap: &str) -> std::io::Result<()> {
        let mut out = terminal::text();
        match self.format {
            ProofFormat::Tree => out.lines(&format!("{gap}{}", render::tree(proof, program, &self.layout()))),
            ProofFormat::Json => writeln!(terminal::json(), "{}", render::json(proof)),
            ProofFormat::Dot => out.lines(&render::dot(proof, program)),
            ProofFormat::Mermaid => out.lines(&render::mermaid(proof, program)),
            ProofFormat::Html => out.lines(&render::html(proof, program)),
        }
    }

    /// As wide as the terminal, 100 columns where there is none.
    fn layout(&self) -> Layout {
        Layout { width: output::terminal_width(), bindings: self.bindings, ..Layout::default() }
    }
}

/// What a question for a proof comes to; says what holds instead where there is none.
pub(super) fn verdict(fact: &str, because: &Because) -> u8 {
    if because.undetermined {
        output::warning("the decision is undetermined: it depends on an operation without a result");
        return UNDETERMINED;
    }
    if because.holds > 0 {
        return DONE;
    }
    output::note(&format!("`{}` does not hold", fact.trim().trim_end_matches('.')));
    if !because.instead.is_empty() {
        output::note("what holds of that relation, nearest first:");
        because.instead.iter().for_each(|fact| output::note(&format!("    {fact}")));
    }
    NO
}
