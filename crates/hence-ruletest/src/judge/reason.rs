//! Why expected facts hold: the rules and sentences of their proofs, and who gave the facts that these rest on.

use std::collections::BTreeMap;

use hence_core::fact::Fact;
use hence_core::fault::OrBroken;
use hence_core::schema::{Relation, RelationId};
use hence_core::span::Span;
use hence_core::symbol::Symbol;
use hence_lang::analysis::checked::{Expectation, Literal as Checked, Reason};
use hence_proof::proof::{Origin, Origins, Proof, StepKind};

use super::{Bench, PROOFS_SEARCHED};
use crate::report::TestFailure;
use crate::stuck::one_line;

/// The facts that effects asserted; all others are given.
pub(super) struct Effects<'a>(pub(super) &'a BTreeMap<Fact, (String, u64)>);

impl Origins for Effects<'_> {
    fn origin(&self, _: &Relation, fact: &Fact) -> Result<Option<Origin>, String> {
        Ok(self.0.get(fact).map(|(rule, step)| Origin {
            author: Some(rule.clone()),
            step: Some((*step, None)),
            ..Origin::default()
        }))
    }
}

impl Bench<'_> {
    /// Whether some fact that matches the expectation has a proof with this rule in it.
    pub(super) fn proved(
        &self,
        body: &[Checked],
        within: &[Option<f64>],
        answer: Option<RelationId>,
        reason: Reason,
    ) -> bool {
        let finder = self.finder();
        let uses = |proof: &Proof, id: Symbol| {
            proof.steps.iter().any(|step| match &step.kind {
                StepKind::Derived(derived) => derived.rule == id,
                StepKind::ProgramFact { id: stated, .. } => *stated == id,
                _ => false,
            })
        };
        let fits = |proof: &Proof| match reason {
            Reason::Rule(id) => uses(proof, id),
            Reason::Sentence(text) => sentence(proof) == Some(text.as_str()),
        };
        self.matched(body, within, answer)
            .iter()
            .any(|fact| finder.every(fact).take(PROOFS_SEARCHED).any(|proof| fits(&proof)))
    }

    pub(super) fn other_reason(&self, reason: Reason, place: Span, span: Span) -> TestFailure {
        let sources = &self.case.file.rules.sources;
        let says = match reason {
            Reason::Rule(id) => format!("it holds, but no proof of it uses `{id}`"),
            Reason::Sentence(_) => String::from("it holds, but no proof of it has this sentence"),
        };
        let facts = self.items().find_map(|(item, answer)| match item {
            Expectation::Body { span: own, body, within, .. } if *own == span => {
                Some(self.matched(body, within, answer))
            }
            _ => None,
        });
        let facts = facts.or_broken("a failure is one of the expectations of its test");
        let why = facts.first().map_or_else(Vec::new, |fact| self.why(fact));
        TestFailure { why, ..TestFailure::new(sources.place(place), one_line(sources.slice(span)), says) }
    }
}

/// What a proof says of its fact.
fn sentence(proof: &Proof) -> Option<&str> {
    match &proof.root()?.kind {
        StepKind::Derived(derived) => derived.sentence.as_deref(),
        _ => None,
    }
}
