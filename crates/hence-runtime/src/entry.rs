//! An entry of the outbox: its state, and what is to be done about it next.

use super::note::{EntryNote, Mark};

/// No pause is longer than this, in microseconds: one hour, unless the first one is.
pub const LONGEST_PAUSE: i64 = 3_600_000_000;

/// Whether a carrier may be asked twice to do the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeat {
    /// It does it once, by the key that it receives, or doing it twice does no harm.
    Safe,
    /// A person looks first.
    Unsafe,
}

/// How the decisions of a relation are carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Whether an attempt whose outcome is unknown is repeated.
    pub repeat: Repeat,
    /// How often it is tried.
    pub attempts: u32,
    /// The pause after the first failure, in microseconds; each further one is twice as long.
    pub pause: i64,
}

/// What has become of a decision that is to be carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Drawn, and not begun.
    Due,
    /// Begun; where no process is at it, one ended on the way.
    Begun,
    /// Done, which is to be noted.
    Answered,
    /// Not done, and to be tried again.
    Failed,
    /// A person has to say what is to be done.
    Waiting,
    /// Done.
    Carried,
    /// Not tried any more.
    GivenUp,
    /// The decision lapsed.
    Cancelled,
    /// A person had it left.
    Skipped,
}

impl State {
    /// Its name.
    pub fn word(self) -> &'static str {
        match self {
            Self::Due => "due",
            Self::Begun => "begun",
            Self::Answered => "answered",
            Self::Failed => "failed",
            Self::Waiting => "waiting",
            Self::Carried => "carried",
            Self::GivenUp => "given up",
            Self::Cancelled => "cancelled",
            Self::Skipped => "skipped",
        }
    }

    /// Whether it stays so unless a person asks for something else.
    pub fn is_end(self) -> bool {
        matches!(self, Self::Carried | Self::GivenUp | Self::Cancelled | Self::Skipped)
    }
}

/// What is to be done about an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextStep {
    /// Begin this attempt.
    Carry(u32),
    /// Note that it is done.
    Finish,
    /// Note that its decision lapsed.
    Cancel,
    /// Note that it was tried as often as it may be.
    GiveUp,
    /// Nothing before this time, in microseconds since the epoch.
    Wait(i64),
    /// Nothing before a person says so.
    Ask,
    /// Nothing any more.
    Done,
}

/// A decision that is to be carried out: what its notes come to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutboxEntry {
    /// The attempt that was begun last, 0 for none.
    pub attempt: u32,
    /// How many were begun since a person last asked for one.
    pub tried: u32,
    /// The last note.
    pub last: Option<EntryNote>,
}

impl OutboxEntry {
    /// Takes the next note in.
    pub fn take(&mut self, note: EntryNote) {
        match note.mark {
            Mark::Retry => self.tried = 0,
            // A carrier that needs no beginning notes its first attempt with what came of it.
            _ if note.attempt > self.attempt => self.tried = self.tried.saturating_add(1),
            _ => {}
        }
        self.attempt = self.attempt.max(note.attempt);
        self.last = Some(note);
    }

    /// Its state under a policy.
    pub fn state(&self, policy: &Policy) -> State {
        let Some(last) = &self.last else { return State::Due };
        match last.mark {
            Mark::Retry => State::Due,
            Mark::Begun | Mark::Unknown if policy.repeat == Repeat::Unsafe => State::Waiting,
            Mark::Begun => State::Begun,
            Mark::Failed | Mark::Unknown => State::Failed,
            Mark::Answered => State::Answered,
            Mark::Carried => State::Carried,
            Mark::GivenUp => State::GivenUp,
            Mark::Cancelled => State::Cancelled,
            Mark::Skipped => State::Skipped,
        }
    }

    /// Whether a carrier may start now that the entry has reached this state, or later.
    pub fn next(&self, policy: &Policy) -> Option<i64> {
        let last = self.last.as_ref().filter(|_| self.state(policy) == State::Failed)?;
        Some(last.at.saturating_add(pause(policy, self.tried)))
    }

    /// What is to be done at `now`, where the decision `stands` or doesn't.
    pub fn step(&self, policy: &Policy, stands: bool, now: i64) -> NextStep {
        let used_up = self.tried >= policy.attempts;
        match self.state(policy) {
            State::Carried | State::GivenUp | State::Cancelled | State::Skipped => NextStep::Done,
            State::Answered => NextStep::Finish,
            _ if !stands => NextStep::Cancel,
            State::Waiting => NextStep::Ask,
            State::Begun | State::Failed if used_up => NextStep::GiveUp,
            State::Due | State::Begun => NextStep::Carry(self.attempt.saturating_add(1)),
            State::Failed => match self.next(policy).filter(|next| *next > now) {
                Some(next) => NextStep::Wait(next),
                None => NextStep::Carry(self.attempt.saturating_add(1)),
            },
        }
    }
}

/// The pause after so many attempts.
fn pause(policy: &Policy, tried: u32) -> i64 {
    let longest = LONGEST_PAUSE.max(policy.pause);
    let doubled = 1i64.checked_shl(tried.saturating_sub(1).min(62)).unwrap_or(i64::MAX);
    policy.pause.saturating_mul(doubled).min(longest)
}
