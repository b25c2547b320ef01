//! Incremental evaluations: facts come and go, and everything that follows is brought up to date, exactly as if it had
//! been evaluated afresh, at a cost that follows the size of the change.
//!
//! Relations that don't depend on themselves are counted: a fact holds as long as some match derives it, and each
//! change of a body's literal is joined with the others, those before it as they are now and those after it as they
//! were. Relations that depend on themselves keep their ranks; see `recursion`.
#![expect(
    clippy::indexing_slicing,
    reason = "hot: relations, rules, slots and steps are numbers that this room itself gives out"
)]

mod clock;
mod conditions;
mod counting;
mod facts;
mod groups;
mod limit;
mod mode;
mod queue;
mod read;
mod recompute;
mod recursion;
mod rule;
mod timers;
mod undefined;
mod work;

use crate::limits::{LimitReached, Limits};
use crate::model::Database;
use crate::storage::versioned::{ASSERTED, PROGRAM_FACT, Support, VersionedRelations};
use hence_core::meter::Bound;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::sync::Mutex;

use hence_core::fault::OrBroken;
use hence_core::index_vec::IndexVec;
use hence_core::schema::RelationId;
use hence_core::value::Word;
use hence_lang::ir::{Program, RuleId, StratumId};

use crate::exec::delta::Halt;
use clock::Clock;
use counting::StratumState;
use mode::Mode;
use rule::RuleState;
use work::Work;

/// After how many new facts the memory is measured again.
const FACTS_PER_LOOK: u64 = 1 << 16;

/// From how many facts on an index takes too long to be built between two changes.
const LARGE: u64 = 100_000;

/// A fact that is asserted from now on, or retracted.
#[derive(Clone, Copy, Debug)]
pub struct FactChange<'a> {
    /// The relation; rows of a derived one are added to what its rules derive.
    pub relation: RelationId,
    /// A word for each column.
    pub row: &'a [Word],
    /// Whether it is asserted; else it is retracted.
    pub asserted: bool,
}

/// A literal that reads a relation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader {
    rule: RuleId,
    literal: usize,
}

/// A program, its facts and everything that follows from them.
pub struct Incremental {
    program: Program,
    limits: Limits,
    rules: IndexVec<RuleId, RuleState>,
    /// The literals of other strata that read a relation.
    readers: IndexVec<RelationId, Vec<Reader>>,
    /// The literals of its own stratum that do.
    own_readers: IndexVec<RelationId, Vec<Reader>>,
    /// The stratum that derives a relation.
    homes: IndexVec<RelationId, Option<StratumId>>,
    strata: IndexVec<StratumId, StratumState>,
    /// The strata that something changed for, lowest first.
    due: BinaryHeap<Reverse<StratumId>>,
    /// The relations that changed.
    changed: Vec<RelationId>,
    /// The rules whose undefined operations may have changed.
    unclear: Vec<RuleId>,
    /// The rules that have some.
    failing: BTreeSet<RuleId>,
    work: Work,
    /// What depends on the clock; none where the clock is a fact as any other.
    clock: Option<Box<Clock>>,
    /// The program whose undefined operations are told, where it isn't this one.
    reported: Option<Box<Program>>,
    /// Indexes that questions would have used.
    wanted: Mutex<Vec<(RelationId, Vec<u32>)>>,
    at_work: RuleId,
    weighed: u64,
    stopped: Option<LimitReached>,
}

impl Incremental {
    /// Everything that follows from `input`.
    ///
    /// # Errors
    /// The limit that was reached first.
    pub fn new(program: &Program, input: &Database, limits: &Limits) -> Result<Self, LimitReached> {
        let mut incremental = Self::empty(program, limits);
        let loaded = incremental.load(input, None);
        incremental.stopped_by(loaded)?;
        Ok(incremental)
    }

    /// From now on each change may take so long.
    pub fn limit_time(&mut self, time: Option<std::time::Duration>) {
        self.limits.time = time;
    }

