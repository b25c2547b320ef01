//! What a session keeps between commits, so that one more costs what it changes and not what stands.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use smallvec::SmallVec;

use hence_core::fact::Fact;
use hence_core::fault::OrBroken;
use hence_core::meter;
use hence_core::schema::{Kind, RelationId};
use hence_core::symbol::Symbol;
use hence_core::value::{Value, Word};
use hence_engine::Database;
use hence_engine::{Edit, Incremental};
use hence_lang::ir::Program;
use hence_ledger::{Changes, Decision, Lapsed};
use hence_proof::{Finder, ProofCache};

use super::Session;
use super::commit::{Outcome, REASONS};
use super::error::SessionError;
use super::evaluation::{self, Evaluation};
use super::lapse::Decided;
use super::why::decision;

/// Everything that follows from the facts of a session, brought up to date commit by commit.
pub(super) struct Maintained {
    standing: Incremental,
    names: Names,
    /// What the search for reasons goes on from.
    cache: ProofCache,
    /// The clock of the last commit.
    now: i64,
    /// The decisions that the last commit left as they were.
    undetermined: BTreeSet<RelationId>,
    /// The last transaction of the ledger.
    tx: u64,
}

/// How far a session is on the way to keep what follows: one commit alone doesn't pay for it.
#[derive(Default)]
pub(super) enum IncrementalState {
    /// Nothing was committed yet.
    #[default]
    New,
    /// Something was; the next commit keeps what follows from it.
    Once,
    /// What follows is kept.
    Maintained(Box<Maintained>),
}

/// The relations of a program as commits look for them.
struct Names {
    relations: HashMap<Symbol, RelationId, ahash::RandomState>,
    /// The decisions, ascending by name.
    decisions: Vec<(Symbol, RelationId)>,
    clock: Option<RelationId>,
}

impl Names {
    fn new(program: &Program) -> Self {
        let ids = || (0u32..).map(RelationId).zip(&program.relations);
        let decided = ids().filter(|(_, relation)| relation.kind == Kind::Decision);
        let mut decisions: Vec<_> = decided.map(|(id, relation)| (relation.name, id)).collect();
        decisions.sort_unstable();
        let clock = program.find(Symbol::new("now"));
        Self { relations: ids().map(|(id, relation)| (relation.name, id)).collect(), decisions, clock }
    }

    fn is_decision(&self, relation: RelationId) -> bool {
        self.decisions.iter().any(|(_, decision)| *decision == relation)
    }
}

/// Facts that come and go, as rows one after another.
#[derive(Default)]
struct Rows {
    words: SmallVec<[Word; 16]>,
    /// The relation of each, whether it is to stand, and where its words end.
    rows: SmallVec<[(RelationId, bool, usize); 4]>,
}

impl Rows {
    fn push(&mut self, relation: RelationId, words: impl IntoIterator<Item = Word>, stands: bool) {
        self.words.extend(words);
        self.rows.push((relation, stands, self.words.len()));
    }

    fn edits(&self) -> SmallVec<[Edit<'_>; 4]> {
        let mut from = 0;
        let edit = |(relation, stands, to): &(RelationId, bool, usize)| {
            let row = self.words.get(std::mem::replace(&mut from, *to)..*to);
            let row = row.or_broken("each row ends where its words do");
            Edit { relation: *relation, row, asserted: *stands }
        };
        self.rows.iter().map(edit).collect()
    }
}

impl Session {
    /// What follows once `changes` are in, beside the decisions that stand. What is kept for the next commit is put
    /// back by the caller once everything is recorded.
    pub(super) fn advance(
        &mut self,
        changes: &Changes,
        now: i64,
    ) -> Result<(Outcome, IncrementalState), SessionError> {
        match std::mem::take(&mut self.incremental) {
            IncrementalState::Maintained(mut kept) if kept.tx == self.last_tx() => {
                self.change(&mut kept, changes, now)?;
                let outcome = self.differences(&mut kept)?;
                Ok((outcome, IncrementalState::Maintained(kept)))
            }
            IncrementalState::New => {
                let evaluation = self.evaluate_with(changes, now)?;
                Ok((self.compare(&evaluation)?, IncrementalState::Once))
            }
            IncrementalState::Once | IncrementalState::Maintained(_) => {
                let input = self.input_with(changes, now)?;
                let (kept, evaluation) = self.keep(&input, now)?;
                Ok((self.compare(&evaluation)?, IncrementalState::Maintained(Box::new(kept))))
            }
        }
    }

