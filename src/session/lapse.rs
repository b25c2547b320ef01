//! Why a decision that stood lapses, where that isn't that it follows no longer.

use hence_core::fact::Fact;
use hence_core::schema::{Kind, Relation};
use hence_core::symbol::Symbol;
use hence_lang::ir::Program;
use hence_ledger::Lapsed;

use super::evaluation;

/// The decisions of a program by name.
pub(super) struct DecisionRelations<'p>(&'p Program);

impl<'p> DecisionRelations<'p> {
    /// Those that `program` declares.
    pub(super) fn new(program: &'p Program) -> Self {
        Self(program)
    }

    fn find(&self, name: Symbol) -> Option<&'p Relation> {
        self.0.relations.iter().find(|relation| relation.name == name && relation.kind == Kind::Decision)
    }

    /// Whether a decision is called so.
    pub(super) fn names(&self, name: Symbol) -> bool {
        self.find(name).is_some()
    }

    /// A decision that stood and doesn't follow, as a lapse.
    pub(super) fn lapsed(&self, fact: Fact) -> Lapsed {
        let reason = match self.find(fact.relation) {
            None => Some(format!("the rules no longer have the decision `{}`", fact.relation)),
            Some(relation) if !evaluation::fits(relation, &fact) => {
                Some(format!("the rules give the decision `{}` other columns", fact.relation))
            }
            Some(_) => None,
        };
        Lapsed { fact, reason }
    }
}
