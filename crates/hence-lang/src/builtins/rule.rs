//! A rule over literals of one form: those of the text, which analysis checks, or those that engines evaluate.

use std::ops::Index;

use hence_core::fault::OrBroken;
use hence_core::index_vec::Id;
use hence_core::schema::RelationId;
use hence_core::span::Span;
use hence_core::symbol::Symbol;

use super::expr::{Expr, VarId};
use super::term::{Limit, Sentence, Term, Variable};

/// One rule; without a body, a fact.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule<L> {
    /// The stable identity: `@id`, or relation and ordinal (`refine_tool#2`).
    pub id: Symbol,
    /// The relation it derives.
    pub head: RelationId,
    /// The name of the head's relation in the text.
    pub head_span: Span,
    /// A term for each column of the head.
    pub terms: Vec<Term>,
    /// The body, in the order of the text.
    pub body: Vec<L>,
    /// The variables, in the order of their first place, then those that `lower` made; [`VarId`] is the place here.
    pub variables: Vec<Variable>,
    /// How many facts of each group are kept; never together with an aggregate.
    pub limit: Option<Limit>,
    /// The sentence of `@because`.
    pub because: Option<Sentence>,
    /// The doc comment.
    pub doc: String,
    /// The whole rule.
    pub span: Span,
}

impl<L> Rule<L> {
    /// The rule with another body over these variables.
    #[must_use]
    pub fn with_body<M>(&self, body: Vec<M>, variables: Vec<Variable>) -> Rule<M> {
        Rule {
            id: self.id,
            head: self.head,
            head_span: self.head_span,
            terms: self.terms.clone(),
            body,
            variables,
            limit: self.limit.clone(),
            because: self.because.clone(),
            doc: self.doc.clone(),
            span: self.span,
        }
    }

    /// The literal at a place of the body.
    #[track_caller]
    pub fn literal(&self, at: usize) -> &L {
        self.body.get(at).or_broken("the number of a literal is that of one of its rule's literals")
    }

    /// Whether some term of the head is an aggregate.
    pub fn is_aggregate(&self) -> bool {
        self.terms.iter().any(|term| matches!(term, Term::Aggregate { .. }))
    }

    /// The expressions of the head, in the order of its columns.
    pub fn head_exprs(&self) -> impl Iterator<Item = &Expr> {
        self.terms.iter().flat_map(Term::exprs)
    }
}

impl<L> Index<VarId> for Rule<L> {
    type Output = Variable;

    #[track_caller]
    fn index(&self, id: VarId) -> &Variable {
        self.variables.get(id.at()).or_broken(VarId::INVARIANT)
    }
}
