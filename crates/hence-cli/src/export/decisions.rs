//! The log of decisions for those who keep it elsewhere: masked, in batches, going on where it ended.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::ops::RangeInclusive;
use std::path::Path;

use serde_json::{Value as Json, json};

use hence_core::diagnostic::nearest;
use hence_core::fact::Fact;
use hence_core::literal;
use hence_core::schema::Kind;
use hence_core::symbol::Symbol;
use hence_core::whole_file::WholeFile;
use hence_ledger::{Decision, Hash, Lapsed, Ledger, TxInfo};
use hence_session::RuleSet;

use super::{elsewhere, unwritable};
use crate::{Failure, config, open, output};

/// What stands in the place of what is masked.
const MASKED: &str = "[masked]";
/// The file that says how far a folder is.
const CURSOR: &str = "cursor.json";
/// A cursor has so many bytes at most.
const LONGEST: u64 = 1 << 16;

/// One thing that a transaction did with decisions.
pub(super) struct Event<'a> {
    /// `drawn`, `lapsed`, or `unchanged` of a run that did neither.
    pub(super) event: &'static str,
    /// The id of a decision that was drawn.
    pub(super) id: Option<String>,
    /// The relation and the values.
    pub(super) decision: Option<(String, Vec<Json>)>,
    pub(super) rule: Option<&'a str>,
    /// The sentence, or why it lapsed.
    pub(super) because: Option<&'a str>,
    /// The transaction that had drawn what lapsed.
    pub(super) since: Option<u64>,
    pub(super) author: &'a str,
    pub(super) source: &'a str,
    pub(super) info: &'a TxInfo,
}

/// Where events go.
pub(super) trait Sink {
    /// Takes an event.
    fn event(&mut self, event: &Event<'_>) -> Result<(), Failure>;
    /// Hands over what is still held back.
    fn end(&mut self) -> Result<(), Failure>;
}

/// A line an event.
pub(super) struct Lines<W>(pub(super) W);

impl<W: Write> Sink for Lines<W> {
    fn event(&mut self, event: &Event<'_>) -> Result<(), Failure> {
        Ok(writeln!(self.0, "{}", output::spaced(&event.json()))?)
    }

    fn end(&mut self) -> Result<(), Failure> {
        Ok(self.0.flush()?)
    }
}

impl Event<'_> {
    fn json(&self) -> Json {
        let decision = self.decision.as_ref();
        json!({
            "event": self.event, "id": self.id, "relation": decision.map(|(relation, _)| relation),
            "values": decision.map(|(_, values)| values), "rule": self.rule, "because": self.because,
            "since": self.since, "transaction": self.info.tx, "time": literal::time_text(self.info.time),
            "clock": self.info.clock.map(literal::time_text), "author": self.author, "source": self.source,
            "rules": self.info.rules.map(|hash| hash.to_string()), "head": self.info.hash.to_string(),
        })
    }
}

/// The events of a ledger, without what is masked.
pub(super) struct Events<'a> {
    ledger: &'a Ledger,
    relations: &'a [String],
    /// The masked columns of each relation.
    columns: BTreeMap<&'a str, BTreeSet<&'a str>>,
    /// What else is masked: `author`, `source`.
    labels: BTreeSet<&'a str>,
    /// The rules that transactions name, as far as this version understands them.
    rules: BTreeMap<Hash, Option<RuleSet>>,
}

impl<'a> Events<'a> {
    /// The events of decisions of these relations; of all where none is named.
    ///
    /// # Errors
    /// `export.mask` names what neither `rules` nor those of the ledger have.
    pub(super) fn new(
        ledger: &'a Ledger,
        relations: &'a [String],
        rules: Option<&RuleSet>,
    ) -> Result<Self, Failure> {
        let (mut columns, mut labels) = (BTreeMap::<&str, BTreeSet<&str>>::new(), BTreeSet::new());
        for masked in config::get().masked() {
            match masked.split_once('.') {
                Some((relation, column)) => {
                    columns.entry(relation).or_default().insert(column);
                }
                None => {
                    labels.insert(masked.as_str());
                }
            }
        }
        let mut events = Self { ledger, relations, columns, labels, rules: BTreeMap::new() };
        events.check_masks(rules)?;
        Ok(events)
    }

    /// Checks that each mask names a decision, and a column of it: a misspelt one would let out what it is to hide.
    fn check_masks(&mut self, rules: Option<&RuleSet>) -> Result<(), Failure> {
        if self.columns.is_empty() {
            return Ok(());
        }
        let ledger = self.ledger;
        for hash in ledger.rule_sets().map_err(open::failure)? {
            self.rules.entry(hash).or_insert_with(|| read(ledger, hash));
        }
        let mut known = BTreeMap::<Symbol, BTreeSet<Symbol>>::new();
        for set in self.rules.values().flatten().chain(rules) {
            let decisions = set.program.relations.iter().filter(|relation| relation.kind == Kind::Decision);
            for relation in decisions {
                known
                    .entry(relation.name)
                    .or_default()
                    .extend(relation.columns.iter().map(|column| column.name));
            }
        }
        if self.rules.values().any(Option::is_none) {
            // What rules of other versions declare is known by its name alone, and masked whole.
            for name in ledger.all_relations() {
                known.entry(name).or_default();
            }
        }
        let masks =
            self.columns.iter().flat_map(|(name, columns)| columns.iter().map(move |one| (*name, *one)));
        let wrong = |(relation, column): (&str, &str)| misfit(&known, relation, column);
        let wrong: Vec<(String, String, String)> = masks.filter_map(wrong).collect();
        if wrong.is_empty() { Ok(()) } else { Err(config::get().wrong_masks(&wrong)) }
    }

