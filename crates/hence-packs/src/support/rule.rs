//! A rule as generated code describes it where a `crepe!` program can't evaluate all of it.

use hence_core::fault::OrBroken;
use hence_core::value::{Type, Word};
use hence_lang::builtins::aggregate::Aggregate;

use super::eval::{At, Eval};

/// An invariant of generated code.
pub(super) const VARIABLES: &str = "generated code names variables that its rule has";
/// Another.
pub(super) const PARAMS: &str = "a compiled rule set gets a value for each of its parameters";

/// The values of a rule's variables under one match, and of the parameters.
#[derive(Clone, Copy, Debug)]
pub struct Match<'a> {
    /// By variable.
    pub vars: &'a [Word],
    /// By parameter.
    pub params: &'a [Word],
}

impl Match<'_> {
    /// The value of a variable.
    #[inline]
    pub fn var(&self, var: usize) -> Word {
        *self.vars.get(var).or_broken(VARIABLES)
    }

    /// The value of a parameter.
    #[inline]
    pub fn param(&self, param: usize) -> Word {
        *self.params.get(param).or_broken(PARAMS)
    }
}

/// An expression.
pub type Compute = fn(&Match<'_>) -> Eval;

/// The elements of a generator.
pub type Elements = fn(&Match<'_>) -> Result<Box<dyn Iterator<Item = Word>>, At>;

/// A rule.
#[derive(Debug)]
pub struct Rule {
    /// Its number in the rule set.
    pub number: u32,
    /// Its identity.
    pub id: &'static str,
    /// The relation that it derives.
    pub head: usize,
    /// The names and types of its variables.
    pub variables: &'static [(&'static str, Type)],
    /// Its literals.
    pub body: &'static [Step],
    /// The columns of its head.
    pub terms: &'static [Term],
    /// What its limit keeps.
    pub limit: Option<Limited>,
    /// Where its operations are, and their texts.
    pub places: &'static [(&'static str, &'static str)],
}

/// A literal.
#[derive(Debug)]
pub enum Step {
    /// Some row of a table matches.
    Atom(usize, &'static [Arg]),
    /// No row matches.
    Not(usize, &'static [Arg]),
    /// Binds a variable to a value, which reads other variables.
    Bind(u32, &'static [u32], Compute),
    /// Must hold.
    Test(&'static [u32], Compute),
    /// Binds a variable to each element.
    Each(u32, &'static [u32], Elements),
}

/// An argument of an atom.
#[derive(Clone, Copy, Debug)]
pub enum Arg {
    /// Matches anything.
    Any,
    /// A variable.
    Var(u32),
    /// A literal or a parameter.
    Is(Compute),
}

/// A column of a head.
#[derive(Debug)]
pub enum Term {
    /// A value of each match.
    Plain(Compute),
    /// A variable of each match.
    Var(u32),
    /// A value of each group: the aggregate, its arguments with their types, its place among the operations.
    Of(Aggregate, &'static [(Type, Compute)], At),
}

/// A limit.
#[derive(Debug)]
pub struct Limited {
    /// How many are kept.
    pub count: Compute,
    /// The variables of the group.
    pub per: &'static [u32],
    /// The keys, their types, and whether each is descending.
    pub by: &'static [(Compute, Type, bool)],
    /// The variable that takes the rank.
    pub rank: Option<u32>,
    /// The types of the columns of the head.
    pub types: &'static [Type],
}

impl Term {
    /// Whether it is the column that takes the rank of `limit`.
    pub(super) fn is_rank(&self, limit: Option<&Limited>) -> bool {
        matches!((self, limit.and_then(|limit| limit.rank)), (Self::Var(var), Some(rank)) if *var == rank)
    }

    /// The value under a match; none for an aggregate.
    #[inline]
    pub(super) fn value(&self, of: &Match<'_>) -> Option<Eval> {
        match self {
            Self::Plain(compute) => Some(compute(of)),
            Self::Var(var) => Some(Ok(of.var(*var as usize))),
            Self::Of(..) => None,
        }
    }
}
