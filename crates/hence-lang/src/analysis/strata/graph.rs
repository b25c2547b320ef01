//! Who reads whom: an edge for each atom of each rule, and how the rule depends on it.

use crate::analysis::checked::{Literal, Rule};
use hence_core::schema::RelationId;
use hence_core::span::Span;

/// How a rule depends on a relation that its body reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// It needs facts, and more of them never take a result away.
    Some,
    /// It needs that none matches.
    None,
    /// An aggregate, of its head or with a body of its own, ranges over the matches.
    Aggregate,
    /// Its limit keeps some of what follows.
    Limit,
}

impl How {
    /// Whether the relation must be complete before the rule is evaluated.
    pub(crate) fn needs_all(self) -> bool {
        self != Self::Some
    }
}

/// One atom of one rule.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Read {
    /// The relation that the rule derives.
    pub(crate) reader: RelationId,
    /// The relation of the atom.
    pub(crate) read: RelationId,
    /// How the rule depends on it.
    pub(crate) how: How,
    /// The atom.
    pub(crate) span: Span,
}

/// The atoms of `rule` in their order.
pub(crate) fn reads(rule: &Rule) -> impl Iterator<Item = Read> + '_ {
    let positive = if rule.is_aggregate() {
        How::Aggregate
    } else if rule.limit.is_some() {
        How::Limit
    } else {
        How::Some
    };
    let own = rule.body.iter().map(move |literal| (literal, positive));
    let inner = rule.body.iter().flat_map(Literal::inner).map(|literal| (literal, How::Aggregate));
    own.chain(inner).filter_map(move |(literal, positive)| {
        let atom = literal.atom()?;
        let how = if atom.negated { How::None } else { positive };
        Some(Read { reader: rule.head, read: atom.relation, how, span: atom.span })
    })
}
