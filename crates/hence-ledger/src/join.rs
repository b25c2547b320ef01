//! Bringing journal and base together: what the journal holds beyond the base is applied to it, and a base that doesn't
//! belong to the journal is made again.

use super::Based;
use super::Ledger;
use super::base::{self, Base, BaseError, MemoryBase};
use super::error::{LedgerError, Notice};
use super::journal::{End, Journal};
use super::lock::Closed;
use super::open::{Fresh, OpenOptions};
use super::progress::Work;
use super::scan::{From, Scanned, Whole};
use super::state::{self, State};
use super::verify::base_agrees;
use super::view::View;

/// Journals up to this size are checked whole whenever a process first opens them, which takes a millisecond a MiB; larger
/// ones after what the base holds.
const WHOLE_CHECK: u64 = 4 << 20;

/// A base of up to so many facts and decisions is compared with their digest whenever a process first opens it.
const ALWAYS_CHECKED: u64 = 20_000;

/// What a base says that it holds.
pub(super) struct Held {
    pub(super) state: State,
    /// The last transaction of which it may hold changes, where that lies beyond the state.
    pub(super) reach: Option<End>,
}

impl Held {
    fn of(base: &dyn Base) -> Result<Self, BaseError> {
        let reach = state::reach(base)?;
        let state = match State::decode(base)? {
            Some(state) => state,
            None if reach.is_some() || base.above(&[])?.is_none() => State::default(),
            None => return Err(BaseError::damaged("its state is missing")),
        };
        let reach = reach.filter(|reach| reach.tx > state.tx);
        Ok(Self { state, reach })
    }

    /// The last transaction that it knows to have been acknowledged.
    fn acknowledged(&self) -> u64 {
        self.reach.map_or(self.state.tx, |reach| reach.tx)
    }
}

impl Ledger {
    /// Brings base and journal together, with a new base where the old one can't be used, and makes ready for writing.
    pub(super) fn start(
        &mut self,
        base: Result<Box<dyn Base>, BaseError>,
        fresh: &mut Fresh,
        options: &OpenOptions,
        existed: bool,
    ) -> Result<(), LedgerError> {
        let mut known = 0;
        let joined = match base.and_then(|base| Ok((Held::of(base.as_ref())?, base))) {
            Ok((held, _)) if options.rebuild => {
                known = held.acknowledged();
                Err(LedgerError::Base(String::from("on request")))
            }
            Ok((held, base)) => {
                self.journal.settle(held.state.end)?;
                self.join(base, 0)
            }
            Err(error) => Err(error.into()),
        };
        let scanned = match joined {
            Err(LedgerError::Base(why)) => self.rebuild(why, known, fresh)?,
            joined => {
                let (scanned, from) = joined?;
                self.report_joined(from, existed);
                scanned
            }
        };
        self.flush()?;
        let notices = self.journal.begin_writing(scanned.done.mark, self.state.tx)?;
        self.notices.extend(notices);
        self.writable = true;
        self.based = Based::Base;
        Ok(())
    }

    fn report_joined(&mut self, from: u64, existed: bool) {
        let to = self.state.tx;
        if !base::KEPT {
            return;
        }
        if from == 0 && to > 0 && !existed {
            let why = String::from("there was none");
            self.notices.push(Notice::Rebuilt { why, renamed: None, to });
        } else if from < to {
            self.notices.push(Notice::CaughtUp { from, to });
        }
    }

    /// Makes a base from the journal alone; the old one, which knew of transaction `known`, is set aside.
    fn rebuild(&mut self, why: String, known: u64, fresh: &mut Fresh) -> Result<Scanned, LedgerError> {
        self.let_go();
        self.journal.settle(self.state.end)?;
        self.remove_table()?;
        let (base, renamed) = fresh.make()?;
        match self.join(base, known) {
            Ok((scanned, _)) => {
                self.notices.push(Notice::Rebuilt { why, renamed, to: self.state.tx });
                Ok(scanned)
            }
            Err(error) => {
                self.let_go();
                fresh.undo();
                Err(error)
            }
        }
    }

    /// Lets go of the base.
    fn let_go(&mut self) {
        self.view = View::new(Box::new(MemoryBase::default()));
        self.state = State::default();
    }

    /// Takes `base` and applies to it what the journal, which must reach to transaction `known`, holds beyond it; says
    /// how far it reached by itself. Where the error is [`LedgerError::Base`], a new base helps.
    pub(super) fn join(&mut self, base: Box<dyn Base>, known: u64) -> Result<(Scanned, u64), LedgerError> {
        let held = self.take(base)?;
        let from = self.first_checked(&held)?;
        let scanned = self.replay(from, u64::MAX, held.reach)?;
        self.check_end(&scanned, known.max(held.acknowledged()))?;
        // What a killed process wrote ahead of its position is covered by the backlog, so the check comes after it.
        let few = !self.reopens && self.holds_few();
        self.check_agrees(few || !self.is_as_left(&held.state))?;
        Ok((scanned, held.state.tx))
    }

    /// Takes `base`, which must follow the snapshot that the journal begins with.
    pub(super) fn take(&mut self, base: Box<dyn Base>) -> Result<Held, LedgerError> {
        let held = Held::of(base.as_ref())?;
        self.view = View::new(base);
        self.state = held.state.clone();
        if self.state.tx == 0 {
            if held.reach.is_some() && self.journal.snapshot.is_some() {
                return Err(LedgerError::Base(String::from("its state is missing")));
            }
            self.begin()?;
        } else if self.state.snapshot != self.journal.snapshot.map_or(0, |held| held.segment) {
            return Err(LedgerError::Base(String::from("the journal was compacted")));
        }
        Ok(held)
    }

