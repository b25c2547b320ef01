//! `why`: a proof of least height of a fact of a finished model, found backwards and the same from run to run.

use std::collections::BTreeSet;

use hence_core::fact::Fact;
use hence_core::schema::RelationId;
use hence_core::span::Sources;
use hence_core::value::Value;
use hence_engine::{Bound, FactSource, Model};
use hence_lang::builtins::term::{Format, Show};
use hence_lang::ir::{Program, Rule, RuleId};
use hence_lang::lower::unknown::Unknown;

use super::build::Builder;
pub use super::build::Explanation;
use super::cache::{CacheContents, ProofCache};
use super::context::Context;
use super::derive::{Derivation, Derivations, Search};
use super::every::Every;
use super::heights::Heights;
use super::phrase::Phrase;
use super::plans::{Begin, Plans};
use super::possible::by_rules;
use super::proof::{Origins, Proof, Ways};
use super::solve::{Solution, solve, solve_root};
use super::store::{FactRef, Key, Store};

/// How many inputs of an aggregate a proof shows if nothing else is asked for.
pub const INPUTS_SHOWN: usize = 5;

/// How many derivations by one rule [`Finder::has_explanation`] looks at.
const MOST_DERIVATIONS: usize = 100_000;

/// Why a question has no proof.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WhyError {
    /// The search reached a limit before its end.
    #[error("{0} was reached while searching for proofs")]
    Limit(Bound),
    /// It could not be looked up who asserted a fact.
    #[error("can't determine who asserted `{0}`: {1}")]
    Origin(Fact, String),
    /// The model holds a fact that no rule of the program derives from the others.
    #[error("`{0}` is in the model, but no rule derives it: the model belongs to other rules")]
    Unfounded(Fact),
}

/// Finds proofs in one model. What one question had to index is kept for the next one; nothing of the model is
/// copied.
pub struct Finder<'a> {
    pub(super) context: Context<'a>,
    plans: Plans,
    heights: Heights,
    sources: &'a Sources,
    origins: &'a dyn Origins,
    inputs: usize,
    unknown: Option<Box<ByRules<'a>>>,
}

/// The rules themselves beside a program that tells what certainly and what possibly follows from them.
struct ByRules<'a> {
    of: &'a Unknown,
    /// Over what follows if a match with an undefined operation is false.
    lenient: Finder<'a>,
}

impl<'a> Finder<'a> {
    /// A finder over a model of `program`; `sources` are the rule texts, `origins` knows who asserted facts.
    pub fn new(
        program: &'a Program,
        model: &'a Model,
        sources: &'a Sources,
        origins: &'a dyn Origins,
    ) -> Self {
        let context = Context::new(program, Store::new(model));
        let heights = Heights::new(&context);
        Self {
            context,
            plans: Plans::default(),
            heights,
            sources,
            origins,
            inputs: INPUTS_SHOWN,
            unknown: None,
        }
    }

    /// A finder over facts that are kept elsewhere than in a model; for [`Finder::why`] and the like, not for what
    /// looks at all facts. It goes on from what another finder of the same program left, which may be nothing.
    pub fn over(
        program: &'a Program,
        facts: &'a dyn FactSource,
        sources: &'a Sources,
        origins: &'a dyn Origins,
        left: ProofCache,
    ) -> Self {
        let (context, heights, plans) = match left.contents {
            Some(CacheContents { info, heights, plans }) => {
                let context = Context::on(info, program, Store::over(facts));
                let heights = if heights.suits(&context) { heights } else { Heights::new(&context) };
                (context, heights, Plans::known(plans))
            }
            None => {
                let context = Context::new(program, Store::over(facts));
                let heights = Heights::new(&context);
                (context, heights, Plans::default())
            }
        };
        Self { context, plans, heights, sources, origins, inputs: INPUTS_SHOWN, unknown: None }
    }

    /// What the next finder of the same program may go on from.
    pub fn into_cache(self) -> ProofCache {
        let Self { context, plans, heights, .. } = self;
        ProofCache {
            contents: Some(CacheContents {
                info: context.into_program_info(),
                heights,
                plans: plans.into_cache(),
            }),
        }
    }

