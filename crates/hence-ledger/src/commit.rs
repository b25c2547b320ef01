//! Writing a transaction: into the journal first, then, once it is durable, into state and backlog.

use std::borrow::Cow;
use std::ops::Range;

use hence_core::fault;
use hence_core::meter;
use tracing::debug_span;

use super::Ledger;
use super::admit;
use super::base::{BaseError, Batch};
use super::content::{self, Act, Change, Summary, encode_changes};
use super::error::{LedgerError, Notice};
use super::hash::Digest;
use super::journal::End;
use super::keys;
use super::list::ChangeList;
use super::personal::{self, Declared, ERASED, PERSONAL};
use super::plan::{ResolvedDelta, TransactionPlan};
use super::principals::PRINCIPAL;
use super::progress::Work;
use super::record::RecordKind;
use super::redact::Redaction;
use super::scan::Whole;
use super::schemas::check_renewed;
use super::state;
use super::transaction::{Changes, Committed, Draft};

/// After so many facts the progress of a load is reported.
const STEP: u64 = 10_000;

/// How many times the limit of a backlog wait before a thread that writes an earlier one is waited for.
const MOST_BEHIND: usize = 8;

/// How a transaction is written.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct How {
    /// Whether it is made durable later.
    pub(super) deferred: bool,
    /// Whether its commit says that the one before it was not durable, even where it is by now.
    pub(super) joined: bool,
}

impl Ledger {
    /// What the facts of `draft`, which are taken out of it, change: for an evaluation, which finds the decisions to be
    /// committed with them, and for [`Ledger::commit_resolved`].
    ///
    /// # Errors
    /// If a fact doesn't fit the columns recorded for it, a number matches what must not be recorded, or the base can't
    /// be read.
    pub fn resolve(&self, draft: &mut Draft) -> Result<(Changes, ResolvedDelta), LedgerError> {
        let resolved = self.resolved_owned(draft)?;
        let (assertions, retractions) =
            (std::mem::take(&mut draft.assertions), std::mem::take(&mut draft.retractions));
        Ok((resolved.changes(assertions, retractions), resolved))
    }

    /// As [`Ledger::resolve`], the facts left where they are. What personal values become is no text of its own.
    fn resolved_owned(&self, draft: &mut Draft) -> Result<ResolvedDelta, LedgerError> {
        self.redaction.owned(draft)?;
        let declared = personal::declared(&draft.assertions);
        let mut resolved = match self.seals(&declared)? {
            true => {
                self.check_schemas(draft)?;
                let proposed = self.proposed(draft, &declared)?;
                ResolvedDelta::of(draft, proposed, &self.state, &self.view)?
            }
            false => self.resolved(draft)?,
        };
        resolved.declared = declared;
        Ok(resolved)
    }

    /// The facts of a draft, which fit its schemas and those recorded, compared with what holds.
    fn resolved(&self, draft: &Draft) -> Result<ResolvedDelta, LedgerError> {
        self.check_schemas(draft)?;
        ResolvedDelta::new(draft, &self.state, &self.view)
    }

    /// As [`Ledger::commit`], for a draft whose facts [`Ledger::resolve`] has taken.
    ///
    /// # Errors
    /// As [`Ledger::commit`], and if somebody wrote since the facts were resolved.
    pub fn commit_resolved(
        &mut self,
        draft: &Draft,
        resolved: ResolvedDelta,
    ) -> Result<Committed, LedgerError> {
        let has_facts = !draft.assertions.is_empty() || !draft.retractions.is_empty();
        if has_facts {
            fault::broken("a draft whose facts are resolved holds none");
        }
        let draft = self.for_record(draft, &resolved.declared)?;
        self.check_draft(&draft)?;
        self.expect(resolved.tx)?;
        self.record(&draft, resolved, false)
    }

    /// Records a transaction; when this returns, it is durable. Retractions come before assertions, so a fact in
    /// both holds. A draft that changes nothing is not recorded: what
    /// held already, and what is retracted and never held, leave no transaction.
    ///
    /// # Errors
    /// If the ledger is open for reading only, somebody wrote since `expect_tx`, a number matches what must not be
    /// recorded, or a file can't be written. The
    /// transaction is absent then; only where making it durable failed, it is unknown until the next opening.
    pub fn commit(&mut self, draft: &Draft) -> Result<Committed, LedgerError> {
        let declared = personal::declared(&draft.assertions);
        let draft = self.for_record(draft, &declared)?;
        self.check_draft(&draft)?;
        let resolved = self.resolved(&draft)?;
        self.record(&draft, resolved, false)
    }

