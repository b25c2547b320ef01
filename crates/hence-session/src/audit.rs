//! The audit of a ledger's decisions: every transaction drawn again and compared with what it records.

mod excused;
mod finding;
mod steps;
mod unread;

use std::collections::{BTreeMap, BTreeSet};

use hence_core::fact::Fact;
use hence_core::fault;
use hence_core::meter;
use hence_core::symbol::Symbol;
use hence_engine::{Engine, Limits};
use hence_lang::builtins::zone;
use hence_ledger::{Decision, Lapsed, Ledger, Transaction, TxInfo};
use hence_proof::{Explanation, Finder};

use super::compiled::COMPILED;
use super::cross_check::BOTH;
use super::drawn::{DecisionId, place};
use super::effects::Rounds;
use super::erased::Unreadable;
use super::error::SessionError;
use super::evaluation;
use super::follow::{Follower, Redrawn};
use super::history::History;
use super::lapse::{DecisionRelations, DrawnBy, Reasons, Since, archived_by};
use super::ruleset::RuleSet;
use super::why::decision;
pub use finding::{Discrepancy, Finding};
pub(super) use steps::stepped;
use unread::{is_of_the_rules, said};

/// The engines whose names a record may hold.
const ENGINES: [&str; 5] = ["embedded", "naive", "dataflow", COMPILED, BOTH];

/// The source of a transaction that says that a snapshot replaces those before it.
const COMPACT: &str = "compact";

/// How a ledger's decisions are audited.
pub struct Audit<'a> {
    /// The ledger.
    pub ledger: &'a Ledger,
    /// The first transaction to draw again.
    pub from: u64,
    /// The last one.
    pub to: u64,
    /// The engine.
    pub engine: &'a dyn Engine,
    /// The limits of each evaluation.
    pub limits: Limits,
    /// Whether undefined operations count as false in transactions that don't record it.
    pub lenient: bool,
}

/// What an audit came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Audited {
    /// How many transactions were drawn again.
    pub evaluated: u64,
    /// How many decisions were drawn again in all.
    pub decisions: u64,
    /// How many faults were found.
    pub faults: u64,
    /// How many differences may come of personal values that nobody can read any more.
    pub open: u64,
}

impl Audit<'_> {
    /// Draws every transaction again and hands what differs to `each` as it is found, until it answers `false`;
    /// `progress` hears of each transaction.
    ///
    /// # Errors
    /// A ledger that can't be read, a limit that was reached. Faulty records are findings, and no errors.
    pub fn run(
        &self,
        progress: &mut dyn FnMut(u64),
        each: &mut dyn FnMut(&Finding) -> bool,
    ) -> Result<Audited, SessionError> {
        fault::caught(|| self.drawn_again(progress, each))
    }

    fn drawn_again(
        &self,
        progress: &mut dyn FnMut(u64),
        each: &mut dyn FnMut(&Finding) -> bool,
    ) -> Result<Audited, SessionError> {
        let mut history = History::new(self.ledger, self.engine, self.limits, self.lenient);
        let first = self.from.max(1);
        let stood = history.standing(first - 1)?;
        let salvaged = self.ledger.salvaged()?.unwrap_or(0);
        let again = Redrawn::new(stood.clone());
        let (follower, unsettled, since) = (Follower::default(), BTreeSet::new(), None);
        let erased = Unreadable::before(self.ledger, first)?;
        let rounds = Rounds::before(first, &mut history, true)?;
        let mut course = Course {
            stood,
            again,
            follower,
            rounds,
            unsettled,
            since,
            decided: 0,
            erased,
            runs: false,
            reasons: false,
            salvaged,
        };
        let mut audited = Audited::default();
        for tx in first..=self.to.min(self.ledger.last_tx()) {
            progress(tx);
            meter::check("drawing decisions again")?;
            let transaction = self.ledger.transaction(tx)?;
            course.follower.take(&transaction);
            course.rounds.take(&transaction);
            course.change(&transaction);
            course.erased.take(self.ledger, tx)?;
            let found = course.transaction(&mut history, &transaction, &mut audited)?;
            if DrawnBy::of(&transaction.info).is_some() {
                course.decided = tx;
            }
            course.since = DrawnBy::of(&transaction.info).map(Since::new).or(course.since.take());
            for finding in found {
                audited.faults += u64::from(finding.what.is_lie());
                audited.open += u64::from(finding.what == Discrepancy::Erased);
                if !each(&finding) {
                    return Ok(audited);
                }
            }
        }
        Ok(audited)
    }
}

