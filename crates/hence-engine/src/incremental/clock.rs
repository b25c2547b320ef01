//! The clock of incremental maintenance: it moves on, and only what changes by that is brought up to date.
//!
//! Each condition that reads the clock reads it from a parameter of its own (see `conditions`), so matches come and go
//! by the clock as they do by facts: what a rule derives is `M(facts, clock)`, and the difference between two states is
//! `M(new, later) - M(old, earlier) = [M(old, later) - M(old, earlier)] + [M(new, later) - M(old, later)]`. The second
//! bracket is what changes of facts make at the later clock. The first is evaluated here, for those values only whose
//! condition changed: condition by condition, those before it at the later clock and those after it at the earlier.
//! When a condition changes for some values is known beforehand (see `timers`).

use smallvec::SmallVec;

use hence_core::fault::OrBroken;
use hence_core::index_vec::Id;
use hence_core::schema::RelationId;
use hence_core::value::{Type, Value, Word};
use hence_lang::builtins::clock::{Match, Until, last_instant};
use hence_lang::builtins::expr::ParamId;
use hence_lang::ir::{Program, RuleId, StratumId};

use super::conditions::{Condition, is_clock, split};
use super::counting::Task;
use super::mode::Mode;
use super::timers::{Timed, Timers};
use super::work::Work;
use super::{FactChange, Incremental};
use crate::exec::delta::Halt;
use crate::limits::{LimitReached, Limits};
use crate::model::Database;
use crate::storage::versioned::{ASSERTED, NEW};

/// How many instants are looked at for one that changes something, before the next wake-up may be for nothing.
const PATIENCE: usize = 64;

/// An invariant of [`Clock`].
const CLOCK: &str = "only where there is a clock rules move by it";

/// The values of a match by which a condition differs.
pub(crate) type Values = SmallVec<[Word; 4]>;

/// What each expression of a condition comes to.
type Observed = SmallVec<[Option<Word>; 2]>;

/// The clock, and what depends on it.
pub(crate) struct Clock {
    /// Its relation.
    relation: RelationId,
    /// What it shows.
    at: i64,
    /// What it showed before the change at hand.
    before: i64,
    /// What the parameters hold.
    shown: i64,
    conditions: Vec<Condition>,
    /// Those that may change at every instant.
    restless: Vec<usize>,
    /// The conditions of each rule, one after the other.
    of_rules: Vec<(RuleId, std::ops::Range<usize>)>,
    timers: Timers,
    /// The values for which a condition changed, by condition.
    flips: Vec<Vec<Values>>,
    /// The rules of which some did, ascending.
    moved: Vec<RuleId>,
    /// How many relations the rules themselves have.
    relations: usize,
    /// By relation after those, its condition.
    of_relations: Vec<usize>,
}

impl Clock {
    fn new(relation: RelationId, at: i64, relations: usize, conditions: Vec<Condition>) -> Self {
        let mut of_rules: Vec<(RuleId, std::ops::Range<usize>)> = Vec::new();
        let numbered = conditions.iter().enumerate();
        let restless =
            numbered.filter(|(_, condition)| condition.matches.is_none()).map(|(at, _)| at).collect();
        let (mut of_relations, mut flips) = (Vec::new(), Vec::new());
        for (number, condition) in conditions.iter().enumerate() {
            flips.push(Vec::new());
            of_relations.extend(condition.matches.map(|_| number));
            match of_rules.last_mut() {
                Some((rule, range)) if *rule == condition.rule => range.end = number + 1,
                _ => of_rules.push((condition.rule, number..number + 1)),
            }
        }
        let timers = Timers::new(conditions.len());
        let (before, shown, moved) = (at, i64::MIN, Vec::new());
        Self {
            relation,
            at,
            before,
            shown,
            conditions,
            restless,
            of_rules,
            timers,
            flips,
            moved,
            relations,
            of_relations,
        }
    }

    /// The conditions of a rule.
    fn of(&self, rule: RuleId) -> std::ops::Range<usize> {
        let found = self.of_rules.binary_search_by_key(&rule, |(rule, _)| *rule);
        found.map_or(0..0, |at| self.of_rules[at].1.clone())
    }

    fn flip(&mut self, condition: usize, values: Values) {
        self.flips[condition].push(values);
        let rule = self.conditions[condition].rule;
        if let Err(place) = self.moved.binary_search(&rule) {
            self.moved.insert(place, rule);
        }
    }

