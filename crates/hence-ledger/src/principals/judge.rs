//! What signatures are worth: of a transaction, and of the facts that it asserts.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hence_core::fact::Fact;
use hence_core::symbol::Symbol;

use super::sign::message;
use super::{ADMIN, PRINCIPAL, Principals, PublicKey, REVOKED, grant};
use crate::Ledger;
use crate::When;
use crate::bytes::{Malformed, Reader};
use crate::content::{Act, Summary, decode_changes};
use crate::error::LedgerError;
use crate::hash::Hash;
use crate::keys;
use crate::rows::{Rows, past_row};
use crate::said::{Said, fact_message};
use crate::scan::Whole;
use crate::step;

/// Whether a transaction is signed, or what is wrong with it.
pub(crate) type Verdict = Result<bool, String>;

/// What is known of principals and transactions; forgotten when a transaction names a principal.
#[derive(Default)]
pub(crate) struct Verdicts(Mutex<Known>);

#[derive(Default)]
struct Known {
    principals: Option<Arc<Principals>>,
    transactions: HashMap<u64, Verdict>,
    /// The facts of a relation at a transaction, for the few that were asked for last.
    attested: BTreeMap<(Symbol, u64), Arc<Vec<Attested>>>,
}

/// So many relations are remembered.
const REMEMBERED: usize = 32;

impl Verdicts {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A fact that holds in a ledger that demands signatures, and who says it how surely.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attested {
    /// The fact.
    pub fact: Fact,
    /// The transaction that asserted it.
    pub tx: u64,
    /// Who says it: the author, somebody whose words the author brings, or a rule.
    pub author: String,
    /// Whether an effect asserted it; the author is the rule then.
    pub by_rule: bool,
    /// The instants that it may hold: the clock of the transaction, or its time; for the words of others from the time
    /// of the transaction before on.
    pub instants: (i64, i64),
    /// What is wrong with its signature.
    pub fault: Option<String>,
}

/// A transaction as its signature concerns it.
pub(crate) struct Judged<'w> {
    pub(crate) number: u64,
    /// The hash of the record before it.
    pub(crate) previous: Hash,
    pub(crate) contents: Vec<&'w [u8]>,
    pub(crate) summary: &'w Summary,
    /// The principals that it names.
    pub(crate) named: &'w [Fact],
    /// Whether it retracts any.
    pub(crate) retracts: bool,
}

/// The keys of the first principals, of whom `author` has to be an administrator.
pub(super) fn first(tx: u64, named: &[Fact], author: &str) -> Result<Vec<PublicKey>, String> {
    let mut principals = Principals { since: Some(tx), ..Principals::default() };
    principals.take(tx, named)?;
    if principals.has(author, ADMIN, tx) {
        return Ok(principals.keys(author, tx));
    }
    Err(format!("the first principal is an administrator: `{author}` needs the role `{ADMIN}`"))
}

/// Whether a transaction is signed as it has to be.
pub(crate) fn judge(principals: &Principals, judged: &Judged<'_>) -> Verdict {
    let Judged { number, summary, named, .. } = *judged;
    let author = &summary.author;
    if judged.retracts {
        return Err(String::from("it retracts a principal, which is only revoked"));
    }
    let demanded = principals.since.is_some_and(|since| since < number);
    let keys = match (demanded, named.is_empty()) {
        (true, _) => principals.keys(author, number - 1),
        (false, true) => Vec::new(),
        (false, false) => first(number, named, author)?,
    };
    let signed = match (&summary.signature, keys.is_empty()) {
        (None, false) => return Err(format!("the signature of `{author}` is missing")),
        (None, true) if !named.is_empty() => {
            return Err(String::from("it names a principal and is not signed by one"));
        }
        (Some(signature), false) => {
            let signed = unsigned(judged)?;
            let message = message(number, judged.previous, signed.iter().map(Vec::as_slice));
            if !keys.iter().any(|key| key.holds(&message, signature)) {
                return Err(format!("the signature of `{author}` is wrong"));
            }
            true
        }
        (signature, true) => match principals.revoked(author, number.saturating_sub(1)) {
            Some(tx) => return Err(format!("the key of `{author}` was revoked in transaction {tx}")),
            None if signature.is_some() => return Err(format!("`{author}` signs and is not a principal")),
            None => false,
        },
    };
    if demanded && !named.is_empty() && !principals.has(author, ADMIN, number - 1) {
        return Err(format!("`{author}` names a principal without the role `{ADMIN}`"));
    }
    named.iter().try_for_each(|fact| fits(principals, number, fact))?;
    Ok(signed)
}

