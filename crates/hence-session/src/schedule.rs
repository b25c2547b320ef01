//! Ticks of schedules: facts that are asserted at the instants that standing facts name by a cron expression.
//!
//! Rules that declare `input schedule(name: string, cron: string, zone: string)` and `input tick(name: string, at: time)`,
//! if they like with a further column `late: bool`, ask for them. An instant is one of the calendar of its zone: where
//! clocks skip it, the next one that they show, where they show it twice, the first.

use std::collections::{BTreeMap, BTreeSet};

use cronexpr::{Crontab, MakeTimestamp, parse_crontab};

use hence_core::fact::Fact;
use hence_core::schema::{Kind, RelationId};
use hence_core::symbol::Symbol;
use hence_core::value::{Type, Value};
use hence_lang::builtins::zone;
use hence_lang::ir::Program;
use hence_ledger::When;

use super::error::SessionError;
use super::outcome::CommitOutcome;
use super::{Session, evaluation};

/// A tick that is asserted this much after its instant, in microseconds, is late.
const LATE: i64 = 60_000_000;

/// In so many years every expression that ever ticks does: a leap day falls on each day of the week, even around 2100.
const YEARS: i64 = 40;
/// Four years without their leap day, in microseconds: no more than the library looks ahead.
const FOUR_YEARS: i64 = 4 * 365 * 86_400_000_000;

/// How many fields an expression has: minute, hour, day, month, day of the week.
const FIELDS: usize = 5;

/// The schedules that stand, and when each ticks next.
pub struct Schedules {
    /// Whether ticks say that they are late.
    says_late: bool,
    standing: BTreeMap<Fact, Entry>,
    faults: Vec<String>,
}

/// One schedule.
struct Entry {
    cron: Crontab,
    name: Symbol,
    zone: Symbol,
    /// `None` where there is no instant any more.
    next: Option<i64>,
    /// Whether instants before that one passed and never tick.
    missed: bool,
}

impl Schedules {
    /// The schedules of a session, to be followed from the instant `now` on, in microseconds since the epoch; `None` where
    /// its rules have none. What fell due since a schedule's last tick, or since it was asserted, is due.
    ///
    /// # Errors
    /// A ledger that can't be read.
    pub fn of(session: &mut Session, now: i64) -> Result<Option<Self>, SessionError> {
        let program = &session.rules().program;
        let Some((schedule, tick)) = relations(program) else { return Ok(None) };
        let says_late = program[tick].columns.len() > 2;
        let (ticks, standing) = (session.facts_of(tick)?, session.facts_of(schedule)?);
        let mut last: BTreeMap<Symbol, i64> = BTreeMap::new();
        for fact in &ticks {
            if let [Value::String(name), Value::Time(at), ..] = fact.values.as_slice() {
                let known = last.entry(*name).or_insert(*at);
                *known = (*known).max(*at);
            }
        }
        let mut schedules = Self { says_late, standing: BTreeMap::new(), faults: Vec::new() };
        for fact in standing {
            let asserted = match session.ledger() {
                Some(ledger) => ledger.assertion_at(&fact, When::Now)?.map(|assertion| assertion.time),
                None => None,
            };
            let name = match fact.values.first() {
                Some(Value::String(name)) => last.get(name).copied(),
                _ => None,
            };
            schedules.add(fact, name.or(asserted).unwrap_or(now).min(now));
        }
        Ok(Some(schedules))
    }

    /// Takes over which schedules came and went by a commit at the instant `now`; whether any did.
    pub fn follow(&mut self, outcome: &CommitOutcome, now: i64) -> bool {
        let mut changed = false;
        let steps = outcome.steps.iter().flat_map(|step| &step.changes);
        let steps = steps.map(|change| (&change.fact, change.asserted));
        let removed = outcome.changes.removed.iter().map(|fact| (fact, false));
        let added = outcome.changes.added.iter().map(|fact| (fact, true));
        for (fact, stands) in removed.chain(added).chain(steps) {
            if fact.relation.as_str() != SCHEDULE {
                continue;
            }
            changed = true;
            if stands {
                self.add(fact.clone(), now);
            } else {
                self.standing.remove(fact);
            }
        }
        changed
    }

    fn add(&mut self, fact: Fact, after: i64) {
        match entry(&fact, after) {
            Ok(entry) => {
                self.standing.insert(fact, entry);
            }
            Err(why) => self.faults.push(format!("{fact} never ticks: {why}")),
        }
    }

    /// The instant of the next tick.
    pub fn next(&self) -> Option<i64> {
        self.standing.values().filter_map(|entry| entry.next).min()
    }

    /// The ticks that are due at the instant `now`, ascending, which is by the wall clock `wall`. Of several instants of
    /// one schedule that passed only the last ticks, and is late.
    pub fn due(&mut self, now: i64, wall: i64) -> Vec<Fact> {
        let mut ticks = BTreeSet::new();
        for entry in self.standing.values_mut() {
            let Some(at) = entry.next.filter(|at| *at <= now) else { continue };
            let at = entry.last_by(at, now);
            let is_late = std::mem::take(&mut entry.missed) || wall.saturating_sub(at) > LATE;
            entry.next = after(&entry.cron, entry.zone, at);
            let mut values = vec![Value::String(entry.name), Value::Time(at)];
            values.extend(self.says_late.then_some(Value::Bool(is_late)));
            ticks.insert(Fact::new(Symbol::new(TICK), values));
        }
        ticks.into_iter().collect()
    }

    /// Goes on to the last instant of each schedule up to `now`: the clock went past those before it, so they never tick.
    pub fn skip(&mut self, now: i64) {
        for entry in self.standing.values_mut() {
            if let Some(first) = entry.next.filter(|at| *at <= now) {
                entry.next = Some(entry.last_by(first, now));
            }
        }
    }