    /// Whether its conditions leave out what some changes are about: facts of its relation.
    fn is_read_by(&self, edits: &[FactChange<'_>]) -> bool {
        !self.conditions.is_empty() && edits.iter().any(|edit| edit.relation == self.relation)
    }

    /// Whether nothing changes by the clock's having come to show `now`.
    fn is_quiet(&self, now: i64) -> bool {
        self.restless.is_empty() && now > self.before && self.timers.is_quiet(now)
    }

    /// The condition whose matches a relation holds.
    fn condition_of(&self, relation: RelationId) -> Option<usize> {
        self.of_relations.get(relation.at().checked_sub(self.relations)?).copied()
    }

    /// The matches of all conditions.
    fn every_match(&self, work: &Work) -> Vec<Timed> {
        let mut all = Vec::new();
        for (number, condition) in (0..).zip(&self.conditions) {
            let Some(relation) = condition.matches else { continue };
            let table = work.store.relation(relation);
            all.extend((0..table.slots()).filter(|slot| table.is(*slot, NEW)).map(|slot| (number, slot)));
        }
        all
    }

    /// Looks whether a condition changed for a match, and when it does next.
    fn pass(&mut self, timed: Timed, work: &Work) {
        let condition = timed.0 as usize;
        let relation = self.conditions[condition].matches.or_broken("only matches have timers");
        let values = &work.store.relation(relation).row(timed.1).own();
        let observed = |at: i64| self.observed(condition, values, at, work.params());
        let is_flipped = observed(self.before) != observed(self.at);
        let until = self.until(condition, values, work.params());
        self.timers.set(timed, until);
        if is_flipped {
            self.flip(condition, Values::from_slice(values));
        }
    }

    /// What a condition comes to for a match at an instant.
    fn observed(&self, condition: usize, values: &[Word], at: i64, params: &[Word]) -> Observed {
        let vars = with_clock(values, at);
        let observed = self.conditions[condition].observed.iter();
        observed.map(|expr| expr.eval(&vars, params).ok()).collect()
    }

    /// Until when that stays so.
    fn until(&self, condition: usize, values: &[Word], params: &[Word]) -> Until {
        let before = self.observed(condition, values, self.at, params);
        let mut at = self.at;
        for _ in 0..PATIENCE {
            let mut vars = with_clock(values, at);
            let mut this = Match { vars: &mut vars, params };
            let observed = self.conditions[condition].observed.iter();
            match observed.fold(Until::Forever, |until, expr| until.or(this.until(expr))) {
                Until::Instant(next) if next > last_instant() => return Until::Forever,
                Until::Instant(next) if self.observed(condition, values, next, params) != before => {
                    return Until::Instant(next);
                }
                Until::Instant(next) => at = next,
                other => return other,
            }
        }
        Until::Instant(at)
    }

    /// Bytes taken.
    pub(crate) fn bytes(&self) -> usize {
        self.timers.bytes()
    }
}

fn with_clock(values: &[Word], at: i64) -> SmallVec<[Word; 5]> {
    let mut vars = SmallVec::with_capacity(values.len() + 1);
    vars.push(Word::from_int(at));
    vars.extend_from_slice(values);
    vars
}

impl Incremental {
    /// Everything that follows from `input` where the clock `now` shows an instant, in microseconds since the epoch. The
    /// clock may be moved by [`Incremental::advance`], at a cost that follows what changes by that; unless `input` has
    /// more facts of its relation, which then is as any other.
    ///
    /// # Errors
    /// The limit that was reached first.
    pub fn with_clock(
        program: &Program,
        input: &Database,
        now: i64,
        limits: &Limits,
    ) -> Result<Self, LimitReached> {
        let found = program.find("now".into()).filter(|relation| program[*relation].types().eq([Type::Time]));
        let Some(relation) = found else { return Self::new(program, input, limits) };
        let row = [Word::from_int(now)];
        let is_alone = input.rows(relation).is_none_or(|rows| rows.iter().all(|other| other == row));
        let (split, conditions) = match is_alone && is_clock(program, relation) {
            true => split(program, relation),
            false => (program.clone(), Vec::new()),
        };
        let mut incremental = Self::empty(&split, limits);
        incremental.read_clock(program, &conditions);
        let relations = program.relations.len();
        incremental.clock = Some(Box::new(Clock::new(relation, now, relations, conditions)));
        incremental.show_clock(now);
        let loaded = incremental.load(input, Some((relation, row)));
        incremental.stopped_by(loaded)?;
        Ok(incremental)
    }