/// Whether a principal may be named so: a name has one key at a time, and a key that was revoked stays so.
fn fits(principals: &Principals, number: u64, fact: &Fact) -> Result<(), String> {
    let said = grant(number, fact)?;
    let before = number.saturating_sub(1);
    let list = principals.list(before);
    let known = list.iter().find(|known| known.name == said.name && known.key == said.key);
    if said.role == REVOKED {
        return known.map(drop).ok_or_else(|| format!("`{}` has no such key", said.name));
    }
    if known.is_some_and(|known| known.revoked.is_some()) {
        return Err(format!("that key of `{}` was revoked", said.name));
    }
    match principals.keys(&said.name, before).as_slice() {
        [] => Ok(()),
        keys if keys.contains(&said.key) => Ok(()),
        _ => Err(format!("`{}` has another key, which is not revoked", said.name)),
    }
}

/// The contents of a transaction with zeros for the signature, which is the last of its summary.
fn unsigned(judged: &Judged<'_>) -> Result<Vec<Vec<u8>>, String> {
    let mut contents: Vec<Vec<u8>> = judged.contents.iter().map(|content| content.to_vec()).collect();
    let commit = contents.last_mut().ok_or("the transaction has no records")?;
    let mut reader = Reader::new(commit);
    Summary::decode(&mut reader).map_err(|malformed| malformed.to_string())?;
    let end = commit.len() - reader.rest().len();
    let place = end.checked_sub(64).and_then(|start| commit.get_mut(start..end));
    place.ok_or("the signature is cut off")?.fill(0);
    Ok(contents)
}

/// A transaction read as far as its signature, and one relation, is concerned.
struct Parsed {
    summary: Summary,
    named: Vec<Fact>,
    retracts: bool,
    /// The facts asserted of the relation.
    asserted: BTreeSet<Fact>,
}

impl Parsed {
    fn new(whole: &Whole, relation: Option<Symbol>) -> Result<Self, Malformed> {
        let mut parsed = Self {
            summary: Summary::default(),
            named: Vec::new(),
            retracts: false,
            asserted: BTreeSet::new(),
        };
        for (at, content) in whole.contents.iter().enumerate() {
            let mut reader = Reader::new(content);
            if at + 1 == whole.contents.len() {
                parsed.summary = Summary::decode(&mut reader)?;
            }
            let mut failed = Ok(());
            decode_changes(&mut reader, &mut |change| {
                let names = change.relation.as_str() == PRINCIPAL;
                if !names && Some(change.relation) != relation {
                    return;
                }
                match (change.act, change.fact()) {
                    (_, Err(malformed)) => failed = Err(malformed),
                    (Act::Assert, Ok(fact)) if names => parsed.named.push(fact),
                    (Act::Assert, Ok(fact)) => drop(parsed.asserted.insert(fact)),
                    (Act::Retract { .. }, Ok(_)) => parsed.retracts |= names,
                    _ => {}
                }
            })?;
            failed?;
        }
        Ok(parsed)
    }

    fn judge(&self, principals: &Principals, whole: &Whole) -> Verdict {
        judge(
            principals,
            &Judged {
                number: whole.number,
                previous: whole.previous,
                contents: whole.contents.iter().map(Vec::as_slice).collect(),
                summary: &self.summary,
                named: &self.named,
                retracts: self.retracts,
            },
        )
    }
}

impl Ledger {
    /// The principals that the ledger knows.
    ///
    /// # Errors
    /// If base or journal can't be read.
    pub fn principals(&self) -> Result<Arc<Principals>, LedgerError> {
        let known = self.verdicts.known().principals.clone();
        if let Some(principals) = known {
            return Ok(principals);
        }
        let mut principals = Principals::default();
        for tx in self.naming()? {
            let whole = self.whole(tx)?;
            let parsed = Parsed::new(&whole, None)?;
            let verdict = parsed.judge(&principals, &whole).and_then(|signed| match signed {
                true => principals.take(tx, &parsed.named),
                false => Err(String::from("it is not signed")),
            });
            principals.faults.extend(verdict.err().map(|fault| (tx, fault)));
            principals.since = principals.since.or(Some(tx));
        }
        let principals = Arc::new(principals);
        self.verdicts.known().principals = Some(Arc::clone(&principals));
        Ok(principals)
    }

    /// The transactions that name principals, whatever became of the facts.
    fn naming(&self) -> Result<BTreeSet<u64>, LedgerError> {
        let mut all = BTreeSet::new();
        let Some(number) = self.state.number(Symbol::new(PRINCIPAL)) else { return Ok(all) };
        for row in Rows::new(&self.view, &keys::relation(keys::FACT, number), None) {
            all.insert(row?.from);
        }
        for entry in self.view.prefix(&keys::relation(keys::PAST_FACT, number)) {
            let row = past_row(&self.view, &entry?)?;
            all.extend(std::iter::once(row.from).chain(row.until));
        }
        Ok(all)
    }

    /// Forgets what was known of principals.
    pub(crate) fn forget_principals(&self) {
        *self.verdicts.known() = Known::default();
    }

