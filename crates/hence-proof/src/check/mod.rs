//! Checks proofs in their JSON form against a program, with matching of its own: nothing here is shared with the
//! finder, so an error in one of the two shows.

mod body;
mod group;
mod ledger;
mod limit;
mod matches;
mod read;
mod shape;
mod step;
mod words;

use serde_json::Value as Json;

use hence_core::fault::OrBroken;
use hence_core::schema::RelationId;
use hence_core::span::Sources;
use hence_core::value::Word;
use hence_engine::{Database, Model};
use hence_lang::ir::Program;

pub use ledger::{Leaf, Leaves, LedgerAtMoment, Parameter};
use read::{Document, Head};

/// What a proof is held against, beside the rules. Each part that is missing leaves something on trust.
#[derive(Clone, Copy, Default)]
pub struct Known<'a> {
    /// All asserted facts: an asserted step must be among them, and an input fact that is said to be absent must
    /// not. Without them, input facts are taken on trust, and asserted facts of derived relations are refused.
    pub asserted: Option<&'a Database>,
    /// All facts that hold: with them, absence, the completeness of groups and ranks are checked as well.
    pub model: Option<&'a Model>,
    /// The rule texts: with them, places and quotations are checked as well.
    pub sources: Option<&'a Sources>,
    /// The ledger at the moment that the proof names: with it, head, clock, rules, parameters, schemas and who asserted
    /// each leaf are checked as well.
    pub ledger: Option<LedgerAtMoment<'a>>,
}

/// Why a proof was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", step.map(|step| format!("step {step}: ")).unwrap_or_default())]
pub struct ProofRefusal {
    /// The step, where it is one's fault.
    pub step: Option<usize>,
    /// What is wrong.
    pub message: String,
}

/// An accepted proof.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Accepted {
    /// How many steps it has.
    pub steps: usize,
    /// What couldn't be checked for want of facts, in order.
    pub on_trust: Vec<String>,
}

/// What a step's check says: what is wrong with it.
type Verdict<T = ()> = Result<T, String>;

/// Checks a proof.
///
/// # Errors
/// The first thing that is wrong.
pub fn check(program: &Program, proof: &Json, known: &Known<'_>) -> Result<Accepted, ProofRefusal> {
    let whole = |message| ProofRefusal { step: None, message };
    let document = Document::read(program, proof).map_err(whole)?;
    shape::whole(proof).map_err(whole)?;
    let mut checker = Checker {
        program,
        known,
        params: program.param_words(),
        heads: &document.heads,
        on_trust: Vec::new(),
    };
    let mut referred = vec![false; document.heads.len()];
    let mut heights = vec![0_usize; document.heads.len()];
    for (at, step) in document.steps.iter().enumerate().rev() {
        let refusal = |message| ProofRefusal { step: Some(at), message };
        shape::step(step).map_err(refusal)?;
        checker.holds(at).map_err(refusal)?;
        let refers = checker.step(at, step).map_err(refusal)?;
        let mut height = usize::from(step::is_rule(step));
        for below in refers {
            let (Some(seen), Some(lower)) = (referred.get_mut(below), heights.get(below)) else {
                return Err(refusal(format!("it refers to step {below}, which does not exist")));
            };
            *seen = true;
            height = height.max(lower + 1);
        }
        *heights.get_mut(at).or_broken("every step has a height") = height;
    }
    if let Some(orphan) = referred.iter().skip(1).position(|seen| !seen) {
        return Err(ProofRefusal {
            step: Some(orphan + 1),
            message: String::from("no earlier step uses it"),
        });
    }
    if heights.first() != Some(&document.height) {
        return Err(whole(format!(
            "the height is {}, not {}",
            heights.first().unwrap_or(&0),
            document.height
        )));
    }
    checker.on_trust.reverse();
    checker.moment(proof, &document.steps).map_err(whole)?;
    Ok(Accepted { steps: document.heads.len(), on_trust: checker.on_trust })
}

/// The state of a check.
struct Checker<'a> {
    program: &'a Program,
    known: &'a Known<'a>,
    params: Vec<Word>,
    /// The facts of all steps.
    heads: &'a [Head],
    on_trust: Vec<String>,
}

impl<'a> Checker<'a> {
    /// Whether a fact is among those asserted; `None` where these aren't known. A model knows them too: they are
    /// there before the first round.
    fn is_asserted(&self, relation: RelationId, row: &[Word]) -> Option<bool> {
        if let Some(asserted) = self.known.asserted {
            let rows = asserted.rows(relation);
            return Some(rows.is_some_and(|rows| rows.iter().any(|other| other == row)));
        }
        let extent = self.known.model?.extent(relation)?;
        let first = extent.rounds.first().copied().unwrap_or(extent.rows.len());
        Some(extent.rows.iter().take(first).any(|other| other == row))
    }

    /// The facts of a relation, where they are known: of the model, or asserted ones of an input.
    fn facts(&self, relation: RelationId) -> Option<&'a hence_engine::Rows> {
        if let Some(model) = self.known.model {
            return model.extent(relation).map(|extent| &extent.rows);
        }
        let asserted = self.program.relation(relation)?.kind == hence_core::schema::Kind::Input;
        // What rules add to an input is not asserted.
        let input = asserted && self.program.rules.iter().all(|rule| rule.head != relation);
        self.known.asserted.filter(|_| input)?.rows(relation)
    }

    /// The fact of a step must be among all that hold, where these are known.
    fn holds(&self, at: usize) -> Verdict {
        let (Some(model), Some(head)) = (self.known.model, self.heads.get(at)) else { return Ok(()) };
        let mut rows = model.extent(head.relation).into_iter().flat_map(|extent| extent.rows.iter());
        if rows.any(|row| row == head.row) { Ok(()) } else { Err(String::from("the fact does not hold")) }
    }

    fn trust(&mut self, at: usize, what: &str) {
        self.on_trust.push(format!("step {at}: {what}"));
    }
}
