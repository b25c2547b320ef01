//! What follows from the facts of a ledger after each of its transactions, at a cost that follows what each changes.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use hence_core::fact::Fact;
use hence_core::fault::OrBroken;
use hence_core::meter;
use hence_core::schema::RelationId;
use hence_engine::Database;
use hence_ledger::{Transaction, TxInfo};
use hence_proof::proof::NoOrigins;
use hence_proof::{Explanation, Finder};

use super::RuleSet;
use super::error::SessionError;
use super::evaluation::{self, Evaluation, Undetermined};
use super::fitting::Lens;
use super::history::{self, History};
use super::maintained::{Edits, Maintained, Turned};
use super::trust;

/// Evaluates the transactions of a ledger one after the other.
#[derive(Default)]
pub(super) struct Follower {
    followed: Option<Followed>,
    /// The last evaluation, once somebody asked for all of it.
    evaluation: OnceCell<Evaluation>,
    /// The facts of that evaluation, where it is from scratch each time.
    input: Option<Database>,
    /// Whether what effects did is taken over from the record, and not left to [`Follower::go_on`].
    with_steps: bool,
    /// The transaction from which on signatures are demanded.
    since: Option<u64>,
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
    /// One that takes over what effects did, as it is recorded.
    pub(super) fn of_records() -> Self {
        Self { with_steps: true, ..Self::default() }
    }

    /// Takes over which facts a transaction brought and removed, without what its effects did.
    pub(super) fn take(&mut self, transaction: &Transaction) {
        let Some(followed) = &mut self.followed else { return };
        let facts = || all_changes(transaction).map(|(fact, _)| fact);
        let guarded = self.since.is_some_and(|since| since <= transaction.info.tx)
            && trust::concerns(&followed.rules.program, facts());
        if guarded || !transaction.info.schemas.is_empty() {
            followed.edits = None;
        }
        if self.with_steps {
            all_changes(transaction).for_each(|(fact, stands)| followed.edit(fact, stands));
        } else {
            own_changes(transaction, &mut |fact, stands| followed.edit(fact, stands));
        }
    }

    /// Evaluates the transaction that was taken over last, without what its effects did; the facts of `apart` stand or
    /// not otherwise than is recorded.
    ///
    /// # Errors
    /// As [`History::input`].
    pub(super) fn evaluate(
        &mut self,
        history: &History<'_>,
        rules: &Rc<RuleSet>,
        info: &TxInfo,
        (clock, apart): (i64, &Apart),
    ) -> Result<Refresh, SessionError> {
        meter::check("drawing decisions again")?;
        let lenient = history.is_lenient(info);
        self.since = history.ledger.principals()?.since();
        let followed = self.followed.take();
        self.evaluation = OnceCell::new();
        if let Some(mut followed) = followed.filter(|followed| Rc::ptr_eq(&followed.rules, rules))
            && let Some(edits) = followed.edits.replace(Edits::default())
            && let Ok(turned) = followed.incremental.advance(rules, edits, clock, lenient)
        {
            self.followed = Some(followed);
            return Ok(Refresh::Turned(turned));
        }
        let (mut input, lens) = history.input(rules, info, clock)?;
        let steps = info.steps.as_deref().filter(|_| !self.with_steps).unwrap_or_default();
        for change in lens.read_steps(steps).iter().flat_map(|step| &step.changes) {
            evaluation::set(&rules.program, &mut input, &change.fact, !change.asserted);
        }
        for (fact, stands) in apart {
            evaluation::set(&rules.program, &mut input, fact, *stands);
        }
        if history.engine.is_incremental()
            && let Ok(incremental) = Maintained::new(rules, &input, clock, &history.limits, lenient)
        {
            let rules = Rc::clone(rules);
            self.followed = Some(Followed { rules, lens, incremental, edits: Some(Edits::default()) });
            return Ok(Refresh::Recomputed);
        }
        // Where keeping what follows reaches a limit, following alone may not.
        self.scratch(history, rules, input, lenient)?;
        Ok(Refresh::Recomputed)
    }