    /// The number of the ledger's last transaction.
    pub(super) fn last_tx(&self) -> u64 {
        self.ledger().map_or(0, hence_ledger::Ledger::last_tx)
    }

    fn keep(&self, input: &Database, now: i64) -> Result<(Maintained, Evaluation), SessionError> {
        let program = &self.rules.program;
        let limit = |reached| evaluation::limit(program, &self.rules.sources, &reached);
        let mut standing = Incremental::new(program, input, &self.limits).map_err(limit)?;
        // All facts came with this; a change of nothing puts that after, or the next commit would have to.
        standing.apply(&[]).map_err(limit)?;
        let model = standing.model();
        let undetermined = self.undetermined(&standing);
        let evaluation = Evaluation { model, undetermined: undetermined.clone() };
        let (names, cache) = (Names::new(program), ProofCache::default());
        let mut kept = Maintained { standing, names, cache, now, undetermined, tx: 0 };
        self.prepare_reasons(&mut kept);
        Ok((kept, evaluation))
    }

    /// Has the facts indexed for the reasons of decisions at once, so that no commit has to wait for that.
    fn prepare_reasons(&self, kept: &mut Maintained) {
        let finder = self.reasons_over(&kept.standing, std::mem::take(&mut kept.cache));
        let look_ups = finder.look_ups(kept.names.decisions.iter().map(|(_, id)| *id));
        kept.cache = finder.into_cache();
        for (relation, columns) in &look_ups {
            kept.standing.expect(*relation, columns);
        }
    }

    fn reasons_over<'a>(&'a self, standing: &'a Incremental, left: ProofCache) -> Finder<'a> {
        Finder::over(&self.rules.program, standing, &self.rules.sources, &self.store, left)
    }

    fn undetermined(&self, standing: &Incremental) -> BTreeSet<RelationId> {
        if self.lenient {
            return BTreeSet::new();
        }
        evaluation::undetermined(&self.rules.program, standing.undefined())
    }

    fn change(&self, kept: &mut Maintained, changes: &Changes, now: i64) -> Result<(), SessionError> {
        let program = &self.rules.program;
        let mut rows = Rows::default();
        let removed = changes.removed.iter().map(|fact| (fact, false));
        for (fact, stands) in removed.chain(changes.added.iter().map(|fact| (fact, true))) {
            let Some(relation) = kept.names.relations.get(&fact.relation).copied() else { continue };
            if evaluation::fits(&program[relation], fact) {
                rows.push(relation, fact.values.iter().map(|value| value.word()), stands);
            }
        }
        if let Some(clock) = kept.names.clock {
            rows.push(clock, [Value::Time(kept.now).word()], false);
            rows.push(clock, [Value::Time(now).word()], true);
        }
        kept.now = now;
        let edits = rows.edits();
        let _span = tracing::debug_span!("maintain", edits = edits.len()).entered();
        let applied = kept.standing.apply(&edits);
        applied.map_err(|reached| evaluation::limit(program, &self.rules.sources, &reached))
    }