    /// What `next_tick` has to say, and what it says and must no longer, where the rules declare it.
    ///
    /// # Errors
    /// A ledger that can't be read.
    pub fn next_ticks(&self, session: &Session) -> Result<(Vec<Fact>, Vec<Fact>), SessionError> {
        let program = &session.rules().program;
        let declared = program.find(NEXT.into()).filter(|id| {
            let found = program[*id].columns.iter().map(|column| (column.name.as_str(), column.ty.ty));
            program[*id].kind == Kind::Input && found.eq([("name", Type::String), ("at", Type::Time)])
        });
        let Some(declared) = declared else { return Ok((Vec::new(), Vec::new())) };
        let next = |entry: &Entry| {
            let values = vec![Value::String(entry.name), Value::Time(entry.next?)];
            Some(Fact::new(Symbol::new(NEXT), values))
        };
        let wanted: BTreeSet<Fact> = self.standing.values().filter_map(next).collect();
        let known: BTreeSet<Fact> = session.facts_of(declared)?.into_iter().collect();
        Ok((wanted.difference(&known).cloned().collect(), known.difference(&wanted).cloned().collect()))
    }

    /// What is wrong with schedules that never tick; each is told once.
    pub fn take_faults(&mut self) -> Vec<String> {
        std::mem::take(&mut self.faults)
    }
}

impl Entry {
    /// The last instant up to `now`, from `first` on; notes whether there are others.
    fn last_by(&mut self, first: i64, now: i64) -> i64 {
        let (mut last, mut bound) = (first, now);
        // No instant is after `bound`; as many steps as the span has digits, however many instants are in it.
        while last < bound {
            let middle = last + (bound - last) / 2;
            match after(&self.cron, self.zone, middle).filter(|at| *at <= now) {
                Some(at) => last = at,
                None => bound = middle,
            }
        }
        self.missed |= last != first;
        last
    }
}

const SCHEDULE: &str = "schedule";
const TICK: &str = "tick";
const NEXT: &str = "next_tick";

/// The relations of schedules and ticks, where the rules declare both as they are to be.
fn relations(program: &Program) -> Option<(RelationId, RelationId)> {
    let columns = |id: RelationId, wanted: &[(&str, Type)]| {
        let relation = &program[id];
        let found = relation.columns.iter().map(|column| (column.name.as_str(), column.ty.ty));
        relation.kind == Kind::Input && found.eq(wanted.iter().copied())
    };
    let (schedule, tick) = (program.find(SCHEDULE.into())?, program.find(TICK.into())?);
    let (text, time) = (Type::String, ("at", Type::Time));
    let is_schedule = columns(schedule, &[("name", text), ("cron", text), ("zone", text)]);
    let is_tick = columns(tick, &[("name", text), time]);
    let is_tick = is_tick || columns(tick, &[("name", text), time, ("late", Type::Bool)]);
    (is_schedule && is_tick).then_some((schedule, tick))
}

/// What a fact of a schedule asks for, after an instant.
fn entry(fact: &Fact, begin: i64) -> Result<Entry, String> {
    let [Value::String(name), Value::String(cron), Value::String(zone)] = *fact.values.as_slice() else {
        return Err(String::from("expected three strings"));
    };
    if !zone::exists(zone.as_str()) {
        let help = zone::nearest_name(zone.as_str()).map(|near| format!("; did you mean `{near}`?"));
        return Err(format!("unknown time zone `{zone}`{}", help.unwrap_or_default()));
    }
    let found = cron.as_str().split_whitespace().count();
    if found != FIELDS {
        return Err(format!(
            "`{cron}` has {found} fields, expected {FIELDS}: minute, hour, day, month and day of the week"
        ));
    }
    // In UTC the library counts in what clocks show, whatever the zone.
    let expression = cron;
    let cron = parse_crontab(&format!("{cron} UTC")).map_err(|error| {
        let why = error.to_string();
        let why = why.lines().last().map(|line| format!(": {}", line.trim()));
        format!("`{cron}` is no cron expression{}", why.unwrap_or_default())
    })?;
    let next = after(&cron, zone, begin);
    if next.is_none() {
        return Err(format!("`{expression}` names no instant of the {YEARS} years to come"));
    }
    Ok(Entry { cron, name, zone, next, missed: false })
}

/// The first instant of a schedule after another.
fn after(cron: &Crontab, zone: Symbol, begin: i64) -> Option<i64> {
    let mut shown = zone::shown_in(begin, zone)?;
    loop {
        shown = next_shown(cron, shown)?;
        if let Some(at) = zone::first_showing(shown, zone).filter(|at| *at > begin) {
            return Some(at);
        }
    }
}

/// The first instant after another in what clocks show. The library gives up after four years.
fn next_shown(cron: &Crontab, shown: i64) -> Option<i64> {
    (0..=YEARS / 4).find_map(|time| {
        let begin = MakeTimestamp::from_microsecond(shown.checked_add(time * FOUR_YEARS)?).ok()?;
        cron.find_next(begin).ok().map(|next| next.timestamp().as_microsecond())
    })
}

impl Session {
    /// The facts of a relation that stand.
    fn facts_of(&self, relation: RelationId) -> Result<Vec<Fact>, SessionError> {
        let rules = self.rules();
        let asked = BTreeSet::from([relation]);
        let input = self.standing_for((&rules.program, &rules.sources), &asked, When::Now)?;
        let rows = input.rows(relation).into_iter().flat_map(|rows| rows.iter());
        let mut facts: Vec<Fact> =
            rows.map(|row| evaluation::fact_of(&rules.program, relation, row)).collect();
        facts.sort_unstable();
        Ok(facts)
    }
}