    fn scratch(
        &mut self,
        history: &History<'_>,
        rules: &RuleSet,
        input: Database,
        lenient: bool,
    ) -> Result<(), SessionError> {
        let kept = (!rules.checked.effects.is_empty()).then(|| input.clone());
        let found = evaluation::evaluate(rules, input, history.engine, &history.limits, lenient)?;
        (self.evaluation, self.input) = (OnceCell::from(found), kept);
        Ok(())
    }

    /// Evaluates the same transaction once more after a step of its effects.
    ///
    /// # Errors
    /// A limit that was reached.
    pub(super) fn go_on(
        &mut self,
        history: &History<'_>,
        rules: &Rc<RuleSet>,
        (changes, clock, lenient): (&[(Fact, bool)], i64, bool),
    ) -> Result<Refresh, SessionError> {
        self.evaluation = OnceCell::new();
        if let Some(followed) = &mut self.followed {
            let mut edits = Edits::default();
            for (fact, stands) in changes {
                followed.incremental.edit(rules, &mut edits, fact, *stands);
            }
            return Ok(Refresh::Turned(followed.incremental.advance(rules, edits, clock, lenient)?));
        }
        let mut input = self.input.take().or_broken("the facts of an evaluation with effects are kept");
        for (fact, stands) in changes {
            evaluation::set(&rules.program, &mut input, fact, *stands);
        }
        self.scratch(history, rules, input, lenient)?;
        Ok(Refresh::Recomputed)
    }

    /// Whether a fact is asserted in the last evaluation.
    pub(super) fn is_asserted(&self, rules: &RuleSet, fact: &Fact) -> bool {
        match (self.incremental(), &self.input) {
            (Some(kept), _) => kept.is_asserted(fact),
            (None, Some(input)) => evaluation::holds(&rules.program, input, fact),
            (None, None) => false,
        }
    }

    /// How the last evaluation reads recorded facts, where that is kept.
    pub(super) fn lens(&self) -> Option<&Lens> {
        self.followed.as_ref().map(|followed| &followed.lens)
    }

    /// The facts of a relation by the last evaluation.
    pub(super) fn facts(&self, rules: &RuleSet, relation: RelationId) -> BTreeSet<Fact> {
        match self.incremental() {
            Some(kept) => kept.facts(&rules.program, relation).collect(),
            None => {
                evaluation::facts_of(&rules.program, &self.evaluation().model, relation).into_iter().collect()
            }
        }
    }

    /// What came and went of a relation with the last evaluation, which is `step`; `None` where that isn't known.
    pub(super) fn changes(
        &self,
        rules: &RuleSet,
        step: &Refresh,
        relation: RelationId,
    ) -> Option<Vec<(Fact, bool)>> {
        match (step, self.incremental()) {
            (Refresh::Turned(_), Some(kept)) => Some(kept.changes(&rules.program, relation)),
            _ => None,
        }
    }

    /// What the last evaluation keeps; `None` where it keeps nothing.
    pub(super) fn incremental(&self) -> Option<&Maintained> {
        self.followed.as_ref().map(|followed| &followed.incremental)
    }

    /// Everything that follows by the last evaluation.
    fn evaluation(&self) -> &Evaluation {
        self.evaluation.get_or_init(|| {
            let kept = self.incremental().or_broken("what was evaluated is there, or kept");
            kept.evaluation()
        })
    }

    /// What follows possibly and not certainly by the last evaluation.
    pub(super) fn undetermined(&self) -> &Undetermined {
        self.incremental().map_or_else(|| &self.evaluation().undetermined, Maintained::undetermined)
    }

