//! `hence what-if`: the difference that other facts, parameters, rules or another clock would make.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde_json::json;

use hence_core::fact::Fact;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_ledger::{EffectRound, Ledger};
use hence_proof::difference::{Changed, ComparedRelations, Turn};
use hence_session::status::UNDETERMINED;
use hence_session::{Hypothesis, RuleSet, Session, SessionError, SupposedOutcome};

use super::diagnostics::count;
use super::options::{EngineOptions, FactOptions, RuleOptions, parameter};
use super::past::{Asking, Past};
use super::{DONE, Failure, NO, Outcome, effects, open, output, terminal};

/// Show which decisions a hypothetical change would draw and which would lapse; records nothing
#[derive(Debug, Args)]
#[command(
    after_help = "The hypothesis is compared with the current facts and the decisions in force, under the rules and \
        the clock of the last decisions; --now supposes another clock. For each change, `before` says why it holds or not \
        now, and `after` why it does or not under the hypothesis.\n\nExample: hence what-if --set \
        penalty_factor=1.0 --retract 'tool(\"web_search\")'"
)]
pub(super) struct WhatIf {
    /// Suppose that this fact is asserted
    #[arg(long = "assert", value_name = "FACT")]
    assertions: Vec<String>,
    /// Suppose that this fact is retracted
    #[arg(long = "retract", value_name = "FACT")]
    retractions: Vec<String>,
    /// Suppose another value of a parameter
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parameter)]
    sets: Vec<(Symbol, Value)>,
    /// Suppose the rules in this file or folder instead; repeatable
    #[arg(long = "rules", value_name = "PATH")]
    rules: Vec<PathBuf>,
    /// The current rules [default: those of the last recorded decision, else as elsewhere]
    #[arg(long = "base", value_name = "PATH")]
    base: Vec<PathBuf>,
    #[command(flatten)]
    facts: FactOptions,
    #[command(flatten)]
    engine: EngineOptions,
    /// Compare this relation instead of the decisions
    #[arg(long = "relation", value_name = "NAME")]
    relations: Vec<String>,
    /// Exit with 1 if something changes
    #[arg(long)]
    exit_status: bool,
    /// The output format
    #[arg(long, value_enum, default_value = "text")]
    format: WhatIfFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum WhatIfFormat {
    /// Readable text.
    Text,
    /// One JSON object per change.
    Jsonl,
}

/// So many changes of each relation are explained.
const EXPLAINED: usize = 200;

impl WhatIf {
    pub(super) fn run(self) -> Outcome {
        let Asking { session, now, .. } = self.asking()?;
        let rules = session.rules();
        let read = |facts: &[String]| {
            facts.iter().map(|text| hence_session::read_fact(rules, text)).collect::<Result<Vec<_>, _>>()
        };
        let hypothesis = Hypothesis {
            assertions: of_shard(&session, read(&self.assertions)?),
            retractions: of_shard(&session, read(&self.retractions)?),
            sets: self.sets.clone(),
            rules: self.other_rules(&session)?,
            now: self.facts.now,
        };
        let scope = if self.relations.is_empty() {
            ComparedRelations::Decisions
        } else {
            ComparedRelations::Relations(self.relations.iter().map(Symbol::from).collect())
        };
        for name in &self.relations {
            session.relation(name)?;
        }
        let (mut changes, mut unexplained, mut written) = (0_usize, false, Ok(()));
        let outcome = session.what_if_each(&hypothesis, now, (&scope, EXPLAINED), &mut |turn, change| {
            changes += 1;
            unexplained |= change.before.is_none();
            written = self.print(turn, &change);
            written.is_ok()
        })?;
        written?;
        self.print_steps(&outcome.steps)?;
        notes(&outcome);
        if unexplained {
            output::note(&format!(
                "only the first {EXPLAINED} changes of each kind in each relation are explained"
            ));
        }
        if changes == 0 && outcome.steps.is_empty() && self.format == WhatIfFormat::Text {
            writeln!(terminal::text(), "nothing would change")?;
        }
        Ok(match outcome.undetermined {
            0 if self.exit_status && changes > 0 => NO,
            0 => DONE,
            _ => UNDETERMINED,
        })
    }

