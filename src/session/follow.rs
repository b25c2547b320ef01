//! What follows from the facts of a ledger after each of its transactions, at a cost that follows what each changes.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use hence_core::fact::Fact;
use hence_core::fault::OrBroken;
use hence_core::meter;
use hence_core::schema::RelationId;
use hence_ledger::{Transaction, TxInfo};
use hence_proof::proof::NoOrigins;
use hence_proof::{Explanation, Finder};

use super::RuleSet;
use super::error::SessionError;
use super::evaluation::{self, Evaluation};
use super::fitting::Lens;
use super::history::{self, History};
use super::maintained::{Edits, Maintained, Turned};

/// Evaluates the transactions of a ledger one after the other.
#[derive(Default)]
pub(super) struct Follower {
    followed: Option<Followed>,
    /// The last evaluation, once somebody asked for all of it.
    evaluation: OnceCell<Evaluation>,
}

/// What a [`Follower`] goes on from.
struct Followed {
    rules: Rc<RuleSet>,
    lens: Lens,
    incremental: Maintained,
    /// What came and went since the last evaluation; `None` where only a look at all facts tells how it is read.
    edits: Option<Edits>,
}

/// What an evaluation came to.
pub(super) enum Refresh {
    /// All facts were looked at: anything may be different.
    Recomputed,
    /// The rules are the same, and this is the difference to the last evaluation.
    Turned(Turned),
}

impl Follower {
    /// Takes over which facts a transaction brought and removed.
    pub(super) fn take(&mut self, transaction: &Transaction) {
        let Some(followed) = &mut self.followed else { return };
        if !transaction.info.schemas.is_empty() {
            followed.edits = None;
        }
        let removed = transaction.removed.iter().map(|(fact, _)| (fact, false));
        for (fact, stands) in removed.chain(transaction.added.iter().map(|fact| (fact, true))) {
            followed.edit(fact, stands);
        }
    }

    /// Evaluates the transaction that was taken over last.
    ///
    /// # Errors
    /// As [`History::input`].
    pub(super) fn evaluate(
        &mut self,
        history: &History<'_>,
        rules: &Rc<RuleSet>,
        info: &TxInfo,
        clock: i64,
    ) -> Result<Refresh, SessionError> {
        meter::check("drawing decisions again")?;
        let lenient = history.is_lenient(info);
        let followed = self.followed.take();
        self.evaluation = OnceCell::new();
        if let Some(mut followed) = followed.filter(|followed| Rc::ptr_eq(&followed.rules, rules))
            && let Some(edits) = followed.edits.replace(Edits::default())
            && let Ok(turned) = followed.incremental.advance(rules, edits, clock, lenient)
        {
            self.followed = Some(followed);
            return Ok(Refresh::Turned(turned));
        }
        let (input, lens) = history.input(rules, info, clock)?;
        if history.engine.is_incremental()
            && let Ok(incremental) = Maintained::new(rules, &input, clock, &history.limits, lenient)
        {
            let rules = Rc::clone(rules);
            self.followed = Some(Followed { rules, lens, incremental, edits: Some(Edits::default()) });
            return Ok(Refresh::Recomputed);
        }
        // Where keeping what follows reaches a limit, following alone may not.
        let found = evaluation::evaluate(rules, input, history.engine, &history.limits, lenient)?;
        self.evaluation = OnceCell::from(found);
        Ok(Refresh::Recomputed)
    }

    /// What the last evaluation keeps; `None` where it keeps nothing.
    fn incremental(&self) -> Option<&Maintained> {
        self.followed.as_ref().map(|followed| &followed.incremental)
    }

    /// Everything that follows by the last evaluation.
    fn evaluation(&self) -> &Evaluation {
        self.evaluation.get_or_init(|| {
            let kept = self.incremental().or_broken("what was evaluated is there, or kept");
            kept.evaluation()
        })
    }

    /// The decisions that the last evaluation leaves undetermined.
    pub(super) fn undetermined(&self) -> &BTreeSet<RelationId> {
        self.incremental().map_or_else(|| &self.evaluation().undetermined, Maintained::undetermined)
    }

    /// A finder of reasons in the last evaluation, which was by `rules`; it finds those that a commit recorded.
    pub(super) fn finder<'a>(&'a self, rules: &'a RuleSet) -> Finder<'a> {
        match self.incremental() {
            Some(kept) => kept.finder(rules),
            None => Finder::new(&rules.program, &self.evaluation().model, &rules.sources, &NoOrigins),
        }
    }