/// How far an audit has come.
struct Course {
    /// The decisions that stand by the record.
    stood: BTreeSet<Fact>,
    /// Those that stand when all is drawn again.
    again: Redrawn,
    follower: Follower,
    rounds: Rounds,
    /// The decisions that the last evaluation left undetermined.
    unsettled: BTreeSet<Symbol>,
    /// What changed since decisions were drawn last, as far as that was seen.
    since: Option<Since>,
    /// The last transaction that drew decisions.
    decided: u64,
    erased: Unreadable,
    /// Whether a transaction has recorded how it ran: all that follow do.
    runs: bool,
    /// Whether a lapse has recorded its reason: all that follow do.
    reasons: bool,
    /// The last transaction that was salvaged from a base; 0 where none was.
    salvaged: u64,
}

impl Course {
    /// Takes in what a transaction changes.
    fn change(&mut self, transaction: &Transaction) {
        if let Some(since) = &mut self.since {
            let removed = transaction.removed.iter().map(|(fact, _)| fact);
            since.change(
                transaction.added.iter().chain(removed),
                transaction.info.steps.as_deref().unwrap_or_default(),
            );
        }
    }

    fn transaction(
        &mut self,
        history: &mut History<'_>,
        transaction: &Transaction,
        audited: &mut Audited,
    ) -> Result<Vec<Finding>, SessionError> {
        let info = &transaction.info;
        let of_all = |what| vec![Finding { tx: info.tx, decision: None, what }];
        let records = info.drawn + info.lapsed > 0;
        let (hash, clock) = match (info.rules, info.clock) {
            (Some(hash), Some(clock)) => (hash, clock),
            // Facts that somebody asserted, or that a migration carried over: nothing was decided.
            // Such a transaction has a clock where a fact holds its instant, and no rules.
            (_, None) | (None, Some(_)) if !records && info.run.is_none() => return Ok(Vec::new()),
            (None, None) if records => return self.without_rules(transaction),
            _ => {
                self.record(transaction);
                return Ok(of_all(Discrepancy::NoClock));
            }
        };
        let rules = match history.rules(hash) {
            Ok(rules) => rules,
            Err(error) if !is_of_the_rules(&error) => return Err(error),
            Err(error) => {
                self.record(transaction);
                return Ok(of_all(Discrepancy::Rules(said(&error))));
            }
        };
        let again = match self.rounds.evaluate(&mut self.follower, history, &rules, (info, clock)) {
            Ok(again) => again,
            Err(error) if !is_of_the_rules(&error) => return Err(error),
            Err(error) => {
                self.record(transaction);
                return Ok(of_all(Discrepancy::Rules(said(&error))));
            }
        };
        let mut found = self.ran(info, transaction, rules.program.facts.len());
        self.runs |= info.run.is_some();
        found.extend(stepped(info, &rules, &again));
        let turned = self.again.follow(&rules, &self.follower, again.turned, info.run.is_none());
        audited.evaluated += 1;
        audited.decisions += self.again.len() as u64;
        let finder = self.follower.finder(&rules);
        let reasons = self.since.as_ref().zip(DrawnBy::of(info));
        let reasons = reasons.map(|(since, by)| since.reasons(&rules.program, by));
        let held = Held { course: self, turned, info, rules: &rules, finder, reasons };
        found.extend(held.compare(history.ledger, transaction)?);
        found = held.excused(history, (found, clock))?;
        self.follower.put_back(held.finder);
        self.record(transaction);
        let undetermined = self.follower.undetermined();
        self.unsettled = undetermined.keys().map(|id| rules.program[*id].name).collect();
        Ok(found)
    }

    /// Takes over what a transaction records.
    fn record(&mut self, transaction: &Transaction) {
        for (lapsed, _) in &transaction.lapsed {
            self.stood.remove(&lapsed.fact);
            self.reasons |= lapsed.reason.is_some();
        }
        self.stood.extend(transaction.drawn.iter().map(|decision| decision.fact.clone()));
    }

