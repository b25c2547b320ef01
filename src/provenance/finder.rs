//! `why`: a proof of least height of a fact of a finished model, found backwards and the same from run to run.

use crate::backend::{Facts, Model};
use crate::fact::Fact;
use crate::ir::{Program, Rule};
use crate::schema::RelationId;
use crate::span::Sources;
use crate::value::Value;

use super::build::Builder;
pub use super::build::Told;
use super::context::Context;
use super::derive::{Derivation, Derivations, Plans, Search};
use super::every::Every;
use super::heights::Heights;
use super::phrase::Phrase;
use super::proof::{Origins, Proof};
use super::solve::{Solution, solve};
use super::store::{FactRef, Key, Store};

/// How many inputs of an aggregate a proof shows if nothing else is asked for.
pub const INPUTS_SHOWN: usize = 5;

/// Why a question has no proof.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WhyError {
    /// The model holds a fact that no rule of the program derives from the others.
    #[error("`{0}` stands in the model, but no rule derives it: the model belongs to other rules")]
    Unfounded(Fact),
}

/// Finds proofs in one model. What one question had to index is kept for the next one; nothing of the model is
/// copied.
pub struct Finder<'a> {
    pub(super) context: Context<'a>,
    plans: Plans<'a>,
    heights: Heights,
    sources: &'a Sources,
    origins: &'a dyn Origins,
    inputs: usize,
}

impl<'a> Finder<'a> {
    /// A finder over a model of `program`; `sources` are the rule texts, `origins` knows who asserted facts.
    pub fn new(
        program: &'a Program,
        model: &'a Model,
        sources: &'a Sources,
        origins: &'a dyn Origins,
    ) -> Self {
        Self::from(Context::new(program, Store::new(model)), sources, origins)
    }

    /// A finder over facts that stand somewhere else than in a model; for [`Finder::why`] and the like, not for what
    /// looks at all facts.
    pub fn over(
        program: &'a Program,
        facts: &'a dyn Facts,
        sources: &'a Sources,
        origins: &'a dyn Origins,
    ) -> Self {
        Self::from(Context::new(program, Store::over(facts)), sources, origins)
    }

    fn from(context: Context<'a>, sources: &'a Sources, origins: &'a dyn Origins) -> Self {
        let heights = Heights::new(&context);
        Self { context, plans: Plans::default(), heights, sources, origins, inputs: INPUTS_SHOWN }
    }

    /// How many inputs of an aggregate proofs show; `usize::MAX` for all. The height of an aggregate's step
    /// counts the inputs shown.
    #[must_use]
    pub fn inputs(mut self, inputs: usize) -> Self {
        self.inputs = inputs.max(1);
        self
    }

    /// How many facts each relation has where all of them are known, by [`RelationId`]; those of derived relations
    /// don't count. Without it, what the model has. A model of a part of the facts gives the same proofs as one of
    /// all if it is told the same numbers: they decide in which order bodies are gone through.
    #[must_use]
    pub fn counts(mut self, counts: &[usize]) -> Self {
        self.context.count(counts);
        self
    }

    /// Whether the fact holds.
    pub fn holds(&self, fact: &Fact) -> bool {
        self.find(fact).is_some()
    }

    /// The facts of a relation that fit `pattern` (a value, or `None` for anything, in each column), sorted.
    pub fn instances(&self, relation: RelationId, pattern: &[Option<Value>]) -> Vec<Fact> {
        let key: Key = pattern.iter().map(|value| value.map(Value::word)).collect();
        let mut rows = Vec::new();
        self.context.store.each(relation, &key, usize::MAX, &mut |row| {
            rows.push(self.context.store.row(FactRef { relation, row }));
            true
        });
        rows.sort_unstable_by(|a, b| self.context.compare(relation, a, b));
        let name = self.context.name(relation);
        rows.into_iter().map(|row| Fact::new(name, self.context.values(relation, row))).collect()
    }

    /// A proof of least height; `None` for a fact that doesn't hold.
    ///
    /// # Errors
    /// Where the model isn't one of the program.
    pub fn why(&self, fact: &Fact) -> Result<Option<Proof>, WhyError> {
        let Some((root, solution)) = self.solved(fact)? else { return Ok(None) };
        let choice = |fact: FactRef| solution.chosen.get(&fact).and_then(|known| known.derivation.as_ref());
        Ok(Some(self.builder().proof(root, &choice, solution.least)))
    }

    /// The rule at the root of what [`Finder::why`] answers, and the rule's sentence; nothing below is built.
    ///
    /// # Errors
    /// As [`Finder::why`].
    pub fn told(&self, fact: &Fact) -> Result<Option<Told>, WhyError> {
        if let Some((root, derivation)) = self.find(fact).and_then(|root| Some((root, self.only(root)?))) {
            return Ok(self.builder().told(root, Some(&derivation)));
        }
        let Some((root, solution)) = self.solved(fact)? else { return Ok(None) };
        let derivation = solution.chosen.get(&root).and_then(|known| known.derivation.as_ref());
        Ok(self.builder().told(root, derivation))
    }

    /// The derivation of a fact that has just one, so that no heights have to be compared.
    fn only(&self, fact: FactRef) -> Option<Derivation> {
        let rank = self.context.store.rank(fact);
        let mut all = Derivations::new(self.search(), fact, Some(rank).filter(|rank| *rank > 0));
        let first = all.next(|_, _| true).filter(|_| rank > 0)?;
        all.next(|_, _| true).is_none().then_some(first)
    }

    fn solved(&self, fact: &Fact) -> Result<Option<(FactRef, Solution)>, WhyError> {
        let Some(root) = self.find(fact) else { return Ok(None) };
        let solution = solve(self.search(), root);
        let unfounded = |fact: &FactRef| self.context.store.rank(*fact) > 0;
        let mut missing = solution.chosen.iter().filter(|(_, chosen)| chosen.derivation.is_none());
        if missing.any(|(fact, _)| unfounded(fact)) {
            let all =
                solution.chosen.iter().filter(|(fact, known)| known.derivation.is_none() && unfounded(fact));
            let first = all.map(|(fact, _)| self.context.fact(*fact)).min();
            return Err(WhyError::Unfounded(first.unwrap_or_else(|| fact.clone())));
        }
        Ok(Some((root, solution)))
    }

    /// Every proof of the fact, lazily, in an order that is the same from run to run; each uses one derivation a
    /// fact. Also those that take more rounds than needed, but none that goes in a circle.
    pub fn every(&self, fact: &Fact) -> Every<'_, 'a> {
        Every::new(self.search(), self.builder(), self.find(fact))
    }

    pub(super) fn model(&self) -> Option<&'a Model> {
        self.context.store.model()
    }

    pub(super) fn sources(&self) -> &'a Sources {
        self.sources
    }

    pub(super) fn plans(&self) -> &Plans<'a> {
        &self.plans
    }

    pub(super) fn phrase(&self, rule: &'a Rule) -> Phrase<'a> {
        Phrase { program: self.context.program, sources: self.sources, rule }
    }

    fn find(&self, fact: &Fact) -> Option<FactRef> {
        self.context.find(self.context.program.find(fact.relation)?, &fact.values)
    }

    fn search(&self) -> Search<'_, 'a> {
        Search { context: &self.context, plans: &self.plans, heights: &self.heights, inputs: self.inputs }
    }

    fn builder(&self) -> Builder<'_, 'a> {
        Builder { context: &self.context, sources: self.sources, origins: self.origins }
    }
}