    /// Hands the events of these transactions to `sink`; how many there were.
    pub(super) fn each(&mut self, range: RangeInclusive<u64>, sink: &mut dyn Sink) -> Result<usize, Failure> {
        let (ledger, mut number) = (self.ledger, 0);
        for info in ledger.log(range) {
            let info = info.map_err(open::failure)?;
            if info.clock.is_none() && info.drawn + info.lapsed == 0 {
                continue;
            }
            number += self.of(&info, sink)?;
        }
        Ok(number)
    }

    fn of(&mut self, info: &TxInfo, sink: &mut dyn Sink) -> Result<usize, Failure> {
        let label = |name: &str, text: &'_ str| match self.labels.contains(name) {
            true => String::from(MASKED),
            false => text.to_owned(),
        };
        let (author, source) = (label("author", &info.author), label("source", &info.source));
        let blank = |event| Event {
            event,
            id: None,
            decision: None,
            rule: None,
            because: None,
            since: None,
            author: &author,
            source: &source,
            info,
        };
        if info.drawn + info.lapsed == 0 {
            if self.relations.is_empty() {
                sink.event(&blank("unchanged"))?;
            }
            return Ok(usize::from(self.relations.is_empty()));
        }
        let transaction = self.ledger.transaction(info.tx).map_err(open::failure)?;
        let (mut drawn, mut number) = (transaction.drawn, 0);
        drawn.sort();
        for (place, Decision { fact, rule, sentence }) in (1..).zip(&drawn) {
            if !self.shows(fact) {
                continue;
            }
            let because = self.told(fact, sentence.as_deref());
            let id = Some(format!("{}.{place}", info.tx));
            let decision = Some((fact.relation.to_string(), self.values(fact, info)));
            sink.event(&Event { id, decision, rule: rule.as_deref(), because, ..blank("drawn") })?;
            number += 1;
        }
        for (Lapsed { fact, reason }, since) in &transaction.lapsed {
            if !self.shows(fact) {
                continue;
            }
            let decision = Some((fact.relation.to_string(), self.values(fact, info)));
            let because = reason.as_deref();
            sink.event(&Event { decision, because, since: Some(*since), ..blank("lapsed") })?;
            number += 1;
        }
        Ok(number)
    }

    fn shows(&self, fact: &Fact) -> bool {
        self.relations.is_empty() || self.relations.iter().any(|name| fact.relation.as_str() == name)
    }

    /// A sentence holds values, so one of a decision with masked columns is masked whole.
    fn told<'t>(&self, fact: &Fact, sentence: Option<&'t str>) -> Option<&'t str> {
        let masked = self.columns.contains_key(fact.relation.as_str());
        sentence.map(|sentence| if masked { MASKED } else { sentence })
    }

    /// The values without the masked and the personal ones; where nobody knows the columns, without any.
    fn values(&mut self, fact: &Fact, info: &TxInfo) -> Vec<Json> {
        let personal = self.ledger.personal().ok().and_then(|all| all.get(&fact.relation));
        let is_personal = |at: usize| personal.is_some_and(|all| all.iter().any(|one| one.column == at));
        let Some(masked) = self.columns.get(fact.relation.as_str()) else {
            let shown = |(at, value): (usize, &_)| match is_personal(at) {
                true => Json::from(MASKED),
                false => output::json_value(*value),
            };
            return fact.values.iter().enumerate().map(shown).collect();
        };
        let ledger = self.ledger;
        let rules =
            info.rules.and_then(|hash| self.rules.entry(hash).or_insert_with(|| read(ledger, hash)).as_ref());
        let declared = rules.and_then(|rules| rules.program.relation(rules.program.find(fact.relation)?));
        let name = |at: usize| Some(declared?.columns.get(at)?.name.as_str());
        let shown = |(at, value): (usize, &_)| match name(at) {
            Some(name) if !masked.contains(name) && !masked.contains("*") && !is_personal(at) => {
                output::json_value(*value)
            }
            _ => Json::from(MASKED),
        };
        fact.values.iter().enumerate().map(shown).collect()
    }
}

/// The rule set with this hash, where this version understands it.
fn read(ledger: &Ledger, hash: Hash) -> Option<RuleSet> {
    RuleSet::from_recorded(&ledger.rules(hash).ok().flatten()?).ok()
}

