//! Why a decision that stood lapses: the rules have it no longer, facts changed that it rests on, or time passed.

use std::collections::BTreeSet;

use hence_core::fact::Fact;
use hence_core::schema::{Kind, Relation, RelationId};
use hence_core::symbol::Symbol;
use hence_lang::ir::Program;
use hence_ledger::{EffectRound, Hash, Lapsed, Ledger, LedgerError, TxInfo};

use super::error::SessionError;
use super::evaluation;
use super::outcome::CommitOutcome;
use super::{Session, Store};

/// So many relations are named at most.
const NAMED: usize = 3;

/// The decisions of a program by name.
pub(super) struct DecisionRelations<'p>(&'p Program);

impl<'p> DecisionRelations<'p> {
    /// Those that `program` declares.
    pub(super) fn new(program: &'p Program) -> Self {
        Self(program)
    }

    fn find(&self, name: Symbol) -> Option<&'p Relation> {
        self.0.relations.iter().find(|relation| relation.name == name && relation.kind == Kind::Decision)
    }

    /// Whether a decision is called so.
    pub(super) fn names(&self, name: Symbol) -> bool {
        self.find(name).is_some()
    }

    /// A decision that stood and doesn't follow, as a lapse, with the reason where the rules alone tell it.
    pub(super) fn lapsed(&self, fact: Fact) -> Lapsed {
        let reason = match self.find(fact.relation) {
            None => Some(format!("the rules no longer have the decision `{}`", fact.relation)),
            Some(relation) if !evaluation::fits(relation, &fact) => {
                Some(format!("the rules give the decision `{}` other columns", fact.relation))
            }
            Some(_) => None,
        };
        Lapsed { fact, reason }
    }
}

/// How decisions were drawn: the hash of the rules, whether leniently, and at which clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DrawnBy {
    pub(super) rules: Hash,
    pub(super) lenient: bool,
    pub(super) clock: i64,
}

impl DrawnBy {
    /// How a transaction drew them; none where it didn't.
    pub(super) fn of(info: &TxInfo) -> Option<Self> {
        let lenient = info.run.as_ref().is_some_and(|run| run.lenient);
        Some(Self { rules: info.rules?, lenient, clock: info.clock? })
    }
}

/// What changed since decisions were drawn last.
#[derive(Clone, Debug)]
pub(super) struct Since {
    before: DrawnBy,
    relations: BTreeSet<Symbol>,
    /// The last transaction of which nobody can tell here what it changed, since it is archived elsewhere.
    unseen: Option<u64>,
}

/// What the reason of a lapse says where some of what changed is archived elsewhere: before and after the number of the
/// last transaction of that.
const ARCHIVED: (&str, &str) = ("what changed by transaction ", " is archived");

/// Why decisions lapse where only that changed what becomes of undefined operations.
const LENIENT: &str = "undefined operations count as false now";
const STRICT: &str = "undefined operations no longer count as false";

/// The last archived transaction that the reason of a lapse speaks of.
pub(super) fn archived_by(reason: &str) -> Option<u64> {
    reason.strip_prefix(ARCHIVED.0)?.strip_suffix(ARCHIVED.1)?.parse().ok()
}

impl Since {
    /// Nothing, since they were drawn so.
    pub(super) fn new(before: DrawnBy) -> Self {
        Self { before, relations: BTreeSet::new(), unseen: None }
    }

    /// What the ledger holds of it.
    ///
    /// # Errors
    /// A ledger that can't be read.
    pub(super) fn recorded(ledger: &Ledger) -> Result<Option<Self>, LedgerError> {
        let last = ledger.last_where(|info| DrawnBy::of(info).is_some())?;
        let Some((tx, before)) = last.and_then(|info| Some((info.tx, DrawnBy::of(&info)?))) else {
            return Ok(None);
        };
        let mut since = Self::new(before);
        for tx in tx + 1..=ledger.last_tx() {
            match ledger.changed_relations(tx) {
                Err(LedgerError::Archived { last, .. }) => since.unseen = Some(last),
                changed => since.relations.extend(changed?),
            }
        }
        Ok(Some(since))
    }

    /// Facts came or went, or effects changed them.
    pub(super) fn change<'f>(&mut self, facts: impl IntoIterator<Item = &'f Fact>, steps: &[EffectRound]) {
        self.relations.extend(facts.into_iter().map(|fact| fact.relation));
        let changed = steps.iter().flat_map(|step| &step.changes);
        self.relations.extend(changed.map(|change| change.fact.relation));
    }

    /// The reasons of lapses under these rules.
    pub(super) fn reasons(&self, program: &Program, now: DrawnBy) -> Reasons {
        let under = |name: &Symbol| Some((*name, program.dependents(program.find(*name)?)));
        let rest = if self.before.rules != now.rules {
            Some("the rules changed")
        } else if self.before.lenient != now.lenient {
            Some(if now.lenient { LENIENT } else { STRICT })
        } else {
            (self.before.clock != now.clock).then_some("time passed")
        };
        let unseen = self.unseen.map(|last| format!("{}{last}{}", ARCHIVED.0, ARCHIVED.1));
        Reasons { changed: self.relations.iter().filter_map(under).collect(), rest, unseen }
    }
}

/// Why decisions lapse that still could follow.
pub(super) struct Reasons {
    /// The relations that changed, and what rests on each.
    changed: Vec<(Symbol, Vec<RelationId>)>,
    /// Of a decision that rests on none of them.
    rest: Option<&'static str>,
    /// Of every decision, where not all that changed can be told.
    unseen: Option<String>,
}

impl Reasons {
    /// Why a decision lapses.
    pub(super) fn of(&self, program: &Program, decision: Symbol) -> Option<String> {
        if let Some(unseen) = &self.unseen {
            return Some(unseen.clone());
        }
        let decision = program.find(decision)?;
        let changed: Vec<&Symbol> =
            self.changed.iter().filter(|(_, rest)| rest.contains(&decision)).map(|(name, _)| name).collect();
        if changed.is_empty() {
            return self.rest.map(str::to_owned);
        }
        let named: Vec<String> = changed.iter().take(NAMED).map(|name| format!("`{name}`")).collect();
        let more = match changed.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        Some(format!("{}{more} changed", named.join(", ")))
    }
}

impl Session {
    /// Gives each lapse of an outcome its reason, as far as the ledger tells what changed.
    pub(super) fn give_reasons(&self, outcome: &mut CommitOutcome, now: i64) -> Result<(), SessionError> {
        let Store::Ledger(ledger) = &self.store else { return Ok(()) };
        if outcome.lapsed.iter().all(|lapsed| lapsed.reason.is_some()) {
            return Ok(());
        }
        let Some(mut since) = Since::recorded(ledger)? else { return Ok(()) };
        since.change(outcome.changes.added.iter().chain(&outcome.changes.removed), &outcome.steps);
        let by = DrawnBy { rules: self.rules.recorded().hash(), lenient: self.lenient, clock: now };
        let reasons = since.reasons(&self.rules.program, by);
        for lapsed in outcome.lapsed.iter_mut().filter(|lapsed| lapsed.reason.is_none()) {
            lapsed.reason = reasons.of(&self.rules.program, lapsed.fact.relation);
        }
        Ok(())
    }
}
