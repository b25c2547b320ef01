//! The matches in which an operation has no result: what doesn't depend on it must hold all the same, or nothing is
//! reported.

use std::collections::BTreeSet;

use differential_dataflow::lattice::Lattice;
use hence_core::index_vec::Id;
use hence_lang::builtins::expr::VarId;
use hence_lang::ir::{Atom, Literal, Rule};
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
        for at in after {
            let literal = self.context.rule.literal(*at);
            let needs = needs(literal, &self.computed);
            if needs.iter().any(|var| !self.sure.contains(var) && !self.maybe.contains(var)) {
                continue;
            }
            let open: Vec<usize> = needs.difference(&self.sure).map(|var| var.at()).collect();
            let always = open.is_empty();
            rows = if always {
                self.apply(rows, *at, read)
            } else {
                let is_ready = move |row: &Row| open.iter().all(|at| row.get(*at) != Some(&Cell::Open));
                let ready = rows.clone().filter(is_ready.clone());
                self.apply(ready, *at, read).concat(rows.filter(move |row| !is_ready(row)))
            };
            let certain = always && !self.context.may_fail(literal);
            let set = if certain { &mut self.sure } else { &mut self.maybe };
            set.extend(literal.binds());
        }
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
            Literal::Bind { .. } | Literal::Test { .. } | Literal::Each { .. } => {
                self.context.compute(rows, at)
            }
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

/// A literal that may have to be looked at again: it is passed over where an operation has no result, and a later atom
/// then gives it what it needs.
pub(crate) fn looked_at_twice<'r>(rule: &'r Rule, order: &[usize]) -> Option<&'r Literal> {
    let computed: BTreeSet<VarId> = rule.computed().collect();
    let reads_computed = |atom: &Atom| atom.vars().any(|var| computed.contains(&var));
    order.iter().enumerate().find_map(|(done, at)| {
        let literal = rule.literal(*at);
        let atoms = |places: &[usize]| -> Vec<&'r Atom> {
            places.iter().filter_map(|at| rule.literal(*at).positive()).collect()
        };
        let (before, after) = (atoms(order.get(..done)?), atoms(order.get(done + 1..)?));
        let binds = |atom: &&Atom, var: VarId| atom.vars().any(|bound| bound == var);
        let again = |var: &VarId| {
            !computed.contains(var)
                && before.iter().filter(|atom| binds(atom, *var)).all(|atom| reads_computed(atom))
                && after.iter().any(|atom| binds(atom, *var))
        };
        needs(literal, &computed).iter().any(again).then_some(literal)
    })
}