    /// Every decision of a transaction that names no rules.
    fn without_rules(&mut self, transaction: &Transaction) -> Result<Vec<Finding>, SessionError> {
        let tx = transaction.info.tx;
        let drawn = ids(transaction).into_iter().map(|(id, decision)| (Some(id), decision.fact.clone()));
        let lapsed = transaction.lapsed.iter().map(|(lapsed, _)| (None, lapsed.fact.clone()));
        let finding = |decision| Finding { tx, decision: Some(decision), what: Discrepancy::NoRules };
        let found = drawn.chain(lapsed).map(finding).collect();
        self.record(transaction);
        Ok(found)
    }

    /// What can be told of the run itself.
    fn ran(&self, info: &TxInfo, transaction: &Transaction, stated: usize) -> Vec<Finding> {
        let mut found = Vec::new();
        let mut add = |what| found.push(Finding { tx: info.tx, decision: None, what });
        let Some(run) = &info.run else {
            if self.runs {
                add(Discrepancy::NoRun);
            }
            return found;
        };
        if !ENGINES.contains(&run.engine.as_str()) {
            add(Discrepancy::Engine(run.engine.clone()));
        }
        if let Some(zones) = run.zones.as_ref().filter(|zones| *zones != zone::version()) {
            add(Discrepancy::Zones(zones.clone(), zone::version()));
        }
        // What was undetermined before may have been derived earlier, and only be drawn now.
        let settled = transaction.drawn.iter().filter(|drawn| !self.unsettled.contains(&drawn.fact.relation));
        let drawn = settled.count() as u64;
        if drawn.saturating_sub(stated as u64) > run.limits.facts {
            add(Discrepancy::Limits(drawn, run.limits.facts));
        }
        found
    }
}

/// The decisions that a transaction drew, ascending, with their ids.
fn ids(transaction: &Transaction) -> Vec<(DecisionId, Decision)> {
    let mut drawn = transaction.drawn.clone();
    drawn.sort();
    let tx = transaction.info.tx;
    (1..).zip(drawn).map(|(place, decision)| (DecisionId { tx, place }, decision)).collect()
}

/// One transaction beside what is drawn again.
struct Held<'h> {
    course: &'h Course,
    /// The decisions that came and went with it when all is drawn again.
    turned: (Vec<Fact>, Vec<Fact>),
    info: &'h TxInfo,
    rules: &'h RuleSet,
    finder: Finder<'h>,
    /// Why decisions lapse, as far as it was seen what changed.
    reasons: Option<Reasons>,
}