    /// The decisions that the last change drew and let lapse.
    fn differences(&self, kept: &mut Maintained) -> Result<Outcome, SessionError> {
        let program = &self.rules.program;
        let undetermined = self.undetermined(&kept.standing);
        self.cross_check(&undetermined, &|id, visit| kept.standing.rows(id).for_each(visit))?;
        let is_decision = |id: &RelationId| kept.names.is_decision(*id);
        let (mut drawn, mut lapsed): (Vec<Fact>, Vec<Lapsed>) = (Vec::new(), Vec::new());
        let settled = |id: &RelationId| !undetermined.contains(id) && !kept.undetermined.contains(id);
        for id in kept.standing.changed().into_iter().filter(is_decision).filter(settled) {
            for (row, came) in kept.standing.changes(id) {
                let fact = evaluation::fact_of(program, id, row);
                if came {
                    drawn.push(fact);
                } else {
                    lapsed.push(fact.into());
                }
            }
        }
        // What was undetermined and isn't any more may have changed meanwhile.
        for id in kept.undetermined.difference(&undetermined) {
            self.resume(kept, *id, &mut drawn, &mut lapsed)?;
        }
        drawn.sort_unstable();
        lapsed.sort_unstable();
        let decided = kept.names.decisions.iter().filter(|(_, id)| !undetermined.contains(id));
        let stands = decided.map(|(name, id)| (*name, kept.standing.len(*id)));
        let outcome = Outcome {
            lapsed,
            stands: stands.filter(|(_, count)| *count > 0).collect(),
            undetermined: self.names(&undetermined),
            reports: super::ask::undefined_operations(
                &self.rules.program,
                &self.rules.sources,
                kept.standing.undefined(),
            ),
            drawn: self.explained(kept, drawn)?,
            ..Outcome::default()
        };
        kept.undetermined = undetermined;
        Ok(outcome)
    }

    /// The difference of a decision to what is recorded.
    fn resume(
        &self,
        kept: &Maintained,
        id: RelationId,
        drawn: &mut Vec<Fact>,
        lapsed: &mut Vec<Lapsed>,
    ) -> Result<(), SessionError> {
        let program = &self.rules.program;
        let name = program[id].name;
        let before = self.decisions_before()?.into_iter().map(|decision| decision.fact);
        let mut before: BTreeSet<Fact> = before.filter(|fact| fact.relation == name).collect();
        for row in kept.standing.rows(id) {
            let fact = evaluation::fact_of(program, id, row);
            if !before.remove(&fact) {
                drawn.push(fact);
            }
        }
        let decisions = Decided::new(program);
        lapsed.extend(before.into_iter().map(|fact| decisions.lapsed(fact)));
        Ok(())
    }

    /// Facts as decisions, with their reasons.
    fn explained(&self, kept: &mut Maintained, facts: Vec<Fact>) -> Result<Vec<Decision>, SessionError> {
        if facts.is_empty() {
            return Ok(Vec::new());
        }
        let finder = self.reasons_over(&kept.standing, std::mem::take(&mut kept.cache));
        let explained = |fact: Fact| {
            meter::check(REASONS)?;
            decision(&finder, fact)
        };
        let decisions = facts.into_iter().map(explained).collect();
        kept.cache = finder.into_cache();
        decisions
    }

    /// How many facts each decision has that is determined.
    pub(super) fn standing_counts(
        &self,
        undetermined: &BTreeSet<RelationId>,
        len: impl Fn(RelationId) -> usize,
    ) -> BTreeMap<Symbol, usize> {
        let relations = (0u32..).map(RelationId).zip(&self.rules.program.relations);
        let decided =
            relations.filter(|(id, relation)| relation.kind == Kind::Decision && !undetermined.contains(id));
        decided.map(|(id, relation)| (relation.name, len(id))).filter(|(_, count)| *count > 0).collect()
    }

    fn names(&self, relations: &BTreeSet<RelationId>) -> Vec<Symbol> {
        relations.iter().map(|id| self.rules.program[*id].name).collect()
    }

    /// What was kept at transaction `before` is what follows now: only something without facts was recorded since.
    pub(super) fn keeps_since(&mut self, before: u64) {
        let last = self.last_tx();
        if let IncrementalState::Maintained(kept) = &mut self.incremental
            && kept.tx == before
        {
            kept.tx = last;
        }
    }

    /// Keeps what follows for the next commit, now that everything is recorded.
    pub(super) fn remember(&mut self, mut incremental: IncrementalState) {
        if let IncrementalState::Maintained(kept) = &mut incremental {
            kept.tx = self.last_tx();
        }
        self.incremental = incremental;
    }
}
