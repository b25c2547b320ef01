//! Transactions as JSON Lines: a ledger written out, and read back into one with an equal chain.

mod brought;
mod changes;
mod lines;
mod read;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead, Write};
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use hence_core::json;
use hence_core::literal::is_time;
use hence_core::meter;
use hence_core::symbol::Symbol;
use hence_core::value::Value;

use super::Ledger;
use super::admit;
use super::bytes::{Malformed, Reader};
use super::commit::How;
use super::content::{self, Act, Change, Summary, encode_changes};
use super::error::{LedgerError, Notice};
use super::hash::Hash;
use super::keys;
use super::list::{ChangeList, ReadChanges};
use super::plan::Since;
use super::record::{self, RecordKind};
use super::scan::Whole;
use super::schemas::{check_renewed, renewed};
use super::transaction::{RecordedRules, Run};
pub use brought::{Admit, ImportedFacts};
use changes::Recorded;
use lines::{RunLine, SaidLine, SchemaLine, StepLine, said, schema, step};
use read::{one_line, repeated};

/// One line: a transaction with everything that its hash covers.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line<C> {
    tx: u64,
    /// Microseconds since the epoch.
    time: i64,
    author: String,
    source: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    clock: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rules: Option<String>,
    /// The rule set, in the first transaction that names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rule_set: Option<Rules>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    run: Option<RunLine>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    schemas: Vec<SchemaLine>,
    /// What effects did, step by step; none where the rules have no effects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    steps: Option<Vec<Vec<StepLine>>>,
    /// Facts that others say than the author.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    said: Vec<SaidLine>,
    /// The signature of the author.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
    #[serde(rename = "standing")]
    present: u64,
    missing: u64,
    /// How many of the changes each record before the last holds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    parts: Vec<usize>,
    /// Whether it was written before the transaction before it was durable.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    joined: bool,
    changes: C,
    hash: String,
    /// Whether the export ends here. One that was cut off doesn't say so anywhere.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    last: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rules {
    files: Vec<(String, String)>,
    params: Vec<(String, String)>,
}

/// The end line of an export without transactions.
const NOTHING: &[u8] = br#"{"last":true}"#;

/// What an import came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// How many transactions of the file were there already.
    pub there: u64,
    /// How many were appended.
    pub appended: u64,
}

impl Ledger {
    /// Writes these transactions, one a line, as far as there are any, and returns how many there were.
    ///
    /// # Errors
    /// If the journal can't be read or `out` can't be written.
    pub fn export(&self, range: RangeInclusive<u64>, out: &mut dyn Write) -> Result<u64, LedgerError> {
        let mut count = 0;
        let end = *range.end().min(&self.state.tx);
        for tx in *range.start().max(&1)..=end {
            let whole = self.whole(tx)?;
            let line = Line { last: tx == end, ..line(&whole)? };
            let failed =
                |error: serde_json::Error| LedgerError::io("write", "the export".as_ref())(error.into());
            serde_json::to_writer(&mut *out, &line).map_err(failed)?;
            writeln!(out).map_err(LedgerError::io("write", "the export".as_ref()))?;
            count += 1;
        }
        if self.state.tx == 0 {
            out.write_all(NOTHING)
                .and_then(|()| writeln!(out))
                .map_err(LedgerError::io("write", "the export".as_ref()))?;
        }
        Ok(count)
    }

    /// Appends transactions that [`Ledger::export`] wrote. Each must have the hash that it says, and be here already,
    /// as after an import that was interrupted, or follow the last one; those before a faulty one are kept. `end` is
    /// the head that the last one must have, which shows too that nothing was cut off.
    ///
    /// # Errors
    /// At the first line that is not such a transaction, and at the end of a file that was cut off.
    pub fn import(&mut self, input: &mut dyn BufRead, end: Option<Hash>) -> Result<Imported, LedgerError> {
        self.import_checked(input, end, &mut |_, _| Ok(()))
    }

