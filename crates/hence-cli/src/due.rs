//! What falls due in `decide --follow` by the wall clock alone: decisions, and the ticks of schedules.

use std::io::Write;
use std::time::{Duration, Instant};

use serde_json::json;

use hence_core::fact::Fact;
use hence_core::literal;
use hence_session::{CommitOutcome, CommitRequest, Schedules};

use super::carry::Carry;
use super::follow::Follow;
use super::{Failure, output, time};

/// Who asserts ticks.
pub(super) const AUTHOR: &str = "hence";

/// After this long the wall clock is looked at again, since it may have been set.
const LONGEST_SLEEP: Duration = Duration::from_secs(600);

/// How soon a change of the file is seen that sets the clock of a test.
const TEST_SLEEP: Duration = Duration::from_millis(5);

/// When to look whether the wall clock shows `until`, in microseconds since the epoch.
pub(super) fn deadline(until: i64) -> Instant {
    let left = Duration::from_micros(u64::try_from(until.saturating_sub(time::wall_clock())).unwrap_or(0));
    Instant::now() + left.min(if time::is_set() { TEST_SLEEP } else { LONGEST_SLEEP })
}

/// What falls due by itself.
#[derive(Default)]
pub(super) struct Due {
    /// The schedules, where the rules have any.
    pub(super) schedules: Option<Schedules>,
    /// Whether `next_tick` says what it has to.
    told: bool,
    /// The instant at which a commit failed: nothing falls due again before one that doesn't.
    pub(super) rest: Option<i64>,
    /// When to try again what there was no room for.
    pub(super) again: Option<Instant>,
    /// The recorded instant that an earlier wall clock waits for, once that is said.
    waits: Option<i64>,
}

impl Follow {
    /// Takes up what fell due while nobody followed.
    pub(super) fn begin(&mut self, out: &mut dyn Write) -> Result<(), Failure> {
        let now = self.clock(time::wall_clock())?;
        if self.now.is_none() {
            self.due.schedules = Schedules::of(&mut self.session, now)?;
            self.show_schedule_faults();
            self.commit_instant(now, out)?;
        }
        self.carry_out(&CommitOutcome::default(), now, out)
    }

    /// Takes up what others recorded after transaction `known`, while they had the ledger: what follows is decided.
    pub(super) fn take_up(&mut self, known: u64, out: &mut dyn Write) -> Result<(), Failure> {
        if self.session.last_tx() == known { Ok(()) } else { self.catch_up(out) }
    }

    /// Looks at the ledger afresh: what follows is decided, and carried out.
    pub(super) fn catch_up(&mut self, out: &mut dyn Write) -> Result<(), Failure> {
        let now = self.clock(time::wall_clock())?;
        if self.due.schedules.is_some() {
            self.due.schedules = Schedules::of(&mut self.session, now)?;
            self.due.told = false;
            self.show_schedule_faults();
        }
        if let Some(carry) = &mut self.carry {
            carry.forget();
        }
        self.due.rest = None;
        self.fall_due(time::wall_clock(), out)?;
        self.commit_instant(now, out)?;
        self.carry_out(&CommitOutcome::default(), now, out)
    }

    /// What the clock shows: what lines said last, else the wall clock, which waits where it is behind what is recorded.
    pub(super) fn clock(&mut self, wall: i64) -> Result<i64, Failure> {
        if let Some(now) = self.now {
            return Ok(now);
        }
        let recorded = self.session.clock()?.filter(|recorded| *recorded > wall);
        if let (Some(at), true) = (recorded, recorded != self.due.waits) {
            output::note(&format!(
                "the wall clock shows {}, earlier than the last recorded instant {}: until then, `now` is that instant",
                literal::time_text(wall),
                literal::time_text(at)
            ));
        }
        self.due.waits = recorded;
        Ok(recorded.unwrap_or(wall))
    }

    /// The next instant at which something falls due by the wall clock.
    pub(super) fn wakes(&mut self) -> Result<Option<i64>, Failure> {
        Ok(self.decides_at()?.into_iter().chain(self.carries_at()).min())
    }

    /// The next instant at which the clock alone may change what follows.
    fn decides_at(&mut self) -> Result<Option<i64>, Failure> {
        if self.now.is_some() || self.due.rest.is_some() {
            return Ok(None);
        }
        let tick = self.due.schedules.as_ref().and_then(Schedules::next);
        Ok(self.session.next_change()?.into_iter().chain(tick).min())
    }

    /// The next instant at which a carrier is tried again.
    fn carries_at(&self) -> Option<i64> {
        self.carry.as_ref().filter(|_| self.now.is_none()).and_then(Carry::next)
    }