    fn empty(program: &Program, limits: &Limits) -> Self {
        let (strata, homes) = counting::strata(program);
        let support = |home: &Option<StratumId>| match home {
            Some(home) if strata[*home].recursive => Support::Ranked,
            Some(_) => Support::Counted,
            None => Support::Asserted,
        };
        let support: IndexVec<RelationId, Support> = homes.iter().map(support).collect();
        let rules = rule::rules(program, &homes);
        let mut readers = IndexVec::filled(Vec::new(), homes.len());
        let mut own_readers = readers.clone();
        for (id, rule) in (0..).map(RuleId).zip(&program.rules) {
            for (literal, relation) in rule::reads(rule).filter(|_| rules[id].stratum.is_some()) {
                let own = rules[id].own[literal];
                let list = if own { &mut own_readers } else { &mut readers };
                list[relation].push(Reader { rule: id, literal });
            }
        }
        Self {
            limits: *limits,
            rules,
            readers,
            own_readers,
            homes,
            strata,
            due: BinaryHeap::new(),
            changed: Vec::new(),
            unclear: Vec::new(),
            failing: BTreeSet::new(),
            work: Work::new(VersionedRelations::new(program, &support), limits, program.param_words()),
            clock: None,
            reported: None,
            wanted: Mutex::default(),
            at_work: RuleId(0),
            weighed: 0,
            stopped: None,
            program: program.clone(),
        }
    }

    fn load(&mut self, input: &Database, clock: Option<(RelationId, [Word; 1])>) -> Result<(), Halt> {
        self.begin();
        for (relation, rows) in (0..).map(RelationId).zip(&input.relations) {
            rows.iter().try_for_each(|row| self.give(relation, row, ASSERTED))?;
        }
        if let Some((relation, row)) = clock {
            self.give(relation, &row, ASSERTED)?;
        }
        for at in 0..self.program.facts.len() {
            let fact = &self.program.facts[at];
            let row: Vec<Word> = fact.values.iter().map(|value| value.word()).collect();
            self.give(fact.relation, &row, PROGRAM_FACT)?;
        }
        self.settle_inputs();
        self.due.clear();
        for stratum in self.strata.ids() {
            self.strata[stratum].queue.clear();
            self.fill(stratum)?;
        }
        self.strata.iter_mut().for_each(|stratum| stratum.queue.clear());
        self.due.clear();
        self.clear_up()?;
        self.set_timers();
        if self.work.store.grown() >= LARGE {
            self.warm_up();
        }
        Ok(())
    }

    /// Makes the plans for changes of a large base at once, so that none of the first has to wait for an index.
    fn warm_up(&mut self) {
        for rule in self.rules.ids().filter(|rule| self.rules[*rule].stratum.is_some()).collect::<Vec<_>>() {
            for place in 0..self.rules[rule].clocked.len() {
                self.make(rule, Mode::Clock(place));
                if self.rules[rule].is_own {
                    self.make(rule, Mode::ClockWith(place));
                }
            }
            for (literal, _) in rule::reads(&self.program[rule]).collect::<Vec<_>>() {
                let own = self.rules[rule].is_own;
                if own {
                    self.make(rule, Mode::Head);
                    self.make(rule, Mode::With(literal));
                }
                if !self.rules[rule].own[literal] {
                    self.make(rule, if own { Mode::Without(literal) } else { Mode::Delta(literal) });
                    self.origin(Reader { rule, literal });
                }
            }
        }
    }

