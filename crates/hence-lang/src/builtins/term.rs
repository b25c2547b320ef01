//! The typed pieces of a rule that the checker, the engines and generated code share: variables, head terms,
//! limits, sentences.

use hence_core::schema::ColumnType;
use hence_core::span::Span;
use hence_core::symbol::Symbol;

use super::aggregate::Aggregate;
use super::expr::{Expr, ParamId, VarId};
pub use super::wording::{Format, Show};

/// A variable of a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its name; those that `lower` made begin with a digit (`1`), which none in a rule file can.
    pub name: Symbol,
    /// The type of its values.
    pub ty: ColumnType,
}

/// A term of a head.
#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    /// A value of each match; beside aggregates, a column of the group.
    Expr(Expr),
    /// A value of all matches of a group.
    Aggregate {
        /// The function.
        aggregate: Aggregate,
        /// Its arguments, evaluated for each match.
        args: Vec<Expr>,
        /// Its place in the text.
        span: Span,
    },
}

impl Term {
    /// The expressions that are evaluated for each match.
    pub fn exprs(&self) -> &[Expr] {
        match self {
            Self::Expr(expr) => std::slice::from_ref(expr),
            Self::Aggregate { args, .. } => args,
        }
    }

    /// The term without its places.
    #[must_use]
    pub fn without_places(mut self) -> Self {
        match &mut self {
            Self::Expr(expr) => expr.forget_places(),
            Self::Aggregate { args, span, .. } => {
                args.iter_mut().for_each(Expr::forget_places);
                *span = Span::default();
            }
        }
        self
    }
}

impl Limit {
    /// The expressions of the keys.
    pub fn keys(&self) -> impl Iterator<Item = &Expr> {
        self.by.iter().map(|(key, _)| key)
    }

    /// The limit without its places.
    #[must_use]
    pub fn without_places(mut self) -> Self {
        self.by.iter_mut().map(|(key, _)| key).chain([&mut self.count]).for_each(Expr::forget_places);
        self.span = Span::default();
        self
    }
}

/// `limit count per group by keys as rank`. Ranked are the distinct heads (the rank's column left out) of each
/// group, each by its best key, ties by the head's columns, ascending.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// How many are kept; an int expression without variables.
    pub count: Expr,
    /// The variables of the group.
    pub per: Vec<VarId>,
    /// The keys, and whether each is descending.
    pub by: Vec<(Expr, bool)>,
    /// The variable that takes the rank, from 1; it occurs in the head alone, as a whole term.
    pub rank: Option<VarId>,
    /// Its place in the text.
    pub span: Span,
}

/// A sentence with placeholders.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Sentence {
    /// Its parts in order.
    pub parts: Vec<Part>,
}

/// A part of a sentence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Part {
    /// Text as it is.
    Text(Symbol),
    /// The value of a variable.
    Var(VarId, Format),
    /// The value of a parameter.
    Param(ParamId, Format),
    /// The value of an aggregate or any other term of the head, by its column.
    Column(u32, Format),
}
