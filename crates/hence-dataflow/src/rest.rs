//! The matches in which an operation has no result: what doesn't depend on it must hold all the same, or nothing is
//! reported.

use std::collections::BTreeSet;

use differential_dataflow::lattice::Lattice;
use hence_core::index_vec::Id;
use hence_lang::builtins::expr::VarId;
use hence_lang::ir::{Atom, Literal};
use timely::progress::Timestamp;

use crate::body::{Read, Rows};
use crate::cell::{Cell, Row};
use crate::context::Context;

/// What is known of the variables of such matches.
pub(crate) struct Rest<'c> {
    context: &'c Context,
    /// Variables with a value in every row.
    sure: BTreeSet<VarId>,
    /// Variables with a value in some rows.
    maybe: BTreeSet<VarId>,
    /// Those that a literal computes.
    computed: BTreeSet<VarId>,
}

impl<'c> Rest<'c> {
    /// After the literals that bind `sure`; the one that was lost computes `lost`, where it computes something.
    pub(crate) fn new(context: &'c Context, mut sure: BTreeSet<VarId>, lost: Option<VarId>) -> Self {
        sure.retain(|var| Some(*var) != lost);
        Self { context, sure, maybe: BTreeSet::new(), computed: context.rule.computed().collect() }
    }

    /// The rows for which all other literals hold, as far as they don't depend on what was lost.
    pub(crate) fn rows<'s, T: Timestamp + Lattice>(
        mut self,
        mut rows: Rows<'s, T>,
        after: &[usize],
        read: Read<'_, 's, T>,
    ) -> Rows<'s, T> {
        for (done, at) in after.iter().enumerate() {
            let mut new = BTreeSet::new();
            rows = self.look(rows, *at, read, &mut new);
            // A literal was passed over where an atom before it was, and this one binds what it reads too. To look at a
            // literal twice changes nothing.
            for _ in 0..done {
                let before = after.get(..done).unwrap_or_default().iter();
                let again = before.filter(|at| !self.needs(**at).is_disjoint(&new)).copied();
                let again: Vec<usize> = again.collect();
                new.clear();
                for at in again {
                    rows = self.look(rows, at, read, &mut new);
                }
            }
        }
        rows
    }

    fn needs(&self, at: usize) -> BTreeSet<VarId> {
        needs(self.context.rule.literal(at), &self.computed)
    }

    /// The rows after a literal, which is applied to those that hold all that it needs; what it binds is added to `new`.
    fn look<'s, T: Timestamp + Lattice>(
        &mut self,
        rows: Rows<'s, T>,
        at: usize,
        read: Read<'_, 's, T>,
        new: &mut BTreeSet<VarId>,
    ) -> Rows<'s, T> {
        let (literal, needs) = (self.context.rule.literal(at), self.needs(at));
        if needs.iter().any(|var| !self.sure.contains(var) && !self.maybe.contains(var)) {
            return rows;
        }
        let open: Vec<usize> = needs.difference(&self.sure).map(|var| var.at()).collect();
        // An element that is there is not generated again.
        let generated = literal.computed().filter(|_| literal.chooses());
        let generated = generated.filter(|var| self.maybe.contains(var)).map(|var| var.at());
        let always = open.is_empty() && generated.is_none();
        let rows = if always {
            self.apply(rows, at, read)
        } else {
            let is_open = |row: &Row, at: usize| row.get(at) == Some(&Cell::Open);
            let is_ready = move |row: &Row| {
                open.iter().all(|at| !is_open(row, *at)) && generated.is_none_or(|at| is_open(row, at))
            };
            let ready = rows.clone().filter(is_ready.clone());
            self.apply(ready, at, read).concat(rows.filter(move |row| !is_ready(row)))
        };
        new.extend(literal.binds().filter(|var| !self.sure.contains(var)));
        let certain = always && !self.context.may_fail(literal);
        let set = if certain { &mut self.sure } else { &mut self.maybe };
        set.extend(literal.binds());
        rows
    }

    fn apply<'s, T: Timestamp + Lattice>(
        &self,
        rows: Rows<'s, T>,
        at: usize,
        read: Read<'_, 's, T>,
    ) -> Rows<'s, T> {
        match self.context.rule.literal(at) {
            Literal::Atom(atom) => self.context.join(rows, read(atom), atom, &self.sure),
            Literal::Not(atom) => self.context.without(rows, read(atom), atom),
            _ => self.context.compute(rows, at),
        }
    }
}

/// The variables without which a literal can't be looked at: of an atom those that another literal computes.
fn needs(literal: &Literal, computed: &BTreeSet<VarId>) -> BTreeSet<VarId> {
    let mut needs: BTreeSet<VarId> =
        literal.positive().into_iter().flat_map(Atom::vars).filter(|var| computed.contains(var)).collect();
    literal.for_each_needed(&mut |var| needs.extend([var]));
    needs
}
