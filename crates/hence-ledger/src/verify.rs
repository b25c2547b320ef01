//! Proving the ledger: the chain and the recorded states of the journal, and the base against them.

use hence_core::meter;

use super::admit;
use super::base::MemoryBase;
use super::content::{Act, each_change, member};
use super::error::LedgerError;
use super::hash::{Digest, Hash};
use super::journal::End;
use super::keys;
use super::lock::Closed;
use super::plan::Since;
use super::rows::Rows;
use super::scan::Whole;
use super::schemas;
use super::state::State;
use super::view::View;
use super::{Based, Ledger};

/// What is said to be done where a limit is reached here.
const VERIFYING: &str = "checking the chain";

/// A ledger that was found sound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// How many transactions were checked.
    pub transactions: u64,
    /// Current facts.
    pub facts: u64,
    /// Decisions in force.
    pub decisions: u64,
    /// The hash of the last transaction.
    pub head: Hash,
    /// What the base holds otherwise than the journal; empty if nothing.
    pub differences: Vec<String>,
    /// The last transaction that a snapshot covers, and whether the segments before it were there to prove it.
    pub archived: Option<(u64, bool)>,
}

/// About how many bytes a change takes in a record.
const CHANGE: usize = 32;

/// What a transaction retracts or lets lapse, as holding since another transaction than it does.
fn undated(whole: &Whole, state: &State, view: &View) -> Result<Vec<String>, LedgerError> {
    let mut found = Vec::new();
    let count = whole.contents.iter().map(Vec::len).sum::<usize>() / CHANGE;
    let mut facts = Since::new(state, view, keys::FACT, count);
    let mut decisions = Since::new(state, view, keys::DECISION, count);
    let mut failed = Ok(());
    each_change(&whole.contents, &mut |change| {
        let (since, said) = match change.act {
            Act::Retract { since } => (&mut facts, since),
            Act::Lapse { since, .. } => (&mut decisions, since),
            Act::Assert | Act::Draw { .. } => return,
        };
        match since.find(change.relation, change.tuple) {
            Ok(since) if since == Some(said) => {}
            Ok(_) => found.push(format!(
                "transaction {} ends a fact or decision of `{}` that does not come from transaction {said}",
                whole.number, change.relation
            )),
            Err(error) => failed = Err(error),
        }
    })?;
    failed?;
    Ok(found)
}

impl Ledger {
    /// Reads the whole journal again, checks every hash and every recorded state, and compares the base with what
    /// follows.
    ///
    /// # Errors
    /// At the first damage of the journal, with its place.
    pub fn verify(&self) -> Result<Verified, LedgerError> {
        self.verify_each(&mut |_| {})
    }

    /// The same; `reached` hears of each transaction.
    ///
    /// # Errors
    /// As [`Ledger::verify`], and a limit that was reached.
    pub fn verify_each(&self, reached: &mut dyn FnMut(u64)) -> Result<Verified, LedgerError> {
        meter::enter(VERIFYING);
        let mut state = State::default();
        let mut view = View::new(Box::new(MemoryBase::default()));
        let last = self.state.tx;
        let beside = self.beside_table()?;
        let whole = beside.as_ref().unwrap_or(self);
        let (mut snapshot, mut differences) = (None, whole.misplaced()?);
        if let Some(held) = self.journal.snapshot {
            let (began, hash) = self.journal.load_snapshot(held, &mut view, self.backlog_limit)?;
            snapshot = Some((began.tx, hash));
            state = began;
        }
        if last > state.tx {
            self.journal.scan(self.journal.beginning(), &mut |whole| {
                reached(whole.number);
                meter::check(VERIFYING)?;
                self.journal.check_named(snapshot, &whole)?;
                differences.extend(undated(&whole, &state, &view)?);
                differences.extend(self.unsigned(&whole)?);
                differences.extend(schemas::faults(&whole, &state)?);
                super::join::apply(&self.journal, &mut view, &mut state, &whole, self.backlog_limit)?;
                differences.extend(admit::faults(&whole)?);
                Ok(whole.number < last)
            })?;
        }
        if state.tx < last {
            return Err(LedgerError::NoTransaction { asked: last, last: state.tx });
        }
        if whole.based == Based::Base {
            differences.extend(whole.differences("base", &state, &view)?);
        }
        if self.based == Based::Table {
            differences.extend(self.differences("table", &state, &view)?);
        }
        differences.extend(
            schemas::misfits(&state, &view)?
                .into_iter()
                .map(|relation| format!("a fact of `{relation}` does not have its recorded columns")),
        );
        let archived = match snapshot {
            Some((tx, hash)) => {
                let proven = self.archive_leads_to(hash)?;
                if proven == Some(false) {
                    differences.push(String::from("the snapshot differs from the archived segments"));
                }
                Some((tx, proven.is_some()))
            }
            None => None,
        };
        let (transactions, facts, decisions, head) = (state.tx, state.facts, state.decisions, state.head);
        Ok(Verified { transactions, facts, decisions, head, differences, archived })
    }