    /// A finder of reasons in the last evaluation, which was by `rules`; it finds those that a commit recorded.
    pub(super) fn finder<'a>(&'a self, rules: &'a RuleSet) -> Finder<'a> {
        match self.incremental() {
            Some(kept) => kept.finder(rules),
            None => self.evaluation().finder((&rules.program, &rules.sources), &NoOrigins),
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

/// Facts that stand otherwise than is recorded, and whether they stand.
pub(super) type Apart = BTreeMap<Fact, bool>;

/// Each fact that a transaction brought or removed, effects included.
pub(super) fn all_changes(transaction: &Transaction) -> impl Iterator<Item = (&Fact, bool)> {
    let removed = transaction.removed.iter().map(|(fact, _)| (fact, false));
    removed.chain(transaction.added.iter().map(|fact| (fact, true)))
}

/// Hands each fact that a transaction itself brought or removed to `each`, without what its effects did.
pub(super) fn own_changes(transaction: &Transaction, each: &mut dyn FnMut(&Fact, bool)) {
    let steps = transaction.info.steps.iter().flatten().flat_map(|step| &step.changes);
    let mut stepped: BTreeMap<&Fact, bool> = steps.map(|change| (&change.fact, change.asserted)).collect();
    for (fact, stands) in all_changes(transaction) {
        if stepped.remove(fact).is_none() {
            each(fact, stands);
        }
    }
    // What an effect undid again is recorded by its step alone.
    stepped.into_iter().for_each(|(fact, asserted)| each(fact, !asserted));
}

impl Refresh {
    /// This and what turned after it, as one.
    pub(super) fn then(self, later: Self) -> Self {
        match (self, later) {
            (Self::Turned(before), Self::Turned(later)) => Self::Turned(before.then(later)),
            _ => Self::Recomputed,
        }
    }

    /// Several evaluations as one.
    pub(super) fn settle(self, rules: &RuleSet) -> Self {
        match self {
            Self::Turned(turned) => Self::Turned(turned.settle(&rules.program)),
            Self::Recomputed => Self::Recomputed,
        }
    }
}

impl Followed {
    /// Takes a fact over that came or went.
    fn edit(&mut self, fact: &Fact, stands: bool) {
        let Some(edits) = &mut self.edits else { return };
        let Some(fit) = self.lens.fit(fact.relation) else {
            // The ledger never held a fact of it: an effect consumed those that there were.
            return self.incremental.edit(&self.rules, edits, fact, stands);
        };
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
            let (program, name) = (&rules.program, rules.program[id].name);
            let now: BTreeSet<Fact> = kept.facts(program, id).collect();
            let gone = self.stand.iter().filter(|fact| fact.relation == name && !now.contains(*fact));
            let gone = gone.filter(|fact| !evaluation::is_undetermined(program, kept.undetermined(), fact));
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
            let evaluation = self.follower.evaluation();
            evaluation.finder((&self.rules.program, &self.rules.sources), &NoOrigins)
        });
        let reason = whole.reason(fact)?;
        let program = &self.rules.program;
        let is_open = evaluation::is_undetermined(program, self.follower.undetermined(), fact);
        // The why-not of such a fact may not name what is undefined: it may only lack it in a negated atom.
        if is_open && !reason.starts_with("undetermined") {
            return Ok(String::from("undetermined, and so neither drawn nor lapsed"));
        }
        Ok(reason)
    }

    /// The same where the fact holds by `other` and may not here: what fails here of why it holds there.
    pub(super) fn beside(&self, fact: &Fact, other: &Reasons<'_>) -> Result<String, SessionError> {
        if self.is_settled()
            && other.is_settled()
            && let Some(line) = self.quick.reason_beside(fact, &other.quick)?
        {
            return Ok(line);
        }
        self.of(fact)
    }

    /// The rule by which a fact holds.
    pub(super) fn rule_of(&self, fact: &Fact) -> Result<Option<String>, SessionError> {
        Ok(self.quick.explanation(fact)?.map(|found| found.rule.to_string()))
    }

    /// Whether nothing is left open, so that what holds is all that there is.
    fn is_settled(&self) -> bool {
        self.follower.incremental().is_none_or(Maintained::is_settled)
    }

    /// Keeps what was worked out for the next evaluation.
    pub(super) fn end(self) {
        self.follower.put_back(self.quick);
    }
}