    /// A draft in the form in which it is recorded: without what must not be, personal values under their keys.
    fn for_record<'d>(&self, draft: &'d Draft, declared: &[Declared]) -> Result<Cow<'d, Draft>, LedgerError> {
        let mut draft = self.redaction.draft(draft)?;
        if self.seals(declared)? {
            self.seal_draft(draft.to_mut(), declared)?;
        }
        Ok(draft)
    }

    /// Whether some fact of a draft may hold personal values.
    fn seals(&self, declared: &[Declared]) -> Result<bool, LedgerError> {
        Ok(!declared.is_empty() || !self.personal()?.is_empty())
    }

    /// What must not be recorded; a commit takes it out of what it is given.
    pub fn redaction(&self) -> &Redaction {
        &self.redaction
    }

    /// Records a transaction for what it says, though it may change nothing.
    ///
    /// # Errors
    /// As [`Ledger::commit`].
    pub fn remark(&mut self, draft: &Draft) -> Result<Committed, LedgerError> {
        let declared = personal::declared(&draft.assertions);
        let draft = self.for_record(draft, &declared)?;
        self.check_draft(&draft)?;
        let resolved = self.resolved(&draft)?;
        self.record(&draft, resolved, true)
    }

    /// Like [`Ledger::commit`] for drafts of many facts: their memory is given back before anything is written.
    ///
    /// # Errors
    /// As [`Ledger::commit`].
    pub fn commit_owned(&mut self, mut draft: Draft) -> Result<Committed, LedgerError> {
        self.check_draft(&draft)?;
        let resolved = self.resolved_owned(&mut draft)?;
        (draft.assertions, draft.retractions) = (Vec::new(), Vec::new());
        self.commit_resolved(&draft, resolved)
    }

    /// Records a draft whose facts are resolved already.
    fn record(
        &mut self,
        draft: &Draft,
        resolved: ResolvedDelta,
        remark: bool,
    ) -> Result<Committed, LedgerError> {
        let plan = TransactionPlan::new(draft, resolved, &self.state, &self.view)?;
        self.put_down(draft, plan, (remark, true))
    }

    /// Records a transaction of the past, and how many of its facts held already or were missing then.
    pub(super) fn record_again(
        &mut self,
        draft: &Draft,
        present: u64,
        missing: u64,
    ) -> Result<(), LedgerError> {
        let resolved = ResolvedDelta::new(draft, &self.state, &self.view)?;
        let mut plan = TransactionPlan::new(draft, resolved, &self.state, &self.view)?;
        (plan.tally.present, plan.tally.missing) = (present, missing);
        self.put_down(draft, plan, (true, false)).map(drop)
    }

    fn put_down(
        &mut self,
        draft: &Draft,
        mut plan: TransactionPlan<'_>,
        (remark, sign): (bool, bool),
    ) -> Result<Committed, LedgerError> {
        check_renewed(&self.state, &draft.schemas, &plan.list)?;
        let changed = plan.tally.added > 0 || plan.tally.removed > 0;
        let decided = !draft.drawn.is_empty() || !draft.lapsed.is_empty();
        let recorded = remark || draft.always || draft.steps.is_some() || changed || decided;
        if recorded {
            let parts = plan.list.part_lens(self.part_limit);
            let mut summary = Summary { parts: parts.len() as u64, ..self.summary(draft, &plan)? };
            admit::check(&plan.list, &summary)?;
            if sign {
                self.check_said(&summary.said)?;
                self.sign(&plan.list, &parts, &mut summary)?;
                self.check_signed(&plan.list, (&parts, &summary))?;
            }
            self.save_keys()?;
            let how = How { deferred: draft.deferred, joined: false };
            let whole = self.write(&plan.list, &parts, &summary, how)?;
            self.enter(&plan.list, &summary, &whole)?;
        }
        // Which columns are personal was not asserted by anyone.
        let is_declared = |run: &Range<usize>| {
            plan.list.range(run.clone()).next().is_some_and(|first| first.relation.as_str() == PERSONAL)
        };
        let declared: usize = plan.list.runs().iter().filter(|run| is_declared(run)).map(Range::len).sum();
        plan.tally.added = plan.tally.added.saturating_sub(declared as u64);
        Ok(Committed {
            tx: self.state.tx,
            recorded,
            time: self.state.time,
            head: self.state.head,
            tally: plan.tally,
            facts: self.state.facts,
        })
    }

    /// Checks that nobody wrote since transaction `expected`.
    ///
    /// # Errors
    /// Somebody did, or there is no such transaction yet.
    pub fn expect(&self, expected: u64) -> Result<(), LedgerError> {
        if expected == self.state.tx {
            return Ok(());
        }
        Err(LedgerError::Expected { expected, actual: self.state.tx })
    }

    fn check_draft(&self, draft: &Draft) -> Result<(), LedgerError> {
        if !self.writable {
            return Err(LedgerError::ReadOnly);
        }
        self.journal.check_writable()?;
        meter::check("recording facts")?;
        meter::enter("recording facts");
        draft.expect_tx.map_or(Ok(()), |expected| self.expect(expected))
    }

    pub(super) fn summary(&self, draft: &Draft, plan: &TransactionPlan<'_>) -> Result<Summary, LedgerError> {
        let mut summary = plan.summary(&self.state);
        summary.time = if self.state.tx == 0 { draft.time } else { draft.time.max(self.state.time) };
        summary.author = draft.author.clone();
        summary.source = draft.source.clone();
        summary.note = draft.note.clone();
        summary.clock = draft.clock;
        summary.run = draft.run.clone();
        summary.schemas = draft.schemas.clone();
        summary.steps = draft.steps.clone();
        summary.said = plan.said(&draft.said);
        if let Some(rules) = &draft.rules {
            summary.rules = Some(rules.hash());
            let is_known = self.view.get(&keys::rules(rules.hash()))?.is_some();
            summary.rule_text = (!is_known).then(|| rules.encode());
        }
        Ok(summary)
    }

    /// Returns once all transactions are durable, those of deferred drafts too.
    ///
    /// # Errors
    /// The disk's own: what was deferred is unknown until the next opening then, and nothing is ever written again.
    pub fn make_durable(&mut self) -> Result<(), LedgerError> {
        self.journal.make_durable()?;
        self.relieve();
        Ok(())
    }

    /// Whether all transactions are durable: no deferred draft waits for [`Ledger::make_durable`].
    pub fn is_durable(&self) -> bool {
        !self.journal.is_pending()
    }

    /// Appends the records of a transaction: parts of so many changes, then the commit, durable unless that is put off.
    pub(super) fn write(
        &mut self,
        changes: &ChangeList<'_>,
        parts: &[usize],
        summary: &Summary,
        how: How,
    ) -> Result<Whole, LedgerError> {
        self.journal.check_writable()?;
        let (transaction, changed) = (self.state.tx + 1, changes.len());
        let _span = debug_span!("append", transaction, changes = changed, parts = parts.len()).entered();
        let _recording = meter::recording();
        let mark = self.journal.mark();
        let written = self.append(changes, parts, summary, how);
        if written.is_err() {
            self.journal.roll_back(mark, self.state.tx);
        }
        written
    }

    fn append(
        &mut self,
        changes: &ChangeList<'_>,
        parts: &[usize],
        summary: &Summary,
        How { deferred, joined }: How,
    ) -> Result<Whole, LedgerError> {
        let number = self.state.tx + 1;
        let previous = self.journal.mark().head;
        let mut start = None;
        let mut done = 0;
        let mut content = Vec::new();
        for len in parts {
            content.clear();
            let held = changes.range(done..done + len);
            encode_changes(*len, held.clone(), &mut content);
            let version = content::version(held);
            let at = self.journal.append(RecordKind::Part, version, number, &content)?;
            start.get_or_insert(at);
            done += len;
            self.watcher.report(Work::Recording, done as u64, Some(changes.len() as u64));
        }
        if !parts.is_empty() {
            // A commit that is durable before its parts would look like damage after a power cut.
            self.journal.sync()?;
        }
        content.clear();
        summary.encode(&mut content);
        let held = changes.range(done..changes.len());
        encode_changes(changes.len() - done, held.clone(), &mut content);
        let kind = if joined || self.journal.is_pending() { RecordKind::Joined } else { RecordKind::Commit };
        let at = self.journal.append(kind, summary.version(held), number, &content)?;
        if deferred {
            self.journal.put_off();
        } else {
            self.journal.sync()?;
        }
        let mark = self.journal.mark();
        let start = start.unwrap_or(at);
        Ok(Whole { number, contents: Vec::new(), start, end: mark.end, hash: mark.head, previous, joined })
    }

    /// Takes a written transaction into state and backlog.
    pub(super) fn enter(
        &mut self,
        changes: &ChangeList<'_>,
        summary: &Summary,
        whole: &Whole,
    ) -> Result<(), LedgerError> {
        self.torn = true;
        self.take_in(changes, summary, whole)?;
        self.torn = false;
        self.relieve();
        Ok(())
    }

    fn take_in(
        &mut self,
        changes: &ChangeList<'_>,
        summary: &Summary,
        whole: &Whole,
    ) -> Result<(), LedgerError> {
        for run in changes.runs() {
            let first = changes.range(run.clone()).next();
            match first.map(|first| first.relation.as_str()) {
                Some(PRINCIPAL) => self.forget_principals(),
                Some(PERSONAL | ERASED) => self.vault.forget(),
                _ => {}
            }
            if run.len() >= self.bulk && first.is_some_and(|first| first.act == Act::Assert) {
                self.put_run(changes, run, whole.last())?;
                continue;
            }
            for change in changes.range(run) {
                self.state.change(&change, whole.number, &mut self.view)?;
                self.spill(whole.last());
            }
        }
        self.state.digest = Digest::from_hash(summary.digest);
        Ok(self.state.finish(summary, whole, &mut self.view)?)
    }

    /// Nothing follows a transaction that is recorded and isn't taken in; the next opening does that.
    pub(super) fn torn(&self) -> LedgerError {
        LedgerError::Stopped(format!("transaction {} is recorded but couldn't be applied", self.state.tx + 1))
    }

    /// Takes many assertions of one relation straight into the base: they ascend, so it costs less than by way of the
    /// backlog, and no memory.
    fn put_run(
        &mut self,
        changes: &ChangeList<'_>,
        range: Range<usize>,
        last: End,
    ) -> Result<(), LedgerError> {
        self.journal.make_durable()?;
        let run = changes.range(range.clone());
        let is_short = |change: &Change<'_>| !keys::is_long(change.tuple);
        let tx = last.tx;
        let flushed = self.view.flush(last, Batch::new());
        let mut written = self.flushed(flushed);
        if let Some(first) = run.clone().next().filter(|_| written) {
            let number = self.state.open_relation(first.relation);
            let (watcher, of) = (&self.watcher, changes.len() as u64);
            let counted = (range.start as u64..).zip(run.clone()).inspect(|(done, _)| {
                if done % STEP == 0 {
                    watcher.report(Work::Applying, *done, Some(of));
                }
            });
            let short = counted.map(|(_, change)| change).filter(is_short);
            let put = self.view.put_all(last, short.map(|change| state::entry(change.tuple, number, tx)));
            written = self.flushed(put);
        }
        for change in run {
            if written && is_short(&change) {
                self.state.count(&change)?;
            } else {
                self.state.change(&change, tx, &mut self.view)?;
                self.spill(last);
            }
        }
        Ok(())
    }

    /// Writes a large backlog to the base in the middle of a transaction, to bound the memory it takes.
    fn spill(&mut self, last: End) {
        if self.view.backlog_bytes() > self.most_waiting() && self.journal.make_durable().is_ok() {
            let flushed = self.view.flush(last, Batch::new());
            self.flushed(flushed);
        }
    }

    /// How many bytes may wait at most.
    fn most_waiting(&self) -> usize {
        self.backlog_limit.saturating_mul(if self.behind { MOST_BEHIND } else { 1 })
    }

    /// Writes the backlog to the base once it is large.
    fn relieve(&mut self) {
        if self.behind {
            return self.relieve_behind();
        }
        if self.view.backlog_bytes() > self.backlog_limit && self.journal.make_durable().is_ok() {
            let flushed = self.view.flush(self.state.last(), self.state.encode());
            if self.flushed(flushed) {
                self.base_tx = self.state.tx;
            }
        }
    }

    /// Has another thread write it, once what is recorded is durable anyway; only a backlog of several times the limit is
    /// waited for.
    fn relieve_behind(&mut self) {
        if let Some(written) = self.view.written() {
            self.take_note(written);
        }
        let is_late = self.view.backlog_bytes() > self.most_waiting();
        let waits = self.view.is_writing() || self.journal.is_pending();
        if self.view.backlog_bytes() <= self.backlog_limit || waits && !is_late {
            return;
        }
        let written = self.view.settle().transpose();
        let went_well = written.is_none_or(|written| self.take_note(written));
        if went_well && self.journal.make_durable().is_ok() {
            let begun = self.view.flush_behind(self.state.last(), self.state.encode());
            self.flushed(begun);
        }
    }

    /// Takes note of what another thread has written.
    fn take_note(&mut self, written: Result<u64, BaseError>) -> bool {
        if let Ok(tx) = &written {
            self.base_tx = *tx;
        }
        self.flushed(written.map(drop))
    }

    /// The transactions of a backlog are durable by now, so a base that fails is only reported, and asked less often.
    fn flushed(&mut self, flushed: Result<(), BaseError>) -> bool {
        if let Err(error) = &flushed {
            self.notices.push(Notice::BaseBehind { why: error.to_string() });
            self.backlog_limit = self.backlog_limit.saturating_mul(2);
        }
        flushed.is_ok()
    }
}