    /// Tells rules which conditions of theirs read the clock; `program` is what they are made of.
    fn read_clock(&mut self, program: &Program, conditions: &[Condition]) {
        self.reported = Some(Box::new(program.clone()));
        self.work.store.show(program.relations.len());
        for id in self.rules.ids() {
            let own = conditions.iter().filter(|condition| condition.rule == id);
            let vars = own.map(|condition| condition.vars.clone()).collect();
            self.rules[id].read_clock(vars, program.params.len());
        }
    }

    /// The earliest instant, in microseconds since the epoch, at which the clock alone may change what follows; `None`
    /// where it never does. It may be too early and change nothing, never too late, but for rules that may change at
    /// every instant, such as one whose head holds the clock: those count for nothing here.
    pub fn next_change(&self) -> Option<i64> {
        self.clock.as_ref().and_then(|clock| clock.timers.first())
    }

    /// Moves the clock, then takes changes in, as [`Incremental::apply`] does. Of a program without a clock only the
    /// latter.
    ///
    /// # Errors
    /// As [`Incremental::apply`].
    pub fn advance(&mut self, edits: &[FactChange<'_>], now: i64) -> Result<(), LimitReached> {
        if let Some(stopped) = self.stopped {
            return Err(stopped);
        }
        if self.clock.as_ref().is_some_and(|clock| clock.is_read_by(edits)) {
            self.give_up_clock()?;
        }
        let moved = self.edit(edits, Some(now));
        self.stopped_by(moved)
    }

    /// Where facts of the clock's relation come and go beside the clock, rules read it as any other from then on.
    fn give_up_clock(&mut self) -> Result<(), LimitReached> {
        let Some((program, clock)) = self.reported.take().zip(self.clock.take()) else { return Ok(()) };
        let mut input = Database::new(&program);
        for relation in (0..program.relations.len() as u32).map(RelationId) {
            let table = self.work.store.relation(relation);
            let given = (0..table.slots()).filter(|slot| table.is(*slot, ASSERTED));
            given.for_each(|slot| input.push(relation, &table.row(slot).own()));
        }
        let mut plain = Self::empty(&program, &self.limits);
        let relations = program.relations.len();
        plain.clock = Some(Box::new(Clock::new(clock.relation, clock.at, relations, Vec::new())));
        let loaded = plain.load(&input, None);
        plain.stopped_by(loaded)?;
        plain.apply(&[])?;
        *self = plain;
        Ok(())
    }

    /// Lets the clock show another instant, and finds what changes by that.
    pub(crate) fn move_clock(&mut self, now: Option<i64>) -> Result<(), Halt> {
        let Some(clock) = &mut self.clock else { return Ok(()) };
        let now = now.unwrap_or(clock.at);
        clock.before = std::mem::replace(&mut clock.at, now);
        if clock.before == now {
            return Ok(());
        }
        let (relation, before) = (clock.relation, clock.before);
        self.take_back(relation, &[Word::from_int(before)]);
        self.give(relation, &[Word::from_int(now)], ASSERTED)?;
        self.find_flips();
        if !self.failing.is_empty() {
            self.invalidate_clocked_reports();
        }
        Ok(())
    }

    /// The clock is shown by what a rule reports, whatever changes by it.
    fn invalidate_clocked_reports(&mut self) {
        let Some(clock) = &self.clock else { return };
        for (rule, _) in &clock.of_rules {
            if self.failing.contains(rule) {
                self.unclear.push(*rule);
            }
        }
    }

    /// Finds the values for which conditions changed.
    fn find_flips(&mut self) {
        let Some(clock) = &mut self.clock else { return };
        let (now, before) = (clock.at, clock.before);
        if clock.is_quiet(now) {
            return;
        }
        for at in 0..clock.restless.len() {
            clock.flip(clock.restless[at], Values::new());
        }
        let mut due: Vec<Timed> = clock.timers.restless().collect();
        if now < before {
            due = clock.every_match(&self.work);
        }
        while let Some(timed) = clock.timers.pop(now) {
            due.push(timed);
        }
        for timed in due {
            clock.pass(timed, &self.work);
        }
        for at in 0..clock.moved.len() {
            let rule = self.clock.as_ref().or_broken(CLOCK).moved[at];
            let stratum = self.rules[rule].stratum.or_broken("a rule that reads the clock has a stratum");
            self.make_due(stratum);
        }
    }

    /// Has the rules read the clock as it is now.
    pub(crate) fn show_now(&mut self) {
        if let Some(clock) = &self.clock
            && clock.shown != clock.at
        {
            self.show_clock(clock.at);
        }
    }

    /// Has the rules read the clock as it was before the change at hand.
    pub(crate) fn show_before(&mut self) {
        if let Some(clock) = &self.clock
            && clock.shown != clock.before
        {
            self.show_clock(clock.before);
        }
    }

    fn show_clock(&mut self, at: i64) {
        let Some(clock) = &mut self.clock else { return };
        clock.shown = at;
        for condition in &clock.conditions {
            show(&mut self.work, &mut self.program, condition.clock, at);
        }
    }

    /// Joins the values for which conditions changed with the rest of their rules, as it was before the change at hand;
    /// of rules that don't read their own stratum.
    pub(crate) fn count_flips(&mut self, stratum: StratumId) -> Result<(), Halt> {
        for rule in self.moved(stratum) {
            if !self.rules[rule].is_own {
                self.count_flips_of(rule)?;
            }
        }
        Ok(())
    }

    fn count_flips_of(&mut self, rule: RuleId) -> Result<(), Halt> {
        let clock = self.clock.as_mut().or_broken(CLOCK);
        let (now, before, range) = (clock.at, clock.before, clock.of(rule));
        let conditions = range.map(|at| (clock.conditions[at].clock, std::mem::take(&mut clock.flips[at])));
        let conditions: Vec<(ParamId, Vec<Values>)> = conditions.collect();
        for (param, _) in &conditions {
            show(&mut self.work, &mut self.program, *param, before);
        }
        for (place, (param, flips)) in conditions.into_iter().enumerate() {
            let mut task = Task::Flips(flips, false);
            if !task.is_empty() {
                self.collect(rule, Mode::Clock(place), &task)?;
            }
            show(&mut self.work, &mut self.program, param, now);
            task.turn();
            if !task.is_empty() {
                self.collect(rule, Mode::Clock(place), &task)?;
            }
        }
        Ok(())
    }

    /// Turns the groups into facts that came and went by the clock.
    pub(crate) fn finish_flips(&mut self, stratum: StratumId) -> Result<(), Halt> {
        for rule in self.moved(stratum) {
            if !self.rules[rule].is_own {
                self.finish(rule)?;
            }
        }
        Ok(())
    }

    /// The values for which conditions changed, of rules that read their own stratum; each with its rule and the number of
    /// the condition there.
    pub(crate) fn own_flips(&self, stratum: StratumId) -> Vec<(RuleId, usize, Vec<Values>)> {
        let Some(clock) = &self.clock else { return Vec::new() };
        let own = self.moved(stratum).into_iter().filter(|rule| self.rules[*rule].is_own);
        let of_rule =
            |rule| clock.of(rule).enumerate().map(move |(place, at)| (rule, place, clock.flips[at].clone()));
        own.flat_map(of_rule).collect()
    }

    /// Whether conditions of any rule changed.
    pub(crate) fn has_moved(&self) -> bool {
        self.clock.as_ref().is_some_and(|clock| !clock.moved.is_empty())
    }

    /// The rules of a stratum of which conditions changed.
    fn moved(&self, stratum: StratumId) -> Vec<RuleId> {
        let Some(clock) = &self.clock else { return Vec::new() };
        let moved = clock.moved.iter().copied();
        moved.filter(|rule| self.rules[*rule].stratum == Some(stratum)).collect()
    }

    /// Takes over which matches of conditions came and went, once everything is brought up to date.
    pub(crate) fn set_timers(&mut self) {
        let Some(clock) = &mut self.clock else { return };
        for rule in std::mem::take(&mut clock.moved) {
            clock.of(rule).for_each(|at| clock.flips[at].clear());
        }
        for relation in &self.changed {
            let Some(condition) = clock.condition_of(*relation) else { continue };
            let table = self.work.store.relation(*relation);
            for slot in table.changes() {
                let timed = (condition as u32, *slot);
                match table.is(*slot, NEW) {
                    true => {
                        let until = clock.until(condition, &table.row(*slot).own(), self.work.params());
                        clock.timers.set(timed, until);
                    }
                    false => clock.timers.cancel(timed),
                }
            }
        }
    }
}

fn show(work: &mut Work, program: &mut Program, param: ParamId, at: i64) {
    work.set_param(param, Word::from_int(at));
    program.params[param.at()].value = Value::Time(at);
}