    /// By which columns of which relations [`Finder::explanation`] looks facts up for facts of `relations`.
    pub fn look_ups(
        &self,
        relations: impl IntoIterator<Item = RelationId>,
    ) -> BTreeSet<(RelationId, Vec<u32>)> {
        let mut left: Vec<RelationId> = relations.into_iter().collect();
        let (mut seen, mut found) = (BTreeSet::new(), BTreeSet::new());
        while let Some(relation) = left.pop() {
            if !seen.insert(relation) {
                continue;
            }
            for id in self.context.rules_of(relation) {
                let rule = &self.context.program[*id];
                let begins =
                    if rule.limit.is_some() { &[Begin::Head, Begin::Per][..] } else { &[Begin::Head] };
                for begin in begins {
                    found.extend(self.plans.get(&self.context, *id, rule, *begin).look_ups());
                }
                left.extend(rule.reads().filter(|read| !self.heights.is_known(*read)));
            }
        }
        found
    }

    /// The same where the program is that of `of`; `lenient` is over the rules themselves, and what follows if a match
    /// with an undefined operation is false. Reasons are then by the rules themselves.
    #[must_use]
    pub fn unknown(mut self, of: &'a Unknown, lenient: Self) -> Self {
        self.unknown = Some(Box::new(ByRules { of, lenient }));
        self
    }

    pub(super) fn is_three_valued(&self) -> bool {
        self.unknown.is_some()
    }

    /// A finder of what doesn't hold by the rules themselves.
    pub(super) fn lenient(&self) -> &Self {
        self.unknown.as_ref().map_or(self, |unknown| &unknown.lenient)
    }

    /// A proof by the rules themselves.
    pub(super) fn by_rules(&self, proof: Proof) -> Proof {
        match &self.unknown {
            Some(unknown) => by_rules(&proof, unknown.lenient.context.program, unknown.of),
            None => proof,
        }
    }

    /// What follows possibly and not certainly of what is asked for, as facts of the versions of the relation.
    pub fn undetermined(&self, relation: RelationId, wanted: &[Option<Value>]) -> Vec<Fact> {
        let Some(unknown) = &self.unknown else { return Vec::new() };
        let name = self.context.name(relation);
        let versions = unknown.of.versions(relation).flat_map(|(columns, version)| {
            let known = wanted.iter().enumerate().filter(|(at, _)| !columns.contains(at));
            let known: Vec<Option<Value>> = known.map(|(_, value)| *value).collect();
            let is_certain =
                move |fact: &Fact| self.holds(&Fact { relation: name, values: fact.values.clone() });
            let facts = self.instances(version, &known).into_iter();
            facts.filter(move |fact| !columns.is_empty() || !is_certain(fact))
        });
        versions.collect()
    }

    /// How many inputs of an aggregate proofs show; `usize::MAX` for all. The height of an aggregate's step
    /// counts the inputs shown.
    #[must_use]
    pub fn inputs(mut self, inputs: usize) -> Self {
        self.inputs = inputs.max(1);
        self
    }

    /// What a search gave, unless it ended early.
    ///
    /// # Errors
    /// The bound that was reached, or what could not be read.
    pub fn checked<T>(&self, found: T) -> Result<T, WhyError> {
        let ended = self.context.interrupt.why().or_else(|| self.lenient().context.interrupt.why());
        ended.map_or(Ok(found), Err)
    }

