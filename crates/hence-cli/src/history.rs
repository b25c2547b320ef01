//! `hence history`, `hence log`, `hence facts`: what the ledger holds and held.

use std::collections::BTreeSet;
use std::io::Write;

use clap::{Args, ValueEnum};
use serde_json::{Value as Json, json};

use hence_core::fact::Fact;
use hence_core::literal::{self, visible};
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_ledger::{Decision, Lapsed, Ledger, Run, Transaction, TxInfo, When};
use hence_proof::proof::FactPattern;
use hence_session::{Listing, RuleSet};

use super::options::{self, FactOptions, RangeOptions, RuleOptions, moment};
use super::output::{self, Format};
use super::past::refuse_future;
use super::{DONE, Failure, NO, Outcome, effects, open, terminal, time};

/// Show when a fact or decision held: each assertion and retraction, with author, time and source
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  hence history 'tool(\"web_search\")'\n  hence history 'select_tool(\"g1\", _, _)'"
)]
#[command(mut_args(options::of_ledger))]
pub(super) struct History {
    /// The fact or decision; `_` matches any value
    fact: String,
    #[command(flatten)]
    rules: RuleOptions,
    #[command(flatten)]
    facts: FactOptions,
}

impl History {
    pub(super) fn run(self) -> Outcome {
        let rules = self.rules.source().build()?;
        let asked = hence_session::read_pattern(&rules, &self.fact)?;
        let ledger = open::ledger(&self.facts, true)?;
        let one: Option<Vec<Value>> = asked.args.iter().copied().collect();
        let mut out = terminal::text();
        let mut facts = hence_session::recorded_like(&rules, &ledger, &asked)?;
        let mut found = false;
        if let Some(values) = one {
            let fact = Fact { relation: asked.relation, values };
            let lines = events(&rules, &ledger, &fact)?;
            found = !lines.is_empty();
            lines.iter().try_for_each(|line| writeln!(out, "{line}"))?;
            facts.clear();
        }
        facts.extend(hidden(&rules, &ledger, &asked)?);
        for fact in facts {
            let lines = events(&rules, &ledger, &fact)?;
            if !lines.is_empty() {
                found = true;
                writeln!(out, "{fact}")?;
                lines.iter().try_for_each(|line| writeln!(out, "    {line}"))?;
            }
        }
        let gone = archived(&ledger)?;
        if found {
            return Ok(DONE);
        }
        output::note(&match gone {
            0 => format!("`{asked}` was never recorded"),
            gone => format!("`{asked}` is not recorded after transaction {gone}, and did not stand then"),
        });
        Ok(NO)
    }
}

/// Says what is archived; the last transaction of which a part can't be read here, 0 where all can.
fn archived(ledger: &Ledger) -> Result<u64, Failure> {
    let Some((last, path)) = ledger.archived() else { return Ok(0) };
    let there = ledger.has_archive().map_err(open::failure)?;
    let salvaged = ledger.salvaged().map_err(open::failure)?.is_some_and(|salvaged| salvaged >= last);
    let folder = path.display();
    output::note(&match (there, salvaged) {
        (true, _) => format!(
            "facts that ended by transaction {last} are archived in {folder}; `--up-to N` shows them as of \
            transaction N"
        ),
        (false, false) => format!(
            "facts that ended by transaction {last} are archived in {folder}; once that folder is restored, \
            `--up-to N` shows them as of transaction N"
        ),
        (false, true) => format!(
            "facts that ended by transaction {last} were archived before this ledger was salvaged: a copy of it from \
            before shows them"
        ),
    });
    Ok(last)
}