    /// Whether a transaction is signed, or what is wrong with its signature, in words.
    ///
    /// # Errors
    /// If base or journal can't be read.
    pub fn is_signed(&self, tx: u64) -> Result<Result<bool, String>, LedgerError> {
        let principals = self.principals()?;
        if !principals.demand_signatures() {
            return Ok(Ok(false));
        }
        if let Some(known) = self.verdicts.known().transactions.get(&tx) {
            return Ok(known.clone());
        }
        let whole = self.whole(tx)?;
        let verdict = Parsed::new(&whole, None)?.judge(&principals, &whole);
        let mut known = self.verdicts.known();
        known.transactions.insert(tx, verdict.clone());
        Ok(verdict)
    }

    /// What `verify` finds wrong with the signature of a transaction.
    pub(crate) fn unsigned(&self, whole: &Whole) -> Result<Option<String>, LedgerError> {
        let principals = self.principals()?;
        let parsed = Parsed::new(whole, None)?;
        let number = whole.number;
        let mut fault = parsed.judge(&principals, whole).err();
        if principals.since().is_some_and(|since| since < number) {
            for said in &parsed.summary.said {
                let wrong = self.said_fault(said, number, whole.previous)?;
                fault = fault.or(wrong);
            }
        }
        Ok(fault.map(|fault| format!("transaction {number}: {fault}")))
    }

    /// The facts of a relation that held at a moment, with who says each and whether its signature holds, as the
    /// journal has them.
    ///
    /// # Errors
    /// If there is no such transaction, or base or journal can't be read.
    pub fn attested(&self, relation: Symbol, when: When) -> Result<Arc<Vec<Attested>>, LedgerError> {
        let place = (relation, self.tx_when(when)?);
        if let Some(known) = self.verdicts.known().attested.get(&place) {
            return Ok(Arc::clone(known));
        }
        let all = Arc::new(self.attest_all(relation, when)?);
        let mut known = self.verdicts.known();
        if known.attested.len() >= REMEMBERED {
            known.attested.clear();
        }
        known.attested.insert(place, Arc::clone(&all));
        Ok(all)
    }

    fn attest_all(&self, relation: Symbol, when: When) -> Result<Vec<Attested>, LedgerError> {
        let mut by_tx: BTreeMap<u64, Vec<Fact>> = BTreeMap::new();
        for row in self.facts_at(relation, when)? {
            let (fact, tx) = row?;
            by_tx.entry(tx).or_default().push(fact);
        }
        let mut all = Vec::new();
        for (tx, facts) in by_tx {
            let whole = self.whole(tx)?;
            let parsed = Parsed::new(&whole, Some(relation))?;
            let verdict = self.is_signed(tx)?;
            let said = parsed.summary.said.iter().map(|said| (&said.fact, said)).collect();
            for fact in facts {
                all.push(self.attest(fact, (&whole, &parsed), &said, &verdict)?);
            }
        }
        all.sort_by(|one, other| one.fact.cmp(&other.fact));
        Ok(all)
    }

    fn attest(
        &self,
        fact: Fact,
        (whole, Parsed { summary, asserted, .. }): (&Whole, &Parsed),
        said: &BTreeMap<&Fact, &Said>,
        verdict: &Verdict,
    ) -> Result<Attested, LedgerError> {
        let (tx, instant) = (whole.number, summary.clock.unwrap_or(summary.time));
        let rule = step::asserting(summary.steps.as_deref().unwrap_or_default(), &fact);
        let said = said.get(&fact).copied();
        let unsigned = |author: &str| format!("transaction {tx} of `{author}` is not signed");
        let mut fault = match (verdict, said) {
            (Err(fault), _) => Some(format!("transaction {tx}: {fault}")),
            (Ok(_), Some(said)) => self.said_fault(said, tx, whole.previous)?,
            (Ok(false), None) => Some(unsigned(&summary.author)),
            (Ok(true), None) => None,
        };
        if !asserted.contains(&fact) {
            fault = Some(format!("transaction {tx} does not assert it"));
        }
        let by_rule = rule.is_some();
        let since = if said.is_some() && tx > 1 { self.info(tx - 1)?.time } else { instant };
        let author = match (rule, said) {
            (Some((_, change)), _) => change.rule.clone(),
            (None, Some(said)) => said.author.clone(),
            (None, None) => summary.author.clone(),
        };
        Ok(Attested { fact, tx, author, by_rule, instants: (since.min(instant), instant), fault })
    }

    /// What is wrong with the signature of a fact that somebody else brings in transaction `tx`.
    pub(crate) fn said_fault(
        &self,
        said: &Said,
        tx: u64,
        previous: Hash,
    ) -> Result<Option<String>, LedgerError> {
        let Said { fact, author, signature } = said;
        let Some(signature) = signature else {
            return Ok(Some(format!("`{author}` did not sign `{fact}`")));
        };
        let keys = self.principals()?.keys(author, tx.saturating_sub(1));
        let message = fact_message(previous, author, fact);
        if keys.iter().any(|key| key.holds(&message, signature)) {
            return Ok(None);
        }
        Ok(Some(format!("the signature of `{author}` does not hold for `{fact}` in this place")))
    }
}