impl Held<'_> {
    fn finding(&self, id: Option<DecisionId>, fact: &Fact, what: Discrepancy) -> Finding {
        Finding { tx: self.info.tx, decision: Some((id, fact.clone())), what }
    }

    fn compare(&self, ledger: &Ledger, transaction: &Transaction) -> Result<Vec<Finding>, SessionError> {
        let mut found = Vec::new();
        let drawn = ids(transaction);
        for (id, recorded) in &drawn {
            let what = self.drawn(recorded)?;
            found.extend(what.map(|what| self.finding(Some(*id), &recorded.fact, what)));
        }
        let lapsed: BTreeMap<&Fact, (&Lapsed, u64)> =
            transaction.lapsed.iter().map(|(lapsed, since)| (&lapsed.fact, (lapsed, *since))).collect();
        for (fact, (lapsed, since)) in &lapsed {
            if let Some(what) = self.lapsed(ledger, lapsed)? {
                found.push(self.finding(id_of(ledger, *since, fact)?, fact, what));
            }
        }
        let drawn: BTreeSet<&Fact> = drawn.iter().map(|(_, decision)| &decision.fact).collect();
        let stood = &self.course.stood;
        let known = |fact: &Fact| drawn.contains(fact) || lapsed.contains_key(fact);
        // What differed before was told then.
        let (came, went) = &self.turned;
        for fact in came.iter().filter(|fact| !known(fact) && !stood.contains(*fact)) {
            found.push(self.finding(None, fact, Discrepancy::Missing(decision(&self.finder, fact.clone())?)));
        }
        let decided = DecisionRelations::new(&self.rules.program);
        for fact in went.iter().filter(|fact| !known(fact) && stood.contains(*fact)) {
            let reason = decided.lapsed(fact.clone()).reason;
            let id = ledger.decision_history(fact)?.into_iter().rev().find(|span| span.from < self.info.tx);
            let id = id.map(|span| id_of(ledger, span.from, fact)).transpose()?.flatten();
            found.push(self.finding(id, fact, Discrepancy::Kept(reason)));
        }
        Ok(found)
    }

    fn drawn(&self, recorded: &Decision) -> Result<Option<Discrepancy>, SessionError> {
        let fact = &recorded.fact;
        if self.is_undetermined(fact) {
            return Ok(Some(Discrepancy::Undetermined(recorded.clone())));
        }
        if !self.course.again.contains(fact) {
            return Ok(Some(Discrepancy::Unfounded(recorded.clone())));
        }
        if self.course.stood.contains(fact) {
            return Ok(Some(Discrepancy::DrawnAgain));
        }
        let again = decision(&self.finder, fact.clone())?;
        if again == *recorded {
            return Ok(None);
        }
        // As it was recorded before sentences showed floats in at most six digits.
        let exact = self.finder.exact_explanation(fact)?.and_then(|explained| explained.sentence);
        if again.rule == recorded.rule && exact == recorded.sentence {
            return Ok(None);
        }
        if self.is_salvaged() && recorded.rule.is_none() && recorded.sentence.is_none() {
            return Ok(Some(Discrepancy::Salvaged));
        }
        let older = self.info.run.is_none() && self.gives(recorded)?;
        let what = if older { Discrepancy::ExplainedOtherwise } else { Discrepancy::Explained };
        Ok(Some(what(recorded.clone(), again)))
    }

    /// Whether some derivation gives the recorded rule and sentence.
    fn gives(&self, recorded: &Decision) -> Result<bool, SessionError> {
        let Some(rule) = &recorded.rule else { return Ok(false) };
        let explanation = Explanation { rule: Symbol::new(rule), sentence: recorded.sentence.clone() };
        Ok(self.finder.has_explanation(&recorded.fact, &explanation)?)
    }

    fn is_undetermined(&self, fact: &Fact) -> bool {
        let undetermined = self.course.follower.undetermined();
        evaluation::is_undetermined(&self.rules.program, undetermined, fact) && !self.finder.holds(fact)
    }

    fn lapsed(&self, ledger: &Ledger, recorded: &Lapsed) -> Result<Option<Discrepancy>, SessionError> {
        let fact = &recorded.fact;
        if !self.course.stood.contains(fact) {
            return Ok(Some(Discrepancy::LapsedUnstood));
        }
        if self.course.again.contains(fact) {
            let again = match self.finder.holds(fact) {
                true => decision(&self.finder, fact.clone())?,
                false => Decision::new(fact.clone()),
            };
            return Ok(Some(Discrepancy::Lapsed(again)));
        }
        if recorded.reason.as_deref().is_some_and(|reason| self.was_archived(ledger, reason)) {
            return Ok(None);
        }
        let program = &self.rules.program;
        let mut reason = DecisionRelations::new(program).lapsed(fact.clone()).reason;
        // Earlier versions recorded no other reason.
        if reason.is_none() && (recorded.reason.is_some() || self.course.reasons) {
            // What changed before the first transaction here was not seen.
            let Some(reasons) = &self.reasons else { return Ok(None) };
            reason = reasons.of(program, fact.relation);
        }
        if reason.is_some() && recorded.reason.is_none() && self.is_salvaged() {
            return Ok(Some(Discrepancy::Salvaged));
        }
        Ok((reason != recorded.reason).then(|| Discrepancy::Reason(recorded.reason.clone(), reason)))
    }

    /// Whether what the reason of a lapse says was so: a snapshot had replaced transactions since decisions were drawn.
    fn was_archived(&self, ledger: &Ledger, reason: &str) -> bool {
        let Some(last) = archived_by(reason) else { return false };
        let replaced = self.course.decided < last && last < self.info.tx;
        replaced && ledger.info(last + 1).is_ok_and(|info| info.tx < self.info.tx && info.source == COMPACT)
    }

    fn is_salvaged(&self) -> bool {
        self.info.tx <= self.course.salvaged
    }
}

/// The id of a decision that a transaction drew; none where that is archived.
fn id_of(ledger: &Ledger, tx: u64, fact: &Fact) -> Result<Option<DecisionId>, SessionError> {
    if tx > ledger.last_tx() || ledger.archived().is_some_and(|(last, _)| tx <= last) {
        return Ok(None);
    }
    let mut drawn = ledger.transaction(tx)?.drawn;
    drawn.sort();
    Ok(place(&drawn, fact).map(|place| DecisionId { tx, place }))
}