    /// How many facts each relation has where all of them are known, by [`RelationId`]; those of derived relations
    /// don't count. Without it, what the model has. A model of a part of the facts gives the same proofs as one of
    /// all with the same numbers: they decide the join order.
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
        rows.into_iter().map(|row| Fact::new(name, self.context.values(relation, &row))).collect()
    }

    /// A proof of least height; `None` for a fact that doesn't hold.
    ///
    /// # Errors
    /// Where the model isn't one of the program.
    pub fn why(&self, fact: &Fact) -> Result<Option<Proof>, WhyError> {
        let Some(root) = self.find(fact) else { return self.checked(None) };
        let solution = self.founded(self.checked(solve(self.search(), root))?)?;
        let choice = |fact: FactRef| solution.chosen.get(&fact).and_then(|known| known.derivation.as_ref());
        self.checked(Some(self.builder().proof(root, &choice, solution.least)))
    }

    /// How many derivations a fact has, counted up to `most`; nothing where what follows possibly is asked for too.
    pub fn ways(&self, fact: &Fact, most: usize) -> Option<Ways> {
        let root = self.find(fact).filter(|_| !self.is_three_valued())?;
        let mut all = Derivations::new(self.search(), root, None);
        let counted = std::iter::from_fn(|| all.next(|_, _| true)).take(most).count();
        Some(Ways { counted, more: counted == most && all.next(|_, _| true).is_some() })
    }

    /// The rule at the root of what [`Finder::why`] answers, and the rule's sentence; nothing below is built.
    ///
    /// # Errors
    /// As [`Finder::why`].
    pub fn explanation(&self, fact: &Fact) -> Result<Option<Explanation>, WhyError> {
        self.explained(fact, Format::show)
    }

    /// The explanation as it was recorded before sentences showed floats in at most six digits.
    ///
    /// # Errors
    /// A bound that was reached.
    pub fn exact_explanation(&self, fact: &Fact) -> Result<Option<Explanation>, WhyError> {
        self.explained(fact, Format::show_exactly)
    }

    fn explained(&self, fact: &Fact, show: Show) -> Result<Option<Explanation>, WhyError> {
        let Some(root) = self.find(fact) else { return self.checked(None) };
        if let Some(derivation) = self.only(root) {
            return self.checked(self.builder().explanation(root, Some(&derivation), show));
        }
        let solution = self.founded(self.checked(solve_root(self.search(), root))?)?;
        let derivation = solution.chosen.get(&root).and_then(|known| known.derivation.as_ref());
        self.checked(self.builder().explanation(root, derivation, show))
    }

    /// Whether some derivation of a fact, of whatever height, has that explanation: a rule of that identity, with that
    /// sentence. Only the first many derivations by the rule are looked at.
    ///
    /// # Errors
    /// A bound that was reached.
    pub fn has_explanation(&self, fact: &Fact, explanation: &Explanation) -> Result<bool, WhyError> {
        let Some(root) = self.find(fact) else { return self.checked(false) };
        let named = |rule: RuleId| self.context.program[rule].id == explanation.rule;
        let mut all = Derivations::new(self.search(), root, None);
        for _ in 0..MOST_DERIVATIONS {
            let Some(derivation) = all.next(|_, rule| named(rule)) else { break };
            if self.tells(root, Some(&derivation), explanation) {
                return self.checked(true);
            }
        }
        self.checked(self.tells(root, None, explanation))
    }

    /// Whether a derivation is told so, now or as it was before sentences showed floats in at most six digits.
    fn tells(&self, root: FactRef, derivation: Option<&Derivation>, explanation: &Explanation) -> bool {
        let shows: [Show; 2] = [Format::show, Format::show_exactly];
        let told = |show| self.builder().explanation(root, derivation, show);
        shows.into_iter().any(|show| told(show).as_ref() == Some(explanation))
    }

    /// The derivation of a fact that has just one, so that no heights have to be compared.
    fn only(&self, fact: FactRef) -> Option<Derivation> {
        let rank = self.context.store.rank(fact);
        let mut all = Derivations::new(self.search(), fact, Some(rank).filter(|rank| *rank > 0));
        let first = all.next(|_, _| true).filter(|_| rank > 0)?;
        all.next(|_, _| true).is_none().then_some(first)
    }

    /// The solution, if no fact in it lacks a derivation that it needs.
    fn founded(&self, solution: Solution) -> Result<Solution, WhyError> {
        match solution.unfounded.iter().map(|fact| self.context.fact(*fact)).min() {
            None => Ok(solution),
            Some(first) => Err(WhyError::Unfounded(first)),
        }
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

    pub(super) fn plans(&self) -> &Plans {
        &self.plans
    }

    pub(super) fn phrase(&self, rule: &'a Rule) -> Phrase<'a> {
        Phrase { program: self.context.program, sources: self.sources, rule }
    }

    fn find(&self, fact: &Fact) -> Option<FactRef> {
        self.context.find(self.context.program.find(fact.relation)?, &fact.values)
    }

    pub(super) fn search(&self) -> Search<'_, 'a> {
        Search { context: &self.context, plans: &self.plans, heights: &self.heights, inputs: self.inputs }
    }

    fn builder(&self) -> Builder<'_, 'a> {
        let unknown = self.unknown.as_ref().map(|unknown| unknown.of);
        Builder { context: &self.context, sources: self.sources, origins: self.origins, unknown }
    }
}
