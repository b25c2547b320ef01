//! The tree of a test: what it gives, what it expects, and its further steps.

use hence_core::span::Span;
use hence_core::symbol::Symbol;

use super::{Atom, Doc, Expr, Ident, Literal};

/// `test "NAME" { … }`.
#[derive(Clone, Debug)]
pub struct Test {
    /// Its doc comment.
    pub doc: Doc,
    /// The name between the quotes.
    pub name: Symbol,
    /// The quoted name.
    pub name_span: Span,
    /// `set NAME = LITERAL.`
    pub sets: Vec<(Ident, Expr)>,
    /// `now TIME.`: microseconds since the epoch.
    pub now: Option<(i64, Span)>,
    /// What is given, in order.
    pub given: Vec<Given>,
    /// What is expected, in order.
    pub expect: Vec<Expectation>,
    /// What happens after that, in order.
    pub steps: Vec<TestStep>,
    /// The whole item.
    pub span: Span,
}

/// `then` items, and what is expected once they are taken in.
#[derive(Clone, Debug)]
pub struct TestStep {
    /// What changes, in order.
    pub changes: Vec<Given>,
    /// What is expected then, in order.
    pub expect: Vec<Expectation>,
    /// The word `then`.
    pub span: Span,
}

/// One item of `given` or `then`.
#[derive(Clone, Debug)]
pub enum Given {
    /// A ground fact.
    Fact(Atom),
    /// `!fact.`, only after `then`: a ground fact that stands no longer, and where it stands with its sign.
    Retracted(Atom, Span),
    /// `now TIME.`, only after `then`: microseconds since the epoch.
    Now(i64, Span),
    /// `from "PATH"`: the facts of a file.
    From(String, Span),
}

/// One item of `expect`.
#[derive(Clone, Debug)]
pub struct Expectation {
    /// What is expected.
    pub kind: ExpectationKind,
    /// The whole item.
    pub span: Span,
}

/// Why an expected fact holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Because {
    /// `because ID`: the rule of that id is in its proof.
    Rule(Ident),
    /// `because "SENTENCE"`: what `why` says of it.
    Sentence(Symbol, Span),
}

impl Because {
    /// Where the reason is.
    pub fn span(&self) -> Span {
        match self {
            Self::Rule(id) => id.span,
            Self::Sentence(_, span) => *span,
        }
    }
}

/// The kinds of expectations.
#[derive(Clone, Debug)]
pub enum ExpectationKind {
    /// `p(a, X), X > 0.5.`: some match; with `because …`, one for that reason.
    Holds(Vec<Literal>, Option<Because>),
    /// `undetermined p(a, _).`: a row that fits follows possibly and not certainly.
    Undetermined(Vec<Literal>),
    /// `no p(a, _).`: nothing matches.
    No(Vec<Literal>),
    /// `exactly p { (a, b) (c, d) }`: the whole relation, with `~ 0.001` after it within that distance.
    Exactly {
        /// The relation.
        relation: Ident,
        /// Its rows.
        rows: Vec<(Vec<Expr>, Span)>,
        /// The distance for float columns.
        within: Option<Expr>,
    },
}