    /// The same where `admit` says of each transaction whether its author may bring its facts.
    ///
    /// # Errors
    /// As [`Ledger::import`], and at the first transaction that isn't admitted.
    pub fn import_checked(
        &mut self,
        input: &mut dyn BufRead,
        end: Option<Hash>,
        admit: Admit<'_>,
    ) -> Result<Imported, LedgerError> {
        if !self.writable {
            return Err(LedgerError::ReadOnly);
        }
        let mut matched = BTreeMap::new();
        let imported = self.import_lines(input, end, &mut matched, admit);
        if !matched.is_empty() {
            self.notices.push(Notice::Unredacted { relations: matched.into_iter().collect() });
        }
        // Keys that what came so far records as destroyed are gone once this ends, whatever ends it.
        let destroyed = self.destroy_erased();
        let imported = imported?;
        destroyed?;
        Ok(imported)
    }

    /// Imports line by line, and counts by relation what `[redact]` matches.
    fn import_lines(
        &mut self,
        input: &mut dyn BufRead,
        end: Option<Hash>,
        matched: &mut BTreeMap<String, u64>,
        admit: Admit<'_>,
    ) -> Result<Imported, LedgerError> {
        let (mut imported, mut last) = (Imported::default(), false);
        for number in 1.. {
            meter::check("importing transactions")?;
            let faulty = |what: String| LedgerError::Import { line: number, what };
            let unreadable = |error: io::Error| faulty(format!("the file can't be read: {error}"));
            let held = input.fill_buf().map_err(unreadable)?;
            if held.is_empty() {
                self.check_import_end(last, end).map_err(faulty)?;
                break;
            }
            if number == 1 && held.trim_ascii_end() == NOTHING {
                let read = held.len();
                input.consume(read);
                last = true;
                continue;
            }
            if last {
                return Err(faulty(String::from("unexpected line after the end of the export")));
            }
            let line = one_line(input).map_err(faulty)?;
            last = line.last;
            match self.import_line(line, matched, admit) {
                Ok(true) => imported.appended += 1,
                Ok(false) => imported.there += 1,
                Err(Refused::Line(what)) => return Err(faulty(what)),
                Err(Refused::Ledger(error)) => return Err(error),
            }
        }
        Ok(imported)
    }

    /// Whether the file that was imported is whole: its last line says so, or the caller knew how it ends.
    fn check_import_end(&self, last: bool, end: Option<Hash>) -> Result<(), String> {
        let (tx, head) = (self.state.tx, self.state.head);
        match end {
            Some(end) if end == head => Ok(()),
            Some(end) => Err(format!(
                "expected the file to end with the hash {end}, found transaction {tx} with {head}"
            )),
            None if last => Ok(()),
            None => Err(format!(
                "the file ends here without an end line: it was cut off, or is of an earlier version; \
                import the whole file, or give its last hash with `--head {head}`"
            )),
        }
    }

    /// Whether the transaction of a line was appended; it was there already otherwise.
    fn import_line(
        &mut self,
        mut line: Line<ReadChanges>,
        matched: &mut BTreeMap<String, u64>,
        admit: Admit<'_>,
    ) -> Result<bool, Refused> {
        if (1..=self.state.tx).contains(&line.tx) {
            let here = self.info(line.tx)?.hash.to_string();
            if here == line.hash {
                return Ok(false);
            }
            let what = format!(
                "transaction {} differs from the one in this ledger: its hash here is {here}, in the file {}",
                line.tx, line.hash
            );
            return Err(Refused::Line(what));
        }
        if line.tx != self.state.tx + 1 {
            let due = self.state.tx + 1;
            return Err(Refused::Line(format!("expected transaction {due}, found {}", line.tx)));
        }
        let mut read = std::mem::take(&mut line.changes);
        let changes = read.list();
        let summary = self.imported_summary(&line, &changes)?;
        admit::check(&changes, &summary).map_err(of_line)?;
        if let Some(misfit) = self.check_imported(&summary.schemas, &changes)? {
            return Err(Refused::Line(misfit));
        }
        self.check_types(&changes, &summary).map_err(of_line)?;
        check_renewed(&self.state, &summary.schemas, &changes).map_err(of_line)?;
        self.check_changes(&changes, &renewed(&summary.schemas))?;
        let hash = self.hash_of(&line, &changes, &summary)?;
        if hash.to_string() != line.hash {
            return Err(Refused::Line(format!("its hash is {hash}, but the file says {}", line.hash)));
        }
        self.check_signed(&changes, (&line.parts, &summary)).map_err(of_line)?;
        admit(self, &ImportedFacts::new(&line, &summary, &changes)).map_err(Refused::Line)?;
        let how = How { deferred: false, joined: line.joined };
        let whole = self.write(&changes, &line.parts, &summary, how)?;
        self.enter(&changes, &summary, &whole)?;
        self.unredacted(&line, &changes, matched)?;
        Ok(true)
    }

