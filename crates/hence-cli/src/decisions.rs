//! `hence decisions`: the decisions that stand, or stood, each with since when and why.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use clap::Args;
use serde_json::{Value as Json, json};

use hence_core::literal;
use hence_ledger::{Decision, DrawnLists, InForce, Ledger, LedgerError, TxInfo, When};
use hence_proof::proof::FactPattern;
use hence_session::DecisionId;

use super::diagnostics::count;
use super::options::{self, FactOptions, RuleOptions, moment};
use super::output::{self, Format};
use super::past::refuse_future;
use super::records::Records;
use super::{DONE, Failure, Outcome, open, time};

/// List the decisions that stand, or stood at a past moment: since when, and why
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  hence decisions --relation select_tool --since 2026-02-09T09:00:00Z\n  \
    hence decisions 'select_tool(\"g1\", _, _)' --as-of 12 --format jsonl"
)]
#[command(mut_args(options::of_ledger))]
pub(super) struct Decisions {
    /// Only decisions that match this atom, such as `retry("backup")` or `select_tool("g1", _, _)`
    pattern: Option<String>,
    /// Only decisions of this relation
    #[arg(long, value_name = "NAME")]
    relation: Option<String>,
    /// Only decisions that this rule drew
    #[arg(long, value_name = "RULE")]
    rule: Option<String>,
    /// Only decisions with this value in a column
    #[arg(long, value_name = "VALUE")]
    value: Option<String>,
    /// Only decisions that were drawn from this time on
    #[arg(long, value_name = "TIME", value_parser = time::parse)]
    since: Option<i64>,
    /// Only decisions that were drawn before this time
    #[arg(long, value_name = "TIME", value_parser = time::parse)]
    until: Option<i64>,
    /// As of a past moment: the number of a transaction, or a time
    #[arg(long, value_name = "TX|TIME", value_parser = moment, allow_negative_numbers = true)]
    as_of: Option<When>,
    #[command(flatten)]
    rules: RuleOptions,
    #[command(flatten)]
    facts: FactOptions,
    /// The output format
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
    /// The same as `--format json`
    #[arg(long, hide = true)]
    json: bool,
}

/// What a decision has to match.
struct Wanted<'a> {
    pattern: Option<FactPattern>,
    options: &'a Decisions,
}

/// A decision in force, and the transaction that drew it.
struct Standing {
    id: Option<DecisionId>,
    decision: Decision,
    info: TxInfo,
}

impl Decisions {
    pub(super) fn run(self) -> Outcome {
        let ledger = open::ledger(&self.facts, true)?;
        let when = self.as_of.unwrap_or(When::Now);
        refuse_future(&ledger, when, "omit --as-of for the current state")?;
        if let (Some(since), Some(until)) = (self.since, self.until)
            && until <= since
        {
            return Err(Failure::Usage(String::from("--since must be before --until")));
        }
        let pattern = match &self.pattern {
            Some(text) => Some(hence_session::read_pattern(&self.rules.source().build()?, text)?),
            None => None,
        };
        let wanted = Wanted { pattern, options: &self };
        let all = ledger.decisions_at(when).map_err(open::failure)?;
        let stand = all.len();
        let found: Vec<InForce> = all.into_iter().filter(|found| wanted.says(&found.decision)).collect();
        let shown = self.located(&ledger, found)?;
        if shown.is_empty() {
            self.relation.as_ref().map_or(Ok(()), |name| open::may_be_decided(&ledger, &self.rules, name))?;
            output::note(&match stand {
                0 => String::from("no decision stands"),
                _ => format!("no decision matches; {} in all", count(stand, "decision")),
            });
        }
        self.print(&shown)?;
        Ok(DONE)
    }

    /// Each decision with its transaction, whose time is as asked for, and its id.
    fn located(&self, ledger: &Ledger, found: Vec<InForce>) -> Result<Vec<Standing>, Failure> {
        let mut known: BTreeMap<u64, (TxInfo, Vec<Decision>)> = BTreeMap::new();
        let (mut shown, lists) = (Vec::new(), ledger.drawn());
        for InForce { decision, tx } in found {
            let (info, drawn) = match known.entry(tx) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(place) => {
                    place.insert((ledger.info(tx).map_err(open::failure)?, drawn(&lists, tx)?))
                }
            };
            let in_time = self.since.is_none_or(|since| info.time >= since)
                && self.until.is_none_or(|until| info.time < until);
            if in_time {
                let at = drawn.binary_search_by(|other| other.fact.cmp(&decision.fact)).ok();
                let id = at.map(|at| DecisionId { tx, place: at as u64 + 1 });
                shown.push(Standing { id, decision, info: info.clone() });
            }
        }
        Ok(shown)
    }

    fn print(&self, shown: &[Standing]) -> std::io::Result<()> {
        let format = if self.json { Format::Json } else { self.format };
        match format {
            Format::Table if shown.is_empty() => Ok(()),
            Format::Table => {
                let header = ["id", "decision", "since", "clock", "because"].map(str::to_owned);
                let rows: Vec<Vec<String>> = shown.iter().map(cells).collect();
                output::out(format).lines(&output::table(&header, &rows))
            }
            Format::Json => output::documents(shown.iter().map(object)),
            Format::Jsonl => output::lines(shown.iter().map(object)),
            Format::Csv => {
                let mut out = Records::out();
                out.write(["id", "decision", "since", "clock", "because", "rule"])?;
                for found in shown {
                    let rule = found.decision.rule.clone().unwrap_or_default();
                    out.write(cells(found).into_iter().chain([rule]))?;
                }
                out.end()
            }
        }
    }
}

impl Wanted<'_> {
    fn says(&self, decision: &Decision) -> bool {
        let Decision { fact, rule, .. } = decision;
        let matches = |FactPattern { relation, args }: &FactPattern| {
            fact.relation == *relation
                && fact.values.len() == args.len()
                && args.iter().zip(&fact.values).all(|(wanted, found)| wanted.is_none_or(|it| it == *found))
        };
        self.pattern.as_ref().is_none_or(matches)
            && self.options.relation.as_ref().is_none_or(|name| fact.relation.as_str() == name)
            && self.options.rule.as_ref().is_none_or(|name| rule.as_ref() == Some(name))
            && self.options.value.as_ref().is_none_or(|wanted| {
                fact.values.iter().any(|value| value.text() == *wanted || value.to_string() == *wanted)
            })
    }
}

/// What a transaction drew, ascending; nothing where only an archive that is not here has that.
fn drawn(lists: &DrawnLists<'_>, tx: u64) -> Result<Vec<Decision>, Failure> {
    match lists.of(tx) {
        Err(LedgerError::Archived { .. }) => Ok(Vec::new()),
        drawn => drawn.map_err(open::failure),
    }
}

fn cells(found: &Standing) -> Vec<String> {
    let Standing { id, decision, info } = found;
    vec![
        id.map(|id| id.to_string()).unwrap_or_default(),
        decision.fact.to_string(),
        literal::time_text(info.time),
        info.clock.map(literal::time_text).unwrap_or_default(),
        decision.sentence.clone().unwrap_or_default(),
    ]
}

fn object(found: &Standing) -> Json {
    let Standing { id, decision, info } = found;
    let values: Vec<Json> = decision.fact.values.iter().map(|value| output::json_value(*value)).collect();
    json!({
        "id": id.map(|id| id.to_string()), "relation": decision.fact.relation.as_str(), "values": values,
        "rule": decision.rule, "because": decision.sentence, "transaction": info.tx,
        "since": literal::time_text(info.time), "clock": info.clock.map(literal::time_text),
        "author": info.author,
    })
}
