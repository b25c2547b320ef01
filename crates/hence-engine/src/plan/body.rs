//! The body of a rule to be searched on its own: for proofs, and for what is missing in one.

use hence_core::schema::RelationId;
use hence_core::value::Word;
use hence_lang::builtins::expr::VarId;
use hence_lang::ir::{Rule, RuleId};

use super::compile::{compile, is_current};
use super::roles::plain_roles;
use super::shape::Shape;
use super::source::{Catalog, JoinOrder, RuleSource, Start, Wanted};
use super::steps::{Plan, Remainder};
use crate::storage::index::IndexId;
use crate::storage::view::View;

/// What is known before a body is searched; the plan begins with a row of it.
#[derive(Clone, Copy, Debug)]
pub enum Entry<'a> {
    /// A fact of the head. Aggregates and the rank of a limit count for nothing.
    Head,
    /// Some columns of one.
    Columns(&'a [bool]),
    /// The words of these variables.
    Variables(&'a [VarId]),
}

/// The matches of a rule's body, each with the words of all variables. An undefined operation is no match.
#[derive(Clone, Copy, Debug)]
pub struct BodySearch<'a> {
    /// The rule.
    pub rule: &'a Rule,
    /// Its id.
    pub id: RuleId,
    /// What is known before.
    pub entry: Entry<'a>,
    /// How its literals are put in order.
    pub order: JoinOrder,
}

/// About how many facts of a relation agree with so many known columns.
pub type Estimate<'e> = &'e dyn Fn(RelationId, usize) -> f64;

impl BodySearch<'_> {
    /// The plan of the search.
    pub fn plan(&self, params: &[Word], estimate: Estimate<'_>) -> Plan {
        self.with_source(|source| compile(source, &mut Estimated(estimate), params))
    }

    /// Whether a plan would be made in the same way with these estimates.
    pub fn is_current(&self, plan: &Plan, estimate: Estimate<'_>) -> bool {
        self.with_source(|source| is_current(plan, source, &mut Estimated(estimate)))
    }

    fn with_source<T>(&self, then: impl FnOnce(RuleSource<'_>) -> T) -> T {
        let literals = self.rule.body.len();
        let whole = |vars: &[VarId]| Remainder {
            bound: vars.to_vec(),
            literals: (0..literals).collect(),
            in_head: false,
        };
        let remainder = match self.entry {
            Entry::Variables(vars) => whole(vars),
            Entry::Head | Entry::Columns(_) => Remainder::default(),
        };
        then(RuleSource {
            rule: self.rule,
            id: self.id,
            shape: &Shape::without_reports(self.rule),
            roles: &plain_roles(self.rule),
            own: &vec![false; literals],
            views: &vec![View::All; literals],
            start: match self.entry {
                Entry::Head => Start::Head,
                Entry::Columns(known) => Start::Columns(known),
                Entry::Variables(_) => Start::Left(&remainder),
            },
            order: self.order,
            wanted: Wanted::Bindings,
            lead: None,
            choice: None,
        })
    }
}

/// Relations of which only sizes are known; their tuples are looked up by whoever keeps them.
struct Estimated<'e>(Estimate<'e>);

impl Catalog for Estimated<'_> {
    fn estimate(&mut self, relation: RelationId, _: View, bound: &[u32]) -> f64 {
        (self.0)(relation, bound.len())
    }

    fn find_index(&self, _: RelationId, _: &[u32]) -> Option<IndexId> {
        None
    }

    fn index_on(&mut self, _: RelationId, _: &[u32]) -> Option<IndexId> {
        None
    }

    fn is_below_scan_threshold(&self, _: RelationId) -> bool {
        false
    }
}