    /// What is wrong around the journal: a base that can't be used, an end that isn't the one it was closed with.
    pub(super) fn misplaced(&self) -> Result<Vec<String>, LedgerError> {
        let mut found = Vec::new();
        if let Some(fault) = self.left.fault.filter(|_| self.state.tx > 0) {
            let lock = self.lock_path();
            found.push(format!(
                "{} {fault}, so the state of the ledger is unknown; `hence rebuild` rewrites it",
                lock.display()
            ));
        }
        if let Based::Unfit(why) = &self.based {
            found.push(format!("the fact base can't be used: {why}"));
        }
        if let Closed::At(End { tx, head }) = self.left.closed
            && (1..=self.state.tx).contains(&tx)
        {
            let here = self.info(tx)?.hash;
            if here != head {
                found.push(format!(
                    "the ledger was closed with transaction {tx} as {head}, but contains {here}"
                ));
            }
        }
        Ok(found)
    }

    /// The transaction with this hash: a head that somebody wrote down is in the chain, or the ledger is another.
    ///
    /// # Errors
    /// If the base can't be read.
    pub fn tx_of(&self, hash: Hash) -> Result<Option<u64>, LedgerError> {
        for info in self.log(1..=self.state.tx).rev() {
            let info = info?;
            if info.hash == hash {
                return Ok(Some(info.tx));
            }
        }
        Ok(None)
    }

    /// How the base, or its table, and what it says of itself differ from what the journal gives.
    fn differences(&self, base: &str, state: &State, view: &View) -> Result<Vec<String>, LedgerError> {
        let mut differences = Vec::new();
        if self.state.head != state.head {
            let (follows, ends) = (self.state.head, state.head);
            differences.push(format!("the {base} follows {follows}, the journal ends with {ends}"));
        }
        let mut here = self.view.range(vec![0], vec![u8::MAX]);
        let mut there = view.range(vec![0], vec![u8::MAX]);
        loop {
            let (ours, theirs) = (here.next().transpose(), there.next().transpose()?);
            match ours {
                Ok(ours) if ours == theirs && ours.is_none() => break,
                Ok(ours) if ours == theirs => {}
                Ok(ours) => {
                    differences.extend(ours.or(theirs).map(|(key, _)| differing(base, &key)));
                    break;
                }
                Err(error) => {
                    differences.push(error.to_string());
                    break;
                }
            }
        }
        Ok(differences)
    }
}

/// What kind of entry it is in which base, or table, and journal differ first.
fn differing(base: &str, key: &[u8]) -> String {
    let kind = match key.first().copied() {
        Some(keys::FACT) => "the current facts",
        Some(keys::PAST_FACT) => "the past facts",
        Some(keys::DECISION) => "the current decisions",
        Some(keys::PAST_DECISION) => "the past decisions",
        Some(keys::TRANSACTION) => "the transactions",
        Some(keys::RULES) => "the rule sets",
        _ => "the long values",
    };
    format!("{base} and journal differ in {kind}")
}

/// Whether the facts and decisions in `view` are those whose digest `state` records.
pub(crate) fn base_agrees(view: &View, state: &State) -> Result<bool, LedgerError> {
    let mut digest = Digest::default();
    let mut scratch = Vec::new();
    for (name, counts) in &state.relations {
        for (kind, section) in [(0, keys::FACT), (1, keys::DECISION)] {
            for row in Rows::new(view, &keys::relation(section, counts.number), None) {
                digest.add(member(kind, name.as_str(), &row?.tuple, &mut scratch));
            }
        }
    }
    Ok(digest == state.digest)
}
