//! What a plan is compiled from: a rule, the view that each of its literals reads, and the relations.

use hence_core::fault::OrBroken;
use hence_core::schema::RelationId;
use hence_core::value::Word;
use hence_lang::builtins::expr::VarId;
use hence_lang::ir::{Literal, Rule, RuleId};

use super::roles::Role;
use super::shape::Shape;
use super::steps::Remainder;
use crate::storage::index::IndexId;
use crate::storage::ordered::{Order, OrderedId};
use crate::storage::view::View;

/// An invariant of [`RuleSource`].
const LITERALS: &str =
    "it is known of each literal which view it reads, and whether it reads its own stratum";

/// The relations that a plan is made for.
pub(crate) trait Catalog {
    /// About how many rows of a view agree with some columns of theirs that are bound, which aren't all.
    fn estimate(&mut self, relation: RelationId, view: View, bound: &[u32]) -> f64;

    /// The index on `columns`, ascending, if there is one.
    fn find_index(&self, relation: RelationId, columns: &[u32]) -> Option<IndexId>;

    /// The index on `columns`, built where there is none yet; none where the source of the tuples has its own way to
    /// look them up.
    fn index_on(&mut self, relation: RelationId, columns: &[u32]) -> Option<IndexId>;

    /// The index in an order, built where there is none yet; none where the relation grows or is too small.
    fn ordered_on(&mut self, _: RelationId, _: &Order) -> Option<OrderedId> {
        None
    }

    /// Whether a scan is as good as an index.
    fn is_below_scan_threshold(&self, relation: RelationId) -> bool;

    /// Whether there are so many rows that it is worth while to look for duplicates on the way to a fact.
    fn has_many(&self, _: RelationId) -> bool {
        false
    }

    /// How many rows a relation has, if whole orders are to be compared.
    fn count(&self, _: RelationId) -> Option<f64> {
        None
    }

    /// How many rows agree in some columns, on average over their words, measured however few there are.
    fn fan_out(&mut self, relation: RelationId, columns: &[u32]) -> f64 {
        self.estimate(relation, View::All, columns)
    }

    /// Which part of a relation's rows has these words, if that is measured.
    fn share(&self, _: RelationId, _: &[(u32, Word)]) -> Option<f64> {
        None
    }

    /// How many columns the rows have that loops go through.
    fn arity(&self, _: RelationId) -> Option<usize> {
        None
    }
}

/// What a plan begins with.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Start<'a> {
    /// Nothing bound.
    Nothing,
    /// A row of the head, of which aggregates and the rank of a limit count for nothing.
    Head,
    /// A row of the head of which only some columns are known.
    Columns(&'a [bool]),
    /// A row of this literal.
    Row(usize),
    /// The words of these variables.
    Variables(&'a [VarId]),
    /// The words of the variables that are bound, with some literals left.
    Left(&'a Remainder),
}

/// How the literals of a body are put in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinOrder {
    /// By estimated costs; each computed term of the head is compared as soon as it can be.
    Cost,
    /// As the text has them, as far as variables allow; computed terms of the head are compared first or last.
    Text,
}

/// Which matches are wanted, and with what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Facts: of matches that give the same one, one is enough.
    Facts,
    /// Each match, since derivations are counted or ranked.
    Derivations,
    /// Each match with the words of all variables.
    Bindings,
}

/// Which literal comes after the delta, where another could come as well.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice {
    /// The literal that comes next.
    pub(crate) next: usize,
    /// The one that could.
    pub(crate) other: usize,
    /// Whether this plan takes the facts that have as many candidates for both.
    pub(crate) takes_ties: bool,
}

/// A rule to be compiled.
#[derive(Clone, Copy)]
pub(crate) struct RuleSource<'a> {
    /// The rule.
    pub(crate) rule: &'a Rule,
    /// Its id.
    pub(crate) id: RuleId,
    /// What it requires.
    pub(crate) shape: &'a Shape,
    /// What counts of its literals.
    pub(crate) roles: &'a [Role],
    /// For each literal whether it reads the rule's own stratum.
    pub(crate) own: &'a [bool],
    /// For each literal the view that it reads.
    pub(crate) views: &'a [View],
    /// What the plan begins with.
    pub(crate) start: Start<'a>,
    /// How its literals are put in order.
    pub(crate) order: JoinOrder,
    /// Which matches are wanted.
    pub(crate) wanted: Wanted,
    /// Which way on the plan is to take after its delta, and for which facts; none to take the one that costs least.
    pub(crate) choice: Option<Choice>,
}

impl RuleSource<'_> {
    /// The view that a literal reads.
    pub(crate) fn view(&self, at: usize) -> View {
        *self.views.get(at).or_broken(LITERALS)
    }

    /// The literals that the plan evaluates, in the order of the text.
    pub(crate) fn literals(&self) -> Vec<usize> {
        let all = 0..self.rule.body.len();
        match self.start {
            Start::Left(remainder) => remainder.literals.clone(),
            Start::Row(first) => all.filter(|at| *at != first).collect(),
            Start::Nothing | Start::Head | Start::Columns(_) | Start::Variables(_) => all.collect(),
        }
    }

    /// The literal that reads only the delta.
    pub(crate) fn delta(&self) -> Option<usize> {
        self.views.iter().position(|view| *view == View::Delta)
    }

    /// Whether a relation still grows while the plan is in use.
    pub(crate) fn grows(&self, relation: RelationId) -> bool {
        let reads = self.rule.body.iter().zip(self.own);
        reads.into_iter().any(|(literal, own)| match literal {
            Literal::Atom(atom) | Literal::Not(atom) => *own && atom.relation == relation,
            _ => false,
        })
    }
}
