//! Receipts: the records of one transaction, and that they are in a ledger of which there is a note; read without it.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value as Json, json as object};

use super::bytes::Reader;
use super::content::{Act, Summary, decode_changes};
use super::hash::Hash;
use super::merkle::{self, Node, Tree};
use super::note::{Checkpoint, Note};
use super::record::{self, Parsed};
use super::transaction::Decision;
use super::{Ledger, LedgerError};

/// The records of a transaction, as they lie in the journal, and their place under the root of a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// The transaction.
    pub tx: u64,
    /// Its records, whole.
    pub records: Vec<Vec<u8>>,
    /// The path from it to the root.
    pub path: Vec<Node>,
    /// The note.
    pub note: Note,
}

/// What the records of a receipt say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    /// When, in microseconds since the epoch.
    pub time: i64,
    /// Who recorded it.
    pub author: String,
    /// From where.
    pub source: String,
    /// The clock of the rules.
    pub clock: Option<i64>,
    /// The hash of the rules.
    pub rules: Option<Hash>,
    /// The hash of the transaction.
    pub hash: Hash,
    /// The decisions that it drew, ascending.
    pub drawn: Vec<Decision>,
}

impl Ledger {
    /// The tree over all transactions, which reads what is known of each.
    ///
    /// # Errors
    /// If the base can't be read.
    pub fn tree(&self) -> Result<Tree, LedgerError> {
        let hashes = self.log(1..=self.last_tx()).map(|info| Ok(info?.hash));
        Ok(Tree::of(hashes.collect::<Result<Vec<_>, LedgerError>>()?))
    }

    /// What the ledger was when it had `size` transactions.
    ///
    /// # Errors
    /// A ledger without so many transactions, or that can't be read.
    pub fn checkpoint(&self, tree: &Tree, size: u64) -> Result<Checkpoint, LedgerError> {
        let (first, head) = (self.info(1)?.hash, self.info(size)?.hash);
        let root = tree.root(size).ok_or(LedgerError::NoTransaction { asked: size, last: self.last_tx() })?;
        Ok(Checkpoint { first, size, root, head })
    }

    /// The receipt of a transaction under a note of this ledger.
    ///
    /// # Errors
    /// A transaction that there isn't, or that came after the note; a ledger that can't be read.
    pub fn receipt(&self, tree: &Tree, tx: u64, note: Note) -> Result<Receipt, LedgerError> {
        let size = note.checkpoint.size;
        let missing = LedgerError::NoTransaction { asked: tx, last: size };
        let path = tx.checked_sub(1).and_then(|index| tree.inclusion(index, size)).ok_or(missing)?;
        Ok(Receipt { tx, records: self.raw(tx)?, path, note })
    }
}

impl Receipt {
    /// Whether the records are those of the transaction under the note's root, and what they say.
    ///
    /// # Errors
    /// What doesn't hold.
    pub fn check(&self) -> Result<Received, String> {
        let (hash, contents) = chained(self.tx, &self.records)?;
        let Checkpoint { first, size, root, head } = &self.note.checkpoint;
        let index = self.tx.checked_sub(1).ok_or("transactions are counted from 1")?;
        if !merkle::includes(merkle::leaf(&hash.0), index, *size, &self.path, root) {
            return Err(format!("transaction {} is not under the root of the note", self.tx));
        }
        if (self.tx == 1 && hash != *first) || (self.tx == *size && hash != *head) {
            return Err(String::from("the note names another transaction at this place"));
        }
        said(hash, &contents).map_err(|what| format!("the records can't be read: {what}"))
    }
}

