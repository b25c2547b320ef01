//! The rows of an atom that comparisons leave in an ordered index, where it pays to search for them.

use hence_lang::ir::Atom;

use super::bounds::{Bounds, Comparison};
use super::compile::Compiler;
use super::source::Wanted;
use super::steps::{AccessPath, BoundedPath, ColumnBound, PlanStep};
use crate::storage::ordered::Order;
use crate::storage::view::View;

impl Compiler<'_> {
    /// The rows of an atom that comparisons leave, if it pays to search for them. Comparisons that are true of all of them are
    /// done with.
    pub(super) fn between(&mut self, atom: &Atom, view: View) -> Option<BoundedPath> {
        let (source, relation) = (self.source, atom.relation);
        if source.wanted != Wanted::Facts || view != View::All || source.grows(relation) {
            return None;
        }
        let bounds = Bounds::new(source.rule, &source.shape.comparing, atom, &self.bound)?;
        let rows = self.catalog.count(relation)?;
        if !self.steps.iter().any(PlanStep::is_loop)
            || self.catalog.is_below_scan_threshold(relation)
            || !self.closing(atom).is_empty()
        {
            return None;
        }
        let (key, row) = self.pattern(atom);
        let columns: Vec<u32> = key.iter().map(|(column, _)| *column).collect();
        let group = if columns.is_empty() { rows } else { self.catalog.fan_out(relation, &columns) };
        if !bounds.pay(self.matches_before(), rows, group) {
            return None;
        }
        let order = Order { columns, by: bounds.column, reach: bounds.reach };
        let index = self.catalog.ordered_on(relation, &order)?;
        let is_done = |one: &&Comparison<'_>| one.column == bounds.column && !one.may_fail;
        self.joined.extend(bounds.comparisons.iter().filter(is_done).map(|one| one.literal));
        let bounds = bounds.comparisons.iter().map(|one| ColumnBound {
            of_reach: Some(one.column) == bounds.reach,
            op: one.op,
            shift: one.shift.map(|shift| (shift.op, self.expr(shift.by), shift.is_right)),
            other: self.expr(one.other),
        });
        let bounds = bounds.collect();
        let path = AccessPath { relation, view, key, index: None, row };
        Some(BoundedPath { path: self.without_unneeded(path), index, bounds })
    }
}
