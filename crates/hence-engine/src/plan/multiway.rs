//! Atoms with the same open variables, joined in one step.

use hence_core::fault::{OrBroken, broken};
use hence_lang::ir::{Arg, Atom, Literal};

use super::compile::Compiler;
use super::source::Wanted;
use super::steps::{AccessPath, JoinInput, PlanStep};

impl<'a> Compiler<'a> {
    /// The step for an atom that binds all it has open, with the atoms after it that have the same open but another
    /// key: the edges that close a cycle.
    pub(super) fn multiway_join(&mut self, at: usize, atom: &Atom, path: &AccessPath) -> Option<PlanStep> {
        if self.source.wanted != Wanted::Facts || path.index.is_none() {
            return None;
        }
        let mut inputs = vec![(at, path.clone())];
        for (other, atom) in self.closing(atom) {
            let path = self.access_path(atom, self.source.view(other), false);
            inputs.extend(path.index.is_some().then_some((other, path)));
        }
        if inputs.len() < 2 {
            return None;
        }
        self.bind(path);
        self.joined.extend(inputs.iter().skip(1).map(|(literal, _)| *literal));
        let input = |(literal, path)| {
            let Literal::Atom(atom) = self.source.rule.literal(literal) else {
                broken("only atoms are joined")
            };
            let row =
                self.whole_row(atom).or_broken("the inputs of a multiway join bind all that they have open");
            JoinInput { literal, path, row }
        };
        Some(PlanStep::MultiwayJoin(inputs.into_iter().map(input).collect()))
    }

    /// The atoms after one that have the same open but another key.
    pub(super) fn closing(&self, atom: &Atom) -> Vec<(usize, &'a Atom)> {
        let Some((open, key)) = self.split(atom) else { return Vec::new() };
        let closes = |(others, bound): (Vec<&Arg>, Vec<&Arg>)| {
            are_same(&others, &open) && !bound.is_empty() && !are_same(&bound, &key)
        };
        let later = self.order.iter().skip(self.placed.len() + 1);
        let atoms = later.filter_map(|other| match self.source.rule.literal(*other) {
            Literal::Atom(atom) => Some((*other, atom)),
            _ => None,
        });
        let ready = |other: usize| self.bound.covers(&self.source.shape.literal(other).before);
        atoms.filter(|(other, atom)| ready(*other) && self.split(atom).is_some_and(closes)).collect()
    }

    /// The open variables of an atom and its bound arguments; none if it leaves a column open or has a variable twice
    /// that it binds.
    fn split<'r>(&self, atom: &'r Atom) -> Option<(Vec<&'r Arg>, Vec<&'r Arg>)> {
        let (bound, open): (Vec<&Arg>, Vec<&Arg>) = atom.args.iter().partition(|arg| self.bound.binds(arg));
        let once = |arg: &&Arg| **arg != Arg::Any && open.iter().filter(|other| *other == arg).count() == 1;
        open.iter().all(once).then_some((open, bound))
    }
}

/// Whether two lists hold the same arguments.
fn are_same(some: &[&Arg], others: &[&Arg]) -> bool {
    some.iter().all(|arg| others.contains(arg)) && others.iter().all(|arg| some.contains(arg))
}