/// A mask of a column that no decision has, with what is wrong and what helps.
fn misfit(
    known: &BTreeMap<Symbol, BTreeSet<Symbol>>,
    relation: &str,
    column: &str,
) -> Option<(String, String, String)> {
    let mask = format!("{relation}.{column}");
    let all = |names: Vec<&str>| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let Some((_, columns)) = known.iter().find(|(name, _)| name.as_str() == relation) else {
        let names: Vec<&str> = known.keys().map(|name| name.as_str()).collect();
        let help = match nearest(relation, names.iter().copied()) {
            Some(near) => format!("did you mean `{near}.{column}`?"),
            None if names.is_empty() => String::from("neither the rules nor the ledger have decisions"),
            None => format!("the decisions are {}", all(names)),
        };
        return Some((mask, format!("unknown decision `{relation}`"), help));
    };
    if column == "*" || columns.iter().any(|name| name.as_str() == column) {
        return None;
    }
    let names: Vec<&str> = columns.iter().map(|name| name.as_str()).collect();
    let help = match nearest(column, names.iter().copied()) {
        Some(near) => format!("did you mean `{relation}.{near}`?"),
        None if names.is_empty() => format!("write `{relation}.*` for all columns"),
        None => format!("its columns are {}; `{relation}.*` stands for all", all(names)),
    };
    Some((mask, format!("`{relation}` has no column `{column}`"), help))
}

/// A folder of batches: a file of so many transactions each, called after the first of them.
pub(super) struct Folder<'a> {
    pub(super) path: &'a Path,
    /// How files end, which tells the format too.
    pub(super) ending: &'static str,
    /// How many transactions a file is of.
    pub(super) batch: u64,
    /// What writes a file.
    pub(super) sink: fn(File) -> Result<Box<dyn Sink>, Failure>,
}

impl Folder<'_> {
    /// Writes what the folder doesn't hold yet; how many events that was. A file gets its name when it is whole and
    /// durable, and then the cursor moves: a run that was interrupted writes the same file again.
    pub(super) fn fill(&self, events: &mut Events<'_>) -> Result<usize, Failure> {
        fs::create_dir_all(self.path).map_err(|error| unwritable(self.path, &error))?;
        elsewhere(self.path, self.path)?;
        let (mut done, mut number) = (self.cursor(events.ledger)?, 0);
        let last = events.ledger.last_tx();
        while done < last {
            let (first, end) = (done + 1, done.saturating_add(self.batch).min(last));
            let name = format!("decisions-{first:08}.{}", self.ending);
            let written = self.whole(&name, |file| {
                let mut sink = (self.sink)(file)?;
                let written = events.each(first..=end, sink.as_mut())?;
                sink.end()?;
                Ok(written)
            })?;
            number += written;
            let head = events.ledger.info(end).map_err(open::failure)?.hash.to_string();
            let cursor = json!({"format": self.ending, "transaction": end, "head": head});
            self.whole(CURSOR, |mut file| Ok(writeln!(file, "{cursor}").map(|()| 1)?))?;
            done = end;
        }
        Ok(number)
    }

    /// A file that is there whole or not at all, and not at all where nothing is written.
    fn whole(
        &self,
        name: &str,
        write: impl FnOnce(File) -> Result<usize, Failure>,
    ) -> Result<usize, Failure> {
        let path = self.path.join(name);
        let failed = |error: std::io::Error| unwritable(&path, &error);
        let file = WholeFile::create(&path).map_err(failed)?;
        let written = write(file.file().map_err(failed)?)?;
        if written > 0 {
            file.finish().map_err(failed)?;
        }
        Ok(written)
    }

    /// The last transaction that the folder holds; 0 for a new one.
    fn cursor(&self, ledger: &Ledger) -> Result<u64, Failure> {
        let path = self.path.join(CURSOR);
        let wrong = |what: String| Failure::Usage(format!("`{}`: {what}", path.display()));
        if !path.exists() {
            return Ok(0);
        }
        let text = hence_core::file::read_text(&path, LONGEST).map_err(|error| wrong(error.to_string()))?;
        let json: Json = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        let text = |name: &str| json.get(name).and_then(Json::as_str);
        let (Some(format), Some(tx), Some(head)) =
            (text("format"), json.get("transaction").and_then(Json::as_u64), text("head"))
        else {
            return Err(wrong(String::from("it does not say how far the folder is; choose a new folder")));
        };
        if format != self.ending {
            return Err(wrong(format!("the folder holds {format}; choose another one for {}", self.ending)));
        }
        let other = || wrong(String::from("the folder holds the log of another ledger; choose a new folder"));
        let known = (1..=ledger.last_tx()).contains(&tx);
        let hash =
            if known { ledger.info(tx).map_err(open::failure)?.hash.to_string() } else { String::new() };
        if hash == head { Ok(tx) } else { Err(other()) }
    }
}

/// A file for lines, in a folder.
pub(super) fn lines(file: File) -> Result<Box<dyn Sink>, Failure> {
    Ok(Box::new(Lines(crate::terminal::json_into(Box::new(BufWriter::new(file))))))
}