/// What was recorded with the other values of a fact that is asked for, and with personal values that nobody can read any
/// more, so that it may have been this fact; without what is named as it is read.
fn hidden(rules: &RuleSet, ledger: &Ledger, asked: &FactPattern) -> Result<BTreeSet<Fact>, Failure> {
    let Some(personal) = ledger.personal().map_err(open::failure)?.get(&asked.relation) else {
        return Ok(BTreeSet::new());
    };
    let mut wider = asked.clone();
    for personal in personal {
        wider.args.get_mut(personal.column).map(Option::take);
    }
    let mut found = BTreeSet::new();
    for fact in hence_session::recorded_like(rules, ledger, &wider)? {
        let is_named = asked.args.iter().zip(&fact.values).all(|(one, value)| *one == Some(*value));
        if !is_named && ledger.is_hidden(&fact).map_err(open::failure)? {
            found.insert(fact);
        }
    }
    Ok(found)
}

/// What became of a fact or decision, a line each time.
fn events(rules: &RuleSet, ledger: &Ledger, fact: &Fact) -> Result<Vec<String>, Failure> {
    let asserted = hence_session::history(rules, ledger, fact)?;
    let drawn = ledger.decision_history(fact).map_err(open::failure)?;
    let mut lines = Vec::new();
    for (spans, from, until) in [(&asserted, "asserted", "retracted"), (&drawn, "drawn", "lapsed")] {
        for span in spans {
            lines.push(event(ledger, fact, from, span.from)?);
            if let Some(tx) = span.until {
                lines.push(event(ledger, fact, until, tx)?);
            }
        }
    }
    Ok(lines)
}

fn event(ledger: &Ledger, fact: &Fact, what: &str, tx: u64) -> Result<String, Failure> {
    let info = ledger.info(tx).map_err(open::failure)?;
    let note = info.note.as_ref().map(|note| format!(": {note}")).unwrap_or_default();
    let at = moment_text(&info);
    let steps = (1..).zip(info.steps.iter().flatten());
    let mut changes = steps.flat_map(|(number, step)| step.changes.iter().map(move |one| (number, one)));
    let changed = changes.find(|(_, change)| change.fact == *fact && effects::verb(change) == what);
    if let Some((number, change)) = changed {
        let because = change.sentence.as_ref().map(|text| format!(": {text}")).unwrap_or_default();
        return Ok(format!(
            "{what} in transaction {tx} at {at} by rule {} in step {number}{because}",
            change.rule
        ));
    }
    let said = info.said.iter().find(|said| said.fact == *fact && what == "asserted");
    let (author, strength) = match said {
        Some(said) => {
            let found = ledger.assertion_at(fact, When::Tx(tx)).map_err(open::failure)?;
            (&said.author, Ok(found.is_some_and(|found| found.signed)))
        }
        None => (&info.author, ledger.is_signed(tx).map_err(open::failure)?),
    };
    let by = if said.is_some() { format!(", brought by {},", info.author) } else { String::new() };
    let strength = surely(&strength);
    Ok(format!("{what} in transaction {tx} at {at} by {author}{strength}{by} from {}{note}", info.source))
}

/// When a transaction was recorded, and what the clock of its rules showed, where it decided.
fn moment_text(info: &TxInfo) -> String {
    let at = literal::time_text(info.time);
    match info.clock {
        Some(clock) => format!("{at}, clock {},", literal::time_text(clock)),
        None => at,
    }
}

/// How surely an author is who they say, after their name; nothing where they are believed.
fn surely(strength: &Result<bool, String>) -> String {
    match strength {
        Ok(true) => String::from(" (signed)"),
        Ok(false) => String::new(),
        Err(fault) => format!(" (not as it has to be signed: {fault})"),
    }
}

