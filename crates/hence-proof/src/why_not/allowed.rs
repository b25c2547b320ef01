//! Which changes somebody may make, and who: a remedy is something that a person can type.

use hence_core::fact::Fact;
use hence_core::schema::{Authors, RULES, RelationId};
use hence_core::symbol::Symbol;
use hence_core::value::Word;

use super::Finder;
use super::change::Change;

impl Finder<'_> {
    /// Whether somebody may assert and retract facts of an input: not the clock, and not what effects alone write.
    pub(super) fn may_be_said(&self, relation: RelationId) -> bool {
        let roles = self.authors(relation).map(|authors| authors.roles.as_slice()).unwrap_or_default();
        self.context.name(relation).as_str() != "now" && (roles.is_empty() || !people(roles).is_empty())
    }

    /// The column of an input that holds the instant of the transaction, with what it would hold now.
    pub(super) fn instant(&self, relation: RelationId) -> Option<(usize, Word)> {
        let column = self.authors(relation)?.time?;
        let now = self.context.program.find(Symbol::new("now"))?;
        let row = self.context.store.extent(now)?.rows.iter().next()?;
        Some((column, *row.first()?))
    }

    /// The column of an input that names the author.
    pub(super) fn author_column(&self, relation: RelationId) -> Option<usize> {
        self.authors(relation)?.column
    }

    fn authors(&self, relation: RelationId) -> Option<&Authors> {
        self.context.program[relation].authors.as_ref()
    }

    /// Whether somebody may make a change, whoever it is.
    pub(super) fn may_be_made(&self, change: &Change) -> bool {
        match change {
            Change::Assert(fact, _) => self.is_sayable(fact) && self.is_of_now(fact),
            Change::Retract(fact) => self.is_sayable(fact),
            Change::Set(..) => {
                let roles = self.roles(change);
                roles.is_empty() || !people(&roles).is_empty()
            }
        }
    }

    fn is_sayable(&self, fact: &Fact) -> bool {
        self.context.program.find(fact.relation).is_some_and(|relation| self.may_be_said(relation))
    }

    fn is_of_now(&self, fact: &Fact) -> bool {
        let instant = self.context.program.find(fact.relation).and_then(|relation| self.instant(relation));
        instant.is_none_or(|(column, now)| fact.values.get(column).is_some_and(|value| value.word() == now))
    }

    /// The roles that may make a change; none where anyone may.
    fn roles(&self, change: &Change) -> Vec<Symbol> {
        let program = self.context.program;
        match change {
            Change::Assert(fact, _) | Change::Retract(fact) => {
                let relation = program.find(fact.relation);
                relation
                    .and_then(|id| self.authors(id))
                    .map(|authors| authors.roles.clone())
                    .unwrap_or_default()
            }
            Change::Set(name, ..) => {
                let known = program.params.iter().find(|param| param.name == *name);
                known.map(|param| param.roles.clone()).unwrap_or_default()
            }
        }
    }

    /// Who has to make a change: people of one of these roles, else a person where a guarded decision requires it.
    pub(super) fn needs(&self, change: &Change) -> Vec<Symbol> {
        let roles = people(&self.roles(change));
        let required = |fact: &Fact| {
            self.context.program.relations.iter().any(|other| other.requires == Some(fact.relation))
        };
        match change {
            Change::Assert(fact, _) if roles.is_empty() && required(fact) => vec![Symbol::new("reviewer")],
            _ => roles,
        }
    }
}

/// Those of some roles that people have: nobody can say what rules do.
fn people(roles: &[Symbol]) -> Vec<Symbol> {
    roles.iter().copied().filter(|role| role.as_str() != RULES).collect()
}
