//! A session whose ledger is lent to others: it gives the ledger up, and later takes in what they recorded, at a cost
//! that follows what they changed.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use hence_core::fact::Fact;
use hence_core::schema::{Kind, RelationId};
use hence_ledger::{Hash, Ledger, Notice, Transaction, TxInfo};
use hence_proof::proof::FactPattern;

use super::effects::{Extents, Held, HeldAt, SameRules, decides, has_effects};
use super::error::SessionError;
use super::evaluation;
use super::fitting::Lens;
use super::follow::all_changes;
use super::incremental::{IncrementalState, MaintainedAt};
use super::ledger_facts::{LensNow, Recording};
use super::maintained::{Edits, Maintained, Turned};
use super::memory::FactSet;
use super::{Decisions, Memory, RuleSet, Session, Store};

/// A session whose ledger is closed, so that another process may write to it.
pub struct Lent {
    /// Without its ledger.
    session: Session,
    /// The last transaction that it knows, and its hash.
    last: (u64, Hash),
}

/// What others recorded since the last commit of a session.
#[derive(Default)]
pub(super) struct Others {
    /// What it turned of the decisions.
    turned: Turned,
    /// The decisions that they drew or let lapse.
    decisions: BTreeSet<Fact>,
}

/// What is kept up to date, as [`Held`] looks at it for the first time.
struct Now<'a> {
    rules: &'a RuleSet,
    kept: &'a Maintained,
}

impl Extents for Now<'_> {
    fn facts(&self, relation: RelationId) -> BTreeSet<Fact> {
        self.kept.facts(&self.rules.program, relation).collect()
    }

    fn changes(&self, _: RelationId) -> Option<Vec<(Fact, bool)>> {
        None
    }

    fn open(&self, relation: RelationId) -> &[FactPattern] {
        evaluation::open_of(self.kept.undetermined(), relation)
    }
}

impl Session {
    /// Closes the ledger for as long as others write to it, and says what came of that; a session without a ledger has
    /// nothing to lend, and is given back.
    ///
    /// # Errors
    /// The session, where it has no ledger.
    pub fn lend(mut self) -> Result<(Lent, Vec<Notice>), Box<Self>> {
        let nothing = Memory { facts: FactSet::new(Vec::new()), decisions: Decisions::default() };
        match std::mem::replace(&mut self.store, Store::Memory(nothing)) {
            Store::Ledger(ledger) => {
                let last = (ledger.last_tx(), ledger.head());
                Ok((Lent { session: self, last }, ledger.close()))
            }
            memory @ Store::Memory(_) => {
                self.store = memory;
                Err(Box::new(self))
            }
        }
    }

    /// Takes in what the writer of its ledger, which this session only reads, has recorded since, up to transaction `to`:
    /// what is kept is brought up to date at a cost that follows what changed.
    ///
    /// # Errors
    /// As [`Ledger::follow`]; a session without a ledger has nothing to follow.
    pub fn follow(&mut self, to: u64) -> Result<(), SessionError> {
        let from = self.last_tx();
        let Store::Ledger(ledger) = &mut self.store else { return Ok(()) };
        if from >= to {
            return Ok(());
        }
        ledger.follow(to)?;
        let has_schemas =
            (from + 1..=to).any(|tx| !ledger.info(tx).is_ok_and(|info| info.schemas.is_empty()));
        if has_schemas {
            self.lens = LensNow::default();
        }
        self.clock = None;
        self.catch_up(from);
        if let IncrementalState::Maintained(kept) = &mut self.incremental {
            // A session that only reads draws nothing beside what others recorded.
            kept.others = None;
        }
        Ok(())
    }

    /// Takes in what others recorded after transaction `from`; what can't be brought up to date is worked out again by
    /// the next commit.
    fn catch_up(&mut self, from: u64) {
        if self.last_tx() == from {
            return;
        }
        let kept = std::mem::take(&mut self.incremental);
        self.incremental = match kept {
            IncrementalState::New => IncrementalState::New,
            IncrementalState::Maintained(kept) if kept.tx == from => match self.taken_over(kept) {
                Ok(Some(kept)) => IncrementalState::Maintained(kept),
                Ok(None) | Err(_) => IncrementalState::Once,
            },
            IncrementalState::Once | IncrementalState::Maintained(_) => IncrementalState::Once,
        };
    }

    /// What is kept, with everything in that was recorded since; `None` where only a look at all facts tells.
    fn taken_over(&mut self, mut kept: Box<MaintainedAt>) -> Result<Option<Box<MaintainedAt>>, SessionError> {
        let Store::Ledger(ledger) = &self.store else { return Ok(None) };
        let (from, last) = (kept.tx, ledger.last_tx());
        let decided = self.last_decided(ledger)?.filter(|info| info.tx > from);
        let clock = decided.as_ref().and_then(|info| info.clock).unwrap_or(kept.incremental.now());
        let middle = decided.as_ref().map_or(from, |info| info.tx);
        if !self.take_span(&mut kept, from + 1..=middle, clock)? {
            return Ok(None);
        }
        let held = decided.map(|info| self.held_at(&kept.incremental, &info));
        if !self.take_span(&mut kept, middle + 1..=last, clock)? {
            return Ok(None);
        }
        if let Some(held) = held {
            self.effects = held;
        }
        kept.tx = last;
        Ok(Some(kept))
    }