    /// Commits every instant up to `wall` at which something falls due, each by itself, and carries out what is due. A
    /// schedule ticks once, however many of its instants the clock went past.
    pub(super) fn fall_due(&mut self, wall: i64, out: &mut dyn Write) -> Result<(), Failure> {
        if let Some(schedules) = &mut self.due.schedules {
            schedules.skip(wall);
        }
        while let Some(at) = self.decides_at()?.filter(|at| *at <= wall) {
            self.commit_instant(at, out)?;
        }
        if self.carries_at().is_some_and(|at| at <= wall) {
            let now = self.clock(wall)?;
            self.carry_out(&CommitOutcome::default(), now, out)?;
        }
        Ok(())
    }

    /// Commits what somebody says between the lines, and says what came of it; nothing is carried out yet.
    #[cfg(feature = "server")]
    pub(super) fn decide(
        &mut self,
        change: CommitRequest,
        out: &mut dyn Write,
    ) -> Result<CommitOutcome, Failure> {
        let now = change.now;
        if self.now.is_none() {
            self.fall_due(change.time, out)?;
        }
        self.due.rest = None;
        let decided = self.session.commit(change, false).inspect_err(|error| {
            if error.is_of_the_change() {
                self.due.rest = Some(now);
            }
        })?;
        self.follow_schedules(&decided, now);
        self.tell(None, &decided, now, out)?;
        self.tell_next_ticks(now, out)?;
        Ok(decided)
    }

    /// Goes on under other rules, where the session can; what follows is decided by whoever calls.
    ///
    /// # Errors
    /// The rules don't fit what is recorded; those of before stay in force.
    #[cfg(feature = "server")]
    pub(super) fn renew(
        &mut self,
        rules: hence_session::RuleSet,
        sets: &[(hence_core::symbol::Symbol, hence_core::value::Value)],
    ) -> Result<(), hence_session::SessionError> {
        let rules = match self.session.ledger() {
            Some(ledger) => {
                let recorded = hence_session::recorded_params(ledger, hence_ledger::When::Now)?;
                rules.under_recorded(&recorded, sets)?
            }
            None => rules,
        };
        self.session.renew(rules)?;
        self.speakers =
            super::speaker::Speakers::new(self.session.rules(), self.speakers.author().to_owned());
        Ok(())
    }

    fn commit_instant(&mut self, now: i64, out: &mut dyn Write) -> Result<(), Failure> {
        let wall = time::wall_clock();
        let mut ticks =
            self.due.schedules.as_mut().map(|schedules| schedules.due(now, wall)).unwrap_or_default();
        let is_tick = !ticks.is_empty();
        let (next, passed) = self.next_ticks(is_tick)?;
        ticks.extend(next);
        let is_own = !ticks.is_empty() || !passed.is_empty();
        let author = if is_own { String::from(AUTHOR) } else { self.speakers.author().to_owned() };
        let source = String::from(self.source);
        let change = CommitRequest {
            assertions: ticks,
            retractions: passed,
            author,
            source,
            time: wall,
            now,
            ..CommitRequest::default()
        };
        match self.session.commit(change, false) {
            Ok(decided) => {
                self.due.told = true;
                self.follow_schedules(&decided, now);
                let is_quiet = decided.drawn.is_empty()
                    && decided.lapsed.is_empty()
                    && decided.steps.is_empty()
                    && !self.told.differs(&decided);
                if is_tick || !is_quiet {
                    self.write(None, &decided, now, out)?;
                }
                Ok(())
            }
            Err(error) if error.is_of_the_change() => {
                self.due.rest = Some(now);
                let message = format!("at {}: {error}", literal::time_text(now));
                Ok(self.refuse(None, &[json!({ "message": message })], error.is_limit(), out)?)
            }
            Err(error) => self.hold_up(None, error, now, out),
        }
    }

    /// What is to be said of the next ticks, and what no longer; some ticked, or else it may be said already.
    fn next_ticks(&self, ticked: bool) -> Result<(Vec<Fact>, Vec<Fact>), Failure> {
        let schedules = self.due.schedules.as_ref().filter(|_| ticked || !self.due.told);
        Ok(schedules.map(|schedules| schedules.next_ticks(&self.session)).transpose()?.unwrap_or_default())
    }

    /// Says when schedules that came or went tick next, where that is not said yet.
    pub(super) fn tell_next_ticks(&mut self, now: i64, out: &mut dyn Write) -> Result<(), Failure> {
        let (next, passed) = self.next_ticks(false)?;
        if next.is_empty() && passed.is_empty() {
            self.due.told = true;
            return Ok(());
        }
        self.commit_instant(now, out)
    }

    /// Takes over which schedules came and went.
    pub(super) fn follow_schedules(&mut self, decided: &CommitOutcome, now: i64) {
        if let Some(schedules) = &mut self.due.schedules {
            self.due.told &= !schedules.follow(decided, now);
            self.show_schedule_faults();
        }
    }

    /// Says which schedules can't be read.
    fn show_schedule_faults(&mut self) {
        for fault in self.due.schedules.iter_mut().flat_map(Schedules::take_faults) {
            output::warning(&fault);
        }
    }
}