    /// From where on the journal is checked: a short one as a whole.
    pub(super) fn first_checked(&self, held: &Held) -> Result<From, LedgerError> {
        if !self.reopens && self.journal.size()? <= WHOLE_CHECK {
            Ok(self.journal.beginning())
        } else {
            self.joint(&held.state)
        }
    }

    /// Whether comparing all that holds with its digest takes no time.
    pub(super) fn holds_few(&self) -> bool {
        self.state.facts + self.state.decisions <= ALWAYS_CHECKED
    }

    /// Where that is asked for, checks that what holds has the journal's digest.
    pub(super) fn check_agrees(&self, asked: bool) -> Result<(), LedgerError> {
        if asked && !base_agrees(&self.view, &self.state)? {
            return Err(LedgerError::Base(String::from("its facts differ from the journal's")));
        }
        Ok(())
    }

    /// Whether journal and base, which holds `held`, are those that the last writer brought to an end together.
    fn is_as_left(&self, held: &State) -> bool {
        let last = self.state.last();
        self.left.closed == Closed::At(last) && self.left.base == Some(last) && held.last() == last
    }

    /// Checks that the journal reaches to what was acknowledged: what the last writer closed it with, and transaction
    /// `known`; and that nothing but an unfinished write of a process that was killed lies after it.
    pub(super) fn check_end(&mut self, scanned: &Scanned, known: u64) -> Result<(), LedgerError> {
        let due = self.left.known().map_or(known, |end| known.max(end.tx));
        let done = scanned.done;
        let missing = done.transaction + 1;
        if done.transaction < due {
            let (at, what) = match scanned.left {
                Some(left) => (left.at, left.what.to_owned()),
                None => (done.mark.end, format!("the acknowledged transaction {missing} is missing")),
            };
            return Err(self.journal.damage(at, missing, what));
        }
        match (scanned.left, self.left.closed) {
            (Some(left), Closed::At(_) | Closed::Somewhere) => {
                Err(self.journal.damage(left.at, missing, left.what.to_owned()))
            }
            (None, Closed::At(End { tx, .. })) if tx < done.transaction => {
                let what = format!(
                    "the ledger was closed with transaction {tx}, but its journal continues to {}",
                    done.transaction
                );
                Err(LedgerError::NotAsLeft { path: self.lock_path(), what })
            }
            (None, Closed::At(End { tx, head })) if tx == done.transaction && head != done.mark.head => {
                self.notices.push(Notice::OtherJournal { tx, closed: head, found: done.mark.head });
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Takes over what the journal's snapshot holds, if it has one.
    pub(super) fn begin(&mut self) -> Result<(), LedgerError> {
        if let Some(held) = self.journal.snapshot {
            let (state, hash) = self.journal.load_snapshot(held, &mut self.view, self.backlog_limit)?;
            self.snapshot = Some((state.tx, hash));
            self.state = state;
        }
        Ok(())
    }

    /// Where the journal goes on after what the base holds.
    pub(super) fn joint(&self, held: &State) -> Result<From, LedgerError> {
        if held.tx == 0 {
            return Ok(self.journal.beginning());
        }
        let last = self.journal.read_end(held.start, held.tx)?;
        if (last.hash, last.end) == (held.head, held.end) { Ok(held.after()) } else { Err(foreign()) }
    }

    /// Applies the transactions of the journal after `from` that the state doesn't hold, up to `last`. It must be the
    /// journal that the base follows, and `reach` be of it.
    pub(super) fn replay(
        &mut self,
        from: From,
        last: u64,
        reach: Option<End>,
    ) -> Result<Scanned, LedgerError> {
        let Self { journal, view, state, backlog_limit, snapshot, watcher, .. } = self;
        let held = state.tx;
        let _span = tracing::debug_span!("replay", held).entered();
        journal.scan(from, &mut |whole| {
            journal.check_named(*snapshot, &whole)?;
            let is_other = |end: End| whole.number == end.tx && whole.hash != end.head;
            if whole.number == held && whole.hash != state.head || reach.is_some_and(is_other) {
                return Err(foreign());
            }
            if whole.number > held {
                apply(journal, view, state, &whole, *backlog_limit)?;
                watcher.report(Work::CatchingUp, whole.number - held, None);
            }
            Ok(whole.number < last)
        })
    }

    /// Writes the backlog to the base.
    pub(super) fn flush(&mut self) -> Result<(), LedgerError> {
        // What the base holds must not outlive the journal.
        self.journal.make_durable()?;
        if self.view.is_behind() {
            self.view.flush(self.state.last(), self.state.encode())?;
        }
        self.base_tx = self.state.tx;
        Ok(())
    }
}

pub(super) fn foreign() -> LedgerError {
    LedgerError::Base(String::from("it belongs to another journal"))
}

/// Applies a transaction of the journal, writing to the base where more than `limit` bytes wait.
pub(super) fn apply(
    journal: &Journal,
    view: &mut View,
    state: &mut State,
    whole: &Whole,
    limit: usize,
) -> Result<(), LedgerError> {
    let applied = state.apply(whole, view, limit)?;
    applied.map_err(|malformed| journal.damage(whole.start, whole.number, malformed.to_string()))
}