    /// Takes transactions over, which are evaluated at `clock`; whether that is possible.
    fn take_span(
        &self,
        kept: &mut MaintainedAt,
        span: RangeInclusive<u64>,
        clock: i64,
    ) -> Result<bool, SessionError> {
        let Store::Ledger(ledger) = &self.store else { return Ok(false) };
        if span.is_empty() {
            return Ok(true);
        }
        let lens = self.lens(ledger)?;
        let (mut edits, mut decisions) = (Edits::default(), BTreeSet::new());
        for tx in span {
            let transaction = ledger.transaction(tx)?;
            if !reads_plainly(&lens, &transaction) {
                return Ok(false);
            }
            for (fact, stands) in all_changes(&transaction) {
                kept.incremental.edit(&self.rules, &mut edits, fact, stands);
            }
            decisions.extend(transaction.drawn.into_iter().map(|decision| decision.fact));
            decisions.extend(transaction.lapsed.into_iter().map(|(lapsed, _)| lapsed.fact));
        }
        let turned = kept.incremental.advance(&self.rules, edits, clock, self.lenient)?;
        let others = kept.others.take().unwrap_or_default();
        kept.others = Some(others.then(turned, decisions));
        Ok(true)
    }

    /// What effects hold after a transaction of others with which what is kept is up to date; `None` where only its own
    /// evaluation tells.
    fn held_at(&self, kept: &Maintained, info: &TxInfo) -> Option<HeldAt> {
        let same_rules = info.rules == Some(self.rules.recorded().hash());
        let same_run = info.run.as_ref().is_some_and(|run| run.lenient == self.lenient);
        if !has_effects(&self.rules.checked) || !decides(info) || !same_rules || !same_run {
            return None;
        }
        let now = Now { rules: &self.rules, kept };
        let mut held = SameRules::default();
        held.turn(&self.rules.checked, &now);
        (!held.is_open()).then_some(HeldAt { tx: info.tx, held: Held::Same(held) })
    }

    /// What a commit turned beside what is recorded, where others recorded something since the last one.
    pub(super) fn beside_others(
        &self,
        kept: &mut MaintainedAt,
        turned: Turned,
    ) -> Result<Turned, SessionError> {
        let (Some(others), Some(ledger)) = (kept.others.take(), self.ledger()) else { return Ok(turned) };
        let program = &self.rules.program;
        let turned = others.turned.then(turned).settle(program);
        let all = turned.drawn.into_iter().chain(turned.lapsed).chain(others.decisions);
        let is_settled = |fact: &Fact| turned.settled.iter().any(|id| program[*id].name == fact.relation);
        let all: BTreeSet<Fact> = all.filter(|fact| !is_settled(fact)).collect();
        let (mut drawn, mut lapsed) = (Vec::new(), Vec::new());
        for fact in all {
            match (self.is_drawn(&kept.incremental, &fact), ledger.is_in_force(&fact)?) {
                (true, false) => drawn.push(fact),
                (false, true) => lapsed.push(fact),
                _ => {}
            }
        }
        Ok(Turned { drawn, lapsed, settled: turned.settled })
    }

    fn is_drawn(&self, kept: &Maintained, fact: &Fact) -> bool {
        let program = &self.rules.program;
        let relation = program.find(fact.relation).map(|id| &program[id]);
        let decides = relation.is_some_and(|it| it.kind == Kind::Decision && evaluation::fits(it, fact));
        decides && kept.follows(fact)
    }
}

impl Lent {
    /// The session with its ledger opened again, and with everything in that others recorded meanwhile.
    ///
    /// # Errors
    /// The ledger lacks transactions that it had; it can't be read.
    pub fn resume(self, ledger: Ledger) -> Result<Session, SessionError> {
        let Self { mut session, last: (tx, head) } = self;
        if ledger.last_tx() < tx {
            let found = ledger.last_tx();
            let message =
                format!("the ledger ended with transaction {tx} when it was lent, and ends with {found} now");
            return Err(SessionError::Unknown { message });
        }
        let is_same = tx == 0 || ledger.info(tx)?.hash == head;
        let recorded = (tx + 1..=ledger.last_tx()).map(|tx| ledger.info(tx));
        let has_schemas = recorded.into_iter().any(|info| !info.is_ok_and(|info| info.schemas.is_empty()));
        if ledger.last_tx() != tx {
            session.clock = None;
        }
        session.store = Store::Ledger(Box::new(Recording::new(ledger)));
        if has_schemas || !is_same {
            session.lens = LensNow::default();
        }
        if is_same {
            session.catch_up(tx);
        } else {
            // The chain is another one, as after a salvage.
            session.incremental = IncrementalState::default();
            session.effects = None;
        }
        Ok(session)
    }
}

impl Others {
    fn then(self, turned: Turned, decisions: BTreeSet<Fact>) -> Self {
        let mut all = self.decisions;
        all.extend(decisions);
        Self { turned: self.turned.then(turned), decisions: all }
    }
}

/// Whether the facts that a transaction brought and removed are read as they are recorded.
fn reads_plainly(lens: &Lens, transaction: &Transaction) -> bool {
    let renews = transaction.info.schemas.iter().any(|schema| schema.renews);
    let is_plain =
        |fact: &Fact| lens.fit(fact.relation).is_none_or(|fit| fit.is_settled && fit.recast.is_plain());
    !renews && all_changes(transaction).all(|(fact, _)| is_plain(fact))
}