    /// Keeps what a finder worked out for the next evaluation.
    pub(super) fn put_back(&self, finder: Finder<'_>) {
        if let Some(kept) = self.incremental() {
            kept.put_back(finder);
        }
    }

    /// The reasons of the last evaluation, which was by `rules`.
    pub(super) fn reasons<'a>(&'a self, rules: &'a RuleSet) -> Reasons<'a> {
        Reasons { follower: self, rules, quick: self.finder(rules), whole: OnceCell::new() }
    }
}

impl Followed {
    /// Takes a fact over that came or went.
    fn edit(&mut self, fact: &Fact, stands: bool) {
        let (Some(edits), Some(fit)) = (&mut self.edits, self.lens.fit(fact.relation)) else { return };
        // Where a fact has several forms, another one may still stand.
        let tells = fit.is_settled && (stands || fit.recast.is_plain());
        match fit.recast.read(&fact.values).filter(|_| tells) {
            Some(values) => {
                let fact = Fact { relation: fact.relation, values };
                self.incremental.edit(&self.rules, edits, &fact, stands);
            }
            None => self.edits = None,
        }
    }
}

/// The decisions that stand when transactions are drawn again.
pub(super) struct Redrawn {
    stand: BTreeSet<Fact>,
    /// Whether they may hold some that the last rules don't decide.
    keeps: bool,
}

impl Redrawn {
    /// Before the first of the transactions, what stood.
    pub(super) fn new(stand: BTreeSet<Fact>) -> Self {
        Self { stand, keeps: true }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.stand.len()
    }

    /// Whether a decision stands.
    pub(super) fn contains(&self, fact: &Fact) -> bool {
        self.stand.contains(fact)
    }

    /// Brings them up to an evaluation, as [`history::carry`] does; what came and what went, each ascending.
    pub(super) fn follow(
        &mut self,
        rules: &RuleSet,
        follower: &Follower,
        step: Refresh,
        keeps: bool,
    ) -> (Vec<Fact>, Vec<Fact>) {
        let gives_up = self.keeps && !keeps;
        self.keeps = keeps;
        match (step, follower.incremental()) {
            (Refresh::Turned(turned), Some(kept)) if !gives_up => self.turn(rules, kept, turned),
            _ => {
                let before = self.stand.clone();
                history::carry(&mut self.stand, rules, follower.evaluation(), keeps);
                let came = self.stand.difference(&before).cloned().collect();
                (came, before.difference(&self.stand).cloned().collect())
            }
        }
    }

    fn turn(&mut self, rules: &RuleSet, kept: &Maintained, turned: Turned) -> (Vec<Fact>, Vec<Fact>) {
        let Turned { drawn: mut came, lapsed: mut went, settled } = turned;
        for id in settled {
            let name = rules.program[id].name;
            let now: BTreeSet<Fact> = kept.facts(&rules.program, id).collect();
            let gone = self.stand.iter().filter(|fact| fact.relation == name && !now.contains(*fact));
            went.extend(gone.cloned());
            came.extend(now);
        }
        went.retain(|fact| self.stand.remove(fact));
        came.retain(|fact| self.stand.insert(fact.clone()));
        went.sort_unstable();
        came.sort_unstable();
        (came, went)
    }
}

/// Why decisions hold in an evaluation or don't; all of it is looked at only for what has no sentence.
pub(super) struct Reasons<'a> {
    follower: &'a Follower,
    rules: &'a RuleSet,
    quick: Finder<'a>,
    whole: OnceCell<Finder<'a>>,
}

impl Reasons<'_> {
    /// Why a fact holds, or why it doesn't, in one line: a sentence that a commit would have recorded.
    pub(super) fn of(&self, fact: &Fact) -> Result<String, SessionError> {
        if let Some(Explanation { sentence: Some(sentence), .. }) = self.quick.explanation(fact)? {
            return Ok(sentence);
        }
        let whole = self.whole.get_or_init(|| {
            let model = &self.follower.evaluation().model;
            Finder::new(&self.rules.program, model, &self.rules.sources, &NoOrigins)
        });
        Ok(whole.reason(fact)?)
    }

    /// Keeps what was worked out for the next evaluation.
    pub(super) fn end(self) {
        self.follower.put_back(self.quick);
    }
}