    /// What things are compared with: the facts that stand, by the rules, the parameters and the clock of the last
    /// decisions.
    fn asking(&self) -> Result<Asking, Failure> {
        let rules = &RuleOptions::named(&self.base, &[], &[]);
        let (facts, engine) = (&self.facts, &self.engine);
        if facts.files().is_empty() {
            return Past { rules, facts, engine }.last();
        }
        let session = open::for_reading(rules, facts, engine)?;
        Ok(Asking { session, now: facts.now(), as_of: None })
    }

    /// The rules that are supposed. Parameters that the rules of now have set stay set, unless settings or `--set` say
    /// otherwise: what is compared is rules with rules.
    fn other_rules(&self, session: &Session) -> Result<Option<RuleSet>, Failure> {
        if self.rules.is_empty() {
            return Ok(None);
        }
        let supposed = RuleOptions::named(&self.rules, &[], &[]).source().build()?;
        session.ledger().map_or(Ok(()), |ledger| supposed.check_shard(ledger))?;
        let now = session.rules();
        Ok(Some(supposed.keeping(now).map_err(SessionError::Faults)?))
    }

    /// What effects would do, step by step.
    fn print_steps(&self, steps: &[EffectRound]) -> std::io::Result<()> {
        if self.format == WhatIfFormat::Text {
            let mut out = terminal::text();
            return effects::lines(steps).iter().try_for_each(|line| writeln!(out, "{line}"));
        }
        let mut out = terminal::json();
        let numbered = (1..).zip(steps);
        let all = numbered.flat_map(|(number, step)| step.changes.iter().map(move |change| (number, change)));
        for (number, change) in all {
            let values: Vec<_> = change.fact.values.iter().map(|value| output::json_value(*value)).collect();
            let line = json!({
                "change": effects::verb(change), "relation": change.fact.relation.as_str(), "values": values,
                "step": number, "rule": change.rule, "because": change.sentence,
            });
            writeln!(out, "{}", output::spaced(&line))?;
        }
        Ok(())
    }

    fn print(&self, turn: Turn, change: &Changed) -> std::io::Result<()> {
        if self.format == WhatIfFormat::Jsonl {
            return writeln!(terminal::json(), "{}", output::spaced(&object(turn.name(), change)));
        }
        let mut out = terminal::text();
        match turn {
            Turn::Drawn => writeln!(out, "+ {}", change.fact)?,
            Turn::Lapsed => writeln!(out, "- {}", change.fact)?,
            Turn::Undetermined => writeln!(out, "? {} becomes undetermined", change.fact)?,
            Turn::Determined => writeln!(out, "! {} is no longer undetermined", change.fact)?,
        }
        for (when, reason) in [("before", &change.before), ("after", &change.after)] {
            if let Some(reason) = reason {
                writeln!(out, "    {when}: {reason}")?;
            }
        }
        Ok(())
    }
}

/// What was supposed for nothing, and what stays open.
fn notes(outcome: &SupposedOutcome) {
    let facts = |number: usize| count(number, "fact");
    if outcome.present > 0 {
        output::note(&format!("{} already present", facts(outcome.present)));
    }
    if outcome.missing > 0 {
        output::note(&format!("{} not present", facts(outcome.missing)));
    }
    if outcome.undetermined > 0 {
        output::note(&format!("{} undetermined under the hypothesis", count(outcome.undetermined, "row")));
    }
}

/// Those of the facts that lie in the shard of the ledger, where it holds one; the others change nothing there.
fn of_shard(session: &Session, facts: Vec<Fact>) -> Vec<Fact> {
    let Some(shard) = session.ledger().and_then(Ledger::shard) else { return facts };
    let is_here = |fact: &Fact| {
        let home = session.rules().partition_of(fact).map_or(shard, |value| shard.of(value));
        if home != shard {
            output::note(&format!("`{fact}` lies in shard {}, and is not supposed here", home.number()));
        }
        home == shard
    };
    facts.into_iter().filter(is_here).collect()
}

fn object(what: &str, change: &Changed) -> serde_json::Value {
    json!({
        "change": what, "relation": change.fact.relation.as_str(),
        "values": output::open_values(&change.fact.args), "before": change.before, "after": change.after,
    })
}
