//! What follows from facts that come and go, brought up to date at a cost that follows the change.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use smallvec::SmallVec;

use hence_core::fact::Fact;
use hence_core::fault::OrBroken;
use hence_core::schema::{Kind, RelationId};
use hence_core::symbol::Symbol;
use hence_core::value::Word;
use hence_engine::{Database, FactChange, Incremental, Limits, Model, Row, Undefined};
use hence_lang::ir::Program;
use hence_lang::lower::unknown::{Unknown, unknown};
use hence_proof::proof::NoOrigins;
use hence_proof::{Finder, ProofCache};

use super::RuleSet;
use super::error::SessionError;
use super::evaluation::{self, Evaluation, Possible, Undetermined};
use super::room;

/// Everything that follows from some facts by one rule set; every call is given the same one.
pub(super) struct Maintained {
    incremental: Incremental,
    names: Names,
    /// What the search for reasons goes on from.
    cache: Mutex<ProofCache>,
    /// The clock of the last change.
    now: i64,
    limits: Limits,
    /// What follows certainly and possibly, while operations are undefined.
    unknown: Option<Box<Second>>,
    /// What followed possibly and not certainly after the last change.
    undetermined: Undetermined,
    /// How many facts each decision has that has any.
    stands: BTreeMap<Symbol, usize>,
}

/// The program that tells what follows certainly and possibly, maintained beside the rules themselves.
struct Second {
    of: Unknown,
    /// The relations whose rules had undefined operations when it was made.
    heads: BTreeSet<RelationId>,
    incremental: Incremental,
    cache: Mutex<ProofCache>,
}

impl Second {
    /// Over the facts that stand now.
    fn new(
        rules: &RuleSet,
        first: &Incremental,
        heads: BTreeSet<RelationId>,
        (now, limits): (i64, &Limits),
    ) -> Result<Self, SessionError> {
        let program = &rules.program;
        let of = unknown(program, heads.iter().copied());
        let mut input = Database::new(&of.program);
        // A test may give facts of derived relations too.
        for id in (0u32..).map(RelationId).take(program.relations.len()) {
            first.rows(id).filter(|row| first.is_asserted(id, row)).for_each(|row| input.push(id, &row));
        }
        let limit = |reached| evaluation::limit_of_unknown(program, &rules.sources, &of, reached);
        let mut incremental = Incremental::with_clock(&of.program, &input, now, limits).map_err(limit)?;
        incremental.apply(&[]).map_err(limit)?;
        Ok(Self { of, heads, incremental, cache: Mutex::default() })
    }

    fn undetermined(&self, program: &Program) -> Undetermined {
        evaluation::undetermined(program, &self.of, |id| {
            self.incremental.rows(id).map(|row| row.to_vec()).collect()
        })
    }
}

/// What a change turns of the decisions.
#[derive(Default)]
pub(super) struct Turned {
    /// What came of decisions that depend on no undefined operation before and after it.
    pub(super) drawn: Vec<Fact>,
    /// What went of them.
    pub(super) lapsed: Vec<Fact>,
    /// The decisions that depend or depended on one: whatever they hold may have changed.
    pub(super) settled: BTreeSet<RelationId>,
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
        self.settled.extend(later.settled);
        Self {
            drawn: drawn.into_iter().collect(),
            lapsed: lapsed.into_iter().collect(),
            settled: self.settled,
        }
    }

    /// Several changes as one: a decision that depended on an undefined operation at one of them is compared as a whole.
    pub(super) fn settle(mut self, program: &Program) -> Self {
        let whole: BTreeSet<Symbol> = self.settled.iter().map(|id| program[*id].name).collect();
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
}