/// Show the log: transactions with the decisions drawn and lapsed
#[derive(Debug, Args)]
#[command(after_help = "Example: hence log --relation select_tool --from 10")]
pub(super) struct Log {
    #[command(flatten)]
    facts: FactOptions,
    #[command(flatten)]
    range: RangeOptions,
    /// Only decisions of this relation
    #[arg(long, value_name = "NAME")]
    relation: Option<String>,
    /// Only decisions with this value in a column
    #[arg(long, value_name = "VALUE")]
    value: Option<String>,
    /// Only transactions of this author
    #[arg(long, value_name = "AUTHOR")]
    by: Option<String>,
    /// Only transactions from this time on
    #[arg(long, value_name = "TIME", value_parser = time::parse)]
    since: Option<i64>,
    /// Only transactions before this time
    #[arg(long, value_name = "TIME", value_parser = time::parse)]
    until: Option<i64>,
    /// Also show the facts asserted and retracted
    #[arg(long)]
    facts_too: bool,
    /// The output format
    #[arg(long, value_enum, default_value = "text")]
    format: LogFormat,
    /// The same as `--format jsonl`
    #[arg(long, hide = true)]
    jsonl: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LogFormat {
    /// Readable text.
    Text,
    /// One JSON document per line.
    Jsonl,
}

impl Log {
    pub(super) fn run(self) -> Outcome {
        let ledger = open::ledger(&self.facts, true)?;
        let jsonl = self.jsonl || self.format == LogFormat::Jsonl;
        let mut out = if jsonl { terminal::json() } else { terminal::text() };
        if let (Some(since), Some(until)) = (self.since, self.until)
            && until <= since
        {
            return Err(Failure::Usage(String::from("--since must be before --until")));
        }
        let (range, mut shown) = (self.range.of(&ledger)?, false);
        for info in ledger.log(range) {
            let info = info.map_err(open::failure)?;
            let wanted = self.by.as_ref().is_none_or(|author| *author == info.author)
                && self.since.is_none_or(|since| info.time >= since)
                && self.until.is_none_or(|until| info.time < until);
            if !wanted {
                continue;
            }
            let mut transaction = ledger.transaction(info.tx).map_err(open::failure)?;
            transaction.drawn.retain(|decision| self.shows(&decision.fact));
            transaction.lapsed.retain(|(lapsed, _)| self.shows(&lapsed.fact));
            let filtered = self.relation.is_some() || self.value.is_some();
            if filtered && transaction.drawn.is_empty() && transaction.lapsed.is_empty() {
                continue;
            }
            let strength = ledger.is_signed(info.tx).map_err(open::failure)?;
            let lines = match jsonl {
                true => vec![self.line(&transaction, &strength)],
                false => self.lines(&transaction, &strength),
            };
            lines.iter().try_for_each(|line| writeln!(out, "{line}"))?;
            shown = true;
        }
        if !shown {
            let named = RuleOptions::default();
            self.relation.as_ref().map_or(Ok(()), |name| open::may_be_decided(&ledger, &named, name))?;
            note_nothing(&ledger)?;
        }
        Ok(DONE)
    }

    fn shows(&self, fact: &Fact) -> bool {
        self.relation.as_ref().is_none_or(|name| fact.relation.as_str() == name)
            && self.value.as_ref().is_none_or(|wanted| {
                fact.values.iter().any(|value| value.text() == *wanted || value.to_string() == *wanted)
            })
    }

    fn lines(&self, transaction: &Transaction, strength: &Result<bool, String>) -> Vec<String> {
        let info = &transaction.info;
        let note = info.note.as_ref().map(|note| format!(": {}", visible(note))).unwrap_or_default();
        let at = moment_text(info);
        let mut out = vec![
            format!(
                "transaction {} at {at} by {} from {}{note}",
                info.tx,
                format_args!("{}{}", visible(&info.author), surely(strength)),
                visible(&info.source)
            ),
            format!(
                "    {} asserted, {} retracted, {} drawn, {} lapsed; head {}",
                info.added, info.removed, info.drawn, info.lapsed, info.hash
            ),
        ];
        if self.facts_too {
            out.extend(transaction.added.iter().map(|fact| format!("    asserted {fact}")));
            out.extend(transaction.removed.iter().map(|(fact, _)| format!("    retracted {fact}")));
        }
        let steps = effects::lines(info.steps.as_deref().unwrap_or_default());
        out.extend(steps.into_iter().map(|line| format!("    {line}")));
        for Decision { fact, sentence, .. } in &transaction.drawn {
            let because = sentence.as_ref().map(|text| format!(": {}", visible(text))).unwrap_or_default();
            out.push(format!("    drawn {fact}{because}"));
        }
        for (Lapsed { fact, reason }, drawn) in &transaction.lapsed {
            let because = reason.as_ref().map(|reason| format!(": {}", visible(reason))).unwrap_or_default();
            out.push(format!("    lapsed {fact}, drawn in transaction {drawn}{because}"));
        }
        out
    }

