//! What follows if facts of a request stood as well: they are taken in, looked at, and taken out again, each at a cost
//! that follows what they change.

use hence_core::fact::Fact;
use hence_core::fault;
use hence_core::schema::RelationId;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_engine::Limits;
use hence_ledger::{Changes, Decision};
use hence_proof::Finder;
use hence_proof::proof::FactPattern;

use super::authors::Saying;
use super::error::SessionError;
use super::evaluation;
use super::incremental::{IncrementalState, MaintainedAt};
use super::maintained::{Edits, Maintained};
use super::why::decision;
use super::{RuleSet, Session};

/// What follows with the facts of a request.
pub struct Supposed<'s> {
    rules: &'s RuleSet,
    kept: &'s Maintained,
    finder: Finder<'s>,
}

impl Supposed<'_> {
    /// The rules.
    pub fn rules(&self) -> &RuleSet {
        self.rules
    }

    /// The facts of a relation that have these values where any is given, ascending; those that follow certainly.
    pub fn facts(&self, relation: RelationId, values: &[Option<Value>]) -> Vec<Fact> {
        if let Some(values) = values.iter().copied().collect::<Option<Vec<Value>>>() {
            let fact = Fact { relation: self.rules.program[relation].name, values };
            return if self.kept.follows(&fact) { vec![fact] } else { Vec::new() };
        }
        let mut facts = self.finder.instances(relation, values);
        facts.sort_unstable();
        facts
    }

    /// Whether some of what has these values follows possibly and not certainly.
    pub fn is_open(&self, relation: RelationId, values: &[Option<Value>]) -> bool {
        let agrees = |open: &FactPattern| {
            open.args.iter().zip(values).all(|(open, value)| match (open, value) {
                (Some(open), Some(value)) => open == value,
                _ => true,
            })
        };
        evaluation::open_of(self.kept.undetermined(), relation).iter().any(agrees)
    }

    /// A fact with the rule and the sentence of what derives it.
    ///
    /// # Errors
    /// A limit that the search for the reason reached.
    pub fn reason(&self, fact: Fact) -> Result<Decision, SessionError> {
        decision(&self.finder, fact)
    }
}

impl Session {
    /// Has `look` see what follows at `now` if `facts`, which `author` says, stood as well. Nothing is recorded, no effect
    /// takes place, and the session is as it was: what it keeps costs one evaluation, and each request what it changes.
    ///
    /// # Errors
    /// The author may not say one of the facts, a limit that was reached.
    pub fn supposing<T>(
        &mut self,
        (facts, author): (&[Fact], &str),
        now: i64,
        look: impl FnOnce(&Supposed<'_>) -> Result<T, SessionError>,
    ) -> Result<T, SessionError> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone().into());
        }
        fault::caught(|| {
            let mut facts = facts.to_vec();
            self.rules.stamp(&mut facts, now);
            if let Some(ledger) = self.ledger() {
                let said = Saying::at(author, now);
                self.roles.check(&self.rules, ledger, said, facts.iter().map(|fact| (fact, true)))?;
            }
            let mut kept = self.kept_now(now)?;
            let now = now.max(kept.incremental.now());
            facts.sort_unstable();
            facts.dedup();
            facts.retain(|fact| !kept.incremental.is_asserted(fact));
            self.turn(&mut kept.incremental, &facts, true, now)?;
            let supposed = Supposed {
                rules: &self.rules,
                kept: &kept.incremental,
                finder: kept.incremental.finder(&self.rules),
            };
            let seen = look(&supposed);
            let Supposed { finder, .. } = supposed;
            kept.incremental.put_back(finder);
            self.turn(&mut kept.incremental, &facts, false, now)?;
            self.incremental = IncrementalState::Maintained(kept);
            seen
        })
    }

    /// What follows from the facts that stand, taken out of the session; what reaches a limit is made again.
    fn kept_now(&mut self, now: i64) -> Result<Box<MaintainedAt>, SessionError> {
        let tx = self.last_tx();
        if let IncrementalState::Maintained(kept) =
            std::mem::replace(&mut self.incremental, IncrementalState::Once)
            && kept.tx == tx
        {
            return Ok(kept);
        }
        let input = self.input_with(&Changes::default(), now)?;
        // The limit on time is one of requests, which don't have to pay for what is made once.
        let limits = Limits { time: None, ..self.limits };
        let mut incremental = Maintained::new(&self.rules, &input, now, &limits, self.lenient)?;
        incremental.expect_reasons(&self.rules);
        incremental.limit_time(self.limits.time);
        Ok(Box::new(MaintainedAt { incremental, tx, others: None }))
    }

    fn turn(&self, kept: &mut Maintained, facts: &[Fact], stand: bool, now: i64) -> Result<(), SessionError> {
        let mut edits = Edits::default();
        facts.iter().for_each(|fact| kept.edit(&self.rules, &mut edits, fact, stand));
        kept.advance(&self.rules, edits, now, self.lenient).map(drop)
    }

    /// The relation called `name`, and its columns in order; as [`Session::relation`].
    ///
    /// # Errors
    /// As [`Session::relation`].
    pub fn columns(&self, name: &str) -> Result<(RelationId, Vec<Symbol>), SessionError> {
        let id = self.relation(name)?;
        Ok((id, self.rules.program[id].columns.iter().map(|column| column.name).collect()))
    }
}