    fn unredacted(
        &self,
        line: &Line<ReadChanges>,
        changes: &ChangeList<'_>,
        matched: &mut BTreeMap<String, u64>,
    ) -> Result<(), Malformed> {
        if self.redaction.is_empty() {
            return Ok(());
        }
        for change in changes.iter() {
            let fact = change.fact()?;
            if self.redaction.matches_fact(&fact) {
                *matched.entry(fact.relation.to_string()).or_default() += 1;
            }
        }
        let texts = [Some(&line.author), Some(&line.source), line.note.as_ref()];
        let labels = texts.into_iter().flatten().filter(|text| self.redaction.matches(text)).count();
        if labels > 0 {
            *matched.entry(String::new()).or_default() += labels as u64;
        }
        Ok(())
    }

    /// Whether each change can be made, and is made once.
    fn check_changes(&self, changes: &ChangeList<'_>, renewed: &BTreeSet<Symbol>) -> Result<(), Refused> {
        let mut facts = Since::new(&self.state, &self.view, keys::FACT, changes.len());
        let mut decisions = Since::new(&self.state, &self.view, keys::DECISION, changes.len());
        for Change { relation, tuple, act } in changes.iter() {
            let since = match act {
                Act::Assert | Act::Retract { .. } => &mut facts,
                Act::Draw { .. } | Act::Lapse { .. } => &mut decisions,
            };
            // A relation that starts over loses its facts before it gains them.
            let again = act == Act::Assert && renewed.contains(&relation);
            let current = since.find(relation, tuple)?.filter(|_| !again);
            let due = match act {
                Act::Assert | Act::Draw { .. } => None,
                Act::Retract { since } | Act::Lapse { since, .. } => Some(since),
            };
            if current != due {
                return Err(Refused::Line(format!(
                    "a change of `{relation}` doesn't match the current state"
                )));
            }
        }
        match repeated(changes) {
            Some(relation) => Err(Refused::Line(format!("duplicate change of a fact of `{relation}`"))),
            None => Ok(()),
        }
    }

    fn imported_summary(
        &self,
        line: &Line<ReadChanges>,
        changes: &ChangeList<'_>,
    ) -> Result<Summary, Refused> {
        if self.state.tx > 0 && line.time < self.state.time {
            return Err(Refused::Line(String::from(
                "its time is earlier than that of the previous transaction",
            )));
        }
        if let Some(time) = [Some(line.time), line.clock].into_iter().flatten().find(|time| !is_time(*time)) {
            return Err(Refused::Line(format!(
                "{time} microseconds since the epoch are outside the years -9999 to 9999"
            )));
        }
        let mut summary = Summary {
            time: line.time,
            author: line.author.clone(),
            source: line.source.clone(),
            note: line.note.clone(),
            clock: line.clock,
            run: line.run.clone().map(Run::from),
            schemas: line.schemas.iter().map(schema).collect::<Result<_, _>>()?,
            steps: line
                .steps
                .as_ref()
                .map(|steps| steps.iter().map(|lines| step(lines)).collect())
                .transpose()?,
            said: line.said.iter().map(said).collect::<Result<_, _>>()?,
            signature: line.signature.as_deref().map(str::parse).transpose()?,
            parts: line.parts.len() as u64,
            present: line.present,
            missing: line.missing,
            ..Summary::after(&self.state, changes)
        };
        summary.rules = line.rules.as_deref().map(str::parse).transpose()?;
        if let Some(Rules { files, params }) = &line.rule_set {
            let rules = RecordedRules::new(files.clone(), params.clone());
            if Some(rules.hash()) != summary.rules {
                return Err(Refused::Line(String::from("the hash of the rule set does not match `rules`")));
            }
            summary.rule_text = Some(rules.encode());
        }
        Ok(summary)
    }

