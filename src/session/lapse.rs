//! Why a decision that stood lapses, where that isn't that it follows no longer.

use std::collections::HashMap;

use hence_core::fact::Fact;
use hence_core::schema::{Kind, Relation};
use hence_core::symbol::Symbol;
use hence_lang::ir::Program;
use hence_ledger::Lapsed;

use super::evaluation;

/// The decisions of a program by name.
pub(super) struct DecisionRelations<'p>(HashMap<Symbol, &'p Relation, ahash::RandomState>);

impl<'p> DecisionRelations<'p> {
    /// Those that `program` declares.
    pub(super) fn new(program: &'p Program) -> Self {
        let decisions = program.relations.iter().filter(|relation| relation.kind == Kind::Decision);
        Self(decisions.map(|relation| (relation.name, relation)).collect())
    }

    /// Whether a decision is called so.
    pub(super) fn names(&self, name: Symbol) -> bool {
        self.0.contains_key(&name)
    }

    /// A decision that stood and doesn't follow, as a lapse.
    pub(super) fn lapsed(&self, fact: Fact) -> Lapsed {
        let reason = match self.0.get(&fact.relation) {
            None => Some(format!("the rules no longer have the decision `{}`", fact.relation)),
            Some(relation) if !evaluation::fits(relation, &fact) => {
                Some(format!("the rules give the decision `{}` other columns", fact.relation))
            }
            Some(_) => None,
        };
        Lapsed { fact, reason }
    }
}
