//! What follows from facts that come and go, brought up to date at a cost that follows the change.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};

use smallvec::SmallVec;

use hence_core::fact::Fact;
use hence_core::fault::OrBroken;
use hence_core::schema::{Kind, RelationId};
use hence_core::symbol::Symbol;
use hence_core::value::{Value, Word};
use hence_engine::{Database, Edit, Incremental, Limits, Undefined};
use hence_lang::ir::Program;
use hence_proof::proof::NoOrigins;
use hence_proof::{Finder, ProofCache};

use super::RuleSet;
use super::error::SessionError;
use super::evaluation::{self, Evaluation};

/// Everything that follows from some facts by one rule set; every call is given the same one.
pub(super) struct Maintained {
    incremental: Incremental,
    names: Names,
    /// What the search for reasons goes on from.
    cache: Mutex<ProofCache>,
    /// The clock of the last change.
    now: i64,
    /// The decisions that the last change left as they were.
    undetermined: BTreeSet<RelationId>,
}

/// What a change turns of the decisions.
pub(super) struct Turned {
    /// What came of decisions that are determined before and after it.
    pub(super) drawn: Vec<Fact>,
    /// What went of them.
    pub(super) lapsed: Vec<Fact>,
    /// The decisions that were undetermined and are not any more: whatever they hold may have changed meanwhile.
    pub(super) settled: Vec<RelationId>,
}

impl Turned {
    /// This and what turned after it, as one change.
    pub(super) fn then(mut self, later: Self) -> Self {
        let mut drawn: BTreeSet<Fact> = self.drawn.drain(..).collect();
        let mut lapsed: BTreeSet<Fact> = self.lapsed.drain(..).collect();
        for fact in later.drawn {
            if !lapsed.remove(&fact) {
                drawn.insert(fact);
            }
        }
        for fact in later.lapsed {
            if !drawn.remove(&fact) {
                lapsed.insert(fact);
            }
        }
        let settled: BTreeSet<RelationId> = self.settled.into_iter().chain(later.settled).collect();
        Self {
            drawn: drawn.into_iter().collect(),
            lapsed: lapsed.into_iter().collect(),
            settled: settled.into_iter().collect(),
        }
    }

    /// Several changes as one: a decision that one of them left undetermined is compared as a whole, unless the last
    /// one did.
    pub(super) fn settle(mut self, program: &Program, undetermined: &BTreeSet<RelationId>) -> Self {
        let whole: BTreeSet<Symbol> =
            self.settled.iter().chain(undetermined).map(|id| program[*id].name).collect();
        self.settled.retain(|id| !undetermined.contains(id));
        let is_single = |fact: &Fact| !whole.contains(&fact.relation);
        self.drawn.retain(is_single);
        self.lapsed.retain(is_single);
        self
    }
}

/// The relations of a program as changes look for them.
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
}

/// Facts that come and go, in their order.
#[derive(Default)]
pub(super) struct Edits {
    words: SmallVec<[Word; 16]>,
    /// The relation of each, whether it is to stand, and where its words end.
    rows: SmallVec<[(RelationId, bool, usize); 4]>,
}

impl Edits {
    fn push(&mut self, relation: RelationId, words: impl IntoIterator<Item = Word>, stands: bool) {
        self.words.extend(words);
        self.rows.push((relation, stands, self.words.len()));
    }

    fn all(&self) -> SmallVec<[Edit<'_>; 4]> {
        let mut from = 0;
        let edit = |(relation, stands, to): &(RelationId, bool, usize)| {
            let row = self.words.get(std::mem::replace(&mut from, *to)..*to);
            let row = row.or_broken("each row ends where its words do");
            Edit { relation: *relation, row, asserted: *stands }
        };
        self.rows.iter().map(edit).collect()
    }
}

impl Maintained {
    /// What follows from `input`, which holds the clock `now` already.
    pub(super) fn new(
        rules: &RuleSet,
        input: &Database,
        now: i64,
        limits: &Limits,
        lenient: bool,
    ) -> Result<Self, SessionError> {
        let limit = |reached| evaluation::limit(&rules.program, &rules.sources, &reached);
        let mut incremental = Incremental::new(&rules.program, input, limits).map_err(limit)?;
        // All facts came with this; a change of nothing ends that, or the next one would have to.
        incremental.apply(&[]).map_err(limit)?;
        let undetermined = undetermined(rules, &incremental, lenient);
        let names = Names::new(&rules.program);
        Ok(Self { incremental, names, cache: Mutex::default(), now, undetermined })
    }

    /// Has the facts indexed for the reasons of decisions at once, so that no change has to wait for that.
    pub(super) fn expect_reasons(&mut self, rules: &RuleSet) {
        let finder = self.finder(rules);
        let look_ups = finder.look_ups(self.names.decisions.iter().map(|(_, id)| *id));
        let cache = finder.into_cache();
        self.cache = Mutex::new(cache);
        for (relation, columns) in &look_ups {
            self.incremental.expect(*relation, columns);
        }
    }

