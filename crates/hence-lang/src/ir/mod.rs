//! The intermediate representation: stratified normal rules over typed relations. Everything after it (engines,
//! proofs, generated code) reads rules from here and nowhere else.
//!
//! Invariants of a [`Program`], which `lower` establishes:
//! - the strata hold every derived relation once and every rule once, each stratum after all that it reads
//!   through negation, an aggregate or a limit, and after all lower relations that it reads at all;
//! - every rule is safe: there is an order of its body in which each negated atom, test, bind, generator and the
//!   head find their variables bound by positive atoms, binds and generators before them;
//! - a variable is bound by at most one [`Literal::Bind`] or [`Literal::Each`]; a positive atom in which such a
//!   variable occurs reads it, and is matched after it;
//! - types fit: a column and the argument at it have one type; names outside a closed set are gone.

pub mod invariants;
pub mod parts;
pub mod text;

use std::collections::BTreeSet;
use std::ops::Index;

use crate::builtins::expr::{Expr, ParamId, VarId};
use crate::builtins::generator::Generator;
use crate::builtins::rule;
pub use crate::builtins::term::{Limit, Part, Sentence, Term, Variable};
use hence_core::fault::OrBroken;
use hence_core::index_vec::{Id, IndexVec, id};
pub use hence_core::schema::Param;
use hence_core::schema::{Kind, Relation, RelationId};
use hence_core::span::Span;
use hence_core::symbol::Symbol;
use hence_core::value::{Value, Word};

/// A whole rule set, ready to be evaluated.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// All relations; [`RelationId`] is the place here.
    pub relations: Vec<Relation>,
    /// All parameters with the values of this run; [`ParamId`] is the place here.
    pub params: Vec<Param>,
    /// All rules but ground facts; [`RuleId`] is the place here.
    pub rules: Vec<Rule>,
    /// The facts of the rule files: rules without a body whose terms are literals.
    pub facts: Vec<GroundFact>,
    /// The order of evaluation.
    pub strata: Vec<Stratum>,
}

id! {
    /// A rule, by its place in [`Program::rules`].
    pub struct RuleId(pub u32): "the number of a rule is that of one of its program's rules";
}

id! {
    /// The place of a stratum in [`Program::strata`].
    pub struct StratumId(pub u32): "the number of a stratum is that of one of its program's strata";
}

/// A fact of a rule file, of a derived relation.
#[derive(Clone, Debug, PartialEq)]
pub struct GroundFact {
    /// The relation.
    pub relation: RelationId,
    /// A value for each column.
    pub values: Vec<Value>,
    /// The identity of the clause: `@id`, or relation and ordinal.
    pub id: Symbol,
    /// Its place in the text.
    pub span: Span,
}

/// Relations that are evaluated together, after all strata before them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stratum {
    /// The derived relations, ascending.
    pub relations: Vec<RelationId>,
    /// Their rules, ascending.
    pub rules: Vec<RuleId>,
    /// Whether some rule reads a relation of this very stratum.
    pub recursive: bool,
}

/// A rule as engines evaluate it.
pub type Rule = rule::Rule<Literal>;

/// A literal of a body.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// Some fact matches.
    Atom(Atom),
    /// No fact matches; all variables are bound elsewhere.
    Not(Atom),
    /// Binds `var`, which nothing else binds, to the value of `expr`.
    Bind {
        /// The variable.
        var: VarId,
        /// Its value.
        expr: Expr,
        /// The literal.
        span: Span,
    },
    /// A bool expression that must hold.
    Test {
        /// The expression.
        expr: Expr,
        /// The literal.
        span: Span,
    },
    /// Binds `var`, which nothing else binds, to each element.
    Each {
        /// The variable.
        var: VarId,
        /// The generator.
        generator: Generator,
        /// Its arguments (a pattern and a group are part of the generator).
        args: Vec<Expr>,
        /// The literal.
        span: Span,
    },
}

/// A relation with arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Atom {
    /// The relation.
    pub relation: RelationId,
    /// An argument for each column.
    pub args: Vec<Arg>,
    /// Its place in the text.
    pub span: Span,
}

/// An argument of an atom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Arg {
    /// Matches anything.
    Any,
    /// A variable, bound here or elsewhere; it may occur several times in one atom.
    Var(VarId),
    /// A literal.
    Const(Value),
    /// A parameter.
    Param(ParamId),
}

impl Program {
    /// The relation with this id.
    pub fn relation(&self, id: RelationId) -> Option<&Relation> {
        self.relations.get(id.0 as usize)
    }

    /// The relation called `name`.
    pub fn find(&self, name: Symbol) -> Option<RelationId> {
        self.relations.iter().position(|relation| relation.name == name).map(|at| RelationId(at as u32))
    }

    /// The rule with this id.
    pub fn rule(&self, id: RuleId) -> Option<&Rule> {
        self.rules.get(id.0 as usize)
    }

    /// The words of the parameters, by [`ParamId`].
    pub fn param_words(&self) -> Vec<Word> {
        self.params.iter().map(|param| param.value.word()).collect()
    }

    /// The inputs that rules add to.
    pub fn fed(&self) -> BTreeSet<RelationId> {
        let heads = self.rules.iter().map(|rule| rule.head);
        heads.filter(|head| self[*head].kind == Kind::Input).collect()
    }

    /// Every relation that depends on `start` through any chain of rules, positively or not, `start` included;
    /// ascending.
    pub fn dependents(&self, start: RelationId) -> Vec<RelationId> {
        let mut reached = IndexVec::filled(false, self.relations.len());
        reached[start] = true;
        let mut grew = true;
        while grew {
            grew = false;
            for rule in &self.rules {
                if !reached[rule.head] && rule.reads().any(|relation| reached[relation]) {
                    reached[rule.head] = true;
                    grew = true;
                }
            }
        }
        reached.numbered().filter(|(_, reached)| **reached).map(|(relation, _)| relation).collect()
    }
}

impl Index<RelationId> for Program {
    type Output = Relation;

    #[track_caller]
    fn index(&self, id: RelationId) -> &Relation {
        self.relations.get(id.at()).or_broken(RelationId::INVARIANT)
    }
}

impl Index<RuleId> for Program {
    type Output = Rule;

    #[track_caller]
    fn index(&self, id: RuleId) -> &Rule {
        self.rules.get(id.at()).or_broken(RuleId::INVARIANT)
    }
}

impl Index<ParamId> for Program {
    type Output = Param;

    #[track_caller]
    fn index(&self, id: ParamId) -> &Param {
        self.params.get(id.at()).or_broken(ParamId::INVARIANT)
    }
}

impl Index<StratumId> for Program {
    type Output = Stratum;

    #[track_caller]
    fn index(&self, id: StratumId) -> &Stratum {
        self.strata.get(id.at()).or_broken(StratumId::INVARIANT)
    }
}

impl Rule {
    /// The relations that the body reads, in order, negated ones too.
    pub fn reads(&self) -> impl Iterator<Item = RelationId> + '_ {
        self.body.iter().filter_map(|literal| literal.atom().map(|atom| atom.relation))
    }
}
