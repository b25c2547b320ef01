//! What carrying decisions out asks of a session: ids of decisions that stand, guards that hold now, and notes that
//! no rule reads.

use std::collections::BTreeMap;

use hence_core::fact::Fact;
use hence_core::schema::{RULES, Relation};
use hence_core::symbol::Symbol;
use hence_lang::analysis::checked::{Guard, Requires};
use hence_ledger::{Decision, Draft, is_reserved};
use hence_proof::proof::{Proof, Step, StepKind};

use super::drawn::{self, DecisionId};
use super::error::SessionError;
use super::{Session, Store};

impl Session {
    /// Records facts of relations that hence itself keeps. No rule reads them, so nothing is evaluated.
    ///
    /// # Errors
    /// A relation that rules may declare, a session without a ledger, a ledger that can't be written.
    pub fn keep(&mut self, draft: &Draft) -> Result<(), SessionError> {
        let mut facts = draft.assertions.iter().chain(&draft.retractions);
        if let Some(fact) = facts.find(|fact| !is_reserved(fact.relation)) {
            let message = format!("`{fact}` is not a fact that hence itself keeps");
            return Err(SessionError::Unknown { message });
        }
        let Store::Ledger(ledger) = &mut self.store else {
            let message = String::from("only a ledger keeps what becomes of decisions");
            return Err(SessionError::Unknown { message });
        };
        let before = ledger.last_tx();
        ledger.commit(draft)?;
        self.keeps_since(before);
        Ok(())
    }

    /// The decisions in force of the relations that are `wanted`, each with the id of when it was drawn, ascending.
    ///
    /// # Errors
    /// A ledger that can't be read.
    pub fn in_force(
        &self,
        wanted: &dyn Fn(Symbol) -> bool,
    ) -> Result<Vec<(DecisionId, Decision)>, SessionError> {
        let Some(ledger) = self.ledger() else { return Ok(Vec::new()) };
        let mut by_tx: BTreeMap<u64, Vec<Decision>> = BTreeMap::new();
        for held in ledger.decisions_at(self.as_of)? {
            if wanted(held.decision.fact.relation) {
                by_tx.entry(held.tx).or_default().push(held.decision);
            }
        }
        let (mut all, lists) = (Vec::new(), ledger.drawn());
        for (tx, decisions) in by_tx {
            let drawn = lists.of(tx)?;
            for decision in decisions {
                let place = drawn::place(&drawn, &decision.fact);
                all.extend(place.map(|place| (DecisionId { tx, place }, decision)));
            }
        }
        all.sort_unstable_by_key(|(id, _)| *id);
        Ok(all)
    }

    /// The decision with an id.
    ///
    /// # Errors
    /// There is none, a ledger that can't be read.
    pub fn drawn_as(&self, id: DecisionId) -> Result<Decision, SessionError> {
        let (ledger, _) = self.asked_ledger(&format!("decision {id}"), id.tx)?;
        let at = usize::try_from(id.place).ok().and_then(|place| place.checked_sub(1));
        let drawn = drawn::drawn(ledger, id.tx)?;
        let number = drawn.len();
        let message = || format!("unknown decision {id}: transaction {} drew {number}", id.tx);
        let found = at.and_then(|at| drawn.into_iter().nth(at));
        found.ok_or_else(|| SessionError::Unknown { message: message() })
    }

    /// Whether a decision is in force since it was drawn under this id.
    ///
    /// # Errors
    /// A ledger that can't be read.
    pub fn is_in_force(&self, id: DecisionId, decision: &Fact) -> Result<bool, SessionError> {
        let Some(ledger) = self.ledger() else { return Ok(false) };
        let spans = ledger.decision_history(decision)?;
        Ok(spans.iter().any(|span| span.until.is_none() && span.from == id.tx))
    }

    /// Why a decision, as it is read, can't be handed to anybody: keys of its personal values are not here, or destroyed.
    ///
    /// # Errors
    /// A ledger that can't be read.
    pub fn unreadable(&self, id: DecisionId, decision: &Fact) -> Result<Option<String>, SessionError> {
        let Some(ledger) = self.ledger() else { return Ok(None) };
        let hidden = ledger.is_hidden(decision)?;
        let why = || format!("values of {id} are under keys that are not here: put `personal.keys` back");
        Ok(hidden.then(why))
    }