    /// A finder of reasons; [`Maintained::put_back`] takes what it worked out for the next one.
    pub(super) fn finder<'a>(&'a self, rules: &'a RuleSet) -> Finder<'a> {
        let left = std::mem::take(&mut *self.cache.lock().unwrap_or_else(PoisonError::into_inner));
        Finder::over(&rules.program, &self.incremental, &rules.sources, &NoOrigins, left)
    }

    /// Keeps what a finder worked out.
    pub(super) fn put_back(&self, finder: Finder<'_>) {
        *self.cache.lock().unwrap_or_else(PoisonError::into_inner) = finder.into_cache();
    }

    /// Adds a fact that comes or goes to `edits`; one that the rules don't read is none.
    pub(super) fn edit(&self, rules: &RuleSet, edits: &mut Edits, fact: &Fact, stands: bool) {
        let Some(relation) = self.names.relations.get(&fact.relation).copied() else { return };
        if evaluation::fits(&rules.program[relation], fact) {
            edits.push(relation, fact.values.iter().map(|value| value.word()), stands);
        }
    }

    /// Takes changes and the clock in.
    ///
    /// # Errors
    /// A limit that was reached; nothing else is to be had of it then.
    pub(super) fn advance(
        &mut self,
        rules: &RuleSet,
        mut edits: Edits,
        now: i64,
        lenient: bool,
    ) -> Result<Turned, SessionError> {
        if let Some(clock) = self.names.clock {
            edits.push(clock, [Value::Time(self.now).word()], false);
            edits.push(clock, [Value::Time(now).word()], true);
        }
        self.now = now;
        let edits = edits.all();
        let _span = tracing::debug_span!("maintain", edits = edits.len()).entered();
        let applied = self.incremental.apply(&edits);
        applied.map_err(|reached| evaluation::limit(&rules.program, &rules.sources, &reached))?;
        let undetermined = undetermined(rules, &self.incremental, lenient);
        let turned = self.turned(&rules.program, &undetermined);
        self.undetermined = undetermined;
        Ok(turned)
    }

    fn turned(&self, program: &Program, undetermined: &BTreeSet<RelationId>) -> Turned {
        let settled = self.undetermined.difference(undetermined).copied().collect();
        let mut turned = Turned { drawn: Vec::new(), lapsed: Vec::new(), settled };
        let is_decision = |id: &RelationId| program[*id].kind == Kind::Decision;
        let determined = |id: &RelationId| !undetermined.contains(id) && !self.undetermined.contains(id);
        for id in self.incremental.changed().into_iter().filter(is_decision).filter(determined) {
            for (row, came) in self.incremental.changes(id) {
                let list = if came { &mut turned.drawn } else { &mut turned.lapsed };
                list.push(evaluation::fact_of(program, id, row));
            }
        }
        turned
    }

    /// The facts of a relation that came (`true`) and went with the last change.
    pub(super) fn changes(&self, program: &Program, id: RelationId) -> Vec<(Fact, bool)> {
        let changes = self.incremental.changes(id);
        changes.map(|(row, came)| (evaluation::fact_of(program, id, row), came)).collect()
    }

    /// Whether a fact is asserted, whatever rules derive.
    pub(super) fn is_asserted(&self, fact: &Fact) -> bool {
        let Some(relation) = self.names.relations.get(&fact.relation) else { return false };
        let row: SmallVec<[Word; 8]> = fact.values.iter().map(|value| value.word()).collect();
        self.incremental.is_asserted(*relation, &row)
    }

    /// How many rows a relation has.
    pub(super) fn len(&self, id: RelationId) -> usize {
        self.incremental.len(id)
    }

    /// The rows of a relation, in no order that means anything.
    pub(super) fn rows(&self, id: RelationId) -> impl Iterator<Item = &[Word]> {
        self.incremental.rows(id)
    }

    /// The facts of a relation, in no order that means anything.
    pub(super) fn facts<'a>(
        &'a self,
        program: &'a Program,
        id: RelationId,
    ) -> impl Iterator<Item = Fact> + 'a {
        self.incremental.rows(id).map(move |row| evaluation::fact_of(program, id, row))
    }

    /// The decisions that are undetermined.
    pub(super) fn undetermined(&self) -> &BTreeSet<RelationId> {
        &self.undetermined
    }

    /// The operations without a result.
    pub(super) fn undefined(&self) -> impl Iterator<Item = &Undefined> {
        self.incremental.undefined()
    }

    /// Everything, as an evaluation from scratch gives it.
    pub(super) fn evaluation(&self) -> Evaluation {
        Evaluation { model: self.incremental.model(), undetermined: self.undetermined.clone() }
    }
}

fn undetermined(rules: &RuleSet, incremental: &Incremental, lenient: bool) -> BTreeSet<RelationId> {
    if lenient { BTreeSet::new() } else { evaluation::undetermined(&rules.program, incremental.undefined()) }
}