impl Names {
    fn new(program: &Program) -> Self {
        let ids = || (0u32..).map(RelationId).zip(&program.relations);
        let decided = ids().filter(|(_, relation)| relation.kind == Kind::Decision);
        let mut decisions: Vec<_> = decided.map(|(id, relation)| (relation.name, id)).collect();
        decisions.sort_unstable();
        Self { relations: ids().map(|(id, relation)| (relation.name, id)).collect(), decisions }
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

    fn all(&self) -> SmallVec<[FactChange<'_>; 4]> {
        let mut from = 0;
        let edit = |(relation, stands, to): &(RelationId, bool, usize)| {
            let row = self.words.get(std::mem::replace(&mut from, *to)..*to);
            let row = row.or_broken("each row ends where its words do");
            FactChange { relation: *relation, row, asserted: *stands }
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
        let _span = tracing::debug_span!("maintain_afresh").entered();
        room::expect_maintained(input)?;
        let limit = |reached| evaluation::limit(&rules.program, &rules.sources, &reached);
        let mut incremental = Incremental::with_clock(&rules.program, input, now, limits).map_err(limit)?;
        // All facts came with this; a change of nothing ends that, or the next one would have to.
        incremental.apply(&[]).map_err(limit)?;
        let names = Names::new(&rules.program);
        let limits = *limits;
        let undetermined = Undetermined::new();
        let (cache, stands) = (Mutex::default(), BTreeMap::new());
        let mut new = Self { incremental, names, cache, now, limits, unknown: None, undetermined, stands };
        new.look_at_unknown(rules, &[], lenient)?;
        new.stands = new.counts();
        Ok(new)
    }

    /// From now on each change may take so long.
    pub(super) fn limit_time(&mut self, time: Option<Duration>) {
        self.limits.time = time;
        self.incremental.limit_time(time);
        if let Some(second) = &mut self.unknown {
            second.incremental.limit_time(time);
        }
    }

    /// Brings what follows possibly up to date with `edits`, which the rules themselves have taken in.
    fn look_at_unknown(
        &mut self,
        rules: &RuleSet,
        edits: &[FactChange<'_>],
        lenient: bool,
    ) -> Result<(), SessionError> {
        let is_clear = lenient || self.incremental.undefined().next().is_none();
        if is_clear && self.unknown.is_none() {
            return Ok(());
        }
        let program = &rules.program;
        let heads = match lenient {
            true => BTreeSet::new(),
            false => evaluation::heads(program, self.incremental.undefined()),
        };
        self.unknown = match self.unknown.take() {
            _ if heads.is_empty() => None,
            Some(mut second) if heads.is_subset(&second.heads) => {
                let applied = second.incremental.advance(edits, self.now);
                applied.map_err(|reached| {
                    evaluation::limit_of_unknown(program, &rules.sources, &second.of, reached)
                })?;
                Some(second)
            }
            _ => Some(Box::new(Second::new(rules, &self.incremental, heads, (self.now, &self.limits))?)),
        };
        let undetermined = self.unknown.as_ref().map(|second| second.undetermined(program));
        self.undetermined = undetermined.unwrap_or_default();
        Ok(())
    }

    /// The decisions that the second program tells of.
    fn concerned(&self) -> BTreeSet<RelationId> {
        let Some(second) = &self.unknown else { return BTreeSet::new() };
        let decisions = self.names.decisions.iter().map(|(_, id)| *id);
        decisions.filter(|id| second.of.concerns(*id)).collect()
    }

    /// Has the facts indexed for the reasons of decisions at once, so that no change has to wait for that.
    pub(super) fn expect_reasons(&mut self, rules: &RuleSet) {
        let finder = self.finder(rules);
        let look_ups = finder.look_ups(self.names.decisions.iter().map(|(_, id)| *id));
        let cache = finder.into_cache();
        *self.cache().lock().unwrap_or_else(PoisonError::into_inner) = cache;
        // The reasons come from the program that the finder reads.
        let read = match &mut self.unknown {
            Some(second) => &mut second.incremental,
            None => &mut self.incremental,
        };
        for (relation, columns) in &look_ups {
            read.expect(*relation, columns);
        }
    }

    /// Whether no operation is undefined.
    pub(super) fn is_settled(&self) -> bool {
        self.unknown.is_none()
    }

    /// A finder of reasons; [`Maintained::put_back`] takes what it worked out for the next one.
    pub(super) fn finder<'a>(&'a self, rules: &'a RuleSet) -> Finder<'a> {
        let left = std::mem::take(&mut *self.cache().lock().unwrap_or_else(PoisonError::into_inner));
        let (program, facts) = match &self.unknown {
            Some(second) => (&second.of.program, &second.incremental),
            None => (&rules.program, &self.incremental),
        };
        Finder::over(program, facts, &rules.sources, &NoOrigins, left)
    }

    /// Keeps what a finder worked out.
    pub(super) fn put_back(&self, finder: Finder<'_>) {
        *self.cache().lock().unwrap_or_else(PoisonError::into_inner) = finder.into_cache();
    }

    fn cache(&self) -> &Mutex<ProofCache> {
        self.unknown.as_ref().map_or(&self.cache, |second| &second.cache)
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
        edits: Edits,
        now: i64,
        lenient: bool,
    ) -> Result<Turned, SessionError> {
        self.now = now;
        let edits = edits.all();
        let _span = tracing::debug_span!("maintain", edits = edits.len()).entered();
        let applied = self.incremental.advance(&edits, now);
        applied.map_err(|reached| evaluation::limit(&rules.program, &rules.sources, &reached))?;
        let mut settled = self.concerned();
        let was_unknown = self.unknown.is_some();
        self.look_at_unknown(rules, &edits, lenient)?;
        settled.append(&mut self.concerned());
        let is_decision = |id: &RelationId| rules.program[*id].kind == Kind::Decision;
        let changed: SmallVec<[RelationId; 8]> = self.incremental.changed().filter(is_decision).collect();
        if was_unknown || self.unknown.is_some() {
            self.stands = self.counts();
        } else {
            changed.iter().for_each(|id| self.count(rules.program[*id].name, *id));
        }
        Ok(self.turned(&rules.program, &changed, settled))
    }

    /// Counts the facts of a decision again.
    fn count(&mut self, name: Symbol, id: RelationId) {
        match self.len(id) {
            0 => self.stands.remove(&name),
            count => self.stands.insert(name, count),
        };
    }

    /// The decisions that turned, of those relations that `changed`.
    fn turned(&self, program: &Program, changed: &[RelationId], settled: BTreeSet<RelationId>) -> Turned {
        let (mut drawn, mut lapsed) = (Vec::new(), Vec::new());
        for id in changed.iter().copied().filter(|id| !settled.contains(id)) {
            for (row, came) in self.incremental.changes(id) {
                let list = if came { &mut drawn } else { &mut lapsed };
                list.push(evaluation::fact_of(program, id, &row));
            }
        }
        Turned { drawn, lapsed, settled }
    }

    /// The facts of a relation that came (`true`) and went with the last change.
    pub(super) fn changes(&self, program: &Program, id: RelationId) -> Vec<(Fact, bool)> {
        let changes = self.incremental.changes(id);
        changes.map(|(row, came)| (evaluation::fact_of(program, id, &row), came)).collect()
    }

    /// Whether a fact is asserted, whatever rules derive.
    pub(super) fn is_asserted(&self, fact: &Fact) -> bool {
        let Some(relation) = self.names.relations.get(&fact.relation) else { return false };
        let row: SmallVec<[Word; 8]> = fact.values.iter().map(|value| value.word()).collect();
        self.incremental.is_asserted(*relation, &row)
    }

    /// Whether a fact follows certainly.
    pub(super) fn follows(&self, fact: &Fact) -> bool {
        let Some(relation) = self.names.relations.get(&fact.relation) else { return false };
        let row: SmallVec<[Word; 8]> = fact.values.iter().map(|value| value.word()).collect();
        self.certain().holds(*relation, &row)
    }

    /// The clock of the last change.
    pub(super) fn now(&self) -> i64 {
        self.now
    }

    /// How many facts of a relation follow certainly.
    pub(super) fn len(&self, id: RelationId) -> usize {
        self.certain().len(id)
    }

    /// How many facts each decision has that has any.
    pub(super) fn decision_counts(&self) -> BTreeMap<Symbol, usize> {
        self.stands.clone()
    }

    /// The same, counted.
    fn counts(&self) -> BTreeMap<Symbol, usize> {
        let counts = self.names.decisions.iter().map(|(name, id)| (*name, self.len(*id)));
        counts.filter(|(_, count)| *count > 0).collect()
    }

    /// The rows of a relation where a match with an undefined operation is false, in no order that means anything.
    pub(super) fn lenient_rows(&self, id: RelationId) -> impl Iterator<Item = Row> {
        self.incremental.rows(id)
    }

    /// What holds the facts that follow certainly.
    fn certain(&self) -> &Incremental {
        self.unknown.as_ref().map_or(&self.incremental, |second| &second.incremental)
    }

    /// The facts of a relation that follow certainly, in no order that means anything.
    pub(super) fn facts<'a>(
        &'a self,
        program: &'a Program,
        id: RelationId,
    ) -> impl Iterator<Item = Fact> + 'a {
        self.certain().rows(id).map(move |row| evaluation::fact_of(program, id, &row))
    }

    /// What follows possibly and not certainly.
    pub(super) fn undetermined(&self) -> &Undetermined {
        &self.undetermined
    }

    /// The operations without a result.
    pub(super) fn undefined(&self) -> impl Iterator<Item = &Undefined> {
        self.incremental.undefined()
    }

    /// The earliest instant at which the clock alone may change what follows.
    pub(super) fn next_change(&self) -> Option<i64> {
        let possibly = self.unknown.as_ref().and_then(|second| second.incremental.next_change());
        self.incremental.next_change().into_iter().chain(possibly).min()
    }

    /// Everything, as an evaluation from scratch gives it.
    pub(super) fn evaluation(&self) -> Evaluation {
        let lenient = self.incremental.model();
        let Some(second) = &self.unknown else {
            return Evaluation { model: lenient, ..Evaluation::default() };
        };
        let model = Model { undefined: lenient.undefined.clone(), ..second.incremental.model() };
        let unknown = Some(Box::new(Possible { of: second.of.clone(), lenient }));
        Evaluation { model, undetermined: self.undetermined.clone(), unknown }
    }
}