    fn line(&self, transaction: &Transaction, strength: &Result<bool, String>) -> String {
        output::spaced(&transaction_json(transaction, strength, self.facts_too))
    }
}

/// A transaction as programs see it.
pub(super) fn transaction_json(
    transaction: &Transaction,
    strength: &Result<bool, String>,
    facts_too: bool,
) -> Json {
    let info = &transaction.info;
    let facts = |facts: &mut dyn Iterator<Item = &Fact>| facts.map(output::json_fact).collect::<Vec<_>>();
    let drawn: Vec<_> = transaction
        .drawn
        .iter()
        .map(|decision| {
            json!({
                "decision": output::json_fact(&decision.fact),
                "rule": decision.rule, "because": decision.sentence,
            })
        })
        .collect();
    let mut line = json!({
        "transaction": info.tx, "time": literal::time_text(info.time), "author": info.author,
        "strength": if *strength == Ok(true) { "signed" } else { "claimed" },
        "source": info.source, "note": info.note, "clock": info.clock.map(literal::time_text),
        "rules": info.rules.map(|hash| hash.to_string()), "run": info.run.as_ref().map(run),
        "head": info.hash.to_string(), "drawn": drawn,
        "lapsed": facts(&mut transaction.lapsed.iter().map(|(lapsed, _)| &lapsed.fact)),
    });
    if let (Some(object), Some(steps)) = (line.as_object_mut(), &info.steps) {
        object.insert(String::from("steps"), effects::json(steps));
    }
    if let (Some(object), Err(fault)) = (line.as_object_mut(), strength) {
        object.insert(String::from("signature_fault"), json!(fault));
    }
    let reasons = || transaction.lapsed.iter().map(|(lapsed, _)| &lapsed.reason);
    if let Some(object) = line.as_object_mut().filter(|_| reasons().any(Option::is_some)) {
        object.insert(String::from("lapsed_because"), json!(reasons().collect::<Vec<_>>()));
    }
    if let Some(object) = line.as_object_mut().filter(|_| facts_too) {
        object.insert(String::from("asserted"), json!(facts(&mut transaction.added.iter())));
        let removed = facts(&mut transaction.removed.iter().map(|(fact, _)| fact));
        object.insert(String::from("retracted"), json!(removed));
    }
    line
}

/// Says that no transaction is shown.
fn note_nothing(ledger: &Ledger) -> Result<(), Failure> {
    let status = ledger.status().map_err(open::failure)?;
    output::note(&match status.time {
        None => String::from("the ledger has no transaction"),
        Some(time) => format!(
            "no transaction matches; the last one is {} at {}",
            status.transactions,
            literal::time_text(time)
        ),
    });
    Ok(())
}

/// How an evaluation ran.
fn run(run: &Run) -> Json {
    let mut json = json!({ "engine": run.engine, "lenient": run.lenient });
    if let (Some(zones), Some(fields)) = (&run.zones, json.as_object_mut()) {
        fields.insert(String::from("zones"), Json::from(zones.as_str()));
    }
    json
}

/// Show the current facts, or those of a past moment; without a relation, the number of facts of each
#[derive(Debug, Args)]
#[command(after_help = "Example: hence facts tool --as-of 1 --format jsonl")]
pub(super) struct Facts {
    /// The relation
    relation: Option<String>,
    #[command(flatten)]
    rules: RuleOptions,
    #[command(flatten)]
    facts: FactOptions,
    /// As of a past moment: the number of a transaction, or a time
    #[arg(long, value_name = "TX|TIME", value_parser = moment, allow_negative_numbers = true)]
    as_of: Option<When>,
    /// The output format
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

impl Facts {
    pub(super) fn run(self) -> Outcome {
        let ledger = open::ledger(&self.facts, true)?;
        let when = self.as_of.unwrap_or(When::Now);
        refuse_future(&ledger, when, "omit --as-of for the current state")?;
        let Some(relation) = &self.relation else { return self.counts(&ledger, when) };
        let relation = Symbol::new(relation);
        let mut found = Vec::new();
        let named = self.rules.is_named().then(|| self.rules.source().build()).transpose()?;
        let listing = Listing::new(named.as_ref(), &ledger, relation, when).map_err(open::failure)?;
        for fact in ledger.facts_at(relation, when).map_err(open::failure)? {
            found.push(listing.fact(fact.map_err(open::failure)?.0));
        }
        if found.is_empty() {
            open::may_have_facts(&ledger, &self.rules, relation)?;
        }
        let width = found.iter().map(|fact| fact.values.len()).max().unwrap_or(0);
        let columns = match listing.columns {
            columns if columns.is_empty() => self.columns(&ledger, relation, width)?,
            columns => columns,
        };
        output::relations(self.format, &[(relation, columns, found)], &[])?;
        Ok(DONE)
    }