    /// Takes changes in, in their order, and brings everything that follows up to date.
    ///
    /// # Errors
    /// The limit that was reached first; after that nothing else is to be had from it but this error.
    pub fn apply(&mut self, edits: &[FactChange<'_>]) -> Result<(), LimitReached> {
        if let Some(stopped) = self.stopped {
            return Err(stopped);
        }
        let applied = self.edit(edits, None);
        self.stopped_by(applied)
    }

    fn edit(&mut self, edits: &[FactChange<'_>], now: Option<i64>) -> Result<(), Halt> {
        self.begin();
        self.move_clock(now)?;
        for edit in edits {
            if edit.asserted {
                self.give(edit.relation, edit.row, ASSERTED)?;
            } else {
                self.take_back(edit.relation, edit.row);
            }
        }
        self.settle_inputs();
        if !self.due.is_empty() {
            self.show_now();
        }
        while let Some(Reverse(stratum)) = self.due.pop() {
            self.update(stratum)?;
            self.weigh()?;
        }
        self.clear_up()?;
        self.set_timers();
        Ok(())
    }

    /// Ends the change before and opens one.
    fn begin(&mut self) {
        for relation in self.changed.drain(..) {
            self.work.store.relation_mut(relation).close();
        }
        self.build_wanted();
        self.work.begin(&self.limits);
    }

    /// Asserts a row.
    fn give(&mut self, relation: RelationId, row: &[Word], flag: u8) -> Result<(), Halt> {
        self.check_width(relation, row);
        let (slot, _) = self.work.store.hold(relation, row)?;
        self.work.store.relation_mut(relation).set(slot, flag);
        self.touch(relation, slot);
        Ok(())
    }

    fn take_back(&mut self, relation: RelationId, row: &[Word]) {
        self.check_width(relation, row);
        if let Some(slot) = self.work.store.relation(relation).find(row) {
            self.work.store.relation_mut(relation).unset(slot, ASSERTED);
            self.touch(relation, slot);
        }
    }

    fn check_width(&self, relation: RelationId, row: &[Word]) {
        let arity = self.work.store.relation(relation).arity();
        assert_eq!(row.len(), arity, "a row that comes or goes has a word for each column of its relation");
    }

    fn touch(&mut self, relation: RelationId, slot: u32) {
        let table = self.work.store.relation_mut(relation);
        table.touch(slot);
        match self.homes[relation] {
            Some(home) => self.make_due(home),
            None => self.changed.push(relation),
        }
    }

    fn make_due(&mut self, stratum: StratumId) {
        if !std::mem::replace(&mut self.strata[stratum].due, true) {
            self.due.push(Reverse(stratum));
        }
    }

    /// Which inputs came and went.
    fn settle_inputs(&mut self) {
        let mut inputs = std::mem::take(&mut self.changed);
        inputs.sort_unstable();
        inputs.dedup();
        inputs.iter().for_each(|relation| self.settle(*relation));
    }

    /// Works out which facts of a relation came and went, and tells those who read it.
    fn settle(&mut self, relation: RelationId) {
        let table = self.work.store.relation_mut(relation);
        table.settle();
        self.changed.push(relation);
        if table.changes().is_empty() {
            return;
        }
        for at in 0..self.readers[relation].len() {
            let reader = self.readers[relation][at];
            let stratum = self.rules[reader.rule].stratum.or_broken("rules of no stratum read nothing");
            self.strata[stratum].queue.push(reader);
            self.make_due(stratum);
            self.invalidate_reports(reader.rule);
        }
        for at in 0..self.own_readers[relation].len() {
            self.invalidate_reports(self.own_readers[relation][at].rule);
        }
    }

    fn invalidate_reports(&mut self, rule: RuleId) {
        if !self.rules[rule].reports.is_empty() {
            self.unclear.push(rule);
        }
    }

    fn weigh(&mut self) -> Result<(), Bound> {
        let grown = self.work.store.grown();
        if !self.work.budget.weighs() || grown - self.weighed < FACTS_PER_LOOK {
            return Ok(());
        }
        self.weighed = grown;
        self.work.budget.memory(self.bytes())
    }

    /// Bytes of the facts, their indexes, and the states of groups.
    pub fn bytes(&self) -> usize {
        self.clock.as_ref().map_or(0, |clock| clock.bytes())
            + self.work.store.bytes()
            + self.rules.iter().map(RuleState::bytes).sum::<usize>()
    }

    /// A limit, with the rule that was at work; from then on there is only this.
    fn stopped_by(&mut self, result: Result<(), Halt>) -> Result<(), LimitReached> {
        result.map_err(|halt| {
            let bound = match halt {
                Halt::Bound(bound) => bound,
                Halt::Fuel => Bound::Iterations(self.limits.iterations),
            };
            let reached = LimitReached::at(bound, &self.program, self.at_work);
            self.stopped = Some(reached);
            reached
        })
    }
}

impl std::fmt::Debug for Incremental {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Incremental({} relations, {} bytes)", self.homes.len(), self.bytes())
    }
}