/// The hash of a transaction's last record and the contents of all, each of which follows the one before.
fn chained(tx: u64, records: &[Vec<u8>]) -> Result<(Hash, Vec<&[u8]>), String> {
    let (mut before, mut contents) = (None, Vec::new());
    for (at, bytes) in records.iter().enumerate() {
        let Parsed::Record(record) = record::parse(bytes) else {
            return Err(format!("record {} is damaged", at + 1));
        };
        let last = at + 1 == records.len();
        let follows = before.is_none_or(|before| before == record.previous);
        let is_whole = record.len == bytes.len() && record.kind.ends() == last;
        if record.transaction != tx || !follows || !is_whole {
            return Err(format!("record {} is not one of transaction {tx}", at + 1));
        }
        before = Some(record.hash);
        contents.push(record.content);
    }
    Ok((before.ok_or("it holds no record")?, contents))
}

/// What records say.
fn said(hash: Hash, contents: &[&[u8]]) -> Result<Received, super::Malformed> {
    let (mut summary, mut drawn) = (None, Vec::new());
    for (at, content) in contents.iter().enumerate() {
        let mut reader = Reader::new(content);
        if at + 1 == contents.len() {
            summary = Some(Summary::decode(&mut reader)?);
        }
        let mut faulty = Ok(());
        decode_changes(&mut reader, &mut |change| {
            let Act::Draw { rule, sentence } = change.act else { return };
            match change.fact() {
                Ok(fact) => drawn.push(Decision {
                    fact,
                    rule: rule.map(str::to_owned),
                    sentence: sentence.map(str::to_owned),
                }),
                Err(error) => faulty = Err(error),
            }
        })?;
        faulty?;
    }
    drawn.sort();
    let summary = summary.ok_or(super::Malformed("the summary is missing"))?;
    let Summary { time, author, source, clock, rules, .. } = summary;
    Ok(Received { time, author, source, clock, rules, hash, drawn })
}

/// What the member `format` of a receipt says.
const FORMAT: &str = "hence-receipt/1";
/// A receipt has so many records and steps at most.
const MOST: usize = 1 << 20;

impl Receipt {
    /// As JSON, of one of its decisions by its place among those drawn, from 1.
    pub fn json(&self, place: u64) -> Json {
        let records = self.records.iter().map(|record| Json::from(BASE64_STANDARD.encode(record)));
        object!({
            "format": FORMAT, "decision": format!("{}.{place}", self.tx), "note": self.note.text(),
            "path": path_json(&self.path), "records": records.collect::<Json>(),
        })
    }

    /// The receipt that JSON is, and the place of its decision.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(json: &Json) -> Result<(Self, u64), String> {
        let member = |name: &str| json.get(name).ok_or_else(|| format!("the member `{name}` is missing"));
        let text = |name: &str| member(name)?.as_str().ok_or_else(|| format!("`{name}` is not a string"));
        let found = text("format")?;
        if found != FORMAT {
            return Err(format!("expected the format {FORMAT:?}, found {found:?}"));
        }
        let id = text("decision")?;
        let numbers =
            id.split_once('.').and_then(|(tx, place)| Some((tx.parse().ok()?, place.parse().ok()?)));
        let (tx, place) = numbers.ok_or_else(|| format!("`{id}` is not the id of a decision"))?;
        let records = member("records")?.as_array().filter(|records| records.len() <= MOST);
        let record = |record: &Json| BASE64_STANDARD.decode(record.as_str()?).ok();
        let records = records.and_then(|records| records.iter().map(record).collect::<Option<Vec<_>>>());
        let records = records.ok_or("`records` is not a list of records in base64")?;
        let path = read_path(member("path")?).ok_or("`path` is not a list of hashes in base64")?;
        Ok((Self { tx, records, path, note: Note::parse(text("note")?)? }, place))
    }
}

/// Hashes of a tree as JSON.
pub fn path_json(path: &[Node]) -> Json {
    path.iter().map(|node| Json::from(BASE64_STANDARD.encode(node))).collect()
}

/// The hashes of a tree that JSON is.
pub fn read_path(json: &Json) -> Option<Vec<Node>> {
    let node = |node: &Json| BASE64_STANDARD.decode(node.as_str()?).ok()?.try_into().ok();
    json.as_array().filter(|path| path.len() <= MOST)?.iter().map(node).collect()
}