    /// What a guarded decision lacks at `now`: a fact that it `requires`, in a proof from the facts that stand, brought
    /// by whom its input's `from` names. `None` where it lacks nothing.
    ///
    /// # Errors
    /// All that can go wrong in an evaluation.
    pub fn lacking(&self, decision: &Fact, now: i64) -> Result<Option<String>, SessionError> {
        let (program, checked) = (&self.rules.program, &self.rules.checked);
        let id = program.find(decision.relation);
        let guards: Vec<_> = checked.requires.iter().filter(|guard| Some(guard.decision) == id).collect();
        let joint = checked.joint.iter().filter(|guard| Some(guard.decision) == id);
        let joint: Vec<_> =
            joint.flat_map(|guard| guard.atoms.iter().map(|(relation, _)| *relation)).collect();
        if guards.is_empty() && joint.is_empty() {
            return Ok(None);
        }
        let named_by_principals = match self.ledger() {
            Some(ledger) => ledger.principals()?.demand_signatures(),
            None => false,
        };
        let because = self.why(&decision.to_string(), now, None)?;
        let Some(proof) = because.proofs.first().filter(|_| !because.undetermined) else {
            return Ok(Some(String::from("it does not follow from the facts that stand")));
        };
        let lacks = guards.iter().find_map(|guard| {
            let needed = &program[guard.relation];
            self.lacks(proof, needed, named_by_principals, &|fact| is_guard(guard, needed, fact, decision))
        });
        // How the facts of a joint guard hang together is checked with the rules: each proof holds them all.
        let lacks_joint = || {
            let needed = joint.iter().map(|relation| &program[*relation]);
            needed.into_iter().find_map(|needed| {
                self.lacks(proof, needed, named_by_principals, &|fact| fact.relation == needed.name)
            })
        };
        Ok(lacks.or_else(lacks_joint))
    }

    /// What a proof lacks of a relation; where principals say who brings its facts, rules see no others.
    fn lacks(
        &self,
        proof: &Proof,
        needed: &Relation,
        named_by_principals: bool,
        is_it: &dyn Fn(&Fact) -> bool,
    ) -> Option<String> {
        let mut found = proof.steps.iter().filter(|step| is_it(&step.fact)).peekable();
        if found.peek().is_none() {
            return Some(format!("no `{}` that it requires stands", needed.name));
        }
        if named_by_principals {
            return None;
        }
        // One that is by who may bring it is enough.
        let refused: Option<Vec<String>> = found.map(|step| self.refused_author(needed, step)).collect();
        refused.and_then(|refused| refused.into_iter().next())
    }

    /// Why a fact of a guard doesn't count; `None` where it does.
    fn refused_author(&self, needed: &Relation, step: &Step) -> Option<String> {
        needed.authors.as_ref()?;
        let StepKind::Asserted { origin } = &step.kind else { return None };
        // A rule needs no role where its input takes effects.
        if origin.as_ref().is_some_and(|origin| origin.step.is_some()) && takes_effects(needed) {
            return None;
        }
        let author = origin.as_ref().and_then(|origin| origin.author.as_deref()).unwrap_or_default();
        self.roles.check_role(needed, author, true).err().map(|error| error.to_string())
    }
}

/// Whether effects may assert facts of an input.
fn takes_effects(input: &Relation) -> bool {
    input.authors.as_ref().is_none_or(|authors| authors.roles.iter().any(|role| role.as_str() == RULES))
}

/// Whether a fact is one that a guard asks for on a decision.
pub(super) fn is_guard(guard: &Requires, needed: &Relation, fact: &Fact, decision: &Fact) -> bool {
    let mut columns = guard.columns.iter().zip(&fact.values);
    fact.relation == needed.name
        && columns.all(|(wanted, value)| match wanted {
            None => true,
            Some(Guard::Const(constant)) => constant == value,
            Some(Guard::Column(at)) => decision.values.get(*at) == Some(value),
        })
}