    /// The names of columns that were recorded before schemas were: as the last rules say that declare them.
    fn columns(&self, ledger: &Ledger, relation: Symbol, width: usize) -> Result<Vec<Symbol>, Failure> {
        let last = match self.as_of.unwrap_or(When::Now) {
            When::Now => ledger.last_tx(),
            When::Tx(tx) => tx,
            When::Time(time) => ledger.tx_at(time).map_err(open::failure)?,
        };
        let mut seen = BTreeSet::new();
        for info in ledger.log(1..=last).rev() {
            let info = info.map_err(open::failure)?;
            let Some(hash) = info.rules.filter(|hash| seen.insert(*hash)) else { continue };
            let Some(recorded) = ledger.rules(hash).map_err(open::failure)? else { continue };
            // Rules that this version no longer understands name no columns; the next older ones may.
            let Ok(rules) = RuleSet::from_recorded(&recorded) else { continue };
            if let Some(columns) = declared(&rules, relation, width) {
                return Ok(columns);
            }
        }
        Ok(numbered(width))
    }

    fn counts(&self, ledger: &Ledger, when: When) -> Outcome {
        let mut rows = Vec::new();
        for relation in ledger.all_relations() {
            let mut facts = 0;
            for fact in ledger.facts_at(relation, when).map_err(open::failure)? {
                fact.map_err(open::failure)?;
                facts += 1;
            }
            if facts > 0 {
                rows.push(vec![Value::String(relation), Value::Int(facts)]);
            }
        }
        rows.sort();
        if self.format == Format::Table {
            let cells: Vec<Vec<String>> =
                rows.iter().map(|row: &Vec<Value>| row.iter().map(|value| value.text()).collect()).collect();
            let header = ["relation", "facts"].map(String::from);
            terminal::text().lines(&output::aligned(&header, &cells, |at| at == 1))?;
            return Ok(DONE);
        }
        output::rows(self.format, &[String::from("relation"), String::from("facts")], &rows, &[])?;
        Ok(DONE)
    }
}

/// The columns that rules declare for a relation, if there are so many.
fn declared(rules: &RuleSet, relation: Symbol, width: usize) -> Option<Vec<Symbol>> {
    let found = rules.program.relation(rules.program.find(relation)?)?;
    let columns: Vec<Symbol> = found.columns.iter().map(|column| column.name).collect();
    (width == 0 || columns.len() == width).then_some(columns)
}

/// Names for columns that nobody declares.
fn numbered(width: usize) -> Vec<Symbol> {
    (1..=width).map(|at| Symbol::new(&format!("c{at}"))).collect()
}
