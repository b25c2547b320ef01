//! The outbox of a ledger: decisions in force that have a carrier, and what was noted of them and of others.

use std::collections::BTreeMap;

use hence_core::fault::OrBroken;
use hence_core::symbol::Symbol;
use hence_ledger::{Decision, LedgerError};
use hence_runtime::{EntryNote, OutboxEntry, RELATION, State};
use hence_session::{CommitOutcome, DecisionId, Session, SessionError};

use super::super::{Failure, open};
use super::ways::Ways;

/// An entry that is open.
pub(super) struct Item {
    /// The decision.
    pub(super) decision: Decision,
    /// What was noted of it.
    pub(super) entry: OutboxEntry,
    /// How many decisions were carried out in a row that led to it.
    pub(super) chain: usize,
    /// Whether nothing is left to be done.
    pub(super) is_over: bool,
}

/// The entries that are open, by the ids of their decisions.
#[derive(Default)]
pub(super) struct Outbox {
    pub(super) open: BTreeMap<DecisionId, Item>,
}

impl Outbox {
    /// The open entries of a ledger.
    pub(super) fn read(session: &Session, ways: &Ways) -> Result<Self, Failure> {
        let mut noted = entries(session)?;
        let mut outbox = Self::default();
        for (id, decision) in session.in_force(&|relation| ways.get(relation).is_some())? {
            outbox.add(ways, id, decision, noted.remove(&id).unwrap_or_default(), 0);
        }
        for (id, entry) in noted {
            if !entry.last.as_ref().is_some_and(|last| last.mark.is_end()) {
                // One that only an archive has that is not here lapsed, so there is nothing to be carried out.
                if let Some(decision) = drawn_as(session, id)? {
                    outbox.add(ways, id, decision, entry, 0);
                }
            }
        }
        Ok(outbox)
    }

    /// Takes in what was drawn; the ids of what is to be carried out of it.
    pub(super) fn draw(&mut self, ways: &Ways, decided: &CommitOutcome, chain: usize) -> Vec<DecisionId> {
        let mut added = Vec::new();
        for decision in &decided.drawn {
            if ways.get(decision.fact.relation).is_some() {
                let id = decided.id(&decision.fact);
                let id = id.or_broken("what was drawn to be carried out is recorded");
                self.add(ways, id, decision.clone(), OutboxEntry::default(), chain);
                added.push(id);
            }
        }
        added
    }

    fn add(&mut self, ways: &Ways, id: DecisionId, decision: Decision, entry: OutboxEntry, chain: usize) {
        let way = ways.get(decision.fact.relation);
        if way.is_some_and(|way| !entry.state(&way.policy).is_end()) {
            self.open.insert(id, Item { decision, entry, chain, is_over: false });
        }
    }

    /// How many decisions were carried out in a row that led to this one.
    pub(super) fn chain(&self, id: DecisionId) -> usize {
        self.open.get(&id).map_or(0, |item| item.chain)
    }

    /// Leaves out what is over; what led to the rest was of this time.
    pub(super) fn close(&mut self) {
        self.open.retain(|_, item| !item.is_over);
        self.open.values_mut().for_each(|item| item.chain = 0);
    }
}

/// The decision with an id; `None` where only an archive that is not here has it.
pub(super) fn drawn_as(session: &Session, id: DecisionId) -> Result<Option<Decision>, Failure> {
    match session.drawn_as(id) {
        Err(SessionError::Ledger(LedgerError::Archived { .. })) => Ok(None),
        found => Ok(Some(found?)),
    }
}

/// All notes of a ledger, by decision, in the order in which they were made; each with its transaction.
pub(super) fn notes(session: &Session) -> Result<BTreeMap<DecisionId, Vec<(u64, EntryNote)>>, Failure> {
    let ledger = session.ledger().or_broken("an outbox is one of a ledger");
    let mut all: BTreeMap<DecisionId, Vec<(u64, EntryNote)>> = BTreeMap::new();
    for found in ledger.facts(Symbol::new(RELATION)) {
        let (fact, tx) = found.map_err(open::failure)?;
        let read = EntryNote::read(&fact).and_then(|(id, note)| Some((id.as_str().parse().ok()?, note)));
        let (id, note): (DecisionId, EntryNote) =
            read.ok_or_else(|| Failure::Usage(format!("`{fact}` is not a note of the outbox")))?;
        all.entry(id).or_default().push((tx, note));
    }
    all.values_mut().for_each(|notes| notes.sort_by_key(|(tx, _)| *tx));
    Ok(all)
}

/// What the notes of a ledger come to.
pub(super) fn entries(session: &Session) -> Result<BTreeMap<DecisionId, OutboxEntry>, Failure> {
    let fold = |notes: Vec<(u64, EntryNote)>| {
        let mut entry = OutboxEntry::default();
        notes.into_iter().for_each(|(_, note)| entry.take(note));
        entry
    };
    Ok(notes(session)?.into_iter().map(|(id, notes)| (id, fold(notes))).collect())
}

/// The state of an entry for people: one that is open, and whose decision lapsed, is as good as cancelled.
pub(super) fn shown(state: State, stands: bool) -> State {
    match state {
        State::Due | State::Begun | State::Failed | State::Waiting if !stands => State::Cancelled,
        state => state,
    }
}