    /// The hash that the transaction will have in this ledger.
    fn hash_of(
        &self,
        line: &Line<ReadChanges>,
        changes: &ChangeList<'_>,
        summary: &Summary,
    ) -> Result<Hash, Refused> {
        let mut head = self.state.head;
        let mut done = 0usize;
        for len in &line.parts {
            let end = done.checked_add(*len).filter(|end| *end <= changes.len());
            let wrong = || Refused::Line(String::from("its parts contain more changes than the transaction"));
            let end = end.ok_or_else(wrong)?;
            let mut content = Vec::new();
            let held = changes.range(done..end);
            encode_changes(*len, held.clone(), &mut content);
            head = record::write(RecordKind::Part, content::version(held), line.tx, head, &content).1;
            done = end;
        }
        let mut content = Vec::new();
        summary.encode(&mut content);
        let held = changes.range(done..changes.len());
        encode_changes(changes.len() - done, held.clone(), &mut content);
        let kind = if line.joined { RecordKind::Joined } else { RecordKind::Commit };
        Ok(record::write(kind, summary.version(held), line.tx, head, &content).1)
    }
}

/// Why a line wasn't imported.
enum Refused {
    Line(String),
    Ledger(LedgerError),
}

impl From<LedgerError> for Refused {
    fn from(error: LedgerError) -> Self {
        Self::Ledger(error)
    }
}

impl From<Malformed> for Refused {
    fn from(malformed: Malformed) -> Self {
        Self::Line(malformed.to_string())
    }
}

/// What a transaction may not hold is a fault of its line.
fn of_line(error: LedgerError) -> Refused {
    match error {
        LedgerError::Misfit { .. } | LedgerError::TooLarge { .. } | LedgerError::Principal { .. } => {
            Refused::Line(error.to_string())
        }
        error => Refused::Ledger(error),
    }
}

/// The value that an export holds.
fn typed(json: &Json) -> Result<Value, Malformed> {
    json::read_typed(json).ok_or(Malformed("a value does not have the form of an export"))
}

fn line(whole: &Whole) -> Result<Line<Recorded<'_>>, Malformed> {
    let (commit, before) = whole.contents.split_last().ok_or(Malformed("the transaction has no records"))?;
    let summary = Summary::decode(&mut Reader::new(commit))?;
    let parts = before.iter().map(|part| content::count_changes(part)).collect::<Result<_, _>>()?;
    let rule_set = summary.rule_text.as_deref().map(RecordedRules::decode).transpose()?;
    Ok(Line {
        tx: whole.number,
        time: summary.time,
        author: summary.author,
        source: summary.source,
        note: summary.note,
        clock: summary.clock,
        rules: summary.rules.map(|hash| hash.to_string()),
        run: summary.run.map(RunLine::from),
        schemas: summary.schemas.iter().map(SchemaLine::from).collect(),
        steps: summary.steps.map(|steps| {
            steps.iter().map(|step| step.changes.iter().map(StepLine::from).collect()).collect()
        }),
        said: summary.said.iter().map(SaidLine::from).collect(),
        signature: summary.signature.map(|signature| signature.to_string()),
        rule_set: rule_set
            .map(|rules| Rules { files: rules.files().to_vec(), params: rules.params().to_vec() }),
        present: summary.present,
        missing: summary.missing,
        parts,
        joined: whole.joined,
        changes: Recorded(&whole.contents),
        hash: whole.hash.to_string(),
        last: false,
    })
}
